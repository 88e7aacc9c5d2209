"""MoTeC's binary log (.ld), by its publicly known layout; laps from the .ldx next to it.

A header, a chain of channel descriptions, then each channel's samples in one piece. Date and time
are local. The .ldx's beacons are microseconds since the log began.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import RecordingError, Series, SeriesRecording
from pitwall.telemetry.recordings.columns import Heading, MappedColumn, info_of, map_columns
from pitwall.telemetry.recordings.rows import number, with_local_start
from pitwall.telemetry.recordings.text import read_whole

MARKER = b"\x40\x00\x00\x00"
# Where texts of the header stand.
FIRST_CHANNEL = struct.Struct("<8xI")
DATE, TIME, DRIVER, VEHICLE, VENUE = (94, 16), (126, 16), (158, 64), (222, 64), (350, 64)
HEADER_BYTES = 1_762
# previous, next, data, count; counter, kind, bytes, rate; shift, factor, divisor, decimals; name,
# short name, unit.
CHANNEL = struct.Struct("<IIIIHHHHhhhh32s8s12s")
FLOATS, TYPES = 7, {(True, 4): "f", (False, 2): "h", (False, 4): "i"}
MOST_CHANNELS, MOST_BYTES, MOST_HZ = 4_000, 512 << 20, 2_000
MOST_DECIMALS = 20
BEACON = re.compile(rb'<Marker\b[^>]*ClassName="BCN"[^>]*\bTime="([0-9.eE+-]{1,32})"')


class _Channel(NamedTuple):
    """A channel; value = raw * factor + offset."""

    name: str
    unit: str
    rate_hz: int
    first_byte: int
    samples: int
    code: str
    factor: float
    offset: float


def sniff(head: bytes) -> bool:
    """Accept the marker, and a first channel behind the header."""
    return head.startswith(MARKER) and len(head) >= 12 and FIRST_CHANNEL.unpack_from(head)[0] >= HEADER_BYTES


class MotecRecording(SeriesRecording):
    """A .ld file: one stream for each rate."""

    def __init__(self, path: Path, head: bytes) -> None:
        self.path, log = path, FindingLog()
        data = read_whole(path, MOST_BYTES)
        if len(data) < HEADER_BYTES:
            raise RecordingError(path, "is cut off in its header", hint="copy the file from the logger again")
        channels = [each for each in _channels(data, log) if each.samples]
        if not channels:
            raise RecordingError(path, "has no channel that can be read", hint="export it from i2 as CSV")
        if sum(array(each.code).itemsize * each.samples for each in channels) > len(data):
            what = "lists more readings than it has room for"
            raise RecordingError(path, what, hint="copy the file from the logger again")
        raws = [_raw(data, channel) for channel in channels]
        dead = [i for i, raw in enumerate(raws) if len(set(raw)) <= 1]
        groups: dict[tuple[int, int], list[MappedColumn]] = {}
        headings = [Heading(i, c.name, c.unit) for i, c in enumerate(channels)]
        for channel, column in zip(channels, map_columns(headings, "motec", dead=dead), strict=True):
            groups.setdefault((channel.rate_hz, channel.samples), []).append(column)

        def series(to: MappedColumn) -> Series:
            each = channels[to.cell]
            return Series(raws[to.cell], each.factor * to.scale, each.offset * to.scale + to.offset)

        held = [
            (array("d", (n / rate_hz for n in range(count))), [series(each) for each in group])
            for (rate_hz, count), group in groups.items()
        ]
        super().__init__(held, log)
        self.info = info_of(
            "motec-ld", path,
            [(f"motec {rate_hz} Hz", group) for (rate_hz, _), group in groups.items()],
            venue=_text(data, *VENUE), driver=_text(data, *DRIVER), vehicle=_text(data, *VEHICLE),
            lap_marks_t=_beacons(path.with_suffix(".ldx")),
        )  # fmt: skip
        self.info = with_local_start(self.info, f"{_text(data, *DATE)} {_text(data, *TIME)}")


def _channels(data: bytes, log: FindingLog) -> Iterator[_Channel]:
    [at] = FIRST_CHANNEL.unpack_from(data)
    seen: set[int] = set()
    while at and at not in seen and len(seen) < MOST_CHANNELS:
        seen.add(at)
        if at + CHANNEL.size > len(data):
            log.add("malformed_row", "", 0.0, "the file is cut off in its list of channels")
            return
        (_, ahead, first, count, _, kind, size, rate_hz, shift, factor, divisor, decimals, name, _, unit) = (
            CHANNEL.unpack_from(data, at)
        )
        at, label = ahead, _plain(name)
        code = TYPES.get((kind == FLOATS, size))
        unfit = not 0 < rate_hz <= MOST_HZ or not divisor or abs(decimals) > MOST_DECIMALS or not label
        if code is None or unfit:
            log.add("malformed_row", label, 0.0, "a channel of a kind that is not known, left out")
            continue
        room = max(len(data) - first, 0) // size
        if count > room:
            log.add("malformed_row", label, 0.0, f"{count - room} of {count} samples are cut off")
        scale = factor / divisor * 10.0**-decimals
        yield _Channel(
            label, _plain(unit), rate_hz, first, min(count, room), code, scale, float(shift * factor)
        )


def _raw(data: bytes, channel: _Channel) -> array[Any]:
    found = array(channel.code)
    first = channel.first_byte
    found.frombytes(data[first : first + found.itemsize * channel.samples])
    return found


def _text(data: bytes, at: int, size: int) -> str:
    return _plain(data[at : at + size])


def _plain(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode("latin-1").strip()


def _beacons(path: Path) -> tuple[float, ...]:
    try:
        xml = path.read_bytes()[: 4 << 20]
    except OSError:
        return ()
    times = (number(each.decode("ascii")) for each in BEACON.findall(xml))
    return tuple(sorted(time / 1e6 for time in times if time and time > 0.0))
