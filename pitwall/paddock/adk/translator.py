"""ADK's events as ours."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from google.adk.events import Event as AdkEvent

from pitwall.contract.events import AgentActive, Event, Token, ToolEnd, ToolStart
from pitwall.paddock.adk.plugins import ANSWER_TOOL
from pitwall.paddock.points import MOST_ANSWER_CHARS, points_in
from pitwall.paddock.roster import DUTIES, speaker_of
from pitwall.paddock.runs import Run


class Translator:
    """A run's events, in order. Tokens are the speaker's only: data agents write JSON."""

    def __init__(self, root: str, run: Run, agents: Container[str] = DUTIES) -> None:
        self._agents = agents
        self._speaker = speaker_of(root)
        self._run = run
        self._active: set[str] = set()
        self._attempt = self._scanned = 0
        self._said: set[str] = set()

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
        for call in event.get_function_calls():
            if call.name and call.name != ANSWER_TOOL:
                yield ToolStart(agent, call.name)
        for response in event.get_function_responses():
            if response.name and response.name != ANSWER_TOOL:
                yield ToolEnd(agent, response.name, "error" not in (response.response or {}))

    def _tokens(self, event: AdkEvent) -> Iterator[Token]:
        """Send each point as soon as it is whole."""
        run, parts = self._run, list[Any](event.content.parts or []) if event.content else []
        attempt = run.attempts.get(self._speaker, 1)
        if attempt != self._attempt:
            self._attempt, self._scanned, run.heard = attempt, 0, ""
            self._said.clear()
        piece = "".join(part.text or "" for part in parts if not part.thought)
        run.heard += piece[: MOST_ANSWER_CHARS - len(run.heard)]
        end = run.heard.rfind("}") + 1
        if end <= self._scanned:
            return
        found, self._scanned = points_in(run.heard[self._scanned : end]), end
        for point in run.facts.kept(found.points):
            if point.fact not in self._said:
                self._said.add(point.fact)
                yield Token(self._speaker, f"{run.facts.told_one(point)} ", attempt)
