"""Whatever a model, its server or a driver does to a staged analysis: what was found is told, in time."""

from __future__ import annotations

import asyncio
import json

import msgspec
import pytest
from google.adk.events import Event as AdkEvent
from long_runs import some
from model_server import Asked, Reply, Script
from staged_opened import (
    FINDINGS,
    OBEDIENT,
    OpenAnalysis,
    answered,
    claim,
    events_of,
    form,
    gone_on,
    once,
    plan,
    scripted,
    told,
    work,
)
from test_staged_paths import TOLD
from wire_trouble import ALWAYS, DECLINED, KINDS, LONG_KINDS, in_dialects

from pitwall.contract.events import Answer, Error
from pitwall.contract.jobs import AT_ONCE, Budget
from pitwall.paddock.adk.app import COMPACTED_AT, EVENTS_KEPT
from pitwall.paddock.adk.staged.analysis import Notes
from pitwall.paddock.context import MAX_TEXT_CHARS
from pitwall.paddock.controller.running_job import Checkpoint
from pitwall.paddock.runs import audit_rows

LOOP = Reply(text="The brake comes up too early and the nose washes wide, so wait. " * 120, pieces=40)
MUDDLE = Reply(text="{not json")
FIRST = "Lap 7 was 0.39 seconds quicker [Q1]"
SECOND = "Your minimum speed at turn 11 was up from 61.2 to 64.8 [Q2]"


def ended(text: str) -> str:
    return text.split("\n\n")[0]


# What is left of the answer where one agent never does its part: its text, and how much was not shown.
WITHOUT: dict[str, tuple[str, int]] = {
    "PlanMakerAgent": (FIRST, 0),
    "PlanReviewerAgent": (ended(TOLD), 0),
    "PlanConfirmAgent": (ended(TOLD), 0),
    # Without a review nobody judged the criteria that code can't.
    "StageReviewerAgent": (ended(TOLD), 2),
    "ReflectionAgent": (ended(TOLD), 0),
    "SummaryAgent": (f"{FIRST}. {SECOND}.", 0),
}


@pytest.mark.parametrize("agent", sorted(WITHOUT))
@pytest.mark.parametrize("reply", some([MUDDLE, LOOP, Reply(text="")], 1), ids=["muddle", "loop", "nothing"])
async def test_one_agent_that_never_does_its_part_does_not_fail_the_whole(
    analysis: OpenAnalysis, agent: str, reply: Reply
) -> None:
    others: dict[str, Script | Reply] = {agent: reply}
    if agent == "PlanMakerAgent":
        others["SummaryAgent"] = lambda asked: form(asked, {"claims": [claim(FINDINGS["lap_delta"], "Q1")]})
    text, missing = WITHOUT[agent]
    async with analysis(scripted(**others)) as (staged, server):
        given = await answered(staged)
        await server.gone()
    assert given.tier == "paddock"
    assert ended(given.text).startswith(text)
    assert given.missing == ()
    assert given.text.count("not shown:") == missing
    asked = len(server.of(agent))
    # A wrong form is asked for three times, a loop is hung up on at once. Reviews and reflection: each stage.
    stages = {"StageReviewerAgent": 2}.get(agent, 1)
    # A summary twice: that many calls are kept for it.
    times = 2 if agent == "SummaryAgent" else 3
    assert asked == (1 if reply is LOOP else times) * stages


NOTHING = ("rule", "")


@pytest.mark.parametrize(("kind", "trouble"), in_dialects(["503", "cut", "429", "malformed", "declined"], 1))
async def test_where_requests_fail_what_can_be_had_without_that_agent_is_told(
    analysis: OpenAnalysis, kind: str, trouble: str
) -> None:
    """Each agent in turn, all at once."""
    reply, why = {**ALWAYS, "declined": (DECLINED[kind], "")}[trouble]

    async def without(agent: str) -> Answer:
        # Many at once are slow: no answer here is told early because the time was up.
        async with analysis(scripted(**{agent: reply}), kind=kind, budget=Budget(seconds=300.0)) as (
            staged,
            server,
        ):
            given = await answered(staged)
            await server.gone()
        return given

    given = dict(zip(OBEDIENT, await asyncio.gather(*map(without, OBEDIENT)), strict=True))
    told = {agent: (one.tier, ended(one.text)) for agent, one in given.items()}
    made = told.pop("PlanMakerAgent")
    # An answer that can't be read, or none that the model gives, is that request's failure: the server is
    # there, so it is gone on without, and the question is looked at as a whole.
    assert made[0] == "paddock" if trouble in ("malformed", "declined") else made == NOTHING
    whole = dict.fromkeys(told, ("paddock", ended(TOLD)))
    assert told == {**whole, "StageWorkerAgent": NOTHING, "SummaryAgent": ("paddock", f"{FIRST}. {SECOND}.")}
    assert why in given["StageWorkerAgent"].why


@pytest.mark.parametrize("kind", LONG_KINDS)
@pytest.mark.parametrize("agent", sorted(OBEDIENT))
async def test_a_wrong_form_is_asked_for_again(analysis: OpenAnalysis, kind: str, agent: str) -> None:
    async with analysis(scripted(**{agent: once(MUDDLE, OBEDIENT[agent])}), kind=kind) as (staged, server):
        given = await answered(staged)
    assert given.text == TOLD
    again = "You answered without evidence" if agent == "StageWorkerAgent" else "not in the form"
    assert any(again in asked.text for asked in server.of(agent))


def dying(agent: str, reply: Reply, after: int = 0) -> Script:
    """From that agent's request on (the first `after` are still answered), nothing works any more."""
    obedient, seen, dead = scripted(), [0], [False]

    def script(asked: Asked) -> Reply:
        if asked.agent == agent:
            seen[0] += 1
        dead[0] = dead[0] or (asked.agent == agent and seen[0] > after)
        return reply if dead[0] else obedient(asked)

    return script


TROUBLE = [
    (Reply(status=503), "HTTP 503"),
    (Reply(status=429), "HTTP 429"),
    (Reply(text="half an answer", cut=True), "broke off"),
]


@pytest.mark.parametrize(("reply", "why"), TROUBLE)
async def test_a_model_that_dies_in_the_second_stage_leaves_the_first(
    analysis: OpenAnalysis, reply: Reply, why: str
) -> None:
    async with analysis(dying("StageWorkerAgent", reply, after=2)) as (staged, server):
        events = await events_of(staged)
        await server.gone()
    answer = told(events)
    assert (answer.tier, answer.agent) == ("paddock", "StagedAnalysis")
    assert ended(answer.text) == f"{FIRST}."
    assert len(answer.missing) == 1
    assert answer.missing[0].startswith("corner_history: ")
    assert why in answer.missing[0]
    assert answer.missing[0] in answer.text
    kept = "".join(row.detail for row in audit_rows(answer, 0.0))
    assert '"missing":["a stage"]' in kept, "which stage it was are a model's words"
    assert "turn 11" not in kept
    assert answer.text.endswith("Queries:\n[Q1] lap_delta()")
    assert any(isinstance(event, Error) and why in event.text for event in events)
    # Nothing more was asked of it, not even for a summary.
    assert server.of("SummaryAgent") == []


async def test_a_model_that_never_answers_ends_with_the_time(analysis: OpenAnalysis) -> None:
    async with analysis(lambda asked: Reply(wait_s=60), budget=Budget(seconds=2.0)) as (staged, server):
        given = await answered(staged)
        await server.gone()
    assert (given.tier, given.verdict) == ("rule", "TIMEOUT")
    # Which of the two it is depends on how much time the plan left for a stage.
    assert given.why in ("The model took too long.", "The time for this analysis was up.")


@pytest.mark.parametrize("kind", KINDS)
async def test_refused_calls_are_no_evidence_and_a_corrected_one_is(
    analysis: OpenAnalysis, kind: str
) -> None:
    stage = {"goal": "How many laps", "tools": ["query_pitwall_db"], "criteria": []}

    def worker(asked: Asked) -> Reply:
        if len(asked.results) < 2:
            return Reply(
                calls=[("query_pitwall_db", {"sql": ["DROP TABLE laps", "SELECT 1"][len(asked.results)]})]
            )
        assert asked.results[0][1] == {"error": "only one SELECT is allowed"}
        return form(asked, {"claims": [claim("There were 12 laps.", asked.results[1][1]["query_id"])]})

    told = scripted(PlanMakerAgent=lambda asked: form(asked, {"stages": [stage]}), StageWorkerAgent=worker)
    async with analysis(told, kind=kind) as (staged, server):
        given = await answered(staged)
    # What SQL gives may be anything: it can be looked at, and is not told.
    assert given.tier == "rule"
    assert any("cites nothing that can be told" in asked.text for asked in server.of("StageWorkerAgent"))
    assert [call.status for call in given.audit][:2] == ["refused", "ok"]


async def test_claims_without_any_evidence_are_not_told(analysis: OpenAnalysis) -> None:
    def guessing(asked: Asked) -> Reply:
        return form(asked, {"claims": [claim("You gained 1.73 seconds.", "Q1")]})

    async with analysis(scripted(StageWorkerAgent=guessing)) as (staged, server):
        given = await answered(staged)
    assert (given.tier, given.why) == ("rule", "The analysis found nothing that can be shown.")
    assert "1.73" not in given.text
    # Asked again, then forced; and the whole once more after the review.
    modes = [asked.mode for asked in server.of("StageWorkerAgent")[:3]]
    assert modes == ["AUTO", "AUTO", "ANY"]


@pytest.mark.parametrize("wanted", ["telepathy", "save_voice_scripts"])
async def test_a_tool_that_nobody_has_or_may_have_is_an_error_to_the_model(
    analysis: OpenAnalysis, wanted: str
) -> None:
    def worker(asked: Asked) -> Reply:
        assert "save_voice_scripts" not in asked.tools
        tried = [name for name, _result in asked.results]
        if wanted not in tried and "lap_delta" in asked.tools:
            return Reply(calls=[(wanted, {"corner_name": "x", "phrases": {}})])
        return work(asked)

    greedy = [{"goal": "write", "tools": ["save_voice_scripts", "lap_delta"], "criteria": []}]
    async with analysis(
        scripted(
            PlanMakerAgent=lambda asked: (
                form(asked, {"stages": greedy}) if "Your last plan" not in asked.text else plan(asked, 1)
            ),
            StageWorkerAgent=worker,
        ),
    ) as (staged, server):
        given = await answered(staged)
    assert ended(given.text) == "Lap 7 was 0.39 seconds quicker [Q1]."
    assert all(
        "error" in result for name, result in server.of("StageWorkerAgent")[-1].results if name != "lap_delta"
    )
    assert {call.tool for call in given.audit if call.status == "ok"} == {"lap_delta"}


async def test_a_worker_that_only_calls_is_stopped_and_the_others_go_on(analysis: OpenAnalysis) -> None:
    def restless(asked: Asked) -> Reply:
        if "lap_delta" in asked.tools:
            return Reply(calls=[("lap_delta", {"lap": len(asked.called)})])
        return work(asked)

    async with analysis(
        scripted(
            StageWorkerAgent=restless,
            SummaryAgent=Reply(status=500),
        ),
    ) as (staged, server):
        given = await answered(staged)
    assert ended(given.text).startswith("Your minimum speed at turn 11 was up from 61.2 to 64.8")
    assert given.missing[0] == (
        "lap_delta: The model went on calling tools without answering and was stopped."
    )
    assert len([asked for asked in server.of("StageWorkerAgent") if "lap_delta" in asked.tools]) == 14


async def test_no_more_tool_calls_than_allowed(analysis: OpenAnalysis) -> None:
    async with analysis(scripted(), budget=Budget(tool_calls=1)) as (staged, _server):
        given = await answered(staged)
    assert given.text.startswith("Lap 7 was 0.39 seconds quicker [Q1].")
    assert [call.tool for call in given.audit if call.status == "ok"] == ["lap_delta"]
    assert "corner_history: not shown: 1 of what was looked for" in given.text


@pytest.mark.parametrize(
    ("dies", "after"),
    [
        ("PlanReviewerAgent", 0),
        ("StageWorkerAgent", 2),
        ("SummaryAgent", 0),
    ],
)
async def test_resumed_at_the_checkpoint_no_finished_stage_is_worked_on_again(
    analysis: OpenAnalysis, dies: str, after: int
) -> None:
    async with analysis(dying(dies, Reply(status=400), after)) as (staged, _server):
        first = await answered(staged)
        saved = staged.saved
    async with analysis(scripted()) as (staged, server):
        result = await gone_on(staged, saved[-1])
    assert result.answer is not None
    assert ended(result.answer.text) == ended(TOLD)
    finished = [
        stage
        for stage in ("lap_delta", "corner_history")
        if saved[-1].count('"state":"committed"') > ("lap_delta", "corner_history").index(stage)
    ]
    worked = {tool for asked in server.of("StageWorkerAgent") for tool in asked.tools}
    assert worked.isdisjoint(finished)
    if dies != "PlanReviewerAgent":
        assert server.of("PlanMakerAgent") == []
    assert first.model_calls > 0


async def test_an_analysis_is_one_session_that_adk_compacts_twice_also_after_a_kill(
    analysis: OpenAnalysis,
) -> None:
    """Five stages of four calls each: over sixty events; the process dies in the third."""
    stages = [{"goal": f"Step {each}", "tools": ["lap_delta"], "criteria": []} for each in range(5)]

    def worker(asked: Asked) -> Reply:
        step, done = int(asked.text.partition("Your stage:\n1. Step ")[2][0]), len(asked.results)
        if done < 4:
            return Reply(calls=[("lap_delta", {"lap": 10 * step + done})])
        return form(asked, {"claims": [claim("", asked.results[-1][1]["query_id"])]})

    script = scripted(
        PlanMakerAgent=lambda asked: form(asked, {"stages": stages}),
        PlanReviewerAgent=lambda asked: form(asked, {"problems": []}),
        StageWorkerAgent=worker,
        SummaryAgent=lambda asked: form(asked, {"claims": []}),
    )
    fifth_of_third, asked_so_far = 13, [0]

    def dying(asked: Asked) -> Reply:
        asked_so_far[0] += asked.agent == "StageWorkerAgent"
        return Reply(status=503) if asked_so_far[0] > fifth_of_third else script(asked)

    def lap_delta(lap: int) -> dict[str, object]:
        """One long result."""
        return {"told": f"Lap {lap} was quicker.", "rows": ["x" * 9_000]}

    async with analysis(dying, toolbox={"lap_delta": lap_delta}) as (staged, _server):
        await answered(staged)
        saved = staged.saved
    async with analysis(script, toolbox={"lap_delta": lap_delta}) as (staged, server):
        result = await gone_on(staged, saved[-1])
    assert result.answer is not None
    assert len(result.answer.text.split("\n\n")[0].split("[Q")) == 6
    # What was found first is in the summary, the last as it was.
    shown = server.of("StageWorkerAgent")[-1].text
    assert "told: Stage: Step 0 - Lap 3 was quicker. [Q4]" in shown
    assert "\nStage: Step 3\n- Lap 33 was quicker. [Q16]" in shown
    texts = [*saved, *staged.saved]
    notes = [
        msgspec.json.decode(msgspec.json.decode(text, type=Checkpoint).notes or "{}", type=Notes)
        for text in texts
    ]
    seen: dict[str, AdkEvent] = {}
    for each in notes:
        events = [AdkEvent.model_validate_json(event) for event in each.events]
        seen |= {event.id: event for event in events}
        raw = [event for event in events if not event.actions.compaction]
        assert len(raw) <= COMPACTED_AT + 20
        assert len(raw) >= EVENTS_KEPT or len(raw) == len(events)
        for event in events:
            held = event.actions.compaction.compacted_content if event.actions.compaction else event.content
            assert len(json.dumps(held.model_dump(exclude_none=True)) if held else "") <= MAX_TEXT_CHARS + 400
    assert len(seen) > 60
    assert sum(event.actions.compaction is not None for event in seen.values()) >= 2


async def test_an_analysis_with_objections_makes_twelve_calls_and_sends_sixty_kb(
    analysis: OpenAnalysis,
) -> None:
    """Every agent objects as often as it may, and all are shown long facts."""

    def tool(lap: int = 1) -> dict[str, object]:
        """One long result."""
        return {"told": "Lap 7 was 0.39 seconds quicker.", "delta_s": -0.39, "rows": ["x" * 9_000]}

    objecting = scripted(
        PlanReviewerAgent=lambda asked: form(asked, {"problems": ["stage 1 is vague"]}),
        PlanConfirmAgent=lambda asked: form(asked, {"exit": False, "reason": "once more"}),
        StageReviewerAgent=lambda asked: form(
            asked, {"judgements": [], "problems": ["thin"], "rethink": True}
        ),
    )
    toolbox = {"lap_delta": tool, "corner_history": tool, "progress": tool}
    async with analysis(objecting, budget=AT_ONCE, toolbox=toolbox) as (staged, server):
        given = await answered(staged)
    assert given.tier == "paddock"
    assert given.text.startswith("Lap 7 was 0.39 seconds quicker")
    assert len(server.asked) <= AT_ONCE.model_calls == 12
    assert sum(len(json.dumps(asked.body)) for asked in server.asked) <= 60_000
    assert server.of("SummaryAgent") != []
