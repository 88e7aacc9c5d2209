"""What a checkpoint carries of the evidence, however much was asked: it must fit what a job keeps."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwall.contract.jobs import Budget
from pitwall.paddock.adk.staged.analysis import Notes
from pitwall.paddock.adk.staged.evidence import QueryLog
from pitwall.paddock.adk.staged.state import AnalysisState
from pitwall.paddock.controller.running_job import Checkpoint, encoded
from pitwall.store.jobs import MAX_CHECKPOINT_BYTES

SQL = "SELECT t, speed FROM frames WHERE session = 'last' AND lap = {} ORDER BY t -- " + "x" * 300


def table(sql: str) -> dict[str, Any]:
    """A table of seven thousand characters."""
    return {"columns": ["t", "speed"], "rows": [[123.456, 61.789]] * 350}


async def test_all_that_a_job_may_ask_fits_what_it_keeps_and_is_whole_when_asked_again() -> None:
    state = AnalysisState(question="why am I slow", session="s1")
    tools = QueryLog(state).toolbox({"query_pitwall_db": table})
    for at in range(Budget().tool_calls):
        await tools["query_pitwall_db"](sql=SQL.format(at))
    events = ["x" * 5_000] * 31
    notes = msgspec.json.encode(Notes(queries=state.queries, events=events))
    assert len(encoded(Checkpoint(phase="execute", notes=notes.decode())).encode()) < MAX_CHECKPOINT_BYTES
    kept = AnalysisState(question="why", session="s1", queries=msgspec.json.decode(notes, type=Notes).queries)
    tools = QueryLog(kept).toolbox({"query_pitwall_db": table})
    again = await tools["query_pitwall_db"](sql=SQL.format(7))
    assert (again["query_id"], len(again["rows"])) == ("Q8", 350)
    assert len(kept.queries) == Budget().tool_calls
