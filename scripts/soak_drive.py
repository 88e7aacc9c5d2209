"""Soak: hours of simulated driving through the daemon, as fast as the machine can, with its API in use.

Each drive is 14 flying laps of Sonoma with an out and an in lap; then the car stands until the session is
over. Only driving counts as hours. Flat means: the last hour holds what the second one held; the first one
fills caches. The growth of the journal an hour is computed: the bytes of one drive, and of as many records
of mean size as the car stands for, over the length of the drive. Controls and callouts come on top. The
database's is computed as what its rows would take uncompressed; what it really takes must lie below.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from live_daemon import STANDS_HZ, STANDS_S

from pitwall.config import shipped
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.rows import FRAME_COLUMNS, SIGNAL_COLUMNS
from pitwall.telemetry.recordings.journal import JournalRecording, encode_record
from pitwall.track.library import load_track

ROOT = Path(__file__).resolve().parent.parent
LAPS = 14
RATE_HZ = 25.0
SETTINGS = '[audio]\nplayer = "text"\n[api]\nport = 0\n[limits]\nclose_standing_s = 900\nfree_floor_mb = 0\n'
ASK_EVERY_S = 1.0
FLAT = 0.05
# Of a column, bytes: DOUBLE and BIGINT.
WIDTH = 8


def main() -> None:
    """Print one JSON line an hour, and one at the end with the verdict."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=int, default=8, help="of driving, 1 at least (8)")
    parser.add_argument("--rate", type=float, default=RATE_HZ, help="samples a second of the logger")
    asked = parser.parse_args()
    if asked.hours < 1:
        parser.error("--hours: 1 at least")
    print(json.dumps(soak(asked.hours, asked.rate), indent=1))


def soak(hours: int, rate_hz: float = RATE_HZ) -> dict[str, Any]:
    """Drive so many hours; what stayed flat and what grew. The daemon's own lines go to standard error."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drive.pwj"
        track = load_track(shipped("track_data") / "sonoma.json")
        simulate_to_file(track, SimulationPlan(laps=LAPS, rate_hz=rate_hz), "journal", file)
        recording = JournalRecording(file)
        sizes = [len(encode_record(seq, sample)) for seq, sample in enumerate(recording.samples())]
        drive_s = [sample.t for sample in recording.samples()][-1]
        other = sum(not channel.canonical for channel in recording.info.streams[0].channels)
        home = Path(folder) / "home"
        home.mkdir()
        (home / "pitwall.toml").write_text(SETTINGS)
        told = list(run(home, file, hours))
    standing = sum(sizes) / len(sizes) * STANDS_S * STANDS_HZ
    computed_mb = (sum(sizes) + standing) / drive_s * 3600.0 / 1e6
    rows_an_hour = (len(sizes) + STANDS_S * STANDS_HZ) / drive_s * 3600.0
    database_mb = rows_an_hour * WIDTH * (len(FRAME_COLUMNS) + other * len(SIGNAL_COLUMNS)) / 1e6
    return verdict([each for each in told if each["kind"] == "hour"], told[-1], computed_mb, database_mb)


def run(home: Path, file: Path, hours: float) -> Iterator[dict[str, Any]]:
    """Start the daemon, ask it all the while, give what it tells."""
    command = [
        sys.executable,
        "scripts/live_daemon.py",
        str(home),
        "--drive",
        str(file),
        "--hours",
        str(hours),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        over = threading.Event()
        asking: list[threading.Thread] = []
        try:
            for line in process.stdout:
                told = json.loads(line)
                if told["kind"] == "ready":
                    token = (home / "token").read_text().strip()
                    for work in (ask, look_on):
                        asking.append(
                            threading.Thread(target=work, args=(told["address"], token, over), daemon=True)
                        )
                        asking[-1].start()
                print(line, end="", file=sys.stderr, flush=True)
                yield told
        finally:
            over.set()
            if process.poll() is None:
                process.terminate()
    if process.returncode:
        raise SystemExit(f"the daemon ended with {process.returncode}")


def opened(address: str, token: str, path: str) -> Any:
    request = urllib.request.Request(address + path, headers={"Authorization": f"Bearer {token}"})
    return urllib.request.urlopen(request, timeout=30.0)


def ask(address: str, token: str, over: threading.Event) -> None:
    """What pages ask, once a second."""
    while not over.wait(ASK_EVERY_S):
        for path in ("/status?details=all", "/sessions"):
            try:
                with opened(address, token, path) as answer:
                    answer.read()
            except OSError:
                return


def look_on(address: str, token: str, over: threading.Event) -> None:
    """One viewer of the live page."""
    try:
        with opened(address, token, "/live?hz=10") as live:
            while not over.is_set() and live.readline():
                pass
    except OSError:
        return


def verdict(
    hours: list[dict[str, Any]], end: dict[str, Any], computed_mb: float, database_mb: float
) -> dict[str, Any]:
    """What stayed flat, and the growth an hour."""
    first = hours[1] if len(hours) > 2 else hours[0]
    last = hours[-1]
    flat = {
        name: {"first": first[name], "last": last[name], "most": max(each[name] for each in hours)}
        for name in ("rss_mb", "threads", "python_threads", "handles", "tasks")
    }
    between = max(last["hour"] - first["hour"], 1)
    grown = {
        name: round((last[name] - first[name]) / between / 1e6, 2)
        for name in ("journal_bytes", "database_bytes", "written_bytes")
    }
    return {
        "hours_driven": last["hour"],
        "spent_s": last["spent_s"],
        "times_real_time": round(last["hour"] * 3600.0 / last["spent_s"], 1),
        "held": flat,
        "rss_flat": flat["rss_mb"]["last"] <= flat["rss_mb"]["first"] * (1.0 + FLAT),
        "shed": end["shed"],
        "faults": end["faults"],
        "rss_after_an_hour_mb": hours[0]["rss_mb"],
        "grown_mb_an_hour": grown,
        "journal_mb_an_hour_computed": round(computed_mb, 2),
        "database_mb_an_hour_computed_most": round(database_mb, 2),
        "load": os.getloadavg()[0],
        "ended_utc": time.strftime("%H:%M:%S", time.gmtime()),
    }


if __name__ == "__main__":
    main()
