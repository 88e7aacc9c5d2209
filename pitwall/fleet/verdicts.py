"""The analysis of one session of a lake, and what is kept of it.

This is the only dear step, and the only one that an engine spreads over processes or machines: a pure
function of one session. Everything else folds what it gave.
"""

from __future__ import annotations

import datetime
import functools
import gc
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from pitwall.analysis.corners import PassFacts, measure_passes
from pitwall.analysis.drive import load_drive
from pitwall.analysis.opportunities import Opportunity, find_opportunities
from pitwall.config import PACKAGE
from pitwall.fleet.session_facts import LakeFacts, SessionWork, TrackShelf
from pitwall.fleet.storage import LakeError, open_storage
from pitwall.store.errors import StoreError

# The rooms whose code decides what an analysis gives.
ROOMS = ("telemetry", "track", "coach", "analysis", "fleet")


class SessionVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what the analysis found in one session, as `pitwall.analysis.report.Report` has it."""

    driver: str
    session: str
    track: str
    date: datetime.date | None
    car_class: str
    conditions: str
    passes: tuple[PassFacts, ...]
    opportunities: tuple[Opportunity, ...]


class WorkOutcome(msgspec.Struct, frozen=True):
    """Holds what became of one session: a verdict, encoded, or why there is none."""

    driver: str
    session: str
    content: str
    body: bytes | None
    failed: str = ""


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(SessionVerdict)


def judge(facts: LakeFacts, work: SessionWork) -> SessionVerdict:
    """Analyse one session: of a report's parts those that are kept. LakeError, StoreError where it can't be
    read."""
    entry = work.entry
    drive = load_drive(facts, facts.session())
    reference = drive.reference()
    passes = measure_passes(drive, reference)
    return SessionVerdict(
        driver=entry.driver,
        session=entry.session,
        track=entry.track,
        date=entry.date,
        car_class=entry.car_class,
        conditions=entry.conditions,
        passes=tuple(passes),
        opportunities=tuple(find_opportunities(drive, passes, reference)),
    )


def judge_works(url: str, layers: Sequence[str], works: Iterable[SessionWork]) -> Iterator[WorkOutcome]:
    """Analyse sessions one after the other. One that fails is an outcome that says why."""
    storage, tracks = open_storage(url), _shelf(tuple(layers))
    collects = gc.isenabled()
    # A session's columns are a million numbers without a cycle among them.
    gc.disable()
    try:
        for work in works:
            entry, body, failed = work.entry, None, ""
            try:
                body = _ENCODER.encode(judge(LakeFacts(storage, work, tracks), work))
            except (LakeError, StoreError, MemoryError) as error:
                failed = str(error) or type(error).__name__
            except Exception as error:  # a recording that nobody foresaw: it is named, the others go on
                failed = f"its analysis failed: {error!r}"
            yield WorkOutcome(entry.driver, entry.session, entry.content, body, failed)
    finally:
        if collects:
            gc.enable()


@functools.cache
def _shelf(layers: tuple[str, ...]) -> TrackShelf:
    return TrackShelf([Path(layer) for layer in layers])


@functools.cache
def analysis_stamp() -> str:
    """Which code a verdict is of: the same on every machine with the same program."""
    digest = 0
    for room in ROOMS:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            digest = zlib.crc32(path.read_bytes(), digest)
    return f"{digest:08x}"


class Verdicts:
    """The verdicts that there are, in one SQLite file: a session that did not change is not analysed again,
    and a run that was broken off goes on where it was. LakeError where the file can't be used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as con, con:
                con.execute(
                    "CREATE TABLE IF NOT EXISTS verdicts (content TEXT, code TEXT, driver TEXT, body BLOB, "
                    "PRIMARY KEY (content, code)) WITHOUT ROWID"
                )
        except (OSError, sqlite3.Error) as error:
            raise LakeError(
                f"{path} can't be used: {error}; delete it, then all is analysed again"
            ) from error

    def missing(self, works: Sequence[SessionWork]) -> list[SessionWork]:
        """Those that are still to be analysed by this program."""
        with closing(self._open()) as con:
            rows = con.execute("SELECT content FROM verdicts WHERE code = ?", [analysis_stamp()])
            known = {str(content) for (content,) in rows}
        return [work for work in works if work.entry.content not in known]

    def put(self, outcomes: Iterable[WorkOutcome]) -> None:
        """Keep what was found; those that failed are tried again next time."""
        rows = [
            (each.content, analysis_stamp(), each.driver, zlib.compress(each.body, 1))
            for each in outcomes
            if each.body is not None
        ]
        try:
            with closing(self._open()) as con, con:
                con.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise LakeError(f"{self._path} can't be written: {error}") from error

    def get(self, works: Iterable[SessionWork]) -> Iterator[SessionVerdict]:
        """The verdicts on these sessions, in their order; those that there are."""
        with closing(self._open()) as con:
            for work in works:
                values = (work.entry.content, analysis_stamp())
                row = con.execute(
                    "SELECT body FROM verdicts WHERE content = ? AND code = ?", values
                ).fetchone()
                if row is not None:
                    yield _DECODER.decode(zlib.decompress(row[0]))

    def forget(self, driver: str) -> int:
        """Take away what is kept of a driver; how many sessions that were."""
        with closing(self._open()) as con:
            with con:
                count = con.execute("DELETE FROM verdicts WHERE driver = ?", [driver]).rowcount
            con.execute("VACUUM")
        return count

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=30.0)
