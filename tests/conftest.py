"""What every test may use: the shared recordings, and a home of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pitwall.config import Home

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of real recordings. Missing: skipped, but under CI=true a failure."""
    folder = Path(os.environ.get("PITWALL_RECORDINGS", ROOT.parent / "shared" / "recordings"))
    if not folder.is_dir():
        message = f"no recordings in {folder}; set PITWALL_RECORDINGS"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty PITWALL_HOME, prepared."""
    made = Home(tmp_path / "home")
    made.prepare()
    return made
