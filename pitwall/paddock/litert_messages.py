"""What a LiteRT-LM process and its owner say to each other, in the framing of `pitwall.contract.channel`."""

from __future__ import annotations

from typing import Literal

import msgspec

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
