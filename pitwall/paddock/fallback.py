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
    """The composed answer to one question, made while the model works on it."""

    def __init__(
        self, compose: Composer, agent: str, question: str, hard_stop: float, words: Language = ENGLISH
    ) -> None:
        self._words, self._agent, self._hard_stop = words, agent, hard_stop
        self._preparing = asyncio.create_task(asyncio.to_thread(compose, agent, question))

    async def composed(self) -> tuple[str, str]:
        """The sentences and their emotion. Raises what the composer does."""
        return split_emotion(await asyncio.shield(self._preparing))

    async def answer(self, run: Run | None, why: str) -> Answer:
        """The composed answer before the hard stop. `why`: the reason why it is not the model's."""
        text, emotion = "", DEFAULT
        # After an error or at the hard stop, answer with what there is.
        with contextlib.suppress(Exception):
            async with asyncio.timeout_at(self._hard_stop - _MARGIN_S):
                text, emotion = await self.composed()
        verdicts = () if run is None else run.verdicts.values()
        verdict: Verdict = "SKIPPED_NO_REQUIREMENTS"
        if "TIMEOUT" in verdicts or "ESCALATED" in verdicts:
            verdict = "TIMEOUT" if "TIMEOUT" in verdicts else "ESCALATED"
        return Answer(
            text=text or self._words.say("nothing now"),
            emotion=emotion,
            agent=self._agent,
            tier="rule",
            verdict=verdict,
            why=why,
            audit=tuple(run.audit) if run else (),
            model_calls=run.model_calls if run else 0,
        )

    async def close(self) -> None:
        """Cancel the preparation. A thread that still reads ends by itself."""
        self._preparing.cancel()
        await asyncio.wait({self._preparing})
        # Retrieve the exception, so that asyncio does not log it.
        with contextlib.suppress(asyncio.CancelledError, Exception):
            self._preparing.exception()
