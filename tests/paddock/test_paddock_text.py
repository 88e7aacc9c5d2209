"""What is done to text by code: emotions parsed, loops seen, histories bounded."""

from __future__ import annotations

import math
from typing import Any

import pytest
from google.genai import types

from pitwall.paddock.adk.plugins import shortened
from pitwall.paddock.context import (
    MAX_TEXT_CHARS,
    Section,
    build_prompt,
    cut,
    tokens,
)
from pitwall.paddock.model_text import EMOTIONS, LoopGuard, as_result, clean, split_emotion
from pitwall.paddock.model_text import shown as _shown
from pitwall.paddock.question_kind import courtesy, is_small_talk
from pitwall.words.language import ENGLISH


def test_there_are_twelve_emotions() -> None:
    assert len(set(EMOTIONS)) == 12


def test_the_emotion_of_a_composed_text_is_parsed_and_never_spoken() -> None:
    assert split_emotion("[calm] Easy now.") == ("Easy now.", "calm")
    assert split_emotion("[Turn] in early") == ("[Turn] in early", "neutral")


def _looping(text: str, size: int) -> bool:
    guard = LoopGuard()
    return any(guard.feed(text[at : at + size]) for at in range(0, len(text), size))


SENTENCE = "".join(f"Corner {number} wants an earlier release and a later throttle. " for number in range(12))


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_three_repeats_are_a_loop_however_they_arrive(size: int) -> None:
    stretch = SENTENCE[:230]
    assert _looping(stretch * 3, size)
    assert _looping("go on " * 120, size)
    assert not _looping(stretch * 2, size)
    assert not _looping(SENTENCE, size)
    assert not _looping("go on " * 60, size)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Turn\x1b[31m 7\x07 is \u202eslow\u202c.", "Turn[31m 7 is slow."),
        ("One.\nTwo.", "One.\nTwo."),
        ("So weit, so gut: Kurve 7 – schön.", "So weit, so gut: Kurve 7 – schön."),
    ],
)
def test_what_a_driver_is_shown_is_words(said: str, shown: str) -> None:
    assert _shown(said) == shown


def test_a_prompt_keeps_to_its_budget_and_names_what_it_left_out() -> None:
    sections = [
        Section(title="profile", text="smooth hands", rank=1),
        Section(title="laps", text="1:52.3 " * 600, rank=8),
        Section(title="session", text="Sonoma", rank=0),
    ]
    built = build_prompt("Why?", sections, budget=300)
    assert tokens(built.text) <= 310
    assert built.left_out == ("laps",)
    assert built.text.index("smooth hands") < built.text.index("Sonoma")


def test_long_texts_are_cut_and_marked() -> None:
    assert cut("a" * 5_000) == "a" * 5_000
    assert cut("a" * 5_007) == "a" * 5_000 + " [cut: 7 characters more]"


def test_a_long_result_is_cut_for_the_model() -> None:
    part = types.Part(
        function_response=types.FunctionResponse(
            name="query", id="7", response={"rows": ["x" * 9_000], "fact": "F2"}
        )
    )
    text = types.Content(role="model", parts=[types.Part(text="t" * 6_000)])
    cut_text, held = shortened(text), shortened(types.Content(role="user", parts=[part]))
    assert len((cut_text.parts or [])[0].text or "") < MAX_TEXT_CHARS + 60
    response = (held.parts or [])[0].function_response
    assert response is not None
    assert response.id == "7"
    assert "[cut: " in response.response["result"]
    assert response.response["fact"] == "F2"
    assert part.function_response is not None
    assert part.function_response.response == {"rows": ["x" * 9_000], "fact": "F2"}


def test_results_become_plain_json() -> None:
    held: list[Any] = []
    held.append(held)
    assert clean({1: (math.nan, 2.5, True, None), "s": {"a"}}) == {"1": [None, 2.5, True, None], "s": ["a"]}
    assert isinstance(clean(held), str), "a structure that holds itself travels as text"
    assert as_result(3) == {"result": 3}


COURTESIES = (
    "hi", "Thanks", "good morning", "cheers mate", "thanks, that was fun", "you still awake?", "never mind",
    "good job today buddy", "ok then", "thx m8", "bye then", "that was a great session, thanks",
    "many thanks",
)  # fmt: skip
QUESTIONS = (
    "how good was lap 7", "how is it", "great lap?", "thanks, where do I lose time", "good", "",
    "good job, and what was my top speed", "was that a great lap", "ok then, where do I lose time",
)  # fmt: skip


def test_courtesies_are_small_talk_and_questions_are_not() -> None:
    for text in (*COURTESIES, *QUESTIONS):
        assert is_small_talk(text) == (text in COURTESIES), text


@pytest.mark.parametrize(
    ("text", "said"),
    [("thanks, that was fun", "any time"), ("you still awake?", "here"), ("never mind", "all right"),
     ("bye then", "see you"), ("ok, thanks", "any time"), ("hello", "hello")],
)  # fmt: skip
def test_a_remark_has_its_answer(text: str, said: str) -> None:
    assert courtesy(text) == ENGLISH.say(said)
