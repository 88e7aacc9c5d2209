"""Routing: the issue's table word for word, its priorities and traps, and the labelled questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec
import pytest
from labelled_questions import PRACTICE, SCRAPS, confusion, home_track, labelled

from pitwall.ask.corner_names import names_of
from pitwall.contract.agents import AGENTS
from pitwall.paddock.intents import (
    DEFAULT,
    KEYWORDS,
    WEIGHTS,
    AgentChoice,
    decoded,
    read,
    route,
    shipped_weights,
)
from pitwall.track.model import Corner, Track

ISSUE_TABLE = {
    "GoldLapAgent": ("gold", "aj", "reference"),
    "WeatherAdaptationAgent": ("fog", "weather", "rain"),
    "SessionPlannerAgent": ("plan", "practice", "how many laps should I run"),
    "IncidentReviewAgent": ("incident", "moment", "spike"),
    "RacePaceAgent": ("race", "stint", "tyre"),
    "GoalSettingAgent": ("target", "goal", "pb"),
    "MentalMapAgent": ("consistent", "variance"),
    "VoiceScriptAgent": ("audio", "script", "tts"),
    "CornerCoachAgent": ("turn 7", "carousel", "turn 8a"),
    "LapComparisonAgent": ("vs", "compare"),
    "ProgressTrackerAgent": ("progress", "faster", "plateau"),
    "SetupAdvisorAgent": ("setup", "understeer", "feels"),
    "MindsetCoachAgent": ("frustrated", "frustrating", "stuck"),
    "DebriefPipeline": ("debrief", "today", "highlight"),
    "BriefPipeline": ("brief",),
}


@pytest.fixture(scope="module")
def track() -> Track:
    return home_track()


@pytest.mark.parametrize(("agent", "word"), [(a, w) for a, words in ISSUE_TABLE.items() for w in words])
def test_each_keyword_of_the_issue_routes_to_its_agent(agent: str, word: str, track: Track) -> None:
    routed = route(f"{word.upper()}?", track)
    assert routed.agent == agent


@pytest.mark.parametrize("high", list(ISSUE_TABLE))
def test_of_two_keywords_the_higher_row_wins(high: str, track: Track) -> None:
    agents = list(ISSUE_TABLE)
    for low in agents[agents.index(high) + 1 :]:
        first, second = ISSUE_TABLE[high][0], ISSUE_TABLE[low][0]
        assert route(f"{second}, {first}", track).agent == high, (first, second)


@pytest.mark.parametrize(
    ("question", "never"),
    [
        ("what was the train like", "WeatherAdaptationAgent"),
        ("training data", "WeatherAdaptationAgent"),
        ("major minor", "GoldLapAgent"),
        ("the plane landed", "SessionPlannerAgent"),
        ("embrace the trace", "RacePaceAgent"),
        ("debrief", "BriefPipeline"),
        ("marigold", "GoldLapAgent"),
        ("at the moment what is the rpm", "IncidentReviewAgent"),
        ("for reference, what is the rpm", "GoldLapAgent"),
        ("keep it brief: top speed", "BriefPipeline"),
    ],
)
def test_parts_of_words_and_idioms_are_no_keywords(question: str, never: str, track: Track) -> None:
    assert route(question, track).agent != never


@pytest.mark.parametrize(
    ("question", "agent"),
    [
        ("why was lap 7 slower vs lap 5", "LapComparisonAgent"),
        ("how many laps did I do", "TelemetryAgent"),
        ("have I got any quicker", "ProgressTrackerAgent"),
        ("greasy as hell out there", "WeatherAdaptationAgent"),
        ("51.2 or 52.0, where was it", "LapComparisonAgent"),
        ("make it say something else at seven", "VoiceScriptAgent"),
        # A word that is only mentioned gives way.
        ("i can't stop comparing myself to the others and it gets me down", "MindsetCoachAgent"),
        ("is the model lap done on the same tyres", "GoldLapAgent"),
        ("compare today", "LapComparisonAgent"),
        ("how do my tyres compare after a long race stint", "RacePaceAgent"),
        ("how was my progress today, would you say so", "ProgressTrackerAgent"),
    ],
)
def test_the_examples_of_the_issue(question: str, agent: str, track: Track) -> None:
    assert route(question, track).agent == agent


def _track(*corners: Corner) -> Track:
    return msgspec.structs.replace(home_track(), id="elsewhere", corners=corners)


def _corner(name: str, number: str, *nicknames: str) -> Corner:
    return Corner(
        id=f"turn_{number}", name=name, number=number, nicknames=nicknames, direction="left",
        entry_m=0.0, apex_m=10.0, exit_m=20.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "eau rouge flat?",
        "Schwedenkreuz",
        "how is my line at tarzan",
        "tarzanbocht",
        "EAU-ROUGE",
        "schwedenkruez tips",
    ],
)
def test_corner_names_come_from_the_track(question: str) -> None:
    elsewhere = _track(
        _corner("Eau Rouge", "3"),
        _corner("Turn 1, the Tarzanbocht", "1", "Tarzan"),
        _corner("Schwedenkreuz", "5"),
    )
    assert read(question, names_of(elsewhere)).count("<corner>") == 1
    assert "<corner>" not in read(question, names_of(None))
    assert route(question, elsewhere).agent == "CornerCoachAgent"


def test_accents_do_not_matter() -> None:
    elsewhere = _track(_corner("Curva Grânde", "2"), _corner("Mühlbach", "4"))
    assert route("curva grande?", elsewhere).agent == "CornerCoachAgent"
    assert route("MÜHLBACH", elsewhere).agent == "CornerCoachAgent"


def test_a_number_with_a_unit_is_no_corner(track: Track) -> None:
    for question in ("am I at 7 bar", "done in 10 minutes", "the car goes out in five"):
        assert "<corner>" not in read(question, names_of(track))


def test_a_named_intent_is_taken_at_its_word(track: Track) -> None:
    for name in ("GoldLapAgent", "goldlapagent", "gold_lap", "Gold lap"):
        assert route("rain", track, intent=name) == AgentChoice("GoldLapAgent", "named")
    assert route("rain", track, intent="debrief").agent == "DebriefPipeline"


def test_an_unknown_intent_is_an_error_that_lists_all_agents(track: Track) -> None:
    routed = route("rain", track, intent="PitGirl")
    assert "PitGirl" in routed.error
    listed = routed.error.partition(": ")[2].split(", ")
    assert [route("rain", track, intent=name).agent for name in listed] == list(AGENTS)


@pytest.mark.parametrize("question", ["", "   ", "???", "zxqv", "\x00", "🏎", "a" * 100_000, "at"])
def test_nothing_to_go_by_is_the_default(question: str, track: Track) -> None:
    routed = route(question, track)
    assert (routed.agent, routed.error) == (DEFAULT, "")


def test_every_agent_has_keywords_and_is_asked_often_enough() -> None:
    assert {*KEYWORDS, DEFAULT} == set(AGENTS)
    asked = Counter(q.agent for q in labelled("questions.json"))
    assert set(asked) == set(AGENTS)
    assert len(AGENTS) == 16
    assert sum(asked.values()) >= 400
    assert min(asked.values()) >= 20


def test_no_question_is_labelled_twice() -> None:
    names = ("questions.json", PRACTICE, SCRAPS, "questions_held_back.json")
    asked = Counter(q.question.lower() for name in names for q in labelled(name))
    assert [question for question, times in asked.items() if times > 1] == []


def test_an_agent_that_is_newer_than_the_weights_is_found_by_its_keywords(track: Track) -> None:
    held = shipped_weights()
    labels = tuple("Other" if each == "WeatherAdaptationAgent" else each for each in held.labels)
    question = "how far should I trust the car once the fog is down on the hill"
    assert route(question, track).stage == "weights"
    routed = route(question, track, weights=msgspec.structs.replace(held, labels=labels))
    assert (routed.agent, routed.stage) == ("WeatherAdaptationAgent", "keyword")


def test_the_weights_still_know_the_questions_they_were_trained_on(track: Track) -> None:
    """They need no new training where the reader's words change; where it changed too much, this fails."""
    judged = [(q, route(q.question, track)) for q in labelled("questions.json")[::4]]
    assert sum(q.agent == r.agent for q, r in judged) >= 0.95 * len(judged), confusion(judged)


@pytest.mark.parametrize("damage", [lambda raw: raw[:-1], lambda raw: raw[40:], lambda raw: b""])
def test_damaged_weights_are_told(damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(ValueError, match="weights"):
        decoded(damage(WEIGHTS.read_bytes()))


def test_questions_the_weights_were_not_trained_on(track: Track) -> None:
    held = labelled("questions_held_back.json")
    assert len(held) >= 100
    judged = [(q, route(q.question, track)) for q in held]
    right = sum(q.agent == r.agent for q, r in judged)
    assert right >= 0.92 * len(judged), confusion(judged)
