"""Questions with yes or no for an answer: over a limit, recorded, driven without the brakes."""

from __future__ import annotations

from pitwall.paddock.questions.measures import MEASURES, SEVERAL, Where
from pitwall.paddock.questions.reading import QuestionReading
from pitwall.paddock.questions.subject import Subject
from pitwall.paddock.questions.vocabulary import BOUND_UNITS

# What a number without a unit is a limit of, where nothing else is named: a speed below it, revs from it on.
_LEAST_RPM = 1000.0


def over_limit(asked: Subject, reading: QuestionReading) -> str:
    """Whether a figure went over a limit or under it, by how much at the most, and in which laps."""
    if reading.bound is None:
        return ""
    said = [_over(asked, reading, each, reading.bound) for each in _bounded(reading, reading.bound)]
    return " ".join(each for each in said if each)


def _bounded(reading: QuestionReading, bound: float) -> list[str]:
    """The measures that the limit is of."""
    _, fitting = BOUND_UNITS.get(reading.bound_unit, (1.0, ()))
    named = [
        each for measure in reading.measures for each in SEVERAL.get(measure, (measure,)) if each in MEASURES
    ]
    named = [each for each in named if not fitting or each in fitting]
    if named or not reading.bound_unit:
        return named or ["rpm" if bound >= _LEAST_RPM else "speed"]
    return list(fitting[:1]) if fitting[:1] != ("coolant_c",) else list(SEVERAL["temps"])


def _over(asked: Subject, reading: QuestionReading, measure: str, bound: float) -> str:
    row, say = MEASURES[measure], asked.words.say
    if row.signals and not any(asked.figures.recorded(each) for each in row.signals):
        return say("asked not recorded", signal=asked.words.term("asked", measure))
    limit = _in_si(asked, reading.bound_unit, row.unit, bound)
    which = "most" if reading.over else "least"
    said = []
    for where in asked.wheres(reading):
        if where.part not in row.parts:
            return say("asked only at corners", label=asked.words.term("asked", measure))
        # The lowest value counts in laps that were driven through; the highest in any.
        laps = asked.laps(reading) or (asked.figures.laps.values() if reading.over else asked.figures.flying)
        found = [
            (value, lap.number)
            for lap in laps
            if (value := row.take(asked.figures, lap, where, which)) is not None
        ]
        if not found:
            said.append(
                say("asked unknown", label=asked.words.term("asked", measure), place=asked.place(where))
            )
            continue
        value, lap_number = max(found) if reading.over else min(found)
        beyond = [
            lap for each, lap in sorted(found, key=lambda each: each[1]) if (each > limit) == reading.over
        ]
        said.append(
            say(
                ("asked yes over" if reading.over else "asked yes under") if beyond else "asked no limit",
                label=asked.label(measure, which, where),
                place=asked.place(where),
                value=asked.shown(measure, value),
                lap=lap_number,
                limit=asked.shown(measure, limit),
                laps=beyond,
            )
        )
    return " ".join(said)


def _in_si(asked: Subject, unit: str, own: str, value: float) -> float:
    """The limit in the unit of the measure, m/s for speeds; without a unit in the driver's own."""
    if unit:
        factor, _ = BOUND_UNITS[unit]
        return (value - 32.0) / 1.8 if unit == "fahrenheit" else value * factor
    if own == "°C":
        return (value - 32.0) / 1.8 if asked.words.units == "imperial" else value
    return value / asked.words.figures.measure(own).factor if own else value


def is_recorded(asked: Subject, reading: QuestionReading) -> str:
    """Whether the signals of the named figures are in the session, "" where none is named."""
    named = [
        each for measure in reading.measures for each in SEVERAL.get(measure, (measure,)) if each in MEASURES
    ]
    if "brake_bar" in named and not asked.figures.recorded("brake_bar"):
        named = ["brake_time", *(each for each in named if each != "brake_bar")]
    said = []
    for measure in named:
        row, label = MEASURES[measure], asked.words.term("asked", measure)
        have = not row.signals or any(asked.figures.recorded(each) for each in row.signals)
        said.append(asked.words.say("asked is recorded" if have else "asked not recorded", signal=label))
    return " ".join(said)


def unbraked(asked: Subject, reading: QuestionReading) -> str:
    """The corners that were driven without the brakes, in the named laps or in all flying ones."""
    say = asked.words.say
    if asked.figures.braking is None:
        return say("asked not recorded", signal=asked.words.term("asked", "brake_time"))
    laps = asked.laps(reading) or asked.figures.flying
    free = []
    for corner in asked.figures.corners:
        if reading.corners and corner.id not in reading.corners:
            continue
        where = Where("corner", corner=corner.id)
        presses = [MEASURES["brake_count"].take(asked.figures, lap, where, "") for lap in laps]
        if any(each is not None for each in presses) and not any(presses):
            free.append(asked.short_name(corner.id))
    named = say("asked in laps", laps=[lap.number for lap in laps])
    return say("asked unbraked" if free else "asked all braked", corners=free, laps=named)
