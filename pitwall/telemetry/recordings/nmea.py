"""NMEA 0183 log: RMC, GGA, VTG and GSA of any talker, gathered into one sample for each epoch of the
receiver.

Checksums are the XOR of what stands between `$` and `*`; a sentence that fails is not used. Positions are
DDMM.MMMM, speed knots (RMC) or km/h (VTG). A void RMC or a GGA of quality 0 has no position. RMC's date turns
the time of day into unix seconds, so midnight is nothing special; without one the day wraps.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import islice
from operator import xor
from pathlib import Path

from pitwall.telemetry.recordings.base import Finding, RecordingError, RecordingInfo
from pitwall.telemetry.recordings.clocks import is_unix, seconds_of_day
from pitwall.telemetry.recordings.decode import number
from pitwall.telemetry.recordings.findings import FindingLog
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines
from pitwall.telemetry.recordings.timeline import DAY_S, Timeline
from pitwall.telemetry.sample import Channel, Sample, Stream

KNOT_MPS = 1852 / 3600
# Epochs looked at when opening: a receiver that has not yet a fix says so for minutes.
LOOK_EPOCHS = 20_000
MAX_FIELDS = 40

CHANNELS = (
    Channel("lat_deg", "deg", "latitude"),
    Channel("lon_deg", "deg", "longitude"),
    Channel("altitude_m", "m", "GGA altitude"),
    Channel("speed_mps", "m/s", "speed over ground"),
    Channel("heading_deg", "deg", "course over ground"),
    Channel("satellites", "", "GGA satellites"),
    Channel("hdop", "", "GGA HDOP"),
    Channel("fix_quality", "", "GGA quality"),
    Channel("fix_mode", "", "GSA mode"),
)
_SENTENCE = re.compile(r"\$[A-Z]{2}(RMC|GGA|VTG|GSA),")
_ANY = re.compile(r"\s*\$[A-Z0-9]{3,10},")


class _Epoch:
    """What the sentences of one moment say."""

    __slots__ = ("kinds", "tod_s", "values", "void")

    def __init__(self, tod_s: float) -> None:
        self.tod_s = tod_s
        self.kinds: set[str] = set()
        self.values: dict[str, float | None] = {}
        self.void = False


def sniff(head: bytes) -> bool:
    """Two or more sentences that a receiver writes, near the beginning."""
    return sum(_SENTENCE.search(line) is not None for line in head_lines(head)[:200]) >= 2


class NmeaRecording:
    """An NMEA log as a `Recording` with one stream."""

    def __init__(self, path: Path, head: bytes) -> None:
        self.path = path
        self._encoding = encoding_of(head)
        lines = head_lines(head)[:200]
        # A log that has checksums has them on every line; one without is read as it is.
        self._checked = any(re.search(r"\*[0-9A-Fa-f]{2}\s*$", line) for line in lines)
        self._log = FindingLog()
        self.info = RecordingInfo("nmea", str(path), (Stream(0, "gps", CHANNELS),))
        start = self._start_utc()
        self.info = RecordingInfo("nmea", str(path), self.info.streams, start)

    def samples(self) -> Iterator[Sample]:
        """Yield one sample an epoch, `t` never running backwards, in constant memory."""
        for _, t, epoch in self._timed():
            get = epoch.values.get
            yield Sample(0, t, tuple(get(channel.name) for channel in CHANNELS))

    def findings(self) -> list[Finding]:
        """What the last pass met."""
        return self._log.findings()

    def _start_utc(self) -> float | None:
        usable = False
        for utc_s, t, epoch in islice(self._timed(), LOOK_EPOCHS):
            usable = True
            if utc_s is not None and is_unix(utc_s) and epoch.values.get("lat_deg") is not None:
                return round(utc_s - t, 3)
        if not usable:
            raise RecordingError(self.path, "no sentence with a time and a good checksum", line=1,
                                 hint="log RMC or GGA sentences")  # fmt: skip
        return None

    def _timed(self) -> Iterator[tuple[float | None, float, _Epoch]]:
        """(unix seconds where a date is known, session seconds, epoch)."""
        log = self._log = FindingLog()
        timeline = Timeline(log)
        day, last_tod_s, started = 0.0, 0.0, False
        first_day_s: float | None = None
        for epoch in self._epochs(log, timeline):
            date_s = epoch.values.pop("date", None)
            if date_s is not None:
                # Days before the first date count on from it, so that its coming is no step of the clock.
                first_day_s = date_s - day * DAY_S if first_day_s is None else first_day_s
                day = (date_s - first_day_s) / DAY_S
            elif started and abs(epoch.tod_s - last_tod_s) > DAY_S / 2:
                day += 1.0 if epoch.tod_s < last_tod_s else -1.0
            last_tod_s, started = epoch.tod_s, True
            raw_s = day * DAY_S + epoch.tod_s
            t = timeline.advance(raw_s)
            if t is None:
                continue
            if epoch.void:
                for name in ("lat_deg", "lon_deg", "speed_mps", "heading_deg"):
                    epoch.values[name] = None
                log.add("void_fix", "lat_deg", t, "the receiver says it has no fix")
            yield None if first_day_s is None else first_day_s + raw_s, t, epoch

    def _epochs(self, log: FindingLog, timeline: Timeline) -> Iterator[_Epoch]:
        """Sentences of one time of day together; those without a time belong to the epoch they stand in."""
        epoch: _Epoch | None = None
        for kind, fields in self._sentences(log, timeline):
            if kind in ("RMC", "GGA"):
                try:
                    tod_s = seconds_of_day(fields[1])
                except ValueError:
                    if fields[1]:
                        log.add("malformed_row", "", timeline.t, f"{kind} with the time {fields[1][:20]!r}")
                    continue
                if epoch is None or tod_s != epoch.tod_s or kind in epoch.kinds:
                    if epoch is not None:
                        yield epoch
                    epoch = _Epoch(tod_s)
            if epoch is not None:
                epoch.kinds.add(kind)
                _READERS[kind](epoch, fields)
        if epoch is not None:
            yield epoch

    def _sentences(self, log: FindingLog, timeline: Timeline) -> Iterator[tuple[str, list[str]]]:
        for line_number, line in numbered_lines(self.path, self._encoding):
            # A line that lost its end runs into the next sentence: the last one is whole.
            at = line.rfind("$") if line else -1
            if line is None or at < 0:
                if line is None or line.strip():
                    log.add("malformed_row", "", timeline.t, f"line {line_number} is no sentence")
                continue
            match = _SENTENCE.match(line, at)
            if match is None:
                if not _ANY.match(line, at):
                    log.add("malformed_row", "", timeline.t, f"line {line_number} is no sentence")
                continue
            body, star, check = line[at + 1 :].partition("*")
            if (star or self._checked) and not _sum_agrees(body, check):
                log.add("bad_checksum", "", timeline.t, f"line {line_number} fails its checksum")
                continue
            fields = [field.strip() for field in body.split(",")[:MAX_FIELDS]]
            yield match[1], fields + [""] * (_LEAST[match[1]] - len(fields))


def _sum_agrees(body: str, check: str) -> bool:
    try:
        return reduce(xor, body.encode("ascii"), 0) == int(check.strip()[:2], 16)
    except ValueError:  # UnicodeEncodeError is one too
        return False


def degrees(cell: str, hemisphere: str) -> float | None:
    """`2824.70529`, `N` to 28.4117548; None where it is no position."""
    value = number(cell)
    if value is None or value < 0.0 or hemisphere not in ("N", "S", "E", "W"):
        return None
    whole, minutes = divmod(value, 100.0)
    if minutes >= 60.0 or whole > (90.0 if hemisphere in "NS" else 180.0):
        return None
    found = whole + minutes / 60.0
    return -found if hemisphere in "SW" else found


def _day_s(ddmmyy: str) -> float | None:
    """Unix seconds of the midnight of an RMC date."""
    if not re.fullmatch(r"[0-9]{6}", ddmmyy):
        return None
    day, month, year = int(ddmmyy[:2]), int(ddmmyy[2:4]), int(ddmmyy[4:])
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    # GPS began in 1980: a receiver before its first fix says 060180.
    return float(timegm((year + (1900 if year >= 80 else 2000), month, day, 0, 0, 0)))


def _place(epoch: _Epoch, lat: float | None, lon: float | None) -> None:
    if lat is None or lon is None or lat == 0.0:
        return
    epoch.values["lat_deg"], epoch.values["lon_deg"] = lat, lon


def _read_rmc(epoch: _Epoch, fields: list[str]) -> None:
    epoch.values["date"] = _day_s(fields[9])
    if fields[2] != "A":
        epoch.void = True
        return
    _place(epoch, degrees(fields[3], fields[4]), degrees(fields[5], fields[6]))
    knots = number(fields[7])
    if knots is not None:
        epoch.values["speed_mps"] = knots * KNOT_MPS
    course = number(fields[8])
    if course is not None:
        epoch.values["heading_deg"] = course


def _read_gga(epoch: _Epoch, fields: list[str]) -> None:
    quality = number(fields[6])
    epoch.values["fix_quality"] = quality
    epoch.values["satellites"] = number(fields[7])
    epoch.values["hdop"] = number(fields[8])
    if quality == 0.0:
        epoch.void = True
        return
    epoch.values["altitude_m"] = number(fields[9])
    if "RMC" not in epoch.kinds:
        _place(epoch, degrees(fields[2], fields[3]), degrees(fields[4], fields[5]))


def _read_vtg(epoch: _Epoch, fields: list[str]) -> None:
    course = number(fields[1])
    if course is not None:
        epoch.values.setdefault("heading_deg", course)
    kmh, knots = number(fields[7]), number(fields[5])
    if kmh is not None:
        epoch.values.setdefault("speed_mps", kmh / 3.6)
    elif knots is not None:
        epoch.values.setdefault("speed_mps", knots * KNOT_MPS)


def _read_gsa(epoch: _Epoch, fields: list[str]) -> None:
    # Mode 1 is no fix, but one GSA comes for each constellation and only RMC and GGA judge the whole.
    epoch.values["fix_mode"] = number(fields[2])


_READERS: dict[str, Callable[[_Epoch, list[str]], None]] = {
    "RMC": _read_rmc,
    "GGA": _read_gga,
    "VTG": _read_vtg,
    "GSA": _read_gsa,
}
# Fields that a reader touches; shorter sentences are filled up with blanks.
_LEAST = {"RMC": 10, "GGA": 10, "VTG": 8, "GSA": 3}
