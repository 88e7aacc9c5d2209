"""Looks after what the samples don't tell: store, disk, sound and phone, and what is shed for them."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Sequence

import msgspec

from pitwall.config import Home
from pitwall.contract.status import PhoneReport, PhoneStatus
from pitwall.drive.degradation import GOOD_S
from pitwall.store.store import Store

# Soon enough that a loss is known in under half a second.
LOOK_EVERY_S = 0.2
# A loss is known in under half a second; asking for the room takes 0.1 ms of a thread.
DISK_EVERY_S = 0.4
# Android throttles at "severe"; below 15 % many phones slow down by themselves.
HOT = ("severe", "critical", "emergency", "shutdown")
LOW_BATTERY_PCT, ENOUGH_BATTERY_PCT = 15.0, 18.0
# A helper that is silent for so long has died: what it told counts no longer.
REPORT_S = 120.0
# What is shed in this order when the phone suffers: each one more step of heat, or five per cent of battery.
SHED_STEPS = ("litert", "live page", "tall signals")


class Watched:
    """One thing that is good or bad when looked at: lost at once, back after two good seconds."""

    def __init__(self, name: str, look: Callable[[], str]) -> None:
        """`look` returns what is wrong, "" while nothing is."""
        self.name, self.look = name, look
        self.why = ""
        self._good_since: float | None = None

    def turn(self, now_s: float) -> bool | None:
        """True: lost just now, False: back just now, None: as it was."""
        wrong = self.look()
        if wrong:
            self._good_since = None
            if self.why:
                return None
            self.why = wrong
            return True
        if not self.why:
            return None
        self._good_since = now_s if self._good_since is None else self._good_since
        if now_s - self._good_since < GOOD_S:
            return None
        self.why, self._good_since = "", None
        return False


class Phone:
    """What the phone helper told last."""

    def __init__(self) -> None:
        self.report: PhoneReport | None = None
        self._at_s = 0.0

    def tell(self, report: PhoneReport) -> None:
        """Take a report; what it does not tell stays as it was."""
        told = {name: value for name, value in msgspec.structs.asdict(report).items() if value is not None}
        if report.network is not None:
            # What another network costs says nothing of this one.
            told["metered"] = report.metered
        self.report = msgspec.structs.replace(self.report or PhoneReport(), **told)
        self._at_s = time.monotonic()

    def status(self) -> PhoneStatus | None:
        """As /status shows it."""
        if self.report is None:
            return None
        return PhoneStatus(report=self.report, age_s=time.monotonic() - self._at_s)

    def trouble(self, standing: bool) -> str:
        """Why the phone must be spared, "" while it need not; `standing`: it is being spared already."""
        report = self.report
        if report is None or time.monotonic() - self._at_s > REPORT_S:
            return ""
        if report.heat in HOT:
            return f"heat {report.heat}"
        enough_pct = ENOUGH_BATTERY_PCT if standing else LOW_BATTERY_PCT
        if report.battery_pct is not None and report.battery_pct < enough_pct and not report.charging:
            return f"battery {report.battery_pct:.0f} %"
        return ""

    def shed(self) -> Sequence[str]:
        """What is shed now, in the order of `SHED_STEPS`: never timing, never safety."""
        if not self.trouble(True) or self.report is None:
            return ()
        heat = HOT.index(self.report.heat) + 1 if self.report.heat in HOT else 0
        battery_pct = self.report.battery_pct
        empty = 0
        if battery_pct is not None and not self.report.charging and battery_pct < ENOUGH_BATTERY_PCT:
            empty = 1 + int((LOW_BATTERY_PCT - min(battery_pct, LOW_BATTERY_PCT)) // 5.0)
        return SHED_STEPS[: max(heat, empty)]


class Disk:
    """The room that is left where everything is kept."""

    def __init__(self, home: Home, floor_mb: float) -> None:
        self.floor_bytes = int(floor_mb * 1e6)
        self.free_bytes: int | None = None
        self.dropped: list[str] = []
        self._home = home

    def trouble(self) -> str:
        """What is wrong, "" while nothing is."""
        if self.free_bytes is None or self.free_bytes >= self.floor_bytes:
            return ""
        return f"{self.free_bytes / 1e6:.0f} MB free, {self.floor_bytes / 1e6:.0f} MB wanted"

    async def run(self, store: Store, noticed: Callable[[], None]) -> None:
        """Look for ever; below the floor `noticed` is told, and the oldest session with a copy elsewhere
        goes, one at a time."""
        while True:
            self.free_bytes = await asyncio.to_thread(self._free)
            if self.trouble():
                noticed()
                dropped = await asyncio.to_thread(store.drop_oldest_exported)
                if dropped is not None:
                    self.dropped.append(dropped)
                    continue
            await asyncio.sleep(DISK_EVERY_S)

    def _free(self) -> int:
        try:
            return shutil.disk_usage(self._home.root).free
        except OSError:
            return 0
