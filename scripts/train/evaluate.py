"""How well the shipped network forecasts recordings: its table beside four simpler ways to forecast.

`scripts/train/evaluate [RECORDING...]`: anything that Pitwall reads (without any: all that are here), on its
known track, else on one built from its own laps. Each flying lap is forecast as in the car: with the best lap
before it, and the last one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT)]

from pitwall.coach.model.network import ModelError, Network  # noqa: E402
from pitwall.store.process_memory import resident_bytes  # noqa: E402
from pitwall.telemetry.recordings.base import RecordingError  # noqa: E402
from pitwall.track.build_laps import TrackBuildError  # noqa: E402

# Beside the recordings: what explains them, and raw CAN, which has no positions.
NO_DRIVES = (".md", ".json", ".dbc")


class Timed:
    """The network, and how long each answer took."""

    def __init__(self, network: Network) -> None:
        self.network, self.times_s = network, list[float]()

    def run(self, features: list[float]) -> list[float]:
        """One instant."""
        began_s = time.perf_counter()
        outputs = self.network.run(features)
        self.times_s.append(time.perf_counter() - began_s)
        return outputs


def main() -> int:
    """Print a table a recording, one of all, and what the network costs. 1 where none could be judged."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recordings", nargs="*", type=Path, metavar="RECORDING")
    shared = Path(os.environ.get("PITWALL_RECORDINGS", ROOT.parent / "shared" / "recordings"))
    here = sorted(shared.iterdir()) if shared.is_dir() else []
    recordings = parser.parse_args().recordings or [path for path in here if path.suffix not in NO_DRIVES]
    before = resident_bytes()
    try:
        network = Network()
        network.run([0.0] * network.card.features)
    except ModelError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    added_mb = (resident_bytes() - before) / 1e6
    # These load numpy, which LiteRT brings to the car: what it adds is measured before.
    from drives import read_drive
    from judge import Judged, judge, table

    timed, everything = Timed(network), Judged()
    for path in recordings:
        try:
            drive = read_drive(path)
        except (RecordingError, TrackBuildError) as error:
            print(f"\n{path.name}: {error}")
            continue
        judged = judge(drive, timed.run)
        everything.add(judged)
        print(f"\n{path.name}: {drive.track.name}, {len(drive.laps)} flying laps")
        print("\n".join(table(judged)), flush=True)
    if not everything.asked:
        return 1
    if len(recordings) > 1:
        print("\nall of them", *table(everything), sep="\n")
    times_ms = sorted(1000.0 * each for each in timed.times_s)
    print(
        f"\nan answer takes {times_ms[len(times_ms) // 2]:.3f} ms, one in a hundred more than "
        f"{times_ms[int(0.99 * (len(times_ms) - 1))]:.3f} ms; LiteRT, numpy and the network add "
        f"{added_mb:.0f} MB"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
