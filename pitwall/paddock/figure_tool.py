"""The tool in which a model makes a query: it chooses, code computes and tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Literal, get_args

import msgspec

from pitwall.analysis.places import find_corners
from pitwall.analysis.tool_kit import Result, ToolRefused, tool
from pitwall.ask.measures import MEASURES
from pitwall.ask.topics import AGENTS, TOPICS
from pitwall.contract.query import Group, Query, QueryLimit, Which
from pitwall.paddock.roster import DUTIES
from pitwall.track.model import Track
from pitwall.words.language import ENGLISH

# A report that is told whole and that no topic has -> whose it is.
REPORTS = {
    duty.answers_from: name
    for name, duty in reversed(DUTIES.items())
    if duty.answers_from and name not in AGENTS.values()
}
_KNOWN = tuple(dict.fromkeys((*MEASURES, *AGENTS, *TOPICS, *REPORTS)))
# What the schema lists. Some servers refuse an enumeration that holds "".
_LISTED = {
    "measure": Literal[_KNOWN],
    "which": Literal[tuple(filter(None, get_args(Which)))] | None,
    "group": Literal[tuple(filter(None, get_args(Group)))] | None,
    "order": Literal["min", "max"] | None,
}


def _explained(names: Iterable[str]) -> str:
    """The names that do not explain themselves, each with its English words."""
    terms = ENGLISH.terms("measure")
    return ", ".join(
        f"{each} ({terms[each]})"
        for each in names
        if each in terms and terms[each].strip().replace(" ", "_") != each
    )


_DESCRIPTION = f"""Computes a figure or a report and tells it in words; you only choose. Use it before SQL.
The slowest speed in Turn 7 of the best lap and of lap 3: measure min_speed, laps best and 3, places turn_7.

Args:
    measure: a figure, such as {_explained(MEASURES)};
        or a report, of which only laps and places count, such as {_explained((*AGENTS, *TOPICS))}.
    laps: numbers, best, worst, last, first, best:2 (the second best), top:3, lasts:3, span:2-4, not:5; none
        for all flying laps.
    places: corners (turn_7, turn_7/apex), sector:2, straight:main, turn_7>turn_10; none for the whole lap.
    which: what is made of the laps' values.
    group: a value for each of them.
    order: rank what group names from this end.
    against: a lap to compare with, such as 3 or best; mean for the usual lap.
    over: with which exists, count or sum: only what is over this, in m/s, s, bar, m or degrees Celsius.
    under: the same for what is under it.
    session: previous, all, or the id of another session; empty for the one that is asked about.
"""


def _place_named(track: Track | None, place: str) -> str:
    """A place as a query has it: a corner may be called by its name or number."""
    found = find_corners(track, place) if track else []
    return found[0].id if len(found) == 1 else place


def figure_tool(track: Callable[[], Track | None], tell: Callable[[Query], Result]) -> Callable[..., Result]:
    """The tool. `tell` gives the query's session and, as "told", what code says of it: "" where nothing is
    known."""

    @tool
    def tell_figure(
        measure: str,
        laps: list[str] | None = None,
        places: list[str] | None = None,
        which: str | None = None,
        group: str | None = None,
        order: str | None = None,
        against: str = "",
        over: float | None = None,
        under: float | None = None,
        session: str = "",
    ) -> Result:
        if measure not in _KNOWN:
            near = ", ".join(get_close_matches(str(measure), _KNOWN)) or "see the schema"
            raise ToolRefused(f"{str(measure)[:60]!r} is no measure", f"choose one that is: {near}")
        limits = [QueryLimit(op="over", value=over)] if over is not None else []
        limits += [QueryLimit(op="under", value=under)] if under is not None else []
        given = {
            "measure": measure, "which": which or "", "group": group or "", "order": order or "",
            "against": str(against or ""), "limit": (*limits, None)[0],
            "scope": {
                "laps": [str(each) for each in laps or ()],
                "places": [_place_named(track(), str(each)) for each in places or ()],
                "session": session or "",
            },
        }  # fmt: skip
        try:
            result = tell(msgspec.convert(given, Query))
        except msgspec.ValidationError as error:
            told = re.sub(
                r"Expected `str` matching regex .* - at", "not written as it should be:", str(error)
            )
            raise ToolRefused(f"this is no query: {told}", "write it as the description shows") from None
        if not result["told"]:
            raise ToolRefused("nothing is known of that", "choose another measure")
        return result

    tell_figure.__annotations__.update(_LISTED)
    tell_figure.__doc__ = _DESCRIPTION
    return tell_figure
