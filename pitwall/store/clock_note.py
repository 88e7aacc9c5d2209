"""Notes of the phone's clock in the journal every few seconds: they tell how long a session was
interrupted, and when it began if the clock was set meanwhile."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from pitwall.telemetry.session_clock import KnownClock

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# Two notes of one boot that differ by more: the clock was set. It runs a few ppm fast or slow.
SET_S = 2.0


class ClockNote(msgspec.Struct, frozen=True):
    """The clock at one moment, in unix seconds, and the seconds since the boot of this id ("":
    not known)."""

    utc_s: float
    boot_s: float = 0.0
    boot: str = ""

    def __str__(self) -> str:
        return f"{self.utc_s:.3f} {self.boot_s:.3f} {self.boot}".rstrip()

    def seconds_since(self, earlier: ClockNote) -> float:
        """Return seconds from the earlier note to this one, whatever the clock was set to within
        one boot."""
        if self.boot and self.boot == earlier.boot:
            return self.boot_s - earlier.boot_s
        return self.utc_s - earlier.utc_s

    def set_by_s(self, earlier: ClockNote) -> float:
        """By how much the clock was set since the earlier note, 0 if it was not or that can't
        be known."""
        set_s = self.utc_s - earlier.utc_s - self.seconds_since(earlier)
        return set_s if abs(set_s) >= SET_S else 0.0


class SourcesNote(msgspec.Struct, frozen=True):
    """How the clocks of a session's sources map to its time: at `t` the boot of this id ("":
    unknown) was `boot_s` old. `late_s`: how late readings normally come."""

    t: float
    boot_s: float
    boot: str
    late_s: float
    clocks: tuple[KnownClock, ...] = ()

    def t_now(self) -> float | None:
        """Return the session's time now, None after another boot."""
        if not self.boot or self.boot != _boot_id():
            return None
        return self.t + time.clock_gettime(time.CLOCK_BOOTTIME) - self.boot_s


def note_sources(t: float, late_s: float, clocks: Iterable[KnownClock]) -> str:
    """Return the note of this moment, as it is written."""
    boot_s = time.clock_gettime(time.CLOCK_BOOTTIME)
    return msgspec.json.encode(SourcesNote(t, boot_s, _boot_id(), late_s, tuple(clocks))).decode()


def read_sources(text: str) -> SourcesNote | None:
    """Return a note of the sources' clocks as it was written; None if it is none."""
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.json.decode(text, type=SourcesNote)
    return None


def clock_now() -> ClockNote:
    """Return what the clock says now, rounded as written, so the journal gives the same results.
    Without a boot id only the clock counts."""
    utc_s = round(time.time(), 3)
    if not (boot := _boot_id()):
        return ClockNote(utc_s)
    return ClockNote(utc_s, round(time.clock_gettime(time.CLOCK_BOOTTIME), 3), boot)


def read_note(text: str) -> ClockNote | None:
    """Return a note as it was written; None if it is none."""
    with contextlib.suppress(ValueError, IndexError):
        words = text.split()
        if len(words) < 3:
            return ClockNote(float(words[0]))
        return ClockNote(float(words[0]), float(words[1]), words[2])
    return None


@lru_cache(maxsize=1)
def _boot_id() -> str:
    with contextlib.suppress(OSError):
        return BOOT_ID.read_text().strip()
    return ""
