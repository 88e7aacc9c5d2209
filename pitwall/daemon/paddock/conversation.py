"""What was said in the paddock: the one place that keeps a driver's own words."""

from __future__ import annotations

import time
from contextlib import closing

import duckdb
import msgspec

from pitwall.contract.events import Answer, told
from pitwall.contract.messages import Turn
from pitwall.store.errors import StoreError
from pitwall.store.store import Store

# What was said longer ago than a walk round the car does not explain "and the next corner?".
RECENT_S = 600.0
MOST_TURNS = 6


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """`detail` of a coach's row: how far the text can be trusted."""

    agent: str
    tier: str
    verdict: str
    unverified: bool
    took_s: float


class _Trust(msgspec.Struct, frozen=True):
    """Of any row's `detail`: a driver's has none."""

    unverified: bool = False


def _trust(detail: str) -> _Trust:
    return msgspec.json.decode(detail, type=_Trust)


def keep(store: Store, session: str, question: str, answer: Answer) -> None:
    """Keep a question with its answer. `session`: "" where there is none. StoreError."""
    said = Said(
        agent=answer.agent,
        tier=answer.tier,
        verdict=answer.verdict,
        unverified=answer.unverified,
        took_s=answer.took_s,
    )
    number, now_s = time.time_ns(), time.time()
    rows = (("driver", question, "{}"), ("coach", answer.text, msgspec.json.encode(said).decode()))
    for place, (role, text, detail) in enumerate(rows):
        store.put(
            "INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?)",
            [number + place, session, now_s, role, text, detail],
        )
    # The next question may be about this answer.
    if not store.flush():
        raise StoreError(f"{store.home.database} can't be written: {store.stats().last_error}")


def recent(store: Store, now_utc_s: float) -> tuple[Turn, ...]:
    """The last turns of a conversation that is still going on, the oldest first. StoreError.

    An unverified answer says so, as it did on the screen.
    """
    sql = (
        "SELECT role, text, detail FROM conversations WHERE at_utc_s BETWEEN ? AND ? ORDER BY id DESC LIMIT ?"
    )
    with closing(store.cursor()) as cursor:
        try:
            rows = cursor.execute(sql, [now_utc_s - RECENT_S, now_utc_s, MOST_TURNS]).fetchall()
        except duckdb.Error as error:
            raise StoreError(f"{store.home.database} can't be read: {error}") from error
    return tuple(Turn(role, told(text, _trust(detail).unverified)) for role, text, detail in reversed(rows))
