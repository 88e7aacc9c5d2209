"""The one table of what is shed, where, and from which load on; each place reads its figures here.

Within a place the least important comes first. What the driver needs (position, timing, safety
calls) is shed last or never. Everything shed is counted, in /status.
"""

from __future__ import annotations

from typing import Literal

import msgspec

ShedPlace = Literal["intake", "journal", "duckdb", "live page", "phone"]
"""`intake`: the queue between the sources and the in-drive path. `journal`: what waits for the open
session's journal. `duckdb`: what waits for the database's writer. `live page`: what waits for one viewer of
/live. `phone`: work that is left out while the phone is hot or its battery is low."""


class ShedRule(msgspec.Struct, frozen=True):
    """From `above` on, counted in `unit`, `what` is shed. `lost`: what that costs; `why` in this
    order."""

    place: ShedPlace
    what: str
    above: float
    unit: str
    lost: str
    why: str


SHED: tuple[ShedRule, ...] = (
    ShedRule(
        "intake", "tall signals", 0.5, "of the queue",
        "readings that no rule reads", "a flood of them must not push a position out",
    ),
    ShedRule(
        "intake", "batches", 0.5, "of the queue",
        "nothing: the sender sends the batch again", "the sender's own queue is as good",
    ),
    ShedRule(
        "intake", "canonical signals", 0.75, "of the queue",
        "readings of the car; the rules that need them are silent", "laps need positions alone",
    ),
    ShedRule(
        "intake", "positions", 1.0, "of the queue",
        "fixes; a hole of up to 5 s is bridged", "there is no room left",
    ),
    ShedRule(
        "journal", "tall signals", 0.5, "of the journal's room",
        "readings that no rule reads", "the other half is for what a rule reads, and for batches",
    ),
    ShedRule(
        "journal", "records", 1.0, "of the journal's room",
        "records, as long as the disk does not take them", "memory is short",
    ),
    ShedRule(
        "duckdb", "tall signals", 8_500, "items",
        "rows of signals; the next start makes them from the journal", "four seconds of a full CAN bus",
    ),
    ShedRule(
        "duckdb", "frames", 11_000, "items",
        "rows of frames; the next start makes them from the journal", "laps and cues are smaller, and wanted",
    ),
    ShedRule(
        "duckdb", "lines", 14_000, "items",
        "laps, corner passes, cues; the next start makes them from the journal", "memory is short",
    ),
    ShedRule(
        "live page", "frames", 1, "frames",
        "older frames: a viewer gets the newest", "only the newest frame is worth showing",
    ),
    ShedRule(
        "live page", "news", 32, "callouts and events",
        "the oldest ones; the viewer sees how many", "8 callouts are a lap's: this is some minutes",
    ),
    ShedRule(
        "phone", "live page", 1, "steps of heat or battery",
        "frames at /live: the page says so and waits", "the coach is heard without it, and screens are hot",
    ),
    ShedRule(
        "phone", "litert", 1, "steps of heat or battery",
        "forecasts of the next seconds; rules time the calls", "it costs most, and rules do without it",
    ),
    ShedRule(
        "phone", "tall signals", 3, "steps of heat or battery",
        "rows of signals; the next start makes them from the journal", "never timing, never safety calls",
    ),
)  # fmt: skip


def shed_rules(place: ShedPlace) -> tuple[ShedRule, ...]:
    """Return the rules of one place, the least important first."""
    return tuple(rule for rule in SHED if rule.place == place)


def shed_above(place: ShedPlace, what: str) -> float:
    """From which load on this is shed at this place. KeyError if the table does not say."""
    return {rule.what: rule.above for rule in shed_rules(place)}[what]
