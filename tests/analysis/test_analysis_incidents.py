"""Spins, excursions, blows and stops, in drives put together by hand, moment by moment."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from stored_facts import report_on

from pitwall.analysis.drive import Drive, Moments
from pitwall.analysis.incidents import find_incidents
from pitwall.analysis.port import Facts
from pitwall.simulator.plan import Fault
from pitwall.store.queries import SessionRow
from pitwall.track.lap import Lap, LapKind

ROW = SessionRow(
    id="by-hand", kind="live", source_name="", source_digest="", track="", format="", start_utc_s=None,
    created_utc_s=1.7e9, closed_utc_s=1.7e9, samples=0, complete=True, laps=1, best_lap_s=None, driver="",
    vehicle="", venue="", app_version="", notes="",
)  # fmt: skip
RATE_HZ = 20
Change = Callable[[float, dict[str, object]], None]


def driven(
    *changes: Change,
    signals: tuple[str, ...] = ("g_lat",),
    kinds: tuple[LapKind, LapKind] = ("flying", "flying"),
    rate_hz: int = RATE_HZ,
) -> Drive:
    """A minute of steady bends at 30 m/s, two laps of 900 m, changed moment by moment."""
    rows = []
    for i in range(60 * rate_hz):
        t = i / rate_hz
        fields: dict[str, object] = dict.fromkeys(Moments.__struct_fields__)
        fields |= {
            "t": t, "distance_m": t * 30.0 % 900.0, "offset_m": 0.5 + 0.001 * i, "status": "on",
            "speed_mps": 30.0,
            "g_from_gps": False,
            "heading_deg": (t * 10.0) % 360.0, "g_lat": math.sin(t), "g_long": 0.2 * math.cos(t),
        }  # fmt: skip
        for change in changes:
            change(t, fields)
        rows.append(fields)
    moments = Moments(**{name: [row[name] for row in rows] for name in Moments.__struct_fields__})
    laps = tuple(Lap(n, kinds[n - 1], 30.0 * (n - 1), 30.0 * n, 30.0) for n in (1, 2))
    return Drive(ROW, None, laps, (), {}, moments, signals)


def during(begin: float, end: float, **values: object) -> Change:
    def change(t: float, fields: dict[str, object]) -> None:
        if begin <= t < end:
            fields.update(values)

    return change


def test_a_steady_drive_has_no_incident():
    assert find_incidents(driven()) == []


def test_a_spin_by_yaw_rate():
    drive = driven(during(20.0, 21.5, yaw_rate_dps=140.0, speed_mps=9.0), signals=("g_lat", "yaw_rate_dps"))
    (spin,) = find_incidents(drive)
    assert (spin.kind, spin.lap, spin.t) == ("spin", 1, 20.0)
    assert spin.evidence["peak_yaw_rate_dps"] == 140.0
    assert spin.evidence["least_speed_mps"] == 9.0


def test_a_spin_by_the_way_over_ground():
    def turns(t: float, fields: dict[str, object]) -> None:
        if 20.0 <= t < 21.0:
            fields.update(heading_deg=(200.0 + 180.0 * (t - 20.0)) % 360.0, speed_mps=12.0)
        elif t >= 21.0:
            fields["heading_deg"] = (380.0 + 10.0 * (t - 21.0)) % 360.0

    kinds = [each.kind for each in find_incidents(driven(turns))]
    assert kinds == ["spin"]


def test_an_excursion_says_how_far_it_went():
    (off,) = find_incidents(driven(during(30.0, 32.0, status="off", offset_m=-17.0)))
    assert (off.kind, off.evidence) == ("off track", {"furthest_from_line_m": 17.0})
    assert off.duration_s == pytest.approx(1.9, abs=0.06)


def test_a_wheel_over_the_kerb_and_the_paddock_are_no_excursion():
    assert find_incidents(driven(during(30.0, 30.3, status="off"))) == []
    assert find_incidents(driven(during(0.0, 12.0, status="off"))) == []


def test_a_blow_is_two_readings_and_one_is_a_lost_fix():
    assert find_incidents(driven(during(30.0, 30.05, g_lat=4.0))) == []
    (blow,) = find_incidents(driven(during(30.0, 30.15, g_lat=-3.5)))
    assert blow.kind == "blow"
    assert blow.evidence["peak_g"] == pytest.approx(3.5, abs=0.05)


def test_spikes_of_a_real_logger_are_no_blows(store, drive):
    row = drive(faults=(Fault(signal="g_lat", kind="spike", amount=3.0),), laps=2)
    assert report_on(Facts(store), row).incidents == ()


def test_a_stop_from_speed_counts_and_a_pit_stop_does_not():
    braking, standing = during(39.0, 40.0, speed_mps=15.0), during(40.0, 60.0, speed_mps=0.0)
    (stop,) = find_incidents(driven(braking, standing))
    assert stop.kind == "sudden stop"
    assert stop.evidence["from_speed_mps"] == 30.0
    assert find_incidents(driven(standing)) == []  # no car stops within a tenth of a second
    again = (during(9.0, 10.0, speed_mps=15.0), during(10.0, 15.0, speed_mps=0.0))
    assert find_incidents(driven(braking, standing, *again)) == []  # it stops in every lap
    slow = during(20.0, 40.0, speed_mps=15.0)
    assert find_incidents(driven(slow, during(40.0, 60.0, speed_mps=0.0))) == []
    assert find_incidents(driven(during(38.0, 60.0, status="pit", speed_mps=0.0))) == []


OFF = during(10.0, 12.0, status="off", offset_m=-17.0)


def test_an_excursion_needs_another_lap_that_was_on_the_road_there():
    """A line that nobody followed is another layout's, or a drawn one."""
    assert [each.t for each in find_incidents(driven(OFF))] == [10.0]
    assert find_incidents(driven(OFF, during(40.0, 42.0, status="off", offset_m=-20.0))) == []


@pytest.mark.parametrize("kinds", [("out", "flying"), ("flying", "in")])
def test_nothing_counts_on_the_way_out_and_on_a_way_home_that_ends_standing(kinds):
    begin = 10.0 if kinds[0] == "out" else 40.0
    trouble = (
        during(begin, begin + 2.0, status="off", offset_m=-25.0),
        during(begin + 5.0, begin + 5.15, g_lat=-3.5),
        during(57.0, 60.0, speed_mps=0.0) if kinds[1] == "in" else during(0.0, 0.0),
    )
    assert find_incidents(driven(*trouble, kinds=kinds)) == []
    assert find_incidents(driven(*trouble)) != []


def test_a_fix_a_second_shows_no_excursion_and_no_spin():
    def turns(t: float, fields: dict[str, object]) -> None:
        fields["heading_deg"] = 180.0 * (t >= 20.0)

    assert find_incidents(driven(OFF, turns, rate_hz=1)) == []


def test_forces_of_gps_alone_are_no_blow():
    """A channel that GPS refutes serves for a moment now and then (a lean angle named as acceleration)."""
    hit = during(30.0, 30.15, g_lat=-3.5)
    rests = during(0.0, 29.0, g_from_gps=True)
    assert [each.kind for each in find_incidents(driven(hit))] == ["blow"]
    assert find_incidents(driven(hit, rests, during(31.0, 60.0, g_from_gps=True))) == []
