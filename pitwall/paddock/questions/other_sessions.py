"""Comparison with other sessions on the same track: by time, by driver, by car."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from statistics import fmean, median, stdev

from msgspec.structs import replace

from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.figure_values import SHARED, own_measure, shown_difference
from pitwall.paddock.questions.measures import MEASURES, Where
from pitwall.paddock.questions.session_figures import SessionFigures
from pitwall.paddock.questions.subject import Subject
from pitwall.store.queries import SessionRow, when_driven

# Older ones are counted, not listed.
MOST_SESSIONS = 6
MOST_CORNERS = 3
# The mark of a session that was called by a word of its own begins so.
_NAMED = "named:"
# How a figure of a session is looked at, in sentences of their own.
_LOOKS = {"mean", "spread"}
# Less is timing, not driving.
LEAST_S = 0.02


def compare_sessions(asked: Subject, reading: QuestionReading) -> str:
    """This session beside those that are meant; it says so where there is none."""
    say = asked.words.say
    own = asked.row
    others = _others(asked)
    mark = next(each for each in reading.sessions if each not in ("this", "today"))
    track = asked.track.name if asked.track else own.venue or say("unknown track")
    if mark in ("drivers", "cars"):
        return _by_name(asked, [*others, own], mark, track, reading)
    if mark == "all" and reading.counts and not (reading.measures or reading.laps or reading.places):
        return _counted(asked, [*others, own], track, "today" in reading.sessions)
    if not others:
        return say("asked only session", track=track, when=shown_day(asked, own))
    meant = _meant(own, others, mark)
    if meant is None:
        return say("asked day unknown", when=shown_day(asked, own))
    if not meant:
        have = [shown_day(asked, row) for row in others[-MOST_SESSIONS:]]
        return say(
            "asked no such session",
            mark=asked.words.term("session mark", mark if mark in _MARKS else "day"),
            track=track,
            have=have,
        )
    measure = next((each for each in reading.measures if each in MEASURES and each != "time"), "")
    if not measure and (reading.places or reading.of == "sector" or _LOOKS & {*reading.which}):
        measure = "time"
    if mark == "all" or len(meant) > 1:
        rows = [*meant[-MOST_SESSIONS:], own] if own.best_lap_s else meant
        if "lap_count" in reading.measures:
            return _laps_by_session(asked, [*meant, own], track)
        if measure and not reading.laps:
            wheres = asked.wheres(reading)
            named = [("", row) for row in rows]
            return " ".join(_figure_by_session(asked, named, reading, measure, where) for where in wheres)
        return _listed(asked, rows, track, "" if "least" in reading.which else "asked best of sessions")
    other = SessionFigures(asked.facts, meant[0], asked.track)
    if measure:
        wheres = asked.wheres(replace(reading, sectors=(0,)) if reading.of == "sector" else reading)
        return " ".join(_one_figure(asked, other, reading, measure, where) for where in wheres)
    return _pair(asked, reading, other)


def _others(asked: Subject) -> list[SessionRow]:
    """The other drives on the same track that have a timed lap."""
    return [
        row
        for row in asked.facts.sessions()
        if row.track == asked.row.track
        and row.track
        and row.counts
        and not row.is_same_drive(asked.row)
        and row.best_lap_s
    ]


def best_of_day(asked: Subject, reading: QuestionReading) -> str:
    """The best lap of all drives of this session's day, "" where there is no other."""
    day = _day(asked.row)
    same = [row for row in _others(asked) if day and _day(row) == day and not _is_of_another(asked.row, row)]
    track = asked.track.name if asked.track else ""
    return _listed(asked, [*same, asked.row], track, "asked best of day") if same else ""


def asked_alone(asked: Subject, reading: QuestionReading) -> SessionRow | None:
    """The one session that a question is about: "how many laps yesterday". None where sessions are compared,
    where none is named, and where the one named is not stored."""
    marks = set(reading.sessions)
    if reading.compares or len(marks) != 1 or marks & {"this", "today", "all", "drivers", "cars"}:
        return None
    [mark] = marks
    if mark == "other" and len(_others(asked)) != 1:
        return None
    if mark == "previous" and not (reading.said or {*reading.measures} - MEASURES.keys()):
        return None  # the one that has just been driven may be meant: both are told
    own = asked.row
    # This session may be the one of "this morning".
    if mark not in ("previous", "other") and _meant(own, [own], mark):
        return own
    return next(iter(_meant(own, _others(asked), mark) or ()), None)


def with_session_named(asked: Subject, reading: QuestionReading) -> QuestionReading:
    """The reading with another drive on this track for a word that only its names have: "the M3 run"."""
    if not (reading.strange or reading.called) or {*reading.sessions} - {"this", "today", "drivers", "cars"}:
        return reading
    own, others = _names(asked.row), _others(asked)
    if kind := _kind_named(reading, [*others, asked.row]):
        # "The M3 or the Cayman", "who is faster, Ann or Tom".
        known = own.union(*map(_names, others))
        strange = tuple(each for each in reading.strange if each not in known)
        return replace(reading, sessions=(kind,), called=reading.strange, strange=strange)
    for word in (*reading.strange, *reading.called):
        named = [row for row in others if word in _names(row) - own]
        if named and len(word) > 1:
            known = own | _names(named[-1])
            strange = tuple(each for each in reading.strange if each not in known)
            return replace(reading, sessions=(*reading.sessions, _NAMED + named[-1].id), strange=strange)
    return reading


def _kind_named(reading: QuestionReading, rows: Sequence[SessionRow]) -> str:
    """Whether several "cars" or "drivers" are called by their names, or which of them are compared."""
    kind = next((each for each in reading.sessions if each in ("drivers", "cars")), "")
    for each in ("cars", "drivers"):
        names = {_name_of(row, each) for row in rows} - {""}
        if sum(_is_called(name, reading.strange) for name in names) > 1:
            return each
    return kind


def _name_of(row: SessionRow, kind: str) -> str:
    return row.driver if kind == "drivers" else row.vehicle


def _is_called(name: str, words: Sequence[str]) -> bool:
    return any(len(word) > 1 and word in re.findall(r"[a-z0-9]+", name.lower()) for word in words)


def _names(row: SessionRow) -> frozenset[str]:
    """The words by which a driver may call a session."""
    names = " ".join((row.name, row.source_name, row.vehicle, row.driver, *row.tags))
    return frozenset(re.findall(r"[a-z0-9]+", names.lower()))


_MARKS = ("previous", "yesterday", "morning", "afternoon", "week", "month", "year")


def _day(row: SessionRow) -> date | None:
    return None if row.driven_utc_s is None else datetime.fromtimestamp(row.driven_utc_s, UTC).date()


def _hour(row: SessionRow) -> int:
    return datetime.fromtimestamp(row.driven_utc_s or 0.0, UTC).hour


def _when(row: SessionRow) -> float:
    return row.order_utc_s


def _is_of_another(own: SessionRow, row: SessionRow) -> bool:
    """Whether another driver drove it, as far as both sessions name theirs."""
    return bool(own.driver and row.driver and own.driver != row.driver)


def _meant(own: SessionRow, others: Sequence[SessionRow], mark: str) -> list[SessionRow] | None:
    """The sessions that a mark means, beside this one; None where the day of this one is not known. Those of
    another driver are meant only where there is no other one."""
    if mark in ("all", "other"):
        return list(others)
    mine = [row for row in others if not _is_of_another(own, row)]
    return _marked(own, mine, mark) or _marked(own, others, mark)


def _marked(own: SessionRow, others: Sequence[SessionRow], mark: str) -> list[SessionRow] | None:
    before = [row for row in others if row.order_utc_s < own.order_utc_s]
    if mark == "previous":
        return before[-1:]
    if mark == "first":
        return before[:1]
    if mark.startswith(_NAMED):
        return [row for row in others if row.id == mark.removeprefix(_NAMED)]
    day = _day(own)
    if day is None:
        return None
    if mark in ("morning", "afternoon"):
        return [row for row in others if _day(row) == day and (_hour(row) < 12) == (mark == "morning")][-1:]
    if mark == "week":
        last = {day - timedelta(days=back) for back in range(1, 8 + day.weekday())}
        return [row for row in before if _day(row) in last][-1:]
    if mark == "month":
        last_day = day.replace(day=1) - timedelta(days=1)
        return [
            row
            for row in before
            if (found := _day(row)) and (found.year, found.month) == (last_day.year, last_day.month)
        ][-1:]
    if mark == "year":
        return [row for row in before if (found := _day(row)) and found.year == day.year - 1][-1:]
    if mark.startswith("--"):
        return [row for row in others if (found := _day(row)) and f"--{found:%m-%d}" == mark][-1:]
    wanted = day - timedelta(days=1) if mark == "yesterday" else date.fromisoformat(mark)
    return [row for row in others if _day(row) == wanted][-1:]


def shown_day(asked: Subject, row: SessionRow) -> str:
    """Its name or when it was driven, with the driver and the car where they are not those of this one."""
    own, when = asked.row, _plain_day(asked, row)
    pairs = ((own.driver, row.driver), (own.vehicle, row.vehicle))
    others = [other for mine, other in pairs if mine and other and mine != other]
    return f"{when} ({', '.join(others)})" if others else when


def _plain_day(asked: Subject, row: SessionRow) -> str:
    return row.name or asked.words.retold(when_driven(row))


def _counted(asked: Subject, rows: Sequence[SessionRow], track: str, today: bool) -> str:
    """How many sessions with a timed lap there are, of the day of this one or of all days."""
    day = _day(asked.row)
    meant = sorted((row for row in rows if not (today and day) or _day(row) == day), key=_when)
    values = [shown_day(asked, row) for row in meant[-MOST_SESSIONS:]]
    return asked.words.say("asked session count", track=track, count=len(meant), values=values)


def _listed(
    asked: Subject, rows: Sequence[SessionRow], track: str, key: str = "asked best of sessions"
) -> str:
    """The best lap of all of them, told by the sentence of this key, and that of each session."""
    values = [
        asked.words.say("asked session best", when=shown_day(asked, row), best=row.best_lap_s)
        for row in sorted(rows, key=_when)
        if row.best_lap_s is not None
    ]
    said = asked.words.say("asked sessions", track=track, count=len(values), values=values)
    row = min(rows, key=lambda row: row.best_lap_s or 1e9)
    figures = SessionFigures(asked.facts, row, asked.track)
    if not key or figures.best is None:
        return said
    first = asked.words.say(
        key,
        track=track,
        time=figures.best.time_s,
        lap=figures.best.number,
        when=shown_day(asked, row),
    )
    return f"{first} {said}"


def _by_name(
    asked: Subject, rows: Sequence[SessionRow], mark: str, track: str, reading: QuestionReading
) -> str:
    """The best lap of each driver or car that the stored sessions name; of another figure its usual value in
    the session of that lap."""
    driver = reading.driver
    kind = asked.words.term("session mark", mark)
    best: dict[str, tuple[float, SessionRow]] = {}
    for row in rows:
        name = _name_of(row, mark)
        if name and row.best_lap_s is not None and row.best_lap_s < best.get(name, (1e9, row))[0]:
            best[name] = (row.best_lap_s, row)
    if driver and not any(driver in name.lower() for name in best):
        return asked.words.say("asked no driver", driver=driver.capitalize(), track=track)
    if len(best) < 2:
        return asked.words.say("asked none named", kind=kind, track=track)
    if driver and asked.row.driver:
        # "Me or Tom": nobody else.
        best = {
            name: each for name, each in best.items() if driver in name.lower() or name == asked.row.driver
        }
    named = {name: each for name, each in best.items() if _is_called(name, reading.called)}
    best = named if len(named) > 1 else best
    measure = next((each for each in reading.measures if each in MEASURES and each != "time"), "")
    if measure := measure or ("time" if reading.places else ""):
        own = _name_of(asked.row, mark)
        sessions = [(name, asked.row if name == own else row) for name, (_, row) in best.items()]
        wheres = asked.wheres(reading)
        return " ".join(_figure_by_session(asked, sessions, reading, measure, where) for where in wheres)
    values = [
        asked.words.say("asked named best", name=name, best=best_s, when=_plain_day(asked, row))
        for name, (best_s, row) in sorted(best.items(), key=lambda each: each[1][0])
    ]
    return asked.words.say("asked named", track=track, kind=kind, values=values)


def _pair(asked: Subject, reading: QuestionReading, other: SessionFigures) -> str:
    """Best and usual laps of two sessions, and where the best passes of each corner differ most."""
    say, own = asked.words.say, asked.figures
    if own.best is None or other.best is None or own.best.time_s is None or other.best.time_s is None:
        return say("no timed lap")
    diff_s = own.best.time_s - other.best.time_s
    said = [
        say(
            "asked pair slower" if diff_s > 0 else "asked pair faster",
            by=abs(diff_s),
            best=own.best.time_s,
            lap=own.best.number,
            other_best=other.best.time_s,
            other=other.best.number,
            when=shown_day(asked, other.row),
        ),
        say(
            "asked pair usual",
            usual=median(lap.time_s or 0.0 for lap in own.flying),
            other_usual=median(lap.time_s or 0.0 for lap in other.flying),
            count=len(own.flying),
            other=len(other.flying),
        ),
    ]
    changes = []
    for corner in own.corners:
        times = [_best_pass(each, corner.id) for each in (own, other)]
        if times[0] is not None and times[1] is not None and abs(times[0] - times[1]) >= LEAST_S:
            changes.append((times[0] - times[1], corner.id))
    for key, rows in (
        ("asked corners lost", sorted((c for c in changes if c[0] > 0), reverse=True)),
        ("asked corners won", sorted(c for c in changes if c[0] < 0)),
    ):
        if rows:
            named = [
                say("corner loss short", corner=asked.corner_name(corner), loss=abs(by))
                for by, corner in rows[:MOST_CORNERS]
            ]
            said.append(say(key, corners=named))
        elif key == "asked corners lost" and (
            "loss" in reading.measures or reading.of in ("corner", "place")
        ):
            said.append(say("asked no corner lost"))
    return " ".join(said)


def _best_pass(session: SessionFigures, corner: str) -> float | None:
    found = [
        passed.time_s for lap in session.flying if (passed := session.passed(corner, lap.number)) is not None
    ]
    return min(found, default=None)


def _one_figure(
    asked: Subject, other: SessionFigures, reading: QuestionReading, measure: str, where: Where
) -> str:
    measure = own_measure(measure, where)
    row = MEASURES[measure]
    which = next((each for each in ("spread", "mean", "least") if each in reading.which), "")
    if where.part not in row.parts:
        return asked.words.say("asked only at corners", label=asked.words.term("asked", measure))
    found = [_value(session, measure, which, where) for session in (asked.figures, other)]
    if found[0] is None or found[1] is None:
        return asked.words.say("asked not recorded", signal=asked.words.term("asked", measure))
    label = asked.label(measure, which or ("most" if row.usual == "most" else ""), where)
    shown = shown_difference if which == "spread" else Subject.shown
    shares = ["", ""]
    if measure in SHARED and where.part == "lap" and not which:
        shares = [_share(asked, session, measure) for session in (asked.figures, other)]
    return asked.words.say(
        f"asked {which} pair" if which in _LOOKS else "asked figure pair",
        label=label,
        place=asked.place(where),
        value=shown(asked, measure, found[0]) + shares[0],
        other=shown(asked, measure, found[1]) + shares[1],
        when=shown_day(asked, other.row),
    )


def _share(asked: Subject, session: SessionFigures, measure: str) -> str:
    """The usual share of a lap that is spent so."""
    taken = [(MEASURES[measure].take(session, lap, Where(), ""), lap.time_s) for lap in session.flying]
    return asked.words.say(
        "asked share", share=median(value / time for value, time in taken if value and time)
    )


def _value(session: SessionFigures, measure: str, which: str, where: Where) -> float | None:
    """One figure of a whole session, over its flying laps."""
    row = MEASURES[measure]
    which = which or ("mean" if row.usual == "mean" else "")
    values = [value for lap in session.flying if (value := row.take(session, lap, where, which)) is not None]
    if not values or (which == "spread" and len(values) < 2):
        return None
    if which == "spread":
        return stdev(values)
    if row.usual == "most" and not which:
        return max(values)
    if which == "least":
        return min(values)
    return fmean(values) if which == "mean" or row.usual == "mean" else median(values)


def _figure_by_session(
    asked: Subject,
    rows: Sequence[tuple[str, SessionRow]],
    reading: QuestionReading,
    measure: str,
    where: Where,
) -> str:
    """A figure of several sessions, each beside the name that it stands for, else beside its day."""
    measure = own_measure(measure, where)
    row, which = MEASURES[measure], next((each for each in ("least", "mean") if each in reading.which), "")
    if measure == "time" and "most" in reading.which:
        which = "least"  # the best time is the lowest one
    if where.part not in row.parts:
        return asked.words.say("asked only at corners", label=asked.words.term("asked", measure))
    found = [
        (name, each, _value(SessionFigures(asked.facts, each, asked.track), measure, which, where))
        for name, each in rows
    ]
    values = [
        asked.words.say(
            "asked named value" if name else "asked session value",
            name=name,
            when=_plain_day(asked, each) if name else shown_day(asked, each),
            value=asked.shown(measure, value),
        )
        for name, each, value in found
        if value is not None
    ]
    if not values:
        return asked.words.say("asked not recorded", signal=asked.words.term("asked", measure))
    label = asked.label(measure, which or ("most" if row.usual == "most" else ""), where)
    key = "asked best list" if measure == "time" and which == "least" else "asked list"
    return asked.words.say(key, label=label, place=asked.place(where), values=values)


def _laps_by_session(asked: Subject, rows: Sequence[SessionRow], track: str) -> str:
    flying = {row.id: sum(lap.kind == "flying" for lap in asked.facts.laps(row.id)) for row in rows}
    values = [
        asked.words.say("asked session laps", count=flying[row.id], when=shown_day(asked, row))
        for row in rows[-MOST_SESSIONS:]
    ]
    return asked.words.say("asked laps of all", count=sum(flying.values()), track=track, values=values)
