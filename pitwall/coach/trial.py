"""The coach's trial: a coin decides which corners are called, the others are the control."""

from __future__ import annotations

from hashlib import blake2b

# Begins the reason of a call that the coin kept back.
CONTROL = "control of the trial"


def is_called(seed: str, stint: int, corner: str) -> bool:
    """Toss the coin of a corner for a stint: the same seed, stint and corner always fall the same
    way."""
    return blake2b(f"{seed}|{stint}|{corner}".encode(), digest_size=1).digest()[0] & 1 == 1
