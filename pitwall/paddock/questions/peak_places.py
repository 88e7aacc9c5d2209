"""Where on the lap a figure was highest, lowest or lasted longest, and how a place is told."""

from __future__ import annotations

from statistics import median

from pitwall.ask.measures import Where
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.figure_values import HELD, held_note, which_of
from pitwall.paddock.questions.subject import Subject
from pitwall.track.lap import Lap

PLACED = {
    "speed": ("speed_mps", 1.0),
    "rpm": ("rpm", 1.0),
    "brake_bar": ("brake_bar", 1.0),
    "g_brake": ("g_long", -1.0),
    "g_accel": ("g_long", 1.0),
    "min_speed": ("speed_mps", -1.0),
    "altitude_m": ("altitude_m", 1.0),
    "g_lat": ("g_lat", 0.0),
    "steering_deg": ("steering_deg", 0.0),
    "yaw": ("yaw_rate_dps", 0.0),
}
# What holds while these are counted.
HOLDS = {"full_throttle": "full_throttle", "brake_time": "braking", "coast": "coasting"}
HOLDS |= {"overlap": "overlapping", "trail": "trailing"}


def place_of_longest(asked: Subject, reading: QuestionReading, measure: str) -> str:
    """Where what is counted in seconds went on longest without a break."""
    holds, laps = getattr(asked.figures, HOLDS[measure]), asked.laps(reading) or asked.figures.flying
    runs = [
        (end - begin, begin, lap)
        for lap in (laps if holds is not None else ())
        for begin, end in asked.figures.runs(asked.figures.whole(lap), holds)
    ]
    label = asked.label(measure, "most", Where())
    if not runs:
        return asked.words.say("asked unknown", label=label, place="")
    time_s, begin, lap = max(runs, key=lambda each: each[0])
    near = near_told(asked, asked.figures.between(begin, begin)[0].at_m)
    return asked.words.say(
        "asked where", label=label, value=asked.shown(measure, time_s), lap=lap.number, place=near
    )


def place_of(asked: Subject, reading: QuestionReading, measure: str) -> str:
    """Where on the lap a signal was highest or lowest."""
    found = peak_of(asked, reading, measure)
    if found is None:
        return asked.words.say("asked unknown", label=asked.words.term("asked", measure), place="")
    value, at_m, lap, own = found
    return asked.words.say(
        "asked where",
        label=asked.label(measure, own, Where()),
        value=asked.shown(measure, value),
        lap=lap.number,
        place=near_told(asked, at_m),
    ) + held_note(asked, measure, Where())


def upshift_place(asked: Subject, reading: QuestionReading) -> str:
    """Where the upshift with the lowest engine speed was, or that with the highest; and what is usual."""
    label, late = asked.words.term("asked", "shift_rpm"), "most" in reading.which
    gears = reading.gears if len(reading.gears) == 2 else ()  # from which one to which
    found = [
        (top, t, lap)
        for lap in asked.laps(reading) or asked.figures.flying
        for top, _, t in asked.figures.shift_revs(asked.figures.whole(lap), *gears)
    ]
    if not found:
        return asked.words.say("asked unknown", label=label, place="")
    value, t, lap = (max if late else min)(found, key=lambda each: each[0])
    near, usual = asked.figures.between(t, t + 1.0)[0].at_m, median(each[0] for each in found)
    shown, place = asked.shown("shift_rpm", value), near_told(asked, near)
    said = asked.words.say("asked where", label=label, value=shown, lap=lap.number, place=place)
    count, shown = len(found), asked.shown("shift_rpm", usual)
    return f"{said} {asked.words.say('asked usual of', value=shown, count=count)}"


def peak_of(
    asked: Subject, reading: QuestionReading, measure: str
) -> tuple[float, float | None, Lap, str] | None:
    """A signal's highest or lowest value, its track distance, its lap, and which of both it is."""
    signal, sign = PLACED[measure]
    which = which_of(reading, measure)
    if which == "least":
        sign = -1.0
    signs = (sign,) if sign else (1.0, -1.0)  # of what has two sides the larger one
    laps = asked.laps(reading) or (
        asked.figures.flying if sign < 0 and measure != "g_brake" else list(asked.figures.laps.values())
    )
    held = measure in HELD and which != "least"
    found = [
        (each * top[0], top[1], lap)
        for lap in laps
        for each in signs
        if (top := asked.figures.place_of_most(asked.figures.whole(lap), signal, each, held)) is not None
    ]
    if not found:
        return None
    value, at_m, lap = max(found, key=lambda each: each[0])
    value = abs(value) if measure == "g_brake" or not sign else sign * value
    return value, at_m, lap, "least" if sign < 0 and measure == "speed" else "most"


def near_told(asked: Subject, at_m: float | None) -> str:
    """Where a track distance is, in corners: "between Turn 6 and Turn 7, 2,010 m after the start line"."""
    if at_m is None or not asked.figures.corners or asked.track is None:
        return asked.words.say("unknown place")
    length_m = asked.track.length_m
    for corner in asked.figures.corners:
        if (at_m - corner.entry_m) % length_m <= (corner.exit_m - corner.entry_m) % length_m:
            return asked.words.say("asked in corner", corner=asked.corner_name(corner.id), place=at_m)
    before = min(asked.figures.corners, key=lambda each: (at_m - each.exit_m) % length_m)
    after = min(asked.figures.corners, key=lambda each: (each.entry_m - at_m) % length_m)
    return asked.words.say(
        "asked between", first=asked.corner_name(before.id), last=asked.corner_name(after.id), place=at_m
    )
