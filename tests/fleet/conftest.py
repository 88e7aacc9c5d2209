"""A lake with a real session in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet_parts import OneSession, put_session

from pitwall.config import Home
from pitwall.fleet.tables import Pusher
from pitwall.store import queries
from pitwall.store.store import Store


@pytest.fixture(scope="module")
def sonoma_lake(sonoma_driven: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneSession]:
    """For reading only."""
    root = tmp_path_factory.mktemp("fleet")
    shutil.copytree(sonoma_driven, root / "home")
    (root / "files").mkdir()
    with Store(Home(root / "home")) as store:
        store.open()
        session = queries.sessions(store)[0].id
        told = Pusher(driver="d-anna", car_class="GT4", names=("Anna",))
        entry = put_session(store, session, str(root / "lake"), told, root / "files")
        yield OneSession(store, session, root / "lake", entry, root / "files")
