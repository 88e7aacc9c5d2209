"""The model server of tests/paddock, the small daemon of tests/api, and a home with a real drive in it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pitwall.analysis.report import update_profile
from pitwall.analysis.store_facts import StoreFacts

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / room) for room in ("paddock", "api")]


@pytest.fixture(scope="module")
def sonoma(sonoma_facts: StoreFacts) -> StoreFacts:
    """The M3's session at Sonoma with its profile; tests put lessons over the ones before."""
    update_profile(sonoma_facts, sonoma_facts.sessions()[-1])
    return sonoma_facts
