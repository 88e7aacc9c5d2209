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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from killed_pitwall import die_after, watch

Sender = Literal["real time", "backlog"]
# A logger sends so often, so much at once where it has fallen behind, and so many batches without an answer.
BATCH_S, BATCH_READINGS, MOST_OPEN = 0.2, 200, 8
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
    file that holds how late it is in the drive, `acknowledged` one of the batches that were taken."""

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


# Where words are rendered at a tenth of the speed.
SLOW = 10.0
EPOCH_S, BOOT_S, DAY_S = 100_000.0, 1_000.0, 1_790_000_000.0
SECONDS = struct.Struct("d")


class DriveClock:
    """The clock of this process. It stands while the loop works, so that no load of this machine makes
    anything late; while the loop waits it goes at real speed until the daemon is ready to drive, then faster.
    """

    def __init__(self, plan: Driven) -> None:
        self.plan, self._now_s = plan, EPOCH_S + plan.from_s
        self.speed: Callable[[], float] = lambda: 1.0
        with open(plan.clock, "r+b") as file:
            self._shown = mmap.mmap(file.fileno(), SECONDS.size)

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
                SECONDS.pack_into(self._shown, 0, self._now_s - EPOCH_S)
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
        if not any(which == gps and lost_t <= sample.t < back_t for which, lost_t, back_t in plan.lost_s)
    ]
    return channels, items


async def send_live(daemon: Any, plan: Driven) -> None:
    """As the car's own sensors do it: what nobody takes is lost."""
    from pitwall.daemon.intake.queue import SourceInbox
    from pitwall.telemetry.sources.base import SourceHealth

    channels, items = drive_of(plan)
    streams: dict[bool, tuple[SourceInbox, int]] = {}
    for gps, name in ((False, "car"), (True, "gps")):
        health = SourceHealth(f"test:{name}")
        inbox = SourceInbox(name, daemon.queue, daemon.clock, lambda health=health: health)  # type: ignore[misc]
        streams[gps] = inbox, inbox.stream(channels[gps], group=name, latency_s=0.0)
    began_s = time.monotonic()
    for item in items:
        due_s = EPOCH_S + item.t
        if due_s < began_s:
            continue
        await until(due_s)
        inbox, stream = streams[item.gps]
        inbox.put(stream, item.source_s, due_s, item.values)


# What waits for the disk, which goes by the real clock: the drive's clock waits for it.
WAITING: set[asyncio.Task[None]] = set()


async def send_batches(daemon: Any, plan: Driven) -> None:
    """As a logger does it that keeps all until it was acknowledged."""
    from pitwall.contract.push import PushBatch, PushRefusal

    channels, items = drive_of(plan)
    done = acknowledged(plan)
    with os.fdopen(os.open(plan.acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "wb", 0) as acks:

        async def send(number: int, batch: PushBatch) -> None:
            while isinstance(await daemon.accept(batch), PushRefusal):  # noqa: ASYNC110 - as senders do
                await asyncio.sleep(BATCH_S)
            acks.write(f"{number}\n".encode())

        async with asyncio.TaskGroup() as tasks:
            for number, part in enumerate(batches_of(items)):
                if number in done:
                    continue
                await until(EPOCH_S + part[-1].t)
                while len(WAITING) >= MOST_OPEN:
                    await asyncio.wait(WAITING, return_when=asyncio.FIRST_COMPLETED)
                WAITING.add(task := tasks.create_task(send(number, batch_of(number, part, channels))))
                task.add_done_callback(WAITING.discard)


async def until(due_s: float) -> None:
    """Return when the clock shows that."""
    while (left_s := due_s - time.monotonic()) > 0.0:  # noqa: ASYNC110 - a timer may be early by a rounding
        await asyncio.sleep(left_s)


def batches_of(items: list[Item]) -> Iterator[list[Item]]:
    """The drive in the batches that its logger makes of it."""
    part: list[Item] = []
    for item in items:
        if part and item.t - part[0].t >= BATCH_S:
            yield part
            part = []
        part.append(item)
    yield part


def batch_of(number: int, part: list[Item], channels: dict[bool, tuple[Any, ...]]) -> Any:
    from pitwall.contract.push import PushBatch

    streams = [
        {"group": name, "channels": [{"name": each.name, "unit": each.unit} for each in channels[gps]]}
        for gps, name in ((False, "car"), (True, "gps"))
    ]
    samples = [{"stream": int(i.gps), "source_s": i.source_s, "values": i.values} for i in part]
    plain = {"batch_id": f"logger:{number}", "source": "logger", "streams": streams, "samples": samples}
    return msgspec.convert(plain, PushBatch)


def acknowledged(plan: Driven) -> set[int]:
    """The batches that are taken already."""
    with contextlib.suppress(FileNotFoundError):
        return {int(line) for line in Path(plan.acknowledged).read_text().splitlines()}
    return set()


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


def main() -> int:
    plan = msgspec.json.decode(os.environ["PITWALL_DRIVEN"], type=Driven)
    clock = DriveClock(plan)
    clock.install()
    from pitwall.cli import main as pitwall
    from pitwall.commands import run as run_command
    from pitwall.daemon.app import Daemon
    from pitwall.daemon.watch import LoopWatch

    run_command.EXIT_WITHIN_S = PATIENCE_S
    run = Daemon.run

    async def driven(self: Daemon, *arguments: Any) -> None:
        send = send_live if plan.sender == "real time" else send_batches

        def speed() -> float:
            if not self.keeper.settled.is_set() or len(WAITING) >= MOST_OPEN / 2:
                return 1.0
            nonlocal at_track
            if self.vocabulary.waiting:
                at_track = self.keeper.current.path.track is not None
                return SLOW if plan.slow else 1.0
            if at_track and not rendered.exists():
                rendered.write_bytes(SECONDS.pack(clock.now() - EPOCH_S))
            at_track = False
            return plan.speed

        clock.speed, at_track, rendered = speed, False, Path(plan.acknowledged + RENDERED)
        task = asyncio.create_task(send(self, plan))
        task.add_done_callback(lambda _: self._loop.call_later(5.0, self.stop))
        try:
            await run(self, *arguments)
        finally:
            task.cancel()

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
# Beside what was acknowledged: an aim that did not come, and when all phrases of the track were rendered.
LATE, RENDERED = ".late", ".rendered"


if __name__ == "__main__":
    sys.exit(main())
