"""Lessons in DuckDB: from simulated sessions with known mistakes, and through every start."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from club import club_circuit
from lesson_drives import NAMES, session
from stored_facts import WritableStoreFacts

from pitwall.analysis.lessons import changed_lessons, judge
from pitwall.analysis.report import profile_events
from pitwall.cli import main
from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import Mistake, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.home_journal import RowChange
from pitwall.store.lessons import Lesson, put_lessons
from pitwall.store.store import Store

SLOW = {"turn_7": "more_apex_speed"}
LEARNED = judge([*session(0, faults=SLOW), *session(1, faults=SLOW)], [], NAMES)
RETIRED = judge([*session(0, faults=SLOW), *session(1, faults=SLOW), *session(2)], [], NAMES)


def promoted(facts: WritableStoreFacts) -> list[Lesson]:
    """Judge all sessions anew and store the lessons that changed."""
    changed = changed_lessons(facts)
    facts.put_lessons(changed)
    return changed


def simulated(store: Store, tmp_path: Path, day: int, *mistakes: Mistake) -> str:
    """One more day at the club circuit, driven and imported; the session's id."""
    club = club_circuit()
    path = tmp_path / f"day{day}.vbo"
    plan = SimulationPlan(laps=5, mistakes=mistakes, seed=day + 1, start_utc_s=1.75e9 + day * 86_400.0)
    simulate_to_file(club, plan, "vbo", path)
    return import_file(path, store.home, store).session


def drive(store: Store, tmp_path: Path, day: int, *mistakes: Mistake) -> None:
    """The same, judged as the profile job does it."""
    session_id = simulated(store, tmp_path, day, *mistakes)
    facts = WritableStoreFacts(store)
    row = next(row for row in facts.sessions() if row.id == session_id)
    facts.put_events(row.id, profile_events(facts, row))


@pytest.mark.long
def test_a_mistake_on_two_days_is_learned_and_unlearned_by_the_third(home: Home, tmp_path: Path) -> None:
    (home.track_data / "club.json").write_bytes(msgspec.json.encode(club_circuit()))
    mistake = Mistake("turn_4", "overslow", 3.0, 3, 5)
    with Store(home) as store:
        store.open()
        facts = WritableStoreFacts(store)
        drive(store, tmp_path, 0, mistake)
        assert promoted(facts) == []
        drive(store, tmp_path, 1, mistake)
        (lesson,) = (each for each in promoted(facts) if each.corner == "turn_4")
        assert (lesson.kind, lesson.track, lesson.active) == ("fault", "club", True)
        assert len({each.session for each in lesson.evidence}) == 2
        assert all(each.seconds is not None and each.seconds > 0.1 for each in lesson.evidence)
        assert promoted(facts) == [], "judged again, nothing is new"
    with Store(home) as store:
        store.open()
        facts = WritableStoreFacts(store)
        assert lesson in facts.lessons()
        drive(store, tmp_path, 2)
        promoted(facts)
        after = {each.id: each for each in facts.lessons()}[lesson.id]
        assert not after.active
        assert "driven without it" in after.retired_why
        answer = facts.sql(
            "SELECT count(*) FROM lessons WHERE verified AND corner = 'turn_4' AND kind = 'fault'"
        )
        assert answer.rows == [(0,)]  # type: ignore[union-attr]


@pytest.mark.long
def test_imported_sessions_are_judged_by_the_command_each_once(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home.track_data / "club.json").write_bytes(msgspec.json.encode(club_circuit()))
    with Store(home) as store:
        store.open()
        for day in range(2):
            simulated(store, tmp_path, day, Mistake("turn_4", "overslow", 3.0, 3, 5))

    def lessons(*options: str) -> tuple[str, str]:
        assert main(["--home", str(home.root), "debrief", "--all-days", "--only", "lessons", *options]) == 0
        return capsys.readouterr()

    assert lessons()[0].startswith("nothing was learned yet: it takes two sessions")
    out, err = lessons("--update")
    assert re.findall(r"judging session \S+, (.*)", err) == ["1 of 2", "2 of 2"]
    assert "fault, Club" in out
    assert lessons("--update") == (out, "")


def test_a_lesson_is_written_over_its_older_self(home: Home) -> None:
    with Store(home) as store:
        store.open()
        facts = WritableStoreFacts(store)
        put_lessons(store, LEARNED)
        put_lessons(store, [*LEARNED, *RETIRED])
        assert facts.lessons() == RETIRED
        put_lessons(store, [])


def test_lessons_of_an_older_version_stay_in_the_table_and_out_of_the_way(home: Home) -> None:
    names = ("id", "track", "corner", "text", "evidence", "verified", "created_utc_s")
    old = dict(zip(names, ("old", "sonoma", "turn_7", "text", "[]", True, 1.0), strict=True))
    with Store(home) as store:
        store.open()
        store.change(RowChange.over("lessons", "id", old))
        facts = WritableStoreFacts(store)
        facts.put_lessons(LEARNED)
        assert facts.lessons() == LEARNED
        assert facts.sql("SELECT id FROM lessons WHERE id = 'old'").rows == [("old",)]  # type: ignore[union-attr]
