"""The composed answer, prepared while the model works on the question."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from pitwall.contract.events import Answer, Verdict
from pitwall.paddock.model_text import DEFAULT, split_emotion
from pitwall.paddock.runs import Run
from pitwall.words.language import ENGLISH, Language

Composer = Callable[[str, str], str]
# The time that is kept for the delivery.
_MARGIN_S = 0.1


class FallbackAnswer:
    """Prepares the composed answer to one question."""

    def __init__(
        self, compose: Composer, agent: str, question: str, hard_stop: float, words: Language = ENGLISH
    ) -> None:
        self._compose, self._words = compose, words
        self._agent, self._question, self._hard_stop = agent, question, hard_stop
        self._begin = asyncio.Event()
        self._preparing: asyncio.Task[None] | None = None
        self._composed, self._emotion = "", DEFAULT

    def prepare_after(self, seconds: float) -> None:
        """Prepare after this time, or as soon as an answer is asked for."""
        self._preparing = asyncio.create_task(self._prepare(seconds))

    async def answer(self, run: Run | None, why: str) -> Answer:
        """The composed answer before the hard stop. `why`: the reason why it is not the model's."""
        self._begin.set()
        if self._preparing is not None:
            # After an error or at the hard stop, answer with what there is.
            with contextlib.suppress(Exception):
                async with asyncio.timeout_at(self._hard_stop - _MARGIN_S):
                    await self._preparing
        verdicts = () if run is None else run.verdicts.values()
        verdict: Verdict = "SKIPPED_NO_REQUIREMENTS"
        if "TIMEOUT" in verdicts or "ESCALATED" in verdicts:
            verdict = "TIMEOUT" if "TIMEOUT" in verdicts else "ESCALATED"
        return Answer(
            text=self._composed or self._words.say("nothing now"),
            emotion=self._emotion,
            agent=self._agent,
            tier="rule",
            verdict=verdict,
            why=why,
            audit=tuple(run.audit) if run else (),
            model_calls=run.model_calls if run else 0,
        )

    async def close(self) -> None:
        """Cancel the preparation. A thread that still reads ends by itself."""
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.wait({self._preparing})
            # Retrieve the exception, so that asyncio does not log it.
            with contextlib.suppress(asyncio.CancelledError, Exception):
                self._preparing.exception()

    async def _prepare(self, after_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(after_s):
                await self._begin.wait()
        composed = await asyncio.to_thread(self._compose, self._agent, self._question)
        self._composed, self._emotion = split_emotion(composed)
