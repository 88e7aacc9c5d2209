"""PitwallOrchestrator: plain Python chooses who answers, ADK runs them, and the clock has the last word."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from google.adk.models.base_llm import BaseLlm
from google.adk.runners import Runner

from pitwall.analysis.figure_check import unsupported
from pitwall.contract.events import Answer, Error
from pitwall.contract.messages import Turn
from pitwall.paddock.answer_stream import AnswerStream
from pitwall.paddock.change_request import asks_for_change
from pitwall.paddock.context import Section, build_prompt
from pitwall.paddock.crew import build_workflow
from pitwall.paddock.emotions import split_emotion
from pitwall.paddock.engine import Engine
from pitwall.paddock.fallback import Composer, FallbackAnswer, LocalModel
from pitwall.paddock.offline import ANSWER_S, BRIEF_S, OfflineOrchestrator, PendingQuestion, Recorder
from pitwall.paddock.problems import sentence
from pitwall.paddock.roster import NARRATIVE, PIPELINES
from pitwall.paddock.runs import Run
from pitwall.paddock.small_talk import is_small_talk
from pitwall.paddock.toolbox import Toolbox
from pitwall.paddock.translate import Translator
from pitwall.paddock.validator import BeforeCall
from pitwall.track.model import Track

# The composed answer is got ready when this much of the budget is gone, so that it is there at the stop.
_COMPOSE_AT = 0.6
# A pipeline asked again everywhere makes 14; more than this is a model that does not answer.
_MAX_MODEL_CALLS = 24
# Older replies than these can't be part of a loop that is still going on.
_TURNS_WATCHED = 4

__all__ = ["PitwallOrchestrator", "ask"]

ContextSource = Callable[[str, str], Sequence[Section]]


class PitwallOrchestrator(OfflineOrchestrator):
    """Answers questions until it is closed; several at once may be on their way.

    `toolbox`: the tools by name, called in threads. `context(agent, question)` gives the blocks of a prompt,
    called in a thread too. `model` None: every answer is composed. `before_call` is awaited before each call
    of the model. The rest: see OfflineOrchestrator.
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
        before_call: BeforeCall | None = None,
    ) -> None:
        super().__init__(
            compose=compose, local=local, track=track, record=record, brief_s=brief_s, answer_s=answer_s
        )
        self._model, self._toolbox, self._context = model, toolbox, context
        self._engine = Engine(before_call)
        self._runners: dict[str, Runner] = {}
        self.compose_at = _COMPOSE_AT if model is not None else 0.0

    async def aclose(self) -> None:
        """Close ADK's runners. The model is closed by whoever opened it."""
        for runner in self._runners.values():
            await runner.close()
        self._runners.clear()

    async def _best(self, asked: PendingQuestion, fallback: FallbackAnswer) -> Answer:
        """The model's answer, or the composed one with the reason why."""
        if self._model is None:
            return await super()._best(asked, fallback)
        prompt, agent, turns, run = asked.prompt, asked.agent, asked.turns, asked.run
        run.small_talk, run.earlier = is_small_talk(prompt), _replies(turns)
        run.change = asks_for_change(prompt)
        left_out: tuple[str, ...] = ()
        try:
            async with asyncio.timeout_at(run.deadline):
                sections = await self._sections(agent, prompt)
                built = build_prompt(prompt, sections, turns)
                run.prompt, left_out = built.text, built.left_out
                run.facts = tuple(each.text for each in sections if each.title not in left_out)
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
        run.emit(Error(why))
        return await fallback.answer(run, why)

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


async def ask(
    prompt: str, crew: PitwallOrchestrator, *, intent: str | None = None, turns: Sequence[Turn] = ()
) -> AnswerStream:
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
        left_out=(*left_out, *run.left_out),
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
