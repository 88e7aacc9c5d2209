"""Each judgement: the fault is found in the time stated, and nothing is found where nothing is wrong."""

from __future__ import annotations

import math

import pytest
from driven import GPS, SENSORS, Drive, Row, rows, stream, wiggle
from long_runs import some

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.quality import SignalJudge
from pitwall.telemetry.signals import CANONICAL, SIGNAL_INDEX


@pytest.mark.parametrize("hz", [1.0, 10.0, 25.0, 100.0])
def test_a_healthy_drive_with_a_stop_is_believed_to_the_last_reading(hz: float) -> None:
    drive = Drive(rows(150.0, hz, stop=(60.0, 100.0)))
    assert drive.found == {}
    assert drive.distrusted == {}
    assert all(f.lat_deg is not None and f.g_lat is not None and not f.g_from_gps for f in drive.frames)


def test_a_parked_car_is_believed() -> None:
    drive = Drive(rows(300.0, 10.0, stop=(-100.0, 1000.0)))
    assert (drive.found, drive.distrusted) == ({}, {})


def test_a_kart_without_pedals_is_believed() -> None:
    drive = Drive(rows(90.0), (*GPS, "g_lat", "g_long", "rpm"))
    assert drive.found == {}
    assert all(f.throttle_pct is None and f.rpm is not None for f in drive.frames)


def test_an_oval_at_full_throttle_in_one_gear_is_no_dead_pedal() -> None:
    def flat_out(t: float, row: Row) -> None:
        v = 75.0 + 1.5 * math.sin(t / 4.0)
        row.update(throttle_pct=100.0, gear=6.0, brake_bar=0.0, speed_mps=v, wheel_speed_mps=v)
        # 0.2 g through an endless bend; nothing here is compared with positions.
        row.update(lat_deg=None, lon_deg=None, heading_deg=None, g_lat=None, g_long=None, yaw_rate_dps=None)
        row.update(steering_deg=None, rpm=7000.0 + 50.0 * wiggle(t, 1))

    assert Drive(rows(400.0, 10.0), fault=flat_out).found == {}


def _set(name: str, value: float | None, from_s: float = 30.0, to_s: float = math.inf) -> object:
    def fault(t: float, row: Row) -> None:
        if from_s <= t < to_s:
            row[name] = value

    return fault


def _freeze(name: str) -> object:
    kept: list[float | None] = []

    def fault(t: float, row: Row) -> None:
        if t >= 30.0:
            kept.append(row[name])
            row[name] = kept[0]

    return fault


def _change(name: str, scale: float, offset: float, from_s: float = 30.0, to_s: float = math.inf) -> object:
    def fault(t: float, row: Row) -> None:
        value = row[name]
        if from_s <= t < to_s and value is not None:
            row[name] = value * scale + offset

    return fault


@pytest.mark.parametrize(
    ("fault", "kind", "signal", "within_s"),
    some(
        [
            (_set("steering_deg", -1024.0), "sentinel", "steering_deg", 0.0),
            (_set("gear", 255.0), "sentinel", "gear", 0.0),
            (_set("rpm", 65535.0), "out_of_range", "rpm", 0.0),
            (_set("coolant_c", math.nan), "out_of_range", "coolant_c", 0.0),
            (_freeze("g_lat"), "stuck", "g_lat", 25.0),
            (_freeze("g_long"), "stuck", "g_long", 25.0),
            (_freeze("rpm"), "stuck", "rpm", 15.0),
            (_freeze("wheel_speed_mps"), "stuck", "wheel_speed_mps", 15.0),
            (_freeze("steering_deg"), "stuck", "steering_deg", 50.0),
            (_freeze("throttle_pct"), "stuck", "throttle_pct", 110.0),
            (_freeze("brake_bar"), "stuck", "brake_bar", 160.0),
            (_change("g_lat", -1.0, 0.0), "wrong_sign", "g_lat", 40.0),
            (_change("g_long", -1.0, 0.0), "wrong_sign", "g_long", 40.0),
            (_change("yaw_rate_dps", -1.0, 0.0), "wrong_sign", "yaw_rate_dps", 40.0),
            (_change("steering_deg", -1.0, 0.0), "wrong_sign", "steering_deg", 40.0),
            (_change("g_long", 0.9, -0.25), "bias", "g_long", 60.0),
            (_change("g_lat", 1.0, 0.4), "bias", "g_lat", 40.0),
            (_change("yaw_rate_dps", 1.0, -12.0), "bias", "yaw_rate_dps", 40.0),
            (_change("g_lat", 2.5, 0.0), "scale", "g_lat", 40.0),
            (_change("g_lat", 0.3, 0.0), "scale", "g_lat", 60.0),
            (_change("wheel_speed_mps", 1.609, 0.0), "scale", "wheel_speed_mps", 60.0),
            (_change("wheel_speed_mps", 0.5, 0.0), "scale", "wheel_speed_mps", 60.0),
        ],
        8,
    ),
)
def test_a_lasting_fault_is_found_and_the_signal_not_used(
    fault: object, kind: str, signal: str, within_s: float
) -> None:
    drive = Drive(rows(30.0 + within_s + 60.0), fault=fault)  # type: ignore[arg-type]
    found = drive.found[(kind, signal)]  # type: ignore[index]
    assert found.count > 0
    assert 30.0 <= found.first_t <= 30.0 + within_s + 1e-6
    assert set(drive.distrusted) == {signal}
    last = drive.frames[-1]
    if signal in ("g_lat", "g_long"):
        assert last.g_from_gps
    elif signal == "gear":
        assert last.gear == 2.0 + (last.speed_mps or 0.0) // 10  # from rpm and speed, as the channel taught
    else:
        assert getattr(last, signal) is None


def test_a_sentinel_twice_in_two_seconds_costs_two_good_seconds() -> None:
    fault = _set("steering_deg", -1024.0, to_s=31.0)
    away = Drive(rows(60.0), fault=fault).distrusted["steering_deg"]
    assert away[0] == 30.0
    assert 32.9 <= away[-1] <= 33.0


def test_one_bad_reading_costs_that_reading_alone() -> None:
    def fault(t: float, row: Row) -> None:
        if t == 30.0:
            row["rpm"] = 60000.0
            row["speed_mps"] = (row["speed_mps"] or 0.0) + 0.04 * 4.0 * 9.81 + 0.1
            row["coolant_c"] = 130.0

    drive = Drive(rows(60.0), fault=fault)
    assert drive.distrusted == {"rpm": [30.0], "speed_mps": [30.0], "coolant_c": [30.0]}
    assert {("out_of_range", "rpm"), ("jump", "speed_mps"), ("jump", "coolant_c")} == set(drive.found)


def test_a_crash_is_believed_in_a_third_of_a_second() -> None:
    tallies = FindingLog()
    judge = SignalJudge(stream(("speed_mps",)), tallies)
    held: list[float | None] = [None] * len(CANONICAL)
    believed = []
    for i in range(100):
        bad: list[int] = []
        judge.judge(i / 10.0, (40.0 if i < 50 else 0.0,), held, bad)
        believed.append(held[SIGNAL_INDEX["speed_mps"]])
    assert believed[49:54] == [40.0, None, None, None, 0.0]
    assert believed[54:] == [0.0] * 46


def test_a_sensor_put_right_is_believed_again() -> None:
    fault = _change("g_lat", -1.0, 0.0, 0.0, 60.0)
    away = Drive(rows(240.0), fault=fault).distrusted["g_lat"]
    assert 10.0 <= away[0] <= 30.0
    assert away[-1] < 200.0


def test_a_stuck_sensor_that_moves_again_is_back_after_two_seconds() -> None:
    away = Drive(rows(90.0), fault=_set("rpm", 3000.0, 0.0, 60.0)).distrusted["rpm"]
    assert away[0] < 20.0
    assert 61.9 <= away[-1] <= 62.6


@pytest.mark.parametrize("every", [2, 3])
def test_channels_slower_than_their_rows_are_named_and_still_used(every: int) -> None:
    names = ("steering_deg", "brake_bar", "throttle_pct", "rpm")
    kept: Row = {}

    def fault(t: float, row: Row) -> None:
        if round(t * 25) % every == 0:
            kept.update({n: row[n] for n in names})
        row.update({n: kept[n] for n in names})

    drive = Drive(rows(120.0), fault=fault)
    assert {("slow_channel", "steering_deg"), ("slow_channel", "rpm")} <= set(drive.found)
    assert {kind for kind, _ in drive.found} == {"slow_channel"}
    rate_hz = float(drive.found[("slow_channel", "rpm")].detail.split()[3])
    assert rate_hz == pytest.approx(25.0 / every, rel=0.05)
    assert drive.distrusted == {}


def test_a_value_drawn_over_a_hole_is_not_believed() -> None:
    def fault(t: float, row: Row) -> None:
        if 30.0 <= t < 60.0:
            row["throttle_pct"] = round(80.0 - 0.7 * (t - 30.0), 5)

    drive = Drive(rows(90.0), fault=fault)
    away = drive.distrusted["throttle_pct"]
    assert 34.0 <= away[0] <= 35.5
    assert 61.0 <= away[-1] <= 63.0
    assert set(drive.found) == {("stale", "throttle_pct")}


@pytest.mark.parametrize("name", SENSORS)
def test_a_blank_channel_is_neither_distrusted_nor_in_the_frames(name: str) -> None:
    drive = Drive(rows(60.0, 10.0), fault=_set(name, None, 0.0))
    assert drive.distrusted == {}
    assert drive.found == {}
    if name not in ("g_lat", "g_long"):
        assert all(getattr(f, name) is None for f in drive.frames)
