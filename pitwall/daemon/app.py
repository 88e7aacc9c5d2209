"""Run the daemon (`pitwall run`): find sensors, survive their loss, report its state."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pitwall import __version__
from pitwall.analysis.profile import level_of
from pitwall.api.app import make_app, serve
from pitwall.api.guard import GUARD, PageSessions
from pitwall.api.live import LiveHub
from pitwall.api.paired import Wall
from pitwall.api.token import load_token, published_address
from pitwall.coach.cue import Mode
from pitwall.config import Home
from pitwall.contract.problems import Refused
from pitwall.contract.push import PushBatch, PushRefusal, PushResult
from pitwall.contract.settings import model_trouble
from pitwall.contract.status import (
    Check,
    CoachChange,
    CoachStatus,
    Marked,
    PhoneReport,
    ProcessStatus,
    Status,
)
from pitwall.daemon.conditions import available, conditions, signals
from pitwall.daemon.forecasts import Forecasts
from pitwall.daemon.intake.pushes import AGAIN, Pushes
from pitwall.daemon.intake.queue import Queue
from pitwall.daemon.intake.sources import SourcePart, forever
from pitwall.daemon.paddock.gate import PaddockPart
from pitwall.daemon.paddock.next_run import NextRun
from pitwall.daemon.pit_wall import PitWall
from pitwall.daemon.sessions.audience import SILENT, Console, Listeners
from pitwall.daemon.sessions.keeper import Keeper
from pitwall.daemon.sessions.life import CarState
from pitwall.daemon.sessions.open_session import OpenSession, SessionParts
from pitwall.daemon.sessions.place import KnownTracks, NewTracks
from pitwall.daemon.sessions.remeasuring import Remeasuring
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.daemon.sound.voice import VoicePart
from pitwall.daemon.supervisor import SupervisedPart
from pitwall.daemon.watch import Disk, LoopWatch, Losses, Phone, grown, next_turn, trim_memory
from pitwall.drive.controls import Back, HeardLater, HushUntil, Lost, SayAgain, SetMode, Unheard
from pitwall.drive.prepare import DriveSettings, Memory, read_weights, voice_of
from pitwall.drive.reference import load_shared_lap, memory_of_lap, remembered
from pitwall.settings import Loaded
from pitwall.store.errors import StoreError
from pitwall.store.lessons import driver_events
from pitwall.store.process_memory import resident_bytes
from pitwall.store.store import Store
from pitwall.telemetry.session_clock import SessionClock
from pitwall.track.lap import LapMark, Mark
from pitwall.track.model import Track
from pitwall.voice.render import Voice

log = logging.getLogger("pitwall")

# What the API hands in needs no configuration.
PUSH = "push:"
# A sender waits this long for a resumed session's journal.
TAKING_WITHIN_S = 2.0
# Nobody hears less.
DELAY_STEP_S = 0.001
# Dropped pages come back in milliseconds.
TIDY_EVERY_S = 10.0
# The coach is ready without the API too.
SERVING_WITHIN_S = 0.8
NOTES_SHOWN = 20


class Daemon:
    """Open the store, `build` on its loop, `run` until `stop`. An `api.port.DaemonPort`."""

    def __init__(
        self, home: Home, loaded: Loaded, store: Store, known: KnownTracks, console: Console
    ) -> None:
        """See `build`."""
        self._loop = asyncio.get_running_loop()
        self._started_s = time.monotonic()
        settings = loaded.settings
        self.home, self.settings, self.store, self.known = home, settings, store, known
        self.port: int | None = None
        self.pages: PageSessions | None = None
        self.notes: list[str] = list(loaded.wrong)
        self.mode: Mode = settings.coach.mode
        # Whether somebody chose the level; else of which session's hands it is.
        self.level_is_set, self.level_from = settings.coach.level != "auto", ""
        # What observes the surroundings: `pitwall run` puts it here.
        self.examine: Callable[[], list[Check]] | None = None
        self.live, self.queue = LiveHub(), Queue()
        self.clock = SessionClock(time.monotonic())
        self.pushes = Pushes(self.queue, self.clock)
        self.sources = [
            SourcePart(name, each, self.queue, self.clock)
            for name, each in settings.sources.items()
            if not each.uri.startswith(PUSH)
        ]
        self.car = car = CarState()
        audio = settings.audio
        self.vocabulary = Vocabulary(
            home,
            known.tracks,
            sound=audio.player == "auto",
            voice=self.spoken_by,
            level=level_of(settings.coach.level, (), settings.driver)[0],
            recall=self._recall,
            standing=self._stands,
        )
        self.phone_reports, self.disk = Phone(), Disk(home, settings.limits.free_floor_mb)
        self.voice = VoicePart(
            home, settings.audio, self.vocabulary, car.parked.is_set, self.phone_reports.route
        )
        self.listeners = Listeners(self.voice, self.live, car, console)
        self.paddock = PaddockPart(
            store,
            settings.paddock,
            parked=car.parked.is_set,
            settled=car.settled,
            scripts_changed=self.scripts_changed,
            news=self.listeners.news,
        )
        self.loop_watch = LoopWatch(car.parked.is_set)
        self.losses, self.shed = Losses(), frozenset[str]()
        self.forecasts = Forecasts(
            lambda: self.keeper.current.path, lambda: "litert" in self.shed, wanted=settings.coach.forecast
        )
        self.wall = Wall(home.root, settings.wall.address, on=settings.wall.enabled)
        self.listeners.crew_ended = lambda id_, line: self.wall.ended(
            id_, line.text, line.outcome, line.reason
        )
        self.keeper = Keeper(self._session_parts())
        of_car = (self.keeper, self.vocabulary, self.live, self.phone_reports, self.losses)
        self.pit_wall = PitWall(home, settings, self.wall, *of_car)
        self.remeasuring = Remeasuring(store, known.tracks, car, self._profile, self.listeners.news)
        self.next_run = NextRun(
            lambda: self.keeper.session,
            self.paddock.next_run,
            lambda: self._stands() and self.mode != "quiet",
            self.voice,
            self.spoken_by,
            self.listeners.news,
        )
        self._watch_for_losses("; ".join(loaded.wrong))
        self._stopped, self._serving = asyncio.Event(), asyncio.Event()
        self._ending = False
        self.inner = self._inner_parts()
        # These end last: the ending is still heard and seen.
        self.outer = [self.voice.part]
        if settings.api.enabled:
            self.outer.append(SupervisedPart("api", self._serve))
        else:
            self._serving.set()

    def _session_parts(self) -> SessionParts:
        return SessionParts(
            car=self.car,
            home=self.home,
            store=self.store,
            settings=self.settings,
            drive_settings=self._drive_settings,
            tracks=self.known.tracks,
            queue=self.queue,
            clock=self.clock,
            pushes=self.pushes,
            vocabulary=self.vocabulary,
            listener=self.listeners,
            news=self.listeners.news,
            gone_on=self._gone_on,
            troubles=self.losses.standing,
            forecasts=self.forecasts,
            replays=self._replays,
            sources_ended=self._sources_ended,
            closed=self._closed,
        )

    def _watch_for_losses(self, wrong: str) -> None:
        """Watch what samples don't show, in the order of the degradation table."""
        self.losses.watch("settings", lambda: wrong)
        self.losses.watch("words", self._words_trouble)
        self.losses.watch("phone", lambda: self.phone_reports.trouble(bool(self.losses.why("phone"))))
        self.losses.watch("audio", self.voice.trouble)
        self.losses.watch(
            "headset", lambda: self.phone_reports.headset_trouble(self.keeper.session is not None)
        )
        self.losses.watch("volume", self.phone_reports.volume_trouble)
        self.losses.watch("call", self.phone_reports.call_trouble)
        self.losses.watch("crew", self.wall.trouble)
        self.losses.watch("disk", self.disk.trouble)
        self.losses.watch("store", self.store_trouble)

    def _inner_parts(self) -> list[SupervisedPart]:
        known, store, parked, place = self.known, self.store, self.car.parked, self.keeper.place
        return [
            *(source.part for source in self.sources),
            SupervisedPart("push", self.pushes.run),
            SupervisedPart("in-drive path", self.keeper.follow),
            SupervisedPart("session", self.keeper.watch),
            SupervisedPart("checkpoints", self.keeper.checkpoints.run),
            SupervisedPart("words", self.vocabulary.run),
            SupervisedPart("scripts", self.vocabulary.follow),
            SupervisedPart("sound device", self.voice.follow_device),
            SupervisedPart(
                "tracks",
                lambda: known.follow(
                    self.off_track,
                    self._tracks_changed,
                    lambda: place.unknown_at,
                    place.off_track,
                    place.driven,
                ),
            ),
            SupervisedPart("new tracks", NewTracks(self.home, place.unknown_laps_due, self._unplaced).run),
            SupervisedPart("losses", self._watch_losses),
            SupervisedPart("disk", lambda: self.disk.run(store, self._look, parked.is_set)),
            SupervisedPart("loop watch", self.loop_watch.run),
            SupervisedPart("memory", self._tidy),
            SupervisedPart("forecasts", self.forecasts.run),
            SupervisedPart("remeasuring", self.remeasuring.run),
            SupervisedPart("paddock", self.paddock.run),
            SupervisedPart("next run", self.next_run.run),
            SupervisedPart("pit wall", self.pit_wall.serve),
            SupervisedPart("crew lines", self.pit_wall.render),
        ]

    @classmethod
    async def build(cls, home: Home, loaded: Loaded, store: Store, console: Console = SILENT) -> Daemon:
        """Build the daemon; nothing runs yet."""
        store.give_way()
        known = await asyncio.to_thread(KnownTracks, home)
        daemon = cls(home, loaded, store, known, console)
        trouble = model_trouble(loaded.settings.paddock.model)
        if trouble:
            # The coach needs no model, but who set one wants to know.
            log.warning("%s; until then answers are composed", trouble)
            daemon.notes.append(trouble)
        return daemon

    def status(self) -> Status:
        """Return the state, from memory."""
        now_s = time.monotonic()
        path, session = self.keeper.current.path, self.keeper.session
        fusion = path.fusion
        needs = conditions(path, self.vocabulary, self.voice.trouble())
        return Status(
            process=ProcessStatus(
                version=__version__,
                pid=os.getpid(),
                up_s=now_s - self._started_s,
                rss_bytes=resident_bytes(),
            ),
            session=self.keeper.status(),
            sources=(
                *(source.status(now_s) for source in self.sources),
                self.pushes.source_status(now_s),
            ),
            pushes=self.pushes.status(),
            signals=signals(fusion, path.t),
            capabilities=tuple(available(fusion, path.t, conditions=needs).values()),
            degradations=path.degradations.status(kept=session is not None, words=self.home.words),
            matching=self.remeasuring.status(),
            store=self.store.stats(),
            disk=self.disk.status(),
            journal=session.writer.stats() if session is not None else None,
            coach=self.coach_status(),
            voice=self.voice.status(),
            phone=self.phone_reports.status(),
            connectivity=self.paddock.breaker.status(),
            paddock=self.paddock.status(),
            inbox=self.queue.status(),
            loop=self.loop_watch.status(),
            live=self.live.status(),
            parts=tuple(part.status() for part in (*self.inner, *self.outer)),
            notes=tuple(
                [*self.known.notes, *self.notes, *self.keeper.notes, *self.remeasuring.notes][-NOTES_SHOWN:]
            ),
        )

    async def accept(self, batch: PushBatch) -> PushResult | PushRefusal:
        """Take a batch; answered when it is durable."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.keeper.taking.wait(), TAKING_WITHIN_S)
        if not self.keeper.taking.is_set() or self._ending:
            return PushRefusal("busy", "the daemon is starting or ending", AGAIN)
        return await self.pushes.accept(batch)

    def speak(self, change: CoachChange) -> CoachStatus:
        """Change how the coach speaks."""
        if change.mode is not None and change.mode != self.mode:
            self.mode = change.mode
            self.keeper.tell(SetMode(change.mode))
        if change.understood:
            self.pit_wall.answered()
        if (change.hush is not None or change.again) and not self.keeper.is_open:
            raise Refused(409, "no drive is recorded now", 'to stay silent: {"mode": "quiet"}')
        if change.again:
            self.keeper.tell(SayAgain())
        if change.hush is not None:
            self.keeper.tell(HushUntil(change.hush))
        if change.level is not None:
            self.level_is_set, self.level_from = True, ""
        if change.level is not None and change.level != self.vocabulary.level:
            self.vocabulary.level = change.level
            for track in self.vocabulary.tracks:
                self.vocabulary.want(track, again=True)
        return self.coach_status()

    def mark(self, mark: LapMark | Mark, session: str = "") -> Marked:
        """Say something of a lap of the open session."""
        return self.keeper.mark(mark, session)

    def coach_status(self) -> CoachStatus:
        """Return how the coach speaks."""
        return CoachStatus(self.mode, self.vocabulary.level, self.forecasts.status(), self.level_from)

    def phone(self, report: PhoneReport) -> None:
        """Store a report of the phone helper."""
        self.phone_reports.tell(report)
        self.paddock.breaker.phone(report)
        self._look()

    @property
    def coach(self) -> PaddockPart:
        return self.paddock

    @property
    def spoken_by(self) -> Voice:
        return voice_of(self.home, self.settings.audio.voice, self.settings.audio.speak)

    def look(self) -> list[Check]:
        """Return what the doctor finds, in a thread."""
        if self.examine is None:
            raise Refused(503, "nobody looks at what is around this daemon", "use pitwall doctor")
        return self.examine()

    def scripts_changed(self, track: str) -> None:
        """Render a new script when the car stands."""
        self.vocabulary.want(track, again=True, standing=True)

    def stop(self) -> None:
        """End, from any thread or signal handler."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended
            self._loop.call_soon_threadsafe(self._stopped.set)

    async def run(
        self, ready: Callable[[], None] = lambda: None, ending: Callable[[], None] = lambda: None
    ) -> None:
        """Run until `stop`, then close all; `ready`: all is up, `ending`: before it closes."""
        self.vocabulary.want("")
        async with asyncio.TaskGroup() as tasks:
            inner = [tasks.create_task(part.supervise(), name=part.name) for part in self.inner]
            served = [tasks.create_task(part.supervise(), name=part.name) for part in self.outer]
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._serving.wait(), SERVING_WITHIN_S)
            if not self._stopped.is_set():
                ready()
            await self._stopped.wait()
            ending()
            self._ending = True
            self.vocabulary.stop()
            await _end(inner)
            self.remeasuring.stop()
            await self.keeper.finish()
            await _end(served)

    def _gone_on(self, session: OpenSession) -> None:
        """Restore what the driver chose in a resumed session, unless the settings changed."""
        path, now, before = session.path, self._drive_settings(), session.began_with
        if before is not None and (before.mode, before.level) == (now.mode, now.level):
            self.mode = path.mode or self.mode
            self.vocabulary.level = path.level or self.vocabulary.level
        for standing in path.degradations.standing():
            if standing.row.by == "daemon":
                self.losses.restore(standing.row.name, standing.reason)
        self.listeners.gone_on(session.made.laps)

    def _drive_settings(self) -> DriveSettings:
        return DriveSettings(
            audio_delay_s=self.voice.delay_s,
            units=self.home.words.units,
            bike=self.home.words.bike,
            mode=self.mode,
            level=self.vocabulary.level,
            lap_times=self.settings.coach.lap_times,
            trial=secrets.token_hex(4) if self.settings.coach.trial else "",
        )

    def _recall(self, track: Track) -> str:
        """Return what is remembered of a track, "" without. Blocks."""
        settings = self.settings
        memory = Memory(track.id)
        try:
            if not self.level_is_set:
                shown = driver_events(self.store, "")
                self.vocabulary.level, self.level_from = level_of("auto", shown, settings.driver)
            if settings.coach.remember:
                memory = remembered(self.store, track, settings.driver, settings.vehicle)
                if other := load_shared_lap(self.home.references, track, memory.reference):
                    memory = msgspec.structs.replace(memory, reference=other)
            if settings.coach.reference:
                given = memory_of_lap(self.store, settings.coach.reference, track)
                memory = msgspec.structs.replace(given, lessons=memory.lessons)
            if settings.coach.remember:
                memory = msgspec.structs.replace(memory, weights=read_weights(self.home.advice_weights))
        except StoreError as error:
            log.warning("%s is driven without what was to be remembered: %s", track.name, error)
        known = memory.reference is not None or memory.lessons or memory.weights
        return msgspec.json.encode(memory).decode() if known else ""

    def _replays(self) -> str:
        healths = (source.health for source in self.sources)
        return next((health.replays for health in healths if health is not None and health.replays), "")

    def _sources_ended(self) -> bool:
        """Return whether all sources have ended; False without any."""
        return bool(self.sources) and all(source.ended for source in self.sources)

    def off_track(self) -> bool:
        """Return whether the car stands and no session is of a known track."""
        return self._stands() and self.keeper.current.path.track is None

    def _stands(self) -> bool:
        return self.car.settled.is_set() and self.car.parked.is_set()

    def _unplaced(self) -> Path | None:
        session = self.keeper.session
        return None if session is None or session.path.track is not None else session.writer.path

    def _tracks_changed(self, changed: Sequence[str]) -> None:
        for track in changed:
            if self.vocabulary.has(track):
                self.vocabulary.want(track, again=True)
        self.keeper.look_among_tracks()
        self.remeasuring.look()

    async def _watch_losses(self) -> None:
        while True:
            await next_turn()
            self._look()

    def _look(self) -> None:
        now_s = time.monotonic()
        for name, why in self.losses.turned(now_s):
            log.warning("%s: %s", name, why or "good again")
            self.keeper.tell(Lost(name, why) if why else Back(name))
            self.listeners.news(self.keeper.current.path.t, "degradation", f"{name} {why or 'back'}")
        if (missed_t := self.voice.heard_again()) is not None:
            self.keeper.tell(Unheard(round(missed_t, 1)))
        off_s = abs(self.keeper.current.path.audio_delay_s - self.voice.delay_s)
        if self.voice.delay_known and off_s >= DELAY_STEP_S:
            self.keeper.tell(HeardLater(round(self.voice.delay_s, 3)))
        self.shed = self.phone_reports.shed() if self.losses.why("phone") else frozenset()
        self.listeners.page_on = "live page" not in self.shed
        if self.keeper.session is not None:
            self.keeper.session.writer.keep_tall = "tall signals" not in self.shed
        for source in self.sources:
            source.turn(now_s)
        self.pushes.turn(now_s)

    def store_trouble(self) -> str:
        """Say why nothing can be written, "" while it can."""
        stats = self.store.stats()
        if stats.state == "failing":
            return stats.last_error or "DuckDB can't be written"
        journal = self.keeper.session.writer.stats() if self.keeper.session is not None else None
        if journal is not None and journal.state == "failing":
            return journal.last_error or "the journal can't be written"
        return ""

    def _words_trouble(self) -> str:
        """Say why no corner of the track can be called, "" where they can."""
        track = self.keeper.current.path.track
        return self.vocabulary.trouble(track.id) if track is not None else ""

    async def _tidy(self) -> None:
        held_bytes = 0
        while True:
            await next_turn(TIDY_EVERY_S)
            if self.car.parked.is_set() and grown(held_bytes):
                held_bytes = trim_memory()

    async def _closed(self, session: str) -> None:
        trim_memory()
        for track in self.vocabulary.tracks:
            self.vocabulary.want(track, again=True)  # the best lap there may be of this session
        await self._profile(session)
        self.remeasuring.closed(session)

    async def _profile(self, session: str) -> None:
        try:
            await self.paddock.jobs.profile(session)
        except StoreError as error:
            log.warning("session %s: no profile will be made of it: %s", session, error)

    async def _serve(self) -> None:
        api = self.settings.api
        app = make_app(self, token=load_token(self.home), hosts=api.hosts)
        self.pages = app[GUARD].pages
        async with serve(app, api.host, api.port) as self.port:
            shown = f"[{api.host}]" if ":" in api.host else api.host
            with published_address(self.home, os.getpid(), f"http://{shown}:{self.port}"):
                self._serving.set()
                await forever()


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
