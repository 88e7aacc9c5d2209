"""Structs as plain JSON values in drivers' units, rounded to useful digits."""

from __future__ import annotations

import math
from typing import Any

import msgspec

KMH = 3.6
# Useful digits of each unit. The longest suffix that fits decides.
DIGITS: dict[str, int] = {
    "_utc_s": 0, "_s": 3, "_s_per_lap": 3, "_s_per_session": 3, "_m": 1, "_kmh": 1, "_g": 3, "_g_per_lap": 4,
    "_bar": 1, "_pct": 1, "_c": 1, "_dps": 0, "_deg": 1, "_deg_per_g": 1,
}  # fmt: skip
DEFAULT_DIGITS = 3
# Longer lists are cut.
MOST_ITEMS = 200


def plain(value: Any) -> Any:
    """Structs become objects, speeds in m/s become km/h (`*_mps` -> `*_kmh`), numbers are rounded by their
    unit, and what is not finite becomes None."""
    return _plain("", msgspec.to_builtins(value, str_keys=True))


def plain_name(key: str) -> str:
    """The key under which `plain` gives it."""
    return key[: -len("_mps")] + "_kmh" if key.endswith("_mps") else key


def _plain(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {plain_name(str(name)): _plain(str(name), each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(key, each) for each in value[:MOST_ITEMS]]
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        scaled = value * KMH if key.endswith("_mps") else value
        return round(scaled, _digits(plain_name(key))) + 0.0
    return value


def _digits(key: str) -> int:
    fitting = [suffix for suffix in DIGITS if key.endswith(suffix)]
    return DIGITS[max(fitting, key=len)] if fitting else DEFAULT_DIGITS
