"""Order a recording's records for a path, and feed a journal to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeGuard

import msgspec

from pitwall.drive.controls import LapsEnded, OnTrack, TimeAt, TrackUnknown, record_of
from pitwall.drive.prepare import gate_of
from pitwall.drive.recording import Fed, Recorder
from pitwall.drive.session import LIVE, PATH_OPTION, PLACE_KINDS
from pitwall.telemetry.recordings.base import Recording
from pitwall.telemetry.recordings.journal import (
    ControlRecord,
    JournalRecording,
    LedgerRecord,
    NumberedSample,
    SampleRecord,
    StreamRecord,
)
from pitwall.telemetry.sample import Sample
from pitwall.track.model import Gate, Track
from pitwall.track.venue import Venue, venue_of_recording

# After this many records feeding may pause or be given up.
PAUSE_RECORDS = 256


class Placement(msgspec.Struct, frozen=True):
    """Where a recording was driven as far as known today. `controls` go to the path first, in place
    of the journal's own of the kinds in `without`."""

    venue: Venue
    controls: tuple[ControlRecord, ...] = ()
    without: frozenset[str] = frozenset()


def is_live(recording: object) -> TypeGuard[JournalRecording]:
    """Return whether this journal is of a live session, or of its replay."""
    return isinstance(recording, JournalRecording) and recording.meta.options.get(PATH_OPTION) == LIVE


def locate_recording(
    recording: Recording, tracks: Mapping[str, Track], chosen: str | None = None, gate: Gate | None = None
) -> Placement:
    """Find where a recording was driven: on the `chosen` track ("": none), or a recognised one."""
    if isinstance(recording, JournalRecording) and gate is None:
        gate = gate_of(recording.meta.options)
    if chosen is not None and (not chosen or chosen in tracks):
        tracks = {chosen: tracks[chosen]} if chosen else {}
    venue = venue_of_recording(recording, tracks, gate)
    if chosen and venue.track is None and chosen in tracks:
        venue = Venue(tracks[chosen], gate or tracks[chosen].gate, "given")
    if is_live(recording):
        own = recording.last_control("track")
        own_track = tracks.get(own) if own else None
        if venue.track is None or venue.track == own_track:
            return Placement(msgspec.structs.replace(venue, track=own_track))
        venue = Venue(venue.track, venue.track.gate, "track")
    return Placement(venue, tuple(place_controls(venue)), PLACE_KINDS)


def place_controls(venue: Venue) -> list[ControlRecord]:
    """Return the controls that say, before the first sample, where a recording was driven."""
    track, gate = venue.track, venue.gate
    controls = []
    if gate is not None and (track is None or gate != track.gate):
        controls.append(record_of(0.0, TimeAt(gate)))
    controls.append(record_of(0.0, TrackUnknown() if track is None else OnTrack(track.id)))
    if venue.marks_t:
        controls.append(record_of(0.0, LapsEnded(list(venue.marks_t))))
    return controls


def records(
    recording: Recording,
    controls: Iterable[ControlRecord] = (),
    *,
    without: frozenset[str] = frozenset(),
    ledger: bool = False,
    start: int = 0,
    after_seq: int = -1,
    until_seq: int | None = None,
) -> Iterator[Fed]:
    """Yield `controls`, then the records from offset `start`, from `after_seq` to `until_seq`."""
    if not isinstance(recording, JournalRecording):
        yield from map(StreamRecord, recording.info.streams)
        yield from controls
        yield from recording.samples()
        return
    yield from controls
    known: set[int] = set()
    for seq, record in recording.records(start):
        if until_seq is not None and seq > until_seq:
            return
        if seq <= after_seq:
            continue
        match record:
            case SampleRecord():
                if recording.numbered:
                    yield NumberedSample(record.stream, record.t, record.values, seq)
                else:
                    yield Sample(record.stream, record.t, record.values)
            case StreamRecord() if record.stream.id not in known:
                known.add(record.stream.id)  # each is there twice, so that one may be lost
                yield record
            case ControlRecord() if record.kind not in without:
                yield record
            case LedgerRecord() if ledger:
                yield record


def feed_again(recorder: Recorder, found: Iterable[Fed], pause: Callable[[], None] = lambda: None) -> None:
    """Feed the path its journal. `pause` is called now and then: it may wait, or raise."""
    for number, record in enumerate(found):
        recorder.feed(record)
        if number % PAUSE_RECORDS == 0:
            pause()
