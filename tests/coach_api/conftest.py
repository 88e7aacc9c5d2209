"""A driven home, made once; and what other rooms' tests have made: daemons, and a scripted model."""

from __future__ import annotations

from pathlib import Path

import pytest
from copies import copied

from pitwall.config import Home


@pytest.fixture
def coach_home(demo_driven: Path, tmp_path: Path) -> Home:
    """A home in which the demo recording was driven, of this test alone."""
    copied(demo_driven, tmp_path / "home")
    return Home(tmp_path / "home")
