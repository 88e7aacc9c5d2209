"""A home with a real drive in it, made once by the command that a driver types; each test gets a copy."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "service"))

import api_daemon
from api_client import pitwall

from pitwall.config import Home


@pytest.fixture(scope="session")
def drive(made_once: Callable[..., Path], sonoma_clips: Path) -> tuple[Path, bytes]:
    """(a home in which the demo recording was driven, the ledger that this printed)."""

    def replay(folder: Path) -> None:
        shutil.copytree(sonoma_clips, Home(folder / "home").clips)
        ledger = pitwall(folder / "home", "replay", api_daemon.DEMO, "--speed", "max")
        (folder / "ledger").write_bytes(ledger)

    made = made_once("replayed", replay)
    return made / "home", (made / "ledger").read_bytes()


@pytest.fixture
def driven(drive: tuple[Path, bytes], tmp_path: Path) -> Home:
    """A copy of that home for this test alone."""
    shutil.copytree(drive[0], tmp_path / "home", copy_function=shutil.copy2)
    return Home(tmp_path / "home")
