"""Put a lake's frames together: a lap of the best pieces, a track as it is driven, a training set."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Literal

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pitwall.analysis.drive import load_drive
from pitwall.analysis.places import pieces_of
from pitwall.drive.reference import ComposedLapFile, thinned
from pitwall.fleet.answers import FAST_SHARE, FEWEST_PASSES, ask, best_laps, driven
from pitwall.fleet.lake import Lake
from pitwall.fleet.manifest import Entry
from pitwall.fleet.session_facts import LakeFacts, TrackShelf, works_of
from pitwall.fleet.storage import LakeError
from pitwall.track.gate import perpendicular_gate
from pitwall.track.geometry import Projection, heading_deg, way_m
from pitwall.track.library import find_problem
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap

# So many of the fastest laps, each of another session, are composed from.
BEST_LAPS = 12
# Two pieces join where their speeds differ by no more: one car could have driven both.
JOIN_MPS = 1.5
# A refined line has a point every so many metres, each the mean of at least so many readings.
LINE_STEP_M, FEWEST_READINGS = 5.0, 8
# The best lap of so many sessions makes a line.
LINE_SESSIONS = 60
GATE_HALF_M = 12.0
# The slowest point is an apex where entry and exit are so much faster.
SLOWEST_MPS = 1.0


Split = Literal["train", "validation", "test"]
# Of ten drivers so many are learned from, then so many are watched while learning; the rest is the test.
SPLITS: tuple[tuple[Split, int], ...] = (("train", 7), ("validation", 1), ("test", 2))
TRAINING_HZ = 10
TRAINING_COLUMNS = (
    "t", "distance_m", "offset_m", "lat_deg", "lon_deg", "speed_mps", "heading_deg", "g_lat", "g_long",
    "yaw_rate_dps", "steering_deg", "brake_bar", "brake_pct", "throttle_pct",
)  # fmt: skip


class ComposedLap(msgspec.Struct, frozen=True, kw_only=True):
    """A lap of pieces, each the fastest that joins its neighbours. `pieces`: corner -> session:lap;
    `best_s`: the fastest lap that was really driven."""

    lap: ComposedLapFile
    best_s: float
    pieces: dict[str, str]


class RefinedTrack(msgspec.Struct, frozen=True, kw_only=True):
    """A track as it is driven. `moved_m`: how far the line lies from the old one, at most; `corners`: by how
    much each apex and brake point moved along the track (None: no brake point, before or now)."""

    track: Track
    sessions: int
    moved_m: float
    corners: dict[str, tuple[float, float | None]]


class SplitCount(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what is in one part of the data set."""

    split: Split
    file: str
    drivers: tuple[str, ...]
    tracks: tuple[str, ...]
    laps: int
    rows: int


class TrainingSet(msgspec.Struct, frozen=True, kw_only=True):
    """The parts: no driver in two, `held_track` in the test alone ("" with fewer than three tracks)."""

    rate_hz: int
    held_track: str
    parts: tuple[SplitCount, ...]


def compose(
    lake: Lake, tracks: TrackShelf, track: Track, car_class: str = "", conditions: str = ""
) -> ComposedLap:
    """The lap of the best pieces of a class on a track. LakeError where there is no lap to compose of."""
    best = best_laps(lake, track.id, BEST_LAPS, car_class, conditions)
    curves: list[ReferenceLap] = []
    for driver, session, number, _ in best:
        [work] = works_of(lake, [lake.entries[driver, session]])
        facts = LakeFacts(lake.storage, work, tracks)
        try:
            drive = load_drive(facts, facts.session())
        except LakeError as error:
            lake.damaged[work.files.get("frames", session)] = str(error)
            continue
        if number in drive.curves:
            curves.append(drive.curves[number])
    if not curves:
        raise LakeError(f"there is no whole flying lap of this class on {track.name} to compose of")
    pieces = pieces_of(track)
    chosen = _fastest_way(curves, pieces)
    lap = _joined(track, curves, pieces, chosen, f"fleet:{car_class or 'all'}")
    return ComposedLap(
        lap=ComposedLapFile(track=track.id, lap=thinned(lap)),
        best_s=best[0][3],
        pieces={corner.id: curves[i].label for (corner, _, _), i in zip(pieces, chosen, strict=True)},
    )


def _fastest_way(curves: Sequence[ReferenceLap], pieces: Sequence[tuple[Corner, float, float]]) -> list[int]:
    """For each piece the lap it is taken from: the least time, where speeds join all around the lap."""
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


def refine(lake: Lake, track: Track) -> RefinedTrack:
    """The track's line, gate, apexes and brake points as the fast laps of all sessions have them. LakeError
    where too little of it was driven."""
    best = best_laps(lake, track.id, LINE_SESSIONS)
    entries = [lake.entries[driver, session] for driver, session, *_ in best]
    count = max(int(track.length_m / LINE_STEP_M), 1)
    step_m = track.length_m / count
    wanted = ", ".join(["(?, ?, ?::INTEGER)"] * len(best)) or "('', '', 0)"
    bins = f"""WITH wanted(driver, session, lap) AS (VALUES {wanted})
    SELECT (round(distance_m / {step_m!r})::INTEGER) % {count} AS bin, avg(lat_deg), avg(lon_deg),
      avg(altitude_m), count(*) FROM frames SEMI JOIN wanted USING (driver, session, lap)
    WHERE status = 'on' AND lat_deg IS NOT NULL AND lon_deg IS NOT NULL GROUP BY bin ORDER BY bin"""  # noqa: S608
    values = [value for row in best for value in row[:3]]
    found = ask(lake, ("frames",), bins, values, chosen=entries)
    known = {row[0]: row for row in found if row[4] >= FEWEST_READINGS}
    if len(known) < 0.95 * count:
        raise LakeError(f"only {len(known)} of {count} places of {track.name} were driven often enough")
    places = [known.get(i) or known[min(known, key=lambda k: abs(k - i))] for i in range(count)]
    heights = [track.centreline[i * len(track.centreline) // count][2] for i in range(count)]
    centreline = tuple(
        (lat, lon, heights[i] if altitude is None else altitude)
        for i, (_, lat, lon, altitude, _) in enumerate(places)
        if i in known
    )
    projection = Projection(centreline[0][0], centreline[0][1])
    points = [projection.xy(lat, lon) for lat, lon, _ in centreline]
    steps = [math.dist(a, b) for a, b in zip(points, [*points[1:], points[0]], strict=True)]
    length_m = sum(steps)
    scale = length_m / track.length_m
    corners, moved = _corners(lake, track, scale, length_m)
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
    return RefinedTrack(
        track=refined,
        sessions=len(best),
        moved_m=max(min(math.dist(point, each) for each in old) for point in points[::4]),
        corners=moved,
    )


def _corners(
    lake: Lake, track: Track, scale: float, length_m: float
) -> tuple[tuple[Corner, ...], dict[str, tuple[float, float | None]]]:
    """Apexes where the fast quarter is slowest, brake points where it begins to brake."""
    sql = (
        "SELECT corner, time_s, min_speed_m, brake_m, least(entry_speed_mps, exit_speed_mps) - min_speed_mps "
        "FROM corner_passes WHERE at_pace"
    )
    passes: dict[str, list[tuple[float, float, float | None, float]]] = {}
    for corner_id, *row in ask(lake, ("corner_passes",), sql, [], track=track.id):
        passes.setdefault(corner_id, []).append((row[0], row[1], row[2], row[3]))
    found, moved = [], {}
    for corner in track.corners:
        own = passes.get(corner.id, [])
        span_m = (corner.exit_m - corner.entry_m) % track.length_m
        apex_m, brake_m = corner.apex_m, corner.brake_m
        if len(own) >= FEWEST_PASSES:
            fast_s = quantiles([time_s for time_s, *_ in own], n=round(1.0 / FAST_SHARE), method="inclusive")[
                0
            ]
            fast = [each for each in own if each[0] <= fast_s]
            ahead_m = median((slow_m - corner.entry_m) % track.length_m for _, slow_m, *_ in fast)
            # A long bend that is entered or left at its slowest has no apex there.
            if ahead_m <= span_m and median(each[3] for each in fast) >= SLOWEST_MPS:
                apex_m = (corner.entry_m + ahead_m) % track.length_m
            braked = [each[2] for each in fast if each[2] is not None]
            if 2 * len(braked) >= len(fast):
                before_m = median((apex_m - brake) % track.length_m for brake in braked)
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


def training_set(lake: Lake, folder: Path) -> TrainingSet:
    """Write the flying laps of all sessions as `train.parquet`, `validation.parquet` and `test.parquet`, and
    what is in them as `dataset.json`. LakeError where there are too few drivers, or a file can't be
    written."""
    drivers = sorted({entry.driver for entry in lake.entries.values()}, key=_hashed)
    tracks = sorted({entry.track for entry in lake.entries.values() if entry.track}, key=_hashed)
    if len(drivers) < len(SPLITS):
        raise LakeError(f"{len(drivers)} drivers can't be split into {len(SPLITS)} parts: push more sessions")
    held = tracks[-1] if len(tracks) > 2 else ""
    split_of = _split(drivers)
    counts = {split: [0, 0] for split, _ in SPLITS}
    seen: dict[Split, tuple[set[str], set[str]]] = {split: (set(), set()) for split, _ in SPLITS}
    writers: dict[Split, pq.ParquetWriter] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for entry in driven(lake):
            split: Split = "test" if held and entry.track == held else split_of[entry.driver]
            if not entry.track or (entry.track == held and split_of[entry.driver] != "test"):
                continue
            rows = _training_rows(lake, entry)
            if rows is None:
                continue
            if split not in writers:
                writers[split] = pq.ParquetWriter(
                    folder / f"{split}.parquet", rows.schema, compression="zstd"
                )
            writers[split].write_table(rows)
            counts[split][0] += len(pc.unique(rows["lap"]))
            counts[split][1] += rows.num_rows
            seen[split][0].add(entry.driver)
            seen[split][1].add(entry.track)
    except (OSError, pa.ArrowException) as error:
        raise LakeError(f"the data set can't be written to {folder}: {error}") from error
    finally:
        for writer in writers.values():
            writer.close()
    made = TrainingSet(
        rate_hz=TRAINING_HZ,
        held_track=held,
        parts=tuple(
            SplitCount(
                split=split, file=f"{split}.parquet", drivers=tuple(sorted(seen[split][0])),
                tracks=tuple(sorted(seen[split][1])), laps=counts[split][0], rows=counts[split][1],
            )
            for split in writers
        ),
    )  # fmt: skip
    (folder / "dataset.json").write_bytes(msgspec.json.format(msgspec.json.encode(made)))
    return made


def _training_rows(lake: Lake, entry: Entry) -> pa.Table | None:
    """A session's flying laps at TRAINING_HZ, with their starts and times; None: none, or a damaged file."""
    names = ["driver", "session", "track", "lap", "lap_kind", *TRAINING_COLUMNS]
    try:
        rows, laps = lake.read("frames", [entry]).select(names), lake.read("laps", [entry])
    except LakeError as error:
        lake.damaged[f"session {entry.session}"] = str(error)
        return None
    laps = laps.filter(pc.and_(pc.equal(laps["lap_kind"], "flying"), pc.is_valid(laps["time_s"])))
    lap = pc.index_in(rows["lap"], value_set=laps["lap"].combine_chunks())
    known = pc.and_(pc.is_valid(lap), pc.equal(rows["lap_kind"], "flying"))
    rows, lap = rows.filter(known), lap.filter(known)
    if not rows.num_rows:
        return None
    for name, column in (("lap_start_t", "start_t"), ("lap_time_s", "time_s")):
        rows = rows.append_column(name, laps[column].take(lap))
    # The first reading of each tenth of a second.
    tick = pc.floor(pc.multiply(rows["t"], float(TRAINING_HZ)))
    first = pc.not_equal(
        tick, pa.chunked_array([pa.concat_arrays([pa.array([-1.0]), tick.combine_chunks()[:-1]])])
    )
    return rows.filter(first).drop_columns(["lap_kind"])


def _split(drivers: Sequence[str]) -> dict[str, Split]:
    """Drivers in the order of their hashes, cut into the parts; each part has one at least."""
    whole = sum(share for _, share in SPLITS)
    found: dict[str, Split] = {}
    at = 0
    for k, (split, share) in enumerate(SPLITS):
        left = len(SPLITS) - k - 1
        end = (
            len(drivers)
            if not left
            else min(max(at + 1, round(len(drivers) * share / whole) + at), len(drivers) - left)
        )
        for driver in drivers[at:end]:
            found[driver] = split
        at = end
    return found


def _hashed(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
