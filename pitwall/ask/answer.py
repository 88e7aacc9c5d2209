"""Answer a query, ask back with choices, and word a query as a question."""

from __future__ import annotations

from msgspec.structs import replace

from pitwall.analysis.tool_kit import ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.ask.reader import ReadQuestion, of_scope
from pitwall.ask.scope import Subject
from pitwall.ask.tell import answer_sentence
from pitwall.contract.questions import Query, Scope
from pitwall.store.queries import when_driven
from pitwall.words.language import language

# Words that are understood, though no figure tells them.
_PLAIN = ("and", "can", "could", "should", "too", "will")


def answer_query(subject: Subject, query: Query) -> str:
    """Answer a query, of another session where it names one. ToolRefused, StoreError."""
    if query.units and query.units != subject.words.units:
        words = language(query.units, subject.words.bike)
        subject.words, query = words, replace(query, units="")
    if not (session := query.scope.session):
        return answer_sentence(subject, query)
    before = [
        row for row in subject.others() if (row.driven_utc_s or 0.0) <= (subject.row.driven_utc_s or 0.0)
    ]
    rows = before[-1:] if session == "previous" else [row for row in subject.others() if row.id == session]
    if not rows:
        name, when = subject.track.name if subject.track else "", when_driven(subject.row)
        said = subject.words.say("asked only session", track=name, when=when)
        others = [row for row in subject.facts.sessions() if row.track not in ("", subject.row.track)]
        other = ""
        if others:
            row = others[-1]
            track = subject.facts.track(row.track)
            other = subject.words.say(
                "asked elsewhere", session=row.name or row.id, when=when_driven(row),
                track=track.name if track else row.track,
            )  # fmt: skip
        return f"{said} {other}".strip()
    about = Subject(Tools(subject.facts).about(rows[0]), subject.facts, rows[0])
    about.words = subject.words
    rest = answer_sentence(about, replace(query, scope=replace(query.scope, session="")))
    return subject.words.say("ask of session", when=when_driven(rows[0]), rest=rest)


def ask_back(subject: Subject, reading: ReadQuestion) -> tuple[str, tuple[str, ...]]:
    """Return the reply to an uncertain question, and the questions to choose from."""
    say = subject.words.say
    queries = reading.choices or (of_scope(reading.scope) if reading.scope != Scope() else ())
    choices = tuple(question_of(subject, each) for each in queries)
    strange = [each for each in reading.unused if each not in _PLAIN]
    why = say("ask unused", words=strange) if strange else ""
    rest = say("ask back", choices=" ".join(choices)) if choices else say("asked nothing read")
    return f"{why} {rest}".strip(), choices


def question_of(subject: Subject, query: Query) -> str:
    """Word a query as a whole question, which is read back as it."""
    say, term = subject.words.say, subject.words.term
    if subject.words.has_term("ask topic", query.measure):
        return term("ask topic", query.measure)
    which = f"{term('which', query.which)} " if query.which else ""
    places = say("ask and").join(_place(subject, each) for each in query.scope.places)
    laps = [_laps(subject, each) for each in query.scope.laps]
    return say(
        "ask query", which=which, measure=term("measure", query.measure),
        place=places, laps=say("ask in", laps=laps) if laps else "",
        group=say("ask by", group=query.group) if query.group else "",
        session=say("ask before") if query.scope.session == "previous" else "",
        units=say("ask in units", units=query.units) if query.units else "",
    )  # fmt: skip


def _place(subject: Subject, mark: str) -> str:
    try:
        [where, *_] = subject.wheres((mark,))
    except ToolRefused:
        return subject.words.say("ask at", place=mark.replace("_", " "))
    if where.part == "straight":
        return subject.place(where)
    return subject.words.say("ask at", place=subject.place_name(where))


def _laps(subject: Subject, mark: str) -> str:
    if subject.words.has_term("lap mark", mark):
        return subject.words.term("lap mark", mark)
    name, _, number = mark.partition(":")
    if name == "times":
        least, most = (subject.words.figures.lap_time(float(each)) for each in number.split("-"))
        return subject.words.say("laps by time", least=least, most=most)
    try:
        return subject.words.figures.laps_named([lap.number for lap in subject.laps((mark,))])
    except ToolRefused:
        return subject.words.say("lap", lap=mark)
