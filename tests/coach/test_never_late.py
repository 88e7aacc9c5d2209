"""No call ends later than 0.75 s before its action point, whatever the car, pace, clip and rate."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from coach_world import CORNERS, SPOKEN, coach, drive, listen, pace, pulling, reference, ring
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall.coach.cue import LedgerLine
from pitwall.coach.lead import REACTION_S, FlatOut, flat_out_s, scaled_s, seconds_to_action
from pitwall.track.reference import ReferenceLap

speeds = st.floats(0.0, 100.0)
CLOCK_S = 1e-6
ACTIONS = ("brake_later", "more_apex_speed", "throttle_sooner", "stay_flat")


@given(v=speeds, accel=st.floats(0.0, 15.0), t=st.floats(0.0, 30.0))
def test_flat_out_is_the_time_of_constant_acceleration(v: float, accel: float, t: float) -> None:
    distance = v * t + accel * t * t / 2.0
    if distance > 0.01:
        assert flat_out_s(distance, v, accel) == pytest.approx(t, rel=1e-6, abs=1e-6)


@given(v=st.floats(5.0, 80.0), throttle=st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=20))
def test_flat_out_is_a_bound_for_every_way_to_use_the_pedals(v: float, throttle: list[float]) -> None:
    flat = FlatOut()
    at_most, speed, distance, t = flat.at(v, 0.0), v, 0.0, 0.0
    for pedal in throttle:
        accel = pedal * min(flat.accel_mps2, flat.power_w_per_kg / max(speed, 1.0))
        accel = max(accel, -speed / 0.2)
        distance += speed * 0.2 + accel * 0.02
        speed += accel * 0.2
        t += 0.2
    assert flat_out_s(distance, v, at_most) <= t + 1e-6


def test_a_car_stronger_than_thought_is_learned_and_an_impossible_step_is_not() -> None:
    flat = FlatOut()
    before = flat.at(50.0, 0.0)
    for step in range(20):
        flat.note(step * 0.5, 40.0 + 8.0 * step * 0.5)
    learned = flat.at(50.0, 0.0)
    assert learned > before
    flat.note(10.0, 300.0)
    assert flat.at(50.0, 0.0) == learned


def test_a_standing_car_never_comes() -> None:
    assert flat_out_s(100.0, 0.0, 0.0) == math.inf


@given(time_s=st.floats(0.1, 60.0), was=st.floats(1.0, 90.0), now=st.floats(0.0, 90.0))
def test_scaled_time_is_never_longer_than_the_reference(time_s: float, was: float, now: float) -> None:
    assert scaled_s(time_s, was, now) <= time_s
    assert seconds_to_action(1.0, scaled_s(time_s, was, now), 0.9) >= 1.0


def scaled(usual: Callable[[float], float], factor: float, early_m: float) -> Callable[[float], float]:
    """A lap at another pace, braking `early_m` sooner (negative: later) for every corner."""

    def speed(place: float) -> float:
        for at in CORNERS:
            if at.entry_m - 200.0 <= place <= at.entry_m:
                return factor * usual(min(place + early_m, at.entry_m))
        return factor * usual(place)

    return speed


def lines_of(
    speed: Callable[[float], float], clip: float, known: ReferenceLap | None, hz: float
) -> list[LedgerLine]:
    """Every call of a lap and a bit in which all corners are to be called; with no reference, by name."""
    made = coach(ring(speed=pace), clip_s=lambda text: clip if " " in text else clip / 2.0, reference=known)
    made.recall((at.id, action) for at, action in zip(CORNERS, ACTIONS, strict=True))
    heard = listen(made, drive(speed, 1.4, hz, t0=1.0))
    return [line for line in heard.lines if line.action_distance_m is not None]


@settings(max_examples=25)
@given(
    accel_mps2=st.floats(0.0, 6.0),
    factor=st.floats(0.75, 1.25),
    early_m=st.floats(-30.0, 60.0),
    clip=st.floats(0.3, 3.0),
    hz=st.sampled_from([1.0, 5.0, 10.0, 25.0]),
    with_reference=st.booleans(),
)
def test_no_call_is_ever_late(
    accel_mps2: float, factor: float, early_m: float, clip: float, hz: float, with_reference: bool
) -> None:
    usual = pulling(accel_mps2)
    known = reference(usual) if with_reference else None
    for line in lines_of(scaled(usual, factor, early_m), clip, known, hz):
        if line.outcome in SPOKEN:
            assert line.time_in_hand_s >= REACTION_S - CLOCK_S


@pytest.mark.parametrize("with_reference", [True, False])
def test_calls_come_and_come_in_time_to_be_of_use(with_reference: bool) -> None:
    lines = lines_of(pace, 1.5, reference() if with_reference else None, 10.0)
    in_hand = [line.time_in_hand_s or 0.0 for line in lines if line.outcome in SPOKEN]
    assert len(in_hand) >= 3
    assert all(REACTION_S <= hand <= 3.0 for hand in in_hand)
