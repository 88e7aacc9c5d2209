"""Check and repair journals at a start: damaged parts are set aside, never deleted.

Also the notes of clocks in them: how long a session was interrupted, and when it began if the clock
was set meanwhile."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import msgspec

from pitwall.store.errors import NO_ROOM
from pitwall.store.files import checksum, create_private, keep_bytes, set_aside, stamp_list, sync_path
from pitwall.telemetry.recordings.journal import (
    HEAD,
    HEADER,
    SUFFIX,
    BatchRecord,
    ControlRecord,
    EndRecord,
    EventRecord,
    Record,
    SampleRecord,
    SessionMeta,
    Span,
    StreamRecord,
    decode_record,
    encode_record,
    is_sample,
    scan,
    wrap_payload,
)
from pitwall.telemetry.sample import Stream
from pitwall.telemetry.session_clock import KnownClock

# The suffix of a journal that is being rewritten.
MENDED = ".mended"


class SetAside(msgspec.Struct, frozen=True):
    """A damaged file or part. `kept_as`: where its bytes are, "" if not kept."""

    file: str
    kept_as: str
    reason: str

    def line(self) -> str:
        """Return it for people."""
        return f"{self.file}: {self.reason}" + (f"; kept as {self.kept_as}" if self.kept_as else "")


class JournalCheck(msgspec.Struct, kw_only=True):
    """A journal's content. `last_seq`, `last_sample_seq`: -1 for none; `last_t`: of that sample.
    `bytes`: end of the last whole record. `reached_t`: last sample or control. `restarts`:
    continuations. `clock`: last clock note; `clock_set_s`: by how much it was set. `sources`: clock
    mappings. `lag_s`: how late the fixes were. `closed`: the last record is an end; `ended`:
    cleanly; `over`: does not continue."""

    meta: SessionMeta | None = None
    samples: int = 0
    last_seq: int = -1
    last_sample_seq: int = -1
    bytes: int = 0
    last_t: float = 0.0
    reached_t: float = 0.0
    restarts: int = 0
    clock: ClockNote | None = None
    clock_set_s: float = 0.0
    sources: SourcesNote | None = None
    lag_s: float = 0.0
    closed: bool = False
    ended: bool = False
    over: bool = False
    spans: list[Span] = []
    streams: list[Stream] = []
    events: list[EventRecord] = []
    batches: list[tuple[int, BatchRecord]] = []


class CheckedJournal(msgspec.Struct, frozen=True):
    """A journal as far as it was checked, and the CRC-32 of those bytes."""

    found: JournalCheck = msgspec.field(default_factory=JournalCheck)
    crc: int = 0

    def holds_of(self, path: Path) -> bool:
        """Return whether the journal still begins with these bytes. OSError."""
        return checksum(path, length=self.found.bytes) == (self.crc, self.found.bytes)


def check_journal(path: Path, known: CheckedJournal | None = None) -> JournalCheck:
    """Read a whole journal; a `known`, unchanged beginning is not decoded again. OSError."""
    known = known if known is not None and known.holds_of(path) else CheckedJournal()
    return _check_on(path, known.found)


def check_on(path: Path, known: CheckedJournal, until_seq: int) -> CheckedJournal:
    """Check a journal in use from where it is `known` to record `until_seq`. OSError."""
    found = _check_on(path, known.found, until_seq)
    crc, _ = checksum(path, known.found.bytes, known.crc, found.bytes - known.found.bytes)
    return CheckedJournal(found, crc)


def _check_on(path: Path, known: JournalCheck, until_seq: int | None = None) -> JournalCheck:
    lists = {name: list(getattr(known, name)) for name in ("spans", "streams", "events", "batches")}
    found = msgspec.structs.replace(known, **lists)
    last_sample = b""
    missing, before = 0, (0, 0, -1, -1, 0)  # of the batch that is open: samples to come, and what was before
    with path.open("rb") as file:
        for item in scan(file, known.bytes):
            if isinstance(item, Span):
                found.spans.append(item)
                continue
            seq, payload, offset = item
            if until_seq is not None and seq > until_seq:
                break
            found.bytes = offset + HEAD.size + len(payload)
            if is_sample(payload):
                found.samples += 1
                found.last_sample_seq = max(found.last_sample_seq, seq)
                last_sample = payload
                missing -= missing > 0
            else:
                record = _note(found, payload, seq)
                if isinstance(record, BatchRecord):
                    missing = record.samples
                    before = (offset, found.samples, found.last_seq, found.last_sample_seq, len(found.spans))
            found.last_seq = max(found.last_seq, seq)
    if missing:
        _cut_batch(found, path, *before)
    record = decode_record(last_sample) if last_sample else None
    if isinstance(record, SampleRecord):
        found.last_t = record.t
    found.reached_t = max(found.reached_t, found.last_t)
    return found


def _cut_batch(
    found: JournalCheck,
    path: Path,
    offset: int,
    samples: int,
    last_seq: int,
    last_sample_seq: int,
    spans: int,
) -> None:
    found.samples, found.last_seq, found.last_sample_seq = samples, last_seq, last_sample_seq
    found.bytes = offset
    found.batches.pop()
    found.spans[spans:] = [Span(offset, path.stat().st_size - offset, torn=True)]


def _note(found: JournalCheck, payload: bytes, seq: int) -> Record | None:
    record = decode_record(payload)
    found.closed = isinstance(record, EndRecord)
    found.ended = isinstance(record, EndRecord) and not record.broken_off
    if isinstance(record, ControlRecord):
        found.reached_t = max(found.reached_t, record.t)
    match record:
        case SessionMeta():
            found.meta = found.meta or record
        case StreamRecord() if all(each.id != record.stream.id for each in found.streams):
            found.streams.append(record.stream)
        case EventRecord():
            found.events.append(record)
        case BatchRecord():
            found.batches.append((seq, record))
        case ControlRecord(kind="restart"):
            found.restarts += 1
        case ControlRecord(kind="over"):
            found.over = True
        case ControlRecord(kind="clock"):
            note, before = read_note(record.detail), found.clock
            if note is not None and before is not None:
                found.clock_set_s += note.set_by_s(before)
            found.clock = note or before
        case ControlRecord(kind="sources"):
            found.sources = read_sources(record.detail) or found.sources
        case ControlRecord(kind="lag"):
            with suppress(ValueError):  # of a newer program
                found.lag_s = float(record.detail)
    return record


def repair_journal(path: Path, found: JournalCheck, folder: Path) -> SetAside | None:
    """Repair a journal: a torn end is trimmed and kept, a damaged file moved. OSError."""
    if not found.spans:
        return None
    if found.last_seq < 0:
        kept = set_aside(path, folder)
        return SetAside(path.name, str(kept), "holds no whole record")
    if len(found.spans) == 1 and found.spans[0].torn:
        torn, kept_as = found.spans[0], ""
        reason = f"torn end of {torn.length} bytes trimmed"
        try:
            kept_as = str(keep_bytes(path, torn.offset, torn.length, folder))
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            reason += ", there was no room to keep them"
        os.truncate(path, torn.offset)
        sync_path(path)
        return SetAside(path.name, kept_as, reason)
    kept = _rewrite(path, folder)
    lost = sum(span.length for span in found.spans)
    where = ", ".join(str(span.offset) for span in found.spans[:5])
    return SetAside(path.name, str(kept), f"{lost} damaged bytes at offset {where}; the good records go on")


def finish_repairs(journals: Path) -> None:
    """Finish repairs that a kill interrupted. OSError."""
    for fresh in journals.glob(f"*{SUFFIX}{MENDED}"):
        path = fresh.with_suffix("")
        fresh.unlink() if path.exists() else fresh.replace(path)


def _rewrite(path: Path, folder: Path) -> Path:
    fresh = path.with_name(path.name + MENDED)
    try:
        with path.open("rb") as source, create_private(fresh) as copy:
            copy.write(HEADER)
            for item in scan(source):
                if not isinstance(item, Span):
                    copy.write(wrap_payload(*item[:2]))
            copy.flush()
            os.fsync(copy.fileno())
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    kept = set_aside(path, folder)
    fresh.replace(path)
    sync_path(path.parent)
    return kept


def end_journal(path: Path, found: JournalCheck) -> None:
    """Add the end record that a killed process could not write."""
    if found.closed:
        return
    with path.open("ab") as file:
        file.write(encode_record(found.last_seq + 1, EndRecord(samples=found.samples, broken_off=True)))
    sync_path(path)
    found.last_seq += 1
    found.closed = True


def journal_seal(path: Path) -> tuple[list[int], int]:
    """Return (stamp as a list, CRC-32) of a finished journal."""
    seen = stamp_list(path)
    crc, _ = checksum(path)
    return seen, crc


BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# Two notes of one boot that differ by more: the clock was set.
SET_S = 2.0


class ClockNote(msgspec.Struct, frozen=True):
    """The clock in unix seconds, and the seconds since the boot of this id ("": unknown)."""

    utc_s: float
    boot_s: float = 0.0
    boot: str = ""

    def __str__(self) -> str:
        return f"{self.utc_s:.3f} {self.boot_s:.3f} {self.boot}".rstrip()

    def seconds_since(self, earlier: ClockNote) -> float:
        """Return seconds since the earlier note, whatever the clock was set to within one boot."""
        if self.boot and self.boot == earlier.boot:
            return self.boot_s - earlier.boot_s
        return self.utc_s - earlier.utc_s

    def set_by_s(self, earlier: ClockNote) -> float:
        """Return by how much the clock was set since the earlier note, 0 if unknown."""
        set_s = self.utc_s - earlier.utc_s - self.seconds_since(earlier)
        return set_s if abs(set_s) >= SET_S else 0.0


class SourcesNote(msgspec.Struct, frozen=True):
    """How the sources' clocks map: at `t` the boot of this id was `boot_s` old."""

    t: float
    boot_s: float
    boot: str
    late_s: float
    clocks: tuple[KnownClock, ...] = ()

    def t_now(self) -> float | None:
        """Return the session's time now, None after another boot."""
        if not self.boot or self.boot != _boot_id():
            return None
        return self.t + time.clock_gettime(time.CLOCK_BOOTTIME) - self.boot_s


def note_sources(t: float, late_s: float, clocks: Iterable[KnownClock]) -> str:
    """Return the note of this moment."""
    boot_s = time.clock_gettime(time.CLOCK_BOOTTIME)
    return msgspec.json.encode(SourcesNote(t, boot_s, _boot_id(), late_s, tuple(clocks))).decode()


def read_sources(text: str) -> SourcesNote | None:
    """Return a written note, None if it is none."""
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.json.decode(text, type=SourcesNote)
    return None


def clock_now() -> ClockNote:
    """Return what the clock says now, rounded as written."""
    utc_s = round(time.time(), 3)
    if not (boot := _boot_id()):
        return ClockNote(utc_s)
    return ClockNote(utc_s, round(time.clock_gettime(time.CLOCK_BOOTTIME), 3), boot)


def read_note(text: str) -> ClockNote | None:
    """Return a written note, None if it is none."""
    with contextlib.suppress(ValueError, IndexError):
        words = text.split()
        if len(words) < 3:
            return ClockNote(float(words[0]))
        return ClockNote(float(words[0]), float(words[1]), words[2])
    return None


@lru_cache(maxsize=1)
def _boot_id() -> str:
    with contextlib.suppress(OSError):
        return BOOT_ID.read_text().strip()
    return ""
