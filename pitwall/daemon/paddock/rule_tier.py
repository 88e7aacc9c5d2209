"""The rule tier: answers composed in this process, where the facts are, before any model is asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

import msgspec

from pitwall.analysis.compose import next_run
from pitwall.analysis.port import Facts
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.ask.corner_names import names_of
from pitwall.ask.reader import read
from pitwall.contract.events import Answer
from pitwall.contract.messages import Turn
from pitwall.contract.questions import NAMED, Asked
from pitwall.paddock.composed import Composed, ComposedAnswer
from pitwall.paddock.intents import AgentChoice, route
from pitwall.paddock.runs import audit_rows
from pitwall.store.home_journal import RowChange
from pitwall.store.lessons import NEXT_RUN
from pitwall.store.queries import Readable, SessionRow
from pitwall.store.readers import Pool, Reader
from pitwall.store.store import Store

# An hour's session is some 40 MB, so not for long.
FORGOTTEN_S = 120.0
T = TypeVar("T")


def learn_to_read() -> None:
    """Load what the first question would wait for. For a thread."""
    read("where do I lose time", names_of(None))
    route("where do I lose time", None)


class _QuestionFacts(Facts):
    """The facts of one question, which reads the sessions once."""

    @cached_property
    def _listed(self) -> list[SessionRow]:
        return super().sessions()

    def sessions(self) -> list[SessionRow]:
        return self._listed


class RuleTier:
    """Composes answers in threads; on the loop. `close` leaves no thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._memory = Tools(Facts(store))
        self._pool: Pool | None = None
        self._forgetting: asyncio.TimerHandle | None = None

    async def routed(self, asked: Asked) -> AgentChoice:
        """Return who answers this. StoreError, Refused."""
        if asked.kind in NAMED:
            return route(asked.question, None, intent=asked.kind)

        def choose(reader: Reader) -> AgentChoice:
            row = self._row(reader, asked.session)
            track = Facts(reader).track(row.track) if row is not None and row.track else None
            return route(asked.question, track, intent=asked.intent)

        return await self._run(choose)

    async def answer(self, asked: Asked, agent: str, turns: Sequence[Turn] = ()) -> Answer:
        """Return the composed answer, untimed. StoreError, Refused."""

        def compose(reader: Reader) -> ComposedAnswer:
            composed = self.composed(reader, self._row(reader, asked.session))
            # A brief or debrief by name is given whole.
            question = "" if asked.kind in NAMED else asked.question
            return composed.answer(agent, question, turns, asked.query)

        made = await self._run(compose)
        return Answer(
            text=made.text or self._store.home.words.say("nothing now"),
            emotion=made.mood,
            choices=made.choices,
            agent=agent,
            tier="rule",
            verdict="SKIPPED_NO_REQUIREMENTS",
        )

    async def next_run(self, session: str) -> str:
        """Return the sentence on the next run, "" for none, or if it was said."""

        def compose(reader: Reader) -> str:
            tools = self.tools(reader)
            row = self._row(reader, session)
            if row is None or any(event.kind == NEXT_RUN for event in tools.kit.facts.events(session)):
                return ""
            return next_run(tools.report(row.id), tools.kit.facts.words)

        # The last lap may be on its way.
        await asyncio.to_thread(self._store.flush)
        return await self._run(compose)

    def record(self, answer: Answer) -> None:
        """Keep the audit trail of an answer."""
        for row in audit_rows(answer, time.time()):
            self._store.change(RowChange("agent_events", None, msgspec.structs.asdict(row)))

    def stop(self) -> None:
        """Interrupt what is being read."""
        if self._pool is not None:
            self._pool.stop()

    async def close(self) -> None:
        """Interrupt what is being read; keep nothing."""
        self._forget()
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def _run(self, work: Callable[[Reader], T]) -> T:
        self._pool = self._pool or Pool()
        try:
            return await self._pool.run(self._store, work)
        finally:
            self.forget_later()

    def tools(self, reader: Readable) -> Tools:
        """Return the tools, with the memory of all questions."""
        return self._memory.reading(_QuestionFacts(reader))

    def composed(self, reader: Readable, row: SessionRow | None) -> Composed:
        """Return what composes for a session, None without one. From any thread."""
        tools = self.tools(reader)
        return Composed(tools if row is None else tools.about(row), tools.kit.facts)

    def forget_later(self) -> None:
        """Forget soon what was read. On the loop."""
        if self._forgetting is not None:
            self._forgetting.cancel()
        self._forgetting = asyncio.get_running_loop().call_later(FORGOTTEN_S, self._forget)

    def _row(self, reader: Readable, session: str) -> SessionRow | None:
        try:
            return self.tools(reader).session(session)
        except ToolRefused:
            return None

    def _forget(self) -> None:
        self._memory = Tools(Facts(self._store))
        if self._forgetting is not None:
            self._forgetting.cancel()
            self._forgetting = None
