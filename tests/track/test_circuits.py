"""The circuits of the world: recognised by what was driven, and never where nobody drove on one."""

from __future__ import annotations

import math
import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_facts import opened

from pitwall.config import Home, shipped
from pitwall.drive.prepare import keep_circuits, known_tracks, locate, with_circuits, world_circuits
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.queries import corner_passes, laps, sessions
from pitwall.telemetry.recordings import open_recording
from pitwall.track.build_merge import merge_hand_written, numbered_as
from pitwall.track.circuits import (
    FILE,
    NAMES,
    Circuit,
    CircuitError,
    Circuits,
    OfficialCorners,
    is_officially_named,
    officially_named,
    packed,
    unpacked,
)
from pitwall.track.geometry import Projection
from pitwall.track.library import find_problem, load_track
from pitwall.track.model import Corner, Track
from pitwall.track.venue import TrackFinder

DEMO = Path(__file__).resolve().parents[2] / "scripts" / "data" / "sonoma-simulated.vbo"
SPA = (50.4433, 5.9650)
LAYOUTS = {
    "sonoma-m3-vbox.csv": "sonoma_raceway_sonoma_race",
    "roadamerica-racelogic.vbo": "road_america_rd_amer",
    "lignano-racebox.vbo": "circuito_internazionale_friuli_lignano_circuit",
    # Its laps are 997 m: the other layout, 1,128 m and nearer to the line where both go, has a loop more.
    "orlando-18hz.nmea": "orlando_kart_center_2",
    "tianma-racechrono-v3.csv": "shanghai_tianma_circuit",
    "excerpt-racestudio3-aim.csv": "franciacorta_karting_track_f_corta_var6",
}
LONGEST = ("sonoma-m3-vbox.csv", "lignano-racebox.vbo")
# Every so many-th layout of the file is driven in a run.
EACH, FIRST = 400, 7


def around(circuit: Circuit) -> dict[str, Track]:
    circuits = world_circuits()
    return {each.id: circuits.track(each) for each in circuits.near(circuit.lat_deg, circuit.lon_deg)}


def driven(track: Track, chance: random.Random) -> list[tuple[float, float]]:
    """A lap as a car drives it: up to 3 m beside the line, swinging, with 1 m of noise."""
    projection = Projection(*track.centreline[0][:2])
    points = [projection.xy(lat, lon) for lat, lon, _ in track.centreline]
    swing = chance.uniform(0.0, math.tau)
    return [
        projection.lat_lon(
            x + 3.0 * math.sin(swing + i / 15.0) + chance.gauss(0.0, 1.0),
            y + 3.0 * math.cos(swing + i / 15.0) + chance.gauss(0.0, 1.0),
        )
        for i, (x, y) in enumerate(points)
    ]


def found(places: list[tuple[float, float]], tracks: dict[str, Track]) -> Track | None:
    finder = TrackFinder(tracks.values())
    for place in places:
        finder.feed(*place)
    return finder.track


@pytest.mark.parametrize(
    "names",
    [[each for each in LAYOUTS if each not in LONGEST], pytest.param(LONGEST, marks=pytest.mark.long)],
    ids=["short", "long"],
)
def test_each_recording_is_recognised_on_its_own_layout(recordings: Path, names: list[str]) -> None:
    assert {name: layout_of(recordings / name) for name in names} == {name: LAYOUTS[name] for name in names}


def layout_of(path: Path) -> str | None:
    recording = open_recording(path)
    tracks, problems = with_circuits(recording, {})
    assert problems == ()
    columns = [
        (stream.id, {c.name: i for i, c in enumerate(stream.channels)}) for stream in recording.info.streams
    ]
    [(stream, at)] = [(number, index) for number, index in columns if "lat_deg" in index]
    places = [
        (lat, lon)
        for sample in recording.samples()
        if sample.stream == stream
        and (lat := sample.values[at["lat_deg"]]) is not None
        and (lon := sample.values[at["lon_deg"]]) is not None
    ]
    track = found(places, tracks)
    return track and track.id


@pytest.mark.recordings
def test_a_parking_lot_is_no_circuit(recordings: Path, home: Home) -> None:
    assert locate(recordings / "washington-racecapture.log", home).venue.track is None


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.long
def test_roads_beside_circuits_are_no_circuit(seed: int) -> None:
    """Drives of some kilometres with bends, each begun in the paddock of another circuit."""
    chance = random.Random(seed)
    circuits = world_circuits()
    circuit = chance.choice(circuits.search("raceway", 500))
    projection = Projection(circuit.lat_deg, circuit.lon_deg)
    x, y, heading = (
        chance.uniform(-300.0, 300.0),
        chance.uniform(-300.0, 300.0),
        chance.uniform(0.0, math.tau),
    )
    places = []
    for _ in range(400):
        heading += chance.gauss(0.0, 0.05)
        x, y = x + 12.0 * math.sin(heading), y + 12.0 * math.cos(heading)
        places.append(projection.lat_lon(x, y))
    assert found(places, around(circuit)) is None


def test_circuits_from_all_over_the_file_are_tracks_and_are_recognised() -> None:
    circuits = world_circuits()
    everything = circuits.search("a", 10_000)
    assert len(everything) > 3_000
    chance = random.Random(EACH)
    for circuit in everything[FIRST::EACH]:
        tracks = around(circuit)
        track = tracks[circuit.id]
        assert find_problem(track) is None
        assert len(track.corners) >= 2, circuit.id
        assert abs(track.length_m - circuit.length_m) < 0.03 * circuit.length_m, circuit.id
        recognised = found(driven(track, chance), tracks)
        assert recognised is not None, circuit.id
        # Layouts that share a road within its width can't be told apart: then it is one of that length.
        assert recognised.id == track.id or abs(recognised.length_m - track.length_m) < 60.0, circuit.id


@pytest.mark.parametrize("oval", ["farley_speedway", "michigan_international_speedway_michigan"])
def test_an_oval_that_never_runs_straight_has_two_corners(oval: str) -> None:
    (circuit,) = (each for each in world_circuits().search("speedway", 500) if each.id == oval)
    track = around(circuit)[oval]
    assert [corner.direction for corner in track.corners] == ["left", "left"]
    apart_m = track.corners[1].apex_m - track.corners[0].apex_m
    assert apart_m == pytest.approx(track.length_m / 2, rel=0.1)


@pytest.mark.long
def test_a_drive_where_nothing_was_known_has_laps_and_corners(home: Home, tmp_path: Path) -> None:
    circuits = world_circuits()
    [spa] = [each for each in circuits.near(*SPA) if each.id == "spa_francorchamps"]
    drive = simulate_to_file(
        circuits.track(spa), SimulationPlan(laps=2, rate_hz=10.0), "vbo", tmp_path / "spa.vbo"
    )
    with opened(home) as store:
        imported = import_file(tmp_path / "spa.vbo", home, store)
        [session] = sessions(store)
        assert session.track == "spa_francorchamps"
        assert any("Spa-Francorchamps, from the circuits of the world" in note for note in imported.notes)
        times = {lap.number: lap.time_s for lap in laps(store, session.id) if lap.kind == "flying"}
        truth = {lap.number: lap.time_s for lap in drive.truth.laps if lap.kind == "flying"}
        assert times.keys() == truth.keys()
        assert all(abs(times[number] - truth[number]) < 0.1 for number in times)
        assert {each.corner for each in corner_passes(store, session.id)} >= {"turn_1", "turn_19"}
    track = load_track(home.track_data / "spa_francorchamps.json")
    assert all(corner.sureness < 1.0 for corner in track.corners)


def test_what_a_person_wrote_outranks_a_circuit(home: Home) -> None:
    track = world_circuits().track(
        next(c for c in world_circuits().near(*SPA) if c.id == "spa_francorchamps")
    )
    keep_circuits(home, {track.id: track})
    path = home.track_data / "spa_francorchamps.json"
    path.write_text(path.read_text().replace('Turn 1, La Source"', 'The hairpin"'))
    keep_circuits(home, {track.id: track})
    assert known_tracks(home)[0]["spa_francorchamps"].corners[0].name == "The hairpin"


def test_names_are_found_without_accents_and_in_any_order() -> None:
    circuits = world_circuits()
    assert {each.id for each in circuits.search("GP nurburgring", 10)} == {"nurburgring_nurburgr_gp"}
    assert circuits.search("Nürburgring", 10) == circuits.search("nurburgring", 10) != []
    assert circuits.search("%_'", 10) == []
    assert circuits.get("nowhere") is None


def test_a_damaged_file_is_named_and_stops_no_import(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / FILE
    path.write_bytes((shipped("track_data") / FILE).read_bytes()[:5_000])
    with pytest.raises(CircuitError, match=str(path)):
        Circuits(path).near(*SPA)
    monkeypatch.setattr("pitwall.drive.prepare.world_circuits", lambda: Circuits(path))
    tracks, problems = with_circuits(open_recording(DEMO), {})
    assert tracks == {}
    assert str(path) in problems[0]
    path.unlink()
    assert with_circuits(open_recording(DEMO), {}) == ({}, ())


@given(
    st.lists(
        st.tuples(st.floats(-85.0, 85.0), st.floats(-180.0, 180.0), st.floats(-400.0, 5_000.0)),
        min_size=1,
        max_size=50,
    )
)
def test_a_line_comes_back_as_it_was_packed(line: list[tuple[float, float, float]]) -> None:
    for (lat, lon, height), (lat2, lon2, height2) in zip(line, unpacked(packed(line)), strict=True):
        # Half a step of what is kept, and what a float adds to it.
        assert abs(lat - lat2) <= 0.5e-6 + 1e-12
        assert abs(lon - lon2) <= 0.5e-6 + 1e-12
        assert abs(height - height2) <= 0.05 + 1e-9


def test_bytes_that_are_no_line_are_refused() -> None:
    with pytest.raises(CircuitError, match="line"):
        unpacked(b"no line")


def official() -> list[OfficialCorners]:
    lines = (shipped("track_data") / NAMES).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=OfficialCorners) for line in lines]


def world(circuit: str) -> Track:
    found = world_circuits().get(circuit)
    assert found is not None, circuit
    return world_circuits().track(found)


@pytest.mark.long
def test_each_official_number_and_name_lies_on_a_corner_of_its_layout() -> None:
    listed = official()
    assert len({each.circuit for each in listed}) == len(listed)
    found = [world_circuits().get(each.circuit) for each in listed]
    assert len({each.name for each in found if each is not None}) >= 45
    for each in listed:
        track = world(each.circuit)
        assert is_officially_named(track), each.circuit
        assert find_problem(track) is None
        assert each.source.startswith("http")
        ordered = sorted(track.corners, key=lambda corner: corner.apex_m)
        numbers = [int("".join(filter(str.isdigit, corner.number))) for corner in ordered]
        first = numbers.index(min(numbers))  # a bend behind the last corner may lie behind the start line
        assert numbers[first:] == sorted(numbers[first:]), each.circuit
        assert all(corner.id == f"turn_{corner.number}" for corner in ordered)


def test_a_name_whose_corner_is_not_there_is_no_name() -> None:
    track = world("road_america_rd_amer")
    [listed] = [each for each in official() if each.circuit == track.id]
    bare = msgspec.structs.replace(track, sources=track.sources[:1])
    shifted = [((share + 0.01) % 1.0, number, name) for share, number, name in listed.corners]
    for corners in (tuple(shifted), listed.corners[1:]):
        assert officially_named(bare, msgspec.structs.replace(listed, corners=corners)) is bare
    assert officially_named(bare, listed).corners == track.corners


def test_official_numbers_stay_whatever_a_drive_finds() -> None:
    """A drive that finds a bend more, and misses another, gives no corner another number."""
    track = world("circuit_of_the_americas_cota")
    first, second, *rest = track.corners
    straight_m = rest[-1].exit_m + 20.0
    more = msgspec.structs.replace(
        first, id="turn_17", number="17", name="Turn 17", entry_m=straight_m, apex_m=straight_m + 20.0,
        exit_m=straight_m + 40.0,
    )  # fmt: skip
    found = msgspec.structs.replace(track, corners=(first, *rest, more))
    merged = merge_hand_written(found, track)
    assert [corner.name for corner in merged.corners] == [corner.name for corner in track.corners]
    assert second.number == "2"


def test_a_number_depends_on_the_place_and_not_on_what_was_driven_first() -> None:
    """One drive misses Turn 1, sees a bend before it and two behind Turn 4; another does not."""
    drawn = world("orlando_kart_center_2")
    first, second, third, fourth, *rest = drawn.corners

    def bend(of: Corner, at_m: float) -> Corner:
        return msgspec.structs.replace(of, id="turn_20", entry_m=at_m - 4.0, apex_m=at_m, exit_m=at_m + 4.0)

    def found(*corners: Corner) -> Track:
        ordered = [
            msgspec.structs.replace(corner, id=f"turn_{n}", number=f"{n}", name=f"Turn {n}")
            for n, corner in enumerate(corners, 1)
        ]
        return msgspec.structs.replace(drawn, corners=tuple(ordered))

    extra = (bend(third, fourth.apex_m + 50.0), bend(second, fourth.apex_m + 90.0))
    more = found(bend(second, 5.0), second, third, fourth, *extra, *rest)
    plain = found(first, second, third, fourth, *rest)
    numbers = set()
    for drives in ((more, plain), (plain, more), (plain,), (plain, more, plain)):
        track = drawn
        for drive in drives:
            track = merge_hand_written(numbered_as(drive, drawn), track)
            numbers |= {(corner.number, corner.id, round(corner.apex_m)) for corner in track.corners}
    assert len({number for number, _, _ in numbers}) == len(numbers) == len(drawn.corners) + 3
    assert {each for each, _, _ in numbers} == {c.number for c in drawn.corners} | {"0", "4a", "4b"}
