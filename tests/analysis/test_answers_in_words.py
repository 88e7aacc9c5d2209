"""Every answer of the paddock without a model, in the driver's units and in German."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.analysis.compose import ANSWER_TOOLS
from pitwall.analysis.store_facts import StoreFacts
from pitwall.analysis.tools import Tools
from pitwall.config import Home
from pitwall.paddock.composed import Composed
from pitwall.paddock.roster import BRIEF, DEBRIEF
from pitwall.store.store import Store
from pitwall.words.language import Language, language

QUESTIONS = [
    *((agent, "turn 7 in lap 5") for agent in ("CornerCoachAgent", "TelemetryAgent")),
    *(("TelemetryAgent", f"what was the highest {what}") for what in ("speed", "oil pressure", "coolant")),
    *(("TelemetryAgent", f"what was the highest {what}") for what in ("oil temperature", "brake pressure")),
    ("TelemetryAgent", "lap times"),
    ("TelemetryAgent", "lap 99"),
    ("TelemetryAgent", "thanks"),
    *((agent, "turn 7") for agent in (*ANSWER_TOOLS, DEBRIEF, BRIEF)),
]
METRIC = re.compile(r"\d (?:km/h|m|bar|°C|degC|C)\b")
# Words of English sentences that no German one has.
ENGLISH_WORDS = re.compile(r"\b(?:the|and|you|your|of|in lap|at|lost|with)\b")


@pytest.fixture(scope="module")
def told(sonoma_driven: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    with Store(Home(shutil.copytree(sonoma_driven, tmp_path_factory.mktemp("told") / "home"))) as store:
        store.open()
        yield Told(store)


class Told:
    """`told(words)`: all answers to QUESTIONS in these words."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __call__(self, words: Language) -> list[str]:
        self._store.home = Home(self._store.home.root, words)
        facts = StoreFacts(self._store)
        composed = Composed(Tools(facts).about(facts.sessions()[0]), facts)
        return [composed(agent, question) for agent, question in QUESTIONS]


def test_miles_fahrenheit_and_psi_are_in_every_answer_where_they_are_set(told: Told) -> None:
    metric, imperial = told(language("en")), told(language("en", "imperial"))
    assert len(metric) == len(imperial)
    for before, after in zip(metric, imperial, strict=True):
        assert not METRIC.search(after), after
        assert bool(METRIC.search(before)) == (before != after), before
    shown = " ".join(imperial)
    assert all(f" {unit}" in shown for unit in ("mph", "psi", "°F", "ft"))


@pytest.mark.long
def test_answers_are_german_where_german_is_set(told: Told) -> None:
    for english, german in zip(told(language("en")), told(language("de")), strict=True):
        assert german != english
        # A track's landmarks are called what its file calls them.
        own = re.sub(r"Anhaltspunkte?: [^.]*\.", "", german)
        assert not ENGLISH_WORDS.search(own), german
