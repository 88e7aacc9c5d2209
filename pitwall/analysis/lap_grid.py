"""Put a session's laps on one even grid of places, for drawing: read by column."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any, NamedTuple

from pitwall.store.queries import Columns
from pitwall.track.geometry import Projection
from pitwall.track.lap import Lap
from pitwall.track.model import Track
from pitwall.words.units import Measure

# Enough for a screen of 2,560 px next to the map; 20 laps of it are a megabyte.
MOST_PLACES, LEAST_STEP_M = 1_000, 2.0
# Over a longer hole nothing is drawn.
HOLE_M = 60.0
# A shorter piece of a lap has nothing to compare.
LEAST_PLACES = 20
# Where the car was on the track or next to it.
PLACED = ("on", "off", "pit")
# A session without laps is drawn as one.
WHOLE = Lap(0, "broken", -math.inf, math.inf, None)
# The channels by signal, its unit, and how finely it is kept.
CHANNELS: tuple[tuple[str, str, int], ...] = (
    ("speed_mps", "m/s", 10),
    ("brake_bar", "bar", 10),
    ("brake_pct", "%", 10),
    ("throttle_pct", "%", 10),
    ("steering_deg", "°", 10),
    ("g_lat", "g", 100),
    ("g_long", "g", 100),
    ("gear", "", 1),
    ("rpm", "1/min", 1),
)
PLACE_SCALE = 10
READ = ("t", "lon_deg", "lat_deg", *(name for name, _, _ in CHANNELS))


class SeenLap:
    """A driven lap: rising places in metres from its start, a column for each READ."""

    def __init__(self, lap: Lap) -> None:
        self.lap = lap
        self.clear()

    def clear(self) -> None:
        """Drop what was read."""
        self.far_m: list[float] = []
        self.read: list[list[Any]] = [[] for _ in READ]

    def add(self, far_m: Sequence[float], read: Sequence[Sequence[Any]]) -> None:
        """Add readings in order of time; leaves out one that is no further than the last."""
        count = len(self.far_m)
        first_m, last_m = (self.far_m[0], self.far_m[-1]) if count else (0.0, -math.inf)
        kept: list[int] = []
        for i, place_m in enumerate(far_m):
            if place_m <= last_m:
                # The first reading behind the gate may still be placed at the end of the lap.
                if count >= LEAST_PLACES or place_m > first_m / 2.0:
                    continue
                self.clear()
                kept, count = [], 0
            first_m = first_m if count else place_m
            last_m = place_m
            count += 1
            kept.append(i)
        for own, values in ((self.far_m, far_m), *zip(self.read, read, strict=True)):
            own.extend(values if len(kept) == len(far_m) else map(values.__getitem__, kept))


class SeenLaps:
    """Laps as driven; without a track, places come from speed and time. `ended` gets each."""

    def __init__(self, track: Track | None, laps: Sequence[Lap], ended: Callable[[SeenLap], None]) -> None:
        self._ended = ended
        self.traces = [SeenLap(lap) for lap in laps or [WHOLE]]
        self._tracked, self._at = track is not None, 0
        self.projection = None if track is None else Projection(*track.centreline[0][:2])
        self._last_t: float | None = None
        self._far_m = 0.0

    def end(self) -> None:
        """End the last lap."""
        for trace in self.traces[self._at :]:
            self._ended(trace)

    def see(self, columns: Columns) -> None:
        """Take a piece of the session by column."""
        t = columns["t"]
        end = 0
        while end < len(t):
            while t[end] > self.traces[self._at].lap.end_t:
                if self._at + 1 == len(self.traces):
                    return
                self._ended(self.traces[self._at])
                self._at, self._last_t, self._far_m = self._at + 1, None, 0.0
            trace = self.traces[self._at]
            begin = bisect_left(t, trace.lap.start_t, end)
            end = bisect_right(t, trace.lap.end_t, begin)
            self._take(trace, {name: values[begin:end] for name, values in columns.items()})

    def _take(self, trace: SeenLap, piece: Columns) -> None:
        if self._tracked:
            kept = [status in PLACED for status in piece["status"]]
            if not all(kept):
                piece = {name: list(compress(values, kept)) for name, values in piece.items()}
        if self.projection is None:
            both = zip(piece["lat_deg"], piece["lon_deg"], strict=True)
            fix = next((each for each in both if None not in each), None)
            self.projection = None if fix is None else Projection(*fix)
        far_m = piece["distance_m"] if self._tracked else self._reckoned(piece["t"], piece["speed_mps"])
        trace.add(far_m, [piece[name] for name in READ])

    def _reckoned(self, times: Sequence[float], speeds_mps: Sequence[float | None]) -> list[float]:
        far_m = []
        for t, speed_mps in zip(times, speeds_mps, strict=True):
            self._far_m += (speed_mps or 0.0) * (t - (t if self._last_t is None else self._last_t))
            self._last_t = t
            far_m.append(self._far_m)
        return far_m


def step_of(length_m: float) -> float:
    """Return the grid's step, metres."""
    return max(length_m / MOST_PLACES, LEAST_STEP_M)


def longest_m(traces: Sequence[SeenLap]) -> float:
    """Return the length of the longest one, metres; at least one step."""
    return max((trace.far_m[-1] for trace in traces if trace.far_m), default=LEAST_STEP_M)


def on_grid(
    trace: SeenLap, length_m: float, projection: Projection | None, measures: Sequence[Measure]
) -> dict[str, list[int | None]]:
    """Return the channels at each place of a grid in whole numbers; None in a hole."""
    if len(trace.far_m) < LEAST_PLACES:
        return {}
    spots = _spots(trace.far_m, length_m)
    start_t = trace.lap.start_t if math.isfinite(trace.lap.start_t) else trace.read[0][0]
    origin = projection or Projection(0.0, 0.0)
    east, north = origin.metres_per_deg_lon * PLACE_SCALE, origin.metres_per_deg_lat * PLACE_SCALE
    # The first and last place lie outside the readings: all but time stays as it was. No gear lies
    # between two.
    inside = [min(max(share, 0.0), 1.0) for share in spots.shares]
    whole = [float(round(share)) for share in inside]
    kinds = [
        ("time", spots.shares, 1e3, -start_t * 1e3),
        ("x", inside, east, -origin.lon0_deg * east),
        ("y", inside, north, -origin.lat0_deg * north),
    ]
    kinds += [
        (name, whole if name == "gear" else inside, measure.factor * kept, measure.offset * kept)
        for (name, _, kept), measure in zip(CHANNELS, measures, strict=True)
    ]
    found: dict[str, list[int | None]] = {}
    for (name, shares, factor, offset), read in zip(kinds, trace.read, strict=True):
        values = _values(read, spots, shares, factor, offset)
        if any(value is not None for value in values):
            found[name] = values
    return found


class SeenChannels:
    """Finds the channels that change by as much as is drawn."""

    def __init__(self, measures: Sequence[Measure]) -> None:
        self._ends = {
            name: (measure.factor * kept, list[float]())
            for (name, _, kept), measure in zip(CHANNELS, measures, strict=True)
        }
        self.found: set[str] = set()

    def see(self, columns: Columns) -> None:
        """Take a piece of the session by column."""
        for name in self._ends.keys() - self.found:
            fine, ends = self._ends[name]
            known = [value for value in columns[name] if value is not None]
            if known:
                ends[:] = [min(*known, *ends), max(*known, *ends)]
                if round(ends[0] * fine) != round(ends[-1] * fine):
                    self.found.add(name)

    def shown(self) -> set[str]:
        """Return them; of two brake channels the pressure."""
        return self.found - {"brake_pct"} if "brake_bar" in self.found else self.found


class _Spots(NamedTuple):
    """A grid's places among a lap's readings: reading before, and share of the step."""

    places: int
    known: list[int]
    before: list[int]
    shares: list[float]


def _spots(far_m: Sequence[float], length_m: float) -> _Spots:
    step_m = step_of(length_m)
    spots = _Spots(int(length_m / step_m) + 1, [], [], [])
    i, last = 0, len(far_m) - 2
    for number in range(spots.places):
        place_m = number * step_m
        while i < last and far_m[i + 1] <= place_m:
            i += 1
        gap_m = far_m[i + 1] - far_m[i]
        share = (place_m - far_m[i]) / gap_m
        # The first and last place lie a step outside the readings.
        if gap_m <= HOLE_M and -1.0 <= share <= 2.0:
            spots.known.append(number)
            spots.before.append(i)
            spots.shares.append(share)
    return spots


def _values(
    read: Sequence[float | None], spots: _Spots, shares: Sequence[float], factor: float, offset: float
) -> list[int | None]:
    before = list(map(read.__getitem__, spots.before))
    after = [read[i + 1] for i in spots.before]
    found: list[int | None]
    if None in before or None in after:
        found = [
            None if low is None or high is None else round((low + share * (high - low)) * factor + offset)
            for low, high, share in zip(before, after, shares, strict=True)
        ]
    else:
        found = [
            round((low + share * (high - low)) * factor + offset)  # type: ignore[operator]
            for low, high, share in zip(before, after, shares, strict=True)
        ]
    if len(found) == spots.places:
        return found
    values: list[int | None] = [None] * spots.places
    for number, value in zip(spots.known, found, strict=True):
        values[number] = value
    return values
