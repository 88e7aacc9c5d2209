"""The player: one open PCM stream, silence between clips, restarted when it dies.

Bluetooth swallows the first syllable after silence, so the stream never ends between clips, unless
a rest is allowed (the car is parked). At most 45 ms are buffered in pipe and server, so a safety
cue cuts off a clip within 60 ms.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable
from typing import Literal

from pitwall.helpers.backoff import PLAYER, Backoff
from pitwall.voice.clips import Clip, pcm_of
from pitwall.voice.playback_queue import Player
from pitwall.voice.sound_program import (
    CHUNK_BYTES,
    CHUNK_S,
    COMMANDS,
    FLOWING_BYTES,
    SILENCE,
    Command,
    SoundProgram,
)
from pitwall.voice.wav import RATE_HZ, SAMPLE_BYTES

log = logging.getLogger("pitwall.voice")

Audio = Literal["auto", "text", "none"]
Link = Literal["starting", "connected", "up", "down"]

AHEAD_S = 0.045  # written but not yet heard, by the clock; nothing of it can be cut off any more
PATIENCE_S = CHUNK_S / 2  # how soon to look again at a pipe that was full
# Silence goes in larger pieces: a quarter of the wake-ups, and a clip starts no later.
QUIET_S = 3 * CHUNK_S
QUIET = bytes(3 * CHUNK_BYTES)
BYTES_PER_S = RATE_HZ * SAMPLE_BYTES
REST_S = 0.2  # at rest, how often to ask whether that is over; a clip that comes ends it at once
CHECK_S = 0.05  # how often to ask whether the program lives; a write notices it sooner
TRY_S = (0.7, 0.25)  # for the programs to reach a sound device; only one that hangs needs all, 1 s together
PATIENT_TRY_S = (5.0, 2.0)  # the same for who measures or looks for a fault, on a busy machine
CONNECT_S = 2.0  # the same after a restart, when nobody waits
STALL_S = 3.0  # a stream that takes nothing for so long is dead; an idle PulseAudio sink may sleep for 2 s
RETRY_MIN_S = 0.1  # a clip that comes in shortens the wait before a restart to this
STEADY_S = 5.0  # after a stream that lived so long, the first restart does not wait

# Nominal time from PCM handed over to the ear, s (the map, figures). Without sound the wired
# figure, so that a ledger does not depend on it.
AUDIO_DELAY_S = {"wired": 0.06, "bluetooth": 0.2, "text": 0.06, "none": 0.06}


def open_player(audio: Audio = "auto", on_text: Callable[[str], None] | None = None) -> Player:
    """Open the best player there is; "text": phrases go to `on_text`, "none": nowhere."""
    if audio == "none":
        return TextPlayer("none")
    if audio == "text":
        return TextPlayer("text", on_text)
    player, why = find_sound(TRY_S)
    if player is not None:
        return player
    log.warning("no sound, callouts are shown as text: %s", why)
    return TextPlayer("text", on_text)


def find_sound(tries_s: tuple[float, ...]) -> tuple[Player | None, str]:
    """Find the first of `COMMANDS` that reaches a sound device; else None and why."""
    why: list[str] = []
    for command, try_s in zip((c for c in COMMANDS if shutil.which(c.name)), tries_s, strict=False):
        player = StreamPlayer(command)
        if player.wait_connected(try_s):
            log.info("sound: %s", command.name)
            return player, ""
        why.append(f"{command.name}: {player.state().last_error or 'no answer'}")
        player.stop()
    return None, "; ".join(why) or "no pacat or aplay here"


class WriteClock:
    """When to write: never more than AHEAD_S before the clock, never into a filling pipe."""

    def __init__(self, now_s: float) -> None:
        self._fed_until_s = now_s

    def wait_s(self, now_s: float, pending_bytes: int, connected: bool, quiet: bool) -> float:
        """Return 0 if a chunk, or a piece of silence, may be written now; else how long to wait."""
        if pending_bytes >= (CHUNK_BYTES if connected and not quiet else 1):
            return max(pending_bytes / BYTES_PER_S, PATIENCE_S) if quiet else PATIENCE_S
        self._fed_until_s = max(self._fed_until_s, now_s)  # after a pause start afresh, without a burst
        return max(0.0, self._fed_until_s + (QUIET_S if quiet else CHUNK_S) - AHEAD_S - now_s)

    def wrote(self, seconds: float) -> None:
        """Count written bytes."""
        self._fed_until_s += seconds


class StreamPlayer(Player):
    """Feeds one program of `COMMANDS` from its own thread."""

    def __init__(self, command: Command) -> None:
        super().__init__(command.name, "pitwall-player", may_rest=False)
        self._command = command
        self._rest = memoryview(b"")
        self._unheard = False
        self._pid = 0
        self._worked = False
        self._link: Link = "starting"
        self._linked = threading.Condition()
        self._thread.start()

    @property
    def pid(self) -> int:
        """Return the program's process id."""
        return self._pid

    def _up(self) -> bool:
        return self._link == "up"

    def wait_connected(self, timeout_s: float) -> bool:
        """Wait for the first answer: has the program reached its sound device?"""
        with self._linked:
            self._linked.wait_for(lambda: self._link != "starting", timeout_s)
            return self._link in ("connected", "up")

    def wait_ready(self, timeout_s: float) -> bool:
        """Wait until the program has connected."""
        with self._linked:
            return self._linked.wait_for(lambda: self._link == "up", timeout_s)

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until nothing plays or waits."""
        idle = super().wait_idle(timeout_s)
        time.sleep(2 * AHEAD_S if idle else 0.0)  # what was handed over last is still on its way to the ear
        return idle

    def _set_link(self, link: Link) -> None:
        with self._linked:
            self._link = link
            self._linked.notify_all()

    def _run(self) -> None:
        backoff = Backoff(PLAYER)
        while not self._stopping:
            started_s = time.monotonic()
            try:
                self._live()
            except OSError as error:
                self._last_error = str(error)
            except Exception as error:  # a bug here must not silence the rest of the session
                self._last_error = f"{type(error).__name__}: {error}"
                log.exception("the player stumbled")
            if time.monotonic() - started_s > STEADY_S:
                backoff.reset()
            if not self._stopping:
                log.log(
                    logging.WARNING if self._worked else logging.DEBUG,
                    "%s died (%s), it is started again",
                    self.name,
                    self._last_error,
                )
                self._back_off(backoff.next_s())
                self._restarts += not self._stopping

    def _back_off(self, seconds: float) -> None:
        began_s = time.monotonic()
        while not self._stopping:
            now_s = time.monotonic()
            self._waiting.drop_late(now_s)
            wait_s = min(seconds, RETRY_MIN_S) if len(self._waiting) else seconds
            if now_s - began_s >= wait_s:
                return
            self._wake.wait(began_s + wait_s - now_s)
            self._wake.clear()

    def _live(self) -> None:
        try:
            stream = SoundProgram(self._command)
        except OSError:
            self._set_link("down")
            raise
        self._pid = stream.pid
        try:
            self._feed(stream)
        except BrokenPipeError:
            raise OSError(stream.complaint()) from None
        finally:
            self._worked = self._link in ("connected", "up")
            self._pid = 0
            self._rest = memoryview(b"")
            self._set_link("down")
            self._waiting.recall(time.monotonic())
            stream.close()

    def _feed(self, stream: SoundProgram) -> None:
        checked_s = moved_s = now_s = time.monotonic()
        pace, played_bytes, link = WriteClock(now_s), 0, "starting"
        while not self._stopping:
            now_s = time.monotonic()
            pending_bytes = stream.pending_bytes()
            if stream.sent_bytes - pending_bytes > played_bytes:
                played_bytes, moved_s = stream.sent_bytes - pending_bytes, now_s
                link = self._progress(link, played_bytes)
            if now_s - checked_s > CHECK_S:
                checked_s = now_s
                self._check(stream, now_s - moved_s, STALL_S if link != "starting" else CONNECT_S)
            connected = link != "starting"
            quiet = connected and not self._rest and not len(self._waiting)
            if quiet and link == "up" and self.may_rest():
                moved_s = now_s  # nothing is asked of it
                self._wake.wait(REST_S)
                self._wake.clear()
                continue
            wait_s = pace.wait_s(now_s, pending_bytes, connected, quiet)
            if wait_s <= 0 and (written_s := self._hand_over(stream, now_s, quiet)):
                pace.wrote(written_s)
                continue
            self._wake.wait(max(wait_s, PATIENCE_S / 5))
            self._wake.clear()

    def _check(self, stream: SoundProgram, idle_s: float, patience_s: float) -> None:
        if not stream.alive():
            raise BrokenPipeError
        if idle_s > patience_s:
            raise TimeoutError(f"{self.name} took no sound for {idle_s:.1f} s")
        if self._link != "up":
            self._waiting.drop_late(time.monotonic())

    def _progress(self, link: str, played_bytes: int) -> Link:
        # The program reads one chunk before it has reached its server, and the next only
        # afterwards.
        reached: Link = "up" if played_bytes > FLOWING_BYTES else "connected"
        if played_bytes <= CHUNK_BYTES:
            return "starting"
        if reached != link:
            self._set_link(reached)
        return reached

    def _hand_over(self, stream: SoundProgram, now_s: float, quiet: bool) -> float:
        """Write the next chunk, or a piece of silence; its length in s, 0 if there was no room."""
        if quiet:
            return QUIET_S if stream.write(QUIET) else 0.0
        if self._link == "up" and (turn := self._waiting.take(now_s)):
            self._begin(turn.clip)
        rest = self._rest
        chunk = bytes(rest[:CHUNK_BYTES]).ljust(CHUNK_BYTES, b"\0") if rest else SILENCE
        if not stream.write(chunk):
            return 0.0
        if rest:
            self._rest = rest[CHUNK_BYTES:]
            turn = self._waiting.current
            if self._unheard and turn is not None:
                self._handed(turn.clip, now_s)
            self._unheard = False
            if not self._rest:
                self._waiting.finish()
        return CHUNK_S

    def _begin(self, clip: Clip) -> None:
        try:
            self._rest, self._unheard = memoryview(pcm_of(clip)), True
        except (OSError, ValueError) as error:
            self._rest, self._last_error = memoryview(b""), str(error)
            self._waiting.finish()
            log.error("a callout could not be spoken: %s", error)


class TextPlayer(Player):
    """Is busy as long as each clip would sound, and prints nothing itself."""

    def __init__(self, name: str, on_text: Callable[[str], None] | None = None) -> None:
        super().__init__(name, "pitwall-text", may_rest=True)
        self._on_text = on_text
        self._thread.start()

    def _up(self) -> bool:
        return not self._stopping

    def _run(self) -> None:
        ends_s = 0.0
        while not self._stopping:
            now_s = time.monotonic()
            if self._waiting.current is not None and now_s >= ends_s:
                self._waiting.finish()
            if turn := self._waiting.take(now_s):
                ends_s = now_s + turn.clip.clip_s
                try:
                    if self._on_text is not None:
                        self._on_text(turn.clip.text)
                except Exception:
                    log.exception("showing %r failed", turn.clip.text)
                self._handed(turn.clip, now_s)
                continue
            self._wake.wait(ends_s - now_s if self._waiting.current is not None else None)
            self._wake.clear()
