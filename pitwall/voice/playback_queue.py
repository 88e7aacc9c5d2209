"""The queue of clips that all players share: bounded, thread-safe, late ones are dropped."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable

import msgspec

from pitwall.contract.status import PlayerState
from pitwall.voice.clips import Clip

log = logging.getLogger("pitwall.voice")

WAITING_MAX = 4  # the arbiter times its cues, so more of them could not be heard in time
LATE_S = 0.3  # the margin in the coach's lead time; a later call comes at the corner or after it
LATE_CUT_S = 2.0  # a warning is still worth hearing when the player had to be started again first


class QueuedClip(msgspec.Struct, frozen=True):
    """A clip and when its turn is, s of time.monotonic()."""

    clip: Clip
    due_s: float
    cut: bool

    def late(self, now_s: float) -> bool:
        """Return whether its time has passed."""
        return now_s - self.due_s > (LATE_CUT_S if self.cut else LATE_S)


class PlaybackQueue:
    """The playing clip and those behind it, between callers and the player's thread."""

    def __init__(self) -> None:
        self.dropped = 0
        self.current: QueuedClip | None = None
        self._turns: deque[QueuedClip] = deque()
        self._free_s = 0.0
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._turns)

    def put(self, clip: Clip, cut: bool, now_s: float) -> None:
        """Queue a clip."""
        with self._changed:
            if cut:
                self.dropped += len(self._turns)
                self._turns.clear()
                self._free_s = now_s
            elif len(self._turns) >= WAITING_MAX:
                self.dropped += 1
                return
            due_s = max(now_s, self._free_s)
            self._free_s = due_s + clip.clip_s
            self._turns.append(QueuedClip(clip, due_s, cut))

    def take(self, now_s: float) -> QueuedClip | None:
        """Return the next clip to start: the first in the queue, or only one that cuts."""
        if not self._turns:
            return None  # without the lock: asked 100 times a second, and a clip that comes now is next
        with self._changed:
            while self._turns and (self.current is None or self._turns[0].cut):
                turn = self._turns.popleft()
                if not turn.late(now_s):
                    self.current = turn
                    return turn
                self.dropped += 1
            self._changed.notify_all()
            return None

    def finish(self) -> None:
        """The current clip is over."""
        with self._changed:
            self.current = None
            self._changed.notify_all()

    def recall(self, now_s: float) -> None:
        """Put the interrupted clip first again while it is not late, unless a cut waits."""
        with self._changed:
            turn, self.current = self.current, None
            if turn is not None and not turn.late(now_s) and not (self._turns and self._turns[0].cut):
                self._turns.appendleft(turn)
            self._changed.notify_all()

    def drop_late(self, now_s: float) -> None:
        """Give up what can no longer be said in time, while nothing can be played."""
        with self._changed:
            while self._turns and self._turns[0].late(now_s):
                self._turns.popleft()
                self.dropped += 1
            self._changed.notify_all()

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until nothing plays or waits."""
        with self._changed:
            return self._changed.wait_for(lambda: self.current is None and not self._turns, timeout_s)


class Player(ABC):
    """Speaks, in sound or text, on its own thread; all but `stop` and `wait_*` return at once."""

    def __init__(self, name: str, thread: str, *, may_rest: bool) -> None:
        self.name = name
        # Called from the player's thread when a clip's first samples were written, with
        # time.monotonic().
        self.on_handed: Callable[[Clip, float], None] | None = None
        # Whether silence between clips may be left out, which spares the processor.
        self.may_rest: Callable[[], bool] = lambda: may_rest
        self._waiting = PlaybackQueue()
        self._restarts = 0
        self._last_error = ""
        self._stopping = False
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=thread, daemon=True)

    def play(self, clip: Clip, *, cut: bool) -> None:
        """Speak `clip` after what is playing; with `cut` instead of all."""
        self._waiting.put(clip, cut, time.monotonic())
        self._wake.set()

    def state(self) -> PlayerState:
        """Return the player's health."""
        turn = self._waiting.current
        return PlayerState(
            name=self.name,
            up=self._up(),
            playing=turn.clip.text if turn else "",
            waiting=len(self._waiting),
            restarts=self._restarts,
            dropped=self._waiting.dropped,
            last_error=self._last_error,
        )

    def wait_ready(self, timeout_s: float) -> bool:
        """Wait until what is played would be heard; False if that takes too long."""
        return True

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until nothing plays and nothing waits; False if that takes too long."""
        return self._waiting.wait_idle(timeout_s)

    def stop(self) -> None:
        """Fall silent and leave nothing behind: no thread, no process."""
        self._stopping = True
        self._wake.set()
        self._thread.join()

    def _handed(self, clip: Clip, now_s: float) -> None:
        try:
            if self.on_handed is not None:
                self.on_handed(clip, now_s)
        except Exception:
            log.exception("on_handed failed at %r", clip.text)

    @abstractmethod
    def _up(self) -> bool: ...

    @abstractmethod
    def _run(self) -> None: ...
