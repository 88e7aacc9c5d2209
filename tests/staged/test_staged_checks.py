"""What code decides in the staged analysis: which plans, claims and criteria stand, what is evidence."""

from __future__ import annotations

from typing import Any

import pytest

from pitwall.paddock.adk.staged.evidence import (
    MOST_CRITERIA,
    QueryLog,
    accepted,
    called_as,
    checked,
    has,
    queries_shown,
    unmet,
)
from pitwall.paddock.adk.staged.stages import text_of
from pitwall.paddock.adk.staged.state import (
    AnalysisState,
    Claim,
    ClaimForm,
    Criterion,
    CriterionForm,
    JudgementForm,
    StageForm,
    StageQuery,
)

DELTA = StageQuery(
    id="Q1", tool="lap_delta", arguments={"lap": 7, "against": 5}, told="Quicker.", fields=("told", "delta_s")
)
TABLE = StageQuery(
    id="Q2", tool="query_pitwall_db", arguments={"sql": "SELECT x,\n y"}, fields=("columns", "rows", "y")
)
QUESTION = "why was lap 7 quicker"


def state(*queries: StageQuery) -> AnalysisState:
    return AnalysisState(question=QUESTION, session="s1", queries=list(queries))


def claim(text: str, *queries: str) -> ClaimForm:
    return ClaimForm(queries=list(queries))


@pytest.mark.parametrize(
    ("form", "kept", "fault"),
    [
        (claim("", "Q1"), Claim("Quicker.", ("Q1",)), None),
        (claim("It was 3.9 s in all.", "[Q1]"), Claim("Quicker.", ("Q1",)), None),
        (claim("Quicker."), None, "claim 1 cites no query"),
        (claim("Quicker.", "Q1", "Q7"), None, "claim 1 cites Q7, which does not exist"),
        (claim("Quicker.", "Q2"), None, "claim 1 cites nothing that can be told"),
    ],
)
def test_a_claim_is_what_the_queries_give_that_it_cites(
    form: ClaimForm, kept: Claim | None, fault: str | None
) -> None:
    claims, faults = checked([form], QueryLog(state(DELTA, TABLE)))
    assert claims == ((kept,) if kept else ())
    assert faults == ([fault] if fault else [])


def test_a_plan_is_cut_to_what_can_be_worked_on_and_says_what_was_wrong() -> None:
    criteria = [CriterionForm(statement=f"it is {number}") for number in range(9)]
    forms = [
        StageForm(goal=" a \n goal ", tools=["one", "none", "one"], criteria=criteria),
        StageForm(goal="", tools=["one"], criteria=criteria),
        StageForm(goal="lost", tools=["none"], criteria=criteria),
        StageForm(goal="bare", tools=["one"], criteria=[CriterionForm(statement="by", tool="two")]),
        StageForm(goal="too many", tools=["two"], criteria=criteria),
    ]
    stages, problems = accepted(forms, {"one", "two"}, 2)
    assert [(stage.goal, stage.tools, len(stage.criteria)) for stage in stages] == [
        ("a goal", ("one",), MOST_CRITERIA),
        ("bare", ("one",), 0),
    ]
    assert problems == [
        "stage 1: there is no tool 'none'",
        "stage 2 has no goal",
        "stage 3: there is no tool 'none'",
        "stage 3 has no tool that exists",
        "stage 4 has no criterion that its own tools can show",
        "there are 3 stages, at most 2 are allowed",
    ]
    assert accepted([], {"one"}, 2) == ([], ["there is no stage that can be worked on"])


def judged(met: bool, *queries: str) -> list[JudgementForm]:
    return [JudgementForm(criterion=1, met=met, queries=list(queries))]


@pytest.mark.parametrize(
    ("criterion", "judgements", "met"),
    [
        (Criterion("c", "lap_delta"), [], True),
        (Criterion("c", "lap_delta", "delta_s"), [], True),
        # Code decides where it can: a reviewer's yes makes no field appear, his no takes none away.
        (Criterion("c", "lap_delta", "corners"), judged(True, "Q1"), False),
        (Criterion("c", "lap_delta", "delta_s"), judged(False), True),
        (Criterion("c", "query_pitwall_db", "y"), [], True),
        (Criterion("c", "query_pitwall_db", "x"), [], False),
        (Criterion("c", "progress"), judged(True, "Q1"), False),
        (Criterion("c"), judged(True, "Q1"), True),
        (Criterion("c"), judged(True, "Q1", "Q8"), False),
        (Criterion("c"), judged(True), False),
        (Criterion("c"), judged(False, "Q1"), False),
        (Criterion("c"), [], False),
    ],
)
def test_a_criterion_is_met_by_evidence_only(
    criterion: Criterion, judgements: list[JudgementForm], met: bool
) -> None:
    ledger = QueryLog(state(DELTA, TABLE))
    assert unmet([criterion], [DELTA, TABLE], judgements, ledger) == (() if met else ("c",))


async def test_results_get_ids_are_asked_once_and_refusals_get_none() -> None:
    asked: list[tuple[str, int]] = []

    def laps(session: str = "last", most: int = 3) -> dict[str, Any]:
        """Laps."""
        asked.append((session, most))
        return {"error": "too many"} if most > 9 else {"laps": most}

    known = state()
    tools = QueryLog(known).toolbox({"laps": laps})
    assert await tools["laps"](most=2) == {"query_id": "Q1", "laps": 2}
    assert await tools["laps"](most=10) == {"error": "too many"}
    assert await tools["laps"](session="s2", most=2) == {"query_id": "Q2", "laps": 2}
    assert await tools["laps"](most=2, session="last") == {"query_id": "Q1", "laps": 2}
    # The analysis' own session stands for "last".
    assert asked == [("s1", 2), ("s1", 10), ("s2", 2)]
    assert [query.id for query in known.queries] == ["Q1", "Q2"]


async def test_a_huge_result_is_kept_cut_and_its_numbers_stay_numbers() -> None:
    def rows() -> dict[str, Any]:
        """Rows."""
        return {"rows": [[number, 5, 7] for number in range(20_000)]}

    known = state()
    await QueryLog(known).toolbox({"rows": rows})["rows"]()
    assert len(known.queries[0].shown) < 1_600
    ledger = QueryLog(known)
    assert checked([claim("", "Q1")], ledger)[1] == ["claim 1 cites nothing that can be told"]
    assert "[cut:" in queries_shown(known.queries, 100)


def test_a_query_is_listed_as_a_driver_reads_it() -> None:
    assert called_as(DELTA) == "lap_delta(lap=7, against=5)"
    assert called_as(TABLE) == "query_pitwall_db: SELECT x, y"
    assert has(DELTA, "")
    assert not has(StageQuery(id="Q3", tool="t", arguments={}), "")


async def test_the_fields_of_a_result_are_its_keys_and_columns_that_hold_something() -> None:
    def found() -> dict[str, Any]:
        """A table below a key."""
        return {
            "a": {"columns": ["x", "y"], "rows": [[None, 2], [None, 9]]},
            "b": [],
            "c": [{"d": 0}],
            "e": "",
        }

    known = state()
    await QueryLog(known).toolbox({"found": found})["found"]()
    assert [name for name in "abcdexy" if has(known.queries[0], name)] == ["a", "c", "d", "y"]


def test_the_text_cites_and_lists_what_it_cites_and_nothing_else() -> None:
    text = text_of([Claim("So it was.", ("Q2",))], ["the rest: no time"], QueryLog(state(DELTA, TABLE)))
    assert text == (
        "So it was [Q2].\n\nNot in this answer:\n- the rest: no time\n\n"
        "Queries:\n[Q2] query_pitwall_db: SELECT x, y"
    )
