"""The GPS of a GoPro's video: the track of metadata (`gpmd`) in its MP4.

Its payloads are of about a second each.
GPS9 (HERO11 and later): each sample has its own date, fix and precision. GPS5: the payload has the
time (GPSU), fix and precision; samples are spread evenly to the next payload. Missing or imprecise
fixes are left out. Layout: GoPro's public description of GPMF; names of boxes: ISO 14496-12.
"""

from __future__ import annotations

import struct
from calendar import timegm
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, NamedTuple

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import RecordingError, RecordingInfo, Timed, TimedRecording
from pitwall.telemetry.recordings.gpx import MOST_HDOP
from pitwall.telemetry.recordings.rows import with_start
from pitwall.telemetry.recordings.text import reading
from pitwall.telemetry.recordings.timeline import Timeline
from pitwall.telemetry.sample import Stream, channels_of

CHANNELS = channels_of({
    "lat_deg": "latitude", "lon_deg": "longitude", "altitude_m": "altitude", "speed_mps": "2D speed",
    "hdop": "precision",
})  # fmt: skip
HINT = "switch GPS on in the camera, and wait for its fix; of other cameras export the GPS as GPX"
# Where boxes lead to the table of a track's payloads.
_PARENTS = (b"moov", b"trak", b"mdia", b"minf", b"stbl")
_TABLES = (b"mdhd", b"stsd", b"stts", b"stsz", b"stsc", b"stco", b"co64")
MOST_TABLE_BYTES, MOST_PAYLOAD_BYTES, MOST_BOXES, MOST_DEEP = 1 << 20, 4 << 20, 20_000, 6
GPS_EPOCH_S = 946_684_800.0  # 2000-01-01, from which GPS9 counts days
GPS5_HZ = 18.0
LEAST_FIX = 2
_NUMBERS = {b"b": "b", b"B": "B", b"s": "h", b"S": "H", b"l": "i", b"L": "I", b"f": "f", b"d": "d"}
_DAMAGE = (ValueError, LookupError, struct.error, OverflowError, ZeroDivisionError)


class _Fix(NamedTuple):
    utc_s: float
    fix: float
    values: tuple[float, ...]


def sniff(head: bytes) -> bool:
    """Accept an MP4 or MOV."""
    return head[4:8] == b"ftyp"


class GoProRecording(TimedRecording):
    """The fixes of a video."""

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path)
        first = next(self._timed(self._log, Timeline(self._log)), None)
        if first is None:
            what = "is a video without the GPS of a GoPro"
            raise RecordingError(path, what, hint=HINT, recognised=True)
        info = RecordingInfo("gopro", str(path), (Stream(0, "gps", CHANNELS),))
        self.info = with_start(info, round(first[0], 3))

    def _timed(self, log: FindingLog, timeline: Timeline) -> Timed:
        for fix in self._fixes(log):
            if fix.fix < LEAST_FIX or fix.values[-1] > MOST_HDOP:
                log.add("void_fix", "lat_deg", timeline.t, "the camera has no fix, or a poor one")
            else:
                yield fix.utc_s, 0, fix.values

    def _fixes(self, log: FindingLog) -> Iterator[_Fix]:
        try:
            with reading(self.path) as file:
                places = _places(*_gps_tables(file))
                yield from _spread(fixes for _, fixes in _payloads(file, places))
        except _DAMAGE as error:
            log.add("malformed_row", "", None, f"the video breaks off or is damaged: {str(error)[:80]}")


class Film(NamedTuple):
    """A film's speeds as (second of the film, m/s), and the UTC at second 0."""

    speeds: list[tuple[float, float]]
    utc_s: float | None


def film_speeds(path: Path) -> Film:
    """Read the speeds of a GoPro's film by its own time; none without GPS. RecordingError."""
    film, begun_utc_s = list[tuple[float, float]](), None
    with reading(path) as file:
        tables, size = _gps_tables(file)
        try:
            times = _times(tables)
            for number, found in _payloads(file, _places(tables, size)):
                rows = list(_grouped(found.get(b"GPS9") or found[b"GPS5"], 9 if b"GPS9" in found else 5))
                t, long_s = times[number]
                good = (
                    found.get(b"GPSF", [3.0])[0] >= LEAST_FIX
                    and found.get(b"GPSP", [0.0])[0] / 100.0 <= MOST_HDOP
                )
                for n, row in enumerate(rows if good else ()):
                    at_s = t + n * long_s / len(rows)
                    if len(row) == 9 and (row[8] < LEAST_FIX or row[7] > MOST_HDOP):
                        continue
                    if begun_utc_s is None and (len(row) == 9 or n == 0):
                        utc_s = (
                            GPS_EPOCH_S + row[5] * 86_400.0 + row[6] if len(row) == 9 else found[b"GPSU"][0]
                        )
                        begun_utc_s = utc_s - at_s
                    film.append((at_s, row[3]))
        except _DAMAGE:
            pass  # what was read up to the damage holds
    return Film(film, begun_utc_s)


def _times(tables: dict[bytes, bytes]) -> list[tuple[float, float]]:
    scale = struct.unpack_from(">I", tables[b"mdhd"], 20 if tables[b"mdhd"][0] else 12)[0]
    found, ticks = list[tuple[float, float]](), 0
    for count, long in struct.iter_unpack(">II", tables[b"stts"][8 : len(tables[b"stts"]) // 8 * 8]):
        for _ in range(min(count, MOST_TABLE_BYTES)):
            found.append((ticks / scale, long / scale))
            ticks += long
    return found


def _gps_tables(file: IO[bytes]) -> tuple[dict[bytes, bytes], int]:
    size = file.seek(0, 2)
    tables: dict[bytes, bytes] = {}
    boxes = [(0, size, 0)]
    for _ in range(MOST_BOXES):
        if not boxes:
            break
        at, end, depth = boxes.pop()
        file.seek(at)
        head = file.read(16)
        if at + 8 > end or len(head) < 8:
            continue
        long, kind = struct.unpack(">I4s", head[:8])
        body = at + 8
        if long == 1:
            long, body = struct.unpack(">Q", head[8:16])[0], at + 16
        after = min(at + long, end) if long else end
        if after <= at:
            continue
        boxes.append((after, end, depth))
        if kind == b"trak":
            tables = {}
        if kind in _PARENTS and depth < MOST_DEEP:
            boxes.append((body, after, depth + 1))
        elif kind in _TABLES and after - body <= MOST_TABLE_BYTES:
            file.seek(body)
            tables[kind] = file.read(after - body)
            whole = {b"stsz", b"stsc"} <= tables.keys() and not {b"stco", b"co64"}.isdisjoint(tables)
            if whole and b"gpmd" in tables.get(b"stsd", b"")[:24]:
                return tables, size
    return {}, size


def _places(tables: dict[bytes, bytes], file_size: int) -> list[tuple[int, int]]:
    if not tables:
        return []
    one_size, count = struct.unpack_from(">II", tables[b"stsz"], 4)
    count = min(count, (len(tables[b"stsz"]) - 12) // 4 if not one_size else file_size // one_size)
    sizes = [one_size] * count if one_size else struct.unpack_from(f">{count}I", tables[b"stsz"], 12)
    wide = b"co64" in tables
    chunks = tables[b"co64" if wide else b"stco"]
    count = min(struct.unpack_from(">I", chunks, 4)[0], (len(chunks) - 8) // (8 if wide else 4))
    offsets = struct.unpack_from(f">{count}{'Q' if wide else 'I'}", chunks, 8)
    groups = list(struct.iter_unpack(">III", tables[b"stsc"][8 : 8 + (len(tables[b"stsc"]) - 8) // 12 * 12]))
    ends = [first for first, _, _ in groups[1:]] + [len(offsets) + 1]
    each_has = [
        n
        for (first, n, _), end in zip(groups, ends, strict=True)
        for _ in range(first, min(end, len(offsets) + 1))
    ]
    found: list[tuple[int, int]] = []
    left = file_size  # no two payloads lie at one place: what is more than the file is damage
    for at, n in zip(offsets, each_has, strict=False):
        for size in sizes[len(found) : len(found) + n]:
            left -= size
            if size > MOST_PAYLOAD_BYTES or left < 0:
                return found
            found.append((at, size))
            at += size
    return found


def _payloads(
    file: IO[bytes], places: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, dict[bytes, list[float]]]]:
    for number, (at, size) in enumerate(places):
        file.seek(at)
        found: dict[bytes, list[float]] = {}
        _read_klv(file.read(size), found, 0)
        if b"GPS9" in found or (b"GPS5" in found and b"GPSU" in found):
            yield number, found


def _read_klv(data: bytes, found: dict[bytes, list[float]], depth: int) -> None:
    """Read nested keys, lengths and values; SCAL holds for what follows."""
    at, scale, complex_type = 0, [1.0], b""
    while at + 8 <= len(data):
        key, kind, size, repeat = struct.unpack_from(">4scBH", data, at)
        value = data[at + 8 : at + 8 + size * repeat]
        at += 8 + (size * repeat + 3) // 4 * 4
        if kind == b"\0" and depth < MOST_DEEP:
            _read_klv(value, found, depth + 1)
        elif key == b"TYPE":
            complex_type = value
        elif key == b"SCAL":
            scale = [each or 1.0 for each in _numbers(kind, value)]
        elif key in (b"GPSF", b"GPSP"):
            found[key] = _numbers(kind, value)
        elif key == b"GPSU":
            found[key] = [_utc_s(value)]
        elif key in (b"GPS5", b"GPS9"):
            wide = int(key[3:])
            code = "".join(_NUMBERS[bytes((each,))] for each in complex_type) if kind == b"?" else "i" * wide
            if struct.calcsize(f">{code}") != size or len(scale) not in (1, wide):
                raise ValueError(f"{key.decode()} of {size} bytes")
            found[key] = [
                number / by
                for row in struct.iter_unpack(f">{code}", value[: len(value) // size * size])
                for number, by in zip(row, scale * (wide if len(scale) == 1 else 1), strict=True)
            ]


def _numbers(kind: bytes, value: bytes) -> list[float]:
    code = _NUMBERS[kind]
    long = struct.calcsize(code)
    return [float(each) for each in struct.unpack_from(f">{len(value) // long}{code}", value)]


def _utc_s(text: bytes) -> float:
    """`yymmddhhmmss.sss`"""
    day, rest = text[:10], text[10:16]
    year, month, day_, hour, minute = (int(day[i : i + 2]) for i in range(0, 10, 2))
    return timegm((2000 + year, month, day_, hour, minute, 0)) + float(rest)


def _spread(payloads: Iterator[dict[bytes, list[float]]]) -> Iterator[_Fix]:
    waiting: dict[bytes, list[float]] | None = None
    for now, after in pairwise(_with_end(payloads)):
        assert now is not None
        waiting = after
        if b"GPS9" in now:
            for lat, lon, altitude, speed, _, days, seconds, dop, fix in _grouped(now[b"GPS9"], 9):
                yield _Fix(GPS_EPOCH_S + days * 86_400.0 + seconds, fix, (lat, lon, altitude, speed, dop))
            continue
        [begun_s], rows = now[b"GPSU"], list(_grouped(now[b"GPS5"], 5))
        ends_s = waiting[b"GPSU"][0] if waiting is not None and b"GPSU" in waiting else begun_s
        step_s = (ends_s - begun_s) / len(rows) if rows and 0.0 < ends_s - begun_s < 2.5 else 1.0 / GPS5_HZ
        fix, precision = now.get(b"GPSF", [3.0])[0], now.get(b"GPSP", [100.0])[0] / 100.0
        for n, (lat, lon, altitude, speed, _) in enumerate(rows):
            yield _Fix(begun_s + n * step_s, fix, (lat, lon, altitude, speed, precision))


def _with_end(payloads: Iterator[dict[bytes, list[float]]]) -> Iterator[dict[bytes, list[float]] | None]:
    yield from payloads
    yield None


def _grouped(numbers: Sequence[float], wide: int) -> Iterator[tuple[float, ...]]:
    return zip(*[iter(numbers)] * wide, strict=False)
