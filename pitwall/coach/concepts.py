"""The advice that a coach has for a corner: one row a concept, with what fires it and what obeying it
changes.

A row's `strength` compares a pass with its target: 1 and more fires, below CLEARED it was heeded, None is not
known (a signal is missing). Every row has its own cases; a row that does not pass them is off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pitwall.coach import strengths
from pitwall.coach.concept_cases import FAST, NO_LINE, Case, cases_of, one_case, wrong_pass
from pitwall.coach.cue import Phase
from pitwall.coach.pair import Pair

# Below this strength an advice was heeded: half of what made it an advice.
CLEARED = 0.5


class Concept(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of advice.

    `phase` is the place in the corner that it is about; `explains` names the parts of the loss that it
    would win back (b: brake zone, m: up to the apex, e: after it); `changes` is what obeying it does;
    `opposite` are the concepts that push the other way; `causes` are those that only show because of it
    (of a line: where it used up the grip; where it was far off only those of the way out); `metres` is
    the amount, for concepts that have one; `trust` is how far its signal can be believed beside others.
    """

    id: str
    phase: Phase
    explains: str
    changes: str
    reason: str
    strength: Callable[[Pair], float | None]
    cases: tuple[Case, ...]
    opposite: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    is_line: bool = False
    metres: Callable[[Pair], float | None] | None = None
    trust: float = 1.0


# What a tighter line brings with it: less speed, so more and earlier braking, and less throttle.
_BY_LINE = (
    "brake_later", "brake_harder", "brake_lighter", "release_sooner", "trail_longer", "no_coasting",
    "throttle_sooner", "throttle_fully", "throttle_once", "gear_up", "gear_down", "less_lift",
    "flat_possible", "fewer_corrections",
)  # fmt: skip
# What comes after the line in any case: the way out, and what the feet do while the car is brought round.
AFTER_THE_LINE = frozenset(
    (
        "throttle_sooner",
        "throttle_fully",
        "throttle_once",
        "trail_longer",
        "release_sooner",
        "over_slowed",
        "more_apex_speed",
    )
)
# On the limiter or under the power band the car gains less, whatever the foot does.
_BY_GEAR = ("throttle_sooner", "throttle_fully", "throttle_once")

_ROWS = (
    Concept(
        id="brake_later",
        phase="brake",
        explains="bm",
        changes="the brake point moves towards the corner",
        reason="ten metres is the least shift that is not noise, and the brake zone has to lose by it",
        strength=strengths.brake_later,
        metres=lambda pair: _positive(pair.brake_late_m, -1.0),
        opposite=("brake_earlier",),
        cases=(
            *cases_of((0.2, 0.05, 0.0), brake_m=-120.0),
            # Inside the corner, and far wide before the apex: the brakes came on for the line.
            one_case(
                "silent",
                (0.01, 0.4, 0.0),
                target=wrong_pass(brake_m=40.0),
                brake_m=20.0,
                turning_offset_m=-3.5,
            ),
        ),
    ),
    Concept(
        id="brake_earlier",
        phase="brake",
        explains="me",
        changes="the brake point moves away from the corner",
        reason="late brakes win the brake zone and lose the corner after it",
        strength=strengths.brake_earlier,
        metres=lambda pair: _positive(pair.brake_late_m, 1.0),
        opposite=("brake_later", "no_coasting"),
        causes=("throttle_sooner", "throttle_fully"),
        cases=(
            *cases_of((-0.05, 0.2, 0.1), brake_m=-78.0),
            # Inside before the apex: the corner was cut, and the brakes came later for that.
            one_case("silent", (-0.1, 0.0, 0.4), brake_m=-78.0, turning_offset_m=1.5),
        ),
    ),
    Concept(
        id="brake_harder",
        phase="brake",
        explains="b",
        changes="the same speed is shed in less way",
        reason="pressures of one driver agree within 15 %",
        strength=strengths.brake_harder,
        opposite=("brake_lighter",),
        cases=cases_of((0.2, 0.0, 0.0), brake_g=0.7),
    ),
    Concept(
        id="brake_lighter",
        phase="brake",
        explains="bm",
        changes="more speed is left at the entry",
        reason="harder than the target, and slower at the entry than needed",
        strength=strengths.brake_lighter,
        opposite=("brake_harder",),
        cases=(
            *cases_of((0.1, 0.1, 0.0), brake_g=1.25, entry_mps=22.0),
            one_case("silent", (0.1, 0.2, 0.0), brake_g=1.25, entry_mps=22.0, turning_offset_m=-2.5),
            # Braked where the target does not: for nothing, or for a line that is too tight.
            one_case("fires", (0.1, 0.1, 0.0), target=FAST, slowest_mps=36.0, corner_g=0.8, slowest_g=0.8),
            one_case("silent", (0.1, 0.1, 0.0), target=FAST, slowest_mps=36.0),
        ),
    ),
    Concept(
        id="brake_once",
        phase="brake",
        explains="bm",
        changes="one press of the brakes in place of two",
        reason="a second press after letting go to under half was a first one too short or too soon",
        strength=strengths.brake_once,
        cases=cases_of((0.2, 0.0, 0.0), bites=2),
    ),
    Concept(
        id="release_sooner",
        phase="turn_in",
        explains="bme",
        changes="the brakes come off before the slowest point",
        reason="same brake point, longer on the brakes, and slower for it",
        strength=strengths.release_sooner,
        opposite=("trail_longer",),
        cases=(
            *cases_of((0.0, 0.2, 0.0), release_m=24.0, slowest_mps=18.5),
            # On the brakes through the apex: it shows on the way out.
            one_case(
                "fires", (0.0, 0.0, 0.2), release_m=50.0, slowest_mps=18.5, slowest_m=80.0, pickup_m=82.0
            ),
        ),
    ),
    Concept(
        id="trail_longer",
        phase="turn_in",
        explains="bm",
        changes="the brakes come off later, while turning in",
        reason="off the brakes early and then waiting on neither pedal",
        strength=strengths.trail_longer,
        opposite=("release_sooner",),
        cases=(
            *cases_of((0.1, 0.1, 0.0), release_m=-5.0, roll_s=0.5),
            one_case("silent", (0.1, 0.1, 0.0), brake_m=-120.0, release_m=-15.0, roll_s=0.5),
            one_case("silent", (0.1, 0.1, 0.0), release_m=-5.0, roll_s=0.5, entry_mps=23.5),
            one_case("silent", (0.1, 0.1, 0.0), release_m=-5.0, roll_s=0.5, brake_g=1.25, slowest_mps=18.0),
        ),
    ),
    Concept(
        id="no_coasting",
        phase="brake",
        explains="bm",
        changes="one pedal follows the other at once",
        reason="a third of a second on neither pedal is more than a foot needs",
        causes=("brake_harder",),
        strength=strengths.no_coasting,
        cases=cases_of((0.1, 0.1, 0.0), coast_s=0.9),
    ),
    Concept(
        id="turn_in_earlier",
        phase="turn_in",
        explains="me",
        changes="the car bends sooner",
        reason="more than the fix wanders within minutes; a turn-in is known to about 10 m",
        strength=strengths.turn_in_earlier,
        trust=0.7,
        opposite=("turn_in_later",),
        causes=_BY_LINE,
        is_line=True,
        cases=(
            *cases_of((0.0, 0.15, 0.1), turning_offset_m=-2.0),
            *cases_of((0.0, 0.15, 0.1), target=NO_LINE, unsure=False, turn_in_m=32.0),
        ),
    ),
    Concept(
        id="turn_in_later",
        phase="turn_in",
        explains="me",
        changes="the car bends later",
        reason="more than the fix wanders within minutes; a turn-in is known to about 10 m",
        strength=strengths.turn_in_later,
        trust=0.7,
        opposite=("turn_in_earlier",),
        causes=_BY_LINE,
        is_line=True,
        cases=(
            *cases_of((0.0, 0.1, 0.15), turning_offset_m=2.0),
            one_case("fires", (0.0, 0.0, 0.3), turning_offset_m=1.2, leaving_offset_m=-2.5, drive_pct=72.0),
            *cases_of((0.0, 0.1, 0.15), target=NO_LINE, unsure=False, turn_in_m=-4.0),
        ),
    ),
    Concept(
        id="wider_entry",
        phase="turn_in",
        explains="me",
        changes="the car begins to turn from further outside",
        reason="more than the fix wanders within minutes, at the entry alone",
        strength=strengths.wider_entry,
        trust=0.7,
        opposite=("turn_in_earlier",),
        causes=_BY_LINE,
        is_line=True,
        cases=cases_of((0.0, 0.15, 0.1), entry_offset_m=-1.0),
    ),
    Concept(
        id="clip_apex",
        phase="apex",
        explains="me",
        changes="the car comes closer to the inside at the apex",
        reason="more than the fix wanders within minutes",
        strength=strengths.clip_apex,
        trust=0.7,
        causes=(*_BY_LINE, "brake_once", "over_slowed", "more_apex_speed"),
        is_line=True,
        cases=(
            *cases_of((0.0, 0.15, 0.05), apex_offset_m=1.0),
            # Slower by as much as the grip that was not used: no line would have made up for that.
            one_case("silent", (0.0, 0.3, 0.1), apex_offset_m=1.0, slowest_mps=18.0, corner_g=0.81),
        ),
    ),
    Concept(
        id="over_slowed",
        phase="apex",
        explains="bme",
        changes="more speed is carried to the slowest point",
        reason="one and a half noise floors of speed after braking",
        strength=strengths.over_slowed,
        opposite=("brake_earlier",),
        cases=(
            *cases_of((0.0, 0.2, 0.1), unsure=False, slowest_mps=18.0, corner_g=0.8, slowest_g=0.8),
            one_case(
                "silent",
                (-0.05, 0.3, 0.1),
                brake_m=-80.0,
                entry_mps=27.0,
                slowest_mps=18.0,
                corner_g=0.8,
                slowest_g=0.8,
            ),
            # Braked later from as much speed, and ran wide.
            one_case(
                "silent",
                (0.0, 0.1, 0.4),
                brake_m=-86.0,
                apex_offset_m=0.4,
                slowest_mps=17.5,
                corner_g=0.9,
                slowest_g=0.75,
            ),
            # The same line, and slow already in the brake zone.
            one_case(
                "fires",
                (0.2, 0.4, 0.1),
                brake_m=-86.0,
                apex_offset_m=0.4,
                slowest_mps=17.5,
                corner_g=0.9,
                slowest_g=0.75,
            ),
            # Slower still at the exit, and most of it lost there.
            one_case("silent", (0.0, 0.1, 0.3), slowest_mps=19.0, corner_g=0.9, exit_mps=27.5),
            # As soon at the apex, from the inside: the line costs the way out.
            one_case(
                "silent",
                (-0.05, 0.0, 0.4),
                turning_offset_m=1.5,
                slowest_mps=18.0,
                corner_g=0.8,
                slowest_g=0.8,
            ),
        ),
    ),
    Concept(
        id="more_apex_speed",
        phase="apex",
        explains="bme",
        changes="more speed is carried to the slowest point",
        reason="one and a half noise floors of speed in the middle of the corner",
        strength=strengths.more_apex_speed,
        cases=(
            *cases_of(
                (0.0, 0.2, 0.1), target=FAST, unsure=False, slowest_mps=38.0, corner_g=0.9, slowest_g=0.9
            ),
            *cases_of((0.0, 0.1, 0.2), target=FAST, unsure=False, exit_mps=28.0, corner_g=0.86),
            # As slow as ever at its end, for the next corner; less grip used in it, and no less throttle.
            one_case("fires", (0.0, 0.12, 0.21), exit_mps=28.0, corner_g=0.86),
            # Arrived slower, slowed down all the same, and had grip left.
            Case(
                Pair(
                    msgspec.structs.replace(
                        FAST, start_mps=42.0, entry_mps=40.0, slowest_mps=36.0, corner_g=0.8
                    ),
                    msgspec.structs.replace(FAST, entry_mps=44.0),
                    0.1,
                    0.6,
                    0.2,
                ),
                "fires",
            ),
        ),
    ),
    Concept(
        id="throttle_sooner",
        phase="exit",
        explains="e",
        changes="the throttle opens closer to the apex",
        reason="the slowest point is as fast, and the throttle comes a noise floor later",
        strength=strengths.throttle_sooner,
        cases=(
            *cases_of((0.0, 0.0, 0.2), unsure=False, pickup_m=62.0),
            # Part open as soon, to hold the speed; the car is on its way out later, and flat as soon.
            one_case("fires", (0.0, 0.0, 0.35), gain_m=93.0, exit_mps=27.8, drive_pct=74.0),
            # On the brakes for as much longer.
            one_case("silent", (0.0, 0.0, 0.2), release_m=50.0, slowest_m=80.0, pickup_m=82.0),
            # Open sooner and flat later: it did not come late.
            one_case("silent", (0.0, 0.0, 0.2), pickup_m=34.0, flat_m=139.0, drive_pct=76.0),
        ),
    ),
    Concept(
        id="throttle_fully",
        phase="exit",
        explains="e",
        changes="the throttle is all the way open closer to the apex",
        reason="it opens as soon, and is flat two noise floors later",
        strength=strengths.throttle_fully,
        cases=(
            *cases_of((0.0, 0.0, 0.2), pickup_m=40.0, flat_m=130.0, drive_pct=75.0),
            one_case("silent", (0.0, 0.0, 0.2), pickup_m=40.0, flat_m=130.0),
            # Inside before the apex and wide after it: the car had to be waited for.
            one_case("silent", (0.0, 0.0, 0.3), turning_offset_m=1.2, leaving_offset_m=-2.5, drive_pct=72.0),
            one_case("silent", (0.0, 0.0, 0.2), pickup_m=62.0, flat_m=130.0, drive_pct=75.0),
            one_case("silent", (0.0, 0.0, 0.35), gain_m=93.0, drive_pct=70.0),
        ),
    ),
    Concept(
        id="throttle_smoother",
        phase="exit",
        explains="e",
        changes="the throttle opens as fast as the car can use it",
        reason="open two noise floors sooner, and flat one later",
        strength=strengths.throttle_smoother,
        opposite=("throttle_sooner", "throttle_fully"),
        cases=(
            *cases_of((0.0, 0.0, 0.2), pickup_m=22.0, flat_m=125.0),
            one_case("silent", (0.0, 0.0, 0.2), pickup_m=22.0, flat_m=90.0),
            one_case("silent", (0.0, 0.0, 0.2), flat_m=125.0),
        ),
    ),
    Concept(
        id="throttle_once",
        phase="exit",
        explains="e",
        changes="the throttle opens when it can stay open",
        reason="a gear change is over in half a second; a longer lift is a lift",
        strength=strengths.throttle_once,
        cases=(
            *cases_of((0.0, 0.0, 0.2), unsure=False, lifts=1, exit_mps=29.0),
            # A foot that is never still: as many lifts, and the slowest point far behind the corner.
            one_case("fires", (0.0, 0.0, 0.2), target=wrong_pass(lifts=2), lifts=2, slowest_m=200.0),
            one_case("silent", (0.0, 0.0, 0.2), target=wrong_pass(lifts=2), lifts=2),
        ),
    ),
    Concept(
        id="use_exit",
        phase="exit",
        explains="e",
        changes="the car runs out to the edge",
        reason="more than the fix wanders within minutes",
        strength=strengths.use_exit,
        trust=0.7,
        opposite=("unpinch_exit",),
        # Road that is left is no reason to lift.
        causes=tuple(each for each in _BY_LINE if each != "throttle_once"),
        is_line=True,
        cases=(
            *cases_of((0.0, 0.0, 0.2), exit_offset_m=0.0),
            # Slower at the same grip, and none of it lost on the way out.
            one_case("fires", (0.3, 0.2, 0.0), slowest_mps=19.0, exit_offset_m=0.0),
            one_case("silent", (0.3, 0.2, -0.1), slowest_mps=19.0, exit_offset_m=0.0),
        ),
    ),
    Concept(
        id="unpinch_exit",
        phase="turn_in",
        explains="me",
        changes="a later apex leaves room at the exit",
        reason="inside before the apex and after it, by more than the fix wanders",
        strength=strengths.unpinch_exit,
        trust=0.7,
        opposite=("turn_in_earlier",),
        # Held in before and after the apex, no car can be as fast between.
        causes=(*_BY_LINE, "over_slowed", "more_apex_speed"),
        is_line=True,
        cases=cases_of((0.0, 0.0, 0.2), turning_offset_m=2.0, exit_offset_m=-1.0),
    ),
    Concept(
        id="less_lift",
        phase="turn_in",
        explains="bme",
        changes="the throttle closes less far",
        reason="a fifth of the pedal",
        strength=strengths.less_lift,
        cases=cases_of((0.1, 0.1, 0.0), target=FAST, unsure=False, lift_pct=20.0),
    ),
    Concept(
        id="flat_possible",
        phase="turn_in",
        explains="bme",
        changes="the throttle stays open",
        reason="the same driver took it flat",
        strength=strengths.flat_possible,
        # What a closed throttle brings with it.
        causes=("no_coasting", "more_apex_speed", "throttle_sooner", "throttle_fully"),
        cases=cases_of(
            (0.1, 0.1, 0.0), target=msgspec.structs.replace(FAST, lift_pct=98.0), unsure=False, lift_pct=50.0
        ),
    ),
    Concept(
        id="gear_up",
        phase="apex",
        explains="me",
        changes="one gear higher at the slowest point",
        reason="the target's gear was another at the same place",
        strength=strengths.gear_up,
        trust=0.8,
        opposite=("gear_down",),
        causes=_BY_GEAR,
        cases=cases_of((0.0, 0.1, 0.1), gear=2),
    ),
    Concept(
        id="gear_down",
        phase="apex",
        explains="e",
        changes="one gear lower at the slowest point",
        reason="the target's gear was another at the same place",
        strength=strengths.gear_down,
        trust=0.8,
        opposite=("gear_up",),
        causes=_BY_GEAR,
        cases=cases_of((0.0, 0.0, 0.2), gear=4),
    ),
    Concept(
        id="fewer_corrections",
        phase="apex",
        explains="me",
        changes="one turn of the wheel in place of several",
        reason="the wheel went back and on again at least twice more",
        strength=strengths.fewer_corrections,
        trust=0.6,
        cases=cases_of((0.0, 0.1, 0.1), corrections=3),
    ),
    Concept(
        id="understeer",
        phase="apex",
        explains="me",
        changes="the wheel is turned less, until the front holds",
        reason="a fifth more wheel at no more lateral g, against the same car's own best pass",
        strength=strengths.understeer,
        trust=0.6,
        causes=("clip_apex", "throttle_sooner", "throttle_fully"),
        cases=cases_of((0.0, 0.15, 0.1), steering_deg=80.0, corner_g=0.97),
    ),
    Concept(
        id="oversteer",
        phase="exit",
        explains="me",
        changes="the throttle opens so that the rear holds",
        reason="the wheel was turned out of the corner for longer than a dab takes",
        strength=strengths.oversteer,
        causes=("throttle_sooner", "throttle_fully", "throttle_once", "fewer_corrections"),
        cases=cases_of((0.0, 0.05, 0.15), caught_s=0.5),
    ),
)

# A corner that loses time without a cause that can be told: its name and the time, said after it.
TIME_LOST = "time_lost"
# What the driver's own best pass did otherwise: a fact, said before the corner.
OWN_BEST = "own_best"
# A corner that is driven differently every lap.
CONSISTENCY = "consistency"
# A line that is too tight, where nothing else is known of it.
PINCHED = "unpinch_exit"


def _positive(metres: float | None, sign: float) -> float | None:
    return None if metres is None else max(metres * sign, 0.0)


def works(concept: Concept) -> str:
    """Run a row's own cases. Returns what went wrong, "" where nothing did."""
    for number, case in enumerate(concept.cases, 1):
        try:
            strength = concept.strength(case.pair)
        except (ArithmeticError, AttributeError, TypeError) as error:
            return f"case {number} should be {case.expected} and fails: {error}"
        found = "unsure" if strength is None else "fires" if strength >= 1.0 else "silent"
        if found != case.expected:
            return f"case {number} should be {case.expected} and is {found}"
    return ""


def usable(rows: Sequence[Concept]) -> tuple[dict[str, Concept], dict[str, str]]:
    """The rows that pass their own cases, by id, and why each of the others does not."""
    failed = {row.id: why for row in rows if (why := works(row))}
    return {row.id: row for row in rows if row.id not in failed}, failed


# Rows that failed their own cases are off: they are never used, and the status names them.
CONCEPTS, OFF = usable(_ROWS)
# What pushes the other way, whichever of the two rows says so.
OPPOSITE: dict[str, frozenset[str]] = {
    id_: frozenset(other for other, its in CONCEPTS.items() if other in row.opposite or id_ in its.opposite)
    for id_, row in CONCEPTS.items()
}
