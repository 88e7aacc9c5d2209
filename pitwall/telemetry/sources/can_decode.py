"""Frames to readings: a message is compiled once into shifts and masks.

2 us for a frame of four signals, 4 us for sixteen, in our units and order; cantools takes 3 us and 5 us with
its C extension, gives a dict that has to be turned into that, and an error for a multiplexer value it does
not know.

A signal is cut out of the whole frame read as one number: little-endian signals out of its little-endian
reading, where bit n of the DBC is bit n; big-endian ones out of its big-endian reading. cantools gives the
same to the last bit, but for numbers too long for a float (tests/sources/test_can_decode.py).
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping
from math import isfinite
from typing import NamedTuple

from pitwall.telemetry.recordings.columns import slug
from pitwall.telemetry.sample import Channel
from pitwall.telemetry.signals import SIGNALS
from pitwall.telemetry.sources.can_dbc import Dbc, DbcMessage, DbcSignal
from pitwall.telemetry.sources.can_mapping import Target

_FLOATS = {16: ">e", 32: ">f", 64: ">d"}

Values = tuple[float | None, ...]


class Cut(NamedTuple):
    """One signal's way out of the frame: value = raw * scale + offset, raw = (word >> shift) & mask, less
    2**length if its `sign` bit is set (0: unsigned)."""

    big_endian: bool
    shift: int
    mask: int
    sign: int
    scale: float
    offset: float
    float_format: str
    invalid: frozenset[int]

    def raw(self, little: int, big: int) -> int:
        """The bits as an unsigned number."""
        return ((big if self.big_endian else little) >> self.shift) & self.mask


class Part:
    """Signals that arrive together: a message, or those of it that one multiplexer value selects.

    `needed`: one of them is canonical, so the drive needs it.
    """

    __slots__ = ("_conditions", "_cuts", "_odd", "_plain", "channels", "group", "needed")

    def __init__(
        self,
        group: str,
        channels: tuple[Channel, ...],
        cuts: tuple[Cut, ...] = (),
        conditions: tuple[tuple[Cut, frozenset[int]], ...] = (),
    ) -> None:
        self.group, self.channels = group, channels
        self.needed = any(channel.canonical for channel in channels)
        self._cuts, self._conditions = cuts, conditions
        self._odd = any(cut.float_format or cut.invalid for cut in cuts)
        self._plain = tuple(cut[:6] for cut in cuts)

    def selected(self, little: int, big: int) -> bool:
        """Whether the frame's multiplexers select this part."""
        return all(cut.raw(little, big) in values for cut, values in self._conditions)

    def values(self, little: int, big: int) -> Values:
        """One value a channel, None for a code or float that is none."""
        if self._odd:
            return tuple([_value(cut, cut.raw(little, big)) for cut in self._cuts])
        # (raw ^ sign) - sign is the two's complement, and raw itself where there is no sign bit.
        return tuple(
            [
                (((((big if big_endian else little) >> shift) & mask) ^ sign) - sign) * scale + offset
                for big_endian, shift, mask, sign, scale, offset in self._plain
            ]
        )


class Decoder:
    """One message, compiled. A frame shorter than `length` bytes can't be decoded."""

    __slots__ = ("_big", "_conditional", "length", "name", "parts")

    def __init__(self, name: str, length: int, parts: tuple[Part, ...], big: bool, conditional: bool) -> None:
        self.name, self.length, self.parts = name, length, parts
        self._big, self._conditional = big, conditional

    def decode(self, data: bytes) -> list[tuple[Part, Values]]:
        """The parts that the frame holds. ValueError where it is too short."""
        if len(data) != self.length:
            if len(data) < self.length:
                raise ValueError(f"{self.name} has {self.length} bytes, this frame {len(data)}")
            data = data[: self.length]
        little = int.from_bytes(data, "little")
        big = int.from_bytes(data, "big") if self._big else 0
        if not self._conditional:
            return [(part, part.values(little, big)) for part in self.parts]
        return [(part, part.values(little, big)) for part in self.parts if part.selected(little, big)]


def compile_dbc(dbc: Dbc, mapping: Mapping[tuple[str, str], Target]) -> dict[int, Decoder]:
    """Decoders by frame key. Signals that `mapping` does not name become channels with their own slug."""
    names = _channel_names(dbc)
    return {m.key: _compile(m, mapping, names) for m in dbc.messages if m.signals}


def _channel_names(dbc: Dbc) -> dict[tuple[str, str], str]:
    """A slug for every signal, unique in the DBC: checksums and counters stand in every message."""
    pairs = [(message.name, signal.name) for message in dbc.messages for signal in message.signals]
    often = Counter(slug(signal) for _, signal in pairs)
    taken = set(SIGNALS)
    names: dict[tuple[str, str], str] = {}
    for message, signal in pairs:
        own = slug(signal)
        if own in taken or often[own] > 1:
            own = slug(f"{message}_{signal}")
        stem, number = own, 2
        while own in taken:
            own, number = f"{stem}_{number}", number + 1
        taken.add(own)
        names[message, signal] = own
    return names


def _compile(
    message: DbcMessage, mapping: Mapping[tuple[str, str], Target], names: Mapping[tuple[str, str], str]
) -> Decoder:
    length = max(message.length, *(_bytes_needed(signal) for signal in message.signals))
    raw_cuts = {signal.name: _cut(signal, length, None) for signal in message.signals}
    groups: dict[tuple[object, ...], list[DbcSignal]] = {}
    for signal in message.signals:
        groups.setdefault(signal.conditions, []).append(signal)
    parts = []
    for signals in groups.values():
        conditions = signals[0].conditions
        chain = ",".join(f"{c.selector}={'/'.join(map(str, sorted(c.values)))}" for c in conditions)
        channels, cuts = [], []
        for signal in signals:
            target = mapping.get((message.name, signal.name))
            name = target.canonical if target else names[message.name, signal.name]
            unit = SIGNALS[name].unit if target else signal.unit
            channels.append(Channel(name, unit, f"{message.name}.{signal.name}"))
            cuts.append(_cut(signal, length, target))
        parts.append(
            Part(
                f"{message.name}[{chain}]" if chain else message.name,
                tuple(channels),
                tuple(cuts),
                tuple((raw_cuts[c.selector], c.values) for c in conditions),
            )
        )
    big = any(signal.big_endian for signal in message.signals)
    return Decoder(message.name, length, tuple(parts), big, any(s.conditions for s in message.signals))


def _first_bit(signal: DbcSignal) -> int:
    """Where a signal begins, bits counted as they are sent (big-endian) or by their weight (little)."""
    if not signal.big_endian:
        return signal.start
    return 8 * (signal.start // 8) + 7 - signal.start % 8


def _bytes_needed(signal: DbcSignal) -> int:
    return (_first_bit(signal) + signal.length + 7) // 8


def _cut(signal: DbcSignal, length: int, target: Target | None) -> Cut:
    first = _first_bit(signal)
    scale, offset = signal.scale, signal.offset
    if target is not None:
        scale, offset = scale * target.scale, offset * target.scale + target.offset
    return Cut(
        signal.big_endian,
        8 * length - first - signal.length if signal.big_endian else first,
        (1 << signal.length) - 1,
        1 << (signal.length - 1) if signal.signed and not signal.is_float else 0,
        scale,
        offset,
        _FLOATS[signal.length] if signal.is_float else "",
        target.invalid if target is not None else frozenset(),
    )


def _value(cut: Cut, raw: int) -> float | None:
    if raw in cut.invalid:
        return None
    if cut.float_format:
        size = (cut.mask.bit_length() + 7) // 8
        number: float = struct.unpack(cut.float_format, raw.to_bytes(size, "big"))[0]
        return number * cut.scale + cut.offset if isfinite(number) else None
    return ((raw ^ cut.sign) - cut.sign) * cut.scale + cut.offset
