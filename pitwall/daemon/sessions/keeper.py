"""Open and close sessions: give each reading and pushed batch to the open session.

Without one, watch the car for a departure and hold back the last seconds.
Every batch gets an answer: it is brought into a session whole and in order, or refused."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import _duckdb as duckdb
import msgspec

from pitwall.coach.cue import PLAYED
from pitwall.contract.problems import Refused
from pitwall.contract.shedding import shed_above
from pitwall.contract.status import Marked, SessionStatus
from pitwall.daemon.intake.pushes import IDS_KEPT, Waiting
from pitwall.daemon.intake.queue import SLICE, TALL_ONLY, InputLane, Reading, take_slice, take_while
from pitwall.daemon.sessions.checkpoints import Checkpoints
from pitwall.daemon.sessions.continuing import Continuing, unfinished
from pitwall.daemon.sessions.life import Departure, Lateness, Life, Silence
from pitwall.daemon.sessions.open_session import OpenSession, SessionParts, open_session
from pitwall.daemon.sessions.place import PlaceWatch
from pitwall.daemon.watch import until_turn_s
from pitwall.drive.controls import (
    Behind,
    Control,
    FixesLate,
    ForecastBy,
    Lost,
    MarkLap,
    Remember,
    Tick,
    Unheard,
)
from pitwall.drive.prepare import Words
from pitwall.drive.recording import findings_of
from pitwall.drive.session import DriveSession, Supplies
from pitwall.store.errors import StoreError
from pitwall.store.journal_check import ClockNote, JournalCheck, clock_now, note_sources
from pitwall.store.journal_writer import CAPACITY
from pitwall.store.session import SessionWriter
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.sample import Values
from pitwall.track.lap import LapMark, Mark
from pitwall.words.forms import Level

log = logging.getLogger("pitwall")

# Silence is checked when due, a session's end at each turn; this soon again while readings wait.
LOOK_AGAIN_S = 0.05
# How often the journal notes the phone's clock, which a start after a kill asks.
CLOCK_EVERY_S = 5.0
# Share of the journal's room kept free of what no rule reads.
KEPT_FREE = CAPACITY - int(CAPACITY * shed_above("journal", "tall signals"))
# The seconds before the car moved off: the gate may be near.
PREROLL_S, PREROLL_READINGS = 10.0, 4_000
# Room in the journal besides the whole batch.
ROOM = 4 * SLICE
NO_JOURNAL = "the journal can't be written now"
BEHIND = "the journal is far behind"


class Keeper:
    """Keeps the sessions of one daemon. `follow` and `watch` are supervised."""

    def __init__(self, parts: SessionParts) -> None:
        self.session: OpenSession | None = None
        self.life: Life | None = None
        # The session that is fed after a restart.
        self.continuing: Continuing | None = None
        # What went wrong at the restart.
        self.notes: list[str] = []
        # Whether batches are accepted; whether the car's state is known.
        self.taking, self.settled, self.parked = asyncio.Event(), parts.car.settled, parts.car.parked
        self._parts = parts
        self._supplies = Supplies(
            parts.tracks, lambda track, _: parts.vocabulary.words(track), network_of=parts.forecasts.of
        )
        self.place = PlaceWatch(parts.tracks, parts.vocabulary)
        self._batch_under_way = False
        self._silence = Silence(time.monotonic())
        # None: a recording is played at another speed.
        self._behind: Lateness | None = Lateness()
        # What came before a journal could keep it.
        self._early: deque[Reading | Waiting] = deque()
        self._feeding: asyncio.Future[None] | None = None
        self._clocked_s = 0.0
        # The sources' clocks as last noted.
        self._sources_changes = -1
        # The last clock note of the journal.
        self._clock: ClockNote | None = None
        self.checkpoints = Checkpoints(parts.home, self._steady)
        self._sealing: set[asyncio.Task[None]] = set()
        self._preroll: deque[tuple[InputLane, float, Values]] = deque(maxlen=PREROLL_READINGS)
        self._wait_for_departure()
        parts.vocabulary.on_ready = self._words_ready

    @property
    def current(self) -> OpenSession:
        """Return the open session, else the idle one."""
        return self.session or self._idle

    def status(self) -> SessionStatus:
        """Return the open session, or the one read after a restart."""
        session, life = self.session, self.life
        if self.continuing is not None:
            return SessionStatus(id=self.continuing.session.id, caught_up=self.continuing.share)
        if session is None or life is None:
            return SessionStatus(faults=self.current.faults)
        path, state = session.path, session.path.state
        said = (line.text for line in reversed(session.made.lines.values()) if line.outcome in PLAYED)
        return SessionStatus(
            life=life.state,
            id=session.id,
            track=path.track.id if path.track is not None else "",
            t=path.t,
            lap=state.lap,
            lap_s=state.lap_elapsed_s,
            best_s=state.best_s,
            last_s=state.last_s,
            continued=session.continued,
            faults=session.faults,
            said=next(said, ""),
            hush=path.hushed or "",
        )

    def tell(self, given: Control) -> None:
        """Give the path a control."""
        self.current.control(given)

    @property
    def is_open(self) -> bool:
        """Return whether a drive is recorded."""
        return self._kept_by() is not None

    def mark(self, mark: LapMark | Mark, wanted: str = "") -> Marked:
        """Say something of a lap of the open session: of one at a second, or the running one.
        Refused."""
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
        """Look among the changed tracks."""
        self.place.tracks_changed(self.current.path.track)

    async def follow(self) -> None:
        """Take what comes, in order."""
        if not self.settled.is_set():
            session = await self._restart()
            if session is not None:
                self._go_on(session)
            self.taking.set()
            self.settled.set()
        await self._take_early()
        while True:
            await self._parts.queue.wait()
            await take_slice(self._parts.queue, self._take)

    async def watch(self) -> None:
        """Tell the path of time without data; end a session after too much of it."""
        while True:
            now_s = time.monotonic()
            wait_s = min(max(self._silence.due_s(now_s) - now_s, LOOK_AGAIN_S), until_turn_s())
            await asyncio.sleep(wait_s)
            woke_s = time.monotonic()
            self._silence.overslept(woke_s - now_s - wait_s, woke_s)
            if not len(self._parts.queue) and self.settled.is_set():
                self._notice_silence()
            session, life = self.session, self.life
            if session is not None and not self._batch_under_way:
                self._supply(session)
            if time.monotonic() - self._clocked_s >= CLOCK_EVERY_S:
                self._note_clock()
            if session is not None and life is not None and not self._batch_under_way:
                now_t = self._session_now(session)
                if life.quiet(now_t, ended=self._parts.sources_ended()):
                    self._tell_life(session, life, now_t)
                why = life.over(now_t)
                if why:
                    self._close(why)

    async def finish(self) -> None:
        """Take the rest of the queue, put the session to rest: a start soon after goes on with
        it."""
        early = self._early
        while (item := early.popleft() if early else self._parts.queue.pop()) is not None:
            if isinstance(item, Waiting):
                self._parts.pushes.failed(item, "the daemon is ending")
            else:
                await self._take(item)
        await self._give_up_continuing()
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
            try:
                await self._take_batch(item)
            except Exception as error:
                self._parts.pushes.failed(item, f"it could not be kept: {error}")
                raise
            return
        lane, clock_s = item.lane, item.lane.clock.map(item.source_s, item.received_s)
        session = self._kept_by()
        if session is None:
            self._watch_for_departure(lane, clock_s, item.values)
        elif not self._passed_over(lane, session.writer):
            frame = self._drive(session, lane, clock_s, item.values)
            if frame is not None:
                self._look_at(session, frame)

    async def _take_batch(self, waiting: Waiting) -> None:
        """Keep a batch, and drive it."""
        pushes = self._parts.pushes
        first = {each.lane: each for each in reversed(waiting.readings)}.values()
        stamped = [each for each in first if each.source_s is not None]
        gap_s = min((each.lane.clock.since_last_s(each.source_s or 0.0) for each in stamped), default=0.0)
        # The clocks first: what the batch announces must be in it.
        mapped = [
            (each.lane, each.lane.clock.map(each.source_s, each.received_s), each.values)
            for each in waiting.readings
        ]
        session = self._session_for_batch(min(t for _, t, _ in mapped), gap_s, mapped[0][0].source)
        if session is None or session.writer.stats().state != "good":
            pushes.failed(waiting, NO_JOURNAL)
            return
        if session.writer.room() < ROOM:
            # A stalled disk: the sender waits for it, the drive does not.
            pushes.failed(waiting, BEHIND)
            return
        for lane in dict.fromkeys(each.lane for each in waiting.readings):
            session.introduce(lane)
        session.writer.batch(waiting.batch, len(mapped))
        self._batch_under_way, cancelled = True, False
        try:
            for number, (lane, clock_s, values) in enumerate(mapped):
                frame = self._drive(session, lane, clock_s, values)
                if frame is not None:
                    self._look_at(session, frame, may_close=False)
                if number % SLICE == SLICE - 1 and not cancelled:
                    try:
                        await asyncio.sleep(0)
                    except asyncio.CancelledError:
                        cancelled = True  # the rest of it all the same: half a batch is none
        finally:
            self._batch_under_way = False
        pushes.written(waiting, session.writer)
        if cancelled:
            raise asyncio.CancelledError

    async def _take_early(self) -> None:
        while self._early:
            await self._take(self._early.popleft())

    async def _set_aside(self, item: Reading | Waiting) -> None:
        self._early.append(item)

    def _wait_for_departure(self) -> None:
        """Make frames and keep nothing, until the car moves off."""
        parts = self._parts
        path = DriveSession(Supplies(parts.tracks), parts.drive_settings(), begun_t=0.0)
        self._idle = OpenSession("", 0.0, path, None, (parts.listener,))
        self._departure = Departure()
        self._preroll.clear()
        parts.car.state = path.state
        self.parked.set()

    def _watch_for_departure(self, lane: InputLane, clock_s: float, values: Values) -> None:
        """Take one reading; open a session once the car has moved long enough."""
        self._preroll.append((lane, clock_s, values))
        while self._preroll[0][1] < clock_s - PREROLL_S:
            self._preroll.popleft()
        frame = self._idle.sample(lane, clock_s, values)
        if frame is None:
            return
        self.place.look_around(frame)
        if self._departure.feed(frame):
            self._open("the car moves")
        elif self._departure.begins == self.parked.is_set():
            (self.parked.clear if self._departure.begins else self.parked.set)()

    def _drive(self, session: OpenSession, lane: InputLane, clock_s: float, values: Values) -> Frame | None:
        """Keep and drive one reading; tell the path how late it is."""
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
        return None if self._batch_under_way else self.session

    def _kept_by(self) -> OpenSession | None:
        return self.continuing.session if self.continuing is not None else self.session

    def _passed_over(self, lane: InputLane, writer: SessionWriter) -> bool:
        """Return whether this reading gives way to those that a rule reads."""
        if lane.importance != TALL_ONLY or writer.room() >= KEPT_FREE:
            return False
        writer.pass_over()
        return True

    def _session_for_batch(self, began_s: float, gap_s: float, sender: str) -> OpenSession | None:
        """Return the open session, or a new one, also after a gap in the sender's stamps that ends
        a session: a logger kept the next stint until there was a network."""
        session = self._kept_by()
        silent = gap_s >= self._parts.settings.limits.close_silent_s
        if silent and session is not None and session is self.session and session.is_of(sender):
            self._close(f"no data for {gap_s:.0f} s")
            session = None
        if session is None:
            session = self._open("data is handed in", began_s)
        if self.life is not None and self.session is not None:
            self.life.handed_in(self.session.path.t)
        return session

    def _look_at(self, session: OpenSession, frame: Frame, *, may_close: bool = True) -> None:
        """Judge what a frame means for the session; a bug costs that look."""
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
        """Keep and show the session's state; open or shut the paddock."""
        session.writer.event(t, "state", life.state)
        self._parts.news(t, "session", life.state)
        (self.parked.set if life.state == "paddock" else self.parked.clear)()

    def _words_ready(self, track: str) -> None:
        if self.session is not None:
            self._supply(self.session)

    def _supply(self, session: OpenSession) -> None:
        """Give the path its track's memory and words as soon as they are there; repeated, for a
        kill may come between."""
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
        """Begin a session with the last seconds, or at `began_s` of the daemon's clock if
        earlier."""
        parts, now_s = self._parts, self._clock_now_s()
        try:
            first_s = self._preroll[0][1] if self._preroll else now_s
            session = open_session(parts, self._supplies, min(first_s, began_s), now_s)
        except StoreError as error:
            log.error("no session can be kept: %s", error)
            return None
        log.info("session %s: %s", session.id, why)
        self._enter(session)
        session.writer.event(0.0, "opened", why)
        if parts.vocabulary.has(""):
            session.tell_words(parts.vocabulary, "")
        self._tell_troubles(session)
        while self._preroll:
            lane, clock_s, values = self._preroll.popleft()
            frame = session.sample(lane, clock_s, values)
            if frame is not None:
                self._look_at(session, frame, may_close=False)
        return session

    async def _restart(self) -> OpenSession | None:
        """Feed a recently broken-off session what it missed, and return it. What comes meanwhile is
        read as soon as its journal can keep it."""
        parts = self._parts
        try:
            parts.pushes.remember(await asyncio.to_thread(parts.store.known_batches, IDS_KEPT))
            looking = asyncio.to_thread(unfinished, parts.home, parts.settings.limits.continue_within_s)
            broken_off = await take_while(parts.queue, asyncio.ensure_future(looking), self._set_aside)
        except (OSError, StoreError, duckdb.Error) as error:
            # The drive that begins now needs nothing of this.
            self.notes.append(f"no session could be gone on with: {error}")
            log.error(self.notes[-1])
            return None
        if broken_off is None:
            return None
        path = broken_off[0]
        self.parked.clear()
        try:
            return await self._continue(*broken_off)
        except Exception as error:  # a bug in one session must not keep the car from starting
            self.notes.append(f"{path.name} could not be gone on with: {error}")
            log.exception("%s could not be gone on with", path.name)
            parts.store.pend(path, "could not be gone on with")
            await self._give_up_continuing()
            self.parked.set()
            return None

    async def _continue(self, path: Path, found: JournalCheck) -> OpenSession:
        parts = self._parts
        supplies = Supplies(parts.tracks, self._words_again, network_of=parts.forecasts.of)
        opening = asyncio.to_thread(Continuing, path, found, parts.store, supplies, parts.listener)
        continuing = await take_while(parts.queue, asyncio.ensure_future(opening), self._set_aside)
        self.continuing, session, sources = continuing, continuing.session, continuing.sources
        parts.clock.go_on(
            sources.clocks if sources is not None else (), continuing.opened_s, continuing.begun_t
        )
        parts.pushes.remember(continuing.batches)
        parts.pushes.answer_from(session.writer)
        parts.car.state = continuing.live_end.path.state
        if sources is not None and self._behind is not None:
            self._behind.go_on(sources.late_s, self._clock_now_s())
        self._note_clock()
        self.taking.set()
        await self._take_early()
        await take_while(parts.queue, self._fed(continuing.feed), self._take)
        while continuing.waiting:
            # The last milliseconds wait in the queue.
            feeding = self._fed(continuing.feed_backlog)
            await asyncio.wait({feeding})
            feeding.result()
        if not continuing.came:
            self.parked.set()
        continuing.level()
        self.continuing = None
        log.info("session %s goes on", session.id)
        session.control(Unheard(round(continuing.unheard_t, 1)))
        return session

    def _fed(self, feed: Callable[[], None]) -> asyncio.Future[None]:
        self._feeding = asyncio.ensure_future(asyncio.to_thread(feed))
        return self._feeding

    async def _give_up_continuing(self) -> None:
        """Stop feeding: the next start goes on."""
        continuing, self.continuing = self.continuing, None
        if continuing is None:
            return
        continuing.stop()
        if self._feeding is not None:
            await asyncio.gather(self._feeding, return_exceptions=True)
        await asyncio.to_thread(continuing.give_up)
        await self._parts.pushes.answer_last(continuing.session.writer)

    def _words_again(self, track: str, _: Level | None) -> Words:
        """Return the words that a session had, for the thread that feeds it."""
        vocabulary = self._parts.vocabulary
        return vocabulary.words(track) if vocabulary.has(track) else vocabulary.make(track)

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
        """End the session."""
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
        self._wait_for_departure()
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
            before = self._clock or (self.continuing.clock if self.continuing is not None else None)
            set_s = note.set_by_s(before) if before is not None else 0.0
            if set_s:
                log.warning("the clock was set by %+.0f s; session %s is dated again", set_s, session.id)
                session.writer.clock_set(set_s)
            session.note("clock", str(note))
            self._clock = note
            self._note_sources(session)

    def _note_sources(self, session: OpenSession) -> None:
        """Note how the sources' stamps are mapped."""
        clock, t0 = self._parts.clock, session.t0
        self._sources_changes = clock.changes
        late_s = self._behind.usual_s if self._behind is not None else 0.0
        known = [msgspec.structs.replace(each, offset_s=each.offset_s - t0) for each in clock.known()]
        session.note("sources", note_sources(self._clock_now_s() - t0, late_s, known))

    def _notice_silence(self) -> None:
        if self._silence.tick_due(time.monotonic()):
            self.current.control(Tick(), self._session_now(self.current))

    def _clock_now_s(self) -> float:
        """Return the daemon's clock."""
        return self._parts.clock.at(time.monotonic())

    def _session_now(self, session: OpenSession) -> float:
        """Return session time: where the data left it, plus the silence since."""
        return max(session.sample_t + time.monotonic() - self._silence.heard_s, session.path.t)
