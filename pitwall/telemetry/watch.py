"""Detects that a kind of source is lost (within 0.5 s of data time) and is back (two good seconds)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from pitwall.telemetry.sample import Sample, Stream
from pitwall.telemetry.signals import SIGNALS, SourceKind

What = Literal[SourceKind, "sources"]

KINDS: tuple[What, ...] = ("gps", "imu", "can")
# Lost after this many usual steps, never sooner than the floor: fixes come 0.1 s late.
LOST_STEPS, LOST_FLOOR_S = 2.2, 0.3
# How fast the usual step follows. A long one counts only if the next is long too.
FOLLOW = 0.2
# What was lost is back after so much good time.
GOOD_S = 2.0
# This many steps teach the usual one.
KNOWN_STEPS = 4
FOLLOW_KNOWN = max(FOLLOW, 1.0 / KNOWN_STEPS)


class LossEvent(msgspec.Struct, frozen=True):
    """`what` is `lost`, or back. `t`: when it was overdue, or had been good for 2 s. "sources":
    all."""

    t: float
    what: What
    lost: bool
    reason: str = ""


class _Pulse:
    """One kind's usual step, whether it is lost, and since when it is good again."""

    def __init__(self, what: What) -> None:
        self.what = what
        self.last_t = -math.inf
        self.step_s = 0.0
        self.lost = False
        self.good_since = math.inf
        self._long_before = self._steady = False
        self._steps = 0

    @property
    def deadline_t(self) -> float:
        """Return when the next beat is overdue."""
        if self.lost or self._steps < KNOWN_STEPS:
            return math.inf
        return self.last_t + self.patience_s

    @property
    def patience_s(self) -> float:
        return max(LOST_FLOOR_S, LOST_STEPS * self.step_s)

    def beat(self, t: float) -> bool:
        """Note a sample; return whether it is good again."""
        step_s = t - self.last_t
        if step_s <= 0.0:
            return False
        if step_s <= LOST_FLOOR_S and self._steady and not self.lost:
            # As nearly always.
            self.step_s += FOLLOW_KNOWN * (step_s - self.step_s)
            self.last_t = t
            return False
        if self.last_t != -math.inf:
            long = self._steps >= KNOWN_STEPS and step_s > self.patience_s
            # Late without a hole in its stamps: good from there on.
            if long or (self.lost and self.good_since == math.inf):
                self.good_since = t
            if not long or self._long_before:
                self._steps = min(self._steps + 1, KNOWN_STEPS)
                self.step_s += max(FOLLOW, 1.0 / self._steps) * (step_s - self.step_s)
            self._long_before = long
            self._steady = not long and self._steps == KNOWN_STEPS
        self.last_t = t
        if self.lost and t - self.good_since >= GOOD_S:
            self.lost = False
            return True
        return False


class LossWatch:
    """Feed it every sample; `tick` it when none may come. What never came is never lost."""

    def __init__(self) -> None:
        self._all = _Pulse("sources")
        self._pulses: dict[What, _Pulse] = {what: _Pulse(what) for what in KINDS} | {"sources": self._all}
        self._beats: dict[int, tuple[tuple[_Pulse, tuple[int, ...]], ...]] = {}
        self._check_t = -math.inf

    def stream(self, stream: Stream) -> None:
        """Add a source, perhaps again."""
        beats = []
        signals = [SIGNALS.get(channel.name) for channel in stream.channels]
        for what in KINDS:
            columns = tuple(i for i, signal in enumerate(signals) if signal and signal.kind == what)
            if columns:
                beats.append((self._pulses[what], columns))
        self._beats[stream.id] = tuple(beats)

    @property
    def lost(self) -> tuple[What, ...]:
        """Return what is lost now."""
        return tuple(what for what, pulse in self._pulses.items() if pulse.lost)

    @property
    def returning(self) -> tuple[What, ...]:
        """Return what comes again, but not for two good seconds yet."""
        return tuple(
            what for what, pulse in self._pulses.items() if pulse.lost and pulse.good_since < math.inf
        )

    def feed(self, sample: Sample, distrusted: Sequence[int] = ()) -> tuple[LossEvent, ...]:
        """Note a sample; `distrusted`: columns not believed. ValueError on an unknown stream."""
        t, values = sample.t, sample.values
        beats = self._beats.get(sample.stream)
        if beats is None:
            raise ValueError(f"sample of stream {sample.stream}, which was never added")
        events = self.tick(t) if t >= self._check_t else ()
        if self._all.beat(t):
            events = (*events, _back(t, "sources"))
        for pulse, columns in beats:
            for column in columns:
                if values[column] is not None and not (pulse.what == "gps" and column in distrusted):
                    if pulse.beat(t):
                        events = (*events, _back(t, pulse.what))
                    break
        return events

    def tick(self, t: float) -> tuple[LossEvent, ...]:
        """Return what is overdue at `t`, in order of time."""
        overdue = []
        soonest = t + LOST_FLOOR_S
        for pulse in self._pulses.values():
            deadline_t = pulse.deadline_t
            if t >= deadline_t:
                pulse.lost, pulse.good_since = True, math.inf
                overdue.append(LossEvent(deadline_t, pulse.what, True, "no reading came"))
            elif deadline_t < soonest:
                soonest = deadline_t
        self._check_t = soonest
        return tuple(sorted(overdue, key=lambda event: event.t))


def _back(t: float, what: What) -> LossEvent:
    return LossEvent(t, what, False, f"good for {GOOD_S:g} s")
