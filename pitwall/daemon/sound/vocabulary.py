"""Read each track's scripts and render its phrases, in a thread and before they are needed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Mapping

from pitwall.coach.scripts import script_folder, script_folders
from pitwall.config import Home
from pitwall.drive.prepare import NO_WORDS, Words, prepare_words
from pitwall.store.files import FolderStamp, folder_stamp
from pitwall.track.model import Track
from pitwall.voice.clips import Clip, ClipCache, find_clip
from pitwall.voice.render import Voice
from pitwall.words.forms import Level

log = logging.getLogger("pitwall")

# A track's clips are 10 MB: this track's and the last one's.
TRACKS_KEPT = 2
# Driving off after changing a phrase takes longer.
LOOK_EVERY_S = 3.0
# Each of the pit wall's own lines is said once.
LINES_KEPT = 16


class Vocabulary:
    """`want` a track's words ("": of no track); `on_ready` is called on the loop."""

    def __init__(
        self,
        home: Home,
        tracks: Mapping[str, Track],
        *,
        sound: bool,
        voice: Voice | None = None,
        level: Level = "intermediate",
        recall: Callable[[Track], str] = lambda track: "",
        standing: Callable[[], bool] = lambda: True,
    ) -> None:
        """`recall` gives a track's memory, in its own thread."""
        self.on_ready: Callable[[str], None] = lambda track: None
        self.notes: dict[str, tuple[str, ...]] = {}
        self._home, self._tracks, self._sound = home, tracks, sound
        self._voice, self.level = voice, level
        self._recall, self._standing = recall, standing
        self._stamps: dict[str, FolderStamp] = {}
        self._memories: dict[str, str] = {}
        self._ready: dict[str, Words] = {}
        self._lines: dict[str, Clip] = {}
        # Whether the words wait for the car to stand.
        self._wanted: dict[str, bool] = {}
        self._making: str | None = None
        self._work = asyncio.Event()
        self._stopped = threading.Event()

    @property
    def tracks(self) -> list[str]:
        return [name for name in self._ready if name]

    @property
    def waiting(self) -> int:
        """Count the sets still to be made."""
        return len(self._wanted) + (self._making is not None)

    @property
    def clips(self) -> int:
        return len(set().union(*(words.clips for words in self._ready.values()), set()))

    def want(self, track: str, *, again: bool = False, standing: bool = False) -> None:
        """Make these words unless they are there, or `again`; `standing`: once the car stands."""
        if not again and (track in self._ready or track == self._making):
            return
        self._wanted[track] = standing and self._wanted.get(track, track in self._ready)
        self._work.set()

    def has(self, track: str) -> bool:
        """Return whether a track's words are ready."""
        return track in self._ready

    def words(self, track: str) -> Words:
        """Return the ready words."""
        return self._ready.get(track, NO_WORDS)

    def memory(self, track: str) -> str:
        """Return a track's memory as of its words."""
        return self._memories.get(track, "")

    def clip(self, text: str) -> Clip | None:
        """Return the clip of a phrase, or of a line."""
        if (line := self._lines.get(text)) is not None:
            return line
        return next((clip for words in self._ready.values() if (clip := find_clip(words.clips, text))), None)

    def make_line(self, text: str) -> Clip:
        """Render one line that no script has, and keep it. Blocks. VoiceError."""
        cache = ClipCache(self._home.clips, self._voice or Voice(self._home.words.voice))
        clip = (cache.render((text,)) if self._sound else cache.outline((text,)))[text]
        self._lines[text] = clip
        while len(self._lines) > LINES_KEPT:
            del self._lines[next(iter(self._lines))]
        return clip

    def trouble(self, track: str) -> str:
        """Say why a track's phrases ("": those of none) can't be spoken, if so."""
        if not self.has(track):
            return "being rendered"
        return "" if self.words(track).clips else "; ".join(self.notes[track]) or "there is no clip"

    def make(self, track: str) -> Words:
        """Make words, in the caller's thread."""
        words = self._prepared(track)
        self._keep(track, words)
        return words

    def stop(self) -> None:
        """End: rendering stops after the present phrase."""
        self._stopped.set()

    async def run(self) -> None:
        """Make what is wanted, one set at a time."""
        while True:
            now = [name for name, waits in self._wanted.items() if not waits or self._standing()]
            if not now:
                self._work.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._work.wait(), LOOK_EVERY_S if self._wanted else None)
                continue
            track = now[0]
            # What changes from here on is wanted again.
            del self._wanted[track]
            self._making = track
            try:
                words = await asyncio.to_thread(self._prepared, track)
            finally:
                self._making = None
            self._keep(track, words)
            self.on_ready(track)

    async def follow(self) -> None:
        """Notice script files that an editor changed."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            for track in self.tracks if self._standing() else ():
                if await asyncio.to_thread(self._stamp, track) != self._stamps.get(track):
                    self.want(track, again=True, standing=True)

    def _prepared(self, track: str) -> Words:
        known = self._tracks.get(track)
        self._stamps[track] = self._stamp(track)
        if known is not None:
            self._memories[track] = self._recall(known)
        return prepare_words(
            self._home,
            known,
            sound=self._sound,
            voice=self._voice,
            level=self.level,
            cancel=self._stopped,
        )

    def _stamp(self, track: str) -> FolderStamp:
        known, home = self._tracks.get(track), self._home
        if known is None:
            return ()
        layers = home.layers("audio_cache")
        folders = [each for layer in layers for each in script_folders(layer, self.level)]
        return folder_stamp((script_folder(each, known) for each in folders), "*.json")

    def _keep(self, track: str, words: Words) -> None:
        for note in words.notes:
            log.warning("%s", note)
        self.notes[track] = words.notes
        self._ready.pop(track, None)
        self._ready[track] = words
        tracks = [name for name in self._ready if name]
        for name in tracks[: max(len(tracks) - TRACKS_KEPT, 0)]:
            del self._ready[name]
