"""What was asked and told before is found again, and gone with its session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pitwall.analysis import tool_kit
from pitwall.analysis.drive import Drive, load_drive
from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.config import Home
from pitwall.contract.events import Answer
from pitwall.contract.questions import NAMED
from pitwall.paddock.composed import Composed
from pitwall.paddock.question_kind import asks_for_memory
from pitwall.store import queries
from pitwall.store.conversations import keep_turns
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store


def told(text: str, *, unverified: bool = False) -> Answer:
    return Answer(
        text=text,
        emotion="calm",
        agent="TelemetryAgent",
        tier="rule",
        verdict="PASSED",
        unverified=unverified,
    )


def test_conversations_and_debriefs_are_found_by_their_words_and_vanish_with_their_session(
    sonoma_driven: Path, tmp_path: Path
) -> None:
    with Store(Home(Path(shutil.copytree(sonoma_driven, tmp_path / "home")))) as store:
        store.open()
        [row] = queries.sessions(store)
        keep_turns(
            store, row.id, "where do I brake for turn 7?", told("At turn 7 you brake 92 m before the apex.")
        )
        keep_turns(
            store, row.id, NAMED["debrief"], told("Best lap 1:44.0.\n\nThe carousel costs 0.4 s a lap.")
        )
        keep_turns(store, row.id, "oil?", told("Your oil at turn 7 was 300 degrees.", unverified=True))
        keep_turns(store, "", "no session, turn 7?", told("Turn 7 of nothing."))
        composed = Composed(Tools(Facts(store)), Facts(store))
        found = composed.tool("recall", {"words": "T7 braking"})["found"]
        assert [(each["kind"], each["asked"]) for each in found if each["kind"] != "lesson"] == [
            ("question", "where do I brake for turn 7?")
        ]
        [debrief] = composed.tool("recall", {"words": "the Carousel"})["found"]
        assert (debrief["kind"], debrief["session"]) == ("debrief", row.id)
        assert debrief["told"].endswith("The carousel costs 0.4 s a lap.")
        answer = composed("TelemetryAgent", "what did you tell me about turn seven")
        assert answer == (
            f"[calm] Of the session of {queries.when_driven(row)} you asked: where do I brake for turn 7? "
            "You were told: At turn 7 you brake 92 m before the apex."
        )
        assert "Nothing that you asked" in composed("TelemetryAgent", "what did you say about the weather")
        store.delete(row.id)
        store.flush()
        assert Facts(store).told_before() == []


@pytest.mark.parametrize(
    ("question", "recalls"),
    [
        ("What did you tell me about turn 7?", True),
        ("what have we talked about", True),
        ("did I ask that already", True),
        ("you told me something last time", True),
        ("what do you say at turn 7", False),
        ("tell me my best lap", False),
        ("how many laps did I do", False),
    ],
)
def test_a_question_about_what_was_said_before_is_one(question: str, recalls: bool) -> None:
    assert asks_for_memory(question) is recalls


def test_what_is_worked_out_of_a_session_is_kept_until_its_rows_change(
    sonoma_driven: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(Home(Path(shutil.copytree(sonoma_driven, tmp_path / "home")))) as store:
        store.open()
        [row] = queries.sessions(store)
        made = Tools(Facts(store)).report(row.id)
        loads: list[str] = []

        def loading(facts: Facts, row: SessionRow) -> Drive:
            loads.append(row.id)
            return load_drive(facts, row)

        monkeypatch.setattr(tool_kit, "load_drive", loading)
        assert Tools(Facts(store)).report(row.id) == made
        assert loads == []
        store.put("UPDATE laps SET time_s = time_s + 1 WHERE time_s IS NOT NULL", [])
        store.flush()
        assert Tools(Facts(store)).report(row.id) != made
        assert loads == [row.id]
