"""`python -m pitwall.paddock.litert_child FD`: the process that runs LiteRT-LM, and its messages.

A bad model file may abort the whole process, and only the end of the process frees the memory of a model.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import shutil
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any, Literal, NoReturn

import msgspec

from pitwall.helpers.child_process import MessageChannel

# A spoken answer is half of this; a phone needs a minute for all of it.
ANSWER_TOKENS = 400

# To the process.


class OpenModel(msgspec.Struct, frozen=True, kw_only=True, tag="open"):
    """The first message. `cache`: a folder of its own for what the engine keeps of this model file."""

    model: str
    cache: str


class AnswerPrompt(msgspec.Struct, frozen=True, kw_only=True, tag="prompt"):
    """Answer this; one at a time. Pieces come back under `number`, then `ended`."""

    number: int
    system: str
    text: str


class StopAnswer(msgspec.Struct, frozen=True, tag="stop"):
    """End the answer that is on its way; `ended` comes all the same."""

    number: int


ToEngine = OpenModel | AnswerPrompt | StopAnswer

# From the process.


class ModelOpened(msgspec.Struct, frozen=True, tag="opened"):
    """The model can be asked."""

    took_s: float


class ModelNotOpened(msgspec.Struct, frozen=True, tag="not_opened"):
    """The model can't be asked: `extra` (the package is not there or does not load) or `file`."""

    what: Literal["extra", "file"]
    detail: str


class AnswerPiece(msgspec.Struct, frozen=True, tag="piece"):
    """The next words of an answer."""

    number: int
    text: str


class AnswerEnded(msgspec.Struct, frozen=True, tag="ended"):
    """Nothing more comes of an answer. `error`: what the engine said of it, "" where it only ended."""

    number: int
    error: str = ""


FromEngine = ModelOpened | ModelNotOpened | AnswerPiece | AnswerEnded

# The tokens of facts, question and answer together. More tokens need more memory.
CONTEXT_TOKENS = 4096
# A piece may be two tokens long, so an answer with fewer pieces was not cut off for its length.
_SURELY_WHOLE = ANSWER_TOKENS // 2
# A file that is in the cache folder while the engine opens. If it is found later, the cache is not used.
_OPENING = "opening"

Answers = MessageChannel[ToEngine, FromEngine]


class LoadedModel:
    """The engine and the one answer it may be giving. The methods that say so block: call them in threads."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._loop = asyncio.get_running_loop()
        self._engine: Any = None
        self._sampler: Any = None
        self._number = 0
        self._conversation: Any = None
        self._stopping = threading.Lock()

    def open(self, wanted: OpenModel) -> ModelNotOpened | ModelOpened:
        """Load the model (blocks: a second or more on a phone)."""
        began = time.monotonic()
        try:
            import litert_lm
        except (ImportError, OSError) as error:
            return ModelNotOpened("extra", str(error))
        litert_lm.set_min_log_severity(litert_lm.LogSeverity.FATAL)
        cache = Path(wanted.cache)
        try:
            _prepare(cache)
        except OSError:
            # Without room for it the engine prepares the weights at every opening: slower, no worse.
            kept = ":nocache"
        else:
            kept = str(cache)
            _give_a_fraction(Path(wanted.model))
        try:
            self._engine = litert_lm.Engine(
                wanted.model,
                backend=litert_lm.Backend.CPU(),
                max_num_tokens=CONTEXT_TOKENS,
                cache_dir=kept,
            )
        except RuntimeError as error:
            return ModelNotOpened("file", str(error))
        finally:
            with contextlib.suppress(OSError):
                (cache / _OPENING).unlink()
        # The likeliest word each time: the same question gets the same answer, and no figure is a dice throw.
        self._sampler = litert_lm.SamplerConfig(top_k=1, temperature=0.0, seed=0)
        return ModelOpened(time.monotonic() - began)

    def answer(self, prompt: AnswerPrompt) -> None:
        """Say every piece as it comes, then `ended` (blocks)."""
        error = ""
        try:
            with self._engine.create_conversation(
                system_message=prompt.system, sampler_config=self._sampler, max_output_tokens=ANSWER_TOKENS
            ) as conversation:
                self._stoppable(conversation)
                try:
                    # A stop that came before there was a conversation found none to cancel.
                    if self._number == prompt.number:
                        self._converse(conversation, prompt)
                finally:
                    self._stoppable(None)
        except RuntimeError as failed:
            error = str(failed)
        self._say(AnswerEnded(prompt.number, error))

    def _converse(self, conversation: Any, prompt: AnswerPrompt) -> None:
        said, pieces = "", 0
        for message in conversation.send_message_async(prompt.text):
            said = _text(message) or said
            pieces += 1
            self._say(AnswerPiece(prompt.number, _text(message)))
            # A stop that came just before the engine began had no effect.
            if self._number != prompt.number:
                conversation.cancel_process()
        # Exporters list ".<end>" as a stop word, and the engine keeps stop words to itself.
        if said[-1:].isalnum() and pieces < _SURELY_WHOLE and conversation.token_count < CONTEXT_TOKENS - 1:
            self._say(AnswerPiece(prompt.number, "."))

    def begin(self, number: int) -> None:
        """The answer with this number is wanted from now on."""
        self._number = number

    def stop(self, number: int) -> None:
        """The answer with this number is not wanted any more; any other is left alone."""
        if number == self._number:
            self._number = 0
            with self._stopping:
                if self._conversation is not None:
                    self._conversation.cancel_process()

    def _stoppable(self, conversation: Any) -> None:
        # Not while it is being cancelled: it is freed next.
        with self._stopping:
            self._conversation = conversation

    def _say(self, message: FromEngine) -> None:
        self._loop.call_soon_threadsafe(self._answers.post, message)


def _prepare(cache: Path) -> None:
    """Make the model's own cache folder, anew where its last opening did not end; others go. OSError."""
    if (cache / _OPENING).exists():
        shutil.rmtree(cache, ignore_errors=True)
    for other in cache.parent.iterdir() if cache.parent.is_dir() else ():
        if other != cache:
            shutil.rmtree(other, ignore_errors=True)
    cache.mkdir(parents=True, exist_ok=True)
    (cache / _OPENING).touch()


def _give_a_fraction(model: Path) -> None:
    """Let a file that was changed on a whole second, as adb leaves it, have been changed half a second later.

    LiteRT-LM 0.18.1 names the cache by that second, and takes the one before in some processes.
    """
    with contextlib.suppress(OSError):
        state = model.stat()
        if state.st_mtime_ns % 1_000_000_000 == 0:
            os.utime(model, ns=(state.st_atime_ns, state.st_mtime_ns + 500_000_000))


def _text(message: dict[str, Any]) -> str:
    content: Any = message.get("content") or ()
    parts = [content] if isinstance(content, str) else content
    return "".join(part if isinstance(part, str) else part.get("text", "") for part in parts)


async def _serve(fd: int) -> NoReturn:
    """Take messages until the stream ends, then end at once, whatever the engine is doing."""
    answers = await Answers.over(socket.socket(fileno=fd), ToEngine)
    model = LoadedModel(answers)

    async def opened(wanted: OpenModel) -> None:
        answers.post(await asyncio.to_thread(model.open, wanted))

    async with asyncio.TaskGroup() as tasks:
        while (message := await answers.receive()) is not None:
            match message:
                case OpenModel():
                    tasks.create_task(opened(message))
                case AnswerPrompt():
                    model.begin(message.number)
                    tasks.create_task(asyncio.to_thread(model.answer, message))
                case StopAnswer():
                    model.stop(message.number)
        # Not by returning: that would wait for the engine's thread.
        os._exit(0)


def main() -> None:
    """Serve the stream whose descriptor is the first argument."""
    # An abort must not leave a core file of the model's size.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asyncio.run(_serve(int(sys.argv[1])))


if __name__ == "__main__":
    main()
