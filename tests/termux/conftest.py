"""These tests start the same daemons as tests/service, and the same PulseAudio as tests/voice."""

from __future__ import annotations

from pathlib import Path

import pytest
from copies import link_clips
from phone_folder import PhoneFolder

from pitwall.config import Home


@pytest.fixture
def home(home: Home, sonoma_clips: Path) -> Home:
    """Its words are ready: no daemon starts espeak for the few that it needs without a track."""
    link_clips(sonoma_clips, home.clips)
    return home


@pytest.fixture
def phone(tmp_path: Path, home: Home) -> PhoneFolder:
    """A phone beside the home of the test."""
    return PhoneFolder(tmp_path / "phone", home.root)


@pytest.fixture
def spoken_home(home: Home) -> Home:
    return home
