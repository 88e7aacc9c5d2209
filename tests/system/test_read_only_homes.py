"""What only reads works on a home that can't be written and beside another process, and writes nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import driven_home as driven
import duckdb
import pytest
from running_daemon import DEMO, ROOT
from typed import typed

from pitwall.config import Home
from pitwall.store.lock import LOCK_FILE

# Root may write whatever the modes say, unless it gives that up.
AS_A_USER = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner") if os.geteuid() == 0 else ()
READING = (
    ("sessions",),
    ("sessions", "--json"),
    ("laps", "last"),
    ("jobs", "--json"),
    ("track", "list"),
    ("debrief", "--all-days"),
    ("coach",),
    ("debrief",),
)


@pytest.fixture
def home(demo_imported: Path, tmp_path: Path) -> Home:
    """A home with one imported drive, of this test's own."""
    return Home(Path(shutil.copytree(demo_imported, tmp_path / "home", copy_function=shutil.copy2)))


@pytest.fixture
def read_only(home: Home) -> Iterator[Home]:
    """The same, where its owner may change nothing."""
    if AS_A_USER and shutil.which(AS_A_USER[0]) is None:
        pytest.skip("setpriv is not here: root could write everywhere")
    _set_modes(home.root, 0o500, 0o400)
    yield home
    _set_modes(home.root, 0o700, 0o600)


def _set_modes(root: Path, folders: int, files: int) -> None:
    root.chmod(0o700)
    for path in (*root.rglob("*"), root):
        path.chmod(folders if path.is_dir() else files)


def pitwall(home: Home, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*AS_A_USER, sys.executable, "-m", "pitwall", "--home", str(home.root), *words],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done


def everything(root: Path) -> dict[str, tuple[int, int]]:
    """Every file with its size and the time of its last change."""
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in (root, *root.rglob("*"))}


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith("pitwall-read-")]


@pytest.mark.long
def test_every_reading_command_works_on_a_read_only_home(
    read_only: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    before = everything(read_only.root)
    found = {words: pitwall(read_only, *words) for words in READING}
    assert everything(read_only.root) == before
    assert left_in(scratch) == []
    out = tmp_path / "out"
    out.mkdir()
    copied = pitwall(read_only, "export", "last", "--out", str(out))
    assert "can't be written: Permission denied: that there is a copy is not kept" in copied.stderr
    pitwall(read_only, "export", "last", "--format", "parquet", "--out", str(out))
    assert sorted(path.suffix for path in out.iterdir()) == [".parquet", ".pwj"]
    _set_modes(read_only.root, 0o700, 0o600)
    for words in READING:
        assert typed(read_only, *words).stdout == found[words].stdout, words
    for words in (("sessions",), ("jobs", "--json")):
        assert found[words].stderr == ""


def test_reading_a_whole_home_writes_nothing_though_it_could(home: Home) -> None:
    (home.root / LOCK_FILE).unlink(missing_ok=True)
    before = everything(home.root)
    assert "sonoma" in pitwall(home, "sessions").stdout
    assert everything(home.root) == before


@pytest.mark.long
def test_what_writes_says_in_one_sentence_that_the_home_is_read_only(read_only: Home) -> None:
    # `run` coaches all the same: tests/daemon_kills/test_start_faults.py.
    for words in (("import", str(DEMO)), ("debrief", "--all-days", "--update")):
        last = pitwall(read_only, *words, code=2).stderr.splitlines()[-1]
        assert last == (
            f"pitwall: {read_only.root} can't be written: Permission denied; choose another PITWALL_HOME"
        )
    kept = pitwall(read_only, "jobs", "add", "debrief", "--session", "last", code=2).stderr
    assert kept == f"pitwall: {read_only.root} is only read now: nothing can be kept there\n"


@pytest.mark.long
def test_a_log_that_a_kill_left_is_read_and_what_waits_is_told(home: Home) -> None:
    driven.killed_run(home.root, "killed", 150)
    _set_modes(home.root, 0o500, 0o400)
    try:
        before = everything(home.root)
        done = pitwall(home, "sessions", "--json")
        assert '"id":"killed"' in done.stdout, "the log was replayed"
        assert done.stderr == "pitwall: 1 session waits to be rebuilt: run pitwall on a writable home\n"
        assert everything(home.root) == before
    finally:
        _set_modes(home.root, 0o700, 0o600)
    done = pitwall(home, "sessions")
    assert "session killed was rebuilt from its journal (was not closed)" in done.stderr
    assert pitwall(home, "sessions").stderr == ""


@pytest.mark.long
def test_a_damaged_database_on_a_read_only_home_is_one_clear_sentence(home: Home) -> None:
    with home.database.open("r+b") as file:
        file.seek(100_000)
        file.write(b"damage")
    _set_modes(home.root, 0o500, 0o400)
    try:
        told = pitwall(home, "sessions", code=2).stderr
        assert told == (
            f"pitwall: {home.database} is damaged; run pitwall where the home can be written: "
            "the database is made again from the journals\n"
        )
    finally:
        _set_modes(home.root, 0o700, 0o600)
    assert "sonoma" in pitwall(home, "sessions").stdout, "where it can be written it is mended"


@pytest.mark.long
def test_a_database_of_an_older_version_is_told_where_it_cannot_be_made_again(home: Home) -> None:
    with duckdb.connect(str(home.database)) as con:
        con.execute("UPDATE schema_version SET version = version - 1")
    home.database.with_name(home.database.name + ".seal").unlink()
    _set_modes(home.root, 0o500, 0o400)
    try:
        assert "was made by an older pitwall; run pitwall where" in pitwall(home, "laps", code=2).stderr
    finally:
        _set_modes(home.root, 0o700, 0o600)


@pytest.mark.long
def test_what_another_command_has_kept_is_read_beside_it(home: Home, tmp_path: Path) -> None:
    """The other one writes all the while, and folds its log now and then."""
    command = [sys.executable, driven.__file__, str(home.root), "busy"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        try:
            done = pitwall(home, "laps", "2025")
            assert "flying" in done.stdout
            assert done.stderr == (
                f"pitwall: another pitwall (process {writer.pid}) is at work: "
                "what it has not kept yet is not shown\n"
            )
            told = pitwall(home, "import", str(DEMO), code=2).stderr
            assert f"another pitwall is using {home.root} (process {writer.pid}); wait until it has" in told
        finally:
            writer.kill()
