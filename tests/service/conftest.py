"""Most of these tests start a daemon: its words are ready, as in a car that drove before."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pitwall.config import Home


@pytest.fixture
def home(home: Home, sonoma_clips: Path) -> Home:
    # Links: a clip is never written into, only replaced.
    shutil.copytree(sonoma_clips, home.clips, copy_function=os.link, dirs_exist_ok=True)
    return home


@pytest.fixture
def spoken_home(home: Home) -> Home:
    return home
