"""The tool in which a model makes a query: it chooses, code computes and tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from pitwall.analysis.places import find_corners
from pitwall.analysis.tool_kit import Result, ToolRefused, tool
from pitwall.ask.measures import MEASURES
from pitwall.ask.topics import AGENTS, TOPICS
from pitwall.contract.query import Query, QueryLimit
from pitwall.paddock.roster import DUTIES
from pitwall.track.model import Track
from pitwall.words.language import ENGLISH

# A report that is told whole -> whose it is.
REPORTS = {duty.answers_from: name for name, duty in reversed(DUTIES.items()) if duty.answers_from}


def _described(measures: Iterable[str]) -> str:
    """Measures for a model, each with its name where that says more."""
    named = {each: ENGLISH.terms("measure").get(each, "").strip() for each in measures}
    return ", ".join(f"{each} ({name})" if name not in ("", each) else each for each, name in named.items())


_DESCRIPTION = f"""Computes a figure or a report and tells it in words; you only choose. Use it before SQL.

Args:
    measure: a figure: {_described(MEASURES)}; or a report, of which only laps and places count:
        {_described((*AGENTS, *TOPICS))}, {", ".join(REPORTS)}.
    laps: numbers, best, worst, last, first, best:2 (the second best), top:3, lasts:3, span:2-4, not:5; none
        for all flying laps.
    places: corners (turn_7, turn_7/apex), sector:2, straight:main, turn_7>turn_10; none for the whole lap.
    which: what is made of the laps' values: min, max, mean, median, sum, spread, trend or share.
    group: lap, corner, sector, straight or gear: a value for each of them.
    order: min or max: rank what group names from this end.
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
        which: str = "",
        group: str = "",
        order: str = "",
        against: str = "",
        over: float | None = None,
        under: float | None = None,
        session: str = "",
    ) -> Result:
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
            raise ToolRefused(f"this is no query: {error}", "use the words of the description") from None
        if not result["told"]:
            raise ToolRefused("nothing is known of that", "choose another measure")
        return result

    tell_figure.__doc__ = _DESCRIPTION
    return tell_figure
