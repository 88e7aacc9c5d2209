"""Runs ADK workflows with our plugins, each run in its own temporary session."""

from __future__ import annotations

import itertools
from contextlib import aclosing
from typing import Any

from google.adk import Workflow
from google.adk.agents import RunConfig
from google.adk.agents.run_config import StreamingMode  # type: ignore[attr-defined]
from google.adk.apps import App
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from pitwall.paddock.adk.compaction import Compaction
from pitwall.paddock.adk.translate import Translator
from pitwall.paddock.adk.validator import BeforeCall, ToolValidator
from pitwall.paddock.runs import Run, Runs


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
