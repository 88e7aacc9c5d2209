"""Writing voice scripts into the user's folder."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pitwall.coach.scripts import script_path
from pitwall.config import Home
from pitwall.store.files import replace_file
from pitwall.track.model import Track


def save_script(home: Home, track: Track, corner: str, script: Mapping[str, str]) -> str:
    """Write a checked script, whole or not at all; its path. OSError."""
    path = script_path(home.audio_cache, corner, track)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(path, msgspec.json.format(msgspec.json.encode(script), indent=2) + b"\n")
    return str(path)
