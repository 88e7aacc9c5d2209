"""How strongly a pass shows a piece of advice: one function a concept, with the noise floor of what it reads.

1 and more is a finding, None is not known (a signal is missing). Each is a row of `concepts`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from pitwall.coach.faults import BRAKE_NOISE_M
from pitwall.coach.pair import SLOWER_MPS as SPEED_MPS
from pitwall.coach.pair import Pair
from pitwall.track.technique import Technique

# A mark that differs by more than this is another one where it is told and nothing is corrected by it.
MARK_M = 6.0
# A part of a corner that loses less than this is not what the corner loses its time by.
PART_S = 0.06
# Less than a finding, and more than what was heeded (`concepts.CLEARED`).
NOT_CURED = 0.6
# Brakes that come on ten metres later win some hundredths up to the entry; nobody is 60 m late and stays on.
WON_S, MOST_LATE_M = 0.02, 60.0
# A driver who presses 15 % softer or harder does so on purpose: within that, pressures differ lap by lap.
PRESSURE_SHARE = 0.15
# GNSS wanders by less than a metre against itself within minutes; a car's width is two.
LINE_M = 1.5
# A line that is known to be tighter, because it took the speed at the same grip, shows in less.
HELPED_M = 1.0
# So many noise floors aside is another line, whatever else is done there.
FAR_ASIDE = 1.5
# Half of that is not the other side. Who has lost less than this up to the apex was not slow up to it.
NOT_WIDE_M, CUT_S = 0.5, 0.03
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


def _over(value: float | None, floor: float) -> float | None:
    return None if value is None else value / floor


def _if(condition: bool, strength: float | None) -> float | None:
    """The strength where the loss lies where this concept would win it back, else nothing."""
    return strength if condition or strength is None else 0.0


def brake_later(pair: Pair) -> float | None:
    # Who brakes early for a line that is too tight has to: then most of the loss must lie in the brake zone.
    needless = pair.brake_s > (pair.mid_s if pair.used_up else 0.0)
    # Inside the corner and far off its line, they come on for the line.
    in_it = pair.own.brake_m is not None and pair.own.brake_m > 0.0
    needless = needless and not (in_it and _is_far_aside(pair))
    return _if(pair.before_s >= PART_S and needless, _over(_early_m(pair), BRAKE_NOISE_M))


def brake_earlier(pair: Pair) -> float | None:
    """Late brakes win the brake zone. Where they come later than anybody can brake, it is another braking."""
    late_m = pair.brake_late_m
    won = pair.brake_s <= -WON_S and (late_m is None or late_m <= MOST_LATE_M)
    lost = pair.mid_s + pair.exit_s >= PART_S and (pair.slow_mps > -SPEED_MPS or _ran_wide(pair))
    # Too fast to turn in, a car is wide before the apex.
    return _if(won and lost and not _cut_in(pair, NOT_WIDE_M), _over(late_m, BRAKE_NOISE_M))


def _ran_wide(pair: Pair) -> bool:
    return (pair.apex_wide_m or 0.0) >= LINE_M or (pair.exit_tight_m or 0.0) <= -LINE_M


def brake_harder(pair: Pair) -> float | None:
    harder, late_m = pair.harder_share, pair.release_late_m
    if harder is None or late_m is None:
        return None
    if (pair.brake_late_m or 0.0) <= -MARK_M:
        return 0.0  # who brakes early has no need to press
    return _if(pair.before_s >= PART_S and pair.more_bites <= 0, -harder / PRESSURE_SHARE)


def brake_lighter(pair: Pair) -> float | None:
    """Braked hard where the target brakes less, and too slow at the entry for it."""
    if pair.own.brake_m is not None and pair.target.brake_m is None:
        # Who turned tighter than need be had to brake.
        return _if(pair.slow_mps >= SPEED_MPS and pair.before_s >= PART_S and not pair.used_up, 1.5)
    harder = pair.harder_share
    # Who turns in too late has to be slow for it.
    for_line = pair.used_up or (pair.before_tight_m or 0.0) <= -LINE_M
    slow = pair.entry_slow_mps >= 2 * SPEED_MPS and not for_line
    return _if(slow and pair.before_s >= PART_S, _over(harder, PRESSURE_SHARE))


def brake_once(pair: Pair) -> float | None:
    if not pair.own.bites or not pair.target.bites:
        return None
    return _if(pair.before_s >= PART_S, float(pair.more_bites))


def release_sooner(pair: Pair) -> float | None:
    late_m, onset_m = pair.release_late_m, pair.brake_late_m
    if late_m is None or onset_m is None:
        return None
    same_onset = abs(onset_m) < BRAKE_NOISE_M
    lost = pair.before_s >= PART_S or (_brakes_on_the_way_out(pair) and pair.exit_s >= PART_S)
    return _if(same_onset and pair.slow_mps >= SPEED_MPS and lost, late_m / BRAKE_NOISE_M)


def _brakes_on_the_way_out(pair: Pair) -> bool:
    """Return whether brakes that were held longer put off the slowest point and the throttle: nobody opens
    it while he brakes."""
    late_m, pickup_m = pair.release_late_m, pair.pickup_late_m
    if late_m is None or late_m < BRAKE_NOISE_M or pair.slowest_late_m < BRAKE_NOISE_M:
        return False
    return pickup_m is None or pickup_m - late_m < PICKUP_M


def trail_longer(pair: Pair) -> float | None:
    """Off the brakes too soon; a braking that began as much sooner was moved, and not cut short."""
    late_m, roll_s = pair.release_late_m, pair.roll_more_s
    if late_m is None or roll_s is None:
        return None
    # Who pressed harder and is slower for it, or comes in slower anyway, would be slower still.
    too_much = pair.slow_mps >= SPEED_MPS and (pair.harder_share or 0.0) >= PRESSURE_SHARE
    too_much = too_much or pair.entry_slow_mps >= 2 * SPEED_MPS
    waited = roll_s >= 0.5 * COAST_S and pair.before_s >= PART_S
    moved_m = min(pair.brake_late_m or 0.0, 0.0)
    return _if(waited and not too_much, (moved_m - late_m) / BRAKE_NOISE_M)


def no_coasting(pair: Pair) -> float | None:
    # A foot that was on the brake in one of the two, unseen, did not wait.
    same = abs(pair.brake_late_m or 0.0) <= MOST_LATE_M
    return _if(pair.loss_s >= PART_S and same, _over(pair.coast_more_s, COAST_S))


def _aside(pair: Pair, metres: float | None) -> float | None:
    """How many noise floors a line lies aside."""
    return _over(metres, HELPED_M if pair.used_up else LINE_M)


def _is_far_aside(pair: Pair) -> bool:
    """Return whether the car was so far off its line that what its driver did there was done for that."""
    return max(abs(pair.before_tight_m or 0.0), abs(pair.after_tight_m or 0.0)) >= FAR_ASIDE * LINE_M


def _lost_in_it(pair: Pair) -> bool:
    return pair.mid_s >= PART_S or pair.exit_s >= PART_S


def turn_in_earlier(pair: Pair) -> float | None:
    """Wide before the apex, and more so than at it. Without a line lateral g tells when the car turned."""
    before_m, apex_m = pair.before_tight_m, pair.apex_wide_m
    if before_m is None or apex_m is None:
        return _if(_lost_in_it(pair), _over(pair.turn_in_late_m, TURN_IN_M))
    late = -before_m > apex_m and (pair.turning_tight_m or -1.0) < 0.0
    return _if(_lost_in_it(pair) and late, _aside(pair, -before_m))


def turn_in_later(pair: Pair) -> float | None:
    """Inside before the apex, and not on the way out: that is `unpinch_exit`."""
    before_m, exit_m, late_m = pair.before_tight_m, pair.after_tight_m, pair.turn_in_late_m
    if before_m is None or exit_m is None:
        return _if(_lost_in_it(pair), None if late_m is None else -late_m / TURN_IN_M)
    early = exit_m < 0.5 * before_m and (pair.turning_tight_m or 1.0) > 0.0
    # Inside before it and wide after it is one line: what the whole track is shifted by is not in it.
    return _if(_lost_in_it(pair) and early, _aside(pair, max(before_m, 0.5 * (before_m - exit_m))))


def _apexed_early(pair: Pair) -> bool:
    """Return whether the car was inside before the apex and ran wide after it."""
    before_m, exit_m = pair.before_tight_m or 0.0, pair.after_tight_m or 0.0
    return before_m >= NOT_WIDE_M and exit_m <= -NOT_WIDE_M and before_m - exit_m >= 2.0 * LINE_M


def wider_entry(pair: Pair) -> float | None:
    """Inside at the entry and no more so on the way to the apex: that would be `turn_in_later`."""
    entry_m, turning_m = pair.entry_tight_m, pair.turning_tight_m
    if entry_m is None or turning_m is None:
        return None
    return _if(_lost_in_it(pair) and abs(turning_m) < 0.5 * entry_m, _over(entry_m, LINE_M))


def clip_apex(pair: Pair) -> float | None:
    """Wide at the apex, and not more so before it: that is `turn_in_earlier`."""
    apex_m, before_m = pair.apex_wide_m, pair.before_tight_m
    latest = apex_m is None or before_m is None or apex_m >= -before_m
    latest = latest and not pair.speed_is_left
    return _if(pair.mid_s + pair.exit_s >= PART_S and latest, _over(apex_m, LINE_M))


def _too_fast_in(pair: Pair) -> bool:
    """Return whether late brakes brought the car in faster, or took it wide: what it lacks at the apex it
    lost by that."""
    late_m = pair.brake_late_m or 0.0
    ran_wide = late_m >= 0.5 * BRAKE_NOISE_M and (pair.apex_wide_m or 0.0) >= LINE_M and pair.brake_s < PART_S
    return ran_wide or (late_m >= BRAKE_NOISE_M and pair.entry_slow_mps <= -SPEED_MPS)


def _cut_in(pair: Pair, inside_m: float) -> bool:
    """Return whether the car was inside before the apex, and no later at it: its line is what loses then."""
    return (pair.before_tight_m or 0.0) >= inside_m and pair.before_s < CUT_S


def _lost_by_speed(pair: Pair) -> bool:
    """Return whether a corner was lost by being slower in it, and not by its line or by a lift on the way
    out."""
    braked = pair.own.brake_m is not None
    held = _slower_at_less_grip_mps(pair) > 0.0 and (pair.pickup_late_m or 0.0) > -PICKUP_M
    way_out = braked and pair.lost_on_the_way_out and not held
    no_grip_left = pair.less_grip_share is not None and pair.less_grip_share < 0.5 * GRIP_SHARE
    line = pair.used_up or _cut_in(pair, HELPED_M) or (no_grip_left and _apexed_early(pair))
    excused = line or pair.lifted_late or way_out
    return pair.mid_s + pair.exit_s >= PART_S and not excused


def over_slowed(pair: Pair) -> float | None:
    braked = pair.own.brake_m is not None
    return _if(braked and _lost_by_speed(pair) and not _too_fast_in(pair), pair.slow_mps / SPEED_MPS / 1.5)


def more_apex_speed(pair: Pair) -> float | None:
    """The same with or without brakes; where the brakes are used every time, `over_slowed` says more."""
    slow_mps = max(pair.slow_mps, _slower_at_less_grip_mps(pair))
    strength = slow_mps / SPEED_MPS / 1.5
    # Who arrived slower, slowed down all the same and had grip left, did not lose it before.
    slowed = pair.speed_is_left and pair.own.entry_mps - pair.own.slowest_mps >= pair.slow_mps
    here = slowed or pair.start_slow_mps < slow_mps / 3.0
    lost = _lost_by_speed(pair) and here and not _too_fast_in(pair)
    return _if(lost, strength if pair.own.brake_m is None else 0.9 * strength)


def _slower_at_less_grip_mps(pair: Pair) -> float:
    """How much slower the car came out of a corner that was driven with less grip and no less throttle: its
    slowest point may lie elsewhere."""
    less = pair.less_grip_share
    if (
        less is None
        or less < GRIP_SHARE
        or _is_far_aside(pair)
        or (pair.less_drive_pct or 0.0) >= 0.5 * DRIVE_PCT
    ):
        return 0.0
    return pair.exit_slow_mps


def _apex_is_kept(pair: Pair) -> bool:
    """Return whether the slowest point is not what costs the exit: then the way out is to blame."""
    return pair.slow_mps < 1.5 * SPEED_MPS or pair.lost_on_the_way_out


def throttle_sooner(pair: Pair) -> float | None:
    """The throttle opened later; where it did not, no other sign of a slow exit says that it came late."""
    late = (
        _over(pair.pickup_late_m, PICKUP_M),
        _part_open(pair),
        _over(pair.gain_late_m, GAIN_M),
        # The apex was as fast and the exit was not: what lies between is the throttle, where it is not known.
        _over(_slower_out_mps(pair), EXIT_SPEEDS * SPEED_MPS),
    )
    strengths = [strength for strength in late if strength is not None]
    return _if(_foot_costs_exit(pair) and not _opened_in_time(pair), max(strengths))


def throttle_fully(pair: Pair) -> float | None:
    """The throttle opened in time and not all the way: flat later, or less open up to the end of the run."""
    if pair.pickup_late_m is None or pair.less_drive_pct is None:
        return None
    less = _opened_in_time(pair) and pair.less_drive_pct >= 0.5 * DRIVE_PCT
    return _if(_foot_costs_exit(pair) and less, _part_open(pair))


def _opened_in_time(pair: Pair) -> bool:
    """Return whether the throttle opened no later. One that holds the speed for longer and is flat as soon
    opens late: what came late is the car's way out."""
    held = (
        (pair.gain_late_m or 0.0) >= GAIN_M and pair.flat_late_m is not None and pair.flat_late_m < PICKUP_M
    )
    return pair.pickup_late_m is not None and pair.pickup_late_m < 0.5 * PICKUP_M and not held


def _foot_costs_exit(pair: Pair) -> bool:
    """Return whether the exit was lost by waiting. Who turned tighter than need be, apexed too soon or
    still braked waits because of that."""
    has_to = pair.used_up or _apexed_early(pair) or _brakes_on_the_way_out(pair)
    kept = _apex_is_kept(pair) and not has_to and (throttle_smoother(pair) or 0.0) < 1.0
    return pair.exit_s >= PART_S and kept and pair.more_lifts <= 0


def _part_open(pair: Pair) -> float | None:
    """How much later or less the throttle was open all the way; None where no pedal is known."""
    signs = (
        _over(pair.flat_late_m, 2.0 * PICKUP_M),
        _never_flat(pair),
        _over(pair.less_drive_pct, DRIVE_PCT),
    )
    return max((strength for strength in signs if strength is not None), default=None)


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


def throttle_smoother(pair: Pair) -> float | None:
    """On the throttle sooner and flat later: what was too much at first had to be waited for."""
    sooner_m, flat_m = pair.pickup_late_m, pair.flat_late_m
    if sooner_m is None or flat_m is None:
        return None
    hasty = pair.exit_s >= PART_S and _apex_is_kept(pair) and not pair.used_up and pair.more_lifts <= 0
    return _if(hasty, min(-sooner_m / (2.0 * PICKUP_M), flat_m / PICKUP_M))


def throttle_once(pair: Pair) -> float | None:
    return _if(pair.exit_s >= PART_S, max(float(pair.more_lifts), float(pair.lifted_late)))


def use_exit(pair: Pair) -> float | None:
    exit_m, before_m = pair.after_tight_m, pair.before_tight_m
    if exit_m is None or before_m is None:
        return None
    lost_s = pair.mid_s + pair.exit_s if pair.used_up else pair.exit_s
    # Who wins time on the way out has road enough.
    lost = lost_s >= PART_S and pair.exit_s >= 0.0
    by_it = _apex_is_kept(pair) or pair.used_up or exit_m >= 2.0 * LINE_M
    return _if(lost and by_it and before_m < 0.5 * exit_m, _aside(pair, exit_m))


def unpinch_exit(pair: Pair) -> float | None:
    """Inside before the apex and after it: too early there, and no room to open the throttle."""
    before_m, exit_m = pair.before_tight_m, pair.after_tight_m
    if before_m is None or exit_m is None:
        return None
    both = before_m >= 0.5 * exit_m > 0.0 and exit_m >= 0.5 * before_m
    strength = _if(_lost_in_it(pair) and both, _aside(pair, 0.5 * (before_m + exit_m)))
    # Tighter than the target at the same grip, and the way out pays for it: not yet a cause, and not cured.
    return max(strength or 0.0, NOT_CURED) if pair.pays_on_the_way_out else strength


def less_lift(pair: Pair) -> float | None:
    """A corner that the target takes without brakes and with less of a lift."""
    if pair.own.brake_m is not None or pair.target.brake_m is not None or _was_flat(pair.target):
        return 0.0
    return _if(pair.loss_s >= PART_S, _over(pair.lifted_pct, LIFT_PCT))


def flat_possible(pair: Pair) -> float | None:
    if not _was_flat(pair.target):
        return 0.0
    return _if(pair.loss_s >= PART_S, _over(pair.lifted_pct, LIFT_PCT))


def _was_flat(technique: Technique) -> bool:
    return technique.lift_pct is not None and technique.lift_pct >= 90.0


def _foot_is_to_blame(pair: Pair) -> bool:
    """Return whether the throttle was open so much less on the way out that no gear explains it."""
    return (pair.less_drive_pct or 0.0) >= DRIVE_PCT


def gear_up(pair: Pair) -> float | None:
    gears = pair.gear_higher
    lost = pair.mid_s + pair.exit_s >= PART_S and _apex_is_kept(pair) and not _foot_is_to_blame(pair)
    return _if(lost, None if gears is None else -float(gears))


def gear_down(pair: Pair) -> float | None:
    gears = pair.gear_higher
    lost = pair.exit_s >= PART_S and _apex_is_kept(pair) and not _foot_is_to_blame(pair)
    return _if(lost, None if gears is None else float(gears))


def fewer_corrections(pair: Pair) -> float | None:
    more = pair.more_corrections
    return _if(pair.mid_s + pair.exit_s >= PART_S, None if more is None else more / 2.0)


def understeer(pair: Pair) -> float | None:
    """More wheel for no more grip, and no tighter line that would need it."""
    more, own_g, target_g = pair.more_steering_share, pair.own.corner_g, pair.target.corner_g
    if more is None or own_g is None or target_g is None:
        return None
    lost = pair.mid_s + pair.exit_s >= PART_S and own_g <= target_g and not pair.used_up
    return _if(lost and (pair.before_tight_m or 0.0) < LINE_M, more / STEERING_SHARE)


def oversteer(pair: Pair) -> float | None:
    return _if(pair.mid_s + pair.exit_s >= PART_S, _over(pair.caught_more_s, CAUGHT_S))


class Fact(NamedTuple):
    """Something that a driver's best pass did otherwise: 1 and more is told. `explains` as of a concept;
    `metres` is the amount."""

    id: str
    explains: str
    strength: Callable[[Pair], float | None]
    metres: Callable[[Pair], float | None] | None = None


def _other_mark(
    metres: Callable[[Pair], float | None], floor_m: float = MARK_M
) -> Callable[[Pair], float | None]:
    return lambda pair: _over(metres(pair), floor_m)


def _early_m(pair: Pair) -> float | None:
    return None if pair.brake_late_m is None else -pair.brake_late_m


def _late_m(pair: Pair) -> float | None:
    """Late brakes have to cost more behind them than they win."""
    costs = pair.mid_s + pair.exit_s >= PART_S - min(pair.brake_s, 0.0)
    return pair.brake_late_m if costs else 0.0


class NeedlessHabit(NamedTuple):
    """Something that no lap needs, whatever the driver's best pass did: `strength` of 1 and more is one;
    `loss_s` is about what it costs, for the order in which things are told; `place_m` is where it begins,
    metres ahead of the entry (None: not before the brakes); `part` is where it is done."""

    id: str
    part: Literal["brake", "apex", "exit"]
    strength: Callable[[Technique], float | None]
    loss_s: Callable[[Technique], float]
    place_m: Callable[[Technique], float | None] = lambda own: None


# Seconds on neither pedal; on both (a blip for a gear is over sooner); a quarter of the throttle.
WAITED_S, BOTH_S, SPARE_PCT = 0.5, 0.7, 25.0
# What a car gains or loses by its throttle, m/s^2, at a straight's middle speeds; seconds of a straight.
DRIVE_MPS2, STRAIGHT_S = 3.0, 4.0


def _waited_from_m(own: Technique) -> float | None:
    return None if own.brake_m is None else own.brake_m - (own.waited_s or 0.0) * own.start_mps


_HABITS = (
    NeedlessHabit(
        "waiting",
        "brake",
        lambda own: _over(own.waited_s, WAITED_S),
        # The speed that was not gained, on average half of it, over the way that was rolled.
        lambda own: 0.5 * DRIVE_MPS2 * (own.waited_s or 0.0) ** 2 / max(own.start_mps, 1.0),
        _waited_from_m,
    ),
    NeedlessHabit("two_pedals", "brake", lambda own: _over(own.both_s, BOTH_S), lambda own: 0.1),
    # In a bend the brakes may well be wanted twice.
    NeedlessHabit("second_dab", "brake", lambda own: float(own.dabs), lambda own: 0.1),
    NeedlessHabit(
        "straight_lift",
        "brake",
        lambda own: float(own.lifted_m is not None),
        lambda own: 0.8 * DRIVE_MPS2 * STRAIGHT_S / max(own.start_mps, 1.0),
        lambda own: own.lifted_m,
    ),
    NeedlessHabit(
        "part_throttle",
        "exit",
        lambda own: _over(own.spare_pct, SPARE_PCT),
        lambda own: 0.01 * (own.spare_pct or 0.0) * DRIVE_MPS2 * STRAIGHT_S / max(own.exit_mps, 1.0),
    ),
)
HABITS: dict[str, NeedlessHabit] = {habit.id: habit for habit in _HABITS}
_FACTS = (
    Fact("brake_later", "bm", _other_mark(_early_m), _early_m),
    Fact("brake_earlier", "me", _other_mark(_late_m), _late_m),
    Fact("release_sooner", "bm", lambda pair: _if(pair.slow_mps > 0.0, _over(pair.release_late_m, MARK_M))),
    Fact("no_coasting", "b", lambda pair: _over(pair.coast_more_s, 0.5 * COAST_S)),
    Fact("more_speed", "me", lambda pair: pair.slow_mps / SPEED_MPS / 1.5),
    Fact(
        "throttle_sooner", "e", _other_mark(lambda pair: pair.pickup_late_m), lambda pair: pair.pickup_late_m
    ),
    Fact("flat_sooner", "e", _other_mark(lambda pair: pair.flat_late_m, PICKUP_M)),
)
FACTS: dict[str, Fact] = {fact.id: fact for fact in _FACTS}
