"""Full-text search over lessons, ranked by BM25.

DuckDB's full-text extension is a download, for which a phone in a paddock has no network.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from pitwall.store.lessons import Lesson
from pitwall.words.language import ENGLISH

MOST_FOUND = 5
# A question with more terms is pasted text.
_MOST_TERMS = 60
_TOKEN = re.compile(r"[^\W_]+")
_NUMBERS = {ENGLISH.number_words(number): str(number) for number in range(1, 20)}
_TURN = re.compile(r"\b(?:turn|t|corner|number|no)\s*(\d+[a-z]?)\b")
# Words that stand in most questions and would find every lesson.
_NOISE = frozenset(
    """a about after again am an and are at be been better can could did do does doing for from get go going
    got had has have how i if in is it just keep lap laps like lose losing me my need next of off on one or
    our should so than that the them then there these they this time to turn up us was we were what when where
    which who why will with work would you your corner corners lesson lessons learned know driver last session
    sessions seen""".split()  # noqa: SIM905
)
# The usual constants of BM25.
_K1, _B = 1.2, 0.75


def search(lessons: Sequence[Lesson], words: str, most: int = MOST_FOUND) -> list[Lesson]:
    """The lessons that these words are about, the best first; none where none has any of them.

    Without words: those with the newest evidence. Retired ones are found as the others are.
    """
    asked = terms(words)[:_MOST_TERMS]
    if not words.strip():
        return sorted(lessons, key=lambda each: (-each.updated_utc_s, each.id))[:most]
    return [lessons[number] for number in _ranked([_document(each) for each in lessons], asked)][:most]


def terms(words: str) -> list[str]:
    """The telling words, as they are indexed: lower case and without endings, a turn with its number as one
    (`T7`, `turn seven`: turn7), other numbers left out, each once."""
    spelled = " ".join(_NUMBERS.get(token, token) for token in _TOKEN.findall(words.lower()))
    joined = _TURN.sub(r"turn\1", spelled)
    found = (_stem(token) for token in joined.split() if token not in _NOISE and not token.isdecimal())
    return list(dict.fromkeys(found))


def _document(lesson: Lesson) -> str:
    return " ".join(terms(" ".join((lesson.text, lesson.words, lesson.kind, lesson.cause))))


def _stem(token: str) -> str:
    """The word without its ending, so that braking, brakes and brake are one word."""
    for end in ("ing", "ed", "es", "s", "e"):
        if len(token) - len(end) >= 3 and token.endswith(end):
            bare = token[: -len(end)]
            return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] else bare
    return token


def _ranked(documents: Sequence[str], asked: Sequence[str]) -> list[int]:
    """Numbers of the documents that have any of the terms, the best first."""
    counts = [Counter(document.split()) for document in documents]
    usual = sum(sum(count.values()) for count in counts) / max(len(counts), 1)

    def score(count: Counter[str]) -> float:
        length = sum(count.values()) / usual
        return sum(
            _rarity(counts, term) * count[term] * (_K1 + 1.0) / (count[term] + _K1 * (1.0 - _B + _B * length))
            for term in asked
            if count[term]
        )

    scores = [score(count) for count in counts]
    return sorted((at for at, each in enumerate(scores) if each > 0.0), key=lambda at: (-scores[at], at))


def _rarity(counts: Sequence[Counter[str]], term: str) -> float:
    have = sum(1 for count in counts if count[term])
    # A word that most documents have never counts against one.
    return max(math.log((len(counts) - have + 0.5) / (have + 0.5)), 1e-6)
