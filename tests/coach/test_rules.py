"""What the rule coach calls: first laps, faults that persist, their phase, praise once, then silence."""

from __future__ import annotations

import pytest
from coach_world import CORNERS, SPOKEN, coach, corner_pass, drive, listen, one_second, pace, reference, ring

from pitwall.coach.faults import PassLoss, find_fault, is_cured, parts_of, rebase
from pitwall.coach.lead import Delays
from pitwall.coach.pace import reference_pace, typical_pace
from pitwall.coach.places import action_place, open_road_m
from pitwall.coach.rules import RuleCoach
from pitwall.coach.scripts import load_scripts
from pitwall.coach.straights import Straights
from pitwall.track.lap import Lap
from pitwall.track.passes import zones_of

LENGTH_M = 3000.0


def rules() -> RuleCoach:
    track = ring(speed=pace)
    return RuleCoach(track, load_scripts((), track), one_second, Delays())


def losses(*parts: float) -> list[PassLoss]:
    return [PassLoss(lap, loss, 0.0, 0.0) for lap, loss in enumerate(parts, start=1)]


@pytest.mark.parametrize(
    ("seen", "laps"),
    [
        ((0.3,), None),
        ((0.3, 0.3), (1, 2)),
        ((0.3, 0.0), None),
        ((0.3, 0.0, 0.3), None),
        ((0.3, 0.3, 0.0), None),
        ((0.3, 0.0, 0.3, 0.3), (1, 3, 4)),
        ((0.3, 0.3, 0.0, 0.3), (1, 2, 4)),
        ((0.3, 0.3, 0.3, 0.0), (1, 2, 3)),
        ((0.3, 0.3, 0.0, 0.0), None),
        ((0.3, 0.3, 0.3, 0.0, 0.0), None),
        ((0.149, 0.149), None),
        ((0.15, 0.15), (1, 2)),
    ],
)
def test_a_fault_counts_in_two_of_two_or_three_of_four(
    seen: tuple[float, ...], laps: tuple[int, ...] | None
) -> None:
    fault = find_fault("turn_1", losses(*seen))
    assert (fault.laps if fault else None) == laps


@pytest.mark.parametrize(
    ("parts", "phase"),
    [
        (PassLoss(1, 0.3, 0.1, 0.1), "brake"),
        (PassLoss(1, 0.1, 0.3, 0.1), "apex"),
        (PassLoss(1, 0.1, 0.1, 0.3), "exit"),
        (PassLoss(1, -0.2, 0.5, 0.1, brake_late_m=15.0), "brake"),
        (PassLoss(1, -0.2, 0.5, 0.1, brake_late_m=9.0), "apex"),
        (PassLoss(1, 0.1, 0.3, 0.1, slow_late_m=-15.0), "turn_in"),
        (PassLoss(1, 0.1, 0.3, 0.1, slow_late_m=15.0), "apex"),
    ],
)
def test_the_phase_is_where_the_loss_arises(parts: PassLoss, phase: str) -> None:
    fault = find_fault("turn_1", [parts, parts])
    assert fault is not None
    assert fault.phase == phase


def test_a_slow_lap_behind_traffic_is_not_a_fault() -> None:
    assert parts_of(corner_pass("turn_1", 1, brake_s=3.5), None, None, LENGTH_M) is None


def test_cured_means_two_clean_passes() -> None:
    assert not is_cured(losses(0.1))
    assert is_cured(losses(0.5, 0.1, 0.1))
    assert not is_cured(losses(0.1, 0.2))


def test_first_laps_call_the_biggest_drops_and_not_the_same_ones_again() -> None:
    made = rules()
    first = [call.corner.id for call in made.calls(0)]
    assert sorted(first) == ["turn_1", "turn_2", "turn_3", "turn_4"]
    for corner_id in first[:2]:
        made.called(corner_id, 0)
    assert [call.corner.id for call in made.calls(1)] == first[2:]


def test_a_corner_one_does_not_slow_for_is_not_called() -> None:
    track = ring(speed=lambda place: 40.0)
    assert RuleCoach(track, load_scripts((), track), one_second, Delays()).calls(0) == []


def feed(made: RuleCoach, lap: int, **lost: float) -> list[str]:
    cured = [
        made.corner_pass(corner_pass(at.id, lap, brake_s=lost.get(at.id, 0.0), brake_m=at.brake_m or 0.0))
        for at in CORNERS
    ]
    made.lap(Lap(lap, "flying", lap * 80.0, lap * 80.0 + 80.0, 80.0))
    return [corner_id for corner_id in cured if corner_id]


def test_the_three_dearest_corners_are_called_the_dearest_first() -> None:
    made = rules()
    made.set_reference(reference())
    for lap in (1, 2):
        feed(made, lap, turn_1=0.2, turn_2=0.5, turn_3=0.3, turn_4=0.4)
    assert [call.corner.id for call in made.calls(3)] == ["turn_2", "turn_4", "turn_3"]


def test_two_calls_in_a_row_then_a_lap_of_peace_in_other_words_each_time() -> None:
    made = rules()
    made.set_reference(reference())
    feed(made, 1, turn_2=0.5)
    said = []
    for lap in range(2, 8):
        feed(made, lap, turn_2=0.5)
        calls = made.calls(lap + 1)
        said.append(calls[0].phase if calls else "")
        if calls:
            made.called("turn_2", lap + 1)
    assert said == ["approach", "brake", "", "approach", "brake", ""]


def test_no_call_where_the_called_lap_was_good() -> None:
    made = rules()
    made.set_reference(reference())
    for lap, loss in ((1, 0.5), (2, 0.5), (3, 0.5), (4, 0.0)):
        feed(made, lap, turn_2=loss)
        if lap == 3:
            made.called("turn_2", 4)
    assert made.faults()
    assert made.calls(5) == []


def test_praise_once_for_a_cure_that_was_coached_then_silence() -> None:
    made = rules()
    made.set_reference(reference())
    feed(made, 1, turn_2=0.5, turn_3=0.4)
    feed(made, 2, turn_2=0.5, turn_3=0.4)
    made.called("turn_2", 3)
    assert feed(made, 3) == []
    assert feed(made, 4) == ["turn_2"]
    made.praised("turn_2")
    assert feed(made, 5) == []
    assert made.calls(6) == []


def test_a_corner_named_only_on_the_first_lap_is_not_praised() -> None:
    made = rules()
    made.called("turn_2", 0)
    made.set_reference(reference())
    assert [feed(made, lap) for lap in (1, 2, 3)] == [[], [], []]


def test_a_lap_that_is_not_flying_says_nothing_about_the_driver() -> None:
    made = rules()
    made.set_reference(reference())
    for lap in (1, 2):
        for at in CORNERS:
            made.corner_pass(corner_pass(at.id, lap, brake_s=0.5))
        made.lap(Lap(lap, "in", 0.0, 80.0, 80.0))
    assert made.faults() == []


def test_a_new_reference_measures_the_laps_before_it_too() -> None:
    slow, fast = reference(lambda place: 0.9 * pace(place), "slow"), reference(pace, "fast")
    zone = zones_of(ring(), slow)[0]
    level = PassLoss(1, 0.0, 0.0, 0.0, 5.0)
    again = rebase(level, zone, slow, fast, LENGTH_M)
    entry = zone.corner.entry_m
    assert again.mid_s == pytest.approx(fast.time_between(entry, entry + zone.apex_m) * (1 / 0.9 - 1))
    assert again.loss_s > 0.15
    back = rebase(again, zone, fast, slow, LENGTH_M)
    assert (back.brake_s, back.mid_s, back.exit_s) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)

    made = rules()
    made.set_reference(slow)
    feed(made, 1)
    feed(made, 2)
    assert made.faults() == []
    made.set_reference(fast)
    assert len(made.faults()) == 4


def test_action_points_of_the_phases() -> None:
    at, known = CORNERS[0], reference()
    assert action_place(at, "approach", None) == action_place(at, "brake", None) == at.brake_m
    assert action_place(at, "turn_in", known) == at.entry_m
    assert action_place(at, "apex", known) == action_place(at, "exit", known) == at.apex_m
    known.brake_m["turn_1"] = 480.0
    assert action_place(at, "brake", known) == 480.0


def test_a_call_is_not_made_before_the_corner_it_could_be_mistaken_for() -> None:
    assert open_road_m(ring(), CORNERS[1], 1100.0, None) == 1100.0 - CORNERS[0].apex_m
    assert open_road_m(ring((CORNERS[0],)), CORNERS[0], 500.0, None) == float("inf")


def test_pace_agrees_with_the_reference_it_is_made_from() -> None:
    known = reference()
    made = reference_pace(known, LENGTH_M)
    for place, ahead in ((0.0, 100.0), (450.0, 700.0), (2900.0, 300.0)):
        assert made.time_between(place, ahead) == pytest.approx(
            known.time_between(place, place + ahead), abs=0.02
        )
    assert made.place_before(100.0, 5.0) == pytest.approx(
        next(back for back in range(3000) if known.time_between(100.0 - back, 100.0) >= 5.0), abs=6.0
    )


def test_typical_pace_of_a_track_without_one_is_none() -> None:
    assert typical_pace(ring()) is None


def test_where_the_road_bends_at_the_lead_the_call_comes_on_the_straight_before() -> None:
    straights, known = Straights(LENGTH_M, ()), reference_pace(reference(lambda place: 50.0), LENGTH_M)
    assert straights.early_s(1000.0, 3.0, known, 2.0) == 0.0
    straights.mark(800.0, 100.0, False)
    assert straights.early_s(1000.0, 3.0, known, 2.0) == pytest.approx(1.2, abs=0.2)
    straights.mark(600.0, 300.0, False)
    assert straights.early_s(1000.0, 3.0, known, 2.0) is None


def test_not_more_than_three_corners_in_any_lap_and_the_drive_is_the_same_twice() -> None:
    def run() -> list[object]:
        made = coach(ring(speed=pace), reference=reference())
        for lap in (-2, -1):
            made.frame(next(drive(pace, 1.0))[0], None, 0)
            for at in CORNERS:
                made.corner_pass(corner_pass(at.id, lap, brake_s=0.5 - at.entry_m / 1e4))
        return list(listen(made, drive(pace, 1.5, t0=1.0))[1])

    first, second = run(), run()
    assert first == second
    spoken = [line.corner for line in first if line.outcome in SPOKEN and line.lap == 0]
    assert spoken == ["turn_1", "turn_2", "turn_3"]
