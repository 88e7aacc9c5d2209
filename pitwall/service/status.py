"""What the daemon tells of itself: /status and /metrics, put together from memory when somebody asks."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pitwall import __version__
from pitwall.api.types import (
    CapabilityStatus,
    Degradation,
    JournalStatus,
    Metric,
    SessionStatus,
    SignalStatus,
    Status,
    StoreStatus,
    WriterState,
)
from pitwall.service.conditions import conditions
from pitwall.service.sources import source_status
from pitwall.telemetry.capabilities import available
from pitwall.telemetry.signals import CANONICAL, SIGNALS

if TYPE_CHECKING:
    from pitwall.service.service import Service

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


def metrics(service: Service) -> Sequence[Metric]:
    """The figures for /metrics."""
    queue, store, loop = service.queue, service.store.stats(), service.loop_watch
    paddock = service.paddock.status()
    figures: list[tuple[str, float, str]] = [
        ("readings_total", queue.taken, "Readings taken from the sources."),
        ("readings_shed_total", queue.shed, "Readings shed because the inbox was full."),
        ("inbox_waiting", len(queue), "Readings that wait for the in-drive path."),
        ("store_committed_total", store.committed, "Items committed to DuckDB."),
        ("store_shed_total", store.shed, "Rows shed; the journal has them."),
        ("store_failures_total", store.failures, "Failures of DuckDB."),
        ("store_waiting", store.waiting, "Items that wait for DuckDB."),
        ("loop_lag_seconds", loop.lag_s, "How late the event loop runs."),
        ("loop_lag_most_seconds", loop.most_lag_s, "The worst lag of the event loop so far."),
        ("loop_stalls_total", loop.stalls, "Stalls of the event loop of 0.25 s or more."),
        ("batches_total", service.pushes.taken, "Batches taken in."),
        ("batches_known_total", service.pushes.known, "Batches that were known already."),
        ("batches_refused_total", service.pushes.refused, "Batches refused."),
        ("callouts_unheard_total", service.voice.unheard, "Callouts that could not be played."),
        ("path_faults_total", service.keeper.current.faults, "Samples the in-drive path stumbled over."),
        ("paddock_answering", paddock.answering, "Questions that are being answered."),
        ("paddock_jobs_waiting", paddock.jobs_waiting, "Jobs that wait."),
        ("paddock_worker_starts_total", paddock.worker_starts, "Starts of the paddock's worker."),
        ("up_seconds", time.monotonic() - service.started_s, "Since the start."),
    ]
    if service.keeper.session is not None:
        journal = service.keeper.session.writer.stats()
        figures.append(("journal_records", journal.written, "Records in this session's journal."))
        figures.append(("journal_shed", journal.shed, "Records shed from this session's journal."))
    found = [
        Metric(name=name, kind="counter" if name.endswith("_total") else "gauge", help=help_, value=value)
        for name, value, help_ in figures
    ]
    found += [
        Metric(
            name="paddock_answers_total",
            kind="counter",
            help="Answers given.",
            value=count,
            labels={"tier": tier},
        )
        for tier, count in paddock.answered.items()
    ]
    found += [
        Metric(
            name="restarts_total",
            kind="counter",
            help="How often a part was started again.",
            value=part.restarts,
            labels={"part": part.name},
        )
        for part in (*service.inner, *service.outer)
    ]
    return found


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
