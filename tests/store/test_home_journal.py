"""What no session's journal has outlives any damage of the database: it is in the home's journal first."""

from __future__ import annotations

import random
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import driven_home as driven
import duckdb
import pytest
from long_runs import some

from pitwall.api.changes import apply
from pitwall.config import Home
from pitwall.contract.changes import MarkLaps, Rename, Tag
from pitwall.drive.rebuild import rebuilder
from pitwall.store import jobs, queries
from pitwall.store.edits import SessionEdit, put_edit
from pitwall.store.home_journal import (
    TABLES,
    HomeJournal,
    RowChange,
    derived_from,
    read_content,
    rows_after,
    stored_rows,
)
from pitwall.store.schema import create
from pitwall.store.store import Store, recover

PAGE_BYTES = 4096
LESSON: dict[str, Any] = dict.fromkeys(TABLES["lessons"], "") | {
    "id": "l1",
    "kind": "fault",
    "track": "sonoma",
    "evidence": "[]",
    "verified": True,
    "created_utc_s": 1.7e9,
    "updated_utc_s": 1.7e9,
}


def turn(number: int, text: str) -> RowChange:
    row = dict(zip(TABLES["conversations"], (number, "one", 1.7e9, "driver", text, "{}"), strict=True))
    return RowChange("conversations", None, row)


@pytest.fixture(scope="module")
def said_home(demo_imported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An imported drive that was renamed and tagged, a lap of it marked; a lesson, a conversation, a job."""
    root = shutil.copytree(demo_imported, tmp_path_factory.mktemp("said") / "home")
    with driven.opened(Home(root)) as store:
        for change in (
            Rename(session="last", name="wet race"),
            Tag(session="last", add=("rain",)),
            MarkLaps(session="last", laps=(3,), mark="traffic"),
        ):
            apply(store, change)
        store.change(RowChange.over("lessons", "id", LESSON), turn(1, "Where?"))
        jobs.create(store, "voice_scripts")
    return root


def seen(store: Store) -> tuple[object, ...]:
    """What a driver sees of all of it."""
    [row] = queries.sessions(store)
    laps = [(lap.number, lap.kind) for lap in queries.laps(store, row.id)]
    with closing(store.cursor()) as con:
        return row.name, row.tags, row.best_lap_s, laps, stored_rows(con)


@pytest.mark.parametrize("block", some(range(12), 2))
def test_a_flipped_bit_in_the_database_loses_nothing(said_home: Path, tmp_path: Path, block: int) -> None:
    home = Home(shutil.copytree(said_home, tmp_path / "home"))
    with driven.opened(home) as store:
        before = seen(store)
    assert (*before[:2], before[3][3]) == ("wet race", ("rain",), (3, "traffic"))  # type: ignore[index]
    driven.flip_byte(home.database, random.Random(block), block * PAGE_BYTES + 1_700)
    with Store(home) as store:
        report = store.open()
        assert [aside.file for aside in report.set_aside] == ["pitwall.duckdb"]
        assert report.set_aside[0].line() in report.lines
        recover(store, rebuilder(home, store))
        assert seen(store) == before
    with Store(home) as store:
        assert store.open().lines == []


def changed_at_random(store: Store, count: int, chance: random.Random) -> list[RowChange]:
    made = []
    for number in range(count):
        key = f"k{chance.randrange(6)}"
        edit = {"session": key, "name": f"n{number}", "tags": ["a"], "driven_utc_s": None, "track": None}
        change = chance.choice(
            (
                RowChange.over("session_edits", "session", {**edit, "marks": "[]", "conditions": "{}"}),
                RowChange.over("lessons", "id", {**LESSON, "id": key}),
                RowChange("lessons", {"id": key}, None),
                turn(number, key),
                RowChange("conversations", {"text": key}, None),
            )
        )
        store.change(change)
        made.append(change)
    return made


def in_order(rows: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    return {table: sorted(map(str, rows[table])) for table in TABLES}


def test_the_database_has_what_its_changes_make_and_is_made_again_of_them(home: Home) -> None:
    with driven.opened(home) as store:
        wanted = in_order(rows_after({}, changed_at_random(store, 200, random.Random(1))))
        store.flush()
        assert in_order(stored_rows(store.cursor())) == wanted
    before = home.home_journal.stat().st_size
    HomeJournal(home.home_journal).compact(always=True)  # killed before the database was told
    assert home.home_journal.stat().st_size < before / 2
    with driven.opened(home) as store:
        assert in_order(stored_rows(store.cursor())) == wanted
    home.database.unlink()
    with driven.opened(home) as store:
        assert in_order(stored_rows(store.cursor())) == wanted


def test_what_was_written_before_a_kill_is_in_the_database_after_it(home: Home) -> None:
    """A torn end is cut: nobody was told that it is there."""
    with driven.opened(home) as store:
        store.change(turn(1, "first"))
    with home.home_journal.open("ab") as file:
        file.write(turn(2, "second").encoded() + turn(3, "torn").encoded()[:-1])
    with Store(home) as store:
        (aside,) = store.open().set_aside
        assert "torn end of" in aside.reason
        assert [row["text"] for row in stored_rows(store.cursor())["conversations"]] == ["first", "second"]
        store.change(turn(4, "fourth"))
    assert len(read_content(home.home_journal.read_bytes()).changes) == 3
    with Store(home) as store:
        assert store.open().lines == []


@pytest.mark.parametrize("damage", ["removed", "cut", "flipped"])
@pytest.mark.parametrize("database", ["whole", "gone"])
def test_a_damaged_journal_of_the_home_keeps_what_can_be_read(home: Home, damage: str, database: str) -> None:
    with driven.opened(home) as store:
        for number in range(20):
            store.change(turn(number, f"turn {number}"))
            store.flush()
    data = home.home_journal.read_bytes()
    if damage == "removed":
        home.home_journal.unlink()
    else:
        middle = read_content(data).changes[10][0]
        kept = data[:middle] if damage == "cut" else data[: middle + 20] + b"?" + data[middle + 21 :]
        home.home_journal.write_bytes(kept)
    if database == "gone":
        home.database.unlink()
    with Store(home) as store:
        lines = store.open().lines
        left = len(stored_rows(store.cursor())["conversations"])
        assert derived_from(store.cursor())[0] == home.home_journal.stat().st_size
    assert left == (20 if database == "whole" else {"removed": 0, "cut": 10, "flipped": 19}[damage])
    if database == "whole":
        assert any("what it and the database have is written again" in line for line in lines)
    with Store(home) as store:
        assert store.open().lines == []


EDIT = "INSERT INTO session_edits VALUES (?, ?, ['rain'], 1.5, NULL, '[]')"


def of_an_older_pitwall(home: Home, **names: str) -> None:
    """Put a database of a version without the home's journal in its place, with these sessions' names."""
    home.database.unlink(missing_ok=True)
    with duckdb.connect(str(home.database)) as con:
        create(con)
        con.execute("UPDATE schema_version SET version = 7; DROP TABLE home_journal; DROP TABLE aims")
        con.execute("ALTER TABLE session_edits DROP COLUMN conditions")
        for session, name in names.items():
            con.execute(EDIT, [session, name])
        con.execute("INSERT INTO conversations VALUES (1, 'a', 1.7e9, 'driver', 'Where?', '{}')")
        con.execute("INSERT INTO agent_events VALUES ('j', 1.7e9, 'coach', 'answer', '{}')")
    home.database.with_name("pitwall.duckdb.seal").unlink(missing_ok=True)


def test_an_older_home_gets_its_journal_and_may_go_back_and_forth(home: Home) -> None:
    """Rolled back to the database of before the update, what was said with either version is there."""
    home.prepare()
    of_an_older_pitwall(home, a="wet", b="dry")
    with driven.opened(home) as store:
        before = stored_rows(store.cursor())
        assert before["session_edits"][0]["tags"] == ["rain"]
    home.database.unlink()
    with driven.opened(home) as store:
        assert stored_rows(store.cursor()) == before
        put_edit(store, SessionEdit(session="a", name="said after the update"))
    of_an_older_pitwall(home, a="wet", b="said after going back", c="new")
    for _ in range(2):
        with Store(home) as store:
            store.open()
            rows = stored_rows(store.cursor())
            names = {row["session"]: row["name"] for row in rows["session_edits"]}
            assert names == {"a": "said after the update", "b": "said after going back", "c": "new"}
            assert [len(rows[each]) for each in ("conversations", "agent_events")] == [1, 1]
        home.database.unlink()
