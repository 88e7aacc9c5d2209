"""What the paddock's agents and jobs left behind, exported as JSON lines without secrets and names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Literal

import duckdb
import msgspec

from pitwall import __version__
from pitwall.analysis.redact import Redactor
from pitwall.store.errors import StoreError
from pitwall.store.reading import Readable

TraceKind = Literal["agent_event", "job", "turn"]

_FETCH_ROWS = 200
# Newest first, so that a bound leaves out the oldest; given back in the order of time.
_QUERIES: dict[TraceKind, str] = {
    "agent_event": (
        "SELECT job, at_utc_s, agent, kind, detail FROM (SELECT * FROM agent_events "
        "WHERE $job IN ('', job) ORDER BY at_utc_s DESC LIMIT $most) ORDER BY at_utc_s"
    ),
    "job": (
        "SELECT id, kind, state, created_utc_s, updated_utc_s, input, checkpoint, result FROM (SELECT * "
        "FROM jobs WHERE $job IN ('', id) ORDER BY created_utc_s DESC LIMIT $most) ORDER BY created_utc_s"
    ),
    "turn": (
        "SELECT at_utc_s, role, session, text, detail FROM (SELECT * FROM conversations "
        "WHERE $job = '' ORDER BY at_utc_s DESC LIMIT $most) ORDER BY at_utc_s"
    ),
}


class Known(msgspec.Struct, frozen=True):
    """What sessions and lessons are called: by drivers, and by cars and files."""

    drivers: tuple[str, ...]
    things: tuple[str, ...]


def trace_rows(store: Readable, kind: TraceKind, job: str = "", most: int = 1000) -> Iterator[dict[str, Any]]:
    """The newest `most` rows of one kind in order of time, of one job where it is named. StoreError."""
    with closing(store.cursor()) as cursor:
        try:
            cursor.execute(_QUERIES[kind], {"job": job, "most": most})
            columns = [str(column[0]) for column in cursor.description or []]
            while rows := cursor.fetchmany(_FETCH_ROWS):
                for row in rows:
                    yield dict(zip(columns, row, strict=True))
        except duckdb.Error as error:
            raise StoreError(f"the agents' traces can't be read: {error}") from error


def known_names(store: Readable) -> Known:
    """Every driver, car and file that is named anywhere. StoreError."""
    with closing(store.cursor()) as cursor:
        try:
            rows = cursor.execute("SELECT DISTINCT driver, vehicle, source_name FROM sessions").fetchall()
            learned = cursor.execute("SELECT DISTINCT driver FROM lessons").fetchall()
        except duckdb.Error as error:
            raise StoreError(f"the sessions' names can't be read: {error}") from error
    drivers = {str(row[0]) for row in (*rows, *learned) if row[0]}
    stems = {str(row[2]).rpartition("/")[2].partition(".")[0] for row in rows if row[2]}
    cars = {str(row[1]) for row in rows if row[1]}
    return Known(tuple(sorted(drivers)), tuple(sorted(stems | cars)))


MOST_ROWS = 10_000
# Held as JSON in a text column.
_JSON_COLUMNS = ("detail", "input", "checkpoint", "result")
# What a driver or a model wrote, even where it is one word.
_WORD_KEYS = frozenset({
    "question", "prompt", "wish", "text", "turns", "answer", "claim", "summary", "phrases", "say", "note",
})  # fmt: skip
# An id, a name of a state or of a tool; anything else is somebody's words.
_ID = re.compile(r"[\w.:/+-]{0,64}")


def export_lines(
    store: Readable,
    secrets: Sequence[str] = (),
    *,
    job: str = "",
    with_words: bool = False,
    most: int = MOST_ROWS,
) -> Iterator[bytes]:
    """JSON lines: a head, then jobs, agents' events and, `with_words`, the conversation, each in order of
    time, secrets and names taken out. `job`: of this one only. StoreError.

    Without words, of texts that a driver or a model wrote only the length is told.
    """
    known = known_names(store)
    redactor = Redactor(known.drivers, known.things, secrets, home=str(store.home.root))
    head = {"what": "traces", "version": __version__, "with_words": with_words, "job": job}
    yield _line(redactor.value(head))
    kinds: tuple[TraceKind, ...] = ("job", "agent_event", "turn") if with_words else ("job", "agent_event")
    for kind in kinds:
        for row in trace_rows(store, kind, job, most):
            shown: Any = {
                name: _opened(held) if name in _JSON_COLUMNS else held
                for name, held in row.items()
                if held not in (None, "")
            }
            if not with_words:
                # Sentences in agents' events are ours; in a job, they are what it was given and gave.
                shown = _wordless(shown, sentences=kind == "agent_event")
            yield _line(redactor.value({"what": kind, **shown}))


def _wordless(value: Any, key: str = "", *, sentences: bool = False) -> Any:
    """The value with the length of words in their place; `sentences` are kept where no key says that they
    are somebody's."""
    if isinstance(value, str):
        plain = key not in _WORD_KEYS and (sentences or _ID.fullmatch(value))
        return value if plain else f"[words: {len(value)} characters]"
    if isinstance(value, Mapping):
        return {
            name: _wordless(held, key if key in _WORD_KEYS else str(name), sentences=sentences)
            for name, held in value.items()
        }
    if isinstance(value, Sequence):
        return [_wordless(each, key, sentences=sentences) for each in value]
    return value


def _opened(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _line(value: Any) -> bytes:
    return msgspec.json.encode(value) + b"\n"
