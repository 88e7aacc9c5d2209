"""The second stage of routing: a linear classifier over words, their letters, pairs, senses and length.

Multinomial logistic regression, weights in intent_model.json beside this file, made by scripts/train_intents.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import exp, sqrt
from pathlib import Path

import msgspec

from pitwall.paddock.phrase_match import Matcher, is_number
from pitwall.paddock.questions.question_words import MOST_SEEN

MODEL = Path(__file__).with_name("intent_model.json")
# The number of terms that are reported as the reason.
TERMS_TOLD = 4
# Weights are kept in hundredths.
WEIGHT_PARTS = 100
SENSE = "@"
# Groups of four letters, "^" before the first, which recognise related words and typing mistakes.
LETTERS = "%"
LETTERS_LONG = 4
# The length of a question in groups of three words. Longer questions count as this long.
LONGEST = 4
# Shorter words are left whole when endings are cut.
SHORTEST_STEM = 3
_ENDINGS = ("ingly", "ations", "ation", "ings", "ing", "edly", "ed", "es", "ly", "s", "e")


def _read_senses() -> dict[str, str]:
    """Sense -> patterns, in the order of senses.txt: `[sense]`, then patterns of phrase_match.py.

    A sense stands for many words, so that the classifier knows words that it never met.
    """
    senses: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in MODEL.with_name("senses.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = senses.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            lines.append(line)
    return {f"{SENSE}{sense}": " ".join(lines) for sense, lines in senses.items()}


_SENSE_PATTERNS = _read_senses()
_SENSE_NAMES = tuple(_SENSE_PATTERNS)
_SENSES = Matcher([(patterns, "") for patterns in _SENSE_PATTERNS.values()])


class Guess(msgspec.Struct, frozen=True):
    """The likeliest label, its probability 0..1, the terms that spoke most for it, whether that is enough."""

    label: str
    confidence: float
    terms: tuple[str, ...]
    sure: bool


class IntentModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`terms`: for each term its weight for each label, in hundredths; `bias` is in wholes.

    `threshold`: the least probability that decides.
    """

    labels: tuple[str, ...]
    threshold: float
    bias: tuple[float, ...]
    terms: dict[str, tuple[int, ...]]

    def classify(self, words: list[str]) -> Guess:
        """The label of a question read by intents.read."""
        weights = self.terms
        known = [term for term in terms_of(words) if term in weights]
        rows = [weights[term] for term in known]
        scores: Sequence[float] = self.bias
        if known:
            scale = scale_of(len(known)) / WEIGHT_PARTS
            sums = map(sum, zip(*rows, strict=True))
            scores = [bias + scale * total for bias, total in zip(self.bias, sums, strict=True)]
        top = max(scores)
        best = scores.index(top)
        confidence = 1.0 / sum([exp(score - top) for score in scores])
        spoke = [(-row[best], term) for row, term in zip(rows, known, strict=True) if row[best] > 0]
        told = sorted([weighed for weighed in spoke if weighed[1][0] != LETTERS] or spoke)
        terms = tuple([term for _, term in told[:TERMS_TOLD]])
        return Guess(self.labels[best], confidence, terms, confidence >= self.threshold and bool(terms))


def scale_of(terms: int) -> float:
    """What each term counts: a long question is no surer than a short one that says the same."""
    return 1.0 / sqrt(terms) if terms else 0.0


def terms_of(words: list[str]) -> list[str]:
    """The terms of a question, each once, in a fixed order: length, stems, pairs, senses, letters."""
    stems = list(map(stem, words))
    marked = ["^", *stems, "$"]
    length = f"#{min(len(words) // 3, LONGEST)}"
    pairs = [f"{word} {following}" for word, following in pairwise(marked)]
    apart = [f"{word} .. {later}" for word, later in zip(marked, marked[2:], strict=False)]
    senses = [_SENSE_NAMES[row] for row in _SENSES.all(words)]
    letters = [part for word in words for part in letters_of(word)]
    return list(dict.fromkeys([length, *stems, *pairs, *apart, *senses, *letters]))


@lru_cache(MOST_SEEN)
def stem(word: str) -> str:
    """The word without its ending: "braking", "brakes" and "brake" are one, and so are all numbers."""
    if is_number(word):
        return "<n>"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word[: -len(ending)]
    return word


@lru_cache(MOST_SEEN)
def letters_of(word: str) -> tuple[str, ...]:
    """Every four letters in a row of a word, its beginning marked; none of a short word or a number."""
    if len(word) < LETTERS_LONG or not word[0].isalpha():
        return ()
    marked = f"^{word}"
    return tuple(LETTERS + marked[i : i + LETTERS_LONG] for i in range(len(marked) - LETTERS_LONG + 1))


@cache
def shipped_model() -> IntentModel:
    """The model that ships with the package, read once. ValueError where the file is missing or damaged."""
    try:
        return msgspec.json.decode(MODEL.read_bytes(), type=IntentModel)
    except (OSError, msgspec.MsgspecError) as error:
        raise ValueError(f"{MODEL}: {error}; make it again with scripts/train_intents") from error
