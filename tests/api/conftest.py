"""A home in which the demo was driven; each test gets a copy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pitwall.config import Home


@pytest.fixture
def driven(demo_driven: Path, tmp_path: Path) -> Home:
    """A copy of that home for this test alone."""
    return Home(shutil.copytree(demo_driven, tmp_path / "home", copy_function=shutil.copy2))
