"""Theoretical best laps, progress over the sessions on one track, targets, a plan for the next session."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from pitwall.analysis.compare import CornerVariance, slope_of, spread_of
from pitwall.analysis.drive import Drive
from pitwall.analysis.opportunities import SPEED_NOISE_MPS, Opportunity
from pitwall.analysis.places import pieces_of
from pitwall.store.queries import SessionRow
from pitwall.track.lap import Lap
from pitwall.track.same_road import lost_on

# Of each piece the fastest so many laps are tried: a slower one is not in the fastest round.
TRIED_LAPS = 6


class BestPiece(msgspec.Struct, frozen=True):
    """The fastest drive over one piece of the lap, and by how much the best lap was slower there."""

    name: str
    lap: int
    time_s: float
    best_lap_time_s: float
    gain_s: float


class Potential(msgspec.Struct, frozen=True, kw_only=True):
    """The sums of the driver's own laps. `by_sectors_s` and `by_corners_s` are None where a piece was not
    timed in any flying lap. A corner's piece runs from the middle of the straight before it to the middle
    of the one after, and joins the one before it: nowhere does the lap get speed for nothing. `theory_s`:
    what the best sectors add up to, the best passes where no sector was timed; `gain_s`: how much slower the
    best lap was."""

    session: str
    laps: tuple[int, ...]
    best_lap: int | None
    best_lap_s: float | None
    by_sectors_s: float | None
    sectors: tuple[BestPiece, ...]
    by_corners_s: float | None
    corners: tuple[BestPiece, ...]
    theory_s: float | None
    gain_s: float | None


def find_potential(drive: Drive) -> Potential:
    """The theoretical best of one session, from its flying laps."""
    best = drive.best
    sectors = _sectors(drive, best)
    corners = _corners(drive)
    pieces = sectors or corners
    return Potential(
        session=drive.id,
        laps=tuple(lap.number for lap in drive.flying),
        best_lap=None if best is None else best.number,
        best_lap_s=None if best is None else best.time_s,
        by_sectors_s=sum(piece.time_s for piece in sectors) if sectors else None,
        sectors=sectors,
        by_corners_s=sum(piece.time_s for piece in corners) if corners else None,
        corners=corners,
        theory_s=sum(piece.time_s for piece in pieces) if pieces else None,
        gain_s=sum(piece.gain_s for piece in pieces) if pieces else None,
    )


def _sectors(drive: Drive, best: Lap | None) -> tuple[BestPiece, ...]:
    if best is None or not best.sectors_s or any(time_s is None for time_s in best.sectors_s):
        return ()
    pieces = []
    for index, own_s in enumerate(best.sectors_s):
        times = [
            (lap.sectors_s[index] or 0.0, lap.number)
            for lap in drive.flying
            if len(lap.sectors_s) == len(best.sectors_s) and lap.sectors_s[index]
        ]
        time_s, lap_number = min(times)
        pieces.append(
            BestPiece(f"sector {index + 1}", lap_number, time_s, own_s or 0.0, (own_s or 0.0) - time_s)
        )
    return tuple(pieces)


def _corners(drive: Drive) -> tuple[BestPiece, ...]:
    """The fastest lap that can be joined of the pieces of all laps. Each piece begins no faster than the one
    before it ended, but for the noise of a speed; the gain of one may be a loss that the next one repays."""
    reference, track = drive.reference(), drive.track
    if reference is None or track is None or len(drive.corners) < 2:
        return ()
    curves = {lap.number: drive.curves[lap.number] for lap in drive.flying if lap.number in drive.curves}
    rounds = {number: curve.around() for number, curve in curves.items()}
    pieces = []
    for corner, begin_m, end_m in pieces_of(track):
        own_s = reference.time_between(begin_m, end_m)
        edges_m = (begin_m, begin_m + (end_m - begin_m) % track.length_m)
        times_s, begin_mps = dict[int, float](), dict[int, float]()
        for number, shift in drive.shifts.items():
            times_s[number] = own_s + sum(lost_on(rounds[number], reference, edges_m, 0.0, shift) or (0.0,))
            begin_mps[number] = curves[number].speed_at(begin_m + shift.ahead_m(begin_m))
        pieces.append(_Piece(corner.id, times_s, begin_mps))
    joined = min(_joined(pieces, first, reference.lap) for first in pieces[0].tried(reference.lap))[1]
    return tuple(
        BestPiece(piece.corner, lap, piece.time_s[lap], own_s, own_s - piece.time_s[lap])
        for piece, lap in zip(pieces, joined, strict=True)
        for own_s in (piece.time_s[reference.lap],)
    )


class _Piece(NamedTuple):
    """A piece of the lap: by lap its time, and the speed at its beginning."""

    corner: str
    time_s: dict[int, float]
    begin_mps: dict[int, float]

    def tried(self, best_lap: int) -> list[int]:
        """The laps that may hold the fastest drive over it, and the best lap, which joins everywhere."""
        return list(dict.fromkeys((*sorted(self.time_s, key=self.time_s.__getitem__)[:TRIED_LAPS], best_lap)))

    def joins(self, before: int, lap: int) -> bool:
        """Return whether a drive over the piece before it in one lap goes on here in the other."""
        return self.begin_mps[lap] <= self.begin_mps[before] + SPEED_NOISE_MPS


# The time of the pieces so far, seconds, and the lap of each.
_Way = tuple[float, tuple[int, ...]]
NO_WAY: _Way = (math.inf, ())


def _joined(pieces: Sequence[_Piece], first: int, best_lap: int) -> _Way:
    """The time of the fastest round whose first piece is of the lap `first`, infinite where none closes, and
    the lap of each piece."""
    ways: dict[int, _Way] = {first: (pieces[0].time_s[first], (first,))}
    for piece in pieces[1:]:
        ways = {lap: _onto(ways, piece, lap) for lap in piece.tried(best_lap)}
    return min((way for lap, way in ways.items() if pieces[0].joins(lap, first)), default=NO_WAY)


def _onto(ways: dict[int, _Way], piece: _Piece, lap: int) -> _Way:
    """The fastest of the ways that goes on over this piece in this lap."""
    joined = [way for before, way in ways.items() if piece.joins(before, lap)]
    time_s, laps = min(joined, default=NO_WAY)
    return time_s + piece.time_s[lap], (*laps, lap)


# A trend needs at least this many sessions.
FEWEST_SESSIONS = 3
# A smaller gain per session is a plateau: 0.1 s in 1:40.
PLATEAU_SHARE = 0.001
# The share of the possible gain that is the target of one session.
NEXT_SHARE = 0.5
# With less time to gain there is no further target.
LEAST_GAIN_S = 0.05
# Laps to warm up, to work on one thing, and to put it together: where there is time for them, and at least.
WARM_UP_LAPS, FOCUS_LAPS, JOIN_UP_LAPS = 2, 4, 3
LEAST_FOCUS_LAPS = 2
# A session with fewer flying laps has one lap to warm up, and one to put it together.
LONG_SESSION_LAPS = 10
FEWEST_PLANNED_LAPS = 4
MOST_FOCI = 3
# The purpose of a block that is about a corner which never goes the same way twice.
REPEAT = "repeat the same lap"


class SessionPace(msgspec.Struct, frozen=True, kw_only=True):
    """A session in a history. `at_utc_s`: when it was driven, None where the day is not known."""

    session: str
    at_utc_s: float | None
    vehicle: str
    driver: str
    laps: tuple[int, ...]
    best_s: float
    median_s: float
    robust_sd_s: float


class TrackProgress(msgspec.Struct, frozen=True, kw_only=True):
    """All sessions on one track in the order they were driven. `gained_s`: first best minus latest best.

    `trend`: "faster", "plateau", "slower", or "not known" with fewer than three sessions; from the slope of
    the best laps. `personal_best_s` is the fastest of all.
    """

    track: str
    sessions: tuple[SessionPace, ...]
    personal_best_s: float | None
    personal_best_session: str
    gained_s: float | None
    slope_s_per_session: float | None
    trend: str


class Goals(msgspec.Struct, frozen=True, kw_only=True):
    """Targets from what the driver's own laps add up to. None: not known. `usual_*` are about the median
    lap: for a driver who scatters it is the nearer goal."""

    session: str
    laps: tuple[int, ...]
    best_s: float | None
    next_target_s: float | None
    theoretical_best_s: float | None
    personal_best_s: float | None
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
    """A plan of the next session, from the last one's figures."""

    session: str
    total_laps: int
    blocks: tuple[PlanBlock, ...]
    uneven_corner: str


def find_progress(track: str, histories: Sequence[tuple[SessionRow, Sequence[Lap]]]) -> TrackProgress:
    """Progress on one track. A replay does not count, nor does the same drive in a second file."""
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
                robust_sd_s=spread_of(times),
            )
        )
    fastest = min(found, key=lambda each: each.best_s, default=None)
    slope = None
    if len(found) >= FEWEST_SESSIONS:
        slope, _ = slope_of([each.best_s for each in found], [float(i) for i in range(len(found))])
    return TrackProgress(
        track=track,
        sessions=tuple(found),
        personal_best_s=None if fastest is None else fastest.best_s,
        personal_best_session="" if fastest is None else fastest.session,
        gained_s=found[0].best_s - found[-1].best_s if len(found) >= 2 else None,
        slope_s_per_session=slope,
        trend=_trend(slope, fastest),
    )


def find_goals(potential: Potential, usual_s: float | None, progress: TrackProgress) -> Goals:
    """Half-way from the best lap to the theoretical best, and from the usual lap to the best."""
    best_s = potential.best_lap_s
    theory_s = potential.theory_s
    target_s = None
    if best_s is not None and theory_s is not None and best_s - theory_s >= LEAST_GAIN_S:
        target_s = best_s - NEXT_SHARE * (best_s - theory_s)
    pieces = sorted(potential.sectors or potential.corners, key=lambda piece: -piece.gain_s)
    return Goals(
        session=potential.session,
        laps=potential.laps,
        best_s=best_s,
        next_target_s=target_s,
        theoretical_best_s=theory_s,
        personal_best_s=progress.personal_best_s,
        usual_s=usual_s,
        usual_target_s=None
        if usual_s is None or best_s is None
        else usual_s - NEXT_SHARE * (usual_s - best_s),
        from_pieces=tuple(piece.name for piece in pieces[:MOST_FOCI] if piece.gain_s >= LEAST_GAIN_S),
    )


def make_plan(
    session: str, driven_laps: int, opportunities: Sequence[Opportunity], variance: Sequence[CornerVariance]
) -> SessionPlan:
    """Warm up, one block a focus (three at most, the dearest first), then put it together: in no more laps
    than `driven_laps`, the flying ones of the last session, where those are four or more."""
    laps = max(driven_laps, FEWEST_PLANNED_LAPS)
    ends = WARM_UP_LAPS if laps >= LONG_SESSION_LAPS else 1
    room = laps - 2 * ends
    foci = opportunities[: min(MOST_FOCI, room // LEAST_FOCUS_LAPS)]
    each_laps = min(FOCUS_LAPS, room // max(len(foci), 1))
    blocks = [PlanBlock(laps=ends, purpose="warm up", corner="", cause="", worth_s=None)]
    blocks += [
        PlanBlock(laps=each_laps, purpose="focus", corner=each.corner, cause=each.cause, worth_s=each.loss_s)
        for each in foci
    ]
    if not foci and variance:
        corner = variance[0].corner
        blocks.append(PlanBlock(laps=each_laps, purpose=REPEAT, corner=corner, cause="uneven", worth_s=None))
    rest = min(laps - sum(block.laps for block in blocks), JOIN_UP_LAPS)
    blocks.append(PlanBlock(laps=rest, purpose="put it together", corner="", cause="", worth_s=None))
    return SessionPlan(
        session=session,
        total_laps=sum(block.laps for block in blocks),
        blocks=tuple(blocks),
        uneven_corner=variance[0].corner if variance else "",
    )


def _trend(slope: float | None, fastest: SessionPace | None) -> str:
    if slope is None or fastest is None:
        return "not known"
    if abs(slope) <= PLATEAU_SHARE * fastest.best_s:
        return "plateau"
    return "faster" if slope < 0.0 else "slower"
