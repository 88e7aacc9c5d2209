"""What a lake answers, against the truth of a simulated fleet; the analysis is the same everywhere."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from simulated_fleet import FleetSimulator, FleetTruth

from pitwall.cli import main
from pitwall.config import Home
from pitwall.drive.prepare import read_weights, save_weights
from pitwall.drive.reference import composed_lap, of_others
from pitwall.fleet import answers, composed
from pitwall.fleet.compact import compact
from pitwall.fleet.lake import Lake, make_files, open_lake, put_entry
from pitwall.fleet.session_facts import SessionWork, TrackShelf, works_of
from pitwall.fleet.storage import LakeError, open_storage
from pitwall.fleet.told import advice_view, corner_view, driver_view, fleet_page, leaderboard_view
from pitwall.fleet.verdicts import ProcessEngine, RunProgress, Verdicts, WorkOutcome, analyse, judge_works
from pitwall.store.errors import StoreError
from pitwall.words.language import ENGLISH

TRACK = "lime_rock_park_lrp"
DRIVERS, SESSIONS = 8, 56


class KnownFleet(NamedTuple):
    """A lake of simulated sessions and what was put in."""

    root: Path
    truth: FleetTruth

    @property
    def lake(self) -> Lake:
        return open_lake(str(self.root))


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> KnownFleet:
    root = tmp_path_factory.mktemp("known")
    simulator = FleetSimulator(seed=3, drivers=DRIVERS, rate_hz=5.0, laps=5, tracks=(TRACK,))
    storage = open_storage(str(root / "lake"))
    for number, (material, told) in enumerate(simulator.sessions(SESSIONS, root)):
        folder = root / str(number)
        folder.mkdir()
        put_entry(storage, make_files(material, told, folder), folder)
        shutil.rmtree(folder)
    return KnownFleet(root / "lake", simulator.truth)


def test_the_leaderboard_is_that_of_the_truth(fleet: KnownFleet) -> None:
    board = answers.leaderboard(fleet.lake, TRACK, conditions="dry")
    best: dict[str, float] = {}
    for entry in fleet.lake.chosen():
        if entry.conditions == "dry":
            best[entry.driver] = min(best.get(entry.driver, 1e9), fleet.truth.best_s[entry.session])
    expected = sorted((time_s, driver) for driver, time_s in best.items())
    assert [(row.time_s, row.driver) for row in board.rows] == expected
    assert [row.place for row in board.rows] == list(range(1, len(expected) + 1))
    assert board.rows[0].gap_s == 0.0
    one = answers.leaderboard(fleet.lake, TRACK, car_class="gt3")
    assert {row.driver for row in one.rows} == {"d-003", "d-007"}


def test_a_driver_is_told_the_corner_that_he_is_worst_at(fleet: KnownFleet) -> None:
    tracks = {TRACK: TrackShelf().get(TRACK)}
    named = 0
    for driver_id, truth in fleet.truth.drivers.items():
        [trend] = answers.driver(fleet.lake, driver_id, tracks).tracks
        assert trend.sessions == SESSIONS // DRIVERS
        # Two drivers are a class: the better of them is the fast quarter, and has nobody to be told of.
        named += truth.weak[TRACK] in [each.corner for each in trend.weakest]
        assert trend.target_s is None or trend.target_s < min(trend.best_s)
        for each in trend.weakest:
            assert each.loss_s > 0.0
    assert named >= DRIVERS * 0.7


def test_who_does_not_get_faster_any_more_is_on_a_plateau() -> None:
    assert answers.is_plateau([101.0, 100.0, 100.1, 100.2, 100.1, 99.9])
    assert not answers.is_plateau([101.0, 100.0, 99.6, 99.3, 99.0, 98.9])
    assert not answers.is_plateau([100.0, 100.0, 100.0, 100.0])


def test_advice_is_ranked_by_what_it_really_brought(fleet: KnownFleet) -> None:
    found = {row.concept: row for row in answers.advice(fleet.lake).rows}
    assert {name: row.spoken for name, row in found.items()} == {
        name: count for name, count in fleet.truth.spoken.items() if count
    }
    later = found["brake_later"]
    assert later.judged == later.spoken
    heeded = fleet.truth.heeded["brake_later"] / later.spoken
    # What a lap's own spread hides or adds.
    assert later.heeded_share == pytest.approx(heeded, abs=0.12)
    assert later.after_laps == 1.0
    assert later.heeded_gain_s is not None
    assert 0.0 < later.sure_share < (later.heeded_share or 0.0)
    assert later.worth_s == pytest.approx(later.sure_share * later.heeded_gain_s)
    likelier = {
        name: (row.heeded_share or 0.0) > _heeded_share(found.values()) for name, row in found.items()
    }
    assert {name: row.weight > 1.0 for name, row in found.items()} == likelier
    assert answers.least_share(0, 0) == 0.0
    assert answers.least_share(9, 10) < answers.least_share(90, 100) < 0.9


def _heeded_share(found: Iterable[answers.AdviceRow]) -> float:
    rows = list(found)
    return sum((row.heeded_share or 0.0) * row.judged for row in rows) / sum(row.judged for row in rows)


def test_the_coach_is_given_what_a_fleet_has_shown_of_advice(
    fleet: KnownFleet, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = Home(tmp_path).advice_weights
    assert read_weights(path) == ()
    assert main(["--home", str(tmp_path), "fleet", "advice", "--lake", str(fleet.root), "--save"]) == 0
    assert str(path) in capfd.readouterr().out
    assert dict(read_weights(path)) == {row.concept: row.weight for row in answers.advice(fleet.lake).rows}
    path.write_text(path.read_text().replace("weights", "weight"))
    with pytest.raises(StoreError, match="writes it anew"):
        read_weights(path)
    save_weights(path, {"brake_later": 40.0, "brake_earlier": -1.0})
    assert read_weights(path) == (("brake_later", 2.0), ("brake_earlier", 0.5))


def test_a_corner_tells_what_the_fast_quarter_does_otherwise(fleet: KnownFleet) -> None:
    track = TrackShelf().get(TRACK)
    turn = next(each for each in track.corners if each.id == fleet.truth.drivers["d-000"].weak[TRACK])
    found = answers.corner(fleet.lake, track, turn, "gt4", "dry", "d-000")
    spreads = {each.figure: each for each in found.spreads}
    assert found.drivers == 2
    assert spreads["time_s"].fast < spreads["time_s"].p50 < (spreads["time_s"].others or 0.0) + 1e-9
    # The brake point is so much before the apex as the truth has it: the base lap's and the deficits.
    brake = spreads["brake_m"]
    assert brake.fast is not None
    assert brake.others is not None
    assert brake.fast < brake.others
    assert brake.p90 - brake.p10 < 60.0
    assert found.standing is not None
    assert 0.0 <= found.standing.faster_than_share <= 1.0
    with pytest.raises(LakeError, match="0 passes"):
        answers.corner(fleet.lake, track, turn, "kart")


def test_a_composed_lap_is_faster_than_any_driven_one_and_can_be_driven_against(
    fleet: KnownFleet, tmp_path: Path
) -> None:
    shelf = TrackShelf()
    track = shelf.get(TRACK)
    made = composed.compose(fleet.lake, shelf, track, "gt4", "dry")
    lap = made.lap.lap
    assert fleet.truth.base_lap_s[f"{TRACK}/gt4"] - 0.1 < lap.lap_time_s <= made.best_s + 1e-6
    steps = zip(lap.speed_mps, lap.speed_mps[1:], strict=False)
    assert max(abs(a - b) for a, b in steps) < composed.JOIN_MPS + 2.0
    path = tmp_path / "lap.pitlap"
    path.write_bytes(msgspec.json.encode(made.lap))
    assert composed_lap(path, track) == lap
    # It rides along by itself where it is faster than the driver's own, and not with a slower kind of car.
    assert [
        of_others(tmp_path, track, msgspec.structs.replace(lap, lap_time_s=share * lap.lap_time_s))
        is not None
        for share in (1.0, 1.02, 1.2)
    ] == [False, True, False]
    assert of_others(tmp_path, shelf.get("sonoma"), None) is None
    with pytest.raises(StoreError, match="is a lap of"):
        composed_lap(path, shelf.get("sonoma"))
    path.write_bytes(msgspec.json.encode(made.lap)[:-40])
    with pytest.raises(StoreError, match="no composed lap"):
        composed_lap(path, track)


def test_a_refined_track_lies_where_it_is_driven(fleet: KnownFleet) -> None:
    track = TrackShelf().get(TRACK)
    found = composed.refine(fleet.lake, track)
    assert found.moved_m < 2.0
    assert found.track.length_m == pytest.approx(track.length_m, rel=0.01)
    assert any(each.brake_m is not None for each in found.track.corners), "a drawn circuit has none"


def test_no_driver_is_in_two_parts_of_the_data_set(fleet: KnownFleet, tmp_path: Path) -> None:
    found = composed.training_set(fleet.lake, tmp_path / "set")
    drivers = [driver for part in found.parts for driver in part.drivers]
    assert sorted(drivers) == sorted(fleet.truth.drivers)
    assert {part.split for part in found.parts} == {"train", "validation", "test"}
    assert sum(part.laps for part in found.parts) == sum(e.flying_laps for e in fleet.lake.chosen())
    assert (tmp_path / "set" / "dataset.json").is_file()


class BrokenOff(ProcessEngine):
    """Ends after some sessions, as a machine that is switched off."""

    def run(self, url: str, layers: Sequence[str], works: Sequence[SessionWork]) -> Iterator[WorkOutcome]:
        yield from judge_works(url, layers, works[:9])
        raise KeyboardInterrupt


def test_a_broken_off_analysis_goes_on_where_it_was_and_names_what_fails(
    fleet: KnownFleet, tmp_path: Path
) -> None:
    root = tmp_path / "lake"
    shutil.copytree(fleet.root, root)
    lake = open_lake(str(root))
    works = works_of(lake, lake.chosen()[:16])
    damaged = root / works[12].files["frames"]
    damaged.write_bytes(damaged.read_bytes()[:5_000])
    verdicts = Verdicts(tmp_path / "verdicts.sqlite")
    with pytest.raises(KeyboardInterrupt):
        analyse(BrokenOff(1), str(root), [], works, verdicts)
    kept = len(works) - len(verdicts.missing(works))
    assert kept == 8, "what was whole is kept"
    seen: list[RunProgress] = []
    failed = analyse(ProcessEngine(1), str(root), [], works, verdicts, seen.append)
    assert (seen[-1].done, seen[-1].total, seen[-1].failed) == (8, 8, 1)
    entry = works[12].entry
    assert list(failed) == [entry.key]
    assert works[12].files["frames"] in failed[entry.key]
    found = list(verdicts.get(works))
    assert [each.session for each in found] == [w.entry.session for w in works if w is not works[12]]
    assert verdicts.forget(entry.driver) == sum(each.driver == entry.driver for each in found)


@pytest.mark.long
def test_a_folded_lake_gives_the_same_verdicts(fleet: KnownFleet, tmp_path: Path) -> None:
    root = tmp_path / "lake"
    shutil.copytree(fleet.root, root)
    assert compact(open_storage(str(root)), grace_s=0.0).sessions == SESSIONS
    found = []
    for url in (str(fleet.root), str(root)):
        lake = open_lake(url)
        # Of a folded file some sessions, and all of them.
        works = [*works_of(lake, lake.chosen()[::40]), *works_of(lake, lake.chosen())[20::40]]
        found.append(([work.files["laps"] for work in works], list(judge_works(url, [], works))))
    assert found[0][0] != found[1][0], "other files"
    assert found[0][1] == found[1][1]
    assert all(each.body for each in found[0][1])


def test_every_answer_is_told_and_drawn(fleet: KnownFleet) -> None:
    words = ENGLISH
    track = TrackShelf().get(TRACK)
    turn = track.corners[0]
    views = [
        leaderboard_view(answers.leaderboard(fleet.lake, TRACK), track.name, words),
        corner_view(answers.corner(fleet.lake, track, turn, driver="d-000"), track, words),
        driver_view(answers.driver(fleet.lake, "d-006", {TRACK: track}), {TRACK: track}, words),
        advice_view(answers.advice(fleet.lake), "", words),
    ]
    for view in views:
        assert view.tables[0].rows
        assert all(len(row) == len(table.head) for table in view.tables for row in table.rows)
        page = fleet_page(view).decode()
        assert "<script" not in page
        assert view.tables[0].rows[0][0] in page


COMMANDS = (
    ("leaderboard", "lime_rock", "--class", "gt4"),
    ("corner", "lime_rock", "turn_1", "--driver", "d-001", "--processes", "1"),
    ("driver", "d-001", "--processes", "1"),
    ("advice",),
    ("reference", "lime_rock", "--class", "gt4", "--out", "FOLDER/lap.pitlap"),
    ("track", "lime_rock", "--out", "FOLDER/track.json"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_each_answer_is_a_command(
    fleet: KnownFleet, command: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = [each.replace("FOLDER", str(tmp_path)) for each in command]
    home = ["--home", str(fleet.root.parent / "home")]
    more = ["--lake", str(fleet.root), "--json", "--page", str(tmp_path / "page.html")]
    assert main([*home, "fleet", *typed, *more]) == 0
    answer = msgspec.json.decode(capfd.readouterr().out)
    assert TRACK in str(answer) or command == ("advice",)
    assert b"<table>" in (tmp_path / "page.html").read_bytes()
    with pytest.raises(SystemExit):
        main([*home, "fleet", typed[0], "--nonsense"])


@pytest.mark.long
def test_a_process_that_is_killed_costs_nothing_but_time(fleet: KnownFleet, tmp_path: Path) -> None:
    lake = fleet.lake
    works = works_of(lake, lake.chosen())
    one, two = Verdicts(tmp_path / "one.sqlite"), Verdicts(tmp_path / "two.sqlite")
    killed = []

    def kill(seen: RunProgress) -> None:
        if not killed:
            child = next(
                int(pid) for task in Path("/proc/self/task").iterdir()
                for pid in (task / "children").read_text().split()
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
            )  # fmt: skip
            os.kill(child, signal.SIGKILL)
            killed.append(child)

    assert analyse(ProcessEngine(2), str(fleet.root), [], works, two, kill) == {}
    assert killed
    assert analyse(ProcessEngine(1), str(fleet.root), [], works, one) == {}
    assert list(one.get(works)) == list(two.get(works))
