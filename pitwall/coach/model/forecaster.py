"""Asks the network while a call waits for its place, and says when the car will be there."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence

from pitwall.coach.model.features import KEPT_S, Curvature, Past, Trace, lookup
from pitwall.coach.model.forecast import Forecast, Score, corrections_m
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

# How often the network is asked. Stamps are rounded, so a hair sooner is as good.
EVERY_S = 0.1
ROUNDING_S = 1e-3
# Where so much must be subtracted from its middle, it knows less than the rules, which err by a
# tenth.
SURE_S = 0.3
# So much of the way behind its last second may be counted as the rules do.
BEYOND_S = 2.5

Run = Callable[[Sequence[float]], Sequence[float] | None]
"""Runs the network on FEATURES numbers and gives its OUTPUTS; None where there is none."""


class Forecaster:
    """A drive on one track: `feed` every frame; the network is asked every 0.1 s at most."""

    def __init__(self, track: Track, run: Run) -> None:
        self.track, self.past, self.score = track, Past(track.length_m), Score()
        self.asked = 0
        self._run, self._curvature = run, Curvature(track)
        self._kept: deque[tuple[Frame, Position]] = deque()
        self._best: ReferenceLap | None = None
        self._last: ReferenceLap | None = None
        self._traces: tuple[Trace, ...] = ()
        self._forecast: Forecast | None = None
        self._asked_t = -math.inf

    def compare_with(self, best: ReferenceLap | None, last: ReferenceLap | None) -> None:
        """The lap to look ahead in, and the last one that was driven."""
        self._best, self._last = best, last or best

    def feed(self, frame: Frame, position: Position) -> None:
        """Take one instant, and judge earlier forecasts by it."""
        kept, speed_mps = self._kept, frame.speed_mps
        kept.append((frame, position))
        while frame.t - kept[0][0].t > KEPT_S:
            kept.popleft()
        if frame.rpm is not None and speed_mps is not None:
            self.past.note_rpm(frame.rpm, speed_mps)
        if self.score.waits:
            if speed_mps is None or position.status != "on":
                self.score.clear()
            else:
                self.score.feed(frame.t, speed_mps)

    def seconds_to(self, ahead_m: float, rules: Callable[[float], float]) -> float | None:
        """Seconds until `ahead_m` is driven; None where the `rules` know as much."""
        frame, position = self._kept[-1]
        if frame.t - self._asked_t >= EVERY_S - ROUNDING_S:
            self._asked_t, self._forecast = frame.t, self._ask(frame)
        forecast = self._forecast
        if forecast is None or not self.score.better:
            return None
        half_m = self.track.length_m / 2.0
        driven_m = (position.distance_m - forecast.place_m + half_m) % self.track.length_m - half_m
        reach_m = forecast.way_m[-1]
        at_s, early_s = forecast.seconds_to(min(ahead_m + driven_m, reach_m))
        beyond_s = 0.0
        if ahead_m + driven_m > reach_m:
            beyond_s = rules(ahead_m) - rules(reach_m - driven_m)
        if early_s > SURE_S or not 0.0 <= beyond_s <= BEYOND_S:
            return None
        return at_s - early_s + beyond_s - (frame.t - forecast.t) + frame.fix_age_s

    def ask(self) -> tuple[list[float], list[float]] | None:
        """The network's input, and the lookup's ways in m; None where nothing can be asked."""
        if self._best is None or self._last is None:
            return None
        for each in self._kept:
            self.past.feed(*each)
        self._kept = deque([self._kept[-1]]) if self._kept else self._kept
        if not self.past.known:
            return None
        best, last = self._trace(self._best), self._trace(self._last)
        self._traces = (best, last)
        return self.past.features(best, last), lookup(self.past, best)[1]

    def take(self, base_m: Sequence[float], outputs: Sequence[float]) -> Forecast:
        """Return what the network said, as far as this drive has shown it to be right."""
        corrections, score, past = corrections_m(outputs), self.score, self.past
        way_m = tuple(
            base + share * correction
            for base, share, correction in zip(base_m, score.shares, corrections, strict=True)
        )
        score.note(past.t, base_m, corrections)
        self.asked += 1
        return Forecast(past.t, past.place_m, way_m, tuple(score.early_s))

    def _ask(self, frame: Frame) -> Forecast | None:
        found = self.ask()
        outputs = None if found is None else self._run(found[0])
        if found is None or outputs is None:
            return None
        if not self.score.waits and frame.speed_mps is not None:
            self.score.feed(frame.t, frame.speed_mps)
        return self.take(found[1], outputs)

    def _trace(self, lap: ReferenceLap) -> Trace:
        """A lap's trace, made once: on a phone it takes some milliseconds."""
        return next((each for each in self._traces if each.lap is lap), None) or Trace(lap, self._curvature)
