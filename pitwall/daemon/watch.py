"""Watch the event loop's lag, the disk, the phone, the memory, and losses.

All looks share one grid of time, so one wake-up of the processor serves them all."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import shutil
import time
from collections.abc import Callable, Iterator

import msgspec

from pitwall.config import Home
from pitwall.contract.shedding import SHED
from pitwall.contract.status import DiskStatus, LoopStatus, PhoneReport, PhoneStatus
from pitwall.store.process_memory import drop_code_pages, resident_bytes
from pitwall.store.store import Store
from pitwall.telemetry.watch import GOOD_S
from pitwall.voice.delay import Route

# A loss is known in under half a second.
TURN_S = 0.2


def until_turn_s(every_s: float = TURN_S) -> float:
    """Return seconds to the next multiple of `every_s` on the loop's clock; never 0."""
    left_s = every_s - asyncio.get_running_loop().time() % every_s
    return left_s if left_s > every_s / 8 else left_s + every_s


async def next_turn(every_s: float = TURN_S) -> None:
    """Wait for the next look."""
    await asyncio.sleep(until_turn_s(every_s))


# 20 times a second: a third of a callout's allowed delay; of a standing car as all else.
EVERY_S = 0.05
# A stall: a callout would come a quarter of a second late.
STALL_S = 0.25
WEIGHT = 1 / 8


class LoopWatch:
    """`run` it as a part of its own."""

    def __init__(self, parked: Callable[[], bool] = lambda: False) -> None:
        self._parked = parked
        self.lag_s = self.most_lag_s = 0.0
        self.stalls = 0

    async def run(self) -> None:
        """Measure for ever."""
        loop = asyncio.get_running_loop()
        while True:
            wait_s = until_turn_s(TURN_S if self._parked() else EVERY_S)
            due_s = loop.time() + wait_s
            await asyncio.sleep(wait_s)
            lag_s = max(loop.time() - due_s, 0.0)
            self.lag_s += WEIGHT * (lag_s - self.lag_s)
            self.most_lag_s = max(self.most_lag_s, lag_s)
            self.stalls += lag_s >= STALL_S

    def status(self) -> LoopStatus:
        return LoopStatus(lag_s=self.lag_s, most_lag_s=self.most_lag_s, stalls=self.stalls)


# Asking costs 0.1 ms of a thread.
DISK_EVERY_S = 2 * TURN_S


# A journal can't use the database's free blocks: below this share of the floor sessions go.
LEAST_REAL = 0.25


class Disk:
    """The free room of the home, the database's free blocks included."""

    def __init__(self, home: Home, floor_mb: float) -> None:
        self.dropped: list[str] = []
        self._home, self._floor_bytes = home, int(floor_mb * 1e6)
        self._free_bytes: int | None = None
        self._in_blocks = 0
        self._error = ""
        # What was deleted before this start may be room not yet returned.
        self._owed = True

    def status(self) -> DiskStatus:
        return DiskStatus(free_bytes=self._free_bytes, floor_bytes=self._floor_bytes)

    def trouble(self) -> str:
        """Return what is wrong, if anything."""
        if self._error:
            return self._error
        if self._free_bytes is None or self._free_bytes >= self._floor_bytes:
            return ""
        real_is_enough = self._free_bytes >= LEAST_REAL * self._floor_bytes
        if real_is_enough and self._free_bytes + self._in_blocks >= self._floor_bytes:
            return ""
        return f"{self._free_bytes / 1e6:.0f} MB free, {self._floor_bytes / 1e6:.0f} MB wanted"

    async def run(self, store: Store, noticed: Callable[[], None], parked: Callable[[], bool]) -> None:
        """Look for ever; below the floor call `noticed` and remove a session at a time."""
        while True:
            self._free_bytes = await asyncio.to_thread(self._free)
            low = self._free_bytes is not None and self._free_bytes < self._floor_bytes
            self._in_blocks = await asyncio.to_thread(store.free_block_bytes) if low else 0
            if self._owed and parked():
                self._owed = False
                await asyncio.to_thread(store.give_room_back)
                continue
            if self.trouble():
                noticed()
            if self.trouble() and not self._error:
                dropped = await asyncio.to_thread(store.drop_oldest_exported)
                if dropped is not None:
                    self.dropped.append(dropped)
                    self._owed = True
                    continue
            await next_turn(DISK_EVERY_S)

    def _free(self) -> int | None:
        try:
            free = shutil.disk_usage(self._home.root).free
        except OSError as error:
            self._error = f"{self._home.root} can't be looked at: {error.strerror or error}"
            return None
        self._error = ""
        return free


# Android throttles at "severe"; many phones slow down below 15 %.
HOT = ("severe", "critical", "emergency", "shutdown")
LOW_BATTERY_PCT, ENOUGH_BATTERY_PCT = 15.0, 18.0
# A helper silent for this long has died.
REPORT_S = 120.0


class Phone:
    """What the phone helper reported last."""

    def __init__(self) -> None:
        self.report: PhoneReport | None = None
        # The headset of this drive.
        self._headset: Route | None = None
        self._at_s = time.monotonic()

    def tell(self, report: PhoneReport) -> None:
        """Take a report; what it lacks stays as it was."""
        given = {name: value for name, value in msgspec.structs.asdict(report).items() if value is not None}
        if report.network is not None:
            # The old network's cost or sign-in says nothing of this one.
            given["metered"], given["captive"] = report.metered, report.captive
        self.report = msgspec.structs.replace(self.report or PhoneReport(), **given)
        self._at_s = time.monotonic()

    def status(self) -> PhoneStatus | None:
        if self.report is None:
            return None
        return PhoneStatus(report=self.report, age_s=time.monotonic() - self._at_s)

    def trouble(self, spared: bool) -> str | None:
        """Say why to spare the phone, "" if needless, None before a report."""
        report = self.report
        if time.monotonic() - self._at_s > REPORT_S:
            return ""
        if report is None:
            return None
        if report.heat in HOT:
            return f"heat {report.heat}"
        enough_pct = ENOUGH_BATTERY_PCT if spared else LOW_BATTERY_PCT
        if report.battery_pct is not None and report.battery_pct < enough_pct and not report.charging:
            return f"battery {report.battery_pct:.0f} %"
        return ""

    def route(self) -> Route | None:
        """Return where Android sends sound, if known lately."""
        late = time.monotonic() - self._at_s > REPORT_S
        return None if self.report is None or late else self.report.route

    def headset_trouble(self, driving: bool) -> str:
        """Say why the driver does not hear what is played: sound left his headset."""
        route = self.route()
        if not driving:
            self._headset = None
        elif route in ("wired", "bluetooth"):
            self._headset = route
        return f"the {self._headset} headset is gone" if route == "speaker" and self._headset else ""

    def volume_trouble(self) -> str:
        """Say that the phone is mute, if so."""
        mute = self.report is not None and self.report.volume_pct == 0.0
        return "the phone's media volume is 0" if mute and self.route() is not None else ""

    def call_trouble(self) -> str:
        """Say that a call is on, if so."""
        called = self.report is not None and self.report.call
        return "a phone call is on" if called and self.route() is not None else ""

    def shed(self) -> frozenset[str]:
        """Return what is shed to spare the phone (`contract.shedding`)."""
        steps = self._steps()
        return frozenset(what for what, above in SHED["phone"].items() if steps >= above)

    def _steps(self) -> int:
        if not self.trouble(True) or self.report is None:
            return 0
        heat = HOT.index(self.report.heat) + 1 if self.report.heat in HOT else 0
        battery_pct = self.report.battery_pct
        empty = 0
        if battery_pct is not None and not self.report.charging and battery_pct < ENOUGH_BATTERY_PCT:
            empty = 1 + int((LOW_BATTERY_PCT - min(battery_pct, LOW_BATTERY_PCT)) // 5.0)
        return max(heat, empty)


class Watched:
    """A thing that is good or bad when looked at: lost at once, back after two good seconds."""

    def __init__(self, name: str, look: Callable[[], str | None]) -> None:
        """`look` returns what is wrong, "" if nothing, None if unknown."""
        self.name, self.look = name, look
        self.why = ""
        self._good_since: float | None = None

    def turn(self, now_s: float) -> bool | None:
        """Look. True: lost just now, False: back, None: as it was."""
        wrong = self.look()
        if wrong is None:
            return None
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


class Losses:
    """All that is watched, by its name in the degradation table."""

    def __init__(self) -> None:
        self._watched: dict[str, Watched] = {}

    def watch(self, name: str, look: Callable[[], str | None]) -> None:
        """Watch one more thing."""
        self._watched[name] = Watched(name, look)

    def restore(self, name: str, why: str) -> None:
        """Restore a loss from before a restart."""
        self._watched[name].why = self._watched[name].why or why

    def why(self, name: str) -> str:
        """Say why this is lost, if so."""
        return self._watched[name].why

    def standing(self) -> dict[str, str]:
        """Return what is lost, and why."""
        return {name: watched.why for name, watched in self._watched.items() if watched.why}

    def turned(self, now_s: float) -> Iterator[tuple[str, str]]:
        """Look at everything; yield each change: its name and what is wrong, "" if it is back."""
        for name, watched in self._watched.items():
            if watched.turn(now_s) is not None:
                yield name, watched.why


# <malloc.h>
M_ARENA_MAX = -8
# Each extra arena costs a few MB.
ARENAS = 2
# What comes and goes by itself.
GROWN_BYTES = 4_000_000


def limit_arenas() -> None:
    """Call before the first thread."""
    import ctypes  # no command does

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)


def freeze_gc() -> None:
    """Freeze the collector when everything is up; drop the start's code once: a page read back from
    flash could cost a callout."""
    gc.collect()
    gc.freeze()
    drop_code_pages()


def grown(since_bytes: int) -> bool:
    """Return whether another `trim_memory` pays."""
    return (resident_bytes() or 0) > since_bytes + GROWN_BYTES


def trim_memory() -> int:
    """Return freed memory and code pages to the system, while the car stands. Return the bytes
    held."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    drop_code_pages()
    return resident_bytes() or 0


def unfreeze_gc() -> None:
    """Unfreeze the collector at the end: DuckDB's binding reports objects that outlive the
    interpreter."""
    gc.unfreeze()
    gc.collect()
