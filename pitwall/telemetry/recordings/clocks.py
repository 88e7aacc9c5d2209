"""The ways loggers write a moment: HHMMSS.SSS, dates, unix seconds."""

from __future__ import annotations

import re
from calendar import timegm

from pitwall.telemetry.session_clock import DAY_S

# Unix seconds from 2001-09-09 to 2100; numbers outside are a logger's own clock.
UNIX_S = (1.0e9, 4.1e9)


def seconds_of_day(cell: str) -> float:
    """`194333.680` or `19:43:33.680` (UTC) to seconds of the day. ValueError where it is no time of day."""
    value = float(cell.replace(":", "") if ":" in cell else cell)
    if not 0.0 <= value < 240000.0:
        raise ValueError(f"{cell!r} is no time of day")
    hours, rest = divmod(value, 10000.0)
    minutes, seconds = divmod(rest, 100.0)
    # 60 is a leap second.
    if minutes >= 60.0 or seconds >= 61.0:
        raise ValueError(f"{cell!r} is no time of day")
    return hours * 3600.0 + minutes * 60.0 + seconds


def is_unix(value_s: float) -> bool:
    """Whether a clock reads unix seconds."""
    return UNIX_S[0] <= value_s <= UNIX_S[1]


def date_and_time(text: str) -> tuple[float, bool] | None:
    """`01/08/2025 @ 14:43:32` as seconds since 1970 of that clock, and whether it had a time. Day first
    (Racelogic writes it so) unless that is impossible. None where there is no date."""
    date = re.search(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})", text)
    if date is None:
        return None
    day, month, year = int(date[1]), int(date[2]), int(date[3])
    if month > 12:
        day, month = month, day
    if not (1 <= month <= 12 and 1 <= day <= 31 and 1970 <= year <= 2100):
        return None
    time = re.search(r"(\d{1,2}):(\d{2})(?::(\d{2}))?", text[date.end() :])
    hour, minute, second = (int(part or 0) for part in time.groups()) if time else (0, 0, 0)
    return float(timegm((year, month, day, hour, minute, second))), time is not None


def utc_of(local_s: float, has_time: bool, tod_s: float) -> float:
    """Unix seconds of a UTC time of day, given a clock of unknown zone that was read near it.

    The date is the one that brings the two within half a day, as a zone can't be further off.
    """
    midnight = local_s // DAY_S * DAY_S
    if not has_time:
        return midnight + tod_s
    return min(
        (midnight + shift + tod_s for shift in (0.0, -DAY_S, DAY_S)), key=lambda utc: abs(utc - local_s)
    )
