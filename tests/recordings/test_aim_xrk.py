"""AiM's binary logs through libxrk: laps as the logger timed them, and damage that costs the file alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from club import club_circuit
from hypothesis import given, settings
from hypothesis import strategies as st
from test_recordings_fuzz import EDIT, read_or_refused
from usable import read_whole
from xrk_writer import write_xrk

from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.sensors import CHANNELS, sense
from pitwall.simulator.trace import true_drive
from pitwall.store.queries import laps
from pitwall.store.store import Store
from pitwall.telemetry.recordings import RecordingError, open_recording, programs

RATE_HZ = 10


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, float]]:
    """Two laps as a log, plain and packed; and their true times."""
    folder, plan = tmp_path_factory.mktemp("aim"), SimulationPlan(laps=2, rate_hz=RATE_HZ)
    trace = true_drive(club_circuit(), plan)
    samples = list(sense(trace, plan))
    columns = {name: [sample.values[i] for sample in samples] for i, name in enumerate(CHANNELS)}
    ended = [(lap.start_t, lap.end_t) for lap in trace.truth.laps][:-1]
    for packed in (False, True):
        write_xrk(folder / f"stint.xr{'z' if packed else 'k'}", columns, RATE_HZ, ended, packed=packed)
    times = {lap.number: lap.time_s for lap in trace.truth.laps if lap.time_s is not None}
    return folder / "stint.xrk", times


def test_laps_are_those_of_the_logger(log: tuple[Path, dict[int, float]], home: Home) -> None:
    path, times = log
    recording, samples = read_whole(path)
    info = recording.info
    assert (info.format, info.driver, info.vehicle) == ("aim-xrk", "A. Driver", "M3")
    assert info.time_of_day_s == 36_000.0
    told = [after - before for before, after in pairwise(info.lap_marks_t)]
    assert told == pytest.approx(
        [times[number] for number in sorted(times)], abs=0.0011
    )  # whole milliseconds
    at = {channel.name: n for n, channel in enumerate(info.streams[0].channels)}
    assert max(sample.values[at["brake_bar"]] or 0.0 for sample in samples) > 20.0
    assert samples == read_whole(path.with_suffix(".xrz"))[1]
    with Store(home) as store:
        store.open()
        session = import_file(path, home, store).session
        found = {lap.number: lap.time_s for lap in laps(store, session) if lap.kind == "flying"}
    assert found == pytest.approx(times, abs=0.02)


def test_what_can_not_be_read_says_why(
    log: tuple[Path, dict[int, float]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = tmp_path / "short.xrk"
    short.write_bytes(log[0].read_bytes()[:3_000])
    with pytest.raises(RecordingError, match=r"names no lap and no track.*RaceStudio 3"):
        open_recording(short)
    short.write_bytes(log[0].read_bytes()[:40])
    with pytest.raises(RecordingError, match=r"can't be read|holds no samples"):
        open_recording(short)
    monkeypatch.setattr(programs, "WITHIN_S", 0.0)
    with pytest.raises(RecordingError, match="within 0 s"):
        open_recording(log[0])
    elsewhere = msgspec.structs.replace(programs.XRK, package="libxrk_that_is_not_here")
    monkeypatch.setattr(programs, "XRK", elsewhere)
    with pytest.raises(RecordingError, match=r"not installed.*pitwall\[aim\].*RaceStudio 3"):
        open_recording(log[0])


@pytest.mark.long
@settings(max_examples=25)
@given(edits=st.lists(EDIT, min_size=1, max_size=3))
def test_a_damaged_log_is_read_or_refused(
    tmp_path: Path, log: tuple[Path, dict[int, float]], edits: list[tuple[str, float, int]]
) -> None:
    read_or_refused(tmp_path / "damaged.xrk", log[0].read_bytes(), edits)
