"""The SQL gate against a list of attacks, in a process whose memory is measured; and honest questions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import driven_home as driven
import pytest
import sql_lists
from sql_lists import ATTACKS, HONEST

from pitwall.config import Home
from pitwall.store.sqlgate import MOST_ANSWER_CHARS, MOST_ROWS, Refusal, SqlAnswer, ask
from pitwall.store.store import Store

MOST_MB = 64
# An attack that hangs would hold the child for ever: the whole list takes half a minute.
CHILD_S = 240


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lists") / "home"
    with Store(Home(root)) as store:
        store.open()
        driven.write_session(store, "one", 1200)
    return root


@pytest.fixture(scope="module")
def outcomes(home: Path) -> list[dict[str, object]]:
    ran = subprocess.run(
        [sys.executable, sql_lists.__file__, str(home)],
        capture_output=True,
        text=True,
        timeout=CHILD_S,
        check=True,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_the_lists_are_long_enough() -> None:
    assert len(set(ATTACKS)) == len(ATTACKS) >= 60
    assert len(set(HONEST)) == len(HONEST) >= 30


def test_every_attack_was_met_and_nothing_changed(outcomes: list[dict[str, object]]) -> None:
    assert [outcome.get("number") for outcome in outcomes[:-1]] == list(range(len(ATTACKS)))
    assert outcomes[-1] == {"laps": 11}


def test_no_attack_takes_more_memory_than_it_may(outcomes: list[dict[str, object]]) -> None:
    assert [outcome for outcome in outcomes[:-1] if int(str(outcome["grew_mb"])) > MOST_MB] == []


def test_what_is_answered_is_short(outcomes: list[dict[str, object]]) -> None:
    answered = [outcome for outcome in outcomes[:-1] if not outcome["reason"]]
    assert all(int(str(one["rows"])) <= MOST_ROWS for one in answered)
    assert all(int(str(one["chars"])) <= 2 * MOST_ANSWER_CHARS for one in answered)
    assert len(answered) < len(ATTACKS) / 4


def test_no_attack_reads_a_file_or_the_machine(outcomes: list[dict[str, object]]) -> None:
    marks = ("/etc/", "/tmp/", "getenv", "setting", "query", "checkpoint", "secret", "https:", "s3:", "DROP")
    reaching = [one for one in outcomes[:-1] if any(mark in str(one["sql"]) for mark in marks)]
    assert len(reaching) >= 25
    assert [one for one in reaching if not one["reason"]] == []


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT len(range(100000000))", "plain bounds"),
        ("SELECT max(len(l || l || l)) FROM (SELECT list(t) l FROM frames)", "too often"),
        ("SELECT len(l + l + l) FROM (SELECT list(t) l FROM frames)", "too often"),
        ("SELECT list(lap) AS l, len(l || l || l) FROM laps", "too often"),
        ("SELECT list_transform(l, lambda x: l) FROM (SELECT list(t) l FROM frames)", "only its own"),
        ("SELECT list_transform([1], lambda x: list_transform([2], lambda y: y))", "in a lambda"),
        ("SELECT list_transform([1], lambda x: '" + "x" * 60 + "')", "a text in a lambda"),
        ("SELECT replace(s, 'x', s) FROM (SELECT 'x' AS s)", "plain text"),
        ("SELECT string_split(string_agg(kind, ','), ',') FROM laps", "gathered from many rows"),
        ("SELECT rpad(kind, lap, ' ') FROM laps", "plain length"),
        ("SELECT printf(kind, lap) FROM laps", "plain pattern"),
        ("SELECT format('{:{}}', 1, 100000000)", "plain pattern"),
        ("SELECT repeat(repeat('x', 100), 100)", "too often"),
        ("SELECT '9'::BIGNUM", "BIGNUM"),
        ("SELECT '" + "x" * 4001 + "'", "a text of 4001"),
        ("SELECT * FROM 'laps.csv/../x'", "files can't be read"),
        ("SELECT levenshtein('a', 'b')", "can't be stopped"),
        ("SELECT nextval('s')", "outside the answer"),
        ("SELECT " + ", ".join(f"{i} AS c{i}" for i in range(401)), "401 columns"),
        ("SELECT * FROM " + "(SELECT * FROM " * 500 + "laps" + ")" * 500, "too deeply"),
        ("SELECT kind, string_agg(repeat('x', 1000), '') FROM laps, range(45) GROUP BY 1", "longer than"),
    ],
)
def test_what_could_swell_is_told_how_to_ask(store: Store, sql: str, reason: str) -> None:
    refusal = ask(store, sql)
    assert isinstance(refusal, Refusal), refusal
    assert reason in refusal.reason


@pytest.fixture(scope="module")
def store(home: Path, outcomes: list[dict[str, object]]) -> Iterator[Store]:
    # After the child is done with it: one process holds the file.
    with Store(Home(home)) as opened:
        opened.open()
        yield opened


@pytest.mark.parametrize("sql", HONEST)
def test_honest_questions_are_answered(store: Store, sql: str) -> None:
    answer = ask(store, sql)
    assert isinstance(answer, SqlAnswer), answer.reason
    assert answer.columns


def test_a_time_with_its_zone_comes_as_text(store: Store) -> None:
    answer = ask(store, 'SELECT to_timestamp(0) AS "the ""start""", 1 AS one')
    assert isinstance(answer, SqlAnswer)
    assert answer.columns == ('the "start"', "one")
    assert "19" in str(answer.rows[0][0])
