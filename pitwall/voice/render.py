"""Phrases to PCM by pyttsx3 with espeak-ng, one at a time in their own process, with deadlines.

pyttsx3 2.99 forces this: several phrases before `runAndWait` keep only the last; `runAndWait` may
return before the file is written, or cancel the rate; a write error is lost; two threads hang each
other; it prints to stdout and configures the root logger. See also `speaker.py`. espeak-ng is used
on every platform, macOS too: pyttsx3's own driver there writes AIFF and needs the main thread.
"""

from __future__ import annotations

import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path
from types import TracebackType

import msgspec

from pitwall.helpers.child_process import end_program, start_program
from pitwall.voice.wav import levelled, read_any, read_raw, trim

PHRASE_DEADLINE_S = 10.0  # five words take 0.02 s, 3000 letters 0.08 s; a phone is not 100 times slower
CLOSE_S = 1.0  # for the process to end once its input does
PHRASE_MAX = 500  # letters; over half a minute of speech is a mistake in a script, not a callout
SPEAKER = Path(__file__).with_name("speaker.py")

INSTALL = (
    "install espeak-ng (Debian, Ubuntu: apt install espeak-ng libespeak-ng1; macOS: brew install espeak-ng; "
    "Termux: in the Debian of proot-distro, as on Debian)"
)


class VoiceError(Exception):
    """Speech can't be made: says which phrase or which part is missing, and what to do."""


class Voice(msgspec.Struct, frozen=True):
    """espeak's voice name and its rate in words a minute; or by `program`, a command that reads the
    phrase on its input and writes the WAV file `{wav}`."""

    name: str = "gmw/en"
    rate_wpm: int = 175
    program: str = ""


class EngineId(msgspec.Struct, frozen=True):
    """Which program speaks; part of a clip's key: versions differ in length."""

    name: str
    version: str


def normal(phrase: str) -> str:
    """Return the phrase as it is spoken: blanks made single. VoiceError if it can't be spoken."""
    text = " ".join(phrase.split())
    if not text:
        raise VoiceError("an empty phrase can't be rendered: give it words or take it out of the script")
    if len(text) > PHRASE_MAX:
        raise VoiceError(f"phrase {text[:40]!r}... has {len(text)} letters, at most {PHRASE_MAX}: shorten it")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text):
        raise VoiceError(f"phrase {text!r} holds a control character: take it out of the script")
    return text


def program_words(command: str, wav: str = "") -> list[str]:
    """Return the words of a speaking command, with `wav` for `{wav}`. VoiceError."""
    try:
        words = [word.replace("{wav}", wav) for word in shlex.split(command)]
    except ValueError as error:
        raise VoiceError(f"audio.speak = {command!r} can't be read: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise VoiceError(f"audio.speak = {command!r}: there is no program {(words or [''])[0]!r}")
    return words


def engine_id(voice: Voice | None = None) -> EngineId:
    """Return the speech engine: the voice's own program, else espeak. VoiceError."""
    if voice is not None and voice.program:
        words = program_words(voice.program)
        files = [Path(shutil.which(words[0]) or words[0]), *map(Path, words[1:])]
        stats = [path.stat() for path in files if path.is_file()]
        return EngineId(voice.program, " ".join(f"{each.st_size} {each.st_mtime_ns}" for each in stats))
    try:
        from pyttsx3.drivers import _espeak
    except (ImportError, RuntimeError, OSError, AttributeError) as error:
        raise VoiceError(f"no speech engine: {INSTALL}") from error
    version = (_espeak.Info(None) or b"unknown").decode("ascii", "replace").split()
    return EngineId("espeak", version[0] if version else "unknown")


class _Answer(msgspec.Struct, frozen=True):
    error: str


class PhraseRenderer:
    """Speaks phrases to PCM, in a `with`; several may work at once."""

    def __init__(self, voice: Voice, deadline_s: float = PHRASE_DEADLINE_S) -> None:
        self._voice = voice
        self._deadline_s = deadline_s
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> PhraseRenderer:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close(CLOSE_S)

    def pcm(self, phrase: str) -> bytes:
        """Return the phrase as PCM 16 bit mono 22050 Hz, trimmed and levelled. VoiceError."""
        text = normal(phrase)
        try:
            if self._voice.program:
                pcm = trim(self._by_program(text))
                pcm = levelled(pcm) if pcm else pcm
            else:
                path = self._started() / "phrase.wav"
                path.unlink(missing_ok=True)
                self.to_file(text, path)
                pcm = read_raw(path)
        except (OSError, ValueError) as error:
            raise VoiceError(f"phrase {text!r}: {self._by} left no usable sound ({error})") from error
        if not pcm:
            raise VoiceError(f"phrase {text!r} makes no sound: give it words or take it out of the script")
        return pcm

    def to_file(self, text: str, path: Path) -> None:
        """Write `text` to `path` as WAV, trimmed and levelled. VoiceError as `pcm`."""
        job = (text, self._voice.name, self._voice.rate_wpm, str(path))
        try:
            answer = self._ask(msgspec.json.encode(job) + b"\n")
        except TimeoutError:
            self._close(0.0)
            raise VoiceError(f"phrase {text!r}: espeak hung for {self._deadline_s:g} s, try again") from None
        except (OSError, msgspec.MsgspecError) as error:
            self._close(0.0)
            raise VoiceError(f"phrase {text!r}: the speech process failed ({error}), try again") from error
        if answer.error:
            raise VoiceError(f"phrase {text!r}: {answer.error}")

    @property
    def _by(self) -> str:
        return shlex.split(self._voice.program)[0] if self._voice.program else "espeak"

    def _by_program(self, text: str) -> bytes:
        with tempfile.TemporaryDirectory(prefix="pitwall-voice-", ignore_cleanup_errors=True) as folder:
            wav, said = Path(folder, "phrase.wav"), Path(folder, "said")
            with said.open("wb") as errors:
                process = start_program(
                    program_words(self._voice.program, str(wav)), stdin=subprocess.PIPE, stderr=errors
                )
            try:
                process.communicate(text.encode() + b"\n", timeout=self._deadline_s)
            except subprocess.TimeoutExpired:
                raise VoiceError(f"phrase {text!r}: {self._by} hung for {self._deadline_s:g} s") from None
            finally:
                end_program(process, 0.0)
            if process.returncode:
                last = said.read_bytes().decode(errors="replace").strip().rpartition("\n")[2][:200]
                raise VoiceError(f"{self._by} ended with code {process.returncode}: {last}")
            return read_any(wav)

    def _started(self) -> Path:
        """The folder of the process, which starts with it, and removes it even if we are killed."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="pitwall-voice-", ignore_cleanup_errors=True)
            self._process = start_program(
                (sys.executable, "-P", str(SPEAKER), self._folder.name),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        return Path(self._folder.name)

    def _ask(self, job: bytes) -> _Answer:
        self._started()
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(job)
        said, until_s = b"", time.monotonic() + self._deadline_s
        while not said.endswith(b"\n"):
            left_s = max(0.0, until_s - time.monotonic())
            if not select.select([self._process.stdout], [], [], left_s)[0]:
                raise TimeoutError
            more = self._process.stdout.read(4096)
            if not more:
                raise OSError("it ended")
            said += more
        return msgspec.json.decode(said, type=_Answer)

    def _close(self, patience_s: float) -> None:
        process, self._process = self._process, None
        folder, self._folder = self._folder, None
        if process is not None:
            end_program(process, patience_s)
        if folder is not None:
            folder.cleanup()
