"""Runs ADK workflows with our plugins, each in its own temporary session; ADK's events become ours."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator
from contextlib import aclosing
from typing import Any

from google.adk import Workflow
from google.adk.agents import RunConfig
from google.adk.agents.run_config import StreamingMode  # type: ignore[attr-defined]
from google.adk.apps import App
from google.adk.events import Event as AdkEvent
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from pitwall.contract.events import AgentActive, Event, Token, ToolEnd, ToolStart
from pitwall.paddock.adk.plugins import ANSWER_TOOL, BeforeCall, Compaction, ToolValidator
from pitwall.paddock.points import MOST_ANSWER_CHARS, points_in
from pitwall.paddock.roster import DUTIES, speaker_of
from pitwall.paddock.runs import Run, Runs


class Translator:
    """A run's events, in order. Tokens are the speaker's only: data agents write JSON.

    `agents`: whose work is shown; a node's own events are not.
    """

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
        """Each point is told as soon as it is whole."""
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


class Engine:
    """Runs workflows whose nodes find their `Run` in `runs`; several at once may be on their way.

    `before_call` is awaited before each call of the model, which is not made where it raises.
    """

    def __init__(self, before_call: BeforeCall | None = None) -> None:
        self.runs = Runs()
        self._before_call = before_call
        self._sessions = InMemorySessionService()
        self._numbers = itertools.count(1)

    def runner(self, root: Workflow) -> Runner:
        """ADK's runner of one workflow, to be closed by whoever asked for it."""
        app = App(
            name="pitwall",
            root_agent=root,
            plugins=[Compaction(), ToolValidator(self.runs, self._before_call)],
        )
        return Runner(app=app, session_service=self._sessions)

    async def run(self, runner: Runner, run: Run, translator: Translator, *, max_model_calls: int) -> Any:
        """Run to the end; the last node's output. Events go out by `run.emit`. Raises what ADK raises.

        `max_model_calls` at least 1: the call after the last is refused before it is made.
        """
        session = await self._sessions.create_session(
            app_name=runner.app_name, user_id="driver", session_id=f"ask{next(self._numbers)}"
        )
        run.most_model_calls = max_model_calls
        self.runs.announce(session.id, run)
        output: Any = None
        try:
            events = runner.run_async(
                user_id="driver",
                session_id=session.id,
                new_message=types.UserContent(parts=[types.Part(text=run.prompt)]),
                run_config=RunConfig(streaming_mode=StreamingMode.SSE, max_llm_calls=max_model_calls),
            )
            async with aclosing(events):
                async for event in events:
                    for ours in translator.take(event):
                        run.emit(ours)
                    if event.output is not None:
                        output = event.output
        finally:
            self.runs.forget(session.id)
            await self._sessions.delete_session(
                app_name=runner.app_name, user_id="driver", session_id=session.id
            )
        return output
