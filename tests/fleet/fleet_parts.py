"""A session in a lake, for the tests of the fleet."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pitwall.fleet.lake import make_files, put_entry
from pitwall.fleet.manifest import Entry
from pitwall.fleet.material import gather
from pitwall.fleet.storage import open_storage
from pitwall.fleet.tables import Pusher
from pitwall.store.store import Store


class OneSession(NamedTuple):
    """The M3's session at Sonoma, in a lake of its own; `files`: what went there, by table."""

    store: Store
    session: str
    lake: Path
    entry: Entry
    files: Path


def put_session(store: Store, session: str, lake: str, told: Pusher, folder: Path) -> Entry:
    """Take a session out of a store, and put it into a lake."""
    entry = make_files(gather(store, session), told, folder)
    put_entry(open_storage(lake), entry, folder)
    return entry
