"""Keep checkpoints of the current drive; a start soon after a kill thaws the last one."""

from __future__ import annotations

import asyncio
import copy
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from pitwall.config import Home
from pitwall.daemon.sessions.open_session import OpenSession
from pitwall.daemon.watch import TURN_S, next_turn
from pitwall.drive.frozen import ThawError, freeze, thaw
from pitwall.drive.session import DriveSession, Supplies
from pitwall.store.checkpoint import (
    DriveCheckpoint,
    PathOutput,
    find_checkpoints,
    forget_checkpoints,
    keep_checkpoint,
)
from pitwall.store.journal_check import CheckedJournal, check_on
from pitwall.store.kept import program_stamp
from pitwall.telemetry.recordings.base import RecordingError

log = logging.getLogger("pitwall")

LOOK_EVERY_S = 5 * TURN_S
# A start feeds what follows the checkpoint, 3,000 records a second, while its live end speaks. One
# holds 1.7 MB after an hour; freezing costs 5 ms of the loop.
AFTER_RECORDS, AFTER_S = 500, 30.0
# Don't freeze while a call waits for its place, unless calls follow each other.
AT_LAST_AFTER_S = 60.0
# Where the database fails a checkpoint is kept all the same.
AT_LAST_KEPT_S = 90.0


class Frozen(msgspec.Struct, frozen=True):
    """How an open session stood after its record `seq`."""

    session: str
    journal: Path
    seq: int
    made: PathOutput
    path: bytes


class Checkpoints:
    """Keeps a checkpoint of the open session. `run` is supervised."""

    def __init__(self, home: Home, steady: Callable[[], OpenSession | None]) -> None:
        """`steady`: the open session, None without one or during a batch."""
        self._home, self._steady = home, steady
        self._frozen: Frozen | None = None
        self._known, self._known_of = CheckedJournal(), ""
        # Two threads may keep one at the end.
        self._keeping = threading.Lock()
        self._last_seq, self._last_s = -1, 0.0
        self._failed = ""

    async def run(self) -> None:
        """Freeze and keep, for ever."""
        while True:
            await next_turn(LOOK_EVERY_S)
            session = self._steady()
            frozen = self._frozen
            if frozen is not None and session is not None and session.id == frozen.session:
                # A start makes only those rows that follow the checkpoint.
                waited_s = time.monotonic() - self._last_s
                in_rows = session.writer.has_rows(frozen.seq) or waited_s >= AT_LAST_KEPT_S
                if in_rows and session.writer.stats().durable_seq >= frozen.seq:
                    self._frozen = None
                    await asyncio.to_thread(self.keep, frozen)
            elif session is not None and self._due(session):
                self._last_seq, self._last_s = session.writer.seq, time.monotonic()
                self._frozen = self.freeze(session)

    def freeze(self, session: OpenSession) -> Frozen | None:
        """Freeze the session; None, logged once, if that fails."""
        made = session.made
        # The structs in them do not change.
        made = PathOutput([*made.laps], [*made.passes], copy.copy(made.lines), made.first_fix, made.stamp)
        try:
            path = freeze(session.path)
        except Exception as error:  # the drive goes on without
            self._fail(f"the drive can't be frozen: {error!r}")
            return None
        return Frozen(session.id, session.writer.path, session.writer.seq, made, path)

    def keep(self, frozen: Frozen) -> None:
        """Keep it, if its journal is whole up to there and no newer one was kept. Blocks; never
        raises for a disk."""
        with self._keeping:
            try:
                known = self._known if self._known_of == frozen.session else CheckedJournal()
                if known.found.last_seq >= frozen.seq:
                    return
                checked = check_on(frozen.journal, known, frozen.seq)
                if checked.found.last_seq != frozen.seq or checked.found.spans:
                    return
                self._known, self._known_of = checked, frozen.session
                made = DriveCheckpoint(
                    session=frozen.session,
                    code=program_stamp(),
                    journal=checked,
                    made=frozen.made,
                    path=frozen.path,
                )
                keep_checkpoint(self._home, made)
                self._failed = ""
            except (OSError, RecordingError) as error:
                self._fail(f"no checkpoint of the drive can be kept: {error}")

    def forget(self) -> None:
        """Delete a finished session's checkpoint. Blocks."""
        self._frozen = None
        forget_checkpoints(self._home)

    def _due(self, session: OpenSession) -> bool:
        waited_s = time.monotonic() - self._last_s
        enough = abs(session.writer.seq - self._last_seq) >= AFTER_RECORDS and waited_s >= AFTER_S
        return enough and (not session.path.heads_for_a_place or waited_s >= AT_LAST_AFTER_S)

    def _fail(self, why: str) -> None:
        if why != self._failed:
            log.warning("%s; a start would read the whole journal again", why)
        self._failed = why


def thaw_checkpoint(
    home: Home, journal: Path, supplies: Supplies
) -> tuple[DriveCheckpoint, DriveSession] | None:
    """Thaw the last checkpoint that fits this journal; return it and its path, None without one.
    OSError."""
    for kept in find_checkpoints(home):
        fits = kept.session == journal.stem and kept.code == program_stamp()
        if not fits or not kept.journal.holds_of(journal):
            continue
        try:
            return kept, thaw(kept.path, supplies)
        except ThawError as error:
            log.warning("%s: an older checkpoint, or the whole journal, is read", error)
    return None
