"""Workflow nodes around the agents: asked again until the tools were used, on time, and failing alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
from google.adk.agents import LlmAgent
from google.adk.agents.context import Context
from google.adk.events import Event, EventActions
from google.adk.workflow import Node
from pydantic import ValidationError

from pitwall.intercom.events import Verdict
from pitwall.paddock.context import cut
from pitwall.paddock.emotions import split_emotion
from pitwall.paddock.grounding import grounded, unsupported, without_unsupported
from pitwall.paddock.problems import sentence
from pitwall.paddock.roster import DataPart, Duty
from pitwall.paddock.runs import Run, Runs

# Asked once, and at most twice again; the second time again the call is forced.
_ATTEMPTS = 3
# The data agents' part of what is left of the budget; the narrative needs the rest.
_DATA_SHARE = 0.6
# A data agent with three tools, asked again, makes six. Three that only call leave the narrative its calls.
_DATA_CALLS = 7


class NoNarrative(Exception):
    """Nothing of the narrative was left after its figures were checked, or there was nothing to tell."""


class AgentNode(Node):
    """A specialist: its answer is the run's. Fails where the model does."""

    rerun_on_resume: bool = True
    agent: LlmAgent
    duty: Duty
    runs: Runs

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run = self.runs.of(ctx.invocation_id)
        yield Event(output=await enforced(ctx, run, self.agent, self.duty))


class DataNode(Node):
    """A data agent of a pipeline: late or failing, it leaves word of what is missing and harms no other."""

    rerun_on_resume: bool = True
    agent: LlmAgent
    duty: Duty
    part: DataPart
    runs: Runs

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, name = self.runs.of(ctx.invocation_id), self.duty.name
        found: Any = None
        run.most_calls[name] = _DATA_CALLS
        try:
            async with asyncio.timeout(run.remaining_s() * _DATA_SHARE):
                found = await enforced(ctx, run, self.agent, self.duty)
        except TimeoutError:
            run.missing[name] = f"{self.part.gives}: it took too long"
            run.verdicts[name] = "TIMEOUT"
        # Whatever a model or ADK throws: the others' findings are still worth a narrative.
        except Exception as error:
            run.missing[name] = f"{self.part.gives}: {sentence(error)}"
        if found is None:
            run.missing.setdefault(name, f"{self.part.gives}: nothing was found")
        else:
            evidence = [*run.facts, *(result for _tool, result in run.results[name])]
            found, gone = grounded(found, evidence)
            if gone:
                run.tell(f"{name}: {len(gone)} figures that no fact holds were dropped")
            run.state[self.part.key] = found
        if name in run.missing:
            run.tell(f"Missing: {run.missing[name]}")
        yield Event(output=found, actions=EventActions(state_delta={self.part.key: found}))


class NarrativeNode(Node):
    """Tells what stands in the state, and only that: a figure from elsewhere is asked away, then cut away."""

    rerun_on_resume: bool = True
    agent: LlmAgent
    runs: Runs

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, name = self.runs.of(ctx.invocation_id), self.agent.name
        if not run.state:
            raise NoNarrative("no data agent found anything")
        state = {**run.state, "missing": list(run.missing.values())}
        shown = f"State:\n{cut(msgspec.json.encode(state).decode(), 20_000)}"
        run.attempts[name] = 1
        text = str(await ctx.run_node(self.agent, node_input=shown) or "")
        wrong = unsupported(split_emotion(text)[0], run.state)
        if wrong:
            run.tell(f"Asked again: {', '.join(wrong)} is not in the findings")
            run.attempts[name] = 2
            again = (
                f"Figures of your last text that are not in the state: {', '.join(wrong)}. Leave them out."
            )
            text = str(await ctx.run_node(self.agent, node_input=f"{shown}\n\n{again}") or "")
        bare, emotion = split_emotion(text)
        kept, _gone = without_unsupported(bare, run.state)
        if not kept:
            raise NoNarrative("no sentence of the narrative kept to the findings")
        text = f"[{emotion}] {' '.join([kept, *_told_missing(run)])}"
        yield Event(output=text, actions=EventActions(state_delta={"narrative": text}))


def _told_missing(run: Run) -> list[str]:
    """What a narrative must own up to; said by code, so that it is always said."""
    whats = [held.partition(":")[0] for held in run.missing.values()]
    return [f"I have nothing this time on {_listed(whats)}."] if whats else []


def _listed(whats: list[str]) -> str:
    return whats[0] if len(whats) == 1 else f"{', '.join(whats[:-1])} and {whats[-1]}"


async def enforced(ctx: Context, run: Run, agent: LlmAgent, duty: Duty, prompt: str = "") -> Any:
    """The agent's output once its required tools have succeeded, or after three attempts as it is.

    `prompt` is the run's own where none is given. The verdict is left in `run.verdicts`. Raises what
    ADK raises where the model fails.
    """
    name = duty.name
    requires = () if run.small_talk else duty.requires
    output: Any = None
    for attempt in range(1, _ATTEMPTS + 1):
        run.attempts[name] = attempt
        unmet = run.unmet(name, requires)
        if attempt == _ATTEMPTS and unmet:
            run.forced[name] = tuple(tool for group in unmet for tool in group)
        malformed = False
        try:
            output = await ctx.run_node(
                agent, node_input=_asked(run, prompt or run.prompt, name, attempt, unmet)
            )
        except Exception as error:
            if attempt == _ATTEMPTS or not _misshapen(error):
                raise
            malformed = True
        unmet = run.unmet(name, requires)
        # An empty answer is what is left of a call that the model's own server found malformed.
        malformed = malformed or output in (None, "")
        if not unmet and not malformed:
            run.verdicts[name] = _verdict(bool(requires), attempt)
            return output
        if attempt < _ATTEMPTS:
            run.tell(f"{name} is asked again: {_names(unmet) or 'its answer had the wrong form'}")
    run.verdicts[name] = "ESCALATED"
    return output


def _verdict(required: bool, attempt: int) -> Verdict:
    if not required:
        return "SKIPPED_NO_REQUIREMENTS"
    return "PASSED" if attempt == 1 else "RETRY_SUCCEEDED"


def _misshapen(error: BaseException) -> bool:
    """A typed answer that is no such JSON: worth asking again, unlike a server that fails."""
    return isinstance(getattr(error, "error", error), (ValidationError, msgspec.DecodeError))


def _asked(run: Run, prompt: str, agent: str, attempt: int, unmet: tuple[tuple[str, ...], ...]) -> str:
    """The prompt rebuilt: the question and facts, what was found so far, and what must still be called."""
    if attempt == 1:
        return prompt
    blocks = [prompt]
    for tool, result in run.results[agent]:
        blocks.append(f"Already found by {tool}: {cut(msgspec.json.encode(result).decode())}")
    if unmet:
        blocks.append(f"You answered without evidence. Call {_names(unmet)} now, then answer.")
    else:
        blocks.append("Your last answer was not in the form asked for. Answer again in that form.")
    return "\n\n".join(blocks)


def _names(unmet: tuple[tuple[str, ...], ...]) -> str:
    return ", ".join(" or ".join(group) for group in unmet)
