"""The canonical signals: the one table of names, units, signs and limits that every source is mapped to.

Signs: `g_lat` is positive in a left-hand turn, `g_long` is positive when accelerating, `steering_deg` and
`yaw_rate_dps` are positive to the left (ISO 8855: x forward, y left, z up). Longitude is positive east.
"""

from __future__ import annotations

import msgspec


class Signal(msgspec.Struct, frozen=True):
    """One canonical signal and what can be believed of it.

    `low`/`high`: readings outside are out of range. `max_step_per_s`: a faster change is an implausible jump
    (None: may jump). `stale_after_s`: older readings have no confidence. `stuck_after_s`: unchanged for so
    long while the car moves is a dead sensor (None: may rest for ever). `sentinels`: loggers' "no value".
    """

    name: str
    unit: str
    low: float
    high: float
    max_step_per_s: float | None
    stale_after_s: float
    stuck_after_s: float | None
    meaning: str
    sentinels: tuple[float, ...] = ()


CANONICAL: tuple[Signal, ...] = (
    Signal("lat_deg", "deg", -90.0, 90.0, None, 0.5, None, "WGS84 latitude, north positive"),
    Signal("lon_deg", "deg", -180.0, 180.0, None, 0.5, None, "WGS84 longitude, east positive"),
    Signal("altitude_m", "m", -500.0, 6000.0, None, 2.0, None, "height above sea level or ellipsoid"),
    # 3.5 g: more than tyres and wings of club racing give, less than the 4 g spikes of a lost fix.
    Signal("speed_mps", "m/s", 0.0, 120.0, 35.0, 0.5, None, "speed over ground from GNSS"),
    Signal("heading_deg", "deg", 0.0, 360.0, None, 0.5, None, "course over ground, clockwise from north"),
    Signal("satellites", "", 0.0, 64.0, None, 2.0, None, "satellites used in the fix"),
    # No step limit on accelerometers: a kerb is a true step of 2 g in one row.
    Signal("g_lat", "g", -4.0, 4.0, None, 0.5, 10.0, "lateral acceleration, positive turning left"),
    Signal("g_long", "g", -4.0, 4.0, None, 0.5, 10.0, "longitudinal acceleration, positive accelerating"),
    # Karts spin at 300 deg/s.
    Signal("yaw_rate_dps", "deg/s", -450.0, 450.0, 3000.0, 0.5, 10.0, "yaw rate, positive turning left"),
    # A reversing car's wheels may count down; a locking wheel stops from any speed in a tenth of a second.
    Signal("wheel_speed_mps", "m/s", -15.0, 120.0, 600.0, 0.5, 10.0, "speed from the wheels or the dash"),
    Signal(
        "steering_deg",
        "deg",
        -900.0,
        900.0,
        3000.0,
        0.5,
        20.0,
        "steering wheel, positive left",
        (-1024.0, 1024.0, -32768.0, 32767.0),
    ),
    Signal("brake_bar", "bar", -2.0, 250.0, 5000.0, 0.5, 60.0, "brake line pressure", (-1.0e6,)),
    Signal("brake_pct", "%", -10.0, 115.0, None, 0.5, 120.0, "brake pedal or switch, 0 released"),
    # Pedals drift past their calibration; 255 and 127.5 are no pedal.
    Signal("throttle_pct", "%", -10.0, 115.0, None, 0.5, 30.0, "throttle or accelerator pedal"),
    # A clutchless shift drops 3000 rpm in 50 ms; ignition noise doubles the reading for a row.
    Signal("rpm", "1/min", 0.0, 22000.0, 60000.0, 0.5, 10.0, "engine speed"),
    Signal("gear", "", -1.0, 10.0, None, 1.0, 120.0, "gear, 0 neutral, -1 reverse", (255.0, 254.0)),
    Signal("coolant_c", "degC", -40.0, 160.0, 10.0, 10.0, None, "coolant temperature"),
    Signal("oil_temp_c", "degC", -40.0, 200.0, 10.0, 10.0, None, "oil temperature"),
    Signal("oil_bar", "bar", -0.5, 15.0, None, 5.0, None, "oil pressure"),
    Signal("lap_number", "", 0.0, 9999.0, None, 2.0, None, "the logger's own lap counter"),
)

SIGNALS: dict[str, Signal] = {signal.name: signal for signal in CANONICAL}
SIGNAL_INDEX: dict[str, int] = {signal.name: index for index, signal in enumerate(CANONICAL)}
