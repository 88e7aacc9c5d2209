"""A rule of what the words of a question mean together, and what such rules look at."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.question_text import QuestionText

Changes = dict[str, object]


class WordRule(NamedTuple):
    """An `example` that reads otherwise without this rule; `when` it applies, where the question as typed has
    what is `said`; what changes `now`."""

    example: str
    when: Callable[[QuestionReading, QuestionText], object]
    now: Changes | Callable[[QuestionReading, QuestionText], Changes]
    said: Callable[[str], object] = re.compile("").match


def in_text(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).search


def begins(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).match


def whole(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).fullmatch


def but(words: tuple[str, ...], *others: str) -> tuple[str, ...]:
    return tuple(each for each in words if each not in others)


def placed(r: QuestionReading) -> bool:
    return bool(r.corners or r.sectors or r.straight or r.half or r.place_m)


def braking(r: QuestionReading) -> bool:
    """Whether braking was named, but no figure of it."""
    return r.point != "brake" and any(word.startswith("brak") for word in r.strange)


def without_braking(r: QuestionReading, *others: str) -> tuple[str, ...]:
    return tuple(word for word in r.strange if not word.startswith("brak") and word not in others)


ENDS_ER = (
    "hotter|warmer|cooler|faster|quicker|slower|later|earlier|sooner|harder|higher|lower|more|less|better"
)
LESS = in_text(r"\b(?:less|lower|earlier|earliest|shorter|sooner)\b")
