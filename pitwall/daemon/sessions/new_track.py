"""Build an unknown circuit's track from the running session's first three laps.

A process of its own reads the journal as far as it goes: that costs seconds of a processor. The
drive finds the new track file as any other, and goes on with corners."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pitwall.config import Home
from pitwall.helpers.child_process import end_program, start_program
from pitwall.telemetry.frame import Frame
from pitwall.track.driven import DrivenPath
from pitwall.track.geometry import turn_deg

log = logging.getLogger("pitwall")

# Three laps average out one lap's mistakes; if those were not clean, wait for two more.
FIRST_LAPS, MORE_LAPS, MOST_TRIES = 3, 2, 4
LOOK_EVERY_S, NICE = 3.0, 15
# The path is searched in steps of this size, up to four laps of the longest circuit.
STEP_M, KEPT_STEPS = 20.0, 5_000
# A place is driven again where the car passes this near, in the same direction, after the shortest
# kart track's lap.
NEAR_M, SHORTEST_M, SAME_WAY_DEG = 15.0, 200.0, 45.0


class LapCount:
    """Counts laps of an unknown loop from places alone."""

    def __init__(self) -> None:
        self.laps = self._tries = 0
        self._path = DrivenPath(STEP_M)

    def feed(self, frame: Frame) -> None:
        """Take one frame."""
        lat_deg, lon_deg = frame.lat_deg, frame.lon_deg
        if lat_deg is None or lon_deg is None or frame.reckoned:
            return
        if self._path.add(frame.t, lat_deg, lon_deg) and len(self._path) > 1:
            self.laps = self._visits()

    def _visits(self) -> int:
        """Return how often the newest place was driven before."""
        path, here = self._path, len(self._path) - 1
        x_m, y_m, course = path.x_m[here], path.y_m[here], path.course(here - 1)
        apart, visits, last = int(SHORTEST_M / STEP_M), 0, here
        for i in range(here - apart, max(here - KEPT_STEPS, 0), -1):
            if (
                abs(path.x_m[i] - x_m) < NEAR_M
                and abs(path.y_m[i] - y_m) < NEAR_M
                and last - i >= apart
                and abs(turn_deg(course, path.course(i - 1))) < SAME_WAY_DEG
            ):
                visits, last = visits + 1, i
        return visits

    def due(self) -> bool:
        """Return whether to build a track now; each time is counted."""
        if self._tries >= MOST_TRIES or self.laps < FIRST_LAPS + self._tries * MORE_LAPS:
            return False
        self._tries += 1
        return True


class NewTracks:
    """Has a track built when one is due. `journal` is the running session's, None without one."""

    def __init__(self, home: Home, due: Callable[[], bool], journal: Callable[[], Path | None]) -> None:
        self._home, self._due, self._journal = home, due, journal

    async def run(self) -> None:
        """Look for ever. A part for the supervisor."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            journal = self._journal()
            if journal is not None and self._due():
                await self._build(journal)

    async def _build(self, journal: Path) -> None:
        day = time.strftime("%Y-%m-%d")
        words = (
            sys.executable, "-m", "pitwall", "--home", str(self._home.root), "track", "build", str(journal),
            "--id", f"new_circuit_{journal.stem.replace('-', '_')}"[:60], "--name", f"New circuit, {day}",
        )  # fmt: skip
        try:
            process = start_program(words, stderr=subprocess.PIPE)
        except OSError as error:
            log.warning("no track of this circuit is built: %s", error)
            return
        try:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
            # If cancelled, the process is ended below, and the thread with it.
            await asyncio.to_thread(process.wait)
            if process.returncode and process.stderr is not None:
                errors = process.stderr.read().decode(errors="replace").strip()
                log.warning("no track of this circuit is built: %s", errors[-300:])
        finally:
            end_program(process, 0.0)
