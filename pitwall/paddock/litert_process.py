"""The LiteRT-LM process as its owner sees it: start it, ask it, stop it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Literal

from pitwall.contract.child_process import ChannelError, ModuleProcess
from pitwall.paddock.litert_child import (
    ANSWER_TOKENS,
    AnswerEnded,
    AnswerPiece,
    AnswerPrompt,
    FromEngine,
    ModelNotOpened,
    ModelOpened,
    OpenModel,
    StopAnswer,
    ToEngine,
)

# The first opening of a large model prepares its weights. A longer one is stuck and is ended.
OPEN_S = 180.0
# The engine stops between two tokens, but not while it reads a prompt.
STOP_S = 1.0

# Why the owner ended the process; "" where it ended by itself.
Killed = Literal["", "opening", "stopping", "nonsense", "closing"]


class EngineGone(Exception):
    """The process has ended: with this return code as of `subprocess`, and whether that was done here."""

    def __init__(self, returncode: int, killed: Killed) -> None:
        super().__init__(f"the LiteRT-LM process ended with {returncode}")
        self.returncode, self.killed = returncode, killed


class EngineProcess:
    """A model in a process of its own, which gives one answer at a time. Whoever starts it calls `aclose`."""

    def __init__(self, process: ModuleProcess[FromEngine, ToEngine]) -> None:
        loop = asyncio.get_running_loop()
        self._process, self._channel = process, process.channel
        self._opened: asyncio.Future[ModelOpened | ModelNotOpened] = loop.create_future()
        self._numbers = itertools.count(1)
        self._number = 0
        self._pieces: asyncio.Queue[AnswerPiece | AnswerEnded | None] = asyncio.Queue()
        self._idle = asyncio.Event()
        self._idle.set()
        self._killed: Killed = ""
        self._limit = loop.call_later(OPEN_S, self._kill, "opening")
        self._listening = asyncio.create_task(self._listen(), name="LiteRT-LM process")

    @classmethod
    async def start(cls, model: Path, cache: Path) -> EngineProcess:
        """Start the process and have it open the model; returns before that is done. OSError."""
        # The process is in the group of its owner and is killed with it.
        process: ModuleProcess[FromEngine, ToEngine] = await ModuleProcess.start(
            "pitwall.paddock.litert_child", FromEngine, own_session=False
        )
        process.channel.post(OpenModel(model=str(model), cache=str(cache)))
        return cls(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return not self._killed and not self._listening.done()

    async def opened(self) -> ModelOpened | ModelNotOpened:
        """What became of the opening; giving up waiting does not end it. EngineGone."""
        if not self._opened.done():
            either: set[asyncio.Future[Any]] = {self._opened, self._listening}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not self._opened.done():
                raise self._gone()
        return self._opened.result()

    async def answer(self, system: str, text: str) -> AsyncGenerator[str, None]:
        """The pieces of one answer. EngineGone; RuntimeError: what the engine said it could not do.

        Closing it stops the engine; a stop that is not obeyed within STOP_S ends the process.
        """
        await self._idle.wait()
        if not self.alive:
            raise self._gone()
        self._idle.clear()
        number = self._number = next(self._numbers)
        self._pieces = asyncio.Queue(2 * ANSWER_TOKENS)
        self._channel.post(AnswerPrompt(number=number, system=system, text=text))
        try:
            while (said := await self._pieces.get()) is not None:
                if isinstance(said, AnswerPiece):
                    yield said.text
                elif said.error:
                    raise RuntimeError(said.error)
                else:
                    return
            raise self._gone()
        finally:
            self._number = 0
            if not self._idle.is_set():
                self._channel.post(StopAnswer(number))
                self._limit = asyncio.get_running_loop().call_later(STOP_S, self._kill, "stopping")

    async def aclose(self) -> None:
        """End it; returns when nothing of it is left."""
        self._kill("closing")
        await asyncio.wait({self._listening})

    def _gone(self) -> EngineGone:
        code = self._process.returncode
        return EngineGone(-9 if code is None else code, self._killed)

    def _kill(self, why: Killed) -> None:
        if self.alive:
            self._killed = why
            self._process.kill()

    async def _listen(self) -> None:
        """Hand on what the process says until it has gone, however it goes; then it is reaped."""
        try:
            while (message := await self._channel.receive()) is not None:
                self._take(message)
        except (ChannelError, asyncio.QueueFull):
            self._kill("nonsense")
        finally:
            self._limit.cancel()
            await self._process.reap()
            self._idle.set()
            if self._pieces.full():
                self._pieces.get_nowait()
            self._pieces.put_nowait(None)

    def _take(self, message: FromEngine) -> None:
        match message:
            case ModelOpened() | ModelNotOpened():
                self._limit.cancel()
                self._opened.set_result(message)
            case AnswerPiece(number=number) if number == self._number:
                self._pieces.put_nowait(message)
            case AnswerEnded(number=number):
                self._limit.cancel()
                self._idle.set()
                if number == self._number:
                    self._pieces.put_nowait(message)
