"""A driver's technique in one pass of a corner: pedals, speeds, line and gear, each with its place.

A `Technique` is measured once, after the corner's run. Two of the same corner and sources can be
compared: the difference is what the driver did differently.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

import msgspec

from pitwall.telemetry.frame import Frame
from pitwall.track.braking import BRAKING_G, BrakeReading, whole_braking

NAN = float("nan")
# Closer readings add nothing: a foot moves in a quarter of a second.
LEAST_STEP_S = 0.035
# The right foot: below this off the pedal (a sensor rests at a few per cent), above this flat.
OFF_PCT, OPEN_PCT, FLAT_PCT = 8.0, 20.0, 90.0
# The throttle is lifted again where it closes by so much after it was opened.
LIFTED_PCT = 20.0
# Without a pedal's signal: a gain of this much is power, a loss of this much after it is not.
DRIVEN_G, LIFTED_G = 0.05, -0.05
# A car is on its way out when it has gained so much: ten times what GPS speed is uncertain by.
GAINED_MPS = 1.0
# Lateral g at the slowest point is averaged this far before and after: half a second.
SLOWEST_M = 8.0
# The lateral g that a fifth of a corner's readings exceed.
CORNER_SHARE = 0.8
# A pedal is used when it is held for so long.
HELD_S = 0.25
# A throttle that closes for less than this closes for a gear change.
SHIFT_S = 0.5
# A half-lifted foot on a straight for this long is a lift; a straight has less lateral g than this;
# the end of the run after a corner.
LONG_LIFT_S, HALF_PCT, RUNS_STRAIGHT_G, LAST_RUN_M = 0.8, 50.0, 0.3, 50.0
# A car at this lateral g can't have more throttle; a wait that ends this shortly before the brakes
# is for them.
HELD_IN_G, JUST_BEFORE_S = 0.5, 1.0
# A car turns in where it bends for half of its most lateral acceleration.
TURNED_IN = 0.5
# Steering that turns back by this many degrees and on again is a correction.
CORRECTION_DEG = 6.0
# A wheel turned out of a corner by this much, at this lateral g, catches a slide.
CAUGHT_DEG, CAUGHT_G = 5.0, 0.4
# In the trace, readings of this much before the corner's braking belong to the pass.
LEAD_IN_M = 50.0
# The first reading may lie so much behind the start of the brake zone.
LATE_M = 10.0
# A step this long, and this many times the usual one, is a hole in the pass.
HOLE_S, HOLE_STEPS = 0.45, 2.5


class Technique(msgspec.Struct, frozen=True, kw_only=True):
    """A pass of one corner. Places are metres ahead of the corner's entry (negative: before it);
    None is what the source can't tell. Offsets are metres towards the inside of the corner; that of
    `leaving` is measured halfway from the apex to the exit.

    `brake_m`: where the brakes came on, with the first of two bites; `brake_g`: the deceleration
    that the braking reached; `bites`: how often the brakes were pressed; `dabs`: how often they
    were let go for that on the straight; `coast_s`: seconds on neither pedal before the brakes came
    on, or up to the apex where they did not; `roll_s`: the same between the brakes and the apex;
    `lift_pct`: the least throttle up to the apex; `pickup_m`: where the throttle opened for good,
    `flat_m`: where it was flat again; `gain_m`: where the car had gained speed again; `lifts`: how
    often the throttle closed again from the apex on; `drive_pct`: how far it was open from the apex
    to the end of the run, on average; `corner_g`: the lateral acceleration that the corner was
    driven with, `slowest_g` that of its slowest point; `steering_deg`: how far the wheel was turned
    into the corner for a good part of it; `caught_s`: seconds with the wheel turned out of it;
    `waited_s`: seconds on neither pedal right before the brakes, from the last corner's apex on,
    where the car is not cornering; `both_s`: the longest time on both pedals at once; `lifted_m`:
    where the throttle closed for long on the straight before, and opened again; `spare_pct`: how
    far it was not open at the end of a run that is straight.
    """

    time_s: float
    start_mps: float
    entry_mps: float
    slowest_mps: float
    slowest_m: float
    exit_mps: float
    end_mps: float
    brake_m: float | None = None
    release_m: float | None = None
    brake_g: float | None = None
    bites: int = 0
    dabs: int = 0
    coast_s: float | None = None
    roll_s: float | None = None
    lift_pct: float | None = None
    pickup_m: float | None = None
    flat_m: float | None = None
    gain_m: float | None = None
    lifts: int = 0
    drive_pct: float | None = None
    turn_in_m: float | None = None
    entry_offset_m: float | None = None
    turning_offset_m: float | None = None
    apex_offset_m: float | None = None
    leaving_offset_m: float | None = None
    exit_offset_m: float | None = None
    corner_g: float | None = None
    slowest_g: float | None = None
    gear: int | None = None
    corrections: int | None = None
    steering_deg: float | None = None
    caught_s: float | None = None
    waited_s: float | None = None
    both_s: float | None = None
    lifted_m: float | None = None
    spare_pct: float | None = None


class Stretch(msgspec.Struct, frozen=True):
    """Places of a corner's run in metres ahead of its entry: start of the brake zone, start of the
    search for braking, apex, exit, end of the run; `inside`: 1.0 for a left corner, -1.0 for a
    right one; `after_m`: the apex of the corner before."""

    start_m: float
    search_m: float
    apex_m: float
    exit_m: float
    end_m: float
    inside: float
    after_m: float = 0.0


class TechniqueTrace:
    """The readings of the last kilometres by unwrapped place. `add` each frame; `measure` a pass."""

    COLUMNS = (
        "t", "far_m", "speed_mps", "g_long", "g_lat", "throttle_pct", "steering_deg", "gear", "offset_m",
    )  # fmt: skip

    def __init__(self) -> None:
        self._columns: dict[str, array[float]] = {name: array("d") for name in self.COLUMNS}
        self._t, self._far_m = self._columns["t"], self._columns["far_m"]

    def add(self, frame: Frame, far_m: float, offset_m: float) -> None:
        """Take one frame at its place; a reading without confidence is NaN."""
        if self._t and frame.t - self._t[-1] < LEAST_STEP_S:
            return
        values = (
            frame.t, far_m, frame.speed_mps, frame.g_long, frame.g_lat, frame.throttle_pct,
            frame.steering_deg, frame.gear, offset_m,
        )  # fmt: skip
        for column, value in zip(self._columns.values(), values, strict=True):
            column.append(NAN if value is None else value)

    def forget(self, before_m: float = float("inf")) -> None:
        """Drop what was read before this place."""
        count = bisect_left(self._far_m, before_m)
        for column in self._columns.values():
            del column[:count]

    def measure(
        self,
        stretch: Stretch,
        entry_m: float,
        efforts: Iterable[tuple[float, float, float]],
        brake_m: float | None,
    ) -> Technique | None:
        """Return the pass whose entry lay at `entry_m` of the unwrapped way; None if too little was
        read.

        `efforts`: the pass's brake readings (t, unwrapped place, 0 at rest and 1 at the threshold
        of braking); `brake_m`: where its main braking began, relative to the entry.
        """
        first = bisect_left(self._far_m, entry_m + stretch.search_m)
        last = bisect_left(self._far_m, entry_m + stretch.end_m) + 1
        cut = {name: column[first:last] for name, column in self._columns.items()}
        places = [far_m - entry_m for far_m in cut["far_m"]]
        if len(places) < 5 or places[0] > stretch.start_m + LATE_M:
            return None
        steps = [b - a for a, b in pairwise(cut["t"][max(_index(places, stretch.start_m) - 1, 0) :])]
        if not steps or max(steps) > max(HOLE_S, HOLE_STEPS * median(steps)):
            return None
        speeds = cut["speed_mps"]
        entry, exit_ = _index(places, 0.0), _index(places, stretch.exit_m)
        slowest = min(range(entry, exit_ + 1), key=lambda i: speeds[i])
        start, apex = _index(places, max(stretch.start_m, places[0])), _index(places, stretch.apex_m)
        pedal = _mostly_known(cut["throttle_pct"][start:])
        braked = [
            BrakeReading(t, far_m - entry_m, effort) for t, far_m, effort in efforts if effort == effort
        ]
        brake_m, release_m, let_go = whole_braking(braked, brake_m, places[slowest], LEAD_IN_M)
        inside = stretch.inside
        pickup_m, flat_m = _opened(places, cut, slowest, pedal)
        coast_s, roll_s = _idle_s(cut, places, brake_m, release_m, apex) if pedal else (None, None)
        efforts_at = [(t, effort) for t, _, effort in braked]
        before = self._before(entry_m, stretch, brake_m) if pedal else None
        return Technique(
            time_s=cut["t"][-1] - cut["t"][start],
            start_mps=speeds[start],
            entry_mps=speeds[entry],
            slowest_mps=speeds[slowest],
            slowest_m=places[slowest],
            exit_mps=speeds[exit_],
            end_mps=speeds[-1],
            brake_m=brake_m,
            release_m=release_m,
            brake_g=_brake_g(places, cut["g_long"], brake_m, release_m),
            bites=0 if brake_m is None else 1 + len(let_go),
            dabs=sum(abs(cut["g_lat"][_index(places, place_m)]) < RUNS_STRAIGHT_G for place_m in let_go),
            coast_s=coast_s,
            roll_s=roll_s,
            lift_pct=min(_known(cut["throttle_pct"][start : apex + 1]), default=None) if pedal else None,
            pickup_m=pickup_m,
            flat_m=flat_m,
            lifts=_lifts(cut, min(slowest, apex), exit_, pedal),
            gain_m=_gained(places, speeds, slowest),
            drive_pct=_mean(cut["throttle_pct"][apex:]) if pedal else None,
            turn_in_m=_turn_in(places, cut["g_lat"], start, apex, inside),
            entry_offset_m=_offset(cut["offset_m"], entry, inside),
            turning_offset_m=_offset(cut["offset_m"], _index(places, 0.5 * stretch.apex_m), inside),
            apex_offset_m=_offset(cut["offset_m"], apex, inside),
            leaving_offset_m=_offset(
                cut["offset_m"], _index(places, 0.5 * (stretch.apex_m + stretch.exit_m)), inside
            ),
            exit_offset_m=_offset(cut["offset_m"], exit_, inside),
            corner_g=_good_part(cut["g_lat"][entry : exit_ + 1], inside),
            slowest_g=_slowest_g(places, cut["g_lat"], slowest, inside),
            gear=_gear(cut["gear"], slowest),
            corrections=_corrections(cut["steering_deg"], entry, exit_),
            steering_deg=_good_part(cut["steering_deg"][entry : exit_ + 1], inside),
            caught_s=_caught_s(cut, entry, exit_, inside),
            waited_s=None if before is None else _waited_s(before[0], brake_m),
            both_s=_both_s(cut, start, apex, efforts_at) if pedal and efforts_at else None,
            lifted_m=None if before is None else _lifted_m(*before),
            spare_pct=_spare_pct(cut, places, stretch) if pedal else None,
        )

    def _before(
        self, entry_m: float, stretch: Stretch, brake_m: float | None
    ) -> tuple[dict[str, array[float]], list[float]] | None:
        """The readings from the last corner's apex to the brakes (to the entry, where nobody
        braked)."""
        to_m = min(0.0, brake_m if brake_m is not None else 0.0)
        first = bisect_left(self._far_m, entry_m + min(stretch.after_m, to_m))
        last = bisect_left(self._far_m, entry_m + to_m)
        if last - first < 3:
            return None
        names = ("t", "throttle_pct", "g_lat", "g_long")
        cut = {name: self._columns[name][first:last] for name in names}
        return cut, [far_m - entry_m for far_m in self._far_m[first:last]]


def _index(places: Sequence[float], place_m: float) -> int:
    return min(bisect_left(places, place_m), len(places) - 1)


def _known(values: Sequence[float]) -> list[float]:
    return [value for value in values if value == value]


def _mean(values: Sequence[float]) -> float | None:
    known = _known(values)
    return sum(known) / len(known) if known else None


def _mostly_known(values: Sequence[float]) -> bool:
    return 2 * len(_known(values)) > len(values)


def _brake_g(
    places: list[float], g_long: Sequence[float], brake_m: float | None, release_m: float | None
) -> float | None:
    """The deceleration that the braking reached for a good part of its way, g."""
    if brake_m is None or release_m is None:
        return None
    braked = sorted(
        -g for place, g in zip(places, g_long, strict=True) if g == g and brake_m <= place <= release_m
    )
    return braked[int(0.8 * (len(braked) - 1))] if len(braked) >= 3 else None


def _opened(
    places: list[float], cut: dict[str, array[float]], slowest: int, pedal: bool
) -> tuple[float | None, float | None]:
    """Where the throttle was opened for good after the slowest point, and where it was flat."""
    signal, on, t = _drive(cut, pedal), OPEN_PCT if pedal else DRIVEN_G, cut["t"]
    pickup_m: float | None = None
    since: int | None = None
    for i in range(_opening(signal, on, slowest, pedal), len(places)):
        value = signal[i]
        if value != value:
            continue
        if pickup_m is None:
            since = (i if since is None else since) if value >= on else None
            if since is not None and t[i] - t[since] >= HELD_S:
                pickup_m = places[since]
        elif pedal and value >= FLAT_PCT:
            return pickup_m, places[i]
    return pickup_m, None


def _drive(cut: dict[str, array[float]], pedal: bool) -> array[float]:
    return cut["throttle_pct"] if pedal else cut["g_long"]


def _opening(signal: Sequence[float], on: float, begin: int, pedal: bool) -> int:
    """Search the throttle's opening backwards from the slowest point: many open it before."""
    while pedal and begin > 0 and signal[begin] == signal[begin] and signal[begin] >= on:
        begin -= 1
    return begin


def _lifts(cut: dict[str, array[float]], begin: int, exit_: int, pedal: bool) -> int:
    """Count how often the throttle closed after it was opened, for longer than a gear change.

    It must open again, or close before the corner's exit: a later lift is for the next corner.
    """
    signal, t, g_long = _drive(cut, pedal), cut["t"], cut["g_long"]
    on, off, share = (OPEN_PCT, LIFTED_PCT, 0.25) if pedal else (DRIVEN_G, DRIVEN_G - LIFTED_G, 0.0)
    lifts, most = 0, 0.0
    opened: int | None = None
    closed: int | None = None
    is_open = False
    for i in range(_opening(signal, on, begin, pedal), len(signal)):
        value = signal[i]
        if value != value:
            continue
        if not is_open:
            opened = (i if opened is None else opened) if value >= on else None
            if opened is None or t[i] - t[opened] < HELD_S:
                continue
            is_open, most = True, value
        elif closed is None and value < most - off - share * most:
            closed, most = i, value
        elif closed is not None and value > most + off:
            lifts += t[i] - t[closed] >= SHIFT_S
            closed, most = None, value
        most = max(most, value) if closed is None else min(most, value)
    if closed is not None and closed <= exit_ and t[-1] - t[closed] >= SHIFT_S:
        slowing = _mean(g_long[closed:])
        lifts += slowing is None or slowing > -BRAKING_G
    return lifts


def _gained(places: list[float], speeds: Sequence[float], slowest: int) -> float | None:
    """Where the car was faster again by GAINED_MPS than at its slowest, interpolated."""
    wanted = speeds[slowest] + GAINED_MPS
    for i in range(slowest + 1, len(places)):
        if speeds[i] >= wanted:
            share = (wanted - speeds[i - 1]) / (speeds[i] - speeds[i - 1])
            return places[i - 1] + share * (places[i] - places[i - 1])
    return None


def _idle_s(
    cut: dict[str, array[float]],
    places: list[float],
    brake_m: float | None,
    release_m: float | None,
    apex: int,
) -> tuple[float, float]:
    """Return seconds on neither pedal: from a while before the brake zone to the brakes, and from
    there to the apex. Without braking, all of it is before."""
    throttle, t = cut["throttle_pct"], cut["t"]
    before = after = 0.0
    for i in range(apex):
        if throttle[i] < OFF_PCT:
            if brake_m is None or release_m is None or places[i] < brake_m - 1.0:
                before += t[i + 1] - t[i]
            elif places[i] > release_m:
                after += t[i + 1] - t[i]
    return before, after


def _waited_s(cut: dict[str, array[float]], brake_m: float | None) -> float:
    """Return the longest unbroken time off the throttle, not cornering and not braking for the
    corner before, that ends at the brakes or shortly before; 0 without braking."""
    longest = waited_s = 0.0
    last_t = cut["t"][-1] if brake_m is not None else math.inf
    columns = (cut[name] for name in ("throttle_pct", "g_lat", "g_long"))
    for i, (value, g_lat, g_long) in enumerate(zip(*columns, strict=True)):
        if value < OFF_PCT and not g_long <= -BRAKING_G and i + 1 < len(cut["t"]):
            waited_s += cut["t"][i + 1] - cut["t"][i] if abs(g_lat) < HELD_IN_G else 0.0
        else:
            waited_s = 0.0
        if cut["t"][i] >= last_t - JUST_BEFORE_S:
            longest = max(longest, waited_s)
    return longest


def _lifted_m(cut: dict[str, array[float]], places: Sequence[float]) -> float | None:
    """Where the throttle was closed by half for LONG_LIFT_S on a straight, between two times flat."""
    since: int | None = None
    was_flat = False
    for i, (value, g_lat, t) in enumerate(zip(cut["throttle_pct"], cut["g_lat"], cut["t"], strict=True)):
        if not abs(g_lat) < RUNS_STRAIGHT_G:  # NaN too: not known
            since, was_flat = None, False
        elif value >= FLAT_PCT:
            if since is not None and t - cut["t"][since] >= LONG_LIFT_S:
                return places[since]
            since, was_flat = None, True
        elif was_flat and since is None and value < HALF_PCT:
            since = i
    return None


def _both_s(
    cut: dict[str, array[float]], start: int, apex: int, efforts: Sequence[tuple[float, float]]
) -> float:
    """The longest time on both pedals at once up to the apex, longer than the blip for a gear."""
    throttle, t = cut["throttle_pct"], cut["t"]
    at = [effort_t for effort_t, _ in efforts]
    longest = both_s = 0.0
    for i in range(start, apex):
        effort = efforts[min(bisect_left(at, t[i]), len(at) - 1)][1]
        both_s = both_s + t[i + 1] - t[i] if effort > 1.0 and throttle[i] >= OPEN_PCT else 0.0
        longest = max(longest, both_s)
    return longest


def _spare_pct(cut: dict[str, array[float]], places: Sequence[float], stretch: Stretch) -> float | None:
    """Return how far the throttle was not open over the last LAST_RUN_M of a long straight run on
    which the foot only opened it from the exit on; else None."""
    if stretch.end_m - stretch.exit_m < 1.8 * LAST_RUN_M:
        return None
    first = _index(places, stretch.end_m - LAST_RUN_M)
    if any(not abs(g) < RUNS_STRAIGHT_G for g in cut["g_lat"][first:]):
        return None
    known = _known(cut["throttle_pct"][first:])
    closing = any(b < a - LIFTED_PCT for a, b in pairwise(known))
    return None if not known or closing else 100.0 - sum(known) / len(known)


def _turn_in(
    places: list[float], g_lat: Sequence[float], start: int, apex: int, inside: float
) -> float | None:
    """Where the car first bends for half of the most lateral g that it reaches up to the apex."""
    bend = [g * inside for g in g_lat[start : apex + 2]]
    if not _mostly_known(bend) or len(bend) < 3:
        return None
    most = max(_known(bend))
    if most < 0.2:
        return None
    wanted = TURNED_IN * most
    top = bend.index(most)
    for i in range(top, 0, -1):
        if bend[i - 1] < wanted <= bend[i]:
            share = (wanted - bend[i - 1]) / (bend[i] - bend[i - 1])
            return places[start + i - 1] + share * (places[start + i] - places[start + i - 1])
    return None


def _good_part(values: Sequence[float], inside: float) -> float | None:
    """Return the lateral g or steering towards the inside that was reached for a good part of a
    corner, so that no kerb counts."""
    bend = sorted(inside * value for value in _known(values))
    return bend[int(CORNER_SHARE * (len(bend) - 1))] if len(bend) >= 3 and _mostly_known(values) else None


def _caught_s(cut: dict[str, array[float]], first: int, last: int, inside: float) -> float | None:
    """Seconds with the wheel turned out of the corner that the car is still held in."""
    steering, g_lat, t = cut["steering_deg"], cut["g_lat"], cut["t"]
    if not _mostly_known(steering[first : last + 1]):
        return None
    return sum(
        t[i] - t[i - 1]
        for i in range(max(first, 1), last + 1)
        if inside * steering[i] <= -CAUGHT_DEG and inside * g_lat[i] >= CAUGHT_G
    )


def _slowest_g(places: list[float], g_lat: Sequence[float], slowest: int, inside: float) -> float | None:
    """The lateral acceleration towards the inside around the slowest point, g."""
    first = bisect_left(places, places[slowest] - SLOWEST_M)
    last = bisect_left(places, places[slowest] + SLOWEST_M) + 1
    mean = _mean(g_lat[first:last])
    return None if mean is None else inside * mean


def _offset(offsets: Sequence[float], index: int, inside: float) -> float | None:
    near = _known(offsets[max(index - 1, 0) : index + 2])
    return median(near) * inside if near else None


def _gear(gears: Sequence[float], slowest: int) -> int | None:
    near = _known(gears[slowest : slowest + 6])
    return int(median(near)) if near and 0 < median(near) < 10 else None


def _corrections(steering: Sequence[float], first: int, last: int) -> int | None:
    """How often the wheel turned back and on again inside the corner."""
    values = steering[first : last + 1]
    if not _mostly_known(values) or len(values) < 5:
        return None
    known = _known(values)
    turns, extreme, rising = 0, known[0], True
    for value in known[1:]:
        if (value > extreme) == rising:
            extreme = value
        elif abs(value - extreme) >= CORRECTION_DEG:
            turns, extreme, rising = turns + 1, value, not rising
    return max((turns - 1) // 2, 0)
