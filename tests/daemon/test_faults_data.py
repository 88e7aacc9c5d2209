"""Faults in what the sources bring: timing is right within one lap, calls need what they are made from."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from fast_service import CAR, GPS, LAPS, Drive, Item, running, stored

from pitwall.config import Home
from pitwall.track.lap import Lap

# What 10 Hz fixes and their wander of 0.25 m leave of a lap's time.
WITHIN_S = 0.05
DAY_S = 86_400.0


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
