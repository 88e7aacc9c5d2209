"""The SQL gate against a list of attacks, in a process whose memory is measured; and honest questions."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import driven_home as driven
import pytest
import sql_lists
from sql_lists import ATTACKS, HONEST

from pitwall.config import Home
from pitwall.store.sqlanswer import MOST_ANSWER_CHARS, MOST_ROWS, Refusal, SqlAnswer
from pitwall.store.sqlgate import STARTING
from pitwall.store.store import Store

# Of an answer of 400,000 characters; what is asked takes nothing of the process that asks.
MOST_MB = 4
# An attack that hangs would hold the child for ever: the list takes a minute, under load eight.
CHILD_S = 900
# What is not the database's.
MACHINE = ("/etc/", "/tmp/", "getenv", "checkpoint", "secret", "https:", "s3:", "DROP")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lists") / "home"
    with driven.opened(Home(root)) as store:
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


@pytest.mark.long
def test_every_attack_was_met_and_nothing_changed(outcomes: list[dict[str, object]]) -> None:
    assert [outcome.get("number") for outcome in outcomes[:-1]] == list(range(len(ATTACKS)))
    assert [outcome for outcome in outcomes if outcome.get("reason") == STARTING] == []
    assert outcomes[-1] == {"laps": 11}


@pytest.mark.long
def test_no_attack_takes_more_memory_than_it_may(outcomes: list[dict[str, object]]) -> None:
    assert [outcome for outcome in outcomes[:-1] if int(str(outcome["grew_mb"])) > MOST_MB] == []


@pytest.mark.long
def test_what_is_answered_is_short(outcomes: list[dict[str, object]]) -> None:
    answered = [outcome for outcome in outcomes[:-1] if not outcome["reason"]]
    assert all(int(str(one["rows"])) <= MOST_ROWS for one in answered)
    assert all(int(str(one["chars"])) <= 2 * MOST_ANSWER_CHARS for one in answered)
    assert len(answered) < len(outcomes) / 3


@pytest.mark.parametrize("sql", [sql for sql in ATTACKS if any(mark in sql for mark in MACHINE)])
def test_no_attack_reads_a_file_or_the_machine(store: Store, sql: str) -> None:
    answer = driven.asked(store, sql)
    assert isinstance(answer, Refusal), answer


@pytest.fixture(scope="module")
def store(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    # A copy: one process holds the file.
    root = shutil.copytree(home, tmp_path_factory.mktemp("asked") / "home")
    with driven.opened(Home(root)) as made:
        yield made


@pytest.mark.parametrize("sql", HONEST)
def test_honest_questions_are_answered(store: Store, sql: str) -> None:
    answer = driven.asked(store, sql)
    assert isinstance(answer, SqlAnswer), answer.reason
    assert answer.columns


def test_a_time_with_its_zone_comes_as_text(store: Store) -> None:
    answer = driven.asked(store, 'SELECT to_timestamp(0) AS "the ""start""", 1 AS one')
    assert isinstance(answer, SqlAnswer)
    assert answer.columns == ('the "start"', "one")
    assert "19" in str(answer.rows[0][0])
