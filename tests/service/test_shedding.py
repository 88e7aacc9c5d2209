"""The one table of what is shed: each place takes its figures from there, and sheds in its order."""

from __future__ import annotations

import pytest

from pitwall.contract.shedding import SHED, shed_above
from pitwall.daemon.intake.queue import Queue, SourceInbox
from pitwall.telemetry.sample import Channel
from pitwall.telemetry.session_clock import SessionClock
from pitwall.telemetry.sources.base import SourceHealth

CAPACITY = 1000


def test_in_each_place_the_least_important_goes_first() -> None:
    for place, rows in SHED.items():
        above = [each for what, each in rows.items() if what not in ("batches", "frames")]
        assert above == sorted(above), place


@pytest.mark.parametrize(
    ("what", "channel"),
    [("tall signals", "serial"), ("canonical signals", "rpm"), ("positions", "lat_deg")],
)
async def test_the_intake_sheds_each_kind_of_reading_from_its_share_on(what: str, channel: str) -> None:
    queue, health = Queue(CAPACITY), SourceHealth("test:")
    inbox = SourceInbox("one", queue, SessionClock(0.0), lambda: health)
    stream = inbox.stream([Channel(channel, "", channel)], group="one", latency_s=0.0)
    for number in range(2 * CAPACITY):
        inbox.put(stream, None, float(number), (1.0,))
    assert len(queue) == int(shed_above("intake", what) * CAPACITY)
    assert queue.status().shed == health.shed == 2 * CAPACITY - len(queue)
