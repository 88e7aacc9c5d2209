"""A Spark standalone cluster on loopback, with authentication: for trying the fleet's second engine."""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import os
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fleet")]

from pitwall.fleet.spark import SAFETY, SECRET_VARIABLE  # noqa: E402

UP_WITHIN_S = 90.0
HOST = "127.0.0.1"


# <linux/prctl.h>; loaded before any fork.
_PARENT_DEATH_SIGNAL, _LIBC = 1, ctypes.CDLL(None)


def _end_with_us() -> None:
    """In a new process: it is killed when the one that started it ends, however that ends. `spark-class` goes
    on as Java in the same process, and executors end with their worker."""
    _LIBC.prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _clear_leavings() -> None:
    """Take away the folders, with their secrets, of clusters that were killed."""
    for path in Path(tempfile.gettempdir()).glob("pitwall-spark-*-*"):
        if not Path(f"/proc/{path.name.split('-')[2]}").exists():
            shutil.rmtree(path, ignore_errors=True)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


class Cluster:
    """Processes of a master and its workers. `start`, then `address`; `stop` leaves nothing behind."""

    def __init__(self, workers: int = 2) -> None:
        import pyspark

        self.home = Path(pyspark.__path__[0])
        self.secret = os.environ.get(SECRET_VARIABLE) or secrets.token_hex(24)
        self.port, self.web_port = free_port(), free_port()
        self.address = f"spark://{HOST}:{self.port}"
        self.master: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.count = workers

    def start(self) -> None:
        """Start all and wait until the workers are known. RuntimeError where they are not in time."""
        _clear_leavings()
        kind = "org.apache.spark.deploy"
        self.master = self._run(
            f"{kind}.master.Master",
            "--host",
            HOST,
            "--port",
            str(self.port),
            "--webui-port",
            str(self.web_port),
        )
        end_s = time.monotonic() + UP_WITHIN_S
        while self._alive() < 0:
            self._wait(end_s)
        for _ in range(self.count):
            self.add_worker()
        while self._alive() < self.count:
            self._wait(end_s)

    def add_worker(self) -> None:
        """One more worker, with one core."""
        self.workers.append(
            self._run(
                "org.apache.spark.deploy.worker.Worker", "--host", HOST, "--webui-port", "0",
                "--cores", "1", "--memory", "1g", self.address,
            )
        )  # fmt: skip

    def stop(self) -> None:
        """End all, workers that stand still too."""
        for process in [*self.workers, *([self.master] if self.master else [])]:
            for number in (signal.SIGCONT, signal.SIGKILL):
                try:
                    os.killpg(process.pid, number)
                except ProcessLookupError:
                    break
            process.wait()
        shutil.rmtree(self._folder(), ignore_errors=True)

    def spent_s(self) -> float:
        """Processor time so far of master, workers and executors, and of the driver's Java, our child."""
        groups = [process.pid for process in [*self.workers, *([self.master] if self.master else [])]]
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) in groups or int(fields[1]) == os.getpid():
                ticks += sum(int(value) for value in fields[11:15])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _alive(self) -> int:
        """How many workers the master knows; -1 before it answers."""
        try:
            with urlopen(f"http://{HOST}:{self.web_port}/json/", timeout=2.0) as answer:
                return int(json.load(answer)["aliveworkers"])
        except (URLError, OSError, ValueError, KeyError):
            return -1

    def _wait(self, end_s: float) -> None:
        if time.monotonic() > end_s:
            self.stop()
            raise RuntimeError(f"the cluster is not up within {UP_WITHIN_S:.0f} s")
        if self.master is not None and self.master.poll() is not None:
            raise RuntimeError("the master ended at once: is Java 17 installed?")
        time.sleep(0.2)

    def _run(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        # The secret goes by a file that only we may read: command lines are everybody's.
        settings = self._settings()
        environment = os.environ | {
            "SPARK_HOME": str(self.home),
            "SPARK_CONF_DIR": str(settings),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_WORKER_DIR": str(settings / "work"),
            "PYTHONPATH": os.pathsep.join(
                [str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
            ),
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "SPARK_DAEMON_MEMORY": "256m",
        }
        with (settings / f"{name.rsplit('.', 1)[1]}.log").open("ab") as log:
            return subprocess.Popen(
                [str(self.home / "bin" / "spark-class"), name, *arguments],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_us,
            )

    def _folder(self) -> Path:
        return Path(tempfile.gettempdir()) / f"pitwall-spark-{os.getpid()}-{self.port}"

    def _settings(self) -> Path:
        folder = self._folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        lines = {**SAFETY, "spark.authenticate.secret": self.secret}
        path = folder / "spark-defaults.conf"
        path.touch(mode=0o600)
        path.write_text("".join(f"{name} {value}\n" for name, value in lines.items()))
        return folder


def missing() -> str:
    """Why a cluster can't be started here, "" where it can."""
    for name in ("pyspark", "pandas"):
        if importlib.util.find_spec(name) is None:
            return f"{name} is missing: pip install -r scripts/constraints-spark.txt"
    return "" if shutil.which("java") else "Java is missing: apt-get install openjdk-17-jre-headless"


def compare(sessions: int, kill: bool) -> int:
    """Build the same lake of simulated sessions with processes and on a cluster of two workers, one of them
    killed on the way; print the figures as JSON. Exit code 1 where the two differ in a byte."""
    from simulated_fleet import FleetSimulator, put_simulated

    from pitwall.fleet.build import BuildProgress, ProcessEngine, build, partitions
    from pitwall.fleet.lake import open_storage
    from pitwall.fleet.push import TrackShelf
    from pitwall.fleet.spark import SparkEngine

    def spent_s() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(each.ru_utime + each.ru_stime for each in used)

    shelf, result = TrackShelf([]), dict[str, object]()
    with tempfile.TemporaryDirectory() as folder:
        storage = open_storage(f"{folder}/lake")
        put_simulated(storage, FleetSimulator(seed=5, rate_hz=5.0, laps=4), sessions, Path(folder))
        begun_s, cpu_s = time.monotonic(), spent_s()
        failed = build(storage, shelf, ProcessEngine(2)).failed
        result["pool"] = {
            "wall_s": round(time.monotonic() - begun_s, 1),
            "cpu_s": round(spent_s() - cpu_s, 1),
        }
        expected = {path: storage.read(path) for path in partitions(storage)}
        storage.delete_folder("derived")
        cluster, killed = Cluster(2), list[int]()

        def disturb(seen: BuildProgress) -> None:
            if kill and not killed and seen.done > sessions // 8:
                killed.append(cluster.workers[0].pid)
                os.killpg(killed[0], signal.SIGKILL)

        cluster.start()
        try:
            os.environ[SECRET_VARIABLE] = cluster.secret
            begun_s, cpu_s = time.monotonic(), spent_s() + cluster.spent_s()
            failed += build(storage, shelf, SparkEngine(cluster.address), progress=disturb).failed
            cpu_s = spent_s() + cluster.spent_s() - cpu_s
            result["spark"] = {"wall_s": round(time.monotonic() - begun_s, 1), "cpu_s": round(cpu_s, 1)}
        finally:
            cluster.stop()
        found = {path: storage.read(path) for path in partitions(storage)}
        result |= {"sessions": sessions, "files": len(found), "killed": len(killed), "failed": failed}
        result["equal"] = found == expected and not failed
    print(json.dumps(result, indent=1))
    return 0 if result["equal"] else 1


def main() -> int:
    """Start, print how to use it, wait for ^C; or `test`."""
    parser = argparse.ArgumentParser(prog="scripts/fleet-cluster", description=__doc__)
    parser.add_argument("what", nargs="?", default="2", metavar="WORKERS|test")
    parser.add_argument("--sessions", type=int, default=96, help="of the test")
    given = parser.parse_args()
    if why := missing():
        print(f"skipped: {why}")
        return 0 if given.what == "test" else 1
    if given.what == "test":
        return compare(given.sessions, kill=True)
    cluster = Cluster(int(given.what))
    cluster.start()
    print(f"export {SECRET_VARIABLE}={cluster.secret}")
    print(f"pitwall fleet build --engine {cluster.address}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        signal.pause()
    except KeyboardInterrupt:
        return 0
    finally:
        cluster.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
