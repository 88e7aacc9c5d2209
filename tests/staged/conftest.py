"""The staged analysis over the paddock's scripted model server: real ADK, real HTTP, loopback only."""

from __future__ import annotations

import loopback  # noqa: F401
import pytest
from staged_opened import OpenAnalysis, opened_analysis


@pytest.fixture
def analysis() -> OpenAnalysis:
    """`async with analysis(script, **options) as (staged, server)`."""
    return opened_analysis
