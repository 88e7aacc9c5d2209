"""What the coach said in the car, what the driver made of it, and what he marked himself."""

from __future__ import annotations

from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.subject import Subject

MOST_TOLD = 6


def what_was_said(asked: Subject, reading: QuestionReading) -> str:
    """The callouts of the session, at the corner or in the laps that are named, and how many were heeded."""
    from pitwall.analysis.heeded import SPOKEN, at_pace, explained  # with all concepts of the coach

    say = asked.words.say
    asked.wheres(reading)
    laps = {lap.number for lap in asked.laps(reading)}
    lines = asked.facts.cues(asked.row.id)
    judged = at_pace((lap.number, lap.kind, lap.time_s) for lap in asked.figures.laps.values())
    told = [each for each in explained(lines, asked.facts.corner_passes(asked.row.id), judged) if each.spoken]
    if not any(line.outcome in SPOKEN for line in lines):
        return say("asked nothing said")

    def is_meant(lap: int, corner: str) -> bool:
        return (not laps or lap in laps) and (not reading.corners or corner in reading.corners)

    meant = [each for each in told if is_meant(each.lap, each.corner)]
    place = "".join(say("asked at corner", corner=asked.corner_name(each)) for each in reading.corners[:1])
    if not meant:
        return say(
            "asked nothing said there",
            place=place,
            laps=say("asked in laps", laps=sorted(laps)) if laps else "",
            count=len(told),
        )
    for sign, was_heeded in (("ignored", False), ("followed", True)):
        if sign in reading.left:
            shown = [each for each in meant if each.is_advice and each.followed(asked.words)]
            meant = [each for each in shown if each.heeded == was_heeded]
            if not meant:
                return say(f"asked none {sign}", place=place)
    values = []
    one = {"latest", "foremost"} & {*reading.left}
    for each in meant[-1:] if "latest" in one else meant[: 1 if one else MOST_TOLD]:
        followed = each.followed(asked.words)
        values.append(
            say("asked callout", lap=each.lap, text=each.text, followed=f" ({followed})" if followed else "")
        )
    more = 0 if one else len(meant) - len(values)
    key = next(
        (f"asked {each}" for each in ("latest", "foremost", "ignored", "followed") if each in reading.left),
        "asked callouts",
    )
    said = ""
    if reading.counts:
        spoken = [line for line in lines if line.outcome in SPOKEN and is_meant(line.lap, line.corner)]
        said = f"{say('asked callout count', place=place, count=len(spoken))} "
    said += say(
        key,
        place=place,
        values="; ".join(values),
        more=say("asked more callouts", count=more) if more else "",
    )
    if key != "asked callouts":
        return said
    shown = [each for each in meant if each.is_advice and each.followed(asked.words)]
    heeded = sum(each.heeded for each in shown)
    return f"{said} {say('asked heeded', count=heeded, all=len(shown))}" if shown else said


def what_was_marked(asked: Subject, reading: QuestionReading) -> str:
    """The moments that the driver marked, in the laps that are named: time into the lap, and where."""
    say = asked.words.say
    named = asked.laps(reading)
    passes = asked.facts.corner_passes(asked.row.id)
    values = []
    for line in asked.facts.cues(asked.row.id):
        lap = next(
            (each for each in asked.figures.laps.values() if each.start_t <= line.t < each.end_t), None
        )
        if line.phase != "mark" or lap is None or (named and lap not in named):
            continue
        kind = f" ({asked.words.term('lap', line.text)})" if line.text in ("traffic", "yellow") else ""
        before = [each for each in passes if each.lap == lap.number and each.entry_t <= line.t]
        place = ""
        if before:
            last = max(before, key=lambda each: each.entry_t)
            corner, by_s = asked.short_name(last.corner), line.t - last.exit_t
            place = say("asked mark after" if by_s > 0 else "asked mark in", corner=corner, by=by_s)
        values.append(say("asked mark", lap=lap.number, time=line.t - lap.start_t, kind=kind, place=place))
    if not values:
        laps = say("asked in laps", laps=[lap.number for lap in named]) if named else ""
        return say("asked no mark", laps=laps)
    more = len(values) - MOST_TOLD
    return say(
        "asked marks",
        values=values[:MOST_TOLD],
        more=say("asked more callouts", count=more) if more > 0 else "",
    )
