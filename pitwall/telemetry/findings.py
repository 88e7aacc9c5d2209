"""Faults of a recording or a signal, counted: one finding for each kind and signal."""

from __future__ import annotations

from typing import Literal

import msgspec

FindingKind = Literal[
    "malformed_row", "bad_checksum", "void_fix", "duplicate_time", "time_backwards", "time_gap",
    "sentinel", "stuck", "out_of_range", "stale", "jump", "wrong_sign", "bias", "scale", "lag",
    "slow_channel", "blank_channel", "gate_refused", "damaged", "truncated", "encoding", "reckoned",
]  # fmt: skip


class Finding(msgspec.Struct, frozen=True):
    """A fault of a recording or a signal: `count` readings show it."""

    kind: FindingKind
    signal: str
    count: int
    first_t: float | None
    detail: str


class Tally:
    """How often one thing was wrong with one signal, and when first."""

    def __init__(self, kind: FindingKind, signal: str, first_t: float | None, detail: str) -> None:
        self.kind, self.signal, self.first_t, self.detail = kind, signal, first_t, detail
        self.count = 0


class FindingLog:
    """Tallies of a session or of a pass over a file."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[FindingKind, str], Tally] = {}

    def add(self, kind: FindingKind, signal: str, t: float | None, detail: str) -> None:
        """Count one; the first one's time and words stay as the example."""
        self.open(kind, signal, t, detail).count += 1

    def open(self, kind: FindingKind, signal: str, t: float | None, detail: str) -> Tally:
        """Return the tally of one thing, perhaps a new one; the caller counts."""
        tally = self._tallies.get((kind, signal))
        if tally is None:
            tally = self._tallies[kind, signal] = Tally(kind, signal, t, detail)
        return tally

    def count(self, *kinds: FindingKind) -> int:
        """Return how often there was something of these kinds."""
        return sum(each.count for (kind, _), each in self._tallies.items() if kind in kinds)

    def findings(self) -> list[Finding]:
        """Return what was counted, in the order of first sight."""
        tallies = self._tallies.values()
        return [
            Finding(each.kind, each.signal, each.count, each.first_t, each.detail)
            for each in tallies
            if each.count
        ]
