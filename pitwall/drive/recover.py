"""What a killed run left in its journal goes back into DuckDB, through the same in-drive path."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.drive.live_path import LivePath, is_live
from pitwall.drive.prepare import GATE_OPTION, NO_WORDS, DriveSettings, known_tracks
from pitwall.drive.session import DrivePath, RowSink
from pitwall.store.session import SessionWriter
from pitwall.telemetry.recordings.journal import JournalRecording, LedgerRecord, SessionMeta
from pitwall.track.model import Gate
from pitwall.track.venue import Venue, venue_of_recording

# How often a rebuild asks whether it may go on.
PAUSE_SAMPLES = 256


def rebuilder(
    home: Home, pause: Callable[[], None] = lambda: None
) -> Callable[[JournalRecording, SessionWriter], None]:
    """What `store.recover` calls for each journal whose rows are missing.

    Samples, laps and corner passes are measured again; the cues are those of the journal, for they were said.
    `pause` is called now and then: it may wait, or raise to give up.
    """

    def rebuild(recording: JournalRecording, writer: SessionWriter) -> None:
        if is_live(recording):
            _rebuild_live(recording, home, writer, pause)
            return
        for stream in recording.info.streams:
            writer.stream(stream)
        path = DrivePath(recording.info.streams, _venue(recording, home), RowSink(writer))
        for number, sample in enumerate(recording.samples()):
            path.feed(sample)
            if number % PAUSE_SAMPLES == 0:
                pause()
        path.finish()
        _cues(recording, writer)

    return rebuild


def _rebuild_live(
    recording: JournalRecording, home: Home, writer: SessionWriter, pause: Callable[[], None]
) -> None:
    """As it was driven: what the path was told comes at its place again. Without words nothing is said."""
    tracks, _ = known_tracks(home)
    path = LivePath(0.0, tracks, RowSink(writer), lambda _: NO_WORDS, DriveSettings())
    for stream in recording.info.streams:
        writer.stream(stream)
        path.stream(stream)
    for number, (seq, record) in enumerate(recording.records()):
        path.take(record, seq)
        if number % PAUSE_SAMPLES == 0:
            pause()
    path.finish()
    _cues(recording, writer)


def _cues(recording: JournalRecording, writer: SessionWriter) -> None:
    """The ledger as the journal has it. A cue whose end was written twice, for the drive went on after a
    stop, ended the second time."""
    lines: dict[int, LedgerLine] = {}
    for _, record in recording.records():
        if isinstance(record, LedgerRecord):
            line = msgspec.json.decode(record.line, type=LedgerLine)
            lines[line.cue] = line
    for line in lines.values():
        writer.cue(line)


def _venue(recording: JournalRecording, home: Home) -> Venue:
    """The place as the session knew it; found anew where its track file has gone."""
    meta: SessionMeta = recording.meta
    tracks, _ = known_tracks(home)
    encoded = meta.options.get(GATE_OPTION, "")
    gate = msgspec.json.decode(encoded, type=Gate) if encoded else None
    if gate is not None and (not meta.track or meta.track in tracks):
        return Venue(tracks.get(meta.track), gate, "given")
    return venue_of_recording(recording, tracks)
