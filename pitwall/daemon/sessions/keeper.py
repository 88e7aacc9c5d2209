"""Sessions as they come and go: what each reading, and each second of silence, means for them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from pitwall.config import Home
from pitwall.contract.shedding import shed_above
from pitwall.daemon.intake.pushes import IDS_KEPT, Pushes, Waiting
from pitwall.daemon.intake.queue import SLICE, TALL_ONLY, Lane, Queue, Reading, take_slice, take_while
from pitwall.daemon.sessions.car import Car
from pitwall.daemon.sessions.catching_up import CatchingUp, unfinished
from pitwall.daemon.sessions.life import Departure, Life
from pitwall.daemon.sessions.place import Leaving, PlaceFinder, Surroundings
from pitwall.daemon.sessions.recorder import Audience, OpenSession, RecordingSink, open_session
from pitwall.daemon.sessions.silence import Silence
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.live_path import Kind, LivePath
from pitwall.drive.prepare import NO_WORDS, DriveSettings
from pitwall.settings import Settings
from pitwall.store.errors import StoreError
from pitwall.store.journal_writer import CAPACITY
from pitwall.store.session import SessionWriter
from pitwall.store.store import Store
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.session_clock import SessionClock
from pitwall.track.model import Track

log = logging.getLogger("pitwall")


# What came in the seconds before the car moved off belongs to the session: the gate may be near.
PREROLL_S, PREROLL_READINGS = 10.0, 4_000
# How often silence is looked for: when it is due, but a session's end at least so often, and with readings
# still waiting to be taken so soon again.
LOOK_EVERY_S, LOOK_AGAIN_S = 0.25, 0.05
# How often the journal is told what the phone's clock says: a start after a kill asks how long ago that was.
CLOCK_EVERY_S = 5.0
# Of the journal's room, what must be free for signals that no rule reads.
KEPT_FREE = CAPACITY - int(CAPACITY * shed_above("journal", "tall signals"))
# While the journal is behind, a batch waits in steps of this.
CATCH_UP_S = 0.01
NO_JOURNAL = "the journal can't be written now"


class Means(msgspec.Struct, frozen=True):
    """What a keeper works with. `troubles` tells what is lost now outside the data, by name; `closed` is told
    of each session that came to its own end, when it is whole."""

    car: Car
    home: Home
    store: Store
    settings: Settings
    drive_settings: Callable[[], DriveSettings]
    tracks: Mapping[str, Track]
    queue: Queue
    clock: SessionClock
    pushes: Pushes
    vocabulary: Vocabulary
    audience: Audience
    news: Callable[[float | None, str, str], None]
    troubles: Callable[[], Mapping[str, str]]
    closed: Callable[[str], Awaitable[None]]


class Keeper:
    """Keeps the sessions of one daemon. `follow` and `watch` are parts for the supervisor."""

    def __init__(self, means: Means) -> None:
        self.session: OpenSession | None = None
        self.life: Life | None = None
        # Whether batches can be taken; whether the car's state is known: after a restart that takes longer.
        self.taking, self.settled = asyncio.Event(), means.car.settled
        self.catching_up: CatchingUp | None = None
        self._feeding: asyncio.Future[None] | None = None
        # What came before the journal of a session that goes on was open.
        self._early: deque[Reading | Waiting] = deque()
        self.parked = means.car.parked
        self.notes: list[str] = []
        self._m = means
        self._surroundings = Surroundings(means.tracks)
        self._silence = Silence(time.monotonic())
        self._clocked_s = 0.0
        self._sealing: set[asyncio.Task[None]] = set()
        self._in_batch = self._nowhere = False
        self._searching = True
        means.vocabulary.on_ready = self._words_ready
        self._to_idle()

    @property
    def current(self) -> OpenSession:
        """The open session, else the idle one that nothing is kept of."""
        return self.session or self._idle

    def tell(self, kind: Kind, detail: str) -> None:
        """Something from outside the data, at this place of it."""
        self.current.control(kind, detail)

    def look_among_tracks(self) -> None:
        """Other tracks are known than before: where none is recognised yet, it is looked for among them."""
        self._surroundings = Surroundings(self._m.tracks)
        if self.current.path.track is None:
            self._finder = PlaceFinder(self._m.tracks, self._surroundings)
            self._searching, self._nowhere = True, False

    def _to_idle(self) -> None:
        """No session: frames are made to see whether the car moves, and nothing is kept."""
        self._preroll: deque[tuple[Lane, float, tuple[float | None, ...]]] = deque(maxlen=PREROLL_READINGS)
        self._departure = Departure()
        sink = RecordingSink(None, self._m.audience)
        path = LivePath(0.0, self._m.tracks, sink, lambda _: NO_WORDS, self._m.drive_settings())
        self._idle = OpenSession("", 0.0, path, sink)
        self._m.car.state = path.state
        self.session = self.life = None
        self._finder = PlaceFinder(self._m.tracks, self._surroundings)
        self._leaving: Leaving | None = None
        self.parked.set()

    async def follow(self) -> None:
        """Take what comes, in the order in which it came."""
        if not self.settled.is_set():
            await self._continue()
            self.taking.set()
            self.settled.set()
        while self._early:
            await self._take(self._early.popleft())
        while True:
            await self._m.queue.wait()
            await take_slice(self._m.queue, self._take)

    async def _take(self, item: Reading | Waiting) -> None:
        if isinstance(item, Waiting):
            await self._take_batch(item)
            return
        lane = item.lane
        self._silence.heard(time.monotonic())
        clock_s = lane.clock.map(item.source_s, item.received_s)
        if self.catching_up is None:
            self._drive(lane, clock_s, item.values)
        elif not self._passed_over(lane, self.catching_up.writer):
            self.catching_up.keep(lane, clock_s, item.values)

    def _passed_over(self, lane: Lane, writer: SessionWriter) -> bool:
        """Whether this reading gives way to those that a rule reads."""
        if lane.importance != TALL_ONLY or writer.room() >= KEPT_FREE:
            return False
        writer.pass_over()
        return True

    def _drive(self, lane: Lane, clock_s: float, values: tuple[float | None, ...]) -> None:
        session = self.session
        if session is not None:
            if self._passed_over(lane, session.writer):
                return
            frame = session.sample(lane, clock_s, values)
            if frame is not None:
                self._look_at(session, frame)
            return
        self._preroll.append((lane, clock_s, values))
        while self._preroll[0][1] < clock_s - PREROLL_S:
            self._preroll.popleft()
        frame = self._idle.sample(lane, clock_s, values)
        if frame is None:
            return
        self._finder.feed(frame)
        self._want_words()
        if self._departure.feed(frame):
            self._open("the car moves")
        elif self._departure.begins == self.parked.is_set():
            (self.parked.clear if self._departure.begins else self.parked.set)()

    async def _take_batch(self, waiting: Waiting) -> None:
        """A batch: into one session, whole, in one row. Whatever happens, it gets an answer."""
        try:
            await self._keep_batch(waiting)
        except Exception as error:
            self._m.pushes.failed(waiting, f"it could not be taken: {error}")
            raise

    async def _keep_batch(self, waiting: Waiting) -> None:
        self._silence.heard(time.monotonic())
        kept_by = self.catching_up or self.session
        if kept_by is not None and kept_by.writer.stats().state != "good":
            self._m.pushes.failed(waiting, NO_JOURNAL)
            return
        # The clocks first: what is said to be in the batch must be in it.
        mapped = [
            (each.lane, each.lane.clock.map(each.source_s, each.received_s), each.values)
            for each in waiting.readings
        ]
        kept_by = kept_by or self._open("data is handed in", min(clock_s for _, clock_s, _ in mapped))
        if kept_by is None:
            self._m.pushes.failed(waiting, NO_JOURNAL)
            return
        writer = kept_by.writer
        for lane in dict.fromkeys(each.lane for each in waiting.readings):
            kept_by.introduce(lane)
        writer.batch(waiting.batch, len(mapped))
        if self.life is not None and self.session is not None:
            self.life.handed_in(self.session.path.t)
        self._in_batch = True
        try:
            cancelled = await self._drive_batch(kept_by, mapped)
        finally:
            self._in_batch = False
        self._m.pushes.written(waiting, writer)
        if cancelled:
            raise asyncio.CancelledError

    async def _drive_batch(
        self,
        kept_by: OpenSession | CatchingUp,
        mapped: Sequence[tuple[Lane, float, tuple[float | None, ...]]],
    ) -> bool:
        """All of it, even when cancelled meanwhile (True then): half a batch is none."""
        cancelled = False
        for number, (lane, clock_s, values) in enumerate(mapped):
            if isinstance(kept_by, CatchingUp):
                kept_by.keep(lane, clock_s, values)
            elif (frame := kept_by.sample(lane, clock_s, values)) is not None:
                self._look_at(kept_by, frame, may_close=False)
            if number % SLICE == SLICE - 1 and not cancelled:
                try:
                    await self._let_go(kept_by.writer)
                except asyncio.CancelledError:
                    cancelled = True
        return cancelled

    async def _let_go(self, writer: SessionWriter) -> None:
        """Let the others run, and the journal catch up: nothing of a batch may be shed."""
        await asyncio.sleep(0)
        while writer.room() < 4 * SLICE and writer.stats().state == "good":  # noqa: ASYNC110, a thread's
            await asyncio.sleep(CATCH_UP_S)

    def _look_at(self, session: OpenSession, frame: Frame, *, may_close: bool = True) -> None:
        """What a frame means for the session. A bug it brings to light costs that look, no more."""
        try:
            self._judge(session, frame, may_close)
        except Exception:
            session.faults += 1
            if session.faults == 1:
                log.exception("nothing could be made of %r", frame)

    def _judge(self, session: OpenSession, frame: Frame, may_close: bool) -> None:
        """Its state, its place, its end."""
        path, life = session.path, self.life
        assert life is not None
        if life.feed(frame, path.position, path.running, path.track is not None):
            session.writer.event(frame.t, "state", life.state)
            self._m.news(frame.t, "session", life.state)
            (self.parked.set if life.state == "paddock" else self.parked.clear)()
        if self._searching:
            self._find_place(session, frame)
        if path.track is not None and self._leaving is not None and self._leaving.feed(frame) and may_close:
            self._close(f"left {path.track.name}")

    def _find_place(self, session: OpenSession, frame: Frame) -> None:
        finder = self._finder
        found = finder.feed(frame)
        self._want_words()
        if found:
            if self._m.vocabulary.has(finder.track):
                session.control("words", finder.track)
            else:
                self._m.vocabulary.want(finder.track)
            session.control("track", finder.track)
            session.writer.event(frame.t, "track", finder.track)
            self._m.news(frame.t, "track", finder.track)
            self._leaving = Leaving(self._m.tracks[finder.track], self._surroundings)
            self._searching = not finder.sure
        elif finder.sure:
            self._searching = False
        elif finder.nowhere and not self._nowhere:
            self._nowhere = True
            session.control("unknown")

    def _want_words(self) -> None:
        for track in self._finder.near:
            self._m.vocabulary.want(track.id)

    def _words_ready(self, track: str) -> None:
        session = self.session
        if session is None:
            return
        place = session.path.track.id if session.path.track is not None else ""
        if track == place:
            session.control("words", track)

    def _open(self, why: str, began_s: float = math.inf) -> OpenSession | None:
        """Begin a session with what came in the last seconds, or at `began_s` of the daemon's clock where
        that was before."""
        now_s = self._clock_now_s()
        t0 = min(self._preroll[0][1] if self._preroll else now_s, began_s)
        try:
            session = open_session(
                self._m.store,
                self._m.tracks,
                self._m.vocabulary.words,
                self._m.drive_settings(),
                self._m.audience,
                t0=t0,
                now_clock_s=now_s,
                driver=self._m.settings.driver,
                vehicle=self._m.settings.vehicle,
            )
        except StoreError as error:
            log.error("no session can be kept: %s", error)
            return None
        log.info("session %s: %s", session.id, why)
        self._enter(session)
        session.writer.event(0.0, "opened", why)
        if self._m.vocabulary.has(""):
            session.control("words", "")
        for name, why_lost in self._m.troubles().items():
            session.control("lost", f"{name}: {why_lost}")
        preroll, self._preroll = self._preroll, deque(maxlen=PREROLL_READINGS)
        for lane, clock_s, values in preroll:
            frame = session.sample(lane, clock_s, values)
            if frame is not None:
                self._look_at(session, frame, may_close=False)
        return session

    def _enter(self, session: OpenSession) -> None:
        self.session, self.life = session, Life(self._m.settings.limits, session.path.t)
        self._m.car.state = session.path.state
        self._finder = PlaceFinder(self._m.tracks, self._surroundings)
        self._leaving, self._nowhere, self._searching = None, False, True
        self._m.news(session.path.t, "opened", session.id)
        self._answer_pushes(session.writer)
        self._note_clock()

    def _answer_pushes(self, writer: SessionWriter) -> None:
        loop = asyncio.get_running_loop()

        def durable(seq: int) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits any more
                loop.call_soon_threadsafe(self._m.pushes.durable, writer, seq)

        writer.on_durable(durable)

    async def _continue(self) -> None:
        """Go on with the session that a stop or a kill broke off, if it is not too long ago. Nothing that
        comes meanwhile waits for that."""
        m = self._m
        m.pushes.remember(await asyncio.to_thread(m.store.known_batches, IDS_KEPT))
        looking = asyncio.to_thread(unfinished, m.home, m.settings.limits.continue_within_s)
        path = await take_while(m.queue, asyncio.ensure_future(looking), self._set_aside)
        if path is not None:
            self.parked.clear()
            try:
                await self._reopen(path)
                await self._catch_up()
            except Exception as error:  # a bug in one session must not keep the car from starting
                self.notes.append(f"{path.name} could not be gone on with: {error}")
                log.exception("%s could not be gone on with", path.name)
                m.store.pend(path, "could not be gone on with")
                await self._give_up()
                self.parked.set()

    async def _set_aside(self, item: Reading | Waiting) -> None:
        self._early.append(item)

    async def _reopen(self, path: Path) -> None:
        """Open the journal of a session again: from here on it takes what comes."""
        m = self._m
        opening = asyncio.to_thread(
            CatchingUp, path, m.store, m.tracks, m.vocabulary, m.audience, self._clock_now_s()
        )
        self.catching_up = await take_while(m.queue, asyncio.ensure_future(opening), self._set_aside)
        m.pushes.remember(self.catching_up.batches)
        self._answer_pushes(self.catching_up.writer)
        self._note_clock()
        self.taking.set()

    async def _catch_up(self) -> None:
        """Feed the path of the session what it missed, then drive it on."""
        catching = self.catching_up
        assert catching is not None
        while self._early:
            await self._take(self._early.popleft())
        self._feeding = asyncio.ensure_future(asyncio.to_thread(catching.feed))
        await take_while(self._m.queue, self._feeding, self._take)
        while catching.waiting:
            # The last of it: what comes in these few milliseconds waits in the queue.
            self._feeding = asyncio.ensure_future(asyncio.to_thread(catching.feed_meanwhile))
            await asyncio.wait({self._feeding})
            self._feeding.result()
        session = catching.level()
        self.catching_up = None
        log.info("session %s goes on", session.id)
        self._enter(session)
        if not catching.came:
            self.parked.set()
        for standing in session.path.degradations.standing():
            if standing.row.by == "daemon":
                session.control("back", standing.row.name)
        for name, why in self._m.troubles().items():
            session.control("lost", f"{name}: {why}")
        track = session.path.track
        if track is not None:
            self._leaving, self._searching = Leaving(track, self._surroundings), False
            if self._m.vocabulary.has(track.id):
                session.control("words", track.id)

    async def _give_up(self) -> None:
        """End the catching up: the next start feeds or rebuilds the session from its journal."""
        catching, self.catching_up = self.catching_up, None
        if catching is None:
            return
        catching.stop()
        if self._feeding is not None:
            await asyncio.gather(self._feeding, return_exceptions=True)
        await asyncio.to_thread(catching.give_up)
        await self._answer_last(catching.writer)

    def _close(self, why: str) -> None:
        """The session came to its own end."""
        session = self.session
        if session is None:
            return
        log.info("session %s is over: %s", session.id, why)
        session.finish()
        session.control("over", why)
        session.writer.event(session.path.t, "over", why)
        self._m.news(session.path.t, "session", "none")
        self._m.news(session.path.t, "over", f"{session.id} {why}")
        self._to_idle()
        task = asyncio.get_running_loop().create_task(self._seal_closed(session))
        self._sealing.add(task)
        task.add_done_callback(self._sealing.discard)

    async def _seal_closed(self, session: OpenSession) -> None:
        await self._seal(session)
        await self._m.closed(session.id)

    async def _seal(self, session: OpenSession) -> None:
        writer = session.writer
        track = session.path.track
        notes = "\n".join(finding.detail for finding in session.path.path.fusion.findings())
        await asyncio.to_thread(writer.close, notes=notes, track=track.id if track is not None else "")
        await self._answer_last(writer)

    async def _answer_last(self, writer: SessionWriter) -> None:
        """The journal is closed: whoever still waits for it gets his answer."""
        await asyncio.sleep(0)  # what the journal's thread had to tell comes first
        self._m.pushes.durable(writer, writer.stats().durable_seq)
        self._m.pushes.give_up(writer, "the journal could not be written")

    async def watch(self) -> None:
        """Time that goes by without data: the path is told, and a session that lasts too long is over."""
        while True:
            now_s = time.monotonic()
            await asyncio.sleep(min(max(self._silence.due_s(now_s) - now_s, LOOK_AGAIN_S), LOOK_EVERY_S))
            if not len(self._m.queue) and self.settled.is_set():
                self._notice_silence()
            session, life = self.session, self.life
            if time.monotonic() - self._clocked_s >= CLOCK_EVERY_S:
                self._note_clock()
            if session is not None and life is not None and not self._in_batch:
                why = life.over(self._session_now(session))
                if why:
                    self._close(why)

    def _note_clock(self) -> None:
        self._clocked_s = time.monotonic()
        if self.catching_up is not None:
            self.catching_up.control("clock", f"{time.time():.3f}", self._clock_now_s())
        elif self.session is not None:
            self.session.control("clock", f"{time.time():.3f}")

    def _notice_silence(self) -> None:
        if self._silence.tick_due(time.monotonic()):
            self.current.control("tick", "", self._session_now(self.current))

    def _clock_now_s(self) -> float:
        """The daemon's clock: seconds since it was started."""
        return self._m.clock.at(time.monotonic())

    def _session_now(self, session: OpenSession) -> float:
        """Session time now: where the data left it, and the silence since."""
        return max(session.sample_t + time.monotonic() - self._silence.heard_s, session.path.t)

    async def finish(self) -> None:
        """Take what is still in the queue, put the session to rest: a start soon after goes on with it."""
        while (item := self._early.popleft() if self._early else self._m.queue.pop()) is not None:
            if isinstance(item, Waiting):
                self._m.pushes.failed(item, "the daemon is ending")
            else:
                await self._take(item)
        await self._give_up()
        session, self.session = self.session, None
        if session is not None:
            session.finish()
            await self._seal(session)
        if self._sealing:
            await asyncio.wait(self._sealing)
