"""The thread that reads one CAN bus, gathers frames, and hands readings to the event loop."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pitwall.helpers.backoff import SOURCE, Backoff
from pitwall.telemetry.recordings.can_logs import EXTENDED
from pitwall.telemetry.sample import Values
from pitwall.telemetry.sources.base import Inbox, SourceHealth
from pitwall.telemetry.sources.can_decode import Decoders, MessagePart
from pitwall.telemetry.sources.can_link import BATCH_FRAMES, CanFrame, Link, LinkDownError
from pitwall.telemetry.sources.can_obd import ADDRESSINGS, ObdPoller

# How long the rates are learned, and of how many readings at most.
LEARN_S, LEARN_READINGS = 1.0, 4_000
# Messages join from this rate on.
LEAST_HZ = 45.0
# Rates that differ by less are the same.
SAME_RATE = 0.1
# A wider row costs more than it saves.
MOST_CHANNELS = 64
# A pause of this share of the period lies between two bursts.
PAUSE = 0.5


class DecodedFrame(NamedTuple):
    """One decoded frame: `stamp_s` is the adapter's time, `received_s` the monotonic clock."""

    part: MessagePart
    stamp_s: float | None
    received_s: float
    values: Values

    @property
    def at_s(self) -> float:
        """Return when it was, to compare it with others of the bus."""
        return self.received_s if self.stamp_s is None else self.stamp_s


class _Row:
    def __init__(self, parts: Sequence[MessagePart], period_s: float) -> None:
        channels = tuple(channel for part in parts for channel in part.channels)
        self._part = MessagePart(f"{parts[0].group}+{len(parts) - 1}", channels)
        self._places = {part: place for place, part in enumerate(parts)}
        self._empty: list[Values] = [(None,) * len(part.channels) for part in parts]
        self._pause_s = PAUSE * period_s
        self._filled: list[Values | None] = [None] * len(parts)
        self._missing = len(parts)
        self.last: DecodedFrame | None = None

    def add(self, reading: DecodedFrame) -> list[DecodedFrame]:
        """Add one reading; return the rows that it completes."""
        place, rows = self._places[reading.part], []
        last = self.last
        if last is not None and (self._filled[place] is not None or reading.at_s - last.at_s > self._pause_s):
            rows.append(self.close(last))
        self._filled[place] = reading.values
        self._missing -= 1
        self.last = reading
        if not self._missing:
            rows.append(self.close(reading))
        return rows

    def close(self, last: DecodedFrame) -> DecodedFrame:
        """End the row as it is, at the time of its last part."""
        values: list[float | None] = []
        for filled, empty in zip(self._filled, self._empty, strict=True):
            values += empty if filled is None else filled
        self._filled = [None] * len(self._filled)
        self._missing, self.last = len(self._filled), None
        return DecodedFrame(self._part, last.stamp_s, last.received_s, tuple(values))


class RowBuilder:
    """Gathers messages of one rate into rows of all their signals; rates are learned for a second.

    A car sends a dozen messages a hundred times a second: a sample for each would cost a dozen
    times as much.
    """

    def __init__(self) -> None:
        # None: the rates are known.
        self._held: list[DecodedFrame] | None = []
        self._rows: dict[MessagePart, _Row] = {}

    def add(self, readings: Sequence[DecodedFrame]) -> list[DecodedFrame]:
        """Take what came; return what is complete."""
        if self._held is None:
            return self._gather(readings)
        self._held += readings
        if len(self._held) >= LEARN_READINGS:
            return self._begin()
        return self.take_late(readings[-1].received_s if readings else 0.0, 0.0)

    def take_late(self, now_s: float, waited_s: float) -> list[DecodedFrame]:
        """Return rows that miss a part for longer than `waited_s`, or all that was held."""
        if self._held is not None:
            learned = self._held and now_s - self._held[0].received_s >= LEARN_S
            return self._begin() if learned else []
        rows = {id(row): row for row in self._rows.values()}.values()
        late = [(row, last) for row in rows if (last := row.last) is not None]
        return [row.close(last) for row, last in late if now_s - last.received_s > waited_s]

    def take_all(self) -> list[DecodedFrame]:
        """Return everything that is held back."""
        return [*self.take_late(float("inf"), 0.0), *self.take_late(float("inf"), 0.0)]

    def _begin(self) -> list[DecodedFrame]:
        held, self._held = self._held or [], None
        self._learn(held)
        return self._gather(held)

    def _gather(self, readings: Sequence[DecodedFrame]) -> list[DecodedFrame]:
        found: list[DecodedFrame] = []
        rows = self._rows
        for reading in readings:
            row = rows.get(reading.part)
            if row is None:
                found.append(reading)
            else:
                found += row.add(reading)
        return found

    def _learn(self, held: Sequence[DecodedFrame]) -> None:
        seconds = held[-1].at_s - held[0].at_s
        counts: dict[MessagePart, int] = {}
        for reading in held:
            counts[reading.part] = counts.get(reading.part, 0) + 1
        fast = [part for part, count in counts.items() if count > LEAST_HZ * seconds > 0.0]
        fast.sort(key=lambda part: (not part.needed, counts[part], part.group))
        row: list[MessagePart] = []
        for part in fast:
            if row and not (
                abs(counts[part] / counts[row[0]] - 1.0) <= SAME_RATE
                and sum(len(each.channels) for each in (*row, part)) <= MOST_CHANNELS
            ):
                self._use(row, seconds / counts[row[0]])
                row = []
            row.append(part)
        if row:
            self._use(row, seconds / counts[row[0]])

    def _use(self, parts: Sequence[MessagePart], period_s: float) -> None:
        if len(parts) > 1:
            row = _Row(sorted(parts, key=lambda part: part.group), period_s)
            self._rows |= dict.fromkeys(parts, row)


# How long the thread may not notice that it is to stop.
READ_S = 0.1
# With questions out it must see their time-outs.
OBD_READ_S = 0.01
# While frames come the loop wakes 100 times a second.
GATHER_S = 0.01
# How long frames may pile up between reads: one frame a read costs twice the CPU.
PILE_UP_S = 0.002
# A backlog or a flood: a pause leaves the interpreter to the loop.
FLOOD_PAUSE_S = 0.005
# A turn of the loop takes no more: about 5 ms.
SLICE = 256
# Five seconds of a busy bus. With a full queue the thread waits while the loop accepts anything;
# after STALL_S without that, unneeded readings are shed, at twice the queue all.
MAX_PENDING = 10_000
STALL_S = 0.5
STALL_STEP_S = 0.01
# Unknown ids that are counted, and shown.
MAX_UNKNOWN_IDS = 512
SHOWN_UNKNOWN_IDS = 10
TELL_S = 0.5

# Errors in the health record, besides lost links.
ERROR_COUNTS = ("short_frames", "garbled_lines", "error_frames")

# Ids that nothing decodes are counted for so long, then left out early.
LISTEN_S = 5.0
# An incomplete row is handed on after so long.
LATE_ROW_S = 0.03


class CanReader:
    """Owns the link, the thread and the queue between them and `inbox`."""

    def __init__(
        self,
        health: SourceHealth,
        open_link: Callable[[], Link],
        decoders: Decoders,
        obd: ObdPoller | None,
        inbox: Inbox,
    ) -> None:
        self._health, self._open_link = health, open_link
        self._decoders, self._obd, self._inbox = decoders, obd, inbox
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=health.uri, daemon=True)
        self._pending: deque[DecodedFrame] = deque()
        self._rows = RowBuilder()
        self._streams: dict[MessagePart, int] = {}
        self._scheduled = False
        self._accepted = 0
        self._stalled_at = -1
        self._backoff = Backoff(SOURCE)
        self._losses = 0
        self._tell_at_s = 0.0
        self._counts: Counter[str] = Counter()
        self._unknown: Counter[int] = Counter()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end; `ended` is done once the link is closed."""
        self._stop.set()

    def finish(self) -> None:
        """Hand over the last readings; see the thread off if it has ended."""
        while self._pending:
            self._drain()
        if self.ended.done():
            self._thread.join()  # `ended` was the last thing it did
            self.ended.exception()  # marked as seen: a cancelled run does not tell of it

    def _drain(self) -> None:
        pending, streams, put = self._pending, self._streams, self._inbox.put
        if not pending:
            # First the flag, then another look: a later append wakes us.
            self._scheduled = False
            if not pending:
                return
            self._scheduled = True
        for _ in range(min(SLICE, len(pending))):
            part, stamp_s, received_s, values = pending.popleft()
            stream = streams.get(part)
            if stream is None:
                stream = self._inbox.stream(part.channels, group=part.group, latency_s=0.0)
                streams[part] = stream
            put(stream, stamp_s, received_s, values)
            self._accepted += 1
        if not self._stop.is_set():
            self._loop.call_later(0.0 if pending else GATHER_S, self._drain)

    def _run(self) -> None:
        failure: BaseException | None = None
        try:
            self._serve()
        except BaseException as error:  # a fault of ours must reach the supervisor, not die with the thread
            failure = error
        self._call(lambda: self._end(failure))

    def _end(self, failure: BaseException | None) -> None:
        if self.ended.done():
            return
        if failure is None:
            self.ended.set_result(None)
        else:
            self.ended.set_exception(failure)

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError:  # the loop is closed: there is nobody to notify
            self._stop.set()

    def _serve(self) -> None:
        health, opened = self._health, False
        while not self._stop.is_set():
            try:
                link = self._open_link()
            except LinkDownError as error:
                self._lost(error)
                continue
            health.state = "up"
            health.reconnects += opened
            opened = True
            lost: LinkDownError | None = None
            try:
                self._pump(link)
            except LinkDownError as error:
                lost = error
            finally:
                link.close()
            self._hand_over(self._rows.take_all())
            self._tell(link)
            self._counts.update(link.counts)
            if lost is not None:
                self._lost(lost)

    def _lost(self, error: LinkDownError) -> None:
        self._health.state, self._health.last_error = "down", str(error)
        self._losses += 1
        self._health.errors += 1
        if self._obd is not None:
            self._obd.reset()
        self._stop.wait(self._backoff.next_s())

    def _pump(self, link: Link) -> None:
        obd, wait_s = self._obd, READ_S if self._obd is None else OBD_READ_S
        filter_at_s = time.monotonic() + LISTEN_S
        while not self._stop.is_set():
            if obd is not None:
                question = obd.due(time.monotonic())
                if question is not None:
                    link.send(*question)
            frames = link.read(wait_s)
            now_s = time.monotonic()
            if frames:
                self._backoff.reset()
                self._health.last_received_s = now_s
                self._hand_over(self._rows.add(self._readings(frames, now_s)))
                time.sleep(FLOOD_PAUSE_S if len(frames) >= BATCH_FRAMES else PILE_UP_S)
            else:
                self._hand_over(self._rows.take_late(now_s, LATE_ROW_S))
            if now_s >= filter_at_s:
                filter_at_s = math.inf
                answers = [each.answers for each in ADDRESSINGS] if obd is not None else []
                link.keep_only([*self._decoders.filters(), *answers])
            if now_s >= self._tell_at_s:
                self._hand_over(self._rows.take_late(now_s, LATE_ROW_S))
                self._tell(link)

    def _readings(self, frames: Sequence[CanFrame], now_s: float) -> list[DecodedFrame]:
        decoders, readings = self._decoders, list[DecodedFrame]()
        self._counts["frames"] += len(frames)
        for key, data, stamp_s in frames:
            decoder = decoders.find(key)
            if decoder is not None:
                try:
                    parts = decoder.decode(data)
                except ValueError:
                    self._counts["short_frames"] += 1
                    continue
                for part, values in parts:
                    readings.append(DecodedFrame(part, stamp_s, now_s, values))
            elif self._obd is not None and self._obd.answers(key):
                answer = self._obd.take(key, data, now_s)
                if answer is not None:
                    readings.append(DecodedFrame(answer[0], stamp_s, now_s, answer[1]))
            else:
                self._count_unknown(key)
        return readings

    def _count_unknown(self, key: int) -> None:
        self._counts["unknown_frames"] += 1
        if key in self._unknown or len(self._unknown) < MAX_UNKNOWN_IDS:
            self._unknown[key] += 1

    def _hand_over(self, readings: list[DecodedFrame]) -> None:
        if not readings:
            return
        pending, health = self._pending, self._health
        if len(pending) + len(readings) > MAX_PENDING and not self._room():
            free = 2 * MAX_PENDING - len(pending)
            kept = [reading for reading in readings if reading.part.needed][: max(0, free)]
            health.shed += len(readings) - len(kept)
            readings = kept
        pending.extend(readings)
        health.readings += len(readings)
        if not self._scheduled and readings:
            self._scheduled = True
            self._call(self._drain)

    def _room(self) -> bool:
        waited_s, accepted = 0.0, self._accepted
        while len(self._pending) >= MAX_PENDING:
            if self._accepted == self._stalled_at or self._stop.wait(STALL_STEP_S):
                return False
            waited_s = waited_s + STALL_STEP_S if self._accepted == accepted else 0.0
            accepted = self._accepted
            if waited_s >= STALL_S:
                self._stalled_at = accepted
        return True

    def _tell(self, link: Link) -> None:
        self._tell_at_s = time.monotonic() + TELL_S
        counts = self._counts + link.counts
        if self._obd is not None:
            counts.update(self._obd.counts)
        every = [each for decoder in self._decoders.values() for each in decoder.refused]
        if refused := sum(each.out_of_range for each in every):
            counts["out_of_range"] = refused
        if self._unknown:
            counts["unknown_ids"] = len(self._unknown)
            for key, count in self._unknown.most_common(SHOWN_UNKNOWN_IDS):
                digits = 8 if key & EXTENDED else 3
                counts[f"unknown_0x{key & ~EXTENDED:0{digits}X}"] = count
        self._health.errors = self._losses + sum(counts[name] for name in ERROR_COUNTS)
        self._health.details = dict(counts)
