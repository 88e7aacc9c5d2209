"""Files that cost much and hold little: each is refused with what is wrong, and nothing of it is kept."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from long_runs import some
from stored_facts import opened
from test_fit import UINT32, record, written
from test_gopro import gps9, video

from pitwall.config import Home
from pitwall.drive.prepare import (
    GATE_OPTION,
    SETTINGS_OPTION,
    SPLITS_OPTION,
    DriveSettings,
    gate_of,
    settings_of,
    splits_of,
)
from pitwall.drive.replay import import_file
from pitwall.telemetry.recordings import base, fit, gpx, nmea, rows
from pitwall.telemetry.recordings.base import BUDGET, ImportBudget, RecordingError
from pitwall.telemetry.recordings.journal import (
    HEADER,
    ControlRecord,
    Record,
    SampleRecord,
    SessionMeta,
    StreamRecord,
    encode_record,
)
from pitwall.telemetry.sample import Channel, Stream

# A small one: what is counted is the same.
SMALL = msgspec.structs.replace(BUDGET, values=20_000, unread=3_000, standing=3_000, back=100)
HEAD = "Time,Latitude,Longitude,Speed (km/h)"


def row(number: int) -> str:
    return f"{number / 10},{50 + number * 1e-5:.6f},7.0,100"


def wide(cell: str, columns: int) -> Iterator[str]:
    names = ",".join(f"x{n}" for n in range(columns))
    yield f"{HEAD},{names}\n"
    for number in range(2_000):
        # What a column holds is judged by its first rows.
        yield f"{row(number)},{','.join([cell if number > 400 else '1'] * columns)}\n"


def at_random() -> Iterator[str]:
    yield f"{HEAD}\n"
    chance = random.Random(1)
    for number in range(3_000):
        yield f"{chance.random() * 30_000:.1f},{row(number).partition(',')[2]}\n"


def blank() -> Iterator[str]:
    yield f"{HEAD}\n{row(0)}\n{row(1)}\n"
    yield "\n" * 10_000


def equal() -> Iterator[str]:
    yield "$GPGGA,120000.00,5000.0,N,00700.0,E,1,09,0.9,100.0,M,0.0,M,,\n" * 10_000


def points(inside: str, *, around: str = "") -> Iterator[str]:
    yield f'<gpx version="1.1">{around}<trk><trkseg>'
    for second in range(10):
        yield f'<trkpt lat="50.{second:04d}" lon="7"><time>2026-05-01T10:00:{second:02d}Z</time>'
        yield f"{inside}</trkpt>"
    yield "</trkseg></trk></gpx>"


def garbage() -> Iterator[str]:
    yield "\n".join((HEAD, *map(row, range(500)), ""))
    yield "x,y\n" * 10_000


def of_fit(message: int, rows: int) -> Callable[[Path], None]:
    """One record, then many messages of a time that stands still."""
    definition = struct.pack("<BBBHB", 0x40, 0, 0, message, 1) + bytes((253, 4, UINT32))
    body = record(700_000_000, 51.0, 4.0, 20.0) + definition + (b"\0" + struct.pack("<I", 700_000_000)) * rows
    return lambda path: written(path, body) and None


def of_gopro(path: Path) -> None:
    payload = gps9([((51.0, 4.0, 20.0, 30.0), 43_200.0, 1.0, 3)] * 500)
    video(path, [payload] * 10)


BINARY: dict[str, tuple[Callable[[Path], None], str]] = {
    "FIT: records of one time": (of_fit(20, 5_000), "stands still"),
    "FIT: messages that are no records": (of_fit(21, 5_000), "messages without a record"),
    "GoPro: fixes of one time": (of_gopro, "stands still"),
}
BOMBS: dict[str, tuple[Callable[[], Iterator[str]], str]] = {
    "wide rows": (lambda: wide("1", 1_900), "lines of 1904 columns"),
    "cells that are no numbers": (lambda: wide("q", 300), "can't be read"),
    "times at random": (at_random, "runs back more than 100 times"),
    "lines that are no rows": (garbage, "can't be read"),
    "blank lines": (blank, "stands still"),
    "equal sentences": (equal, "stands still"),
    "children of a point": (lambda: points("<a/>" * 100), "points of 101 elements"),
    "elements that are no points": (lambda: points("", around="<a/>" * 300_000), "without a track point"),
    "a text without an end": (lambda: points("a" * 2_000_000), "bytes without an element"),
}


@pytest.mark.parametrize("name", some([*BOMBS, *BINARY], 5))
def test_it_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for reader in (base, rows, nmea, gpx, fit):
        monkeypatch.setattr(reader, "BUDGET", SMALL)
    monkeypatch.setattr(fit, "MOST_BETWEEN", 3_000)
    path = tmp_path / "bomb"
    if name in BINARY:
        make, why = BINARY[name]
        make(path)
    else:
        made, why = BOMBS[name]
        path.write_text("".join(made()))
    with opened(home := Home(tmp_path / "home")) as store:
        with pytest.raises(RecordingError, match=why):
            import_file(path, home, store)
        assert not any(home.journals.iterdir())


def test_what_is_read_before_the_first_row_has_its_seconds_too(tmp_path: Path) -> None:
    path = tmp_path / "short"
    path.write_bytes(b"1")
    budget = ImportBudget(base_s=0.05, s_per_mb=0.0)
    begun_s = time.process_time()

    def read() -> None:
        with budget.limited(path, time.thread_time()):
            while time.process_time() < begun_s + 10.0:
                pass

    with pytest.raises(RecordingError, match="of this processor"):
        read()
    assert time.process_time() < begun_s + 10.0


def test_a_journal_that_nobody_of_ours_wrote_is_refused(tmp_path: Path) -> None:
    """Its options count as none, a control that makes no sense as damage."""
    options = {GATE_OPTION: '{"a_lat_deg":', SETTINGS_OPTION: "[]", SPLITS_OPTION: "7"}
    assert (gate_of(options), settings_of(options), splits_of(options)) == (None, DriveSettings(), ())
    meta = SessionMeta(id="s-1", kind="live", created_utc_s=0.0, options=options)
    records: list[Record] = [
        meta,
        StreamRecord(Stream(0, "gps", (Channel("lat_deg", "deg", ""), Channel("lon_deg", "deg", "")))),
        *(SampleRecord(0, n / 10, (50.0 + n * 1e-5, 7.0)) for n in range(100)),
    ]
    path = tmp_path / "other.pwj"
    with opened(home := Home(tmp_path / "home")) as store:
        path.write_bytes(HEADER + b"".join(encode_record(seq, each) for seq, each in enumerate(records)))
        assert import_file(path, home, store).samples == 100
        records.insert(50, ControlRecord(4.0, "memory", "none"))
        path.write_bytes(HEADER + b"".join(encode_record(seq, each) for seq, each in enumerate(records)))
        with pytest.raises(RecordingError, match="what no Pitwall wrote"):
            import_file(path, home, store)
        assert len(list(home.journals.iterdir())) == 1
