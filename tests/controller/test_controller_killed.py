"""kill -9 of worker and daemon at every phase of a voice-script job for all corners, the network cut.

It ends with every corner written once, and a kill repeats at most one model call.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from job_daemon import WRITES
from model_server import Asked, Reply, serving
from scripted_writer import corner_of, script_for, written

from pitwall.config import Home
from pitwall.contract.jobs import JobResult
from pitwall.store import jobs
from pitwall.store.jobs import Job
from pitwall.store.store import Store

DAEMON = Path(__file__).with_name("job_daemon.py")
PLACES = ("discover", "plan", "execute", "verify", "save_script", "commit", "reflect", "decide")
# PITWALL_KILLS=32 has all four ways at every place, every other run one at the first place and one where a
# reply is lost.
WAYS = [["after", "worker"], ["before", "daemon"], ["before", "worker"], ["after", "daemon"]]
NIGHTLY = int(os.environ.get("PITWALL_KILLS", "0")) >= 32
ORDERS = [
    [place, *way]
    for number, place in (list(enumerate(PLACES)) if NIGHTLY else [(0, "discover"), (3, "verify")])
    for way in (WAYS if NIGHTLY else [WAYS[number % 2]])
]
# One reply in so many does not come through, once the plan is made.
CUT_ONE_IN = 6
WITHIN_S = 300.0


class Network:
    """A model that gives another text each time it is asked, behind a network that breaks off at random."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.takes: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.cut = 0

    def __call__(self, asked: Asked) -> Reply:
        corner = corner_of(asked)
        if corner and self._chance.randrange(CUT_ONE_IN) == 0:
            self.cut += 1
            return Reply(text="{", cut=True)
        self.answered[corner] += 1
        self.takes[corner] += 1
        return written(corner, **script_for(corner, self.takes[corner])) if corner else Reply(text=ORDER)


ORDER = json.dumps({"corners": ["turn_11", "turn_7"]})


@pytest.fixture
def job(home: Home, sonoma_driven: Path) -> Job:
    """A home with the M3's session at Sonoma, and one waiting job."""
    shutil.copytree(sonoma_driven, home.root, dirs_exist_ok=True)
    with Store(home) as store:
        store.open()
        return jobs.create(store, "voice_scripts", '{"track": "sonoma", "wish": "turn eleven first"}')


async def daemon(home: Home, url: str, orders: list[list[str]]) -> list[list[str]]:
    """One life of the daemon; the orders that it carried out."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(DAEMON),
        str(home.root),
        url,
        json.dumps(orders),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(WITHIN_S):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    done = [json.loads(line) for line in out.splitlines()]
    by_own_hand = bool(done) and done[-1][2] == "daemon"
    assert process.returncode == (-9 if by_own_hand else 0), err.decode()
    return done


@pytest.mark.long
async def test_every_corner_is_written_once_whatever_dies(home: Home, job: Job) -> None:
    network = Network(seed=4)
    orders, kills = list(ORDERS), []
    async with serving(network) as server:
        for _ in range(len(ORDERS) + 1):
            done = await daemon(home, server.url, orders)
            kills += done
            orders = orders[len(done) :]
            if not done or done[-1][2] != "daemon":
                break
        await server.gone()
    with Store(home) as store:
        store.open()
        ended = jobs.get(store, job.id)
    result = msgspec.json.decode(ended.result, type=JobResult)
    assert (ended.state, kills) == ("done", ORDERS), "each kill fell where it was meant to"
    writes = Counter((home.root / WRITES).read_text().split())
    assert len(writes) == 13
    assert set(writes.values()) == {1}, "every corner once"
    assert set(result.done) == set(writes)
    for corner in writes:
        held = json.loads((home.audio_cache / f"{corner}.json").read_text())
        assert held in [script_for(corner, take) for take in range(1, network.takes[corner] + 1)]
    repeated = sum(network.answered.values()) - len(network.answered)
    print(ledger(network, result, len(kills), repeated))
    assert network.cut > 0
    # The daemon that dies before it has kept a reply loses it; nothing else does.
    assert 1 <= repeated <= len(kills)
    assert len(server.asked) == sum(network.answered.values()) + network.cut
    assert sum(call.calls for call in result.ledger) == result.used.model_calls
    assert len(server.asked) <= result.used.model_calls, "no request that was not counted before"


def ledger(network: Network, result: JobResult, kills: int, repeated: int) -> str:
    """For the closing note: `PITWALL_KILLS=32 pytest -s`."""
    states = Counter(call.state for call in result.ledger)
    lines = [
        f"{kills} kills, {network.cut} replies cut off, {sum(network.answered.values())} whole replies, "
        f"{repeated} of them repeated; {result.used}",
        f"ledger: {dict(states)}",
    ]
    for call in result.ledger:
        item = call.item or "(order)"
        lines.append(
            f"{call.number:3} {call.phase:8} {item:10} {call.state:9} {call.seconds:6.2f} s {call.why}"
        )
    return "\n".join(lines)
