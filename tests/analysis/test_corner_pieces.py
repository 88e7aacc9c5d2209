"""Corners as pieces of a lap."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from pitwall.analysis.places import pieces_of
from pitwall.config import shipped
from pitwall.track.library import load_track


@pytest.mark.parametrize("overlap_m", [0.0, 60.0, 400.0])
def test_the_pieces_of_the_corners_tile_the_lap_also_where_two_overlap(overlap_m: float) -> None:
    track = load_track(shipped("track_data") / "sonoma.json")
    one, two, *rest = track.corners
    moved = msgspec.structs.replace(two, entry_m=one.exit_m - overlap_m)
    pieces = pieces_of(msgspec.structs.replace(track, corners=(one, moved, *rest)))
    assert [corner.apex_m for corner, _, _ in pieces] == sorted(corner.apex_m for corner in track.corners)
    assert all(end_m == begin_m for (_, _, end_m), (_, begin_m, _) in pairwise(pieces))
    lengths_m = [(end_m - begin_m) % track.length_m for _, begin_m, end_m in pieces]
    assert sum(lengths_m) == pytest.approx(track.length_m)
    assert all(
        (corner.apex_m - begin_m) % track.length_m < length_m
        for (corner, begin_m, _), length_m in zip(pieces, lengths_m, strict=True)
    )
