"""Look up laps and passes of other sessions: reference laps, the track's fastest lap, earlier passes."""

from __future__ import annotations

from typing import Any

from pitwall.analysis.compose_words import plain
from pitwall.analysis.drive import Drive
from pitwall.analysis.tool_kit import ToolKit, ToolRefused
from pitwall.store.queries import SessionRow
from pitwall.track.lap import Lap
from pitwall.track.reference import ReferenceLap

# Older sessions are often of another driver or car.
MOST_SESSIONS = 6


def earlier_passes(kit: ToolKit, corner: str, drive: Drive) -> list[dict[str, Any]]:
    """How earlier sessions on the same track went through one corner, each by its best pass."""
    found = []
    for row in others_here(kit, drive)[-MOST_SESSIONS:]:
        flying = {lap.number for lap in kit.facts.laps(row.id) if lap.kind == "flying"}
        own = [p for p in kit.facts.corner_passes(row.id) if p.corner == corner and p.lap in flying]
        if own:
            best = min(own, key=lambda each: each.time_s)
            found.append(
                {
                    "session": row.id,
                    "passes": len(own),
                    "best_lap": best.lap,
                    "best_time_s": best.time_s,
                    "best_min_speed_mps": best.min_speed_mps,
                }
            )
    return [plain(each) for each in found]


def others_here(kit: ToolKit, drive: Drive) -> list[SessionRow]:
    """The other drives on the same track."""
    return [
        row
        for row in kit.facts.sessions()
        if row.track == drive.session.track and row.counts and not row.is_same_drive(drive.session)
    ]


def gold_lap(kit: ToolKit, drive: Drive, wanted: str) -> ReferenceLap | None:
    """The lap named SESSION:LAP, else the fastest of all other sessions here."""
    wanted = str(wanted or "").strip()
    if wanted:
        name, _, number = wanted.rpartition(":")
        if not name or not number.isdigit():
            raise ToolRefused(f"{wanted[:60]!r} names no lap", "write SESSION:LAP")
        other, _ = kit.judged(name)
        if other.session.track != drive.session.track:
            raise ToolRefused(f"{name} was driven on another track", "name a lap on the same track")
        return lap_by_place(other, int(number))
    rows = [
        row
        for row in kit.facts.sessions()
        if row.track == drive.session.track
        and row.best_lap_s is not None
        and (row.counts or row.id == drive.id)
    ]
    fastest = min(rows, key=lambda row: row.best_lap_s or 0.0, default=None)
    if fastest is None or fastest.id == drive.id:
        return drive.reference()
    return kit.judged(fastest.id)[0].reference()


def lap_by_place(drive: Drive, number: int) -> ReferenceLap:
    """A lap of this session by place. ToolRefused where it was not timed or not seen whole."""
    if number in drive.curves:
        return drive.curves[number]
    lap: Lap | None = drive.lap(number)
    have = ", ".join(str(each) for each in sorted(drive.curves)) or "none"
    what = (
        f"there is no lap {number} in this session"
        if lap is None
        else f"lap {number} was not timed or has holes"
    )
    raise ToolRefused(what, f"laps that can be compared: {have}")
