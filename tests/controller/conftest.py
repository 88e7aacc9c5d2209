"""These tests speak to the model server of tests/paddock and start the daemons of tests/service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.config import Home
from pitwall.store.store import Store

for folder in ("paddock", "service"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / folder))


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with Store(home) as opened:
        opened.open()
        yield opened
