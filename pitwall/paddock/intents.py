"""Which agent answers a question: named, then the table, then the classifier, then TelemetryAgent.

Deterministic and model-free: the same question and track give the same agent and the same reasons.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from pitwall.contract import agents
from pitwall.paddock.classifier import Guess, IntentModel, shipped_model
from pitwall.paddock.intent_table import DEFAULT, IDIOMS, ROWS
from pitwall.paddock.phrase_match import Matcher
from pitwall.paddock.questions.corner_names import CornerNames, names_of
from pitwall.paddock.questions.german import in_english
from pitwall.paddock.questions.question_words import words_of
from pitwall.track.model import Track

Stage = Literal["named", "table", "classifier", "default"]


class AgentChoice(msgspec.Struct, frozen=True):
    """Who answers, and why. `decided_by`: the table's pattern, the classifier's terms, or () at the default.

    `row` is the place of the deciding row in ROWS (-1 where no row decided); `confidence` 0..1 is 1 for a
    named intent and for the table, else the classifier's for its best agent. `error` is "" except for an
    unknown named intent: `agent` is then DEFAULT.
    """

    agent: str
    stage: Stage
    decided_by: tuple[str, ...] = ()
    row: int = -1
    confidence: float = 1.0
    error: str = ""


_ROWS = Matcher([(row.when, row.unless) for row in ROWS])
_IDIOMS = Matcher([(IDIOMS, "")])
# The place of the last row of each agent.
_LAST_ROW = {row.agent: place for place, row in enumerate(ROWS)}
# A row gives way to a classifier that is so sure of another agent, in a question of at least so many words:
# "i can't stop comparing myself to the others" asks for no comparison.
SURE = 0.7
LEAST_WORDS = 5


def route(
    question: str, track: Track | None, *, intent: str | None = None, model: IntentModel | None = None
) -> AgentChoice:
    """The agent for a question. Corner names and nicknames are those of `track`; None: only "turn N".

    `intent` names an agent outright ("GoldLapAgent", "gold_lap"); an unknown one is told in `error`, with
    the list of agents, and answered by DEFAULT so that a caller decides whether to go on.
    `model`: instead of the shipped one.
    """
    if intent is not None:
        return _named(intent)
    words = read(question, names_of(track))
    found = _ROWS.first(words)
    if found is not None and (ROWS[found[0]].gives_way == "never" or len(words) < LEAST_WORDS):
        return _by_row(*found)
    guess = (model or shipped_model()).classify(words)
    if found is not None and not _gives_way(found[0], guess):
        return _by_row(*found)
    if guess.sure:
        return AgentChoice(guess.label, "classifier", guess.terms, -1, guess.confidence)
    return AgentChoice(DEFAULT, "default", (), -1, guess.confidence)


def _gives_way(row: int, guess: Guess) -> bool:
    """True where the classifier's guess stands against a row that matched."""
    if guess.confidence < SURE or guess.label == ROWS[row].agent:
        return False
    return ROWS[row].gives_way == "always" or _LAST_ROW[guess.label] < row


def _by_row(row: int, pattern: str) -> AgentChoice:
    return AgentChoice(ROWS[row].agent, "table", (pattern,), row)


def read(question: str, corners: CornerNames) -> list[str]:
    """A question as the table and the classifier see it: plain words, idioms and corners each one word."""
    words = corners.mark(corners.speller.mend(words_of(in_english(question, corners.words))))
    return _IDIOMS.join(words)


def _named(intent: str) -> AgentChoice:
    agent = agents.named(intent)
    if agent is None:
        return AgentChoice(DEFAULT, "default", (), -1, 0.0, agents.unknown(intent))
    return AgentChoice(agent, "named", (intent,))
