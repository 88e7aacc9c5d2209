"""What every live source gives: streams of readings with the source's own stamps, and its true health."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from pitwall.telemetry.sample import Channel

HealthState = Literal["starting", "up", "down", "stopped"]


class SourceError(Exception):
    """A source that is configured wrongly: says which URI or file and line, what is wrong and what to do.

    Only for what a person must mend. A peer that is away is no error: the source says so in its health and
    tries again.
    """


class SourceAbsentError(SourceError):
    """Nothing is wrong with how it is configured, but this machine lacks what it needs: an extra, a file."""


class SourceHealth(msgspec.Struct):
    """What a source knows of itself; it overwrites this one record. `last_received_s` is monotonic."""

    uri: str
    state: HealthState = "starting"
    readings: int = 0
    shed: int = 0
    errors: int = 0
    reconnects: int = 0
    last_received_s: float | None = None
    last_error: str = ""
    details: dict[str, int] = {}  # counters of its own, such as unknown CAN ids or bad checksums


class Inbox(Protocol):
    """Where a source puts what it reads. Both calls return at once; nothing here blocks or raises."""

    def stream(self, channels: Sequence[Channel], *, group: str, latency_s: float) -> int:
        """Register a fixed set of channels that arrive together (a CAN message, a GNSS epoch); gives its id.

        Asking again with the same `group` of this source gives the same id. `latency_s` is how old a reading
        is at its stamp by nature of the sensor (CAN 0, GNSS 0.042); another one holds from then on.
        """
        ...

    def put(
        self,
        stream: int,
        source_s: float | None,
        received_s: float,
        values: tuple[float | None, ...],
    ) -> None:
        """Hand over one reading. `source_s` is the source's own stamp in seconds (any epoch, None: it has
        no clock), `received_s` when its bytes came in (monotonic). Both are mapped to session time."""
        ...


class Source(Protocol):
    """One live source. `run` goes on until cancelled, reconnecting by itself, and leaves nothing behind."""

    health: SourceHealth

    async def run(self, inbox: Inbox) -> None:
        """Read for ever. Raises only SourceError (a person must mend it) and CancelledError."""
        ...


Options = Mapping[str, object]
"""A source's own table in `pitwall.toml`, already plain values; unknown keys are a SourceError."""
