"""kill -9 of a real recording process at random moments: every start opens, and nothing durable is lost."""

from __future__ import annotations

import random
from pathlib import Path

import driven_home as driven
import pytest
from long_runs import some

from pitwall.config import Home
from pitwall.store import journal_check, queries
from pitwall.store.files import set_aside
from pitwall.store.lessons import DriverEvent, driver_events, put_profile_events
from pitwall.store.session import SessionWriter
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.journal import JournalRecording

# What a kill may cost of the journal: 100 ms, in samples.
LOST_AT_MOST = driven.RATE_HZ // 10


@pytest.mark.parametrize("run", some(range(4), 1))
def test_killed_while_driving(home: Home, run: int) -> None:
    chance = random.Random(run)
    handed = driven.killed_run(home.root, "killed", chance.randrange(1, 180), chance.uniform(0.0, 0.12))
    with Store(home) as store:
        report = store.open()
        assert [item.session for item in report.pending] == ["killed"]
        kept = sum(1 for _ in JournalRecording(home.journals / "killed.pwj").samples())
        assert handed - kept <= LOST_AT_MOST
        lines = recover(store, driven.rebuild)
        assert lines == [f"session killed was rebuilt from its journal ({report.pending[0].reason})"]
        assert driven.missing_rows(store, "killed") == {}
        assert len(queries.cues(store, "killed")) == (kept - 1) // 50 + 1
        assert len(queries.laps(store, "killed")) == (kept - 1) // driven.RATE_HZ
    with Store(home) as store:
        assert store.open().lines == [], "a recovered session is closed for good"
        assert driven.missing_rows(store, "killed") == {}


def test_what_was_judged_while_a_session_was_rebuilt_is_judged_again(home: Home) -> None:
    driven.killed_run(home.root, "killed", 120)
    judged = DriverEvent("killed", 0.0, "profile.driven", "{}")

    def rebuild(recording: JournalRecording, writer: SessionWriter) -> None:
        driven.rebuild(recording, writer)
        put_profile_events(store, "killed", [judged])

    with driven.opened(home) as store:
        recover(store, rebuild)
        assert driver_events(store, "killed") == []
        closed_utc_s = queries.session(store, "killed").closed_utc_s
        put_profile_events(store, "killed", [judged], closed_utc_s - 1.0)
        assert driver_events(store, "killed") == [], "what was read before it was measured again"
        put_profile_events(store, "killed", [judged], closed_utc_s)
    with driven.opened(home) as store:
        assert driver_events(store, "killed") == [judged]


def test_a_rebuild_that_fails_is_reported_and_tried_again(home: Home) -> None:
    driven.killed_run(home.root, "killed", 60)

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug in a corner")

    with driven.opened(home) as store:
        (line,) = recover(store, broken)
        assert "session killed could not be rebuilt: a bug in a corner" in line
        driven.write_session(store, "next", 100)
    with Store(home) as store:
        assert [item.session for item in store.open().pending] == ["killed"]
        driven.heal(store, "killed")
        assert driven.missing_rows(store, "next") == {}


def test_a_torn_journal_is_trimmed_and_its_tail_kept(home: Home) -> None:
    driven.killed_run(home.root, "killed", 60)
    journal = home.journals / "killed.pwj"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-7])
    with Store(home) as store:
        (aside,) = store.open().set_aside
        assert (aside.file, aside.reason) == (
            "killed.pwj",
            f"torn end of {len(_tail(aside.kept_as))} bytes trimmed",
        )
        assert whole[:-7].endswith(_tail(aside.kept_as))
        driven.heal(store, "killed")
    with Store(home) as store:
        assert store.open().lines == []


def test_killed_between_the_old_journal_and_the_mended_one(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven.killed_run(home.root, "killed", 60)
    driven.flip_byte(home.journals / "killed.pwj", random.Random(0), 2_000)

    def killed(path: Path, folder: Path) -> Path:
        set_aside(path, folder)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, Store(home) as store:
        patch.setattr(journal_check, "set_aside", killed)
        with pytest.raises(KeyboardInterrupt):
            store.open()
    assert not (home.journals / "killed.pwj").exists()
    with Store(home) as store:
        assert [item.session for item in store.open().pending] == ["killed"]
        recover(store, driven.rebuild)
        assert driven.missing_rows(store, "killed") == {}


def _tail(path: str) -> bytes:
    return Path(path).read_bytes()


def test_a_session_killed_before_its_journal_is_not_listed(home: Home) -> None:
    with driven.opened(home) as store:
        store.begin(driven.meta("whole"), lossless=False).close()
        store.begin(driven.meta("unborn"), lossless=False)
        store.flush()
    (home.journals / "unborn.pwj").unlink()
    with Store(home) as store:
        assert store.open().lines == ["session unborn was broken off before its first sample"]
        assert [row.id for row in queries.sessions(store)] == ["whole"]
    with Store(home) as store:
        assert store.open().lines == []
