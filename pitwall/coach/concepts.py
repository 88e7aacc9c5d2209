"""What a coach can say of a corner: one row a concept, with what fires it and what obeying it changes.

A row's `strength` compares a pass with its target: 1 and more fires, below CLEARED it was heeded, None is not
known (a signal is missing). Every row has its own cases; a row that does not pass them is off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pitwall.coach.cue import Phase
from pitwall.coach.faults import BRAKE_NOISE_M
from pitwall.coach.pair import Pair
from pitwall.track.technique import Technique

# The noise floor of a speed (facts/callouts.md): less is not a finding.
SPEED_MPS = 2.0 / 3.6
# A part of a corner that loses less than this is not what the corner loses its time by.
PART_S = 0.06
# Below this strength an advice was heeded: half of what made it an advice.
CLEARED = 0.5
# Less than a finding, more than heeded.
NOT_CURED = 0.6
# Brakes that come on ten metres later win some hundredths up to the entry; nobody is 60 m late and stays on.
WON_S, MOST_LATE_M = 0.02, 60.0
# A driver who presses 15 % softer or harder does so on purpose: within that, pressures differ lap by lap.
PRESSURE_SHARE = 0.15
# GNSS wanders by less than a metre against itself within minutes; a car's width is two.
LINE_M = 1.5
# A line that is known to be tighter, because it took the speed at the same grip, shows in less.
HELPED_M = 1.0
# A turn-in is read from lateral g, which rises over 10 to 15 m.
TURN_IN_M = 16.0
# Both feet off for a third of a second longer is felt as waiting.
COAST_S = 0.3
# A foot that closes the throttle by a fifth where it could stay open.
LIFT_PCT = 20.0
# A throttle that opens so much later costs what the noise floor of a place costs.
PICKUP_M = 10.0
# The car gains speed so much later; the slowest point of a long corner wanders by 10 m.
GAIN_M = 15.0
# An exit that is so many noise floors slower than the apex accounts for.
EXIT_SPEEDS = 2.0
# A throttle that is open this much less from the slowest point on, on average.
DRIVE_PCT = 12.0


# A corner that needs a tenth less lateral grip is driven slower, or on a wider line.
GRIP_SHARE = 0.1
# A wheel that is turned a fifth further at no more grip turns a front that slides.
STEERING_SHARE = 0.2
# A slide that is caught in less than a third of a second is over before anybody can speak of it.
CAUGHT_S = 0.3


class Case(msgspec.Struct, frozen=True):
    """One pass with what it has to do with a row: fire it, leave it silent, or leave it unsure."""

    pair: Pair
    expected: str  # "fires", "silent", "unsure"


class Concept(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of advice.

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


def _over(value: float | None, floor: float) -> float | None:
    return None if value is None else value / floor


def _if(condition: bool, strength: float | None) -> float | None:
    """The strength where the loss lies where this concept would win it back, else nothing."""
    return strength if condition or strength is None else 0.0


def _early(pair: Pair) -> float | None:
    """How many noise floors earlier the brakes came on."""
    late_m = pair.brake_late_m
    return None if late_m is None else -late_m / BRAKE_NOISE_M


def _brake_later(pair: Pair) -> float | None:
    # Who brakes early for a line that is too tight has to: then most of the loss must lie in the brake zone.
    needless = pair.brake_s > (pair.mid_s if pair.used_up else 0.0)
    return _if(pair.before_s >= PART_S and needless, _early(pair))


def _brake_earlier(pair: Pair) -> float | None:
    """Late brakes win the brake zone. Where they come later than anybody can brake, it is another braking."""
    late_m = pair.brake_late_m
    won = pair.brake_s <= -WON_S and (late_m is None or late_m <= MOST_LATE_M)
    lost = pair.mid_s + pair.exit_s >= PART_S and (pair.slow_mps > -SPEED_MPS or _ran_wide(pair))
    return _if(won and lost, _over(late_m, BRAKE_NOISE_M))


def _ran_wide(pair: Pair) -> bool:
    return (pair.apex_wide_m or 0.0) >= LINE_M or (pair.exit_tight_m or 0.0) <= -LINE_M


def _brake_harder(pair: Pair) -> float | None:
    harder, late_m = pair.harder_share, pair.release_late_m
    if harder is None or late_m is None:
        return None
    return _if(pair.before_s >= PART_S and pair.more_bites <= 0, -harder / PRESSURE_SHARE)


def _brake_lighter(pair: Pair) -> float | None:
    """Braked hard where the target brakes less, and too slow at the entry for it."""
    if pair.own.brake_m is not None and pair.target.brake_m is None:
        # Who turned tighter than need be had to brake.
        return _if(pair.slow_mps >= SPEED_MPS and pair.before_s >= PART_S and not pair.used_up, 1.5)
    harder = pair.harder_share
    slow = pair.entry_slow_mps >= 2 * SPEED_MPS and not pair.used_up
    return _if(slow and pair.before_s >= PART_S, _over(harder, PRESSURE_SHARE))


def _brake_once(pair: Pair) -> float | None:
    if not pair.own.bites or not pair.target.bites:
        return None
    return _if(pair.before_s >= PART_S, float(pair.more_bites))


def _release_sooner(pair: Pair) -> float | None:
    late_m, onset_m = pair.release_late_m, pair.brake_late_m
    if late_m is None or onset_m is None:
        return None
    same_onset = abs(onset_m) < BRAKE_NOISE_M
    return _if(same_onset and pair.slow_mps >= SPEED_MPS and pair.before_s >= PART_S, late_m / BRAKE_NOISE_M)


def _trail_longer(pair: Pair) -> float | None:
    late_m, roll_s = pair.release_late_m, pair.roll_more_s
    if late_m is None or roll_s is None:
        return None
    # Who pressed harder and is slower for it would be slower still.
    too_much = pair.slow_mps >= SPEED_MPS and (pair.harder_share or 0.0) >= PRESSURE_SHARE
    waited = roll_s >= 0.5 * COAST_S and pair.before_s >= PART_S
    return _if(waited and not too_much, -late_m / BRAKE_NOISE_M)


def _no_coasting(pair: Pair) -> float | None:
    # A foot that was on the brake in one of the two, unseen, did not wait.
    same = abs(pair.brake_late_m or 0.0) <= MOST_LATE_M
    return _if(pair.loss_s >= PART_S and same, _over(pair.coast_more_s, COAST_S))


def _aside(pair: Pair, metres: float | None) -> float | None:
    """How many noise floors a line lies aside."""
    return _over(metres, HELPED_M if pair.used_up else LINE_M)


def _lost_in_it(pair: Pair) -> bool:
    return pair.mid_s >= PART_S or pair.exit_s >= PART_S


def _turn_in_earlier(pair: Pair) -> float | None:
    """Wide before the apex, and more so than at it. Without a line lateral g tells when the car turned."""
    before_m, apex_m = pair.before_tight_m, pair.apex_wide_m
    if before_m is None or apex_m is None:
        return _if(_lost_in_it(pair), _over(pair.turn_in_late_m, TURN_IN_M))
    late = -before_m > apex_m and (pair.turning_tight_m or -1.0) < 0.0
    return _if(_lost_in_it(pair) and late, _aside(pair, -before_m))


def _turn_in_later(pair: Pair) -> float | None:
    """Inside before the apex, and not on the way out: that is `unpinch_exit`."""
    before_m, exit_m, late_m = pair.before_tight_m, pair.after_tight_m, pair.turn_in_late_m
    if before_m is None or exit_m is None:
        return _if(_lost_in_it(pair), None if late_m is None else -late_m / TURN_IN_M)
    early = exit_m < 0.5 * before_m and (pair.turning_tight_m or 1.0) > 0.0
    return _if(_lost_in_it(pair) and early, _aside(pair, before_m))


def _clip_apex(pair: Pair) -> float | None:
    """Wide at the apex, and not more so before it: that is `turn_in_earlier`."""
    apex_m, before_m = pair.apex_wide_m, pair.before_tight_m
    latest = apex_m is None or before_m is None or apex_m >= -before_m
    return _if(pair.mid_s + pair.exit_s >= PART_S and latest, _over(apex_m, LINE_M))


def _too_fast_in(pair: Pair) -> bool:
    """Whether the car came in faster on late brakes: what it lacks at the apex it lost by that."""
    return (pair.brake_late_m or 0.0) >= BRAKE_NOISE_M and pair.entry_slow_mps <= -SPEED_MPS


def _over_slowed(pair: Pair) -> float | None:
    braked = pair.own.brake_m is not None
    lost = pair.mid_s + pair.exit_s >= PART_S and not pair.used_up and not pair.lifted_late
    return _if(braked and lost and not _too_fast_in(pair), pair.slow_mps / SPEED_MPS / 1.5)


def _more_apex_speed(pair: Pair) -> float | None:
    """The same with or without brakes; where the brakes are used every time, `over_slowed` says more."""
    slow_mps = max(pair.slow_mps, _slower_at_less_grip_mps(pair))
    strength = slow_mps / SPEED_MPS / 1.5
    lost = pair.mid_s + pair.exit_s >= PART_S and pair.start_slow_mps < slow_mps / 3.0
    lost = lost and not pair.used_up and not pair.lifted_late and not _too_fast_in(pair)
    return _if(lost, strength if pair.own.brake_m is None else 0.9 * strength)


def _slower_at_less_grip_mps(pair: Pair) -> float:
    """How much slower the car came out of a corner that was driven with less grip and no less throttle: its
    slowest point may lie elsewhere."""
    less = pair.less_grip_share
    if less is None or less < GRIP_SHARE or (pair.less_drive_pct or 0.0) >= 0.5 * DRIVE_PCT:
        return 0.0
    return pair.exit_slow_mps


def _apex_is_kept(pair: Pair) -> bool:
    """Whether the slowest point is not what costs the exit: then the way out is to blame."""
    return pair.slow_mps < 1.5 * SPEED_MPS


def _throttle_sooner(pair: Pair) -> float | None:
    late = (
        _over(pair.pickup_late_m, PICKUP_M),
        _over(pair.flat_late_m, 2.0 * PICKUP_M),
        _never_flat(pair),
        _over(pair.less_drive_pct, DRIVE_PCT),
        _over(pair.gain_late_m, GAIN_M),
        # The apex was as fast and the exit was not: what lies between is the throttle, where it is not known.
        _over(_slower_out_mps(pair), EXIT_SPEEDS * SPEED_MPS),
    )
    strengths = [strength for strength in late if strength is not None]
    # Who turned tighter than need be waits for the throttle because of it.
    kept = _apex_is_kept(pair) and not pair.used_up
    return _if(pair.exit_s >= PART_S and kept and pair.more_lifts <= 0, max(strengths))


def _slower_out_mps(pair: Pair) -> float | None:
    if pair.less_drive_pct is not None and pair.less_drive_pct < 0.5 * DRIVE_PCT:
        return None
    return pair.exit_slow_mps - max(pair.slow_mps, 0.0)


def _never_flat(pair: Pair) -> float | None:
    """Not flat before the run was over, where the target was, and so with less throttle."""
    less_pct = pair.less_drive_pct
    if less_pct is None or pair.own.flat_m is not None or pair.target.flat_m is None:
        return None
    return 1.0 if less_pct >= 0.5 * DRIVE_PCT else 0.0


def _throttle_once(pair: Pair) -> float | None:
    return _if(pair.exit_s >= PART_S, float(pair.more_lifts))


def _use_exit(pair: Pair) -> float | None:
    exit_m, before_m = pair.after_tight_m, pair.before_tight_m
    if exit_m is None or before_m is None:
        return None
    lost_s = pair.mid_s + pair.exit_s if pair.used_up else pair.exit_s
    lost = lost_s >= PART_S and (_apex_is_kept(pair) or pair.used_up or exit_m >= 2.0 * LINE_M)
    return _if(lost and before_m < 0.5 * exit_m, _aside(pair, exit_m))


def _unpinch_exit(pair: Pair) -> float | None:
    """Inside before the apex and after it: too early there, and no room to open the throttle."""
    before_m, exit_m = pair.before_tight_m, pair.after_tight_m
    if before_m is None or exit_m is None:
        return None
    both = before_m >= 0.5 * exit_m > 0.0 and exit_m >= 0.5 * before_m
    strength = _if(_lost_in_it(pair) and both, _aside(pair, 0.5 * (before_m + exit_m)))
    # Tighter than the target at the same grip, and the way out pays for it: not yet a cause, and not cured.
    return max(strength or 0.0, NOT_CURED) if pair.pays_on_the_way_out else strength


def _less_lift(pair: Pair) -> float | None:
    """A corner that the target takes without brakes and with less of a lift."""
    if pair.own.brake_m is not None or pair.target.brake_m is not None or _was_flat(pair.target):
        return 0.0
    return _if(pair.loss_s >= PART_S, _over(pair.lifted_pct, LIFT_PCT))


def _flat_possible(pair: Pair) -> float | None:
    if not _was_flat(pair.target):
        return 0.0
    return _if(pair.loss_s >= PART_S, _over(pair.lifted_pct, LIFT_PCT))


def _was_flat(technique: Technique) -> bool:
    return technique.lift_pct is not None and technique.lift_pct >= 90.0


def _foot_is_to_blame(pair: Pair) -> bool:
    """Whether the throttle was open so much less on the way out that no gear explains it."""
    return (pair.less_drive_pct or 0.0) >= DRIVE_PCT


def _gear_up(pair: Pair) -> float | None:
    gears = pair.gear_higher
    lost = pair.mid_s + pair.exit_s >= PART_S and _apex_is_kept(pair) and not _foot_is_to_blame(pair)
    return _if(lost, None if gears is None else -float(gears))


def _gear_down(pair: Pair) -> float | None:
    gears = pair.gear_higher
    lost = pair.exit_s >= PART_S and _apex_is_kept(pair) and not _foot_is_to_blame(pair)
    return _if(lost, None if gears is None else float(gears))


def _fewer_corrections(pair: Pair) -> float | None:
    more = pair.more_corrections
    return _if(pair.mid_s + pair.exit_s >= PART_S, None if more is None else more / 2.0)


def _understeer(pair: Pair) -> float | None:
    """More wheel for no more grip, and no tighter line that would need it."""
    more, own_g, target_g = pair.more_steering_share, pair.own.corner_g, pair.target.corner_g
    if more is None or own_g is None or target_g is None:
        return None
    lost = pair.mid_s + pair.exit_s >= PART_S and own_g <= target_g and not pair.used_up
    return _if(lost and (pair.before_tight_m or 0.0) < LINE_M, more / STEERING_SHARE)


def _oversteer(pair: Pair) -> float | None:
    return _if(pair.mid_s + pair.exit_s >= PART_S, _over(pair.caught_more_s, CAUGHT_S))


# A pass as it should be, for the cases: 100 m of braking into a slow corner.
_GOOD = Technique(
    time_s=12.0,
    start_mps=48.0,
    entry_mps=25.0,
    slowest_mps=20.0,
    slowest_m=45.0,
    exit_mps=30.0,
    end_mps=38.0,
    brake_m=-95.0,
    release_m=10.0,
    brake_g=1.0,
    bites=1,
    coast_s=0.4,
    roll_s=0.2,
    lift_pct=0.0,
    pickup_m=45.0,
    flat_m=100.0,
    gain_m=55.0,
    lifts=0,
    drive_pct=85.0,
    turn_in_m=15.0,
    entry_offset_m=-3.0,
    turning_offset_m=0.0,
    apex_offset_m=3.0,
    leaving_offset_m=0.0,
    exit_offset_m=-3.0,
    corner_g=1.0,
    slowest_g=1.0,
    gear=3,
    corrections=0,
    steering_deg=60.0,
    caught_s=0.0,
)
_FAST = msgspec.structs.replace(
    _GOOD, brake_m=None, release_m=None, brake_g=None, bites=0, coast_s=0.0, lift_pct=60.0, slowest_mps=40.0
)
_BLIND = msgspec.structs.replace(
    _GOOD,
    brake_m=None,
    release_m=None,
    brake_g=None,
    bites=0,
    coast_s=None,
    roll_s=None,
    lift_pct=None,
    pickup_m=None,
    flat_m=None,
    gain_m=None,
    drive_pct=None,
    turn_in_m=None,
    entry_offset_m=None,
    turning_offset_m=None,
    apex_offset_m=None,
    leaving_offset_m=None,
    exit_offset_m=None,
    corner_g=None,
    slowest_g=None,
    gear=None,
    corrections=None,
    steering_deg=None,
    caught_s=None,
)
_NO_LINE = msgspec.structs.replace(
    _GOOD,
    entry_offset_m=None,
    turning_offset_m=None,
    apex_offset_m=None,
    leaving_offset_m=None,
    exit_offset_m=None,
)
# What a tighter line brings with it: less speed, so more and earlier braking, and less throttle.
_BY_LINE = (
    "brake_later", "brake_harder", "brake_lighter", "release_sooner", "trail_longer", "no_coasting",
    "throttle_sooner", "throttle_once", "gear_up", "gear_down", "less_lift", "flat_possible",
    "fewer_corrections",
)  # fmt: skip
# What comes after the line in any case: the way out, and what the feet do while the car is brought round.
AFTER_THE_LINE = frozenset(
    ("throttle_sooner", "throttle_once", "trail_longer", "release_sooner", "over_slowed", "more_apex_speed")
)
# On the limiter or under the power band the car gains less, whatever the foot does.
_BY_GEAR = ("throttle_sooner", "throttle_once")
Change = float | int | None


def _with(**wrong: Change) -> Technique:
    """A good pass with something wrong."""
    return msgspec.structs.replace(_GOOD, **wrong)


def _cases(
    lost: tuple[float, float, float], target: Technique = _GOOD, unsure: bool = True, **wrong: Change
) -> tuple[Case, ...]:
    """Fires on `wrong` with these losses; silent on a good pass, and on `wrong` that lost nothing; unsure
    where the source knows no more than speed."""
    bad = msgspec.structs.replace(target, **wrong)
    cases = (
        Case(Pair(bad, target, *lost), "fires"),
        Case(Pair(target, target, *lost), "silent"),
        Case(Pair(bad, target, 0.0, 0.0, 0.0), "silent"),
    )
    return (*cases, Case(Pair(_BLIND, target, *lost), "unsure")) if unsure else cases


_ROWS = (
    Concept(
        id="brake_later",
        phase="brake",
        explains="bm",
        changes="the brake point moves towards the corner",
        reason="ten metres is the least shift that is not noise, and the brake zone has to lose by it",
        strength=_brake_later,
        metres=lambda pair: _positive(pair.brake_late_m, -1.0),
        opposite=("brake_earlier",),
        cases=_cases((0.2, 0.05, 0.0), brake_m=-120.0),
    ),
    Concept(
        id="brake_earlier",
        phase="brake",
        explains="me",
        changes="the brake point moves away from the corner",
        reason="late brakes win the brake zone and lose the corner after it",
        strength=_brake_earlier,
        metres=lambda pair: _positive(pair.brake_late_m, 1.0),
        opposite=("brake_later", "no_coasting"),
        causes=("throttle_sooner",),
        cases=_cases((-0.05, 0.2, 0.1), brake_m=-78.0),
    ),
    Concept(
        id="brake_harder",
        phase="brake",
        explains="b",
        changes="the same speed is shed in less way",
        reason="pressures of one driver agree within 15 %",
        strength=_brake_harder,
        opposite=("brake_lighter",),
        cases=_cases((0.2, 0.0, 0.0), brake_g=0.7),
    ),
    Concept(
        id="brake_lighter",
        phase="brake",
        explains="bm",
        changes="more speed is left at the entry",
        reason="harder than the target, and slower at the entry than needed",
        strength=_brake_lighter,
        opposite=("brake_harder",),
        cases=(
            *_cases((0.1, 0.1, 0.0), brake_g=1.25, entry_mps=22.0),
            # Braked where the target does not: for nothing, or for a line that is too tight.
            Case(Pair(_with(slowest_mps=36.0, corner_g=0.8, slowest_g=0.8), _FAST, 0.1, 0.1, 0.0), "fires"),
            Case(Pair(_with(slowest_mps=36.0), _FAST, 0.1, 0.1, 0.0), "silent"),
        ),
    ),
    Concept(
        id="brake_once",
        phase="brake",
        explains="bm",
        changes="one press of the brakes in place of two",
        reason="a second press after letting go to under half was a first one too short or too soon",
        strength=_brake_once,
        cases=_cases((0.2, 0.0, 0.0), bites=2),
    ),
    Concept(
        id="release_sooner",
        phase="turn_in",
        explains="bm",
        changes="the brakes come off before the slowest point",
        reason="same brake point, longer on the brakes, and slower for it",
        strength=_release_sooner,
        opposite=("trail_longer",),
        cases=_cases((0.0, 0.2, 0.0), release_m=24.0, slowest_mps=18.5),
    ),
    Concept(
        id="trail_longer",
        phase="turn_in",
        explains="bm",
        changes="the brakes come off later, while turning in",
        reason="off the brakes early and then waiting on neither pedal",
        strength=_trail_longer,
        opposite=("release_sooner",),
        cases=(
            *_cases((0.1, 0.1, 0.0), release_m=-5.0, roll_s=0.5),
            Case(
                Pair(_with(release_m=-5.0, roll_s=0.5, brake_g=1.25, slowest_mps=18.0), _GOOD, 0.1, 0.1, 0.0),
                "silent",
            ),
        ),
    ),
    Concept(
        id="no_coasting",
        phase="brake",
        explains="bm",
        changes="one pedal follows the other at once",
        reason="a third of a second on neither pedal is more than a foot needs",
        causes=("brake_harder",),
        strength=_no_coasting,
        cases=_cases((0.1, 0.1, 0.0), coast_s=0.9),
    ),
    Concept(
        id="turn_in_earlier",
        phase="turn_in",
        explains="me",
        changes="the car bends sooner",
        reason="more than the fix wanders within minutes; a turn-in is known to about 10 m",
        strength=_turn_in_earlier,
        trust=0.7,
        opposite=("turn_in_later",),
        causes=_BY_LINE,
        is_line=True,
        cases=(
            *_cases((0.0, 0.15, 0.1), turning_offset_m=-2.0),
            *_cases((0.0, 0.15, 0.1), target=_NO_LINE, unsure=False, turn_in_m=32.0),
        ),
    ),
    Concept(
        id="turn_in_later",
        phase="turn_in",
        explains="me",
        changes="the car bends later",
        reason="more than the fix wanders within minutes; a turn-in is known to about 10 m",
        strength=_turn_in_later,
        trust=0.7,
        opposite=("turn_in_earlier",),
        causes=_BY_LINE,
        is_line=True,
        cases=(
            *_cases((0.0, 0.1, 0.15), turning_offset_m=2.0),
            *_cases((0.0, 0.1, 0.15), target=_NO_LINE, unsure=False, turn_in_m=-4.0),
        ),
    ),
    Concept(
        id="clip_apex",
        phase="apex",
        explains="me",
        changes="the car comes closer to the inside at the apex",
        reason="more than the fix wanders within minutes",
        strength=_clip_apex,
        trust=0.7,
        cases=_cases((0.0, 0.15, 0.05), apex_offset_m=1.0),
    ),
    Concept(
        id="over_slowed",
        phase="apex",
        explains="bme",
        changes="more speed is carried to the slowest point",
        reason="one and a half noise floors of speed after braking",
        strength=_over_slowed,
        opposite=("brake_earlier",),
        cases=(
            *_cases((0.0, 0.2, 0.1), unsure=False, slowest_mps=18.0, corner_g=0.8, slowest_g=0.8),
            Case(
                Pair(
                    _with(brake_m=-80.0, entry_mps=27.0, slowest_mps=18.0, corner_g=0.8, slowest_g=0.8),
                    _GOOD,
                    -0.05,
                    0.3,
                    0.1,
                ),
                "silent",
            ),
        ),
    ),
    Concept(
        id="more_apex_speed",
        phase="apex",
        explains="bme",
        changes="more speed is carried to the slowest point",
        reason="one and a half noise floors of speed in the middle of the corner",
        strength=_more_apex_speed,
        cases=(
            *_cases(
                (0.0, 0.2, 0.1), target=_FAST, unsure=False, slowest_mps=38.0, corner_g=0.9, slowest_g=0.9
            ),
            *_cases((0.0, 0.1, 0.2), target=_FAST, unsure=False, exit_mps=28.0, corner_g=0.86),
        ),
    ),
    Concept(
        id="throttle_sooner",
        phase="exit",
        explains="e",
        changes="the throttle opens closer to the apex",
        reason="the slowest point is as fast, and the throttle comes a noise floor later",
        strength=_throttle_sooner,
        cases=_cases((0.0, 0.0, 0.2), unsure=False, pickup_m=62.0),
    ),
    Concept(
        id="throttle_once",
        phase="exit",
        explains="e",
        changes="the throttle opens when it can stay open",
        reason="a gear change is over in half a second; a longer lift is a lift",
        strength=_throttle_once,
        cases=_cases((0.0, 0.0, 0.2), unsure=False, lifts=1, exit_mps=29.0),
    ),
    Concept(
        id="use_exit",
        phase="exit",
        explains="e",
        changes="the car runs out to the edge",
        reason="more than the fix wanders within minutes",
        strength=_use_exit,
        trust=0.7,
        opposite=("unpinch_exit",),
        causes=_BY_LINE,
        is_line=True,
        cases=_cases((0.0, 0.0, 0.2), exit_offset_m=0.0),
    ),
    Concept(
        id="unpinch_exit",
        phase="turn_in",
        explains="me",
        changes="a later apex leaves room at the exit",
        reason="inside before the apex and after it, by more than the fix wanders",
        strength=_unpinch_exit,
        trust=0.7,
        opposite=("turn_in_earlier",),
        # Held in before and after the apex, no car can be as fast between.
        causes=(*_BY_LINE, "over_slowed", "more_apex_speed"),
        is_line=True,
        cases=_cases((0.0, 0.0, 0.2), turning_offset_m=2.0, exit_offset_m=-1.0),
    ),
    Concept(
        id="less_lift",
        phase="turn_in",
        explains="bme",
        changes="the throttle closes less far",
        reason="a fifth of the pedal",
        strength=_less_lift,
        opposite=(),
        cases=_cases((0.1, 0.1, 0.0), target=_FAST, unsure=False, lift_pct=20.0),
    ),
    Concept(
        id="flat_possible",
        phase="turn_in",
        explains="bme",
        changes="the throttle stays open",
        reason="the same driver took it flat",
        strength=_flat_possible,
        opposite=(),
        cases=_cases(
            (0.1, 0.1, 0.0), target=msgspec.structs.replace(_FAST, lift_pct=98.0), unsure=False, lift_pct=50.0
        ),
    ),
    Concept(
        id="gear_up",
        phase="apex",
        explains="me",
        changes="one gear higher at the slowest point",
        reason="the target's gear was another at the same place",
        strength=_gear_up,
        trust=0.8,
        opposite=("gear_down",),
        causes=_BY_GEAR,
        cases=_cases((0.0, 0.1, 0.1), gear=2),
    ),
    Concept(
        id="gear_down",
        phase="apex",
        explains="e",
        changes="one gear lower at the slowest point",
        reason="the target's gear was another at the same place",
        strength=_gear_down,
        trust=0.8,
        opposite=("gear_up",),
        causes=_BY_GEAR,
        cases=_cases((0.0, 0.0, 0.2), gear=4),
    ),
    Concept(
        id="fewer_corrections",
        phase="apex",
        explains="me",
        changes="one turn of the wheel in place of several",
        reason="the wheel went back and on again at least twice more",
        strength=_fewer_corrections,
        trust=0.6,
        cases=_cases((0.0, 0.1, 0.1), corrections=3),
    ),
    Concept(
        id="understeer",
        phase="apex",
        explains="me",
        changes="the wheel is turned less, until the front holds",
        reason="a fifth more wheel at no more lateral g, against the same car's own best pass",
        strength=_understeer,
        trust=0.6,
        causes=("clip_apex", "throttle_sooner"),
        cases=_cases((0.0, 0.15, 0.1), steering_deg=80.0, corner_g=0.97),
    ),
    Concept(
        id="oversteer",
        phase="exit",
        explains="me",
        changes="the throttle opens so that the rear holds",
        reason="the wheel was turned out of the corner for longer than a dab takes",
        strength=_oversteer,
        causes=("throttle_sooner", "throttle_once", "fewer_corrections"),
        cases=_cases((0.0, 0.05, 0.15), caught_s=0.5),
    ),
)

# A corner that loses time without a cause that can be told: its name and the time, said after it.
TIME_LOST = "time_lost"
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
