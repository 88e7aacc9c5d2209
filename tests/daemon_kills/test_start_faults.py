"""Whatever is wrong at the start, the coach speaks; and it says what it can't keep."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from copies import copied
from fault_machine import near_turn_two, permissions_hold
from running_daemon import ROOT

from pitwall.config import Home
from pitwall.store.store import Store

pytestmark = pytest.mark.long

WITHIN_S = 240.0
# A callout on the terminal.
SPOKEN = '  "'
# How a home is broken, and what is told of it.
Faults = Mapping[str, tuple[Callable[[Home], None], str]]
UNKEPT = "nothing is kept but the journals"


def closed(*parts: str, mode: int = 0) -> Callable[[Home], None]:
    """Files or folders that may not be entered, or written."""

    def fault(home: Home) -> None:
        for part in parts:
            (home.root / part).chmod(mode)

    return fault


def folder_for(name: str) -> Callable[[Home], None]:
    """A folder where a file should be."""

    def fault(home: Home) -> None:
        path = home.root / name
        path.unlink(missing_ok=True)
        (path / "inside").mkdir(parents=True)

    return fault


def file_for(name: str) -> Callable[[Home], None]:
    """A file where a folder should be."""

    def fault(home: Home) -> None:
        path = home.root / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        path.write_bytes(b"not a folder")

    return fault


def newer_database(home: Home) -> None:
    """A database of a Pitwall to come."""
    import duckdb

    with duckdb.connect(str(home.database)) as con:
        con.execute("DELETE FROM schema_version")
        con.execute("INSERT INTO schema_version VALUES (999, 0.0)")
    home.database.with_name("pitwall.duckdb.seal").unlink(missing_ok=True)


# What keeps the home from being used: each alone, for nothing else of it is looked at.
UNUSABLE: Faults = {
    "a home that can't be entered": (closed("."), "can't be"),
    "a home that can't be written": (closed(".", mode=0o500), "can't be used"),
    "a file in place of the home": (file_for("."), "can't be used"),
    "journals that can't be entered": (closed("journals"), "can't be"),
    "journals that can't be written": (closed("journals", mode=0o500), "can't be used"),
    "a file in place of the journals": (file_for("journals"), "can't be"),
    "a folder in place of the lock": (folder_for("pitwall.lock"), "can't be used"),
}
# What is wrong with the database, each beside something else that is no matter of it.
OTHERS: list[Faults] = [
    {
        "a database that can't be written": (closed("pitwall.duckdb", mode=0o400), UNKEPT),
        "a folder in place of the token": (folder_for("token"), ""),
    },
    {
        "a database that can't be read": (closed("pitwall.duckdb"), UNKEPT),
        "a folder in place of the checkpoint": (folder_for("checkpoint"), ""),
    },
    {
        "a folder in place of the database": (folder_for("pitwall.duckdb"), "is a folder"),
        "a file in place of what is handed over": (file_for("handover"), ""),
    },
    {
        "a folder in place of its log": (folder_for("pitwall.duckdb.wal"), "folder"),
        "clips that can't be written": (closed("clips", mode=0o500), ""),
        "a file in place of what is set aside": (file_for("damaged"), ""),
    },
    {
        "a folder in place of its seal": (folder_for("pitwall.duckdb.seal"), ""),
        "a file in place of the clips": (file_for("clips"), ""),
    },
    {
        "a database of a Pitwall to come": (newer_database, "newer"),
        "tracks and scripts that can't be read": (closed("track_data", "audio_cache"), "can't be read"),
    },
]


def coached(home: Home, folder: Path, *arguments: str) -> tuple[str, str]:
    """What a daemon says first, and what it wrote on the way there; it is ended then. It has no speech engine
    either: how long the clips are that it can't read is estimated then, and none is rendered."""
    settings = folder / "settings.toml"
    settings.write_text(
        '[audio]\nplayer = "text"\n[api]\nport = 0\n[coach]\nmode = "learn"\n[limits]\nfree_floor_mb = 1.0\n'
        f'[sources.car]\nuri = "replay:{near_turn_two(folder)}?live=true&speed=3"\n'
    )
    (folder / "pyttsx3").mkdir()
    (folder / "pyttsx3" / "__init__.py").touch()
    packages = os.pathsep.join(map(str, (folder, ROOT)))
    with (
        (folder / "errors").open("w+b") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "pitwall", "run", "--config", str(settings), *arguments],
            env=os.environ | {"PITWALL_HOME": str(home.root), "TMPDIR": str(folder), "PYTHONPATH": packages},
            cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True, preexec_fn=permissions_hold,
        ) as process,
    ):  # fmt: skip
        assert process.stdout is not None
        patience = threading.Timer(WITHIN_S, process.kill)
        patience.start()
        said = next((line for line in process.stdout if line.startswith(SPOKEN)), "")
        process.send_signal(signal.SIGTERM)
        process.communicate()
        patience.cancel()
        errors.seek(0)
        return said, errors.read().decode()


@pytest.fixture(scope="module")
def driven_before(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with a database, for copies."""
    home = Home(tmp_path_factory.mktemp("before") / "home")
    home.prepare()
    with Store(home) as store:
        store.open()
    return home


@pytest.mark.parametrize(
    "faults", [*({name: fault} for name, fault in UNUSABLE.items()), *OTHERS], ids=" and ".join
)
def test_the_coach_speaks(faults: Faults, driven_before: Home, tmp_path: Path) -> None:
    home, beside = Home(copied(driven_before.root, tmp_path / "home")), tmp_path / "beside"
    beside.mkdir()
    for break_it, _ in faults.values():
        break_it(home)
    # A lap that nobody can look up now is no reason to stay.
    unkept = any(told == UNKEPT for _, told in faults.values())
    try:
        said, errors = coached(home, beside, *(("--reference", "20250801:3") if unkept else ()))
    finally:
        home.root.chmod(0o700)
    assert said, errors
    for _, told in faults.values():
        assert told in errors
