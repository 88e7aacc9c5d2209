"""Every answer of the paddock without a model, in the driver's units."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from stored_facts import opened

from pitwall.analysis.highlights import at_pace
from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.config import Home
from pitwall.paddock.composed import Composed
from pitwall.paddock.roster import BRIEF, COMPOSED, DEBRIEF
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


def test_what_the_driver_marked_is_told_by_lap_time_and_place(told: Told) -> None:
    asked = "What did I mark?"
    assert "You marked nothing" in told.ask(DEBRIEF, asked, language())
    facts = Facts(told.store)
    session = facts.sessions()[0].id
    inside, after = (
        each for each in facts.corner_passes(session) if each.lap == 3 and each.corner in ("turn_2", "turn_7")
    )
    for number, (t, mark) in enumerate([(inside.entry_t + 0.1, "mark"), (after.exit_t + 1.5, "traffic")]):
        told.store.put(
            "INSERT INTO cues (session, cue, t, lap, corner, phase, text, tier, priority, outcome, reason)"
            " VALUES (?, ?, ?, 3, '', 'mark', ?, 'rule', 1, 'noted', '')",
            [session, 90_000 + number, t, mark],
        )
    assert told.store.flush()
    start_t = next(lap.start_t for lap in facts.laps(session) if lap.number == 3)
    into_s = inside.entry_t + 0.1 - start_t
    english = told.ask(DEBRIEF, asked, language())
    assert f"lap 3 at {into_s:.3f} in Turn 2 and" in english
    assert "(traffic) 1.5 s after Turn 7" in english
    assert "lap 2" in told.ask("TelemetryAgent", "did I press mark in lap 2", language())


def test_what_was_said_first_last_and_not_heeded(told: Told) -> None:
    facts, english = Facts(told.store), language()
    session = facts.sessions()[0].id
    passes = {(each.corner, each.lap): each for each in facts.corner_passes(session)}
    losses = {
        key: (each.brake_loss_s or 0.0) + (each.mid_loss_s or 0.0) + (each.exit_loss_s or 0.0)
        for key, each in passes.items()
    }
    # The next pass loses as much as was told of, or next to nothing of it.
    laps = facts.laps(session)
    fit = at_pace((lap.number, lap.kind, lap.time_s) for lap in laps if lap.number >= 5)
    worst, lost = max((key for key in losses if key[1] in fit), key=lambda key: losses[key])
    for number, (corner, lap, text, loss_s) in enumerate(
        [
            ("turn_7", 3, "Brake later", losses["turn_7", 4] + 5.0),
            (worst, lost - 1, "Throttle sooner", losses[worst, lost]),
            ("turn_7", 4, "Brake later still", losses["turn_7", 5] + 5.0),
        ]
    ):
        told.store.put(
            "INSERT INTO cues (session, cue, t, lap, corner, phase, text, tier, priority, outcome, reason,"
            " concept, loss_s) VALUES (?, ?, ?, ?, ?, 'exit', ?, 'rule', 1, 'spoken', '', 'brake_later', ?)",
            [session, 91_000 + number, passes[corner, lap].exit_t, lap, corner, text, loss_s],
        )
    assert told.store.flush()
    ask = partial(told.ask, "TelemetryAgent", words=english)
    said = "[focused] What was said at Turn 7: lap 3, “Brake later” (heeded"
    assert ask("what did you tell me about turn 7").startswith(said)
    assert "You heeded 2 of the 3" in ask("did I follow your advice")
