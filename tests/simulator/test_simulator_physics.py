"""The simulated car obeys its tyres, its engine and its hills."""

import math

import msgspec
import pytest

from pitwall.simulator.car import G_MPS2, M3, CarModel
from pitwall.simulator.plan import Driver, SimulationError, SimulationPlan
from pitwall.simulator.trace import TrueDrive, true_drive

# Every change of pedal is rounded over 12 m, in which the limits themselves move a little.
ROUNDING = 1.02
FULL = Driver(grip_use=1.0, throttle_use=1.0, variation=0.0)
# Like a Rotax kart: one gear, no front brakes.
KART = CarModel(
    name="kart (simulated)", mass_kg=165.0, power_w=17_000.0, drag_kgpm=0.38, grip_lat=1.7, grip_brake=1.0,
    grip_drive=0.8, engine_brake_g=0.1, top_speed_mps=36.0, gears=(1.0,), final_drive=6.6,
    wheel_radius_m=0.135, shift_rpm=14_000.0, peak_rpm=11_500.0, idle_rpm=1800.0, brake_bar_per_g=45.0,
    wheelbase_m=1.05, steering_ratio=1.2, understeer_deg_per_g=0.0,
)  # fmt: skip


def flying(trace: TrueDrive) -> list[float]:
    return [lap.time_s for lap in trace.truth.laps if lap.time_s is not None]


def forces(trace: TrueDrive):
    """(longitudinal tyre force per mass, lateral acceleration, speed) at each station."""
    car, line = trace.car, trace.line
    for i, step_m in enumerate(line.step_m):
        w = (trace.speed_mps[i] ** 2 + trace.speed_mps[i + 1] ** 2) / 2
        along = (trace.speed_mps[i + 1] ** 2 - trace.speed_mps[i] ** 2) / (2 * step_m)
        across = w * (line.curvature[i] + line.curvature[i + 1]) / 2
        yield along + car.drag_mps2(w) + G_MPS2 * line.grade[i], across, math.sqrt(w)


@pytest.mark.parametrize("car", [M3, KART], ids=["m3", "kart"])
def test_tyres_stay_inside_the_friction_ellipse(club, car):
    trace = true_drive(club, SimulationPlan(car=car, driver=FULL, laps=1))
    used = [
        math.hypot(along / (car.grip_brake if along < 0 else car.grip_drive), across / car.grip_lat) / G_MPS2
        for along, across, _ in forces(trace)
    ]
    assert max(used) <= ROUNDING
    assert max(used) > 0.97, "a driver who uses all the grip should reach the limit somewhere"


def test_the_engine_gives_no_more_than_its_power(club):
    trace = true_drive(club, SimulationPlan(driver=FULL, laps=1))
    power = [along * M3.mass_kg * speed for along, _, speed in forces(trace)]
    assert max(power) <= M3.power_w * ROUNDING
    assert max(power) > 0.9 * M3.power_w


def test_the_session_begins_and_ends_at_rest_and_never_stops_between(driven):
    assert driven.speed_mps[0] == driven.speed_mps[-1] == 0.0
    assert min(driven.speed_mps[1:-1]) > 0.0
    assert driven.at(0.0).speed_mps == 0.0
    assert driven.at(driven.truth.duration_s).speed_mps == 0.0


def change(**changes: float) -> CarModel:
    return msgspec.structs.replace(M3, **changes)


@pytest.mark.parametrize(
    ("slower", "faster"),
    [
        (change(grip_lat=1.0, grip_brake=1.0, grip_drive=0.55), M3),
        (change(power_w=150_000.0), M3),
        (change(mass_kg=1900.0), M3),
        (change(drag_kgpm=0.9), M3),
        (M3, change(downforce_kgpm=1.5)),
    ],
    ids=["grip", "power", "mass", "drag", "downforce"],
)
def test_lap_time_moves_the_right_way(club, slower, faster):
    times = [
        flying(true_drive(club, SimulationPlan(car=car, driver=FULL, laps=1)))[0] for car in (slower, faster)
    ]
    assert times[0] > times[1] + 0.1


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"laps": 0}, "0 flying laps"),
        ({"rate_hz": 0.0}, "rate of 0 Hz"),
        ({"driver": Driver(grip_use=1.5)}, "grip_use"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(club, changed, says):
    with pytest.raises(SimulationError, match=says):
        true_drive(club, SimulationPlan(**changed))


def test_a_track_that_is_no_circuit_is_refused(club):
    short = msgspec.structs.replace(club, centreline=club.centreline[:4])
    with pytest.raises(SimulationError, match="at least 8 points"):
        true_drive(short, SimulationPlan())
