"""Our own recording: the journal, written first and read like any other file.

Layout (version 1, big-endian). File header: `PITWALLJ`, u16 version, u32 CRC-32 of the ten bytes
before it. Then records: sync mark, u32 payload length, u32 sequence number, u32 CRC-32 of (length,
sequence number, payload), payload. A payload is a msgpack array whose first item is the kind (`s`
sample, `d` stream definition, `h` session header, `c` ledger line, `v` event, `k` control, `b`
batch, `e` end). Every byte is checked, so a flipped one is always noticed, and reading continues at
the next valid record.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, Literal, cast

import msgspec

from pitwall.telemetry.findings import Finding, FindingKind
from pitwall.telemetry.outside import clean_fields, day_or_none
from pitwall.telemetry.recordings.base import MARK, RecordingError, RecordingInfo, StoredGate
from pitwall.telemetry.recordings.text import open_bytes
from pitwall.telemetry.sample import Sample, Stream, Values

SUFFIX = ".pwj"
FORMAT = "pitwall journal"
VERSION = 1
MAGIC = b"PITWALLJ"
# 0xC1 is the byte that msgpack never uses as a type.
SYNC = b"\xc1PW\xc1"
HEAD = struct.Struct(">4sIII")
_COVERED = struct.Struct(">II")
# 10,000 channels of 9 bytes fit.
MAX_PAYLOAD = 128 * 1024
# Reading is cheap against decoding, and a phone has the room.
CHUNK = 1 << 18
# A definition is written twice: no sample can be read without it.
COPIES = 2


class SessionMeta(msgspec.Struct, frozen=True, kw_only=True, tag="h", array_like=True):
    """Describes a session. `id`: unique in a home, part of the file name; times are unix seconds.

    `source_digest`: of an imported file's content. `options`: settings that a rebuild needs.
    """

    id: str
    kind: Literal["live", "import", "replay"]
    created_utc_s: float
    source_name: str = ""
    source_digest: str = ""
    track: str = ""
    format: str = ""
    start_utc_s: float | None = None
    app_version: str = ""
    venue: str = ""
    driver: str = ""
    vehicle: str = ""
    gate: StoredGate | None = None
    lap_marks_t: tuple[float, ...] = ()
    options: dict[str, str] = {}

    def __post_init__(self) -> None:
        clean_fields(self, "source_name", "venue", "driver", "vehicle")
        msgspec.structs.force_setattr(self, "start_utc_s", day_or_none(self.start_utc_s))
        msgspec.structs.force_setattr(self, "created_utc_s", day_or_none(self.created_utc_s) or 0.0)


class StreamRecord(msgspec.Struct, frozen=True, tag="d", array_like=True):
    """The definition of a stream, COPIES times before its first sample."""

    stream: Stream


class SampleRecord(msgspec.Struct, frozen=True, gc=False, tag="s", array_like=True):
    """A sample."""

    stream: int
    t: float
    values: Values


class LedgerRecord(msgspec.Struct, frozen=True, tag="c", array_like=True):
    """A ledger line, JSON bytes."""

    line: bytes


class EventRecord(msgspec.Struct, frozen=True, tag="v", array_like=True):
    """Something that happened at `t`. `detail`: text or JSON."""

    t: float
    kind: str
    detail: str = ""


class ControlRecord(msgspec.Struct, frozen=True, tag="k", array_like=True):
    """A message to the in-drive path at `t`, which a replay repeats."""

    t: float
    kind: str
    detail: str = ""


class BatchRecord(msgspec.Struct, frozen=True, tag="b", array_like=True):
    """The next `samples` records are a batch, whole or not at all."""

    id: str
    samples: int


class EndRecord(msgspec.Struct, frozen=True, kw_only=True, tag="e", array_like=True):
    """The close: samples written and shed. `broken_off`: added later, after a kill."""

    samples: int
    shed: int = 0
    broken_off: bool = False


Record = (
    SessionMeta
    | StreamRecord
    | SampleRecord
    | LedgerRecord
    | EventRecord
    | ControlRecord
    | BatchRecord
    | EndRecord
)


class NumberedSample(Sample, frozen=True, gc=False):
    """A sample with its sequence number, so that a rebuild can skip rows."""

    seq: int


class Span(msgspec.Struct, frozen=True):
    """Bytes that are no record. `torn`: the file ends inside a record."""

    offset: int
    length: int
    torn: bool


_encode = msgspec.msgpack.Encoder().encode
_decode_sample = msgspec.msgpack.Decoder(SampleRecord).decode
_decode_record = msgspec.msgpack.Decoder(Record).decode
# An array of four and the string "s".
_SAMPLE_START = b"\x94\xa1s"


def file_header(version: int = VERSION) -> bytes:
    """Return the first 14 bytes of a journal."""
    magic = MAGIC + struct.pack(">H", version)
    return magic + struct.pack(">I", zlib.crc32(magic))


HEADER = file_header()


def encode_record(seq: int, record: Record | Sample) -> bytes:
    """Return a record as bytes. ValueError if it is over MAX_PAYLOAD."""
    if type(record) is Sample or isinstance(record, NumberedSample):
        payload = _encode(("s", record.stream, record.t, record.values))
    else:
        payload = _encode(record)
    if len(payload) > MAX_PAYLOAD:
        raise ValueError(f"a journal record of {len(payload)} bytes: at most {MAX_PAYLOAD} are allowed")
    return wrap_payload(seq, payload)


def wrap_payload(seq: int, payload: bytes) -> bytes:
    """Return the record around a payload."""
    covered = _COVERED.pack(len(payload), seq)
    crc = zlib.crc32(payload, zlib.crc32(covered))
    return b"".join((SYNC, covered, crc.to_bytes(4, "big"), payload))


def is_sample(payload: bytes) -> bool:
    """Return whether a payload is a sample."""
    return payload.startswith(_SAMPLE_START)


def decode_record(payload: bytes) -> Record | None:
    """Return the record of a payload; None for one of a newer program."""
    try:
        return cast(Record, _decode_record(payload))
    except msgspec.DecodeError:
        return None


def sniff(head: bytes) -> bool:
    """Accept a file's beginning, or a record's where that is damaged."""
    return head.startswith(MAGIC) or SYNC in head


def has_valid_header(head: bytes) -> bool:
    """Return whether a file begins as a journal of any version."""
    if len(head) < len(HEADER) or not head.startswith(MAGIC):
        return False
    (crc,) = struct.unpack(">I", head[10:14])
    return bool(crc == zlib.crc32(head[:10]))


def scan(file: IO[bytes], start: int = 0) -> Iterator[tuple[int, bytes, int] | Span]:
    """Yield (seq, payload, file offset) of every whole record, and a Span for what lies between.

    After damage it continues at the next record whose CRC fits. Constant memory. `start`: an
    offset. RecordingError for a newer version.
    """
    if start:
        file.seek(start)
    elif (head := file.read(len(HEADER))) != HEADER:
        _refuse_newer(file, head)
        if HEADER.startswith(head):
            yield Span(0, len(head), torn=True)
            return
        file.seek(0)
    base = file.tell()
    buffer, at, lost_from = b"", 0, -1
    more = True
    while True:
        while more and len(buffer) - at < HEAD.size + MAX_PAYLOAD:
            chunk = file.read(CHUNK)
            more = bool(chunk)
            base, buffer, at = base + at, buffer[at:] + chunk, 0
        if at >= len(buffer):
            break
        length = _whole_record(buffer, at)
        if length is None:
            if lost_from < 0:
                if not more and _is_torn(buffer, at) and _next_record(buffer, at + 1) is None:
                    yield Span(base + at, len(buffer) - at, torn=True)
                    return
                lost_from = base + at
            at = _resume_at(buffer, at, more)
            continue
        if lost_from >= 0:
            yield Span(lost_from, base + at - lost_from, torn=False)
            lost_from = -1
        start = at + HEAD.size
        seq = int.from_bytes(buffer[at + 8 : at + 12], "big")
        yield seq, buffer[start : start + length], base + at
        at = start + length
    if lost_from >= 0:
        yield Span(lost_from, base + len(buffer) - lost_from, torn=False)


def _refuse_newer(file: IO[bytes], head: bytes) -> None:
    if has_valid_header(head):
        version = int.from_bytes(head[8:10], "big")
        raise RecordingError(
            Path(str(getattr(file, "name", "journal"))),
            f"a journal of version {version}, this program reads up to {VERSION}",
            hint="use a newer pitwall",
        )


def _whole_record(buffer: bytes, at: int) -> int | None:
    if len(buffer) - at < HEAD.size:
        return None
    sync, length, seq, crc = HEAD.unpack_from(buffer, at)
    start = at + HEAD.size
    if sync != SYNC or length > MAX_PAYLOAD or start + length > len(buffer):
        return None
    found = zlib.crc32(buffer[start : start + length], zlib.crc32(_COVERED.pack(length, seq)))
    return int(length) if found == crc else None


def _is_torn(buffer: bytes, at: int) -> bool:
    left = len(buffer) - at
    if left < HEAD.size:
        return SYNC.startswith(buffer[at : at + 4])
    sync, length, _, _ = HEAD.unpack_from(buffer, at)
    return bool(sync == SYNC and length <= MAX_PAYLOAD and HEAD.size + length > left)


def _next_record(buffer: bytes, start: int) -> int | None:
    at = buffer.find(SYNC, start)
    while at >= 0:
        if _whole_record(buffer, at) is not None:
            return at
        at = buffer.find(SYNC, at + 1)
    return None


def _resume_at(buffer: bytes, at: int, more: bool) -> int:
    found = buffer.find(SYNC, at + 1)
    if found >= 0:
        return found
    return max(at + 1, len(buffer) - len(SYNC) + 1) if more else len(buffer)


def read_header(path: Path) -> SessionMeta:
    """Return a journal's first header, else one made from the file's name. RecordingError."""
    for item in _scanned(path):
        if isinstance(item, Span):
            continue
        if is_sample(item[1]):
            break
        if isinstance(record := decode_record(item[1]), SessionMeta):
            return record
    return _nameless(path)


def _scanned(path: Path, start: int = 0) -> Iterator[tuple[int, bytes, int] | Span]:
    try:
        with open_bytes(path) as file:
            yield from scan(file, start)
    except OSError as error:
        raise RecordingError(path, f"can't be read: {error.strerror or error}") from error


def _nameless(path: Path) -> SessionMeta:
    return SessionMeta(id=path.stem, kind="live", created_utc_s=0.0)


class JournalRecording:
    """An opened journal; `numbered`: it yields NumberedSample. RecordingError: no record."""

    def __init__(
        self,
        path: Path,
        *,
        numbered: bool = False,
        known: tuple[SessionMeta, tuple[Stream, ...]] | None = None,
    ) -> None:
        """`known`: its session and streams, if read already."""
        self.path = path
        self.numbered = numbered
        self._findings: list[Finding] = []
        self._last_t: float | None = None
        self._last_controls: dict[str, str] = {}
        self.meta, streams = known or self._definitions()
        self.info = RecordingInfo(
            format=FORMAT,
            path=str(path),
            streams=streams,
            start_utc_s=self.meta.start_utc_s,
            gate=self.meta.gate,
            venue=self.meta.venue,
            driver=self.meta.driver,
            vehicle=self.meta.vehicle,
            lap_marks_t=self.meta.lap_marks_t,
        )

    def samples(self) -> Iterator[Sample]:
        """Yield the samples; what is damaged is left out and found."""
        unreadable = 0
        for seq, payload in self._payloads():
            if not is_sample(payload):
                continue
            try:
                record = _decode_sample(payload)
            except msgspec.DecodeError:
                unreadable += 1
                continue
            self._last_t = record.t
            if self.numbered:
                yield NumberedSample(record.stream, record.t, record.values, seq)
            else:
                yield Sample(record.stream, record.t, record.values)
        if unreadable:
            self._findings.append(
                Finding("malformed_row", "", unreadable, None, "samples that make no sense")
            )

    def records(self, start: int = 0) -> Iterator[tuple[int, Record]]:
        """Yield (seq, record) of every known record from the offset `start` on."""
        for seq, payload in self._payloads(start):
            record = decode_record(payload)
            if isinstance(record, SampleRecord):
                self._last_t = record.t
            if record is not None:
                yield seq, record

    def offset_before(self, t: float, end: int) -> int:
        """Return an offset, before `end`, from which to read all samples since `t`."""
        low, high = 0, end
        while high - low > CHUNK:
            middle = (low + high) // 2
            times = (record.t for _, record in self.records(middle) if isinstance(record, SampleRecord))
            low, high = (middle, high) if next(times, t) < t else (low, middle)
        return low

    def _payloads(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        self._findings, self._last_t = [], None
        for item in _scanned(self.path, start):
            if isinstance(item, Span):
                self._findings.append(_span_finding(item, self._last_t))
            else:
                yield item[:2]

    def last_control(self, kind: str) -> str:
        """Return the last control of this kind, "" if none."""
        return self._last_controls.get(kind, "")

    def findings(self) -> list[Finding]:
        """Return the last pass's findings."""
        return list(self._findings)

    def _definitions(self) -> tuple[SessionMeta, tuple[Stream, ...]]:
        meta: SessionMeta | None = None
        streams: dict[int, Stream] = {}
        any_record = False
        for item in _scanned(self.path):
            if isinstance(item, Span):
                continue
            any_record = True
            record = None if is_sample(item[1]) else decode_record(item[1])
            if isinstance(record, SessionMeta):
                meta = meta or record
            elif isinstance(record, StreamRecord):
                streams.setdefault(record.stream.id, record.stream)
            elif isinstance(record, ControlRecord):
                self._last_controls[record.kind] = record.detail
        if not any_record:
            raise RecordingError(
                self.path, "holds no whole record", hint="it was killed before the first write"
            )
        return meta or _nameless(self.path), tuple(streams.values())


def _span_finding(span: Span, last_t: float | None) -> Finding:
    kind: FindingKind = "truncated" if span.torn else "damaged"
    what = "the file ends inside a record" if span.torn else "bytes that are no record"
    return Finding(kind, "", 1, last_t, f"{what}: {span.length} bytes at offset {span.offset}")


def write_journal(file: BinaryIO, info: RecordingInfo, samples: Iterable[Sample]) -> int:
    """Write a closed journal; return the number of samples."""
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
