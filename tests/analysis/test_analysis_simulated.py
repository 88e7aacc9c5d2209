"""Drives whose mistakes are known: each is found where it is and as what it is, and nothing else is."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from long_runs import some
from stored_facts import report_on

from pitwall.analysis.compare import compare_laps, find_pace
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
from pitwall.simulator.plan import SPREADS, Driver, Fault, Mistake, Sensors, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.track.library import load_track

METRES_A_MINUTE = 1_853.25
# kind, amount -> where in the corner it is found, and as what.
MISTAKES = [
    ("brake_early", 70.0, {"brake"}, {"brakes early"}),
    ("coast", 200.0, {"brake"}, {"coasts"}),
    ("overslow", 3.0, {"turn_in", "apex"}, {"over-slows"}),
    ("slow_exit", 0.5, {"exit"}, {"late on the throttle", "slow exit"}),
    # At the same speeds positions alone are no evidence: of 0.4 s half is told, what the exit shows.
    ("missed_apex", 9.0, {"apex", "exit"}, {"line", "slow exit"}),
]


@pytest.mark.parametrize(
    ("kind", "amount", "phases", "causes"), some(MISTAKES, 1), ids=[m[0] for m in MISTAKES]
)
def test_a_mistake_is_the_top_opportunity_in_its_corner_and_phase(store, drive, kind, amount, phases, causes):
    row = drive(Mistake("turn_4", kind, amount, 2, 5), seed=3)
    report = report_on(Facts(store), row)
    assert [each.corner for each in report.opportunities] == ["turn_4"]
    top = report.opportunities[0]
    assert top.phase in phases
    assert top.cause in causes
    assert top.laps == (2, 3, 4, 5)
    assert report.reference == f"{row.id}:1"
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
    facts, compared, asked = Facts(store), [], []
    for path in paths:
        session = import_file(path, store.home, store).session
        [row] = [each for each in facts.sessions() if each.id == session]
        report, driven = report_on(facts, row), load_drive(facts, row)
        assert (report.opportunities, report.incidents) == ((), ())
        assert "Nothing costs you time lap after lap" in compose_debrief(report)
        events = derive_events(driven, report.opportunities, report.highlights, report.incidents, ())
        assert {event.kind for event in events} == {"profile.driven"}
        assert judge(events, (), Names(facts)) == []
        laps = [lap.number for lap in driven.flying]
        compared.append(
            [compare_laps(club, driven.curves[n], driven.curves[laps[0]]).corners for n in laps[1:]]
        )
        asked.append(
            Composed(Tools(facts).about(row), facts)("TelemetryAgent", "where do I lose the most time")
        )
    for still, elsewhere in zip(*compared, strict=True):
        for one, other in zip(still, elsewhere, strict=True):
            assert other.delta_s == pytest.approx(one.delta_s, abs=0.1)
    # The second is compared with the first, a hair from it, and names no corner.
    assert "Nothing is lost again and again" in asked[0]
    assert not any("Turn" in answer for answer in asked)


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


@pytest.mark.long
def test_passes_that_lose_in_another_part_each_lap_are_no_one_fault(store, drive):
    mistakes = (
        Mistake("turn_4", "brake_early", 70.0, 3, 3),
        Mistake("turn_4", "overslow", 3.0, 4, 4),
        Mistake("turn_4", "slow_exit", 0.5, 5, 5),
    )
    report = report_on(Facts(store), drive(*mistakes, seed=3))
    [top] = report.opportunities
    assert (top.corner, top.laps, top.cause) == ("turn_4", (3, 4, 5), "differs")
    assert (top.phases[0], top.phases[2]) == ("brake", "exit")
    assert top.phases[1] in ("turn_in", "apex")
    text = compose_debrief(report)
    assert "Turn 4, in another part each time" in text
    assert "on the brakes in lap 3" in text
    assert "on the way out in lap 5" in text


def test_nothing_is_found_where_nothing_is_wrong(clean):
    facts, row = Facts(clean[0]), clean[1]
    report = report_on(facts, row)
    assert report.opportunities == ()
    assert report.incidents == ()
    assert not [each for each in report.highlights if each.kind == "fault cured"]
    times = [lap.time_s for lap in report.laps if lap.kind == "flying"]
    [praised] = [each for each in report.highlights if each.kind == "consistent laps"]
    assert praised.value_s == pytest.approx(max(times) - min(times))
    potential = report.potential
    assert max(potential.by_sectors_s, potential.by_corners_s) <= potential.best_lap_s + 1e-9
    assert sum(piece.gain_s for piece in potential.corners) == pytest.approx(
        potential.best_lap_s - potential.by_corners_s, abs=1e-6
    )
    assert "Nothing costs you time lap after lap" in compose_debrief(report)
    answer = Composed(Tools(facts).about(row), facts).answer("CornerCoachAgent", "what should I change next?")
    assert answer.text.startswith("Nothing costs you time lap after lap")


@pytest.mark.long
def test_a_cured_mistake_is_a_highlight_and_no_opportunity(store, drive):
    report = report_on(Facts(store), drive(Mistake("turn_4", "overslow", 3.0, 1, 3), seed=5))
    cures = [each for each in report.highlights if each.kind == "fault cured"]
    assert [(each.corner, each.laps) for each in cures] == [("turn_4", (4, 5))]
    assert cures[0].gain_s > 0.5
    assert report.opportunities == ()
    assert "Turn 4 came good" in compose_debrief(report)


@pytest.mark.long
def test_a_fault_that_the_fastest_lap_has_too_is_found_by_another_lap(store, drive):
    # Lap 1 is the slowest for turn 5, and the only one that is clean in turn 4.
    mistakes = (Mistake("turn_5", "overslow", 6.0, 1, 1), Mistake("turn_4", "brake_early", 50.0, 2, 5))
    report = report_on(Facts(store), drive(*mistakes, seed=6))
    assert report.reference_lap != 1
    [found] = report.opportunities
    assert (found.corner, found.cause, found.laps, found.against_lap) == (
        "turn_4", "brakes early", (2, 3, 4, 5), 1,
    )  # fmt: skip
    assert found.brake_shift_m == pytest.approx(-50.0, abs=10.0)
    told = compose_debrief(report)
    assert "Against lap 1 you brake" in told
    assert "now do it again" not in told


@pytest.mark.long
def test_the_dearer_of_two_mistakes_comes_first_and_that_of_one_lap_is_none(store, drive):
    mistakes = (
        Mistake("turn_2", "late_throttle", 70.0, 2, 5),
        Mistake("turn_4", "overslow", 3.0, 3, 3),
        Mistake("turn_5", "overslow", 4.0, 2, 5),
    )
    report = report_on(Facts(store), drive(*mistakes, seed=6))
    assert [(each.corner, each.phase, each.cause) for each in report.opportunities] == [
        ("turn_5", "turn_in", "over-slows"), ("turn_2", "exit", "late on the throttle"),
    ]  # fmt: skip
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
    assert report.opportunities == ()
    assert find_pace(load_drive(Facts(store), row)).stints[0].left_out == (4, 5)


@pytest.mark.long
def test_missing_steering_is_said_and_nothing_guessed(store, drive):
    fault = Fault(signal="steering_deg", kind="drop")
    setup = find_setup(load_drive(Facts(store), drive(faults=(fault,), seed=2)))
    assert setup.balance == "unknown"
    assert setup.gradient_deg_per_g is None
    assert "steering_deg" in setup.missing
    assert any("the steering angle" in note for note in setup.notes)


@pytest.mark.long
def test_gps_alone_finds_the_corner_and_says_what_it_lacks(store, drive):
    channels = ("lat_deg", "lon_deg", "speed_mps", "heading_deg", "satellites")
    row = drive(Mistake("turn_4", "overslow", 3.0, 2, 5), seed=13, sensors=Sensors(channels=channels))
    report = report_on(Facts(store), row)
    assert [(each.corner, each.cause) for each in report.opportunities] == [("turn_4", "over-slows")]
    assert report.opportunities[0].coast_diff_s is None
    assert all(each.peak_brake_bar is None and each.throttle_m is None for each in report.passes)
    assert "No brake signal was recorded" in compose_debrief(report)


@pytest.mark.long
def test_a_fading_stint_fades(store, drive, clean):
    # Each lap a little slower than the one before.
    mistakes = [Mistake("turn_3", "overslow", 0.5 * lap, lap, lap) for lap in range(1, 7)]
    stint = find_pace(load_drive(Facts(store), drive(*mistakes, laps=6, seed=9))).stints[0]
    assert stint.fades
    assert 0.0 < stint.slope_s_per_lap < 1.0
    steady = find_pace(load_drive(Facts(clean[0]), clean[1])).stints[0]
    assert not steady.fades or steady.slope_s_per_lap < 0.05


@pytest.mark.long
def test_the_unsteady_corner_leads_the_variance_map(store, drive):
    mistakes = [Mistake("turn_3", "overslow", 3.0, lap, lap) for lap in (2, 4)]
    report = report_on(Facts(store), drive(*mistakes, seed=11))
    assert report.variance.corners[0].corner == "turn_3"
    assert report.variance.corners[0].worst_lap in (2, 4)
