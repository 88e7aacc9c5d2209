"""The table of figures that can be asked for: how each is taken from a lap, a sector, a corner or a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import Literal, get_args

import msgspec
from msgspec.structs import replace

from pitwall.ask.session_figures import LapStretch, SessionFigures
from pitwall.track.geometry import way_m
from pitwall.track.lap import Lap

# What part of a lap a figure is of.
Part = Literal["lap", "half", "piece", "sector", "corner", "way", "place", "span", "straight"]
# Points of a corner at which a pedal is moved.
PEDAL_POINTS = ("brake", "lift")
# The speed at a point of a corner.
SPEEDS = {"entry": "entry_speed", "apex": "min_speed", "exit": "exit_speed"}
# So many equally long pieces of the lap are its mini sectors.
MINI_SECTORS = 10
# Figures of every moment: over a part of a lap they have a highest, a lowest and a mean value.
OF_MOMENTS = frozenset(
    (
        *("speed", "rpm", "g_lat", "g_brake", "g_accel", "brake_bar", "coolant_c", "oil_temp_c", "oil_bar"),
        *("steering_deg", "yaw", "altitude_m", "throttle", "gear"),
    )
)
# Told in metres before the apex: what is less is later.
BEFORE_APEX = ("brake_m", "lift_m")


class Where(msgspec.Struct, frozen=True):
    """A part of every lap: a corner by id, or with the way to it from the corner before, a sector, a half or
    a piece by its `number` from 1 on, a track distance, from one corner to another ("" is the start line).
    `point` of a corner: entry, apex, exit, brake, lift, "" for all of it; of a straight: before the corner or
    after it; of a place: "start" and "end" of the session, "lap start" and "lap end" of the lap.
    `gear`: only while it was engaged."""

    part: Part = "lap"
    corner: str = ""
    point: str = ""
    number: int = 0
    place_m: float = 0.0
    to_corner: str = ""
    gear: int = 0


Take = Callable[[SessionFigures, Lap, Where, str], float | None]


class AskedMeasure(msgspec.Struct, frozen=True):
    """A figure. `take(session, lap, where, which)` gives it in `unit`, None where it is not known. One of
    `signals` must be recorded. `high` says which end a driver asks for by "best"; `usual` what is told of a
    whole session where nothing else is asked: the most, the mean, the usual value."""

    unit: str
    digits: int
    take: Take
    signals: tuple[str, ...] = ()
    high: bool = True
    usual: Literal["most", "mean", "median"] = "most"
    parts: tuple[Part, ...] = get_args(Part)

    @property
    def of_lap(self) -> str:
        """Which of a lap's values stands for it: its mean or highest, "" for the figure as it is taken."""
        return self.usual if self.usual in ("mean", "most") else ""


def stretch_of(session: SessionFigures, lap: Lap, where: Where, braked: bool = False) -> LapStretch | None:
    """The part of a lap as a piece of time; `braked`: a corner with the way to it."""
    if where.part == "lap":
        return session.whole(lap)
    if where.part == "sector":
        return session.sector(lap, where.number)
    if where.part in ("half", "piece"):
        return session.piece(lap, where.number, 2 if where.part == "half" else MINI_SECTORS)
    if where.part in ("corner", "way"):
        whole = braked or where.part == "way"
        return (session.approach if whole else session.corner)(lap, where.corner)
    if where.part == "straight":
        return session.straight(lap, where.corner, where.point)
    if where.part == "span" and not (where.corner and where.to_corner):
        # Between the start line and a corner: the entry that comes, or the exit that was.
        found = session.passed(where.corner or where.to_corner, lap.number)
        if found is None or lap.time_s is None:
            return None
        return LapStretch(
            lap.number, *((found.exit_t, lap.end_t) if where.corner else (lap.start_t, found.entry_t))
        )
    if where.part == "span":
        first, last = session.passed(where.corner, lap.number), session.passed(where.to_corner, lap.number)
        return LapStretch(lap.number, first.entry_t, last.exit_t) if first and last else None
    return None


def time_of(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """Seconds for the part; a whole lap only where it was timed."""
    if where.part == "lap":
        return lap.time_s
    if where.part == "place":
        return None
    stretch = stretch_of(session, lap, where)
    return None if stretch is None else stretch.to_t - stretch.from_t


def _lost(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """Seconds more than in the flying lap that was fastest there."""
    times = [t for each in session.flying if (t := time_of(session, each, where, "")) is not None]
    own = time_of(session, lap, where, "")
    return None if own is None or not times else own - min(times)


def _phase_lost(name: str) -> Take:
    """Seconds lost on the best lap in one phase of a corner, or of all corners that were passed."""

    def take(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        corners = [where.corner] if where.part == "corner" else [each.id for each in session.corners]
        found = [passed for each in corners if (passed := session.judged(each, lap.number)) is not None]
        lost = [value for each in found if (value := getattr(each, name)) is not None]
        return sum(lost) if lost else None

    return take


def _channel(
    signal: str, size: bool = False, held: bool = False, sign: float = 1.0, braked: bool = False
) -> Take:
    """A signal's highest, lowest or mean value in the part, or its value at a point."""

    def take(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        t = _instant(session, lap, where)
        if where.part == "place" and where.point:
            readings = session.values(session.whole(lap), signal)
            return readings[0 if where.point.endswith("start") else -1][1] if readings else None
        if t is not None or where.part == "place":
            value = None if t is None else session.value_at(t, signal)
            return None if value is None else abs(value) if size else sign * value
        stretch = stretch_of(session, lap, where, braked)
        if stretch is None:
            return None
        if where.gear:
            found = session.in_gear(stretch, signal, where.gear)
            sized = [abs(value) if size else sign * value for value in found]
            return (min if which == "least" else fmean if which == "mean" else max)(sized) if sized else None
        if which == "mean" and size:
            return fmean([abs(value) for _, value in session.values(stretch, signal)] or [0.0])
        if which == "mean":
            value = session.mean(stretch, signal)
            return None if value is None else sign * value
        if held and which != "least":
            top = session.held(stretch, signal, 0.0 if size else sign)
            return None if top is not None and braked and top <= 0.0 else top  # it only gained speed
        if which == "least":
            return session.least(stretch, signal) if not size else None
        if size:
            return max((abs(value) for _, value in session.values(stretch, signal)), default=None)
        return session.most(stretch, signal)

    return take


def _instant(session: SessionFigures, lap: Lap, where: Where) -> float | None:
    """The time of a point, None for a stretch."""
    if where.part == "place":
        return session.time_at(lap, where.place_m)
    if where.part == "corner" and where.point:
        found = session.passed(where.corner, lap.number)
        if found is None:
            return None
        if where.point in PEDAL_POINTS:
            at_m = found.brake_m if where.point == "brake" else session.lift_m(lap, where.corner)
            return None if at_m is None else session.time_at(lap, at_m)
        return {"entry": found.entry_t, "exit": found.exit_t, "apex": session.slowest_t(found)}[where.point]
    return None


def _pass_speed(name: str) -> Take:
    def take(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        found = session.passed(where.corner, lap.number) if where.part == "corner" else None
        return None if found is None else float(getattr(found, name))

    return take


def _speed(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    if where.point in PEDAL_POINTS:
        return _channel("speed_mps")(session, lap, where, which)
    if where.part == "corner" and (where.point or which in ("", "least")):
        return _pass_speed(f"{SPEEDS[where.point or 'apex']}_mps")(session, lap, where, which)
    stretch = stretch_of(session, lap, where)
    found = session.passed(where.corner, lap.number) if where.part == "straight" else None
    if stretch is not None and found is not None and where.point == "before" and which in ("", "most"):
        # Beyond the entry of the corner the car may still gain speed until it brakes.
        return session.most(replace(stretch, to_t=session.slowest_t(found)), "speed_mps")
    return _channel("speed_mps")(session, lap, where, which)


def _min_speed(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    if where.part == "corner":
        return _pass_speed("min_speed_mps")(session, lap, where, which)
    return _channel("speed_mps")(session, lap, where, "least")


def _brake_m(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """Metres before the apex."""
    found = session.passed(where.corner, lap.number)
    corner = session.corner_row(where.corner)
    if found is None or corner is None or found.brake_m is None or session.track is None:
        return None
    return (corner.apex_m - found.brake_m) % session.track.length_m


def _throttle_m(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """Metres after the apex, less than nothing before it."""
    corner = session.corner_row(where.corner)
    at_m = session.throttle_m(lap, where.corner)
    if at_m is None or corner is None or session.track is None:
        return None
    return way_m(corner.apex_m, at_m, session.track.length_m)


def _lift_m(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """Metres before the apex."""
    at_m, corner = session.lift_m(lap, where.corner), session.corner_row(where.corner)
    if at_m is None or corner is None or session.track is None:
        return None
    return (corner.apex_m - at_m) % session.track.length_m


def _gear(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """At a corner the gear at its slowest point; of a lap the highest."""
    if where.part in ("corner", "place"):
        found = session.passed(where.corner, lap.number)
        t = _instant(session, lap, where)
        if t is None and found is not None:
            t = session.slowest_t(found)
        return None if t is None else session.gear_at(t)
    stretch = stretch_of(session, lap, where)
    gears = [gear for _, gear in session.gears(stretch)] if stretch else []
    return float(min(gears) if which == "least" else max(gears)) if gears else None


def _gear_time(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """Seconds in which a gear was engaged, of any where none is named."""
    stretch = stretch_of(session, lap, where)
    if stretch is None or not session.recorded("gear"):
        return None
    return session.time_where(
        stretch, lambda frame: None if frame.gear is None else round(frame.gear) == where.gear
    )


def _timed(condition: str, braked: bool = False) -> Take:
    def take(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        holds = getattr(session, condition)
        stretch = stretch_of(session, lap, where, braked)
        if holds is None or stretch is None:
            return None
        if which == "most":
            runs = session.runs(stretch, holds)
            return max((end - begin for begin, end in runs), default=0.0)
        return session.time_where(stretch, holds)

    return take


def _braked(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    holds, stretch = session.braking, stretch_of(session, lap, where, braked=True)
    if holds is None or stretch is None:
        return None
    return float(len(session.presses(stretch, holds)))


def _lifts(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """How often the throttle was let go under half its travel."""
    stretch = stretch_of(session, lap, where)
    values = [value for _, value in session.values(stretch, "throttle_pct")] if stretch else []
    half = session.full_pct / 2.0
    return float(sum(one >= half > other for one, other in pairwise(values))) if values else None


def _brake_far(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    """Metres driven on the brakes."""
    holds, stretch = session.braking, stretch_of(session, lap, where, braked=True)
    if holds is None or stretch is None:
        return None
    far_m = [session.driven_m(begin, end) for begin, end in session.presses(stretch, holds)]
    return max(far_m, default=0.0) if which == "most" else sum(far_m)


def _shifts(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    stretch = stretch_of(session, lap, where)
    if stretch is None or not session.recorded("gear"):
        return None
    return float(sum(1 for _ in pairwise(session.gears(stretch))))


def _upshifts(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    stretch = stretch_of(session, lap, where)
    return None if stretch is None else float(len(session.upshifts(stretch, where.gear)))


def _downshifts(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    stretch = stretch_of(session, lap, where)
    if stretch is None or not session.recorded("gear"):
        return None
    return float(sum(one > other for (_, one), (_, other) in pairwise(session.gears(stretch))))


def _shift_rpm(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    stretch = stretch_of(session, lap, where)
    found = [] if stretch is None else session.upshifts(stretch, where.gear)
    return median(found) if found else None


def _turns(signal: str, share: float) -> Take:
    """How often a pedal or the wheel turned back by more than this share of its travel in the session."""

    def take(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        stretch = stretch_of(session, lap, where)
        values = [value for _, value in session.values(stretch, signal)] if stretch else []
        return float(reversals(values, share * session.travel(signal))) if values else None

    return take


def reversals(values: Sequence[float], least: float) -> int:
    """How often a line of values turns back by more than `least`."""
    count, way, end = 0, 0, values[0]
    for value in values:
        if (value - end) * way > 0:
            end = value
        elif abs(value - end) > least:
            count, way, end = count + (way != 0), (1 if value > end else -1), value
    return count


def _climb(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    stretch = stretch_of(session, lap, where)
    values = [value for _, value in session.values(stretch, "altitude_m")] if stretch else []
    return max(values) - min(values) if values else None


MEASURES: dict[str, AskedMeasure] = {
    "time": AskedMeasure("s", 3, time_of, high=False, usual="median"),
    "speed": AskedMeasure("m/s", 0, _speed, ("speed_mps",)),
    "entry_speed": AskedMeasure(
        "m/s", 0, _pass_speed("entry_speed_mps"), ("speed_mps",), usual="median", parts=("corner",)
    ),
    "min_speed": AskedMeasure("m/s", 0, _min_speed, ("speed_mps",), usual="median"),
    "exit_speed": AskedMeasure(
        "m/s", 0, _pass_speed("exit_speed_mps"), ("speed_mps",), usual="median", parts=("corner",)
    ),
    "brake_m": AskedMeasure("m", 0, _brake_m, ("speed_mps",), high=False, usual="median", parts=("corner",)),
    "lift_m": AskedMeasure("m", 0, _lift_m, ("throttle_pct",), high=False, usual="median", parts=("corner",)),
    "throttle_m": AskedMeasure(
        "m", 0, _throttle_m, ("throttle_pct",), high=False, usual="median", parts=("corner",)
    ),
    "brake_bar": AskedMeasure("bar", 0, _channel("brake_bar", braked=True), ("brake_bar",)),
    "brake_time": AskedMeasure(
        "s", 1, _timed("braking", braked=True), ("brake_bar", "brake_pct"), high=False, usual="median"
    ),
    "brake_count": AskedMeasure("", 0, _braked, ("brake_bar", "brake_pct"), usual="median"),
    "brake_far_m": AskedMeasure("m", 0, _brake_far, ("brake_bar", "brake_pct"), high=False, usual="median"),
    "full_throttle": AskedMeasure("s", 1, _timed("full_throttle"), ("throttle_pct",), usual="median"),
    "coast": AskedMeasure("s", 1, _timed("coasting"), ("throttle_pct",), high=False, usual="median"),
    "overlap": AskedMeasure("s", 1, _timed("overlapping"), ("throttle_pct",), high=False, usual="median"),
    "trail": AskedMeasure("s", 1, _timed("trailing", braked=True), ("g_lat",), usual="median"),
    "lost": AskedMeasure("s", 2, _lost, high=False, usual="median"),
    "brake_lost": AskedMeasure("s", 2, _phase_lost("brake_loss_s"), (), False, "median", ("lap", "corner")),
    "mid_lost": AskedMeasure("s", 2, _phase_lost("mid_loss_s"), (), False, "median", ("lap", "corner")),
    "exit_lost": AskedMeasure("s", 2, _phase_lost("exit_loss_s"), (), False, "median", ("lap", "corner")),
    "lifts": AskedMeasure("", 0, _lifts, ("throttle_pct",), False, "median"),
    "throttle": AskedMeasure("%", 0, _channel("throttle_pct"), ("throttle_pct",), usual="mean"),
    "throttle_turns": AskedMeasure("", 0, _turns("throttle_pct", 0.1), ("throttle_pct",), False, "median"),
    "steering_turns": AskedMeasure("", 0, _turns("steering_deg", 0.05), ("steering_deg",), False, "median"),
    "gear": AskedMeasure("", 0, _gear, ("gear",), usual="median"),
    "gear_time": AskedMeasure("s", 1, _gear_time, ("gear",), usual="median"),
    "shifts": AskedMeasure("", 0, _shifts, ("gear",), usual="median"),
    "upshifts": AskedMeasure("", 0, _upshifts, ("rpm",), usual="median"),
    "downshifts": AskedMeasure("", 0, _downshifts, ("gear",), usual="median"),
    "shift_rpm": AskedMeasure("rpm", 0, _shift_rpm, ("rpm",), usual="median"),
    "rpm": AskedMeasure("rpm", 0, _channel("rpm"), ("rpm",)),
    "g_lat": AskedMeasure("g", 2, _channel("g_lat", size=True, held=True), ("g_lat",)),
    "g_brake": AskedMeasure("g", 2, _channel("g_long", held=True, sign=-1.0, braked=True), ("g_long",)),
    "g_accel": AskedMeasure("g", 2, _channel("g_long", held=True), ("g_long",)),
    "coolant_c": AskedMeasure("°C", 0, _channel("coolant_c"), ("coolant_c",), high=True),
    "oil_temp_c": AskedMeasure("°C", 0, _channel("oil_temp_c"), ("oil_temp_c",)),
    "oil_bar": AskedMeasure("bar", 1, _channel("oil_bar"), ("oil_bar",)),
    "steering_deg": AskedMeasure("°", 0, _channel("steering_deg", size=True), ("steering_deg",)),
    "yaw": AskedMeasure("deg/s", 0, _channel("yaw_rate_dps", size=True, held=True), ("yaw_rate_dps",)),
    "climb_m": AskedMeasure("m", 0, _climb, ("altitude_m",), usual="median"),
    "altitude_m": AskedMeasure("m", 0, _channel("altitude_m"), ("altitude_m",)),
}
