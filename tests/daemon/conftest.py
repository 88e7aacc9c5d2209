"""A drive whose truth is known; peers, a sound server and a small disk that other rooms' tests have made."""

from __future__ import annotations

import pytest
from fast_service import Drive

from pitwall.config import Home


@pytest.fixture(scope="session")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Drive:
    home = Home(tmp_path_factory.mktemp("drive"))
    home.prepare()
    return Drive(home)
