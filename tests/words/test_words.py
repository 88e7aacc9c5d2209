"""What is heard: all of it is said in few words and pushes the right way."""

from __future__ import annotations

import re

import msgspec
import pytest

from pitwall.diagnosis.advice import PHASE_OF
from pitwall.settings import Settings
from pitwall.words.language import ENGLISH, language

# What every form that is heard before the place must say, and what none of them may: obeying it is at once.
WAYS: dict[str, tuple[str, str]] = {
    "brake_later": (r"\b(later|wait)\b", r"\b(earlier|sooner)\b"),
    "brake_earlier": (r"\b(earlier|sooner)\b", r"\b(later|longer|wait a)\b"),
    "throttle_sooner": (r"\b(earlier|sooner)\b", r"\b(later|longer)\b"),
    "more_apex_speed": (r"\b(more|faster)\b", r"\b(less|slower)\b"),
}


words = ENGLISH


def test_all_advice_has_words() -> None:
    assert set(words.actions()) == set(PHASE_OF)


@pytest.mark.parametrize("action", words.actions())
def test_advice_is_short_whole_and_says_how_much_where_it_can(action: str) -> None:
    for amount in words.amounts(action) or ("",):
        said = words.advice(action, amount)
        for form in (*msgspec.structs.astuple(said), *words.rolled(amount)):
            assert 1 <= len(form.split()) <= 11, form
            assert len(form) <= 60
            assert re.fullmatch(r"[\w ,-]+", form), form
            assert "  " not in form
        assert len(said.short.split()) <= 4
        assert len(said.short) < len(said.do)
    told = [words.advice(action, amount).do for amount in words.amounts(action)]
    assert len(set(told)) == len(told)


@pytest.mark.parametrize("action", WAYS)
def test_obeying_at_once_is_right(action: str) -> None:
    right, wrong = WAYS[action]
    for amount in words.amounts(action):
        said = words.advice(action, amount)
        for form in (said.do, said.short, said.habit, said.attempt):
            # A habit names what is wrong, and then what to do.
            asked = (
                form.rpartition(", ")[2] if form == said.habit else form.removeprefix("off the brake sooner")
            )
            assert not re.search(wrong, asked), form
            assert re.search(right, asked), form


def test_all_that_is_said_can_be_rendered() -> None:
    texts = list(words.texts())
    assert len(set(texts)) == len(texts)
    assert all(text == text.strip() and text for text in texts)
    said = {*words.spoken_lap_time(112.34), *words.spoken_delta(-1.24), *words.spoken_speed(33.6)}
    assert said <= set(texts)
    assert words.advice("brake_later", "a car length").do in texts
    assert words.advice("more_apex_speed", "three").do == "off the brake sooner, three more in the middle"
    assert words.fixed["gps_lost"] in texts


def test_every_number_is_joined_from_clips_that_are_rendered() -> None:
    texts = set(words.texts())
    for tenths in range(0, 6000, 7):
        assert set(words.spoken_lap_time(tenths / 10.0)) <= texts
        assert set(words.spoken_delta((tenths - 3000) / 10.0)) <= texts
        assert set(words.spoken_speed(tenths / 36.0)) <= texts


@pytest.mark.parametrize(
    ("time_s", "said"),
    [
        (112.34, "one fifty two point three"),
        (65.04, "one oh five point zero"),
        (58.26, "fifty eight point three"),
        (119.96, "two oh oh point zero"),
    ],
)
def test_a_lap_time_is_said_as_drivers_say_it(time_s: float, said: str) -> None:
    assert " ".join(words.spoken_lap_time(time_s)) == said


@pytest.mark.parametrize(
    ("delta_s", "said"),
    [
        (0.32, "three tenths slower"),
        (1.0, "one second slower"),
        (-2.0, "two seconds faster"),
        (-0.1, "one tenth faster"),
        (-1.24, "one point two faster"),
        (0.04, "level"),
    ],
)
def test_a_difference_is_said_to_the_tenth(delta_s: float, said: str) -> None:
    assert " ".join(words.spoken_delta(delta_s)) == said


def test_a_speed_is_said_in_the_units_that_the_driver_thinks_in() -> None:
    assert words.spoken_speed(33.61) == ("one hundred", "twenty one")
    assert language("imperial").spoken_speed(33.61) == ("seventy five",)


@pytest.mark.parametrize(
    ("corner", "name"),
    [
        ("turn_3a", "turn three A"),
        ("canada_corner", "the Canada Corner"),
    ],
)
def test_a_corner_is_named_as_it_is_said(corner: str, name: str) -> None:
    assert words.name(corner) == name


def test_numbers_up_to_a_thousand_are_words() -> None:
    said = [words.number_words(number) for number in range(1000)]
    assert len(set(said)) == 1000
    assert not any(char.isdigit() for text in said for char in text)


def test_a_bike_has_its_own_words_where_a_setting_says_so() -> None:
    bike, car = Settings(vehicle="Bike R6").words, Settings(vehicle="BMW with a bike rack").words
    assert bike.advice("more_apex_speed", "three").do == "let it roll, three more in the middle"
    assert car.advice("more_apex_speed", "three").do == "off the brake sooner, three more in the middle"
    assert bike.amounts("brake_later")[-1] == "two bike lengths"
    assert bike.advice("brake_later", "a little") == car.advice("brake_later", "a little")
    assert bike.term("advice", "no_coasting") == "Stay on the gas until you brake."
    assert set(bike.terms("habit")) == set(car.terms("habit"))
    assert "let it roll" in set(bike.texts()) - set(car.texts()), "it is rendered"
    assert not any("pedal" in text or "let it roll, {" in text for text in bike.texts())
