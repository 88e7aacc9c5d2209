"""What was said, as the next question is told of it."""

from __future__ import annotations

import time

from pitwall.config import Home
from pitwall.contract.events import Answer
from pitwall.contract.messages import Turn
from pitwall.store.conversations import keep_turns, recent_turns
from pitwall.store.store import Store


def test_what_was_never_looked_up_is_no_history(home: Home) -> None:
    seen = Answer(text="Turn 7.", emotion="calm", agent="GoldLapAgent", tier="paddock", verdict="PASSED")
    unseen = Answer(
        text="Turn 9.",
        emotion="calm",
        agent="GoldLapAgent",
        tier="paddock",
        verdict="ESCALATED",
        unverified=True,
    )
    with Store(home) as store:
        store.open()
        keep_turns(store, "", "where do I lose time", seen)
        keep_turns(store, "", "and then", unseen)
        turns = recent_turns(store, "", time.time())
        elsewhere = recent_turns(store, "20250101-120000-abcdef", time.time())
    assert turns == (
        Turn("driver", "where do I lose time"),
        Turn("coach", "Turn 7."),
        Turn("driver", "and then"),
    )
    # "And lap 5?" of another session is a question of its own.
    assert elsewhere == ()
