"""What the rule coach plans: which corners, in what words, until they are cured, or given up."""

from __future__ import annotations

import msgspec
import pytest
from coach_world import (
    CLEAN,
    CORNERS,
    EARLY,
    GOOD,
    LENGTH_M,
    SLOW_EXIT,
    Lost,
    one_second,
    pace,
    passed,
    reference,
    ring,
    technique,
)

from pitwall.coach.concepts import OWN_BEST, TIME_LOST
from pitwall.coach.cue import Mode
from pitwall.coach.lead import Delays
from pitwall.coach.pace import reference_pace, typical_pace
from pitwall.coach.places import action_place, call_place, open_road_m
from pitwall.coach.plan import PlannedCall
from pitwall.coach.rules import PassOutcome, RuleCoach
from pitwall.coach.scripts import Phrase, load_scripts
from pitwall.coach.straights import Straights
from pitwall.track.lap import MARKED, Lap
from pitwall.words.forms import Level

LAP_S = 80.0


def new_rules(level: Level = "intermediate") -> RuleCoach:
    track = ring(speed=pace)
    return RuleCoach(track, load_scripts((), track, level=level), one_second, Delays())


@pytest.fixture
def rules() -> RuleCoach:
    """The rules of a drive against GOOD."""
    made = new_rules()
    made.set_reference(reference())
    return made


def feed(made: RuleCoach, lap: int, time_s: float = LAP_S, **lost: Lost) -> dict[str, PassOutcome]:
    """Drive a flying lap, clean where nothing else is said; what each pass brought."""
    found = {at.id: made.corner_pass(*passed(at.id, lap, lost.get(at.id, CLEAN))) for at in CORNERS}
    made.lap(Lap(lap, "flying", lap * LAP_S, lap * LAP_S + time_s, time_s))
    return {corner: verdict for corner, verdict in found.items() if verdict != PassOutcome()}


def texts(calls: list[PlannedCall]) -> list[str]:
    return [call.phrase.text for call in calls]


def test_a_lap_that_is_off_the_pace_already_is_no_evidence(rules: RuleCoach) -> None:
    feed(rules, 1)
    slow = Lost(1.0, 0.5, 0.4)
    whys = [rules.corner_pass(*passed(f"turn_{number}", 2, slow)).why for number in (1, 2, 3, 4)]
    seen = {id_: [each.parts.lap for each in record.seen] for id_, record in rules._records.items()}
    assert seen == {"turn_1": [1, 2], "turn_2": [1, 2], "turn_3": [1], "turn_4": [1]}, whys


def test_first_laps_name_the_biggest_drops_and_not_the_same_ones_again() -> None:
    made = new_rules()
    first = made.calls(0)
    assert sorted(texts(first)) == [f"Turn {n} is next" for n in ("four", "one", "three", "two")]
    for call in first[:2]:
        made.called(call.corner.id, 0, call.concept, after=False)
    assert made.calls(1) == first[2:]


def test_a_whole_first_lap_is_named_where_a_lap_to_drive_against_is_given(rules: RuleCoach) -> None:
    assert len(rules.calls(0)) == 4
    rules.corner_pass(*passed("turn_1", 0))
    assert len(rules.calls(0)) == 4
    assert rules.calls(1) == []


def test_a_corner_one_does_not_slow_for_is_not_named() -> None:
    track = ring(speed=lambda place: 40.0)
    assert RuleCoach(track, load_scripts((), track), one_second, Delays()).calls(0) == []


@pytest.mark.parametrize(("level", "most"), [("beginner", 2), ("intermediate", 3), ("expert", 3)])
def test_the_dearest_corners_are_called_the_dearest_first(level: Level, most: int) -> None:
    made = new_rules(level)
    made.set_reference(reference())
    losses = {"turn_1": 0.2, "turn_2": 0.5, "turn_3": 0.3, "turn_4": 0.4}
    lost = {corner: EARLY._replace(brake_s=loss_s) for corner, loss_s in losses.items()}
    for lap in (1, 2):
        feed(made, lap, **lost)
    calls = made.calls(3)
    assert [call.corner.id for call in calls] == ["turn_2", "turn_4", "turn_3"][:most]
    assert {(call.concept, call.phase) for call in calls} == {("brake_later", "brake")}
    assert "loses 0.50 s in laps 1, 2 against best" in calls[0].reason
    # The others are told after their corner, or the ledger says why not.
    brought = feed(made, 3, **lost)
    assert set(brought) == {"turn_1", "turn_2", "turn_3", "turn_4"}
    kept = [verdict for verdict in brought.values() if verdict.after is None]
    assert all(verdict.kept is not None and verdict.why.startswith("crowded out") for verdict in kept)


def test_once_more_around_in_the_same_lap_as_many_corners_are_told_after_them() -> None:
    """A lap through the pits passes each corner twice, with as much time to listen each time."""
    made = new_rules("beginner")
    made.set_reference(reference())
    for lap in (1, 2):
        feed(made, lap, **{at.id: EARLY for at in CORNERS})
    told: list[list[str]] = [[], []]
    for around in told:
        for at in CORNERS:
            if made.corner_pass(*passed(at.id, 3, EARLY)).after is not None:
                made.called(at.id, 3, "brake_later", after=True)
                around.append(at.id)
    assert told == [["turn_1", "turn_2"], ["turn_3", "turn_4"]]


def test_of_two_corners_that_cost_about_as_much_the_one_whose_advice_is_heeded_is_first(
    rules: RuleCoach,
) -> None:
    for lap in (1, 2):
        feed(rules, lap, turn_1=EARLY._replace(brake_s=0.4), turn_3=SLOW_EXIT._replace(exit_s=0.3))
    found = [advice.concept for advice in rules.advices()]
    assert found == ["brake_later", "throttle_sooner"]
    assert [call.corner.id for call in rules.calls(3)] == ["turn_1", "turn_3"]
    rules.weights = {"brake_later": 0.7, "throttle_sooner": 1.4}
    rules.plan_anew()
    assert [call.corner.id for call in rules.calls(3)] == ["turn_3", "turn_1"]


def test_what_a_fault_cost_is_told_until_it_was_heard_once(rules: RuleCoach) -> None:
    text = "Turn two: brake later, two car lengths"
    for lap, lost_s in ((1, 0.2), (2, 0.9), (3, 0.31)):
        feed(rules, lap, turn_2=EARLY._replace(brake_s=lost_s))
    (call,) = rules.calls(4)
    assert call.phrase == Phrase(text, "Turn two: brake later", f"{text}, you lost three tenths")
    rules.called("turn_2", 4, call.concept, after=False)
    assert rules.calls(5)[0].phrase.why == call.phrase.why
    rules.called("turn_2", 5, call.concept, after=False, with_why=True)
    feed(rules, 6, turn_2=EARLY)
    assert [call.phrase.why for call in rules.calls(7)] == [""]


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param(EARLY._replace(brake_s=0.2, exit_s=0.4), id="most goes where braking costs nothing"),
        pytest.param(EARLY._replace(exit_s=0.4, wrong={**EARLY.wrong, **SLOW_EXIT.wrong}), id="two faults"),
    ],
)
def test_a_loss_that_may_be_of_something_else_is_not_laid_to_a_fault(rules: RuleCoach, lost: Lost) -> None:
    for lap in (1, 2, 3):
        feed(rules, lap, turn_2=lost)
    assert [call.phrase.why for call in rules.calls(4)] == [""]


def test_what_is_unsure_is_said_once_of_the_same_passes(rules: RuleCoach) -> None:
    feed(rules, 1, turn_2=EARLY)
    feed(rules, 2, turn_2=EARLY)
    record = rules._records["turn_2"]
    assert record.advice is not None
    record.advice = msgspec.structs.replace(record.advice, unsure=True)
    assert texts(rules.calls(3)) == ["Turn two: brake later, two car lengths"]
    rules.called("turn_2", 2, "brake_later", after=True)
    assert rules.calls(3) == []
    record.advice = msgspec.structs.replace(record.advice, laps=(1, 2, 3))
    rules.plan_anew()
    assert texts(rules.calls(4)) == ["Turn two: brake later, two car lengths"]


@pytest.mark.parametrize("called", [True, False])
def test_a_pass_that_lost_as_much_in_another_way_is_told_of_the_time(rules: RuleCoach, called: bool) -> None:
    """Who was told what to do hears whether he did it, and nothing else."""
    for lap in (1, 2, 3):
        feed(rules, lap, turn_2=EARLY)
    if called:
        rules.called("turn_2", 3, "brake_later", after=True)
    brought = feed(rules, 4, turn_2=Lost(0.1, 0.1, 0.3))["turn_2"]
    told = brought.kept if called else brought.after
    assert (told.concept, brought.why) == (("brake_later", "not in this pass") if called else (TIME_LOST, ""))
    if not called:
        assert told.phrase.text == "Turn two: five tenths lost on the way out"


def test_a_loss_that_goes_on_is_told_though_one_of_its_passes_is_no_evidence(rules: RuleCoach) -> None:
    """A lap of it was lost in the corner before."""
    differs = {at.id: Lost(0.0, 0.2, 0.3) for at in CORNERS}
    for lap in (1, 2, 3, 4, 5):
        feed(rules, lap, **(differs if lap % 2 else {}))
    slow = Lost(0.3, 0.1, 0.2, {"start_mps": 40.0})
    assert feed(rules, 6, turn_2=slow)["turn_2"].why.startswith("far slower on the way to it")
    told = feed(rules, 7, turn_2=Lost(0.0, 0.1, 0.2))["turn_2"].after
    assert told.concept == TIME_LOST


def test_a_call_on_the_straight_before_the_gate_is_to_the_pass_behind_it(rules: RuleCoach) -> None:
    feed(rules, 1, turn_2=EARLY)
    feed(rules, 2, turn_2=EARLY)
    for lap in (2, 3):
        assert len(rules.calls(lap)) == 1
        rules.called("turn_2", lap, "brake_later", after=False)
        assert feed(rules, lap + 1, turn_2=EARLY) == {}
    assert rules.calls(4) == []


@pytest.mark.parametrize("called", [True, False])
def test_no_call_where_the_last_lap_was_good(rules: RuleCoach, called: bool) -> None:
    for lap in (1, 2, 3):
        feed(rules, lap, turn_2=EARLY)
    assert len(rules.calls(4)) == 1
    if called:
        rules.called("turn_2", 4, "brake_later", after=False)
    feed(rules, 4)
    assert rules.advices() != []
    assert rules.calls(5) == []


def test_time_without_a_cause_is_told_of_the_pass_that_was_just_driven(rules: RuleCoach) -> None:
    lost = Lost(0.1, 0.3, 0.4)
    for lap in (1, 2):
        feed(rules, lap, turn_2=lost)
    told = feed(rules, 3, turn_2=lost._replace(exit_s=0.1))["turn_2"].after
    assert (told.concept, told.phrase.text) == (TIME_LOST, "Turn two: five tenths lost in the middle")
    assert "loses 0.70 s in laps 1, 2, 3" in told.reason
    # A pass that lost a little is not told of what the others lost.
    assert feed(rules, 4, turn_2=Lost(0.1, 0.1))["turn_2"].why == "not in this pass"


def test_no_call_is_left_to_a_driver_who_drives_with_less_grip_than_before(rules: RuleCoach) -> None:
    for lap in (1, 2):
        feed(rules, lap, turn_2=EARLY)
    slow = Lost(0.1, 0.1, 0.1, {"corner_g": 0.7})
    whys = []
    for number in (1, 2, 3, 4, 1, 2, 3, 4):
        assert whys or len(rules.calls(3)) == 1
        whys.append(rules.corner_pass(*passed(f"turn_{number}", 3, slow)).why)
    assert "30 % less grip" in whys[-3]
    assert rules.calls(3) == []


def test_half_a_cure_is_not_praised(rules: RuleCoach) -> None:
    for lap in (1, 2):
        feed(rules, lap, turn_2=EARLY)
    rules.called("turn_2", 3, "brake_later", after=False)
    still = EARLY._replace(brake_s=0.2, wrong={"brake_m": -112.0})
    assert not any(verdict.cured for lap in (3, 4, 5) for verdict in feed(rules, lap, turn_2=still).values())


def test_a_corner_that_was_only_named_is_not_praised() -> None:
    made = new_rules()
    made.called("turn_2", 0, "", after=False)
    made.set_reference(reference())
    assert [feed(made, lap) for lap in (1, 2, 3)] == [{}, {}, {}]


def told_before_turn_2(made: RuleCoach, laps: int = 11, heeded_lap: int = 0) -> list[str]:
    """What is said before turn 2 in so many laps with one fault, which is not made in one of them."""
    said = []
    for lap in range(1, laps + 1):
        feed(made, lap, turn_2=CLEAN if lap == heeded_lap else EARLY)
        for call in made.calls(lap + 1):
            said.append(call.phrase.text)
            made.called("turn_2", lap + 1, call.concept, after=False)
    return said


def test_a_call_that_was_heeded_does_not_count_as_unheeded(rules: RuleCoach) -> None:
    said = told_before_turn_2(rules, 14, heeded_lap=3)
    usual = "Turn two: brake later, two car lengths"
    assert said == [usual, usual, usual, usual, "Turn two: wait two car lengths longer, then brake"]


def test_another_fault_in_a_corner_that_was_given_up_is_called(rules: RuleCoach) -> None:
    told_before_turn_2(rules)
    for lap in (12, 13, 14, 15):
        feed(rules, lap, turn_2=SLOW_EXIT)
    assert texts(rules.calls(16)) == ["Turn two: throttle sooner"]


def test_three_times_over_two_seconds_alike_is_a_fault_and_no_traffic(rules: RuleCoach) -> None:
    feed(rules, 1)
    wrong = Lost(brake_s=2.4, wrong={"brake_m": -150.0})
    for lap in (2, 3, 4, 5, 6):
        feed(rules, lap, turn_2=wrong)
    assert [advice.corner for advice in rules.advices()] == ["turn_2"]


def test_the_own_best_pass_is_told_before_the_corner_from_the_third_lap_on(rules: RuleCoach) -> None:
    early = Lost(0.2, wrong={"brake_m": -108.0})
    feed(rules, 1)
    feed(rules, 2, turn_2=early)
    assert rules.calls(3) == []
    feed(rules, 3, turn_2=early)
    (call,) = rules.calls(4)
    assert call.concept == OWN_BEST
    assert call.phrase == Phrase("Turn two: your best braked two car lengths later", "Turn two: best later")


def test_what_no_lap_needs_is_told_without_a_faster_lap_and_only_where_nothing_dearer_is(
    rules: RuleCoach,
) -> None:
    waits = Lost(0.0, wrong={"waited_s": 1.2})
    feed(rules, 1, turn_2=waits)
    assert rules.calls(2) == []
    feed(rules, 2, turn_2=waits)
    (call,) = rules.calls(3)
    assert call.phrase.text == "Turn two: stay on the throttle until you brake"
    # It has to be heard before he lets go of the throttle.
    where = next(corner for corner in CORNERS if corner.id == "turn_2")
    assert (where.entry_m - call.action_m) % LENGTH_M >= 95.0 + 1.2 * 40.0
    feed(rules, 3)
    assert rules.calls(4) == []


@pytest.mark.parametrize(
    ("lap", "why"),
    [
        (Lap(2, "in", 0.0, LAP_S, LAP_S), "no flying lap: in"),
        (Lap(2, "broken", 0.0, LAP_S, LAP_S, reason="off the track at 1.2 km"), "off the track at 1.2 km"),
        (Lap(2, "flying", 0.0, 86.0, 86.0), "6.0 s off the best"),
        (Lap(2, "traffic", 0.0, LAP_S, LAP_S, reason=MARKED), MARKED),
        (Lap(2, "flying", 0.0, 82.0, 82.0), ""),
    ],
)
def test_a_lap_that_is_no_evidence_is_left_out_and_named(rules: RuleCoach, lap: Lap, why: str) -> None:
    feed(rules, 1, turn_2=EARLY)
    rules.corner_pass(*passed("turn_2", 2, EARLY))
    assert rules.lap(lap) == why
    assert (rules.advices() == []) is bool(why)


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        (
            EARLY._replace(wrong={"start_mps": 42.0, "brake_m": -130.0}),
            "far slower on the way to it: 42 m/s where 50 m/s are usual",
        ),
        (EARLY._replace(brake_s=3.4), "+3.0 s: traffic, an off or a yellow flag"),
    ],
)
def test_a_pass_in_traffic_is_no_evidence_and_the_ledger_hears_why(
    rules: RuleCoach, lost: Lost, why: str
) -> None:
    feed(rules, 1, turn_2=EARLY)
    brought = feed(rules, 2, turn_2=lost).values()
    # It lost time in both laps: a line tells why that is not coached.
    assert [verdict.kept and verdict.kept.concept for verdict in brought] == [TIME_LOST]
    assert rules.advices() == []
    feed(rules, 3, turn_2=EARLY)
    verdict = feed(rules, 4, turn_2=lost)["turn_2"]
    assert (verdict.kept.concept, verdict.why) == ("brake_later", why)


@pytest.mark.parametrize(
    ("times_s", "whys"),
    [
        # One lucky lap is no measure of pace: what he usually drives is.
        ((80.0, 85.0, 85.0, 85.0), ["", "5.0 s off the best", "", ""]),
        ((85.0, 84.9, 80.0, 85.0), ["", "", "", "5.0 s off the best"]),
    ],
)
def test_a_slow_lap_is_none_of_the_laps_before_the_best_or_of_a_slower_day(
    rules: RuleCoach, times_s: tuple[float, ...], whys: list[str]
) -> None:
    laps = (Lap(n, "flying", n * LAP_S, n * LAP_S + time_s, time_s) for n, time_s in enumerate(times_s, 1))
    assert [rules.lap(lap) for lap in laps] == whys


def test_who_loses_much_to_a_friend_in_every_pass_is_coached_and_what_differs_from_that_is_traffic(
    rules: RuleCoach,
) -> None:
    """A beginner drives against a lap that is 3 s faster in one corner; once somebody is in his way."""
    behind, usual = EARLY._replace(brake_s=6.0), EARLY._replace(brake_s=2.9)
    feed(rules, 1, turn_2=behind, time_s=88.0)
    feed(rules, 2, turn_2=usual, time_s=84.0)
    assert rules.advices() == []
    feed(rules, 3, turn_2=usual, time_s=84.0)
    assert [(each.concept, each.laps) for each in rules.advices()] == [("brake_later", (2, 3))]
    held_up = feed(rules, 4, turn_2=behind, time_s=87.0)["turn_2"]
    assert held_up.why == "+3.1 s: traffic, an off or a yellow flag"
    assert [each.laps for each in rules.advices()] == [(2, 3)]


def test_a_pass_that_was_not_seen_in_full_is_no_reason_to_say_the_same_again(rules: RuleCoach) -> None:
    for lap in (1, 2):
        feed(rules, lap, turn_2=EARLY)
    rules.called("turn_2", 3, "brake_later", after=False)
    half_seen, _ = passed("turn_2", 3, EARLY)
    rules.corner_pass(half_seen, None)
    rules.lap(Lap(3, "flying", 3 * LAP_S, 4 * LAP_S, LAP_S))
    assert [call.persisted for call in rules.calls(4)] == [False]
    feed(rules, 4, turn_2=EARLY)
    assert [call.persisted for call in rules.calls(5)] == [True]


def test_what_was_said_in_a_lap_behind_traffic_is_said_again_in_the_next(rules: RuleCoach) -> None:
    for lap in (1, 2):
        feed(rules, lap, turn_2=EARLY)
    rules.called("turn_2", 3, "brake_later", after=False)
    feed(rules, 3, time_s=1.1 * LAP_S, turn_2=EARLY)
    assert [call.persisted for call in rules.calls(4)] == [True]


def test_the_target_is_what_the_driver_did_twice_and_not_once(rules: RuleCoach) -> None:
    """Who gained by braking 15 m later, twice, is measured by that and no longer by the reference."""
    later = Lost(brake_s=-0.25, wrong={"brake_m": -85.0})
    feed(rules, 1, turn_2=later, turn_3=later)
    feed(rules, 2, turn_2=later)
    assert feed(rules, 3) == {}
    found = feed(rules, 4)
    assert set(found) == {"turn_2"}
    assert found["turn_2"].after.phrase.text == "Turn two: braked early"


def test_one_lucky_pass_is_no_target_where_a_lap_of_the_same_drive_is_the_reference() -> None:
    """Its own pass is measured from its positions, and so a few milliseconds off the lap itself."""
    made = new_rules()
    slow, fast = (
        msgspec.structs.replace(reference(speed), techniques={})
        for speed in (lambda place: (0.9 if 1100.0 <= place <= 1300.0 else 1.0) * pace(place), pace)
    )
    faster_s = slow.lap_time_s - fast.lap_time_s
    feed(made, 1, slow.lap_time_s)
    made.set_reference(slow)
    feed(made, 2, turn_2=Lost(brake_s=-0.25 - faster_s, wrong={"brake_m": -85.0}))
    feed(made, 3, fast.lap_time_s, turn_2=Lost(brake_s=0.003 - faster_s))
    made.set_reference(fast)
    for lap in (4, 5, 6):
        feed(made, lap, turn_2=Lost(brake_s=0.05, wrong={"brake_m": -105.0}))
    assert made.advices() == []


def test_the_reference_laps_own_pass_is_kept_beside_many_that_are_better(rules: RuleCoach) -> None:
    """They left the corner slower than it did: they are no target, and it still is one."""
    for lap in range(1, 9):
        feed(rules, lap, turn_2=Lost(brake_s=-0.2, wrong={"end_mps": 38.0}))
    for lap in (9, 10):
        feed(rules, lap, turn_2=EARLY)
    (advice,) = rules.advices()
    assert (advice.concept, advice.loss_s) == ("brake_later", pytest.approx(EARLY.brake_s))


def test_a_new_reference_measures_the_laps_before_it_too() -> None:
    made = new_rules()
    slow = msgspec.structs.replace(reference(lambda place: 0.9 * pace(place), "slow"), techniques={})
    made.set_reference(slow)
    feed(made, 1)
    feed(made, 2)
    assert made.advices() == []
    fast = reference(pace, "fast")
    quick = {id_: technique(brake_m=-70.0, slowest_mps=23.0) for id_ in fast.techniques}
    made.set_reference(msgspec.structs.replace(fast, techniques=quick))
    assert len(made.advices()) == 4
    assert all(advice.loss_s > 0.15 for advice in made.advices())


def test_the_lap_that_becomes_the_first_reference_is_measured_against_itself() -> None:
    made = new_rules()
    feed(made, 1)
    made.set_reference(msgspec.structs.replace(reference(), lap_time_s=LAP_S, techniques={}))
    feed(made, 2, turn_2=EARLY)
    feed(made, 3, turn_2=EARLY)
    assert texts(made.calls(4)) == ["Turn two: brake later, two car lengths"]


@pytest.mark.parametrize("mode", ["quiet", "numbers"])
def test_who_wants_no_advice_gets_none_and_the_ledger_says_so(rules: RuleCoach, mode: Mode) -> None:
    rules.mode = mode
    assert rules.calls(0) == []
    feed(rules, 1, turn_2=EARLY)
    verdict = feed(rules, 2, turn_2=EARLY)["turn_2"]
    assert verdict.kept is not None
    assert (verdict.after, verdict.why) == (None, f"the mode is {mode}")
    assert rules.calls(3) == []


def test_a_new_track_is_taught_lap_by_lap_from_the_place_to_the_way_out() -> None:
    made = new_rules()
    made.mode = "learn"
    taught = [made.calls(lap)[0] for lap in range(4)]
    assert [call.phase for call in taught] == ["approach", "turn_in", "apex", "exit"]
    assert [call.phrase.text for call in taught] == [
        "Turn one is next",
        *["Turn one: open right, braking"] * 3,
    ]


def test_places_of_the_phases_and_of_a_call() -> None:
    at, known = CORNERS[0], reference()
    assert action_place(at, "approach", None) == action_place(at, "brake", None) == at.brake_m
    assert action_place(at, "turn_in", known) == at.entry_m
    assert action_place(at, "apex", known) == action_place(at, "exit", known) == at.apex_m
    known.brake_m["turn_1"] = 480.0
    assert action_place(at, "brake", known) == 480.0
    # A call is over before the first brake point that is known: later it would be heard under braking.
    assert call_place(at, LENGTH_M, known, GOOD, technique(brake_m=-150.0), None) == 450.0
    assert call_place(at, LENGTH_M, known, technique(brake_m=None)) == 480.0
    unbraked = msgspec.structs.replace(at, brake_m=None)
    assert call_place(unbraked, LENGTH_M, None) == at.entry_m
    across_the_gate = msgspec.structs.replace(at, entry_m=20.0, brake_m=2950.0)
    assert call_place(across_the_gate, LENGTH_M, None, technique(brake_m=-90.0)) == 2930.0


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


def test_how_long_a_driver_stays_free() -> None:
    straights, known = Straights(LENGTH_M, ()), reference_pace(reference(lambda place: 50.0), LENGTH_M)
    assert straights.free_s(100.0, known) == float("inf")
    straights.mark(600.0, 100.0, False)
    assert straights.free_s(100.0, known) == pytest.approx(10.0, abs=0.3)
    assert straights.free_s(2900.0, known) == pytest.approx(14.0, abs=0.3)
    assert straights.free_s(650.0, known) == 0.0
