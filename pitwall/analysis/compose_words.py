"""The words that composed sentences share: names, amounts, lists, plain endings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from pitwall.analysis.opportunities import Cause, Opportunity
from pitwall.analysis.places import Place

PHASES: dict[str, str] = {
    "approach": "on the way in",
    "brake": "on the brakes",
    "turn_in": "at turn-in",
    "apex": "in the middle",
    "exit": "on the way out",
}

PURPOSES = {"focus": "only for", "repeat the same lap": "the same every time, above all at"}

# What the figures say, then what to do. Fields that are missing drop their clause, see `observed`.
ADVICE: dict[Cause, str] = {
    "brakes early": "Move the mark forward a car length at a time, and keep the same first squeeze.",
    "brakes late": "Brake where that lap did: the speed you carry past it is taken back at the apex.",
    "coasts": "One foot is always working: hold the throttle to the mark, then go straight to the brake.",
    "releases abruptly": "Keep the first squeeze, and take twice as long to let it go.",
    "drags the brake": "Brake as hard as you do now, and begin to let go sooner.",
    "enters slowly": "Same mark, same first squeeze; start the release sooner and let the car roll in.",
    "over-slows": "Leave the brake mark where it is, and give speed back by releasing sooner.",
    "late on the throttle": "Wait with the turn-in if you must, but once it is open keep it open.",
    "slow exit": "Unwind the wheel as the throttle opens and use all the road on the way out.",
    "line": "No pedal explains it: look at where you turn in, and drive the line of your best lap.",
}
KEEP_MARK = "Leave the brake mark where it is."
# The two ways in which a release goes wrong, and the shape where the figures name none.
TOO_SHORT = "squeeze once, then bleed it off in one long, even release that ends at the apex, not at turn-in"
TOO_LONG = "same first squeeze, then begin to let go sooner, in one straight, even release down to nothing"
SHAPE = "The shape of the release: one firm squeeze, then evenly off, the last of it at the apex."
SHAPED: frozenset[Cause] = frozenset({
    "brakes early", "brakes late", "coasts", "releases abruptly", "drags the brake", "enters slowly",
    "over-slows",
})  # fmt: skip


def lap_time(seconds: float) -> str:
    """`1:51.937`, or `58.204` under a minute."""
    minutes, rest = divmod(round(seconds, 3), 60.0)
    return f"{int(minutes)}:{rest:06.3f}" if minutes else f"{rest:.3f}"


def laps_named(numbers: Sequence[int]) -> str:
    """`lap 4`, `laps 4 and 6`, `laps 4 to 7`."""
    ordered = sorted(numbers)
    if len(ordered) == 1:
        return f"lap {ordered[0]}"
    if len(ordered) > 2 and ordered[-1] - ordered[0] == len(ordered) - 1:
        return f"laps {ordered[0]} to {ordered[-1]}"
    return f"laps {joined([str(number) for number in ordered])}"


def joined(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def corner_name(corner: str, places: dict[str, Place]) -> str:
    """The corner's name as the track file has it, else its id made readable."""
    return places[corner].name if corner in places else corner.replace("_", " ").capitalize()


def mark_sentence(corner: str, places: dict[str, Place]) -> str:
    """The landmarks to drive by, "" where the track file has none there."""
    marks = places[corner].landmarks if corner in places else ()
    return (
        f"Marks to hang it on: {joined(marks)}. "
        if len(marks) > 1
        else f"Your mark is {marks[0]}. "
        if marks
        else ""
    )


def observed(each: Opportunity, reference_lap: int | None) -> str:
    """What the figures say, one sentence; only those over their noise floor are there."""
    said = []
    if each.brake_shift_m is not None and each.phase != "exit":
        way = "sooner" if each.brake_shift_m < 0.0 else "later"
        said.append(f"you brake {abs(each.brake_shift_m):.0f} m {way}")
    if each.coast_diff_s is not None and each.coast_diff_s > 0.0:
        said.append(f"roll {each.coast_diff_s:.1f} s longer off both pedals")
    if each.throttle_shift_m is not None and each.throttle_shift_m > 0.0 and each.phase == "exit":
        said.append(f"open the throttle {each.throttle_shift_m:.0f} m later")
    speeds = (
        ("turn in", each.entry_speed_diff_mps, each.phase in ("brake", "turn_in")),
        ("are", each.min_speed_diff_mps, True),
        ("leave", each.exit_speed_diff_mps, each.phase == "exit" and each.run_speed_diff_mps is None),
    )
    for verb, diff_mps, wanted in speeds:
        if wanted and diff_mps is not None:
            way = "slower" if diff_mps < 0.0 else "faster"
            where = " at the slowest point" if verb == "are" else ""
            said.append(f"{verb} {abs(diff_mps) * KMH:.0f} km/h {way}{where}")
    run_mps = each.run_speed_diff_mps
    if each.phase == "exit" and run_mps is not None and run_mps < 0.0:
        said.append(f"carry {abs(run_mps) * KMH:.0f} km/h less onto the straight")
    if not said:
        return ""
    first = said[0] if said[0].startswith("you") else f"you {said[0]}"
    return f"Against lap {reference_lap} {joined([first, *said[1:]])}. "


def advice(each: Opportunity) -> str:
    """What to do about the cause. Where the release sentence follows, this does not repeat it."""
    told = each.release_diff_s is not None and each.phase != "exit"
    return KEEP_MARK if told and each.cause in ("over-slows", "enters slowly") else ADVICE[each.cause]


def release_sentence(each: Opportunity, reference_lap: int | None) -> str:
    """The shape of the brake release, where braking is the matter."""
    if each.cause not in SHAPED or each.phase == "exit":
        return ""
    own_s, best_s = each.release_s, each.reference_release_s
    if own_s is None or best_s is None or each.release_diff_s is None:
        return f" {SHAPE}" if each.phase == "brake" else ""
    shape = TOO_SHORT if each.release_diff_s < 0.0 else TOO_LONG
    took = f" You took {own_s:.1f} s to come off the pedal, in lap {reference_lap} it was {best_s:.1f} s"
    return f"{took}: {shape}."


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
        return round(scaled, _digits(plain_name(key))) + 0.0
    return value


def _digits(key: str) -> int:
    fitting = [suffix for suffix in DIGITS if key.endswith(suffix)]
    return DIGITS[max(fitting, key=len)] if fitting else DEFAULT_DIGITS
