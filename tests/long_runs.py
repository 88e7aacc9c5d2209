"""What only `scripts/test --long` runs: more of the same cases, and whole tests that are marked `long`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(values: Iterable[Any], first: int) -> list[Any]:
    """Parameters of a test: the first few in every run, the others in the long one."""
    listed = [value if isinstance(value, tuple) else (value,) for value in values]
    return [
        pytest.param(*value, marks=[pytest.mark.long] if number >= first else [])
        for number, value in enumerate(listed)
    ]
