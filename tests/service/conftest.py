"""Most of these tests start a daemon: its words are ready, as in a car that drove before."""

from __future__ import annotations

from pathlib import Path

import pytest
from copies import link_clips

from pitwall.config import Home


@pytest.fixture
def home(home: Home, sonoma_clips: Path) -> Home:
    link_clips(sonoma_clips, home.clips)
    return home


@pytest.fixture
def spoken_home(home: Home) -> Home:
    return home
