"""Spins, excursions, blows and stops, in drives put together by hand, moment by moment."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from pitwall.analysis.drive import Drive
from pitwall.analysis.incidents import find_incidents
from pitwall.analysis.study import Moments
from pitwall.store.queries import SessionRow
from pitwall.track.lap import Lap, LapKind

ROW = SessionRow(
    id="by-hand", kind="live", source_name="", source_digest="", track="", format="", start_utc_s=None,
    created_utc_s=1.7e9, closed_utc_s=1.7e9, samples=0, complete=True, laps=1, best_lap_s=None, driver="",
    vehicle="", venue="", app_version="", notes="",
)  # fmt: skip
RATE_HZ = 20
LAP_S, USUAL_MPS = 30.0, 30.0
Change = Callable[[float, dict[str, object]], None]


def driven(
    *changes: Change,
    signals: tuple[str, ...] = ("g_lat",),
    kinds: tuple[LapKind, ...] = ("flying", "flying", "flying", "flying"),
    slow_laps: tuple[int, ...] = (3,),
    rate_hz: int = RATE_HZ,
) -> Drive:
    """Two minutes of steady bends at 30 m/s, laps of 900 m; lap 3, from 60 s on, is the one to change."""
    rows = []
    for i in range(int(LAP_S * len(kinds)) * rate_hz):
        t = i / rate_hz
        fields: dict[str, object] = dict.fromkeys(Moments.__struct_fields__)
        fields |= {
            "t": t, "distance_m": t * USUAL_MPS % 900.0, "offset_m": 0.5 + 0.001 * (i % 600), "status": "on",
            "speed_mps": USUAL_MPS,
            "g_from_gps": False,
            "heading_deg": (t * 10.0) % 360.0, "g_lat": math.sin(t), "g_long": 0.2 * math.cos(t),
        }  # fmt: skip
        for change in changes:
            change(t, fields)
        rows.append(fields)
    moments = Moments(**{name: [row[name] for row in rows] for name in Moments.__struct_fields__})
    laps = tuple(
        Lap(n, kind, LAP_S * (n - 1), LAP_S * n, LAP_S + 5.0 * (n in slow_laps))
        for n, kind in enumerate(kinds, 1)
    )
    return Drive(ROW, None, laps, (), {}, moments, signals)


def during(begin: float, end: float, **values: object) -> Change:
    def change(t: float, fields: dict[str, object]) -> None:
        if begin <= t < end:
            fields.update(values)

    return change


def test_a_spin_by_yaw_rate():
    turns = during(70.0, 71.5, yaw_rate_dps=140.0, speed_mps=9.0)
    (spin,) = find_incidents(driven(turns, signals=("g_lat", "yaw_rate_dps")))
    assert (spin.kind, spin.lap, spin.t) == ("spin", 3, 70.0)
    assert spin.evidence["least_speed_mps"] == 9.0


def test_an_off_says_how_far_it_went():
    (off,) = find_incidents(driven(during(70.0, 74.0, status="off", offset_m=-17.0, speed_mps=12.0)))
    assert off.kind == "off track"
    assert off.evidence["furthest_outside_m"] == pytest.approx(17.5, abs=0.6)
    assert off.evidence["least_share_of_usual_speed"] == pytest.approx(0.4)
    assert off.duration_s == pytest.approx(4.0, abs=0.06)


def test_a_blow_is_two_readings_and_one_is_a_lost_fix():
    assert find_incidents(driven(during(70.0, 70.05, g_lat=4.0))) == []
    (blow,) = find_incidents(driven(during(70.0, 70.15, g_lat=-3.5)))
    assert blow.kind == "blow"
    assert blow.evidence["peak_g"] == pytest.approx(3.5, abs=0.05)


def turns_at(speed_mps: float) -> Change:
    """Half a circle within a second, and on as before."""

    def change(t: float, fields: dict[str, object]) -> None:
        if 70.0 <= t < 72.0:
            fields.update(heading_deg=(700.0 + 180.0 * min(t - 70.0, 1.0)) % 360.0, speed_mps=speed_mps)

    return change


WIDE, SLOW = during(70.0, 74.0, offset_m=-17.0), during(70.0, 74.0, speed_mps=12.0)
OFF = during(70.0, 74.0, offset_m=-17.0, speed_mps=12.0, status="off")
STOPS, PARKS = during(70.0, 75.0, speed_mps=3.0), during(70.0, 120.0, speed_mps=0.0)
HIT = during(70.0, 70.15, g_lat=-3.5)
# What is changed in a steady drive, how it was driven otherwise, and the kinds of incidents that it shows.
SHOWN: dict[str, tuple[tuple[Change, ...], dict[str, object], list[str]]] = {
    "a steady drive": ((), {}, []),
    "a spin by the way over ground": ((turns_at(12.0),), {}, ["spin"]),
    # The receiver jumped.
    "a turn at full speed is no spin": ((turns_at(30.0),), {}, []),
    "a fix a second shows no off and no spin": ((OFF, turns_at(12.0)), {"rate_hz": 1}, []),
    "an off": ((OFF,), {}, ["off track"]),
    # The matcher takes it for an undrawn pit lane.
    "an off far from the road": ((OFF, during(71.0, 74.0, status="pit")), {"kinds": (
        "flying", "flying", "in", "flying")}, ["off track"]),
    "wide at full speed is a line, or a map": ((WIDE,), {}, []),
    "slow on the road is traffic": ((SLOW,), {}, []),
    "a near stop on the road": ((STOPS,), {}, ["sudden stop"]),
    "a lap home into the paddock": ((during(70.0, 120.0, offset_m=-17.0, speed_mps=12.0),), {}, []),
    "through the pits": ((during(60.0, 100.0, offset_m=-25.0, speed_mps=12.0, status="pit"),), {}, []),
    "parked": ((PARKS,), {}, []),
    "turned round to park": ((turns_at(12.0), during(72.0, 120.0, speed_mps=0.0)), {}, []),
    # Every lap drives there: the line on the map is another layout's.
    "slow and wide in all laps": (
        tuple(during(30.0 * n + 10.0, 30.0 * n + 14.0, offset_m=-17.0, speed_mps=12.0) for n in range(4)), {},
        []),
    "stops where every lap all but stops, as at a crossing": (
        (*(during(30.0 * n + 10.0, 30.0 * n + 12.0, speed_mps=5.0) for n in range(4)),
         during(70.0, 72.5, speed_mps=0.5)), {}, []),
    "a recording that begins beside the road": ((during(1.0, 6.0, offset_m=-17.0, speed_mps=12.0),), {}, []),
    "nothing counts with one lap to compare with": ((OFF,), {"kinds": ("out", "out", "flying", "in")}, []),
    "a knock in a lap": ((HIT,), {}, ["blow"]),
    "none on the way out": ((HIT,), {"kinds": ("flying", "flying", "out", "flying")}, []),
    # A channel that GPS refutes serves for a moment now and then (a lean angle named as acceleration).
    "forces of GPS alone are no knock": (
        (HIT, during(0.0, 69.0, g_from_gps=True), during(71.0, 120.0, g_from_gps=True)), {}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_drive_shows(name: str):
    changes, otherwise, kinds = SHOWN[name]
    assert [each.kind for each in find_incidents(driven(*changes, **otherwise))] == kinds
