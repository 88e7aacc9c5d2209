"""The arbiter, row by row and outcome by outcome, on data time alone."""

from __future__ import annotations

import math

import pytest

from pitwall.coach.arbiter import Arbiter, Moment, TimeLeft
from pitwall.coach.cue import SAFETY, STRATEGY, TECHNIQUE, Callout, Cue, LedgerLine
from pitwall.coach.lead import Delays
from pitwall.coach.policy import CALLOUTS_PER_LAP, GAP_S, QUEUE_LIMIT

DELAYS = Delays(software_s=0.0, audio_s=0.0)
MESSAGES = ("status", "praise", "strategy", "numbers", "lap_time")
CLIPS = {"unknown": None, "long words": 2.0, "short": 0.5}


def clip_s(text: str) -> float | None:
    return CLIPS.get(text, 1.0)


class World:
    """A car at 50 m/s whose time to any place is what the distance says."""

    def __init__(self) -> None:
        self.arbiter = Arbiter(clip_s, DELAYS)
        self.straight, self.braking, self.blocked = True, False, ""
        self.standing, self.behind_s = False, 0.0
        self.reserve_s, self.free_s = math.inf, math.inf
        self.t = 0.0
        self.lines: list[LedgerLine] = []

    def step(self, t: float) -> Callout | None:
        self.arbiter.passed(self.t, self.t * 50.0, t, t * 50.0)
        self.t = t
        moment = Moment(
            t, t * 50.0, self.blocked, self.straight, self.braking, self.standing, 0.0, 0.1,
            self.reserve_s, self.free_s, behind_s=self.behind_s,
        )  # fmt: skip
        callout = self.arbiter.step(moment, lambda cue, ahead_m: TimeLeft(ahead_m / 50.0, "rule", ""))
        self.lines += self.arbiter.drain()
        return callout

    def run(self, to: float) -> list[Callout]:
        ticks = range(int(self.t * 10) + 1, int(to * 10 + 0.5) + 1)
        return [callout for tick in ticks if (callout := self.step(tick / 10))]

    def finish(self) -> list[LedgerLine]:
        self.arbiter.flush(self.t)
        return self.lines + self.arbiter.drain()

    def offer(self, cue: Cue, action_t: float | None = None, **more: float) -> None:
        at_s_m = None if action_t is None else action_t * 50.0
        self.arbiter.offer(cue, at_s_m=at_s_m, **more)


def cue(id: int, text: str, phase: str = "brake", t: float = 0.0, lap: int = 1, short: str = "") -> Cue:
    priority = {"safety": SAFETY, **dict.fromkeys(MESSAGES, STRATEGY)}
    placed = phase not in priority
    return Cue(
        id=id,
        t=t,
        lap=lap,
        corner=f"turn_{id}" if placed else "",
        phase=phase,
        text=text,
        text_short=short,
        priority=priority.get(phase, TECHNIQUE),
    )


def outcomes(lines: list[LedgerLine]) -> dict[int, str]:
    return {line.cue: line.outcome for line in lines}


@pytest.fixture
def world() -> World:
    return World()


def test_a_brake_call_starts_at_its_lead_and_the_ledger_has_its_true_time_in_hand(world: World) -> None:
    world.offer(cue(1, "Brake at one"), action_t=4.0)
    (callout,) = world.run(5.0)
    # 1 s of clip, 0.75 s reaction, 0.3 s margin; at most a quarter second before that.
    assert 4.0 - 2.05 - 0.2501 <= callout.t <= 4.0 - 2.05
    (line,) = world.finish()
    assert line.outcome == "spoken"
    assert line.time_in_hand_s == pytest.approx(4.0 - callout.t - 1.0)
    assert line.predicted_in_hand_s == pytest.approx(line.time_in_hand_s)
    assert line.action_distance_m == pytest.approx((4.0 - callout.t) * 50.0)


def test_too_late_for_the_long_phrase_says_the_short_one(world: World) -> None:
    world.offer(cue(1, "long words", short="short"), action_t=2.0)
    (callout,) = world.run(3.0)
    assert callout.text == "short"
    assert world.finish()[0].text == "short"


def test_where_the_long_phrase_would_be_heard_in_the_next_bend_the_short_one_is_said(world: World) -> None:
    world.free_s = 0.7
    world.offer(cue(1, "long words", short="short"), action_t=6.0, early_s=2.0)
    (callout,) = world.run(7.0)
    assert callout.text == "short"


def test_a_lap_time_needs_no_straight_and_the_next_message_follows_soon(world: World) -> None:
    world.straight = False
    world.offer(cue(1, "news", "lap_time"))
    (said,) = world.run(1.0)
    world.straight = True
    world.offer(cue(2, "Brake at two", t=1.0), action_t=5.0)
    (call,) = world.run(6.0)
    assert call.t - (said.t + said.clip_s) < GAP_S


def test_too_late_for_both_says_nothing(world: World) -> None:
    world.offer(cue(1, "long words", short="short"), action_t=1.5)
    assert world.run(3.0) == []
    (line,) = world.finish()
    assert line.outcome == "expired"
    assert "too late: 1.40 s left, 1.55 s needed" in line.reason


def test_technique_is_held_through_a_corner_then_spoken(world: World) -> None:
    world.straight = False
    world.offer(cue(1, "Brake at one", short="short"), action_t=3.0)
    assert world.run(1.2) == []
    world.straight = True
    (callout,) = world.run(2.0)
    assert callout.text == "short"
    line = world.finish()[0]
    assert line.outcome == "held then spoken"
    assert "in a corner" in line.reason


def test_what_came_late_is_no_ground_to_speak_but_of_danger(world: World) -> None:
    """After a stall its frames come in a burst: the car is 2 s further than they say."""
    world.behind_s = 2.0
    world.offer(cue(1, "Brake at one", short="short"), action_t=3.9)
    world.offer(cue(2, "Well done", phase="praise"))
    assert world.step(0.0) is None
    assert world.run(0.5) == []
    world.offer(cue(3, "Oil!", phase="safety", t=0.5))
    danger = world.step(0.6)
    assert danger.text == "Oil!"
    world.behind_s = 0.0
    (praise,) = world.run(0.6 + 2.0 + 1.0 + GAP_S + 0.2)
    assert praise.t == pytest.approx(0.6 + 2.0 + 1.0 + GAP_S, abs=0.11), (
        "danger sounds as late as it was told"
    )
    lines = {line.cue: line for line in world.finish()}
    assert lines[1].outcome == "expired"
    assert lines[1].reason == "too late: 3.50 s left, 3.55 s needed; held: the data came 2.0 s late"
    assert "held: the data came 2.0 s late" in lines[2].reason


def test_technique_waits_for_a_position_that_is_on_the_track(world: World) -> None:
    world.blocked = "position off"
    world.offer(cue(1, "Brake at one"), action_t=2.5)
    assert world.run(3.0) == []
    world.blocked = ""
    world.run(3.1)
    assert "position off" in world.finish()[0].reason


def test_three_seconds_from_the_end_of_one_message_to_the_start_of_the_next(world: World) -> None:
    world.offer(cue(1, "first", "strategy"))
    world.offer(cue(2, "second", "praise"))
    first, second = world.run(10.0)
    assert second.t - (first.t + first.clip_s) >= GAP_S
    assert second.t - (first.t + first.clip_s) < GAP_S + 0.2
    assert outcomes(world.finish()) == {1: "spoken", 2: "held then spoken"}


@pytest.mark.parametrize(
    ("phase", "stale_s"),
    [("numbers", 4), ("strategy", 5), ("lap_time", 10), ("praise", 15)],
)
def test_what_waits_too_long_is_stale(world: World, phase: str, stale_s: float) -> None:
    world.braking = True
    world.offer(cue(1, "second", phase))
    world.run(stale_s - 0.1)
    assert world.lines == []
    world.run(stale_s + 0.2)
    assert outcomes(world.finish()) == {1: "expired"}
    assert f"stale after {stale_s:.0f}" in world.lines[0].reason
    assert "held: braking" in world.lines[0].reason


@pytest.mark.parametrize(("early_s", "outcome"), [(0.0, "expired"), (4.0, "held then spoken")])
def test_a_call_that_may_start_early_may_wait_as_long(world: World, early_s: float, outcome: str) -> None:
    world.braking = True
    world.offer(cue(1, "second"), 8.5, early_s=early_s)
    world.run(6.0)
    world.braking = False
    world.run(8.5)
    assert outcomes(world.finish()) == {1: outcome}


@pytest.mark.parametrize("phase", ["strategy", "status", "praise", "numbers", "exit"])
def test_nothing_but_safety_begins_under_braking(world: World, phase: str) -> None:
    world.braking = True
    world.offer(cue(1, "second", phase))
    world.offer(cue(2, "danger", "safety"))
    assert [callout.text for callout in world.run(3.9)] == ["danger"]
    world.braking = False
    world.run(6.0)
    assert "braking" in next(line for line in world.finish() if line.cue == 1).reason


@pytest.mark.parametrize(
    ("phase", "outcome"), [("exit", "expired"), ("praise", "expired"), ("status", "held then spoken")]
)
def test_a_standing_car_is_told_of_danger_alone(world: World, phase: str, outcome: str) -> None:
    world.standing = True
    world.offer(cue(1, "second", phase))
    world.offer(cue(2, "danger", "safety"))
    assert [callout.text for callout in world.run(2.0)] == ["danger"]
    world.standing = False
    world.run(8.0)
    line = next(line for line in world.finish() if line.cue == 1)
    assert line.outcome == outcome
    assert "the car stands" in line.reason


def test_a_call_that_could_only_begin_under_braking_is_not_made(world: World) -> None:
    world.offer(cue(1, "Brake at one", short="short"), action_t=3.0)
    world.braking = True
    assert world.run(4.0) == []
    (line,) = world.finish()
    assert (line.outcome, "too late" in line.reason, "held: braking" in line.reason) == (
        "expired",
        True,
        True,
    )


@pytest.mark.parametrize(("phase", "waits"), [("exit", True), ("praise", True), ("status", False)])
def test_what_is_said_after_a_corner_must_fit_before_the_driver_is_busy_again(
    world: World, phase: str, waits: bool
) -> None:
    world.free_s = 0.9
    world.offer(cue(1, "second", phase))
    assert (world.run(1.0) == []) is waits
    world.free_s = 1.1
    world.run(2.0)
    (line,) = world.finish()
    assert line.outcome == ("held then spoken" if waits else "spoken")
    assert ("free for 0.9 s only" in line.reason) is waits


def test_what_was_to_be_told_after_a_corner_gives_way_to_the_newer_call_to_it(world: World) -> None:
    world.straight = False
    world.offer(cue(1, "Turn one, braked early", "exit"))
    same_corner = Cue(id=2, t=0.0, lap=2, corner="turn_1", phase="brake", text="Turn one, brake later")
    world.arbiter.offer(same_corner, at_s_m=3.0 * 50.0)
    assert outcomes(world.arbiter.drain()) == {1: "superseded"}


def test_a_refused_cue_ends_in_the_ledger_with_its_reason_and_its_concept(world: World) -> None:
    kept = Cue(
        id=7, t=1.0, lap=3, corner="turn_1", phase="exit", text="short", concept="use_exit", reason="0.3 s"
    )
    world.arbiter.refuse(kept, "crowded out")
    (line,) = world.arbiter.drain()
    assert (line.outcome, line.concept, line.reason) == ("suppressed", "use_exit", "crowded out; 0.3 s")
    assert (line.t, line.clip_s) == (1.0, 0.5)


def test_safety_cuts_off_what_is_playing_even_in_a_corner(world: World) -> None:
    world.offer(cue(1, "long words", "strategy"))
    assert [callout.cut for callout in world.run(0.5)] == [False]
    world.straight, world.blocked = False, "position lost"
    world.offer(cue(2, "danger", "safety", t=0.5))
    callout = world.step(0.6)
    assert callout.cut
    lines = world.finish()
    assert outcomes(lines) == {1: "superseded", 2: "spoken"}
    assert "cut off 0.50 s after its start by safety cue 2" in lines[0].reason


def test_two_dangers_do_not_cut_each_other_and_need_no_gap(world: World) -> None:
    world.offer(cue(1, "danger", "safety"))
    world.offer(cue(2, "other danger", "safety"))
    first, second = world.run(3.0)
    assert not first.cut
    assert not second.cut
    assert 1.0 <= second.t - first.t <= 1.1


def test_after_safety_the_next_message_keeps_its_distance(world: World) -> None:
    world.offer(cue(1, "danger", "safety"))
    world.offer(cue(2, "news", "strategy"))
    danger, news = world.run(8.0)
    assert news.t - danger.t >= 1.0 + GAP_S


def test_strategy_leaves_room_for_a_technique_call_that_comes(world: World) -> None:
    world.reserve_s = 3.9
    world.offer(cue(1, "news", "strategy"))
    assert world.run(1.0) == []
    world.reserve_s = 4.1
    assert len(world.run(2.0)) == 1
    assert "technique call is due" in world.finish()[0].reason


def test_technique_goes_before_strategy(world: World) -> None:
    world.straight = False
    world.offer(cue(1, "news", "strategy"))
    world.offer(cue(2, "Brake at two"), action_t=2.5)
    world.run(0.3)
    world.straight = True
    assert world.run(1.0)[0].cue == 2


def test_eight_callouts_a_lap_then_technique_is_shed_but_not_safety_nor_status(world: World) -> None:
    for number in range(1, CALLOUTS_PER_LAP + 2):
        world.offer(cue(number, f"Brake at {number}", t=world.t), action_t=world.t + 2.5)
        world.run(world.t + 5.0)
    world.offer(cue(20, "GPS lost", "status", t=world.t))
    world.run(world.t + 1.0)
    world.offer(cue(21, "danger", "safety", t=world.t))
    world.run(world.t + 1.0)
    world.offer(cue(22, "Brake in two", t=world.t + 5, lap=2), action_t=world.t + 7.5)
    world.run(world.t + 8.0)
    ends = outcomes(world.finish())
    assert list(ends.values()).count("shed") == 1
    assert ends[CALLOUTS_PER_LAP + 1] == "shed"
    assert ends[20] == ends[21] == ends[22] == "spoken"


def test_the_same_sentence_waits_a_lap_unless_the_loss_persisted(world: World) -> None:
    """And never twice in one lap."""
    wanted = [(1, False), (2, False), (2, True), (2, True), (4, False)]
    for number, (lap, persisted) in enumerate(wanted, start=1):
        same = Cue(id=number, t=world.t, lap=lap, corner="turn_1", phase="brake", text="Brake")
        world.arbiter.offer(same, at_s_m=(world.t + 2.5) * 50.0, persisted=persisted)
        world.run(world.t + 8.0)
    assert list(outcomes(world.finish()).values()) == ["spoken", "suppressed"] * 2 + ["spoken"]


@pytest.mark.parametrize("category", ["safety", "status"])
def test_the_same_message_again_only_after_ten_seconds(world: World, category: str) -> None:
    world.offer(cue(1, "message", category))
    world.run(9.0)
    world.offer(cue(2, "message", category, t=9.0))
    world.run(11.0)
    world.offer(cue(3, "message", category, t=11.0))
    world.run(12.0)
    assert outcomes(world.finish()) == {1: "spoken", 2: "suppressed", 3: "spoken"}


def test_a_newer_word_on_the_same_corner_takes_the_place_of_the_older(world: World) -> None:
    world.straight = False
    for number, text in ((1, "Brake later"), (2, "Brake earlier")):
        world.arbiter.offer(
            Cue(id=number, t=0.0, lap=1, corner="turn_1", phase="brake", text=text), at_s_m=200.0
        )
    world.run(0.5)
    world.straight = True
    assert [callout.text for callout in world.run(4.0)] == ["Brake earlier"]
    assert outcomes(world.finish()) == {1: "superseded", 2: "spoken"}


def test_gps_back_takes_the_place_of_gps_lost(world: World) -> None:
    world.offer(cue(1, "news", "strategy"))
    world.run(0.5)
    world.offer(cue(2, "GPS lost", "status", t=0.5))
    world.offer(cue(3, "GPS back", "status", t=1.0))
    world.run(6.0)
    assert outcomes(world.finish())[2] == "superseded"


def test_a_clip_of_unknown_length_is_never_spoken(world: World) -> None:
    world.offer(cue(1, "unknown"), action_t=3.0)
    assert world.run(4.0) == []
    line = world.finish()[0]
    assert (line.outcome, line.clip_s) == ("suppressed", None)
    assert "no clip of known length" in line.reason


def test_a_full_queue_sheds_the_least_important(world: World) -> None:
    world.straight = False
    world.offer(cue(1, "praise one", "praise"))
    for number in range(2, QUEUE_LIMIT + 2):
        world.offer(cue(number, f"Brake at {number}"), action_t=100.0)
    world.step(0.1)
    assert outcomes(world.lines) == {1: "shed"}
    world.offer(cue(50, "danger", "safety", t=0.1))
    assert world.run(0.2)[0].text == "danger"


def test_a_place_that_was_wrong_ends_what_hung_on_it(world: World) -> None:
    world.offer(cue(1, "Brake at one"), action_t=4.0)
    world.run(2.0)
    world.offer(cue(2, "Brake at two", t=2.0), action_t=20.0)
    world.arbiter.displaced(2.0, "the position jumped +400 m")
    lines = world.finish()
    assert outcomes(lines) == {1: "spoken", 2: "expired"}
    assert all("jumped" in line.reason for line in lines)


def test_a_car_that_never_comes_leaves_the_predicted_time_in_hand(world: World) -> None:
    world.offer(cue(1, "Brake at one"), action_t=4.0)
    world.run(2.0)
    world.arbiter.tick(60.0)
    (line,) = world.arbiter.drain()
    assert line.time_in_hand_s == line.predicted_in_hand_s
    assert "did not come" in line.reason


def test_every_cue_ends_exactly_once(world: World) -> None:
    for number in range(1, 40):
        phase = ("brake", "safety", "status", "praise", "strategy")[number % 5]
        action_t = world.t + 2.5 if phase == "brake" else None
        world.offer(cue(number, f"text {number}", phase, t=world.t, lap=number // 10), action_t=action_t)
        world.straight = number % 3 != 0
        world.run(world.t + 0.7)
    assert sorted(line.cue for line in world.finish()) == list(range(1, 40))
