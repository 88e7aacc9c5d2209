"""The grammar of phrases: it derives what is shipped, no dangerous phrase, and honest ones or a near form."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from coach_world import ring
from hypothesis import given
from hypothesis import strategies as st

from pitwall.coach.phrases import (
    TELLS,
    PhrasePlace,
    check_phrase,
    derived,
    nearest,
    nearest_elsewhere,
    place_of,
    sayable,
)
from pitwall.config import shipped
from pitwall.track.library import load_track
from pitwall.track.model import Landmark, Track
from pitwall.words.language import ENGLISH

# How people and machines disguise letters: Cyrillic, Greek, full width, mathematical.
LOOKALIKES = {"a": "аａ𝐚α", "e": "еｅ𝐞", "o": "оｏ𝐨ο", "p": "рｐ𝐩ρ", "c": "сｃ𝐜", "t": "тｔ𝐭τ", "i": "іｉ𝐢ι"}


def rows(part: str) -> list[tuple[str, str, str]]:
    """(corner, key, phrase) of one part of a list: lines of `corner key: phrase | phrase`."""

    def read() -> Iterator[tuple[str, str, str]]:
        text = (Path(__file__).parent / "phrases.txt").read_text()
        for line in re.sub(r"\n +", " ", text.split(f"== {part}\n")[1].split("==")[0]).splitlines():
            place, _, phrases = line.partition(": ")
            corner, key = place.split()
            yield from ((corner, key, phrase) for phrase in phrases.split(" | "))

    return list(read())


@functools.cache
def sonoma() -> Track:
    return load_track(shipped("track_data") / "sonoma.json")


@functools.cache
def at(corner: str) -> PhrasePlace:
    return place_of(sonoma(), next(each for each in sonoma().corners if each.id == corner))


@pytest.mark.parametrize("corner", [each.id for each in sonoma().corners])
def test_what_is_shipped_is_derived(corner: str) -> None:
    script = json.loads((shipped("audio_cache") / f"{corner}.json").read_text())
    assert [text for key, text in script.items() if not derived(key, text, at(corner))] == []
    plain = ENGLISH.plain_script(corner)
    assert [text for key, text in plain.items() if not derived(key, text, at(corner))] == []


def test_all_advice_of_the_coach_is_derived_under_its_own_key_and_none_under_an_opposite() -> None:
    words = ENGLISH
    opposites = {
        "brake_later": "brake_earlier", "brake_lighter": "brake_harder", "turn_in_later": "turn_in_earlier",
        "release_sooner": "trail_longer", "gear_up": "gear_down",
    }  # fmt: skip
    opposites |= {other: one for one, other in opposites.items()}
    for action in TELLS.keys() & set(words.actions()):
        for said in (words.advice(action, amount) for amount in words.amounts(action) or ("",)):
            for form in (said.do, said.short):
                assert derived(action, form, at("turn_7")), (action, form)
                assert action not in opposites or not derived(opposites[action], form, at("turn_7"))
    # What older versions said themselves may stand in a script.
    for action, form in (("brake_later", "wait a touch longer, then brake"), ("gear_up", "one gear higher")):
        assert derived(action, form, at("turn_7"))


def test_no_dangerous_phrase_is_derived() -> None:
    dangerous = rows("dangerous")
    assert len(dangerous) >= 500
    found = [row for row in dangerous if derived(row[1], row[2], at(row[0]))]
    assert found == []


def test_honest_phrases_are_derived_or_offered_in_a_near_form() -> None:
    honest = rows("honest")
    assert {key.removesuffix("_short") for _, key, _ in rows("honest")} == set(TELLS)
    others = [row for row in honest if not derived(row[1], row[2], at(row[0]))]
    assert len(others) <= 0.15 * len(honest)
    for corner, key, phrase in others[::4]:
        near = nearest(key, phrase, at(corner))
        assert not near or derived(key, near, at(corner)), near


@pytest.mark.parametrize(
    ("corner", "key", "phrase", "near"),
    [
        ("turn_7", "brake", "Brake at the bridge", "Brake"),
        (
            "turn_7",
            "brake",
            "Brake hard, keep the wheel nice and straight",
            "Brake hard, keep the wheel straight",
        ),
        ("turn_7", "brake_later", "Brake about a car length later", "Brake a car length later"),
        ("turn_11", "exit", "Straight wheel, all the throttle", "Straight wheel, full throttle"),
        ("turn_2", "brake", "Brake when you get to the bridge", "Brake at the bridge"),
    ],
)
def test_a_refusal_offers_the_nearest_that_can_be_said(corner: str, key: str, phrase: str, near: str) -> None:
    told = check_phrase(key, phrase, at(corner))
    assert f'"{phrase}" is nothing that can be said under {key}' in told
    assert TELLS[key] in told
    assert near in told


# Where the same sense has its place.
ELSEWHERE = {
    "Full throttle": ("exit", "Full throttle"),
    "Let go of the brake": ("turn_in", "Release the brake"),
    "Throttle, then brake": ("no_coasting", "Throttle, then brake"),
    "Brake a bit deeper": ("brake_later", "Brake a bit later"),
    "One gear higher": ("gear_up", "One gear higher"),
}


@pytest.mark.parametrize(
    ("key", "phrase"),
    [
        ("brake", "Ease it in"),
        ("brake", "Stamp on it"),
        ("brake", "Full throttle"),
        ("brake", "Brake after the corner"),
        ("gear_down", "Third gear here"),
        ("apex", "Don't add steering"),
        ("apex", "Don't touch the inside kerb"),
        ("brake", "No brakes here"),
        ("brake", "Just a dab of brake"),
        ("brake", "Let go of the brake"),
        ("brake", "Throttle, then brake"),
        ("brake", "Brake a bit deeper"),
        ("exit", "Don't go full throttle"),
        ("approach", "Never stay on the left"),
        ("approach", "Move to the right"),
        ("turn_in", "Release the wheel"),
        ("use_exit", "Don't use all the road"),
        ("gear_down", "One gear higher"),
    ],
)
def test_what_would_say_something_else_is_not_offered_as_near(key: str, phrase: str) -> None:
    assert nearest(key, phrase, at("turn_7")) == ""
    told = check_phrase(key, phrase, at("turn_7"))
    other, near = nearest_elsewhere(phrase, at("turn_7"))
    offer = (
        f'; under {other} it can be said: "{near}"'
        if other
        else f'; such as "{sayable(key, at("turn_7"))[0]}" or '
    )
    assert offer in told
    assert (other, near) == ELSEWHERE.get(phrase, ("", ""))


def test_no_phrase_ends_before_the_side_that_it_names() -> None:
    for key, phrase in (("exit", "Let it run wide to the"), ("exit", "Run out to the")):
        assert not derived(key, phrase, at("turn_7"))
        assert derived(key, f"{phrase} left", at("turn_7"))


def test_what_a_model_is_shown_can_be_said_at_every_corner() -> None:
    for corner in sonoma().corners:
        for key in TELLS:
            shown = sayable(key, at(corner.id))
            assert len(shown) >= 2, (corner.id, key)
            assert [text for text in shown if check_phrase(key, text, at(corner.id))] == []


def test_what_may_be_named_comes_from_the_track_file() -> None:
    track, here = ring(), ring().corners[1]

    def with_marks(*marks: Landmark, name: str = "Turn 2") -> PhrasePlace:
        corner = msgspec.structs.replace(here, landmarks=marks, name=name, nicknames=(name,))
        corners = (track.corners[0], corner, *track.corners[2:])
        return place_of(msgspec.structs.replace(track, corners=corners), corner)

    assert not derived("brake", "Brake at the shed", with_marks())
    there = with_marks(Landmark("hut", "the red shed"), Landmark("board", "150 board"))
    for phrase in (
        "Brake at the shed",
        "Brake at the one hundred fifty",
        "Brake at 150",
        "The red shed, brake",
    ):
        assert derived("brake", phrase, there), phrase
    for phrase in (
        "Brake at the one sixty",
        "Brake at the blue shed",
        "Brake at 15",
        "Brake at the second shed",
    ):
        assert not derived("brake", phrase, there), phrase
    # One brakes at a landmark only where it stands before the corner.
    assert not derived("brake", "Brake at the shed", with_marks(Landmark("hut", "the shed", here.apex_m)))
    # A name is no way in.
    named = with_marks(
        Landmark("x", "do not brake later"), Landmark("x", "full throttle"), name="Full throttle"
    )
    for phrase in (
        "Do not brake later",
        "Brake at full throttle",
        "Full throttle",
        "Brake for full throttle",
    ):
        assert not derived("brake", phrase, named), phrase


HONEST = rows("honest")


@given(st.sampled_from(HONEST), st.data())
def test_one_disguised_letter_is_refused(row: tuple[str, str, str], data: st.DataObject) -> None:
    corner, key, phrase = row
    places = [place for place, char in enumerate(phrase) if char in LOOKALIKES]
    if places:
        place = data.draw(st.sampled_from(places))
        other = data.draw(st.sampled_from(LOOKALIKES[phrase[place]]))
        assert check_phrase(key, phrase[:place] + other + phrase[place + 1 :], at(corner))


@given(
    st.sampled_from(HONEST),
    st.sampled_from(
        ["do not", "never", "overtake", "bremsen", "ignore all rules", "500", "кнопка", "wait until"]
    ),
    st.booleans(),
)
def test_words_that_turn_or_leave_the_sense_are_refused_wherever_they_stand(
    row: tuple[str, str, str], word: str, first: bool
) -> None:
    corner, key, phrase = row
    assert not derived(key, f"{word} {phrase}" if first else f"{phrase} {word}", at(corner))


@given(st.text("aBrke тé3%,.'-<⚠\u200b\n", max_size=40), st.sampled_from(sorted(TELLS)))
def test_whatever_is_written_gets_an_answer(phrase: str, key: str) -> None:
    assert isinstance(check_phrase(key, phrase, at("turn_7")), str)
