"""Which stored sessions a question means, and how each of them is called."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from msgspec.structs import replace

from pitwall.ask.measures import MEASURES
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.subject import Subject, names_in, parts_of
from pitwall.store.queries import SessionRow, when_driven

MARKS = ("previous", "yesterday", "morning", "afternoon", "week", "month", "year")
# The mark of a session that was called by a word of its own begins so.
_NAMED = "named:"


def others_here(asked: Subject) -> list[SessionRow]:
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


def asked_alone(asked: Subject, reading: QuestionReading) -> SessionRow | None:
    """The one session that a question is about: "how many laps yesterday". None where sessions are compared,
    where none is named, and where the one named is not stored."""
    marks = set(reading.sessions)
    if reading.compares or len(marks) != 1 or marks & {"this", "today", "all", "drivers", "cars"}:
        return None
    [mark] = marks
    if mark == "other" and len(others_here(asked)) != 1:
        return None
    if mark == "previous" and not (reading.said or {*reading.measures} - MEASURES.keys()):
        return None  # the one that has just been driven may be meant: both are told
    own = asked.row
    # This session may be the one of "this morning".
    if mark not in ("previous", "other") and sessions_meant(own, [own], mark):
        return own
    return next(iter(sessions_meant(own, others_here(asked), mark) or ()), None)


def with_session_named(asked: Subject, reading: QuestionReading) -> QuestionReading:
    """The reading with another drive on this track for a word that only its names have: "the M3 run"."""
    if not (reading.strange or reading.called) or {*reading.sessions} - {
        *("this", "today", "drivers", "cars", "all")
    }:
        return reading
    own, others = names_in(asked.row), others_here(asked)
    if kind := _kind_named(reading, asked.row, others):
        # "The M3 or the Cayman", "who is faster, Ann or Tom".
        known = own.union(*map(names_in, others))
        strange = tuple(each for each in reading.strange if each not in known)
        return replace(reading, sessions=(kind,), called=reading.strange, strange=strange)
    for word in (*reading.strange, *reading.called):
        named = [row for row in others if word in names_in(row) - own]
        if named and len(word) > 1:
            known = own | names_in(named[-1])
            strange = tuple(each for each in reading.strange if each not in known)
            marks = (each for each in reading.sessions if each != "all")
            return replace(reading, sessions=(*marks, _NAMED + named[-1].id), strange=strange)
    return reading


def _kind_named(reading: QuestionReading, own: SessionRow, others: Sequence[SessionRow]) -> str:
    """ "cars" or "drivers", where two others than this session's are called by their names or all are
    meant."""
    for kind in ("cars", "drivers"):
        names = {name_of(row, kind) for row in others} - {"", name_of(own, kind)}
        if kind in reading.sessions or sum(is_called(name, reading.strange) for name in names) > 1:
            return kind
    return ""


def name_of(row: SessionRow, kind: str) -> str:
    return row.driver if kind == "drivers" else row.vehicle


def is_called(name: str, words: Sequence[str]) -> bool:
    return any(len(word) > 1 and word in parts_of(name) for word in words)


def day_of(row: SessionRow) -> date | None:
    return None if row.driven_utc_s is None else datetime.fromtimestamp(row.driven_utc_s, UTC).date()


def _hour(row: SessionRow) -> int:
    return datetime.fromtimestamp(row.driven_utc_s or 0.0, UTC).hour


def order_of(row: SessionRow) -> float:
    return row.order_utc_s


def is_of_another(own: SessionRow, row: SessionRow) -> bool:
    """Whether another driver drove it, as far as both sessions name theirs."""
    return bool(own.driver and row.driver and own.driver != row.driver)


def sessions_meant(own: SessionRow, others: Sequence[SessionRow], mark: str) -> list[SessionRow] | None:
    """The sessions that a mark means, beside this one; None where the day of this one is not known. Those of
    another driver are meant only where there is no other one."""
    if mark in ("all", "other"):
        return list(others)
    mine = [row for row in others if not is_of_another(own, row)]
    return _marked(own, mine, mark) or _marked(own, others, mark)


def _marked(own: SessionRow, others: Sequence[SessionRow], mark: str) -> list[SessionRow] | None:
    before = [row for row in others if row.order_utc_s < own.order_utc_s]
    if mark == "previous":
        return before[-1:]
    if mark == "first":
        return before[:1]
    if mark.startswith(_NAMED):
        return [row for row in others if row.id == mark.removeprefix(_NAMED)]
    day = day_of(own)
    if day is None:
        return None
    if mark in ("morning", "afternoon"):
        return [row for row in others if day_of(row) == day and (_hour(row) < 12) == (mark == "morning")][-1:]
    if mark == "week":
        last = {day - timedelta(days=back) for back in range(1, 8 + day.weekday())}
        return [row for row in before if day_of(row) in last][-1:]
    if mark == "month":
        last_day = day.replace(day=1) - timedelta(days=1)
        return [
            row
            for row in before
            if (found := day_of(row)) and (found.year, found.month) == (last_day.year, last_day.month)
        ][-1:]
    if mark == "year":
        return [row for row in before if (found := day_of(row)) and found.year == day.year - 1][-1:]
    if mark.startswith("weekday:"):
        return [row for row in others if (found := day_of(row)) and mark.endswith(str(found.weekday()))][-1:]
    if mark.startswith("--"):
        return [row for row in others if (found := day_of(row)) and f"--{found:%m-%d}" == mark][-1:]
    wanted = day - timedelta(days=1) if mark == "yesterday" else date.fromisoformat(mark)
    return [row for row in others if day_of(row) == wanted][-1:]


def shown_day(asked: Subject, row: SessionRow) -> str:
    """Its name or when it was driven, with the driver and the car where they are not those of this one."""
    own, when = asked.row, plain_day(asked, row)
    pairs = ((own.driver, row.driver), (own.vehicle, row.vehicle))
    others = [other for mine, other in pairs if mine and other and mine != other]
    return f"{when} ({', '.join(others)})" if others else when


def plain_day(asked: Subject, row: SessionRow) -> str:
    return row.name or asked.words.retold(when_driven(row))
