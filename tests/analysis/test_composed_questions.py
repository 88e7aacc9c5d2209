"""Questions answered without a model: by the lap, the corner and the signal they name, or said not to be."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pitwall.analysis.compose import compose_debrief
from pitwall.analysis.incidents import Incident
from pitwall.analysis.tools import Tools
from pitwall.ask.corner_names import names_of
from pitwall.ask.evaluate import evaluate
from pitwall.ask.reader import read
from pitwall.ask.scope import Subject
from pitwall.commands.ask import answer_lines
from pitwall.contract.events import Answer
from pitwall.contract.questions import Query, Scope
from pitwall.paddock.composed import Composed, laps_in
from pitwall.paddock.intents import route
from pitwall.paddock.model_text import split_emotion
from pitwall.paddock.offline import OfflineOrchestrator
from pitwall.paddock.roster import DUTIES
from pitwall.paddock.tellers import TELLERS, debrief_mood
from pitwall.words.language import ENGLISH


@pytest.fixture(scope="module")
def answered(sonoma: Any, tools: Tools) -> Any:
    """`answered(question, agent)`: as offline, without its emotion; routed where no agent is named."""
    _store, facts, row = sonoma
    composed, track = Composed(tools, facts), facts.track(row.track)

    def answer(question: str, agent: str = "") -> str:
        return split_emotion(composed(agent or route(question, track).agent, question))[0]

    return answer


# An answer with a figure in it is the real drive's.
OF_THE_M3 = (
    ("TelemetryAgent", "what was my max rpm", "Highest engine speed: 8410 rpm, in lap 4."),
    ("TelemetryAgent", "top speed in lap 4", "Top speed in lap 4: 179 km/h."),
    ("TelemetryAgent", "how fast was I in lap 4", "Lap 4 was a 1:52.864. Your best was a 1:49.098 in lap 6."),
    ("TelemetryAgent", "what was my top speed", "Top speed: 184 km/h, in lap 7."),
    ("TelemetryAgent", "how hot did the oil get", "Highest oil temperature: 120 °C, in lap 8."),
    ("TelemetryAgent", "what was my average throttle in lap 3", "Average throttle in lap 3: 49%."),
    ("TelemetryAgent", "how many g did I pull", "Highest lateral g held for 0.3 s: 1.50 g, in lap 6."),
    ("TelemetryAgent", "how hard did I brake in lap 5", "Highest brake pressure in lap 5: 76 bar."),
    ("TelemetryAgent", "what was my lap 5 time", "Lap 5 was a 1:51.937. Your best was a 1:49.098 in lap 6."),
    ("TelemetryAgent", "what was my lap 9 time", "Lap 9 was not timed, an in lap."),
    ("TelemetryAgent", "what were my lap times", "lap 3 1:54.548"),
    ("IncidentReviewAgent", "where did I go off", "The data shows no spin"),
    ("TelemetryAgent", "where can I brake later?", "thing"),
    ("TelemetryAgent", "am I braking too early?", "thing"),
    ("CornerCoachAgent", "am I braking too early in turn 7?", "Turn 7, 7 passes"),
    ("CornerCoachAgent", "where did I lose time in turn 7", "Turn 7, 7 passes"),
    ("TelemetryAgent", "how many sessions do I have", "1 session stored, 1 on "),
    (
        "CornerCoachAgent",
        "how hard did I brake in turn 7 on lap 3",
        "Highest brake pressure at Turn 7 in lap 3: 38 bar.",
    ),
    (
        "GoldLapAgent",
        "where do I lose the most time",
        "you lose most in Turn 11 0.86 s, Carousel 0.65 s and Turn 2 0.58 s",
    ),
    ("VoiceScriptAgent", "change the script for turn 7", "nothing was changed. Turn 7 says: "),
    ("VoiceScriptAgent", "what does the script say at turn 7", "Turn 7 says: "),
    ("", "brake pressure at turn 7 on lap 8", "Highest brake pressure at Turn 7 in lap 8: 62 bar."),
    ("VoiceScriptAgent", "what do you say at turn 4", "Turn 4 says"),
    (
        "",
        "which corner costs me the most",
        "you lose most in Turn 11 0.86 s, Carousel 0.65 s and Turn 2 0.58 s",
    ),
    ("", "could it shout at me a bit earlier", "voice scripts for 13 corners"),
    ("", "what was my max g", "Highest lateral g held for 0.3 s: 1.50 g, in lap 6."),
    (
        "",
        "what lap time is in reach as a target",
        "From 1:49.098 to 1:49.056 next; your best pieces joined make 1:49.014.",
    ),
    ("", "my exit out of turn 7 sucks, why", "It costs you"),
    ("TelemetryAgent", "what was my steering angle in lap 4", "teering angle: recorded for only"),
    ("", "time in turn 1 in lap 1", "Time at Turn 1: not known for lap 1."),
    ("", "how close was lap 6 to my best lap", "Lap 6 was your best lap: 1:49.098"),
    ("", "time in turn 4 in laps 2 and 6", "4.384 s in lap 2, 4.369 s in lap 6: lap 2 was 0.015 s slower."),
)


@pytest.mark.recordings
def test_what_is_asked_of_the_m3_is_answered_with_its_figures(answered: Any) -> None:
    told = {(agent, question): answered(question, agent) for agent, question, _said in OF_THE_M3}
    wrong = [(*case, told[case[:2]]) for case in OF_THE_M3 if case[2] not in told[case[:2]]]
    assert wrong == []


@pytest.mark.parametrize(
    ("agent", "question", "said"),
    [
        ("TelemetryAgent", "thanks mate", "Any time."),
        ("TelemetryAgent", "hello", "Hello."),
        ("RacePaceAgent", "which rear tyre was I on", "No signal tells that"),
        ("LapComparisonAgent", "theoretical best vs actual best", "I don't know what you mean by actual."),
        ("MentalMapAgent", "which brake pads do I have", "I don't know what you mean by pads."),
        ("MentalMapAgent", "was I on the same line as Marquez", "I don't know what you mean by"),
        (
            "TelemetryAgent",
            "is the engine healthy",
            "I don't know what you mean by healthy. Do you mean: What was the water temperature?",
        ),
    ],
)
def test_what_is_asked_is_answered(answered: Any, agent: str, question: str, said: str) -> None:
    assert said in answered(question, agent)


def test_a_corner_is_told_of_the_laps_that_are_named(answered: Any, sonoma: Any) -> None:
    told = answered("time in turn 4 in lap 2 and lap 6")
    took = {
        each.lap: each.exit_t - each.entry_t
        for each in sonoma[1].corner_passes(sonoma[2].id)
        if each.corner == "turn_4"
    }
    assert told.startswith(f"Time at Turn 4: {took[2]:.3f} s in lap 2, {took[6]:.3f} s in lap 6: lap 2 was")
    assert "1:5" not in told


def test_a_lap_that_is_not_there_is_refused_with_those_that_are(answered: Any, tools: Tools) -> None:
    *driven, last = [str(lap.number) for lap in tools.report().laps if lap.kind == "flying"]
    assert answered("top speed in lap 99") == (
        "That can't be answered: there is no lap 99 in this session. "
        f"What would help: ask about laps {', '.join(driven)} and {last}."
    )


def test_a_planner_may_be_told_of_laps_to_come(answered: Any) -> None:
    assert "laps in all" in answered("make a plan up to lap 20")


@pytest.mark.parametrize(
    ("question", "laps"),
    [
        ("why was lap 3 slower than lap 2", [3, 2]),
        ("turn 4 lap 2 versus lap 6", [2, 6]),
        ("laps 3, 4 and 5", [3, 4, 5]),
        ("lap three against lap five", [3, 5]),
        ("what about turn 7", []),
    ],
)
def test_laps_are_read_as_they_are_named(question: str, laps: list[int]) -> None:
    assert [*map(int, read(question, names_of(None)).scope.laps)] == laps


def test_what_is_not_named_is_the_last_lap(sonoma: Any, tools: Tools) -> None:
    _store, facts, row = sonoma
    subject = Subject(tools, facts, row)

    def named(question: str) -> Query:
        return Query(measure="", scope=read(question, subject.names).scope)

    assert laps_in(named("compare them"), subject) == {"lap": 8}


def test_choices_are_printed_once() -> None:
    text = "Do you mean: Top speed? Best lap?"
    given = Answer(
        text=text, emotion="neutral", agent="TelemetryAgent", tier="paddock", verdict="PASSED",
        choices=("Top speed?", "Best lap?"),
    )  # fmt: skip
    assert answer_lines(given, ENGLISH)[:3] == ["Do you mean:", "  1  Top speed?", "  2  Best lap?"]
    assert answer_lines(given, ENGLISH, numbered=False)[0] == text
    assert not any("Top" in line for line in answer_lines(given, ENGLISH, numbered=False)[1:])


@pytest.mark.recordings
def test_what_is_lost_at_a_corner_is_what_the_debrief_says(sonoma: Any, tools: Tools) -> None:
    _store, facts, row = sonoma
    subject, found = Subject(tools, facts, row), tools.report().opportunities
    asked = [Query(measure="lost", scope=Scope(places=(each.corner,))) for each in found]
    assert [evaluate(subject, each).rows[0].value for each in asked] == [
        pytest.approx(each.loss_s, abs=0.001) for each in found
    ]


def test_a_debrief_without_corners_names_the_command_that_makes_them_known(tools: Tools) -> None:
    facts = replace(tools.report(), places={}, opportunities=(), incidents=())
    assert "pitwall track build FILE --id ID --name NAME" in compose_debrief(facts)


@pytest.mark.parametrize(
    ("agent", "question", "emotion"),
    [
        ("DebriefPipeline", "debrief me", "encouraging"),
        ("BriefPipeline", "brief me", "focused"),
        ("MindsetCoachAgent", "I am stuck", "sympathetic"),
        ("IncidentReviewAgent", "any incident", "encouraging"),
        ("SetupAdvisorAgent", "is it understeer", "curious"),
        ("CornerCoachAgent", "how is turn 10", "focused or encouraging"),
        ("LapComparisonAgent", "lap 6 vs lap 7", "encouraging"),
        ("LapComparisonAgent", "lap 7 vs lap 99", "neutral"),
        ("TelemetryAgent", "thanks mate", "calm"),
        ("TelemetryAgent", "what was my top speed", "focused"),
    ],
)
async def test_an_answer_without_a_model_has_its_emotion(
    sonoma: Any, tools: Tools, agent: str, question: str, emotion: str
) -> None:
    crew = OfflineOrchestrator(compose=Composed(tools, sonoma[1]))
    said = await crew.run(question, intent=agent)
    assert said["emotion"] in emotion.split(" or ")
    assert not said["text"].startswith("[")


def test_incidents_are_told_calmly_and_bests_proudly(tools: Tools) -> None:
    facts = tools.report()
    best = replace(facts.highlights[0], kind="personal best")
    assert debrief_mood(replace(facts, highlights=(best,), incidents=())) == "proud"
    spin = Incident(kind="spin", lap=3, t=1.0, duration_s=2.0, distance_m=None, corner="", evidence={})
    assert debrief_mood(replace(facts, highlights=(best,), incidents=(spin,))) == "calm"
    assert DUTIES["IncidentReviewAgent"].mood_of({"count": 2}) == "calm"
    assert DUTIES["RacePaceAgent"].mood_of({"stints": [{"fades": True}]}) == "concerned"
    assert DUTIES["GoldLapAgent"].mood_of({"comparison": {"delta_s": -0.2}}) == "excited"
    assert DUTIES["ProgressTrackerAgent"].mood_of({"trend": "faster", "sessions": [1, 2]}) == "proud"
    assert DUTIES["MindsetCoachAgent"].mood_of({"error": "no data"}) == "neutral"


@pytest.mark.parametrize(
    ("delta_s", "corners", "rest"),
    [
        (-0.4, {"T4": 0.15, "T3": -0.2, "T7": -0.1}, "Most of it: T3 0.20 s gained and T7 0.10 s gained."),
        # Most lay in no corner, or was won and lost again: nothing is called most of it.
        (-0.4, {"T4": 0.15, "T3": -0.1}, "The largest differences: T4 0.15 s lost and T3 0.10 s gained."),
        (0.1, {"T4": 0.5, "T3": -0.4}, "The largest differences: T4 0.50 s lost and T3 0.40 s gained."),
    ],
)  # fmt: skip
def test_most_of_a_gap_is_what_makes_most_of_it(delta_s: float, corners: dict[str, float], rest: str) -> None:
    places = [{"corner": corner, "delta_s": by} for corner, by in corners.items()]
    gap = {"laps": [1, 2], "delta_s": delta_s, "lap_s": 90.0 + delta_s, "against_s": 90.0, "corners": places}
    assert TELLERS["lap_delta"](gap, ENGLISH).endswith(rest)
