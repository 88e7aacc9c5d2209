"""Circuits of arcs and straights with a known shape: for tests, and for when no real track is at hand."""

from __future__ import annotations

import math

from pitwall.track.geometry import Projection, heading_deg
from pitwall.track.model import Corner, Gate, Track

POINT_EVERY_M = 5.0
GATE_HALF_WIDTH_M = 12.0
# A leg: straight metres, then an arc of this radius in metres through so many degrees, positive left.
Leg = tuple[float, float, float]
# The turns sum to 360 degrees; `_closing` stretches two of the straights so that the end meets the start.
CLUB: tuple[Leg, ...] = (
    (320.0, 60.0, 90.0),
    (180.0, 35.0, 130.0),
    (240.0, 70.0, -70.0),
    (150.0, 45.0, 120.0),
    (300.0, 90.0, 90.0),
    (100.0, 1.0, 0.0),
)


def club_circuit(
    origin_deg: tuple[float, float] = (38.16, -122.455),
    legs: tuple[Leg, ...] = CLUB,
    track_id: str = "club",
    heading_start_deg: float = 30.0,
    hill_m: float = 8.0,
) -> Track:
    """A closed anticlockwise circuit at `origin_deg`; its corners are `turn_1` and on, one an arc.

    Two of the straights are stretched to close the loop. ValueError where the legs can't be closed.
    """
    legs = _closing(legs, heading_start_deg)
    points, spans = _walk(legs, heading_start_deg)
    length_m = sum(_leg_length(leg) for leg in legs)
    projection = Projection(*origin_deg)
    centreline = tuple(
        (*projection.lat_lon(x, y), hill_m * (1 - math.cos(2 * math.pi * s / length_m)) / 2)
        for x, y, s in points
    )
    arcs = [(leg, span) for leg, span in zip(legs, spans, strict=True) if leg[2]]
    corners = tuple(
        Corner(
            id=f"turn_{i + 1}",
            name=f"Turn {i + 1}",
            number=str(i + 1),
            direction="left" if leg[2] > 0 else "right",
            entry_m=start,
            apex_m=(start + end) / 2,
            exit_m=end,
            brake_m=max(0.0, start - 60.0),
        )
        for i, (leg, (start, end)) in enumerate(arcs)
    )
    return Track(
        id=track_id,
        name="Club circuit (invented)",
        direction="anticlockwise",
        length_m=length_m,
        gate=_gate(projection, heading_start_deg),
        centreline=centreline,
        corners=corners,
        sectors_m=(length_m / 3, 2 * length_m / 3),
        sources=("invented for the simulator",),
    )


def _leg_length(leg: Leg) -> float:
    return leg[0] + leg[1] * math.radians(abs(leg[2]))


def _gate(projection: Projection, course_deg: float) -> Gate:
    along = math.radians(course_deg)
    dx, dy = -math.cos(along) * GATE_HALF_WIDTH_M, math.sin(along) * GATE_HALF_WIDTH_M
    a, b = projection.lat_lon(dx, dy), projection.lat_lon(-dx, -dy)
    return Gate(*a, *b, heading_deg=heading_deg(math.sin(along), math.cos(along)))


def _walk(
    legs: tuple[Leg, ...], course_deg: float
) -> tuple[list[tuple[float, float, float]], list[tuple[float, float]]]:
    """Points (x, y, distance) every few metres from the origin, and the span of each leg's arc."""
    points: list[tuple[float, float, float]] = []
    spans: list[tuple[float, float]] = []
    x = y = s = 0.0
    course = math.radians(course_deg)
    for straight, radius, turn in legs:
        way_x, way_y = math.sin(course), math.cos(course)
        points += [(x + along * way_x, y + along * way_y, s + along) for along in _marks(straight)]
        x, y, s = x + straight * math.sin(course), y + straight * math.cos(course), s + straight
        side = math.copysign(1.0, turn)
        cx, cy = x - side * radius * math.cos(course), y + side * radius * math.sin(course)
        arc = radius * math.radians(abs(turn))
        for along in _marks(arc):
            now = course - side * along / radius
            points.append((cx + side * radius * math.cos(now), cy - side * radius * math.sin(now), s + along))
        course -= math.radians(turn)
        x, y = cx + side * radius * math.cos(course), cy - side * radius * math.sin(course)
        spans.append((s, s + arc))
        s += arc
    return points, spans


def _marks(length_m: float) -> list[float]:
    if not length_m:
        return []
    count = max(1, round(length_m / POINT_EVERY_M))
    return [length_m * i / count for i in range(count)]


def _closing(legs: tuple[Leg, ...], course_deg: float) -> tuple[Leg, ...]:
    """The legs with two straights changed so that the walk ends where it began."""
    if abs(abs(sum(turn for _, _, turn in legs)) - 360.0) > 1e-6:
        raise ValueError(
            f"the arcs turn {sum(turn for _, _, turn in legs):g} degrees in all; a loop turns 360"
        )
    gap_x, gap_y = _end(legs, course_deg)
    courses = [math.radians(course_deg - sum(turn for _, _, turn in legs[:i])) for i in range(len(legs))]
    best: tuple[Leg, ...] | None = None
    for i in range(len(legs)):
        for j in range(i + 1, len(legs)):
            det = math.sin(courses[i]) * math.cos(courses[j]) - math.cos(courses[i]) * math.sin(courses[j])
            if abs(det) < 0.2:
                continue
            add_i = (-gap_x * math.cos(courses[j]) + gap_y * math.sin(courses[j])) / det
            add_j = (-gap_y * math.sin(courses[i]) + gap_x * math.cos(courses[i])) / det
            new = list(legs)
            new[i] = (legs[i][0] + add_i, *legs[i][1:])
            new[j] = (legs[j][0] + add_j, *legs[j][1:])
            shortest = min(leg[0] for leg in new)
            if shortest > 0 and (best is None or shortest > min(leg[0] for leg in best)):
                best = tuple(new)
    if best is None:
        raise ValueError("no two straights can be stretched so that these legs close")
    return best


def _end(legs: tuple[Leg, ...], course_deg: float) -> tuple[float, float]:
    x = y = 0.0
    course = math.radians(course_deg)
    for straight, radius, turn in legs:
        x, y = x + straight * math.sin(course), y + straight * math.cos(course)
        side = math.copysign(1.0, turn)
        cx, cy = x - side * radius * math.cos(course), y + side * radius * math.sin(course)
        course -= math.radians(turn)
        x, y = cx + side * radius * math.cos(course), cy - side * radius * math.sin(course)
    return x, y
