"""Full-text search over lessons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwall.analysis.recall import search, terms
from pitwall.store.lessons import Evidence, Lesson


def lesson(name: str, text: str, words: str = "", at_utc_s: float = 0.0) -> Lesson:
    return Lesson(
        id=name, kind="fault", driver="Ann", track="sonoma", corner="", cause="", text=text, words=words,
        evidence=(Evidence(session="s", at_utc_s=0.0, laps=(1, 2)),), active=True, created_utc_s=0.0,
        updated_utc_s=at_utc_s,
    )  # fmt: skip


LESSONS = [
    lesson(
        "seven", "Turn 7: you over-slow, about 0.43 s a lap (6 laps in 2 sessions).", "sonoma turn 7", 1.0
    ),
    lesson("six", "The Carousel: you brake early, in 11 laps.", "sonoma turn 6 carousel t6", 2.0),
    lesson("eleven", "Turn 11: your exit is slow (2 sessions).", "sonoma turn 11 hairpin", 3.0),
    lesson("habit", "A habit at Sonoma: you brake early in The Carousel and Turn 2.", "sonoma", 4.0),
]


def found(words: str) -> list[str]:
    return [each.id for each in search(LESSONS, words)]


@pytest.mark.parametrize(
    ("words", "best"),
    [
        ("T7", ["seven"]),
        ("what am I doing wrong in turn seven?", ["seven"]),
        ("turn 11", ["eleven"]),
        ("the carousel", ["six", "habit"]),
        ("my braking", ["six", "habit"]),
        ("Hairpin exits!", ["eleven"]),
        ("how many laps of turn in 2 sessions", []),
        ("how are you", []),
        ("weather", []),
        ('"; DROP TABLE lessons; -- NEAR( AND *', []),
    ],
)
def test_what_is_found(words: str, best: list[str]) -> None:
    assert found(words)[: len(best)] == best
    assert best or found(words) == []


def test_a_rare_word_weighs_more_than_two_that_most_have() -> None:
    rest = [
        lesson(f"more {number}", f"Turn {number}: you brake early.", "sonoma") for number in range(20, 26)
    ]
    assert search([*rest, *LESSONS], "sonoma, brake early, hairpin")[0].id == "eleven"


def test_a_word_that_all_have_still_finds_them() -> None:
    assert sorted(found("sonoma")) == sorted(each.id for each in LESSONS)


def test_no_words_give_the_newest_first() -> None:
    assert found("  ") == ["habit", "eleven", "six", "seven"]
    assert [each.id for each in search(LESSONS, "", most=1)] == ["habit"]
    assert search([], "carousel") == []


@given(st.text(max_size=200))
@pytest.mark.long
def test_any_question_finds_what_has_one_of_its_terms(words: str) -> None:
    asked = set(terms(words))
    having = {each.id for each in LESSONS if asked & set(terms(f"{each.text} {each.words} fault"))}
    if words.strip():
        assert having <= {*found(words)}
