"""VBO: the dialects and their traps, in small files written for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from usable import column, kinds, read_whole

from pitwall.telemetry.recordings import RecordingError

HEADER = """File created on 09/06/2024 @ 10:30:00

[header]
satellites
time
latitude
longitude
velocity kmh
heading
height
Brake
Speed_Wheel

[channel units]
{units}

[comments]
{comments}

[laptiming]
Start {gate} ¬ Start / Finish

[column names]
sats time lat long velocity heading height Brake Vehicle_Speed

[data]
"""
# Sonoma in minutes of arc, west positive.
LAT, LON = "+2289.60462", "+7347.35000"
LON_FIRST = "+7347.350000 +2289.604620 +7347.352000 +2289.605000"
LAT_FIRST = "+2289.604620 +7347.350000 +2289.605000 +7347.352000"


def vbo(
    folder: Path,
    rows: list[str],
    *,
    units: str = "bar\nkmh",
    comments: str = "(c) Racelogic",
    gate: str = LON_FIRST,
    name: str = "a.vbo",
) -> Path:
    path = folder / name
    text = HEADER.format(units=units, comments=comments, gate=gate) + "\n".join(rows) + "\n"
    path.write_bytes(text.replace("\n", "\r\n").encode())
    return path


def row(time: str, *, sats: int = 8, lat: str = LAT, lon: str = LON, brake: str = "12.5") -> str:
    return f"{sats:03d} {time} {lat} {lon} 100.000 090.00 +0050.00 {brake} 72.0"


TWO = [row("173000.00"), row("173000.10")]
Change = tuple[bytes, bytes]
Values = dict[str, list[float | None]]
# Rows, the list of units, what is changed in the file, values by channel, and what is found.
FILES: dict[str, tuple[list[str], str, Change, Values, dict[str, int]]] = {
    "minutes of arc with west positive": (TWO, "bar\nkmh", (b"", b""), {
        "lat_deg": [38.160077] * 2, "lon_deg": [-122.455833] * 2, "speed_mps": [100 / 3.6] * 2,
        "brake_bar": [12.5] * 2, "wheel_speed_mps": [20.0] * 2}, {}),
    # DGPS without a satellite is no fix.
    "flags are masked off the satellites": (
        [row(f"173000.{n}0", sats=sats) for n, sats in enumerate((140, 76, 204, 128))], "bar\nkmh",
        (b"", b""), {
            "satellites": [12.0, 12.0, 12.0, 0.0], "lat_deg": [*[38.160077] * 3, None],
            "speed_mps": [*[100 / 3.6] * 3, None], "brake_bar": [12.5] * 4}, {"void_fix": 1}),
    "position zero is no position": (
        [row("173000.00", lat="+0000.00000", lon="+0000.00000"), TWO[1]], "bar\nkmh", (b"", b""),
        {"lat_deg": [None, 38.160077], "heading_deg": [None, 90.0]}, {"void_fix": 1}),
    # `bar` can't be a speed: so the list is of other columns, and a pressure without a unit is none.
    "units in another order are not believed": (
        TWO, "kmh\nbar", (b"", b""), {"wheel_speed_mps": [20.0] * 2, "brake_bar": []}, {}),
    "units belong to the last columns": (
        TWO, "s\nbar\nkmh", (b"", b""), {"brake_bar": [12.5] * 2, "wheel_speed_mps": [20.0] * 2}, {}),
    "and a blank one is no unit": (
        TWO, "s\n\nbar\nmph\n", (b"", b""),
        {"brake_bar": [12.5] * 2, "wheel_speed_mps": [72.0 * 0.44704] * 2}, {}),
    # The list of units follows the header; the columns of this file stand the other way round.
    "the order of the column names decides": (
        TWO, "kmh\nbar", (b"\r\nBrake\r\nSpeed_Wheel", b"\r\nVehicle_Speed\r\nBrake"),
        {"brake_bar": [12.5] * 2, "wheel_speed_mps": [20.0] * 2}, {}),
    "speed in knots": (
        TWO, "bar\nkmh", (b"velocity kmh", b"velocity knots"), {"speed_mps": [100 * 1852 / 3600] * 2}, {}),
    # Two rows of the wrong length, one without a time, one cell that is no number.
    "rows of another length and garbage cells": (
        [row("173000.00"), row("173000.10")[:40], row("173000.20") + " 1 2 3",
         row("173000.30", brake="1.2.3"), row("173000.40", brake="nan"), row("99xx00.50"),
         row("173000.60")], "bar\nkmh", (b"", b""),
        {"brake_bar": [12.5, None, None, 12.5]}, {"malformed_row": 4}),
    "what a power cut leaves": (
        [*TWO, row("173000.20")[:30] + "\0" * 200_000], "bar\nkmh", (b"", b""), {"brake_bar": [12.5] * 2},
        {"malformed_row": 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_it_was_meant(tmp_path: Path, name: str) -> None:
    rows, units, change, values, found = FILES[name]
    path = vbo(tmp_path, rows, units=units)
    path.write_bytes(path.read_bytes().replace(*change) if change[0] else path.read_bytes())
    recording, samples = read_whole(path)
    names = [channel.name for channel in recording.info.streams[0].channels]
    for channel, expected in values.items():
        told = column(recording, samples, channel) if channel in names else []
        assert told == pytest.approx(expected), channel
    assert kinds(recording) == found


@pytest.mark.parametrize(("step", "fixes"), [(0.01, True), (0.0, False)])
def test_satellites_that_are_never_counted_do_not_void_a_drive(
    tmp_path: Path, step: float, fixes: bool
) -> None:
    """But a parked logger has no fix then."""
    rows = [row(f"1730{i:02d}.00", sats=0, lat=f"+{2289.6 + i * step:.5f}") for i in range(30)]
    told = column(*read_whole(vbo(tmp_path, rows)), "lat_deg")
    assert {each is None for each in told} == {not fixes}


def test_midnight_and_duplicates(tmp_path: Path) -> None:
    times = ["235959.90", "235959.95", "235959.95", "000000.05", "000000.10"]
    recording, samples = read_whole(vbo(tmp_path, [row(time) for time in times]))
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.05, 0.05, 0.15, 0.2])
    assert kinds(recording) == {"duplicate_time": 1}


def test_start_is_utc_whatever_the_zone_of_the_file_date(tmp_path: Path) -> None:
    # Made at 10:30 on 9 June (day first) in California, 17:30 UTC; 23:55 there is the next day in UTC.
    recording, _ = read_whole(vbo(tmp_path, TWO))
    assert recording.info.start_utc_s == 1717954200.0
    late = vbo(tmp_path, [row("065500.00"), row("065500.10")])
    late.write_bytes(late.read_bytes().replace(b"10:30:00", b"23:55:00"))
    assert read_whole(late)[0].info.start_utc_s == 1718002500.0


def test_a_comment_that_tells_utc_outranks_the_day_of_the_export(tmp_path: Path) -> None:
    path = vbo(tmp_path, TWO)
    told = b"[comments]\r\nLocal Time: 2024-06-07 01:30:00\r\nUTC: 2024-06-06T17:30:00.840Z\r\n"
    path.write_bytes(path.read_bytes().replace(b"[column names]", told + b"[column names]"))
    assert read_whole(path)[0].info.start_utc_s == 1717695000.0


def test_a_file_without_a_date_keeps_its_time_of_day(tmp_path: Path) -> None:
    path = vbo(tmp_path, [row("173000.50"), row("173000.60")])
    path.write_bytes(b"No date here\r\n" + path.read_bytes().partition(b"\n")[2])
    info = read_whole(path)[0].info
    assert info.start_utc_s is None
    assert info.time_of_day_s == 17.5 * 3600 + 0.5


@pytest.mark.parametrize("order", [LON_FIRST, LAT_FIRST])
@pytest.mark.parametrize("comments", ["(c) Racelogic", "Generated by RaceBox"])
def test_the_gate_lies_where_the_data_is(tmp_path: Path, order: str, comments: str) -> None:
    path = vbo(tmp_path, TWO, gate=order, comments=comments)
    gate = read_whole(path)[0].info.gate
    assert (gate.a_lat_deg, gate.a_lon_deg) == pytest.approx((38.160077, -122.455833))
    assert (gate.b_lat_deg, gate.b_lon_deg) == pytest.approx((38.160083, -122.455867), abs=1e-6)


def test_a_gate_of_another_place_is_read_as_its_dialect_writes_it(tmp_path: Path) -> None:
    far = "+4824.931740 +1527.272930 +4824.931760 +1527.275760"
    path = vbo(tmp_path, TWO, gate=far)
    gate = read_whole(path)[0].info.gate
    assert (gate.a_lat_deg, gate.a_lon_deg) == pytest.approx((25.454549, -80.415529), abs=1e-6)


@pytest.mark.parametrize("gate", ["", "+0.0 +0.0 +0.0 +0.0", "nan nan nan nan", "x y z w", "+1 +2"])
def test_a_gate_that_says_nothing_is_none(tmp_path: Path, gate: str) -> None:
    path = vbo(tmp_path, TWO, gate=gate)
    assert read_whole(path)[0].info.gate is None


@pytest.mark.parametrize(
    ("cut_at", "says"),
    [(b"\r\n[data]", "no [data] section"), (b"sats time", "no [data] section"), (b"008 17", "no rows")],
)
def test_half_a_file_is_an_error(tmp_path: Path, cut_at: bytes, says: str) -> None:
    path = vbo(tmp_path, [row("173000.00")])
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(cut_at)])
    with pytest.raises(RecordingError) as caught:
        read_whole(path)
    assert says in caught.value.what
    assert str(path) in str(caught.value)


def test_of_two_columns_that_say_the_same_the_one_that_moves_is_used(tmp_path: Path) -> None:
    """RaceChrono's accelerometer that gave nothing, beside what is reckoned from GPS."""
    head = vbo(tmp_path, TWO).read_text()
    for ours, theirs in (
        ("Brake", "latacc"),
        ("Vehicle_Speed", "latacc-calc"),
        ("Speed_Wheel", "latacc-calc"),
    ):
        head = head.replace(ours, theirs)
    head = head.replace("bar\nkmh", "g\ng")
    fixes = [f"008 1730{n // 10:02d}.{n % 10}0 {LAT} {LON} 100.0 90.0 50.0" for n in range(99)]
    rows = "".join(f"{fix} 0.000 0.{n:03d}\r\n" for n, fix in enumerate(fixes))
    path = tmp_path / "both.vbo"
    path.write_text(head[: head.index("[data]")] + "[data]\n" + rows)
    recording, samples = read_whole(path)
    assert column(recording, samples, "g_lat")[98] == 0.098
    assert [each.detail for each in recording.findings() if each.kind == "stuck"] == [
        "'latacc' never changes: 'latacc-calc' is used"
    ]
