"""Logs of engine control units, each form in a small file written for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from usable import column, kinds, read_whole

from pitwall.telemetry.recordings import RecordingError
from pitwall.telemetry.recordings.corrected import with_speed_unit
from pitwall.telemetry.recordings.detect import open_recording

MSL = """\
"MS3 Format 0435.14P"
"Capture Date: Sat Jun 04 14:47:47 PDT 2016"
Time\tSecL\tRPM\tTPS\tCLT\tVSS1
sec\tsec\tRPM\t%\t°F\tMPH
0.000\t10\t5000\t80.5\t194.0\t60
0.050\t10\t5100\t81.0\t194.0\t61
MARK 000 - Manual - Sat Jun 04 14:47:48
0.100\t10\t5200\t82.0\t194.0\t62
"""
ECUMASTER = """\
TIME;engine/rpm;sensors/gear;sensors/tps1;sensors/clt
0.000;3000;3;50.5;90
0.040;3100;;51.5;90
"""
ROMRAIDER = """\
Time (msec);Accelerator Pedal Angle (%);Engine Speed (rpm);Front Wheel Speed (km/h);Gear Position (gear)
0;25,49;765;36;1
189;100,00;2593;72;2
"""
UNKNOWN = "Time (msec);Line Pressure (none);4WD Pressure Correction (none)\n0;72;192\n93;73;192\n"
MILLISECONDS = """\
Time (msec),Throttle Position (%),Engine Speed (rpm),Vehicle Speed (km/h)
100,50,3000,36
198,51,3100,37
"""
DATED = "Date;Time;Revs;AccelPedalPos\n2025.02.03;20:34:42.5;1000;12\n2025.02.03;20:34:43.0;1100;13\n"
# What a simulator's program writes of a lap, as eleven rows: names, units and parts as they come.
SIM = "recv_time,lap_time_s,run_clock_ms,current_engine_rpm,Speed_kmh,Gas,SteeringAngle,ECT\n" + "".join(
    f"1767225600.{n:02},{4 + n},{500 + n},{5000 + n},{150 + n},{n / 10},{n / 10},{194 + n}\n"
    for n in range(11)
)
SESSION = """\
Driver,A
Session Date,16/05/2026
Session Time,11:30:07

Lap,RPM,SessionTime,Speed
,rpm,s,m/s

3,3000,553.1,20
3,3050,553.2,21
"""
TWO = "Time(minutes),Speed(MPH)\n8.50,44.738726\n8.51,22.369363\n"
TEXTS = {
    "two": TWO,
    "sim": SIM, "session": SESSION, "dated": DATED, "msl": MSL, "ecumaster": ECUMASTER,
    "romraider": ROMRAIDER, "ms": MILLISECONDS,
}  # fmt: skip


def written(folder: Path, text: str) -> Path:
    path = folder / "log.csv"
    path.write_text(text, "utf-8")
    return path


# What is read of each: format, start, time of day, times, and values by channel.
READ: dict[str, tuple[str, float | None, float | None, list[float], dict[str, list[float | None]]]] = {
    # Units below its names.
    "msl": ("ecu-csv", 1465051667.0, 53267.0, [0.0, 0.05, 0.1], {
        "rpm": [5000.0, 5100.0, 5200.0], "coolant_c": [90.0] * 3,
        "wheel_speed_mps": [n * 0.44704 for n in (60, 61, 62)]}),
    # A clock of another name, a unit at a name's end, parts of one, degrees Fahrenheit.
    "sim": ("ecu-csv", 1767225600.0, None, [n / 100 for n in range(11)], {
        "rpm": [5000.0 + n for n in range(11)], "throttle_pct": [10.0 * n for n in range(11)],
        "wheel_speed_mps": [(150 + n) / 3.6 for n in range(11)],
        "coolant_c": [(162 + n) / 1.8 for n in range(11)]}),
    # Its day and time stand in keys of its head, its clock is the session's.
    "session": ("ecu-csv", 1778931007.0, 41_407.0, [0.0, 0.1], {"wheel_speed_mps": [20.0, 21.0]}),
    # Two columns, of minutes.
    "two": ("ecu-csv", None, None, [0.0, 0.6], {"wheel_speed_mps": [20.0, 10.0]}),
    # A day and a time in each row.
    "dated": ("ecu-csv", 1738614882.5, 74082.5, [0.0, 0.5], {
        "rpm": [1000.0, 1100.0], "throttle_pct": [12.0, 13.0]}),
    "ecumaster": ("ecu-csv", None, None, [0.0, 0.04], {
        "rpm": [3000.0, 3100.0], "throttle_pct": [50.5, 51.5], "gear": [3.0, None], "coolant_c": [90.0] * 2}),
    "ms": ("ecu-csv", None, None, [0.0, 0.098], {"wheel_speed_mps": [10.0, 37 / 3.6]}),
    "romraider": ("ecu-csv", None, None, [0.0, 0.189], {
        "throttle_pct": [25.49, 100.0], "rpm": [765.0, 2593.0], "wheel_speed_mps": [10.0, 20.0],
        "gear": [1.0, 2.0]}),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_each_form(tmp_path: Path, name: str) -> None:
    form, start_utc_s, time_of_day_s, times, values = READ[name]
    recording, samples = read_whole(written(tmp_path, TEXTS[name]))
    info = recording.info
    assert (info.format, info.start_utc_s, info.time_of_day_s) == (form, start_utc_s, time_of_day_s)
    assert [sample.t for sample in samples] == pytest.approx(times)
    for channel, expected in values.items():
        assert column(recording, samples, channel) == pytest.approx(expected), channel
    assert kinds(recording) == ({"reckoned": 2, "blank_channel": 1} if name == "sim" else {})


def test_a_log_without_a_signal_that_is_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"nor a car's signal that is known: Time, Line Pressure"):
        read_whole(written(tmp_path, UNKNOWN))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Distance,RPM,Throttle\n0,3000,50\n1,3000,51\n", "no row has a time .*: Distance, RPM, Throttle"),
        ("LAP_NUMBER;LAP_TIME;KPH;ELAPSED\n1;1:30.1;120;1:30.1\n2;1:29.1;121;2:59.2\n3;1:28;122;4:27.2\n",
         "is a list of laps"),
        ("Mirror,Off,,\n,,,\nDistance,Speed,Sector\nm,km/h,\n,,\n0,206.3,1\n",
         "no column of times: Distance, Speed"),
        ("Level,Level2,ToothTime,Time\nFlag,Flag,ms,ms\n1,0,13765.1,90.9\n1,0,13768.1,90.9\n",
         "has neither positions nor .*: Level, Level2, ToothTime, Time"),
        ("CAN_ID,Timestamp,bit1,bit2\n1574,16776,1,FF\n291,16770,0,0\n", "a log of CAN frames, and no DBC"),
        ("sep=\nTime (ms)\tVolts\tAmps\n10\t10\n20\t30\t20\n", "nor a car's signal .*: Time, Volts, Amps"),
        ("[chan1]\n19\n", "of no format we know .text. .export each row with its time"),
        ("\0\1\2\3garbage\0\7", "binary data. .export it as CSV, VBO or GPX in the program"),
    ],
)  # fmt: skip
def test_a_refusal_names_what_was_seen_and_what_lacks(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(RecordingError, match=told):
        read_whole(written(tmp_path, text))


def rows(line: str, count: int = 40) -> str:
    """Rows of a table, by an expression of `n` in braces."""
    return "".join(eval(f"f{line!r}", {"n": n}) + "\n" for n in range(count))


# Tables of no program in particular: text, start and time of day, the second row's time, a value of it.
TABLES: dict[str, tuple[str, float | None, float | None, float, tuple[str, float]]] = {
    "a list of laps above the rows": (
        "Lap,Lap Time,Max RPM,Speed\n1,1:30.1,7000,150\n2,1:29.0,7100,151\n\nTime (s),lat,lon,Speed (km/h)\n"
        + rows("{n / 10},{45 + n * 1e-5:.6f},7.1,36"), None, None, 0.1, ("speed_mps", 10.0)),
    "milliseconds that nothing names": (
        "clock,lat,lon,speed_kmh\n" + rows("{12000 + n * 100},{45 + n * 1e-5:.6f},7.1,36"),
        None, None, 0.1, ("speed_mps", 10.0)),
    "a clock without colons": (
        "UTC,Lat [°N],Lon [°E],SpeedKMH\n" + rows("{143055 + n + 40 * (n > 4)},{45 + n * 1e-4:.6f},7.1,36"),
        None, 52_255.0, 1.0, ("speed_mps", 10.0)),
    "a day and time run together": (
        "timestamp,lat,lon,speed_mps\n" + rows("2025051714{3000 + n}.5,{45 + n * 1e-4:.6f},7.1,10"),
        1_747_492_200.5, 52_200.5, 1.0, ("lon_deg", 7.1)),
    "a day in its head, beside that of the export": (
        "Exported,2026-01-01\nDate,2025-05-17\nTime,lat,lon,Speed\n"
        + rows("14:30:{n:02}.5,45,{7 + n * 1e-4},9"),
        1_747_492_200.5, 52_200.5, 1.0, ("lat_deg", 45.0)),
    "half past two, as a Spanish program writes it": (
        "Log Date,17/5/2025\nLog Time,2:30:00 p.\u202fm.\nTime,RPM,Gear\n# a remark\n"
        + rows("{n / 10},3000,2"),
        1_747_492_200.0, 52_200.0, 0.1, ("rpm", 3000.0)),
    "a pedal of three steps in parts of one": (
        "time,rpm,gas\n" + rows("{n / 10},3000,{n % 3 / 2}"), None, None, 0.1, ("throttle_pct", 50.0)),
    "bars, and minutes": (
        "Time (min)|nEngine|rThrottle|vCar (mph)\n" + rows("{n / 60:.9f}|{3000 + n}|20|{n}"),
        None, None, 1.0, ("wheel_speed_mps", 0.44704)),
    "blanks, and a speed that only km/h can be": (
        "time rpm nGear speed\n" + rows("{n / 10} 9000 7 {250 + n}"),
        None, None, 0.1, ("wheel_speed_mps", 251 / 3.6)),
    "a speed that the distance tells": (
        "time,rpm,lapdist,speed\n" + rows("{n * 2},9000,{n * 40},{44.7 + n / 1e3}"),
        None, None, 2.0, ("wheel_speed_mps", 44.701 * 0.44704)),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read_by_what_it_holds(tmp_path: Path, name: str) -> None:
    text, start_utc_s, time_of_day_s, second_s, (channel, value) = TABLES[name]
    recording = with_speed_unit(open_recording(written(tmp_path, text)))
    samples = list(recording.samples())
    assert (recording.info.start_utc_s, recording.info.time_of_day_s) == (start_utc_s, time_of_day_s)
    assert samples[1].t == pytest.approx(second_s)
    assert column(recording, samples, channel)[1] == pytest.approx(value)
