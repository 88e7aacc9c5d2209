"""`pitwall run`: the daemon. It finds its sensors, survives their loss and its own, and tells its state."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence

from pitwall.api.address import told_address
from pitwall.api.app import make_app, serve
from pitwall.api.live import LiveHub
from pitwall.api.token import load_token
from pitwall.coach.cue import Callout
from pitwall.config import Home
from pitwall.contract.push import PushBatch, PushRefusal, PushResult
from pitwall.contract.settings import model_trouble
from pitwall.contract.status import Metric, PhoneReport, Status
from pitwall.daemon import status
from pitwall.daemon.intake.pushes import AGAIN, Pushes
from pitwall.daemon.intake.queue import Queue
from pitwall.daemon.intake.sources import Rate, SourcePart, forever
from pitwall.daemon.metrics import metrics
from pitwall.daemon.paddock.gate import PaddockPart
from pitwall.daemon.sessions.keeper import Keeper, Means
from pitwall.daemon.sessions.known_tracks import KnownTracks
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.daemon.sound.voice import VoicePart
from pitwall.daemon.supervisor import Part
from pitwall.daemon.watch import memory
from pitwall.daemon.watch.lag import LoopWatch
from pitwall.daemon.watch.upkeep import LOOK_EVERY_S, Disk, Phone, Watched
from pitwall.drive.prepare import DriveSettings
from pitwall.drive.recover import rebuilder
from pitwall.settings import Loaded
from pitwall.store.errors import StoreError
from pitwall.store.store import Store, recover
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.session_clock import SessionClock
from pitwall.track.lap import Lap, Position

log = logging.getLogger("pitwall")

# What is handed in over the API needs no configuration: it is always there.
PUSH = "push:"
# The journal of a session that goes on is opened first; a sender waits so long for that.
TAKING_WITHIN_S = 2.0
# Nobody hears less than that, and no method measures it.
DELAY_STEP_S = 0.001
# What is let go of comes back in a few milliseconds when it is wanted.
TIDY_EVERY_S = 10.0
# The coach is ready without the API too, where another program has its port.
SERVING_WITHIN_S = 0.8


class Service:
    """The daemon. Open the store first; `run` until `stop`. Implements `api.port.DaemonPort`."""

    def __init__(self, home: Home, loaded: Loaded, store: Store) -> None:
        self.home, self.store, self.settings = home, store, loaded.settings
        self.live = LiveHub()
        self.started_utc_s, self.started_s = time.time(), time.monotonic()
        self.port: int | None = None
        self.known = KnownTracks(home)
        self.notes: list[str] = []
        trouble = model_trouble(self.settings.paddock.model)
        if trouble:
            # The coach needs no model; whoever set one wants to know.
            log.warning("%s; until then answers are composed", trouble)
            self.notes.append(trouble)
        self.phone_told, self.disk = Phone(), Disk(home, self.settings.limits.free_floor_mb)
        self.loop_watch = LoopWatch()
        self._stop_rebuilding = threading.Event()
        self._ending, self._page_on = False, True
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped, self._told_to_stop = asyncio.Event(), False
        self.shed: Sequence[str] = ()

    # What the API asks.

    def status(self) -> Status:
        """The state at this moment."""
        return status.status(self)

    def metrics(self) -> Sequence[Metric]:
        """The daemon's own figures."""
        return metrics(self)

    async def accept(self, batch: PushBatch) -> PushResult | PushRefusal:
        """Take a batch; answered when it is durable."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.keeper.taking.wait(), TAKING_WITHIN_S)
        if not self.keeper.taking.is_set() or self._ending:
            return PushRefusal("busy", "the daemon is starting or ending", AGAIN)
        return await self.pushes.accept(batch)

    def phone(self, report: PhoneReport) -> None:
        """What the phone helper tells."""
        self.phone_told.tell(report)
        self.paddock.reach.phone(report)
        self._look()

    @property
    def drive_settings(self) -> DriveSettings:
        """The delays that a session which opens now reckons with."""
        return DriveSettings(audio_delay_s=self.voice.delay_s)

    @property
    def coach(self) -> PaddockPart:
        """Who answers in the paddock."""
        return self.paddock

    def scripts_changed(self, track: str) -> None:
        """A script was written: render it when there is time."""
        self.vocabulary.want(track, again=True)

    # What the path makes, and who hears of it.

    def callout(self, callout: Callout) -> None:
        """Say it."""
        self.voice.play(callout)
        self.live.publish_callout(callout)

    def lap(self, lap: Lap) -> None:
        """A lap is over."""
        self.live.publish_event(lap.end_t, "lap", f"{lap.number} {lap.kind}")

    def frame(self, frame: Frame, position: Position | None) -> None:
        """Show it."""
        if self._page_on:
            self.live.publish_frame(frame, position, self.keeper.current.path.state)

    # Running.

    def stop(self) -> None:
        """End: everything is flushed and closed. At any time, from any thread, from a signal's handler."""
        self._told_to_stop = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended
                self._loop.call_soon_threadsafe(self._stopped.set)

    async def run(
        self, ready: Callable[[], None] = lambda: None, ending: Callable[[], None] = lambda: None
    ) -> None:
        """Until `stop`: then everything is flushed and closed. `ready` and `ending` are told."""
        self._loop = asyncio.get_running_loop()
        self.store.give_way()
        if self._told_to_stop:
            return
        self._prepare()
        async with asyncio.TaskGroup() as tasks:
            inner = [tasks.create_task(part.supervise(), name=part.name) for part in self.inner]
            served = [tasks.create_task(part.supervise(), name=part.name) for part in self.outer]
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._serving.wait(), SERVING_WITHIN_S)
            if not self._told_to_stop:
                ready()
            await self._stopped.wait()
            ending()
            self._ending = True
            self.vocabulary.stop()
            await _end(inner)
            await self._finish()
            await _end(served)

    def _prepare(self) -> None:
        """Everything that needs the loop."""
        self.queue = Queue()
        self.clock = SessionClock(time.monotonic())
        self.pushes = Pushes(self.queue, self.clock)
        self.vocabulary = Vocabulary(self.home, self.known.tracks, sound=self.settings.audio.player == "auto")
        self.voice = VoicePart(
            self.home, self.settings.audio, self.vocabulary, lambda: self.keeper.parked.is_set()
        )
        self.sources = [
            SourcePart(name, each, self.queue, self.clock)
            for name, each in self.settings.sources.items()
            if not each.uri.startswith(PUSH)
        ]
        self.push_rate = Rate()
        self.keeper = Keeper(
            Means(
                home=self.home,
                store=self.store,
                settings=self.settings,
                drive_settings=lambda: self.drive_settings,
                tracks=self.known.tracks,
                queue=self.queue,
                clock=self.clock,
                pushes=self.pushes,
                vocabulary=self.vocabulary,
                audience=self,
                news=self.live.publish_event,
                troubles=lambda: {name: one.why for name, one in self._watched.items() if one.why},
                closed=self._closed,
            )
        )
        self.paddock = PaddockPart(
            self.store,
            self.settings.paddock,
            parked=self.keeper.parked.is_set,
            settled=self.keeper.settled,
            scripts_changed=self.scripts_changed,
            news=self.live.publish_event,
        )
        self.voice_part = Part("voice", self.voice.run)
        self.outer = [self.voice_part]
        self._serving = asyncio.Event()
        if self.settings.api.enabled:
            self.outer.append(Part("api", self._serve))
        else:
            self._serving.set()
        self.inner = [
            *(source.part for source in self.sources),
            Part("push", self.pushes.run),
            Part("in-drive path", self.keeper.follow),
            Part("session", self.keeper.watch),
            Part("words", self.vocabulary.run),
            Part("sound device", self.voice.follow_device),
            Part("tracks", lambda: self.known.follow(self._off_track, self._tracks_changed)),
            Part("upkeep", self._upkeep),
            Part("disk", lambda: self.disk.run(self.store, self._look)),
            Part("loop watch", self.loop_watch.run),
            Part("memory", self._tidy),
            Part("rebuilding", self._rebuild),
            Part("paddock", self.paddock.run),
        ]
        self._watched = {
            "litert": Watched("litert", self._local_trouble),
            "store": Watched("store", self.store_trouble),
            "disk": Watched("disk", self.disk.trouble),
            "audio": Watched("audio", self.voice.trouble),
            "phone": Watched("phone", lambda: self.phone_told.trouble(bool(self._watched["phone"].why))),
        }
        self.vocabulary.want("")

    # Upkeep.

    def _off_track(self) -> bool:
        """Whether the car stands, and no session is of a known track: that one stays as it was driven."""
        keeper = self.keeper
        return keeper.settled.is_set() and keeper.parked.is_set() and keeper.current.path.track is None

    def _tracks_changed(self, changed: Sequence[str]) -> None:
        for track in changed:
            if self.vocabulary.has(track):
                self.vocabulary.want(track, again=True)
        self.keeper.look_among_tracks()

    async def _upkeep(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self._look()

    def _look(self) -> None:
        """Look at everything that the samples don't tell."""
        now_s = time.monotonic()
        for name, watched in self._watched.items():
            turned = watched.turn(now_s)
            if turned is None:
                continue
            log.warning("%s: %s", name, watched.why or "good again")
            self.keeper.tell("lost" if turned else "back", f"{name}: {watched.why}" if turned else name)
            t = self.keeper.current.path.t
            self.live.publish_event(t, "degradation", f"{name} {watched.why or 'back'}")
        off_s = abs(self.keeper.current.path.audio_delay_s - self.voice.delay_s)
        if self.voice.delay_known and off_s >= DELAY_STEP_S:
            self.keeper.tell("delay", f"{self.voice.delay_s:.3f}")
        self.shed = self.phone_told.shed() if self._watched["phone"].why else ()
        self._page_on = "live page" not in self.shed
        if self.keeper.session is not None:
            self.keeper.session.writer.keep_tall = "tall signals" not in self.shed
        for source in self.sources:
            source.rate.turn(source.health.readings if source.health else 0, now_s)
        self.push_rate.turn(self.pushes.health.readings, now_s)

    def store_trouble(self) -> str:
        """Why nothing can be written now, "" while it can."""
        stats = self.store.stats()
        if stats.state == "failing":
            return stats.last_error or "DuckDB can't be written"
        journal = self.keeper.session.writer.stats() if self.keeper.session is not None else None
        if journal is not None and journal.state == "failing":
            return journal.last_error or "the journal can't be written"
        return ""

    def _local_trouble(self) -> str:
        return self.paddock.local.trouble("litert" in self.shed, time.monotonic())

    async def _rebuild(self) -> None:
        """What other runs left in their journals goes back into DuckDB, while the car stands."""
        await self.keeper.settled.wait()

        def pause() -> None:
            while not self.keeper.parked.wait(0.2) and not self._stop_rebuilding.is_set():
                pass
            if self._stop_rebuilding.is_set():
                raise InterruptedError("the daemon ends; it goes on at the next start")

        if self.store.pending:
            broken = {pending.session for pending in self.store.pending}
            for line in await asyncio.to_thread(recover, self.store, rebuilder(self.home, pause)):
                log.info("%s", line)
                self.notes.append(line)
            for session in sorted(broken - {pending.session for pending in self.store.pending}):
                await self._profile(session)
        await forever()

    async def _tidy(self) -> None:
        """Stay small in the paddock, whatever the agents ask."""
        while True:
            await asyncio.sleep(TIDY_EVERY_S)
            if self.keeper.parked.is_set():
                memory.tidy()

    async def _closed(self, session: str) -> None:
        memory.tidy()
        await self._profile(session)

    async def _profile(self, session: str) -> None:
        """What a whole session tells of its driver is worked out when there is time."""
        try:
            await self.paddock.jobs.profile(session)
        except StoreError as error:
            log.warning("session %s: no profile will be made of it: %s", session, error)

    async def _finish(self) -> None:
        self._stop_rebuilding.set()
        await self.keeper.finish()

    async def _serve(self) -> None:
        api = self.settings.api
        app = make_app(self, token=load_token(self.home), hosts=api.hosts, origins=api.origins)
        async with serve(app, api.host, api.port) as self.port:
            shown = f"[{api.host}]" if ":" in api.host else api.host
            with told_address(self.home, os.getpid(), f"http://{shown}:{self.port}"):
                self._serving.set()
                await forever()


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Cancel these and wait until they are gone."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
