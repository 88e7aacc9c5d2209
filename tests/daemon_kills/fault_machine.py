"""The worst day: a live daemon, three senders and a car, and what can go wrong around them, drawn by a seed.

A round is a home on a small disk of its own. Steps are drawn from FAULTS, one after the other, each as soon
as some batches more were acknowledged, or refused where nothing can be kept. Beside it somebody reads,
somebody connects without the token, and somebody asks SQL that plans for minutes. At the end all is mended:

- every acknowledged sample is once in the journals and once in DuckDB,
- DuckDB holds what an unbroken run makes of the same journals,
- while the disk was full, or the journals could not be entered, `/status` named it;
- what was said before a place was heard, to its last word, before the car was there, by this process's clock.

`scripts/faults --rounds N --seed S` runs rounds by hand and prints the steps of each.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import ctypes
import math
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import msgspec
from kill_pushers import SAMPLES_A_BATCH, Senders
from killed_homes import Rows, differences, settled, without_database
from running_daemon import DEMO, ROOT, Daemon, write_settings
from small_disk import fill, small_disk

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.drive.prepare import known_tracks, prepare_words
from pitwall.drive.rebuild import rebuilder
from pitwall.store.journal_check import check_journal, read_note
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.journal import (
    BatchRecord,
    ControlRecord,
    JournalRecording,
    LedgerRecord,
    SampleRecord,
)

SENDERS, DISK_MB = 3, 96
WITHIN_S = 60.0
STEPS = 8
# DuckDB plans this for minutes.
BOMB = "SELECT 1 a0, " + ", ".join(f"a{i} + a{i} a{i + 1}" for i in range(26))
# The row of the demo at which the car is some seconds before its first call.
FIRST_ROW = 4660
# Earlier than this before its moment nothing can have been heard: it is the same sentence of another lap.
AT_ONCE_S = 0.5
# <linux/prctl.h>, <linux/capability.h>: root is refused by permissions too.
_DROP, _OVERRIDE, _SEARCH = 24, 1, 2


class Round:
    """One home, its daemon, and what is broken just now."""

    def __init__(self, disk: Path, seed: int, samples: int) -> None:
        self.chance, self.told = random.Random(seed), list[str]()
        self.disk, self.home = disk, Home(disk / "home")
        self.home.prepare()
        # No session goes on for ever, and the recording begins anew with each daemon.
        write_settings(
            self.home, {"car": f"replay:{near_turn_two(disk.parent)}?live=true"}, free_floor_mb=1.0
        )
        with (self.home.root / "pitwall.toml").open("a") as file:
            file.write('[coach]\nmode = "learn"\n')
        # What is to happen, in this order, in place of what chance wants; and how long to drive before each.
        self.steps: list[str] = []
        self.patience_s = 0.0
        # As in a car that has driven here before.
        shutil.copytree(rendered(), self.home.clips, dirs_exist_ok=True)
        self.heard: list[tuple[float, str]] = []
        self.least_in_hand_s = math.inf
        self.senders = Senders(SENDERS, samples)
        self.clock_set_by_s = 0.0
        self.filler: Path | None = None
        self.away: Path | None = None
        self.daemon: Daemon | None = None
        self._over = threading.Event()
        self._beside = [
            threading.Thread(target=self._keep, args=(what, every_s), daemon=True)
            for what, every_s in ((self._read, 0.2), (self._ask, 1.0), (self._linger, 0.05))
        ]

    def run(self) -> list[str]:
        """Break and mend; what is wrong at the end, a line each."""
        self._start()
        for thread in self._beside:
            thread.start()
        try:
            for number in range(len(self.steps) or STEPS):
                self._over.wait(self.chance.uniform(0.0, self.patience_s))
                self._wait()
                name = self.steps[number] if self.steps else self.chance.choice([*FAULTS])
                self.told.append(name)
                wrong = FAULTS[name](self)
                if wrong:
                    return [wrong]
            self._mend()
            self._wait()
            self._over.set()
            self.senders.stop()
            assert self.daemon is not None
            code = self.daemon.end()
            self.heard += self.daemon.heard
        finally:
            self._over.set()
            self.senders.give_up()
            for thread in self._beside:
                thread.join(WITHIN_S)
            if self.daemon is not None:
                self.daemon.__exit__()
        wrong_at_end = [f"it ended with {code}"] if code else []
        return (
            wrong_at_end + [f"a sender was told {each}" for each in self.senders.mistakes[:3]] + self._lost()
        )

    def _lost(self) -> list[str]:
        wanted = Counter(number + i for number in self.senders.acked for i in range(self.senders.samples))
        found, batches = counted_in_journals(self.home)
        stored = counted_in_database(self.home)
        told = []
        for where, had in (("journals", found), ("DuckDB", stored)):
            lost, twice = wanted - had, had - wanted
            if lost or twice:
                told.append(f"{where}: {lost.total()} lost {min(lost, default='')}, {twice.total()} too many")
        told += [f"batch {batch} is there {count} times" for batch, count in batches.items() if count > 1][:3]
        with TemporaryDirectory() as scratch:
            fresh = without_database(self.home, Path(scratch) / "fresh")
            told += [line[:400] for line in differences(self._with_journal(), settled(fresh)[0])]
        return told + [line for path in self.home.journals.glob("*.pwj") for line in self._late(path)]

    def _with_journal(self) -> Rows:
        """What DuckDB holds of sessions that have a journal. It may have had room for one whose journal was
        never on the disk: nobody was told that anything of it was."""
        rows = settled(self.home)[0]
        alone = {row[0] for row in rows["sessions"]} - {
            path.stem for path in self.home.journals.glob("*.pwj")
        }
        return {
            table: [row for row in found if alone.isdisjoint(map(str, row))] for table, found in rows.items()
        }

    def _late(self, journal: Path) -> list[str]:
        """What of this session was heard when its place had been reached."""
        told = []
        for line, boot_s in spoken_before_a_place(journal):
            heard = [at_s for at_s, text in self.heard if text == line.text and at_s > boot_s - AT_ONCE_S]
            if not heard or line.time_in_hand_s is None or line.clip_s is None:
                continue
            # What the ledger says holds for a word that is handed over at once.
            in_hand_s = line.time_in_hand_s - (min(heard) - boot_s)
            self.least_in_hand_s = min(self.least_in_hand_s, in_hand_s)
            if in_hand_s < 0.0:
                told.append(f"late: {line.text!r}, {in_hand_s:.2f} s in hand, ledger {line}")
        return told

    # Faults.

    def kill(self) -> str:
        assert self.daemon is not None
        self.senders.daemon_is_at("", "")
        self.daemon.kill()
        self._start()
        return ""

    def kill_a_start(self) -> str:
        """Killed once more, as soon as the next one says something: the store is just opened."""
        assert self.daemon is not None
        self.senders.daemon_is_at("", "")
        self.daemon.kill()
        process = subprocess.Popen(
            [sys.executable, "-m", "pitwall", "-v", "run"],
            env=os.environ | {"PITWALL_HOME": str(self.home.root)},
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stderr is not None
        process.stderr.readline()
        process.kill()
        process.communicate()
        self._start()
        return ""

    def kill_and_flip(self) -> str:
        """One byte of the database or of its log, while nobody has it."""
        assert self.daemon is not None
        self.senders.daemon_is_at("", "")
        self.daemon.kill()
        path = self.chance.choice([self.home.database, self.home.database.with_name("pitwall.duckdb.wal")])
        if path.exists() and (size := path.stat().st_size):
            at = self.chance.randrange(size)
            # A hole of the file can't be written on a full disk.
            with contextlib.suppress(OSError), path.open("r+b") as file:
                file.seek(at)
                byte = file.read(1)
                file.seek(at)
                file.write(bytes([byte[0] ^ 0xFF]))
        self._start()
        return ""

    def end(self) -> str:
        """As `sv restart` does it, whatever is broken just now."""
        assert self.daemon is not None
        self.senders.daemon_is_at("", "")
        code = self.daemon.end()
        self._start()
        return f"it ended with {code}" if code else ""

    def clock(self) -> str:
        """Killed, and the clock is another one when it starts: a phone that lost its power."""
        self.clock_set_by_s = self.chance.choice((-86_400.0, -3_600.0, -5.0, 0.0, 5.0, 3_600.0))
        self.told[-1] = f"clock {self.clock_set_by_s:+.0f} s"
        return self.kill()

    def stop(self) -> str:
        """As Android does with a process that it wants to be quiet."""
        assert self.daemon is not None
        pid = self.daemon._process.pid
        os.kill(pid, signal.SIGSTOP)
        threading.Event().wait(self.chance.uniform(0.1, 2.0))  # it is the fault
        os.kill(pid, signal.SIGCONT)
        return ""

    def full(self) -> str:
        """No byte is left; the next step comes while it is so, or after it was freed."""
        if self.filler is not None:
            return self.free()
        self.filler = fill(self.disk)
        return self._named("full disk")

    def nearly(self) -> str:
        """Some pages are left, so that what is written may be torn anywhere."""
        if self.filler is None:
            self.filler = fill(self.disk)
        left = 4096 * self.chance.randrange(1, 100)
        os.truncate(self.filler, max(self.filler.stat().st_size - left, 0))
        return ""

    def free(self) -> str:
        if self.filler is not None:
            self.filler.unlink()
            self.filler = None
        return ""

    def removed(self) -> str:
        """The journals' folder is somewhere else all of a sudden."""
        if self.away is None:
            self.away = self.disk / "elsewhere"
            self.home.journals.rename(self.away)
        return ""

    def refused(self) -> str:
        """Nobody may enter the journals' folder for a while."""
        if self.away is not None or not self.home.journals.is_dir():
            return ""
        self.home.journals.chmod(0)
        try:
            return self._named("journals that can't be entered")
        finally:
            self.home.journals.chmod(0o700)

    # Around them.

    def _start(self) -> None:
        if self.daemon is not None:
            self.heard += self.daemon.heard
        self.daemon = Daemon(self.home, self.clock_set_by_s)
        self.senders.daemon_is_at(self.daemon.address, self.daemon.token)

    def _wait(self) -> None:
        """Until some batches were taken; where none can be, until some were refused."""
        more = self.chance.randrange(1, 12)
        if self.filler is None:
            assert self.senders.wait_for(more, WITHIN_S), self._said("nothing is taken")
            return
        refused = self.senders.refused
        for _ in range(int(WITHIN_S)):
            if self.senders.wait_for(1, 1.0) or self.senders.refused > refused:
                return

    def _named(self, fault: str) -> str:
        """Whether /status says what is wrong, while it is wrong."""
        for _ in range(int(WITHIN_S)):
            with contextlib.suppress(OSError, AssertionError):
                assert self.daemon is not None
                lost = {each["name"] for each in self.daemon.status()["degradations"]}
                if lost & {"store", "disk"}:
                    return ""
            self.senders.wait_for(1, 0.5)
        return self._said(f"{fault}: /status does not name it")

    def _said(self, what: str) -> str:
        assert self.daemon is not None
        with contextlib.suppress(OSError, AssertionError):
            status = self.daemon.status()
            what += f"; {status['journal']} {status['store']} {status['degradations']}"
        return f"{what}; after {self.told}; log {[*self.daemon.log, *self.daemon._lines.queue][-8:]}"

    def _mend(self) -> None:
        self.free()
        if self.away is not None:
            assert self.daemon is not None
            self.senders.daemon_is_at("", "")
            self.daemon.kill()
            self.home.journals.mkdir(exist_ok=True)
            for path in self.away.iterdir():
                # What was put back has all that this has, and more.
                if not (self.home.journals / path.name).exists():
                    path.rename(self.home.journals / path.name)
            shutil.rmtree(self.away)
            self.away = None
            self._start()

    # Beside them.

    def _keep(self, what: Callable[[], None], every_s: float) -> None:
        while not self._over.wait(every_s):
            with contextlib.suppress(OSError, ValueError, AssertionError, urllib.error.URLError):
                what()

    def _read(self) -> None:
        assert self.daemon is not None
        for path in ("/sessions", "/status", "/sessions/last/laps", "/lessons"):
            self.daemon.ask(path)

    def _ask(self) -> None:
        assert self.daemon is not None
        self.daemon.ask("/sql", {"sql": "SELECT count(*), max(value) FROM signals"})
        self.daemon.ask("/sql", {"sql": BOMB})

    def _linger(self) -> None:
        assert self.daemon is not None
        host, _, port = self.daemon.address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), 5) as stranger:
            stranger.sendall(b"GET /status HTTP/1.1\r\nHo")
            stranger.settimeout(5)
            stranger.recv(1)


FAULTS: dict[str, Callable[[Round], str]] = {
    "kill": Round.kill,
    "kill a start": Round.kill_a_start,
    "a byte flipped": Round.kill_and_flip,
    "stop": Round.stop,
    "full": Round.full,
    "free": Round.free,
    "journals removed": Round.removed,
    "journals refused": Round.refused,
    "end": Round.end,
    "clock": Round.clock,
    "nearly full": Round.nearly,
}


@cache
def rendered() -> Path:
    """The folder with the clips of the demo's track."""
    home = Home(Path(mkdtemp()))
    atexit.register(shutil.rmtree, home.root)
    home.prepare()
    for track in (None, known_tracks(home)[0]["sonoma"]):
        prepare_words(home, track, sound=False)
    return home.clips


def near_turn_two(folder: Path) -> Path:
    """The demo from some seconds before its first call on: a start is soon followed by words."""
    path = folder / "near_turn_two.vbo"
    head, _, rows = DEMO.read_text("latin-1").partition("[data]\n")
    path.write_text(head + "[data]\n" + "\n".join(rows.splitlines()[FIRST_ROW:]) + "\n", "latin-1")
    return path


def counted_in_journals(home: Home) -> tuple[Counter[int], Counter[str]]:
    """How often each serial number, and each batch, is in the journals as they lie there."""
    serials: Counter[int] = Counter()
    batches: Counter[str] = Counter()
    for path in home.journals.glob("*.pwj"):
        if check_journal(path).last_seq < 0:
            continue  # a full disk left no room for its first record; the next start sets it aside
        recording = JournalRecording(path)
        column = {
            stream.id: names.index("serial")
            for stream in recording.info.streams
            if "serial" in (names := [channel.name for channel in stream.channels])
        }
        for _, record in recording.records():
            if isinstance(record, BatchRecord):
                batches[record.id] += 1
            elif isinstance(record, SampleRecord) and record.stream in column:
                value = record.values[column[record.stream]]
                assert value is not None
                serials[int(value)] += 1
    return serials, batches


def counted_in_database(home: Home) -> Counter[int]:
    """How often each serial number is in DuckDB after the next start has looked after what was left."""
    with Store(home) as store:
        store.open()
        recover(store, rebuilder(home, store))
        with closing(store.cursor()) as con:
            found = con.execute(
                "SELECT value::BIGINT FROM signals s JOIN signal_registry r ON s.signal = r.id "
                "WHERE r.name = 'serial'"
            ).fetchall()
    return Counter(value for (value,) in found)


def spoken_before_a_place(journal: Path) -> list[tuple[LedgerLine, float]]:
    """The callouts of a session whose place was reached, each with the seconds since the machine's boot at
    which it began, by what the journal notes of the clock."""
    # Of each start: the session's time then, and the boot's seconds at the session's second 0.
    starts = [(0.0, math.inf)]
    lines: list[LedgerLine] = []
    for _, record in JournalRecording(journal).records():
        match record:
            case ControlRecord(kind="restart"):
                starts.append((record.t, math.inf))
            case ControlRecord(kind="clock"):
                note = read_note(record.detail)
                assert note is not None
                from_t, boot_s = starts[-1]
                starts[-1] = (from_t, min(boot_s, note.boot_s - record.t))
            case LedgerRecord():
                line = msgspec.json.decode(record.line, type=LedgerLine)
                if line.outcome.endswith("spoken") and line.action_distance_m is not None:
                    lines.append(line)
            case _:
                pass
    return [
        (line, boot_s + line.t)
        for line in lines
        for boot_s in [_start_of(line.t, starts)]
        if boot_s < math.inf
    ]


def _start_of(t: float, starts: list[tuple[float, float]]) -> float:
    return next(boot_s for from_t, boot_s in reversed(starts) if from_t <= t)


@contextmanager
def a_round(seed: int, folder: Path, samples: int) -> Iterator[Round]:
    with small_disk(folder / "disk", DISK_MB) as disk:
        yield Round(disk, seed, samples)


def main() -> int:
    """Rounds by hand; the exit code is how many were breached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    parser.add_argument("--steps", default="", help=f"these, by comma, and no others: {', '.join(FAULTS)}")
    parser.add_argument("--patience", type=float, default=0.0, help="drive for up to so many s before each")
    parser.add_argument("--samples", type=int, default=SAMPLES_A_BATCH, help="in each batch")
    parser.add_argument("--at-once", type=int, default=1, help="so many rounds beside each other")
    arguments = parser.parse_args()
    permissions_hold()
    rendered()
    seeds = range(arguments.seed, arguments.seed + arguments.rounds)
    with ThreadPoolExecutor(arguments.at_once) as threads:
        breached = sum(threads.map(lambda seed: breached_by(seed, arguments), seeds))
    print(f"{arguments.rounds} rounds, {breached} breached")
    return breached


def breached_by(seed: int, asked: argparse.Namespace) -> bool:
    """Whether a round of this seed, told in a line, was breached."""
    with TemporaryDirectory() as folder, a_round(seed, Path(folder), asked.samples) as drawn:
        drawn.steps, drawn.patience_s = [step for step in asked.steps.split(",") if step], asked.patience
        try:
            wrong = drawn.run()
        except AssertionError as error:
            wrong = [str(error)]
    acked = len(drawn.senders.acked) * asked.samples
    said = f"{len(drawn.heard)} callouts, least in hand {drawn.least_in_hand_s:.2f} s"
    print(f"seed {seed}: {', '.join(drawn.told)}; {acked} samples; {said}; {wrong or 'good'}", flush=True)
    return bool(wrong)


def permissions_hold() -> None:
    """For this process and all that it starts, though it is root."""
    prctl = ctypes.CDLL(None).prctl
    for capability in (_OVERRIDE, _SEARCH):
        prctl(_DROP, capability, 0, 0, 0)


if __name__ == "__main__":
    raise SystemExit(main())
