"""Answers that judge: whether a lap time can be reached, a lap was chance, from one speed to another."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, median, stdev

from msgspec.structs import replace

from pitwall.analysis.opportunities import slow_laps
from pitwall.ask.measures import Where
from pitwall.ask.session_figures import HOLE_S
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.figure_values import in_lap, named_measures, shown_difference
from pitwall.paddock.questions.subject import Subject
from pitwall.paddock.questions.vocabulary import BOUND_UNITS

# A car that is slower stands: its fixes wander.
STANDS_MPS = 1.0
# Another lap this near shows that the time was no chance, as a share of it.
AS_QUICK = 0.005
# A lap that is slower than the best by no more is up to speed.
NEAR_BEST = 0.02
# A corner that gives less is rounding.
LEAST_GAIN_S = 0.005
MOST_NAMED = 3


def best_sectors(asked: Subject) -> float | None:
    """What the best flying sectors add up to, None where sectors were not timed."""
    count = max((len(lap.sectors_s) for lap in asked.figures.flying), default=0)
    times = [
        min(
            (t for _, t in asked.taken("time", Where("sector", sector=n), asked.figures.flying)), default=None
        )
        for n in range(1, count + 1)
    ]
    known = [t for t in times if t is not None]
    return sum(known) if known and len(known) == len(times) else None


def target_told(asked: Subject, reading: QuestionReading) -> str:
    """Whether a lap time was driven, is in the best sectors, or how much is lacking."""
    say, best, target_s = asked.words.say, asked.figures.best, reading.target_s or 0.0
    if best is None or best.time_s is None:
        return say("no timed lap")
    if best.time_s <= target_s:
        return say("asked target driven", target=target_s, best=best.time_s, lap=best.number)
    said = say(
        "asked target lacks", target=target_s, by=best.time_s - target_s, best=best.time_s, lap=best.number
    )
    total_s = best_sectors(asked)
    if total_s is None:
        return f"{said} {say('asked target unknown')}"
    key = "asked target in sectors" if total_s <= target_s else "asked target beyond"
    return f"{said} {say(key, total=total_s, by=abs(total_s - target_s))}"


def fluke_told(asked: Subject, reading: QuestionReading) -> str:
    """How far a lap stands from the other flying ones, and in how many sectors others were as quick."""
    say, figures = asked.words.say, asked.figures
    lap = next(iter(asked.laps(reading)), figures.best)
    if lap is None or lap.time_s is None:
        return say("no timed lap")
    others = [each for each in figures.flying if each is not lap]
    if not others:
        return say("asked one lap only")
    time_s = lap.time_s
    near = min(others, key=lambda each: abs((each.time_s or 0.0) - time_s))
    alike = [each.number for each in others if abs((each.time_s or 0.0) - time_s) <= AS_QUICK * time_s]
    values = [each.time_s or 0.0 for each in others]
    said = [
        say(
            "asked not alone" if alike else "asked alone",
            lap=lap.number,
            time=time_s,
            near=near.number,
            by=abs((near.time_s or 0.0) - time_s),
            laps=alike,
        ),
        say(
            "asked the others", count=len(others), mean=fmean(values), sd=stdev(values) if others[1:] else 0.0
        ),
    ]
    as_quick = [
        str(number)
        for number, own_s in enumerate(lap.sectors_s, 1)
        if own_s is not None
        and any(t <= own_s for _, t in asked.taken("time", Where("sector", sector=number), others))
    ]
    if lap.sectors_s:
        said.append(say("asked sectors again" if as_quick else "asked sectors once", sectors=as_quick))
    return " ".join(said)


def lap_when(asked: Subject, reading: QuestionReading) -> str:
    """When in the session a lap was begun, and which of the flying laps it was."""
    flying, said = asked.figures.flying, []
    for lap in asked.laps(reading):
        minutes, seconds = into_recording(asked, lap.start_t)
        said.append(
            asked.words.say(
                "asked lap when" if lap in flying else "asked lap began",
                lap=lap.number,
                time=lap.time_s,
                minutes=minutes,
                seconds=seconds,
                at=flying.index(lap) + 1 if lap in flying else 0,
                count=len(flying),
            )
        )
    return " ".join(said)


def into_recording(asked: Subject, t: float) -> tuple[int, int]:
    """Minutes and seconds from the beginning of the recording to a time."""
    spots = asked.figures.spots()
    return divmod(round(t - spots[0].t if spots else 0.0), 60)


def biggest_step(asked: Subject, reading: QuestionReading) -> str:
    """The largest gain from one flying lap to the next flying one."""
    steps = [
        ((one.time_s or 0.0) - (other.time_s or 0.0), one, other)
        for one, other in pairwise(asked.figures.flying)
    ]
    if not steps:
        return asked.words.say("asked one lap only")
    apart = "spread" in reading.which  # whichever of both was faster
    by, one, other = max(steps, key=lambda each: abs(each[0]) if apart else each[0])
    key = "asked step apart" if apart else "asked step" if by > 0.0 else "asked no step"
    return asked.words.say(
        key, by=abs(by), lap=one.number, time=one.time_s, other=other.number, other_time=other.time_s
    )


def up_to_speed(asked: Subject, reading: QuestionReading) -> str:
    """The first flying lap that is near the best one."""
    best = asked.figures.best
    if best is None or best.time_s is None:
        return asked.words.say("no timed lap")
    limit_s = best.time_s * (1.0 + NEAR_BEST)
    first = next(lap for lap in asked.figures.flying if (lap.time_s or 0.0) <= limit_s)
    minutes, seconds = into_recording(asked, first.start_t)
    return asked.words.say(
        "asked up to speed",
        share=NEAR_BEST,
        lap=first.number,
        time=first.time_s,
        minutes=minutes,
        seconds=seconds,
    )


def corners_between(asked: Subject, reading: QuestionReading) -> str:
    """In which corners the one lap was faster than the other, from entry to exit."""
    laps = asked.laps(reading)
    ahead: dict[bool, list[str]] = {True: [], False: []}
    for corner in asked.corners(reading.among):
        times = [t for _, t in asked.taken("time", Where("corner", corner.id), laps)]
        if len(times) == 2 and times[0] != times[1]:
            ahead[times[0] < times[1]].append(asked.short_name(corner.id))
    if not any(ahead.values()):
        return ""
    said = [
        asked.words.say(
            "asked corners faster",
            lap=one.number,
            other=other.number,
            count=len(ahead[first]),
            all=sum(map(len, ahead.values())),
            corners=ahead[first],
            among=asked.among(reading),
        )
        for one, other, first in ((laps[0], laps[1], True), (laps[1], laps[0], False))
        if ahead[first]
    ]
    return " ".join(said)


def groups_told(asked: Subject, reading: QuestionReading) -> str:
    """Two kinds of corners side by side: a figure, else the lowest speed and what a usual pass loses."""
    laps, said = asked.laps(reading) or asked.figures.flying, []
    for mark in reading.among:
        values = []
        for measure in [each for each in named_measures(reading) if each != "speed"] or ["min_speed", "lost"]:
            wheres = [Where("corner", each.id) for each in asked.corners((mark,))]
            found = [value for where in wheres for _, value in asked.taken(measure, where, laps)]
            if found:
                shown = asked.shown(measure, fmean(found))
                name = asked.label(measure, "", Where("corner")).lower()
                values.append(asked.words.say("asked corner value", corner=name, value=shown))
        if values:
            kind = asked.among(replace(reading, among=(mark,)))
            said.append(asked.words.say("asked group", count=len(wheres), kind=kind, values=values))
    return " ".join(said) or asked.words.say("asked no corners known")


def laps_beside(asked: Subject, reading: QuestionReading) -> str:
    """The laps in which a figure is beyond its average or that of a lap, or the one that is nearest to it."""
    measure = next(iter(named_measures(reading)), "time")
    where, flying, say = next(iter(asked.wheres(reading)), Where()), asked.figures.flying, asked.words.say
    which = next((each for each in ("most", "least") if each in reading.which), "")
    found = asked.taken(measure, where, flying, which)
    label, place = asked.label(measure, which, where), asked.place(where)
    if not found:
        return say("asked unknown", label=label, place=place)
    values = [value for _, value in found]
    if reading.limit_s is None and len(values) < 2:
        return say("asked one lap only")
    if reading.limit_s is not None or reading.beyond in ("mean", "median"):
        limit = reading.limit_s or (fmean if reading.beyond == "mean" else median)(values)
    else:
        [lap] = asked.laps(replace(reading, laps=(reading.beyond,)))
        found, own = [each for each in found if each[0] is not lap], asked.taken(measure, where, [lap], which)
        if not own or not found:
            return say("asked unknown in laps", label=label, place=place, laps=[lap.number])
        limit = own[0][1]
    beside = {"label": label, "place": place, "limit": asked.shown(measure, limit)}
    if reading.nearest:
        lap, value = min(found, key=lambda each: abs(each[1] - limit))
        by = shown_difference(asked, measure, abs(value - limit))
        return say("asked laps nearest", value=in_lap(asked, measure, lap, value), by=by, **beside)
    meant = [
        in_lap(asked, measure, lap, value)
        for lap, value in found
        if (value > limit if reading.over else value < limit)
    ]
    key = ("asked laps beyond" if reading.over else "asked laps below") if meant else "asked laps none"
    return say(key, count=len(meant), all=len(values), values=meant, **beside)


def phases_told(asked: Subject, reading: QuestionReading) -> str:
    """What a corner costs before its slowest part, in it and after it, on average over the flying laps that
    tell of their driver."""
    figures, said, say = asked.figures, list[str](), asked.words.say
    left_out = [figures.best, *slow_laps(figures.flying)]
    laps = asked.laps(reading) or [lap for lap in figures.flying if lap not in left_out]
    for corner in reading.corners:
        lost = {
            name: [value for _, value in asked.taken(f"{name}_lost", Where("corner", corner), laps)]
            for name in ("brake", "mid", "exit")
        }
        if not all(lost.values()):
            return ""
        values = [say(f"asked phase {name}", by=fmean(found)) for name, found in lost.items()]
        title = asked.corner_name(corner)
        said.append(say("asked phases", corner=title, count=max(map(len, lost.values())), values=values))
    return " ".join(said)


def best_corners(asked: Subject, reading: QuestionReading) -> str:
    """What the best lap would gain if each corner in it were the best pass there."""
    best, say = asked.figures.best, asked.words.say
    if best is None or best.time_s is None:
        return say("no timed lap")
    if not asked.figures.corners:
        return say("asked no corners known")
    gains = [
        (gain, asked.short_name(corner.id))
        for corner in asked.figures.corners
        for _, gain in asked.taken("lost", Where("corner", corner.id), [best])
        if gain >= LEAST_GAIN_S
    ]
    gains.sort(reverse=True)
    corners = [say("corner loss short", corner=name, loss=by) for by, name in gains[:MOST_NAMED]]
    total_s = sum(gain for gain, _ in gains)
    return say("asked best corners", by=total_s, lap=best.number, time=best.time_s, corners=corners)


def sprint_told(asked: Subject, reading: QuestionReading) -> str:
    """The quickest way from one speed to another in one go: in between never back at the first one."""
    say, shown = asked.words.say, asked.shown
    low, high = reading.sprint or (0, 0)
    factor = BOUND_UNITS[reading.bound_unit][0] if reading.bound_unit else 0.0
    factor = factor or 1.0 / asked.words.figures.measure("m/s").factor
    begin_mps, end_mps = low * factor, high * factor
    laps = asked.laps(reading) or list(asked.figures.laps.values())
    runs = [
        (t, lap.number)
        for lap in laps
        for t in _between_speeds(
            [(s.t, s.frame.speed_mps) for s in asked.figures.between(lap.start_t, lap.end_t)],
            begin_mps,
            end_mps,
        )
    ]
    names = {"begin": shown("speed", begin_mps), "end": shown("speed", end_mps)}
    if not runs:
        return say("asked no sprint", **names)
    time_s, lap_number = min(runs)
    return say("asked sprint", time=time_s, lap=lap_number, count=len(runs), **names)


def _between_speeds(spots: list[tuple[float, float | None]], begin_mps: float, end_mps: float) -> list[float]:
    """Seconds from each last time at one speed to the first at the other."""
    sign = 1.0 if end_mps > begin_mps else -1.0
    begin, end = sign * max(begin_mps, STANDS_MPS), sign * max(end_mps, STANDS_MPS)
    found: list[float] = []
    left: float | None = None
    for (t, one), (after_t, other) in pairwise(spots):
        if one is None or other is None or after_t - t > HOLE_S:
            left = None
            continue
        one, other = sign * one, sign * other

        def when(speed: float, t: float = t, s: float = one, at: float = after_t, o: float = other) -> float:
            return t + (speed - s) / (o - s) * (at - t)

        if one <= begin < other:
            left = when(begin)
        elif other <= begin:
            left = None
        if left is not None and one < end <= other:
            found.append(when(end) - left)
            left = None
    return found
