"""What a checkpoint carries of the evidence, however much was asked: it must fit what a job keeps."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pitwall.paddock.adk.staged.evidence import QueryLog, fit_checkpoint
from pitwall.paddock.adk.staged.state import AnalysisState, Claim, StageDone
from pitwall.paddock.controller.running_job import Checkpoint, encoded
from pitwall.store.jobs import MAX_CHECKPOINT_BYTES

SQL = "SELECT t, speed FROM frames WHERE session = 'last' AND lap = {} ORDER BY t -- " + "x" * 300
RUNS, QUERIES = 12, 40


def table(sql: str) -> dict[str, Any]:
    """A table of nearly twenty thousand characters, whose first row names the query."""
    return {"columns": ["t", "speed"], "rows": [[sql[55:75], 0.5], *([[123.456, 61.789]] * 1_000)]}


async def asked(state: AnalysisState, run: int) -> AnalysisState:
    """One run of a job: forty large queries, two of them cited; then what its checkpoint gives back."""
    tools = QueryLog(state).toolbox({"query_pitwall_db": table})
    found = [await tools["query_pitwall_db"](sql=SQL.format(run * 100 + at)) for at in range(QUERIES)]
    cited = (found[3]["query_id"], found[7]["query_id"])
    state.done.append(StageDone(f"stage {run}", (Claim("The speed was 61.789.", cited),)))
    return msgspec.json.decode(msgspec.json.encode(fit_checkpoint(state)), type=AnalysisState)


@pytest.mark.long
async def test_a_long_analysis_fits_what_a_job_keeps() -> None:
    """Twelve runs of forty queries of twenty thousand characters: 480, all that a job may ask."""
    state = AnalysisState(question="why am I slow", session="s1")
    for run in range(RUNS):
        state = await asked(state, run)
        whole = Checkpoint(phase="execute", notes=msgspec.json.encode(state).decode())
        assert len(encoded(whole).encode()) < MAX_CHECKPOINT_BYTES / 2
    ids = [int(query.id[1:]) for query in state.queries]
    assert ids == sorted(set(ids)), "no id is given twice"
    cited = {one for stage in state.done for one in stage.claims[0].queries}
    assert cited <= {query.id for query in state.queries}
    assert all(query.arguments["sql"].startswith("SELECT t, speed") for query in state.queries)


async def test_what_was_shortened_is_whole_again_when_it_is_asked_for() -> None:
    state = await asked(AnalysisState(question="why am I slow", session="s1"), 0)
    whole = {query.id for query in state.queries if not query.shortened}
    assert whole == {"Q4", "Q8"}, "what is cited comes first"
    first = next(query for query in state.queries if query.shortened)
    assert len(msgspec.json.encode(first.result)) < 700
    tools = QueryLog(state).toolbox({"query_pitwall_db": table})
    again = await tools["query_pitwall_db"](**first.arguments)
    assert again["query_id"] == first.id
    assert len(again["rows"]) == 1_001
    assert "error" not in await tools["query_pitwall_db"](**first.arguments), "known now"
    assert [query.id for query in state.queries].count(first.id) == 1


async def test_little_evidence_is_carried_as_it_is() -> None:
    state = AnalysisState(question="why am I slow", session="s1")
    tools = QueryLog(state).toolbox({"query_pitwall_db": table})
    for at in range(9):
        await tools["query_pitwall_db"](sql=SQL.format(at))
    assert fit_checkpoint(state) is state
