"""Homes whose sessions were killed, and what an unbroken run makes of the same journals."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from heard import Heard
from running_daemon import ROOT, WITHIN_S

from pitwall.api.changes import judge_all, match_sessions
from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.drive.prepare import known_tracks
from pitwall.drive.rebuild import out_of_date, rebuilder
from pitwall.drive.replay import Replay, ReplayOptions
from pitwall.store.queries import SessionRow, corner_passes, cues, laps, sessions
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.journal import JournalRecording

CHILD = Path(__file__).with_name("killed_pitwall.py")
KILLED = -9
# What a rebuild need not give back: when it was closed, and the stamp of a file that is another copy.
OF_THE_CLOSING = {"closed_utc_s", "journal_stamp", "journal_crc"}
# Lap times of the simulator's truth.
TRUE_WITHIN_S = 0.03

Rows = dict[str, list[tuple[Any, ...]]]


class Death(msgspec.Struct, frozen=True):
    """When a process kills itself: so many seconds after the moment has come so often."""

    moment: str
    count: int
    after_s: float


def killed(home: Home, death: Death, *command: str) -> int:
    """The exit code of `pitwall COMMAND` that kills itself; KILLED unless it was faster."""
    done = subprocess.run(
        [sys.executable, str(CHILD), *command],
        env={
            **os.environ,
            "PITWALL_HOME": str(home.root),
            "PITWALL_DIES": f"{death.moment}:{death.count}:{death.after_s}",
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=2 * WITHIN_S,
        check=False,
    )
    assert done.returncode in (0, KILLED, 75), done.stderr
    return done.returncode


def settled(home: Home, *, last_start: bool = False) -> tuple[Rows, list[SessionRow]]:
    """Every row, and the list of sessions, once all is rebuilt, matched and judged as the next start does; or
    the one after it, where that is what it asks for."""
    with Store(home) as store:
        store.open()
        told = recover(store, rebuilder(home, store))
        if not store.pending:
            match_sessions(store, out_of_date(store, known_tracks(home)[0]))
            judge_all(store)
            return all_rows(store), sessions(store)
    assert not last_start, told
    assert all("start again to rebuild" in line for line in told if "could not" in line), told
    return settled(home, last_start=True)


def without_database(home: Home, root: Path) -> Home:
    """A home with the same journals and tracks and nothing else."""
    fresh = Home(root)
    fresh.prepare()
    for name in ("journals", "track_data", "clips"):
        shutil.copytree(home.root / name, root / name, dirs_exist_ok=True)
    return fresh


def all_rows(store: Store) -> Rows:
    """The rows of every table that comes from journals, and the lessons, in an order of their own."""
    found: Rows = {}
    with closing(store.cursor()) as con:
        columns = [
            row[0]
            for row in con.execute("SELECT column_name FROM (DESCRIBE sessions)").fetchall()
            if row[0] not in OF_THE_CLOSING
        ]
        found["sessions"] = con.execute(f"SELECT {', '.join(columns)} FROM sessions ORDER BY id").fetchall()
        for table in ("laps", "corner_passes", "cues", "frames", "driver_events", "batches", "lessons"):
            found[table] = con.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall()
        found["signals"] = con.execute(
            "SELECT s.session, s.seq, s.t, s.value, r.name, r.unit, r.label, r.source "
            "FROM signals s JOIN signal_registry r ON r.id = s.signal ORDER BY ALL"
        ).fetchall()
    return found


def differences(ours: Rows, theirs: Rows) -> list[str]:
    """The tables whose rows differ, each with the first that do."""
    told = []
    for table, rows in ours.items():
        wanted = theirs[table]
        if rows == wanted:
            continue
        kept, known = set(map(repr, rows)), set(map(repr, wanted))
        if table == "sessions" and len(rows) == len(wanted):
            pairs = zip(rows, wanted, strict=True)
            told += [str(set(one) ^ set(other)) for one, other in pairs if one != other]
            continue
        more = [repr(row) for row in rows if repr(row) not in known][:3]
        missing = [repr(row) for row in wanted if repr(row) not in kept][:3]
        told.append(f"{table}: {len(rows)} rows, not {len(wanted)}; there {more}; unbroken {missing}")
    return told


class Timed(Heard):
    """What a replay tells; of each ledger line, when."""

    replay: Replay

    def __init__(self) -> None:
        super().__init__()
        self.by_cue: dict[int, tuple[float, LedgerLine]] = {}

    def ledger(self, line: LedgerLine) -> None:
        self.by_cue[line.cue] = (self.replay.drive.state.t, line)


def told_apart_from_replay(home: Home, session: str, scratch: Home) -> list[str]:
    """What a killed session's rows say other than a replay of its journal."""
    path = home.journals / f"{session}.pwj"
    with Store(scratch) as store:
        store.open()
        replay = Replay(path, scratch, store, ReplayOptions())
        heard = replay.listener = Timed()
        heard.replay = replay
        assert replay.run()
        track = next(row.track for row in sessions(store) if row.id == replay.session_id)
    last_t = max((sample.t for sample in JournalRecording(path).samples()), default=0.0)
    told = []
    with Store(home) as store:
        store.open()
        row = next(row for row in sessions(store) if row.id == session)
        if (row.kind, row.track, row.complete) != ("live", track, True):
            told.append(f"session: {row.kind} on {row.track!r}, complete {row.complete}; replay: {track!r}")
        if list(laps(store, session)) != heard.laps:
            told.append(f"laps: {list(laps(store, session))}; replay: {heard.laps}")
        ours = sorted(corner_passes(store, session), key=lambda each: (each.entry_t, each.corner))
        if ours != sorted(heard.passes, key=lambda each: (each.entry_t, each.corner)):
            told.append(f"passes: {len(ours)}; replay: {len(heard.passes)}")
        ledger = list(cues(store, session))
    by_cue = {line.cue: line for line in ledger}
    if len(by_cue) != len(ledger):
        told.append("cues are doubled")
    for cue, line in by_cue.items():
        if cue not in heard.by_cue or heard.by_cue[cue][1] != line:
            told.append(f"cue {line}; replay: {heard.by_cue.get(cue)}")
    for cue, (t, line) in heard.by_cue.items():
        # A cue that was open at the kill has no end in the journal: the replay ends it with the drive.
        if cue not in by_cue and t < last_t:
            told.append(f"no cue {line}, which ended at {t} of {last_t}")
    return told
