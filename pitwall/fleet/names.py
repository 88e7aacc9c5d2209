"""Who is who: a driver's pseudonym is a digest of the name with a key that never leaves the home.

Phones of one driver, or of one club, have the same pseudonyms where they have the same key.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from pitwall.config import Home
from pitwall.store.errors import StoreError
from pitwall.store.files import sync_folder

KEY_FILE = "fleet.key"
_KEY = re.compile(r"[0-9a-f]{64}")
_PSEUDONYM = re.compile(r"d-[0-9a-f]{20}")


def key_of(home: Home) -> str:
    """The home's key, made at the first call; of several processes that make one, one wins. StoreError."""
    path = home.root / KEY_FILE
    try:
        if not path.exists():
            _place(path, secrets.token_hex(32))
        key = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError) as error:
        raise StoreError(f"{path} can't be used: {error}") from error
    if not _KEY.fullmatch(key):
        raise StoreError(f"{path} is damaged: restore it, or put the key of another phone of the club there")
    return key


def set_key(home: Home, key: str) -> None:
    """Keep the key of another phone, where this one has none yet. StoreError where it has another one."""
    if not _KEY.fullmatch(key):
        raise StoreError("a key has 64 digits and letters a to f; `pitwall fleet key` shows that of a home")
    path = home.root / KEY_FILE
    try:
        _place(path, key)
    except OSError as error:
        raise StoreError(f"{path} can't be written: {error.strerror or error}") from error
    if key_of(home) != key:
        raise StoreError(f"this home has another key already: delete {path} to push by a new one")


def _place(path: Path, key: str) -> None:
    """Write it whole, unless there is one. OSError."""
    fresh = path.with_name(f".{secrets.token_hex(8)}.new")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(key + "\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(fresh, path)
        sync_folder(path.parent)
    finally:
        fresh.unlink(missing_ok=True)


def pseudonym(key: str, name: str) -> str:
    """The pseudonym of a driver: the same name, however it is spaced and cased, has the same one."""
    plain = " ".join(name.split()).casefold().encode()
    return "d-" + hmac.new(bytes.fromhex(key), plain, hashlib.sha256).hexdigest()[:20]


def is_pseudonym(text: str) -> bool:
    """Whether this has the form of a pseudonym."""
    return _PSEUDONYM.fullmatch(text) is not None
