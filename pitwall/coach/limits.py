"""The engine's limits as a table, and a watch that reports each excess once."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pitwall.telemetry.frame import Frame


class Limit(msgspec.Struct, frozen=True):
    """A limit. Past `trigger` for `persist_s` it is said; again only after it was back behind
    `clear` for `clear_s`, or when `repeat_s` have gone by.

    A sensor that never read better than `clear` is not believed: it may not be connected. `above`:
    too high is bad. `least_rpm`: only where the engine turns at least so fast.
    """

    signal: str
    phrase: str
    above: bool
    trigger: float
    persist_s: float
    clear: float
    clear_s: float
    repeat_s: float
    least_rpm: float
    reason: str


LIMITS: tuple[Limit, ...] = (
    Limit(
        "oil_bar", "oil_pressure", False, 1.0, 1.0, 1.5, 5.0, 20.0, 3000.0,
        "a healthy engine holds 0.7 bar per 1,000 rpm; surge in a long corner lasts under a second",
    ),
    Limit(
        "coolant_c", "coolant_hot", True, 115.0, 5.0, 108.0, 10.0, 120.0, 0.0,
        "a 1.3 bar cap boils at about 125 degC; one lap's heat soak is over in 5 s",
    ),
    Limit(
        "oil_temp_c", "oil_hot", True, 145.0, 5.0, 138.0, 10.0, 120.0, 0.0,
        "synthetic oil thins and oxidises above 150 degC",
    ),
)  # fmt: skip


def warnings(fixed: Mapping[str, str]) -> frozenset[str]:
    """Return what is said past a limit, of the words `fixed` of a language."""
    return frozenset(fixed[limit.phrase] for limit in LIMITS)


class LimitWatch:
    """Feeds one limit. `feed` returns the reason when the driver is to hear it, else ""."""

    __slots__ = ("_armed", "_bad_t", "_good_t", "_told_t", "limit")

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._armed = False
        self._bad_t: float | None = None
        self._good_t: float | None = None
        self._told_t: float | None = None

    def feed(self, frame: Frame) -> str:
        """A frame. No trusted value, or too few revolutions: nothing is known, and nothing is
        counted."""
        limit = self.limit
        value: float | None = getattr(frame, limit.signal)
        slow = limit.least_rpm > 0.0 and (frame.rpm is None or frame.rpm < limit.least_rpm)
        if value is None or slow:
            self._bad_t = self._good_t = None
            return ""
        if value < limit.clear if limit.above else value > limit.clear:
            self._armed, self._bad_t = True, None
            self._good_t = frame.t if self._good_t is None else self._good_t
            if frame.t - self._good_t >= limit.clear_s:
                self._told_t = None
            return ""
        self._good_t = None
        if value < limit.trigger if limit.above else value > limit.trigger:
            self._bad_t = None
            return ""
        self._bad_t = frame.t if self._bad_t is None else self._bad_t
        bad_s = frame.t - self._bad_t
        said = self._told_t is not None and frame.t - self._told_t < limit.repeat_s
        if not self._armed or said or bad_s < limit.persist_s:
            return ""
        self._told_t = frame.t
        word = "above" if limit.above else "below"
        return f"{limit.signal} {value:.1f}, {word} {limit.trigger:.1f} for {bad_s:.1f} s"
