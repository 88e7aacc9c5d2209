"""A session written for other programs has the same laps, read by ours and by theirs; a bundle is the session
itself."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import msgspec
import pytest
from club import club_circuit
from foreign_readers import READERS, lap_times

import pitwall
from pitwall.api.changes import apply, import_recording
from pitwall.api.exchange import PARQUETS, TEXTS, make_file, suffix_of
from pitwall.config import Home
from pitwall.contract.changes import MarkLaps, Rename, Tag
from pitwall.drive.reference import refuse_unknown_lap, stored_reference
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store import queries
from pitwall.store.edits import edit_of
from pitwall.store.errors import StoreError
from pitwall.store.export import write_shared_journal
from pitwall.store.store import Store
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.recordings.journal import write_journal
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.track.lap import Lap
from pitwall.track.near import NearTrack

Opened = Callable[[str], Store]
LAPS = 1


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("drive") / "club.vbo"
    simulate_to_file(club_circuit(), SimulationPlan(laps=LAPS, rate_hz=10.0), "vbo", path)
    return path


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Opens a home of this name, which knows the track where it is `mine`."""
    stores: list[Store] = []

    def made(name: str) -> Store:
        home = Home(tmp_path / name)
        home.prepare()
        if name == "mine":
            (home.track_data / "club.json").write_bytes(msgspec.json.encode(club_circuit()))
        stores.append(Store(home))
        stores[-1].open()
        return stores[-1]

    yield made
    for store in stores:
        store.close()


def timed(store: Store, session: str) -> list[Lap]:
    return [lap for lap in queries.laps(store, session) if lap.time_s is not None]


@pytest.mark.long
def test_every_format_read_again_has_the_same_laps(opened: Opened, drive: Path, tmp_path: Path) -> None:
    mine = opened("mine")
    session = import_recording(mine, drive).session
    laps = timed(mine, session)
    assert len(laps) == LAPS
    for form in TEXTS:
        path = make_file(mine, session, form).rename(tmp_path / f"{form}{suffix_of(form)}")
        if form in READERS:
            line = club_circuit().gate
            ends = (line.a_lat_deg, line.a_lon_deg), (line.b_lat_deg, line.b_lon_deg)
            seen = lap_times(READERS[form](path), *ends)
            assert seen == pytest.approx([lap.time_s for lap in laps], abs=0.001), form
        again = import_recording(mine, path).session
        found = timed(mine, again)
        assert [(lap.number, lap.kind) for lap in found] == [(lap.number, lap.kind) for lap in laps], form
        for lap, expected in zip(found, laps, strict=True):
            assert lap.time_s == pytest.approx(expected.time_s, abs=0.001), form
    page = (Path(pitwall.__file__).parent / "store" / "PARQUET.md").read_text()
    for form in PARQUETS:
        path = make_file(mine, session, form)
        file = duckdb.read_parquet(str(path))
        section = page.partition(f"\n## {form}\n")[2].partition("\n## ")[0]
        told = re.findall(r"^\| `(\w+)` \| (\S+) \|", section, re.MULTILINE)
        assert told == list(zip(file.columns, map(str, file.types), strict=True)), form
        assert {each for (each,) in file.project("session").distinct().fetchall()} == {session}
        if form == "parquet":
            sectors = file.filter("distance_m IS NOT NULL").aggregate("min(sector), max(sector)").fetchall()
            assert sectors == [(1, 3)]
        path.unlink()
    assert list(mine.home.handover.iterdir()) == []


@pytest.mark.long
def test_what_a_session_never_had_is_not_in_its_file(opened: Opened, drive: Path, tmp_path: Path) -> None:
    """A column of zeros would say that nobody ever braked."""
    mine = opened("mine")
    bare = make_file(mine, import_recording(mine, drive).session, "gpx").rename(tmp_path / "bare.gpx")
    session = import_recording(mine, bare).session
    for form in TEXTS:
        recording = open_recording(make_file(mine, session, form))
        names = [channel.name for stream in recording.info.streams for channel in stream.channels]
        known = {
            name
            for sample in recording.samples()
            for name, value in zip(names, sample.values, strict=True)
            if value is not None
        }
        assert not known & {"brake_bar", "throttle_pct", "rpm", "satellites"}, form
        assert known >= {"lat_deg", "lon_deg", "speed_mps"}, form


@pytest.mark.long
def test_a_bundle_is_the_session_with_its_track_and_what_was_said_of_it(
    opened: Opened, drive: Path, tmp_path: Path
) -> None:
    mine, other = opened("mine"), opened("other")
    session = import_recording(mine, drive).session
    apply(mine, Rename(session=session, name="club day"))
    apply(mine, Tag(session=session, add=("dry",)))
    apply(mine, MarkLaps(session=session, laps=(2,), mark="traffic"))
    path = make_file(mine, session, "bundle").rename(tmp_path / "friend.pitwall")
    taken = import_recording(other, path)
    row = queries.session(other, "club day")
    assert (row.id, row.track, row.tags) == (taken.session, "club", ("dry",))
    for lap, expected in zip(queries.laps(other, row.id), queries.laps(mine, session), strict=True):
        assert (lap.number, lap.kind, lap.reason) == (expected.number, expected.kind, expected.reason)
        assert lap.end_t == pytest.approx(expected.end_t, abs=1e-4)
    assert edit_of(other, row.id).marks == edit_of(mine, session).marks
    assert import_recording(other, path).known
    with pytest.raises(StoreError, match="is a whole session: pitwall import it"):
        refuse_unknown_lap(mine, str(path), {"club": club_circuit()})
    with pytest.raises(StoreError, match="not opened"):  # a recording names it, no person
        stored_reference(mine, "friend.pitlap", club_circuit(), given="another.pitlap")


def test_a_bundle_holds_no_place_far_from_the_track_and_no_name(tmp_path: Path) -> None:
    """Home lies 2 km from the track: the way there and back is not in the journal that goes over."""
    track = club_circuit()
    lat, lon, _ = track.centreline[0]
    stream = Stream(0, "gps", (Channel("lat_deg", "deg", ""), Channel("lon_deg", "deg", "")))
    other = Stream(1, "ecu", (Channel("rpm", "1/min", ""),))
    away_deg = [0.018, 0.018, 0.001, 0.001, 0.001, 0.018]
    samples: list[Sample] = []
    for t, away in enumerate(away_deg):
        samples += [Sample(0, float(t), (lat + away, lon)), Sample(1, t + 0.5, (1000.0 + t,))]
    info = RecordingInfo("x", "x", (stream, other), driver="Anna Bell", vehicle="WBS1234")
    with (tmp_path / "mine.pwj").open("wb") as file:
        write_journal(file, info, samples)
    for near, kept in ((NearTrack(track), samples[4:10]), (None, samples)):
        with (tmp_path / "shared.pwj").open("wb") as file:
            write_shared_journal(tmp_path / "mine.pwj", file, near)
        assert list(open_recording(tmp_path / "shared.pwj").samples()) == kept
        content = (tmp_path / "shared.pwj").read_bytes()
        assert not any(word in content for word in (b"Anna", b"WBS1234"))
        assert (struct.pack(">d", lat + 0.018) in content) == (near is None)


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (b"{", "can't be read"),
        (b'{"pitwall_bundle": 2, "session": "a", "edit": {"session": "a"}}', "is of a newer Pitwall"),
        (b'{"pitwall_bundle": 1, "session": "a", "edit": {"session": "a"}, "tracks": [{}]}', "can't be read"),
    ],
)
def test_a_bundle_that_is_not_ours_is_refused(
    opened: Opened, drive: Path, tmp_path: Path, told: bytes, what: str
) -> None:
    path = tmp_path / "bad.pitwall"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(drive, "journal.pwj")
        archive.writestr("bundle.json", told)
    other = opened("other")
    with pytest.raises(StoreError, match=what):
        import_recording(other, path)
    assert queries.sessions(other) == []
