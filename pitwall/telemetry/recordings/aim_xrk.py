"""AiM's own logs (.xrk, .xrz), read by libxrk (the extra `aim`).

libxrk is native code: a damaged file must not end our process. So this module also runs as a
program. It reads one file from standard input under limits of memory and time, and prints a line
of JSON, then each channel's times (ms) and values as 8-byte floats. Laps are the logger's own.
What libxrk derives from the fixes (accelerations, yaw rate) is not canonical: the path derives it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zlib
from array import array
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import msgspec

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import RecordingError, Series, SeriesRecording
from pitwall.telemetry.recordings.columns import Heading, MappedColumn, info_of, map_columns
from pitwall.telemetry.recordings.rows import with_local_start
from pitwall.telemetry.recordings.text import read_whole

PACKAGE, ELSEWHERE = "libxrk", "open it in RaceStudio 3 and export it as CSV"
WITHIN_S, CPU_S, MOST_BYTES, MEMORY_BYTES = 120.0, 60, 1 << 30, 4 << 30
MS = 1000.0
# `<h`, four letters, a size, a version, `>`: how each message begins, and so the file.
_MESSAGE = re.compile(rb"<h[\x20-\x7e\0]{4}.{4}.>", re.DOTALL)
# Fixes below it have no place.
LEAST_FIX = 2


class ChannelOutline(msgspec.Struct):
    """A channel's name and unit, and how many times and values it has."""

    name: str
    unit: str
    samples: int


class FileOutline(msgspec.Struct):
    """The line of JSON. `laps_ms`: begin and end of each lap, and whether a crossing ends it.
    `texts`: the file's metadata."""

    channels: list[ChannelOutline] = []
    laps_ms: list[tuple[int, int, bool]] = []
    texts: dict[str, str] = {}
    error: str = ""


def sniff(head: bytes) -> bool:
    """Accept a message at the very beginning, packed or not."""
    if head[:1] == b"\x78":
        try:
            head = zlib.decompressobj().decompress(head, 64)
        except zlib.error:
            return False
    return _MESSAGE.match(head) is not None


class AimRecording(SeriesRecording):
    """A .xrk or .xrz file: one stream for all channels of the same times."""

    def __init__(self, path: Path, head: bytes) -> None:
        outline, data = _read(path)
        series: list[tuple[bytes, array[float]]] = []
        at = 0
        for channel in outline.channels:
            size = channel.samples * 8
            series.append((data[at : at + size], _floats(data[at + size : at + 2 * size])))
            at += 2 * size
        dead = [i for i, (_, values) in enumerate(series) if len(set(values)) <= 1]
        headings = [Heading(i, c.name, c.unit) for i, c in enumerate(outline.channels)]
        groups: dict[bytes, list[MappedColumn]] = {}
        for (times, _), column in zip(series, map_columns(headings, "aim", dead=dead), strict=True):
            groups.setdefault(times, []).append(column)
        groups.pop(b"", None)
        if not groups:
            hint = "the logger may not have closed it; copy it again"
            raise RecordingError(path, "holds no samples", hint=hint)
        held = [
            (
                array("d", (ms / MS for ms in _floats(times))),
                [Series(series[each.cell][1], each.scale, each.offset) for each in group],
            )
            for times, group in groups.items()
        ]
        super().__init__(held, FindingLog())
        texts = outline.texts
        info = info_of(
            "aim-xrk", path, [(f"aim {number}", group) for number, group in enumerate(groups.values(), 1)],
            venue=texts.get("Venue", ""), driver=texts.get("Driver", ""), vehicle=texts.get("Vehicle", ""),
            lap_marks_t=_marks(outline.laps_ms),
        )  # fmt: skip
        self.info = with_local_start(info, f"{texts.get('Log Date', '')} {texts.get('Log Time', '')}")


def _marks(laps_ms: list[tuple[int, int, bool]]) -> tuple[float, ...]:
    found = {begun for begun, _, _ in laps_ms} | {end for _, end, crossed in laps_ms if crossed}
    return tuple(each / MS for each in sorted(found) if each > 0)


def _read(path: Path) -> tuple[FileOutline, bytes]:
    if PathFinder.find_spec(PACKAGE) is None:
        what = "is AiM's own format, and the package that reads it is not installed"
        hint = f'pip install "pitwall[aim]", or {ELSEWHERE}'
        raise RecordingError(path, what, hint=hint, recognised=True)
    content = read_whole(path, MOST_BYTES)
    words = [sys.executable, "-m", __name__]
    try:
        done = subprocess.run(words, input=content, capture_output=True, timeout=WITHIN_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise RecordingError(path, f"can't be read within {WITHIN_S:.0f} s", hint=ELSEWHERE) from None
    line, _, data = done.stdout.partition(b"\n")
    if done.returncode != 0 or not line:
        why = f"a signal, {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
        raise RecordingError(path, f"ended the process that read it ({why}): it is damaged", hint=ELSEWHERE)
    outline = msgspec.json.decode(line, type=FileOutline)
    if outline.error:
        raise RecordingError(path, f"can't be read: {outline.error}", hint=ELSEWHERE)
    return outline, data


def _floats(raw: bytes) -> array[float]:
    found = array("d")
    found.frombytes(raw)
    return found


def _parsed(content: bytes) -> tuple[FileOutline, list[bytes]]:
    import libxrk

    try:
        log: Any = libxrk.aim_xrk(content)
    except KeyError:
        raise ValueError("it names no lap and no track") from None
    fix = log.channels.get("GPS_Fix")
    fix = None if fix is None else fix.column("GPS_Fix").to_numpy()
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


def main() -> None:
    """Run as the program: the file on standard input, what is in it on standard output."""
    import resource

    limits = {resource.RLIMIT_AS: MEMORY_BYTES, resource.RLIMIT_CPU: CPU_S, resource.RLIMIT_CORE: 0}
    for limit, most in limits.items():
        resource.setrlimit(limit, (most, most))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries print what they wonder about
    content = sys.stdin.buffer.read()
    try:
        outline, arrays = _parsed(content)
    except Exception as error:  # a library given any bytes: whatever it throws, the file is what is wrong
        outline, arrays = FileOutline(error=(str(error) or type(error).__name__)[:200]), []
    out.write(msgspec.json.encode(outline) + b"\n")
    for each in arrays:
        out.write(each)
    out.flush()


if __name__ == "__main__":
    main()
