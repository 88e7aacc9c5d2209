"""CSV with one reading a row, and CAN frames as other programs write them on a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.detect import open_recording
from pitwall.telemetry.sources.can import log_decoders

SCANNER = """"SECONDS";"PID";"VALUE";"UNITS";"LATITUDE";"LONGTITUDE";
"41400.0";"Engine RPM";"3000";"rpm";"-30.1";"21.2";
"41400.3";"Speed (GPS)";"72";"km/h";"-30.1";"21.201";
"41400.6";"Throttle position";"44.7";"%";"-30.1";"21.202";
"""
TRD = """telemetry_name,telemetry_value,timestamp,vehicle_id
VBOX_Lat_Min,33.5,2025-09-04T18:41:18.100Z,{0}
VBOX_Long_Minutes,-86.6,2025-09-04T18:41:18.100Z,{0}
speed,72.0,2025-09-04T18:41:18.100Z,{0}
pbrake_f,2.5,2025-09-04T18:41:18.200Z,{1}
"""


def read(path: Path, text: str) -> tuple[dict[str, list[tuple[float, float]]], object]:
    path.write_text(text)
    recording = open_recording(path)
    channels = {stream.id: stream.channels for stream in recording.info.streams}
    found: dict[str, list[tuple[float, float]]] = {}
    for sample in recording.samples():
        for channel, value in zip(channels[sample.stream], sample.values, strict=True):
            if value is not None:
                found.setdefault(channel.name, []).append((sample.t, pytest.approx(value)))
    return found, recording.info


def test_each_name_is_a_signal_of_its_own(tmp_path: Path) -> None:
    found, info = read(tmp_path / "2026-05-16 11-30-00.csv", SCANNER)
    assert found["rpm"] == [(0.0, 3000.0)]
    assert found["speed_mps"] == [(0.3, 20.0)]
    assert found["throttle_pct"] == [(0.6, 44.7)]
    assert found["lon_deg"] == [(0.0, 21.2), (0.3, 21.201), (0.6, 21.202)]
    assert info.time_of_day_s == 41_400.0


def test_a_position_of_two_rows_is_one_and_two_cars_are_refused(tmp_path: Path) -> None:
    found, _ = read(tmp_path / "race.csv", TRD.format("7", "7"))
    assert (found["lat_deg"], found["lon_deg"]) == ([(0.0, 33.5)], [(0.0, -86.6)])
    assert (found["speed_mps"], found["brake_bar"]) == ([(0.0, 20.0)], [(0.1, 2.5)])
    with pytest.raises(RecordingError, match=r"holds 2 cars \(7, 8\).*one car"):
        read(tmp_path / "race.csv", TRD.format("7", "8"))


DBC = 'VERSION ""\nBU_: X\nBO_ 160 ENGINE: 8 X\n SG_ EngineSpeed : 7|16@0+ (0.25,0) [0|16383] "rpm" X\n'
FRAMES = {
    "SavvyCAN": (
        "Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2\n"
        "1000000,000000A0,false,Rx,0,8,2E,E0,00,00,00,00,00,00,\n1100000,000000A0,false,Rx,0,8,2F,44,00,00,00,00,00,00,\n"
    ),
    "python-can": (
        "timestamp,arbitration_id,extended,remote,error,dlc,data\n"
        "17.0,0xa0,0,0,0,8,LuAAAAAAAAA=\n17.1,0xa0,0,0,0,8,L0QAAAAAAAA=\n"
    ),
    "bytes in cells, the id decimal": (
        "Timestamp,CAN_ID,DLC,data1,data2,data3,data4,data5,data6,data7,data8,Label\n"
        "1749462091.0,160,8,46,224,0,0,0,0,0,0,Normal\n1749462091.1,160,8,47,68,0,0,0,0,0,0,Normal\n"
    ),
    "openpilot": "time,addr,bus,data\n17.0,0xa0,0,0x2ee0000000000000\n17.1,0xa0,0,0x2f44000000000000\n",
    "CANedge": (
        "TimestampEpoch;BusChannel;ID;IDE;DLC;DataLength;Dir;EDL;BRS;DataBytes\n"
        "1749462091.0;1;A0;0;8;2;0;0;0;2EE0000000000000\n1749462091.1;1;A0;0;8;2;0;0;0;2F44000000000000\n"
    ),
    "CRTD": "17.0 1R11 0A0 2E E0 00 00 00 00 00 00\n17.1 1R11 0A0 2F 44 00 00 00 00 00 00\n",
    "BUSMASTER": (
        "***BUSMASTER Ver 3.2.2***\n***HEX***\n"
        "11:30:0:0000 Rx 1 0x0A0 s 8 2E E0 00 00 00 00 00 00\n"
        "11:30:0:1000 Rx 1 0x0A0 s 8 2F 44 00 00 00 00 00 00\n"
    ),
}


@pytest.mark.parametrize("program", FRAMES)
def test_frames_are_read_from_a_line_of_any_program(program: str, tmp_path: Path) -> None:
    (tmp_path / "car.dbc").write_text(DBC)
    log = tmp_path / "frames.txt"
    log.write_text(FRAMES[program])
    recording = open_recording(log, lambda: log_decoders(log, str(tmp_path / "car.dbc"), None, {}))
    assert [(sample.t, sample.values) for sample in recording.samples()] == [
        (0.0, (3000.0,)), (pytest.approx(0.1), (3025.0,)),
    ]  # fmt: skip
    assert ["--mapping auto" in each.detail for each in recording.findings()] == [True]
