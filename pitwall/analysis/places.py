"""Name corners as drivers do, and the landmarks to drive by."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache

import msgspec

from pitwall.track.geometry import way_m
from pitwall.track.model import Corner, Track
from pitwall.words.language import ENGLISH

# A landmark further from the action point belongs to another part of the corner.
NEAR_M = 80.0
_NOISE = re.compile(r"[^a-z0-9äöüß]+")
# Corner names do not contain these characters, but paths and markup do.
_FOREIGN = re.compile(r"[^\w\s,.'’#()-]|\.\.")
_TURN = re.compile(r"^(?:turn|t|corner|number|no|kurve)?(\d+[a-z]?)$")


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A corner for people: `landmarks` nearest to its brake point or entry first."""

    corner: str
    name: str
    landmarks: tuple[str, ...]


def place_of(corner: Corner, track: Track) -> Place:
    """Return the corner's name and landmarks, without those far from the action."""
    act_m = corner.entry_m if corner.brake_m is None else corner.brake_m
    ranked = []
    for order, mark in enumerate(corner.landmarks):
        away_m = 0.0
        if mark.distance_m is not None:
            away_m = abs(way_m(act_m, mark.distance_m, track.length_m))
        if away_m <= NEAR_M:
            ranked.append((mark.distance_m is None, away_m, order, mark.name))
    return Place(corner=corner.id, name=corner.name, landmarks=tuple(each[3] for each in sorted(ranked)))


def places_on(track: Track | None) -> dict[str, Place]:
    """Return a track's corners by id, in driving order."""
    corners = () if track is None else sorted(track.corners, key=lambda each: each.apex_m)
    return {each.id: place_of(each, track) for each in corners if track is not None}


def are_counted(corners: Sequence[Corner]) -> bool:
    """Return whether corners, in driving order, are named by counting alone."""
    return bool(corners) and all(
        corner.number == str(order) and corner.name == f"Turn {order}" and corner.sureness < 1.0
        for order, corner in enumerate(corners, 1)
    )


def find_corners(track: Track, words: str) -> list[Corner]:
    """Find the corners of an id, a name, a number ("7", "T7") or a nickname."""
    wanted = _flat(words)
    if not wanted or _FOREIGN.search(words):
        return []
    exact = [corner for corner in track.corners if wanted in _names(corner)]
    if exact:
        return exact
    number = _TURN.match(wanted)
    if number is not None:
        return [corner for corner in track.corners if corner.number.lower() == number[1]]
    return [corner for corner in track.corners if wanted in (_flat(nick) for nick in corner.nicknames)]


def corners_in(track: Track, text: str) -> tuple[str, ...]:
    """Return the ids of the corners that a text names, in driving order."""
    tokens = re.findall(r"\w+", text)
    pieces = {" ".join(tokens[at : at + count]) for at in range(len(tokens)) for count in (1, 2, 3)}
    found = {found[0].id for piece in pieces if len(found := find_corners(track, piece)) == 1}
    return tuple(corner.id for corner in track.corners if corner.id in found)


def _names(corner: Corner) -> set[str]:
    # "Turn 6, the Carousel" is both Turn 6 and the Carousel.
    parts = [corner.id, corner.name, *corner.name.split(",")]
    return {_flat(part) for part in parts}


def _flat(words: str) -> str:
    tokens = (_numbers().get(token, token) for token in _NOISE.split(words.lower()))
    flat = "".join(tokens)
    return flat.removeprefix("the") or flat


def pieces_of(track: Track) -> list[tuple[Corner, float, float]]:
    """Cut the lap into a piece a corner between the middles of the straights, m."""
    length_m = track.length_m
    corners = sorted(track.corners, key=lambda corner: corner.apex_m)
    middles_m = []
    for a, b in itertools.pairwise((*corners, *corners[:1])):
        between_m = (b.apex_m - a.apex_m) % length_m or length_m
        after_m, before_m = (a.exit_m - a.apex_m) % length_m, (b.apex_m - b.entry_m) % length_m
        ahead_m = (between_m + after_m - before_m) / 2.0
        middles_m.append(
            (a.apex_m + (ahead_m if after_m + before_m <= between_m else between_m / 2.0)) % length_m
        )
    return [(corner, middles_m[i - 1], middles_m[i]) for i, corner in enumerate(corners)]


@cache
def _numbers() -> dict[str, str]:
    return {ENGLISH.number_words(number): str(number) for number in range(1, 20)}
