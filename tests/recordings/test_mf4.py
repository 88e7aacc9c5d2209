"""MF4 written by asammdf itself, in a process of its own as the reader has one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_recordings_fuzz import EDIT, read_or_refused
from usable import read_whole

from pitwall.telemetry.recordings import Recording, RecordingError, open_recording, programs
from pitwall.telemetry.sample import Sample

BEGUN_S = 1_720_958_400
WRITER = """
import sys
from datetime import UTC, datetime
import numpy as np
from asammdf import MDF, Signal
def written(name, groups, compression=0):
    log = MDF(version="4.10")
    log.header.start_time = datetime.fromtimestamp(1_720_958_400, UTC)
    for group in groups:
        log.append(group)
    log.save(f"{sys.argv[1]}/{name}.mf4", compression=compression)
t = np.arange(5.0, 15.0, 0.1)
place = [Signal(51 + t * 1e-4, t, name="GPS.Latitude", unit="deg"),
         Signal(np.full(len(t), 4.5), t, name="GPS.Longitude", unit="deg"),
         Signal(t * 7.2, t, name="VehicleSpeed", unit="km/h")]
fine = np.arange(5.0, 15.0, 0.02)
engine = [Signal((3000 + fine * 10).astype("uint16"), fine, name="EngineSpeed", unit="rpm"),
          Signal(np.array([b"P"] * len(fine), dtype="S1"), fine, name="Mode", encoding="utf-8")]
some = {"lower_0": 0, "upper_0": 0, "text_0": "N", "lower_1": 3, "upper_1": 3, "text_1": "not available"}
all_of = {"val_0": 0, "text_0": "N", "val_1": 1, "text_1": "low", "val_2": 2, "text_2": "SNA"}
named = [Signal(np.arange(len(t), dtype="uint8") % 4, t, name="CAR.Gear",
                conversion={**some, "default_addr": {"a": 2, "b": 1}}),
         Signal(np.arange(len(t), dtype="uint8") % 3, t, name="CAR.Brake_Pressure", unit="bar",
                conversion=all_of)]
written("log", [place, engine])
written("named", [place, named])
written("packed", [place, engine], compression=2)
written("frames", [[Signal(np.arange(10), np.arange(10.0), name="CAN_DataFrame.ID")]])
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log, the same packed, and one of frames alone."""
    folder = tmp_path_factory.mktemp("mf4")
    subprocess.run([sys.executable, "-c", WRITER, str(folder)], check=True, timeout=300)
    return folder


def by_name(recording: Recording, samples: list[Sample]) -> dict[str, list[float | None]]:
    return {
        channel.name: [sample.values[at] for sample in samples if sample.stream == stream.id]
        for stream in recording.info.streams
        for at, channel in enumerate(stream.channels)
    }


def test_a_value_with_a_name_is_the_value_and_no_hole_but_where_the_name_says_so(logs: Path) -> None:
    """asammdf gives NaN for neutral where the other gears have no name."""
    read = by_name(*read_whole(logs / "named.mf4"))
    assert read["gear"][:5] == [1.0, 3.0, 5.0, None, 1.0]
    assert read["brake_bar"][:4] == [0.0, 1.0, None, 0.0]


def test_signals_are_read_by_their_names_and_units(logs: Path) -> None:
    recording, samples = read_whole(logs / "log.mf4")
    info = recording.info
    assert (info.format, info.start_utc_s) == ("mf4", BEGUN_S + 5.0)
    read = by_name(recording, samples)
    assert read["lat_deg"][:2] == pytest.approx([51.0005, 51.00051])
    assert read["lon_deg"][0] == 4.5
    assert read["wheel_speed_mps"][-1] == pytest.approx(14.9 * 2)
    assert (len(read["rpm"]), read["rpm"][0]) == (500, 3050.0)
    assert samples[-1].t == pytest.approx(9.98)
    assert read_whole(logs / "packed.mf4")[1] == samples


def test_what_is_not_read_says_what_to_do(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RecordingError, match=r"frames of a bus and no signals.*frames to ASC"):
        open_recording(logs / "frames.mf4")
    elsewhere = msgspec.structs.replace(programs.MF4, package="asammdf_that_is_not_here")
    monkeypatch.setattr(programs, "MF4", elsewhere)
    with pytest.raises(RecordingError, match=r"not installed.*pitwall\[formats\]"):
        open_recording(logs / "log.mf4")


@pytest.mark.long
@settings(max_examples=15)
@given(edits=st.lists(EDIT, min_size=1, max_size=3))
def test_a_damaged_log_is_read_or_refused(
    tmp_path: Path, logs: Path, edits: list[tuple[str, float, int]]
) -> None:
    read_or_refused(tmp_path / "damaged.mf4", (logs / "log.mf4").read_bytes(), edits)
