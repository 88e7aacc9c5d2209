"""The clip cache: each phrase is rendered once before the drive, under its inputs' hash."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

import msgspec

from pitwall.voice.render import EngineId, PhraseRenderer, Voice, VoiceError, engine_id, normal
from pitwall.voice.wav import BYTES_PER_S, chime, read_sealed, write_sealed
from pitwall.words.forms import estimate_s

log = logging.getLogger("pitwall.voice")

# Raise it when trimming, loudness, the chime or the file format changes, to render clips again.
PROCESSING = 2
# Half a minute of speech, with the messages of no track. A track's script is 2 to 4 minutes: the
# rest stays on disk, in the system's cache, and the player's thread reads it within a millisecond.
KEEP_PCM_BYTES = 1_500_000
SPOKEN = "spoken.json"
# Programs that speak at once; a third of their time is espeak's sleep. A phone has more cores, and
# the drive needs one of them.
AT_ONCE = min(4, 2 * (os.cpu_count() or 1))
LEFTOVER_S = 3600.0  # an unfinished file this old belongs to a render that was killed


class Clip(msgspec.Struct, frozen=True):
    """A phrase as sound. `pcm`: 16 bit mono at 22050 Hz, or b"" to be read from `path` or from the
    `parts` that it is joined from.

    `estimated`: no sound, `path` is None, `clip_s` from a table: for the text player only.
    """

    text: str
    path: Path | None
    clip_s: float
    pcm: bytes = b""
    estimated: bool = False
    parts: tuple[Clip, ...] = ()

    def __repr__(self) -> str:
        return f"Clip({self.text!r}, {self.path}, {self.clip_s:.3f} s{', estimated' * self.estimated})"


class ClipCache:
    """Clips of one voice in `folder`. `warnings`: phrases that begin with a chime."""

    def __init__(self, folder: Path, voice: Voice | None = None, warnings: Collection[str] = ()) -> None:
        self.folder = folder
        self.voice = voice or Voice()
        self._warnings = frozenset(warnings)
        self._clips: dict[str, Clip] = {}
        self._reported = False
        self._pcm_bytes = 0
        self._lock = threading.Lock()

    def render(
        self,
        phrases: Iterable[str],
        progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> dict[str, Clip]:
        """Load or make the clip of every phrase; `cancel` ends it after the present one.
        VoiceError."""
        wanted = list(dict.fromkeys(phrases))
        with self._lock:
            try:
                faults = self._render(self.voice, wanted, progress, cancel, keep_going=not self.voice.program)
            except VoiceError as error:
                log.warning("%s; espeak speaks in its place", error)
                espeak = msgspec.structs.replace(self.voice, program="")
                faults = self._render(espeak, wanted, progress, cancel, keep_going=True)
        self._list()
        if faults:
            raise VoiceError("; ".join(dict.fromkeys(faults)))
        return {phrase: self._clips[phrase] for phrase in wanted if phrase in self._clips}

    def _render(
        self,
        voice: Voice,
        wanted: Sequence[str],
        progress: Callable[[int, int], None] | None,
        cancel: threading.Event | None,
        *,
        keep_going: bool,
    ) -> list[str]:
        faults: list[str] = []
        engine, missing_engine = self._engine(voice)
        speakers: SimpleQueue[PhraseRenderer] = SimpleQueue()

        def provided(phrase: str) -> tuple[Path, bytes] | None:
            if cancel is not None and cancel.is_set():
                return None
            speaker = speakers.get()
            try:
                return self._provided(phrase, voice, engine, missing_engine or speaker)
            finally:
                speakers.put(speaker)

        with ExitStack() as ending:
            for _ in range(AT_ONCE):
                speakers.put(ending.enter_context(PhraseRenderer(voice)))
            pool = ending.enter_context(ThreadPoolExecutor(AT_ONCE, "pitwall-speech"))
            ending.callback(pool.shutdown, wait=True, cancel_futures=True)
            missing = [phrase for phrase in wanted if phrase not in self._clips]
            making = {phrase: pool.submit(provided, phrase) for phrase in missing}
            for done, phrase in enumerate(wanted, 1):
                if cancel is not None and cancel.is_set():
                    break
                try:
                    made = making.pop(phrase).result() if phrase in making else None
                    if made is not None:
                        self._keep(phrase, *made)
                except VoiceError as error:
                    if not keep_going:
                        raise
                    faults.append(str(error))
                if progress is not None:
                    progress(done, len(wanted))
        return faults

    def clip(self, text: str) -> Clip | None:
        """Return the clip of a phrase that was rendered or loaded, else None."""
        return self._clips.get(text)

    def outline(self, phrases: Iterable[str]) -> dict[str, Clip]:
        """Return a clip for every phrase, for the text player: estimates without sound."""
        return {
            phrase: self._clips.get(phrase) or Clip(phrase, None, estimate_s(phrase), estimated=True)
            for phrase in phrases
        }

    def _list(self) -> None:
        path = self.folder / SPOKEN
        known: dict[str, str] = {}
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            known = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
        here = {phrase: clip.path.stem for phrase, clip in self._clips.items() if clip.path is not None}
        if here.items() <= known.items():
            return
        with contextlib.suppress(OSError):
            fresh = path.with_suffix(".new")
            fresh.write_bytes(msgspec.json.encode(known | here))
            fresh.replace(path)

    def _engine(self, voice: Voice) -> tuple[EngineId | None, VoiceError | None]:
        """The engine to key by: the one installed, else the one that made what lies in the
        folder."""
        note = self.folder / "engine.json"
        with contextlib.suppress(OSError):  # the first clip says so
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _clear_leftovers(self.folder)
        try:
            engine = engine_id(voice)
        except VoiceError as error:
            if voice.program:
                raise
            with contextlib.suppress(OSError, msgspec.MsgspecError):
                return msgspec.json.decode(note.read_bytes(), type=EngineId), error
            return None, error
        if not voice.program:
            with contextlib.suppress(OSError):
                note.write_bytes(msgspec.json.encode(engine))
        return engine, None

    def _provided(
        self, phrase: str, voice: Voice, engine: EngineId | None, speaker: PhraseRenderer | VoiceError
    ) -> tuple[Path, bytes]:
        text = normal(phrase)
        if engine is None:
            raise speaker if isinstance(speaker, VoiceError) else VoiceError("no speech engine")
        chimes = phrase in self._warnings
        key = clip_key(text, voice, engine, chimes)
        path = self.folder / f"{key}.wav"
        pcm = _load(path, key)
        if pcm is None and _RUN:
            pcm = _load(path := _of_this_run() / path.name, key)
        if pcm is None:
            if isinstance(speaker, VoiceError):
                raise speaker
            pcm = chime() * chimes + speaker.pcm(text)
            path = self._written(self.folder / path.name, pcm, key)
        return path, pcm

    def _written(self, path: Path, pcm: bytes, key: str) -> Path:
        try:
            write_sealed(path, pcm, key)
            return path
        except OSError as error:
            refused = error
        try:
            path = _of_this_run() / path.name
            write_sealed(path, pcm, key)
        except OSError:
            raise VoiceError(
                f"clip {path} can't be written ({refused.strerror}): make room or rights"
            ) from refused
        if not self._reported:
            self._reported = True
            log.warning("clips are kept for this run only: %s: %s", self.folder, refused.strerror)
        return path

    def _keep(self, phrase: str, path: Path, pcm: bytes) -> None:
        held = self._pcm_bytes + len(pcm) <= KEEP_PCM_BYTES
        self._pcm_bytes += len(pcm) * held
        self._clips[phrase] = Clip(phrase, path, len(pcm) / BYTES_PER_S, pcm if held else b"")


def find_clip(clips: Mapping[str, Clip], text: str) -> Clip | None:
    """Find the clip of a text, joined from the longest rendered parts; None: words are missing."""
    whole = clips.get(text)
    if whole is not None:
        return whole
    words, parts = text.split(), list[Clip]()
    while words:
        ends = range(len(words), 0, -1)
        end = next((end for end in ends if " ".join(words[:end]).rstrip(":,") in clips), 0)
        if not end:
            return None
        parts.append(clips[" ".join(words[:end]).rstrip(":,")])
        words = words[end:]
    estimated = any(part.estimated for part in parts)
    return Clip(text, None, sum(part.clip_s for part in parts), estimated=estimated, parts=tuple(parts))


def clip_key(text: str, voice: Voice, engine: EngineId, chimes: bool) -> str:
    """Return the name of a clip's file: a hash of everything that shapes its sound."""
    parts = (engine.name, engine.version, voice.name, voice.rate_wpm, PROCESSING, chimes, text)
    return hashlib.blake2b(msgspec.json.encode(parts), digest_size=16).hexdigest()


def pcm_of(clip: Clip) -> bytes:
    """Return the clip's samples, from memory or its file. ValueError, OSError."""
    if clip.pcm:
        return clip.pcm
    if clip.parts:
        return b"".join(pcm_of(part) for part in clip.parts)
    if clip.path is None:
        raise ValueError(f"{clip!r} has no sound: render it first")
    return read_sealed(clip.path, clip.path.stem)


_RUN: list[TemporaryDirectory[str]] = []


def _of_this_run() -> Path:
    """A folder that goes with this process. OSError if there can't be one."""
    if not _RUN:
        _RUN.append(TemporaryDirectory(prefix="pitwall-clips-"))
    return Path(_RUN[0].name)


def _load(path: Path, key: str) -> bytes | None:
    try:
        return read_sealed(path, key)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except (OSError, ValueError) as error:
        log.warning("clip to be rendered again: %s", error)
        return None


def _clear_leftovers(folder: Path) -> None:
    """Take away the unfinished files of renders that were killed; those of a live one are young."""
    for part in folder.glob(".clip-*.part"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > LEFTOVER_S:
                part.unlink()
