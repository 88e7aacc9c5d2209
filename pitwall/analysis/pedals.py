"""Pedal work in one corner: coasting, the brake release, the throttle."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitwall.analysis.drive import Moments, measured
from pitwall.track.braking import PRESSED_BAR, PRESSED_PCT, nth_least, rest_level

# A pedal at rest wanders by a few per cent of its travel.
REST_SHARE = 0.05
# Half the travel is an intention; less may be holding the speed in a long corner.
COMMITTED_SHARE = 0.5
# A switch reads 0 and 1, or 0 and 100: it tells when, never how hard.
SWITCH_MOST = 1.5
# The release is what lies between nine and one tenth of the peak pressure.
HIGH_SHARE, LOW_SHARE = 0.9, 0.1
# Less than so much at its peak is a touch of the brakes; its release has no shape to speak of.
SHAPED_BAR = 8.0
# Off both pedals below walking pace is standing, not coasting.
COASTING_MPS = 5.0
# A longer step between samples is a hole, in which the pedals are not known.
HOLE_S = 0.6


class PedalRange(msgspec.Struct, frozen=True):
    """Where the pedals rest and end in one session; None where the signal is missing.

    `brake` says which signal is read: pressure before pedal position.
    """

    throttle_rest_pct: float | None
    throttle_full_pct: float | None
    brake: str
    brake_pressed: float


class PedalWork(msgspec.Struct, frozen=True):
    """Pedal work in one pass. None: the signal is missing, or there was nothing of the kind.

    `coast_s`: off both pedals. `peak_brake_bar`, and from 90 to 10 per cent of it `release_s` seconds.
    `off_brake_m`, `throttle_m`: track distances where the brakes were let go for good, and where the throttle
    passed half its travel for good.
    """

    coast_s: float | None
    peak_brake_bar: float | None
    release_s: float | None
    off_brake_m: float | None
    throttle_m: float | None


NO_WORK = PedalWork(None, None, None, None, None)


def feet_of(moments: Moments) -> PedalRange:
    """The rest and the end of each pedal, from a whole session."""
    throttle, bars = measured(moments.throttle_pct), measured(moments.brake_bar)
    rest_pct = full_pct = None
    if throttle and max(throttle) - min(throttle) > PRESSED_PCT:
        count = len(throttle)
        rest_pct, full_pct = nth_least(throttle, count // 20), nth_least(throttle, count - 1 - count // 50)
    least = max(len(moments), 1)
    if len(bars) * 20 >= least:
        rest = rest_level(bars)
        if max(bars) - rest > PRESSED_BAR:
            return PedalRange(rest_pct, full_pct, "brake_bar", rest + PRESSED_BAR)
    pcts = measured(moments.brake_pct)
    if len(pcts) * 20 >= least and (most_pct := max(pcts)) > 0.5:
        pressed = 0.5 if most_pct <= SWITCH_MOST else rest_level(pcts) + PRESSED_PCT
        return PedalRange(rest_pct, full_pct, "brake_pct", pressed)
    return PedalRange(rest_pct, full_pct, "", 0.0)


def work_of(moments: Moments, feet: PedalRange, span: slice, apex_index: int) -> PedalWork:
    """The pedal work in the moments of one pass (`span`), from the brake zone to the run after the exit.
    `apex_index` is the place of the slowest moment among them: braking is looked for before it and a little
    after."""
    t, distance_m = moments.t[span], moments.distance_m[span]
    if not t:
        return NO_WORK
    brake = getattr(moments, feet.brake)[span] if feet.brake else []
    throttle = moments.throttle_pct[span]
    peak_bar, release_s = _release(t, brake, feet, apex_index) if feet.brake == "brake_bar" else (None, None)
    coast_s = None
    if feet.throttle_rest_pct is not None and feet.throttle_full_pct is not None and feet.brake:
        coast_s = _coast_s(t, moments.speed_mps[span], throttle, brake, feet)
    pressed = feet.brake_pressed
    return PedalWork(
        coast_s,
        peak_bar,
        release_s,
        next(
            (
                distance_m[i]
                for i in range(len(brake) - 1, -1, -1)
                if (value := brake[i]) is not None and value > pressed and distance_m[i] is not None
            ),
            None,
        ),
        _throttle_m(distance_m, throttle, feet, apex_index) if feet.throttle_full_pct is not None else None,
    )


def _coast_s(
    t: Sequence[float],
    speed_mps: Sequence[float | None],
    throttle: Sequence[float | None],
    brake: Sequence[float | None],
    feet: PedalRange,
) -> float:
    rest, full = feet.throttle_rest_pct or 0.0, feet.throttle_full_pct or 0.0
    closed, pressed = rest + REST_SHARE * (full - rest), feet.brake_pressed
    total_s = 0.0
    for i, (pct, value) in enumerate(zip(throttle[:-1], brake, strict=False)):
        if pct is None or pct > closed or value is None or value > pressed:
            continue
        step_s = t[i + 1] - t[i]
        if step_s > HOLE_S or (speed_mps[i] or 0.0) < COASTING_MPS:
            continue
        total_s += step_s
    return total_s


def _release(
    t: Sequence[float], brake: Sequence[float | None], feet: PedalRange, apex_index: int
) -> tuple[float | None, float | None]:
    """The peak pressure above rest, and the seconds from the last 90 % of it to the first 10 % after that."""
    rest = feet.brake_pressed - PRESSED_BAR
    peak_bar = max(measured(brake[: apex_index + 1]), default=rest) - rest
    if peak_bar < SHAPED_BAR:
        return None, None
    bars = [(value if value is not None else rest) - rest for value in brake]
    high_bar, low_bar = HIGH_SHARE * peak_bar, LOW_SHARE * peak_bar
    high = next(i for i in range(apex_index, -1, -1) if bars[i] >= high_bar)
    low = next((i for i in range(high + 1, len(bars)) if bars[i] <= low_bar), None)
    if low is None:
        return peak_bar, None
    # Interpolated between the two readings, else a 10 Hz logger tells tenths only.
    above = bars[low - 1]
    share = (above - low_bar) / (above - bars[low]) if above > bars[low] else 1.0
    return peak_bar, t[low - 1] + share * (t[low] - t[low - 1]) - t[high]


def _throttle_m(
    distance_m: Sequence[float | None], throttle: Sequence[float | None], feet: PedalRange, from_index: int
) -> float | None:
    """Where the throttle passed half its travel from the slowest point on, for at least two moments."""
    rest, full = feet.throttle_rest_pct or 0.0, feet.throttle_full_pct or 100.0
    half = rest + COMMITTED_SHARE * (full - rest)
    was_open = False
    for i in range(from_index, len(throttle)):
        value = throttle[i]
        is_open = value is not None and value > half
        if is_open and was_open:
            return distance_m[i - 1]
        was_open = is_open
    return None
