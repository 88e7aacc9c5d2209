"""Make the parts of /status that the daemon's other parts don't, and its figures for /metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

from pitwall.coach.cue import PLAYED, LedgerLine
from pitwall.contract.status import Metric, MetricKind, Provenance, SessionStatus, Status
from pitwall.daemon.sessions.keeper import Keeper
from pitwall.drive.degradation import TABLE
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.signals import CANONICAL


def session_status(keeper: Keeper) -> SessionStatus:
    """Return the open session, or the one being read after a restart."""
    session, life, catching = keeper.session, keeper.life, keeper.catching_up
    if catching is not None:
        return SessionStatus(id=catching.session.id, caught_up=catching.share)
    if session is None or life is None:
        return SessionStatus(faults=keeper.current.faults)
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
        faults=session.faults,
        said=last_said(session.made.lines),
    )


def last_said(lines: dict[int, LedgerLine]) -> str:
    """Return the last words to the driver in a ledger, heard or not."""
    return next((line.text for line in reversed(lines.values()) if line.outcome in PLAYED), "")


def signals(fusion: Fusion, t: float) -> tuple[Provenance, ...]:
    """List every canonical signal that a source has sent."""
    found = (fusion.provenance(signal.name, t) for signal in CANONICAL)
    return tuple(one for one in found if one.age_s is not None)


# The figure's path in the status, its name (a counter's ends in `_total`), and what it counts.
FIGURES: tuple[tuple[str, str, str], ...] = (
    ("inbox.taken", "readings_total", "Readings received from the sources."),
    ("inbox.shed", "readings_shed_total", "Readings shed because the inbox was full."),
    ("inbox.waiting", "inbox_waiting", "Readings that wait for the in-drive path."),
    ("store.committed", "store_committed_total", "Items committed to DuckDB."),
    ("store.shed", "store_shed_total", "Rows shed; the journal has them."),
    ("store.failures", "store_failures_total", "Failures of DuckDB."),
    ("store.waiting", "store_waiting", "Items that wait for DuckDB."),
    ("disk.free_bytes", "disk_free_bytes", "Room left where everything is kept."),
    ("disk.floor_bytes", "disk_floor_bytes", "Room that must be left."),
    ("process.rss_bytes", "resident_memory_bytes", "Memory of this process."),
    ("loop.lag_s", "loop_lag_seconds", "How late the event loop runs."),
    ("loop.most_lag_s", "loop_lag_most_seconds", "The worst lag of the event loop so far."),
    ("loop.stalls", "loop_stalls_total", "Stalls of the event loop of 0.25 s or more."),
    ("process.up_s", "up_seconds", "Since the start."),
    ("paddock.answering", "paddock_answering", "Questions that are being answered."),
    ("paddock.jobs_waiting", "paddock_jobs_waiting", "Jobs that wait."),
    ("paddock.worker_starts", "paddock_worker_starts_total", "Starts of the paddock's worker."),
    ("journal.written", "journal_records", "Records in this session's journal."),
    ("journal.shed", "journal_shed", "Records shed from this session's journal."),
    ("pushes.taken", "batches_total", "Batches accepted."),
    ("pushes.known", "batches_known_total", "Batches that were known already."),
    ("pushes.refused", "batches_refused_total", "Batches refused."),
    ("voice.unheard", "callouts_unheard_total", "Callouts that could not be played."),
    ("session.faults", "path_faults_total", "Samples that the in-drive path failed on."),
)
# The same for each source.
SOURCE_FIGURES: tuple[tuple[str, str, str], ...] = (
    ("age_s", "source_age_seconds", "Since its last reading."),
    ("rate_hz", "source_rate_hertz", "Its readings a second, lately."),
    ("readings", "source_readings_total", "Its readings."),
    ("shed", "source_shed_total", "Its readings that were shed."),
    ("errors", "source_errors_total", "What it could not read."),
    ("reconnects", "source_reconnects_total", "How often it connected again."),
)


def metrics(now: Status) -> list[Metric]:
    """List this status's known figures."""
    found = [metric for path, name, help_ in FIGURES for metric in _metric(name, help_, _at(now, path))]
    for source in now.sources:
        labels = {"source": source.name}
        found += _metric("source_up", "Whether the source delivers.", source.state == "up", labels)
        for path, name, help_ in SOURCE_FIGURES:
            found += _metric(name, help_, _at(source, path), labels)
    lost = {each.name for each in now.degradations}
    for row in TABLE:
        found += _metric("degradation", "Whether this is lost now.", row.name in lost, {"name": row.name})
    for part in now.parts:
        found += _metric(
            "restarts_total", "How often a part was started again.", part.restarts, {"part": part.name}
        )
    for tier, count in (now.paddock.answered if now.paddock is not None else {}).items():
        found += _metric("paddock_answers_total", "Answers given.", count, {"tier": tier})
    return found


def _at(now: Any, path: str) -> Any:
    return reduce(lambda part, name: None if part is None else getattr(part, name), path.split("."), now)


def _metric(
    name: str, help_: str, value: float | None, labels: Mapping[str, str] | None = None
) -> Iterator[Metric]:
    if value is not None:
        kind: MetricKind = "counter" if name.endswith("_total") else "gauge"
        yield Metric(name=name, kind=kind, help=help_, value=float(value), labels=dict(labels or {}))
