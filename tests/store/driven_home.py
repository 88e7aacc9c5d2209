"""A home with real sessions in it, written by a real process that can be killed; and what must come of it.

Run as a script: `driven_home.py HOME SESSION` opens the store, writes samples at 100 Hz, and prints the
number of each sample right after it was handed over, until it is killed.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.store import writer as writer_module
from pitwall.store.session import SessionWriter
from pitwall.store.sqlanswer import TOO_SLOW, Refusal, SqlAnswer
from pitwall.store.sqlgate import BUSY, STARTING
from pitwall.store.store import Store, recover
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.journal import JournalRecording, SessionMeta
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.track.lap import CornerPass, Lap, Position

RATE_HZ = 100
# Of a DuckDB file.
HEADERS_BYTES, BLOCK_BYTES = 3 * 4096, 262_144
STREAM = Stream(
    0,
    "test car",
    (
        Channel("speed_mps", "m/s", "velocity"),
        Channel("brake_bar", "bar", "Brake Pressure"),
        Channel("battery_v", "V", "Battery Voltage"),
        Channel("lambda", "", "Air Fuel Ratio"),
    ),
)
# Of a question, two seconds each.
TRIES = 60


def meta(session: str, **changes: object) -> SessionMeta:
    fields: dict[str, object] = {"id": session, "kind": "live", "created_utc_s": 1.7e9, "track": "sonoma"}
    return SessionMeta(**{**fields, **changes})  # type: ignore[arg-type]


def sample(number: int) -> Sample:
    """Every value depends on the number, so that rows that went astray are seen."""
    return Sample(0, number / RATE_HZ, (number * 0.5, number * 0.25, 12.0 + number, -float(number)))


def drive(recorded: Sample, writer: SessionWriter) -> None:
    """A small in-drive path: a frame from every second sample, a lap every second, a cue every half."""
    number = round(recorded.t * RATE_HZ)
    if number % 2 == 0:
        frame = Frame(recorded.t, speed_mps=recorded.values[0])
        place = Position(recorded.t, float(number % 4000), 0.5, "on")
        writer.row(writer.keep(recorded), frame, place, number // RATE_HZ, (1,) if number % 10 == 0 else ())
    else:
        writer.row(writer.keep(recorded), None, None, number // RATE_HZ)
    if number and number % RATE_HZ == 0:
        lap = number // RATE_HZ
        writer.lap(Lap(lap, "flying", lap - 1.0, float(lap), 1.0, (0.5, None)))
        writer.corner_pass(corner_pass(lap))
    if number % 50 == 0:
        writer.cue(ledger_line(number))


def corner_pass(lap: int) -> CornerPass:
    return CornerPass(lap, "turn_7", lap - 0.5, lap - 0.2, 0.3, 40.0, 22.5, 1290.0, 31.0, 1200.0)


def ledger_line(number: int) -> LedgerLine:
    return LedgerLine(
        cue=number, t=number / RATE_HZ, lap=1, corner="turn_7", phase="brake", text="Brake now",
        tier="rule", priority=2, outcome="spoken", reason="loses 0.2 s", action_distance_m=80.0,
        clip_s=0.7, time_in_hand_s=0.9,
    )  # fmt: skip


def rebuild(recording: JournalRecording, writer: SessionWriter) -> None:
    for stream in recording.info.streams:
        writer.row_stream(stream)
    for recorded in recording.samples():
        drive(recorded, writer)


@contextmanager
def opened(home: Home) -> Iterator[Store]:
    with Store(home) as store:
        store.open()
        yield store


def begun(
    store: Store, samples: int = 0, session: str = "one", *, lossless: bool = False, **changes: object
) -> SessionWriter:
    """A session with so many samples: a live one, but for the changes of its header."""
    writer = store.begin(meta(session, **changes), lossless=lossless)
    writer.keep_stream(STREAM)
    writer.row_stream(STREAM)
    go_on(writer, 0, samples)
    return writer


def go_on(writer: SessionWriter, first: int, end: int) -> None:
    for number in range(first, end):
        drive(sample(number), writer)


def asked(store: Store, sql: str, again: tuple[str, ...] = (BUSY, STARTING, TOO_SLOW)) -> SqlAnswer | Refusal:
    """The answer on a loaded machine too, where a process starts, or a question takes, longer than it may."""
    answers = (store.ask(sql) for _ in range(TRIES))
    return next(each for each in answers if isinstance(each, SqlAnswer) or each.reason not in again)


def heal(store: Store, session: str) -> None:
    """Rebuild what waits for it; nothing of this session lacks then."""
    recover(store, rebuild)
    assert missing_rows(store, session) == {}


def write_session(store: Store, session: str, samples: int, *, lossless: bool = True) -> None:
    begun(store, samples, session, lossless=lossless).close()


def killed_run(root: Path, session: str, samples: int, extra_s: float = 0.0) -> int:
    """Start a real writer, kill it a little after so many samples; returns how many it handed over."""
    command = [sys.executable, __file__, str(root), session]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    handed = 0
    for line in process.stdout:
        handed = int(line) + 1
        if handed >= samples:
            break
    assert handed >= samples, "the writer ended by itself"
    # The moment within a write is what is tried here, so it must fall anywhere.
    time.sleep(extra_s)
    process.kill()
    rest = process.stdout.read().split(b"\n")
    process.stdout.close()
    process.wait()
    whole = [line for line in rest[:-1] if line]
    return int(whole[-1]) + 1 if whole else handed


def missing_rows(store: Store, session: str) -> dict[str, object]:
    """What DuckDB lacks, or has too much of, against the session's journal; empty where nothing."""
    recording = JournalRecording(store.home.journals / f"{session}.pwj", numbered=True)
    expected_frames, expected_tall = set(), set()
    for recorded in recording.samples():
        number = round(recorded.t * RATE_HZ)
        assert recorded.values == sample(number).values
        seq = recorded.seq  # type: ignore[attr-defined]
        framed = number % 2 == 0
        if framed:
            expected_frames.add((seq, recorded.t, recorded.values[0]))
        for index, value in enumerate(recorded.values):
            if not framed or index >= 2 or (index == 1 and number % 10 == 0):
                expected_tall.add((seq, STREAM.channels[index].name, value))
    cursor = store.cursor()
    frames = cursor.execute("SELECT seq, t, speed_mps FROM frames WHERE session = ?", [session]).fetchall()
    tall = cursor.execute(
        "SELECT s.seq, r.name, s.value FROM signals s JOIN signal_registry r ON r.id = s.signal "
        "WHERE session = ?",
        [session],
    ).fetchall()
    cursor.close()
    problems: dict[str, object] = {
        "frames missing": expected_frames - set(frames),
        "frames doubled": len(frames) - len(set(frames)),
        "signals missing": expected_tall - set(tall),
        "signals doubled": len(tall) - len(set(tall)),
    }
    return {name: problem for name, problem in problems.items() if problem}


def flip_byte(path: Path, chance: random.Random, offset: int | None = None) -> int:
    """Flip one random bit of one byte, a random one; returns its offset."""
    offset = chance.randrange(path.stat().st_size) if offset is None else offset
    with path.open("r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ (1 << chance.randrange(8))]))
    return offset


def places_of_indexes(path: Path) -> list[int]:
    """A place in each block of a DuckDB file in which no column lies, nor what tells of them."""
    with duckdb.connect(str(path)) as con:
        [(blocks,)] = con.execute("SELECT total_blocks FROM pragma_database_size()").fetchall()
        read = con.execute("SELECT block_id FROM pragma_metadata_info()").fetchall()
        for (table,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            of = "unnest(list_append(additional_block_ids, block_id))"
            read += con.execute(f"SELECT {of} FROM pragma_storage_info('{table}')").fetchall()
    ids = {*range(blocks)} - {each for (each,) in read}
    return [HEADERS_BYTES + block * BLOCK_BYTES + 1_000 for block in sorted(ids)]


def _run_until_killed(root: Path, session: str) -> None:
    writer_module.HOLD_S = writer_module.FLUSH_EVERY_S  # a short run is to have rows
    store = Store(Home(root))
    store.open()
    writer, number = begun(store, session=session), 0
    while True:
        drive(sample(number), writer)
        os.write(1, b"%d\n" % number)
        number += 1
        # Never catching up: a burst after a stall would count as more time than it took.
        time.sleep(1 / RATE_HZ)


if __name__ == "__main__":
    _run_until_killed(Path(sys.argv[1]), sys.argv[2])
