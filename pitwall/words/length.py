"""About how long a phrase sounds, before it has been rendered."""

from __future__ import annotations

from itertools import pairwise

# Longest speech measured for so many words, espeak-ng at 175 wpm (facts/callouts.md).
WORDS_S = ((0, 0.0), (1, 0.31), (2, 0.58), (4, 1.36), (6, 1.96), (11, 3.3))


def estimate_s(text: str) -> float:
    """About how long a phrase takes, s, from its number of words. Never good enough to time spoken sound."""
    words = len(text.split())
    for (fewer, short_s), (more, long_s) in pairwise(WORDS_S):
        if words <= more:
            return short_s + (long_s - short_s) * (words - fewer) / (more - fewer)
    most, longest_s = WORDS_S[-1]
    return longest_s * words / most
