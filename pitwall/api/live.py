"""Send /live to its subscribers: the newest frame at each one's pace, and a short queue of events.

Publishing never waits: a frame is a reference kept. Call all of it on the event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Annotated

import msgspec

from pitwall import __version__
from pitwall.coach.cue import Callout
from pitwall.contract.shedding import shed_above
from pitwall.contract.status import LiveStatus
from pitwall.drive.session import LiveState
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position

# Callouts and events that wait for one slow client.
QUEUE_MESSAGES = int(shed_above("live page", "news"))
# No phone's page shows more, and fusion makes 50 Hz.
MOST_HZ = 50.0
DEFAULT_HZ = 10.0
# A silent connection is written to this often, to find a dead one.
HEARTBEAT_S = 10.0
MOST_VIEWERS = 64


class LiveHello(msgspec.Struct, frozen=True, tag="hello"):
    """The first message: frames will come at most `hz` times a second."""

    version: str
    hz: float


class LiveFrame(msgspec.Struct, frozen=True, tag="frame"):
    """The newest frame, its place on the track, and where the drive stands."""

    frame: Frame
    position: Position | None
    state: LiveState


class LiveCallout(msgspec.Struct, frozen=True, tag="callout"):
    """Words that are said to the driver now."""

    callout: Callout


class LiveEvent(msgspec.Struct, frozen=True, tag="event"):
    """A change of state. `t` is session time, s; `kind`: `opened` (the session's id), `session`
    (its life), `track`, `lap`, `degradation`, `job` (id, kind and end), `next run` (spoken in
    the paddock), `over` (id and why)."""

    t: float | None
    kind: str
    detail: str


class LiveMissed(msgspec.Struct, frozen=True, tag="missed"):
    """The number of callouts and events dropped because this client was too slow."""

    count: int


class LiveQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often frames are wanted, at most: 1/s."""

    hz: Annotated[float, msgspec.Meta(ge=0.1, le=MOST_HZ)] = DEFAULT_HZ


class Crowded(Exception):
    """There are as many viewers as there may be."""


class LiveHub:
    """The hub to which the daemon publishes. The daemon makes one; the API lets viewers in."""

    def __init__(self) -> None:
        self._frame: Frame | None = None
        self._position: Position | None = None
        self._state: LiveState | None = None
        self._number = 0
        self._encoded: bytes | None = None
        self._news: list[LiveCallout | LiveEvent] = []
        self._viewers: dict[Viewer, None] = {}  # a dict keeps the order; a set would not
        self._hungry = 0
        self._scheduled = False
        self._thinned = self._missed = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def publish_frame(self, frame: Frame, position: Position | None, state: LiveState) -> None:
        """Keep a new frame. A viewer gets only the newest."""
        self._frame, self._position, self._state = frame, position, state
        self._number += 1
        self._encoded = None
        if self._hungry and not self._scheduled:
            self._schedule()

    def publish_callout(self, callout: Callout) -> None:
        """Queue a callout for every viewer."""
        self._publish(LiveCallout(callout))

    def publish_event(self, t: float | None, kind: str, detail: str = "") -> None:
        """Queue an event for every viewer."""
        self._publish(LiveEvent(t, kind, detail))

    @property
    def newest(self) -> tuple[Frame | None, Position | None]:
        """Return the newest frame and its place, None before the first."""
        return self._frame, self._position

    def latest(self) -> bytes | None:
        """Return the newest frame as JSON, None before the first."""
        if self._frame is None or self._state is None:
            return None
        if self._encoded is None:
            self._encoded = msgspec.json.encode(LiveFrame(self._frame, self._position, self._state))
        return self._encoded

    def view(self, hz: float = DEFAULT_HZ) -> Viewer:
        """Let a viewer in; he leaves with `close`. Crowded where there is no room."""
        if len(self._viewers) >= MOST_VIEWERS:
            raise Crowded(f"there are {MOST_VIEWERS} viewers at /live already")
        self._loop = asyncio.get_running_loop()
        viewer = Viewer(self, hz)
        self._viewers[viewer] = None
        return viewer

    def status(self) -> LiveStatus:
        """Count viewers, frames and what was dropped."""
        return LiveStatus(
            clients=len(self._viewers), frames=self._number, thinned=self._thinned, missed=self._missed
        )

    def close_viewers(self) -> None:
        """Send every viewer away; later publishing reaches nobody."""
        for viewer in list(self._viewers):
            viewer.close()

    def _publish(self, message: LiveCallout | LiveEvent) -> None:
        if self._viewers:
            self._news.append(message)
            if not self._scheduled:
                self._schedule()

    def _schedule(self) -> None:
        # Waking 20 tasks costs more than a frame may: the loop does it after the in-drive path.
        assert self._loop is not None
        self._scheduled = True
        self._loop.call_soon(self._distribute)

    def _distribute(self) -> None:
        self._scheduled = False
        news, self._news = self._news, []
        encoded = [msgspec.json.encode(message) for message in news]
        for viewer in self._viewers:
            viewer._take(encoded)


class Viewer:
    """A client. `next` until it gives None; then, or when he is gone, `close`."""

    def __init__(self, hub: LiveHub, hz: float) -> None:
        self._hub, self._interval_s = hub, 1.0 / hz
        self._loop = asyncio.get_running_loop()
        self._queue: deque[bytes] = deque([msgspec.json.encode(LiveHello(__version__, hz))])
        self._missed = 0
        self._seen = 0
        self._due_s = 0.0
        self._future: asyncio.Future[None] | None = None
        self._hungry = self._closed = False

    async def next(self) -> list[bytes] | None:
        """Return the messages to send now; empty after HEARTBEAT_S of silence; None: it is over."""
        until_s = self._loop.time() + HEARTBEAT_S
        while not self._closed:
            messages = self._messages()
            now_s = self._loop.time()
            if messages or now_s >= until_s:
                return messages
            fresh = self._seen != self._hub._number
            await self._wait(min(self._due_s, until_s) if fresh else until_s, hungry=not fresh)
        return None

    def close(self) -> None:
        """Leave. A second call does nothing."""
        self._closed = True
        self._hub._viewers.pop(self, None)
        self._wake()

    def _messages(self) -> list[bytes]:
        messages = list(self._queue)
        self._queue.clear()
        if self._missed:
            messages.insert(0, msgspec.json.encode(LiveMissed(self._missed)))
            self._missed = 0
        hub, now_s = self._hub, self._loop.time()
        if hub._number != self._seen and now_s >= self._due_s:
            frame = hub.latest()
            if frame is not None:
                messages.append(frame)
            hub._thinned += hub._number - self._seen - 1 if self._seen else 0
            self._seen = hub._number
            # On the beat for a fast viewer, so that 10 Hz of data pass at 10 Hz.
            behind_s = now_s - self._due_s
            self._due_s = now_s + self._interval_s - (behind_s if behind_s < self._interval_s else 0.0)
        return messages

    async def _wait(self, until_s: float, *, hungry: bool) -> None:
        self._future = self._loop.create_future()
        timer = self._loop.call_at(until_s, self._wake)
        self._hungry = hungry
        self._hub._hungry += hungry
        try:
            await self._future
        finally:
            timer.cancel()
            self._future = None
            self._hub._hungry -= hungry
            self._hungry = False

    def _take(self, encoded: list[bytes]) -> None:
        over = len(self._queue) + len(encoded) - QUEUE_MESSAGES
        self._queue.extend(encoded)
        for _ in range(over):
            self._queue.popleft()
            self._missed += 1
            self._hub._missed += 1
        if encoded or self._hungry:
            self._wake()

    def _wake(self) -> None:
        if self._future is not None and not self._future.done():
            self._future.set_result(None)
