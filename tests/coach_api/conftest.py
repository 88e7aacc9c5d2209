"""A driven home, made once; and what other rooms' tests have made: daemons, and a scripted model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pitwall.config import Home


@pytest.fixture
def coach_home(demo_driven: Path, tmp_path: Path) -> Home:
    """A home in which the demo recording was driven, of this test alone."""
    shutil.copytree(demo_driven, tmp_path / "home", copy_function=shutil.copy2)
    return Home(tmp_path / "home")
