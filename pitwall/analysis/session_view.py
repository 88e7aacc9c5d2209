"""One session to look at: each lap by place on one even grid, corners, callouts, and the composed debrief.

What a page draws, in the driver's language and units; a page only chooses and draws.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from statistics import median

import msgspec

from pitwall.analysis.compose import compose_debrief, thing_sentence
from pitwall.analysis.corners import CornerPart, grade, lost_most
from pitwall.analysis.heeded import at_pace, explained
from pitwall.analysis.lessons import evidence_told, lesson_told, lessons_for
from pitwall.analysis.port import Facts
from pitwall.analysis.report import debrief_facts, report_on
from pitwall.coach.cue import LedgerLine
from pitwall.store.queries import Columns, SessionRow, when_driven
from pitwall.track.geometry import Projection
from pitwall.track.lap import Lap
from pitwall.track.model import Track
from pitwall.words.language import Language
from pitwall.words.units import Measure

# Enough for a screen of 2,560 px beside the map; 20 laps of it are a megabyte.
MOST_PLACES, LEAST_STEP_M = 1_000, 2.0
# A track's line for a map of a phone's width.
LINE_POINTS = 400
# Over a longer hole nothing is drawn.
HOLE_M = 60.0
# A piece of a lap shorter than this has nothing to compare.
LEAST_PLACES = 20
# Where the car was seen on the track or beside it.
PLACED = ("on", "off", "pit")
# A session without laps is drawn as one.
WHOLE = Lap(0, "broken", -math.inf, math.inf, None)


class ChannelView(msgspec.Struct, frozen=True):
    """One line of the charts: value = stored whole number / `scale`, in `unit`."""

    name: str
    title: str
    unit: str
    scale: int


class LapView(msgspec.Struct, frozen=True):
    """One lap. `columns`: channel name -> a whole number for each place of the grid, None where there is
    none; `time` in ms since its start. A lap without any was not seen. `marked`: what a person said of it,
    traffic or yellow."""

    lap: int
    kind: str
    flying: bool
    time_s: float | None
    time: str
    sectors_s: tuple[float | None, ...]
    reason: str
    marked: str
    columns: dict[str, list[int | None]]


class CornerView(msgspec.Struct, frozen=True):
    """Where a corner lies, metres from the gate."""

    corner: str
    title: str
    number: str
    entry_m: float
    apex_m: float
    exit_m: float


class PassView(msgspec.Struct, frozen=True):
    """One drive through a corner: speeds in the driver's unit, `brake` his distance from the brake point to
    the apex in the driver's unit, loss against the session's best lap in seconds. `grade` A to D by that
    loss, "" where it is not known; `lost_in` is the part of the corner that lost most, `lost_s` how much."""

    lap: int
    corner: str
    time_s: float
    brake: float | None
    min_speed: float
    exit_speed: float
    loss_s: float | None
    grade: str
    lost_in: CornerPart
    lost_s: float | None


class CalloutView(msgspec.Struct, frozen=True):
    """One cue of the coach and what became of it. `before`: from the car to the place it was about, in the
    driver's unit, when that was decided. `followed`: whether the next pass heeded it."""

    lap: int
    corner: str
    before: int | None
    text: str
    outcome: str
    reason: str
    followed: str


class OpportunityView(msgspec.Struct, frozen=True):
    """Time that is there: the loss a lap in `laps`, which are those of `judged` that lost it, and the
    sentence that says what was done otherwise and what to do."""

    corner: str
    loss_s: float
    laps: tuple[int, ...]
    judged: tuple[int, ...]
    text: str


class LessonView(msgspec.Struct, frozen=True):
    """Something that was learned of this driver here, and a line for each session that speaks of it."""

    text: str
    kind: str
    evidence: tuple[str, ...]


class TrackView(msgspec.Struct, frozen=True):
    """A track to draw: its line in metres east and north of its first point, about every `step_m` from the
    gate."""

    track: str
    title: str
    length_m: float
    step_m: float
    line: tuple[tuple[float, float], ...]
    corners: tuple[CornerView, ...]


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """`labels` are the words that a page needs; distances are metres where no unit is said. `id` and `track`
    are those of the store."""

    session: str
    id: str
    track: str
    title: str
    when: str
    driver: str
    car: str
    length_m: float
    step_m: float
    speed_unit: str
    distance_unit: str
    laps: tuple[LapView, ...]
    channels: tuple[ChannelView, ...]
    corners: tuple[CornerView, ...]
    passes: tuple[PassView, ...]
    callouts: tuple[CalloutView, ...]
    opportunities: tuple[OpportunityView, ...]
    lessons: tuple[LessonView, ...]
    debrief: str
    labels: dict[str, str]


# The channels by their signal, the unit that the signal is in, and how finely it is kept.
CHANNELS: tuple[tuple[str, str, int], ...] = (
    ("speed_mps", "m/s", 10),
    ("brake_bar", "bar", 10),
    ("brake_pct", "%", 10),
    ("throttle_pct", "%", 10),
    ("steering_deg", "°", 10),
    ("g_lat", "g", 100),
    ("g_long", "g", 100),
    ("gear", "", 1),
    ("rpm", "1/min", 1),
)
PLACE_SCALE = 10
# A pass outside the flying laps: no loss, and no part of the corner where it was.
NOT_JUDGED: tuple[float | None, CornerPart, float] = (None, "", 0.0)


class _Trace:
    """One lap as it was driven: places in metres from its start, never falling, and what was read there."""

    def __init__(self, lap: Lap) -> None:
        self.lap = lap
        self.far_m: list[float] = []
        self.t: list[float] = []
        self.rows: list[tuple[float | None, ...]] = []

    def add(self, far_m: float, t: float, row: tuple[float | None, ...]) -> None:
        if self.far_m and far_m <= self.far_m[-1]:
            # The first reading behind the gate may still be placed before it, at the end of the lap.
            if len(self.far_m) >= LEAST_PLACES or far_m > self.far_m[0] / 2.0:
                return
            self.clear()
        self.far_m.append(far_m)
        self.t.append(t)
        self.rows.append(row)

    def clear(self) -> None:
        """Give back what was read."""
        self.far_m, self.t, self.rows = [], [], []


def session_view(facts: Facts, session: SessionRow, ledger: Sequence[LedgerLine]) -> SessionView:
    """Read one session in one pass over its frames. StoreError where it can't be read."""
    words = facts.words
    track = facts.track(session.track) if session.track else None
    laps = facts.laps(session.id)
    measures = [words.figures.measure(unit) for _, unit, _ in CHANNELS]
    columns: dict[int, dict[str, list[int | None]]] = {}

    def ended(trace: _Trace) -> None:
        """A lap of a known track needs no other lap; what was read of it is given back at once."""
        if track is not None:
            columns[trace.lap.number] = _columns(trace, _grid(track.length_m), measures)
            trace.clear()

    seen = _Traces(track, laps, ended)
    report = report_on(facts, session, seen.see)
    seen.end()
    debriefed, traces = debrief_facts(report), seen.traces
    if track is None:
        lengths = [trace.far_m[-1] for trace in traces if trace.lap.time_s is not None and trace.far_m]
        length_m = median(lengths) if lengths else _longest_m(traces)
        columns = {trace.lap.number: _columns(trace, _grid(length_m), measures) for trace in traces}
    else:
        length_m = track.length_m
    used = _used(columns.values())
    passes = facts.corner_passes(session.id)
    advice = [each for each in ledger if each.concept]
    quick = at_pace((lap.number, lap.kind, lap.time_s) for lap in laps)
    followed = {
        line.cue: told.followed(words)
        for line, told in zip(advice, explained(advice, passes, quick), strict=True)
    }
    speed, distance = words.figures.measure("m/s"), words.figures.measure("m")
    corners = _corners(track, words)
    # What is stored of a pass was lost against the best lap until then.
    lost = {(each.lap, each.corner): (each.loss_s, *lost_most(each)) for each in report.passes}
    apexes = {corner.corner: corner.apex_m for corner in corners}
    return SessionView(
        session=session.name or session.id,
        id=session.id,
        track=session.track,
        title=report.track_name or words.say("unknown track"),
        when=words.retold(when_driven(session)),
        driver=session.driver,
        car=session.vehicle,
        length_m=length_m,
        step_m=_step_m(length_m),
        speed_unit=speed.name,
        distance_unit=distance.name,
        laps=tuple(_lap(lap, columns.get(lap.number, {}), words) for lap in laps or [WHOLE]),
        channels=tuple(
            ChannelView(name, words.term("chart", name), measure.name, scale)
            for (name, _, scale), measure in zip(CHANNELS, measures, strict=True)
            if name in used
        ),
        corners=corners,
        passes=tuple(
            PassView(
                lap=each.lap,
                corner=each.corner,
                time_s=round(each.time_s, 3),
                brake=(
                    None
                    if each.brake_m is None or each.corner not in apexes
                    else round(((apexes[each.corner] - each.brake_m) % length_m) * distance.factor, 1)
                ),
                min_speed=round(each.min_speed_mps * speed.factor, 1),
                exit_speed=round(each.exit_speed_mps * speed.factor, 1),
                loss_s=None if loss_s is None else round(loss_s, 3),
                grade=grade(loss_s),
                lost_in=part,
                lost_s=None if not part else round(lost_s, 2),
            )
            for each in passes
            for loss_s, part, lost_s in (lost.get((each.lap, each.corner), NOT_JUDGED),)
        ),
        callouts=tuple(
            CalloutView(
                each.lap,
                each.corner,
                None if each.action_distance_m is None else round(each.action_distance_m * distance.factor),
                each.text,
                words.term("outcome", each.outcome),
                words.retold(each.reason),
                followed.get(each.cue, ""),
            )
            for each in ledger
        ),
        opportunities=tuple(
            OpportunityView(
                each.corner,
                round(each.loss_s, 3),
                each.laps,
                each.judged_laps,
                thing_sentence(each, debriefed, words),
            )
            for each in report.opportunities
        ),
        lessons=tuple(
            LessonView(
                lesson_told(each, report.track_name, report.places, words),
                words.term("lesson", each.kind),
                tuple(evidence_told(evidence, words) for evidence in each.evidence),
            )
            for each in lessons_for(facts.lessons(), session)
        ),
        debrief=compose_debrief(debriefed, words),
        labels=words.terms("view"),
    )


def track_view(track: Track, words: Language) -> TrackView:
    """A track as a page draws it while one drives there."""
    lat_deg, lon_deg, _ = track.centreline[0]
    projection = Projection(lat_deg, lon_deg)
    every = max(1, len(track.centreline) // LINE_POINTS)
    line = tuple(projection.xy(lat, lon) for lat, lon, _ in track.centreline[::every])
    return TrackView(
        track=track.id,
        title=track.name,
        length_m=track.length_m,
        step_m=track.length_m * every / len(track.centreline),
        line=tuple((round(x_m, 1), round(y_m, 1)) for x_m, y_m in line),
        corners=_corners(track, words),
    )


def _corners(track: Track | None, words: Language) -> tuple[CornerView, ...]:
    """The corners in driving order."""
    corners = () if track is None else sorted(track.corners, key=lambda corner: corner.apex_m)
    return tuple(
        CornerView(
            each.id, words.corner_title(each.name), each.number, each.entry_m, each.apex_m, each.exit_m
        )
        for each in corners
    )


def _step_m(length_m: float) -> float:
    return max(length_m / MOST_PLACES, LEAST_STEP_M)


def _grid(length_m: float) -> list[float]:
    """The places of a lap, metres."""
    step_m = _step_m(length_m)
    return [n * step_m for n in range(int(length_m / step_m) + 1)]


def _longest_m(traces: Sequence[_Trace]) -> float:
    """How far the longest one goes, metres; at least one step."""
    return max((trace.far_m[-1] for trace in traces if trace.far_m), default=LEAST_STEP_M)


class _Traces:
    """The laps as they were driven, frame by frame. Without a track, places come from speed and time."""

    def __init__(self, track: Track | None, laps: Sequence[Lap], ended: Callable[[_Trace], None]) -> None:
        self._ended = ended
        self.traces = [_Trace(lap) for lap in laps or [WHOLE]]
        self._tracked, self._at = track is not None, 0
        self._projection: Projection | None = None
        self._last_t: float | None = None
        self._far_m = 0.0

    def end(self) -> None:
        """Nothing comes any more."""
        for trace in self.traces[self._at :]:
            self._ended(trace)

    def see(self, columns: Columns) -> None:
        """Take a piece of the session by column."""
        names = ("t", "status", "distance_m", "lat_deg", "lon_deg", "speed_mps")
        channels = zip(*(columns[name] for name, _, _ in CHANNELS), strict=True)
        for placed, values in zip(
            zip(*(columns[name] for name in names), strict=True), channels, strict=True
        ):
            t, status, distance_m, lat_deg, lon_deg, speed_mps = placed
            while t > self.traces[self._at].lap.end_t and self._at + 1 < len(self.traces):
                self._ended(self.traces[self._at])
                self._at, self._last_t, self._far_m = self._at + 1, None, 0.0
            trace = self.traces[self._at]
            if not trace.lap.start_t <= t <= trace.lap.end_t or (self._tracked and status not in PLACED):
                continue
            x_m = y_m = None
            if lat_deg is not None and lon_deg is not None:
                if self._projection is None:
                    self._projection = Projection(lat_deg, lon_deg)
                x_m, y_m = self._projection.xy(lat_deg, lon_deg)
            if self._tracked:
                trace.add(distance_m, t, (x_m, y_m, *values))
                continue
            if self._last_t is not None:
                self._far_m += (speed_mps or 0.0) * (t - self._last_t)
            self._last_t = t
            trace.add(self._far_m, t, (x_m, y_m, *values))


def _used(laps: Collection[dict[str, list[int | None]]]) -> set[str]:
    """The channels that ever change; of two that tell of the brake the pressure."""
    used: set[str] = set()
    for name, _, _ in CHANNELS:
        values = (value for lap in laps for value in lap.get(name, ()) if value is not None)
        first = next(values, None)
        if any(value != first for value in values):
            used.add(name)
    return used - {"brake_pct"} if "brake_bar" in used else used


def _columns(
    trace: _Trace, grid: Sequence[float], measures: Sequence[Measure]
) -> dict[str, list[int | None]]:
    """The lap on the grid; channels that it has."""
    if len(trace.far_m) < LEAST_PLACES:
        return {}
    start_t = trace.lap.start_t if math.isfinite(trace.lap.start_t) else trace.t[0]
    spots = [_between(trace.far_m, place_m) for place_m in grid]
    found = {"time": _on_grid(trace.t, spots, 1.0, -start_t, 1e3)}
    # The first and the last place lie outside what was read: all but time is as it was last.
    inside = [None if at is None else (at[0], min(max(at[1], 0.0), 1.0)) for at in spots]
    # Gears have no values between them.
    whole = [None if at is None else (at[0], float(round(at[1]))) for at in inside]
    kinds = [("x", 1.0, 0.0, PLACE_SCALE), ("y", 1.0, 0.0, PLACE_SCALE)]
    kinds += [(name, m.factor, m.offset, kept) for (name, _, kept), m in zip(CHANNELS, measures, strict=True)]
    for (name, factor, offset, kept), read in zip(kinds, zip(*trace.rows, strict=True), strict=True):
        values = _on_grid(read, whole if name == "gear" else inside, factor, offset, float(kept))
        if any(value is not None for value in values):
            found[name] = values
    return found


def _on_grid(
    read: Sequence[float | None],
    spots: Sequence[tuple[int, float] | None],
    factor: float,
    offset: float,
    kept: float,
) -> list[int | None]:
    """What was read, at each spot of the grid, in whole numbers; None in a hole."""
    return [
        None
        if at is None or (before := read[at[0]]) is None or (after := read[at[0] + 1]) is None
        else round(((before + at[1] * (after - before)) * factor + offset) * kept)
        for at in spots
    ]


def _between(far_m: Sequence[float], place_m: float) -> tuple[int, float] | None:
    """The index of the reading before a place and the share of the step to the next one; None in a hole."""
    i = min(max(bisect_right(far_m, place_m) - 1, 0), len(far_m) - 2)
    step_m = far_m[i + 1] - far_m[i]
    share = (place_m - far_m[i]) / step_m
    # The first and the last place lie a step outside what was read.
    return (i, share) if step_m <= HOLE_M and -1.0 <= share <= 2.0 else None


def _lap(lap: Lap, columns: dict[str, list[int | None]], words: Language) -> LapView:
    return LapView(
        lap=lap.number,
        kind=words.term("lap", lap.kind),
        flying=lap.kind == "flying",
        time_s=lap.time_s,
        time=words.figures.clock(lap.time_s),
        sectors_s=tuple(None if each is None else round(each, 3) for each in lap.sectors_s),
        reason=words.retold(lap.reason),
        marked=lap.kind if lap.kind in ("traffic", "yellow") else "",
        columns=columns,
    )
