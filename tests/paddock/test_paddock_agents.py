"""Every agent and both pipelines through the real ADK, over both dialects."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from google.adk.apps import App
from google.adk.evaluation.custom_metric_evaluator import _CustomMetricEvaluator
from google.adk.evaluation.eval_config import EvalConfig
from google.adk.evaluation.eval_metrics import EvalMetric
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.evaluation_generator import EvaluationGenerator
from google.adk.runners import InMemoryRunner, Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from labelled_questions import home_track
from model_server import Asked, Reply, serving, settings_of
from opened_paddock import Open, composed
from pit_facts import FIRST_TOOL, TOOLBOX, obedient

from pitwall.ask.corner_names import names_of
from pitwall.ask.reader import read_after
from pitwall.contract.agents import AGENTS
from pitwall.contract.events import AgentActive, Content, Done, Routed, Token, ToolEnd, ToolStart
from pitwall.contract.messages import Turn
from pitwall.contract.questions import Query
from pitwall.paddock.adk import single_calls
from pitwall.paddock.adk.app import (
    COMPACTED_AT,
    EVENTS_KEPT,
    MOST_SHOWN,
    PitwallOrchestrator,
    turns_of,
)
from pitwall.paddock.adk.model_client import open_model
from pitwall.paddock.adk.orchestrator import CrewChief
from pitwall.paddock.apps.paddock import agent as agent_module
from pitwall.paddock.context import MAX_TEXT_CHARS
from pitwall.paddock.intents import route
from pitwall.paddock.roster import (
    DUTIES,
    EFFECTS,
    NARRATIVE,
    PIPELINES,
    QUERY_TOOL,
    instruction,
)

WITH_TOOLS = sorted(set(DUTIES) - {NARRATIVE})
# The other two are asked by the pipelines only.
SPECIALISTS = sorted(set(DUTIES) & set(AGENTS))
TOLD = {"GoldLapAgent": "Turn 11 costs 0.62 s.", "TelemetryAgent": "The speed is 5."}


@pytest.mark.parametrize("kind", ["gemini", "openai"])
@pytest.mark.parametrize("agent", ["TelemetryAgent", "GoldLapAgent"])
async def test_a_specialist_answers_with_its_tool(paddock: Open, kind: str, agent: str) -> None:
    async with paddock(obedient, kind=kind) as (crew, server):
        events = [event async for event in await crew.ask("how was it in there", intent=agent)]
    tool = FIRST_TOOL[agent]
    assert events[:4] == [
        Routed(agent, "named"),
        AgentActive(agent),
        ToolStart(agent, tool),
        ToolEnd(agent, tool, True),
    ]
    # A figure that the model asked for takes the place of what code had read.
    text = TOLD[agent] if tool == QUERY_TOOL else f"Composed for {agent}. {TOLD[agent]}"
    assert "".join(event.text for event in events if isinstance(event, Token)) == f"{text} "
    assert isinstance(events[-2], Content)
    assert events[-2].text == text
    done = events[-1]
    assert isinstance(done, Done)
    assert (done.answer.tier, done.answer.verdict, done.answer.emotion) == ("paddock", "PASSED", "calm")
    assert [call.tool for call in done.answer.audit] == [tool]
    assert done.answer.model_calls == len(server.asked) == 2
    assert all(asked.mode == "AUTO" for asked in server.asked)


def test_each_file_is_an_agent_described_briefly_with_tools_that_exist() -> None:
    assert {*DUTIES, *PIPELINES} == {*AGENTS, NARRATIVE, "HighlightFinderAgent", "PedagogyAgent"}
    for duty in DUTIES.values():
        assert 0 < len(duty.description.split()) <= 30
        assert set(duty.tools) <= set(TOOLBOX)
        assert {tool for group in duty.requires for tool in group} <= set(duty.tools)
        assert instruction(duty.name).startswith(f"You are {duty.name}")


@pytest.mark.parametrize("agent", WITH_TOOLS)
def test_a_prompt_has_a_decision_table_of_its_own_tools_and_the_four_steps(agent: str) -> None:
    text = instruction(agent)
    assert "| the driver asks | call | then |" in text
    assert [step for step in ("THINK", "CALL", "REASON", "RESPOND") if f"{step}." in text] == [
        "THINK",
        "CALL",
        "REASON",
        "RESPOND",
    ]
    for tool in DUTIES[agent].tools:
        assert tool in text
    for tool in (
        set(TOOLBOX) - set(DUTIES[agent].tools) - {"progress", "highlights", "conditions", "incidents"}
    ):
        assert tool not in text


async def test_asking_nothing_or_an_unknown_agent_is_an_error_of_the_caller(paddock: Open) -> None:
    async with paddock(obedient) as (crew, server):
        with pytest.raises(ValueError, match="empty"):
            await crew.ask("  ")
        with pytest.raises(ValueError, match="no agent is called"):
            await crew.ask("how was it", intent="Nobody")
    assert server.asked == []


async def test_the_app_routes_in_python_and_remembers_what_was_said() -> None:
    reading = {name: tool for name, tool in TOOLBOX.items() if name not in EFFECTS}
    async with (
        serving(obedient) as server,
        open_model(settings_of(server.url)) as model,
    ):
        assert model is not None
        app = CrewChief(model, reading, compose=composed, answer_s=120.0).app()
        assert (app.name, type(app.root_agent)) == ("pitwall", PitwallOrchestrator)
        assert {each.name for each in app.root_agent.sub_agents} == {*WITH_TOOLS}
        async with InMemoryRunner(app=app) as runner:
            first = await runner.run_debug("how far off gold am I", quiet=True)
            again = await runner.run_debug("how is the weather", quiet=True)
            kept = await runner.session_service.get_session(
                app_name=runner.app_name, user_id="debug_user_id", session_id="debug_session_id"
            )
    for events, agent, text in (
        (first, "GoldLapAgent", "Composed for GoldLapAgent. Turn 11 costs 0.62 s."),
        (again, "WeatherAdaptationAgent", "Composed for WeatherAdaptationAgent."),
    ):
        assert agent in {event.author for event in events}
        assert events[-1].author == "PitwallOrchestrator"
        assert str(events[-1].content.parts[0].text).startswith(text)  # type: ignore[union-attr, index]
    assert server.asked[-1].texts[0] == "how far off gold am I"
    assert server.asked[-1].texts[1].startswith("Composed for GoldLapAgent.")
    assert all(EFFECTS.isdisjoint(asked.tools) for asked in server.asked)
    assert kept is not None
    assert [turn.role for turn in turns_of(kept)] == ["driver", "coach", "driver", "coach"]


async def test_adk_compacts_a_conversation_of_sixty_events_twice_though_its_process_is_killed_between(
    tmp_path: Path,
) -> None:
    """In the file that `adk web` keeps; nobody closes the first runner."""
    sessions = {"app_name": "pitwall", "user_id": "debug_user_id", "session_id": "debug_session_id"}
    async with (
        serving(obedient) as server,
        open_model(settings_of(server.url)) as model,
    ):
        assert model is not None
        for numbers in (range(5), range(5, 12)):
            app = CrewChief(model, TOOLBOX, compose=composed, answer_s=120.0).app()
            runner = Runner(app=app, session_service=SqliteSessionService(str(tmp_path / "session.db")))
            for number in numbers:
                await runner.run_debug(f"how is the weather {number}", quiet=True)
        kept = await runner.session_service.get_session(**sessions)
    assert kept is not None
    raw = [event for event in kept.events if event.actions.compaction is None]
    compacted = [event.actions.compaction for event in kept.events if event.actions.compaction]
    # A question, a call, its result, the choice, and what was told: five events each.
    assert len(raw) == 60
    assert len(compacted) == 2
    for at, one in zip((COMPACTED_AT, COMPACTED_AT + 20), compacted, strict=True):
        # The last ten stay as they were; a call stays with its result.
        assert (
            at - EVENTS_KEPT - 1
            <= sum(event.timestamp <= one.end_timestamp for event in raw)
            <= at - EVENTS_KEPT
        )
    later = [event for event in raw if event.timestamp > compacted[-1].end_timestamp]
    assert EVENTS_KEPT <= len(later) + 1 <= COMPACTED_AT
    assert max(len(one.texts) for one in server.asked) <= 1 + MOST_SHOWN + 1
    assert max(len(text) for one in server.asked for text in one.texts) <= MAX_TEXT_CHARS + 60
    assert server.asked[-1].texts[0].startswith("driver: how is the weather 0")
    turns = turns_of(kept)
    assert turns[0].role == "summary"
    assert all(len(turn.text) <= MAX_TEXT_CHARS + 60 for turn in turns)
    assert "how is the weather 7" in turns[0].text


def test_adks_own_commands_find_the_app_and_it_is_the_only_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`adk eval` executes the folder's own file as `agent`, then looks in it for `agent` again."""
    from google.adk.cli.cli_eval import get_root_agent
    from google.adk.cli.utils.agent_loader import AgentLoader

    monkeypatch.setenv("PITWALL_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "agent", None)
    folder = Path(agent_module.__file__).parent
    assert asyncio.run(get_root_agent(str(folder))).name == "PitwallOrchestrator"
    monkeypatch.setattr(sys, "path", [*sys.path])
    loader = AgentLoader(str(folder.parent))
    assert loader.list_agents() == ["paddock"]
    found = loader.load_agent("paddock")
    assert isinstance(found, App)
    assert [plugin.name for plugin in found.plugins] == ["context_filter_plugin", "tool_validator"]
    assert list(tmp_path.iterdir()) == []


def evalset(name: str) -> list[tuple[list[Turn], str, list[tuple[str, dict[str, Any]]]]]:
    """The questions of an evalset of ADK's: what was asked before each, and the calls that it wants."""
    folder = Path(agent_module.__file__).parent
    found = EvalSet.model_validate_json((folder / f"{name}.evalset.json").read_text())
    assert EvalConfig.model_validate_json((folder / "eval_config.json").read_text()).criteria
    wanted = []
    for case in found.eval_cases:
        before: list[Turn] = []
        for turn in case.conversation or []:
            uses = turn.intermediate_data.tool_uses  # type: ignore[union-attr]
            question = turn.user_content.parts[0].text or ""  # type: ignore[index]
            wanted.append(([*before], question, [(each.name or "", each.args or {}) for each in uses]))
            before.append(Turn("driver", question))
    return wanted


@pytest.mark.parametrize("kind", ["gemini", "openai"])
async def test_a_model_that_lies_fails_the_evaluation_though_its_calls_are_right(kind: str) -> None:
    config = EvalConfig.model_validate_json(
        (Path(agent_module.__file__).parent / "eval_config.json").read_text()
    )
    path = (config.custom_metrics or {})["chooses_facts"].code_config.name
    judge = _CustomMetricEvaluator(EvalMetric(metric_name="chooses_facts", threshold=0.9), path)
    lie = "Your best lap was lap 3, 1:41.0."

    def liar(asked: Asked) -> Reply:
        return Reply(text=lie) if asked.called else obedient(asked)

    for script, score in ((obedient, 1.0), (liar, 0.0)):
        async with serving(script) as server, open_model(settings_of(server.url, kind)) as model:
            assert model is not None
            app = CrewChief(model, TOOLBOX, compose=composed, answer_s=120.0).app()
            async with InMemoryRunner(app=app) as runner:
                events = await runner.run_debug("what was my highest speed", quiet=True)
        asked = EvaluationGenerator.convert_events_to_eval_invocations(events)
        result = await judge.evaluate_invocations(asked)
        assert result.overall_score == score, asked
        assert lie not in str(asked[0].final_response)


def test_the_evalset_of_trajectories_wants_what_each_agent_has_and_the_query_that_words_are_read_as() -> None:
    names = names_of(home_track())
    seen = set()
    for before, question, calls in evalset("trajectories"):
        agent = route(question, home_track()).agent
        seen.add(agent)
        assert {tool for tool, _ in calls} <= {*DUTIES[agent].tools} - EFFECTS
        for tool, given in calls:
            if tool == QUERY_TOOL:
                scope = {key: given[key] for key in ("laps", "places") if key in given}
                rest = {key: value for key, value in given.items() if key not in scope}
                made = msgspec.convert({**rest, "scope": scope}, Query)
                assert made == read_after(question, before, names).query, question
    assert seen == {*SPECIALISTS}


def test_what_loads_early_is_a_real_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the first question would wait for what ADK imports in its first run."""
    asked: list[str] = []
    echoed = single_calls._Echo.generate_content_async

    def counted(echo: Any, request: Any, stream: bool = False) -> Any:
        asked.append(request.model)
        return echoed(echo, request, stream)

    monkeypatch.setattr(single_calls._Echo, "generate_content_async", counted)
    single_calls.warm_up()
    assert asked
