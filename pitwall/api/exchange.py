"""Write a stored session as a file for other programs: one row a format, from the driven frames.

Formats without blank cells get only frames with a fresh fix, so that no place stands there twice.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from pitwall.analysis.port import track_in
from pitwall.config import beneath
from pitwall.drive.journal import locate_recording
from pitwall.store import queries
from pitwall.store.errors import NotExportableError, StoreError
from pitwall.store.export import BUNDLE_SUFFIX, Table, make_bundle, make_table
from pitwall.store.queries import Readable, SessionRow, rows
from pitwall.telemetry.frame import FIX_STEP_S
from pitwall.telemetry.recordings.base import RecordingInfo, StoredGate
from pitwall.telemetry.recordings.journal import SUFFIX, JournalRecording
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.signals import CANONICAL
from pitwall.track.lap import Lap
from pitwall.track.model import Track

if TYPE_CHECKING:
    from pitwall.telemetry.recordings.written import WrittenFormat

FileFormat = Literal["vbo", "gpx", "parquet", "laps", "passes", "signals", "bundle"]
FORMATS: tuple[FileFormat, ...] = get_args(FileFormat)
MARK = "Exported by Pitwall"
NAMES = tuple(signal.name for signal in CANONICAL)
LAP = NAMES.index("lap_number")

TEXTS: tuple[FileFormat, ...] = ("vbo", "gpx")
# What each Parquet file holds: store/PARQUET.md.
PARQUETS: dict[FileFormat, Table] = {
    "parquet": "frames", "laps": "laps", "passes": "passes", "signals": "signals",
}  # fmt: skip


def suffix_of(form: FileFormat) -> str:
    """Return how such a file's name ends, with what it holds where a session has several."""
    if form in TEXTS:
        return writer_of(form).suffix
    return {"parquet": ".parquet", "bundle": BUNDLE_SUFFIX}.get(form) or f"-{PARQUETS[form]}.parquet"


def writer_of(form: FileFormat) -> WrittenFormat:
    """Return a format's writer."""
    from pitwall.telemetry.recordings.written import WRITTEN  # few export, and it brings every reader

    return WRITTEN[form]


def make_file(store: Readable, session: str, form: FileFormat) -> Path:
    """Write a closed session as a new file in the exports folder. StoreError."""
    row = queries.session(store, session)
    if row.closed_utc_s is None:
        raise NotExportableError(f"session {row.id} is still being driven; export it when it is over")
    track = track_in(store.home, row.track) if row.track else None
    if form in PARQUETS:
        return make_table(store, row.id, PARQUETS[form])
    if form == "bundle":
        return make_bundle(store, row.id, () if track is None else (track,))
    entry = writer_of(form)
    made = store.handover / f"{secrets.token_hex(8)}{entry.suffix}"
    laps, known = queries.laps(store, row.id), known_signals(store, row.id)
    samples = frame_samples(store, row.id, laps, known)
    try:
        with made.open("w", encoding=entry.encoding, errors="replace", newline="") as file:
            assert entry.write is not None  # only the journal's is
            count = entry.write(file, header(store, row, track, laps, known), samples, MARK)
        if not count:
            raise NotExportableError(f"session {row.id} has no fix: there is nothing to write as {form}")
    except (OSError, StoreError) as error:
        made.unlink(missing_ok=True)
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"session {row.id} can't be written: {error.strerror or error}") from error
    return made


def known_signals(store: Readable, session: str) -> tuple[int, ...]:
    """Return which canonical signals this session has, by their places; our laps are one."""
    sql = f"SELECT {', '.join(f'count({name}) > 0' for name in NAMES)} FROM frames WHERE session = ?"  # noqa: S608
    found = rows(store, sql, [session])[0]
    return tuple(at for at, has in enumerate(found) if has or at == LAP)


def header(
    store: Readable, row: SessionRow, track: Track | None, laps: Iterable[Lap], known: Sequence[int]
) -> RecordingInfo:
    """Return a file's header. Without a known day its clock counts from 1970-01-01."""
    line = track.gate if track is not None else None
    path = beneath(store.home.journals, row.id + SUFFIX)
    if line is None and path.is_file():
        line = locate_recording(JournalRecording(path), {}).venue.gate
    gate = None
    if line is not None:
        gate = StoredGate(line.a_lat_deg, line.a_lon_deg, line.b_lat_deg, line.b_lon_deg)
    channels = [Channel(signal.name, signal.unit, "") for signal in map(CANONICAL.__getitem__, known)]
    start_utc_s = row.driven_utc_s if row.driven_utc_s is not None else row.time_of_day_s
    return RecordingInfo(
        format="pitwall",
        path="",
        streams=(Stream(0, "pitwall", tuple(channels)),),
        start_utc_s=start_utc_s,
        gate=gate,
        venue=track.name if track is not None else row.venue,
        driver=row.driver,
        vehicle=row.vehicle,
        lap_marks_t=tuple(lap.end_t for lap in laps if lap.time_s is not None),
    )


def frame_samples(
    store: Readable, session: str, laps: Iterable[Lap], known: Sequence[int]
) -> Iterator[Sample]:
    """Yield the frames with a fix of their own as samples of the canonical signals."""
    whole = Lap(0, "broken", float("-inf"), float("inf"), None)
    ends = [(lap.end_t, lap.number) for lap in laps]
    at, fix_t = 0, -math.inf
    for frame, _ in queries.lap_trace(store, session, whole):
        if frame.fix_t <= fix_t + FIX_STEP_S or frame.lat_deg is None:
            continue
        fix_t = frame.fix_t
        while at < len(ends) - 1 and frame.t > ends[at][0]:
            at += 1
        values = list(msgspec.structs.astuple(frame)[1 : 1 + len(NAMES)])
        values[LAP] = float(ends[at][1]) if ends else None
        yield Sample(0, frame.t, tuple([values[at] for at in known]))
