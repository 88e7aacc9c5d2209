"""A start in the middle of a session: while it is read again nothing that comes is lost, and it is said."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from service_inside import GPS_CHANNELS, LAT_DEG, LON_DEG, running, settings
from until import until

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.contract.push import MOST_SAMPLES, PushBatch, PushRefusal, PushResult
from pitwall.contract.status import PhoneReport
from pitwall.daemon.app import Daemon
from pitwall.daemon.intake.queue import CAPACITY, SourceInbox
from pitwall.daemon.sessions.continuing import Continuing
from pitwall.daemon.sessions.keeper import BEHIND, ROOM
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.controls import control_of
from pitwall.drive.prepare import Words
from pitwall.drive.rebuild import rebuilder
from pitwall.store.journal_writer import JournalWriter
from pitwall.store.queries import sessions
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.journal import ControlRecord, JournalRecording, LedgerRecord, SampleRecord

HZ, SPEED_MPS = 25.0, 20.0


class Gate:
    """Holds the reading again back until it is opened."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made, feed = Gate(), Continuing.feed

    def held(self: Continuing) -> None:
        made.reached.set()
        # A daemon that ends does not wait for a test that has failed.
        while not made.opened.wait(0.05) and not self._stopped:
            pass
        feed(self)

    monkeypatch.setattr(Continuing, "feed", held)
    yield made
    made.opened.set()


class Receiver:
    """Drives north from fix to fix, as fast as the daemon takes it; `sent` over all of its daemons."""

    def __init__(self) -> None:
        self.sent = 0
        self._daemon: Daemon | None = None
        self._begun_s = 0.0

    async def drive(self, service: Daemon, fixes: int) -> None:
        inbox = SourceInbox("gnss", service.queue, service.clock, lambda: None)
        stream = inbox.stream(GPS_CHANNELS, group="fix", latency_s=0.0)
        if service is not self._daemon:
            self._daemon, self._begun_s = service, time.monotonic() - self.sent / HZ
        for number in range(fixes):
            north_m = SPEED_MPS * self.sent / HZ
            values = (LAT_DEG + north_m / 111_195.0, LON_DEG, SPEED_MPS)
            inbox.put(stream, self.sent / HZ, self._begun_s + self.sent / HZ, values)
            self.sent += 1
            if number % 100 == 99:
                await until(lambda: room(service) > 1_000 and not len(service.queue))
        await until(lambda: not len(service.queue))


def room(service: Daemon) -> int:
    """How much the journal can still hold back: this drive is faster than a disk."""
    catching_up = service.keeper.continuing
    kept_by = catching_up.session if catching_up is not None else service.keeper.session
    return CAPACITY if kept_by is None else kept_by.writer.room()


def batch(number: int, samples: int = 10) -> PushBatch:
    plain = {
        "batch_id": f"b{number}",
        "source": "logger",
        "streams": [{"group": "aux", "channels": [{"name": "serial"}]}],
        "samples": [
            {"stream": 0, "source_s": number + place / samples, "values": [place]} for place in range(samples)
        ],
    }
    return msgspec.convert(plain, PushBatch)


def journal(home: Home) -> Path:
    [path] = home.journals.glob("*.pwj")
    return path


def losses_of(home: Home) -> list[tuple[str, str]]:
    """The restarts, and what the path was told to be lost and back."""
    return [
        (record.kind, getattr(control_of(record), "name", ""))
        for _, record in JournalRecording(journal(home)).records()
        if isinstance(record, ControlRecord) and record.kind in ("restart", "lost", "back")
    ]


def samples_of(path: Path, source: str) -> list[SampleRecord]:
    recording = JournalRecording(path)
    [stream] = [each.id for each in recording.info.streams if each.source == source]
    return [
        record
        for _, record in recording.records()
        if isinstance(record, SampleRecord) and record.stream == stream
    ]


@pytest.mark.long
async def test_what_comes_while_a_session_is_read_again_is_kept_and_answered(home: Home, gate: Gate) -> None:
    receiver = Receiver()
    async with running(home, settings(home, "")) as service:
        await receiver.drive(service, 2_000)
        assert service.keeper.session is not None
        session = service.keeper.session.id
    async with running(home, settings(home, "")) as service:
        await until(lambda: gate.reached.is_set() and service.keeper.taking.is_set())
        shown = service.status().session
        assert (shown.id, shown.life) == (session, "none")
        assert shown.caught_up is not None
        assert shown.caught_up < 1.0
        # More than the inbox has room for.
        assert not gate.opened.is_set()
        await receiver.drive(service, CAPACITY + 1_000)
        assert await service.accept(batch(1)) == PushResult("b1", 10, False)
        assert service.status().inbox.shed == 0
        assert not service.keeper.parked.is_set(), "nobody knows yet that it stands"
        gate.opened.set()
        await until(lambda: service.keeper.session is not None)
        assert service.keeper.continuing is None
        assert await service.accept(batch(1)) == PushResult("b1", 10, True)
        await receiver.drive(service, 500)
        shown = service.status().session
        assert (shown.id, shown.caught_up, shown.continued) == (session, None, 1)
        assert shown.t is not None
        assert shown.t > receiver.sent / HZ - 1.0
    assert service.keeper.current.faults == 0
    path = journal(home)
    kept = samples_of(path, "gnss:fix")
    assert [record.values[0] for record in kept] == pytest.approx(
        [LAT_DEG + SPEED_MPS * number / HZ / 111_195.0 for number in range(receiver.sent)], abs=1e-12
    )
    assert [record.t for record in kept] == sorted(record.t for record in kept)
    assert len(samples_of(path, "logger:aux")) == 10
    with Store(home) as store:
        store.open()
        # A loaded machine's DuckDB sheds rows of a drive as fast as this; they are in the journal.
        recover(store, rebuilder(home, store))
        [[frames]] = store.cursor().execute("SELECT count(DISTINCT seq) FROM frames").fetchall()
        assert frames >= receiver.sent


async def test_while_the_disk_stands_still_no_half_of_a_batch_is_kept_and_the_drive_goes_on(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    stands, moves, write = threading.Event(), threading.Event(), JournalWriter._write

    def held(self: JournalWriter) -> bool:
        stands.set()
        moves.wait()
        return write(self)

    async with running(home, settings(home, "")) as service:
        receiver = Receiver()
        await receiver.drive(service, 200)
        session = service.keeper.session
        assert session is not None
        monkeypatch.setattr(JournalWriter, "_write", held)
        await until(stands.is_set)
        try:
            while session.writer.room() > ROOM:
                session.writer.event(session.t, "test")
            sending = asyncio.create_task(service.accept(batch(1, MOST_SAMPLES)))
            await until(lambda: service.pushes.taken == 1)
            taken_until_t = session.sample_t
            refused = await service.accept(batch(2))
            assert isinstance(refused, PushRefusal)
            assert (refused.kind, refused.reason) == ("busy", BEHIND)
            await receiver.drive(service, 50)
            # The drive waits for no disk.
            await until(lambda: session.sample_t > taken_until_t)
        finally:
            moves.set()
        assert await sending == PushResult("b1", MOST_SAMPLES, False)
        await until(lambda: session.writer.room() > ROOM)
        assert await service.accept(batch(2)) == PushResult("b2", 10, False)
    assert len(samples_of(journal(home), "logger:aux")) == MOST_SAMPLES + 10


class SetClock:
    """The machine's clocks, but that somebody sets the one that tells the day."""

    CLOCK_BOOTTIME = time.CLOCK_BOOTTIME
    clock_gettime = staticmethod(time.clock_gettime)

    def __init__(self) -> None:
        self.set_by_s = 0.0

    def time(self) -> float:
        return time.time() + self.set_by_s


async def test_a_clock_that_is_set_dates_the_drive_anew_and_breaks_nothing_off(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, receiver = SetClock(), Receiver()
    monkeypatch.setattr("pitwall.store.journal_check.time", clock)
    monkeypatch.setattr("pitwall.daemon.sessions.keeper.CLOCK_EVERY_S", 0.0)
    began_s, day_s = time.time(), 86_400.0
    # A phone without a network wakes up a year ago; it is set while it drives, and again while it is down.
    clock.set_by_s = -365 * day_s

    def noted(service: Daemon) -> bool:
        before = service.keeper._clock
        return before is not None and abs(before.utc_s - clock.time()) < day_s / 2

    async with running(home, settings(home, "")) as service:
        await receiver.drive(service, 200)
        await until(lambda: noted(service))
        clock.set_by_s = -day_s
        await until(lambda: noted(service))
        session = service.status().session.id
    clock.set_by_s = 0.0
    async with running(home, settings(home, "")) as service:
        await until(service.keeper.settled.is_set)
        assert service.status().session.id == session
        await receiver.drive(service, 200)
        await until(lambda: noted(service))
    [path] = home.journals.glob("*.pwj")
    times = [sample.t for sample in JournalRecording(path).samples()]
    assert times == sorted(times)
    began = set()
    for made in ("while it drove", "from the journal alone"):
        with Store(home) as store:
            store.open()
            recover(store, rebuilder(home, store))
            [row] = sessions(store)
            assert row.start_utc_s == pytest.approx(began_s, abs=day_s / 2), made
            began.add(row.start_utc_s)
        home.database.unlink()
    assert len(began) == 1, "to the last digit"


async def test_what_comes_while_the_drive_before_is_read_again_is_driven_at_once(
    home: Home, gate: Gate
) -> None:
    receiver = Receiver()
    async with running(home, settings(home, "")) as service:
        await receiver.drive(service, 500)
    async with running(home, settings(home, "")) as service:
        await until(lambda: gate.reached.is_set() and service.keeper.taking.is_set())
        catching_up = service.keeper.continuing
        assert catching_up is not None
        await receiver.drive(service, 500)
        ahead = catching_up.live_end.path
        await until(lambda: ahead.t >= catching_up.begun_t + 10.0)
        assert service.live.latest() is not None, "the page shows where the car is"
        assert catching_up.session.path.t < catching_up.begun_t, "the drive before is not read yet"
        gate.opened.set()
        await until(lambda: service.keeper.settled.is_set())
        assert service.keeper.current.path.t == pytest.approx(ahead.t, abs=1.0)
        assert not service.keeper.parked.is_set(), "what came says that it moves"
    assert [kind for kind, _ in losses_of(home)] == ["restart"]


async def test_a_battery_that_was_low_before_a_restart_is_so_until_the_phone_says_otherwise(
    home: Home,
) -> None:
    def lost(service: Daemon) -> bool:
        return "phone" in {each.name for each in service.status().degradations}

    receiver = Receiver()
    async with running(home, settings(home, "")) as service:
        service.phone(PhoneReport(battery_pct=9.0, charging=False))
        await receiver.drive(service, 500)
    async with running(home, settings(home, "")) as service:
        await until(service.keeper.settled.is_set)
        await receiver.drive(service, 500)
        assert lost(service)
        service.phone(PhoneReport(battery_pct=9.0, charging=True))
        await until(lambda: not lost(service))
    told = losses_of(home)
    assert [kind for kind, name in told if kind == "restart" or name == "phone"] == [
        "lost",
        "restart",
        "back",
    ]


async def test_words_that_become_ready_while_it_is_read_again_are_told(
    home: Home, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On no known track: a warning would be silent for the rest of the drive."""
    receiver, ended, prepared = Receiver(), threading.Event(), Vocabulary._prepared

    def held(self: Vocabulary, track: str) -> Words:
        ended.wait()
        return prepared(self, track)

    with monkeypatch.context() as patched:
        patched.setattr(Vocabulary, "_prepared", held)
        async with running(home, settings(home, "")) as service:
            await receiver.drive(service, 500)
            ended.set()
    async with running(home, settings(home, "")) as service:
        await until(lambda: gate.reached.is_set() and service.vocabulary.has(""))
        gate.opened.set()
        await until(lambda: service.keeper.session is not None)
    kinds = [
        record.kind
        for _, record in JournalRecording(journal(home)).records()
        if isinstance(record, ControlRecord)
    ]
    assert "words" in kinds[kinds.index("restart") :]


async def test_a_stop_while_it_is_read_again_loses_nothing(home: Home, gate: Gate) -> None:
    receiver = Receiver()
    async with running(home, settings(home, "")) as service:
        await receiver.drive(service, 1_000)
    async with running(home, settings(home, "")) as service:
        await until(lambda: gate.reached.is_set() and service.keeper.taking.is_set())
        await receiver.drive(service, 300)
        assert await service.accept(batch(1)) == PushResult("b1", 10, False)
        assert service.keeper.continuing is not None
    gate.opened.set()
    async with running(home, settings(home, "")) as service:
        await until(lambda: service.keeper.settled.is_set())
        assert service.keeper.parked.is_set(), "nothing says that it moves"
        assert service.status().session.continued == 2
        assert await service.accept(batch(1)) == PushResult("b1", 10, True)
        await receiver.drive(service, 100)
    path = journal(home)
    assert len(samples_of(path, "gnss:fix")) == receiver.sent
    assert len(samples_of(path, "logger:aux")) == 10
    lines = [
        record.line for _, record in JournalRecording(path).records() if isinstance(record, LedgerRecord)
    ]
    cues = [msgspec.json.decode(line, type=LedgerLine).cue for line in lines]
    assert cues
    assert len(cues) == len(set(cues)), "an end is told once, however often it is read again"
