"""The advice that a coach has for a corner: one row a concept, with what fires it and what it explains.

A row's `strength` compares a pass with its target: 1 and more fires, below CLEARED it was heeded, None is not
known (a signal is missing).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pitwall.coach import strengths
from pitwall.coach.cue import Phase
from pitwall.coach.pair import Pair

# Below this strength an advice was heeded: half of what made it an advice.
CLEARED = 0.5


class Concept(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of advice.

    `phase` is the place in the corner that it is about; `explains` names the parts of the loss that it
    would win back (b: brake zone, m: up to the apex, e: after it); `opposite` are the concepts that push
    the other way; `causes` are those that only show because of it (of a line: where it used up the grip;
    where it was far off only those of the way out); `metres` is the amount, for concepts that have one;
    `trust` is how far its signal can be believed beside others.
    """

    id: str
    phase: Phase
    explains: str
    strength: Callable[[Pair], float | None]
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
        strength=strengths.brake_later,
        metres=lambda pair: _positive(pair.brake_late_m, -1.0),
        opposite=("brake_earlier",),
    ),
    Concept(
        id="brake_earlier",
        phase="brake",
        explains="me",
        strength=strengths.brake_earlier,
        metres=lambda pair: _positive(pair.brake_late_m, 1.0),
        opposite=("brake_later", "no_coasting"),
        causes=("throttle_sooner", "throttle_fully"),
    ),
    Concept(
        id="brake_harder",
        phase="brake",
        explains="b",
        strength=strengths.brake_harder,
        opposite=("brake_lighter",),
    ),
    Concept(
        id="brake_lighter",
        phase="brake",
        explains="bm",
        strength=strengths.brake_lighter,
        opposite=("brake_harder",),
    ),
    Concept(id="brake_once", phase="brake", explains="bm", strength=strengths.brake_once),
    Concept(
        id="release_sooner",
        phase="turn_in",
        explains="bme",
        strength=strengths.release_sooner,
        opposite=("trail_longer",),
    ),
    Concept(
        id="trail_longer",
        phase="turn_in",
        explains="bm",
        strength=strengths.trail_longer,
        opposite=("release_sooner",),
    ),
    Concept(
        id="no_coasting",
        phase="brake",
        explains="bm",
        causes=("brake_harder",),
        strength=strengths.no_coasting,
    ),
    Concept(
        id="turn_in_earlier",
        phase="turn_in",
        explains="me",
        strength=strengths.turn_in_earlier,
        trust=0.7,
        opposite=("turn_in_later",),
        causes=_BY_LINE,
        is_line=True,
    ),
    Concept(
        id="turn_in_later",
        phase="turn_in",
        explains="me",
        strength=strengths.turn_in_later,
        trust=0.7,
        opposite=("turn_in_earlier",),
        causes=_BY_LINE,
        is_line=True,
    ),
    Concept(
        id="wider_entry",
        phase="turn_in",
        explains="me",
        strength=strengths.wider_entry,
        trust=0.7,
        opposite=("turn_in_earlier",),
        causes=_BY_LINE,
        is_line=True,
    ),
    Concept(
        id="clip_apex",
        phase="apex",
        explains="me",
        strength=strengths.clip_apex,
        trust=0.7,
        causes=(*_BY_LINE, "brake_once", "over_slowed", "more_apex_speed"),
        is_line=True,
    ),
    Concept(
        id="over_slowed",
        phase="apex",
        explains="bme",
        strength=strengths.over_slowed,
        opposite=("brake_earlier",),
    ),
    Concept(id="more_apex_speed", phase="apex", explains="bme", strength=strengths.more_apex_speed),
    Concept(id="throttle_sooner", phase="exit", explains="e", strength=strengths.throttle_sooner),
    Concept(id="throttle_fully", phase="exit", explains="e", strength=strengths.throttle_fully),
    Concept(
        id="throttle_smoother",
        phase="exit",
        explains="e",
        strength=strengths.throttle_smoother,
        opposite=("throttle_sooner", "throttle_fully"),
    ),
    Concept(id="throttle_once", phase="exit", explains="e", strength=strengths.throttle_once),
    Concept(
        id="use_exit",
        phase="exit",
        explains="e",
        strength=strengths.use_exit,
        trust=0.7,
        opposite=("unpinch_exit",),
        # Road that is left is no reason to lift.
        causes=tuple(each for each in _BY_LINE if each != "throttle_once"),
        is_line=True,
    ),
    Concept(
        id="unpinch_exit",
        phase="turn_in",
        explains="me",
        strength=strengths.unpinch_exit,
        trust=0.7,
        opposite=("turn_in_earlier",),
        # Held in before and after the apex, no car can be as fast between.
        causes=(*_BY_LINE, "over_slowed", "more_apex_speed"),
        is_line=True,
    ),
    Concept(id="less_lift", phase="turn_in", explains="bme", strength=strengths.less_lift),
    Concept(
        id="flat_possible",
        phase="turn_in",
        explains="bme",
        strength=strengths.flat_possible,
        # What a closed throttle brings with it.
        causes=("no_coasting", "more_apex_speed", "throttle_sooner", "throttle_fully"),
    ),
    Concept(
        id="gear_up",
        phase="apex",
        explains="me",
        strength=strengths.gear_up,
        trust=0.8,
        opposite=("gear_down",),
        causes=_BY_GEAR,
    ),
    Concept(
        id="gear_down",
        phase="apex",
        explains="e",
        strength=strengths.gear_down,
        trust=0.8,
        opposite=("gear_up",),
        causes=_BY_GEAR,
    ),
    Concept(
        id="fewer_corrections", phase="apex", explains="me", strength=strengths.fewer_corrections, trust=0.6
    ),
    Concept(
        id="understeer",
        phase="apex",
        explains="me",
        strength=strengths.understeer,
        trust=0.6,
        causes=("clip_apex", "throttle_sooner", "throttle_fully"),
    ),
    Concept(
        id="oversteer",
        phase="exit",
        explains="me",
        strength=strengths.oversteer,
        causes=("throttle_sooner", "throttle_fully", "throttle_once", "fewer_corrections"),
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


CONCEPTS: dict[str, Concept] = {row.id: row for row in _ROWS}
# What pushes the other way, whichever of the two rows says so.
OPPOSITE: dict[str, frozenset[str]] = {
    id_: frozenset(other for other, its in CONCEPTS.items() if other in row.opposite or id_ in its.opposite)
    for id_, row in CONCEPTS.items()
}
