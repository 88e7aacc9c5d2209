"""`pitwall laps SESSION`: list the laps of a session."""

from __future__ import annotations

import argparse

from pitwall.api.answers import laps
from pitwall.api.types import LapRow
from pitwall.commands.common import lap_time, opened_store, print_json, print_table, say
from pitwall.config import Home
from pitwall.store.queries import resolve_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SESSION, or its beginning, or `last`."""
    parser.add_argument("session", metavar="SESSION", help="a session's id, the beginning of one, or last")
    parser.add_argument("--json", action="store_true", help="a JSON list")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """List them in order."""
    with opened_store(home) as store:
        session = resolve_session(store, arguments.session)
        found = laps(store, session)
    if arguments.json:
        print_json(found)
        return 0
    say(f"session {session}")
    sectors = max((len(lap.sectors_s) for lap in found), default=0)
    columns = ("lap", "kind", "time", *(f"S{number}" for number in range(1, sectors + 1)), "")
    print_table(columns, [_row(lap, sectors) for lap in found])
    return 0


def _row(lap: LapRow, sectors: int) -> tuple[str, ...]:
    times = [f"{time_s:.2f}" if time_s is not None else "-" for time_s in lap.sectors_s]
    times += [""] * (sectors - len(times))
    return (str(lap.lap), lap.kind, lap_time(lap.time_s), *times, lap.reason)
