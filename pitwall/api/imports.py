"""Import an uploaded recording, received whole, in a thread that gives way to a drive."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import shutil
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from aiohttp import web

from pitwall.api.call import DRIVING, ApiCall
from pitwall.api.guard import PAGE
from pitwall.api.port import DaemonPort
from pitwall.api.reading import JSON_LINES
from pitwall.config import Home
from pitwall.contract.problems import Refused
from pitwall.contract.push import ImportDone, ImportFailed, ImportLine, ImportProgress
from pitwall.drive.prepare import for_one_of_two
from pitwall.store import queries
from pitwall.store.errors import StoreError
from pitwall.telemetry.recordings.base import BUDGET, RecordingError, StoredGate

if TYPE_CHECKING:
    from pitwall.drive.replay import Imported

log = logging.getLogger("pitwall.api")

# The longest recording that is known has 180 MB.
MOST_BYTES = 1 << 30
# A page's file: from a browser comes what one logger wrote in one day.
MOST_BYTES_OF_PAGE = 256 << 20
# The file, its journal and its rows are each about as large as the file.
ROOM_FOR = 3
PIECE_BYTES = 1 << 20
# A sender that is silent for this long is gone.
PIECE_WITHIN_S = 10.0
# How often the thread asks whether to go on, and the sender hears its progress.
LOOK_EVERY_S = 0.2
_LATITUDE = r"-?([0-8]?[0-9](\.[0-9]{1,12})?|90)"
_LONGITUDE = r"-?((1[0-7][0-9]|[0-9]{1,2})(\.[0-9]{1,12})?|180)"
_GATE = ",".join([_LATITUDE, _LONGITUDE] * 2)
_NAME = r"^[^/\\\x00-\x1f\x7f.][^/\\\x00-\x1f\x7f]{0,119}$"
_CHANNEL = r"[a-z][a-z0-9_]{0,39}=[^\x00-\x1f\x7f]{1,120}"


class ImportQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`name`: the file's own. `gate`: LAT,LON,LAT,LON; with ",run" the start and the finish of
    runs. `channels`: lines of OURS=THEIRS:UNIT. `beside`: the name of another log of the same
    drive, the last `beside_bytes` of the body."""

    name: Annotated[str, msgspec.Meta(pattern=_NAME)]
    gate: Annotated[str, msgspec.Meta(pattern=rf"^({_GATE}(,run)?)?$")] = ""
    channels: Annotated[str, msgspec.Meta(pattern=rf"^({_CHANNEL}(\n{_CHANNEL}){{0,63}})?$")] = ""
    beside: Annotated[str, msgspec.Meta(pattern=rf"{_NAME}|^$")] = ""
    beside_bytes: Annotated[int, msgspec.Meta(ge=0, le=MOST_BYTES)] = 0


class Import:
    """A running import. `changed` is set when there is news, and at the end."""

    def __init__(self, port: DaemonPort, path: Path, joined: Path | None, query: ImportQuery) -> None:
        self.outcome: ImportDone | ImportFailed | None = None
        self.samples, self.waiting = 0, False
        self.changed = asyncio.Event()
        self._port, self._path, self._joined, self._query = port, path, joined, query
        self._name, self._joined_name = _shown(query.name), _shown(query.beside)
        self._go_on, self._stop = threading.Event(), False
        self._go_on.set()

    async def run(self) -> None:
        """Import the file; then judge its driver as after a drive."""
        work = asyncio.ensure_future(asyncio.to_thread(self._import))
        while not (await asyncio.wait({work}, timeout=LOOK_EVERY_S))[0]:
            self.waiting = self._port.status().session.life in DRIVING and not self._stop
            self._go_on.clear() if self.waiting else self._go_on.set()
            self.changed.set()
        self.outcome = work.result()
        self.changed.set()
        if isinstance(self.outcome, ImportDone) and self.outcome.session and not self.outcome.known:
            await self._judge(self.outcome.session)

    def stop(self) -> None:
        """Give up; nothing of the file is kept."""
        self._stop = True
        self._go_on.set()

    async def lines(self) -> AsyncIterator[ImportLine]:
        """Yield its progress whenever that changes, then the result."""
        while self.outcome is None:
            await self.changed.wait()
            self.changed.clear()
            if self.outcome is None and (self.samples or self.waiting):
                yield ImportProgress(self.samples, self.waiting)
        yield self.outcome

    def _import(self) -> ImportDone | ImportFailed:
        # Few ask, and they load all that reads recordings and analyses a session.
        from pitwall.api.changes import import_recording
        from pitwall.drive.vetting import vet

        store, query = self._port.store, self._query
        if Path(query.name).suffix.lower() == ".pitlap":
            return self._lap(store.home)
        given = dict(each.split("=", 1) for each in query.channels.splitlines())
        can = msgspec.structs.replace(store.home.can, given=given)
        home = msgspec.structs.replace(store.home, can=can)
        try:
            paths = [self._path] if self._joined is None else [self._path, self._joined]
            for path in paths:
                vet(path, home if len(paths) == 1 else for_one_of_two(home), BUDGET, self._waits)
            found = import_recording(
                store,
                self._path,
                name=self._name,
                gate=_gate(query.gate),
                progress=self._progress,
                pause=self._pause,
                second=self._joined,
                home=home,
            )
        except (RecordingError, StoreError, OSError) as error:
            return ImportFailed(self._plain(str(error)))
        except Exception:  # a mistake in one reader must not end the daemon's part
            log.exception("%s could not be imported", self._name)
            return ImportFailed(f"{self._name}: the daemon made a mistake in importing this; see its log")
        return self._done(found)

    def _lap(self, home: Home) -> ImportDone | ImportFailed:
        from pitwall.drive.reference import keep_shared_lap  # with the whole path, which few ask for

        try:
            kept = keep_shared_lap(self._path, home.references, own_name=False)
        except StoreError as error:
            return ImportFailed(self._plain(str(error)))
        time = home.words.figures.clock(kept.lap.lap_time_s)
        said = home.words.say("lap kept", file=self._name, track=kept.track, time=time)
        return ImportDone("", False, 0, (said,), 0, kept.lap.lap_time_s)

    def _done(self, found: Imported) -> ImportDone:
        notes = tuple(map(self._plain, found.notes))
        return ImportDone(found.session, found.known, found.samples, notes, found.flying, found.best_s)

    def _progress(self, samples: int) -> None:
        self.samples = samples
        self._pause()

    def _waits(self) -> bool:
        if self._stop:
            self._pause()
        return not self._go_on.is_set()

    def _pause(self) -> None:
        self._go_on.wait()
        if self._stop:
            raise StoreError(f"{self._name}: the daemon is ending; import the file again")

    def _plain(self, text: str) -> str:
        """Replace where the files lie here by their own names."""
        if self._joined is not None:
            text = text.replace(str(self._joined), self._joined_name)
        return text.replace(str(self._path), self._name)

    async def _judge(self, session: str) -> None:
        with contextlib.suppress(StoreError, Refused):
            row = await asyncio.to_thread(queries.session, self._port.store, session)
            if row.counts and row.track and row.best_lap_s is not None:
                await self._port.coach.add_job("profile", {"session": session})


class Imports:
    """The running import, one at a time; `aclose` removes all of it."""

    def __init__(self, port: DaemonPort) -> None:
        self._port, self._folder = port, port.home.root / "incoming"
        self._import: Import | None = None
        self._task: asyncio.Task[None] | None = None
        self._taking = False
        _remove(self._folder)  # what a killed daemon left

    async def take(self, call: ApiCall) -> Import:
        """Receive the file and begin. Refused: 400, 408, 409, 413, 429, 507."""
        query: ImportQuery = call.query
        of_page = call.request.get(PAGE, False)
        if of_page and query != ImportQuery(name=query.name):
            raise Refused(403, "a page gives a file and its name", "pitwall import takes the rest")
        most_bytes = MOST_BYTES_OF_PAGE if of_page else MOST_BYTES
        if self._taking or (self._import is not None and self._import.outcome is None):
            raise Refused(
                429, "another file is being imported", "send it when that is done", retry_after_s=5.0
            )
        self._look(call, most_bytes)
        self._taking = True
        folder = self._folder / secrets.token_hex(8)
        try:
            from pitwall.telemetry.recordings.detect import REFUSED  # with every reader of recordings

            # No name from outside becomes a path. Only the suffix shows a maker's own format.
            suffix = Path(query.name).suffix.lower()
            path = folder / (
                "recording" + (suffix if any(suffix in each.suffixes for each in REFUSED) else "")
            )
            joined = folder / "beside" if query.beside else None
            await asyncio.to_thread(self._folder.mkdir, mode=0o700, exist_ok=True)
            await asyncio.to_thread(folder.mkdir, mode=0o700)
            await self._receive(call, path, most_bytes)
            if joined is not None:
                await asyncio.to_thread(_split, path, joined, query.beside_bytes)
            if self._task is not None:
                await asyncio.wait({self._task})
            self._import = Import(self._port, path, joined, query)
            self._task = asyncio.create_task(self._run(self._import, folder), name=f"import {query.name}")
            return self._import
        except BaseException as error:
            # Not on the loop, and not cancelled with this request.
            asyncio.get_running_loop().run_in_executor(None, _remove, folder)
            if isinstance(error, OSError) and not isinstance(error, ConnectionError):
                raise Refused(507, f"the file can't be kept: {error.strerror}", "make room") from None
            raise
        finally:
            self._taking = False

    def stop(self) -> None:
        """Stop the running import and say so to its sender."""
        if self._import is not None:
            self._import.stop()

    async def aclose(self) -> None:
        """Stop the running import and wait until nothing is left of it."""
        self.stop()
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _receive(self, call: ApiCall, path: Path, most_bytes: int) -> None:
        received = 0
        with path.open("xb") as file:
            while True:
                try:
                    async with asyncio.timeout(PIECE_WITHIN_S):
                        piece = await call.request.content.read(PIECE_BYTES)
                except TimeoutError:
                    raise Refused(
                        408, f"nothing came for {PIECE_WITHIN_S:g} s", "send it again; nothing was kept"
                    ) from None
                if not piece and not received:
                    raise Refused(400, "there is no file in the body", "send the recording as the body")
                if not piece:
                    return
                received += len(piece)
                if received > most_bytes:
                    raise _too_large(most_bytes)
                await asyncio.to_thread(file.write, piece)
                if self._port.status().session.life in DRIVING:
                    raise _moving()

    def _look(self, call: ApiCall, most_bytes: int) -> None:
        """Refuse at once what can't be imported."""
        status = self._port.status()
        if status.session.life in DRIVING:
            raise _moving()
        length = call.request.content_length or 0
        if length > most_bytes:
            raise _too_large(most_bytes)
        free, floor = status.disk.free_bytes, status.disk.floor_bytes
        if free is not None and free - ROOM_FOR * length < floor:
            raise Refused(
                507,
                f"{free / 1e6:.0f} MB are free, and {floor / 1e6:.0f} MB must stay free",
                "make room, then send it again",
            )

    async def _run(self, import_: Import, folder: Path) -> None:
        try:
            await import_.run()
        finally:
            await asyncio.to_thread(_remove, folder)


IMPORTS: web.AppKey[Imports] = web.AppKey("imports", Imports)


async def hand_in(call: ApiCall) -> web.StreamResponse:
    """Send lines of JSON during the import. A sender that leaves after its upload stops nothing."""
    import_ = await call.request.app[IMPORTS].take(call)
    response = web.StreamResponse(headers={"Content-Type": JSON_LINES})
    await response.prepare(call.request)
    async for line in import_.lines():
        await response.write(msgspec.json.encode(line) + b"\n")
    return response


def _gate(text: str) -> StoredGate | None:
    if not text:
        return None
    a_lat, a_lon, b_lat, b_lon = map(float, text.removesuffix(",run").split(","))
    return StoredGate(a_lat, a_lon, b_lat, b_lon, "given", text.endswith(",run"))


def _shown(name: str) -> str:
    return "".join(each for each in name if each.isprintable()) or "recording"


def _split(path: Path, joined: Path, last_bytes: int) -> None:
    first_bytes = path.stat().st_size - last_bytes
    if first_bytes <= 0 or last_bytes <= 0:
        raise Refused(400, "`beside_bytes` is not the length of a file behind another one", "count them")
    with path.open("r+b") as file, joined.open("xb") as other:
        file.seek(first_bytes)
        shutil.copyfileobj(file, other, PIECE_BYTES)
        file.truncate(first_bytes)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _moving() -> Refused:
    return Refused(409, "the car is being driven, nothing is imported now", "send it in the paddock")


def _too_large(most_bytes: int) -> Refused:
    what = "split the recording" if most_bytes == MOST_BYTES else "pitwall import FILE takes larger ones"
    return Refused(413, f"the file is larger than {most_bytes >> 20} MiB", what)
