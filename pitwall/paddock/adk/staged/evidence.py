"""The evidence of an analysis: its queries by id, and whether plans and claims rest on them."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from pitwall.analysis.tool_kit import Toolbox, ToolFunction
from pitwall.paddock.adk.staged.state import (
    AnalysisState,
    Claim,
    ClaimForm,
    Criterion,
    JudgementForm,
    Stage,
    StageForm,
    StageQuery,
)
from pitwall.paddock.context import cut
from pitwall.paddock.model_text import arguments_key, as_result
from pitwall.paddock.roster import result_told
from pitwall.paddock.runs import called
from pitwall.words.language import ENGLISH, Language

# This much of a result is shown again and kept: all of a job's calls stay far below
# `store.jobs.MAX_CHECKPOINT_BYTES`.
_SHOWN_CHARS = 1_500


class QueryLog:
    """The queries of one analysis. `touched`: those of the current stage, known ones too."""

    def __init__(self, state: AnalysisState, words: Language = ENGLISH) -> None:
        self._state, self.words = state, words
        self.touched: dict[str, StageQuery] = {}

    def begin_stage(self, asked: Iterable[str] = ()) -> None:
        """Forget which queries the last stage touched; `asked`: those of this one so far."""
        self.touched = {query.id: query for query in self.known(asked)}

    def known(self, ids: Iterable[str]) -> list[StageQuery]:
        """The queries of those ids that exist."""
        by_id = {query.id: query for query in self._state.queries}
        return [by_id[one] for one in ids if one in by_id]

    def toolbox(self, tools: Toolbox) -> Toolbox:
        """The same tools, async: results are recorded with a `query_id`, and not read twice."""
        return {name: self._recorded(name, function) for name, function in tools.items()}

    def _recorded(self, name: str, function: ToolFunction) -> ToolFunction:
        has_session = "session" in inspect.signature(function).parameters
        whole = self._state.whole

        @functools.wraps(function)
        async def recorded(**arguments: Any) -> dict[str, Any]:
            if has_session and arguments.get("session") in (None, "", "last"):
                arguments["session"] = self._state.session
            known = self._find(name, arguments)
            # What a process before this one asked is read again for the whole of it.
            if known is None or known.id not in whole:
                result = as_result(await called(function, **arguments))
                if "error" in result:
                    return result
                sentence = result_told(name, result, self.words)
                # Of two equal calls at once, the first result is kept.
                known = self._find(name, arguments) or self._new(name, arguments, result, sentence)
                whole.setdefault(known.id, {"told": sentence, **result} if sentence else result)
            self.touched[known.id] = known
            return {"query_id": known.id, **whole[known.id]}

        return recorded

    def _find(self, tool: str, arguments: dict[str, Any]) -> StageQuery | None:
        same = (tool, arguments_key(arguments))
        return next(
            (one for one in self._state.queries if (one.tool, arguments_key(one.arguments)) == same), None
        )

    def _new(self, tool: str, arguments: dict[str, Any], result: dict[str, Any], sentence: str) -> StageQuery:
        queries = self._state.queries
        query = StageQuery(
            id=f"Q{len(queries) + 1}",
            tool=tool,
            arguments=as_result(arguments),
            # Blanks after commas: a list of whole numbers must not read as decimals.
            shown=cut(json.dumps(result), _SHOWN_CHARS),
            told=sentence,
            fields=tuple(dict.fromkeys(_fields(result))),
        )
        queries.append(query)
        return query


def called_as(query: StageQuery) -> str:
    """A query as a driver reads it: the SQL itself, or the tool with its arguments."""
    if set(query.arguments) == {"sql"}:
        return f"{query.tool}: {' '.join(str(query.arguments['sql']).split())}"
    given = ", ".join(f"{name}={json.dumps(value)}" for name, value in query.arguments.items())
    return f"{query.tool}({given})"


def queries_shown(queries: Iterable[StageQuery], limit: int) -> str:
    """Queries with each result's sentence and the result, cut at `limit` characters."""
    return "\n".join(
        f"{one.id} {called_as(one)}: {cut(f'{one.told} {one.shown}'.strip(), limit)}" for one in queries
    )


def has(query: StageQuery, field: str) -> bool:
    """Return whether the result holds something, or something under this key or column."""
    return field in query.fields if field else bool(query.fields)


def _fields(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _fields(one)
    if not isinstance(value, dict):
        return
    yield from (name for name, held in value.items() if held not in (None, "", [], {}))
    columns, rows = value.get("columns"), value.get("rows")
    if isinstance(columns, list) and isinstance(rows, list):
        yield from (str(name) for at, name in enumerate(columns) if any(row[at] is not None for row in rows))
    for one in value.values():
        yield from _fields(one)


MOST_CRITERIA = 4
# A goal is in every prompt of its stage.
_GOAL_CHARS = 300


def accepted(forms: Sequence[StageForm], tools: Collection[str], most: int) -> tuple[list[Stage], list[str]]:
    """(the stages that can be worked on, at most `most`; the faults of the others)."""
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
    """(the claims that stand, in code's words; the faults of the others). SQL is never shown."""
    kept: dict[tuple[str, ...], Claim] = {}
    faults: list[str] = []
    for number, form in enumerate(forms, 1):
        ids = tuple(dict.fromkeys(one.strip(" []") for one in form.queries if one.strip(" []")))
        found = ledger.known(ids)
        lost = [one for one in ids if one not in {query.id for query in found}]
        said = {query.id: query.told for query in found if query.told}
        if lost or not said:
            what = f"cites {', '.join(lost)}, which does not exist" if lost else "cites no query"
            faults.append(f"claim {number} {what if lost or not ids else 'cites nothing that can be told'}")
            continue
        claim = Claim(" ".join(said.values()), tuple(said))
        kept.setdefault(claim.queries, claim)
    return tuple(kept.values()), faults


def unmet(
    criteria: Sequence[Criterion],
    asked: Collection[StageQuery],
    judgements: Sequence[JudgementForm],
    ledger: QueryLog,
) -> tuple[str, ...]:
    """The statements that nothing shows: by the criterion's tool, else by the reviewer's word."""
    judged = {one.criterion: one for one in judgements}

    def met(number: int, criterion: Criterion) -> bool:
        if criterion.tool:
            return any(query.tool == criterion.tool and has(query, criterion.field) for query in asked)
        word = judged.get(number)
        if word is None or not word.met or not word.queries:
            return False
        return len(ledger.known(word.queries)) == len(word.queries)

    return tuple(one.statement for number, one in enumerate(criteria, 1) if not met(number, one))
