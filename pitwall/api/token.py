"""Keep the token that every client must show, and the daemon's address."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.store.files import write_line
from pitwall.store.lock import holder

TOKEN_FILE = "token"  # noqa: S105 - the name of a file
TOKEN_BYTES = 32
# We make 43 characters; fewer were cut off by a full disk. A person may write a longer one.
TOKEN = re.compile(r"[A-Za-z0-9_-]{32,512}")
OTHERS = 0o077
log = logging.getLogger("pitwall.api")


class TokenError(UserError):
    """The token can't be read or made. Says which file and what to do."""


def load_token(home: Home) -> str:
    """Load the daemon's token; make one where none is safe. TokenError."""
    path = str(home.root / TOKEN_FILE)
    with _token_errors(path):
        token, loose = _read(path)
        if loose:
            # Closing the file now would not take back what was read.
            log.warning("%s could be read by others: there is a new token", path)
        elif not token and os.path.lexists(path):
            log.warning("%s held no token: there is a new one", path)
        return token if token and not loose else _make(path)


def shown_token(home: Home) -> str:
    """Read the token for a client, never making one. TokenError."""
    path = str(home.root / TOKEN_FILE)
    with _token_errors(path):
        token, loose = _read(path)
    if not token:
        raise TokenError(f"{path} holds no token; the daemon makes one when it starts")
    if loose:
        log.warning("%s can be read by others: the daemon makes a new token when it starts", path)
    return token


@contextmanager
def _token_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        mend = "make room" if error.errno == errno.ENOSPC else "make the folder yours, the file a plain one"
        raise TokenError(f"{path} can't be used: {error.strerror}; {mend}") from error


def _read(path: str) -> tuple[str, bool]:
    """Return (the token in the file, "" for none; whether others can read it)."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return "", False
    with open(fd, "rb") as file:
        mode = os.fstat(fd).st_mode
        if not stat.S_ISREG(mode):
            raise TokenError(f"{path} is not a plain file; move it away and start again")
        token = file.read(1024).decode("ascii", "replace").strip()
    return token if TOKEN.fullmatch(token) else "", bool(stat.S_IMODE(mode) & OTHERS)


def _make(path: str) -> str:
    import secrets  # for the daemon's first start alone

    token = secrets.token_urlsafe(TOKEN_BYTES)
    fresh = path + ".new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(fresh)
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(fd, "wb") as file:
        os.fchmod(fd, 0o600)  # whatever the umask says
        if stat.S_IMODE(os.fstat(fd).st_mode) & OTHERS:
            raise TokenError(
                f"{path} can't be kept from others on this file system; choose another PITWALL_HOME"
            )
        file.write(token.encode() + b"\n")
        file.flush()
        os.fsync(fd)
    os.rename(fresh, path)
    return token


ADDRESS_FILE = "address"


@contextmanager
def published_address(home: Home, pid: int, address: str) -> Iterator[None]:
    """Publish the address for `address_of` while the block runs, if the folder can be written."""
    path = home.root / ADDRESS_FILE
    with contextlib.suppress(OSError):
        write_line(path, f"{pid} {address}")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            write_line(path, "")


def address_of(home: Home) -> str:
    """Return `http://HOST:PORT` of the daemon that holds this home, or ""."""
    try:
        pid, _, address = (home.root / ADDRESS_FILE).read_text("ascii").strip().partition(" ")
    except (OSError, UnicodeDecodeError):
        return ""
    return address if pid and pid == holder(home.root) else ""
