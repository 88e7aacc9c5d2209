"""Where drivers brake for each corner, from the laps that a track is built of."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from pitwall.telemetry.frame import Frame
from pitwall.track.braking import BrakeTrace
from pitwall.track.build_line import interpolate
from pitwall.track.build_profile import Along
from pitwall.track.corners import STANDARD_G
from pitwall.track.model import Corner

# With fewer than half of the laps braking, this corner is not braked for.
BRAKED_SHARE = 0.5
# Looked for from the last apex on, for linked corners are braked for inside the one before. What is pressed
# from there on at once is braking for that one, trailed past its apex.
TRAILED_M = 5.0


def brake_points(corners: tuple[Corner, ...], laps: Sequence[Along], length_m: float) -> list[float | None]:
    """For each corner, in driving order, the median place where braking for it begins (None: not braked for).

    Pressure or pedal decide where they are alive; a recording whose brake channel never moves is judged by
    its deceleration, and one without accelerometers by its speed.
    """
    found = [_of_lap(corners, along, length_m) for along in laps]
    points: list[float | None] = []
    for i, corner in enumerate(corners):
        ahead = [(corner.apex_m - place_m) % length_m for lap in found if (place_m := lap[i]) is not None]
        braked = ahead and len(ahead) >= BRAKED_SHARE * len(laps)
        points.append((corner.apex_m - median(ahead)) % length_m if braked else None)
    return points


def _of_lap(corners: tuple[Corner, ...], along: Along, length_m: float) -> list[float | None]:
    frames = _frames(along)
    points = _points(corners, along, frames, length_m)
    if any(place_m is not None for place_m in points):
        return points
    for frame in frames:
        frame.brake_bar = frame.brake_pct = None
    return _points(corners, along, frames, length_m)


def _points(
    corners: tuple[Corner, ...], along: Along, frames: Sequence[Frame], length_m: float
) -> list[float | None]:
    trace = BrakeTrace()
    ends = (along.lap.lap.start_t, along.lap.lap.end_t)
    times, places = [*along.t, ends[1]], [length_m * i / len(along.t) for i in range(len(along.t) + 1)]
    for frame in frames:
        if ends[0] <= frame.t < ends[1]:
            trace.add(frame, interpolate(times, places, frame.t))
    points: list[float | None] = []
    for i, corner in enumerate(corners):
        from_m = corners[i - 1].apex_m
        began_m = trace.brake_point(*ends, from_m, corner.apex_m, length_m)
        trailed = began_m is not None and (began_m - from_m) % length_m < TRAILED_M
        points.append(None if trailed else began_m)
    return points


def _frames(along: Along) -> list[Frame]:
    """The lap's fixes as frames; where there is no accelerometer, with g_long from the change of speed."""
    lap = along.lap
    frames = [lap.trace.frame(i) for i in range(lap.first, lap.last)]
    for before, frame, after in zip(frames, frames[1:], frames[2:], strict=False):
        if frame.g_long is None and before.speed_mps is not None and after.speed_mps is not None:
            frame.g_long = (after.speed_mps - before.speed_mps) / (after.t - before.t) / STANDARD_G
    return frames
