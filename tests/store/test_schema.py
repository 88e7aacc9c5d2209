"""Every older database is brought to the newest schema; a newer one is refused."""

from __future__ import annotations

import duckdb
import msgspec
import pytest

from pitwall.coach.cue import LedgerLine
from pitwall.store import home_journal
from pitwall.store.errors import StoreError
from pitwall.store.rows import CUE_COLUMNS, TABLES
from pitwall.store.schema import MIGRATIONS, migrate, version

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


def test_an_older_ledger_keeps_what_its_advice_said_of_the_loss() -> None:
    con = duckdb.connect()
    migrate(con, MIGRATIONS[:6])
    told = ("loses 0.42 s in laps 3, 4 against lap 2", "told on an earlier day")
    for cue, reason in enumerate(told):
        line = LedgerLine(
            cue=cue, t=1.0, lap=3, corner="turn_2", phase="brake", text="", tier="rule", priority=2,
            outcome="spoken", reason=reason, action_distance_m=None, clip_s=None, time_in_hand_s=None,
            concept="brake_later",
        )  # fmt: skip
        names = [name for name in CUE_COLUMNS if name != "loss_s"]
        values = ["s", *msgspec.structs.astuple(line)][: len(names)]
        marks = ", ".join("?" * len(names))
        con.execute(f"INSERT INTO cues ({', '.join(names)}) VALUES ({marks})", values)
    migrate(con)
    assert con.execute("SELECT loss_s FROM cues ORDER BY cue").fetchall() == [(0.42,), (None,)]


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
    for table, columns in {**TABLES, **home_journal.TABLES}.items():
        described = [name for name, *_ in con.execute(f"DESCRIBE {table}").fetchall()]
        # By name: the column of a new signal is added behind the others, and rows are appended by name.
        assert sorted(described) == sorted(columns)
