"""Questions read as queries: what is named, what a follow-up keeps, what asks back; and queries called in
words."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec import convert, to_builtins

from pitwall.ask.asks import ASKS
from pitwall.ask.conversation import asks_in, merged, read_after
from pitwall.ask.corner_names import CornerNames, names_of
from pitwall.ask.measures import MEASURES, NEEDS_CORNER
from pitwall.ask.reader import read
from pitwall.ask.topics import AGENTS, TOPICS
from pitwall.config import shipped
from pitwall.contract.messages import Turn
from pitwall.contract.query import Query
from pitwall.track.library import load_track
from pitwall.words.language import ENGLISH


@cache
def names() -> CornerNames:
    return names_of(load_track(shipped("track_data") / "sonoma.json"))


# A conversation with | between its questions, and the fields of the last query beside the defaults.
READ: list[tuple[str, dict[str, Any]]] = [
    ("what's my best lap", {"measure": "time", "scope": {"laps": ["best"]}}),
    ("how fast was lap 3", {"measure": "time", "scope": {"laps": ["3"]}}),
    ("did I break earlier for turn 7 in lap 6 than in lap 3",
     {"measure": "brake_m", "scope": {"laps": ["6"], "places": ["turn_7"]}, "against": "3"}),
    ("avg laptime pls, dont count the out lap", {"measure": "time", "which": "mean"}),
    ("how many of my laps were under 2 mins", {"measure": "time", "which": "count", "group": "lap",
     "limit": {"op": "under", "value": 120.0}}),
    ("how was lap 6 | and 7 | which of those two was better in the first sector",
     {"measure": "time", "scope": {"laps": ["6", "7"], "places": ["sector:1"]}}),
    ("which corner does he gain the most on lap 9 compared to lap 4", {"measure": "lost", "which": "mean",
     "group": "corner", "order": "min", "scope": {"laps": ["9"]}, "against": "4"}),
    ("percent of the lap at full throttle, best one",
     {"measure": "full_throttle", "which": "share", "scope": {"laps": ["best"]}}),
    ("max oil temp | fahrenheit?", {"measure": "oil_temp_c", "which": "max", "unit": "fahrenheit"}),
    ("best lap | second best | how much between them",
     {"measure": "time", "scope": {"laps": ["best", "best:2"]}}),
    ("whats my best", {"measure": "time", "scope": {"laps": ["best"]}}),
    ("slowest one not counting the first lap",
     {"measure": "time", "which": "max", "scope": {"laps": ["not:first"]}}),
    ("best lap | after the last stop",
     {"measure": "time", "scope": {"laps": ["stint:last"]}}),
    ("why was lap 4 slower", {"measure": "time", "scope": {"laps": ["4"]}, "show": "why"}),
    ("did the oil go past 120", {"measure": "oil_temp_c", "which": "exists",
     "limit": {"op": "over", "value": 120.0}}),
    ("how do I heel and toe", {"measure": "heel_and_toe"}),
    ("minimum throttle position in turn 7",
     {"measure": "throttle", "scope": {"places": ["turn_7"]}, "which": "min"}),
    ("how much g do I brake with into turn 1",
     {"measure": "g_brake", "scope": {"places": ["turn_1"]}}),
    ("how hot was the oil in lap 5 | second fastest lap?",
     {"measure": "time", "scope": {"laps": ["best:2"]}}),
    ("how hot was the oil in lap 5 | how much time between lap 6 and lap 8",
     {"measure": "time", "scope": {"laps": ["6", "8"]}}),
    ("top speed on lap 2", {"measure": "speed", "scope": {"laps": ["2"]}, "which": "max"}),
    ("where do I brake for turn 7", {"measure": "brake_m", "scope": {"places": ["turn_7"]}}),
    ("how hard am I braking into T10", {"measure": "brake_bar", "scope": {"places": ["turn_10"]}}),
    ("which lap had the highest oil temperature", {"measure": "oil_temp_c", "group": "lap", "order": "max"}),
    ("which corner am I slowest in", {"measure": "min_speed", "group": "corner", "order": "min"}),
    ("which corner varies the most", {"measure": "time", "which": "spread", "group": "corner",
    "order": "max"}),
    ("how fast was I going when I braked for turn 7",
     {"measure": "speed", "scope": {"places": ["turn_7/brake"]}}),
    ("mean lap time without the out lap", {"measure": "time", "which": "mean"}),
    ("average water temperature over the session", {"measure": "coolant_c", "which": "mean"}),
    ("water temperature over the session", {"measure": "coolant_c", "which": "trend"}),
    ("how much throttle at the exit of turn 11", {"measure": "throttle",
    "scope": {"places": ["turn_11/exit"]}}),
    ("which three laps were fastest", {"measure": "time", "group": "lap", "order": "min", "most": 3}),
    ("how much slower was lap 4 than lap 3", {"measure": "time", "scope": {"laps": ["4"]}, "against": "3"}),
    ("turn 7 time on laps 2 to 5", {"measure": "time", "scope": {"laps": ["span:2-5"],
    "places": ["turn_7"]}}),
    ("top speed on the main straight",
     {"measure": "speed", "scope": {"places": ["straight:main"]}, "which": "max"}),
    ("what did I run on my sixth lap", {"measure": "time", "scope": {"laps": ["6"]}}),
    ("how many revs out of turn 7 on lap 5",
     {"measure": "rpm", "scope": {"laps": ["5"], "places": ["turn_7/exit"]}}),
    ("oil temp when I came in", {"measure": "oil_temp_c", "scope": {"laps": ["in"]}}),
    ("how many metres before turn 11 did I hit the brakes on lap 6",
     {"measure": "brake_m", "scope": {"laps": ["6"], "places": ["turn_11"]}}),
    ("how much km/h do I carry through the carousel",
     {"measure": "min_speed", "scope": {"places": ["carousel"]}}),
    ("how fast could I go if everything came together", {"measure": "ideal"}),
    ("what am I doing wrong in turn 11", {"measure": "", "scope": {"places": ["turn_11"]}, "show": "why"}),
    # A follow-up is a merge: what it names replaces, the rest stays.
    ("where do I brake for turn 7 | and turn 10", {"measure": "brake_m", "scope": {"places": ["turn_10"]}}),
    ("where do I brake for turn 7 | on my best lap",
     {"measure": "brake_m", "scope": {"laps": ["best"], "places": ["turn_7"]}}),
    ("top speed lap 2 | in mph please",
     {"measure": "speed", "scope": {"laps": ["2"]}, "which": "max", "unit": "mph"}),
    ("apex speed in turn 8 | and entry?", {"measure": "entry_speed", "scope": {"places": ["turn_8"]}}),
    ("what was my average lap time | only the last five",
     {"measure": "time", "scope": {"laps": ["lasts:5"]}, "which": "mean", "group": "lap"}),
    ("what's my best lap | and the worst?", {"measure": "time", "scope": {"laps": ["worst"]}}),
    ("max lateral g in turn 2 | and overall?", {"measure": "g_lat", "which": "max"}),
    ("sectors of lap 4 | and of 5", {"measure": "time", "scope": {"laps": ["5"]}, "group": "sector"}),
    ("minimum speed in turn 2 on lap 3 | exit speed?",
     {"measure": "exit_speed", "scope": {"laps": ["3"], "places": ["turn_2"]}}),
    ("lap 4 sectors | and the best ones?", {"measure": "time", "which": "min", "group": "sector"}),
    ("oil temperature on lap 6 | did it ever get above 120?",
     {"measure": "oil_temp_c", "which": "exists", "limit": {"op": "over", "value": 120.0}}),
    ("how long am I coasting per lap | which lap was worst?",
     {"measure": "coast", "group": "lap", "order": "max"}),
    ("fastest lap? | and the slowest? | what's the difference?",
     {"measure": "time", "scope": {"laps": ["best", "worst"]}}),
    ("which corner do I lose the most in | and the second most?",
     {"measure": "lost", "scope": {"places": ["corner:worst-2"]}}),
    ("which corner am I slowest in | and the third?",
     {"measure": "min_speed", "group": "corner", "order": "min", "rank": 3}),
    ("gap between first and second best lap", {"measure": "time", "scope": {"laps": ["best", "best:2"]}}),
    ("longest time off both pedals", {"measure": "coast", "which": "max", "show": "where"}),
    ("top speed? | and lap 3's? | is that better than lap 5's?",
     {"measure": "speed", "scope": {"laps": ["3"]}, "against": "5"}),
    ("coasting time lap 2 | is that a lot?",
     {"measure": "coast", "scope": {"laps": ["2"]}, "against": "mean"}),
    ("how fast through turn 2? | faster than lap 4?",
     {"measure": "min_speed", "scope": {"places": ["turn_2"]}, "against": "4"}),
    ("did I use full throttle out of turn 9? | for how long?",
     {"measure": "full_throttle", "scope": {"places": ["turn_9"]}}),
    ("time in turn 6 on lap 4 | and the time lost there?",
     {"measure": "lost", "scope": {"laps": ["4"], "places": ["carousel"]}}),
    ("my average for laps 3 to 6 | and without lap 5",
     {"measure": "time", "scope": {"laps": ["span:3-6", "not:5"]}, "which": "mean"}),
    ("oil temperature at the end of the session",
     {"measure": "oil_temp_c", "scope": {"places": ["edge:end"]}}),
    ("speed at the start finish line on lap 5",
     {"measure": "speed", "scope": {"laps": ["5"], "places": ["at:0"]}}),
    ("when do I open the throttle out of turn 9",
     {"measure": "throttle_m", "scope": {"places": ["turn_9"]}}),
    ("what was the oil pressure low point", {"measure": "oil_bar", "which": "min"}),
    ("best lap today against yesterday",
     {"measure": "time", "scope": {"laps": ["best"], "session": "previous"}}),
    ("top speed on lap 2 | and on average?", {"measure": "speed", "which": "mean", "order": "max"}),
    ("how hard do I brake for turn 11 | where do I start?",
     {"measure": "brake_m", "scope": {"places": ["turn_11"]}}),
    ("which corner do I brake hardest in | and softest?",
     {"measure": "brake_bar", "group": "corner", "order": "min"}),
    ("minimum speed in turn 7 | on which lap was that",
     {"measure": "min_speed", "scope": {"places": ["turn_7"]}, "group": "lap", "order": "min"}),
    ("coasting time lap 4 | every lap please", {"measure": "coast", "group": "lap"}),
    ("lap time of lap 6 | why was it slower than lap 5?",
     {"measure": "time", "scope": {"laps": ["6"]}, "against": "5", "show": "why"}),
    ("fastest sector 1 ever",
     {"measure": "time", "scope": {"places": ["sector:1"], "session": "all"}, "which": "min"}),
    ("lap times please | just the ones in the last stint | what's the average",
     {"measure": "time", "scope": {"laps": ["stint:last"]}, "which": "mean"}),
    ("average throttle on lap 6", {"measure": "throttle", "scope": {"laps": ["6"]}, "which": "mean"}),
    ("what's the gap from lap 8 to my best",
     {"measure": "time", "scope": {"laps": ["8"]}, "against": "best"}),
    ("sector times lap 6 | now lap 7 | where did I lose it",
     {"measure": "lost", "scope": {"laps": ["7"]}, "which": "mean", "group": "corner", "order": "max"}),
    ("revs in turn 7 | at the apex", {"measure": "rpm", "scope": {"places": ["turn_7/apex"]}}),
    ("fastest corner | what about the second slowest",
     {"measure": "min_speed", "group": "corner", "order": "min", "rank": 2}),
    ("best lap | how many laps within a second of that",
     {"measure": "time", "which": "count", "group": "lap", "limit": {"op": "within", "value": 1.0}}),
    ("did I get faster during the day", {"measure": "time", "which": "trend"}),
    ("min speed in turn 4 on lap 3 | and my best there?",
     {"measure": "min_speed", "scope": {"places": ["turn_4"]}, "which": "max"}),
    ("brake point turn 11 on lap 3 | how hard?",
     {"measure": "brake_bar", "scope": {"laps": ["3"], "places": ["turn_11"]}}),
    ("which gear in turn 7 | and how fast?", {"measure": "min_speed", "scope": {"places": ["turn_7"]}}),
    ("time lost in turn 4 | what should I do about it?",
     {"measure": "advice", "scope": {"places": ["turn_4"]}}),
    ("highest brake pressure | and in which corner",
     {"measure": "brake_bar", "which": "max", "group": "corner", "order": "max"}),
    ("lap times of the first outing | and the last one?",
     {"measure": "time", "scope": {"laps": ["stint:last"]}}),
    ("compare lap 3 and 4 | now 5 and 6", {"measure": "time", "scope": {"laps": ["5", "6"]}}),
    ("min speed turn 7 | is that slower than turn 11",
     {"measure": "min_speed", "scope": {"places": ["turn_7", "turn_11"]}}),
    ("did I go over 180 | for how long",
     {"measure": "speed", "which": "sum", "limit": {"op": "over", "value": 50.0}}),
    ("did I go over 180 | where", {"measure": "speed", "which": "max", "show": "where"}),
    # A limit that is asked for when; the unit names the measure; stints and laps beside each other.
    ("when did the oil first go over 240 F",
     {"measure": "oil_temp_c", "which": "exists", "show": "when", "unit": "fahrenheit",
      "limit": {"op": "over", "value": (240 - 32) / 1.8}}),
    ("how many psi on the brakes at most", {"measure": "brake_bar", "which": "max", "unit": "psi"}),
    ("was the last stint quicker than the first",
     {"measure": "time", "scope": {"laps": ["stint:last"]}, "against": "stint:1"}),
    ("best lap | how much slower was lap 4",
     {"measure": "time", "scope": {"laps": ["4"]}, "against": "best"}),
    ("time through the esses on lap 2",
     {"measure": "time", "scope": {"laps": ["2"], "places": ["turn_8>turn_8a"]}}),
    ("top speed into turn 7", {"measure": "speed", "scope": {"places": ["straight:turn_7"]}, "which": "max"}),
    ("where is there most time left", {"measure": "losses", "which": "max"}),
    ("entry speed 3a", {"measure": "entry_speed", "scope": {"places": ["turn_3a"]}}),
    ("where do I brake for turn 7 | how many bar",
     {"measure": "brake_bar", "scope": {"places": ["turn_7"]}}),
    # Which of them, how many, and the other side.
    ("list my laps slowest to quickest",
     {"measure": "time", "group": "lap", "order": "max", "most": 20}),
    ("top three lateral g", {"measure": "g_lat", "group": "lap", "order": "max", "most": 3}),
    ("which corner is most consistent",
     {"measure": "time", "which": "spread", "group": "corner", "order": "min"}),
    ("which corners do I not brake for",
     {"measure": "brake_bar", "which": "exists", "group": "corner", "limit": {"op": "under", "value": 2.0}}),
    ("how long on the brakes in lap 6 | more or less than in lap 5",
     {"measure": "brake_time", "scope": {"laps": ["6"]}, "against": "5"}),
    ("lap times in the third stint | best one there",
     {"measure": "time", "scope": {"laps": ["stint:3"]}, "which": "min"}),
    ("hardest braking zone | next hardest",
     {"measure": "brake_bar", "group": "corner", "order": "max", "rank": 2}),
    ("how often did I go over 180 | and over 170",
     {"measure": "speed", "which": "count", "limit": {"op": "over", "value": 170 / 3.6}}),
    ("sector times of lap 7 | only the second",
     {"measure": "time", "scope": {"laps": ["7"], "places": ["sector:2"]}}),
    ("what gear in turn 4 | what speed", {"measure": "speed", "scope": {"places": ["turn_4"]}}),
    # A whole question forgets all of it.
    ("water temperature on lap 8 | how many laps below 1:53",
     {"measure": "time", "which": "count", "group": "lap", "limit": {"op": "under", "value": 113.0}}),
    ("brake point in turn 7 on my best lap | slowest flying lap?",
     {"measure": "time", "scope": {"laps": ["worst"]}}),
    ("water temperature on lap 8 | which lap had the best sector 2",
     {"measure": "time", "scope": {"places": ["sector:2"]}, "group": "lap", "order": "min"}),
    ("water temperature on lap 8 | was lap 5 faster than lap 4?",
     {"measure": "time", "scope": {"laps": ["5"]}, "against": "4"}),
    ("what gear in turn 2 on lap 3 | best sector 1",
     {"measure": "time", "scope": {"places": ["sector:1"]}, "which": "min"}),
    ("brake point turn 7 on lap 4 | what was my top speed", {"measure": "speed", "which": "max"}),
    ("exit speed in turn 7 on lap 5 | what's the best first sector",
     {"measure": "time", "scope": {"places": ["sector:1"]}, "which": "min"}),
]  # fmt: skip


@pytest.mark.parametrize(("conversation", "fields"), READ)
def test_what_is_asked_is_read(conversation: str, fields: dict[str, Any]) -> None:
    *before, question = conversation.split(" | ")
    reading = read_after(question, [Turn("driver", each) for each in before], names())
    assert reading.query == convert(fields, Query)
    assert not (reading.choices)
    assert not (reading.strange)


FOLLOW_UPS = ("why?", "and in lap 4", "how many?", "which ones", "and the third", "turn 7?", "compare them",
              "how often", "for how long", "at the apex", "the one before", "without lap 5", "and the best",
              "warum?")  # fmt: skip


def test_whatever_follows_whatever_is_read() -> None:
    """Every pair of the questions here and in the recomputed ones: a question that is asked after another one
    is a Query that a client may send."""
    listed = Path(__file__).parents[1] / "analysis" / "recomputed_questions.txt"
    lines = [line.split(" :: ")[1] for line in listed.read_text().splitlines() if " :: " in line[:9]]
    asked = {each for line in (*lines[::3], *(line for line, _ in READ)) for each in line.split(" | ")}
    readings = [read(each, names()) for each in sorted({*asked, *FOLLOW_UPS})]
    queries = [reading.query for reading in readings if reading.query is not None]
    merges = {merged(reading, [before]).query for before in {*queries} for reading in readings}
    for query in merges - {None}:
        assert convert(to_builtins(query), Query) == query


def test_limits_are_read_in_the_units_of_the_measure() -> None:
    limits = {
        "did I go over 200 km/h": ("speed", "over", 200 / 3.6),
        "was coolant ever over 100 degrees": ("coolant_c", "over", 100.0),
        "on how many laps did I beat 1:50": ("time", "under", 110.0),
        "how long was I above 6000 rpm": ("rpm", "over", 6000.0),
        "in how many laps did I brake later than 100 m before turn 7": ("brake_m", "under", 100.0),
        "was I slower than 60 km/h in turn 11": ("min_speed", "under", 60 / 3.6),
    }
    for question, (measure, op, value) in limits.items():
        query = read(question, names()).query
        assert query is not None, question
        assert query.limit is not None, question
        assert (query.measure, query.limit.op) == (measure, op), question
        assert query.limit.value == pytest.approx(value), question


@pytest.mark.parametrize(
    ("question", "measures"),
    [
        ("what about the oil", {"oil_temp_c", "oil_bar"}),
        ("my blorp brake pressure in turn 3", {"brake_bar"}),
        ("rpm at 120", {"rpm"}),
        # A fact of the whole session leaves no word over either.
        ("how many laps were smooth", {"lap_count", "steering_turns"}),
        # Nor does a point of a corner where no corner is named.
        ("is there more time in the brakes or the exits", {"brake_time"}),
        # A word is of one slot: it can't be left out for what another one says.
        ("am I faster in lap 3", {"time"}),
        ("rpm before turn 7", {"rpm"}),
        ("top speed in bar", {"speed"}),
        ("did I brake at the same point every lap in turn 7", {"brake_m"}),
        ("which corner has the biggest gap between entry and exit speed", {"entry_speed"}),
        ("what was the oil temperature when I hit top speed", {"oil_temp_c"}),
        # A choice drops no word that was understood, and an unknown word may stand for a known one.
        ("average water temperature over the lsp session", {"coolant_c"}),
        ("t7 brk lap 2", {"brake_bar", "time"}),
        ("how do I trail brake in turn 7", {"trail", "advice"}),
    ],
)
def test_what_is_not_certain_asks_back(question: str, measures: set[str]) -> None:
    reading = read(question, names())
    assert {each.measure for each in reading.choices} >= measures


def test_nothing_is_a_lap_time_by_default() -> None:
    for question in ("who is the president of France", "what did my wife say", "is it nice"):
        reading = read(question, names())
        assert reading.query is None or reading.strange or reading.query.measure != "time", question


def test_several_questions_are_taken_apart() -> None:
    assert asks_in("how many laps did I do and which was best?") == [
        "how many laps did I do",
        "which was best?",
    ]
    assert asks_in("entry and exit speed of turn 7") == ["entry and exit speed of turn 7"]


@given(data=some.data())
def test_a_query_called_in_words_is_read_back(data: some.DataObject) -> None:
    """What is offered as a choice is a question: asked as it is, it is that query."""
    words = ENGLISH
    measure = data.draw(some.sampled_from(sorted(set(MEASURES) - {"gear_time", "lost", "brake_lost",
    "mid_lost",
                                                                  "exit_lost", "overlap"})))  # fmt: skip
    lap = data.draw(some.sampled_from(["", "4", "best", "last"]))
    corner = data.draw(some.sampled_from(["turn_7", "turn_11"] + [""] * (measure not in NEEDS_CORNER)))
    if not (lap or corner):
        lap = "4"
    laps = words.say("ask own lap", lap=lap) if lap.isdigit() else words.term("lap mark", lap) if lap else ""
    place = f"Turn {corner.removeprefix('turn_')}" if corner else ""
    text = words.say(
        "ask query", which="", measure=words.term("measure", measure), limit="", show="",
        place=words.say("ask at", place=place) if place else "",
        laps=words.say("ask of laps", laps=laps) if laps else "", group="", against="",
    )  # fmt: skip
    reading = read(text, names())
    assert reading.query is not None, text
    assert (reading.query.measure, reading.choices, reading.strange) == (measure, (), ()), text
    assert reading.query.scope.laps == ((lap,) if lap else ()), text
    assert [each.partition("/")[0] for each in reading.query.scope.places] == ([corner] if corner else []), (
        text
    )


def test_the_tables_belong_together() -> None:
    topics = (set(TOPICS) | set(AGENTS)) - {"corner", "compare"}
    assert topics == set(ASKS)
    assert [each for each in MEASURES if ENGLISH.term("asked", each) == each] == []
