"""The fused state of the car at one instant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import msgspec

# Two fixes closer in time than this are one.
FIX_STEP_S = 1e-4
# A stored place is evidence up to this age: a live fix is as old as its receiver is late.
PLACE_AGE_S = 0.25


class Frame(msgspec.Struct, gc=False):
    """An instant. A signal without confidence is None.

    Units and signs: `pitwall.telemetry.signals`. `t`: seconds of session time, never backwards. The
    position is of `t - fix_age_s`, unless `reckoned`. `g_lat`, `g_long`: of the source's sensor
    while GPS agrees with it, else of GPS (`g_from_gps`).
    """

    reckoned: ClassVar[bool] = False
    jumped: ClassVar[bool] = False

    t: float
    lat_deg: float | None = None
    lon_deg: float | None = None
    altitude_m: float | None = None
    speed_mps: float | None = None
    heading_deg: float | None = None
    satellites: float | None = None
    g_lat: float | None = None
    g_long: float | None = None
    yaw_rate_dps: float | None = None
    wheel_speed_mps: float | None = None
    steering_deg: float | None = None
    brake_bar: float | None = None
    brake_pct: float | None = None
    throttle_pct: float | None = None
    rpm: float | None = None
    gear: float | None = None
    coolant_c: float | None = None
    oil_temp_c: float | None = None
    oil_bar: float | None = None
    lap_number: float | None = None
    fix_age_s: float = 0.0
    g_from_gps: bool = False

    @property
    def fix_t(self) -> float:
        """Return when its last fix was measured; a later one than before makes a frame one of a new
        fix."""
        return self.t - self.fix_age_s


class Reckoned(Frame, gc=False):
    """A frame between fixes: the place of `t`, carried on by speed and turning. It is no
    evidence."""

    reckoned: ClassVar[bool] = True


class Jumped(Frame, gc=False):
    """The first frame of a place that the car can't have driven to since the last fix."""

    jumped: ClassVar[bool] = True


def frame_of(
    kind: type[Frame], t: float, values: Sequence[float | None], fix_age_s: float, g_from_gps: bool
) -> Frame:
    """Build a frame; `values` in the order of `signals.CANONICAL`."""
    make: Callable[..., Frame] = kind
    return make(t, *values, fix_age_s, g_from_gps)
