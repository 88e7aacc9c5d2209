"""A figure of every corner, sector or straight: listed, ranked, averaged, of two laps, what time is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median

import msgspec
from msgspec.structs import replace

from pitwall.ask.measures import BEFORE_APEX, MEASURES, Part, Where
from pitwall.paddock.question_reading import BY_VALUE, QuestionReading
from pitwall.paddock.questions.figure_values import (
    MOST_RANKED,
    SHARED,
    shown_difference,
    which_of,
)
from pitwall.paddock.questions.subject import Subject
from pitwall.track.lap import Lap

# Less of a share of the lap, or of a loss, is nothing to be told.
LEAST_TOLD_S = 0.05
# What the values of the laps come to at one place.
_SUMS: dict[str, Callable[[Sequence[float]], float]] = {
    "spread": lambda values: max(values) - min(values),
    "most": max,
    "mean": fmean,
    "median": median,
}
# Of each kind of place: what is said where there is none, and beside what a loss is told.
_KINDS: dict[Part, tuple[str, str]] = {
    "corner": ("asked no corners known", "asked best corners there"),
    "way": ("asked no corners known", "asked best corners there"),
    "sector": ("asked no sectors", "asked best sectors"),
    "straight": ("asked no straight", "asked best straights"),
    "piece": ("asked no corners known", "asked best pieces"),
}
_ENDS = ("most", "least", "spread", "rank")


class PlacesAsked(msgspec.Struct, frozen=True, kw_only=True):
    """What is told of every place of one kind. `which` of a place's values is meant, `ends`: by what the
    places are ranked; without, they are listed in their order."""

    measure: str
    kind: Part
    which: str
    ends: frozenset[str]
    laps: tuple[Lap, ...]
    named: bool

    @property
    def lost(self) -> bool:
        return self.measure == "lost"

    @property
    def highest(self) -> bool:
        """Whether the highest values come first: the brake point that is nearest is the latest one."""
        return ("least" in self.ends) == (self.measure in BEFORE_APEX and "spread" not in self.ends)


def by_place(asked: Subject, reading: QuestionReading, measure: str) -> str:
    """The figure of every part of the lap of one kind: the named laps' or the median of the flying ones."""
    places, say = _asked_places(asked, reading, measure), asked.words.say
    measure, row, kind, laps = places.measure, MEASURES[places.measure], places.kind, list(places.laps)
    wheres = asked.places(reading, kind)
    if not wheres:
        return say(_KINDS[kind][0])
    if reading.laps and len(laps) == 2 and (said := _of_two_laps(asked, reading, places, wheres)):
        return said
    own = next((each for each in ("most", "least", "mean") if each in reading.which), "")
    own = own if kind not in ("corner", "way") else ""
    taken = "mean" if row.usual == "mean" and not own else own if measure in BY_VALUE else ""
    found = [
        (_summed(places, taken, [value for _, value in by_lap]), where)
        for where in (wheres if kind in row.parts else ())
        if (by_lap := asked.taken(measure, where, laps, taken))
    ]
    if not found:
        return say("asked unknown", label=asked.words.term("asked", measure), place="")
    high = "most" if kind == "straight" and row.usual == "most" else ""
    label = asked.label(measure, (taken or high) if measure in BY_VALUE else "", wheres[0])
    one_lost = places.lost and len(laps) == 1 and places.highest  # told in a sentence of its own
    in_laps = say("asked in laps", laps=[lap.number for lap in laps]) if places.named and not one_lost else ""
    in_laps += asked.among(reading, kind)
    told: dict[str, object] = {"label": label, "laps": in_laps, "lap": laps[0].number, "count": len(laps)}
    if not places.ends:
        count = "lap" if len(laps) == 1 else "list"
        values = [_value(asked, places, each) for each in found]
        key = "corners" if (kind, count) == ("sector", "lap") else f"{kind}s"
        return say(f"asked {key} {count}", values=values, **told)
    found.sort(key=lambda each: each[0], reverse=places.highest)
    values = [_value(asked, places, each) for each in _told_of(found, places, reading)]
    return say(_ranked_key(places), how=say(_KINDS[kind][1]), values=values, **told)


def losses(asked: Subject, reading: QuestionReading) -> str:
    """What a lap loses on average against the best time there, part by part."""
    if len(asked.figures.flying) < 2:
        return asked.words.say("asked one lap only")
    return by_place(asked, reading, "lost")


def usual_loss(asked: Subject, where: Where) -> str:
    """What a corner or a sector cost over the flying laps against the best time there of them."""
    flying = asked.figures.flying
    lost = [(value, lap.number) for lap, value in asked.taken("lost", where, flying)]
    if len(lost) < 2:
        return asked.words.say("asked one lap only")
    (_, best), (most_s, worst), total_s = min(lost), max(lost), sum(value for value, _ in lost)
    best_s = min(t for _, t in asked.taken("time", where, flying))
    return asked.words.say(
        "asked usual loss" if where.part == "corner" else "asked usual loss in sector",
        corner=asked.corner_name(where.corner),
        sector=where.sector,
        mean=total_s / len(lost),
        total=total_s,
        count=len(lost),
        best=best,
        time=best_s,
        worst=worst,
        most=most_s,
    )


def _asked_places(asked: Subject, reading: QuestionReading, measure: str) -> PlacesAsked:
    kind: Part = "corner"
    if reading.straight == "each":
        kind = "straight"
    elif reading.pieces:
        kind = "piece"
    elif reading.of == "sector" or 0 in reading.sectors:
        kind = "sector"
    elif measure in SHARED and reading.of == "place":
        kind = "way"  # what is counted in seconds goes on from one corner to the next
    measure = "min_speed" if (measure, kind) == ("speed", "corner") else measure
    which = which_of(reading, measure)
    each = (
        (which == "each" or (kind == "straight" and measure != "lost"))
        and "rank" not in reading.which
        and not reading.ranked
    )
    ends = {*_ENDS} & {*reading.which} if not each else set()
    peaks = measure in BY_VALUE and measure != "min_speed"
    if not ends and (
        measure == "lost" or kind == "way" or (reading.of == kind == "corner" and peaks and not each)
    ):
        ends = {"most"}
    laps = asked.laps(reading)
    return PlacesAsked(
        measure=measure,
        kind=kind,
        which=which,
        ends=frozenset(ends),
        laps=tuple(laps or asked.figures.flying),
        named=bool(laps),
    )


def _summed(places: PlacesAsked, taken: str, values: Sequence[float]) -> float:
    """What the laps' values come to at one place."""
    if places.which == "spread":
        return _SUMS["spread"](values)
    which = taken if places.kind == "sector" and places.ends else places.which
    sums = "mean" if places.lost else "most" if which == "most" and places.measure in BY_VALUE else "median"
    return _SUMS[sums](values)


def _told_of(
    found: Sequence[tuple[float, Where]], places: PlacesAsked, reading: QuestionReading
) -> Sequence[tuple[float, Where]]:
    """Those of a rank that are told."""
    if "rank" in reading.which:
        return found
    if places.kind == "way" or places.lost:
        known = [each for each in found if each[0] >= LEAST_TOLD_S or not places.highest]
        found = known or found[:1]
    return found if places.kind == "sector" else found[: reading.ranked or MOST_RANKED]


def _ranked_key(places: PlacesAsked) -> str:
    if places.kind == "way":
        return "asked ranked way" if places.highest else "asked ranked way least"
    if places.which == "spread":
        return "asked ranked spread" if places.highest else "asked ranked spread least"
    if not places.lost:
        return "asked ranked"
    if not places.highest:
        return "asked ranked near lap" if places.named and len(places.laps) == 1 else "asked ranked near"
    return "asked ranked lost lap" if places.named and len(places.laps) == 1 else "asked ranked lost"


def _value(asked: Subject, places: PlacesAsked, found: tuple[float, Where]) -> str:
    value, where = found
    spread = places.which == "spread"
    shown = shown_difference(asked, places.measure, value) if spread else asked.shown(places.measure, value)
    return asked.words.say("asked corner value", corner=asked.place_name(where), value=shown)


def _of_two_laps(
    asked: Subject, reading: QuestionReading, places: PlacesAsked, wheres: Sequence[Where]
) -> str:
    """The places where a figure was higher in one of two laps, as it is shown, the largest first; else where
    both differ most; each lap by itself where no end is asked for."""
    one_way = {"more", "less"} & {*reading.which}
    if not one_way and not reading.compares and places.which:
        return ""
    if not one_way and places.which in ("", "each"):
        each = [replace(reading, laps=(str(lap.number),)) for lap in places.laps]
        return " ".join(by_place(asked, one, places.measure) for one in each)
    if not one_way and places.which not in ("most", "least"):
        return ""
    measure, say, closer = places.measure, asked.words.say, places.measure in BEFORE_APEX
    lap, other = places.laps[::-1] if "less" in one_way else places.laps
    found = []
    for where in wheres:
        pair = [value for _, value in asked.taken(measure, where, (lap, other))]
        if len(pair) == 2 and (not one_way or (pair[0] > pair[1]) != closer):
            value, less = (asked.shown(measure, each) for each in pair)
            if value != less:
                against = say("asked against", value=value, other=less)
                found.append((abs(pair[0] - pair[1]), asked.place_name(where), against))
    found.sort(reverse=True)
    values = [say("asked corner value", corner=name, value=against) for _, name, against in found]
    label = asked.label(measure, "", wheres[0])
    if values and not one_way:
        first, last = (say("lap", lap=each.number) for each in (lap, other))
        in_laps = say("asked against", value=f" {first}", other=last)
        return say("asked ranked", label=label, laps=in_laps, values=values[:MOST_RANKED])
    key = f"asked corners {'later' if closer else 'more'}" if values else "asked corners none"
    return say(key, label=label, lap=lap.number, other=other.number, values=values)
