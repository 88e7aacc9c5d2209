"""Checks by code: can a plan be worked on, does a claim stand, is a criterion met."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pitwall.paddock.adk.staged.evidence import QueryLog, has
from pitwall.paddock.adk.staged.forms import ClaimForm, JudgementForm, StageForm
from pitwall.paddock.adk.staged.state import Claim, Criterion, Stage, StageQuery
from pitwall.paddock.points import is_general

MOST_CRITERIA = 4
# A goal is in every prompt of its stage.
_GOAL_CHARS = 300


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


def checked(forms: Iterable[ClaimForm], ledger: QueryLog) -> tuple[tuple[Claim, ...], list[str]]:
    """(the claims that stand, what is wrong with the others, as sentences for whoever gave them).

    A claim is the results of the queries that it names, as code tells them. A query in SQL can be looked at,
    and is not told: its columns may hold anything.
    """
    kept: dict[tuple[str, ...], Claim] = {}
    faults: list[str] = []
    for number, form in enumerate(forms, 1):
        ids = tuple(dict.fromkeys(one.strip(" []") for one in form.queries if one.strip(" []")))
        found = ledger.known(ids)
        lost = [one for one in ids if one not in {query.id for query in found}]
        told = {query.id: text for query in found if (text := ledger.told(query))}
        if lost or not told:
            what = f"cites {', '.join(lost)}, which does not exist" if lost else "cites no query"
            faults.append(f"claim {number} {what if lost or not ids else 'cites nothing that can be told'}")
            continue
        comment = " ".join(form.comment.split())
        claim = Claim(" ".join(told.values()), tuple(told), comment if is_general(comment) else "")
        kept.setdefault(claim.queries, claim)
    return tuple(kept.values()), faults


def unmet(
    criteria: Sequence[Criterion],
    asked: Collection[StageQuery],
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
