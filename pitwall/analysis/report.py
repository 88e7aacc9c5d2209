"""The report on one session, from which tools take results and sentences are made."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import msgspec

from pitwall.analysis.compare import (
    LargestLoss,
    RacePace,
    VarianceMap,
    find_largest_loss,
    find_pace,
    map_variance,
)
from pitwall.analysis.conditions import Conditions, find_conditions
from pitwall.analysis.corners import PassFacts, measure_passes
from pitwall.analysis.drive import Drive, load_drive
from pitwall.analysis.hands import Hands, hands_of
from pitwall.analysis.highlights import Highlight, find_highlights
from pitwall.analysis.incidents import Incident, find_incidents
from pitwall.analysis.lessons import lessons_for
from pitwall.analysis.opportunities import Opportunity, find_opportunities, parts_by_corner, slow_laps
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
from pitwall.analysis.setup import SetupIndicators, find_setup
from pitwall.store.lessons import DriverEvent, Lesson
from pitwall.store.queries import SessionRow, real_ones
from pitwall.track.lap import Lap

# As many passes as the shorter rule of a fault needs.
JUDGED_PASSES = 2


class DebriefFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that a debrief is made from: all of it is computed, and it is all that a narrative may use.
    `corners_counted`: the corners have no number of the track's own, they were found and counted."""

    session: str
    track_name: str
    reference_lap: int | None
    laps: tuple[Lap, ...]
    highlights: tuple[Highlight, ...]
    opportunities: tuple[Opportunity, ...]
    incidents: tuple[Incident, ...]
    potential: Potential
    corners_counted: bool
    places: dict[str, Place]
    signals: tuple[str, ...]
    hands: Hands | None = None


class Report(DebriefFacts, frozen=True, kw_only=True):
    """A session from every side, against its own fastest flying lap (`reference`, session:lap, or "")."""

    track: str
    reference: str
    passes: tuple[PassFacts, ...]
    largest_loss: LargestLoss | None
    pace: RacePace
    variance: VarianceMap
    setup: SetupIndicators
    conditions: Conditions


class BriefFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that a brief is made from: the last session here, what came of it, what is next, and what was
    learned of the driver here before."""

    session: str
    track_name: str
    progress: TrackProgress
    goals: Goals
    plan: SessionPlan
    opportunities: tuple[Opportunity, ...]
    highlights: tuple[Highlight, ...]
    places: dict[str, Place]
    lessons: tuple[Lesson, ...] = ()


def judge(drive: Drive, facts: Facts) -> tuple[tuple[PassFacts, ...], DebriefFacts]:
    """The passes of one session and what its debrief is made from. StoreError where the store fails."""
    reference, track = drive.reference(), drive.track
    passes = measure_passes(drive, reference)
    history = [row for row in facts.sessions() if row.track and row.track == drive.session.track]
    debrief = DebriefFacts(
        session=drive.id,
        track_name=track.name if track is not None else drive.session.venue,
        reference_lap=None if reference is None else reference.lap,
        laps=drive.laps,
        highlights=tuple(find_highlights(drive, passes, reference, history, facts.cues(drive.id))),
        opportunities=tuple(find_opportunities(drive, passes, reference)),
        incidents=tuple(find_incidents(drive)),
        potential=find_potential(drive),
        corners_counted=are_counted(drive.corners),
        places=places_on(track),
        signals=drive.signals,
        hands=hands_of(drive, passes),
    )
    return tuple(passes), debrief


def make_report(drive: Drive, facts: Facts) -> Report:
    """Judge one session from every side. StoreError where the store can't be read."""
    passes, debrief = judge(drive, facts)
    reference = debrief.reference_lap
    return Report(
        **msgspec.structs.asdict(debrief),
        track=drive.session.track,
        reference="" if reference is None else drive.curves[reference].label,
        passes=passes,
        largest_loss=find_largest_loss(drive),
        pace=find_pace(drive),
        variance=map_variance(drive, passes),
        setup=find_setup(drive),
        conditions=find_conditions(drive, facts),
    )


def debrief_facts(report: Report) -> DebriefFacts:
    """Return what a debrief may use of a report."""
    return DebriefFacts(**{name: getattr(report, name) for name in DebriefFacts.__struct_fields__})


def brief_facts(report: Report, facts: Facts) -> BriefFacts:
    """Return what a brief needs: the report on the last session here and the history of the track."""
    progress = progress_on(facts, report.track)
    own = [row for row in facts.sessions() if row.id == report.session]
    return BriefFacts(
        session=report.session,
        track_name=report.track_name,
        progress=progress,
        goals=goals_of(report, progress),
        plan=plan_of(report),
        opportunities=report.opportunities,
        highlights=report.highlights,
        places=report.places,
        lessons=tuple(each for row in own for each in lessons_for(facts.lessons(), row)),
    )


def progress_on(facts: Facts, track: str) -> TrackProgress:
    rows = real_ones([row for row in facts.sessions() if track and row.track == track])
    return find_progress(track, [(row, facts.laps(row.id)) for row in rows])


def plan_of(report: Report) -> SessionPlan:
    laps = len(report.potential.laps)
    return make_plan(report.session, laps, report.opportunities, report.variance.corners)


def goals_of(report: Report, progress: TrackProgress) -> Goals:
    return find_goals(report.potential, usual_lap_s(report.laps), progress)


def usual_lap_s(laps: Sequence[Lap]) -> float | None:
    """The middle of the flying laps, but for those that are named as no evidence; None for fewer than two."""
    slow = {lap.number for lap in slow_laps(laps)}
    flying = [lap for lap in laps if lap.kind == "flying" and lap.number not in slow]
    times = [lap.time_s for lap in flying if lap.time_s is not None]
    return median(times) if len(times) > 1 else None


def profile_events(facts: Facts, session: SessionRow) -> list[DriverEvent]:
    """The driver events that a session gives: they replace those that are stored for it. StoreError."""
    drive = load_drive(facts, session)
    passes, found = judge(drive, facts)
    reference = drive.reference()
    judged = [] if reference is None else [
        corner
        for corner, parts in parts_by_corner(drive, passes, reference).items()
        if len(parts) >= JUDGED_PASSES
    ]  # fmt: skip
    return derive_events(drive, found.opportunities, found.highlights, found.incidents, judged, found.hands)
