"""Push for the daemon, in a process (`python -m pitwall.fleet.pusher FD`).

It ends with its owner.
Only the daemon holds the database; it hands over each session's material as files."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from pitwall.config import Home
from pitwall.contract.messages import (
    PushAsks,
    PushBegin,
    PushMaterial,
    PushOver,
    PushSent,
    PushWanted,
    ToPusher,
)
from pitwall.fleet.material import Material
from pitwall.helpers.child_process import MOST_BYTES
from pitwall.store.errors import StoreError

# After the daemon, and after whatever else the phone does.
NICE = 15


class _Ended(Exception):
    """The owner has gone."""


class _Line:
    """The inherited socket, with blocking calls: this process does one thing at a time."""

    def __init__(self, sock: socket.socket) -> None:
        self._file = sock.makefile("rwb")
        self._decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(ToPusher)

    def send(self, message: msgspec.Struct) -> None:
        """Send a message. _Ended."""
        body = msgspec.msgpack.encode(message)
        try:
            self._file.write(len(body).to_bytes(4, "big") + body)
            self._file.flush()
        except OSError as error:
            raise _Ended from error

    def receive(self) -> Any:
        """Receive the next message. _Ended."""
        head = self._file.read(4)
        size = int.from_bytes(head, "big")
        if len(head) < 4 or size > MOST_BYTES:
            raise _Ended
        return self._decoder.decode(self._file.read(size))


def main(fd: int) -> None:
    """Serve one push."""
    os.nice(NICE)
    line = _Line(socket.socket(fileno=fd))
    with suppress(_Ended):
        begin = line.receive()
        assert isinstance(begin, PushBegin)
        line.send(_push(line, begin))


def _push(line: _Line, begin: PushBegin) -> PushOver:
    try:
        from pitwall.fleet.lake import LakeError, UnreachableError, open_storage
        from pitwall.fleet.push import not_there, push_each
    except ImportError:
        return PushOver("the fleet needs pyarrow, which is not installed: pip install 'pitwall[fleet]'")
    home = Home(Path(begin.home))
    try:
        storage = open_storage(begin.lake)
        lacking = not_there(storage, home, begin.due, again=begin.again)
        line.send(PushWanted(len(lacking), len(begin.due) - len(lacking)))
        gather = partial(_material, line)
        pushing = push_each(storage, home, lacking, gather, begin.car_class, again=begin.again)
        for each, sent, why in pushing:
            line.send(PushSent(each.session, sent, why))
    except LakeError as error:
        return PushOver(str(error), isinstance(error, UnreachableError))
    return PushOver()


def _material(line: _Line, session: str) -> Material:
    """Ask the daemon for it. StoreError."""
    line.send(PushAsks(session))
    answer = line.receive()
    if not isinstance(answer, PushMaterial) or answer.why:
        raise StoreError(answer.why or f"session {session} could not be had")
    path = Path(answer.file)
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=Material)
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
