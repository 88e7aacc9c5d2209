"""A small known world for the coach: a round track, cars that drive it as told, and a way to listen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from pitwall.coach.coach import Coach
from pitwall.coach.cue import Callout, LedgerLine
from pitwall.coach.scripts import Scripts, load_scripts
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Position
from pitwall.track.model import Corner, Gate, Track
from pitwall.track.reference import ReferenceLap

LENGTH_M = 3000.0
LAT0, LON0 = 38.16, -122.45
M_PER_DEG = 111_000.0
SPOKEN = ("spoken", "held then spoken")


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


def ring(corners: tuple[Corner, ...] = CORNERS, speed: Callable[[float], float] | None = None) -> Track:
    """A track on a circle, with `corners` only where its file says so."""
    radius_deg = LENGTH_M / (2.0 * math.pi) / M_PER_DEG
    angles = [2.0 * math.pi * index / 300 for index in range(300)]
    points = tuple((LAT0 + radius_deg * math.cos(a), LON0 + radius_deg * math.sin(a), 0.0) for a in angles)
    speeds = tuple(speed(LENGTH_M * index / 300) for index in range(300)) if speed else ()
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
) -> Iterator[tuple[Frame, Position, int]]:
    """A car on the ring: exact places every 1/hz seconds, g_lat 1 g in corners, none on straights."""
    s_m, t, steps = 0.0, t0, 20
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
) -> Coach:
    return Coach(
        track,
        scripts or load_scripts((), track),
        clip_s,
        audio_delay_s=0.06,
        software_s=0.02,
        reference=reference,
    )


def listen(
    made: Coach, frames: Iterator[tuple[Frame, Position, int]]
) -> tuple[list[Callout], list[LedgerLine]]:
    """All callouts and ledger lines of a drive, to its end."""
    callouts, lines, t = [], [], 0.0
    for frame, position, lap in frames:
        callout = made.frame(frame, position, lap)
        callouts += [callout] if callout else []
        lines += made.drain()
        t = frame.t
    made.finish(t)
    return callouts, lines + made.drain()


def corner_pass(
    corner_id: str, lap: int, brake_s: float = 0.0, mid_s: float = 0.0, exit_s: float = 0.0, **places: float
) -> CornerPass:
    """A pass that lost so much in its parts; `brake_m` and `min_speed_m` by name."""
    at = next(known for known in CORNERS if known.id == corner_id)
    return CornerPass(
        lap=lap,
        corner=corner_id,
        entry_t=0.0,
        exit_t=5.0,
        time_s=5.0,
        entry_speed_mps=25.0,
        min_speed_mps=22.0,
        min_speed_m=places.get("min_speed_m", at.apex_m),
        exit_speed_mps=25.0,
        brake_m=places.get("brake_m", at.brake_m),
        loss_s=mid_s,
        brake_loss_s=brake_s,
        mid_loss_s=mid_s,
        exit_loss_s=exit_s,
    )
