"""The provenance of a value: its confidence, source and age. Computed when somebody asks."""

from __future__ import annotations

from pitwall.contract.status import Provenance
from pitwall.telemetry.quality import ChannelJudge
from pitwall.telemetry.reckoning import Reckoner

# What is derived is worth less than what is measured: g from GPS is 0.15 s old, a course from positions
# 0.4 s, a counted gear may be the wrong one. (signal: source, confidence)
DERIVED = {
    "g_lat": ("GPS speed and course", 0.7),
    "g_long": ("GPS speed", 0.7),
    "heading_deg": ("GPS positions", 0.8),
    "speed_mps": ("GPS positions", 0.6),
    "gear": ("rpm and speed", 0.8),
}
# A channel that repeats itself in its rows is older than its stamps say.
SLOW = 0.8
# At its age limit a value still has half its confidence; beyond it none.
FADE = 0.5
# A reckoned place that may be 5 m off, or a speed that may be 1 m/s off, is worth half.
HALF_APART_M, HALF_SPEED_MPS = 5.0, 1.0
# A fix is as good as any other signal of a receiver for so long.
FIX_STALE_S = 0.5


def of_channel(ch: ChannelJudge, source: str, t: float, value: float | None) -> Provenance:
    """A value that a sensor serves."""
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
    """Latitude or longitude, `value` as in the last frame: of the fix of `fix_t`, or carried on from it."""
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
    """Return what stands in for a signal that no sensor serves now, if the last frame had a value; else
    `found`."""
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
    """No source has it."""
    return Provenance(signal, None, 0.0, "", None, "no source has it")


def halved(error: float, half: float) -> float:
    """Confidence in a value with this standard deviation: 1 at none, a half at `half`."""
    return 1.0 / (1.0 + (error / half) ** 2)
