"""What building a track found out, for people: which laps were used, and how sure each corner is."""

from __future__ import annotations

import msgspec

from pitwall.track.build_laps import LapUse
from pitwall.track.model import Track

# Words for a sureness: the first row that it reaches.
SURENESS_WORDS = ((0.75, "sure"), (0.55, "fairly sure"), (0.3, "doubtful"), (0.0, "a guess"))

_ROW = "{:<13} {:>5} {:<6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>4}  {}"


class CornerFound(msgspec.Struct, frozen=True):
    """One corner as the laps show it: `laps` of `of` do. `turn_deg` is positive to the right."""

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
    """Plain text of several lines, the last one without a line end."""
    track, report = result.track, result.report
    used = [lap for lap in report.laps if lap.used]
    lines = [
        f"{track.name} ({track.id}): {track.length_m:.0f} m, {track.direction}, {len(track.corners)} corners",
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
        word = _word(corner.sureness) if seen else "by hand"
        places = (f"{place_m:.0f}" for place_m in (corner.entry_m, corner.apex_m, corner.exit_m))
        lines.append(_ROW.format(corner.id, turn, corner.direction, *places, brake, laps, spread, word))
    lines.append("Places in metres after the start line; laps that show the corner; apex ± metres.")
    lines += [f"note: {note}" for note in report.notes]
    return "\n".join(lines)


def _word(sureness: float) -> str:
    return next(word for least, word in SURENESS_WORDS if sureness >= least)


def _time(time_s: float | None) -> str:
    return "" if time_s is None else f" ({time_s:.2f} s)"
