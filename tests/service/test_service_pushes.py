"""What is handed in lies where it was taken, and a batch is kept whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from pitwall.contract.push import PushBatch
from pitwall.daemon.intake.pushes import Pushes, Waiting
from pitwall.daemon.intake.queue import Queue
from pitwall.store.journal_check import check_journal
from pitwall.telemetry.recordings.journal import (
    HEADER,
    BatchRecord,
    SessionMeta,
    encode_record,
)
from pitwall.telemetry.sample import Sample
from pitwall.telemetry.session_clock import SessionClock


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
