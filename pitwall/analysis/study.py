"""Cut a stored drive into segments: the passes that count, and the best of each segment.

All of analysis asks this for a loss, its phase and its action.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from pitwall.diagnosis.advice import Diagnosis, PassEvidence, best_of, evidence_of, explain
from pitwall.diagnosis.counts import counted, why_lap_is_left_out
from pitwall.diagnosis.passes import PassCutter, RoadPass, theoretical_best_s
from pitwall.diagnosis.road import Road, Segment, fastest_of_first, road_of
from pitwall.track.lap import Lap
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

# Over 107 % of the best is cooling down or traffic, by qualifying's rule.
ATTEMPT_SHARE = 1.07

Column = Sequence[float | None]


class Moments(msgspec.Struct, frozen=True):
    """A session's samples by column, of one length, in canonical units and time order; an array
    has no gaps. `distance_m`, `offset_m`: None where the place is unknown; `status`: the
    position's, or ""."""

    t: Sequence[float]
    distance_m: Column
    offset_m: Column
    status: Sequence[str]
    speed_mps: Column
    heading_deg: Column
    g_lat: Column
    g_long: Column
    yaw_rate_dps: Column
    steering_deg: Column
    brake_bar: Column
    brake_pct: Column
    throttle_pct: Column
    coolant_c: Column
    oil_temp_c: Column
    g_from_gps: Sequence[bool]

    def __len__(self) -> int:
        return len(self.t)

    def span(self, from_t: float, to_t: float) -> slice:
        """Return where the samples from one time to another lie, both included."""
        return slice(bisect_left(self.t, from_t), bisect_right(self.t, to_t))


class PassLoss(NamedTuple):
    """What a pass loses to the best one of its segment, in all and by `diagnosis.shape.PHASES`."""

    best_lap: int
    loss_s: float
    gains_s: tuple[float, float, float, float]


class Study(NamedTuple):
    """One drive's passes that count, by segment; all but the best as evidence."""

    session: str
    road: Road
    best_lap: int
    best_lap_s: float
    passes: Mapping[int, Sequence[RoadPass]]
    best: Mapping[int, RoadPass]
    evidence: Mapping[int, Sequence[PassEvidence]]
    every: Mapping[tuple[int, str], PassEvidence]

    @property
    def theory_s(self) -> float:
        """Return the theoretical best: the best lap less what its passes lose to the best ones."""
        every = [each for own in self.passes.values() for each in own]
        return theoretical_best_s(every, self.best_lap, self.best_lap_s)

    def segment_of(self, corner: str) -> Segment | None:
        """Return the segment of a corner that was driven, None where it has none of its own."""
        found = self.road.of_corner(corner)
        return found if found is not None and found.index in self.passes else None

    def diagnosis(self, segment: int) -> Diagnosis | None:
        """Return what explains most of the loss of all passes of a segment."""
        evidence = self.evidence[segment]
        if not evidence:
            return None
        return explain(self.road, evidence, self.road.segments[segment], self.best[segment])

    def loss_of(self, lap: int, corner: str) -> PassLoss | None:
        """Return what the pass of a corner in a lap loses; None where it was not seen."""
        segment = self.segment_of(corner)
        best = None if segment is None else self.best.get(segment.index)
        if best is None:
            return None
        if best.lap == lap:
            return PassLoss(lap, 0.0, (0.0, 0.0, 0.0, 0.0))
        found = self.every.get((lap, corner))
        return None if found is None else PassLoss(best.lap, found.loss_s, found.comparison.gains_s)


def left_out_laps(laps: Sequence[Lap]) -> list[Lap]:
    """Return the flying laps that show nothing of their driver."""
    flying = [(lap, lap.time_s) for lap in laps if lap.kind == "flying" and lap.time_s is not None]
    times_s = [time_s for _, time_s in flying]
    return [
        lap
        for at, (lap, time_s) in enumerate(flying)
        if time_s > ATTEMPT_SHARE * min(times_s) or why_lap_is_left_out(lap, times_s[:at], times_s[at + 1 :])
    ]


def make_study(
    session: str,
    track: Track | None,
    laps: Sequence[Lap],
    curves: Mapping[int, ReferenceLap],
    moments: Moments,
) -> Study | None:
    """Cut a drive; None without a known track or a whole flying lap."""
    flying = {lap.number: lap.time_s for lap in laps if lap.kind == "flying" and lap.time_s is not None}
    cut_by = fastest_of_first([curves[number] for number in flying if number in curves])
    if track is None or cut_by is None:
        return None
    best_lap = min(flying, key=flying.__getitem__)
    road = road_of(track, cut_by)
    out = {lap.number for lap in left_out_laps(laps)}
    passes: dict[int, list[RoadPass]] = {}
    cut = _cut(PassCutter(road, track.length_m), moments, laps)
    for each in counted(cut, [lap for lap in laps if lap.number not in out]):
        passes.setdefault(each.segment, []).append(each)
    bests = {at: found for at, own in passes.items() if (found := best_of(own)) is not None}
    losses = {
        id(each): evidence_of(road, each, bests[each.segment])
        for each in cut
        if each.lap in flying and each.segment in bests and each is not bests[each.segment]
    }
    return Study(
        session=session,
        road=road,
        best_lap=best_lap,
        best_lap_s=flying[best_lap],
        passes=passes,
        best=bests,
        evidence={at: [losses[id(each)] for each in own if id(each) in losses] for at, own in passes.items()},
        every={
            (each.lap, each.corner): losses[id(each)] for each in cut if each.corner and id(each) in losses
        },
    )


def _cut(cutter: PassCutter, moments: Moments, laps: Sequence[Lap]) -> list[RoadPass]:
    found: list[RoadPass] = []
    ends = [(lap.end_t, lap.number) for lap in laps] or [(math.inf, -1)]
    at, feed = 0, cutter.feed
    columns = (
        moments.t, moments.status, moments.distance_m, moments.speed_mps, moments.throttle_pct,
        moments.brake_bar, moments.brake_pct,
    )  # fmt: skip
    for t, status, place_m, speed_mps, throttle_pct, bar, pct in zip(*columns, strict=True):
        while at + 1 < len(ends) and t > ends[at][0]:
            at += 1
        if status != "on" or place_m is None or speed_mps is None:
            cutter.interrupt()
            continue
        found += feed(t, place_m, speed_mps, ends[at][1], throttle_pct, pct if bar is None else bar)
    return found
