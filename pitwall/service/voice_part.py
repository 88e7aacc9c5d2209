"""The voice as a part of the daemon: opened in a thread, watched, opened anew when it is gone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from pitwall.api.types import PartState, VoiceStatus
from pitwall.coach.cue import Callout
from pitwall.service.vocabulary import Vocabulary
from pitwall.settings import AudioSettings
from pitwall.voice.player import find_sound, open_player
from pitwall.voice.waiting import Player

log = logging.getLogger("pitwall")

P = TypeVar("P", bound=Player | None)

# A dead player is seen within half a second.
LOOK_EVERY_S = 0.2
# Without sound: a headset that was switched on is found after so long.
LOOK_FOR_SOUND_S = 15.0


class VoicePart:
    """`run` is supervised; `play` may be called at any time and never fails."""

    def __init__(self, settings: AudioSettings, vocabulary: Vocabulary, delay_s: float) -> None:
        self.delay_s = delay_s
        self.unheard = 0
        self._settings, self._vocabulary = settings, vocabulary
        self._player: Player | None = None
        self._failed: asyncio.Event = asyncio.Event()
        self._error = ""

    def play(self, callout: Callout) -> None:
        """Speak it. What can't be spoken is counted; an error in the player restarts the voice."""
        player, clip = self._player, self._vocabulary.clip(callout.text)
        if player is None or clip is None:
            self.unheard += 1
            return
        try:
            player.play(clip, cut=callout.cut)
        except Exception as error:
            self.unheard += 1
            self._error = f"{type(error).__name__}: {error}"
            self._failed.set()

    @property
    def heard(self) -> bool | None:
        """Whether what is played now would be heard; None while that is not known or not wanted."""
        player = self._player
        if player is None or self._settings.player != "auto":
            return None
        if player.name == "text":
            return False
        state = player.state()
        starting = not state.up and not state.restarts and not state.last_error
        return None if starting else state.up

    async def run(self) -> None:
        """Open the player and watch it. Raises when it died, to be started again."""
        player, _ = await _opened(lambda: (open_player(self._settings.player, _show), ""))
        self._player, searched_s = player, time.monotonic()
        self._failed.clear()
        try:
            while True:
                try:
                    await asyncio.wait_for(self._failed.wait(), LOOK_EVERY_S)
                    raise RuntimeError(self._error or "the player failed")
                except TimeoutError:
                    pass
                if not any(_is_player(thread) for thread in threading.enumerate()):
                    raise RuntimeError("the player's thread is gone")
                wanted = self._settings.player == "auto" and player.name == "text"
                if wanted and time.monotonic() - searched_s > LOOK_FOR_SOUND_S:
                    player = await self._look_for_sound(player)
                    searched_s = time.monotonic()
        finally:
            self._player = None
            await asyncio.shield(asyncio.to_thread(player.stop))

    def status(self, state: PartState, restarts: int) -> VoiceStatus:
        """As /status shows it."""
        player = self._player
        found = player.state() if player is not None else None
        return VoiceStatus(
            state=state,
            player=found.name if found else "",
            playing=found.playing if found else "",
            waiting=found.waiting if found else 0,
            clips=self._vocabulary.clips,
            rendering=self._vocabulary.waiting,
            dropped=(found.dropped if found else 0) + self.unheard,
            restarts=restarts + (found.restarts if found else 0),
            delay_s=self.delay_s,
            last_error=(found.last_error if found else "") or self._error,
        )

    async def _look_for_sound(self, text: Player) -> Player:
        """Whether there is a sound device by now; the player to go on with."""
        found, _ = await _opened(find_sound)
        if found is None:
            return text
        self._player = found
        await asyncio.to_thread(text.stop)
        return found


async def _opened(work: Callable[[], tuple[P, str]]) -> tuple[P, str]:
    """What a thread opens, and why not; where nobody waits for it any more it is closed again."""
    opening = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        with contextlib.suppress(Exception):
            late, _ = await opening
            if late is not None:
                await asyncio.to_thread(late.stop)
        raise


def _is_player(thread: threading.Thread) -> bool:
    return thread.name.startswith("pitwall-") and thread.is_alive()


def _show(text: str) -> None:
    log.info("says: %s", text)
