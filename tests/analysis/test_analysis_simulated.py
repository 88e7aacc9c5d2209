"""Drives whose mistakes are known: each is found where it is and as what it is, and nothing else is."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from long_runs import some
from stored_facts import report_on

from pitwall.analysis.compare import compare_laps, find_fade, find_pace
from pitwall.analysis.compose import compose_debrief
from pitwall.analysis.drive import load_drive
from pitwall.analysis.lessons import Names, judge
from pitwall.analysis.places import are_counted
from pitwall.analysis.port import Facts
from pitwall.analysis.profile import derive_events
from pitwall.analysis.setup import find_setup
from pitwall.analysis.tools import Tools
from pitwall.config import shipped
from pitwall.drive.replay import import_file
from pitwall.paddock.composed import Composed
from pitwall.simulator.plan import SPREADS, Driver, Mistake, Sensors, SimulationPlan
from pitwall.simulator.sensors import CHANNELS
from pitwall.simulator.simulate import simulate_to_file
from pitwall.track.library import load_track

METRES_A_MINUTE = 1_853.25
# kind, amount -> the phase in which it is found, and the action that mends it.
MISTAKES = [
    ("brake_early", 70.0, {"brake"}, {"brake_later"}),
    ("coast", 200.0, {"brake"}, {"no_coasting"}),
    ("overslow", 3.0, {"middle"}, {"more_apex_speed"}),
    ("slow_exit", 0.5, {"middle", "exit"}, {"throttle_sooner", "throttle_fully"}),
    # Speed and pedals don't show the line; they show that the car on it is braked sooner.
    ("missed_apex", 9.0, {"brake"}, {"brake_later"}),
]


@pytest.mark.parametrize(
    ("kind", "amount", "phases", "actions"), some(MISTAKES, 1), ids=[m[0] for m in MISTAKES]
)
def test_a_mistake_is_the_top_opportunity_in_its_corner_and_phase(
    store, drive, kind, amount, phases, actions
):
    row = drive(Mistake("turn_4", kind, amount, 2, 5), seed=3)
    report = report_on(Facts(store), row)
    top = report.opportunities[0]
    assert top.corner == "turn_4"
    # So long a coast begins on the way out of the corner before: a loss there, but nothing to do there.
    elsewhere = [
        each
        for each in report.opportunities[1:]
        if (kind, each.corner, each.action) != ("coast", "turn_3", "repeat")
    ]
    # The corner behind the mistake is driven from its line: half as dear where the apex was missed.
    assert all(each.loss_s < 0.6 * top.loss_s for each in elsewhere)
    assert top.phase in phases
    assert top.action in actions
    assert (top.laps, top.against_lap) == ((2, 3, 4, 5), 1)
    # The corner's loss is the lap's loss: there is no other mistake.
    laps = {lap.number: lap.time_s for lap in report.laps}
    assert top.loss_s == pytest.approx(sorted(laps[n] - laps[1] for n in (2, 3, 4, 5))[1], abs=0.3)


def seen_elsewhere(path: Path, metres: Callable[[float], tuple[float, float]]) -> Path:
    """A VBO with its places so many metres north and east, by the share of the drive that is over."""
    head, _, data = path.read_bytes().decode("latin-1").partition("[data]\r\n")
    names = head.partition("[column names]\r\n")[2].split("\r\n")[0].split()
    lat, lon = names.index("lat"), names.index("long")
    rows = [row.split(" ") for row in data.split("\r\n") if row]
    for number, row in enumerate(rows):
        north_m, east_m = metres(number / len(rows))
        wide_m = METRES_A_MINUTE * math.cos(math.radians(float(row[lat]) / 60.0))
        row[lat] = f"{float(row[lat]) + north_m / METRES_A_MINUTE:+012.6f}"
        row[lon] = f"{float(row[lon]) - east_m / wide_m:+013.6f}"
    made = path.with_name("elsewhere.vbo")
    made.write_bytes(
        (head + "[data]\r\n" + "".join(" ".join(row) + "\r\n" for row in rows)).encode("latin-1")
    )
    return made


@pytest.mark.long
@pytest.mark.parametrize(
    "metres",
    [lambda share: (1.4, 1.4) if int(10.0 * share) % 2 else (0.0, 0.0), lambda share: (0.0, 4.0 * share)],
)
def test_what_a_receiver_does_that_wanders_or_steps_is_no_loss(store, club, tmp_path, metres):
    """Nothing in the debrief, in the opportunities, and so in the profile and the lessons made of them; and
    a comparison of two laps gives what it gave without."""
    plan = SimulationPlan(laps=12, driver=Driver(variation=SPREADS[0.08]))
    simulate_to_file(club, plan, "vbo", tmp_path / "still.vbo")
    paths = tmp_path / "still.vbo", seen_elsewhere(tmp_path / "still.vbo", metres)
    facts, compared = Facts(store), []
    for path in paths:
        session = import_file(path, store.home, store).session
        [row] = [each for each in facts.sessions() if each.id == session]
        report, driven = report_on(facts, row), load_drive(facts, row)
        assert report.incidents == ()
        assert not any(each.is_fault for each in report.opportunities)
        events = derive_events(driven, report.opportunities, report.incidents, ())
        assert {event.kind for event in events} == {"profile.driven"}
        assert judge(events, (), Names(facts)) == []
        laps = [lap.number for lap in driven.flying]
        compared.append(
            [compare_laps(club, driven.curves[n], driven.curves[laps[0]]).corners for n in laps[1:]]
        )
    for still, elsewhere in zip(*compared, strict=True):
        for one, other in zip(still, elsewhere, strict=True):
            assert other.delta_s == pytest.approx(one.delta_s, abs=0.1)


@pytest.mark.long
def test_corners_that_were_only_counted_are_told_as_such(clean):
    report = report_on(Facts(clean[0]), clean[1])
    sonoma = load_track(shipped("track_data") / "sonoma.json")
    counted = [
        msgspec.structs.replace(each, number=str(order), name=f"Turn {order}", sureness=0.5)
        for order, each in enumerate(sonoma.corners, 1)
    ]
    assert are_counted(counted)
    assert not are_counted(sonoma.corners)
    assert not are_counted([*counted[:-1], msgspec.structs.replace(counted[-1], sureness=1.0)])
    for told in (True, False):
        facts = msgspec.structs.replace(report, corners_counted=told)
        assert ("the track's own numbers may differ" in compose_debrief(facts)) == told


def test_nothing_is_found_where_nothing_is_wrong(clean):
    facts, row = Facts(clean[0]), clean[1]
    report = report_on(facts, row)
    assert report.opportunities == ()
    assert report.incidents == ()
    times = [lap.time_s for lap in report.laps if lap.kind == "flying"]
    [praised] = [each for each in report.highlights if each.kind == "consistent laps"]
    assert praised.value_s == pytest.approx(max(times) - min(times))
    potential = report.potential
    assert potential.theory_s <= potential.best_lap_s
    assert potential.best_lap_s - potential.theory_s == pytest.approx(potential.gain_s)
    assert all(piece.gain_s > 0.0 for piece in potential.pieces)
    assert "You are consistent" in compose_debrief(report)
    answer = Composed(Tools(facts).about(row), facts).answer("CornerCoachAgent", "what should I change next?")
    assert answer.text.startswith("You are consistent")


@pytest.mark.long
def test_a_corner_is_compared_with_its_best_pass_and_not_with_that_of_the_best_lap(store, drive):
    # Lap 1 is the slowest for turn 5, and the only one that is clean in turn 4.
    mistakes = (Mistake("turn_5", "overslow", 6.0, 1, 1), Mistake("turn_4", "brake_early", 50.0, 2, 5))
    report = report_on(Facts(store), drive(*mistakes, seed=6))
    assert report.reference_lap != 1
    found = report.opportunities[0]
    assert (found.corner, found.action, found.laps, found.against_lap) == (
        "turn_4", "brake_later", (2, 3, 4, 5), 1,
    )  # fmt: skip
    # The braking is earlier and softer: its curve shifts by less than its beginning.
    assert 25.0 < found.amount < 55.0
    assert "Your best pass, lap 1, braked about" in compose_debrief(report)


@pytest.mark.long
def test_the_dearer_of_two_mistakes_comes_first_and_that_of_one_lap_is_none(store, drive):
    mistakes = (
        Mistake("turn_2", "late_throttle", 70.0, 2, 5),
        Mistake("turn_4", "overslow", 3.0, 3, 3),
        Mistake("turn_5", "overslow", 4.0, 2, 5),
    )
    report = report_on(Facts(store), drive(*mistakes, seed=6))
    assert [each.corner for each in report.opportunities[:2]] == ["turn_5", "turn_2"]
    assert report.opportunities[0].action == "more_apex_speed"
    assert report.opportunities[1].action in ("throttle_sooner", "throttle_fully", "throttle_once")
    assert "consistent laps" not in [each.kind for each in report.highlights]


@pytest.mark.long
def test_the_understeer_of_the_simulated_car_is_measured(clean):
    setup = find_setup(load_drive(Facts(clean[0]), clean[1]))
    # The M3 of the simulator: 1.5 degrees of road wheel per g through a 15.4:1 rack.
    assert setup.balance == "understeer"
    assert setup.gradient_deg_per_g == pytest.approx(1.5 * 15.4, abs=1.5)
    assert setup.caught_slides == 0


@pytest.mark.long
def test_laps_to_cool_down_are_no_faults(store, drive):
    slow = [Mistake(f"turn_{n}", "overslow", 8.0, 4, 5) for n in range(1, 6)]
    row = drive(*slow, seed=15)
    report = report_on(Facts(store), row)
    best = report.potential.best_lap_s
    assert [lap.number for lap in report.laps if lap.time_s and lap.time_s > 1.07 * best] == [4, 5]
    assert not any(each.is_fault for each in report.opportunities)
    assert find_pace(load_drive(Facts(store), row))[0].left_out == (4, 5)


@pytest.mark.long
def test_missing_steering_is_said_and_nothing_guessed(store, drive):
    sensors = Sensors(channels=tuple(name for name in CHANNELS if name != "steering_deg"))
    setup = find_setup(load_drive(Facts(store), drive(sensors=sensors, seed=2)))
    assert setup.balance == "unknown"
    assert setup.gradient_deg_per_g is None
    assert "steering_deg" in setup.missing
    assert any("the steering angle" in note for note in setup.notes)


@pytest.mark.long
def test_gps_alone_finds_the_corner_and_says_what_it_lacks(store, drive):
    channels = ("lat_deg", "lon_deg", "speed_mps", "heading_deg", "satellites")
    row = drive(Mistake("turn_4", "overslow", 3.0, 2, 5), seed=13, sensors=Sensors(channels=channels))
    report = report_on(Facts(store), row)
    assert (report.opportunities[0].corner, report.opportunities[0].action) == ("turn_4", "more_apex_speed")
    assert all(each.peak_brake_bar is None and each.throttle_m is None for each in report.passes)
    assert "No brake signal was recorded" in compose_debrief(report)


@pytest.mark.long
def test_a_fading_stint_fades(store, drive, clean):
    # Each lap a little slower than the one before.
    mistakes = [Mistake("turn_3", "overslow", 0.5 * lap, lap, lap) for lap in range(1, 7)]
    driven = load_drive(Facts(store), drive(*mistakes, laps=6, seed=9))
    stint = find_pace(driven)[0]
    assert stint.fades
    fade = find_fade(driven.counting)
    assert fade is not None
    assert fade.laps == (2, 3, 4, 5, 6)
    assert fade.from_s < fade.to_s
    assert 0.0 < stint.slope_s_per_lap < 1.0
    assert find_fade(load_drive(Facts(clean[0]), clean[1]).counting) is None
    steady = find_pace(load_drive(Facts(clean[0]), clean[1]))[0]
    assert not steady.fades or steady.slope_s_per_lap < 0.05


@pytest.mark.long
def test_the_unsteady_corner_leads_the_variance_map(store, drive):
    mistakes = [Mistake("turn_3", "overslow", 3.0, lap, lap) for lap in (2, 4)]
    report = report_on(Facts(store), drive(*mistakes, seed=11))
    assert report.variance[0].corner == "turn_3"
