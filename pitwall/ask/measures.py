"""The table of figures that can be asked for: how each is taken from a lap, a sector, a corner or a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from pitwall.ask.session_figures import LapStretch, SessionFigures
from pitwall.track.geometry import way_m
from pitwall.track.lap import Lap
from pitwall.words.units import Shown

# What part of a lap a figure is of.
Part = Literal["lap", "half", "piece", "sector", "corner", "way", "place", "span", "straight"]
# Points of a corner at which a pedal is moved.
PEDAL_POINTS = ("brake", "lift")
# The speed at a point of a corner.
SPEEDS = {"entry": "entry_speed", "apex": "min_speed", "exit": "exit_speed"}
# So many equally long pieces of the lap are its mini sectors.
MINI_SECTORS = 10
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
    """A figure. `take(session, lap, where, which)` gives it in `unit`, None where it is not known. `asks`:
    the symbols that ask for it, in alternatives of which the one with the most wins; each must stand in the
    question, `-` none of it; "" for its own name as a symbol. One of `signals` must be recorded. `high` says
    which end a driver asks for by "best"; `usual` what is told of a whole session where nothing else is
    asked: the most, the mean, the usual value."""

    unit: str
    digits: int
    take: Take
    asks: str = ""
    signals: tuple[str, ...] = ()
    high: bool = True
    usual: Literal["most", "mean", "median"] = "median"
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


# Less is a foot that rests on the pedal: bar, g.
LEAST_BRAKING = {"brake_bar": 2.0, "g_brake": 0.1}


class SignalTake(msgspec.Struct, frozen=True):
    """Takes a signal's highest, lowest or mean value in the part, or its value at a point. `sign` -1.0: what
    is negative counts, 0.0: its size. `held`: the value that was held for a moment, and no spike; `braked`: a
    corner with the way to it; `slow`: it changes slowly, so that the laps to and from the pits tell as much
    of it."""

    signal: str
    sign: float = 1.0
    held: bool = False
    braked: bool = False
    slow: bool = False

    @property
    def peaked(self) -> bool:
        """Return whether a low value is that of a lap's peak: all laps go through nothing."""
        return self.held or self.braked or self.sign != 1.0

    def __call__(self, session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
        signal, size = self.signal, self.sign == 0.0
        t = _instant(session, lap, where)
        if where.part == "place" and where.point:
            readings = session.values(session.whole(lap), signal)
            return readings[0 if where.point.endswith("start") else -1][1] if readings else None
        if t is not None or where.part == "place":
            value = None if t is None else session.value_at(t, signal)
            return None if value is None else abs(value) if size else self.sign * value
        stretch = stretch_of(session, lap, where, self.braked)
        if stretch is None:
            return None
        if where.gear:
            found = session.in_gear(stretch, signal, where.gear)
            sized = [abs(value) if size else self.sign * value for value in found]
            return (min if which == "least" else fmean if which == "mean" else max)(sized) if sized else None
        if which == "mean" and self.braked:  # while braking
            values = [self.sign * value for _, value in session.values(stretch, signal)]
            pressed = [
                value for value in values if value > LEAST_BRAKING.get(self.signal, LEAST_BRAKING["g_brake"])
            ]
            return fmean(pressed) if pressed else None
        if which == "mean" and size:
            return fmean([abs(value) for _, value in session.values(stretch, signal)] or [0.0])
        if which == "mean":
            value = session.mean(stretch, signal)
            return None if value is None else self.sign * value
        if self.held and which != "least":
            top = session.held(stretch, signal, self.sign)
            return None if top is not None and self.braked and top <= 0.0 else top  # it only gained speed
        if which == "least":
            return session.least(stretch, signal) if not size else None
        if size:
            return max((abs(value) for _, value in session.values(stretch, signal)), default=None)
        return session.most(stretch, signal)


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
        return SignalTake("speed_mps")(session, lap, where, which)
    if where.part == "corner" and (where.point or which in ("", "least")):
        return _pass_speed(f"{SPEEDS[where.point or 'apex']}_mps")(session, lap, where, which)
    stretch = stretch_of(session, lap, where)
    found = session.passed(where.corner, lap.number) if where.part == "straight" else None
    if stretch is not None and found is not None and where.point == "before" and which in ("", "most"):
        # Beyond the entry of the corner the car may still gain speed until it brakes.
        return session.most(replace(stretch, to_t=session.slowest_t(found)), "speed_mps")
    return SignalTake("speed_mps")(session, lap, where, which)


def _min_speed(session: SessionFigures, lap: Lap, where: Where, which: str) -> float | None:
    if where.part == "corner":
        return _pass_speed("min_speed_mps")(session, lap, where, which)
    return SignalTake("speed_mps")(session, lap, where, "least")


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
            runs = session.runs(stretch, holds)
            return max((end - begin for begin, end in runs), default=0.0)
        return session.time_where(stretch, holds)


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


def _channel(
    unit: str, digits: int, signal: str, asks: str = "", usual: Literal["most", "mean"] = "most", **how: Any
) -> AskedMeasure:
    return AskedMeasure(unit, digits, SignalTake(signal, **how), asks, (signal,), usual=usual)


MEASURES: dict[str, AskedMeasure] = {
    "time": AskedMeasure("s", 3, time_of,
        "TIME|PACE|LONG|LONG TAKE|SPREAD LAP|SPREAD LAPS|SPREAD|TREND FAST|TREND BETTER|MEAN LAP|MEDIAN "
        "LAP|RANK LAP", high=False),
    "speed": AskedMeasure("m/s", 0, _speed, signals=("speed_mps",), usual="most"),
    "entry_speed": AskedMeasure("m/s", 0, _pass_speed("entry_speed_mps"),
        "SPEED ENTRY|FAST ENTRY|CARRY ENTRY", ("speed_mps",), parts=("corner",)),
    "min_speed": AskedMeasure("m/s", 0, _min_speed,
        "SPEED APEX|LEAST SPEED PLACE|CARRY|SPEED CARRY|LEAST SPEED CORNERS|SPEED CORNERS", ("speed_mps",)),
    "exit_speed": AskedMeasure("m/s", 0, _pass_speed("exit_speed_mps"),
        "SPEED EXIT|FAST EXIT|EXIT BEST|EXIT BETTER|EXIT COMPARE", ("speed_mps",), parts=("corner",)),
    "brake_m": AskedMeasure("m", 0, _brake_m,
        "SPREAD BRAKE|BRAKE POINT|BRAKE WHERE|BRAKE LATE|BRAKE EARLY|BRAKE WHEN|BRAKE FAR BEFORE",
        ("speed_mps",), high=False, parts=("corner",)),
    "throttle_m": AskedMeasure("m", 0, _throttle_m,
        "ONGAS|ONGAS WHERE|ONGAS EARLY|ONGAS LATE|THROTTLE WHERE -FULL|THROTTLE EARLY|THROTTLE "
        "LATE|THROTTLE POINT|FULL WHEN|FULL EARLY|FULL LATE|FULL THROTTLE WHEN|ONGAS POINT|ONGAS WHEN|ONGAS "
        "THROTTLE",
        ("throttle_pct",), high=False, parts=("corner",)),
    "lift_m": AskedMeasure("m", 0, _lift_m,
        "LIFT|LIFT WHERE|LIFT POINT|LIFT FAR|LIFT FAR BEFORE|LIFT EARLY|LIFT LATE|THROTTLE LIFT|LIFT WHEN",
        ("throttle_pct",), high=False, parts=("corner",)),
    "brake_bar": _channel("bar", 0, "brake_bar",
        "PRESS PLACE -OIL|PRESS LAPS -OIL|BRAKE|WHERE BRAKE HARD|BRAKE PRESS|BRAKE HARD|BRAKE HOWMUCH",
        braked=True),
    "brake_time": AskedMeasure("s", 1, TimedTake("braking", braked=True),
        "BRAKE TIME|BRAKE HOWMUCH TIME|BRAKE LONG|BRAKE SHARE|BRAKE TAKE TIME",
        ("brake_bar", "brake_pct"), high=False),
    "brake_count": AskedMeasure("", 0, _braked, "BRAKE OFTEN|BRAKE HOWMANY", ("brake_bar", "brake_pct")),
    "brake_far_m": AskedMeasure("m", 0, _brake_far, "BRAKE FAR", ("brake_bar", "brake_pct"), high=False),
    "full_throttle": AskedMeasure("s", 1, TimedTake("full_throttle"),
        "FULL|FULL THROTTLE|FULL LONG|FULL TIME|FULL TIME THROTTLE|FULL THROTTLE SHARE", ("throttle_pct",)),
    "coast": AskedMeasure("s", 1, TimedTake("coasting"),
        "COAST|COAST LONG|COAST TIME", ("throttle_pct",), high=False),
    "overlap": AskedMeasure("s", 1, TimedTake("overlapping"),
        "BOTH|BOTH BRAKE|BOTH THROTTLE BRAKE|BOTH TIME", ("throttle_pct",), high=False),
    "trail": AskedMeasure("s", 1, TimedTake("trailing", braked=True),
        "TRAIL|TRAIL BRAKE|TRAIL LONG|TRAIL TIME", ("g_lat",)),
    "lost": AskedMeasure("s", 2, _lost,
        "LOSE TIME RANK|LOSE TIME CORNERS RANK|LOSE PIECES|LOSE PLACE|LOSE LAPS|LOSE LAP|LOSE SECTORS|GAIN "
        "LAPS|GAIN PLACE|LOSE EACH|LOSE TIME PLACE|LOSE TIME LAPS|LOSE TIME SECTORS|LOSE HOWMUCH TIME "
        "SECTORS|LOSE HOWMUCH TIME PLACE",
        high=False),
    "brake_lost": AskedMeasure("s", 2, _phase_lost("brake_loss_s"),
        "LOSE BRAKE", high=False, parts=("lap", "corner")),
    "mid_lost": AskedMeasure("s", 2, _phase_lost("mid_loss_s"),
        "LOSE APEX", high=False, parts=("lap", "corner")),
    "exit_lost": AskedMeasure("s", 2, _phase_lost("exit_loss_s"),
        "LOSE EXIT|LOSE THROTTLE", high=False, parts=("lap", "corner")),
    "lifts": AskedMeasure("", 0, _lifts,
        "LIFT OFTEN|LIFT HOWMANY|LIFT THROTTLE OFTEN", ("throttle_pct",), high=False),
    "throttle": _channel("%", 0, "throttle_pct",
        "THROTTLE|THROTTLE HOWMUCH|THROTTLE MEAN|THROTTLE EXIT|THROTTLE SHARE -FULL", usual="mean"),
    "throttle_turns": AskedMeasure("", 0, _turns("throttle_pct", 0.1),
        "THROTTLE SMOOTH|SMOOTH THROTTLE ONGAS|ONGAS SMOOTH", ("throttle_pct",), high=False),
    "steering_turns": AskedMeasure("", 0, _turns("steering_deg", 0.05),
        "STEER SMOOTH", ("steering_deg",), high=False),
    "gear": AskedMeasure("", 0, _gear, signals=("gear",)),
    "gear_time": AskedMeasure("s", 1, _gear_time,
        "TIME INGEAR|LONG INGEAR|EVER INGEAR|OFTEN INGEAR|INGEAR BE", ("gear",)),
    "shifts": AskedMeasure("", 0, _shifts, "SHIFT|SHIFT OFTEN|SHIFT HOWMANY|GEAR OFTEN SHIFT", ("gear",)),
    "upshifts": AskedMeasure("", 0, _upshifts, "UPSHIFT OFTEN|UPSHIFT HOWMANY", ("rpm",)),
    "downshifts": AskedMeasure("", 0, _downshifts, "DOWNSHIFT|DOWNSHIFT OFTEN|DOWNSHIFT HOWMANY", ("gear",)),
    "rpm": _channel("rpm", 0, "rpm"),
    "shift_rpm": AskedMeasure("rpm", 0, _shift_rpm,
        "SHIFT RPM|UPSHIFT RPM|UPSHIFT|SHIFT POINT|SHIFT WHERE|SHIFT WHEN|SHIFT LATE|SHIFT EARLY", ("rpm",)),
    "g_lat": _channel("g", 2, "g_lat", "G|G LAT|LAT|G CORNER|LAT ACCEL|G HOWMANY", sign=0.0, held=True),
    "g_brake": _channel("g", 2, "g_long",
        "BRAKE HARD G|BRAKE G|BRAKE HOWMUCH G|BRAKE HOWMANY G|LONGI G BRAKE",
        sign=-1.0, held=True, braked=True),
    "g_accel": _channel("g", 2, "g_long", "ACCEL|ACCEL G|LONGI G", held=True),
    "coolant_c": _channel("°C", 0, "coolant_c",
        "WATER|WATER TEMP|WATER HOT|ENGINE TEMP -OIL|ENGINE HOT -OIL|TEMP -OIL|HOT -OIL", slow=True),
    "oil_temp_c": _channel("°C", 0, "oil_temp_c", "OIL TEMP|OIL HOT|OIL|TEMP|HOT", slow=True),
    "oil_bar": _channel("bar", 1, "oil_bar", "OIL PRESS|OIL", slow=True),
    "steering_deg": _channel("°", 0, "steering_deg", "STEER|STEER ANGLE|STEER LOCK", sign=0.0),
    "yaw": _channel("deg/s", 0, "yaw_rate_dps", sign=0.0, held=True),
    "climb_m": AskedMeasure("m", 0, _climb, "CLIMB", ("altitude_m",)),
    "altitude_m": _channel("m", 0, "altitude_m", "HEIGHT"),
}  # fmt: skip
# Figures of every moment: over a part of a lap they have a highest, a lowest and a mean value.
CHANNELS = {name: row.take for name, row in MEASURES.items() if isinstance(row.take, SignalTake)}
OF_MOMENTS = frozenset(("speed", "gear", *CHANNELS))
PEAKED = frozenset(name for name, take in CHANNELS.items() if take.peaked)
CHANGE_SLOWLY = frozenset(name for name, take in CHANNELS.items() if take.slow)
# Where a signal is highest: what is looked up.
PLACED = CHANNELS | {"speed": SignalTake("speed_mps"), "min_speed": SignalTake("speed_mps", -1.0)}
# What holds while these are counted in seconds.
HOLDS = {name: row.take.condition for name, row in MEASURES.items() if isinstance(row.take, TimedTake)}
# The point of a corner of which these are.
POINT_OF = {name: at for at, name in SPEEDS.items()}
POINT_OF |= {"brake_m": "entry", "lift_m": "entry", "throttle_m": "exit"}
# Measures of a corner alone.
NEEDS_CORNER = frozenset(POINT_OF)
# The units in which a driver may ask: the one that they are told for, the system that shows them, how many
# of it a limit is (0.0: none is told in them).
UNITS: dict[str, tuple[str, Shown | None, float]] = {
    "kmh": ("m/s", "metric", 1.0), "mph": ("m/s", "imperial", 1.0), "knots": ("m/s", "nautical", 1.0),
    "bar": ("bar", "metric", 1.0), "psi": ("bar", "imperial", 1.0), "g": ("g", None, 1.0),
    "celsius": ("°C", "metric", 1.0), "fahrenheit": ("°C", "imperial", 1.0), "rpm": ("rpm", None, 1.0),
    "%": ("%", None, 1.0), "metres": ("m", "metric", 1.0), "feet": ("m", "imperial", 1.0),
    "yards": ("m", "yards", 1.0), "km": ("km", "metric", 1.0), "miles": ("km", "imperial", 1.0),
    "s": ("s", None, 1.0), "tenths": ("s", None, 0.1), "minutes": ("s", None, 0.0),
}  # fmt: skip
