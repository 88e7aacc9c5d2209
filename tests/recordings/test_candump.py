"""Logs of CAN frames with their DBC: every form that candump writes, found DBCs, and damage."""

from __future__ import annotations

import gzip
import re
import sys
import zipfile
from datetime import UTC, datetime
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import msgspec
import pytest
from club import club_circuit
from usable import kinds, read_whole

from pitwall.config import CanNames, Home
from pitwall.drive.prepare import locate, opened
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store import queries
from pitwall.store.store import Store
from pitwall.telemetry.recordings import RecordingError
from pitwall.telemetry.sources.can import SHIPPED, decoders_of, named_dbc
from pitwall.telemetry.sources.can_decode import Decoders

sys.path.insert(0, str(Path(__file__).parent.parent / "sources"))
from can_frames import GENESIS_MAPPING, FrameTriple, encode_recording_to_frames

BEGUN_S = 1_600_000_000.0
DEMO = Path(__file__).resolve().parents[2] / "scripts" / "data" / "sonoma-simulated.vbo"
AIM = CanNames("aim-mxp")


@cache
def aim_decoders() -> Decoders:
    return decoders_of(named_dbc("", {"dbc": "aim-mxp"}))


@cache
def frames() -> list[FrameTriple]:
    """The beginning of the demo as the frames of the dash's stream."""
    return list(islice(encode_recording_to_frames(DEMO), 4000))


def logged(frames: list[FrameTriple]) -> str:
    return "".join(f"({BEGUN_S + t:.6f}) can0 {key:03X}#{data.hex().upper()}\n" for t, key, data in frames)


def screen(frames: list[FrameTriple], stamps: list[str]) -> str:
    return "".join(
        f" ({stamp})  can0  {key:03X}   [{len(data)}]  {data.hex(' ').upper()}\n"
        for stamp, (_, key, data) in zip(stamps, frames, strict=True)
    )


@pytest.mark.long
def test_laps_from_a_log_are_those_of_the_recording_that_was_encoded(tmp_path: Path) -> None:
    vbo, log = tmp_path / "drive.vbo", tmp_path / "drive.log.gz"
    simulate_to_file(club_circuit(), SimulationPlan(laps=2), "vbo", vbo)
    log.write_bytes(gzip.compress(logged(list(encode_recording_to_frames(vbo))).encode()))
    home = Home(tmp_path / "home", can=AIM)
    home.prepare()
    (home.track_data / "club.json").write_bytes(msgspec.json.encode(club_circuit()))
    with Store(home) as store:
        store.open()
        ids = [import_file(path, home, store).session for path in (vbo, log)]
        expected, found = ([lap.time_s for lap in queries.laps(store, each) if lap.time_s] for each in ids)
        again = import_file(log, Home(home.root), store)
        anew = import_file(log, home, store)
    assert len(expected) >= 2
    assert found == pytest.approx(expected, abs=0.02)  # the DBC's degrees have seven digits, the VBO's more
    assert (again.known, again.session, anew.known, anew.session) == (True, ids[1], False, ids[1])


def test_every_form_of_a_log_gives_the_same_samples(tmp_path: Path) -> None:
    times = [t for t, _, _ in frames()]
    days = [f"{datetime.fromtimestamp(BEGUN_S + t, UTC):%Y-%m-%d %H:%M:%S.%f}" for t in times]
    steps = [0.0, *(later - sooner for sooner, later in pairwise(times))]
    forms = {
        "l": logged(frames()),
        "ta": screen(frames(), [f"{BEGUN_S + t:.6f}" for t in times]),
        "tA": screen(frames(), days),
        "tz": screen(frames(), [f"{t:010.6f}" for t in times]),
        "td": screen(frames(), [f"{step:010.6f}" for step in steps]),
        "x": logged(frames()).replace("\n", " R\n"),
    }
    read = {}
    for form, text in forms.items():
        path = tmp_path / f"{form}.log"
        path.write_text("\n" + text if form == "l" else text)
        recording, samples = read_whole(path, aim_decoders)
        assert recording.info.start_utc_s == (None if form in ("tz", "td") else BEGUN_S + times[0]), form
        read[form] = samples
    assert len(read["l"]) == len(frames())
    for form, samples in read.items():
        assert [each.t for each in samples] == pytest.approx([each.t for each in read["l"]], abs=2e-3), form
        assert [each.values for each in samples] == [each.values for each in read["l"]], form


def test_a_dbc_is_found_beside_the_log_in_its_archive_and_in_the_settings(tmp_path: Path) -> None:
    text = logged(frames()[:300])
    places = {name: tmp_path / name for name in ("bare", "beside", "packed")}
    for place in places.values():
        place.mkdir()
        (place / "drive.log").write_text(text)
    for suffix in (".dbc", ".toml"):
        (places["beside"] / f"drive{suffix}").write_bytes((SHIPPED / f"aim-mxp{suffix}").read_bytes())
    archive = tmp_path / "drive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for each in (places["bare"] / "drive.log", SHIPPED / "aim-mxp.dbc", SHIPPED / "aim-mxp.toml"):
            file.write(each, each.name)
    by_settings = CanNames(sources=(("can:socketcan/can0", {"dbc": "aim-mxp"}),))
    bare = places["bare"] / "drive.log"
    found = [
        list(opened(path, Home(tmp_path, can=can)).samples())
        for path, can in (
            (bare, AIM),
            (places["beside"] / "drive.log", CanNames()),
            (archive, CanNames()),
            (bare, by_settings),
        )
    ]
    assert found[0]
    assert all(each == found[0] for each in found)


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    log = tmp_path / "drive.log"
    log.write_text(logged(frames()[:50]))
    other = tmp_path / "other.dbc"
    other.write_text('VERSION ""\nBO_ 17 ONE: 8 X\n SG_ A : 0|8@1+ (1,0) [0|255] "" X\n')
    for dbc, what in (
        (None, "no DBC says what they mean"),
        ("aim-mpx", "no file aim-mpx; give its path, or a shipped one: aim-mxp"),
        (str(other), r"none of its \d+ ids .* is in the DBC"),
        (str(log), "is no DBC that can be used"),
    ):
        with pytest.raises(RecordingError, match=what):
            opened(log, Home(tmp_path, can=CanNames(dbc)))


def test_frames_that_are_none_cost_only_themselves(tmp_path: Path) -> None:
    few = frames()[:200]
    log, home = tmp_path / "drive.log", Home(tmp_path, can=AIM)
    log.write_text(logged(few))
    clean = list(opened(log, home).samples())
    first = f"{few[0][1]:03X}"
    extra = (
        f"(1600000000.000000) can0 {first}#R8\n"  # remote
        f"(1600000000.000000) can0 20000080#0000000000000000\n"  # an error of the bus
        f"(1600000000.000000) can1 {first}#FFFFFFFFFFFFFFFF\n"  # another bus
        f"(1600000000.000000) can0 {first}#00\n"  # too short
        "(1600000000.000000) can0 7AA#0011\nnoise\n"
    )
    lines = logged(few).splitlines(keepends=True)
    log.write_text("".join([*lines[:1], extra, *lines[1:]]))
    recording = opened(log, home)
    assert list(recording.samples()) == clean
    assert kinds(recording)["malformed_row"] == 3
    assert "7AA" in next(each.detail for each in recording.findings() if each.kind == "blank_channel")


@pytest.mark.recordings
def test_a_real_cars_log_is_read_by_its_own_dbc(recordings: Path) -> None:
    files = named_dbc("", {"dbc": str(recordings / "genesis.dbc"), "mapping": str(GENESIS_MAPPING)})
    recording, samples = read_whole(recordings / "genesis-candump.log", lambda: decoders_of(files))
    read = {
        channel.name: [each.values[column] for each in samples if each.stream == stream.id]
        for stream in recording.info.streams
        for column, channel in enumerate(stream.channels)
    }
    assert max(each or 0.0 for each in read["wheel_speed_mps"]) == pytest.approx(64 / 3.6, abs=0.3)
    # He stands with his foot on the brake, drives off, and brakes again; on the gas never.
    assert read["brake_pct"][0] == read["brake_pct"][-1] == 100.0
    both = zip(read["brake_pct"], read["throttle_pct"], strict=True)
    assert not [1 for brake, gas in both if brake == 100.0 and (gas or 0.0) > 20.0]
    assert recording.info.start_utc_s == pytest.approx(1598827794.745895)


NO_VALUES = """VERSION ""
BU_: ECU
BO_ 256 ENG: 8 ECU
 SG_ VehicleSpeed : 0|16@1+ (0.00390625,0) [0|250] "km/h" ECU
 SG_ ThrottlePosition : 16|8@1+ (0.4,0) [0|100] "%" ECU
 SG_ Gear : 24|8@1+ (1,0) [0|8] "" ECU
 SG_ BrakePressure : 32|8@1+ (1,0) [0|10] "bar" ECU
 SG_ Lamp : 40|2@1+ (1,0) [0|3] "" ECU
VAL_ 256 Gear 0 "N" 1 "First" 15 "SNA" 255 "Not available" ;
VAL_ 256 VehicleSpeed 65535 "Not available" 65534 "Error";
VAL_ 256 Lamp 0 "No fault" 1 "Fault";
"""
NO_VALUE_ROWS = ["0050FA0364010000"] * 300 + ["FFFFFFFF64010000"] * 40 + ["FEFFFA0F64000000"] * 10


def test_named_codes_and_what_leaves_the_range_are_no_readings(tmp_path: Path) -> None:
    dbc, log = tmp_path / "drive.dbc", tmp_path / "drive.log"
    dbc.write_text(NO_VALUES)
    rows = (f"({BEGUN_S + i / 50:.3f}) can0 100#{data}\n" for i, data in enumerate(NO_VALUE_ROWS))
    log.write_text("".join(rows))
    recording = opened(log, Home(tmp_path, can=CanNames(str(dbc), "auto")))
    samples = list(recording.samples())
    names = [channel.name for channel in recording.info.streams[0].channels]
    assert names == ["wheel_speed_mps", "throttle_pct", "gear", "brake_bar", "lamp"]
    read = [[sample.values[i] for sample in samples] for i in range(len(names))]
    assert read[0] == [pytest.approx(80.0 / 3.6)] * 300 + [None] * 50
    assert read[1] == [pytest.approx(100.0)] * 300 + [None] * 40 + [pytest.approx(100.0)] * 10
    assert read[2] == [3.0] * 300 + [None] * 50
    # Every pressure leaves the range that somebody wrote: the range is wrong. A lamp has states.
    assert read[3] == [None] * 100 + [100.0] * 250
    assert read[4] == [1.0] * 340 + [0.0] * 10
    told = {(f.kind, f.signal): f.count for f in recording.findings()}
    assert told[("sentinel", "wheel_speed_mps")] == 50
    assert told[("out_of_range", "throttle_pct")] == 40
    assert told[("out_of_range", "brake_bar")] == 350
    assert list(recording.samples()) == samples


def test_a_j1939_message_is_known_by_its_group_whoever_sends_it(tmp_path: Path) -> None:
    dbc, log = tmp_path / "truck.dbc", tmp_path / "truck.log"
    dbc.write_text(
        'VERSION ""\nBU_: X\n'
        'BO_ 2566844926 CCVS1: 8 X\n SG_ WheelBasedVehicleSpeed : 8|16@1+ (0.00390625,0) [0|0] "km/h" X\n'
        'BO_ 2364540158 EEC1: 8 X\n SG_ EngineSpeed : 24|16@1+ (0.125,0) [0|8031.875] "rpm" X\n'
        'BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";\n'
        'BA_DEF_DEF_ "VFrameFormat" "J1939PG";\n'
        'BA_ "VFrameFormat" BO_ 2566844926 3;\nBA_ "VFrameFormat" BO_ 2364540158 3;\n'
    )
    speeds = ["FF0050FFFFFFFFFF", "FFFFFFFFFFFFFFFF"]
    log.write_text(
        "".join(f"({BEGUN_S + i:.3f}) can0 18FEF100#{data}\n" for i, data in enumerate(speeds))
        + f"({BEGUN_S + 2:.3f}) can0 0CF00400#FFFFFF401FFFFFFF\n"
        # Another sender of the group: its readings would mix with those of the first.
        + f"({BEGUN_S + 3:.3f}) can0 18FEF121#FF0010FFFFFFFFFF\n"
    )
    recording = opened(log, Home(tmp_path, can=CanNames(str(dbc), "auto")))
    read = {recording.info.streams[s.stream].channels[0].name: [] for s in recording.samples()}
    for sample in recording.samples():
        read[recording.info.streams[sample.stream].channels[0].name].append(sample.values[0])
    # FFFF is "not available" in every J1939 signal (SAE J1939-71), whatever the DBC says.
    assert read == {"wheel_based_vehicle_speed": [80.0, None], "rpm": [1000.0]}
    assert any("1 frames of 1 ids" in f.detail for f in recording.findings())


def test_a_log_whose_dbc_maps_nothing_is_told_what_would(tmp_path: Path, home: Home) -> None:
    dbc, log = tmp_path / "drive.dbc", tmp_path / "drive.log"
    dbc.write_text(NO_VALUES)
    log.write_text(f"({BEGUN_S:.3f}) can0 100#{NO_VALUE_ROWS[0]}\n")
    [note] = [note for note in locate(log, home).notes if "--mapping" in note]
    assert "--mapping auto" in note
    assert "VehicleSpeed (wheel_speed_mps)" in note
    dbc.write_text(re.sub(r"(SG_|VAL_ 256) (\w)", r"\1 X\2", NO_VALUES))
    [note] = [note for note in locate(log, home).notes if "--mapping" in note]
    assert "[signals.XVehicleSpeed]" in note
