"""Write the demo: a believable driver at Sonoma who loses time in three corners, and cures one."""

from __future__ import annotations

from pathlib import Path

from pitwall.config import shipped
from pitwall.simulator.plan import Driver, Mistake, Sensors, SimulationPlan
from pitwall.simulator.simulate import SimulationSummary, simulate_to_file
from pitwall.track.library import load_track

# Lap 1 sets the reference and is clean where the later laps are not. A coach believes a loss that shows on
# two laps, speaks on the third, and praises after two good ones: hence five flying laps.
MISTAKES = (
    Mistake("carousel", "overslow", 1.5, 1, 1),
    Mistake("turn_7", "brake_early", 30.0, 2, 5),
    Mistake("turn_7", "overslow", 0.8, 2, 5),
    Mistake("turn_11", "slow_exit", 0.25, 2, 3),
    Mistake("turn_4", "brake_early", 20.0, 3, 4),
    Mistake("turn_4", "overslow", 1.8, 3, 4),
)

# A few channels only: the file is shipped, and stays under 1 MB.
CHANNELS = (
    "lat_deg",
    "lon_deg",
    "altitude_m",
    "speed_mps",
    "heading_deg",
    "satellites",
    "brake_bar",
    "throttle_pct",
    "rpm",
    "gear",
)

PLAN = SimulationPlan(
    driver=Driver(name="simulated driver", variation=0.006),
    laps=5,
    rate_hz=10.0,
    seed=20,
    mistakes=MISTAKES,
    sensors=Sensors(channels=CHANNELS),
)


def write_demo(path: Path) -> SimulationSummary:
    """Write the demo as a VBO file: the same bytes each time."""
    return simulate_to_file(load_track(shipped("track_data") / "sonoma.json"), PLAN, "vbo", path)
