"""The answers that need no model: code gets each agent's facts and puts them into fixed sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from pitwall.analysis.port import Facts
from pitwall.analysis.report import Report
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.ask.corner_names import CornerNames, names_of
from pitwall.contract.messages import Turn
from pitwall.paddock.agents import NEUTRAL
from pitwall.paddock.intents import route
from pitwall.paddock.question_kind import asks_for_change, asks_for_words, courtesy, is_small_talk
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.answers import answer
from pitwall.paddock.questions.follow_ups import follow
from pitwall.paddock.questions.meant_sessions import with_session_named
from pitwall.paddock.questions.prepared import questions_in
from pitwall.paddock.questions.question_text import MOST_SCRAP_WORDS
from pitwall.paddock.questions.reader import mended, read
from pitwall.paddock.questions.served import unserved
from pitwall.paddock.questions.signs import OF_ANSWER
from pitwall.paddock.questions.subject import Subject
from pitwall.paddock.questions.told_before import pointed
from pitwall.paddock.roster import (
    BRIEF,
    DEBRIEF,
    DUTIES,
    PIPELINES,
    answer_of,
    owner_of,
    refusal,
    result_told,
)
from pitwall.paddock.several_asks import NOT_KNOWN, ToldPart, is_ask, joined

_CORNER = "CornerCoachAgent"
# Agents whose own facts answer a question in which not every word is understood.
_OWN_MATTERS = frozenset(name for name, duty in DUTIES.items() if duty.asked_for != "any figure")
# Those that are asked for figures: nothing else is told in the place of one.
_OF_FIGURES = frozenset(name for name, duty in DUTIES.items() if duty.asked_for != "own subject")
SQL_TOOL = "query_pitwall_db"
# Of a question in which nothing was read, an agent that was chosen with less confidence knows nothing.
LEAST_SURE = 0.35
_OF_BEFORE = re.compile(r"\b(?:they|them|those)\b")
COURTESY_MOOD = "calm"
READING_MOOD = "focused"


class Composed:
    """`composed(agent, question)`: the answer, its emotion tag first. Any thread may call it. StoreError."""

    def __init__(self, tools: Tools, facts: Facts) -> None:
        self._tools, self._facts, self._words = tools, facts, facts.words

    def __call__(self, agent: str, question: str, turns: Sequence[Turn] = ()) -> str:
        """`turns`: what was said before, the oldest first."""
        try:
            text, mood = self._told(agent, question, turns)
            return f"[{mood}] {text or self._words.say('asked nothing read')}"
        except ToolRefused as refused:
            return refusal({"error": refused.error, "what_to_do": refused.what_to_do}, self._words)

    def _told(self, agent: str, question: str, turns: Sequence[Turn]) -> tuple[str, str]:
        if agent == BRIEF and (not question.strip() or self._is_sure(agent, question)):
            return PIPELINES[BRIEF].composed(self._tools, self._facts)
        if greeting := courtesy(question, self._words):
            return greeting, COURTESY_MOOD
        subject = Subject(self._tools, self._facts, self._tools.session())
        plain = mended(question, subject.names)
        if plain != question and agent == route(question, subject.track).agent:
            agent = route(plain, subject.track).agent  # a slip had its part in the choice
        question = plain
        reading = _meant(subject, question, turns)
        if agent in (BRIEF, DEBRIEF):
            if _asks_for_figures(reading) and (
                said := self._read_off(subject, agent, question, turns, reading)
            ):
                return said, READING_MOOD
            # "What did they have in common": of what was said before, and not understood.
            if reading.strange and (
                (turns and _OF_BEFORE.search(question.lower()))
                or not (reading.coaching or self._is_sure(agent, question))
            ):
                return self._words.say("asked strange", words=reading.strange), NEUTRAL
            return PIPELINES[agent].composed(self._tools, self._facts)
        writes = bool(DUTIES[agent].writes)
        changes = writes and asks_for_change(question)
        of_words = changes or (writes and asks_for_words(question))
        if not of_words and (said := self._read_off(subject, agent, question, turns, reading)):
            return said, READING_MOOD
        return self._by_agent(subject, agent, question, reading, changes=changes)

    def _read_off(
        self, subject: Subject, agent: str, question: str, turns: Sequence[Turn], reading: QuestionReading
    ) -> str:
        """The answer to what was read, "" where it is no such question. Where a word is not understood its
        figures may be of another thing: the words are named, and nothing else is told."""
        parts = questions_in(question)
        if len(parts) > 1 and (said := self._parts_told(subject, parts, turns, reading)):
            return said
        said_one = answer(subject, reading)
        if (
            "asked not told" in subject.words.told
            and agent not in _OF_FIGURES
            and self._is_sure(agent, question)
        ):
            return ""
        if not said_one or not reading.strange or reading.untold:
            return said_one
        if agent in _OWN_MATTERS and self._is_sure(agent, question):
            return ""
        return self._words.say("asked strange", words=reading.strange)

    def _parts_told(
        self, subject: Subject, parts: Sequence[str], turns: Sequence[Turn], whole: QuestionReading
    ) -> str:
        """ "How many laps, and what was the best?" Each by itself; "" where nothing is told in this way, or
        the whole is understood better. What is not known is named only where all of them are asks."""
        before, told, asks = [*turns], list[ToldPart](), all(map(is_ask, parts))
        for part in parts:
            one = _meant(subject, part, before)
            if _is_idle(one) and not is_ask(part):
                continue  # "give it to me straight", "thanks"
            lacking = any(each.lacking for each in told)
            # What has no figure of its own goes on with what is not known.
            alone = not lacking or bool(read(part, subject.names).measures)
            told.append(
                self._part_told(subject, part, one, asks) if alone else ToldPart("", True, one.strange)
            )
            if not (told[-1].text or asks):
                return ""
            before += [Turn("driver", part), Turn("coach", told[-1].text)]
        if all(each.lacking for each in told) or (told[0].lacking and told[0].strange):
            return ""
        if any(each.lacking for each in told) and not whole.strange:
            together = answer(subject, whole)
            others = [each.text for each in told]
            if together and together not in others and "asked not told" not in subject.words.told:
                return together
        return joined(told, self._words)

    def _part_told(self, subject: Subject, part: str, reading: QuestionReading, asks: bool) -> ToldPart:
        """From figures, else by the agent of this part alone."""
        known = reading.untold or not reading.strange
        said = answer(subject, reading) if known else ""
        lacking = not said or "asked not told" in subject.words.told
        agent = route(part, subject.track).agent
        if (
            lacking
            and asks
            and agent in DUTIES
            and not reading.strange
            and (reading.coaching or reading.measures)
        ):
            subject.words.told.clear()
            by_agent, _ = self._by_agent(subject, agent, part, reading, changes=False)
            if not NOT_KNOWN & subject.words.told:
                return ToldPart(by_agent, False)
        return ToldPart(said, lacking, reading.strange)

    def _is_sure(self, agent: str, question: str) -> bool:
        chosen = route(question, self._facts.track(self._tools.session().track))
        return chosen.agent == agent and chosen.confidence >= LEAST_SURE

    def _by_agent(
        self, subject: Subject, agent: str, question: str, reading: QuestionReading, *, changes: bool
    ) -> tuple[str, str]:
        """What the agent's own tools give."""
        numbers = any(word[0].isdigit() for word in reading.strange) and agent in _OF_FIGURES
        named = reading.strange and (reading.laps or reading.places)
        unsure = reading.strange and not self._is_sure(agent, question)
        if not changes and (numbers or ((named or unsure) and not reading.coaching)):
            # "Who is the president of France?" is near no agent's questions.
            return subject.words.say("asked strange", words=reading.strange), NEUTRAL
        scrap = reading.follows and len(question.split()) <= MOST_SCRAP_WORDS
        read_any = reading.measures or reading.which or reading.laps or reading.places or reading.coaching
        if scrap and not read_any and agent in _OF_FIGURES:
            return subject.words.say("asked nothing read"), NEUTRAL  # "which lap", and nothing before it
        agent = owner_of(agent, reading)
        fits = DUTIES[agent].fits
        if fits is not None and not fits(reading, question.lower()):
            return subject.words.say("asked nothing read"), NEUTRAL
        results = self._results(agent, reading)
        subject.words.told.clear()
        told = answer_of(agent, results, subject.words)
        # A best lap is what all of them compare with.
        others = replace(reading, laps=tuple(each for each in reading.laps if each != "best"))
        # What an agent says of its own matter serves a question of which no figure and no part was read.
        own = agent not in _OF_FIGURES and self._is_sure(agent, question) and not (reading.measures or scrap)
        nothing_left = reading.target_s is None and not {*reading.left} - {"earlier", "sooner"} - OF_ANSWER
        serves = nothing_left and (own or reading.coaching)
        told_all = (
            serves or "incident" in reading.measures or any("error" in each for each in results.values())
        )
        if not told_all and (lacking := unserved(subject, others, told)):
            return subject.words.say("asked not told", what=lacking), NEUTRAL
        if agent == _CORNER and not reading.corners and "error" not in results["corner_history"]:
            told = subject.words.say("asked which corner", rest=told)
        if changes:
            told = f"{subject.words.say('no scripts without model')} {told}"
        return told, next(map(DUTIES[agent].mood_of, results.values()), NEUTRAL)

    def _results(self, agent: str, reading: QuestionReading) -> dict[str, Any]:
        table, name = self._tools.table(), DUTIES[agent].composed_from
        return {name: table[name](**self._arguments(name, reading))} if name else {}

    def fetched(self, agent: str, question: str, tools: tuple[str, ...] = ()) -> dict[str, Any]:
        """What a model's prompt holds from the start: the results of these tools, or of those that the agent
        always needs, by name, without the fields that hold nothing. Any thread may call it. StoreError."""
        table, found = self._tools.table(), dict[str, Any]()
        try:
            reading = read(question, self._names())
            for name in tools or filter(None, (DUTIES[agent].composed_from,)):
                arguments = self._arguments(name, reading)
                # The scripts of all corners are too much to be told unasked.
                if arguments.get("corner", "all"):
                    result = table[name](**arguments)
                    told = result_told(name, result, self._words)
                    found[name] = _without_nothing({**result, "told": told} if told else result)
        except ToolRefused as refused:
            found["session"] = {"error": refused.error}
        return found

    def arguments(self, goal: str, question: str, tools: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What each of these tools is called with for one stage of an analysis: the laps and corners that its
        goal names, else those of the question. Without `query_pitwall_db`, whose SQL nobody but a model
        writes. Any thread may call it. StoreError, ToolRefused."""
        names = self._names()
        near, whole = read(goal, names), read(question, names)
        # A goal that names some of the question's laps is about all of them.
        laps = whole.laps if set(near.laps) <= set(whole.laps) else near.laps
        reading = replace(near, laps=laps, corners=near.corners or whole.corners)
        found = {tool: self._arguments(tool, reading) for tool in tools if tool != SQL_TOOL}
        # Which corner is meant is the model's to find where neither names one.
        return {tool: given for tool, given in found.items() if given.get("corner", "named")}

    def _names(self) -> CornerNames:
        row = self._tools.session()
        return names_of(self._facts.track(row.track) if row.track else None)

    def _arguments(self, tool: str, reading: QuestionReading) -> dict[str, Any]:
        """The laps or the corner of the question, as arguments of a tool."""
        if tool == "lap_delta":
            return laps_in(reading, self._tools.report())
        if tool == "audio_script_context":
            return {"corner": reading.corners[0] if reading.corners else ""}
        if tool == "corner_history":
            worst = self._tools.report().opportunities
            return {"corner": (*reading.corners, *(each.corner for each in worst), "")[0]}
        return {}


def _asks_for_figures(reading: QuestionReading) -> bool:
    """Whether more is asked than how it went: of what no source records, of another session, of a figure."""
    # Without a comparison the last run is the one that has just been driven.
    ours = {"this", "today"} if reading.compares else {"this", "today", "previous"}
    others = set(reading.sessions) - ours
    # "How was lap 7? Where did it go wrong?", "was my outlap any good"
    of_lap = reading.laps and (reading.follows or {*reading.laps} <= {"out", "in"})
    # "Best sector 2? And the worst?"
    ranked = reading.follows and reading.places and reading.which
    figures = (reading.measures or ranked) and not reading.coaching
    told = reading.untold or reading.marked or reading.said
    beside = reading.compares and ":" in "".join(reading.laps)  # "which half of the session was better"
    return bool(told or others or of_lap or figures or beside)


def _is_idle(reading: QuestionReading) -> bool:
    """Whether nothing was read: no figure, no place, no other word that means something."""
    said = replace(reading, follows=False, earlier=(), called=(), counts=False, negated=False, bare=("", ""))
    return said == QuestionReading()


def _without_nothing(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nothing(held) for key, held in value.items() if held is not None}
    return [_without_nothing(each) for each in value] if isinstance(value, list) else value


def read_after(question: str, turns: Sequence[Turn], names: CornerNames) -> QuestionReading:
    """The question as it is meant after what the driver asked before."""
    before: QuestionReading | None = None
    for turn in turns:
        if turn.role == "driver" and not is_small_talk(turn.text):
            for part in questions_in(turn.text):
                before = follow(read(part, names), before)
    return follow(read(question, names), before)


def _meant(subject: Subject, question: str, turns: Sequence[Turn]) -> QuestionReading:
    """What is asked of this session, with what is found in its figures."""
    reading = pointed(subject, read_after(question, turns, subject.names), turns)
    return with_session_named(subject, subject.resolved(reading))


def laps_in(reading: QuestionReading, report: Report) -> dict[str, Any]:
    """The laps that a question compares; else the last flying lap against the best."""
    named = [int(mark) for mark in reading.laps if mark.isdigit()]
    if len(named) > 1:
        return {"lap": named[0], "against": named[1]}
    flying = [lap.number for lap in report.laps if lap.kind == "flying" and lap.time_s is not None]
    others = [lap for lap in flying if lap != report.reference_lap]
    if named and named[0] == report.reference_lap and others:
        return {"lap": named[0], "against": others[-1]}  # the best lap beside another one
    return {"lap": named[0] if named else (others or flying or [0])[-1]}
