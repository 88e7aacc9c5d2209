"""Track files that people edit: one corner and one point to a line, small diffs, replaced in one step."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pitwall.track.model import Track

# 1e-7 degrees is 11 mm; heights are no better than a decimetre, places along the line than a decimetre.
DEGREE_DIGITS, METRE_DIGITS, SPEED_DIGITS, SURE_DIGITS = 7, 1, 1, 2


def format_track(track: Track) -> str:
    """The track as JSON text: the same track gives the same text, whatever made it."""
    plain = msgspec.to_builtins(_rounded(track))
    lines = []
    for key, value in plain.items():
        if key in ("centreline", "pit_lane", "corners") and value:
            items = ",\n".join(_item(item) for item in value)
            lines.append(f'  "{key}": [\n{items}\n  ]')
        elif key == "speed_mps" and value:
            rows = (value[i : i + 20] for i in range(0, len(value), 20))
            items = ",\n".join("    " + _compact(row)[1:-1] for row in rows)
            lines.append(f'  "{key}": [\n{items}\n  ]')
        else:
            lines.append(f'  "{key}": {_indented(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write_track(track: Track, path: Path) -> None:
    """Write a track file; a reader sees the old or the new one, never a half. OSError where it can't."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(format_track(track))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _rounded(track: Track) -> Track:
    replace = msgspec.structs.replace
    corners = tuple(
        replace(
            corner,
            entry_m=round(corner.entry_m, METRE_DIGITS),
            apex_m=round(corner.apex_m, METRE_DIGITS),
            exit_m=round(corner.exit_m, METRE_DIGITS),
            brake_m=None if corner.brake_m is None else round(corner.brake_m, METRE_DIGITS),
            sureness=round(corner.sureness, SURE_DIGITS),
        )
        for corner in track.corners
    )
    gate = replace(
        track.gate,
        a_lat_deg=round(track.gate.a_lat_deg, DEGREE_DIGITS + 1),
        a_lon_deg=round(track.gate.a_lon_deg, DEGREE_DIGITS + 1),
        b_lat_deg=round(track.gate.b_lat_deg, DEGREE_DIGITS + 1),
        b_lon_deg=round(track.gate.b_lon_deg, DEGREE_DIGITS + 1),
        heading_deg=round(track.gate.heading_deg, 1),
    )
    return replace(
        track,
        length_m=round(track.length_m, METRE_DIGITS),
        gate=gate,
        centreline=tuple(
            (round(lat, DEGREE_DIGITS), round(lon, DEGREE_DIGITS), round(height_m, METRE_DIGITS))
            for lat, lon, height_m in track.centreline
        ),
        speed_mps=tuple(round(speed, SPEED_DIGITS) for speed in track.speed_mps),
        corners=corners,
        sectors_m=tuple(round(place_m, METRE_DIGITS) for place_m in track.sectors_m),
        pit_lane=tuple((round(lat, DEGREE_DIGITS), round(lon, DEGREE_DIGITS)) for lat, lon in track.pit_lane),
    )


def _item(value: object) -> str:
    """A point on one line; a corner with a line for each landmark."""
    if not isinstance(value, dict) or not value.get("landmarks"):
        return "    " + _compact(value)
    head = {key: part for key, part in value.items() if key not in ("landmarks", "sureness")}
    marks: Iterable[str] = ("      " + _compact(mark) for mark in value["landmarks"])
    listed = ",\n".join(marks)
    return (
        "    " + _compact(head)[:-1] + f', "landmarks": [\n{listed}\n    ], "sureness": {value["sureness"]}}}'
    )


def _compact(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


def _indented(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode().replace("\n", "\n  ")
