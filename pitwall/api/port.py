"""Define the daemon's port for the API. The daemon implements it; nothing in here knows aiohttp."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from pitwall.api.live import LiveHub
from pitwall.api.paired import Wall
from pitwall.config import Home
from pitwall.contract.events import Event
from pitwall.contract.messages import JobKind
from pitwall.contract.push import PushBatch, PushRefusal, PushResult
from pitwall.contract.questions import Asked
from pitwall.contract.status import Check, CoachChange, CoachStatus, Marked, PhoneReport, Status
from pitwall.store.jobs import Job
from pitwall.store.store import Store
from pitwall.track.lap import LapMark, Mark
from pitwall.voice.render import Voice


class CoachPort(Protocol):
    """The paddock as the API sees it. It raises Refused or StoreError."""

    def asking(self, asked: Asked) -> AbstractAsyncContextManager[AsyncIterator[Event]]:
        """Answer while the block runs; leaving it ends the run."""
        ...

    async def add_job(self, kind: JobKind, given: Mapping[str, Any]) -> Job:
        """Add a waiting job."""
        ...

    def stands(self) -> bool:
        """Return whether the car stands in the paddock. From any thread."""
        ...

    async def cancel_job(self, job: str) -> Job:
        """End a job that has not ended; what it committed stays."""
        ...


class DaemonPort(Protocol):
    """The daemon as the API sees it. Calls return at once, but for `accept`."""

    @property
    def home(self) -> Home: ...

    @property
    def store(self) -> Store:
        """Return the open store. StoreError at use while the daemon reopens it: answered as 503."""
        ...

    @property
    def live(self) -> LiveHub: ...

    @property
    def coach(self) -> CoachPort: ...

    def status(self) -> Status:
        """Return the state at this moment, from memory."""
        ...

    async def accept(self, batch: PushBatch) -> PushResult | PushRefusal:
        """Accept a well-formed batch; a PushResult means that it is durable."""
        ...

    def speak(self, change: CoachChange) -> CoachStatus:
        """Change how the coach speaks; None keeps a setting. Returns how it speaks now."""
        ...

    @property
    def wall(self) -> Wall: ...

    def mark(self, mark: LapMark | Mark, session: str = "") -> Marked:
        """Mark a lap of the open session: that of a second, or the running one. Refused (409)."""
        ...

    def phone(self, report: PhoneReport) -> None:
        """Store the phone helper's report; None keeps a field."""
        ...

    @property
    def spoken_by(self) -> Voice: ...

    def look(self) -> list[Check]:
        """Return the doctor's findings, in a thread. Refused (503)."""
        ...

    def scripts_changed(self, track: str) -> None:
        """Note a new voice script of this track: render and use it when the car stands."""
        ...
