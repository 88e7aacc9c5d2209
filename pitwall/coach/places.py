"""The action point of each phase of a corner, and the distance from which a call to it is unambiguous."""

from __future__ import annotations

import math

from pitwall.coach.cue import Phase
from pitwall.track.geometry import way_m
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap, brake_place


def action_place(corner: Corner, phase: Phase, reference: ReferenceLap | None) -> float:
    """The track distance at which the driver does what the phase is about.

    approach, brake: the brake point (the entry where one does not brake). turn_in: the entry. apex:
    the apex. exit: the apex too, since there the throttle opens.
    """
    if phase in ("approach", "brake"):
        place = brake_place(corner, reference)
        return corner.entry_m if place is None else place
    return corner.entry_m if phase == "turn_in" else corner.apex_m


def call_place(
    corner: Corner, length_m: float, reference: ReferenceLap | None, slows_at_m: float | None = None
) -> float:
    """Where a call about this corner has to be over, as a track distance: at the first brake point
    that is known of it, else at its entry. Later it would be heard under braking. `slows_at_m`: a
    pass that the call is about slows down there."""
    braked_m = action_place(corner, "brake", reference)
    places = [braked_m] if slows_at_m is None else [braked_m, slows_at_m]
    ahead = (way_m(corner.entry_m, place_m, length_m) for place_m in places)
    return (corner.entry_m + min(0.0, *ahead)) % length_m


def open_road_m(track: Track, corner: Corner, action_m: float, reference: ReferenceLap | None) -> float:
    """How far before an action point a call is certain to be about this corner.

    That is back to the apex of the corner before it that is braked for: a call to brake that comes
    earlier would be obeyed there. inf where no other corner is braked for.
    """
    nearest_m = math.inf
    for other in track.corners:
        if other.id != corner.id and brake_place(other, reference) is not None:
            nearest_m = min(nearest_m, (action_m - other.apex_m) % track.length_m)
    return nearest_m


def is_open(track: Track, from_m: float, ahead_m: float, own: Corner) -> bool:
    """Return whether the road between a place and an action point ahead of it is free of corners,
    up to `own`'s."""
    for corner in track.corners:
        to_entry_m = (corner.entry_m - from_m) % track.length_m
        inside = (from_m - corner.entry_m) % track.length_m < (
            corner.exit_m - corner.entry_m
        ) % track.length_m
        if corner.id != own.id and (inside or to_entry_m < ahead_m):
            return False
    return True
