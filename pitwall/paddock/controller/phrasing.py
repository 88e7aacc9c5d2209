"""A corner's phrases as a model is asked for them, and as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from pitwall.analysis.script_change import invented
from pitwall.coach.cue import PHASES
from pitwall.coach.scripts import KEYS, check_script
from pitwall.track.model import Track

if TYPE_CHECKING:
    from pydantic import BaseModel


@cache
def phrases_form() -> type[BaseModel]:
    """The typed reply: one text for each key of a script file, "" where there is none."""
    from pydantic import create_model  # a third of ADK's own import, and profiles need no model

    from pitwall.paddock.answer_form import AnswerForm

    fields: dict[str, Any] = dict.fromkeys(KEYS, (str, ""))
    return create_model("VoiceScript", __base__=AnswerForm, **fields)


@cache
def order_form() -> type[BaseModel]:
    """The typed reply of a plan: corner ids in the order to write them."""
    from pydantic import create_model

    from pitwall.paddock.answer_form import AnswerForm

    return create_model("WritingOrder", __base__=AnswerForm, corners=(list[str], ...))


def tidied(reply: Mapping[str, Any]) -> dict[str, str]:
    """The reply as a script: keys in their order, blanks folded, empty ones left out."""
    texts = {key: " ".join(str(reply.get(key) or "").split()) for key in KEYS}
    return {key: text for key, text in texts.items() if text}


def problems_of(
    corner: str, script: Mapping[str, str], now: Mapping[str, str], track: Track, known: Any
) -> list[str]:
    """What is wrong with it: the check of every writer; a phase that speaks `now` and would fall silent; a
    figure that is not in `known`, the facts: a driver would brake at a board that is not there."""
    silent = [phase for phase in PHASES if phase in now and phase not in script]
    missing = [f"{', '.join(silent)} is missing: give a phrase for each of these"] if silent else []
    return [*check_script(corner, dict(script), track), *missing, *invented(script, known)]


def same_words(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two scripts say the same."""
    return tidied(one) == tidied(other)


def in_order(wanted: Iterable[str], fallback: Iterable[str]) -> list[str]:
    """Every id of `fallback` once: first those of them that a model named, then the rest as they are."""
    known = list(fallback)
    first = [name for name in dict.fromkeys(wanted) if name in known]
    return [*first, *(name for name in known if name not in first)]


def digest(script: Mapping[str, str]) -> str:
    """What a commit intends to write, in 32 hexadecimal digits."""
    import hashlib

    return hashlib.blake2b(msgspec.json.encode(dict(script), order="sorted"), digest_size=16).hexdigest()
