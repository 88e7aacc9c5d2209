"""What a lake answers, against the truth of a simulated fleet; what is built is the same everywhere."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from fleet_parts import SHELF, put_invented
from simulated_fleet import FleetSimulator, FleetTruth, put_simulated

from pitwall.cli import main
from pitwall.config import Home
from pitwall.drive.prepare import read_weights, save_weights
from pitwall.drive.reference import composed_lap, load_shared_lap
from pitwall.fleet import answers, composed
from pitwall.fleet import build as build_module
from pitwall.fleet.analyse import analyse_each
from pitwall.fleet.build import DERIVED, TABLES, BuildProgress, build, partitions
from pitwall.fleet.forget import forget_in_lake
from pitwall.fleet.lake import LakeError, Outcome, SessionObject, Storage, list_sessions, open_storage
from pitwall.fleet.views import advice_view, corner_view, driver_view, leaderboard_view
from pitwall.store.errors import StoreError
from pitwall.words.language import ENGLISH

TRACK = "lime_rock_park_lrp"
DRIVERS, SESSIONS = 8, 56


class KnownFleet(NamedTuple):
    """A lake of simulated sessions, built, and what was put in."""

    root: Path
    truth: FleetTruth

    @property
    def storage(self) -> Storage:
        return open_storage(str(self.root))


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> KnownFleet:
    root = tmp_path_factory.mktemp("known")
    simulator = FleetSimulator(seed=3, drivers=DRIVERS, rate_hz=5.0, laps=5, tracks=(TRACK,))
    made = KnownFleet(root / "lake", simulator.truth)
    put_simulated(made.storage, simulator, SESSIONS, root)
    assert build(made.storage, SHELF).failed == ()
    return KnownFleet(made.root, simulator.truth)


def test_the_leaderboard_is_that_of_the_truth(fleet: KnownFleet) -> None:
    rows = answers.leaderboard(fleet.storage, TRACK, conditions="dry")["rows"]
    best: dict[str, float] = {}
    for item in answers.ask(fleet.storage, "SELECT * FROM sessions WHERE conditions = 'dry'", {}):
        best[item["driver"]] = min(best.get(item["driver"], 1e9), fleet.truth.best_s[item["session"]])
    expected = sorted((time_s, driver) for driver, time_s in best.items())
    assert [(row["time_s"], row["driver"]) for row in rows] == expected
    assert [row["place"] for row in rows] == list(range(1, len(expected) + 1))
    assert rows[0]["gap_s"] == 0.0
    one = answers.leaderboard(fleet.storage, TRACK, car_class="gt3")["rows"]
    assert {row["driver"] for row in one} == {"d-003", "d-007"}


def test_a_driver_is_told_the_corner_that_he_is_worst_at(fleet: KnownFleet) -> None:
    tracks = {TRACK: SHELF.get(TRACK)}
    named = 0
    for driver_id, truth in fleet.truth.drivers.items():
        [trend] = answers.driver(fleet.storage, driver_id, tracks)["tracks"]
        assert trend["sessions"] == SESSIONS // DRIVERS
        # Two drivers are a class: the better of them is the fast quarter, and has nobody to be told of.
        named += truth.weak[TRACK] in [each["corner"] for each in trend["weakest"]]
        assert trend["target_s"] is None or trend["target_s"] < min(trend["best_s"])
        assert all(each["loss_s"] > 0.0 for each in trend["weakest"])
    assert named >= DRIVERS * 0.7


def test_the_page_of_the_schema_names_every_column() -> None:
    page = (Path(build_module.__file__).parent / "SCHEMA.md").read_text()
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    for table, schema in TABLES.items():
        listed = rows[table].split("`")[3::2]
        assert listed == [name for name in schema.names if name not in ("driver", "session", "object")]


def test_who_does_not_get_faster_any_more_is_on_a_plateau() -> None:
    assert answers.is_plateau([101.0, 100.0, 100.1, 100.2, 100.1, 99.9])
    assert not answers.is_plateau([101.0, 100.0, 99.6, 99.3, 99.0, 98.9])
    assert not answers.is_plateau([100.0, 100.0, 100.0, 100.0])


def test_advice_is_ranked_by_what_it_really_brought(fleet: KnownFleet) -> None:
    rows = answers.advice(fleet.storage)["rows"]
    found = {row["concept"]: row for row in rows}
    assert {name: row["spoken"] for name, row in found.items()} == {
        name: count for name, count in fleet.truth.spoken.items() if count
    }
    later = found["brake_later"]
    assert later["judged"] == later["spoken"]
    heeded = fleet.truth.heeded["brake_later"] / later["spoken"]
    # What a lap's own spread hides or adds.
    assert later["heeded_share"] == pytest.approx(heeded, abs=0.12)
    assert later["after_laps"] == 1.0
    assert 0.0 < later["sure_share"] < later["heeded_share"]
    assert later["worth_s"] == pytest.approx(later["sure_share"] * later["heeded_gain_s"])
    usual = sum(row["heeded_share"] * row["judged"] for row in rows) / sum(row["judged"] for row in rows)
    assert all((row["weight"] > 1.0) == (row["heeded_share"] > usual) for row in rows)
    assert answers.least_share(0, 0) == 0.0
    assert answers.least_share(9, 10) < answers.least_share(90, 100) < 0.9


def test_the_coach_is_given_what_a_fleet_has_shown_of_advice(
    fleet: KnownFleet, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = Home(tmp_path).advice_weights
    assert read_weights(path) == ()
    assert main(["--home", str(tmp_path), "fleet", "advice", "--lake", str(fleet.root), "--save"]) == 0
    assert str(path) in capfd.readouterr().out
    assert dict(read_weights(path)) == {
        row["concept"]: row["weight"] for row in answers.advice(fleet.storage)["rows"]
    }
    path.write_text(path.read_text().replace("weights", "weight"))
    with pytest.raises(StoreError, match="writes it again"):
        read_weights(path)
    save_weights(path, {"brake_later": 40.0, "brake_earlier": -1.0})
    assert read_weights(path) == (("brake_later", 2.0), ("brake_earlier", 0.5))


def test_a_corner_tells_what_the_fast_quarter_does_otherwise(fleet: KnownFleet) -> None:
    track = SHELF.get(TRACK)
    turn = next(each for each in track.corners if each.id == fleet.truth.drivers["d-000"].weak[TRACK])
    found = answers.corner(fleet.storage, track, turn, "gt4", "dry", "d-000")
    spreads = {each["figure"]: each for each in found["spreads"]}
    assert found["drivers"] == 2
    assert spreads["time_s"]["fast"] < spreads["time_s"]["p50"] < spreads["time_s"]["others"] + 1e-9
    # The brake point is so much before the apex as the truth has it: the base lap's and the deficits.
    brake = spreads["brake_m"]
    assert brake["fast"] < brake["others"]
    assert 0.0 < brake["p90"] - brake["p10"] < 60.0
    assert spreads["peak_brake_bar"]["passes"] > answers.FEWEST_PASSES
    assert 0.0 <= found["standing"]["faster_than_share"] <= 1.0
    with pytest.raises(LakeError, match="0 passes"):
        answers.corner(fleet.storage, track, turn, "kart")


def test_a_composed_lap_is_faster_than_any_driven_one_and_can_be_driven_against(
    fleet: KnownFleet, tmp_path: Path
) -> None:
    track = SHELF.get(TRACK)
    made, found = composed.compose(fleet.storage, SHELF, track, "gt4", "dry")
    lap = made.lap
    assert fleet.truth.base_lap_s[f"{TRACK}/gt4"] - 0.1 < lap.lap_time_s <= found["best_s"] + 1e-6
    steps = zip(lap.speed_mps, lap.speed_mps[1:], strict=False)
    assert max(abs(a - b) for a, b in steps) < composed.JOIN_MPS + 2.0
    path = tmp_path / "lap.pitlap"
    path.write_bytes(msgspec.json.encode(made))
    assert composed_lap(path, track) == lap
    # It rides along by itself where it is faster than the driver's own, and not with a slower kind of car.
    assert [
        load_shared_lap(tmp_path, track, msgspec.structs.replace(lap, lap_time_s=share * lap.lap_time_s))
        is not None
        for share in (1.0, 1.02, 1.2)
    ] == [False, True, False]
    assert load_shared_lap(tmp_path, SHELF.get("sonoma"), None) is None
    with pytest.raises(StoreError, match="is a lap of"):
        composed_lap(path, SHELF.get("sonoma"))
    path.write_bytes(msgspec.json.encode(made)[:-40])
    with pytest.raises(StoreError, match="no composed lap"):
        composed_lap(path, track)


def derived(storage: Storage) -> dict[str, bytes]:
    """Everything that was built."""
    return {path: storage.read(path) for path in partitions(storage)}


def broken_off(url: str, layers: Sequence[str], items: Sequence[SessionObject]) -> Iterator[Outcome]:
    """Ends after some sessions, as a machine that is switched off."""
    yield from analyse_each(url, layers, items[:9])
    raise KeyboardInterrupt


def test_a_build_goes_on_where_it_was_names_what_fails_and_ends_at_the_same_bytes(
    fleet: KnownFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = open_storage(str(tmp_path / "lake"))
    items = list_sessions(fleet.storage)[:12]
    for item in items:
        storage.put(item.path, fleet.storage.read(item.path))
    whole = (tmp_path / "lake" / items[10].path).read_bytes()
    storage.put(items[10].path, whole[:5_000])
    monkeypatch.setattr("pitwall.fleet.build.FLUSH_SESSIONS", 4)
    with monkeypatch.context() as patch:
        patch.setattr("pitwall.fleet.build._analysed", broken_off)
        with pytest.raises(KeyboardInterrupt):
            build(storage, SHELF)
    seen: list[BuildProgress] = []
    built = build(storage, SHELF, progress=seen.append)
    assert (built.known, built.analysed, seen[-1].done) == (8, 4, 4), "what was whole is kept"
    assert [each[1] for each in built.failed] == [items[10].session]
    assert "push its session again" in built.failed[0][2]
    # What failed is not tried at each question, but when somebody builds.
    assert build(storage, SHELF).failed == built.failed
    storage.put(items[10].path, whole)
    assert build(storage, SHELF, retry=True).failed == ()
    step_by_step = derived(storage)
    assert build(storage, SHELF, again=True).analysed == 12
    assert derived(storage) == step_by_step
    # Two who built at once left the laps of one and the sessions of the other.
    [laps] = [path for path in step_by_step if path.startswith(f"{DERIVED}/laps/")]
    storage.delete_folder(f"sessions/driver={items[0].driver}")
    build(storage, SHELF)
    storage.put(laps, step_by_step[laps])
    assert build(storage, SHELF).analysed == len(list_sessions(storage))
    left = {each.driver for each in list_sessions(storage)}
    assert items[0].driver not in left
    assert {row["driver"] for row in answers.leaderboard(storage, TRACK)["rows"]} == left


@pytest.mark.long
def test_a_process_that_is_killed_costs_nothing_but_time(
    fleet: KnownFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.fleet.build.PROCESSES", 2)
    storage = open_storage(str(shutil.copytree(fleet.root, tmp_path / "lake")))
    killed = []

    def kill(seen: BuildProgress) -> None:
        if not killed:
            child = next(
                int(pid) for task in Path("/proc/self/task").iterdir()
                for pid in (task / "children").read_text().split()
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
            )  # fmt: skip
            os.kill(child, signal.SIGKILL)
            killed.append(child)

    assert build(storage, SHELF, again=True, progress=kill).failed == ()
    assert killed
    assert derived(storage) == derived(fleet.storage)


def test_a_simulated_session_never_counts_beside_a_real_one(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path))
    put_invented(storage.url, "d-computed", 0, venue="Sonoma (SIMULATED)")
    for _ in range(2):
        build(storage, SHELF)
        board = answers.leaderboard(storage, "sonoma")["rows"]
        assert [row["driver"] for row in board] == [["d-computed", "d-anna"][len(list_sessions(storage)) - 1]]
        put_invented(storage.url, "d-anna", 2)


def test_a_lake_of_an_older_pitwall_is_refused(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path))
    storage.put("manifest/1.json", b"{}")
    for use in (lambda: build(storage, SHELF), lambda: forget_in_lake(storage, "d-max", SHELF)):
        with pytest.raises(LakeError, match="older Pitwall: name a new place"):
            use()


def test_every_answer_is_told(fleet: KnownFleet) -> None:
    track = SHELF.get(TRACK)
    views = [
        leaderboard_view(answers.leaderboard(fleet.storage, TRACK), track.name, ENGLISH),
        corner_view(answers.corner(fleet.storage, track, track.corners[0], driver="d-000"), track, ENGLISH),
        driver_view(answers.driver(fleet.storage, "d-006", {TRACK: track}), {TRACK: track}, ENGLISH),
        advice_view(answers.advice(fleet.storage), "", ENGLISH),
    ]
    for view in views:
        assert view.tables[0].rows
        assert all(len(row) == len(table.head) for table in view.tables for row in table.rows)


COMMANDS = (
    ("leaderboard", "lime_rock", "--class", "gt4"),
    ("corner", "lime_rock", "turn_1", "--driver", "d-001"),
    ("driver", "d-001"),
    ("advice",),
    ("reference", "lime_rock", "--class", "gt4", "--out", "FOLDER/lap.pitlap"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_each_answer_is_a_command(
    fleet: KnownFleet, command: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = [each.replace("FOLDER", str(tmp_path)) for each in command]
    home = ["--home", str(fleet.root.parent / "home")]
    assert main([*home, "fleet", *typed, "--lake", str(fleet.root), "--json"]) == 0
    answer = msgspec.json.decode(capfd.readouterr().out)
    assert TRACK in str(answer) or command == ("advice",)
    with pytest.raises(SystemExit):
        main([*home, "fleet", typed[0], "--nonsense"])
