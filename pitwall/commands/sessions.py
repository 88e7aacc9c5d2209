"""`pitwall sessions`: list the stored sessions."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

import msgspec

from pitwall.api import answers
from pitwall.commands.common import lap_time, print_bytes, print_table, say
from pitwall.commands.stored_or_served import read
from pitwall.config import Home
from pitwall.store.queries import SessionRow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments but the form."""
    parser.add_argument("--json", action="store_true", help="a JSON list")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """List them, the oldest first."""
    found = read(home, lambda store: msgspec.json.encode(answers.sessions(store)), "/sessions")
    if arguments.json:
        print_bytes(found)
        return 0
    rows = msgspec.json.decode(found, type=list[SessionRow])
    if not rows:
        say("no sessions yet: pitwall import FILE, or scripts/demo")
    else:
        columns = ("session", "kind", "driven (UTC)", "track", "laps", "best", "from")
        print_table(columns, [_row(row) for row in rows])
    return 0


def _row(row: SessionRow) -> tuple[str, ...]:
    when = row.start_utc_s
    driven = "-" if when is None else datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M")
    state = row.kind if row.complete else f"{row.kind}, broken off"
    return (
        row.id,
        state,
        driven,
        row.track or "unknown",
        str(row.laps),
        lap_time(row.best_lap_s),
        row.source_name,
    )
