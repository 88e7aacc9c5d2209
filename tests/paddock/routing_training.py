"""Trains the router's classifier from the labelled questions; `scripts/train_intents` runs it.

Multinomial logistic regression by stochastic gradient descent with AdaGrad steps and L2, in a fixed order:
the same questions give the same weights.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwall.config import shipped
from pitwall.paddock.classifier import LETTERS, MODEL, SENSE, WEIGHT_PARTS, IntentModel, scale_of, terms_of
from pitwall.paddock.intent_table import AGENTS
from pitwall.paddock.intents import AgentChoice, read, route
from pitwall.paddock.questions.corner_names import names_of
from pitwall.track.library import load_track
from pitwall.track.model import Track

HERE = Path(__file__).parent
# More of what drivers say, harder and looser than the labelled set: for training only.
PRACTICE = "questions_practice.json"
# Scraps of what drivers say: their words and pairs count, but not how they begin and end.
SCRAPS = "questions_scraps.json"
# Chosen by cross-validation; a pair of words seen once says nothing. In every second pass the senses are left
# out: they were written with these very questions in view, and the words must learn to do without them.
PASSES = 10
STEP = 0.4
L2 = 1e-3
LEAST_PAIRS = 2
# Smaller weights change no answer and make the file three times as large.
LEAST_WEIGHT = 0.2
# What a term counts: a sense has been seen far more often than any one of its words, letters come many to a
# word, and a word that is in every question says little.
SENSE_VALUE = 1.5
LETTERS_VALUE = 1.0
MOST_WORD_VALUE = 1.6
RARITY_OF_ONE = 4.0
# A pull is how far a probability is from what it should be; a class pulled less moves no weight.
LEAST_PULL = 0.03
# A question that pulls no class by more is passed over the next RESTS times.
LITTLE_PULL = 0.05
RESTS = 2
# In cross-validation 98 of 100 answers above this are right; a higher one gives good answers to the default.
THRESHOLD = 0.25


class Labelled(NamedTuple):
    question: str
    agent: str
    note: str


def labelled(name: str) -> list[Labelled]:
    """All questions of a file in tests/paddock, in the file's order."""
    by_agent = json.loads((HERE / name).read_text(encoding="utf-8"))
    return [
        Labelled(entry, agent, "")
        if isinstance(entry, str)
        else Labelled(entry["question"], agent, entry["note"])
        for agent, entries in by_agent.items()
        for entry in entries
    ]


def every_question() -> list[Labelled]:
    """What the shipped model is trained on."""
    return labelled("questions.json") + labelled(PRACTICE)


def home_track() -> Track:
    """Sonoma, whose corners the questions name."""
    return load_track(shipped("track_data") / "sonoma.json")


def train(questions: Iterable[Labelled], *, passes: int = 0, threshold: float = THRESHOLD) -> IntentModel:
    """A model of all the questions. Deterministic."""
    corners = names_of(home_track())
    asked = [(terms_of(read(q.question, corners)), AGENTS.index(q.agent)) for q in questions]
    asked += [
        ([term for term in terms_of(read(q.question, corners)) if _is_inner(term)], AGENTS.index(q.agent))
        for q in labelled(SCRAPS)
    ]
    seen = Counter(term for terms, _ in asked for term in terms)
    values = {
        term: _value_of(term, count, len(asked))
        for term, count in sorted(seen.items())
        if count >= LEAST_PAIRS or (" " not in term and term[0] != LETTERS)
    }
    examples = [([term for term in terms if term in values], label) for terms, label in asked]
    bias, weights = _descend(examples, values, passes or PASSES)
    terms = {
        term: tuple(
            round(w * value * WEIGHT_PARTS) if abs(w * value) >= LEAST_WEIGHT else 0 for w in weights[term]
        )
        for term, value in values.items()
    }
    return IntentModel(
        labels=AGENTS,
        threshold=threshold,
        bias=tuple(round(b, 3) for b in bias),
        terms={term: by_label for term, by_label in terms.items() if any(by_label)},
    )


def _value_of(term: str, count: int, questions: int) -> float:
    if term[0] == SENSE:
        return SENSE_VALUE
    if term[0] == LETTERS:
        return LETTERS_VALUE
    return min(MOST_WORD_VALUE, math.log(questions / count) / RARITY_OF_ONE)


def _is_inner(term: str) -> bool:
    return term[0] not in "#^" and term[-1] != "$"


def cross_validate(
    questions: Sequence[Labelled], folds: int, tried: int
) -> list[tuple[Labelled, AgentChoice]]:
    """The questions of the folds that are tried, each routed by a classifier that never saw it, but all of
    PRACTICE."""
    track, practice = home_track(), labelled(PRACTICE)
    judged = []
    for fold in range(tried):
        model = train([*(q for at, q in enumerate(questions) if at % folds != fold), *practice])
        judged += [(q, route(q.question, track, model=model)) for q in questions[fold::folds]]
    return judged


def confusion(judged: Iterable[tuple[Labelled, AgentChoice]]) -> str:
    """Which agent was wanted, which answered, and the questions, for whoever mends the table."""
    wrong = sorted(
        (q.agent, r.agent, r.stage, round(r.confidence, 2), q.question)
        for q, r in judged
        if q.agent != r.agent
    )
    pairs = Counter((wanted, answered) for wanted, answered, *_ in wrong)
    table = [f"{count:4} {wanted} -> {answered}" for (wanted, answered), count in pairs.most_common()]
    return "\n".join(["", *table, *(" | ".join(map(str, line)) for line in wrong)])


def _descend(
    examples: Sequence[tuple[list[str], int]], values: Mapping[str, float], passes: int
) -> tuple[list[float], dict[str, list[float]]]:
    classes = len(AGENTS)
    bias = [0.0] * classes
    weights = {term: [0.0] * classes for term in values}
    squares = {term: [1e-2] * classes for term in values}
    order = _spread(len(examples))
    resting = [[0] * len(examples), [0] * len(examples)]
    plain = [([term for term in present if term[0] != SENSE], label) for present, label in examples]
    for number in range(passes):
        shown = plain if number % 2 == 0 else examples
        rests = resting[number % 2]
        for at in order:
            if rests[at]:
                rests[at] -= 1
                continue
            present, label = shown[at]
            scale = scale_of(len(present))
            rows = [weights[term] for term in present]
            scores = [
                b + scale * sum(column) for b, column in zip(bias, zip(*rows, strict=True), strict=True)
            ]
            top = max(scores)
            grown = [math.exp(score - top) for score in scores]
            total = sum(grown)
            # A class that is hardly thought of moves nothing: left out, it saves nine tenths of the time.
            pulls = [(k, g / total - (k == label)) for k, g in enumerate(grown)]
            pulls = [(k, pull) for k, pull in pulls if abs(pull) > LEAST_PULL]
            if not any(abs(pull) > LITTLE_PULL for _, pull in pulls):
                rests[at] = RESTS
            for k, pull in pulls:
                bias[k] -= 0.02 * pull
            for term in present:
                row, square, value = weights[term], squares[term], scale * values[term]
                for k, pull in pulls:
                    slope = pull * value + L2 * row[k]
                    square[k] += slope * slope
                    row[k] -= STEP * slope / math.sqrt(square[k])
    return bias, weights


def _spread(count: int) -> list[int]:
    """0..count-1 in a fixed order that mixes the agents (the file is sorted by agent)."""
    step = next(s for s in range(int(count * 0.382) | 1, count + 2, 2) if math.gcd(s, count) == 1)
    return [(i * step) % count for i in range(count)]


if __name__ == "__main__":
    model = train(every_question())
    # A line for each term, so that a change can be read.
    MODEL.write_bytes(msgspec.json.encode(model).replace(b'],"', b'],\n"') + b"\n")
    sys.stdout.write(f"{MODEL}: {len(model.terms)} terms, {MODEL.stat().st_size} bytes\n")
