"""The way to a place as forecasts have it, as seen from the frames that follow them."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from pitwall.coach.cue import Tier
from pitwall.coach.model.features import WAY_AT_S
from pitwall.coach.model.forecast import Forecast, seconds_to_way

# A forecast comes every 0.1 s of the data: older than three of them, the network is late.
FRESH_S = 0.35
# A band wider than this knows less than the rules, which err by a tenth to the early side.
TIGHT_S = 0.6
# So much of the way behind its last second may be counted as the rules do.
BEYOND_S = 2.5
REACH_S = WAY_AT_S[-1]


class Ahead(msgspec.Struct, gc=False):
    """The last forecast, `since_s` later. None where there is none: `missing` says why, or it is late ("").

    The present fix is `fix_age_s` old and lies `driven_m` past the place from which the forecast was made
    (less than 0: before it). Distances and times are counted from that fix."""

    forecast: Forecast | None
    missing: str = ""
    since_s: float = 0.0
    driven_m: float = 0.0
    fix_age_s: float = 0.0

    def judge(
        self, distance_m: float, rules: Callable[[float], float], waited_s: float
    ) -> tuple[float, Tier, str]:
        """Seconds to count on for so many metres, who says so, and what the ledger is told of it. Where the
        forecast is late, wide or too short, or was no better than the rules so far, `rules` decide: seconds
        to a distance, of the same fix. `waited_s`: how long it was to be expected."""
        forecast, rules_s = self.forecast, rules(distance_m)
        if forecast is None:
            late = "no forecast came in time" if waited_s > FRESH_S else ""
            return rules_s, "rule", f"no forecast: {self.missing}" if self.missing else late
        if not 0.0 <= self.since_s <= FRESH_S:
            return rules_s, "rule", f"no forecast in time: the last is {self.since_s:.1f} s old"
        soon_s = self._soon_s(forecast, distance_m, rules, rules_s) if forecast.better else None
        if soon_s is None:
            return rules_s, "rule", ""
        left_s = soon_s - self.since_s + self.fix_age_s
        return left_s, "litert", f"timed by the forecast: {left_s:.2f} s, by the rules {rules_s:.2f}"

    def _soon_s(
        self, forecast: Forecast, distance_m: float, rules: Callable[[float], float], rules_s: float
    ) -> float | None:
        """From the forecast on, the seconds of the one car in twenty that is there soonest."""
        reach_m = forecast.way_high_m[-1]
        way_m = min(distance_m + self.driven_m, reach_m)
        soon_s = seconds_to_way(forecast.way_high_m, way_m)
        if _latest_s(forecast, way_m) - soon_s > TIGHT_S:
            return None
        if distance_m + self.driven_m <= reach_m:
            return soon_s
        beyond_s = rules_s - rules(reach_m - self.driven_m)
        return soon_s + beyond_s if 0.0 <= beyond_s <= BEYOND_S else None


def _latest_s(forecast: Forecast, way_m: float) -> float:
    """When one car in twenty has not driven so far yet; behind the last second it goes on as in that."""
    *_, before_m, last_m = forecast.way_low_m
    if way_m <= last_m:
        return seconds_to_way(forecast.way_low_m, way_m)
    speed_mps = (last_m - before_m) / (WAY_AT_S[-1] - WAY_AT_S[-2])
    return REACH_S + (way_m - last_m) / speed_mps if speed_mps > 0.0 else math.inf


def ahead_of(forecast: Forecast, t: float, place_m: float, fix_age_s: float, length_m: float) -> Ahead:
    """A forecast as seen at `t` from a fix at `place_m` of a track of `length_m`."""
    half_m = length_m / 2.0
    driven_m = (place_m - forecast.place_m + half_m) % length_m - half_m
    return Ahead(forecast, "", t - forecast.t, driven_m, fix_age_s)
