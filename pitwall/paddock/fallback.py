"""The tiers below the paddock's model: what answers when it is late, failing or away, in time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from pitwall.analysis.figure_check import unsupported
from pitwall.contract.events import Answer, AnswerTier
from pitwall.paddock.emotions import DEFAULT, split_emotion
from pitwall.paddock.runs import Run

Composer = Callable[[str, str], str]
# (question, the composed answer, seconds it may take) -> the same said better; may raise anything.
LocalModel = Callable[[str, str, float], Awaitable[str]]
# A local model is not begun for less than this: a phone needs about as long for its first word.
_LOCAL_NEEDS_S = 2.0
# What is kept back of the time to hand over.
_MARGIN_S = 0.1
_NOTHING = "I can't answer that now. What was recorded is safe, ask again later."


class FallbackAnswer:
    """One question's answer from the lower tiers, got ready beside the model's run."""

    def __init__(
        self, compose: Composer, local: LocalModel | None, agent: str, question: str, hard_stop: float
    ) -> None:
        self._compose, self._local = compose, local
        self._agent, self._question, self._hard_stop = agent, question, hard_stop
        self._begin = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._composed = self._better = self._trouble = ""
        self._mood = DEFAULT

    def prepare_after(self, seconds: float) -> None:
        """Begin then, or when an answer is asked for, whichever comes first. The local model begins as soon
        as there are facts: it needs seconds, and past the big model's deadline there are none left."""
        self._work = asyncio.create_task(self._get_ready(seconds))

    async def answer(self, run: Run | None, why: str) -> Answer:
        """The best there is before the hard stop, with the reason why it is not the model's."""
        self._begin.set()
        await self._ready()
        text, emotion = self._composed, self._mood
        tier: AnswerTier = "rule"
        if self._better:
            (text, emotion), tier = split_emotion(self._better), "litert"
        timed_out = run is not None and "TIMEOUT" in run.verdicts.values()
        return Answer(
            text=text or _NOTHING,
            emotion=emotion,
            agent=self._agent,
            tier=tier,
            verdict="TIMEOUT" if timed_out else "SKIPPED_NO_REQUIREMENTS",
            why=why,
            local_trouble=self._trouble,
            missing=tuple(run.missing.values()) if run else (),
            audit=tuple(run.audit) if run else (),
            model_calls=run.model_calls if run else 0,
        )

    async def close(self) -> None:
        """Nothing of it is left on the loop afterwards; a thread that still reads ends by itself."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait({self._work})
            # Looked at, so that asyncio does not report what nobody needed.
            with contextlib.suppress(asyncio.CancelledError, Exception):
                self._work.exception()

    async def _get_ready(self, after_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(after_s):
                await self._begin.wait()
        told = await asyncio.to_thread(self._compose, self._agent, self._question)
        self._composed, self._mood = split_emotion(told)
        if self._composed and self._local is not None:
            self._better, self._trouble = await self._put_better(self._local, self._composed)

    async def _ready(self) -> None:
        """What fails or would pass the hard stop is left out: a sentence is said even then."""
        if self._work is not None:
            with contextlib.suppress(Exception):
                async with asyncio.timeout_at(self._hard_stop - _MARGIN_S):
                    await self._work

    async def _put_better(self, local: LocalModel, composed: str) -> tuple[str, str]:
        """The local model's words and "", or "" and what was wrong, if anything: with little time left it is
        not asked, which is nobody's fault."""
        left_s = self._hard_stop - 2 * _MARGIN_S - asyncio.get_running_loop().time()
        if left_s < _LOCAL_NEEDS_S:
            return "", ""
        try:
            async with asyncio.timeout(left_s):
                text = await local(self._question, composed, left_s)
        # Any failure of a small model leaves the composed answer, which is as true.
        except Exception as error:
            return "", str(error) or "The model on this phone was too slow and was stopped."
        if strange := unsupported(split_emotion(text)[0], composed):
            return "", f"The model on this phone said {strange[0]}, which is in no fact."
        return text, ""
