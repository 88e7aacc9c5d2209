"""Trains the routing's weights from the labelled questions: logistic regression over hashed features.

`scripts/train_routing` writes pitwall/paddock/intent_weights.bin. With `--judge` it writes nothing, leaves
out each third question of the labelled set in training, and tells how many of those are routed right.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "paddock")]

from labelled_questions import PRACTICE, SCRAPS, Labelled, confusion, home_track, labelled  # noqa: E402

from pitwall.ask.corner_names import names_of  # noqa: E402
from pitwall.contract.agents import AGENTS  # noqa: E402
from pitwall.paddock.intents import (  # noqa: E402
    BUCKETS,
    WEIGHTS,
    IntentWeights,
    bucket,
    decoded,
    features_of,
    keywords,
    read,
    route,
)

# Chosen by --judge.
STEPS, STEP, L2 = 60, 0.5, 3e-5
BIAS_STEP = 5.0
FORGETS, FORGETS_SQUARES = 0.9, 0.99
FOLDS = 3


class Examples:
    """Questions as a sparse matrix (questions x BUCKETS), summed along either side."""

    def __init__(self, questions: list[Labelled], scraps: list[Labelled]) -> None:
        names = names_of(home_track())
        rows, columns, values = [], [], []
        for row, asked in enumerate([*questions, *scraps]):
            words = read(asked.question, names)
            for feature, share in features_of(words, keywords(words)):
                # How a scrap begins and ends and how long it is says nothing.
                if row < len(questions) or not (feature[0] in "#^" or feature[-1] == "$"):
                    rows.append(row)
                    columns.append(bucket(feature))
                    values.append(share)
        self.count = len(questions) + len(scraps)
        self.labels = np.array([AGENTS.index(asked.agent) for asked in [*questions, *scraps]])
        self._columns, self._values = np.array(columns), np.array(values, dtype=np.float32)[:, None]
        self._of_row, self._row_starts = np.unique(np.array(rows), return_index=True)
        order = np.argsort(self._columns, kind="stable")
        self._rows_in_order, self._values_in_order = np.array(rows)[order], self._values[order]
        self._met, self._column_starts = np.unique(self._columns[order], return_index=True)

    def scores(self, weights: np.ndarray) -> np.ndarray:
        """(questions x labels)"""
        found = np.zeros((self.count, weights.shape[1]), dtype=np.float32)
        found[self._of_row] = np.add.reduceat(weights[self._columns] * self._values, self._row_starts, axis=0)
        return found

    def slopes(self, pulls: np.ndarray) -> np.ndarray:
        """(BUCKETS x labels)"""
        found = np.zeros((BUCKETS, pulls.shape[1]), dtype=np.float32)
        found[self._met] = np.add.reduceat(
            pulls[self._rows_in_order] * self._values_in_order, self._column_starts, axis=0
        )
        return found


def train(questions: list[Labelled]) -> bytes:
    """The weights' file from these questions, PRACTICE and SCRAPS: Adam over all of them at once."""
    examples = Examples([*questions, *labelled(PRACTICE)], labelled(SCRAPS))
    weights = np.zeros((BUCKETS, len(AGENTS)), dtype=np.float32)
    bias = np.zeros(len(AGENTS), dtype=np.float32)
    slope, square = np.zeros_like(weights), np.zeros_like(weights)
    wanted = np.eye(len(AGENTS), dtype=np.float32)[examples.labels]
    for step in range(1, STEPS + 1):
        scores = examples.scores(weights) + bias
        grown = np.exp(scores - scores.max(axis=1, keepdims=True))
        pulls = (grown / grown.sum(axis=1, keepdims=True) - wanted) / examples.count
        now = examples.slopes(pulls) + L2 * weights
        slope = FORGETS * slope + (1 - FORGETS) * now
        square = FORGETS_SQUARES * square + (1 - FORGETS_SQUARES) * now * now
        by = np.sqrt(square / (1 - FORGETS_SQUARES**step)) + 1e-7
        weights -= STEP * (1 - step / (STEPS + 1)) * slope / (1 - FORGETS**step) / by
        bias -= BIAS_STEP * pulls.sum(axis=0)
    scale = float(np.abs(weights).max()) / 127
    head = IntentWeights(AGENTS, round(scale, 6), tuple(round(float(one), 3) for one in bias))
    told = {"labels": head.labels, "scale": head.scale, "bias": head.bias}
    return msgspec.json.encode(told) + b"\n" + np.round(weights / scale).astype(np.int8).tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", action="store_true")
    questions = labelled("questions.json")
    if not parser.parse_args().judge:
        WEIGHTS.write_bytes(train(questions))
        sys.stdout.write(f"{WEIGHTS}: {WEIGHTS.stat().st_size} bytes\n")
        return
    weights, track = decoded(train([q for at, q in enumerate(questions) if at % FOLDS])), home_track()
    judged = [(q, route(q.question, track, weights=weights)) for q in questions[::FOLDS]]
    right = sum(q.agent == chosen.agent for q, chosen in judged)
    sys.stdout.write(f"{confusion(judged)}\n{right} of {len(judged)} = {100 * right / len(judged):.1f} %\n")


if __name__ == "__main__":
    main()
