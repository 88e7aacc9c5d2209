"""Which agent answers a question: named, by one plain keyword, else by the weights of its words.

Deterministic and model-free: the same question and track give the same agent and the same reasons.
The weights (intent_weights.bin, 128 kB) are those of a linear classifier over hashed features;
`scripts/train_routing` makes them from the questions in tests/paddock. They know nothing of the
question reader's words, so that a change there needs no training."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import exp, sqrt
from pathlib import Path
from typing import Literal
from zlib import crc32

import msgspec

from pitwall.ask.corner_names import NUMBER_OF, CornerNames, names_of, words_of
from pitwall.contract import agents
from pitwall.paddock.roster import KEYWORDS
from pitwall.track.model import Track
from pitwall.words.texts import tables

DEFAULT = "TelemetryAgent"
WEIGHTS = Path(__file__).with_name("intent_weights.bin")
# A question of so few words is its keyword; in a longer one the keyword may be mentioned only.
MOST_KEYWORD_WORDS = 4
# Under this the weights only guess: the first keyword decides, else the agent for everything.
LEAST_CONFIDENCE = 0.4
BUCKETS = 8192
LETTERS_LONG = 4
# A keyword's place in the sum, next to the features of a question, which share one.
KEYWORD_SHARE = 0.5

_ENDINGS = ("ingly", "ations", "ation", "ings", "ing", "edly", "ed", "es", "ly", "s", "e")
_SHORTEST_STEM = 3
# The length of a question in groups of three words. Longer questions count as this long.
_LONGEST = 4

Stage = Literal["named", "keyword", "weights", "default"]


class AgentChoice(msgspec.Struct, frozen=True):
    """Who answers, which stage decided it, how surely (0..1); `error`: an unknown named intent."""

    agent: str
    stage: Stage
    confidence: float = 1.0
    error: str = ""


class IntentWeights(msgspec.Struct, frozen=True):
    """For each bucket a weight for each label: signed bytes in units of `scale`."""

    labels: tuple[str, ...]
    scale: float
    bias: tuple[float, ...]
    rows: bytes = b""

    def scores(self, features: Sequence[tuple[str, float]]) -> list[float]:
        """Return each label's score for these features."""
        count, rows = len(self.labels), memoryview(self.rows).cast("b")
        found = list(self.bias)
        for feature, share in features:
            at = bucket(feature) * count
            by = share * self.scale
            found = [score + by * weight for score, weight in zip(found, rows[at : at + count], strict=True)]
        return found


def route(
    question: str, track: Track | None, *, intent: str | None = None, weights: IntentWeights | None = None
) -> AgentChoice:
    """The agent for a question; `intent` names one outright. `weights`: not the shipped ones."""
    if intent is not None:
        return _named(intent)
    words = read(question, names_of(track))
    found = keywords(words)
    if found and len(words) <= MOST_KEYWORD_WORDS:
        return AgentChoice(found[0][0], "keyword")
    features = features_of(words, found)
    if not features:
        return AgentChoice(DEFAULT, "default", 0.0)
    held = weights or shipped_weights()
    # The weights know nothing of an agent that is newer than they are.
    if new := [each for each in found if each[0] not in held.labels]:
        return AgentChoice(new[0][0], "keyword")
    totals = held.scores(features)
    top = max(totals)
    confidence = 1.0 / sum(exp(total - top) for total in totals)
    if confidence < LEAST_CONFIDENCE:
        return AgentChoice(found[0][0] if found else DEFAULT, "default", confidence)
    return AgentChoice(held.labels[totals.index(top)], "weights", confidence)


def _named(intent: str) -> AgentChoice:
    agent = agents.named(intent)
    if agent is None:
        return AgentChoice(DEFAULT, "default", 0.0, agents.unknown(intent))
    return AgentChoice(agent, "named")


def read(question: str, corners: CornerNames) -> list[str]:
    """Return a question as keywords and weights see it, a corner as one word."""
    typed, words, at = words_of(question), list[str](), 0
    for mention in corners.mentions(typed):
        words += [*typed[at : mention.first], "<corner>"]
        at = mention.end
    words += [each if ":" not in each and "." not in each else "<time>" for each in typed[at:]]
    return _patterns()[1].sub(lambda found: found[0].replace(" ", "_"), " ".join(words)).split()


def keywords(words: Sequence[str]) -> list[tuple[str, str]]:
    """(agent, keyword) of every row of KEYWORDS that is met, in the table's order."""
    text = " ".join(words)
    found = ((agent, pattern.search(text)) for agent, pattern in _patterns()[0])
    return [(agent, hit[0]) for agent, hit in found if hit]


@cache
def _patterns() -> tuple[list[tuple[str, re.Pattern[str]]], re.Pattern[str]]:
    # Of idioms, in which a keyword does not mean what it does elsewhere, each is read as one word.
    return [(agent, _any_of(listed)) for agent, listed in KEYWORDS.items()], _any_of(
        tables("ask")["lists"]["idioms"]
    )


def _any_of(listed: str) -> re.Pattern[str]:
    """Return one of the phrases, the longest first; a stem ends in "-"."""
    phrases = sorted((" ".join(each.split()) for each in listed.split(",")), key=len, reverse=True)
    either = "|".join(
        re.escape(each.removesuffix("-")) + (r"\w*" if each.endswith("-") else "") for each in phrases
    )
    return re.compile(rf"(?<!\S)(?:{either})(?!\S)")


def features_of(words: Sequence[str], found: Sequence[tuple[str, str]] = ()) -> list[tuple[str, float]]:
    """A question's features with their shares: stems, pairs, letters, length, keywords."""
    if not words:
        return []
    marked = ["^", *map(_stem, words), "$"]
    plain = [
        f"#{min(len(words) // 3, _LONGEST)}",
        *marked[1:-1],
        *(f"{word} {following}" for word, following in pairwise(marked)),
        *(f"{word} .. {later}" for word, later in zip(marked, marked[2:], strict=False)),
        *(part for word in words for part in _letters(word)),
    ]
    once = dict.fromkeys(plain)
    share = 1.0 / sqrt(len(once))
    met = [f"@{agent}" for agent, _keyword in found]
    first = [f"1{agent}" for agent in met[:1]]
    return [(each, share) for each in once] + [(each, KEYWORD_SHARE) for each in (*first, *met)]


def bucket(feature: str) -> int:
    """Where a feature's weights stand; a few features share a place."""
    return crc32(feature.encode()) % BUCKETS


def _stem(word: str) -> str:
    """The word without its ending: "braking" and "brakes" are one, and so are all numbers."""
    if word.isdigit() or word in NUMBER_OF:
        return "<n>"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def _letters(word: str) -> list[str]:
    """Every four letters in a row of a word with its ends marked."""
    if len(word) < LETTERS_LONG or not word[0].isalpha():
        return []
    marked = f"^{word}$"
    return [f"%{marked[at : at + LETTERS_LONG]}" for at in range(len(marked) - LETTERS_LONG + 1)]


def decoded(raw: bytes) -> IntentWeights:
    """Weights from their file: a line of JSON, then the rows. ValueError where it is damaged."""
    head, _, rows = raw.partition(b"\n")
    try:
        held = msgspec.json.decode(head, type=IntentWeights)
    except msgspec.MsgspecError as error:
        raise ValueError(f"not the weights of a routing: {error}") from error
    if len(rows) != BUCKETS * len(held.labels):
        raise ValueError(f"{len(rows)} bytes of weights, {BUCKETS * len(held.labels)} are wanted")
    return msgspec.structs.replace(held, rows=rows)


@cache
def shipped_weights() -> IntentWeights:
    """The weights that ship with the package, read once. ValueError."""
    try:
        return decoded(WEIGHTS.read_bytes())
    except (OSError, ValueError) as error:
        raise ValueError(f"{WEIGHTS}: {error}; make it again with scripts/train_routing") from error
