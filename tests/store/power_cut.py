"""A power cut at every single write: what a recording process writes is taken down by strace, and replayed.

`power_cut.py HOME` is that process: batches are handed in and acknowledged as they are durable, DuckDB
commits and folds its log. `traced` gives the calls that changed files under HOME, in their order, with the
number of the last batch that was acknowledged before; `Disk` makes them again somewhere else, one by one. The
disk is taken to keep the order of the writes, and to tear the last one.

`power_cut.py` alone tries every prefix and prints what is wrong.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import driven_home as driven
import msgspec

from pitwall.config import Home
from pitwall.store import writer as database_writer
from pitwall.store.store import recover
from pitwall.telemetry.recordings.journal import JournalRecording

BATCHES, SAMPLES_A_BATCH = 24, 20
WITHIN_S = 60.0
_CALLS = "openat,pwrite64,write,ftruncate,fallocate,rename,renameat,renameat2,unlink,unlinkat,mkdir"
_LINE = re.compile(r"(\d+\.\d+) (\w+)\((.*)\) += (-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FD = re.compile(r"^\d+<([^>]*)>")


class Change(msgspec.Struct, frozen=True):
    """One call: `what` was done to `path`; `acked` batches were acknowledged before."""

    what: str
    path: str
    acked: int
    at: int = 0
    data: bytes = b""
    other: str = ""


def record(root: Path) -> None:
    """Be the process that is cut off."""
    database_writer.CHECKPOINT_LOG_BYTES = 30_000
    home, durable = Home(root), threading.Condition()
    reached = -1

    def rose(seq: int) -> None:
        nonlocal reached
        with durable:
            reached = seq
            durable.notify_all()

    with driven.opened(home) as store:
        writer = store.begin(driven.meta("one"), lossless=False)
        writer.on_durable(rose)
        writer.keep_stream(driven.STREAM)
        writer.row_stream(driven.STREAM)
        for batch in range(BATCHES):
            writer.batch(f"b{batch}", SAMPLES_A_BATCH)
            for number in range(SAMPLES_A_BATCH):
                driven.drive(driven.sample(batch * SAMPLES_A_BATCH + number), writer)
            writer.hurry()
            with durable:
                assert durable.wait_for(lambda: reached >= writer.seq, WITHIN_S)
            os.write(1, f"{batch + 1}\n".encode())
            if batch % 3 == 2:
                assert store.flush()
        writer.close()


def traced(folder: Path) -> list[Change]:
    """What such a process wrote under its home, in order."""
    root, out = folder / "home", folder / "trace"
    words = ["strace", "-ff", "-ttt", "-xx", "-y", "-s", "4000000", "-e", f"trace={_CALLS}", "-o", str(out)]
    subprocess.run(
        [*words, sys.executable, __file__, str(root)],
        check=True,
        capture_output=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    calls = []
    for each in folder.glob("trace.*"):
        for line in each.read_text("ascii").splitlines():
            found = _LINE.match(line)
            if found and int(found[4]) >= 0:
                calls.append((float(found[1]), found[2], found[3], int(found[4])))
    return list(_changes(sorted(calls), str(root)))


def _changes(calls: list[tuple[float, str, str, int]], root: str) -> Iterator[Change]:
    acked, at = 0, dict[str, int]()
    for _, name, words, result in calls:
        texts = [bytes.fromhex(text.replace("\\x", "")) for text in _TEXT.findall(words)]
        fd = _FD.match(words)
        path = _decoded(fd[1]) if fd else ""
        if name == "write" and words.startswith("1<"):
            acked = int(texts[0])
            continue
        paths = [os.fsdecode(text) for text in texts]
        if name == "openat" and paths[0].startswith(root):
            at[paths[0]] = 0
            if "O_CREAT" in words or "O_TRUNC" in words:
                yield Change("empty" if "O_TRUNC" in words else "make", paths[0], acked)
        elif name in ("write", "pwrite64") and path.startswith(root):
            data = texts[0][:result]
            place = int(words.rpartition(",")[2]) if name == "pwrite64" else at.get(path, 0)
            if name == "write":
                at[path] = place + len(data)
            yield Change("write", path, acked, place, data)
        elif name in ("ftruncate", "fallocate") and path.startswith(root):
            yield Change("cut" if name == "ftruncate" else "room", path, acked, int(words.rpartition(",")[2]))
        elif name.startswith("rename") and paths[0].startswith(root):
            yield Change("rename", paths[0], acked, other=paths[1])
        elif name.startswith("unlink") and paths[0].startswith(root):
            yield Change("remove", paths[0], acked)
        elif name == "mkdir" and paths[0].startswith(root):
            yield Change("folder", paths[0], acked)


def _decoded(path: str) -> str:
    return bytes.fromhex(path.replace("\\x", "")).decode() if path.startswith("\\x") else path


class Disk:
    """A folder on which the changes are made again."""

    def __init__(self, before: str, root: Path) -> None:
        self._before, self.root = before, root

    def make(self, change: Change, share: float = 1.0) -> None:
        """This change; of a write the first `share`."""
        path = self._here(change.path)
        match change.what:
            case "folder":
                path.mkdir(parents=True, exist_ok=True)
            case "make":
                path.touch()
            case "empty":
                path.write_bytes(b"")
            case "write":
                with path.open("r+b") as file:
                    file.seek(change.at)
                    file.write(change.data[: int(len(change.data) * share)])
            case "cut":
                os.truncate(path, change.at)
            case "room":
                os.truncate(path, max(path.stat().st_size, change.at))
            case "rename":
                path.replace(self._here(change.other))
            case "remove":
                path.unlink()

    def _here(self, path: str) -> Path:
        return self.root / Path(path).relative_to(self._before)


def cut_off(folder: Path, changes: list[Change], every: int = 1) -> Iterator[tuple[str, str]]:
    """Each prefix (each `every`th one), its last write whole and torn by turns, and what is wrong after the
    next start, "" where nothing is."""
    before, root = str(folder / "home"), folder / "again"
    disk = Disk(before, root)
    for number, change in enumerate(changes):
        if number % every == 0:
            with tempfile.TemporaryDirectory(dir=folder) as kept:
                copy = Path(kept) / "home"
                if root.exists():
                    shutil.copytree(root, copy)
                Disk(before, copy).make(change, (number // every % 3) / 2)
                shown = f"{number}: {change.what} {change.path} {change.at} {len(change.data)}"
                yield shown, _wrong(Home(copy), change.acked)
        disk.make(change)


def _wrong(home: Home, acked: int) -> str:
    try:
        with driven.opened(home) as store:
            told = recover(store, driven.rebuild)
            path = home.journals / "one.pwj"
            samples = [each.t for each in JournalRecording(path).samples()] if acked else []
            wanted = [driven.sample(number).t for number in range(acked * SAMPLES_A_BATCH)]
            if samples[: len(wanted)] != wanted:
                return f"{acked} batches were acknowledged, {len(samples)} samples are there; {told}"
            missing = driven.missing_rows(store, "one") if acked else {}
            return f"DuckDB: {missing}; {told}" if missing else ""
    except Exception as error:
        return f"it does not open: {error!r}"


def main() -> int:
    """Every prefix; the exit code is how many are wrong."""
    with tempfile.TemporaryDirectory() as made:
        changes, wrong = traced(Path(made)), 0
        for shown, why in cut_off(Path(made), changes):
            wrong += bool(why)
            if why:
                print(f"{shown}: {why}", flush=True)
        print(f"{len(changes)} prefixes, {wrong} wrong")
        return wrong


if __name__ == "__main__":
    if len(sys.argv) > 1:
        record(Path(sys.argv[1]))
    else:
        raise SystemExit(main())
