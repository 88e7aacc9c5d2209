"""What a model is told before it asks: of a real session, with lessons; what its figures count for."""

from __future__ import annotations

import msgspec
import pytest
from lesson_drives import NAMES, session
from stored_facts import WritableStoreFacts

from pitwall.analysis.lessons import judge
from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.config import Home
from pitwall.paddock.composed import Composed
from pitwall.paddock.context import DRIVER, LESSONS, SESSION, TIME, Section, build_prompt, sections
from pitwall.store.store import Store
from pitwall.track.lap import Lap
from pitwall.words.language import ENGLISH

HERE = {"driver": "", "track": "sonoma"}
CORNERS = ("turn_1", "turn_2", "turn_7", "turn_9", "turn_10", "turn_11")
FAULTS = {
    "turn_7": "more_apex_speed", "turn_11": "throttle_sooner", "turn_2": "brake_earlier", "turn_9": "repeat",
    "turn_10": "coasts", "turn_1": "stay_flat",
}  # fmt: skip


def twice(faults: dict[str, str], **whose: str) -> list:
    return [
        *session(0, faults=faults, judged=CORNERS, **whose),
        *session(1, faults=faults, judged=CORNERS, **whose),
    ]


@pytest.fixture
def learned(sonoma: WritableStoreFacts) -> WritableStoreFacts:
    """Six lessons of this driver here, and some that are not his, not from here, or hold no more."""
    here = judge(twice(FAULTS, **HERE), [], NAMES)
    other = judge(twice({"turn_7": "brake_later"}, driver="Bob", track="sonoma"), [], NAMES)
    away = judge(twice({"turn_7": "throttle_once"}, driver="", track="ring"), [], NAMES)
    gone = [msgspec.structs.replace(other[0], id="gone", driver="", active=False, retired_why="it was cured")]
    sonoma.put_lessons([*here, *other, *away, *gone])
    return sonoma


def told(facts: Facts, question: str, driver_first: bool = False) -> dict[str, Section]:
    found = sections(Tools(facts), facts, question, driver_first=driver_first)
    return {each.title: each for each in found}


def test_the_session_is_told_with_its_laps_and_what_was_not_recorded(sonoma: WritableStoreFacts) -> None:
    text = told(sonoma, "hello")[SESSION].text
    first, best = flying_laps(sonoma)
    assert "Sonoma Raceway" in text
    assert "carousel (Turn 6, the Carousel)" in text
    assert f"Flying laps: {first.number} {ENGLISH.figures.lap_time(first.time_s)}" in text
    assert f"Best {ENGLISH.figures.lap_time(best.time_s)}, lap {best.number}, usual 1:5" in text
    assert text.endswith("yaw_rate_dps.")
    assert "Not recorded: " in text


def flying_laps(facts: Facts) -> tuple[Lap, Lap]:
    """The first and the best."""
    laps = [lap for lap in Tools(facts).report().laps if lap.kind == "flying" and lap.time_s]
    return laps[0], min(laps, key=lambda lap: lap.time_s or 0.0)


def test_lessons_that_the_question_is_about_come_first_and_only_this_drivers(
    learned: WritableStoreFacts,
) -> None:
    lines = told(learned, "what about turn 11?")[LESSONS].text.splitlines()
    assert lines[0].startswith("- Turn 11: you are late on the throttle")
    assert len(lines) == 5
    everything = "\n".join(lines)
    assert "you brake early" not in everything, "Bob's, and the one that is retired"
    assert "twice" not in everything, "from another track"
    assert told(learned, "T7 again")[LESSONS].text.startswith("- Turn 7: you are slow in the middle")


@pytest.mark.long
def test_the_driver_matters_more_to_those_that_look_over_sessions(learned: WritableStoreFacts) -> None:
    assert told(learned, "am I faster", driver_first=True)[DRIVER].rank < told(learned, "x")[TIME].rank
    assert told(learned, "am I faster")[DRIVER].rank > told(learned, "x")[TIME].rank
    _first, best = flying_laps(learned)
    assert f"best ever {ENGLISH.figures.lap_time(best.time_s)}" in told(learned, "x")[DRIVER].text
    most = Tools(learned).report().opportunities[0]
    named, losing = told(learned, "x")[TIME].text.splitlines()[:2]
    assert named == f"Against lap {best.number}:"
    assert f" {most.loss_s:.2f} s a lap, " in losing
    assert f" in {ENGLISH.figures.laps_named(most.shown_laps)}" in losing


def test_all_of_it_fits_into_a_prompt(learned: WritableStoreFacts) -> None:
    found = [*told(learned, "what about turn 11?").values()]
    prompt = build_prompt("?", found)
    assert prompt.left_out == ()
    assert [each.rank for each in found] == sorted(each.rank for each in found)


def test_what_is_missing_is_said(home: Home) -> None:
    with Store(home) as store:
        store.open()
        facts = Facts(store)
        (only,) = told(facts, "how was it?").values()
    assert only == Section(SESSION, "There is nothing to go by: there are no sessions yet.", 0)
    (closed,) = told(facts, "how was it?").values()
    assert closed.text.startswith("There is nothing to go by: ")
    assert "is not open" in closed.text


def test_a_composed_brief_recalls_what_it_does_not_tell_anyway(learned: WritableStoreFacts) -> None:
    lessons = {
        each.corner: each for each in learned.lessons() if each.driver == "" and each.track == "sonoma"
    }
    spun = msgspec.structs.replace(lessons["turn_9"], kind="trouble", text="Turn 9 has caught you out.")
    learned.put_lessons([spun])
    tools = Tools(learned)
    brief = Composed(tools, learned)("BriefPipeline", "brief me")
    recalled = brief.partition("From your sessions here so far. ")[2].partition("\n\n")[0]
    assert recalled.startswith("Turn 9 has caught you out. Turn ")
    others = [lessons[corner].text for corner in ("turn_1", "turn_2") if lessons[corner].text in recalled]
    assert len(others) == 1, "two are enough"
    told = [each.corner for each in tools.report().opportunities[:3]]
    assert told
    assert not any(lessons[corner].text in brief for corner in told if corner in lessons)
    learned.put_lessons([msgspec.structs.replace(each, active=False) for each in learned.lessons()])
    assert "so far" not in Composed(tools, learned)("BriefPipeline", "brief me")
