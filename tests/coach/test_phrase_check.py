"""The check of a phrase: what is shipped and what honest writers write passes, attacks do not, and it says
why."""

from __future__ import annotations

import functools
import json

import msgspec
import pytest
from coach_world import ring
from hypothesis import given
from hypothesis import strategies as st
from phrase_lists import ATTACKS, ATTACKS_GERMAN, HONEST, HONEST_GERMAN, rows

from pitwall.coach.corner_words import LEXICONS, corner_words
from pitwall.coach.phrase_check import MAX_S, RULES, SHORT, check_phrase
from pitwall.coach.phrase_sense import CornerWords
from pitwall.config import shipped
from pitwall.track.library import load_track
from pitwall.track.model import Landmark, Track
from pitwall.words.forms import AMOUNTS, CODES, LEVELS, Code, estimate_s
from pitwall.words.language import language

# How people and machines disguise letters: Cyrillic, Greek, full width, mathematical.
LOOKALIKES = {
    "a": "аａ𝐚α",
    "e": "еｅ𝐞",
    "o": "оｏ𝐨ο",
    "p": "рｐ𝐩ρ",
    "c": "сｃ𝐜",
    "r": "гｒ𝐫",
    "t": "тｔ𝐭τ",
    "i": "іｉ𝐢ι",
}


LISTS: dict[Code, tuple[str, str]] = {"en": (HONEST, ATTACKS), "de": (HONEST_GERMAN, ATTACKS_GERMAN)}


@functools.cache
def sonoma() -> Track:
    return load_track(shipped("track_data") / "sonoma.json")


@functools.cache
def known(corner: str, code: Code = "en") -> CornerWords:
    return corner_words(sonoma(), next(each for each in sonoma().corners if each.id == corner), code)


def why(corner: str, key: str, phrase: str, code: Code = "en") -> str:
    return check_phrase(key, phrase, known(corner, code))


@pytest.mark.parametrize("corner", [each.id for each in sonoma().corners])
def test_what_is_shipped_passes(corner: str) -> None:
    script = json.loads((shipped("audio_cache") / f"{corner}.json").read_text())
    assert {key: why(corner, key, text) for key, text in script.items()} == dict.fromkeys(script, "")
    for code in CODES:
        plain = language(code).plain_script(corner)
        assert {key: why(corner, key, text, code) for key, text in plain.items()} == dict.fromkeys(plain, "")


@pytest.mark.parametrize("code", CODES)
def test_all_advice_of_the_coach_passes_under_its_own_key_and_none_under_an_opposite(code: Code) -> None:
    words = language(code)
    opposites = {
        "brake_later": "brake_earlier", "brake_lighter": "brake_harder", "turn_in_later": "turn_in_earlier",
        "release_sooner": "trail_longer", "gear_up": "gear_down",
    }  # fmt: skip
    opposites |= {other: one for one, other in opposites.items()}
    for concept in RULES.keys() & set(words.concepts()):
        for level in LEVELS:
            for amount in ("", *AMOUNTS) if words.takes_amount(concept) else ("",):
                said = words.concept(concept, level, amount)
                for form in (said.before, said.short, said.again):
                    assert not why("turn_7", concept, form, code), (concept, form)
                    assert concept not in opposites or why("turn_7", opposites[concept], form, code), form


@pytest.mark.parametrize("code", CODES)
def test_the_example_that_a_refusal_gives_is_right(code: Code) -> None:
    assert set(LEXICONS[code].examples) == set(RULES)
    for key, phrase in LEXICONS[code].examples.items():
        for corner in sonoma().corners:
            assert not check_phrase(key, phrase, known(corner.id, code)), (key, corner.id)


def by_key(text: str) -> dict[str, list[tuple[str, str, str]]]:
    found: dict[str, list[tuple[str, str, str]]] = {}
    for row in rows(text):
        found.setdefault(row[1], []).append(row)
    return found


@pytest.mark.parametrize("code", CODES)
def test_the_lists_are_long_and_of_every_key(code: Code) -> None:
    honest, attacks = LISTS[code]
    assert len(rows(honest)) >= (60 if code == "en" else 45)
    assert len(rows(attacks)) >= (60 if code == "en" else 45)
    assert {key.removesuffix(SHORT) for key in by_key(HONEST)} == set(RULES)


@pytest.mark.parametrize(("code", "key"), [(code, key) for code in CODES for key in by_key(LISTS[code][0])])
def test_honest_phrases_pass(code: Code, key: str) -> None:
    told = {phrase: why(corner, key, phrase, code) for corner, _, phrase in by_key(LISTS[code][0])[key]}
    assert told == dict.fromkeys(told, "")


@pytest.mark.parametrize(("code", "key"), [(code, key) for code in CODES for key in by_key(LISTS[code][1])])
def test_attacks_are_refused_by_name(code: Code, key: str) -> None:
    for corner, _, phrase in by_key(LISTS[code][1])[key]:
        told = why(corner, key, phrase, code)
        assert phrase in told or ascii(phrase) in told, phrase


@pytest.mark.parametrize(
    ("corner", "key", "phrase", "told"),
    [
        (
            "turn_7",
            "brake",
            "Full throttle",
            'says "throttle: full", and brake is to tell where to brake or lift',
        ),
        ("turn_7", "brake", "Do not brake", "says what not to do, and brake is to tell where to brake"),
        ("turn_7", "brake", "Brake at the tree", 'names "tree", but the track file has only the crest, '),
        ("turn_7", "brake", "Brake at the bridge", "around Turn 7"),
        ("turn_3", "brake", "Brake at the bridge", "a place or a corner that is not this one's"),
        ("turn_7", "brake", "Brake at the two hundred", 'has the figure "two"'),
        ("turn_7", "brake", "Bremsen", 'has the German word "bremsen" in a script that is English'),
        ("turn_7", "brake", "Brаke", "'\\u0430' (cyrillic small letter a)"),
        ("turn_7", "brake", "Brake, dummy", 'has "dummy", which is no word of a coach in English'),
        ("turn_7", "brake", "Hello there", 'has "hello"'),
        ("turn_7", "brake_later", "Brake", 'says "brake" only, and brake_later is to tell to brake later'),
        ("turn_7", "brake_later", "Brake later, brake earlier", "contradicts itself"),
        ("turn_7", "exit", "Full throttle, less throttle", "contradicts itself"),
        ("turn_7", "approach", "Turn two next", 'names "turn two", which is neither Turn 7 nor'),
        ("turn_7", "turn_in", "Turn left", "on the wrong side: Turn 7 goes right"),
        ("turn_7", "brake", "Turn seven", "tells the driver nothing to do"),
    ],
)
def test_a_refusal_says_why(corner: str, key: str, phrase: str, told: str) -> None:
    found = why(corner, key, phrase)
    assert told in found
    assert 'right would be "' in found or "cyrillic" in found


def test_a_phrase_needs_no_more_time_than_there_is() -> None:
    phrase = "Brake at the three hundred"
    assert estimate_s(phrase) < MAX_S
    assert not check_phrase("brake", phrase, known("turn_7"), room_s=2.0)
    assert "lasts about 1.7 s, and there are 1.0 s for it" in check_phrase(
        "brake", phrase, known("turn_7"), room_s=1.0
    )
    assert "lasts 2.2 s, and there are 2.0 s" in check_phrase(
        "brake", phrase, known("turn_7"), clip_s=2.2, room_s=2.0
    )
    assert not check_phrase("brake", phrase, known("turn_7"), clip_s=1.9, room_s=2.0)
    assert f"there are {MAX_S:.1f} s" in check_phrase("brake", phrase, known("turn_7"), clip_s=4.0)


def test_what_may_be_named_comes_from_the_track_file() -> None:
    track = ring()
    here = track.corners[1]
    assert "no landmark" in check_phrase("brake", "Brake at the shed", corner_words(track, here))
    marked = msgspec.structs.replace(
        here, landmarks=(Landmark("hut", "the red shed"), Landmark("board", "150 board"))
    )
    track = msgspec.structs.replace(track, corners=(track.corners[0], marked, *track.corners[2:]))
    there = corner_words(track, marked)
    for phrase in ("Brake at the shed", "Brake at the one fifty", "Brake at 150", "The red shed"):
        assert check_phrase("brake", phrase, there) == "", phrase
    for phrase in (
        "Brake at the one sixty",
        "Brake at the blue shed",
        "Brake at 15",
        "Brake at the second shed",
    ):
        assert check_phrase("brake", phrase, there), phrase
    # A name is no way in: a word of the lexicon keeps its sense.
    named = msgspec.structs.replace(
        here, name="Full throttle", landmarks=(Landmark("x", "do not brake later"),)
    )
    track = msgspec.structs.replace(track, corners=(track.corners[0], named, *track.corners[2:]))
    for phrase in ("Do not brake", "Brake later", "Throttle", "Full throttle"):
        assert check_phrase("brake", phrase, corner_words(track, named)), phrase


def test_the_land_is_named_where_it_lies_so() -> None:
    assert not why("turn_4", "exit", "Throttle down the hill")
    assert "hill" in check_phrase("exit", "Throttle down the hill", corner_words(ring(), ring().corners[0]))
    assert not why("turn_3a", "brake", "Lift before the crest")
    assert why("turn_9", "brake", "Lift before the crest")


# Phrases whose sense hangs on one word.
DIRECTED = [
    (corner, key, phrase)
    for corner, key, phrase in rows(HONEST)
    if key.removesuffix(SHORT)
    in ("brake", "brake_later", "brake_earlier", "throttle_sooner", "turn_in_later")
]


@given(st.sampled_from(rows(HONEST)), st.data())
def test_one_disguised_letter_is_refused(row: tuple[str, str, str], data: st.DataObject) -> None:
    corner, key, phrase = row
    places = [at for at, char in enumerate(phrase) if char in LOOKALIKES]
    if places:
        at = data.draw(st.sampled_from(places))
        other = data.draw(st.sampled_from(LOOKALIKES[phrase[at]]))
        assert why(corner, key, phrase[:at] + other + phrase[at + 1 :])


@given(
    st.sampled_from(DIRECTED),
    st.sampled_from(["Do not", "Never", "Don't", "Stop, do not", "Forget it, never"]),
)
def test_a_negation_before_it_is_refused(row: tuple[str, str, str], negation: str) -> None:
    corner, key, phrase = row
    if not {"don't", "not", "never"} & set(phrase.lower().split()):
        assert why(corner, key, f"{negation} {phrase[0].lower()}{phrase[1:]}"), phrase


@given(
    st.sampled_from(rows(HONEST)),
    st.sampled_from(["overtake", "bremsen", "pliers", "ignore all rules", "500", "ninety", "кнопка"]),
    st.booleans(),
)
def test_a_word_that_no_coach_says_is_refused_wherever_it_stands(
    row: tuple[str, str, str], word: str, first: bool
) -> None:
    corner, key, phrase = row
    assert why(corner, key, f"{word} {phrase}" if first else f"{phrase} {word}")


@given(st.text("aBrke тé3%,.'-<⚠\u200b\n", max_size=40), st.sampled_from(sorted(RULES)))
def test_whatever_is_written_gets_an_answer(phrase: str, key: str) -> None:
    assert isinstance(why("turn_7", key, phrase), str)
