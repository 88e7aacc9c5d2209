"""The session clock against everything that loggers' clocks do."""

from __future__ import annotations

import time

import pytest

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.timeline import DAY_S, Timeline, date_and_time


def run(raw: list[float], wrap_s: float | None = None) -> tuple[list[float | None], dict[str, int]]:
    """Session seconds of each row, and the findings by kind."""
    log = FindingLog()
    timeline = Timeline(log, wrap_s)
    return [timeline.advance(value) for value in raw], {f.kind: f.count for f in log.findings()}


# What a logger's clock does, how often it wraps, the session seconds of each row, and what is found.
CLOCKS: dict[str, tuple[list[float], float | None, list[float | None], dict[str, int]]] = {
    "starts at zero and follows the data": ([50.0, 50.1, 50.25], None, [0.0, 0.1, 0.25], {}),
    "midnight": ([86399.9, 86399.96, 0.02, 0.08], DAY_S, [0.0, 0.06, 0.12, 0.18], {}),
    "a late row around midnight is late, not a day on": (
        [86399.9, 0.0, 86399.95, 0.1], DAY_S, [0.0, 0.1, None, 0.2], {"time_backwards": 1}),
    "duplicates stay": ([1.0, 1.04, 1.04, 1.12], None, [0.0, 0.04, 0.04, 0.12], {"duplicate_time": 1}),
    "a late row is dropped": ([0.0, 0.1, 0.05, 0.2], None, [0.0, 0.1, None, 0.2], {"time_backwards": 1}),
    **{
        f"one wrong time, {wrong}, does not move the session": (
            [100.0, 100.1, wrong, 100.3, 100.4], None, [0.0, 0.1, None, 0.3, 0.4], {"malformed_row": 1})
        for wrong in (7000.0, -7000.0, 1.7e9)
    },
    "a pause is kept and told": (
        [0.0, 0.1, 40.2, 40.3, 40.4], None, [0.0, 0.1, None, 40.3, 40.4], {"time_gap": 1}),
    "a short hole costs no row": ([0.0, 0.1, 1.7, 1.8], None, [0.0, 0.1, 1.7, 1.8], {"time_gap": 1}),
    "a clock that is set back does not turn the session back": (
        [5000.0, 5000.1, 5000.2, 1000.0, 1000.1, 1000.2], None, [0.0, 0.1, 0.2, None, 0.4, 0.5],
        {"time_backwards": 1}),
    "a clock that is set on by years does not make a session of years": (
        [0.0, 0.1, 1.7e9, 1.7e9 + 0.1, 1.7e9 + 0.2], None, [0.0, 0.1, None, 0.3, 0.4], {"time_gap": 1}),
    "a slow logger is no pause": (
        [0.0, 5.0, 10.0, 15.0, 20.0], None, [0.0, None, 10.0, 15.0, 20.0], {"time_gap": 1}),
}  # fmt: skip


@pytest.mark.parametrize("clock", CLOCKS)
def test_what_a_clock_does(clock: str) -> None:
    raw, wrap_s, expected, found = CLOCKS[clock]
    assert run(raw, wrap_s) == (pytest.approx(expected, abs=1e-6), found)


def test_steps_of_a_sixteen_bit_counter_are_no_time() -> None:
    """Seven rows in nine of such a logger stand 65.536 s ahead."""
    raw = [i / 10.0 + (65.536 if 20 <= i < 27 or 40 <= i < 47 else 0.0) for i in range(80)]
    t, found = run(raw)
    # A step costs the row that it is first seen in.
    assert [i for i, each in enumerate(t) if each is None] == [20, 27, 40, 47]
    assert all(each is None or each == pytest.approx(i / 10.0, abs=1e-6) for i, each in enumerate(t))
    assert found == {"time_gap": 4}


@pytest.mark.long
def test_a_million_steps_add_no_error() -> None:
    log = FindingLog()
    timeline = Timeline(log, DAY_S)
    last = 0.0
    for step in range(1_000_000):
        last = timeline.advance((80_000.0 + step * 0.01) % DAY_S) or 0.0
    assert last == pytest.approx(9_999.99, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("01/08/2025 @ 14:43:32", "2025-08-01"),  # Racelogic
        ("5/6/2024 11:30:00 AM", "2024-05-06"),
        ("05/06/2024 11:30:00 AM", "2024-06-05"),
        ("12/31/2025", "2025-12-31"),
        ("06.05.2024 11:30", "2024-05-06"),
        ("16/05/26 09:30:00", "2026-05-16"),
        ("5/16/26 9:30 AM", "2026-05-16"),
        ("16.05.26 09.30.00", "2026-05-16"),
        ("17-MAY-18 23:59:59", "2018-05-17"),
        ("2 May 98", "1998-05-02"),
    ],
)
def test_the_day_comes_first_but_in_american(text: str, day: str) -> None:
    found = date_and_time(text)
    assert found is not None
    assert time.strftime("%Y-%m-%d", time.gmtime(found[0])) == day


def test_a_day_that_is_still_to_come_was_written_month_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_780_000_000.0)  # 2026-05-28
    days = [date_and_time(text) for text in ("05/12/2026", "06/05/2026")]
    assert [time.strftime("%m-%d", time.gmtime(day[0])) for day in days if day] == ["05-12", "05-06"]


def test_a_clock_is_no_day() -> None:
    assert [
        date_and_time(text) for text in ("11.10.09", "17 May 18:30", "1/2/3", "1/0/26", "0001/01/01")
    ] == [None] * 5
