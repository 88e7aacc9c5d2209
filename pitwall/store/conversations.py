"""What drivers asked and were answered: the one place that keeps a driver's own words."""

from __future__ import annotations

import itertools
import time

import msgspec

from pitwall.contract.events import Answer
from pitwall.contract.messages import Turn
from pitwall.store.home_journal import TABLES, RowChange
from pitwall.store.queries import Readable, Writable, rows

# Older turns don't explain "and the next corner?".
RECENT_S = 600.0
MOST_TURNS = 6
# Older ones are not searched.
MOST_SEARCHED = 2_000


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """How far a coach's text can be trusted."""

    agent: str = ""
    tier: str = ""
    verdict: str = ""
    unverified: bool = False
    took_s: float = 0.0


class ToldBefore(msgspec.Struct, frozen=True):
    """A question about a session and its answer."""

    session: str
    at_utc_s: float
    asked: str
    answer: str


def keep_turns(store: Writable, session: str, question: str, answer: Answer) -> None:
    """Keep a question with its answer. StoreError."""
    said = msgspec.convert(answer, Said, from_attributes=True)
    number, now_s = time.time_ns(), time.time()
    turns = (("driver", question, "{}"), ("coach", answer.text, msgspec.json.encode(said).decode()))
    for place, (role, text, detail) in enumerate(turns):
        row = (number + place, session, now_s, role, text, detail)
        store.change(RowChange("conversations", None, dict(zip(TABLES["conversations"], row, strict=True))))
    # The next question may be about this answer.
    store.commit("the question and its answer")


def recent_turns(store: Readable, session: str, now_utc_s: float) -> tuple[Turn, ...]:
    """Return the last verified turns of this session, the oldest first. StoreError."""
    sql = (
        "SELECT session, role, text, detail FROM conversations WHERE at_utc_s BETWEEN ? AND ? "
        "ORDER BY id DESC LIMIT ?"
    )
    last = rows(store, sql, [now_utc_s - RECENT_S, now_utc_s, MOST_TURNS])
    found = [
        (role, text, msgspec.json.decode(detail, type=Said))
        for _, role, text, detail in itertools.takewhile(lambda row: row[0] == session, last)
    ]
    return tuple(Turn(role, text) for role, text, trust in reversed(found) if not trust.unverified)


def told_before(store: Readable) -> list[ToldBefore]:
    """Return verified questions and answers of stored sessions, newest first. StoreError."""
    sql = (
        "SELECT asked.session, asked.at_utc_s, asked.text, said.text, said.detail FROM conversations asked "
        "JOIN conversations said ON said.id = asked.id + 1 AND said.session = asked.session "
        "WHERE asked.role = 'driver' AND said.role = 'coach' AND asked.session IN (SELECT id FROM sessions) "
        "ORDER BY asked.id DESC LIMIT ?"
    )
    found = rows(store, sql, [MOST_SEARCHED])
    return [
        ToldBefore(*row) for *row, detail in found if not msgspec.json.decode(detail, type=Said).unverified
    ]
