"""A question as data: which measure, of which laps at which place, and what is asked of its values.

The page makes one with pickers, a model by its typed tool, and `ask/reader.py` from words.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Which = Literal["", "min", "max", "mean", "median", "sum", "spread", "trend", "count", "exists", "share"]
Group = Literal["", "lap", "corner", "sector", "straight", "piece", "gear"]
Show = Literal["", "where", "when", "why"]
Mark = Annotated[str, msgspec.Meta(max_length=40)]
_LAP = (
    r"[1-9]\d{0,3}|(best|worst|last|first)(:[1-9]\d?|[+-]1)?|in|out|all|flying|"
    r"stint:last|(top|bottom|lasts|firsts|from|to|stint|half):[1-9]\d{0,3}|span:\d{1,4}-\d{1,4}|"
    r"not:(\d{1,4}|(best|worst|last|first)|(top|bottom|lasts|firsts):\d{1,2})(,\d{1,4})*"
)
LapName = Annotated[str, msgspec.Meta(max_length=40, pattern=f"^({_LAP})$")]
PlaceName = Annotated[
    str,
    msgspec.Meta(
        max_length=40,
        pattern=r"^([\w-]+(/(entry|apex|exit|brake|lift))?|[\w-]*>[\w-]*|sector:(-1|\d{1,2})|half:[12]|"
        r"piece:\d{1,2}|(straight|after):[\w-]+|at:\d{1,5}(\.\d+)?|edge:(lap )?(end|start)|gear:\d|"
        r"corner:(slowest|fastest|worst)(-[1-9])?)( \d)?$",
    ),
]


class Scope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Laps x places x session. `laps`: "4", "best", "worst", "last", "first", "in", "out" (with ":2" the
    second best), "top:3", "bottom:3", "lasts:3", "firsts:3", "from:5", "to:5", "span:2-4", "half:1",
    "stint:2", "stint:last", "not:3"; () for the flying laps, of peaks all. `places`: "turn_7",
    "turn_7/entry" (apex, exit, brake, lift), "turn_7>turn_10", "sector:2", "half:1", "straight:turn_7"
    (before it; "after:turn_7"), "straight:main", "straight:longest", "at:500" (metres), "edge:end" (of
    the session; "edge:start", "edge:lap end"), "corner:slowest", "corner:fastest", "corner:worst"; () for
    the lap. `session`: "" for the one asked about, "previous", "all", an id, "with:" and an id for both."""

    laps: Annotated[tuple[LapName, ...], msgspec.Meta(max_length=40)] = ()
    places: Annotated[tuple[PlaceName, ...], msgspec.Meta(max_length=40)] = ()
    session: Mark = ""


class QueryLimit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values over or under one in the measure's own unit (m/s, s, bar, °C), or within so much of the best."""

    op: Literal["over", "under", "within", "reach"]
    value: float


class Query(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question. `measure`: a row of `ask.measures` or a topic of `ask.topics`. `which`: what is made of
    the laps' values; with a `group` it is made for each of them and `order` ranks these, the first `most`;
    `order` and "rank:2" is the second alone. `against`: a lap mark, "mean" or "ideal". `unit`: a word for a
    unit."""

    measure: Mark
    scope: Scope = Scope()
    which: Which = ""
    group: Group = ""
    order: Literal["", "min", "max"] = ""
    rank: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
    most: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
    against: Annotated[str, msgspec.Meta(max_length=40, pattern=f"^(|mean|ideal|{_LAP})$")] = ""
    limit: QueryLimit | None = None
    unit: Mark = ""
    show: Show = ""
