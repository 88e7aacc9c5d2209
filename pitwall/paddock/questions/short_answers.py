"""Short answers about a session: the one thing to work on, one sentence for all of it, what it rests on."""

from __future__ import annotations

from msgspec.structs import replace

from pitwall.analysis.opportunities import Opportunity
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.judged_laps import best_corners
from pitwall.paddock.questions.session_facts import FACTS
from pitwall.paddock.questions.subject import Subject
from pitwall.paddock.roster import answer_of


def one_thing(asked: Subject, reading: QuestionReading) -> str:
    """The corner with the most to gain, why, and what to do; of an amount of time the corners that hold
    it."""
    say, found = asked.words.say, asked.tools.report().opportunities
    if not asked.figures.flying:
        return say("no timed lap")
    if not found:
        return " ".join((say("time goes nowhere"), best_corners(asked, QuestionReading())))
    if reading.gain_s is None:
        return f"{asked.corner_name(found[0].corner)}: {_cause(asked, found[0])}"
    taken: list[Opportunity] = []
    for each in found:
        if sum(one.loss_s for one in taken) < reading.gain_s:
            taken.append(each)
    total_s = sum(one.loss_s for one in taken)
    corners = [
        say("corner loss short", corner=asked.short_name(one.corner), loss=one.loss_s) for one in taken
    ]
    key = "asked gain" if total_s >= reading.gain_s else "asked gain short"
    told = say(key, amount=reading.gain_s, total=total_s, corners=corners)
    first = f"{asked.short_name(taken[0].corner)}: {_cause(asked, taken[0])}"
    return " ".join((told, first, best_corners(asked, QuestionReading())))


def went_well(asked: Subject, reading: QuestionReading) -> str:
    """What was good in the session, as the agent for the driver's mind tells it."""
    told = asked.tools.table()["highlights"]()
    return "" if "error" in told else answer_of("MindsetCoachAgent", {"highlights": told}, asked.words)


def _cause(asked: Subject, each: Opportunity) -> str:
    cause = asked.words.term("habit", each.cause)
    said = asked.words.say("corner loss", loss=each.loss_s, laps=each.laps, cause=cause)
    return f"{said} {asked.words.term('advice', each.cause)}"


def in_short(asked: Subject, reading: QuestionReading) -> str:
    """The session in one sentence."""
    flying, best, say = asked.figures.flying, asked.figures.best, asked.words.say
    if best is None or best.time_s is None:
        return say("no timed lap")
    times = [lap.time_s or 0.0 for lap in flying]
    worst = next(iter(asked.tools.report().opportunities), None)
    rest = (
        say("asked short nothing")
        if worst is None
        else say(
            "asked short loss",
            corner=asked.short_name(worst.corner),
            loss=worst.loss_s,
            laps=worst.laps,
            cause=asked.words.term("habit", worst.cause),
        )
    )
    apart_s = max(times) - min(times)
    return say("asked short", count=len(times), best=best.time_s, lap=best.number, apart=apart_s, rest=rest)


def evidence(asked: Subject, reading: QuestionReading, again: str) -> str:
    """ "Are you sure": what an answer rests on, and the answer `again`."""
    rests = asked.words.say("asked rests", count=len(asked.figures.flying))
    rate = FACTS["rate"](asked, replace(reading, measures=("rate",)))
    return " ".join(filter(None, (rests, rate, again)))
