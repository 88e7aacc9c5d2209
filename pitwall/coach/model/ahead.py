"""What forecasts say of the way to a place, as seen from the frames that follow them."""

from __future__ import annotations

import msgspec

from pitwall.coach.cue import Tier
from pitwall.coach.model.forecast import Forecast, seconds_to_way

# A forecast comes every 0.1 s of the data: older than three of them, the network is late.
FRESH_S = 0.35
# A band wider than this knows less than the rules, which err by a tenth to the early side.
TIGHT_S = 0.6


class Ahead(msgspec.Struct, gc=False):
    """The last forecast (None: there is none, and `missing` says why), `since_s` later.

    The present fix is `fix_age_s` old and lies `driven_m` past the place from which the forecast was made
    (less than 0: before it). Distances and times are counted from that fix."""

    forecast: Forecast | None
    missing: str = ""
    since_s: float = 0.0
    driven_m: float = 0.0
    fix_age_s: float = 0.0

    def judge(self, distance_m: float, rules_s: float) -> tuple[float, Tier, str]:
        """Seconds to count on for so many metres, who says so, and what the ledger is told of it. Where the
        forecast is late, wide or too short, or was no better than the rules so far, theirs stand."""
        forecast, way_m = self.forecast, distance_m + self.driven_m
        if forecast is None:
            return rules_s, "rule", f"no forecast: {self.missing}"
        if not 0.0 <= self.since_s <= FRESH_S:
            return rules_s, "rule", f"no forecast in time: the last is {self.since_s:.1f} s old"
        if not forecast.better:
            return rules_s, "rule", ""
        # One car in twenty is there sooner than that, and one in twenty later.
        soon_s = seconds_to_way(forecast.way_high_m, way_m)
        late_s = seconds_to_way(forecast.way_low_m, way_m)
        if not late_s - soon_s <= TIGHT_S:  # beyond its reach both are inf, and the difference is none
            return rules_s, "rule", ""
        left_s = soon_s - self.since_s + self.fix_age_s
        return left_s, "litert", f"timed by the forecast: {left_s:.2f} s, by the rules {rules_s:.2f}"


def ahead_of(forecast: Forecast, t: float, place_m: float, fix_age_s: float, length_m: float) -> Ahead:
    """A forecast as seen at `t` from a fix at `place_m` of a track of `length_m`."""
    half_m = length_m / 2.0
    driven_m = (place_m - forecast.place_m + half_m) % length_m - half_m
    return Ahead(forecast, "", t - forecast.t, driven_m, fix_age_s)
