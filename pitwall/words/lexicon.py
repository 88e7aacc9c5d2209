"""What the words of a coach's phrase mean: the type of a lexicon, one lexicon a language beside this file.

A *sense* is one of a few dozen ids that all languages share: an action ("brake", "throttle", "turn"), a way
of doing it ("sooner", "less", "smooth", "not"), or what may be named on the way. What senses may stand
together is decided in `pitwall/coach/`; a word without a sense is no word of a coach.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

Form = tuple[str, ...]
"""One or more words in lower case, as they follow one another in a phrase."""


class Lexicon(NamedTuple):
    """One language. `senses`: form -> the senses it has, none for a word that changes nothing; articles may
    be left out of a form. `landmarks`: nouns that may be named only where the track has such a thing.
    `figures`: number words, which may be said only where the track has that number. `names_after`: words
    after which a bare number is a corner's. `kinds`: kind of a landmark in a track file -> what it is called.
    `forms`: a number -> the ways to say it. `examples`: key of a script -> a good phrase."""

    name: str
    senses: Mapping[Form, tuple[str, ...]]
    articles: frozenset[str]
    joints: frozenset[str]
    landmarks: frozenset[str]
    figures: frozenset[str]
    corner_words: tuple[str, ...]
    names_after: frozenset[str]
    kinds: Mapping[str, str]
    endings: tuple[str, ...]
    forms: Callable[[int], tuple[str, ...]]
    spoken_name: Callable[[str], str]
    examples: Mapping[str, str]

    def stem(self, word: str) -> str:
        """The word without the ending of its plural or its verb, so that "steps" is "step"."""
        ending = next(
            (each for each in self.endings if word.endswith(each) and len(word) > len(each) + 2), ""
        )
        return word.removesuffix(ending)


def sense_table(text: str) -> dict[Form, tuple[str, ...]]:
    """Read lines of `sense sense: form, form`; `-` stands for no sense. ValueError where two lines
    disagree."""
    table: dict[Form, tuple[str, ...]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        senses, _, forms = line.partition(":")
        meant = tuple(each for each in senses.split() if each != "-")
        for form in forms.split(","):
            words = tuple(form.casefold().split())
            if table.setdefault(words, meant) != meant:
                raise ValueError(f"{form.strip()!r} stands in two lines with two senses")
    return table


def word_set(text: str) -> frozenset[str]:
    """The words of a text, in lower case."""
    return frozenset(text.casefold().split())
