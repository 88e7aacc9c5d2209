"""Recording a source of the sound server, with each sample's time on our own clock.

`parec --verbose` tells every 50 ms which moment of the stream is at the ear (or the microphone) right now:
the server's own reckoning, with what lies in its buffers and in the device's. A monitor hands samples out
before they sound; counting bytes alone would be wrong by the device's buffer.
"""

from __future__ import annotations

import os
import re
import selectors
import statistics
import subprocess
import threading
import time
from array import array
from collections.abc import Callable

from pitwall.contract.child_process import end_program, start_program
from pitwall.voice.wav import RATE_HZ, SAMPLE_BYTES, samples

LATENCY_MS = 10  # asked of the server, for a steady flow; nothing depends on it
START_S = 5.0  # for a source that slept to deliver
TELLINGS = 10  # of the stream's time, before it is relied upon
_TIME = re.compile(rb"Time: (\d+\.\d+) sec")


class HearingError(Exception):
    """The source can't be heard: says why."""


class Hearing:
    """Records from construction until `close`. Times are s of time.monotonic()."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._pcm = bytearray()
        self._starts_s: list[float] = []
        self._said = b""
        self._ended = False
        self._news = threading.Condition()
        options = f"--raw --format=s16le --rate={RATE_HZ} --channels=1 --latency-msec={LATENCY_MS}".split()
        try:
            self._process = start_program(
                ("parec", "--verbose", f"--device={source}", "--client-name=Pitwall", *options),
                env={**os.environ, "LC_ALL": "C"},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise HearingError(
                f"parec does not start ({error.strerror}): install pulseaudio-utils"
            ) from error
        self._thread = threading.Thread(target=self._listen, name="pitwall-hearing", daemon=True)
        self._thread.start()

    def __enter__(self) -> Hearing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._process.kill()
        # The thread reads until both pipes end, and only then may they be closed.
        self._thread.join()
        end_program(self._process, within_s=1.0)

    def wait_hearing(self) -> None:
        """Wait until the source delivers and its clock is known. HearingError where it does not."""
        self._wait(lambda: len(self._starts_s) >= TELLINGS, START_S)

    def between(self, start_s: float, end_s: float) -> array[int]:
        """What was heard in that time; waits for it. HearingError where it does not come."""
        self._wait(lambda: self._index(end_s) * SAMPLE_BYTES <= len(self._pcm), START_S)
        with self._news:
            first, last = max(0, self._index(start_s)), max(0, self._index(end_s))
            return samples(bytes(self._pcm[first * SAMPLE_BYTES : last * SAMPLE_BYTES]))

    @property
    def jitter_s(self) -> float:
        """How far the clock's tellings lie apart: the standard deviation of where each puts the start."""
        with self._news:
            return statistics.pstdev(self._starts_s) if self._starts_s else 0.0

    def _index(self, time_s: float) -> int:
        return round((time_s - statistics.median(self._starts_s)) * RATE_HZ)

    def _wait(self, come: Callable[[], bool], timeout_s: float) -> None:
        with self._news:
            if not self._news.wait_for(lambda: self._ended or come(), timeout_s) or self._ended:
                raise HearingError(f"{self._source} can't be heard: {self._complaint()}")

    def _complaint(self) -> str:
        lines = [line.strip() for line in self._said.decode("utf-8", "replace").splitlines()]
        last = next((line for line in reversed(lines) if line), "")
        return last if self._ended and last else "it delivers nothing"

    def _listen(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ, self._take)
            selector.register(self._process.stderr, selectors.EVENT_READ, self._tell)
            while selector.get_map():
                for key, _ in selector.select():
                    data = os.read(key.fd, 65536)
                    with self._news:
                        if data:
                            key.data(data, time.monotonic())
                        else:
                            selector.unregister(key.fileobj)
                            self._ended = True
                        self._news.notify_all()

    def _take(self, data: bytes, _: float) -> None:
        self._pcm += data

    def _tell(self, data: bytes, now_s: float) -> None:
        self._said = (self._said + data)[-1000:]
        told = [float(text) for text in _TIME.findall(data)]
        if told and told[-1] > 0.0:  # 0 until the source runs
            self._starts_s.append(now_s - told[-1])
