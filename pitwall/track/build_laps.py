"""From recordings to laps to build a track from: fixes, gate-to-gate laps, the clean ones."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path as FilePath
from statistics import median

import msgspec

from pitwall.contract.problems import UserError
from pitwall.telemetry.frame import FIX_STEP_S, Frame
from pitwall.telemetry.fusion import frames_of
from pitwall.telemetry.recordings.base import Recording
from pitwall.track.build_line import Path, closed_run
from pitwall.track.geometry import Projection
from pitwall.track.lap import Lap
from pitwall.track.model import Gate
from pitwall.track.timing import LapTimer

# Closer fixes add nothing: a standing car costs no memory, a 100 Hz logger no more than 25 Hz.
THIN_M, THIN_S = 0.5, 0.035
# 64 MB at most for one recording: 11 hours of 25 Hz.
MOST_FIXES = 1_000_000
# Run-in and run-out of each lap, to fade its two ends at the gate into each other.
RUN_M = 90.0
# No fix for this long (or three times the usual step): the lap has a hole.
LONGEST_GAP_S = 1.0
# Faster than any car that laps circuits: such a step is a jump of the fix.
FASTEST_MPS = 120.0
# A flying lap 4 % shorter or longer than the usual one was cut, or ran over another layout.
LENGTH_SHARE = 0.04
# Slower laps than this have traffic, a spin or a stroll in them.
TIME_SHARE = 1.3
# More laps than this make the line no better.
MOST_LAPS = 24


class TrackBuildError(UserError):
    """No track can be made of these recordings. Says what is missing and what to do about it."""


class LapUse(msgspec.Struct, frozen=True):
    """A lap that was seen: whether the track was built from it, and if not, why."""

    recording: str
    lap: int
    time_s: float | None
    used: bool
    why: str = ""


class FixTrace:
    """The fixes of one recording, thinned: columns by index, NaN for what is unknown."""

    KEPT = ("altitude_m", "speed_mps", "brake_bar", "brake_pct", "g_long", "heading_deg")

    def __init__(self, name: str) -> None:
        self.name = name
        self.t, self.lat_deg, self.lon_deg = array("d"), array("d"), array("d")
        self._columns = {signal: array("d") for signal in self.KEPT}

    def add(self, frame: Frame, lat_deg: float, lon_deg: float) -> None:
        """Add one fix."""
        self.t.append(frame.fix_t)
        self.lat_deg.append(lat_deg)
        self.lon_deg.append(lon_deg)
        for signal, column in self._columns.items():
            value = getattr(frame, signal)
            column.append(math.nan if value is None else value)

    def column(self, signal: str) -> array[float]:
        """Return all values of one of KEPT."""
        return self._columns[signal]

    def frame(self, i: int) -> Frame:
        """Return the i-th fix as a frame again, with what was kept of it."""
        frame = Frame(self.t[i], self.lat_deg[i], self.lon_deg[i])
        for signal, column in self._columns.items():
            if not math.isnan(column[i]):
                setattr(frame, signal, column[i])
        return frame


class DrivenLap(msgspec.Struct, frozen=True):
    """A gate-to-gate lap: fixes `first` to `last` (with run-in and run-out) and its path. `run`:
    to a finish elsewhere, its path closed by an undriven way."""

    trace: FixTrace
    lap: Lap
    time_s: float
    first: int
    last: int
    path: Path
    run: bool = False


def read_trace(recording: Recording, gate: Gate, projection: Projection) -> tuple[FixTrace, list[Lap]]:
    """Read a recording's thinned fixes, and its laps by this gate."""
    timer = LapTimer(gate, None, ())
    trace = FixTrace(FilePath(recording.info.path).name)
    laps: list[Lap] = []
    frame: Frame | None = None
    last: tuple[float, float, float] | None = None  # the last fix: time and place
    kept_x = kept_y = math.inf
    for fused in frames_of(recording):
        frame = _with_speed(fused, last, projection)
        lap = timer.feed(frame, None)
        if lap is not None:
            laps.append(lap)
        lat_deg, lon_deg = frame.lat_deg, frame.lon_deg
        if lat_deg is None or lon_deg is None or frame.reckoned:
            continue
        if last and frame.fix_t <= last[0] + FIX_STEP_S:
            continue
        x, y = projection.xy(lat_deg, lon_deg)
        last = (frame.fix_t, x, y)
        if math.hypot(x - kept_x, y - kept_y) < THIN_M or (trace.t and frame.fix_t - trace.t[-1] < THIN_S):
            continue
        trace.add(frame, lat_deg, lon_deg)
        kept_x, kept_y = x, y
        if len(trace.t) >= MOST_FIXES:
            break
    open_lap = timer.finish(frame.t) if frame is not None else None
    if open_lap is not None:
        laps.append(open_lap)
    return trace, laps


def _with_speed(frame: Frame, last: tuple[float, float, float] | None, projection: Projection) -> Frame:
    if last is None or frame.speed_mps is not None or frame.lat_deg is None or frame.lon_deg is None:
        return frame
    last_t, last_x, last_y = last
    x, y = projection.xy(frame.lat_deg, frame.lon_deg)
    way_m = math.hypot(x - last_x, y - last_y)
    at_t = frame.t if frame.reckoned else frame.fix_t
    if at_t > last_t + FIX_STEP_S and way_m > 0.0:
        frame.speed_mps = way_m / (at_t - last_t)
    return frame


def driven_laps(
    trace: FixTrace, laps: Sequence[Lap], projection: Projection, *, runs: bool = False
) -> tuple[list[DrivenLap], list[LapUse]]:
    """Return the laps from gate to gate without a break, and the others with their reason."""
    usable: list[DrivenLap] = []
    unused: list[LapUse] = []
    for lap in laps:
        why = lap.reason or f"{lap.kind} lap"
        if lap.kind == "flying" and lap.time_s is not None:
            first, last = _with_runs(trace, lap, projection)
            points = [
                (trace.t[i], *projection.xy(trace.lat_deg[i], trace.lon_deg[i])) for i in range(first, last)
            ]
            why = _break_in(points, lap.start_t, lap.end_t)
            if not why:
                end_t = lap.end_t
                if runs:
                    points, end_t = closed_run(points, lap.start_t, lap.end_t)
                path = Path(points, lap.start_t, end_t)
                usable.append(DrivenLap(trace, lap, lap.time_s, first, last, path, runs))
                continue
        unused.append(LapUse(trace.name, lap.number, lap.time_s, False, why))
    return usable, unused


def _with_runs(trace: FixTrace, lap: Lap, projection: Projection) -> tuple[int, int]:
    first, last = bisect_left(trace.t, lap.start_t), bisect_left(trace.t, lap.end_t)

    def step_m(i: int) -> float:
        return math.dist(
            projection.xy(trace.lat_deg[i - 1], trace.lon_deg[i - 1]),
            projection.xy(trace.lat_deg[i], trace.lon_deg[i]),
        )

    run_m = 0.0
    while first > 0 and run_m < RUN_M:
        if first < len(trace.t):
            run_m += step_m(first)
        first -= 1
    run_m = 0.0
    while last < len(trace.t) and run_m < RUN_M:
        run_m += step_m(last)
        last += 1
    return first, last


def _break_in(points: Sequence[tuple[float, float, float]], start_t: float, end_t: float) -> str:
    inside = [point for point in points if start_t <= point[0] <= end_t]
    if len(inside) < 20:
        return f"only {len(inside)} fixes"
    steps = [b[0] - a[0] for a, b in pairwise(points)]
    longest_s = max(LONGEST_GAP_S, 3.0 * median(steps))
    for (t0, x0, y0), (t1, x1, y1) in pairwise(points):
        # A car that stands gives no fixes after thinning: a hole was driven through.
        if t1 - t0 > longest_s and math.hypot(x1 - x0, y1 - y0) > 5.0:
            return f"no fix for {t1 - t0:.1f} s"
        if math.hypot(x1 - x0, y1 - y0) > FASTEST_MPS * (t1 - t0) + 5.0:
            return f"the fix jumped by {math.hypot(x1 - x0, y1 - y0):.0f} m"
    return ""


def choose_clean(laps: Sequence[DrivenLap]) -> tuple[list[DrivenLap], list[LapUse]]:
    """Drop laps of another length and slow ones; keep MOST_LAPS at most."""
    if not laps:
        return [], []
    # The length that most laps agree with; the longer one where two layouts are even.
    lengths = sorted(lap.path.length_m for lap in laps)
    alike: list[list[float]] = [
        [m for m in lengths if abs(m - about) <= LENGTH_SHARE * about] for about in reversed(lengths)
    ]
    most = max(alike, key=len)
    usual_m = median(most)
    fits = [lap for lap in laps if abs(lap.path.length_m - usual_m) <= LENGTH_SHARE * usual_m]
    best_s = min(lap.time_s for lap in fits)
    kept: list[DrivenLap] = []
    dropped: list[LapUse] = []
    for lap in sorted(laps, key=lambda lap: lap.time_s):
        why = ""
        if abs(lap.path.length_m - usual_m) > LENGTH_SHARE * usual_m:
            why = f"{lap.path.length_m:.0f} m driven, the usual lap is {usual_m:.0f} m"
        elif lap.time_s > TIME_SHARE * best_s:
            why = f"{lap.time_s:.1f} s, the best is {best_s:.1f} s"
        elif len(kept) == MOST_LAPS:
            why = f"{MOST_LAPS} faster laps are enough"
        if why:
            dropped.append(LapUse(lap.trace.name, lap.lap.number, lap.time_s, False, why))
        else:
            kept.append(lap)
    return kept, dropped
