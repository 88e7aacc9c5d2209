"""Logs of CAN frames, a line each, as candump, python-can and others write them.

Of candump `-l`, `-ta`, `-tz`, `-td` and `-tA`; SavvyCAN's, CRTD's and BUSMASTER's:

    (1598827794.745895) can0 316#451B780C1B1F0071        a log; `##` CAN FD, `#R` a remote frame
     (1598827794.745895)  can0  316   [8]  45 1B 78 ...   the screen

What the frames mean stands in a DBC, which is not in the file: `open_recording` is given the
decoders. An id belongs to the bus that sent it first: the same id of a second bus may be another
message, and is left out.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import isnan
from pathlib import Path
from statistics import median
from typing import NamedTuple, Protocol

import msgspec

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import BUDGET, RecordingError, RecordingInfo, Timed, TimedRecording
from pitwall.telemetry.recordings.cells import find_time, unit_s
from pitwall.telemetry.recordings.columns import heading, slug
from pitwall.telemetry.recordings.rows import Cells, delimiter_of, splitter, with_local_start
from pitwall.telemetry.recordings.text import head_lines, numbered_lines
from pitwall.telemetry.recordings.timeline import Timeline, is_unix
from pitwall.telemetry.sample import Channel, Stream, Values

# Set in a key for a 29-bit id, as in a DBC.
EXTENDED = 0x8000_0000
# After this many the range itself is doubted.
RANGE_TRIAL = 100
# Above it an id of eight digits is a report of an error on the bus.
MOST_ID = 0x1FFF_FFFF
UNKNOWN_SHOWN = 5
# One fall in this many makes times deltas.
FALLS = 50
_LINE = re.compile(
    r"\s*\((?P<time>[\d.:\- ]{1,32})\)\s+(?P<bus>\S{1,32})\s+(?:[TR]X\s+\S\s+\S\s+)?"
    r"(?P<id>[0-9A-Fa-f]{8}|[0-9A-Fa-f]{3})"
    r"(?:(?P<how>\#\#[0-9A-Fa-f]|\#)|\s+\[\d{1,2}\]\s*)(?P<data>R\d?|remote|(?:[0-9A-Fa-f]{2}[. ]?)*)"
)


class LoggedFrame(NamedTuple):
    """A frame: seconds of the log's clock, its bus, its id (EXTENDED for 29 bits), its bytes; None for
    one without any."""

    raw_s: float
    bus: str
    key: int
    data: bytes | None


class _LineForm(NamedTuple):
    """How a program writes a frame on a line."""

    line: re.Pattern[str]

    def read(self, line: str) -> LoggedFrame | None:
        """Return the frame of a line, None for none. ValueError for a time of no form."""
        match = self.line.match(line)
        if match is None:
            return None
        named, digits, data = match.groupdict(), match["id"], match["data"]
        wide = named["wide"] in _WIDE if "wide" in named else len(digits) == 8
        payload = None if data[:1] in ("R", "r") else bytes.fromhex(re.sub(r"[.,]", " ", data))
        return _frame(_seconds(match["time"]), named.get("bus") or "", int(digits, 16), wide, payload)


class _Table:
    """How a CSV writes frames, by its row of names."""

    def __init__(self, names: Sequence[str], rows: Sequence[Cells], split: Callable[[str], Cells]) -> None:
        """ValueError for no table of frames."""
        slugs = [slug(name) for name in names]
        found = [next((what for what, form in _COLUMNS if form.fullmatch(each)), "") for each in slugs]
        at = {what: found.index(what) for what in ("id", "data", "bus", "wide", "dlc") if what in found}
        self._bytes = [cell for cell, what in enumerate(found) if what == "byte"]
        if found[-1] == "byte":  # some name two of eight
            self._bytes = [*range(self._bytes[0], 64)]
        if "id" not in at or not ("data" in at or self._bytes) or not rows:
            raise ValueError("names no id and data of frames")
        timed = [heading(cell, name) for cell, name in enumerate(names)]
        time = find_time(timed, rows)
        if time is None:
            raise ValueError("names no time")
        self._split, self._at, self._clock = split, at, time.clock
        self._scale = 1.0
        if not (time.dated or time.of_day) and unit_s(timed[time.cells[0]]) == 1.0 and len(rows) > 1:
            # Many count in milli- or microseconds and don't say so: a bus sends ten frames a second.
            step = median(time.clock(later) - time.clock(sooner) for sooner, later in pairwise(rows))
            self._scale = next((each for each in (1.0, 1e-3, 1e-6) if step * each < 0.15), 1e-9)
        self._base64 = {"remote", "error", "dlc"} <= set(slugs)
        ids = {row[at["id"]].strip().lower() for row in rows}
        parts = {row[cell].strip().lower() for row in rows for cell in self._bytes if cell < len(row)} - {""}
        # Hexadecimal has letters somewhere, or leading zeros.
        self._base = 16 if any(re.match("0.|.*[a-f]", each) for each in ids) else 10
        is_hex = any(re.search("[a-f]", each) for each in parts) or {len(each) for each in parts} == {2}
        self._byte_base = 16 if is_hex else 10

    def read(self, line: str) -> LoggedFrame | None:
        """Return the frame of a line, None for none. ValueError, IndexError."""
        cells, at = self._split(line), self._at
        if "data" in at:
            text = cells[at["data"]].strip()
            payload = b64decode(text) if self._base64 else bytes.fromhex(re.sub("0x|[^0-9a-fA-F]", "", text))
        else:
            length = int(cells[at["dlc"]]) if "dlc" in at else 64
            texts = [cells[cell].strip() for cell in self._bytes[:length] if cell < len(cells)]
            payload = bytes(int(each, self._byte_base) for each in texts if each)
        identifier = int(cells[at["id"]].strip().lower().removeprefix("0x"), self._base)
        wide = cells[at["wide"]].strip().lower() in _WIDE if "wide" in at else identifier > 0x7FF
        bus = cells[at["bus"]].strip() if "bus" in at else ""
        return _frame(self._clock(cells) * self._scale, bus, identifier, wide, payload)


def _frame(raw_s: float, bus: str, identifier: int, wide: bool, data: bytes | None) -> LoggedFrame:
    is_frame = identifier <= MOST_ID
    return LoggedFrame(raw_s, bus, identifier | (EXTENDED if wide else 0), data if is_frame else None)


_BYTES = r"(?P<data>(?:[0-9A-Fa-f]{2}[ ,]?)*)"
# OVMS' CRTD, BUSMASTER.
_FORMS = (
    _LineForm(_LINE),
    _LineForm(re.compile(
        r"(?P<time>\d+\.\d+) +(?P<bus>\d*)[RT](?P<wide>11|29) +(?P<id>[0-9A-Fa-f]{1,8}) *" + _BYTES)),
    _LineForm(re.compile(
        r"(?P<time>\d+:\d+:\d+:\d+) +[RT]x +(?P<bus>\d+) +(?:0x)?(?P<id>[0-9A-Fa-f]{1,8})"
        r" +(?P<wide>[sx]) +\d+ +" + _BYTES)),
)  # fmt: skip
# What tables of frames (SavvyCAN, python-can, CANedge, openpilot, data sets) call their columns.
_COLUMNS = tuple((what, re.compile(form)) for what, form in (
    ("id", r"(can_?|arbitration_?|message_?|msg_?|frame_?)?(id|identifier|addr(ess)?)(_hex)?"),
    ("data", r"(data|payload)(_?(bytes|hex|field))?"),
    ("byte", r"(data|d|b|byte|bit)_?(byte_?)?\d+(_hex)?"),
    ("bus", r"(can_?)?(bus|channel|interface)(_?(channel|id|no))?"),
    ("wide", r"(is_)?(extended|ide|ext)(_id)?"),
    ("dlc", r"dlc|len|length|data_length"),
))  # fmt: skip
_WIDE = ("true", "1", "29", "x")
SNIFFED_LINES = 25
HINT = "name it: --dbc FILE; or put it next to the log under its name, or into the table of a source can:"


class Part(Protocol):
    """Signals that arrive together: one stream."""

    group: str
    channels: tuple[Channel, ...]


class RefusedReadings(msgspec.Struct):
    """Counts a channel's refused readings: a code that is no value, or out of range."""

    name: str
    in_range: int = 0
    out_of_range: int = 0
    named: int = 0

    @property
    def range_is_wrong(self) -> bool:
        """Return whether most readings leave the DBC's range, which is written by hand."""
        return self.out_of_range > max(RANGE_TRIAL, self.in_range)


class FrameDecoder(Protocol):
    """What one message's bytes mean. ValueError if they are too few."""

    @property
    def parts(self) -> Sequence[Part]: ...

    @property
    def refused(self) -> Sequence[RefusedReadings]: ...

    def decode(self, data: bytes) -> Sequence[tuple[Part, Values]]: ...


class FrameDecoders(Protocol):
    def find(self, key: int) -> FrameDecoder | None:
        """Return the decoder of a frame; `key` is its id, EXTENDED set for 29 bits."""
        ...


# None if nothing names a DBC.
Decoders = Callable[[], FrameDecoders | None]


def sniff(head: bytes) -> bool:
    """Accept one of the first lines that is a frame."""
    return _form_of_lines(head) is not None


def _form_of_lines(head: bytes) -> _LineForm | _Table | None:
    lines = head[:4096].rpartition(b"\n")[0].decode("latin-1").splitlines()[:SNIFFED_LINES]
    by_line = next((form for form in _FORMS if any(map(form.line.match, lines))), None)
    if by_line is not None:
        return by_line
    for at, names in enumerate(lines):
        split = splitter(delimiter_of(names))
        with suppress(ValueError, IndexError):
            rows = [row for row in map(split, lines[at + 1 :]) if len(row) > 2]
            return _Table(split(names.lstrip("\ufeffï»¿")), rows, split)
    return None


class CandumpRecording(TimedRecording):
    """A log of frames: a stream for each part of a message."""

    several_at_once = True

    def __init__(self, path: Path, head: bytes, decoders: Decoders | None) -> None:
        super().__init__(path)
        found = None if decoders is None else decoders()
        if found is None:
            what = "is a log of CAN frames, and no DBC says what they mean"
            raise RecordingError(path, what, hint=HINT)
        self._line_form = _form_of_lines(head) or _FORMS[0]
        self._deltas = _are_deltas(head)
        owners: dict[int, str] = {}
        first_s: float | None = None
        for frame in self._frames(FindingLog()):
            owners.setdefault(frame.key, frame.bus)
            first_s = frame.raw_s if first_s is None else first_s
        if not owners:
            raise RecordingError(path, "holds no frame that can be read", hint="log it again")
        self._owners = owners
        known = {key: found.find(key) for key in owners}
        self._decoders = {key: decoder for key, decoder in known.items() if decoder is not None}
        if not self._decoders:
            seen = ", ".join(f"0x{key & ~EXTENDED:X}" for key in list(owners)[:UNKNOWN_SHOWN])
            what = f"none of its {len(owners)} ids ({seen}, ...) is in the DBC"
            raise RecordingError(path, what, hint="give the DBC of this car or logger")
        parts = [part for each in self._decoders.values() for part in each.parts]
        self._streams = {id(part): number for number, part in enumerate(parts)}
        self.info = RecordingInfo(
            "candump",
            str(path),
            tuple(Stream(number, part.group, part.channels) for number, part in enumerate(parts)),
            start_utc_s=first_s if first_s is not None and is_unix(first_s) else None,
        )
        day = re.search(rb"START DATE AND TIME (\d+):(\d+):(\d{4})", head)
        if day is not None and first_s is not None:  # BUSMASTER's
            about = "{2}-{1}-{0}".format(*map(int, day.groups()))
            self.info = with_local_start(self.info, f"{about} {timedelta(seconds=first_s)}")
        self._names_nothing = not any(channel.canonical for part in parts for channel in part.channels)

    def _timed(self, log: FindingLog, timeline: Timeline) -> Timed:
        if self._names_nothing:
            detail = "none of the DBC's signals is named as one of Pitwall's: take them with --mapping"
            log.add("blank_channel", "", None, f"{detail} auto by their names, or a mapping FILE")
        unknown: Counter[int] = Counter()
        every = [refused for decoder in self._decoders.values() for refused in decoder.refused]
        for refused in every:
            refused.in_range = refused.out_of_range = refused.named = 0
        for raw_s, bus, key, data in self._frames(log):
            decoder = self._decoders.get(key)
            if decoder is None:
                unknown[key] += 1
                continue
            if self._owners[key] != bus:
                detail = f"its id came from {self._owners[key]} first; frames of {bus} are left out"
                log.add("malformed_row", f"0x{key & ~EXTENDED:X}", timeline.t, detail)
                continue
            try:
                read = decoder.decode(data or b"")
            except ValueError as error:
                log.add("malformed_row", f"0x{key & ~EXTENDED:X}", timeline.t, str(error))
                continue
            for part, values in read:
                yield raw_s, self._streams[id(part)], values
        for refused in every:
            if refused.named:
                detail = "reads a code that the DBC names as no value"
                log.open("sentinel", refused.name, None, detail).count = refused.named
            if refused.out_of_range:
                wrong = ", which most readings leave: not heeded" if refused.range_is_wrong else ""
                detail = f"is outside of the DBC's range{wrong}"
                log.open("out_of_range", refused.name, None, detail).count = refused.out_of_range
        if unknown:
            often = ", ".join(f"0x{key & ~EXTENDED:X}" for key, _ in unknown.most_common(UNKNOWN_SHOWN))
            detail = f"{unknown.total()} frames of {len(unknown)} ids that the DBC has not: {often}"
            log.add("blank_channel", "", 0.0, detail + (", ..." if len(unknown) > UNKNOWN_SHOWN else ""))

    def _frames(self, log: FindingLog) -> Iterator[LoggedFrame]:
        passed_s, form = 0.0, self._line_form
        for number, line in numbered_lines(self.path, "utf-8"):
            if number % 1_024 == 0 and log.count("malformed_row") > BUDGET.unread:
                raise RecordingError(self.path, "most of its lines are no CAN frames", hint="log it again")
            found = None
            with suppress(ValueError, IndexError):
                found = None if line is None else form.read(line)
            if found is None or isnan(found.raw_s):
                if (line is None or line.strip()) and (form is _FORMS[0] or number > SNIFFED_LINES):
                    log.add("malformed_row", "", None, f"line {number} is no CAN frame")
                continue
            if self._deltas:
                passed_s += found.raw_s
                found = found._replace(raw_s=passed_s)
            if found.data is not None:
                yield found


def _seconds(text: str) -> float:
    """Read seconds, or a date and time; `15:30:21:8390` as seconds of the day. ValueError."""
    if ":" in text and "-" not in text:
        hours, minutes, seconds, fraction = text.split(":")
        return int(hours) * 3600.0 + int(minutes) * 60.0 + float(f"{seconds}.{fraction}")
    if "-" not in text:
        return float(text)
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def _are_deltas(head: bytes) -> bool:
    times = []
    for match in map(_LINE.match, head_lines(head)[:-1]):
        with suppress(ValueError):
            times += [_seconds(match["time"])] if match else []
    falls = sum(later < sooner for sooner, later in pairwise(times))
    return bool(times) and not is_unix(max(times)) and falls > len(times) / FALLS
