"""Counts what a pass over a file meets, one finding for each kind and signal."""

from __future__ import annotations

from pitwall.telemetry.recordings.base import Finding, FindingKind


class FindingLog:
    """Grows with the kinds of trouble, never with the length of the file."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: dict[tuple[FindingKind, str], tuple[int, float | None, str]] = {}

    def add(self, kind: FindingKind, signal: str, t: float | None, detail: str) -> None:
        """Count one; the first one's time and words are kept as the example."""
        key = (kind, signal)
        row = self._rows.get(key)
        self._rows[key] = (1, t, detail) if row is None else (row[0] + 1, row[1], row[2])

    def findings(self) -> list[Finding]:
        """In the order in which they were first met."""
        return [
            Finding(kind, signal, count, t, detail)
            for (kind, signal), (count, t, detail) in self._rows.items()
        ]
