"""NMEA 0183: sentences RMC, GGA, GNS, VTG, GSA and ZDA, their epochs, and their logs.

Checksums are the XOR of what stands between `$` and `*`; failed sentences are not used. Positions
are DDMM.MMMM, speed knots (RMC) or km/h (VTG). A void RMC, a GGA of quality 0 or a GNS with all
modes N has no position. The date of RMC or ZDA turns the time of day into unix seconds; without one
the day wraps. Logs and live sources share the sentences.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import islice
from operator import xor
from pathlib import Path
from typing import Literal, NamedTuple

from pitwall.telemetry.findings import FindingKind, FindingLog
from pitwall.telemetry.recordings.base import (
    BUDGET,
    LOOK_ROWS,
    RecordingError,
    RecordingInfo,
    Timed,
    TimedRecording,
)
from pitwall.telemetry.recordings.columns import KNOT_MPS
from pitwall.telemetry.recordings.rows import number, with_start
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines
from pitwall.telemetry.recordings.timeline import Timeline, is_unix, seconds_of_day
from pitwall.telemetry.sample import Stream, Values, channels_of
from pitwall.telemetry.session_clock import DAY_S
from pitwall.telemetry.signals import NEEDS_FIX

MAX_FIELDS = 40

CHANNELS = channels_of({
    "lat_deg": "latitude", "lon_deg": "longitude", "altitude_m": "GGA altitude",
    "speed_mps": "speed over ground", "heading_deg": "course over ground", "satellites": "GGA satellites",
    "hdop": "GGA HDOP", "fix_quality": "GGA quality", "fix_mode": "GSA mode",
})  # fmt: skip
SCALES = {(0, [channel.name for channel in CHANNELS].index("speed_mps")): (KNOT_MPS, 0.0)}
SENTENCE = re.compile(r"\$[A-Z]{2}(RMC|GGA|GNS|VTG|GSA|ZDA),")
_ANY = re.compile(r"\s*\$[A-Z0-9]{3,10},")
# Sentences that carry a time, and so begin an epoch.
TIMED = ("RMC", "GGA", "GNS")

Fault = Literal["malformed", "bad_checksum"]


class Sentence(NamedTuple):
    """A sentence: `RMC` and its cells, filled up with blanks."""

    kind: str
    fields: list[str]


def read_sentence(line: str, *, checked: bool) -> Sentence | Fault | None:
    """Return a line's last sentence; None: blank, or unread. `checked`: needs a checksum."""
    # A line that lost its end runs into the next: the last is whole.
    at = line.rfind("$")
    if at < 0:
        return "malformed" if line.strip() else None
    match = SENTENCE.match(line, at)
    if match is None:
        return None if _ANY.match(line, at) else "malformed"
    body, star, check = line[at + 1 :].partition("*")
    if (star or checked) and not _sum_agrees(body, check):
        return "bad_checksum"
    fields = [field.strip() for field in body.split(",")[:MAX_FIELDS]]
    return Sentence(match[1], fields + [""] * (_LEAST[match[1]] - len(fields)))


class Epoch:
    """The sentences of one moment. `tod_s`: seconds of the UTC day; `day_s`: unix midnight."""

    __slots__ = ("day_s", "kinds", "tod_s", "values", "void")

    def __init__(self, tod_s: float) -> None:
        self.tod_s = tod_s
        self.day_s: float | None = None
        self.kinds: set[str] = set()
        self.values: dict[str, float] = {}
        self.void = False

    @property
    def has_position(self) -> bool:
        """Return whether the epoch has a position."""
        return not self.void and "lat_deg" in self.values

    def reading(self) -> Values:
        """Return the values in the order of CHANNELS; without a fix those of it are None."""
        get = self.values.get
        if self.void:
            return tuple(None if name in NEEDS_FIX else get(name) for name in _NAMES)
        return tuple([get(name) for name in _NAMES])


class Epochs:
    """Gathers sentences of one time of day; those without a time belong to the current one."""

    def __init__(self) -> None:
        self.current: Epoch | None = None

    def add(self, sentence: Sentence) -> Epoch | None:
        """Add a sentence; return the epoch that it ends, if any. ValueError: no time."""
        kind, fields = sentence
        done: Epoch | None = None
        epoch = self.current
        if kind in TIMED:
            if not fields[1]:
                return None
            tod_s = seconds_of_day(fields[1])
            if epoch is None or tod_s != epoch.tod_s or kind in epoch.kinds:
                done = epoch
                self.current = epoch = Epoch(tod_s)
        if epoch is not None:
            epoch.kinds.add(kind)
            _READERS[kind](epoch, fields)
        return done


def _sum_agrees(body: str, check: str) -> bool:
    try:
        return reduce(xor, body.encode("ascii"), 0) == int(check.strip()[:2], 16)
    except ValueError:  # UnicodeEncodeError is one too
        return False


def degrees(cell: str, hemisphere: str) -> float | None:
    """Return `2824.70529`, `N` as 28.4117548; None if it is no position."""
    value = number(cell)
    if value is None or value < 0.0 or hemisphere not in ("N", "S", "E", "W"):
        return None
    whole, minutes = divmod(value, 100.0)
    if minutes >= 60.0 or whole > (90.0 if hemisphere in "NS" else 180.0):
        return None
    found = whole + minutes / 60.0
    return -found if hemisphere in "SW" else found


def _day_s(ddmmyy: str) -> float | None:
    if not re.fullmatch(r"[0-9]{6}", ddmmyy):
        return None
    day, month, year = int(ddmmyy[:2]), int(ddmmyy[2:4]), int(ddmmyy[4:])
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    # GPS began in 1980.
    return float(timegm((year + (1900 if year >= 80 else 2000), month, day, 0, 0, 0)))


def _note(epoch: Epoch, name: str, cell: str) -> None:
    value = number(cell)
    if value is not None:
        epoch.values[name] = value


def _place(epoch: Epoch, lat: float | None, lon: float | None) -> None:
    if lat is None or lon is None or lat == 0.0:
        return
    epoch.values["lat_deg"], epoch.values["lon_deg"] = lat, lon


def _read_rmc(epoch: Epoch, fields: list[str]) -> None:
    epoch.day_s = _day_s(fields[9]) or epoch.day_s
    if fields[2] != "A":
        epoch.void = True
        return
    _place(epoch, degrees(fields[3], fields[4]), degrees(fields[5], fields[6]))
    knots = number(fields[7])
    if knots is not None:
        epoch.values["speed_mps"] = knots * KNOT_MPS
    _note(epoch, "heading_deg", fields[8])


def _read_gga(epoch: Epoch, fields: list[str]) -> None:
    _note(epoch, "fix_quality", fields[6])
    _note(epoch, "satellites", fields[7])
    _note(epoch, "hdop", fields[8])
    if number(fields[6]) == 0.0:
        epoch.void = True
        return
    _note(epoch, "altitude_m", fields[9])
    if "RMC" not in epoch.kinds:
        _place(epoch, degrees(fields[2], fields[3]), degrees(fields[4], fields[5]))


def _read_gns(epoch: Epoch, fields: list[str]) -> None:
    _note(epoch, "satellites", fields[7])
    _note(epoch, "hdop", fields[8])
    # One mode a constellation; N: no fix.
    if not fields[6].strip("N"):
        epoch.void = epoch.void or not epoch.kinds & {"RMC", "GGA"}
        return
    _note(epoch, "altitude_m", fields[9])
    if not epoch.kinds & {"RMC", "GGA"}:
        _place(epoch, degrees(fields[2], fields[3]), degrees(fields[4], fields[5]))


def _read_zda(epoch: Epoch, fields: list[str]) -> None:
    day, month, year = fields[2:5]
    if epoch.day_s is None and len(year) == 4:
        epoch.day_s = _day_s(f"{day:0>2}{month:0>2}{year[2:]}")


def _read_vtg(epoch: Epoch, fields: list[str]) -> None:
    course = number(fields[1])
    if course is not None:
        epoch.values.setdefault("heading_deg", course)
    kmh, knots = number(fields[7]), number(fields[5])
    if kmh is not None:
        epoch.values.setdefault("speed_mps", kmh / 3.6)
    elif knots is not None:
        epoch.values.setdefault("speed_mps", knots * KNOT_MPS)


def _read_gsa(epoch: Epoch, fields: list[str]) -> None:
    # Mode 1 is no fix, but one GSA comes for each constellation.
    _note(epoch, "fix_mode", fields[2])


_NAMES = tuple(channel.name for channel in CHANNELS)
_READERS: dict[str, Callable[[Epoch, list[str]], None]] = {
    "RMC": _read_rmc, "GGA": _read_gga, "VTG": _read_vtg, "GSA": _read_gsa, "GNS": _read_gns,
    "ZDA": _read_zda,
}  # fmt: skip
# Fields that a reader touches.
_LEAST = {"RMC": 10, "GGA": 10, "GNS": 10, "VTG": 8, "GSA": 3, "ZDA": 5}


# A receiver without a fix says so for minutes.
LOOK_EPOCHS = 20_000

_FAULTS: dict[str, tuple[FindingKind, str]] = {
    "malformed": ("malformed_row", "is no sentence"),
    "bad_checksum": ("bad_checksum", "fails its checksum"),
}


def sniff(head: bytes) -> bool:
    """Accept two sentences near the beginning."""
    return sum(SENTENCE.search(line) is not None for line in head_lines(head)[:200]) >= 2


class NmeaRecording(TimedRecording):
    """An NMEA log as a `Recording` with one stream."""

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path)
        self._encoding = encoding_of(head)
        lines = head_lines(head)[:200]
        # A log that has checksums has them on every line.
        self._checked = any(re.search(r"\*[0-9A-Fa-f]{2}\s*$", line) for line in lines)
        info = RecordingInfo("nmea", str(path), (Stream(0, "gps", CHANNELS),), scales=SCALES)
        self.info = with_start(info, *self._start())

    def _start(self) -> tuple[float | None, float]:
        log = FindingLog()
        timeline = Timeline(log)
        tod_s: float | None = None
        for raw_s, epoch in islice(self._dated(log, timeline), LOOK_EPOCHS):
            t = timeline.advance(raw_s)
            if t is None:
                continue
            tod_s = epoch.tod_s - t if tod_s is None else tod_s
            utc_s = None if self._day_s is None else self._day_s + raw_s
            if utc_s is not None and is_unix(utc_s) and epoch.has_position:
                return round(utc_s - t, 3), tod_s
        if tod_s is None:
            raise RecordingError(self.path, "no sentence with a time and a good checksum", line=1,
                                 hint="log RMC, GGA or GNS sentences")  # fmt: skip
        return None, tod_s

    def _timed(self, log: FindingLog, timeline: Timeline) -> Timed:
        for raw_s, epoch in self._dated(log, timeline):
            yield raw_s, 0, epoch.reading()
            if epoch.void:
                log.add("void_fix", "lat_deg", timeline.t, "the receiver says it has no fix")

    def _dated(self, log: FindingLog, timeline: Timeline) -> Iterator[tuple[float, Epoch]]:
        day, last_tod_s, started = 0.0, 0.0, False
        self._day_s: float | None = None
        for epoch in self._epochs(log, timeline):
            if epoch.day_s is not None:
                # Days before the first date count on from it: its coming is no step.
                self._day_s = epoch.day_s - day * DAY_S if self._day_s is None else self._day_s
                day = (epoch.day_s - self._day_s) / DAY_S
            elif started and abs(epoch.tod_s - last_tod_s) > DAY_S / 2:
                day += 1.0 if epoch.tod_s < last_tod_s else -1.0
            last_tod_s, started = epoch.tod_s, True
            yield day * DAY_S + epoch.tod_s, epoch

    def _epochs(self, log: FindingLog, timeline: Timeline) -> Iterator[Epoch]:
        epochs = Epochs()
        for sentence in self._sentences(log, timeline):
            try:
                done = epochs.add(sentence)
            except ValueError:
                clock = sentence.fields[1][:20]
                log.add("malformed_row", "", timeline.t, f"{sentence.kind} with the time {clock!r}")
                continue
            if done is not None:
                yield done
        if epochs.current is not None:
            yield epochs.current

    def _sentences(self, log: FindingLog, timeline: Timeline) -> Iterator[Sentence]:
        for line_number, line in numbered_lines(self.path, self._encoding):
            if line_number % LOOK_ROWS == 0:
                BUDGET.refuse_barren(self.path, log, timeline)
            timeline.standing += 1
            found = "malformed" if line is None else read_sentence(line, checked=self._checked)
            if isinstance(found, Sentence):
                yield found
            elif found is not None:
                kind, what = _FAULTS[found]
                log.add(kind, "", timeline.t, f"line {line_number} {what}")
