"""Batches pushed to a daemon that is killed again and again: none acknowledged is lost or doubled."""

from __future__ import annotations

import asyncio
import collections
import http.client
import os
import random
import threading
import time
import urllib.error
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from running_daemon import Daemon, write_settings

from pitwall.config import Home
from pitwall.contract.push import MOST_SAMPLES, PushBatch
from pitwall.daemon.intake.pushes import Pushes, Waiting
from pitwall.daemon.intake.queue import Queue
from pitwall.drive.rebuild import rebuilder
from pitwall.store.damage import check_journal
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.journal import (
    HEADER,
    BatchRecord,
    JournalRecording,
    SampleRecord,
    SessionMeta,
    encode_record,
)
from pitwall.telemetry.sample import Sample
from pitwall.telemetry.session_clock import SessionClock

# The hundred take some minutes: PITWALL_KILLS=100.
KILLS = int(os.environ.get("PITWALL_KILLS", "5"))
SAMPLES = 20


def batch(number: int, samples: int = SAMPLES) -> dict[str, Any]:
    """A batch whose every value is found nowhere else."""
    return {
        "batch_id": f"b{number}",
        "source": "logger",
        "streams": [{"group": "aux", "channels": [{"name": "serial", "unit": ""}]}],
        "samples": [
            {"stream": 0, "source_s": number + place / samples, "values": [number * 1000.0 + place]}
            for place in range(samples)
        ],
    }


class Pusher(threading.Thread):
    """Sends batch after batch, each again until it is acknowledged; a daemon that is away is tried again."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.daemon_there: Daemon | None = None
        self.acknowledged: dict[int, int] = {}
        self.known = 0
        self.enough = threading.Event()
        self.there = threading.Event()
        self.progress = threading.Semaphore(0)

    def run(self) -> None:
        number = 0
        while not self.enough.is_set():
            self.there.wait()
            daemon = self.daemon_there
            if daemon is None:
                continue
            try:
                code, answer = daemon.ask("/telemetry", batch(number))
            except (OSError, urllib.error.URLError, http.client.HTTPException, ValueError):
                self.there.clear()  # it was killed: the answer may be lost, the batch may be kept
                continue
            if code == 429:
                continue
            assert code == 200, answer
            self.acknowledged[number] = answer["samples"]
            self.known += answer["known"]
            number += 1
            self.progress.release()


def kept(home: Home) -> collections.Counter[float]:
    """Every value in the journals."""
    found: collections.Counter[float] = collections.Counter()
    for path in home.journals.glob("*.pwj"):
        for _, record in JournalRecording(path).records():
            if isinstance(record, SampleRecord):
                found.update(value for value in record.values if value is not None)
    return found


def stored(home: Home) -> collections.Counter[float]:
    """Every value in DuckDB, once what is missing was rebuilt."""
    with Store(home) as store:
        store.open()
        assert not [line for line in recover(store, rebuilder(home, store)) if "could not" in line]
        rows = store.cursor().execute("SELECT value FROM signals").fetchall()
    return collections.Counter(row[0] for row in rows)


@pytest.mark.long
def test_killed_again_and_again_no_acknowledged_batch_is_lost_or_doubled(home: Home) -> None:
    chance = random.Random(20)
    write_settings(home, {})
    pusher = Pusher()
    pusher.start()
    for _ in range(KILLS):
        with Daemon(home) as daemon:
            pusher.daemon_there = daemon
            pusher.there.set()
            for _ in range(chance.randrange(1, 30)):
                assert pusher.progress.acquire(timeout=300.0)
            # The moment within a batch is what is tried here, so it must fall anywhere.
            time.sleep(chance.uniform(0.0, 0.05))
            daemon.kill()
            pusher.daemon_there = None
    with Daemon(home) as daemon:
        pusher.daemon_there = daemon
        pusher.there.set()
        for _ in range(3):
            assert pusher.progress.acquire(timeout=300.0)
        pusher.enough.set()
        pusher.join(60.0)
        assert daemon.end() == 0
    expected = {number * 1000.0 + place for number in pusher.acknowledged for place in range(SAMPLES)}
    for found in (kept(home), stored(home)):
        assert not expected - found.keys(), "an acknowledged batch is lost"
        assert set(found.values()) == {1}, "a batch is doubled"


@pytest.mark.long
def test_a_batch_sent_again_is_known_also_after_a_restart(home: Home) -> None:
    write_settings(home, {})
    with Daemon(home) as daemon:
        code, answer = daemon.ask("/telemetry", batch(1))
        assert (code, answer["samples"], answer["known"]) == (200, SAMPLES, False)
        assert daemon.ask("/telemetry", batch(1))[1]["known"] is True
        assert daemon.end() == 0
    with Daemon(home) as daemon:
        while (answer := daemon.ask("/telemetry", batch(1)))[0] == 429:
            pass
        assert answer[1]["known"] is True
        assert daemon.ask("/telemetry", batch(2))[1]["known"] is False
        daemon.kill()
    with Daemon(home) as daemon:
        while (answer := daemon.ask("/telemetry", batch(2)))[0] == 429:
            pass
        assert answer[1]["known"] is True
        assert daemon.end() == 0
    assert set(kept(home).values()) == {1}


@pytest.mark.long
def test_the_largest_batch_is_kept_whole(home: Home) -> None:
    write_settings(home, {})
    with Daemon(home) as daemon:
        code, answer = daemon.ask("/telemetry", batch(7, MOST_SAMPLES))
        assert code == 200, (answer, daemon.log)
        assert answer["samples"] == MOST_SAMPLES
        assert daemon.end() == 0
    assert len(kept(home)) == MOST_SAMPLES
    assert stored(home) == kept(home)


@pytest.mark.parametrize("cut", range(0, 120, 7))
def test_a_journal_cut_anywhere_holds_a_batch_whole_or_not_at_all(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.pwj"
    records = [
        SessionMeta(id="cut", kind="live", created_utc_s=0.0),
        BatchRecord("first", 2),
        *(Sample(0, float(place), (float(place),)) for place in range(2)),
        BatchRecord("second", 3),
        *(Sample(0, float(place), (float(place),)) for place in range(2, 5)),
    ]
    whole = HEADER + b"".join(encode_record(seq, record) for seq, record in enumerate(records))
    path.write_bytes(whole[: len(whole) - cut])
    found = check_journal(path)
    ids = [record.id for _, record in found.batches]
    assert ids in (["first", "second"], ["first"], [])
    assert found.samples == {2: 5, 1: 2, 0: 0}[len(ids)]
    assert (ids == ["first", "second"]) == (cut == 0)


def session_times(batches: list[tuple[float, PushBatch]]) -> list[list[float]]:
    """Where the readings of each batch lie, in seconds of the sender's clock from its second 0 on, when they
    are handed in at these seconds."""
    now_s = 0.0

    async def handed_in() -> list[list[float]]:
        nonlocal now_s
        clock, queue = SessionClock(-100.0), Queue()
        pushes = Pushes(queue, clock, now=lambda: now_s)
        part = asyncio.create_task(pushes.run())
        await asyncio.sleep(0)
        found: list[list[float]] = []
        for at_s, each in batches:
            now_s = at_s
            asked = asyncio.create_task(pushes.accept(each))
            await queue.wait()
            taken = queue.pop()
            assert isinstance(taken, Waiting)
            found.append([one.lane.clock.map(one.source_s, one.received_s) - 100.0 for one in taken.readings])
            pushes.failed(taken, "looked at")
            await asked
        assert [lane.clock.estimate().jumps for lane in pushes.inbox.lanes] == [0] * len(pushes.inbox.lanes)
        part.cancel()
        return found

    return asyncio.run(handed_in())


def pushed(number: int, streams: Sequence[tuple[str, float, Sequence[float]]]) -> PushBatch:
    """A batch of streams: group, second of its clock at second 0, and the seconds of its readings."""
    plain = {
        "batch_id": f"b{number}",
        "source": "logger",
        "streams": [{"group": group, "channels": [{"name": "rpm"}]} for group, _, _ in streams],
        "samples": [
            {"stream": stream, "source_s": clock_s + t, "values": [1.0]}
            for stream, (_, clock_s, times) in enumerate(streams)
            for t in times
        ],
    }
    return msgspec.convert(plain, PushBatch)


def steps(begin_s: float, end_s: float, hz: float) -> list[float]:
    """So many a second, the last one at the end."""
    count = round((end_s - begin_s) * hz)
    return [end_s - (count - 1 - place) / hz for place in range(count)]


def test_whatever_the_size_of_a_batch_its_readings_lie_where_they_were_taken() -> None:
    t, wanted, batches = 0.0, [], []
    for number, long_s in enumerate((0.2, 0.2, 2.0, 0.2, 10.0, 0.04, 70.0, 0.2)):
        times = steps(t, t + long_s, 25.0)
        t += long_s
        batches.append((t, pushed(number, [("gps", 5_000.0, times)])))
        wanted.append(times)
    for found, times in zip(session_times(batches), wanted, strict=True):
        assert found == pytest.approx(times, abs=1e-3)


def test_the_streams_of_a_batch_are_as_far_apart_as_their_stamps_say() -> None:
    wanted, batches = [], []
    for number in range(20):
        end_s = 2.0 * (number + 1)
        imu = steps(end_s - 2.0, end_s, 50.0)
        # A fix a second, the last one 0.6 s old; a phone's two clocks.
        gps = [end_s - 1.6, end_s - 0.6]
        boot = steps(end_s - 2.0, end_s, 10.0)
        streams = [("imu", 5_000.0, imu), ("gps", 5_000.0, gps), ("utc", 1.78e9, boot)]
        batches.append((end_s, pushed(number, streams)))
        wanted.append(imu + gps + boot)
    for found, times in zip(session_times(batches), wanted, strict=True):
        assert found == pytest.approx(times, abs=1e-3)
