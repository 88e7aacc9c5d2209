"""A conversation is an ADK session: its turns come from the home, and the model sees them."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from model_server import Asked, Reply
from opened_paddock import Open
from pit_facts import TOOLBOX, answered

from pitwall.config import Home
from pitwall.paddock.adk.app import MOST_SHOWN, TURN_CHARS
from pitwall.store.conversations import keep_turns, recent_turns
from pitwall.store.store import Store

# Each names what the questions before it have not.
FIVE = [
    ("what was my highest speed in lap 4?", ("speed", "4")),
    ("what about lap 5?", ("speed", "5")),
    ("and what was the rpm there?", ("rpm", "5")),
    ("and lap 7?", ("rpm", "7")),
    ("the speed in it?", ("speed", "7")),
]


def tell_figure(measure: str = "", lap: str = "") -> dict[str, Any]:
    """One figure of one lap."""
    return {"told": f"The {measure} of lap {lap} was {len(measure)}."}


def reads_what_was_said(asked: Asked) -> Reply:
    """Takes the measure and the lap from the latest words that name one, as a model does."""
    if asked.called:
        return answered(asked)
    said = [*asked.texts[:-1], asked.texts[-1].partition("\n")[0]]
    measure, lap = (
        next(found[1] for text in reversed(said) if (found := re.search(pattern, text)))
        for pattern in (r"\b(speed|rpm)\b", r"\blap (\d)")
    )
    return Reply(calls=[("tell_figure", {"measure": measure, "lap": lap})])


@pytest.mark.parametrize("kind", ["gemini", "openai"])
async def test_five_turns_are_understood_though_the_worker_and_the_daemon_end_after_each(
    paddock: Open, home: Home, kind: str
) -> None:
    for question, (measure, lap) in FIVE:
        # Everything but the home is new each time, so what is known was read from it.
        with Store(home) as store:
            store.open()
            toolbox = {**TOOLBOX, "tell_figure": tell_figure}
            async with paddock(reads_what_was_said, kind=kind, toolbox=toolbox) as (crew, server):
                turns = recent_turns(store, "", time.time())
                stream = await crew.ask(question, intent="TelemetryAgent", turns=turns)
                given = await stream.answer()
            keep_turns(store, "", question, given)
        assert given.text == f"The {measure} of lap {lap} was {len(measure)}.", question
        assert given.model_calls == len(server.asked) == 2
        assert len(server.asked[0].texts) == 1 + len(turns) <= 1 + MOST_SHOWN
        assert all(len(text) <= TURN_CHARS + 60 for text in server.asked[0].texts[:-1])
