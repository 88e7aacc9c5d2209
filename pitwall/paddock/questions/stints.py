"""Answers about stops and the stints between them."""

from __future__ import annotations

from statistics import fmean

from pitwall.paddock.question_reading import QuestionReading
from pitwall.ask.session_figures import stints_of, stops_of
from pitwall.paddock.questions.subject import Subject


def stops_told(asked: Subject, reading: QuestionReading) -> str:
    say, stops = asked.words.say, stops_of(asked.figures)
    if not asked.figures.recorded("speed_mps"):
        return say("asked not recorded", signal=asked.words.term("asked", "speed"))
    if not stops:
        return say("asked no stop")
    values = [say("asked stop", lap=each.lap, time=each.to_t - each.from_t) for each in stops]
    return say("asked stops", count=len(stops), values=values)


def stints_told(asked: Subject, reading: QuestionReading) -> str:
    """The flying laps between the stops: their best and their average, stint by stint."""
    say = asked.words.say
    stints = stints_of(asked.figures)
    if len(stints) < 2:
        return say("asked no stop")
    said = []
    for number, laps in enumerate(stints, 1):
        best = min(laps, key=lambda lap: lap.time_s or 0.0)
        said.append(
            say(
                "asked stint",
                stint=number,
                laps=[lap.number for lap in laps],
                best=best.time_s,
                lap=best.number,
                mean=fmean(lap.time_s or 0.0 for lap in laps),
            )
        )
    return " ".join(said)
