"""Measure sessions again while the car stands: after a kill, or for a new or edited track.

First learn what a closed session shows of its track.
Laps and passes are made again from the journal, as if the track had been known."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping

from pitwall.contract.status import MatchingStatus
from pitwall.daemon.sessions.life import CarState
from pitwall.drive.learning import learn_track
from pitwall.drive.rebuild import match_again, out_of_date, rebuilder, still_placed
from pitwall.store.errors import StoreError
from pitwall.store.lessons import unjudged
from pitwall.store.store import Store, recover
from pitwall.track.model import Track

log = logging.getLogger("pitwall")

# A thread that waits for the car to stand looks this often for the daemon's end.
PARKED_WITHIN_S = 0.2


class Remeasuring:
    """`run` is supervised. `look` when a track changed; `closed` when a session ended; `profile`
    gets each remeasured one."""

    def __init__(
        self,
        store: Store,
        tracks: Mapping[str, Track],
        car: CarState,
        profile: Callable[[str], Awaitable[None]],
        news: Callable[[float | None, str, str], None],
    ) -> None:
        self.notes: list[str] = []
        self._now = MatchingStatus()
        self._store, self._tracks, self._car, self._profile, self._news = store, tracks, car, profile, news
        self._wanted = asyncio.Event()
        self._wanted.set()
        self._stopped = threading.Event()
        self._hopeless: set[str] = set()
        self._closed: list[str] = []

    def closed(self, session: str) -> None:
        """Note a session's end: its track may be learned."""
        self._closed.append(session)
        self.look()

    def look(self) -> None:
        """Look for outdated sessions."""
        self._wanted.set()

    def stop(self) -> None:
        """End: the next start measures the rest."""
        self._stopped.set()

    def status(self) -> MatchingStatus:
        return self._now

    async def run(self) -> None:
        """Rebuild what a kill left, then match what was driven on other tracks, for ever."""
        await self._car.settled.wait()
        await self._recover()
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await self._learn()
            await self._match()

    async def _recover(self) -> None:
        broken = {pending.session for pending in self._store.pending}
        rebuild = rebuilder(self._store.home, self._store, self._pause)
        for line in await asyncio.to_thread(recover, self._store, rebuild):
            self._note(line)
        whole = broken - {pending.session for pending in self._store.pending}
        for session in sorted(whole.union(await asyncio.to_thread(unjudged, self._store))):
            await self._profile(session)

    async def _learn(self) -> None:
        """Learn a track; the usual watch notices the files."""
        while self._closed:
            session = self._closed.pop(0)
            await asyncio.to_thread(self._pause)
            try:
                for line in await asyncio.to_thread(
                    learn_track, self._store.home, self._store, session, self._pause
                ):
                    self._note(line)
            except StoreError as error:
                self._note(str(error))

    async def _match(self) -> None:
        found = await asyncio.to_thread(out_of_date, self._store, dict(self._tracks))
        home = self._store.home
        sessions = [session for session in found if session not in self._hopeless]
        try:
            for number, session in enumerate(sessions):
                # A session that is begun has no laps until it is done.
                await asyncio.to_thread(self._pause)
                self._now = MatchingStatus(session=session, left=len(sessions) - number)
                self._news(None, "matching", f"{session}, {number + 1} of {len(sessions)}")
                try:
                    if await asyncio.to_thread(still_placed, home, self._store, session, dict(self._tracks)):
                        continue
                    track = await asyncio.to_thread(
                        match_again, home, self._store, session, pause=self._pause
                    )
                except StoreError as error:
                    # The same error would come again.
                    self._hopeless.add(session)
                    self._note(str(error))
                    continue
                self._note(f"session {session} was measured again: {track or 'no known track'}")
                await self._profile(session)
        finally:
            self._now = MatchingStatus()

    def _note(self, line: str) -> None:
        log.info("%s", line)
        self.notes.append(line)

    def _pause(self) -> None:
        """Wait while the car moves, in a thread. InterruptedError once the daemon ends."""
        while not self._stopped.is_set() and not self._car.parked.wait(PARKED_WITHIN_S):
            pass
        if self._stopped.is_set():
            raise InterruptedError("the daemon ends; it goes on at the next start")
