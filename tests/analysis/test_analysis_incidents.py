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


def test_a_spin_by_yaw_rate():
    drive = driven(during(20.0, 21.5, yaw_rate_dps=140.0, speed_mps=9.0), signals=("g_lat", "yaw_rate_dps"))
    (spin,) = find_incidents(drive)
    assert (spin.kind, spin.lap, spin.t) == ("spin", 1, 20.0)
    assert spin.evidence["peak_yaw_rate_dps"] == 140.0
    assert spin.evidence["least_speed_mps"] == 9.0


def test_an_excursion_says_how_far_it_went():
    (off,) = find_incidents(driven(during(30.0, 32.0, status="off", offset_m=-17.0)))
    assert (off.kind, off.evidence) == ("off track", {"furthest_from_line_m": 17.0})
    assert off.duration_s == pytest.approx(1.9, abs=0.06)


def test_a_blow_is_two_readings_and_one_is_a_lost_fix():
    assert find_incidents(driven(during(30.0, 30.05, g_lat=4.0))) == []
    (blow,) = find_incidents(driven(during(30.0, 30.15, g_lat=-3.5)))
    assert blow.kind == "blow"
    assert blow.evidence["peak_g"] == pytest.approx(3.5, abs=0.05)


def test_spikes_of_a_real_logger_are_no_blows(store, drive):
    row = drive(faults=(Fault(signal="g_lat", kind="spike", amount=3.0),), laps=2)
    assert report_on(Facts(store), row).incidents == ()


def turns(t: float, fields: dict[str, object]) -> None:
    """Half a circle within a second, and on as before."""
    if 20.0 <= t < 21.0:
        fields.update(heading_deg=(200.0 + 180.0 * (t - 20.0)) % 360.0, speed_mps=12.0)
    elif t >= 21.0:
        fields["heading_deg"] = (380.0 + 10.0 * (t - 21.0)) % 360.0


OFF = during(10.0, 12.0, status="off", offset_m=-17.0)
BRAKES, STANDS = during(39.0, 40.0, speed_mps=15.0), during(40.0, 60.0, speed_mps=0.0)
HIT = during(30.0, 30.15, g_lat=-3.5)
ON_THE_WAY_OUT = (during(10.0, 12.0, status="off", offset_m=-25.0), during(15.0, 15.15, g_lat=-3.5))
ON_THE_WAY_IN = (
    during(40.0, 42.0, status="off", offset_m=-25.0), during(45.0, 45.15, g_lat=-3.5),
    during(57.0, 60.0, speed_mps=0.0),
)  # fmt: skip
# What is changed in a steady drive, how it was driven otherwise, and the kinds of incidents that it shows.
SHOWN: dict[str, tuple[tuple[Change, ...], dict[str, object], list[str]]] = {
    "a steady drive": ((), {}, []),
    "a spin by the way over ground": ((turns,), {}, ["spin"]),
    "a fix a second shows no excursion and no spin": ((OFF, turns), {"rate_hz": 1}, []),
    "a wheel over the kerb": ((during(30.0, 30.3, status="off"),), {}, []),
    "the paddock": ((during(0.0, 12.0, status="off"),), {}, []),
    "an excursion": ((OFF,), {}, ["off track"]),
    # A line that nobody followed is another layout's, or a drawn one.
    "no other lap was on the road there": ((OFF, during(40.0, 42.0, status="off", offset_m=-20.0)), {}, []),
    "a stop from speed": ((BRAKES, STANDS), {}, ["sudden stop"]),
    "no car stops within a tenth of a second": ((STANDS,), {}, []),
    "it stops in every lap": (
        (BRAKES, STANDS, during(9.0, 10.0, speed_mps=15.0), during(10.0, 15.0, speed_mps=0.0)), {}, []),
    "it was slow before": ((during(20.0, 40.0, speed_mps=15.0), STANDS), {}, []),
    "a pit stop": ((during(38.0, 60.0, status="pit", speed_mps=0.0),), {}, []),
    "nothing counts on the way out": (ON_THE_WAY_OUT, {"kinds": ("out", "flying")}, []),
    "but in a lap": (ON_THE_WAY_OUT, {}, ["off track", "blow"]),
    "nothing counts on a way home that ends standing": (ON_THE_WAY_IN, {"kinds": ("flying", "in")}, []),
    "but in another lap": (ON_THE_WAY_IN, {}, ["off track", "blow"]),
    "a blow": ((HIT,), {}, ["blow"]),
    # A channel that GPS refutes serves for a moment now and then (a lean angle named as acceleration).
    "forces of GPS alone are no blow": (
        (HIT, during(0.0, 29.0, g_from_gps=True), during(31.0, 60.0, g_from_gps=True)), {}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_drive_shows(name: str):
    changes, otherwise, kinds = SHOWN[name]
    assert [each.kind for each in find_incidents(driven(*changes, **otherwise))] == kinds
