"""The demo drive as a car delivers it: GPS from one source, the car's own sensors from another."""

from __future__ import annotations

from collections.abc import Iterator

from running_daemon import DEMO

from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.sample import Channel, Sample, Stream

GPS = ("lat_deg", "lon_deg", "altitude_m", "speed_mps", "heading_deg", "satellites")
CAR = ("brake_bar", "throttle_pct", "rpm", "gear")
GPS_ID, CAR_ID = 0, 1


def streams() -> tuple[Stream, Stream]:
    """The two streams."""
    channels = {channel.name: channel for channel in open_recording(DEMO).info.streams[0].channels}

    def of(names: tuple[str, ...]) -> tuple[Channel, ...]:
        return tuple(channels[name] for name in names)

    return Stream(GPS_ID, "phone:gps", of(GPS)), Stream(CAR_ID, "bus:car", of(CAR))


def drive(until_s: float, silent: dict[int, tuple[float, float]] | None = None) -> Iterator[Sample]:
    """The samples up to a second; `silent` takes a stream away from one second to another."""
    recording = open_recording(DEMO)
    names = [channel.name for channel in recording.info.streams[0].channels]
    columns = {GPS_ID: [names.index(name) for name in GPS], CAR_ID: [names.index(name) for name in CAR]}
    for sample in recording.samples():
        if sample.t > until_s:
            return
        for stream, picked in columns.items():
            gone_t, back_t = (silent or {}).get(stream, (0.0, 0.0))
            if not gone_t <= sample.t < back_t:
                yield Sample(stream, sample.t, tuple(sample.values[column] for column in picked))
