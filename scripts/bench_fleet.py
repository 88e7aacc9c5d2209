"""Benchmark of the fleet, as one JSON on standard output. Nothing here is a test.

A lake of simulated sessions is made first (seeded). `build`: its analysis by the processes of this machine;
`again`: when all is built; `asked`: each answer in a process of its own, as it is typed; `listing`: of the
objects alone.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fleet")]

from bench_beside import print_measured  # noqa: E402
from simulated_fleet import FleetSimulator, put_simulated  # noqa: E402

from pitwall.fleet.build import build  # noqa: E402
from pitwall.fleet.lake import list_sessions, open_storage  # noqa: E402
from pitwall.fleet.push import TrackShelf  # noqa: E402

ASKED = (("leaderboard", "sonoma"), ("corner", "sonoma", "turn_7"), ("driver", "d-003"), ("advice",))


def measured(work: Callable[[], Any]) -> dict[str, Any]:
    """Wall time, processor time with that of ended children, and the most memory of one of them so far."""

    def spent_s() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(each.ru_utime + each.ru_stime for each in used)

    wall_s, cpu_s = time.monotonic(), spent_s()
    work()
    most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "wall_s": round(time.monotonic() - wall_s, 2),
        "cpu_s": round(spent_s() - cpu_s, 2),
        "most_mb": round(most / 1024),
    }


def main() -> int:
    """Everything in turn."""
    parser = argparse.ArgumentParser(prog="scripts/bench fleet", description=__doc__)
    parser.add_argument("--lake", type=Path, help="where to make it, or one that is there (default: /tmp)")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--rate", type=float, default=25.0)
    parser.add_argument("--laps", type=int, default=8)
    given = parser.parse_args()
    result: dict[str, Any] = {"cores": os.cpu_count(), "load": [round(each, 1) for each in os.getloadavg()]}
    with tempfile.TemporaryDirectory() as folder:
        root = given.lake or Path(folder) / "lake"
        storage, shelf = open_storage(str(root)), TrackShelf([])
        if not root.is_dir():
            simulator = FleetSimulator(seed=1, rate_hz=given.rate, laps=given.laps)
            result["made"] = measured(lambda: put_simulated(storage, simulator, given.sessions, Path(folder)))
        items = list_sessions(storage)
        result["objects"] = {"sessions": len(items), "mb": round(sum(each.size for each in items) / 1e6, 1)}
        result["listing"] = measured(lambda: list_sessions(storage))
        result["build"] = measured(lambda: build(storage, shelf))
        result["again"] = measured(lambda: build(storage, shelf))
        command = [sys.executable, "-m", "pitwall", "--home", f"{folder}/home", "fleet"]
        result["asked"] = {
            asked[0]: measured(
                lambda asked=asked: subprocess.run(  # type: ignore[misc]
                    [*command, *asked, "--lake", str(root)], check=True, capture_output=True
                )
            )
            for asked in ASKED
        }
    print_measured(result, "objects.sessions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
