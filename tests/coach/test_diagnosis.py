"""What a driver's passes show: how often it must show, against which pass, and what is no evidence."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from coach_world import GOOD, technique

from pitwall.coach.concepts import CONCEPTS, CONSISTENCY, TIME_LOST
from pitwall.coach.diagnosis import (
    Advice,
    PassStep,
    SeenPass,
    Spread,
    find_advice,
    is_cleared,
    is_lasting,
    pair_of,
    shown,
    target_of,
    why_not,
    why_untold,
)
from pitwall.coach.faults import PassLoss
from pitwall.coach.pair import Pair
from pitwall.coach.scripts import Phrase, Scripts
from pitwall.coach.wording import Wording
from pitwall.track.technique import Technique
from pitwall.words.forms import Level
from pitwall.words.language import ENGLISH, Language

TARGET = SeenPass(PassLoss(0, 0.0, 0.0, 0.0), GOOD)
EARLY_M = 20.0
# A line costs what it takes of the speed, here on the way out.
SLOWER_OUT = {"end_mps": GOOD.end_mps - 1.0}


def early(lap: int, loss_s: float = 0.3, by_m: float = EARLY_M) -> SeenPass:
    """A pass that lost time in its brake zone, and braked early where it lost any."""
    wrong = technique(brake_m=(GOOD.brake_m or 0.0) - by_m) if loss_s else GOOD
    return SeenPass(PassLoss(lap, loss_s, 0.0, 0.0), wrong)


def rolled(lap: int) -> SeenPass:
    """A pass that lost time in its brake zone on neither pedal."""
    return SeenPass(PassLoss(lap, 0.3, 0.0, 0.0), technique(coast_s=1.2))


def advice(*seen: SeenPass, chance_s: float = 0.0) -> Advice | None:
    return find_advice("turn_2", seen, TARGET, chance_s)


# What a driver's passes differ by anyway, and losses that are clearly more, and strikingly.
CHANCE_S = 0.12
CLEAR_S, STRIKING_S = 2.1 * CHANCE_S, 3.3 * CHANCE_S


@pytest.mark.parametrize(
    ("lost", "laps"),
    [
        ((CLEAR_S,), None),
        ((CLEAR_S, CLEAR_S), (1, 2)),
        ((CLEAR_S, 0.0, CLEAR_S), None),
        ((STRIKING_S, 0.0, STRIKING_S), (1, 3)),
        ((STRIKING_S, STRIKING_S, 0.0), None),
        ((0.2, 0.2), None),
        ((0.2, 0.0, 0.2, 0.2), (1, 3, 4)),
        ((0.2, 0.2, 0.0, 0.2), (1, 2, 4)),
        ((0.2, 0.2, 0.2, 0.0), (1, 2, 3)),
        ((0.2, 0.2, 0.2, 0.0, 0.0), None),
        ((0.14, 0.14, 0.14), None),
    ],
)
def test_a_fault_counts_in_three_of_four_and_a_clear_one_sooner(
    lost: tuple[float, ...], laps: tuple[int, ...] | None
) -> None:
    found = advice(*(early(lap, loss_s) for lap, loss_s in enumerate(lost, 1)), chance_s=CHANCE_S)
    assert (found.laps if found else None) == laps
    if found is not None:
        assert (found.concept, found.metres) == ("brake_later", EARLY_M)
        assert found.loss_s == pytest.approx(sum(lost) / sum(loss_s > 0.0 for loss_s in lost))
        assert "brake_later, 20 m" in found.detail


@pytest.mark.parametrize(
    ("wrong", "lost", "concept"),
    [
        ({"brake_m": -125.0}, (0.3, 0.0, 0.0), "brake_later"),
        ({"brake_m": -80.0, "slowest_mps": 19.8}, (-0.1, 0.3, 0.1), "brake_earlier"),
        ({"brake_m": -125.0, "brake_g": 0.7}, (0.3, 0.0, 0.0), "brake_later brake_harder"),
        ({"brake_m": -125.0, "bites": 2}, (0.3, 0.0, 0.0), "brake_once brake_later"),
        # Braking 90 m later than oneself is another braking.
        ({"brake_m": -10.0, "slowest_mps": 19.8}, (-0.1, 0.3, 0.1), TIME_LOST),
        ({"slowest_mps": 18.0, "entry_mps": 21.0, "corner_g": 0.82}, (0.05, 0.3, 0.1), "over_slowed"),
        # As slow, with the same grip: the line took the speed, and the brakes with it.
        ({"slowest_mps": 18.0, "entry_mps": 21.0}, (0.05, 0.3, 0.1), TIME_LOST),
        ({"slowest_mps": 18.0, "brake_m": -115.0, "exit_offset_m": -1.8}, (0.05, 0.2, 0.1), "use_exit"),
        ({"slowest_mps": 18.0, "brake_m": -115.0}, (0.3, 0.1, 0.1), "brake_later"),
        ({"release_m": 28.0, "slowest_mps": 19.0}, (0.0, 0.3, 0.0), "release_sooner over_slowed"),
        ({"apex_offset_m": 0.0}, (0.0, 0.2, 0.1), "clip_apex"),
        ({"pickup_m": 65.0, "gain_m": 75.0}, (0.0, 0.0, 0.3), "throttle_sooner"),
        ({"lifts": 1, "exit_mps": 24.0, "drive_pct": 60.0}, (0.0, 0.0, 0.3), "throttle_once"),
        ({"exit_offset_m": 0.0}, (0.0, 0.0, 0.3), "use_exit"),
        ({"turning_offset_m": 2.0, "exit_offset_m": -1.0}, (0.0, 0.0, 0.3), "unpinch_exit"),
        ({"turning_offset_m": 2.0, "exit_offset_m": -5.0}, (0.0, 0.0, 0.3), "turn_in_later"),
        ({"turning_offset_m": -3.0, "apex_offset_m": 1.2}, (0.0, 0.3, 0.0), "turn_in_earlier"),
        ({"turning_offset_m": -3.0, "apex_offset_m": -1.0}, (0.0, 0.3, 0.0), "clip_apex"),
        ({"gear": 4}, (0.0, 0.0, 0.3), "gear_down"),
        # Who waits for the car to come round has let the brakes go meanwhile, and is slower between.
        (
            {"turning_offset_m": -4.0, "apex_offset_m": 0.5, "release_m": -9.0, "roll_s": 0.6},
            (0.0, 0.45, -0.05),
            "turn_in_earlier",
        ),
        (
            {
                "turning_offset_m": 4.0,
                "exit_offset_m": 0.5,
                "slowest_mps": 18.0,
                "slowest_g": 0.8,
                "corner_g": 0.8,
            },
            (0.0, 0.2, 0.2),
            "unpinch_exit",
        ),
        # Braked where nobody has to, for a line that is too tight.
        ({"slowest_mps": 18.0, "exit_offset_m": 0.0}, (0.0, 0.15, 0.2), "use_exit"),
        ({}, (0.1, 0.1, 0.2), TIME_LOST),
    ],
)
def test_the_cause_is_what_explains_the_loss(
    wrong: dict[str, float], lost: tuple[float, float, float], concept: str
) -> None:
    slower = SLOWER_OUT if any(CONCEPTS[name].is_line for name in concept.split() if name in CONCEPTS) else {}
    passes = [SeenPass(PassLoss(lap, *lost), technique(**slower | wrong)) for lap in (1, 2, 3)]
    for seen in (passes, passes[:2]):
        found = advice(*seen)
        assert found.concept in concept.split()


def passed(lap: int, *lost_s: float, **wrong: float) -> SeenPass:
    return SeenPass(PassLoss(lap, *lost_s), technique(**wrong))


def tight(lap: int, turning_m: float, exit_m: float = -1.0) -> SeenPass:
    return passed(lap, 0.0, 0.1, 0.3, turning_offset_m=turning_m, exit_offset_m=exit_m, **SLOWER_OUT)


def wandering(metres: float) -> list[SeenPass]:
    """Every other pass loses, braking so far early."""
    return [early(lap, 0.4, metres) if lap % 2 else early(lap, 0.05, 1.0) for lap in range(1, 6)]


LOSES_NOWHERE = passed(1, 0.1, 0.1, 0.2)
# Passes, what is chance, and what is told of them.
TOLD: dict[str, tuple[list[SeenPass], float, str]] = {
    "another line at the same speed cost nothing, and is the receiver's": (
        [passed(lap, 0.0, 0.2, 0.1, apex_offset_m=0.0) for lap in (1, 2, 3)], 0.0, TIME_LOST),
    "what the last of two passes shows may be shown again": ([LOSES_NOWHERE, early(2, 0.4)], 0.0, ""),
    "what the first of two passes shows": ([early(0, 0.4), LOSES_NOWHERE], 0.0, TIME_LOST),
    "a small loss without a cause": ([passed(lap, 0.2, 0.0, 0.0) for lap in (1, 2)], 0.0, ""),
    "another cause each lap is no cause": (
        [early(1, 0.4), passed(2, 0.4, 0.0, 0.0, brake_g=0.7), passed(3, 0.4, 0.0, 0.0)], 0.0, TIME_LOST),
    "a line that is off in one way and then another": (
        [tight(1, 2.5), tight(2, 0.5)], 0.0, "unpinch_exit use_exit"),
    "one pass far off the line makes no line of the others": (
        [passed(lap, 0.0, 0.1, 0.25, apex_offset_m=3.0 - m) for lap, m in enumerate((4.0, 0.8, 0.8, 0.9))],
        0.0, TIME_LOST),
    "what is too little in each pass shows in the mean of them": (
        [tight(lap, 1.5 + off, -1.5 + off) for lap, off in enumerate((0.3, -0.3, 0.2), 1)], 0.0,
        "unpinch_exit"),
    "a tight line that is no cause yet": (
        [passed(lap, 0.0, 0.05, 0.35, slowest_mps=18.0, exit_offset_m=-2.5) for lap in (1, 2, 3)], 0.0,
        "unpinch_exit"),
    "and is none where the car ran out further": (
        [passed(lap, 0.0, 0.05, 0.35, slowest_mps=18.0, exit_offset_m=-3.8) for lap in (1, 2, 3)], 0.0,
        TIME_LOST),
    "a brake point that wanders, where the loss is within chance": (wandering(35.0), 0.5, CONSISTENCY),
    "a brake point that does not": (wandering(3.0), 0.5, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told_of_passes_that_differ(name: str) -> None:
    passes, chance_s, concept = TOLD[name]
    found = advice(*passes, chance_s=chance_s)
    assert found.concept in concept.split() if concept else found is None
    # No amount is made of two causes.
    assert concept != TIME_LOST or found.metres is None


@pytest.mark.parametrize(
    ("left_mps", "own", "why"),
    [
        (24.0, {"start_mps": 48.0}, "arrived at 48 m/s where 50 m/s are usual: the corner before"),
        # As fast out of the corner before, or braked sooner on the way: that corner is not to blame.
        (26.0, {"start_mps": 48.0}, "arrived at 48 m/s where 50 m/s are usual: slowed on the way to it"),
        (
            24.0,
            {"start_mps": 48.0, "brake_m": -160.0},
            "arrived at 48 m/s where 50 m/s are usual: slowed on the way to it",
        ),
        (24.0, {"start_mps": 49.5}, "no cause shows often enough"),
        (None, {"start_mps": 48.0}, "no cause shows often enough"),
    ],
)
def test_a_loss_without_a_cause_in_its_corner_has_a_reason(
    left_mps: float | None, own: dict[str, float], why: str
) -> None:
    """Of a corner that the best pass leaves at 26 m/s, with a brake zone of 150 m."""
    pair = pair_of(SeenPass(PassLoss(1, 0.3, 0.0, 0.0), technique(**own)), TARGET)
    before = None if left_mps is None else Pair(technique(exit_mps=left_mps), GOOD, 0.0, 0.0, 0.0)
    assert why_untold(pair, before, -150.0, 0.2) == why
    if before is None:
        assert why_untold(pair, before, -150.0, 0.4) == "within what this driver's laps differ by"


def test_without_a_target_nothing_is_wrong() -> None:
    assert find_advice("turn_2", [early(1), early(2)], None) is None


def steps(spread_s: float, count: int, corner: str = "turn_1") -> Spread:
    """A driver whose passes differ by `spread_s` (1 sigma)."""
    found, rng = Spread(), Random(1)
    times = [rng.gauss(0.0, spread_s) for _ in range(count + 1)]
    for lap, (before, after) in enumerate(pairwise(times)):
        found.add(PassStep(corner, lap, 8.0, abs(after - before)))
    return found


@pytest.mark.parametrize(("times", "told"), [(0.95, False), (1.3, False), (3.0, True)])
def test_what_a_driver_spreads_by_anyway_is_no_fault(times: float, told: bool) -> None:
    """Two passes in a row that lose so many times what is chance."""
    spread_s = 0.055
    chance_s = steps(spread_s, 40).chance_s("turn_2", 8.0)
    assert 2.0 * spread_s < chance_s < 4.0 * spread_s
    lost_s = times * chance_s
    assert (advice(early(1, lost_s), early(2, lost_s), chance_s=chance_s) is not None) is told


def test_who_learns_spreads_too_and_is_coached_all_the_same() -> None:
    """What is no more than his laps differ by is unsure, until it shows again and again."""
    chance_s = steps(1.0, 40).chance_s("turn_2", 8.0)
    passes = [early(lap, 0.5) for lap in range(1, 5)]
    found = [advice(*passes[:count], chance_s=chance_s) for count in (1, 2, 3, 4)]
    assert [each and each.unsure for each in found] == [None, True, True, False]
    sure = advice(*passes[:2], chance_s=CHANCE_S)
    assert not sure.unsure


@pytest.mark.parametrize(
    ("passes", "laps"),
    [
        ((early(1), early(2), early(3), early(4)), (1, 2, 3, 4)),
        # He rolled in one of them, which costs and is cured as braking early is.
        ((early(1), rolled(2), early(3), early(4)), (1, 3, 4)),
        # One lap too few, one without a loss, too little to be told, and one without the cause.
        ((early(2), early(3), early(4)), None),
        ((early(1), early(2), early(3, 0.0), early(4), early(5)), None),
        ((early(1, 0.2), early(2, 0.2), early(3, 0.2), early(4, 0.2)), None),
        ((early(1), early(2), early(3, by_m=9.0), early(4)), None),
    ],
)
def test_what_each_of_four_passes_shows_is_no_chance_however_much_laps_differ(
    passes: tuple[SeenPass, ...], laps: tuple[int, ...] | None
) -> None:
    found = advice(*passes, chance_s=1.0)
    assert (found and found.laps) == laps
    if found is not None:
        assert (found.concept, found.unsure) == ("brake_later", len(found.laps) < 4)


def test_one_pass_that_lost_far_more_than_another_does_not_make_a_loss_clear() -> None:
    """As the first corner of a lap in which the driver cools down."""
    cooling = early(3, 0.9)
    assert advice(early(1, 0.2), early(2, 0.0), cooling, chance_s=0.2) is None
    assert advice(early(1, 0.4), early(2, 0.0), cooling, chance_s=0.2) is not None


def test_a_corner_with_a_spread_of_its_own_is_judged_by_it_and_few_steps_say_nothing() -> None:
    assert steps(0.2, 15).chance_s("turn_1", 8.0) == 0.0
    spread = steps(0.02, 40)
    before_s = spread.chance_s("turn_2", 8.0)
    for lap in range(4):
        spread.add(PassStep("turn_2", lap, 8.0, 0.1))
    assert spread.chance_s("turn_2", 8.0) > 2.0 * before_s
    assert spread.chance_s("turn_1", 8.0) < 2.0 * before_s


def test_a_lap_that_is_no_evidence_leaves_no_spread_either() -> None:
    spread = steps(0.02, 40)
    before_s = spread.chance_s("turn_1", 8.0)
    spread.add(PassStep("turn_1", 77, 8.0, 3.0))
    spread.forget(77)
    assert spread.chance_s("turn_1", 8.0) == before_s


def better(lap: int, by_s: float, **wrong: float) -> SeenPass:
    return SeenPass(PassLoss(lap, -by_s, 0.0, 0.0), technique(**wrong))


def test_the_target_is_the_second_best_that_joins_the_reference_lap() -> None:
    first, second, third = better(3, 0.4), better(4, 0.3), better(5, 0.1)
    assert target_of([TARGET, third, first, second], TARGET) is second
    # One lucky pass, or one bad fix, is no target, also where the reference lap's own pass was measured as a
    # few milliseconds slower than the lap.
    assert target_of([TARGET, first], TARGET) is TARGET
    measured = better(6, -0.003)
    assert target_of([first, measured, better(1, -0.2)], measured) is measured
    # Faster on arrival than the reference lap, or slower after it: the gain is not of this corner.
    arrived_fast, left_slow = better(3, 0.4, start_mps=51.5), better(4, 0.3, end_mps=38.5)
    assert target_of([TARGET, arrived_fast, left_slow, second], TARGET) is TARGET
    assert target_of([arrived_fast, left_slow], TARGET) is TARGET
    assert target_of([SeenPass(PassLoss(1, -1.0, 0.0, 0.0), None), TARGET], TARGET) is TARGET


def test_a_loss_is_counted_from_the_target() -> None:
    pair = pair_of(early(5, 0.1), better(4, 0.2))
    assert pair.loss_s == pytest.approx(0.3)
    assert pair.brake_late_m == -EARLY_M


SLOW = technique(entry_mps=19.5, slowest_mps=17.0, exit_mps=22.0, end_mps=35.0)
SLOWS = technique(exit_mps=24.0, end_mps=20.0)
LATELY = (GOOD, technique(start_mps=41.0))


@pytest.mark.parametrize(
    ("lost_s", "own", "target", "lately", "why"),
    [
        (2.1, GOOD, GOOD, LATELY, "+2.1 s: traffic, an off or a yellow flag"),
        (-2.1, GOOD, GOOD, LATELY, "-2.1 s: traffic"),
        (1.9, GOOD, GOOD, LATELY, ""),
        (0.5, technique(start_mps=44.0, coast_s=1.5), GOOD, LATELY, ""),
        (0.5, technique(start_mps=44.0), GOOD, LATELY, "far slower on the way to it: 44 m/s where 50 m/s"),
        (0.5, technique(start_mps=46.0), GOOD, LATELY, ""),
        # He brakes as early every time; or later than that, and so behind somebody.
        (0.5, technique(start_mps=41.0, brake_m=-140.0), GOOD, LATELY, ""),
        (0.5, technique(start_mps=41.0, brake_m=-110.0), GOOD, LATELY, "far slower on the way to it"),
        (0.5, technique(start_mps=37.0, brake_m=-140.0), GOOD, LATELY, "far slower on the way to it"),
        # Who never was as fast as a friend is not held up.
        *((0.9, technique(start_mps=40.0), GOOD, tuple(technique(start_mps=mps) for mps in lately), "")
          for lately in ((), (40.5,), (38.0, 41.0))),
        # Slow from the entry to the end, as on the way in, if not twice; or only up to the exit: technique.
        (0.9, SLOW, GOOD, LATELY, "slow all through it: 17"),
        (0.9, SLOW, GOOD, (GOOD, SLOW), ""),
        (0.9, SLOW, GOOD, (), ""),
        (0.9, technique(entry_mps=19.5, slowest_mps=17.0, exit_mps=22.0), GOOD, LATELY, ""),
        # At pace up to the exit, and slower again behind it, as into the pits; not every time nor everywhere.
        (0.9, SLOWS, GOOD, LATELY, "slowed again on the way out: 20 m/s"),
        (0.9, SLOWS, GOOD, (GOOD, SLOWS), ""),
        (0.9, SLOWS, technique(end_mps=25.0), LATELY, ""),
        (0.9, technique(slowest_mps=18.0, exit_mps=24.0, end_mps=24.0), GOOD, LATELY, ""),
        (0.5, None, GOOD, LATELY, "not seen in full"),
    ],
)  # fmt: skip
def test_a_pass_that_is_no_attempt_says_why(
    lost_s: float, own: Technique | None, target: Technique, lately: tuple[Technique, ...], why: str
) -> None:
    found = why_not(PassLoss(1, lost_s, 0.0, 0.0), own, target, lately, 0.0)
    assert found.startswith(why) if why else not found


@pytest.mark.parametrize("concept", [name for name, row in CONCEPTS.items() if row.metres is not None])
def test_half_of_a_fault_is_heeded_and_more_is_not(concept: str) -> None:
    sign = -1.0 if concept == "brake_later" else 1.0
    lost = (0.2, 0.05, 0.0) if sign < 0.0 else (-0.1, 0.3, 0.0)
    for off_m, cleared in ((12.0, False), (6.0, False), (4.0, True)):
        pair = Pair(technique(brake_m=GOOD.brake_m + sign * off_m), GOOD, *lost)  # type: ignore[operator]
        assert is_cleared(concept, pair) is cleared
        assert (concept in shown(pair)) is (off_m >= 10.0)
    assert is_cleared(concept, Pair(technique(brake_m=-140.0), GOOD, 0.0, 0.0, 0.1))
    # Time without a cause is no longer lost where it is not lost.
    assert is_cleared(TIME_LOST, Pair(GOOD, GOOD, 0.0, 0.1, 0.0))
    assert not is_cleared(TIME_LOST, Pair(GOOD, GOOD, 0.1, 0.1, 0.0))


def told(concept: str, metres: float | None = None, loss_s: float = 0.3) -> Advice:
    return Advice("turn_2", concept, metres, loss_s, (1, 2), "")


def words(level: Level = "intermediate", spoken: Language = ENGLISH, own: Phrase | None = None) -> Wording:
    corners = {"turn_2": {"brake_later": own}} if own else {}
    return Wording(Scripts("ring", corners, language=spoken, level=level))


@pytest.mark.parametrize(
    ("metres", "before", "after"),
    [
        (5.0, "brake later, a touch", "braked a car length early"),
        (10.0, "brake later, a car length", "braked two car lengths early"),
        (14.0, "brake later, a car length", "braked early"),
        (20.0, "brake later, two car lengths", "braked early"),
        (None, "brake later", "braked early"),
    ],
)
def test_half_of_it_is_asked_for_and_all_of_it_is_told(metres: float | None, before: str, after: str) -> None:
    wording, found = words(), told("brake_later", metres)
    assert wording.before(found, again=False) == Phrase(f"Turn two: {before}", "Turn two: brake later")
    assert wording.after(found, relapsed=False).text == f"Turn two: {after}"


def test_the_drivers_own_words_go_first_and_the_second_wording_is_another_one() -> None:
    wording = words(own=Phrase("Brake behind the sign", "Behind it"))
    assert wording.before(told("brake_later"), again=False) == Phrase(
        "Turn two: Brake behind the sign", "Turn two: Behind it"
    )
    assert (
        wording.before(told("brake_later", 10.0), again=True).text
        == "Turn two: wait a car length longer, then brake"
    )


@pytest.mark.parametrize(
    ("lost", "lap", "left_out", "goes_on"),
    [
        ({8: 0.3, 10: 0.5, 11: 0.3}, 11, (), True),
        ({7: 0.3, 10: 0.5, 11: 0.3}, 11, (), False),
        # A lap that is no evidence counts nowhere; what is less than its share of a long corner is little.
        ({8: 0.3, 10: 0.5, 11: 0.3}, 11, (10,), False),
        ({8: 0.3, 10: 0.5, 11: 0.23}, 11, (), False),
        ({8: 0.3, 9: 0.3, 10: 0.5}, 11, (), False),
    ],
)
def test_what_three_of_four_laps_lose_goes_on(
    lost: dict[int, float], lap: int, left_out: tuple[int, ...], goes_on: bool
) -> None:
    assert is_lasting(lost, lap, 8.0, left_out) == goes_on


def test_what_goes_on_is_told_after_the_corner_however_much_laps_differ() -> None:
    """What was done is told, and nothing else is asked for."""
    seen = [early(lap, 0.3) for lap in (1, 2, 3)]
    assert advice(*seen, chance_s=1.0) is None
    found = find_advice("turn_2", seen, TARGET, 1.0, lasts=True)
    assert (found.concept, found.in_mean, found.unsure) == ("brake_later", True, True)
    little = [early(lap, 0.2) for lap in (1, 2, 3)]
    assert find_advice("turn_2", little, TARGET, 1.0, lasts=True) is None


def test_an_advice_costs_what_the_laps_lost_that_show_it() -> None:
    other = SeenPass(PassLoss(3, 0.0, 0.1, 0.1), GOOD)
    found = advice(early(1, 0.5), early(2, 0.6), other, early(4, 0.7))
    assert (found.concept, found.laps) == ("brake_later", (1, 2, 4))
    assert found.loss_s == pytest.approx(0.6)
