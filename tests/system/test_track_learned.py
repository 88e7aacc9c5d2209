"""What drives teach about a track: another layout, the driven line; and what people wrote is kept."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pitwall.api.changes import import_recording, match_sessions
from pitwall.cli import main
from pitwall.config import Home
from pitwall.drive.learning import laps_wanted, layout_of, learn_track, refined, start_doubt, stored_gate
from pitwall.drive.prepare import known_tracks, world_circuits
from pitwall.drive.replay import Imported
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store import queries
from pitwall.store.queries import rows
from pitwall.store.store import Store
from pitwall.telemetry.recordings import open_recording
from pitwall.track.build_report import write_track
from pitwall.track.circuits import is_drawn
from pitwall.track.edit import start_elsewhere, with_corner_names, with_sectors, with_start
from pitwall.track.lap import Lap
from pitwall.track.line import Centreline
from pitwall.track.model import Track
from pitwall.track.venue import places_of

KART, CUP = "orlando_kart_center_2", "sonoma_raceway_sonoma_cup"
START_M = 60.0


def drawn(circuit: str) -> Track:
    circuits = world_circuits()
    found = circuits.get(circuit)
    assert found is not None
    return circuits.track(found)


def all_rows(store: Store) -> list[list[tuple[Any, ...]]]:
    tables = ("frames", "laps", "corner_passes", "signals")
    session = "SELECT track, lat_deg, lon_deg, place_stamp, samples, last_seq, shed_rows, notes FROM sessions"
    found = [rows(store, f"SELECT * FROM {table} ORDER BY ALL", []) for table in tables]
    return [*found, rows(store, session, [])]


@pytest.fixture(scope="module")
def drives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Drives of three and two laps on a kart track and on a layout beside the shipped track."""
    folder = tmp_path_factory.mktemp("drives")
    for circuit, laps in ((KART, 3), (CUP, 2)):
        simulate_to_file(
            drawn(circuit), SimulationPlan(laps=laps, rate_hz=10.0), "vbo", folder / f"{circuit}.vbo"
        )
    return {circuit: folder / f"{circuit}.vbo" for circuit in (KART, CUP)}


@pytest.mark.long
def test_the_line_is_the_driven_one_and_what_was_written_is_kept(home: Home, drives: dict[str, Path]) -> None:
    before = with_start(with_sectors(drawn(KART), [400.0]), START_M)
    before = with_corner_names(before, {before.corners[2].id: "The Hook"})
    write_track(before, home.track_data / f"{KART}.json")
    with Store(home) as store:
        store.open()
        imported = import_recording(store, drives[KART])
        assert any("is known as driven now" in note for note in imported.notes)
        times = [lap.time_s for lap in queries.laps(store, imported.session) if lap.kind == "flying"]
        assert len(times) >= 2
        row = queries.session(store, imported.session)
        assert row.track == KART
        # It was fused once and stored once, and its rows are those that a rebuild makes of its journal.
        stored = all_rows(store)
        match_sessions(store, [imported.session])
        assert all_rows(store) == stored
        made = known_tracks(home)[0][KART]
        assert not is_drawn(made)
        assert made.length_m == pytest.approx(before.length_m, rel=0.01)
        assert min(made.speed_mps) > 5.0
        assert any(corner.brake_m is not None for corner in made.corners)
        assert "The Hook" in {corner.name for corner in made.corners}
        assert made.sectors_m == (pytest.approx(400.0 - START_M, abs=3.0),)
        assert abs(made.gate.a_lat_deg - before.gate.a_lat_deg) < 1e-4


def with_splits(path: Path, track: Track, places_m: tuple[float, float]) -> Path:
    """The same VBO with two splits: one across the road, one as two points along it."""
    line = Centreline.of(track)
    (x_m, y_m), (c_m, d_m) = map(line.point_at, places_m)
    turned = math.radians(line.heading_deg[line.segment_at(places_m[0])])
    east, north = 8.0 * math.cos(turned), -8.0 * math.sin(turned)
    ends = [
        ((x_m - east, y_m - north), (x_m + east, y_m + north)),
        ((c_m, d_m), line.point_at(places_m[1] + 5.0)),
    ]
    told = ""
    for number, points in enumerate(ends, 1):
        minutes = [
            (-lon * 60.0, lat * 60.0) for lat, lon in (line.projection.lat_lon(*each) for each in points)
        ]
        told += f"Split {number}  " + " ".join(f"{lon:+.6f} {lat:+.6f}" for lon, lat in minutes) + " ¬ S\r\n"
    made = path.with_name("splits.vbo")
    made.write_text(path.read_text().replace("Start / Finish\n", f"Start / Finish\n{told}", 1))
    return made


@pytest.mark.long
def test_sectors_of_a_recording_are_the_tracks_where_nobody_wrote_any(
    home: Home, drives: dict[str, Path]
) -> None:
    track = drawn(KART)
    path = with_splits(drives[KART], track, (300.0, 700.0))
    with Store(home) as store:
        store.open()
        notes = import_recording(store, path).notes
        [told] = [note for note in notes if "sectors" in note]
        made = known_tracks(home)[0][KART]
        assert "the recording's now" in told
        assert made.sectors_m == pytest.approx((300.0, 700.0), abs=8.0)  # the driven line is a little shorter
        [row] = queries.sessions(store)
        assert all(len(lap.sectors_s) == 3 for lap in queries.laps(store, row.id) if lap.kind == "flying")
        write_track(with_sectors(made, [500.0]), home.track_data / f"{KART}.json")
        again = learn_track(home, store, row.id)
        assert any("pitwall track edit" in note and "--sectors" in note for note in again)
        assert known_tracks(home)[0][KART].sectors_m == (500.0,)


@pytest.mark.long
def test_a_longer_drive_refines_the_line_again_and_no_corner_gets_another_ones_name(
    home: Home, drives: dict[str, Path], tmp_path: Path
) -> None:
    longer = tmp_path / "longer.vbo"
    simulate_to_file(drawn(KART), SimulationPlan(laps=6, rate_hz=10.0, seed=7), "vbo", longer)
    with Store(home) as store:
        store.open()
        import_recording(store, drives[KART])
        first = known_tracks(home)[0][KART]
        scripted = msgspec.structs.replace(first, corners=first.corners[1:])  # as if one had been missed
        write_track(scripted, home.track_data / f"{KART}.json")
        assert not any("as driven now" in note for note in import_recording(store, drives[KART]).notes)
        notes = import_recording(store, longer).notes
    made = known_tracks(home)[0][KART]
    assert any("as driven now" in note for note in notes)
    assert made.centreline != first.centreline
    assert laps_wanted(made) == 2 * laps_wanted(first) == 12
    places = {corner.id: corner.apex_m for corner in made.corners}
    for corner in scripted.corners:
        assert places[corner.id] == pytest.approx(corner.apex_m, abs=40.0)
    kept = refined(drawn(KART), open_recording(longer))
    before = {corner.id: corner.apex_m for corner in drawn(KART).corners}
    assert all(abs(before[c.id] - c.apex_m) < 40.0 for c in kept.corners if c.id in before)


@pytest.mark.long
def test_another_layout_beside_a_known_track_is_found(
    home: Home, drives: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--home", str(home.root), "inspect", str(drives[CUP])]) == 0
    assert f"({CUP})" in capsys.readouterr().out
    with Store(home) as store:
        store.open()
        imported = import_recording(store, drives[CUP])
        assert queries.session(store, imported.session).track == CUP
        laps = queries.laps(store, imported.session)
        assert [lap.kind for lap in laps if lap.time_s is not None] == ["flying", "flying"]
    assert main(["--home", str(home.root), "track", "list"]) == 0
    assert "Sonoma Cup" in capsys.readouterr().out
    known = known_tracks(home)[0]
    assert set(known) == {"sonoma", CUP}
    assert layout_of(list(places_of(open_recording(drives[CUP]))), known) is None


def test_a_loggers_own_start_line_times_the_laps_of_a_circuit(
    home: Home, drives: dict[str, Path], tmp_path: Path
) -> None:
    """The drive ends after its own line, long before the circuit's: its one lap is no unfinished one. The
    next logger's line takes the first one's place, but not that of a person."""
    whole, short = tmp_path / "whole.vbo", tmp_path / "short.vbo"
    begun_m = 300.0
    own = with_start(drawn(KART), begun_m)
    simulate_to_file(own, SimulationPlan(laps=1, rate_hz=10.0), "vbo", whole)
    with Store(home) as store:
        store.open()
        [lap] = flying(store, import_recording(store, whole))
        assert lap.time_s is not None
        lines = whole.read_text().splitlines(keepends=True)
        short.write_text("".join(lines[: lines.index("[data]\n") + 1 + round(lap.end_t * 10.0) + 20]))
    with Store(Home(tmp_path / "other")) as store:
        store.open()
        first = import_recording(store, short)
        assert [each.time_s for each in flying(store, first)] == [pytest.approx(lap.time_s, abs=0.002)]
        assert any("own start line from now on" in note for note in first.notes)
        made = known_tracks(store.home)[0][KART]
        assert start_elsewhere(drawn(KART), stored_gate(made.gate), 0.0) == pytest.approx(begun_m, abs=1.0)
        assert {corner.number for corner in made.corners} == {each.number for each in drawn(KART).corners}
        second = import_recording(store, drives[KART])
        assert any("own start line from now on, and sessions there are" in note for note in second.notes)
        again = known_tracks(store.home)[0][KART]
        assert start_elsewhere(drawn(KART), stored_gate(again.gate), 3.0) is None
        write_track(with_start(again, 200.0), store.home.track_data / f"{KART}.json")
        third = import_recording(store, whole)
        assert any("own start line lies" in note for note in third.notes)
        kept = known_tracks(store.home)[0][KART]
        assert start_elsewhere(again, stored_gate(kept.gate), 0.0) == pytest.approx(200.0, abs=1.0)


def test_a_loggers_own_start_line_times_the_laps_of_a_shipped_track(home: Home, tmp_path: Path) -> None:
    """One lap from 900 m after Sonoma's line, ended 2 s after it: one lap of the driver's own time."""
    whole, short = tmp_path / "whole.vbo", tmp_path / "short.vbo"
    sonoma = known_tracks(home)[0]["sonoma"]
    truth = simulate_to_file(
        with_start(sonoma, 900.0), SimulationPlan(laps=1, rate_hz=10.0), "vbo", whole
    ).truth
    [lap] = [each for each in truth.laps if each.kind == "flying"]
    lines = whole.read_text().splitlines(keepends=True)
    short.write_text("".join(lines[: lines.index("[data]\n") + 1 + round(lap.end_t * 10.0) + 20]))
    with Store(home) as store:
        store.open()
        imported = import_recording(store, short)
        assert [each.time_s for each in flying(store, imported)] == [pytest.approx(lap.time_s, abs=0.02)]
        assert any("begin at the recording's own start line" in note for note in imported.notes)
        made = known_tracks(home)[0]["sonoma"]
        assert [corner.name for corner in made.corners] != [corner.name for corner in sonoma.corners]
        assert {corner.name for corner in made.corners} == {corner.name for corner in sonoma.corners}


def flying(store: Store, imported: Imported) -> list[Lap]:
    return [lap for lap in queries.laps(store, imported.session) if lap.kind == "flying"]


@pytest.mark.long
def test_laps_that_begin_elsewhere_in_the_file_are_told(drives: dict[str, Path]) -> None:
    """The start line of a file, against a circuit whose laps begin 300 m further on, or at the same place."""
    recording, track = open_recording(drives[KART]), drawn(KART)
    assert start_doubt(track, recording.info.gate) == ()
    [told] = start_doubt(with_start(track, 300.0), recording.info.gate)
    place_m = float(told.split(" lies ")[1].split(" m ")[0])
    assert place_m == pytest.approx(track.length_m - 300.0, abs=15.0)
    assert f"pitwall track edit {KART} --start" in told
    # A track that a person built knows where its laps begin.
    assert (
        start_doubt(msgspec.structs.replace(with_start(track, 300.0), sources=()), recording.info.gate) == ()
    )
