"""Continue a session that a stop or a kill broke off, from its checkpoint and journal.

Without a checkpoint it is fed the whole journal.
The path then knows what one fed the whole journal knows: what the coach learned of every corner,
which cues are used up. Otherwise it would differ from a replay of the journal. Until it is level a
second path speaks: it starts at the live end with what the checkpoint knows, or the rows and the
last laps in the journal, and is fed what follows."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from pitwall.coach.cue import Callout
from pitwall.config import Home
from pitwall.daemon.sessions.checkpoints import thaw_checkpoint
from pitwall.daemon.sessions.open_session import OpenSession
from pitwall.drive.controls import Control, FixesLate, OnTrack, Remember, Tick, WordsReady, record_of
from pitwall.drive.frozen import thaw
from pitwall.drive.journal import feed_again, records
from pitwall.drive.prepare import DriveSettings, Memory, settings_of
from pitwall.drive.recording import Backlog, Fed
from pitwall.drive.reference import stored_reference, thinned
from pitwall.drive.session import LIVE, DriveListener, DriveSession, Supplies
from pitwall.store.checkpoint import checked_before
from pitwall.store.errors import StoreError
from pitwall.store.journal_check import CheckedJournal, ClockNote, JournalCheck, check_journal, clock_now
from pitwall.store.opening import journals_of, meta_from
from pitwall.store.queries import laps, rows
from pitwall.store.session import SessionWriter
from pitwall.store.store import Store
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import (
    ControlRecord,
    JournalRecording,
    NumberedSample,
    StreamRecord,
)
from pitwall.telemetry.sample import Sample
from pitwall.track.lap import Position

log = logging.getLogger("pitwall")

# A phone's clock without GPS is off by a second or two after a reboot.
CLOCK_SLACK_S = 10.0
# Session time moves over a restart.
LEAST_GAP_S = 0.05
# The live end is fed what follows the checkpoint first, at most this much of the drive; without one this
# much, from a little before a lap.
TAIL_S, BEFORE_S = 300.0, 1.0
# ... of a bus no row sooner after another: all of 300 s would cost 0.7 s more.
BUS_STEP_S = 0.05


def unfinished(home: Home, within_s: float) -> tuple[Path, JournalCheck] | None:
    """Find the last broken-off live session's journal, if recent, and what it holds. OSError."""
    now, checked = clock_now(), checked_before(home)
    paths = [
        path
        for path, _ in journals_of(home)
        if path.stem in checked or now.utc_s - path.stat().st_mtime <= within_s + CLOCK_SLACK_S
    ]
    # The one with a checkpoint was driven last.
    for path in sorted(paths, key=lambda path: (path.stem in checked, path.name), reverse=True):
        try:
            found = check_journal(path, checked.get(path.stem))
        except (OSError, RecordingError):
            continue
        meta = found.meta
        if meta is None or meta.format != LIVE or found.over:
            continue
        gap_s = gap_since(found, now)
        return (path, found) if -CLOCK_SLACK_S <= gap_s <= within_s else None
    return None


def gap_since(found: JournalCheck, now: ClockNote) -> float:
    """Return seconds since the session was broken off: by its own time where that followed the
    phone's clock, else by that clock's last note."""
    start_utc_s = found.meta.start_utc_s if found.meta is not None else None
    noted_s = now.seconds_since(found.clock or ClockNote(0.0))
    if start_utc_s is None:
        return noted_s
    gap_s = now.utc_s - (start_utc_s + found.last_t)
    return gap_s if found.clock is None or abs(gap_s - noted_s) <= CLOCK_SLACK_S else noted_s


class LiveEnd(DriveListener):
    """Drives what comes now on a path of its own while the session's path is fed. Its calls are
    heard, and stand in the journal as events. Of the `tail` of the drive before nothing is."""

    def __init__(
        self, path: DriveSession, writer: SessionWriter, listener: DriveListener, tail: Iterable[Fed]
    ) -> None:
        self.path, self._writer, self._listener = path, writer, listener
        for record in tail:
            self.feed(record)
        path.listen((self,))
        path.only_calls()

    def feed(self, record: Fed) -> None:
        """Drive a record; a bug costs that record."""
        try:
            if isinstance(record, Sample):
                self.path.feed(record)
            elif isinstance(record, StreamRecord):
                self.path.stream(record.stream)
            elif isinstance(record, ControlRecord) and record.kind != Tick.kind:
                self.path.control(record)
        except Exception:
            log.exception("the live end failed on %r", record)

    def callout(self, callout: Callout) -> None:
        """Say it, and keep that it was said."""
        self._listener.callout(callout)
        self._writer.event(callout.t, "said", callout.text)

    def frame(self, frame: Frame, position: Position | None) -> None:
        """Show where the car is."""
        self._listener.frame(frame, position)


def known_path(
    supplies: Supplies, settings: DriveSettings, store: Store, session: str, found: JournalCheck
) -> tuple[DriveSession, float]:
    """Make a path for the live end of the session's track, laps there and lateness; return it and
    since when to feed it what the journal holds. Blocks."""
    named = rows(store, "SELECT track FROM sessions WHERE id = ?", [session])
    track = supplies.tracks.get(named[0][0] or "") if named else None
    given: list[Control] = [FixesLate(found.lag_s), WordsReady("")]
    driven, number, from_t = laps(store, session), 0, max(found.reached_t - TAIL_S, 0.0)
    if track is not None:
        given += [OnTrack(track.id), WordsReady(track.id)]
        with contextlib.suppress(StoreError):  # no lap of it counts yet
            best = thinned(stored_reference(store, session, track))
            given.append(Remember(msgspec.json.encode(Memory(track.id, best)).decode()))
        begun = [lap for lap in driven if lap.start_t - BEFORE_S >= from_t]
        if begun:
            from_t = begun[0].start_t - BEFORE_S
        if driven:
            number = (begun or driven[-1:])[0].number - 1
    path = DriveSession(supplies, settings, begun_t=from_t)
    times = [lap.time_s for lap in driven if lap.kind == "flying" and lap.time_s is not None]
    path.go_on(number, min(times, default=None))
    for control in given:
        path.control(record_of(from_t, control))
    return path, from_t


def thinned_bus(before: Iterable[Fed], from_t: float, found: JournalCheck) -> Iterator[Fed]:
    """Yield samples and controls since then, of a bus's whole rows one in BUS_STEP_S."""
    due_t = {one.id: from_t for one in found.streams if all(ch.name != "lat_deg" for ch in one.channels)}
    for record in before:
        if isinstance(record, Sample) and record.t >= from_t:
            stream = record.stream
            if record.t >= due_t.get(stream, from_t) or None in record.values:
                if stream in due_t:
                    due_t[stream] = record.t + BUS_STEP_S
                yield record
        elif isinstance(record, ControlRecord) and record.t >= from_t:
            yield record


class Continuing:
    """A resumed session. It journals what comes; the path is fed what the journal held, then the
    rest.

    `clock`, `sources`: the journal's last notes. At `opened_s` of the monotonic clock the session's
    time was `begun_t`. Nobody has heard of a lost source since `unheard_t`. Making it and `feed`
    block.
    """

    def __init__(
        self, path: Path, found: JournalCheck, store: Store, supplies: Supplies, listener: DriveListener
    ) -> None:
        """Reopen the journal that was `found`. StoreError, RecordingError."""
        self._store = store
        thawed = thaw_checkpoint(store.home, path, supplies)
        known = thawed[0].journal if thawed is not None else CheckedJournal()
        meta = meta_from(path, found)
        settings = settings_of(meta.options)
        self._recording = JournalRecording(path, numbered=True, known=(meta, tuple(found.streams)))
        now_t, self.opened_s = found.sources.t_now() if found.sources is not None else None, time.monotonic()
        if now_t is None:
            now_t = found.last_t + gap_since(found, clock_now())
        self.begun_t = max(now_t, found.reached_t + LEAST_GAP_S)
        if thawed is not None:
            ahead, from_t = thaw(thawed[0].path, supplies), found.reached_t - TAIL_S
            ahead.fetch_given()
            start = known.found.bytes
        else:
            ahead, from_t = known_path(supplies, settings, store, meta.id, found)
            start = self._recording.offset_before(from_t, found.bytes)
        tail = thinned_bus(records(self._recording, start=start, until_seq=found.last_seq), from_t, found)
        for stream in found.streams:
            ahead.stream(stream)
        self.clock, self.sources = found.clock, found.sources
        self.batches = [batch.id for _, batch in found.batches]
        writer = store.resume(meta.id, known if thawed is not None else None, found)
        writer.go_on()
        store.keep_watch(writer)
        drive = thawed[1] if thawed is not None else DriveSession(supplies, settings, begun_t=0.0)
        self.session = session = OpenSession(
            meta.id, 0.0, drive, writer, (listener,), found.streams, is_replay=meta.kind == "replay"
        )
        self.live_end = LiveEnd(ahead, writer, listener, tail)
        session.live_end = self.live_end.feed
        session.hold_ledger()
        if thawed is not None:
            session.go_on_from(thawed[0].made, known.found.streams)
        self._start, self._last_seq, self._fed_seq = known.found.bytes, found.last_seq, known.found.last_seq
        self._found_bytes = found.bytes
        self._stopped = False
        self.unheard_t = found.reached_t
        session.backlog, session.began_with = Backlog(), settings
        session.continued, session.behind_s = found.restarts + 1, None
        # Readings made meanwhile may still come.
        down_s = self.begun_t - found.reached_t
        session.note("restart", f"after {down_s:.1f} s", found.reached_t + LEAST_GAP_S)

    @property
    def share(self) -> float:
        """Return how much of the journal was fed, 0 to 1."""
        return max(self._fed_seq, 0) / max(self.session.writer.seq, 1)

    @property
    def came(self) -> bool:
        """Return whether a reading has come since the restart."""
        return self.session.sample_t > 0.0

    @property
    def waiting(self) -> int:
        """Return how much is not fed yet."""
        return len(self.session.backlog or ())

    def feed(self) -> None:
        """Feed the journal, then what came meanwhile. InterruptedError after `stop`."""
        self.session.path.fetch_given()
        found = records(self._recording, ledger=True, start=self._start, until_seq=self._last_seq)
        feed_again(self.session, self._noting(found), self._pause)
        self.feed_backlog()

    def feed_backlog(self) -> None:
        """Feed what came meanwhile. InterruptedError."""
        backlog, session = self.session.backlog, self.session
        while backlog:
            self._pause()
            seq, record = backlog.take()
            if self._fed_seq < (left_seq := backlog.left_seq) < seq:
                left = records(
                    self._recording, start=self._found_bytes, after_seq=max(self._fed_seq, self._last_seq),
                    until_seq=left_seq,
                )  # fmt: skip
                feed_again(session, left, self._pause)
            session.feed(record)
            self._fed_seq = seq

    def stop(self) -> None:
        """Feed no more."""
        self._stopped = True

    def give_up(self) -> None:
        """End as a kill would. Blocks."""
        self.session.writer.abandon()

    def level(self) -> OpenSession:
        """Return the session, to be driven aloud."""
        session = self.session
        session.release_ledger()
        session.backlog = session.live_end = None
        session.sample_t = max(session.path.t, self.begun_t)
        session.t = max(session.t, session.path.t)
        self._store.pending = [item for item in self._store.pending if item.session != session.id]
        return session

    def _noting(self, found: Iterable[Fed]) -> Iterator[Fed]:
        for record in found:
            yield record
            if isinstance(record, NumberedSample):
                self._fed_seq = record.seq

    def _pause(self) -> None:
        if self._stopped:
            raise InterruptedError("the daemon ends; the next start goes on")
