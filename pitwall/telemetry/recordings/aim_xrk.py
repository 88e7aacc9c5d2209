"""AiM's own logs (.xrk, .xrz), read by libxrk (the extra `aim`), which is native code: see `programs.py`.

Laps are those of the logger's own lap messages. What libxrk works out from the fixes (accelerations, yaw
rate) is not canonical: the path works them out itself.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any

from pitwall.telemetry.recordings import racestudio
from pitwall.telemetry.recordings.columns import Rule
from pitwall.telemetry.recordings.programs import Program, ProgramRecording, ToldChannel, ToldContent, run

# `<h`, four letters, a size, a version, `>`: how each message begins, and so the file.
_MESSAGE = re.compile(rb"<h[\x20-\x7e\0]{4}.{4}.>", re.DOTALL)
# Fixes below it have no place.
LEAST_FIX = 2


PROGRAM = Program(
    module=__name__,
    package="libxrk",
    what="is AiM's own format",
    missing='pip install "pitwall[aim]", or open it in RaceStudio 3 and export it as CSV',
    elsewhere="open it in RaceStudio 3 and export it as CSV",
    cpu_s=60,
    memory_bytes=4 << 30,
    form="aim-xrk",
    source="aim",
    rules=(Rule(r"gps_satellites", "satellites"), *racestudio.RULES),
)


def sniff(head: bytes) -> bool:
    """A message at the very beginning, packed or not."""
    if head[:1] == b"\x78":
        try:
            head = zlib.decompressobj().decompress(head, 64)
        except zlib.error:
            return False
    return _MESSAGE.match(head) is not None


class AimRecording(ProgramRecording):
    """A .xrk or .xrz file."""

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path, PROGRAM)


def _parsed(content: bytes) -> tuple[ToldContent, list[bytes]]:
    import libxrk

    try:
        log: Any = libxrk.aim_xrk(content)
    except KeyError:
        raise ValueError("it names no lap and no track") from None
    fix = _fixes(log)
    told, arrays = ToldContent(), []
    for name, table in log.channels.items():
        times = table.column("timecodes").to_numpy().astype("float64")
        values = table.column(name).to_numpy().astype("float64")
        if fix is not None and re.match(r"GPS (Latitude|Longitude|Altitude|Speed)$", name):
            values = values.copy()
            values[fix < LEAST_FIX] = float("nan")
        units = (table.schema.field(name).metadata or {}).get(b"units", b"")
        told.channels.append(ToldChannel(name, units.decode("latin-1"), len(times)))
        arrays += [times.tobytes(), values.tobytes()]
    columns = (log.laps.column(each).to_pylist() for each in ("start_time", "end_time", "lap_type"))
    told.laps_ms = [(begun, end, kind != "in") for begun, end, kind in zip(*columns, strict=True)]
    told.texts = {key: value for key, value in log.metadata.items() if isinstance(value, str)}
    return told, arrays


def _fixes(log: Any) -> Any:
    found = log.channels.get("GPS_Fix")
    return None if found is None else found.column("GPS_Fix").to_numpy()


if __name__ == "__main__":
    run(PROGRAM, _parsed)
