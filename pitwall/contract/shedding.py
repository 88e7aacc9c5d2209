"""The one table of what is shed, where, and from which load on; each place reads its figures here.

Within a place the least important comes first. What the driver needs (position, timing, safety
calls) is shed last or never. Everything shed is counted, in /status.
"""

from __future__ import annotations

from typing import Literal

ShedPlace = Literal["intake", "journal", "duckdb", "live page", "phone"]

SHED: dict[ShedPlace, dict[str, float]] = {
    # Shares of the queue between the sources and the in-drive path. A flood of readings that no
    # rule reads must not push a position out; a batch is sent again. Laps need positions alone.
    "intake": {"tall signals": 0.5, "batches": 0.5, "canonical signals": 0.75, "positions": 1.0},
    # Shares of the room of what waits for the open session's journal.
    "journal": {"tall signals": 0.5, "records": 1.0},
    # Items that wait for the database's writer: 10,500 are two commits of a full CAN bus. The next
    # start makes the missing rows from the journal.
    "duckdb": {"tall signals": 10_500, "frames": 13_000, "lines": 16_000},
    # Messages that wait for one viewer of /live; 8 callouts are a lap's.
    "live page": {"frames": 1, "news": 32},
    # Steps of heat or battery: forecasts cost most, and rules do without them.
    "phone": {"live page": 1, "litert": 1, "tall signals": 3},
}


def shed_above(place: ShedPlace, what: str) -> float:
    """Return from which load on this is shed at this place. KeyError if the table does not say."""
    return SHED[place][what]
