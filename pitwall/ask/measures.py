"""Tabulate the figures that can be asked for, and how to compute each for a lap or a part of it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from statistics import fmean
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from pitwall.ask.session_figures import LapStretch, SessionFigures
from pitwall.track.geometry import way_m
from pitwall.track.lap import Lap

# What part of a lap a figure is of.
Part = Literal["lap", "sector", "corner", "straight"]
# The speed at a point of a corner.
SPEEDS = {"entry": "entry_speed", "apex": "min_speed", "exit": "exit_speed"}
# In metres before the apex: less is later.
BEFORE_APEX = ("brake_m", "lift_m")


class Where(msgspec.Struct, frozen=True):
    """A part of every lap: all of it, a corner by id, a sector by its `number` from 1 on, a
    straight. `point` of a corner: entry, apex, exit, "" for all of it; of a straight: before or
    after the corner."""

    part: Part = "lap"
    corner: str = ""
    point: str = ""
    number: int = 0


Take = Callable[[SessionFigures, Lap, Where, str], float | None]


class AskedMeasure(msgspec.Struct, frozen=True):
    """A figure. `take(session, lap, where, which)` gives it in `unit`, None if unknown. One of
    `signals` must be recorded. `high`: more is better; `usual`: a whole session's answer without an
    aggregate: the highest, the mean or the median."""

    unit: str
    digits: int
    take: Take
    signals: tuple[str, ...] = ()
    high: bool = True
    usual: Literal["most", "mean", "median"] = "median"
    parts: tuple[Part, ...] = get_args(Part)

    @property
    def of_lap(self) -> str:
        """Return which of a lap's values counts: its "mean" or "most", "" for the figure itself."""
        return self.usual if self.usual in ("mean", "most") else ""


def stretch_of(session: SessionFigures, lap: Lap, where: Where, braked: bool = False) -> LapStretch | None:
    """Return the part of a lap as a piece of time; `braked`: a corner with the way to it."""
    if where.part == "lap":
        return session.whole(lap)
    if where.part == "sector":
        return session.sector(lap, where.number)
    if where.part == "corner":
        return (session.approach if braked else session.corner)(lap, where.corner)
    return session.straight(lap, where.corner, where.point)


def time_of(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """Return seconds for the part; a whole lap only where it was timed."""
    if where.part == "lap":
        return lap.time_s
    stretch = stretch_of(session, lap, where)
    return None if stretch is None else stretch.to_t - stretch.from_t


def _lost(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """Return seconds more than in the lap that was fastest there, as the debrief does."""
    if where.part == "corner":
        return session.losses().get((where.corner, lap.number))
    times = [t for each in session.flying if (t := time_of(session, each, where, "")) is not None]
    own = time_of(session, lap, where, "")
    return None if own is None or not times else own - min(times)


# Less is a foot that rests on the pedal: bar, g.
LEAST_BRAKING = {"brake_bar": 2.0, "g_brake": 0.1}


class SignalTake(msgspec.Struct, frozen=True):
    """A signal's highest, lowest or mean value in the part, or at a point. `sign` -1.0: what is
    negative counts, 0.0: its size. `held`: the value that was held for a moment, and no spike;
    `braked`: a corner with the way to it."""

    signal: str
    sign: float = 1.0
    held: bool = False
    braked: bool = False

    @property
    def peaked(self) -> bool:
        """Return whether a low value is a lap's peak: all laps go through nothing."""
        return self.held or self.braked or self.sign != 1.0

    def _signed(self, value: float) -> float:
        return self.sign * value if self.sign else abs(value)

    def __call__(self, session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        signal = self.signal
        t = _instant(session, lap, where)
        if t is not None:
            value = session.value_at(t, signal)
            return None if value is None else self._signed(value)
        stretch = stretch_of(session, lap, where, self.braked)
        if stretch is None:
            return None
        if self.held and which not in ("mean", "least"):
            top = session.held(stretch, signal, self.sign)
            return None if top is not None and self.braked and top <= 0.0 else top  # it only gained speed
        if which == "mean" and self.sign == 1.0 and not self.braked:
            return session.mean(stretch, signal)
        values = [self._signed(value) for _, value in session.values(stretch, signal)]
        if which == "mean" and self.braked:  # while braking
            least = LEAST_BRAKING.get(signal, LEAST_BRAKING["g_brake"])
            values = [value for value in values if value > least]
        if not values or (which == "least" and not self.sign):
            return None
        return fmean(values) if which == "mean" else min(values) if which == "least" else max(values)


def _instant(session: SessionFigures, lap: Lap, where: Where) -> float | None:
    """Return the time of a point of a corner, None for a stretch."""
    found = session.passed(where.corner, lap.number) if where.point and where.part == "corner" else None
    if found is None:
        return None
    return {"entry": found.entry_t, "exit": found.exit_t, "apex": session.slowest_t(found)}[where.point]


def _pass_speed(name: str) -> Take:
    def take(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        found = session.passed(where.corner, lap.number) if where.part == "corner" else None
        return None if found is None else float(getattr(found, name))

    return take


def _speed(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    if where.part == "corner" and (where.point or which in ("", "least")):
        return _pass_speed(f"{SPEEDS[where.point or 'apex']}_mps")(session, lap, where, which)
    stretch = stretch_of(session, lap, where)
    found = session.passed(where.corner, lap.number) if where.part == "straight" else None
    if stretch is not None and found is not None and where.point == "before" and which in ("", "most"):
        # Beyond the entry of the corner the car may still gain speed until it brakes.
        values = session.values(replace(stretch, to_t=session.slowest_t(found)), "speed_mps")
        return max((value for _, value in values), default=None)
    return SignalTake("speed_mps")(session, lap, where, which)


def _min_speed(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    if where.part == "corner":
        return _pass_speed("min_speed_mps")(session, lap, where, which)
    return SignalTake("speed_mps")(session, lap, where, "least")


def _from_apex(at: Callable[[SessionFigures, Lap, str], float | None], sign: float = 1.0) -> Take:
    """Return the metres from a place to the apex; `sign` -1.0: from the apex to the place."""

    def take(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        at_m, corner = at(session, lap, where.corner), session.corner_row(where.corner)
        if at_m is None or corner is None or session.track is None:
            return None
        return sign * way_m(at_m, corner.apex_m, session.track.length_m)

    return take


def _brake_m(session: SessionFigures, lap: Lap, corner: str) -> float | None:
    found = session.passed(corner, lap.number)
    return None if found is None else found.brake_m


def _brake_speed(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    at_m = _brake_m(session, lap, where.corner)
    t = None if at_m is None else session.time_at(lap, at_m)
    return None if t is None else session.value_at(t, "speed_mps")


def _gear(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    if where.part == "corner":
        t = _instant(session, lap, replace(where, point=where.point or "apex"))
        return None if t is None else session.gear_at(t)
    stretch = stretch_of(session, lap, where)
    gears = [gear for _, gear in session.gears(stretch)] if stretch else []
    return float(min(gears) if which == "least" else max(gears)) if gears else None


class TimedTake(msgspec.Struct, frozen=True):
    """Counts the seconds in which a condition of the session holds, or those of its longest run."""

    condition: str
    braked: bool = False

    def __call__(self, session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        holds = getattr(session, self.condition)
        stretch = stretch_of(session, lap, where, self.braked)
        if holds is None or stretch is None:
            return None
        if which == "most":
            return max((end - begin for begin, end in session.runs(stretch, holds)), default=0.0)
        return session.time_where(stretch, holds)


def _braked(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    holds, stretch = session.braking, stretch_of(session, lap, where, braked=True)
    if holds is None or stretch is None:
        return None
    return float(len(session.presses(stretch, holds)))


def _lifts(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    stretch = stretch_of(session, lap, where)
    values = [value for _, value in session.values(stretch, "throttle_pct")] if stretch else []
    half = session.full_pct / 2.0
    return float(sum(one >= half > other for one, other in pairwise(values))) if values else None


def _shifts(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    stretch = stretch_of(session, lap, where)
    if stretch is None or not session.recorded("gear"):
        return None
    return float(sum(1 for _ in pairwise(session.gears(stretch))))


def _channel(
    unit: str, digits: int, signal: str, usual: Literal["most", "mean"] = "most", **how: Any
) -> AskedMeasure:
    return AskedMeasure(unit, digits, SignalTake(signal, **how), (signal,), usual=usual)


def _of_corner(take: Take, signal: str, **how: Any) -> AskedMeasure:
    unit = "m/s" if signal == "speed_mps" and not how else "m"
    return AskedMeasure(unit, 0, take, (signal,), parts=("corner",), **how)


_BRAKES, _THROTTLE = ("brake_bar", "brake_pct"), ("throttle_pct",)
MEASURES: dict[str, AskedMeasure] = {
    "time": AskedMeasure("s", 3, time_of, high=False),
    "speed": AskedMeasure("m/s", 0, _speed, ("speed_mps",), usual="most"),
    "entry_speed": _of_corner(_pass_speed("entry_speed_mps"), "speed_mps"),
    "min_speed": AskedMeasure("m/s", 0, _min_speed, ("speed_mps",)),
    "exit_speed": _of_corner(_pass_speed("exit_speed_mps"), "speed_mps"),
    "brake_speed": _of_corner(_brake_speed, "speed_mps"),
    "brake_m": _of_corner(_from_apex(_brake_m), "speed_mps", high=False),
    "throttle_m": _of_corner(_from_apex(SessionFigures.throttle_m, -1.0), "throttle_pct", high=False),
    "lift_m": _of_corner(_from_apex(SessionFigures.lift_m), "throttle_pct", high=False),
    "brake_bar": _channel("bar", 0, "brake_bar", braked=True),
    "brake_time": AskedMeasure("s", 1, TimedTake("braking", braked=True), _BRAKES, high=False),
    "brake_count": AskedMeasure("", 0, _braked, _BRAKES),
    "full_throttle": AskedMeasure("s", 1, TimedTake("full_throttle"), _THROTTLE),
    "coast": AskedMeasure("s", 1, TimedTake("coasting"), _THROTTLE, high=False),
    "overlap": AskedMeasure("s", 1, TimedTake("overlapping"), _THROTTLE, high=False),
    "trail": AskedMeasure("s", 1, TimedTake("trailing", braked=True), ("g_lat",)),
    "lost": AskedMeasure("s", 2, _lost, high=False),
    "lifts": AskedMeasure("", 0, _lifts, _THROTTLE, high=False),
    "throttle": _channel("%", 0, "throttle_pct", usual="mean"),
    "gear": AskedMeasure("", 0, _gear, ("gear",)),
    "shifts": AskedMeasure("", 0, _shifts, ("gear",)),
    "rpm": _channel("rpm", 0, "rpm"),
    "g_lat": _channel("g", 2, "g_lat", sign=0.0, held=True),
    "g_brake": _channel("g", 2, "g_long", sign=-1.0, held=True, braked=True),
    "g_accel": _channel("g", 2, "g_long", held=True),
    "coolant_c": _channel("°C", 0, "coolant_c"),
    "oil_temp_c": _channel("°C", 0, "oil_temp_c"),
    "oil_bar": _channel("bar", 1, "oil_bar"),
    "steering_deg": _channel("°", 0, "steering_deg", sign=0.0),
}
# Over a part of a lap, figures of every moment have a highest, a lowest and a mean value.
CHANNELS = {name: row.take for name, row in MEASURES.items() if isinstance(row.take, SignalTake)}
OF_MOMENTS = frozenset(("speed", "gear", *CHANNELS))
PEAKED = frozenset(name for name, take in CHANNELS.items() if take.peaked)
# Measures that are counted in seconds.
TIMED = frozenset(name for name, row in MEASURES.items() if isinstance(row.take, TimedTake))
