"""FIT files written byte by byte: laps of a drive, fields of apps with their own scale, damage."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from usable import column, imported_laps, kinds, read_whole, two_laps

from pitwall.config import Home
from pitwall.telemetry.recordings import RecordingError, fit, open_recording

FIT_EPOCH_S = 631_065_600  # 1989-12-31
BEGUN_S = 1_720_958_400
RECORD, LAP, SESSION, FIELD_DESCRIPTION, DEVELOPER, GPS_METADATA = 20, 19, 18, 206, 207, 160
UINT8, STRING, UINT16, SINT32, UINT32, ENUM = 0x02, 0x07, 0x84, 0x85, 0x86, 0x00
_CODES = {UINT8: "B", UINT16: "H", SINT32: "i", UINT32: "I", ENUM: "B"}
Field = tuple[int, int, int | str]


def semicircles(degrees: float | None) -> int:
    return 0x7FFFFFFF if degrees is None else round(degrees * 2**31 / 180.0)


def message(number: int, fields: Sequence[Field], app: Sequence[tuple[int, int, int]] = ()) -> bytes:
    """A definition and its one data message. `fields`: (number, base type, value); `app`: (index, number,
    value) of fields of 16 bits."""
    sizes = [len(str(v)) + 1 if kind == STRING else struct.calcsize(_CODES[kind]) for _, kind, v in fields]
    made = struct.pack("<BBBHB", 0x60 if app else 0x40, 0, 0, number, len(fields))
    made += b"".join(bytes((n, size, kind)) for (n, kind, _), size in zip(fields, sizes, strict=True))
    if app:
        made += bytes((len(app),)) + b"".join(bytes((n, 2, index)) for index, n, _ in app)
    made += b"\0"
    for _, kind, value in fields:
        made += str(value).encode() + b"\0" if kind == STRING else struct.pack(f"<{_CODES[kind]}", value)
    return made + b"".join(struct.pack("<H", value) for _, _, value in app)


def described(index: int, number: int, name: str, scale: int) -> bytes:
    fields: list[Field] = [
        (0, UINT8, index),
        (1, UINT8, number),
        (2, UINT8, UINT16),
        (3, STRING, name),
        (6, UINT8, scale),
    ]
    return message(DEVELOPER, [(3, UINT8, index)]) + message(FIELD_DESCRIPTION, fields)


def written(path: Path, body: bytes) -> Path:
    path.write_bytes(struct.pack("<BBHI4sH", 14, 0x20, 2100, len(body), b".FIT", 0) + body + b"\0\0")
    return path


def record(
    t_s: int, lat: float | None, lon: float | None, speed_mps: float, *app: tuple[int, int, int]
) -> bytes:
    place: list[Field] = [(0, SINT32, semicircles(lat)), (1, SINT32, semicircles(lon))]
    return message(RECORD, [(253, UINT32, t_s), *place, (6, UINT16, round(speed_mps * 1000))], app)


def lap(begun_s: int, long_s: float, trigger: int) -> bytes:
    fields: list[Field] = [(253, UINT32, begun_s), (2, UINT32, begun_s), (7, UINT32, round(long_s * 1000))]
    return message(LAP, [*fields, (24, ENUM, trigger)])


def test_fields_of_apps_have_their_scale_and_are_told_apart(tmp_path: Path) -> None:
    begun = BEGUN_S - FIT_EPOCH_S
    body = described(0, 1, "rpm", 2) + described(1, 1, "rpm", 1)
    body += record(begun, 51.0, 4.0, 20.0, (0, 1, 9000), (1, 1, 77))
    body += record(begun + 1, None, None, 21.0, (0, 1, 9100), (1, 1, 78))
    body += lap(begun, 61.25, 0) + lap(begun + 61, 60.0, 0) + lap(begun + 121, 30.0, 7)
    recording, samples = read_whole(written(tmp_path / "a.fit", body))
    info = recording.info
    assert (info.format, info.start_utc_s, info.lap_marks_t) == ("fit", BEGUN_S, (61.25, 121.25))
    assert column(recording, samples, "lat_deg") == [pytest.approx(51.0, abs=1e-7), None]
    assert column(recording, samples, "speed_mps") == [20.0, 21.0]
    assert column(recording, samples, "rpm") == [4500.0, 4550.0]
    assert column(recording, samples, "rpm_2") == [77.0, 78.0]
    assert kinds(recording) == {}


def test_a_clock_that_only_counts_from_power_on_gives_no_day(tmp_path: Path) -> None:
    recording, samples = read_whole(
        written(tmp_path / "a.fit", record(5, 51.0, 4.0, 1.0) + record(6, 51.0, 4.0, 1.0))
    )
    assert recording.info.start_utc_s is None
    assert [sample.t for sample in samples] == [0.0, 1.0]


def test_a_camera_whose_clock_counts_from_power_on_is_dated_by_its_receiver(tmp_path: Path) -> None:
    place: list[Field] = [(1, SINT32, semicircles(51.0)), (2, SINT32, semicircles(4.0))]
    utc = BEGUN_S - FIT_EPOCH_S
    body = b"".join(
        message(
            GPS_METADATA,
            [(253, UINT32, 68 + n // 2), (0, UINT16, 500 * (n % 2)), *place, (6, UINT32, utc + (n + 1) // 2)],
        )
        for n in range(6)
    )
    recording, samples = read_whole(written(tmp_path / "a.fit", body))
    assert recording.info.start_utc_s == BEGUN_S + 0.5
    assert [sample.t for sample in samples] == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]


def sixty_records(path: Path) -> Path:
    body = described(0, 1, "rpm", 2)
    return written(
        path, body + b"".join(record(700_000_000 + i, 51.0, 4.0, 20.0, (0, 1, i)) for i in range(60))
    )


def test_a_device_that_learns_the_time_on_the_way_dates_the_drive_and_places_its_laps(tmp_path: Path) -> None:
    known = BEGUN_S - FIT_EPOCH_S
    body = b"".join(record(t_s, None, None, 0.0) for t_s in (5, 6, 7))
    body += b"".join(record(known + t_s, 51.0, 4.0, 20.0) for t_s in range(4)) + lap(known, 2.0, 0)
    recording, samples = read_whole(written(tmp_path / "a.fit", body))
    assert recording.info.start_utc_s == BEGUN_S - 3
    assert [sample.t for sample in samples] == [0.0, 1.0, 2.0, 4.0, 5.0, 6.0]
    assert recording.info.lap_marks_t == (5.0,)


def test_a_swim_of_98_lengths_is_no_drive(tmp_path: Path) -> None:
    begun = BEGUN_S - FIT_EPOCH_S
    body = b"".join(record(begun + n * 30, None, None, 0.9) + lap(begun + n * 30, 30.0, 0) for n in range(98))
    path = written(tmp_path / "swim.fit", body + message(SESSION, [(253, UINT32, begun), (5, ENUM, 5)]))
    with pytest.raises(RecordingError, match="is a swim, and no drive"):
        open_recording(path)


def test_a_drive_has_its_laps(tmp_path: Path, home: Home) -> None:
    driven = two_laps()
    begun, body = BEGUN_S - FIT_EPOCH_S, b""
    places = zip(*(driven.columns[name] for name in ("lat_deg", "lon_deg", "speed_mps")), strict=True)
    for number, (lat, lon, speed) in enumerate(places):
        ms = number * 100
        body += message(GPS_METADATA, [
            (253, UINT32, begun + ms // 1000), (0, UINT16, ms % 1000), (1, SINT32, semicircles(lat)),
            (2, SINT32, semicircles(lon)), (4, UINT32, round((speed or 0.0) * 1000)),
        ])  # fmt: skip
    longs = [driven.ended[0][0], *(end_t - start_t for start_t, end_t in driven.ended)]
    body += b"".join(lap(begun, each, 0) for each in longs)
    path = written(tmp_path / "drive.fit", body + record(begun, 51.0, 4.0, 0.0))
    assert imported_laps(path, home) == pytest.approx(driven.times, abs=0.05)


def test_without_the_package_the_line_for_pip_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.fit", record(5, 51.0, 4.0, 1.0))
    monkeypatch.setattr(fit, "READER", "fitdecode_that_is_not_here")
    with pytest.raises(RecordingError, match=r"not installed.*pitwall\[formats\].*GPX"):
        open_recording(path)
