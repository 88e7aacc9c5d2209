"""The answer without the paddock's model: the composed answer, improved by a model on this machine."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from pitwall.contract.events import Answer, AnswerTier, Verdict
from pitwall.paddock.model_text import DEFAULT, split_emotion
from pitwall.paddock.points import PointFacts, points_in, take_up_composed
from pitwall.paddock.runs import Run
from pitwall.words.language import ENGLISH, Language

Composer = Callable[[str, str], str]
# (question, facts by their ids, seconds it may take) -> an order of points. It may raise anything.
LocalModel = Callable[[str, str, float], Awaitable[str]]
# A phone needs about this long for the first word, so the local model is not asked with less time left.
_LOCAL_NEEDS_S = 2.0
# The time that is kept for the delivery.
_MARGIN_S = 0.1


class FallbackAnswer:
    """Prepares the fallback for one question while the model works on it."""

    def __init__(
        self,
        compose: Composer,
        local: LocalModel | None,
        agent: str,
        question: str,
        hard_stop: float,
        words: Language = ENGLISH,
    ) -> None:
        self._compose, self._local, self._words = compose, local, words
        self._agent, self._question, self._hard_stop = agent, question, hard_stop
        self._begin = asyncio.Event()
        self._preparing: asyncio.Task[None] | None = None
        self._composed = self._local_text = self._local_trouble = ""
        self._emotion = DEFAULT

    def prepare_after(self, seconds: float) -> None:
        """Prepare after this time, or as soon as an answer is asked for.

        The local model starts as soon as there is a composed answer, since it needs seconds.
        """
        self._preparing = asyncio.create_task(self._prepare(seconds))

    async def answer(self, run: Run | None, why: str) -> Answer:
        """The best answer before the hard stop. `why`: the reason why it is not the model's."""
        self._begin.set()
        if self._preparing is not None:
            # After an error or at the hard stop, answer with what there is.
            with contextlib.suppress(Exception):
                async with asyncio.timeout_at(self._hard_stop - _MARGIN_S):
                    await self._preparing
        text, emotion = self._composed, self._emotion
        tier: AnswerTier = "rule"
        if self._local_text:
            (text, emotion), tier = split_emotion(self._local_text), "litert"
        verdicts = () if run is None else run.verdicts.values()
        verdict: Verdict = "SKIPPED_NO_REQUIREMENTS"
        if "TIMEOUT" in verdicts or "ESCALATED" in verdicts:
            verdict = "TIMEOUT" if "TIMEOUT" in verdicts else "ESCALATED"
        return Answer(
            text=text or self._words.say("nothing now"),
            emotion=emotion,
            agent=self._agent,
            tier=tier,
            verdict=verdict,
            why=why,
            local_trouble=self._local_trouble,
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
        if self._composed and self._local is not None:
            self._local_text, self._local_trouble = await self._ask_local(self._local, self._composed)

    async def _ask_local(self, local: LocalModel, composed: str) -> tuple[str, str]:
        """(the local model's text, ""), or ("", the trouble); ("", "") where no time is left to ask it."""
        left_s = self._hard_stop - 2 * _MARGIN_S - asyncio.get_running_loop().time()
        if left_s < _LOCAL_NEEDS_S:
            return "", ""
        try:
            async with asyncio.timeout(left_s):
                facts = PointFacts(self._words)
                take_up_composed(facts, composed, certain=True)
                given = points_in(await local(self._question, facts.shown(), left_s))
        # After any failure of the local model there is still the composed answer.
        except Exception as error:
            return "", str(error) or "The model on this phone was too slow and was stopped."
        points = facts.kept(given.points)
        if not points:
            return "", "The model on this phone named no fact."
        return f"[{given.emotion or self._emotion}] {facts.told(points)}", ""
