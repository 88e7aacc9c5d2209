"""Tool results as plain JSON values. Other values would fail the next model call."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import msgspec

# Control, format (among them the marks that turn the direction of text) and private characters.
_UNSEEN = ("Cc", "Cf", "Co", "Cs")
_HAND_OFF = re.compile(
    r"\b(?:Transferring|Handing(?: you)? over|Routing) (?:you )?to \w+Agent\b[.!]*\s*", re.IGNORECASE
)
_DECODER, _ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder(enc_hook=str)


def clean(value: Any) -> Any:
    """`value` as dicts, lists, text, finite numbers, booleans and None.

    NaN and infinities become None, since servers refuse them; anything unknown becomes its text.
    """
    try:
        return _DECODER.decode(_ENCODER.encode(value))
    except (TypeError, ValueError, RecursionError, OverflowError):
        return str(value)


def shown(text: str) -> str:
    """A text without control and bidirectional characters and announced hand-offs."""
    kept = "".join(each for each in text if each in "\n\t" or unicodedata.category(each) not in _UNSEEN)
    return _HAND_OFF.sub("", kept)


def as_result(value: Any) -> dict[str, Any]:
    """A tool's return value as the dict that a model is shown."""
    plain = clean(value)
    return plain if isinstance(plain, dict) else {"result": plain}
