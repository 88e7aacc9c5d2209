"""The second engine: a real Spark cluster on loopback gives what the first one gives, whatever dies."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from simulated_fleet import FleetSimulator

from pitwall.fleet.lake import make_files, open_lake, put_entry
from pitwall.fleet.session_facts import SessionWork, works_of
from pitwall.fleet.spark import SECRET_VARIABLE, SparkEngine
from pitwall.fleet.storage import LakeError, open_storage
from pitwall.fleet.verdicts import ProcessEngine, RunProgress, SessionVerdict, Verdicts, analyse

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("pyspark") is None or shutil.which("java") is None,
        reason="needs the extra fleet-spark (pip install -r scripts/constraints-spark.txt) and Java 17",
    ),
]
SESSIONS = 96
sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))


class SparkFleet(NamedTuple):
    """A lake, its work, and what the first engine makes of it."""

    url: str
    works: list[SessionWork]
    expected: list[SessionVerdict]


@pytest.fixture(scope="module")
def spark_fleet(tmp_path_factory: pytest.TempPathFactory) -> SparkFleet:
    root = tmp_path_factory.mktemp("spark")
    simulator = FleetSimulator(seed=5, drivers=8, rate_hz=5.0, laps=4, tracks=("lime_rock_park_lrp",))
    storage = open_storage(str(root / "lake"))
    for number, (material, told) in enumerate(simulator.sessions(SESSIONS, root)):
        (folder := root / str(number)).mkdir()
        put_entry(storage, make_files(material, told, folder), folder)
        shutil.rmtree(folder)
    lake = open_lake(storage)
    works = works_of(lake, lake.chosen())
    verdicts = Verdicts(root / "first.sqlite")
    assert analyse(ProcessEngine(1), str(root / "lake"), [], works, verdicts) == {}
    return SparkFleet(str(root / "lake"), works, list(verdicts.get(works)))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    from fleet_cluster import Cluster

    made = Cluster(2)
    made.start()
    monkeypatch.setenv(SECRET_VARIABLE, made.secret)
    yield made
    made.stop()


def executors() -> list[int]:
    """The processes of our cluster's executors."""
    return [
        int(path.name)
        for path in Path("/proc").iterdir()
        if path.name.isdigit() and b"CoarseGrainedExecutorBackend" in command_line(path)
    ]


def command_line(path: Path) -> bytes:
    try:
        return (path / "cmdline").read_bytes() if path.stat().st_uid == os.getuid() else b""
    except OSError:
        return b""


@pytest.mark.parametrize("what", ["nothing", "executor killed", "worker killed", "worker stopped"])
def test_the_cluster_gives_what_the_processes_give(
    spark_fleet: SparkFleet, cluster: object, what: str, tmp_path: Path
) -> None:
    done: list[str] = []

    def disturb(seen: RunProgress) -> None:
        if done or what == "nothing":
            return
        done.append(what)
        worker = cluster.workers[0].pid  # type: ignore[attr-defined]
        if what == "executor killed":
            own = [pid for pid in executors() if os.getpgid(pid) == worker]
            os.kill(own[0], signal.SIGKILL)
        else:
            os.killpg(worker, signal.SIGKILL if what == "worker killed" else signal.SIGSTOP)

    verdicts = Verdicts(tmp_path / "second.sqlite")
    engine = SparkEngine(cluster.address)  # type: ignore[attr-defined]
    failed = analyse(engine, spark_fleet.url, [], spark_fleet.works, verdicts, disturb)
    assert failed == {}
    assert list(verdicts.get(spark_fleet.works)) == spark_fleet.expected
    assert what == "nothing" or done


def test_who_has_not_the_secret_is_refused(
    spark_fleet: SparkFleet, cluster: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(SECRET_VARIABLE, "another")
    verdicts = Verdicts(tmp_path / "none.sqlite")
    with pytest.raises(LakeError, match="takes no work"):
        analyse(SparkEngine(cluster.address), spark_fleet.url, [], spark_fleet.works, verdicts)  # type: ignore[attr-defined]
    assert verdicts.missing(spark_fleet.works) == spark_fleet.works
    monkeypatch.delenv(SECRET_VARIABLE)
    with pytest.raises(LakeError, match="secret is missing"):
        SparkEngine("spark://127.0.0.1:1")
