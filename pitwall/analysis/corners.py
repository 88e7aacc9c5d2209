"""Measure corner passes: figures, pedal work, and the loss to the best pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from pitwall.analysis.drive import Drive, measured
from pitwall.analysis.study import Moments
from pitwall.track.braking import PRESSED_BAR, PRESSED_PCT, rest_level
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.passes import Zone, zones_of

CornerPart = Literal["braking", "middle", "exit", ""]
# Seconds lost in a corner up to which a grade goes. GPS resolves no less than the first.
GRADES: tuple[tuple[float, str], ...] = ((0.05, "A"), (0.15, "B"), (0.35, "C"), (float("inf"), "D"))


class PedalWork(msgspec.Struct, frozen=True):
    """Pedal work in one pass. None: no signal, or nothing of the kind. `coast_s`: off both pedals.
    `release_s`: from 90 to 10 % of `peak_brake_bar`. `off_brake_m`, `throttle_m`: where the brakes
    were released, and the throttle passed half its travel, for good."""

    coast_s: float | None = None
    peak_brake_bar: float | None = None
    release_s: float | None = None
    off_brake_m: float | None = None
    throttle_m: float | None = None


class PassFacts(PedalWork, frozen=True, kw_only=True):
    """A pass of a corner in a flying lap; places are track distances as the reference lap's
    receiver saw them.

    `loss_s` is against the best pass of the segment (of lap `best_lap`): by `brake_loss_s`
    (straight and brakes), `mid_loss_s` and `exit_loss_s`. None: not seen, or another corner shares
    the segment."""

    lap: int
    corner: str
    time_s: float
    entry_speed_mps: float
    min_speed_mps: float
    min_speed_m: float
    exit_speed_mps: float
    brake_m: float | None
    best_lap: int | None
    brake_loss_s: float | None
    mid_loss_s: float | None
    exit_loss_s: float | None
    loss_s: float | None


def measure_passes(drive: Drive) -> list[PassFacts]:
    """Measure every pass in a flying lap, in order. Empty without a known track."""
    if drive.track is None:
        return []
    reference = drive.reference()
    zones = {zone.corner.id: zone for zone in zones_of(drive.track, reference)}
    feet = feet_of(drive.moments)
    flying = {lap.number: lap for lap in drive.flying}
    return [
        _measured(drive, flying[each.lap], each, zones[each.corner], feet)
        for each in drive.passes
        if each.lap in flying and each.corner in zones
    ]


def _measured(drive: Drive, lap: Lap, each: CornerPass, zone: Zone, feet: PedalRange) -> PassFacts:
    shift = drive.shifts.get(each.lap)

    def seen_m(place_m: float | None) -> float | None:
        """Return a place as the reference saw it."""
        if place_m is None or shift is None:
            return place_m
        return (place_m - shift.ahead_m(place_m)) % shift.line.length_m

    loss = None if drive.study is None else drive.study.loss_of(each.lap, each.corner)
    work = _work(drive, each, feet, _ends(drive, lap, zone))
    work = msgspec.structs.replace(
        work, off_brake_m=seen_m(work.off_brake_m), throttle_m=seen_m(work.throttle_m)
    )
    return PassFacts(
        lap=each.lap,
        corner=each.corner,
        time_s=each.time_s,
        entry_speed_mps=each.entry_speed_mps,
        min_speed_mps=each.min_speed_mps,
        min_speed_m=seen_m(each.min_speed_m) or 0.0,
        exit_speed_mps=each.exit_speed_mps,
        brake_m=seen_m(each.brake_m),
        **msgspec.structs.asdict(work),
        best_lap=None if loss is None else loss.best_lap,
        brake_loss_s=None if loss is None else loss.gains_s[0] + loss.gains_s[1],
        mid_loss_s=None if loss is None else loss.gains_s[2],
        exit_loss_s=None if loss is None else loss.gains_s[3],
        loss_s=None if loss is None else loss.loss_s,
    )


def _ends(drive: Drive, lap: Lap, zone: Zone) -> tuple[float | None, float | None]:
    """Return when a corner's brake zone began and the run after its exit ended."""
    if drive.track is None:
        return None, None
    length_m, entry_m = drive.track.length_m, zone.corner.entry_m
    # A pass is of its apex's lap: a corner across the gate is entered in the lap before.
    own_entry_m = (entry_m + zone.apex_m) % length_m - zone.apex_m
    return drive.when(lap, own_entry_m + zone.start_m), drive.when(lap, own_entry_m + zone.end_m)


def _work(
    drive: Drive, each: CornerPass, feet: PedalRange, ends: tuple[float | None, float | None]
) -> PedalWork:
    start_t = ends[0] if ends[0] is not None else each.entry_t
    end_t = ends[1] if ends[1] is not None else each.exit_t
    moments = drive.moments
    span = moments.span(min(start_t, each.entry_t), max(end_t, each.exit_t))
    inner = moments.span(each.entry_t, each.exit_t)
    speeds = moments.speed_mps[inner]
    known = [mps for mps in speeds if mps is not None]
    if not known:
        return PedalWork()
    return work_of(moments, feet, span, inner.start - span.start + speeds.index(min(known)))


def by_corner(passes: list[PassFacts]) -> dict[str, list[PassFacts]]:
    """Group passes by corner in order of laps; corners in the order they were first driven."""
    grouped: dict[str, list[PassFacts]] = {}
    for each in passes:
        grouped.setdefault(each.corner, []).append(each)
    return grouped


def grade(loss_s: float | None) -> str:
    """Grade A to D by what a corner lost, "" where that is not known."""
    return "" if loss_s is None else next(letter for most_s, letter in GRADES if loss_s <= most_s)


def lost_most(each: PassFacts) -> tuple[CornerPart, float]:
    """Return the part of a corner that lost most, and its seconds; "" if timing resolves none."""
    parts: tuple[tuple[CornerPart, float | None], ...] = (
        ("braking", each.brake_loss_s), ("middle", each.mid_loss_s), ("exit", each.exit_loss_s),
    )  # fmt: skip
    part, lost_s = max(parts, key=lambda each: each[1] or 0.0)
    return (part, lost_s) if lost_s is not None and lost_s > GRADES[0][0] else ("", 0.0)


# A pedal at rest wanders by a few per cent of its travel.
REST_SHARE = 0.05
# Half the travel is an intention; less may be holding the speed in a long corner.
COMMITTED_SHARE = 0.5
# A switch reads 0 and 1, or 0 and 100: it shows when, never how hard.
SWITCH_MOST = 1.5
# The release lies between nine and one tenth of the peak pressure.
HIGH_SHARE, LOW_SHARE = 0.9, 0.1
# A lower peak is a touch of the brakes, whose release has no shape.
SHAPED_BAR = 8.0
# Off both pedals below walking pace is standing, not coasting.
COASTING_MPS = 5.0
# A longer step between samples is a hole, in which the pedals are not known.
HOLE_S = 0.6


class PedalRange(msgspec.Struct, frozen=True):
    """Where the pedals rest and end in a session; `brake` names the signal read."""

    throttle_rest_pct: float | None
    throttle_full_pct: float | None
    brake: str
    brake_pressed: float


def feet_of(moments: Moments) -> PedalRange:
    """Return the rest and the end of each pedal, from a whole session."""
    throttle, bars = measured(moments.throttle_pct), measured(moments.brake_bar)
    rest_pct = full_pct = None
    if throttle and max(throttle) - min(throttle) > PRESSED_PCT:
        count, ordered = len(throttle), sorted(throttle)
        rest_pct, full_pct = ordered[count // 20], ordered[count - 1 - count // 50]
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
    """Measure the pedals in a pass (`span`), from the brake zone to the run after the exit."""
    t, distance_m = moments.t[span], moments.distance_m[span]
    if not t:
        return PedalWork()
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
    """Return the peak pressure above rest, and the seconds from its last 90 % to the next 10 %."""
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
    # Interpolated between two readings, else a 10 Hz logger resolves only tenths.
    above = bars[low - 1]
    share = (above - low_bar) / (above - bars[low]) if above > bars[low] else 1.0
    return peak_bar, t[low - 1] + share * (t[low] - t[low - 1]) - t[high]


def _throttle_m(
    distance_m: Sequence[float | None], throttle: Sequence[float | None], feet: PedalRange, from_index: int
) -> float | None:
    """Find where the throttle passed half its travel after the slowest point, for two moments."""
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
