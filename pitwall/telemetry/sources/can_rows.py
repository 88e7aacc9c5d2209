"""Joins messages that a bus sends at one rate into one sample: a row of all their signals.

A car sends a dozen messages a hundred times a second, each with a few signals of the same instant;
a sample for each would cost the whole path a dozen times as much. The rates are learned from the
first second, whose readings are held back; every reading is in exactly one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pitwall.telemetry.sources.can_decode import MessagePart, Values

# How long the rates are learned, and of how many readings at most: a flood has no rate.
LEARN_S, LEARN_READINGS = 1.0, 4_000
# Messages join from this rate on: they are no further apart than their period.
LEAST_HZ = 45.0
# Rates that differ by less are the same.
SAME_RATE = 0.1
# The widest row: beyond it a row costs more than it saves.
MOST_CHANNELS = 64
# A pause of this share of the period lies between two bursts, not inside one.
PAUSE = 0.5


class DecodedFrame(NamedTuple):
    """One decoded frame: `stamp_s` is the adapter's own time, `received_s` the monotonic clock."""

    part: MessagePart
    stamp_s: float | None
    received_s: float
    values: Values

    @property
    def at_s(self) -> float:
        """When it was, to be compared with others of the same bus."""
        return self.received_s if self.stamp_s is None else self.stamp_s


class _Row:
    """The parts of one rate, and the readings of the row that is being filled."""

    def __init__(self, parts: Sequence[MessagePart], period_s: float) -> None:
        channels = tuple(channel for part in parts for channel in part.channels)
        self._part = MessagePart(f"{parts[0].group}+{len(parts) - 1}", channels)
        self._places = {part: place for place, part in enumerate(parts)}
        self._empty: list[Values] = [(None,) * len(part.channels) for part in parts]
        self._pause_s = PAUSE * period_s
        self._filled: list[Values | None] = [None] * len(parts)
        self._missing = len(parts)
        self._last: DecodedFrame | None = None

    def add(self, reading: DecodedFrame) -> list[DecodedFrame]:
        """Add one reading; return the rows that it completes: none, or the row before it and its
        own."""
        place, rows = self._places[reading.part], []
        last = self._last
        if last is not None and (self._filled[place] is not None or reading.at_s - last.at_s > self._pause_s):
            rows.append(self.close(last))
        self._filled[place] = reading.values
        self._missing -= 1
        self._last = reading
        if not self._missing:
            rows.append(self.close(reading))
        return rows

    def open_since(self) -> DecodedFrame | None:
        """Return the last reading of a row that is not complete yet."""
        return self._last

    def close(self, last: DecodedFrame) -> DecodedFrame:
        """End the row as it is: the reading of all its parts, at the time of its last one."""
        values: list[float | None] = []
        for filled, empty in zip(self._filled, self._empty, strict=True):
            values += empty if filled is None else filled
        self._filled = [None] * len(self._filled)
        self._missing, self._last = len(self._filled), None
        return DecodedFrame(self._part, last.stamp_s, last.received_s, tuple(values))


class RowBuilder:
    """Gathers the readings of one bus into rows. Keep it while the bus is opened again."""

    def __init__(self) -> None:
        # None: the rates are known.
        self._held: list[DecodedFrame] | None = []
        self._rows: dict[MessagePart, _Row] = {}

    def add(self, readings: Sequence[DecodedFrame]) -> list[DecodedFrame]:
        """Take what came; returns what is complete, in order."""
        if self._held is None:
            return self._gather(readings)
        self._held += readings
        if len(self._held) >= LEARN_READINGS:
            return self._begin()
        return self.take_late(readings[-1].received_s if readings else 0.0, 0.0)

    def take_late(self, now_s: float, waited_s: float) -> list[DecodedFrame]:
        """Return rows that miss a part for longer than `waited_s`, or all that came while the rates
        were learned."""
        if self._held is not None:
            learned = self._held and now_s - self._held[0].received_s >= LEARN_S
            return self._begin() if learned else []
        rows = {id(row): row for row in self._rows.values()}.values()
        late = [(row, last) for row in rows if (last := row.open_since()) is not None]
        return [row.close(last) for row, last in late if now_s - last.received_s > waited_s]

    def take_all(self) -> list[DecodedFrame]:
        """Return everything that is held back: the bus is closed."""
        return [*self.take_late(float("inf"), 0.0), *self.take_late(float("inf"), 0.0)]

    def _begin(self) -> list[DecodedFrame]:
        held, self._held = self._held or [], None
        self._learn(held)
        return self._gather(held)

    def _gather(self, readings: Sequence[DecodedFrame]) -> list[DecodedFrame]:
        found: list[DecodedFrame] = []
        rows = self._rows
        for reading in readings:
            row = rows.get(reading.part)
            if row is None:
                found.append(reading)
            else:
                found += row.add(reading)
        return found

    def _learn(self, held: Sequence[DecodedFrame]) -> None:
        """Find the parts of one rate. Canonical ones come first, if a row can't hold all."""
        seconds = held[-1].at_s - held[0].at_s
        counts: dict[MessagePart, int] = {}
        for reading in held:
            counts[reading.part] = counts.get(reading.part, 0) + 1
        fast = [part for part, count in counts.items() if count > LEAST_HZ * seconds > 0.0]
        fast.sort(key=lambda part: (not part.needed, counts[part], part.group))
        row: list[MessagePart] = []
        for part in fast:
            if row and not (
                abs(counts[part] / counts[row[0]] - 1.0) <= SAME_RATE
                and sum(len(each.channels) for each in (*row, part)) <= MOST_CHANNELS
            ):
                self._use(row, seconds / counts[row[0]])
                row = []
            row.append(part)
        if row:
            self._use(row, seconds / counts[row[0]])

    def _use(self, parts: Sequence[MessagePart], period_s: float) -> None:
        if len(parts) > 1:
            row = _Row(sorted(parts, key=lambda part: part.group), period_s)
            self._rows |= dict.fromkeys(parts, row)
