"""Answers without a model, what all answers have in common, and their stream of events.

Imports no google.adk or pydantic: a phone without the extra `paddock` gets answers too."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Required, TypedDict, Unpack

import msgspec

from pitwall.contract.events import Answer, Content, Done, Event, Routed, shown_text
from pitwall.contract.messages import Turn
from pitwall.paddock.fallback import Composer, FallbackAnswer
from pitwall.paddock.intents import AgentChoice, route
from pitwall.paddock.model_text import shown
from pitwall.paddock.roster import BRIEF
from pitwall.paddock.runs import CancelledRun, Run
from pitwall.track.model import Track
from pitwall.words.language import ENGLISH, Language


class AnswerStream:
    """The events of an answer, of which `done` is the last; it does not wait for its reader."""

    def __init__(self, work: Callable[[Callable[[Event], None]], Coroutine[Any, Any, Answer]]) -> None:
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._run(work))
        # A callback, since a task that is cancelled before it begins runs no code.
        self._task.add_done_callback(lambda _task: self._events.put_nowait(None))

    async def _run(self, work: Callable[[Callable[[Event], None]], Coroutine[Any, Any, Answer]]) -> Answer:
        answer = await work(self._events.put_nowait)
        self._events.put_nowait(Done(answer))
        return answer

    def __aiter__(self) -> AnswerStream:
        return self

    async def __anext__(self) -> Event:
        event = await self._events.get()
        if event is None:
            # Keep the end for further calls.
            self._events.put_nowait(None)
            if not self._task.cancelled():
                self._task.result()
            raise StopAsyncIteration
        return event

    async def answer(self) -> Answer:
        """The answer. CancelledError where the stream was closed."""
        return await asyncio.shield(self._task)

    async def aclose(self) -> None:
        """Cancel the run and wait until its task has ended. Does nothing after the end."""
        self._task.cancel()
        # With `await self._task` the task's cancellation would look like one of the caller.
        await asyncio.wait({self._task})

    async def __aenter__(self) -> AnswerStream:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


# The hard stops of the brief and of everything else, counted from the request (the map, figures).
BRIEF_S, ANSWER_S = 8.0, 15.0
# The share that is kept for delivering the fallback.
_RESERVE = 0.05
# A cancelled run must be gone within a second, so its record may take this long.
_RECORD_S = 0.5
NO_MODEL = "No model is set, or there is no connection."

Recorder = Callable[[Answer | CancelledRun], None]


class AnswerMeans(TypedDict, total=False):
    """The means of every way to answer: `compose` in threads, `record` for the audit trail."""

    compose: Required[Composer]
    track: Track | None
    record: Recorder | None
    brief_s: float
    answer_s: float
    words: Language


class OfflineOrchestrator:
    """Answers in composed sentences; several at once. `why`: there is no model."""

    def __init__(self, *, why: str = NO_MODEL, **common: Unpack[AnswerMeans]) -> None:
        self._compose = common["compose"]
        self._track, self._record = common.get("track"), common.get("record")
        self._budgets = {BRIEF: common.get("brief_s", BRIEF_S)}
        self._answer_s = common.get("answer_s", ANSWER_S)
        self._why, self._words = why, common.get("words", ENGLISH)

    async def ask(
        self, prompt: str, *, intent: str | None = None, turns: Sequence[Turn] = (), age_s: float = 0.0
    ) -> AnswerStream:
        """Start an answer to a question of `age_s` ago. ValueError: empty, unknown `intent`."""
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
        return {"text": shown_text(answer.text, answer.unverified), "emotion": answer.emotion}

    async def aclose(self) -> None:
        """Nothing is held open here."""

    async def _answer(
        self,
        prompt: str,
        chosen: AgentChoice,
        turns: tuple[Turn, ...],
        started: float,
        emit: Callable[[Event], None],
    ) -> Answer:
        """Answer within the budget; cancelled, it is recorded."""
        agent = chosen.agent
        emit(Routed(agent, chosen.stage))
        budget_s = self._budgets.get(agent, self._answer_s)
        run = Run(prompt, started + budget_s * (1 - _RESERVE), emit, question=prompt, turns=turns)
        fallback = FallbackAnswer(self._compose, agent, prompt, started + budget_s, self._words)
        try:
            answer = await self._best(agent, run, fallback)
        except asyncio.CancelledError:
            await record_cancelled(agent, run, started, self._record)
            raise
        finally:
            await fallback.close()
        return await deliver(answer, started, emit, self._record)

    async def _best(self, agent: str, run: Run, fallback: FallbackAnswer) -> Answer:
        return await fallback.answer(None, self._why)


async def deliver(
    answer: Answer, started: float, emit: Callable[[Event], None], record: Recorder | None
) -> Answer:
    """Show and record the answer; the answer with the time that it took since `started`."""
    answer = msgspec.structs.replace(answer, text=shown(answer.text))
    emit(Content(answer.agent, answer.text, answer.unverified))
    answer = msgspec.structs.replace(answer, took_s=round(asyncio.get_running_loop().time() - started, 3))
    if record is not None:
        # The driver gets the answer even without an audit trail.
        with contextlib.suppress(Exception):
            await asyncio.to_thread(record, answer)
    return answer


async def record_cancelled(agent: str, run: Run, started: float, record: Recorder | None) -> None:
    """Record what a cancelled run had done, within a short time."""
    if record is None:
        return
    took_s = round(asyncio.get_running_loop().time() - started, 3)
    cancelled = CancelledRun(agent=agent, audit=run.tool_calls(), model_calls=run.model_calls, took_s=took_s)
    recording = asyncio.ensure_future(asyncio.to_thread(record, cancelled))
    done, _ = await asyncio.wait({recording}, timeout=_RECORD_S)
    recording.cancel()
    for one in done:
        one.exception()  # retrieved, so that asyncio does not log it
