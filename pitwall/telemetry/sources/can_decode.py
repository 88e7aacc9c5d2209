"""Decodes frames by a plan made once from the DBC: for each signal its bits, scale and offset.

cantools only reads the DBC: a message becomes one whole number for each byte order, and a signal is
a shift and a mask of it. An unknown multiplexer value costs only the signals that it selects;
signals may overlap.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING, NamedTuple

from pitwall.telemetry.recordings.can_logs import EXTENDED, RefusedReadings
from pitwall.telemetry.recordings.columns import NO_VALUE, slug
from pitwall.telemetry.sample import Channel, Values
from pitwall.telemetry.signals import SIGNALS
from pitwall.telemetry.sources.can_dbc import Dbc, SignalTarget, key_of
from pitwall.telemetry.sources.can_link import IdFilter

if TYPE_CHECKING:
    from cantools.database.can import Message, Signal

_FLOATS = {16: struct.Struct(">e"), 32: struct.Struct(">f"), 64: struct.Struct(">d")}
# "Error" at the top of a signal's codes is no value; lower down it is a state.
_ERROR = re.compile(r"(sensor[ _])?(error|fault)", re.IGNORECASE)
_ERROR_BITS, _ERROR_CODES = 4, 6
# SAE J1939-71: higher codes are no value.
_J1939_MOST = {8: 0xFA, 16: 0xFAFF, 32: 0xFAFF_FFFF}


class MessagePart:
    """Signals that arrive together: a message's, or of one multiplexer value. `needed`:
    canonical."""

    __slots__ = ("channels", "group", "needed")

    def __init__(self, group: str, channels: tuple[Channel, ...]) -> None:
        self.group, self.channels = group, channels
        self.needed = any(channel.canonical for channel in channels)


class _Bits(NamedTuple):
    """A signal's place in a message's whole number, `big` (1) or little (0) endian. `sign`: weight
    of the sign bit; `form`: of a float."""

    big: int
    shift: int
    mask: int
    sign: int
    form: struct.Struct | None

    def raw(self, numbers: tuple[int, int]) -> float:
        """Return the code as a number."""
        code = numbers[self.big] >> self.shift & self.mask
        if self.form is not None:
            number: float = self.form.unpack(code.to_bytes(self.form.size, "big"))[0]
            return number
        return (code ^ self.sign) - self.sign


class _Field(NamedTuple):
    """Converts one signal: raw * scale + offset; None for codes in `invalid` or out of range."""

    bits: _Bits
    scale: float
    offset: float
    invalid: frozenset[float]
    low: float
    high: float
    refused: RefusedReadings

    @property
    def certain(self) -> bool:
        """Return whether every raw code is a value."""
        return not self.invalid and self.low == -inf and self.high == inf and self.bits.form is None

    def value(self, numbers: tuple[int, int]) -> float | None:
        """Return the value of a frame; count it where it is none."""
        raw, refused = self.bits.raw(numbers), self.refused
        if raw in self.invalid:
            refused.named += 1
            return None
        if self.low <= raw <= self.high:
            refused.in_range += 1
        else:
            refused.out_of_range += 1
            if not refused.range_is_wrong:
                return None
        value = raw * self.scale + self.offset
        return value if isfinite(value) else None


# A selector and the raw values of it that select a signal.
Condition = tuple[_Bits, frozenset[int]]


class _PartDecoder(NamedTuple):
    """`certain`: if all codes are values, (big, shift, mask, sign, scale, offset) of each."""

    part: MessagePart
    conditions: tuple[Condition, ...]
    fields: tuple[_Field, ...]
    certain: tuple[tuple[int, int, int, int, float, float], ...]


class Decoder:
    """A message. A shorter frame can't be decoded."""

    def __init__(self, name: str, length: int, decoders: Sequence[_PartDecoder]) -> None:
        self.name, self.length = name, length
        self._decoders = sorted(decoders, key=lambda each: len(each.conditions))
        self.parts = tuple(each.part for each in self._decoders)
        self.refused = tuple(field.refused for each in self._decoders for field in each.fields)

    def decode(self, data: bytes) -> list[tuple[MessagePart, Values]]:
        """Return the parts that the frame holds. ValueError if it is too short."""
        if len(data) != self.length:
            if len(data) < self.length:
                raise ValueError(f"{self.name} has {self.length} bytes, this frame {len(data)}")
            data = data[: self.length]
        numbers = int.from_bytes(data, "little"), int.from_bytes(data, "big")
        found: list[tuple[MessagePart, Values]] = []
        for part, conditions, fields, certain in self._decoders:
            if conditions and not all(bits.raw(numbers) in values for bits, values in conditions):
                continue
            if certain:
                values = [
                    ((numbers[big] >> shift & mask ^ sign) - sign) * scale + offset
                    for big, shift, mask, sign, scale, offset in certain
                ]
                found.append((part, tuple(values)))
            else:
                found.append((part, tuple([field.value(numbers) for field in fields])))
        return found


class Decoders(dict[int, Decoder]):
    """Decoders by frame key, and of J1939 messages by parameter group (SAE J1939-21)."""

    def __init__(self) -> None:
        super().__init__()
        self.groups: dict[int, Decoder] = {}

    def find(self, key: int) -> Decoder | None:
        """Return the decoder of a frame. A J1939 group belongs to its first sender."""
        decoder = self.get(key)
        if decoder is None and self.groups and key & EXTENDED:
            decoder = self.groups.pop(group_of(key), None)
            if decoder is not None:
                self[key] = decoder
        return decoder

    def filters(self) -> list[IdFilter]:
        """Return what admits every frame that can be decoded."""
        masks = {group: 0x3FF_FF00 if group >> 8 & 0xFF >= 240 else 0x3FF_0000 for group in self.groups}
        return [
            *map(IdFilter, self),
            *(IdFilter(EXTENDED | group << 8, EXTENDED | mask) for group, mask in masks.items()),
        ]

    def every(self) -> list[Decoder]:
        """Return all of them."""
        return [*self.values(), *self.groups.values()]

    def join(self, other: Decoders) -> None:
        """Take what the other has and this one lacks."""
        for key, decoder in other.items():
            self.setdefault(key, decoder)
        for group, decoder in other.groups.items():
            self.groups.setdefault(group, decoder)


def group_of(key: int) -> int:
    """Return the parameter group of a 29-bit id: below 240 the second byte is an address."""
    group = key >> 8 & 0x3FFFF
    return group if group >> 8 & 0xFF >= 240 else group & 0x3FF00


def compile_dbc(
    dbc: Dbc, mapping: Mapping[tuple[str, str], SignalTarget], *, only_mapped: bool = False
) -> Decoders:
    """Return decoders of all messages; signals not in `mapping` get their slug, or are left out."""
    names, found = _channel_names(dbc), Decoders()
    for message in dbc.messages:
        kept = [
            signal for signal in message.signals if not only_mapped or (message.name, signal.name) in mapping
        ]
        if not kept:
            continue
        decoder = _compile(message, kept, mapping, names)
        if message.protocol == "j1939":
            found.groups.setdefault(group_of(message.frame_id), decoder)
        else:
            found[key_of(message)] = decoder
    return found


def _channel_names(dbc: Dbc) -> dict[tuple[str, str], str]:
    pairs = [(message.name, signal.name) for message in dbc.messages for signal in message.signals]
    often = Counter(slug(signal) for _, signal in pairs)
    used = set(SIGNALS)
    names: dict[tuple[str, str], str] = {}
    for message, signal in pairs:
        own = slug(signal)
        if own in used or often[own] > 1:
            own = slug(f"{message}_{signal}")
        stem, number = own, 2
        while own in used:
            own, number = f"{stem}_{number}", number + 1
        used.add(own)
        names[message, signal] = own
    return names


def _compile(
    message: Message,
    kept: Sequence[Signal],
    mapping: Mapping[tuple[str, str], SignalTarget],
    names: Mapping[tuple[str, str], str],
) -> Decoder:
    length = max(message.length, *((sum(_span(signal)) + 7) // 8 for signal in message.signals))
    groups: dict[tuple[tuple[str, frozenset[int]], ...], list[Signal]] = {}
    for signal in kept:
        groups.setdefault(_conditions(signal, message), []).append(signal)
    bits = {signal.name: _bits(signal, length) for signal in message.signals}
    decoders = []
    for conditions, signals in groups.items():
        chain = ",".join(f"{selector}={'/'.join(map(str, sorted(ids)))}" for selector, ids in conditions)
        channels, fields = [], []
        for signal in signals:
            target = mapping.get((message.name, signal.name))
            name = target.canonical if target else names[message.name, signal.name]
            unit = SIGNALS[name].unit if target else signal.unit or ""
            channels.append(Channel(name, unit, f"{message.name}.{signal.name}"))
            fields.append(_field(message, signal, bits[signal.name], target, name))
        part = MessagePart(f"{message.name}[{chain}]" if chain else message.name, tuple(channels))
        certain = [(*each.bits[:4], each.scale, each.offset) for each in fields if each.certain]
        decoders.append(
            _PartDecoder(
                part,
                tuple((bits[selector], ids) for selector, ids in conditions),
                tuple(fields),
                tuple(certain) if len(certain) == len(fields) else (),
            )
        )
    return Decoder(message.name, length, decoders)


def _conditions(signal: Signal, message: Message) -> tuple[tuple[str, frozenset[int]], ...]:
    by_name = {each.name: each for each in message.signals}
    found: list[tuple[str, frozenset[int]]] = []
    seen: set[str] = set()
    while signal.multiplexer_ids and signal.multiplexer_signal in by_name and signal.name not in seen:
        seen.add(signal.name)
        found.append((signal.multiplexer_signal, frozenset(signal.multiplexer_ids)))
        signal = by_name[signal.multiplexer_signal]
    return tuple(found)


def _span(signal: Signal) -> tuple[int, int]:
    if signal.byte_order == "big_endian":
        return 8 * (signal.start // 8) + 7 - signal.start % 8, signal.length
    return signal.start, signal.length


def _bits(signal: Signal, length: int) -> _Bits:
    first, width = _span(signal)
    big = signal.byte_order == "big_endian"
    return _Bits(
        int(big),
        8 * length - first - width if big else first,
        (1 << width) - 1,
        1 << width - 1 if signal.is_signed and not signal.is_float else 0,
        _FLOATS[width] if signal.is_float else None,
    )


def _field(message: Message, signal: Signal, bits: _Bits, target: SignalTarget | None, name: str) -> _Field:
    scale, offset = float(signal.scale), float(signal.offset)
    low, high = _range(message, signal)
    invalid = {
        float(code) for code, text in (signal.choices or {}).items() if _is_none(signal, code, str(text))
    }
    if target is not None:
        scale, offset = scale * target.scale, offset * target.scale + target.offset
        # A code of a mapping file is what lies in the bits.
        least = bits._replace(big=0, shift=0)
        invalid |= {least.raw((code, 0)) for code in target.invalid}
    return _Field(bits, scale, offset, frozenset(invalid), low, high, RefusedReadings(name))


def _is_none(signal: Signal, code: int, text: str) -> bool:
    if NO_VALUE.search(text):
        return signal.length > 1
    at_the_top = signal.length >= _ERROR_BITS and code >= (1 << signal.length) - _ERROR_CODES
    return at_the_top and _ERROR.fullmatch(text) is not None


def _range(message: Message, signal: Signal) -> tuple[float, float]:
    """Return the raw codes that the DBC's range admits, infinite where it admits all."""
    bits = signal.length
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signal.is_signed else (0, (1 << bits) - 1)
    low, high = -inf, inf
    given_low, given_high = signal.minimum, signal.maximum
    if given_low is not None and given_high is not None and given_low < given_high and signal.scale:
        ends = sorted(
            (float(end) - float(signal.offset)) / float(signal.scale) for end in (given_low, given_high)
        )
        # Half a step for rounded ends; a range of one step is a placeholder.
        if ends[1] - ends[0] > 1.0 or bits == 1:
            low, high = ends[0] - 0.5, ends[1] + 0.5
    if message.protocol == "j1939" and not signal.is_signed and not signal.is_float and bits in _J1939_MOST:
        high = min(high, _J1939_MOST[bits] + 0.5)
    if signal.is_float:
        return low, high
    return low if low > least else -inf, high if high < most else inf
