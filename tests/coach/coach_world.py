"""A small known world for the coach: a round track, cars that drive it as told, and a way to listen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from pitwall.coach.coach import Coach
from pitwall.coach.cue import SPOKEN, Callout, LedgerLine, Mode
from pitwall.coach.scripts import Scripts, load_scripts
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Corner, Gate, Track
from pitwall.track.reference import ReferenceLap
from pitwall.track.technique import Technique

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


GOOD = Technique(
    time_s=8.0, start_mps=50.0, entry_mps=22.0, slowest_mps=20.0, slowest_m=40.0, exit_mps=26.0, end_mps=40.0,
    brake_m=-100.0, release_m=10.0, brake_g=1.0, bites=1, coast_s=0.3, lift_pct=0.0, pickup_m=45.0,
    flat_m=90.0, gain_m=55.0, lifts=0, drive_pct=80.0, turn_in_m=10.0, entry_offset_m=-3.0,
    turning_offset_m=0.0, apex_offset_m=3.0, exit_offset_m=-3.0, corner_g=1.0,
    slowest_g=1.0, gear=3, corrections=0,
)  # fmt: skip


def technique(**wrong: float | int | None) -> Technique:
    """A pass as the reference lap's, but for what is named."""
    return msgspec.structs.replace(GOOD, **wrong)


def reference(speed: Callable[[float], float] = pace, label: str = "best") -> ReferenceLap:
    """A reference lap driven at these speeds, with GOOD technique."""
    places = [float(index * 5) for index in range(int(LENGTH_M / 5) + 1)]
    times = [0.0]
    for place in places[1:]:
        times.append(times[-1] + 5.0 / speed(place - 2.5))
    speeds = tuple(speed(place) for place in places)
    brakes = {at.id: at.brake_m for at in CORNERS if at.brake_m is not None}
    techniques = {at.id: GOOD for at in CORNERS}
    return ReferenceLap(label, times[-1], tuple(places), tuple(times), speeds, brakes, techniques)


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


class Lost(NamedTuple):
    """What a pass lost in the brake zone, up to the apex and after it, and what was done otherwise in it."""

    brake_s: float = 0.0
    mid_s: float = 0.0
    exit_s: float = 0.0
    wrong: Mapping[str, float | int | None] = {}


CLEAN = Lost()
EARLY = Lost(brake_s=0.4, wrong={"brake_m": -130.0})
LATE = Lost(brake_s=-0.05, mid_s=0.45, wrong={"brake_m": -80.0})
SLOW_EXIT = Lost(exit_s=0.4, wrong={"pickup_m": 70.0, "gain_m": 80.0})
SLOW_APEX = Lost(mid_s=0.3, exit_s=0.1, wrong={"slowest_mps": 18.0, "entry_mps": 21.0, "corner_g": 0.82})
Faults = Callable[[str, int], Lost]


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


def listen(made: Coach, frames: Iterator[Step], faults: Faults | None = None) -> Heard:
    """A whole drive. With `faults` each corner is passed as they say, 100 m behind its exit; laps are
    flying laps of 80 s."""
    heard, t, s_m, lap_now = Heard([], [], []), 0.0, 0.0, 0
    for frame, position, lap in frames:
        if faults is not None:
            if lap != lap_now:
                made.lap(Lap(lap_now, "flying", frame.t - 80.0, frame.t, 80.0))
                lap_now = lap
            now_m = lap * LENGTH_M + position.distance_m
            for at in CORNERS:
                if s_m % LENGTH_M < at.exit_m + 100.0 <= now_m - s_m + s_m % LENGTH_M:
                    done, how = passed(at.id, lap, faults(at.id, lap))
                    exit_t = frame.t - 100.0 / (frame.speed_mps or 1.0)
                    made.corner_pass(msgspec.structs.replace(done, exit_t=exit_t), how)
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


def wrong_before(made: Coach, lost: Faults) -> None:
    """Two laps of passes before the drive begins."""
    made.frame(next(drive(pace, 1.0))[0], None, 0)
    for lap in (-2, -1):
        for at in CORNERS:
            made.corner_pass(*passed(at.id, lap, lost(at.id, lap)))


def passed(corner_id: str, lap: int, lost: Lost = CLEAN) -> tuple[CornerPass, Technique]:
    """A pass that lost so much, and what was done in it."""
    return corner_pass(corner_id, lap, *lost[:3]), technique(**lost.wrong)


def corner_pass(
    corner_id: str, lap: int, brake_s: float = 0.0, mid_s: float = 0.0, exit_s: float = 0.0
) -> CornerPass:
    """A pass that lost so much in its parts."""
    at = next(known for known in CORNERS if known.id == corner_id)
    return CornerPass(
        lap=lap,
        corner=corner_id,
        entry_t=0.0,
        exit_t=5.0,
        time_s=5.0,
        entry_speed_mps=25.0,
        min_speed_mps=22.0,
        min_speed_m=at.apex_m,
        exit_speed_mps=25.0,
        brake_m=at.brake_m,
        loss_s=mid_s,
        brake_loss_s=brake_s,
        mid_loss_s=mid_s,
        exit_loss_s=exit_s,
    )
