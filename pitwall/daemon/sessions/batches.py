"""Takes a pushed batch whole and in order into one session. Every batch gets an answer, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pitwall.daemon.intake.pushes import Pushes, Waiting
from pitwall.daemon.intake.queue import SLICE, InputLane
from pitwall.daemon.sessions.open_session import OpenSession, Values
from pitwall.telemetry.frame import Frame

# What the journal must have room for beside the batch, which it takes whole.
ROOM = 4 * SLICE
NO_JOURNAL = "the journal can't be written now"
BEHIND = "the journal is far behind"


class Batches:
    """Takes batches in. `open_at(clock_s)` gives the session that keeps one which begins there, None where
    none can be kept; `drive` takes a reading; `look_at` is told of each frame that was made."""

    def __init__(
        self,
        pushes: Pushes,
        open_at: Callable[[float], OpenSession | None],
        drive: Callable[[OpenSession, InputLane, float, Values], Frame | None],
        look_at: Callable[[OpenSession, Frame], None],
    ) -> None:
        self.under_way = False
        self._pushes, self._open_at, self._drive, self._look_at = pushes, open_at, drive, look_at

    async def take(self, waiting: Waiting) -> None:
        """Keep a batch, and drive it."""
        try:
            await self._keep(waiting)
        except Exception as error:
            self._pushes.failed(waiting, f"it could not be taken: {error}")
            raise

    async def _keep(self, waiting: Waiting) -> None:
        # The clocks first: what is said to be in the batch must be in it.
        mapped = [
            (each.lane, each.lane.clock.map(each.source_s, each.received_s), each.values)
            for each in waiting.readings
        ]
        session = self._open_at(min(clock_s for _, clock_s, _ in mapped))
        if session is None or session.writer.stats().state != "good":
            self._pushes.failed(waiting, NO_JOURNAL)
            return
        if session.writer.room() < ROOM:
            # A disk that stands still: the sender waits for it, the drive does not.
            self._pushes.failed(waiting, BEHIND)
            return
        for lane in dict.fromkeys(each.lane for each in waiting.readings):
            session.introduce(lane)
        session.writer.batch(waiting.batch, len(mapped))
        self.under_way, cancelled = True, False
        try:
            for number, (lane, clock_s, values) in enumerate(mapped):
                frame = self._drive(session, lane, clock_s, values)
                if frame is not None:
                    self._look_at(session, frame)
                if number % SLICE == SLICE - 1 and not cancelled:
                    try:
                        await asyncio.sleep(0)
                    except asyncio.CancelledError:
                        cancelled = True  # the rest of it all the same: half a batch is none
        finally:
            self.under_way = False
        self._pushes.written(waiting, session.writer)
        if cancelled:
            raise asyncio.CancelledError
