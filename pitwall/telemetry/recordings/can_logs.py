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
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import BUDGET, RecordingError, RecordingInfo, Timed, TimedRecording
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


class _LineForm(NamedTuple):
    """How a program writes a frame on a line. `scale`: seconds of a unit of its time."""

    line: re.Pattern[str]
    scale: float = 1.0
    base64: bool = False


_BYTES = r"(?P<data>(?:[0-9A-Fa-f]{2}[ ,]?)*)"
# SavvyCAN (GVRET), python-can's CSV, OVMS' CRTD, BUSMASTER.
_FORMS = (
    _LineForm(_LINE),
    _LineForm(re.compile(
        r"\s*(?P<time>\d+),(?P<id>[0-9A-Fa-f]{1,8}),(?P<wide>true|false|[01]),(?:[RT]x,)?(?P<bus>\d+),\d+,"
        + _BYTES), 1e-6),
    _LineForm(re.compile(
        r"(?P<time>[\d.]+),0x(?P<id>[0-9A-Fa-f]{1,8}),(?P<wide>[01]),0,0,\d+,(?P<data>[A-Za-z0-9+/=]*)\s*$"),
        1.0, base64=True),
    _LineForm(re.compile(
        r"(?P<time>\d+\.\d+) +(?P<bus>\d*)[RT](?P<wide>11|29) +(?P<id>[0-9A-Fa-f]{1,8}) *" + _BYTES)),
    _LineForm(re.compile(
        r"(?P<time>\d+:\d+:\d+:\d+) +[RT]x +(?P<bus>\d+) +0x(?P<id>[0-9A-Fa-f]{1,8}) +(?P<wide>[sx]) +\d+ +"
        + _BYTES)),
)  # fmt: skip
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


class LoggedFrame(NamedTuple):
    """A data frame: seconds of the log's clock, its bus, its id (EXTENDED for 29 bits)."""

    raw_s: float
    bus: str
    key: int
    data: bytes


def sniff(head: bytes) -> bool:
    """Accept one of the first lines that is a frame."""
    return _form_of_lines(head) is not None


def _form_of_lines(head: bytes) -> _LineForm | None:
    lines = head[:4096].decode("latin-1").splitlines()[:SNIFFED_LINES]
    return next((form for form in _FORMS if any(map(form.line.match, lines))), None)


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
                read = decoder.decode(data)
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
        """Yield the data frames."""
        passed_s, form = 0.0, self._line_form
        named = form.line.groupindex
        for number, line in numbered_lines(self.path, "utf-8"):
            if number % 1_024 == 0 and log.count("malformed_row") > BUDGET.unread:
                raise RecordingError(self.path, "most of its lines are no CAN frames", hint="log it again")
            match = None if line is None else form.line.match(line)
            raw_s = None if match is None else _seconds(match["time"])
            if match is None or raw_s is None:
                if (line is None or line.strip()) and (form is _FORMS[0] or number > SNIFFED_LINES):
                    log.add("malformed_row", "", None, f"line {number} is no CAN frame")
                continue
            if self._deltas:
                raw_s = passed_s = passed_s + raw_s
            digits, data = match["id"], match["data"]
            identifier = int(digits, 16)
            if data[:1] in ("R", "r") or identifier > MOST_ID:
                continue
            wide = match["wide"] in _WIDE if "wide" in named else len(digits) == 8
            key = identifier | (EXTENDED if wide else 0)
            payload = b64decode(data) if form.base64 else bytes.fromhex(re.sub(r"[.,]", " ", data))
            yield LoggedFrame(raw_s * form.scale, match["bus"] if "bus" in named else "", key, payload)


def _seconds(text: str) -> float | None:
    """Read seconds, or a date and time; `15:30:21:8390` as seconds of the day."""
    try:
        if ":" in text and "-" not in text:
            hours, minutes, seconds, tenths_of_ms = text.split(":")
            return int(hours) * 3600.0 + int(minutes) * 60.0 + int(seconds) + int(tenths_of_ms) * 1e-4
        if "-" not in text:
            return float(text)
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _are_deltas(head: bytes) -> bool:
    """Return whether times are deltas since the frame before (`candump -td`)."""
    found = [_seconds(match["time"]) for line in head_lines(head)[:-1] if (match := _LINE.match(line))]
    times = [each for each in found if each is not None]
    falls = sum(later < sooner for sooner, later in pairwise(times))
    return bool(times) and not is_unix(max(times)) and falls > len(times) / FALLS
