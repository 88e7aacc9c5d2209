"""Joins several journals into one recording, in driving order.

The joined journal is there whole or not at all. After a kill some originals may be left next to it:
they are the same drive, which counts once."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from typing import BinaryIO

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.config import beneath
from pitwall.contract.changes import joined_conditions
from pitwall.store.edits import SessionEdit, edit_of, put_edit
from pitwall.store.errors import StoreError
from pitwall.store.files import create_private, sync_path
from pitwall.store.journal_check import check_journal
from pitwall.store.queries import SessionRow, Writable, laps
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import (
    COPIES,
    HEADER,
    SUFFIX,
    BatchRecord,
    ControlRecord,
    EndRecord,
    EventRecord,
    JournalRecording,
    LedgerRecord,
    Record,
    SampleRecord,
    SessionMeta,
    StreamRecord,
    encode_record,
)
from pitwall.telemetry.sample import Stream
from pitwall.telemetry.session_clock import DAY_S
from pitwall.track.lap import LapMark


def merged_meta(rows: Sequence[SessionRow], metas: Sequence[SessionMeta]) -> SessionMeta:
    """Return the header of the joined recording. The same sessions joined again have the same id."""
    first, digest = metas[0], hashlib.blake2b("+".join(row.id for row in rows).encode(), digest_size=16)
    start_utc_s = rows[0].driven_utc_s
    stamp = rows[0].id[: len("20250517-170000")]
    if start_utc_s is not None:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(start_utc_s))
    marks = tuple(
        mark + offset
        for meta, offset in zip(metas, offsets_s(rows), strict=True)
        for mark in meta.lap_marks_t
    )
    return msgspec.structs.replace(
        first,
        id=f"{stamp}-{digest.hexdigest()[:6]}",
        created_utc_s=time.time(),
        source_name=" + ".join(dict.fromkeys(row.source_name for row in rows if row.source_name)),
        source_digest=digest.hexdigest() if first.kind == "import" else "",
        start_utc_s=start_utc_s,
        lap_marks_t=marks,
    )


def in_order(rows: Sequence[SessionRow]) -> list[SessionRow]:
    """Return the sessions as they were driven. StoreError if they are not of one day and one
    kind."""
    kinds = {row.kind for row in rows}
    if len(kinds) > 1 or "replay" in kinds:
        raise StoreError("only live sessions, or only imported ones, can be joined")
    if len(rows) < 2:
        raise StoreError("a session can't be joined with itself")
    for row in rows:
        if _begun_s(row, rows) is None:
            raise StoreError(
                f"it is not known when session {row.id} was driven: pitwall sessions date {row.id} YYYY-MM-DD"
            )
    ordered = sorted(rows, key=lambda row: _begun_s(row, rows) or 0.0)
    if offsets_s(ordered)[-1] >= DAY_S:
        raise StoreError("these sessions are not of one day")
    return ordered


def offsets_s(rows: Sequence[SessionRow]) -> list[float]:
    """Return how much later than the first each of these began."""
    begun = [_begun_s(row, rows) or 0.0 for row in rows]
    return [each - begun[0] for each in begun]


def merge_journals(store: Writable, rows: Sequence[SessionRow]) -> str:
    """Write the joined journal of these sessions, in their order, whole or not at all; return its
    id. The originals' notes hold for it.

    The journals stay. StoreError if one is missing, they overlap, or the joined one can't be
    written.
    """
    journals = store.home.journals
    paths = [beneath(journals, row.id + SUFFIX) for row in rows]
    try:
        recordings = [JournalRecording(path) for path in paths]
        ends = [check_journal(path).reached_t for path in paths]
        offsets = offsets_s(rows)
        for index in range(1, len(rows)):
            if offsets[index] < offsets[index - 1] + ends[index - 1]:
                raise StoreError(
                    f"session {rows[index].id} began before {rows[index - 1].id} ended: they can't be joined"
                )
        meta = merged_meta(rows, [recording.meta for recording in recordings])
        path = beneath(journals, meta.id + SUFFIX)
        if path.exists():
            raise StoreError(f"these sessions are joined already, as {meta.id}")
        fresh = path.with_name(path.name + ".new")
        with create_private(fresh) as file:
            joined = _Joined(file, meta)
            for recording, row, offset in zip(recordings, rows, offsets, strict=True):
                joined.add(recording, offset, last=row is rows[-1])
                joined.lap += max((lap.number for lap in laps(store, row.id)), default=0)
            joined.end()
        put_edit(store, _joined_edit(meta.id, [edit_of(store, row.id) for row in rows], offsets))
        fresh.replace(path)
        sync_path(journals)
    except (OSError, RecordingError) as error:
        raise StoreError(f"the sessions can't be joined: {error}") from error
    return meta.id


def _joined_edit(session: str, edits: Sequence[SessionEdit], offsets: Sequence[float]) -> SessionEdit:
    return SessionEdit(
        session=session,
        name=next((edit.name for edit in edits if edit.name), ""),
        tags=tuple(dict.fromkeys(tag for edit in edits for tag in edit.tags)),
        track=next((edit.track for edit in edits if edit.track is not None), None),
        marks=tuple(
            LapMark(each.t + offset_s, each.mark)
            for edit, offset_s in zip(edits, offsets, strict=True)
            for each in edit.marks
        ),
        conditions=joined_conditions([edit.conditions for edit in edits]),
    )


def _begun_s(row: SessionRow, rows: Sequence[SessionRow]) -> float | None:
    """When a session began, on one scale for all of these; the time of day where no day is
    known."""
    if all(each.driven_utc_s is None for each in rows):
        return row.time_of_day_s
    return row.driven_utc_s


class _Joined:
    """A journal that is written from others."""

    def __init__(self, file: BinaryIO, meta: SessionMeta) -> None:
        self._file, self._seq, self._samples = file, 0, 0
        self._streams: list[Stream] = []
        # The number of the lap in which what is added begins.
        self.lap = 0
        self._last_cue = 0
        file.write(HEADER)
        for _ in range(COPIES):
            self._write(meta)

    def add(self, recording: JournalRecording, offset_s: float, *, last: bool) -> None:
        """Add one journal, `offset_s` later. Only the last one's own end is kept."""
        streams: dict[int, int] = {}
        first_cue = self._last_cue
        for _, record in recording.records():
            match record:
                case StreamRecord():
                    if record.stream.id not in streams:
                        streams[record.stream.id] = self._stream(record.stream)
                case SampleRecord() if record.stream in streams:
                    self._samples += 1
                    self._write(
                        msgspec.structs.replace(record, stream=streams[record.stream], t=record.t + offset_s)
                    )
                case ControlRecord() if last or record.kind != "over":
                    self._write(msgspec.structs.replace(record, t=record.t + offset_s))
                case BatchRecord():
                    self._write(record)
                case EventRecord():
                    self._write(msgspec.structs.replace(record, t=record.t + offset_s))
                case LedgerRecord():
                    line = msgspec.json.decode(record.line, type=LedgerLine)
                    line = msgspec.structs.replace(
                        line, t=line.t + offset_s, cue=line.cue + first_cue, lap=line.lap + self.lap
                    )
                    self._last_cue = max(self._last_cue, line.cue)
                    self._write(LedgerRecord(msgspec.json.encode(line)))
                case SessionMeta() | EndRecord() | _:
                    continue

    def end(self) -> None:
        """Close it as it would have been closed."""
        self._write(EndRecord(samples=self._samples))
        self._file.flush()
        os.fsync(self._file.fileno())

    def _stream(self, stream: Stream) -> int:
        """The number of this stream here; one that was there before goes on."""
        for known in self._streams:
            if (known.source, known.channels) == (stream.source, stream.channels):
                return known.id
        numbered = msgspec.structs.replace(stream, id=len(self._streams))
        self._streams.append(numbered)
        for _ in range(COPIES):
            self._write(StreamRecord(numbered))
        return numbered.id

    def _write(self, record: Record) -> None:
        self._file.write(encode_record(self._seq, record))
        self._seq += 1
