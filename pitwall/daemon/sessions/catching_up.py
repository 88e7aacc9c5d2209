"""A session that a stop or a kill broke off goes on: its journal is fed to a fresh path, in silence.

All of it: what the coach knows of every corner, and which cues he has used up, come from the whole drive, and
a path that knew less would not say what a replay of the journal says.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.daemon.intake.queue import Lane
from pitwall.daemon.sessions.recorder import Audience, OpenSession, RecordingSink
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.live_path import Kind, LivePath, control
from pitwall.drive.prepare import Words, settings_of
from pitwall.store.damage import JournalCheck, check_journal
from pitwall.store.session import RebuildWriter
from pitwall.store.store import Store
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import (
    SUFFIX,
    ControlRecord,
    JournalRecording,
    LedgerRecord,
    NumberedSample,
    Record,
    SampleRecord,
    StreamRecord,
)
from pitwall.telemetry.sample import Sample
from pitwall.track.model import Track

# The clock of a phone without GPS is off by a second or two after a reboot.
CLOCK_SLACK_S = 10.0
# Session time never stands still over a restart.
LEAST_GAP_S = 0.05
# What is called while the journal is fed again comes too late to be said; after so long the ledger owns up.
UNTOLD_S = 1.0
NOT_SAID = "the session was being read again after a restart"


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


class CatchingUp:
    """A session that goes on. From its making on whatever comes is in its journal, as while driving; its path
    is fed in silence what the journal held, then what came meanwhile, until nothing is left. `batches` are
    the ids that the journal has already, `came` whether anything came yet.

    Making it and `feed` block: both are for a thread. All else is for the loop.
    """

    def __init__(
        self,
        path: Path,
        store: Store,
        tracks: Mapping[str, Track],
        vocabulary: Vocabulary,
        audience: Audience,
        clock_s: float,
    ) -> None:
        """`clock_s` is the daemon's clock now. StoreError or RecordingError where the journal can't be gone
        on with."""
        began_s = time.monotonic()
        self._recording = JournalRecording(path, numbered=True)
        meta = self._recording.meta

        def words_of(track: str) -> Words:
            return vocabulary.words(track) if vocabulary.has(track) else vocabulary.make(track)

        self._store = store
        rebuild = store.resume(meta.id)
        assert isinstance(rebuild, RebuildWriter)
        self._rebuild = rebuild
        sink = RecordingSink(rebuild, audience)
        sink.silent = True
        live = LivePath(0.0, tracks, sink, words_of, settings_of(meta.options))
        self.session = OpenSession(meta.id, 0.0, live, sink)
        self.session.know(self._recording.info.streams)
        self.session.continued = 1
        found = check_journal(path)
        self.batches = [batch.id for _, batch in found.batches]
        self.writer = store.keep_watch(rebuild.go_on())
        self._old_seq, self._fed_seq = found.last_seq, -1
        self._told: set[int] = set()
        self._meanwhile: deque[NumberedSample | StreamRecord | ControlRecord] = deque()
        self._stopped = self._owned_up = self.came = False
        self._begun_t = max(found.last_t + gap_since(found, time.time()), found.reached_t + LEAST_GAP_S)
        self.session.t0 = clock_s + time.monotonic() - began_s - self._begun_t
        self.control(
            "restart", f"after {self._begun_t - found.reached_t:.1f} s", self._begun_t + self.session.t0
        )

    @property
    def share(self) -> float:
        """How much of the journal was fed again, 0 to 1."""
        return max(self._fed_seq, 0) / max(self.writer.seq, 1)

    @property
    def waiting(self) -> int:
        """How much came that was not fed yet."""
        return len(self._meanwhile)

    def introduce(self, lane: Lane) -> int:
        """The number of this lane's stream; defined where it is new."""
        number, new = self.session.number(lane)
        if new is not None:
            self.writer.stream(new)
            self._meanwhile.append(StreamRecord(new))
        return number

    def keep(self, lane: Lane, clock_s: float, values: tuple[float | None, ...]) -> None:
        """One reading, mapped to the daemon's clock, into the journal; fed when its turn comes."""
        self.came = True
        number, t = self.introduce(lane), self.session.t_of(clock_s)
        if t - self._begun_t > UNTOLD_S and not self._owned_up:
            self._owned_up = True
            self.control("lost", f"audio: {NOT_SAID}", clock_s)
        self._meanwhile.append(self.writer.keep(Sample(number, t, values)))

    def control(self, kind: Kind, detail: str, clock_s: float) -> None:
        """Something to tell the path, at this place of the journal."""
        record = control(self.session.t_of(clock_s), kind, detail)
        self.writer.control(record)
        self._meanwhile.append(record)

    def feed(self) -> None:
        """The journal as it was found, then what came meanwhile. InterruptedError after `stop`."""
        for seq, record in self._recording.records():
            if seq > self._old_seq:
                break
            self._look_up()
            self._feed_old(seq, record)
            self._fed_seq = seq
        ended = self.session.sink.ended
        for cue in self._told & ended.keys():
            self._rebuild.cue(ended.pop(cue))
        self.feed_meanwhile()

    def feed_meanwhile(self) -> None:
        """What came meanwhile, until nothing is left. InterruptedError after `stop`."""
        session = self.session
        while self._meanwhile:
            self._look_up()
            match self._meanwhile.popleft():
                case NumberedSample() as sample:
                    session.feed(sample)
                    self._fed_seq = sample.seq
                case StreamRecord() as record:
                    session.path.stream(record.stream)
                case ControlRecord() as record:
                    session.tell(record)

    def stop(self) -> None:
        """Feed no more: the daemon ends."""
        self._stopped = True

    def give_up(self) -> None:
        """End as a kill would: what came is in the journal, the next start feeds or rebuilds it. Blocks."""
        self.writer.abandon()

    def level(self) -> OpenSession:
        """Nothing is left to be fed: the session, to be driven on aloud."""
        session, sink = self.session, self.session.sink
        # Lines that the kill took away, and of what came meanwhile; the others are in the journal already.
        for line in sink.ended.values():
            self.writer.cue(line)
        sink.ended.clear()
        sink.writer, sink.silent = self.writer, False
        session.sample_t = max(session.path.t, self._begun_t)
        self._store.pending = [item for item in self._store.pending if item.session != session.id]
        return session

    def _feed_old(self, seq: int, record: Record) -> None:
        match record:
            case SampleRecord():
                self.session.feed(NumberedSample(record.stream, record.t, record.values, seq))
            case StreamRecord():
                self._rebuild.stream(record.stream)
                self.session.path.stream(record.stream)
            case ControlRecord():
                self.session.continued += record.kind == "restart"
                self.session.tell(record)
            case LedgerRecord():
                self._told.add(msgspec.json.decode(record.line, type=LedgerLine).cue)

    def _look_up(self) -> None:
        if self._stopped:
            raise InterruptedError("the daemon ends; the next start goes on")
