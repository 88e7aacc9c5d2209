"""What the commands share: a user's error, notes, JSON, tables, an opened store, the gate option."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from pitwall.config import Home
from pitwall.drive.recover import rebuilder
from pitwall.store.errors import StoreError
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.base import StoredGate

GATE_HELP = "start line as LAT,LON,LAT,LON: two points across the track, or the second one further along it"

# Columns of a table in a file: nothing we print is wider.
WIDE = 240
_CONTROLS = dict.fromkeys(
    {*range(0x20), *range(0x7F, 0xA0)} - {ord("\t"), ord("\n")}, "\N{REPLACEMENT CHARACTER}"
)


class UserError(Exception):
    """Something that the user can put right: printed as one line, exit code 2."""


def note(line: str) -> None:
    """A line for the user that is not the answer: standard error."""
    print(f"pitwall: {plain(line)}", file=sys.stderr)  # noqa: T201


def say(line: str = "") -> None:
    """A line of the answer: standard output."""
    print(plain(line))  # noqa: T201


def plain(text: str) -> str:
    """The text without what steers a terminal: a recording's names, a model's words are others' text."""
    return text.translate(_CONTROLS)


def print_json(value: Any) -> None:
    """One line of JSON. Structs become objects; None becomes null; numbers keep every digit they have."""
    print_bytes(msgspec.json.encode(value))


def print_bytes(encoded: bytes) -> None:
    """One line that is JSON already, as a route answers it."""
    sys.stdout.buffer.write(encoded + b"\n")
    sys.stdout.buffer.flush()


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table, one row a line: cut to fit a terminal, whole where the output is a file or a pipe."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=True)
    for row in rows:
        table.add_row(*map(plain, row))
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = WIDE
    console.print(table)


def lap_time(seconds: float | None) -> str:
    """A lap time as drivers read it, `1:51.937`; a dash for none."""
    if seconds is None:
        return "-"
    minutes, rest = divmod(round(seconds, 3), 60.0)
    return f"{int(minutes)}:{rest:06.3f}"


@contextmanager
def opened_store(home: Home) -> Iterator[Store]:
    """The store, opened, with what a killed run left behind put back; closed at the end."""
    store = Store(home)
    try:
        for line in store.open().lines:
            note(line)
        for line in recover(store, rebuilder(home)):
            note(line)
        yield store
    except StoreError as error:
        raise UserError(str(error)) from None
    finally:
        store.close()


def add_gate(parser: argparse.ArgumentParser) -> None:
    """The option `--gate`."""
    parser.add_argument("--gate", metavar="LAT,LON,LAT,LON", type=parse_gate, help=GATE_HELP)


def parse_gate(text: str) -> StoredGate:
    """Two points as a file would store them. The track room decides from the data how they lie."""
    try:
        a_lat, a_lon, b_lat, b_lon = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: give four numbers, LAT,LON,LAT,LON") from None
    if not all(abs(lat) <= 90.0 for lat in (a_lat, b_lat)) or not all(
        abs(lon) <= 180.0 for lon in (a_lon, b_lon)
    ):
        raise argparse.ArgumentTypeError(f"{text!r}: latitudes are within 90, longitudes within 180 degrees")
    return StoredGate(a_lat, a_lon, b_lat, b_lon, "given")
