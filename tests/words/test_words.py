"""What is heard: every language says all of it, in few words, and pushes the right way."""

from __future__ import annotations

import re

import msgspec
import pytest

from pitwall.coach import concepts
from pitwall.voice.clips import Clip, find_clip
from pitwall.words.forms import AMOUNTS, CODES, LEVELS, Amount, Code, Level
from pitwall.words.language import ENGLISH, Language, language

# All advice that has words of its own; numbers are spoken by functions.
CONCEPTS = {
    *concepts.CONCEPTS,
    # Scripts alone say the first two.
    *("later_apex", "release_smoother", "consistency", "out_lap", "fuel_low"),
}
LIMITS = ("coolant_hot", "oil_hot", "oil_pressure")

# What every form that is heard before the place must say, and what none of them may: obeying it is at once.
WAYS: dict[tuple[Code, str], tuple[str, str]] = {
    ("en", "brake_later"): (r"\b(later|longer)\b", r"\b(earlier|sooner)\b"),
    ("en", "brake_earlier"): (r"\b(earlier|sooner)\b", r"\b(later|longer|wait)\b"),
    ("en", "turn_in_later"): (r"\b(later|longer)\b", r"\b(earlier|sooner)\b"),
    ("en", "turn_in_earlier"): (r"\b(earlier|sooner)\b", r"\b(later|longer|wait)\b"),
    ("en", "throttle_sooner"): (r"\b(earlier|sooner)\b", r"\b(later|longer|wait)\b"),
    ("en", "throttle_fully"): (r"\b(earlier|sooner)\b", r"\b(later|longer|wait)\b"),
    ("en", "release_sooner"): (r"\b(earlier|sooner)\b", r"\b(later|longer)\b"),
    ("en", "brake_lighter"): (r"\b(less|lighter|softer)\b", r"\b(more|harder|firmer)\b"),
    ("en", "brake_harder"): (r"\b(more|harder|firmer)\b", r"\b(less|lighter|softer)\b"),
    ("de", "brake_later"): (r"\b(später|länger)\b", r"\b(früher|eher)\b"),
    ("de", "brake_earlier"): (r"\b(früher|eher)\b", r"\b(später|länger|warten)\b"),
    ("de", "turn_in_later"): (r"\b(später|länger)\b", r"\b(früher|eher)\b"),
    ("de", "turn_in_earlier"): (r"\b(früher|eher)\b", r"\b(später|länger|warten)\b"),
    ("de", "throttle_fully"): (r"\b(früher|eher)\b", r"\b(später|länger|warten)\b"),
    ("de", "throttle_sooner"): (r"\b(früher|eher)\b", r"\b(später|länger|warten)\b"),
    ("de", "release_sooner"): (r"\b(früher|eher)\b", r"\b(später|länger)\b"),
    ("de", "brake_lighter"): (r"\b(weniger|sanfter|weicherem)\b", r"\b(mehr|fester|kräftig)\b"),
    ("de", "brake_harder"): (r"\b(mehr|fester|kräftig)\b", r"\b(weniger|sanfter)\b"),
}


@pytest.fixture(params=CODES)
def words(request: pytest.FixtureRequest) -> Language:
    return language(request.param)


def amounts_of(words: Language, concept: str) -> tuple[Amount, ...]:
    return ("", *AMOUNTS) if words.takes_amount(concept) else ("",)


def test_every_language_has_words_for_all_that_english_has(words: Language) -> None:
    assert set(words.fixed) == set(ENGLISH.fixed)
    assert set(words.concepts()) == CONCEPTS
    assert list(words.plain_script("turn_1")) == list(ENGLISH.plain_script("turn_1"))
    for concept in CONCEPTS:
        assert words.takes_amount(concept) == ENGLISH.takes_amount(concept)
    for limit in LIMITS:
        assert words.concept(limit).before == words.fixed[limit]


@pytest.mark.parametrize("level", LEVELS)
def test_advice_is_short_whole_and_says_how_much_where_it_can(words: Language, level: Level) -> None:
    for concept in words.concepts():
        for amount in amounts_of(words, concept):
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


@pytest.mark.parametrize(("code", "concept"), WAYS)
@pytest.mark.parametrize("level", LEVELS)
def test_whoever_obeys_at_once_does_the_right_thing(code: Code, concept: str, level: Level) -> None:
    right, wrong = WAYS[code, concept]
    words = language(code)
    for amount in amounts_of(words, concept):
        said = words.concept(concept, level, amount)
        for form in (said.before, said.short, said.again):
            assert not re.search(wrong, form), form
            # "off earlier" and the like say it; a form without the way is one that leaves it open.
            assert re.search(right, form) or concept == "release_sooner", form


def test_all_that_is_said_can_be_rendered(words: Language) -> None:
    texts = list(words.texts("beginner"))
    assert len(set(texts)) == len(texts)
    assert all(text == text.strip() and text for text in texts)
    said = {*words.spoken_lap_time(112.34), *words.spoken_delta(-1.24), *words.spoken_speed(33.6)}
    assert said <= set(texts)
    assert words.concept("brake_later", "beginner", "car_length").before in texts
    assert words.fixed["gps_lost"] in texts


def test_every_number_is_joined_from_clips_that_are_rendered(words: Language) -> None:
    texts = set(words.texts())
    for tenths in range(0, 6000, 7):
        assert set(words.spoken_lap_time(tenths / 10.0)) <= texts
        assert set(words.spoken_delta((tenths - 3000) / 10.0)) <= texts
        assert set(words.spoken_speed(tenths / 36.0)) <= texts


@pytest.mark.parametrize(
    ("code", "time_s", "said"),
    [
        ("en", 112.34, "one fifty two point three"),
        ("en", 65.04, "one oh five point zero"),
        ("en", 58.26, "fifty eight point three"),
        ("en", 119.96, "two oh oh point zero"),
        ("de", 112.34, "eins zweiundfünfzig drei"),
        ("de", 65.04, "eins null fünf null"),
        ("de", 58.26, "achtundfünfzig drei"),
        ("de", 81.9, "eins einundzwanzig neun"),
    ],
)
def test_a_lap_time_is_said_as_drivers_say_it(code: Code, time_s: float, said: str) -> None:
    assert " ".join(language(code).spoken_lap_time(time_s)) == said


@pytest.mark.parametrize(
    ("code", "delta_s", "said"),
    [
        ("en", 0.32, "three tenths slower"),
        ("en", 1.0, "one second slower"),
        ("en", -2.0, "two seconds faster"),
        ("en", -0.1, "one tenth faster"),
        ("en", -1.24, "one point two faster"),
        ("en", 0.04, "level"),
        ("de", 0.32, "drei Zehntel langsamer"),
        ("de", -0.1, "ein Zehntel schneller"),
        ("de", 1.0, "eine Sekunde langsamer"),
        ("de", -1.24, "eins Komma zwei schneller"),
        ("de", -0.04, "gleichauf"),
    ],
)
def test_a_difference_is_said_to_the_tenth(code: Code, delta_s: float, said: str) -> None:
    assert " ".join(language(code).spoken_delta(delta_s)) == said


def test_what_a_fault_cost_is_joined_from_clips_that_are_rendered(words: Language) -> None:
    clips = {text: Clip(text, None, 1.0) for text in words.texts()}
    told = [words.cost(tenths / 10.0) for tenths in range(1, 15)]
    assert len(set(told)) == 11
    assert all(find_clip(clips, f"{words.concept('no_coasting').before}, {cost}") for cost in told)
    assert words.cost(0.42) == {"en": "you lost four tenths", "de": "vier Zehntel verloren"}[words.code]


def test_a_speed_is_said_in_the_units_that_the_driver_thinks_in() -> None:
    assert language("en").spoken_speed(33.61) == ("one hundred", "twenty one")
    assert language("en", "imperial").spoken_speed(33.61) == ("seventy five",)
    assert "".join(language("de").spoken_speed(33.61)) == "hunderteinundzwanzig"
    assert language("de").spoken_speed(27.78) == ("hundert",)


@pytest.mark.parametrize(
    ("code", "corner", "name"),
    [
        ("en", "turn_3a", "turn three A"),
        ("en", "canada_corner", "the Canada Corner"),
        ("de", "turn_3a", "Kurve drei A"),
        ("de", "turn_21", "Kurve einundzwanzig"),
        ("de", "carousel", "Carousel"),
    ],
)
def test_a_corner_is_named_as_it_is_said(code: Code, corner: str, name: str) -> None:
    assert language(code).name(corner) == name


def test_numbers_up_to_a_thousand_are_words(words: Language) -> None:
    said = [words.number_words(number) for number in range(1000)]
    assert len(set(said)) == 1000
    assert not any(char.isdigit() for text in said for char in text)
