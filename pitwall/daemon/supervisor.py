"""Run one part of the daemon: a crash restarts that part alone, after a growing pause."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from pitwall.api.app import ServeError
from pitwall.api.token import TokenError
from pitwall.contract.status import PartState, PartStatus
from pitwall.helpers.backoff import PART, Backoff
from pitwall.store.errors import StoreError
from pitwall.telemetry.sources.base import SourceError

log = logging.getLogger("pitwall")

# A part that ran this long is restarted at once.
STEADY_S = 30.0
# Errors that a person must mend: a traceback would hide that.
PLAIN = (ServeError, StoreError, TokenError)


class SupervisedPart:
    """Calls `run` whenever it ends or fails; after a SourceError the part is down."""

    def __init__(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        self.name = name
        self.restarts = 0
        self.state: PartState = "starting"
        self.last_error = ""
        self._run = run

    def status(self) -> PartStatus:
        """Return the part's state."""
        return PartStatus(
            name=self.name, state=self.state, restarts=self.restarts, last_error=self.last_error
        )

    def _note(self, error: Exception) -> None:
        plain = isinstance(error, PLAIN)
        message = str(error) if plain else f"{type(error).__name__}: {error}"
        if message != self.last_error:
            log.error(
                "%s failed, it is started again: %s", self.name, message, exc_info=None if plain else error
            )
        self.last_error = message

    async def supervise(self) -> None:
        """Run for ever."""
        loop = asyncio.get_running_loop()
        backoff = Backoff(PART)
        while True:
            started_s = loop.time()
            self.state = "up"
            try:
                await self._run()
                self.last_error = "it ended by itself"
            except SourceError as error:
                self.state, self.last_error = "down", str(error)
                log.error("%s: %s", self.name, error)
                return
            except Exception as error:  # whatever it is, it is this part's alone
                self._note(error)
            if loop.time() - started_s > STEADY_S:
                backoff.reset()
            self.state = "restarting"
            self.restarts += 1
            await asyncio.sleep(backoff.next_s())
