"""An slcan adapter as a TCP server: answers LAWICEL's commands and plays frames.

    with SlcanPeer() as peer:                    # listens on a free port of 127.0.0.1
        uri = f"can:slcan://socket/{peer.address}"
        ...
        peer.wait_open()                         # somebody has connected and sent O or L
        peer.play(frames, speed=None)            # (t, key, data); None: as fast as they are taken
        peer.drop()                              # cut the connection; it listens on

It lives in threads of its own; `play` blocks its caller (`await asyncio.to_thread(peer.play, ...)`).
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable
from itertools import islice

EXTENDED = 0x8000_0000
OK, BELL = b"\r", b"\x07"
# Lines go out in one write as a USB adapter's packets do.
LINES_A_WRITE = 64

FrameTriple = tuple[float, int, bytes]


class SlcanPeer:
    """`stamps`: it knows the command Z1. `ecu` is shown every frame sent to the bus and gives those that
    answer it."""

    def __init__(
        self, *, stamps: bool = True, ecu: Callable[[int, bytes], Iterable[tuple[int, bytes]]] | None = None
    ) -> None:
        self.commands: list[str] = []
        self.connections = 0
        self.sent = 0
        self._knows_stamps, self._ecu = stamps, ecu
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        self._changed = threading.Condition()
        self._client: socket.socket | None = None
        self._open = self._stamped = self._closing = False
        self._thread = threading.Thread(target=self._serve, name="slcan peer", daemon=True)
        self._thread.start()

    def __enter__(self) -> SlcanPeer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait_open(self, timeout_s: float = 10.0) -> None:
        """Until the bus was opened by somebody."""
        self._wait(lambda: self._open, "nobody has opened the bus", timeout_s)

    def wait_closed(self, timeout_s: float = 10.0) -> None:
        """Until the one who had opened it is gone."""
        self._wait(lambda: self._client is None, "the connection is still there", timeout_s)

    def play(self, frames: Iterable[FrameTriple], speed: float | None = None) -> int:
        """Send frames at `speed` times the pace of their t, None: without a pause. Gives how many were sent;
        ConnectionError where the other side has gone away."""
        started_s, first_t, count = time.monotonic(), None, 0
        source = iter(frames)
        while batch := list(islice(source, 1 if speed else LINES_A_WRITE)):
            if speed:
                first_t = batch[0][0] if first_t is None else first_t
                wait_s = (batch[0][0] - first_t) / speed - (time.monotonic() - started_s)
                if wait_s > 0:
                    time.sleep(wait_s)
            self.send_raw(b"".join(self.line(*frame) for frame in batch))
            count += len(batch)
        self.sent += count
        return count

    def wait_read(self) -> None:
        """Until the other side has read what was sent."""
        client = self._client
        if client is not None:
            host, port = client.getpeername()
            theirs = f"{int.from_bytes(socket.inet_aton(host), 'little'):08X}:{port:04X}"
            while _unread(theirs):
                time.sleep(0)

    def line(self, t: float, key: int, data: bytes) -> bytes:
        """One frame as the adapter writes it."""
        ident = f"T{key & ~EXTENDED:08X}" if key & EXTENDED else f"t{key:03X}"
        stamp = f"{round(t * 1000) % 60_000:04X}" if self._stamped else ""
        return f"{ident}{len(data)}{data.hex().upper()}{stamp}\r".encode()

    def send_raw(self, data: bytes) -> None:
        """Any bytes: garbage, half a frame."""
        client = self._client
        if client is None:
            raise ConnectionError("nobody is connected")
        client.sendall(data)

    def drop(self) -> None:
        """Cut the connection and go on listening."""
        with self._changed:
            client, self._client, self._open = self._client, None, False
            if client is not None:
                with contextlib.suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)
                client.close()

    def close(self) -> None:
        """Stop altogether; its thread has ended."""
        self._closing = True
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self.drop()
        self._thread.join(5.0)
        self._server.close()

    def _wait(self, done: Callable[[], bool], complaint: str, timeout_s: float) -> None:
        with self._changed:
            if not self._changed.wait_for(done, timeout_s):
                raise TimeoutError(complaint)

    def _serve(self) -> None:
        while not self._closing:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            with self._changed:
                self._client = client
                self.connections += 1
            with contextlib.suppress(OSError):
                self._talk(client)
            client.close()
            with self._changed:
                if self._client is client:
                    self._client = None
                self._open = False
                self._changed.notify_all()

    def _talk(self, client: socket.socket) -> None:
        rest = b""
        while data := client.recv(4096):
            *lines, rest = (rest + data).split(b"\r")
            for line in lines:
                # Under the lock: who waits for the open bus sends its frames after the answer, not around it.
                with self._changed:
                    client.sendall(self._answer(line.decode("ascii")))
                    self._changed.notify_all()

    def _answer(self, command: str) -> bytes:
        """What LAWICEL's manual says to each command."""
        self.commands.append(command)
        kind = command[:1]
        if kind in "tT" and kind:
            return self._transmitted(command)
        if kind == "C":
            self._open = False
            return OK
        if kind in ("S", "Z") and self._open:
            return BELL
        if kind == "S":
            return OK if command[1:] in "012345678" else BELL
        if kind == "Z" and self._knows_stamps:
            self._stamped = command == "Z1"
            return OK
        if kind in ("O", "L"):
            answer, self._open = BELL if self._open else OK, True
            return answer
        return {"V": b"V1013\r", "N": b"NA123\r", "F": b"F00\r", "": OK}.get(kind, BELL)

    def _transmitted(self, command: str) -> bytes:
        if not self._open:
            return BELL
        digits = 8 if command[0] == "T" else 3
        key = int(command[1 : digits + 1], 16) | (EXTENDED if digits == 8 else 0)
        data = bytes.fromhex(command[digits + 2 :])
        answers = self._ecu(key, data) if self._ecu is not None else ()
        lines = b"".join(self.line(0.0, *answer) for answer in answers)
        return (b"Z\r" if digits == 8 else b"z\r") + lines


def _unread(address: str) -> bool:
    """Whether bytes wait for the owner of this socket, as the kernel writes its address."""
    with open("/proc/net/tcp") as sockets:
        for line in sockets:
            fields = line.split()
            if fields[1] == address:
                return int(fields[4].partition(":")[2], 16) > 0
    return False
