"""RemoteRecords and a CallTable in one process, with the real channel between them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pitwall.contract.messages import Call, CallFailed, FromWorker, Reply, ToWorker
from pitwall.daemon.paddock.calls import CallTable
from pitwall.helpers.child_process import MessageChannel
from pitwall.paddock.records import Calls, RemoteRecords
from pitwall.store.store import Store


@asynccontextmanager
async def remote(store: Store, table: CallTable) -> AsyncIterator[tuple[RemoteRecords, Calls]]:
    """Records for threads over the channel, answered by `table`."""
    ours, theirs = socket.socketpair()
    daemon: MessageChannel[FromWorker, ToWorker] = await MessageChannel.over(ours, FromWorker)
    worker: MessageChannel[ToWorker, FromWorker] = await MessageChannel.over(theirs, ToWorker)
    calls = Calls(worker.send)

    async def answer() -> None:
        while (call := await daemon.receive()) is not None:
            assert isinstance(call, Call)
            await daemon.send(await table.answer(call))

    async def take() -> None:
        while (reply := await worker.receive()) is not None:
            assert isinstance(reply, Reply | CallFailed)
            calls.take(reply)

    async with asyncio.TaskGroup() as tasks:
        answering, taking = tasks.create_task(answer()), tasks.create_task(take())
        try:
            yield RemoteRecords(calls, store.home), calls
        finally:
            calls.close()
            for task in (answering, taking):
                task.cancel()
            daemon.close()
            worker.close()
            await table.aclose()
