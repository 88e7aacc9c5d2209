"""The journal's own threads: the caller never waits for a slow or broken disk.

One thread writes, another syncs: an fsync may take half a second on flash, and must not increase
what a kill costs.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec

from pitwall.contract.status import JournalStatus, WriterState
from pitwall.helpers.backoff import DISK
from pitwall.store.errors import StoreError
from pitwall.store.files import CHUNK, sync_path
from pitwall.telemetry.recordings.journal import HEADER, MAX_PAYLOAD, EndRecord, Record, encode_record
from pitwall.telemetry.sample import Sample

# Half of the 100 ms that a kill may cost: written bytes survive it.
WRITE_EVERY_S = 0.05
# What a power cut may cost.
SYNC_EVERY_S = 0.1
# A minute at 100 Hz.
CAPACITY = 6_000
# A close waits this long from the disk's first failure; the rest counts as shed.
CLOSE_WITHIN_S = 2.0


class Ending(msgspec.Struct, frozen=True):
    """How a journal ends that is to be gone on with."""

    bytes: int
    crc: int
    last_seq: int


class JournalWriter:
    """Appends records to a journal from its own thread: a new file, or one that ended as in
    `after`. OSError.

    Live: `append` never waits and never raises; with a full buffer the record is shed and counted.
    Lossless: it waits for room, StoreError if the disk fails. `on_durable` gets each new last
    sequence number on the disk.
    """

    def __init__(
        self, path: Path, *, lossless: bool = False, capacity: int = CAPACITY, after: Ending | None = None
    ) -> None:
        self.path = path
        self.on_durable: Callable[[int], None] | None = None
        self._lossless, self._capacity = lossless, capacity
        self._pending: deque[tuple[int, Record | Sample]] = deque()
        self._wake = threading.Event()
        self._room = threading.Condition()
        self._ending = False
        self._shed = self._failures = self._written = self._size = self._crc = 0
        self._durable_seq = self._written_seq = -1
        self._state: WriterState = "good"
        self._last_error = ""
        self._failing_since = math.inf
        self._fd = -1
        # Encoded, and kept until a write succeeds.
        self._unwritten = HEADER
        self._unwritten_records = 0
        # One sync at a time: asked for by the writer, who owns all state.
        self._sync_wanted, self._synced = threading.Event(), threading.Event()
        self._syncing = self._folder_synced = False
        self._sync_reaches = -1
        self._sync_error: OSError | None = None
        self._hurried = False
        if after is not None:
            self._unwritten, self._folder_synced = b"", True
            self._size, self._crc = after.bytes, after.crc
            self._durable_seq = self._written_seq = after.last_seq
            # Opened now, it can be put back if its folder is removed.
            self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._syncer = threading.Thread(target=self._run_sync, name="journal-sync", daemon=True)
        self._thread.start()
        self._syncer.start()

    def append(self, seq: int, record: Record | Sample, *, never_shed: bool = False) -> bool:
        """Hand over one record; False if it was shed. `never_shed`: the caller bounds how many."""
        pending = self._pending
        if len(pending) >= self._capacity and not never_shed and not self._make_room():
            return False
        pending.append((seq, record))
        return True

    def room(self) -> int:
        """Return how many records fit before one is shed."""
        return self._capacity - len(self._pending) - self._unwritten_records

    def pass_over(self) -> None:
        """Count a record that nobody hands over."""
        self._wake.set()
        self._shed += 1

    def hurry(self) -> None:
        """Write and sync now."""
        self._hurried = True
        self._wake.set()

    def stats(self) -> JournalStatus:
        """Return the counters."""
        return JournalStatus(
            state=self._state,
            written=self._written,
            shed=self._shed,
            failures=self._failures,
            durable_seq=self._durable_seq,
            bytes=self._size,
            crc=self._crc,
            last_error=self._last_error,
        )

    def close(self, seq: int, samples: int | None) -> JournalStatus:
        """Write what is left and the end (`samples` None: none), and stop. Never raises."""
        if self._thread.is_alive():
            if samples is not None:
                self._pending.append((seq, EndRecord(samples=samples, shed=self._shed)))
            self._ending = True
            self._wake.set()
            self._thread.join()
            if not self._syncing:
                self._syncer.join()
            # A sync that hangs outlives this.
            self.on_durable = None
        return self.stats()

    def _make_room(self) -> bool:
        self._wake.set()
        if not self._lossless:
            self._shed += 1
            return False
        with self._room:
            while len(self._pending) >= self._capacity:
                if self._state != "good":
                    raise StoreError(
                        f"{self.path} can't be written: {self._last_error or 'it is closed'}; "
                        "make room or choose another PITWALL_HOME, then start again"
                    )
                self._room.wait(WRITE_EVERY_S)
        return True

    def _run(self) -> None:
        next_sync = 0.0
        give_up_at: float | None = None
        while True:
            self._wake.wait(DISK.first_s if self._state == "failing" and not self._ending else WRITE_EVERY_S)
            self._wake.clear()
            ending = self._ending
            if ending and give_up_at is None:
                give_up_at = min(time.monotonic(), self._failing_since) + CLOSE_WITHIN_S
            wrote = self._write()
            self._take_sync()
            now = time.monotonic()
            behind = self._written_seq != self._durable_seq or self._state != "good"
            if wrote and behind and not self._syncing and (ending or self._hurried or now >= next_sync):
                self._hurried = False
                self._ask_sync()
                next_sync = now + SYNC_EVERY_S
            if ending and self._syncing and give_up_at is not None:
                self._synced.wait(max(give_up_at - now, 0.0))
                self._take_sync()
            with self._room:
                self._room.notify_all()
            finished = wrote and not self._pending and not self._syncing and self._state == "good"
            if ending and (finished or (give_up_at is not None and now >= give_up_at)):
                break
        self._finish()
        # A sync that hangs in the kernel ends with the process.
        if not self._syncing:
            self._sync_wanted.set()

    def _write(self) -> bool:
        self._encode_pending()
        if not self._unwritten and self._state == "good":
            return True
        try:
            if self._state == "failing" and self._fd >= 0 and not self._syncing and not self._is_there():
                self._put_back()
            if self._fd < 0:
                # The folder may have been removed. To be read too: see `_put_back`.
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            written = 0
            view = memoryview(self._unwritten)
            while written < len(view):
                written += os.pwrite(self._fd, view[written:], self._size + written)
        except OSError as error:
            self._fail(error)
            return False
        self._size += len(self._unwritten)
        self._crc = zlib.crc32(self._unwritten, self._crc)
        self._written += self._unwritten_records
        self._unwritten, self._unwritten_records = b"", 0
        return True

    def _put_back(self) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            done = 0
            while done < self._size and (piece := os.pread(self._fd, CHUNK, done)):
                done += os.pwrite(fresh, piece[: self._size - done], done)
            os.fsync(fresh)
            sync_path(self.path.parent)
            sync_path(self.path.parent.parent)
        except OSError:
            os.close(fresh)
            with contextlib.suppress(OSError):
                self.path.unlink()
            raise
        os.close(self._fd)
        self._fd = fresh

    def _is_there(self) -> bool:
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._fd))
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _encode_pending(self) -> None:
        if self._unwritten_records >= self._capacity:
            return
        pending = self._pending
        parts = [self._unwritten]
        for _ in range(len(pending)):
            seq, record = pending.popleft()
            try:
                parts.append(encode_record(seq, record))
            except (ValueError, TypeError, msgspec.MsgspecError) as error:
                # One bad record must not stop the others.
                self._shed += 1
                self._last_error = str(error) or f"a record over {MAX_PAYLOAD} bytes"
                continue
            self._unwritten_records += 1
            self._written_seq = seq
        self._unwritten = b"".join(parts)

    def _ask_sync(self) -> None:
        self._syncing, self._sync_reaches = True, self._written_seq
        self._sync_wanted.set()

    def _take_sync(self) -> None:
        if not self._syncing or not self._synced.is_set():
            return
        self._synced.clear()
        self._syncing = False
        if self._sync_error is not None:
            self._fail(self._sync_error)
        else:
            self._durable_seq = self._sync_reaches
            self._state, self._failing_since = "good", math.inf
            if self.on_durable is not None:
                self.on_durable(self._durable_seq)

    def _run_sync(self) -> None:
        while True:
            self._sync_wanted.wait()
            self._sync_wanted.clear()
            if not self._syncing:
                return
            try:
                if not self._folder_synced:
                    sync_path(self.path.parent)
                    self._folder_synced = True
                os.fdatasync(self._fd)
                if not self._is_there():
                    raise FileNotFoundError(errno.ENOENT, f"{self.path} was removed")
                self._sync_error = None
            except OSError as error:
                self._sync_error = error
            self._synced.set()
            self._wake.set()

    def _fail(self, error: OSError) -> None:
        self._failures += 1
        self._state, self._failing_since = "failing", min(self._failing_since, time.monotonic())
        self._last_error = error.strerror or str(error)
        if self._fd >= 0:
            try:
                # Half a record would read as damage.
                os.ftruncate(self._fd, self._size)
            except OSError as again:
                self._last_error = again.strerror or str(again)

    def _finish(self) -> None:
        self._shed += len(self._pending) + self._unwritten_records
        self._pending.clear()
        # A sync that hangs keeps its file; the journal counts as not closed.
        if self._fd >= 0 and not self._syncing:
            os.close(self._fd)
            self._fd = -1
        if self._state == "good":
            self._state = "failing" if self._syncing else "closed"
        with self._room:
            self._room.notify_all()
