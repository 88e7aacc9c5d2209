"""However a session came into the store, the store holds the same: five orders, compared row by row."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from club import club_circuit
from heard import Heard
from long_runs import some

from pitwall.api.changes import apply, judge_all
from pitwall.config import Home
from pitwall.contract.changes import Match
from pitwall.drive.controls import control
from pitwall.drive.prepare import DriveSettings
from pitwall.drive.rebuild import out_of_date, rebuilder
from pitwall.drive.replay import import_file
from pitwall.drive.session import DriveSession, Supplies
from pitwall.simulator.plan import Driver, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store import queries
from pitwall.store.schema import FROM_JOURNAL
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings import open_recording
from pitwall.track.library import known_tracks

# What tells of this home and its journals' records, not of what was driven.
OF_THE_HOME = {
    "sessions": (
        "created_utc_s", "closed_utc_s", "last_seq", "journal_stamp", "journal_crc", "journal_last_seq",
        "exported_utc_s",
    ),
    "frames": ("seq",),
    "batches": ("seq",),
}  # fmt: skip
# A signal's number is that of its registration.
SIGNALS = """
SELECT s.session, s.t, r.name, r.unit, r.label, r.source, s.value
FROM signals s JOIN signal_registry r ON r.id = s.signal ORDER BY ALL"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("driven") / "day.vbo"
    # Two laps: of three the circuit would be built at the import.
    simulate_to_file(club_circuit(), SimulationPlan(laps=2, driver=Driver(variation=0.03)), "vbo", path)
    return path


def build(home: Home, *, moved_m: float = 0.0) -> None:
    """The track arrives in the home; with `moved_m` its corners lie elsewhere."""
    track = club_circuit()
    corners = tuple(msgspec.structs.replace(each, apex_m=each.apex_m + moved_m) for each in track.corners)
    home.track_data.mkdir(parents=True, exist_ok=True)
    (home.track_data / "club.json").write_bytes(
        msgspec.json.encode(msgspec.structs.replace(track, corners=corners))
    )


def opened(home: Home) -> Store:
    store = Store(home)
    store.open()
    recover(store, rebuilder(home, store))
    return store


def rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the store that follows from what was driven."""
    store.flush()
    found: dict[str, list[tuple[Any, ...]]] = {}
    for table in (*FROM_JOURNAL, "lessons"):
        if table == "signals":
            found[table] = store.cursor().execute(SIGNALS).fetchall()
            continue
        left_out = OF_THE_HOME.get(table, ())
        exclude = f"EXCLUDE ({', '.join(left_out)})" if left_out else ""
        sql = f"SELECT * {exclude} FROM {table} ORDER BY ALL"
        found[table] = store.cursor().execute(sql).fetchall()
    return found


def take(home: Home, recording: Path) -> None:
    with opened(home) as store:
        import_file(recording, home, store)


def match(home: Home) -> None:
    with opened(home) as store:
        apply(store, Match())


def build_then_import(home: Home, recording: Path) -> None:
    build(home)
    take(home, recording)


def import_then_build(home: Home, recording: Path) -> None:
    take(home, recording)
    with opened(home) as store:
        [row] = queries.sessions(store)
        assert (row.track, row.laps > 0) == ("", True)
    build(home)
    match(home)


def lost_database(home: Home, recording: Path) -> None:
    import_then_build(home, recording)
    for path in home.root.glob("pitwall.duckdb*"):
        path.unlink()


def killed_import(home: Home, recording: Path) -> None:
    build(home)
    script = Path(__file__).with_name("killed_import.py")
    process = subprocess.Popen(
        [sys.executable, str(script), str(home.root), str(recording)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"half\n"
    process.kill()
    process.communicate()
    with opened(home) as store:
        assert queries.sessions(store) == [], "an import is whole or gone"
        assert not import_file(recording, home, store).known


def edited_back_and_forth(home: Home, recording: Path) -> None:
    import_then_build(home, recording)
    build(home, moved_m=40.0)
    match(home)
    build(home)
    match(home)


ORDERS = (import_then_build, lost_database, killed_import, edited_back_and_forth)


@pytest.fixture(scope="module")
def expected(recording: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Any, ...]]]:
    home = Home(tmp_path_factory.mktemp("expected") / "home")
    home.prepare()
    build_then_import(home, recording)
    with opened(home) as store:
        judge_all(store)
        found = rows(store)
    assert {"sessions", "laps", "corner_passes", "frames", "driver_events"} <= {
        table for table in found if found[table]
    }
    return found


@pytest.mark.parametrize("order", some(ORDERS, 0), ids=lambda order: order.__name__)
def test_every_order_ends_in_the_same_store(
    order: Callable[[Home, Path], None],
    home: Home,
    recording: Path,
    expected: dict[str, list[tuple[Any, ...]]],
) -> None:
    order(home, recording)
    with opened(home) as store:
        judge_all(store)
        found = rows(store)
    for table in expected:
        assert found[table] == expected[table], table


@pytest.mark.long
def test_a_track_that_arrives_beside_the_driven_one_measures_nothing_again(
    home: Home, recording: Path
) -> None:
    build_then_import(home, recording)
    track = club_circuit()
    line = tuple((lat + 0.004, lon, height_m) for lat, lon, height_m in track.centreline)
    gate = msgspec.structs.replace(
        track.gate, a_lat_deg=track.gate.a_lat_deg + 0.004, b_lat_deg=track.gate.b_lat_deg + 0.004
    )
    beside = msgspec.structs.replace(track, id="beside", centreline=line, gate=gate)
    (home.track_data / "beside.json").write_bytes(msgspec.json.encode(beside))
    with opened(home) as store:
        before = rows(store)
        tracks, problems = known_tracks(home)
        assert (problems, len(out_of_date(store, tracks))) == ((), 1)
        assert apply(store, Match()).sessions == ()
        store.flush()
        assert out_of_date(store, tracks) == []
        after = rows(store)
    assert {name: found for name, found in after.items() if found != before[name]}.keys() == {"sessions"}
    build(home, moved_m=20.0)
    with opened(home) as store:
        assert len(apply(store, Match()).sessions) == 1


@pytest.mark.long
def test_a_drive_that_ends_in_silence_has_the_same_laps_with_and_without_a_coach(recording: Path) -> None:
    """The car's path is coached, a rebuild's only measures."""
    track = club_circuit()
    found = []
    for coached in (True, False):
        heard = Heard()
        path = DriveSession(Supplies({track.id: track}), DriveSettings(), [heard], coached=coached)
        driven = open_recording(recording)
        for stream in driven.info.streams:
            path.stream(stream)
        path.control(control(0.0, "track", track.id))
        for sample in driven.samples():
            path.feed(sample)
        path.control(control(path.t + 60.0, "tick"))
        path.finish()
        found.append(heard.laps)
    assert found[0] == found[1]
