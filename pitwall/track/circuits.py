"""The circuits of the world: one file of closed lines, read when needed.

Corners are found from curvature; well-known layouts have official numbers and names.
"""

from __future__ import annotations

import array
import math
import sqlite3
import unicodedata
import zlib
from collections.abc import Sequence
from contextlib import closing
from itertools import accumulate, pairwise
from pathlib import Path

import msgspec

from pitwall.contract.problems import UserError
from pitwall.track.build_line import DENSE_M, Point, densify, even_ring, ring_length, smooth_line
from pitwall.track.build_shape import kept, kept_count, numbered, sector_ends, winding
from pitwall.track.corners import STANDARD_G, curvature, find_bends
from pitwall.track.gate import perpendicular_gate
from pitwall.track.geometry import Projection, heading_deg, interpolated, way_m
from pitwall.track.model import Track
from pitwall.track.venue import NEAR_TRACK_M

FILE = "circuits.sqlite"
# A line a layout: the corners that drivers know by number and name, placed on its line.
NAMES = "corner_names.jsonl"
# Both come from the same line; further apart the one that was found is another corner.
SAME_APEX_M = 25.0
# Lines in the file are kept to 0.1 m, heights to 0.1 m: the sources are good to a metre or two.
DEGREE_STEPS, METRE_STEPS = 1e6, 10.0
# Half the stretch that a drawn line is smoothed over.
SMOOTH_M = 8.0
# Half a road, the line's error and GPS wander; a kart track's pit lane may be 12 m away.
ROAD_GATE_M, KART_GATE_M, KART_LAP_M = 15.0, 10.0, 2_000.0
# The car to find corners with: a road car on sports tyres, a usual track-day car.
GRIP_G, BRAKE_G, PULL_G, TOP_MPS = 1.0, 0.8, 0.35, 60.0
# A corner that only a drawn line shows is half sure until laps show it too.
SURENESS = 0.5
# One degree of latitude in metres, for the first look into the index.
DEGREE_M = 111_000.0
# How a track tells that it is one of these, and in its notes that nobody has driven it yet.
OF_THE_WORLD, DRAWN = "circuits of the world: ", "drawn line"
# How it tells that its corners have their official numbers, and where these are from.
OFFICIAL = "corner numbers and names: "


class Circuit(msgspec.Struct, frozen=True):
    """A layout: track id, names, middle of its start line, reach from there, length in m."""

    id: str
    name: str
    layout: str
    lat_deg: float
    lon_deg: float
    reach_m: float
    length_m: float


class OfficialCorners(msgspec.Struct, frozen=True):
    """The corners of a layout in driving order: the apex as a share of the lap, number, and
    name. A number with a letter is a bend that the circuit's own map does not count."""

    circuit: str
    source: str
    corners: tuple[tuple[float, str, str], ...]


class CircuitError(UserError):
    """The file of circuits can't be read; says which file and what to do."""


class Circuits:
    """Reads the file for each question, to hold no memory. CircuitError if damaged."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def near(self, lat_deg: float, lon_deg: float) -> list[Circuit]:
        """Return the layouts whose surroundings hold this place, by id."""
        # The longest reach of an index lookup; 26 km of road reach no further.
        reach_deg = (13_000.0 + NEAR_TRACK_M) / DEGREE_M
        found = self._select(
            "WHERE lat_deg BETWEEN ? AND ? ORDER BY id", [lat_deg - reach_deg, lat_deg + reach_deg]
        )
        return [
            circuit
            for circuit in found
            if math.hypot(*Projection(circuit.lat_deg, circuit.lon_deg).xy(lat_deg, lon_deg))
            <= circuit.reach_m + NEAR_TRACK_M
        ]

    def search(self, text: str, most: int) -> list[Circuit]:
        """Return the layouts whose names hold each word of the text; by name."""
        words = plain(text).split()
        if not words:
            return []
        where = " AND ".join("instr(sought, ?) > 0" for _ in words)
        return self._select(f"WHERE {where} ORDER BY name, layout LIMIT ?", [*words, most])

    def get(self, circuit: str) -> Circuit | None:
        """Return the layout of this id."""
        return next(iter(self._select("WHERE id = ?", [circuit])), None)

    def track(self, circuit: Circuit) -> Track:
        """Return the layout as a track, without pace and brake points."""
        [(line,)] = self._query("SELECT line FROM circuits WHERE id = ?", [circuit.id])
        track = track_of_line(circuit.id, circuit.name, circuit.layout, unpacked(line))
        official = self._official(circuit.id)
        return track if official is None else officially_named(track, official)

    def _official(self, circuit: str) -> OfficialCorners | None:
        path = self._path.with_name(NAMES)
        if not path.is_file():
            return None
        try:
            lines = path.read_bytes().splitlines()
            found = (msgspec.json.decode(line, type=OfficialCorners) for line in lines)
            return next((each for each in found if each.circuit == circuit), None)
        except (OSError, msgspec.MsgspecError) as error:
            raise CircuitError(f"{path} can't be read: {error}; install Pitwall again to renew it") from error

    def _select(self, rest: str, values: Sequence[object]) -> list[Circuit]:
        names = ", ".join(Circuit.__struct_fields__)
        rows = self._query(f"SELECT {names} FROM circuits {rest}", values)  # noqa: S608
        return [
            msgspec.convert(dict(zip(Circuit.__struct_fields__, row, strict=True)), Circuit) for row in rows
        ]

    def _query(self, sql: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        if not self._path.is_file():
            return []
        try:
            with closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?immutable=1", uri=True)) as con:
                return con.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise CircuitError(
                f"{self._path} can't be read: {error}; install Pitwall again to renew it"
            ) from error


def plain(text: str) -> str:
    """Return a name as it is searched: small letters and digits without accents."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c if c.isalnum() else " " for c in bare if not unicodedata.combining(c)).split())


def packed(line: Sequence[tuple[float, float, float]]) -> bytes:
    """Return a line as steps of whole numbers, compressed."""
    columns = [
        [round(value * steps) for value in column]
        for column, steps in zip(
            zip(*line, strict=True), (DEGREE_STEPS, DEGREE_STEPS, METRE_STEPS), strict=True
        )
    ]
    steps = array.array("i")
    for column in columns:
        steps.extend([column[0], *(after - before for before, after in pairwise(column))])
    # All first bytes, then all second ones: most of the upper ones are equal.
    raw = steps.tobytes()
    return zlib.compress(b"".join(raw[i::4] for i in range(4)), 9)


def unpacked(blob: object) -> list[tuple[float, float, float]]:
    """Return the inverse of `packed`. CircuitError."""
    try:
        turned = zlib.decompress(bytes(blob))  # type: ignore[call-overload]
        count = len(turned) // 4
        raw = bytearray(len(turned))
        for i in range(4):
            raw[i::4] = turned[i * count : (i + 1) * count]
        steps = array.array("i", bytes(raw))
    except (zlib.error, TypeError, ValueError) as error:
        raise CircuitError(f"a circuit's line can't be read: {error}") from error
    columns = []
    points = len(steps) // 3
    for n, scale in enumerate((DEGREE_STEPS, DEGREE_STEPS, METRE_STEPS)):
        total, column = 0, []
        for step in steps[n * points : (n + 1) * points]:
            total += step
            column.append(total / scale)
        columns.append(column)
    return list(zip(*columns, strict=True))


def track_of_line(track_id: str, name: str, layout: str, line: Sequence[tuple[float, float, float]]) -> Track:
    """Return a track from a drawn closed line of (lat_deg, lon_deg, elevation_m)."""
    projection = Projection(line[0][0], line[0][1])
    places = [projection.xy(lat, lon) for lat, lon, _ in line]
    fine, heights = _curved(places, [elevation for _, _, elevation in line])
    even = even_ring(fine, round(ring_length(fine) / DENSE_M))
    even = smooth_line(even, round(SMOOTH_M / DENSE_M))
    length_m = ring_length(even)
    step_m = length_m / len(even)
    pace = _pace(even, step_m)
    bent = curvature(even, pace, step_m)
    bends = find_bends(bent, pace, step_m)
    count = kept_count(length_m)
    kept_xs, kept_ys = (kept(column, count) for column in zip(*even, strict=True))
    share = len(heights) / count
    half_width_m = KART_GATE_M if length_m < KART_LAP_M else ROAD_GATE_M
    course_deg = heading_deg(even[1][0] - even[-1][0], even[1][1] - even[-1][1])
    return Track(
        id=track_id,
        name=name,
        direction=winding(even),
        length_m=length_m,
        gate=perpendicular_gate(even[0], course_deg, half_width_m, projection),
        centreline=tuple(
            (*projection.lat_lon(x, y), heights[min(int(n * share), len(heights) - 1)])
            for n, (x, y) in enumerate(zip(kept_xs, kept_ys, strict=True))
        ),
        corners=numbered(bends, [SURENESS] * len(bends)),
        sectors_m=sector_ends(bent, pace, step_m),
        sources=(f"{OF_THE_WORLD}{name}, {layout}",),
        notes=f"Corners are found from the {DRAWN} and numbered by Pitwall in driving order.",
    )


def officially_named(track: Track, official: OfficialCorners) -> Track:
    """Return the track with official numbers and names where its corners match the list."""
    length_m = track.length_m

    ordered = sorted(track.corners, key=lambda corner: corner.apex_m)
    listed = sorted(official.corners)
    if len(ordered) != len(listed) or any(
        abs(way_m(corner.apex_m, share * length_m, length_m)) > SAME_APEX_M
        for (share, _, _), corner in zip(listed, ordered, strict=True)
    ):
        return track
    return msgspec.structs.replace(
        track,
        corners=tuple(
            msgspec.structs.replace(
                corner,
                id=f"turn_{number}",
                number=number,
                name=f"Turn {number}, {name}" if name else f"Turn {number}",
            )
            for (_, number, name), corner in zip(listed, ordered, strict=True)
        ),
        sources=(*track.sources, f"{OFFICIAL}{official.source}"),
        notes=f"Corners are found from the {DRAWN} and have their official numbers.",
    )


def is_officially_named(track: Track) -> bool:
    """Return whether the corners have their official numbers."""
    return any(source.startswith(OFFICIAL) for source in track.sources)


def is_drawn(track: Track) -> bool:
    """Return whether this is a circuit of the world that was not driven yet: it has no pace."""
    return not track.speed_mps and is_of_the_world(track)


def is_of_the_world(track: Track) -> bool:
    """Return whether this is a circuit of the world: its start is not checked."""
    return any(source.startswith(OF_THE_WORLD) for source in track.sources)


def layout_name(track: Track) -> str:
    """Return this layout's name, `Sonoma Cup`, of a circuit of the world."""
    origin = next((each for each in track.sources if each.startswith(OF_THE_WORLD)), "")
    return origin.rpartition(", ")[2]


def _curved(places: Sequence[Point], heights_m: Sequence[float]) -> tuple[list[Point], list[float]]:
    ring = [
        (point, height)
        for i, (point, height) in enumerate(zip(places, heights_m, strict=True))
        if math.dist(point, places[i - 1]) > DENSE_M / 2
    ]
    # A point more at each end, for the slopes there.
    ring = [ring[-1], *ring, *ring[:2]]
    along = [0.0, *accumulate(math.dist(a, b) for (a, _), (b, _) in pairwise(ring))]
    dense = densify([(at_m, *point) for at_m, (point, _) in zip(along, ring, strict=True)])
    fine = [point for point in dense if along[1] <= point[0] < along[-2]]
    heights = [height for _, height in ring]
    return [(x, y) for _, x, y in fine], [interpolated(along, heights, at_m) for at_m, _, _ in fine]


def _pace(line: Sequence[Point], step_m: float) -> list[float]:
    """Return a common car's m/s along an even closed line: by grip, braking and pull."""
    speed = [TOP_MPS / 2] * len(line)
    for _ in range(2):  # the stretch for curvature depends on the pace
        bent = curvature(line, speed, step_m)
        limit = [min(TOP_MPS * TOP_MPS, GRIP_G * STANDARD_G / max(abs(k), 1e-6)) for k in bent]
        count = len(limit)
        for i in range(2 * count):
            limit[(i + 1) % count] = min(
                limit[(i + 1) % count], limit[i % count] + 2 * PULL_G * STANDARD_G * step_m
            )
        for i in range(2 * count, 0, -1):
            limit[(i - 1) % count] = min(
                limit[(i - 1) % count], limit[i % count] + 2 * BRAKE_G * STANDARD_G * step_m
            )
        speed = [math.sqrt(each) for each in limit]
    return speed
