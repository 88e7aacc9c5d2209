"""A question as plain words: lower case, no accents, lap times marked, typing mistakes corrected."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

# Only this much of a question is read.
LONGEST_CHARS = 600


def word_list(text: str) -> tuple[str, ...]:
    """The words of a text, so that long lists stay readable."""
    return tuple(text.split())


# Long keywords that are often mistyped; shorter ones have too many honest neighbours ("stunt" and "stint").
OFTEN_MISTYPED = word_list(
    """reference references weather practice practise planning incident incidents moment moments target
    targets consistent consistency consistently inconsistent inconsistency variance variation script
    scripts callout callouts carousel hairpin chicane compare compared comparison versus progress
    faster quicker plateau plateaued understeer understeers understeering oversteer oversteers
    oversteering frustrated frustrating frustration debrief highlight highlights improve improving
    improvement slippery drizzle forecast degradation personal theoretical suspension damper camber
    confidence nervous volume summary"""
)
# Correct words that are one typing mistake away from one of those.
LEFT_ALONE = frozenset(
    word_list(
        """stale feather fatter fasten master comment content compares scripted preference practices
        practical incidence variant variants dampers damped strict campers whether wetter person
        persons rampart"""
    )
)
SHORTEST_MENDED = 5
# The results for so many words are kept in memory. Drivers use fewer.
MOST_SEEN = 5000
NUMBERS = word_list(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty"""
)
NUMBER_OF: Mapping[str, str] = {word: str(value) for value, word in enumerate(NUMBERS)}
TIME = "<time>"

_WORD = re.compile(r"\d+:\d\d(?:[.,]\d+)?|\d+[.,]\d+|[a-z0-9]+(?:'[a-z]+)?")
_TIME = re.compile(r"\d+:\d\d(?:[.,]\d+)?|\d{2,3}[.,]\d{1,3}")
_INITIALS = re.compile(r"\b([a-z])\.\s?([a-z])\b\.?")


def words_of(question: str) -> list[str]:
    """The words in order. A lap time (51.2, 1:52.3) is TIME; other numbers stay as typed."""
    text = question[:LONGEST_CHARS].lower()
    if not text.isascii():
        text = plain(text)
    if "." in text:
        text = _INITIALS.sub(r"\1\2", text)
    words = []
    for word in _WORD.findall(text):
        if word[0].isdigit() and _TIME.fullmatch(word):
            words.append(TIME)
        elif "'" in word:
            words.append(word.removesuffix("'s").replace("'", ""))
        else:
            words.append(word)
    return words


def plain(text: str) -> str:
    """Lower case, accents off, typographic apostrophes made straight."""
    folded = unicodedata.normalize("NFKD", text.lower().replace("’", "'").replace("ß", "ss"))
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


class Speller:
    """Mends a word one slip away from a known longer one: a letter missing, added, changed, or two swapped.

    The first letter must be right, so that "training" never becomes "raining".
    """

    def __init__(
        self,
        words: Iterable[str],
        first: Speller | None = None,
        *,
        shortest: int = SHORTEST_MENDED,
        swaps_letters: bool = True,
    ) -> None:
        """`first` mends before this one; words that it mends are left alone. Known words are longer than
        `shortest`; without `swaps_letters` a letter that is another one is no slip."""
        self.known = frozenset(word for word in words if len(word) > shortest and word.isalpha())
        self._first, self._swaps = first, swaps_letters
        self._near: dict[str, str] = {}
        for word in sorted(self.known):
            for shorter in (word, *_one_less(word)):
                self._near.setdefault(shorter, word)
        self._meant = lru_cache(MOST_SEEN)(self._mend)

    def mend(self, words: list[str]) -> list[str]:
        """The same words with slips mended."""
        return [self._meant(word) for word in words]

    def _mend(self, word: str) -> str:
        meant = word if self._first is None else self._first._meant(word)
        if meant == word and len(word) >= SHORTEST_MENDED:
            return self._mended(word) or word
        return meant

    def _mended(self, word: str) -> str | None:
        if word in self.known or word in LEFT_ALONE or not word.isalpha():
            return None
        near = self._near
        for shorter in (word, *_one_less(word)):
            meant = near.get(shorter)
            if meant is None or meant[0] != word[0] or not _one_slip(word, meant):
                continue
            if self._swaps or len(meant) != len(word) or sorted(meant) == sorted(word):
                return meant
        return None


def _one_less(word: str) -> list[str]:
    return [word[:i] + word[i + 1 :] for i in range(1, len(word))]


def _one_slip(typed: str, meant: str) -> bool:
    """True where `typed` is `meant` with one letter missing, added or changed, or two neighbours swapped."""
    if len(typed) != len(meant):
        return True  # both shortened to the same letters, or one is the other's
    apart = [i for i, (a, b) in enumerate(zip(typed, meant, strict=True)) if a != b]
    if len(apart) <= 1:
        return True
    first, last = apart[0], apart[-1]
    return (
        len(apart) == 2 and last == first + 1 and typed[first] == meant[last] and typed[last] == meant[first]
    )


_KEYS = {
    key: (column + row / 2, row)
    for row, keys in enumerate(("qwertyuiop", "asdfghjkl", "zxcvbnm"))
    for column, key in enumerate(keys)
}


def slip_of(typed: str, meant: str) -> str:
    """By which slip the one word came of the other: "swap" and "double" of letters, "omit", "extra", "next"
    key; "" where it is none, or where the first letter differs."""
    if typed[0] != meant[0]:
        return ""
    if len(typed) == len(meant):
        apart = [at for at in range(len(typed)) if typed[at] != meant[at]]
        first, last = apart[0], apart[-1]
        if last == first + 1 and typed[first] == meant[last] and typed[last] == meant[first]:
            return "swap"
        nowhere = (-9.0, 0)
        (x, y), (other_x, other_y) = _KEYS.get(typed[first], nowhere), _KEYS.get(meant[first], nowhere)
        beside = abs(x - other_x) <= 1 and abs(y - other_y) <= 1
        return "next" if first == last and beside else ""
    long, short = sorted((typed, meant), key=len, reverse=True)
    gone = [at for at in range(len(long)) if long[:at] + long[at + 1 :] == short]
    if not gone:
        return ""
    return "omit" if long == meant else "double" if len(gone) > 1 else "extra"


def by_shorter(words: Iterable[str], fewest: int) -> dict[str, frozenset[str]]:
    """Words of at least so many letters by what is left of them without one letter."""
    found: dict[str, set[str]] = {}
    for word in words:
        for at in range(len(word) if len(word) >= fewest else 0):
            found.setdefault(word[:at] + word[at + 1 :], set()).add(word)
    return {short: frozenset(those) for short, those in found.items()}


def one_off(word: str, longer: Mapping[str, frozenset[str]], known: Collection[str]) -> set[str]:
    """The known words that one letter makes of this one, more, less or another; `longer` is `by_shorter` of
    them."""
    shorter = {word[:at] + word[at + 1 :] for at in range(len(word))}
    found = {each for short in (word, *shorter) for each in longer.get(short, ())}
    return found | {each for each in shorter if each in known}


# The table's own long words; a track's names are mended beside them.
KEYWORDS = Speller(OFTEN_MISTYPED)
