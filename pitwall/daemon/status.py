"""The parts of /status that no other part of the daemon tells: the open session and its signals."""

from __future__ import annotations

from pitwall.contract.status import Provenance, SessionStatus
from pitwall.daemon.sessions.keeper import Keeper
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.signals import CANONICAL


def session_status(keeper: Keeper) -> SessionStatus:
    """The open session, or the one that is read again after a restart."""
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
    )


def signals(fusion: Fusion, t: float) -> tuple[Provenance, ...]:
    """Every canonical signal that any source has brought."""
    found = (fusion.provenance(signal.name, t) for signal in CANONICAL)
    return tuple(one for one in found if one.age_s is not None)
