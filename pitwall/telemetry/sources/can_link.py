"""What carries frames: the one interface that python-can's buses and our slcan have for the source."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import NamedTuple, Protocol

from pitwall.telemetry.sources.can_dbc import EXTENDED

# So many frames are handed on at once at most: a batch of 256 is 1/8 s of a busy bus.
BATCH_FRAMES = 256


class Frame(NamedTuple):
    """One data frame. `key` is its id, with EXTENDED set for 29 bits; `stamp_s` the interface's own time."""

    key: int
    data: bytes
    stamp_s: float | None


class LinkDownError(Exception):
    """The way to the bus is not there (any more); it is tried again."""


class Link(Protocol):
    """An open way to a bus, used by one thread. `counts` is what it met that was no data frame."""

    counts: Counter[str]

    def read(self, timeout_s: float) -> list[Frame]:
        """The frames that came in, waiting for the first of them. LinkDownError where it is lost."""
        ...

    def send(self, key: int, data: bytes) -> None:
        """Put one frame on the bus. LinkDownError where it is lost."""
        ...

    def close(self) -> None:
        """Let go of everything; never raises."""
        ...


class BusLink:
    """A bus that python-can opens: socketcan, virtual."""

    def __init__(self, interface: str, channel: str) -> None:
        import can

        self.counts: Counter[str] = Counter()
        self._message = can.Message
        self._errors = (can.CanError, OSError, ValueError)
        try:
            self._bus = can.Bus(channel=channel, interface=interface, ignore_config=True)
        except self._errors as error:
            raise LinkDownError(f"{interface} {channel} can't be opened: {error}") from None

    def read(self, timeout_s: float) -> list[Frame]:
        frames: list[Frame] = []
        try:
            message = self._bus.recv(timeout_s)
            while message is not None:
                if message.is_error_frame:
                    self.counts["error_frames"] += 1
                elif message.is_remote_frame:
                    self.counts["remote_frames"] += 1
                else:
                    key = message.arbitration_id | (EXTENDED if message.is_extended_id else 0)
                    frames.append(Frame(key, bytes(message.data), message.timestamp or None))
                if len(frames) >= BATCH_FRAMES:
                    break
                message = self._bus.recv(0)
        except self._errors as error:
            raise LinkDownError(f"the bus was lost: {error}") from None
        return frames

    def send(self, key: int, data: bytes) -> None:
        extended = bool(key & EXTENDED)
        message = self._message(arbitration_id=key & ~EXTENDED, data=data, is_extended_id=extended)
        try:
            self._bus.send(message, timeout=0.1)
        except self._errors as error:
            raise LinkDownError(f"the bus took no frame: {error}") from None

    def close(self) -> None:
        with contextlib.suppress(*self._errors):
            self._bus.shutdown()
