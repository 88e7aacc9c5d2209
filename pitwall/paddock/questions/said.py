"""What the coach said in the car, what the driver made of it, and what he marked himself."""

from __future__ import annotations

from collections import Counter

from pitwall.coach.cue import SPOKEN
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.signs import ABOUT
from pitwall.paddock.questions.subject import Subject

MOST_TOLD = 6


def what_was_said(asked: Subject, reading: QuestionReading) -> str:
    """The callouts of the session, at the corner or in the laps that are named, and how many were heeded."""
    from pitwall.analysis.heeded import at_pace, explained  # with all concepts of the coach

    say = asked.words.say
    asked.wheres(reading)
    laps = {lap.number for lap in asked.laps(reading)}
    lines = asked.facts.cues(asked.row.id)
    paced = at_pace((lap.number, lap.kind, lap.time_s) for lap in asked.figures.laps.values())
    told = [each for each in explained(lines, asked.facts.corner_passes(asked.row.id), paced) if each.spoken]
    if not any(line.outcome in SPOKEN for line in lines):
        return say("asked nothing said")

    about = [begins for name, _, _, begins in ABOUT if name in reading.left]

    def is_meant(lap: int, corner: str, concept: str) -> bool:
        here = (not laps or lap in laps) and (not reading.corners or corner in reading.corners)
        return here and all(concept.startswith(begins) for begins in about)

    meant = [each for each in told if is_meant(each.lap, each.corner, each.concept)]
    place = "".join(say("asked at corner", corner=asked.corner_name(each)) for each in reading.corners[:1])
    in_laps = say("asked in laps", laps=sorted(laps)) if laps else ""
    kind = say("asked of that kind") if about else ""
    if not meant:
        return say(
            "asked nothing said there",
            kind=kind,
            place=place,
            laps=in_laps,
            count=len(told),
        )
    judged = [each for each in meant if each.is_advice and each.followed(asked.words)]
    heeded = ""
    if judged:
        heeded = say("asked heeded", count=sum(each.heeded for each in judged), all=len(judged))
    one_kind = bool({"ignored", "followed"} & {*reading.left})
    in_sum = reading.counts if one_kind else "obeyed" in reading.left
    if in_sum and heeded and not (reading.corners or laps):
        return heeded
    if reading.counts and (about or "advice" in reading.left):
        return say("asked advice count", kind=kind, place=place, laps=in_laps, count=len(meant))
    if reading.counts:
        # Whatever was spoken, a corner that was announced too.
        spoken = [x.lap for x in lines if x.outcome in SPOKEN and is_meant(x.lap, x.corner, x.concept)]
        if reading.per == "lap":
            by_lap = [say("asked callouts in lap", lap=lap, count=n) for lap, n in Counter(spoken).items()]
            return say("asked callouts by lap", place=place, values=by_lap)
        return say("asked callout count", place=place, laps=in_laps, count=len(spoken))
    for sign, was_heeded in (("ignored", False), ("followed", True)):
        if sign in reading.left:
            meant = [each for each in judged if each.heeded == was_heeded]
            if not meant:
                return say(f"asked none {sign}", place=place)
    key = next(
        (f"asked {each}" for each in ("latest", "foremost", "ignored", "followed") if each in reading.left),
        "asked callouts",
    )
    if {"mostly", "by lap"} <= {*reading.left}:
        by_laps = Counter(each.lap for each in meant)
        most = max(by_laps.values())
        return say("asked said most", laps=[lap for lap in by_laps if by_laps[lap] == most], count=most)
    if "mostly" in reading.left and not reading.corners:
        times, last = Counter(each.corner for each in meant), {each.corner: each.text for each in meant}
        often = [(corner, count) for corner, count in times.items() if count == max(times.values())]
        values = [
            say("asked told often", corner=asked.short_name(each), count=count, text=last[each])
            for each, count in often
        ]
        return say(f"{key} most", values=values)
    values = []
    one = {"latest", "foremost"} & {*reading.left}
    for each in meant[-1:] if "latest" in one else meant[: 1 if one else MOST_TOLD]:
        followed = each.followed(asked.words)
        values.append(
            say("asked callout", lap=each.lap, text=each.text, followed=f" ({followed})" if followed else "")
        )
    more = 0 if one else len(meant) - len(values)
    said = say(
        key,
        place=place,
        values="; ".join(values),
        more=say("asked more callouts", count=more) if more else "",
    )
    return f"{said} {heeded}".strip() if key == "asked callouts" else said


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
