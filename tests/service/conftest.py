"""Clips rendered once for all tests of the daemon: its words are ready as in a car that drove before."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pitwall.config import Home
from pitwall.session import known_tracks, prepare_words


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every clip of Sonoma."""
    home = Home(tmp_path_factory.mktemp("spoken"))
    home.prepare()
    words = prepare_words(home, known_tracks(home)[0]["sonoma"], sound=True)
    assert words.clips, words.notes
    return home.clips


@pytest.fixture
def spoken_home(home: Home, clips: Path) -> Home:
    """A home whose clips are there."""
    shutil.copytree(clips, home.clips, dirs_exist_ok=True)
    return home
