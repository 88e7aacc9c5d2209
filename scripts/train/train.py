"""Train the network that forecasts the next seconds, judge it on laps and days that it never saw, write it.

`scripts/train/train [--judge | --judge-laps] [--out FOLDER]`: with `--judge` leaving out first two laps at a
time of the M3 day, then each day; `--judge-laps` is for choosing, and leaves the days alone. Without either
only the shipped network is made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "matrix")]

from drives import Drive, drive_of, read_drive  # noqa: E402
from judge import Judged, judge, table  # noqa: E402
from network import LIMIT, Net, as_layers, straight_of, train_one, usable  # noqa: E402
from planted import TRACKS, track_of  # noqa: E402
from samples import Rows, paired_rows  # noqa: E402
from tflite import write_dense  # noqa: E402

from pitwall.coach.model.features import FEATURES  # noqa: E402
from pitwall.coach.model.forecast import OUTPUTS  # noqa: E402
from pitwall.coach.model.network import CARD, NETWORK  # noqa: E402
from pitwall.drive.controls import control  # noqa: E402
from pitwall.simulator.plan import Driver, SimulationPlan  # noqa: E402
from pitwall.simulator.sensors import stream  # noqa: E402
from pitwall.simulator.simulate import simulate  # noqa: E402
from pitwall.telemetry.recordings.journal import StreamRecord  # noqa: E402

M3 = "sonoma-m3-vbox.csv"
OTHERS = ("lignano-racebox.vbo", "orlando-18hz.nmea", "washington-racecapture.log")
FOLDS = ((3, 4), (5, 6), (7, 8))
EPOCHS, MEMBERS = 9, 3
# Each lap against so many others: a kart's twelve laps may not outweigh the M3's seven.
PAIRS, PAIRS_OF_OTHERS = 6, 3
# The M3 has pedals, brake pressure and most of what a car's own bus tells: it counts three times, each time
# with another lap as the last one.
M3_LASTS = 3
# The simulator drives more evenly than people do: of its rows one in so many is used.
SIMULATED_EVERY = 2
# Simulated drivers, from early and tidy to late and wild, one a track and seed.
STYLES = (
    Driver(grip_use=0.86, brake_use=0.7, throttle_use=0.85, brake_early_m=8.0, variation=0.05),
    Driver(grip_use=0.93, brake_use=0.85, coast_m=10.0, line_wander_m=0.8, variation=0.03),
)


def simulated() -> list[Drive]:
    """Drives of the simulator on three tracks."""
    drives = []
    for name in TRACKS:
        track = track_of(name)
        for seed, driver in enumerate(STYLES, 1):
            plan = SimulationPlan(laps=5, seed=seed, driver=driver)
            records = (
                StreamRecord(stream(plan.sensors)),
                control(0.0, "track", track.id),
                *simulate(track, plan),
            )
            drives.append(drive_of(f"simulated {name} {seed}", track, {track.id: track}, records))
    return drives


def m3_rows(drive: Drive, without: Sequence[int] = ()) -> Rows:
    """The rows of the M3 day, as often as they count."""
    return paired_rows(drive, without, most=PAIRS, lasts=M3_LASTS)


def fit(parts: Sequence[Rows], members: int = MEMBERS, epochs: int = EPOCHS) -> list[Net]:
    """Several networks on the same rows, with the same standardisation."""
    rows = usable(np.concatenate(parts))
    return [train_one(rows, epochs, seed) for seed in range(members)]


def runner(nets: Sequence[Net]):  # type: ignore[no-untyped-def]
    """The networks as the car's interpreter would run them, one instant at a time."""
    layers = [(weights.astype(np.float64), bias.astype(np.float64)) for weights, bias in as_layers(nets)]
    mean, spread = nets[0].mean.numpy(), nets[0].spread.numpy()
    straight = straight_of(nets).astype(np.float64)

    def run(features: Sequence[float]) -> list[float]:
        now = scaled = np.clip((np.array(features) - mean) / spread, -LIMIT, LIMIT)
        for weights, bias in layers[:-1]:
            now = np.maximum(weights @ now + bias, 0.0)
        found: list[float] = (layers[-1][0] @ now + layers[-1][1] + straight @ scaled).tolist()
        return found

    return run


def main() -> None:
    """Train, judge, write."""
    arguments = _arguments()
    torch.set_num_threads(1)
    began_s = time.process_time()
    drives = {name: read_drive(arguments.recordings / name) for name in (M3, *OTHERS)}
    imagined = (
        [paired_rows(drive, most=1)[::SIMULATED_EVERY] for drive in simulated()]
        if not arguments.without_simulated
        else []
    )
    days = {name: paired_rows(drives[name], most=PAIRS_OF_OTHERS) for name in OTHERS}
    days[M3] = m3_rows(drives[M3])
    print(f"read in {time.process_time() - began_s:.0f} s of CPU", flush=True)
    if arguments.judge or arguments.judge_laps:
        _judge_laps(drives[M3], [*(days[name] for name in OTHERS), *imagined], arguments.members)
        if arguments.judge:
            _judge_days(drives, days, imagined, arguments.members)
        print(f"judged after {time.process_time() - began_s:.0f} s of CPU", flush=True)
    if arguments.out is not None:
        nets = fit([*days.values(), *imagined])
        write(nets, arguments.out)
        print(f"done after {time.process_time() - began_s:.0f} s of CPU")


def _judge_laps(drive: Drive, others: Sequence[Rows], members: int) -> None:
    """Print the table of the M3's laps that were left out."""
    all_laps = Judged()
    for fold in FOLDS:
        nets = fit([m3_rows(drive, fold), *others], members)
        all_laps.add(judge(drive, runner(nets), fold))
    print(f"\n{M3}, two laps left out at a time", *table(all_laps), sep="\n", flush=True)


def _judge_days(drives: dict[str, Drive], days: dict[str, Rows], imagined: list[Rows], members: int) -> None:
    """Print the tables of days that were left out."""
    for name in (*OTHERS, M3):
        rest = [rows for each, rows in days.items() if each != name]
        nets = fit([*rest, *imagined], members)
        print(
            f"\n{name}, this day left out",
            *table(judge(drives[name], runner(nets))),
            sep="\n",
            flush=True,
        )


def write(nets: Sequence[Net], folder: Path) -> None:
    """The network and its card, as the car reads them."""
    layers = [(weights.astype(np.float32), bias.astype(np.float32)) for weights, bias in as_layers(nets)]
    straight = straight_of(nets).astype(np.float32)
    content = write_dense(nets[0].mean.numpy(), nets[0].spread.numpy(), LIMIT, layers, straight)
    (folder / NETWORK.name).write_bytes(content)
    card = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "features": FEATURES,
        "outputs": OUTPUTS,
    }
    (folder / CARD.name).write_text(json.dumps(card, indent=1) + "\n")
    print(f"{folder / NETWORK.name}: {len(content):,} bytes")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    shared = os.environ.get("PITWALL_RECORDINGS", str(ROOT.parent / "shared" / "recordings"))
    parser.add_argument("--recordings", type=Path, default=Path(shared), help="the folder of recordings")
    parser.add_argument("--judge", action="store_true", help="first judge it on laps and days left out")
    parser.add_argument("--judge-laps", action="store_true", help="judge it on the M3's laps alone")
    parser.add_argument("--members", type=int, default=MEMBERS, help="networks in each that is judged")
    parser.add_argument("--without-simulated", action="store_true", help="train on real drives only")
    parser.add_argument("--out", type=Path, help="the folder to write the network and its card to")
    return parser.parse_args()


if __name__ == "__main__":
    main()
