"""A day that a receiver told 1,024 weeks too early."""

from __future__ import annotations

import pytest
from test_aligned import Drive

from pitwall.telemetry.recordings.corrected import with_day_doubted
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
