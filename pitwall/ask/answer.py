"""The answer to a query, or the question back with two choices; and how a query is called in words."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from pitwall.analysis.tool_kit import ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.ask.evaluate import evaluate, told_end
from pitwall.ask.measures import MEASURES
from pitwall.ask.reader import QuestionReading
from pitwall.ask.scope import BESIDE, Subject
from pitwall.ask.tell import ONE_LAP, told
from pitwall.ask.topics import AGENTS, TOPICS, untold
from pitwall.contract.query import Query, Scope
from pitwall.store.queries import SessionRow, when_driven

MOST_SESSIONS = 8
# No corner or lap explains these.
NO_CAUSE = frozenset(("coolant_c", "oil_temp_c", "oil_bar", "altitude_m", "climb_m", "rpm", "gear"))


class ToldAnswer(msgspec.Struct, frozen=True):
    """The answer. `choices`: the questions to choose from, each in words that are read back as it.
    `agent`: whose tools tell this topic, at `query`'s place; "" where `text` has it all."""

    text: str = ""
    choices: tuple[str, ...] = ()
    agent: str = ""
    query: Query | None = None


def answered(subject: Subject, reading: QuestionReading) -> ToldAnswer:
    """The answer to what was read; empty where nothing was. ToolRefused, StoreError."""
    if reading.untold:
        return ToldAnswer(untold(subject, reading.untold))
    say, asked = subject.words.say, reading.query
    if asked is not None and asked.show == "why" and asked.scope.places and not asked.measure:
        return _without_measure(subject, asked)
    figure = asked is not None and asked.measure in MEASURES and not reading.strange
    if asked is not None and figure and reading.unused and not subject.is_recorded(asked.measure):
        return ToldAnswer(told(subject, asked), query=asked)
    if reading.choices and (reading.strange or reading.unused or len(reading.choices) > 1):
        why = ""
        if reading.strange:
            why = say("ask strange", words=list(reading.strange))
        elif reading.unused:
            why = say("ask unused", words=list(reading.unused))
        named = [called(subject, each) for each in reading.choices]
        key = "ask back" if len(named) > 1 else "ask back one"
        back = say(key, first=named[0], second=named[-1])
        return ToldAnswer(f"{why} {back}".strip(), tuple(named), query=reading.query)
    if reading.strange:
        return ToldAnswer(say("asked strange", words=list(reading.strange)))
    query = reading.query
    if query is None:
        return ToldAnswer()
    if not query.measure:
        return _without_measure(subject, query)
    text, agent = _told_by(subject, query)
    if reading.more and not agent:
        text = " ".join((text, *(_told_by(subject, each)[0] for each in reading.more)))
    return ToldAnswer(text, agent=agent, query=query)


def _told_by(subject: Subject, query: Query) -> tuple[str, str]:
    """(text, agent) of a query: an agent tells some topics."""
    if query.show == "why" and query.measure in NO_CAUSE:
        return f"{told(subject, replace(query, show=''))} {subject.words.say('asked no cause')}", ""
    if query.show == "why" and query.measure in MEASURES:
        return "", _why(query)
    if query.measure in AGENTS:
        corners = query.measure == "losses" and query.show == "why"
        return "", "CornerCoachAgent" if corners else AGENTS[query.measure]
    if query.measure in TOPICS:
        return TOPICS[query.measure](subject, query), ""
    if query.measure not in MEASURES:
        raise ToolRefused(f"{query.measure!r} is no measure", subject.words.say("ask about another"))
    return (_sessions if query.scope.session else told)(subject, query), ""


def _why(query: Query) -> str:
    if (query.scope.laps or query.group == "lap") and not query.scope.places and query.group != "corner":
        return "LapComparisonAgent"
    return "CornerCoachAgent"


def narrowed(subject: Subject, query: Query) -> Query:
    """The query with the corner or the lap that it finds as its place: what an agent is asked about."""
    if query.measure not in MEASURES:
        return query
    named = [each for each in (*query.scope.laps, query.against) if ONE_LAP.fullmatch(each)]
    numbers = {each: str(lap.number) for each in named for lap in subject.laps((each,))}  # or one is refused
    scope = replace(query.scope, laps=tuple(numbers.get(each, each) for each in query.scope.laps))
    query = replace(query, scope=scope, against=numbers.get(query.against, query.against))
    if not query.group:
        return query
    if query.group == "lap":
        lap = evaluate(subject, replace(query, show="")).lap
        return query if lap is None else replace(query, scope=replace(query.scope, laps=(str(lap),)))
    if query.scope.places:
        return query
    corner = evaluate(subject, replace(query, show="")).corner
    return replace(query, scope=replace(query.scope, places=(corner,))) if corner else query


def _without_measure(subject: Subject, query: Query) -> ToldAnswer:
    """A place and no measure: how it was driven is known to an agent, else two choices."""
    scope = query.scope
    corner = scope.places and ":" not in scope.places[0] and ">" not in scope.places[0]
    if query.show == "why" or (corner and not scope.laps and not query.group):
        return ToldAnswer(agent=_why(query), query=query)
    names = ("time", "min_speed") if corner else ("time", "speed")
    choices = [replace(query, measure=name, show="") for name in names]
    if not (scope.places or scope.laps or query.group):
        return ToldAnswer()
    named = tuple(called(subject, each) for each in choices)
    return ToldAnswer(subject.words.say("ask back", first=named[0], second=named[1]), named)


# Other sessions.


def _sessions(subject: Subject, query: Query) -> str:
    """The query in other sessions on this track, in this one too where they are compared."""
    others, session = subject.others(), query.scope.session
    if not others:
        name = subject.track.name if subject.track else ""
        when = when_driven(subject.row)
        only = subject.words.say("asked only session", track=name, when=when)
        own = replace(query, scope=replace(query.scope, session=""))
        return f"{only} {told(subject, _best_lap_of(own))}"
    if session == "previous":
        rows = [row for row in others if (row.driven_utc_s or 0.0) <= (subject.row.driven_utc_s or 0.0)][-1:]
        rows = [*(rows or others[-1:]), subject.row]
    elif session == "all":
        rows = [*others, subject.row][:MOST_SESSIONS]
    else:
        rows = [row for row in others if row.id == session.removeprefix(BESIDE)]
        rows += [subject.row] if session.startswith(BESIDE) else []
    plain = replace(query, scope=Scope(laps=query.scope.laps, places=query.scope.places))
    if session == "all" and query.group == "lap":  # the sessions are ranked, not their laps
        plain = replace(plain, group="", order="")
    plain = _best_lap_of(plain)
    said, values = list[str](), list[float | None]()
    for row in rows:  # one after the other: what a session has in memory goes with its subject
        about = subject
        if row.id != subject.row.id:
            about = Subject(Tools(subject.facts).about(row), subject.facts, row)
        said.append(subject.words.say("ask of session", when=_when(subject, row), rest=told(about, plain)))
        of_told = replace(plain, which=plain.which or told_end(plain))
        found = () if plain.group or len(rows) == 1 else evaluate(about, of_told).rows
        values.append(found[0].value if len(found) == 1 else None)
    if len(rows) == 2 and plain.which not in ("spread", "trend"):
        one, other = values
        if one is not None and other is not None:
            said.append(subject.words.say("ask between", by=subject.apart(plain.measure, one, other)))
    if session == "all":
        said.insert(0, _first_of(subject, rows, values, plain, query.order))
    return " ".join(filter(None, said))


def _first_of(
    subject: Subject, rows: Sequence[SessionRow], values: Sequence[float | None], query: Query, order: str
) -> str:
    """The session with the end of the values that is asked for, else with the better one; "" of a trend."""
    known = [each for each in zip(values, rows, strict=True) if each[0] is not None]
    if len(known) < 2 or query.which == "trend":
        return ""
    high = query.which not in ("min", "spread") and (query.which == "max" or MEASURES[query.measure].high)
    end = order or ("max" if high else "min")
    value, row = (max if end == "max" else min)(known, key=lambda each: each[0] or 0.0)
    return subject.words.say(
        "ask first session", end=subject.words.term("which", end), count=len(known),
        when=_when(subject, row), value=subject.shown(query.measure, value or 0.0),
    )  # fmt: skip


def _best_lap_of(query: Query) -> Query:
    """The best lap, where nothing but a session is named."""
    if query.measure == "time" and not (query.scope.laps or query.scope.places or query.which):
        return replace(query, scope=Scope(laps=("best",)), group="", order="")
    return query


def _when(subject: Subject, row: SessionRow) -> str:
    named = ", ".join(each for each in (row.driver, row.vehicle) if each)
    return when_driven(row) + (f" ({named})" if named else "")


# How a query is called.


def called(subject: Subject, query: Query) -> str:
    """A query in words that the reader reads back: "highest brake pressure in Turn 7 in lap 4"."""
    say, term = subject.words.say, subject.words.term
    which = term("which", query.which) if query.which not in ("", "count", "exists") else ""
    places = [_place(subject, each) for each in query.scope.places]
    laps = [_laps(subject, each) for each in query.scope.laps]
    beside = _laps(subject, query.against) if query.against else ""
    group = ""
    if query.group:
        named, order = term("group", query.group), query.order
        group = (
            say("ask ranked", group=named, order=term("which", order))
            if order
            else say("ask by", group=named)
        )
    return say(
        "ask query", which=f"{which} " if which else "", measure=term("measure", query.measure or "corner"),
        place="".join(say("ask at", place=each) for each in places[:2]),
        laps="".join(say("ask of laps", laps=each) for each in laps[:2]), group=group,
        against=say("ask against", laps=beside) if beside else "", limit=_limit(subject, query),
        show=say("ask where") if query.show == "where" else "",
    )  # fmt: skip


def _limit(subject: Subject, query: Query) -> str:
    limit = query.limit
    if limit is None or query.measure not in MEASURES or limit.op == "within":
        return ""
    side = subject.words.term("side", "over" if limit.op == "over" else "under")
    return subject.words.say("ask limit", side=side, value=subject.shown(query.measure, limit.value))


def _place(subject: Subject, mark: str) -> str:
    try:
        [where, *_] = subject.wheres((mark,))
    except ToolRefused:
        return mark.replace("_", " ")
    if where.part in ("corner", "sector"):
        return subject.place_name(where)
    return subject.place(where).strip()


def _laps(subject: Subject, mark: str) -> str:
    if mark.isdigit():
        return subject.words.say("ask own lap", lap=mark)
    if subject.words.has_term("lap mark", mark):
        return subject.words.term("lap mark", mark)
    try:
        return subject.words.figures.laps_named([lap.number for lap in subject.laps((mark,))])
    except ToolRefused:
        return mark


def laps_and_corner(query: Query | None) -> tuple[Sequence[int], str]:
    """The laps by number and the first corner that a query names, for a tool's arguments."""
    if query is None:
        return (), ""
    laps = [int(each) for each in (*query.scope.laps, query.against) if each.isdigit()]
    corners = [each.partition("/")[0] for each in query.scope.places if ":" not in each and ">" not in each]
    return laps, corners[0] if corners else ""
