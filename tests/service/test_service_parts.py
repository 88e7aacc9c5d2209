"""A crash in one source, in the voice, in the API: that part alone is started again, the drive goes on."""

from __future__ import annotations

import asyncio
import itertools
import time
import urllib.request
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import pytest
from service_inside import Moving, running, settings
from until import until

import pitwall.daemon.app as service_module
import pitwall.daemon.intake.sources as sources_module
from pitwall.coach.cue import Callout
from pitwall.config import Home
from pitwall.contract.push import PushBatch, PushRefusal, PushResult
from pitwall.daemon.app import Daemon
from pitwall.daemon.intake.queue import Queue, Reading, SourceInbox
from pitwall.daemon.intake.sources import Rate, source_status
from pitwall.daemon.sessions.life import Lateness, Silence
from pitwall.daemon.sessions.open_session import OpenSession
from pitwall.daemon.sessions.place import PlaceFinder
from pitwall.daemon.supervisor import SupervisedPart
from pitwall.drive.controls import Control, Unheard
from pitwall.store.queries import sessions
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import ControlRecord, JournalRecording, StreamRecord
from pitwall.telemetry.sample import Channel
from pitwall.telemetry.session_clock import SessionClock
from pitwall.telemetry.sources.base import Source, SourceError, SourceHealth
from pitwall.track.timing import LapTimer
from pitwall.voice.clips import Clip
from pitwall.voice.player import TextPlayer

ONE = '[sources.one]\nuri = "test:one"'
TWO = ONE + '\n[sources.two]\nuri = "test:two"'


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Moving]]:
    """Every source that the daemon opens, by URI."""
    opened: dict[str, list[Moving]] = {}

    def open_source(uri: str, _: object) -> Source:
        opened.setdefault(uri, []).append(Moving(uri))
        return opened[uri][-1]

    monkeypatch.setattr(sources_module, "open_source", open_source)
    return opened


def part(service: Daemon, name: str) -> SupervisedPart:
    return next(each for each in (*service.inner, *service.outer) if each.name == name)


async def test_a_source_that_crashes_is_opened_again_and_the_other_goes_on(
    home: Home, made: dict[str, list[Moving]]
) -> None:
    async with running(home, settings(home, TWO)) as service:
        await until(lambda: service.keeper.session is not None)
        made["test:one"][0].trouble = ZeroDivisionError("a bug in the decoder")
        before = made["test:two"][0].health.readings
        await until(lambda: len(made["test:one"]) == 2 and made["test:one"][1].health.readings > 10)
        await until(lambda: made["test:two"][0].health.readings > before + 10)
        status = service.status()
        one = next(each for each in status.sources if each.name == "one")
        assert (one.restarts, "a bug in the decoder" in one.last_error) == (1, True)
        assert part(service, "source two").restarts == 0
        journal = home.journals / f"{status.session.id}.pwj"
    records = [record for _, record in JournalRecording(journal).records()]
    streams = {record.stream.id for record in records if isinstance(record, StreamRecord)}
    assert len(streams) == 2, "its stream goes on"


async def test_a_source_that_a_person_must_mend_is_down_and_says_why(
    home: Home, made: dict[str, list[Moving]]
) -> None:
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: bool(made))
        made["test:one"][0].trouble = SourceError("test:one: no such device; plug it in")
        await until(lambda: part(service, "source one").state == "down")
        [one] = [each for each in service.status().sources if each.name == "one"]
        assert (one.state, one.last_error) == ("down", "test:one: no such device; plug it in")


class Broken(TextPlayer):
    """A player with a bug."""

    def play(self, clip: Clip, *, cut: bool = False) -> None:
        raise RuntimeError("a bug in the player")


async def test_a_voice_that_crashes_is_opened_again(
    home: Home, made: dict[str, list[Moving]], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = [Broken("text"), TextPlayer("text")]
    monkeypatch.setattr("pitwall.daemon.sound.voice.open_player", lambda *_: opened.pop(0))
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: service.vocabulary.has("") and service.status().voice.player is not None)
        text = next(iter(service.vocabulary.words("").clips))
        told: list[Control] = []
        monkeypatch.setattr(service.keeper, "tell", told.append)
        service.listeners.callout(Callout(1, 0.0, text, 1.0, False))
        await until(lambda: not opened and service.status().voice.player is not None)
        assert part(service, "voice").restarts == 1
        assert service.status().voice.unheard == 1
        await until(lambda: Unheard(0.0) in told)
        service.listeners.callout(Callout(2, 1.0, text, 1.0, False))
        assert service.status().voice.unheard == 1


async def test_an_api_that_crashes_is_served_again(
    home: Home, made: dict[str, list[Moving]], monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed = asyncio.Event()

    async def forever() -> None:
        await crashed.wait()
        if not part(service, "api").restarts:
            raise RuntimeError("a bug in a route")
        await asyncio.Event().wait()

    monkeypatch.setattr(service_module, "forever", forever)
    async with running(home, settings(home, ONE)) as service:
        first = service.port
        assert first
        assert await asyncio.to_thread(healthy, first)
        crashed.set()
        await until(lambda: part(service, "api").restarts == 1 and service.port != first)
        assert await asyncio.to_thread(healthy, service.port or 0)
        await until(lambda: service.keeper.session is not None)


def healthy(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60.0) as answer:
        return answer.status == 200


async def test_a_bug_in_the_path_costs_its_frame_and_no_sample(
    home: Home, made: dict[str, list[Moving]], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed, calls = LapTimer.feed, itertools.count()

    def stumbling(timer: LapTimer, *given: Any) -> Any:
        if next(calls) == 3:
            raise ZeroDivisionError("a corner case")
        return feed(timer, *given)

    def written() -> int:
        journal = service.status().journal
        return journal.written if journal is not None else 0

    async with running(home, settings(home, ONE)) as service:
        await until(lambda: bool(service.status().session.id))
        monkeypatch.setattr(LapTimer, "feed", stumbling)
        await until(lambda: service.status().session.faults == 1)
        before = written()
        await until(lambda: written() > before + 20)
        journal = home.journals / f"{service.status().session.id}.pwj"
    times = [sample.t for sample in JournalRecording(journal).samples()]
    steps = [b - a for a, b in itertools.pairwise(times)]
    assert max(steps) < 0.06, "every sample is in the journal"


def handed_in(batch_id: str, stamps: Sequence[float]) -> PushBatch:
    """A batch of one lane with these stamps."""
    plain = {
        "batch_id": batch_id,
        "source": "logger",
        "streams": [{"group": "gps", "channels": [{"name": "speed_mps"}]}],
        "samples": [{"stream": 0, "source_s": stamp_s, "values": [20.0]} for stamp_s in stamps],
    }
    return msgspec.convert(plain, PushBatch)


def fixed(batch_id: str, fixes: Sequence[tuple[float, tuple[float, ...]]]) -> PushBatch:
    """A batch of a receiver with these stamps, places and speeds."""
    channels = [{"name": name} for name in ("lat_deg", "lon_deg", "speed_mps")]
    plain = {
        "batch_id": batch_id,
        "source": "logger",
        "streams": [{"group": "gps", "channels": channels}],
        "samples": [{"stream": 0, "source_s": stamp_s, "values": values} for stamp_s, values in fixes],
    }
    return msgspec.convert(plain, PushBatch)


async def test_stints_that_a_logger_hands_in_at_once_are_sessions_of_their_own(
    home: Home, made: dict[str, list[Moving]]
) -> None:
    async with running(home, settings(home, "")) as service:
        await until(lambda: part(service, "push").state == "up")
        ids = list[str]()
        for number, begun_s in enumerate((0.0, 2.0, 3600.0)):
            stamps = [begun_s + place / 10.0 for place in range(20)]
            fixes = [(stamp_s, (45.0 + 2e-5 * stamp_s, 7.0, 20.0)) for stamp_s in stamps]
            assert isinstance(await service.accept(fixed(f"b{number}", fixes)), PushResult)
            ids.append(service.status().session.id)
        assert ids[0] == ids[1] != ids[2]
        await until(lambda: not service.keeper._sealing)
    held = [[*JournalRecording(home.journals / f"{id_}.pwj").samples()] for id_ in (ids[0], ids[2])]
    assert list(map(len, held)) == [40, 20]
    assert all(samples[-1].t - samples[0].t < 4.0 for samples in held)


async def test_a_batch_whose_frames_bring_a_bug_to_light_is_taken(
    home: Home, made: dict[str, list[Moving]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(home, settings(home, "")) as service:
        await until(lambda: part(service, "push").state == "up")
        begun_s = time.monotonic()
        assert isinstance(await service.accept(handed_in("b0", [begun_s])), PushResult)

        def stumbling(*_: object) -> bool:
            raise ZeroDivisionError("a bug in the finder")

        monkeypatch.setattr(PlaceFinder, "feed", stumbling)
        # No reading is handed in before its time.
        await until(lambda: time.monotonic() > begun_s + 0.5)
        stamps = [begun_s + place / 50.0 for place in range(1, 21)]
        taken = await service.accept(handed_in("b1", stamps))
        assert taken == PushResult("b1", 20, False)
        assert service.status().session.faults > 0
        assert part(service, "in-drive path").restarts == 0


async def test_a_batch_that_can_not_be_taken_is_answered_and_taken_when_it_comes_again(
    home: Home, made: dict[str, list[Moving]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(home, settings(home, "")) as service:
        await until(lambda: part(service, "push").state == "up")
        assert isinstance(await service.accept(handed_in("b0", [0.0])), PushResult)

        def broken(*_: object) -> int:
            raise RuntimeError("a bug in the streams")

        with monkeypatch.context() as patch:
            patch.setattr(OpenSession, "introduce", broken)
            refused = await service.accept(handed_in("b1", [0.1]))
        assert isinstance(refused, PushRefusal)
        assert "a bug in the streams" in refused.reason
        assert await service.accept(handed_in("b1", [0.1])) == PushResult("b1", 1, False)


async def test_the_batch_that_opens_a_session_keeps_its_times(
    home: Home, made: dict[str, list[Moving]]
) -> None:
    async with running(home, settings(home, "")) as service:
        await until(lambda: part(service, "push").state == "up")
        stamps = [place / 100.0 for place in range(40)]
        await until(lambda: time.monotonic() - service.clock.start_received_s > 0.5)
        assert isinstance(await service.accept(handed_in("b1", stamps)), PushResult)
        journal = home.journals / f"{service.status().session.id}.pwj"
    times = [sample.t for sample in JournalRecording(journal).samples()]
    assert times == pytest.approx(stamps, abs=1e-3)


async def test_the_path_is_told_how_late_a_burst_comes(home: Home, made: dict[str, list[Moving]]) -> None:
    async with running(home, settings(home, "")) as service:
        await until(lambda: part(service, "push").state == "up")
        begun_s = time.monotonic()
        assert isinstance(await service.accept(handed_in("b0", [begun_s])), PushResult)
        # No reading is handed in before its time.
        await until(lambda: time.monotonic() > begun_s + 1.0)
        stamps = [begun_s + place / 50.0 for place in range(1, 51)]
        assert isinstance(await service.accept(handed_in("b1", stamps)), PushResult)
        journal = home.journals / f"{service.status().session.id}.pwj"
        path = service.keeper.current.path
    records = [record for _, record in JournalRecording(journal).records()]
    told = [
        float(each.detail) for each in records if isinstance(each, ControlRecord) and each.kind == "behind"
    ]
    assert told[0] - told[-2] >= 0.5
    assert told == sorted(told, reverse=True)
    assert path.behind_s == told[-1]


def test_behind_is_what_a_stall_has_held_up_and_not_a_feed_that_is_slow() -> None:
    def heard(readings: Iterable[tuple[float, float]]) -> list[float]:
        behind = Lateness()
        return [behind.heard(made_s, now_s) for made_s, now_s in readings]

    # 10 Hz, 0.04 s on their way; then 2 s of them at once.
    good = [(n / 10, n / 10 + 0.04) for n in range(100)]
    stalled = [(10.0 + n / 10, 12.03) for n in range(21)]
    assert heard(good) == [0.0] * 100
    burst = heard(good + stalled)[100:]
    assert burst == pytest.approx([2.0 - n / 10 for n in range(17)] + [0.0] * 4, abs=0.11)
    assert burst[-1] == 0.0
    # Somebody plays a drive at four fifths of its speed, in batches of three or ten.
    assert not any(heard([(n / 10, (n // 3) * 0.375) for n in range(1000)]))
    assert not any(heard([(n / 10, (n // 10) * 1.25 + 1.0) for n in range(1000)])[9::10])
    # Once a second, ten at a time: the last of them is always new.
    assert heard([(n / 10, n // 10 + 1.0) for n in range(100)])[9::10] == [0.0] * 10
    # A clock that was set back by 5 s is no stall for ever.
    assert heard(good + [(5.0 + n / 10, 10.0 + n / 10) for n in range(150)])[-1] == 0.0


def test_a_process_that_was_stopped_does_not_take_its_sources_for_lost() -> None:
    silence = Silence(0.0)
    for n in range(100):
        silence.heard(n / 10)
    assert silence.tick_due(9.9 + 0.5)
    silence.heard(10.5)
    # It was to look again at 10.8, and is stopped until 13.8.
    silence.overslept(3.0, 13.8)
    assert not silence.tick_due(13.8)
    assert silence.tick_due(14.1), "nothing came since, and it ran"


async def test_a_stream_that_is_less_late_than_it_was_is_the_same_stream() -> None:
    queue, clock = Queue(), SessionClock(0.0)
    inbox = SourceInbox("gnss", queue, clock, lambda: None)
    channels = [Channel("speed_mps", "m/s", "speed")]
    times = []
    for latency_s in (0.160, 0.042):
        stream = inbox.stream(channels, group="fix", latency_s=latency_s)
        inbox.put(stream, 5.0 + stream + len(times), 10.0 + len(times), (20.0,))
        reading = queue.pop()
        assert isinstance(reading, Reading)
        times.append(reading.lane.clock.map(reading.source_s, reading.received_s))
    assert times == pytest.approx([9.840, 10.958])
    assert len(inbox.lanes) == 1


async def test_every_clock_of_a_source_is_shown_once() -> None:
    queue, clock = Queue(), SessionClock(0.0)
    inbox = SourceInbox("phone", queue, clock, lambda: None)
    # Unix time, and two sensors in nanoseconds since boot: a counter of 60 s that begins again.
    begin_s = {"gps": 1.78e9, "accelerometer": 55.0, "gyroscope": 55.0}
    for group, stamp_s in begin_s.items():
        stream = inbox.stream([Channel(group, "", group)], group=group, latency_s=0.0)
        for second in range(10):
            source_s = stamp_s + second
            inbox.put(stream, source_s % 60.0 if stamp_s < 60.0 else source_s, 10.0 + second, (1.0,))
    readings = [queue.pop() for _ in range(len(queue))]
    for reading in sorted(readings, key=lambda each: each.received_s):
        reading.lane.clock.map(reading.source_s, reading.received_s)
    shown = source_status("phone", SourceHealth("test:"), inbox.lanes, Rate(), 20.0).clocks
    assert [(each.source, each.groups, each.estimate.wraps, each.estimate.jumps) for each in shown] == [
        ("phone", ("gps",), 0, 0),
        ("phone", ("accelerometer", "gyroscope"), 1, 0),
    ]
    assert [each.estimate.offset_s for each in shown] == pytest.approx([10.0 - 1.78e9, -45.0], abs=1e-3)


async def test_a_session_opens_by_itself_and_rests_on_a_stop(
    home: Home, made: dict[str, list[Moving]]
) -> None:
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: service.status().session.life == "street")
        session = service.status().session.id
        journal = service.status().journal
        assert journal is not None
        assert journal.state == "good"
    with Store(home) as again:
        assert again.open().lines == []
        assert [row.id for row in sessions(again)] == [session]


async def test_a_feed_that_is_lost_at_speed_opens_the_paddock(
    home: Home, made: dict[str, list[Moving]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.daemon.sessions.life.SILENT_S", 0.5)
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: service.status().session.life == "street")
        assert not service.car.parked.is_set()
        made["test:one"][0].trouble = SourceError("the plug is out")
        await until(service.car.parked.is_set)
        assert service.status().session.life == "paddock"


async def test_without_movement_nothing_is_kept(home: Home, made: dict[str, list[Moving]]) -> None:
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: bool(made))
        made["test:one"][0].speed_mps = 0.0
        await until(lambda: service.queue.taken > 60)
        assert service.status().session.life == "none"
    assert list(home.journals.iterdir()) == []


async def test_memory_is_tidied_in_the_paddock_never_on_the_move(
    home: Home, made: dict[str, list[Moving]], monkeypatch: pytest.MonkeyPatch
) -> None:
    tidied: list[None] = []
    monkeypatch.setattr(service_module, "TIDY_EVERY_S", 0.01)
    monkeypatch.setattr(service_module, "trim_memory", lambda: tidied.append(None))
    async with running(home, settings(home, "")):
        await until(lambda: len(tidied) > 2)
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: not service.car.parked.is_set())
        before, seen = made["test:one"][0].health.readings, len(tidied)
        await until(lambda: made["test:one"][0].health.readings > before + 25)
        assert len(tidied) == seen
