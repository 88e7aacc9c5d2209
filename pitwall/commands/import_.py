"""`pitwall import FILE...`: store recordings as sessions, or hand them to the daemon."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec

from pitwall.api.changes import import_recording
from pitwall.commands.common import (
    Column,
    add_json,
    add_recordings,
    add_runs,
    given_gate,
    in_archive,
    note,
    print_json,
    print_table,
    recordings_in,
    say,
)
from pitwall.commands.stored_or_served import daemon_client, either, problem_line
from pitwall.config import Home
from pitwall.contract.problems import Problem, UserError
from pitwall.contract.push import ImportDone, ImportFailed, ImportLine, ImportProgress
from pitwall.drive.prepare import OpenedOnce, for_one_of_two
from pitwall.drive.replay import Imported
from pitwall.store.errors import StoreError
from pitwall.telemetry.recordings.base import RecordingError, StoredGate
from pitwall.telemetry.recordings.can_logs import CandumpRecording
from pitwall.telemetry.recordings.text import PACKED_ERRORS, open_bytes, unpack_folder
from pitwall.words.language import Language

CHUNK = 1 << 20
# How many recordings with positions, and logs without, are compared with each other.
MOST_PAIRED = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_recordings(parser)
    add_runs(parser)
    parser.add_argument("--formats", action=_Formats, nargs=0, help="list the formats, and what each needs")
    parser.add_argument(
        "--with", dest="second", metavar="FILE", type=Path,
        help="another log of the same drive, such as the ECU's: its channels join by matched speed",
    )  # fmt: skip
    add_json(parser, 'one line {"session": ...} per file')


class _Formats(argparse.Action):
    """Prints the table of formats and ends, as `--help` does: no file has to be named."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from pitwall.telemetry.recordings.detect import format_rows  # with every reader

        if "--json" in sys.argv:
            print_json([dict(zip(("format", "reads", "needs"), row, strict=True)) for row in format_rows()])
        else:
            heads = ("format", "read of it", "needs")
            print_table([Column(name, wrap=True) for name in heads], format_rows())
        parser.exit()


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Import each file. Exit code 2 if any failed."""
    laps = [path for path in arguments.files if path.suffix.lower() == ".pitlap"]
    if laps:
        _keep_laps(laps, home)
        arguments.files = [path for path in arguments.files if path not in laps]
        if not arguments.files:
            return 0
    gate = given_gate(arguments)
    if arguments.second is not None and (len(arguments.files) != 1 or arguments.files[0].is_dir()):
        raise UserError("--with joins one file to another: name one FILE")
    return either(
        home,
        lambda store: _import_all(
            arguments, home, partial(import_recording, store, gate=gate, second=arguments.second)
        ),
        lambda address: _import_all(
            arguments, home, partial(hand_in, home, address, gate=gate, second=arguments.second)
        ),
        use="write",
    )


def _keep_laps(paths: Sequence[Path], home: Home) -> None:
    from pitwall.drive.reference import keep_shared_lap  # with the whole path

    for path in paths:
        kept = keep_shared_lap(path, home.references)
        time = home.words.figures.clock(kept.lap.lap_time_s)
        say(home.words.say("lap kept", file=path.name, track=kept.track, time=time))


def _import_all(arguments: argparse.Namespace, home: Home, import_: Callable[..., Imported]) -> int:
    with tempfile.TemporaryDirectory(prefix="pitwall-zip-") as unpacked:
        return _import_files(_unpacked(arguments.files, Path(unpacked)), arguments, home, import_)


def _unpacked(files: Sequence[Path], into: Path) -> list[Path]:
    """The files, and in place of an archive of several the folder that it was unpacked to."""
    found = []
    for number, path in enumerate(files):
        folder = into / f"{number}" / re.sub(r"[^\w. -]", "_", path.name)
        folder.mkdir(parents=True)
        try:
            found.append(folder if unpack_folder(path, folder) else path)
        except (OSError, *PACKED_ERRORS) as error:
            raise RecordingError(path, f"can't be unpacked: {error}", hint="copy it again") from None
    return found


def _import_files(
    files: Sequence[Path], arguments: argparse.Namespace, home: Home, import_: Callable[..., Imported]
) -> int:
    failed, judged = 0, ""
    once = OpenedOnce()
    paths = recordings_in(files, home, once)
    seconds = _pairs(paths, home, once) if any(path.is_dir() for path in files) else {}
    for path in paths:
        if path in seconds.values():
            continue
        try:
            with _progress(path) as progress:
                joins = {"second": seconds[path]} if path in seconds else {}
                imported = import_(path, progress=progress, open_=once, **joins)
        except (RecordingError, StoreError) as error:
            failed += 1
            note(str(error))
            if arguments.json:
                about = {"file": str(path), "error": str(error)}
                print_json({"session": None, **{key: in_archive(text) for key, text in about.items()}})
            continue
        judged = imported.session if imported.flying else judged
        _report(imported, home.words, as_json=arguments.json)
    if judged and not arguments.json:
        # By its id: what was driven before another session is not the last one.
        say(home.words.say("import next", session=judged))
    return 2 if failed else 0


def _pairs(paths: Sequence[Path], home: Home, once: OpenedOnce) -> dict[Path, Path]:
    """Pair a folder's logs without positions with the recording that fits best."""
    from pitwall.telemetry.recordings.joined import joined
    from pitwall.track.venue import first_place

    there: list[Path] = []
    without: list[Path] = []
    for path in paths:
        try:
            recording = once.ahead(path, home)
        except RecordingError:  # reported when its turn comes
            continue
        named = {channel.name for stream in recording.info.streams for channel in stream.channels}
        if recording.info.format != "journal" and named & {"speed_mps", "wheel_speed_mps", "rpm"}:
            placed = {"lat_deg", "lon_deg"} <= named and first_place(recording) is not None
            (there if placed else without).append(path)
    found: dict[Path, Path] = {}
    for log in without[:MOST_PAIRED]:
        fits = []
        for path in there[:MOST_PAIRED]:
            with suppress(RecordingError):
                pair = once.ahead(path, home), once.ahead(log, home)
                fits.append((joined(*pair)[1].fit, path))
        if fits:
            found.setdefault(max(fits)[1], log)
    return found


def _report(imported: Imported, words: Language, *, as_json: bool) -> None:
    file = in_archive(imported.file)
    if as_json:
        print_json(msgspec.structs.replace(imported, file=file, notes=tuple(map(in_archive, imported.notes))))
        return
    for line in imported.notes:
        note(line)
    if imported.known:
        say(f"{file}: already stored as session {imported.session}")
    else:
        best = words.figures.clock(imported.best_s)
        what = "imported best" if imported.flying else "imported"
        laps = imported.flying
        say(words.say(what, file=file, session=imported.session, count=laps, best=best))


@contextmanager
def _progress(path: Path) -> Iterator[Callable[[int], None] | None]:
    if not sys.stderr.isatty() or not path.is_file():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with path.open("rb") as file:
        binary = b"\0" in file.read(CHUNK)
        file.seek(0)
        lines = 0 if binary else sum(piece.count(b"\n") for piece in iter(lambda: file.read(CHUNK), b""))
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(path.name, total=None)  # it pulses while the file is opened

        def show(done: int) -> None:
            if lines:
                bar.update(task, total=lines, completed=min(done, lines))
            else:
                bar.update(task, description=f"{path.name}: {done:,} samples")

        yield show


def hand_in(
    home: Home,
    address: str,
    path: Path,
    *,
    gate: StoredGate | None = None,
    progress: Callable[[int], None] | None = None,
    second: Path | None = None,
    open_: OpenedOnce,
) -> Imported:
    """Hand a file to the daemon, and the `second` log. RecordingError, StoreError, UserError."""
    import asyncio  # with TLS a tenth of what a short import takes, and most are not handed in

    paths = [path] if second is None else [path, second]
    try:
        with ExitStack() as stack:
            reads = home if second is None else for_one_of_two(home)
            files = [stack.enter_context(_with_its_dbc(each, reads, open_)) for each in paths]
            return asyncio.run(_hand_in(home, address, paths, files, gate, progress))
    except OSError as error:
        raise StoreError(f"{path} can't be read: {error.strerror or error}") from None


@contextmanager
def _with_its_dbc(path: Path, home: Home, open_: OpenedOnce) -> Iterator[Path]:
    """Return the file to send: a CAN log as an archive with its DBC."""
    from pitwall.telemetry.sources.can import files_of_log
    from pitwall.telemetry.sources.can_dbc import BY_NAME, as_toml, load_dbc, mapping_by_name

    recording = open_(path, home)  # says what is wrong with it, before anything is sent
    names = home.can
    files = files_of_log(path, names.dbc, names.mapping) if isinstance(recording, CandumpRecording) else None
    if files is None:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="pitwall-log-") as folder:
        archive = Path(folder) / "log.zip"
        with open_bytes(path) as log, zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            with file.open("frames.log", "w", force_zip64=True) as packed:
                shutil.copyfileobj(log, packed)
            file.write(files.dbc, "frames.dbc")
            if files.mapping == BY_NAME:
                file.writestr("frames.toml", as_toml(mapping_by_name(load_dbc(files.dbc))))
            elif files.mapping is not None:
                file.write(files.mapping, "frames.toml")
        yield archive


async def _hand_in(
    home: Home,
    address: str,
    paths: Sequence[Path],
    files: Sequence[Path],
    gate: StoredGate | None,
    progress: Callable[[int], None] | None,
) -> Imported:
    """`paths`: as they were typed, the recording first; `files`: what is sent of each."""
    path = paths[0]
    names = [each.name.encode("utf-8", "replace").decode() for each in paths]
    query = {"name": names[0]}
    if len(paths) > 1:
        query |= {"beside": names[1], "beside_bytes": str(files[1].stat().st_size)}
    if home.can.given:
        query["channels"] = "\n".join(f"{ours}={theirs}" for ours, theirs in home.can.given.items())
    if gate is not None:
        degrees = (gate.a_lat_deg, gate.a_lon_deg, gate.b_lat_deg, gate.b_lon_deg)
        query["gate"] = ",".join(f"{each:.9f}" for each in degrees) + (",run" if gate.is_run else "")

    def plain(text: str) -> str:
        """Return what the daemon said, with the path that was typed."""
        for name, typed in zip(names, paths, strict=True):
            if text.startswith((f"{name}:", f"{name} ")):
                return str(typed) + text.removeprefix(name)
        return text

    import asyncio

    async def body() -> AsyncIterator[bytes]:
        for each in files:
            with each.open("rb") as file:
                while piece := await asyncio.to_thread(file.read, CHUNK):
                    yield piece

    kind = {"Content-Type": "application/octet-stream"}
    kind["Content-Length"] = str(sum(each.stat().st_size for each in files))
    async with (
        daemon_client(home, address) as client,
        client.post("/imports", params=query, data=body(), headers=kind) as response,
    ):
        if response.status >= 400:
            problem = msgspec.json.decode(await response.read(), type=Problem)
            raise StoreError(f"{path}: {problem_line(problem)}")
        waiting = False
        async for line in response.content:
            match msgspec.json.decode(line, type=ImportLine):
                case ImportProgress() as far:
                    if far.waiting and not waiting:
                        note(f"{path}: the car is driven; the import goes on in the paddock")
                    waiting = far.waiting
                    if progress is not None:
                        progress(far.samples)
                case ImportDone() as done:
                    notes = tuple(map(plain, done.notes))
                    counted = (done.samples, notes, done.flying, done.best_s)
                    return Imported(done.session, str(path), done.known, *counted)
                case ImportFailed() as failed:
                    raise StoreError(plain(failed.error))
    raise UserError(f"the daemon at {address} ended before {path} was imported; import it again")
