"""What a run of agents uses: every call of the model and of a tool is counted and kept before it is made."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from pitwall.contract.jobs import ModelCall
from pitwall.paddock.controller.deciding import BudgetSpent
from pitwall.paddock.controller.resources import Toolbox
from pitwall.paddock.controller.running_job import RunningJob

_NONE_LEFT = {"error": "no tool calls are left", "what_to_do": "answer from what was found so far"}


class RunMeter:
    """`controller.resources.Meter` of one run, the line `run` of the job's ledger. `tool_calls`: its most.

    `spent`: which budget of the job stopped a call of the model, None while none did.
    """

    def __init__(self, running: RunningJob, run: ModelCall, tool_calls: int) -> None:
        self._working, self._run = running, run
        self._tool_calls = tool_calls
        self.spent: BudgetSpent | None = None

    async def model_call(self) -> None:
        """As `Meter`. BudgetSpent, StoreError."""
        try:
            await self._working.count(self._run, model_calls=1)
        except BudgetSpent as spent:
            self.spent = spent
            raise

    def toolbox(self, tools: Toolbox) -> Toolbox:
        """As `Meter`; plain functions are called in threads."""
        return {name: self._metered(function) for name, function in tools.items()}

    def _metered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        async def counted(*args: Any, **named: Any) -> Any:
            if self._tool_calls <= 0:
                return _NONE_LEFT
            self._tool_calls -= 1
            try:
                await self._working.count(self._run, tool_calls=1)
            except BudgetSpent:
                return _NONE_LEFT
            if inspect.iscoroutinefunction(function):
                return await function(*args, **named)
            return await asyncio.to_thread(function, *args, **named)

        return counted
