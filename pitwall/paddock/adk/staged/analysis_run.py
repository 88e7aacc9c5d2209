"""An analysis that is going on: how its agents are asked, and how its state is shown in prompts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from google.adk.models.base_llm import BaseLlm
from pydantic import BaseModel

from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.messages import Turn
from pitwall.paddock.adk.app import AgentTurn
from pitwall.paddock.adk.crew import adk_agent, enforced
from pitwall.paddock.adk.model_client import sentence
from pitwall.paddock.adk.staged.evidence import QueryLog, queries_shown
from pitwall.paddock.adk.staged.state import AnalysisState, Claim, Stage, StageDone, StageQuery
from pitwall.paddock.context import cut
from pitwall.paddock.roster import PROMPTS, STAGED
from pitwall.paddock.runs import Run

PLAN_MAKER, PLAN_REVIEWER, PLAN_CONFIRM = "PlanMakerAgent", "PlanReviewerAgent", "PlanConfirmAgent"
STAGE_WORKER, STAGE_REVIEWER, REFLECTION = "StageWorkerAgent", "StageReviewerAgent", "ReflectionAgent"
SUMMARY = "SummaryAgent"


Form = TypeVar("Form", bound=BaseModel)


# The most of all results in a prompt. Calling a tool again gives the whole result under the same
# id.
_EVIDENCE_CHARS = 3_000
# The most of what was found in a stage.
_FOUND_CHARS = 900

# (goal of a stage, question, tools) -> arguments of each; a tool that it leaves out is the model's
# to call.
StageArguments = Callable[[str, str, Sequence[str]], Mapping[str, Mapping[str, Any]]]


@dataclass
class AnalysisRun:
    """A step of an analysis. `head`: where prompts begin; `arguments`: of tools that code calls."""

    state: AnalysisState
    queries: QueryLog
    model: BaseLlm
    tools: Toolbox
    head: str
    arguments: StageArguments | None = None

    async def ask(
        self, turn: AgentTurn, run: Run, name: str, form: type[Form], shown: str, tools: Sequence[str] = ()
    ) -> Form:
        """The agent's form; one of its tools must have succeeded. ValidationError."""
        row = STAGED[name]
        text = f"{row.prompt.rstrip()}\n\n{PROMPTS['staged']}"
        recorded = self.queries.toolbox({tool: self.tools[tool] for tool in tools})
        agent = adk_agent(name, row.description, self.model, recorded, tools, text, schema=form)
        output = await enforced(turn, run, agent, (tuple(tools),) if tools else (), shown)
        return form.model_validate(output or {})

    async def ask_optional(
        self,
        turn: AgentTurn,
        run: Run,
        name: str,
        form: type[Form],
        shown: str,
        failure: str,
        tools: Sequence[str] = (),
    ) -> Form | None:
        """As `ask`, but None where it fails; `failure` is then shown with the reason."""
        try:
            return await self.ask(turn, run, name, form, shown, tools)
        except Exception as error:
            run.show_progress(f"{failure}: {sentence(error)}")
            return None

    async def fetched(self, stage: Stage) -> dict[str, dict[str, Any]]:
        """The results of the stage's tools that code can call, by name."""
        if self.arguments is None:
            return {}
        found: dict[str, dict[str, Any]] = {}
        recorded = self.queries.toolbox(self.tools)
        try:
            called = await asyncio.to_thread(self.arguments, stage.goal, self.state.question, stage.tools)
            for tool, arguments in called.items():
                found[tool] = await recorded[tool](**arguments)
        except Exception:
            return found
        return found


def tools_shown(tools: Toolbox) -> str:
    """Each tool with the first paragraph of its description, as one line."""
    lines = []
    for name, function in tools.items():
        first = (function.__doc__ or "").strip().split("\n\n")[0]
        lines.append(f"- {name}: {' '.join(first.split())}")
    return "Tools:\n" + "\n".join(lines)


def stages_shown(stages: Sequence[Stage]) -> str:
    """Stages as a numbered list with their tools and criteria."""
    lines = []
    for number, stage in enumerate(stages, 1):
        lines.append(f"{number}. {stage.goal} (tools: {', '.join(stage.tools)})")
        for criterion in stage.criteria:
            by = f" [{criterion.tool} {criterion.field}".rstrip() + "]" if criterion.tool else ""
            lines.append(f"   - {criterion.statement}{by}")
    return "\n".join(lines)


def claims_shown(claims: Sequence[Claim]) -> str:
    """Claims with their query ids, one a line."""
    return "\n".join(f"- {claim.text} [{', '.join(claim.queries)}]" for claim in claims) or "- none"


def stage_shown(stage: StageDone) -> str:
    """The findings of a stage."""
    lines = [f"Stage: {stage.goal}", claims_shown(stage.claims)]
    lines += [f"Not shown: {statement}" for statement in stage.unmet]
    lines += [f"Open: {stage.open}"] if stage.open else []
    return "\n".join(lines)


def done_shown(done: Sequence[StageDone]) -> str:
    """The findings of the finished stages."""
    return "\n".join(["Findings:", *map(stage_shown, done)])


def found_shown(turns: Sequence[Turn]) -> str:
    """The session's findings of the stages before, as ADK compacted them; "" for none."""
    found = [
        cut(each.text, _FOUND_CHARS if each.role == "coach" else _EVIDENCE_CHARS)
        for each in turns
        if each.role != "driver"
    ]
    return "\n".join(["Findings:", *found]) if found else ""


def evidence_shown(queries: Iterable[StageQuery]) -> str:
    """The results of queries, cut so that all of them fit into a prompt."""
    held = list(queries)
    if not held:
        return "Evidence: none yet."
    return f"Evidence:\n{queries_shown(held, _EVIDENCE_CHARS // len(held))}"


def problems_shown(title: str, problems: Sequence[str]) -> str:
    """A list under its title; "" for no problems."""
    return "\n".join([title, *(f"- {one}" for one in problems)]) if problems else ""


def blocks(*texts: str) -> str:
    """A prompt of all parts that are not empty."""
    return "\n\n".join(text for text in texts if text)
