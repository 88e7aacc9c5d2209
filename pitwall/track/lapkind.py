"""What was noticed during a lap, and what kind of lap that makes it."""

from __future__ import annotations

import msgspec

from pitwall.track.lap import LapKind

# A hole this long at the gate leaves the crossing open by several car lengths.
GATE_HOLE_S = 2.0
# A longer hole is the end of a stint: how many laps were driven in it nobody knows.
PAUSE_S = 180.0
# Inside lines cost 1 or 2 %; a short-cut through the infield more than 15.
CUT_SHARE = 0.85
# Further than this in one lap: a crossing was missed.
MISSED_SHARE = 1.4
# Standing: below walking pace for longer than a spin's dead moment.
STANDING_MPS, STANDING_S = 1.0, 2.0
# Walking beside the car, pushing, queueing at pit exit.
CRAWL_MPS = 6.0
# Against the usual speed at this line, else against the lap's fastest: a pit limiter, not a slow lap.
SLOW_OF_LINE, SLOW_OF_LAP = 0.5, 0.3
# Rolling back a few metres on a slope is no reversal, a spin and a push off the grass neither.
REVERSAL_M = 20.0
# A stop this early in a lap that began slowly is the pit box behind the line.
OUT_SHARE, OUT_M = 0.15, 400.0


class LapNotes(msgspec.Struct):
    """What was noticed since the last crossing. `pit`: in the pit lane, and not the one it began in."""

    driven_m: float = 0.0
    fastest_mps: float = 0.0
    slow_start: bool = False
    pit_start: bool = False
    slow_end: bool = False
    left_pit: bool = False
    pit: bool = False
    standing_s: float = 0.0
    stood_s: float = 0.0
    backwards_m: float = 0.0
    reversed_m: float = 0.0
    jumps: int = 0
    longest_hole_s: float = 0.0
    start_hole_s: float = 0.0
    end_hole_s: float = 0.0


def lap_kind(notes: LapNotes, length_m: float | None) -> tuple[LapKind, str]:
    """The kind of a lap between two crossings and the reason; `length_m` of a full lap, None if unknown."""
    for spoilt, reason in (
        (notes.start_hole_s > GATE_HOLE_S, f"no fix for {notes.start_hole_s:.1f} s at its start"),
        (notes.end_hole_s > GATE_HOLE_S, f"no fix for {notes.end_hole_s:.1f} s at its end"),
        (notes.longest_hole_s > PAUSE_S, f"no fix for {notes.longest_hole_s:.0f} s"),
        (notes.jumps > 0, "the position jumped"),
        (notes.reversed_m >= REVERSAL_M, f"drove {notes.reversed_m:.0f} m backwards"),
    ):
        if spoilt:
            return "broken", reason
    if notes.stood_s > 0.0:
        return "in", f"stood still for {notes.stood_s:.0f} s"
    if notes.pit:
        return "in", "into the pit lane"
    if notes.slow_end:
        return "in", "slow over the line"
    if notes.pit_start or notes.slow_start:
        return "out", "from the pit lane" if notes.pit_start else "slow over the line at its start"
    if length_m is not None and notes.driven_m < CUT_SHARE * length_m:
        return "broken", f"drove {notes.driven_m:.0f} m of {length_m:.0f} m: course cut"
    if length_m is not None and notes.driven_m > MISSED_SHARE * length_m:
        return "broken", f"drove {notes.driven_m:.0f} m, the lap is {length_m:.0f} m: a crossing was missed"
    return "flying", ""
