"""Store, disk, sound and phone: lost at once, back after two good seconds; what is shed, what never is."""

from __future__ import annotations

import asyncio
import itertools
from typing import NamedTuple

import pytest
from service_inside import WITHIN_S, Moving, running, settings
from until import until

import pitwall.daemon.intake.sources as sources_module
from pitwall.config import Home
from pitwall.contract.shedding import SHED
from pitwall.contract.status import PhoneReport
from pitwall.daemon.intake.queue import CANONICAL, POSITION, TALL_ONLY, Queue, SourceInbox, importance_of
from pitwall.daemon.watch import Disk, Phone, Watched
from pitwall.drive.prepare import NOT_PLACED
from pitwall.helpers.backoff import PART, Backoff
from pitwall.store.queries import sessions
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import SessionMeta
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.session_clock import SessionClock
from pitwall.telemetry.sources.base import SourceHealth

ONE = '[sources.one]\nuri = "test:one"'


@pytest.fixture
def moving(monkeypatch: pytest.MonkeyPatch) -> Moving:
    car = Moving()
    monkeypatch.setattr(sources_module, "open_source", lambda *_: car)
    return car


def test_lost_at_once_back_after_two_good_seconds() -> None:
    wrong = ["", "dead", "dead", "", "dead", *[""] * 30]
    watched = Watched("audio", lambda: wrong.pop(0))
    turns = [watched.turn(tenth / 10.0) for tenth in range(35)]
    assert [(tenth, turn) for tenth, turn in enumerate(turns) if turn is not None] == [(1, True), (25, False)]


@pytest.mark.parametrize(
    ("report", "shed"),
    [
        (PhoneReport(heat="moderate", battery_pct=80.0), 0),
        (PhoneReport(heat="severe"), 2),
        (PhoneReport(heat="critical"), 2),
        (PhoneReport(heat="shutdown"), 3),
        (PhoneReport(battery_pct=14.0), 2),
        (PhoneReport(battery_pct=14.0, charging=True), 0),
        (PhoneReport(battery_pct=9.0), 2),
        (PhoneReport(battery_pct=3.0), 3),
    ],
)
def test_a_suffering_phone_sheds_in_order(report: PhoneReport, shed: int) -> None:
    phone = Phone()
    phone.tell(report)
    assert phone.shed() == {*[*SHED["phone"]][:shed]}
    assert bool(phone.trouble(False)) == bool(shed)


async def test_a_hot_phone_costs_the_page_and_the_tall_signals_never_the_drive(
    home: Home, moving: Moving
) -> None:
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: service.keeper.session is not None)
        session = service.keeper.session
        assert session is not None
        service.phone(PhoneReport(heat="emergency"))
        assert [each.name for each in service.status().degradations] == ["phone"]
        assert not session.writer.keep_tall
        shown, seq = service.live.latest(), session.writer.seq
        await until(lambda: session.writer.seq > seq + 10)
        assert service.live.latest() == shown, "the page stands still"
        service.phone(PhoneReport(heat="none"))
        await until(lambda: service.status().degradations == ())
        assert session.writer.keep_tall
        await until(lambda: service.live.latest() != shown)


async def test_below_the_floor_only_sessions_with_a_copy_elsewhere_go(home: Home, moving: Moving) -> None:
    with Store(home) as store:
        store.open()
        for number, name in enumerate(("first", "second", "third")):
            keep(store, name, float(number))
        for name in ("first", "third"):
            store.mark_exported(name)
        store.flush()
    floor = settings(home, ONE + "\n[limits]\nfree_floor_mb = 1e12")
    async with running(home, floor) as service:
        await until(lambda: service.disk.dropped == ["first", "third"])
        await until(lambda: "disk" in [each.name for each in service.status().degradations])
        await until(lambda: service.keeper.session is not None)
        assert [row.id for row in sessions(service.store) if row.id == "second"] == ["second"]
    assert sorted(path.name for path in home.journals.glob("*d.pwj")) == ["second.pwj"]


async def test_a_disk_under_its_floor_is_known_in_under_half_a_second(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late after a look it fills up: counted in what the part itself waits."""
    free_mb = itertools.chain([900, 900, 900], itertools.repeat(300))
    waits_s: list[float] = []
    at_the_notice: list[list[float]] = []

    async def wait(seconds: float) -> None:
        waits_s.append(seconds)

    monkeypatch.setattr("pitwall.daemon.watch.shutil.disk_usage", lambda _: Free(int(next(free_mb) * 1e6)))
    monkeypatch.setattr("pitwall.daemon.watch.asyncio.sleep", wait)
    disk = Disk(home, 500.0)
    told = asyncio.Event()

    def noticed() -> None:
        at_the_notice.append(list(waits_s))
        told.set()

    with Store(home) as store:
        store.open()
        looking = asyncio.create_task(disk.run(store, noticed, lambda: False))
        await asyncio.wait_for(told.wait(), WITHIN_S)
        assert disk.trouble() == "300 MB free, 500 MB wanted"
        looking.cancel()
        await asyncio.wait({looking})
    assert len(at_the_notice[0]) == 3, "at the first look that finds it"
    assert max(at_the_notice[0]) < 0.5


@pytest.mark.parametrize(
    ("free_mb", "in_blocks_mb", "trouble"),
    [
        (600, 0, ""),
        (300, 250, ""),
        (300, 150, "300 MB free, 500 MB wanted"),
        (100, 900, "100 MB free, 500 MB wanted"),
    ],
)
async def test_free_blocks_of_the_database_are_room(
    home: Home, monkeypatch: pytest.MonkeyPatch, free_mb: int, in_blocks_mb: int, trouble: str
) -> None:
    """And what is free in it is given back when the car stands, once after each start and each drop."""
    monkeypatch.setattr("pitwall.daemon.watch.shutil.disk_usage", lambda _: Free(free_mb * 1_000_000))
    monkeypatch.setattr(Store, "free_block_bytes", lambda _: in_blocks_mb * 1_000_000)
    given_back, looks = [], asyncio.Event()

    async def turn(_: float) -> None:
        looks.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("pitwall.daemon.watch.next_turn", turn)
    monkeypatch.setattr(Store, "give_room_back", lambda _: given_back.append(1))
    disk = Disk(home, 500.0)
    with Store(home) as store:
        store.open()
        looking = asyncio.create_task(disk.run(store, lambda: None, lambda: True))
        await asyncio.wait_for(looks.wait(), WITHIN_S)
        assert disk.trouble() == trouble
        looking.cancel()
        await asyncio.wait({looking})
    assert given_back == [1]


class Free(NamedTuple):
    free: int


def keep(store: Store, name: str, at_s: float) -> None:
    writer = store.begin(SessionMeta(id=name, kind="live", created_utc_s=at_s), lossless=True)
    writer.keep_stream(Stream(0, "test", (Channel("serial", "", "serial"),)))
    writer.row_stream(Stream(0, "test", (Channel("serial", "", "serial"),)))
    # Nobody measures it again: one that the start of a drive meets at that is open until the car stands.
    writer.place("", None, None, NOT_PLACED)
    for number in range(10):
        writer.row(writer.keep(Sample(0, float(number), (float(number),))), None, None, 0)
    writer.close()


async def test_a_full_inbox_sheds_the_least_important_first() -> None:
    queue = Queue(capacity=8)
    inbox = SourceInbox("bus", queue, SessionClock(0.0), lambda: None)
    tall = inbox.stream([Channel("lambda", "", "Lambda")], group="a", latency_s=0.0)
    rpm = inbox.stream([Channel("rpm", "1/min", "RPM")], group="b", latency_s=0.0)
    fix = inbox.stream([Channel("lat_deg", "deg", "Lat")], group="c", latency_s=0.0)
    assert [importance_of(lane.channels) for lane in inbox.lanes] == [TALL_ONLY, CANONICAL, POSITION]
    for _ in range(6):
        for stream in (tall, rpm, fix):
            inbox.put(stream, None, 0.0, (1.0,))
    kept = [queue.pop().lane.group for _ in range(len(queue))]
    assert kept == ["a", "b", "c", "a", "b", "c", "c", "c"]
    assert queue.status().shed == 10


async def test_a_reading_that_does_not_fit_its_stream_is_counted_not_kept() -> None:
    queue, health = Queue(), SourceHealth("test:")
    inbox = SourceInbox("bus", queue, SessionClock(0.0), lambda: health)
    inbox.put(0, None, 0.0, (1.0,))
    stream = inbox.stream([Channel("rpm", "1/min", "RPM")], group="b", latency_s=0.0)
    inbox.put(stream, None, 0.0, (1.0, 2.0))
    assert (health.errors, len(queue)) == (2, 0)


def test_a_part_is_tried_again_at_once_then_less_often_but_every_ten_seconds_at_least() -> None:
    backoff = Backoff(PART)
    waits = [backoff.next_s() for _ in range(2000)]
    assert waits == sorted(waits)
    assert waits[:4] == [0.0, 0.25, 0.5, 1.0]
    assert waits[-1] == 10.0
    backoff.reset()
    assert backoff.next_s() == 0.0
