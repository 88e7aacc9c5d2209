"""The canonical signals: the one table of names, units, signs and limits for every source.

Signs: `g_lat` is positive in a left-hand turn, `g_long` when accelerating, `steering_deg` and
`yaw_rate_dps` to the left (ISO 8855). Longitude is positive east. A new signal is a row here, a
field of `Frame` at the same place, and a column of the store's `frames`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

# The kinds of source whose loss is reported.
SourceKind = Literal["gps", "imu", "can"]
Dimension = Literal[
    "angle", "length", "speed", "count", "acceleration", "rate", "pressure", "ratio", "rotation",
    "temperature",
]  # fmt: skip


class Work(NamedTuple):
    """The car's work by GPS, that shows a dead sensor: s above walking pace, m/s, deg turned."""

    moving_s: float = 0.0
    speed_mps: float = 0.0
    turn_deg: float = 0.0


class Signal(msgspec.Struct, frozen=True, kw_only=True):
    """A canonical signal and its limits.

    `dimension`: of units that convert to `unit`. `max_step_per_s`: a faster change is a jump (None:
    may jump), but `step_floor` is always allowed. `stale_after_s`: older readings have no
    confidence. `sentinels`: loggers' "no value". `stuck_after_s`: unchanged this long while the car
    does `stuck_work`, it is dead (None: may rest for ever). `of_fix`: of the receiver of the
    position; `needs_fix`: untrue without a fix. `shaken`: is smoothed. `kind`: the kind of source
    whose loss it shows.
    """

    name: str
    unit: str
    dimension: Dimension
    low: float
    high: float
    meaning: str
    stale_after_s: float = 0.5
    max_step_per_s: float | None = None
    step_floor: float = 0.0
    stuck_after_s: float | None = None
    stuck_work: Work | None = None
    sentinels: tuple[float, ...] = ()
    of_fix: bool = False
    needs_fix: bool = False
    shaken: bool = False
    kind: SourceKind | None = None


CANONICAL: tuple[Signal, ...] = (
    Signal(
        name="lat_deg", unit="deg", dimension="angle", low=-90.0, high=90.0, of_fix=True, needs_fix=True,
        kind="gps", meaning="WGS84 latitude, north positive",
    ),
    Signal(
        name="lon_deg", unit="deg", dimension="angle", low=-180.0, high=180.0, of_fix=True, needs_fix=True,
        kind="gps", meaning="WGS84 longitude, east positive",
    ),
    Signal(
        name="altitude_m", unit="m", dimension="length", low=-500.0, high=6000.0, stale_after_s=2.0,
        of_fix=True, meaning="height above sea level or ellipsoid",
    ),
    # 3.5 g: more than tyres and wings of club racing give, less than the 4 g spikes of a lost fix.
    Signal(
        name="speed_mps", unit="m/s", dimension="speed", low=0.0, high=120.0, max_step_per_s=35.0,
        step_floor=0.15, of_fix=True, needs_fix=True, meaning="speed over ground from GNSS",
    ),
    Signal(
        name="heading_deg", unit="deg", dimension="angle", low=0.0, high=360.0, of_fix=True, needs_fix=True,
        meaning="course over ground, clockwise from north",
    ),
    Signal(
        name="satellites", unit="", dimension="count", low=0.0, high=64.0, stale_after_s=2.0, of_fix=True,
        meaning="satellites used in the fix",
    ),
    # No step limit on accelerometers: a kerb is a true step of 2 g in one row.
    Signal(
        name="g_lat", unit="g", dimension="acceleration", low=-4.0, high=4.0, stuck_after_s=10.0,
        stuck_work=Work(turn_deg=180.0), shaken=True, kind="imu",
        meaning="lateral acceleration, positive turning left",
    ),
    Signal(
        name="g_long", unit="g", dimension="acceleration", low=-4.0, high=4.0, stuck_after_s=10.0,
        stuck_work=Work(speed_mps=30.0), shaken=True, kind="imu",
        meaning="longitudinal acceleration, positive accelerating",
    ),
    # Karts spin at 300 deg/s.
    Signal(
        name="yaw_rate_dps", unit="deg/s", dimension="rate", low=-450.0, high=450.0, max_step_per_s=3000.0,
        step_floor=100.0, stuck_after_s=10.0, stuck_work=Work(turn_deg=180.0), shaken=True, kind="imu",
        meaning="yaw rate, positive turning left",
    ),
    # A reversing car's wheels may count down; a locking wheel stops from any speed in a tenth of a
    # second.
    Signal(
        name="wheel_speed_mps", unit="m/s", dimension="speed", low=-15.0, high=120.0, max_step_per_s=600.0,
        step_floor=3.0, stuck_after_s=10.0, stuck_work=Work(speed_mps=20.0), kind="can",
        meaning="speed from the wheels or the dash",
    ),
    Signal(
        name="steering_deg", unit="deg", dimension="angle", low=-900.0, high=900.0, max_step_per_s=3000.0,
        step_floor=20.0, stuck_after_s=20.0, stuck_work=Work(turn_deg=360.0),
        sentinels=(-1024.0, 1024.0, -32768.0, 32767.0), kind="can", meaning="steering wheel, positive left",
    ),
    Signal(
        name="brake_bar", unit="bar", dimension="pressure", low=-2.0, high=250.0, max_step_per_s=5000.0,
        step_floor=20.0, stuck_after_s=60.0, stuck_work=Work(speed_mps=300.0), sentinels=(-1000000.0,),
        kind="can", meaning="brake line pressure",
    ),
    Signal(
        name="brake_pct", unit="%", dimension="ratio", low=-10.0, high=115.0, stuck_after_s=120.0,
        stuck_work=Work(speed_mps=400.0), kind="can", meaning="brake pedal or switch, 0 released",
    ),
    # Pedals drift past their calibration; 255 and 127.5 are no pedal.
    Signal(
        name="throttle_pct", unit="%", dimension="ratio", low=-10.0, high=115.0, stuck_after_s=30.0,
        stuck_work=Work(speed_mps=200.0), kind="can", meaning="throttle or accelerator pedal",
    ),
    # A clutchless shift drops 3000 rpm in 50 ms; ignition noise doubles the reading for a row.
    Signal(
        name="rpm", unit="1/min", dimension="rotation", low=0.0, high=22000.0, max_step_per_s=60000.0,
        step_floor=4000.0, stuck_after_s=10.0, stuck_work=Work(speed_mps=30.0), kind="can",
        meaning="engine speed",
    ),
    Signal(
        name="gear", unit="", dimension="count", low=-1.0, high=10.0, stale_after_s=1.0,
        stuck_after_s=120.0, stuck_work=Work(speed_mps=600.0), sentinels=(255.0, 254.0), kind="can",
        meaning="gear, 0 neutral, -1 reverse",
    ),
    Signal(
        name="coolant_c", unit="degC", dimension="temperature", low=-40.0, high=160.0, max_step_per_s=10.0,
        step_floor=15.0, stale_after_s=10.0, meaning="coolant temperature",
    ),
    Signal(
        name="oil_temp_c", unit="degC", dimension="temperature", low=-40.0, high=200.0, max_step_per_s=10.0,
        step_floor=15.0, stale_after_s=10.0, meaning="oil temperature",
    ),
    Signal(
        name="oil_bar", unit="bar", dimension="pressure", low=-0.5, high=15.0, stale_after_s=5.0,
        meaning="oil pressure",
    ),
    Signal(
        name="lap_number", unit="", dimension="count", low=0.0, high=9999.0, stale_after_s=2.0,
        meaning="the logger's own lap counter",
    ),
)  # fmt: skip

SIGNALS: dict[str, Signal] = {signal.name: signal for signal in CANONICAL}
SIGNAL_INDEX: dict[str, int] = {signal.name: index for index, signal in enumerate(CANONICAL)}
# What is not true without a fix. Height and the sensors stay.
NEEDS_FIX: tuple[str, ...] = tuple(signal.name for signal in CANONICAL if signal.needs_fix)
