"""A session copied out: whole or not at all, marked only then, and marked no more when it goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import driven_home as driven
import duckdb
import pytest
from typed import typed

from pitwall.api.token import address_of
from pitwall.config import Home
from pitwall.drive.rebuild import match_again, rebuilder
from pitwall.store import queries
from pitwall.store.store import Store, recover


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    with driven.opened(made) as store:
        driven.write_session(store, "one", 1200)
        driven.write_session(store, "two", 300)
    return made


def journal(home: Home, session: str) -> Path:
    return home.journals / f"{session}.pwj"


def droppable(home: Home) -> list[str]:
    """What would go, in this order, if the disk were full."""
    with driven.opened(home) as store:
        dropped: list[str] = []
        while (session := store.drop_oldest_exported()) is not None:
            dropped.append(session)
        return dropped


def test_the_copy_is_the_recording_and_what_was_copied_may_go(home: Home, tmp_path: Path) -> None:
    out = tmp_path / "stick" / "of mine"
    missing = typed(home, "export", "one", "--out", str(out))
    assert (missing.returncode, "is its disk mounted" in missing.stderr) == (2, True)
    assert not out.parent.exists()
    out.mkdir(parents=True)
    done = typed(home, "export", "one", "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    assert "this is no safe copy" in done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert told == {"session": "one", "journal": str(out / "one.pwj")}
    assert (out / "one.pwj").read_bytes() == journal(home, "one").read_bytes()
    # What a copy that was killed left: here, there, and half a file under the name of the copy.
    (out / "one.pwj").rename(out / ".one.pwj.new")
    (out / ".one.parquet.new").write_text("half")
    (home.handover / "0123456789abcdef.parquet").write_bytes(b"PAR1 half")
    for words in ((), ("--format", "parquet")):
        again = typed(home, "export", "one", "--out", str(out), *words)
        assert again.returncode == 0, again.stderr
    assert sorted(path.name for path in out.iterdir()) == ["one.parquet", "one.pwj"]
    rows = duckdb.sql(f"SELECT count(*), max(t), count(distance_m) FROM '{out / 'one.parquet'}'").fetchall()
    assert rows == [(600, 11.98, 600)]
    laps = duckdb.sql(
        f"SELECT session, lap, lap_kind, count(*) FROM '{out / 'one.parquet'}' GROUP BY ALL ORDER BY lap"
    ).fetchall()
    with driven.opened(home) as store:
        stored = {lap.number: lap for lap in queries.laps(store, "one")}
    assert {lap: kind for _, lap, kind, _ in laps if lap in stored} == {
        number: lap.kind for number, lap in stored.items()
    }
    assert {session for session, *_ in laps} == {"one"}
    assert sum(count for *_, count in laps) == 600
    assert list(home.handover.iterdir()) == []
    assert droppable(home) == ["one"]


def test_a_copy_that_fails_marks_nothing(home: Home, tmp_path: Path) -> None:
    (tmp_path / "one.pwj").write_text("something else")
    there = typed(home, "export", "one", "--out", str(tmp_path))
    assert (there.returncode, there.stdout) == (2, "")
    assert "is there already and is something else; name another folder" in there.stderr
    assert (tmp_path / "one.pwj").read_text() == "something else"
    nowhere = typed(home, "export", "one", "--out", str(tmp_path / "one.pwj" / "below"))
    assert (nowhere.returncode, "there is no folder" in nowhere.stderr) == (2, True), nowhere.stderr
    unknown = typed(home, "export", "three", "--out", str(tmp_path))
    assert (unknown.returncode, "there is no session 'three'" in unknown.stderr) == (2, True)
    journal(home, "two").unlink()
    gone = typed(home, "export", "two", "--out", str(tmp_path))
    assert (gone.returncode, "has no journal" in gone.stderr) == (2, True), gone.stderr
    assert droppable(home) == []


def test_a_session_that_goes_on_is_not_copied_any_more_but_one_that_is_measured_again_is(home: Home) -> None:
    with driven.opened(home) as store:
        for name in ("one", "two"):
            store.mark_exported(name)
        assert store.flush()
        assert match_again(home, store, "two") == ""
        store.resume("two")  # and a kill comes before it was measured
    with Store(home) as store:
        assert [item.session for item in store.open().pending] == ["two"]
        recover(store, rebuilder(home, store))
        goes_on = store.resume("one")
        goes_on.go_on()
        goes_on.close()
        assert store.drop_oldest_exported() == "two"
        assert store.drop_oldest_exported() is None


@pytest.mark.long
def test_with_the_daemon_running_it_is_marked_over_the_api(home: Home, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pitwall", "--home", str(home.root), "run"]
    (home.root / "pitwall.toml").write_text('[api]\nport = 0\n[audio]\nplayer = "none"\n')
    config = ["--config", str(home.root / "pitwall.toml")]
    with subprocess.Popen([*command, *config], stdout=subprocess.PIPE, text=True) as daemon:
        try:
            assert "ready" in daemon.stdout.readline()
            assert address_of(home)
            done = typed(home, "export", "one", "--out", str(tmp_path))
            assert done.returncode == 0, done.stderr
            framed = typed(home, "export", "two", "--out", str(tmp_path), "--format", "parquet")
            assert framed.returncode == 0, framed.stderr
        finally:
            daemon.terminate()
            daemon.communicate(timeout=120)
    assert (tmp_path / "one.pwj").read_bytes() == journal(home, "one").read_bytes()
    # The daemon may have measured the session again by then.
    assert duckdb.sql(f"SELECT count(*) > 0 FROM '{tmp_path / 'two.parquet'}'").fetchall() == [(True,)]
    assert droppable(home) == ["one"]
