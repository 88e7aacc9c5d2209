"""A recording whose channels a person named: `steering_deg = "a_ste:deg"`, ours, the file's, and its unit;
and one with a speed of which the file says no unit: it is that in which the speed agrees with the fixes."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec

from pitwall.contract.problems import UserError
from pitwall.telemetry.findings import Finding
from pitwall.telemetry.fix import METRES_PER_DEG
from pitwall.telemetry.recordings.base import Recording, RecordingError
from pitwall.telemetry.recordings.columns import Conversion, has_unit, slug, to_canonical
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.signals import SIGNALS

# Names of a speed, and which signal that is.
_SPEEDS = (
    (re.compile(r"(gps_?)?(speed|velocity)(_?gps|_over_ground)?"), "speed_mps"),
    (re.compile(r"(vehicle|car|drive|road|wheel|indicated|ground|corr(ected)?)_?speed|vss\d?|v_?car"),
     "wheel_speed_mps"),
)  # fmt: skip
# In what speeds are written. Fixes that lie so far apart in time tell the speed between them to a few
# percent; the nearest two units differ by 15 %.
_SPEED_UNITS = ("km/h", "mph", "m/s", "knots")
STEP_S, LONGEST_STEP_S, LEAST_MPS = 2.0, 6.0, 5.0
# How many such steps are wanted, and are enough; how many of them agree, and by how much each and all do.
LEAST_STEPS, MOST_STEPS = 20, 500
AGREEING_SHARE, EACH_OFF, ALL_OFF = 0.7, 0.10, 0.05


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
        self,
        recording: Recording,
        changes: Mapping[tuple[int, int], tuple[str, Conversion]],
        notes: tuple[Finding, ...] = (),
    ) -> None:
        self._recording, self._notes = recording, notes
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
        return [*self._notes, *self._recording.findings()]


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


def with_speed_unit(recording: Recording) -> Recording:
    """The recording with its speed read in the unit that the file does not tell, where it has no other one.
    A note says so, or what to do where no unit agrees with the fixes."""
    channels = [(s, at, c) for s in recording.info.streams for at, c in enumerate(s.channels)]
    known = {channel.name for _, _, channel in channels}
    for stream, at, channel in channels:
        target = next((to for name, to in _SPEEDS if name.fullmatch(slug(channel.label))), "")
        if channel.canonical or not target or has_unit(channel.unit):
            continue
        target = "wheel_speed_mps" if stream.source == "ecu" else target
        if target in known:
            continue
        steps = _steps(recording, (stream.id, at)) if {"lat_deg", "lon_deg"} <= known else []
        unit = _agreeing(steps)
        if unit is None:
            why = "agrees with the fixes in none" if steps else "nothing tells it"
            what = f'has no unit, and {why}: not used; give it, --channel {target}="{channel.label}:km/h"'
            return RenamedRecording(recording, {}, (Finding("blank_channel", channel.name, 1, None, what),))
        conversion = to_canonical(target, unit)
        assert conversion is not None
        what = f"{channel.label!r} has no unit: read as {unit}, in which it agrees with the fixes"
        note = Finding("reckoned", target, len(steps), None, what)
        return RenamedRecording(recording, {(stream.id, at): (target, conversion)}, (note,))
    return recording


def _steps(recording: Recording, speed: tuple[int, int]) -> list[tuple[float, float]]:
    """The mean of a column between two fixes, and the speed (m/s) by which the car came from the one to the
    other, where it drove."""
    places = {
        stream.id: (names.index("lat_deg"), names.index("lon_deg"))
        for stream in recording.info.streams
        if {"lat_deg", "lon_deg"} <= set(names := [channel.name for channel in stream.channels])
    }
    steps: list[tuple[float, float]] = []
    told: list[float] = []
    begun: tuple[float, float, float] | None = None
    for sample in recording.samples():
        if sample.stream == speed[0] and (value := sample.values[speed[1]]) is not None:
            told.append(value)
        at = places.get(sample.stream)
        if at is None or (lat := sample.values[at[0]]) is None or (lon := sample.values[at[1]]) is None:
            continue
        if begun is not None and sample.t - begun[0] < STEP_S:
            continue
        if begun is not None and told and (passed_s := sample.t - begun[0]) <= LONGEST_STEP_S:
            east_deg = (lon - begun[2]) * math.cos(math.radians(lat))
            mps = math.hypot(lat - begun[1], east_deg) * METRES_PER_DEG / passed_s
            if mps >= LEAST_MPS:
                steps.append((sum(told) / len(told), mps))
        begun, told = (sample.t, lat, lon), []
        if len(steps) >= MOST_STEPS:
            break
    return steps


def _agreeing(steps: list[tuple[float, float]]) -> str | None:
    """The unit in which the first of each pair is the second."""
    if len(steps) < LEAST_STEPS:
        return None
    for unit in _SPEED_UNITS:
        found = to_canonical("speed_mps", unit)
        assert found is not None
        shares = [value * found.scale / mps for value, mps in steps]
        agreeing = sum(abs(share - 1.0) <= EACH_OFF for share in shares)
        if abs(median(shares) - 1.0) <= ALL_OFF and agreeing >= AGREEING_SHARE * len(steps):
            return unit
    return None
