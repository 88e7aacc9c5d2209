"""View a session for the page: laps by place on one even grid, corners, callouts, debrief."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from statistics import median
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from pitwall.analysis.compose import compose_debrief, next_run, noted, stint_sentence, thing_sentence
from pitwall.analysis.corners import CornerPart, grade, lost_most
from pitwall.analysis.drive import Drive, load_drive
from pitwall.analysis.highlights import at_pace, explained
from pitwall.analysis.lap_grid import (
    CHANNELS,
    LEAST_PLACES,
    PLACED,
    WHOLE,
    SeenChannels,
    SeenLap,
    SeenLaps,
    longest_m,
    on_grid,
    step_of,
)
from pitwall.analysis.lessons import evidence_sentence, lessons_for
from pitwall.analysis.port import Facts
from pitwall.analysis.progress import BestPiece, Potential
from pitwall.analysis.report import Report, make_report
from pitwall.analysis.tool_kit import JudgedSession, judged_session
from pitwall.coach.cue import SPOKEN, LedgerLine
from pitwall.contract.changes import Aim, Conditions
from pitwall.store.queries import Columns, SessionRow, when_driven
from pitwall.track.geometry import Projection
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.model import Track
from pitwall.words.language import Language

# A corner is shown with so much of the straights around it.
BEFORE_M, AFTER_M = 150.0, 100.0
# How many laps a view brings; how many are read one by one.
FIRST_LAPS, MOST_APART = 6, 12
# A track's line for a map of a phone's width.
LINE_POINTS = 400


# A lap on the grid by channel: see `LapView`.
LapColumns = dict[str, list[int | None]]


class ChannelView(msgspec.Struct, frozen=True):
    """A line of the charts: value = stored whole number / `scale`, in `unit`."""

    name: str
    title: str
    unit: str
    scale: int


class LapView(msgspec.Struct, frozen=True):
    """A lap. `columns`: channel name -> a whole number or None for each place of the grid;
    `time` in ms since its start. `seen`: it can be drawn, though `columns` may have to be read
    (`lap_columns`). `marked`: traffic or yellow. `start_t`: session time; None where it has no
    start."""

    lap: int
    start_t: float | None
    kind: str
    flying: bool
    time_s: float | None
    time: str
    sectors_s: tuple[float | None, ...]
    reason: str
    marked: str
    seen: bool
    columns: LapColumns


class CornerView(msgspec.Struct, frozen=True):
    """Where a corner lies, metres from the gate."""

    corner: str
    title: str
    number: str
    entry_m: float
    apex_m: float
    exit_m: float


class PassView(msgspec.Struct, frozen=True):
    """A drive through a corner in the driver's units. `brake`: from the brake point to the apex;
    `grade` A to D by the loss against the best pass, "" if unknown; `lost_in`: the part that
    lost most."""

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
    """A cue and what became of it. `before`: the way to its place, in the driver's unit."""

    lap: int
    corner: str
    before: int | None
    text: str
    said: bool
    outcome: str
    reason: str
    followed: str


class OpportunityView(msgspec.Struct, frozen=True):
    """The loss a lap in `laps`, those of `judged` that lost it, and a sentence on what to do."""

    corner: str
    loss_s: float
    laps: tuple[int, ...]
    judged: tuple[int, ...]
    text: str


class PotentialView(msgspec.Struct, frozen=True):
    """The theoretical best, by how much the best lap was slower, s, and the pieces."""

    time: str
    gain_s: float
    pieces: tuple[BestPiece, ...]


class MomentView(msgspec.Struct, frozen=True):
    """The one thing for the next run: two laps between two places, metres from the gate."""

    text: str
    corner: str
    lap: int
    against: int
    loss_s: float
    from_m: float
    to_m: float


class StintView(msgspec.Struct, frozen=True):
    """What the driver noted from a lap on, and the usual lap before and after."""

    from_lap: int
    text: str


class LessonView(msgspec.Struct, frozen=True):
    """Something learned of this driver here, and a line for each session that speaks of it."""

    text: str
    kind: str
    evidence: tuple[str, ...]


class TrackView(msgspec.Struct, frozen=True):
    """A track to draw: metres east and north of its first point, about every `step_m`."""

    track: str
    title: str
    length_m: float
    step_m: float
    line: tuple[tuple[float, float], ...]
    corners: tuple[CornerView, ...]


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """`labels` are the words that a page needs; distances are metres where no unit is said.
    `start_utc_s`: the clock at session time 0; `noted`: the conditions of the whole session."""

    session: str
    id: str
    track: str
    title: str
    when: str
    start_utc_s: float | None
    conditions: Conditions
    aim: Aim | None
    noted: str
    stints: tuple[StintView, ...]
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
    potential: PotentialView | None
    moment: MomentView | None
    lessons: tuple[LessonView, ...]
    debrief: str
    labels: dict[str, str]


# What a pass lost, s, the part of the corner that lost most, and its s.
Loss = tuple[float | None, CornerPart, float]
# A pass outside the flying laps.
NOT_JUDGED: Loss = (None, "", 0.0)


class JudgedDrive(NamedTuple):
    """A session as it was loaded, its report, and what a view needs besides."""

    drive: Drive
    report: Report
    seen: Seen


def judged_drive(facts: Facts, session: SessionRow) -> JudgedDrive:
    """Load one session in one pass over its frames, and judge it. StoreError."""
    seen = Seen(facts, session)
    drive = load_drive(facts, session, seen.see)
    seen.end()
    return JudgedDrive(drive, make_report(drive, facts), seen)


def _kept_report(facts: Facts, session: SessionRow) -> tuple[Report, Seen]:
    """Return the report, which a debrief may have kept, and what is seen of the frames besides."""
    fresh: list[JudgedDrive] = []

    def judge() -> JudgedSession:
        fresh.append(judged_drive(facts, session))
        return judged_session(fresh[0].drive, fresh[0].report, facts)

    report = facts.kept(session, "judged", JudgedSession, judge).report
    if fresh:
        return report, fresh[0].seen
    seen = Seen(facts, session)
    for columns in facts.columns(session.id):
        seen.see(columns)
    seen.end()
    return report, seen


class Seen:
    """What a view reads from frames besides the report: laps that can be drawn, channels."""

    def __init__(self, facts: Facts, session: SessionRow) -> None:
        self.track = facts.track(session.track) if session.track else None
        self.measures = [facts.words.figures.measure(unit) for _, unit, _ in CHANNELS]
        self.laps, self.drawn = facts.laps(session.id) or [WHOLE], set[int]()
        self.columns: dict[int, LapColumns] = {}
        self.length_m = 0.0 if self.track is None else self.track.lap_m
        self._channels, self._placed = SeenChannels(self.measures), [0] * len(self.laps)
        self._driven = SeenLaps(None, self.laps, lambda _: None) if self.track is None else None

    def see(self, columns: Columns) -> None:
        """Take a piece of the session by column."""
        self._channels.see(columns)
        if self._driven is not None:
            self._driven.see(columns)
            return
        t, status = columns["t"], columns["status"]
        for number, lap in enumerate(self.laps):
            if lap.start_t <= t[-1] and lap.end_t >= t[0]:
                within = status[bisect_left(t, lap.start_t) : bisect_right(t, lap.end_t)]
                self._placed[number] += sum(map(within.count, PLACED))

    def end(self) -> None:
        """Take in that the session has ended."""
        if self._driven is not None:
            traces = self._driven.traces
            lengths = [each.far_m[-1] for each in traces if each.lap.time_s is not None and each.far_m]
            self.length_m = median(lengths) if lengths else longest_m(traces)
            for each in traces:
                found = on_grid(each, self.length_m, self._driven.projection, self.measures)
                self.columns[each.lap.number] = found
            self.drawn = {number for number, found in self.columns.items() if found}
        else:
            counted = zip(self.laps, self._placed, strict=True)
            self.drawn = {lap.number for lap, count in counted if count >= LEAST_PLACES}

    @property
    def channels(self) -> set[str]:
        """Return those that are drawn."""
        return self._channels.shown()


def lap_columns(facts: Facts, session: SessionRow, wanted: Collection[int]) -> dict[int, LapColumns]:
    """Return these laps of a session on a known track by place. StoreError."""
    track = facts.track(session.track) if session.track else None
    if track is None:
        return {}
    measures = [facts.words.figures.measure(unit) for _, unit, _ in CHANNELS]
    found: dict[int, LapColumns] = {}

    def ended(trace: SeenLap) -> None:
        found[trace.lap.number] = on_grid(trace, track.lap_m, seen.projection, measures)
        trace.clear()

    laps = [lap for lap in facts.laps(session.id) or [WHOLE] if lap.number in wanted]
    seen = SeenLaps(track, laps, ended)
    # A few laps are read one by one; of many the whole drive is read at once.
    few = len(laps) <= MOST_APART
    for begin, end in [(lap.start_t, lap.end_t) for lap in laps] if few else [(-math.inf, math.inf)]:
        for columns in facts.columns(session.id, begin, end):
            seen.see(columns)
    if laps:
        seen.end()
    return found


def session_view(
    facts: Facts,
    session: SessionRow,
    ledger: Sequence[LedgerLine],
    judged: JudgedDrive | None = None,
) -> SessionView:
    """View one session; on a known track its laps have no columns: see `with_columns`."""
    words = facts.words
    report, seen = (judged.report, judged.seen) if judged else _kept_report(facts, session)
    track, length_m = seen.track, seen.length_m
    passes = facts.corner_passes(session.id)
    speed, distance = words.figures.measure("m/s"), words.figures.measure("m")
    corners = _corners(track, words)
    days = {row.id: row.name or when_driven(row) for row in facts.sessions()}
    lost: dict[tuple[int, str], Loss] = {
        (each.lap, each.corner): (each.loss_s, *lost_most(each)) for each in report.passes
    }
    followed = _followed(ledger, passes, {key: found[0] for key, found in lost.items()}, seen.laps, words)
    return SessionView(
        session=session.name or session.id,
        id=session.id,
        track=session.track,
        title=report.track_name or words.say("unknown track"),
        when=when_driven(session),
        start_utc_s=session.start_utc_s if session.time_of_day_s is None else None,
        conditions=session.conditions,
        aim=report.aim,
        noted=noted(session.conditions, words, stints=False),
        stints=tuple(
            StintView(each.from_lap, stint_sentence(report, each, words)) for each in report.conditions.stints
        ),
        driver=session.driver,
        car=session.vehicle,
        length_m=length_m,
        step_m=step_of(length_m),
        speed_unit=speed.name,
        distance_unit=distance.name,
        laps=tuple(_lap(lap, seen, words) for lap in seen.laps),
        channels=tuple(
            ChannelView(name, words.term("chart", name), measure.name, scale)
            for (name, _, scale), measure in zip(CHANNELS, seen.measures, strict=True)
            if name in seen.channels
        ),
        corners=corners,
        passes=_passes(passes, lost, corners, length_m, words),
        callouts=_callouts(ledger, followed, words),
        opportunities=tuple(
            OpportunityView(
                each.corner,
                round(each.loss_s, 3),
                each.laps,
                each.judged_laps,
                thing_sentence(each, report, words),
            )
            for each in report.opportunities
        ),
        potential=_potential(report.potential, words),
        moment=_moment(report, track, lost, words),
        lessons=tuple(
            LessonView(
                each.text,
                words.term("lesson", each.kind),
                tuple(
                    evidence_sentence(replace(shown, session=days.get(shown.session, shown.session)), words)
                    for shown in each.evidence
                ),
            )
            for each in lessons_for(facts.lessons(), session)
        ),
        debrief=compose_debrief(report, words),
        labels=words.terms("view"),
    )


def _followed(
    ledger: Sequence[LedgerLine],
    passes: Sequence[CornerPass],
    lost_s: Mapping[tuple[int, str], float | None],
    laps: Sequence[Lap],
    words: Language,
) -> dict[int, str]:
    advice = [each for each in ledger if each.concept]
    quick = at_pace((lap.number, lap.kind, lap.time_s) for lap in laps)
    results = explained(advice, passes, lost_s, quick)
    return {line.cue: result.followed(words) for line, result in zip(advice, results, strict=True)}


def _passes(
    passes: Sequence[CornerPass],
    lost: Mapping[tuple[int, str], Loss],
    corners: Sequence[CornerView],
    length_m: float,
    words: Language,
) -> tuple[PassView, ...]:
    speed, distance = words.figures.measure("m/s"), words.figures.measure("m")
    apexes = {corner.corner: corner.apex_m for corner in corners}
    return tuple(
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
    )


def _callouts(
    ledger: Sequence[LedgerLine], followed: Mapping[int, str], words: Language
) -> tuple[CalloutView, ...]:
    factor = words.figures.measure("m").factor
    return tuple(
        CalloutView(
            each.lap,
            each.corner,
            None if each.action_distance_m is None else round(each.action_distance_m * factor),
            each.text,
            each.outcome in SPOKEN,
            words.term("outcome", each.outcome),
            words.reason(each.why),
            followed.get(each.cue, ""),
        )
        for each in ledger
    )


def track_view(track: Track, words: Language) -> TrackView:
    """View a track as a page draws it while one drives there."""
    lat_deg, lon_deg, _ = track.centreline[0]
    projection = Projection(lat_deg, lon_deg)
    every = max(1, len(track.centreline) // LINE_POINTS)
    line = tuple(projection.xy(lat, lon) for lat, lon, _ in track.centreline[::every])
    return TrackView(
        track=track.id,
        title=track.name,
        length_m=track.lap_m,
        step_m=track.lap_m * every / len(track.centreline),
        line=tuple((round(x_m, 1), round(y_m, 1)) for x_m, y_m in line),
        corners=_corners(track, words),
    )


def _potential(potential: Potential, words: Language) -> PotentialView | None:
    if potential.theory_s is None or potential.gain_s is None:
        return None
    clock = words.figures.clock(potential.theory_s)
    return PotentialView(clock, round(potential.gain_s, 3), potential.pieces)


def _moment(
    report: Report, track: Track | None, lost: Mapping[tuple[int, str], Loss], words: Language
) -> MomentView | None:
    if not report.opportunities or track is None:
        return None
    each = report.opportunities[0]
    laps = each.laps or each.judged_laps
    loss_s, lap = max((lost.get((lap, each.corner), NOT_JUDGED)[0] or 0.0, lap) for lap in laps)
    [corner] = [corner for corner in track.corners if corner.id == each.corner]
    from_m = (corner.entry_m - BEFORE_M) % track.length_m
    span_m = BEFORE_M + (corner.exit_m - corner.entry_m) % track.length_m + AFTER_M
    return MomentView(
        next_run(report, words),
        each.corner,
        lap,
        each.against_lap,
        round(loss_s, 3),
        from_m,
        from_m + min(span_m, track.length_m),
    )


def _corners(track: Track | None, words: Language) -> tuple[CornerView, ...]:
    corners = () if track is None else sorted(track.corners, key=lambda corner: corner.apex_m)
    return tuple(
        CornerView(each.id, each.name, each.number, each.entry_m, each.apex_m, each.exit_m)
        for each in corners
    )


def first_laps(view: SessionView) -> list[int]:
    """Return the laps to show first: those of the moment, then the fastest."""
    moment = [] if view.moment is None else [view.moment.lap, view.moment.against]
    drawn = sorted(view.laps, key=lambda lap: (not lap.flying, lap.time_s or math.inf))
    order = dict.fromkeys([*moment, *(lap.lap for lap in drawn if lap.seen)])
    return list(order)[:FIRST_LAPS]


def with_columns(view: SessionView, columns: Mapping[int, LapColumns]) -> SessionView:
    """Return the view with these laps by place."""
    laps = (replace(lap, columns=columns.get(lap.lap, lap.columns)) for lap in view.laps)
    return replace(view, laps=tuple(laps))


def _lap(lap: Lap, seen: Seen, words: Language) -> LapView:
    return LapView(
        lap=lap.number,
        start_t=lap.start_t if math.isfinite(lap.start_t) else None,
        kind=words.term("lap", lap.kind),
        flying=lap.kind == "flying",
        time_s=lap.time_s,
        time=words.figures.clock(lap.time_s),
        sectors_s=tuple(None if each is None else round(each, 3) for each in lap.sectors_s),
        reason=words.in_units(lap.reason),
        marked=lap.kind if lap.kind in ("traffic", "yellow") else "",
        seen=lap.number in seen.drawn,
        columns=seen.columns.get(lap.number, {}),
    )
