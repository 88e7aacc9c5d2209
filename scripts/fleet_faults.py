"""Many processes push at once and are killed at random; the lake then holds each session exactly once.

Twenty processes push four invented sessions each, in pairs the same ones, into a folder and into a bucket
(moto's server, on this machine). So many of them as `--kills` are killed (SIGKILL) at any moment, and started
again. One JSON on standard output; exit code 1 where something was lost, doubled or damaged.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fleet")]

from fleet_parts import check_readable  # noqa: E402
from pushing import push_some  # noqa: E402
from s3_server import lake_at, s3_server  # noqa: E402

from pitwall.config import Home  # noqa: E402
from pitwall.fleet.lake import all_objects, open_storage  # noqa: E402

PROCESSES, SESSIONS = 20, 4


def phone(number: int, url: str, root: str) -> None:
    """Push this phone's sessions; its neighbour pushes the same."""
    home = Home(Path(root) / f"phone-{number}")
    home.root.mkdir(parents=True, exist_ok=True)
    push_some(url, home, f"d-{number // 2}", 0, SESSIONS)


def pushed(url: str, root: Path, kills: int, chance: random.Random) -> dict[str, Any]:
    """All phones until all have pushed everything; what was done to them, and what the lake then holds."""
    context = multiprocessing.get_context("forkserver")
    left, running, done = set(range(PROCESSES)), dict[int, Any](), 0
    begun_s = time.monotonic()
    while left:
        for number in left - running.keys():
            running[number] = context.Process(target=phone, args=(number, url, str(root)))
            running[number].start()
        time.sleep(chance.uniform(0.005, 0.05))
        if done < kills and running:
            process = running[chance.choice(sorted(running))]
            if process.exitcode is None:
                process.kill()
                done += 1
        for number, process in list(running.items()):
            if process.exitcode is not None:
                del running[number]
                if process.exitcode == 0:
                    left.discard(number)
                elif process.exitcode != -9:
                    raise SystemExit(f"phone {number} ended with {process.exitcode}")
    storage = open_storage(url)
    there = check_readable(url)  # AssertionError where something is damaged
    wanted = {(f"d-{each}", f"s-{number}") for each in range(PROCESSES // 2) for number in range(SESSIONS)}
    objects = len(all_objects(storage))
    return {
        "kills": done, "sessions": len(there), "objects": objects, "lost": len(wanted - there),
        "doubled": objects - len(there), "seconds": round(time.monotonic() - begun_s, 1),
    }  # fmt: skip


def main() -> int:
    """Push into both, look, print."""
    parser = argparse.ArgumentParser(prog="scripts/fleet-faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    multiprocessing.set_forkserver_preload(["fleet_faults"])
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder, s3_server() as address:
        root = Path(folder)
        result = {
            "folder": pushed(str(root / "lake"), root / "one", given.kills, chance),
            "bucket": pushed(lake_at(address, "faults"), root / "two", given.kills, chance),
        }
    print(json.dumps({**result, "load": [round(each, 1) for each in os.getloadavg()]}, indent=1))
    return 1 if any(each["lost"] or each["doubled"] for each in result.values()) else 0
