"""Asks the network every 0.1 s of the data's time, and makes forecasts of what it says. Knows no threads."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitwall.coach.model.features import Curvature, Past, Trace, lookup
from pitwall.coach.model.forecast import HEADS, Forecast, Score, forecast_of, split
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

# How often the network is asked. Stamps are rounded, so a hair sooner is as good.
EVERY_S = 0.1
ROUNDING_S = 1e-3


class Question(msgspec.Struct, frozen=True):
    """An instant for the network: its features, and what the lookup says (HEADS numbers, m/s and m)."""

    t: float
    place_m: float
    features: list[float]
    base: list[float]


class Forecaster:
    """A drive on one track. `feed` every frame; `ask` gives a question when one is due; `take` what the
    network said of it."""

    def __init__(self, track: Track, scales: Sequence[float] = (1.0,) * HEADS) -> None:
        self.track, self.past = track, Past(track.length_m)
        self.score = Score(scales)
        self._curvature = Curvature(track)
        self._ahead: Trace | None = None
        self._last: Trace | None = None
        self._asked_t = -EVERY_S

    def compare_with(self, best: ReferenceLap, last: ReferenceLap | None) -> None:
        """The lap to look ahead in, and the last one that was driven."""
        known = [trace for trace in (self._ahead, self._last) if trace is not None]
        self._ahead = self._trace(best, known)
        self._last = self._ahead if last is None else self._trace(last, [self._ahead, *known])

    def _trace(self, lap: ReferenceLap, known: Sequence[Trace]) -> Trace:
        """A lap's trace, made once: on a phone it takes some milliseconds."""
        return next((each for each in known if each.lap is lap), None) or Trace(lap, self._curvature)

    def feed(self, frame: Frame, position: Position | None) -> None:
        """Take one instant, and judge earlier forecasts by it."""
        if position is None:
            self.past.clear()
            self.score.clear()
            return
        self.past.feed(frame, position)
        if frame.speed_mps is not None:
            self.score.feed(frame.t, frame.speed_mps)

    def ask(self, t: float) -> Question | None:
        """The question of this instant; None where none is due, or nothing can be asked."""
        if self._ahead is None or self._last is None or not self.past.known:
            return None
        if t - self._asked_t < EVERY_S - ROUNDING_S:
            return None
        self._asked_t = t
        speeds, ways = lookup(self.past, self._ahead)
        return Question(t, self.past.place_m, self.past.features(self._ahead, self._last), [*speeds, *ways])

    def take(self, question: Question, outputs: Sequence[float]) -> Forecast:
        """Return what the network said of a question, as a forecast; it is judged when its time comes."""
        corrections, widths, _, _ = split(outputs)
        self.score.note(question.t, question.base, corrections, widths)
        return forecast_of(question.t, question.place_m, question.base, outputs, self.score)
