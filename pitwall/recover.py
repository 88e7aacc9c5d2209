"""What a killed run left in its journal goes back into DuckDB, through the same in-drive path."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pitwall.coach.cue import Callout, LedgerLine
from pitwall.config import Home
from pitwall.drive import DrivePath
from pitwall.session import GATE_OPTION, known_tracks
from pitwall.store.session import SessionWriter
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.journal import JournalRecording, LedgerRecord, SessionMeta
from pitwall.telemetry.sample import Sample
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Gate
from pitwall.track.venue import Venue, venue_of_recording


class _RowsOnly:
    """A `DriveSink` that only stores: the path is driven again to measure, not to speak."""

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer

    def sample(
        self,
        sample: Sample,
        frame: Frame | None,
        position: Position | None,
        lap: int,
        distrusted: Sequence[int],
    ) -> None:
        self._writer.sample(sample, frame, position, lap, distrusted)

    def lap(self, lap: Lap) -> None:
        self._writer.lap(lap)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        self._writer.corner_pass(corner_pass)

    def callout(self, callout: Callout) -> None:
        raise AssertionError("a rebuild has no coach")

    def ledger(self, line: LedgerLine) -> None:
        raise AssertionError("a rebuild has no coach")


def rebuilder(home: Home) -> Callable[[JournalRecording, SessionWriter], None]:
    """What `store.recover` calls for each journal whose rows are missing.

    Samples, laps and corner passes are measured again; the cues are those of the journal, for they were said.
    """

    def rebuild(recording: JournalRecording, writer: SessionWriter) -> None:
        for stream in recording.info.streams:
            writer.stream(stream)
        path = DrivePath(recording.info.streams, _venue(recording, home), _RowsOnly(writer))
        for sample in recording.samples():
            path.feed(sample)
        path.finish()
        for _, record in recording.records():
            if isinstance(record, LedgerRecord):
                writer.cue(msgspec.json.decode(record.line, type=LedgerLine))

    return rebuild


def _venue(recording: JournalRecording, home: Home) -> Venue:
    """The place as the session knew it; found anew where its track file has gone."""
    meta: SessionMeta = recording.meta
    tracks, _ = known_tracks(home)
    encoded = meta.options.get(GATE_OPTION, "")
    gate = msgspec.json.decode(encoded, type=Gate) if encoded else None
    if gate is not None and (not meta.track or meta.track in tracks):
        return Venue(tracks.get(meta.track), gate, "given")
    return venue_of_recording(recording, tracks)
