"""Corner passes measured against one fixed reference lap, with the pedal work of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from pitwall.analysis.drive import Drive, Moments, measured
from pitwall.track.braking import PRESSED_BAR, PRESSED_PCT, nth_least, rest_level
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.passes import Zone, leapt_in, zones_of
from pitwall.track.reference import DrivenTrace, ReferenceLap
from pitwall.track.same_road import Shift, lost_on, shift_between

CornerPart = Literal["braking", "middle", "exit", ""]
# Seconds lost in one corner, and the grade up to there. Less than the first is what timing by GPS can't tell.
GRADES: tuple[tuple[float, str], ...] = ((0.05, "A"), (0.15, "B"), (0.35, "C"), (float("inf"), "D"))


class PassFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A drive through one corner in a flying lap, SI units; places are track distances.

    Losses are against `reference` (session:lap) over the brake zone, entry to apex, and apex to the run after
    the exit; `loss_s` is their sum. None: no reference, or not seen. `carried_s` of the brake zone came
    along from the corner before and is in no other figure. `run_speed_mps` is at the end of the run after the
    exit, `run_speed_diff_mps` the same less the reference's. The pedal figures: see `PedalWork`.
    Places are as the reference's receiver saw them.
    """

    session: str
    lap: int
    corner: str
    reference: str
    time_s: float
    entry_speed_mps: float
    min_speed_mps: float
    min_speed_m: float
    exit_speed_mps: float
    brake_m: float | None
    coast_s: float | None
    peak_brake_bar: float | None
    release_s: float | None
    off_brake_m: float | None
    throttle_m: float | None
    run_speed_mps: float | None
    run_speed_diff_mps: float | None
    carried_s: float | None
    brake_loss_s: float | None
    mid_loss_s: float | None
    exit_loss_s: float | None
    loss_s: float | None


def measure_passes(drive: Drive, reference: ReferenceLap | None) -> list[PassFacts]:
    """Every pass in a flying lap against this reference, in order. Empty without a known track."""
    if drive.track is None:
        return []
    in_order = zones_of(drive.track, reference)
    zones = {
        zone.corner.id: _usual(drive.track.length_m, zone, in_order[i - 1], reference)
        for i, zone in enumerate(in_order)
    }
    alone = {zone.corner.id: _usual(drive.track.length_m, zone, zone, None) for zone in in_order}
    feet = feet_of(drive.moments)
    flying = {lap.number: lap for lap in drive.flying}
    leapt = {number: leapt_in(drive.curves[number], in_order) for number in flying if number in drive.curves}
    never = frozenset() if reference is None else leapt_in(reference, in_order)

    beside = {lap.number: _beside(drive, lap, reference) for lap in drive.flying}

    def usual_of(each: CornerPass) -> _Usual:
        compared = each.corner not in never and each.corner not in leapt.get(each.lap, ())
        return (zones if compared else alone)[each.corner]

    return [
        _measured(drive, flying[each.lap], each, usual_of(each), feet, beside[each.lap])
        for each in drive.passes
        if each.lap in flying and each.corner in zones
    ]


class _Beside(NamedTuple):
    """A lap as it was driven, and how the receiver has moved since the reference; None: not seen whole."""

    own: DrivenTrace | None
    reference: ReferenceLap | None
    shift: Shift | None

    def seen_m(self, place_m: float | None) -> float | None:
        """A place as the reference saw it."""
        if place_m is None or self.shift is None:
            return place_m
        return (place_m - self.shift.ahead_m(place_m)) % self.shift.line.length_m


def _beside(drive: Drive, lap: Lap, reference: ReferenceLap | None) -> _Beside:
    curve = drive.curves.get(lap.number)
    if drive.track is None or curve is None or reference is None:
        return _Beside(None, None, None)
    own = reference is drive.reference()
    shift = drive.shifts[lap.number] if own else shift_between(drive.track, curve, reference)
    return _Beside(drive.around(lap), reference, shift)


class _Usual(NamedTuple):
    """A corner as the reference drives it. Places are metres from the gate of the pass's lap: of the edges of
    its three parts, and where the corner before is done with. None: no reference."""

    label: str
    zone: Zone
    edges_m: tuple[float, float, float, float]
    before_m: float
    start_mps: float = 0.0
    before_mps: float = 0.0
    end_mps: float = 0.0


def _usual(length_m: float, zone: Zone, before: Zone, reference: ReferenceLap | None) -> _Usual:
    entry_m = zone.corner.entry_m
    # The lap of a pass is that of its apex: a corner across the gate is entered in the lap before.
    own_entry_m = (entry_m + zone.apex_m) % length_m - zone.apex_m
    start_m, apex_m, end_m = zone.start_m, zone.apex_m, zone.end_m
    edges_m = (own_entry_m + start_m, own_entry_m, own_entry_m + apex_m, own_entry_m + end_m)
    if reference is None:
        return _Usual("", zone, edges_m, own_entry_m)
    before_m = own_entry_m - ((entry_m - before.corner.entry_m) % reference.length_m - before.end_m)
    return _Usual(
        reference.label,
        zone,
        edges_m,
        before_m,
        reference.speed_at(entry_m + start_m),
        reference.speed_at(before_m),
        reference.speed_at(edges_m[3]),
    )


def _measured(
    drive: Drive, lap: Lap, each: CornerPass, usual: _Usual, feet: PedalRange, beside: _Beside
) -> PassFacts:
    times = [drive.when(lap, edge_m) for edge_m in usual.edges_m]
    run_mps = drive.speed(lap, usual.edges_m[3])
    run_diff_mps = carried_s = None
    parts: list[float | None] = [None, None, None]
    if usual.label:
        parts = _lost(usual, beside)
        run_diff_mps = None if run_mps is None else run_mps - usual.end_mps
        if parts[0] is not None:
            own = (drive.speed(lap, usual.before_m), drive.speed(lap, usual.edges_m[0]))
            slower = [
                None if mps is None else mps - usual_mps
                for mps, usual_mps in zip(own, (usual.before_mps, usual.start_mps), strict=True)
            ]
            carried_s = carried(parts[0], -usual.zone.start_m, usual.start_mps, slower)
            parts[0] -= carried_s
    known = [part for part in parts if part is not None]
    work = _work(drive, each, feet, times)
    work = msgspec.structs.replace(
        work, off_brake_m=beside.seen_m(work.off_brake_m), throttle_m=beside.seen_m(work.throttle_m)
    )
    return PassFacts(
        session=drive.id,
        lap=each.lap,
        corner=each.corner,
        reference=usual.label,
        time_s=each.time_s,
        entry_speed_mps=each.entry_speed_mps,
        min_speed_mps=each.min_speed_mps,
        min_speed_m=beside.seen_m(each.min_speed_m) or 0.0,
        exit_speed_mps=each.exit_speed_mps,
        brake_m=beside.seen_m(each.brake_m),
        **msgspec.structs.asdict(work),
        run_speed_mps=run_mps,
        run_speed_diff_mps=run_diff_mps,
        carried_s=carried_s,
        brake_loss_s=parts[0],
        mid_loss_s=parts[1],
        exit_loss_s=parts[2],
        loss_s=sum(known) if known else None,
    )


def _lost(usual: _Usual, beside: _Beside) -> list[float | None]:
    """Return what each part of the corner lost to the reference; None where it was not seen."""
    own, reference, shift = beside
    if own is None or reference is None or shift is None:
        return [None, None, None]
    edges_m = usual.zone.edges_m
    on_m = usual.edges_m[1] - edges_m[1]
    # Where the lap before or after does not join, what is left of the corner is told.
    for first, last in ((0, 4), (1, 4), (0, 3)):
        lost = lost_on(own, reference, edges_m[first:last], on_m, shift)
        if lost is not None:
            return [*[None] * first, *lost, *[None] * (4 - last)]
    return [None, None, None]


def carried(loss_s: float, zone_m: float, reference_mps: float, slower_mps: list[float | None]) -> float:
    """How much of a loss in a brake zone of this length comes with a car that was slower than the reference
    where the corner before was done with, and still is at the zone's start (the smaller of the two)."""
    known = [each for each in slower_mps if each is not None]
    diff_mps = max(known) if len(known) == len(slower_mps) else 0.0
    if diff_mps >= 0.0 or reference_mps + diff_mps <= 0.0:
        return 0.0
    return max(min(loss_s, zone_m / (reference_mps + diff_mps) - zone_m / reference_mps), 0.0)


def _work(drive: Drive, each: CornerPass, feet: PedalRange, times: list[float | None]) -> PedalWork:
    start_t = times[0] if times[0] is not None else each.entry_t
    end_t = times[3] if times[3] is not None else each.exit_t
    moments = drive.moments
    span = moments.span(min(start_t, each.entry_t), max(end_t, each.exit_t))
    inner = moments.span(each.entry_t, each.exit_t)
    speeds = moments.speed_mps[inner]
    known = [mps for mps in speeds if mps is not None]
    if not known:
        return NO_WORK
    return work_of(moments, feet, span, inner.start - span.start + speeds.index(min(known)))


def by_corner(passes: list[PassFacts]) -> dict[str, list[PassFacts]]:
    """The passes of each corner in order of laps; corners in the order they were first driven."""
    grouped: dict[str, list[PassFacts]] = {}
    for each in passes:
        grouped.setdefault(each.corner, []).append(each)
    return grouped


def against_best(passes: Sequence[PassFacts], best_laps: Mapping[str, int]) -> list[PassFacts]:
    """The passes with their losses; at these corners against that lap's pass, which may be the better one."""
    best = {each.corner: each for each in passes if best_laps.get(each.corner) == each.lap}
    return [_less(each, best[each.corner]) if each.corner in best else each for each in passes]


def _less(each: PassFacts, best: PassFacts) -> PassFacts:
    names = ("brake_loss_s", "mid_loss_s", "exit_loss_s", "loss_s")
    pairs = ((name, getattr(each, name), getattr(best, name)) for name in names)
    losses = {name: None if one is None or other is None else one - other for name, one, other in pairs}
    return msgspec.structs.replace(each, **losses)


def grade(loss_s: float | None) -> str:
    """A to D by what a corner lost, "" where that is not known."""
    return "" if loss_s is None else next(letter for most_s, letter in GRADES if loss_s <= most_s)


def lost_most(each: PassFacts) -> tuple[CornerPart, float]:
    """The part of a corner that lost most, and its seconds; "" where none lost more than timing can tell."""
    parts: tuple[tuple[CornerPart, float | None], ...] = (
        ("braking", each.brake_loss_s), ("middle", each.mid_loss_s), ("exit", each.exit_loss_s),
    )  # fmt: skip
    part, lost_s = max(parts, key=lambda each: each[1] or 0.0)
    return (part, lost_s) if lost_s is not None and lost_s > GRADES[0][0] else ("", 0.0)


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
