"""Shared by the commands: a user's error, notes, JSON, tables, the gate option."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import re
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, cast

import msgspec

from pitwall.contract.problems import UserError

if TYPE_CHECKING:
    from pitwall.config import Home
    from pitwall.drive.prepare import OpenedOnce
    from pitwall.telemetry.recordings import StoredGate

GATE_HELP = "start line: two points across the track, or one on it and a second one further along"
SESSION_HELP = "a session's name or id, the beginning of an id, or last"

# A terminal that is narrower is written to as if it had this width.
LEAST_WIDTH, UNKNOWN_WIDTH = 40, 80
# The longest word of a table that is kept whole where a column wraps.
LONGEST_WORD = 22
# From here on a character may be two columns wide, or none.
WIDE = "\u0300"
_CONTROLS = dict.fromkeys(
    # With the marks of Unicode that end a line, or turn the direction of what follows.
    {*range(0x20), *range(0x7F, 0xA0), *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070)}
    - {ord("\t"), ord("\n")},
    "\N{REPLACEMENT CHARACTER}",
)


class Column(NamedTuple):
    """A column of a table. `spare`: the column is left out where a terminal has no room for it."""

    name: str
    right: bool = False
    wrap: bool = False
    spare: bool = False


# Where a file of an archive lies while it is read: a person knows only its name in the archive.
_UNPACKED = re.compile(r"\S*/pitwall-zip-[^/]+/\d+/([^/]+)(/(\d{4}|meta)(?=/))?")


def in_archive(text: str) -> str:
    """Return the text with each file of an unpacked archive as `day.zip/Location.csv`."""
    return _UNPACKED.sub(r"\1", text)


def show(text: str, stream: TextIO | None = None) -> None:
    """Print a text."""
    with _read_or_not(stream or sys.stdout) as out:
        print(text, file=out)


def flush() -> None:
    """Hand over what was printed."""
    with _read_or_not(sys.stdout) as out:
        out.flush()


@contextmanager
def _read_or_not(stream: TextIO) -> Iterator[TextIO]:
    """Go on, and print to nobody, if the reader is gone (`pitwall replay FILE | head`)."""
    try:
        yield stream
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def note(line: str) -> None:
    """Print a line for the user that is not the answer: standard error."""
    show(_fitted(f"pitwall: {in_archive(plain(line))}", sys.stderr, "  "), sys.stderr)


class LogLines(logging.StreamHandler[TextIO]):
    """Prints log records as notes are printed."""

    def format(self, record: logging.LogRecord) -> str:
        return _fitted(plain(super().format(record)), sys.stderr, "  ")


def say(line: str = "", hang: int | None = None) -> None:
    """Print a line of the answer, wrapped at words; `hang`: the rest's columns."""
    text = plain(line)
    indent = len(text) - len(text.lstrip(" ")) if hang is None else hang
    show(_fitted(text, sys.stdout, " " * indent))


def terminal_width(stream: TextIO) -> int | None:
    """Return how many columns the terminal has; None if the stream is a file or a pipe."""
    if not stream.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    columns = int(given) if given.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    return max(columns or UNKNOWN_WIDTH, LEAST_WIDTH)


def _fitted(text: str, stream: TextIO, indent: str) -> str:
    width = terminal_width(stream)
    if width is None:
        return text
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(wrapper.fill(line) if len(line) > width else line for line in text.split("\n"))


def plain(text: str) -> str:
    """Return the text without control characters: names and a model's words are not ours."""
    return text.translate(_CONTROLS)


def minute(utc_s: float) -> str:
    """Return a moment to the minute, by the clock of this machine."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(utc_s))


def print_json(value: Any) -> None:
    """Print a line of JSON. Structs become objects; None becomes null; numbers keep every digit."""
    print_bytes(msgspec.json.encode(value))


def print_bytes(encoded: bytes) -> None:
    """Print a line that is JSON already, as a route answers it."""
    with _read_or_not(sys.stdout) as out:
        out.buffer.write(encoded + b"\n")
        out.buffer.flush()


def print_answer(value: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """An answer as one line of JSON, else in lines for a person."""
    if as_json:
        print_json(value)
        return
    for line in lines:
        say(line)


@contextmanager
def uncollected() -> Iterator[None]:
    """Work without the garbage collector, for what leaves no cycles behind."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def must_be_new(path: Path) -> None:
    """UserError if there is a file, before work is done for nothing."""
    if os.path.lexists(path):
        raise UserError(f"{path} is there already; move it away or name another file")


def write_new(path: Path, content: bytes) -> None:
    """Write a new file, on the disk; one that is there stays. UserError."""
    must_be_new(path)
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise UserError(f"{path} can't be written: {error.strerror or error}; name another file") from None


def print_table(columns: Sequence[str | Column], rows: Sequence[Sequence[str]]) -> None:
    """Print a table. A terminal drops spare columns from the right as needed, then wraps cells."""
    chosen = [Column(column) if isinstance(column, str) else column for column in columns]
    cells = [[plain(cell).replace("\n", " ").replace("\t", " ") for cell in row] for row in rows]
    texts = list(zip([column.name for column in chosen], *cells, strict=True))
    # A wrapped column needs room for its longest word, except ids and paths.
    least = [
        max(min(len(word), LONGEST_WORD) for word in " ".join(each).split() or [""])
        if column.wrap
        else max(map(len, each))
        for column, each in zip(chosen, texts, strict=True)
    ]
    width = terminal_width(sys.stdout)
    shown = list(range(len(chosen)))

    def fits() -> bool:
        return width is None or sum(least[index] + 2 for index in shown) - 2 <= width

    for index in reversed(range(len(chosen))):
        if chosen[index].spare and not fits():
            shown.remove(index)
    whole = sum(max(map(len, texts[index])) + 2 for index in shown)
    if (width is None or whole - 2 <= width) and all(
        max(each, default="") < WIDE for text in texts for each in text
    ):
        _print_whole([(texts[index], chosen[index].right) for index in shown])
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for index in shown:
        column = chosen[index]
        justify: Literal["left", "right"] = "right" if column.right else "left"
        no_wrap = not column.wrap and fits()
        table.add_column(column.name, justify=justify, no_wrap=no_wrap, overflow="fold")
    for row in cells:
        table.add_row(*(row[index] for index in shown))
    console = Console(highlight=False, markup=False, width=width or whole)
    with console.capture() as capture:
        console.print(table)
    show("\n".join(line.rstrip() for line in capture.get().splitlines()))


def _print_whole(columns: Sequence[tuple[Sequence[str], bool]]) -> None:
    """Print columns of texts, each as wide as needed: a tenth of a wrapping table's time."""
    aligned = []
    for texts, right in columns:
        width = max(map(len, texts))
        aligned.append([text.rjust(width) if right else text.ljust(width) for text in texts])
    show("\n".join("  ".join(row).rstrip() for row in zip(*aligned, strict=True)))


def add_command(
    commands: argparse._SubParsersAction[Any],
    name: str,
    summary: str,
    do: Callable[..., object] | None = None,
    *,
    listed: bool = True,
) -> argparse.ArgumentParser:
    """Add a subcommand, which the parsed arguments' `do` runs."""
    shown: dict[str, Any] = {"help": summary} if listed else {}
    description = f"{summary[0].upper()}{summary[1:]}."
    made = commands.add_parser(name, description=description, **shown)
    made.set_defaults(do=do)
    return cast("argparse.ArgumentParser", made)


JSON_LIST = "a JSON list"


def add_json(parser: argparse._ActionsContainer, shape: str = "one JSON object") -> None:
    """`--json`, and what it prints."""
    parser.add_argument("--json", action="store_true", help=shape)


def add_recordings(parser: argparse.ArgumentParser) -> None:
    """FILE..., and the options of `add_gate`."""
    text = "a recording of any known format, or a folder of recordings"
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=text)
    add_gate(parser)


def recordings_in(paths: Sequence[Path], home: Home, opened: OpenedOnce) -> list[Path]:
    """Return the files, and the recordings in and below folders. UserError."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        known, others = _sorted_by_format(path, home, opened)
        if not known:
            raise UserError(f"{path}: no file in this folder is a recording of a format that Pitwall knows")
        kinds = Counter(known.values())
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        note(
            f"{path}: {len(known)} recordings: {counts}"
            if len(known) > 1
            else f"{path}: one recording: {counts}"
        )
        if others:
            note(f"{path}: no recordings, left out: {', '.join(each.name for each in others)}")
        found += known
    return found


def _sorted_by_format(folder: Path, home: Home, opened: OpenedOnce) -> tuple[dict[Path, str], list[Path]]:
    from pitwall.telemetry.recordings import RecordingError

    known: dict[Path, str] = {}
    others: list[Path] = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        hidden = any(part.startswith((".", "__MACOSX")) for part in path.relative_to(folder).parts)
        if hidden or path.is_relative_to(home.root):
            continue
        try:
            known[path] = opened.ahead(path, home).info.format
        except RecordingError as error:
            if error.recognised:
                note(str(error))
            else:
                others.append(path)
    return known, others


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what does not stand in a recording."""
    parser.add_argument("--gate", metavar="LAT,LON,LAT,LON", type=parse_gate, help=GATE_HELP)
    parser.add_argument("--dbc", metavar="FILE", help="what the frames of a candump log mean")
    parser.add_argument(
        "--mapping",
        metavar="FILE",
        help="which of the DBC's signals are which of Pitwall's; `auto`: by their names",
    )
    parser.add_argument(
        "--channel",
        metavar="OURS=THEIRS:UNIT",
        type=parse_channel,
        action="append",
        help="which channel of the file is a signal, such as steering_deg=a_ste:deg; may be given again",
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    """The options that say where runs start and finish: `--start`, `--finish`."""
    for name, what in (("start", "a hillclimb or an autocross begins"), ("finish", "it ends")):
        parser.add_argument(
            f"--{name}", metavar="LAT,LON", help=f"where {what}: runs are timed between the two"
        )


def given_gate(arguments: argparse.Namespace) -> StoredGate | None:
    """Return the named start line, or the start and the finish. UserError if one is missing."""
    start, finish = arguments.start, arguments.finish
    if (start is None) != (finish is None) or (start and arguments.gate):
        raise UserError("give --start and --finish, or --gate alone")
    if start is None:
        gate: StoredGate | None = arguments.gate
        return gate
    try:
        return msgspec.structs.replace(parse_gate(f"{start},{finish}"), is_run=True)
    except argparse.ArgumentTypeError as error:
        raise UserError(f"--start {start} --finish {finish}: {error}") from None


def parse_channel(text: str) -> tuple[str, str]:
    """`steering_deg=a_ste:deg`: our signal, and the file's name of it with its unit."""
    from pitwall.telemetry.recordings.corrected import check_channel

    target, _, source = text.partition("=")
    try:
        check_channel(target.strip(), source)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return target.strip(), source.strip()


def parse_gate(text: str) -> StoredGate:
    """Return two points as a file would store them."""
    from pitwall.telemetry.recordings import StoredGate  # with every format, which few commands need

    try:
        a_lat, a_lon, b_lat, b_lon = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: give four numbers, LAT,LON,LAT,LON") from None
    if not all(abs(lat) <= 90.0 for lat in (a_lat, b_lat)) or not all(
        abs(lon) <= 180.0 for lon in (a_lon, b_lon)
    ):
        raise argparse.ArgumentTypeError(f"{text!r}: latitudes are within 90, longitudes within 180 degrees")
    return StoredGate(a_lat, a_lon, b_lat, b_lon, "given")
