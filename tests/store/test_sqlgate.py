"""Bounded SQL: what only looks is answered, everything else is refused in words, and nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import driven_home as driven
import pytest

from pitwall.config import Home
from pitwall.store.database import Database
from pitwall.store.sqlanswer import MOST_ROWS, TOO_MUCH, TOO_SLOW, Refusal, SqlAnswer
from pitwall.store.sqlgate import STARTING
from pitwall.store.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with driven.opened(Home(tmp_path_factory.mktemp("sql") / "home")) as opened:
        driven.write_session(opened, "one", 1200)
        yield opened


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
    answer = driven.asked(store, sql)
    assert isinstance(answer, SqlAnswer), answer
    assert told in [row[0] for row in answer.rows]


@pytest.mark.parametrize("columns", ["*", "timestamp_tz_ns", "time_tz"])
def test_a_value_of_any_type_is_shown_or_refused_in_words(store: Store, columns: str) -> None:
    answer = driven.asked(store, f"SELECT {columns} FROM test_all_types()")
    assert isinstance(answer, SqlAnswer) or "Traceback" not in answer.reason
    assert isinstance(answer, SqlAnswer) or columns == "*"


def test_five_hundred_rows_and_no_more(store: Store) -> None:
    answer = driven.asked(store, "SELECT t FROM frames -- LIMIT 100000")
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
        ("SELECT * FROM read_text('/etc/passwd')", "disabled by configuration"),
        ("SELECT * FROM read_blob('/proc/self/cwd/pitwall.duckdb')", "Too many open files"),
        ("SELECT * FROM read_text('token')", "disabled by configuration"),
        ("SELECT * FROM '/etc/passwd'", ""),
        ("SELECT * FROM '/tmp/x.csv'", ""),
        ("SELECT repeat('x', 1000000000)", TOO_MUCH),
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
    refusal = driven.asked(store, sql)
    assert isinstance(refusal, Refusal), refusal
    assert reason in refusal.reason
    assert refusal.reason
    assert store.cursor().execute("SELECT count(*) FROM laps").fetchall() == before == [(11,)]


# What DuckDB plans for minutes, deaf to its interrupt, or until the phone has no memory left.
DEAF = "SELECT 1 a0, " + ", ".join(f"a{i} + a{i} a{i + 1}" for i in range(26))
CROSSED = (
    "WITH c0 AS (FROM laps), "
    + ", ".join(f"c{i} AS (SELECT a.* FROM c{i - 1} a, c{i - 1} b)" for i in range(1, 14))
    + " SELECT count(*) FROM c13"
)
DOUBLED = "SELECT *, * FROM (" * 12 + "FROM frames" + ")" * 12


@pytest.mark.parametrize(
    ("sql", "reasons"),
    [
        (DEAF, (TOO_SLOW,)),
        (CROSSED, (TOO_SLOW, TOO_MUCH)),
        (DOUBLED, (TOO_SLOW, TOO_MUCH)),
        ("SELECT sum(sin(range)) FROM range(100000000000)", (TOO_SLOW,)),
        ("SELECT count(*) FROM (SELECT DISTINCT range * 7, range::VARCHAR FROM range(9000000))", (TOO_MUCH,)),
    ],
)
@pytest.mark.long
def test_a_runaway_is_ended_and_the_next_question_answered(
    store: Store, sql: str, reasons: tuple[str, ...]
) -> None:
    refusal = driven.asked(store, sql, (STARTING,))
    assert isinstance(refusal, Refusal)
    # A loaded machine may need its two seconds before it has filled the memory.
    assert refusal.reason in {*reasons, TOO_SLOW}
    asked = iter(partial(store.ask, "SELECT 1"), None)
    # It also takes longer than a question has to start a process.
    answer = next(each for each in asked if not isinstance(each, Refusal))
    assert answer == SqlAnswer(("1",), [(1,)], False)


@pytest.mark.long
def test_the_time_of_a_question_begins_when_it_is_asked(store: Store) -> None:
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(store.ask, [DEAF] * 3))
    assert TOO_SLOW in [each.reason for each in answers if isinstance(each, Refusal)]
    # While one takes all the time, the others are told so in place of a turn of their own.
    assert sum(each != Refusal(TOO_SLOW) for each in answers) == 2


@pytest.mark.parametrize(
    "sql",
    [
        "FROM pragma_database_list",
        "FROM duckdb_databases()",
        "FROM duckdb_settings()",
        "FROM pg_settings",
        "SELECT upper(path), reverse(path) FROM duckdb_databases()",
    ],
)
def test_no_view_tells_where_the_files_lie(store: Store, sql: str) -> None:
    answer = driven.asked(store, sql)
    assert isinstance(answer, SqlAnswer), answer
    place = str(store.home.root)
    assert not [
        row for row in answer.rows for told in (place, place.upper(), place[::-1]) if told in str(row)
    ]


def test_a_question_sees_what_was_committed_before_it_and_the_writer_goes_on(store: Store) -> None:
    assert driven.asked(store, "SELECT count(*) FROM agent_events") == SqlAnswer(
        ("count_star()",), [(0,)], False
    )
    for number in range(3):
        store.put("INSERT INTO agent_events VALUES (NULL, ?, 'a', 'k', '')", [float(number)])
        assert store.flush()
        assert driven.asked(store, "SELECT count(*) AS n FROM agent_events") == SqlAnswer(
            ("n",), [(number + 1,)], False
        )


def test_what_was_read_while_the_file_was_written_anew_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with driven.opened(Home(tmp_path / "home")) as opened:
        driven.write_session(opened, "one", 1200)
        database = opened._database
        assert isinstance(database, Database)
        held, folded = database.no_rewrite, []

        @contextmanager
        def folding(within_s: float) -> Iterator[int]:
            with held(within_s) as folds:
                yield folds
            if not folded:
                folded.append(folds)
                database.checkpoint()

        monkeypatch.setattr(database, "no_rewrite", folding)
        assert driven.asked(opened, "SELECT count(*) AS n FROM frames") == SqlAnswer(("n",), [(600,)], False)
        assert database.rewrite_count == folded[0] + 1
        # The question holds no lock that the writer needs.
        assert database.renew()


def test_nobody_waits_any_more_or_the_store_closes(tmp_path: Path) -> None:
    with driven.opened(Home(tmp_path / "home")) as opened:
        assert opened.ask(DEAF, lambda: True) == Refusal("it was stopped: ask again")
        assert isinstance(driven.asked(opened, "SELECT 1"), SqlAnswer)
