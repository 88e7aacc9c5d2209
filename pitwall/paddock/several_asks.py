"""Several asks in one question: each is told by itself, and what of it can't be told is named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pitwall.words.language import Language

_ASKS = re.compile(
    r"(?:and )?(?:(?:in|at|on|by|with|for) )?(?:what|whats|how|where|which|who|why|did|was|were|is|am|are|do|"
    r"does|had|has|have|can|could|should|when(?= *$| (?:was|were|is|are|did|do|does|am)\b)|"
    r"(?:tell|give|show) me)\b"
)
# Sentences of an answer in which what was asked is not told.
NOT_KNOWN = frozenset(("asked strange", "asked not told", "asked nothing read", "asked which corner"))


class ToldPart(NamedTuple):
    """What is told of one ask, "" for nothing; whether something of it is `lacking`; its strange words."""

    text: str
    lacking: bool
    strange: tuple[str, ...] = ()


def is_ask(part: str) -> bool:
    """Whether it begins as a question does: "I hit the wall" only says what the next one is about."""
    return _ASKS.match(part) is not None


def joined(parts: Sequence[ToldPart], words: Language) -> str:
    """The answers in their order without what another of them tells too; then what is not known."""
    said = [part.text for part in parts if part.text]
    if len(said) < len(parts):
        strange = [word for part in parts if not part.text for word in part.strange]
        rest = words.say("asked rest strange" if strange else "asked rest", words=strange)
        return " ".join((*dict.fromkeys(said), rest))
    # "My top speed, and where was that": the answer to the second tells the first too.
    heads = [each.rstrip(".").split(", ")[0] for each in said]
    told = [
        each
        for at, each in enumerate(said)
        if not any(
            other.startswith(heads[at]) and (len(other), k) > (len(each), at) for k, other in enumerate(said)
        )
    ]
    return " ".join(told)
