"""One pass of a corner beside the pass that it is measured against: what the driver did otherwise."""

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
# The share of a corner's loss that lies behind its apex where the way out pays for the line.
LOST_OUT = 0.6
# An exit that is slower by two noise floors more than the slowest point was not lost before it.
SLOWER_OUT_MPS = 4.0 / 3.6
# The slowest point of a long corner wanders by 10 m; one so much later is another place, and one that is far
# later lies behind the corner.
LATE_M, FAR_LATE_M = 20.0, 100.0


class Pair(msgspec.Struct, frozen=True):
    """A pass and its target, with the seconds lost in the brake zone, up to the apex, and after it.

    The properties are differences in the driver's terms; None where one of the two is not known.
    """

    own: Technique
    target: Technique
    brake_s: float
    mid_s: float
    exit_s: float

    @property
    def loss_s(self) -> float:
        """The whole corner's loss."""
        return self.brake_s + self.mid_s + self.exit_s

    @property
    def before_s(self) -> float:
        """The loss up to the apex."""
        return self.brake_s + self.mid_s

    @property
    def brake_late_m(self) -> float | None:
        """Metres by which the brakes came on later than in the target (negative: earlier)."""
        return _minus(self.own.brake_m, self.target.brake_m)

    @property
    def release_late_m(self) -> float | None:
        """Metres by which the brakes were let go later."""
        return _minus(self.own.release_m, self.target.release_m)

    @property
    def harder_share(self) -> float | None:
        """How much harder the brakes were pressed, as a share of the target's deceleration."""
        own, target = self.own.brake_g, self.target.brake_g
        return None if own is None or target is None or target <= 0.0 else own / target - 1.0

    @property
    def more_bites(self) -> int:
        """How many presses of the brakes there were beyond the target's."""
        return self.own.bites - self.target.bites if self.own.bites and self.target.bites else 0

    @property
    def start_slow_mps(self) -> float:
        """How much slower the car arrived."""
        return self.target.start_mps - self.own.start_mps

    @property
    def entry_slow_mps(self) -> float:
        """How much slower the car was at the entry."""
        return self.target.entry_mps - self.own.entry_mps

    @property
    def slow_mps(self) -> float:
        """How much slower the car was where it was slowest."""
        return self.target.slowest_mps - self.own.slowest_mps

    @property
    def exit_slow_mps(self) -> float:
        """How much slower the car was at the exit."""
        return self.target.exit_mps - self.own.exit_mps

    @property
    def slowest_late_m(self) -> float:
        """Metres by which the slowest point lay further on."""
        return self.own.slowest_m - self.target.slowest_m

    @property
    def coast_more_s(self) -> float | None:
        """Seconds longer on neither pedal before the brakes."""
        return _minus(self.own.coast_s, self.target.coast_s)

    @property
    def roll_more_s(self) -> float | None:
        """Seconds longer on neither pedal between the brakes and the apex."""
        return _minus(self.own.roll_s, self.target.roll_s)

    @property
    def pickup_late_m(self) -> float | None:
        """Metres by which the throttle opened later."""
        return _minus(self.own.pickup_m, self.target.pickup_m)

    @property
    def flat_late_m(self) -> float | None:
        """Metres by which the throttle was flat later."""
        return _minus(self.own.flat_m, self.target.flat_m)

    @property
    def gain_late_m(self) -> float | None:
        """Metres by which the car was on its way out later."""
        return _minus(self.own.gain_m, self.target.gain_m)

    @property
    def less_drive_pct(self) -> float | None:
        """How much less the throttle was open on the way out."""
        return _minus(self.target.drive_pct, self.own.drive_pct)

    @property
    def more_lifts(self) -> int:
        """How often the throttle closed again at the exit beyond the target's."""
        return self.own.lifts - self.target.lifts

    @property
    def lifted_pct(self) -> float | None:
        """How much further the throttle was closed on the way in."""
        return _minus(self.target.lift_pct, self.own.lift_pct)

    @property
    def turn_in_late_m(self) -> float | None:
        """Metres by which the car turned in later."""
        return _minus(self.own.turn_in_m, self.target.turn_in_m)

    @property
    def entry_tight_m(self) -> float | None:
        """Metres by which the car was further inside at the entry."""
        return _minus(self.own.entry_offset_m, self.target.entry_offset_m)

    @property
    def turning_tight_m(self) -> float | None:
        """Metres by which the car was further inside between entry and apex."""
        return _minus(self.own.turning_offset_m, self.target.turning_offset_m)

    @property
    def before_tight_m(self) -> float | None:
        """Metres by which the car was further inside before the apex, where that is most."""
        return _most(self.entry_tight_m, self.turning_tight_m)

    @property
    def used_up(self) -> bool:
        """Whether a slower corner was driven with the same grip all the same: then the car turned tighter,
        and it is the line that took the speed."""
        own, target = self.own, self.target
        if self.lifted_late or target.slowest_mps <= 0.0 or self.slow_mps < -FASTER_MPS:
            return False
        same_line = self._same_line_share
        whole = self.less_grip_share
        slowest = _share_left(own.slowest_g, target.slowest_g)
        known = [share for share in (whole, slowest) if share is not None]
        if same_line >= TIGHTER and known:
            at_limit = slowest is not None and slowest < AT_LIMIT * same_line
            return max(known) < (NEARLY if at_limit else SAME_LINE) * same_line
        return slowest is not None and same_line - slowest >= MORE_GRIP and _at_limit(own)

    @property
    def _same_line_share(self) -> float:
        """How much less lateral g this speed needs on the target's line: it goes with the speed's square."""
        return 1.0 - (self.own.slowest_mps / self.target.slowest_mps) ** 2

    @property
    def speed_is_left(self) -> bool:
        """Whether a slower corner was driven with so much less grip that its line can't have cost it."""
        less = self.less_grip_share
        if less is None or self.lifted_late or self.target.slowest_mps <= 0.0:
            return False
        return less >= ALL_OF_IT * self._same_line_share >= ALL_OF_IT * SLOWER

    @property
    def lost_on_the_way_out(self) -> bool:
        """Whether the way out lost it: most of the time goes there, and its end is slower by more than the
        slowest point is."""
        more_mps = self.exit_slow_mps - max(self.slow_mps, 0.0)
        return self.exit_s >= LOST_OUT * self.loss_s > 0.0 and more_mps >= SLOWER_OUT_MPS

    @property
    def less_grip_share(self) -> float | None:
        """How much less lateral grip the corner was driven with, as a share of the target's."""
        return _share_left(self.own.corner_g, self.target.corner_g)

    @property
    def apex_wide_m(self) -> float | None:
        """Metres by which the car was further outside at the apex."""
        return _minus(self.target.apex_offset_m, self.own.apex_offset_m)

    @property
    def exit_tight_m(self) -> float | None:
        """Metres by which the car was further inside at the exit."""
        return _minus(self.own.exit_offset_m, self.target.exit_offset_m)

    @property
    def leaving_tight_m(self) -> float | None:
        """Metres by which the car was further inside between apex and exit."""
        return _minus(self.own.leaving_offset_m, self.target.leaving_offset_m)

    @property
    def after_tight_m(self) -> float | None:
        """Metres by which the car was further inside after the apex, where that is most."""
        return _most(self.leaving_tight_m, self.exit_tight_m)

    @property
    def pays_on_the_way_out(self) -> bool:
        """Whether a line that is too tight costs its time after the apex."""
        return self.used_up and self.exit_s >= LOST_OUT * self.loss_s > 0.0

    @property
    def lifted_late(self) -> bool:
        """Whether the car was slowest where its driver had lifted again, well behind the usual place. In a
        bend that is held with half the throttle a foot seems to lift in every pass."""
        late_m = self.slowest_late_m
        return self.own.lifts > 0 and late_m >= (LATE_M if self.more_lifts > 0 else FAR_LATE_M)

    @property
    def gear_higher(self) -> int | None:
        """Gears higher at the slowest point."""
        own, target = self.own.gear, self.target.gear
        return None if own is None or target is None else own - target

    @property
    def more_corrections(self) -> int | None:
        """How often more the wheel was turned back and on again."""
        own, target = self.own.corrections, self.target.corrections
        return None if own is None or target is None else own - target

    @property
    def more_steering_share(self) -> float | None:
        """How much further the wheel was turned into the corner, as a share of the target's."""
        own, target = self.own.steering_deg, self.target.steering_deg
        return None if own is None or target is None or target <= 0.0 else own / target - 1.0

    @property
    def caught_more_s(self) -> float | None:
        """Seconds longer with the wheel turned out of the corner."""
        return _minus(self.own.caught_s, self.target.caught_s)


def _at_limit(technique: Technique) -> bool:
    slowest, whole = technique.slowest_g, technique.corner_g
    return slowest is not None and whole is not None and slowest >= ALMOST_ALL * whole


def _share_left(own_g: float | None, target_g: float | None) -> float | None:
    """How much less lateral grip was used than by the target, as a share."""
    return None if own_g is None or target_g is None or target_g <= 0.0 else 1.0 - own_g / target_g


def _most(*sides: float | None) -> float | None:
    known = [side for side in sides if side is not None]
    return max(known, key=abs) if known else None


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
