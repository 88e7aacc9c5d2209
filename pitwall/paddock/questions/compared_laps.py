"""Answers that set laps and passes beside the others: alike, clean, in a row, ranked, beside the average."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

from msgspec.structs import replace

from pitwall.ask.measures import MEASURES, Where
from pitwall.paddock.question_reading import BY_VALUE, LOWEST_PEAK, QuestionReading
from pitwall.paddock.questions.figure_values import (
    extreme,
    is_high,
    named_measures,
    own_measure,
    shown_difference,
    which_of,
)
from pitwall.paddock.questions.judged_laps import MOST_NAMED, into_recording, lap_when
from pitwall.paddock.questions.subject import Subject
from pitwall.track.lap import Lap


def beside_mean(asked: Subject, reading: QuestionReading) -> str:
    """A figure of the named lap, else of the last and the best one, beside its average."""
    flying, best, said = asked.figures.flying, asked.figures.best, list[str]()
    laps = asked.laps(reading) or [*flying[-1:], *([best] if best and best is not flying[-1] else [])]
    for where in asked.wheres(reading):
        for measure in named_measures(reading) or ["time"]:
            measure = own_measure(measure, where)
            own = MEASURES[measure].of_lap
            values = [value for _, value in asked.taken(measure, where, flying, own)]
            for lap, value in asked.taken(measure, where, laps, own) if len(values) > 1 else ():
                by = value - fmean(values)
                said.append(
                    asked.words.say(
                        "asked mean over" if by > 0.0 else "asked mean under",
                        label=asked.label(measure, own, where),
                        place=asked.place(where),
                        value=asked.shown(measure, value),
                        lap=lap.number,
                        by=shown_difference(asked, measure, abs(by)),
                        mean=asked.shown(measure, fmean(values)),
                        count=len(values),
                    )
                )
    return " ".join(said)


def alike_told(asked: Subject, reading: QuestionReading) -> str:
    """The two flying laps whose corner times differ least, or most; with a named lap the one beside it."""
    say, named, flying = asked.words.say, asked.laps(reading), asked.figures.flying
    others = named[1:] or [lap for lap in flying if lap is not named[0]] if named else []
    pairs = [(named[0], lap) for lap in others] if named else list(combinations(flying, 2))
    found = []
    for pair in pairs:
        apart = [
            (abs(times[0] - times[1]), asked.short_name(corner.id))
            for corner in asked.figures.corners
            if len(times := [t for _, t in asked.taken("time", Where("corner", corner.id), pair)]) == 2
        ]
        if apart:
            found.append((fmean(by for by, _ in apart), max(apart), pair))
    if not found:
        return say("asked no corners known" if pairs else "asked one lap only")
    ends = min if "least" not in reading.which else max
    mean_s, (most_s, corner), (lap, other) = ends(found, key=lambda each: each[0])
    key = "pair" if len(named) > 1 else "most" if ends is min else "least"
    own = {"time": lap.time_s, "other_time": other.time_s}
    said = say(f"asked alike {key}", lap=lap.number, other=other.number)
    return f"{said} {say('asked alike by', by=mean_s, corner=corner, most=most_s, **own)}"


def cleanest(asked: Subject, reading: QuestionReading) -> str:
    """The laps by the most that each lost at one corner; those with an incident come last."""
    say, troubles = asked.words.say, asked.tools.table()["incidents"]()["incidents"]
    found, trouble, named = [], {each["lap"] for each in troubles}, asked.laps(reading)
    of_one = len(named) == 1 and named[0] in asked.figures.flying
    for lap in asked.figures.flying if of_one or not named else named:
        lost = [
            (value, asked.short_name(corner.id))
            for corner in asked.figures.corners
            for _, value in asked.taken("lost", Where("corner", corner.id), [lap])
        ]
        if lost:
            found.append((lap.number in trouble, *max(lost), lap.number))
    if not found or len(asked.figures.flying) < 2:
        return say("asked no corners known" if not found else "asked one lap only")
    ranked = list(enumerate(sorted(found), 1))
    if own := [each for each in ranked if of_one and each[1][-1] == named[0].number]:
        [(rank, (_, by, corner, lap_number))] = own
        kinds = [asked.words.term("incident", each["kind"]) for each in troubles if each["lap"] == lap_number]
        said = say("asked clean one", lap=lap_number, by=by, corner=corner, rank=rank, count=len(found))
        return f"{said} {say('asked clean trouble' if kinds else 'asked clean no trouble', kinds=kinds)}"
    if reading.per == "lap":
        values = [say("asked clean lap", lap=lap, by=by, corner=name) for _, by, name, lap in found]
        return say("asked each worst", values=values)
    messy = "messy" in reading.measures
    values = [
        say("asked clean lap", lap=lap, by=by, corner=corner)
        for _, by, corner, lap in sorted(found, reverse=messy)[:MOST_NAMED]
    ]
    return say("asked messy" if messy else "asked clean", values=values)


def gaps(asked: Subject, reading: QuestionReading) -> str:
    """How far each flying lap was behind the best one."""
    best, say = asked.figures.best, asked.words.say
    if best is None or best.time_s is None or len(asked.figures.flying) < 2:
        return say("asked one lap only")
    values = [
        say("reading in lap", value=shown_difference(asked, "time", lap.time_s - best.time_s), lap=lap.number)
        for lap in asked.figures.flying
        if lap is not best and lap.time_s is not None
    ]
    return say("asked gaps", lap=best.number, time=best.time_s, values=values)


def moment_told(asked: Subject, reading: QuestionReading) -> str:
    """When a figure was at its best or its highest: its lap, and how far into the recording."""
    where = asked.wheres(reading)[0]
    measure = own_measure(next(iter(named_measures(reading)), "time"), where)
    which, row, say = which_of(reading, measure), MEASURES[measure], asked.words.say
    if reading.of in ("corner", "sector", "place") or which not in ("", "most", "least"):
        return ""
    of_lap = where.part == "lap" and measure in BY_VALUE
    own = (which or "most") if of_lap else ""
    laps = list(asked.figures.laps.values()) if of_lap else asked.figures.flying
    found = asked.taken(measure, where, asked.laps(reading) or laps, own)
    if not found or where.part not in row.parts:
        return ""
    lap, value = extreme(measure, row, found, which or "most")
    passed = asked.figures.passed(where.corner, lap.number) if where.part == "corner" else None
    told = {"label": asked.label(measure, own, where), "place": asked.place(where), "lap": lap.number}
    said = say("asked extreme", value=asked.shown(measure, value), among="", **told)
    if passed is None:
        return f"{said} {lap_when(asked, replace(reading, laps=(str(lap.number),)))}"
    minutes, seconds = into_recording(asked, passed.entry_t)
    return f"{said} {say('asked moment', minutes=minutes, seconds=seconds)}"


def improved(asked: Subject, reading: QuestionReading) -> str:
    """The corners or sectors with the most between the first flying lap and the best time there since."""
    found, flying = [], asked.figures.flying
    for where in asked.places(QuestionReading(), "sector" if reading.of == "sector" else "corner"):
        times = [t for _, t in asked.taken("time", where, flying)]
        if len(times) > 1:
            found.append((times[0] - min(times), asked.place_name(where)))
    if not found:
        return asked.words.say("asked one lap only")
    ranked = sorted(found, reverse="least" not in reading.which)[:MOST_NAMED]
    values = [asked.words.say("corner won", corner=name, by=by) for by, name in ranked]
    return asked.words.say("asked improved", lap=flying[0].number, values=values)


def nth_told(asked: Subject, reading: QuestionReading) -> str:
    """The lap, or the pass of a corner or a sector, whose figure has this rank."""
    [where, *_], say, rank = asked.wheres(reading), asked.words.say, reading.nth[0]
    measure = own_measure(next(iter(named_measures(reading)), "time"), where)
    row, last, peaks = MEASURES[measure], "least" in reading.which, reading.which == LOWEST_PEAK
    if where.part not in row.parts:
        return ""
    ends = "least" if last and not peaks else "most"
    own = ends if measure in BY_VALUE and where.part != "corner" else ""
    found = asked.taken(measure, where, asked.laps(reading) or asked.figures.flying, own)
    told = {"label": asked.label(measure, own, where), "place": asked.place(where)}
    if len(found) < rank:
        return say("asked unknown", **told)
    high = is_high(measure, row, "least" if last else "most")
    lap, value = sorted(found, key=lambda each: each[1], reverse=high)[rank - 1]
    key = "asked nth last" if last and own != "least" else "asked nth"
    shown = asked.shown(measure, value)
    return say(key, rank=rank, count=len(found), value=shown, lap=lap.number, **told)


def corners_within(asked: Subject, reading: QuestionReading) -> str:
    """The corners that lose at most so much on average against the best pass there."""
    within_s, found = reading.within_s or 0.0, []
    for corner in asked.figures.corners:
        lost = [value for _, value in asked.taken("lost", Where("corner", corner.id), asked.figures.flying)]
        if len(lost) > 1 and fmean(lost) <= within_s:
            value = asked.shown("lost", fmean(lost))
            found.append(
                asked.words.say("asked corner value", corner=asked.short_name(corner.id), value=value)
            )
    key = "asked corners within" if found else "asked corners not within"
    return asked.words.say(key, by=within_s, count=len(found), values=found)


def consecutive(asked: Subject, reading: QuestionReading) -> str:
    """The flying laps in a row with the lowest average, or those that are closest together."""
    say, flying, count = asked.words.say, asked.figures.flying, reading.ranked
    close, in_row = "steadiest" in reading.measures, "consecutive" in reading.measures
    ordered = flying if in_row else sorted(flying, key=lambda lap: lap.time_s or 0.0)
    runs = [ordered[at : at + count] for at in range(len(ordered) - count + 1)]
    runs = [laps for laps in runs if count and (not in_row or laps[-1].number - laps[0].number == count - 1)]
    if not count:
        return ""  # no number of laps was named
    if not runs or (close and count < 2):
        return say("asked one lap only")
    times = {lap.number: lap.time_s or 0.0 for lap in flying}
    apart = [max(run) - min(run) for laps in runs if (run := [times[lap.number] for lap in laps])]
    sums = [sum(times[lap.number] for lap in laps) for laps in runs]
    order = apart if close else sums
    at = order.index(min(order))
    told = {"laps": sorted(lap.number for lap in runs[at]), "mean": sums[at] / count, "by": apart[at]}
    key = "asked consecutive" if not close else "asked steadiest row" if in_row else "asked steadiest"
    return say(key, count=count, **told)


def bests(asked: Subject, reading: QuestionReading) -> str:
    """The laps that were faster than all flying ones before, and how many came after the last of them."""
    flying, found = asked.figures.flying, list[Lap]()
    for lap in flying:
        if not found or (lap.time_s or 0.0) < (found[-1].time_s or 0.0):
            found.append(lap)
    if len(flying) < 2:
        return asked.words.say("asked one lap only")
    values = [asked.words.say("asked lap time", lap=lap.number, time=lap.time_s, kind="") for lap in found]
    after = len(flying) - 1 - flying.index(found[-1])
    return asked.words.say("asked bests", values=values, lap=found[-1].number, count=after)
