"""Find lessons about the driver, word, promote, and forget them when newer laps contradict."""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.places import Place, places_on
from pitwall.analysis.port import Facts
from pitwall.analysis.profile import (
    HABIT_CORNERS,
    Driven,
    FaultSeen,
    IncidentSeen,
    action_of,
    decoded,
)
from pitwall.store.lessons import DriverEvent, Evidence, Lesson, LessonKind, without
from pitwall.store.queries import SessionRow
from pitwall.words.language import ENGLISH, Language


class Names:
    """Names in the track files, each read once. An unknown track is called by its id."""

    def __init__(self, facts: Facts) -> None:
        self._known = functools.cache(facts.track)

    def track(self, track: str) -> str:
        """Return the track's name, its id if unknown."""
        found = self._known(track)
        return track if found is None else found.name

    def places(self, track: str) -> dict[str, Place]:
        """Return the track's corners by id."""
        return places_on(self._known(track))

    def also(self, track: str, corner: str) -> str:
        """Return a corner's number and nicknames."""
        found = self._known(track)
        corners = () if found is None else found.corners
        return next((" ".join((each.number, *each.nicknames)) for each in corners if each.id == corner), "")


def evidence_sentence(each: Evidence, words: Language) -> str:
    """Word a session that supports or contradicts a lesson."""
    return words.say(
        "evidence",
        session=each.session,
        laps=", ".join(map(str, each.laps)),
        seconds="" if each.seconds is None else words.say("evidence seconds", loss=each.seconds),
        against="" if each.shows else words.say("evidence against"),
    )


def _text(
    kind: LessonKind,
    track_name: str,
    places: dict[str, Place],
    corner: str,
    cause: str,
    evidence: Sequence[Evidence],
    words: Language,
) -> str:
    cause = action_of(cause)
    where, habit = corner_name(corner, places), words.term("habit", cause)
    shown = [each for each in evidence if each.shows]
    seen = _seen(evidence, words)
    if kind == "fault":
        loss_s = shown[-1].seconds if shown else None
        cost = words.say("lesson cost", loss=loss_s) if loss_s is not None else ""
        advice = words.term("advice", cause) if words.has_term("advice", cause) else ""
        return words.say(
            "lesson fault", corner=where, habit=habit, cost=cost, seen=seen, advice=advice
        ).strip()
    if kind == "cured":
        return words.say("lesson cured", corner=where, habit=habit, seen=seen)
    if kind == "trouble":
        incident = words.term("incident kind", cause)
        return words.say("lesson trouble", corner=where, incident=incident, seen=seen)
    corners = [corner_name(each, places) for each in (shown[-1].corners if shown else ())]
    return words.say("lesson habit", track=track_name, habit=habit, corners=corners, seen=seen)


def place_words(track: str, corner: str, names: Names) -> str:
    """Return other words that may ask for the place."""
    known = (track, names.track(track), corner.replace("_", " "), names.also(track, corner))
    number = f"t{corner.removeprefix('turn_')}" if corner.startswith("turn_") else ""
    return " ".join(dict.fromkeys(" ".join((*known, number)).split()))


def date_of(utc_s: float, *, dated: bool, words: Language = ENGLISH) -> str:
    """Return a day as `2026-05-02`, in UTC."""
    if not dated:
        return words.say("unknown day")
    return time.strftime("%Y-%m-%d", time.gmtime(utc_s))


def _seen(evidence: Sequence[Evidence], words: Language) -> str:
    shown = [each for each in evidence if each.shows]
    if not shown:
        return words.say("seen in none")
    return words.say(
        "seen lately" if len(evidence) == MOST_EVIDENCE else "seen",
        laps=sum(len(set(each.laps)) for each in shown),
        sessions=len({each.session for each in shown}),
        most=MOST_EVIDENCE,
        day=date_of(shown[-1].at_utc_s, dated=shown[-1].dated, words=words),
    )


# A car stopped by a flag or its own fault shows nothing of its driver.
TROUBLES = ("spin", "off track", "blow")


class CornerSeen(msgspec.Struct, frozen=True):
    """A corner that cost `seconds` a lap, and why; without a cause, one that no longer did."""

    laps: tuple[int, ...]
    seconds: float | None
    cause: str = ""


class SessionEvidence(msgspec.Struct):
    """A session on one track, by corner. `remembered`: gone, and known from its lessons."""

    session: str
    at_utc_s: float
    driver: str
    track: str
    laps: tuple[int, ...] = ()
    judged: set[str] = msgspec.field(default_factory=set)
    faults: dict[str, CornerSeen] = msgspec.field(default_factory=dict)
    cures: dict[str, CornerSeen] = msgspec.field(default_factory=dict)
    troubles: dict[str, tuple[str, tuple[int, ...]]] = msgspec.field(default_factory=dict)
    untroubled: set[str] = msgspec.field(default_factory=set)
    faulty: dict[str, str] = msgspec.field(default_factory=dict)
    dated: bool = True
    remembered: bool = False

    @property
    def day(self) -> str:
        """Return the day in words."""
        return date_of(self.at_utc_s, dated=self.dated)


def sessions_of(events: Iterable[DriverEvent], known: Sequence[Lesson]) -> list[SessionEvidence]:
    """List every driven session in order, also those that only `known` lessons show."""
    drove: dict[str, SessionEvidence] = {}
    ordered = sorted(decoded(events), key=lambda each: (each[0].session, each[0].t))
    for event, what in ordered:
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
    for event, what in ordered:
        one = drove.get(event.session)
        if one is None or isinstance(what, Driven):
            continue
        if isinstance(what, FaultSeen):
            one.faults[what.corner] = CornerSeen(what.laps, what.loss_s, what.cause)
            one.judged.add(what.corner)
        elif isinstance(what, IncidentSeen) and what.corner and what.kind in TROUBLES:
            _, laps = one.troubles.get(what.corner, ("", ()))
            one.troubles[what.corner] = (what.kind, (*laps, what.lap))
    _remember(drove, known)
    return sorted(drove.values(), key=lambda each: (each.at_utc_s, each.session))


def _remember(drove: dict[str, SessionEvidence], known: Sequence[Lesson]) -> None:
    """Restore old sessions, dropped when the disk was full, from their lessons."""
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
                one.faulty[lesson.corner] = action_of(each.instead)
            if lesson.kind == "fault":
                one.judged.add(lesson.corner)
                if each.shows:
                    one.faults[lesson.corner] = CornerSeen(each.laps, each.seconds, action_of(lesson.cause))
            elif lesson.kind == "cured":
                one.judged.add(lesson.corner)
                if each.shows:
                    one.cures[lesson.corner] = CornerSeen(each.laps, each.seconds)
            elif lesson.kind == "trouble" and each.shows:
                one.troubles[lesson.corner] = (lesson.cause, each.laps)
            elif lesson.kind == "trouble":
                one.untroubled.add(lesson.corner)


# Prompts show evidence and it is kept for ever: about a season's.
MOST_EVIDENCE = 12
# With fewer laps, a session without the trouble is no evidence.
UNTROUBLED_LAPS = 3


class LessonRule(msgspec.Struct, frozen=True):
    """What promotes a lesson: `sessions`, or `laps` of one; and what retires it: `against`."""

    sessions: int
    laps: int
    against: int


# A few laps make a fault of the day (traffic, tyres, wind): another day, or all judged laps, do
# not. One good pass shows that the driver can; lasting takes longer. Two spins in one corner are
# not unlearned in one careful session. A habit is made of proven faults.
RULES: dict[LessonKind, LessonRule] = {
    "fault": LessonRule(sessions=2, laps=4, against=1),
    "cured": LessonRule(sessions=2, laps=6, against=1),
    "trouble": LessonRule(sessions=2, laps=2, against=2),
    "habit": LessonRule(sessions=1, laps=1, against=1),
}


class _Claim:
    """A possible lesson. It hears each session that has a say, in order."""

    def __init__(
        self, kind: LessonKind, drove: SessionEvidence, corner: str, cause: str, proven_from_s: float
    ) -> None:
        """Start. `proven_from_s`: when it was proven by sessions of which some are gone."""
        self.kind, self.driver, self.track = kind, drove.driver, drove.track
        self.corner, self.cause = corner, cause
        self.active = self.proven = False
        self.why = ""
        self.evidence: list[Evidence] = []
        self.created_utc_s = 0.0
        self._against, self._proven_from_s = 0, proven_from_s

    def hear(self, evidence: Evidence, why: str = "") -> None:
        """Count one session; `why` it contradicts the claim, where it does."""
        rule = RULES[self.kind]
        self.proven = self.proven or evidence.at_utc_s >= self._proven_from_s
        if evidence.shows:
            self._against = 0
            self.evidence.append(evidence)
            shown = [each for each in self.evidence if each.shows]
            enough = len(shown) >= rule.sessions or any(len(set(each.laps)) >= rule.laps for each in shown)
            # Proven once and seen again: it is back.
            if not self.active and (enough or self.proven):
                self.created_utc_s = self.created_utc_s or evidence.at_utc_s
                self.active = self.proven = True
                self.why = ""
        elif self.evidence and (self.active or not self.proven):
            self._against += 1
            self.evidence.append(evidence)
            if self._against >= rule.against:
                self.active, self.why = False, why
                if not self.proven:
                    self.evidence.clear()

    def lesson(self, names: Names) -> Lesson:
        """Return the lesson after the last session."""
        kept = self.evidence[-MOST_EVIDENCE:]
        evidence = tuple(itertools.dropwhile(lambda each: not each.shows, kept))
        track_name, places = names.track(self.track), names.places(self.track)
        return Lesson(
            id=lesson_id(self.kind, self.driver, self.track, self.corner, self.cause),
            kind=self.kind,
            driver=self.driver,
            track=self.track,
            corner=self.corner,
            cause=self.cause,
            text=_text(self.kind, track_name, places, self.corner, self.cause, evidence, ENGLISH),
            words=place_words(self.track, self.corner, names),
            evidence=evidence,
            active=self.active,
            created_utc_s=self.created_utc_s,
            updated_utc_s=evidence[-1].at_utc_s,
            retired_why="" if self.active else self.why,
        )


def changed_lessons(facts: Facts) -> list[Lesson]:
    """Judge all sessions again; return the lessons that differ from the stored ones. StoreError."""
    known = facts.lessons()
    # Replays and doubled drives are no evidence.
    out = {row.id for row in facts.sessions() if not row.counts}
    found = judge(facts.events(""), [without(lesson, out) for lesson in known], Names(facts))
    before = {lesson.id: lesson for lesson in known}
    return [lesson for lesson in found if before.get(lesson.id) != lesson]


def lessons_for(known: Sequence[Lesson], row: SessionRow) -> list[Lesson]:
    """Return those that hold for this session's driver on its track, the newest first."""
    here = [each for each in known if each.active and each.driver == row.driver and each.track == row.track]
    return sorted(here, key=lambda each: (-each.updated_utc_s, each.id))


def judge(events: Iterable[DriverEvent], known: Sequence[Lesson], names: Names) -> list[Lesson]:
    """Return all lessons, retired ones too, by id; the same with its own result as `known`."""
    claims: dict[tuple[str, str], _OnTrack] = {}
    drives = sessions_of(events, known)
    gone = {drove.session for drove in drives if drove.remembered}
    # What proved these may be gone altogether.
    proven = {
        lesson.id: lesson.created_utc_s
        for lesson in known
        if gone & {each.session for each in lesson.evidence}
    }
    for drove in drives:
        claims.setdefault((drove.driver, drove.track), _OnTrack(proven)).hear(drove)
    created = {lesson.id: lesson.created_utc_s for lesson in known}
    found = {}
    for on_track in claims.values():
        for claim in on_track.proven():
            lesson = claim.lesson(names)
            created_utc_s = created.get(lesson.id, lesson.created_utc_s)
            found[lesson.id] = msgspec.structs.replace(lesson, created_utc_s=created_utc_s)
    for lesson in known:
        if lesson.id not in found:
            why = "its sessions, judged again, no longer show it"
            found[lesson.id] = (
                msgspec.structs.replace(lesson, active=False, retired_why=why) if lesson.active else lesson
            )
    return sorted(found.values(), key=lambda each: each.id)


def lesson_id(kind: LessonKind, driver: str, track: str, corner: str, cause: str) -> str:
    """Make a lesson's stable id; it does not show the driver's name."""
    # The cause of trouble or a cure may change: it is still the same corner's lesson.
    parts = (driver, track, corner, cause if kind in ("fault", "habit") else "")
    return f"{kind}-{hashlib.blake2b('|'.join(parts).encode(), digest_size=6).hexdigest()}"


def _named(cause: str) -> str:
    return ENGLISH.term("cause", action_of(cause))


class _OnTrack:
    """The claims about one driver on one track."""

    def __init__(self, proven: Mapping[str, float]) -> None:
        """Start. `proven`: when lessons were proven whose proof is partly gone, by id."""
        self._known = proven
        self._claims: dict[tuple[LessonKind, str, str], _Claim] = {}

    def hear(self, drove: SessionEvidence) -> None:
        """Take up one more session."""
        for corner in sorted(drove.judged):
            self._corner(drove, corner)
        self._troubles(drove)
        self._habits(drove)

    def proven(self) -> Iterator[_Claim]:
        """Return those that are, or once were, lessons."""
        return (claim for claim in self._claims.values() if claim.proven and claim.evidence)

    def _claim(self, kind: LessonKind, drove: SessionEvidence, corner: str, cause: str) -> _Claim:
        # As in `lesson_id`: only faults and habits are distinguished by their cause.
        key = (kind, corner, cause if kind in ("fault", "habit") else "")
        from_s = self._known.get(lesson_id(kind, drove.driver, drove.track, corner, cause), math.inf)
        claim = self._claims.setdefault(key, _Claim(kind, drove, corner, cause, from_s))
        claim.cause = cause
        return claim

    def _corner(self, drove: SessionEvidence, corner: str) -> None:
        fault = drove.faults.get(corner)
        cause = drove.faulty.get(corner) if fault is None else fault.cause
        faults = [each for (kind, at, _), each in self._claims.items() if kind == "fault" and at == corner]
        if cause is None:
            self._clean(drove, corner, faults)
            return
        against = _evidence(drove, drove.laps, shows=False, instead=cause)
        cured = self._claims.get(("cured", corner, ""))
        if cured is not None:
            cured.hear(against, f"on {drove.day} it was back: {_named(cause)}")
        for claim in faults:
            if claim.cause != cause:
                claim.hear(against, f"on {drove.day} it was another matter: {_named(cause)}")
        if fault is not None:
            own = self._claim("fault", drove, corner, fault.cause)
            own.hear(_evidence(drove, fault.laps, fault.seconds))

    def _clean(self, drove: SessionEvidence, corner: str, faults: Sequence[_Claim]) -> None:
        """Count a corner driven without a fault: that contradicts its faults, and may cure it."""
        cure = drove.cures.get(corner)
        for claim in faults:
            why = f"on {drove.day} it was driven without it"
            claim.hear(_evidence(drove, drove.laps, shows=False), why)
        proven = [claim for claim in faults if claim.proven]
        # Of a session that is gone only lessons remain: an unproven fault may have come between it
        # and the cure.
        if proven and (cure is not None or not drove.remembered):
            laps, seconds = (cure.laps, cure.seconds) if cure is not None else (drove.laps, None)
            last = max(proven, key=lambda claim: claim.evidence[-1].at_utc_s)
            self._claim("cured", drove, corner, last.cause).hear(_evidence(drove, laps, seconds))

    def _troubles(self, drove: SessionEvidence) -> None:
        for corner, (kind, laps) in sorted(drove.troubles.items()):
            self._claim("trouble", drove, corner, kind).hear(_evidence(drove, laps))
        for (kind_, corner, _), claim in self._claims.items():
            if kind_ != "trouble" or corner in drove.troubles:
                continue
            quiet = not drove.remembered and len(drove.laps) >= UNTROUBLED_LAPS
            if quiet or corner in drove.untroubled:
                why = f"{RULES['trouble'].against} sessions without, the last on {drove.day}"
                claim.hear(_evidence(drove, drove.laps, shows=False), why)

    def _habits(self, drove: SessionEvidence) -> None:
        corners: dict[str, list[str]] = {}
        for (kind, corner, cause), claim in self._claims.items():
            # "repeat" means that no action explains it: nothing that corners could share.
            if kind == "fault" and claim.active and cause != "repeat":
                corners.setdefault(cause, []).append(corner)
        for cause, found in sorted(corners.items()):
            faults = [drove.faults[corner] for corner in found if corner in drove.faults]
            laps = {lap for fault in faults if fault.cause == cause for lap in fault.laps}
            if len(found) >= HABIT_CORNERS and laps:
                shown = _evidence(drove, tuple(sorted(laps)), corners=tuple(sorted(found)))
                self._claim("habit", drove, "", cause).hear(shown)
        for (kind, _, cause), claim in self._claims.items():
            if kind == "habit" and claim.active and len(corners.get(cause, ())) < HABIT_CORNERS:
                why = f"since {drove.day} it shows in fewer than {HABIT_CORNERS} corners"
                claim.hear(_evidence(drove, drove.laps, shows=False), why)


def _evidence(
    drove: SessionEvidence, laps: tuple[int, ...], seconds: float | None = None, **more: Any
) -> Evidence:
    return Evidence(
        session=drove.session, at_utc_s=drove.at_utc_s, laps=laps, seconds=seconds, dated=drove.dated, **more
    )
