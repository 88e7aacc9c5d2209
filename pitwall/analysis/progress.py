"""Find theoretical best laps, progress over a track's sessions, targets, and the next plan."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import msgspec

from pitwall.analysis.compare import CornerVariance, slope_of
from pitwall.analysis.drive import Drive
from pitwall.analysis.opportunities import Opportunity
from pitwall.analysis.study import Study, left_out_laps
from pitwall.contract.changes import Sky
from pitwall.store.queries import SessionRow
from pitwall.track.lap import Lap


class BestPiece(msgspec.Struct, frozen=True):
    """The best pass of one corner's segment, and by how much the best lap was slower there.
    `at_m`: its slowest place, which names it where the track has no corner there."""

    corner: str
    lap: int
    time_s: float
    best_lap_time_s: float
    gain_s: float
    at_m: float = 0.0


class Potential(msgspec.Struct, frozen=True, kw_only=True):
    """The theoretical best by the best pieces; `pieces`: those with a gain. None: unknown."""

    laps: tuple[int, ...]
    best_lap: int | None
    best_lap_s: float | None
    usual_s: float | None
    theory_s: float | None
    gain_s: float | None
    pieces: tuple[BestPiece, ...]


def find_potential(drive: Drive) -> Potential:
    """Find a session's theoretical best, from the laps and passes that count."""
    study, best = drive.study, drive.best
    # Where no pass was seen nothing is known of pieces.
    theory_s = study.theory_s if study is not None and any(study.passes.values()) else None
    return Potential(
        laps=tuple(lap.number for lap in drive.counting),
        best_lap=None if best is None else best.number,
        best_lap_s=None if best is None else best.time_s,
        usual_s=usual_lap_s(drive.laps),
        theory_s=theory_s,
        gain_s=None if study is None or theory_s is None else study.best_lap_s - theory_s,
        pieces=() if study is None else _pieces(study),
    )


def usual_lap_s(laps: Sequence[Lap]) -> float | None:
    """Return the middle of the laps that count; None for fewer than three."""
    out = {lap.number for lap in left_out_laps(laps)}
    flying = [lap for lap in laps if lap.kind == "flying" and lap.number not in out]
    times = [lap.time_s for lap in flying if lap.time_s is not None]
    return median(times) if len(times) >= FEWEST_FOR_USUAL else None


def _pieces(study: Study) -> tuple[BestPiece, ...]:
    found = []
    for at, own in study.passes.items():
        best = study.best[at]
        of_best_lap = next((each for each in own if each.lap == study.best_lap), None)
        if of_best_lap is not None and of_best_lap.time_s - best.time_s >= SHOWN_GAIN_S:
            times_s = (best.time_s, of_best_lap.time_s, of_best_lap.time_s - best.time_s)
            at_m = study.road.segments[at].slow_m % study.road.length_m
            found.append(BestPiece(best.corner, best.lap, *(round(each, 3) for each in (*times_s, at_m))))
    return tuple(sorted(found, key=lambda each: -each.gain_s))


# With fewer laps there is no usual one.
FEWEST_FOR_USUAL = 3
# A smaller gain is not listed.
SHOWN_GAIN_S = 0.005
# A trend needs at least this many sessions.
FEWEST_SESSIONS = 3
# A smaller gain per session is a plateau: 0.1 s in 1:40.
PLATEAU_SHARE = 0.001
# The share of the possible gain that is one session's target.
NEXT_SHARE = 0.5
# With less time to gain there is no further target.
LEAST_GAIN_S = 0.05
# Laps to warm up, to work on one thing, and to put it together: if there is time, and at least.
WARM_UP_LAPS, FOCUS_LAPS, JOIN_UP_LAPS = 2, 4, 3
LEAST_FOCUS_LAPS = 2
# A shorter session has one lap to warm up, and one to put it together.
LONG_SESSION_LAPS = 10
FEWEST_PLANNED_LAPS = 4
MOST_FOCI = 3
# The purpose of a block about a corner that varies from lap to lap.
REPEAT = "repeat the same lap"


class SessionPace(msgspec.Struct, frozen=True, kw_only=True):
    """A session in a history, with what its driver noted."""

    session: str
    at_utc_s: float | None
    vehicle: str
    driver: str
    laps: tuple[int, ...]
    best_s: float
    median_s: float
    weather: Sky = ""
    tyres: str = ""


class TrackProgress(msgspec.Struct, frozen=True, kw_only=True):
    """A track's sessions in driving order. `gained_s`: first best minus latest best. `trend` of
    the best laps, without wet days where enough others are there: "faster", "plateau", "slower", or
    "not known" with fewer than three sessions."""

    track: str
    sessions: tuple[SessionPace, ...]
    personal_best_s: float | None
    gained_s: float | None
    trend: str


class Goals(msgspec.Struct, frozen=True, kw_only=True):
    """Targets from the driver's own laps, s; None: not known. `usual_*`: the median lap's."""

    best_s: float | None
    next_target_s: float | None
    theory_s: float | None
    usual_s: float | None
    usual_target_s: float | None
    from_pieces: tuple[str, ...]


class PlanBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A few laps with one purpose. `corner` is "" where it is about the whole lap."""

    laps: int
    purpose: str
    corner: str
    cause: str
    worth_s: float | None


class SessionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan of the next session, s. `worth_s`: what the focus is worth."""

    total_laps: int
    blocks: tuple[PlanBlock, ...]
    goal_s: float | None = None
    to_goal_s: float | None = None
    worth_s: float = 0.0


def find_progress(track: str, histories: Sequence[tuple[SessionRow, Sequence[Lap]]]) -> TrackProgress:
    """Find progress on one track. Replays and doubled drives don't count."""
    found: list[SessionPace] = []
    for row, laps in sorted(histories, key=lambda each: (each[0].order_utc_s, each[0].id)):
        times = [lap.time_s for lap in laps if lap.kind == "flying" and lap.time_s is not None]
        if row.track != track or not times or not row.counts:
            continue
        found.append(
            SessionPace(
                session=row.id,
                at_utc_s=row.driven_utc_s,
                vehicle=row.vehicle,
                driver=row.driver,
                laps=tuple(lap.number for lap in laps if lap.kind == "flying" and lap.time_s is not None),
                best_s=min(times),
                median_s=median(times),
                weather=row.conditions.weather,
                tyres=row.conditions.tyres,
            )
        )
    fastest = min(found, key=lambda each: each.best_s, default=None)
    slope, dry = None, [each.best_s for each in found if each.weather in ("", "dry")]
    if len(found) >= FEWEST_SESSIONS:
        judged = dry if len(dry) >= FEWEST_SESSIONS else [each.best_s for each in found]
        slope, _ = slope_of(judged, [float(i) for i in range(len(judged))])
    return TrackProgress(
        track=track,
        sessions=tuple(found),
        personal_best_s=None if fastest is None else fastest.best_s,
        gained_s=found[0].best_s - found[-1].best_s if len(found) >= 2 else None,
        trend=_trend(slope, fastest),
    )


def find_goals(potential: Potential) -> Goals:
    """Set goals half-way from the best lap to the theoretical, from the usual to the best."""
    best_s, usual_s, theory_s = potential.best_lap_s, potential.usual_s, potential.theory_s
    target_s = None
    if best_s is not None and theory_s is not None and best_s - theory_s >= LEAST_GAIN_S:
        target_s = best_s - NEXT_SHARE * (best_s - theory_s)
    pieces = [piece for piece in potential.pieces if piece.corner and piece.gain_s >= LEAST_GAIN_S]
    return Goals(
        best_s=best_s,
        next_target_s=target_s,
        theory_s=theory_s,
        usual_s=usual_s,
        usual_target_s=None
        if usual_s is None or best_s is None
        else usual_s - NEXT_SHARE * (usual_s - best_s),
        from_pieces=tuple(piece.corner for piece in pieces[:MOST_FOCI]),
    )


def make_plan(
    driven_laps: int, opportunities: Sequence[Opportunity], variance: Sequence[CornerVariance]
) -> SessionPlan:
    """Plan to warm up, a block a focus, and putting it together, in the laps of last time."""
    laps = max(driven_laps, FEWEST_PLANNED_LAPS)
    ends = WARM_UP_LAPS if laps >= LONG_SESSION_LAPS else 1
    room = laps - 2 * ends
    foci = opportunities[: min(MOST_FOCI, room // LEAST_FOCUS_LAPS)]
    each_laps = min(FOCUS_LAPS, room // max(len(foci), 1))
    blocks = [PlanBlock(laps=ends, purpose="warm up", corner="", cause="", worth_s=None)]
    blocks += [
        PlanBlock(laps=each_laps, purpose="focus", corner=each.corner, cause=each.action, worth_s=each.loss_s)
        for each in foci
    ]
    if not foci and variance:
        corner = variance[0].corner
        blocks.append(PlanBlock(laps=each_laps, purpose=REPEAT, corner=corner, cause="uneven", worth_s=None))
    rest = min(laps - sum(block.laps for block in blocks), JOIN_UP_LAPS)
    blocks.append(PlanBlock(laps=rest, purpose="put it together", corner="", cause="", worth_s=None))
    return SessionPlan(total_laps=sum(block.laps for block in blocks), blocks=tuple(blocks))


def _trend(slope: float | None, fastest: SessionPace | None) -> str:
    if slope is None or fastest is None:
        return "not known"
    if abs(slope) <= PLATEAU_SHARE * fastest.best_s:
        return "plateau"
    return "faster" if slope < 0.0 else "slower"
