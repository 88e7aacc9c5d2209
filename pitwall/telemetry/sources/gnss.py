"""The latency of a GNSS receiver, by its rate. A stream is held back until the rate is known."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from pitwall.telemetry.sample import Channel
from pitwall.telemetry.sources.base import Inbox

# From the field (the map, figures): 100 Hz 7 ms, 10-25 Hz about 42 ms, 5 Hz and slower 160 ms;
# between them the nearer by ratio.
LATENCY_S: tuple[tuple[float, float], ...] = ((50.0, 0.007), (7.0, 0.042), (0.0, 0.160))
# Uneven receivers skip steps: the rate is the median of this many, or of this long.
RATE_READINGS = 8
RATE_WAIT_S = 2.0
MIN_READINGS = 3
# A receiver that skips many fixes is still the same: another rate is believed after this long.
CHANGED_S = 3.0

_Reading = tuple[float | None, float, tuple[float | None, ...]]


def latency_of_rate(rate_hz: float) -> float:
    """Return seconds of age at the stamp for a receiver of this many fixes a second."""
    return next(latency_s for least_hz, latency_s in LATENCY_S if rate_hz >= least_hz)


class GnssStream:
    """Registers the stream once its rate, and so its latency, is known; keeps the readings until
    then. A changed or replaced receiver gets the latency of its new rate. A user's `latency_s`
    applies at once and stays."""

    def __init__(
        self, inbox: Inbox, channels: Sequence[Channel], group: str, latency_s: float | None
    ) -> None:
        self._inbox, self._channels, self._group = inbox, channels, group
        self._stream: int | None = None
        self._latency_s = latency_s
        self._given = latency_s is not None
        self._waiting: list[_Reading] = []
        self._lately: deque[_Reading] = deque(maxlen=RATE_READINGS)
        # Since when the rate has implied another latency; -inf: believe the next one learnt.
        self._other_s: float | None = None
        if latency_s is not None:
            self._register(latency_s)

    def begin(self) -> None:
        """Start a new connection: learn its rate again. Until then the latency stays."""
        self._lately.clear()
        self._other_s = -math.inf

    def put(self, source_s: float | None, received_s: float, values: tuple[float | None, ...]) -> None:
        """As `Inbox.put`; the first few come there a moment later."""
        reading = (source_s, received_s, values)
        if self._stream is None:
            self._waiting.append(reading)
            if _tells(self._waiting):
                self._register(latency_of_rate(_rate_hz(self._waiting)))
            return
        if not self._given:
            self._watch(reading)
        self._inbox.put(self._stream, source_s, received_s, values)

    def _watch(self, reading: _Reading) -> None:
        """Another latency, where the rate has asked for it long enough."""
        lately = self._lately
        lately.append(reading)
        if not _tells(lately):
            return
        latency_s = latency_of_rate(_rate_hz(lately))
        at_s = reading[1] if reading[0] is None else reading[0]
        if latency_s == self._latency_s:
            self._other_s = None
        elif self._other_s is None or at_s < self._other_s:
            self._other_s = at_s
        elif at_s - self._other_s >= CHANGED_S:
            self._register(latency_s)

    def _register(self, latency_s: float) -> None:
        self._latency_s, self._other_s = latency_s, None
        self._stream = self._inbox.stream(self._channels, group=self._group, latency_s=latency_s)
        for source_s, received_s, values in self._waiting:
            self._inbox.put(self._stream, source_s, received_s, values)
        self._waiting.clear()


def _tells(readings: Sequence[_Reading]) -> bool:
    waited_s = readings[-1][1] - readings[0][1]
    return len(readings) >= RATE_READINGS or (len(readings) >= MIN_READINGS and waited_s >= RATE_WAIT_S)


def _rate_hz(readings: Sequence[_Reading]) -> float:
    """Of the stamps where they move on, else of the arrivals; 0 if neither does."""
    stamps = [source_s for source_s, _, _ in readings if source_s is not None]
    for times in (stamps, [received_s for _, received_s, _ in readings]):
        steps = [b - a for a, b in pairwise(times) if b > a]
        if steps:
            return 1.0 / median(steps)
    return 0.0
