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


def test_minutes_of_arc_with_west_positive(tmp_path: Path) -> None:
    recording, samples = read_whole(vbo(tmp_path, [row("173000.00"), row("173000.10")]))
    assert column(recording, samples, "lat_deg")[0] == pytest.approx(38.160077)
    assert column(recording, samples, "lon_deg")[0] == pytest.approx(-122.455833)
    assert column(recording, samples, "speed_mps")[0] == pytest.approx(100 / 3.6)
    assert column(recording, samples, "brake_bar")[0] == 12.5
    assert column(recording, samples, "wheel_speed_mps")[0] == pytest.approx(20.0)


def test_flags_are_masked_off_the_satellites(tmp_path: Path) -> None:
    times = ["173000.00", "173000.10", "173000.20", "173000.30"]
    rows = [row(time, sats=sats) for time, sats in zip(times, (140, 76, 204, 128), strict=True)]
    recording, samples = read_whole(vbo(tmp_path, rows))
    assert column(recording, samples, "satellites") == [12.0, 12.0, 12.0, 0.0]
    # DGPS without a satellite is no fix.
    assert column(recording, samples, "lat_deg")[3] is None
    assert column(recording, samples, "speed_mps")[3] is None
    assert column(recording, samples, "brake_bar")[3] == 12.5
    assert kinds(recording) == {"void_fix": 1}


def test_satellites_that_are_never_counted_do_not_void_a_drive(tmp_path: Path) -> None:
    rows = [row(f"1730{i:02d}.00", sats=0, lat=f"+{2289.6 + i * 0.01:.5f}") for i in range(30)]
    recording, samples = read_whole(vbo(tmp_path, rows))
    assert None not in column(recording, samples, "lat_deg")


def test_a_parked_logger_without_satellites_has_no_fix(tmp_path: Path) -> None:
    recording, samples = read_whole(vbo(tmp_path, [row(f"1730{i:02d}.00", sats=0) for i in range(30)]))
    assert set(column(recording, samples, "lat_deg")) == {None}


def test_position_zero_is_no_position(tmp_path: Path) -> None:
    rows = [row("173000.00", lat="+0000.00000", lon="+0000.00000"), row("173000.10")]
    recording, samples = read_whole(vbo(tmp_path, rows))
    assert column(recording, samples, "lat_deg")[0] is None
    assert column(recording, samples, "heading_deg")[0] is None


def test_midnight_and_duplicates(tmp_path: Path) -> None:
    times = ["235959.90", "235959.95", "235959.95", "000000.05", "000000.10"]
    recording, samples = read_whole(vbo(tmp_path, [row(time) for time in times]))
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.05, 0.05, 0.15, 0.2])
    assert kinds(recording) == {"duplicate_time": 1}


def test_start_is_utc_whatever_the_zone_of_the_file_date(tmp_path: Path) -> None:
    # Made at 10:30 on 9 June (day first) in California, 17:30 UTC; 23:55 there is the next day in UTC.
    recording, _ = read_whole(vbo(tmp_path, [row("173000.00"), row("173000.10")]))
    assert recording.info.start_utc_s == 1717954200.0
    late = vbo(tmp_path, [row("065500.00"), row("065500.10")])
    late.write_bytes(late.read_bytes().replace(b"10:30:00", b"23:55:00"))
    assert read_whole(late)[0].info.start_utc_s == 1718002500.0


def test_a_comment_that_tells_utc_outranks_the_day_of_the_export(tmp_path: Path) -> None:
    path = vbo(tmp_path, [row("173000.00"), row("173000.10")])
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
    path = vbo(tmp_path, [row("173000.00"), row("173000.10")], gate=order, comments=comments)
    gate = read_whole(path)[0].info.gate
    assert gate is not None
    assert (gate.a_lat_deg, gate.a_lon_deg) == pytest.approx((38.160077, -122.455833))
    assert (gate.b_lat_deg, gate.b_lon_deg) == pytest.approx((38.160083, -122.455867), abs=1e-6)


def test_a_gate_of_another_place_is_read_as_its_dialect_writes_it(tmp_path: Path) -> None:
    far = "+4824.931740 +1527.272930 +4824.931760 +1527.275760"
    path = vbo(tmp_path, [row("173000.00"), row("173000.10")], gate=far)
    gate = read_whole(path)[0].info.gate
    assert gate is not None
    assert (gate.a_lat_deg, gate.a_lon_deg) == pytest.approx((25.454549, -80.415529), abs=1e-6)


@pytest.mark.parametrize("gate", ["", "+0.0 +0.0 +0.0 +0.0", "nan nan nan nan", "x y z w", "+1 +2"])
def test_a_gate_that_says_nothing_is_none(tmp_path: Path, gate: str) -> None:
    path = vbo(tmp_path, [row("173000.00"), row("173000.10")], gate=gate)
    assert read_whole(path)[0].info.gate is None


def test_units_in_another_order_are_not_believed(tmp_path: Path) -> None:
    """`bar` can't be a speed: so the list is of other columns, and a pressure without a unit is none."""
    path = vbo(tmp_path, [row("173000.00"), row("173000.10")], units="kmh\nbar")
    recording, samples = read_whole(path)
    names = [channel.name for channel in recording.info.streams[0].channels]
    assert "brake_bar" not in names
    assert column(recording, samples, "wheel_speed_mps")[0] == pytest.approx(20.0)


@pytest.mark.parametrize("units", ["s\nbar\nkmh", "s\n\nbar\nmph\n"])
def test_units_belong_to_the_last_columns(tmp_path: Path, units: str) -> None:
    path = vbo(tmp_path, [row("173000.00"), row("173000.10")], units=units)
    recording, samples = read_whole(path)
    assert column(recording, samples, "brake_bar")[0] == 12.5
    speed = 72.0 * 0.44704 if "mph" in units else 20.0
    assert column(recording, samples, "wheel_speed_mps")[0] == pytest.approx(speed)


def test_the_order_of_the_column_names_decides(tmp_path: Path) -> None:
    """The list of units follows the header; the columns of this file stand the other way round."""
    path = vbo(tmp_path, [row("173000.00"), row("173000.10")], units="kmh\nbar")
    text = path.read_bytes().replace(b"\r\nBrake\r\nSpeed_Wheel", b"\r\nVehicle_Speed\r\nBrake")
    path.write_bytes(text)
    recording, samples = read_whole(path)
    assert column(recording, samples, "brake_bar")[0] == 12.5
    assert column(recording, samples, "wheel_speed_mps")[0] == pytest.approx(20.0)


def test_speed_in_knots(tmp_path: Path) -> None:
    path = vbo(tmp_path, [row("173000.00"), row("173000.10")])
    path.write_bytes(path.read_bytes().replace(b"velocity kmh", b"velocity knots"))
    recording, samples = read_whole(path)
    assert column(recording, samples, "speed_mps")[0] == pytest.approx(100 * 1852 / 3600)


def test_racebox_names(tmp_path: Path) -> None:
    text = (
        "File created on 11/04/2026 @ 11:32\n\n[header]\ntime\n\n[comments]\nGenerated by RaceBox\n"
        "UTC Date Started : 11/04/2026 11:32\nVenue : Kart Hall\n\n[column names]\n"
        "time lat lng velocity heading height LongAcc LatAcc z-rotation-gyroscope sats\n\n[data]\n"
        "113221.00 +02743.97317 -000784.38007 36.0 086.14 +4.37 -0.5 +0.25 +8.0 9\n"
        "113221.04 +02743.97317 -000784.38012 36.0 086.96 +4.38 -0.5 +0.25 +8.0 9\n"
    )
    path = tmp_path / "box.vbo"
    path.write_text(text)
    recording, samples = read_whole(path)
    assert column(recording, samples, "lon_deg")[0] == pytest.approx(13.073001)
    assert column(recording, samples, "g_long")[0] == -0.5
    assert column(recording, samples, "g_lat")[0] == 0.25
    assert column(recording, samples, "yaw_rate_dps")[0] == 8.0
    assert recording.info.venue == "Kart Hall"
    assert recording.info.start_utc_s == 1775907141.0


def test_rows_of_another_length_and_garbage_cells(tmp_path: Path) -> None:
    rows = [
        row("173000.00"),
        row("173000.10")[:40],
        row("173000.20") + " 1 2 3",
        row("173000.30", brake="1.2.3"),
        row("173000.40", brake="nan"),
        row("99xx00.50"),
        row("173000.60"),
    ]
    recording, samples = read_whole(vbo(tmp_path, rows))
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.3, 0.4, 0.6])
    assert column(recording, samples, "brake_bar") == [12.5, None, None, 12.5]
    # Two rows of the wrong length, one without a time, one cell that is no number.
    assert kinds(recording) == {"malformed_row": 4}


def test_what_a_power_cut_leaves(tmp_path: Path) -> None:
    path = vbo(tmp_path, [row("173000.00"), row("173000.10")])
    path.write_bytes(path.read_bytes() + row("173000.20")[:30].encode() + b"\0" * 200_000)
    recording, samples = read_whole(path)
    assert len(samples) == 2
    assert kinds(recording) == {"malformed_row": 1}


@pytest.mark.parametrize(
    ("cut_at", "says"),
    [
        (b"\r\n[data]", "no [data] section"),
        (b"sats time", "no [data] section"),
        (b"008 17", "no rows"),
    ],
)
def test_half_a_file_is_an_error(tmp_path: Path, cut_at: bytes, says: str) -> None:
    path = vbo(tmp_path, [row("173000.00")])
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(cut_at)])
    with pytest.raises(RecordingError) as caught:
        read_whole(path)
    assert says in caught.value.what
    assert str(path) in str(caught.value)
