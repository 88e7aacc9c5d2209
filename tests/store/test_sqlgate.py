"""Bounded SQL: what only looks is answered, everything else is refused in words, and nothing changes."""

from __future__ import annotations

from collections.abc import Iterator

import driven_home as driven
import pytest

from pitwall.config import Home
from pitwall.store.sqlgate import MOST_ROWS, Refusal, SqlAnswer, ask
from pitwall.store.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(Home(tmp_path_factory.mktemp("sql") / "home")) as opened:
        opened.open()
        driven.write_session(opened, "one", 1200)
        yield opened


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT count(*) FROM frames", [(600,)]),
        ("FROM frames SELECT max(t);", [(11.98,)]),
        ("WITH l AS (SELECT lap FROM laps) SELECT min(lap) FROM l", [(1,)]),
        ("VALUES (1), (2)", [(1,), (2,)]),
        ("SELECT 1; -- LIMIT 5", [(1,)]),
        ("/* ; */ SELECT ';' AS \"a;b\" ; ; -- ;", [(";",)]),
        ("SELECT 1 -- no end of line", [(1,)]),
        ("SELECT lap FROM laps ORDER BY lap DESC LIMIT 2", [(11,), (10,)]),
        ("SELECT 'drop table laps' AS words", [("drop table laps",)]),
    ],
)
def test_what_looks_is_answered(store: Store, sql: str, rows: list[tuple[object, ...]]) -> None:
    answer = ask(store, sql)
    assert isinstance(answer, SqlAnswer), answer
    assert answer.rows == rows
    assert not answer.more


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SHOW TABLES", "laps"),
        ("DESCRIBE laps", "end_t"),
        ("SUMMARIZE laps", "end_t"),
        ("SELECT table_name FROM duckdb_tables()", "laps"),
    ],
)
def test_the_catalogue_may_be_read(store: Store, sql: str, told: str) -> None:
    answer = ask(store, sql)
    assert isinstance(answer, SqlAnswer), answer
    assert told in [row[0] for row in answer.rows]


def test_five_hundred_rows_and_no_more(store: Store) -> None:
    answer = ask(store, "SELECT t FROM frames -- LIMIT 100000")
    assert isinstance(answer, SqlAnswer)
    assert (len(answer.rows), answer.more, answer.columns) == (MOST_ROWS, True, ("t",))


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("", "0 statements"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("SELECT 1; DROP TABLE laps", "2 statements"),
        ("DROP TABLE laps", "DROP is not allowed"),
        ("DELETE FROM laps", "DELETE is not allowed"),
        ("UPDATE laps SET lap = 0", "UPDATE is not allowed"),
        ("INSERT INTO laps SELECT * FROM laps", "INSERT is not allowed"),
        ("WITH x AS (DELETE FROM laps RETURNING *) SELECT * FROM x", ""),
        ("COPY laps TO '/tmp/stolen.csv'", "COPY is not allowed"),
        ("ATTACH '/tmp/other.duckdb'", "ATTACH is not allowed"),
        ("INSTALL httpfs", "is not allowed"),
        ("SET enable_external_access = true", "SET is not allowed"),
        ("PRAGMA disable_checkpoint_on_shutdown", "is not allowed"),
        ("CALL checkpoint()", "CALL is not allowed"),
        ("SELECT * FROM checkpoint()", "checkpoint() is not allowed"),
        ("SELECT * FROM (SELECT * FROM CheckPoint())", "checkpoint() is not allowed"),
        ("SELECT * FROM query('FROM checkpoint()')", "query() is not allowed"),
        ("SELECT * FROM read_text('/etc/passwd')", "read_text() is not allowed"),
        ("SELECT * FROM '/etc/passwd'", ""),
        ("SELECT * FROM '/tmp/x.csv'", ""),
        ("SELECT repeat('x', 1000000000)", "repeat() needs a plain length"),
        ("SELECT 1) UNION ALL (SELECT 2", "syntax error"),
        ("SELECT nonsense FROM laps", "nonsense"),
        ("SELECT * FROM store", "store"),
        ("SELECT ?", ""),
        ("SELEKT", "syntax error"),
        ("SELECT '" + "x" * 30_000 + "'", "at most"),
        (
            "SELECT list(t || 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') FROM frames, range(20)",
            "longer than",
        ),
        ("BEGIN", "is not allowed"),
        ("EXPLAIN ANALYZE SELECT 1", "is not allowed"),
    ],
)
def test_everything_else_is_refused_in_words(store: Store, sql: str, reason: str) -> None:
    before = store.cursor().execute("SELECT count(*) FROM laps").fetchall()
    refusal = ask(store, sql)
    assert isinstance(refusal, Refusal), refusal
    assert reason in refusal.reason
    assert refusal.reason
    assert store.cursor().execute("SELECT count(*) FROM laps").fetchall() == before == [(11,)]


def test_a_runaway_is_stopped_and_the_next_question_answered(store: Store) -> None:
    refusal = ask(store, "SELECT sum(sin(range)) FROM range(100000000000)")
    assert refusal == Refusal("it took longer than 2 s and was stopped: ask for less")
    assert isinstance(ask(store, "SELECT 1"), SqlAnswer)


def test_more_memory_than_there_is_is_a_refusal(store: Store) -> None:
    refusal = ask(
        store, "SELECT count(*) FROM (SELECT DISTINCT range * 7 AS k, range::VARCHAR FROM range(20000000))"
    )
    assert isinstance(refusal, Refusal)
    assert isinstance(ask(store, "SELECT 1"), SqlAnswer)
