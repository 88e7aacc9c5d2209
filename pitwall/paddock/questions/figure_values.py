"""How a figure is chosen from its laps and written: which value is meant, its unit, a difference."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pitwall.ask.measures import MEASURES, SEVERAL, AskedMeasure, Where
from pitwall.paddock.question_reading import BY_VALUE, QuestionReading
from pitwall.paddock.questions.subject import Subject
from pitwall.track.lap import Lap

MOST_RANKED = 3


def named_measures(reading: QuestionReading) -> list[str]:
    return [
        each for measure in reading.measures for each in SEVERAL.get(measure, (measure,)) if each in MEASURES
    ]


def which_of(reading: QuestionReading, measure: str) -> str:
    """The value that is asked for; "" where nothing says so."""
    order = ("median", "mean", "spread", "trend", "each", "most", "least")
    return next((each for each in order if each in reading.which), "")


# Single readings of these may be jolts.
HELD = ("g_lat", "g_brake", "g_accel", "yaw")
# What is counted in seconds and told with its share of the lap.
SHARED = ("full_throttle", "brake_time", "coast", "overlap", "trail")


# Others whose highest value is the largest number, whichever is better.
_BY_NUMBER = frozenset(
    (
        *(
            "gear",
            "shifts",
            "downshifts",
            "brake_count",
            "lifts",
            "throttle_turns",
            "steering_turns",
            "brake_far_m",
        ),
        *("lost", "brake_lost", "mid_lost", "exit_lost", "throttle_m"),
    )
)


def extreme(measure: str, row: AskedMeasure, found: list[tuple[Lap, float]], which: str) -> tuple[Lap, float]:
    """The lap that is asked for."""
    return (max if is_high(measure, row, which) else min)(found, key=lambda each: each[1])


def is_high(measure: str, row: AskedMeasure, which: str) -> bool:
    """Whether the highest value is asked for: of times the lowest, of brake points that next to the apex."""
    if measure in BY_VALUE | _BY_NUMBER:
        return which != "least"
    if measure in SHARED and which:
        return which == "most"
    return row.high if which != "least" else not row.high


def in_lap(asked: Subject, measure: str, lap: Lap, value: float, where: Where | None = None) -> str:
    shown = asked.shown(measure, value) + (part_of(asked, measure, lap, where, value) if where else "")
    return asked.words.say("reading in lap", value=shown, lap=lap.number)


def part_of(asked: Subject, measure: str, lap: Lap, where: Where, value: float) -> str:
    """A share of the lap, or of the part of it, for what is counted in seconds."""
    share = share_of(asked, measure, lap, where, value)
    return "" if share is None else asked.words.say("asked share", share=share)


def share_of(asked: Subject, measure: str, lap: Lap, where: Where, value: float) -> float | None:
    if measure not in SHARED or where.part not in MEASURES["time"].parts:
        return None
    whole = where.part == "lap"  # an out lap has no time
    total_s = lap.end_t - lap.start_t if whole else MEASURES["time"].take(asked.figures, lap, where, "")
    return value / total_s if total_s else None


# Told by what was held, not by a single reading.
HELD = ("g_lat", "g_brake", "g_accel", "yaw")


def held_note(asked: Subject, measure: str, where: Where) -> str:
    if measure in HELD and not where.point:
        return " " + asked.words.say("held for", time=0.3)
    return ""


def missing_note(
    asked: Subject, measure: str, where: Where, laps: Sequence[Lap], found: list[tuple[Lap, float]]
) -> str:
    """The laps of which nothing is known, or in which nothing was braked."""
    have = {lap.number for lap, _ in found}
    lacking = [lap for lap in laps if lap.number not in have]
    unbraked = unbraked_in(asked, measure, where, lacking)
    unknown = [lap.number for lap in lacking if lap.number not in unbraked]
    said = f" {asked.words.say('asked none in', laps=unbraked)}" if unbraked else ""
    return f"{said} {asked.words.say('asked not in', laps=unknown)}" if unknown else said


def unbraked_in(asked: Subject, measure: str, where: Where, laps: Sequence[Lap]) -> list[int]:
    """Those of the laps that came to the apex of the corner without the brakes, where these are asked for."""
    figures, row, found = asked.figures, asked.figures.corner_row(where.corner), []
    is_braked = measure in ("brake_m", "g_brake") and row is not None and figures.braking is not None
    for lap in laps if is_braked else ():
        way, apex_t = figures.approach(lap, where.corner), figures.time_at(lap, row.apex_m if row else 0.0)
        if way is not None and apex_t is not None:
            pressed = figures.presses(replace(way, to_t=apex_t), figures.braking or (lambda frame: None))
            found += [] if pressed else [lap.number]
    return found


def own_measure(measure: str, where: Where) -> str:
    """The speed of a corner is that at its slowest point."""
    return "min_speed" if (measure, where.part, where.point) == ("speed", "corner", "") else measure


def shown_factor(asked: Subject, measure: str) -> float:
    """What a difference of whole units is in those of the measure."""
    row = MEASURES[measure]
    return asked.words.figures.measure(row.unit).factor if row.digits == 0 and row.unit else 1.0


def as_shown(asked: Subject, measure: str, value: float) -> float:
    """The value in the driver's unit, rounded as it is shown."""
    return round(asked.words.figures.value(value, MEASURES[measure].unit))


def shown_difference(asked: Subject, measure: str, value: float) -> str:
    row = MEASURES[measure]
    if row.unit == "°C":
        scale = asked.words.figures.measure("°C").factor
        return f"{asked.words.figures.number(value * scale, '.0f')} {asked.words.figures.unit('°C')}"
    if measure == "time":
        return f"{asked.words.figures.number(value, '.3f')} s"
    return asked.shown(measure, value)


def signed(asked: Subject, measure: str, value: float) -> str:
    digits = max(2, MEASURES[measure].digits) if measure == "time" else max(1, MEASURES[measure].digits)
    factor = asked.words.figures.measure(MEASURES[measure].unit).factor if MEASURES[measure].unit else 1.0
    unit = asked.words.figures.unit(MEASURES[measure].unit) if MEASURES[measure].unit else ""
    return f"{asked.words.figures.number(value * factor, f'+.{digits}f')} {unit}".strip()
