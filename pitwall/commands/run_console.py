"""What `pitwall run` prints while it drives: session, track, each lap, each callout, and a summary."""

from __future__ import annotations

import contextlib
import queue
import sys
import threading

from pitwall.coach.cue import Callout
from pitwall.commands.common import lap_time, say
from pitwall.track.lap import Lap

# A terminal that takes nothing must never stop the car: what does not fit is not printed.
MOST_WAITING = 200
LAST_LINES_S = 0.3


class RunConsole:
    """A `Console`: hands each line to a thread of its own, which prints it. `close` prints the summary."""

    def __init__(self) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._session = self._track = ""
        self._best_s: float | None = None
        self._laps = self._callouts = 0
        self._printing = threading.Thread(target=self._print, name="console", daemon=True)
        self._printing.start()

    def callout(self, callout: Callout) -> None:
        """Print what is said."""
        self._callouts += 1
        self._say(f'  "{callout.text}"')

    def lap(self, lap: Lap) -> None:
        """Print a lap with its time."""
        told = f"lap {lap.number:<3} {lap.kind:<7} {lap_time(lap.time_s):>9}"
        if lap.kind == "flying" and lap.time_s is not None:
            self._laps += 1
            if self._best_s is None or lap.time_s < self._best_s:
                self._best_s = lap.time_s
                told += "  best so far"
        self._say(f"{told}  ({lap.reason})" if lap.reason else told)

    def news(self, kind: str, detail: str) -> None:
        """Print what a driver wants to know of the session. What is lost is in the log."""
        match kind:
            case "opened":
                self._session, self._track, self._best_s = detail, "", None
                self._laps = self._callouts = 0
                self._say(f"session {detail} opened")
            case "track":
                self._track = detail
                self._say(f"track: {detail}")
            case "over":
                self._say(f"session {detail.replace(' ', ' is over: ', 1)}")
                self._summary()

    def close(self) -> None:
        """Print the summary of a session that is still open, and the last lines."""
        if self._session:
            self._say(f"session {self._session} rests; a start soon after goes on with it")
            self._summary()
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)
        self._printing.join(LAST_LINES_S)

    def _summary(self) -> None:
        laps = f"{self._laps} flying laps" if self._laps != 1 else "1 flying lap"
        best = f", best {lap_time(self._best_s)}" if self._best_s is not None else ""
        where = self._track or "unknown place"
        self._say(f"  {where}: {laps}{best}, {self._callouts} callouts; see pitwall debrief {self._session}")
        self._session = ""

    def _say(self, line: str) -> None:
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(line)

    def _print(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # the terminal is gone
            while (line := self._lines.get()) is not None:
                say(line)
                sys.stdout.flush()
