"""The forms in which things are said: levels, amounts, words of a concept, lengths."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, get_args

import msgspec

Level = Literal["beginner", "intermediate", "expert"]
Amount = Literal["", "touch", "car_length", "two_car_lengths"]

LEVELS: tuple[Level, ...] = get_args(Level)
# The amounts that have words; "" leaves the amount unsaid.
AMOUNTS: tuple[Amount, ...] = ("touch", "car_length", "two_car_lengths")


class AdviceWords(msgspec.Struct, frozen=True):
    """How one piece of advice is said, each form behind "Turn seven: ". `do` says what to do,
    `short` in fewer words; `habit` names what the driver does in nearly every pass, and what
    instead; `reference` what a given reference does there; `attempt` the part of the corner that
    loses time, and one thing to try. Forms may hold `{amount}`."""

    do: str
    short: str
    habit: str
    reference: str
    attempt: str

    @property
    def attempt_short(self) -> str:
        """The one thing to try alone: nothing that is only tried sounds sure."""
        return self.attempt.rpartition(", ")[2]


# Longest speech measured for each number of words, espeak-ng at 175 wpm (the map, figures).
WORDS_S = ((0, 0.0), (1, 0.31), (2, 0.58), (4, 1.36), (6, 1.96), (11, 3.3))


def estimate_s(text: str) -> float:
    """Seconds that a phrase takes, by its words. Never to time spoken sound."""
    words = len(text.split())
    for (fewer, short_s), (more, long_s) in pairwise(WORDS_S):
        if words <= more:
            return short_s + (long_s - short_s) * (words - fewer) / (more - fewer)
    most, longest_s = WORDS_S[-1]
    return longest_s * words / most
