"""The evidence for lessons: what each session shows about a driver on a track."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from pitwall.analysis.lesson_words import date_of
from pitwall.analysis.profile import Driven, FaultCured, FaultSeen, decoded
from pitwall.store.driver_events import DriverEvent
from pitwall.store.lessons import Lesson

# A car that is stopped by a flag or a fault of its own teaches nothing about its driver.
TROUBLES = ("spin", "off track", "blow")


class CornerFault(msgspec.Struct, frozen=True):
    """A corner that cost `seconds` a lap, and why."""

    cause: str
    laps: tuple[int, ...]
    seconds: float | None


class CornerCure(msgspec.Struct, frozen=True):
    """A corner that had cost time and no longer did at the end of the session."""

    laps: tuple[int, ...]
    seconds: float | None


class SessionEvidence(msgspec.Struct):
    """One session of one driver on one track; the dictionaries are by corner.

    `judged` had enough passes to show a fault if there were one. `remembered`: the session itself is gone, it
    is known from the lessons it taught. `faulty`: of the fault
    of such a session there only the cause is known.
    """

    session: str
    at_utc_s: float
    driver: str
    track: str
    laps: tuple[int, ...] = ()
    judged: set[str] = msgspec.field(default_factory=set)
    faults: dict[str, CornerFault] = msgspec.field(default_factory=dict)
    cures: dict[str, CornerCure] = msgspec.field(default_factory=dict)
    troubles: dict[str, tuple[str, tuple[int, ...]]] = msgspec.field(default_factory=dict)
    untroubled: set[str] = msgspec.field(default_factory=set)
    faulty: dict[str, str] = msgspec.field(default_factory=dict)
    dated: bool = True
    remembered: bool = False

    @property
    def day(self) -> str:
        """The day in words."""
        return date_of(self.at_utc_s, dated=self.dated)


def sessions_of(events: Iterable[DriverEvent], known: Sequence[Lesson]) -> list[SessionEvidence]:
    """Every session that was driven, in the order of driving: those that have events, and those that only
    the evidence of `known` lessons still tells of."""
    drove: dict[str, SessionEvidence] = {}
    told = sorted(decoded(events), key=lambda each: (each[0].session, each[0].t))
    for event, what in told:
        if isinstance(what, Driven):
            drove[event.session] = SessionEvidence(
                event.session,
                what.at_utc_s,
                what.driver,
                what.track,
                what.laps,
                set(what.judged_corners),
                dated=what.dated,
            )
    for event, what in told:
        one = drove.get(event.session)
        if one is None or isinstance(what, Driven):
            continue
        if isinstance(what, FaultSeen):
            one.faults[what.corner] = CornerFault(what.cause, what.laps, what.loss_s)
            one.cures.pop(what.corner, None)
            one.judged.add(what.corner)
        elif isinstance(what, FaultCured):
            one.cures[what.corner] = CornerCure(what.laps, what.gained_s)
            one.faults.pop(what.corner, None)
            one.judged.add(what.corner)
        elif what.corner and what.kind in TROUBLES:
            _, laps = one.troubles.get(what.corner, ("", ()))
            one.troubles[what.corner] = (what.kind, (*laps, what.lap))
    _remember(drove, known)
    return sorted(drove.values(), key=lambda each: (each.at_utc_s, each.session))


def _remember(drove: dict[str, SessionEvidence], known: Sequence[Lesson]) -> None:
    """Old sessions are dropped when the disk is full: what they showed is kept in the lessons."""
    there = set(drove)
    for lesson in known:
        for each in lesson.evidence:
            if each.session in there:
                continue
            one = drove.setdefault(
                each.session,
                SessionEvidence(
                    each.session,
                    each.at_utc_s,
                    lesson.driver,
                    lesson.track,
                    each.laps,
                    dated=each.dated,
                    remembered=True,
                ),
            )
            if not each.shows:
                # Those that show it may be some of the session's laps only.
                one.laps = each.laps
            if each.instead:
                one.faulty[lesson.corner] = each.instead
            if lesson.kind == "fault":
                one.judged.add(lesson.corner)
                if each.shows:
                    one.faults[lesson.corner] = CornerFault(lesson.cause, each.laps, each.seconds)
            elif lesson.kind == "cured":
                one.judged.add(lesson.corner)
                if each.shows:
                    one.cures[lesson.corner] = CornerCure(each.laps, each.seconds)
            elif lesson.kind == "trouble" and each.shows:
                one.troubles[lesson.corner] = (lesson.cause, each.laps)
            elif lesson.kind == "trouble":
                one.untroubled.add(lesson.corner)
