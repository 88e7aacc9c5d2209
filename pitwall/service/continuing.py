"""A session that a stop or a kill broke off goes on: its journal is fed to a fresh path, in silence."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.live_path import LivePath
from pitwall.service.recorder import Audience, OpenSession, RecordingSink
from pitwall.service.vocabulary import Vocabulary
from pitwall.session import Words, settings_of
from pitwall.store.damage import JournalCheck, check_journal
from pitwall.store.session import RebuildWriter
from pitwall.store.store import Store
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import (
    SUFFIX,
    BatchRecord,
    ControlRecord,
    JournalRecording,
    LedgerRecord,
    NumberedSample,
    SampleRecord,
    StreamRecord,
)
from pitwall.track.model import Track

log = logging.getLogger("pitwall")

# The clock of a phone without GPS is off by a second or two after a reboot.
CLOCK_SLACK_S = 10.0
# Session time never stands still over a restart.
LEAST_GAP_S = 0.05


def unfinished(home: Home, within_s: float) -> Path | None:
    """The journal of the live session that was broken off last, if that is not too long ago."""
    now_s = time.time()
    paths = [
        path
        for path in home.journals.glob(f"*{SUFFIX}")
        if now_s - path.stat().st_mtime <= within_s + CLOCK_SLACK_S
    ]
    for path in sorted(paths, key=lambda path: path.name, reverse=True):
        try:
            found = check_journal(path)
        except (OSError, RecordingError):
            continue
        meta = found.meta
        if meta is None or meta.kind != "live" or found.over:
            continue
        gap_s = gap_since(found, now_s)
        return path if found.samples and -CLOCK_SLACK_S <= gap_s <= within_s else None
    return None


def gap_since(found: JournalCheck, now_s: float) -> float:
    """Seconds since the session was broken off: by its own time where that went with the phone's clock, else
    (a recording played faster, a clock that was set) by what that clock was last noted to say."""
    start_utc_s = found.meta.start_utc_s if found.meta is not None else None
    noted_s = now_s - (found.clock_utc_s or 0.0)
    if start_utc_s is None:
        return noted_s
    gap_s = now_s - (start_utc_s + found.last_t)
    return gap_s if found.clock_utc_s is None or abs(gap_s - noted_s) <= CLOCK_SLACK_S else noted_s


def go_on(
    path: Path,
    store: Store,
    tracks: Mapping[str, Track],
    vocabulary: Vocabulary,
    audience: Audience,
    clock_s: float,
) -> OpenSession:
    """Rebuild the state of this session and open it for what comes. Blocks: call it from a thread. `clock_s`
    is the daemon's clock now. StoreError or RecordingError where the journal can't be gone on with."""
    began_s = time.monotonic()
    recording = JournalRecording(path, numbered=True)
    meta = recording.meta

    def words_of(track: str) -> Words:
        return vocabulary.words(track) if vocabulary.has(track) else vocabulary.make(track)

    rebuild = store.resume(meta.id)
    assert isinstance(rebuild, RebuildWriter)
    sink = RecordingSink(rebuild, audience)
    sink.silent = True
    live = LivePath(0.0, tracks, sink, words_of, settings_of(meta.options))
    session = OpenSession(meta.id, 0.0, live, sink)
    told = _feed(recording, session, rebuild)
    writer = store.keep_watch(rebuild.go_on())
    sink.writer, sink.silent = writer, False
    for cue, line in sink.ended.items():
        # A line that the kill took away is written now; the others are in the journal already.
        (rebuild if cue in told else writer).cue(line)
    store.pending = [item for item in store.pending if item.session != meta.id]
    clock_s += time.monotonic() - began_s
    t = live.t + max(gap_since(check_journal(path), time.time()), LEAST_GAP_S)
    session.t0, session.sample_t = clock_s - t, t
    session.know(recording.info.streams)
    session.continued = 1 + sum(record.kind == "restart" for record in _controls(recording))
    session.control("restart", f"after {t - live.t:.1f} s", t)
    return session


def _feed(recording: JournalRecording, session: OpenSession, rebuild: RebuildWriter) -> set[int]:
    """Everything in the journal, in its order; the cues whose end it holds."""
    told: set[int] = set()
    for seq, record in recording.records():
        match record:
            case SampleRecord():
                session.feed(NumberedSample(record.stream, record.t, record.values, seq))
            case StreamRecord():
                rebuild.stream(record.stream)
                session.path.stream(record.stream)
            case ControlRecord():
                session.tell(record)
            case BatchRecord():
                session.batches.append(record.id)
            case LedgerRecord():
                told.add(msgspec.json.decode(record.line, type=LedgerLine).cue)
    return told


def _controls(recording: JournalRecording) -> list[ControlRecord]:
    return [record for _, record in recording.records() if isinstance(record, ControlRecord)]
