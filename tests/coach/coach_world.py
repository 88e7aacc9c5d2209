"""A small known world for the coach: a round track, cars that drive it as told, and a way to listen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pitwall.coach.coach import Coach
from pitwall.coach.cue import SPOKEN, Callout, LedgerLine, Mode
from pitwall.coach.scripts import Scripts, load_scripts
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Corner, Gate, Track
from pitwall.track.reference import ReferenceLap

LENGTH_M = 3000.0
LAT0, LON0 = 38.16, -122.45
M_PER_DEG = 111_000.0
Step = tuple[Frame, Position, int]


def corner(corner_id: str, entry_m: float, brake_m: float | None) -> Corner:
    return Corner(
        id=corner_id,
        name=corner_id,
        direction="right",
        entry_m=entry_m,
        apex_m=entry_m + 40.0,
        exit_m=entry_m + 100.0,
        brake_m=brake_m,
    )


CORNERS = (
    corner("turn_1", 600.0, 500.0),
    corner("turn_2", 1200.0, 1100.0),
    corner("turn_3", 1800.0, 1700.0),
    corner("turn_4", 2400.0, 2300.0),
)


# By how much the road turns in each corner: a trapezium with four straights.
TURNS_DEG = (126.87, 53.13, 53.13, 126.87)


def line() -> list[tuple[float, float]]:
    """East and north of places 5 m apart, once around."""
    x = y = heading = 0.0
    points = []
    for index in range(int(LENGTH_M / 5)):
        points.append((x, y))
        for at, turn_deg in zip(CORNERS, TURNS_DEG, strict=True):
            if at.entry_m <= 5.0 * index < at.exit_m:
                heading += math.radians(turn_deg) * 5.0 / (at.exit_m - at.entry_m)
        x, y = x + 5.0 * math.sin(heading), y + 5.0 * math.cos(heading)
    # What does not close is spread over the lap.
    count = len(points)
    return [(px - x * i / count, py - y * i / count) for i, (px, py) in enumerate(points)]


def ring(corners: tuple[Corner, ...] = CORNERS, speed: Callable[[float], float] | None = None) -> Track:
    """A closed track, with `corners` only where its file says so."""
    points = tuple((LAT0 + y / M_PER_DEG, LON0 + x / M_PER_DEG / 0.786, 0.0) for x, y in line())
    count = len(points)
    speeds = tuple(speed(LENGTH_M * index / count) for index in range(count)) if speed else ()
    return Track(
        id="ring",
        name="Ring",
        direction="clockwise",
        length_m=LENGTH_M,
        gate=Gate(LAT0, LON0, LAT0 + 0.001, LON0, 90.0),
        centreline=points,
        speed_mps=speeds,
        corners=corners,
    )


def pace(distance_m: float) -> float:
    """50 m/s, braking at 10 m/s² from 100 m before each corner to 22 m/s, then on the power again."""
    for at in CORNERS:
        if at.entry_m - 100.0 <= distance_m <= at.entry_m:
            return math.sqrt(max(50.0**2 - 20.0 * (distance_m - at.entry_m + 100.0), 22.0**2))
        if at.entry_m < distance_m <= at.exit_m:
            return 22.0
        if at.exit_m < distance_m < at.exit_m + 350.0:
            return min(math.sqrt(22.0**2 + 2.0 * 5.5 * (distance_m - at.exit_m)), 50.0)
    return 50.0


def pulling(accel_mps2: float) -> Callable[[float], float]:
    """Full throttle from every exit to the next brake point, gaining v² = 22² + 2as, and brakes to 22 m/s."""
    braking_m2s2 = 22.0**2 + 2.0 * accel_mps2 * 400.0

    def speed(distance_m: float) -> float:
        for at in CORNERS:
            if at.entry_m - 100.0 <= distance_m < at.entry_m:
                share = (at.entry_m - distance_m) / 100.0
                return math.sqrt(22.0**2 + share * (braking_m2s2 - 22.0**2))
            if at.entry_m <= distance_m <= at.exit_m:
                return 22.0
            if at.exit_m < distance_m < at.exit_m + 400.0:
                return math.sqrt(22.0**2 + 2.0 * accel_mps2 * (distance_m - at.exit_m))
        return math.sqrt(braking_m2s2)

    return speed


def reference(speed: Callable[[float], float] = pace, label: str = "best") -> ReferenceLap:
    """A reference lap driven at these speeds."""
    places = [float(index * 5) for index in range(int(LENGTH_M / 5) + 1)]
    times = [0.0]
    for place in places[1:]:
        times.append(times[-1] + 5.0 / speed(place - 2.5))
    speeds = tuple(speed(place) for place in places)
    brakes = {at.id: at.brake_m for at in CORNERS if at.brake_m is not None}
    return ReferenceLap(label, times[-1], tuple(places), tuple(times), speeds, brakes)


def one_second(text: str) -> float | None:
    """Every clip lasts a second."""
    return 1.0 if text else None


def drive(
    speed: Callable[[float], float],
    laps: float,
    hz: float = 10.0,
    t0: float = 0.0,
    corners: tuple[Corner, ...] = CORNERS,
) -> Iterator[Step]:
    """A car on the ring: exact places every 1/hz seconds, g_lat 1 g in corners, none on straights, and the
    g_long that belongs to its speeds."""
    s_m, t, steps = 0.0, t0, max(round(100.0 / hz), 1)
    while s_m < laps * LENGTH_M:
        place = s_m % LENGTH_M
        v = speed(place)
        in_corner = any(at.entry_m <= place <= at.exit_m for at in corners)
        angle = 2.0 * math.pi * place / LENGTH_M
        radius_deg = LENGTH_M / (2.0 * math.pi) / M_PER_DEG
        frame = Frame(
            t,
            lat_deg=LAT0 + radius_deg * math.cos(angle),
            lon_deg=LON0 + radius_deg * math.sin(angle),
            speed_mps=v,
            g_lat=-1.0 if in_corner else 0.0,
            g_long=(speed((place + 1.0) % LENGTH_M) ** 2 - v**2) / 2.0 / 9.81,
        )
        yield frame, Position(t, place, 0.0, "on"), int(s_m / LENGTH_M)
        for _ in range(steps):
            s_m += speed(s_m % LENGTH_M) / hz / steps
        t += 1.0 / hz


def coach(
    track: Track | None,
    clip_s: Callable[[str], float | None] = one_second,
    reference: ReferenceLap | None = None,
    scripts: Scripts | None = None,
    mode: Mode = "coach",
) -> Coach:
    return Coach(
        track,
        scripts or load_scripts((), track),
        clip_s,
        audio_delay_s=0.06,
        software_s=0.02,
        reference=reference,
        mode=mode,
    )


class Heard(NamedTuple):
    """All callouts of a drive with the frame at which each began, and all ledger lines."""

    callouts: list[Callout]
    lines: list[LedgerLine]
    began: list[Frame]

    def spoken(self, corner_id: str = "") -> list[LedgerLine]:
        """What was heard of a corner (of anything), in the order of hearing."""
        said = [each for each in self.lines if each.outcome in SPOKEN and corner_id in ("", each.corner)]
        return sorted(said, key=lambda line: line.t)


def listen(made: Coach, frames: Iterator[Step], *, passing: bool = False) -> Heard:
    """A whole drive in flying laps of 80 s. `passing`: each corner's pass is handed in, 100 m behind its
    exit."""
    heard, t, s_m, lap_now = Heard([], [], []), 0.0, 0.0, 0
    for frame, position, lap in frames:
        if passing:
            if lap != lap_now:
                made.lap(Lap(lap_now, "flying", frame.t - 80.0, frame.t, 80.0))
                lap_now = lap
            now_m = lap * LENGTH_M + position.distance_m
            for at in CORNERS:
                if s_m % LENGTH_M < at.exit_m + 100.0 <= now_m - s_m + s_m % LENGTH_M:
                    made.corner_pass(corner_pass(at, lap))
            s_m = now_m
        callout = made.frame(frame, position, lap)
        if callout is not None:
            heard.callouts.append(callout)
            heard.began.append(frame)
        heard.lines.extend(made.drain())
        t = frame.t
    made.finish(t)
    heard.lines.extend(made.drain())
    return heard


def corner_pass(at: Corner, lap: int) -> CornerPass:
    """A pass of a corner."""
    return CornerPass(
        lap=lap, corner=at.id, entry_t=0.0, exit_t=5.0, time_s=5.0, entry_speed_mps=25.0, min_speed_mps=22.0,
        min_speed_m=at.apex_m, exit_speed_mps=25.0, brake_m=at.brake_m,
    )  # fmt: skip
