"""Merges a track that is built again with its old file: what people wrote into it is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase

import msgspec

from pitwall.track.build_laps import TrackBuildError
from pitwall.track.circuits import is_officially_named
from pitwall.track.geometry import turn_deg, way_m
from pitwall.track.line import Centreline
from pitwall.track.model import Corner, Track, moved_corner

# An old corner matches the found one with the nearest apex, within this or half of its length.
SAME_CORNER_M = 40.0
# Two corners of one direction that share this much of the shorter one are the same corner.
SHARED = 0.5
SAME_PLACE_SHARE = 0.5
GENERATED_ID = re.compile(r"turn_(\d+[a-z]?)")

replace = msgspec.structs.replace


def merge_hand_written(found: Track, existing: Track) -> Track:
    """Return the newly found line, pace and heights with what people wrote into `existing`.

    A corner with `sureness` 1 only moves with the gate. One with a name, nickname or landmark keeps
    these at its found place. Once a person worked on any corner, or with official numbers, the list
    is closed; else new corners are added under free ids, and missing ones dropped. Places are
    carried over on the ground, not by distance. TrackBuildError for a track of another place.
    """
    moved = _Moved(existing, found)
    _refuse_another_place(found, existing)
    closed = is_officially_named(existing) or any(is_hand_written(corner) for corner in existing.corners)
    old = [moved_corner(corner, moved.place) for corner in existing.corners]
    twins = _twins(old, found.corners, found.length_m)
    corners = [_merged(corner, twins.get(corner.id)) for corner in old if closed or corner.id in twins]
    if not closed:
        left = [corner for corner in found.corners if corner not in twins.values()]
        corners += _added(left, corners, found.length_m, {corner.id for corner in existing.corners})
    return replace(
        found,
        id=existing.id,
        name=existing.name,
        country=existing.country or found.country,
        corners=tuple(sorted(corners, key=lambda corner: corner.apex_m)),
        sectors_m=tuple(sorted(moved.place(place_m) for place_m in existing.sectors_m)) or found.sectors_m,
        pit_lane=existing.pit_lane or found.pit_lane,
        notes=existing.notes or found.notes,
    )


def numbered_as(found: Track, drawn: Track) -> Track:
    """Number the corners of `found` as those of `drawn`; extra bends are "3a", or "0"."""
    moved = _Moved(found, drawn)
    bends = [moved_corner(corner, moved.place) for corner in found.corners]
    twins = _twins(drawn.corners, bends, drawn.length_m)
    numbers = {twins[corner.id].id: corner.number for corner in drawn.corners if corner.id in twins}
    for bend in bends:
        if bend.id in numbers:
            continue
        before = next((c.number for c in reversed(drawn.corners) if c.apex_m < bend.apex_m), "0")
        free = (f"{before}{letter}" for letter in (*([""] if before == "0" else []), *ascii_lowercase))
        numbers[bend.id] = next(number for number in free if number not in numbers.values())
    return replace(
        found,
        corners=tuple(
            replace(corner, id=f"turn_{number}", name=f"Turn {number}", number=number)
            for corner in found.corners
            for number in (numbers[corner.id],)
        ),
    )


def is_hand_written(corner: Corner) -> bool:
    """Return whether a person has named, described or checked this corner."""
    generated = GENERATED_ID.fullmatch(corner.id)
    plain = generated is not None and (corner.name, corner.number) == (f"Turn {generated[1]}", generated[1])
    return corner.sureness >= 1.0 or not plain or bool(corner.nicknames or corner.landmarks)


def _refuse_another_place(found: Track, existing: Track) -> None:
    new, old = Centreline.of(found), Centreline.of(existing)

    def share(points: Track, line: Centreline) -> float:
        on = [bool(line.within(*line.projection.xy(lat, lon))) for lat, lon, _ in points.centreline]
        return sum(on) / len(on)

    if max(share(existing, new), share(found, old)) < SAME_PLACE_SHARE:
        raise TrackBuildError(
            f"track {existing.id!r} ({existing.name}) lies somewhere else than these laps: "
            "give the new track another id or file"
        )


class _Moved:
    """Places along the old line as places along the new one."""

    def __init__(self, old: Track, new: Track) -> None:
        self._old, self._new = Centreline.of(old), Centreline.of(new)
        self._same = old.gate == new.gate and old.centreline == new.centreline

    def place(self, place_m: float) -> float:
        """Return the nearest place on the new line; scaled where the lines lie far apart."""
        if self._same:
            return place_m
        lat, lon = self._old.projection.lat_lon(*self._old.point_at(place_m))
        heading = self._old.heading_deg[self._old.segment_at(place_m)]
        spots = self._new.within(*self._new.projection.xy(lat, lon))
        ahead = [spot for spot in spots if abs(turn_deg(heading, self._new.heading_deg[spot.segment])) < 90.0]
        if not ahead:
            return place_m * self._new.length_m / self._old.length_m
        return ahead[0].distance_m


def _twins(old: Sequence[Corner], found: Sequence[Corner], length_m: float) -> dict[str, Corner]:
    pairs = [
        (distance_m, one.id, other)
        for one in old
        for other in found
        if other.direction == one.direction
        and (distance_m := abs(way_m(other.apex_m, one.apex_m, length_m)))
        <= max(SAME_CORNER_M, 0.5 * ((one.exit_m - one.entry_m) % length_m))
    ]
    twins: dict[str, Corner] = {}
    for _, corner_id, other in sorted(pairs, key=lambda pair: pair[0]):
        if corner_id not in twins and other not in twins.values():
            twins[corner_id] = other
    return twins


def _merged(old: Corner, twin: Corner | None) -> Corner:
    if old.sureness >= 1.0 or twin is None:
        return old
    names = ("id", "name", "number", "nicknames", "landmarks")
    return replace(twin, **{name: getattr(old, name) for name in names})


def _added(
    found: Sequence[Corner], corners: Sequence[Corner], length_m: float, used: set[str]
) -> list[Corner]:
    """Return found corners that the file lacks, under ids it never used: a vanished corner's
    script must not be spoken here."""
    added: list[Corner] = []
    for corner in found:
        if any(_shared(corner, other, length_m) >= SHARED for other in corners):
            continue
        number = 1
        while f"turn_{number}" in used:
            number += 1
        corner_id = corner.id if corner.id not in used else f"turn_{number}"
        used.add(corner_id)
        number_text = corner_id.removeprefix("turn_")
        added.append(replace(corner, id=corner_id, name=f"Turn {number_text}", number=number_text))
    return added


def _shared(a: Corner, b: Corner, length_m: float) -> float:
    if a.direction != b.direction:
        return 0.0
    a_m, b_m = (a.exit_m - a.entry_m) % length_m, (b.exit_m - b.entry_m) % length_m
    b_after_a = (b.entry_m - a.entry_m) % length_m
    a_after_b = (a.entry_m - b.entry_m) % length_m
    overlap_m = max(min(a_m - b_after_a, b_m), min(b_m - a_after_b, a_m), 0.0)
    return overlap_m / max(min(a_m, b_m), 1.0)
