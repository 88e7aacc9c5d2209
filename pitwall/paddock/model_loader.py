"""The model and the framework around it: loaded beside whatever goes on, and only once it can be reached."""

from __future__ import annotations

import asyncio
import gc
import logging
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING

from pitwall.contract.settings import ModelSettings

if TYPE_CHECKING:
    from google.adk.models.base_llm import BaseLlm

log = logging.getLogger("pitwall")

NOT_SET = "No model is set."
NO_CONNECTION = "There is no connection to the model."
STILL_LOADING = "The model's software was still being loaded."


class ModelLoader:
    """`run` as a task until cancelled, which closes the model; then `get` gives it where it can be had."""

    def __init__(self, settings: ModelSettings, connected: bool) -> None:
        self._settings = settings
        self._connected = asyncio.Event()
        self._loaded = asyncio.Event()
        self._model: BaseLlm | None = None
        self._problem = ""
        self.connected(connected)

    def connected(self, now: bool) -> None:
        """Whether it can be reached. What was loaded stays so: connections come and go."""
        if now:
            self._connected.set()
        else:
            self._connected.clear()

    async def get(self, within_s: float) -> tuple[BaseLlm | None, str]:
        """The model and "", or None and a sentence that says why there is none now."""
        if self._settings.kind == "none":
            return None, NOT_SET
        if not self._connected.is_set():
            return None, NO_CONNECTION
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, within_s)):
                await self._loaded.wait()
        if not self._loaded.is_set():
            return None, STILL_LOADING
        return self._model, f"The model can't be used: {self._problem}." if self._problem else ""

    async def run(self) -> None:
        """Load when there is a connection, hold open until cancelled."""
        if self._settings.kind == "none":
            return
        await self._connected.wait()
        async with AsyncExitStack() as stack:
            try:
                self._model, self._problem = await self._open(stack)
            except ImportError as error:
                self._problem = f"{error.name or error} is missing, install pitwall[paddock]"
            # Whatever a framework does when it is loaded: the tiers below must go on answering.
            except Exception as error:
                log.exception("the model can't be used")
                self._problem = type(error).__name__
            self._loaded.set()
            await asyncio.get_running_loop().create_future()

    async def _open(self, stack: AsyncExitStack) -> tuple[BaseLlm | None, str]:
        # In a thread: seconds of imports must not hold up an answer from the tier below.
        await asyncio.to_thread(_import_framework)
        from pitwall.paddock.model import ModelProblem, open_model

        try:
            return await stack.enter_async_context(open_model(self._settings)), ""
        except ModelProblem as problem:
            return None, str(problem)


def _import_framework() -> None:
    """Load all that a first request would else wait for."""
    # What is imported here stays for good. The garbage collector, looking at it again and again, would take a
    # fifth of the time.
    gc.disable()
    try:
        from pitwall.paddock.warm_up import warm_up

        try:
            warm_up()
        except Exception:
            log.exception("the model's software was not warmed up")
    finally:
        gc.freeze()
        gc.enable()
