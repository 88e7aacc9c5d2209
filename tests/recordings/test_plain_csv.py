"""CSV of positions as people's apps and loggers write them: each form of a time and of a position."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.detect import open_recording
from pitwall.telemetry.recordings.text import unpack_folder

BEGIN = datetime(2026, 5, 16, 9, 30, tzinfo=UTC)
UTC_S, DAY_TIME_S = BEGIN.timestamp(), 34_200.0


def semicircles(degrees: float) -> int:
    return round(degrees * 2**31 / 180.0)


# What the columns are called, how a row is written from (seconds, moment, degrees east), what is known of the
# start: unix seconds, else the time of day.
FORMS = {
    "ISO 8601": (
        "dt,latitude,longitude,speed_kmh",
        lambda n, at, lon: f"{at:%Y-%m-%dT%H:%M:%S}Z,-30.1,{lon},72",
        (UTC_S, None)),
    "nanoseconds since 1970": (
        "time,seconds_elapsed,speed,horizontalAccuracy,longitude,latitude",
        lambda n, at, lon: f"{int(at.timestamp())}000000000,{n}.5,20,3,{lon},-30.1", (UTC_S, None)),
    "AM and PM": (
        "Time,Latitude,Longitude,Speed (km/h)",
        lambda n, at, lon: f"{at:%I:%M:%S %p},-30.1,{lon},72",
        (None, DAY_TIME_S)),
    "a day beside the time": (
        "Date,Time,Latitude,Longitude,Speed (km/h)",
        lambda n, at, lon: f"{at:%Y-%m-%d,%H:%M:%S}.0,-30.1,{lon},72",
        (UTC_S, DAY_TIME_S)),
    "parts of a date": (
        "Date,Hour,Minute,Second,Lat,Lon,Speed (m/s)",
        lambda n, at, lon: f"{at:%d.%m.%Y,%H,%M,%S},-30.1,{lon},20",
        (UTC_S, DAY_TIME_S)),
    "semicircles, as a tool makes of a FIT file": (
        "timestamp,speed,position_lat,position_long",
        lambda n, at, lon: f"{at:%a %b %d %H:%M:%S} PDT {at:%Y},20,{semicircles(-30.1)},{semicircles(lon)}",
        (UTC_S, DAY_TIME_S)),
    "a Tesla's Track Mode": (
        "Lap,Elapsed Time (ms),Speed (MPH),Latitude (decimal),Longitude (decimal),Brake Pressure (bar)",
        lambda n, at, lon: f"1,{n * 1000},44.738726,-30.1,{lon},3.2", (None, None)),
    "a zone that is only named": (
        "GPS Time, Device Time, Longitude, Latitude,GPS Speed (Meters/second)",
        lambda n, at, lon: f"{at:%a %b %d %H:%M:%S} MESZ {at:%Y},-,{lon},-30.1,20", (UTC_S, DAY_TIME_S)),
    "a date in columns of its own": (
        "Year,Month,Day,Hour (UTC),Minute,Second,CentiSecond,Millis,LAT,LNG,MPH",
        lambda n, at, lon: f"{at:%Y,%m,%d,%H,%M,%S},0,{n * 1003},-30.1,{lon},44.738726", (UTC_S, None)),
    "seconds since 1970 beside a local time": (
        "Timestamp,Time,GPS_Lat,GPS_Lon,Speed (m/s)",
        lambda n, at, lon: f"{at.timestamp():.0f},{at + timedelta(hours=2):%Y-%m-%d %H:%M:%S},-30.1,{lon},20",
        (UTC_S, None)),
    "whole seconds beside milliseconds that count on": (
        "Timestamp,Milliseconds,Latitude,Longitude,Speed (m/s)",
        lambda n, at, lon: f"{at - timedelta(seconds=n % 3):%Y-%m-%d %H:%M:%S},{n * 1000 + 4},-30.1,{lon},20",
        (UTC_S, DAY_TIME_S)),
    "a phone's stamps that jitter beside a receiver's even ones": (
        "GPS_TIME (ms),LONG (deg),LAT (deg),SPEED (m/s),SYSTEM_TIME (ms)",
        lambda n, at, lon: f"{34_200_000 + n * 1000},{lon},-30.1,20,"
        f"{at.timestamp() * 1000 + 90 * (n % 2 - 0 ** (29 - n)):.1f}", (UTC_S, None)),
    "parts of a day without signs beside milliseconds": (
        "Timestamp (ms),Date,Hour (h),Minute (min),Second (s),Analog 1 (V),Vanos (°CRK),"
        "GPS Speed (km/h),GPS Latitude (°),GPS Longitude (°)",
        lambda n, at, lon: f"{n * 1000},{BEGIN + timedelta(seconds=n // 3 * 3):%y%m%d,%H,%M,%S},1.2,40,"
        f"72,-30.1,{lon}", (UTC_S, DAY_TIME_S)),
    "the table of a VBO": (
        "sats,time,lat,long,velocity",
        lambda n, at, lon: f"10,{at - timedelta(seconds=10):%H%M%S}.00,-1806,{-60 * lon},72",
        (None, DAY_TIME_S - 10)),
    "a speed whose unit ends its name": (
        "timestamp,speed_knots,latitude,longitude",
        lambda n, at, lon: f"{at:%Y-%m-%d %H:%M:%S}.000,38.876890,-30.1,{lon}", (UTC_S, DAY_TIME_S)),
    "a moment under another name beside what only counts": (
        "run_start,measured_at,time,Latitude,Longitude,Speed (m/s)",
        lambda n, at, lon: f"{BEGIN},{at},{n * 3},-30.1,{lon},20", (UTC_S, None)),
    "microseconds of a GPS clock": (
        "GPS_GPSTime,GPS_Lat,GPS_Lon,Speed (m/s)",
        lambda n, at, lon: f"{at.timestamp() * 1e6:.0f},-30.1,{lon},20", (UTC_S, None)),
    "a day of two digits": (
        "Date;Time;Latitude;Longitude;Speed (km/h)",
        lambda n, at, lon: f"{at:%d.%m.%y;%H:%M:%S};-30,1;{str(lon).replace('.', ',')};72",
        (UTC_S, DAY_TIME_S)),
    "Garmin's G1000, whose units stand above the names": (
        '#airframe_info, log_version="1.00", airframe_name="C172S"\n'
        "#yyy-mm-dd, hh:mm:ss,  hh:mm,    degrees,    degrees, ft msl,    kt, deg\n"
        "  Lcl Date, Lcl Time,UTCOfst,   Latitude,  Longitude, AltMSL, GndSpd, TRK",
        lambda n, at, lon: f"{at:%Y-%m-%d, %H:%M:%S}, -07:00, -30.1000, {lon}, 30.0, 38.876890, 90.0",
        (UTC_S, DAY_TIME_S)),
    "seconds that are named milliseconds": (
        "Time (ms),Latitude,Longitude,Speed (km/h)",
        lambda n, at, lon: f"{n}.0,-30.1,{lon},72", (None, None)),
    "degrees times 1e7": (
        "Time (s),lat,lon,speed (m/s)",
        lambda n, at, lon: f"{n},-301000000,{round(lon * 1e7)},20", (None, None)),
    "degrees and minutes": (
        "Time (s),Latitude,Longitude,Speed (km/h)",
        lambda n, at, lon: f"{n},-3006.0,{2100 + (lon - 21) * 60:.5f},72", (None, None)),
    "exponents": (
        "Time (s),Latitude (°),Longitude (°),Velocity (m/s)",
        lambda n, at, lon: f"{n}.0E0,-3.010000000E1,{lon:.9E},2.0E1", (None, None)),
    "sides of the earth in cells, and a day without signs": (
        "INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT,SPEED (km/h),HEADING",
        lambda n, at, lon: f"{n},T,{at:%y%m%d,%H%M%S},30.1S,{lon}E,912,72,90", (UTC_S, DAY_TIME_S)),
    "a moment and a speed under names that end in their zone and unit": (
        "ts_utc,latitude,longitude,speed_meters_per_second",
        lambda n, at, lon: f"{at:%Y-%m-%d %H:%M:%S}.000 UTC,-30.1,{lon},20", (UTC_S, None)),
    "a local clock beside one that tells its zone": (
        "GPS Time, Device Time, Longitude, Latitude,GPS Speed (Meters/second)",
        lambda n, at, lon: f"{at + timedelta(hours=8):%a %b %d %H:%M:%S} GMT+08:00 {at:%Y},"
        f"{at + timedelta(hours=8):%d-%b-%Y %H:%M:%S}.000,{lon},-30.1,20", (UTC_S, None)),
    "AndroSensor": (
        "LOCATION Latitude : ;LOCATION Longitude : ;LOCATION Speed ( Kmh);YYYY-MO-DD HH-MI-SS_SSS",
        lambda n, at, lon: f"-30.1;{lon};72;{at:%Y-%m-%d %H:%M:%S}:000", (UTC_S, DAY_TIME_S)),
    "colons between all parts of a moment": (
        "Timestamp,Latitude [°],Longitude [°],Speed [m/s]",
        lambda n, at, lon: f"{at:%Y:%m:%d:%H:%M:%S}:00:GMT,-30.1,{lon},20", (UTC_S, None)),
    "a count under another name, and a blackbox's positions": (
        "video_t (s), GPS_coord[0], GPS_coord[1], GPS_speed (m/s)",
        lambda n, at, lon: f"{n}, -30.1, {lon}, 20", (None, None)),
    "a spreadsheet's days, and a robot's names": (
        "Time,field.latitude,field.longitude,speed_mps",
        lambda n, at, lon: f"{at.timestamp() / 86_400 + 25_569:.15f},-30.1,{lon},20", (UTC_S, DAY_TIME_S)),
    "blanks between columns, and a moment without signs": (
        "# stamp lat lon speed_mps",
        lambda n, at, lon: f"{at:%Y%m%d%H%M%S} -30.1 {lon} 20", (UTC_S, DAY_TIME_S)),
    "a clock whose fraction follows a colon": (
        "time,Latitude,Longitude,Speed (m/s)",
        lambda n, at, lon: f"{at:%H:%M:%S}:000,-30.1,{lon},20", (None, DAY_TIME_S)),
    "both coordinates in one cell, as the radio of a model writes them": (
        "Date,Time,GPS,GSpd(kmh),Hdg(°),FM,Thr",
        lambda n, at, lon: f"{at:%Y-%m-%d,%H:%M:%S}.000,-30.1000 {lon:.6f},72,90,MANU,0",
        (UTC_S, DAY_TIME_S)),
    "minutes and seconds that count": (
        "Elapsed,Latitude,Longitude,Speed (m/s)",
        lambda n, at, lon: f"00:{n}.000,-30.1,{lon},20", (None, None)),
    "a day and a clock under other names": (
        "updated_at,updated_on,Latitude,Longitude,Speed (m/s)",
        lambda n, at, lon: f"{at:%m/%d/%Y}, {at:%I:%M:%S %p},-30.1,{lon},20", (UTC_S, DAY_TIME_S)),
    "dashes in a clock": (
        "Date,Time,Latitude,Longitude,Speed (m/s)",
        lambda n, at, lon: f"{at:%d-%m-%Y}, {at:%H-%M-%S},-30.1,{lon},20", (UTC_S, DAY_TIME_S)),
    "units written out in cells": (
        "timestamp,latitude,longitude,SPEED,ENGINE",
        lambda n, at, lon: f"{at:%Y-%m-%d %H:%M:%S},-30.1,{lon},72.0 kilometer_per_hour,9 gps",
        (UTC_S, DAY_TIME_S)),
    "the seconds that an engine runs": (
        "Engine_Run_Time,latitude,longitude,speed_mps",
        lambda n, at, lon: f"{n},-30.1,{lon},20", (None, None)),
    "sides of the earth and units in cells": (
        "INDEX,DATE,TIME,LATITUDE,N/S,LONGITUDE,E/W,SPEED,HEIGHT",
        lambda n, at, lon: f"{n},{at:%Y/%m/%d,%H:%M:%S},30.1,S,{lon},E,72.0 km/h,912 m", (UTC_S, DAY_TIME_S)),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_read_for_what_it_is(name: str, tmp_path: Path) -> None:
    head, write, start = FORMS[name]
    rows = [write(n, BEGIN + timedelta(seconds=n), 21.2 + n * 20.0 / 96_302.0) for n in range(30)]
    path = tmp_path / "drive.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    recording = open_recording(path)
    samples = list(recording.samples())
    names = [channel.name for channel in recording.info.streams[0].channels]
    assert [sample.t for sample in samples] == pytest.approx(range(30))
    at = {name: names.index(name) for name in ("lat_deg", "lon_deg", "speed_mps")}
    assert [sample.values[at["lat_deg"]] for sample in samples] == pytest.approx([-30.1] * 30)
    assert samples[29].values[at["lon_deg"]] == pytest.approx(21.2 + 29 * 20.0 / 96_302.0, abs=1e-6)
    assert samples[29].values[at["speed_mps"]] == pytest.approx(20.0)
    assert (recording.info.start_utc_s, recording.info.time_of_day_s) == start


@pytest.mark.parametrize(
    ("lat", "lon", "day", "read"),
    [
        (38.2, -85.7, "05/06/2024", "2024-05-06"),
        (48.2, 11.5, "05/06/2024", "2024-06-05"),
        (38.2, -85.7, "16/05/2024", "2024-05-16"),
    ],
    ids=["in the United States", "elsewhere", "one day alone"],
)
def test_of_two_days_one_is_read_and_the_other_named(
    tmp_path: Path, lat: float, lon: float, day: str, read: str
) -> None:
    path = tmp_path / "drive.csv"
    rows = [f"{day},10:00:0{n},{lat},{lon},72" for n in range(9)]
    path.write_text("\n".join(["Date,Time,Latitude,Longitude,Speed (km/h)", *rows]) + "\n")
    recording = open_recording(path)
    assert f"{datetime.fromtimestamp(recording.info.start_utc_s or 0.0, UTC):%Y-%m-%d %H}" == f"{read} 10"
    doubts = [finding.detail for finding in recording.findings() if finding.signal == "day"]
    assert [read in doubt and "pitwall sessions date" in doubt for doubt in doubts] == [True] * (
        "16" not in day
    )


def test_a_position_of_no_form_is_refused_with_its_figures(tmp_path: Path) -> None:
    path = tmp_path / "drive.csv"
    path.write_text("Time (s),lat,lon,speed\n" + "".join(f"{n},99999.5,{n}.25,20\n" for n in range(5)))
    with pytest.raises(RecordingError, match=r"latitude of 99999\.5 .*decimal degrees"):
        open_recording(path)


def test_the_start_is_that_of_the_meta_beside_a_phones_experiment(tmp_path: Path) -> None:
    (tmp_path / "meta").mkdir()
    meta = f'"event","experiment time","system time"\n"START",0.0E0,{BEGIN.timestamp()!r}\n'
    (tmp_path / "meta" / "time.csv").write_text(meta)
    path = tmp_path / "GPS.csv"
    path.write_text(
        '"Time (s)","Latitude","Longitude"\n' + "".join(f"{n}.5,-30.1,21.{n}\n" for n in range(9))
    )
    (unpacked := tmp_path / "unpacked").mkdir()
    with zipfile.ZipFile(archive := tmp_path / "run.zip", "w") as packed:
        packed.writestr("GPS.csv", path.read_text())
        packed.writestr("meta/time.csv", meta)
    assert unpack_folder(archive, unpacked)
    for each in (path, *unpacked.rglob("GPS.csv")):
        assert open_recording(each).info.start_utc_s == pytest.approx(BEGIN.timestamp() + 0.5)


@pytest.mark.parametrize(
    ("head", "row", "what"),
    [
        (
            "TIME;LATITUDE;LONGITUDE;ENGINE_RPM",
            lambda n: f"1,51E+12;-583.206.6{n:02};-3.520.573.159;816",
            r"one time or two: '1\.51E\+12' .*spreadsheet",
        ),
        (
            "Time,Latitude,Longitude",
            lambda n: f"{BEGIN - timedelta(seconds=n)},-30.1,21.{n}",
            "newest row stands first.*sort",
        ),
    ],
    ids=["rounded by a spreadsheet", "the newest first"],
)
def test_times_that_are_of_no_drive_are_refused(
    tmp_path: Path, head: str, row: Callable[[int], str], what: str
) -> None:
    path = tmp_path / "drive.csv"
    path.write_text("\n".join([head, *map(row, range(300))]) + "\n")
    with pytest.raises(RecordingError, match=what):
        open_recording(path)


@pytest.mark.parametrize(("most", "read"), [(0.96, 96.0), (1.5, 1.5)], ids=["parts of one", "per cent"])
def test_a_pedal_in_parts_of_one_is_read_in_per_cent(tmp_path: Path, most: float, read: float) -> None:
    path = tmp_path / "drive.csv"
    rows = [f"{n}.0,{1000 + n},{n % 12 * 0.08 if n < 900 else most}" for n in range(999)]
    path.write_text("\n".join(["time,rpm,throttle", *rows]) + "\n")
    recording = open_recording(path)
    at = [channel.name for channel in recording.info.streams[0].channels].index("throttle_pct")
    assert [sample.values[at] for sample in recording.samples()][-1] == pytest.approx(read)
    assert ("reckoned" in {finding.kind for finding in recording.findings()}) == (most < 1.0)


@pytest.mark.parametrize(
    ("name", "content", "advice"),
    [
        ("drive.csv", b"RUN (),ENGINE_RPM (),VEHICLE_SPEED ()\n 0.0, 900.0, 0.0,\n", "time.*each row"),
        ("stop.vbb", b"VBB\x02\0\0\0\x01", "VBOX Test Suite"),
        ("saved.csv", b'"Interval|""ms""|0|0|1","Utc|""ms""|0|0|1"\n40804,1.56E+12\n', "logger's own .log"),
        ("hero.bin", b"DEVC\0\x01\x12\xb0DVID", "MP4 itself"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_refused_with_its_advice(
    tmp_path: Path, name: str, content: bytes, advice: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=advice):
        open_recording(path)


def test_a_row_that_says_in_a_word_that_it_has_no_fix_has_no_place(tmp_path: Path) -> None:
    path = tmp_path / "drive.csv"
    rows = [f"{n},2026/05/16,09:30:0{n},{'No fix' if n < 2 else 'SPS'},-30.1,21.2" for n in range(5)]
    path.write_text("\n".join(["INDEX,DATE,TIME,VALID,LATITUDE,LONGITUDE", *rows]) + "\n")
    recording = open_recording(path)
    at = [channel.name for channel in recording.info.streams[0].channels].index("lat_deg")
    assert [sample.values[at] for sample in recording.samples()] == [None, None, -30.1, -30.1, -30.1]
    assert "void_fix" in {finding.kind for finding in recording.findings()}


@pytest.mark.parametrize(("lon", "is_one"), [(21.3, False), (21.2004, True)], ids=["elsewhere", "driven on"])
def test_rows_of_several_drives_are_refused(tmp_path: Path, lon: float, is_one: bool) -> None:
    rows = [f"{n},{n},-30.1,{21.2 + n * 0.0002:.4f},20,A" for n in range(2)]
    rows += [f"{n},{n},-30.1,{lon + (n - 2) * 0.0002:.4f},20,B" for n in range(2, 6)]
    path = tmp_path / "fleet.csv"
    path.write_text("\n".join(["no,time,lat,lon,speed_mps,machine_id", *rows]) + "\n")
    if is_one:
        assert len(list(open_recording(path).samples())) == 6
        return
    with pytest.raises(RecordingError, match=r"holds 2 drives \(machine_id: A, B\).*one in a file"):
        open_recording(path)


def test_rows_whose_last_columns_ended_are_read_from_their_second_on(tmp_path: Path) -> None:
    rows = [f"{n},-30.1,{21.2 + n * 0.0002:.4f},20{',N/A' if n < 12 else ''}" for n in range(20)]
    path = tmp_path / "obd.csv"
    path.write_text("\n".join(["time,lat,lon,speed_mps,fuel", *rows, "20,-30.1"]) + "\n")
    assert [sample.t for sample in open_recording(path).samples()] == [*range(12), *range(13, 20)]


def test_positions_that_come_late_are_read(tmp_path: Path) -> None:
    rows = [f"{n},{'nan,nan' if n < 500 else f'-30.1,{21.2 + n * 0.0002:.4f}'},-" for n in range(510)]
    path = tmp_path / "late.csv"
    path.write_text("\n".join(["time,lat,lon,fuel", *rows]) + "\n")
    assert [sample.values[0] for sample in open_recording(path).samples()][499:501] == [None, -30.1]
