"""Homes with driven sessions, and the scripted model server of tests/paddock."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.store.store import Store

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def driven_home(sonoma_driven: Path, made_once: Callable[..., Path]) -> Path:
    """Two sessions: the M3 at Sonoma, and after it a simulated one there."""

    def drive(root: Path) -> None:
        home = Home(Path(shutil.copytree(sonoma_driven, root)))
        with Store(home) as store:
            store.open()
            import_file(ROOT / "scripts" / "data" / "sonoma-simulated.vbo", home, store)

    return made_once("two-sessions", drive)


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
