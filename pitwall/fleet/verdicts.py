"""The analysis of one session of a lake, what is kept of it, and who runs it: processes here, or a cluster.

This is the only dear step, and the only one that an engine spreads over processes or machines: a pure
function of one session, the same everywhere. All else folds what it gave.
"""

from __future__ import annotations

import datetime
import functools
import gc
import multiprocessing
import os
import sqlite3
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from pitwall.analysis.corners import PassFacts, measure_passes
from pitwall.analysis.drive import load_drive
from pitwall.analysis.opportunities import Opportunity, find_opportunities
from pitwall.config import PACKAGE
from pitwall.fleet.session_facts import LakeFacts, SessionWork, TrackShelf
from pitwall.fleet.storage import LakeError, open_storage
from pitwall.store.errors import StoreError

# The rooms whose code decides what an analysis gives.
ROOMS = ("telemetry", "track", "coach", "analysis", "fleet")


class SessionVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what the analysis found in one session, as `pitwall.analysis.report.Report` has it."""

    driver: str
    session: str
    track: str
    date: datetime.date | None
    car_class: str
    conditions: str
    passes: tuple[PassFacts, ...]
    opportunities: tuple[Opportunity, ...]


class WorkOutcome(msgspec.Struct, frozen=True):
    """Holds what became of one session: a verdict, encoded, or why there is none."""

    driver: str
    session: str
    content: str
    body: bytes | None
    failed: str = ""


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(SessionVerdict)


def judge(facts: LakeFacts, work: SessionWork) -> SessionVerdict:
    """Analyse one session: the parts of a report that are kept. LakeError, StoreError."""
    entry = work.entry
    drive = load_drive(facts, facts.session())
    reference = drive.reference()
    passes = measure_passes(drive, reference)
    return SessionVerdict(
        driver=entry.driver,
        session=entry.session,
        track=entry.track,
        date=entry.date,
        car_class=entry.car_class,
        conditions=entry.conditions,
        passes=tuple(passes),
        opportunities=tuple(find_opportunities(drive, passes, reference)),
    )


def judge_works(url: str, layers: Sequence[str], works: Iterable[SessionWork]) -> Iterator[WorkOutcome]:
    """Analyse sessions one after the other. One that fails is an outcome that says why."""
    storage, tracks = open_storage(url), _shelf(tuple(layers))
    collects = gc.isenabled()
    # A session's columns are a million numbers without a cycle among them.
    gc.disable()
    try:
        for work in works:
            entry, body, failed = work.entry, None, ""
            try:
                body = _ENCODER.encode(judge(LakeFacts(storage, work, tracks), work))
            except (LakeError, StoreError, MemoryError) as error:
                failed = str(error) or type(error).__name__
            except Exception as error:  # a recording that nobody foresaw: it is named, the others go on
                failed = f"its analysis failed: {error!r}"
            yield WorkOutcome(entry.driver, entry.session, entry.content, body, failed)
    finally:
        if collects:
            gc.enable()


@functools.cache
def _shelf(layers: tuple[str, ...]) -> TrackShelf:
    return TrackShelf([Path(layer) for layer in layers])


@functools.cache
def analysis_stamp() -> str:
    """Which code a verdict is of: the same on every machine with the same program."""
    digest = 0
    for room in ROOMS:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            digest = zlib.crc32(path.read_bytes(), digest)
    return f"{digest:08x}"


class Verdicts:
    """The verdicts that there are, in one SQLite file: a session that did not change is not analysed again,
    and a run that was broken off goes on where it was. LakeError where the file can't be used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as con, con:
                con.execute(
                    "CREATE TABLE IF NOT EXISTS verdicts (content TEXT, code TEXT, driver TEXT, body BLOB, "
                    "PRIMARY KEY (content, code)) WITHOUT ROWID"
                )
        except (OSError, sqlite3.Error) as error:
            raise LakeError(
                f"{path} can't be used: {error}; delete it, then all is analysed again"
            ) from error

    def missing(self, works: Sequence[SessionWork]) -> list[SessionWork]:
        """Those that are still to be analysed by this program."""
        with closing(self._open()) as con:
            rows = con.execute("SELECT content FROM verdicts WHERE code = ?", [analysis_stamp()])
            known = {str(content) for (content,) in rows}
        return [work for work in works if work.entry.content not in known]

    def put(self, outcomes: Iterable[WorkOutcome]) -> None:
        """Keep what was found; those that failed are tried again next time."""
        rows = [
            (each.content, analysis_stamp(), each.driver, zlib.compress(each.body, 1))
            for each in outcomes
            if each.body is not None
        ]
        try:
            with closing(self._open()) as con, con:
                con.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise LakeError(f"{self._path} can't be written: {error}") from error

    def get(self, works: Iterable[SessionWork]) -> Iterator[SessionVerdict]:
        """The verdicts on these sessions, in their order; those that there are."""
        with closing(self._open()) as con:
            for work in works:
                values = (work.entry.content, analysis_stamp())
                row = con.execute(
                    "SELECT body FROM verdicts WHERE content = ? AND code = ?", values
                ).fetchone()
                if row is not None:
                    yield _DECODER.decode(zlib.decompress(row[0]))

    def forget(self, driver: str) -> int:
        """Take away what is kept of a driver; how many sessions that were."""
        with closing(self._open()) as con:
            with con:
                count = con.execute("DELETE FROM verdicts WHERE driver = ?", [driver]).rowcount
            con.execute("VACUUM")
        return count

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=30.0)


# A task: long enough that handing it over costs nothing, short enough that little is lost with a process.
TASK_SESSIONS = 8
# A process ends after so many tasks and another takes its place: no leak adds up.
TASKS_A_PROCESS = 50
# A session with which a process died so often is named and left out.
MOST_DEATHS = 2


class RunProgress(NamedTuple):
    """How far a run is: sessions done, of all that were to do, how many failed, since when (seconds)."""

    done: int
    total: int
    failed: int
    elapsed_s: float

    @property
    def rate(self) -> float:
        """Sessions a second."""
        return self.done / self.elapsed_s if self.elapsed_s > 0.0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds left at this rate; None before there is one."""
        return (self.total - self.done) / self.rate if self.rate > 0.0 else None


class SessionEngine(Protocol):
    """Analyses sessions; outcomes come as they are there, in any order, each session once."""

    def run(self, url: str, layers: Sequence[str], works: Sequence[SessionWork]) -> Iterator[WorkOutcome]:
        """`url` is the lake's, `layers` the folders of tracks. LakeError where the engine can't be used."""
        ...


class ProcessEngine:
    """Processes on this machine; one alone is this process."""

    def __init__(self, processes: int = 0) -> None:
        self.processes = processes or min(os.cpu_count() or 1, 8)

    def run(self, url: str, layers: Sequence[str], works: Sequence[SessionWork]) -> Iterator[WorkOutcome]:
        if self.processes == 1:
            yield from judge_works(url, layers, works)
            return
        waiting = deque(list(works[i : i + TASK_SESSIONS]) for i in range(0, len(works), TASK_SESSIONS))
        deaths: dict[str, int] = {}
        while waiting:
            running: dict[Future[list[WorkOutcome]], list[SessionWork]] = {}
            # A fork would take the locks of DuckDB's and Arrow's threads along.
            pool = ProcessPoolExecutor(
                self.processes,
                mp_context=multiprocessing.get_context("spawn"),
                max_tasks_per_child=TASKS_A_PROCESS,
            )
            try:
                while waiting or running:
                    while waiting and len(running) < 2 * self.processes:
                        task = waiting.popleft()
                        try:
                            running[pool.submit(_task, url, list(layers), task)] = task
                        except BrokenProcessPool:
                            waiting.appendleft(task)
                            raise
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        outcomes = future.result()
                        del running[future]
                        yield from outcomes
            except BrokenProcessPool:
                # Nobody knows whose session it was: all that ran go on one by one.
                yield from _after_death(running, waiting, deaths)
            finally:
                pool.shutdown(cancel_futures=True)


def _task(url: str, layers: list[str], works: list[SessionWork]) -> list[WorkOutcome]:
    return list(judge_works(url, layers, works))


def _after_death(
    running: dict[Future[list[WorkOutcome]], list[SessionWork]],
    waiting: deque[list[SessionWork]],
    deaths: dict[str, int],
) -> Iterator[WorkOutcome]:
    for future, task in running.items():
        if future.done() and not future.cancelled() and future.exception() is None:
            yield from future.result()
            continue
        for work in task:
            content = work.entry.content
            # In a task of several it was probably another's fault.
            deaths[content] = deaths.get(content, 0) + (len(task) == 1)
            if deaths[content] >= MOST_DEATHS:
                why = "the process that analysed it died, again and again"
                yield WorkOutcome(work.entry.driver, work.entry.session, content, None, why)
            else:
                waiting.append([work])


def analyse(
    engine: SessionEngine,
    url: str,
    layers: Sequence[str],
    works: Sequence[SessionWork],
    verdicts: Verdicts,
    progress: Callable[[RunProgress], None] = lambda seen: None,
) -> dict[tuple[str, str], str]:
    """Analyse what was not analysed yet, and keep it; why each session that failed did. LakeError."""
    todo = verdicts.missing(works)
    failed: dict[tuple[str, str], str] = {}
    begun_s = time.monotonic()
    held: list[WorkOutcome] = []
    for done, outcome in enumerate(engine.run(url, layers, todo), 1):
        held.append(outcome)
        if outcome.body is None:
            failed[outcome.driver, outcome.session] = outcome.failed
        if len(held) >= TASK_SESSIONS or done == len(todo):
            verdicts.put(held)
            held.clear()
            progress(RunProgress(done, len(todo), len(failed), time.monotonic() - begun_s))
    verdicts.put(held)
    return failed
