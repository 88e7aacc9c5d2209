"""A paddock over a scripted model server: real ADK, real HTTP, loopback only."""

from __future__ import annotations

import loopback  # noqa: F401
import pytest
from opened_paddock import Open, opened_paddock


@pytest.fixture
def paddock() -> Open:
    """`async with paddock(script, **options) as (crew, server)`."""
    return opened_paddock
