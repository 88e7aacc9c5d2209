"""The simulator's entry points: samples from a plan, and a recording file from a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from pitwall.simulator.plan import SimulationError, SimulationPlan, Truth
from pitwall.simulator.sensors import sense, stream
from pitwall.simulator.trace import true_drive
from pitwall.telemetry.recordings.base import RecordingInfo, StoredGate
from pitwall.telemetry.recordings.journal import write_journal
from pitwall.telemetry.recordings.written import WRITTEN
from pitwall.telemetry.sample import Sample
from pitwall.track.model import Track


class SimulationSummary(msgspec.Struct, frozen=True):
    """Holds what was written. `truth` is what the driver really did, for people and for tests."""

    path: str
    format: str
    samples: int
    duration_s: float
    size_bytes: int
    truth: Truth


def simulate(track: Track, plan: SimulationPlan) -> Iterator[Sample]:
    """Return samples of one stream, the same for the same plan. SimulationError at once."""
    return sense(true_drive(track, plan), plan)


def recording_info(
    track: Track, plan: SimulationPlan, format: str, path: Path, truth: Truth
) -> RecordingInfo:
    """Return the header of a simulated recording, which says so in venue, driver and vehicle."""
    gate = track.gate
    return RecordingInfo(
        format=format,
        path=str(path),
        streams=(stream(plan.sensors),),
        start_utc_s=plan.start_utc_s,
        gate=StoredGate(gate.a_lat_deg, gate.a_lon_deg, gate.b_lat_deg, gate.b_lon_deg, "Start / Finish"),
        venue=f"{track.name} (SIMULATED)",
        driver=plan.driver.name,
        vehicle=plan.car.name,
        lap_marks_t=tuple(lap.end_t for lap in truth.laps),
    )


def simulate_to_file(track: Track, plan: SimulationPlan, format: str, path: Path) -> SimulationSummary:
    """Drive the plan and write it in `format`. SimulationError, OSError."""
    trace = true_drive(track, plan)
    info = recording_info(track, plan, format, path, trace.truth)
    count = write_recording(format, path, info, sense(trace, plan))
    return SimulationSummary(
        str(path), format, count, trace.truth.duration_s, path.stat().st_size, trace.truth
    )


def write_recording(format: str, path: Path, info: RecordingInfo, samples: Iterable[Sample]) -> int:
    """Write `samples` as `format` (a key of WRITTEN); return the number of rows."""
    if format not in WRITTEN:
        raise SimulationError(f"no format {format!r}; there are {', '.join(WRITTEN)}")
    entry = WRITTEN[format]
    if entry.write is None:
        with path.open("wb") as binary:
            return write_journal(binary, info, samples)
    with path.open("w", encoding=entry.encoding, newline="") as text:
        return entry.write(text, info, samples)
