"""Sessions as they open, go on and close: what each reading, and each second of silence, means for them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from pitwall.config import Home
from pitwall.contract.shedding import shed_above
from pitwall.daemon.intake.pushes import IDS_KEPT, Pushes, Waiting
from pitwall.daemon.intake.queue import TALL_ONLY, InputLane, Queue, Reading, take_slice, take_while
from pitwall.daemon.sessions.batches import Batches
from pitwall.daemon.sessions.car import CarState
from pitwall.daemon.sessions.continuing import Continuing, unfinished
from pitwall.daemon.sessions.life import Departure, Life
from pitwall.daemon.sessions.open_session import OpenSession, Values, idle_session, open_session
from pitwall.daemon.sessions.place import PlaceWatch
from pitwall.daemon.sessions.silence import Silence
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.listeners import DriveListener
from pitwall.drive.prepare import DriveSettings, Words
from pitwall.drive.recording import findings_of
from pitwall.drive.session import Kind, Supplies
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


class SessionParts(msgspec.Struct, frozen=True):
    """The parts of the daemon that its sessions work with. `troubles` tells what is lost now outside the
    data, by name; `closed` is told of each session that came to its own end, when it is whole."""

    car: CarState
    home: Home
    store: Store
    settings: Settings
    drive_settings: Callable[[], DriveSettings]
    tracks: Mapping[str, Track]
    queue: Queue
    clock: SessionClock
    pushes: Pushes
    vocabulary: Vocabulary
    listener: DriveListener
    news: Callable[[float | None, str, str], None]
    troubles: Callable[[], Mapping[str, str]]
    closed: Callable[[str], Awaitable[None]]


class Keeper:
    """Keeps the sessions of one daemon. `follow` and `watch` are parts for the supervisor."""

    def __init__(self, parts: SessionParts) -> None:
        self.session: OpenSession | None = None
        self.life: Life | None = None
        self.catching_up: Continuing | None = None
        # Whether batches can be taken; whether the car's state is known: after a restart that takes longer.
        self.taking, self.settled, self.parked = asyncio.Event(), parts.car.settled, parts.car.parked
        self.notes: list[str] = []
        self._parts = parts
        self._supplies = Supplies(parts.tracks, parts.vocabulary.words)
        self._place = PlaceWatch(parts.tracks, parts.vocabulary)
        self._batches = Batches(parts.pushes, self._session_for_batch, self._look_at_batched)
        self._silence = Silence(time.monotonic())
        self._feeding: asyncio.Future[None] | None = None
        # What came before the journal of a session that goes on was open.
        self._early: deque[Reading | Waiting] = deque()
        self._clocked_s = 0.0
        self._sealing: set[asyncio.Task[None]] = set()
        self._preroll: deque[tuple[InputLane, float, Values]] = deque(maxlen=PREROLL_READINGS)
        self._departure = Departure()
        self._idle = self._make_idle()
        self.parked.set()
        parts.vocabulary.on_ready = self._words_ready

    @property
    def current(self) -> OpenSession:
        """The open session, else the idle one that nothing is kept of."""
        return self.session or self._idle

    def tell(self, kind: Kind, detail: str) -> None:
        """Tell the path something from outside the data, at this place of it."""
        self.current.control(kind, detail)

    def look_among_tracks(self) -> None:
        """Other tracks are known than before: where none is recognised yet, look for one among them."""
        self._place.tracks_changed(self.current.path.track)

    async def follow(self) -> None:
        """Take what comes, in the order in which it came."""
        if not self.settled.is_set():
            await self._continue()
            self.taking.set()
            self.settled.set()
        while self._early:
            await self._take(self._early.popleft())
        while True:
            await self._parts.queue.wait()
            await take_slice(self._parts.queue, self._take)

    async def watch(self) -> None:
        """Time that goes by without data: the path is told, and a session that lasts too long is over."""
        while True:
            now_s = time.monotonic()
            await asyncio.sleep(min(max(self._silence.due_s(now_s) - now_s, LOOK_AGAIN_S), LOOK_EVERY_S))
            if not len(self._parts.queue) and self.settled.is_set():
                self._notice_silence()
            session, life = self.session, self.life
            if time.monotonic() - self._clocked_s >= CLOCK_EVERY_S:
                self._note_clock()
            if session is not None and life is not None and not self._batches.under_way:
                now_t = self._session_now(session)
                if life.quiet(now_t):
                    self._tell_life(session, life, now_t)
                why = life.over(now_t)
                if why:
                    self._close(why)

    async def finish(self) -> None:
        """Take what is still in the queue, put the session to rest: a start soon after goes on with it."""
        while (item := self._early.popleft() if self._early else self._parts.queue.pop()) is not None:
            if isinstance(item, Waiting):
                self._parts.pushes.failed(item, "the daemon is ending")
            else:
                await self._take(item)
        await self._give_up()
        session, self.session = self.session, None
        if session is not None:
            session.recorder.finish()
            await self._seal(session)
        if self._sealing:
            await asyncio.wait(self._sealing)

    # What comes.

    async def _take(self, item: Reading | Waiting) -> None:
        self._silence.heard(time.monotonic())
        if isinstance(item, Waiting):
            await self._batches.take(item)
            return
        lane, clock_s = item.lane, item.lane.clock.map(item.source_s, item.received_s)
        session = self._kept_by()
        if session is None:
            self._watch_for_departure(lane, clock_s, item.values)
        elif not self._passed_over(lane, session.writer):
            self._notice_backlog(clock_s)
            frame = session.sample(lane, clock_s, item.values)
            if frame is not None:
                self._look_at(session, frame)

    def _kept_by(self) -> OpenSession | None:
        return self.catching_up.session if self.catching_up is not None else self.session

    def _notice_backlog(self, clock_s: float) -> None:
        if self.catching_up is not None:
            self.catching_up.noticed(clock_s)

    def _passed_over(self, lane: InputLane, writer: SessionWriter) -> bool:
        """Whether this reading gives way to those that a rule reads."""
        if lane.importance != TALL_ONLY or writer.room() >= KEPT_FREE:
            return False
        writer.pass_over()
        return True

    def _watch_for_departure(self, lane: InputLane, clock_s: float, values: Values) -> None:
        """No session is open: look whether the car moves off."""
        self._preroll.append((lane, clock_s, values))
        while self._preroll[0][1] < clock_s - PREROLL_S:
            self._preroll.popleft()
        frame = self._idle.sample(lane, clock_s, values)
        if frame is None:
            return
        self._place.look_around(frame)
        if self._departure.feed(frame):
            self._open("the car moves")
        elif self._departure.begins == self.parked.is_set():
            (self.parked.clear if self._departure.begins else self.parked.set)()

    def _session_for_batch(self, began_s: float) -> OpenSession | None:
        session = self._kept_by()
        if session is None:
            session = self._open("data is handed in", began_s)
        self._notice_backlog(began_s)
        if self.life is not None and self.session is not None:
            self.life.handed_in(self.session.path.t)
        return session

    def _look_at_batched(self, session: OpenSession, frame: Frame) -> None:
        self._look_at(session, frame, may_close=False)

    def _look_at(self, session: OpenSession, frame: Frame, *, may_close: bool = True) -> None:
        """What a frame means for the session. A bug it brings to light costs that look, no more."""
        try:
            self._judge(session, frame, may_close)
        except Exception:
            session.recorder.faults += 1
            if session.faults == 1:
                log.exception("nothing could be made of %r", frame)

    def _judge(self, session: OpenSession, frame: Frame, may_close: bool) -> None:
        """Its state, its place, its end."""
        path, life = session.path, self.life
        assert life is not None
        if life.feed(frame, path.position, path.running, path.track is not None):
            self._tell_life(session, life, frame.t)
        found = self._place.feed(session, frame)
        if found:
            self._parts.news(frame.t, "track", found)
        if path.track is not None and self._place.left(frame) and may_close:
            self._close(f"left {path.track.name}")

    def _tell_life(self, session: OpenSession, life: Life, t: float) -> None:
        """The session's life has changed: keep it, show it, open or shut the paddock."""
        session.writer.event(t, "state", life.state)
        self._parts.news(t, "session", life.state)
        (self.parked.set if life.state == "paddock" else self.parked.clear)()

    def _words_ready(self, track: str) -> None:
        session = self.session
        if session is not None and track == (session.path.track.id if session.path.track else ""):
            session.control("words", track)

    # Opening and closing.

    def _make_idle(self) -> OpenSession:
        parts = self._parts
        idle = idle_session(Supplies(parts.tracks), parts.drive_settings(), parts.listener)
        parts.car.state = idle.path.state
        return idle

    def _open(self, why: str, began_s: float = math.inf) -> OpenSession | None:
        """Begin a session with what came in the last seconds, or at `began_s` of the daemon's clock where
        that was before."""
        parts, now_s = self._parts, self._clock_now_s()
        t0 = min(self._preroll[0][1] if self._preroll else now_s, began_s)
        try:
            session = open_session(
                parts.store,
                self._supplies,
                parts.drive_settings(),
                parts.listener,
                t0=t0,
                now_clock_s=now_s,
                driver=parts.settings.driver,
                vehicle=parts.settings.vehicle,
            )
        except StoreError as error:
            log.error("no session can be kept: %s", error)
            return None
        log.info("session %s: %s", session.id, why)
        self._enter(session)
        session.writer.event(0.0, "opened", why)
        if parts.vocabulary.has(""):
            session.control("words", "")
        self._tell_troubles(session)
        preroll, self._preroll = self._preroll, deque(maxlen=PREROLL_READINGS)
        for lane, clock_s, values in preroll:
            frame = session.sample(lane, clock_s, values)
            if frame is not None:
                self._look_at_batched(session, frame)
        return session

    def _tell_troubles(self, session: OpenSession) -> None:
        for name, why in self._parts.troubles().items():
            session.control("lost", f"{name}: {why}")

    def _enter(self, session: OpenSession) -> None:
        self.session, self.life = session, Life(self._parts.settings.limits, session.path.t)
        self._parts.car.state = session.path.state
        self._place.begin(session.path.track)
        self._parts.news(session.path.t, "opened", session.id)
        self._answer_pushes(session.writer)
        self._note_clock()

    def _close(self, why: str) -> None:
        """The session came to its own end."""
        session = self.session
        if session is None:
            return
        log.info("session %s is over: %s", session.id, why)
        session.recorder.finish()
        session.control("over", why)
        session.writer.event(session.path.t, "over", why)
        self._parts.news(session.path.t, "session", "none")
        self._parts.news(session.path.t, "over", f"{session.id} {why}")
        self._idle = self._make_idle()
        self.session = self.life = None
        self._preroll.clear()
        self._departure = Departure()
        self._place.begin()
        self.parked.set()
        task = asyncio.get_running_loop().create_task(self._seal_closed(session))
        self._sealing.add(task)
        task.add_done_callback(self._sealing.discard)

    async def _seal_closed(self, session: OpenSession) -> None:
        await self._seal(session)
        await self._parts.closed(session.id)

    async def _seal(self, session: OpenSession) -> None:
        await asyncio.to_thread(session.writer.close, notes=findings_of(session.path))
        await self._answer_last(session.writer)

    def _answer_pushes(self, writer: SessionWriter) -> None:
        loop = asyncio.get_running_loop()

        def durable(seq: int) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits any more
                loop.call_soon_threadsafe(self._parts.pushes.durable, writer, seq)

        writer.on_durable(durable)

    async def _answer_last(self, writer: SessionWriter) -> None:
        """The journal is closed: whoever still waits for it gets his answer."""
        await asyncio.sleep(0)  # what the journal's thread had to tell comes first
        self._parts.pushes.durable(writer, writer.stats().durable_seq)
        self._parts.pushes.give_up(writer, "the journal could not be written")

    # Going on after a stop or a kill.

    async def _continue(self) -> None:
        """Go on with the session that a stop or a kill broke off, if it is not too long ago. Nothing that
        comes meanwhile waits for that."""
        parts = self._parts
        parts.pushes.remember(await asyncio.to_thread(parts.store.known_batches, IDS_KEPT))
        looking = asyncio.to_thread(unfinished, parts.home, parts.settings.limits.continue_within_s)
        path = await take_while(parts.queue, asyncio.ensure_future(looking), self._set_aside)
        if path is None:
            return
        self.parked.clear()
        try:
            opening = asyncio.to_thread(
                Continuing,
                path,
                parts.store,
                Supplies(parts.tracks, self._words_again),
                parts.listener,
                self._clock_now_s(),
            )
            self.catching_up = await take_while(parts.queue, asyncio.ensure_future(opening), self._set_aside)
            await self._catch_up(self.catching_up)
        except Exception as error:  # a bug in one session must not keep the car from starting
            self.notes.append(f"{path.name} could not be gone on with: {error}")
            log.exception("%s could not be gone on with", path.name)
            parts.store.pend(path, "could not be gone on with")
            await self._give_up()
            self.parked.set()

    async def _set_aside(self, item: Reading | Waiting) -> None:
        self._early.append(item)

    def _words_again(self, track: str) -> Words:
        """The words that a session had before, for a thread that feeds it again."""
        vocabulary = self._parts.vocabulary
        return vocabulary.words(track) if vocabulary.has(track) else vocabulary.make(track)

    async def _catch_up(self, catching: Continuing) -> None:
        """Take what comes into the journal, feed the path what it missed, then drive it on."""
        parts, session = self._parts, catching.session
        parts.pushes.remember(catching.batches)
        self._answer_pushes(session.writer)
        self._note_clock()
        self.taking.set()
        while self._early:
            await self._take(self._early.popleft())
        self._feeding = asyncio.ensure_future(asyncio.to_thread(catching.feed))
        await take_while(parts.queue, self._feeding, self._take)
        while catching.waiting:
            # The last of it: what comes in these few milliseconds waits in the queue.
            self._feeding = asyncio.ensure_future(asyncio.to_thread(catching.feed_backlog))
            await asyncio.wait({self._feeding})
            self._feeding.result()
        came = catching.came
        catching.level()
        self.catching_up = None
        log.info("session %s goes on", session.id)
        self._enter(session)
        if not came:
            self.parked.set()
        for standing in session.path.degradations.standing():
            if standing.row.by == "daemon":
                session.control("back", standing.row.name)
        self._tell_troubles(session)
        track = session.path.track
        if track is not None and parts.vocabulary.has(track.id):
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
        await self._answer_last(catching.session.writer)

    # Time.

    def _note_clock(self) -> None:
        self._clocked_s = time.monotonic()
        session = self._kept_by()
        if session is not None:
            catching_up = self.catching_up is not None
            t = session.t_of(self._clock_now_s()) if catching_up else 0.0
            session.control("clock", f"{time.time():.3f}", t)

    def _notice_silence(self) -> None:
        if self._silence.tick_due(time.monotonic()):
            self.current.control("tick", "", self._session_now(self.current))

    def _clock_now_s(self) -> float:
        """The daemon's clock: seconds since it was started."""
        return self._parts.clock.at(time.monotonic())

    def _session_now(self, session: OpenSession) -> float:
        """Session time now: where the data left it, and the silence since."""
        return max(session.sample_t + time.monotonic() - self._silence.heard_s, session.path.t)
