"""The shipped network: its file, its card, and the interpreter that runs it. Only here LiteRT is loaded."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from pitwall.coach.model.features import FEATURES
from pitwall.coach.model.forecast import OUTPUTS

HERE = Path(__file__).resolve().parent
NETWORK, CARD = HERE / "forecast.tflite", HERE / "forecast.json"


class ModelError(Exception):
    """The network can't be used: says why, and what to do."""


class Card(msgspec.Struct, frozen=True):
    """A network's digest, and the shape that it was trained for."""

    sha256: str
    features: int
    outputs: int


def installed() -> bool:
    """Return whether LiteRT is there. Does not load it."""
    return find_spec("ai_edge_litert") is not None


def read_card(network: Path = NETWORK, card: Path = CARD) -> Card:
    """The card of a network that fits this program. ModelError says what is wrong. A damaged file
    can abort the process that opens it, so its digest is checked first."""
    try:
        found = msgspec.json.decode(card.read_bytes(), type=Card)
        content = network.read_bytes()
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{card.parent}: {error}; install pitwall again") from None
    if hashlib.sha256(content).hexdigest() != found.sha256:
        raise ModelError(f"{network} is not the file that {card.name} describes; install pitwall again")
    if (found.features, found.outputs) != (FEATURES, OUTPUTS):
        raise ModelError(
            f"{network} takes {found.features} and gives {found.outputs} numbers, we have {FEATURES} "
            f"and {OUTPUTS}; train it again (scripts/train/train)"
        )
    return found


class Network:
    """An open network. `run` takes FEATURES numbers and gives OUTPUTS. For one thread at a time."""

    def __init__(self, network: Path = NETWORK, card: Path = CARD) -> None:
        """Load LiteRT and open the file: about 0.2 s and 32 MB. ModelError."""
        self.card = read_card(network, card)
        # Numpy's threads would only wait for each other over so small a network.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        try:
            from ai_edge_litert.interpreter import Interpreter, OpResolverType
        except ImportError as error:
            raise ModelError(f'{error}; pip install "pitwall[litert]"') from None
        try:
            # Its delegate only prints a line at every start.
            plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
            interpreter: Any = Interpreter(
                model_path=str(network), num_threads=1, experimental_op_resolver_type=plain
            )
            interpreter.allocate_tensors()
            self._input: int = interpreter.get_input_details()[0]["index"]
            self._output: int = interpreter.get_output_details()[0]["index"]
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"{network} can't be opened: {error}") from None
        self._interpreter = interpreter

    def run(self, features: Sequence[float]) -> list[float]:
        """Run one instant through the network."""
        # A view of its memory, so numpy is loaded by LiteRT alone.
        self._interpreter.tensor(self._input)()[0, :] = features
        self._interpreter.invoke()
        found: list[float] = self._interpreter.tensor(self._output)()[0].tolist()
        return found
