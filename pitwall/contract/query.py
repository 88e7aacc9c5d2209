"""A question as data: which measure, of which laps at which place, and the statistic.

The page makes one with pickers, a model by its typed tool, and `ask/reader.py` from words.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Which = Literal["", "min", "max", "mean", "sum", "spread", "trend"]
Group = Literal["", "lap", "corner", "sector", "straight"]
Mark = Annotated[str, msgspec.Meta(max_length=40)]
_LAP = (
    r"[1-9]\d{0,3}|(best|worst|last|first)(:[1-9]\d?)?|in|out|all|flying|"
    r"(top|bottom|lasts|firsts):[1-9]\d?|span:\d{1,4}-\d{1,4}"
)
LapName = Annotated[str, msgspec.Meta(max_length=40, pattern=f"^({_LAP})$")]
PlaceName = Annotated[
    str,
    msgspec.Meta(
        max_length=40, pattern=r"^([\w-]+(/(entry|apex|exit))?|sector:(-1|\d{1,2})|(straight|after):[\w-]+)$"
    ),
]


class Scope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Laps x places x session. `laps`: "4", "best", "worst", "last", "first" (with ":2" the second
    best), "in", "out", "all", "flying", "top:3", "bottom:3", "lasts:3", "firsts:3", "span:2-4"; ()
    for the flying laps, of peaks all. `places`: "turn_7", "turn_7/entry" (apex, exit), "sector:2",
    "straight:turn_7" (before it; "after:turn_7"), "straight:main", "straight:back",
    "straight:longest"; () for the lap. `session`: "" for the one asked about, "previous", or an id.
    """

    laps: Annotated[tuple[LapName, ...], msgspec.Meta(max_length=40)] = ()
    places: Annotated[tuple[PlaceName, ...], msgspec.Meta(max_length=40)] = ()
    session: Mark = ""


class Query(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question. `measure`: a row of `ask.measures` or a topic of `ask.tell`. `which`: the
    statistic over the laps' values; with a `group` one for each, ranked by `order`. `against`: a
    lap mark, or "mean"."""

    measure: Mark
    scope: Scope = Scope()
    which: Which = ""
    group: Group = ""
    order: Literal["", "min", "max"] = ""
    against: Annotated[str, msgspec.Meta(max_length=40, pattern=f"^(|mean|{_LAP})$")] = ""
