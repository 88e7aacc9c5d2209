"""Every answer of the paddock without a model, in the driver's units."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from stored_facts import COMPOSED, opened

from pitwall.analysis.port import Facts
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
    ("TelemetryAgent", "where do I brake for turn 11"),
    ("TelemetryAgent", "lap times"),
    ("TelemetryAgent", "lap 99"),
    ("TelemetryAgent", "thanks"),
    *((agent, "turn 7") for agent in (*COMPOSED, DEBRIEF, BRIEF)),
]
METRIC = re.compile(r"\d (?:km/h|m|bar|°C|degC|C)\b")


@pytest.fixture(scope="module")
def told(sonoma_driven: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    with opened(Home(shutil.copytree(sonoma_driven, tmp_path_factory.mktemp("told") / "home"))) as store:
        yield Told(store)


class Told:
    """`told(words)`: all answers to QUESTIONS in these words, over facts that are read once."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __call__(self, words: Language) -> list[str]:
        composed = self.composed(words)
        return [composed(agent, question) for agent, question in QUESTIONS]

    def ask(self, agent: str, question: str, words: Language) -> str:
        """The answer of an agent to what is stored now."""
        return self.composed(words)(agent, question)

    def composed(self, words: Language) -> Composed:
        self.store.home = Home(self.store.home.root, words)
        facts = Facts(self.store)
        return Composed(Tools(facts).about(facts.sessions()[0]), facts)


@pytest.mark.long
def test_miles_fahrenheit_and_psi_are_in_every_answer_where_they_are_set(told: Told) -> None:
    metric, imperial = told(language()), told(language("imperial"))
    assert len(metric) == len(imperial)
    for before, after in zip(metric, imperial, strict=True):
        assert not METRIC.search(after), after
        assert bool(METRIC.search(before)) == (before != after), before
    shown = " ".join(imperial)
    assert all(f" {unit}" in shown for unit in ("mph", "psi", "°F", "ft"))
