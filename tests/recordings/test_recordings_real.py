"""Every real recording: what is in it, where it is, in which units, and its signs against GPS physics."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from usable import column, read_once


class Expected(NamedTuple):
    """Counted and looked up outside of the readers (wc, awk, a map)."""

    format: str
    samples: int
    span_s: float
    lat_deg: tuple[float, float]
    lon_deg: tuple[float, float]
    top_speed_mps: float
    start_utc_s: float | None


REAL = {
    "sonoma-m3-vbox.csv": Expected("vbox-csv", 10986, 1098.5, (38.157, 38.168), (-122.464, -122.449),
     184.18 / 3.6, None),
    "roadamerica-racelogic.vbo": Expected("vbo", 10401, 416.04, (43.790, 43.806), (-88.004, -87.988),
     286.74 / 3.6, 1754077413.68),
    "roadamerica-stale-gate.vbo": Expected("vbo", 5675, 226.96, (43.790, 43.806), (-88.004, -87.988),
     252.41 / 3.6, 1754074813.04),
    "lignano-racebox.vbo": Expected("vbo", 31527, 1261.11, (45.730, 45.735), (13.070, 13.077), 83.25 / 3.6,
     1775907141.0),
    "orlando-18hz.nmea": Expected("nmea", 2790, 227.98, (28.410, 28.414), (-81.381, -81.378),
     37.56 * 0.514444, 1682789670.01),
    "tianma-racechrono-v3.csv": Expected("racechrono", 3850, 84.28, (31.075, 31.080), (121.113, 121.119),
     45.078, 1767150797.44),
    "washington-racecapture.log": Expected("racecapture", 33491, 1119.73, (47.799, 47.808),
     (-122.347, -122.335), 35.08 * 0.44704, None),
    "excerpt-racestudio3-aim.csv": Expected("racestudio", 503, 25.1, (45.514, 45.518), (10.003, 10.007),
     76.794 / 3.6, 1734269640.0),
}  # fmt: skip


def test_each_is_read_whole(recordings: Path) -> None:
    for name, expected in REAL.items():
        is_read_whole(recordings / name, expected)


def is_read_whole(path: Path, expected: Expected) -> None:
    recording, samples = read_once(path)
    info = recording.info
    assert info.format == expected.format
    assert len(samples) == expected.samples
    assert samples[0].t == 0.0
    assert samples[-1].t == pytest.approx(expected.span_s, abs=0.005)
    for channel, (low, high) in (("lat_deg", expected.lat_deg), ("lon_deg", expected.lon_deg)):
        found = [value for value in column(recording, samples, channel) if value is not None]
        assert low < min(found) < max(found) < high
    speeds = [value for value in column(recording, samples, "speed_mps") if value is not None]
    assert max(speeds) == pytest.approx(expected.top_speed_mps, rel=1e-4)
    assert info.start_utc_s == (
        None if expected.start_utc_s is None else pytest.approx(expected.start_utc_s, abs=0.005)
    )


def test_units_of_the_racelogic_channels(recordings: Path) -> None:
    recording, samples = read_once(recordings / "roadamerica-racelogic.vbo")
    channels = {c.name: (c.unit, c.label) for c in recording.info.streams[0].channels}
    assert channels["brake_bar"] == ("bar", "Brake_Pressure_Front")
    assert channels["throttle_pct"] == ("%", "Throttle_Pedal")
    assert channels["ambient_temperature"] == ("°C", "Ambient_Temperature")
    assert channels["lap_gain_loss"] == ("s", "Lap_Gain_Loss")
    assert channels["gear"][1] == "Gear"
    speed, wheels = column(recording, samples, "speed_mps"), column(recording, samples, "wheel_speed_mps")
    assert sum(each or 0.0 for each in wheels) == pytest.approx(sum(each or 0.0 for each in speed), rel=0.03)
    assert set(column(recording, samples, "lap_number")) == {0.0, 1.0, 2.0, 3.0}


def test_gates_as_they_are_stored(recordings: Path) -> None:
    gates = {name: read_once(recordings / name)[0].info.gate for name in REAL}
    road, stale, kart = (
        gates[name]
        for name in ("roadamerica-racelogic.vbo", "roadamerica-stale-gate.vbo", "lignano-racebox.vbo")
    )
    assert (road.a_lat_deg, road.a_lon_deg) == pytest.approx((43.797907, -87.989638), abs=1e-6)
    # Homestead-Miami, two thousand kilometres away: handed on, refused by the track room.
    assert (stale.a_lat_deg, stale.a_lon_deg) == pytest.approx((25.4545, -80.4155), abs=1e-4)
    assert (kart.a_lat_deg, kart.a_lon_deg) == pytest.approx((45.732814, 13.073287), abs=1e-6)
    assert (kart.b_lat_deg, kart.b_lon_deg) == pytest.approx((45.732664, 13.073298), abs=1e-6)
    assert kart.name == "Start / Finish"
    assert gates["sonoma-m3-vbox.csv"] is None
