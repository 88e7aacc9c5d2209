"""Faults in what the sources bring: timing is right within one lap, calls need what they are made from."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from fast_service import CAR, GPS, LAPS, Drive, Item, running, stored

from pitwall.config import Home
from pitwall.track.lap import Lap

# What 10 Hz fixes and their wander of 0.25 m leave of a lap's time.
WITHIN_S = 0.05
LOST_WITHIN_S = 0.5
BACK_WITHIN_S = 2.5
# Dead reckoning goes on for so long (pitwall/telemetry/reckoning.py).
BRIDGED_S = 1.0
DAY_S = 86_400.0
SPOKEN = ("spoken", "held then spoken")
# Calls that are made from pedals and brakes (pitwall/degradation.py).
NEEDS_CAR = ("approach", "brake", "exit")


def check_laps(home: Home, drive: Drive, touched: Collection[int] = ()) -> list[Lap]:
    """Every lap that the fault did not touch is a flying one with its true time; a touched one has it too,
    or is called broken and says why. None is missing or one too many."""
    rows, _ = stored(home)
    assert [lap.number for lap in rows] == list(range(LAPS + 2))
    for number, time_s in drive.times().items():
        lap = rows[number]
        if lap.kind == "broken" and number in touched:
            assert lap.reason
        else:
            assert lap.kind == "flying", lap
            assert lap.time_s == pytest.approx(time_s, abs=WITHIN_S), lap
    return rows


@pytest.mark.long
@pytest.mark.parametrize(("hole_s", "over_the_line"), [(5.0, True), (60.0, False)])
async def test_a_hole_in_the_fix_costs_its_lap_at_most(
    hole_s: float, over_the_line: bool, drive: Drive, spoken_home: Home
) -> None:
    lap = drive.lap(2)
    begin_t = lap.start_t - hole_s / 2 if over_the_line else lap.start_t + 20.0
    seen: dict[str, float] = {}

    async with running(spoken_home) as run:

        def watch(item: Item) -> None:
            for what in run.lost:
                seen.setdefault(what, item.t)

        def hole(item: Item) -> Item | None:
            gone = item.lane == GPS and begin_t <= item.t < begin_t + hole_s
            return None if gone else item

        await run.drive(drive.but(hole), watch)
        assert run.lost == []
    laps = check_laps(spoken_home, drive, {1, 2} if over_the_line else {2})
    if hole_s <= BRIDGED_S or not over_the_line:
        assert [lap.kind for lap in laps] == ["out", *["flying"] * LAPS, "in"]
    assert set(seen) == {"gps"}


@pytest.mark.long
async def test_can_gone_and_back(drive: Drive, spoken_home: Home) -> None:
    lap = drive.lap(2)
    gone_t, back_t = lap.start_t + 10.0, lap.end_t + 3.0
    lost: list[float] = []

    async with running(spoken_home) as run:

        def watch(item: Item) -> None:
            if "can" in run.lost:
                lost.append(run.service.keeper.current.path.t)

        def silent(item: Item) -> Item | None:
            return None if item.lane == CAR and gone_t <= item.t < back_t else item

        await run.drive(drive.but(silent), watch)
    check_laps(spoken_home, drive)
    assert 0.0 < lost[0] - gone_t < LOST_WITHIN_S
    assert 0.0 < lost[-1] - back_t < BACK_WITHIN_S
    _, lines = stored(spoken_home)
    calls = [line.t for line in lines if line.outcome in SPOKEN and line.phase in NEEDS_CAR]
    assert any(t < gone_t for t in calls)
    assert not [t for t in calls if gone_t + LOST_WITHIN_S < t < back_t], (calls, gone_t, back_t)
    refused = [line.t for line in lines if line.reason.startswith("can lost")]
    assert not [t for t in refused if t > back_t + BACK_WITHIN_S]


@pytest.mark.long
@pytest.mark.parametrize(("lane", "jump_s"), [(GPS, -2.0), (CAR, -DAY_S)])
async def test_a_clock_that_is_set_costs_its_lap_at_most(
    jump_s: float, lane: str, drive: Drive, spoken_home: Home
) -> None:
    jump_t = drive.lap(2).start_t + 30.0

    def jumped(item: Item) -> Item:
        if item.lane == lane and item.t >= jump_t:
            item.source_s += jump_s
        return item

    async with running(spoken_home) as run:
        await run.drive(drive.but(jumped))
    check_laps(spoken_home, drive, {2})
