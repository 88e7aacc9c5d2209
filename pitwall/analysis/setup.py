"""Find set-up indicators: the car's balance from steering, yaw rate and lateral acceleration."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from operator import mul
from statistics import fmean
from typing import Literal, NamedTuple

import msgspec

from pitwall.analysis.drive import Drive
from pitwall.words.language import ENGLISH

# With less cornering, the road's crown and the driver's hands hide the car's balance.
LEAST_G, LEAST_MPS = 0.3, 12.0
# Steering must be known in at least this share of the cornering.
LEAST_COVERAGE = 0.1
# With fewer samples the fit depends on a single corner.
FEWEST_MOMENTS = 200
# Degrees of wheel per g: the accuracy of steering sensors.
NEUTRAL_DEG_PER_G = 3.0
# Steering against the turn while it turns: catching the rear. Shorter is a kerb.
CATCH_DEG, CATCH_S, CATCH_G = 5.0, 0.2, 0.4
G_MPS2 = 9.81
Balance = Literal["understeer", "neutral", "oversteer", "unknown"]


class SetupIndicators(msgspec.Struct, frozen=True, kw_only=True):
    """The balance of flying laps. `gradient_deg_per_g`: degrees of steering wheel that each g
    costs over what the curve alone needs (Milliken, Race Car Vehicle Dynamics, chapter 5: delta
    = ratio * L / R + K * a_y; least squares); positive understeers. `caught_slides`: how often
    the wheel was turned against the corner."""

    balance: Balance
    gradient_deg_per_g: float | None
    caught_slides: int | None
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def find_setup(drive: Drive) -> SetupIndicators:
    """Find the balance, and what the data lack."""
    wanted = ("steering_deg", "yaw_rate_dps", "g_lat")
    turning = _turning(drive)
    known_steering = [each is not None for each in turning.steering_deg]
    left, right = _coverage(turning, known_steering, 1.0), _coverage(turning, known_steering, -1.0)
    # A dead sensor may be trusted for a while, so the samples in corners decide.
    dead = {"steering_deg"} if max(left, right) < LEAST_COVERAGE else set()
    missing = tuple(name for name in wanted if name not in drive.signals or name in dead)
    count = sum(known_steering)
    known = "steering_deg" not in missing and "g_lat" not in missing and count >= FEWEST_MOMENTS
    gradient = _gradient(*_factors(turning, known_steering)) if known else None
    return SetupIndicators(
        balance=_balance(gradient),
        gradient_deg_per_g=gradient,
        caught_slides=_caught(turning) if known else None,
        missing=missing,
        notes=setup_notes(missing, left, right, known=known),
    )


class Turning(NamedTuple):
    """The hard cornering of the flying laps by column."""

    t: list[float]
    speed_mps: list[float]
    g_lat: list[float]
    steering_deg: list[float | None]
    yaw_rate_dps: list[float | None]


def _turning(drive: Drive) -> Turning:
    found = Turning([], [], [], [], [])
    moments = drive.moments
    for lap in drive.flying:
        span = moments.span(lap.start_t, lap.end_t)
        kept = [
            g is not None and (g >= LEAST_G or g <= -LEAST_G) and mps is not None and mps >= LEAST_MPS
            for g, mps in zip(moments.g_lat[span], moments.speed_mps[span], strict=True)
        ]
        for name in Turning._fields:
            getattr(found, name).extend(compress(getattr(moments, name)[span], kept))
    return found


def _coverage(turning: Turning, known_steering: Sequence[bool], side: float) -> float:
    own = [known for g, known in zip(turning.g_lat, known_steering, strict=True) if g * side > 0.0]
    return sum(own) / len(own) if own else 0.0


def setup_notes(missing: Sequence[str], left: float, right: float, *, known: bool) -> tuple[str, ...]:
    """Say what the balance lacks; `known`: whether there is one."""
    words = ENGLISH
    notes = [words.say("note missing", channel=words.term("channel", name)) for name in missing]
    if "yaw_rate_dps" in missing and "steering_deg" not in missing:
        notes.append(words.say("note without yaw"))
    for share, key in ((left, "note left turns"), (right, "note right turns")):
        if "steering_deg" not in missing and share < 0.5:
            notes.append(words.say(key, share=share))
    if not known:
        notes.append(words.say("note balance unknown"))
    return tuple(notes)


def _factors(turning: Turning, kept: Sequence[bool]) -> tuple[list[float], list[float], list[float]]:
    rows = zip(turning.speed_mps, turning.g_lat, turning.yaw_rate_dps, strict=True)
    curves = [
        yaw_rate_dps / mps if yaw_rate_dps is not None else g * G_MPS2 / (mps * mps) * 57.2958
        for mps, g, yaw_rate_dps in compress(rows, kept)
    ]
    steering = [deg or 0.0 for deg in compress(turning.steering_deg, kept)]
    return curves, list(compress(turning.g_lat, kept)), steering


def _gradient(curve: Sequence[float], g_lat: Sequence[float], steering: Sequence[float]) -> float | None:
    """Fit K of steering = zero + ratio * curvature + K * g, least squares; None: can't."""
    c, g, s = (
        [value - mean for value in column] for column in (curve, g_lat, steering) for mean in (fmean(column),)
    )
    cc, gg, cg = _dot(c, c), _dot(g, g), _dot(c, g)
    apart = cc * gg - cg * cg
    if apart <= 1e-4 * _dot(curve, curve) * _dot(g_lat, g_lat):
        return None
    return (cc * _dot(g, s) - cg * _dot(c, s)) / apart


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))


def _balance(gradient: float | None) -> Balance:
    if gradient is None:
        return "unknown"
    if abs(gradient) < NEUTRAL_DEG_PER_G:
        return "neutral"
    return "understeer" if gradient > 0.0 else "oversteer"


def _caught(turning: Turning) -> int:
    rows = zip(turning.t, turning.g_lat, turning.steering_deg, strict=True)
    against = [
        t
        for t, g, deg in rows
        if deg is not None and ((g >= CATCH_G and deg <= -CATCH_DEG) or (g <= -CATCH_G and deg >= CATCH_DEG))
    ]
    count, begin, last = 0, None, None
    for t in (*sorted(against), float("inf")):
        if last is not None and begin is not None and t - last > CATCH_S:
            count += last - begin >= CATCH_S
            begin = None
        begin = t if begin is None else begin
        last = t
    return count
