"""The part of the daemon that knows whether the model can be reached: it probes while the car is parked."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from pitwall.contract.settings import ModelSettings
from pitwall.contract.status import ConnectionChange, ConnectionState, ConnectivityStatus, PhoneReport
from pitwall.daemon.paddock.connectivity import Connectivity, Probed, ProbePace
from pitwall.daemon.paddock.prober import probe, target_of

NO_MODEL = "no model is set: see paddock.model in the settings"
BAD_ADDRESS = "paddock.model.base_url is no address: it must begin with http:// or https://"


class ConnectivityPart:
    """`run` it under the supervisor. `changed` is told each new state, on the loop.

    Nothing is asked of the network before `in_paddock(True)`, and a probe under way ends with
    `in_paddock(False)`; the state stays what it was last seen to be.
    """

    def __init__(
        self,
        model: ModelSettings,
        changed: Callable[[ConnectionState], None] = lambda _: None,
        *,
        pace: ProbePace | None = None,
    ) -> None:
        self.target = target_of(model)
        self._machine = Connectivity(needs_network=not (self.target and self.target.local), pace=pace)
        if self.target is None:
            self._machine.why = NO_MODEL if model.kind == "none" or not model.base_url else BAD_ADDRESS
        self._changed = changed
        self._paddock = False
        self._wake = asyncio.Event()
        self._probing: asyncio.Timeout | None = None

    @property
    def state(self) -> ConnectionState:
        """The state as it was last seen."""
        return self._machine.state

    @property
    def reachable(self) -> bool:
        """A question of the driver's may go to the model."""
        return self._machine.reachable

    def may_run_jobs(self, metered: bool) -> bool:
        """Whether work that nobody waits for may use the network; `metered` as in the settings."""
        return self._machine.may_run_jobs(metered)

    def in_paddock(self, now: bool) -> None:
        """The car stands in the paddock, or no longer."""
        arrived, self._paddock = now and not self._paddock, now
        if arrived:
            self.want()
        elif not now and self._probing is not None and not self._probing.expired():
            self._probing.reschedule(asyncio.get_running_loop().time())

    def want(self) -> None:
        """Somebody needs the model now: probe at once, unless just done, or in a back-off."""
        self._machine.want(time.monotonic())
        self._wake.set()

    def phone(self, report: PhoneReport) -> None:
        """What the phone helper tells of the network."""
        self._tell(self._machine.phone(report.network, report.metered, time.monotonic()))
        self._wake.set()

    async def run(self) -> None:
        """Probe for ever, while in the paddock, at the machine's pace."""
        if self.target is None:
            await asyncio.Event().wait()
        while True:
            self._wake.clear()
            wait_s = self._machine.wait_s(time.monotonic()) if self._paddock else None
            if wait_s != 0.0:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait_s):
                        await self._wake.wait()
                continue
            found = await self._probe()
            if found is not None:
                self._tell(self._machine.probed(found, time.monotonic()))

    def status(self) -> ConnectivityStatus:
        """As /status shows it."""
        now_s, machine = time.monotonic(), self._machine
        return ConnectivityStatus(
            state=machine.state,
            why=machine.why,
            endpoint="" if self.target is None else self.target.host,
            model_fails=machine.refused,
            probes=machine.probes,
            age_s=machine.probed_ago_s(now_s),
            next_probe_s=machine.wait_s(now_s) if self._paddock and self.target is not None else None,
            changes=tuple(ConnectionChange(now_s - one.at_s, one.state, one.why) for one in machine.changes),
        )

    async def _probe(self) -> Probed | None:
        """What a probe finds; None where the car left the paddock meanwhile."""
        if self.target is None:
            return None
        try:
            async with asyncio.timeout(None) as self._probing:
                return await probe(self.target)
        except TimeoutError:
            return None
        finally:
            self._probing = None

    def _tell(self, changed: bool) -> None:
        if changed:
            self._changed(self._machine.state)
