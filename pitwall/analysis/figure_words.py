"""Words around a figure: measures, labels, and phrases whose numbers are no figures."""

from __future__ import annotations

from typing import Literal


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What a number is of. The labels name a thing and measure nothing; "name" is a digit within a word, as in M3.
Kind = Literal[
    "plain", "count", "time", "length", "speed", "rpm", "g", "bar", "percent", "degrees", "laps",
    "car lengths", "mark", "mass", "volume",
    "lap", "corner", "sector", "gear", "name",
]  # fmt: skip

_MPH, _FOOT, _MILE = 1.609344, 0.3048, 1609.344
# Measure -> (kind, its size in the kind's own unit: s, m, km/h, ...).
MEASURES: dict[str, tuple[Kind, float]] = {
    "tenth": ("time", 0.1), "tenths": ("time", 0.1), "hundredth": ("time", 0.01),
    "hundredths": ("time", 0.01), "thousandth": ("time", 0.001),
    "thousandths": ("time", 0.001), "millisecond": ("time", 0.001),
    "milliseconds": ("time", 0.001), "ms": ("time", 0.001), "s": ("time", 1.0), "sec": ("time", 1.0),
    "secs": ("time", 1.0), "second": ("time", 1.0), "seconds": ("time", 1.0), "minute": ("time", 60.0),
    "minutes": ("time", 60.0), "min": ("time", 60.0), "mins": ("time", 60.0), "hour": ("time", 3600.0),
    "hours": ("time", 3600.0), "m": ("length", 1.0), "metre": ("length", 1.0), "metres": ("length", 1.0),
    "meter": ("length", 1.0), "meters": ("length", 1.0), "km": ("length", 1e3), "kilometre": ("length", 1e3),
    "kilometres": ("length", 1e3), "kilometer": ("length", 1e3), "kilometers": ("length", 1e3),
    "mile": ("length", _MILE), "miles": ("length", _MILE), "yard": ("length", 0.9144),
    "yards": ("length", 0.9144), "ft": ("length", _FOOT), "feet": ("length", _FOOT), "km/h": ("speed", 1.0),
    "kmh": ("speed", 1.0), "kph": ("speed", 1.0), "mph": ("speed", _MPH), "m/s": ("speed", 3.6),
    "mps": ("speed", 3.6), "rpm": ("rpm", 1.0), "revs": ("rpm", 1.0), "revolutions": ("rpm", 1.0),
    "g": ("g", 1.0), "gs": ("g", 1.0), "g's": ("g", 1.0), "bar": ("bar", 1.0), "bars": ("bar", 1.0),
    "psi": ("bar", 0.0689476), "percent": ("percent", 1.0), "%": ("percent", 1.0), "°": ("degrees", 1.0),
    "degree": ("degrees", 1.0), "degrees": ("degrees", 1.0), "deg": ("degrees", 1.0),
    "celsius": ("degrees", 1.0), "c": ("degrees", 1.0), "lap": ("laps", 1.0), "laps": ("laps", 1.0),
    "length": ("car lengths", 1.0), "lengths": ("car lengths", 1.0), "board": ("mark", 1.0),
    "boards": ("mark", 1.0), "marker": ("mark", 1.0), "kg": ("mass", 1.0), "kilos": ("mass", 1.0),
    "litre": ("volume", 1.0), "litres": ("volume", 1.0), "liters": ("volume", 1.0),
}  # fmt: skip
LABELLED: dict[str, Kind] = {
    "turn": "corner", "turns": "corner", "t": "corner", "corner": "corner", "corners": "corner",
    "lap": "lap", "laps": "lap", "sector": "sector", "sectors": "sector", "gear": "gear", "gears": "gear",
}  # fmt: skip
ORDINALS = {
    word: value
    for value, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"), 1
    )
}
# Words between a number and its measure: "two quick laps", "seven whole metres".
BETWEEN = _words(
    "more flying full whole clean timed good clear quick slow further extra odd of a an straight"
)
STRONG = _words("full whole good clear entire solid single")
# Counts of these are ways of speaking, not figures.
SPEECH = _words(
    "thing things point points step steps word words way ways part parts side sides foot feet hand hands "
    "pedal pedals wheel wheels question questions area areas idea ideas note notes tip tips piece pieces "
    "move moves eye eyes finger fingers movement movements stage stages phase phases"
)
# No noun: a number before one of these counts nothing that is named.
NO_NOUN = _words(
    "of at in or and off to on is are was were be the a an by from with for but as that this then than if "
    "when while so not per you your it its up out down into there here i we my our had has have"
)
GOES_ON = frozenset(("and", "or", "to", "through", "vs", "versus", "against", "than", ",", "&", "/", "then"))
LABEL_GAP = frozenset(("_", ":", "#", "[", "number", "="))
# Before or after these "a second" is a claim; elsewhere it is a way of speaking, as in "a second later".
CLAIM_BEFORE = _words(
    "lost lose loses losing gain gained gains gaining find found cost costs worth save saved nearly almost "
    "about around over under within roughly than by"
)
CLAIM_AFTER = _words("slower faster quicker behind ahead off lost gained down up better worse adrift per a")
PLACE_AFTER = _words(
    "later earlier sooner longer shorter further deeper closer before after past wide wider too"
)
MARKS = frozenset(("board", "boards", "marker"))
ALWAYS = frozenset(("tenth", "hundredth", "thousandth", "millisecond"))
# Up to here a number in words that measures and counts nothing is a way of speaking: "the first two".
MOST_SPOKEN = 12
