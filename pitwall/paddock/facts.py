"""A session as small facts, for a model to choose from: a statement each, with kind and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from pitwall.analysis.compose import (
    heard_in_the_car,
    left_out_sentences,
    nothing_named,
    potential_sentences,
    praise_sentences,
    thing_sentence,
)
from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.report import BriefFacts, Report
from pitwall.words.language import Language

FactKind = Literal["best", "gain", "trend", "condition", "incident", "lap", "loss", "plan", "lesson", "told"]
# The name under which a pipeline's agents have them.
SESSION_FACTS = "session_facts"
# More corners are never worked on in a run.
_MOST_LOSSES = 12


class SmallFact(msgspec.Struct, frozen=True, kw_only=True):
    """`weight`: seconds a lap, if any. `certain`: said whatever a model chooses."""

    text: str
    kind: FactKind
    weight: float = 0.0
    evidence: str = ""
    certain: bool = False


def session_facts(report: Report, brief: BriefFacts, conditions: str, words: Language) -> list[SmallFact]:
    """All that can be said of a session and the next run. `conditions`: weather and grip."""
    return [
        each
        for found in (_pace(report, words), _trouble(report, words), _losses(report, words))
        for each in found
    ] + [*_next(brief, conditions, words)]


def _pace(report: Report, words: Language) -> Iterator[SmallFact]:
    potential, fade = report.potential, report.fade
    best = words.say("best lap", where="", time=potential.best_lap_s or 0.0, lap=potential.best_lap)
    yield SmallFact(text=best[:1].upper() + best[1:], kind="best", evidence=f"lap {potential.best_lap}")
    if (usual_s := potential.usual_s) is not None:
        yield SmallFact(text=words.say("usual lap", time=usual_s, count=len(potential.laps)), kind="best")
    for text in potential_sentences(potential, words):
        yield SmallFact(text=text, kind="best", weight=potential.gain_s or 0.0)
    if fade is not None:
        text = words.say("fade", first=fade.laps[0], last=fade.laps[-1], start=fade.from_s, end=fade.to_s)
        yield SmallFact(text=text, kind="trend", weight=fade.to_s - fade.from_s)
    for text in praise_sentences(report.highlights, report.places, words):
        yield SmallFact(text=text, kind="gain")
    if text := heard_in_the_car(report, words):
        yield SmallFact(text=text, kind="told")


def _trouble(report: Report, words: Language) -> Iterator[SmallFact]:
    for text in left_out_sentences(report.laps, words):
        yield SmallFact(text=text, kind="lap", certain=True)
    for each in report.incidents:
        named = words.say(
            "trouble at" if each.corner else "trouble",
            incident=words.term("incident", each.kind),
            lap=each.lap,
            corner=corner_name(each.corner, report.places),
        )
        text = words.say("incidents", incidents=[named], more="")
        yield SmallFact(text=text, kind="incident", evidence=f"lap {each.lap} {each.corner}", certain=True)


def _losses(report: Report, words: Language) -> Iterator[SmallFact]:
    for each in report.opportunities[:_MOST_LOSSES]:
        yield SmallFact(
            text=thing_sentence(each, report, words),
            kind="loss",
            weight=round(each.loss_s, 2),
            evidence=f"{each.corner}, {len(each.laps)} laps",
        )
    if not report.opportunities:
        yield SmallFact(text=nothing_named(report, words), kind="loss")


def _next(brief: BriefFacts, conditions: str, words: Language) -> Iterator[SmallFact]:
    if (personal_s := brief.progress.personal_best_s) is not None:
        yield SmallFact(text=words.say("personal best here", time=personal_s), kind="trend")
    if (target_s := brief.goals.next_target_s) is not None:
        yield SmallFact(text=words.say("target", time=target_s), kind="plan")
    blocks = [
        words.say(f"plan {each.purpose}", laps=each.laps, corner=corner_name(each.corner, brief.places))
        for each in brief.plan.blocks
    ]
    if blocks:
        yield SmallFact(text=words.say("plan", blocks=blocks), kind="plan")
    if conditions:
        yield SmallFact(text=conditions, kind="condition")
    for lesson in brief.lessons:
        yield SmallFact(text=lesson.text, kind="lesson")
