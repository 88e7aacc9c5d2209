"""A home in which the demo was driven; each test gets a copy."""

from __future__ import annotations

from pathlib import Path

import pytest
from copies import copied

from pitwall.config import Home


@pytest.fixture
def driven(demo_driven: Path, tmp_path: Path) -> Home:
    """A copy of that home for this test alone."""
    return Home(copied(demo_driven, tmp_path / "home"))
