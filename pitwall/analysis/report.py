"""Report on one session, for tools and sentences; with its weather and grip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import msgspec

from pitwall.analysis.compare import CornerVariance, Fade, find_fade, map_variance, slope_of, stints_of
from pitwall.analysis.corners import PassFacts, measure_passes
from pitwall.analysis.drive import Drive, forces_g, load_drive, measured, quantile
from pitwall.analysis.effect import trial_units
from pitwall.analysis.hands import Hands, hands_of
from pitwall.analysis.highlights import Highlight, find_highlights
from pitwall.analysis.incidents import Incident, IncidentKind, find_incidents
from pitwall.analysis.lessons import lessons_for
from pitwall.analysis.opportunities import FEWEST_PASSES, Opportunity, find_opportunities
from pitwall.analysis.places import Place, are_counted, places_on
from pitwall.analysis.port import Facts
from pitwall.analysis.profile import derive_events
from pitwall.analysis.progress import (
    Goals,
    Potential,
    SessionPlan,
    TrackProgress,
    find_goals,
    find_potential,
    find_progress,
    make_plan,
)
from pitwall.coach.cue import SPOKEN, LedgerLine
from pitwall.contract.changes import Aim, Conditions
from pitwall.diagnosis.advice import UNIT_OF, Action
from pitwall.diagnosis.shape import PHASES, Phase
from pitwall.store.lessons import DriverEvent, Lesson
from pitwall.store.queries import SessionRow, SignalRange, real_ones
from pitwall.track.lap import Lap

# A button is pressed on the next straight: it marks what happened up to this many seconds before.
MARKED_WITHIN_S = 12.0
# Grip in use: the hardest twentieth of a lap's readings, which a single kerb does not move.
GRIP_QUANTILE = 0.95
FEWEST_GRIP_LAPS = 4
# A smaller change of grip between laps is how the driver drove.
GRIP_NOISE_G_PER_LAP = 0.01
# Words in loggers' names of weather channels.
WEATHER_WORDS = ("ambient", "air_temp", "track_temp", "outside", "humidity", "baro", "weather", "rain")
# Ends of scales that an unplugged weather channel reads: -40 degrees, 255, 500.
UNPLUGGED_LEAST, UNPLUGGED_MOST = -39.0, 254.0


class MeasuredConditions(msgspec.Struct, frozen=True, kw_only=True):
    """`grip`: whether it rose or fell, by the hardest twentieth of each flying lap."""

    readings: tuple[SignalRange, ...]
    weather_recorded: bool
    median_grip_g: float | None
    grip: str
    notes: tuple[str, ...]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A session against its own fastest flying lap (`reference`, session:lap, or ""): all that a
    debrief may use. `corners_counted`: the corners are numbered by counting alone."""

    session: str
    track: str
    track_name: str
    reference: str
    reference_lap: int | None
    laps: tuple[Lap, ...]
    passes: tuple[PassFacts, ...]
    variance: tuple[CornerVariance, ...]
    highlights: tuple[Highlight, ...]
    opportunities: tuple[Opportunity, ...]
    incidents: tuple[Incident, ...]
    potential: Potential
    corners_counted: bool
    places: dict[str, Place]
    signals: tuple[str, ...]
    hands: Hands | None = None
    fade: Fade | None = None
    calls: tuple[CarCall, ...] = ()
    moments: tuple[MarkedMoment, ...] = ()
    aim: Aim | None = None
    conditions: Conditions = Conditions()


class MarkedMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A moment that the driver marked: an incident, or what the pass of a corner lost."""

    lap: int
    t: float
    corner: str = ""
    loss_s: float = 0.0
    best_lap: int = 0
    phase: Phase | None = None
    incident: IncidentKind | None = None


class CarCall(msgspec.Struct, frozen=True):
    """An action that was called in the car before a corner, and in which laps."""

    corner: str
    action: Action
    laps: tuple[int, ...]


class BriefFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the last session here, what is next, and what was learned before."""

    track_name: str
    progress: TrackProgress
    goals: Goals
    plan: SessionPlan
    opportunities: tuple[Opportunity, ...]
    highlights: tuple[Highlight, ...]
    places: dict[str, Place]
    lessons: tuple[Lesson, ...] = ()
    aim: Aim | None = None


def make_report(drive: Drive, facts: Facts) -> Report:
    """Judge one session from every side. StoreError."""
    reference, track = drive.reference(), drive.track
    passes, incidents, ledger = measure_passes(drive), find_incidents(drive), facts.cues(drive.id)
    return Report(
        session=drive.id,
        track=drive.session.track,
        track_name=track.name if track is not None else drive.session.venue,
        reference="" if reference is None else reference.label,
        reference_lap=None if reference is None else reference.lap,
        laps=drive.laps,
        passes=tuple(passes),
        variance=tuple(map_variance(passes)),
        highlights=tuple(find_highlights(drive, facts.sessions())),
        opportunities=tuple(find_opportunities(drive.study)),
        incidents=tuple(incidents),
        potential=find_potential(drive),
        corners_counted=are_counted(drive.corners),
        places=places_on(track),
        signals=drive.signals,
        hands=hands_of(drive, passes),
        fade=find_fade(drive.counting),
        calls=calls_of(ledger),
        moments=tuple(explain_moments(ledger, drive, incidents)),
        aim=facts.aim(drive.session.track),
        conditions=drive.session.conditions,
    )


def explain_moments(
    ledger: Sequence[LedgerLine], drive: Drive, incidents: Sequence[Incident]
) -> Iterator[MarkedMoment]:
    """Explain each moment that was marked while driving, a while after it was."""
    for line in ledger:
        if line.phase != "mark" or line.text != "mark":
            continue
        trouble = [each for each in incidents if 0.0 <= line.t - each.t <= MARKED_WITHIN_S]
        if trouble:
            yield MarkedMoment(lap=line.lap, t=line.t, corner=trouble[-1].corner, incident=trouble[-1].kind)
            continue
        found = MarkedMoment(lap=line.lap, t=line.t)
        for each in drive.passes:
            lost = None if drive.study is None else drive.study.loss_of(each.lap, each.corner)
            begun_s = line.t - each.entry_t
            if lost is None or not 0.0 <= begun_s <= MARKED_WITHIN_S + each.time_s:
                continue
            if not found.corner or lost.loss_s > found.loss_s:
                phase = PHASES[max(range(len(PHASES)), key=lost.gains_s.__getitem__)]
                found = MarkedMoment(
                    lap=line.lap, t=line.t, corner=each.corner, loss_s=lost.loss_s,
                    best_lap=lost.best_lap, phase=phase,
                )  # fmt: skip
        yield found


def calls_of(ledger: Sequence[LedgerLine]) -> tuple[CarCall, ...]:
    """Return what was called before corners, the most frequent first."""
    laps: dict[tuple[str, Action], list[int]] = {}
    for line in ledger:
        action = next((each for each in UNIT_OF if each == line.concept), None)
        if action is not None and line.outcome in SPOKEN and line.action_distance_m is not None:
            laps.setdefault((line.corner, action), []).append(line.lap)
    found = [CarCall(corner, action, tuple(of)) for (corner, action), of in laps.items()]
    return tuple(sorted(found, key=lambda each: -len(each.laps)))


def brief_facts(report: Report, facts: Facts) -> BriefFacts:
    """Return the facts of a brief from the report on the last session here."""
    progress = progress_on(facts, report.track)
    own = [row for row in facts.sessions() if row.id == report.session]
    return BriefFacts(
        track_name=report.track_name,
        progress=progress,
        goals=find_goals(report.potential),
        plan=plan_of(report),
        opportunities=report.opportunities,
        highlights=report.highlights,
        places=report.places,
        aim=report.aim,
        lessons=tuple(each for row in own for each in lessons_for(facts.lessons(), row)),
    )


def progress_on(facts: Facts, track: str) -> TrackProgress:
    """Find the progress of real sessions on a track."""
    rows = real_ones([row for row in facts.sessions() if track and row.track == track])
    return find_progress(track, [(row, facts.laps(row.id)) for row in rows])


def plan_of(report: Report) -> SessionPlan:
    """Plan the session after this report."""
    laps, best_s = len(report.potential.laps), report.potential.best_lap_s
    plan = make_plan(laps, report.opportunities, report.variance)
    if report.aim is None or best_s is None:
        return plan
    worth_s = sum(each.worth_s or 0.0 for each in plan.blocks)
    goal_s = report.aim.time_s
    return msgspec.structs.replace(plan, goal_s=goal_s, to_goal_s=best_s - goal_s, worth_s=worth_s)


def profile_events(facts: Facts, session: SessionRow) -> list[DriverEvent]:
    """Return the driver events that replace a session's stored ones. StoreError."""
    drive = load_drive(facts, session)
    return events_of(drive, make_report(drive, facts), facts)


def events_of(drive: Drive, found: Report, facts: Facts) -> list[DriverEvent]:
    """Return the driver events of a session that was judged. StoreError."""
    passes = {} if drive.study is None else drive.study.passes
    judged = [own[0].corner for own in passes.values() if len(own) >= FEWEST_PASSES and own[0].corner]
    trial = (
        [] if drive.study is None else trial_units(drive.study, facts.cues(drive.id), stints_of(drive.laps))
    )
    return derive_events(drive, found.opportunities, found.incidents, judged, found.hands, trial)


def find_conditions(drive: Drive, facts: Facts) -> MeasuredConditions:
    """Return a session's temperatures and grip. No sensor, no weather."""
    found = facts.signal_ranges(drive.id, WEATHER_WORDS)
    weather = [reading for reading in found if _believable(reading)]
    grips = list(_grip(drive))
    trend = "not known"
    if len(grips) >= FEWEST_GRIP_LAPS:
        slope, error = slope_of([grip_g for _, grip_g in grips], [float(lap) for lap, _ in grips])
        sure = abs(slope) > max(GRIP_NOISE_G_PER_LAP, 2.0 * error)
        trend = "steady" if not sure else "rising" if slope > 0.0 else "falling"
    return MeasuredConditions(
        readings=(*weather, *_readings(drive)),
        weather_recorded=bool(weather),
        median_grip_g=median(grip_g for _, grip_g in grips) if grips else None,
        grip=trend,
        notes=("grip is what the driver used, not what there was",),
    )


def _believable(reading: SignalRange) -> bool:
    """Return whether a sensor is there: no single value, end of its scale, or 0."""
    return reading.least != reading.most or (
        UNPLUGGED_LEAST < reading.most < UNPLUGGED_MOST and reading.most != 0.0
    )


def _readings(drive: Drive) -> Iterator[SignalRange]:
    for name in ("coolant_c", "oil_temp_c"):
        if name in drive.signals and (values := measured(getattr(drive.moments, name))):
            yield SignalRange(name, "degC", values[0], values[-1], min(values), max(values))


def _grip(drive: Drive) -> Iterator[tuple[int, float]]:
    moments = drive.moments
    for lap in drive.flying:
        span = moments.span(lap.start_t, lap.end_t)
        g_lat, g_long = moments.g_lat[span], moments.g_long[span]
        forces = [g for g, lat in zip(forces_g(g_lat, g_long), g_lat, strict=True) if lat is not None]
        if len(forces) >= FEWEST_GRIP_LAPS:
            yield lap.number, quantile(forces, GRIP_QUANTILE)
