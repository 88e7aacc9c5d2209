"""Answers that need no model: what `ask/` knows, and each agent's facts in sentences.

And the tool in which a model makes a query: it chooses, code computes and tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import msgspec
from msgspec.structs import asdict, replace

from pitwall.analysis.compose import noted, nothing_named
from pitwall.analysis.compose_words import plain
from pitwall.analysis.places import find_corners
from pitwall.analysis.port import Facts
from pitwall.analysis.report import brief_facts
from pitwall.analysis.tool_kit import Result, Toolbox, ToolRefused, tool
from pitwall.analysis.tools import Tools
from pitwall.ask.answer import answer_query, ask_back
from pitwall.ask.corner_names import names_of, words_of
from pitwall.ask.measures import MEASURES
from pitwall.ask.reader import ReadQuestion, read_after
from pitwall.ask.scope import Subject
from pitwall.ask.tell import TOPICS
from pitwall.config import Home
from pitwall.contract.messages import Turn
from pitwall.contract.questions import ONE_LAP, Group, Query, Scope, Which
from pitwall.paddock.facts import SESSION_FACTS, SmallFact, session_facts
from pitwall.paddock.question_kind import (
    asks_for_advice,
    asks_for_change,
    asks_for_memory,
    asks_for_most,
    asks_for_notes,
    asks_for_words,
    channel_parts,
    courtesy,
    parts_asked,
)
from pitwall.paddock.roster import (
    DUTIES,
    KEYWORDS,
    PIPELINES,
    QUERY_TOOL,
    answer_of,
    refusal,
    result_told,
)
from pitwall.paddock.tellers import NEUTRAL, PIPELINE_TELLERS
from pitwall.store.store import Store
from pitwall.track.model import Track
from pitwall.words.language import ENGLISH

if TYPE_CHECKING:
    from pitwall.paddock.context import Section

SQL_TOOL, SCRIPT_TOOL, RECALL_TOOL = "query_pitwall_db", "save_voice_scripts", "recall"
# The agent of figures: what it can't read for certain it asks back.
FIGURES = "TelemetryAgent"
COURTESY_MOOD = "calm"
READING_MOOD = "focused"
# The tool whose corner is that where most is lost, if no other is named.
HISTORY = "corner_history"
# What is asked of all stored sessions.
COUNTED = "session_count"
# The answer names at most this number of channels without a measure.
MOST_CHANNELS = 4
# Parts of a channel's name, or its unit, of which the sign is a side.
TO_SIDES = frozenset(("angle", "lean", "roll", "deg", "degrees", "°", "g"))


class ComposedAnswer(msgspec.Struct, frozen=True):
    """An answer without a model, its mood, and the questions to choose from where it asks back."""

    text: str
    mood: str
    choices: tuple[str, ...] = ()


class Composed:
    """`composed(agent, question)`: the answer, its emotion tag first. Any thread may call it.
    StoreError."""

    def __init__(self, tools: Tools, facts: Facts) -> None:
        self._tools, self._facts, self._words = tools, facts, facts.words

    def __call__(self, agent: str, question: str, turns: Sequence[Turn] = ()) -> str:
        """`turns`: what was said before, the oldest first."""
        composed = self.answer(agent, question, turns)
        return f"[{composed.mood}] {composed.text}"

    def answer(
        self, agent: str, question: str, turns: Sequence[Turn] = (), query: Query | None = None
    ) -> ComposedAnswer:
        """The answer to a question after `turns`; of a `query` whatever the question's words
        are."""
        try:
            made = self._query_told(query) if query is not None else self._told(agent, question, turns)
        except ToolRefused as refused:
            said = refusal({"error": refused.error, "what_to_do": refused.what_to_do}, self._words)
            return ComposedAnswer(said, NEUTRAL)
        return made if made.text else ComposedAnswer(self._words.say("asked nothing read"), made.mood)

    def _subject(self) -> Subject:
        return Subject(self._tools, self._facts, self._tools.session())

    def _query_told(self, query: Query) -> ComposedAnswer:
        scope, subject = query.scope, self._subject()
        two_laps = query == Query(measure="time", scope=Scope(laps=scope.laps)) and len(scope.laps) == 2
        report = "compare" if two_laps else query.measure
        if report == "compare" and len(scope.laps) == 2 and len(subject.laps(scope.laps)) == 1:
            report, query = "time", Query(measure="time", scope=Scope(laps=scope.laps[:1]))
        if report in REPORTS:
            with suppress(*((ToolRefused,) if two_laps else ())):  # a lap with holes still has a time
                return self._by_agent(REPORTS[report], query)
        if query.measure == COUNTED:
            return ComposedAnswer(self._sessions_counted(subject), READING_MOOD)
        return ComposedAnswer(answer_query(subject, query), READING_MOOD)

    def _sessions_counted(self, subject: Subject) -> str:
        rows = [row for row in self._facts.sessions() if row.counts]
        here = sum(row.track == subject.row.track for row in rows)
        where = subject.track.name if subject.track else subject.row.track
        key = "asked session count" if where else "asked session count alone"
        return self._words.say(key, count=len(rows), here=here, track=where)

    def toolbox(self, save: SaveScript | None = None) -> dict[str, Callable[..., Result]]:
        """The reading tools, the one that makes a query, and with `save` the one that writes."""
        writing = {} if save is None else {SCRIPT_TOOL: script_tool(self._tools, save)}
        return {
            **self._tools.table(),
            QUERY_TOOL: figure_tool(lambda: self._subject().track, self._told_to_model),
            **writing,
        }

    def tool(self, name: str, arguments: dict[str, Any], save: SaveScript | None = None) -> Result:
        """The result of one of these tools."""
        return self.toolbox(save)[name](**arguments)

    def sections(self, agent: str, question: str) -> list[Section]:
        """The blocks of the agent's prompt. StoreError."""
        from pitwall.paddock.context import sections  # what stands in a prompt, which few answers need

        first = agent in DUTIES and DUTIES[agent].of_driver
        return sections(self._tools, self._facts, question, driver_first=first)

    def _told_to_model(self, query: Query) -> Result:
        sentence = self._query_told(query).text
        return {"session": self._tools.session().id, "query": msgspec.to_builtins(query), "told": sentence}

    def _told(self, agent: str, question: str, turns: Sequence[Turn]) -> ComposedAnswer:
        """Return a courtesy, the figure read for certain, the agent's own facts, or ask back."""
        if greeting := courtesy(question, self._words):
            return ComposedAnswer(greeting, COURTESY_MOOD)
        if asks_for_memory(question):
            found = self._tools.recall(question)
            return ComposedAnswer(result_told(RECALL_TOOL, found, self._words), COURTESY_MOOD)
        subject = self._subject()
        reading = read_after(question, turns, subject.names)
        named = Query(measure="", scope=reading.scope)
        if agent in DUTIES and DUTIES[agent].writes:
            changes = asks_for_change(question)
            if changes or asks_for_words(question):
                return self._by_agent(agent, named, changes)
        if reading.query is not None:
            return self._query_told(reading.query)
        if question.strip() and not any(map(str.isalpha, question)):
            return ComposedAnswer("", NEUTRAL)
        if channels := self._channels_told(subject, question, reading):
            return ComposedAnswer(channels, NEUTRAL)
        if asks_for_notes(question):
            said = noted(subject.row.conditions, self._words)
            key = "asked noted" if said else "asked not noted"
            return ComposedAnswer(self._words.say(key, noted=said), NEUTRAL)
        if agent == FIGURES and reading.advice and asks_for_advice(question) and not reading.scope.laps:
            # Of a corner its history, else all that the debrief would do about it.
            agent = "CornerCoachAgent" if reading.scope.places else "DebriefPipeline"
        if not question.strip() or (agent != FIGURES and not reading.figure and not _ignores(agent, reading)):
            return self._by_agent(agent, named)
        text, choices = ask_back(subject, reading)
        return ComposedAnswer(text, NEUTRAL, choices)

    def _channels_told(self, subject: Subject, question: str, reading: ReadQuestion) -> str:
        """Tell of the channels of no measure that the unknown words name, "" where none does: at
        least half of a name's parts must be asked for."""
        if reading.scope.places or reading.scope.session:
            return ""
        marks = [each for each in reading.scope.laps if each != "last"]  # the end is named anyway
        try:
            laps = subject.laps(marks)
        except ToolRefused:
            return ""
        span = (laps[0].start_t, laps[-1].end_t) if laps else ()
        most, shown = 0, list[str]()
        unknown = [part for word in reading.unused for part in channel_parts(word) if len(part) > 2]
        for channel in self._facts.signal_ranges(subject.row.id, unknown, *span):
            parts = {*(name := channel.name.split("_")), channel.unit.lower()}
            asked = len(parts_asked(words_of(question), parts))
            if not all(parts_asked([word], parts) for word in reading.unused):
                continue
            if asked < max(most, len(name) / 2) or channel.least == channel.most:
                continue
            shown, most = shown if asked == most else [], asked
            slots = asdict(replace(channel, unit=f" {channel.unit}".rstrip()))
            within, key = subject.in_laps(marks, laps), "asked channel"
            if asks_for_most(question):
                key = "asked channel most"
                if parts & TO_SIDES:
                    slots["most"] = max(channel.most, -channel.least)
            shown.append(self._words.say(key, laps=within, **slots))
        return " ".join(shown[:MOST_CHANNELS])

    def _by_agent(self, agent: str, query: Query | None = None, changes: bool = False) -> ComposedAnswer:
        if agent in PIPELINES:
            return ComposedAnswer(*PIPELINE_TELLERS[agent](self._tools, self._facts))
        if DUTIES[agent].answers_from == HISTORY and not self._arguments(HISTORY, query)["corner"]:
            return ComposedAnswer(nothing_named(self._tools.report(), self._words), READING_MOOD)
        table, name = self._tools.table(), DUTIES[agent].answers_from
        results = {name: table[name](**self._arguments(name, query))} if name else {}
        answer = answer_of(agent, results, self._words)
        if changes:
            answer = f"{self._words.say('no scripts without model')} {answer}"
        return ComposedAnswer(answer, next(map(DUTIES[agent].mood_of, results.values()), NEUTRAL))

    def _reading(self, question: str) -> ReadQuestion:
        row = self._tools.session()
        return read_after(question, (), names_of(self._facts.track(row.track) if row.track else None))

    def _query_of(self, question: str) -> Query:
        reading = self._reading(question)
        return reading.query or Query(measure="", scope=reading.scope)

    def fetched(self, agent: str, question: str, tools: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return the results of these tools, or of those that the agent needs. StoreError."""
        table, results = self._tools.table(), dict[str, Any]()
        try:
            # Over the channel it is a list.
            if [*tools] == [SESSION_FACTS]:
                return {SESSION_FACTS: {"facts": msgspec.to_builtins(self._session_facts())}}
            query = self._query_of(question)
            for name in tools or filter(None, (DUTIES[agent].answers_from,)):
                arguments = self._arguments(name, query)
                # The scripts of all corners are too much to say unasked.
                if arguments.get("corner", "all"):
                    result = table[name](**arguments)
                    sentence = result_told(name, result, self._words)
                    whole = {**result, "told": sentence} if sentence else result
                    results[name] = {
                        key: _bare(held, result) for key, held in whole.items() if held is not None
                    }
        except ToolRefused as refused:
            results["session"] = {"error": refused.error}
        return results

    def _session_facts(self) -> list[SmallFact]:
        known = self._tools.kit.known("last")
        report, conditions = known.report, result_told("conditions", plain(known.conditions), self._words)
        return session_facts(report, brief_facts(report, self._facts), conditions, self._words)

    def arguments(self, goal: str, question: str, tools: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return what code calls these tools with, by a stage's goal, else by the question."""
        near, whole = self._query_of(goal), self._query_of(question)
        # A goal that names some of the question's laps is about all of them.
        some = {*near.scope.laps} <= {*whole.scope.laps}
        scope = msgspec.structs.replace(
            near.scope, laps=whole.scope.laps if some else near.scope.laps,
            places=near.scope.places or whole.scope.places,
        )  # fmt: skip
        near = msgspec.structs.replace(near, scope=scope)
        known = near.measure in MEASURES or near.measure in TOPICS
        asked = [tool for tool in tools if tool != SQL_TOOL and (known or tool != QUERY_TOOL)]
        given = {
            tool: {"words": goal} if tool == RECALL_TOOL else self._arguments(tool, near) for tool in asked
        }
        # The model finds which corner it is where neither names one.
        return {tool: each for tool, each in given.items() if each.get("corner", "named")}

    def _arguments(self, tool: str, query: Query | None) -> dict[str, Any]:
        corner = corner_of(query)
        if tool == QUERY_TOOL and query is not None:
            fields = {
                name: getattr(query, name) for name in ("measure", "which", "group", "order", "against")
            }
            return {**fields, "laps": [*query.scope.laps], "places": [*query.scope.places]}
        if tool == "lap_delta":
            return laps_in(query, self._subject())
        if tool == "audio_script_context":
            return {"corner": corner}
        if tool == HISTORY:
            worst = [each.corner for each in self._tools.report().opportunities]
            return {"corner": (*((corner,) if corner else ()), *worst, "")[0]}
        return {}


def corner_of(query: Query | None) -> str:
    """Return the first corner that a query names, "" for none."""
    places = () if query is None else query.scope.places
    return next((each.partition("/")[0] for each in places if ":" not in each), "")


# No answer is chosen by these.
_UNREAD = {"is_try", "cause", "losing_s", "shown_laps", "judged_laps", "min_speed_m", "off_brake_m"}


def _bare(value: Any, head: Mapping[str, Any]) -> Any:
    """What a result holds, without fields that hold nothing or what its head says already."""
    if isinstance(value, Mapping):
        return {
            key: _bare(held, head)
            for key, held in value.items()
            if held is not None and key not in _UNREAD and (key not in head or held != head[key])
        }
    return [_bare(each, head) for each in value] if isinstance(value, list) else value


def _ignores(agent: str, reading: ReadQuestion) -> bool:
    """Return whether an agent of figures would pass over a lap, a place or an unknown word."""
    if reading.advice or agent not in DUTIES or not DUTIES[agent].of_figures:
        return False
    keys = [each.strip() for each in KEYWORDS.get(agent, "").split(",")]
    strange = [
        word
        for word in reading.unused
        if not any(word.startswith(key[:-1]) if key.endswith("-") else word in key.split() for key in keys)
    ]
    told_from = DUTIES[agent].answers_from
    return bool(
        strange
        or len(reading.scope.places) > 1
        or any(map(str.isdigit, reading.unused))
        or (reading.scope.laps and told_from != "lap_delta")
        or not all(map(ONE_LAP.fullmatch, reading.scope.laps))
        or len(reading.scope.laps) > 2
        or [each for each in reading.scope.places if ":" in each or told_from != HISTORY]
    )


def laps_in(query: Query | None, subject: Subject) -> dict[str, Any]:
    """Return the laps that a question compares, else the last flying lap and the best."""
    marks = () if query is None else (*query.scope.laps, *filter(None, (query.against,)))
    named = [lap.number for lap in subject.laps([each for each in marks if each != "mean"])]
    if len(named) > 1:
        return {"lap": named[0], "against": named[-1]}
    best, flying = subject.figures.best, subject.figures.flying
    others = [lap.number for lap in flying if lap is not best]
    if best is not None and named == [best.number] and others:
        return {"lap": named[0], "against": others[-1]}  # the best lap against another one
    return {"lap": (named or others or [lap.number for lap in flying] or [0])[0 if named else -1]}


def tools_through(
    home: Home, call: Callable[[str, dict[str, Any]], Result], save: SaveScript | None = None
) -> dict[str, Callable[..., Result]]:
    """The tools of `Composed.toolbox`, each of which is done by `call(name, arguments)`."""

    def through(name: str, function: Callable[..., Result]) -> Callable[..., Result]:
        @tool
        @wraps(function)
        def called(**arguments: Any) -> Result:
            return call(name, arguments)

        return called

    facts = Facts(Store(home))
    shapes = Composed(Tools(facts), facts).toolbox(save)
    return {name: through(name, function) for name, function in shapes.items()}


T = TypeVar("T")


# A process opens a home's database once at a time.
_OPENING = RLock()


def with_home(home: Home) -> Callable[[Callable[[Composed], T]], T]:
    """Call something over a home that is opened for that alone; a held one is copied."""
    kept = Tools(Facts(Store(home)))

    def opened(use: Callable[[Composed], T]) -> T:
        with _OPENING:
            store = Store(home)
            try:
                store.open_to_read(copy=True)
                facts = Facts(store)
                return use(Composed(kept.reading(facts), facts))
            finally:
                store.close()

    return opened


def reading_tools(home: Home) -> Toolbox:
    """The reading tools over a home that is opened for each call alone."""
    opened = with_home(home)

    def call(name: str, arguments: dict[str, Any]) -> Result:
        result: Result = opened(lambda composed: composed.tool(name, arguments))
        return result

    return tools_through(home, call)


# A report of which only laps and places count -> the agent whose tools tell it.
REPORTS = {
    "losses": "GoldLapAgent", "corner": "CornerCoachAgent", "target": "GoalSettingAgent",
    "plan": "SessionPlannerAgent", "incidents": "IncidentReviewAgent", "setup": "SetupAdvisorAgent",
    "progress": "ProgressTrackerAgent", "compare": "LapComparisonAgent", "summary": "DebriefPipeline",
}  # fmt: skip
_KNOWN = (*MEASURES, *TOPICS, COUNTED, *REPORTS)
# What the schema lists. Some servers refuse an enumeration that holds "".
_LISTED = {
    "measure": Literal[_KNOWN],
    "which": Literal[tuple(filter(None, get_args(Which)))] | None,
    "group": Literal[tuple(filter(None, get_args(Group)))] | None,
    "order": Literal["min", "max"] | None,
}


def _explained(names: Iterable[str]) -> str:
    """The names that do not explain themselves, each with its English words."""
    terms = {each: ENGLISH.term("measure", each) for each in names}
    return ", ".join(f"{each} ({term})" for each, term in terms.items() if not _explains(each, term))


def _explains(name: str, term: str) -> bool:
    """Return whether each part of a name begins a word of its term: min_speed, "minimum speed"."""
    starts = tuple(word[:4] for word in term.split())
    return all(
        any(part.startswith(start) or start.startswith(part) for start in starts) for part in name.split("_")
    )


_DESCRIPTION = f"""Computes a figure or a report and tells it in words; you only choose. Use it before SQL.
The slowest speed in Turn 7 of the best lap and of lap 3: measure min_speed, laps best and 3, places turn_7.

Args:
    measure: a figure, such as {_explained(MEASURES)};
        or a report, of which only laps and places count, such as {_explained((*TOPICS, COUNTED, *REPORTS))}.
    laps: numbers, best, worst, last, first, best:2 (the second best), top:3, lasts:3, span:2-4; none
        for all flying laps.
    places: corners (turn_7, turn_7/apex), sector:2, straight:main; none for the whole lap.
    which: what is made of the laps' values.
    group: a value for each of them.
    order: rank what group names from this end.
    against: a lap to compare with, such as 3 or best; mean for the usual lap.
    session: previous, or the id of another session; empty for the one that is asked about.
"""


def _place_named(track: Track | None, place: str) -> str:
    found = find_corners(track, place) if track else []
    return found[0].id if len(found) == 1 else place


def figure_tool(track: Callable[[], Track | None], tell: Callable[[Query], Result]) -> Callable[..., Result]:
    """The tool. `tell` gives the session and "told": "" where nothing is known."""

    @tool
    def tell_figure(
        measure: str,
        laps: list[str] | None = None,
        places: list[str] | None = None,
        which: str | None = None,
        group: str | None = None,
        order: str | None = None,
        against: str = "",
        session: str = "",
    ) -> Result:
        if measure not in _KNOWN:
            from difflib import get_close_matches  # few models name a measure that there is not

            near = ", ".join(get_close_matches(str(measure), _KNOWN)) or "see the schema"
            raise ToolRefused(f"{str(measure)[:60]!r} is no measure", f"choose one that is: {near}")
        given = {
            "measure": measure, "which": which or "", "group": group or "", "order": order or "",
            "against": str(against or ""),
            "scope": {
                "laps": [str(each) for each in laps or ()],
                "places": [_place_named(track(), str(each)) for each in places or ()],
                "session": session or "",
            },
        }  # fmt: skip
        try:
            result = tell(msgspec.convert(given, Query))
        except msgspec.ValidationError as error:
            fault = re.sub(
                r"Expected `str` matching regex .* - at", "not written as it should be:", str(error)
            )
            raise ToolRefused(f"this is no query: {fault}", "write it as the description shows") from None
        if not result["told"]:
            raise ToolRefused("nothing is known of that", "choose another measure")
        return result

    tell_figure.__annotations__.update(_LISTED)
    tell_figure.__doc__ = _DESCRIPTION
    return tell_figure


# Writes what a model wants to be spoken at a corner of a track; the path of its file. OSError.
SaveScript = Callable[[Track, str, Mapping[str, str]], str]


def script_tool(tools: Tools, save: SaveScript) -> Callable[..., Result]:
    """The tool that changes a voice script. Changes must wait for each other."""

    @tool
    def save_voice_scripts(corner_name: str, phrases: dict[str, str], track: str = "") -> Result:
        """Changes what is spoken in the car at one corner: the phrases that are given; others stay as
        they are. It is checked first, and rendered before the next run.

        Args:
            corner_name: an id, name, number or nickname of a corner.
            phrases: phase (approach, brake, turn_in, apex, exit, or one of these with _short) -> phrase.
                A piece of advice (brake_later, throttle_sooner and the like) is a key too.
            track: a track id; empty means the track of the last session.
        """
        # With all that checks a phrase, which few questions need.
        from pitwall.coach.scripts import OWN, check_script, keep_own, with_changes

        kit = tools.kit
        place = kit.track(str(track or "").strip() or tools.session().track)
        corner = kit.corner(place, corner_name).id
        present = kit.facts.scripts(place).get(corner, {})
        if isinstance(phrases, dict) and OWN in phrases:
            raise ToolRefused("only the driver can confirm own words", "save a phrase that can be said")
        script, left_out = with_changes(present, phrases)
        script = keep_own(present, script) if isinstance(script, dict) else script
        if problems := check_script(corner, script, place):
            raise ToolRefused(
                "; ".join(problems),
                "nothing was written: save what is named as the nearest, or another that can be said",
            )
        try:
            path = save(place, corner, script)
        except OSError as error:
            raise ToolRefused(
                f"the script can't be written: {error.strerror or error}", "make room and save again"
            ) from None
        return {
            "saved": True,
            "path": path,
            "track": place.id,
            "corner": corner,
            "phrases": script,
            "changed": {key: script[key] for key in phrases if key in script},
            "left_out": left_out,
        }

    return save_voice_scripts
