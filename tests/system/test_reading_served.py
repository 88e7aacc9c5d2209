"""Beside a running daemon every reading command answers as it does alone, and an import is handed over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from copies import copied, link_clips
from running_daemon import DEMO, Daemon, write_settings
from typed import typed

from pitwall.config import Home

READING = (
    ("sessions",),
    ("sessions", "--replays", "--json"),
    ("laps", "last"),
    ("laps", "2025", "--json"),
    ("laps", "none-such"),
    ("debrief", "last", "--all-days"),
    ("coach", "--all"),
    ("debrief", "--all-days", "--json"),
    ("debrief", "--all-days", "--about", "turn seven"),
    ("traces", "export"),
    ("jobs",),
    ("jobs", "--json"),
    ("jobs", "none-such"),
    ("track", "list", "--json"),
    ("inspect", str(DEMO), "--json"),
)


@pytest.fixture
def home(demo_imported: Path, sonoma_clips: Path, tmp_path: Path) -> Home:
    """A home with one imported drive, its words, and settings for a daemon."""
    home = Home(copied(demo_imported, tmp_path / "home"))
    link_clips(sonoma_clips, home.clips)
    write_settings(home, {})
    return home


@pytest.fixture
def empty(sonoma_clips: Path, tmp_path: Path) -> Iterator[Home]:
    """A home with nothing but words and settings, and a daemon that runs on it."""
    home = Home(tmp_path / "empty")
    home.prepare()
    link_clips(sonoma_clips, home.clips)
    write_settings(home, {})
    with Daemon(home) as daemon:
        yield home
        assert daemon.end() == 0
        assert not [line for line in daemon.log if "Traceback" in line], daemon.log


@pytest.mark.long
def test_every_reading_command_answers_the_same_beside_a_daemon(home: Home, tmp_path: Path) -> None:
    for name in ("alone", "beside"):
        (tmp_path / name).mkdir()
    alone = {words: typed(home, *words) for words in READING}
    forms = ((), ("--format", "parquet"))
    for form in forms:
        assert typed(home, "export", "last", *form, "--out", tmp_path / "alone").returncode == 0
    with Daemon(home) as daemon:
        for words in READING:
            assert typed(home, *words) == alone[words], words
        for form in forms:
            done = typed(home, "export", "last", *form, "--out", tmp_path / "beside")
            assert done.returncode == 0, done.stderr
        assert typed(home, "debrief", "--all-days", "--update").stderr == (
            "pitwall: the running daemon judges each session by itself, when it has ended\n"
        )
        assert daemon.end() == 0
    assert list(home.handover.iterdir()) == []
    frames, journal = sorted((tmp_path / "beside").iterdir())
    assert journal.read_bytes() == (tmp_path / "alone" / journal.name).read_bytes()
    one, other = (f"SELECT * FROM '{path}'" for path in (frames, tmp_path / "alone" / frames.name))
    assert duckdb.sql(f"{one} EXCEPT ALL {other}").fetchall() == []
    assert (
        duckdb.sql(f"SELECT count(*) FROM ({one})").fetchall()
        == duckdb.sql(f"SELECT count(*) FROM ({other})").fetchall()
    )
