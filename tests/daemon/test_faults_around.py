"""Faults around the drive: its disk, its database, its sound, its loop, and sources gone mad.

Nothing that was durable is lost, and the laps are those that were driven.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fast_service import CAR, GPS, LAPS, Drive, Item, running, stored
from long_runs import some
from small_disk import fill, small_disk
from until import until

from pitwall.config import Home
from pitwall.settings import LimitSettings
from pitwall.telemetry.recordings.journal import JournalRecording

WITHIN_S = 0.05
# So many readings were seen by the coach before something breaks, and so many before it is mended: mid-laps.
BREAK_AT, MEND_AT = 5_000, 7_000


def check_laps(home: Home, drive: Drive) -> None:
    """All laps, each with its true time."""
    rows, lines = stored(home)
    assert [lap.kind for lap in rows] == ["out", *["flying"] * LAPS, "in"]
    for number, time_s in drive.times().items():
        assert rows[number].time_s == pytest.approx(time_s, abs=WITHIN_S), number
    assert any(line.corner and line.outcome in ("spoken", "held then spoken") for line in lines)


def kept(home: Home) -> int:
    """Samples of the one journal."""
    [journal] = home.journals.glob("*.pwj")
    return sum(1 for _ in JournalRecording(journal).samples())


# Fifty thousand readings in each second of it: a whole lap of that takes minutes.
FLOOD_S = 2.0


@pytest.mark.long
async def test_a_source_that_floods_is_shed_and_the_drive_is_not(drive: Drive, spoken_home: Home) -> None:
    """50 readings of another source for each of the car's, never waiting: twenty times a full bus."""
    async with running(spoken_home) as run:
        run.source("flood", ("noise",))
        queue = run.service.queue

        def flood(item: Item) -> None:
            if 0.0 < item.t - drive.lap(2).start_t < FLOOD_S:
                for n in range(5_000 if item.lane == GPS else 50):
                    run.put(Item("flood", item.t, item.t + n * 1e-6, (float(n),)))

        await run.drive(drive.items, flood)
        assert run.health["flood"].shed == queue.shed > 0
        assert run.health[GPS].shed == run.health[CAR].shed == 0
    check_laps(spoken_home, drive)


@pytest.mark.long
async def test_a_loop_that_is_stalled_for_300_ms_loses_nothing(drive: Drive, spoken_home: Home) -> None:
    """While the loop stands a bus goes on at 2,000 frames a second, from its own thread."""
    async with running(spoken_home) as run:
        run.source("bus", ("noise",))
        stalls: list[int] = []

        def stall(item: Item) -> None:
            due = (len(stalls) + 1) * 100.0
            if item.t < due:
                return
            stalls.append(len(run.service.queue))
            frames = [Item("bus", item.t, item.t + n / 2_000.0, (float(n),)) for n in range(600)]
            bus = threading.Thread(target=lambda: [run.put(each) for each in frames])
            bus.start()
            time.sleep(0.3)  # it is the stall
            bus.join()

        await run.drive(drive.items, stall)
        assert len(stalls) >= 3
        assert run.service.queue.shed == 0
        assert run.service.queue.taken == len(drive.items) + 600 * len(stalls)
        assert run.service.loop_watch.most_lag_s >= 0.25
    assert kept(spoken_home) == len(drive.items) + 600 * len(stalls)
    check_laps(spoken_home, drive)


@pytest.fixture
def full_home(tmp_path: Path, sonoma_clips: Path) -> Iterator[Home]:
    """A home on a file system of 64 MB."""
    with small_disk(tmp_path / "disk", 64) as disk:
        home = Home(disk / "home")
        home.prepare()
        shutil.rmtree(home.clips)
        home.clips.symlink_to(sonoma_clips)
        yield home


@pytest.mark.parametrize("mended", some([True, False], 1))
@pytest.mark.long
async def test_a_full_disk_stops_nobody(mended: bool, drive: Drive, full_home: Home) -> None:
    laps: list[int] = []
    async with running(full_home, limits=LimitSettings(free_floor_mb=1.0)) as run:
        await run.drive(drive.items[:BREAK_AT])
        session = run.service.keeper.session
        assert session is not None
        writer = session.writer
        writer.hurry()
        await until(lambda: writer.stats().durable_seq >= BREAK_AT)
        durable = writer.stats().durable_seq
        filler = fill(full_home.root.parent)
        await run.drive(drive.items[BREAK_AT:MEND_AT])
        await until(lambda: {"store", "disk"} <= set(run.lost))
        laps.append(run.service.keeper.current.path.state.lap)
        if mended:
            filler.unlink()
            await until(lambda: not {"store", "disk"} & set(run.lost))
        await run.drive(drive.items[MEND_AT:])
        # The coach went on all the time.
        assert session.path.state.lap == LAPS + 1
        assert session.path.state.best_s == pytest.approx(min(drive.times().values()), abs=WITHIN_S)
    filler.unlink(missing_ok=True)
    if mended:
        assert kept(full_home) == len(drive.items)
        check_laps(full_home, drive)
    else:
        rows, _ = stored(full_home)
        assert kept(full_home) >= BREAK_AT
        assert durable >= BREAK_AT
        first = next(lap for lap in rows if lap.kind == "flying")
        assert first.time_s == pytest.approx(drive.times()[first.number], abs=WITHIN_S)
