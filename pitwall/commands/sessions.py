"""`pitwall sessions`: list the stored sessions."""

from __future__ import annotations

import argparse

import msgspec

from pitwall.api import answers
from pitwall.commands.common import lap_time, print_bytes, print_table, say
from pitwall.commands.stored_or_served import read
from pitwall.config import Home
from pitwall.store.queries import SessionRow, when_driven


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments but the form."""
    parser.add_argument("--json", action="store_true", help="a JSON list")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """List them in the order in which they were driven."""
    found = read(home, lambda store: msgspec.json.encode(answers.sessions(store)), "/sessions")
    if arguments.json:
        print_bytes(found)
        return 0
    rows = msgspec.json.decode(found, type=list[SessionRow])
    if not rows:
        say("no sessions yet: pitwall import FILE, or scripts/demo")
        return 0
    names = {row.id: row.name or row.id for row in rows}
    columns = ["session", "kind", "driven (UTC)", "track", "laps", "best", "from", "tags"]
    cells = [(*_row(row, names), ", ".join(row.tags)) for row in rows]
    if not any(row.tags for row in rows):
        columns, cells = columns[:-1], [each[:-1] for each in cells]
    print_table(columns, cells)
    return 0


def _row(row: SessionRow, names: dict[str, str]) -> tuple[str, ...]:
    source = row.source_name
    if row.same_as:
        source += f" (the same drive as {names.get(row.same_as, row.same_as)})"
    return (
        names[row.id],
        _state(row),
        when_driven(row),
        row.track or "unknown",
        str(row.laps),
        lap_time(row.best_lap_s),
        source,
    )


def _state(row: SessionRow) -> str:
    if row.closed_utc_s is None:
        return f"{row.kind}, going on"
    return row.kind if row.complete else f"{row.kind}, broken off"
