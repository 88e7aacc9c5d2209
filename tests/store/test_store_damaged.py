"""Flipped bytes anywhere: the start succeeds, the damaged file is named and kept, and the rows come back."""

from __future__ import annotations

import asyncio
import random
import shutil
import subprocess
import sys
from pathlib import Path

import driven_home as driven
import duckdb
import pytest
from long_runs import some
from no_privileges import without_privileges
from until import until

from pitwall.config import Home
from pitwall.contract.push import PushBatch, PushChannel, PushRefusal, PushResult, PushSample, PushStream
from pitwall.daemon.intake.pushes import Pushes, Waiting
from pitwall.daemon.intake.queue import Queue
from pitwall.store import queries
from pitwall.store.errors import StoreError, StoreLockedError
from pitwall.store.home_journal import RowChange
from pitwall.store.opening import NO_JOURNAL
from pitwall.store.schema import VERSION
from pitwall.store.store import Store, recover
from pitwall.telemetry.session_clock import SessionClock

FLIPS = 5
WHOLE_FILES = ("pitwall.duckdb", "home.journal", "journals/closed.pwj")
KILLED_FILES = (*WHOLE_FILES, "pitwall.duckdb.wal", "journals/killed.pwj")


@pytest.fixture(scope="module")
def whole_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Closed cleanly: no log, everything sealed."""
    root = tmp_path_factory.mktemp("whole") / "home"
    with driven.opened(Home(root)) as store:
        driven.write_session(store, "closed", 300)
        lesson = {
            "id": "l1", "track": "sonoma", "corner": "turn_7", "text": "Brake later", "evidence": "lap 3",
            "verified": True, "created_utc_s": 1.7e9,
        }  # fmt: skip
        store.change(RowChange.over("lessons", "id", lesson))
    return root


@pytest.fixture(scope="module")
def killed_home(whole_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, then killed while driving: a log, and a journal without an end."""
    root = tmp_path_factory.mktemp("killed") / "home"
    shutil.copytree(whole_home, root)
    driven.killed_run(root, "killed", 90)
    return root


@pytest.mark.parametrize("name", KILLED_FILES)
@pytest.mark.parametrize("run", some(range(FLIPS), 4))
def test_a_flipped_byte_after_a_kill(killed_home: Path, tmp_path: Path, name: str, run: int) -> None:
    root = shutil.copytree(killed_home, tmp_path / "home")
    offset = driven.flip_byte(root / name, random.Random(run))
    _starts_and_heals(root, name, ("closed", "killed"), offset)


@pytest.mark.parametrize("name", WHOLE_FILES)
@pytest.mark.parametrize("run", some(range(FLIPS), 3))
def test_a_flipped_byte_in_a_closed_home(whole_home: Path, tmp_path: Path, name: str, run: int) -> None:
    root = shutil.copytree(whole_home, tmp_path / "home")
    offset = driven.flip_byte(root / name, random.Random(run))
    _starts_and_heals(root, name, ("closed",), offset)


@pytest.mark.parametrize("run", some(range(FLIPS), 4))
def test_without_a_seal_nothing_is_lost(killed_home: Path, tmp_path: Path, run: int) -> None:
    """A kill in the middle of a checkpoint leaves no seal: then DuckDB's own checksums must do."""
    root = shutil.copytree(killed_home, tmp_path / "home")
    (root / "pitwall.duckdb.seal").unlink()
    name = ("pitwall.duckdb", "pitwall.duckdb.wal")[run % 2]
    driven.flip_byte(root / name, random.Random(run))
    with driven.opened(Home(root)) as store:
        driven.heal(store, "closed")
        assert driven.missing_rows(store, "killed") == {}


@pytest.mark.long
def test_damage_that_only_a_writer_finds_heals_with_the_next_start(whole_home: Path, tmp_path: Path) -> None:
    """Some of an index is read when rows are written. A kill in the middle of a checkpoint left no seal."""
    found = 0
    for offset in driven.places_of_indexes(shutil.copy(whole_home / "pitwall.duckdb", tmp_path)):
        root = shutil.copytree(whole_home, tmp_path / str(offset))
        (root / "pitwall.duckdb.seal").unlink()
        driven.flip_byte(root / "pitwall.duckdb", random.Random(0), offset)
        with Store(Home(root)) as store:
            if store.open().set_aside:
                continue
            store.put("DELETE FROM signal_registry", [])
            if store.flush():
                continue  # nothing lay there
        found += 1
        _starts_and_heals(root, "pitwall.duckdb", ("closed",), offset)
    assert found


def _starts_and_heals(root: Path, name: str, sessions: tuple[str, ...], offset: int) -> None:
    flipped = (root / name).read_bytes()
    with Store(Home(root)) as store:
        report = store.open()
        named = [aside for aside in report.set_aside if aside.file == Path(name).name]
        assert named, (offset, report.lines)
        assert Path(named[0].kept_as).read_bytes() in flipped
        assert all(line.line() in report.lines for line in named)
        assert not any("could not" in line for line in recover(store, driven.rebuild))
        for session in sessions:
            assert driven.missing_rows(store, session) == {}, (offset, session)
            assert queries.laps(store, session) or session == "killed"
        lessons = store.cursor().execute("SELECT text FROM lessons").fetchall()
        assert lessons == [("Brake later",)]
    with Store(Home(root)) as store:
        assert store.open().lines == [], "healed for good"


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_a_closed_session_is_never_made_again_from_less_than_it_was_made_of(
    whole_home: Path, tmp_path: Path, damage: str
) -> None:
    home = Home(shutil.copytree(whole_home, tmp_path / "home"))
    journal = home.journals / "closed.pwj"
    whole = journal.read_bytes()
    half = len(whole) // 2
    journal.write_bytes(whole[:half] if damage == "cut" else whole[:half] + bytes(900) + whole[half + 900 :])
    for first in (True, False):
        with Store(home) as store:
            report = store.open()
            assert any("what was measured of it stays as it is" in each for each in report.lines) == first
            assert (report.pending, len(report.set_aside)) == ([], int(first))
            with pytest.raises(
                StoreError, match="session closed stays as it is: its journal was cut or damaged"
            ):
                store.resume("closed")
            assert [(row.samples, row.laps) for row in queries.sessions(store)] == [(300, 2)]
            assert store.cursor().execute("SELECT count(*) FROM frames").fetchall() == [(150,)]


def test_a_lost_database_is_rebuilt_from_the_journals(killed_home: Path, tmp_path: Path) -> None:
    root = shutil.copytree(killed_home, tmp_path / "home")
    (root / "pitwall.duckdb").unlink()
    with Store(Home(root)) as store:
        report = store.open()
        assert [aside.file for aside in report.set_aside] == ["pitwall.duckdb.wal"]
        assert [item.reason for item in report.pending] == ["missing in the database"] * 2
        driven.heal(store, "closed")
        assert driven.missing_rows(store, "killed") == {}
        complete = {row.id: row.complete for row in queries.sessions(store)}
        assert complete == {"closed": True, "killed": True}, "a live session is whole once its rows are here"


def test_a_file_that_is_no_database_and_one_that_is_no_journal(home: Home) -> None:
    home.database.write_text("not a database at all")
    (home.journals / "letter.pwj").write_text("dear diary")
    with Store(home) as store:
        assert sorted(aside.file for aside in store.open().set_aside) == ["letter.pwj", "pitwall.duckdb"]
        driven.write_session(store, "one", 50)
        assert driven.missing_rows(store, "one") == {}
    kept = sorted(path.read_bytes() for path in home.damaged.rglob("*") if path.is_file())
    assert kept == [b"dear diary", b"not a database at all"]


def test_a_newer_schema_is_refused_and_nothing_is_touched(whole_home: Path, tmp_path: Path) -> None:
    root = shutil.copytree(whole_home, tmp_path / "home")
    con = duckdb.connect(str(root / "pitwall.duckdb"))
    con.execute("INSERT INTO schema_version VALUES (99, 0.0)")
    con.close()
    (root / "pitwall.duckdb.seal").unlink()
    before = {
        path: path.read_bytes() for path in root.rglob("*") if path.is_file() and path.suffix != ".lock"
    }
    with pytest.raises(StoreError, match=f"schema version 99, this program knows up to {VERSION}"):
        Store(Home(root)).open()
    after = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and path.suffix != ".lock"}
    assert after == before


def test_a_database_of_an_older_pitwall_is_set_aside_and_made_again(whole_home: Path, tmp_path: Path) -> None:
    home = Home(shutil.copytree(whole_home, tmp_path / "home"))
    with duckdb.connect(str(home.database)) as con:
        con.execute("UPDATE schema_version SET version = version - 1; ALTER TABLE cues DROP COLUMN loss_s")
    (home.root / "pitwall.duckdb.seal").unlink()
    with Store(home) as reading, pytest.raises(StoreError, match="was made by an older pitwall; run pitwall"):
        reading.open_to_read()
    _starts_and_heals(home.root, "pitwall.duckdb", ("closed",), 0)


def test_a_file_in_the_home_s_place(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(StoreError, match="choose another PITWALL_HOME"):
        Store(Home(tmp_path / "home")).open()


def test_a_second_process_is_told_who_has_the_home(home: Home) -> None:
    command = [sys.executable, driven.__file__, str(home.root), "other"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"0\n"
        with pytest.raises(StoreLockedError, match=rf"another pitwall is using .* \(process {other.pid}\)"):
            Store(home).open()
        other.kill()
        other.wait()
    with driven.opened(home):
        pass


def test_a_journal_that_comes_back_gives_its_session_everything_that_was_shed(
    killed_home: Path, tmp_path: Path
) -> None:
    """A start without the card: the session is closed as it is, and says why, until the card is in again."""
    home = Home(shutil.copytree(killed_home, tmp_path / "home"))
    away = home.root / "card"
    with driven.opened(home) as store:
        # As if the phone had been too slow: rows that only the journal has.
        for table in ("frames", "signals"):
            store.put(f"DELETE FROM {table} WHERE session = 'killed' AND seq < 40", [])
        store.put("UPDATE sessions SET shed_rows = 20 WHERE id = 'killed'", [])
    home.journals.rename(away)
    for first in (True, False):
        with Store(home) as store:
            assert any("has no journal" in line for line in store.open().lines) == first, "told once"
            assert notes_of(store, "killed") == NO_JOURNAL
    home.journals.rmdir()
    away.rename(home.journals)
    with Store(home) as store:
        (pending,) = store.open().pending
        assert pending.reason == "its journal was missing and is there again"
        recover(store, driven.rebuild)
        assert notes_of(store, "killed") == ""
        assert driven.missing_rows(store, "killed") == {}
    with Store(home) as store:
        assert store.open().pending == []


def notes_of(store: Store, session: str) -> str:
    [(notes,)] = store.cursor().execute("SELECT notes FROM sessions WHERE id = ?", [session]).fetchall()
    return str(notes)


def test_journals_that_cannot_be_looked_at_are_not_taken_for_missing(home: Home) -> None:
    """Their sessions are rebuilt once they can be read; until then nothing is said of them."""
    with driven.opened(home) as store:
        writer = driven.begun(store, 200)
        store.flush()
        writer.abandon()
    with without_privileges(), Store(home) as store:
        # It can be written but not listed, as a dying card answers.
        home.journals.chmod(0o300)
        try:
            assert any("no journal was checked" in line for line in store.open().lines)
        finally:
            home.journals.chmod(0o700)
    with Store(home) as store:
        (pending,) = store.open().pending
        assert pending.reason == "was not closed"
        driven.heal(store, "one")


PUSHED = PushBatch(
    batch_id="b1",
    source="logger",
    streams=(PushStream("aux", (PushChannel("serial"),)),),
    samples=(PushSample(0, 1.0, (1.0,)), PushSample(0, 1.1, (2.0,))),
)


async def test_a_batch_in_a_journal_that_was_given_up_is_not_taken_again(home: Home) -> None:
    """The folder can't be entered for a while: whether the batch in its file is on the disk is not known."""
    queue = Queue()
    pushes = Pushes(queue, SessionClock(-100.0))
    part = asyncio.create_task(pushes.run())
    await asyncio.sleep(0)
    with without_privileges(), Store(home) as store:
        store.open()
        writer = driven.begun(store)
        await until(lambda: writer.stats().durable_seq == writer.seq)
        pushes.answer_from(writer)
        home.journals.chmod(0)
        try:
            asked = asyncio.create_task(pushes.accept(PUSHED))
            await queue.wait()
            taken = queue.pop()
            assert isinstance(taken, Waiting)
            writer.batch(taken.batch, len(taken.readings))
            for number in range(len(taken.readings)):
                driven.drive(driven.sample(number), writer)
            pushes.written(taken, writer)
            await until(lambda: writer.stats().state == "failing")
            await asyncio.to_thread(writer.abandon)
            await pushes.answer_last(writer)
            assert isinstance(await asked, PushRefusal)
            again = await pushes.accept(PUSHED)
            assert isinstance(again, PushRefusal)
            assert (again.kind, "can't be read" in again.reason) == ("busy", True)
        finally:
            home.journals.chmod(0o700)
    assert await pushes.accept(PUSHED) == PushResult("b1", 2, True)
    assert not len(queue)
    part.cancel()


async def test_a_batch_that_never_came_into_the_journal_is_taken_again(home: Home) -> None:
    queue = Queue()
    pushes = Pushes(queue, SessionClock(-100.0))
    part = asyncio.create_task(pushes.run())
    await asyncio.sleep(0)
    with driven.opened(home) as store:
        writer = store.begin(driven.meta("one"), lossless=False)
        asked = asyncio.create_task(pushes.accept(PUSHED))
        await queue.wait()
        taken = queue.pop()
        assert isinstance(taken, Waiting)
        pushes.written(taken, writer)
        pushes.give_up(writer, "the journal could not be written")
        assert isinstance(await asked, PushRefusal)
        writer.abandon()
        asked = asyncio.create_task(pushes.accept(PUSHED))
        await queue.wait()
        again = queue.pop()
        assert isinstance(again, Waiting)
        pushes.failed(again, "looked at")
        await asked
    part.cancel()
