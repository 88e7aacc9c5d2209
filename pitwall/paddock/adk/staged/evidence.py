"""The evidence of an analysis: its queries by id, and whether plans and claims rest on them."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec

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

# Longer results are cut. Figures beyond this can't be claimed.
_MAX_RESULT_CHARS = 20_000
# The most of all results in a checkpoint. As JSON within JSON, with the claims and the SQL, this
# stays far below the limit of a job (`store.jobs.MAX_CHECKPOINT_BYTES`), however often the job is
# continued.
_CARRIED_CHARS = 200_000
# The most of a result that no claim cites. Later stages are shown this much.
_UNCITED_CHARS = 500


class QueryLog:
    """The queries of one analysis. `touched`: those of the current stage, also where they were known."""

    def __init__(self, state: AnalysisState, words: Language = ENGLISH) -> None:
        self._state, self.words = state, words
        self._by_id = {query.id: query for query in state.queries}
        self.touched: dict[str, StageQuery] = {}

    def begin_stage(self, asked: Iterable[str] = ()) -> None:
        """Forget which queries the last stage touched; `asked`: those of this one so far."""
        self.touched = {query.id: query for query in self.known(asked)}

    def known(self, ids: Iterable[str]) -> list[StageQuery]:
        """The queries of those ids that exist."""
        return [self._by_id[one] for one in ids if one in self._by_id]

    def sentence_of(self, query: StageQuery) -> str:
        """A query's result in words, "" where code has none for it."""
        return result_told(query.tool, query.result, self.words)

    def toolbox(self, tools: Toolbox) -> Toolbox:
        """The same tools, async: results are recorded, get a `query_id`, and are not read twice.

        A refusal is no evidence. Exceptions reach the caller.
        """
        return {name: self._recorded(name, function) for name, function in tools.items()}

    def _recorded(self, name: str, function: ToolFunction) -> ToolFunction:
        has_session = "session" in inspect.signature(function).parameters

        @functools.wraps(function)
        async def recorded(**arguments: Any) -> dict[str, Any]:
            if has_session and arguments.get("session") in (None, "", "last"):
                arguments["session"] = self._state.session
            known = self._find(name, arguments)
            if known is None or known.shortened:
                result = as_result(await called(function, **arguments))
                if "error" in result:
                    return result
                # Put in words before it is cut: a long result still has its sentence.
                sentence = result_told(name, result, self.words)
                known = self._found(name, arguments, {"told": sentence, **result} if sentence else result)
            self.touched[known.id] = known
            return {"query_id": known.id, **known.result}

        return recorded

    def _find(self, tool: str, arguments: dict[str, Any]) -> StageQuery | None:
        same = (tool, arguments_key(arguments))
        return next(
            (one for one in self._state.queries if (one.tool, arguments_key(one.arguments)) == same), None
        )

    def _found(self, tool: str, arguments: dict[str, Any], result: dict[str, Any]) -> StageQuery:
        """The query with this result: a new one, or the shortened one with its id."""
        known = self._find(tool, arguments)
        # Of two equal calls at once, the first result is kept.
        if known is not None and not known.shortened:
            return known
        queries = self._state.queries
        if known is None:
            last = int(queries[-1].id.removeprefix("Q")) if queries else 0
            query = StageQuery(f"Q{last + 1}", tool, as_result(arguments), _cut_to(result, _MAX_RESULT_CHARS))
            queries.append(query)
        else:
            query = StageQuery(known.id, tool, known.arguments, _cut_to(result, _MAX_RESULT_CHARS))
            queries[queries.index(known)] = query
        self._by_id[query.id] = query
        return query


def fit_checkpoint(state: AnalysisState) -> AnalysisState:
    """The state with results that fit into a checkpoint: first those that claims cite, then the
    beginnings of others, the newest first."""
    sizes = {query.id: len(json.dumps(query.result)) for query in state.queries}
    if sum(sizes.values()) <= _CARRIED_CHARS:
        return state
    cited = {one for stage in state.done for claim in stage.claims for one in claim.queries}
    share = _CARRIED_CHARS // max(1, len(cited))
    kept = {query.id: _short(query, share) for query in state.queries if query.id in cited}
    left = _CARRIED_CHARS - sum(min(sizes[one], share) for one in kept)
    for query in reversed(state.queries):
        short = _short(query, _UNCITED_CHARS)
        needed = len(json.dumps([short.arguments, short.result]))
        if query.id not in cited and needed <= left:
            kept[query.id] = short
            left -= needed
    return msgspec.structs.replace(state, queries=[kept[one.id] for one in state.queries if one.id in kept])


def called_as(query: StageQuery) -> str:
    """A query as a driver reads it: the SQL itself, or the tool with its arguments."""
    if set(query.arguments) == {"sql"}:
        return f"{query.tool}: {' '.join(str(query.arguments['sql']).split())}"
    given = ", ".join(f"{name}={json.dumps(value)}" for name, value in query.arguments.items())
    return f"{query.tool}({given})"


def queries_shown(queries: Iterable[StageQuery], limit: int) -> str:
    """Queries with their results for a prompt, each cut at `limit` characters."""
    # Blanks after commas: a list of whole numbers must not read as decimals.
    return "\n".join(f"{one.id} {called_as(one)}: {cut(json.dumps(one.result), limit)}" for one in queries)


def has(query: StageQuery, field: str) -> bool:
    """Return whether the result holds something, or something under a key or column named `field`."""
    return bool(query.result) if not field else _holds(query.result, field)


def _holds(value: Any, field: str) -> bool:
    if isinstance(value, list):
        return any(_holds(one, field) for one in value)
    if not isinstance(value, dict):
        return False
    if value.get(field) not in (None, "", [], {}):
        return True
    columns, rows = value.get("columns"), value.get("rows")
    if isinstance(columns, list) and isinstance(rows, list) and field in columns:
        at = columns.index(field)
        return any(row[at] is not None for row in rows)
    return any(_holds(one, field) for one in value.values())


def _short(query: StageQuery, most: int) -> StageQuery:
    result = _cut_to(query.result, most)
    same = result is query.result
    return query if same else msgspec.structs.replace(query, result=result, shortened=True)


def _cut_to(result: dict[str, Any], most: int) -> dict[str, Any]:
    whole = json.dumps(result)
    kept = {"told": result["told"]} if "told" in result else {}
    return result if len(whole) <= most else {**kept, "result": cut(whole, most)}


MOST_CRITERIA = 4
# A goal is in every prompt of its stage.
_GOAL_CHARS = 300


def accepted(forms: Sequence[StageForm], tools: Collection[str], most: int) -> tuple[list[Stage], list[str]]:
    """(the stages that can be worked on, at most `most`; what is wrong with the others, as
    sentences)."""
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
    """(the claims that stand, what is wrong with the others, as sentences for the agent that gave them).

    A claim is the results of the queries that it names, as code tells them. A query in SQL can be
    looked at, and is not shown: its columns may hold anything.
    """
    kept: dict[tuple[str, ...], Claim] = {}
    faults: list[str] = []
    for number, form in enumerate(forms, 1):
        ids = tuple(dict.fromkeys(one.strip(" []") for one in form.queries if one.strip(" []")))
        found = ledger.known(ids)
        lost = [one for one in ids if one not in {query.id for query in found}]
        said = {query.id: text for query in found if (text := ledger.sentence_of(query))}
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
    """The statements that nothing shows. `asked`: the queries of this stage.

    Where a criterion names a tool, its results decide; else the reviewer's word, if the queries
    that it names exist.
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
