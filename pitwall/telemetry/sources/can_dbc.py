"""A DBC file, read by cantools (imported late) and checked for what would make two signals one.

Overlapping signals, and signals that end behind their message's declared length, occur in DBCs that
work in cars. They are used as they are.

A mapping file tells which signals of a DBC are which canonical signals, in which unit and with
which sign.

TOML, a table for each signal. The name is the DBC's; one that occurs in several messages is written
`"MESSAGE.SIGNAL"`:

    [signals.STEER]          # or [signals."MOTION.STEER"]
    to = "steering_deg"      # canonical name, each at most once
    unit = "rad"             # what the DBC's value is in; left out: the unit that stands in the DBC
    sign = -1                # the DBC's is positive to the right
    scale = 1.0              # before the unit: canonical = sign * convert(value * scale + offset)
    offset = 0.0
    invalid = [0xFFFF]       # raw codes that mean "no value"

`auto` in place of a file maps the signals whose names and units say by themselves what they are.
"""

from __future__ import annotations

import importlib
import logging
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from pitwall.helpers.toml_lines import key_lines
from pitwall.telemetry.recordings.can_logs import EXTENDED
from pitwall.telemetry.recordings.columns import Heading, map_columns, to_canonical
from pitwall.telemetry.signals import SIGNALS
from pitwall.telemetry.sources.base import SourceAbsentError, SourceError

if TYPE_CHECKING:
    from cantools.database.can import Message, Signal

# Where DBC editors park signals without a message.
NOT_A_MESSAGE = "VECTOR__INDEPENDENT_SIG_MSG"

# The largest known DBC of a car has 8,000 signals; cantools takes a minute for 100,000.
MOST_SIGNALS, MOST_DBC_BYTES = 16_384, 16 << 20

_SIZE = re.compile(r"^\s*SG_\s+(\w+)[^:\n]*:\s*(\d+)\s*\|\s*(\d+)\s*@", re.MULTILINE)


class Dbc(NamedTuple):
    """A file that was read."""

    path: Path
    messages: tuple[Message, ...]


def key_of(message: Message) -> int:
    """Return a frame's id, with EXTENDED set for 29 bits."""
    return message.frame_id | (EXTENDED if message.is_extended_frame else 0)


def load_dbc(path: Path) -> Dbc:
    """Read and parse. SourceError with what cantools says, also for a name that is there twice."""
    text = _read(path)
    _check_sizes(path, text)
    database = importlib.import_module("cantools.database.can").Database(strict=False)
    logger = logging.getLogger("cantools")
    level = logger.level
    logger.setLevel(logging.ERROR)  # its complaint of ids defined twice: ours says what to do
    try:
        database.add_dbc_string(text)
    except Exception as error:  # a parser given any text: whatever it throws, the file is what is wrong
        what = str(error) if not isinstance(error, KeyError) else f"names {error}, which it does not define"
        raise SourceError(f"{path}: is no DBC that can be used: {what}; export it again") from None
    finally:
        logger.setLevel(level)
    messages = [m for m in database.messages if m.name != NOT_A_MESSAGE]
    if not any(message.signals for message in messages):
        raise SourceError(f"{path}: defines no signal; give the DBC of this car or logger")
    _check_unique(path, messages)
    return Dbc(path, tuple(messages))


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_DBC_BYTES + 1)
    except OSError as error:
        raise SourceAbsentError(f"{path}: can't be read: {error.strerror}; check the option `dbc`") from None
    if len(raw) > MOST_DBC_BYTES:
        raise SourceError(
            f"{path}: is larger than {MOST_DBC_BYTES >> 20} MiB; give the DBC of this car alone"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")  # what DBC editors write


def _check_sizes(path: Path, text: str) -> None:
    """Check before parsing: cantools takes minutes over such signals."""
    count = len(re.findall(r"\bSG_\s", text))
    if count > MOST_SIGNALS:
        what = f"defines {count} signals, {MOST_SIGNALS} at most are read; leave out messages you don't need"
        raise SourceError(f"{path}: {what}")
    for size in _SIZE.finditer(text):
        if max(len(size[2]), len(size[3])) > 3:
            what = f"{size[1]} ends behind the last bit a frame can have; mend its start and length"
            raise SourceError(f"{path}: {what}")


def _check_unique(path: Path, messages: Sequence[Message]) -> None:
    owner: dict[int, str] = {}
    for message in messages:
        key = key_of(message)
        if message.name in owner.values():
            raise SourceError(f"{path}: a second message is called {message.name}; rename one")
        if key in owner:
            what = f"message {message.name} has the id 0x{message.frame_id:X} of {owner[key]}; remove one"
            raise SourceError(f"{path}: {what}")
        owner[key] = message.name
        (name, count), *_ = [*Counter(each.name for each in message.signals).most_common(1), ("", 0)]
        if count > 1:
            raise SourceError(f"{path}: a second signal of {message.name} is called {name}; rename one")


# In place of a file: by the names.
BY_NAME = Path("auto")

_TOML_LINE = re.compile(r"\(at line (\d+)")
_STRUCT_KEY = re.compile(r"\$\.(\w+)|field `(\w+)`")


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    to: str
    unit: str | None = None
    sign: Literal[-1, 1] = 1
    scale: float = 1.0
    offset: float = 0.0
    invalid: list[int] = []


class SignalTarget(NamedTuple):
    """What becomes of a signal: canonical = DBC value * scale + offset."""

    canonical: str
    scale: float
    offset: float
    invalid: frozenset[int]


def load_mapping(path: Path, dbc: Dbc) -> dict[tuple[str, str], SignalTarget]:
    """Return targets by (message, signal). SourceError with file and line."""
    text, tables = _read_tables(path)
    messages: dict[str, list[str]] = {}
    for message in dbc.messages:
        for signal in message.signals:
            messages.setdefault(signal.name, []).append(message.name)
    signals = {(m.name, s.name): s for m in dbc.messages for s in m.signals}
    found: dict[tuple[str, str], SignalTarget] = {}
    claimed: dict[str, str] = {}
    for name, table in tables.items():
        line = toml_line(text, name)
        try:
            entry = msgspec.convert(table, _Entry)
        except msgspec.ValidationError as error:
            key = _STRUCT_KEY.search(str(error))
            line = toml_line(text, name, (key[1] or key[2]) if key else "")
            raise SourceError(
                f"{path}:{line}: {name}: {error}; see the aim-mxp mapping for an example"
            ) from None
        place = _place(f"{path}:{line}", name, messages, dbc)
        if place in found:
            raise SourceError(f"{path}:{line}: {name} names a signal that is mapped above; remove one")
        if entry.to in claimed:
            line = toml_line(text, name, "to")
            first = f"line {toml_line(text, claimed[entry.to], 'to')}"
            what = f"{name} claims {entry.to}, which {claimed[entry.to]} has ({first}); remove one"
            raise SourceError(f"{path}:{line}: {what}")
        claimed[entry.to] = name
        found[place] = _target(path, text, name, entry, signals[place])
    return found


def mapping_by_name(dbc: Dbc) -> dict[tuple[str, str], SignalTarget]:
    """Map the signals that are ours by name and unit."""
    places = [(message, signal) for message in dbc.messages for signal in message.signals]
    headings = [Heading(i, signal.name, signal.unit or "") for i, (_, signal) in enumerate(places)]
    found: dict[tuple[str, str], SignalTarget] = {}
    for column in map_columns(headings, "bus"):
        if column.channel.canonical:
            message, signal = places[column.cell]
            target = SignalTarget(column.channel.name, column.scale, column.offset, frozenset())
            found[message.name, signal.name] = target
    return found


def as_toml(mapping: Mapping[tuple[str, str], SignalTarget]) -> str:
    """Return a mapping file that says the same."""
    return "".join(
        f'[signals."{message}.{signal}"]\nto = "{target.canonical}"\n'
        for (message, signal), target in mapping.items()
    )


def toml_line(text: str, table: str, key: str = "") -> int:
    """Return the line of `[signals.table]`, or of `key` in it. 1: not found."""
    lines, name = key_lines(text), f"signals.{table}"
    begins = (line for known, line in lines.items() if known == name or known.startswith(f"{name}."))
    return lines.get(f"{name}.{key}") or min(begins, default=1)


def _read_tables(path: Path) -> tuple[str, dict[str, object]]:
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise SourceAbsentError(
            f"{path}: can't be read: {error.strerror}; check the option `mapping`"
        ) from None
    except UnicodeDecodeError:
        raise SourceError(f"{path}: is no text in UTF-8; save it as UTF-8") from None
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _TOML_LINE.search(str(error))
        line = int(at[1]) if at else len(text.splitlines())
        raise SourceError(f"{path}:{line}: is not TOML: {error}; mend that line") from None
    tables = whole.pop("signals", None)
    if whole:
        stray = next(iter(whole))
        line = next((n for n, row in enumerate(text.splitlines(), 1) if re.match(rf"\W*{stray}\b", row)), 1)
        raise SourceError(f"{path}:{line}: {stray} is not known here; signals stand in [signals.NAME]")
    if not isinstance(tables, dict) or not tables:
        raise SourceError(f"{path}:1: maps no signal; add a table [signals.NAME] with `to` for each")
    return text, tables


def _place(where: str, name: str, messages: dict[str, list[str]], dbc: Dbc) -> tuple[str, str]:
    message, dot, signal = name.rpartition(".")
    if dot and message in messages.get(signal, ()):
        return message, signal
    owners = messages.get(name, [])
    if len(owners) == 1:
        return owners[0], name
    if owners:
        choices = " or ".join(f'"{owner}.{name}"' for owner in owners[:4])
        raise SourceError(f"{where}: {name} stands in {len(owners)} messages; write {choices}")
    close = [known for known in messages if known.lower() == (signal or name).lower()]
    hint = f"did you mean {close[0]}?" if close else "copy the name of its SG_ line"
    raise SourceError(f"{where}: {name} is no signal of {dbc.path.name}; {hint}")


def _target(path: Path, text: str, name: str, entry: _Entry, signal: Signal) -> SignalTarget:
    if entry.to not in SIGNALS:
        line = toml_line(text, name, "to")
        raise SourceError(
            f"{path}:{line}: {entry.to!r} is no canonical signal; known are {', '.join(SIGNALS)}"
        )
    unit = (signal.unit or "") if entry.unit is None else entry.unit
    conversion = to_canonical(entry.to, unit)
    if conversion is None:
        line = toml_line(text, name, "unit" if entry.unit is not None else "to")
        origin = "" if entry.unit is not None else ", as the DBC says"
        wanted = SIGNALS[entry.to].unit or "none"
        what = f"{entry.to} can't be in {unit!r}{origin}; give the unit of {name}, such as {wanted!r}"
        raise SourceError(f"{path}:{line}: {what}")
    factor = entry.sign * conversion.scale
    offset = entry.sign * (entry.offset * conversion.scale + conversion.offset)
    return SignalTarget(entry.to, entry.scale * factor, offset, frozenset(entry.invalid))
