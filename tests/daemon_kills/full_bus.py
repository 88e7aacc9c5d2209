"""Kills at full bus: how soon a start uses a fix and speaks, with good and damaged checkpoints.

One drive of GPS at 25 Hz and 200 decoded rows a second of CAN (what 2,000 frames a second become), killed
again and again; before every second start the newest checkpoint is damaged, before two of them both. Beside
it the unbroken twin: laps, passes, debrief. Times are of this machine, load included.
"""

from __future__ import annotations

import argparse
import math
import os
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from driven_pitwall import HEARD, Aim
from judge import Ride, copied, differences, driven

from pitwall.config import Home, shipped
from pitwall.drive.prepare import known_tracks, prepare_words
from pitwall.simulator.plan import SPREADS, Driver, Mistake, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.checkpoint import checkpoint_files
from pitwall.track.library import load_track

GPS_HZ, CAN_ROWS, TALL, LAP_S = 25.0, 8, 30, 114.0
SPEED, DOWN_S = 20.0, 1.5
# The kills, counted from 1, after which both checkpoints are damaged.
BOTH = (4, 8)
# What became of the calls around one that was not spoken is shown.
AROUND_S = 10.0


def recorded(folder: Path, minutes: float) -> Path:
    """A drive with some mistakes, so that there is something to say."""
    laps = int(minutes * 60.0 / LAP_S) + 1
    mistakes = tuple(
        Mistake(corner, kind, amount, first, laps)
        for corner, kind, amount, first in (
            ("turn_4", "brake_early", 40.0, 2),
            ("turn_7", "overslow", 2.5, 6),
            ("turn_11", "slow_exit", 0.5, 12),
        )
    )
    plan = SimulationPlan(
        laps=laps, rate_hz=GPS_HZ, driver=Driver(variation=SPREADS[0.08]), mistakes=mistakes
    )
    file = folder / "drive.pwj"
    simulate_to_file(load_track(shipped("track_data") / "sonoma.json"), plan, "journal", file)
    return file


def damage(path: Path) -> None:
    """Flip a byte in the middle of a file."""
    if path.exists():
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(content)


def main() -> int:
    """Print a line a kill, and what a driver would notice."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=55.0)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--first", type=float, default=300.0, help="seconds before the first")
    parser.add_argument("--log", type=Path, help="what the daemons write")
    parser.add_argument("--clips", type=Path, help="a home that keeps the rendered phrases for the next run")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        warm = Home(asked.clips or Path(folder) / "warm")
        warm.prepare()
        for track in (None, known_tracks(warm)[0]["sonoma"]):
            prepare_words(warm, track, sound=False)
        ride = Ride(
            str(recorded(Path(folder), asked.minutes)), "real time", asked.minutes * 60.0, SPEED,
            can_rows=CAN_ROWS, tall=TALL,
        )  # fmt: skip
        first_s, each_s = asked.first, (asked.minutes * 60.0 - asked.first - 30.0) / asked.kills
        per_s = GPS_HZ * (1 + CAN_ROWS)
        aims = [
            Aim("sample", "after", int(per_s * (each_s if number else first_s)), down_s=DOWN_S, most=10**9)
            for number in range(asked.kills)
        ]
        home = copied(warm, Path(folder) / "killed")
        harmed = dict[int, str]()

        def harm(number: int) -> None:
            files = checkpoint_files(home)
            harmed[number] = "both" if number in BOTH else "newest" if number % 2 else ""
            for path in files if number in BOTH else files[:1] if number % 2 else ():
                damage(path)

        outcome = driven(home, ride, aims, asked.log, harm, with_replay=False)
        twin_ride = msgspec.structs.replace(ride, lost_s=outcome.missing)
        twin = driven(copied(warm, Path(folder) / "twin"), twin_ride, with_replay=False)
        lines = [line.split("\t") for line in (home.root / f"acknowledged{HEARD}").read_text().splitlines()]
        starts = [list(found) for _, found in groupby(lines, key=lambda line: line[0])]
        due = [(line.t, line.text) for line in twin.lines if line.outcome.endswith("spoken") and line.corner]
        offset_s = outcome.later_s
        for number, (found, (died_t, back_t)) in enumerate(zip(starts[1:], outcome.gaps, strict=True), 1):
            first = {
                what: (f"{float(s):.1f} s ({float(cpu):.1f} of a core)", float(t) - offset_s)
                for _, what, s, cpu, t in reversed(found)
            }
            placed, placed_t = first.get("placed", ("never", math.inf))
            whole, _ = first.get("whole", ("never", 0.0))
            until_t = outcome.gaps[number][0] if number < len(outcome.gaps) else math.inf
            wanted = next((each for each in due if placed_t < each[0] < until_t), None)
            heard = wanted is not None and any(
                what == f"said {wanted[1]}" and abs(float(t) - offset_s - wanted[0]) < 3.0
                for _, what, _, _, t in found
            )
            print(
                f"{number:2} killed at {died_t / 60.0:4.1f} min, damaged {harmed[number] or 'none':6} "
                f"first fix {placed}, whole {whole}; next due: "
                + (
                    f"{wanted[0] - back_t:5.1f} s on, {'spoken' if heard else 'NOT spoken'}"
                    if wanted
                    else "none"
                ),
                flush=True,
            )
            for line in outcome.lines if wanted and not heard else ():
                if abs(line.t - wanted[0]) < AROUND_S:
                    became = f"{line.t:.1f} {line.text!r} {line.outcome}, {line.reason}"
                    print(f"   {wanted[1]!r} at {wanted[0]:.1f}: {became}")
        told = differences(outcome, twin)
        print(f"load {os.getloadavg()[0]:.1f}; {told or 'nothing noticed'}")
    return bool(told)


if __name__ == "__main__":
    raise SystemExit(main())
