"""Make the parts of /status that the daemon's other parts don't."""

from __future__ import annotations

from pitwall.coach.cue import PLAYED, LedgerLine
from pitwall.contract.status import Provenance, SessionStatus
from pitwall.daemon.sessions.keeper import Keeper
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.signals import CANONICAL


def session_status(keeper: Keeper) -> SessionStatus:
    """Return the open session, or the one being read after a restart."""
    session, life, catching = keeper.session, keeper.life, keeper.catching_up
    if catching is not None:
        return SessionStatus(id=catching.session.id, caught_up=catching.share)
    if session is None or life is None:
        return SessionStatus(faults=keeper.current.faults)
    path, state = session.path, session.path.state
    return SessionStatus(
        life=life.state,
        id=session.id,
        track=path.track.id if path.track is not None else "",
        t=path.t,
        lap=state.lap,
        lap_s=state.lap_elapsed_s,
        best_s=state.best_s,
        last_s=state.last_s,
        continued=session.continued,
        faults=session.faults,
        said=last_said(session.made.lines),
    )


def last_said(lines: dict[int, LedgerLine]) -> str:
    """Return the last words to the driver in a ledger, heard or not."""
    return next((line.text for line in reversed(lines.values()) if line.outcome in PLAYED), "")


def signals(fusion: Fusion, t: float) -> tuple[Provenance, ...]:
    """List every canonical signal that a source has sent."""
    found = (fusion.provenance(signal.name, t) for signal in CANONICAL)
    return tuple(one for one in found if one.age_s is not None)
