"""These tests speak to the model server of tests/paddock and start the daemons of tests/service."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pitwall.config import Home
from pitwall.store.store import Store


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with Store(home) as opened:
        opened.open()
        yield opened
