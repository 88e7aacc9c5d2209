"""Every agent and both pipelines through the real ADK, over both dialects."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from google.adk.evaluation.eval_config import EvalConfig
from google.adk.evaluation.eval_set import EvalSet
from google.adk.runners import InMemoryRunner
from labelled_questions import home_track
from model_server import Asked, Reply, serving
from opened_paddock import Open
from pit_facts import FIRST_TOOL, TOOLBOX, obedient

from pitwall.ask.corner_names import names_of
from pitwall.ask.reader import read
from pitwall.contract.agents import AGENTS
from pitwall.contract.events import AgentActive, Content, Done, Routed, Token, ToolEnd, ToolStart
from pitwall.contract.query import Query
from pitwall.contract.settings import ModelSettings
from pitwall.paddock.adk import agent as agent_module
from pitwall.paddock.adk import single_calls
from pitwall.paddock.adk.agent import team
from pitwall.paddock.adk.model_client import open_model
from pitwall.paddock.intents import route
from pitwall.paddock.roster import (
    DUTIES,
    EFFECTS,
    MAX_DESCRIPTION_WORDS,
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
    text = f"Composed for {agent}. {TOLD[agent]}"
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
        assert 0 < len(duty.description.split()) <= MAX_DESCRIPTION_WORDS
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


async def test_the_application_to_learn_from_hands_over_and_only_reads() -> None:
    def script(asked: Asked) -> Reply:
        if asked.agent == "Pitwall":
            return Reply(calls=[("transfer_to_agent", {"agent_name": "GoldLapAgent"})])
        if "reference_lap_comparison" not in asked.called:
            return Reply(calls=[("reference_lap_comparison", {})])
        return Reply(text="The hairpin first.")

    reading = {name: tool for name, tool in TOOLBOX.items() if name not in EFFECTS}
    async with (
        serving(script) as server,
        open_model(ModelSettings(kind="gemini", base_url=server.url, api_key="k")) as model,
    ):
        assert model is not None
        root = team(model, reading)
        assert {each.name for each in root.sub_agents} == {*WITH_TOOLS}
        async with InMemoryRunner(agent=root) as runner:
            events = await runner.run_debug("where do I lose time", quiet=True)
    assert events[-1].author == "GoldLapAgent"
    assert events[-1].content is not None
    assert events[-1].content.parts is not None
    assert events[-1].content.parts[0].text == "The hairpin first."
    assert all(EFFECTS.isdisjoint(asked.tools) for asked in server.asked)


def test_adk_eval_finds_the_application_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It executes the folder's own file under the name `agent`, then looks in it for `agent` again."""
    from google.adk.cli.cli_eval import get_root_agent

    monkeypatch.setenv("PITWALL_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "agent", None)
    root = asyncio.run(get_root_agent(str(Path(agent_module.__file__).parent)))
    assert root.name == "Pitwall"
    assert list(tmp_path.iterdir()) == []


def evalset(name: str) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """The questions of an evalset of ADK's, each with the calls that it wants."""
    folder = Path(agent_module.__file__).parent
    found = EvalSet.model_validate_json((folder / f"{name}.evalset.json").read_text())
    assert EvalConfig.model_validate_json((folder / "eval_config.json").read_text()).criteria
    wanted: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for case in found.eval_cases:
        [turn] = case.conversation or []
        uses = turn.intermediate_data.tool_uses  # type: ignore[union-attr]
        wanted[turn.user_content.parts[0].text or ""] = [(each.name or "", each.args or {}) for each in uses]  # type: ignore[index]
    assert len(wanted) == len(found.eval_cases)
    return wanted


def test_the_evalset_of_routing_names_the_agents_that_code_would_choose() -> None:
    wanted = {question: calls[0][1]["agent_name"] for question, calls in evalset("routing").items()}
    assert len(wanted) >= 40
    assert {question: route(question, home_track()).agent for question in wanted} == wanted


def test_the_evalset_of_trajectories_wants_what_each_agent_has_and_the_query_that_words_are_read_as() -> None:
    names = names_of(home_track())
    seen = set()
    for question, [(hand_over, to), *calls] in evalset("trajectories").items():
        agent = to["agent_name"]
        seen.add(agent)
        assert (hand_over, agent) == ("transfer_to_agent", route(question, home_track()).agent), question
        assert {tool for tool, _ in calls} <= {*DUTIES[agent].tools} - EFFECTS
        for tool, given in calls:
            if tool == QUERY_TOOL:
                scope = {key: given[key] for key in ("laps", "places") if key in given}
                rest = {key: value for key, value in given.items() if key not in scope}
                made = msgspec.convert({**rest, "scope": scope}, Query)
                assert made == read(question, names).query, question
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
