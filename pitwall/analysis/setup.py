"""Set-up indicators: the car's balance from steering, yaw rate and lateral acceleration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from pitwall.analysis.drive import Drive, DriveSample
from pitwall.words.language import ENGLISH, Language

# With less cornering, the road's crown and the driver's hands hide the car's balance.
LEAST_G, LEAST_MPS = 0.3, 12.0
# Steering must be known in at least this share of the cornering.
LEAST_COVERAGE = 0.1
# With fewer samples the fit depends on a single corner.
FEWEST_MOMENTS = 200
# A smaller gradient is neutral within the accuracy of steering sensors, degrees of wheel per g.
NEUTRAL_DEG_PER_G = 3.0
# Steering against the turn while it turns: catching the rear. Shorter is a kerb.
CATCH_DEG, CATCH_S, CATCH_G = 5.0, 0.2, 0.4
G_MPS2 = 9.81
Balance = Literal["understeer", "neutral", "oversteer", "unknown"]


class SetupIndicators(msgspec.Struct, frozen=True, kw_only=True):
    """The balance of one session's flying laps.

    `gradient_deg_per_g`: degrees of steering wheel that each g costs over what the curve alone needs
    (Milliken, Race Car Vehicle Dynamics, chapter 5: delta = ratio * L / R + K * a_y; least squares);
    positive understeers. Halves: the same with the slower and the faster half of the moments.
    `coverage_left`, `coverage_right`: share of the hard cornering in which steering could be read.
    `caught_slides`: how often the wheel was turned against the corner.
    """

    session: str
    laps: tuple[int, ...]
    balance: Balance
    gradient_deg_per_g: float | None
    slow_gradient_deg_per_g: float | None
    fast_gradient_deg_per_g: float | None
    caught_slides: int | None
    coverage_left: float
    coverage_right: float
    used: tuple[str, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def find_setup(drive: Drive) -> SetupIndicators:
    """What the data says of the balance, and what it lacks; nothing is guessed for a missing signal."""
    wanted = ("steering_deg", "yaw_rate_dps", "g_lat")
    turning = [m for m in _flying(drive) if _turns(m)]
    left, right = _coverage(turning, 1.0), _coverage(turning, -1.0)
    # A dead sensor may be trusted for a while, so the samples in corners decide.
    dead = {"steering_deg"} if max(left, right) < LEAST_COVERAGE else set()
    used = tuple(name for name in wanted if name in drive.signals and name not in dead)
    missing = tuple(name for name in wanted if name not in used)
    steered = [m for m in turning if m.steering_deg is not None]
    known = "steering_deg" not in missing and "g_lat" not in missing and len(steered) >= FEWEST_MOMENTS
    steered.sort(key=lambda m: m.speed_mps or 0.0)
    half = len(steered) // 2
    whole = _gradient(steered) if known else None
    return SetupIndicators(
        session=drive.id,
        laps=tuple(lap.number for lap in drive.flying),
        balance=_balance(whole),
        gradient_deg_per_g=whole,
        slow_gradient_deg_per_g=_gradient(steered[:half]) if known else None,
        fast_gradient_deg_per_g=_gradient(steered[half:]) if known else None,
        caught_slides=_caught(steered) if known else None,
        coverage_left=left,
        coverage_right=right,
        used=used,
        missing=missing,
        notes=setup_notes(missing, left, right, known=known),
    )


def _flying(drive: Drive) -> list[DriveSample]:
    return [m for lap in drive.flying for m in drive.between(lap.start_t, lap.end_t)]


def _turns(moment: DriveSample) -> bool:
    return abs(moment.g_lat or 0.0) >= LEAST_G and (moment.speed_mps or 0.0) >= LEAST_MPS


def _coverage(turning: Sequence[DriveSample], side: float) -> float:
    """The share of the turning to one side in which steering was known."""
    own = [m for m in turning if (m.g_lat or 0.0) * side > 0.0]
    return sum(m.steering_deg is not None for m in own) / len(own) if own else 0.0


def setup_notes(
    missing: Sequence[str], left: float, right: float, *, known: bool, words: Language = ENGLISH
) -> tuple[str, ...]:
    """What the balance of `SetupIndicators` lacks, in sentences; `known`: whether it can be told at all."""
    notes = [words.say("note missing", channel=words.term("channel", name)) for name in missing]
    if "yaw_rate_dps" in missing and "steering_deg" not in missing:
        notes.append(words.say("note without yaw"))
    for share, key in ((left, "note left turns"), (right, "note right turns")):
        if "steering_deg" not in missing and share < 0.5:
            notes.append(words.say(key, share=share))
    if not known:
        notes.append(words.say("note balance unknown"))
    return tuple(notes)


def _gradient(moments: Sequence[DriveSample]) -> float | None:
    """K of steering = zero + ratio * curvature + K * g, least squares, curves to both sides folded on one."""
    rows = []
    for m in moments:
        speed, g_lat, yaw = m.speed_mps or 0.0, m.g_lat or 0.0, m.yaw_rate_dps
        curve = yaw / speed if yaw is not None else g_lat * G_MPS2 / speed**2 * 57.2958
        rows.append((1.0, curve, g_lat, m.steering_deg or 0.0))
    solved = _least_squares(rows)
    return None if solved is None else solved[2]


def _least_squares(rows: Sequence[tuple[float, float, float, float]]) -> tuple[float, float, float] | None:
    """The coefficients by the normal equations and Cramer's rule; None where the data can't part them."""
    a = [[sum(row[i] * row[j] for row in rows) for j in range(3)] for i in range(3)]
    b = [sum(row[i] * row[3] for row in rows) for i in range(3)]
    whole = _det(a)
    scale = a[0][0] * a[1][1] * a[2][2]
    if scale <= 0.0 or abs(whole) < 1e-4 * scale:
        return None
    one, two, three = (
        _det([[b[i] if j == k else a[i][j] for j in range(3)] for i in range(3)]) / whole for k in range(3)
    )
    return one, two, three


def _det(m: list[list[float]]) -> float:
    return (
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    )


def _balance(gradient: float | None) -> Balance:
    if gradient is None:
        return "unknown"
    if abs(gradient) < NEUTRAL_DEG_PER_G:
        return "neutral"
    return "understeer" if gradient > 0.0 else "oversteer"


def _against(moment: DriveSample) -> bool:
    g_lat, steering_deg = moment.g_lat or 0.0, moment.steering_deg or 0.0
    return abs(g_lat) >= CATCH_G and steering_deg * math.copysign(1.0, g_lat) <= -CATCH_DEG


def _caught(steered: Sequence[DriveSample]) -> int:
    """Times that the wheel was held against the turn for a fifth of a second."""
    against = sorted(m.t for m in steered if _against(m))
    count, begin, last = 0, None, None
    for t in (*against, float("inf")):
        if last is not None and begin is not None and t - last > CATCH_S:
            count += last - begin >= CATCH_S
            begin = None
        begin = t if begin is None else begin
        last = t
    return count
