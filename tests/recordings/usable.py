"""What any opened recording must hold to, whatever is in the file; a drive to be written, and its laps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from club import club_circuit
from stored_facts import opened

from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.sensors import CHANNELS, sense
from pitwall.simulator.trace import true_drive
from pitwall.store.queries import laps
from pitwall.telemetry.recordings import Recording, open_recording
from pitwall.telemetry.recordings.can_logs import Decoders
from pitwall.telemetry.sample import Sample


def read_whole(path: Path, decoders: Decoders | None = None) -> tuple[Recording, list[Sample]]:
    """Open, read, and check the contract of `Recording`."""
    recording = open_recording(path, decoders)
    widths = {stream.id: len(stream.channels) for stream in recording.info.streams}
    for stream in recording.info.streams:
        names = [channel.name for channel in stream.channels]
        assert len(names) == len(set(names))
    samples = list(recording.samples())
    last_t = 0.0
    for sample in samples:
        assert isfinite(sample.t)
        assert sample.t >= last_t
        last_t = sample.t
        assert len(sample.values) == widths[sample.stream]
        assert all(value is None or isfinite(value) for value in sample.values)
    assert all(finding.count > 0 and finding.detail for finding in recording.findings())
    assert all(isfinite(t) for t in recording.info.lap_marks_t)
    return recording, samples


@cache
def read_once(path: Path) -> tuple[Recording, list[Sample]]:
    """`read_whole` for the real files, that several tests look at."""
    return read_whole(path)


def column(recording: Recording, samples: list[Sample], name: str) -> list[float | None]:
    """One channel of a one-stream recording."""
    at = [channel.name for channel in recording.info.streams[0].channels].index(name)
    return [sample.values[at] for sample in samples]


def kinds(recording: Recording) -> dict[str, int]:
    """How often each kind of finding was met."""
    counts: dict[str, int] = {}
    for finding in recording.findings():
        counts[finding.kind] = counts.get(finding.kind, 0) + finding.count
    return counts


class TwoLaps(NamedTuple):
    """Two flying laps of the club circuit: signals by name at ten a second, the (begin, end) of the laps that
    end on the line, and the flying laps' times by number."""

    columns: dict[str, Sequence[float | None]]
    ended: list[tuple[float, float]]
    times: dict[int, float]


@cache
def two_laps() -> TwoLaps:
    plan = SimulationPlan(laps=2, rate_hz=10)
    trace = true_drive(club_circuit(), plan)
    samples, driven = list(sense(trace, plan)), trace.truth.laps
    columns = {name: [sample.values[i] for sample in samples] for i, name in enumerate(CHANNELS)}
    times = {lap.number: lap.time_s for lap in driven if lap.time_s is not None}
    return TwoLaps(columns, [(lap.start_t, lap.end_t) for lap in driven][:-1], times)


def imported_laps(path: Path, home: Home) -> dict[int, float]:
    """The times of the flying laps that an import finds, by number."""
    with opened(home) as store:
        driven = laps(store, import_file(path, home, store).session)
    return {lap.number: lap.time_s for lap in driven if lap.kind == "flying"}
