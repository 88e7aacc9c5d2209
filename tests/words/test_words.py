"""What is heard: all of it is said in few words and pushes the right way."""

from __future__ import annotations

import re

import msgspec
import pytest

from pitwall.coach import concepts
from pitwall.voice.clips import Clip, find_clip
from pitwall.words.forms import AMOUNTS, LEVELS, Amount, Level
from pitwall.words.language import ENGLISH, language

# All advice that has words of its own; numbers are spoken by functions.
CONCEPTS = {
    *concepts.CONCEPTS,
    # Scripts alone say the first two.
    *("later_apex", "release_smoother", "consistency", "out_lap", "fuel_low"),
}
LIMITS = ("coolant_hot", "oil_hot", "oil_pressure")

# What every form that is heard before the place must say, and what none of them may: obeying it is at once.
WAYS: dict[str, tuple[str, str]] = {
    "brake_later": (r"\b(later|longer)\b", r"\b(earlier|sooner)\b"),
    "brake_earlier": (r"\b(earlier|sooner)\b", r"\b(later|longer|wait)\b"),
    "turn_in_later": (r"\b(later|longer)\b", r"\b(earlier|sooner)\b"),
    "turn_in_earlier": (r"\b(earlier|sooner)\b", r"\b(later|longer|wait)\b"),
    "throttle_sooner": (r"\b(earlier|sooner)\b", r"\b(later|longer|wait)\b"),
    "throttle_fully": (r"\b(earlier|sooner)\b", r"\b(later|longer|wait)\b"),
    "release_sooner": (r"\b(earlier|sooner)\b", r"\b(later|longer)\b"),
    "brake_lighter": (r"\b(less|lighter|softer)\b", r"\b(more|harder|firmer)\b"),
    "brake_harder": (r"\b(more|harder|firmer)\b", r"\b(less|lighter|softer)\b"),
}


words = ENGLISH


def amounts_of(concept: str) -> tuple[Amount, ...]:
    return ("", *AMOUNTS) if words.takes_amount(concept) else ("",)


def test_all_advice_has_words() -> None:
    assert set(words.concepts()) == CONCEPTS
    for limit in LIMITS:
        assert words.concept(limit).before == words.fixed[limit]


@pytest.mark.parametrize("level", LEVELS)
def test_advice_is_short_whole_and_says_how_much_where_it_can(level: Level) -> None:
    for concept in words.concepts():
        for amount in amounts_of(concept):
            said = words.concept(concept, level, amount)
            forms = msgspec.structs.astuple(said)
            for form in forms:
                assert 1 <= len(form.split()) <= 8, form
                assert len(form) <= 60
                assert re.fullmatch(r"[\w ,-]+", form), form
                assert "  " not in form
            assert len(said.short.split()) <= 4
            assert len({said.before, said.after, said.again}) == 3, concept
        if words.takes_amount(concept):
            told = [words.concept(concept, level, amount) for amount in AMOUNTS]
            assert len({each.before for each in told}) == len({each.after for each in told}) == len(AMOUNTS)


@pytest.mark.parametrize("concept", WAYS)
@pytest.mark.parametrize("level", LEVELS)
def test_obeying_at_once_is_right(concept: str, level: Level) -> None:
    right, wrong = WAYS[concept]
    for amount in amounts_of(concept):
        said = words.concept(concept, level, amount)
        for form in (said.before, said.short, said.again):
            assert not re.search(wrong, form), form
            # "off earlier" and the like say it; a form without the way is one that leaves it open.
            assert re.search(right, form) or concept == "release_sooner", form


def test_all_that_is_said_can_be_rendered() -> None:
    texts = list(words.texts("beginner"))
    assert len(set(texts)) == len(texts)
    assert all(text == text.strip() and text for text in texts)
    said = {*words.spoken_lap_time(112.34), *words.spoken_delta(-1.24), *words.spoken_speed(33.6)}
    assert said <= set(texts)
    assert words.concept("brake_later", "beginner", "car_length").before in texts
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


def test_what_a_fault_cost_is_joined_from_clips_that_are_rendered() -> None:
    clips = {text: Clip(text, None, 1.0) for text in words.texts()}
    told = [words.cost(tenths / 10.0) for tenths in range(1, 15)]
    assert len(set(told)) == 11
    assert all(find_clip(clips, f"{words.concept('no_coasting').before}, {cost}") for cost in told)
    assert words.cost(0.42) == "you lost four tenths"


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
