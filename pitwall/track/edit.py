"""A person's changes of a track: start line, sectors, names; and evidence for a change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from pitwall.contract.problems import UserError
from pitwall.telemetry.recordings.base import StoredGate
from pitwall.track.gate import LINE_HALF_WIDTH_M, perpendicular_gate
from pitwall.track.geometry import heading_deg, turn_deg
from pitwall.track.line import Centreline
from pitwall.track.model import Corner, Track, moved_corner

replace = msgspec.structs.replace

# A given place lies on the road or next to it.
ON_ROAD_M = 60.0
# Start lines lie on straights: turning this much over this way is a corner.
BEND_WAY_M, BEND_DEG = 40.0, 18.0
# What a track says of a start line that no person chose: the next recording's own takes its place.
OWN_START = "start line: a recording's own"
# Two start lines nearer than this are one, drawn by two people; loggers store any point on it.
SAME_START_M = 60.0
# Of a shorter sector GPS could not tell which lap was quicker.
SHORTEST_SECTOR_M = 50.0
MOST_SECTORS = 20
# Ends of sectors that are nearer than this to each other are one.
SAME_END_M = 40.0
# Nearer than this two points of a line are one.
SAME_POINT_M = 0.5


class EditError(UserError):
    """A change that can't be made. Says what is wrong and what to give instead."""


def place_on(track: Track, lat_deg: float, lon_deg: float) -> float:
    """Return the place along the line nearest to one in degrees, m. EditError off the road."""
    line = Centreline.of(track)
    spot = line.nearest(*line.projection.xy(lat_deg, lon_deg))
    if spot.away_m > ON_ROAD_M:
        raise EditError(
            f"{lat_deg:.6f},{lon_deg:.6f} lies {spot.away_m:,.0f} m off {track.name}: "
            "give a place on the track"
        )
    return spot.distance_m


def with_start(track: Track, start_m: float) -> Track:
    """Move the start line to the former `start_m`; the rest stays on the ground. EditError."""
    length_m = track.length_m
    if track.has_finish:
        raise EditError(f"{track.name} has a start and a finish apart: build it again with --start, --finish")
    if not 0.0 <= start_m < length_m:
        raise EditError(f"{start_m:g} m is outside the lap of {length_m:.0f} m")
    line, gate = Centreline.of(track), track.gate
    at, segment = line.point_at(start_m), line.segment_at(start_m)
    a = line.projection.xy(gate.a_lat_deg, gate.a_lon_deg)
    b = line.projection.xy(gate.b_lat_deg, gate.b_lon_deg)
    after = [*range(segment + 1, line.count), *range(segment + 1)]
    kept = [i for i in after if math.dist(at, (line.x_m[i], line.y_m[i])) >= SAME_POINT_M]
    share = (start_m - line.start_m[segment]) / (line.step_m[segment] * line.scale)

    def turned(values: Sequence[float]) -> list[float]:
        """Return what stands at each point, from the new start on."""
        here, ahead = values[segment], values[(segment + 1) % line.count]
        return [here + share * (ahead - here), *(values[i] for i in kept)]

    def moved(place_m: float) -> float:
        return (place_m - start_m) % length_m

    places = [line.projection.lat_lon(*at), *(track.centreline[i][:2] for i in kept)]
    heights = turned([height for _, _, height in track.centreline])
    corners = (moved_corner(corner, moved) for corner in track.corners)
    return replace(
        track,
        gate=perpendicular_gate(at, line.heading_deg[segment], math.dist(a, b) / 2.0, line.projection),
        centreline=tuple((*place, height) for place, height in zip(places, heights, strict=True)),
        speed_mps=tuple(turned(track.speed_mps)) if track.speed_mps else (),
        corners=tuple(sorted(corners, key=lambda corner: corner.apex_m)),
        sectors_m=tuple(sorted(end for end in map(moved, track.sectors_m) if end > SHORTEST_SECTOR_M)),
        sources=tuple(each for each in track.sources if each != OWN_START),
    )


def with_sectors(track: Track, ends: Sequence[float | str]) -> Track:
    """Set a driver's own sectors, each end in metres or a corner at whose exit it lies."""
    exits = {corner.id: corner.exit_m for corner in track.corners}
    ends_m = []
    for end in ends:
        if isinstance(end, str) and end not in exits:
            raise EditError(f"{track.name} has no corner {end}; it has: {', '.join(exits) or 'none'}")
        ends_m.append(exits[end] if isinstance(end, str) else end)
    ends_m.sort()
    if len(ends_m) >= MOST_SECTORS:
        raise EditError(f"{len(ends_m) + 1} sectors are too many: at most {MOST_SECTORS}")
    for before_m, end_m in zip([0.0, *ends_m], [*ends_m, track.lap_m], strict=True):
        if not end_m - before_m >= SHORTEST_SECTOR_M:
            raise EditError(
                f"from {before_m:.0f} m to {end_m:.0f} m is no sector: ends lie at least "
                f"{SHORTEST_SECTOR_M:.0f} m apart, inside the lap of {track.lap_m:.0f} m"
            )
    return replace(track, sectors_m=tuple(ends_m))


def sectors_in(track: Track, splits: Sequence[StoredGate], off_m: float = ON_ROAD_M) -> tuple[float, ...]:
    """Return where a logger's sector lines lie, m along the line, within `off_m` of it."""
    line, found = Centreline.of(track), []
    for split in splits:
        a = line.projection.xy(split.a_lat_deg, split.a_lon_deg)
        b = line.projection.xy(split.b_lat_deg, split.b_lon_deg)
        spot = line.nearest(*a)
        heading = line.heading_deg[spot.segment]
        along = (
            math.dist(a, b) < SAME_POINT_M
            or abs(turn_deg(heading, heading_deg(b[0] - a[0], b[1] - a[1]))) < 45
        )
        at = a if along else ((a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0)
        spot = line.nearest(*at)
        if spot.away_m <= off_m:
            found.append(spot.distance_m)
    return tuple(sorted(found))


def same_sectors(track: Track, other: Track) -> bool:
    """Return whether the sectors of two lines of one circuit end at about the same places."""
    ends = zip(track.sectors_m, other.sectors_m, strict=False)
    return len(track.sectors_m) == len(other.sectors_m) and all(
        abs(a / track.length_m - b / other.length_m) * track.length_m < SAME_END_M for a, b in ends
    )


def with_corner_names(track: Track, names: Mapping[str, str]) -> Track:
    """Return the same track with these names by corner id. EditError if it has no such corner."""
    for wanted in names.keys() - {corner.id for corner in track.corners}:
        have = ", ".join(corner.id for corner in track.corners) or "none"
        raise EditError(f"{track.name} has no corner {wanted}; it has: {have}")
    return replace(
        track,
        corners=tuple(
            replace(corner, name=names[corner.id]) if corner.id in names else corner
            for corner in track.corners
        ),
    )


def start_in_corner(track: Track) -> Corner | None:
    """Return the corner in which the start line lies."""
    line = Centreline.of(track)
    before = line.heading_deg[line.segment_at(-BEND_WAY_M / 2.0)]
    after = line.heading_deg[line.segment_at(BEND_WAY_M / 2.0)]
    if abs(turn_deg(before, after)) < BEND_DEG:
        return None
    length_m = track.length_m
    over = [c for c in track.corners if -c.entry_m % length_m <= (c.exit_m - c.entry_m) % length_m]
    return over[0] if over else None


def start_elsewhere(track: Track, start: StoredGate, same_m: float = SAME_START_M) -> float | None:
    """Return where a recording's own start line lies, m; None within `same_m` of the track's."""
    places = sectors_in(track, (start,), LINE_HALF_WIDTH_M)
    return None if not places or min(places[0], track.length_m - places[0]) <= same_m else places[0]
