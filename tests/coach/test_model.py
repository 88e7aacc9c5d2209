"""The network that forecasts: its features, its score and its file."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pitwall.coach.lead import G_MPS2
from pitwall.coach.model.features import (
    FEATURES,
    LAGS_S,
    PEDAL_LAGS_S,
    SPEED_AT_S,
    WAY_AT_S,
    Curvature,
    Past,
    Trace,
    lookup,
)
from pitwall.coach.model.forecast import IN_HAND_S, MISSES, OUTPUTS, WAYS, Forecast, Score, corrections_m
from pitwall.coach.model.forecaster import BEYOND_S, EVERY_S, Forecaster
from pitwall.coach.model.network import CARD, NETWORK, ModelError, Network, installed, read_card
from pitwall.config import shipped
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position
from pitwall.track.library import load_track
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

needs_litert = pytest.mark.skipif(not installed(), reason="the extra litert is not installed")
LAP_S = 100.0


@pytest.fixture(scope="module")
def track() -> Track:
    return load_track(shipped("track_data") / "sonoma.json")


def lap_of(track: Track, swing_mps: float = 8.0) -> ReferenceLap:
    """A lap whose speed swings evenly four times around its mean."""
    mean_mps, turns = track.length_m / LAP_S, 8.0 * math.pi / LAP_S
    times = [i * 0.1 for i in range(1001)]
    ways = [mean_mps * t + swing_mps / turns * (1.0 - math.cos(turns * t)) for t in times]
    speeds = [mean_mps + swing_mps * math.sin(turns * t) for t in times]
    ways[-1] = track.length_m
    return ReferenceLap("made", LAP_S, tuple(ways), tuple(times), tuple(speeds), {}, (0.5,) * len(times))


def drive_along(forecaster: Forecaster, lap: ReferenceLap, from_s: float, to_s: float) -> None:
    """A car that drives as the lap does, at 10 Hz; after each frame the forecaster may be asked."""
    for step in range(round(from_s * 10), round(to_s * 10)):
        t, index = step * 0.1, step % 1000
        frame = Frame(t, speed_mps=lap.speed_mps[index], g_long=0.0, g_lat=0.1, throttle_pct=50.0)
        forecaster.feed(frame, Position(t, lap.distance_m[index], 0.5, "on"))


def nothing(features: Sequence[float]) -> list[float]:
    """A network that corrects nothing."""
    return [0.0] * OUTPUTS


def no_rules(ahead_m: float) -> float:
    """Whoever asks these was not sure."""
    raise AssertionError(ahead_m)


def test_the_lookup_of_a_car_that_drives_as_its_reference_is_what_comes(track: Track) -> None:
    lap, forecaster = lap_of(track), Forecaster(track, nothing)
    forecaster.compare_with(lap, None)
    for begin_s in range(10, 90, 7):
        drive_along(forecaster, lap, begin_s, begin_s + 3)
        now_s = begin_s + 2.9
        ahead_m = lap.distance_m[round((now_s + 2.5) * 10)] - lap.distance_m[round(now_s * 10)]
        assert forecaster.seconds_to(ahead_m, no_rules) == pytest.approx(2.5, abs=0.02)
        asked = forecaster.ask()
        assert len(asked[0]) == FEATURES
        assert all(math.isfinite(value) for value in asked[0])
        speeds, _ = lookup(forecaster.past, Trace(lap, Curvature(track)))
        for at_s, said in zip(SPEED_AT_S, speeds, strict=True):
            assert said == pytest.approx(lap.speed_mps[round((now_s + at_s) * 10)], abs=0.05)


def test_features_tell_of_the_lap_ahead(track: Track) -> None:
    found = []
    for swing_mps in (8.0, 12.0):
        forecaster = Forecaster(track, nothing)
        forecaster.compare_with(lap_of(track, swing_mps=swing_mps), None)
        drive_along(forecaster, lap_of(track), 10.0, 15.0)
        found.append(forecaster.ask())
    assert found[0] != found[1]


def test_a_lookup_across_the_gate_goes_on_into_the_next_lap(track: Track) -> None:
    lap = lap_of(track)
    ahead, past = Trace(lap, Curvature(track)), Past(track.length_m)
    for step in range(980, 1000):
        frame = Frame(step * 0.1, speed_mps=lap.speed_mps[step])
        past.feed(frame, Position(step * 0.1, lap.distance_m[step], 0.0, "on"))
    speeds, ways = lookup(past, ahead)
    assert speeds[-1] == pytest.approx(lap.speed_mps[19], abs=0.1)
    assert all(20.0 < b - a < 60.0 for a, b in zip([0.0, *ways], ways, strict=False))


def test_a_trace_tells_how_hard_its_lap_speeds_up_and_slows_down(track: Track) -> None:
    trace = Trace(lap_of(track), Curvature(track))
    turns = 8.0 * math.pi / LAP_S
    for t_s in (0.0, 30.0, 55.5, 99.95):
        assert trace.long_g(t_s) == pytest.approx(8.0 * turns * math.cos(turns * t_s) / G_MPS2, abs=0.005)


def test_revs_are_told_as_a_share_of_the_highest_at_which_the_car_gained_speed(track: Track) -> None:
    lap = lap_of(track)
    trace, past = Trace(lap, Curvature(track)), Past(track.length_m)
    revs = slice(1 + len(LAGS_S) + 4 * len(PEDAL_LAGS_S) + 2, 1 + len(LAGS_S) + 5 * len(PEDAL_LAGS_S) + 3)

    def drive(from_step: int, to_step: int, mps_a_step: float, rpm: float | None) -> list[float]:
        for step in range(from_step, to_step):
            speed_mps = 40.0 + mps_a_step * (step - from_step)
            frame = Frame(step * 0.1, speed_mps=speed_mps, rpm=rpm)
            if rpm is not None:
                past.note_rpm(rpm, speed_mps)
            past.feed(frame, Position(step * 0.1, step * 4.0, 0.0, "on"))
        return past.features(trace, trace)[revs]

    assert drive(0, 20, 0.1, None) == [0.0] * 5
    assert drive(20, 40, 0.1, 7000.0) == [1.0] * 5
    # A downshift turns it higher than it is ever driven.
    assert drive(40, 60, -0.5, 8400.0) == pytest.approx([1.2] * 4 + [1.0])
    assert drive(60, 80, -0.1, 3500.0) == pytest.approx([0.5] * 4 + [1.0])


def test_nothing_is_asked_without_a_reference_or_a_past_and_no_more_often_than_it_is_trained(
    track: Track,
) -> None:
    lap, asked = lap_of(track), list[float]()
    forecaster = Forecaster(track, lambda features: asked.append(features[0]) or nothing(features))
    drive_along(forecaster, lap, 0.0, 5.0)
    assert forecaster.seconds_to(50.0, no_rules) is None
    forecaster.compare_with(lap, lap)
    drive_along(forecaster, lap, 30.0, 30.5)
    assert forecaster.seconds_to(50.0, no_rules) is None
    assert not asked
    drive_along(forecaster, lap, 30.5, 32.0)
    first_s = forecaster.seconds_to(80.0, no_rules)
    # Half a step on it is the same forecast, counted from the place that the car has come to.
    frame = Frame(31.9 + EVERY_S / 2, speed_mps=lap.speed_mps[319])
    moved_m = lap.speed_mps[319] * EVERY_S / 2
    forecaster.feed(frame, Position(frame.t, lap.distance_m[319] + moved_m, 0.5, "on"))
    assert forecaster.seconds_to(80.0 - moved_m, no_rules) == pytest.approx(first_s - EVERY_S / 2, abs=1e-6)
    assert len(asked) == 1
    # By a fix that is a tenth old the place is a tenth nearer to the car than to the fix.
    older = Frame(32.1, speed_mps=lap.speed_mps[321], fix_age_s=0.1)
    forecaster.feed(older, Position(32.1, lap.distance_m[320], 0.5, "on"))
    ahead_m = lap.distance_m[345] - lap.distance_m[320]
    assert forecaster.seconds_to(ahead_m, no_rules) == pytest.approx(2.5, abs=0.03)


def test_behind_its_last_second_the_way_goes_on_as_the_rules_say(track: Track) -> None:
    lap, forecaster = lap_of(track), Forecaster(track, nothing)
    forecaster.compare_with(lap, None)
    drive_along(forecaster, lap, 30.0, 32.0)
    reach_m = lap.distance_m[359] - lap.distance_m[319]
    for beyond_s, told_s in ((1.0, 5.0), (BEYOND_S + 0.1, None)):
        found_s = forecaster.seconds_to(reach_m + 40.0 * beyond_s, lambda ahead_m: ahead_m / 40.0)
        assert found_s == (None if told_s is None else pytest.approx(told_s, abs=0.05))


def test_the_seconds_to_a_way_are_read_between_its_marks() -> None:
    forecast = Forecast(0.0, 0.0, (40.0, 80.0, 130.0, 180.0), (0.0, 0.0, 0.1, 0.3))
    assert forecast.seconds_to(20.0) == (pytest.approx(0.5), 0.0)
    assert forecast.seconds_to(105.0) == (pytest.approx(2.5), pytest.approx(0.05))
    assert forecast.seconds_to(181.0)[0] == math.inf


def scored(correction_m: float, came_m: float, *, sooner_s: Sequence[float] = (0.0,)) -> Score:
    """The score after three minutes in which every way was corrected by this and needed that; of the
    forecasts one after the other the car was sooner there by `sooner_s`."""
    score, speed_mps = Score(), 40.0
    for step in range(1800):
        t = step * 0.1
        score.feed(t, speed_mps)
        needed_m = came_m + speed_mps * sooner_s[step % len(sooner_s)]
        score.note(t, [speed_mps * at_s - needed_m for at_s in WAY_AT_S], [correction_m] * WAYS)
    return score


def test_corrections_that_come_true_are_used_and_others_are_not() -> None:
    assert min(scored(3.0, 3.0).shares) == pytest.approx(1.0, abs=0.01)
    assert scored(3.0, 3.0).better
    half = scored(3.0, 1.5).shares
    assert 0.45 < min(half) <= max(half) < 0.65
    assert max(scored(3.0, -3.0).shares) == 0.0
    assert not scored(3.0, -3.0).better


def test_what_is_taken_off_is_what_this_drive_was_sooner_than_a_call_has_in_hand() -> None:
    assert max(scored(0.0, 0.0, sooner_s=(IN_HAND_S - 0.05,)).early_s) == 0.0
    assert min(scored(0.0, 0.0, sooner_s=(IN_HAND_S + 0.2,)).early_s) == pytest.approx(0.2, abs=0.02)
    # Rarer than is borne: nothing is taken off for long.
    rare = [IN_HAND_S + 0.2] + [0.0] * round(4.0 / MISSES)
    assert max(scored(0.0, 0.0, sooner_s=rare).early_s) < 0.02


def test_a_hole_in_the_drive_is_not_judged() -> None:
    score = Score()
    score.feed(0.0, 40.0)
    score.note(0.0, [90.0] * WAYS, [3.0] * WAYS)
    score.feed(5.0, 40.0)
    score.feed(5.1, 40.0)
    assert score.shares == Score().shares
    assert not score.waits


def test_the_shipped_network_fits_this_program_and_its_card() -> None:
    card = read_card()
    assert (card.features, card.outputs) == (FEATURES, OUTPUTS)
    assert NETWORK.stat().st_size < 1_000_000


def test_a_damaged_network_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    content = bytearray(NETWORK.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / NETWORK.name).write_bytes(content)
    shutil.copy(CARD, tmp_path)
    with pytest.raises(ModelError, match=r"not the file that forecast\.json describes"):
        read_card(tmp_path / NETWORK.name, tmp_path / CARD.name)
    with pytest.raises(ModelError, match="install pitwall again"):
        read_card(tmp_path / "absent.tflite", tmp_path / CARD.name)


@needs_litert
def test_the_network_answers_alike_and_moves_with_the_brakes(track: Track) -> None:
    network, lap = Network(), lap_of(track)
    forecaster = Forecaster(track, network.run)
    forecaster.compare_with(lap, None)
    drive_along(forecaster, lap, 10.0, 15.0)
    asked = forecaster.ask()
    outputs = network.run(asked[0])
    assert len(outputs) == OUTPUTS
    assert outputs == network.run(asked[0])
    # As hard on the brakes as they go, for the last half second: less far than on the throttle.
    braking = list(asked[0])
    braking[1:9] = [-1.0, -1.0, -0.9, -0.6, -0.4, -0.3, -0.2, -0.1]
    braking[9:13] = [-1.0] * 4
    assert corrections_m(network.run(braking))[0] < corrections_m(outputs)[0] - 0.5


def test_the_room_loads_neither_litert_nor_numpy_by_itself() -> None:
    rooms = "pitwall.coach.model.forecaster, pitwall.coach.model.network"
    code = f"import sys, {rooms}; print({{'numpy', 'ai_edge_litert'}} & set(sys.modules))"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == "set()"
