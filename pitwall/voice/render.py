"""Phrases to PCM by pyttsx3 with espeak-ng: one engine, one worker thread, one phrase at a time.

pyttsx3 2.99 forces the shape of this file: several phrases before `runAndWait` keep only the last; two
threads hang each other; an error while it writes its file leaves it waiting for ever; it prints to stdout; it
configures the root logger. espeak-ng is used on every platform, macOS too: pyttsx3's own driver there writes
AIFF and needs the main thread.
"""

from __future__ import annotations

import gc
import logging
import queue
import tempfile
import threading
import unicodedata
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec

from pitwall.voice.wav import read_raw, trim

log = logging.getLogger("pitwall.voice")

PHRASE_DEADLINE_S = 10.0  # five words take 0.01 s, 3000 letters 0.06 s; a phone is not 100 times slower
NUDGE_S = 1.0  # for a hung engine to come back once its loop is told to end; the loop looks every 0.01 s
PHRASE_MAX = 500  # letters; over half a minute of speech is a mistake in a script, not a callout

INSTALL = (
    "install espeak-ng (Debian, Ubuntu: apt install espeak-ng libespeak-ng1; macOS: brew install espeak-ng; "
    "Termux: pkg install espeak inside the Debian of proot-distro)"
)


class VoiceError(Exception):
    """Speech can't be made: says which phrase or which part is missing, and what to do."""


class Voice(msgspec.Struct, frozen=True):
    """How phrases are spoken: espeak's voice name and its rate in words a minute."""

    name: str = "gmw/en"
    rate_wpm: int = 175


class EngineId(msgspec.Struct, frozen=True):
    """Which program speaks; part of a clip's key, since another version speaks at another length."""

    name: str
    version: str


def normal(phrase: str) -> str:
    """The phrase as it is spoken: blanks made single. VoiceError where it can't be spoken."""
    text = " ".join(phrase.split())
    if not text:
        raise VoiceError("an empty phrase can't be rendered: give it words or take it out of the script")
    if len(text) > PHRASE_MAX:
        raise VoiceError(f"phrase {text[:40]!r}... has {len(text)} letters, at most {PHRASE_MAX}: shorten it")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text):
        raise VoiceError(f"phrase {text!r} holds a control character: take it out of the script")
    return text


def engine_id() -> EngineId:
    """Name and version of the installed espeak, without starting it. VoiceError where there is none."""
    try:
        from pyttsx3.drivers import _espeak
    except (ImportError, RuntimeError, OSError, AttributeError) as error:
        raise VoiceError(f"no speech engine: {INSTALL}") from error
    version = (_espeak.Info(None) or b"unknown").decode("ascii", "replace").split()
    return EngineId("espeak", version[0] if version else "unknown")


def synthesise(text: str, voice: Voice, deadline_s: float = PHRASE_DEADLINE_S) -> bytes:
    """One phrase as PCM 16 bit mono 22050 Hz, silence trimmed. Thread-safe; callers wait for one another.

    VoiceError where espeak is missing, does not know the voice, hangs, or makes no sound of the phrase.
    """
    spoken = normal(text)
    with tempfile.TemporaryDirectory(prefix="pitwall-voice-") as folder:
        path = Path(folder) / "phrase.wav"
        speak_to_file(spoken, voice, path, deadline_s)
        try:
            pcm = trim(read_raw(path))
        except (OSError, ValueError) as error:
            raise VoiceError(f"phrase {spoken!r}: espeak left no usable sound ({error})") from error
    if not pcm:
        raise VoiceError(f"phrase {spoken!r} makes no sound: give it words or take it out of the script")
    return pcm


def speak_to_file(text: str, voice: Voice, path: Path, deadline_s: float = PHRASE_DEADLINE_S) -> None:
    """Have the one engine write `text` to `path` as WAV, silence included. VoiceError as `synthesise`."""
    _worker().run(text, voice, path, deadline_s)


class _Job(msgspec.Struct, frozen=True):
    text: str
    voice: Voice
    path: Path
    done: Future[None]


class _Worker:
    """The one thread that may touch pyttsx3, and the jobs it is given."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._turn = threading.Lock()
        self._engine: Any = None
        self._voice: Voice | None = None
        self._hung = False
        threading.Thread(target=self._serve, name="pitwall-render", daemon=True).start()

    def run(self, text: str, voice: Voice, path: Path, deadline_s: float) -> None:
        job = _Job(text, voice, path, Future())
        with self._turn:
            if self._hung:
                raise VoiceError(
                    "the speech engine hung and can't be stopped: restart Pitwall to render again"
                )
            self._jobs.put(job)
            try:
                job.done.result(deadline_s)
                return
            except TimeoutError:
                pass
            self._hung = not self._nudge(job)
        raise VoiceError(f"phrase {text!r}: the speech engine did not finish in {deadline_s:g} s; try again")

    def _nudge(self, job: _Job) -> bool:
        """End pyttsx3's loop from outside; True where the thread came back and can be used again."""
        engine = self._engine
        if engine is not None:
            engine.proxy._driver.endLoop()
        try:
            job.done.exception(NUDGE_S)
        except TimeoutError:
            log.error("the speech engine hangs on %r; no more phrases can be rendered", job.text)
            return False
        self._engine = self._voice = engine = None
        gc.collect()  # the old engine unhooks the callback as it goes: now, not after a new one hooked in
        return True

    def _serve(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                self._speak(job)
            except VoiceError as error:
                job.done.set_exception(error)
            except Exception as error:
                job.done.set_exception(VoiceError(f"phrase {job.text!r}: {type(error).__name__}: {error}"))
            else:
                job.done.set_result(None)
            del job

    def _speak(self, job: _Job) -> None:
        if self._engine is None:
            self._engine = _start_engine()
        if self._voice != job.voice:
            self._voice = None
            _set_voice(self._engine, job.voice)
            self._voice = job.voice
        self._engine.save_to_file(job.text, str(job.path))
        self._engine.runAndWait()


def _start_engine() -> Any:
    """A pyttsx3 engine on espeak that leaves stdout and the root logger alone."""
    engine_id()
    import pyttsx3
    from pyttsx3.drivers import espeak

    espeak.print = lambda *_, **__: None  # it announces each file on stdout, where our JSON goes
    espeak.logging = logging.getLogger("pyttsx3")  # logging.debug() would configure the root logger
    try:
        return pyttsx3.Engine("espeak")
    except Exception as error:
        raise VoiceError(f"the speech engine does not start ({error}): {INSTALL}") from error


def _set_voice(engine: Any, voice: Voice) -> None:
    try:
        engine.proxy._driver.setProperty("voice", voice.name)  # the queued call swallows the error
        engine.proxy._driver.setProperty("rate", voice.rate_wpm)
    except ValueError as error:
        raise VoiceError(f"espeak has no voice {voice.name!r}: `espeak-ng --voices` lists them") from error


_one: _Worker | None = None
_one_lock = threading.Lock()


def _worker() -> _Worker:
    global _one
    with _one_lock:
        if _one is None:
            _one = _Worker()
        return _one
