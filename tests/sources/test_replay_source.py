"""A recording as a live source: every sample, at its time, laps unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest
from can_inbox import running
from net_peers import LatencyInbox, joined, rmc

from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.journal import HEADER, SessionMeta, StreamRecord, encode_record
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.session_clock import SessionClock
from pitwall.telemetry.sources.base import SourceError, open_source
from pitwall.telemetry.sources.replay import ReplaySource


def opened(uri: str) -> ReplaySource:
    source = open_source(uri, {})
    assert isinstance(source, ReplaySource)
    return source


@pytest.mark.parametrize("name", ["orlando-18hz.nmea", "washington-racecapture.log"])
async def test_at_full_speed_every_sample_comes_with_the_times_of_the_recording(
    drives: Path, name: str
) -> None:
    path = drives / name
    expected = list(open_recording(path).samples())
    source, inbox = opened(f"replay:{path}?speed=inf"), LatencyInbox()
    async with running(source, inbox):
        await source.ended.wait()
        assert source.health.state == "stopped"
        assert source.health.readings == len(expected)
    assert [(at, values) for _, at, _, values in inbox.readings] == [(s.t, s.values) for s in expected]
    session = SessionClock(inbox.readings[0][2] - 1.0)
    clocks = [session.source("replay", 0.0) for _ in inbox.groups]
    times = [clocks[stream].map(at, came) for stream, at, came, _ in inbox.readings]
    shift = times[0] - expected[0].t
    assert max(abs(t - shift - s.t) for t, s in zip(times, expected, strict=True)) < 0.002
    assert sum(clock.estimate().jumps for clock in clocks) == 0


async def test_what_a_journal_was_late_by_is_not_taken_off_again(tmp_path: Path) -> None:
    path = tmp_path / "live.pwj"
    records = [
        SessionMeta(id="live", kind="live", created_utc_s=0.0),
        StreamRecord(Stream(0, "gnss:gnss", (Channel("speed_mps", "m/s", "speed"),), 0.160)),
        *(Sample(0, float(second), (20.0,)) for second in range(5)),
    ]
    path.write_bytes(HEADER + b"".join(encode_record(seq, record) for seq, record in enumerate(records)))
    source, inbox = opened(f"replay:{path}?speed=inf"), LatencyInbox()
    async with running(source, inbox):
        await source.ended.wait()
    assert len(inbox.readings) == 5
    assert inbox.latency_s == {"gnss:gnss-0": 0.0}


async def test_at_real_speed_nothing_comes_before_its_time(tmp_path: Path) -> None:
    path = tmp_path / "short.nmea"
    path.write_bytes(joined([rmc(100.0 + i / 20) for i in range(8)]))
    source, inbox = opened(f"replay:{path}"), LatencyInbox()
    async with running(source, inbox):
        await source.ended.wait()
    assert len(inbox.readings) == 8
    _, first_t, begun_s, _ = inbox.readings[0]
    for _, t, came_s, _ in inbox.readings:
        assert came_s - begun_s >= t - first_t - 1e-4


async def test_a_file_that_is_no_recording(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing\n")
    source = opened(f"replay:{path}")
    with pytest.raises(SourceError, match=r"notes\.txt"):
        await source.run(LatencyInbox())
