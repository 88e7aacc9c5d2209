"""Sensors: rates, holes, noise and latency come out as they were asked for."""

import math
from itertools import pairwise

import msgspec
import pytest
from long_runs import a_few

from pitwall.simulator.plan import Sensors, SimulationError, SimulationPlan
from pitwall.simulator.sensors import CHANNELS, sense
from pitwall.simulator.simulate import simulate, simulate_to_file
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.signals import SIGNALS
from pitwall.telemetry.survey import survey

CLEAN = Sensors(gps_noise_m=0.0, speed_noise_mps=0.0, g_noise=0.0)


def column(samples, name):
    return [sample.values[CHANNELS.index(name)] for sample in samples]


def sensed(driven, plan, **sensors):
    quiet = msgspec.structs.replace(CLEAN, **sensors)
    return list(sense(driven, msgspec.structs.replace(plan, sensors=quiet)))


@pytest.fixture(scope="module")
def clean(driven, plan):
    return sensed(driven, plan)


@pytest.mark.parametrize("rate_hz", a_few([1.0, 10.0, 18.0, 25.0, 100.0], 2))
def test_the_rate_is_as_asked(driven, plan, rate_hz):
    samples = list(sense(driven, msgspec.structs.replace(plan, rate_hz=rate_hz)))
    steps = [b.t - a.t for a, b in pairwise(samples)]
    assert min(steps) >= 1 / rate_hz - 0.0011
    assert max(steps) <= 1 / rate_hz + 0.0011
    assert samples[-1].t == pytest.approx(driven.truth.duration_s, abs=1 / rate_hz)


def test_every_value_is_within_the_limits_of_its_signal(club, plan):
    for sample in simulate(club, plan):
        for name, value in zip(CHANNELS, sample.values, strict=True):
            assert SIGNALS[name].low <= value <= SIGNALS[name].high, (name, sample.t)


def test_all_signals_of_a_drive_agree_with_its_fixes(club, plan, tmp_path):
    """Signs, units, and what belongs together: else the judge of real recordings would find it."""
    simulate_to_file(club, plan, "journal", tmp_path / "drive.pwj")
    seen = survey(open_recording(tmp_path / "drive.pwj"))
    assert all(each.trusted_share is None or each.trusted_share > 0.98 for each in seen.channels)
    assert not {each.kind for each in seen.findings} & {"wrong_sign", "scale", "bias", "lag", "out_of_range"}


def test_clean_samples_are_the_truth(driven, clean):
    for sample in clean[::97]:
        state = driven.at(sample.t)
        lat, lon = driven.projection.lat_lon(state.x_m, state.y_m)
        assert sample.values[:2] == pytest.approx((lat, lon), abs=1e-12)
        assert sample.values[3] == state.speed_mps


def test_gps_noise_wanders_slowly_by_the_metres_asked(driven, plan, clean):
    noisy = sensed(driven, plan, gps_noise_m=1.5)
    north = driven.projection.metres_per_deg_lat
    error_m = [
        (b - a) * north for a, b in zip(column(clean, "lat_deg"), column(noisy, "lat_deg"), strict=True)
    ]
    rms = math.sqrt(sum(e * e for e in error_m) / len(error_m))
    assert 0.5 < rms < 3.0
    steps = [b - a for a, b in pairwise(error_m)]
    assert math.sqrt(sum(s * s for s in steps) / len(steps)) < 0.3, "a fix does not jump from row to row"


def test_uneven_steps_and_holes_never_run_backwards(driven, plan):
    samples = sensed(driven, plan, uneven_s=0.09, dropouts_per_min=6.0, dropout_s=2.0)
    steps = [b.t - a.t for a, b in pairwise(samples)]
    assert min(steps) > 0
    assert len({round(step, 3) for step in steps}) > 20
    assert 2 <= sum(step > 1.9 for step in steps) <= 60


def test_latency_makes_the_car_or_the_fix_late(driven, plan, clean):
    late = sensed(driven, plan, can_latency_s=0.3)
    assert column(late, "brake_bar")[3:] == pytest.approx(column(clean, "brake_bar")[:-3], abs=1e-6)
    assert column(late, "lat_deg") == column(clean, "lat_deg")
    late = sensed(driven, plan, gps_latency_s=0.2)
    assert column(late, "speed_mps")[2:] == pytest.approx(column(clean, "speed_mps")[:-2], abs=1e-6)


def test_a_slow_can_bus_repeats_its_values(driven, plan):
    samples = sensed(driven, plan, can_rate_hz=2.0)
    rpm = column(samples, "rpm")
    moving = [i for i, sample in enumerate(samples) if 20.0 < sample.t < 60.0]
    changes = sum(rpm[i] != rpm[i - 1] for i in moving)
    assert changes == pytest.approx(2.0 * 40.0, abs=4)


def test_only_the_channels_asked_for_are_recorded(club):
    plan = SimulationPlan(laps=1, sensors=Sensors(channels=("lat_deg", "lon_deg", "speed_mps")))
    assert {len(sample.values) for sample in simulate(club, plan)} == {3}
    with pytest.raises(SimulationError, match="no channel 'flux'"):
        simulate(club, SimulationPlan(laps=1, sensors=Sensors(channels=("flux",))))
