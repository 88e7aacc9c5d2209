"""A question on its way, and what was said before it: the one place that keeps a driver's own words."""

from __future__ import annotations

import asyncio
import time

import msgspec

from pitwall.contract.events import Answer, Event
from pitwall.contract.messages import Saved, Turn
from pitwall.contract.problems import Refused
from pitwall.contract.questions import Asked
from pitwall.store.errors import StoreError
from pitwall.store.reading import rows
from pitwall.store.store import Store

# What was said longer ago than a walk round the car does not explain "and the next corner?".
RECENT_S = 600.0
MOST_TURNS = 6


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """`detail` of a coach's row: how far the text can be trusted."""

    agent: str
    tier: str
    verdict: str
    unverified: bool
    took_s: float


class _Trust(msgspec.Struct, frozen=True):
    """Of any row's `detail`: a driver's has none."""

    unverified: bool = False


def keep_turns(store: Store, session: str, question: str, answer: Answer) -> None:
    """Keep a question with its answer. `session`: "" where there is none. StoreError."""
    said = Said(
        agent=answer.agent,
        tier=answer.tier,
        verdict=answer.verdict,
        unverified=answer.unverified,
        took_s=answer.took_s,
    )
    number, now_s = time.time_ns(), time.time()
    turns = (("driver", question, "{}"), ("coach", answer.text, msgspec.json.encode(said).decode()))
    for place, (role, text, detail) in enumerate(turns):
        store.put(
            "INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?)",
            [number + place, session, now_s, role, text, detail],
        )
    # The next question may be about this answer.
    if not store.flush():
        raise StoreError(f"{store.home.database} can't be written: {store.stats().last_error}")


def recent_turns(store: Store, now_utc_s: float) -> tuple[Turn, ...]:
    """The last turns of a conversation that is still going on, the oldest first. StoreError.

    An unverified answer is left out: the next question must not build on it.
    """
    sql = (
        "SELECT role, text, detail FROM conversations WHERE at_utc_s BETWEEN ? AND ? ORDER BY id DESC LIMIT ?"
    )
    found = [
        (role, text, msgspec.json.decode(detail, type=_Trust))
        for role, text, detail in rows(store, sql, [now_utc_s - RECENT_S, now_utc_s, MOST_TURNS])
    ]
    return tuple(Turn(role, text) for role, text, trust in reversed(found) if not trust.unverified)


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
