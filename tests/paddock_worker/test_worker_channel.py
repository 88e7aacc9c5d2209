"""Frames over a socket pair: whole or not at all, bounded, and a clear word about what is no message."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import pytest

from pitwall.contract.messages import Bye, Cancel, FromWorker, Reply, ToWorker
from pitwall.helpers.child_process import MOST_BYTES, ChannelError, MessageChannel, MessageTooLarge


async def pair() -> tuple[MessageChannel[FromWorker, ToWorker], MessageChannel[ToWorker, FromWorker]]:
    ours, theirs = socket.socketpair()
    return await MessageChannel.over(ours, FromWorker), await MessageChannel.over(theirs, ToWorker)


async def test_messages_arrive_whole_and_in_order_whatever_their_size() -> None:
    daemon, worker = await pair()
    sent = [Cancel(7), Reply(1, b"x" * (MOST_BYTES - 100)), Bye(), Reply(2, b"")]

    async def send() -> None:
        for message in sent:
            await daemon.send(message)
        daemon.close()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(send())
        got = [await worker.receive() for _ in sent]
        assert await worker.receive() is None
    assert got == sent
    worker.close()


async def test_a_message_that_is_too_large_is_not_begun() -> None:
    daemon, worker = await pair()
    with pytest.raises(MessageTooLarge, match=f"at most {MOST_BYTES}"):
        await daemon.send(Reply(1, b"x" * (MOST_BYTES + 1)))
    await daemon.send(Bye())
    assert await worker.receive() == Bye()
    daemon.close()
    worker.close()


@pytest.mark.parametrize(
    ("bytes_sent", "what"),
    [
        ((MOST_BYTES + 1).to_bytes(4, "big"), "was announced"),
        (b"\x00\x00\x00\x05\xc1\xc1\xc1\xc1\xc1", "is no message"),
        (b"\x00\x00\x00\x03abc", "is no message"),
        # An honest message of the other direction is none here.
        (b"\x00\x00\x00\x0b\x82\xa4type\xa3bye\x00", "is no message"),
        (b"\x00\x00\x00\x09abc", "in the middle"),
        (b"\x00\x00", "in the middle"),
    ],
)
async def test_garbage_is_named_and_not_guessed_at(bytes_sent: bytes, what: str) -> None:
    ours, theirs = socket.socketpair()
    daemon: MessageChannel[FromWorker, ToWorker] = await MessageChannel.over(ours, FromWorker)
    theirs.sendall(bytes_sent)
    theirs.close()
    with pytest.raises(ChannelError, match=what):
        await daemon.receive()
    daemon.close()


async def test_sending_to_one_that_has_gone() -> None:
    daemon, worker = await pair()
    worker.close()
    assert await daemon.receive() is None
    # The first may still find room in the socket.
    with contextlib.suppress(ChannelError):
        await daemon.send(Bye())
    with pytest.raises(ChannelError, match="has gone"):
        await daemon.send(Bye())
    daemon.post(Bye())
    daemon.close()
