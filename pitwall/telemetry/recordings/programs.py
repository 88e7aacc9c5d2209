"""Files that a library reads in a process of its own, where it is native code or takes much memory: a damaged
file must not take us with it.

A module of such a format (`aim_xrk.py`, `mf4.py`) is run as a program. It reads one file under limits of
memory and time and prints what is in it: a line of JSON, then each channel's times (ms) and values as 8-byte
floats.
"""

from __future__ import annotations

import os
import subprocess
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from importlib.machinery import PathFinder
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwall.telemetry.findings import Finding, FindingLog
from pitwall.telemetry.recordings.base import RecordingError, RecordingInfo
from pitwall.telemetry.recordings.columns import Heading, MappedColumn, Rule, info_of, map_columns
from pitwall.telemetry.recordings.rows import with_local_start, with_start
from pitwall.telemetry.recordings.text import read_whole
from pitwall.telemetry.sample import Sample

WITHIN_S, MOST_BYTES = 120.0, 1 << 30
MS = 1000.0


class ToldChannel(msgspec.Struct):
    """A channel's name and unit, and how many times and values it has."""

    name: str
    unit: str
    samples: int


class ToldContent(msgspec.Struct):
    """The line of JSON. `laps_ms`: begin and end of each lap, and whether its end is a crossing. `texts`:
    what the file tells of itself, by AiM's names."""

    channels: list[ToldChannel] = []
    laps_ms: list[tuple[int, int, bool]] = []
    texts: dict[str, str] = {}
    error: str = ""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A module that reads such files as a program: the package that it needs, what a file is where that is
    `missing` and what to do then, what to do with a file that can't be read, the processor's seconds
    and bytes of memory that it may take, the names of the format and of its streams, and the columns that it
    knows."""

    module: str
    package: str
    what: str
    missing: str
    elsewhere: str
    cpu_s: int
    memory_bytes: int
    form: str
    source: str
    rules: tuple[Rule, ...]


class Series(NamedTuple):
    """A column of a file, all in memory: value = raw * scale + offset."""

    raw: Sequence[float]
    scale: float
    offset: float


class SeriesRecording:
    """A `Recording` that is held in memory: one stream for all channels of the same times."""

    info: RecordingInfo

    def __init__(self, groups: Sequence[tuple[Sequence[float], Sequence[Series]]], log: FindingLog) -> None:
        """`groups`: the times (s) of each stream of `info`, and its columns; `log`: what opening met."""
        self._groups, self._opening, self._log = groups, log, FindingLog()

    def samples(self) -> Iterator[Sample]:
        """The streams' rows in the order of their times."""
        log = self._log = FindingLog()
        rows = [_rows(number, *group, log) for number, group in enumerate(self._groups)]
        return iter(merge(*rows, key=lambda sample: sample.t))

    def findings(self) -> list[Finding]:
        return self._opening.findings() + self._log.findings()


def _rows(
    stream: int, times_s: Sequence[float], columns: Sequence[Series], log: FindingLog
) -> Iterator[Sample]:
    last_t = 0.0
    for n, t in enumerate(times_s):
        if not (isfinite(t) and t >= last_t):
            log.add("time_backwards", "", last_t, "a row before the one above it, dropped")
            continue
        last_t = t
        yield Sample(stream, t, tuple([
            value if isfinite(value := raw[n] * scale + offset) else None for raw, scale, offset in columns
        ]))  # fmt: skip


class ProgramRecording(SeriesRecording):
    """A recording of what a program told of a file."""

    def __init__(self, path: Path, program: Program) -> None:
        self.path = path
        told, data = _read(path, program)
        series: list[tuple[bytes, array[float]]] = []
        at = 0
        for channel in told.channels:
            size = channel.samples * 8
            series.append((data[at : at + size], _floats(data[at + size : at + 2 * size])))
            at += 2 * size
        dead = [i for i, (_, values) in enumerate(series) if len(set(values)) <= 1]
        headings = [Heading(i, c.name, c.unit) for i, c in enumerate(told.channels)]
        groups: dict[bytes, list[MappedColumn]] = {}
        for (times, _), column in zip(series, map_columns(headings, program.rules, dead=dead), strict=True):
            groups.setdefault(times, []).append(column)
        groups.pop(b"", None)
        if not groups:
            raise RecordingError(
                path, "holds no samples", hint="the logger may not have closed it; copy it again"
            )
        held = [
            (
                array("d", (ms / MS for ms in _floats(times))),
                [Series(series[each.cell][1], each.scale, each.offset) for each in group],
            )
            for times, group in groups.items()
        ]
        super().__init__(held, FindingLog())
        self.info = info_of(
            program.form, path,
            [(f"{program.source} {number}", group) for number, group in enumerate(groups.values(), 1)],
            venue=told.texts.get("Venue", ""), driver=told.texts.get("Driver", ""),
            vehicle=told.texts.get("Vehicle", ""), lap_marks_t=_marks(told.laps_ms),
        )  # fmt: skip
        when = f"{told.texts.get('Log Date', '')} {told.texts.get('Log Time', '')}"
        utc_s = told.texts.get("UTC", "")
        self.info = with_start(self.info, float(utc_s)) if utc_s else with_local_start(self.info, when)


def _marks(laps_ms: Sequence[tuple[int, int, bool]]) -> tuple[float, ...]:
    """The crossings: where a lap begins that is not the log's beginning, and where one ends at the line."""
    found = {begun for begun, _, _ in laps_ms if begun > 0} | {end for _, end, crossed in laps_ms if crossed}
    return tuple(each / MS for each in sorted(found) if each > 0)


def _read(path: Path, program: Program) -> tuple[ToldContent, bytes]:
    """Return what the program prints of a file. RecordingError."""
    if PathFinder.find_spec(program.package) is None:
        what = f"{program.what}, and the package that reads it is not installed"
        raise RecordingError(path, what, hint=program.missing, recognised=True)
    content = read_whole(path, MOST_BYTES)
    words, elsewhere = [sys.executable, "-m", program.module], program.elsewhere
    try:
        done = subprocess.run(words, input=content, capture_output=True, timeout=WITHIN_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise RecordingError(path, f"can't be read within {WITHIN_S:.0f} s", hint=elsewhere) from None
    line, _, data = done.stdout.partition(b"\n")
    if done.returncode != 0 or not line:
        why = f"a signal, {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
        raise RecordingError(path, f"ended the process that read it ({why}): it is damaged", hint=elsewhere)
    told = msgspec.json.decode(line, type=ToldContent)
    if told.error:
        raise RecordingError(path, f"can't be read: {told.error}", hint=elsewhere)
    return told, data


def _floats(raw: bytes) -> array[float]:
    found = array("d")
    found.frombytes(raw)
    return found


def run(program: Program, parsed: Callable[[bytes], tuple[ToldContent, list[bytes]]]) -> None:
    """Run as the program: the file on standard input, what is in it on standard output."""
    import resource

    for limit, most in (
        (resource.RLIMIT_AS, program.memory_bytes),
        (resource.RLIMIT_CPU, program.cpu_s),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries print what they wonder about
    content = sys.stdin.buffer.read()
    try:
        told, arrays = parsed(content)
    except Exception as error:  # a library given any bytes: whatever it throws, the file is what is wrong
        told, arrays = ToldContent(error=(str(error) or type(error).__name__)[:200]), []
    out.write(msgspec.json.encode(told) + b"\n")
    for each in arrays:
        out.write(each)
    out.flush()
