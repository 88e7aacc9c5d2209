"""The one App of the paddock, for worker, jobs, and ADK's own commands.

Its root is a BaseAgent. ADK 2.13 can't run a Workflow below one, and its SequentialAgent and
ParallelAgent are deprecated: a pipeline is a TaskGroup whose agents' events pass through `Turn`."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import aclosing, asynccontextmanager
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
from pitwall.paddock.adk.plugins import ToolValidator
from pitwall.paddock.adk.translator import Translator
from pitwall.paddock.context import MAX_TEXT_CHARS, cut
from pitwall.paddock.runs import Run, Runs

APP, ROOT = "pitwall", "PitwallOrchestrator"
# Of the turns before a question a model is shown this number, each cut at this length.
MOST_SHOWN, TURN_CHARS = 6, 600
# A session is compacted at this number of events, and keeps the last ones. ADK counts questions or
# tokens: at a threshold of one token it asks the summarizer, who counts, before each call and after
# each run.
COMPACTED_AT, EVENTS_KEPT = 30, 10
_LINE_CHARS, _RESULT_CHARS = 400, 120


class AgentTurn:
    """One invocation of the App: asks agents, several at once; their events go to ADK's runner."""

    def __init__(self, ctx: InvocationContext, run: Run) -> None:
        self.ctx, self._run = ctx, run
        self._numbers = itertools.count(1)
        self._events: asyncio.Queue[tuple[AdkEvent, asyncio.Event] | None] = asyncio.Queue()

    async def ask(self, agent: LlmAgent, prompt: str, before: Sequence[Said] = ()) -> Any:
        """The agent's answer, a dict where it has a schema. ValidationError, ADK's errors."""

        def show(callback_context: Context, llm_request: LlmRequest) -> None:
            # The prompt is made of facts of this moment, so no event has it. What tools gave stays.
            known = {said.text for said in self._run.turns if said.role == "summary"}
            own = [content for content in llm_request.contents if _of_agent(content, known)]
            asked = types.Content(role="user", parts=[types.Part(text=prompt)])
            llm_request.contents = [*shown_before(before), asked, *own]
            self._run.sent_chars += _size(llm_request)

        asked = agent.clone(update={"before_model_callback": show})
        branch = f"{agent.name}@{self.ctx.invocation_id[-6:]}-{next(self._numbers)}"
        text = ""
        async with aclosing(asked.run_async(self.ctx.model_copy(update={"branch": branch}))) as events:
            async for event in events:
                stored = asyncio.Event()
                self._events.put_nowait((event, stored))
                # Its next request is made of the session, which has the event by then. A piece is
                # not kept; an agent that is stopped while it waits here would leave its connection
                # open.
                if not event.partial:
                    await stored.wait()
                if event.is_final_response() and not event.partial:
                    text = text_of(event.content) or text
        schema: Any = agent.output_schema
        if schema is None or not text:
            return text
        return schema.model_validate_json(_bare(text)).model_dump()

    async def events(self, work: Awaitable[Any]) -> AsyncGenerator[AdkEvent, None]:
        """The events of the agents that `work` asks; its result is the run's output."""
        task = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self._events.put_nowait(None))
        try:
            while (item := await self._events.get()) is not None:
                event, stored = item
                yield event
                stored.set()
            self._run.output = await task
        finally:
            task.cancel()
            await asyncio.wait({task})


def shown_before(turns: Sequence[Said]) -> list[types.Content]:
    """The earlier turns as a model is shown them: ADK's summary and the last few."""
    first = 1 if turns and turns[0].role == "summary" else 0
    return [
        *(_content(turn, MAX_TEXT_CHARS) for turn in turns[:first]),
        *(_content(turn, TURN_CHARS) for turn in turns[first:][-MOST_SHOWN:]),
    ]


def _content(turn: Said, most: int) -> types.Content:
    part = types.Part(text=cut(" ".join(turn.text.split()), most))
    return types.Content(role="user" if turn.role == "driver" else "model", parts=[part])


def _size(request: LlmRequest) -> int:
    held = [*request.contents, *(tool for tool in request.config.tools or [] if isinstance(tool, types.Tool))]
    return len(str(request.config.system_instruction)) + sum(
        len(each.model_dump_json(exclude_none=True)) for each in held
    )


def _of_agent(content: types.Content, known: Collection[str]) -> bool:
    """Return whether the agent wrote it, or asked for it."""
    own = content.role == "model" and text_of(content) not in known
    return own or any(part.function_response for part in content.parts or [])


def text_of(content: types.Content | None) -> str:
    """The words of a content, without a model's thoughts."""
    parts = content.parts or [] if content else []
    return "".join(part.text or "" for part in parts if not part.thought)


def _bare(text: str) -> str:
    return text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")


Answers = Callable[[AgentTurn, Run], Awaitable[Answer]]


class PitwallOrchestrator(BaseAgent):
    """The root agent. `answers`: of a question by ADK's own way; `runs`: announced by code."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    runs: Any
    answers: Any = None

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[AdkEvent, None]:
        run = self.runs.of(ctx.invocation_id)
        turn = AgentTurn(ctx, run)
        if run.step is None:
            run.prompt = run.question = text_of(ctx.user_content)
        run.turns = turns_of(ctx.session)[:-1]
        async with aclosing(turn.events((run.step or self.answers)(turn, run))) as events:
            async for event in events:
                yield event
        answer = run.output
        said = shown_text(answer.text, answer.unverified) if isinstance(answer, Answer) else run.said
        if said:
            content = types.Content(role="model", parts=[types.Part(text=cut(said))])
            yield AdkEvent(author=self.name, invocation_id=ctx.invocation_id, content=content)


def turns_of(session: Session) -> tuple[Said, ...]:
    """What driver and orchestrator said in a session, and the summary of what ADK compacted."""
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
    """ADK's compaction with a summary by code: a model's costs a call and could be wrong."""

    async def maybe_summarize_events(self, *, events: list[AdkEvent]) -> AdkEvent | None:
        """`events`: the summary so far, if there is one, and all but those that are kept."""
        if sum(event.author != _SUMMARY for event in events) < COMPACTED_AT - EVENTS_KEPT:
            return None
        lines = [line for event in events for line in _lines(event)]
        while len(lines) > 1 and sum(map(len, lines)) + len(lines) > MAX_TEXT_CHARS:
            del lines[0]
        summary = types.Content(role="model", parts=[types.Part(text="\n".join(lines))])
        compaction = EventCompaction(
            start_timestamp=events[0].timestamp, end_timestamp=events[-1].timestamp, compacted_content=summary
        )
        return AdkEvent(
            author="user", actions=EventActions(compaction=compaction), invocation_id=AdkEvent.new_id()
        )


# ADK's author of the summary that it hands on.
_SUMMARY = "model"


def _lines(event: AdkEvent) -> list[str]:
    text = text_of(event.content)
    if event.author == _SUMMARY:
        return text.splitlines()
    if event.author in ("user", ROOT):
        who = "driver" if event.author == "user" else "told"
        return [f"{who}: {' '.join(text.split())[:_LINE_CHARS]}"] if text else []
    return [f"{each.name}: {str(each.response)[:_RESULT_CHARS]}" for each in event.get_function_responses()]


def pitwall_app(runs: Runs, *, answers: Answers | None = None, agents: Sequence[BaseAgent] = ()) -> App:
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
            ContextFilterPlugin(num_invocations_to_keep=1),
            ToolValidator(runs),
        ],
        events_compaction_config=EventsCompactionConfig(
            summarizer=CodeSummarizer(), token_threshold=1, event_retention_size=EVENTS_KEPT
        ),
    )


Step = Callable[[AgentTurn, Run], Awaitable[Any]]


_OF: Any = {"app_name": APP, "user_id": "driver"}


class Engine:
    """Runs steps inside the App; several at once may be on their way."""

    def __init__(self) -> None:
        self.runs = Runs()
        # The home keeps what was said: ADK's SqliteSessionService would keep it twice, where
        # `forget` does not find it. A session here lasts one question or one analysis.
        self._sessions = InMemorySessionService()
        self._runner = Runner(app=pitwall_app(self.runs), session_service=self._sessions)
        self._numbers = itertools.count(1)

    async def aclose(self) -> None:
        """Close ADK's runner."""
        await self._runner.close()

    @asynccontextmanager
    async def session(self, turns: Sequence[Said] = (), events: Sequence[str] = ()) -> AsyncIterator[str]:
        """The id of a session that begins with what was said before, or with another's `events`."""
        session_id = f"ask{next(self._numbers)}"
        session = await self._sessions.create_session(**_OF, session_id=session_id)
        before = [AdkEvent.model_validate_json(event) for event in events]
        for number, said in enumerate(turns):
            author = "user" if said.role == "driver" else ROOT
            content = _content(said, MAX_TEXT_CHARS)
            before.append(AdkEvent(author=author, invocation_id=f"before{number}", content=content))
        for event in before:
            await self._sessions.append_event(session, event)
        try:
            yield session_id
        finally:
            await self._sessions.delete_session(**_OF, session_id=session_id)

    async def events(self, session_id: str) -> list[str]:
        """A session's summary and the events behind it, as JSON."""
        session = await self._sessions.get_session(**_OF, session_id=session_id)
        found = list[AdkEvent]()
        for event in session.events if session else ():
            if event.actions.compaction:
                end_s = event.actions.compaction.end_timestamp
                found = [each for each in found if each.timestamp > end_s and not each.actions.compaction]
                found.insert(0, event)
            else:
                found.append(event)
        return [event.model_dump_json(by_alias=True, exclude_none=True) for event in found]

    async def run(
        self, step: Step, run: Run, translator: Translator, *, max_model_calls: int, session_id: str = ""
    ) -> Any:
        """Run a step in a session and return its result; raises what it raises."""
        if not session_id:
            async with self.session(run.turns) as own:
                return await self.run(step, run, translator, max_model_calls=max_model_calls, session_id=own)
        run.most_model_calls, run.step = max_model_calls, step
        self.runs.announce(session_id, run)
        try:
            events = self._runner.run_async(
                user_id=_OF["user_id"],
                session_id=session_id,
                new_message=types.UserContent(parts=[types.Part(text=run.question or run.prompt)]),
                run_config=RunConfig(streaming_mode=StreamingMode.SSE, max_llm_calls=max_model_calls),
            )
            async with aclosing(events):
                async for event in events:
                    for ours in translator.take(event):
                        run.emit(ours)
        finally:
            self.runs.forget(session_id)
        return run.output
