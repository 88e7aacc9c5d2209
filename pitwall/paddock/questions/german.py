"""Questions in German, turned into the English words that the reader and the routing know.

Word by word, in the order of the question: both look for words and short phrases, not for grammar. A
compound is taken apart ("Bremspunkt" is a brake point), endings are left off, and what is not known stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from pitwall.ask.question_words import (
    LONGEST_CHARS,
    by_shorter,
    one_off,
    plain,
    slip_of,
    word_list,
)
from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.figure_words import MEASURES
from pitwall.paddock.questions.german_talk import TALK
from pitwall.paddock.questions.german_words import PARTS, PHRASES, WORDS
from pitwall.words.language import language

# Words of both languages that the vocabulary does not have; and such as decide that a question is English.
_BOTH = frozenset(
    word_list(
        """war hat man rest bin will stand pit art kind hier tag ton box tank die line gift minute je stuck
        pack roll press leg find denk da hol"""
    )
)
_ENGLISH = frozenset(
    word_list("the of my i is what how did do where which when why and or to for with on at than were are it")
)
_ENDINGS = ("", *word_list("e n s r m t en er es em st te ten ern nen ste sten ster esten este"))
# A shorter word has too many others near it.
SHORTEST_STEM = 3
_SUPERLATIVE = re.compile(r"[a-z]{4}ste[nrsm]?$")
_TOKEN = re.compile(r"[a-z]+")
_FUSED = {"ae": "a", "oe": "o", "ue": "u"}


@cache
def _table(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for row in text.strip().splitlines():
        english, _, german = row.partition(":")
        for word in german.split():
            found.setdefault(plain(word), english.replace("_", " ").strip())
    return found


@cache
def _words() -> dict[str, str]:
    numbers = {plain(language("de").number_words(number)): str(number) for number in range(2, 21)}
    return numbers | _table(WORDS)


@cache
def _stems() -> frozenset[str]:
    """The known words and parts of compounds."""
    return frozenset((*_words(), *_table(PARTS)))


@cache
def _by_shorter() -> dict[str, frozenset[str]]:
    return by_shorter(_stems(), SHORTEST_STEM + 1)


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = (*TALK, *PHRASES)
    return tuple((re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"), meant.upper()) for pattern, meant in rows)


def in_english(question: str, names: Iterable[str] = ()) -> str:
    """The question as it was typed where it is not German, else in plain English words. `names`: words that
    stay, those of the track's corners."""
    text = plain(question[:LONGEST_CHARS])
    kept = frozenset(names)
    if not _is_german(_TOKEN.findall(text), kept):
        return question
    text = _TOKEN.sub(lambda found: _spelled(found[0], kept), text)
    for pattern, meant in _phrases():
        text = pattern.sub(meant, text)
    # What a phrase has put there stands in capitals, and is no German any more.
    return _TOKEN.sub(lambda found: found[0] if found[0] in kept else _meant(found[0]), text).lower()


def _is_german(words: list[str], kept: frozenset[str]) -> bool:
    asked = [word for word in words if word not in kept]
    own = sum(word not in _BOTH and word not in english_words() and _is_known(word) for word in asked)
    return own > sum(word in _ENGLISH for word in asked)


@cache
def english_words() -> frozenset[str]:
    """Every word of the English vocabulary."""
    rows = (*MEASURES, *say.WHICH, *say.LAPS, *say.SEARCHED, *say.UNTOLD, *say.SESSIONS)
    patterns = (*(row.pattern for row in rows), say.COACHING, say.SAID, say.THIS_SESSION, say.FOLLOWS)
    return say.IDLE | {word for pattern in patterns for word in _TOKEN.findall(pattern)}


def _is_known(word: str) -> bool:
    """Without the endings, but that of a superlative: "under" is not "und" with one."""
    word = _unfused(word)
    return word in _words() or bool(_compound(word)) or bool(_SUPERLATIVE.search(word) and _stemmed(word))


def _unfused(word: str) -> str:
    """ "Hoechste" is "höchste" to somebody without umlauts on the keyboard."""
    if word in _words():
        return word
    other = re.sub("ae|oe|ue", lambda found: _FUSED[found[0]], word)
    return other if other != word and _stemmed(other) else word


def _spelled(word: str, kept: frozenset[str]) -> str:
    """With a slip mended, where the word as typed means nothing and all that it may be means the same."""
    if word in kept:
        return word
    word = _unfused(word)
    if _meant(word) != word or word in english_words() or len(word) <= SHORTEST_STEM:
        return word
    near = _near(word)
    return near[0] if len({_meant(each) for each in near}) == 1 else word


def _near(word: str) -> list[str]:
    """Words with a meaning that this one may be: one slip in it, in its stem or in a part of a compound, or a
    space is missing."""
    found = [
        f"{word[:at]} {word[at:]}"
        for at in range(2, len(word) - 1)
        if all(_stemmed(part) or part == "in" for part in (word[:at], word[at:]))
    ]
    for ending in _ENDINGS:
        stem = word.removesuffix(ending) if ending else word
        found += [f"{each}{ending}" for each in _slipped(stem) if stem != word or not ending]
    for at in range(SHORTEST_STEM, len(word) - SHORTEST_STEM + 1):
        found += [f"{each}{word[at:]}" for each in _slipped(word[:at])]
        found += [f"{word[:at]}{each}" for each in _slipped(word[at:])]
    return [each for each in dict.fromkeys(found) if " " in each or _stemmed(each) or _compound(each)]


def _slipped(word: str) -> set[str]:
    """The known words of which this one is a slip."""
    if len(word) < SHORTEST_STEM:
        return set()
    near = one_off(word, _by_shorter(), _stems())
    return {each for each in near if each != word and slip_of(word, each)}


def _stemmed(word: str) -> str:
    """What a word means without its ending, "" where that is not known."""
    known = _words()
    for ending in _ENDINGS:
        stem = word.removesuffix(ending) if ending else word
        if (stem != word or not ending) and len(stem) > 1 and stem in known:
            return known[stem]
    return ""


def _meant(word: str) -> str:
    return _stemmed(word) or " ".join(_compound(word)) or word


@cache
def _compound(word: str) -> tuple[str, ...]:
    """The English words of a compound, () where it is not made of known parts."""
    parts = _table(PARTS)
    for end in range(len(word) - 2, 1, -1):
        head = parts.get(word[:end]) or parts.get(word[:end].removesuffix("s"))
        if not head:
            continue
        tail = word[end:]
        rest = (parts[tail],) if tail in parts else _compound(tail)
        if rest:
            return (head, *rest)
    return ()
