"""Patterns of words, matched whole word by whole word; all patterns of a table in one pass over a question.

A pattern is words with spaces between; several patterns stand in one text, with commas between.
`frustrat-` is a stem (any word that begins so), `best/fastest` either word, `#` a number, `..` up to four
words of any kind, `<corner>` and `<time>` what the reader marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from pitwall.paddock.question_words import MOST_SEEN, NUMBER_OF

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


class _Starts(NamedTuple):
    alone: tuple[_Pattern, ...]
    rows: frozenset[int]  # of those that stand alone
    by_next: dict[str, list[_Pattern]]
    others: tuple[_Pattern, ...]


_NOTHING = _Starts((), frozenset(), {}, ())


def is_number(word: str) -> bool:
    return word.isdigit() or word in NUMBER_OF


class Matcher:
    """Rows of (when, unless) patterns, compiled once."""

    def __init__(self, rows: Sequence[tuple[str, str]]) -> None:
        self._by_word: dict[str, list[_Pattern]] = {}
        self._by_stem: dict[str, list[_Pattern]] = {}
        self._seen: dict[str, _Starts] = {}
        # Words that begin no pattern, as most do: a question of nothing else is passed over in one step.
        self._dull: set[str] = set()
        for number, (when, unless) in enumerate(rows):
            for void, patterns in ((False, when), (True, unless)):
                for text in filter(None, (part.strip() for part in patterns.split(","))):
                    self._add(number, void, text)
        self._stem_lengths = sorted({len(stem) for stem in self._by_stem})

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
        dull = self._dull
        for at, word in enumerate(words):
            if word in dull:
                continue
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
        """Every row that matches somewhere, in the table's order (`unless` is not asked)."""
        rows: set[int] = set()
        dull = self._dull
        for at, (word, following) in enumerate(zip_longest(words, words[1:], fillvalue="")):
            if word in dull:
                continue
            starts = self._starts(word)
            if starts.rows:
                rows |= starts.rows
            if following in starts.by_next or starts.others:
                rows.update([pattern.row for pattern in self._longer(starts, words, at)])
        return sorted(rows)

    def join(self, words: list[str]) -> list[str]:
        """The words with every matched phrase made one word ("at the moment" -> "at_the_moment")."""
        if self._dull.issuperset(words):
            return words
        joined: list[str] = []
        at = 0
        while at < len(words):
            if words[at] in self._dull:
                joined.append(words[at])
                at += 1
                continue
            found = self._matching(words, at)
            end = max([_end_of(p.rest, words, at + 1) for p in found]) if found else at + 1
            joined.append(JOINT.join(words[at:end]))
            at = end
        return joined

    def _matching(self, words: list[str], at: int) -> Sequence[_Pattern]:
        """The patterns that match from word `at` on."""
        starts = self._starts(words[at])
        if not (starts.by_next or starts.others):
            return starts.alone
        return [*starts.alone, *self._longer(starts, words, at)]

    def _starts(self, word: str) -> _Starts:
        """What `word` may begin, remembered."""
        starts = self._seen.get(word)
        if starts is None:
            starts = self._look_up(word)
            if len(self._seen) + len(self._dull) < MOST_SEEN:
                if starts == _NOTHING:
                    self._dull.add(word)
                else:
                    self._seen[word] = starts
        return starts

    def _longer(self, starts: _Starts, words: list[str], at: int) -> Sequence[_Pattern]:
        """The patterns of more than one word that match from word `at` on."""
        if at + 1 == len(words):
            return ()
        found = [
            pattern
            for pattern in starts.by_next.get(words[at + 1], ())
            if len(pattern.rest) == 1 or _end_of(pattern.rest[1:], words, at + 2) >= 0
        ]
        if starts.others:
            found += [pattern for pattern in starts.others if _end_of(pattern.rest, words, at + 1) >= 0]
        return found

    def _look_up(self, word: str) -> _Starts:
        """The patterns that `word` may begin: those of it alone, those by their next word, and all others."""
        found = list(self._by_word.get(word, ()))
        for length in self._stem_lengths:
            if len(word) >= length:
                found += self._by_stem.get(word[:length], ())
        if is_number(word):
            found += self._by_word.get(NUMBER, ())
        by_next: dict[str, list[_Pattern]] = {}
        others = []
        for pattern in found:
            if not pattern.rest:
                continue
            following = pattern.rest[0]
            if following.gap or following.stems or NUMBER in following.words:
                others.append(pattern)
            else:
                for next_word in sorted(following.words):
                    by_next.setdefault(next_word, []).append(pattern)
        alone = tuple(pattern for pattern in found if not pattern.rest)
        return _Starts(alone, frozenset(pattern.row for pattern in alone), by_next, tuple(others))


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
