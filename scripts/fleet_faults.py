"""Many phones push a simulated fleet into a bucket while they are killed and their network is cut: the lake
holds each session exactly once, and answers as the truth has it. One JSON on standard output; exit code 1
where something is not so.

Eight phones, each session on two of them. A phone is killed (SIGKILL) at any moment, and goes on; its way to
the bucket (moto's server, on this machine) is cut after so many bytes, and mended.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "fleet")]

from s3_server import CutWay, lake_at, s3_server  # noqa: E402
from simulated_fleet import CLASSES, TRACKS, FleetSimulator  # noqa: E402

from pitwall.config import Home  # noqa: E402
from pitwall.contract.messages import Due  # noqa: E402
from pitwall.fleet import answers  # noqa: E402
from pitwall.fleet.compact import verify  # noqa: E402
from pitwall.fleet.lake import Lake, open_lake  # noqa: E402
from pitwall.fleet.push import push  # noqa: E402
from pitwall.fleet.storage import LakeError, open_storage  # noqa: E402

PHONES, AWAY = 8, 3
CUT_BYTES = (20_000, 2_000_000)
KILL_EVERY_S = (0.2, 2.0)
PRELOAD = "PITWALL_FLEET_FAULTS"


@functools.cache
def simulator() -> FleetSimulator:
    """The fleet, its laps driven: made once, before phones are forked."""
    made = FleetSimulator(seed=1, rate_hz=5.0, laps=5)
    for track in TRACKS:
        for car_class in CLASSES:
            made.base(track, car_class)
    return made


def phone(number: int, url: str, root: str, sessions: int) -> None:
    """One phone's push of all its sessions; exit code AWAY where the lake can't be reached."""
    fleet, home = simulator(), Home(Path(root) / f"phone-{number}")
    (home.root / "truth").mkdir(parents=True, exist_ok=True)
    wanted = [each for each in range(sessions) if number in (each % PHONES, (each + 1) % PHONES)]

    def gather(each: int) -> Any:
        before = (dict(fleet.spoken), dict(fleet.heeded))
        material, _ = fleet.session(each, home.root)
        pairs = zip((fleet.spoken, fleet.heeded), before, strict=True)
        truth = {
            "session": material.row.id,
            "driver": fleet.drivers[each % len(fleet.drivers)].id,
            "track": material.row.track,
            "best_s": fleet.best_s[material.row.id],
            "told": [{key: now[key] - was[key] for key in now} for now, was in pairs],
        }
        (home.root / "truth" / f"{each}.json").write_text(json.dumps(truth))
        return material

    try:
        storage = open_storage(url)
        there = {key[1].rpartition("-")[2] for key in open_lake(storage).entries}
        for each in wanted:
            truth = home.root / "truth" / f"{each}.json"
            if f"{each:06x}" in there and truth.is_file():
                continue
            material = gather(each)
            driver = fleet.drivers[each % len(fleet.drivers)].id
            due = Due(material.row.id, driver, "", material.source)
            push(storage, home, due, lambda material=material: material, "")  # type: ignore[misc]
    except LakeError as error:
        print(f"phone {number}: {error}", file=sys.stderr)
        os._exit(AWAY)


def pushed(address: str, root: Path, sessions: int, seed: int) -> dict[str, int]:
    """All phones until all have pushed everything; what was done to them."""
    chance = random.Random(seed)
    start = partial(multiprocessing.get_context("forkserver").Process, target=phone)
    counts = {"kills": 0, "cuts": 0, "starts": 0}
    ways: list[CutWay] = []
    running: dict[int, Any] = {}
    left, most = set(range(PHONES)), max(sessions // 8, 8)
    next_s = time.monotonic()
    while left:
        for number in sorted(left - running.keys()):
            way = CutWay(address, chance.randint(*CUT_BYTES))
            if counts["starts"] > most + 3 * PHONES:
                way.mend()
            ways.append(way)
            url = lake_at(way.address, "faults")
            running[number] = start(args=(number, url, str(root), sessions))
            running[number].start()
            counts["starts"] += 1
        time.sleep(0.02)
        for number, process in list(running.items()):
            if process.exitcode is None:
                continue
            del running[number]
            if process.exitcode == 0:
                left.discard(number)
            elif process.exitcode not in (AWAY, -9):
                raise SystemExit(f"phone {number} ended with {process.exitcode}")
        if counts["kills"] < most and running and time.monotonic() > next_s:
            running[chance.choice(sorted(running))].kill()
            counts["kills"] += 1
            next_s = time.monotonic() + chance.uniform(*KILL_EVERY_S)
    counts["cuts"] = sum(way.cuts for way in ways)
    for way in ways:
        way.close()
    return counts


def wrong(lake: Lake, truths: dict[int, dict[str, Any]], sessions: int) -> list[str]:
    """What the lake tells otherwise than the truth."""
    found = []
    if sorted(truths) != list(range(sessions)):
        found.append(f"the truth of {len(truths)} sessions is known")
    expected = {(each["driver"], each["session"]) for each in truths.values()}
    if set(lake.entries) != expected:
        found.append(
            f"{len(lake.entries)} sessions are there, {len(set(lake.entries) & expected)} of them meant"
        )
    for track in sorted({each["track"] for each in truths.values()}):
        best: dict[str, float] = {}
        for each in truths.values():
            if each["track"] == track:
                best[each["driver"]] = min(best.get(each["driver"], 1e9), each["best_s"])
        told: dict[str, float] = {}
        for row in answers.leaderboard(lake, track).rows:
            told[row.driver] = min(told.get(row.driver, 1e9), row.time_s)
        if told != best:
            found.append(f"the leaderboard of {track} is not the truth's")
    for row in answers.advice(lake).rows:
        spoken, heeded = (sum(each["told"][i][row.concept] for each in truths.values()) for i in (0, 1))
        if row.spoken != spoken or abs((row.heeded_share or 0.0) - heeded / max(spoken, 1)) > 0.12:
            found.append(f"{row.concept}: {row.spoken} told, {row.heeded_share} heeded; {spoken}, {heeded}")
    return found


def main() -> int:
    """Push, look, print."""
    parser = argparse.ArgumentParser(prog="scripts/fleet-faults", description=__doc__)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    os.environ[PRELOAD] = "1"
    multiprocessing.set_forkserver_preload(["fleet_faults"])
    root, begun_s = Path(tempfile.mkdtemp()), time.monotonic()
    try:
        with s3_server() as address:
            counts = pushed(address, root, given.sessions, given.seed)
            storage = open_storage(lake_at(address, "faults"))
            whole = verify(storage)
            truths = {
                int(path.stem): json.loads(path.read_text()) for path in root.glob("phone-*/truth/*.json")
            }
            problems = [*whole.damaged.values(), *wrong(open_lake(storage), truths, given.sessions)]
    finally:
        shutil.rmtree(root, ignore_errors=True)
    seconds = round(time.monotonic() - begun_s, 1)
    load = [round(each, 1) for each in os.getloadavg()]
    result = {"sessions": whole.sessions, "files": whole.files, **counts, "wrong": problems}
    print(json.dumps({**result, "seconds": seconds, "load": load}, indent=1))
    return 1 if problems else 0


if os.environ.get(PRELOAD):
    simulator()
