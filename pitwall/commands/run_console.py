"""Prints a drive for `pitwall run`: session, track, each lap, each callout, and a summary."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Mapping, Sequence

from pitwall.coach.cue import Callout
from pitwall.commands.common import flush, say
from pitwall.daemon.sessions.audience import Console
from pitwall.track.lap import Lap
from pitwall.track.model import Track
from pitwall.words.language import Language

# A terminal that takes nothing must never stop the car: what does not fit is not printed.
MOST_WAITING = 200
LAST_LINES_S = 0.3


class RunConsole(Console):
    """A `Console`: hands each line to its own printing thread. `close` prints the summary."""

    def __init__(self, words: Language) -> None:
        self._words = words
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._session = self._track = ""
        # The names of tracks by id.
        self.tracks: Mapping[str, Track] = {}
        self._best_s: float | None = None
        self._laps = self._callouts = 0
        self._printing = threading.Thread(target=self._print, name="console", daemon=True)
        self._printing.start()

    def callout(self, callout: Callout) -> None:
        """Show a spoken callout."""
        self._callouts += 1
        self._say(f'  "{callout.text}"')

    def lap(self, lap: Lap) -> None:
        """Show a finished lap."""
        shown = lap_line(lap, self._words)
        if self._count(lap):
            shown += f"  {self._words.say('best')}"
        self._say(f"{shown}  ({self._words.in_units(lap.reason)})" if lap.reason else shown)

    def gone_on(self, laps: Sequence[Lap]) -> None:
        """Count the laps that were driven before the session was broken off."""
        for lap in laps:
            self._count(lap)
        if self._laps and self._best_s is not None:
            best = self._words.say("and best", time=self._words.figures.clock(self._best_s))
            self._say(self._words.say("laps so far", laps=self._laps, best=best))

    def _count(self, lap: Lap) -> bool:
        if lap.kind != "flying" or lap.time_s is None:
            return False
        self._laps += 1
        if self._best_s is not None and lap.time_s >= self._best_s:
            return False
        self._best_s = lap.time_s
        return True

    def news(self, kind: str, detail: str) -> None:
        """Print what a driver wants to know of the session. What is lost is in the log."""
        match kind:
            case "opened":
                self._session, self._track, self._best_s = detail, "", None
                self._laps = self._callouts = 0
                self._say(self._words.say("session opened", session=detail))
            case "track":
                found = self.tracks.get(detail)
                self._track = found.name if found is not None else detail
                self._say(self._words.say("track found", track=self._track))
            case "next run":
                self._say(detail)
            case "over":
                session, _, why = detail.partition(" ")
                self._say(self._words.say("session over", session=session, why=self._words.in_units(why)))
                self._summary()

    def close(self) -> None:
        """Print the summary of a session that is still open, and the last lines."""
        if self._session:
            self._say(self._words.say("session rests", session=self._session))
            self._summary()
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)
        self._printing.join(LAST_LINES_S)

    def _summary(self) -> None:
        words, best_s = self._words, self._best_s
        best = words.say("and best", time=words.figures.clock(best_s)) if best_s is not None else ""
        where = self._track or words.say("unknown place")
        summary = words.say(
            "drive summary",
            where=where,
            laps=self._laps,
            best=best,
            callouts=self._callouts,
            session=self._session,
        )
        self._say(f"  {summary}")
        self._session = ""

    def _say(self, line: str) -> None:
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(line)

    def _print(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # the terminal is gone
            while (line := self._lines.get()) is not None:
                say(line)
                flush()


def lap_line(lap: Lap, words: Language) -> str:
    """Return a lap in one line: number, kind, time."""
    kind = words.term("lap", lap.kind)
    return f"{words.say('lap', lap=f'{lap.number:<3}')} {kind:<7} {words.figures.clock(lap.time_s):>9}"
