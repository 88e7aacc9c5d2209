"""A track from driven laps of any circuit: the laps in, one `Track` and a report of how sure it is out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from pitwall.telemetry.recordings.base import Recording
from pitwall.track.build_brakes import brake_points
from pitwall.track.build_laps import (
    DrivenLap,
    LapUse,
    Trace,
    TrackBuildError,
    choose_clean,
    driven_laps,
    read_trace,
)
from pitwall.track.build_line import Point, average_line, even_ring, ring_length
from pitwall.track.build_pit import find_pit_lane
from pitwall.track.build_profile import Agreement, Along, agreement, along_line, heights, own_bends, stray
from pitwall.track.build_report import BuildReport, BuildResult, CornerFound
from pitwall.track.corners import Bend, curvature, find_bends
from pitwall.track.geometry import Projection, turn_deg
from pitwall.track.line import Centreline
from pitwall.track.model import Corner, Gate, Track
from pitwall.track.venue import venue_of_recording

__all__ = ["BuildResult", "TrackBuildError", "build_track"]

# The line is worked out finer than it is kept: 2000 steps a lap, within what GNSS can show.
STEPS, FINEST_M, COARSEST_M = 2000, 1.0, 2.5
# Kept points: 5 m apart, closer on a kart track whose hairpins are only 10 m across.
POINTS, CLOSEST_M, WIDEST_M = 400, 2.0, 5.0
# One lap's own corners are looked for on a line smoothed over more, having no other laps to steady it.
OWN_SMOOTH_M = 14.0
# A lap this far from the middle of the others left the road; one this far on average has a bad fix.
ASTRAY_M, ASTRAY_MEAN_M = 15.0, 5.0
# Both ways along one road lie within 8 m; no circuit has half of its length like that.
ONE_ROAD_M, ONE_ROAD_SHARE = 8.0, 0.5
# A loop shorter than this is a turn in a car park.
SHORTEST_LAP_M = 200.0
SECTORS = 3
# Sector ends are moved by up to this share of the lap to lie on a straight.
SECTOR_SHIFT = 0.06


def build_track(
    recordings: Sequence[Recording], *, track_id: str, name: str, gate: Gate | None = None
) -> BuildResult:
    """Build a closed circuit from laps driven on it. The line is the middle of the clean flying laps.

    The start line is `gate`, else what the first recording that has one tells. Raises TrackBuildError where
    no closed lap was driven: an open road, a hill climb, too few fixes.
    """
    gate, gate_source, notes = _start_line(recordings, gate)
    projection = Projection((gate.a_lat_deg + gate.b_lat_deg) / 2, (gate.a_lon_deg + gate.b_lon_deg) / 2)
    traces, usable, uses = _read(recordings, gate, projection)
    clean, dropped = choose_clean(usable)
    uses += dropped
    if not clean:
        raise TrackBuildError(_why_no_lap(uses, gate_source))
    step_m = min(max(clean[0].path.length_m / STEPS, FINEST_M), COARSEST_M)
    line, laps, astray = _line(clean, step_m, gate, projection)
    uses += astray
    uses += [LapUse(lap.lap.trace.name, lap.lap.lap.number, lap.lap.time_s, True) for lap in laps]
    length_m = ring_length(line)
    _refuse_open_road(line, length_m, projection)
    fastest = min(laps, key=lambda along: along.lap.time_s)
    step_m = length_m / len(line)
    bent = curvature(line, fastest.speed_mps, step_m)
    bends = find_bends(bent, fastest.speed_mps, step_m)
    agreements = _agreements(bends, laps, line, step_m)
    corners = _corners(bends, agreements, laps, length_m)
    track = Track(
        id=track_id,
        name=name,
        direction="clockwise" if _signed_area(line) < 0.0 else "anticlockwise",
        length_m=length_m,
        gate=gate,
        centreline=_points(line, heights(laps, step_m), projection),
        speed_mps=_kept(fastest.speed_mps, _kept_count(length_m)),
        corners=corners,
        sectors_m=_sector_ends(bent, fastest.speed_mps, length_m),
        pit_lane=_pit_lane(traces, line, length_m, projection),
        sources=_sources(recordings, laps),
    )
    found = tuple(
        CornerFound(corner.apex_m, bend.turn_deg, bend.load_g, seen.laps, seen.of, seen.apex_spread_m)
        for corner, bend, seen in zip(corners, bends, agreements, strict=True)
    )
    ordered = tuple(sorted(uses, key=lambda use: (use.recording, use.lap)))
    return BuildResult(track, BuildReport(gate_source, ordered, found, tuple(notes)))


def _start_line(recordings: Sequence[Recording], gate: Gate | None) -> tuple[Gate, str, list[str]]:
    """The given gate, else the first that a recording tells; its source and what there is to say about it."""
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
) -> tuple[list[Trace], list[DrivenLap], list[LapUse]]:
    traces: list[Trace] = []
    usable: list[DrivenLap] = []
    uses: list[LapUse] = []
    for recording in recordings:
        trace, laps = read_trace(recording, gate, projection)
        good, bad = driven_laps(trace, laps, projection)
        traces.append(trace)
        usable += [lap for lap in good if lap.path.length_m >= SHORTEST_LAP_M]
        uses += bad
        uses += [
            LapUse(trace.name, lap.lap.number, lap.time_s, False, f"only {lap.path.length_m:.0f} m long")
            for lap in good
            if lap.path.length_m < SHORTEST_LAP_M
        ]
    return traces, usable, uses


def _why_no_lap(uses: Sequence[LapUse], gate_source: str) -> str:
    seen = "; ".join(f"{use.recording} lap {use.lap}: {use.why}" for use in uses[:8])
    return (
        f"no clean flying lap over the start line ({gate_source}): {seen or 'it was never crossed'}. "
        "Give a recording with at least one whole lap of a closed circuit"
    )


def _line(
    clean: Sequence[DrivenLap], step_m: float, gate: Gate, projection: Projection
) -> tuple[list[Point], list[Along], list[LapUse]]:
    """The average line from the gate on, the laps along it, and the laps that strayed and were left out."""
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
    """The same line with its first point where it crosses the gate."""
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


def _refuse_open_road(line: Sequence[Point], length_m: float, projection: Projection) -> None:
    """A hill climb driven up and down again closes, but it is one road in both directions."""
    centre = Centreline(line, length_m, projection)
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


def _agreements(
    bends: Sequence[Bend], laps: Sequence[Along], line: Sequence[Point], step_m: float
) -> list[Agreement]:
    own = [own_bends(along, line, step_m, OWN_SMOOTH_M) for along in laps]
    return [agreement(bend, own, step_m * len(line)) for bend in bends]


def _corners(
    bends: Sequence[Bend], agreements: Sequence[Agreement], laps: Sequence[Along], length_m: float
) -> tuple[Corner, ...]:
    corners = tuple(
        Corner(
            id=f"turn_{i}",
            name=f"Turn {i}",
            number=str(i),
            direction=bend.direction,
            entry_m=bend.entry_m,
            apex_m=bend.apex_m,
            exit_m=bend.exit_m,
            sureness=seen.sureness,
        )
        for i, (bend, seen) in enumerate(zip(bends, agreements, strict=True), start=1)
    )
    if not corners:
        return ()
    return tuple(
        Corner(**{field: getattr(corner, field) for field in corner.__struct_fields__} | {"brake_m": brake_m})
        for corner, brake_m in zip(corners, brake_points(corners, laps, length_m), strict=True)
    )


def _signed_area(line: Sequence[Point]) -> float:
    """Positive where the line runs anticlockwise (seen from above, east right and north up)."""
    pairs = zip(line, [*line[1:], line[0]], strict=True)
    return 0.5 * sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairs)


def _kept_count(length_m: float) -> int:
    return round(length_m / min(max(length_m / POINTS, CLOSEST_M), WIDEST_M))


def _kept(values: Sequence[float], count: int) -> tuple[float, ...]:
    """Values of a fine even line at the `count` points that are kept."""
    around = [*values, values[0]]
    kept = []
    for n in range(count):
        i, share = divmod(n * len(values) / count, 1.0)
        kept.append(around[int(i)] + share * (around[int(i) + 1] - around[int(i)]))
    return tuple(kept)


def _points(
    line: Sequence[Point], height_m: Sequence[float], projection: Projection
) -> tuple[tuple[float, float, float], ...]:
    count = _kept_count(ring_length(line))
    columns = (_kept(column, count) for column in ([p[0] for p in line], [p[1] for p in line], height_m))
    return tuple((*projection.lat_lon(x, y), height) for x, y, height in zip(*columns, strict=True))


def _sector_ends(bent: Sequence[float], speed_mps: Sequence[float], length_m: float) -> tuple[float, ...]:
    """Thirds of the lap, each end moved to the straightest place near."""
    count = len(bent)
    load = [abs(k) * v * v for k, v in zip(bent, speed_mps, strict=True)]
    reach = max(1, int(SECTOR_SHIFT * count))
    ends = []
    for sector in range(1, SECTORS):
        wanted = count * sector // SECTORS
        near = range(wanted - reach, wanted + reach + 1)
        ends.append(min(near, key=lambda i: load[i]) * length_m / count)
    return tuple(ends)


def _pit_lane(
    traces: Sequence[Trace], line: Sequence[Point], length_m: float, projection: Projection
) -> tuple[tuple[float, float], ...]:
    lane = find_pit_lane(traces, Centreline(line, length_m, projection))
    return tuple(projection.lat_lon(x, y) for x, y in lane)


def _sources(recordings: Sequence[Recording], laps: Sequence[Along]) -> tuple[str, ...]:
    sources = []
    for recording in recordings:
        file = Path(recording.info.path).name
        flying = sum(1 for along in laps if along.lap.trace.name == file)
        sources.append(f"{file} ({recording.info.format}), {flying} flying laps")
    return tuple(sources)
