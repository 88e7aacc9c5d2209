"""Check whether the figures in a text are in the known data."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pitwall.analysis.figures import Figure, Kind, figures
from pitwall.analysis.number_words import Reading, slack

# What a key's ending says of its number: the kind, and its size in the kind's own unit. The longest fits.
_ENDINGS: dict[str, tuple[Kind, float]] = {
    "_s": ("time", 1.0), "_s_per_lap": ("time", 1.0), "_s_per_session": ("time", 1.0), "_ms": ("time", 0.001),
    "_m": ("length", 1.0), "_km": ("length", 1000.0), "_kmh": ("speed", 1.0), "_kph": ("speed", 1.0),
    "_mps": ("speed", 3.6), "_g": ("g", 1.0), "_g_per_lap": ("g", 1.0), "_bar": ("bar", 1.0),
    "_pct": ("percent", 1.0), "_c": ("degrees", 1.0), "_deg": ("degrees", 1.0), "_dps": ("degrees", 1.0),
    "_deg_per_g": ("degrees", 1.0), "rpm": ("rpm", 1.0), "_lap": ("lap", 1.0), "_laps": ("laps", 1.0),
    "_sector": ("sector", 1.0), "_corner": ("corner", 1.0), "_turn": ("corner", 1.0), "_gear": ("gear", 1.0),
    "_lap_number": ("lap", 1.0), "_g_lat": ("g", 1.0), "_g_long": ("g", 1.0),
}  # fmt: skip
_LONGEST_FIRST = sorted(_ENDINGS, key=len, reverse=True)
# Their digits are names: they back nothing, and a text may repeat them as they are.
_IDS = frozenset((
    "session", "id", "path", "label", "reference", "against", "driver", "vehicle", "track", "date", "version",
))  # fmt: skip
_LAP_OF_ID = re.compile(r":(\d{1,3})$")
_SHORTEST_ID = 4
# What may back a figure of each kind, besides its own kind and numbers of no known kind.
_ALSO: dict[Kind, tuple[Kind, ...]] = {"length": ("mark",), "count": ("laps",)}
_CORNER_NOUNS = frozenset(("corners", "places", "spots", "turns", "bends"))


class KnownFigures(msgspec.Struct, frozen=True):
    """The figures of a state: sorted values of each kind, how long its lists are by their singular name, ids
    and dates as they are written."""

    values: Mapping[Kind, Sequence[float]]
    counts: Mapping[str, frozenset[int]]
    written: frozenset[str]


def known_figures(state: Any) -> KnownFigures:
    """All figures that stand in `state`: plain data of any depth, its texts included.

    A key says what its number is ("lap", "loss_s"); a table of columns and rows is read by its columns.
    """
    values: defaultdict[Kind, set[float]] = defaultdict(set)
    counts: defaultdict[str, set[int]] = defaultdict(set)
    written: set[str] = set()
    for key, held in _leaves("", state):
        if isinstance(held, list):
            counts[_singular(key)].add(len(held))
        elif isinstance(held, str) and _name_of(key) in _IDS:
            written.add(held)
            if lap := _LAP_OF_ID.search(held):
                values["lap"].add(float(lap[1]))
        elif isinstance(held, str):
            for figure in figures(held):
                if not figure.readings:
                    written.add(figure.shown)
                values[_held_as(figure.kind)].update(abs(value) for value, _slack in figure.readings)
        else:
            kind, scale = kind_of(key)
            values[kind].add(abs(float(held)) * scale)
    return KnownFigures(
        {kind: sorted(held) for kind, held in values.items()},
        {name: frozenset(lengths) for name, lengths in counts.items()},
        frozenset(written),
    )


def unsupported(text: str, state: Any) -> list[str]:
    """The figures in `text` that nothing in `state` (plain data, or what `known_figures` made of it) rounds
    to, as written; empty: every one is there.

    A figure stands for all values that round (half either way) to it at the decimals it was written with, so
    97.4 may be told of 97.381; the sign is free, since a loss of -0.4 is told as 0.4. Lap times are read as
    seconds, "two tenths" as 0.2. A figure with a measure needs a value of that measure, or one of which
    nothing says what it is: the number of a corner or a lap backs no metres.
    """
    known = state if isinstance(state, KnownFigures) else known_figures(state)
    # The longest first: an id may hold the name of its track.
    for name in sorted(known.written, key=len, reverse=True):
        if len(name) >= _SHORTEST_ID:
            text = text.replace(name, " ")
    return [figure.shown for figure in figures(text) if not backed(figure, known)]


def backed(figure: Figure, known: KnownFigures) -> bool:
    """Whether a figure stands in what is known."""
    if not figure.readings:
        return figure.shown in known.written
    if any(
        _near(known.values.get(kind, ()), reading)
        for kind in _backing(figure, known)
        for reading in figure.readings
    ):
        return True
    # "0% of the right turns" of a share of 0.0.
    if figure.kind == "percent" and any(
        _near(known.values.get("plain", ()), (value / 100.0, how_far / 100.0))
        for value, how_far in figure.readings
    ):
        return True
    count = figure.readings[0][0]
    if figure.kind == "laps":
        return count in known.counts.get("lap", ())
    if any(count in known.counts.get(_singular(noun), ()) for noun in figure.nouns):
        return True
    # "Two corners" of three that are known chooses, and invents nothing.
    return bool(_CORNER_NOUNS.intersection(figure.nouns)) and count <= len(known.values.get("corner", ()))


def number_backed(key: str, value: float, known: KnownFigures) -> bool:
    """Whether a number under this key stands in what is known, rounded as it is written."""
    kind, scale = kind_of(key)
    decimals = len(repr(value).partition(".")[2]) if isinstance(value, float) else 0
    reading = (abs(value) * scale, slack(decimals) * scale)
    return backed(Figure(repr(value), (reading,), kind, (key,)), known)


def key_of_one(key: str) -> str:
    """The key as it would be for one item of its list: numbers under "laps" name laps, they count none."""
    return "lap" if key == "laps" or key.endswith("_laps") else key


def kind_of(key: str) -> tuple[Kind, float]:
    """What a number under this key is of, and its size in that kind's unit."""
    name = f"_{key.lower()}"
    ending = next((ending for ending in _LONGEST_FIRST if name.endswith(ending)), "")
    return _ENDINGS[ending] if ending else ("plain", 1.0)


def _backing(figure: Figure, known: KnownFigures) -> Sequence[Kind]:
    if figure.kind == "plain":
        return tuple(known.values)
    return (figure.kind, "plain", *_ALSO.get(figure.kind, ()))


def _held_as(kind: Kind) -> Kind:
    return "plain" if kind == "count" else kind


def _near(values: Sequence[float], reading: Reading) -> bool:
    value, how_far = reading
    at = bisect_left(values, value - how_far - 1e-12)
    return at < len(values) and values[at] <= value + how_far + 1e-12


def _name_of(key: str) -> str:
    return key.lower().rpartition("_")[2]


def _singular(noun: str) -> str:
    name = _name_of(noun)
    for plural, one in (("sses", "ss"), ("ies", "y"), ("s", "")):
        if name.endswith(plural) and not name.endswith("ss"):
            return name.removesuffix(plural) + one
    return name


def _leaves(key: str, held: Any) -> Iterator[tuple[str, Any]]:
    """(key, number, text or list) of all that is held, at any depth. A list of laps holds names of laps."""
    if isinstance(held, bool) or held is None:
        return
    if isinstance(held, (int, float, str)):
        yield key, held
    elif isinstance(held, Mapping):
        columns = held.get("columns")
        for name, each in held.items():
            # A key may name a corner: {"turn_11": ...}.
            yield "", str(name)
            if name == "rows" and isinstance(columns, (list, tuple)):
                for row in each if isinstance(each, (list, tuple)) else ():
                    cells = row if isinstance(row, (list, tuple)) else (row,)
                    for column, cell in zip(columns, cells, strict=False):
                        yield from _leaves(str(column), cell)
                yield "rows", list(each) if isinstance(each, (list, tuple)) else []
            else:
                yield from _leaves(str(name), each)
    elif isinstance(held, (list, tuple)):
        yield key, list(held)
        for each in held:
            yield from _leaves(key_of_one(key), each)
