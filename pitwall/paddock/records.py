"""The stored records as jobs and tools use them: reading as analysis does, and the few writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pitwall.analysis.lessons import changed_lessons
from pitwall.analysis.port import Facts
from pitwall.analysis.report import profile_events
from pitwall.analysis.tool_kit import ToolKit
from pitwall.store.lessons import DriverEvent, Lesson
from pitwall.track.model import Track


class Records(Facts, Protocol):
    """The facts, and the writes. Each write is durable when it returns. StoreError."""

    def save_script(
        self, track: Track, corner: str, script: Mapping[str, str], through: str, batch: str
    ) -> str:
        """Write a checked voice script, whole or not at all; its path. OSError. `through` tells what it came
        of; what is of one `batch` is taken back together."""
        ...

    def put_events(self, session: str, events: Sequence[DriverEvent]) -> None:
        """Replace the session's events of the kinds "profile.*" by these."""
        ...

    def put_lessons(self, found: Sequence[Lesson]) -> None:
        """Write these lessons, each over its older version."""
        ...


def profile_session(records: Records, session: str) -> None:
    """Replace the session's driver events and judge all lessons anew. Doing it twice changes nothing.

    `session`: an id, or "last". ToolRefused: there is no such session. StoreError.
    """
    row = ToolKit(records).session(session)
    records.put_events(row.id, profile_events(records, row))
    changed = changed_lessons(records)
    if changed:
        records.put_lessons(changed)
