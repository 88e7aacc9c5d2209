"""Refusals: one sentence that says what is wrong, and one that says what to do."""

from __future__ import annotations

import math

import msgspec

SESSIONS_LISTED = "pitwall sessions lists them; `last` is the one driven last"


class UserError(Exception):
    """An error that the user can fix: what is wrong, where, what to do. A command ends with 2."""


class Problem(msgspec.Struct, frozen=True):
    """Every refusal. `error` is one plain sentence; `what_to_do` is the way out."""

    error: str
    what_to_do: str


class Refused(Exception):
    """A request that is answered with a Problem. `retry_after_s` becomes a Retry-After header."""

    def __init__(
        self, status: int, error: str, what_to_do: str, *, retry_after_s: float | None = None
    ) -> None:
        super().__init__(error)
        self.status, self.problem = status, Problem(error, what_to_do)
        self.headers: dict[str, str] = {}
        if retry_after_s is not None:
            self.headers["Retry-After"] = str(max(1, math.ceil(retry_after_s)))
