"""The tables have what is written; a database of another program is told from one of ours."""

from __future__ import annotations

import duckdb
import pytest

from pitwall.store import home_journal
from pitwall.store.errors import StoreError
from pitwall.store.rows import TABLES
from pitwall.store.schema import VERSION, create, refuse_newer, version


def test_the_tables_have_the_columns_that_are_written() -> None:
    con = duckdb.connect()
    assert version(con) == 0
    create(con)
    assert version(con) == VERSION
    for table, columns in {**TABLES, **home_journal.TABLES}.items():
        described = [name for name, *_ in con.execute(f"DESCRIBE {table}").fetchall()]
        # By name: the column of a new signal is added behind the others, and rows are appended by name.
        assert sorted(described) == sorted(columns)


def test_tables_that_cannot_all_be_made_are_none() -> None:
    con = duckdb.connect()
    con.execute("CREATE TABLE laps (lap INTEGER)")
    with pytest.raises(duckdb.Error, match="laps"):
        create(con)
    assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("laps",)]


def test_a_newer_or_a_foreign_database_is_refused() -> None:
    with pytest.raises(StoreError, match="use the newer pitwall"):
        refuse_newer(VERSION + 1)
    foreign = duckdb.connect()
    foreign.execute("CREATE TABLE customers (name VARCHAR)")
    with pytest.raises(StoreError, match="isn't Pitwall's"):
        version(foreign)
