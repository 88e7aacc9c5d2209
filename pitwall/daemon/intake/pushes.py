"""Accept pushed batches: each whole and once, acknowledged only when it is on the disk."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from pitwall.contract.push import PushBatch, PushRefusal, PushResult
from pitwall.contract.shedding import shed_above
from pitwall.contract.status import PushStatus, SourceStatus
from pitwall.daemon.intake.queue import POSITION, InputLane, Queue, Reading, importance_of
from pitwall.daemon.intake.sources import Rate, source_status
from pitwall.store.files import sync_path
from pitwall.store.journal_check import check_journal
from pitwall.store.opening import batches_of
from pitwall.store.session import SessionWriter
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.sample import Channel, Values
from pitwall.telemetry.session_clock import SessionClock
from pitwall.telemetry.sources.base import SourceHealth
from pitwall.telemetry.sources.push import PushError, PushSource

# At 10 batches a second 1.5 hours; senders repeat for some minutes.
IDS_KEPT = 50_000
# Batches that wait for the disk.
MOST_WAITING = 32
# Their values: the largest batch alone. A value needs 32 bytes meanwhile.
MOST_WAITING_VALUES = 200_000
# A sender waits this long for the disk; the batch is not given up.
DURABLE_WITHIN_S = 5.0
REFUSED_ABOVE = shed_above("intake", "batches")
AGAIN = "send the same batch again"


class Waiting(msgspec.Struct, eq=False):
    """A batch on its way to the disk. `seq`: of its last record in the journal."""

    batch: str
    readings: list[Reading]
    done: asyncio.Future[PushResult | PushRefusal]
    seq: int = -1


def _values(waiting: Waiting) -> int:
    return len(waiting.readings) * len(waiting.readings[0].values) if waiting.readings else 0


class PushInbox:
    """The push source's `Inbox`: keeps a batch together."""

    def __init__(self, clock: SessionClock) -> None:
        self.readings: list[Reading] = []
        self._clock = clock
        self._lanes: dict[int, InputLane] = {}
        self._count = 0

    @property
    def lanes(self) -> list[InputLane]:
        """List the streams in the order in which they came."""
        return list(self._lanes.values())

    def stream(self, channels: Sequence[Channel], *, group: str, latency_s: float) -> int:
        """Add a stream; each sender has a clock of its own."""
        sender, _, name = group.partition("/")
        wanted = tuple(channels)
        for number, lane in self._lanes.items():
            if (lane.source, lane.group, lane.channels) == (sender, name, wanted):
                return number
        importance = importance_of(wanted)
        clock = self._clock.source(
            _clock_of(sender), latency_s, receiver=importance == POSITION, stream=f"{sender}:{name}"
        )
        self._count += 1
        self._lanes[self._count] = InputLane(sender, name, wanted, clock, importance)
        return self._count

    def forget(self, stream: int) -> None:
        """Drop an idle stream, and a sender's clock with the last."""
        sender = self._lanes.pop(stream).source
        if all(lane.source != sender for lane in self._lanes.values()):
            self._clock.forget(_clock_of(sender))

    def put(self, stream: int, source_s: float | None, received_s: float, values: Values) -> None:
        """Queue a reading of the batch."""
        self.readings.append(Reading(self._lanes[stream], source_s, received_s, values))


def _clock_of(sender: str) -> str:
    return f"push/{sender}"


class Pushes:
    """Accepts batches, remembers their ids, answers when the journal is durable. On the loop."""

    def __init__(self, queue: Queue, clock: SessionClock, now: Callable[[], float] = time.monotonic) -> None:
        self.inbox = PushInbox(clock)
        self.taken = self.known = self.refused = 0
        self._source, self._rate = PushSource("push:", now), Rate()
        self._source.forgotten = self.inbox.forget
        self._queue = queue
        self._ids: OrderedDict[str, int] = OrderedDict()
        self._waiting: dict[str, Waiting] = {}
        self._written: dict[SessionWriter, deque[Waiting]] = {}
        # Batches that an abandoned journal may hold, and which.
        self._doubtful: OrderedDict[str, Path] = OrderedDict()

    @property
    def health(self) -> SourceHealth:
        """Return what all senders together have brought."""
        return self._source.health

    def turn(self, now_s: float) -> None:
        """Work out the rate of the readings."""
        self._rate.turn(self.health.readings, now_s)

    def status(self) -> PushStatus:
        """Return what became of the batches."""
        return PushStatus(taken=self.taken, known=self.known, refused=self.refused)

    def source_status(self, now_s: float) -> SourceStatus:
        """Return all senders' health as one source."""
        return source_status("push", self.health, self.inbox.lanes, self._rate, now_s)

    async def run(self) -> None:
        """Let batches in."""
        await self._source.run(self.inbox)

    def remember(self, ids: Iterable[str]) -> None:
        """Remember batches that are in journals, the newest last."""
        for batch in ids:
            self._remember(batch, 0)

    async def accept(self, batch: PushBatch) -> PushResult | PushRefusal:
        """Accept a batch; return when it is durable, or why it is refused."""
        if (journal := self._doubtful.get(batch.batch_id)) is not None:
            try:
                there = await asyncio.to_thread(_keeps, journal, batch.batch_id)
            except OSError as error:
                why = f"{journal} can't be read: {error.strerror or error}"
                return PushRefusal("busy", why, AGAIN, DURABLE_WITHIN_S)
            if self._doubtful.pop(batch.batch_id, None) is not None and there:
                self._remember(batch.batch_id, len(batch.samples))
        if (samples := self._ids.get(batch.batch_id)) is not None:
            self.known += 1
            return PushResult(batch.batch_id, samples or len(batch.samples), True)
        waiting = self._waiting.get(batch.batch_id)
        if waiting is None:
            accepted = self._take(batch)
            if isinstance(accepted, PushRefusal):
                self.refused += 1
                return accepted
            waiting = accepted
        try:
            return await asyncio.wait_for(asyncio.shield(waiting.done), DURABLE_WITHIN_S)
        except TimeoutError:
            return PushRefusal("busy", "the disk is slow", AGAIN, DURABLE_WITHIN_S)

    def written(self, waiting: Waiting, writer: SessionWriter) -> None:
        """Note that the journal has the batch."""
        waiting.seq = writer.seq
        self._written.setdefault(writer, deque()).append(waiting)
        self.taken += 1
        writer.hurry()

    def failed(self, waiting: Waiting, why: str) -> None:
        """Refuse a batch after all."""
        self._waiting.pop(waiting.batch, None)
        self.refused += 1
        if not waiting.done.done():
            waiting.done.set_result(PushRefusal("busy", why, AGAIN))

    def durable(self, writer: SessionWriter, seq: int) -> None:
        """Note that this writer's journal is on the disk up to `seq`."""
        written = self._written.get(writer, deque())
        while written and written[0].seq <= seq:
            waiting = written.popleft()
            samples = len(waiting.readings)
            self._waiting.pop(waiting.batch, None)
            self._remember(waiting.batch, samples)
            if not waiting.done.done():
                waiting.done.set_result(PushResult(waiting.batch, samples, False))

    def answer_from(self, writer: SessionWriter) -> None:
        """Answer senders as this writer's journal becomes durable."""
        loop = asyncio.get_running_loop()

        def durable(seq: int) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits any more
                loop.call_soon_threadsafe(self.durable, writer, seq)

        writer.on_durable(durable)

    async def answer_last(self, writer: SessionWriter) -> None:
        """Answer senders that wait for this writer's closed journal."""
        await asyncio.sleep(0)  # what the journal's thread had to tell comes first
        self.durable(writer, writer.stats().durable_seq)
        self.give_up(writer, "the journal could not be written")

    def give_up(self, writer: SessionWriter, why: str) -> None:
        """Refuse what this closed journal did not sync; a resent batch is looked up there."""
        for waiting in self._written.pop(writer, ()):
            self._doubtful[waiting.batch] = writer.path
            if len(self._doubtful) > IDS_KEPT:
                self._doubtful.popitem(last=False)
            self.failed(waiting, why)

    def _take(self, batch: PushBatch) -> Waiting | PushRefusal:
        if not self._source.running:
            return PushRefusal("busy", "the daemon is starting", AGAIN)
        if len(self._waiting) >= MOST_WAITING:
            return PushRefusal("busy", f"{MOST_WAITING} batches wait for the disk", AGAIN)
        if self._waiting and sum(map(_values, self._waiting.values())) > MOST_WAITING_VALUES:
            return PushRefusal("busy", "the batches that wait for the disk are large", AGAIN)
        if len(self._queue) > self._queue.capacity * REFUSED_ABOVE:
            return PushRefusal("busy", "the inbox is half full", AGAIN)
        self.inbox.readings = []
        try:
            self._source.accept(batch)
        except PushError as error:
            return PushRefusal("mistake", str(error), "mend the batch; nothing of it was kept")
        future = asyncio.get_running_loop().create_future()
        waiting = Waiting(batch.batch_id, self.inbox.readings, future)
        self._waiting[batch.batch_id] = waiting
        self._queue.put_always(waiting)
        return waiting

    def _remember(self, batch: str, samples: int) -> None:
        self._ids[batch] = samples
        if len(self._ids) > IDS_KEPT:
            self._ids.popitem(last=False)


def _keeps(journal: Path, batch: str) -> bool:
    try:
        with journal.open("rb") as file:
            os.fsync(file.fileno())
        sync_path(journal.parent)
        return batch in batches_of(check_journal(journal))
    except (FileNotFoundError, RecordingError):
        return False
