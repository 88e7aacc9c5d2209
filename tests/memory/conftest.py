"""The model server of tests/paddock, the small daemon of tests/api, and a home with a real drive in it."""

from __future__ import annotations

import pytest
from stored_facts import WritableStoreFacts

from pitwall.analysis.report import profile_events


@pytest.fixture(scope="module")
def sonoma(sonoma_facts: WritableStoreFacts) -> WritableStoreFacts:
    """The M3's session at Sonoma with its profile; tests put lessons over the ones before."""
    row = sonoma_facts.sessions()[-1]
    sonoma_facts.put_events(row.id, profile_events(sonoma_facts, row))
    return sonoma_facts
