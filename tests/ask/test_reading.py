"""Questions in words: what is certain is a Query, all else asks back."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec import convert

from pitwall.ask.answer import ask_back, question_of
from pitwall.ask.corner_names import CornerNames, names_of
from pitwall.ask.measures import MEASURES
from pitwall.ask.reader import read, read_after
from pitwall.ask.scope import Subject
from pitwall.ask.tell import TOPICS
from pitwall.config import shipped
from pitwall.contract.messages import Turn
from pitwall.contract.questions import Query, Scope
from pitwall.track.library import load_track
from pitwall.track.model import Track
from pitwall.words.language import ENGLISH
from pitwall.words.texts import tables


@functools.cache
def sonoma() -> Track:
    return load_track(shipped("track_data") / "sonoma.json")


def names() -> CornerNames:
    return names_of(sonoma())


@functools.cache
def subject() -> Subject:
    """A subject that knows corners, but no lap."""
    found, corners = Subject.__new__(Subject), sonoma().corners
    row = {each.id: each for each in corners}
    found.words, found.track = ENGLISH, sonoma()
    found.figures = SimpleNamespace(corners=corners, corner_row=row.get, flying=[], laps={})  # type: ignore[assignment]
    return found


def query(text: str) -> Query:
    """ "brake_m turn_7 lap:4 max /lap": measure, places, laps behind `lap:`, which, group behind a slash,
    order behind >, what is compared with behind |, units."""
    measure, *rest = text.split()
    laps = [each.removeprefix("lap:") for each in rest if each.startswith("lap:")]
    which = [each for each in rest if each in ("min", "max", "mean", "median", "spread", "trend")]
    group = [each[1:] for each in rest if each[0] == "/"]
    session = "previous" if "previous" in rest else ""
    places = [
        each
        for each in rest
        if (each not in which and ":" in each[3:]) or "turn" in each or each == "carousel"
    ]
    scope = {"laps": laps, "places": [each for each in places if each[:4] != "lap:"], "session": session}
    made = {"measure": measure, "scope": scope, "which": "".join(which), "group": "".join(group)}
    signs = {">": "order", "|": "against"}
    made |= {signs[each[0]]: each[1:] for each in rest if each[0] in signs}
    made["units"] = "imperial" if "imperial" in rest else ""
    return convert(made, Query)


CERTAIN = [
    ("what was my best lap", "time lap:best"),
    ("how fast was lap four?", "time lap:4"),
    ("what was the last lap time", "time lap:last"),
    ("my slowest lap", "time lap:worst"),
    ("what was my second fastest lap", "time lap:best:2"),
    ("fifth lap time", "time lap:5"),
    ("lap times from lap 3 to 6", "time lap:span:3-6 /lap"),
    ("my three fastest laps", "time lap:top:3 /lap"),
    ("what were my lap times", "time /lap"),
    ("average lap time", "time mean"),
    ("sector times on my best lap", "time lap:best /sector"),
    ("what's my best sector 1", "time sector:1 min"),
    ("time through turn 8 in lap 3", "time turn_8 lap:3"),
    ("what was my top speed", "speed max"),
    ("top speed on the main straight on lap 2", "speed straight:main lap:2 max"),
    ("how fast was I in T7", "speed turn_7"),
    ("apex speed at the carousel in lap 5", "min_speed carousel lap:5"),
    ("apex speed at the carrousel", "min_speed carousel"),
    ("slowest speed in turn 3 a", "min_speed turn_3a"),
    ("minimum speed for each corner", "min_speed /corner"),
    ("exit speed of turn 11", "exit_speed turn_11"),
    ("how fast was I into turn 1 on the last lap", "entry_speed turn_1 lap:last"),
    ("how late did I braek for turn 11", "brake_m turn_11"),
    ("brake point in turn 7 for each lap", "brake_m turn_7 /lap"),
    ("how far before turn 10 do I lift", "lift_m turn_10"),
    ("when am I back on the gas in turn 9", "throttle_m turn_9"),
    ("how hard did I brake into turn 7", "brake_bar turn_7"),
    ("hardest braking of the session", "brake_bar max"),
    ("how long do I brake for turn 7", "brake_time turn_7"),
    ("how many times did I brake in lap 5", "brake_count lap:5"),
    ("how much time at full throttle on my best lap", "full_throttle lap:best"),
    ("coasting in lap 3", "coast lap:3"),
    ("how much time did I lose in turn 3", "lost turn_3"),
    ("how many gear changes in lap 2", "shifts lap:2"),
    ("which gear in turn 4", "gear turn_4"),
    ("maximum revs", "rpm max"),
    ("lateral g in laps 2 and 5", "g_lat lap:2 lap:5"),
    ("braking g at turn 11", "g_brake turn_11"),
    ("how hot did the oil get", "oil_temp_c"),
    ("lowest oil pressure", "oil_bar min"),
    ("highest water temp", "coolant_c max"),
    ("how many laps did I do", "lap_count"),
    ("what was my usual lap", "usual"),
    ("avg of laps 1 to 3", "time lap:span:1-3 mean"),
    ("average of laps 2-5", "time lap:span:2-5 mean"),
    ("S2 in lap 4", "time sector:2 lap:4"),
    ("slowest speed in the carousol lap 3", "min_speed carousel lap:3"),
    ("difference between best and worst lap", "time lap:best lap:worst"),
    ("lap 0 time", "time lap:out"),
    ("how did lap 2 sector 1 compare to lap 1", "time sector:1 lap:2 lap:1"),
    ("how much slower was sector 2 in lap 2 than in lap 1", "time sector:2 lap:2 lap:1"),
    ("what would my best sectors add up to", "ideal"),
    ("where do I lose the most time", "losses"),
    ("which corner costs me the most", "losses"),
    ("top speed in the previous session", "speed max previous"),
    ("how fast was turn 99", "speed turn_99"),
    ("how many laps under 1:53", "lap_count lap:times:0-113"),
    ("how many 1:58s did I do", "lap_count lap:times:118-119"),
    ("fastest lap of the second stint", "time lap:stint:2 min"),
    ("best lap of laps 3 to 6", "time lap:span:3-6 min"),
    ("how many stints did I do", "stint_count"),
    ("when did i go out, what time was it", "started"),
    ("what date was this", "started"),
    ("what time of day did I start", "started"),
    ("what was the date of this session", "started"),
    ("if I put my best sectors together what lap time do I get", "ideal"),
    ("theoretical best lap", "ideal"),
    ("how fast was I at the fastest point of lap 1", "speed max lap:1"),
    ("at how many metres did i hit the brakes for turn 7 on lap 3", "brake_m turn_7 lap:3"),
    ("median lap time", "time median"),
    ("whats my slowest full lap", "time lap:worst"),
    ("how many full laps did I do", "lap_count"),
    ("what did I do on lap 8", "time lap:8"),
    ("Which corner was my slowest one on lap 1?", "min_speed lap:1 /corner >min"),
    ("What day was this driven and at what time?", "started"),
    ("how consistent were my lap times", "time spread"),
    ("difference lap 2 to lap 8", "time lap:2 lap:8"),
    ("how much later did I brake for turn 7 in lap 6 than in lap 3", "brake_m turn_7 lap:6 lap:3"),
    ("how much did I lose in sector 1 on lap 5 compared to lap 6", "lost sector:1 lap:5 lap:6"),
    ("where was my top speed", "speed max /straight >max"),
    ("where did I hit my vmax", "speed max /straight >max"),
    ("what's my slowest corner", "min_speed /corner >min"),
    ("which corner do I brake hardest for", "brake_bar /corner >max"),
    ("speed when I brake for turn 7", "brake_speed turn_7"),
    ("top speed in mph", "speed max imperial"),
    ("best lap at Sonoma", "time lap:best"),
    ("how far off my best was lap 4", "time lap:best lap:4"),
    ("average lap over the last 5 laps", "time lap:lasts:5 mean"),
    ("how many laps did I do under 56 seconds", "lap_count lap:times:0-56"),
    ("how long was the session", "driven"),
    ("how many flying laps", "lap_count"),
    ("laps under two minutes", "lap_count lap:times:0-120"),
    ("how much quicker is my best than my average", "time lap:best |mean"),
    ("throttle at the apex of turn 7 in lap 6", "throttle turn_7/apex lap:6"),
    ("peak lateral g turn 2 vs turn 6", "g_lat turn_2 carousel max"),
    ("laptime delta between 4 and 5", "time lap:4 lap:5"),
    ("difference between my fastest and slowest", "time lap:best lap:worst"),
    ("fastest lap in the last ten", "time lap:lasts:10 min"),
    ("what lap did I do 1:34.164 on", "lap_count lap:times:94.164-94.165"),
    ("the last ten laps, what was the average", "time lap:lasts:10 mean"),
    ("gap from my best lap to my average", "time lap:best |mean"),
    ("gap between best and second best lap", "time lap:best lap:best:2"),
    ("show lap 5", "time lap:5"),
    ("where do I lose time in lap 4", "lost lap:4 /corner >max"),
    ("where did I lose the time in lap 7 compared to 6", "time lap:7 lap:6"),
    ("last timed lap pls", "time lap:last"),
    ("min oil pressure during the flying lap", "oil_bar lap:flying min"),
    ("best lap sonoma", "time lap:best"),
    ("slowest corner min speed of lap 3", "min_speed lap:3 /corner >min"),
    ("fastest lap in the second half of the session", "time lap:halves:2 min"),
    ("speed at the end of the straight before turn 7 on lap 4", "speed straight:turn_7 lap:4"),
    ("did I get faster over the session", "time trend"),
    ("how consistent was I", "time spread"),
    ("consistency in turn 7", "time turn_7 spread"),
    ("latest braking point turn 7", "brake_m turn_7 min"),
    ("which lap had the highest min speed in turn 7", "min_speed turn_7 max"),
    ("what time did I start riding", "started"),
    ("when was my best lap", "started lap:best"),
    ("how many corners does this track have", "circuit"),
    ("how many times did I go off", "incidents"),
    ("which corner is my worst", "losses"),
    ("compare lap 3 and lap 5", "compare lap:3 lap:5"),
    ("how did lap 4 compare to my best", "compare lap:4 lap:best"),
    ("which lap was fastest through turn 7", "time turn_7 min"),
    ("second to last lap", "time lap:last:2"),
    ("which corner am I most inconsistent in", "time spread /corner >max"),
    ("laps in the 1:57s", "lap_count lap:times:117-118"),
    ("compare with last session", "progress previous"),
    ("was I faster than in the previous session", "progress previous"),
    ("where do I lose most against my best lap", "losses"),
    ("which lap was the slowest", "time lap:worst"),
    ("how far before the apex do I brake in turn 7", "brake_m turn_7"),
    ("difference between my two best laps", "time lap:best lap:best:2"),
    ("which sector was I slowest in on lap 4", "lost lap:4 /sector >max"),
    ("top speed before turn 7", "speed straight:turn_7 max"),
    ("which lap had the fastest exit out of turn 11", "exit_speed turn_11 max"),
    ("gimme the 5 quickest laps", "time lap:top:5 /lap"),
    ("average sector 1", "time sector:1 mean"),
    ("what was my maximum speed and where", "speed max /straight >max"),
    ("was I slower on the last lap than on the one before", "time lap:last lap:last:2"),
    ("at what time did lap 4 start", "started lap:4"),
    ("what would my perfect lap be from sector bests", "ideal"),
    ("sector 1 on every lap", "time sector:1 /lap"),
    ("average exit speed from turn 10", "exit_speed turn_10 mean"),
    ("how much did I improve from the first lap to my best lap", "time lap:first lap:best"),
    ("best three lap average", "time lap:top:3 mean"),
    ("was my last lap better than my average", "time lap:last |mean"),
    ("what day did we ride sonoma", "started"),
    ("which laps were under 1:52", "lap_count lap:times:0-112"),
    ("difference in top speed between lap 4 and 5", "speed lap:4 lap:5 max"),
    ("am I getting quicker lap by lap", "time trend"),
    ("did my lap times drop off towards the end", "time trend"),
    ("what is the track called", "circuit"),
    ("min speeds at turn 8 all laps", "min_speed turn_8 /lap"),
    ("average of all laps", "time mean"),
    ("laptimes 2 to 5 pls", "time lap:span:2-5 /lap"),
    ("water temp at its highest", "coolant_c max"),
    ("time of my last full lap", "time lap:last"),
    ("where did I go off", "incidents"),
    ("where did I lose time in turn 7", "corner turn_7"),
    ("how many sessions do I have", "session_count"),
    ("where do I lose time", "losses"),
    ("did I beat 1:50", "lap_count lap:times:0-110"),
]


@pytest.mark.parametrize(("question", "wanted"), CERTAIN)
def test_a_plain_question_is_read(question: str, wanted: str) -> None:
    reading = read(question, names())
    assert (reading.query, reading.choices, reading.unused) == (query(wanted), (), ())


FOLLOWED = [
    ("top speed in lap 3", "and in lap 4?", "speed max lap:4"),
    ("brake point in turn 7 in lap 3", "what about turn 11", "brake_m turn_11 lap:3"),
    ("brake point in turn 7 in each lap", "in lap 2", "brake_m turn_7 lap:2"),
    ("top speed", "in the previous session?", "speed max previous"),
    ("average exit speed in turn 11", "and on my best lap", "exit_speed turn_11 lap:best mean"),
    ("top speed", "my best lap", "time lap:best"),
    ("brake point in turn 7", "top speed in lap 4", "speed max lap:4"),
    ("vmax lap 3", "S2 in lap 4", "time sector:2 lap:4"),
    ("best sector 3", "average sector 1", "time sector:1 mean"),
    ("top speed in lap 3", "lap 4?", "speed lap:4 max"),
    ("brake pressure in turn 7", "lap 4", "time lap:4"),
    ("top speed in lap 3", "my best lap", "time lap:best"),
    ("brake point in turn 7", "how did lap 4 go", "time lap:4"),
    ("top speed in lap 3", "and what was it in lap 4", "speed lap:4 max"),
    ("min speed in turn 7", "and the one after that", "min_speed turn_8"),
    ("min speed in turn 11", "the next corner?", "min_speed turn_1"),
    ("how was turn 2", "exit speed there?", "exit_speed turn_2"),
    ("how was turn 2", "and the exit?", "exit_speed turn_2"),
    ("min speed in turn 7 in lap 3", "and the exit?", "exit_speed turn_7 lap:3"),
    ("where do I lose time", "and in turn 3", "lost turn_3"),
    ("where do I lose time", "and in lap 4", "lost lap:4 /corner >max"),
]


@pytest.mark.parametrize(("before", "question", "wanted"), FOLLOWED)
def test_a_lap_or_a_corner_alone_replaces_that_of_the_last_query(
    before: str, question: str, wanted: str
) -> None:
    turns = [Turn("driver", before), Turn("coach", "in lap 9"), Turn("driver", "thanks")]
    assert read_after(question, turns, names()).query == query(wanted)


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("where do I lose most", "how was turn 3"),
        ("brake point in turn 7 in lap 6", "how was turn 7"),
        ("brake point in turn 7", "how did I do in turn 3"),
        ("min speed in turn 7 in lap 3", "and the one after that"),
        ("how many corners", "and turn 3"),
        ("throttle in turn 7", "and the exit"),
    ],
)
def test_a_whole_question_takes_over_no_measure(before: str, question: str) -> None:
    assert read_after(question, [Turn("driver", before)], names()).query is None


def test_two_laps_against_each_other_inherit_no_measure() -> None:
    reading = read_after("lap 1 vs lap 5", [Turn("driver", "best sector 3")], names())
    assert reading.query == query("compare lap:1 lap:5")


def test_a_number_alone_picks_what_was_offered_last() -> None:
    offered = [Turn("driver", "how hot did it get"), Turn("coach", "Do you mean ...")]
    assert read_after("2", offered, names()).query == query("oil_temp_c")
    assert read_after("3", offered, names()).query is None
    assert read_after("2", [*offered, Turn("driver", "thanks")], names()).query is None
    assert read_after("1", [Turn("driver", "top speed")], names()).query is None


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        (
            "braking in turn 7 on lap 3",
            ("brake_m turn_7 lap:3", "brake_bar turn_7 lap:3", "brake_time turn_7 lap:3"),
        ),
        ("what speed over the line in lap 2", ("speed lap:2",)),
        ("how hot did it get", ("coolant_c", "oil_temp_c")),
        ("how fast was I", ("time lap:best", "speed max")),
        ("which session had my best lap time", ()),
        ("top speed, but in knots", ("speed max",)),
        ("average of my highest speeds", ("speed",)),
        ("what was my top speed and my best lap", ("speed lap:best max",)),
        ("time from turn 7 to turn 11", ()),
        ("time between turn 1 and turn 2 in lap 3", ("time turn_1 turn_2 lap:3",)),
        ("oil temp of the front left tyre", ()),
    ],
)
def test_what_is_not_certain_asks_back_with_every_lap_and_corner(
    question: str, choices: tuple[str, ...]
) -> None:
    reading = read(question, names())
    assert reading.query is None
    text, offered = ask_back(subject(), reading)
    assert len(offered) <= 3
    assert all(each in text and each[0].isupper() and each[-1] == "?" for each in offered)
    again = [read(each, names()).query for each in offered]
    assert [each for each in map(query, choices) if each not in again] == []
    assert all(each is not None and each.scope.places == reading.scope.places for each in again)


@pytest.mark.parametrize(
    "question",
    [
        "why am I slow in turn 7",
        "how do I take the carousel",
        "should I brake later in turn 11",
        "is it raining",
        "brake later into seven?",
        "how did I get on",
        "same brake point every lap?",
        "am I getting better",
        "set me a target",
        "what did you say in turn 7",
        "how many laps did it take to get under 1:50",
        "how far into lap 5 did I brake for turn 11",
        "second best sector 2",
        "rpm range lap 3",
        "is turn 7 faster than turn 8",
        "same for lap 6",
        "top speed lap 12345",
        "my 0 fastest laps",
        "",
        "??",
    ],
)
def test_what_is_no_figure_is_never_certain(question: str) -> None:
    assert read(question, names()).query is None


@given(
    measure=some.sampled_from(sorted(MEASURES)),
    lap=some.sampled_from(["", "4", "best", "last", "span:2-4"]),
    place=some.sampled_from(["", "turn_7", "turn_3a", "sector:2"]),
    which=some.sampled_from(["", "min", "max", "mean"]),
)
def test_a_query_called_in_words_is_read_back(measure: str, lap: str, place: str, which: Any) -> None:
    """What is offered as a choice is a question: asked as it is, it is that query."""
    if (MEASURES[measure].parts == ("corner",) and place == "sector:2") or (measure == "min_speed" and which):
        return
    scope = Scope(
        laps=("best",) if lap == "span:2-4" else (lap,) if lap else ("1",), places=(place,) if place else ()
    )
    wanted = Query(measure=measure, scope=scope, which=which)
    assert read(question_of(subject(), wanted), names()).query == wanted


@given(some.text(max_size=200))
def test_whatever_is_typed_is_read(question: str) -> None:
    reading = read(question, names())
    assert len(reading.choices) <= 3
    assert reading.query is None or not reading.choices


def test_the_tables_belong_together() -> None:
    rows, symbols = tables("ask")["reads"], tables("ask")["words"]
    assert (
        set(rows)
        == {*MEASURES, *TOPICS, "losses", "incidents", "compare", "progress", "session_count"}
        == set(ENGLISH.terms("measure"))
    )
    assert {*MEASURES} <= set(ENGLISH.terms("asked"))
    needed = {each for text in rows.values() for each in text.replace(",", " ").replace("/", " ").split()}
    assert needed - {"BEFORE", "CORNER", "ONELAP", "SECTOR", "STRAIGHT"} <= {
        each for key in symbols for each in key.split()
    }
    assert [
        each for each in TOPICS if read(question_of(subject(), Query(measure=each)), names()).query is None
    ] == []
