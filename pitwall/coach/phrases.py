"""Every sentence that is not in a voice script: system messages, praise, and plain scripts for any corner."""

from __future__ import annotations

from pitwall.track.model import Corner

# What the coach says when no corner is meant; the urgent first, since they are rendered in this order.
FIXED: dict[str, str] = {
    "oil_pressure": "Oil pressure! Engine off, pull over.",
    "coolant_hot": "Water too hot. Back off.",
    "oil_hot": "Oil too hot. Back off.",
    "gps_lost": "GPS lost, lap timing paused.",
    "gps_back": "GPS is back.",
    "no_track": "No track known, no corner calls.",
    "data_lost": "No data, timing paused.",
    "data_back": "Data is back.",
    "can_lost": "Car data lost, no braking calls.",
    "can_back": "Car data is back.",
    "store_lost": "Recording failed, coaching goes on.",
    "store_back": "Recording again.",
    "audio_back": "Sound is back.",
    "imu_lost": "Motion sensor lost, coaching goes on.",
    "imu_back": "Motion sensor is back.",
    "disk_low": "Storage low, coaching goes on.",
    "disk_back": "Storage is free again.",
    "phone_low": "Phone hot or battery low.",
    "phone_back": "Phone is fine again.",
}

# For a corner nobody has written a script for: true of any corner, and it names the corner.
PLAIN: dict[str, str] = {
    "approach": "{name} is next",
    "brake": "Brake for {name}",
    "brake_short": "Brake",
    "turn_in": "Be patient, then turn in",
    "turn_in_short": "Patience",
    "apex": "Carry more speed here",
    "apex_short": "More speed",
    "exit": "Earlier on the throttle",
    "exit_short": "Throttle",
}

PRAISE = "{name}, much better."

# fmt: off
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
# fmt: on
_TENS = ("zero", "ten", "twenty", "thirty", "forty", "fifty")


def number_words(number: int) -> str:
    """0..59 in words, larger numbers as digits: espeak-ng reads "3a" as "three ampere" and the like."""
    if number < 20:
        return _ONES[number]
    if number < 60:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (f" {_ONES[ones]}" if ones else "")
    return str(number)


def spoken_name(corner_id: str) -> str:
    """A corner's id as a driver says it: `turn_3a` is "turn three A", `carousel` is "the Carousel"."""
    kind, _, rest = corner_id.partition("_")
    digits = rest.rstrip("abcdefghijklmnopqrstuvwxyz_")
    if kind == "turn" and digits.isdigit():
        letter = rest[len(digits) :].strip("_")
        return f"turn {number_words(int(digits))}" + (f" {letter.upper()}" if letter else "")
    return "the " + " ".join(part.capitalize() for part in corner_id.split("_"))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def plain_script(corner: Corner) -> dict[str, str]:
    """The script of a corner that has none of its own, in the form of a script file."""
    name = spoken_name(corner.id)
    return {key: _sentence(text.format(name=name)) for key, text in PLAIN.items()}


def praise(corner_id: str) -> str:
    """What a driver hears once when a corner he was coached in is cured."""
    return _sentence(PRAISE.format(name=spoken_name(corner_id)))
