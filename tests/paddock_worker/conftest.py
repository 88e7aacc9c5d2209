"""Homes with driven sessions, and the scripted model server of tests/paddock."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.config import Home
from pitwall.replay import import_file
from pitwall.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "paddock"))


@pytest.fixture(scope="session")
def driven_home(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions: the M3 at Sonoma, and after it a simulated one there."""
    home = Home(tmp_path_factory.mktemp("driven") / "home")
    with Store(home) as store:
        store.open()
        import_file(recordings / "sonoma-m3-vbox.csv", home, store)
        import_file(ROOT / "scripts" / "data" / "sonoma-simulated.vbo", home, store)
    return home.root


@pytest.fixture
def driven(driven_home: Path, tmp_path: Path) -> Iterator[Store]:
    """An open store with these sessions, the test's own."""
    root = Path(shutil.copytree(driven_home, tmp_path / "home"))
    with Store(Home(root)) as store:
        store.open()
        yield store


@pytest.fixture
def empty(home: Home) -> Iterator[Store]:
    """An open store in which nothing was driven."""
    with Store(home) as store:
        store.open()
        yield store
