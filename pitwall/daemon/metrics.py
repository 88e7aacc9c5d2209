"""What /metrics tells of the daemon: the figures of /status by name and label, and a few that only count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from pitwall.contract.status import Metric, MetricKind, SourceStatus, Status
from pitwall.daemon.status import status
from pitwall.drive.degradation import TABLE

if TYPE_CHECKING:
    from pitwall.daemon.app import Service


def metrics(service: Service) -> list[Metric]:
    """All figures at this moment; one that is not known is left out."""
    now = status(service)
    return [
        *_one(now),
        *_counted(service),
        *(metric for source in now.sources for metric in _source(source)),
        *_labelled(
            "degradation",
            "Whether this is lost now.",
            "name",
            {row.name: row.name in {each.name for each in now.degradations} for row in TABLE},
        ),
        *_labelled(
            "restarts_total",
            "How often a part was started again.",
            "part",
            {part.name: part.restarts for part in now.parts},
        ),
        *_labelled("paddock_answers_total", "Answers given.", "tier", _answered(now)),
    ]


def _one(now: Status) -> Iterator[Metric]:
    """What there is one of."""
    store, loop, inbox, journal, paddock = now.store, now.loop, now.inbox, now.journal, now.paddock
    figures: list[tuple[str, float | None, str]] = [
        ("readings_total", inbox.taken, "Readings taken from the sources."),
        ("readings_shed_total", inbox.shed, "Readings shed because the inbox was full."),
        ("inbox_waiting", inbox.waiting, "Readings that wait for the in-drive path."),
        ("store_committed_total", store.committed, "Items committed to DuckDB."),
        ("store_shed_total", store.shed, "Rows shed; the journal has them."),
        ("store_failures_total", store.failures, "Failures of DuckDB."),
        ("store_waiting", store.waiting, "Items that wait for DuckDB."),
        ("disk_free_bytes", store.free_bytes, "Room left where everything is kept."),
        ("disk_floor_bytes", store.floor_bytes, "Room that must be left."),
        ("resident_memory_bytes", now.rss_bytes, "Memory of this process."),
        ("loop_lag_seconds", loop.lag_s, "How late the event loop runs."),
        ("loop_lag_most_seconds", loop.most_lag_s, "The worst lag of the event loop so far."),
        ("loop_stalls_total", loop.stalls, "Stalls of the event loop of 0.25 s or more."),
        ("up_seconds", now.up_s, "Since the start."),
    ]
    if paddock is not None:
        figures += [
            ("paddock_answering", paddock.answering, "Questions that are being answered."),
            ("paddock_jobs_waiting", paddock.jobs_waiting, "Jobs that wait."),
            ("paddock_worker_starts_total", paddock.worker_starts, "Starts of the paddock's worker."),
        ]
    if journal is not None:
        figures += [
            ("journal_records", journal.written, "Records in this session's journal."),
            ("journal_shed", journal.shed, "Records shed from this session's journal."),
        ]
    return _told(figures)


def _counted(service: Service) -> Iterator[Metric]:
    """What /status does not show."""
    pushes = service.pushes
    return _told(
        [
            ("batches_total", pushes.taken, "Batches taken in."),
            ("batches_known_total", pushes.known, "Batches that were known already."),
            ("batches_refused_total", pushes.refused, "Batches refused."),
            ("callouts_unheard_total", service.voice.unheard, "Callouts that could not be played."),
            ("path_faults_total", service.keeper.current.faults, "Samples the in-drive path stumbled over."),
        ]
    )


def _source(source: SourceStatus) -> Iterator[Metric]:
    return _told(
        [
            ("source_up", source.state == "up", "Whether the source delivers."),
            ("source_age_seconds", source.age_s, "Since its last reading."),
            ("source_rate_hertz", source.rate_hz, "Its readings a second, lately."),
            ("source_readings_total", source.readings, "Its readings."),
            ("source_shed_total", source.shed, "Its readings that were shed."),
            ("source_errors_total", source.errors, "What it could not read."),
            ("source_reconnects_total", source.reconnects, "How often it connected again."),
        ],
        {"source": source.name},
    )


def _answered(now: Status) -> Mapping[str, float]:
    return {} if now.paddock is None else now.paddock.answered


def _labelled(name: str, help_: str, label: str, values: Mapping[str, float]) -> Iterator[Metric]:
    for text, value in values.items():
        yield from _told([(name, value, help_)], {label: text})


def _told(
    figures: Iterable[tuple[str, float | None, str]], labels: Mapping[str, str] | None = None
) -> Iterator[Metric]:
    for name, value, help_ in figures:
        if value is not None:
            kind: MetricKind = "counter" if name.endswith("_total") else "gauge"
            yield Metric(name=name, kind=kind, help=help_, value=float(value), labels=dict(labels or {}))
