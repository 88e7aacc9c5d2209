"""The fused state of the car at one instant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import msgspec

# Two fixes closer in time than this are one: whatever takes frames passes over the second.
FIX_STEP_S = 1e-4
# A stored place is evidence up to this age: with a live bus each fix is as old as its receiver is
# late, and a place reckoned over so short a time is as good.
PLACE_AGE_S = 0.25


class Frame(msgspec.Struct, gc=False):
    """An instant. A signal without confidence is None, and a rule that needs it is off.

    Units and signs: `pitwall.telemetry.signals`. `t`: seconds of session time, never backwards.
    `fix_age_s`: the last fix's age at `t`; the position is of `t - fix_age_s`, unless `reckoned`
    (see Reckoned). `jumped`: the way to this fix is unknown (see Jumped). `g_lat`, `g_long`: from
    the source's sensor while GPS agrees with it, else from GPS (`g_from_gps`).
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
        """Return when its last fix was measured. With a live bus a fix comes behind the bus's
        readings: a frame is of a new fix where this is later than before, not where the age is
        0."""
        return self.t - self.fix_age_s


class Reckoned(Frame, gc=False):
    """A frame between fixes: the position of `t`, carried on from the fix of `t - fix_age_s` by
    speed and turning. Nothing is timed and no place is found by it: only a fix is evidence."""

    reckoned: ClassVar[bool] = True


class Jumped(Frame, gc=False):
    """The first frame of a place that the car cannot have driven to since the last fix: the
    position is right, the way there is unknown."""

    jumped: ClassVar[bool] = True


def frame_of(
    kind: type[Frame], t: float, values: Sequence[float | None], fix_age_s: float, g_from_gps: bool
) -> Frame:
    """Build a frame of the canonical signals in the order of `signals.CANONICAL`, that of the
    fields."""
    make: Callable[..., Frame] = kind
    return make(t, *values, fix_age_s, g_from_gps)
