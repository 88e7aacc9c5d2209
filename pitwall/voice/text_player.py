"""The player without a sound device: it shows each phrase as text when its clip would start."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from pitwall.contract.status import PlayerState
from pitwall.voice.clips import Clip
from pitwall.voice.playback_queue import PlaybackQueue

log = logging.getLogger("pitwall.voice")


class TextPlayer:
    """A `Player` that is busy as long as each clip would sound, and prints nothing itself."""

    def __init__(self, name: str, on_text: Callable[[str], None] | None = None) -> None:
        self.on_handed: Callable[[Clip, float], None] | None = None
        self.may_rest: Callable[[], bool] = lambda: True  # it always does
        self._name = name
        self._on_text = on_text
        self._waiting = PlaybackQueue()
        self._stopping = False
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pitwall-text", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        return self._name

    def play(self, clip: Clip, *, cut: bool) -> None:
        self._waiting.put(clip, cut, time.monotonic())
        self._wake.set()

    def state(self) -> PlayerState:
        turn = self._waiting.current
        return PlayerState(
            name=self._name,
            up=not self._stopping,
            playing=turn.clip.text if turn else "",
            waiting=len(self._waiting),
            restarts=0,
            dropped=self._waiting.dropped,
            last_error="",
        )

    def wait_ready(self, timeout_s: float) -> bool:
        return True

    def wait_idle(self, timeout_s: float) -> bool:
        return self._waiting.wait_idle(timeout_s)

    def stop(self) -> None:
        self._stopping = True
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        ends_s = 0.0
        while not self._stopping:
            now_s = time.monotonic()
            if self._waiting.current is not None and now_s >= ends_s:
                self._waiting.finish()
            if turn := self._waiting.take(now_s):
                ends_s = now_s + turn.clip.clip_s
                self._show(turn.clip, now_s)
                continue
            self._wake.wait(ends_s - now_s if self._waiting.current is not None else None)
            self._wake.clear()

    def _show(self, clip: Clip, now_s: float) -> None:
        try:
            if self._on_text is not None:
                self._on_text(clip.text)
            if self.on_handed is not None:
                self.on_handed(clip, now_s)
        except Exception:
            log.exception("showing %r failed", clip.text)
