"""A lake with a real session in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet_parts import SHELF, OneSession

from pitwall.config import Home
from pitwall.fleet import build
from pitwall.fleet.lake import list_sessions, open_storage
from pitwall.fleet.material import gather
from pitwall.fleet.push import object_of
from pitwall.store import queries
from pitwall.store.store import Store

build.PROCESSES = 1


@pytest.fixture(scope="module")
def sonoma_lake(sonoma_driven: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneSession]:
    """For reading only."""
    root = tmp_path_factory.mktemp("fleet")
    shutil.copytree(sonoma_driven, root / "home")
    storage = open_storage(str(root / "lake"))
    with Store(Home(root / "home")) as store:
        store.open()
        session = queries.sessions(store)[0].id
        storage.put(*object_of(gather(store, session), "d-anna", "GT4", SHELF))
        [item] = list_sessions(storage)
        yield OneSession(store, session, root / "lake", item)
