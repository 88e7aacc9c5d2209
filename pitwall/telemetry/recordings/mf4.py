"""MF4 and MDF, the measurements of Vector, INCA, CANedge and others, read by asammdf (the extra `formats`).

asammdf brings numpy and pandas: see `programs.py`. Signals are read, in their physical values; frames of a
bus, whose meaning stands elsewhere, are not. Of a signal decoded from a bus, `Message.Signal`, the last part
is its name.
"""

from __future__ import annotations

import io
from datetime import UTC
from pathlib import Path
from typing import Any

from pitwall.telemetry.recordings import ecu_logs
from pitwall.telemetry.recordings.columns import Rule
from pitwall.telemetry.recordings.programs import Program, ProgramRecording, ToldChannel, ToldContent, run

ELSEWHERE = "convert it with asammdf: frames to ASC, signals to CSV"
MOST_CHANNELS, MOST_VALUES = 2_000, 20_000_000
# Groups of a bus's frames, which are no signals.
FRAMES = ("CAN_DataFrame", "CAN_RemoteFrame", "CAN_ErrorFrame", "CAN_OverloadFrame", "LIN_", "FLX_")


PROGRAM = Program(
    module=__name__,
    package="asammdf",
    what="is MF4",
    missing=f'pip install "pitwall[formats]", or {ELSEWHERE}',
    elsewhere=ELSEWHERE,
    cpu_s=30,
    # What a process with numpy and pandas maps before it reads anything is more than a gigabyte.
    memory_bytes=3 << 30,
    form="mf4",
    source="mf4",
    rules=(
        Rule(r"gps_?lat(itude)?", "lat_deg"),
        Rule(r"gps_?long?(itude)?", "lon_deg"),
        Rule(r"gps_?(speed|velocity)|speed_?over_?ground", "speed_mps"),
        Rule(r"(gps_?)?(altitude|height)", "altitude_m"),
        Rule(r"(gps_?)?(heading|course)(_?over_?ground)?", "heading_deg"),
        Rule(r"(gps_?)?satellites", "satellites"),
        *ecu_logs.RULES,
    ),
)


def sniff(head: bytes) -> bool:
    """The file's mark, of a logger that closed it or not."""
    return head.startswith((b"MDF     ", b"UnFinMF "))


class Mf4Recording(ProgramRecording):
    """A measurement."""

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path, PROGRAM)


def _parsed(content: bytes) -> tuple[ToldContent, list[bytes]]:
    import asammdf

    told, arrays = ToldContent(), []
    found, framed = [], False
    measured: Any = asammdf.MDF(io.BytesIO(content))
    for number, group in enumerate(measured.groups):
        for index, channel in enumerate(group.channels):
            if channel.name.startswith(FRAMES):
                framed = True
            elif index != measured.masters_db.get(number):
                found.append((number, index, channel.name))
    if len(found) > MOST_CHANNELS:
        raise ValueError(f"it has {len(found)} channels, {MOST_CHANNELS} at most are taken")
    left, first_s = MOST_VALUES, float("inf")
    series = []
    for number, index, name in found:
        signal = measured.get(group=number, index=index)
        if signal.samples.dtype.kind not in "biuf":  # a text for each value: the values say as much
            signal = measured.get(group=number, index=index, raw=True)
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
        told.channels.append(ToldChannel(name, signal.unit or "", len(times)))
        arrays += [times.tobytes(), signal.samples.astype("float64").tobytes()]
    header = measured.header
    if getattr(header, "time_flags", 0) & 1:  # a local time without its zone
        told.texts["Log Date"] = f"{header.start_time:%Y-%m-%d}"
        told.texts["Log Time"] = f"{header.start_time:%H:%M:%S}"
    else:
        begun = header.start_time
        told.texts["UTC"] = str((begun if begun.tzinfo else begun.replace(tzinfo=UTC)).timestamp() + first_s)
    return told, arrays


if __name__ == "__main__":
    run(PROGRAM, _parsed)
