"""A real S3 server in a process of its own, and a way to it that can be cut."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pyarrow.fs as pafs

BUCKET = "lakes"
_SERVER = """
import os, sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
os._exit(0)
"""


@contextmanager
def s3_server() -> Iterator[str]:
    """Its address, such as 127.0.0.1:4711, with an empty bucket."""
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    os.environ.update(keys)
    words = [sys.executable, "-W", "ignore", "-c", _SERVER]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        address = f"127.0.0.1:{int(server.stdout.readline())}"
        try:
            s3 = pafs.S3FileSystem(
                endpoint_override=address, scheme="http", region="us-east-1", allow_bucket_creation=True
            )
            s3.create_dir(BUCKET)
            yield address
        finally:
            server.kill()


def lake_at(address: str, name: str) -> str:
    """The address of a lake there."""
    return f"s3://{BUCKET}/{name}?endpoint=http://{address}"


class CutWay:
    """A way over TCP that is cut for good after so many bytes from the client, and can be mended."""

    def __init__(self, address: str, after_bytes: int) -> None:
        host, port = address.split(":")
        self._there = (host, int(port))
        self._left = after_bytes
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def mend(self) -> None:
        """Nothing is cut any more."""
        self._left = 1 << 60

    def close(self) -> None:
        """Nobody is let in any more."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with near, suppress(OSError), socket.create_connection(self._there) as far:
            back = threading.Thread(target=self._back, args=(far, near), daemon=True)
            back.start()
            while piece := near.recv(4096):
                self._left -= len(piece)
                if self._left <= 0:
                    self.cuts += 1
                    break
                far.sendall(piece)
            for end in (near, far):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def _back(self, far: socket.socket, near: socket.socket) -> None:
        with suppress(OSError):
            while piece := far.recv(65_536):
                near.sendall(piece)
            near.shutdown(socket.SHUT_RDWR)
