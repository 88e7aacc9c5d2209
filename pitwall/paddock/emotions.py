"""The emotion of an answer, one of twelve, which stands in a tag before a composed text and is not spoken."""

from __future__ import annotations

import re

EMOTIONS: tuple[str, ...] = (
    "neutral", "calm", "encouraging", "proud", "excited", "focused",
    "concerned", "serious", "curious", "sympathetic", "amused", "urgent",
)  # fmt: skip
DEFAULT = "neutral"
_TAG = re.compile(rf"\[({'|'.join(EMOTIONS)})\]\s*")


def split_emotion(text: str) -> tuple[str, str]:
    """(text without the tag at its beginning, the emotion; `neutral` without a tag)."""
    found = _TAG.match(text)
    return (text[found.end() :], found[1]) if found else (text, DEFAULT)
