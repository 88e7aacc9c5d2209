"""Text that a model writes or is shown: its mood, its repeats, and results as plain values."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import msgspec

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


# Three repeats of this length are a loop: shorter ones occur in tables, two in emphasis.
LENGTH = 200
TIMES = 3


class LoopGuard:
    """Counts stretches of LENGTH characters, none overlapping itself, in one reply."""

    def __init__(self) -> None:
        self._text = ""
        self._seen: dict[str, tuple[int, int]] = {}

    def feed(self, piece: str) -> bool:
        """Take the next piece of the reply; True from the third repeat on."""
        # Case and blanks are folded: a loop that changes its line breaks is the same loop.
        folded = " ".join(piece.lower().split())
        if piece[:1].isspace() or not piece.strip():
            folded = (" " if not self._text.endswith((" ", "\n")) else "") + folded
        if piece[-1:].isspace() and folded and not folded.endswith(" "):
            folded += " "
        start = max(0, len(self._text) - LENGTH + 1)
        self._text += folded
        looping = False
        for at in range(start, len(self._text) - LENGTH + 1):
            stretch = self._text[at : at + LENGTH]
            if "\n" in stretch:
                continue
            count, last = self._seen.get(stretch, (0, -LENGTH))
            if at - last >= LENGTH:
                self._seen[stretch] = (count + 1, at)
                looping = looping or count + 1 >= TIMES
        return looping


# Control, format (among them the marks that turn the direction of text) and private characters.
_UNSEEN = ("Cc", "Cf", "Co", "Cs")
_DECODER, _ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder(enc_hook=str)


def clean(value: Any) -> Any:
    """`value` as plain JSON values: NaN and infinities become None, anything unknown its text."""
    try:
        return _DECODER.decode(_ENCODER.encode(value))
    except (TypeError, ValueError, RecursionError, OverflowError):
        return str(value)


def shown(text: str) -> str:
    """A text without control and bidirectional characters."""
    return "".join(each for each in text if each in "\n\t" or unicodedata.category(each) not in _UNSEEN)


def as_result(value: Any) -> dict[str, Any]:
    """A tool's return value as the dict that a model is shown."""
    plain = clean(value)
    return plain if isinstance(plain, dict) else {"result": plain}


def arguments_key(arguments: dict[str, Any]) -> str:
    """The arguments of a call as text, the same for the same ones."""
    return msgspec.json.encode(as_result(arguments), order="sorted").decode()
