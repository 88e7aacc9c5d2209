"""CSV files of lap timer apps and GPS loggers, each dialect in a small file written for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from usable import column, imported_laps, kinds, read_whole

from pitwall.config import Home
from pitwall.drive.prepare import known_tracks
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.telemetry.recordings import open_recording

RACEBOX = """\
Data Source,RaceBox Mini
Date UTC,2024-07-14T12:00:00Z
Track,Home Circuit
Configuration,Full

Record,Time,Latitude,Longitude,Altitude,Speed,GForceX,GForceY,GForceZ,Lap,GyroX,GyroY,GyroZ
1,2024-07-14T12:00:00.000,51.0000000,4.0000000,20.00,80.00,0.012,0.100,1.000,0,0.10,0.20,0.30
2,2024-07-14T12:00:00.040,51.0000080,4.0000000,20.00,80.10,0.014,0.110,1.001,0,0.11,0.21,0.31
"""
TRACKADDICT = """\
# RaceRender Data: TrackAddict 4.8.0 on Android 13 [phone] (Mode: 0)
# GPS: Android; Mode: Android
"Time","UTC Time","Lap","GPS_Update","Latitude","Longitude","Altitude (m)","Altitude (ft)","Speed (Km/h)",\
"Heading","Accuracy (m)","Accel X","Brake (calculated)","Engine Speed (RPM) *OBD","Throttle Position (%) *OBD"
0.000,1720958400.000,0,1,51.0000000,4.0000000,20.0,66,80.0,0.0,3.0,0.10,0,5200,88
0.050,1720958400.050,0,0,51.0000000,4.0000000,20.0,66,80.0,0.0,3.0,0.11,1,5210,88
# Lap 0: 00:00:00.100
0.100,1720958400.100,1,1,51.0000200,4.0000000,20.0,66,80.0,0.0,3.0,0.12,0,5220,89
# Session End
"""
DOVEX = (
    "datetime,driver,course,short_name,best_lap_ms,optimal_ms\n2024-07-14 12:00:00,A Driver,Normal,ABC,1,1\n"
    "laps_ms\n49120,48000\n"
    + "\n"
    * 900
    + "timestamp,sats,hdop,lat,lng,speed_mph,altitude_m,heading_deg,rpm\n"
    "1720958400000,12,0.9,51.00000000,4.00000000,50.00,20.00,0.00,8000\n"
    "1720958400040,12,0.9,51.00000800,4.00000000,50.10,20.00,0.00,8010\n"
)

LAPTIMER = """\
Harry's GPS LapTimer
INDEX,LAPINDEX,DATE,TIME,TIME_LAP,LATITUDE,LONGITUDE,SPEED_KPH,SPEED_MPH,HEIGHT_M,HEIGHT_FT,HEADING_DEG,\
GPSDIFFERENTIAL[UNKNOWN/2D3D/DGPS/INVALID],GPSFIX[NOFIX/2D/3D/UNKNOWN],SATELLITES,HDOP,ACCURACY_M,\
ACCELERATIONSOURCE[CALCULATED/MEASURED/UNDEFINED],LATERALG,LINEALG,LEAN,RPM,WHEEL_SPEED_KPH,THROTTLE,GEAR,\
COOLANT_CELSIUS,OIL_CELSIUS
1,7,17-MAY-18,23:59:59.90,0.0,51.000000,4.000000,80.0,49.7,96.4,316.3,90.4,0,3,8,0.66,12.0,1,0.09,0.38,5.1,\
3624,74.0,0.7,0,86.0,97.0
2,7,17-MAY-18,00:00:00.10,0.2,51.000020,4.000000,81.0,50.3,96.4,316.3,90.4,0,0,8,0.66,12.0,1,0.09,0.38,5.1,\
3700,75.0,0.8,0,86.0,97.0
"""
OVERLAY = """\
utc (ms),lat (deg),lon (deg),speed (m/s),alt (m)
1617530423000,50.3,4.6,22.5,290
1617530423200,50.3001,4.6,22.6,290
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "log.csv"
    path.write_text(text)
    return path


# What is read of each: format, unix time of t = 0, times, and values by channel.
KMH, MPH = 1 / 3.6, 0.44704
Read = tuple[str, str, float | None, list[float], dict[str, list[float | None]]]
READ: dict[str, Read] = {
    "racebox": (RACEBOX, "racebox-csv", 1720958400.0, [0.0, 0.04], {
        "speed_mps": [80.0 * KMH, 80.1 * KMH], "g_long": [0.012, 0.014], "g_lat": [0.1, 0.11],
        "yaw_rate_dps": [0.3, 0.31]}),
    "racebox with seconds and no preamble": (
        RACEBOX.partition("\n\n")[2].replace("2024-07-14T12:00:0", ""), "racebox-csv", None, [0.0, 0.04], {}),
    # A fix is told once; its brake is computed, and so none.
    "trackaddict": (TRACKADDICT, "trackaddict", 1720958400.0, [0.0, 0.05, 0.1], {
        "lat_deg": [51.0, None, 51.00002], "speed_mps": [80.0 * KMH, None, 80.0 * KMH],
        "rpm": [5200.0, 5210.0, 5220.0], "throttle_pct": [88.0, 88.0, 89.0]}),
    "dovex": (DOVEX, "csv", 1720958400.0, [0.0, 0.04], {
        "speed_mps": [50.0 * MPH, 50.1 * MPH], "altitude_m": [20.0, 20.0], "rpm": [8000.0, 8010.0]}),
    # The local day; a throttle from 0 to 1; a second row without a fix.
    "laptimer": (LAPTIMER, "laptimer", 1526601599.9, [0.0, 0.2], {
        "speed_mps": [80.0 * KMH, None], "lat_deg": [51.0, None], "throttle_pct": [70.0, 80.0],
        "coolant_c": [86.0, 86.0], "oil_temp_c": [97.0, 97.0], "lap_number": [7.0, 7.0],
        "altitude_m": [96.4, 96.4]}),
    "overlay": (OVERLAY, "csv", 1617530423.0, [0.0, 0.2], {"speed_mps": [22.5, 22.6]}),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_each_dialect(tmp_path: Path, name: str) -> None:
    text, form, start_utc_s, times, values = READ[name]
    recording, samples = read_whole(written(tmp_path, text))
    info = recording.info
    assert (info.format, info.start_utc_s) == (form, start_utc_s)
    assert info.venue == ("Home Circuit" if name == "racebox" else "")
    assert info.time_of_day_s == (pytest.approx(86399.9) if name == "laptimer" else None)
    assert [sample.t for sample in samples] == pytest.approx(times)
    for channel, expected in values.items():
        assert column(recording, samples, channel) == pytest.approx(expected), channel
    assert not {channel.name for channel in info.streams[0].channels} & {"brake_pct", "brake_bar"}
    assert kinds(recording) == ({"void_fix": 1, "blank_channel": 1} if name == "laptimer" else {})


@pytest.mark.long
def test_alfano_has_the_laps_of_its_drive_and_its_own_thousands(tmp_path: Path, home: Home) -> None:
    """The file of a simulated drive: `9,120` rpm, headings in hundredths, Time from 0 in each lap."""
    source = tmp_path / "base.vbo"
    simulate_to_file(known_tracks(home)[0]["sonoma"], SimulationPlan(laps=2), "vbo", source)
    base, samples = read_whole(source)
    names = [channel.name for channel in base.info.streams[0].channels]
    rows = [
        "Lap;Time Lap;Strip;Absolute Time;Time;RPM;Speed GPS;Orientation;Lat.;Lon.;Altitude;UTC time : 170000"
    ]
    for sample in samples:
        at = dict(zip(names, sample.values, strict=True))
        rows.append(
            f"1;01:53.40;1;{sample.t:.2f};{sample.t % 60:.2f};{at['rpm'] or 0.0:,.0f};"
            f"{(at['speed_mps'] or 0.0) * 3.6:.1f};{(at['heading_deg'] or 0.0) * 100:.0f};"
            f"{at['lat_deg']:.7f};{at['lon_deg']:.7f};{at['altitude_m'] or 0.0:.1f};"
        )
    path = written(tmp_path, "\n".join(rows) + "\n")
    info = open_recording(path).info
    assert (info.format, info.start_utc_s, info.time_of_day_s) == ("alfano", None, 17 * 3600.0)
    recording, read = read_whole(path)
    top = max(value or 0.0 for value in column(base, samples, "rpm"))
    assert max(value or 0.0 for value in column(recording, read, "rpm")) == pytest.approx(top, abs=1.0)
    driven, wanted = imported_laps(path, home), imported_laps(source, home)
    assert len(driven) >= 2
    assert driven == pytest.approx(wanted, abs=0.02)
