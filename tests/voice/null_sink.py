"""A real PulseAudio server with a null sink, and a recorder of what it plays, for the voice tests.

The sink runs at the clips' own rate, so what is recorded is what was written, to the bit. Test clips count:
sample k of a rising clip is k+1, of a falling one -(k+1). So each recorded sample tells its clip and place.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pitwall.voice.clips import Clip
from pitwall.voice.wav import RATE_HZ, SAMPLE_BYTES

PATIENCE_S = 60.0  # for another process to do its part; only a broken one takes so long
SETTLE_S = 0.3  # of recording after the last thing asked for: more than lies between player and recorder
WHOLE = 0.8  # of a clip
SLIP = 4410  # samples, 0.2 s: PulseAudio out of breath repeats a piece; a clip begun anew goes back further


def need(*programs: str) -> None:
    """Skip where a program is missing; fail where that happens in CI."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing and os.environ.get("CI") == "true":
        pytest.fail(f"CI has to have {', '.join(missing)}")
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")


def counting_clip(text: str, seconds: float, sign: int) -> Clip:
    count = round(seconds * RATE_HZ)
    assert count < 32768, "the samples of a clip count up in 16 bits"
    pcm = array("h", (sign * (1 + k) for k in range(count))).tobytes()
    return Clip(text, None, count / RATE_HZ, pcm)


class SoundServer:
    """`start` and `kill` a PulseAudio that listens on a socket in its own folder."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pitwall-pulse-"))
        self.socket = self.folder / "native"
        self.environment = {
            "XDG_RUNTIME_DIR": str(self.folder),
            "PULSE_SERVER": f"unix:{self.socket}",
            "PULSE_COOKIE": str(self.folder / "cookie"),
            "PULSE_RUNTIME_PATH": str(self.folder),
            "PULSE_STATE_PATH": str(self.folder),
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._keeper: Recorder | None = None

    def start(self) -> None:
        self.socket.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [
                *("pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1"),
                "--disable-shm=yes",
                f"--load=module-null-sink sink_name=test rate={RATE_HZ} channels=1 format=s16le",
                f"--load=module-native-protocol-unix auth-anonymous=1 socket={self.socket}",
            ],
            env={**os.environ, **self.environment, "HOME": str(self.folder)},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        deadline_s = time.monotonic() + PATIENCE_S
        while self._ask("info").returncode != 0:
            if self._process.poll() is not None or time.monotonic() > deadline_s:
                pytest.fail(f"pulseaudio does not start: {self._process.stderr.read().decode()}")
        self._keeper = self.record()  # a null sink that nobody listens to sleeps for 2 s at a time

    def kill(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.communicate()
            self._process = None
        if self._keeper is not None:
            self._keeper.close()
            self._keeper = None

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def streams(self) -> list[str]:
        """The numbers of the streams that play into the sink."""
        return [line.split()[0] for line in self._ask("list", "short", "sink-inputs").stdout.splitlines()]

    def record(self) -> Recorder:
        return Recorder({**os.environ, **self.environment})

    def _ask(self, *question: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pactl", *question],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )


@contextmanager
def sounding(monkeypatch: pytest.MonkeyPatch) -> Iterator[SoundServer]:
    """A sink of a test's own, and the environment that leads players to it."""
    need("pulseaudio", "pacat", "parec", "pactl")
    server = SoundServer()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    server.start()
    try:
        yield server
    finally:
        server.close()


class Recorder:
    """What the sink plays, as samples, with the clock they came by."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._pcm = bytearray()
        self._start_s = float("inf")
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            [
                *("parec", "-d", "test.monitor", "--raw", "--format=s16le", f"--rate={RATE_HZ}"),
                *("--channels=1", "--latency-msec=5"),
            ],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            pipesize=1 << 20,  # a recorder that can wait loses nothing
        )
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self.wait_until(time.monotonic())  # from now on everything is heard

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._thread.join()
        self._process.stdout.close()

    def _listen(self) -> None:
        while data := self._process.stdout.read(65536):
            now_s = time.monotonic()
            with self._news:
                self._pcm += data
                # The quickest delivery tells best when the first sample was; the others came late.
                self._start_s = min(self._start_s, now_s - len(self._pcm) / SAMPLE_BYTES / RATE_HZ)
                self._news.notify_all()

    @property
    def pcm(self) -> bytes:
        with self._news:
            return bytes(self._pcm[: len(self._pcm) // SAMPLE_BYTES * SAMPLE_BYTES])

    def samples(self) -> array[int]:
        return array("h", self.pcm)

    def time_s(self, sample: int) -> float:
        """When the sink gave out this sample, s of time.monotonic()."""
        return self._start_s + sample / RATE_HZ

    def wait_until(self, time_s: float) -> None:
        """Wait until what the sink gave out by then, s of time.monotonic(), is in the recording."""
        with self._news:
            came = self._news.wait_for(
                lambda: self.time_s(len(self._pcm) // SAMPLE_BYTES) >= time_s, PATIENCE_S
            )
        assert came, "the recorder hears nothing"

    def heard(self) -> list[Heard]:
        """The test clips in the recording up to now, in order. Silence within a clip is passed over."""
        self.wait_until(time.monotonic() + SETTLE_S)
        found: list[Heard] = []
        for at, value in enumerate(self.samples()):
            if not value:
                continue
            if found and found[-1].goes_on(value):
                found[-1].add(at, value)
            else:
                found.append(Heard(at, value))
        return found


class Heard:
    """One playing of a test clip: its sign, where in the recording it lies, and how much of it was heard."""

    def __init__(self, at: int, value: int) -> None:
        self.sign = 1 if value > 0 else -1
        self.first = at
        self.count = 0
        self.add(at, value)

    def goes_on(self, value: int) -> bool:
        return value * self.sign > abs(self.value) - SLIP

    def add(self, at: int, value: int) -> None:
        self.last, self.value = at, value
        self.count += 1

    def whole(self, clip: Clip) -> bool:
        """Nearly everything was heard: a machine out of breath skips a few ms here and there."""
        return self.count * SAMPLE_BYTES >= WHOLE * len(clip.pcm)
