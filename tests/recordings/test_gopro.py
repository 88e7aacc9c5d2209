"""A GoPro's video, its boxes and payloads written byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from usable import column, kinds, read_whole

from pitwall.telemetry.recordings import RecordingError, open_recording

BEGUN_S = 1_720_958_400.0  # 2024-07-14 12:00 UTC
DAYS, SECONDS = 8961, 43_200  # the same since 2000, and since midnight
Place = tuple[float, float, float, float]


def klv(key: bytes, kind: bytes, size: int, value: bytes) -> bytes:
    """One of GPMF's entries, filled up to four bytes."""
    return struct.pack(">4scBH", key, kind, size, len(value) // size) + value + b"\0" * (-len(value) % 4)


def gps5(clock: bytes, fix: int, dop: int, places: Sequence[Place]) -> bytes:
    scale = struct.pack(">5i", 10_000_000, 10_000_000, 1000, 1000, 100)
    rows = b"".join(
        struct.pack(
            ">5i", round(lat * 1e7), round(lon * 1e7), round(alt * 1e3), round(v * 1e3), round(v * 100)
        )
        for lat, lon, alt, v in places
    )
    entries = klv(b"GPSF", b"L", 4, struct.pack(">I", fix)) + klv(b"GPSU", b"U", 16, clock)
    entries += klv(b"GPSP", b"S", 2, struct.pack(">H", dop)) + klv(b"SCAL", b"l", 4, scale)
    return stream(entries + klv(b"GPS5", b"l", 20, rows))


def gps9(rows: Sequence[tuple[Place, float, float, int]]) -> bytes:
    """`rows`: the place, seconds since midnight, precision, fix."""
    scale = struct.pack(">9i", 10_000_000, 10_000_000, 1000, 1000, 100, 1, 1000, 100, 1)
    values = b"".join(
        struct.pack(
            ">7iHH", round(lat * 1e7), round(lon * 1e7), round(alt * 1e3), round(v * 1e3), round(v * 100),
            DAYS, round(s * 1000), round(dop * 100), fix,
        )
        for (lat, lon, alt, v), s, dop, fix in rows
    )  # fmt: skip
    entries = klv(b"TYPE", b"c", 1, b"lllllllSS") + klv(b"SCAL", b"l", 4, scale)
    return stream(entries + klv(b"GPS9", b"?", 32, values))


def stream(entries: bytes) -> bytes:
    inner = klv(b"STRM", b"\0", 1, entries)
    return klv(b"DEVC", b"\0", 1, inner)


def box(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(body), kind) + body


def video(path: Path, payloads: Sequence[bytes], entry: bytes = b"gpmd") -> Path:
    """An MP4 with one track of metadata, two payloads to a chunk."""
    begin = box(b"ftyp", b"mp41\0\0\0\0")
    at, offsets = len(begin) + 8, []
    for n, each in enumerate(payloads):
        if n % 2 == 0:
            offsets.append(at)
        at += len(each)
    tables = box(b"stsd", struct.pack(">III4s", 0, 1, 16, entry) + b"\0" * 8)
    tables += box(b"stsz", struct.pack(f">III{len(payloads)}I", 0, 0, len(payloads), *map(len, payloads)))
    tables += box(b"stsc", struct.pack(">IIIII", 0, 1, 1, 2, 1))
    tables += box(b"stco", struct.pack(f">II{len(offsets)}I", 0, len(offsets), *offsets))
    track = box(b"trak", box(b"mdia", box(b"minf", box(b"stbl", tables))))
    other = box(
        b"trak", box(b"mdia", box(b"minf", box(b"stbl", box(b"stsd", b"\0" * 8 + b"\0\0\0\x10avc1"))))
    )
    path.write_bytes(begin + box(b"mdat", b"".join(payloads)) + box(b"moov", other + track))
    return path


PLACES = [(51.0 + n * 1e-4, 4.0, 20.0, 30.0) for n in range(40)]


def hero5(path: Path) -> Path:
    """Four payloads: no fix yet and a clock of 2015, two with fixes, one of poor precision."""
    return video(path, [
        gps5(b"150101000000.000", 0, 9999, PLACES[:10]),
        gps5(b"240714120000.000", 3, 150, PLACES[:10]),
        gps5(b"240714120001.000", 3, 150, PLACES[10:20]),
        gps5(b"240714120002.000", 3, 2500, PLACES[20:30]),
    ])  # fmt: skip


def test_fixes_of_a_payload_are_spread_to_the_next_one(tmp_path: Path) -> None:
    recording, samples = read_whole(hero5(tmp_path / "GX010001.MP4"))
    assert (recording.info.format, recording.info.start_utc_s) == ("gopro", BEGUN_S)
    assert [sample.t for sample in samples] == pytest.approx([n * 0.1 for n in range(20)])
    assert column(recording, samples, "lat_deg") == pytest.approx([lat for lat, *_ in PLACES[:20]])
    assert column(recording, samples, "speed_mps") == [30.0] * 20
    assert column(recording, samples, "hdop") == [1.5] * 20
    assert kinds(recording) == {"void_fix": 20}


def test_each_sample_of_gps9_has_its_own_clock_and_fix(tmp_path: Path) -> None:
    rows = [(PLACES[n], SECONDS + (0.0, 0.1, 0.35, 0.4)[n], 1.2, 3 if n != 1 else 0) for n in range(4)]
    recording, samples = read_whole(video(tmp_path / "GX010002.MP4", [gps9(rows[:2]), gps9(rows[2:])]))
    assert recording.info.start_utc_s == BEGUN_S
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.35, 0.4])
    assert kinds(recording) == {"void_fix": 1}


def test_a_video_without_gps_says_what_to_do(tmp_path: Path) -> None:
    for entry in (b"gpmd", b"tmcd"):
        path = video(tmp_path / "GX010003.MP4", [stream(klv(b"ACCL", b"s", 2, b"\0\1"))], entry)
        with pytest.raises(RecordingError, match=r"without the GPS of a GoPro.*switch GPS on"):
            open_recording(path)
