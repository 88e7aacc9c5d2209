"""Open the voice in a thread, watch it, and reopen it when it is gone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pitwall.coach.cue import Callout
from pitwall.config import Home
from pitwall.contract.status import VoiceStatus
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.daemon.supervisor import SupervisedPart
from pitwall.daemon.watch import until_turn_s
from pitwall.settings import AudioSettings
from pitwall.voice.clips import Clip
from pitwall.voice.delay import Route, delay_in_force, output_device
from pitwall.voice.playback_queue import Player
from pitwall.voice.player import AUDIO_DELAY_S, TRY_S, find_sound, open_player
from pitwall.voice.sound_program import CHUNK_S, SILENCE

log = logging.getLogger("pitwall")

P = TypeVar("P", bound=Player | None)

# Without sound, a headset is looked for this often.
LOOK_FOR_SOUND_S = 15.0
# How often a standing car asks for the device: the sound server may have switched silently.
ASK_DEVICE_EVERY_S = 60.0
# A hanging sound program is given up after two seconds.
STARTING_S = 3.0
# It cuts off what sounds.
HUSH = Clip("", None, CHUNK_S, SILENCE)


class VoicePart:
    """`part` and `follow_device` are supervised; `delay_s`: from handing over to the ear."""

    def __init__(
        self,
        home: Home,
        settings: AudioSettings,
        vocabulary: Vocabulary,
        standing: Callable[[], bool],
        route: Callable[[], Route | None] = lambda: None,
    ) -> None:
        self.delay_s = AUDIO_DELAY_S[settings.path] if settings.delay_s is None else settings.delay_s
        # The nominal figure until the device was asked.
        self.delay_known = settings.delay_s is not None or settings.player != "auto"
        self.part = SupervisedPart("voice", self.run)
        self.unheard = 0
        # The session time of the first unheard callout, if any.
        self._missed_t: float | None = None
        self._home, self._settings, self._vocabulary = home, settings, vocabulary
        self._standing, self._route = standing, route
        self._player: Player | None = None
        self._begun_s, self._runs = time.monotonic(), 0
        self._device_due = asyncio.Event()
        self._device_seen: tuple[str, int, bool, Route | None] | None = None
        self._device_asked_s = 0.0
        self._failed: asyncio.Event = asyncio.Event()
        self._error = ""

    def play(self, callout: Callout) -> None:
        """Speak it; count what can't be spoken."""
        player, clip = self._player, self._vocabulary.clip(callout.text)
        try:
            if player is not None and clip is not None:
                player.play(clip, cut=callout.cut)
                return
        except Exception as error:
            self._error = f"{type(error).__name__}: {error}"
            self._failed.set()
        self.unheard += 1
        self._missed_t = callout.t if self._missed_t is None else self._missed_t

    def say(self, clip: Clip) -> bool:
        """Play what waits for no place; False if it is not played or not heard."""
        player = self._player
        if player is None or player.name == "none" or (self.sounds and not self.heard):
            return False
        state = player.state()
        if state.playing or state.waiting:
            return False
        player.play(clip, cut=False)
        return True

    def heard_again(self) -> float | None:
        """Return since when nobody heard what was said, once sound is back."""
        if self._player is None:
            return None
        missed_t, self._missed_t = self._missed_t, None
        return missed_t

    def says(self, clip: Clip) -> bool:
        """Return whether this clip sounds, or is about to."""
        state = self._player.state() if self._player is not None else None
        return state is not None and (state.playing == clip.text or bool(state.waiting))

    def stop(self) -> None:
        """Break off what sounds."""
        if self._player is not None and self.sounds:
            self._player.play(HUSH, cut=True)

    @property
    def sounds(self) -> bool:
        """Return whether sound is wanted, not text."""
        return self._settings.player == "auto"

    @property
    def heard(self) -> bool | None:
        """Return whether playing would be heard; None if not wanted, or not known yet."""
        if not self.sounds:
            return None
        player = self._player
        state = player.state() if player is not None else None
        if state is not None and (state.up or state.name == "text"):
            return state.up and state.name != "text"
        troubled = self._runs > 1 or (state is not None and bool(state.restarts or state.last_error))
        return False if troubled or time.monotonic() - self._begun_s > STARTING_S else None

    def trouble(self) -> str:
        """Say why nobody hears what is played, if so."""
        if self.heard is not False:
            return ""
        if self._player is None:
            return "the voice is being started again"
        return "no sound device"

    async def follow_device(self) -> None:
        """Ask for the device's delay whenever it may have changed."""
        while True:
            await self._device_due.wait()
            self._device_due.clear()
            if self._settings.delay_s is None and self._settings.player == "auto":
                delay_s = await asyncio.to_thread(self._ask_device)
                if delay_s != self.delay_s:
                    log.info("sound: %.0f ms to the ear", delay_s * 1000.0)
                self.delay_s, self.delay_known = delay_s, True

    async def run(self) -> None:
        """Open the player and watch it. Raises when it died."""
        self._runs += 1
        show = partial(log.info, "says: %s")
        player, _ = await _opened(lambda: (open_player(self._settings.player, show), ""))
        player.may_rest = self._standing
        self._player, searched_s = player, time.monotonic()
        self._failed.clear()
        try:
            while True:
                self._look_at_device(player)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(until_turn_s()):
                        await self._failed.wait()
                    raise RuntimeError(self._error or "the player failed")
                if not any(
                    each.name.startswith("pitwall-") and each.is_alive() for each in threading.enumerate()
                ):
                    raise RuntimeError("the player's thread is gone")
                wanted = self._settings.player == "auto" and player.name == "text"
                if wanted and time.monotonic() - searched_s > LOOK_FOR_SOUND_S:
                    player = await self._look_for_sound(player)
                    searched_s = time.monotonic()
        finally:
            self._player = None
            await asyncio.shield(asyncio.to_thread(player.stop))

    def status(self) -> VoiceStatus:
        """Return the voice's state."""
        return VoiceStatus(
            state=self.part.state,
            heard=self.heard,
            trouble=self.trouble(),
            player=self._player.state() if self._player is not None else None,
            clips=self._vocabulary.clips,
            rendering=self._vocabulary.waiting,
            unheard=self.unheard,
            restarts=self.part.restarts,
            delay_s=self.delay_s,
            last_error=self._error,
        )

    def _look_at_device(self, player: Player) -> None:
        now_s, standing = time.monotonic(), self._standing()
        seen = (player.name, player.state().restarts, standing, self._route())
        waited = standing and now_s - self._device_asked_s >= ASK_DEVICE_EVERY_S
        if waited or (seen != self._device_seen):
            self._device_seen, self._device_asked_s = seen, now_s
            self._device_due.set()

    def _ask_device(self) -> float:
        device = output_device(self._player.name if self._player is not None else "")
        return delay_in_force(self._home, device, self._settings.path, self._route()).seconds

    async def _look_for_sound(self, text: Player) -> Player:
        found, _ = await _opened(lambda: find_sound(TRY_S))
        if found is None:
            return text
        found.may_rest = self._standing
        self._player = found
        await asyncio.to_thread(text.stop)
        return found


async def _opened(work: Callable[[], tuple[P, str]]) -> tuple[P, str]:
    """Return what a thread opens, and why not; close it if nobody waits."""
    opening = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        with contextlib.suppress(Exception):
            late, _ = await opening
            if late is not None:
                await asyncio.to_thread(late.stop)
        raise
