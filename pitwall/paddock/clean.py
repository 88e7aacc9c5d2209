"""Tool results as plain JSON values. Other values would fail the next model call."""

from __future__ import annotations

from typing import Any

import msgspec

_DECODER, _ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder(enc_hook=str)


def clean(value: Any) -> Any:
    """`value` as dicts, lists, text, finite numbers, booleans and None.

    NaN and infinities become None, since servers refuse them; anything unknown becomes its text.
    """
    try:
        return _DECODER.decode(_ENCODER.encode(value))
    except (TypeError, ValueError, RecursionError, OverflowError):
        return str(value)


def as_result(value: Any) -> dict[str, Any]:
    """A tool's return value as the dict that a model is shown."""
    plain = clean(value)
    return plain if isinstance(plain, dict) else {"result": plain}
