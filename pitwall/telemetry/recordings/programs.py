"""Read files by a library in a process of its own, under limits of memory and time.

It is native code or takes much memory: a damaged file must not end ours.
This module runs as a program, with the name of the format. It reads one file under limits of memory
and time and prints a line of JSON, then each channel's times (ms) and values as 8-byte floats.

AiM's own logs (.xrk, .xrz) are read by libxrk (the extra `aim`), which is native code. Laps are the
logger's own lap messages. What libxrk derives from the fixes (accelerations, yaw rate) is not
canonical: the path derives them itself.

MF4 and MDF, measurements of Vector, INCA, CANedge and others, are read by asammdf (the extra
`formats`), which brings numpy and pandas. Signals are read, in physical values; raw bus frames are
not. Of a signal `Message.Signal` decoded from a bus the last part is the name.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from heapq import merge
from importlib.machinery import PathFinder
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pitwall.telemetry.findings import Finding, FindingLog
from pitwall.telemetry.recordings.base import RecordingError, RecordingInfo
from pitwall.telemetry.recordings.columns import NO_VALUE, Heading, MappedColumn, info_of, map_columns
from pitwall.telemetry.recordings.rows import with_local_start, with_start
from pitwall.telemetry.recordings.text import read_whole
from pitwall.telemetry.sample import Sample

WITHIN_S, MOST_BYTES = 120.0, 1 << 30
MS = 1000.0


class ChannelOutline(msgspec.Struct):
    """A channel's name and unit, and how many times and values it has."""

    name: str
    unit: str
    samples: int


class FileOutline(msgspec.Struct):
    """The line of JSON. `laps_ms`: begin and end of each lap, and whether a crossing ends it.
    `texts`: the file's own metadata, by AiM's names."""

    channels: list[ChannelOutline] = []
    laps_ms: list[tuple[int, int, bool]] = []
    texts: dict[str, str] = {}
    error: str = ""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """How such files are read: the reader, its package, what to say if that is `missing` or the
    file unreadable, its processor seconds and bytes of memory, names of format and streams, and
    known columns."""

    parsed: Callable[[bytes], tuple[FileOutline, list[bytes]]]
    package: str
    what: str
    missing: str
    elsewhere: str
    cpu_s: int
    memory_bytes: int
    form: str
    source: str
    family: str


class Series(NamedTuple):
    """A column of a file, all in memory: value = raw * scale + offset."""

    raw: Sequence[float]
    scale: float
    offset: float


class SeriesRecording:
    """A `Recording` that is held in memory: one stream for all channels of the same times."""

    info: RecordingInfo

    def __init__(self, groups: Sequence[tuple[Sequence[float], Sequence[Series]]], log: FindingLog) -> None:
        """`groups`: the times (s) of each stream of `info`, and its columns; `log`: findings of
        opening."""
        self._groups, self._opening, self._log = groups, log, FindingLog()

    def samples(self) -> Iterator[Sample]:
        """Return the streams' rows in the order of their times."""
        log = self._log = FindingLog()
        rows = [_rows(number, *group, log) for number, group in enumerate(self._groups)]
        return iter(merge(*rows, key=lambda sample: sample.t))

    def findings(self) -> list[Finding]:
        """Return the last pass's findings."""
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
    """A recording made from a program's output."""

    def __init__(self, path: Path, program: Program) -> None:
        self.path = path
        outline, data = _read(path, program)
        series: list[tuple[bytes, array[float]]] = []
        at = 0
        for channel in outline.channels:
            size = channel.samples * 8
            series.append((data[at : at + size], _floats(data[at + size : at + 2 * size])))
            at += 2 * size
        dead = [i for i, (_, values) in enumerate(series) if len(set(values)) <= 1]
        headings = [Heading(i, c.name, c.unit) for i, c in enumerate(outline.channels)]
        groups: dict[bytes, list[MappedColumn]] = {}
        for (times, _), column in zip(series, map_columns(headings, program.family, dead=dead), strict=True):
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
            venue=outline.texts.get("Venue", ""), driver=outline.texts.get("Driver", ""),
            vehicle=outline.texts.get("Vehicle", ""), lap_marks_t=_marks(outline.laps_ms),
        )  # fmt: skip
        when = f"{outline.texts.get('Log Date', '')} {outline.texts.get('Log Time', '')}"
        utc_s = outline.texts.get("UTC", "")
        self.info = with_start(self.info, float(utc_s)) if utc_s else with_local_start(self.info, when)


def _marks(laps_ms: Sequence[tuple[int, int, bool]]) -> tuple[float, ...]:
    """Return the crossings: begins of laps but the log's first, and ends at the line."""
    found = {begun for begun, _, _ in laps_ms if begun > 0} | {end for _, end, crossed in laps_ms if crossed}
    return tuple(each / MS for each in sorted(found) if each > 0)


def _read(path: Path, program: Program) -> tuple[FileOutline, bytes]:
    if PathFinder.find_spec(program.package) is None:
        what = f"{program.what}, and the package that reads it is not installed"
        raise RecordingError(path, what, hint=program.missing, recognised=True)
    content = read_whole(path, MOST_BYTES)
    words, elsewhere = [sys.executable, "-m", __name__, program.form], program.elsewhere
    try:
        done = subprocess.run(words, input=content, capture_output=True, timeout=WITHIN_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise RecordingError(path, f"can't be read within {WITHIN_S:.0f} s", hint=elsewhere) from None
    line, _, data = done.stdout.partition(b"\n")
    if done.returncode != 0 or not line:
        why = f"a signal, {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
        raise RecordingError(path, f"ended the process that read it ({why}): it is damaged", hint=elsewhere)
    outline = msgspec.json.decode(line, type=FileOutline)
    if outline.error:
        raise RecordingError(path, f"can't be read: {outline.error}", hint=elsewhere)
    return outline, data


def _floats(raw: bytes) -> array[float]:
    found = array("d")
    found.frombytes(raw)
    return found


# `<h`, four letters, a size, a version, `>`: how each message begins, and so the file.
_MESSAGE = re.compile(rb"<h[\x20-\x7e\0]{4}.{4}.>", re.DOTALL)
# Fixes below it have no place.
LEAST_FIX = 2


def sniff_xrk(head: bytes) -> bool:
    """Accept a message at the very beginning, packed or not."""
    if head[:1] == b"\x78":
        try:
            head = zlib.decompressobj().decompress(head, 64)
        except zlib.error:
            return False
    return _MESSAGE.match(head) is not None


def _of_xrk(content: bytes) -> tuple[FileOutline, list[bytes]]:
    import libxrk

    try:
        log: Any = libxrk.aim_xrk(content)
    except KeyError:
        raise ValueError("it names no lap and no track") from None
    fix = _fixes(log)
    outline, arrays = FileOutline(), []
    for name, table in log.channels.items():
        times = table.column("timecodes").to_numpy().astype("float64")
        values = table.column(name).to_numpy().astype("float64")
        if fix is not None and re.match(r"GPS (Latitude|Longitude|Altitude|Speed)$", name):
            values = values.copy()
            values[fix < LEAST_FIX] = float("nan")
        units = (table.schema.field(name).metadata or {}).get(b"units", b"")
        outline.channels.append(ChannelOutline(name, units.decode("latin-1"), len(times)))
        arrays += [times.tobytes(), values.tobytes()]
    columns = (log.laps.column(each).to_pylist() for each in ("start_time", "end_time", "lap_type"))
    outline.laps_ms = [(begun, end, kind != "in") for begun, end, kind in zip(*columns, strict=True)]
    outline.texts = {key: value for key, value in log.metadata.items() if isinstance(value, str)}
    return outline, arrays


def _fixes(log: Any) -> Any:
    found = log.channels.get("GPS_Fix")
    return None if found is None else found.column("GPS_Fix").to_numpy()


XRK = Program(
    parsed=_of_xrk,
    package="libxrk",
    what="is AiM's own format",
    missing='pip install "pitwall[aim]", or open it in RaceStudio 3 and export it as CSV',
    elsewhere="open it in RaceStudio 3 and export it as CSV",
    cpu_s=60,
    memory_bytes=4 << 30,
    form="aim-xrk",
    source="aim",
    family="aim",
)


class AimRecording(ProgramRecording):
    """A .xrk or .xrz file."""

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path, XRK)


MF4_ELSEWHERE = "convert it with asammdf: frames to ASC, signals to CSV"
MOST_CHANNELS, MOST_VALUES = 2_000, 20_000_000
# Groups of a bus's frames, which are no signals.
FRAMES = ("CAN_DataFrame", "CAN_RemoteFrame", "CAN_ErrorFrame", "CAN_OverloadFrame", "LIN_", "FLX_")


def sniff_mf4(head: bytes) -> bool:
    """Accept the file's mark, of a logger that closed it or not."""
    return head.startswith((b"MDF     ", b"UnFinMF "))


def _of_mf4(content: bytes) -> tuple[FileOutline, list[bytes]]:
    import asammdf

    outline, arrays = FileOutline(), []
    found, framed = [], False
    measured: Any = asammdf.MDF(io.BytesIO(content))
    for number, group in enumerate(measured.groups):
        for index, channel in enumerate(group.channels):
            if channel.name.startswith(FRAMES):
                framed = True
            elif index != measured.masters_db.get(number):
                found.append((number, index, channel.name))
    if len(found) > MOST_CHANNELS:
        raise ValueError(f"it has {len(found)} channels, {MOST_CHANNELS} at most can be read")
    left, first_s = MOST_VALUES, float("inf")
    series = []
    for number, index, name in found:
        signal = measured.get(group=number, index=index)
        if signal.samples.dtype.kind not in "biuf" or not (signal.samples == signal.samples).all():
            signal = _named(signal, measured.get(group=number, index=index, raw=True))
        if signal.samples.ndim != 1 or signal.samples.dtype.kind not in "biuf" or not len(signal.samples):
            continue
        left -= len(signal.samples)
        if left < 0:
            raise ValueError(f"it holds more than {MOST_VALUES} values")
        first_s = min(first_s, float(signal.timestamps[0]))
        series.append((name.rpartition(".")[2] or name, signal))
    if not series:
        raise ValueError(
            "it holds frames of a bus and no signals" if framed else "it holds no signal with values"
        )
    for name, signal in series:
        times = (signal.timestamps.astype("float64") - first_s) * 1000.0
        outline.channels.append(ChannelOutline(name, signal.unit or "", len(times)))
        arrays += [times.tobytes(), signal.samples.astype("float64").tobytes()]
    header = measured.header
    if getattr(header, "time_flags", 0) & 1:  # a local time without its zone
        outline.texts["Log Date"] = f"{header.start_time:%Y-%m-%d}"
        outline.texts["Log Time"] = f"{header.start_time:%H:%M:%S}"
    else:
        begun = header.start_time
        outline.texts["UTC"] = str(
            (begun if begun.tzinfo else begun.replace(tzinfo=UTC)).timestamp() + first_s
        )
    return outline, arrays


def _named(named: Any, plain: Any) -> Any:
    """Turn named values ("N" of a gear) into values. asammdf gives texts if all values have a name,
    and NaN for the named ones if only some have. A name that means "no value" leaves NaN."""
    conversion = plain.conversion
    names = getattr(conversion, "referenced_blocks", None) or {}
    if plain.samples.dtype.kind not in "biuf" or "text_0" not in names:
        return named if named.samples.dtype.kind in "biuf" else plain
    # How the values without a name are scaled, which asammdf leaves out for the others.
    rest: Any = names.get("default_addr")
    scaled = rest.convert(plain.samples) if hasattr(rest, "convert") else plain.samples
    if scaled.dtype.kind not in "biuf":
        return plain
    codes, plain.samples = plain.samples, scaled.astype("float64")
    for key, name in names.items():
        if key.startswith("text_") and isinstance(name, bytes) and NO_VALUE.search(name.decode("latin-1")):
            number = key.removeprefix("text_")
            one = getattr(conversion, f"val_{number}", None)
            least, most = (getattr(conversion, f"{end}_{number}", one) for end in ("lower", "upper"))
            plain.samples[(codes >= least) & (codes <= most)] = float("nan")
    return plain


MF4 = Program(
    parsed=_of_mf4,
    package="asammdf",
    what="is MF4",
    missing=f'pip install "pitwall[formats]", or {MF4_ELSEWHERE}',
    elsewhere=MF4_ELSEWHERE,
    cpu_s=30,
    # A process with numpy and pandas maps more than a gigabyte before it reads anything.
    memory_bytes=3 << 30,
    form="mf4",
    source="mf4",
    family="ecu",
)


class Mf4Recording(ProgramRecording):
    """A measurement."""

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path, MF4)


def run(program: Program) -> None:
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
        outline, arrays = program.parsed(content)
    except Exception as error:  # a library given any bytes: whatever it throws, the file is what is wrong
        outline, arrays = FileOutline(error=(str(error) or type(error).__name__)[:200]), []
    out.write(msgspec.json.encode(outline) + b"\n")
    for each in arrays:
        out.write(each)
    out.flush()


if __name__ == "__main__":
    run(XRK if sys.argv[1] == XRK.form else MF4)
