"""What each value is worth, and what can be done with what there is."""

from __future__ import annotations

import pytest
from long_runs import a_few
from sonoma_streams import CAR, GPS, IMU, Rates, samples, session, stream

from pitwall.daemon.conditions import NEEDS, available
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.sample import Sample
from pitwall.telemetry.signals import CANONICAL, SIGNALS

ALL = (GPS, CAR, IMU)


def driven(until_t: float, ids: tuple[int, ...] = ALL, silent: int = -1, from_t: float = 60.0) -> Fusion:
    """A drive up to `until_t`, in which one stream falls silent."""
    fusion = Fusion([stream(id) for id in ids])
    for sample in samples(session(), Rates()):
        if sample.t > until_t:
            break
        if sample.stream in ids and not (sample.stream == silent and sample.t >= from_t):
            fusion.feed(sample)
    return fusion


def test_a_sound_drive_can_do_all_that_its_sensors_allow() -> None:
    fusion = driven(70.0)
    found = available(fusion, 70.0)
    assert set(found) == {need.name for need in NEEDS}
    missing = {name for name, capability in found.items() if not capability.available}
    assert missing == {"coolant_warning", "oil_warning", "oil_pressure_warning"}
    assert found["coolant_warning"].reason == "coolant_c: no source has it"
    assert found["braking_calls"].uses == ("lat_deg", "lon_deg", "speed_mps", "brake_bar")
    assert "brake_bar or brake_pct or g_long" in found["braking_calls"].needs
    for need in NEEDS:
        assert all(signal in SIGNALS for group in need.signals for signal in group)


def test_every_signal_has_its_source_and_age_and_a_confidence() -> None:
    fusion = driven(70.0)
    for signal in CANONICAL:
        found = fusion.provenance(signal.name, 70.0)
        assert 0.0 <= found.confidence <= 1.0
        assert (found.value is None) == (found.confidence == 0.0)
        if found.value is None:
            assert found.reason
        else:
            assert found.source
            assert found.age_s < 0.2
    assert fusion.provenance("rpm").source == f"source {CAR}"
    assert fusion.provenance("g_lat").source == f"source {IMU}"
    with pytest.raises(KeyError):
        fusion.provenance("tyre_c")


def test_a_lost_bus_ends_braking_and_throttle_calls_and_nothing_else() -> None:
    lost = available(driven(61.0, silent=CAR), 61.0)
    assert not lost["braking_calls"].available
    assert not lost["throttle_calls"].available
    assert not lost["rpm"].available
    assert lost["throttle_calls"].reason == "throttle_pct: no reading for 1.0 s"
    for name in ("timing", "delta", "corner_calls", "g", "dead_reckoning"):
        assert lost[name].available, name


def test_a_car_without_a_bus_brakes_by_its_deceleration() -> None:
    found = available(driven(60.0, ids=(GPS, IMU)), 60.0)
    assert found["braking_calls"].uses[-1] == "g_long"
    found = available(driven(60.0, ids=(GPS,)), 60.0)
    assert found["braking_calls"].available
    assert found["g"].reason == "g_lat: no source has it; g_long: no source has it"
    assert found["g"].confidence == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("hole_s", "timing"), a_few([(3.0, True), (5.5, False), (1.0, True), (60.0, False)], 2)
)
def test_without_gps_the_place_is_reckoned_and_loses_confidence_until_it_has_none(
    hole_s: float, timing: bool
) -> None:
    fusion = driven(60.0 + hole_s, silent=GPS)
    found = available(fusion, 60.0 + hole_s)
    assert found["timing"].available == timing
    assert found["speed"].available
    place, speed = fusion.provenance("lat_deg"), fusion.provenance("speed_mps")
    assert speed.source == "wheels and acceleration" or hole_s < 0.5
    if timing:
        assert place.source == f"source {GPS}, carried on by yaw rate"
        assert place.confidence < fusion_at(60.0).provenance("lat_deg").confidence
    else:
        assert place.value is None
        assert "no fix for" in place.reason


def fusion_at(t: float) -> Fusion:
    return driven(t)


def test_signals_alone_are_not_enough_and_the_reason_names_what_is_missing() -> None:
    fusion = driven(70.0)
    silent = "no sound output"
    found = available(
        fusion, 70.0, conditions={"track": "", "sound": silent, "phrases": "they are being rendered"}
    )
    assert found["timing"].available
    assert not found["braking_calls"].available
    assert found["braking_calls"].reason == f"phrases: they are being rendered; sound: {silent}"
    unknown = available(fusion, 70.0, conditions={"track": "no known track is recognised here"})
    off = {name for name, capability in unknown.items() if "no known track" in capability.reason}
    assert off == {
        "timing", "map", "delta", "corner_calls", "braking_calls", "throttle_calls",
    }  # fmt: skip
    assert all("track" in unknown[name].needs and not unknown[name].available for name in off)


def test_a_dead_channel_says_why() -> None:
    fusion = Fusion([stream(id) for id in ALL])
    for sample in samples(session(), Rates()):
        if sample.t > 140.0:
            break
        if sample.stream == CAR:
            sample = Sample(CAR, sample.t, (*sample.values[:2], 37.0, *sample.values[3:]))
        fusion.feed(sample)
    found = fusion.provenance("throttle_pct")
    assert found.value is None
    assert found.dead
    assert "stuck" in found.reason
    assert not available(fusion, 140.0)["throttle_calls"].available


def test_a_value_fades_with_its_age() -> None:
    fusion = driven(60.0, silent=CAR, from_t=59.8)
    fresh, old = fusion.provenance("rpm", 59.8), fusion.provenance("rpm", 60.1)
    assert fresh.confidence > 0.9
    assert 0.5 < old.confidence < fresh.confidence
    assert fusion.provenance("rpm", 60.4).confidence == 0.0
