"""English: what is heard. Phrases stand as behind "Turn seven: ", so only names begin with a capital."""

from __future__ import annotations

import re

from pitwall.words.forms import Amount, ConceptWords, Level

VOICE = "gmw/en"

# What the coach says when no corner is meant; the urgent first, since they are rendered in this order.
FIXED: dict[str, str] = {
    "oil_pressure": "Oil pressure! Engine off, pull over.",
    "coolant_hot": "Water too hot. Back off.",
    "oil_hot": "Oil too hot. Back off.",
    "gps_lost": "GPS lost.",
    "gps_back": "GPS is back.",
    "gps_flaky": "GPS comes and goes.",
    "gps_moved": "GPS moved three metres today: line advice is off.",
    "tyres": "Tyres are going, be smooth.",
    "no_track": "No track known, no corner calls.",
    "data_lost": "No data, timing paused.",
    "data_back": "Data is back.",
    "data_flaky": "Data comes and goes.",
    "can_lost": "Car data lost, no braking calls.",
    "can_back": "Car data is back.",
    "can_flaky": "Car data comes and goes.",
    "store_lost": "Recording failed, coaching goes on.",
    "store_back": "Recording again.",
    "audio_back": "Sound is back.",
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

PRAISE = "{name}, much better."
# Behind a corner's name; behind an `after` that was cured before; before an `after` of an earlier day.
HEEDED, RELAPSE, LAST_TIME = "much better", "again", "last time"

AMOUNTS: dict[Amount, str] = {
    "touch": "a touch",
    "car_length": "a car length",
    "two_car_lengths": "two car lengths",
}

# What is told as a fact behind a corner's name, whole, and in fewer words: what the driver's own best pass
# did otherwise.
BEST: dict[str, tuple[str, str]] = {
    "brake_later": ("your best braked {amount} later", "best later"),
    "brake_earlier": ("your best braked {amount} earlier", "best earlier"),
    "release_sooner": ("your best let the brake go sooner", "best released sooner"),
    "no_coasting": ("your best went straight from throttle to brake", "best did not coast"),
    "more_speed": ("your best kept more speed in the middle", "best rolled faster"),
    "throttle_sooner": ("your best opened the throttle {amount} sooner", "best: throttle sooner"),
    "flat_sooner": ("your best was flat sooner", "best: flat sooner"),
    "brake": ("your best was quicker on the way in", "best was quicker in"),
    "apex": ("your best was quicker in the middle", "best was quicker there"),
    "exit": ("your best was quicker on the way out", "best was quicker out"),
    "to_apex": ("your best was quicker up to the middle", "best quicker to the middle"),
    "from_apex": ("your best was quicker from the middle on", "best quicker from there"),
    # What no lap needs, whatever the best pass did.
    "waiting": ("stay on the throttle until you brake", "throttle, then brake"),
    "two_pedals": ("one pedal at a time", "one pedal"),
    "second_dab": ("press the brake once", "brake once"),
    "straight_lift": ("stay flat on the straight before it", "flat before it"),
    "part_throttle": ("all the throttle on the straight after it", "flat after it"),
}
# Behind a corner's name and a time; what a called pass won, as told and otherwise: before the time, and
# alone.
LOST: dict[str, str] = {
    "brake": "lost on the way in", "apex": "lost in the middle", "exit": "lost on the way out",
}  # fmt: skip
BEST_LAP = "Best lap"
# A corner that nobody has written of, behind its name.
SHAPES: dict[tuple[str, str], str] = {
    ("left", "tight"): "tight left", ("left", "medium"): "left", ("left", "open"): "open left",
    ("right", "tight"): "tight right", ("right", "medium"): "right", ("right", "open"): "open right",
}  # fmt: skip
BRAKING = "braking"
DONE: dict[bool, tuple[str, str]] = {True: ("done,", "done"), False: ("better by", "better")}
TENTHS: tuple[str, ...] = (
    "a tenth", "two tenths", "three tenths", "four tenths", "five tenths", "six tenths", "seven tenths",
    "eight tenths", "nine tenths", "a second", "over a second",
)  # fmt: skip
# Behind what to do: what it cost not to. Of the past, so that nobody takes it for the price of doing it.
COST = "you lost {amount}"

# before, short, after, again
CONCEPTS: dict[str, ConceptWords] = {
    "brake_earlier": ConceptWords(
        "brake earlier, {amount}", "brake earlier", "braked {amount} late", "on the brakes {amount} sooner"
    ),
    "brake_later": ConceptWords(
        "brake later, {amount}", "brake later", "braked {amount} early", "wait {amount} longer, then brake"
    ),
    "brake_lighter": ConceptWords(
        "lighter on the brake", "lighter brake", "braked too hard", "less pressure on the pedal"
    ),
    "brake_harder": ConceptWords(
        "brake harder at first", "brake harder", "braked too softly", "more pressure, right at the start"
    ),
    "brake_once": ConceptWords(
        "one squeeze on the brake", "one squeeze", "braked in two bites", "brake once, hold it, release"
    ),
    "release_sooner": ConceptWords(
        "release the brake sooner", "release sooner", "held the brake too long", "let the pedal up earlier"
    ),
    "release_smoother": ConceptWords(
        "release the brake smoothly", "smooth release", "let the brake go abruptly",
        "twice as long to release",
    ),
    "trail_longer": ConceptWords(
        "trail the brake in longer", "trail longer", "off the brake too soon", "a little brake to the apex"
    ),
    "no_coasting": ConceptWords(
        "straight from throttle to brake", "no coasting", "coasted before the brakes",
        "keep the throttle until you brake",
    ),
    "turn_in_earlier": ConceptWords(
        "turn in earlier, {amount}", "turn in earlier", "turned in {amount} late",
        "start turning {amount} sooner",
    ),
    "turn_in_later": ConceptWords(
        "turn in later, {amount}", "turn in later", "turned in {amount} early",
        "wait {amount} longer, then turn",
    ),
    "wider_entry": ConceptWords(
        "come in wider", "wider in", "came in too narrow", "use all the road before turning"
    ),
    "later_apex": ConceptWords(
        "take a later apex", "later apex", "apexed too early", "meet the inside further round"
    ),
    "clip_apex": ConceptWords(
        "clip the apex", "to the apex", "missed the apex", "closer to the inside kerb"
    ),
    "more_apex_speed": ConceptWords(
        "carry more speed at the apex", "more speed", "slow at the apex", "roll faster through the middle"
    ),
    "over_slowed": ConceptWords(
        "take less speed off", "slow it less", "slowed too much", "bring more speed into the corner"
    ),
    "understeer": ConceptWords(
        "less wheel, wait for the front", "less wheel", "the front pushed wide",
        "a touch slower in, then turn",
    ),
    "oversteer": ConceptWords(
        "quiet hands, gentle throttle", "gentle throttle", "the rear stepped out",
        "straighten the wheel, then throttle",
    ),
    "fewer_corrections": ConceptWords(
        "one smooth turn of the wheel", "quiet hands", "sawed at the wheel", "turn the wheel once, hold it"
    ),
    "throttle_sooner": ConceptWords(
        "throttle sooner, {amount}", "throttle sooner", "throttle came {amount} late",
        "pick up the throttle {amount} earlier",
    ),
    "throttle_fully": ConceptWords(
        "get to full power sooner", "full power sooner", "full power came late",
        "the whole pedal earlier",
    ),
    "throttle_smoother": ConceptWords(
        "squeeze the throttle on", "squeeze it on", "throttle came in a stab", "feed the throttle in slowly"
    ),
    "throttle_once": ConceptWords(
        "throttle once, and stay on it", "stay on it", "lifted again on the way out",
        "wait until you can stay on it",
    ),
    "use_exit": ConceptWords(
        "use all the road out", "use the exit", "left road unused at the exit", "let it run out to the kerb"
    ),
    "unpinch_exit": ConceptWords(
        "unwind the wheel on the way out", "unwind", "pinched the exit", "open the wheel with the throttle"
    ),
    "less_lift": ConceptWords(
        "lift less here", "lift less", "lifted more than needed", "keep more throttle through here"
    ),
    "flat_possible": ConceptWords(
        "this goes flat", "flat here", "it could have been flat", "try it without the lift"
    ),
    "gear_up": ConceptWords(
        "one gear higher", "gear up", "in too low a gear", "shift up before this corner"
    ),
    "gear_down": ConceptWords(
        "one gear lower", "gear down", "in too high a gear", "shift down once more"
    ),
    "consistency": ConceptWords(
        "brake at one mark, every lap", "one brake mark", "braked at another mark again",
        "choose one mark and keep it",
    ),
    "out_lap": ConceptWords(
        "warm tyres and brakes first", "easy, cold tyres", "took the out lap too hard",
        "build it up, tyres are cold",
    ),
    "fuel_low": ConceptWords(
        "fuel is low, come in soon", "low fuel", "the fuel is low", "come in soon, fuel is low"
    ),
}  # fmt: skip

# What replaces a row above for one level.
BY_LEVEL: dict[Level, dict[str, ConceptWords]] = {
    "beginner": {
        "brake_lighter": ConceptWords(
            "press the brake less hard", "press less hard", "pressed the brake too hard",
            "a softer foot on the brake",
        ),
        "brake_harder": ConceptWords(
            "press the brake harder at first", "press harder", "pressed the brake too softly",
            "a firmer foot, right at the start",
        ),
        "brake_once": ConceptWords(
            "press the brake once, keep it", "press once", "pressed the brake twice",
            "all the braking in one go",
        ),
        "release_sooner": ConceptWords(
            "come off the brake earlier", "off earlier", "stayed on the brake too long",
            "lift your brake foot sooner",
        ),
        "release_smoother": ConceptWords(
            "let the brake go slowly", "let go slowly", "let the brake go suddenly",
            "count two while you let go",
        ),
        "trail_longer": ConceptWords(
            "keep light brake as you turn", "keep light brake", "let the brake go before the turn",
            "ease off the brake while turning",
        ),
        "no_coasting": ConceptWords(
            "stay on throttle until you brake", "no coasting", "rolled with both feet idle",
            "straight from throttle to brake",
        ),
        "wider_entry": ConceptWords(
            "start from the outside edge", "start wider", "started too far inside",
            "all the road before the turn",
        ),
        "later_apex": ConceptWords(
            "touch the inside later", "inside later", "came to the inside too early",
            "stay outside a little longer",
        ),
        "clip_apex": ConceptWords(
            "get closer to the inside", "closer inside", "stayed too far from the inside",
            "aim for the inside kerb",
        ),
        "more_apex_speed": ConceptWords(
            "keep more speed in the middle", "more speed", "slow in the middle",
            "roll faster through the middle",
        ),
        "over_slowed": ConceptWords(
            "keep more speed going in", "keep more speed", "slowed down too much",
            "less braking, same brake point",
        ),
        "understeer": ConceptWords(
            "turn the wheel less, be patient", "less wheel", "the car ran wide", "slower in, then turn"
        ),
        "oversteer": ConceptWords(
            "gentle throttle, quiet hands", "gentle throttle", "the rear slid",
            "wheel straight, then throttle",
        ),
        "unpinch_exit": ConceptWords(
            "open the wheel going out", "open the wheel", "held it too tight going out",
            "let the wheel come straight",
        ),
        "flat_possible": ConceptWords(
            "you can stay on throttle here", "stay on throttle", "lifted where you need not",
            "try a smaller lift, then none",
        ),
    },
    "expert": {
        "trail_longer": ConceptWords(
            "trail it deeper", "trail deeper", "off the brake too soon", "carry brake to the apex"
        ),
        "release_sooner": ConceptWords(
            "release sooner", "off sooner", "hung on the brake", "start the release earlier"
        ),
        "more_apex_speed": ConceptWords(
            "higher minimum speed", "more minimum", "minimum speed was low", "roll it faster at the apex"
        ),
        "over_slowed": ConceptWords(
            "raise the minimum speed", "slow it less", "over-slowed it", "bring more speed in"
        ),
    },
}  # fmt: skip

# fmt: off
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
# fmt: on
_TENS = ("", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TURN = re.compile(r"turn_(\d+)_?([a-z]*)")


def number_words(number: int) -> str:
    """0..999 in words, larger numbers as digits: espeak-ng reads "3a" as "three ampere" and the like."""
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
    """A corner's id as a driver says it: `turn_3a` is "turn three A", `carousel` is "the Carousel"."""
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
    """Above 0 is slower: 3 is "three", "tenths slower"; -12 is "one", "point two", "faster"; 10 is "one",
    "second slower"."""
    way = "slower" if tenths > 0 else "faster"
    whole, tenth = divmod(abs(tenths), 10)
    if whole and not tenth:
        return (*number_parts(whole), f"{'second' if whole == 1 else 'seconds'} {way}")
    if whole:
        return (*number_parts(whole), f"point {_ONES[tenth]}", way)
    return (_ONES[tenth], f"{'tenth' if tenth == 1 else 'tenths'} {way}") if tenth else ("level",)


def number_clips() -> tuple[str, ...]:
    """Every part that a number is joined from."""
    below_hundred = [number_words(number) for number in range(100)]
    hundreds = [number_words(number) for number in range(100, 1000, 100)]
    oh = ["oh oh", *(f"oh {_ONES[digit]}" for digit in range(1, 10))]
    points = [f"point {_ONES[digit]}" for digit in range(10)]
    units = ("tenth ", "tenths ", "second ", "seconds ", "")
    ways = [f"{unit}{way}" for way in ("faster", "slower") for unit in units]
    return (*below_hundred, *hundreds, *oh, *points, *ways, "level")
