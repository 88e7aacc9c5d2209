"""A DBC file, read by cantools (imported late) and checked for what would make two signals one.

Overlapping signals, and signals that end behind their message's declared length, occur in DBCs that work in
cars. They are taken as they are.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pitwall.telemetry.recordings.candump import bus_library
from pitwall.telemetry.sources.base import SourceAbsentError, SourceError

if TYPE_CHECKING:
    from cantools.database.can import Message

# Set in a key for a 29-bit id, as in a DBC: 11-bit 0x123 and 29-bit 0x123 are two messages.
EXTENDED = 0x8000_0000
# Where DBC editors park signals that belong to no message; its id can't be sent.
NOT_A_MESSAGE = "VECTOR__INDEPENDENT_SIG_MSG"

# The largest DBC of a car that is known has 8,000 signals; cantools takes a minute and half a GB for 100,000.
MOST_SIGNALS, MOST_DBC_BYTES = 16_384, 16 << 20

_SIZE = re.compile(r"\s*SG_\s+(\w+)[^:]*:\s*(\d+)\s*\|\s*(\d+)\s*@")
_ERROR_LINE = re.compile(r"at line (\d+)")
_ERROR_PLACES = (re.compile(r"\bmessage (\w+)"), re.compile(r"\bsignal (\w+)"))


class Dbc(NamedTuple):
    """A file that was read."""

    path: Path
    messages: tuple[Message, ...]


def key_of(message: Message) -> int:
    """A frame's id as the sources write it, with EXTENDED set for 29 bits."""
    return message.frame_id | (EXTENDED if message.is_extended_frame else 0)


def load_dbc(path: Path) -> Dbc:
    """Read and parse. SourceError with file and line where it can't be read, parsed or has a name twice."""
    text = _read(path)
    _check_sizes(path, text)
    database = bus_library("cantools.database.can").Database(strict=False)
    logger = logging.getLogger("cantools")
    level = logger.level
    logger.setLevel(logging.ERROR)  # its complaint of ids defined twice: ours names the line
    try:
        database.add_dbc_string(text)
    except Exception as error:  # a parser given any text: whatever it throws, the file is what is wrong
        raise _refused(path, text, error) from None
    finally:
        logger.setLevel(level)
    messages = [m for m in database.messages if m.name != NOT_A_MESSAGE]
    if not any(message.signals for message in messages):
        raise SourceError(f"{path}:1: defines no signal; give the DBC of this car or logger")
    _check_unique(path, text, messages)
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


def _refused(path: Path, text: str, error: Exception) -> SourceError:
    found = _ERROR_LINE.search(str(error))
    if found is not None:
        line = int(found[1])
    else:
        names = [match[1] if (match := place.search(str(error))) else "" for place in _ERROR_PLACES]
        line = _lines(text, *names)[0]
    what = str(error) if not isinstance(error, KeyError) else f"names {error}, which it does not define"
    return SourceError(
        f"{path}:{line}: is no DBC that can be used: {what}; mend that line or export it again"
    )


def _lines(text: str, message: str, signal: str = "") -> list[int]:
    """All lines that define the message, or this signal of it."""
    inside, found = not message, []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split(maxsplit=3)
        if len(words) > 2 and words[0] == "BO_":
            inside = not message or words[2].rstrip(":") == message
            if inside and not signal:
                found.append(number)
        elif signal and inside and len(words) > 1 and words[0] == "SG_" and words[1].rstrip(":") == signal:
            found.append(number)
    return found or [1]


def _check_sizes(path: Path, text: str) -> None:
    """Before parsing: cantools takes minutes over a signal of gigabits, and over very many signals."""
    count = len(re.findall(r"\bSG_\s", text))
    if count > MOST_SIGNALS:
        what = f"defines {count} signals, {MOST_SIGNALS} at most are read; leave out messages you don't need"
        raise SourceError(f"{path}:1: {what}")
    for number, line in enumerate(text.splitlines(), 1):
        size = _SIZE.match(line)
        if size is not None and max(len(size[2]), len(size[3])) > 3:
            what = f"{size[1]} ends behind the last bit a frame can have; mend its start and length"
            raise SourceError(f"{path}:{number}: {what}")


def _check_unique(path: Path, text: str, messages: Sequence[Message]) -> None:
    owner: dict[int, str] = {}
    names: set[str] = set()
    for message in messages:
        key = key_of(message)
        if message.name in names:
            line = _lines(text, message.name)[-1]
            raise SourceError(f"{path}:{line}: a second message is called {message.name}; rename one")
        if key in owner:
            what = f"message {message.name} has the id 0x{message.frame_id:X} of {owner[key]}; remove one"
            raise SourceError(f"{path}:{_lines(text, message.name)[0]}: {what}")
        owner[key] = message.name
        names.add(message.name)
        signals: set[str] = set()
        for signal in message.signals:
            if signal.name in signals:
                line = _lines(text, message.name, signal.name)[-1]
                what = f"a second signal of {message.name} is called {signal.name}; rename one"
                raise SourceError(f"{path}:{line}: {what}")
            signals.add(signal.name)
