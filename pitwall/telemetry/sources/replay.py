"""A recording as if it were live.

replay:/path/to/file?speed=1

Options: `speed`, how many times as fast as it was driven (1), inf as fast as it can be read. `live
= true` keeps it as a drive of today, to try the daemon with; else it is kept as a replay, which
counts nowhere. At any other speed than 1 the arrival times handed over are those of the recording:
laps keep their times. At the end the source stops (state "stopped", `ended` set) and waits to be
cancelled.
"""

from __future__ import annotations

import asyncio
import math
import time
from itertools import islice
from pathlib import Path
from typing import Annotated

import msgspec

from pitwall.telemetry.recordings import Recording, RecordingError, open_recording
from pitwall.telemetry.sources.base import (
    Inbox,
    Options,
    Source,
    SourceAbsentError,
    SourceError,
    SourceHealth,
    parse_uri,
    read_options,
    received,
)

# Read ahead in a thread: a slow disk is not felt.
CHUNK_SAMPLES = 256
# At full speed others get their turn this often.
TURN_SAMPLES = 32


class ReplaySourceOptions(msgspec.Struct, frozen=True):
    speed: Annotated[float, msgspec.Meta(gt=0.0)] = 1.0
    live: bool = False


class ReplaySource:
    """A file; see the module's docstring."""

    def __init__(self, uri: str, path: Path, options: ReplaySourceOptions) -> None:
        self.health = SourceHealth(uri, timed=options.speed == 1.0, replays="" if options.live else path.name)
        self.ended = asyncio.Event()
        self._path, self._speed = path, options.speed

    async def run(self, inbox: Inbox) -> None:
        """Hand over the samples when they are due. SourceError."""
        health = self.health
        health.state = "starting"
        try:
            recording = await asyncio.to_thread(open_recording, self._path)
            await self._play(recording, inbox)
        except RecordingError as error:
            raise SourceError(f"{health.uri}: {error}") from None
        finally:
            health.state = "stopped"
        health.last_error = "the recording has ended"
        self.ended.set()
        await asyncio.get_running_loop().create_future()

    async def _play(self, recording: Recording, inbox: Inbox) -> None:
        # A recording's times are already corrected for its sources' latency.
        streams = {
            stream.id: inbox.stream(stream.channels, group=f"{stream.source}-{stream.id}", latency_s=0.0)
            for stream in recording.info.streams
        }
        samples = recording.samples()
        begun_s, first_t, count = time.monotonic(), None, 0
        while chunk := await asyncio.to_thread(lambda: list(islice(samples, CHUNK_SAMPLES))):
            for sample in chunk:
                if first_t is None:
                    begun_s, first_t = time.monotonic(), sample.t
                since_s = sample.t - first_t
                due_s = begun_s + since_s / self._speed
                count += 1
                if count % TURN_SAMPLES == 0 or due_s > time.monotonic():
                    await asyncio.sleep(max(0.0, due_s - time.monotonic()))
                now_s = time.monotonic()
                received(self.health, now_s)
                arrived_s = now_s if self._speed == 1.0 else begun_s + since_s
                inbox.put(streams[sample.stream], sample.t, arrived_s, sample.values)


def open_replay(text: str, options: Options) -> Source:
    """Return a source for `replay:FILE`. SourceAbsentError."""
    uri = parse_uri(text)
    settings = read_options(uri, options, ReplaySourceOptions)
    path = Path(uri.rest).expanduser()
    if not uri.rest:
        raise SourceError(f"{text}: names no recording; write replay:/path/to/file")
    if math.isnan(settings.speed):
        raise SourceError(f"{text}: option speed is no number; write 1")
    if not path.is_file():
        raise SourceAbsentError(f"{text}: no recording at {path}; write replay:/path/to/file")
    return ReplaySource(text, path, settings)
