"""Parts that composed sentences share: names, landmarks, observations, advice; results as plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from pitwall.analysis.opportunities import Cause, Opportunity
from pitwall.analysis.places import Place
from pitwall.words.language import ENGLISH, Language

# Where braking is the matter, the shape of the release belongs to the advice.
SHAPED: frozenset[Cause] = frozenset({
    "brakes early", "brakes late", "coasts", "releases abruptly", "drags the brake", "enters slowly",
    "over-slows",
})  # fmt: skip


def corner_name(corner: str, places: Mapping[str, Place], words: Language = ENGLISH) -> str:
    """The corner's name as the track file has it, else its id made readable."""
    name = places[corner].name if corner in places else corner.replace("_", " ").capitalize()
    return name


def mark_sentence(corner: str, places: Mapping[str, Place], words: Language) -> str:
    """The landmarks to drive by, "" where the track file has none there."""
    marks = [words.term("landmark", mark) for mark in places[corner].landmarks] if corner in places else ()
    if len(marks) > 1:
        return words.say("marks", marks=marks)
    return words.say("mark", mark=marks[0]) if marks else ""


def observed(each: Opportunity, words: Language) -> str:
    """Return what the figures say, one sentence; only those over their noise floor are there."""
    found: list[tuple[str, float]] = []
    if each.brake_shift_m is not None and each.phase != "exit":
        found.append(("brakes sooner" if each.brake_shift_m < 0.0 else "brakes later", each.brake_shift_m))
    if each.coast_diff_s is not None and each.coast_diff_s > 0.0:
        found.append(("rolls", each.coast_diff_s))
    if each.throttle_shift_m is not None and each.throttle_shift_m > 0.0 and each.phase == "exit":
        found.append(("throttle later", each.throttle_shift_m))
    speeds = (
        ("entry", each.entry_speed_diff_mps, each.phase in ("brake", "turn_in") or each.cause == "differs"),
        ("middle", each.min_speed_diff_mps, True),
        ("exit", each.exit_speed_diff_mps, each.phase == "exit" and each.run_speed_diff_mps is None),
    )
    for place, diff_mps, wanted in speeds:
        if wanted and diff_mps is not None:
            found.append((f"{place} {'slower' if diff_mps < 0.0 else 'faster'}", diff_mps))
    run_mps = each.run_speed_diff_mps
    if each.phase == "exit" and run_mps is not None and run_mps < 0.0:
        found.append(("straight slower", run_mps))
    lost = ""
    if each.cause == "differs":
        places = zip(each.laps, each.phases, strict=True)
        parts = [words.say("lost there", phase=words.term("phase", phase), lap=lap) for lap, phase in places]
        lost = words.say("observed differs", parts=parts)
    if not found:
        return lost
    you = [words.say("you"), *[""] * len(found)]
    said = [words.say(key, you=you[at], by=abs(value)) for at, (key, value) in enumerate(found)]
    return lost + words.say("observed", lap=each.against_lap, clauses=said)


def lost_where(each: Opportunity, words: Language) -> str:
    """Where in the corner the time is lost."""
    return words.term("phase", each.cause if each.cause == "differs" else each.phase)


def advice(each: Opportunity, words: Language) -> str:
    """Return what to do about the cause. Where the release sentence follows, this does not repeat it."""
    told = each.release_diff_s is not None and each.phase != "exit"
    if told and each.cause in ("over-slows", "enters slowly"):
        return words.term("advice", "keep the mark")
    return words.term("advice", each.cause)


def release_sentence(each: Opportunity, words: Language) -> str:
    """The shape of the brake release, where braking is the matter."""
    if each.cause not in SHAPED or each.phase == "exit":
        return ""
    own_s, best_s = each.release_s, each.reference_release_s
    if own_s is None or best_s is None or each.release_diff_s is None:
        return words.say("release shape") if each.phase == "brake" else ""
    shape = words.say("release too short" if each.release_diff_s < 0.0 else "release too long")
    return words.say("release took", own=own_s, best=best_s, lap=each.against_lap, shape=shape)


KMH = 3.6
# Useful digits of each unit. The longest suffix that fits decides.
DIGITS: dict[str, int] = {
    "_utc_s": 0, "_s": 3, "_s_per_lap": 3, "_s_per_session": 3, "_m": 1, "_kmh": 1, "_g": 3, "_g_per_lap": 4,
    "_bar": 1, "_pct": 1, "_c": 1, "_dps": 0, "_deg": 1, "_deg_per_g": 1,
}  # fmt: skip
DEFAULT_DIGITS = 3
# Longer lists are cut.
MOST_ITEMS = 200


def plain(value: Any) -> Any:
    """Structs become objects, speeds in m/s become km/h (`*_mps` -> `*_kmh`), numbers are rounded by their
    unit, and what is not finite becomes None."""
    return _plain("", msgspec.to_builtins(value, str_keys=True))


def plain_name(key: str) -> str:
    """The key under which `plain` gives it."""
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
