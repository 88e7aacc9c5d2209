"""A driven home, made once; and what other rooms' tests have made: daemons, and a scripted model."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / room) for room in ("service", "paddock", "staged")]

from asked_daemon import driven  # noqa: E402

from pitwall.config import Home  # noqa: E402


@pytest.fixture(scope="session")
def coach_drive(made_once: Callable[..., Path], sonoma_clips: Path) -> Path:
    """A home in which the demo recording was driven."""

    def drive(root: Path) -> None:
        home = Home(root)
        home.prepare()
        shutil.copytree(sonoma_clips, home.clips, dirs_exist_ok=True)
        driven(home)

    return made_once("demo", drive)


@pytest.fixture
def coach_home(coach_drive: Path, tmp_path: Path) -> Home:
    """A copy of it for this test alone."""
    shutil.copytree(coach_drive, tmp_path / "home", copy_function=shutil.copy2)
    return Home(tmp_path / "home")
