"""A home with a real drive in it, made once by the command that a driver types; each test gets a copy."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "service"))

import api_daemon
from api_client import pitwall

from pitwall.config import Home


@pytest.fixture(scope="session")
def drive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """(a home in which the demo recording was driven, the ledger that this printed)."""
    root = tmp_path_factory.mktemp("driven") / "home"
    return root, pitwall(root, "replay", api_daemon.DEMO, "--speed", "max")


@pytest.fixture
def driven(drive: tuple[Path, bytes], tmp_path: Path) -> Home:
    """A copy of that home for this test alone."""
    shutil.copytree(drive[0], tmp_path / "home", copy_function=shutil.copy2)
    return Home(tmp_path / "home")
