"""The same analysis on a Spark cluster, for when one machine is outgrown (extra `fleet-spark`).

A manifest of the sessions goes out, a row a session, and `mapInArrow` runs the same function on each: no
shuffle. The workers read the lake by themselves, so it must be where they reach it, and the same pitwall must
be installed there: a zip on `--py-files` lacks the shipped tracks.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from pitwall.fleet.session_facts import SessionWork
from pitwall.fleet.storage import LakeError
from pitwall.fleet.verdicts import ProcessEngine, SessionEngine, WorkOutcome, analysis_stamp, judge_works
from pitwall.store.errors import first_line

# The cluster's secret, in the environment of master, workers and whoever asks; never on a command line.
SECRET_VARIABLE = "PITWALL_SPARK_SECRET"  # noqa: S105
# So many sessions are one task, and so many tasks a core one wave: what was done is kept wave by wave.
TASK_SESSIONS, WAVE_TASKS = 8, 4
# Without these anybody on the network may run code on the cluster, or a worker that stands still holds up
# all. Java's first compiler and its plain collector halve what Spark itself costs.
SAFETY: dict[str, str] = {
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.master.rest.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.speculation": "true",
    "spark.speculation.interval": "500ms",
    "spark.speculation.multiplier": "3",
    "spark.speculation.quantile": "0.5",
    "spark.task.maxFailures": "8",
    "spark.network.timeout": "60s",
    "spark.executor.heartbeatInterval": "5s",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.python.worker.reuse": "true",
    "spark.log.level": "ERROR",
}
_SCHEMA = "driver string, session string, content string, body binary, failed string, code string"


class SparkEngine:
    """A cluster by its address. LakeError: no extra, no secret, or the cluster takes no work."""

    def __init__(self, master: str) -> None:
        for name in ("pyspark", "pandas"):
            if importlib.util.find_spec(name) is None:
                raise LakeError(
                    f"spark needs {name}, which is not installed: pip install 'pitwall[fleet-spark]', "
                    "and Java 17"
                )
        self._master = master
        self._secret = os.environ.get(SECRET_VARIABLE, "")
        if not self._secret:
            raise LakeError(f"the cluster's secret is missing: put it into {SECRET_VARIABLE}")

    def run(self, url: str, layers: Sequence[str], works: Sequence[SessionWork]) -> Iterator[WorkOutcome]:
        """Wave by wave; a session comes once."""
        if not works:
            return
        session = self._session()
        try:
            cores = max(int(session.sparkContext.defaultParallelism), 2)
            wave = cores * WAVE_TASKS * TASK_SESSIONS
            for i in range(0, len(works), wave):
                yield from self._wave(session, url, list(layers), works[i : i + wave])
        finally:
            session.stop()

    def _session(self) -> Any:
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master(self._master).appName("pitwall fleet")
        host = os.environ.get("PITWALL_SPARK_HOST", "127.0.0.1")
        own = {
            "spark.authenticate.secret": self._secret,
            "spark.driver.host": host,
            "spark.driver.bindAddress": host,
            "spark.pyspark.python": os.environ.get("PITWALL_SPARK_PYTHON", sys.executable),
        }
        for name, value in (SAFETY | own).items():
            builder = builder.config(name, value)
        try:
            return builder.getOrCreate()
        except Exception as error:  # Spark's, py4j's own, and those of the JVM
            raise LakeError(f"{self._master} takes no work: {_short(error)}") from error

    def _wave(
        self, session: Any, url: str, layers: list[str], works: Sequence[SessionWork]
    ) -> Iterator[WorkOutcome]:
        rows = [(msgspec.msgpack.encode(work),) for work in works]
        tasks = max(len(rows) // TASK_SESSIONS, 1)
        try:
            manifest = session.createDataFrame(rows, "work binary").repartition(tasks)
            found = manifest.mapInArrow(_mapper(url, layers), _SCHEMA).collect()
        except Exception as error:  # the JVM's
            raise LakeError(f"{self._master} broke the work off: {_short(error)}") from error
        seen: set[tuple[str, str]] = set()
        for row in found:
            if row["code"] != analysis_stamp():
                raise LakeError(
                    f"{self._master} runs another pitwall: install this one on its workers, else results mix"
                )
            if (row["driver"], row["session"]) not in seen:
                seen.add((row["driver"], row["session"]))
                body = None if row["body"] is None else bytes(row["body"])
                yield WorkOutcome(row["driver"], row["session"], row["content"], body, row["failed"])
        for work in works:
            if work.entry.key not in seen:
                yield WorkOutcome(
                    *work.entry.key, work.entry.content, None, "the cluster gave no answer on it"
                )


def _mapper(url: str, layers: list[str]) -> Any:
    """Return what a worker does: batches of encoded work become batches of outcomes."""

    def judged(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            works = [
                msgspec.msgpack.decode(encoded, type=SessionWork) for encoded in batch.column(0).to_pylist()
            ]
            # The shipped tracks lie where this machine's own pitwall does.
            known = [layer for layer in layers if Path(layer).is_dir()]
            for outcome in judge_works(url, known, works):
                yield pa.RecordBatch.from_pydict(
                    {
                        "driver": [outcome.driver],
                        "session": [outcome.session],
                        "content": [outcome.content],
                        "body": pa.array([outcome.body], pa.binary()),
                        "failed": [outcome.failed],
                        "code": [analysis_stamp()],
                    }
                )

    return judged


def _short(error: Exception) -> str:
    return first_line(error)[:300] or type(error).__name__


def engine_of(name: str, processes: int = 0) -> SessionEngine:
    """The engine of a name: "" or duckdb for processes here, spark://HOST:PORT for a cluster. LakeError."""
    if name in ("", "duckdb"):
        return ProcessEngine(processes)
    if name.startswith(("spark://", "local")):
        return SparkEngine(name)
    raise LakeError(f"there is no engine {name!r}; name duckdb or spark://HOST:PORT")
