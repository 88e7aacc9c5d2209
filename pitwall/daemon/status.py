"""What the daemon tells of itself at /status, put together from memory when somebody asks."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from pitwall import __version__
from pitwall.contract.status import (
    CapabilityStatus,
    Degradation,
    JournalStatus,
    SessionStatus,
    SignalStatus,
    Status,
    StoreStatus,
    WriterState,
)
from pitwall.daemon.conditions import conditions
from pitwall.daemon.intake.sources import source_status
from pitwall.store.process_memory import resident_bytes
from pitwall.telemetry.capabilities import available
from pitwall.telemetry.signals import CANONICAL, SIGNALS

if TYPE_CHECKING:
    from pitwall.daemon.app import Service

# The store's words for its state, in the API's.
STATES: dict[str, WriterState] = {"good": "good", "failing": "trouble", "closed": "closed"}
NOTES_SHOWN = 20


def status(service: Service) -> Status:
    """The state at this moment."""
    now_s = time.monotonic()
    sources = [source.status(now_s) for source in service.sources]
    pushes = service.pushes
    sources.append(source_status("push", pushes.health, pushes.inbox.lanes, service.push_rate, now_s))
    return Status(
        version=__version__,
        pid=os.getpid(),
        started_utc_s=service.started_utc_s,
        up_s=now_s - service.started_s,
        rss_bytes=resident_bytes(),
        session=_session(service),
        sources=tuple(sources),
        signals=_signals(service),
        capabilities=_capabilities(service),
        degradations=tuple(
            Degradation(
                name=one.row.name,
                since_t=one.since_t if service.keeper.session is not None else None,
                effect=one.row.effect,
                reason=one.reason,
            )
            for one in service.keeper.current.path.degradations.standing()
        ),
        store=_store(service),
        journal=_journal(service),
        voice=service.voice.status(service.voice_part.state, service.voice_part.restarts),
        phone=service.phone_told.status(),
        connectivity=service.paddock.reach.status(),
        paddock=service.paddock.status(),
        inbox=service.queue.status(),
        loop=service.loop_watch.status(),
        parts=tuple(part.status() for part in (*service.inner, *service.outer)),
        notes=tuple([*service.known.notes, *service.notes, *service.keeper.notes][-NOTES_SHOWN:]),
    )


def _session(service: Service) -> SessionStatus:
    session, life = service.keeper.session, service.keeper.life
    catching = service.keeper.catching_up
    if catching is not None:
        return SessionStatus(life="none", id=catching.session.id, caught_up=catching.share)
    if session is None or life is None:
        return SessionStatus(life="none")
    path, state = session.path, session.path.state
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
    )


def _store(service: Service) -> StoreStatus:
    stats = service.store.stats()
    return StoreStatus(
        state=STATES[stats.state],
        waiting=stats.waiting,
        committed=stats.committed,
        shed=stats.shed,
        failures=stats.failures,
        last_error=stats.last_error,
        free_bytes=service.disk.free_bytes,
        floor_bytes=service.disk.floor_bytes,
        rebuilding=tuple(pending.session for pending in service.store.pending),
    )


def _journal(service: Service) -> JournalStatus | None:
    if service.keeper.session is None:
        return None
    stats = service.keeper.session.writer.stats()
    return JournalStatus(
        state=STATES[stats.state],
        written=stats.written,
        shed=stats.shed,
        failures=stats.failures,
        durable_seq=stats.durable_seq,
        bytes=stats.bytes,
        last_error=stats.last_error,
    )


def _capabilities(service: Service) -> tuple[CapabilityStatus, ...]:
    """What the rules and the pages can do now, and why not."""
    path = service.keeper.current.path
    found = available(path.path.fusion, path.t, conditions=conditions(service))
    return tuple(
        CapabilityStatus(name=name, available=one.available, needs=one.needs, reason=one.reason)
        for name, one in found.items()
    )


def _signals(service: Service) -> tuple[SignalStatus, ...]:
    """Every canonical signal that any source has brought."""
    path = service.keeper.current.path
    found = (path.path.fusion.provenance(signal.name, path.t) for signal in CANONICAL)
    return tuple(
        SignalStatus(
            name=one.signal,
            unit=SIGNALS[one.signal].unit,
            value=one.value,
            confidence=one.confidence,
            source=one.source,
            age_s=one.age_s,
        )
        for one in found
        if one.age_s is not None
    )
