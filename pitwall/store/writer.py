"""The one thread that writes DuckDB, many rows at a time. Its errors never stop the caller."""

from __future__ import annotations

import contextlib
import threading
import time
import zlib
from collections import deque
from collections.abc import Collection, Sequence
from copy import copy
from typing import Any

import _duckdb as duckdb
import msgspec

from pitwall.contract.shedding import SHED
from pitwall.contract.status import StoreStatus, WriterState
from pitwall.helpers.backoff import DISK
from pitwall.store.database import CHECKPOINT_LOG_BYTES, DamagedDatabaseError, Database
from pitwall.store.errors import StoreError, first_line
from pitwall.store.home_journal import BAD_ROW, RowChange, note_derived, stored_rows
from pitwall.store.rows import (
    TABLES,
    Registry,
    Row,
    StreamPlan,
    append_all,
    tall_rows,
)
from pitwall.telemetry.sample import Sample, Stream

# How often the writer looks; how long samples wait for a row group: what a kill may cost in DuckDB,
# which the journal restores.
FLUSH_EVERY_S, HOLD_S = 0.25, 60.0
# This many rows in one commit DuckDB compresses into the main file at once. Fewer go into the log,
# 50 bytes each, and are folded later; some more are merged with the next by a checkpoint.
ROW_GROUP = 122_880
# DuckDB keeps the blocks of each, 0.8 MB, until it is opened again.
RENEW_AFTER = 4
ITEMS_PER_COMMIT, ITEMS_PER_COMMIT_ALONE = 6_000, 8_000
# A finished lap waits for no more than a look where somebody has read this lately.
READ_WITHIN_S = 10.0
# The journal has all that is shed here.
SHED_ABOVE = {what: int(above) for what, above in SHED["duckdb"].items()}
# The queue's limits are for samples of this many values.
VALUES_AN_ITEM = 32
# An import waits above this, before a drive would shed; its pieces are large, as a commit costs 20
# ms.
LOSSLESS_ABOVE, LOSSLESS_ABOVE_ALONE = 5_000, 12_000
# Without a daemon the log is folded this much more seldom.
LOGS_ALONE = 8
# An import fails with its database after two more tries.
GIVE_UP_AFTER_S = 2.5
# Between two tries to fold while somebody reads.
FOLD_AGAIN_S = 1.0
CLOSE_WITHIN_S = 2.0


class SessionState:
    """The writer's state of one session; `again`: made from its journal."""

    def __init__(self, session: str, last_seq: int = -1, *, again: bool = False) -> None:
        # `last_seq`: of the last sample that is committed.
        self.id, self.last_seq, self.again = session, last_seq, again
        self.samples = self.shed = 0
        self.plans: dict[int, StreamPlan] = {}


class SampleItem(msgspec.Struct, gc=False):
    """A sample, its row of `frames`, and how many rows of `signals` (`width`) it becomes."""

    session: SessionState
    seq: int
    sample: Sample
    frame_row: Row | None
    distrusted: tuple[int, ...]
    tall: bool
    framed: bool
    width: int = 0
    rows: list[Row] | None = None
    part: bool = False


def _most_rows(item: SampleItem) -> int:
    plan, values = item.session.plans.get(item.sample.stream), item.sample.values
    if plan is not None and item.framed:
        return (plan.other.width if plan.other is not None else 0) + len(item.distrusted)
    return len(values) - values.count(None)


def _make_rows(item: SampleItem) -> None:
    plan = item.session.plans.get(item.sample.stream)
    if item.tall and plan is not None and (not item.distrusted or item.distrusted in plan.distrusted):
        item.rows = tall_rows(item.session.id, item.seq, item.sample, plan, item.framed, item.distrusted)
        item.width = sum(len(row[-1]) - row[-1].count(None) for row in item.rows)


def _part(item: SampleItem, width: int) -> SampleItem:
    sample, part = item.sample, copy(item)
    for end in range(len(sample.values) + 1):
        head = (*sample.values[:end], *[None] * (len(sample.values) - end))
        part.sample = Sample(sample.stream, sample.t, head)
        _make_rows(part)
        if part.width == width:
            break
    item.sample = Sample(sample.stream, sample.t, (*[None] * end, *sample.values[end:]))
    item.rows, part.frame_row, part.part = None, None, True
    return part


class StreamItem(msgspec.Struct):
    """A stream's definition."""

    session: SessionState
    stream: Stream


class RowItem(msgspec.Struct):
    """A row of any other table."""

    session: SessionState
    table: str
    row: Row


class StatementItem(msgspec.Struct):
    """A statement that keeps its place among the rows, and those `then` in the same transaction."""

    sql: str
    values: list[Any]
    then: Sequence[StatementItem] = ()


class ChangeItem(msgspec.Struct):
    """Changes of the home's journal; `records`: to be written, `end`: size and CRC after."""

    changes: Sequence[RowChange]
    records: bytes
    then: Sequence[StatementItem] = ()
    end: tuple[int, int] = (0, 0)


class BarrierItem(msgspec.Struct):
    """Set when everything before it is committed."""

    done: threading.Event


class RewriteItem(BarrierItem):
    """Rewrite the files without deleted rows. `always`: whatever that frees. `freed`: bytes."""

    always: bool = False
    freed: int = 0
    why: str = "somebody reads it, or the disk is full"


Item = SampleItem | StreamItem | RowItem | StatementItem | ChangeItem | BarrierItem


class DatabaseWriter:
    """Commits items of any thread, as a row group or after HOLD_S; `alone`: larger pieces."""

    def __init__(self, database: Database, *, alone: bool = False) -> None:
        self._database, self._alone = database, alone
        self._most_items = ITEMS_PER_COMMIT_ALONE if alone else ITEMS_PER_COMMIT
        self._registry = Registry(database.con)
        self._queue: deque[Item] = deque()
        self._wake = threading.Event()
        self._room = threading.Condition()
        self._ending = False
        self._state: WriterState = "good"
        self._committed = self._shed = self._failures = 0
        self._last_error = ""
        self._failing_since: float | None = None
        # Something else than samples waits; of laps and events: nobody should look in vain.
        self._pressing = self._lap_waits = False
        # All that waits is of imports and rebuilds.
        self._lossless_only = True
        self._drained_s = self._fold_after_s = 0.0
        self._row_groups = 0
        # Counted by the one who puts samples, and by the writer.
        self._put_values = self._drained_values = self._put_tall = self._drained_tall = 0
        # Lowered while somebody drives.
        self.lossless_above = LOSSLESS_ABOVE_ALONE if alone else LOSSLESS_ABOVE
        self._thread = threading.Thread(target=self._run, name="duckdb", daemon=True)
        self._thread.start()

    def put_sample(self, item: SampleItem, lossless: bool) -> None:
        """Hand over a sample. Live: a long queue sheds its tall rows, then its frame."""
        waiting = self._load()
        if not lossless:
            self._lossless_only = False
            self._database.hurry()
        self._put_values += len(item.sample.values)
        if lossless:
            if waiting >= self.lossless_above:
                self._wait_for_room()
        elif waiting >= SHED_ABOVE["tall signals"]:
            self._wake.set()
            item.session.shed += 1
            self._shed += 1
            if waiting >= SHED_ABOVE["frames"] or item.frame_row is None:
                self._put_values -= len(item.sample.values)
                return
            item.tall = False
        if item.tall:
            item.width = _most_rows(item)
            self._put_tall += item.width
        self._queue.append(item)

    def put(self, item: Item, lossless: bool = False) -> None:
        """Hand over anything else: shed last."""
        if lossless:
            if len(self._queue) >= self.lossless_above:
                self._wait_for_room()
        elif len(self._queue) >= SHED_ABOVE["lines"] and isinstance(item, RowItem):
            item.session.shed += 1
            self._shed += 1
            return
        self._queue.append(item)
        if not isinstance(item, RowItem):
            self._pressing = self._pressing or not lossless
        elif item.table in ("laps", "driver_events"):
            self._lap_waits = True

    def flush(self, within_s: float = CLOSE_WITHIN_S) -> bool:
        """Wait until all so far is committed; False if the database fails for so long."""
        done = threading.Event()
        self._queue.append(BarrierItem(done))
        failures = self._failures
        while not done.is_set() and self._thread.is_alive():
            self._wake.set()
            if self._failures > failures and time.monotonic() > self._failing_from() + within_s:
                return False
            done.wait(FLUSH_EVERY_S)
        return done.is_set()

    def rewrite(self, *, always: bool) -> int:
        """Give deleted rows' room back; return the bytes. StoreError: `always`, and impossible."""
        item = RewriteItem(threading.Event(), always=always)
        self.put(item)
        while not item.done.is_set() and self._thread.is_alive():
            self._wake.set()
            item.done.wait(FLUSH_EVERY_S)
            if time.monotonic() > self._failing_from() + CLOSE_WITHIN_S:
                item.why = self._last_error
                break
        if always and item.why:
            raise StoreError(f"{self._database.path} can't be rewritten: {item.why}; try again later")
        return item.freed

    def stats(self) -> StoreStatus:
        """Return the counters."""
        return StoreStatus(
            state=self._state,
            waiting=len(self._queue),
            committed=self._committed,
            shed=self._shed,
            failures=self._failures,
            last_error=self._last_error,
        )

    def close(self) -> None:
        """Commit what is left, and stop. Never raises."""
        self._ending = True
        self._wake.set()
        self._thread.join()
        self._registry.detach()

    def _wait_for_room(self) -> None:
        self._wake.set()
        with self._room:
            while self._load() >= self.lossless_above:
                since = self._failing_since
                if self._state == "closed" or (since and time.monotonic() - since > GIVE_UP_AFTER_S):
                    raise StoreError(
                        f"{self._database.path} can't be written: {self._last_error or 'it is closed'}; "
                        "make room and start again, the journal has what came so far"
                    )
                self._room.wait(FLUSH_EVERY_S)
                self._wake.set()

    def _run(self) -> None:
        held: list[Item] = []
        give_up_at: float | None = None
        while True:
            woken = self._wake.wait(FLUSH_EVERY_S if self._state == "good" or self._ending else DISK.first_s)
            self._wake.clear()
            if self._ending and give_up_at is None:
                give_up_at = self._failing_from() + CLOSE_WITHIN_S
            while held or (self._queue and (woken or not self._may_wait())):
                woken, held = False, held or self._take()
                held = held[self._commit(held) :]
                if held:
                    break
                with self._room:
                    self._room.notify_all()
            if self._ending:
                emptied = not held and not self._queue
                if emptied or (give_up_at is not None and time.monotonic() >= give_up_at):
                    break
        if self._state == "good":
            self._state = "closed"
            with contextlib.suppress(duckdb.Error, OSError):  # a long journal is only slower
                self._compact()

    def _failing_from(self) -> float:
        """Return since when it fails, monotonic; now, if it does not."""
        return self._failing_since or time.monotonic()

    def _load(self) -> int:
        return max(len(self._queue), (self._put_values - self._drained_values) // VALUES_AN_ITEM)

    def _may_wait(self) -> bool:
        if self._pressing or self._ending or self._put_tall - self._drained_tall >= ROW_GROUP:
            return False
        if self._lossless_only:
            return self._load() < min(self._most_items, self.lossless_above)
        now_s = time.monotonic()
        if self._lap_waits and now_s - self._database.read_s < READ_WITHIN_S:
            return False
        return self._load() < self._most_items and now_s - self._drained_s < HOLD_S

    def _take(self) -> list[Item]:
        self._pressing = self._lap_waits = False
        self._drained_s = time.monotonic()
        self._lossless_only = True
        items: list[Item] = []
        tall = 0
        queue = self._queue
        while queue and len(items) < self._most_items and tall < ROW_GROUP:
            item = queue.popleft()
            if type(item) is SampleItem:
                width = item.width
                _make_rows(item)
                if tall + item.width > ROW_GROUP:
                    items.append(_part(item, ROW_GROUP - tall))
                    item.width = width
                    queue.appendleft(item)
                    break
                self._drained_values += len(item.sample.values)
                self._drained_tall += width
                tall += item.width
            items.append(item)
        return items

    def _commit(self, items: list[Item]) -> int:
        con = self._database.con
        try:
            self._database.check_there()
            if not self._registry.knows(con):
                self._registry.attach(con)
        except (duckdb.Error, OSError) as error:
            self._fail(error)
            return 0
        try:
            self._plan(items)
            self._keep_changes(items)
            tall = sum(item.width for item in items if type(item) is SampleItem)
            self._row_groups += tall >= ROW_GROUP
            with self._database.changing() if tall >= ROW_GROUP else contextlib.nullcontext():
                con.execute("BEGIN")
                progress = self._write(con, items)
                con.execute("COMMIT")
        except BAD_ROW as error:
            return self._without_bad_row(items, error)
        except (duckdb.Error, OSError) as error:
            self._fail(error)
            return 0
        self._state, self._failing_since = "good", None
        self._committed += len(items)
        for session, _, last_seq in progress:
            session.last_seq = max(session.last_seq, last_seq)
        self._fold()
        for item in items:
            if isinstance(item, RewriteItem):
                self._rewrite(item)
            if isinstance(item, BarrierItem):
                item.done.set()
        return len(items)

    def _rewrite(self, item: RewriteItem) -> None:
        try:
            self._compact(always=True)
            self._database.checkpoint()
            freed = self._database.rewrite(always=item.always)
            if freed is not None:
                item.freed, item.why = freed, ""
        except duckdb.TransactionException:
            pass  # somebody reads what was deleted
        except (duckdb.Error, OSError, StoreError, DamagedDatabaseError) as error:
            self._failures += 1
            self._last_error = item.why = first_line(error)
            self._reconnect(error)

    def _compact(self, *, always: bool = False) -> None:
        journal = self._database.home_journal
        if journal.compact(always=always):
            note_derived(self._database.con, journal.size, journal.crc)

    def _plan(self, items: list[Item]) -> None:
        """Register streams and distrusted channels, outside the transaction: no rollback may
        lose them."""
        for item in items:
            if type(item) is StreamItem and item.stream.id not in item.session.plans:
                item.session.plans[item.stream.id] = self._registry.stream_plan(item.stream)
            elif type(item) is SampleItem and item.distrusted:
                plan = item.session.plans.get(item.sample.stream)
                if plan is not None and item.distrusted not in plan.distrusted:
                    self._registry.add_distrusted(plan, item.distrusted)
        self._registry.tell_plans()

    def _keep_changes(self, items: list[Item]) -> None:
        new = [item for item in items if type(item) is ChangeItem and item.records]
        if not new:
            return
        journal = self._database.home_journal
        if not journal.is_whole():
            journal.write(stored_rows(self._database.con))
        size, crc = journal.size, journal.crc
        journal.append(b"".join(item.records for item in new))
        for item in new:
            size, crc = size + len(item.records), zlib.crc32(item.records, crc)
            item.records, item.end = b"", (size, crc)

    def _write(
        self, con: duckdb.DuckDBPyConnection, items: list[Item]
    ) -> Collection[tuple[SessionState, int, int]]:
        rows: dict[str, list[Row]] = {}
        staged: list[Row] = []
        progress: dict[str, tuple[SessionState, int, int]] = {}
        derived: tuple[int, int] | None = None
        for item in items:
            if type(item) is SampleItem:
                session = item.session
                if item.frame_row is not None:
                    rows.setdefault("frames", []).append(item.frame_row)
                if item.rows is None:
                    _make_rows(item)
                staged += item.rows or ()
                if not item.part:
                    count = progress[session.id][1] if session.id in progress else 0
                    progress[session.id] = (session, count + 1, item.seq)
            elif type(item) is RowItem:
                rows.setdefault(item.table, []).append(item.row)
            elif type(item) is StatementItem:
                self._append(con, rows, staged)
                for each in (item, *item.then):
                    con.execute(each.sql, each.values)
            elif type(item) is ChangeItem:
                derived = item.end
                self._append(con, rows, staged)
                for change in item.changes:
                    for sql, values in change.statements():
                        con.execute(sql, values)
                for each in item.then:
                    con.execute(each.sql, each.values)
        self._append(con, rows, staged)
        if derived is not None:
            note_derived(con, *derived)
        for session, count, last_seq in progress.values():
            con.execute(
                "UPDATE sessions SET samples = samples + ?, last_seq = greatest(last_seq, ?), "
                "shed_rows = greatest(shed_rows, ?) WHERE id = ?",
                [count, last_seq, session.shed, session.id],
            )
        return progress.values()

    def _append(self, con: duckdb.DuckDBPyConnection, rows: dict[str, list[Row]], staged: list[Row]) -> None:
        for table, columns in TABLES.items():
            if found := rows.pop(table, None):
                append_all(con.appender(table, columns=list(columns)), found)
        if staged:
            self._registry.append_tall(staged)
            staged.clear()

    def _fold(self) -> None:
        try:
            most_bytes = CHECKPOINT_LOG_BYTES * (LOGS_ALONE if self._alone else 1)
            if self._database.log_bytes() >= most_bytes and time.monotonic() >= self._fold_after_s:
                self._database.checkpoint()
            elif self._row_groups < RENEW_AFTER:
                return
            self._row_groups = 0
            self._database.renew()
        except duckdb.TransactionException:
            # Somebody reads what was changed since.
            self._fold_after_s = time.monotonic() + FOLD_AGAIN_S
        except OSError as error:
            self._failures += 1
            self._last_error = first_line(error)
        except (duckdb.Error, StoreError, DamagedDatabaseError) as error:
            # A failed checkpoint leaves the connection unusable, the log whole.
            self._failures += 1
            self._last_error = first_line(error)
            self._reconnect(error)

    def _without_bad_row(self, items: list[Item], error: Exception) -> int:
        self._rollback()
        if len(items) > 1:
            middle = len(items) // 2
            done = self._commit(items[:middle])
            return done if done < middle else middle + self._commit(items[middle:])
        return self._leave_out(items[0], error)

    def _leave_out(self, item: Item, error: Exception) -> int:
        if isinstance(item, SampleItem | StreamItem | RowItem) and not item.session.again:
            sql = "UPDATE sessions SET shed_rows = shed_rows + 1 WHERE id = ?"
            try:
                self._database.con.execute(sql, [item.session.id])
            except (duckdb.Error, OSError) as failed:
                self._fail(failed)
                return 0
        self._shed += 1
        self._last_error = first_line(error)
        return 1

    def _fail(self, error: Exception) -> None:
        self._failures += 1
        self._state = "failing"
        self._failing_since = self._failing_since or time.monotonic()
        self._last_error = first_line(error)
        self._rollback()
        self._reconnect(error)

    def _reconnect(self, error: Exception) -> None:
        self._database.noticed(error)
        with contextlib.suppress(duckdb.Error, StoreError, DamagedDatabaseError, OSError):
            self._database.reconnect()

    def _rollback(self) -> None:
        with contextlib.suppress(duckdb.Error):
            self._database.con.execute("ROLLBACK")
