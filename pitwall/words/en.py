"""English: what is heard. Phrases stand as behind "Turn seven: ", so only names begin with a capital."""

from __future__ import annotations

import re

from pitwall.words.forms import AdviceWords, Amount

VOICE = "gmw/en"

# What the coach says that is of no corner; the urgent first, since they are rendered in this order.
FIXED: dict[str, str] = {
    "oil_pressure": "Oil pressure! Engine off, pull over.",
    "coolant_hot": "Water too hot. Back off.",
    "oil_hot": "Oil too hot. Back off.",
    "gps_lost": "GPS lost.",
    "gps_back": "GPS is back.",
    "gps_flaky": "GPS comes and goes.",
    "gps_slow": "GPS too slow for advice, lap times only.",
    "no_track": "No track known, no corner calls.",
    "data_lost": "No data, timing paused.",
    "data_back": "Data is back.",
    "data_flaky": "Data comes and goes.",
    "can_lost": "Car data lost, coaching goes on.",
    "can_back": "Car data is back.",
    "can_flaky": "Car data comes and goes.",
    "store_lost": "Recording failed, coaching goes on.",
    "store_back": "Recording again.",
    "audio_back": "Sound is back.",
    "crew_box": "Box this lap.",
    "crew_box_now": "Box now.",
    "crew_push": "Push now.",
    "crew_save_fuel": "Save fuel.",
    "crew_yellow": "Yellow flag.",
    "crew_red": "Red flag. Slow down.",
    "crew_traffic": "Traffic behind.",
    "crew_target": "Target lap",
    "headset_lost": "Your headset is gone.",
    "imu_lost": "Motion sensor lost, coaching goes on.",
    "imu_back": "Motion sensor is back.",
    "imu_flaky": "Motion sensor comes and goes.",
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

# Behind a corner's name, after a pass that was the best of the drive.
AGAIN = "again, like that"

AMOUNTS: dict[Amount, str] = {
    "touch": "a little",
    "car_length": "a car length",
    "two_car_lengths": "two car lengths",
}
BEST_LAP = "Best lap"
# A corner that nobody has written of, behind its name.
SHAPES: dict[tuple[str, str], str] = {
    ("left", "tight"): "tight left", ("left", "medium"): "left", ("left", "open"): "open left",
    ("right", "tight"): "tight right", ("right", "medium"): "right", ("right", "open"): "open right",
}  # fmt: skip
BRAKING = "braking"

# What is advised, behind a corner's name: what to do, the same in fewer words, of a habit, what the
# given reference does, and one thing to try where only the loss is sure.
ADVICE: dict[str, AdviceWords] = {
    "stay_flat": AdviceWords(
        "stay on the throttle before it", "stay on it", "you lift early here, stay on it",
        "your reference stays on the throttle longer", "time goes before it, try to stay on it",
    ),
    "brake_later": AdviceWords(
        "brake {amount} later", "brake later", "you brake early here, brake later",
        "your reference brakes {amount} later here", "time goes on the way in, try to brake later",
    ),
    "no_coasting": AdviceWords(
        "stay on the throttle until you brake", "throttle, then brake",
        "you coast before you brake, stay on the throttle", "your reference does not coast before it brakes",
        "time goes on the way in, try not to coast",
    ),
    "brake_earlier": AdviceWords(
        "brake {amount} sooner, get the exit", "brake sooner", "you brake too late here, brake sooner",
        "your reference brakes {amount} sooner here",
        "time goes in the middle, try to brake sooner",
    ),
    "more_apex_speed": AdviceWords(
        "off the brake sooner, {amount} more in the middle", "more in the middle",
        "you slow too much here, carry more speed", "your reference has {amount} more in the middle",
        "time goes in the middle, try to carry more speed",
    ),
    "throttle_sooner": AdviceWords(
        "on the throttle {amount} sooner", "throttle sooner",
        "you wait with the throttle here, open it sooner",
        "your reference opens the throttle {amount} sooner",
        "time goes on the way out, try the throttle sooner",
    ),
    "throttle_once": AdviceWords(
        "open the throttle once, and stay on it", "throttle once",
        "you lift again on the way out, stay on it",
        "your reference stays on the throttle on the way out",
        "time goes on the way out, try the throttle once",
    ),
    "throttle_fully": AdviceWords(
        "open the throttle fully on the way out", "all the throttle",
        "you hold back on the way out, open it fully", "your reference opens the throttle fully sooner",
        "time goes on the way out, try all the throttle",
    ),
}  # fmt: skip
# What is said otherwise on a motorcycle.
BIKE_AMOUNTS = {key: said.replace("car", "bike") for key, said in AMOUNTS.items()}
BIKE_ADVICE: dict[str, AdviceWords] = {
    "more_apex_speed": AdviceWords(
        "let it roll, {amount} more in the middle", "let it roll",
        "you slow too much here, let it roll", "your reference has {amount} more in the middle",
        "time goes in the middle, try to let it roll",
    ),
    "no_coasting": AdviceWords(
        "gas until you brake", "gas, then brake", "you roll before you brake, stay on the gas",
        "your reference does not roll before it brakes", "time goes on the way in, try not to roll before it",
    ),
    "throttle_sooner": AdviceWords(
        "on the gas {amount} sooner", "gas sooner", "you wait with the gas here, open it sooner",
        "your reference opens the gas {amount} sooner", "time goes on the way out, try the gas sooner",
    ),
}  # fmt: skip
BIKE_ROLLED = ("let it roll, {amount} more in the middle", "let it roll")
# What is said of the middle of a corner that nobody brakes for.
ROLLED = ("{amount} more in the middle", "more in the middle")
# The most km/h or mph that a driver is asked for at once.
MOST_MORE = 8

# fmt: off
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
# fmt: on
_TENS = ("", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TURN = re.compile(r"turn_(\d+)_?([a-z]*)")


def number_words(number: int) -> str:
    """0..999 in words, larger numbers as digits: espeak-ng reads "3a" as "three ampere"."""
    if number >= 1000:
        return str(number)
    return " ".join(number_parts(number))


def number_parts(number: int) -> tuple[str, ...]:
    """0..999 as the clips it is joined from: hundreds, and what is left."""
    hundreds, rest = divmod(number, 100)
    if hundreds:
        return (f"{_ONES[hundreds]} hundred", *(number_parts(rest) if rest else ()))
    if rest < 20:
        return (_ONES[rest],)
    tens, ones = divmod(rest, 10)
    return (_TENS[tens] + (f" {_ONES[ones]}" if ones else ""),)


def spoken_name(corner_id: str) -> str:
    """Return a corner's id as a driver says it: `turn_3a` is "turn three A"."""
    if turn := _TURN.fullmatch(corner_id):
        return f"turn {number_words(int(turn[1]))}" + (f" {turn[2].upper()}" if turn[2] else "")
    return "the " + " ".join(part.capitalize() for part in corner_id.split("_"))


def lap_time_parts(tenths: int) -> tuple[str, ...]:
    """1:52.3 is "one", "fifty two", "point three"; 1:05.3 is "one", "oh five", "point three"."""
    minutes, rest = divmod(tenths, 600)
    seconds, tenth = divmod(rest, 10)
    if not minutes:
        return (number_words(seconds), f"point {_ONES[tenth]}")
    said = f"oh {_ONES[seconds] if seconds else 'oh'}" if seconds < 10 else number_words(seconds)
    return (*number_parts(minutes), said, f"point {_ONES[tenth]}")


def delta_parts(tenths: int) -> tuple[str, ...]:
    """Above 0 is slower: 3 is "three", "tenths slower"; -12 is "one", "point two", "faster"; 10 is
    "one", "second slower"."""
    way = "slower" if tenths > 0 else "faster"
    whole, tenth = divmod(abs(tenths), 10)
    if whole and not tenth:
        return (*number_parts(whole), f"{'second' if whole == 1 else 'seconds'} {way}")
    if whole:
        return (*number_parts(whole), f"point {_ONES[tenth]}", way)
    return (_ONES[tenth], f"{'tenth' if tenth == 1 else 'tenths'} {way}") if tenth else ("level",)


def number_clips() -> tuple[str, ...]:
    """Return every part that a number is joined from."""
    below_hundred = [number_words(number) for number in range(100)]
    hundreds = [number_words(number) for number in range(100, 1000, 100)]
    oh = ["oh oh", *(f"oh {_ONES[digit]}" for digit in range(1, 10))]
    points = [f"point {_ONES[digit]}" for digit in range(10)]
    units = ("tenth ", "tenths ", "second ", "seconds ", "")
    ways = [f"{unit}{way}" for way in ("faster", "slower") for unit in units]
    return (*below_hundred, *hundreds, *oh, *points, *ways, "level")
