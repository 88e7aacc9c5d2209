"""Cases of a test that not every run needs: the first of them in each, the others in a longer one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(values: Iterable[Any], first: int) -> list[Any]:
    """Return parameters: the first few for every run, the others, each a case of its own, for --long."""
    return _marked(values, first, pytest.mark.long)


def a_few(values: Iterable[Any], first: int) -> list[Any]:
    """Return parameters: the first few for every run, more of the same for PITWALL_MANY=1."""
    return _marked(values, first, pytest.mark.many)


def _marked(values: Iterable[Any], first: int, mark: pytest.MarkDecorator) -> list[Any]:
    listed = [value if isinstance(value, tuple) else (value,) for value in values]
    return [
        pytest.param(*value, marks=[mark] if number >= first else []) for number, value in enumerate(listed)
    ]
