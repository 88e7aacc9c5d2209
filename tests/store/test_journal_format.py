"""The journal's format: what goes in comes out, and no flipped byte goes unseen."""

from __future__ import annotations

import io
import random
from pathlib import Path

import driven_home as driven
import pytest

from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import (
    HEADER,
    EndRecord,
    EventRecord,
    JournalRecording,
    LedgerRecord,
    Record,
    Span,
    StreamRecord,
    decode_record,
    encode_record,
    file_header,
    is_sample,
    scan,
)
from pitwall.telemetry.sample import Sample

RECORDS: list[Record | Sample] = [
    driven.meta("s", venue="Sonoma", lap_marks_t=(1.5, 90.25)),
    driven.meta("s", venue="Sonoma", lap_marks_t=(1.5, 90.25)),
    StreamRecord(driven.STREAM),
    StreamRecord(driven.STREAM),
    *(driven.sample(number) for number in range(40)),
    LedgerRecord(b'{"cue":1}'),
    EventRecord(0.4, "source lost", "GPS"),
    Sample(0, 0.5, (None, float("inf"), -0.0, 1e-300)),
    EndRecord(samples=41),
]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "s.pwj"
    path.write_bytes(HEADER + b"".join(encode_record(seq, record) for seq, record in enumerate(RECORDS)))
    return path


def test_everything_comes_back_with_its_number(journal: Path) -> None:
    recording = JournalRecording(journal)
    samples = [record for record in RECORDS if isinstance(record, Sample)]
    assert list(recording.samples()) == samples
    assert list(recording.samples()) == samples, "a second pass reads the same"
    assert recording.findings() == []
    assert recording.meta == RECORDS[0]
    assert recording.info.streams == (driven.STREAM,)
    assert recording.info.lap_marks_t == (1.5, 90.25)
    others = [(seq, record) for seq, record in recording.records() if seq >= 44 and seq != 46]
    assert others == [(44, RECORDS[44]), (45, RECORDS[45]), (47, RECORDS[47])]


def test_every_single_flipped_bit_is_noticed_and_costs_one_record_at_most(journal: Path) -> None:
    whole = journal.read_bytes()
    count = len(RECORDS)
    chance = random.Random(5)
    for offset in range(len(whole)):
        changed = bytearray(whole)
        changed[offset] ^= 1 << chance.randrange(8)
        found = list(scan(io.BytesIO(changed)))
        spans = [item for item in found if isinstance(item, Span)]
        records = [item for item in found if not isinstance(item, Span)]
        assert len(spans) == 1, offset
        assert spans[0].offset <= offset < spans[0].offset + spans[0].length
        assert len(records) == (count if offset < len(HEADER) else count - 1)
        for seq, payload, _ in records:
            record = RECORDS[seq]
            if not isinstance(record, Sample):
                assert decode_record(payload) == record
            else:
                assert is_sample(payload)


def test_a_lost_copy_of_a_definition_loses_no_sample(journal: Path) -> None:
    whole = bytearray(journal.read_bytes())
    for offset in (whole.find(b"Battery Voltage"), whole.find(b"sonoma")):
        changed = bytearray(whole)
        changed[offset] ^= 4
        journal.write_bytes(changed)
        recording = JournalRecording(journal)
        assert recording.info.streams == (driven.STREAM,)
        assert recording.meta == RECORDS[0]
        assert len(list(recording.samples())) == 41
        assert [finding.kind for finding in recording.findings()] == ["damaged"]


def test_damage_across_the_reading_chunks(tmp_path: Path) -> None:
    """3 MB, so that records, damage and search all lie across the 1 MB chunks."""
    path = tmp_path / "long.pwj"
    records = [encode_record(seq, Sample(0, seq * 0.01, (float(seq),) * 60)) for seq in range(5_500)]
    whole = bytearray(HEADER + b"".join(records))
    assert len(whole) > 3 << 20
    hole = range((1 << 20) - 3_000, (1 << 20) + 3_000)
    whole[hole.start : hole.stop] = bytes(len(hole))
    path.write_bytes(whole)
    with path.open("rb") as file:
        found = list(scan(file))
    spans = [item for item in found if isinstance(item, Span)]
    size = len(records[0])
    first_lost = (hole.start - len(HEADER)) // size
    last_lost = (hole.stop - 1 - len(HEADER)) // size
    lost = last_lost - first_lost + 1
    assert spans == [Span(len(HEADER) + first_lost * size, lost * size, torn=False)]
    assert len(found) - 1 == len(records) - lost


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "new.pwj"
    path.write_bytes(file_header(2) + encode_record(0, driven.sample(0)))
    with pytest.raises(RecordingError, match=r"version 2.*up to 1.*newer pitwall"):
        JournalRecording(path)


@pytest.mark.parametrize("content", [b"", HEADER, HEADER[:5], b"Time,Speed\n1,2\n", bytes(5_000)])
def test_a_file_without_a_record_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.pwj"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match="no whole record"):
        JournalRecording(path)


def test_a_folder_or_a_missing_file_is_a_clear_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.pwj"):
        with pytest.raises(RecordingError, match="can't be read"):
            JournalRecording(path)


def test_too_long_a_record_is_refused_when_written() -> None:
    with pytest.raises(ValueError, match="at most"):
        encode_record(0, Sample(0, 0.0, (1.5,) * 20_000))
