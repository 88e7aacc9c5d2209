"""The daemon's memory over weeks: what is there at the start stays, what comes and goes is given back."""

from __future__ import annotations

import gc


def settle() -> None:
    """Call when everything is up: what is here now stays, so the collector need not look at it again and
    stop the loop for that."""
    gc.collect()
    gc.freeze()


def let_go() -> None:
    """Call at the end: what was kept from the collector is cleared away like the rest."""
    gc.unfreeze()
