"""Losses of a pass by the part of the corner; losses that repeat; laps that are no evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from pitwall.coach.cue import Phase
from pitwall.track.geometry import way_m
from pitwall.track.lap import CornerPass
from pitwall.track.passes import Zone

# Noise floors (the map, figures): smaller losses and shifts of the brake point are not a finding.
NOISE_S = 0.15
BRAKE_NOISE_M = 10.0
# What one of two linked corners won of the other; the metres that part such corners.
TRADED_S, LINKED_M = 0.05, 20.0
# Nobody loses 3 s in one corner by technique: that is traffic, an off, a cool-down lap.
NOT_TECHNIQUE_S = 3.0
# A lap this much slower than the best one before it is no evidence, unless another of the laps since was like
# it: traffic, a yellow flag, cooling down, a spin.
OFF_PACE, ALIKE = 1.045, 0.005
# A fault counts when it shows in 2 of 2 or in 3 of the last 4 laps.
MEMORY = 4


class PassLoss(msgspec.Struct, frozen=True):
    """Seconds lost in one pass, in the brake zone, the middle and the exit, against the reference lap.

    `brake_late_m`: braking began so much later than in the reference (negative: earlier; None: not known).
    `slow_late_m`: the same for the slowest point.
    """

    lap: int
    brake_s: float
    mid_s: float
    exit_s: float
    brake_late_m: float | None = None
    slow_late_m: float | None = None

    @property
    def loss_s(self) -> float:
        """The whole corner's loss."""
        return self.brake_s + self.mid_s + self.exit_s

    @property
    def is_attempt(self) -> bool:
        """Return whether this was an attempt at the corner."""
        return abs(self.loss_s) <= NOT_TECHNIQUE_S


class CornerLoss(msgspec.Struct, frozen=True):
    """A corner where time goes lap after lap: how much on average, in which phase, in which laps."""

    corner: str
    phase: Phase
    loss_s: float
    laps: tuple[int, ...]
    detail: str


def is_off_pace(time_s: float, before_s: Sequence[float]) -> bool:
    """Return whether a flying lap is so slow that it tells nothing of its driver. `before_s`: the flying
    laps before it, in their order; those on the way to the best one are no sign that he drives like that
    today."""
    if not before_s or time_s <= OFF_PACE * (best_s := min(before_s)):
        return False
    return not is_driven_again(time_s, before_s[before_s.index(best_s) + 1 :])


def is_driven_again(time_s: float, others_s: Iterable[float]) -> bool:
    """Return whether one of these laps was as fast."""
    return any(abs(other_s - time_s) < ALIKE * time_s for other_s in others_s)


def parts_of(
    corner_pass: CornerPass, reference_brake_m: float | None, reference_slow_m: float | None, length_m: float
) -> PassLoss | None:
    """Return what a pass lost and where; None where nothing is known."""
    known = (corner_pass.brake_loss_s, corner_pass.mid_loss_s, corner_pass.exit_loss_s)
    if all(part is None for part in known):
        if corner_pass.loss_s is None:
            return None
        known = (None, corner_pass.loss_s, None)
    return PassLoss(
        corner_pass.lap,
        known[0] or 0.0,
        known[1] or 0.0,
        known[2] or 0.0,
        _ahead(corner_pass.brake_m, reference_brake_m, length_m),
        _ahead(corner_pass.min_speed_m, reference_slow_m, length_m),
    )


def rebase(parts: PassLoss, lost: Sequence[float]) -> PassLoss:
    """The same pass against another reference lap, to which the old one `lost` so much in each part."""
    brake_s, mid_s, exit_s = lost
    return msgspec.structs.replace(
        parts, brake_s=parts.brake_s + brake_s, mid_s=parts.mid_s + mid_s, exit_s=parts.exit_s + exit_s
    )


def net_of(parts: PassLoss, before: PassLoss | None) -> PassLoss:
    """A pass without what the corner before it, from which no straight parts it, won in the same lap: a
    receiver, or a driver, moved that time from the one to the other. None: that is not known."""
    left_s = 0.0 if before is None or parts.loss_s <= 0.0 else min(-before.loss_s, parts.loss_s)
    if left_s < TRADED_S:
        return parts
    share = 1.0 - left_s / parts.loss_s
    return msgspec.structs.replace(
        parts, brake_s=share * parts.brake_s, mid_s=share * parts.mid_s, exit_s=share * parts.exit_s
    )


def linked(zones: Sequence[Zone], length_m: float) -> dict[str, str]:
    """The corners that begin where the run out of another one ends, each with that other one."""
    pairs = ((zone, zones[i - 1]) for i, zone in enumerate(zones) if len(zones) > 1)
    return {
        zone.corner.id: before.corner.id
        for zone, before in pairs
        if abs(way_m(before.edges_m[3] % length_m, zone.edges_m[0] % length_m, length_m)) <= LINKED_M
    }


def find_fault(corner: str, passes: Sequence[PassLoss]) -> CornerLoss | None:
    """The fault that a driver's last passes (oldest first) show in one corner, if they show one."""
    recent = passes[-MEMORY:]
    losing = [parts for parts in recent if parts.loss_s >= NOISE_S]
    twice = len(recent) >= 2 and all(parts.loss_s >= NOISE_S for parts in recent[-2:])
    if not twice and len(losing) < 3:
        return None
    phase, detail = _phase(losing)
    loss_s = sum(parts.loss_s for parts in losing) / len(losing)
    return CornerLoss(corner, phase, loss_s, tuple(parts.lap for parts in losing), detail)


def is_cured(passes: Sequence[PassLoss]) -> bool:
    """Return whether the last two passes lost nothing that counts."""
    return len(passes) >= 2 and all(parts.loss_s < NOISE_S for parts in passes[-2:])


def _phase(losing: Sequence[PassLoss]) -> tuple[Phase, str]:
    """Where in the corner the loss arises: the part that costs most, or a brake point that explains it."""
    count = len(losing)
    brake_s = sum(parts.brake_s for parts in losing) / count
    mid_s = sum(parts.mid_s for parts in losing) / count
    exit_s = sum(parts.exit_s for parts in losing) / count
    shifts = [parts.brake_late_m for parts in losing if parts.brake_late_m is not None]
    shift_m = sum(shifts) / len(shifts) if shifts else 0.0
    if exit_s >= max(brake_s, mid_s):
        return "exit", f"{exit_s:.2f} s of it from the apex on"
    if brake_s >= mid_s:
        where = f", braking {abs(shift_m):.0f} m {'late' if shift_m > 0.0 else 'early'}" if shifts else ""
        return "brake", f"{brake_s:.2f} s of it in the brake zone{where}"
    if shift_m > BRAKE_NOISE_M:
        # Braking too late wins the brake zone and loses the corner.
        return "brake", f"{mid_s:.2f} s of it in the corner, braking {shift_m:.0f} m late"
    slow = [parts.slow_late_m for parts in losing if parts.slow_late_m is not None]
    slow_m = sum(slow) / len(slow) if slow else 0.0
    if slow_m < -BRAKE_NOISE_M:
        return "turn_in", f"{mid_s:.2f} s of it in the corner, slowest {-slow_m:.0f} m early"
    return "apex", f"{mid_s:.2f} s of it in the corner"


def _ahead(place_m: float | None, reference_m: float | None, length_m: float) -> float | None:
    if place_m is None or reference_m is None:
        return None
    return way_m(reference_m, place_m, length_m)
