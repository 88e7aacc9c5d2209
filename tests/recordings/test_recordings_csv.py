"""VBOX CSV, RaceChrono, RaceCapture and RaceStudio: their traps, in small files written for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from usable import column, kinds, read_whole

from pitwall.telemetry.recordings import RecordingError
from pitwall.telemetry.recordings.columns import Heading, map_columns


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "recording"
    path.write_bytes(text.replace("\n", "\r\n").encode(encoding))
    return path


VBOX = """\
UTC time,Satellites,Speed (km/h),Latitude,Longitude,Indicated Lateral Acceleration (g),Wav (°C),Gear ((null))
235959.900,12,36.0,38°9.600000 N,122°27.000000 W,0.5,20,3
000000.000,12,36.0,38°9.600000 N,122°27.000000 W,0.5,20,3
000000.100,0,36.0,38°9.600000 N,122°27.000000 W,,20,3
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_vbox_csv_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    recording, samples = read_whole(written(tmp_path, VBOX, encoding))
    assert recording.info.format == "vbox-csv"
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.1, 0.2])
    assert column(recording, samples, "lat_deg")[:2] == pytest.approx([38.16, 38.16])
    assert column(recording, samples, "lon_deg")[0] == pytest.approx(-122.45)
    assert column(recording, samples, "speed_mps") == pytest.approx([10.0, 10.0, None])
    # The car's own sensor counts to the right, and a blank stays one.
    assert column(recording, samples, "g_lat") == [-0.5, -0.5, None]
    units = {channel.name: channel.unit for channel in recording.info.streams[0].channels}
    assert units["wav"] == "°C"
    assert units["gear"] == ""
    assert recording.info.time_of_day_s == 86399.9


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        ("38.16", "-122.45"),
        ("2289.6", "7347.0"),
        ("38°09'36.0\" N", "122°27'00.0\" W"),
        ("38° 9.6' N", "122° 27.0' W"),
        ("-38.16 S", "122.45W"),
    ],
)
def test_vbox_csv_positions_as_other_versions_write_them(tmp_path: Path, lat: str, lon: str) -> None:
    text = f"Time,Latitude,Longitude,Speed (mph)\n10.0,{lat},{lon},10\n10.1,{lat},{lon},10\n"
    recording, samples = read_whole(written(tmp_path, text.replace('"', "''") if '"' in text else text))
    assert column(recording, samples, "lat_deg")[0] == pytest.approx(38.16)
    assert column(recording, samples, "lon_deg")[0] == pytest.approx(-122.45)
    assert column(recording, samples, "speed_mps")[0] == pytest.approx(4.4704)


def test_text_columns_are_left_out_and_told(tmp_path: Path) -> None:
    text = "Time,Latitude,Longitude,Note\n0.0,38.16,-122.45,out lap\n0.1,38.16,-122.45,out lap\n"
    recording, _ = read_whole(written(tmp_path, text))
    assert "note" not in [channel.name for channel in recording.info.streams[0].channels]
    assert kinds(recording) == {"blank_channel": 1}


RACECHRONO = """This file is created using RaceChrono Pro v9 ( http://racechrono.com/ ).
Format,3
Session title,"Some, where"
Track name,"Home track"
Driver name,Ann
Created,01/01/2024,10:00

timestamp,lap_number,bearing,fix_type,latitude,longitude,satellites,speed,lateral_acc,speed,speed,brake_pos
unix time,,deg,,deg,deg,sats,km/h,m/s2,m/s,mph,%
,,100: gps,100: gps,100: gps,100: gps,100: gps,100: gps,calc,calc,200: canbus,200: canbus
1704103200.00,1,10,3,38.16,-122.45,9,36.0,9.80665,11.0,22.369363,5
1704103200.04,1,11,3,38.16,-122.45,9,,,11.0,,
1704103200.04,1,11,0,38.16,-122.45,9,36.0,4.903325,11.0,22.369363,5
"""


def test_racechrono_names_units_and_sources(tmp_path: Path) -> None:
    recording, samples = read_whole(written(tmp_path, RACECHRONO))
    info = recording.info
    assert (info.format, info.venue, info.driver) == ("racechrono", "Home track", "Ann")
    assert info.start_utc_s == 1704103200.0
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.04, 0.04])
    assert column(recording, samples, "speed_mps") == pytest.approx([10.0, None, None])
    assert column(recording, samples, "wheel_speed_mps") == pytest.approx([10.0, None, 10.0])
    assert column(recording, samples, "speed") == [11.0, 11.0, 11.0]
    assert column(recording, samples, "g_lat") == pytest.approx([1.0, None, 0.5])
    assert column(recording, samples, "brake_pct") == [5.0, None, 5.0]
    # A fix of type 0 is none.
    assert column(recording, samples, "lat_deg") == [38.16, 38.16, None]
    assert kinds(recording) == {"duplicate_time": 1, "void_fix": 1}


def test_racechrono_version_2(tmp_path: Path) -> None:
    text = (
        "This file is created using RaceChrono v5.00 ( http://racechrono.com/ ).\nFormat,2\n\n"
        "Lap #,Timestamp (s),Latitude (deg),Longitude (deg),Speed (kph),Lateral Acceleration (G),Trap name\n"
        "1,1704103200.0,38.16,-122.45,36.0,0.5,\n1,1704103200.1,38.16,-122.45,36.0,0.5,Start\n"
    )
    recording, samples = read_whole(written(tmp_path, text))
    assert column(recording, samples, "speed_mps") == pytest.approx([10.0, 10.0])
    assert column(recording, samples, "g_lat") == [0.5, 0.5]
    assert column(recording, samples, "lap_number") == [1.0, 1.0]


NEW_RACECAPTURE = """"Interval"|"ms"|0|0|1,"Utc"|"ms"|0|0|1,\
"AccelX"|"G"|-3.0|3.0|50,"AccelY"|"G"|-3.0|3.0|50,\
"Latitude"|"Degrees"|-180.0|180.0|10,"Longitude"|"Degrees"|-180.0|180.0|10,"Speed"|"mph"|0.0|150.0|10,\
"GPSQual"|""|0|5|10,"OilPress"|"PSI"|0|200|1
1000,1704103200000,0.5,0.25,38.16,-122.45,22.369363,1,14.503774
1020,1704103199000,0.5,0.25,,,,,
1040,1704103200040,0.5,0.25,38.16,-122.45,22.369363,0,
"""


def test_racecapture_with_interval_does_not_mind_utc_stepping_back(tmp_path: Path) -> None:
    recording, samples = read_whole(written(tmp_path, NEW_RACECAPTURE))
    assert recording.info.format == "racecapture"
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.02, 0.04])
    assert recording.info.start_utc_s == 1704103200.0
    assert column(recording, samples, "g_lat") == [0.5, 0.5, 0.5]
    assert column(recording, samples, "g_long") == [-0.25, -0.25, -0.25]
    assert column(recording, samples, "speed_mps") == pytest.approx([10.0, None, None])
    assert column(recording, samples, "lat_deg") == [38.16, None, None]
    assert column(recording, samples, "oil_bar") == [pytest.approx(1.0), None, None]
    assert kinds(recording) == {"void_fix": 1}


def test_racecapture_spreads_rows_between_times_over_midnight(tmp_path: Path) -> None:
    text = (
        '#"AccelX"|"G"|30,"Latitude"|"Deg"|10,"Longitude"|"Deg"|10,"Speed"|"MPH"|10,"Time"|"Time"|10\n'
        "0.1,,,,\n"
        "0.2,47.8,-122.3,10,235959.900\n0.3,,,,\n0.4,,,,\n"
        "0.5,47.8,-122.3,10,000000.000\n0.6,,,,\n0.7,,,,\n"
        "0.8,47.8,-122.3,10,000000.050\n0.9,,,,\n"
    )
    recording, samples = read_whole(written(tmp_path, text))
    third = 1 / 30
    assert [sample.t for sample in samples] == pytest.approx(
        [
            0.0,
            *(third + k * third for k in range(4)),
            *(third + 0.1 + k * 0.05 / 3 for k in range(1, 4)),
            third + 0.15 + third,
        ],
        abs=1e-5,
    )
    assert column(recording, samples, "g_lat") == pytest.approx([0.1 * k for k in range(1, 10)])
    assert recording.info.time_of_day_s == pytest.approx(86399.9, abs=0.1)


def aim(folder: Path, heading: list[str], quote: str = "") -> Path:
    rows = [
        ["Format", "AiM CSV File"],
        ["Session", "Kart Hall"],
        ["Vehicle", "Kart 7"],
        ["Racer", "Ann"],
        ["Time", "1:34 PM"],
        ["Sample Rate", "20"],
        ["Beacon Markers", "12.05", "24.5"],
        ["Segment Times", "0:12.05", "0:12.45"],
        [],
        [
            "Time",
            "GPS Speed",
            "GPS Nsat",
            "GPS LatAcc",
            "GPS Heading",
            "GPS Gyro",
            "GPS Latitude",
            "GPS Longitude",
        ],
        ["s", "mph", " ", "g", "deg", "deg/s", "deg", "deg"],
        [],
        *(
            [f"{2 + 0.05 * i:g}", "22.369363", "9", "0.5", value, "7", "45.5", "10.0"]
            for i, value in enumerate(heading)
        ),
    ]
    return written(folder, "\n".join(",".join(f"{quote}{c}{quote}" for c in row) for row in rows) + "\n")


def test_aim_with_its_names_twice_and_its_beacons_in_one_cell(tmp_path: Path) -> None:
    path = aim(tmp_path, ["-90"] * 40)
    lines = path.read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if "GPS Speed" in line)
    told = ['Beacon Markers,"2.5, 3.25"', lines[at], lines[at]]
    path.write_text("\n".join([lines[0], *told, *lines[at + 1 :]]) + "\n")
    recording, samples = read_whole(path)
    assert column(recording, samples, "speed_mps")[0] == pytest.approx(10.0)
    assert recording.info.lap_marks_t == (0.5, 1.25)


def test_aim_beacons_in_session_seconds(tmp_path: Path) -> None:
    """The file's own clock begins at 2 s here, the session's at 0."""
    recording, samples = read_whole(aim(tmp_path, ["10", "11"]))
    assert samples[0].t == 0.0
    assert recording.info.lap_marks_t == (10.05, 22.5)
    assert recording.info.time_of_day_s == 13 * 3600 + 34 * 60


def test_aim_and_motec_keep_their_local_day(tmp_path: Path) -> None:
    """The day that the file states is kept, and that its zone is not known."""
    for keys, when in (
        ('"Date","Saturday, May 17, 2025"\n"Time","5:00 PM"', 1747501200.0),
        ('"Date","17 May 2025"\n"Time","17:00:00"', 1747501200.0),
        ('"Log Date","17/05/2025"\n"Log Time","17:00:00"', 1747501200.0),
    ):
        path = tmp_path / "aim.csv"
        path.write_text(
            f'"Format","AiM CSV File"\n{keys}\n\n"Time","GPS Speed","GPS Latitude","GPS Longitude"\n'
            '"s","km/h","deg","deg"\n\n"0.000","100.0","51.0","4.0"\n"0.100","100.0","51.00003","4.0"\n'
        )
        info = read_whole(path)[0].info
        assert (info.start_utc_s, info.time_of_day_s) == (when, 17 * 3600.0)


def test_aim_headings_drawn_across_south_are_left_out(tmp_path: Path) -> None:
    recording, samples = read_whole(
        aim(tmp_path, ["176", "178", "0.1", "-178", "-176", "178", "-60", "-177"])
    )
    assert column(recording, samples, "heading_deg") == [176.0, 178.0, None, 182.0, 184.0, 178.0, None, 183.0]


def test_a_car_that_really_points_elsewhere_keeps_its_heading(tmp_path: Path) -> None:
    recording, samples = read_whole(aim(tmp_path, ["178"] + ["20"] * 60))
    assert column(recording, samples, "heading_deg")[-5:] == [20.0] * 5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("\0\0\0\0", "is empty"),
        ("hello\nworld\n", "no format we know"),
        ("Time,Latitude,Longitude\n", "no rows"),
        ("Time,Latitude,Longitude\nx,y,z\n", "no row has a time"),
        ("Time,Latitude,Longitude\n1,2,3,4,5\n1,2,3,4,5\n", "names 3 columns"),
        ('#"AccelX"|"G"|30\n1\n', "no row of names"),
        ('#"AccelX"|"G"|30,"AccelY"|"G"|30\n1,2\n', "no row of names"),
        ("This file is created using RaceChrono\nFormat,3\n", "no row of names"),
        ("Format,AiM CSV File\nSession,x\n", "no row of names"),
        # A preamble whose time of day is damaged passes for the row of names.
        ("Format,AiM CSV File\nTime,1:n4 PM\n\n0.0,1\n0.1,2\n", "no column that Pitwall knows"),
        ("$GPRMC,,V,,,,,,,,,*xx\n$GPRMC,,V,,,,,,,,,*xx\n", "no sentence"),
    ],
)
def test_what_can_not_be_read_says_why_and_what_to_do(tmp_path: Path, text: str, says: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(RecordingError) as caught:
        read_whole(path)
    assert says in caught.value.what
    assert caught.value.hint
    assert str(path) in str(caught.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    for path, says in (
        (tmp_path, "directory"),
        (tmp_path / "none", "no such file"),
        (Path("/dev/null"), "regular"),
    ):
        with pytest.raises(RecordingError) as caught:
            read_whole(path)
        assert says in caught.value.what


def test_the_name_of_a_file_means_nothing(tmp_path: Path, drives: Path) -> None:
    path = tmp_path / "session.nmea"
    path.write_bytes((drives / "excerpt-racestudio3-aim.csv").read_bytes())
    assert read_whole(path)[0].info.format == "racestudio"


# Names that makers, teams and games give their channels, as met in public logs and manuals.
NAMES = (
    ("motec", "brake_bar", "Brake Pres Front|kPa, Brake Pres F|bar, Brake Press Front|bar, "
     "Brake Pressure Front|kPa"),
    ("motec", "steering_deg", "Steered Angle|deg, Steering Wheel Angle|deg, Steering Angle|deg, "
     "STEERANGLE|deg"),
    ("motec", "oil_temp_c", "Eng Oil Temp|C, Engine Oil Temp|C, Engine Oil Temperature|C"),
    ("motec", "oil_bar", "Eng Oil Pres|kPa, Engine Oil Pressure|kPa"),
    ("motec", "coolant_c", "Eng Temp|C, Coolant Temperature|C"),
    ("motec", "throttle_pct", "Throttle Pos|%, Throttle Position|%, Throttle Pedal|%, THROTTLE|%"),
    ("motec", "wheel_speed_mps", "Corr Speed|km/h"),
    ("motec", "brake_pct", "BRAKE|%"),
    ("motec", "rpm", "RPMS|rpm"),
    ("motec", "gear", "GEAR|"),
    ("motec", "speed_mps", "SPEED|km/h"),
    ("motec", "g_lat", "G_LAT|m/s2"),
    ("motec", "g_long", "G_LON|m/s2"),
    ("motec", "yaw_rate_dps", "ROTY|deg/s"),
    ("aim", "brake_bar", "p_brk_front|bar, pbrake_f|bar, F_BRAKE|bar, BrakePress F|bar, FBrakePress|bar"),
    ("aim", "rpm", "rpm_eng|rpm, nmot|rpm"),
    ("aim", "throttle_pct", "pos_pedal|%, ath|%, aps|%, PPS|%, ECU TPS|%"),
    ("aim", "steering_deg", "a_ste|deg, Steering_Angle|deg, SteerAngle|deg, StrWhl Angle|deg"),
    ("aim", "wheel_speed_mps", "v_whl_fl|km/h"),
    ("aim", "oil_temp_c", "OilTemp|C, T_ENG_OIL|C, toil|C"),
    ("aim", "oil_bar", "Oil Press|bar, P_ENG_OIL|bar"),
    ("aim", "coolant_c", "WaterTemp|C, ECT|C, T_ENG_WATER|C, tmot|C"),
    ("car", "brake_bar", "BrakePress|psi, brake_pressure|bar, brake_pressure|kPa, "
     "Brake_Pressure_Front|bar, BrakePress|bar"),
    ("car", "brake_pct", "Brake|%, brake_pos|%"),
    ("car", "throttle_pct", "TPS|%, accelerator_pos|%, THROTTLE|%, Accelerator_Pedal_Position|%"),
    ("car", "steering_deg", "Steering|deg, steering_angle|deg, STEER_ANGLE|deg, SteeringWh|deg, "
     "Steering_Angle|Degrees"),
    ("car", "coolant_c", "EngineTemp|F"),
    ("car", "oil_bar", "OilPress|psi, engine_oil_pressure|kPa"),
    ("car", "oil_temp_c", "engine_oil_temp|degC"),
    ("car", "wheel_speed_mps", "WS_FL|m/s"),
)  # fmt: skip


@pytest.mark.parametrize(("family", "canonical", "names"), NAMES)
def test_channels_under_their_makers_names(family: str, canonical: str, names: str) -> None:
    for each in names.split(", "):
        name, _, unit = each.partition("|")
        [column] = map_columns([Heading(0, name, unit)], family)
        assert column.channel.name == canonical, each


def test_a_channel_that_moves_outranks_one_that_is_dead() -> None:
    headings = [Heading(0, "Steer Wheel Position", "deg"), Heading(1, "a_ste", "deg")]
    assert [c.channel.name for c in map_columns(headings)] == ["steering_deg", "a_ste"]
    assert [c.channel.name for c in map_columns(headings, dead={0})] == [
        "steer_wheel_position",
        "steering_deg",
    ]
