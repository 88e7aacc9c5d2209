"""Which laps and passes count as evidence: the one place that decides, for every room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pitwall.diagnosis.passes import RoadPass
from pitwall.track.lap import Lap

# A lap this much slower than the best one before it tells nothing of its driver, unless another of
# the laps since was like it: traffic, a yellow flag, cooling down, a spin. Laps of amateurs lie 5 %
# apart.
OFF_PACE, ALIKE = 1.055, 0.005
# Laps so far apart are of different days: rain, another tyre. This many in a row make the new
# measure; two are what cold tyres cost behind the pits.
OTHER_DAY, OTHER_DAY_LAPS = 1.06, 3
# A pass that loses so much to the best one is traffic, an off or a yellow flag, and no technique.
NO_ATTEMPT_S, NO_ATTEMPT_SHARE = 2.0, 0.2


def why_lap_is_left_out(lap: Lap, before_s: Sequence[float], after_s: Sequence[float] = ()) -> str:
    """Why a lap is no evidence, "" where it is.

    Only a flying lap is: `track.timing` calls one `broken` that was cut short or has a hole in its
    positions or its clock, `in` and `out` what touches the pits, and a person one of `traffic` or
    `yellow`. `before_s` and `after_s` are the times of the flying laps before and after it, in
    their order; the car knows the first only.
    """
    if lap.kind != "flying" or lap.time_s is None:
        return lap.reason or f"no flying lap: {lap.kind}"
    if not before_s or lap.time_s <= OFF_PACE * (best_s := min(before_s)):
        return ""
    others_s = (*before_s[before_s.index(best_s) + 1 :], *after_s)
    if is_driven_again(lap.time_s, others_s):
        return ""
    return f"{lap.time_s - best_s:.1f} s off the best"


def is_driven_again(time_s: float, others_s: Iterable[float]) -> bool:
    """Return whether one of these laps was as fast."""
    return any(abs(other_s - time_s) < ALIKE * time_s for other_s in others_s)


def is_other_day(times_s: Sequence[float]) -> bool:
    """Return whether the last laps of a drive are all so much slower than its best one, and alike:
    there is less grip than there was, and what was driven with more is no measure any more."""
    last_s = times_s[-OTHER_DAY_LAPS:]
    before_s = times_s[:-OTHER_DAY_LAPS]
    if len(last_s) < OTHER_DAY_LAPS or not before_s:
        return False
    return min(last_s) > OTHER_DAY * min(before_s) and max(last_s) < OTHER_DAY * min(last_s)


def why_pass_is_left_out(own: RoadPass, best_s: float) -> str:
    """Why a pass is no evidence against the best time of its segment, "" where it is. A pass with a
    hole, a jump of the position or a stop in it is never cut, so that there is none."""
    over_s = own.time_s - best_s
    if over_s > max(NO_ATTEMPT_S, NO_ATTEMPT_SHARE * best_s):
        return f"{over_s:+.1f} s: traffic, an off or a yellow flag"
    return ""


def counted(passes: Iterable[RoadPass], laps: Sequence[Lap]) -> list[RoadPass]:
    """Return the passes of a whole drive that count, in their order."""
    flying_s = {lap.number: lap.time_s for lap in laps if lap.kind == "flying" and lap.time_s is not None}
    numbers = sorted(flying_s)
    times_s = [flying_s[number] for number in numbers]
    left_out: set[int] = set()
    for lap in laps:
        at = numbers.index(lap.number) if lap.number in flying_s else 0
        if why_lap_is_left_out(lap, times_s[:at], times_s[at + 1 :]):
            left_out.add(lap.number)
    known = {lap.number for lap in laps}
    kept = [each for each in passes if each.lap in known and each.lap not in left_out]
    best_s: dict[int, float] = {}
    for each in kept:
        best_s[each.segment] = min(each.time_s, best_s.get(each.segment, each.time_s))
    return [each for each in kept if not why_pass_is_left_out(each, best_s[each.segment])]
