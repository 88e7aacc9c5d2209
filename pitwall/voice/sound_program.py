"""A sound program and the pipe to it, with a count of the PCM bytes that it has read."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import subprocess
import termios

import msgspec

from pitwall.helpers.child_process import end_program, start_program
from pitwall.voice.wav import RATE_HZ, SAMPLE_BYTES

CHUNK_SAMPLES = 220  # 10 ms: what can no longer be cut off is counted in these
CHUNK_BYTES = CHUNK_SAMPLES * SAMPLE_BYTES
CHUNK_S = CHUNK_SAMPLES / RATE_HZ
SILENCE = bytes(CHUNK_BYTES)

# What the server may hold, of the 60 ms of a cut: less breaks up on a busy phone, more is cut late.
PULSE_MS = 40
ALSA_MS = 25  # aplay keeps a period of its own besides
PIPE_BYTES = 8192  # two pages: with one, a half-read page refuses a write although there is room
FLOWING_BYTES = int(0.08 * RATE_HZ) * SAMPLE_BYTES  # more than pipe and server hold: sound is coming out
CLOSE_S = 0.5  # a player that does not end by then is killed

_PULSE = f"--playback --raw --format=s16le --rate={RATE_HZ} --channels=1 --latency-msec={PULSE_MS}".split()
_ALSA = (
    f"-q -t raw -f S16_LE -r {RATE_HZ} -c 1 --buffer-time={ALSA_MS * 1000} --period-time={ALSA_MS * 400}"
).split()


class Command(msgspec.Struct, frozen=True):
    """A program that plays raw PCM from its standard input."""

    name: str
    arguments: tuple[str, ...]


# In the order tried: PulseAudio (or PipeWire in its place) first, since it mixes and moves streams.
COMMANDS = (
    Command("pacat", (*_PULSE, "--client-name=Pitwall", "--stream-name=Coach")),
    Command("aplay", tuple(_ALSA)),
)


class SoundProgram:
    """A running `Command`. Not thread-safe: it belongs to the thread that feeds it."""

    def __init__(self, command: Command) -> None:
        """Start the program. OSError if it can't be started."""
        self.sent_bytes = 0
        self._name = command.name
        self._process = start_program(
            (command.name, *command.arguments),
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pipe_bytes=PIPE_BYTES,
        )
        assert self._process.stdin is not None
        assert self._process.stderr is not None
        self._in, self._err = self._process.stdin.fileno(), self._process.stderr.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._err, False)
        self._said = b""

    @property
    def pid(self) -> int:
        """Return the program's process id."""
        return self._process.pid

    def pending_bytes(self) -> int:
        """Return the unread bytes in the pipe; 0 if unknown."""
        try:
            return int(struct.unpack("i", fcntl.ioctl(self._in, termios.FIONREAD, bytes(4)))[0])
        except OSError:
            return 0

    def write(self, chunk: bytes | memoryview) -> bool:
        """Hand over a chunk whole, or not: False if the pipe is full. BrokenPipeError."""
        try:
            os.write(self._in, chunk)
        except BlockingIOError:
            return False
        self.sent_bytes += len(chunk)
        return True

    def alive(self) -> bool:
        """Return False once the program has ended. Also keeps its error pipe from filling up."""
        with contextlib.suppress(BlockingIOError, OSError):
            self._said = (self._said + os.read(self._err, 4096))[-1000:]
        return self._process.poll() is None

    def complaint(self) -> str:
        """Return the last thing the program said, or how it ended."""
        self.alive()
        said = self._said.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(said) if line.strip()), "")
        return last or f"ended with status {self._process.poll()}"

    def close(self) -> None:
        """End the program, kindly and then not; returns when it is gone."""
        end_program(self._process, CLOSE_S, ask=True)
