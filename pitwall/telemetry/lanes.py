"""A stream's way into fusion: which receiver is used; confidence, source and age."""

from __future__ import annotations

import math

from pitwall.contract.status import Provenance
from pitwall.telemetry.agreement import REFERENCES, Agreement
from pitwall.telemetry.findings import Finding, FindingLog
from pitwall.telemetry.fix import FixJudge
from pitwall.telemetry.lag import LagWatch
from pitwall.telemetry.motion import Block
from pitwall.telemetry.quality import ChannelJudge, SignalJudge
from pitwall.telemetry.reckoning import Reckoner
from pitwall.telemetry.sample import Stream, Values

# The car's own motion ends below 5 Hz.
CUTOFF_HZ = 12.0
# Too near to half the rate nothing is left to filter.
LEAST_RATE_HZ = 2.5 * CUTOFF_HZ
# The design follows the stream's rate in steps of this much, against jitter.
RATE_STEP = 0.1
# After a hole the past says nothing.
HOLE_STEPS = 5.0


def coefficients(rate_hz: float) -> tuple[float, float, float, float, float]:
    """Return (b0, b1, b2, a1, a2) of a Butterworth low-pass: bilinear transform of 1 / (s² +
    sqrt(2) s + 1), pre-warped (Oppenheim and Schafer, section 7.1)."""
    k = math.tan(math.pi * CUTOFF_HZ / rate_hz)
    scale = 1.0 / (1.0 + math.sqrt(2.0) * k + k * k)
    b0 = k * k * scale
    return b0, 2.0 * b0, b0, 2.0 * (k * k - 1.0) * scale, (1.0 - math.sqrt(2.0) * k + k * k) * scale


class LowPass:
    """A channel's filter at `CUTOFF_HZ`; restarts after a hole."""

    def __init__(self) -> None:
        self._b0 = self._b1 = self._b2 = self._a1 = self._a2 = 0.0
        self._step_s = 0.0
        self._t = -math.inf
        self._x1 = self._x2 = self._y1 = self._y2 = 0.0

    def feed(self, t: float, x: float, step_s: float) -> float:
        """Return the filtered reading; `step_s`: the usual time between two."""
        if step_s <= 0.0 or step_s * LEAST_RATE_HZ > 1.0:
            self._t = -math.inf
            return x
        if abs(step_s - self._step_s) > RATE_STEP * self._step_s:
            self._step_s = step_s
            self._b0, self._b1, self._b2, self._a1, self._a2 = coefficients(1.0 / step_s)
        if t - self._t > HOLE_STEPS * self._step_s:
            self._x1 = self._x2 = self._y1 = self._y2 = x
        self._t = t
        x1, y1 = self._x1, self._y1
        y = self._b0 * x + self._b1 * x1 + self._b2 * self._x2 - self._a1 * y1 - self._a2 * self._y2
        self._x2, self._x1, self._y2, self._y1 = x1, x, y1, y
        return y


# A channel distrusted for these says nothing that could be compared.
SILENT = ("stuck", "stale")
# A receiver is silent after so long, or this many of its own steps.
SILENT_S, SILENT_STEPS = 0.3, 2.5
# How fast the usual step follows; a longer one is a hole.
FOLLOW, STEP_MOST_S = 0.1, 2.0
# Good and usable receivers, by the step between their fixes.
GOOD_STEP_S, USABLE_STEP_S = 0.13, 0.35
# With few satellites a receiver with this many more is the better one.
FEW_SATELLITES, MORE_SATELLITES = 7.0, 4.0
# A better receiver is good for so long before it takes over from a living one.
PROVEN_S = 5.0


class StreamLane:
    """A stream's judge, its filters, and its record as a receiver."""

    def __init__(self, stream: Stream, tallies: FindingLog) -> None:
        columns = {channel.name: column for column, channel in enumerate(stream.channels)}
        self.judge = SignalJudge(stream, tallies, tuple(REFERENCES))
        self.lat, self.lon = columns.get("lat_deg", -1), columns.get("lon_deg", -1)
        self.fix = FixJudge(tallies) if self.lat >= 0 and self.lon >= 0 else None
        channels = {ch.name: ch for ch in self.judge.channels}
        self.speed, self.heading = channels.get("speed_mps"), channels.get("heading_deg")
        self.satellites = channels.get("satellites")
        self.shaken = tuple((ch, LowPass()) for ch in self.judge.channels if ch.signal.shaken)
        self.pairs = tuple(
            (ch, Agreement(REFERENCES[ch.name], ch.signal.unit)) for ch in self.judge.channels if ch.paired
        )
        self.lag = LagWatch()
        self.fixed_t = -math.inf
        self.step_s = 0.0
        self._good_since = -math.inf

    def smooth(self, t: float, values: Values, held: list[float | None]) -> None:
        """Filter what the judge has just put."""
        step_s = self.judge.step_s
        if step_s * LEAST_RATE_HZ > 1.0:
            return
        for ch, low_pass in self.shaken:
            v = values[ch.column]
            if v is not None and ch.owned and ch.t == t and held[ch.index] is not None:
                held[ch.index] = low_pass.feed(t, v, step_s)

    def fixed(self, t: float) -> None:
        """Note a believed fix."""
        step_s = t - self.fixed_t
        if self.is_silent(t):
            self._good_since = t
        if step_s <= STEP_MOST_S:
            self.step_s = step_s if self.step_s == 0.0 else self.step_s + FOLLOW * (step_s - self.step_s)
        self.fixed_t = t

    def is_silent(self, t: float) -> bool:
        """Return whether a fix is overdue."""
        return t - self.fixed_t > max(SILENT_S, SILENT_STEPS * self.step_s)

    def is_better_than(self, other: StreamLane, t: float) -> bool:
        """Return whether this receiver is clearly better; never true both ways."""
        if t - self._good_since < PROVEN_S:
            return False
        mine, theirs = _grade(self.step_s), _grade(other.step_s)
        if mine != theirs:
            return mine > theirs
        have, has = _satellites(self, t), _satellites(other, t)
        return has is not None and have is not None and has < FEW_SATELLITES and have >= has + MORE_SATELLITES

    def compare(self, block: Block | None, tallies: FindingLog) -> None:
        """Compare every sensor with GPS over a block (None: unusable)."""
        for ch, agreement in self.pairs:
            if ch.standing is not None and ch.standing.kind in SILENT:
                agreement.forget()
            elif block is not None and ch.pair_n:
                agreement.add(block, ch.pair_sum / ch.pair_n)
                _decide(ch, agreement, block.t, tallies)
            ch.pair_sum, ch.pair_n = 0.0, 0

    def forget_compared(self, t: float) -> None:
        """Forget what was compared."""
        for ch, agreement in self.pairs:
            agreement.forget()
            ch.pair_sum, ch.pair_n = 0.0, 0
            if ch.standing is not None and ch.standing.kind not in SILENT:
                ch.clear(t)

    def findings(self) -> list[Finding]:
        """Slow channels, as known so far."""
        return self.judge.slow_findings()


def _decide(ch: ChannelJudge, agreement: Agreement, t: float, tallies: FindingLog) -> None:
    standing = ch.standing
    complaint = agreement.complaint(standing is not None)
    if complaint is not None:
        if standing is None or standing.kind != complaint.kind:
            ch.distrust(tallies.open(complaint.kind, ch.name, t, complaint.detail))
    elif standing is not None:
        ch.clear(t)


def _grade(step_s: float) -> int:
    return 2 if step_s <= GOOD_STEP_S else 1 if step_s <= USABLE_STEP_S else 0


def _satellites(lane: StreamLane, t: float) -> float | None:
    ch = lane.satellites
    return ch.good if ch is not None and ch.alive(t) else None


# (signal: source, confidence): g from GPS is 0.15 s old, a course from positions 0.4 s, a counted
# gear may be wrong.
DERIVED = {
    "g_lat": ("GPS speed and course", 0.7),
    "g_long": ("GPS speed", 0.7),
    "heading_deg": ("GPS positions", 0.8),
    "speed_mps": ("GPS positions", 0.6),
    "gear": ("rpm and speed", 0.8),
}
# A channel that repeats itself in its rows is older than its stamps say.
SLOW = 0.8
# At its age limit a value has half its confidence.
FADE = 0.5
# A place that may be 5 m off, or a speed 1 m/s, is worth half.
HALF_APART_M, HALF_SPEED_MPS = 5.0, 1.0
# A fix is as good as any other signal of a receiver for so long.
FIX_STALE_S = 0.5


def of_channel(ch: ChannelJudge, source: str, t: float, value: float | None) -> Provenance:
    """Return a sensor's value."""
    age_s = max(t - ch.t, 0.0) if ch.good is not None else None
    if ch.standing is not None:
        reason = f"{ch.standing.kind}: {ch.standing.detail}"
        return Provenance(ch.name, None, 0.0, source, age_s, reason, ch.standing.kind == "stuck")
    if age_s is None:
        return Provenance(ch.name, None, 0.0, source, None, "no reading that can be believed yet")
    if age_s > ch.stale_after_s:
        return Provenance(ch.name, None, 0.0, source, age_s, f"no reading for {age_s:.1f} s")
    if ch.ok_from > t:
        return Provenance(ch.name, None, 0.0, source, age_s, "was wrong and is watched until it stays right")
    if value is None:
        return Provenance(ch.name, None, 0.0, source, age_s, "the last reading was not believed")
    slow = ch.true_step_rows is not None
    confidence = (1.0 - FADE * age_s / ch.stale_after_s) * (SLOW if slow else 1.0)
    return Provenance(ch.name, value, confidence, source, age_s, "slower than its rows" if slow else "")


def of_position(
    signal: str, value: float | None, t: float, source: str, fix_t: float, reckoner: Reckoner | None
) -> Provenance:
    """Return latitude or longitude of the last frame: of a fix, or carried on from it."""
    if not source:
        return nothing(signal)
    age_s = max(t - fix_t, 0.0)
    if value is None:
        return Provenance(signal, None, 0.0, source, age_s, f"no fix for {age_s:.1f} s")
    if reckoner is not None and reckoner.trusted and t > fix_t:
        by = f"{source}, carried on by {reckoner.way}"
        confidence = halved(reckoner.apart_m, HALF_APART_M)
        return Provenance(signal, value, confidence, by, age_s, f"may be {reckoner.apart_m:.1f} m off")
    confidence = max(1.0 - FADE * age_s / FIX_STALE_S, 0.0)
    return Provenance(signal, value, confidence, source, age_s, "" if confidence else "an old fix")


def derived(
    found: Provenance, value: float | None, g_from_gps: bool, reckoner: Reckoner | None
) -> Provenance:
    """Return the substitute for an unserved signal, if the last frame had one; else `found`."""
    signal = found.signal
    if value is None:
        return found
    if signal == "speed_mps" and reckoner is not None and reckoner.speed_mps is not None:
        confidence = halved(reckoner.speed_sigma_mps, HALF_SPEED_MPS)
        return Provenance(signal, value, confidence, "wheels and acceleration", 0.0, found.reason)
    source, confidence = DERIVED.get(signal, ("", 0.0))
    if not source or (signal in ("g_lat", "g_long") and not g_from_gps):
        return found
    return Provenance(signal, value, confidence, source, 0.0, found.reason)


def nothing(signal: str) -> Provenance:
    """Say that no source has it."""
    return Provenance(signal, None, 0.0, "", None, "no source has it")


def halved(error: float, half: float) -> float:
    """Return the confidence in a value with this error: a half at `half`."""
    return 1.0 / (1.0 + (error / half) ** 2)
