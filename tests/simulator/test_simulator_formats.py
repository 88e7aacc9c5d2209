"""Every format: what was written is read back by our readers, within what the format can hold."""

from pathlib import Path

import msgspec
import pytest
from long_runs import a_few

from pitwall.simulator.plan import Sensors, SimulationError, SimulationPlan
from pitwall.simulator.sensors import GPS_CHANNELS, sense
from pitwall.simulator.simulate import recording_info, simulate_to_file, write_recording
from pitwall.simulator.trace import true_drive
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.written import WRITTEN
from pitwall.telemetry.sample import Sample

PLAN = SimulationPlan(laps=1, rate_hz=10.0)
# Where it does not matter how many samples there are.
SPARSE = msgspec.structs.replace(PLAN, rate_hz=2.0)


def without_a_fix(sample: Sample) -> Sample:
    """The sample, but from 60 to 70 s with no satellite."""
    if not 60.0 <= sample.t < 70.0:
        return sample
    nothing = [0.0 if name == "satellites" else None for name in GPS_CHANNELS]
    return Sample(sample.stream, sample.t, (*nothing, *sample.values[len(GPS_CHANNELS) :]))


FIX = {
    "lat_deg": 1e-8, "lon_deg": 1e-8, "speed_mps": 2e-4, "heading_deg": 6e-4, "altitude_m": 0.006,
    "satellites": 0,
}  # fmt: skip
# Half a unit in the last place that each format writes, in canonical units, with a little for the conversion.
HOLDS: dict[str, dict[str, float]] = {
    "vbo": FIX | {
        "g_lat": 6e-4, "g_long": 6e-4, "rpm": 0.6, "steering_deg": 0.06, "brake_bar": 0.006,
        "throttle_pct": 0.06, "wheel_speed_mps": 0.015, "gear": 0, "coolant_c": 0.006, "oil_temp_c": 0.06,
        "oil_bar": 6e-4, "lap_number": 0,
    },
    "gpx": {
        "lat_deg": 1e-9, "lon_deg": 1e-9, "altitude_m": 0.006, "speed_mps": 6e-5, "heading_deg": 6e-4,
    },
    "racebox": FIX | {
        "lat_deg": 1e-7, "lon_deg": 1e-7, "heading_deg": 0.006, "g_lat": 6e-4, "g_long": 6e-4,
        "yaw_rate_dps": 6e-4,
    },
    "vbox-csv": FIX | {
        "speed_mps": 0.002, "heading_deg": 0.06, "g_lat": 0.006, "g_long": 0.006, "brake_bar": 1e-9,
        "coolant_c": 0.006, "rpm": 0.6, "gear": 0, "wheel_speed_mps": 0.002, "oil_bar": 1e-9,
        "oil_temp_c": 0.006, "steering_deg": 0.06, "throttle_pct": 0.6,
    },
    "racechrono": {
        "altitude_m": 6e-4, "heading_deg": 0.006, "lat_deg": 6e-8, "lon_deg": 6e-8, "satellites": 0,
        "speed_mps": 6e-5, "g_lat": 6e-6, "g_long": 6e-6, "throttle_pct": 6e-6, "brake_bar": 6e-6,
        "coolant_c": 0.06, "gear": 0, "rpm": 6e-6, "wheel_speed_mps": 6e-6, "steering_deg": 6e-6,
        "lap_number": 0,
    },
    "racecapture": {
        "g_lat": 6e-4, "g_long": 6e-4, "yaw_rate_dps": 0.06, "lat_deg": 6e-8, "lon_deg": 6e-8,
        "speed_mps": 3e-4, "altitude_m": 0.002, "satellites": 0, "rpm": 0.6, "throttle_pct": 0.06,
        "brake_bar": 4e-4, "steering_deg": 0.06, "coolant_c": 0.06, "lap_number": 0,
    },
    "aim": {
        "speed_mps": 2e-5, "satellites": 0, "g_lat": 6e-5, "g_long": 6e-5, "heading_deg": 6e-5,
        "yaw_rate_dps": 6e-5, "altitude_m": 6e-5, "lat_deg": 6e-9, "lon_deg": 6e-9, "rpm": 6e-5, "gear": 0,
        "wheel_speed_mps": 2e-5, "throttle_pct": 0.006, "brake_bar": 6e-4, "steering_deg": 0.006,
        "coolant_c": 0.006, "oil_temp_c": 0.006, "oil_bar": 6e-4,
    },
    "nmea": {
        "lat_deg": 1e-7, "lon_deg": 1e-7, "speed_mps": 3e-4, "heading_deg": 0.006, "altitude_m": 0.006,
        "satellites": 0,
    },
}  # fmt: skip

HOLDS["motec"] = HOLDS["aim"]


def named(recording):
    """(t, values by name) of every sample; blank values left out."""
    names = {stream.id: [channel.name for channel in stream.channels] for stream in recording.info.streams}
    for sample in recording.samples():
        pairs = zip(names[sample.stream], sample.values, strict=True)
        yield sample.t, {name: value for name, value in pairs if value is not None}


def written(info, samples):
    names = [channel.name for channel in info.streams[0].channels]
    return {round(s.t, 3): dict(zip(names, s.values, strict=True)) for s in samples}


@pytest.fixture(scope="module")
def trace(club):
    return true_drive(club, PLAN)


@pytest.fixture(scope="module")
def samples(trace):
    return list(sense(trace, PLAN))


@pytest.fixture(scope="module")
def made(club, trace, samples, tmp_path_factory):
    """The file of each format, of the same drive."""
    folder = tmp_path_factory.mktemp("formats")
    made = {}
    for name, row in WRITTEN.items():
        made[name] = folder / f"{name}{row.suffix}"
        write_recording(name, made[name], recording_info(club, PLAN, name, made[name], trace.truth), samples)
    return made


class TestRoundTrip:
    """One class for every format, as python-can has it."""

    @pytest.fixture(params=list(WRITTEN))
    def name(self, request) -> str:
        return request.param

    def test_values_come_back_within_the_formats_resolution(self, made, club, trace, samples, name):
        path = made[name]
        truth = written(recording_info(club, PLAN, name, path, trace.truth), samples)
        holds = HOLDS.get(name, dict.fromkeys(truth[0.0], 0))
        seen: set[str] = set()
        instants: set[float] = set()
        for t, values in named(open_recording(path)):
            expected = truth[round(t, 3)]
            instants.add(round(t, 3))
            for signal, tolerance in holds.items():
                if signal in values:
                    seen.add(signal)
                    difference = values[signal] - expected[signal]
                    if signal == "heading_deg":
                        difference = (difference + 180.0) % 360.0 - 180.0
                    assert abs(difference) <= tolerance, (t, signal, values[signal], expected[signal])
        assert seen == set(holds)
        assert instants == set(truth)

    def test_the_header_comes_back(self, made, club, trace, name):
        assert b"SIMULATED" in made[name].read_bytes()
        info = open_recording(made[name]).info
        if info.start_utc_s is not None:
            assert info.start_utc_s == pytest.approx(PLAN.start_utc_s, abs=0.011 if name != "aim" else 60.0)
        if name in ("vbo", "racebox", "journal"):
            gate = info.gate
            assert (gate.a_lat_deg, gate.a_lon_deg) == pytest.approx(
                (club.gate.a_lat_deg, club.gate.a_lon_deg), abs=2e-4
            )
        if name in ("aim", "journal"):
            ends = [lap.end_t for lap in trace.truth.laps]
            assert info.lap_marks_t == pytest.approx(ends, abs=6e-4)

    def test_the_same_plan_gives_the_same_bytes_and_the_summary_tells_them(self, club, name, tmp_path):
        once, again = tmp_path / "once", tmp_path / "again"
        for folder in (once, again):
            folder.mkdir()
            summary = simulate_to_file(club, SPARSE, name, folder / "drive")
            assert summary.size_bytes == (folder / "drive").stat().st_size
            assert summary.samples == pytest.approx(summary.duration_s * SPARSE.rate_hz, abs=2)
            assert [lap.kind for lap in summary.truth.laps] == ["out", "flying", "in"]
        assert (again / "drive").read_bytes() == (once / "drive").read_bytes()

    def test_a_hole_in_the_fix_leaves_the_rest_readable(self, club, name, tmp_path):
        trace = true_drive(club, SPARSE)
        path = tmp_path / f"hole{WRITTEN[name].suffix}"
        info = recording_info(club, SPARSE, name, path, trace.truth)
        write_recording(name, path, info, map(without_a_fix, sense(trace, SPARSE)))
        fixes = [
            (t, values["lat_deg"], values.get("satellites", 0.0))
            for t, values in named(open_recording(path))
            if "lat_deg" in values
        ]
        inside = [fix for fix in fixes if 60.2 <= fix[0] < 69.8]
        assert len([fix for fix in fixes if not 60.0 <= fix[0] < 70.0]) > 100
        # Loggers without blank cells repeat the last position with no satellites; the others leave it out.
        assert all(satellites == 0 for _, _, satellites in inside)
        assert len({lat for _, lat, _ in inside}) <= 1

    @pytest.mark.parametrize("rate_hz", a_few([5.0, 20.0], 1))
    def test_other_rates_and_uneven_steps(self, club, name, rate_hz, tmp_path):
        plan = msgspec.structs.replace(PLAN, rate_hz=rate_hz, sensors=Sensors(uneven_s=0.4 / rate_hz))
        path = tmp_path / f"rate{WRITTEN[name].suffix}"
        count = simulate_to_file(club, plan, name, path).samples
        times = [t for t, _ in named(open_recording(path))]
        assert len(times) == pytest.approx(count, abs=2)
        assert times == sorted(times)


def test_an_unknown_format_is_refused(club, tmp_path):
    with pytest.raises(SimulationError, match="no format 'ld'; there are vbo, gpx"):
        simulate_to_file(club, PLAN, "ld", tmp_path / "x")
    assert not Path(tmp_path / "x").exists()
