"""From what was handed over to rows: which values go wide, which go tall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import _duckdb as duckdb
import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.store.database import CLOSED
from pitwall.store.schema import FRAME_FIELDS
from pitwall.telemetry.sample import Sample, Stream
from pitwall.track.lap import CornerPass, Lap

Row = tuple[Any, ...]
Values = Sequence[float | None]

FRAME_COLUMNS = ("session", "seq", "lap", *FRAME_FIELDS, "distance_m", "offset_m", "status")
LAP_COLUMNS = ("session", "lap", "kind", "start_t", "end_t", "time_s", "sectors_s", "reason")
PASS_COLUMNS = ("session", *CornerPass.__struct_fields__)
CUE_COLUMNS = ("session", *LedgerLine.__struct_fields__)
EVENT_COLUMNS = ("session", "t", "kind", "detail")
BATCH_COLUMNS = ("id", "session", "samples", "seq")
TABLES: dict[str, tuple[str, ...]] = {
    "frames": FRAME_COLUMNS,
    "laps": LAP_COLUMNS,
    "corner_passes": PASS_COLUMNS,
    "cues": CUE_COLUMNS,
    "driver_events": EVENT_COLUMNS,
    "batches": BATCH_COLUMNS,
}

# Plans are joined in, so that a staged row carries its values only: half the cost.
TALL_PLANS = "CREATE OR REPLACE TEMP TABLE tall_plans (plan INTEGER, signals INTEGER[])"
TALL_INSERT = """
INSERT INTO signals (session, seq, t, signal, value)
SELECT session, seq, t, signal, value FROM (
  SELECT session, seq, t, unnest(signals) AS signal, unnest(vals) AS value
  FROM appender_data JOIN tall_plans USING (plan))
WHERE value IS NOT NULL"""
TALL_COLUMNS = {"session": "VARCHAR", "seq": "BIGINT", "t": "DOUBLE", "plan": "INTEGER", "vals": "DOUBLE[]"}
SIGNAL_COLUMNS = ("session", "seq", "t", "signal", "value")
# The join costs 1.5 ms a commit before it pays.
JOIN_ABOVE = 32
# A call holds Python's lock to its end: 2 ms with 30 signals a row.
ROWS_A_CALL = 100


class TallPlan(msgspec.Struct, frozen=True):
    """Channels of a stream that go tall together. `key`: in `tall_plans`."""

    key: int
    width: int
    pick: Callable[[Values], Values]


class StreamPlan(msgspec.Struct):
    """What of a stream goes tall: `other` with a frame, `every` without one."""

    signals: tuple[int, ...]
    other: TallPlan | None
    every: TallPlan | None
    distrusted: dict[tuple[int, ...], TallPlan | None]


def append_all(appender: duckdb.Appender, rows: list[Row]) -> None:
    """Append and flush all the rows, or leave none behind."""
    try:
        for first in range(0, len(rows), ROWS_A_CALL):
            appender.append_rows(rows[first : first + ROWS_A_CALL])
        appender.flush()
    except BaseException:
        appender.clear()
        raise


def lap_row(session: str, lap: Lap) -> Row:
    """Return a row of `laps`."""
    *head, sectors_s, reason = msgspec.structs.astuple(lap)
    return (session, *head, list(sectors_s), reason)


def struct_row(session: str, line: CornerPass | LedgerLine) -> Row:
    """Return a row of `corner_passes` or `cues`."""
    return (session, *msgspec.structs.astuple(line))


class Registry:
    """The ids of signals, and the tall plans of one connection."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._ids: dict[tuple[str, str, str, str], int] = {}
        self._plans: list[tuple[int, ...]] = []
        # How many the connection has.
        self._sent = 0
        self._con = CLOSED
        self.attach(con)

    def attach(self, con: duckdb.DuckDBPyConnection) -> None:
        """Use this connection: read its ids, send the plans. duckdb.Error: to be done again."""
        rows = con.execute("SELECT id, name, unit, label, source FROM signal_registry").fetchall()
        self._ids = {(name, unit, label, source): number for number, name, unit, label, source in rows}
        con.execute(TALL_PLANS)
        self._sent = 0
        self._con = con
        self.tell_plans()

    def detach(self) -> None:
        """Let go of the closed connection: DuckDB's object must not outlive the interpreter."""
        self._con = CLOSED

    def knows(self, con: duckdb.DuckDBPyConnection) -> bool:
        """Return whether this connection has all plans."""
        return self._con is con and self._sent == len(self._plans)

    def tell_plans(self) -> None:
        """Send new plans, outside any transaction. duckdb.Error."""
        if new := self._plans[self._sent :]:
            keys = list(range(self._sent, len(self._plans)))
            self._con.execute(
                "INSERT INTO tall_plans SELECT unnest(?), unnest(?)", [keys, [list(each) for each in new]]
            )
            self._sent = len(self._plans)

    def stream_plan(self, stream: Stream) -> StreamPlan:
        """Return the plan of a stream; register its channels."""
        signals = self._signals(stream)
        other = tuple(index for index, channel in enumerate(stream.channels) if not channel.canonical)
        everything = tuple(range(len(signals)))
        return StreamPlan(signals, self._plan(signals, other), self._plan(signals, everything), {})

    def add_distrusted(self, plan: StreamPlan, indices: tuple[int, ...]) -> None:
        """Plan for these channels of the stream."""
        valid = tuple(index for index in indices if 0 <= index < len(plan.signals))
        plan.distrusted[indices] = self._plan(plan.signals, valid)

    def append_tall(self, staged: list[Row]) -> None:
        """Append what `tall_rows` gave, all or nothing."""
        if len(staged) > JOIN_ABOVE:
            append_all(self._con.query_appender(TALL_INSERT, TALL_COLUMNS), staged)
            return
        rows = [
            (session, seq, t, signal, value)
            for session, seq, t, plan, values in staged
            for signal, value in zip(self._plans[plan], values, strict=True)
            if value is not None
        ]
        if rows:
            append_all(self._con.appender("signals", columns=list(SIGNAL_COLUMNS)), rows)

    def _plan(self, signals: tuple[int, ...], indices: tuple[int, ...]) -> TallPlan | None:
        if not indices:
            return None
        key = len(self._plans)
        self._plans.append(tuple(signals[index] for index in indices))
        return TallPlan(key, len(indices), _picker(indices))

    def _signals(self, stream: Stream) -> tuple[int, ...]:
        names = [(each.name, each.unit, each.label, stream.source) for each in stream.channels]
        new = dict.fromkeys(name for name in names if name not in self._ids)
        if new:
            numbers = [max(self._ids.values(), default=0) + 1 + count for count in range(len(new))]
            columns = [numbers, *map(list, zip(*new, strict=True))]
            self._con.execute(
                "INSERT INTO signal_registry SELECT unnest(?), unnest(?), unnest(?), unnest(?), unnest(?)",
                columns,
            )
            self._ids.update(zip(new, numbers, strict=True))
        return tuple(self._ids[name] for name in names)


def _picker(indices: tuple[int, ...]) -> Callable[[Values], Values]:
    if len(indices) == 1:
        only = indices[0]
        return lambda values: (values[only],)
    return itemgetter(*indices)


def tall_rows(
    session: str, seq: int, sample: Sample, plan: StreamPlan, framed: bool, distrusted: tuple[int, ...]
) -> list[Row]:
    """Return the staged rows of one sample: (session, seq, t, plan, values)."""
    tall = plan.other if framed else plan.every
    rows: list[Row] = []
    if tall is not None:
        rows.append((session, seq, sample.t, tall.key, tall.pick(sample.values)))
    if distrusted and framed and (extra := plan.distrusted.get(distrusted)) is not None:
        rows.append((session, seq, sample.t, extra.key, extra.pick(sample.values)))
    return rows
