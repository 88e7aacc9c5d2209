"""A recording whose receiver is later than the car's own signals: moves both onto one clock."""

from __future__ import annotations

from collections.abc import Iterator

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.lag import LEAST_LAG_S, WITNESSES, Fit, LaggedRows, Series, is_new
from pitwall.telemetry.recordings.base import Recording
from pitwall.telemetry.sample import Sample

# How much is read: three laps of a usual circuit.
READ_S = 360.0


def find_lag_s(recording: Recording) -> tuple[float, str] | None:
    """Return how much later than the car's signals the receiver is, in seconds, and by which
    signal.

    None if no signal is sure. Reads the first minutes of the recording.
    """
    fit = Fit(_read(recording, {"speed_mps", *(name for name, _ in WITNESSES)}))
    while not fit.step():
        pass
    return fit.found


def aligned(recording: Recording) -> Recording:
    """Return the recording with the car's signals moved to the receiver's time, if that is later."""
    channels = [channel for stream in recording.info.streams for channel in stream.channels]
    names = {channel.name for channel in channels}
    if "speed_mps" not in names or names.isdisjoint(name for name, _ in WITNESSES):
        return recording
    found = find_lag_s(recording)
    if found is None or found[0] < LEAST_LAG_S:
        return recording
    return AlignedRecording(recording, *found)


class AlignedRecording:
    """A recording whose channels that are no receiver's come `lag_s` later."""

    def __init__(self, recording: Recording, lag_s: float, source: str) -> None:
        self._recording, self._lag_s, self.info = recording, round(lag_s, 3), recording.info
        what = f"the fixes were {lag_s:.2f} s late by it: the car's signals are moved to them"
        self._note = Finding("lag", source, 1, None, what)

    def samples(self) -> Iterator[Sample]:
        """Yield the samples in order of time, each with the car's signals as of its fix."""
        rows = {stream.id: LaggedRows(stream, self._lag_s) for stream in self.info.streams}
        for sample in self._recording.samples():
            yield rows[sample.stream].moved(sample)

    def findings(self) -> list[Finding]:
        """Return what the file itself has, and how late its fixes were."""
        return [*self._recording.findings(), self._note]


def _read(recording: Recording, names: set[str]) -> dict[str, Series]:
    at: dict[int, list[tuple[str, int]]] = {}
    series: dict[str, Series] = {}
    for stream in recording.info.streams:
        for i, channel in enumerate(stream.channels):
            if channel.name in names and channel.name not in series:
                series[channel.name] = []
                at.setdefault(stream.id, []).append((channel.name, i))
    for sample in recording.samples():
        if sample.t > READ_S:
            break
        for name, i in at.get(sample.stream, ()):
            value, known = sample.values[i], series[name]
            if value is not None and (not known or is_new(known[-1], sample.t, value)):
                known.append((sample.t, value))
    return {name: known for name, known in series.items() if known}
