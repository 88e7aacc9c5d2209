"""What rules and pages need beside signals (telemetry.capabilities), and why it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitwall.telemetry.capabilities import Condition

if TYPE_CHECKING:
    from pitwall.daemon.app import Service


def conditions(service: Service) -> dict[Condition, str]:
    """Each condition, "" where it is met, else why it is not."""
    path = service.keeper.current.path
    off = path.degradations.off
    shed = f"shed to spare the phone: {service.phone_told.trouble(True)}"
    reach = service.paddock.reach.status()
    return {
        "track": "" if path.track is not None else "no known track is recognised here",
        "reference": "" if path.state.best_s is not None else "no flying lap yet",
        "phrases": _phrases(service, path.track.id if path.track is not None else ""),
        "messages": _phrases(service, ""),
        "sound": service.voice.trouble(),
        "brake phases": off.get("brake", ""),
        "exit phase": off.get("exit", ""),
        "turn-in and apex phases": off.get("turn_in", "") or off.get("apex", ""),
        "storage": service.store_trouble(),
        "api": "" if service.port is not None else "the API is not served",
        "live page": shed if "live page" in service.shed else "",
        "tall signals": shed if "tall signals" in service.shed else "",
        "paddock": "" if service.keeper.parked.is_set() else "the car moves; it answers when it stands",
        "model": ""
        if reach.state == "online"
        else f"answers are composed without one: {reach.why or reach.state}",
    }


def _phrases(service: Service, track: str) -> str:
    """Why the phrases of a track ("": those of none) can't be spoken."""
    vocabulary = service.vocabulary
    if not vocabulary.has(track):
        return "they are being rendered"
    return "" if vocabulary.words(track).clips else "; ".join(vocabulary.notes[track]) or "there is no clip"
