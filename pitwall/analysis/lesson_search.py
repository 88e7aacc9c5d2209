"""Full-text search over lessons: SQLite's FTS5 in memory where it is there, else the same rank by hand.

DuckDB's own full-text extension is a download, and a phone in a paddock has no network to download with.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing

from pitwall.coach.phrases import number_words
from pitwall.store.lessons import Lesson

MOST_FOUND = 5
# A question longer than this is a paste; SQLite's parser has a limit too.
_MOST_TERMS = 60
_TOKEN = re.compile(r"[^\W_]+")
_NUMBERS = {number_words(number): str(number) for number in range(1, 20)}
_TURN = re.compile(r"\b(?:turn|t|corner|number|no)\s*(\d+[a-z]?)\b")
# Words of every question, which would find every lesson. "lap" and "corner" say nothing here either.
_NOISE = frozenset(
    """a about after again am an and are at be been better can could did do does doing for from get go going
    got had has have how i if in is it just keep lap laps like lose losing me my need next of off on one or
    our should so than that the them then there these they this time to turn up us was we were what when where
    which who why will with work would you your corner corners lesson lessons learned know driver last session
    sessions seen""".split()  # noqa: SIM905
)
# The constants of the rank, as SQLite's bm25() has them.
_K1, _B = 1.2, 0.75


def search(lessons: Sequence[Lesson], words: str, most: int = MOST_FOUND) -> list[Lesson]:
    """The lessons that these words are about, the best first; none where none has any of them.

    Without words: those with the newest evidence. Retired ones are found as the others are.
    """
    asked = terms(words)[:_MOST_TERMS]
    if not words.strip():
        return sorted(lessons, key=lambda each: (-each.updated_utc_s, each.id))[:most]
    rank = _by_fts5 if asked and has_fts5() else _by_hand
    return [lessons[number] for number in rank([_document(each) for each in lessons], asked)][:most]


def terms(words: str) -> list[str]:
    """The telling words, as they are indexed: lower case and without endings, a turn with its number as one
    (`T7`, `turn seven`: turn7), other numbers left out, each once."""
    spelled = " ".join(_NUMBERS.get(token, token) for token in _TOKEN.findall(words.lower()))
    joined = _TURN.sub(r"turn\1", spelled)
    found = (_stem(token) for token in joined.split() if token not in _NOISE and not token.isdecimal())
    return list(dict.fromkeys(found))


def has_fts5() -> bool:
    """Whether this Python's SQLite was built with full-text search."""
    with closing(sqlite3.connect(":memory:")) as con:
        options = {str(option) for (option,) in con.execute("PRAGMA compile_options")}
    return "ENABLE_FTS5" in options


def _document(lesson: Lesson) -> str:
    return " ".join(terms(" ".join((lesson.text, lesson.words, lesson.kind, lesson.cause))))


def _stem(token: str) -> str:
    """Braking, brakes and brake are one word; so are spin, spins and spinning."""
    for end in ("ing", "ed", "es", "s", "e"):
        if len(token) - len(end) >= 3 and token.endswith(end):
            bare = token[: -len(end)]
            return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] else bare
    return token


def _by_fts5(documents: Sequence[str], asked: Sequence[str]) -> list[int]:
    """Numbers of the documents that have any of the terms, by bm25."""
    with closing(sqlite3.connect(":memory:")) as con:
        con.execute("CREATE VIRTUAL TABLE lessons USING fts5(words, tokenize = 'unicode61')")
        con.executemany("INSERT INTO lessons (rowid, words) VALUES (?, ?)", enumerate(documents))
        # In quotes every term is a plain word, whatever FTS5's query language would make of it.
        query = " OR ".join(f'"{term}"' for term in asked)
        found = con.execute(
            "SELECT rowid FROM lessons WHERE lessons MATCH ? ORDER BY bm25(lessons), rowid", [query]
        )
        return [int(number) for (number,) in found]


def _by_hand(documents: Sequence[str], asked: Sequence[str]) -> list[int]:
    """The same without FTS5."""
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
    # SQLite never lets a word that most have count against.
    return max(math.log((len(counts) - have + 0.5) / (have + 0.5)), 1e-6)


Ranker = Callable[[Sequence[str], Sequence[str]], list[int]]
RANKERS: dict[str, Ranker] = {"fts5": _by_fts5, "by hand": _by_hand}
