"""What can be said, track by track: scripts read and phrases rendered in a thread, before they are needed."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping

from pitwall.config import Home
from pitwall.drive.prepare import NO_WORDS, Words, prepare_words
from pitwall.track.model import Track
from pitwall.voice.clips import Clip

log = logging.getLogger("pitwall")

# A track's clips are 2 to 4 minutes of sound, 10 MB: where one drives, and where one drove before.
TRACKS_KEPT = 2


class Vocabulary:
    """`want` a track's words ("": the messages of no track) and they come; `on_ready` is told on the loop."""

    def __init__(self, home: Home, tracks: Mapping[str, Track], *, sound: bool) -> None:
        self.on_ready: Callable[[str], None] = lambda track: None
        self.notes: dict[str, tuple[str, ...]] = {}
        self._home, self._tracks, self._sound = home, tracks, sound
        self._ready: dict[str, Words] = {}
        self._wanted: dict[str, None] = {}
        self._work = asyncio.Event()
        self._stopped = threading.Event()

    @property
    def waiting(self) -> int:
        """How many sets of words are still to be made."""
        return len(self._wanted)

    @property
    def clips(self) -> int:
        """How many clips are at hand."""
        return len(set().union(*(words.clips for words in self._ready.values()), set()))

    def want(self, track: str, *, again: bool = False) -> None:
        """Make these words unless they are there; `again`: even then, for a script has changed."""
        if track in self._wanted or (track in self._ready and not again):
            return
        self._wanted[track] = None
        self._work.set()

    def has(self, track: str) -> bool:
        """Whether these words are ready."""
        return track in self._ready

    def words(self, track: str) -> Words:
        """The words of a track as far as they are ready."""
        return self._ready.get(track, NO_WORDS)

    def clip(self, text: str) -> Clip | None:
        """The clip of a phrase of any set."""
        return next((clip for words in self._ready.values() if (clip := words.clips.get(text))), None)

    def trouble(self, track: str) -> str:
        """Why the phrases of a track ("": those of none) can't be spoken, "" where they can."""
        if not self.has(track):
            return "they are being rendered"
        return "" if self.words(track).clips else "; ".join(self.notes[track]) or "there is no clip"

    def make(self, track: str) -> Words:
        """Make words at once, in the caller's own thread, and keep them."""
        words = self._prepared(track)
        self._keep(track, words)
        return words

    def stop(self) -> None:
        """The daemon ends and waits for its threads: whoever renders stops after the phrase in hand."""
        self._stopped.set()

    async def run(self) -> None:
        """Make what is wanted, one set at a time. A part for the supervisor."""
        while True:
            while self._wanted:
                track = next(iter(self._wanted))
                try:
                    words = await asyncio.to_thread(self._prepared, track)
                finally:
                    self._wanted.pop(track, None)
                self._keep(track, words)
                self.on_ready(track)
            self._work.clear()
            await self._work.wait()

    def _prepared(self, track: str) -> Words:
        return prepare_words(self._home, self._tracks.get(track), sound=self._sound, cancel=self._stopped)

    def _keep(self, track: str, words: Words) -> None:
        for note in words.notes:
            log.warning("%s", note)
        self.notes[track] = words.notes
        self._ready.pop(track, None)
        self._ready[track] = words
        tracks = [name for name in self._ready if name]
        for name in tracks[: max(len(tracks) - TRACKS_KEPT, 0)]:
            del self._ready[name]
