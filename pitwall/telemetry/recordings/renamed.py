"""A recording whose channels a person named: `steering_deg = "a_ste:deg"`, ours, the file's, and its unit."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwall.contract.problems import UserError
from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import Recording, RecordingError
from pitwall.telemetry.recordings.columns import Conversion, slug, to_canonical
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.signals import SIGNALS


class _Wish(NamedTuple):
    target: str
    source: str
    unit: str


def check_channel(target: str, source: str) -> None:
    """UserError where this can't be a channel: our signal, the file's name of it, and perhaps its unit."""
    if target not in SIGNALS:
        near = difflib.get_close_matches(target, SIGNALS, 1)
        raise UserError(f"{target[:60]!r} is no signal of Pitwall's; known: {', '.join(near or SIGNALS)}")
    name, _, unit = source.partition(":")
    if not name.strip() or (unit and to_canonical(target, unit) is None):
        raise UserError(f"{target} = {source[:60]!r}: give the file's name of it, and a unit such as "
                        f"{SIGNALS[target].unit or 'none'} after a colon")  # fmt: skip


class RenamedRecording:
    """Another recording with some channels renamed and converted. One that had such a name keeps its own."""

    def __init__(
        self, recording: Recording, changes: Mapping[tuple[int, int], tuple[str, Conversion]]
    ) -> None:
        self._recording = recording
        targets = {target for target, _ in changes.values()}
        streams = []
        self._scaled: dict[int, list[tuple[int, float, float]]] = {}
        for stream in recording.info.streams:
            names, channels = {channel.name for channel in stream.channels}, []
            for at, channel in enumerate(stream.channels):
                if (change := changes.get((stream.id, at))) is not None:
                    target, conversion = change
                    channels.append(Channel(target, SIGNALS[target].unit, channel.label))
                    if conversion[1:] != (1.0, 0.0):
                        scaled = (at, conversion.scale, conversion.offset)
                        self._scaled.setdefault(stream.id, []).append(scaled)
                elif channel.name in targets:
                    number, own = 2, f"{slug(channel.label)}_own"
                    while own in names or own in SIGNALS:
                        own, number = f"{slug(channel.label)}_own_{number}", number + 1
                    names.add(own)
                    channels.append(Channel(own, channel.unit, channel.label))
                else:
                    channels.append(channel)
            streams.append(Stream(stream.id, stream.source, tuple(channels), stream.latency_s))
        self.info = msgspec.structs.replace(recording.info, streams=tuple(streams))

    def samples(self) -> Iterator[Sample]:
        for sample in self._recording.samples():
            scaled = self._scaled.get(sample.stream)
            if scaled is None:
                yield sample
                continue
            values = list(sample.values)
            for at, scale, offset in scaled:
                value = values[at]
                values[at] = None if value is None else value * scale + offset
            yield Sample(sample.stream, sample.t, tuple(values))

    def findings(self) -> list[Finding]:
        return self._recording.findings()


def renamed(recording: Recording, settled: Mapping[str, str], given: Mapping[str, str]) -> Recording:
    """The recording with its channels named so; those that are `settled` count where the file has them,
    RecordingError where one that was `given` is not in it, or its unit can't be that signal's."""
    found: dict[tuple[int, int], tuple[str, Conversion]] = {}
    for target, text in {**settled, **given}.items():
        name, _, unit = text.partition(":")
        wish = _Wish(target, slug(name), unit.strip())
        places = [
            (s.id, at, c) for s in recording.info.streams for at, c in enumerate(s.channels) if _is(c, wish)
        ]
        path = Path(recording.info.path)
        if places:
            stream, at, channel = places[0]
            conversion = _conversion(channel, wish)
            if conversion is not None:
                found[stream, at] = (target, conversion)
            elif target in given:
                hint = f"give its unit: {target}={name}:{SIGNALS[target].unit}"
                raise RecordingError(path, f"{name} in {channel.unit or 'no unit'} is no {target}", hint=hint)
        elif target in given:
            labels = {c.label or c.name for s in recording.info.streams for c in s.channels}
            near = difflib.get_close_matches(name, sorted(labels), 3, 0.4) or sorted(labels)[:8]
            raise RecordingError(path, f"has no channel {name!r}", hint=f"it has {', '.join(near)}")
    return RenamedRecording(recording, found) if found else recording


def _is(channel: Channel, wish: _Wish) -> bool:
    return wish.source in (slug(channel.label), channel.name, slug(channel.label.rpartition(".")[2]))


def _conversion(channel: Channel, wish: _Wish) -> Conversion | None:
    """Return what turns a channel's values into the signal; those of ours are in our units already."""
    if channel.canonical and not wish.unit:
        same = SIGNALS[channel.name].dimension == SIGNALS[wish.target].dimension
        return Conversion(SIGNALS[wish.target].dimension, 1.0) if same else None
    return to_canonical(wish.target, wish.unit or channel.unit)
