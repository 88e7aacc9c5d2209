"""A tool's result as plain JSON values: what can't travel would fail the next model call."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

# Deeper than any table of ours; a structure that holds itself ends here.
_DEPTH = 12


def clean(value: Any, depth: int = _DEPTH) -> Any:
    """`value` of dicts, lists, text, finite numbers, booleans and None only; anything else as its text.

    NaN and infinities become None: they are not JSON, and servers refuse them.
    """
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth <= 0:
        return str(value)[:200]
    if isinstance(value, Mapping):
        return {str(key): clean(held, depth - 1) for key, held in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [clean(held, depth - 1) for held in value]
    try:
        return clean(msgspec.to_builtins(value), depth - 1)
    except (TypeError, ValueError):
        return str(value)


def as_result(value: Any) -> dict[str, Any]:
    """A tool's return value as the dict a model is shown."""
    plain = clean(value)
    return plain if isinstance(plain, dict) else {"result": plain}
