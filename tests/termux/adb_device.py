"""A phone as adb sees it: the device's side of adb's transport protocol on a TCP port, for the real client.

It asks for a signature of a key that it knows, or for a key that its owner allows. It runs commands with
their exit codes, takes files, and connects ports. Behind it is the stand-ins' folder.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import os
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

CNXN, AUTH, OPEN, OKAY, CLSE, WRTE = (int.from_bytes(word, "little") for word in
                                      (b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"CLSE", b"WRTE"))  # fmt: skip
TOKEN, SIGNATURE, PUBLIC_KEY = 1, 2, 3
VERSION, MOST_BYTES = 0x01000001, 1 << 18
BANNER = b"device::ro.product.name=stand_in;ro.product.model=Pixel;features=shell_v2,cmd"
STDOUT, STDERR, EXIT = 1, 2, 3
# The ASN.1 of SHA-1 in PKCS#1 v1.5; adb's token is signed as if it were the digest.
SHA1 = bytes.fromhex("3021300906052b0e03021a05000414")


class Key:
    """An RSA key as adb writes it: 32-bit words, the modulus with the least first."""

    def __init__(self, text: bytes) -> None:
        raw = base64.b64decode(text.split()[0].rstrip(b"\0"))
        self.text = text
        self.modulus = int.from_bytes(raw[8 : 8 + 256], "little")
        (self.exponent,) = struct.unpack("<I", raw[-4:])

    def signed(self, token: bytes, signature: bytes) -> bool:
        opened = pow(int.from_bytes(signature, "big"), self.exponent, self.modulus).to_bytes(256, "big")
        return opened == b"\0\1" + b"\xff" * (256 - 3 - len(SHA1) - len(token)) + b"\0" + SHA1 + token


class AdbDevice:
    """Listens on 127.0.0.1:`port` until `close`. `allows`: whether its owner allows a key that is new."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.allows = True
        self.keys: list[Key] = []
        self.slow_s = 0.0
        self.environment = environment
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        self._links: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """The cable is pulled."""
        self._server.close()
        for link in self._links:
            link.close()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._server.accept()
            except OSError:
                return
            self._links.append(link)
            threading.Thread(target=Transport(self, link).run, daemon=True).start()


class Transport:
    """One computer that is connected."""

    def __init__(self, device: AdbDevice, link: socket.socket) -> None:
        self.device = device
        self._link, self._sending = link, threading.Lock()
        self._streams: dict[int, Stream] = {}
        self._numbers = itertools.count(1)
        self._token = os.urandom(20)

    def run(self) -> None:
        """Until the computer goes."""
        try:
            while True:
                command, first, second, size, _, _ = struct.unpack("<6I", self._read(24))
                self._take(command, first, second, self._read(size))
        except (OSError, EOFError):
            for stream in list(self._streams.values()):
                stream.end()

    def send(self, command: int, first: int, second: int, data: bytes = b"") -> None:
        head = struct.pack(
            "<6I", command, first, second, len(data), sum(data) & 0xFFFFFFFF, command ^ 0xFFFFFFFF
        )
        with self._sending:
            self._link.sendall(head + data)

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self._link.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def _take(self, command: int, first: int, second: int, data: bytes) -> None:
        if command == CNXN:
            self.send(AUTH, TOKEN, 0, self._token)
        elif command == AUTH:
            self._authenticate(first, data)
        elif command == OPEN:
            # Never one again: the computer may still send to a stream that is gone.
            stream = self._stream(first)
            threading.Thread(target=stream.serve, args=(data.rstrip(b"\0").decode(),), daemon=True).start()
        elif second in self._streams:
            stream = self._streams[second]
            if command == OKAY:
                stream.peer = first
                stream.room.set()
            elif command == WRTE:
                stream.arrive(data)
                self.send(OKAY, second, first)
            elif command == CLSE:
                stream.end()

    def _authenticate(self, kind: int, data: bytes) -> None:
        if kind == SIGNATURE and any(key.signed(self._token, data) for key in self.device.keys):
            self.send(CNXN, VERSION, MOST_BYTES, BANNER)
        elif kind == SIGNATURE:
            self._token = os.urandom(20)
            self.send(AUTH, TOKEN, 0, self._token)
        elif kind == PUBLIC_KEY and self.device.allows:
            self.device.keys.append(Key(data))
            self.send(CNXN, VERSION, MOST_BYTES, BANNER)

    def forget(self, number: int) -> None:
        self._streams.pop(number, None)

    def _stream(self, peer: int) -> Stream:
        number = next(self._numbers)
        self._streams[number] = stream = Stream(self, number, peer)
        return stream


class Stream:
    """One service that the computer opened; `read` what it sends, `write` to it."""

    def __init__(self, transport: Transport, number: int, peer: int) -> None:
        self.room = threading.Event()
        self._transport, self._number, self.peer = transport, number, peer
        self._data, self._news, self._ended = b"", threading.Condition(), False
        self._accepted = False
        self._on_end: Callable[[], None] = lambda: None

    def arrive(self, data: bytes) -> None:
        with self._news:
            self._data += data
            self._news.notify_all()

    def end(self) -> None:
        with self._news:
            self._ended = True
            self._news.notify_all()
        self.room.set()
        # The other side may have gone by itself.
        with contextlib.suppress(OSError):
            self._on_end()

    def read(self, count: int = 0) -> bytes:
        """So many bytes; 0: whatever there is. EOFError once the computer has closed."""
        with self._news:
            self._news.wait_for(lambda: self._ended or len(self._data) >= max(count, 1))
            if len(self._data) < max(count, 1):
                raise EOFError
            count = count or len(self._data)
            data, self._data = self._data[:count], self._data[count:]
            return data

    def write(self, data: bytes) -> None:
        for at in range(0, len(data), MOST_BYTES):
            self.room.clear()
            self._transport.send(WRTE, self._number, self.peer, data[at : at + MOST_BYTES])
            self.room.wait()
            if self._ended:
                raise EOFError

    def serve(self, service: str) -> None:
        kind, _, rest = service.partition(":")
        kinds = {"shell,v2,raw": self._shell, "sync": self._sync, "tcp": self._tcp}
        kind = "shell,v2,raw" if kind.startswith("shell,v2") else kind
        with contextlib.suppress(EOFError, OSError):
            if kind in kinds:
                kinds[kind](rest)
        self.close()

    def close(self) -> None:
        """Nothing more comes from here."""
        self._transport.forget(self._number)
        with contextlib.suppress(OSError):
            # Without a number of ours: the service could not be opened.
            self._transport.send(CLSE, self._number if self._accepted else 0, self.peer)

    def _accept(self) -> None:
        self._accepted = True
        self._transport.send(OKAY, self._number, self.peer)

    def _shell(self, command: str) -> None:
        self._accept()
        process = subprocess.Popen(
            ["sh", "-c", command],
            env=self._transport.device.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._on_end = process.kill
        out, err = process.communicate()
        for number, data in ((STDOUT, out), (STDERR, err)):
            if data:
                self.write(struct.pack("<BI", number, len(data)) + data)
        self.write(struct.pack("<BIB", EXIT, 1, process.returncode & 0xFF))

    def _tcp(self, port: str) -> None:
        with socket.create_connection(("127.0.0.1", int(port))) as peer:
            self._accept()
            self._carry(peer)

    def _carry(self, peer: socket.socket) -> None:
        self._on_end = lambda: peer.shutdown(socket.SHUT_RDWR)
        threading.Thread(target=self._pump, args=(peer,), daemon=True).start()
        while data := peer.recv(65536):
            self.write(data)

    def _pump(self, peer: socket.socket) -> None:
        try:
            while True:
                data = self.read()
                time.sleep(self._transport.device.slow_s)
                peer.sendall(data)
        except (EOFError, OSError):
            return

    def _sync(self, _: str) -> None:
        self._accept()
        while True:
            request, size = struct.unpack("<4sI", self.read(8))
            path = self.read(size).decode() if request != b"QUIT" else ""
            if request == b"QUIT":
                return
            if request == b"STAT":
                try:
                    found = os.stat(path)
                    self.write(
                        b"STAT" + struct.pack("<3I", found.st_mode, found.st_size, int(found.st_mtime))
                    )
                except OSError:
                    self.write(b"STAT" + bytes(12))
            elif request == b"SEND":
                self._receive(Path(path.rpartition(",")[0]))

    def _receive(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            while True:
                kind, size = struct.unpack("<4sI", self.read(8))
                if kind == b"DONE":
                    break
                file.write(self.read(size))
        self.write(b"OKAY" + bytes(4))
