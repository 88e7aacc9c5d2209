"""Every older database is brought to the newest schema; a newer one is refused."""

from __future__ import annotations

import duckdb
import pytest

from pitwall.store.errors import StoreError
from pitwall.store.rows import TABLES
from pitwall.store.schema import MIGRATIONS, ONLY_HERE, migrate, version

ADD_TYRES = (
    "ALTER TABLE frames ADD COLUMN tyre_c DOUBLE; CREATE TABLE tyres (session VARCHAR, set_name VARCHAR)"
)


@pytest.mark.parametrize("start", range(len(MIGRATIONS) + 1))
def test_from_every_version_forward_with_its_rows(start: int) -> None:
    con = duckdb.connect()
    assert migrate(con, MIGRATIONS[:start]) == (0, start)
    if start:
        con.execute("INSERT INTO driver_events VALUES ('s', 1.5, 'question', 'why?')")
    newest = (*MIGRATIONS, ADD_TYRES)
    assert migrate(con, newest) == (start, len(newest))
    assert migrate(con, newest) == (len(newest), len(newest)), "a second run changes nothing"
    rows = con.execute("SELECT detail FROM driver_events").fetchall()
    assert rows == ([("why?",)] if start else [])
    con.execute("INSERT INTO tyres VALUES ('s', 'wets')")


def test_a_step_that_fails_leaves_the_version_before_it() -> None:
    con = duckdb.connect()
    migrate(con)
    bad = (*MIGRATIONS, f"{ADD_TYRES}; CREATE TABLE laps (lap INTEGER)")
    with pytest.raises(duckdb.Error, match="laps"):
        migrate(con, bad)
    assert version(con) == len(MIGRATIONS)
    with pytest.raises(duckdb.Error, match="tyres"):
        con.execute("FROM tyres")
    assert migrate(con, (*MIGRATIONS, ADD_TYRES)) == (len(MIGRATIONS), len(MIGRATIONS) + 1)


def test_a_newer_or_a_foreign_database_is_refused() -> None:
    con = duckdb.connect()
    migrate(con, (*MIGRATIONS, ADD_TYRES))
    with pytest.raises(StoreError, match="use the newer pitwall"):
        migrate(con)
    foreign = duckdb.connect()
    foreign.execute("CREATE TABLE customers (name VARCHAR)")
    with pytest.raises(StoreError, match="isn't Pitwall's"):
        migrate(foreign)


def test_the_tables_have_the_columns_that_are_written() -> None:
    con = duckdb.connect()
    migrate(con)
    for table, columns in TABLES.items():
        described = [name for name, *_ in con.execute(f"DESCRIBE {table}").fetchall()]
        # By name: the column of a new signal is added behind the others, and rows are appended by name.
        assert sorted(described) == sorted(columns)
    for table in ONLY_HERE:
        assert con.execute(f"SELECT count(*) FROM {table}").fetchall() == [(0,)]
