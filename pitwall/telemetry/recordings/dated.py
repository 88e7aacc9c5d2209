"""A recording whose receiver may have missed a rollover of the GPS week: its day is dropped, with a
finding."""

from __future__ import annotations

import time

import msgspec

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import Recording
from pitwall.telemetry.recordings.renamed import RenamedRecording
from pitwall.telemetry.session_clock import DAY_S, WEEK_S

# The week number has ten bits. A receiver that missed the rollover of April 2019 gives days of the
# epoch before: from August 1999 on.
ROLLOVER_S = 1024 * WEEK_S
EPOCH_UTC_S = 935_280_000.0


def with_day_doubted(recording: Recording, now_utc_s: float | None = None) -> Recording:
    """Drop the day that a receiver may give 1,024 weeks too early; keep the time of day."""
    now_utc_s = time.time() if now_utc_s is None else now_utc_s
    start_utc_s = recording.info.start_utc_s
    names = {channel.name for stream in recording.info.streams for channel in stream.channels}
    if (
        "lat_deg" not in names
        or start_utc_s is None
        or not EPOCH_UTC_S <= start_utc_s <= now_utc_s - ROLLOVER_S
    ):
        return recording
    days = (time.strftime("%Y-%m-%d", time.gmtime(at)) for at in (start_utc_s, start_utc_s + ROLLOVER_S))
    what = (
        "the receiver says {}, as one that missed a rollover of the GPS week does on {}: the day is not "
        "known (pitwall sessions date sets it)"
    ).format(*days)
    doubted = RenamedRecording(recording, {}, (Finding("jump", "day", 1, None, what),))
    info = msgspec.structs.replace(doubted.info, start_utc_s=None, time_of_day_s=start_utc_s % DAY_S)
    doubted.info = info
    return doubted
