"""FIT files written byte by byte: laps of a drive, fields of apps with their own scale, damage."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from club import club_circuit
from hypothesis import given, settings
from hypothesis import strategies as st
from test_recordings_fuzz import EDIT, read_or_refused
from usable import column, kinds, read_whole

from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.sensors import CHANNELS, sense
from pitwall.simulator.trace import true_drive
from pitwall.store.queries import laps
from pitwall.store.store import Store
from pitwall.telemetry.recordings import RecordingError, fit, open_recording

FIT_EPOCH_S = 631_065_600  # 1989-12-31
BEGUN_S = 1_720_958_400
RECORD, LAP, FIELD_DESCRIPTION, DEVELOPER, GPS_METADATA = 20, 19, 206, 207, 160
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


def test_a_drive_has_its_laps(tmp_path: Path, home: Home) -> None:
    plan = SimulationPlan(laps=2, rate_hz=5)
    trace = true_drive(club_circuit(), plan)
    at = {name: i for i, name in enumerate(CHANNELS)}
    begun, body = BEGUN_S - FIT_EPOCH_S, b""
    for sample in sense(trace, plan):
        lat, lon, speed = (sample.values[at[name]] for name in ("lat_deg", "lon_deg", "speed_mps"))
        ms = round(sample.t * 1000)
        body += message(GPS_METADATA, [
            (253, UINT32, begun + ms // 1000), (0, UINT16, ms % 1000), (1, SINT32, semicircles(lat)),
            (2, SINT32, semicircles(lon)), (4, UINT32, round((speed or 0.0) * 1000)),
        ])  # fmt: skip
    driven = trace.truth.laps
    longs = [driven[0].start_t, *(each.end_t - each.start_t for each in driven[:-1])]
    body += b"".join(lap(begun, each, 0) for each in longs)
    path = written(tmp_path / "drive.fit", body + record(begun, 51.0, 4.0, 0.0))
    times = {each.number: each.time_s for each in trace.truth.laps if each.time_s is not None}
    with Store(home) as store:
        store.open()
        session = import_file(path, home, store).session
        found = {each.number: each.time_s for each in laps(store, session) if each.kind == "flying"}
    assert found == pytest.approx(times, abs=0.05)


def test_without_the_package_the_line_for_pip_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.fit", record(5, 51.0, 4.0, 1.0))
    monkeypatch.setattr(fit, "READER", "fitdecode_that_is_not_here")
    with pytest.raises(RecordingError, match=r"not installed.*pitwall\[formats\].*GPX"):
        open_recording(path)


@settings(max_examples=30, deadline=None)
@given(edits=st.lists(EDIT, min_size=1, max_size=4))
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, edits: list[tuple[str, float, int]]) -> None:
    body = described(0, 1, "rpm", 2) + b"".join(
        record(700_000_000 + i, 51.0, 4.0, 20.0, (0, 1, i)) for i in range(60)
    )
    read_or_refused(tmp_path / "damaged.fit", written(tmp_path / "whole.fit", body).read_bytes(), edits)
