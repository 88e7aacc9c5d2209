"""Patterns of words, matched whole word by whole word; all patterns of a table in one pass over a question.

A pattern is words with spaces between; several patterns stand in one text, with commas between.
`frustrat-` is a stem (any word that begins so), `best/fastest` either word, `#` a number, `..` up to four
words of any kind, `<corner>` and `<time>` what the reader marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pitwall.paddock.questions.question_words import MOST_SEEN, NUMBER_OF

NUMBER = "#"
GAP = ".."
LONGEST_GAP = 4
JOINT = "_"


class _Slot(NamedTuple):
    """One place of a pattern: these words, or words beginning with one of these stems, or a number."""

    words: frozenset[str]
    stems: tuple[str, ...]
    gap: bool  # a gap stands before this slot

    def fits(self, word: str) -> bool:
        if word in self.words or (NUMBER in self.words and is_number(word)):
            return True
        return bool(self.stems) and word.startswith(self.stems)


class _Pattern(NamedTuple):
    row: int
    void: bool
    text: str
    rest: tuple[_Slot, ...]


def is_number(word: str) -> bool:
    return word.isdigit() or word in NUMBER_OF


class Matcher:
    """Rows of (when, unless) patterns, compiled once."""

    def __init__(self, rows: Sequence[tuple[str, str]]) -> None:
        self._by_word: dict[str, list[_Pattern]] = {}
        self._by_stem: dict[str, list[_Pattern]] = {}
        for number, (when, unless) in enumerate(rows):
            for void, patterns in ((False, when), (True, unless)):
                for text in filter(None, (part.strip() for part in patterns.split(","))):
                    self._add(number, void, text)
        self._stem_lengths = sorted({len(stem) for stem in self._by_stem})
        self._beginning = lru_cache(MOST_SEEN)(self._patterns_beginning_with)

    def _add(self, row: int, void: bool, text: str) -> None:
        slots = _slots(text)
        pattern = _Pattern(row, void, text, slots[1:])
        for word in sorted(slots[0].words):
            self._by_word.setdefault(word, []).append(pattern)
        for stem in slots[0].stems:
            self._by_stem.setdefault(stem, []).append(pattern)

    def first(self, words: list[str]) -> tuple[int, str] | None:
        """The first row that matches and is not voided, and its pattern; None where no row does."""
        hits: dict[int, str] = {}
        voids: set[int] = set()
        for at in range(len(words)):
            for pattern in self._matching(words, at):
                if pattern.void:
                    voids.add(pattern.row)
                else:
                    hits.setdefault(pattern.row, pattern.text)
        standing = hits.keys() - voids
        if not standing:
            return None
        best = min(standing)
        return best, hits[best]

    def all(self, words: list[str]) -> list[int]:
        """Every row that matches somewhere, in the table's order, whatever `unless` says."""
        return sorted({pattern.row for at in range(len(words)) for pattern in self._matching(words, at)})

    def join(self, words: list[str]) -> list[str]:
        """The words with every matched phrase made one word ("at the moment" -> "at_the_moment")."""
        joined: list[str] = []
        at = 0
        while at < len(words):
            ends = [_end_of(pattern.rest, words, at + 1) for pattern in self._matching(words, at)]
            end = max(ends, default=at + 1)
            joined.append(JOINT.join(words[at:end]))
            at = end
        return joined

    def _matching(self, words: list[str], at: int) -> list[_Pattern]:
        """The patterns that match from word `at` on."""
        return [one for one in self._beginning(words[at]) if _end_of(one.rest, words, at + 1) >= 0]

    def _patterns_beginning_with(self, word: str) -> tuple[_Pattern, ...]:
        found = list(self._by_word.get(word, ()))
        for length in self._stem_lengths:
            if len(word) >= length:
                found += self._by_stem.get(word[:length], ())
        if is_number(word):
            found += self._by_word.get(NUMBER, ())
        return tuple(found)


def _slots(text: str) -> tuple[_Slot, ...]:
    slots = []
    gap = False
    for part in text.split():
        if part == GAP:
            gap = True
            continue
        either = part.split("/")
        stems = tuple(word.removesuffix("-") for word in either if word.endswith("-"))
        slots.append(_Slot(frozenset(word for word in either if not word.endswith("-")), stems, gap))
        gap = False
    if not slots or slots[0].gap:
        raise ValueError(f"pattern {text!r}: begin with a word, not with a gap")
    return tuple(slots)


def _end_of(slots: tuple[_Slot, ...], words: list[str], at: int) -> int:
    """Where the match of all slots from `at` on ends; -1 where they do not match."""
    if not slots:
        return at
    slot = slots[0]
    furthest = min(at + LONGEST_GAP, len(words) - 1) if slot.gap else at
    for place in range(at, furthest + 1):
        if place < len(words) and slot.fits(words[place]):
            end = _end_of(slots[1:], words, place + 1)
            if end >= 0:
                return end
    return -1
