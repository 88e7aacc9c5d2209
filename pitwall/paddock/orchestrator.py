"""PitwallOrchestrator: plain Python chooses who answers, ADK runs them, and the clock has the last word."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence

import msgspec
from google.adk.models.base_llm import BaseLlm
from google.adk.runners import Runner

from pitwall.intercom.events import Answer, Content, Error, Event, Routed
from pitwall.intercom.messages import Turn
from pitwall.paddock.below import Below, Composer, LocalModel
from pitwall.paddock.context import Section, build_prompt
from pitwall.paddock.crew import build_workflow
from pitwall.paddock.emotions import split_emotion
from pitwall.paddock.engine import Engine
from pitwall.paddock.grounding import unsupported
from pitwall.paddock.intents import Routed as Route
from pitwall.paddock.intents import route
from pitwall.paddock.problems import sentence
from pitwall.paddock.roster import BRIEF, NARRATIVE, PIPELINES
from pitwall.paddock.runs import Run
from pitwall.paddock.small_talk import is_small_talk
from pitwall.paddock.stream import Stream
from pitwall.paddock.toolbox import Toolbox
from pitwall.paddock.translate import Translator
from pitwall.track.model import Track

# DESIGN.md section 2: the hard stops of the brief and of everything else, from the request on.
BRIEF_S, ANSWER_S = 8.0, 15.0
# The composed answer is got ready when this much of the budget is gone, so that it is there at the stop.
_COMPOSE_AT = 0.6
# What is kept back of the budget to hand over the lower tier's answer.
_RESERVE = 0.05
# A pipeline asked again everywhere makes 14; more than this is a model that does not answer.
_MAX_MODEL_CALLS = 24
# Older replies than these can't be part of a loop that is still going on.
_TURNS_WATCHED = 4

ContextSource = Callable[[str, str], Sequence[Section]]
Recorder = Callable[[Answer], None]


class PitwallOrchestrator:
    """Answers questions until it is closed; several at once may be on their way.

    `toolbox`: the tools by name, called in threads. `compose(agent, question)` gives the same facts in fixed
    sentences and `context(agent, question)` the blocks of a prompt; both are called in threads. `local` is a
    model on this machine that may put the composed answer into better words. `record` is
    given every answer with its audit trail, for `agent_events`. `model` None: every answer is composed.
    """

    def __init__(
        self,
        model: BaseLlm | None,
        toolbox: Toolbox,
        *,
        compose: Composer,
        local: LocalModel | None = None,
        context: ContextSource | None = None,
        track: Track | None = None,
        record: Recorder | None = None,
        brief_s: float = BRIEF_S,
        answer_s: float = ANSWER_S,
    ) -> None:
        self._model, self._toolbox = model, toolbox
        self._compose, self._local = compose, local
        self._context, self._record = context, record
        self._track = track
        self._budgets = {BRIEF: brief_s}
        self._answer_s = answer_s
        self._engine = Engine()
        self._runners: dict[str, Runner] = {}

    async def ask(self, prompt: str, *, intent: str | None = None, turns: Sequence[Turn] = ()) -> Stream:
        """Begin to answer; the events come out of the stream. ValueError: empty, or an unknown `intent`."""
        if not prompt.strip():
            raise ValueError("the question is empty: ask something")
        started = asyncio.get_running_loop().time()
        chosen = route(prompt, self._track, intent=intent)
        if chosen.error:
            raise ValueError(chosen.error)
        return Stream(lambda emit: self._answer(prompt, chosen, tuple(turns), started, emit))

    async def run(
        self, prompt: str, *, intent: str | None = None, turns: Sequence[Turn] = ()
    ) -> dict[str, str]:
        """{"text", "emotion"} of the answer; an unverified one says so. ValueError as for `ask`."""
        async with await self.ask(prompt, intent=intent, turns=turns) as stream:
            answer = await stream.answer()
        return {"text": spoken(answer), "emotion": answer.emotion}

    async def aclose(self) -> None:
        """Close ADK's runners. The model is closed by whoever opened it."""
        for runner in self._runners.values():
            await runner.close()
        self._runners.clear()

    async def _answer(
        self,
        prompt: str,
        chosen: Route,
        turns: tuple[Turn, ...],
        started: float,
        emit: Callable[[Event], None],
    ) -> Answer:
        agent = chosen.agent
        budget_s = self._budgets.get(agent, self._answer_s)
        emit(Routed(agent, chosen.stage))
        deadline = started + budget_s * (1 - _RESERVE)
        below = Below(self._compose, self._local, agent, prompt, started + budget_s)
        below.ready_after(budget_s * _COMPOSE_AT if self._model is not None else 0.0)
        try:
            answer = await self._by_model(prompt, agent, turns, deadline, emit, below)
        finally:
            await below.close()
        emit(Content(answer.agent, answer.text, answer.unverified))
        answer = msgspec.structs.replace(answer, took_s=round(asyncio.get_running_loop().time() - started, 3))
        if self._record is not None:
            # The answer is the driver's even where its trail can't be kept.
            with contextlib.suppress(Exception):
                await asyncio.to_thread(self._record, answer)
        return answer

    async def _by_model(
        self,
        prompt: str,
        agent: str,
        turns: tuple[Turn, ...],
        deadline: float,
        emit: Callable[[Event], None],
        below: Below,
    ) -> Answer:
        """The model's answer, or the composed one with the reason why."""
        if self._model is None:
            return await below.answer(None, "No model is set, or there is no connection.")
        run = Run(prompt, deadline, emit, small_talk=is_small_talk(prompt), earlier=_replies(turns))
        left_out: tuple[str, ...] = ()
        try:
            async with asyncio.timeout_at(deadline):
                sections = await self._sections(agent, prompt)
                built = build_prompt(prompt, sections, turns)
                run.prompt, left_out = built.text, built.left_out
                text = await self._run_workflow(agent, run)
        except TimeoutError:
            run.verdicts[agent] = "TIMEOUT"
            why = "The model took too long."
        # Whatever a model, its server or ADK throws: the driver gets the facts and a sentence.
        except Exception as error:
            why = sentence(error)
        else:
            bare, emotion = split_emotion(text)
            if bare:
                return _verified(bare, emotion, agent, run, left_out)
            why = _nothing_said(run)
        emit(Error(why))
        return await below.answer(run, why)

    async def _sections(self, agent: str, prompt: str) -> Sequence[Section]:
        return await asyncio.to_thread(self._context, agent, prompt) if self._context else ()

    async def _run_workflow(self, agent: str, run: Run) -> str:
        """Run ADK to its end; the text of the last node that hands on plain text."""
        output = await self._engine.run(
            self._runner(agent), run, Translator(agent, run), max_model_calls=_MAX_MODEL_CALLS
        )
        return output if isinstance(output, str) else ""

    def _runner(self, agent: str) -> Runner:
        if agent not in self._runners:
            if self._model is None:
                raise RuntimeError("no model to run with")
            root = build_workflow(agent, self._model, self._toolbox, self._engine.runs)
            self._runners[agent] = self._engine.runner(root)
        return self._runners[agent]


def spoken(answer: Answer) -> str:
    """The text as it is shown and spoken anywhere: an unverified answer says so first."""
    return f"Unverified: {answer.text}" if answer.unverified else answer.text


async def ask(
    prompt: str, crew: PitwallOrchestrator, *, intent: str | None = None, turns: Sequence[Turn] = ()
) -> Stream:
    """`async for event in await ask("...", crew)`: see PitwallOrchestrator.ask."""
    return await crew.ask(prompt, intent=intent, turns=turns)


def _verified(text: str, emotion: str, agent: str, run: Run, left_out: tuple[str, ...]) -> Answer:
    verdict = run.verdict()
    evidence = [run.prompt, run.state, [result for found in run.results.values() for _tool, result in found]]
    return Answer(
        text=text,
        emotion=emotion,
        agent=NARRATIVE if agent in PIPELINES else agent,
        tier="paddock",
        verdict=verdict,
        unverified=verdict == "ESCALATED",
        missing=tuple(run.missing.values()),
        left_out=left_out,
        unbacked=tuple(unsupported(text, evidence)),
        audit=tuple(run.audit),
        model_calls=run.model_calls,
    )


def _nothing_said(run: Run) -> str:
    return (
        f"The model declined to answer ({run.declined})." if run.declined else "The model answered nothing."
    )


def _replies(turns: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(turn.text for turn in turns if turn.role != "driver")[-_TURNS_WATCHED:]
