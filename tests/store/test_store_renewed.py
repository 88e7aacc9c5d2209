"""After a checkpoint the database is opened anew, for DuckDB keeps too much until then: nobody notices."""

from __future__ import annotations

import contextlib
import threading
from contextlib import closing

import driven_home as driven
import duckdb
import pytest

import pitwall.store.writer as writer_module
from pitwall.config import Home
from pitwall.store import queries
from pitwall.store.database import Database
from pitwall.store.store import Store


@pytest.fixture
def renewed(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Checkpoints after 4 kB of log, and what each renewal that followed gave."""
    gave: list[bool] = []
    renew = Database.renew

    def watched(database: Database) -> bool:
        gave.append(renew(database))
        return gave[-1]

    monkeypatch.setattr(writer_module, "CHECKPOINT_LOG_BYTES", 4 << 10)
    monkeypatch.setattr(Database, "renew", watched)
    return gave


def test_every_row_is_there_whatever_was_renewed_between(home: Home, renewed: list[bool]) -> None:
    with Store(home) as store:
        store.open()
        for name in ("one", "two", "three"):
            driven.write_session(store, name, 1000)
            assert store.flush()
    assert renewed.count(True) >= 3
    with Store(home) as store:
        assert store.open().lines == []
        assert [driven.missing_rows(store, name) for name in ("one", "two", "three")] == [{}] * 3


def test_while_somebody_reads_nothing_is_closed(home: Home, renewed: list[bool]) -> None:
    with Store(home) as store:
        store.open()
        driven.write_session(store, "one", 1000)
        assert store.flush()
        with closing(store.cursor()) as reader:
            first = reader.execute("SELECT seq FROM frames WHERE session = 'one' ORDER BY seq").fetchone()
            before = len(renewed)
            driven.write_session(store, "two", 1000)
            assert store.flush()
            assert set(renewed[before:]) == {False}
            assert len(reader.fetchall()) == 499
            assert first is not None
        driven.write_session(store, "three", 1000)
        assert store.flush()
        assert renewed[-1]
        assert {row.id for row in queries.sessions(store)} == {"one", "two", "three"}


@pytest.mark.long
def test_readers_and_the_writer_at_once_see_no_closed_connection(home: Home, renewed: list[bool]) -> None:
    troubles: list[BaseException] = []
    over = threading.Event()

    def read(store: Store) -> None:
        try:
            while not over.is_set():
                queries.sessions(store)
                over.wait(0.02)
        except BaseException as trouble:
            troubles.append(trouble)

    with Store(home) as store:
        store.open()
        readers = [threading.Thread(target=read, args=(store,)) for _ in range(2)]
        for reader in readers:
            reader.start()
        for number in range(20):
            driven.write_session(store, f"s{number:02}", 200)
            assert store.flush()
        over.set()
        for reader in readers:
            reader.join()
        assert (troubles, store.stats().failures) == ([], 0)
    assert True in renewed


def test_a_forgotten_reader_counts_no_longer(home: Home) -> None:
    home.prepare()
    database = Database(home.root / "any.duckdb")
    kept = database.cursor()
    forgotten = database.cursor()
    forgotten.execute("SELECT 1")
    assert not database.renew()
    del forgotten
    kept.close()
    kept.close()
    with pytest.raises(duckdb.ConnectionException):
        kept.execute("SELECT 1")
    assert database.renew()
    database.close()


def test_a_close_waits_for_what_another_thread_asks_just_now(home: Home) -> None:
    with Store(home) as store:
        store.open()
    for _ in range(20):
        database, asking = Database(home.database), threading.Event()
        thread = threading.Thread(target=ask_until_closed, args=(database, asking))
        thread.start()
        asking.wait()
        database.close()
        thread.join()


def ask_until_closed(database: Database, asking: threading.Event) -> None:
    with contextlib.suppress(duckdb.Error):
        while True:
            asking.set()
            database.con.execute("SELECT count(*) FROM range(50000)").fetchall()
