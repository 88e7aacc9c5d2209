"""A source that is fed by the API: each push to it is a batch of readings.

push:NAME

The API decodes and checks a batch and answers when it is durable; here its readings find their
streams. There are no options.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence, Set

import msgspec

from pitwall.contract.push import PushBatch, PushStream
from pitwall.telemetry.sample import Channel
from pitwall.telemetry.session_clock import DAY_S, WEEK_S, CountedOn
from pitwall.telemetry.signals import SIGNALS
from pitwall.telemetry.sources.base import (
    Inbox,
    Options,
    Source,
    SourceHealth,
    parse_uri,
    read_options,
    received,
)

# Senders that name a new group with every batch must not fill the registry: a group idle this long
# gives way.
MAX_GROUPS, MAX_GROUPS_OF_SENDER, IDLE_S = 256, 64, 5.0
# A batch's newest reading is fresh, the others waited: a stint at most; beyond this a clock was
# set.
MAX_WAIT_S = 3600.0
# Streams of one clock nearly overlap.
SAME_CLOCK_S = 5.0


class PushError(ValueError):
    """A batch that can't be accepted, and why. Nothing was kept."""


class _Group(msgspec.Struct):
    ident: int
    sender: str
    channels: tuple[Channel, ...]
    used_s: float


class _NoOptions(msgspec.Struct, frozen=True):
    """push: has none."""


class PushSource:
    """All that is pushed. A stream is known by the pusher's name and its group."""

    def __init__(self, uri: str, now: Callable[[], float] = time.monotonic) -> None:
        self.health = SourceHealth(uri)
        # Called with each stream that gave way.
        self.forgotten: Callable[[int], None] = lambda ident: None
        self._now = now
        self._inbox: Inbox | None = None
        self._groups: dict[str, _Group] = {}
        self._counters: dict[int, CountedOn] = {}

    async def run(self, inbox: Inbox) -> None:
        """Accept batches until cancelled."""
        self._inbox = inbox
        self._groups.clear()
        self.health.state = "starting"
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._inbox = None
            self.health.state = "stopped"

    @property
    def running(self) -> bool:
        """Return whether batches are accepted."""
        return self._inbox is not None

    def accept(self, batch: PushBatch) -> int:
        """Hand over a batch; return how many readings. PushError if it contradicts earlier ones."""
        inbox = self._inbox
        if inbox is None:
            raise PushError("the push source is not running; send the batch again in a moment")
        now_s = self._now()
        try:
            ids = self._register(inbox, batch, now_s)
        except PushError as error:
            self.health.errors += 1
            self.health.last_error = str(error)
            raise
        stamps = [
            None if sample.source_s is None else self._counters[ids[sample.stream]].count(sample.source_s)
            for sample in batch.samples
        ]
        newest = _newest([(sample.stream, at_s) for sample, at_s in zip(batch.samples, stamps, strict=True)])
        for sample, source_s in zip(batch.samples, stamps, strict=True):
            waited_s = 0.0 if source_s is None else newest[sample.stream] - source_s
            came_s = now_s - waited_s if waited_s <= MAX_WAIT_S else now_s
            inbox.put(ids[sample.stream], source_s, came_s, sample.values)
        received(self.health, now_s)
        self.health.readings += len(batch.samples) - 1
        return len(batch.samples)

    def _register(self, inbox: Inbox, batch: PushBatch, now_s: float) -> list[int]:
        wanted = [
            (f"{batch.source}/{stream.group}", _channels(f"$.streams[{place}]", stream), stream.latency_s)
            for place, stream in enumerate(batch.streams)
        ]
        for place, (group, channels, _) in enumerate(wanted):
            known = self._groups.get(group)
            if known is not None and known.channels != channels:
                names = ", ".join(channel.name for channel in known.channels)
                raise PushError(
                    f"$.streams[{place}]: group {group!r} had other channels before ({names}); "
                    "give the new set a group of its own"
                )
        new = {group for group, _, _ in wanted} - self._groups.keys()
        if new:
            asked = {group for group, _, _ in wanted}
            mine = {group for group, known in self._groups.items() if known.sender == batch.source}
            self._make_room(mine | asked, asked, MAX_GROUPS_OF_SENDER, "of one sender", now_s)
            self._make_room(self._groups.keys() | asked, asked, MAX_GROUPS, "in all", now_s)
        for group, channels, latency_s in wanted:
            if group not in self._groups:
                ident = inbox.stream(channels, group=group, latency_s=latency_s)
                self._groups[group] = _Group(ident, batch.source, channels, now_s)
                self._counters[ident] = CountedOn(DAY_S, WEEK_S)
            self._groups[group].used_s = now_s
        return [self._groups[group].ident for group, _, _ in wanted]

    def _make_room(self, among: Set[str], asked: Set[str], most: int, where: str, now_s: float) -> None:
        idle = sorted(
            (group for group in among - asked if now_s - self._groups[group].used_s > IDLE_S),
            key=lambda group: self._groups[group].used_s,
        )
        too_many = max(len(among) - most, 0)
        if too_many > len(idle):
            raise PushError(
                f"$.streams: more than {most} groups {where}; use the ones there are, "
                f"or wait {IDLE_S:g} s until idle ones give way"
            )
        for group in idle[:too_many]:
            ident = self._groups.pop(group).ident
            del self._counters[ident]
            self.forgotten(ident)


def _newest(stamps: Sequence[tuple[int, float | None]]) -> dict[int, float]:
    spans: dict[int, tuple[float, float]] = {}
    for stream, at_s in stamps:
        if at_s is not None:
            first_s, last_s = spans.get(stream, (at_s, at_s))
            spans[stream] = min(first_s, at_s), max(last_s, at_s)
    newest: dict[int, float] = {}
    newest_s = began_s = math.inf
    for stream, (first_s, last_s) in sorted(spans.items(), key=lambda each: each[1][1], reverse=True):
        if last_s < began_s - SAME_CLOCK_S or not newest:
            newest_s, began_s = last_s, first_s
        newest[stream], began_s = newest_s, min(began_s, first_s)
    return newest


def _channels(where: str, stream: PushStream) -> tuple[Channel, ...]:
    channels: list[Channel] = []
    for place, pushed in enumerate(stream.channels):
        signal = SIGNALS.get(pushed.name)
        unit = pushed.unit
        if signal is not None:
            if unit not in ("", signal.unit):
                raise PushError(
                    f"{where}.channels[{place}].unit: {signal.name} is in {signal.unit or 'no unit'}, "
                    f"not {unit!r}; convert it before sending"
                )
            unit = signal.unit
        channels.append(Channel(pushed.name, unit, pushed.label or pushed.name))
    return tuple(channels)


def open_push(text: str, options: Options) -> Source:
    """Return a source for `push:NAME`. SourceError."""
    uri = parse_uri(text)
    read_options(uri, options, _NoOptions)
    return PushSource(text)
