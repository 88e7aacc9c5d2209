"""Frames to readings: cantools decodes them, here they get our names, units and order.

cantools is given each part of a multiplexed message as a message of its own. So a multiplexer value that the
DBC does not know costs only the signals that it selects. Signals that overlap are decoded one after the
other, since cantools can't decode them together.
"""

from __future__ import annotations

import copy
import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING, NamedTuple

from pitwall.telemetry.recordings.can_logs import EXTENDED, RefusedReadings, bus_library
from pitwall.telemetry.recordings.columns import NO_VALUE, slug
from pitwall.telemetry.sample import Channel
from pitwall.telemetry.signals import SIGNALS
from pitwall.telemetry.sources.can_dbc import Dbc, SignalTarget, key_of

if TYPE_CHECKING:
    from cantools.database.can import Message, Signal

_FLOATS = {16: ">e", 32: ">f", 64: ">d"}
# "Error" is no value at the top of a signal's codes, where the makers put it; below it is a state like "Off".
_ERROR = re.compile(r"(sensor[ _])?(error|fault)", re.IGNORECASE)
_ERROR_BITS, _ERROR_CODES = 4, 6
# SAE J1939-71: codes above say "not available", "error", or are the maker's.
_J1939_MOST = {8: 0xFA, 16: 0xFAFF, 32: 0xFAFF_FFFF}

Values = tuple[float | None, ...]
# A selector and the raw values of it that select a signal.
Condition = tuple[str, frozenset[int]]


class MessagePart:
    """Signals that arrive together: a message, or those of it that one multiplexer value selects.

    `needed`: one of them is canonical, so the drive needs it.
    """

    __slots__ = ("channels", "group", "needed")

    def __init__(self, group: str, channels: tuple[Channel, ...]) -> None:
        self.group, self.channels = group, channels
        self.needed = any(channel.canonical for channel in channels)


class _Scaling(NamedTuple):
    """How one signal becomes a value: raw * scale + offset; None for the raw codes in `invalid`, and for
    those beyond `low` and `high`, the range that the DBC gives."""

    name: str
    scale: float
    offset: float
    invalid: frozenset[float]
    low: float
    high: float
    refused: RefusedReadings

    @property
    def certain(self) -> bool:
        """Return whether every raw code is a value."""
        return not self.invalid and self.low == -inf and self.high == inf


class _PartDecoder(NamedTuple):
    """`layers` are messages whose signals do not overlap; together they hold all signals of the part.

    `certain`: whole numbers, and every code of them a value.
    """

    part: MessagePart
    conditions: tuple[Condition, ...]
    layers: tuple[Message, ...]
    readings: tuple[_Scaling, ...]
    certain: bool


class Decoder:
    """A message. A frame shorter than `length` bytes can't be decoded."""

    def __init__(self, name: str, length: int, decoders: Sequence[_PartDecoder]) -> None:
        self.name, self.length = name, length
        # What selects a part is decoded before it.
        self._decoders = sorted(decoders, key=lambda each: len(each.conditions))
        self.parts = tuple(each.part for each in self._decoders)
        self.refused = tuple(reading.refused for each in self._decoders for reading in each.readings)

    def decode(self, data: bytes) -> list[tuple[MessagePart, Values]]:
        """The parts that the frame holds. ValueError where it is too short."""
        if len(data) < self.length:
            raise ValueError(f"{self.name} has {self.length} bytes, this frame {len(data)}")
        raws: dict[str, float] = {}
        found = []
        for part, conditions, layers, readings, certain in self._decoders:
            if conditions and not all(raws.get(selector) in values for selector, values in conditions):
                continue
            for layer in layers:
                raws.update(layer.decode_simple(data, False, False))  # type: ignore[arg-type]
            values: Values
            if certain:
                values = tuple([raws[each.name] * each.scale + each.offset for each in readings])
            else:
                values = tuple([_value(reading, raws[reading.name]) for reading in readings])
            found.append((part, values))
        return found


class Decoders(dict[int, Decoder]):
    """Decoders by frame key, and those of J1939 messages by their parameter group (SAE J1939-21)."""

    def __init__(self) -> None:
        super().__init__()
        self.groups: dict[int, Decoder] = {}

    def find(self, key: int) -> Decoder | None:
        """The decoder of a frame. A J1939 group belongs to the first sender that is heard with it."""
        decoder = self.get(key)
        if decoder is None and self.groups and key & EXTENDED:
            decoder = self.groups.pop(group_of(key), None)
            if decoder is not None:
                self[key] = decoder
        return decoder

    def every(self) -> list[Decoder]:
        """All of them, those of groups that nobody has sent yet too."""
        return [*self.values(), *self.groups.values()]

    def join(self, other: Decoders) -> None:
        """Take over what the other has and this one lacks."""
        for key, decoder in other.items():
            self.setdefault(key, decoder)
        for group, decoder in other.groups.items():
            self.groups.setdefault(group, decoder)


def group_of(key: int) -> int:
    """The parameter group number in a 29-bit id: below 240 the second byte is an address, no part of it."""
    group = key >> 8 & 0x3FFFF
    return group if group >> 8 & 0xFF >= 240 else group & 0x3FF00


def compile_dbc(dbc: Dbc, mapping: Mapping[tuple[str, str], SignalTarget]) -> Decoders:
    """Decoders of all messages. Signals that `mapping` does not name become channels with their own slug."""
    names, found = _channel_names(dbc), Decoders()
    for message in dbc.messages:
        if not message.signals:
            continue
        decoder = _compile(message, mapping, names)
        if message.protocol == "j1939":
            found.groups.setdefault(group_of(message.frame_id), decoder)
        else:
            found[key_of(message)] = decoder
    return found


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
    message: Message, mapping: Mapping[tuple[str, str], SignalTarget], names: Mapping[tuple[str, str], str]
) -> Decoder:
    length = max(message.length, *((_bits(signal)[1] + 7) // 8 for signal in message.signals))
    groups: dict[tuple[Condition, ...], list[Signal]] = {}
    for signal in message.signals:
        groups.setdefault(_conditions(signal, message), []).append(signal)
    decoders = []
    for conditions, signals in groups.items():
        chain = ",".join(f"{selector}={'/'.join(map(str, sorted(ids)))}" for selector, ids in conditions)
        channels, readings = [], []
        for signal in signals:
            target = mapping.get((message.name, signal.name))
            name = target.canonical if target else names[message.name, signal.name]
            unit = SIGNALS[name].unit if target else signal.unit or ""
            channels.append(Channel(name, unit, f"{message.name}.{signal.name}"))
            readings.append(_reading(message, signal, target, name))
        part = MessagePart(f"{message.name}[{chain}]" if chain else message.name, tuple(channels))
        certain = not any(signal.is_float for signal in signals) and all(r.certain for r in readings)
        layers = _layers(message, signals, length)
        decoders.append(_PartDecoder(part, conditions, layers, tuple(readings), certain))
    return Decoder(message.name, length, decoders)


def _conditions(signal: Signal, message: Message) -> tuple[Condition, ...]:
    """The selectors above a signal; a multiplexed selector has its own above it."""
    by_name = {each.name: each for each in message.signals}
    found: list[Condition] = []
    seen: set[str] = set()
    while signal.multiplexer_ids and signal.multiplexer_signal in by_name and signal.name not in seen:
        seen.add(signal.name)
        found.append((signal.multiplexer_signal, frozenset(signal.multiplexer_ids)))
        signal = by_name[signal.multiplexer_signal]
    return tuple(found)


def _bits(signal: Signal) -> tuple[int, int]:
    """Where a signal begins and ends, bits counted as they are sent (big-endian) or by their weight."""
    first = signal.start
    if signal.byte_order == "big_endian":
        first = 8 * (first // 8) + 7 - first % 8
    return first, first + signal.length


def _layers(message: Message, signals: Sequence[Signal], length: int) -> tuple[Message, ...]:
    """The signals as plain messages without multiplexers, in each of which no two of them overlap."""
    message_of = bus_library("cantools.database.can").Message
    layers: list[list[Signal]] = []
    # Where the last signal of a layer ends. cantools takes each byte order for itself.
    ends: dict[tuple[int, str], int] = {}
    for signal in sorted(signals, key=_bits):
        plain = copy.copy(signal)
        plain.is_multiplexer, plain.multiplexer_ids, plain.multiplexer_signal = False, None, None
        first, end = _bits(signal)
        number = 0
        while ends.get((number, signal.byte_order), 0) > first:
            number += 1
        if number == len(layers):
            layers.append([])
        layers[number].append(plain)
        ends[number, signal.byte_order] = end
    return tuple(message_of(0, message.name, length, layer, strict=False) for layer in layers)


def _reading(message: Message, signal: Signal, target: SignalTarget | None, name: str) -> _Scaling:
    scale, offset = float(signal.scale), float(signal.offset)
    low, high = _range(message, signal)
    invalid = {
        float(code) for code, text in (signal.choices or {}).items() if _is_none(signal, code, str(text))
    }
    if target is not None:
        scale, offset = scale * target.scale, offset * target.scale + target.offset
        invalid |= {_raw(signal, code) for code in target.invalid}
    return _Scaling(signal.name, scale, offset, frozenset(invalid), low, high, RefusedReadings(name))


def _is_none(signal: Signal, code: int, text: str) -> bool:
    if NO_VALUE.search(text):
        return signal.length > 1
    at_the_top = signal.length >= _ERROR_BITS and code >= (1 << signal.length) - _ERROR_CODES
    return at_the_top and _ERROR.fullmatch(text) is not None


def _range(message: Message, signal: Signal) -> tuple[float, float]:
    """The raw codes that the DBC's range admits, infinite where it gives none or admits all."""
    bits = signal.length
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signal.is_signed else (0, (1 << bits) - 1)
    low, high = -inf, inf
    given_low, given_high = signal.minimum, signal.maximum
    if given_low is not None and given_high is not None and given_low < given_high and signal.scale:
        ends = sorted(
            (float(end) - float(signal.offset)) / float(signal.scale) for end in (given_low, given_high)
        )
        # Half a step for ends that were rounded; a range of one step for a longer signal is a place-holder.
        if ends[1] - ends[0] > 1.0 or bits == 1:
            low, high = ends[0] - 0.5, ends[1] + 0.5
    if message.protocol == "j1939" and not signal.is_signed and not signal.is_float and bits in _J1939_MOST:
        high = min(high, _J1939_MOST[bits] + 0.5)
    if signal.is_float:
        return low, high
    return low if low > least else -inf, high if high < most else inf


def _raw(signal: Signal, code: int) -> float:
    """The bits of a code as the number that cantools gives for them."""
    if signal.is_float:
        bits = code.to_bytes(signal.length // 8, "big")
        number: float = struct.unpack(_FLOATS[signal.length], bits)[0]
        return number
    return code - (1 << signal.length) if signal.is_signed and code >> (signal.length - 1) else code


def _value(reading: _Scaling, raw: float) -> float | None:
    refused = reading.refused
    if raw in reading.invalid:
        refused.named += 1
        return None
    if reading.low <= raw <= reading.high:
        refused.in_range += 1
    else:
        refused.out_of_range += 1
        if not refused.range_is_wrong:
            return None
    value = raw * reading.scale + reading.offset
    return value if isfinite(value) else None
