"""`pitwall sessions`: list the stored sessions."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from pitwall.api.answers import sessions
from pitwall.commands.common import lap_time, opened_store, print_json, print_table, say
from pitwall.config import Home
from pitwall.store.queries import SessionRow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments but the form."""
    parser.add_argument("--json", action="store_true", help="a JSON list")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """List them, the oldest first."""
    with opened_store(home) as store:
        found = sessions(store)
    if arguments.json:
        print_json(found)
    elif not found:
        say("no sessions yet: pitwall import FILE, or scripts/demo")
    else:
        columns = ("session", "kind", "driven (UTC)", "track", "laps", "best", "from")
        print_table(columns, [_row(row) for row in found])
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
