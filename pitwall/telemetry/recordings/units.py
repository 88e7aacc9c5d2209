"""Units as loggers write them, and the factor to the unit the canonical signal has."""

from __future__ import annotations

import re
from typing import NamedTuple

from pitwall.telemetry.recordings.text import label
from pitwall.telemetry.signals import SIGNALS

G_MPS2 = 9.80665  # standard gravity, CGPM 1901


class Conversion(NamedTuple):
    """canonical = raw * scale + offset."""

    dimension: str
    scale: float
    offset: float = 0.0


# Keyed by the spelling that `unit_key` leaves. Knot: 1852 m/h; mile 1609.344 m; psi 6894.757 Pa; foot 0.3048
# m.
_SPELLINGS: tuple[tuple[str, Conversion], ...] = (
    ("m/s mps m/sec", Conversion("speed", 1.0)),
    ("km/h kmh kph km/hr kmph", Conversion("speed", 1 / 3.6)),
    ("mph mi/h mile/h", Conversion("speed", 0.44704)),
    ("knots knot kn kt kts", Conversion("speed", 1852 / 3600)),
    ("ft/s", Conversion("speed", 0.3048)),
    ("bar", Conversion("pressure", 1.0)),
    ("psi", Conversion("pressure", 0.06894757)),
    ("kpa", Conversion("pressure", 0.01)),
    ("mbar hpa", Conversion("pressure", 0.001)),
    ("mpa", Conversion("pressure", 10.0)),
    ("pa", Conversion("pressure", 1.0e-5)),
    ("c degc celsius degreesc", Conversion("temperature", 1.0)),
    ("f degf fahrenheit degreesf", Conversion("temperature", 5 / 9, -160 / 9)),
    ("k kelvin", Conversion("temperature", 1.0, -273.15)),
    ("g gs", Conversion("acceleration", 1.0)),
    ("mg", Conversion("acceleration", 0.001)),
    ("m/s2 m/s^2 m/s/s mps2", Conversion("acceleration", 1 / G_MPS2)),
    ("deg degree degrees", Conversion("angle", 1.0)),
    ("rad radian radians", Conversion("angle", 57.29577951308232)),
    ("deg/s deg/sec degsec degs dps degrees/s degrees/sec", Conversion("rate", 1.0)),
    ("rad/s rads rad/sec", Conversion("rate", 57.29577951308232)),
    ("m metre metres meter meters", Conversion("length", 1.0)),
    ("km", Conversion("length", 1000.0)),
    ("mm", Conversion("length", 0.001)),
    ("ft feet foot", Conversion("length", 0.3048)),
    ("mile miles mi", Conversion("length", 1609.344)),
    ("% percent pct", Conversion("ratio", 1.0)),
    ("rpm 1/min r/min min1", Conversion("rotation", 1.0)),
)
_UNITS = {spelling: conversion for spellings, conversion in _SPELLINGS for spelling in spellings.split()}

# Without a unit these can't be told apart (km/h, mph, m/s; bar, psi, kPa): better no signal than a wrong one.
_NEEDS_UNIT = frozenset({"speed", "pressure"})
_NO_UNIT = frozenset({"", "null", "none", "na", "n/a"})


def unit_key(unit: str) -> str:
    """`°C`, `degrees`, `Deg_Sec`, `(null)` as one spelling: lower case without decoration."""
    return re.sub(r"[^a-z0-9%/^]", "", label(unit).lower().replace("²", "2").replace("⁻¹", "1"))


def is_known(unit: str) -> bool:
    """Whether it is a unit at all, and not `raw` or `(null)`."""
    return unit_key(unit) in _UNITS


def to_canonical(name: str, unit: str) -> Conversion | None:
    """The conversion of a column in `unit` to the canonical signal, None where the unit can't be that
    signal's."""
    dimension, key = SIGNALS[name].dimension, unit_key(unit)
    if dimension == "count":
        return None if key in _UNITS else Conversion("count", 1.0)
    if key in _NO_UNIT:
        return None if dimension in _NEEDS_UNIT else Conversion(dimension, 1.0)
    found = _UNITS.get(key)
    return found if found is not None and found.dimension == dimension else None
