"""The paddock's worker process: `python -m pitwall.paddock.worker FD`, FD its end of a socket pair.

It takes runs, several at once, and ends with the other end, so that it never outlives its owner."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import msgspec

from pitwall.config import Home
from pitwall.contract.messages import (
    AskRun,
    Bye,
    CallFailed,
    Cancel,
    FromWorker,
    Gone,
    Hello,
    JobRun,
    Ready,
    Reply,
    RunEvent,
    ToWorker,
)
from pitwall.helpers.child_process import ChannelError, MessageChannel
from pitwall.paddock.records import CallRefused, Calls, RemoteJob, RemoteRecords
from pitwall.paddock.worker_service import QuestionRefused, WorkerService
from pitwall.store.errors import StoreError
from pitwall.words.language import language
from pitwall.words.units import Units

log = logging.getLogger("pitwall")

# Four questions at once, each with the tools of three agents and a composer.
_THREADS = 16
_GRACE_S = 0.5
# ADK logs the traceback of a failing node twice. The answer says what went wrong.
_QUIET = {"google_adk": logging.CRITICAL, "google_genai": logging.ERROR, "httpx": logging.WARNING}


class Worker:
    """Serves one owner until the owner ends it or goes away."""

    def __init__(self, channel: MessageChannel[ToWorker, FromWorker], hello: Hello, began_s: float) -> None:
        self._channel, self._hello, self._began_s = channel, hello, began_s
        self._calls = Calls(channel.send)
        words = language(msgspec.convert(hello.units, Units), hello.bike)
        self._service = WorkerService(hello, RemoteRecords(self._calls, Home(Path(hello.home), words)))
        self._runs: dict[int, asyncio.Task[Gone]] = {}

    async def serve(self) -> None:
        """Take runs until the owner ends the worker; returns when all runs have ended."""
        model = self._hello.settings.model
        async with asyncio.TaskGroup() as tasks:
            loading = tasks.create_task(self._service.models.run())
            await self._channel.send(
                Ready(
                    model="" if model.kind == "none" else model.name,
                    took_s=round(time.monotonic() - self._began_s, 3),
                )
            )
            try:
                await self._listen(tasks)
            except ChannelError as error:
                log.error("the owner sent an invalid message: %s", error)
            finally:
                self._calls.close()
                for task in (loading, *self._runs.values()):
                    task.cancel()

    async def _listen(self, tasks: asyncio.TaskGroup) -> None:
        while (message := await self._channel.receive()) is not None:
            match message:
                case AskRun() | JobRun():
                    self._runs[message.run] = tasks.create_task(self._run(message))
                    self._runs[message.run].add_done_callback(partial(self._gone, message.run))
                case Reply() | CallFailed():
                    self._calls.take(message)
                case Cancel(run):
                    if run in self._runs:
                        self._runs[run].cancel()
                case Bye():
                    return

    def _gone(self, run: int, task: asyncio.Task[Gone]) -> None:
        """Report the end of a run, also of one that was cancelled before it began."""
        del self._runs[run]
        self._channel.post(Gone(run) if task.cancelled() else task.result())

    async def _run(self, asked: AskRun | JobRun) -> Gone:
        try:
            match asked:
                case AskRun():
                    await self._ask(asked)
                case JobRun():
                    await self._work(asked)
        except (QuestionRefused, CallRefused) as reason:
            return Gone(asked.run, str(reason), refused=True)
        except (StoreError, OSError, ChannelError) as reason:
            return Gone(asked.run, str(reason))
        except Exception:
            log.exception("run %s", asked.run)
            return Gone(asked.run, "Something went wrong in the worker; its log has the details.")
        return Gone(asked.run)

    async def _ask(self, asked: AskRun) -> None:
        async with self._service.answering(asked) as stream:
            async for event in stream:
                await self._channel.send(RunEvent(asked.run, event))

    async def _work(self, job: JobRun) -> None:
        port = RemoteJob(self._calls, job.job)
        await self._service.work(job, port, lambda event: self._channel.post(RunEvent(job.run, event)))


async def _serve(sock: socket.socket, began_s: float) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS))
    channel: MessageChannel[ToWorker, FromWorker] = await MessageChannel.over(sock, ToWorker)
    with contextlib.suppress(ChannelError):
        hello = await channel.receive()
        if isinstance(hello, Hello):
            await Worker(channel, hello, began_s).serve()
    # Do not wait for threads that are still computing.
    _exit()


def _end_with_owner(fd: int) -> None:
    """End the process soon after the owner's end is closed, even if the loop is stuck."""
    poll = select.poll()
    poll.register(fd, 0)
    while not poll.poll():
        pass
    time.sleep(_GRACE_S)
    _exit()


def _exit() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)


def main(arguments: list[str]) -> int:
    """Serve until the owner is done."""
    began_s = time.monotonic()
    # The owner handles ^C and then ends this process in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Keep the driver's questions out of ADK's traces.
    os.environ["ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS"] = "false"
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")
    for name, level in _QUIET.items():
        logging.getLogger(name).setLevel(level)
    sock = socket.socket(fileno=int(arguments[1]))
    threading.Thread(target=_end_with_owner, args=(os.dup(sock.fileno()),), daemon=True).start()
    asyncio.run(_serve(sock, began_s))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
