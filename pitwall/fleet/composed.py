"""Compose from a lake's frames: a lap of the best pieces, a track as it is driven, a training set."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pitwall.analysis.places import pieces_of
from pitwall.drive.reference import ComposedLapFile, thinned
from pitwall.fleet.analyse import drive_of
from pitwall.fleet.answers import FAST_SHARE, FEWEST_PASSES, Row, ask, best_laps
from pitwall.fleet.lake import LakeError, SessionFacts, SessionObject, Storage, list_sessions, read_object
from pitwall.fleet.push import TrackShelf
from pitwall.track.gate import perpendicular_gate
from pitwall.track.geometry import Projection, heading_deg, way_m
from pitwall.track.library import find_problem
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap

# Compose from this many of the fastest laps, each of another session.
BEST_LAPS = 12
# Two pieces join where their speeds differ by no more: one car could have driven both.
JOIN_MPS = 1.5
# A refined line's spacing, metres, and the fewest readings averaged in a point.
LINE_STEP_M, FEWEST_READINGS = 5.0, 8
# The best laps of this many sessions make a line.
LINE_SESSIONS = 60
GATE_HALF_M = 12.0
# The slowest point is an apex where entry and exit are faster by this.
SLOWEST_MPS = 1.0
# Of ten drivers this many train, and this many validate; the rest is the test.
SPLITS = (("train", 7), ("validation", 1), ("test", 2))
TRAINING_HZ = 10
TRAINING_COLUMNS = (
    "t", "distance_m", "offset_m", "lat_deg", "lon_deg", "speed_mps", "heading_deg", "g_lat", "g_long",
    "yaw_rate_dps", "steering_deg", "brake_bar", "brake_pct", "throttle_pct",
)  # fmt: skip


def _best_frames(
    storage: Storage, best: Sequence[Row], columns: Sequence[str] | None = None
) -> Iterator[tuple[SessionFacts, pa.Table, int]]:
    """Yield (facts, frames, lap) of each of these laps. LakeError where an object is damaged."""
    items = {item.content: item for item in list_sessions(storage)}
    for row in best:
        if row["object"] in items:
            yield (*read_object(storage, items[row["object"]], columns), row["lap"])


def compose(
    storage: Storage, tracks: TrackShelf, track: Track, car_class: str = "", conditions: str = ""
) -> tuple[ComposedLapFile, Row]:
    """Compose the lap of a class's best pieces on a track, each the fastest that joins its
    neighbours; and the answer: `pieces`: corner -> session:lap; `best_s`: the fastest lap really
    driven. LakeError."""
    best = best_laps(storage, track.id, BEST_LAPS, car_class, conditions)
    curves: list[ReferenceLap] = []
    for facts, frames, lap in _best_frames(storage, best):
        drive = drive_of(facts, frames, tracks)
        if lap in drive.curves:
            curves.append(drive.curves[lap])
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
    """The pieces as one lap from the gate on."""
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


def refine(storage: Storage, track: Track) -> tuple[Track, Row]:
    """Refine the track's line, gate, apexes and brake points by all sessions' fast laps; and the
    answer: `moved_m`: the line's largest shift; `corners`: how far each apex and brake point moved
    along the track. LakeError with too little driven."""
    best = best_laps(storage, track.id, LINE_SESSIONS)
    count = max(int(track.length_m / LINE_STEP_M), 1)
    sums, readings = _binned(storage, best, track.length_m / count, count)
    known = np.flatnonzero(readings >= FEWEST_READINGS)
    if len(known) < 0.95 * count:
        raise LakeError(
            f"only {len(known)} of {count} places of {track.name} were driven often enough: push more"
        )
    heights = [track.centreline[i * len(track.centreline) // count][2] for i in known.tolist()]
    lat, lon = (sums[:, known] / readings[known]).tolist()
    centreline = tuple(zip(lat, lon, heights, strict=True))
    projection = Projection(lat[0], lon[0])
    points = [projection.xy(*place) for place in zip(lat, lon, strict=True)]
    length_m = sum(math.dist(a, b) for a, b in zip(points, [*points[1:], points[0]], strict=True))
    scale = length_m / track.length_m
    corners, moved = _corners(storage, track, scale, length_m)
    refined = msgspec.structs.replace(
        track,
        centreline=centreline,
        speed_mps=(),
        length_m=length_m,
        gate=perpendicular_gate((0.0, 0.0), heading_deg(*points[2]), GATE_HALF_M, projection),
        corners=corners,
        sectors_m=tuple(each * scale for each in track.sectors_m),
        sources=(*track.sources, f"refined from {len(best)} sessions of a fleet"),
    )
    problem = find_problem(refined)
    if problem is not None:
        raise LakeError(f"the refined track can't be used: {problem[0]}: {problem[1]}")
    old = [projection.xy(lat, lon) for lat, lon, _ in track.centreline]
    moved_m = max(min(math.dist(point, each) for each in old) for point in points[::4])
    return refined, {
        "track": track.id, "sessions": len(best), "length_m": length_m, "moved_m": moved_m, "corners": moved,
    }  # fmt: skip


def _binned(storage: Storage, best: Sequence[Row], step_m: float, count: int) -> tuple[Any, Any]:
    """Return (sums of latitude and longitude, readings) of each place of the track over these
    laps."""
    sums, readings = np.zeros((2, count)), np.zeros(count)
    columns = ("lap", "status", "distance_m", "lat_deg", "lon_deg")
    for _, frames, lap in _best_frames(storage, best, columns):
        on = pc.and_(pc.equal(frames["lap"], lap), pc.equal(frames["status"], "on"))
        own = frames.filter(pc.and_(on, pc.is_valid(frames["lat_deg"])))
        place = np.round(own["distance_m"].to_numpy() / step_m).astype(int) % count
        readings += np.bincount(place, minlength=count)
        for i, name in enumerate(("lat_deg", "lon_deg")):
            sums[i] += np.bincount(place, own[name].to_numpy(), count)
    return sums, readings


def _corners(
    storage: Storage, track: Track, scale: float, length_m: float
) -> tuple[tuple[Corner, ...], dict[str, tuple[float, float | None]]]:
    """Find apexes where the fast quarter is slowest, brake points where it begins to brake."""
    sql = f"""
    WITH p AS (SELECT corner, time_s, min_speed_m, brake_m,
        least(entry_speed_mps, exit_speed_mps) - min_speed_mps AS slower_mps,
        quantile_cont(time_s, {FAST_SHARE}) OVER (PARTITION BY corner) AS fast_s,
        count(*) OVER (PARTITION BY corner) AS passes
      FROM passes JOIN sessions USING (driver, session) WHERE at_pace)
    SELECT corner, list(min_speed_m) AS slow_m, list(brake_m) FILTER (brake_m IS NOT NULL) AS brakes_m,
      median(slower_mps) AS slower_mps FROM p
    WHERE time_s <= fast_s AND passes >= {FEWEST_PASSES} GROUP BY corner"""  # noqa: S608
    fast = {row["corner"]: row for row in ask(storage, sql, {}, track=track.id)}
    found, moved = [], {}
    for corner in track.corners:
        apex_m, brake_m = corner.apex_m, corner.brake_m
        if (own := fast.get(corner.id)) is not None:
            ahead_m = float(np.median([(m - corner.entry_m) % track.length_m for m in own["slow_m"]]))
            # A long bend that is entered or left at its slowest has no apex there.
            if (
                ahead_m <= (corner.exit_m - corner.entry_m) % track.length_m
                and own["slower_mps"] >= SLOWEST_MPS
            ):
                apex_m = (corner.entry_m + ahead_m) % track.length_m
            braked = own["brakes_m"] or []
            if braked and 2 * len(braked) >= len(own["slow_m"]):
                before_m = float(np.median([(apex_m - brake) % track.length_m for brake in braked]))
                brake_m = (apex_m - before_m) % track.length_m
        brake_moved = None
        if corner.brake_m is not None and brake_m is not None:
            brake_moved = way_m(corner.brake_m, brake_m, track.length_m)
        moved[corner.id] = (way_m(corner.apex_m, apex_m, track.length_m), brake_moved)
        found.append(
            msgspec.structs.replace(
                corner,
                entry_m=min(corner.entry_m * scale, length_m),
                apex_m=min(apex_m * scale, length_m),
                exit_m=min(corner.exit_m * scale, length_m),
                brake_m=None if brake_m is None else min(brake_m * scale, length_m),
            )
        )
    return tuple(found), moved


def training_set(storage: Storage, folder: Path) -> Row:
    """Write all flying laps as `train.parquet`, `validation.parquet` and `test.parquet`, and their
    contents as `dataset.json`: no driver in two parts, `held_track` in the test alone ("" with
    fewer than three tracks). LakeError with too few drivers, or where a file can't be written."""
    sql = "SELECT driver, session, object, track FROM sessions WHERE track != '' ORDER BY ALL"
    sessions = ask(storage, sql, {})
    drivers = sorted({row["driver"] for row in sessions}, key=_hashed)
    tracks = sorted({row["track"] for row in sessions}, key=_hashed)
    if len(drivers) < len(SPLITS):
        raise LakeError(f"{len(drivers)} drivers can't be split into {len(SPLITS)} parts: push more sessions")
    held = tracks[-1] if len(tracks) > 2 else ""
    split_of = _split(drivers)
    items = {item.content: item for item in list_sessions(storage)}
    parts: dict[str, Row] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            writers: dict[str, pq.ParquetWriter] = {}
            for row in sessions:
                split = split_of[row["driver"]]
                if row["object"] not in items or (held and (row["track"] == held) and split != "test"):
                    continue
                rows = _training_rows(storage, items[row["object"]])
                if not rows.num_rows:
                    continue
                if split not in writers:
                    file = folder / f"{split}.parquet"
                    writers[split] = stack.enter_context(
                        pq.ParquetWriter(file, rows.schema, compression="zstd")
                    )
                    parts[split] = {
                        "split": split,
                        "file": file.name,
                        "drivers": set(),
                        "tracks": set(),
                        "laps": 0,
                        "rows": 0,
                    }
                writers[split].write_table(rows)
                part = parts[split]
                part["laps"] += len(pc.unique(rows["lap"]))
                part["rows"] += rows.num_rows
                part["drivers"].add(row["driver"])
                part["tracks"].add(row["track"])
        listed = [
            {**part, "drivers": sorted(part["drivers"]), "tracks": sorted(part["tracks"])}
            for part in parts.values()
        ]
        made = {"rate_hz": TRAINING_HZ, "held_track": held, "parts": listed}
        (folder / "dataset.json").write_bytes(msgspec.json.format(msgspec.json.encode(made)))
    except (OSError, pa.ArrowException) as error:
        raise LakeError(f"the data set can't be written to {folder}: {error}") from error
    return made


def _training_rows(storage: Storage, item: SessionObject) -> pa.Table:
    """Return a session's flying laps at TRAINING_HZ, with their starts and times."""
    facts, rows = read_object(storage, item, ("lap", *TRAINING_COLUMNS))
    laps = [lap for lap in facts.laps if lap.kind == "flying" and lap.time_s is not None]
    at = pc.index_in(rows["lap"], value_set=pa.array([lap.number for lap in laps], pa.int32()))
    rows, at = rows.filter(pc.is_valid(at)), at.filter(pc.is_valid(at))
    # The first reading of each tenth of a second.
    tick = np.floor(rows["t"].to_numpy() * TRAINING_HZ)
    first = pa.array(np.diff(tick, prepend=-1.0) != 0.0)
    keys = {"driver": facts.driver, "session": facts.session, "track": facts.track}
    whose = {name: pa.array([value] * len(rows), pa.string()) for name, value in keys.items()}
    times = {
        "lap_start_t": pa.array([lap.start_t for lap in laps], pa.float64()).take(at),
        "lap_time_s": pa.array([lap.time_s for lap in laps], pa.float64()).take(at),
    }
    columns = {name: rows[name] for name in rows.schema.names}
    return pa.table({**whose, **columns, **times}).filter(first)


def _split(drivers: Sequence[str]) -> dict[str, str]:
    """Split drivers in the order of their hashes into the parts; each part has one at least."""
    ends = [0]
    for k, (_, share) in enumerate(SPLITS):
        left = len(SPLITS) - k - 1
        most = ends[-1] + max(round(len(drivers) * share / sum(each for _, each in SPLITS)), 1)
        ends.append(min(most, len(drivers) - left) if left else len(drivers))
    return {
        driver: split
        for (split, _), begin, end in zip(SPLITS, ends, ends[1:], strict=False)
        for driver in drivers[begin:end]
    }


def _hashed(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
