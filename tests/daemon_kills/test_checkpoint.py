"""A drive that is broken off goes on from its checkpoint: what it says and keeps is what its journal says."""

from __future__ import annotations

import functools
import os
import pickle
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from copies import copied, link_clips
from heard import Heard
from killed_homes import differences, settled, without_database
from long_runs import some
from running_daemon import WITHIN_S
from split_drive import drive, streams

from pitwall.coach.cue import Callout, LedgerLine
from pitwall.config import Home
from pitwall.daemon.sessions import continuing as continuing_rules
from pitwall.daemon.sessions.checkpoints import Checkpoints
from pitwall.daemon.sessions.continuing import Continuing
from pitwall.daemon.sessions.open_session import OpenSession
from pitwall.drive import recording
from pitwall.drive.controls import control
from pitwall.drive.frozen import ThawError, thaw
from pitwall.drive.journal import records
from pitwall.drive.prepare import SETTINGS_OPTION, DriveSettings, Words, known_tracks, prepare_words
from pitwall.drive.recording import Recorder, findings_of
from pitwall.drive.session import LIVE, PATH_OPTION, DriveListener, DriveSession, Supplies
from pitwall.store.checkpoint import checked_before, checkpoint_files
from pitwall.store.journal_check import check_journal
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import (
    JournalRecording,
    LedgerRecord,
    NumberedSample,
    SessionMeta,
    StreamRecord,
)
from pitwall.telemetry.sample import Sample
from pitwall.track.build_report import write_track
from pitwall.words.forms import Level

# Seconds of the demo: in the fourth lap, where corners are called; a few seconds later; in the fifth.
BEFORE_T, KEPT_T, KILLED_T, END_T = 460.0, 470.0, 480.0, 640.0


def supplies_of(home: Home) -> Supplies:
    tracks, made = known_tracks(home)[0], dict[str, Words]()

    def words_of(track: str, _: Level | None) -> Words:
        if track not in made:
            made[track] = prepare_words(home, tracks.get(track), sound=False)
        return made[track]

    return Supplies(tracks, words_of)


@pytest.fixture(scope="module")
def killed_home(tmp_path_factory: pytest.TempPathFactory, sonoma_clips: Path) -> Home:
    """A home whose drive was killed at KILLED_T, and has a checkpoint of KEPT_T."""
    home = Home(tmp_path_factory.mktemp("killed"))
    link_clips(sonoma_clips, home.clips)
    with Store(home) as store:
        store.open()
        killed_drive(home, store)
    return home


@pytest.fixture
def killed(killed_home: Home, tmp_path: Path) -> tuple[Home, Path]:
    """A copy of it, and the journal in that."""
    home = Home(tmp_path / "copy")
    copied(killed_home.root, home.root)
    [path] = home.journals.glob("*.pwj")
    return home, path


def reached(wanted: int, durable: threading.Event, seq: int) -> None:
    if seq >= wanted:
        durable.set()


def killed_drive(home: Home, store: Store) -> None:
    now_s = time.time()
    meta = SessionMeta(
        id="20260101-100000",
        kind="live",
        created_utc_s=now_s,
        format=LIVE,
        start_utc_s=now_s - KILLED_T,
        options={
            SETTINGS_OPTION: msgspec.json.encode(DriveSettings()).decode(),
            PATH_OPTION: LIVE,
        },
    )
    writer = store.begin(meta, lossless=True)
    path = DriveSession(supplies_of(home), DriveSettings(), begun_t=0.0)
    recorder = OpenSession(meta.id, 0.0, path, writer)
    for stream in streams():
        recorder.take(StreamRecord(stream))
    recorder.take(control(0.0, "words", "sonoma: intermediate"))
    recorder.take(control(0.0, "track", "sonoma"))
    checkpoints, wanted_t = Checkpoints(home, lambda: None), [BEFORE_T, KEPT_T]
    for sample in drive(KILLED_T):
        recorder.take(sample)
        if wanted_t and sample.t >= wanted_t[0]:
            wanted_t.pop(0)
            frozen = checkpoints.freeze(recorder)
            assert frozen is not None
            durable = threading.Event()
            writer.on_durable(functools.partial(reached, frozen.seq, durable))
            writer.hurry()
            reached(frozen.seq, durable, writer.stats().durable_seq)
            assert durable.wait(WITHIN_S)
            checkpoints.keep(frozen)
    writer.abandon()


def continued(home: Home, store: Store, path: Path) -> tuple[OpenSession, int]:
    """The session, driven on to END_T and closed, and how many samples were fed again."""
    continuing = Continuing(path, check_journal(path), store, supplies_of(home), DriveListener())
    fed = 0
    recorder = continuing.session
    feed = recorder.feed

    def counted(record: Any) -> Any:
        nonlocal fed
        fed += isinstance(record, Sample)
        return feed(record)

    recorder.feed = counted  # type: ignore[method-assign]
    continuing.feed()
    recorder.feed = feed  # type: ignore[method-assign]
    session = continuing.level()
    # After the restart time went on.
    later_s = session.path.t - KILLED_T
    for sample in drive(END_T):
        if sample.t > KILLED_T:
            recorder.take(Sample(sample.stream, sample.t + later_s, sample.values))
    recorder.finish()
    session.writer.close(notes=findings_of(session.path))
    return session, fed


def replayed(home: Home, path: Path) -> list[LedgerLine]:
    """What a path that was never broken off says over the same journal."""
    spoken = Heard()
    recorder = Recorder(DriveSession(supplies_of(home), DriveSettings(), begun_t=0.0), None, (spoken,))
    for record in records(JournalRecording(path)):
        recorder.feed(record)
    recorder.path.finish()
    return spoken.lines


def said(path: Path) -> list[LedgerLine]:
    """What the journal keeps of its cues."""
    found = (record for _, record in JournalRecording(path).records())
    return [
        msgspec.json.decode(each.line, type=LedgerLine) for each in found if isinstance(each, LedgerRecord)
    ]


@pytest.mark.long
def test_it_goes_on_from_the_checkpoint_and_says_and_keeps_what_its_journal_says(
    killed: tuple[Home, Path], tmp_path: Path
) -> None:
    home, path = killed
    with Store(home) as store:
        store.open()
        session, fed = continued(home, store, path)
        assert 0 < fed <= 2 * 10 * (KILLED_T - KEPT_T) + 2
        assert session.continued == 1
    lines = said(path)
    assert [line for line in lines if line.outcome == "spoken" and line.t > KILLED_T]
    assert lines == replayed(home, path)
    fresh = without_database(home, tmp_path / "fresh")
    assert not differences(settled(home)[0], settled(fresh)[0])


def damage(home: Home, count: int = 2) -> None:
    for file in checkpoint_files(home)[:count]:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(content)


def other_track(home: Home) -> None:
    found = known_tracks(home)[0]["sonoma"]
    write_track(msgspec.structs.replace(found, name="Another"), home.track_data / "sonoma.json")


def flip_in_journal(home: Home) -> None:
    [path] = home.journals.glob("*.pwj")
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)


@pytest.mark.parametrize("trouble", some([damage, other_track, flip_in_journal], 1))
def test_where_the_checkpoint_does_not_fit_the_whole_journal_is_read(
    killed: tuple[Home, Path], trouble: Callable[[Home], None]
) -> None:
    home, path = killed
    trouble(home)
    # The journal need not be checked again before the first fix.
    assert checked_before(home)[path.stem].found.samples
    with Store(home) as store:
        store.open()
        continuing = Continuing(path, check_journal(path), store, supplies_of(home), DriveListener())
        assert continuing.share == 0.0
        assert continuing.session.path.lap_number == 0
        continuing.give_up()


class Calls(DriveListener):
    """Hears the calls."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, float]] = []

    def callout(self, callout: Callout) -> None:
        self.heard.append((callout.text, callout.t))


@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_the_live_end_says_what_the_whole_journal_would(
    killed: tuple[Home, Path], monkeypatch: pytest.MonkeyPatch, damaged: int
) -> None:
    """From the last checkpoint on, from the one before it, and without any."""
    home, path = killed
    damage(home, damaged)
    monkeypatch.setattr(continuing_rules, "gap_since", lambda *_: 1.0)
    with Store(home) as store:
        store.open()
        calls = Calls()
        continuing = Continuing(path, check_journal(path), store, supplies_of(home), calls)
        begun_t, session = continuing.begun_t, continuing.session
        assert not calls.heard, "nothing is said of what was driven before"
        for sample in drive(END_T):
            if sample.t > KILLED_T:
                session.take(Sample(sample.stream, sample.t + begun_t - KILLED_T, sample.values))
        assert session.path.t <= KEPT_T, "the drive before is not fed again yet"
        ahead = continuing.live_end.path.state
        continuing.feed()
        lines = [line for line in session.drop_ledger() if line.t > begun_t]
        assert (ahead.lap, ahead.last_sectors_s) == (
            session.path.lap_number,
            session.path.state.last_sectors_s,
        )
        continuing.give_up()
    due = [(line.text, line.t) for line in lines if line.outcome.endswith("spoken")]
    assert due
    assert calls.heard == due


def test_where_the_last_checkpoint_is_damaged_the_one_before_it_serves(killed: tuple[Home, Path]) -> None:
    home, path = killed
    damage(home, 1)
    with Store(home) as store:
        store.open()
        continuing = Continuing(path, check_journal(path), store, supplies_of(home), DriveListener())
        assert BEFORE_T <= continuing.session.path.t < KEPT_T
        continuing.give_up()


def test_what_came_meanwhile_and_found_no_room_is_read_from_the_journal(
    killed: tuple[Home, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a start that feeds for minutes more comes than memory is there for."""
    monkeypatch.setattr(recording, "BACKLOG_MOST", 20)
    home, path = killed
    with Store(home) as store:
        store.open()
        continuing = Continuing(path, check_journal(path), store, supplies_of(home), DriveListener())
        session, fed = continuing.session, list[float]()
        feed = session.feed

        def noted(record: Any) -> Any:
            if isinstance(record, Sample):
                fed.append(record.t)
            return feed(record)

        session.feed = noted  # type: ignore[method-assign]
        new = [sample for sample in drive(END_T) if sample.t > KILLED_T + 1.0]
        for sample in new:
            session.take(sample)
        written = threading.Event()
        session.writer.on_durable(functools.partial(reached, session.writer.seq, written))
        session.writer.hurry()
        reached(session.writer.seq, written, session.writer.stats().durable_seq)
        assert written.wait(WITHIN_S)
        assert continuing.waiting == 20
        continuing.feed()
        assert fed[-len(new) :] == [sample.t for sample in new]
        assert fed == sorted(fed)
        continuing.give_up()


@pytest.mark.long
def test_rows_that_are_missing_before_the_checkpoint_are_made_by_the_next_start(
    killed: tuple[Home, Path], tmp_path: Path
) -> None:
    home, path = killed
    home.database.unlink()
    with Store(home) as store:
        store.open()
        _, fed = continued(home, store, path)
        samples = sum(1 for each in drive(KEPT_T))
        assert fed < samples
        [(shed,)] = store.cursor().execute("SELECT shed_rows FROM sessions").fetchall()
        assert shed >= samples - 1
    rows = settled(home)[0]
    fresh = without_database(home, tmp_path / "fresh")
    assert not differences(rows, settled(fresh)[0])


def test_a_deleted_session_leaves_no_checkpoint(killed: tuple[Home, Path]) -> None:
    home, path = killed
    with Store(home) as store:
        store.open()
        store.delete(path.stem)
    assert not any(file.exists() for file in checkpoint_files(home))
    assert not checked_before(home)


@pytest.mark.parametrize("made", [os.system, Path.unlink, Store, NumberedSample])
def test_nothing_but_a_path_is_thawed(made: object) -> None:
    with pytest.raises(ThawError):
        thaw(pickle.dumps(made), Supplies({}))
