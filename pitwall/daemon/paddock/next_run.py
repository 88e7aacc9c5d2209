"""Say the one thing for the next run, once a session, when the car stands and nothing else sounds.

Composed without a model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from pitwall.contract.problems import Refused
from pitwall.daemon.sessions.open_session import OpenSession
from pitwall.daemon.sound.voice import VoicePart
from pitwall.daemon.watch import TURN_S, next_turn
from pitwall.store.errors import StoreError
from pitwall.store.lessons import NEXT_RUN
from pitwall.voice.clips import Clip
from pitwall.voice.render import PhraseRenderer, Voice, VoiceError, normal
from pitwall.voice.wav import BYTES_PER_S
from pitwall.words.forms import estimate_s

log = logging.getLogger("pitwall")

LOOK_EVERY_S = 5 * TURN_S


class NextRun:
    """`run` is supervised. `find`: the sentence for a session; `may_speak`: the car stands."""

    def __init__(
        self,
        session: Callable[[], OpenSession | None],
        find: Callable[[str], Awaitable[str]],
        may_speak: Callable[[], bool],
        voice: VoicePart,
        spoken_by: Voice,
        news: Callable[[float | None, str, str], None],
    ) -> None:
        self._session, self._find, self._may_speak = session, find, may_speak
        self._voice, self._spoken_by, self._news = voice, spoken_by, news
        # What is to be said of which session, after which lap.
        self._found: tuple[str, int] | None = None
        self._clip: Clip | None = None
        self._told = ""

    async def run(self) -> None:
        """Look whether the car stands, for ever."""
        while True:
            await next_turn(LOOK_EVERY_S)
            session = self._session()
            if session is None or session.id == self._told or not self._may_speak():
                continue
            laps = (session.id, session.path.lap_number)
            if self._found != laps:
                try:
                    self._clip = await self._rendered(session.id)
                except Refused:
                    continue
                self._found = laps
            if self._clip is not None and self._may_speak() and self._session() is session:
                await self._say(session, self._clip)

    async def _rendered(self, session: str) -> Clip | None:
        try:
            text = await self._find(session)
            return await asyncio.to_thread(self._spoken, text) if text else None
        except (StoreError, VoiceError) as error:
            log.info("nothing is said of the next run: %s", error)
            return None

    def _spoken(self, text: str) -> Clip:
        if not self._voice.sounds:
            return Clip(text, None, estimate_s(text), estimated=True)
        with PhraseRenderer(self._spoken_by) as renderer:
            pcm = renderer.pcm(normal(text))
        return Clip(text, None, len(pcm) / BYTES_PER_S, pcm)

    async def _say(self, session: OpenSession, clip: Clip) -> None:
        if not self._voice.say(clip):
            return
        self._told = session.id
        # A start after a kill does not say it again.
        session.writer.event(session.t, NEXT_RUN, clip.text)
        self._news(session.t, NEXT_RUN, clip.text)
        while self._voice.says(clip):
            if not self._may_speak():
                self._voice.stop()
            await next_turn()
