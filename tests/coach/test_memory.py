"""What the coach knows of earlier days, and how it speaks: simulated drives through the car's path."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from coach_world import CORNERS, corner_pass
from losses import losses
from taken import Taken, TimedWords, take

from pitwall.analysis.highlights import AdviceResult, at_pace, explained
from pitwall.coach.cue import TIME_LOST, LedgerLine, Mode
from pitwall.coach.scripts import load_scripts
from pitwall.config import Home, shipped
from pitwall.drive.controls import Kind, control
from pitwall.drive.frozen import freeze, thaw
from pitwall.drive.prepare import DriveSettings, Memory
from pitwall.drive.reference import memory_of_lap, refuse_unknown_lap, remembered
from pitwall.drive.replay import import_file
from pitwall.drive.session import DriveSession, Supplies
from pitwall.simulator.plan import Driver, Mistake, SimulationPlan, Traffic
from pitwall.simulator.sensors import stream
from pitwall.simulator.simulate import simulate, simulate_to_file
from pitwall.store.errors import StoreError
from pitwall.store.queries import rows
from pitwall.store.store import Store
from pitwall.track.library import load_tracks
from pitwall.track.model import Track
from pitwall.words.forms import LEVELS
from pitwall.words.language import ENGLISH


@pytest.fixture(scope="module")
def track() -> Track:
    return load_tracks((shipped("track_data"),))["sonoma"]


def drive(track: Track, plan: SimulationPlan, *controls: tuple[Kind, str], mode: Mode = "coach") -> Taken:
    scripts = (shipped("audio_cache"),)
    return take(simulate(track, plan), plan, Taken(), track, controls, scripts=scripts, mode=mode)


@pytest.fixture(scope="module")
def store(track: Track, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The store after a day of a fast driver, and of a slower one."""
    home = Home(tmp_path_factory.mktemp("home"))
    store = Store(home)
    store.open()
    for name, grip in (("fast", 0.97), ("slow", 0.9)):
        file = home.root / f"{name}.vbo"
        simulate_to_file(track, SimulationPlan(laps=1, driver=Driver(grip_use=grip)), "vbo", Path(file))
        import_file(file, home, store)
    yield store
    store.close()


@pytest.fixture(scope="module")
def memory(store: Store, track: Track) -> Memory:
    """What a home remembers of them: the fast one."""
    return remembered(store, track, "", "")


@pytest.mark.long
def test_the_best_lap_of_all_days_is_remembered(memory: Memory, track: Track) -> None:
    lap = memory.reference
    again = msgspec.json.decode(msgspec.json.encode(memory), type=Memory)
    assert again == memory
    # A journal takes it whole, of a track of any length.
    assert len(msgspec.json.encode(memory)) < 100_000
    assert lap.lap_time_s == pytest.approx(112.5, abs=0.5)


@pytest.mark.long
def test_a_remembered_lap_is_driven_against_from_the_second_lap_on(memory: Memory, track: Track) -> None:
    plan = SimulationPlan(laps=3, driver=Driver(grip_use=0.93))
    heard = drive(track, plan, ("memory", msgspec.json.encode(memory).decode()))
    with_advice = [line for line in heard.said(laps=range(1, 4)) if line.concept]
    assert with_advice
    assert all(memory.reference.label in line.reason for line in with_advice)
    # Alone, the same three even laps show nothing.
    assert not [line for line in drive(track, plan).said() if line.concept]


@pytest.mark.long
def test_a_lap_of_another_grip_is_not_driven_against(memory: Memory, track: Track) -> None:
    """In the wet everything is slower: the coach takes the day's own best, and does not nag."""
    wet = SimulationPlan(laps=4, driver=Driver(grip_use=0.6))
    heard = drive(track, wet, ("memory", msgspec.json.encode(memory).decode()))
    flying = next(lap.number for lap in heard.laps if lap.kind == "flying")
    later = heard.said(laps=range(flying + 1, 100))
    assert not [line for line in later if memory.reference.label in line.reason]


@pytest.mark.long
def test_a_slow_first_lap_is_no_other_day_and_a_far_slower_one_gives_the_lap_back(
    memory: Memory, track: Track
) -> None:
    for share in (0.9, 0.75):
        plan = SimulationPlan(
            laps=3, driver=Driver(grip_use=0.93), traffic=(Traffic(1, share), Traffic(2, share))
        )
        heard = drive(track, plan, ("memory", msgspec.json.encode(memory).decode()))
        times = [lap.time_s for lap in heard.laps if lap.kind == "flying" and lap.time_s is not None]
        assert times[0] > 1.06 * memory.reference.lap_time_s
        assert times[-1] < 1.06 * memory.reference.lap_time_s
        assert heard.path.reference.label == memory.reference.label


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.long
def test_a_lap_that_was_chosen_stays_though_this_day_beats_it(
    memory: Memory, track: Track, given: bool
) -> None:
    chosen_lap = msgspec.structs.replace(memory, lessons=(), given=given)
    plan = SimulationPlan(laps=5, driver=Driver(grip_use=0.99), mistakes=LATE.mistakes)
    heard = drive(track, plan, ("memory", msgspec.json.encode(chosen_lap).decode()))
    times = [lap.time_s for lap in heard.laps if lap.kind == "flying" and lap.time_s is not None]
    assert min(times[:2]) < memory.reference.lap_time_s
    reasons = {memory.reference.label in line.reason for line in heard.lines if line.concept}
    assert reasons == {given}


def test_a_lap_that_is_marked_is_driven_against_no_more(track: Track) -> None:
    """What the driver sees and hears is beside a lap that counts, in a thawed path and in a rebuild too."""
    words = TimedWords(load_scripts((shipped("audio_cache"),), track), {}, ())
    supplies = Supplies({track.id: track}, lambda *_: words)
    plan = SimulationPlan(laps=3, traffic=(Traffic(2, 0.97), Traffic(3, 0.98)))
    seen: list[list[tuple[str, float | None]]] = []
    passes = []
    for coached in (True, False):
        heard, looked = Taken(), list[tuple[str, float | None]]()
        path = heard.path = DriveSession(supplies, DriveSettings(), (heard,), coached=coached)
        path.stream(stream(plan.sensors))
        for kind in ("words", "track"):
            path.control(control(0.0, kind, track.id))
        # In the third lap, every ten seconds: (the lap, what is said of it).
        marks = [(1, "traffic"), (1, "clear"), (2, "yellow"), (1, "traffic")]
        next_t = math.inf
        for sample in simulate(track, plan):
            path.feed(sample)
            if path.lap_number == 3 and not looked:
                looked, next_t = [(label_of(path), path.state.best_s)], sample.t + 10.0
            if marks and sample.t >= next_t:
                lap, said = marks.pop(0)
                ago_s = sample.t - heard.laps[lap].start_t - 1.0
                path.control(control(sample.t, "mark", f"{said}: {ago_s}"))
                path = heard.path = thaw(freeze(path), supplies)
                path.fetch_given()
                path.listen((heard,))
                looked.append((label_of(path), path.state.best_s))
                next_t = sample.t + 10.0
                assert path.reference is None or path.reference.lap_time_s == path.state.best_s
        path.finish()
        assert label_of(path) == "lap 3"
        seen.append(looked)
        passes.append(heard.passes)
    assert [label for label, _ in seen[0]] == ["lap 1", "lap 2", "lap 1", "lap 1", ""]
    assert seen[0][-1] == ("", None)
    assert (seen[1], passes[1]) == (seen[0], passes[0])


def label_of(path: DriveSession) -> str:
    return path.reference.label if path.reference is not None else ""


def test_a_chosen_lap_is_the_one_that_was_named_and_another_is_refused(store: Store, track: Track) -> None:
    sql = "SELECT session FROM laps WHERE kind = 'flying' ORDER BY time_s DESC LIMIT 1"
    slow = str(rows(store, sql, [])[0][0])
    memory = memory_of_lap(store, slow, track)
    assert (memory.given, memory.reference.label) == (True, f"{slow}:1")
    refuse_unknown_lap(store, f"{slow}:1", {track.id: track})
    with pytest.raises(StoreError, match="has no lap 99; timed laps: 1"):
        refuse_unknown_lap(store, f"{slow}:99", {track.id: track})


def test_faults_of_the_last_day_are_spoken_of_once_before_this_day_has_shown_any(track: Track) -> None:
    known = Memory(track.id, None, (("turn_7", "brake_later"), ("nowhere", "brake_later")))
    heard = drive(track, SimulationPlan(laps=2), ("memory", msgspec.json.encode(known).decode()))
    told = [line for line in heard.said() if line.concept]
    assert [(line.corner, line.concept) for line in told] == [("turn_7", "brake_later")]


@pytest.mark.long
def test_a_memory_of_another_track_is_passed_over(memory: Memory, track: Track) -> None:
    other = msgspec.structs.replace(memory, track="elsewhere")
    plan = SimulationPlan(laps=2, driver=Driver(grip_use=0.93))
    heard = drive(track, plan, ("memory", msgspec.json.encode(other).decode()))
    assert heard.lines == drive(track, plan).lines


@pytest.mark.long
def test_words_made_anew_are_spoken_at_once_and_what_was_learnt_stays(track: Track) -> None:
    """The level is switched in the paddock's page or from another seat, in the fifth lap."""
    folders = (shipped("audio_cache"),)
    sets = {level: TimedWords(load_scripts(folders, track, level=level), {}, ()) for level in LEVELS}
    heard = Taken()
    supplies = Supplies({track.id: track}, lambda _, level: sets[level or "intermediate"])
    path = heard.path = DriveSession(supplies, DriveSettings(), (heard,))
    path.stream(stream(LATE.sensors))
    for kind, detail in (("words", track.id), ("track", track.id)):
        path.control(control(0.0, kind, detail))
    switched_t = 0.0
    for sample in simulate(track, LATE):
        path.feed(sample)
        if path.lap_number == 5 and not switched_t:
            switched_t = sample.t
            path.control(control(sample.t, "words", f"{track.id}: beginner"))
    path.finish()
    # The laps before the switch are evidence still; a beginner is called once a lap.
    after = [line for line in heard.said() if line.concept and line.t > switched_t]
    assert (after[0].lap, after[0].corner) == (5, "turn_7")
    assert after[0].concept == "more_apex_speed"


LATE = SimulationPlan(laps=5, mistakes=(Mistake("turn_7", "overslow", 2.5, 3, 5),))


@pytest.mark.long
def test_numbers_are_lap_times_deltas_and_apex_speeds_and_no_advice(track: Track) -> None:
    """A word that is no mode changes nothing."""
    heard = drive(track, LATE, ("mode", "numbers"), ("mode", "nonsense"))
    said = heard.said()
    assert {line.phase for line in said} <= {"numbers", "lap_time"}
    times = [line.text for line in said if line.phase == "lap_time"]
    assert len(times) >= 4
    assert all("point" in text for text in times)
    assert not [line for line in heard.lines if line.concept]


@pytest.mark.long
def test_an_explanation_says_what_was_heeded(track: Track) -> None:
    plan = SimulationPlan(laps=8, mistakes=(Mistake("turn_7", "overslow", 2.5, 3, 6),))
    heard = drive(track, plan)
    lost_s = losses(track, heard.laps, [(frame, position) for frame, position, _ in heard.seen])
    advised = [
        each
        for each in explained(heard.lines, heard.passes, lost_s, range(1, 9))
        if each.corner == "turn_7" and each.spoken
    ]
    # Called in laps 5 and 6 it is done again, in lap 7 it is not.
    assert [(each.lap, each.followed(ENGLISH).partition(":")[0]) for each in advised] == [
        (5, "no better the next time"), (6, "no better the next time"), (7, "better the next time"),
    ]  # fmt: skip
    # Every pass of the mistake loses the same: what is lost "before" is the whole corner's too.
    again = [each for each in advised if each.lap < 7]
    assert all(each.loss_s == pytest.approx(each.next_loss_s, abs=0.15) for each in again)


@pytest.mark.parametrize(("said_t", "lap"), [(110.0, 3), (130.0, 4)])
def test_a_call_before_the_gate_is_to_the_pass_behind_it(said_t: float, lap: int) -> None:
    """The corner is left 20 s into each lap of 100 s; in lap 3 it is called before it, or for the next."""
    each = corner_pass(CORNERS[0], 0)
    passes = [msgspec.structs.replace(each, lap=n, exit_t=100.0 * n - 180.0) for n in (2, 3, 4)]
    losses = {(n, "turn_1"): 1.0 / n for n in (2, 3, 4)}
    line = LedgerLine(
        cue=1, t=said_t, lap=3, corner="turn_1", phase="brake", concept="brake_later", text="Turn one",
        priority=2, tier="rule", outcome="spoken", reason="", action_distance_m=200.0, clip_s=1.0,
        time_in_hand_s=1.0,
    )  # fmt: skip
    assert [told.next_loss_s for told in explained([line], passes, losses, range(9))] == [1.0 / lap]


def test_a_slow_lap_says_nothing_of_what_was_heeded() -> None:
    laps = ((1, "out", 99.0), (2, "flying", 80.0), (3, "flying", 81.0), (4, "flying", 90.0), (5, "in", None))
    assert at_pace(laps) == {2, 3}
    told = AdviceResult(
        3, "turn_7", "over_slowed", "Turn seven: slowed too much", True, "spoken", "", 0.5, None
    )
    said = {lost_s: msgspec.structs.replace(told, next_loss_s=lost_s) for lost_s in (0.1, 0.35, 0.6)}
    assert told.followed(ENGLISH) == ""
    assert [each.followed(ENGLISH).partition(":")[0] for each in said.values()] == [
        "better the next time", "a little better the next time", "no better the next time",
    ]  # fmt: skip
    small = msgspec.structs.replace(told, loss_s=0.3, next_loss_s=0.22)
    large = msgspec.structs.replace(told, loss_s=0.67, next_loss_s=0.54)
    assert small.followed(ENGLISH).startswith("no better"), "less was gained than in the other"
    assert large.followed(ENGLISH).startswith("a little better")
    lost = msgspec.structs.replace(said[0.1], concept=TIME_LOST)
    assert "better" not in lost.followed(ENGLISH)
