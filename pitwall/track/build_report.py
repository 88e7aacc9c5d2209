"""Reports what came of building a track: the report for people, and the track file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from pitwall.track.model import Track

if TYPE_CHECKING:
    from pitwall.track.build_laps import LapUse  # who drives writes tracks, and makes none

S = TypeVar("S", bound=msgspec.Struct)

# Words for a sureness: the first row that it reaches.
SURENESS_WORDS = ((0.75, "sure"), (0.55, "fairly sure"), (0.3, "doubtful"), (0.0, "a guess"))

_ROW = "{:<13} {:>5} {:<6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>4}  {}"


class CornerFound(msgspec.Struct, frozen=True):
    """A corner as the laps show it: `laps` of `of` do. `turn_deg` is positive to the right."""

    apex_m: float
    turn_deg: float
    load_g: float
    laps: int
    of: int
    apex_spread_m: float


class BuildReport(msgspec.Struct, frozen=True):
    """`gate_source` says where the start line came from; `notes` are for people."""

    gate_source: str
    laps: tuple[LapUse, ...]
    corners: tuple[CornerFound, ...]
    notes: tuple[str, ...] = ()


class BuildResult(msgspec.Struct, frozen=True):
    """A built track and how it came about."""

    track: Track
    report: BuildReport


def format_report(result: BuildResult) -> str:
    """Return the report as plain text."""
    track, report = result.track, result.report
    used = [lap for lap in report.laps if lap.used]
    lines = [
        f"{track.name} ({track.id}): {track.lap_m:.0f} m, {track.direction}, {len(track.corners)} corners",
        f"start line: {report.gate_source}",
        f"built from {len(used)} of {len(report.laps)} laps",
    ]
    lines += [
        f"  left out: {lap.recording} lap {lap.lap}{_time(lap.time_s)}: {lap.why}"
        for lap in report.laps
        if not lap.used
    ]
    lines.append(_ROW.format("corner", "turn", "", "entry", "apex", "exit", "brake", "laps", "±", "sureness"))
    for corner in track.corners:
        brake = "-" if corner.brake_m is None else f"{corner.brake_m:.0f}"
        seen = next((found for found in report.corners if found.apex_m == corner.apex_m), None)
        turn = f"{abs(seen.turn_deg):.0f}°" if seen else "-"
        laps, spread = (f"{seen.laps}/{seen.of}", f"{seen.apex_spread_m:.0f}") if seen else ("-", "-")
        word = next(word for least, word in SURENESS_WORDS if corner.sureness >= least) if seen else "by hand"
        places = (f"{place_m:.0f}" for place_m in (corner.entry_m, corner.apex_m, corner.exit_m))
        lines.append(_ROW.format(corner.id, turn, corner.direction, *places, brake, laps, spread, word))
    lines.append("Places in metres after the start line; laps that show the corner; apex ± metres.")
    lines += [f"note: {note}" for note in report.notes]
    return "\n".join(lines)


def _time(time_s: float | None) -> str:
    return "" if time_s is None else f" ({time_s:.2f} s)"


# 1e-7 degrees is 11 mm; heights and places are no better than a decimetre.
DEGREE_DIGITS, METRE_DIGITS, SPEED_DIGITS, SURE_DIGITS = 7, 1, 1, 2


def format_track(track: Track) -> str:
    """Return the track as JSON text, a point and a landmark to a line."""
    text = msgspec.json.format(msgspec.json.encode(rounded(track)), indent=2).decode()
    return re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda inner: re.sub(r"\n\s*", " ", inner[0]), text) + "\n"


def write_track(track: Track, path: Path) -> None:
    """Write a track file atomically. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with new.open("w", encoding="utf-8") as file:
            file.write(format_track(track))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def rounded(track: Track) -> Track:
    """Return the track as its file says it."""
    metres = ("entry_m", "apex_m", "exit_m", "brake_m")
    ends = ("a_lat_deg", "a_lon_deg", "b_lat_deg", "b_lon_deg")
    corners = tuple(_to(each, METRE_DIGITS, *metres) for each in track.corners)
    gate = _to(_to(track.gate, DEGREE_DIGITS + 1, *ends), 1, "heading_deg")
    line = zip(*track.centreline, strict=True)
    digits = (DEGREE_DIGITS, DEGREE_DIGITS, METRE_DIGITS)
    columns = (_round(column, each) for column, each in zip(line, digits, strict=True))
    return msgspec.structs.replace(
        _to(_to(track, METRE_DIGITS, "length_m", "sectors_m"), SPEED_DIGITS, "speed_mps"),
        gate=gate,
        centreline=tuple(zip(*columns, strict=True)),
        corners=tuple(_to(each, SURE_DIGITS, "sureness") for each in corners),
        pit_lane=_round(track.pit_lane, DEGREE_DIGITS),
    )


def _to(of: S, digits: int, *names: str) -> S:
    return msgspec.structs.replace(of, **{name: _round(getattr(of, name), digits) for name in names})


def _round(value: Any, digits: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_round(each, digits) for each in value)
    return None if value is None else round(value, digits)
