"""The session clock of a recording: starts at 0, never runs backwards, reports the logger's clock.

A single row far off in time is damage; a step of the clock needs a second row.
"""

from __future__ import annotations

import re
import time
from calendar import timegm

from pitwall.telemetry.findings import FindingKind, FindingLog
from pitwall.telemetry.session_clock import DAY_S

# Rows up to this much behind are late ones; they are dropped.
LATE_ROW_S = 5.0
# A longer pause needs a second row; holes under a bridge are shorter.
JUMP_S = 2.0
# Watches leave out what they can reckon: a pause is a pause.
ACTIVITY_PAUSE_S = 3600.0
# A slow logger's ordinary step is not a jump.
JUMP_STEPS = 5.0
# A pause is worth a finding.
GAP_S = 1.0
# No session pauses so long: the clock was set.
CLOCK_SET_S = 2 * DAY_S
# A 16-bit counter of milliseconds: a missed carry moves the clock by this much, to two hundredths.
COUNTER_S, COUNTER_OFF_S = 65.536, 0.02


class Timeline:
    """Turns a logger's raw seconds into session seconds.

    `wrap_s`: DAY_S for times of day. `standing`: rows since `t` moved; `set_back`: how often the
    clock was. A longer step than `jump_s` needs a second row.
    """

    def __init__(self, log: FindingLog, wrap_s: float | None = None, jump_s: float = JUMP_S) -> None:
        self._log, self._wrap_s, self._jump_s = log, wrap_s, jump_s
        self._last_raw: float | None = None
        self._suspect: float | None = None
        self._offset = 0.0
        self._step = 0.0
        self.t = 0.0
        self.standing = self.set_back = 0

    def advance(self, raw_s: float) -> float | None:
        """Return session seconds of a row at `raw_s`, None to drop it."""
        last = self._last_raw
        self.standing += 1
        if last is None:
            self._last_raw, self._offset = raw_s, -raw_s
            return 0.0
        delta = raw_s - last if self._wrap_s is None else self._wrapped(raw_s - last)
        if 0.0 < delta <= self._jump_s:
            if self._suspect is not None:
                self._forget_suspect()
            if delta > GAP_S and delta > JUMP_STEPS * self._step > 0.0:
                self._note_gap(delta)
            self._step = delta
            return self._accept(raw_s, self.t + delta)
        if delta == 0.0:
            self._log.add("duplicate_time", "", self.t, f"two rows at t = {self.t:.3f} s")
            return self.t
        return self._unusual(raw_s, delta)

    def _unusual(self, raw_s: float, delta: float) -> float | None:
        if 0.0 < delta <= JUMP_STEPS * self._step:
            self._step = delta
            self._forget_suspect()
            return self._accept(raw_s, self.t + delta)
        if -LATE_ROW_S <= delta < 0.0:
            self._log.add("time_backwards", "", self.t, f"a row {-delta:.3f} s late, dropped")
            return None
        suspect, self._suspect = self._suspect, raw_s
        if suspect is None:
            return None
        since = raw_s - suspect if self._wrap_s is None else self._wrapped(raw_s - suspect)
        if since < 0.0 or (delta > 0.0) != (delta - since > 0.0):
            return None
        return self._confirmed(raw_s, delta, since)

    def _forget_suspect(self) -> None:
        if self._suspect is not None:
            off_s = self._suspect - (self._last_raw or 0.0)
            self._log.add("malformed_row", "", self.t, f"a lone row {off_s:+.1f} s off in time, dropped")
        self._suspect = None

    def _confirmed(self, raw_s: float, delta: float, since: float) -> float:
        self._suspect = None
        turns = round(delta / COUNTER_S)
        if turns and abs(delta - since - self._step - turns * COUNTER_S) <= COUNTER_OFF_S:
            what = f"the logger's clock steps by {COUNTER_S} s, a counter of 16 bits; the steps are left out"
            self._log.add("time_gap", "", self.t, what)
            return self._accept(raw_s, self.t + self._step + since)
        if 0.0 < delta <= CLOCK_SET_S:
            self._note_gap(delta - since)
            self._step = since if since > 0.0 else self._step
            return self._accept(raw_s, self.t + delta)
        self.set_back += delta < 0.0
        kind: FindingKind = "time_gap" if delta > 0.0 else "time_backwards"
        way = "on" if delta > 0.0 else "back"
        self._log.add(
            kind, "", self.t, f"the logger's clock was set {way} by {abs(delta):.0f} s; session time goes on"
        )
        return self._accept(raw_s, self.t + self._step + min(since, JUMP_S))

    def _accept(self, raw_s: float, t: float) -> float:
        # Whole microseconds: rounding must not add up.
        exact = raw_s + self._offset
        if abs(exact - t) > 1.0e-3:
            self._offset = t - raw_s
            exact = t
        self._last_raw, self.standing = raw_s, 0
        self.t = max(self.t, round(exact, 6))
        return self.t

    def _wrapped(self, delta: float) -> float:
        """Return a difference in [-12 h, +12 h)."""
        return (delta + DAY_S / 2) % DAY_S - DAY_S / 2

    def _note_gap(self, gap_s: float) -> None:
        self._log.add("time_gap", "", self.t, f"no rows for {gap_s:.1f} s after t = {self.t:.3f} s")


# 2001-09-09 to 2100; others are a logger's own clock.
UNIX_S = (1.0e9, 4.1e9)


def seconds_of_day(cell: str) -> float:
    """Read `194333.680` or `19:43:33.680` (UTC) as seconds of the day. ValueError."""
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
    """Return whether a clock reads unix seconds."""
    return UNIX_S[0] <= value_s <= UNIX_S[1]


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Of these the day comes first, if it can.
_DAY_FIRST = (
    re.compile(r"(?P<d>\d{1,2})[./-](?P<m>\d{1,2})[./-](?P<y>\d{4})"),
    re.compile(r"(?<![\d/])(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d\d)(?![\d/])"),
    # Only before a clock, which may have points too.
    re.compile(r"(?<![\d.])(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d\d)(?=[ ,]+\d{1,2}[:.]\d\d)"),
)
_DATES = (
    re.compile(r"(?P<y>\d{4})[/-](?P<m>\d{1,2})[/-](?P<d>\d{1,2})"),
    *_DAY_FIRST,
    re.compile(r"(?P<word>[A-Za-z]{3})[a-z]*\.? (?P<d>\d{1,2}),? (?P<y>\d{4})"),
    re.compile(r"(?P<d>\d{1,2})(\.? |-)(?P<word>[A-Za-z]{3})[a-z]*(\.? |-)(?P<y>\d{4}|\d\d(?![\d:.]))"),
    # As C's ctime: `Sat Sep 30 10:06:13.191 PM 2017`, `Sat Jun 04 14:47:47 PDT 2016`.
    re.compile(
        r"(?P<word>[A-Za-z]{3}) +(?P<d>\d{1,2}) (?P<time>\d{1,2}:\d\d(:\d\d)?([.,]\d+)?( [AaPp][Mm])?)"
        r"( [A-Z]{2,5}([+-]\d\d:?\d\d)?)? (?P<y>\d{4})"
    ),
)
# As .NET and spreadsheets write it there: no leading zeros, AM or PM.
_AMERICAN = re.compile(r"[1-9]\d?/[1-9]\d?/(\d\d){1,2},? \d{1,2}:\d\d(:\d\d)?([.,]\d+)? ?[AP]M")
_TIME = re.compile(
    r"(?<!\d)(\d{1,2})([:.])(\d\d)(?:\2(\d\d(?:[.,:]\d+)?))?(?:[.,]\d+)?\s*([AaPp]\.?\s?[Mm])?"
)


def date_and_time(text: str) -> tuple[float, bool] | None:
    """Return unix seconds of a written date, and whether it had a time; None without a date.

    Of two numbers the day comes first unless that is impossible, still to come, or the text is
    American.
    """
    for pattern in _DATES:
        date = pattern.search(text)
        if date is None:
            continue
        found = date.groupdict()
        word = (found.get("word") or "").lower()
        if word and word not in _MONTHS:
            continue
        day, year = int(found["d"]), int(found["y"])
        year += 0 if len(found["y"]) > 2 else 2000 if year < 80 else 1900
        month = _MONTHS.index(word) + 1 if word else int(found["m"])
        american = pattern in _DAY_FIRST and _AMERICAN.match(text, date.start())
        to_come = 1 <= month <= 12 and timegm((year, month, day, 0, 0, 0)) > time.time() + DAY_S
        if month > 12 or (pattern in _DAY_FIRST and day <= 12 and (american or to_come)):
            day, month = month, day
        if not (1 <= month <= 12 and 1 <= day <= 31 and 1970 <= year <= 2100):
            return None
        tod_s = time_of_day(found.get("time") or text[date.end() :])
        return timegm((year, month, day, 0, 0, 0)) + (tod_s or 0.0), tod_s is not None
    return None


def time_of_day(text: str) -> float | None:
    """Return seconds since midnight; None if there are none."""
    found = _clock(text)
    return found[0] if found is not None and found[0] < DAY_S else None


def clock_s(text: str) -> float:
    """Read `10:00:01.5 AM` or `13:34:05` as seconds since midnight. ValueError."""
    found = _clock(text)
    if found is None or not found[1]:
        raise ValueError(f"{text[:30]!r} is no time of day")
    return found[0]


def _clock(text: str) -> tuple[float, bool] | None:
    match = _TIME.search(text)
    if match is None:
        return None
    hours, half, seconds = int(match[1]), (match[5] or "").lower(), match[4]
    if half:
        hours = hours % 12 + (12 if half[0] == "p" else 0)
    s = float(re.sub("[,:]", ".", seconds or "0"))
    return hours * 3600.0 + int(match[3]) * 60.0 + s, seconds is not None


def utc_of(local_s: float, has_time: bool, tod_s: float) -> float:
    """Return unix seconds of a UTC time of day, within half a day of a clock of unknown zone."""
    midnight = local_s // DAY_S * DAY_S
    if not has_time:
        return midnight + tod_s
    return min(
        (midnight + shift + tod_s for shift in (0.0, -DAY_S, DAY_S)), key=lambda utc: abs(utc - local_s)
    )
