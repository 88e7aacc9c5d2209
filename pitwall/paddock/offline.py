"""Who answers and by when, without a model: what every answer goes through, and all there is offline.

Nothing here loads google.adk or pydantic: a phone without the extra `paddock` is answered too.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence

import msgspec

from pitwall.contract.events import Answer, Content, Event, Routed, told
from pitwall.contract.messages import Turn
from pitwall.paddock.answer_stream import AnswerStream
from pitwall.paddock.audit import CancelledRun
from pitwall.paddock.fallback import Composer, FallbackAnswer, LocalModel
from pitwall.paddock.intents import Route as Route
from pitwall.paddock.intents import route
from pitwall.paddock.roster import BRIEF
from pitwall.paddock.runs import Run
from pitwall.track.model import Track

# DESIGN.md section 2: the hard stops of the brief and of everything else, from the request on.
BRIEF_S, ANSWER_S = 8.0, 15.0
# What is kept back of the budget to hand over the lower tier's answer.
_RESERVE = 0.05
_LAST_WORDS_S = 0.5
NO_MODEL = "No model is set, or there is no connection."

Recorder = Callable[[Answer | CancelledRun], None]


class PendingQuestion(msgspec.Struct, frozen=True):
    """One question on its way, and what is known of it as it goes."""

    prompt: str
    agent: str
    turns: tuple[Turn, ...]
    run: Run


class OfflineOrchestrator:
    """Answers questions in composed sentences; several at once may be on their way.

    `compose(agent, question)` gives the facts in fixed sentences and is called in threads. `local` is a model
    on this machine that may put them into better words. `record` is given every answer with its audit trail,
    and what a run that was stopped had done, for `agent_events`. `why`: what is said of there being no better
    answer.
    """

    # The composed answer is got ready when this much of the budget is gone, so that it is there at the stop.
    compose_at = 0.0

    def __init__(
        self,
        *,
        compose: Composer,
        local: LocalModel | None = None,
        track: Track | None = None,
        record: Recorder | None = None,
        brief_s: float = BRIEF_S,
        answer_s: float = ANSWER_S,
        why: str = NO_MODEL,
    ) -> None:
        self._compose, self._local = compose, local
        self._track, self._record = track, record
        self._budgets = {BRIEF: brief_s}
        self._answer_s = answer_s
        self._why = why

    async def ask(
        self, prompt: str, *, intent: str | None = None, turns: Sequence[Turn] = (), age_s: float = 0.0
    ) -> AnswerStream:
        """Begin to answer; the events come out of the stream. `age_s`: so long ago it was asked.

        ValueError: empty, or an unknown `intent`.
        """
        if not prompt.strip():
            raise ValueError("the question is empty: ask something")
        started = asyncio.get_running_loop().time() - age_s
        chosen = route(prompt, self._track, intent=intent)
        if chosen.error:
            raise ValueError(chosen.error)
        return AnswerStream(lambda emit: self._answer(prompt, chosen, tuple(turns), started, emit))

    async def run(
        self, prompt: str, *, intent: str | None = None, turns: Sequence[Turn] = ()
    ) -> dict[str, str]:
        """{"text", "emotion"} of the answer; an unverified one says so. ValueError as for `ask`."""
        async with await self.ask(prompt, intent=intent, turns=turns) as stream:
            answer = await stream.answer()
        return {"text": told(answer.text, answer.unverified), "emotion": answer.emotion}

    async def aclose(self) -> None:
        """Nothing is held open."""

    async def _answer(
        self,
        prompt: str,
        chosen: Route,
        turns: tuple[Turn, ...],
        started: float,
        emit: Callable[[Event], None],
    ) -> Answer:
        loop = asyncio.get_running_loop()
        budget_s = self._budgets.get(chosen.agent, self._answer_s)
        emit(Routed(chosen.agent, chosen.stage))
        asked = PendingQuestion(
            prompt, chosen.agent, turns, Run(prompt, started + budget_s * (1 - _RESERVE), emit)
        )
        fallback = FallbackAnswer(self._compose, self._local, chosen.agent, prompt, started + budget_s)
        fallback.prepare_after(max(0.0, started + budget_s * self.compose_at - loop.time()))
        try:
            answer = await self._best(asked, fallback)
        except asyncio.CancelledError:
            await record_cancelled(chosen.agent, asked.run, started, self._record)
            raise
        finally:
            await fallback.close()
        return await deliver(answer, started, emit, self._record)

    async def _best(self, asked: PendingQuestion, fallback: FallbackAnswer) -> Answer:
        """The best answer that can be had before the run's deadline, else the one of the tiers fallback."""
        return await fallback.answer(None, self._why)


async def deliver(
    answer: Answer, started: float, emit: Callable[[Event], None], record: Recorder | None
) -> Answer:
    """Show the answer's text and record it; the answer with how long it took since `started`."""
    emit(Content(answer.agent, answer.text, answer.unverified))
    answer = msgspec.structs.replace(answer, took_s=round(asyncio.get_running_loop().time() - started, 3))
    if record is not None:
        # The answer is the driver's even where its trail can't be kept.
        with contextlib.suppress(Exception):
            await asyncio.to_thread(record, answer)
    return answer


async def record_cancelled(agent: str, run: Run, started: float, record: Recorder | None) -> None:
    """Record what a cancelled run had done, in a part of the second within which it must be gone."""
    if record is None:
        return
    took_s = round(asyncio.get_running_loop().time() - started, 3)
    stopped = CancelledRun(agent=agent, audit=run.trail(), model_calls=run.model_calls, took_s=took_s)
    keeping = asyncio.ensure_future(asyncio.to_thread(record, stopped))
    done, _ = await asyncio.wait({keeping}, timeout=_LAST_WORDS_S)
    keeping.cancel()
    for one in done:
        one.exception()  # looked at: nobody is left who could be told
