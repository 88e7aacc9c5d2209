"""The model server of tests/paddock, the small daemon of tests/api, and a home with a real drive in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.analysis.report import update_profile
from pitwall.analysis.store_facts import StoreFacts
from pitwall.config import Home
from pitwall.replay import import_file
from pitwall.store.store import Store

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / room) for room in ("paddock", "api")]


@pytest.fixture(scope="module")
def sonoma(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreFacts]:
    """The M3's session at Sonoma with its profile; tests put lessons over the ones before."""
    home = Home(tmp_path_factory.mktemp("sonoma") / "home")
    with Store(home) as store:
        store.open()
        import_file(recordings / "sonoma-m3-vbox.csv", home, store)
        facts = StoreFacts(store)
        update_profile(facts, facts.sessions()[-1])
        yield facts
