"""Whatever is wrong at the start, the coach speaks; and it says what it can't keep."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_machine import near_turn_two, permissions_hold
from running_daemon import ROOT

from pitwall.config import Home

pytestmark = pytest.mark.long

WITHIN_S = 240.0
# A callout on the terminal.
SPOKEN = '  "'


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


FAULTS: dict[str, tuple[Callable[[Home], None], str]] = {
    "a home that can't be entered": (closed("."), "can't be"),
    "a home that can't be written": (closed(".", mode=0o500), "can't be used"),
    "a file in place of the home": (file_for("."), "can't be used"),
    "journals that can't be entered": (closed("journals"), "can't be"),
    "journals that can't be written": (closed("journals", mode=0o500), "can't be used"),
    "a file in place of the journals": (file_for("journals"), "can't be"),
    "a database that can't be written": (
        closed("pitwall.duckdb", mode=0o400),
        "nothing is kept but the journals",
    ),
    "a database that can't be read": (closed("pitwall.duckdb"), "nothing is kept but the journals"),
    "a folder in place of the database": (folder_for("pitwall.duckdb"), "is a folder"),
    "a folder in place of its log": (folder_for("pitwall.duckdb.wal"), "folder"),
    "a folder in place of its seal": (folder_for("pitwall.duckdb.seal"), ""),
    "a folder in place of the lock": (folder_for("pitwall.lock"), "can't be used"),
    "a folder in place of the checkpoint": (folder_for("checkpoint"), ""),
    "a folder in place of the token": (folder_for("token"), ""),
    "a database of a Pitwall to come": (newer_database, "newer"),
    "clips that can't be written": (closed("clips", mode=0o500), ""),
    "a file in place of the clips": (file_for("clips"), ""),
    "tracks and scripts that can't be read": (closed("track_data", "audio_cache"), ""),
    "a file in place of what is set aside": (file_for("damaged"), ""),
    "a file in place of what is handed over": (file_for("handover"), ""),
}


def coached(home: Home, folder: Path, *arguments: str) -> tuple[str, str]:
    """What a daemon says first, and what it wrote on the way there; it is ended then."""
    settings = folder / "settings.toml"
    settings.write_text(
        '[audio]\nplayer = "text"\n[api]\nport = 0\n[coach]\nmode = "learn"\n[limits]\nfree_floor_mb = 1.0\n'
        f'[sources.car]\nuri = "replay:{near_turn_two(folder)}?speed=3"\n'
    )
    with (
        (folder / "errors").open("w+b") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "pitwall", "run", "--config", str(settings), *arguments],
            env=os.environ | {"PITWALL_HOME": str(home.root), "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
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


@pytest.mark.parametrize("fault", FAULTS)
def test_the_coach_speaks(fault: str, spoken_home: Home, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pitwall", "sessions"],
        env={**os.environ, "PITWALL_HOME": str(spoken_home.root)},
        cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    beside = tmp_path / "beside"
    beside.mkdir()
    break_it, told = FAULTS[fault]
    break_it(spoken_home)
    # A lap that nobody can look up now is no reason to stay.
    against = ("--reference", "20250801:3") if "nothing is kept" in told else ()
    try:
        said, errors = coached(spoken_home, beside, *against)
    finally:
        spoken_home.root.chmod(0o700)
    assert said, errors
    assert told in errors
