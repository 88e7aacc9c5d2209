"""Define the listeners of a session: the voice, the live page, the console of `pitwall run`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitwall.api.live import LiveHub
from pitwall.coach.cue import Callout, LedgerLine, crew_message
from pitwall.daemon.sessions.life import CarState
from pitwall.daemon.sound.voice import VoicePart
from pitwall.drive.session import DriveListener
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Lap, Position


class Console(DriveListener):
    """What a person may read: here nothing. No call may block."""

    def gone_on(self, laps: Sequence[Lap]) -> None:
        """Show the laps driven before the session was broken off."""

    def news(self, kind: str, detail: str) -> None:
        """Show a change: see `api.live.LiveEvent`."""


SILENT = Console()


class Listeners(DriveListener):
    """Speaks callouts and shows everything at /live. `page_on` False spares the phone."""

    def __init__(self, voice: VoicePart, live: LiveHub, car: CarState, console: Console = SILENT) -> None:
        self._voice, self._live, self._car, self._console = voice, live, car, console
        self.page_on = True
        # What became of a pit wall's message, by its id.
        self.crew_ended: Callable[[str, LedgerLine], None] = lambda id_, line: None

    def callout(self, callout: Callout) -> None:
        self._voice.play(callout)
        self._live.publish_callout(callout)
        self._console.callout(callout)

    def ledger(self, line: LedgerLine) -> None:
        """Tell the pit wall what became of its messages."""
        if message := crew_message(line):
            self.crew_ended(message, line)

    def lap(self, lap: Lap) -> None:
        self._live.publish_event(lap.end_t, "lap", f"{lap.number} {lap.kind}")
        self._console.lap(lap)

    def frame(self, frame: Frame, position: Position | None) -> None:
        """Show where the car is."""
        if self.page_on:
            self._live.publish_frame(frame, position, self._car.state)

    def gone_on(self, laps: Sequence[Lap]) -> None:
        self._console.gone_on(laps)

    def news(self, t: float | None, kind: str, detail: str) -> None:
        """Publish a change at session time `t`."""
        self._live.publish_event(t, kind, detail)
        self._console.news(kind, detail)
