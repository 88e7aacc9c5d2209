"""Corner passes measured against one fixed reference lap, with what the feet did in each."""

from __future__ import annotations

import msgspec

from pitwall.analysis.drive import Drive
from pitwall.analysis.pedals import NO_WORK, Feet, Work, feet_of, work_of
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.passes import Zone, zones_of
from pitwall.track.reference import ReferenceLap


class PassFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One drive through one corner in a flying lap, SI units; places are track distances.

    Losses are against `reference` (session:lap) over the brake zone, entry to apex, and apex to the run after
    the exit; `loss_s` is their sum. None: no reference, or not seen. The pedal figures: see `pedals.Work`.
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
    brake_loss_s: float | None
    mid_loss_s: float | None
    exit_loss_s: float | None
    loss_s: float | None


def measure_passes(drive: Drive, reference: ReferenceLap | None) -> list[PassFacts]:
    """Every pass in a flying lap against this reference, in order. Empty without a known track."""
    if drive.track is None:
        return []
    zones = {zone.corner.id: zone for zone in zones_of(drive.track, reference)}
    feet = feet_of(drive.moments)
    flying = {lap.number: lap for lap in drive.flying}
    return [
        _measured(drive, flying[each.lap], each, zones[each.corner], reference, feet)
        for each in drive.passes
        if each.lap in flying and each.corner in zones
    ]


def _measured(
    drive: Drive, lap: Lap, each: CornerPass, zone: Zone, reference: ReferenceLap | None, feet: Feet
) -> PassFacts:
    entry_m = zone.corner.entry_m
    # The lap of a pass is that of its apex: a corner across the gate is entered in the lap before.
    apex_place_m = (entry_m + zone.apex_m) % (drive.track.length_m if drive.track else 1.0)
    own_entry_m = apex_place_m - zone.apex_m
    edges_m = (zone.start_m, 0.0, zone.apex_m, zone.end_m)
    times = [drive.when(lap, own_entry_m + edge_m) for edge_m in edges_m]
    parts: list[float | None] = []
    for i in range(3):
        begin, end = times[i], times[i + 1]
        if reference is None or begin is None or end is None:
            parts.append(None)
        else:
            usual_s = reference.time_between(entry_m + edges_m[i], entry_m + edges_m[i + 1])
            parts.append(end - begin - usual_s)
    known = [part for part in parts if part is not None]
    work = _work(drive, each, zone, feet, times)
    return PassFacts(
        session=drive.id,
        lap=each.lap,
        corner=each.corner,
        reference=reference.label if reference is not None else "",
        time_s=each.time_s,
        entry_speed_mps=each.entry_speed_mps,
        min_speed_mps=each.min_speed_mps,
        min_speed_m=each.min_speed_m,
        exit_speed_mps=each.exit_speed_mps,
        brake_m=each.brake_m,
        coast_s=work.coast_s,
        peak_brake_bar=work.peak_brake_bar,
        release_s=work.release_s,
        off_brake_m=work.off_brake_m,
        throttle_m=work.throttle_m,
        brake_loss_s=parts[0],
        mid_loss_s=parts[1],
        exit_loss_s=parts[2],
        loss_s=sum(known) if known else None,
    )


def _work(drive: Drive, each: CornerPass, zone: Zone, feet: Feet, times: list[float | None]) -> Work:
    start_t = times[0] if times[0] is not None else each.entry_t
    end_t = times[3] if times[3] is not None else each.exit_t
    moments = drive.between(min(start_t, each.entry_t), max(end_t, each.exit_t))
    inside = [
        i for i, m in enumerate(moments) if m.speed_mps is not None and each.entry_t <= m.t <= each.exit_t
    ]
    if not inside:
        return NO_WORK
    return work_of(moments, feet, min(inside, key=lambda i: moments[i].speed_mps or 0.0))


def by_corner(passes: list[PassFacts]) -> dict[str, list[PassFacts]]:
    """The passes of each corner in order of laps; corners in the order they were first driven."""
    grouped: dict[str, list[PassFacts]] = {}
    for each in passes:
        grouped.setdefault(each.corner, []).append(each)
    return grouped
