"""Full-text search over what was learned of a driver, and what he asked and was answered: SQLite's FTS5."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing

from pitwall.store.lessons import Lesson
from pitwall.words.language import ENGLISH

MOST_FOUND = 5
# A question with more terms is pasted text.
_MOST_TERMS = 60
_TOKEN = re.compile(r"[^\W_]+")
_NUMBERS = {ENGLISH.number_words(number): str(number) for number in range(1, 20)}
_TURN = re.compile(r"\b(?:turn|t|corner|number|no)\s*(\d+[a-z]?)\b")
# Words that stand in most questions and would find everything.
_NOISE = frozenset(
    """a about after again am an and are at be been better can could did do does doing for from get go going
    got had has have how i if in is it just keep lap laps like lose losing me my need next of off on one or
    our say said should so tell than that the them then there these they this time to told turn up us was we
    were what when where which who why will with work would you your corner corners lesson lessons learned
    know driver last session sessions seen""".split()  # noqa: SIM905
)


def best_matches(texts: Sequence[str], words: str, most: int = MOST_FOUND) -> list[int]:
    """Return the places of the texts about these words, the best match (by BM25) first."""
    import json  # neither is loaded in a drive
    import sqlite3

    own = [" ".join(terms(text)) for text in texts]
    asked = " OR ".join(terms(words)[:_MOST_TERMS])
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE VIRTUAL TABLE known USING fts5(words, tokenize = 'porter')")
        index.execute("INSERT INTO known SELECT value FROM json_each(?)", (json.dumps(own),))
        found = "SELECT rowid FROM known WHERE known MATCH ? ORDER BY rank, rowid LIMIT ?"
        return [row - 1 for (row,) in index.execute(found, (asked or '""', most))]


def lesson_words(lesson: Lesson) -> str:
    """Return what a lesson is found by."""
    return f"{lesson.text} {lesson.words} {lesson.kind} {lesson.cause}"


def search(lessons: Sequence[Lesson], words: str, most: int = MOST_FOUND) -> list[Lesson]:
    """Find lessons about these words, retired ones too; without words the newest."""
    if not words.strip():
        return sorted(lessons, key=lambda each: (-each.updated_utc_s, each.id))[:most]
    return [lessons[at] for at in best_matches([*map(lesson_words, lessons)], words, most)]


def terms(words: str) -> list[str]:
    """Return the distinctive words as indexed, a turn with its number as one: turn7."""
    spelled = " ".join(_NUMBERS.get(token, token) for token in _TOKEN.findall(words.lower()))
    joined = _TURN.sub(r"turn\1", spelled)
    return list(
        dict.fromkeys(f'"{each}"' for each in joined.split() if each not in _NOISE and not each.isdecimal())
    )
