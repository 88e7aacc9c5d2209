"""Theoretical best laps: from the best sectors, and from the best passes of each corner."""

from __future__ import annotations

import msgspec

from pitwall.analysis.drive import Drive
from pitwall.analysis.places import pieces_of
from pitwall.track.lap import Lap


class BestPiece(msgspec.Struct, frozen=True):
    """The fastest drive over one piece of the lap, and by how much the best lap was slower there."""

    name: str
    lap: int
    time_s: float
    best_lap_time_s: float
    gain_s: float


class Potential(msgspec.Struct, frozen=True, kw_only=True):
    """What the driver's own laps add up to. `by_sectors_s` and `by_corners_s` are None where a piece was not
    timed in any flying lap. A corner's piece runs from the middle of the straight before it to the middle
    of the one after: the more pieces, the more chance is in their sum. `theory_s`: what the best sectors add
    up to, the best passes where no sector was timed; `gain_s`: how much slower the best lap was."""

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
    reference, track = drive.reference(), drive.track
    curves = [(lap.number, drive.curves[lap.number]) for lap in drive.flying if lap.number in drive.curves]
    if reference is None or track is None or len(drive.corners) < 2:
        return ()
    pieces = []
    for corner, begin_m, end_m in pieces_of(track):
        time_s, lap_number = min((curve.time_between(begin_m, end_m), number) for number, curve in curves)
        own_s = reference.time_between(begin_m, end_m)
        pieces.append(BestPiece(corner.id, lap_number, time_s, own_s, own_s - time_s))
    return tuple(pieces)
