"""Corner passes measured against one fixed reference lap, with the pedal work of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from pitwall.analysis.drive import Drive
from pitwall.analysis.pedals import NO_WORK, PedalRange, PedalWork, feet_of, work_of
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.passes import Zone, leapt_in, zones_of
from pitwall.track.reference import ReferenceLap

CornerPart = Literal["braking", "middle", "exit", ""]
# Seconds lost in one corner, and the grade up to there. Less than the first is what timing by GPS can't tell.
GRADES: tuple[tuple[float, str], ...] = ((0.05, "A"), (0.15, "B"), (0.35, "C"), (float("inf"), "D"))


class PassFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One drive through one corner in a flying lap, SI units; places are track distances.

    Losses are against `reference` (session:lap) over the brake zone, entry to apex, and apex to the run after
    the exit; `loss_s` is their sum. None: no reference, or not seen. `carried_s` of the brake zone came
    along from the corner before and is in no other figure. `run_speed_mps` is at the end of the run after the
    exit, `run_speed_diff_mps` the same less the reference's. The pedal figures: see `pedals.Work`.
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

    def usual_of(each: CornerPass) -> _Usual:
        compared = each.corner not in never and each.corner not in leapt.get(each.lap, ())
        return (zones if compared else alone)[each.corner]

    return [
        _measured(drive, flying[each.lap], each, usual_of(each), feet)
        for each in drive.passes
        if each.lap in flying and each.corner in zones
    ]


class _Usual(NamedTuple):
    """A corner as the reference drives it. Places are metres from the gate of the pass's lap: of the edges of
    its three parts, and where the corner before is done with. None: no reference."""

    label: str
    zone: Zone
    edges_m: tuple[float, float, float, float]
    before_m: float
    parts_s: tuple[float, float, float] | None = None
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
        (
            reference.time_between(entry_m + start_m, entry_m),
            reference.time_between(entry_m, entry_m + apex_m),
            reference.time_between(entry_m + apex_m, entry_m + end_m),
        ),
        reference.speed_at(entry_m + start_m),
        reference.speed_at(before_m),
        reference.speed_at(edges_m[3]),
    )


def _measured(drive: Drive, lap: Lap, each: CornerPass, usual: _Usual, feet: PedalRange) -> PassFacts:
    times = [drive.when(lap, edge_m) for edge_m in usual.edges_m]
    run_mps = drive.speed(lap, usual.edges_m[3])
    run_diff_mps = carried_s = None
    parts: list[float | None] = [None, None, None]
    if usual.parts_s is not None:
        parts = [
            None if begin is None or end is None else end - begin - usual_s
            for begin, end, usual_s in zip(times[:3], times[1:], usual.parts_s, strict=True)
        ]
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
    return PassFacts(
        session=drive.id,
        lap=each.lap,
        corner=each.corner,
        reference=usual.label,
        time_s=each.time_s,
        entry_speed_mps=each.entry_speed_mps,
        min_speed_mps=each.min_speed_mps,
        min_speed_m=each.min_speed_m,
        exit_speed_mps=each.exit_speed_mps,
        brake_m=each.brake_m,
        **msgspec.structs.asdict(_work(drive, each, feet, times)),
        run_speed_mps=run_mps,
        run_speed_diff_mps=run_diff_mps,
        carried_s=carried_s,
        brake_loss_s=parts[0],
        mid_loss_s=parts[1],
        exit_loss_s=parts[2],
        loss_s=sum(known) if known else None,
    )


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
    """The passes with their losses; at these corners against the pass of that lap, for the reference lap may
    have the same fault there."""
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
