"""The forms in which things are said, in every language: levels, amounts, the words of a concept."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Code = Literal["en", "de"]
Level = Literal["beginner", "intermediate", "expert"]
Amount = Literal["", "touch", "car_length", "two_car_lengths"]

CODES: tuple[Code, ...] = get_args(Code)
LEVELS: tuple[Level, ...] = get_args(Level)
# The amounts that have words; "" leaves the amount unsaid.
AMOUNTS: tuple[Amount, ...] = ("touch", "car_length", "two_car_lengths")


class ConceptWords(msgspec.Struct, frozen=True):
    """How one piece of advice is said, each form as it stands behind "Turn seven: ".

    `before` tells what to do and is heard before the place; `short` says the same in fewer words, "" where
    there are none. `after` tells on the next straight what was done. `again` is `before` said another way.
    The forms of a table may hold `{amount}`.
    """

    before: str
    short: str
    after: str
    again: str
