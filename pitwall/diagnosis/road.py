"""Cut a lap into segments, each from one fast place to the next, with one slow place."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitwall.track.geometry import interpolated, way_m
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap

# A place every 2 m.
STEP_M = 2.0
# A slow place lies so much below the fast ones around it: 9 km/h, on a kart track a tenth of what
# speed varies.
PROMINENCE_MPS, PROMINENCE_SHARE = 2.5, 0.1
# A segment begins before anybody brakes: so far before the fastest place, or this share of the run
# to it.
BEFORE_TOP_M, BEFORE_TOP_SHARE = 40.0, 0.4
# The speed is smoothed over this number of places on each side; on a short lap over fewer.
SMOOTHED, SMOOTHED_SHORT, SHORT_M = 5, 2, 1500.0
# Behind its slow place a corner takes no longer; where it does, as on a kart track, a dip of this
# share cuts off another corner.
LONGEST_OUT_S, SMALLER_DIP = 10.0, 0.3
# The road is cut by the fastest of the first flying laps, this number.
CUT_BY_LAPS = 3
# At this mean speed the noise floors hold as they stand; a slower lap has smaller ones, down to
# this share.
USUAL_PACE_MPS, LEAST_PACE_SHARE = 32.0, 0.35


class Segment(msgspec.Struct, frozen=True):
    """A piece of the lap: places in metres from the gate, rising; the last one may end in the next
    lap. `corner` is the id of the corner whose slow place it holds, "" where no corner of the track
    lies there."""

    index: int
    corner: str
    begin_m: float
    slow_m: float
    end_m: float

    @property
    def places(self) -> int:
        """How many places of 2 m it has."""
        return max(int((self.end_m - self.begin_m) / STEP_M), 2)


class Road(msgspec.Struct, frozen=True):
    """The segments of a lap in driving order; they tile it. `pace_mps`: mean speed of the lap that
    cut it."""

    segments: tuple[Segment, ...]
    length_m: float
    pace_mps: float

    def of_corner(self, corner: str) -> Segment | None:
        """The segment of a corner, None where it has none of its own."""
        return next((each for each in self.segments if each.corner == corner), None)


def pace_share(road: Road) -> float:
    """Return what a metre or a km/h is worth on this road against that of a car on a circuit: a
    share for floors."""
    return min(max(road.pace_mps / USUAL_PACE_MPS, LEAST_PACE_SHARE), 1.0)


def fastest_of_first(laps: Sequence[ReferenceLap]) -> ReferenceLap | None:
    """Return the lap of this drive that its road is cut by; `laps` are its flying laps in their
    order."""
    return min(laps[:CUT_BY_LAPS], key=lambda lap: lap.lap_time_s, default=None)


def road_of(track: Track, lap: ReferenceLap) -> Road:
    """Cut the road by the speed of a lap."""
    has_finish, lap_m, length_m = track.has_finish, track.lap_m, track.length_m
    count = max(int(lap_m / STEP_M), 8)
    speed = [interpolated(lap.distance_m, lap.speed_mps, i * STEP_M) for i in range(count)]
    reach = SMOOTHED if lap_m > SHORT_M else SMOOTHED_SHORT
    speed = _smoothed(speed, reach, wraps=not has_finish)
    first = 0 if has_finish else max(range(count), key=speed.__getitem__)
    turned = speed[first:] + speed[:first]
    least = min(PROMINENCE_MPS, PROMINENCE_SHARE * (max(speed) - min(speed)))
    tops, slows = _extremes(turned, least)
    apexes = [(int(corner.apex_m / STEP_M) - first) % count for corner in track.corners]
    for slow, end in list(zip(slows, [*tops[1:], count], strict=False)):
        for dip in _dips(turned[slow:end], SMALLER_DIP * least, [apex - slow for apex in apexes]):
            tops.append(slow + dip[0])
            slows.append(slow + dip[1])
    tops, slows = sorted(tops), sorted(slows)
    begins = []
    for i, top in enumerate(tops):
        before = slows[i - 1] if i else top if has_finish else slows[-1] - count
        begins.append(top - min(BEFORE_TOP_M / STEP_M, BEFORE_TOP_SHARE * (top - before)))
    begins.append(count if has_finish else begins[0] + count if begins else 0)
    segments = []
    for i, slow in enumerate(slows):
        begin_m, slow_m, end_m = ((first + each) * STEP_M for each in (begins[i], slow, begins[i + 1]))
        on_m = 0.0 if has_finish else length_m * (begin_m // length_m)
        begin_m, slow_m, end_m = begin_m - on_m, slow_m - on_m, end_m - on_m
        segments.append(Segment(i, _corner_at(track, begin_m, slow_m, end_m), begin_m, slow_m, end_m))
    pace_mps = lap_m / lap.lap_time_s if lap.lap_time_s > 0.0 else USUAL_PACE_MPS
    return Road(tuple(segments), length_m, pace_mps)


def _smoothed(speed: list[float], reach: int, *, wraps: bool) -> list[float]:
    around = speed[-reach:] + speed + speed[:reach]
    if not wraps:
        around = [speed[0]] * reach + speed + [speed[-1]] * reach
    width = 2 * reach + 1
    total = sum(around[:width])
    found = [total / width]
    for i in range(width, len(around)):
        total += around[i] - around[i - width]
        found.append(total / width)
    return found


def _dips(speed: Sequence[float], least: float, apexes: Sequence[int]) -> list[tuple[int, int]]:
    """Fast and slow places on a way out that is too long for one corner, where an apex is between
    them or behind."""
    if sum(STEP_M / max(mps, 1.0) for mps in speed) <= LONGEST_OUT_S:
        return []
    tops, slows = _extremes(speed, least)
    found = [*zip(tops, slows, strict=True)][1:]
    ends = [*tops[2:], len(speed)]
    return [
        pair for pair, end in zip(found, ends, strict=False) if any(pair[0] <= apex < end for apex in apexes)
    ]


def _extremes(speed: Sequence[float], least: float) -> tuple[list[int], list[int]]:
    """Fast and slow places in turn, each slow one behind its fast one and `least` below it; the
    first place is a fast one."""
    tops, slows = [0], list[int]()
    rising, high, low = False, 0, 0
    for i, mps in enumerate(speed):
        if rising:
            high = i if mps > speed[high] else high
            if mps < speed[high] - least:
                tops.append(high)
                rising, low = False, i
        else:
            low = i if mps < speed[low] else low
            if mps > speed[low] + least:
                slows.append(low)
                rising, high = True, i
    if not rising and low and speed[tops[-1]] - speed[low] > least and len(slows) < len(tops):
        slows.append(low)
    return tops[: len(slows)], slows


def _corner_at(track: Track, begin_m: float, slow_m: float, end_m: float) -> str:
    """The corner that a slow place belongs to: of those whose apex lies in the segment, the nearest
    one. Where none does a wrong name is worse than none."""
    length_m = track.length_m

    def apart_m(corner: Corner) -> tuple[float, float]:
        from_m = way_m(corner.entry_m, slow_m % length_m, length_m)
        past_m = from_m - (corner.exit_m - corner.entry_m) % length_m
        return max(-from_m, past_m, 0.0), abs(way_m(corner.apex_m, slow_m % length_m, length_m))

    inside = [each for each in track.corners if (each.apex_m - begin_m) % length_m < end_m - begin_m]
    return min(inside, key=apart_m).id if inside else ""
