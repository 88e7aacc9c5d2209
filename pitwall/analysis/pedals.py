"""Pedal work in one corner: coasting, the brake release, the throttle."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import msgspec

from pitwall.analysis.drive import DriveSample
from pitwall.track.braking import PRESSED_BAR, PRESSED_PCT, Rest

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


def feet_of(moments: Sequence[DriveSample]) -> PedalRange:
    """The rest and the end of each pedal, from a whole session."""
    throttle = sorted(m.throttle_pct for m in moments if m.throttle_pct is not None)
    bar, pct = Rest(), Rest()
    bars = pcts = 0
    for moment in moments:
        if moment.brake_bar is not None:
            bar.add(moment.brake_bar)
            bars += 1
        if moment.brake_pct is not None:
            pct.add(moment.brake_pct)
            pcts += 1
    rest_pct = full_pct = None
    if throttle and throttle[-1] - throttle[0] > PRESSED_PCT:
        rest_pct, full_pct = throttle[len(throttle) // 20], throttle[-1 - len(throttle) // 50]
    if bars * 20 >= max(len(moments), 1) and bar.highest - bar.level() > PRESSED_BAR:
        return PedalRange(rest_pct, full_pct, "brake_bar", bar.level() + PRESSED_BAR)
    if pcts * 20 >= max(len(moments), 1) and pct.highest > 0.5:
        switch = pct.highest <= SWITCH_MOST
        return PedalRange(rest_pct, full_pct, "brake_pct", 0.5 if switch else pct.level() + PRESSED_PCT)
    return PedalRange(rest_pct, full_pct, "", 0.0)


def work_of(moments: Sequence[DriveSample], feet: PedalRange, apex_index: int) -> PedalWork:
    """The pedal work in the moments of one pass, from the brake zone to the run after the exit. `apex_index`
    is the place of the slowest moment among them: braking is looked for before it and a little after."""
    if not moments:
        return NO_WORK
    pressed = _pressed(feet)
    open_ = _open(feet)
    peak_bar, release_s = _release(moments, feet, apex_index)
    return PedalWork(
        _coast_s(moments, feet, pressed),
        peak_bar,
        release_s,
        _last(moments, pressed) if feet.brake else None,
        _last_beginning(moments, open_, apex_index) if feet.throttle_full_pct is not None else None,
    )


def _pressed(feet: PedalRange) -> Callable[[DriveSample], bool | None]:
    def pressed(moment: DriveSample) -> bool | None:
        value: float | None = getattr(moment, feet.brake) if feet.brake else None
        return None if value is None else value > feet.brake_pressed

    return pressed


def _open(feet: PedalRange) -> Callable[[DriveSample], bool | None]:
    rest, full = feet.throttle_rest_pct or 0.0, feet.throttle_full_pct or 100.0

    def open_(moment: DriveSample) -> bool | None:
        value = moment.throttle_pct
        return None if value is None else value > rest + COMMITTED_SHARE * (full - rest)

    return open_


def _coast_s(
    moments: Sequence[DriveSample], feet: PedalRange, pressed: Callable[[DriveSample], bool | None]
) -> float | None:
    if feet.throttle_rest_pct is None or feet.throttle_full_pct is None or not feet.brake:
        return None
    closed = feet.throttle_rest_pct + REST_SHARE * (feet.throttle_full_pct - feet.throttle_rest_pct)
    total_s = 0.0
    for moment, after in itertools.pairwise(moments):
        step_s = after.t - moment.t
        if step_s > HOLE_S or moment.throttle_pct is None or (moment.speed_mps or 0.0) < COASTING_MPS:
            continue
        if moment.throttle_pct <= closed and pressed(moment) is False:
            total_s += step_s
    return total_s


def _release(
    moments: Sequence[DriveSample], feet: PedalRange, apex_index: int
) -> tuple[float | None, float | None]:
    """The peak pressure above rest, and the seconds from the last 90 % of it to the first 10 % after that."""
    if feet.brake != "brake_bar":
        return None, None
    rest = feet.brake_pressed - PRESSED_BAR
    bars = [(m.brake_bar if m.brake_bar is not None else rest) - rest for m in moments]
    peak_bar = max(bars[: apex_index + 1], default=0.0)
    if peak_bar < SHAPED_BAR:
        return None, None
    high = max(i for i in range(apex_index + 1) if bars[i] >= HIGH_SHARE * peak_bar)
    low = next((i for i in range(high + 1, len(bars)) if bars[i] <= LOW_SHARE * peak_bar), None)
    if low is None:
        return peak_bar, None
    # Interpolated between the two readings, else a 10 Hz logger tells tenths only.
    above = bars[low - 1]
    share = (above - LOW_SHARE * peak_bar) / (above - bars[low]) if above > bars[low] else 1.0
    return peak_bar, moments[low - 1].t + share * (moments[low].t - moments[low - 1].t) - moments[high].t


def _last(moments: Sequence[DriveSample], holds: Callable[[DriveSample], bool | None]) -> float | None:
    """Where it held last."""
    return next((m.distance_m for m in reversed(moments) if holds(m) and m.distance_m is not None), None)


def _last_beginning(
    moments: Sequence[DriveSample], holds: Callable[[DriveSample], bool | None], from_index: int
) -> float | None:
    """Where it began to hold from the slowest point on, and went on for at least two moments."""
    for i in range(from_index, len(moments) - 1):
        if holds(moments[i]) and holds(moments[i + 1]):
            return moments[i].distance_m
    return None
