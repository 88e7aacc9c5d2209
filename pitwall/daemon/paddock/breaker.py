"""When a model is left alone: the paddock's, which nobody waits for after a failure until it has spoken, and
the one on this machine, which may be missing, failing, slow, or shed for the phone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from pitwall.contract.backoff import Backoff, Retry
from pitwall.contract.events import Answer

# A model that has not begun to speak after this share of its time is taken for hung by who asks meanwhile.
_SILENT_SHARE = 1 / 3
# The pause doubles with each failed probe up to this.
MOST_REST_S = 300.0
SILENT = "The model has not answered the question before yet."
RESTS = "The model failed a moment ago and is tried again in the background."


class ModelBreaker:
    """`rest_s`: how long the model is left alone after its first failure; `answer_s`: the time that it has
    for an answer. Times are the event loop's."""

    def __init__(self, rest_s: float, answer_s: float) -> None:
        self._silent_s = answer_s * _SILENT_SHARE
        self._pauses = Backoff(Retry(rest_s, max(rest_s, MOST_REST_S)))
        self._asked_s: dict[object, float] = {}
        self._open = asyncio.Event()
        # When the model may be tried again.
        self.due_s = 0.0

    def asked(self, question: object, now_s: float) -> None:
        """The model was asked this."""
        self._asked_s[question] = now_s

    def spoke(self, question: object) -> None:
        """It began to answer, or the question is over."""
        self._asked_s.pop(question, None)

    def took(self, answer: Answer, now_s: float) -> None:
        """Take up what an answer, or a probe's, tells of the model."""
        if answer.tier == "paddock":
            self.answered()
        elif answer.rest_s > 0.0:
            self._open.set()
            self.due_s = now_s + max(self._pauses.next_s(), answer.rest_s)

    def answered(self) -> None:
        """It works."""
        self._pauses.reset()
        self._open.clear()

    def why(self, now_s: float) -> str:
        """Why it is not to be waited for now, "" while it is."""
        if self._open.is_set():
            return RESTS
        silent = any(now_s - asked_s > self._silent_s for asked_s in self._asked_s.values())
        return SILENT if silent else ""

    async def failed(self) -> None:
        """Wait until it is to be tried again some time."""
        await self._open.wait()


# One bad answer may be the question's fault. After so many in a row it is left alone for a while: each costs
# the driver the rest of his answer's budget.
BAD_IN_A_ROW = 2
REST_S = 300.0


class LocalTier:
    """`path` as configured, "" for none: then nothing is ever lost. `spare` is told when it changes."""

    def __init__(self, path: str, spare: Callable[[bool], None]) -> None:
        self._path = Path(path).expanduser() if path else None
        self._tell = spare
        self._bad = 0
        self._last = ""
        self._rests_until_s = 0.0
        self.spared = False

    def answered(self, answer: Answer, now_s: float) -> None:
        """Take up what an answer tells of it."""
        if answer.tier == "litert":
            self._bad, self._rests_until_s = 0, 0.0
        elif answer.local_trouble:
            self._bad += 1
            self._last = answer.local_trouble
            if self._bad >= BAD_IN_A_ROW:
                self._rests_until_s = now_s + REST_S

    def trouble(self, shed: bool, now_s: float) -> str:
        """Why it is not asked now, "" while it is; after a rest it is asked once more. `shed`: to spare the
        phone."""
        why = ""
        if self._path is None:
            return why
        if shed:
            why = "shed to spare the phone"
        elif not self._path.is_file():
            why = f"there is no model at {self._path}"
        elif now_s < self._rests_until_s:
            why = f"{self._bad} bad answers in a row: {self._last}"
        if bool(why) != self.spared:
            self.spared = bool(why)
            self._tell(self.spared)
        return why
