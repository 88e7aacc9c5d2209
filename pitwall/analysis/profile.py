"""Compute a driver's profile from the events of all sessions, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from pitwall.analysis.drive import Drive
from pitwall.analysis.effect import CallEffect, TrialUnit, estimate_effect
from pitwall.analysis.hands import Hands
from pitwall.analysis.incidents import Incident
from pitwall.analysis.opportunities import Opportunity
from pitwall.store.lessons import DriverEvent
from pitwall.words.forms import Level

PREFIX = "profile."
# A habit shows in more than one corner.
HABIT_CORNERS = 2


# What older lessons call a fault, and the action that mends it.
_OLD_CAUSES = {
    "brakes early": "brake_later", "brakes late": "brake_earlier", "coasts": "no_coasting",
    "rolls through": "no_coasting", "drags the brake": "more_apex_speed", "enters slowly": "more_apex_speed",
    "over-slows": "more_apex_speed", "late on the throttle": "throttle_sooner",
    "slow exit": "throttle_sooner",
    "releases abruptly": "repeat", "line": "repeat", "differs": "repeat",
}  # fmt: skip


def action_of(cause: str) -> str:
    """Return the action by which a stored fault is named today."""
    return _OLD_CAUSES.get(cause, cause)


class Driven(msgspec.Struct, frozen=True, kw_only=True, tag="profile.driven"):
    """A session was driven. Not `dated`: `at_utc_s` only gives the order."""

    at_utc_s: float
    track: str
    driver: str
    laps: tuple[int, ...]
    best_s: float
    judged_corners: tuple[str, ...]
    dated: bool = True
    hands: Hands | None = None


class FaultSeen(msgspec.Struct, frozen=True, kw_only=True, tag="profile.fault"):
    """A corner cost time again and again; `laps` show the cause."""

    at_utc_s: float
    track: str
    corner: str
    phase: str
    cause: str
    loss_s: float
    laps: tuple[int, ...]


class IncidentSeen(msgspec.Struct, frozen=True, kw_only=True, tag="profile.incident"):
    """A spin, an excursion, a blow or a sudden stop."""

    at_utc_s: float
    track: str
    corner: str
    kind: str
    lap: int


class TrialSeen(msgspec.Struct, frozen=True, kw_only=True, tag="profile.trial"):
    """A corner for which a call was due in a trial of the coach: see `effect.TrialUnit`."""

    at_utc_s: float
    track: str
    corner: str
    called: bool
    before_s: float
    after_s: float


ProfileEvent = Driven | FaultSeen | IncidentSeen | TrialSeen


class TrackRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A track in one car."""

    track: str
    vehicle: str
    sessions: tuple[str, ...]
    laps: int
    best_s: float
    best_session: str
    first_best_s: float


class DriverProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What a driver drove. `calls`: the effect of calls, None with too few corners."""

    tracks: tuple[TrackRecord, ...]
    incidents: dict[str, int]
    calls: CallEffect | None = None


def derive_events(
    drive: Drive,
    opportunities: Sequence[Opportunity],
    incidents: Sequence[Incident],
    judged_corners: Sequence[str],
    hands: Hands | None = None,
    trial: Sequence[TrialUnit] = (),
) -> list[DriverEvent]:
    """Derive the events of one session, in order."""
    best, track = drive.best, drive.session.track
    at_utc_s = drive.session.order_utc_s
    if best is None or best.time_s is None or not track:
        return []
    driven = Driven(
        at_utc_s=at_utc_s,
        track=track,
        driver=drive.session.driver,
        laps=tuple(lap.number for lap in drive.flying),
        best_s=best.time_s,
        judged_corners=tuple(judged_corners),
        dated=drive.session.driven_utc_s is not None,
        hands=hands,
    )
    found: list[tuple[float, ProfileEvent]] = [(drive.laps[0].start_t, driven)]
    for fault in opportunities:
        if fault.is_fault:
            event = FaultSeen(
                at_utc_s=at_utc_s,
                track=track,
                corner=fault.corner,
                phase=fault.phase,
                cause=fault.cause,
                loss_s=fault.loss_s,
                laps=fault.shown_laps,
            )
            found.append((_end_t(drive, fault.laps), event))
    for each in incidents:
        trouble = IncidentSeen(
            at_utc_s=at_utc_s, track=track, corner=each.corner, kind=each.kind, lap=each.lap
        )
        found.append((each.t, trouble))
    for unit in trial:
        seen = TrialSeen(at_utc_s=at_utc_s, track=track, **msgspec.structs.asdict(unit))
        found.append((drive.laps[0].start_t, seen))
    return [
        DriverEvent(drive.id, t, str(event.__struct_config__.tag), msgspec.json.encode(event).decode())
        for t, event in found
    ]


def fold_events(
    events: Iterable[DriverEvent], driver: str | None = None, vehicles: Mapping[str, str] | None = None
) -> DriverProfile:
    """Fold the events of all, or of one driver, into a profile; `vehicles`: each session's."""
    vehicles = vehicles or {}
    ordered = sorted(decoded(events), key=lambda each: (each[1].at_utc_s, each[0].session, each[0].t))
    if driver is not None:
        own = {event.session for event, what in ordered if isinstance(what, Driven) and what.driver == driver}
        ordered = [each for each in ordered if each[0].session in own]
    records: dict[tuple[str, str], TrackRecord] = {}
    troubles: Counter[str] = Counter()
    trials: list[TrialUnit] = []
    for event, what in ordered:
        at = (what.track, vehicles.get(event.session, ""))
        if isinstance(what, Driven):
            records[at] = _record(records.get(at), at[1], event.session, what)
        elif isinstance(what, IncidentSeen):
            troubles[what.kind] += 1
        elif isinstance(what, TrialSeen):
            trials.append(TrialUnit(what.corner, what.called, what.before_s, what.after_s))
    return DriverProfile(
        tracks=tuple(records[track] for track in sorted(records)),
        incidents=dict(sorted(troubles.items())),
        calls=estimate_effect(trials),
    )


def level_of(
    is_set: Level | Literal["auto"], events: Iterable[DriverEvent], driver: str
) -> tuple[Level, str]:
    """Return the coach's level and the session that shows it, "" where none does."""
    if is_set != "auto":
        return is_set, ""
    shown = [
        (what.at_utc_s, event.session, what.hands.level)
        for event, what in decoded(events)
        if isinstance(what, Driven) and what.driver == driver and what.hands is not None
    ]
    if not shown:
        return "intermediate", ""
    _, session, level = max(shown)
    return level, session


def decoded(events: Iterable[DriverEvent]) -> Iterable[tuple[DriverEvent, ProfileEvent]]:
    """Yield the profile's events among these that can be decoded."""
    for event in events:
        if event.kind.startswith(PREFIX):
            try:
                what = msgspec.json.decode(event.detail, type=ProfileEvent)
                if isinstance(what, FaultSeen):
                    what = msgspec.structs.replace(what, cause=action_of(what.cause))
                yield event, what
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue


def redated(events: Iterable[DriverEvent], at_utc_s: float, *, dated: bool) -> list[DriverEvent]:
    """Move the profile's events of one session to the time that a person gave."""
    found = []
    for event, what in decoded(events):
        changed = msgspec.structs.replace(what, at_utc_s=at_utc_s)
        if isinstance(changed, Driven):
            changed = msgspec.structs.replace(changed, dated=dated)
        found.append(msgspec.structs.replace(event, detail=msgspec.json.encode(changed).decode()))
    return found


def _record(before: TrackRecord | None, vehicle: str, session: str, what: Driven) -> TrackRecord:
    faster = before is None or what.best_s < before.best_s
    return TrackRecord(
        track=what.track,
        vehicle=vehicle,
        sessions=(*(before.sessions if before else ()), session),
        laps=(before.laps if before else 0) + len(what.laps),
        best_s=what.best_s if before is None or faster else before.best_s,
        best_session=session if before is None or faster else before.best_session,
        first_best_s=before.first_best_s if before else what.best_s,
    )


def _end_t(drive: Drive, laps: Sequence[int]) -> float:
    return max((lap.end_t for lap in drive.laps if lap.number in laps), default=0.0)
