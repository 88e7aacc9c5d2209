"""Compose a lap of the best pieces from a lake's frames."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pitwall.analysis.places import pieces_of
from pitwall.drive.reference import ComposedLapFile, thinned
from pitwall.fleet.analyse import drive_of
from pitwall.fleet.answers import Row, best_laps
from pitwall.fleet.lake import LakeError, Storage, list_sessions, read_object
from pitwall.fleet.push import TrackShelf
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap

# Compose from this many of the fastest laps, each of another session.
BEST_LAPS = 12
# Two pieces join where their speeds differ by no more: one car could have driven both.
JOIN_MPS = 1.5


def compose(
    storage: Storage, tracks: TrackShelf, track: Track, car_class: str = "", conditions: str = ""
) -> tuple[ComposedLapFile, Row]:
    """Compose the lap of a class's best pieces that join; and the answer. LakeError."""
    best = best_laps(storage, track.id, BEST_LAPS, car_class, conditions)
    curves: list[ReferenceLap] = []
    items = {item.content: item for item in list_sessions(storage)}
    for row in best:
        if row["object"] in items:
            drive = drive_of(*read_object(storage, items[row["object"]]), tracks)
            if row["lap"] in drive.curves:
                curves.append(drive.curves[row["lap"]])
    if not curves:
        raise LakeError(f"there is no whole flying lap of this class on {track.name} to compose of")
    pieces = pieces_of(track)
    chosen = _fastest_way(curves, pieces)
    lap_file = ComposedLapFile(
        track=track.id, lap=thinned(_joined(track, curves, pieces, chosen, f"fleet:{car_class or 'all'}"))
    )
    return lap_file, {
        "track": track.id, "time_s": lap_file.lap.lap_time_s, "best_s": best[0]["time_s"],
        "pieces": {corner.id: curves[i].label for (corner, _, _), i in zip(pieces, chosen, strict=True)},
    }  # fmt: skip


def _fastest_way(curves: Sequence[ReferenceLap], pieces: Sequence[tuple[Corner, float, float]]) -> list[int]:
    """Choose each piece's lap: the least time, where speeds join all around the lap."""
    times = [[curve.time_between(begin, end) for curve in curves] for _, begin, end in pieces]
    joints = [[curve.speed_at(begin) for curve in curves] for _, begin, _ in pieces]
    laps = range(len(curves))
    best: tuple[float, list[int]] = (math.inf, [0] * len(pieces))
    for first in laps:
        costs = [times[0][i] if i == first else math.inf for i in laps]
        ways: list[list[int]] = [[i] for i in laps]
        for k in range(1, len(pieces)):
            step: list[tuple[float, int]] = []
            for i in laps:
                joined = [j for j in laps if j == i or abs(joints[k][i] - joints[k][j]) <= JOIN_MPS]
                before = min(joined, key=lambda j: costs[j])
                step.append((costs[before] + times[k][i], before))
            ways = [[*ways[before], i] for i, (_, before) in enumerate(step)]
            costs = [cost for cost, _ in step]
        # Around the gate it joins its own beginning.
        ends = [i for i in laps if i == first or abs(joints[0][i] - joints[0][first]) <= JOIN_MPS]
        last = min(ends, key=lambda i: costs[i])
        best = min(best, (costs[last], ways[last]))
    return best[1]


def _joined(
    track: Track,
    curves: Sequence[ReferenceLap],
    pieces: Sequence[tuple[Corner, float, float]],
    chosen: Sequence[int],
    label: str,
) -> ReferenceLap:
    step_m = 2.0
    count = max(int(track.length_m / step_m), 1)
    places = [track.length_m * i / count for i in range(count + 1)]
    spans = [(begin, (end - begin) % track.length_m or track.length_m) for _, begin, end in pieces]
    of = [
        next((k for k, (begin, span) in enumerate(spans) if (m - begin) % track.length_m < span), 0)
        for m in places
    ]
    t_s, speed_mps, offset_m = [0.0], [], []
    for a, b, k in zip(places, places[1:], of, strict=False):
        curve = curves[chosen[k]]
        t_s.append(t_s[-1] + curve.time_at(b) - curve.time_at(a))
    for m, k in zip(places, of, strict=True):
        speed_mps.append(curves[chosen[k]].speed_at(m))
        offset_m.append(curves[chosen[k]].offset_at(m))
    brakes = {}
    for (corner, _, _), i in zip(pieces, chosen, strict=True):
        if corner.id in curves[i].brake_m:
            brakes[corner.id] = curves[i].brake_m[corner.id]
    return ReferenceLap(
        label=label, lap_time_s=t_s[-1], distance_m=tuple(places), t_s=tuple(t_s),
        speed_mps=tuple(speed_mps), brake_m=brakes, offset_m=tuple(offset_m),
    )  # fmt: skip
