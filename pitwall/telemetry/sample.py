"""A source's data: streams of samples with canonical names, units, signs and data time."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pitwall.telemetry.outside import clean_fields
from pitwall.telemetry.signals import SIGNALS

Values = tuple[float | None, ...]


class Channel(msgspec.Struct, frozen=True):
    """A column of a stream. `name`: canonical, or a slug of the source's own (`label`); unique in
    its stream. `unit`: of the values."""

    name: str
    unit: str
    label: str

    def __post_init__(self) -> None:
        clean_fields(self, "unit", "label")

    @property
    def canonical(self) -> bool:
        """Return whether the in-drive path reads it."""
        return self.name in SIGNALS


def channels_of(labels: Mapping[str, str]) -> tuple[Channel, ...]:
    """Return channels by name, each in the unit of its signal, with the source's labels."""
    units = {name: SIGNALS[name].unit for name in labels if name in SIGNALS}
    return tuple(Channel(name, units.get(name, ""), label) for name, label in labels.items())


class Stream(msgspec.Struct, frozen=True):
    """Channels that one source delivers together. `id` is unique in a session."""

    id: int
    source: str
    channels: tuple[Channel, ...]
    latency_s: float = 0.0


class Sample(msgspec.Struct, frozen=True, gc=False):
    """A reading from one stream: `values` in the order of its channels, None if blank.

    `t`: seconds on the session clock, from the data.
    """

    stream: int
    t: float
    values: Values
