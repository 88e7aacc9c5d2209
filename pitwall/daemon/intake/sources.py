"""Open, run and restart each configured source on its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pitwall.contract.status import ClockEstimate, ClockStatus, SourceStatus
from pitwall.daemon.intake.queue import InputLane, Queue, SourceInbox
from pitwall.daemon.supervisor import SupervisedPart
from pitwall.settings import SourceSettings, hide_secrets
from pitwall.telemetry.session_clock import SessionClock
from pitwall.telemetry.sources.base import Source, SourceHealth, open_source

# The shown rate is that of the last seconds.
RATE_WEIGHT = 0.3


class SourcePart:
    """A source: its inbox, streams and clock outlive its crashes."""

    def __init__(self, name: str, settings: SourceSettings, queue: Queue, clock: SessionClock) -> None:
        self.name = name
        self.part = SupervisedPart(f"source {name}", self._run)
        self.inbox = SourceInbox(name, queue, clock, lambda: self.health)
        self._settings = settings
        self._source: Source | None = None
        self._rate = Rate()

    @property
    def health(self) -> SourceHealth | None:
        return None if self._source is None else self._source.health

    @property
    def ended(self) -> bool:
        """Return whether it ended by itself, as a recording does."""
        return self.part.state == "up" and self.health is not None and self.health.state == "stopped"

    def turn(self, now_s: float) -> None:
        """Work out the rate; call it every second or so."""
        self._rate.turn(self.health.readings if self.health else 0, now_s)

    def status(self, now_s: float) -> SourceStatus:
        health = self.health or SourceHealth(uri=self._settings.uri)
        if self.part.state == "down":
            health.state, health.last_error = "down", self.part.last_error
        return source_status(
            self.name, health, self.inbox.lanes, self._rate, now_s, self.part.restarts, self.part.last_error
        )

    async def _run(self) -> None:
        self._source = open_source(self._settings.uri, self._settings.options)
        await self._source.run(self.inbox)


class Rate:
    """Readings a second, lately."""

    def __init__(self) -> None:
        self.hz: float | None = None
        self._readings, self._at_s = 0, 0.0

    def turn(self, readings: int, now_s: float) -> None:
        """Look at the counter."""
        if self._at_s:
            hz = max(readings - self._readings, 0) / max(now_s - self._at_s, 1e-3)
            self.hz = hz if self.hz is None else self.hz + RATE_WEIGHT * (hz - self.hz)
        self._readings, self._at_s = readings, now_s


def source_status(
    name: str,
    health: SourceHealth,
    lanes: Sequence[InputLane],
    rate: Rate,
    now_s: float,
    restarts: int = 0,
    part_error: str = "",
) -> SourceStatus:
    """Return a source's health and clocks for the API."""
    received_s = health.last_received_s
    return SourceStatus(
        name=name,
        uri=hide_secrets(health.uri),
        state=health.state,
        readings=health.readings,
        rate_hz=rate.hz,
        age_s=None if received_s is None else max(now_s - received_s, 0.0),
        shed=health.shed,
        errors=health.errors,
        reconnects=health.reconnects,
        restarts=restarts,
        last_error=health.last_error or part_error,
        clocks=clocks_of(lanes),
        details=dict(health.details),
    )


def clocks_of(lanes: Sequence[InputLane]) -> tuple[ClockStatus, ...]:
    """Return the clocks of these lanes, each once."""
    groups: dict[tuple[str, ClockEstimate], list[str]] = {}
    for lane in lanes:
        groups.setdefault((lane.source, lane.clock.estimate()), []).append(lane.group)
    return tuple(
        ClockStatus(source, tuple(dict.fromkeys(names)), found) for (source, found), names in groups.items()
    )


async def forever() -> None:
    """Wait until cancelled."""
    await asyncio.Event().wait()
