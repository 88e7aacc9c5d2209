"""Starts, ends and reaps all child processes.

A module of ours runs as a `ModuleProcess` of the event loop, and speaks whole messages over one end
of a socket pair. An installed program, such as a sound player, is started by `start_program` and
ended by `end_program`, on the thread that feeds it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

if TYPE_CHECKING:
    import asyncio

In = TypeVar("In")
Out = TypeVar("Out")

_Pipe = int | IO[bytes] | None


class ModuleProcess(Generic[In, Out]):
    """A module of ours in its own process, with an inherited socket, its `channel`; the stream's
    end ends the child, however its owner went."""

    def __init__(
        self, process: asyncio.subprocess.Process, channel: MessageChannel[In, Out], *, own_session: bool
    ) -> None:
        self.channel = channel
        self._process = process
        self._own_session = own_session

    @classmethod
    async def start(
        cls, module: str, incoming: Any, *, own_session: bool, keep_output: bool = False
    ) -> ModuleProcess[In, Out]:
        """Start `python -m module`. `own_session`: a ^C does not reach it. OSError."""
        import asyncio  # here and below: a command that plays a sound has no event loop to load

        ours, theirs = socket.socketpair()
        output = asyncio.subprocess.PIPE if keep_output else asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                module,
                str(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                start_new_session=own_session,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return cls(process, await MessageChannel.over(ours, incoming), own_session=own_session)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How the process ended, as of `subprocess`; None before it was reaped."""
        return self._process.returncode

    @property
    def output(self) -> asyncio.StreamReader | None:
        """Return what the process prints, None if that is not kept."""
        return self._process.stdout

    def kill(self) -> None:
        """End the process now; with a session of its own, also everything that it started."""
        if self._process.returncode is None:
            _kill(self._process.pid, group=self._own_session)

    async def reap(self, within_s: float | None = None) -> None:
        """Close the channel and wait until the process has gone, which `within_s` is forced."""
        import asyncio

        self.channel.close()
        try:
            async with asyncio.timeout(within_s):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()


def start_program(
    words: Sequence[str],
    *,
    stdin: _Pipe = subprocess.DEVNULL,
    stdout: _Pipe = subprocess.DEVNULL,
    stderr: _Pipe = subprocess.DEVNULL,
    env: Mapping[str, str] | None = None,
    pipe_bytes: int = -1,
) -> subprocess.Popen[bytes]:
    """Start a program with unbuffered pipes, in its own session. OSError."""
    return subprocess.Popen(  # noqa: S603, the callers' own tables of programs
        tuple(words),
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=env,
        bufsize=0,
        pipesize=pipe_bytes,
        start_new_session=True,
    )


def end_program(process: subprocess.Popen[bytes], within_s: float, *, ask: bool = False) -> None:
    """Close its pipes, wait `within_s`, then kill it and its children; `ask`: SIGTERM first."""
    if ask:
        process.terminate()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        _kill(process.pid, group=True)
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _kill(pid: int, *, group: bool) -> None:
    with contextlib.suppress(ProcessLookupError):
        (os.killpg if group else os.kill)(pid, signal.SIGKILL)


# The largest real message is an SQL answer of 400,000 characters, or a season's driver events.
MOST_BYTES = 16 << 20
_HEAD_BYTES = 4


class ChannelError(Exception):
    """The other side sent what is no message, or went away while something was being sent."""


class MessageTooLarge(ChannelError):
    """A message that must not be sent: nothing of it was, and the channel is as good as before."""


class MessageChannel(Generic[In, Out]):
    """Sends `Out`, receives `In`. One reader at a time; any number of tasks may send."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, incoming: Any) -> None:
        self._reader, self._writer = reader, writer
        self._decoder: msgspec.msgpack.Decoder[In] = msgspec.msgpack.Decoder(incoming)
        self._encoder = msgspec.msgpack.Encoder()

    @classmethod
    async def over(cls, sock: socket.socket, incoming: Any) -> MessageChannel[In, Out]:
        """Take over one end of a socket pair. `incoming`: the union of messages that may arrive."""
        import asyncio

        sock.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=sock, limit=1 << 16)
        return cls(reader, writer, incoming)

    async def receive(self) -> In | None:
        """Return the next message, None at the end of the stream. ChannelError."""
        try:
            size = int.from_bytes(await self._reader.readexactly(_HEAD_BYTES), "big")
            if size > MOST_BYTES:
                raise ChannelError(f"a message of {size} bytes was announced: at most {MOST_BYTES}")
            body = await self._reader.readexactly(size)
        except EOFError as error:  # asyncio's IncompleteReadError
            if getattr(error, "partial", b""):
                raise ChannelError("the stream ended in the middle of a message") from None
            return None
        except ConnectionError:
            return None
        try:
            return self._decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ChannelError(f"what arrived is no message: {error}") from None

    def post(self, message: Out) -> None:
        """Send a few small messages without waiting, nothing where closed. MessageTooLarge."""
        body = self._encoder.encode(message)
        if len(body) > MOST_BYTES:
            raise MessageTooLarge(f"a message of {len(body)} bytes: at most {MOST_BYTES}")
        if not self._writer.is_closing():
            self._writer.write(len(body).to_bytes(_HEAD_BYTES, "big") + body)

    async def send(self, message: Out) -> None:
        """Send, and wait while the other side does not keep up. MessageTooLarge, ChannelError."""
        self.post(message)
        try:
            await self._writer.drain()
        except ConnectionError as error:
            raise ChannelError(f"the other side has gone ({error})") from None

    def close(self) -> None:
        """The other side sees the end of the stream."""
        self._writer.close()
