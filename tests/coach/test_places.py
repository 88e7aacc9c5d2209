"""Where a call has to be over, how the pace is known, and where a driver is free to listen."""

from __future__ import annotations

import msgspec
import pytest
from coach_world import CORNERS, LENGTH_M, coach, drive, listen, reference, ring

from pitwall.coach.pace import reference_pace, typical_pace
from pitwall.coach.places import action_place, call_place, open_road_m
from pitwall.coach.plan import has_room
from pitwall.coach.straights import Straights
from pitwall.telemetry.frame import Frame


def test_places_of_the_phases_and_of_a_call() -> None:
    at, known = CORNERS[0], reference()
    assert action_place(at, "approach", None) == action_place(at, "brake", None) == at.brake_m
    assert action_place(at, "turn_in", known) == at.entry_m
    assert action_place(at, "apex", known) == action_place(at, "exit", known) == at.apex_m
    known.brake_m["turn_1"] = 480.0
    assert action_place(at, "brake", known) == 480.0
    # A call is over before the first brake point that is known: later it would be heard under braking.
    assert call_place(at, LENGTH_M, known, 450.0) == 450.0
    assert call_place(at, LENGTH_M, known, 490.0) == call_place(at, LENGTH_M, known) == 480.0
    unbraked = msgspec.structs.replace(at, brake_m=None)
    assert call_place(unbraked, LENGTH_M, None) == at.entry_m
    across_the_gate = msgspec.structs.replace(at, entry_m=20.0, brake_m=2950.0)
    assert call_place(across_the_gate, LENGTH_M, None, 2930.0) == 2930.0


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


BRAKING, ROLLING = Frame(0.0, g_long=-0.8), Frame(0.0, g_long=0.0)
# So slowly every bend leaves a driver free.
SLOWLY = reference_pace(reference(lambda place: 10.0), LENGTH_M)


def test_where_the_driver_brakes_at_the_lead_the_call_comes_on_the_straight_before() -> None:
    straights = Straights(ring(()))
    assert straights.early_s(1000.0, 3.0, 1.0, SLOWLY, 4.0) == 0.0
    straights.mark(960.0, 20.0, BRAKING)
    early_s = straights.early_s(1000.0, 3.0, 1.0, SLOWLY, 6.0)
    assert early_s is not None
    # It is over before he brakes.
    assert 3.0 + early_s - 1.0 >= 40.0 / 10.0
    assert straights.early_s(1000.0, 3.0, 1.0, SLOWLY, 0.3) is None
    sooner_s = straights.early_s(1000.0, 3.0, 1.0, SLOWLY, 9.0, least_s=early_s + 1.0)
    assert sooner_s is not None
    assert sooner_s >= early_s + 1.0


def test_a_stretch_that_is_over_at_once_is_no_place_to_wait_for() -> None:
    straights = Straights(ring(()))
    # Two brakings with 20 m between them: 1 s, in which a clip of 0.7 s begins within 0.3 s.
    for from_m in (900.0, 960.0):
        straights.mark(from_m, 30.0, BRAKING)
    early_s = straights.early_s(1000.0, 2.0, 0.7, SLOWLY, 20.0)
    assert early_s is not None
    assert 2.0 + early_s - 0.7 >= 100.0 / 10.0


def test_a_driver_at_a_higher_limit_is_free_in_a_faster_bend() -> None:
    straights, apex_m = Straights(ring(())), CORNERS[0].apex_m
    straights.learn_limit(SLOWLY)
    assert not straights.is_free(apex_m, 17.0, ROLLING)
    straights.learn_limit(reference_pace(reference(lambda place: 35.0), LENGTH_M))
    assert straights.is_free(apex_m, 17.0, ROLLING)


def test_a_lap_has_room_for_two_and_keeps_it_for_a_corner_still_to_come() -> None:
    assert has_room(500.0, (100.0,), 2, 1000.0)
    assert not has_room(500.0, (100.0, 900.0), 2, 1000.0)
    assert has_room(500.0, (100.0, 1150.0), 2, 1000.0)
    assert has_room(1100.0, (100.0, 900.0), 2, 1000.0)


def test_how_long_a_driver_stays_free() -> None:
    straights = Straights(ring(()))
    assert straights.free_s(100.0, SLOWLY) == float("inf")
    straights.mark(600.0, 100.0, BRAKING)
    assert straights.free_s(100.0, SLOWLY) == pytest.approx(500.0 / 10.0, abs=1.5)
    assert straights.free_s(650.0, SLOWLY) == 0.0
    straights.mark(600.0, 100.0, ROLLING)
    assert straights.free_s(100.0, SLOWLY) == float("inf")


def test_a_bend_leaves_a_driver_free_by_its_speed_and_by_his_throttle() -> None:
    straights, apex_m = Straights(ring(())), CORNERS[0].apex_m
    assert straights.is_free(500.0, 60.0, ROLLING)
    assert straights.is_free(apex_m, 12.0, ROLLING)
    assert not straights.is_free(apex_m, 17.0, ROLLING)
    assert straights.is_free(apex_m, 17.0, Frame(0.0, throttle_pct=100.0))
    assert not straights.is_free(500.0, 20.0, BRAKING)


def test_a_new_track_is_taught_lap_by_lap_from_the_place_to_the_way_out() -> None:
    made = coach(ring(), reference=reference(lambda place: 30.0), mode="learn")
    heard = [line for line in listen(made, drive(lambda place: 30.0, 3.9)).lines if line.corner == "turn_1"]
    assert [line.phase for line in heard] == ["approach", "turn_in", "apex", "exit"]
    assert [line.text for line in heard] == ["Turn one is next", *["Turn one: right, braking"] * 3]
