"""Routing: the issue's table word for word, its priorities and traps, and the labelled questions."""

from __future__ import annotations

import os
from collections import Counter

import msgspec
import pytest
from routing_training import (
    PRACTICE,
    SCRAPS,
    confusion,
    cross_validate,
    every_question,
    home_track,
    labelled,
    train,
)

from pitwall.paddock.classifier import MODEL, IntentModel, shipped_model
from pitwall.paddock.intent_table import AGENTS, DEFAULT, ROWS
from pitwall.paddock.intents import AgentChoice, route
from pitwall.paddock.phrase_match import Matcher
from pitwall.track.model import Corner, Track

# A classifier is trained for each third of the questions; PITWALL_FOLDS=3 tries all of them.
FOLDS = int(os.environ.get("PITWALL_FOLDS", "1"))
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
    assert (routed.agent, routed.stage) == (agent, "table")
    assert ROWS[routed.row].agent == agent


@pytest.mark.parametrize("high", list(ISSUE_TABLE))
def test_of_two_keywords_the_higher_row_wins(high: str, track: Track) -> None:
    agents = list(ISSUE_TABLE)
    for low in agents[agents.index(high) + 1 :]:
        if low == "BriefPipeline":  # "brief" beside another keyword has rows of its own
            continue
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
    assert route(question, elsewhere).decided_by == ("<corner>",)
    assert route(question, None).decided_by != ("<corner>",)


def test_accents_do_not_matter() -> None:
    elsewhere = _track(_corner("Curva Grânde", "2"), _corner("Mühlbach", "4"))
    assert route("curva grande?", elsewhere).agent == "CornerCoachAgent"
    assert route("MÜHLBACH", elsewhere).agent == "CornerCoachAgent"


def test_a_number_with_a_unit_is_no_corner(track: Track) -> None:
    for question in ("am I at 7 bar", "done in 10 minutes", "the car goes out in five"):
        assert "<corner>" not in route(question, track).decided_by


def test_a_named_intent_is_taken_at_its_word(track: Track) -> None:
    for name in ("GoldLapAgent", "goldlapagent", "gold_lap", "Gold lap"):
        assert route("rain", track, intent=name) == AgentChoice("GoldLapAgent", "named", (name,))
    assert route("rain", track, intent="debrief").agent == "DebriefPipeline"


def test_an_unknown_intent_is_an_error_that_lists_all_agents(track: Track) -> None:
    routed = route("rain", track, intent="PitGirl")
    assert "PitGirl" in routed.error
    assert all(agent in routed.error for agent in AGENTS)


@pytest.mark.parametrize("question", ["", "   ", "???", "zxqv", "\x00", "🏎", "a" * 100_000, "at"])
def test_nothing_to_go_by_is_the_default(question: str, track: Track) -> None:
    routed = route(question, track)
    assert (routed.agent, routed.error) == (DEFAULT, "")


def test_the_classifier_says_which_terms_decided(track: Track) -> None:
    routed = route("car won't turn", track)
    assert (routed.agent, routed.stage) == ("SetupAdvisorAgent", "classifier")
    assert routed.decided_by
    assert all(term in shipped_model().terms for term in routed.decided_by)


def test_every_agent_is_a_row_and_is_asked_often_enough() -> None:
    asked = Counter(q.agent for q in labelled("questions.json"))
    assert set(asked) == set(AGENTS)
    assert len(AGENTS) == 16
    assert sum(asked.values()) >= 400
    assert min(asked.values()) >= 20


def test_no_question_is_labelled_twice() -> None:
    names = ("questions.json", PRACTICE, SCRAPS, "questions_held_back.json")
    asked = Counter(q.question.lower() for name in names for q in labelled(name))
    assert [question for question, times in asked.items() if times > 1] == []


@pytest.mark.long
def test_the_shipped_model_is_what_the_questions_train() -> None:
    made = train(every_question())
    assert msgspec.json.decode(MODEL.read_bytes(), type=IntentModel) == made


@pytest.mark.long
def test_labelled_questions_in_cross_validation() -> None:
    """No question is judged by a classifier that was trained on it; the table is the same for all."""
    judged = cross_validate(labelled("questions.json"), folds=3, tried=FOLDS)
    report = confusion(judged)
    for stage in ("table", "classifier"):
        decided = [q.agent == r.agent for q, r in judged if r.stage == stage]
        assert len(decided) >= 130 * FOLDS, report
        assert sum(decided) >= 0.98 * len(decided), report
    assert sum(q.agent == r.agent for q, r in judged) >= 0.97 * len(judged), report


def test_questions_the_classifier_was_not_trained_on(track: Track) -> None:
    held = labelled("questions_held_back.json")
    assert len(held) >= 100
    judged = [(q, route(q.question, track)) for q in held]
    right = sum(q.agent == r.agent for q, r in judged)
    assert right >= 0.9 * len(judged), confusion(judged)


@pytest.mark.parametrize(
    ("question", "agent"),
    [
        ("i can't stop comparing myself to the others and it gets me down", "MindsetCoachAgent"),
        ("is the model lap done on the same tyres", "GoldLapAgent"),
        ("compare today", "LapComparisonAgent"),
        ("how do my tyres compare after a long race stint", "RacePaceAgent"),
        ("how was my progress today, would you say so", "ProgressTrackerAgent"),
    ],
)
def test_a_word_that_is_only_mentioned_gives_way(question: str, agent: str, track: Track) -> None:
    assert route(question, track).agent == agent


def test_patterns_begin_with_a_word() -> None:
    with pytest.raises(ValueError, match="begin with a word"):
        Matcher([(".. lap", "")])


def test_notes_stand_where_the_literal_table_would_be_wrong() -> None:
    noted = [q for q in labelled("questions.json") if q.note]
    assert len(noted) >= 40
