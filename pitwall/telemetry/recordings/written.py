"""Shared by the writers: rows of named values, the last known value, and the simulated mark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple, TextIO

from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Sample

MARK = "SIMULATED by Pitwall: no real car, no real driver"
LF, CRLF = "\n", "\r\n"
KMH_PER_MPS = 3.6
MPH_PER_MPS = 3600.0 / 1609.344


class WrittenRow:
    """An instant with its values by canonical name. Reused from row to row: read it before the
    next."""

    __slots__ = ("last", "t", "values")

    def __init__(self) -> None:
        self.t = 0.0
        self.values: dict[str, float | None] = {}
        self.last: dict[str, float] = {}

    def get(self, name: str) -> float | None:
        """Return the value of this very row, None if the source has none."""
        return self.values.get(name)

    def held(self, name: str, default: float = 0.0) -> float:
        """Return the value, or the last one known: what loggers without blank cells write."""
        return self.last.get(name, default)


def written_rows(info: RecordingInfo, samples: Iterable[Sample]) -> Iterator[WrittenRow]:
    """Yield each sample as a row; the same Row object is filled again each time."""
    names = {stream.id: [channel.name for channel in stream.channels] for stream in info.streams}
    row = WrittenRow()
    for sample in samples:
        row.t = sample.t
        row.values = dict(zip(names[sample.stream], sample.values, strict=True))
        for name, value in row.values.items():
            if value is not None:
                row.last[name] = value
        yield row


class Field(NamedTuple):
    """A column of a text format: its name there, the canonical signal, and value * factor as text."""

    name: str
    signal: str
    spec: str
    factor: float = 1.0
    unit: str = ""

    def held(self, row: WrittenRow) -> str:
        """Return the cell, with the last known value where there is none."""
        return format(row.held(self.signal) * self.factor, self.spec)

    def blank(self, row: WrittenRow) -> str:
        """Return the cell, empty where there is no value."""
        value = row.get(self.signal)
        return "" if value is None else format(value * self.factor, self.spec)


def utc(info: RecordingInfo, t: float = 0.0) -> datetime:
    """Return the UTC time of session second `t`, rounded to the millisecond that files have."""
    return datetime.fromtimestamp(round((info.start_utc_s or 0.0) + t, 3), UTC)


def dated(info: RecordingInfo) -> bool:
    """Return whether the day is known: else the clock counts from 1970-01-01."""
    return (info.start_utc_s or 0.0) >= 86_400.0


def clock_text(info: RecordingInfo, t: float, decimals: int = 3) -> str:
    """HHMMSS.SSS of session second `t`."""
    seconds = round((info.start_utc_s or 0.0) + t, decimals) % 86400.0
    hours, rest = divmod(seconds, 3600.0)
    minutes, seconds = divmod(rest, 60.0)
    return f"{int(hours):02d}{int(minutes):02d}{seconds:0{3 + decimals}.{decimals}f}"


def plain(text: str) -> str:
    """Return a text as one cell of a table whose cells have commas between them."""
    return text.replace('"', "'").replace(",", ";")


def put_rows(file: TextIO, lines: Iterable[str]) -> int:
    """Write these lines; returns their number."""
    count = 0
    for line in lines:
        file.write(line)
        count += 1
    return count
