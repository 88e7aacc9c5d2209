"""A run's events as they come: an async iterator whose closing ends the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from pitwall.contract.events import Answer, Done, Event


class AnswerStream:
    """Iterate to get events, the last of which is `done`; leave early by `aclose`, which cancels the run.

    The run does not wait for its reader; its events are few and kept until they are read.
    """

    def __init__(self, work: Callable[[Callable[[Event], None]], Coroutine[Any, Any, Answer]]) -> None:
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._run(work))
        # Not at the end of the task: one that is cancelled before it begins has none.
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
            # Left for whoever asks again.
            self._events.put_nowait(None)
            if not self._task.cancelled():
                self._task.result()
            raise StopAsyncIteration
        return event

    async def answer(self) -> Answer:
        """The answer, without looking at the events before it. CancelledError where the stream was closed."""
        return await asyncio.shield(self._task)

    async def aclose(self) -> None:
        """End the run and wait until nothing of it is left: no task, no request. Harmless when it is over."""
        self._task.cancel()
        # Not `await self._task`: its cancellation would look like that of whoever closes.
        await asyncio.wait({self._task})

    async def __aenter__(self) -> AnswerStream:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()
