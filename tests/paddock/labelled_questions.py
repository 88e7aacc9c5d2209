"""Questions with the agent that should answer: for the routing's training, its tests and its benchmark."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pitwall.config import shipped
from pitwall.paddock.intents import AgentChoice
from pitwall.track.library import load_track
from pitwall.track.model import Track

HERE = Path(__file__).parent
# More of what drivers say, harder and looser than the labelled set: for training only.
PRACTICE = "questions_practice.json"
# Scraps of what drivers say: their words and pairs count, but not how they begin and end.
SCRAPS = "questions_scraps.json"


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


def home_track() -> Track:
    """Sonoma, whose corners the questions name."""
    return load_track(shipped("track_data") / "sonoma.json")


def confusion(judged: Iterable[tuple[Labelled, AgentChoice]]) -> str:
    """Which agent was wanted, which answered, and the questions."""
    wrong = sorted(
        (q.agent, r.agent, r.stage, round(r.confidence, 2), q.question)
        for q, r in judged
        if q.agent != r.agent
    )
    pairs = Counter((wanted, answered) for wanted, answered, *_ in wrong)
    table = [f"{count:4} {wanted} -> {answered}" for (wanted, answered), count in pairs.most_common()]
    return "\n".join(["", *table, *(" | ".join(map(str, line)) for line in wrong)])
