"""`pitwall run` on a clock that runs several times as fast, which drives a recording and kills itself.

The plan, JSON in PITWALL_DRIVEN, is a `Driven`. The sender lives in this process and is killed with it: what
was acknowledged stands in a file, and what was made when no daemon ran is lost (a car's own sensors) or sent
later with the stamps of then (a logger that keeps it). The clock goes on from process to process.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import mmap
import os
import selectors
import signal
import struct
import sys
import time
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from killed_pitwall import die_after, watch

Sender = Literal["real time", "backlog"]
# A logger sends so often, and so many batches without an answer.
BATCH_S, MOST_OPEN = 0.2, 8
STREAMS = ((False, "car"), (True, "gps"))
GPS = ("lat_deg", "lon_deg", "altitude_m", "speed_mps", "heading_deg", "satellites")
# Another epoch for each of the two clocks.
GPS_EPOCH_S, CAR_EPOCH_S = 50_000.0, 100.0


class Aim(msgspec.Struct, frozen=True):
    """When the process kills itself: `place` the record `number` of this kind in what this process writes
    (a control's kind, or sample, ledger, stream, batch, event, header); or, where `place` is "at", so often a
    moment of `killed_pitwall` has come (or "start": at once), and `after_s` real seconds have passed. What
    does not come within `most` samples is waited for no longer. The next process begins `down_s` of the drive
    later."""

    kind: str
    place: Literal["before", "after", "at"] = "at"
    number: int = 1
    after_s: float = 0.0
    down_s: float = 1.5
    most: int = 1_000_000


class Driven(msgspec.Struct, frozen=True):
    """What is driven: its second 0 is when the clock shows EPOCH_S; this process begins `from_s` later.
    `speed`: how many times as fast as the real one the clock may go. `slow`: SLOW times also while words are
    rendered.
    `lost_s`: what the GPS (True) or the car made between these seconds of the drive never comes. `clock` is a
    file that holds how late it is in the drive, and until when the sender was behind; `acknowledged` one of
    the batches that were sent and taken. `drain`: how many times as fast as it was made a backlog is sent, so
    many readings a batch at most. `can_rows`: so many rows of the car come in real time for each one of the
    recording, with `tall` signals more that no rule reads."""

    recording: str
    until_s: float
    sender: Sender
    from_s: float
    speed: float
    clock: str
    acknowledged: str
    aim: Aim | None = None
    slow: bool = False
    lost_s: tuple[tuple[bool, float, float], ...] = ()
    drain: float = 20.0
    readings: int = 500
    can_rows: int = 1
    tall: int = 0


# Where words are rendered at a tenth of the speed.
SLOW = 10.0
EPOCH_S, BOOT_S, DAY_S = 100_000.0, 1_000.0, 1_790_000_000.0
SECONDS = struct.Struct("dd")
# A sender whose oldest reading is older than this is behind.
BEHIND_S = 1.0


class DriveClock:
    """The clock of this process. It stands while the loop works, so that no load of this machine makes
    anything late; while the loop waits it goes at real speed until the daemon is ready to drive, then faster.
    """

    def __init__(self, plan: Driven) -> None:
        self.plan, self._now_s = plan, EPOCH_S + plan.from_s
        self.speed: Callable[[], float] = lambda: 1.0
        self.behind_until_s = -math.inf
        with open(plan.clock, "r+b") as file:
            self._shown = mmap.mmap(file.fileno(), SECONDS.size)

    def _show(self) -> None:
        SECONDS.pack_into(self._shown, 0, self._now_s - EPOCH_S, self.behind_until_s - EPOCH_S)

    def now(self) -> float:
        return self._now_s

    def install(self) -> None:
        """Threads sleep and wait by the real clock."""
        real_s, select = time.monotonic, cast(Any, selectors.EpollSelector.select)
        clock_gettime = time.clock_gettime
        time.monotonic = self.now
        time.time = lambda: DAY_S + self._now_s
        time.clock_gettime = lambda which: (
            BOOT_S + self._now_s if which == time.CLOCK_BOOTTIME else clock_gettime(which)
        )

        def wait(selector: Any, timeout: float | None = None) -> Any:
            events = select(selector, 0.0)
            until_s = math.inf if timeout is None else self._now_s + timeout
            while not events and self._now_s < until_s:
                speed = self.speed()
                left_s = min((until_s - self._now_s) / speed, STEP_S)
                began_s = real_s()
                events = select(selector, left_s)
                took_s = min(real_s() - began_s, left_s)
                self._now_s = min(self._now_s + took_s * speed, until_s)
                self._show()
            return events

        selectors.EpollSelector.select = wait  # type: ignore[assignment, method-assign]


STEP_S = 0.005


class Item(msgspec.Struct, frozen=True):
    """One reading: of the GPS or of the car, made at `t` of the drive."""

    gps: bool
    t: float
    values: tuple[float | None, ...]

    @property
    def source_s(self) -> float:
        return round(self.t + (GPS_EPOCH_S if self.gps else CAR_EPOCH_S), 6)


def drive_of(plan: Driven) -> tuple[dict[bool, tuple[Any, ...]], list[Item]]:
    """The channels of the two streams, and the readings in their order."""
    from pitwall.telemetry.recordings import open_recording

    recording = open_recording(Path(plan.recording))
    [stream] = recording.info.streams
    columns = {
        gps: [n for n, each in enumerate(stream.channels) if each.canonical and (each.name in GPS) == gps]
        for gps in (False, True)
    }
    channels = {gps: tuple(stream.channels[n] for n in columns[gps]) for gps in columns}
    items = [
        Item(gps, sample.t, tuple(sample.values[n] for n in columns[gps]))
        for sample in recording.samples()
        if sample.t < plan.until_s
        for gps in (False, True)
        if columns[gps]
        and not any(which == gps and lost_t <= sample.t < back_t for which, lost_t, back_t in plan.lost_s)
    ]
    return channels, items


async def send_live(daemon: Any, plan: Driven) -> None:
    """As the car's own sensors do it: what nobody takes is lost."""
    from pitwall.daemon.intake.queue import SourceInbox
    from pitwall.telemetry.sample import Channel
    from pitwall.telemetry.sources.base import SourceHealth

    channels, items = drive_of(plan)
    channels[False] += tuple(Channel(f"tall_{n}", "", "") for n in range(plan.tall))
    streams: dict[bool, tuple[SourceInbox, int]] = {}
    for gps, name in STREAMS:
        if not channels[gps]:
            continue
        health = SourceHealth(f"test:{name}")
        inbox = SourceInbox(name, daemon.queue, daemon.clock, lambda health=health: health)  # type: ignore[misc]
        streams[gps] = inbox, inbox.stream(channels[gps], group=name, latency_s=0.0)
    began_s, step_s = time.monotonic(), items[-1].t / len(items) * len(streams) / plan.can_rows
    for item in items:
        inbox, stream = streams[item.gps]
        for row in range(1 if item.gps else plan.can_rows):
            due_s = EPOCH_S + item.t + row * step_s
            if due_s < began_s:
                continue
            await until(due_s)
            tall = () if item.gps else tuple(float((row + 7 * n) % 1000) for n in range(plan.tall))
            inbox.put(stream, item.source_s + row * step_s, due_s, item.values + tall)


# What waits for the disk, which goes by the real clock: the drive's clock waits for it.
WAITING: set[asyncio.Task[None]] = set()


async def send_batches(daemon: Any, plan: Driven, clock: DriveClock) -> None:
    """As a logger does it that keeps all until it was acknowledged."""
    from pitwall.contract.push import PushRefusal

    channels, items = drive_of(plan)
    open_parts, at = sent_before(plan)
    oldest_t = items[open_parts[0][0] if open_parts else at].t if open_parts or at < len(items) else 0.0
    with os.fdopen(os.open(plan.acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "wb", 0) as acks:

        async def send(first: int, count: int) -> None:
            batch = batch_of(first, items[first : first + count], channels)
            while isinstance(await daemon.accept(batch), PushRefusal):  # noqa: ASYNC110 - as senders do
                await asyncio.sleep(BATCH_S)
            acks.write(f"{first} taken\n".encode())

        def is_due(t: float) -> float:
            return EPOCH_S + max(t, plan.from_s + (t - oldest_t) / plan.drain)

        def caught_up(t: float) -> bool:
            return time.monotonic() - EPOCH_S - t < BEHIND_S

        def due_now(part: list[Item]) -> int:
            now_s = time.monotonic()
            return bisect_right(part, now_s, key=lambda item: is_due(item.t))

        async with asyncio.TaskGroup() as tasks:
            while open_parts or at < len(items):
                if open_parts:
                    first, count = open_parts.pop(0)
                    await until(is_due(items[first + count - 1].t))
                else:
                    first = at
                    await until(is_due(items[first].t + (BATCH_S if caught_up(items[first].t) else 0.0)))
                    most = len(items) if caught_up(items[first].t) else plan.readings
                    count = max(due_now(items[first : first + most]), 1)
                    at = first + count
                    acks.write(f"{first} {count}\n".encode())
                if not caught_up(items[first].t):
                    clock.behind_until_s = time.monotonic()
                while len(WAITING) >= MOST_OPEN:
                    await asyncio.wait(WAITING, return_when=asyncio.FIRST_COMPLETED)
                WAITING.add(task := tasks.create_task(send(first, count)))
                task.add_done_callback(WAITING.discard)


async def until(due_s: float) -> None:
    """Return when the clock shows that."""
    while (left_s := due_s - time.monotonic()) > 0.0:  # noqa: ASYNC110 - a timer may be early by a rounding
        await asyncio.sleep(left_s)


def batch_of(number: int, part: list[Item], channels: dict[bool, tuple[Any, ...]]) -> Any:
    from pitwall.contract.push import PushBatch

    there = [gps for gps, _ in STREAMS if channels[gps]]
    streams = [
        {"group": name, "channels": [{"name": each.name, "unit": each.unit} for each in channels[gps]]}
        for gps, name in STREAMS
        if gps in there
    ]
    samples = [{"stream": there.index(i.gps), "source_s": i.source_s, "values": i.values} for i in part]
    plain = {"batch_id": f"logger:{number}", "source": "logger", "streams": streams, "samples": samples}
    return msgspec.convert(plain, PushBatch)


def sent_before(plan: Driven) -> tuple[list[tuple[int, int]], int]:
    """The batches that were sent and not acknowledged, as (first reading, how many), and the first reading
    that was not sent."""
    parts, at = dict[int, int](), 0
    with contextlib.suppress(FileNotFoundError):
        for line in Path(plan.acknowledged).read_text().splitlines():
            first, what = line.split()
            if what == "taken":
                del parts[int(first)]
            else:
                parts[int(first)], at = int(what), int(first) + int(what)
    return sorted(parts.items()), at


def kind_of(record: Any) -> str:
    """What a record of the journal is called in an aim."""
    if (kind := getattr(record, "kind", None)) is not None and type(record).__name__ == "ControlRecord":
        return str(kind)
    return {
        "LedgerRecord": "ledger", "StreamRecord": "stream", "BatchRecord": "batch", "EventRecord": "event",
        "SessionMeta": "header", "EndRecord": "end",
    }.get(type(record).__name__, "sample")  # fmt: skip


def kill_at_record(aim: Aim, late: str) -> None:
    """The journal holds everything before that record, or that record too, and nothing more, at the kill.
    `late`: the file that tells of one that did not come."""
    from pitwall.store import journal_writer

    encode: Any = vars(journal_writer)["encode_record"]
    write, left, samples_left = journal_writer.JournalWriter._write, aim.number, aim.most

    def counted(seq: int, record: Any) -> bytes:
        nonlocal left, samples_left
        if left <= 0:
            return b""
        kind = kind_of(record)
        samples_left -= kind == "sample"
        if samples_left <= 0:
            left = 0
            Path(late).touch()
        elif aim.place != "at" and kind == aim.kind:
            left -= 1
            if left == 0 and aim.place == "before":
                return b""
        return bytes(encode(seq, record))

    def last(self: Any) -> bool:
        wrote = write(self)
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return wrote

    vars(journal_writer)["encode_record"] = counted
    journal_writer.JournalWriter._write = last  # type: ignore[method-assign]


def note_heard(path: Path) -> None:
    """Note when the car's place is known first, when the session is whole again, and what is said when."""
    from pitwall.daemon.sessions.audience import Listeners
    from pitwall.daemon.sessions.continuing import Continuing

    started_s, process = float(os.environ.get("PITWALL_STARTED_S", "0")), os.getpid()
    frame, callout, level, placed = Listeners.frame, Listeners.callout, Continuing.level, False

    def note(what: str, t: float) -> None:
        with path.open("a") as file:
            spent_s = round(time.process_time(), 2)
            passed_s = round(time.perf_counter() - started_s, 2)
            print(process, what, passed_s, spent_s, round(t, 2), sep="\t", file=file)

    def framed(self: Any, at: Any, position: Any) -> None:
        nonlocal placed
        if not placed and position is not None:
            placed = True
            note("placed", at.t)
        frame(self, at, position)

    def said(self: Any, each: Any) -> None:
        note(f"said {each.text}", each.t)
        callout(self, each)

    def levelled(self: Any) -> Any:
        session = level(self)
        note("whole", session.t)
        return session

    Listeners.frame, Listeners.callout = framed, said  # type: ignore[method-assign]
    Continuing.level = levelled  # type: ignore[method-assign]


def main() -> int:
    plan = msgspec.json.decode(os.environ["PITWALL_DRIVEN"], type=Driven)
    clock = DriveClock(plan)
    clock.install()
    from pitwall.cli import main as pitwall
    from pitwall.commands import run as run_command
    from pitwall.daemon.app import Daemon
    from pitwall.daemon.watch import LoopWatch
    from pitwall.store import journal_writer

    run_command.EXIT_WITHIN_S = PATIENCE_S
    # In seconds of the drive a kill costs no more than in a car's.
    journal_writer.WRITE_EVERY_S = WRITE_EVERY_S / plan.speed
    # What is written outlives a kill; a sync is for a power cut, and takes long where others use the disk.
    os.fsync = os.fdatasync = lambda _: None
    run = Daemon.run

    async def driven(self: Daemon, *arguments: Any) -> None:
        backlog = plan.sender == "backlog"
        sending = send_batches(self, plan, clock) if backlog else send_live(self, plan)

        def speed() -> float:
            if not self.keeper.settled.is_set() or len(WAITING) >= MOST_OPEN / 2:
                return 1.0
            nonlocal at_track
            if self.vocabulary.waiting:
                at_track = self.keeper.current.path.track is not None
                return SLOW if plan.slow else 1.0
            if at_track and not rendered.exists():
                rendered.write_bytes(SECONDS.pack(clock.now() - EPOCH_S, 0.0))
            at_track = False
            return plan.speed

        clock.speed, at_track, rendered = speed, False, Path(plan.acknowledged + RENDERED)
        task = asyncio.create_task(sending)
        task.add_done_callback(lambda _: self._loop.call_later(5.0, self.stop))
        try:
            await run(self, *arguments)
        finally:
            if not task.cancel():
                task.result()

    note_heard(Path(plan.acknowledged + HEARD))
    Daemon.run = driven  # type: ignore[assignment, method-assign]
    LoopWatch.run = lambda _: asyncio.Event().wait()  # type: ignore[assignment, method-assign, return-value]
    aim = plan.aim
    if aim is not None:
        kill_at_record(aim, plan.acknowledged + LATE)
        if aim.kind == "start":
            die_after(aim.after_s)
        elif aim.place == "at":
            watch(aim.kind, aim.number, aim.after_s)
    return pitwall(["run"])


PATIENCE_S = 60.0
WRITE_EVERY_S = 2.0
# Beside what was acknowledged: an aim that did not come, and when all phrases of the track were rendered.
LATE, RENDERED = ".late", ".rendered"
# What each process did first: a line each of its number, what, seconds since it was started, of
# its processor until then, and of its session.
HEARD = ".heard"


if __name__ == "__main__":
    sys.exit(main())
