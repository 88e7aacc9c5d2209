"""What the coach said in the car, and what the driver made of it."""

from __future__ import annotations

from pitwall.analysis.heeded import SPOKEN, at_pace, explained
from pitwall.paddock.questions.reading import QuestionReading
from pitwall.paddock.questions.subject import Subject

MOST_TOLD = 6


def what_was_said(asked: Subject, reading: QuestionReading) -> str:
    """The callouts of the session, at the corner or in the laps that are named, and how many were heeded."""
    say = asked.words.say
    asked.wheres(reading)
    laps = {lap.number for lap in asked.laps(reading)}
    lines = asked.facts.cues(asked.row.id)
    judged = at_pace((lap.number, lap.kind, lap.time_s) for lap in asked.figures.laps.values())
    told = [each for each in explained(lines, asked.facts.corner_passes(asked.row.id), judged) if each.spoken]
    if not any(line.outcome in SPOKEN for line in lines):
        return say("asked nothing said")
    meant = [
        each
        for each in told
        if (not laps or each.lap in laps) and (not reading.corners or each.corner in reading.corners)
    ]
    place = "".join(say("asked at corner", corner=asked.corner_name(each)) for each in reading.corners[:1])
    if not meant:
        return say(
            "asked nothing said there",
            place=place,
            laps=say("asked in laps", laps=sorted(laps)) if laps else "",
            count=len(told),
        )
    values = []
    for each in meant[:MOST_TOLD]:
        followed = each.followed(asked.words)
        values.append(
            say("asked callout", lap=each.lap, text=each.text, followed=f" ({followed})" if followed else "")
        )
    more = len(meant) - len(values)
    said = say(
        "asked callouts",
        place=place,
        values="; ".join(values),
        more=say("asked more callouts", count=more) if more else "",
    )
    shown = [each for each in meant if each.is_advice and each.followed(asked.words)]
    heeded = sum(each.heeded for each in shown)
    return f"{said} {say('asked heeded', count=heeded, all=len(shown))}" if shown else said
