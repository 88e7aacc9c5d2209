"""Analyse on a Spark cluster, for when one machine is outgrown (extra `fleet-spark`).

The list of sessions goes out, a row a session, and `mapInArrow` runs the same function on each: no
shuffle. The workers must reach the lake and have the same pitwall installed: a zip on `--py-files`
lacks the shipped tracks."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from pitwall.fleet.build import TASK_SESSIONS, BuildEngine, ProcessEngine
from pitwall.fleet.lake import LakeError, Outcome, SessionObject
from pitwall.store.errors import first_line

# The cluster's secret, in the environment of master, workers and the asking process; never on a
# command line.
SECRET_VARIABLE = "PITWALL_SPARK_SECRET"  # noqa: S105
WAVE_SESSIONS = 512
# Without these anybody on the network may run code on the cluster, or a stalled worker holds up
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


class SparkEngine:
    """A cluster by its address. LakeError: no extra, no secret, or the cluster accepts no work."""

    def __init__(self, master: str) -> None:
        for name in ("pyspark", "pandas"):
            if importlib.util.find_spec(name) is None:
                raise LakeError(
                    f"spark needs {name}, which is not installed: pip install 'pitwall[fleet-spark]'"
                )
        self._master = master
        self._secret = os.environ.get(SECRET_VARIABLE, "")
        if not self._secret:
            raise LakeError(f"the cluster's secret is missing: put it into {SECRET_VARIABLE}")

    def run(self, url: str, layers: Sequence[str], items: Sequence[SessionObject]) -> Iterator[Outcome]:
        """Analyse wave by wave; a session comes once."""
        session = self._session()
        try:
            for i in range(0, len(items), WAVE_SESSIONS):
                yield from self._wave(session, url, list(layers), items[i : i + WAVE_SESSIONS])
        finally:
            session.stop()

    def _session(self) -> Any:
        from pyspark.sql import SparkSession

        # The workers' Python, with the same pitwall; else it is whatever their PATH has.
        os.environ.setdefault("PYSPARK_PYTHON", os.environ.get("PITWALL_SPARK_PYTHON", sys.executable))
        builder = SparkSession.builder.master(self._master).appName("pitwall fleet")
        host = os.environ.get("PITWALL_SPARK_HOST", "127.0.0.1")
        own = {
            "spark.authenticate.secret": self._secret,
            "spark.driver.host": host,
            "spark.driver.bindAddress": host,
        }
        for name, value in (SAFETY | own).items():
            builder = builder.config(name, value)
        try:
            return builder.getOrCreate()
        except Exception as error:  # Spark's, py4j's own, and those of the JVM
            raise LakeError(f"{self._master} takes no work: {_short(error)}") from error

    def _wave(
        self, session: Any, url: str, layers: list[str], items: Sequence[SessionObject]
    ) -> Iterator[Outcome]:
        rows = [(number, msgspec.msgpack.encode(tuple(item))) for number, item in enumerate(items)]
        from pitwall.fleet.analyse import analysis_stamp

        try:
            frame = session.createDataFrame(rows, "number int, item binary")
            frame = frame.repartition(max(len(rows) // TASK_SESSIONS, 1))
            work = frame.mapInArrow(
                _mapper(url, layers, analysis_stamp()), "number int, track string, rows binary"
            )
            found = {row["number"]: row for row in work.collect()}
        except Exception as error:  # the JVM's
            raise LakeError(f"{self._master} broke the work off: {_short(error)}") from error
        for number, item in enumerate(items):
            if number not in found:
                raise LakeError(f"{self._master} gave no answer on session {item.session}: build again")
            yield Outcome(item, found[number]["track"], bytes(found[number]["rows"]))


def _mapper(url: str, layers: list[str], stamp: str) -> Any:
    """Make a worker's function: batches of encoded sessions become batches of outcomes."""

    def analysed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pitwall.fleet.analyse import analyse_each, analysis_stamp

        if analysis_stamp() != stamp:
            raise LakeError("a worker runs another pitwall: install this one on all, else results mix")
        # The shipped tracks lie where this machine's own pitwall does.
        known = [layer for layer in layers if Path(layer).is_dir()]
        for batch in batches:
            items = [SessionObject(*msgspec.msgpack.decode(each)) for each in batch.column(1).to_pylist()]
            outcomes = analyse_each(url, known, items)
            for number, outcome in zip(batch.column(0).to_pylist(), outcomes, strict=True):
                yield pa.RecordBatch.from_pydict(
                    {
                        "number": pa.array([number], pa.int32()),
                        "track": [outcome.track],
                        "rows": pa.array([outcome.rows], pa.binary()),
                    }
                )

    return analysed


def _short(error: Exception) -> str:
    """Shorten an error: the last line of a worker's traceback, else its first."""
    lines = [line.strip() for line in str(error).splitlines() if re.match(r"\s*[\w.]*Error: ", line)]
    return (lines[-1] if lines else first_line(error))[:300] or type(error).__name__


def engine_of(name: str, processes: int = 0) -> BuildEngine:
    """Return the engine of a name: "" for processes here, spark://HOST:PORT for a cluster.
    LakeError."""
    if not name:
        return ProcessEngine(processes)
    if name.startswith("spark://"):
        return SparkEngine(name)
    raise LakeError(f"there is no engine {name!r}; name spark://HOST:PORT, or none for this machine")
