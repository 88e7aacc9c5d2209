"""Checks by code: can a plan be worked on, does a claim stand, is a criterion met."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pitwall.analysis.claims import Judge
from pitwall.paddock.adk.staged.evidence import QueryLog, has
from pitwall.paddock.adk.staged.forms import ClaimForm, JudgementForm, StageForm
from pitwall.paddock.adk.staged.state import Claim, Criterion, Query, Stage

MOST_CRITERIA = 4
# A goal is in every prompt of its stage.
_GOAL_CHARS = 300
_CITED = re.compile(r"[\[(]?\b(Q\d+)\b(?:\s*(?:,|and)\s*Q\d+\b)*[\])]?")
_ID = re.compile(r"\bQ\d+\b")


def accepted(forms: Sequence[StageForm], tools: Collection[str], most: int) -> tuple[list[Stage], list[str]]:
    """(the stages that can be worked on, at most `most`; what is wrong with the others, as sentences)."""
    stages: list[Stage] = []
    problems: list[str] = []
    for number, form in enumerate(forms, 1):
        goal = " ".join(form.goal.split())[:_GOAL_CHARS]
        known = tuple(dict.fromkeys(name for name in form.tools if name in tools))
        problems += [f"stage {number}: there is no tool {name!r}" for name in form.tools if name not in tools]
        if not goal or not known:
            problems.append(f"stage {number} has no {'tool that exists' if goal else 'goal'}")
            continue
        criteria = tuple(
            Criterion(one.statement.strip(), one.tool, one.field)
            for one in form.criteria
            if one.statement.strip() and (not one.tool or one.tool in known)
        )
        if not criteria:
            problems.append(f"stage {number} has no criterion that its own tools can show")
        stages.append(Stage(goal, known, criteria[:MOST_CRITERIA]))
    if len(stages) > most:
        problems.append(f"there are {len(stages)} stages, at most {most} are allowed")
    if not stages:
        problems.append("there is no stage that can be worked on")
    return stages[:most], problems


def checked(
    forms: Iterable[ClaimForm], ledger: QueryLog, question: str
) -> tuple[tuple[Claim, ...], list[str]]:
    """(the claims that stand, what is wrong with the others, as sentences for whoever wrote them).

    A claim stands if it cites at least one query, every query it cites exists, and each of its figures is
    in what it cites (arguments and result) or in the question. A sentence with another figure goes alone.
    """
    kept: list[Claim] = []
    faults: list[str] = []
    for number, form in enumerate(forms, 1):
        ids = cited(form)
        text = " ".join(re.sub(r"\s+([.,;:!?])", r"\1", _CITED.sub("", form.text)).split())
        found = ledger.known(ids)
        lost = [one for one in ids if one not in {query.id for query in found}]
        if not ids or lost:
            faults.append(
                f"claim {number} cites {', '.join(lost)}, which does not exist"
                if lost
                else f"claim {number} cites no query"
            )
            continue
        known: list[Any] = [question, [(query.arguments, query.result) for query in found]]
        text, gone = Judge({}).without_false(text, known)
        if gone:
            wrong = [figure for _sentence, figures in gone for figure in figures]
            faults.append(f"claim {number}: {', '.join(wrong)} is not in {', '.join(ids)}")
        if text:
            kept.append(Claim(text, ids))
    return tuple(kept), faults


def cited(form: ClaimForm) -> tuple[str, ...]:
    """The ids a claim names, in its list or in its text, each once."""
    named = [one.strip().strip("[]") for one in form.queries]
    return tuple(dict.fromkeys([*(one for one in named if one), *_ID.findall(form.text)]))


def unmet(
    criteria: Sequence[Criterion],
    asked: Collection[Query],
    judgements: Sequence[JudgementForm],
    ledger: QueryLog,
) -> tuple[str, ...]:
    """The statements that nothing shows. `asked`: the queries of this stage.

    Where a criterion names a tool, its results decide; else the reviewer's word, if the queries that it
    names exist.
    """
    judged = {one.criterion: one for one in judgements}

    def met(number: int, criterion: Criterion) -> bool:
        if criterion.tool:
            return any(query.tool == criterion.tool and has(query, criterion.field) for query in asked)
        word = judged.get(number)
        if word is None or not word.met or not word.queries:
            return False
        return len(ledger.known(word.queries)) == len(word.queries)

    return tuple(one.statement for number, one in enumerate(criteria, 1) if not met(number, one))
