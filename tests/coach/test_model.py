"""The network that forecasts: its features, its score, its file, and the thread that runs it."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
import threading
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
from pitwall.coach.model.forecast import HEADS, OUTPUTS, SPEEDS, Score, seconds_to_way, split
from pitwall.coach.model.forecaster import EVERY_S, Forecaster, Question
from pitwall.coach.model.network import CARD, NETWORK, ModelError, Network, installed, read_card
from pitwall.coach.model.thread import NetworkThread
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
    return ReferenceLap("made", LAP_S, tuple(ways), tuple(times), tuple(speeds), {}, {}, (0.5,) * len(times))


def drive_along(
    forecaster: Forecaster, lap: ReferenceLap, from_s: float, to_s: float, faster_mps: float = 0.0
):
    """Questions of a car that drives as the lap does, or faster by so much, at 10 Hz."""
    for step in range(round(from_s * 10), round(to_s * 10)):
        t = step * 0.1
        index = step % 1000
        frame = Frame(
            t, speed_mps=lap.speed_mps[index] + faster_mps, g_long=0.0, g_lat=0.1, throttle_pct=50.0
        )
        forecaster.feed(frame, Position(t, lap.distance_m[index], 0.5, "on"))
        question = forecaster.ask(t)
        if question is not None:
            yield question


def test_the_lookup_of_a_car_that_drives_as_its_reference_is_what_comes(track: Track) -> None:
    lap, forecaster = lap_of(track), Forecaster(track)
    forecaster.compare_with(lap, None)
    questions = list(drive_along(forecaster, lap, 10.0, 30.0))
    assert len(questions) > 150
    for question in questions:
        for at_s, said in zip(SPEED_AT_S, question.base, strict=False):
            assert said == pytest.approx(lap.speed_mps[round((question.t + at_s) * 10)], abs=0.05)
        here_m = lap.distance_m[round(question.t * 10)]
        for at_s, said in zip(WAY_AT_S, question.base[SPEEDS:], strict=True):
            assert said == pytest.approx(lap.distance_m[round((question.t + at_s) * 10)] - here_m, abs=0.3)


def test_features_are_as_many_as_the_network_takes_and_tell_of_the_lap_ahead(track: Track) -> None:
    lap, forecaster = lap_of(track), Forecaster(track)
    forecaster.compare_with(lap, None)
    question = list(drive_along(forecaster, lap, 10.0, 15.0))[-1]
    assert len(question.features) == FEATURES
    assert all(math.isfinite(value) for value in question.features)
    slower = Forecaster(track)
    slower.compare_with(lap_of(track, swing_mps=12.0), None)
    assert list(drive_along(slower, lap, 10.0, 15.0))[-1].features != question.features


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
            frame = Frame(step * 0.1, speed_mps=40.0 + mps_a_step * (step - from_step), rpm=rpm)
            past.feed(frame, Position(step * 0.1, step * 4.0, 0.0, "on"))
        return past.features(trace, trace)[revs]

    assert drive(0, 20, 0.1, None) == [0.0] * 5
    assert drive(20, 40, 0.1, 7000.0) == [1.0] * 5
    # A downshift turns it higher than it is ever driven.
    assert drive(40, 60, -0.5, 8400.0) == pytest.approx([1.2] * 4 + [1.0])
    assert drive(60, 80, -0.1, 3500.0) == pytest.approx([0.5] * 4 + [1.0])


def test_nothing_is_asked_without_a_reference_a_past_or_a_place(track: Track) -> None:
    lap, forecaster = lap_of(track), Forecaster(track)
    assert not list(drive_along(forecaster, lap, 0.0, 5.0))
    forecaster.compare_with(lap, lap)
    forecaster.feed(Frame(5.0, speed_mps=40.0), None)
    assert forecaster.ask(5.0) is None
    first = next(drive_along(forecaster, lap, 6.0, 10.0))
    assert first.t == pytest.approx(7.0)
    assert forecaster.ask(first.t + EVERY_S / 2) is None


def test_the_seconds_to_a_way_are_read_between_its_marks() -> None:
    ways = (40.0, 80.0, 130.0, 180.0)
    assert seconds_to_way(ways, 20.0) == pytest.approx(0.5)
    assert seconds_to_way(ways, 105.0) == pytest.approx(2.5)
    assert seconds_to_way(ways, 181.0) == math.inf


def scored(correction: float, came: float, *, spread: float = 0.0, width: float = 0.5) -> Score:
    """The score after three minutes in which every head was corrected by this and needed that."""
    score = Score()
    speed_mps = 40.0
    for step in range(1800):
        t = step * 0.1
        score.feed(t, speed_mps)
        needed = came + spread * (-1.0 if step % 2 else 1.0)
        base = [speed_mps - 2.0 * needed] * SPEEDS + [speed_mps * at_s - 3.0 * needed for at_s in WAY_AT_S]
        score.note(t, base, [correction] * HEADS, [width] * HEADS)
    return score


def test_corrections_that_come_true_are_used_and_others_are_not() -> None:
    assert min(scored(1.0, 1.0).shares) == pytest.approx(1.0, abs=0.01)
    assert scored(1.0, 1.0).better
    half = scored(1.0, 0.5).shares
    assert 0.45 < min(half) <= max(half) < 0.65
    assert max(scored(1.0, -1.0).shares) == 0.0
    assert not scored(1.0, -1.0).better


def test_bands_widen_until_they_hold_and_narrow_where_they_are_too_wide() -> None:
    assert min(scored(0.0, 0.0, spread=1.0, width=0.5).scales) == pytest.approx(2.0, abs=0.2)
    assert max(scored(0.0, 0.0, spread=0.1, width=0.5).scales) < 0.6


def test_a_hole_in_the_drive_is_not_judged() -> None:
    score = Score()
    score.feed(0.0, 40.0)
    score.note(0.0, [90.0] * HEADS, [1.0] * HEADS, [0.1] * HEADS)
    score.feed(5.0, 40.0)
    score.feed(5.1, 40.0)
    assert score.shares == Score().shares


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
    network, lap, forecaster = Network(), lap_of(track), Forecaster(track)
    forecaster.compare_with(lap, None)
    question = list(drive_along(forecaster, lap, 10.0, 15.0))[-1]
    outputs = network.run(question.features)
    assert len(outputs) == OUTPUTS
    assert outputs == network.run(question.features)
    forecast = forecaster.take(question, outputs)
    assert all(low < high for low, high in zip(forecast.way_low_m, forecast.way_high_m, strict=True))
    assert all(0.0 <= value <= 1.0 for value in (*forecast.brake, *forecast.throttle))
    # As hard on the brakes as they go, for the last half second: slower than on the throttle.
    braking = list(question.features)
    braking[1:9] = [-1.0, -1.0, -0.9, -0.6, -0.4, -0.3, -0.2, -0.1]
    braking[9:13] = [-1.0] * 4
    assert network.run(braking)[0] < outputs[0] - 0.5
    assert split(network.run(braking))[2][0] > split(outputs)[2][0]


class _Answers:
    """What a thread answered, and a bell that rings for each."""

    def __init__(self) -> None:
        self.got: list[tuple[Question, list[float] | None]] = []
        self.bell = threading.Semaphore(0)

    def take(self, question: Question, outputs: list[float] | None) -> None:
        self.got.append((question, outputs))
        self.bell.release()


QUESTION = Question(1.0, 100.0, [0.0] * FEATURES, [40.0] * HEADS)


@needs_litert
def test_the_thread_answers_what_it_is_asked() -> None:
    answers = _Answers()
    thread = NetworkThread(answers.take, deadline_s=60.0)
    assert not thread.ask(QUESTION)  # not open yet: left out, and nobody waits
    thread.start()
    assert thread.wait_ready(60.0), thread.trouble
    assert thread.ask(QUESTION)
    assert answers.bell.acquire(timeout=60.0)
    assert answers.got == [(QUESTION, Network().run(QUESTION.features))]
    assert thread.p99_s() is not None
    thread.stop()


@needs_litert
def test_an_answer_after_its_deadline_is_dropped_and_counted() -> None:
    answers = _Answers()
    thread = NetworkThread(answers.take, deadline_s=0.0)
    thread.start()
    assert thread.wait_ready(60.0), thread.trouble
    thread.ask(QUESTION)
    thread.stop()
    assert (answers.got, thread.late) == ([(QUESTION, None)], 1)


class _Slow(Network):
    """The network on a machine that is busy with something else until it is let go."""

    go_on = threading.Event()

    def run(self, features: object) -> list[float]:
        self.go_on.wait(60.0)
        return super().run(features)  # type: ignore[arg-type]


@needs_litert
def test_a_question_that_comes_while_the_last_one_is_open_is_left_out() -> None:
    answers = _Answers()
    thread = NetworkThread(answers.take, _Slow, deadline_s=60.0)
    thread.start()
    assert thread.wait_ready(60.0), thread.trouble
    assert thread.ask(QUESTION)
    assert not thread.ask(QUESTION)
    assert (thread.asked, thread.late) == (2, 1)
    _Slow.go_on.set()
    assert answers.bell.acquire(timeout=60.0)
    thread.stop()
    assert len(answers.got) == 1


def test_without_a_network_the_thread_says_why_and_nothing_is_asked(tmp_path: Path) -> None:
    thread = NetworkThread(_Answers().take, lambda: Network(tmp_path / "none.tflite", tmp_path / "none.json"))
    thread.start()
    assert not thread.wait_ready(60.0)
    assert "install pitwall again" in thread.trouble
    assert not thread.ask(QUESTION)
    thread.stop()


def test_the_room_loads_neither_litert_nor_numpy_by_itself() -> None:
    code = "import sys, pitwall.coach.model.thread; print({'numpy', 'ai_edge_litert'} & set(sys.modules))"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == "set()"
