"""Engines: who analyses the sessions. The function is the same everywhere; only where it runs differs."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import NamedTuple, Protocol

from pitwall.fleet.session_facts import SessionWork
from pitwall.fleet.storage import LakeError
from pitwall.fleet.verdicts import Verdicts, WorkOutcome, judge_works

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


def engine_of(name: str, processes: int = 0) -> SessionEngine:
    """The engine that a person named: "" or duckdb for processes here, spark://HOST:PORT for a cluster.
    LakeError."""
    if name in ("", "duckdb"):
        return ProcessEngine(processes)
    if name.startswith(("spark://", "local")):
        from pitwall.fleet.spark import SparkEngine

        return SparkEngine(name)
    raise LakeError(f"there is no engine {name!r}; name duckdb or spark://HOST:PORT")


def analyse(
    engine: SessionEngine,
    url: str,
    layers: Sequence[str],
    works: Sequence[SessionWork],
    verdicts: Verdicts,
    progress: Callable[[RunProgress], None] = lambda seen: None,
) -> dict[tuple[str, str], str]:
    """Analyse what was not analysed yet, and keep it as it comes; why each session that failed did.
    LakeError."""
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
