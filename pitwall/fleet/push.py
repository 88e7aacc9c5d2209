"""Sessions on their way into a lake: each is made ready on this disk, then copied file by file, its entry
last.

A push that is broken off, however it ends, goes on with the next one: what is ready is not made again, and
what is there whole is not copied again.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec

from pitwall.config import Home
from pitwall.contract.messages import Due
from pitwall.fleet.lake import make_files, put_entry
from pitwall.fleet.manifest import Entry, live_entries, read_manifest
from pitwall.fleet.material import Material
from pitwall.fleet.schema import entry_path, forgotten_path
from pitwall.fleet.storage import LakeError, MissingFileError, Storage, UnreachableError
from pitwall.fleet.tables import Pusher
from pitwall.store.errors import StoreError
from pitwall.store.files import replace_file

# In the home: what is on its way. The entry's file is put last, so a folder that has one is whole.
OUTGOING, READY = "outgoing", "entry.json"


class ForgottenError(LakeError):
    """The driver was forgotten in this lake."""


def not_there(storage: Storage, wanted: Sequence[Due], *, again: bool = False) -> list[Due]:
    """Those of which the lake has no entry of the same state. `again`: all of them, as somebody wants who
    mends a damaged file, and drivers who were forgotten there are welcome. LakeError."""
    if again:
        for driver in sorted({each.driver for each in wanted}):
            storage.delete(forgotten_path(driver))
        return list(wanted)
    there = {key: entry.source for key, entry in live_entries(read_manifest(storage)).items()}
    return [each for each in wanted if there.get((each.driver, each.session)) != each.source]


def push(
    storage: Storage,
    home: Home,
    wanted: Due,
    gather: Callable[[], Material],
    car_class: str,
) -> int:
    """Push one session; how many bytes went over. `gather` is called where it is not ready yet.
    ForgottenError, UnreachableError, LakeError; StoreError of `gather`."""
    refuse_forgotten(storage, wanted.driver)
    folder = home.root / OUTGOING / f"{wanted.session}.{wanted.source}"
    with _outgoing(home):
        entry = _made_ready(folder, wanted, gather, car_class)
        sent = put_entry(storage, entry, folder)
        shutil.rmtree(folder, ignore_errors=True)
    try:
        refuse_forgotten(storage, wanted.driver)
    except ForgottenError:
        take_back(storage, entry)
        raise
    return sent


def push_each(
    storage: Storage, home: Home, wanted: Iterable[Due], gather: Callable[[str], Material], car_class: str
) -> Iterator[tuple[Due, int, str]]:
    """Push these; of each how many bytes went over, or why it is not there. UnreachableError ends it."""
    for each in wanted:
        sent, why = 0, ""
        try:
            sent = push(storage, home, each, partial(gather, each.session), car_class)
        except UnreachableError:
            raise
        except (LakeError, StoreError) as error:
            why = str(error)
        yield each, sent, why


@contextmanager
def _outgoing(home: Home) -> Iterator[None]:
    """The folder of what is on its way, for one process of this home at a time. LakeError."""
    folder = home.root / OUTGOING
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError as error:
        raise LakeError(f"{folder} can't be used: {error.strerror or error}") from error
    try:
        yield
    finally:
        os.close(lock)


def _made_ready(folder: Path, wanted: Due, gather: Callable[[], Material], car_class: str) -> Entry:
    """Return what a push that was broken off left ready, else made now. LakeError, StoreError."""
    with suppress(OSError, msgspec.DecodeError):
        entry = msgspec.json.decode((folder / READY).read_bytes(), type=Entry)
        if entry.driver == wanted.driver:
            return msgspec.structs.replace(entry, pushed_utc_s=time.time())
    try:
        # Whatever else is there is of another state, or was not made whole.
        for left in folder.parent.iterdir():
            if left.is_dir():
                shutil.rmtree(left)
        folder.mkdir(mode=0o700)
        told = Pusher(driver=wanted.driver, car_class=car_class, names=(wanted.name,))
        entry = make_files(gather(), told, folder)
        replace_file(folder / READY, msgspec.json.encode(entry))
    except OSError as error:
        raise LakeError(f"{error.filename or folder} can't be written: {error.strerror or error}") from error
    return entry


def refuse_forgotten(storage: Storage, driver: str) -> None:
    """ForgottenError where this driver was forgotten here."""
    if storage.found(forgotten_path(driver)) is not None:
        raise ForgottenError(
            f"driver {driver} was forgotten in {storage.url}: nothing is pushed; "
            "`pitwall fleet push --again` takes that back"
        )


def take_back(storage: Storage, entry: Entry) -> None:
    """Take a session out of the lake: its entry first."""
    for path in (entry_path(entry.place, entry.content), *(row.path for row in entry.files)):
        with suppress(MissingFileError):
            storage.delete(path)
