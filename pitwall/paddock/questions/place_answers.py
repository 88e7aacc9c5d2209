"""A figure of every corner, sector or straight: listed, ranked, how it varies, what time is lost there."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from msgspec.structs import replace

from pitwall.paddock.questions.figure_values import (
    BY_VALUE,
    MOST_RANKED,
    SHARED,
    shown_difference,
    which_of,
)
from pitwall.paddock.questions.measures import MEASURES, Part, Where
from pitwall.paddock.questions.reading import QuestionReading
from pitwall.paddock.questions.subject import Subject
from pitwall.track.lap import Lap

# Less of a share of the lap, or of a loss, is nothing to be told.
LEAST_TOLD_S = 0.05
_NONE_KNOWN = {"corner": "asked no corners known", "way": "asked no corners known"}
_ENDS = ("most", "least", "spread", "rank")


def by_place(asked: Subject, reading: QuestionReading, measure: str) -> str:
    """The figure of every part of the lap of one kind: the named laps' or the median of the flying ones."""
    kind = _kind(reading, measure)
    measure = "min_speed" if measure == "speed" and kind == "corner" else measure
    row, which, say = MEASURES[measure], which_of(reading, measure), asked.words.say
    places = asked.places(reading, kind)
    if not places:
        return say(_NONE_KNOWN.get(kind, "asked no straight"))
    if kind not in row.parts:
        return say("asked unknown", label=asked.words.term("asked", measure), place="")
    laps = asked.laps(reading) or asked.figures.flying
    two = len(laps) == 2 and reading.laps and reading.compares
    if len(laps) == 2 and ({"more", "less"} & {*reading.which} or (two and which in ("most", "least"))):
        return _beside(asked, reading, measure, places, laps)
    if two and which in ("", "each"):
        return " ".join(by_place(asked, replace(reading, laps=(str(lap.number),)), measure) for lap in laps)
    own = next((each for each in ("most", "least", "mean") if each in reading.which), "")
    own = own if kind not in ("corner", "way") else ""
    taken = own if measure in BY_VALUE else "mean" if row.usual == "mean" else ""
    found = []
    for where in places:
        by_lap = [value for _, value in asked.taken(measure, where, laps, taken)]
        if by_lap:
            found.append(
                (_summed(measure, which if which == "spread" or kind != "sector" else taken, by_lap), where)
            )
    if not found:
        return say("asked unknown", label=asked.words.term("asked", measure), place="")
    high = "most" if kind == "straight" and row.usual == "most" else ""
    label = asked.label(measure, (own or high) if measure in BY_VALUE else "", places[0])
    one_lost = measure == "lost" and len(laps) == 1  # told in a sentence of its own
    in_laps = say("asked in laps", laps=[lap.number for lap in laps]) if reading.laps and not one_lost else ""
    in_laps += asked.among(reading, kind)
    ends = _ends(reading, measure, kind)
    if not ends:
        count = "lap" if len(laps) == 1 else "list"
        values = [_value(asked, measure, which, each) for each in found]
        key = "corners" if (kind, count) == ("sector", "lap") else f"{kind}s"
        return say(f"asked {key} {count}", label=label, laps=in_laps, lap=laps[0].number, values=values)
    reverse = "least" not in ends or "spread" in ends  # "least consistent" is what varies most
    found.sort(key=lambda each: each[0], reverse=reverse != (measure == "brake_m" and "spread" not in ends))
    most = len(found) if "rank" in reading.which or kind == "sector" else reading.ranked or MOST_RANKED
    if (kind == "way" or measure == "lost") and "rank" not in reading.which:
        found = [each for each in found if each[0] >= LEAST_TOLD_S or not reverse] or found[:1]
    key = "spread" if which == "spread" else "" if measure != "lost" else "lost" if reverse else "near"
    if key == "lost" and len(laps) == 1 and reading.laps:
        key = "lost lap"
    if kind == "way":
        key = "way" if reverse else "way least"
    values = [_value(asked, measure, which, each) for each in found[:most]]
    how = say(
        {"sector": "asked best sectors", "straight": "asked best straights"}.get(
            kind, "asked best corners there"
        )
    )
    return say(
        f"asked ranked {key}".strip(),
        label=label,
        laps=in_laps,
        how=how,
        count=len(laps),
        lap=laps[0].number,
        values=values,
    )


def losses(asked: Subject, reading: QuestionReading) -> str:
    """What a lap loses on average against the best time there, part by part."""
    if len(asked.figures.flying) < 2:
        return asked.words.say("asked one lap only")
    return by_place(asked, reading, "lost")


def _kind(reading: QuestionReading, measure: str) -> Part:
    if reading.straight == "each":
        return "straight"
    if reading.of == "sector" or 0 in reading.sectors:
        return "sector"
    # What is counted in seconds goes on from one corner to the next.
    return "way" if measure in SHARED and reading.of == "place" else "corner"


def _ends(reading: QuestionReading, measure: str, kind: Part) -> set[str]:
    """By what the places are ranked; nothing: all are listed in their order."""
    each = which_of(reading, measure) == "each" or (kind == "straight" and measure != "lost")
    ends = {*_ENDS} & {*reading.which} if not each or "rank" in reading.which else set()
    ranks = measure == "lost" or kind == "way" or (reading.of == kind == "corner" and _peaks(measure))
    return ends or ({"most"} if ranks else set())


def _peaks(measure: str) -> bool:
    return measure in BY_VALUE and measure not in ("speed", "min_speed")


def _summed(measure: str, which: str, values: Sequence[float]) -> float:
    """What the laps' values come to at one place."""
    if which == "spread":
        return max(values) - min(values)
    if which == "most" and measure in BY_VALUE:
        return max(values)
    return fmean(values) if measure == "lost" else median(values)


def _value(asked: Subject, measure: str, which: str, found: tuple[float, Where]) -> str:
    value, where = found
    shown = shown_difference(asked, measure, value) if which == "spread" else asked.shown(measure, value)
    return asked.words.say("asked corner value", corner=asked.place_name(where), value=shown)


def _beside(
    asked: Subject, reading: QuestionReading, measure: str, places: Sequence[Where], laps: Sequence[Lap]
) -> str:
    """The places where a figure was higher in one of two laps, as it is shown, the largest first; else where
    both differ most."""
    lap, other = laps[::-1] if "less" in reading.which else laps
    one_way = {"more", "less"} & {*reading.which}
    found = []
    for where in places:
        pair = [value for _, value in asked.taken(measure, where, (lap, other))]
        if len(pair) == 2 and (pair[0] > pair[1] or not one_way):
            value, less = (asked.shown(measure, each) for each in pair)
            if value != less:
                against = asked.words.say("asked against", value=value, other=less)
                found.append((abs(pair[0] - pair[1]), asked.place_name(where), against))
    label, say = asked.label(measure, "", places[0]), asked.words.say
    values = [
        say("asked corner value", corner=name, value=against)
        for _, name, against in sorted(found, reverse=True)
    ]
    if values and not one_way:
        in_laps = say(
            "asked against", value=f" {say('lap', lap=lap.number)}", other=say("lap", lap=other.number)
        )
        return say("asked ranked", label=label, laps=in_laps, values=values[:MOST_RANKED])
    key = "asked corners more" if values else "asked corners none"
    return say(key, label=label, lap=lap.number, other=other.number, values=values)
