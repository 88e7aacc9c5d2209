"""A full disk, a database that fails: the caller goes on, and what was dropped is counted and comes back."""

from __future__ import annotations

import os
import random
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import driven_home as driven
import pytest
from small_disk import fill, small_disk
from until import wait_until

from pitwall.api.token import address_of, published_address
from pitwall.commands.stored_or_served import either
from pitwall.config import Home
from pitwall.store import queries
from pitwall.store.database import Seal
from pitwall.store.errors import StoreError, StoreFullError
from pitwall.store.journal_writer import JournalWriter
from pitwall.store.lock import holder
from pitwall.store.session import SessionWriter
from pitwall.store.store import Store, recover
from pitwall.store.writer import SHED_ABOVE
from pitwall.telemetry.recordings.journal import JournalRecording, NumberedSample
from pitwall.telemetry.sample import Sample


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MB."""
    with small_disk(tmp_path / "disk", 16) as mounted:
        yield mounted


def test_a_full_disk_stops_nobody_and_loses_nothing_when_there_is_room_again(disk: Path) -> None:
    home = Home(disk / "home")
    with driven.opened(home) as store:
        writer = driven.begun(store, 300)
        store.flush()
        filler = fill(disk)
        driven.go_on(writer, 300, 900)
        wait_until(lambda: writer.stats().state == "failing" and store.stats().state == "failing")
        assert "No space left" in writer.stats().last_error
        assert "No space left" in store.stats().last_error
        filler.unlink()
        wait_until(lambda: writer.stats().state == "good" and store.stats().state == "good")
        driven.go_on(writer, 900, 1000)
        writer.close()
        assert (writer.stats().shed, store.stats().shed) == (0, 0)
        assert driven.missing_rows(store, "one") == {}
    with Store(home) as store:
        assert store.open().lines == []
        assert len(list(JournalRecording(home.journals / "one.pwj").samples())) == 1000


def test_a_daemon_that_starts_on_a_full_disk_is_found_by_commands(disk: Path) -> None:
    home = Home(disk / "home")
    for full in (False, True):
        if full:
            fill(disk)
        with driven.opened(home):
            assert holder(home.root) == str(os.getpid())
            with published_address(home, os.getpid(), f"http://127.0.0.1:{7000 + full}"):
                assert address_of(home) == f"http://127.0.0.1:{7000 + full}"
            assert address_of(home) == ""


@pytest.mark.long
def test_a_drive_begins_on_a_disk_that_has_no_room_for_a_database(disk: Path) -> None:
    home = Home(disk / "home")
    with driven.opened(home) as store:
        store.put("INSERT INTO agent_events VALUES (NULL, 1.0, 'a', 'k', 'only here')", [])
        store.flush()
    with home.database.open("r+b") as file:
        file.write(b"damaged!" * 2)
    filler = fill(disk)
    with Store(home) as store:
        with pytest.raises(StoreFullError, match="no space left"):
            store.open()
        assert "nothing is kept but the journals" in store.open(to_drive=True).lines[-1]
        writer = driven.begun(store, 200)
        wait_until(lambda: "no space left" in store.stats().last_error)
        assert queries.sessions(store) == []
        filler.unlink()
        wait_until(lambda: writer.stats().durable_seq == writer.seq)
        writer.close()
    with Store(home) as store:
        report = store.open()
        assert [pending.session for pending in report.pending] == ["one"]
        assert report.set_aside == [], "half of the new database is no damage to report"
        [kept] = home.damaged.rglob(home.database.name)
        assert kept.read_bytes().startswith(b"damaged!"), "the old one is kept, once"
        driven.heal(store, "one")


@pytest.mark.parametrize("left", ["no seal", "damage", "no database"])
def test_a_listing_on_a_full_disk_shows_what_can_be_read_and_leaves_nothing_behind(
    disk: Path, left: str
) -> None:
    home = Home(disk / "home")
    with driven.opened(home) as store:
        driven.write_session(store, "one", 100)
    {"no seal": Seal(home.database).path, "no database": home.database}.get(left, home.checkpoint).unlink(
        True
    )
    if left == "damage":
        driven.flip_byte(home.database, random.Random(0))
    filler = fill(disk)
    listed = either(home, queries.sessions, lambda _: [], use="read")
    assert [row.id for row in listed] == (["one"] if left == "no seal" else [])
    filler.unlink()
    with Store(home) as store:
        assert [aside.file for aside in store.open().set_aside] == []
        driven.heal(store, "one")
        assert store.home.database.stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_an_import_on_a_full_disk_is_a_clear_error(disk: Path) -> None:
    home = Home(disk / "home")
    with driven.opened(home) as store:
        fill(disk)
        writer = driven.begun(store, lossless=True, kind="import")
        with pytest.raises(StoreError, match=r"No space left on device.*make room"):
            driven.go_on(writer, 0, 100_000)


@pytest.mark.long
def test_the_least_important_is_shed_first_and_comes_back(disk: Path, tmp_path: Path) -> None:
    """The database's disk is full, the journals lie on another."""
    home = Home(disk / "home")
    home.root.mkdir()
    (tmp_path / "journals").mkdir()
    home.journals.symlink_to(tmp_path / "journals")
    count = SHED_ABOVE["frames"] * 3
    with driven.opened(home) as store:
        writer = driven.begun(store)
        filler = fill(disk)
        for number in range(count):
            driven.drive(driven.sample(number), writer)
            if number % 1000 == 999:
                wait_until(lambda handed=number: writer.stats().written > handed)  # type: ignore[misc]
        assert store.stats().state == "failing"
        assert store.stats().waiting < SHED_ABOVE["lines"] + SHED_ABOVE["tall signals"]
        assert store.stats().shed > 0
        filler.unlink()
        wait_until(lambda: store.stats().state == "good")
        writer.close()
        laps = _number(store, "SELECT count(*) FROM laps")
        assert laps == (count - 1) // driven.RATE_HZ, "laps are shed last of all"
        assert _number(store, "SELECT count(*) FROM cues") == (count - 1) // 50 + 1
        last_tall, last_frame = (_number(store, f"SELECT max(seq) FROM {t}") for t in ("signals", "frames"))
        assert last_tall < last_frame - 1000
        assert last_frame < count - 1000
    with Store(home) as store:
        (pending,) = store.open().pending
        assert "were shed while driving" in pending.reason
        driven.heal(store, "one")
        assert _number(store, "SELECT count(*) FROM laps") == laps
    with Store(home) as store:
        assert store.open().lines == []


def test_a_torn_batch_is_trimmed_on_a_full_disk_too_and_is_not_there_twice(disk: Path) -> None:
    """Its sender was told nothing of it, and sends it again."""
    home, path = Home(disk / "home"), disk / "home" / "journals" / "one.pwj"
    with driven.opened(home) as store:
        writer = driven.begun(store)
        writer.batch("first", 20)
        driven.go_on(writer, 0, 20)
        writer.batch("torn", 1000)
        driven.go_on(writer, 20, 800)
    fill(disk)
    with Store(home) as store:
        (torn,) = store.open().set_aside
        assert "trimmed, there was no room to keep them" in torn.line()
        again = _gone_on(store, "one")
        (disk / "filler").unlink()
        driven.go_on(again, 20, 800)
        again.close()
        assert len([sample.t for sample in JournalRecording(path).samples()]) == 800
        assert driven.missing_rows(store, "one") == {}


def test_a_batch_is_known_by_its_journal_and_not_by_what_the_database_had_room_for(disk: Path) -> None:
    """On a full disk either of them may have had room for it; then it was killed, and is sent again."""
    home = Home(disk / "home")
    with driven.opened(home) as store:
        for session, batch in (("one", "in both"), ("two", "in the journal")):
            writer = driven.begun(store, session=session)
            writer.batch(batch, 1)
            driven.drive(driven.sample(0), writer)
        store.flush()
        store.put("DELETE FROM batches WHERE id = ?", ["in the journal"])
        store.put("INSERT INTO batches VALUES (?, ?, ?, ?)", ["in the database", "one", 1, 9])
        store.flush()
    with driven.opened(home) as store:
        assert sorted(store.known_batches(10)) == ["in both", "in the journal"]
        recover(store, driven.rebuild)
        assert sorted(store.known_batches(10)) == ["in both", "in the journal"]
    home.database.write_bytes(b"damaged!" * 2)
    fill(disk)
    with Store(home) as store:
        store.open(to_drive=True)
        assert sorted(store.known_batches(10)) == ["in both", "in the journal"]


def test_a_journal_that_could_not_be_mended_is_not_gone_on_with(home: Home) -> None:
    with driven.opened(home) as store:
        writer = driven.begun(store, 200)
        writer.abandon()
        path = home.journals / "one.pwj"
        path.write_bytes(path.read_bytes()[:-5])
        with pytest.raises(StoreError, match="could not be mended"):
            store.resume("one").go_on()


@pytest.mark.parametrize("removed", ["journals", "."])
def test_what_is_acknowledged_is_found_again_after_its_folder_was_removed(home: Home, removed: str) -> None:
    with driven.opened(home) as store:
        writer = _durable_session(store, 300)
        store.flush()
        shutil.rmtree(home.root / removed)
        driven.go_on(writer, 300, 500)
        wait_until(lambda: writer.stats().failures > 0)
        wait_until(lambda: writer.stats().durable_seq == writer.seq)
        assert len(list(JournalRecording(home.journals / "one.pwj").samples())) == 500
        if removed == ".":
            wait_until(lambda: "was removed" in store.stats().last_error)
        writer.close()
    with driven.opened(home) as store:
        driven.heal(store, "one")


def _durable_session(store: Store, samples: int) -> SessionWriter:
    """A session that goes on, all of whose samples are in its journal on the disk."""
    writer = driven.begun(store, samples)
    writer.hurry()
    wait_until(lambda: writer.stats().durable_seq == writer.seq)
    return writer


def _gone_on(store: Store, session: str) -> SessionWriter:
    """A session that was killed, and goes on."""
    writer = store.resume(session)
    driven.rebuild(JournalRecording(store.home.journals / f"{session}.pwj", numbered=True), writer)
    writer.go_on()
    return writer


def test_a_session_whose_journal_could_not_be_finished_is_made_again_from_it(home: Home, disk: Path) -> None:
    """DuckDB took a ledger line for which the journal's disk had no room; a rebuild would not know it."""
    home.journals.rmdir()
    home.journals.symlink_to(disk)
    with driven.opened(home) as store:
        writer = _durable_session(store, 100)
        filler = fill(disk)
        # More than what is left in the last page of the journal.
        for number in range(101, 201):
            writer.cue(driven.ledger_line(number))
        writer.close()
        cues = _number(store, "SELECT count(*) FROM cues")
    filler.unlink()
    with Store(home) as store:
        assert [each.reason for each in store.open().pending] == ["its journal could not be finished"]
        recover(store, driven.rebuild)
        assert _number(store, "SELECT count(*) FROM cues") == cues - 100
        assert driven.missing_rows(store, "one") == {}
    with Store(home) as store:
        assert store.open().pending == []


def test_a_log_that_cannot_be_folded_under_readers_costs_nobody_anything(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.store.writer.CHECKPOINT_LOG_BYTES", 1)
    with driven.opened(home) as store:
        writer = driven.begun(store)
        assert store.flush()
        with closing(store.cursor()) as reader:
            reader.execute("BEGIN TRANSACTION READ ONLY")
            before = reader.execute("SELECT count(*), max(samples) FROM frames, sessions").fetchall()
            for number in range(400):
                driven.drive(driven.sample(number), writer)
                if number % 100 == 99:
                    assert store.flush()
            assert reader.execute("SELECT count(*), max(samples) FROM frames, sessions").fetchall() == before
        assert (store.stats().failures, store.stats().shed) == (0, 0)
        # Somebody beside it may copy what is there, as before.
        assert Seal(home.database).path.read_bytes().startswith(b"main ")
        writer.close()
        assert driven.missing_rows(store, "one") == {}


def test_nothing_of_an_import_is_shed(home: Home) -> None:
    """More lines wait than a drive would have kept: an import is committed in large pieces."""
    with driven.opened(home) as store:
        writer = store.begin(driven.meta("one"), lossless=True)
        count = SHED_ABOVE["lines"] + 100
        for number in range(count):
            writer.row_cue(driven.ledger_line(number))
        writer.close()
        assert _number(store, "SELECT count(*) FROM cues") == count
        assert store.stats().shed == 0


def test_wide_samples_are_shed_by_what_they_weigh(home: Home) -> None:
    """DuckDB takes nothing: samples of 256 values, as in a batch of 4 MiB, are shed long before others."""
    with driven.opened(home) as store:
        home.database.rename(home.root / "elsewhere")
        writer = store.begin(driven.meta("one"), lossless=False)
        wait_until(lambda: store.stats().state == "failing")
        for number in range(2 * SHED_ABOVE["tall signals"] // 8):
            wide = Sample(0, number / 100, (1.0,) * 256)
            writer.row(NumberedSample(0, wide.t, wide.values, number), None, None, 0)
        assert store.stats().waiting < SHED_ABOVE["tall signals"] / 4
        assert store.stats().shed > 0


def _number(store: Store, sql: str) -> int:
    return int(store.cursor().execute(sql).fetchall()[0][0])


def test_a_live_journal_sheds_and_a_lossless_one_waits(tmp_path: Path) -> None:
    count = 20_000
    for lossless in (False, True):
        path = tmp_path / f"{lossless}.pwj"
        journal = JournalWriter(path, lossless=lossless, capacity=50)
        accepted = sum(journal.append(seq, driven.sample(seq)) for seq in range(count))
        stats = journal.close(count, accepted)
        assert stats.state == "closed"
        assert len(list(JournalRecording(path).samples())) == accepted
        assert stats.shed == count - accepted
        assert (accepted == count) == lossless


def test_a_closed_journal_leaves_no_thread_and_holds_nobody(tmp_path: Path) -> None:
    """A thread that is still ending when the interpreter goes keeps DuckDB's connection from being freed."""
    for number in range(50):
        journal = JournalWriter(tmp_path / f"{number}.pwj")
        journal.on_durable = lambda _: None
        assert journal.close(0, samples=0).state == "closed"
        assert journal.on_durable is None
        assert not [each.name for each in threading.enumerate() if each.name.startswith("journal")]


def test_a_record_that_cannot_be_written_is_shed_alone(tmp_path: Path) -> None:
    journal = JournalWriter(tmp_path / "one.pwj")
    journal.append(0, driven.sample(0))
    journal.append(1, driven.sample(1).__class__(0, 0.01, (1.5,) * 50_000))
    journal.append(2, driven.sample(2))
    stats = journal.close(3, 2)
    assert (stats.state, stats.shed) == ("closed", 1)
    assert len(list(JournalRecording(tmp_path / "one.pwj").samples())) == 2
