"""The events of a run as an async iterator. Closing it ends the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from pitwall.contract.events import Answer, Done, Event


class AnswerStream:
    """Iterate to get the events, of which `done` is the last. `aclose` cancels the run.

    The run does not wait for its reader. Its events are few and stay in a queue until they are read.
    """

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
