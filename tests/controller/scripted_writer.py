"""A scripted model that writes voice scripts: by the corner it is asked for, in words that pass the check."""

from __future__ import annotations

import json
import re
from typing import Any

from model_server import Asked, Reply

_CORNER = re.compile(r"The corner: (\w+)")
WORDS = {
    "approach": "Look far ahead now",
    "approach_short": "Look ahead",
    "brake": "Brake firmly, then ease off",
    "brake_short": "Brake",
    "turn_in": "Wait for it, then turn",
    "turn_in_short": "Wait",
    "apex": "Late apex, be patient",
    "apex_short": "Wait",
    "exit": "Unwind and squeeze",
    "exit_short": "Squeeze",
}


def corner_of(asked: Asked) -> str:
    """Which corner a request is about, "" where about none."""
    found = _CORNER.search(asked.text)
    return found[1] if found else ""


def script_for(corner: str) -> dict[str, str]:
    """Phrases that are of this corner only, so that a file that went astray is seen."""
    spoken = corner.replace("_", " ").replace("3a", "three A").replace("8a", "eight A")
    return {**WORDS, "approach": f"{spoken} is next, eyes up"}


def written(corner: str, **changes: Any) -> Reply:
    return Reply(text=json.dumps({**script_for(corner), **changes}))


def obedient_writer(asked: Asked) -> Reply:
    """A good script for whatever corner is asked for."""
    return written(corner_of(asked))
