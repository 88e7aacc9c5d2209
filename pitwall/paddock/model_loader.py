"""Loads the model and its framework in the background, once the model can be reached."""

from __future__ import annotations

import asyncio
import gc
import logging
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING

from pitwall.contract.settings import NO_CONNECTION, NOT_SET, ModelSettings

if TYPE_CHECKING:
    from pitwall.paddock.adk.model_client import BaseLlm

log = logging.getLogger("pitwall")

STILL_LOADING = "The model's software was still being loaded."


class ModelLoader:
    """`run` is a task that loads the model, and closes it when cancelled. `get` waits for the model."""

    def __init__(self, settings: ModelSettings, connected: bool) -> None:
        self._settings = settings
        self._connected = asyncio.Event()
        self._loaded = asyncio.Event()
        self._model: BaseLlm | None = None
        self._problem = ""
        self.connected(connected)

    def connected(self, now: bool) -> None:
        """Note whether the model can be reached. A loaded model stays loaded."""
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
        """Load the model once there is a connection; keep it open until cancelled."""
        if self._settings.kind == "none":
            return
        await self._connected.wait()
        async with AsyncExitStack() as stack:
            try:
                self._model, self._problem = await self._open(stack)
            except ImportError as error:
                self._problem = f"{error.name or error} is missing, install pitwall[paddock]"
            # A framework may raise anything when it is imported. The other tiers must go on answering.
            except Exception:
                log.exception("the model can't be used")
                self._problem = "its software failed to load, the log has the details"
            self._loaded.set()
            await asyncio.get_running_loop().create_future()

    async def _open(self, stack: AsyncExitStack) -> tuple[BaseLlm | None, str]:
        # In a thread, since imports take seconds and must not delay an answer without the model.
        await asyncio.to_thread(_import_framework)
        from pitwall.paddock.adk.model_client import ModelProblem, open_model

        try:
            return await stack.enter_async_context(open_model(self._settings)), ""
        except ModelProblem as problem:
            return None, str(problem)


def _import_framework() -> None:
    """Import everything that a first request needs."""
    # The imported objects stay for good. Without the garbage collector the import takes a fifth less time.
    gc.disable()
    try:
        from pitwall.paddock.adk.single_calls import warm_up

        try:
            warm_up()
        except Exception:
            log.exception("the model's software was not warmed up")
    finally:
        gc.freeze()
        gc.enable()
