"""Removes figures without evidence from texts and typed findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwall.analysis.claims import sentences
from pitwall.analysis.figure_check import KnownFigures, key_of_one, known_figures, number_backed, unsupported


def without_unsupported(text: str, state: Any) -> tuple[str, list[str]]:
    """(text without the sentences that hold an unsupported figure, those sentences)."""
    known = state if isinstance(state, KnownFigures) else known_figures(state)
    kept: list[str] = []
    gone: list[str] = []
    for sentence in sentences(text):
        (gone if unsupported(sentence, known) else kept).append(sentence)
    return " ".join(kept), gone


def grounded(output: Any, evidence: Any) -> tuple[Any, list[str]]:
    """(`output` without figures that `evidence` does not hold, those figures).

    A number becomes None, a sentence of a text is dropped. What a data agent hands on is thereby measured.
    """
    known = known_figures(evidence)
    gone: list[str] = []

    def kept(key: str, value: Any) -> Any:
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, (int, float)):
            if number_backed(key, value, known):
                return value
            gone.append(repr(value))
            return None
        if isinstance(value, str):
            text, dropped = without_unsupported(value, known)
            gone.extend(dropped)
            return text if dropped else value
        if isinstance(value, Mapping):
            return {name: kept(str(name), held) for name, held in value.items()}
        return [held for each in value if (held := kept(key_of_one(key), each)) is not None]

    return kept("", output), gone
