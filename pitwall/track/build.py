"""Builds a `Track` from driven laps of any circuit, with a report of how sure it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from pitwall.telemetry.recordings.base import Recording
from pitwall.track.build_laps import (
    DrivenLap,
    FixTrace,
    LapUse,
    TrackBuildError,
    choose_clean,
    driven_laps,
    read_trace,
)
from pitwall.track.build_line import Point, average_line, even_ring, ring_length
from pitwall.track.build_report import BuildReport, BuildResult, CornerFound
from pitwall.track.build_shape import (
    Along,
    DrivenShape,
    agreements_of,
    along_line,
    centreline_of,
    corners_of,
    kept,
    kept_count,
    sector_ends,
    shape_of,
    stray,
)
from pitwall.track.geometry import Projection, turn_deg
from pitwall.track.line import Centreline
from pitwall.track.matcher import is_short
from pitwall.track.model import WAY_BACK_SHARE, Gate, Track
from pitwall.track.venue import venue_of_recording

# The line is worked out finer than it is kept: 2000 steps a lap, within what GNSS can show.
STEPS, FINEST_M, COARSEST_M = 2000, 1.0, 2.5
# A lap this far from the middle of the others left the road; this far on average, its fix is bad.
ASTRAY_M, ASTRAY_MEAN_M = 15.0, 5.0
# Both ways along one road lie within 8 m; no circuit has half of its length like that.
ONE_ROAD_M, ONE_ROAD_SHARE = 8.0, 0.5
# A finish is crossed almost square. A corner begins this far after the start, so that a fix lies
# before its entry, and is dropped if its apex is this near to the finish.
ACROSS_DEG, BEGIN_M, END_M, LEAST_STEP_M = 60.0, 10.0, 5.0, 0.5
# A loop shorter than this is a turn in a car park.
SHORTEST_LAP_M = 200.0


def build_track(
    recordings: Sequence[Recording], *, track_id: str, name: str, gate: Gate | None = None
) -> BuildResult:
    """Build a circuit, or a course to the gate's finish, of clean laps. TrackBuildError."""
    gate, gate_source, notes = _start_line(recordings, gate)
    projection = Projection(*gate.middle)
    traces, usable, uses = _read(recordings, gate, projection)
    clean, dropped = choose_clean(usable)
    uses += dropped
    if not clean:
        seen = "; ".join(f"{use.recording} lap {use.lap}: {use.why}" for use in uses[:8])
        raise TrackBuildError(
            f"no clean flying lap over the start line ({gate_source}): {seen or 'it was never crossed'}. "
            "Give a recording with at least one whole lap of a closed circuit"
        )
    step_m = min(max(clean[0].path.length_m / STEPS, FINEST_M), COARSEST_M)
    line, laps, astray = _line(clean, step_m, gate, projection)
    uses += astray
    uses += [LapUse(lap.lap.trace.name, lap.lap.lap.number, lap.lap.time_s, True) for lap in laps]
    if gate.finish is None:
        _refuse_open_road(line, projection)
    shape = shape_of(line, laps, projection)
    agreements = agreements_of(shape)
    corners = corners_of(shape, agreements)
    track = Track(
        id=track_id,
        name=name,
        direction=shape.direction,
        length_m=shape.length_m,
        gate=msgspec.structs.replace(gate, finish=None),
        centreline=centreline_of(shape),
        speed_mps=kept(shape.speed_mps, kept_count(shape.length_m)),
        corners=corners,
        sectors_m=sector_ends(shape.bent, shape.speed_mps, shape.step_m),
        pit_lane=_pit_lane(traces, shape) if gate.finish is None else (),
        sources=_sources(recordings, laps),
    )
    if gate.finish is not None:
        track = msgspec.structs.replace(_cut_at(gate.finish, track, shape), gate=gate)
    kept_ids = {corner.id for corner in track.corners}
    found = tuple(
        CornerFound(corner.apex_m, bend.turn_deg, bend.load_g, seen.laps, seen.of, seen.apex_spread_m)
        for corner, bend, seen in zip(corners, shape.bends, agreements, strict=True)
        if corner.id in kept_ids
    )
    ordered = tuple(sorted(uses, key=lambda use: (use.recording, use.lap)))
    return BuildResult(track, BuildReport(gate_source, ordered, found, tuple(notes)))


def _start_line(recordings: Sequence[Recording], gate: Gate | None) -> tuple[Gate, str, list[str]]:
    if not recordings:
        raise TrackBuildError("no recording was given: name at least one file with laps of the circuit")
    if gate is not None:
        return gate, "given", []
    notes: list[str] = []
    for recording in recordings:
        venue = venue_of_recording(recording, {})
        notes += [note for note in venue.notes if not note.startswith("unknown place")]
        if venue.gate is not None:
            return venue.gate, venue.gate_source, notes
    paths = ", ".join(recording.info.path for recording in recordings)
    raise TrackBuildError(
        f"{paths}: no closed lap found (an open road or a hill climb is no circuit); "
        "give laps of a closed circuit, or its start line with --gate lat,lon,lat,lon"
        + "".join(f"; {note}" for note in notes)
    )


def _read(
    recordings: Sequence[Recording], gate: Gate, projection: Projection
) -> tuple[list[FixTrace], list[DrivenLap], list[LapUse]]:
    traces: list[FixTrace] = []
    usable: list[DrivenLap] = []
    uses: list[LapUse] = []
    for recording in recordings:
        trace, laps = read_trace(recording, gate, projection)
        good, bad = driven_laps(trace, laps, projection, runs=gate.finish is not None)
        traces.append(trace)
        usable += [lap for lap in good if lap.path.length_m >= SHORTEST_LAP_M]
        uses += bad
        uses += [
            LapUse(trace.name, lap.lap.number, lap.time_s, False, f"only {lap.path.length_m:.0f} m long")
            for lap in good
            if lap.path.length_m < SHORTEST_LAP_M
        ]
    return traces, usable, uses


def _line(
    clean: Sequence[DrivenLap], step_m: float, gate: Gate, projection: Projection
) -> tuple[list[Point], list[Along], list[LapUse]]:
    kept = list(clean)
    astray: list[LapUse] = []
    while True:
        line = _from_gate(average_line([lap.path for lap in kept], kept[0].path, step_m), gate, projection)
        laps = [along_line(lap, line) for lap in kept]
        if len(kept) < 3:
            return line, laps, astray
        strays = [stray(laps, i) for i in range(len(laps))]
        worst = max(
            range(len(laps)), key=lambda i: max(strays[i][0] / ASTRAY_MEAN_M, strays[i][1] / ASTRAY_M)
        )
        mean_m, most_m = strays[worst]
        if mean_m <= ASTRAY_MEAN_M and most_m <= ASTRAY_M:
            return line, laps, astray
        lap = kept.pop(worst)
        why = f"up to {most_m:.0f} m off the line of the others"
        astray.append(LapUse(lap.trace.name, lap.lap.number, lap.time_s, False, why))


def _from_gate(line: Sequence[Point], gate: Gate, projection: Projection) -> list[Point]:
    a = projection.xy(gate.a_lat_deg, gate.a_lon_deg)
    b = projection.xy(gate.b_lat_deg, gate.b_lon_deg)
    middle_x, middle_y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    ahead_x, ahead_y = (
        math.sin(math.radians(gate.heading_deg)),
        math.cos(math.radians(gate.heading_deg)),
    )
    past = [(x - middle_x) * ahead_x + (y - middle_y) * ahead_y for x, y in line]
    count = len(line)
    crossings = [i for i in range(count) if past[i - 1] < 0.0 <= past[i]]
    if not crossings:
        raise TrackBuildError(
            "the averaged line does not cross the start line: check --gate and its direction"
        )
    at = min(crossings, key=lambda i: math.dist(line[i], (middle_x, middle_y)))
    share = past[at - 1] / (past[at - 1] - past[at])
    (ax, ay), (bx, by) = line[at - 1], line[at]
    first = (ax + share * (bx - ax), ay + share * (by - ay))
    return even_ring([first, *line[at:], *line[:at]], count)


def _refuse_open_road(line: Sequence[Point], projection: Projection) -> None:
    centre = Centreline(line, ring_length(line), projection)
    both_ways = 0
    for segment in range(0, centre.count, 4):
        x, y = centre.x_m[segment], centre.y_m[segment]
        both_ways += any(
            abs(turn_deg(centre.heading_deg[segment], centre.heading_deg[spot.segment])) > 150.0
            for spot in centre.within(x, y, ONE_ROAD_M)
        )
    share = both_ways / len(range(0, centre.count, 4))
    if share > ONE_ROAD_SHARE:
        raise TrackBuildError(
            f"{share:.0%} of the way is one road driven in both directions: an open road or a hill climb, "
            "not a closed circuit. Only closed circuits can be built"
        )


def _cut_at(finish: Gate, ring: Track, shape: DrivenShape) -> Track:
    line = Centreline.of(ring)
    over = [
        spot
        for spot in line.within(*line.projection.xy(*finish.middle))
        if abs(turn_deg(line.heading_deg[spot.segment], finish.heading_deg)) < ACROSS_DEG
    ]
    if not over:
        raise TrackBuildError("the averaged line does not cross the finish: check --finish")
    run_m = over[0].distance_m
    last = over[0].segment + (run_m - line.start_m[over[0].segment] > LEAST_STEP_M)
    end = (*line.projection.lat_lon(*line.point_at(run_m)), ring.centreline[last - 1][2])
    driven = int(run_m / shape.step_m)
    corners = tuple(
        msgspec.structs.replace(
            corner,
            entry_m=max(corner.entry_m if corner.entry_m < run_m else 0.0, BEGIN_M),
            exit_m=min(corner.exit_m, run_m - END_M),
            brake_m=None if corner.brake_m is None or corner.brake_m > corner.apex_m else corner.brake_m,
        )
        for corner in ring.corners
        if BEGIN_M < corner.apex_m < run_m - END_M
    )
    return msgspec.structs.replace(
        ring,
        direction="open",
        length_m=run_m * (1.0 + WAY_BACK_SHARE),
        centreline=(*ring.centreline[:last], end),
        speed_mps=(*ring.speed_mps[:last], shape.speed_mps[max(driven - 1, 0)]),
        corners=corners,
        sectors_m=sector_ends(shape.bent[:driven], shape.speed_mps[:driven], shape.step_m),
    )


def _pit_lane(traces: Sequence[FixTrace], shape: DrivenShape) -> tuple[tuple[float, float], ...]:
    points = even_ring(shape.line, kept_count(shape.length_m))
    lane = find_pit_lane(traces, Centreline(points, shape.length_m, shape.projection))
    return tuple(shape.projection.lat_lon(x, y) for x, y in lane)


def _sources(recordings: Sequence[Recording], laps: Sequence[Along]) -> tuple[str, ...]:
    sources = []
    for recording in recordings:
        file = Path(recording.info.path).name
        flying = sum(1 for along in laps if along.lap.trace.name == file)
        sources.append(f"{file} ({recording.info.format}), {flying} flying laps")
    return tuple(sources)


# Nearer to the line than this is the track itself (or its edge), not a lane next to it.
NEAR_M = 8.0
# Shorter is a run over the grass; longer is a paddock, a public road or another layout.
SHORTEST_M, LONGEST_M = 100.0, 1500.0
# Faster than this on average nobody drives in a pit lane (60 km/h is a usual limit).
PIT_MPS = 20.0
# Recordings begin and end at a garage: a way in and a way out this near are one lane.
MEET_M = 250.0
# What a curve may lose when points are left out.
KEEP_M = 1.0


def find_pit_lane(traces: Sequence[FixTrace], line: Centreline) -> list[Point]:
    """Return the pit lane as (x, y) in driving order, [] if not driven."""
    whole: list[list[Point]] = []
    ways_in: list[list[Point]] = []
    ways_out: list[list[Point]] = []
    for trace in traces:
        for first, last, points in _stretches_near(trace, line):
            at_start, at_end = first == 0, last == len(trace.t)
            kind = ways_out if at_start and not at_end else ways_in if at_end and not at_start else whole
            took_s = trace.t[last - 1] - trace.t[first]
            if kind is whole and is_short(took_s, _length(points)):
                continue  # an off: it left the road and came back
            if not (at_start and at_end):
                kind.append(points)
    if whole:
        return simplify(sorted(whole, key=_length)[len(whole) // 2], KEEP_M)
    for way_in in ways_in:
        for way_out in ways_out:
            if math.dist(way_in[-1], way_out[0]) <= MEET_M:
                return simplify([*way_in, *way_out], KEEP_M)
    return simplify(max([*ways_in, *ways_out], key=_length, default=[]), KEEP_M)


def _stretches_near(trace: FixTrace, line: Centreline) -> list[tuple[int, int, list[Point]]]:
    xy = [line.projection.xy(lat, lon) for lat, lon in zip(trace.lat_deg, trace.lon_deg, strict=True)]
    away: list[bool] = []
    segment = 0
    for x, y in xy:
        # Most fixes lie just after the last one: only the others need the full search.
        spot = line.near(x, y, segment)
        on = [spot] if spot.away_m <= NEAR_M else line.within(x, y, NEAR_M)
        segment = on[0].segment if on else segment
        away.append(not on)
    pieces = []
    first = 0
    for i in range(1, len(away) + 1):
        if i < len(away) and away[i] == away[first]:
            continue
        points = xy[first:i]
        length_m = _length(points)
        lasted_s = trace.t[i - 1] - trace.t[first]
        if away[first] and SHORTEST_M <= length_m <= LONGEST_M and length_m < PIT_MPS * lasted_s:
            pieces.append((first, i, points))
        first = i
    return pieces


def _length(points: Sequence[Point]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(points))


def simplify(points: Sequence[Point], keep_m: float) -> list[Point]:
    """Return fewer points, none further than `keep_m` from the line (Douglas and Peucker 1973)."""
    if len(points) < 3:
        return list(points)
    keep = {0, len(points) - 1}
    parts = [(0, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        (ax, ay), (bx, by) = points[first], points[last]
        size = math.dist(points[first], points[last])
        furthest, furthest_m = first, keep_m
        for i in range(first + 1, last):
            x, y = points[i]
            across = abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / size if size > 0.0 else 0.0
            away_m = across if size > 0.0 else math.dist(points[i], points[first])
            if away_m > furthest_m:
                furthest, furthest_m = i, away_m
        if furthest != first:
            keep |= {furthest}
            parts += [(first, furthest), (furthest, last)]
    return [points[i] for i in sorted(keep)]
