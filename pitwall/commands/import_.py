"""`pitwall import FILE...`: store recordings as sessions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pitwall.api.changes import import_recording
from pitwall.commands.common import add_recordings, note, print_json, recordings_in, say
from pitwall.commands.stored_or_served import either
from pitwall.config import Home
from pitwall.drive.replay import Imported
from pitwall.store.errors import StoreError
from pitwall.store.store import Store
from pitwall.telemetry.recordings.base import RecordingError

CHUNK = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_recordings(parser)
    parser.add_argument("--json", action="store_true", help='one line {"session": ...} per file')


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Import each file; one that can't be used does not stop the others. Exit code 2 if any failed."""
    gate = arguments.gate

    def own(store: Store) -> int:
        return _import_all(
            arguments,
            home,
            lambda path, progress: import_recording(store, path, gate=gate, progress=progress),
        )

    def served(address: str) -> int:
        from pitwall.commands.hand_in import hand_in  # only where there is a daemon

        return _import_all(
            arguments,
            home,
            lambda path, progress: hand_in(home, address, path, gate=gate, progress=progress),
        )

    return either(home, own, served, use="write")


def _import_all(
    arguments: argparse.Namespace,
    home: Home,
    import_: Callable[[Path, Callable[[int], None] | None], Imported],
) -> int:
    failed = 0
    for path in recordings_in(arguments.files, home):
        try:
            with _progress(path) as progress:
                imported = import_(path, progress)
        except (RecordingError, StoreError) as error:
            failed += 1
            note(str(error))
            if arguments.json:
                print_json({"session": None, "file": str(path), "error": str(error)})
            continue
        _report(imported, as_json=arguments.json)
    return 2 if failed else 0


def _report(imported: Imported, *, as_json: bool) -> None:
    if as_json:
        print_json(imported)
        return
    for line in imported.notes:
        note(line)
    if imported.known:
        say(f"{imported.file}: already stored as session {imported.session}")
    else:
        say(f"{imported.file}: session {imported.session}, {imported.samples} rows")


@contextmanager
def _progress(path: Path) -> Iterator[Callable[[int], None] | None]:
    """A progress bar on a terminal; the number of lines stands for the number of samples."""
    if not sys.stderr.isatty() or not path.is_file():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with path.open("rb") as file:
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(CHUNK), b""))
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(path.name, total=max(lines, 1))
        yield lambda done: bar.update(task, completed=min(done, lines))
