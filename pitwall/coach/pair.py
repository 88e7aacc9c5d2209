"""A pass of a corner beside the pass that it is measured against: what the driver did otherwise."""

from __future__ import annotations

import msgspec

from pitwall.track.technique import Technique

# A corner that needs so much less grip at its speed, on the same line, is driven with half of that less.
TIGHTER, SAME_LINE = 0.05, 0.5
# Slower by this share of the grip, and with nearly as much less of it: the line is the same.
SLOWER, ALL_OF_IT = 0.1, 0.75
# Where it was slowest, a car that turns tighter is at its limit; over the whole corner it may be less so.
AT_LIMIT, NEARLY = 0.25, 0.9
# The same speed at its slowest with so much more lateral g is another line too.
MORE_GRIP, ALMOST_ALL = 0.15, 0.9
FASTER_MPS = 0.5
# The noise floor of a speed (the map, figures).
SLOWER_MPS = 2.0 / 3.6
# The share of a corner's loss that lies behind its apex where the way out pays for the line.
LOST_OUT = 0.6
# An exit that is slower by two noise floors more than the slowest point was not lost before it.
SLOWER_OUT_MPS = 4.0 / 3.6
# The slowest point of a long corner wanders by 10 m; one so much later is another place, and one that is far
# later lies behind the corner.
LATE_M, FAR_LATE_M = 20.0, 100.0


class _Difference:
    """How much more of a value of Technique the own pass has than the target, or with `sign` -1 how much
    less; None where one of the two is not known."""

    def __init__(self, name: str, sign: int = 1) -> None:
        self.name, self.sign = name, sign

    def __get__(self, pair: Pair, _: type[Pair]) -> float | None:
        """The difference in this pair."""
        own: float | None = getattr(pair.own, self.name)
        target: float | None = getattr(pair.target, self.name)
        return None if own is None or target is None else self.sign * (own - target)


class _Known(_Difference):
    """The same for a value that every pass has."""

    def __get__(self, pair: Pair, _: type[Pair]) -> float:
        """The difference in this pair."""
        return super().__get__(pair, _) or 0.0


class _Share(_Difference):
    """The difference as a share of the target's value."""

    def __get__(self, pair: Pair, _: type[Pair]) -> float | None:
        """The share in this pair."""
        return _share(getattr(pair.own, self.name), getattr(pair.target, self.name), self.sign)


class Pair(msgspec.Struct, frozen=True):
    """A pass and its target, with the seconds lost in the brake zone, up to the apex, and after it.

    The properties are differences in the driver's terms; None where one of the two is not known.
    """

    own: Technique
    target: Technique
    brake_s: float
    mid_s: float
    exit_s: float

    start_slow_mps = _Known("start_mps", -1)
    """How much slower the car arrived."""
    entry_slow_mps = _Known("entry_mps", -1)
    """How much slower the car was at the entry."""
    slow_mps = _Known("slowest_mps", -1)
    """How much slower the car was where it was slowest."""
    exit_slow_mps = _Known("exit_mps", -1)
    """How much slower the car was at the exit."""
    slowest_late_m = _Known("slowest_m")
    """Metres by which the slowest point lay further on."""
    more_lifts = _Known("lifts")
    """How often the throttle closed again at the exit beyond the target's."""
    brake_late_m = _Difference("brake_m")
    """Metres by which the brakes came on later than in the target (negative: earlier)."""
    release_late_m = _Difference("release_m")
    """Metres by which the brakes were let go later."""
    coast_more_s = _Difference("coast_s")
    """Seconds longer on neither pedal before the brakes."""
    roll_more_s = _Difference("roll_s")
    """Seconds longer on neither pedal between the brakes and the apex."""
    pickup_late_m = _Difference("pickup_m")
    """Metres by which the throttle opened later."""
    flat_late_m = _Difference("flat_m")
    """Metres by which the throttle was flat later."""
    gain_late_m = _Difference("gain_m")
    """Metres by which the car was on its way out later."""
    less_drive_pct = _Difference("drive_pct", -1)
    """How much less the throttle was open on the way out."""
    lifted_pct = _Difference("lift_pct", -1)
    """How much further the throttle was closed on the way in."""
    turn_in_late_m = _Difference("turn_in_m")
    """Metres by which the car turned in later."""
    entry_tight_m = _Difference("entry_offset_m")
    """Metres by which the car was further inside at the entry."""
    turning_tight_m = _Difference("turning_offset_m")
    """Metres by which the car was further inside between entry and apex."""
    apex_wide_m = _Difference("apex_offset_m", -1)
    """Metres by which the car was further outside at the apex."""
    leaving_tight_m = _Difference("leaving_offset_m")
    """Metres by which the car was further inside between apex and exit."""
    exit_tight_m = _Difference("exit_offset_m")
    """Metres by which the car was further inside at the exit."""
    gear_higher = _Difference("gear")
    """Gears higher at the slowest point."""
    more_corrections = _Difference("corrections")
    """How often more the wheel was turned back and on again."""
    caught_more_s = _Difference("caught_s")
    """Seconds longer with the wheel turned out of the corner."""
    harder_share = _Share("brake_g")
    """How much harder the brakes were pressed, as a share of the target's deceleration."""
    less_grip_share = _Share("corner_g", -1)
    """How much less lateral grip the corner was driven with, as a share of the target's."""
    more_steering_share = _Share("steering_deg")
    """How much further the wheel was turned into the corner, as a share of the target's."""

    @property
    def loss_s(self) -> float:
        """The whole corner's loss."""
        return self.brake_s + self.mid_s + self.exit_s

    @property
    def before_s(self) -> float:
        """The loss up to the apex."""
        return self.brake_s + self.mid_s

    @property
    def more_bites(self) -> int:
        """How many presses of the brakes there were beyond the target's."""
        return self.own.bites - self.target.bites if self.own.bites and self.target.bites else 0

    @property
    def before_tight_m(self) -> float | None:
        """Metres by which the car was further inside before the apex, where that is most."""
        return _most(self.entry_tight_m, self.turning_tight_m)

    @property
    def is_slower(self) -> bool:
        """Return whether the car was slower at its slowest or on the way out, by more than a receiver's
        noise."""
        slower_mps = max(self.slow_mps, self.exit_slow_mps, self.target.end_mps - self.own.end_mps)
        return slower_mps >= SLOWER_MPS

    @property
    def used_up(self) -> bool:
        """Return whether a slower corner was driven with the same grip all the same: then the car turned
        tighter, and it is the line that took the speed."""
        own, target = self.own, self.target
        if self.lifted_late or target.slowest_mps <= 0.0 or self.slow_mps < -FASTER_MPS:
            return False
        same_line = self._same_line_share
        whole = self.less_grip_share
        slowest = _share(own.slowest_g, target.slowest_g, -1)
        known = [share for share in (whole, slowest) if share is not None]
        if same_line >= TIGHTER and known:
            at_limit = slowest is not None and slowest < AT_LIMIT * same_line and _at_limit(own)
            return max(known) < (NEARLY if at_limit else SAME_LINE) * same_line
        return slowest is not None and same_line - slowest >= MORE_GRIP and _at_limit(own)

    @property
    def _same_line_share(self) -> float:
        """How much less lateral g this speed needs on the target's line: it goes with the speed's square."""
        return 1.0 - (self.own.slowest_mps / self.target.slowest_mps) ** 2

    @property
    def speed_is_left(self) -> bool:
        """Return whether a slower corner was driven with so much less grip that its line can't have cost
        it."""
        less = self.less_grip_share
        if less is None or self.lifted_late or self.target.slowest_mps <= 0.0:
            return False
        return less >= ALL_OF_IT * self._same_line_share >= ALL_OF_IT * SLOWER

    @property
    def lost_on_the_way_out(self) -> bool:
        """Return whether the way out lost it: most of the time goes there, and its end is slower by more
        than the slowest point is."""
        more_mps = self.exit_slow_mps - max(self.slow_mps, 0.0)
        return self.exit_s >= LOST_OUT * self.loss_s > 0.0 and more_mps >= SLOWER_OUT_MPS

    @property
    def after_tight_m(self) -> float | None:
        """Metres by which the car was further inside after the apex, where that is most."""
        return _most(self.leaving_tight_m, self.exit_tight_m)

    @property
    def pays_on_the_way_out(self) -> bool:
        """Return whether a line that is too tight costs its time after the apex; none is where the car ran
        out further than the target."""
        known_wide = (self.after_tight_m or 0.0) < 0.0
        return self.used_up and not known_wide and self.exit_s >= LOST_OUT * self.loss_s > 0.0

    @property
    def lifted_late(self) -> bool:
        """Return whether the car was slowest where its driver had lifted again, well behind the usual
        place. In a bend that is held with half the throttle a foot seems to lift in every pass."""
        late_m = self.slowest_late_m
        return self.own.lifts > 0 and late_m >= (LATE_M if self.more_lifts > 0 else FAR_LATE_M)


def _at_limit(technique: Technique) -> bool:
    slowest, whole = technique.slowest_g, technique.corner_g
    return slowest is not None and whole is not None and slowest >= ALMOST_ALL * whole


def _share(own: float | None, target: float | None, sign: int) -> float | None:
    return None if own is None or target is None or target <= 0.0 else sign * (own / target - 1.0)


def _most(*sides: float | None) -> float | None:
    known = [side for side in sides if side is not None]
    return max(known, key=abs) if known else None
