"""AiM's binary logs through libxrk: laps as the logger timed them, and damage that costs the file alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from usable import imported_laps, read_whole, two_laps
from xrk_writer import write_xrk

from pitwall.config import Home
from pitwall.telemetry.recordings import RecordingError, aim_xrk, open_recording


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two laps as a log, and packed beside it."""
    folder, driven = tmp_path_factory.mktemp("aim"), two_laps()
    for name, packed in (("stint.xrz", True), ("stint.xrk", False)):
        write_xrk(folder / name, driven.columns, 10, driven.ended, packed=packed)
    return folder / "stint.xrk"


def test_laps_are_those_of_the_logger(log: Path, home: Home) -> None:
    times = two_laps().times
    recording, samples = read_whole(log)
    info = recording.info
    assert (info.format, info.driver, info.vehicle) == ("aim-xrk", "A. Driver", "M3")
    assert info.time_of_day_s == 36_000.0
    told = [after - before for before, after in pairwise(info.lap_marks_t)]
    assert told == pytest.approx(
        [times[number] for number in sorted(times)], abs=0.0011
    )  # whole milliseconds
    at = {channel.name: n for n, channel in enumerate(info.streams[0].channels)}
    assert max(sample.values[at["brake_bar"]] or 0.0 for sample in samples) > 20.0
    assert samples == read_whole(log.with_suffix(".xrz"))[1]
    assert imported_laps(log, home) == pytest.approx(times, abs=0.02)


def test_what_can_not_be_read_says_why(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = tmp_path / "short.xrk"
    short.write_bytes(log.read_bytes()[:3_000])
    with pytest.raises(RecordingError, match=r"names no lap and no track.*RaceStudio 3"):
        open_recording(short)
    short.write_bytes(log.read_bytes()[:40])
    with pytest.raises(RecordingError, match=r"can't be read|holds no samples"):
        open_recording(short)
    monkeypatch.setattr(aim_xrk, "WITHIN_S", 0.0)
    with pytest.raises(RecordingError, match="within 0 s"):
        open_recording(log)
    monkeypatch.setattr(aim_xrk, "PACKAGE", "libxrk_that_is_not_here")
    with pytest.raises(RecordingError, match=r"not installed.*pitwall\[aim\].*RaceStudio 3"):
        open_recording(log)
