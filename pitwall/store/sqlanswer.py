"""The answer to a question in SQL, and its bounds: rows, bytes, seconds."""

from __future__ import annotations

from typing import Any

import msgspec

MOST_ROWS = 500
MOST_SQL_CHARS = 20_000
# Beyond this no model reads it.
MOST_ANSWER_CHARS = 400_000
MOST_COLUMNS = 400
# Other questions before it included; then the process is killed.
TIME_LIMIT_S = 2.0
# What the process may take besides code and database.
MOST_GROWTH_BYTES = 64 << 20

TOO_SLOW = "it took longer than 2 s and was stopped: ask for less"
TOO_MUCH = "it needs more memory than there is: filter or group earlier"
TOO_LONG = f"the answer is longer than {MOST_ANSWER_CHARS} characters: ask for less"


class SqlAnswer(msgspec.Struct, frozen=True, tag="answer"):
    """`rows` in the order of `columns`, of msgpack's types. `more`: 500 rows were reached."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    more: bool


class Refusal(msgspec.Struct, frozen=True, tag="refusal"):
    """Why there is no answer."""

    reason: str


class SqlFile(msgspec.Struct, frozen=True):
    """The database of the next question."""

    folder: str
    name: str


class SqlText(msgspec.Struct, frozen=True):
    """The question."""

    sql: str
