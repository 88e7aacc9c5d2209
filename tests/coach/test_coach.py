"""The facade: messages without a track, engine limits, jumps, and the ledger's bytes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec
import pytest
from coach_world import SPOKEN, coach, corner_pass, drive, listen, pace, reference, ring

from pitwall.coach.cue import LedgerLine, ledger_json
from pitwall.coach.phrases import FIXED
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position

Step = tuple[Frame, Position, int]


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
    _, lines = listen(made, frames)  # type: ignore[arg-type]
    assert [line.text for line in lines] == [FIXED["no_track"], FIXED["oil_pressure"]]


@pytest.mark.parametrize(
    ("signal", "value", "phrase", "after_s"),
    [
        ("oil_bar", 0.5, "oil_pressure", 1.0),
        ("coolant_c", 118.0, "coolant_hot", 5.0),
        ("oil_temp_c", 150.0, "oil_hot", 5.0),
    ],
)
def test_an_engine_limit_is_told_when_it_persists(
    signal: str, value: float, phrase: str, after_s: float
) -> None:
    _, lines = listen(coach(ring(())), with_values(drive(pace, 1.0), 20.0, 30.0, **{signal: value}))
    assert [text for text, _ in said(lines, "safety")] == [FIXED[phrase]]
    assert 20.0 + after_s <= lines[0].t <= 20.3 + after_s
    assert signal in lines[0].reason


@pytest.mark.parametrize("lasts_s", [0.5, 0.9])
def test_oil_surge_in_a_corner_is_no_alarm(lasts_s: float) -> None:
    _, lines = listen(coach(ring(())), with_values(drive(pace, 1.0), 20.0, 20.0 + lasts_s, oil_bar=0.5))
    assert lines == []


@pytest.mark.parametrize("dead", [{"oil_bar": 0.0}, {"coolant_c": 150.0}, {"oil_bar": 0.0, "rpm": 900.0}])
def test_a_sensor_that_never_read_well_is_not_believed(dead: dict[str, float]) -> None:
    _, lines = listen(coach(ring(())), with_values(drive(pace, 1.0), 0.0, 99.0, **dead))
    assert lines == []


def test_low_oil_at_idle_is_no_alarm() -> None:
    _, lines = listen(coach(ring(())), with_values(drive(pace, 1.0), 20.0, 30.0, oil_bar=0.8, rpm=900.0))
    assert lines == []


def test_a_lasting_danger_is_repeated_but_not_nagged() -> None:
    _, lines = listen(coach(ring(())), with_values(drive(pace, 1.0), 10.0, 60.0, oil_bar=0.5))
    times = [t for _, t in said(lines, "safety")]
    assert len(times) == 3
    assert all(after - before >= 20.0 for before, after in itertools.pairwise(times))


@pytest.mark.parametrize("status", ["off", "pit", "reckoned", "lost"])
def test_no_technique_unless_the_car_is_on_the_track(status: str) -> None:
    frames = (
        (frame, msgspec.structs.replace(position, status=status), lap)
        for frame, position, lap in drive(pace, 1.0)
    )
    _, lines = listen(coach(ring(speed=pace)), frames)
    assert [line for line in lines if line.corner] == []


def test_unknown_lateral_g_is_not_a_straight() -> None:
    frames = (
        (msgspec.structs.replace(frame, g_lat=None), position, lap)
        for frame, position, lap in drive(pace, 1.0)
    )
    callouts, lines = listen(coach(ring(speed=pace)), frames)
    assert callouts == []
    assert {line.outcome for line in lines} == {"expired"}


def test_a_cool_down_lap_is_not_coached() -> None:
    _, lines = listen(coach(ring(speed=pace)), drive(lambda place: 0.4 * pace(place), 1.0))
    assert lines == []


def test_a_teleport_ends_what_was_said_for_the_place_before() -> None:
    def jumping() -> Iterator[Step]:
        for frame, position, lap in drive(pace, 1.0):
            if frame.t > 8.5:
                position.distance_m = (position.distance_m + 1400.0) % 3000.0
            yield frame, position, lap

    _, lines = listen(coach(ring(speed=pace)), jumping())
    (first, *_) = [line for line in lines if line.corner == "turn_1"]
    assert first.outcome == "spoken"
    assert "the position jumped +1400 m" in first.reason
    assert first.time_in_hand_s == first.predicted_in_hand_s


def test_the_call_before_the_gate_reaches_its_action_point_after_it() -> None:
    early = (
        msgspec.structs.replace(ring().corners[0], entry_m=100.0, apex_m=140.0, exit_m=200.0, brake_m=20.0),
    )
    _, lines = listen(
        coach(ring(early, speed=lambda place: 20.0 if 90 < place < 210 else 50.0)),
        drive(lambda place: 50.0, 1.5, corners=early),
    )
    line = next(line for line in lines if line.outcome in SPOKEN)
    assert line.lap == 0
    assert line.time_in_hand_s is not None
    assert line.time_in_hand_s >= 0.75
    assert "did not come" not in line.reason


def test_praise_is_spoken_once_on_a_straight() -> None:
    made = coach(ring(speed=pace), reference=reference())
    made.frame(Frame(0.0), None, 0)
    rules = made._caller.rules  # type: ignore[union-attr]
    for lap in (1, 2):
        made.corner_pass(corner_pass("turn_2", lap, brake_s=0.5))
    rules.called("turn_2", 3)
    for lap in (3, 4, 5, 6):
        made.corner_pass(corner_pass("turn_2", lap))
        if lap == 4:
            lines = [line for line in listen(made, drive(pace, 0.4, t0=1.0))[1] if line.phase == "praise"]
    assert [(line.text, line.outcome, line.corner) for line in lines] == [
        ("Turn two, much better.", "held then spoken", "")
    ]
    assert [line for line in made.drain() if line.phase == "praise"] == []


def test_a_text_without_a_clip_is_suppressed_and_said_to_be() -> None:
    callouts, lines = listen(coach(ring(speed=pace), clip_s=lambda text: None), drive(pace, 1.0))
    assert callouts == []
    assert {line.outcome for line in lines} == {"suppressed"}


def test_a_ledger_line_is_always_the_same_bytes() -> None:
    line = LedgerLine(
        cue=7, t=12.34567, lap=2, corner="turn_7", phase="brake", text="Brake at the 300", tier="rule",
        priority=2, outcome="spoken", reason="loses 0.31 s", action_distance_m=121.26, clip_s=1.23456,
        time_in_hand_s=-0.00001, predicted_in_hand_s=None, lead_s=2.0,
    )  # fmt: skip
    assert ledger_json(line) == (
        b'{"cue":7,"t":12.346,"lap":2,"corner":"turn_7","phase":"brake","text":"Brake at the 300",'
        b'"tier":"rule","priority":2,"outcome":"spoken","reason":"loses 0.31 s","action_distance_m":121.3,'
        b'"clip_s":1.235,"time_in_hand_s":0.0,"predicted_in_hand_s":null,"lead_s":2.0}'
    )
