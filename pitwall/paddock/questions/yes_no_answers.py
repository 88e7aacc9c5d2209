"""Questions with yes or no for an answer: over a limit, recorded, driven without the brakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import neg
from statistics import median

from msgspec.structs import replace

from pitwall.ask.measures import MEASURES, SEVERAL, Where, stretch_of
from pitwall.ask.session_figures import HELD_S, LapStretch
from pitwall.paddock.question_reading import MOST_LEAST, QuestionReading
from pitwall.paddock.questions.figure_answers import figures_told
from pitwall.paddock.questions.figure_values import held_note, named_measures
from pitwall.paddock.questions.peak_places import HOLDS, near_told
from pitwall.paddock.questions.subject import Subject
from pitwall.paddock.questions.vocabulary import BOUND_UNITS
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Lap

# What a number without a unit is a limit of, where nothing else is named: a speed below it, revs from it on.
_LEAST_RPM = 1000.0
# "Where do I brake over 60 bar" names a figure that the limit is not of.
_PRESSED = ("brake_m", "brake_time", "brake_count", "brake_bar", "g_brake", "full_throttle")
# An engine that is held at its limiter stays so near its highest revs, as a share of them.
NEAR_TOP = 0.01
# So many places are told.
MOST_PLACES = 6


def over_limit(asked: Subject, reading: QuestionReading) -> str:
    """Whether a figure went over a limit or under it, by how much at the most, and in which laps."""
    if reading.bound is None:
        return ""
    _, fitting = BOUND_UNITS.get(reading.bound_unit, (1.0, ()))
    others = {*named_measures(reading)} - {*fitting, "time", "speed", *_PRESSED}
    if fitting and others:
        return ""  # "lowest oil pressure above 5000 rpm": a limit of another figure
    said = [_over(asked, reading, each, reading.bound) for each in _bounded(reading, reading.bound)]
    return " ".join(each for each in said if each)


def _bounded(reading: QuestionReading, bound: float) -> list[str]:
    """The measures that the limit is of."""
    _, fitting = BOUND_UNITS.get(reading.bound_unit, (1.0, ()))
    named = [each for each in named_measures(reading) if not fitting or each in fitting]
    if named or not reading.bound_unit:
        return named or ["rpm" if bound >= _LEAST_RPM else "speed"]
    return list(fitting[:1]) if fitting[:1] != ("coolant_c",) else list(SEVERAL["temps"])


def _over(asked: Subject, reading: QuestionReading, measure: str, bound: float) -> str:
    row, say = MEASURES[measure], asked.words.say
    if not asked.is_recorded(measure):
        return say("asked not recorded", signal=asked.words.term("asked", measure))
    limit = _in_si(asked, reading.bound_unit, row.unit, bound)
    if reading.counted and measure in _HELD:
        counted = [_counted(asked, reading, measure, limit, where) for where in asked.wheres(reading)]
        if all(counted):
            return " ".join(counted)
    which = "most" if reading.over else "least"
    of_corners = reading.of == "corner" or "corners" in reading.left
    by_corner = "corner_count" in reading.measures or (of_corners and not reading.corners)
    if by_corner and (said := _corners_over(asked, reading, measure, limit)):
        return said
    told = []
    for where in asked.wheres(reading):
        if where.part not in row.parts:
            return say("asked only at corners", label=asked.words.term("asked", measure))
        # The lowest value counts in laps that were driven through; the highest in any.
        laps = asked.laps(reading) or (asked.figures.laps.values() if reading.over else asked.figures.flying)
        found = [(value, lap.number) for lap, value in asked.taken(measure, where, laps, which)]
        if not found:
            told.append(
                say("asked unknown", label=asked.words.term("asked", measure), place=asked.place(where))
            )
            continue
        value, lap_number = max(found) if reading.over else min(found)
        beyond = [
            lap for each, lap in sorted(found, key=lambda each: each[1]) if (each > limit) == reading.over
        ]
        told.append(
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
        if reading.of == "place" and where.part == "lap" and measure in _HELD:
            lap = asked.figures.laps[lap_number]
            told.append(
                say("asked places", lap=lap_number, places=_places(asked, reading, measure, limit, lap))
            )
    return " ".join(told)


def _corners_over(asked: Subject, reading: QuestionReading, measure: str, limit: float) -> str:
    """The corners where a figure is beyond the limit in most laps; else that which comes nearest to it."""
    which, found = "most" if reading.over else "least", []
    nearest = list[tuple[float, str]]()
    measure = "min_speed" if measure == "speed" else measure
    for corner in asked.corners(reading.among):
        laps = asked.laps(reading) or asked.figures.flying
        values = [value for _, value in asked.taken(measure, Where("corner", corner.id), laps, which)]
        if values and (median(values) > limit) == reading.over:
            found.append(asked.short_name(corner.id))
        if values:
            nearest.append((max(values) if reading.over else -min(values), corner.id))
    if not found and nearest:
        others = tuple(each for each in reading.measures if each != "corner_count")
        one = replace(reading, corners=(max(nearest)[1],), measures=others)
        return _over(asked, one, measure, reading.bound or 0.0)
    if not found:
        return ""
    return asked.words.say(
        f"asked corners {'over' if reading.over else 'under'}",
        label=asked.words.term("asked", measure),
        limit=asked.shown(measure, limit),
        count=len(found),
        total=len(asked.figures.corners),
        corners=found,
    ) + held_note(asked, measure, Where("corner"))


def _places(asked: Subject, reading: QuestionReading, measure: str, limit: float, lap: Lap) -> str:
    """Where in a lap a figure goes beyond the limit, else where it comes nearest to it."""
    figures, signal, stretch = asked.figures, MEASURES[measure].signals[0], asked.figures.whole(lap)
    starts = [
        begin for begin, _ in figures.presses(stretch, partial(_is_beyond, measure, limit, reading.over))
    ]
    at = [figures.between(begin, begin)[0].at_m for begin in starts[:MOST_PLACES]]
    if not at:
        sign = (-1.0 if measure == "g_brake" else 1.0) * (1.0 if reading.over else -1.0)
        at = [top[1]] if (top := figures.place_of_most(stretch, signal, sign)) else [None]
    return "; ".join(near_told(asked, each) for each in at)


def _is_beyond(measure: str, limit: float, over: bool, frame: Frame) -> bool:
    value = getattr(frame, MEASURES[measure].signals[0])
    return value is not None and (_HELD[measure](value) > limit) == over


# How a figure of a moment is read off a frame: its size, what is against the sign of the signal, or as it is.
_HELD: dict[str, Callable[[float], float]] = {
    **dict.fromkeys(("speed", "rpm", "throttle", "brake_bar", "g_accel", "coolant_c", "oil_temp_c"), float),
    **dict.fromkeys(("oil_bar", "altitude_m"), float),
    **dict.fromkeys(("g_lat", "steering_deg", "yaw"), abs),
    "g_brake": neg,
}


def _counted(asked: Subject, reading: QuestionReading, measure: str, limit: float, where: Where) -> str:
    """How often and how long a figure was beyond a limit: in all laps, under one in the flying laps."""
    say = asked.words.say
    every = asked.laps(reading) or (asked.figures.laps.values() if reading.over else asked.figures.flying)
    runs, met = _runs(asked, every, where, partial(_is_beyond, measure, limit, reading.over))
    if not runs:
        return ""
    way = "over" if reading.over else "under"
    if reading.per == "run":
        begin, end = max(runs, key=lambda each: each[1] - each[0])
        begun = asked.figures.between(begin, begin)[0]
        return say(
            f"asked counted longest {way}",
            label=asked.words.term("asked", measure),
            place=asked.place(where),
            limit=asked.shown(measure, limit),
            time=end - begin,
            lap=next(lap.number for lap in every if lap.start_t <= begin <= lap.end_t),
            begin=near_told(asked, begun.at_m),
        )
    return say(
        f"asked counted {way}",
        label=asked.words.term("asked", measure),
        place=asked.place(where),
        limit=asked.shown(measure, limit),
        count=len(runs),
        time=sum(end - begin for begin, end in runs),
        laps=say("asked in laps", laps=met),
    )


def _runs(
    asked: Subject, laps: Iterable[Lap], where: Where, holds: Callable[[Frame], bool | None]
) -> tuple[list[tuple[float, float]], list[int]]:
    """The pieces of time in which it held in this part of the laps, and the laps that they are in."""
    stretches: list[LapStretch] = []
    for lap in laps:
        stretch = stretch_of(asked.figures, lap, where)
        if stretch is not None and stretches and stretches[-1].to_t >= stretch.from_t:
            stretches[-1] = replace(stretches[-1], to_t=stretch.to_t)  # what goes on over the line is one
        elif stretch is not None:
            stretches.append(stretch)
    runs = [run for stretch in stretches for run in asked.figures.runs(stretch, holds)]
    met = [lap.number for lap in laps if any(begin < lap.end_t and end > lap.start_t for begin, end in runs)]
    return runs, met


def limiter_told(asked: Subject, reading: QuestionReading) -> str:
    """The highest revs, and how often the engine stayed near them: where the limiter sits is not recorded."""
    say, laps = asked.words.say, asked.laps(reading) or list(asked.figures.laps.values())
    where = asked.wheres(reading)[0]
    said = figures_told(asked, replace(reading, measures=("rpm",), which=("most",), of="", per=""))
    found = [top for _, top in asked.taken("rpm", Where(), laps, "most")]
    if not found:
        return said
    near = (1.0 - NEAR_TOP) * max(found)
    runs, _ = _runs(asked, laps, where, lambda frame: frame.rpm is not None and frame.rpm >= near)
    runs = [(begin, end) for begin, end in runs if end - begin >= HELD_S]
    met = [lap.number for lap in laps if any(begin < lap.end_t and end > lap.start_t for begin, end in runs)]
    key = "asked limiter" if runs else "asked limiter never"
    return f"{said} {say(key, count=len(runs), laps=say('asked in laps', laps=met))}"


def times_held(asked: Subject, reading: QuestionReading) -> str:
    """ "How often do I coast": the times a lap, each for HELD_S, of what is told in seconds."""
    said, say, laps = [], asked.words.say, asked.laps(reading)
    in_laps = say("asked in laps", laps=[lap.number for lap in laps]) if laps else ""
    for measure in (each for each in named_measures(reading) if each in HOLDS):
        holds, label = getattr(asked.figures, HOLDS[measure]), asked.words.term("asked", measure)
        if holds is None or not asked.figures.flying:
            return say("asked not recorded", signal=label) if holds is None else say("no timed lap")
        for where in asked.wheres(reading):
            counts = [
                sum(end - begin >= HELD_S for begin, end in _runs(asked, [lap], where, holds)[0])
                for lap in laps or asked.figures.flying
            ]
            told = {"value": round(median(counts)), "low": min(counts), "high": max(counts)}
            place = asked.place(where) + in_laps
            said.append(say("asked held times", label=label, place=place, limit=HELD_S, **told))
    return " ".join(said)


def _is_in(gear: int, frame: Frame) -> bool:
    return frame.gear is not None and round(frame.gear) == gear


def in_gear(asked: Subject, reading: QuestionReading) -> str:
    """How often and how long a gear was engaged, or each of them, or the one that is used most."""
    say = asked.words.say
    if not asked.figures.recorded("gear"):
        return say("asked not recorded", signal=asked.words.term("asked", "gear"))
    every = asked.laps(reading) or list(asked.figures.laps.values())
    where = asked.wheres(replace(reading, gears=()))[0]
    said = []
    for gear in reading.gears or range(1, 10):
        runs, met = _runs(asked, every, where, partial(_is_in, gear))
        if runs:
            time_s, laps = sum(end - begin for begin, end in runs), say("asked in laps", laps=met)
            told = {"place": asked.place(where), "count": len(runs), "time": time_s, "laps": laps}
            used = say("asked gear used", gear=gear, **told)
            said.append((time_s, used))
    if said and MOST_LEAST & {*reading.which}:
        return (max if "most" in reading.which else min)(said)[1]
    return " ".join(used for _, used in said) or say("asked gear unused", gear=(reading.gears or (1,))[0])


def _in_si(asked: Subject, unit: str, own: str, value: float) -> float:
    """The limit in the unit of the measure, m/s for speeds; without a unit in the driver's own."""
    if unit:
        factor, _ = BOUND_UNITS[unit]
        return (value - 32.0) / 1.8 if unit == "fahrenheit" else value * factor
    if own == "°C":
        return (value - 32.0) / 1.8 if asked.words.units == "imperial" else value
    return value / asked.words.figures.measure(own).factor if own else value


def at_speed_told(asked: Subject, reading: QuestionReading) -> str:
    """A figure wherever the car gained a speed: "what gear at 150"."""
    say, speed = asked.words.say, _in_si(asked, reading.bound_unit, "m/s", reading.at_speed or 0.0)
    laps = asked.laps(reading) or asked.figures.flying
    times = [t for lap in laps for t in asked.figures.gained(asked.figures.whole(lap), speed)]
    limit, said = asked.shown("speed", speed), []
    if not times:
        top = max((v for _, v in asked.taken("speed", Where(), laps, "most")), default=0.0)
        return say(
            "asked at speed never",
            limit=limit,
            laps=[lap.number for lap in laps],
            top=asked.shown("speed", top),
        )
    limit += say("asked in laps", laps=[lap.number for lap in laps]) if reading.laps else ""
    for measure in [each for each in named_measures(reading) if each in ("gear", "rpm", "throttle")]:
        label, signal = asked.words.term("asked", measure), MEASURES[measure].signals[0]
        if not asked.figures.recorded(signal):
            said.append(say("asked not recorded", signal=label))
            continue
        gears = measure == "gear"
        values = [
            v
            for t in times
            if (v := asked.figures.gear_at(t) if gears else asked.figures.value_at(t, signal)) is not None
        ]
        if gears:
            shares = [
                say("asked at speed gear", gear=round(gear), count=values.count(gear))
                for gear in sorted({*values}, key=values.count, reverse=True)
            ]
            said.append(say("asked at speed", label=label, limit=limit, values=shares))
        elif values:
            low, middle, high = (asked.shown(measure, each(values)) for each in (min, median, max))
            told = {"value": middle, "low": low, "high": high, "count": len(values)}
            said.append(say("asked at speed usual", label=label, limit=limit, **told))
    return " ".join(said)


def is_recorded(asked: Subject, reading: QuestionReading) -> str:
    """Whether the signals of the named figures are in the session, "" where none is named."""
    named = named_measures(reading)
    if "brake_bar" in named and not asked.figures.recorded("brake_bar"):
        named = ["brake_time", *(each for each in named if each != "brake_bar")]
    said = []
    for measure in named:
        key = "asked is recorded" if asked.is_recorded(measure) else "asked not recorded"
        said.append(asked.words.say(key, signal=asked.words.term("asked", measure)))
    return " ".join(said)


def unbraked(asked: Subject, reading: QuestionReading) -> str:
    """With or without the brakes: the corners, or the laps of a named one; else of all flying laps."""
    say = asked.words.say
    if asked.figures.braking is None:
        return say("asked not recorded", signal=asked.words.term("asked", "brake_time"))
    if reading.places and not reading.corners:
        return figures_told(asked, replace(reading, measures=("brake_count",)))
    laps = asked.laps(reading) or asked.figures.flying
    free: list[str] = []
    used: list[str] = []
    told = []
    for corner in asked.figures.corners:
        if reading.corners and corner.id not in reading.corners:
            continue
        name, where = [asked.short_name(corner.id)], Where("corner", corner=corner.id)
        presses = [(lap, MEASURES["brake_count"].take(asked.figures, lap, where, "")) for lap in laps]
        on = [lap.number for lap, count in presses if count]
        off = [lap.number for lap, count in presses if count == 0.0]
        (used if on else free if off else []).extend(name)
        if on:
            told.append(say("asked braked", corners=name, laps=say("asked in laps", laps=on)))
        if off:
            told.append(say("asked unbraked", corners=name, laps=say("asked in laps", laps=off)))
    if reading.corners:
        return " ".join(told)
    named = say("asked in laps", laps=[lap.number for lap in laps])
    if "braked" in reading.measures and used:
        return say("asked braked", corners=used, laps=named)
    return say("asked unbraked" if free else "asked all braked", corners=free, laps=named)
