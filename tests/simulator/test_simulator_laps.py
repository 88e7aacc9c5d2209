"""The known truth against our own path: file, reader, fusion, map matcher, lap timer."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from long_runs import some

from pitwall.simulator.plan import Sensors, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.recordings import open_recording
from pitwall.track.lap import Lap
from pitwall.track.matcher import MapMatcher
from pitwall.track.model import Track
from pitwall.track.timing import LapTimer

# Correlated noise of a few decimetres moves a crossing by that much at 40 m/s: 10 ms, and twice that a lap.
LAP_TIME_S = 0.03
PLAN = SimulationPlan(laps=2, sensors=Sensors(gps_noise_m=0.2))


def timed(track: Track, path: Path) -> Sequence[Lap]:
    recording = open_recording(path)
    fusion, matcher = Fusion(recording.info.streams), MapMatcher(track)
    timer = LapTimer(track.gate, track.length_m, track.sectors_m)
    laps = []
    t = 0.0
    for sample in recording.samples():
        frame = fusion.feed(sample)
        if frame is None:
            continue
        t = frame.t
        lap = timer.feed(frame, matcher.feed(frame))
        if lap is not None:
            laps.append(lap)
    last = timer.finish(t)
    return laps if last is None else [*laps, last]


@pytest.mark.parametrize(
    "changes",
    some(
        [
            {"rate_hz": 18.0, "sensors": Sensors(gps_noise_m=0.2, uneven_s=0.03)},
            {"rate_hz": 25.0, "sensors": Sensors(gps_noise_m=0.2, dropouts_per_min=4.0, dropout_s=0.4)},
        ],
        1,
    ),
    ids=["uneven", "dropouts"],
)
def test_true_lap_times_are_found_with_a_bad_logger(club, changes, tmp_path):
    path = tmp_path / "laps.vbo"
    truth = simulate_to_file(club, msgspec.structs.replace(PLAN, **changes), "vbo", path).truth
    times = [lap.time_s for lap in timed(club, path) if lap.kind == "flying"]
    assert times == pytest.approx([lap.time_s for lap in truth.laps if lap.kind == "flying"], abs=LAP_TIME_S)
