"""The session clock against everything that loggers' clocks do."""

from __future__ import annotations

import pytest

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.timeline import DAY_S, Timeline


def run(raw: list[float], wrap_s: float | None = None) -> tuple[list[float | None], dict[str, int]]:
    """Session seconds of each row, and the findings by kind."""
    log = FindingLog()
    timeline = Timeline(log, wrap_s)
    return [timeline.advance(value) for value in raw], {f.kind: f.count for f in log.findings()}


def test_starts_at_zero_and_follows_the_data() -> None:
    assert run([50.0, 50.1, 50.25]) == ([0.0, 0.1, 0.25], {})


def test_midnight() -> None:
    t, found = run([86399.9, 86399.96, 0.02, 0.08], DAY_S)
    assert t == pytest.approx([0.0, 0.06, 0.12, 0.18], abs=1e-6)
    assert found == {}


def test_a_late_row_around_midnight_is_late_not_a_day_on() -> None:
    t, found = run([86399.9, 0.0, 86399.95, 0.1], DAY_S)
    assert t == [0.0, 0.1, None, 0.2]
    assert found == {"time_backwards": 1}


def test_duplicates_stay() -> None:
    assert run([1.0, 1.04, 1.04, 1.12]) == ([0.0, 0.04, 0.04, 0.12], {"duplicate_time": 1})


def test_a_late_row_is_dropped() -> None:
    assert run([0.0, 0.1, 0.05, 0.2]) == ([0.0, 0.1, None, 0.2], {"time_backwards": 1})


def test_one_wrong_time_does_not_move_the_session() -> None:
    for wrong in (7000.0, -7000.0, 1.7e9):
        t, found = run([100.0, 100.1, wrong, 100.3, 100.4])
        assert t == [0.0, 0.1, None, 0.3, 0.4]
        assert found == {"malformed_row": 1}


def test_a_pause_is_kept_and_told() -> None:
    t, found = run([0.0, 0.1, 40.2, 40.3, 40.4])
    assert t == [0.0, 0.1, None, 40.3, 40.4]
    assert found == {"time_gap": 1}


def test_a_short_hole_costs_no_row() -> None:
    assert run([0.0, 0.1, 1.7, 1.8]) == ([0.0, 0.1, 1.7, 1.8], {"time_gap": 1})


def test_steps_of_a_sixteen_bit_counter_are_no_time() -> None:
    """Seven rows in nine of such a logger stand 65.536 s ahead."""
    raw = [i / 10.0 + (65.536 if 20 <= i < 27 or 40 <= i < 47 else 0.0) for i in range(80)]
    t, found = run(raw)
    # A step costs the row that it is first seen in.
    assert [i for i, each in enumerate(t) if each is None] == [20, 27, 40, 47]
    assert all(each is None or each == pytest.approx(i / 10.0, abs=1e-6) for i, each in enumerate(t))
    assert found == {"time_gap": 4}


def test_a_clock_set_back_does_not_turn_the_session_back() -> None:
    t, found = run([5000.0, 5000.1, 5000.2, 1000.0, 1000.1, 1000.2])
    assert t == pytest.approx([0.0, 0.1, 0.2, None, 0.4, 0.5])
    assert found == {"time_backwards": 1}


def test_a_clock_set_on_by_years_does_not_make_a_session_of_years() -> None:
    t, found = run([0.0, 0.1, 1.7e9, 1.7e9 + 0.1, 1.7e9 + 0.2])
    assert t == pytest.approx([0.0, 0.1, None, 0.3, 0.4], abs=1e-6)
    assert found == {"time_gap": 1}


def test_a_slow_logger_is_no_pause() -> None:
    t, found = run([0.0, 5.0, 10.0, 15.0, 20.0])
    assert t == [0.0, None, 10.0, 15.0, 20.0]
    assert found == {"time_gap": 1}


@pytest.mark.long
def test_a_million_steps_add_no_error() -> None:
    log = FindingLog()
    timeline = Timeline(log, DAY_S)
    last = 0.0
    for step in range(1_000_000):
        last = timeline.advance((80_000.0 + step * 0.01) % DAY_S) or 0.0
    assert last == pytest.approx(9_999.99, abs=1e-6)
