"""Writers: each writes what its real logger writes, marked as simulated.

Here: the table of formats, and our own journal, through the codec of the telemetry room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pitwall.simulator.formats.fixes import write_gpx, write_nmea
from pitwall.simulator.formats.rows import MARK
from pitwall.simulator.formats.tables import (
    write_aim,
    write_motec,
    write_racecapture,
    write_racechrono,
    write_vbox_csv,
)
from pitwall.simulator.formats.vbo import write_racebox, write_racelogic
from pitwall.simulator.plan import SimulationError
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.recordings.journal import (
    COPIES,
    HEADER,
    SUFFIX,
    EndRecord,
    SessionMeta,
    StreamRecord,
    encode_record,
)
from pitwall.telemetry.sample import Sample


class Format(NamedTuple):
    """A text format; the journal, which is binary, has no entry of its own kind and `write` None. Writers
    of formats that an export has too take a mark of their own behind the samples."""

    suffix: str
    encoding: str
    write: Callable[..., int] | None


FORMATS: dict[str, Format] = {
    "vbo": Format(".vbo", "utf-8", write_racelogic),
    "racebox": Format(".vbo", "utf-8", write_racebox),
    "vbox-csv": Format(".csv", "utf-8-sig", write_vbox_csv),
    "racechrono": Format(".csv", "utf-8", write_racechrono),
    "racecapture": Format(".log", "utf-8", write_racecapture),
    "aim": Format(".csv", "utf-8", write_aim),
    "motec": Format(".csv", "utf-8", write_motec),
    "gpx": Format(".gpx", "utf-8", write_gpx),
    "nmea": Format(".nmea", "ascii", write_nmea),
    "journal": Format(SUFFIX, "", None),
}


def write_recording(format: str, path: Path, info: RecordingInfo, samples: Iterable[Sample]) -> int:
    """Write `samples` to `path` as `format` (a key of FORMATS); returns the number of rows.

    SimulationError where there is no such format, OSError where the file can't be written.
    """
    if format not in FORMATS:
        raise SimulationError(f"no format {format!r}; there are {', '.join(FORMATS)}")
    entry = FORMATS[format]
    if entry.write is None:
        with path.open("wb") as binary:
            return write_journal(binary, info, samples)
    with path.open("w", encoding=entry.encoding, newline="") as text:
        return entry.write(text, info, samples)


def write_journal(file: BinaryIO, info: RecordingInfo, samples: Iterable[Sample]) -> int:
    """Write a cleanly closed journal; returns the number of samples."""
    meta = SessionMeta(
        id="simulated",
        kind="live",
        created_utc_s=info.start_utc_s or 0.0,
        source_name=MARK,
        format="simulator",
        start_utc_s=info.start_utc_s,
        venue=info.venue,
        driver=info.driver,
        vehicle=info.vehicle,
        gate=info.gate,
        lap_marks_t=info.lap_marks_t,
    )
    file.write(HEADER)
    seq = 0
    records: list[SessionMeta | StreamRecord] = [meta, *map(StreamRecord, info.streams)]
    for record in records:
        for _ in range(COPIES):
            file.write(encode_record(seq, record))
            seq += 1
    count = 0
    for sample in samples:
        file.write(encode_record(seq, sample))
        seq += 1
        count += 1
    file.write(encode_record(seq, EndRecord(samples=count)))
    return count
