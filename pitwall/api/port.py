"""What the API may ask of the daemon. The daemon implements it; nothing in here knows aiohttp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pitwall.api.live import LiveHub
from pitwall.api.push import PushBatch, PushRefusal, PushResult
from pitwall.api.types import Metric, PhoneReport, Status
from pitwall.config import Home
from pitwall.store.store import Store


class DaemonPort(Protocol):
    """The daemon as the API sees it. Calls are on the event loop and, but for `accept`, return at once."""

    @property
    def home(self) -> Home: ...

    @property
    def store(self) -> Store:
        """The open store. StoreError at use while the daemon opens it anew: answered as 503."""
        ...

    @property
    def live(self) -> LiveHub: ...

    def status(self) -> Status:
        """The state at this moment, from memory. `live` is filled in by the API."""
        ...

    def metrics(self) -> Sequence[Metric]:
        """The daemon's own figures; the API adds those of its requests and of `live`."""
        ...

    async def accept(self, batch: PushBatch) -> PushResult | PushRefusal:
        """Take a batch. Returns a PushResult only when it is durable in the journal; a refusal is a value.

        The batch is well-formed: streams and values fit, numbers are finite, groups are unique.
        """
        ...

    def phone(self, report: PhoneReport) -> None:
        """Take what the phone helper tells; fields that are None stay as they were."""
        ...

    def scripts_changed(self, track: str) -> None:
        """A voice script of this track was written: render and use it when there is time."""
        ...
