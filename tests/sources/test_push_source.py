"""What is pushed: batches as the API decodes them become readings; what does not fit is refused whole."""

from __future__ import annotations

import msgspec
import pytest
from can_inbox import running
from net_peers import LatencyInbox
from until import until

from pitwall.contract.push import PushBatch
from pitwall.telemetry.session_clock import SessionClock
from pitwall.telemetry.sources.base import open_source
from pitwall.telemetry.sources.push import IDLE_S, MAX_GROUPS, MAX_GROUPS_OF_SENDER, PushError, PushSource


def batch(**changes: object) -> PushBatch:
    plain: dict[str, object] = {
        "batch_id": "b1",
        "source": "box",
        "streams": [{"group": "gps", "channels": [{"name": "speed_mps", "unit": "m/s"}], "latency_s": 0.042},
         {"group": "aux", "channels": [{"name": "tyre_temp_fl", "unit": "degC", "label": "FL"}]}],
        "samples": [{"stream": 0, "source_s": 10.0, "values": [31.5]}, {"stream": 1, "source_s": None,
         "values": [None]}, {"stream": 0, "source_s": 10.1, "values": [31.6]}],
    }  # fmt: skip
    return msgspec.convert(plain | changes, PushBatch)


def opened() -> PushSource:
    source = open_source("push:api", {})
    assert isinstance(source, PushSource)
    return source


async def test_a_batch_becomes_readings_of_its_streams() -> None:
    source, inbox = opened(), LatencyInbox()
    async with running(source, inbox):
        await until(lambda: source.running)
        assert source.accept(batch()) == 3
        assert source.accept(batch(batch_id="b2")) == 3
        assert source.health.readings == 6
        assert source.health.state == "up"
    assert inbox.groups == ["box/gps", "box/aux"]
    assert inbox.latency_s == {"box/gps": 0.042, "box/aux": 0.0}
    assert [(at, values) for at, _, values in inbox.of("box/gps")][:2] == [(10.0, (31.5,)), (10.1, (31.6,))]
    assert inbox.of("box/aux")[0][0] is None
    assert [channel.label for channels in inbox.channels for channel in channels] == ["speed_mps", "FL"]


@pytest.mark.parametrize(
    ("streams", "told"),
    [
        ([{"group": "gps", "channels": [{"name": "speed_mps", "unit": "km/h"}]}], "speed_mps is in m/s, not"),
        ([{"group": "gps", "channels": [{"name": "rpm"}]}], "had other channels before"),
        (
            [{"group": f"g{i}", "channels": [{"name": "rpm"}]} for i in range(30)],
            f"more than {MAX_GROUPS} groups in all",
        ),
    ],
)
async def test_what_does_not_fit_is_refused_whole(streams: list[dict[str, object]], told: str) -> None:
    source, inbox = opened(), LatencyInbox()
    async with running(source, inbox):
        await until(lambda: source.running)
        source.accept(batch())
        for number in range(8):
            more = [{"group": f"h{number}-{i}", "channels": [{"name": "rpm"}]} for i in range(30)]
            one = [{"stream": 0, "source_s": 1.0, "values": [1.0]}]
            source.accept(batch(source=f"box-{number}", streams=more, samples=one))
        before, groups = len(inbox.readings), list(inbox.groups)
        with pytest.raises(PushError, match=told):
            source.accept(batch(streams=streams, samples=[{"stream": 0, "source_s": 11.0, "values": [1.0]}]))
        assert (len(inbox.readings), inbox.groups) == (before, groups)
        assert source.health.errors == 1


async def test_the_readings_of_a_batch_keep_their_distance_from_the_first_one_on() -> None:
    source, inbox = opened(), LatencyInbox()
    stream = [{"group": "gps", "channels": [{"name": "speed_mps"}]}]
    async with running(source, inbox):
        await until(lambda: source.running)
        for first in (0, 50, 100):
            samples = [{"stream": 0, "source_s": 7e4 + (first + i) / 10, "values": [1.0]} for i in range(50)]
            source.accept(batch(streams=stream, samples=samples))
    newest_s = inbox.readings[49][2]
    clock = SessionClock(newest_s - 10.0).source("box", 0.0)
    times = [clock.map(at, came) for _, at, came, _ in inbox.readings[:50]]
    assert times == pytest.approx([10.0 - (49 - i) / 10 for i in range(50)], abs=1e-6)
    assert clock.estimate().jumps == 0


def named(source: str, group: str) -> PushBatch:
    one = [{"stream": 0, "source_s": 1.0, "values": [1.0]}]
    return batch(source=source, streams=[{"group": group, "channels": [{"name": "rpm"}]}], samples=one)


async def test_a_sender_with_changing_names_takes_nobodys_place() -> None:
    now_s = [0.0]
    source, inbox, gone = PushSource("push:api", lambda: now_s[0]), LatencyInbox(), list[int]()
    source.forgotten = gone.append
    async with running(source, inbox):
        await until(lambda: source.running)
        for number in range(MAX_GROUPS_OF_SENDER):
            source.accept(named("one", f"group-{number}"))
        with pytest.raises(PushError, match=f"more than {MAX_GROUPS_OF_SENDER} groups of one sender"):
            source.accept(named("one", "one-more"))
        for number in range(3 * MAX_GROUPS):
            now_s[0] += 2 * IDLE_S / MAX_GROUPS
            source.accept(named(f"made-up-{number}", "imu"))
            if number % 10 == 0:
                source.accept(named("honest", "imu"))
        source.accept(named("one", "one-more"))
    assert inbox.groups.count("honest/imu") == 1
    assert inbox.groups.index("honest/imu") not in gone
    assert len(inbox.groups) - len(gone) <= MAX_GROUPS


async def test_without_a_daemon_nothing_is_taken() -> None:
    source = opened()
    with pytest.raises(PushError, match="not running"):
        source.accept(batch())
