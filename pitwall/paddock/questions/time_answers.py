"""Answers with times of laps and sectors: how quick, what they add up to, how many were quick enough."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from msgspec.structs import replace

from pitwall.ask.measures import MEASURES, Where
from pitwall.paddock.question_reading import MOST_LEAST, QuestionReading, other_end
from pitwall.paddock.questions.figure_answers import MOST_LISTED, figure_told, told_at, two_told
from pitwall.paddock.questions.figure_values import in_lap, which_of
from pitwall.paddock.questions.place_answers import by_place, losses, usual_loss
from pitwall.paddock.questions.subject import Subject
from pitwall.track.lap import Lap

# Less is rounding.
LEAST_GAIN_S = 0.0005


def lap_times(asked: Subject, reading: QuestionReading) -> str:
    """Times of laps, sectors, corners, and the mini sectors of the lap."""
    say, which = asked.words.say, which_of(reading, "time")
    if reading.pieces and not reading.piece:
        # Which of them is best or worst is told by what they lose: none is as long as the others.
        ends = next((each for each in other_end(reading.which) if each in MOST_LEAST), "")
        if ends and len(reading.laps) < 2:
            return losses(asked, replace(reading, which=(ends,)))
        return by_place(asked, reading, "time")
    if reading.of == "sector" and not reading.sectors:
        return (
            by_place(asked, reading, "time")
            if "loss" not in reading.measures and which in ("each", "")
            else sector_losses(asked, reading)
        )
    if reading.sectors and not reading.corners:
        return sector_times(asked, reading)
    if reading.places:
        return figure_told(asked, reading, "time")
    if reading.of == "corner":
        return by_place(asked, reading, "time")
    laps = asked.laps(reading)
    if laps:
        if which in ("mean", "median") or (which in ("spread", "trend") and len(laps) > 1):
            return told_at(asked, reading, "time", MEASURES["time"], Where(), laps)
        timed = [lap for lap in laps if lap.kind == "flying" and lap.time_s is not None]
        if which in ("most", "least") and reading.of == "lap" and len(timed) > 1:
            lap = (min if which == "most" else max)(timed, key=lambda lap: lap.time_s or 0.0)
            laps_of = [each.number for each in timed]
            return say(f"asked {which} of laps", laps=laps_of, lap=lap.number, time=lap.time_s)
        if len(laps) == 2 and all(lap.time_s is not None for lap in laps):
            return two_told(
                asked,
                "time",
                asked.words.term("asked", "time lap"),
                "",
                [(lap, lap.time_s or 0.0) for lap in laps],
            )
        said = [
            say(
                "lap not timed" if lap.time_s is None else "lap timed",
                lap=lap.number,
                time=lap.time_s,
                kind=asked.words.term("lap kind", lap.kind),
            )
            for lap in laps
        ]
        best = asked.figures.best
        if best is not None and best not in laps and best.time_s is not None:
            said.append(say("your best", time=best.time_s, lap=best.number))
        return " ".join(said)
    if not asked.figures.flying:
        return say("no timed lap")
    if which in ("mean", "median", "spread", "trend") or "total" in reading.which:
        return told_at(asked, reading, "time", MEASURES["time"], Where(), [])
    if (
        which in ("most", "least")
        and "rank" not in reading.which
        and (reading.of == "lap" or "time" in reading.measures)
    ):
        ranked = sorted(asked.figures.flying, key=lambda lap: lap.time_s or 0.0)
        lap = ranked[0] if which == "most" else ranked[-1]
        return say("lap timed", lap=lap.number, time=lap.time_s, kind="")
    if "rank" in reading.which:
        slowest_first = "least" in reading.which
        ranked = sorted(asked.figures.flying, key=lambda lap: lap.time_s or 0.0, reverse=slowest_first)
        values = [say("asked lap time", lap=lap.number, time=lap.time_s, kind="") for lap in ranked]
        return say("asked times", values=values, best=ranked[-slowest_first].number)
    timed = [lap for lap in asked.figures.laps.values() if lap.time_s is not None][: MOST_LISTED + 5]
    values = [
        say("asked lap time", lap=lap.number, time=lap.time_s, kind=asked.words.term("lap kind", lap.kind))
        for lap in timed
    ]
    best = asked.figures.best
    return say("asked times", values=values, best=best.number if best else 0)


def sector_times(asked: Subject, reading: QuestionReading) -> str:
    say, which, numbers = asked.words.say, which_of(reading, "time"), asked.sectors(reading.sectors)
    laps = asked.laps(reading)
    if "loss" in reading.measures or (
        len(laps) < 2 and ("delta" in reading.measures or (laps and reading.coaching))
    ):
        return sector_loss(asked, laps or asked.figures.flying, numbers)
    if len(laps) == 1 or (
        not laps and 0 in reading.sectors and which == "" and len(asked.figures.flying) == 1
    ):
        lap = (laps or asked.figures.flying)[0]
        times = [(n, t) for n in numbers for _, t in asked.taken("time", Where("sector", sector=n), [lap])]
        if not times:
            return _sectors_unknown(asked, lap)
        return say(
            "asked sectors of lap",
            lap=lap.number,
            values=[say("asked sector value", sector=n, value=asked.lap_time(t)) for n, t in times],
        )
    said = []
    for number in numbers:
        where = Where("sector", sector=number)
        found = asked.taken("time", where, laps or asked.figures.flying)
        if not found:
            continue
        place, label = asked.place(where), asked.words.term("asked", "time")
        if which in ("spread", "trend", "mean", "median"):
            said.append(told_at(asked, reading, "time", MEASURES["time"], where, laps))
        elif len(laps) == 2:
            said.append(two_told(asked, "time", label, place, found) if len(found) == 2 else "")
        elif which in ("most", "least") or reading.of == "lap":
            for end in [each for each in ("most", "least") if each in reading.which] or ["most"]:
                lap, t = (max if end == "least" else min)(found, key=lambda each: each[1])
                key = "asked worst sector" if end == "least" else "asked best sector"
                said.append(say(key, sector=number, time=asked.lap_time(t), lap=lap.number))
        elif len(found) == 1 or laps or reading.per == "lap" or (len(numbers) == 1 and which == "each"):
            said.append(
                say(
                    "asked list",
                    label=label,
                    place=place,
                    values=[in_lap(asked, "time", lap, t) for lap, t in found[:MOST_LISTED]],
                )
            )
        else:
            lap, t = min(found, key=lambda each: each[1])
            middle = median(value for _, value in found)
            said.append(
                say(
                    "asked sector",
                    sector=number,
                    time=asked.lap_time(t),
                    lap=lap.number,
                    usual=asked.lap_time(middle),
                )
            )
    return " ".join(each for each in said if each)


def sector_loss(asked: Subject, laps: Sequence[Lap], numbers: Sequence[int]) -> str:
    """What laps lost in sectors against the best lap."""
    best = asked.figures.best
    if best is None:
        return asked.words.say("no timed lap")
    if len(laps) > 2 and len(numbers) == 1:
        return usual_loss(asked, Where("sector", sector=numbers[0]))
    if len(laps) > 2:
        return losses(asked, QuestionReading(of="sector", which=("most",)))
    against = laps[1] if len(laps) > 1 else best
    said = []
    for number in numbers:
        where = Where("sector", sector=number)
        if laps[0] is against:  # beside the fastest other one there
            found = asked.taken("time", where, [lap for lap in asked.figures.flying if lap is not against])
            against = min(found, key=lambda each: each[1])[0] if found else against
        own, other = (MEASURES["time"].take(asked.figures, lap, where, "") for lap in (laps[0], against))
        if own is not None and other is not None:
            said.append(
                asked.words.say(
                    "asked sector lost" if own >= other else "asked sector won",
                    sector=number,
                    lap=laps[0].number,
                    by=abs(own - other),
                    time=asked.lap_time(own),
                    other_time=asked.lap_time(other),
                    other=against.number,
                )
            )
    return " ".join(said)


def sector_losses(asked: Subject, reading: QuestionReading) -> str:
    """What named laps lose in each sector, else all of them on average."""
    named = [lap for lap in asked.laps(reading) if lap is not asked.figures.best]
    if named:
        return sector_loss(asked, named[:2], asked.sectors((0,)))
    best, worst = ("least", "most") if "loss" in reading.measures else ("most", "least")
    strongest = best in reading.which and worst not in reading.which
    return losses(asked, replace(reading, laps=(), of="sector", which=("least" if strongest else "most",)))


def ideal(asked: Subject, reading: QuestionReading) -> str:
    say = asked.words.say
    best = asked.figures.best
    if best is None or best.time_s is None:
        return say("no timed lap")
    if len(asked.figures.flying) < 2:
        return f"{say('asked one lap only')} {say('lap timed', lap=best.number, time=best.time_s, kind='')}"
    if reading.pieces:
        return _ideal_of_pieces(asked, best.number, best.time_s)
    pieces = []
    for number in asked.sectors((0,)):
        where = Where("sector", sector=number)
        times = [(t, lap.number) for lap, t in asked.taken("time", where, asked.figures.flying)]
        if not times:
            return say("no pieces", best=best.time_s)
        pieces.append((number, *min(times)))
    total = sum(t for _, t, _ in pieces)
    values = [
        say("asked sector of lap", sector=number, time=asked.lap_time(t), lap=lap)
        for number, t, lap in pieces
    ]
    named = [lap for lap in asked.laps(reading) if lap is not best and lap.time_s is not None]
    if named:
        return " ".join(
            say(
                "asked ideal of lap",
                time=total,
                lap=lap.number,
                own=lap.time_s,
                by=(lap.time_s or 0.0) - total,
            )
            for lap in named
        )
    if best.time_s - total < LEAST_GAIN_S:
        return say("asked ideal driven", best=best.time_s, lap=best.number, values=values)
    return say(
        "asked ideal", time=total, gain=best.time_s - total, best=best.time_s, lap=best.number, values=values
    )


def _ideal_of_pieces(asked: Subject, lap: int, best_s: float) -> str:
    """What the best mini sectors of all flying laps add up to."""
    wheres = asked.places(QuestionReading(pieces=True), "piece")
    times = [[t for _, t in asked.taken("time", where, asked.figures.flying)] for where in wheres]
    if not times or not all(times):
        return asked.words.say("no pieces", best=best_s)
    total_s = sum(map(min, times))
    return asked.words.say(
        "asked ideal pieces", count=len(times), time=total_s, gain=best_s - total_s, best=best_s, lap=lap
    )


def _sectors_unknown(asked: Subject, lap: Lap) -> str:
    label = asked.words.term("asked", "sector")
    return asked.words.say("asked unknown in laps", label=label, place="", laps=[lap.number])


def made_lap(asked: Subject, reading: QuestionReading) -> str:
    """What named sectors of several laps add up to, and where they are all of them, beside the best lap."""
    say, best, pieces = asked.words.say, asked.figures.best, []
    for number, mark in reading.made_of:
        [lap] = asked.laps(QuestionReading(laps=(mark,)))
        found = asked.taken("time", Where("sector", sector=asked.sectors((number,))[0]), [lap])
        if not found:
            return _sectors_unknown(asked, lap)
        pieces.append((number, found[0][1], lap.number))
    total_s = sum(t for _, t, _ in pieces)
    values = [say("asked sector of lap", sector=n, time=asked.lap_time(t), lap=lap) for n, t, lap in pieces]
    said = say("asked made", values=values, time=asked.lap_time(total_s))
    if best is None or best.time_s is None or sorted(n for n, _, _ in pieces) != asked.sectors((0,)):
        return said
    by_s = best.time_s - total_s
    key = "asked made faster" if by_s > 0.0 else "asked made slower"
    return f"{said} {say(key, by=abs(by_s), best=best.time_s, lap=best.number)}"


def lap_count(asked: Subject, reading: QuestionReading) -> str:
    say, flying = asked.words.say, asked.figures.flying
    if reading.laps and reading.laps != ("best",):
        flying = [lap for lap in asked.laps(reading) if lap in flying]
    best = asked.figures.best
    key, meant, values = "", list[int](), dict[str, Any]()
    if reading.limit_s is not None:
        meant = [lap.number for lap in flying if ((lap.time_s or 0.0) > reading.limit_s) == reading.over]
        key, values = "over" if reading.over else "under", {"limit": reading.limit_s}
    elif reading.between_s is not None:
        low_s, high_s = sorted(reading.between_s)
        meant = [lap.number for lap in flying if low_s <= (lap.time_s or 0.0) <= high_s]
        key, values = "between", {"low": low_s, "high": high_s}
    elif reading.within_s is not None and "cluster" in reading.measures:
        ranked = sorted((lap.time_s or 0.0, lap.number) for lap in flying)
        groups: list[list[int]] = [
            [number for time_s, number in ranked if 0.0 <= time_s - first_s <= reading.within_s]
            for first_s, _ in ranked
        ]
        largest: list[int] = max(groups, key=len) if groups else []
        meant = sorted(largest)
        key, values = "together", {"by": reading.within_s}
    elif reading.within_s is not None and best is not None and best.time_s is not None:
        most_s = best.time_s + reading.within_s
        meant = [lap.number for lap in flying if (lap.time_s or 0.0) <= most_s and lap is not best]
        key, values = "within", {"by": reading.within_s, "best": best.time_s, "lap": best.number}
    if meant and "mean" in reading.which:
        return lap_times(asked, replace(reading, laps=tuple(map(str, meant))))
    if key:
        which = say("asked these", laps=meant) if meant else ""
        return say(f"asked laps {key}", count=len(meant), all=len(flying), which=which, **values)
    others = [
        say("asked other lap", lap=lap.number, kind=asked.words.term("lap", lap.kind))
        for lap in asked.figures.laps.values()
        if lap.kind != "flying"
    ]
    return say(
        "asked lap count", count=len(flying), others=say("asked others", others=others) if others else ""
    )
