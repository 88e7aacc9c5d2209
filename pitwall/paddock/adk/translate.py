"""Translates ADK's events into ours: active agents, tool calls, and the speaker's text without tags."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from google.adk.events import Event as AdkEvent

from pitwall.analysis.claims import sentences
from pitwall.contract.events import AgentActive, Event, Token, ToolEnd, ToolStart
from pitwall.paddock.adk.validator import ANSWER_TOOL
from pitwall.paddock.clean import shown
from pitwall.paddock.emotions import TagFilter
from pitwall.paddock.roster import DUTIES, NARRATIVE, PIPELINES
from pitwall.paddock.runs import Run


class Translator:
    """One run's events, in order. Tokens are the speaker's only: data agents write JSON.

    `agents`: whose work is shown; a node's own events are not.
    """

    def __init__(self, root: str, run: Run, agents: Container[str] = DUTIES) -> None:
        self._agents = agents
        self._speaker = NARRATIVE if root in PIPELINES else root
        self._run = run
        self._active: set[str] = set()
        self._filters: dict[int, TagFilter] = {}
        self._gate = ""

    def take(self, event: AdkEvent) -> Iterator[Event]:
        """Our events for one ADK event; mostly none."""
        agent = event.author
        if agent not in self._agents:
            return
        if agent not in self._active:
            self._active.add(agent)
            yield AgentActive(agent)
        if event.partial:
            if agent == self._speaker:
                yield from self._tokens(event)
            return
        if agent == self._speaker and (rest := self._gate) and not event.get_function_calls():
            self._gate = ""
            if self._run.holds(rest) and (rest := shown(rest)):
                yield Token(agent, rest, self._run.attempts.get(agent, 1))
        for call in event.get_function_calls():
            if call.name and call.name != ANSWER_TOOL:
                yield ToolStart(agent, call.name)
        for response in event.get_function_responses():
            if response.name and response.name != ANSWER_TOOL:
                yield ToolEnd(agent, response.name, "error" not in (response.response or {}))

    def _tokens(self, event: AdkEvent) -> Iterator[Token]:
        parts: list[Any] = list(event.content.parts or []) if event.content else []
        attempt = self._run.attempts.get(self._speaker, 1)
        if attempt not in self._filters:
            self._filters[attempt] = TagFilter()
            self._gate = ""
        piece = "".join(part.text or "" for part in parts if not part.thought)
        text = self._filters[attempt].feed(piece) if piece else ""
        text = self._whole_sentences(text)
        if text:
            yield Token(self._speaker, text, attempt)

    def _whole_sentences(self, text: str) -> str:
        """An answer is shown by the sentence, once what it claims is known to hold."""
        self._gate += text
        *done, begun = sentences(self._gate) or [""]
        if not done:
            return ""
        self._gate = self._gate[self._gate.rindex(begun) :]
        return shown("".join(f"{one} " for one in done if self._run.holds(one)))
