"""Whole messages over one end of a socket pair: framed, bounded, and clear about what went wrong."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Generic, TypeVar

import msgspec

# The largest honest message is an SQL answer of 400,000 characters, or a season's driver events.
MOST_BYTES = 16 << 20
_HEAD_BYTES = 4

In = TypeVar("In")
Out = TypeVar("Out")


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
        sock.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=sock, limit=1 << 16)
        return cls(reader, writer, incoming)

    async def receive(self) -> In | None:
        """The next message, None at the end of the stream. ChannelError: what arrived is no message."""
        try:
            size = int.from_bytes(await self._reader.readexactly(_HEAD_BYTES), "big")
            if size > MOST_BYTES:
                raise ChannelError(f"a message of {size} bytes was announced: at most {MOST_BYTES}")
            body = await self._reader.readexactly(size)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise ChannelError("the stream ended in the middle of a message") from None
            return None
        except ConnectionError:
            return None
        try:
            return self._decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ChannelError(f"what arrived is no message: {error}") from None

    def post(self, message: Out) -> None:
        """Send without waiting for room: for a few small messages. A channel that has gone is no error here.

        MessageTooLarge.
        """
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
