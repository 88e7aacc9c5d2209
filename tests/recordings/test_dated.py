"""A day that a receiver told 1,024 weeks too early."""

from __future__ import annotations

import pytest
from test_aligned import Drive

from pitwall.telemetry.recordings.corrected import with_day_doubted, with_named_day
from pitwall.telemetry.sample import Stream

NOW_UTC_S = 1_790_000_000.0  # September 2026


@pytest.mark.parametrize(
    ("start_utc_s", "doubted"),
    [
        (1_128_186_000.0, True),  # 2005-10-01 17:00
        (1_747_501_200.0, False),  # 2025-05-17 17:00
        (1_300_000_000.0, False),  # 2011: 1,024 weeks later is still to come
        (None, False),
    ],
)
def test_a_day_that_a_rollover_explains_is_doubted(start_utc_s: float | None, doubted: bool) -> None:
    drive = Drive(0.0, together=True)
    drive.info = type(drive.info)("made", "made.csv", drive.info.streams, start_utc_s=start_utc_s)
    found = with_day_doubted(drive, NOW_UTC_S)
    assert (found is not drive) == doubted
    # A logger's own clock, without a receiver, missed no rollover.
    moving = tuple(Stream(0, "dash", stream.channels[2:]) for stream in drive.info.streams)
    drive.info = type(drive.info)("made", "made.ld", moving, start_utc_s=start_utc_s)
    assert with_day_doubted(drive, NOW_UTC_S) is drive
    if doubted:
        assert found.info.start_utc_s is None
        assert found.info.time_of_day_s == 17 * 3600.0
        assert "2025-05-17" in found.findings()[0].detail


@pytest.mark.parametrize(
    ("name", "time_of_day_s", "start_utc_s"),
    [
        ("2025-12-08_17.24.15.csv", None, 1_765_214_655.0),
        ("log_20251031_170713.csv.gz", None, 1_761_930_433.0),
        ("2025-07-18_0215pm_Log1118.csv", None, 1_752_848_100.0),
        ("run 2024-03-17.log", 36_000.0, 1_710_669_600.0),
        ("run 2024-03-17.log", None, None),  # a day without a time
        ("2099-12-08_17.24.15.csv", None, None),  # still to come
        ("GR86-049-88.csv", 36_000.0, None),
    ],
)
def test_a_day_that_only_the_name_of_the_file_tells(
    name: str, time_of_day_s: float | None, start_utc_s: float | None
) -> None:
    drive = Drive(0.0, together=True)
    drive.info = type(drive.info)("made", name, drive.info.streams, time_of_day_s=time_of_day_s)
    assert with_named_day(drive).info.start_utc_s == start_utc_s
