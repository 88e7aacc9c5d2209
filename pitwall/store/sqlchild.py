"""The process that a question runs in: `python -m pitwall.store.sqlchild`, started by `sqlgate`.

The system, not the statement's words, bounds it: once the database is open this process may open no
file, write no file, take MOST_GROWTH_BYTES more, and compute for CPU_S. Its owner kills it when
time is up. Messages come on stdin and go to stdout, a length of four bytes before each: a `SqlFile`
is opened and answered with an empty message or a `Refusal`; a `SqlText` is answered and the
database closed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import select
import struct
import sys
from contextlib import suppress
from typing import Any

import _duckdb as duckdb
import msgspec

from pitwall.store.process_memory import address_space_bytes
from pitwall.store.sqlanswer import (
    MOST_ANSWER_CHARS,
    MOST_COLUMNS,
    MOST_GROWTH_BYTES,
    MOST_ROWS,
    MOST_SQL_CHARS,
    TOO_LONG,
    TOO_MUCH,
    Refusal,
    SqlAnswer,
    SqlFile,
    SqlText,
)

# A second more than its owner waits.
CPU_S = 3
# It ends when nobody has asked for so long.
IDLE_S = 20.0
# The drive comes first.
NICE = 10
LENGTH_BYTES = 4
_FETCH_ROWS = 20
_INT64 = range(-(1 << 63), 1 << 63)
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "memory_limit": "48MB",
    "temp_directory": "",
    "secret_directory": "",
    "python_enable_replacements": False,
}


# <linux/prctl.h>, <linux/seccomp.h>, <linux/filter.h>; by machine: its number in <linux/audit.h>,
# and the calls readlink and readlinkat.
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_READLINK = {"x86_64": (0xC000003E, (89, 267)), "aarch64": (0xC00000B7, (78,))}


class _Refused(Exception):
    pass


def main() -> None:
    """Serve questions until stdin ends or nobody asks."""
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # No question finds a path or a secret here.
    os.environ.clear()
    os.nice(NICE)
    with duckdb.connect() as empty:
        # DuckDB finds the time zone by a link, and keeps it.
        empty.execute("SELECT current_setting('TimeZone')")
    _hide_names()
    _limit(resource.RLIMIT_CORE, 0)
    _send(answers, b"")
    while _waits() and (opening := _read_message()) is not None:
        con = _opened(msgspec.msgpack.decode(opening, type=SqlFile), answers)
        if con is None:
            continue
        asked = _read_message()
        if asked is None:
            return
        with con:
            answer = _ask(con, msgspec.msgpack.decode(asked, type=SqlText).sql)
        _let_open(resource.RLIMIT_NOFILE)
        _send(answers, msgspec.msgpack.encode(answer))


def _opened(file: SqlFile, answers: int) -> duckdb.DuckDBPyConnection | None:
    try:
        os.chdir(file.folder)
        # Where DuckDB shows its file's path it shows this one: see `_hide_names`.
        here = "/proc/self/cwd" if os.path.exists("/proc/self/cwd/.") else file.folder
        path = f"{here}/{file.name}"
        con = duckdb.connect(path, read_only=True, config=_SETTINGS)
        con.execute("SET enable_external_access = false")
        con.execute("SET lock_configuration = true")
        # Closing a handle lets go of all locks on its file.
        for name in (file.name, f"{file.name}.wal"):
            with suppress(FileNotFoundError):
                os.close(os.open(name, os.O_RDONLY))
    except (duckdb.Error, OSError) as error:
        _send(answers, msgspec.msgpack.encode(Refusal(f"the database can't be read: {_error_text(error)}")))
        return None
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime) + CPU_S)
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        with suppress(FileNotFoundError):  # macOS has no /proc, and holds nobody to this limit
            _limit(resource.RLIMIT_AS, address_space_bytes() + MOST_GROWTH_BYTES)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, 0)
    _send(answers, b"")
    return con


def _ask(con: duckdb.DuckDBPyConnection, sql: str) -> SqlAnswer | Refusal:
    try:
        return _answer(con, _checked(con, sql))
    except _Refused as refused:
        return Refusal(str(refused))
    except (duckdb.OutOfMemoryException, MemoryError):
        return Refusal(TOO_MUCH)
    except RecursionError:
        return Refusal("it is nested too deeply: ask in simpler steps")
    except (duckdb.Error, RuntimeError, ValueError, ImportError, TypeError, ArithmeticError) as error:
        return Refusal(_error_text(error))


def _checked(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    if len(sql) > MOST_SQL_CHARS:
        raise _Refused(f"a statement of {len(sql)} characters: at most {MOST_SQL_CHARS}")
    statements = con.extract_statements(sql)
    if len(statements) != 1:
        raise _Refused(f"{len(statements)} statements: ask exactly one SELECT")
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = str(statements[0].type).rpartition(".")[2]
        raise _Refused(f"{kind} is not allowed: only SELECT, WITH, FROM, VALUES, DESCRIBE and SHOW")
    # A `;` at its end, even before a comment, is found by trying.
    text = sql
    while True:
        wrapped = f"SELECT * FROM (\n{text}\n) LIMIT {MOST_ROWS}"  # noqa: S608
        with suppress(duckdb.Error):
            if len(con.extract_statements(wrapped)) == 1:
                return wrapped
        text, mark, _ = text.rpartition(";")
        if not mark:
            raise _Refused("this can't be asked as part of another SELECT")


def _answer(con: duckdb.DuckDBPyConnection, wrapped: str) -> SqlAnswer:
    described = con.execute(f"DESCRIBE {wrapped}").fetchall()
    columns = tuple(str(row[0]) for row in described)
    if len(columns) > MOST_COLUMNS:
        raise _Refused(f"{len(columns)} columns: at most {MOST_COLUMNS}")
    # DuckDB makes times of a zone with a package that is not here: as text.
    zoned = [name.replace('"', '""') for name, kind, *_ in described if "TIME ZONE" in kind or "TZ" in kind]
    texts = ", ".join(f'"{name}"::VARCHAR AS "{name}"' for name in zoned)
    con.execute(f"SELECT * {f'REPLACE ({texts}) ' if texts else ''}FROM ({wrapped})")
    rows: list[tuple[Any, ...]] = []
    chars = 0
    while found := con.fetchmany(_FETCH_ROWS):
        for row in found:
            rows.append(tuple(map(_cell, row)))
            chars += sum(len(str(value)) for value in row)
            if chars > MOST_ANSWER_CHARS:
                raise _Refused(TOO_LONG)
    return SqlAnswer(columns, rows, len(rows) == MOST_ROWS)


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, bool | float | str):
        return value
    if isinstance(value, int):
        return value if value in _INT64 else str(value)
    if isinstance(value, list | tuple):
        return [_cell(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _cell(each) for key, each in value.items()}
    return str(value)


def _error_text(error: Exception) -> str:
    return str(error).partition("Traceback (most recent")[0].strip() or type(error).__name__


def _limit(which: int, most: int) -> None:
    """Set the soft limit, which this process alone may raise."""
    with suppress(OSError, ValueError):
        resource.setrlimit(which, (most, resource.getrlimit(which)[1]))


def _hide_names() -> None:
    """Forbid this process to resolve links. Without seccomp a question may find the path of its
    database."""
    machine = _READLINK.get(os.uname().machine)
    if machine is None:
        return
    architecture, calls = machine
    allowed = len(calls)
    code = [(_LOAD, 0, 0, 4), (_JUMP_IF_EQUAL, 0, allowed + 1, architecture), (_LOAD, 0, 0, 0)]
    code += [(_JUMP_IF_EQUAL, allowed - place, 0, call) for place, call in enumerate(calls)]
    code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL | errno.EACCES)]
    filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(filters))
    with suppress(OSError, AttributeError):
        prctl = ctypes.CDLL(None).prctl
        prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        prctl(_SET_SECCOMP, _FILTER, program, 0, 0)


def _let_open(which: int) -> None:
    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (hard, hard))


def _waits() -> bool:
    return bool(select.select([0], [], [], IDLE_S)[0])


def _read_message() -> bytes | None:
    head = _read(LENGTH_BYTES)
    return None if head is None else _read(int.from_bytes(head, "big"))


def _read(count: int) -> bytes | None:
    read = b""
    while len(read) < count:
        piece = os.read(0, count - len(read))
        if not piece:
            return None
        read += piece
    return read


def _send(to: int, message: bytes) -> None:
    view = memoryview(len(message).to_bytes(LENGTH_BYTES, "big") + message)
    while view:
        view = view[os.write(to, view) :]


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        main()
    sys.stderr.flush()
    os._exit(0)
