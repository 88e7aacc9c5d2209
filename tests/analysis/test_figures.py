"""Figures as drivers hear them: which are measured, which are names, and which are a way of speaking."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwall.analysis.compose import compose_brief, compose_debrief
from pitwall.analysis.compose_words import plain
from pitwall.analysis.figure_check import known_figures, unsupported
from pitwall.analysis.figures import figures
from pitwall.analysis.report import brief_facts, debrief_facts
from pitwall.analysis.store_facts import StoreFacts
from pitwall.analysis.tools import Tools
from pitwall.paddock.roster import COMPOSED, DUTIES, answer_of
from pitwall.words.language import ENGLISH

STATE: dict[str, Any] = {
    "best_lap": 7,
    "best_lap_time_s": 109.098,
    "findings": [
        {"corner": "Turn 7", "loss_s": 0.4, "laps": [5, 7, 8]},
        {"corner": "Turn 4", "loss_s": 0.25},
    ],
}
SPEEDS = {"entry_speed_kmh": 140.2, "min_speed_kmh": 60.4, "peak_rpm": 6000, "g_lat": 1.21, "brake_m": -14.2}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Brake eighty metres later", "eighty metres"),
        ("You lost ninety metres", "ninety metres"),
        ("thirteen metres later", "thirteen metres"),
        ("twenty-five metres later", "twenty-five metres"),
        ("fourteen km/h slower", "fourteen km/h"),
        ("sixty kph", "sixty kph"),
        ("one hundred and forty kph", "one hundred and forty kph"),
        ("six thousand rpm", "six thousand rpm"),
        ("You were a full second off", "a full second"),
        ("three quarters of a second", "three quarters of a second"),
        ("a couple of seconds", "a couple of seconds"),
        ("a couple of hundredths", "a couple of hundredths"),
        ("You lost 7 seconds in Turn 7", "7 seconds"),
        ("You lost a second there", "a second"),
        ("A second and a half in Turn 7", "A second and a half"),
        ("two and a half tenths in Turn 11", "11"),
        ("Brake two car lengths later", "two car lengths"),
        ("Pull 1.5g there", "1.5g"),
        ("About 85% throttle", "85%"),
        ("In third gear", "third gear"),
        ("Half a dozen bad exits", "Half a dozen bad exits"),
        ("Brake at the five board", "five"),
        ("Brake at the one fifty", "one fifty"),
        ("Five to ten metres", "Five"),
        ("Turn 9 is yours", "9"),
        ("Lap 4 was best", "4"),
        ("Laps 5, 7 and 9", "9"),
        ("Turn nine is yours", "nine"),
        ("one oh eight point two", "one oh eight point two"),
        ("One minute fifty-two", "One minute fifty-two"),
        ("You did five laps", "five laps"),
        ("You spun four times", "four"),
        ("a third of a second", "a third of a second"),
        ("Forty is too much", "Forty"),
        ("Ten or so metres in T7", "Ten or so metres"),
        ("At T3a second gear", "3a"),
    ],
)
def test_a_figure_that_is_not_in_the_state_is_found(text: str, wrong: str) -> None:
    found = unsupported(text, STATE)
    assert found
    assert found[0].startswith(wrong) or wrong.startswith(found[0])


@pytest.mark.parametrize(
    "text",
    [
        "Turn 7, laps 5, 7 and 8: four tenths a lap.",
        "T7 and turn four, a quarter of a second.",
        "Two and a half tenths in turn 4.",
        "Two or three tenths in turn 4.",
        "One forty-nine point one in lap seven.",
        "One minute forty-nine, lap 7. 1.49.098 exactly.",
        "In three laps it was turn 7; two corners hold all of it.",
        "One thing: two hands, one long release. A second later the car turns. Give it a second.",
        "Lap after lap, one lap at a time, half the throttle, the second apex in turn 7.",
        "The first two are easy, all four wheels stay on. Three things, a car length at a time.",
        "1. Brake.\n2. Turn.",
        "You lost zero point four there, point four.",
    ],
)
def test_a_figure_of_the_state_and_speech_are_accepted(text: str) -> None:
    assert unsupported(text, STATE) == []


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("You came in at 140 km/h, 87 mph.", True),
        ("You came in at one hundred and forty kilometres per hour.", True),
        ("You pulled 140 metres out of it.", False),
        ("140 rpm", False),
        ("Six thousand revs, 6,000 rpm, 6k rpm.", True),
        ("6,100 rpm", False),
        ("1.2 g, and fourteen metres earlier.", True),
        ("1.2 seconds", False),
        ("fourteen tenths", False),
        ("60 degrees", False),
    ],
)
def test_a_measure_backs_no_other(text: str, accepted: bool) -> None:
    assert (unsupported(text, SPEEDS) == []) == accepted


def test_a_full_second_is_no_part_of_one() -> None:
    assert unsupported("You lost a full second", {"loss_s": 0.64}) == ["a full second"]
    assert unsupported("You lost a full second", {"loss_s": 1.04}) == []


def test_a_german_answer_and_an_imperial_one_keep_to_their_facts() -> None:
    state = {"corner": "turn_7", "loss_s": 0.52, "laps": [{"lap": 5}, {"lap": 7}], "oil_temp_c": 120.0}
    assert unsupported("Kurve 7 kostet 0,52 s in Runde 5 und 7, etwa 5 Zehntel.", state) == []
    assert unsupported("Kurve 7 kostet 0,82 s, 3 Wagenlängen.", state) == ["0,82 s", "3 Wagenlängen"]
    assert unsupported("Oil at 248 °F, 248 degrees Fahrenheit.", state) == []
    assert unsupported("Oil at 120 °F", state) == ["120 °F"]


def test_names_of_laps_corners_and_cars_measure_nothing() -> None:
    state = {"session": "sonoma-20220313-9", "vehicle": "BMW M3", "reference": "abc:6", "turn_11": {"lap": 4}}
    assert unsupported("3 seconds, 11 metres, 4 tenths, 6 bar", state) == [
        "3 seconds", "11 metres", "4 tenths", "6 bar",
    ]  # fmt: skip
    assert unsupported("Your BMW M3 in sonoma-20220313-9: lap 4, turn 11, against lap 6.", state) == []
    table = {"columns": ["lap", "time_s"], "rows": [[3, 109.5]]}
    assert unsupported("Lap 3, 109.5 s", table) == []
    assert unsupported("3 seconds", table) == ["3 seconds"]


def test_marks_are_those_that_stand_there() -> None:
    place = {"landmarks": ["the 300 board", "bridge"], "laps": [1, 2, 3]}
    assert unsupported("Brake at the three hundred. 300 metre board, 300 metres out.", place) == []
    assert unsupported("Brake at the 3 board, then the 500 board", place) == ["3", "500"]


@given(st.integers(0, 999), st.sampled_from(["metres", "km/h", "bar", "rpm"]))
def test_every_number_is_read_as_it_is_said(value: int, measure: str) -> None:
    said = ENGLISH.number_words(value)
    (figure,) = figures(f"It was {said} {measure} there") if value != 0 else figures(f"zero {measure}")
    assert value in [round(read) for read, _slack in figure.readings]
    assert figure.shown.endswith(measure)


@pytest.mark.parametrize("intent", COMPOSED)
def test_composed_answers_keep_to_their_facts(tools: Tools, intent: str) -> None:
    table = tools.table()
    arguments = {"lap_delta": {"lap": 7}, "corner_history": {"corner": "turn_7"}}
    name = DUTIES[intent].composed_from
    results = {name: table[name](**arguments.get(name, {}))}
    assert unsupported(answer_of(intent, results), results) == []


def test_the_debrief_and_the_brief_keep_to_their_facts(
    tools: Tools, sonoma: tuple[Any, StoreFacts, Any]
) -> None:
    report = tools.report()
    debrief, brief = debrief_facts(report), brief_facts(report, sonoma[1])
    assert unsupported(compose_debrief(debrief), plain(debrief)) == []
    assert unsupported(compose_brief(brief), plain(brief)) == []
    assert unsupported(compose_debrief(debrief), known_figures({})) != []
