"""Clips rendered once for all tests of the whole daemon."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from pitwall.config import Home
from pitwall.session import known_tracks, prepare_words

# Peers and a sound server that other rooms' tests have made.
TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / room) for room in ("sources", "voice")]


@pytest.fixture(scope="session")
def daemon_clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every clip of Sonoma."""
    home = Home(tmp_path_factory.mktemp("daemon-spoken"))
    home.prepare()
    words = prepare_words(home, known_tracks(home)[0]["sonoma"], sound=True)
    assert words.clips, words.notes
    return home.clips


@pytest.fixture
def ready_home(home: Home, daemon_clips: Path) -> Home:
    """A home whose clips are there."""
    shutil.copytree(daemon_clips, home.clips, dirs_exist_ok=True)
    return home
