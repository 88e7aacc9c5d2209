"""Word what composed sentences share: names, landmarks, observations, advice, plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from pitwall.analysis.effect import CallEffect
from pitwall.analysis.opportunities import Opportunity
from pitwall.analysis.places import Place
from pitwall.words.language import Language


def corner_name(corner: str, places: Mapping[str, Place]) -> str:
    """Return the corner's name in the track file, else its id made readable."""
    return places[corner].name if corner in places else corner.replace("_", " ").capitalize()


def mark_sentence(corner: str, places: Mapping[str, Place], words: Language) -> str:
    """Name the landmarks to drive by, "" without any there."""
    marks = [words.term("landmark", mark) for mark in places[corner].landmarks] if corner in places else ()
    if len(marks) > 1:
        return words.say("marks", marks=marks)
    return words.say("mark", mark=marks[0]) if marks else ""


def advice(each: Opportunity, words: Language) -> str:
    """Return what to do; where only the loss is sure, as something to try."""
    action = words.term("advice", each.action)
    return words.say("try this", advice=action) if each.is_try else action


def best_pass(each: Opportunity, words: Language) -> str:
    """Say what the best pass did otherwise, and in how many laps that shows."""
    by = each.amount / KMH if each.unit == "km/h" else each.amount
    shown = ""
    if each.cause == "repeat":
        did = words.say("did repeat", by=each.losing_s)
    else:
        did = words.say(f"did {each.action}", by=by)
        count, of = len(each.shown_laps), len(each.laps)
        shown = words.say("shown in all" if count == of else "shown in", count=count, of=of)
    return words.say("best pass", lap=each.against_lap, did=did, shown=shown)


def effect_sentence(found: CallEffect | None, words: Language) -> str:
    """Say what calls are worth by the trials, or that this is unknown."""
    if found is None:
        return words.say("effect unknown")
    key = "effect proven" if found.is_proven else "effect unproven"
    return words.say(key, **msgspec.structs.asdict(found))


KMH = 3.6
# Useful digits of each unit; the longest suffix that fits.
DIGITS: dict[str, int] = {
    "_utc_s": 0, "_s": 3, "_s_per_lap": 3, "_s_per_session": 3, "_m": 1, "_kmh": 1, "_g": 3, "_g_per_lap": 4,
    "_bar": 1, "_pct": 1, "_c": 1, "_dps": 0, "_deg": 1, "_deg_per_g": 1,
}  # fmt: skip
DEFAULT_DIGITS = 3
# Longer lists are cut.
MOST_ITEMS = 200


def plain(value: Any) -> Any:
    """Make results plain: objects, m/s as km/h (`*_mps` -> `*_kmh`), rounded by their unit."""
    return _plain("", msgspec.to_builtins(value, str_keys=True))


def plain_name(key: str) -> str:
    """Return the key under which `plain` gives it."""
    return key[: -len("_mps")] + "_kmh" if key.endswith("_mps") else key


def _plain(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {plain_name(str(name)): _plain(str(name), each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(key, each) for each in value[:MOST_ITEMS]]
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        scaled = value * KMH if key.endswith("_mps") else value
        fitting = [suffix for suffix in DIGITS if plain_name(key).endswith(suffix)]
        return round(scaled, DIGITS[max(fitting, key=len)] if fitting else DEFAULT_DIGITS) + 0.0
    return value
