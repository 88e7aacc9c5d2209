"""A change to a corner's script: what is not named stays, and no figure comes in that is nowhere known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwall.analysis.figure_check import unsupported
from pitwall.coach.cue import PHASES
from pitwall.coach.scripts import KEYS, SHORT


def merged(present: Mapping[str, str], change: Any) -> tuple[Any, list[str]]:
    """(`present` with the change over it, in the order of a script's keys; the short forms left out of it).

    A short form goes where its phase is said anew in words that it does not abridge: it would go on saying
    the old. `change` is as a model sent it, and comes back as it is where it changes nothing: whether the
    outcome may be written is `check_script`'s to say.
    """
    if not isinstance(change, Mapping) or not change:
        return change, []
    both: dict[str, Any] = {**present, **change}
    old = [
        phase + SHORT
        for phase in PHASES
        if phase in change and phase + SHORT in present and phase + SHORT not in change
    ]
    left_out = [key for key in old if not _abridges(both[key], both[key.removesuffix(SHORT)])]
    order = [*KEYS, *(key for key in both if key not in KEYS)]
    return {key: both[key] for key in order if key in both and key not in left_out}, left_out


def invented(phrases: Any, known: Any) -> list[str]:
    """The phrases with a figure that is not in `known`, as sentences: a driver would brake at a board that is
    not there."""
    if not isinstance(phrases, Mapping):
        return []
    return [
        f"{key}: {', '.join(figures)} is not in the facts"
        for key, text in phrases.items()
        if isinstance(text, str) and (figures := unsupported(text, known))
    ]


def _abridges(short: str, whole: object) -> bool:
    if not isinstance(whole, str) or len(short) >= len(whole):
        return False
    return set(_bare(short)) <= set(_bare(whole))


def _bare(text: str) -> list[str]:
    return [word.strip(",.!?;:") for word in text.lower().split()]
