"""The model on this machine as a tier that may be lost: missing, failing, slow, or shed for the phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pitwall.contract.events import Answer

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
        """What an answer tells of it."""
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
