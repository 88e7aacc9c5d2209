"""MoTeC's binary log: written here by the layout that is publicly known, and broken in every way."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_facts import opened
from usable import imported_laps, read_whole, two_laps

from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.store.queries import laps
from pitwall.telemetry.recordings import RecordingError

FIRST, SIZE, RATE_HZ = 13_384, 124, 10
# Name, unit, the signal of ours and its factor; bytes a sample, whether a float, divisor and decimals.
CHANNELS = (
    ("GPS Latitude", "deg", "lat_deg", 1.0, 4, False, 1, 7),
    ("GPS Longitude", "deg", "lon_deg", 1.0, 4, False, 1, 7),
    ("Ground Speed", "km/h", "speed_mps", 3.6, 2, False, 1, 2),
    ("Engine RPM", "rpm", "rpm", 1.0, 4, True, 1, 0),
    ("Brake Pressure Front", "bar", "brake_bar", 1.0, 2, False, 2, 1),
)


# An older dash: no receiver, its laps counted once a second and told when they are over.
DASH = (
    ("Ground Speed", "km/h", "speed", 1.0, 2, False, 1, 1),
    ("Brake Pres Front", "kPa", "brake", 1.0, 2, False, 1, 0),
    ("Lap Number", "", "lap", 1.0, 2, False, 1, 0),
    ("Lap Time", "s", "lap_time", 1.0, 2, False, 1, 2),
)


def motec(
    path: Path,
    columns: dict[str, Sequence[float | None]],
    marks_t: Sequence[float] = (),
    channels: Sequence[tuple[str, str, str, float, int, bool, int, int]] = CHANNELS,
) -> Path:
    """Write a log of these signals, ten samples a second, and its beacons."""
    count = len(next(iter(columns.values())))
    head = bytearray(FIRST)
    struct.pack_into("<I4xII", head, 0, 0x40, FIRST, FIRST + SIZE * len(channels))
    for at, text in ((94, "17/05/2025"), (126, "10:00:00"), (158, "A. Driver"), (222, "M3"), (350, "Sonoma")):
        head[at : at + len(text)] = text.encode()
    metas, data = b"", b""
    begins = FIRST + SIZE * len(channels)
    for n, (name, unit, signal, factor, size, is_float, divisor, decimals) in enumerate(channels):
        ahead = FIRST + SIZE * (n + 1) if n + 1 < len(channels) else 0
        before = FIRST + SIZE * (n - 1) if n else 0
        kind, code = (7, "<f") if is_float else (3, "<i" if size == 4 else "<h")
        metas += struct.pack(
            "<IIIIHHHHhhhh32s8s12s40x", before, ahead, begins + len(data), count, n, kind, size, RATE_HZ,
            0, 1, divisor, decimals, name.encode(), b"", unit.encode(),
        )  # fmt: skip
        for value in columns[signal]:
            raw = (value or 0.0) * factor * divisor * 10**decimals
            data += struct.pack(code, raw if is_float else round(raw))
    path.write_bytes(bytes(head) + metas + data)
    marks = "".join(f'<Marker Version="100" ClassName="BCN" Name="M" Time="{t * 1e6:e}"/>' for t in marks_t)
    path.with_suffix(".ldx").write_text(f"<LDXFile><MarkerGroup>{marks}</MarkerGroup></LDXFile>")
    return path


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two laps as a log."""
    driven = two_laps()
    ends = [end_t for _, end_t in driven.ended[-len(driven.times) :]]
    return motec(tmp_path_factory.mktemp("motec") / "stint.ld", driven.columns, ends)


@pytest.mark.long
def test_laps_are_those_of_its_beacons(log: Path, home: Home) -> None:
    times = two_laps().times
    recording, samples = read_whole(log)
    info = recording.info
    assert (info.format, info.venue, info.driver, info.vehicle) == ("motec-ld", "Sonoma", "A. Driver", "M3")
    assert info.time_of_day_s == 36_000.0
    beacons = [after - before for before, after in pairwise(info.lap_marks_t)]
    assert beacons == pytest.approx([times[2]], abs=0.001)
    channels = [channel.name for channel in info.streams[0].channels]
    assert channels == ["lat_deg", "lon_deg", "speed_mps", "rpm", "brake_bar"]
    assert max(sample.values[4] or 0.0 for sample in samples) > 20.0
    assert imported_laps(log, home) == pytest.approx(times, abs=0.02)


@given(
    edits=st.lists(
        st.tuples(st.integers(0, FIRST + SIZE * len(CHANNELS) + 200), st.binary(min_size=1, max_size=8)),
        min_size=1,
        max_size=6,
    ),
    cut=st.floats(0.0, 1.0),
)
def test_a_broken_file_is_refused_or_usable(
    log: Path, tmp_path: Path, edits: list[tuple[int, bytes]], cut: float
) -> None:
    data = bytearray(log.read_bytes()[: FIRST + SIZE * len(CHANNELS) + 4_000])
    for at, piece in edits:
        data[at : at + len(piece)] = piece
    path = tmp_path / "broken.ld"
    path.write_bytes(bytes(data[: max(12, int(len(data) * (1.0 - cut * cut)))]))
    try:
        read_whole(path)
    except RecordingError as error:
        refused = error
    else:
        return
    assert str(path) in str(refused)


def test_laps_that_the_logger_timed_without_gps(tmp_path: Path, home: Home) -> None:
    """The counter comes once a second; the lap time that it tells with it is exact."""
    lap_s = [65.15, 63.68, 63.68, 65.18]
    ends = [82.4, *(82.4 + sum(lap_s[1 : n + 1]) for n in range(1, 4))]
    rows = range(int((ends[-1] + 20.0) * RATE_HZ))
    over = [sum(end_t <= row // RATE_HZ for end_t in ends) for row in rows]
    columns: dict[str, Sequence[float | None]] = {
        "speed": [150.0 + row % 40 for row in rows],
        "brake": [4_000.0 * (row % 100 < 20) for row in rows],
        "lap": over,
        "lap_time": [lap_s[n - 1] if n else 0.0 for n in over],
    }
    path = motec(tmp_path / "dash.ld", columns, channels=DASH)
    path.with_suffix(".ldx").unlink()
    with opened(home) as store:
        session = import_file(path, home, store).session
        found = laps(store, session)
    assert [lap.kind for lap in found] == ["out", "flying", "flying", "flying", "flying", "in"]
    assert [lap.time_s for lap in found[1:-1]] == pytest.approx(lap_s, abs=0.001)
