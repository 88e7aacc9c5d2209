"""One question on its way: its events as they come, and an end that always comes."""

from __future__ import annotations

import asyncio

from pitwall.contract.events import Event
from pitwall.contract.messages import Saved
from pitwall.contract.problems import Refused
from pitwall.contract.questions import Asked

# Between the worker and a slow client; a full one makes the run wait.
MOST_WAITING = 128


class Asking:
    """An async iterator of events; waiting for the next one may be given up and taken up again.

    Raises Refused where the question could not be begun. `saved`: how far an analysis has come that is not
    done yet.
    """

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.saved: Saved | None = None
        self._waiting: asyncio.Queue[Event | Refused | None] = asyncio.Queue(MOST_WAITING)
        self._over = self._ended = False

    def __aiter__(self) -> Asking:
        return self

    async def __anext__(self) -> Event:
        item = None if self._over and self._waiting.empty() else await self._waiting.get()
        if item is None:
            self._over = True
            raise StopAsyncIteration
        if isinstance(item, Refused):
            raise item
        return item

    async def put(self, event: Event) -> None:
        """The next event."""
        await self._waiting.put(event)

    async def close(self) -> None:
        """No event comes any more."""
        await self._waiting.put(None)

    def end(self, last: Event | Refused) -> None:
        """End it at once with this, the first time; of what a slow client has not taken, the oldest goes."""
        if self._ended:
            return
        self._ended = True
        while self._waiting.qsize() > MOST_WAITING - 2:
            self._waiting.get_nowait()
        self._waiting.put_nowait(last)
        self._waiting.put_nowait(None)
