"""Find the corners that a question's words name, also with a slip."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

from pitwall.track.model import Corner, Track
from pitwall.words.language import ENGLISH

# Only this much of a question is read.
LONGEST_CHARS = 600
NUMBER_OF = {ENGLISH.number_words(number): str(number) for number in range(31)}
# A word this long may have a slip; less alike is another word.
SHORTEST_MENDED, LEAST_ALIKE = 5, 0.84
# A corner's name may be less alike: it is no word of the language.
LEAST_LIKE_NAME = 0.82
_SPAN = re.compile(r"(?<=\d)\s*[-–]\s*(?=\d)")
_WORD = re.compile(r"\d+:\d\d(?:[.,]\d+)?|\d+[.,]\d+|[a-z0-9]+(?:'[a-z]+)?")
_NUMBER = re.compile(r"\d{1,2}[a-d]?")
# "turn 7", "t7", "into 7": a number that is a corner's.
_TURNS = frozenset(("turn", "corner", "bend", "t"))
_INTO = frozenset(("into", "through", "at", "exiting", "entering"))
_GLUED = re.compile(r"(?:turn|corner|t)(\d{1,2}[a-d]?)")
_COUNTED = frozenset(("laps", "minutes", "seconds", "bar", "rpm", "metres", "g", "percent", "times"))


def words_of(question: str) -> list[str]:
    """Return the words in order: lower case, without accents and possessives."""
    folded = unicodedata.normalize("NFKD", question[:LONGEST_CHARS].lower().replace("’", "'"))
    text = "".join(letter for letter in folded if not unicodedata.combining(letter))
    text = _SPAN.sub(" to ", text)
    return [word.removesuffix("'s").replace("'", "") for word in _WORD.findall(text)]


def mended(word: str, known: Sequence[str], least_alike: float = LEAST_ALIKE) -> str:
    """Return the known word of which this is a slip; the first letter must be right."""
    if len(word) < SHORTEST_MENDED or not word.isalpha():
        return ""
    near = [each for each in known if each[0] == word[0] and abs(len(each) - len(word)) < 2]
    if swapped := [each for each in near if sorted(each) == sorted(word)]:
        return swapped[0]
    return next(iter(get_close_matches(word, near, 1, least_alike)), "")


class Mention(NamedTuple):
    """A corner in a question: the words `first` to before `end`, and the corners' ids."""

    first: int
    end: int
    corners: tuple[str, ...]


class CornerNames:
    """The corners of a track by what a driver calls them."""

    def __init__(self, track: Track | None) -> None:
        corners = () if track is None else track.corners
        self._order = [each.id for each in sorted(corners, key=lambda each: each.apex_m)]
        self._numbers = {each.number.lower(): each.id for each in corners if each.number}
        names: dict[tuple[str, ...], list[str]] = {} if corners else {("carousel",): []}
        for corner in corners:
            for name in sorted(_names_of(corner)):
                names.setdefault(name, []).append(corner.id)
        self._names = sorted(names.items(), key=lambda each: -len(each[0]))
        self._words = sorted({word for name in names for word in name if len(word) >= SHORTEST_MENDED})
        called = words_of(track.name if track else "")
        self.track_words = frozenset(each for each in called if each.isalpha() and len(each) > 2)

    def called(self, corner: str, by: int = 0) -> str:
        """Return what is read as a corner, or as the one `by` corners on; "" for an unknown one."""
        if corner not in self._order:
            return ""
        return self._order[(self._order.index(corner) + by) % len(self._order)].replace("_", " ")

    def mentions(self, words: Sequence[str]) -> list[Mention]:
        """Return every mention of a corner, in order."""
        found: list[Mention] = []
        at = 0
        while at < len(words):
            mention = self._named(words, at) or self._numbered(words, at)
            if mention is not None:
                found.append(mention)
            at = at + 1 if mention is None else mention.end
        return found

    def _named(self, words: Sequence[str], at: int) -> Mention | None:
        for name, ids in self._names:
            typed = tuple(words[at : at + len(name)])
            slips = tuple(mended(each, self._words, LEAST_LIKE_NAME) or each for each in typed)
            if name in (typed, slips) or mended("".join(typed), ("".join(name),)):
                return Mention(at, at + len(name), tuple(ids))
        return None

    def _numbered(self, words: Sequence[str], at: int) -> Mention | None:
        word = words[at]
        if glued := _GLUED.fullmatch(word):
            return self._of_number(at, at + 1, glued[1])
        if word in self._numbers and not word.isdigit():  # "8a" is nothing but a corner
            return Mention(at, at + 1, (self._numbers[word],))
        after = [NUMBER_OF.get(each, each) for each in words[at + 1 : at + 3]]
        if not after or not _NUMBER.fullmatch(after[0]) or word not in _TURNS | _INTO:
            return None
        if word in _INTO:
            counted = after[0] not in self._numbers or (len(after) > 1 and after[1] in _COUNTED)
            return None if counted else self._of_number(at + 1, at + 2, after[0])
        if len(after) > 1 and after[0] + after[1] in self._numbers:  # "turn 3 a"
            return self._of_number(at, at + 3, after[0] + after[1])
        return self._of_number(at, at + 2, after[0])

    def _of_number(self, first: int, end: int, number: str) -> Mention:
        """Return the mention; the id of an absent corner says so when it is looked up."""
        return Mention(first, end, (self._numbers.get(number, f"turn_{number}"),))


def _names_of(corner: Corner) -> set[tuple[str, ...]]:
    names = set()
    for name in (*corner.name.split(","), *corner.nicknames, corner.id.replace("_", " ")):
        words = words_of(name)
        words = words[1:] if words[:1] in (["the"], ["la"], ["le"], ["il"]) else words
        numbered = len(words) > 1 and words[0] in _TURNS and _NUMBER.fullmatch(words[1])
        if words and not numbered and not _NUMBER.fullmatch(words[0]):
            names.add(tuple(words))
    return names


_last: tuple[Track | None, CornerNames] = (None, CornerNames(None))


def names_of(track: Track | None) -> CornerNames:
    """Return the names of a track, kept for the last one asked for (a track is large to hash)."""
    global _last
    if _last[0] is not track:
        _last = (track, CornerNames(track))
    return _last[1]
