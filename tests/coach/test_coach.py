"""The facade: messages without a track, engine limits, jumps, and the ledger's bytes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec
import pytest
from coach_world import Step, coach, drive, listen, pace, reference, ring

from pitwall.coach.coach import is_straight
from pitwall.coach.cue import SPOKEN, LedgerLine, Mode, ledger_json
from pitwall.telemetry.frame import Frame
from pitwall.words.language import ENGLISH


def with_values(frames: Iterator[Step], from_t: float, to_t: float, **values: float) -> Iterator[Step]:
    healthy = {"rpm": 5000.0, "oil_bar": 4.0, "coolant_c": 85.0, "oil_temp_c": 100.0}
    for frame, position, lap in frames:
        now = healthy | (values if from_t <= frame.t < to_t else {})
        yield msgspec.structs.replace(frame, **now), position, lap


def said(lines: list[LedgerLine], category: str) -> list[tuple[str, float]]:
    return [
        (line.text, round(line.t, 1)) for line in lines if line.phase == category and line.outcome in SPOKEN
    ]


def test_no_known_track_no_callouts_but_one_message_and_safety() -> None:
    frames = ((frame, None, lap) for frame, _, lap in with_values(drive(pace, 1.0), 30.0, 40.0, oil_bar=0.4))
    made = coach(None)
    lines = listen(made, frames).lines  # type: ignore[arg-type]
    assert [line.text for line in lines] == [ENGLISH.fixed["no_track"], ENGLISH.fixed["oil_pressure"]]


@pytest.mark.parametrize(
    ("span", "values", "told"),
    [
        ((20.0, 30.0), {"oil_bar": 0.5}, ("oil_pressure", 1.0)),
        ((20.0, 30.0), {"coolant_c": 118.0}, ("coolant_hot", 5.0)),
        ((20.0, 30.0), {"oil_temp_c": 150.0}, ("oil_hot", 5.0)),
        ((20.0, 20.9), {"oil_bar": 0.5}, None),  # a surge in a corner
        ((20.0, 30.0), {"oil_bar": 0.8, "rpm": 900.0}, None),  # at idle
        # Sensors that never read well.
        ((0.0, 99.0), {"oil_bar": 0.0}, None),
        ((0.0, 99.0), {"coolant_c": 150.0}, None),
        ((0.0, 99.0), {"oil_bar": 0.0, "rpm": 900.0}, None),
    ],
)
def test_an_engine_limit_is_told_when_it_persists_and_its_sensor_is_alive(
    span: tuple[float, float], values: dict[str, float], told: tuple[str, float] | None
) -> None:
    lines = listen(coach(ring(())), with_values(drive(pace, 1.0), *span, **values)).lines
    assert [text for text, _ in said(lines, "safety")] == ([ENGLISH.fixed[told[0]]] if told else [])
    if told:
        assert 20.0 + told[1] <= lines[0].t <= 20.3 + told[1]
        assert next(iter(values)) in lines[0].reason


def test_a_lasting_danger_is_repeated_but_not_nagged() -> None:
    lines = listen(coach(ring(())), with_values(drive(pace, 1.0), 10.0, 60.0, oil_bar=0.5)).lines
    times = [t for _, t in said(lines, "safety")]
    assert len(times) == 3
    assert all(after - before >= 20.0 for before, after in itertools.pairwise(times))


@pytest.mark.parametrize("status", ["off", "pit", "reckoned", "lost"])
def test_no_technique_unless_the_car_is_on_the_track(status: str) -> None:
    frames = (
        (frame, msgspec.structs.replace(position, status=status), lap)
        for frame, position, lap in drive(pace, 1.0)
    )
    lines = listen(coach(ring(speed=pace)), frames).lines
    assert [line for line in lines if line.corner] == []


@pytest.mark.parametrize(
    ("known", "straight"),
    [({"speed_mps": 30.0, "g_lat": 0.1}, True), ({"g_lat": 0.1}, False), ({"speed_mps": 30.0}, False)],
)
def test_a_car_of_which_too_little_is_known_is_on_no_straight(
    known: dict[str, float], straight: bool
) -> None:
    assert is_straight(Frame(1.0, **known)) is straight


def test_a_place_that_is_reckoned_is_of_its_frame_and_not_of_the_last_fix() -> None:
    """The fix is gone from 8.5 s on: the car is carried on from it, and reaches the brake point as before."""

    def blinded() -> Iterator[Step]:
        for frame, position, lap in drive(pace, 1.0):
            if frame.t > 8.5:
                frame = msgspec.structs.replace(frame, fix_age_s=frame.t - 8.5)
                position.status = "reckoned"
            yield frame, position, lap

    (line,) = listen(coach(ring(speed=pace)), blinded()).lines
    seeing = listen(coach(ring(speed=pace)), drive(pace, 1.0)).lines[0]
    assert line.outcome == seeing.outcome == "spoken"
    assert line.time_in_hand_s == pytest.approx(seeing.time_in_hand_s, abs=1e-9)


def test_a_cool_down_lap_is_not_coached() -> None:
    lines = listen(coach(ring(speed=pace)), drive(lambda place: 0.4 * pace(place), 1.0)).lines
    assert lines == []


def test_a_teleport_ends_what_was_said_for_the_place_before() -> None:
    def jumping() -> Iterator[Step]:
        for frame, position, lap in drive(pace, 1.0):
            if frame.t > 8.5:
                position.distance_m = (position.distance_m + 1400.0) % 3000.0
            yield frame, position, lap

    lines = listen(coach(ring(speed=pace)), jumping()).lines
    (first, *_) = [line for line in lines if line.corner == "turn_1"]
    assert first.outcome == "spoken"
    assert "the position jumped +1400 m" in first.reason
    assert first.time_in_hand_s == first.predicted_in_hand_s


def test_the_call_before_the_gate_reaches_its_action_point_after_it() -> None:
    early = (
        msgspec.structs.replace(ring().corners[0], entry_m=100.0, apex_m=140.0, exit_m=200.0, brake_m=20.0),
    )
    lines = listen(
        coach(ring(early, speed=lambda place: 20.0 if 90 < place < 210 else 50.0)),
        drive(lambda place: 50.0, 1.5, corners=early),
    ).lines
    line = next(line for line in lines if line.outcome in SPOKEN)
    assert line.lap == 0
    assert line.time_in_hand_s >= 0.75
    assert "did not come" not in line.reason


def test_a_ledger_line_is_always_the_same_bytes() -> None:
    line = LedgerLine(
        cue=7, t=12.34567, lap=2, corner="turn_7", phase="brake", text="Brake at the 300", tier="rule",
        priority=2, outcome="spoken", reason="loses 0.31 s", action_distance_m=121.26, clip_s=1.23456,
        time_in_hand_s=-0.00001, predicted_in_hand_s=None, lead_s=2.0, concept="brake_later",
        loss_s=0.31004,
    )  # fmt: skip
    assert ledger_json(line) == (
        b'{"cue":7,"t":12.346,"lap":2,"corner":"turn_7","phase":"brake","text":"Brake at the 300",'
        b'"tier":"rule","priority":2,"outcome":"spoken","reason":"loses 0.31 s","action_distance_m":121.3,'
        b'"clip_s":1.235,"time_in_hand_s":0.0,"predicted_in_hand_s":null,"lead_s":2.0,"concept":"brake_later",'
        b'"loss_s":0.31}'
    )


@pytest.mark.parametrize("mode", ["numbers", "quiet"])
def test_who_wants_figures_hears_figures_and_who_wants_peace_none(mode: Mode) -> None:
    made = coach(ring(speed=pace), reference=reference(), mode=mode)
    heard = listen(made, drive(pace, 2.1), passing=True)
    figures = [line.text for line in heard.spoken()]
    if mode == "quiet":
        assert figures == []
        return
    speed = " ".join(ENGLISH.spoken_speed(22.0))
    lap_time = " ".join(ENGLISH.spoken_lap_time(80.0))
    corners = [f"Turn {number}: {speed}" for number in ("one", "two", "three", "four")]
    assert figures == [*corners, lap_time] * 2


def test_the_mode_can_be_changed_while_driving() -> None:
    made = coach(ring(speed=pace), mode="quiet")

    def frames() -> Iterator[Step]:
        for frame, position, lap in drive(pace, 1.0):
            if frame.t > 20.0:
                made.mode = "coach"
            yield frame, position, lap

    assert [line.corner for line in listen(made, frames()).spoken()] == ["turn_2", "turn_3", "turn_4"]
    assert made.mode == "coach"


def test_a_delta_at_a_sector_is_told_where_figures_are_wanted() -> None:
    made = coach(ring(()), mode="numbers")

    def frames() -> Iterator[Step]:
        for frame, position, lap in drive(pace, 1.0):
            if 9.95 < frame.t < 10.05:
                made.sector(0.34)
            yield frame, position, lap

    assert [line.text for line in listen(made, frames()).spoken()] == ["three tenths slower"]
