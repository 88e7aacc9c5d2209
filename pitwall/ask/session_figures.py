"""Compute figures of one stored session: of laps, sectors, corners and places."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import pairwise

import msgspec

from pitwall.analysis.port import Facts
from pitwall.store.queries import SessionRow
from pitwall.telemetry.frame import Frame
from pitwall.track.braking import JOINED_S, PRESSED_BAR, PRESSED_PCT, SUSTAINED_S, Rest
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.model import Corner, Track

# A shorter way between two corners is no straight.
LEAST_STRAIGHT_M = 50.0
# A longer step between two readings is a hole, in which nothing is known.
HOLE_S = 0.6
# A g or a pedal that lasts this long is no kerb and no spike.
HELD_S = 0.3
# Of which a slow recorder shows this much, s.
STEADY_S = 0.19
# Shares of the throttle's travel: full throttle, closed throttle, a foot on the pedal.
FULL_SHARE, CLOSED_SHARE, PRESSED_SHARE = 0.95, 0.05, 0.15
# Off both pedals below walking pace is standing, not coasting.
MOVING_MPS = 5.0
# Braking above this lateral g is trail braking.
TURNING_G = 0.3
# A signal with values in fewer samples counts as not recorded.
LEAST_SHARE = 0.05
# A signal must be known for this share of a lap or a part of it, for a sum for more. A longer gap
# is a hole, s.
KNOWN_SHARE, SUMMED_SHARE, APART_S = 0.5, 0.9, 1.0
# A gear counts as engaged after this time.
GEAR_HELD_S = 0.3


# Whether something holds at an instant; None where that is not known.
Condition = Callable[[Frame], bool | None]


class LapSpot(msgspec.Struct, frozen=True, gc=False):
    """A sample: time, track distance (None where the place is not known), the frame."""

    t: float
    at_m: float | None
    frame: Frame


class LapStretch(msgspec.Struct, frozen=True):
    """A piece of time, and the lap it is in."""

    lap: int
    from_t: float
    to_t: float


class SessionFigures:
    """A session. The first figure that needs the samples reads them. StoreError."""

    def __init__(
        self,
        facts: Facts,
        row: SessionRow,
        track: Track | None,
        losses: Callable[[], dict[tuple[str, int], float]] = dict,
    ) -> None:
        self.facts, self.row, self.track, self.losses = facts, row, track, losses
        self.laps: dict[int, Lap] = {lap.number: lap for lap in facts.laps(row.id)}
        self.flying = [lap for lap in self.laps.values() if lap.kind == "flying" and lap.time_s is not None]
        self._spots: list[LapSpot] = []
        self._passes: dict[tuple[str, int], CornerPass] | None = None
        self._present: dict[str, bool] = {}

    @property
    def best(self) -> Lap | None:
        return min(self.flying, key=lambda lap: lap.time_s or 0.0, default=None)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Return the corners in driving order."""
        return () if self.track is None else tuple(sorted(self.track.corners, key=lambda each: each.apex_m))

    def straight_m(self, corner: str) -> float:
        """Return metres from the exit of the corner before to the entry of this one."""
        return next(far_m for far_m, after in self._ways() if after.id == corner)

    def straight_corners(self) -> list[Corner]:
        """Return the corners before which there is a straight, in driving order."""
        return [after for far_m, after in self._ways() if far_m >= LEAST_STRAIGHT_M]

    def _ways(self) -> list[tuple[float, Corner]]:
        """Return (metres, the corner after it) of each way between two corners."""
        corners, length_m = self.corners, self.track.length_m if self.track else 0.0
        ways = [
            ((after.entry_m - before.exit_m) % length_m, after)
            for before, after in zip((*corners[-1:], *corners), corners, strict=False)
        ]
        if ways and self.track and self.track.has_finish:
            ways[0] = (corners[0].entry_m, corners[0])
        return ways

    def spots(self) -> list[LapSpot]:
        """Return all samples with a fix of their own, in order of time."""
        if not self._spots:
            self._spots = [
                LapSpot(
                    frame.t,
                    None if place is None or place.status in ("lost", "reckoned") else place.distance_m,
                    frame,
                )
                for frame, place in self.facts.frames(self.row.id)
                if not frame.reckoned
            ]
        return self._spots

    def between(self, from_t: float, to_t: float) -> Sequence[LapSpot]:
        """Return the samples between two times, both included."""
        spots = self.spots()
        first = bisect_left(spots, from_t, key=lambda spot: spot.t)
        return spots[first : bisect_right(spots, to_t, key=lambda spot: spot.t)]

    def recorded(self, signal: str) -> bool:
        """Return whether a signal has values in a twentieth of the samples."""
        if signal not in self._present:
            held = sum(getattr(spot.frame, signal) is not None for spot in self.spots())
            self._present[signal] = held >= max(1.0, LEAST_SHARE * len(self.spots()))
        return self._present[signal]

    def passed(self, corner: str, lap: int) -> CornerPass | None:
        """Return a drive through a corner."""
        if self._passes is None:
            self._passes = {(each.corner, each.lap): each for each in self.facts.corner_passes(self.row.id)}
        return self._passes.get((corner, lap))

    def corner_row(self, corner: str) -> Corner | None:
        """Return the corner of this id."""
        return next((each for each in self.corners if each.id == corner), None)

    def slowest_t(self, passed: CornerPass) -> float:
        """Return when a drive through a corner was slowest."""
        spots = [
            spot for spot in self.between(passed.entry_t, passed.exit_t) if spot.frame.speed_mps is not None
        ]
        return min(spots, key=lambda spot: spot.frame.speed_mps or 0.0).t if spots else passed.entry_t

    def gear_at(self, t: float) -> float | None:
        """Return the gear that was engaged at a time."""
        if not self.recorded("gear"):
            return None
        before = [gear for when, gear in self.gears(LapStretch(0, t - 10.0, t + 1.0)) if when <= t]
        return float(before[-1]) if before else None

    def whole(self, lap: Lap) -> LapStretch:
        """Return the whole lap as a stretch."""
        return LapStretch(lap.number, lap.start_t, lap.end_t)

    def sector(self, lap: Lap, number: int) -> LapStretch | None:
        """Return a sector from 1 on, None where it was not timed."""
        times = lap.sectors_s[:number]
        if not 0 < number <= len(lap.sectors_s) or any(time_s is None for time_s in times):
            return None
        end_t = lap.start_t + sum(time_s or 0.0 for time_s in times)
        return LapStretch(lap.number, end_t - (times[-1] or 0.0), end_t)

    def corner(self, lap: Lap, corner: str) -> LapStretch | None:
        """Return the piece from a corner's entry to its exit."""
        found = self.passed(corner, lap.number)
        return None if found is None else LapStretch(lap.number, found.entry_t, found.exit_t)

    def approach(self, lap: Lap, corner: str) -> LapStretch | None:
        """Return the piece from the exit of the corner before to the exit of this one."""
        found = self.passed(corner, lap.number)
        if found is None:
            return None
        ends = [each.exit_t for each in self._before(lap, found)]
        return LapStretch(lap.number, max(ends, default=lap.start_t), found.exit_t)

    def straight(self, lap: Lap, corner: str, side: str) -> LapStretch | None:
        """Return the piece before, from the last exit, or after, to the next entry."""
        found, approach = self.passed(corner, lap.number), self.approach(lap, corner)
        if found is None or approach is None:
            return None
        if side == "before":
            return LapStretch(lap.number, approach.from_t, found.entry_t)
        entries = [each.entry_t for each in (self._passes or {}).values() if each.entry_t >= found.exit_t]
        return LapStretch(lap.number, found.exit_t, min(entries, default=lap.end_t))

    def values(self, stretch: LapStretch, signal: str) -> list[tuple[float, float]]:
        """Return (time, value) where the signal has one; [] where most of the stretch lacks it."""
        found = self._samples(stretch, signal)
        return found if _known_s(found, stretch) >= KNOWN_SHARE * (stretch.to_t - stretch.from_t) else []

    def known_share(self, stretch: LapStretch, signal: str) -> float:
        """Return for which share of the time the signal is known."""
        return _known_s(self._samples(stretch, signal), stretch) / (stretch.to_t - stretch.from_t)

    def _samples(self, stretch: LapStretch, signal: str) -> list[tuple[float, float]]:
        return [
            (spot.t, value)
            for spot in self.between(stretch.from_t, stretch.to_t)
            if (value := getattr(spot.frame, signal)) is not None
        ]

    def mean(self, stretch: LapStretch, signal: str) -> float | None:
        """Return the mean over time; holes don't count."""
        total = span_s = 0.0
        for (t, value), (after_t, after) in pairwise(self.values(stretch, signal)):
            if after_t - t <= HOLE_S:
                total += (value + after) / 2.0 * (after_t - t)
                span_s += after_t - t
        return total / span_s if span_s else None

    def held(self, stretch: LapStretch, signal: str, sign: float = 0.0) -> float | None:
        """Return the highest value that lasted for HELD_S; `sign` 0: of its size."""
        values = [(t, abs(v) if sign == 0.0 else sign * v) for t, v in self.values(stretch, signal)]
        best: float | None = None
        first = 0
        for last, (t, _) in enumerate(values):
            while t - values[first][0] > HELD_S + 1e-6:
                first += 1
            window = values[first : last + 1]
            if t - window[0][0] >= STEADY_S:
                lowest = min(value for _, value in window)
                best = lowest if best is None else max(best, lowest)
        return best

    def time_where(self, stretch: LapStretch, holds: Condition) -> float | None:
        """Return seconds in which a condition held; None where it was not known all along."""
        spots = self.between(stretch.from_t, stretch.to_t)[:-1]
        known = sum(holds(spot.frame) is not None for spot in spots)
        total_s = sum(end - begin for begin, end in self.runs(stretch, holds))
        return total_s if known and known >= SUMMED_SHARE * len(spots) else None

    def runs(self, stretch: LapStretch, holds: Condition) -> list[tuple[float, float]]:
        """Return the pieces of time in which it held without a break."""
        found: list[tuple[float, float]] = []
        for spot, after in pairwise(self.between(stretch.from_t, stretch.to_t)):
            if holds(spot.frame) and after.t - spot.t <= HOLE_S:
                begin = found.pop()[0] if found and found[-1][1] == spot.t else spot.t
                found.append((begin, after.t))
        return found

    @cached_property
    def full_pct(self) -> float:
        """Return the session's highest throttle."""
        return max(
            (s.frame.throttle_pct for s in self.spots() if s.frame.throttle_pct is not None), default=0.0
        )

    def presses(self, stretch: LapStretch, holds: Condition) -> list[tuple[float, float]]:
        """Return the runs of at least SUSTAINED_S, joining two less than JOINED_S apart."""
        joined: list[tuple[float, float]] = []
        for begin, end in self.runs(stretch, holds):
            if joined and begin - joined[-1][1] < JOINED_S:
                joined[-1] = (joined[-1][0], end)
            else:
                joined.append((begin, end))
        return [(begin, end) for begin, end in joined if end - begin >= SUSTAINED_S]

    @cached_property
    def full_throttle(self) -> Condition | None:
        """Return whether the throttle is open to FULL_SHARE of its highest; None: no signal."""
        if not self.recorded("throttle_pct"):
            return None
        full = FULL_SHARE * self.full_pct
        return lambda frame: None if frame.throttle_pct is None else frame.throttle_pct >= full

    @cached_property
    def braking(self) -> Condition | None:
        """Return whether the brakes are on: pressure before pedal; None: no signal."""
        for signal, pressed in (("brake_bar", PRESSED_BAR), ("brake_pct", PRESSED_PCT)):
            rest = Rest()
            for spot in self.spots() if self.recorded(signal) else ():
                if (value := getattr(spot.frame, signal)) is not None:
                    rest.add(value)
            limit = rest.level() + pressed
            if rest.highest > limit:
                return partial(_over, signal, limit)
        return None

    @cached_property
    def coasting(self) -> Condition | None:
        """Return whether both feet are off the pedals, None without both signals."""
        return self._pedals(
            CLOSED_SHARE,
            lambda frame, open_, braked: not open_ and not braked and (frame.speed_mps or 0.0) >= MOVING_MPS,
        )

    @cached_property
    def overlapping(self) -> Condition | None:
        """Return whether both pedals are pressed, None without both signals."""
        return self._pedals(PRESSED_SHARE, lambda _, open_, braked: open_ and braked)

    @cached_property
    def trailing(self) -> Condition | None:
        """Return whether the brakes are on while the car turns, None without both signals."""
        brakes = self.braking
        if brakes is None or not self.recorded("g_lat"):
            return None
        return lambda frame: None if frame.g_lat is None else brakes(frame) and abs(frame.g_lat) >= TURNING_G

    def _pedals(self, share: float, holds: Callable[[Frame, bool, bool], bool]) -> Condition | None:
        """Return a condition on the frame: the throttle open so far, and the brakes on."""
        brakes = self.braking
        if brakes is None or not self.recorded("throttle_pct"):
            return None
        values = sorted(s.frame.throttle_pct for s in self.spots() if s.frame.throttle_pct is not None)
        rest, full = values[len(values) // 20], values[-1]
        limit = rest + share * (full - rest)

        def found(frame: Frame) -> bool | None:
            braked = brakes(frame)
            if frame.throttle_pct is None or braked is None:
                return None
            return holds(frame, frame.throttle_pct > limit, braked)

        return found

    def gears(self, stretch: LapStretch) -> list[tuple[float, int]]:
        """Return (time, gear) at each change; passes over short readings."""
        found: list[tuple[float, int]] = []
        values = [(t, round(v)) for t, v in self.values(stretch, "gear") if 0 < v < 10]
        end = 0
        for at, (t, gear) in enumerate(values):
            while end < len(values) and values[end][0] - t <= GEAR_HELD_S:
                end += 1
            if found and found[-1][1] == gear:
                continue
            ahead = [later for _, later in values[at:end]]
            before, last = found[-1][1] if found else gear, ahead[-1]
            # Down through the gears each is short: a gear was engaged if the next goes in the same
            # direction.
            if len({*ahead}) == 1 or min(before, last) < gear < max(before, last):
                found.append((t, gear))
        return found

    def time_at(self, lap: Lap, at_m: float) -> float | None:
        """Return when a lap passed a place, None where it was not seen there."""
        if at_m <= 0.0:
            return lap.start_t
        before: LapSpot | None = None
        for spot in self.between(lap.start_t, lap.end_t):
            if spot.at_m is None:
                before = None
                continue
            if before is not None and before.at_m is not None and before.at_m <= at_m < spot.at_m:
                share = (at_m - before.at_m) / (spot.at_m - before.at_m)
                return before.t + share * (spot.t - before.t)
            before = spot
        return None

    def value_at(self, t: float, signal: str) -> float | None:
        """Return a signal at a time, between the two readings around it."""
        around = self.values(LapStretch(0, t - 1.0, t + 1.0), signal)
        for (first, value), (second, after) in pairwise(around):
            if first <= t <= second:
                return value + (after - value) * (t - first) / (second - first) if second > first else value
        return None

    def lift_m(self, lap: Lap, corner: str) -> float | None:
        """Return where the throttle closed before the brakes or the slowest point, m."""
        found = self.passed(corner, lap.number)
        if found is None or not self.recorded("throttle_pct"):
            return None
        # From the slowest point of the corner before: brakes may come before its exit.
        before = self._before(lap, found)
        begin_t = self.slowest_t(max(before, key=lambda each: each.exit_t)) if before else lap.start_t
        braked_t = None if found.brake_m is None else self.time_at(lap, found.brake_m)
        known = self._throttle_spots(begin_t, self.slowest_t(found) if braked_t is None else braked_t)
        let_go = [at for at, ((_, one), (_, other)) in enumerate(pairwise(known), 1) if one and not other]
        if braked_t is not None and known and known[-1][1]:
            let_go.append(len(known) - 1)  # both pedals at once
        return known[let_go[-1]][0].at_m if let_go else None

    def throttle_m(self, lap: Lap, corner: str) -> float | None:
        """Return where the throttle passed half its travel after the slowest point, m."""
        found = self.passed(corner, lap.number)
        if found is None or not self.recorded("throttle_pct"):
            return None
        after = self._throttle_spots(self.slowest_t(found), found.exit_t + 3.0)
        return next((spot.at_m for (spot, one), (_, other) in pairwise(after) if one and other), None)

    def _before(self, lap: Lap, found: CornerPass) -> list[CornerPass]:
        """Return the passes of this lap and the one before that end before this pass begins."""
        near = (lap.number, lap.number - 1)
        return [e for (_, n), e in (self._passes or {}).items() if n in near and e.exit_t <= found.entry_t]

    def _throttle_spots(self, from_t: float, to_t: float) -> list[tuple[LapSpot, bool]]:
        """Return the samples with a throttle, each with whether it is open to half its travel."""
        half = self.full_pct / 2.0
        values = ((spot, spot.frame.throttle_pct) for spot in self.between(from_t, to_t))
        return [(spot, value >= half) for spot, value in values if value is not None]


def _over(signal: str, limit: float, frame: Frame) -> bool | None:
    value = getattr(frame, signal)
    return None if value is None else value > limit


def _known_s(samples: Sequence[tuple[float, float]], stretch: LapStretch) -> float:
    times = [stretch.from_t, *(t for t, _ in samples), stretch.to_t]
    return sum(gap for one, other in pairwise(times) if (gap := other - one) <= APART_S) if samples else 0.0
