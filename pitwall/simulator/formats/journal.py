"""Our own journal, through the codec of the telemetry room."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from pitwall.simulator.formats.rows import MARK
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.recordings.journal import (
    COPIES,
    HEADER,
    EndRecord,
    SessionMeta,
    StreamRecord,
    encode_record,
)
from pitwall.telemetry.sample import Sample


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
