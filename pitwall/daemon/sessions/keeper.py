"""Open and close sessions: give each reading, and each second without one, to the open session."""

from __future__ import annotations

import asyncio
import logging
import math
import time

import msgspec

from pitwall.contract.problems import Refused
from pitwall.contract.shedding import shed_above
from pitwall.contract.status import Marked
from pitwall.daemon.intake.pushes import Waiting
from pitwall.daemon.intake.queue import TALL_ONLY, InputLane, Reading, take_slice
from pitwall.daemon.sessions.checkpoints import Checkpoints
from pitwall.daemon.sessions.continuing import Continuing, Restart
from pitwall.daemon.sessions.idle import Idle
from pitwall.daemon.sessions.life import Lateness, Life, Silence
from pitwall.daemon.sessions.open_session import Batches, OpenSession, SessionParts, Values, open_session
from pitwall.daemon.sessions.place import PlaceWatch
from pitwall.daemon.watch import until_turn_s
from pitwall.drive.controls import Behind, Control, FixesLate, ForecastBy, Lost, MarkLap, Remember, Tick
from pitwall.drive.recording import findings_of
from pitwall.drive.session import Supplies
from pitwall.store.clock_note import ClockNote, clock_now, note_sources
from pitwall.store.errors import StoreError
from pitwall.store.journal_writer import CAPACITY
from pitwall.store.session import SessionWriter
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import LapMark, Mark

log = logging.getLogger("pitwall")

# Silence is checked when due, a session's end at each turn; this soon again while readings wait.
LOOK_AGAIN_S = 0.05
# How often the journal notes the phone's clock: a start after a kill asks how long ago that was.
CLOCK_EVERY_S = 5.0
# Share of the journal's room kept free of signals that no rule reads.
KEPT_FREE = CAPACITY - int(CAPACITY * shed_above("journal", "tall signals"))


class Keeper:
    """Keeps the sessions of one daemon. `follow` and `watch` are parts for the supervisor."""

    def __init__(self, parts: SessionParts) -> None:
        self.session: OpenSession | None = None
        self.life: Life | None = None
        # Whether batches are accepted; whether the car's state is known: later after a restart.
        self.taking, self.settled, self.parked = asyncio.Event(), parts.car.settled, parts.car.parked
        self._parts = parts
        self._supplies = Supplies(
            parts.tracks, lambda track, _: parts.vocabulary.words(track), network_of=parts.forecasts.of
        )
        self.place = PlaceWatch(parts.tracks, parts.vocabulary)
        self._batches = Batches(parts.pushes, self._session_for_batch, self._drive, self._look_at_batched)
        self._silence = Silence(time.monotonic())
        # None: a recording is played at another speed, and nothing can be late.
        self._behind: Lateness | None = Lateness()
        self._restart = Restart(parts, self._take)
        self._clocked_s = 0.0
        # What was noted last of the sources' clocks.
        self._sources_changes = -1
        # The open session's journal has these notes.
        self._clock: ClockNote | None = None
        self.checkpoints = Checkpoints(parts.home, self._steady)
        self._sealing: set[asyncio.Task[None]] = set()
        self._idle = Idle(parts, self.place)
        parts.vocabulary.on_ready = self._words_ready

    @property
    def current(self) -> OpenSession:
        """Return the open session, else the idle one, of which nothing is kept."""
        return self.session or self._idle.session

    @property
    def catching_up(self) -> Continuing | None:
        """Return the session being fed after a restart, None otherwise."""
        return self._restart.continuing

    @property
    def notes(self) -> list[str]:
        """Return what went wrong at the restart, for /status."""
        return self._restart.notes

    def tell(self, given: Control) -> None:
        """Give the path a control at this place of the data."""
        self.current.control(given)

    @property
    def is_open(self) -> bool:
        """Return whether a drive is recorded."""
        return self._kept_by() is not None

    def mark(self, mark: LapMark | Mark, wanted: str = "") -> Marked:
        """Say something of a lap of the open session: of the one that a second lies in, or of the running
        one. Refused where none is open, or another one than `wanted`."""
        session = self._kept_by()
        if session is None or (wanted and wanted != session.id):
            raise Refused(409, "no drive is recorded now", "mark a stored lap with `pitwall sessions mark`")
        if isinstance(mark, LapMark):
            ago_s = max(session.t - mark.t, 0.0)
            session.control(MarkLap(mark.mark, ago_s))
            return Marked(session=session.id, t=mark.t, lap=session.path.lap_number, mark=mark.mark)
        session.control(MarkLap(mark))
        return Marked(session=session.id, t=session.t, lap=session.path.lap_number, mark=mark)

    def look_among_tracks(self) -> None:
        """Look among the changed tracks where none is recognised yet."""
        self.place.tracks_changed(self.current.path.track)

    async def follow(self) -> None:
        """Take what comes, in the order in which it came."""
        if not self.settled.is_set():
            session = await self._restart.run(self._reopened)
            if session is not None:
                self._go_on(session)
            self.taking.set()
            self.settled.set()
        early = self._restart.early
        while early:
            await self._take(early.popleft())
        while True:
            await self._parts.queue.wait()
            await take_slice(self._parts.queue, self._take)

    async def watch(self) -> None:
        """Tell the path of time without data, and end a session after too much of it."""
        while True:
            now_s = time.monotonic()
            wait_s = min(max(self._silence.due_s(now_s) - now_s, LOOK_AGAIN_S), until_turn_s())
            await asyncio.sleep(wait_s)
            woke_s = time.monotonic()
            self._silence.overslept(woke_s - now_s - wait_s, woke_s)
            if not len(self._parts.queue) and self.settled.is_set():
                self._notice_silence()
            session, life = self.session, self.life
            if session is not None and not self._batches.under_way:
                self._supply(session)
            if time.monotonic() - self._clocked_s >= CLOCK_EVERY_S:
                self._note_clock()
            if session is not None and life is not None and not self._batches.under_way:
                now_t = self._session_now(session)
                if life.quiet(now_t, ended=self._parts.sources_ended()):
                    self._tell_life(session, life, now_t)
                why = life.over(now_t)
                if why:
                    self._close(why)

    async def finish(self) -> None:
        """Take what is still in the queue, put the session to rest: a start soon after goes on with it."""
        early = self._restart.early
        while (item := early.popleft() if early else self._parts.queue.pop()) is not None:
            if isinstance(item, Waiting):
                self._parts.pushes.failed(item, "the daemon is ending")
            else:
                await self._take(item)
        await self._restart.give_up()
        session, self.session = self.session, None
        if session is not None:
            # What is made of its end is not so when it goes on.
            frozen = self.checkpoints.freeze(session)
            session.finish()
            await self._seal(session)
            if frozen is not None:
                await asyncio.to_thread(self.checkpoints.keep, frozen)
        if self._sealing:
            await asyncio.wait(self._sealing)

    async def _take(self, item: Reading | Waiting) -> None:
        self._silence.heard(time.monotonic())
        if isinstance(item, Waiting):
            await self._batches.take(item)
            return
        lane, clock_s = item.lane, item.lane.clock.map(item.source_s, item.received_s)
        session = self._kept_by()
        if session is None:
            if self._idle.feed(lane, clock_s, item.values):
                self._open("the car moves")
        elif not self._passed_over(lane, session.writer):
            frame = self._drive(session, lane, clock_s, item.values)
            if frame is not None:
                self._look_at(session, frame)

    def _drive(self, session: OpenSession, lane: InputLane, clock_s: float, values: Values) -> Frame | None:
        """Keep and drive one reading; first tell the path how late it is."""
        if not lane.timed:
            self._behind = None
        behind_s = self._behind.heard(clock_s, self._clock_now_s()) if self._behind is not None else 0.0
        if self._parts.clock.changes != self._sources_changes:
            self._note_sources(session)
        if behind_s != session.behind_s:
            session.behind_s = behind_s
            session.control(Behind(round(behind_s, 1)))
        return session.sample(lane, clock_s, values)

    def _steady(self) -> OpenSession | None:
        return None if self._batches.under_way else self.session

    def _kept_by(self) -> OpenSession | None:
        return self.catching_up.session if self.catching_up is not None else self.session

    def _passed_over(self, lane: InputLane, writer: SessionWriter) -> bool:
        """Return whether this reading gives way to those that a rule reads."""
        if lane.importance != TALL_ONLY or writer.room() >= KEPT_FREE:
            return False
        writer.pass_over()
        return True

    def _session_for_batch(self, began_s: float) -> OpenSession | None:
        session = self._kept_by()
        if session is None:
            session = self._open("data is handed in", began_s)
        if self.life is not None and self.session is not None:
            self.life.handed_in(self.session.path.t)
        return session

    def _look_at_batched(self, session: OpenSession, frame: Frame) -> None:
        self._look_at(session, frame, may_close=False)

    def _look_at(self, session: OpenSession, frame: Frame, *, may_close: bool = True) -> None:
        """Judge what a frame means for the session. A bug here costs that look, no more."""
        try:
            self._judge(session, frame, may_close)
        except Exception:
            session.faults += 1
            if session.faults == 1:
                log.exception("nothing could be made of %r", frame)

    def _judge(self, session: OpenSession, frame: Frame, may_close: bool) -> None:
        path, life = session.path, self.life
        assert life is not None
        if life.feed(frame, path.position, path.running, path.track is not None):
            self._tell_life(session, life, frame.t)
        found = self.place.feed(session, frame)
        if found:
            self._supply(session)
            self._parts.news(frame.t, "track", found)
        if path.track is not None and self.place.left(frame) and may_close:
            self._close(f"left {path.track.name}")

    def _tell_life(self, session: OpenSession, life: Life, t: float) -> None:
        """Keep and show the session's new state; open or shut the paddock."""
        session.writer.event(t, "state", life.state)
        self._parts.news(t, "session", life.state)
        (self.parked.set if life.state == "paddock" else self.parked.clear)()

    def _words_ready(self, track: str) -> None:
        if self.session is not None:
            self._supply(self.session)

    def _supply(self, session: OpenSession) -> None:
        """Give the path what it lacks as soon as it is there: its track's memory, and the words.
        Repeated, for a kill may come between any two of them."""
        vocabulary, path = self._parts.vocabulary, session.path
        lag_s = path.fusion.lag_s
        if lag_s and lag_s != session.lag_s:
            session.lag_s = lag_s
            session.control(FixesLate(lag_s))
        track = path.track.id if path.track is not None else ""
        if not vocabulary.has(track):
            vocabulary.want(track)
            return
        memory = vocabulary.memory(track)
        if memory and not path.recalls(track):
            session.control(Remember(memory))
        session.tell_words(vocabulary, track)
        forecast = self._parts.forecasts.to_tell(path)
        if forecast is not None:
            session.control(ForecastBy(forecast))

    def _open(self, why: str, began_s: float = math.inf) -> OpenSession | None:
        """Begin a session with the last seconds, or at `began_s` of the daemon's clock where that
        was before."""
        parts, now_s = self._parts, self._clock_now_s()
        try:
            session = open_session(parts, self._supplies, min(self._idle.began_s(now_s), began_s), now_s)
        except StoreError as error:
            log.error("no session can be kept: %s", error)
            return None
        log.info("session %s: %s", session.id, why)
        self._enter(session)
        session.writer.event(0.0, "opened", why)
        if parts.vocabulary.has(""):
            session.tell_words(parts.vocabulary, "")
        self._tell_troubles(session)
        while self._idle.preroll:
            lane, clock_s, values = self._idle.preroll.popleft()
            frame = session.sample(lane, clock_s, values)
            if frame is not None:
                self._look_at_batched(session, frame)
        return session

    def _reopened(self) -> None:
        """Accept batches: a resumed session's journal is open."""
        going_on = self.catching_up
        if going_on is not None and going_on.sources is not None and self._behind is not None:
            self._behind.go_on(going_on.sources.late_s, self._clock_now_s())
        self._note_clock()
        self.taking.set()

    def _go_on(self, session: OpenSession) -> None:
        self._enter(session)
        if session.path.track is not None:
            self._parts.news(session.path.t, "track", session.path.track.id)
        self._parts.gone_on(session)
        self._tell_troubles(session)
        self._supply(session)

    def _tell_troubles(self, session: OpenSession) -> None:
        known = {standing.row.name for standing in session.path.degradations.standing()}
        for name, why in self._parts.troubles().items():
            if name not in known:
                session.control(Lost(name, why))

    def _enter(self, session: OpenSession) -> None:
        self.session, self.life = session, Life(self._parts.settings.limits, session.path.t)
        self._parts.car.state = session.path.state
        self.place.begin(session.path)
        self._parts.news(session.path.t, "opened", session.id)
        self._parts.pushes.answer_from(session.writer)
        self._note_clock()

    def _close(self, why: str) -> None:
        """The session came to its own end."""
        session = self.session
        if session is None:
            return
        log.info("session %s is over: %s", session.id, why)
        session.finish()
        session.note("over", why)
        session.writer.event(session.path.t, "over", why)
        self._parts.news(session.path.t, "session", "none")
        self._parts.news(session.path.t, "over", f"{session.id} {why}")
        self.session = self.life = self._clock = None
        self.place.begin()
        self._idle = Idle(self._parts, self.place)
        task = asyncio.get_running_loop().create_task(self._seal_closed(session))
        self._sealing.add(task)
        task.add_done_callback(self._sealing.discard)

    async def _seal_closed(self, session: OpenSession) -> None:
        await self._seal(session)
        await asyncio.to_thread(self.checkpoints.forget)
        if not session.is_replay:
            await self._parts.closed(session.id)

    async def _seal(self, session: OpenSession) -> None:
        await asyncio.to_thread(session.writer.close, notes=findings_of(session.path))
        await self._parts.pushes.answer_last(session.writer)

    def _note_clock(self) -> None:
        self._clocked_s = time.monotonic()
        session = self._kept_by()
        if session is not None:
            note = clock_now()
            before = self._clock or (self.catching_up.clock if self.catching_up is not None else None)
            set_s = note.set_by_s(before) if before is not None else 0.0
            if set_s:
                log.warning("the clock was set by %+.0f s; session %s is dated again", set_s, session.id)
                session.writer.clock_set(set_s)
            session.note("clock", str(note))
            self._clock = note
            self._note_sources(session)

    def _note_sources(self, session: OpenSession) -> None:
        """Map the sources' stamps as before a restart, those made in between too."""
        clock, t0 = self._parts.clock, session.t0
        self._sources_changes = clock.changes
        late_s = self._behind.usual_s if self._behind is not None else 0.0
        known = [msgspec.structs.replace(each, offset_s=each.offset_s - t0) for each in clock.known()]
        session.note("sources", note_sources(self._clock_now_s() - t0, late_s, known))

    def _notice_silence(self) -> None:
        if self._silence.tick_due(time.monotonic()):
            self.current.control(Tick(), self._session_now(self.current))

    def _clock_now_s(self) -> float:
        """The daemon's clock: seconds since it was started."""
        return self._parts.clock.at(time.monotonic())

    def _session_now(self, session: OpenSession) -> float:
        """Return session time now: where the data left it, plus the silence since."""
        return max(session.sample_t + time.monotonic() - self._silence.heard_s, session.path.t)
