"""The pit wall's part of the daemon: what it shows of the drive, and how it hands messages to it."""

from __future__ import annotations

import asyncio
import re
import time

from pitwall.analysis.session_view import track_view
from pitwall.api.app import serve
from pitwall.api.live import LiveHub
from pitwall.api.paired import Wall
from pitwall.api.wall import wall_app
from pitwall.coach.limits import LIMITS
from pitwall.config import Home
from pitwall.contract.problems import Refused
from pitwall.contract.wall import (
    CrewMessage,
    WallDevice,
    WallFigure,
    WallLap,
    WallLine,
    WallState,
)
from pitwall.daemon.sessions.keeper import Keeper
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.daemon.watch import Losses, Phone
from pitwall.drive.controls import CrewSays
from pitwall.settings import Settings
from pitwall.telemetry.signals import SIGNALS
from pitwall.track.model import Track
from pitwall.voice.render import PHRASE_DEADLINE_S, VoiceError

# The last laps are shown.
LAPS = 12
# Older frames do not say where the car is.
FRESH_S = 2.0
# Lines of the crew's own that wait to be rendered.
MOST_LINES = 4
FUEL = re.compile(r"fuel(_?(level|remaining|tank|lvl|left))?(_(l|pct|gal))?")


class PitWall:
    """`serve` and `render` are supervised. Is an `api.wall.WallPort`."""

    def __init__(
        self,
        home: Home,
        settings: Settings,
        wall: Wall,
        keeper: Keeper,
        vocabulary: Vocabulary,
        live: LiveHub,
        phone: Phone,
        losses: Losses,
    ) -> None:
        self._home, self._settings, self._wall, self._keeper = home, settings, wall, keeper
        self._vocabulary, self._live, self._phone, self._losses = vocabulary, live, phone, losses
        self._line: tuple[Track | None, WallLine] = (None, WallLine("", (), 0.0))
        self._unrendered: asyncio.Queue[tuple[CrewMessage, str]] = asyncio.Queue(MOST_LINES)

    async def serve(self) -> None:
        """Serve the pit wall while it is switched on."""
        wall, wanted = self._wall, self._settings.wall
        while True:
            await wall.switched_on.wait()
            words, speed = self._home.words, self._home.words.figures.measure("m/s")
            terms = words.terms("wall") | {"speed unit": speed.name, "speed factor": str(speed.factor)}
            app = wall_app(wall, self, terms, wanted.address)
            async with serve(app, wanted.host, wanted.port) as wall.port:
                wall.down.clear()
                wall.up.set()
                try:
                    await wall.switched_off.wait()
                finally:
                    wall.port = 0
                    wall.up.clear()
            wall.down.set()

    async def render(self) -> None:
        """Render the crew's own lines and hand each to the drive, with its clip if it came in
        time."""
        while True:
            message, by = await self._unrendered.get()
            clip_s = None
            try:
                async with asyncio.timeout(PHRASE_DEADLINE_S):
                    clip = await asyncio.to_thread(self._vocabulary.make_line, message.line)
                clip_s = clip.clip_s
            except (TimeoutError, VoiceError):
                pass
            self._hand_on(message, by, clip_s)

    def crew_says(self, message: CrewMessage, by: str) -> None:
        """Hand a message to the drive."""
        if self._keeper.session is None:
            raise Refused(409, "nobody drives now: it would not be heard", "say it when the car is out")
        if message.says != "line":
            self._hand_on(message, by)
            return
        try:
            self._unrendered.put_nowait((message, by))
        except asyncio.QueueFull:
            raise Refused(429, "other lines wait for their sound", "say it again in a moment") from None

    def _hand_on(self, message: CrewMessage, by: str, clip_s: float | None = None) -> None:
        says = CrewSays(message.id, message.says, by, message.target_s, message.line, clip_s)
        if self._keeper.session is None:
            self._wall.ended(message.id, message.line, "expired", "the drive ended")
        else:
            self._keeper.tell(says)

    def answered(self) -> None:
        """Note that the driver answers the last message. Refused (409)."""
        said, fixed = self._keeper.status().said, self._home.words.fixed
        line = self._wall.understood(lambda each: said.startswith(each.text or fixed[f"crew_{each.says}"]))
        if line is None:
            raise Refused(409, "no message of the pit wall waits for an answer", "there is nothing to answer")
        if (session := self._keeper.session) is not None:
            session.writer.event(session.path.t, "understood", f"{line.by}: {line.text}")

    def line(self) -> WallLine:
        """Return the line of the track."""
        track = self._keeper.current.path.track
        if track is None:
            return WallLine("", (), 0.0)
        if track is not self._line[0]:
            view = track_view(track, self._home.words)
            self._line = track, WallLine(track.id, view.line, view.step_m, view.title)
        return self._line[1]

    def state(self, device: WallDevice) -> WallState:
        """Return what this device sees, from memory."""
        keeper = self._keeper
        session, phone = keeper.status(), self._phone.status()
        laps = keeper.session.made.laps if keeper.session is not None else []
        frame, position = self._live.newest
        if frame is None or keeper.session is None or keeper.session.t - frame.t > FRESH_S:
            frame = position = None
        best_s = session.best_s
        return WallState(
            now_s=time.monotonic(),
            role=device.role,
            name=device.name,
            car=self._settings.driver or self._settings.vehicle,
            life=session.life,
            track=session.track,
            lap=session.lap,
            best_s=best_s,
            last_s=session.last_s,
            said=session.said,
            laps=tuple(
                WallLap(
                    each.number,
                    each.kind,
                    each.time_s,
                    tuple(each.sectors_s),
                    each.time_s - best_s if each.time_s is not None and best_s is not None else None,
                )
                for each in laps[-LAPS:]
            ),
            messages=tuple(self._wall.messages.values()),
            speed_mps=None if frame is None else frame.speed_mps,
            distance_m=None if position is None else position.distance_m,
            figures=(
                *(
                    WallFigure(each.signal, value, SIGNALS[each.signal].unit, each.trigger, each.above)
                    for each in LIMITS
                    if frame is not None and (value := getattr(frame, each.signal)) is not None
                ),
                *self._fuel(),
            ),
            battery_pct=None if phone is None else phone.report.battery_pct,
            heat="" if phone is None else phone.report.heat or "",
            phone_age_s=None if phone is None else phone.age_s,
            troubles=tuple(
                f"{name}: {why}"
                for name, why in self._losses.standing().items()
                if name != "settings"  # it names files of the phone, which are no matter of the crew
            ),
        )

    def _fuel(self) -> tuple[WallFigure, ...]:
        session = self._keeper.session
        found = session.newest(FUEL) if session is not None else None
        return () if found is None else (WallFigure("fuel", found[0], found[1], None, False),)
