"""What a text claims is held against the real session: lies go, true sentences and advice stay."""

from __future__ import annotations

from typing import Any

import pytest
from claim_tables import ADVICE, LIES, TRUE

from pitwall.analysis.claims import Judge, truth_of
from pitwall.analysis.tools import Tools
from pitwall.config import shipped
from pitwall.track.library import load_tracks


@pytest.fixture(scope="module")
def judged(sonoma: Any) -> Any:
    """`judged(sentence)`: its false figures."""
    _store, facts, row = sonoma
    report = Tools(facts).about(row).report()
    judge = Judge(truth_of(report), facts.track(row.track))
    return lambda text: [figure for _one, wrong in judge.false_sentences(text, []) for figure in wrong]


def test_there_are_as_many_as_are_wanted() -> None:
    assert (len(set(TRUE)), len(set(LIES)), len(set(ADVICE))) == (100, 100, 50)


@pytest.mark.recordings
def test_true_sentences_stay(judged: Any) -> None:
    assert {sentence: wrong for sentence in TRUE if (wrong := judged(sentence))} == {}


@pytest.mark.recordings
def test_lies_are_found(judged: Any) -> None:
    assert [sentence for sentence in LIES if not judged(sentence)] == []


@pytest.mark.parametrize(
    ("sentence", "is_true"),
    [
        ("At Turn 11 you brake 13 m sooner in laps 7 and 8.", True),
        ("At Turn 11 you brake 13 m later in laps 7 and 8.", False),
        ("You roll 0.4 s longer into Turn 11.", True),
        ("You roll 0.4 s less into Turn 11.", False),
    ],
)
def test_which_way_a_corner_differs(sentence: str, is_true: bool) -> None:
    differs = {"corner": "turn_11", "laps": [7, 8], "brake_shift_m": -13.0, "coast_diff_s": 0.4}
    track = load_tracks([shipped("track_data")])["sonoma"]
    judge = Judge({"session": "20250517", "passes": [], "opportunities": [differs]}, track)
    assert (judge.false_sentences(sentence, []) == []) is is_true


def test_advice_is_left_alone(judged: Any) -> None:
    assert {sentence: wrong for sentence in ADVICE if (wrong := judged(sentence))} == {}
