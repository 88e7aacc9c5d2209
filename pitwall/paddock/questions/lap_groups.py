"""Answers that set some laps beside others by their averages: by a figure, and corner by corner."""

from __future__ import annotations

from statistics import fmean, stdev

from msgspec.structs import replace

from pitwall.ask.measures import BEFORE_APEX, MEASURES, Part, Where
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.figure_answers import two_told
from pitwall.paddock.questions.figure_values import (
    as_shown,
    named_measures,
    own_measure,
    shown_difference,
    shown_factor,
)
from pitwall.paddock.questions.subject import Subject
from pitwall.track.lap import Lap

MOST_NAMED, MOST_TOLD = 3, 6
# What of a corner was driven in another way, and how much of it is told, in the unit of the figure.
_DRIVEN = {"brake_m": 3.0, "entry_speed": 0.5, "min_speed": 0.5, "exit_speed": 0.5, "throttle_m": 3.0}
# A corner time that differs by less is the same.
_LEAST_S = 0.005


def groups(asked: Subject, reading: QuestionReading) -> tuple[list[Lap], list[Lap]]:
    """The laps that are meant, and those they are set beside: the ones named second, else the other flying
    ones; "than in lap 6" sets these beside lap 6. Without a name the second half of the drive is meant."""
    marks = reading.laps or ("half:2",)
    at = len(marks) - 1 if marks[-1].startswith("not:") else 1
    own, beside = marks[: max(1, at)], marks[max(1, at) :]
    laps = asked.laps(replace(reading, laps=own))
    others = asked.laps(replace(reading, laps=beside))
    others = others if beside else [lap for lap in asked.figures.flying if lap not in laps]
    than = not beside and reading.compares and len(laps) == 1 and ":" not in marks[0]
    return (others, laps) if than else (laps, others)


def before_and_after(asked: Subject, reading: QuestionReading) -> str:
    """Some flying laps beside others by their average: "did I get faster after lap 4"."""
    laps, others = ([lap for lap in each if lap.kind == "flying"] for each in groups(asked, reading))
    if not laps or not others or laps == others:
        stint = any(each.startswith("stint:") for each in reading.laps)
        return asked.words.say("asked no stop" if stint else "asked one lap only")
    measures = [each for each in named_measures(reading) if each != "time" or reading.places]
    corners_only = any(MEASURES[each].parts == ("corner",) for each in measures) and not reading.corners
    if (reading.of in ("place", "corner", "sector") or corners_only) and not reading.places:
        told = (by_part(asked, reading, each, laps, others) for each in measures or ["time"])
        return " ".join(each for each in told if each)
    if measures := measures or (["time"] if reading.places else []):
        return " ".join(_figure(asked, reading, each, laps, others) for each in measures)
    return _times(asked, laps, others)


def differently(asked: Subject, reading: QuestionReading) -> str:
    """What was driven in another way in some laps: their times, and how each of the corners was driven, the
    named ones or those in which most time lies between them."""
    laps, others = groups(asked, reading)
    if not laps or not others or laps == others:
        return asked.words.say("asked one lap only")
    if not asked.figures.corners:
        return _times(asked, laps, others) or asked.words.say("asked no corners known")
    found = {}
    for corner in reading.corners or [each.id for each in asked.figures.corners]:
        if both := _means(asked, "time", Where("corner", corner), laps, others):
            found[corner] = both[0] - both[1]
    corners = sorted(found, key=lambda each: abs(found[each]), reverse=True)[:MOST_NAMED]
    most = {asked.short_name(each): found[each] for each in corners}
    said = ["" if reading.corners else _times(asked, laps, others), _most_of_it(asked, most, laps, others)]
    said += [
        asked.words.say("asked driven so", corner=asked.short_name(corner), values=ways)
        for corner in corners
        if (ways := _ways(asked, Where("corner", corner), laps, others))
    ]
    return " ".join(each for each in said if each)


def _ways(asked: Subject, where: Where, laps: list[Lap], others: list[Lap]) -> list[str]:
    """How a corner was driven in another way in these laps, what differs most first."""
    found = list[tuple[float, str]]()
    for measure, least in _DRIVEN.items():
        both = _means(asked, measure, where, laps, others)
        apart = abs(both[0] - both[1]) / least if both else 0.0
        if both and apart >= 1.0 and (by := _by(asked, measure, *both)):
            label = asked.words.term("asked", measure)
            found.append((apart, asked.words.say("asked corner value", corner=label, value=by)))
    return [said for _, said in sorted(found, reverse=True)[:MOST_NAMED]]


def by_part(
    asked: Subject, reading: QuestionReading, measure: str, laps: list[Lap], others: list[Lap]
) -> str:
    """The corners or sectors in which a figure of these laps differs most from that of the others; only those
    in which it is more, or less, where this is asked for."""
    kind: Part = "sector" if reading.of == "sector" else "corner"
    measure = own_measure(measure, Where(kind))
    row, say = MEASURES[measure], asked.words.say
    if not asked.is_recorded(measure):
        return say("asked not recorded", signal=asked.words.term("asked", measure))
    wheres = asked.places(reading, kind)
    if not wheres:
        return say("asked no corners known")
    way = next((each for each in ("more", "less") if each in reading.which), "")
    found = [
        (asked.place_name(where), *both)
        for where in (wheres if kind in row.parts else ())
        if (both := _means(asked, measure, where, laps, others))
        and (not way or (both[0] > both[1]) == ((way == "more") != (measure in BEFORE_APEX)))
    ]
    found.sort(key=lambda each: abs(each[1] - each[2]), reverse=True)
    numbers = _numbers(laps, others)
    label = asked.label(measure, "", wheres[0])
    if measure == "time":
        most = {name: one - other for name, one, other in found[:MOST_NAMED]}
        return _most_of_it(asked, most, laps, others) or say("asked part none", label=label, **numbers)
    values = [
        say("asked part value", corner=name, by=by, value=shown[0], other=shown[1])
        for name, *both in found
        if (by := _by(asked, measure, *both)) and (shown := [asked.shown(measure, each) for each in both])
    ]
    key = "asked part figures" if values else "asked part none"
    return say(key, label=label, values=values[:MOST_TOLD], **numbers)


def _times(asked: Subject, laps: list[Lap], others: list[Lap]) -> str:
    """The lap times of both, "" where these laps or the others were not timed."""
    times = [[lap.time_s for lap in each if lap.time_s is not None] for each in (laps, others)]
    if not all(times):
        untimed = [
            lap for each, known in zip((laps, others), times, strict=True) if not known for lap in each
        ]
        kinds = [(lap.number, asked.words.term("lap kind", lap.kind)) for lap in untimed]
        return " ".join(asked.words.say("lap not timed", lap=lap, kind=kind) for lap, kind in kinds)
    if len(laps) == len(others) == 1:
        label = asked.words.term("asked", "time lap")
        return two_told(asked, "time", label, "", [(laps[0], times[0][0]), (others[0], times[1][0])])
    mean, other = map(fmean, times)
    return asked.words.say(
        "asked part faster" if mean < other else "asked part slower",
        mean=mean,
        other=other,
        by=abs(mean - other),
        **_numbers(laps, others),
    )


def _means(
    asked: Subject, measure: str, where: Where, laps: list[Lap], others: list[Lap]
) -> tuple[float, float] | None:
    """What a figure is on average in both, None where it is not known."""
    which = MEASURES[measure].of_lap
    own, beside = (
        [value for _, value in asked.taken(measure, where, each, which)] for each in (laps, others)
    )
    return (fmean(own), fmean(beside)) if own and beside else None


def _most_of_it(asked: Subject, by_s: dict[str, float], laps: list[Lap], others: list[Lap]) -> str:
    """The places by the time that lies between the laps and the others, "" where there is none."""
    values = [
        asked.words.say("corner lost" if by > 0 else "corner won", corner=name, by=abs(by))
        for name, by in by_s.items()
        if abs(by) >= _LEAST_S
    ]
    key = "asked part corners one" if len(laps) == len(others) == 1 else "asked part corners"
    return asked.words.say(key, corners=values, **_numbers(laps, others)) if values else ""


def _numbers(laps: list[Lap], others: list[Lap]) -> dict[str, list[int]]:
    """The numbers of both, as sentences take them."""
    return {"laps": [lap.number for lap in laps], "others": [lap.number for lap in others]}


def _by(asked: Subject, measure: str, value: float, other: float) -> str:
    """ "12 m later", "3 km/h less", "" where both are shown alike."""
    by = value - other
    if not MEASURES[measure].digits:
        by = (as_shown(asked, measure, value) - as_shown(asked, measure, other)) / shown_factor(
            asked, measure
        )
    shown = shown_difference(asked, measure, abs(by))
    if shown == shown_difference(asked, measure, 0.0):
        return ""
    more = (by > 0.0) != (measure in BEFORE_APEX)
    placed = measure in BEFORE_APEX or measure == "throttle_m"
    way = ("later" if more else "earlier") if placed else "more" if more else "less"
    return asked.words.say(f"asked by {way}", by=shown)


def _figure(
    asked: Subject, reading: QuestionReading, measure: str, laps: list[Lap], others: list[Lap]
) -> str:
    """A figure of these laps beside that of the others, in the first place that is named."""
    say, [where, *_] = asked.words.say, asked.wheres(reading)
    measure = own_measure(measure, where)
    row = MEASURES[measure]
    if not asked.is_recorded(measure):
        return say("asked not recorded", signal=asked.words.term("asked", measure))
    label, place = asked.label(measure, row.of_lap, where), asked.place(where)
    both = _means(asked, measure, where, laps, others) if where.part in row.parts else None
    if both is None:
        return say("asked unknown", label=label, place=place)
    return say(
        "asked part figure",
        label=label,
        place=place,
        value=asked.shown(measure, both[0]),
        other=asked.shown(measure, both[1]),
        **_numbers(laps, others),
    )


def steadier(asked: Subject, reading: QuestionReading) -> str:
    """How much a figure varies in the first half of the flying laps and in the second."""
    measure = next(iter(named_measures(reading)), "time")
    where, say = next(iter(asked.wheres(reading)), Where()), asked.words.say
    values = list[tuple[list[int], float]]()
    for half in ("half:1", "half:2"):
        found = asked.taken(measure, where, asked.laps(replace(reading, laps=(half,))))
        if len(found) < 2:
            return say("asked trend unknown")
        values.append(([lap.number for lap, _ in found], stdev(value for _, value in found)))
    (laps, one), (others, other) = values
    return say(
        "asked part spread",
        label=asked.label(measure, "", where),
        place=asked.place(where),
        laps=laps,
        others=others,
        sd=shown_difference(asked, measure, one),
        other=shown_difference(asked, measure, other),
    )
