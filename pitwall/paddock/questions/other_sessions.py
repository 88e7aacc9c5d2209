"""Comparison with other sessions on the same track: by time, by driver, by car."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median, stdev

from msgspec.structs import replace

from pitwall.ask.measures import MEASURES, Where
from pitwall.ask.session_figures import SessionFigures
from pitwall.paddock.question_reading import BY_VALUE, QuestionReading
from pitwall.paddock.questions.figure_values import SHARED, named_measures, own_measure, shown_difference
from pitwall.paddock.questions.meant_sessions import (
    MARKS,
    day_of,
    is_called,
    is_of_another,
    name_of,
    order_of,
    others_here,
    plain_day,
    sessions_meant,
    shown_day,
)
from pitwall.paddock.questions.subject import Subject
from pitwall.store.queries import SessionRow

# Older ones are counted, not listed.
MOST_SESSIONS = 6
MOST_CORNERS = 3
# How a figure of a session is looked at, in sentences of their own.
_LOOKS = {"mean", "spread"}
# Figures whose best value of a session is an extreme one, and whether that is the highest.
_BEST_IS_HIGH = {"time": False} | dict.fromkeys(("entry_speed", "min_speed", "exit_speed"), True)
_BEST_IS_HIGH |= {name: True for name, row in MEASURES.items() if row.usual == "most"}
# Less is timing, not driving.
LEAST_S = 0.02


def compare_sessions(asked: Subject, reading: QuestionReading) -> str:
    """This session beside those that are meant; it says so where there is none."""
    say = asked.words.say
    own = asked.row
    others = others_here(asked)
    mark = next(each for each in reading.sessions if each not in ("this", "today"))
    track = asked.track.name if asked.track else own.venue or say("unknown track")
    if mark in ("drivers", "cars"):
        return _by_name(asked, [*others, own], mark, track, reading)
    if mark == "all" and reading.counts and not (reading.measures or reading.laps or reading.places):
        return _counted(asked, [*others, own], track, "today" in reading.sessions)
    if not others:
        return say("asked only session", track=track, when=shown_day(asked, own))
    meant = sessions_meant(own, others, mark)
    if meant is None:
        return say("asked day unknown", when=shown_day(asked, own))
    if not meant:
        have = [shown_day(asked, row) for row in others[-MOST_SESSIONS:]]
        return say(
            "asked no such session",
            mark=asked.words.term("session mark", mark if mark in MARKS else "day"),
            track=track,
            have=have,
        )
    measures = [each for each in named_measures(reading) if each != "time"]
    if not measures and (reading.places or reading.of == "sector" or _LOOKS & {*reading.which}):
        measures = ["time"]
    if mark == "all" or len(meant) > 1:
        rows = [*meant[-MOST_SESSIONS:], own] if own.best_lap_s else meant
        if "lap_count" in reading.measures:
            return _laps_by_session(asked, [*meant, own], track)
        if measures and not reading.laps:
            wheres = asked.wheres(reading)
            named = [("", row) for row in rows]
            return " ".join(
                _figure_by_session(asked, named, reading, measure, where)
                for measure in measures
                for where in wheres
            )
        every = {"least", "each", "rank", "trend", "spread"} & {*reading.which}
        said = [""] if every else ["asked best of sessions", *[""] * reading.compares]
        return " ".join(_listed(asked, rows, track, key) for key in said)
    other = SessionFigures(asked.facts, meant[0], asked.track)
    if measures and reading.of == "corner" and not reading.corners:
        return _by_corner(asked, other, reading, own_measure(measures[0], Where("corner")))
    if measures:
        wheres = asked.wheres(replace(reading, sectors=(0,)) if reading.of == "sector" else reading)
        return " ".join(
            _one_figure(asked, other, reading, measure, where) for measure in measures for where in wheres
        )
    return _pair(asked, reading, other)


def _by_corner(asked: Subject, other: SessionFigures, reading: QuestionReading, measure: str) -> str:
    """The corners where a figure differs most between two sessions."""
    found = []
    for corner in asked.corners(reading.among):
        where = Where("corner", corner.id, reading.point)
        values = [_value(session, measure, "", where) for session in (asked.figures, other)]
        if values[0] is not None and values[1] is not None:
            found.append((abs(values[0] - values[1]), where))
    if not found:
        return asked.words.say("asked no corners known")
    found.sort(key=lambda each: each[0], reverse=True)
    return " ".join(_one_figure(asked, other, reading, measure, where) for _, where in found[:MOST_CORNERS])


def best_of_day(asked: Subject, reading: QuestionReading) -> str:
    """The best lap of all drives of this session's day, "" where there is no other."""
    same = _same_day(asked)
    track = asked.track.name if asked.track else ""
    return _listed(asked, [*same, asked.row], track, "asked best of day") if same else ""


def laps_of_day(asked: Subject, reading: QuestionReading) -> str:
    """The flying laps of all drives of this session's day, "" where there is no other."""
    track, same = asked.track.name if asked.track else "", _same_day(asked)
    return _laps_by_session(asked, [*same, asked.row], track) if same else ""


def _same_day(asked: Subject) -> list[SessionRow]:
    """The other drives of this driver on the day of this session."""
    day = day_of(asked.row)
    others = (row for row in others_here(asked) if day and day_of(row) == day)
    return [row for row in others if not is_of_another(asked.row, row)]


def _counted(asked: Subject, rows: Sequence[SessionRow], track: str, today: bool) -> str:
    """How many sessions with a timed lap there are, of the day of this one or of all days."""
    day = day_of(asked.row)
    meant = sorted((row for row in rows if not (today and day) or day_of(row) == day), key=order_of)
    values = [shown_day(asked, row) for row in meant[-MOST_SESSIONS:]]
    return asked.words.say("asked session count", track=track, count=len(meant), values=values)


def _listed(asked: Subject, rows: Sequence[SessionRow], track: str, key: str = "") -> str:
    """The best lap of all of them, told by the sentence of this key; without, that of each session."""
    values = [
        asked.words.say("asked session best", when=shown_day(asked, row), best=row.best_lap_s)
        for row in sorted(rows, key=order_of)
        if row.best_lap_s is not None
    ]
    row = min(rows, key=lambda row: row.best_lap_s or 1e9)
    figures = SessionFigures(asked.facts, row, asked.track)
    if not key or figures.best is None:
        return asked.words.say("asked sessions", track=track, count=len(values), values=values)
    return asked.words.say(
        key,
        track=track,
        time=figures.best.time_s,
        lap=figures.best.number,
        when=shown_day(asked, row),
    )


def _by_name(
    asked: Subject, rows: Sequence[SessionRow], mark: str, track: str, reading: QuestionReading
) -> str:
    """The best lap of each driver or car that the stored sessions name; of another figure its usual value in
    the session of that lap."""
    driver = reading.driver
    kind = asked.words.term("session mark", mark)
    best: dict[str, tuple[float, SessionRow]] = {}
    for row in rows:
        name = name_of(row, mark)
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
    named = {name: each for name, each in best.items() if is_called(name, reading.called)}
    best = named if len(named) > 1 else best
    measure = next((each for each in reading.measures if each in MEASURES and each != "time"), "")
    if measure := measure or ("time" if reading.places else ""):
        own = name_of(asked.row, mark)
        sessions = [(name, asked.row if name == own else row) for name, (_, row) in best.items()]
        wheres = asked.wheres(reading)
        if "most" in reading.which and own_measure(measure, wheres[0]) in _BEST_IS_HIGH:
            # "The fastest anyone has gone": of all that they drove.
            driven = {name: [row for row in rows if name_of(row, mark) == name] for name in best}
            sessions = [(name, _best_session(asked, driven[name], measure, wheres[0])) for name in best]
        return " ".join(_figure_by_session(asked, sessions, reading, measure, where) for where in wheres)
    values = [
        asked.words.say("asked named best", name=name, best=best_s, when=plain_day(asked, row))
        for name, (best_s, row) in sorted(best.items(), key=lambda each: each[1][0])
    ]
    return asked.words.say("asked named", track=track, kind=kind, values=values)


def _best_session(asked: Subject, rows: Sequence[SessionRow], measure: str, where: Where) -> SessionRow:
    """The session with the best value of one of these figures."""
    measure = own_measure(measure, where)
    high, found = _BEST_IS_HIGH[measure], []
    for at, row in enumerate(rows):
        session = SessionFigures(asked.facts, row, asked.track)
        value = _value(session, measure, "most" if high else "least", where)
        found += [] if value is None else [(value, at)]
    return rows[(max if high else min)(found)[1]] if found else rows[0]


def _pair(asked: Subject, reading: QuestionReading, other: SessionFigures) -> str:
    """Best and usual laps of two sessions, and where the best passes of each corner differ most."""
    say, own = asked.words.say, asked.figures
    if own.best is None or other.best is None or own.best.time_s is None or other.best.time_s is None:
        return say("no timed lap")
    diff_s = own.best.time_s - other.best.time_s
    # "Where am I faster than then".
    places = reading.of in ("corner", "place") and reading.measures in ((), ("delta",))
    first = say(
        "asked pair slower" if diff_s > 0 else "asked pair faster",
        by=abs(diff_s),
        best=own.best.time_s,
        lap=own.best.number,
        other_best=other.best.time_s,
        other=other.best.number,
        when=shown_day(asked, other.row),
    )
    if (reading.laps == ("best",) or reading.measures == ("delta",)) and not places:
        return first  # "how much better is my best"
    usual = say(
        "asked pair usual",
        usual=median(lap.time_s or 0.0 for lap in own.flying),
        other_usual=median(lap.time_s or 0.0 for lap in other.flying),
        count=len(own.flying),
        other=len(other.flying),
    )
    if "than" in reading.left and not (places or reading.measures):
        return f"{first} {usual}"  # "am I faster than yesterday"
    said = [] if places else [first, usual]
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
    rest = " ".join(said)
    return say("asked pair places", when=shown_day(asked, other.row), rest=rest) if places else rest


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
    of = "most" if which in _LOOKS and "most" in reading.which and measure in BY_VALUE else ""
    found = [_value(session, measure, which, where, of) for session in (asked.figures, other)]
    if found[0] is None or found[1] is None:
        return asked.words.say("asked not recorded", signal=asked.words.term("asked", measure))
    label = asked.label(measure, of or which or ("most" if row.usual == "most" else ""), where)
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


def _value(session: SessionFigures, measure: str, which: str, where: Where, of: str = "") -> float | None:
    """One figure of a whole session, over its flying laps; `of`: which value of each lap it is made of."""
    row = MEASURES[measure]
    which = which or ("mean" if row.usual == "mean" else "")
    taken = (row.take(session, lap, where, of or which) for lap in session.flying)
    values = [value for value in taken if value is not None]
    if not values or (which == "spread" and len(values) < 2):
        return None
    if which == "spread":
        return stdev(values)
    if which == "most" or (row.usual == "most" and not which):
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
    if "most" in reading.which and which != "mean" and measure in _BEST_IS_HIGH:
        which = "most" if _BEST_IS_HIGH[measure] else "least"
    if where.part not in row.parts:
        return asked.words.say("asked only at corners", label=asked.words.term("asked", measure))
    found = [
        (name, each, _value(SessionFigures(asked.facts, each, asked.track), measure, which, where))
        for name, each in rows
    ]
    label = asked.label(measure, which or ("most" if row.usual == "most" else ""), where)
    mine = [(value, each) for name, each, value in found if value is not None and not name]
    mine = [each for each in mine if not is_of_another(asked.row, each[1])] or mine
    if len(mine) > 1 and {"most", "mean"} & {*reading.which} == {"most"} and measure in _BEST_IS_HIGH:
        # "The best of all sessions", "my top speed ever".
        value, session = (min if measure == "time" else max)(mine, key=lambda each: each[0])
        return asked.words.say(
            "asked best of time" if measure == "time" else "asked best of figure",
            label=label,
            place=asked.place(where),
            value=asked.shown(measure, value),
            count=len(mine),
            when=shown_day(asked, session),
        )
    values = [
        asked.words.say(
            "asked named value" if name else "asked session value",
            name=name,
            when=plain_day(asked, each) if name else shown_day(asked, each),
            value=asked.shown(measure, value),
        )
        for name, each, value in found
        if value is not None
    ]
    if not values:
        return asked.words.say("asked not recorded", signal=asked.words.term("asked", measure))
    looks = {"least": "asked best list", "mean": "asked mean list"} if measure == "time" else {}
    key = looks.get(which, "asked list")
    return asked.words.say(key, label=label, place=asked.place(where), values=values)


def _laps_by_session(asked: Subject, rows: Sequence[SessionRow], track: str) -> str:
    flying = {row.id: sum(lap.kind == "flying" for lap in asked.facts.laps(row.id)) for row in rows}
    values = [
        asked.words.say("asked session laps", count=flying[row.id], when=shown_day(asked, row))
        for row in rows[-MOST_SESSIONS:]
    ]
    return asked.words.say("asked laps of all", count=sum(flying.values()), track=track, values=values)
