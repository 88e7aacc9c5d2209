"""Tells which model may be asked: whether the paddock's can be reached, and at what price, as the phone tells
it and a probe while the car stands; and when one is left alone, after a failure until it has spoken."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable
from typing import Literal

import msgspec

from pitwall.contract.events import Answer
from pitwall.contract.settings import ModelSettings
from pitwall.contract.status import ConnectionChange, ConnectionState, ConnectivityStatus, PhoneReport
from pitwall.daemon.paddock.prober import Probed, probe, target_of
from pitwall.helpers.backoff import PROBE, Backoff, Retry

# A net at the edge of the paddock answers once and is gone: only the second answer in a row counts.
GOOD_PROBES = 2
# One lost packet must not stop a job; two in a row, two seconds apart, are no accident.
BAD_PROBES = 2
# What was last seen so long ago weighs nothing against a new failure: the car was on the track meanwhile.
STALE_S = 120.0
# As for everything that the phone helper tells: after this it has died.
REPORT_S = 120.0
CHANGES_KEPT = 20


class ProbePace(msgspec.Struct, frozen=True, kw_only=True):
    """How often is probed, s. A probe with its handshake is some 5 kB.

    `confirm_s` until a first good or bad answer is checked; `away` while the model can't be reached;
    `good_s`: 5 MB in a day of eight hours; `metered_s`: a fifth of that, where the network is paid for.
    """

    confirm_s: float = 2.0
    away: Retry = PROBE
    good_s: float = 30.0
    metered_s: float = 150.0


class Change(msgspec.Struct, frozen=True):
    """At `at_s` the state became this one."""

    at_s: float
    state: ConnectionState
    why: str


class Connectivity:
    """The state machine. Methods that may change the state return True where they did."""

    def __init__(self, *, needs_network: bool = True, pace: ProbePace | None = None) -> None:
        """`needs_network` False: the model runs on this machine, whatever the phone says of its network."""
        self.state: ConnectionState = "offline"
        self.why = "not probed yet"
        self.refused = False
        self.probes = 0
        self.changes: deque[Change] = deque(maxlen=CHANGES_KEPT)
        self._needs_network, self._pace = needs_network, pace or ProbePace()
        self._link: Literal["unknown", "none", "captive", "metered", "free"] = "unknown"
        self._told_s = float("-inf")
        self._good = self._bad = 0
        self._probed_s: float | None = None
        self._due_s = float("-inf")
        self._backoff = Backoff(self._pace.away)

    @property
    def reachable(self) -> bool:
        """A question of the driver's may go to the model."""
        return self.state in ("online", "metered")

    def may_run_jobs(self, metered: bool) -> bool:
        """Work that nobody waits for: not on paid data unless `metered`, not at a server that fails."""
        return not self.refused and (self.state == "online" or (self.state == "metered" and metered))

    def phone(
        self, network: str | None, metered: bool | None, now_s: float, captive: bool | None = None
    ) -> bool:
        """The phone told of its network: `none`, `wifi`, `mobile`, `other`; None: it did not say.

        Mobile data counts as metered where nothing is said of that. `captive`: a log-in page is between this
        network and the world, so nothing is asked through it.
        """
        if network is None or not self._needs_network:
            return False
        before, self._told_s = self._link, now_s
        if network == "none":
            self._link = "none"
            self._good = self._bad = 0
            return self._become("offline", "the phone has no network", now_s)
        if captive:
            self._link = "captive"
            self._good = self._bad = 0
            return self._become("captive", "the phone says that this network wants a log-in first", now_s)
        paid = network == "mobile" if metered is None else metered
        self._link = "metered" if paid else "free"
        if self._link != before:
            # What was probed was another network.
            self._good = 0
            self._backoff.reset()
            self._due_s = now_s
            if self.state in ("offline", "captive"):
                self.why = f"the phone has a network ({network}), not probed yet"
        if self.state == "online" and paid:
            return self._become("metered", f"the phone is on a metered network ({network})", now_s)
        return False

    def probed(self, found: Probed, now_s: float) -> bool:
        """A probe came back."""
        stale = self._probed_s is None or now_s - self._probed_s > STALE_S
        self.probes += 1
        self._probed_s = now_s
        if self._no_network(now_s):
            return False
        self.refused = found.outcome == "refused"
        changed = self._good_one(found, now_s) if found.outcome in ("ok", "refused") else False
        if found.outcome in ("captive", "unreachable"):
            changed = self._bad_one(found, now_s, enough=1 if stale else BAD_PROBES)
        self._due_s = now_s + self._pause_s()
        return changed

    def wait_s(self, now_s: float) -> float:
        """How long until the next probe is due; 0: now."""
        if self._no_network(now_s):
            return max(self._told_s + REPORT_S - now_s, 0.0)
        return max(self._due_s - now_s, 0.0)

    def want(self, now_s: float) -> None:
        """Somebody needs to know now: due at once, but for a state that was just seen, or a back-off."""
        fresh = self._probed_s is not None and now_s - self._probed_s < self._pace.confirm_s
        if self.reachable and not self.refused and not fresh:
            self._due_s = now_s

    def probed_ago_s(self, now_s: float) -> float | None:
        """The age of the last probe, None before the first."""
        return None if self._probed_s is None else now_s - self._probed_s

    def _good_one(self, found: Probed, now_s: float) -> bool:
        self._good, self._bad = self._good + 1, 0
        if self._good < GOOD_PROBES:
            return False
        metered = self._link == "metered" and now_s - self._told_s <= REPORT_S
        return self._become("metered" if metered else "online", found.detail, now_s)

    def _bad_one(self, found: Probed, now_s: float, enough: int) -> bool:
        self._good, self._bad = 0, self._bad + 1
        # A log-in page is no lost packet: nothing but a portal answers so.
        if found.outcome == "captive":
            return self._become("captive", found.detail, now_s)
        if self._bad < enough:
            return False
        return self._become("offline", found.detail, now_s)

    def _pause_s(self) -> float:
        """The wait after a probe, by what is known now."""
        if self.reachable and not self.refused and not self._bad and self._good >= GOOD_PROBES:
            self._backoff.reset()
            return self._pace.metered_s if self.state == "metered" else self._pace.good_s
        if (0 < self._good < GOOD_PROBES) or (self.reachable and self._bad):
            return self._pace.confirm_s
        return self._backoff.next_s()

    def _no_network(self, now_s: float) -> bool:
        return self._link in ("none", "captive") and now_s - self._told_s < REPORT_S

    def _become(self, state: ConnectionState, why: str, now_s: float) -> bool:
        changed = state != self.state
        if changed or not self.changes:
            self.changes.append(Change(now_s, state, why))
        self.state, self.why = state, why
        return changed


NO_MODEL = "no model is set: see paddock.model in the settings"
BAD_ADDRESS = "paddock.model.base_url is no address: it must begin with http:// or https://"


class ModelReach:
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
        self._told: PhoneReport | None = None
        self._told_s = 0.0
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

    async def known(self) -> bool:
        """The state as it was last seen: probing goes on by itself."""
        return self.reachable

    def may_run_jobs(self, metered: bool) -> bool:
        """Return whether work that nobody waits for may use the network; `metered` as in the settings."""
        return self._machine.may_run_jobs(metered)

    def may_push(self, metered: bool) -> bool:
        """Return whether sessions may go over the phone's network now, as the phone tells it; where nobody
        tells, a push finds out."""
        if self._told is None or time.monotonic() - self._told_s > REPORT_S:
            return True
        paid = self._told.network == "mobile" if self._told.metered is None else self._told.metered
        return self._told.network != "none" and not self._told.captive and (metered or not paid)

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
        """Take up what the phone helper tells of the network."""
        if report.network is not None:
            self._told, self._told_s = report, time.monotonic()
        self._tell(self._machine.phone(report.network, report.metered, time.monotonic(), report.captive))
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
        """Return what a probe finds; None where the car left the paddock meanwhile."""
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
