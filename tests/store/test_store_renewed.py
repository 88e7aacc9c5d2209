"""After a checkpoint the database is opened anew, for DuckDB keeps too much until then: nobody notices."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import driven_home as driven
import duckdb
import pytest
from long_runs import some

import pitwall.store.writer as writer_module
from pitwall.config import Home
from pitwall.store import queries
from pitwall.store.database import Database, inspect, log_of
from pitwall.store.store import Store
from pitwall.telemetry.sample import Channel, Sample, Stream


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
    with driven.opened(home) as store:
        for name in ("one", "two", "three"):
            driven.write_session(store, name, 1000)
            assert store.flush()
    assert renewed.count(True) >= 3
    with Store(home) as store:
        assert store.open().lines == []
        assert [driven.missing_rows(store, name) for name in ("one", "two", "three")] == [{}] * 3


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

    with driven.opened(home) as store:
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


def test_a_close_waits_for_what_another_thread_asks_just_now(home: Home) -> None:
    with driven.opened(home):
        pass
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


# Deletes three of four sessions, gives their room back, and kills itself in what argv[2] names.
_KILLED = """
import os, signal, sys
from pathlib import Path
import pitwall.store.database as module
from pitwall.config import Home
from pitwall.store.store import Store
from pitwall.telemetry.sample import Channel, Sample, Stream
module.LEAST_FREED_BYTES = 0
owner, name = sys.argv[2].rsplit(".", 1)
owner = {"database": module, "seal": module.Seal, "path": Path, "copy": module.Database}[owner]
store = Store(Home(Path(sys.argv[1])))
store.open()
for session in ("one", "two", "three"):
    store.delete(session)
store.empty_trash()
real, armed = getattr(owner, name), sys.argv[3] == "after"
def killed(*given):
    if armed:
        real(*given)
    os.kill(os.getpid(), signal.SIGKILL)
rewrite = module.Database.rewrite
def begun(self, **given):
    setattr(owner, name, killed)
    return rewrite(self, **given)
module.Database.rewrite = begun
store.give_room_back()
"""


def filled(home: Home) -> None:
    """Sessions of a row group each: what is less frees no block."""
    rows = "INSERT INTO signals SELECT ?, 1000 + i, 0.0, 0, random() FROM range(130_000) r(i)"
    with driven.opened(home) as store:
        for name in ("one", "two", "three", "four"):
            driven.write_session(store, name, 200)
            store.put(rows, [name])
            assert store.flush()


@pytest.fixture
def least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwall.store.database.LEAST_FREED_BYTES", 0)


@pytest.mark.usefixtures("least")
def test_deleting_gives_room_back(home: Home) -> None:
    filled(home)
    with driven.opened(home) as store:
        before = home.database.stat().st_size
        assert store.give_room_back() == 0
        for name in ("one", "two", "three"):
            store.delete(name)
        store.empty_trash()
        with closing(store.cursor()) as reader:  # who reads keeps the file that he reads
            reader.execute("SELECT seq FROM frames").fetchone()
            assert store.give_room_back() == 0
        freed = store.give_room_back()
        assert freed > before / 2
        assert home.database.stat().st_size == before - freed
        assert {row.id for row in queries.sessions(store)} == {"four"}
        driven.write_session(store, "five", 200)
        assert store.free_block_bytes() < before / 2
    with Store(home) as store:
        assert store.open().lines == []
        assert [driven.missing_rows(store, name) for name in ("four", "five")] == [{}] * 2
    assert list(home.handover.iterdir()) == []


@pytest.mark.usefixtures("least")
def test_a_live_sample_ends_the_copying(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(home)
    copied, copy_to = [], Database._copy_to

    def copying(database: Database, fresh: Path) -> None:
        copied.append(fresh)
        database.hurry()  # nothing is copied yet
        con = database.con.cursor()
        database._copying = con
        database.hurry()
        raise duckdb.InterruptException

    with driven.opened(home) as store:
        for name in ("one", "two", "three"):
            store.delete(name)
        store.empty_trash()
        monkeypatch.setattr(Database, "_copy_to", copying)
        assert store.give_room_back() == 0
        monkeypatch.setattr(Database, "_copy_to", copy_to)
        assert copied
        assert store.give_room_back() > 0
        assert store.stats().failures == 0


@pytest.mark.parametrize(
    "moment",
    some(
        [
            *("copy._copy_to before", "copy._copy_to after", "seal.invalidate after", "path.replace before"),
            *(
                "path.replace after",
                "seal.seal_main before",
                "seal.seal_main after",
                "database._connect after",
            ),
        ],
        3,
    ),
)
def test_a_kill_while_room_is_given_back_loses_nothing(home: Home, moment: str) -> None:
    filled(home)
    words = [sys.executable, "-c", _KILLED, str(home.root), *moment.split()]
    assert subprocess.run(words).returncode == -signal.SIGKILL
    with Store(home) as store:
        report = store.open()
        assert (report.set_aside, report.pending) == ([], [])
        assert {row.id for row in queries.sessions(store)} == {"four"}
        assert driven.missing_rows(store, "four") == {}
    assert list(home.handover.iterdir()) == []


def test_a_row_group_goes_into_the_main_file_at_once_and_outlives_a_kill(home: Home, tmp_path: Path) -> None:
    width, samples = 300, 500
    with driven.opened(home) as store:
        writer = driven.begun(store)
        channels = tuple(Channel(f"channel_{number}", "", "") for number in range(width))
        writer.keep_stream(Stream(1, "bus", channels))
        writer.row_stream(Stream(1, "bus", channels))
        store.flush()
        for number in range(samples):
            values = tuple(None if place == 7 else float(number + place) for place in range(width))
            writer.row(writer.keep(Sample(1, number / 100, values)), None, None, 0)
        assert store.flush()
        assert inspect(home.database) == "whole"
        assert log_of(home.database).stat().st_size < 2_000_000
        shutil.copytree(home.root, tmp_path / "killed")
    with Store(Home(tmp_path / "killed")) as store:
        assert store.open().set_aside == []
        with closing(store.cursor()) as con:
            sql = "SELECT count(*), count(DISTINCT (seq, signal)), sum(value) FROM signals"
            [told] = con.execute(sql).fetchall()
            row_groups = con.execute(
                "SELECT count FROM pragma_storage_info('signals') WHERE column_name = 'seq' "
                "AND segment_type <> 'VALIDITY' ORDER BY row_group_id LIMIT 1"
            ).fetchall()
            counted = con.execute("SELECT samples FROM sessions").fetchall()
    rows = samples * (width - 1)
    total = sum(number + place for number in range(samples) for place in range(width) if place != 7)
    assert told == (rows, rows, total)
    assert (row_groups, counted) == ([(writer_module.ROW_GROUP,)], [(samples,)])
