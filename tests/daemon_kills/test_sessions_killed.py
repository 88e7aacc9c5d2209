"""A kill while tracks change: afterwards all is as an unbroken run makes it of the journal."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from club import club_circuit
from killed_homes import (
    KILLED,
    TRUE_WITHIN_S,
    Death,
    differences,
    killed,
    settled,
    told_apart_from_replay,
    without_database,
)
from running_daemon import WITHIN_S, Daemon, write_settings

from pitwall.api.changes import judge_all
from pitwall.cli import main as pitwall
from pitwall.config import Home, shipped
from pitwall.daemon.sessions.life import CarState
from pitwall.daemon.sessions.remeasuring import Remeasuring
from pitwall.drive.prepare import known_tracks, prepare_words
from pitwall.drive.rebuild import match_again, rebuilder
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import Mistake, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.lessons import unjudged
from pitwall.store.queries import laps, sessions
from pitwall.store.store import Store, recover
from pitwall.track.library import load_track
from pitwall.track.model import Track

pytestmark = pytest.mark.long
LAPS, SPEED = 2, 60
# Far from every shipped track.
BUILT_AT_DEG = (41.5, -100.2)
# How long measuring a home as short as this takes on a machine that does little else.
MEASURE_S = 1.5


class Circuit(msgspec.Struct, frozen=True):
    """A track, the recording of a drive there, and homes that know it."""

    folder: Path
    track: str

    @property
    def recording(self) -> Path:
        return self.folder / "drive.pwj"

    @property
    def later_track(self) -> Path:
        """The track's file as it comes to the home after the drive that is to be matched."""
        return self.folder / f"{self.track}.json"

    @property
    def times(self) -> dict[int, float]:
        """The true times of the flying laps."""
        return msgspec.json.decode((self.folder / "times.json").read_bytes(), type=dict[int, float])

    @property
    def samples(self) -> int:
        return int((self.folder / "samples").read_text())

    @contextmanager
    def home(self, name: str) -> Iterator[Home]:
        """A copy of the home that has driven here before (`before`), or whose drive is to be matched."""
        with TemporaryDirectory() as root:
            shutil.copytree(self.folder / name, Path(root) / "home")
            yield Home(Path(root) / "home")


Circuits = Callable[[str], Circuit]


@pytest.fixture(scope="session")
def circuits(made_once: Callable[[str, Callable[[Path], object]], Path], sonoma_clips: Path) -> Circuits:
    def sonoma(folder: Path) -> None:
        make_circuit(folder, load_track(shipped("track_data") / "sonoma.json"), sonoma_clips)

    def built(folder: Path) -> None:
        make_circuit(folder, club_circuit(BUILT_AT_DEG), sonoma_clips)

    makers = {"sonoma": sonoma, "built": built}
    return lambda track: Circuit(made_once(f"killed-{track}", makers[track]), track)


def make_circuit(folder: Path, driven: Track, clips: Path) -> None:
    mistake = Mistake("turn_4", "brake_early", 40.0, 1, LAPS)
    plan = SimulationPlan(laps=LAPS, rate_hz=10.0, mistakes=(mistake,))
    folder.mkdir()
    drive = simulate_to_file(driven, plan, "journal", folder / "drive.pwj")
    times = {lap.number: lap.time_s for lap in drive.truth.laps if lap.time_s is not None}
    (folder / "times.json").write_bytes(msgspec.json.encode(times))
    (folder / "samples").write_text(str(drive.samples))
    before = Home(folder / "before")
    before.prepare()
    shutil.copytree(clips, before.clips, dirs_exist_ok=True)
    if driven.id != "sonoma":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PITWALL_HOME", str(before.root))
            assert pitwall(["track", "build", str(folder / "drive.pwj"), "--id", "built"]) == 0
        words = prepare_words(before, known_tracks(before)[0]["built"], sound=True)
        assert words.clips, words.notes
    earlier = folder / "earlier.pwj"
    simulate_to_file(driven, msgspec.structs.replace(plan, seed=2), "journal", earlier)
    with Store(before) as store:
        store.open()
        import_file(earlier, before, store)
        judge_all(store)
    to_match = Home(folder / "to match")
    shutil.copytree(before.root, to_match.root)
    if driven.id == "sonoma":  # a corner goes, and the line lies a metre further north
        edited = msgspec.structs.replace(
            driven,
            corners=driven.corners[:3] + driven.corners[4:],
            centreline=tuple((lat + 1e-5, lon, altitude) for lat, lon, altitude in driven.centreline),
        )
        (folder / "sonoma.json").write_bytes(msgspec.json.encode(edited))
    else:
        (to_match.track_data / "built.json").rename(folder / "built.json")
    write_settings(to_match, {"car": f"replay:{folder / 'drive.pwj'}?live=true&speed={SPEED}"})
    with Daemon(to_match) as daemon:
        daemon.wait_until(played)
        assert daemon.end() == 0


def played(status: object) -> bool:
    source = status["sources"][0]  # type: ignore[index]
    return source["state"] == "stopped" and status["inbox"]["taken"] >= source["readings"] > 0  # type: ignore[index]


def drive(home: Home, circuit: Circuit, death: Death) -> tuple[str, bool]:
    write_settings(
        home,
        {"car": f"replay:{circuit.recording}?live=true&speed={SPEED}"},
        close_silent_s=600.0 if death.moment == "driving" else 1.0,
        # The recording begins anew with each daemon: so does the session.
        continue_within_s=0.0,
    )
    return death.moment, killed(home, death, "-v", "run") == KILLED


@pytest.mark.parametrize(("track", "how"), [("sonoma", "run on"), ("built", "command")])
def test_a_track_that_changes_between_a_kill_and_the_next_start(
    track: str, how: str, circuits: Circuits, tmp_path: Path
) -> None:
    circuit = circuits(track)
    with circuit.home("to match") as home:
        assert drive(home, circuit, Death("driving", circuit.samples // 2, 0.0))[1]
        shutil.copy(circuit.later_track, home.track_data)
        if how == "run on":
            write_settings(home, {}, continue_within_s=600.0)
            killed(home, Death("feeding", 1, MEASURE_S), "-v", "run")
        assert_unbroken(home, circuit, tmp_path, cues=False)


def test_a_match_that_is_broken_off_twice_before_its_track_comes_back(
    circuits: Circuits, tmp_path: Path
) -> None:
    """Rows of the match without the track may be there, and the place of the session is not known yet."""
    circuit = circuits("built")
    with circuit.home("before") as home:
        track = home.track_data / "built.json"
        track.rename(tmp_path / track.name)
        with Store(home) as store:
            store.open()
            [session] = [row.id for row in sessions(store)]
            with pytest.raises(BrokenOff):
                match_again(home, store, session, pause=after_looks(3))
        with Store(home) as store:
            store.open()
            [told] = recover(store, rebuilder(home, store, after_looks(1)))
            assert "could not be rebuilt" in told
        (tmp_path / track.name).rename(track)
        assert_unbroken(home, circuit, tmp_path, cues=True)


class BrokenOff(Exception):
    """What ends a match in the middle."""


def after_looks(count: int) -> Callable[[], None]:
    left = iter(range(count))

    def pause() -> None:
        if next(left, count) >= count - 1:
            raise BrokenOff

    return pause


async def test_what_a_kill_left_unjudged_is_judged_at_the_next_start(circuits: Circuits) -> None:
    judged = asyncio.Queue[str]()
    with circuits("sonoma").home("to match") as home, Store(home) as store:
        store.open()
        assert not store.pending
        [live] = [row.id for row in sessions(store) if row.kind == "live"]
        car = CarState()
        car.settled.set()
        car.parked.set()
        remeasuring = Remeasuring(store, known_tracks(home)[0], car, judged.put, lambda *_: None)
        running = asyncio.create_task(remeasuring.run())
        assert await asyncio.wait_for(judged.get(), WITHIN_S) == live
        running.cancel()
        await asyncio.wait({running})
        judge_all(store)
        assert unjudged(store) == []


def assert_unbroken(home: Home, circuit: Circuit, scratch: Path, *, cues: bool) -> None:
    """Each session is what its journal gives without a database, what its replay says and what was driven.

    Without `cues` the track is another one now: what was said was about the old one.
    """
    fresh = without_database(home, scratch / "fresh")
    ours, listed = settled(home)
    theirs, _ = settled(fresh)
    told = differences(ours, theirs)
    for row in listed:
        if row.kind == "live" and row.samples:
            found = told_apart_from_replay(
                home, row.id, without_database(home, scratch / f"replayed {row.id}")
            )
            told += [line for line in found if cues or not line.startswith(("cue", "no cue"))]
            with Store(home) as store:
                store.open()
                timed = {lap.number: lap.time_s for lap in laps(store, row.id) if lap.time_s is not None}
            told += [
                f"lap {number}: {time_s} is not {circuit.times[number]}"
                for number, time_s in timed.items()
                if abs(time_s - circuit.times[number]) >= TRUE_WITHIN_S
            ]
    assert not told, "\n".join(told)
