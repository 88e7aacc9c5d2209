"""Simulated files with the names and formats of the shared recordings, for a clone that has none of them.

They stand in where a test asks for a drive of some kind. What only holds for the real drive needs the fixture
`recordings`, and is skipped without them.
"""

from __future__ import annotations

from pathlib import Path

import other_writers  # noqa: F401 - adds its formats

from pitwall.config import shipped
from pitwall.simulator.plan import Mistake, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.track.library import load_track

FORMATS = {
    "sonoma-m3-vbox.csv": ("vbox-csv", 10.0),
    "roadamerica-racelogic.vbo": ("vbo", 25.0),
    "roadamerica-stale-gate.vbo": ("vbo", 10.0),
    "lignano-racebox.vbo": ("racebox", 25.0),
    "tianma-racechrono-v3.csv": ("racechrono", 25.0),
    "washington-racecapture.log": ("racecapture", 10.0),
    "excerpt-racestudio3-aim.csv": ("aim", 20.0),
    "orlando-18hz.nmea": ("nmea", 18.0),
}
# Eight flying laps as of somebody who learns: the sixth is the best.
LEARNING = (
    Mistake("turn_11", "brake_early", 25.0, 1, 5),
    Mistake("turn_11", "brake_early", 25.0, 7, 8),
    Mistake("turn_7", "overslow", 3.0, 1, 4),
    Mistake("turn_7", "overslow", 2.0, 7, 7),
    Mistake("turn_4", "coast", 20.0, 1, 3),
    Mistake("carousel", "late_throttle", 15.0, 1, 2),
)


def write_stand_ins(folder: Path) -> None:
    """Write all of them into this folder: the main one at length, the others for two laps."""
    folder.mkdir(parents=True)
    track = load_track(shipped("track_data") / "sonoma.json")
    for name, (kind, rate_hz) in FORMATS.items():
        long = kind == "vbox-csv"
        plan = SimulationPlan(
            laps=8 if long else 2, rate_hz=rate_hz, mistakes=LEARNING if long else (), seed=len(name)
        )
        simulate_to_file(track, plan, kind, folder / name)
