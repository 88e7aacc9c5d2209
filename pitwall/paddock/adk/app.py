"""The one App of the paddock: worker, jobs, `adk run`, `adk web`, `adk api_server` and `adk eval` run it.

Its root is PitwallOrchestrator, a BaseAgent. ADK 2.13 can't run a Workflow below one, and its SequentialAgent
and ParallelAgent are deprecated: a pipeline is a TaskGroup whose agents' events pass through `Turn`.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any

from google.adk.agents import BaseAgent, InvocationContext, LlmAgent, RunConfig
from google.adk.agents.context import Context
from google.adk.agents.run_config import StreamingMode  # type: ignore[attr-defined]
from google.adk.apps import App
from google.adk.apps.app import EventsCompactionConfig
from google.adk.apps.base_events_summarizer import BaseEventsSummarizer
from google.adk.events import Event as AdkEvent
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.genai import types
from pydantic import ConfigDict

from pitwall.contract.events import Answer, shown_text
from pitwall.contract.messages import Turn as Said
from pitwall.paddock.adk.plugins import BeforeCall, ToolValidator, shortened
from pitwall.paddock.adk.translator import Translator
from pitwall.paddock.context import MAX_TEXT_CHARS, cut
from pitwall.paddock.runs import Run, Runs

APP, ROOT = "pitwall", "PitwallOrchestrator"
# What a model is shown of the turns before a question, beside ADK's summary, and the length of each.
MOST_SHOWN, TURN_CHARS = 6, 600
# ADK compacts a session after this number of questions (30 events), and again with the last five of them.
COMPACTION_INTERVAL, OVERLAP = 15, 5
# It also does once a prompt was that long, and keeps the last events as they were.
TOKEN_THRESHOLD, EVENTS_KEPT = 24_000, 10
_LINE_CHARS = 160


class AgentTurn:
    """One invocation of the App: asks agents, several at once, and hands their events to ADK's runner."""

    def __init__(self, ctx: InvocationContext) -> None:
        self.ctx = ctx
        self._numbers = itertools.count(1)
        self._events: asyncio.Queue[tuple[AdkEvent, asyncio.Event] | None] = asyncio.Queue()

    async def ask(self, agent: LlmAgent, prompt: str, before: Sequence[Said] = ()) -> Any:
        """The agent's answer to this prompt after earlier turns: text, or a dict where it has a schema.

        ValidationError: the answer has not the schema's form. Raises what ADK raises where the model fails.
        """

        def show(callback_context: Context, llm_request: LlmRequest) -> None:
            # The prompt is made of facts of this moment, so no event has it. What tools gave stays.
            own = [content for content in llm_request.contents if _of_agent(content)]
            asked = types.Content(role="user", parts=[types.Part(text=prompt)])
            llm_request.contents = [*shown_before(before), asked, *own]

        # An agent of its own for each prompt: several may be asked at once.
        asked = agent.clone(update={"before_model_callback": show})
        branch = f"{agent.name}@{next(self._numbers)}"
        text = ""
        async with aclosing(asked.run_async(self.ctx.model_copy(update={"branch": branch}))) as events:
            async for event in events:
                stored = asyncio.Event()
                self._events.put_nowait((event, stored))
                # Its next request is made of the session, which has the event by then. A piece is not kept;
                # an agent that is stopped while it waits here would leave its connection open.
                if not event.partial:
                    await stored.wait()
                if event.is_final_response() and not event.partial:
                    text = text_of(event.content) or text
        schema: Any = agent.output_schema
        if schema is None or not text:
            return text
        return schema.model_validate_json(_bare(text)).model_dump()

    async def events(self, work: Awaitable[Any], run: Run) -> AsyncGenerator[AdkEvent, None]:
        """The events of the agents that `work` asks. Its result is `run.output` then. Raises what it does."""
        task = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self._events.put_nowait(None))
        try:
            while (item := await self._events.get()) is not None:
                event, stored = item
                yield event
                stored.set()
            run.output = await task
        finally:
            task.cancel()
            await asyncio.wait({task})


def shown_before(turns: Sequence[Said]) -> list[types.Content]:
    """What a model is shown of earlier turns: ADK's summary, where there is one, and the last few."""
    first = 1 if turns and turns[0].role == "summary" else 0
    return [
        *(_content(turn, MAX_TEXT_CHARS) for turn in turns[:first]),
        *(_content(turn, TURN_CHARS) for turn in turns[first:][-MOST_SHOWN:]),
    ]


def _content(turn: Said, most: int) -> types.Content:
    part = types.Part(text=cut(" ".join(turn.text.split()), most))
    return types.Content(role="user" if turn.role == "driver" else "model", parts=[part])


def _of_agent(content: types.Content) -> bool:
    return content.role == "model" or any(part.function_response for part in content.parts or [])


def text_of(content: types.Content | None) -> str:
    """The words of a content, without a model's thoughts."""
    parts = content.parts or [] if content else []
    return "".join(part.text or "" for part in parts if not part.thought)


def _bare(text: str) -> str:
    return text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")


Answers = Callable[[AgentTurn, Run], Awaitable[Answer]]


class PitwallOrchestrator(BaseAgent):
    """The root agent. Python routes; the specialists and pipelines choose among facts, and code words them.

    `answers` answers a question that came by ADK's own way. `runs`: those that code announced, with `step` as
    what is to be done in them.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    runs: Any
    answers: Any = None

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[AdkEvent, None]:
        turn = AgentTurn(ctx)
        run = self.runs.of(ctx.invocation_id)
        if run.step is None:
            run.prompt = run.question = text_of(ctx.user_content)
        run.turns = turns_of(ctx.session)[:-1]
        async with aclosing(turn.events((run.step or self.answers)(turn, run), run)) as events:
            async for event in events:
                yield event
        if isinstance(run.output, Answer):
            answer = run.output
            said = types.ModelContent(parts=[types.Part(text=shown_text(answer.text, answer.unverified))])
            yield AdkEvent(author=self.name, invocation_id=ctx.invocation_id, content=said)


def turns_of(session: Session) -> tuple[Said, ...]:
    """What the driver and the orchestrator said in a session, and the summary of what ADK
    compacted."""
    found: list[_Said] = []
    for event in session.events:
        if event.actions.compaction is not None:
            summary = event.actions.compaction.compacted_content
            text = text_of(summary)
            later = [one for one in found if one.at_s > event.actions.compaction.end_timestamp]
            found = [_Said("summary", text, event.timestamp), *later]
        elif event.author in ("user", ROOT) and not event.partial and (text := text_of(event.content)):
            role = "driver" if event.author == "user" else "coach"
            found.append(_Said(role, cut(text, MAX_TEXT_CHARS), event.timestamp))
    return tuple(found)


class _Said(Said, frozen=True):
    at_s: float = 0.0


class CodeSummarizer(BaseEventsSummarizer):
    """ADK's compaction with a summary that code makes: what was asked and said, a line each. A
    model's costs a call, and could say what is not so."""

    async def maybe_summarize_events(self, *, events: list[AdkEvent]) -> AdkEvent | None:
        if not events:
            return None
        lines = [
            f"{'driver' if event.author == 'user' else event.author}: {' '.join(text.split())[:_LINE_CHARS]}"
            for event in events
            if event.author in ("user", ROOT) and (text := text_of(event.content))
        ]
        summary = types.Content(role="model", parts=[types.Part(text=cut("\n".join(lines)))])
        compaction = EventCompaction(
            start_timestamp=events[0].timestamp, end_timestamp=events[-1].timestamp, compacted_content=summary
        )
        return AdkEvent(
            author="user", actions=EventActions(compaction=compaction), invocation_id=AdkEvent.new_id()
        )


def pitwall_app(
    runs: Runs,
    *,
    answers: Answers | None = None,
    agents: Sequence[BaseAgent] = (),
    before_call: BeforeCall | None = None,
) -> App:
    """The App. `agents`: those that `answers` asks, shown by ADK's own pages."""
    return App(
        name=APP,
        root_agent=PitwallOrchestrator(
            name=ROOT,
            description="Routes a driver's question by fifteen rows and runs the specialist or pipeline.",
            sub_agents=list(agents),
            runs=runs,
            answers=answers,
        ),
        # ADK leaves an agent this question of a session; `show` adds the turns before it.
        plugins=[
            ContextFilterPlugin(num_invocations_to_keep=1, custom_filter=shortened),
            ToolValidator(runs, before_call),
        ],
        events_compaction_config=EventsCompactionConfig(
            summarizer=CodeSummarizer(),
            compaction_interval=COMPACTION_INTERVAL,
            overlap_size=OVERLAP,
            token_threshold=TOKEN_THRESHOLD,
            event_retention_size=EVENTS_KEPT,
        ),
    )


Step = Callable[[AgentTurn, Run], Awaitable[Any]]


class Engine:
    """Runs steps inside the App; several at once may be on their way.

    `before_call` is awaited before each call of the model, which is not made where it raises.
    """

    def __init__(self, before_call: BeforeCall | None = None) -> None:
        self.runs = Runs()
        # The home keeps what was said. ADK's SqliteSessionService would keep it twice, where `forget` does
        # not find it: a session here is made of the turns from the home, and lasts one question.
        self._sessions = InMemorySessionService()
        self._runner = Runner(
            app=pitwall_app(self.runs, before_call=before_call), session_service=self._sessions
        )
        self._numbers = itertools.count(1)

    async def aclose(self) -> None:
        """Close ADK's runner."""
        await self._runner.close()

    async def run(self, step: Step, run: Run, translator: Translator, *, max_model_calls: int) -> Any:
        """Run a step to its end; its result. Events go out by `run.emit`. Raises what it raises.

        `max_model_calls` at least 1: the call after the last is refused before it is made.
        """
        name: Any = {"app_name": APP, "user_id": "driver", "session_id": f"ask{next(self._numbers)}"}
        session = await self._sessions.create_session(**name)
        for number, said in enumerate(run.turns):
            author = "user" if said.role == "driver" else ROOT
            event = AdkEvent(
                author=author, invocation_id=f"before{number}", content=_content(said, MAX_TEXT_CHARS)
            )
            await self._sessions.append_event(session, event)
        run.most_model_calls, run.step = max_model_calls, step
        self.runs.announce(session.id, run)
        try:
            events = self._runner.run_async(
                user_id="driver",
                session_id=session.id,
                new_message=types.UserContent(parts=[types.Part(text=run.question or run.prompt)]),
                run_config=RunConfig(streaming_mode=StreamingMode.SSE, max_llm_calls=max_model_calls),
            )
            async with aclosing(events):
                async for event in events:
                    for ours in translator.take(event):
                        run.emit(ours)
        finally:
            self.runs.forget(session.id)
            await self._sessions.delete_session(**name)
        return run.output
