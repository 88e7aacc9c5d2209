"""The words of one language as symbols that the reader's grammar knows; the same symbols in every
language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import NamedTuple

from pitwall.ask.corner_names import by_shorter, one_off, plain, slip_of
from pitwall.words.texts import Tables, tables

_TOKEN = re.compile(
    r"\d+:\d\d(?:[.,]\d+)?|\d{1,2}[ab](?![a-z\d])|\d+(?:[.,]\d+)?|[a-z°%][a-z'/°-]*[a-z]?\d*[a-d]?|[,;?&]"
)
_GLUED = re.compile(r"(?<=[a-z][a-z])(?=\d)|(?<=\d)(?=[a-z]{2,}\b)")
# No word that is shorter is what a slip stands for; of each kind (`slip_of`) it has at least so many letters.
SHORTEST_MENDED = 4
_SHORTEST = {"swap": 4, "double": 4, "omit": 4, "next": 4, "sound": 5, "extra": 5}


# No word of a question is longer; what is takes time to be found unknown.
MOST_LETTERS = 60


class Item(NamedTuple):
    """A word or phrase of a question: its symbols, and how it was typed."""

    symbols: str
    typed: str


class Lexicon:
    """The words of one language. `items` finds the symbols of a question."""

    def __init__(self, file: Tables) -> None:
        self._phrases: dict[str, str] = {}
        self._stems: dict[str, str] = {}
        for symbol, words in (file["lexicon"] | _untold(file)).items():
            for phrase in words.split(","):
                self._add(plain(phrase).strip(), symbol)
        self.units = {
            plain(word.strip()): unit for unit, words in file["units"].items() for word in words.split(",")
        }
        several = sorted((each for each in self.units if " " in each), key=len, reverse=True)
        self._unit_phrases = re.compile("|".join(rf"\b{re.escape(each)}\b" for each in several) or r"(?!)")
        numbers = file["numbers"]
        self.numbers = {plain(word): str(at) for at, word in enumerate(numbers["numbers"].split())}
        self.ordinals = {
            plain(word) + end: str(at)
            for at, word in enumerate(numbers["ordinals"].split(), 1)
            for end in numbers["ordinal ends"].split(",")
        }
        self._most_words = max(len(each.split()) for each in self._phrases)
        singles = {word for phrase in self._phrases for word in phrase.split()} | {*self._stems}
        self.known = frozenset(singles | {*self.numbers, *self.ordinals, *self.units})
        self._long = frozenset(each for each in self.known if len(each) >= SHORTEST_MENDED and each.isalpha())

    def _add(self, phrase: str, symbol: str) -> None:
        if phrase.endswith("*"):
            self._stems[phrase[:-1]] = symbol
        else:
            self._phrases.setdefault(phrase, symbol)

    def items(self, words: list[str]) -> Iterator[Item]:
        """The symbols of words, the longest phrase first. A word that is not known is "?"."""
        at = 0
        while at < len(words):
            if words[at][0] == "<":
                yield Item(words[at][1:-1], words[at][1:-1])
                at += 1
                continue
            for count in range(min(self._most_words, len(words) - at), 0, -1):
                phrase = " ".join(words[at : at + count])
                if (symbol := self._phrases.get(phrase)) is not None:
                    break
            else:
                phrase, count, symbol = words[at], 1, self._alone(words[at])
            yield Item(symbol, phrase)
            at += count

    def in_one_word(self, question: str) -> str:
        """A question with units of several words ("miles per hour") as units of one."""
        return self._unit_phrases.sub(lambda found: self.units[found[0]], plain(question))

    def knows(self, word: str) -> bool:
        """Return whether a word means something, a compound too."""
        word = re.sub(r"^(?:zweit|dritt)(?=[a-z]{4})", "", word)
        return word in self.known or (len(word) > 5 and self._alone(word) != "?")

    def means(self, word: str) -> bool:
        """Return whether a word is a symbol or part of a phrase that is one."""
        return self._alone(word) != "?" or word in self.known

    def says(self, word: str) -> bool:
        """Return whether a word has a meaning of its own, or none is known."""
        return (
            word not in self.known
            or word in self.units
            or self._phrases.get(word) not in ("THE", "IN", "BE", "I", None)
        )

    def mended(self, word: str) -> str:
        """A word that means nothing as the known one that it is a slip of; others as they are."""
        if (
            not word.isalpha()
            or not 3 <= len(word) <= MOST_LETTERS
            or word in self.known
            or self._alone(word) != "?"
        ):
            return word
        return next(iter(self._slips(word)), word)

    def guesses(self, word: str) -> list[str]:
        """The known words that an unknown one may stand for, the likeliest first: "brk" for "brake"."""
        from difflib import get_close_matches  # few questions have a word that means nothing

        likely = sorted(each for each in self.known if each[:1] == word[:1] and each.isalpha())
        if not re.search("[aeiouy]", word):
            short = [each for each in likely if re.sub("[aeiouy]", "", each) == word]
            return sorted(short, key=len)[:2]
        return get_close_matches(word, likely, 2, 0.75) if 4 < len(word) <= MOST_LETTERS else []

    @cached_property
    def _shorter(self) -> dict[str, tuple[str, ...]]:
        return by_shorter(self._long)

    def _slips(self, word: str) -> list[str]:
        near = one_off(word, self._shorter, self._long) if word.isalpha() else ()
        return sorted(
            each for each in near if each != word and _SHORTEST.get(slip_of(word, each), 99) <= len(each)
        )

    def _alone(self, word: str) -> str:
        """The symbols of a word by itself: one that is known, a stem with an ending, a compound; else "?"."""
        if len(word) > MOST_LETTERS:
            return "?"
        for known in (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("'s")):
            if known in self._phrases:
                return self._phrases[known]
        if (stem := self._stemmed(word)) is not None:
            return stem
        for cut in range(2, len(word) - 2):
            head, tail = self._part(word[:cut]), self._part(word[cut:])
            if head and tail and not {head, tail} & {"THE", "IN", "BE", "I", "OVER", "UNDER", "OR"}:
                return f"{head} {tail}"
        return "?"

    def _stemmed(self, word: str) -> str | None:
        return next(
            (self._stems[word[:at]] for at in range(len(word), 2, -1) if word[:at] in self._stems), None
        )

    def _part(self, part: str) -> str | None:
        """A part of a compound, "s" between the parts or not."""
        for each in (part, part.removesuffix("s"), part.removesuffix("n"), f"{part}e"):
            if each in self._phrases:
                return self._phrases[each]
        return self._stemmed(part) if len(part) > 3 else None


@cache
def lexicon() -> Lexicon:
    """The words of questions, made once."""
    return Lexicon(tables("ask"))


def _untold(file: Tables) -> dict[str, str]:
    return {f"UNTOLD:{name.replace(' ', '_')}": words for name, words in file["untold"].items()}


def tokens(question: str) -> list[str]:
    """The words and numbers of a question, plain and lower case; "lap5" in two."""
    return _TOKEN.findall(_GLUED.sub(" ", plain(question)))
