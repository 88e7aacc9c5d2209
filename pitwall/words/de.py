"""German: what is heard. Phrases stand as behind "Kurve sieben: ", as a track coach says them."""

from __future__ import annotations

import re

from pitwall.words.forms import Amount, ConceptWords, Level

VOICE = "gmw/de"

FIXED: dict[str, str] = {
    "oil_pressure": "Öldruck! Motor aus, anhalten.",
    "coolant_hot": "Wasser zu heiß. Tempo raus.",
    "oil_hot": "Öl zu heiß. Tempo raus.",
    "gps_lost": "GPS weg, Zeitnahme pausiert.",
    "gps_back": "GPS ist wieder da.",
    "gps_moved": "GPS um drei Meter gewandert: keine Linienhinweise.",
    "tyres": "Die Reifen lassen nach, fahr weich.",
    "no_track": "Strecke unbekannt, keine Ansagen zu Kurven.",
    "data_lost": "Keine Daten, Zeitnahme pausiert.",
    "data_back": "Daten sind wieder da.",
    "can_lost": "Fahrzeugdaten weg, keine Ansagen zum Bremsen.",
    "can_back": "Fahrzeugdaten sind wieder da.",
    "store_lost": "Aufzeichnung gestört, Ansagen gehen weiter.",
    "store_back": "Aufzeichnung läuft wieder.",
    "audio_back": "Ton ist wieder da.",
    "imu_lost": "Bewegungssensor weg, Ansagen gehen weiter.",
    "imu_back": "Bewegungssensor ist wieder da.",
    "disk_low": "Speicher knapp, Ansagen gehen weiter.",
    "disk_back": "Speicher ist wieder frei.",
    "phone_low": "Handy zu heiß oder Akku schwach.",
    "phone_back": "Handy ist wieder in Ordnung.",
}

PLAIN: dict[str, str] = {
    "approach": "Als Nächstes {name}",
    "brake": "Bremsen für {name}",
    "brake_short": "Bremsen",
    "turn_in": "Geduld, dann einlenken",
    "turn_in_short": "Geduld",
    "apex": "Hier mehr Tempo mitnehmen",
    "apex_short": "Mehr Tempo",
    "exit": "Früher ans Gas",
    "exit_short": "Gas",
}

PRAISE = "{name}, viel besser."
HEEDED, RELAPSE, LAST_TIME = "viel besser", "schon wieder", "letztes Mal"

AMOUNTS: dict[Amount, str] = {
    "touch": "einen Tick",
    "car_length": "eine Wagenlänge",
    "two_car_lengths": "zwei Wagenlängen",
}

# Was der eigene beste Durchgang anders machte, hinter dem Namen der Kurve: ganz, und kurz.
BEST: dict[str, tuple[str, str]] = {
    "brake_later": ("dein bester bremste {amount} später", "bester später"),
    "brake_earlier": ("dein bester bremste {amount} früher", "bester früher"),
    "release_sooner": ("dein bester löste die Bremse früher", "bester löste früher"),
    "no_coasting": ("dein bester ging direkt vom Gas auf die Bremse", "bester rollte nicht"),
    "more_speed": ("dein bester war in der Mitte schneller", "bester war schneller"),
    "throttle_sooner": ("dein bester war {amount} früher am Gas", "bester: früher Gas"),
    "flat_sooner": ("dein bester war früher auf Vollgas", "bester: früher Vollgas"),
    "brake": ("dein bester war beim Anbremsen schneller", "bester bremste besser"),
    "apex": ("dein bester war in der Mitte schneller", ""),
    "exit": ("dein bester war am Ausgang schneller", "bester kam besser raus"),
    "to_apex": ("dein bester war bis zur Mitte schneller", "bester kam besser rein"),
    "from_apex": ("dein bester war ab der Mitte schneller", "bester schneller ab da"),
    "waiting": ("am Gas bleiben, bis du bremst", "Gas, dann Bremse"),
    "two_pedals": ("nur ein Pedal auf einmal", "nur ein Pedal"),
    "second_dab": ("nur einmal auf die Bremse", "einmal bremsen"),
    "straight_lift": ("auf der Geraden davor voll am Gas bleiben", "davor Vollgas"),
    "part_throttle": ("auf der Geraden danach Vollgas", "danach Vollgas"),
}
# Hinter dem Namen der Kurve und einer Zeit; vor der Zeit, die ein angesagter Durchgang gewann.
LOST: dict[str, str] = {
    "brake": "beim Anbremsen verloren", "apex": "in der Mitte verloren", "exit": "am Ausgang verloren",
}  # fmt: skip
BEST_LAP = "Beste Runde"
# Eine Kurve, von der niemand geschrieben hat, hinter ihrem Namen.
SHAPES: dict[tuple[str, str], str] = {
    ("left", "tight"): "eng links", ("left", "medium"): "links", ("left", "open"): "weit links",
    ("right", "tight"): "eng rechts", ("right", "medium"): "rechts", ("right", "open"): "weit rechts",
}  # fmt: skip
BRAKING = "bremsen"
DONE: dict[bool, tuple[str, str]] = {True: ("geschafft,", "geschafft"), False: ("besser um", "besser")}
TENTHS: tuple[str, ...] = (
    "ein Zehntel", "zwei Zehntel", "drei Zehntel", "vier Zehntel", "fünf Zehntel", "sechs Zehntel",
    "sieben Zehntel", "acht Zehntel", "neun Zehntel", "eine Sekunde", "über eine Sekunde",
)  # fmt: skip
# Hinter dem, was zu tun ist: was der Fehler gekostet hat.
COST = "{amount} verloren"

CONCEPTS: dict[str, ConceptWords] = {
    "brake_earlier": ConceptWords(
        "{amount} früher bremsen", "früher bremsen", "{amount} zu spät gebremst",
        "{amount} eher auf die Bremse",
    ),
    "brake_later": ConceptWords(
        "{amount} später bremsen", "später bremsen", "{amount} zu früh gebremst",
        "{amount} länger warten, dann bremsen",
    ),
    "brake_lighter": ConceptWords(
        "weniger fest bremsen", "sanfter bremsen", "zu fest gebremst", "weniger Druck aufs Pedal"
    ),
    "brake_harder": ConceptWords(
        "am Anfang fester bremsen", "fester bremsen", "zu zaghaft gebremst", "gleich zu Beginn mehr Druck"
    ),
    "brake_once": ConceptWords(
        "in einem Zug bremsen", "in einem Zug", "in zwei Stufen gebremst", "einmal bremsen, halten, lösen"
    ),
    "release_sooner": ConceptWords(
        "die Bremse früher lösen", "früher lösen", "zu lange auf der Bremse", "eher runter von der Bremse"
    ),
    "release_smoother": ConceptWords(
        "die Bremse weich lösen", "weich lösen", "die Bremse abrupt gelöst", "doppelt so lange lösen"
    ),
    "trail_longer": ConceptWords(
        "länger in die Kurve hineinbremsen", "länger hineinbremsen", "zu früh von der Bremse",
        "etwas Bremse bis zum Scheitelpunkt",
    ),
    "no_coasting": ConceptWords(
        "direkt vom Gas auf die Bremse", "nicht rollen lassen", "vor dem Bremsen gerollt",
        "bis zum Bremspunkt am Gas bleiben",
    ),
    "turn_in_earlier": ConceptWords(
        "{amount} früher einlenken", "früher einlenken", "{amount} zu spät eingelenkt",
        "{amount} eher in die Kurve",
    ),
    "turn_in_later": ConceptWords(
        "{amount} später einlenken", "später einlenken", "{amount} zu früh eingelenkt",
        "{amount} länger warten, dann einlenken",
    ),
    "wider_entry": ConceptWords(
        "weiter außen anfahren", "weiter außen", "zu eng angefahren", "vor der Kurve ganz nach außen"
    ),
    "later_apex": ConceptWords(
        "den Scheitelpunkt später treffen", "späterer Scheitel", "zu früh am Scheitelpunkt",
        "erst später nach innen ziehen",
    ),
    "clip_apex": ConceptWords(
        "bis an den Scheitelpunkt", "an den Scheitel", "am Scheitelpunkt vorbei",
        "näher an den inneren Randstein",
    ),
    "more_apex_speed": ConceptWords(
        "mehr Tempo am Scheitelpunkt", "mehr Tempo", "zu langsam am Scheitelpunkt",
        "mit mehr Schwung durch die Mitte",
    ),
    "over_slowed": ConceptWords(
        "weniger Tempo herausnehmen", "mehr Tempo behalten", "zu viel Tempo herausgenommen",
        "mehr Tempo in die Kurve mitnehmen",
    ),
    "understeer": ConceptWords(
        "weniger lenken, Vorderachse abwarten", "weniger lenken", "über die Vorderachse geschoben",
        "einen Tick langsamer hinein, dann lenken",
    ),
    "oversteer": ConceptWords(
        "ruhige Hände, sanft ans Gas", "sanft ans Gas", "das Heck kam herum", "erst Lenkung auf, dann Gas"
    ),
    "fewer_corrections": ConceptWords(
        "einmal sauber einlenken", "ruhige Hände", "am Lenkrad gesägt", "einmal lenken, ruhig halten"
    ),
    "throttle_sooner": ConceptWords(
        "{amount} früher ans Gas", "früher ans Gas", "{amount} zu spät am Gas", "{amount} eher Gas geben"
    ),
    "throttle_fully": ConceptWords(
        "früher Vollgas", "früher Vollgas", "zu spät Vollgas", "eher voll aufs Gas"
    ),
    "throttle_smoother": ConceptWords(
        "das Gas weich aufziehen", "weich ans Gas", "zu ruckartig am Gas", "mit Gefühl ans Gas"
    ),
    "throttle_once": ConceptWords(
        "einmal Gas, dann draufbleiben", "draufbleiben", "am Ausgang noch einmal gelupft",
        "warten, bis du draufbleiben kannst",
    ),
    "use_exit": ConceptWords(
        "am Ausgang die ganze Breite nutzen", "ganz hinaustragen lassen", "am Ausgang Platz verschenkt",
        "bis zum äußeren Randstein hinaustragen lassen",
    ),
    "unpinch_exit": ConceptWords(
        "am Ausgang die Lenkung öffnen", "Lenkung öffnen", "am Ausgang zu eng gehalten",
        "mit dem Gas die Lenkung öffnen",
    ),
    "less_lift": ConceptWords(
        "hier weniger lupfen", "weniger lupfen", "mehr gelupft als nötig", "hier mehr Gas stehen lassen"
    ),
    "flat_possible": ConceptWords(
        "das geht voll", "geht voll", "das wäre voll gegangen", "hier ohne Lupfen versuchen"
    ),
    "gear_up": ConceptWords(
        "einen Gang höher", "Gang höher", "im zu kleinen Gang", "vor der Kurve hochschalten"
    ),
    "gear_down": ConceptWords(
        "einen Gang tiefer", "Gang tiefer", "im zu großen Gang", "noch einmal herunterschalten"
    ),
    "consistency": ConceptWords(
        "jede Runde am selben Punkt bremsen", "ein Bremspunkt", "wieder woanders gebremst",
        "einen Punkt wählen und halten",
    ),
    "out_lap": ConceptWords(
        "erst Reifen und Bremsen aufwärmen", "ruhig, kalte Reifen", "die erste Runde zu hart gefahren",
        "langsam steigern, die Reifen sind kalt",
    ),
    "fuel_low": ConceptWords(
        "wenig Sprit, bald hereinkommen", "wenig Sprit", "der Sprit ist knapp",
        "bald hereinkommen, der Sprit ist knapp",
    ),
}  # fmt: skip

BY_LEVEL: dict[Level, dict[str, ConceptWords]] = {
    "beginner": {
        "brake_lighter": ConceptWords(
            "weniger fest aufs Bremspedal", "weniger fest", "zu fest aufs Bremspedal getreten",
            "mit weicherem Fuß bremsen",
        ),
        "brake_harder": ConceptWords(
            "am Anfang fester aufs Bremspedal", "fester treten", "zu zaghaft aufs Bremspedal getreten",
            "gleich zu Beginn kräftig bremsen",
        ),
        "brake_once": ConceptWords(
            "nur einmal aufs Bremspedal", "nur einmal", "zweimal aufs Bremspedal getreten",
            "alles in einem Zug bremsen",
        ),
        "release_sooner": ConceptWords(
            "früher von der Bremse gehen", "früher lösen", "zu lange auf der Bremse geblieben",
            "den Bremsfuß eher heben",
        ),
        "release_smoother": ConceptWords(
            "die Bremse langsam loslassen", "langsam loslassen", "die Bremse plötzlich losgelassen",
            "beim Loslassen bis zwei zählen",
        ),
        "trail_longer": ConceptWords(
            "beim Einlenken leicht weiterbremsen", "leicht weiterbremsen",
            "vor dem Einlenken die Bremse losgelassen", "beim Lenken langsam die Bremse lösen",
        ),
        "no_coasting": ConceptWords(
            "bis zum Bremsen am Gas bleiben", "nicht rollen lassen", "ohne Gas und Bremse gerollt",
            "direkt vom Gas auf die Bremse",
        ),
        "wider_entry": ConceptWords(
            "ganz außen anfahren", "weiter außen", "zu weit innen angefahren",
            "vor der Kurve die ganze Breite",
        ),
        "later_apex": ConceptWords(
            "erst später nach innen", "später innen", "zu früh nach innen gezogen",
            "etwas länger außen bleiben",
        ),
        "clip_apex": ConceptWords(
            "näher an den inneren Rand", "weiter innen", "innen zu weit weg geblieben",
            "auf den inneren Randstein zielen",
        ),
        "more_apex_speed": ConceptWords(
            "in der Mitte mehr Tempo", "mehr Tempo", "in der Mitte zu langsam",
            "mit mehr Schwung durch die Mitte",
        ),
        "over_slowed": ConceptWords(
            "mehr Tempo in die Kurve mitnehmen", "mehr Tempo behalten", "zu stark verlangsamt",
            "gleicher Bremspunkt, weniger bremsen",
        ),
        "understeer": ConceptWords(
            "weniger lenken, Geduld", "weniger lenken", "das Auto schob nach außen",
            "langsamer hinein, dann lenken",
        ),
        "oversteer": ConceptWords(
            "sanft ans Gas, ruhige Hände", "sanft ans Gas", "das Heck ist gerutscht",
            "erst Lenkrad gerade, dann Gas",
        ),
        "unpinch_exit": ConceptWords(
            "am Ausgang das Lenkrad öffnen", "Lenkrad öffnen", "am Ausgang zu eng gehalten",
            "das Lenkrad gerade werden lassen",
        ),
        "flat_possible": ConceptWords(
            "hier kannst du am Gas bleiben", "am Gas bleiben", "unnötig vom Gas gegangen",
            "erst weniger lupfen, dann gar nicht",
        ),
    },
    "expert": {
        "trail_longer": ConceptWords(
            "tiefer hineinbremsen", "tiefer hinein", "zu früh von der Bremse",
            "die Bremse bis zum Scheitelpunkt ziehen",
        ),
        "release_sooner": ConceptWords(
            "früher lösen", "früher lösen", "zu lange auf der Bremse", "mit dem Lösen eher beginnen"
        ),
        "more_apex_speed": ConceptWords(
            "höheres Mindesttempo", "mehr Mindesttempo", "Mindesttempo zu niedrig",
            "mit mehr Schwung am Scheitelpunkt",
        ),
        "over_slowed": ConceptWords(
            "Mindesttempo anheben", "mehr Mindesttempo", "zu stark verzögert",
            "mehr Tempo hineinnehmen",
        ),
    },
}  # fmt: skip

# fmt: off
_ONES = (
    "null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
    "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
)
# fmt: on
_TENS = ("", "zehn", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
_TURN = re.compile(r"turn_(\d+)_?([a-z]*)")


def number_words(number: int) -> str:
    """0..999 in words, larger numbers as digits: 21 is "einundzwanzig", 121 "hunderteinundzwanzig"."""
    if number >= 1000:
        return str(number)
    return "".join(number_parts(number))


def number_parts(number: int) -> tuple[str, ...]:
    """0..999 as the clips it is joined from: hundreds, and what is left."""
    hundreds, rest = divmod(number, 100)
    if hundreds:
        return (_joining(hundreds) + "hundert", *(number_parts(rest) if rest else ()))
    if rest < 20:
        return (_ONES[rest],)
    tens, ones = divmod(rest, 10)
    return ((f"{_joining(ones) or 'ein'}und" if ones else "") + _TENS[tens],)


def _joining(digit: int) -> str:
    """A digit in front of "und" or "hundert": "eins" loses its s, and a hundred needs none."""
    return "" if digit == 1 else _ONES[digit]


def spoken_name(corner_id: str) -> str:
    """A corner's id as a driver says it: `turn_3a` is "Kurve drei A"; other names stay what they are."""
    if turn := _TURN.fullmatch(corner_id):
        return f"Kurve {number_words(int(turn[1]))}" + (f" {turn[2].upper()}" if turn[2] else "")
    return " ".join(part.capitalize() for part in corner_id.split("_"))


def lap_time_parts(tenths: int) -> tuple[str, ...]:
    """1:52.3 is "eins", "zweiundfünfzig", "drei"; 1:05.3 is "eins", "null fünf", "drei"."""
    minutes, rest = divmod(tenths, 600)
    seconds, tenth = divmod(rest, 10)
    if not minutes:
        return (number_words(seconds), _ONES[tenth])
    said = f"null {_ONES[seconds]}" if seconds < 10 else number_words(seconds)
    return (*number_parts(minutes), said, _ONES[tenth])


def delta_parts(tenths: int) -> tuple[str, ...]:
    """Above 0 is slower: 3 is "drei", "Zehntel langsamer"; -12 is "eins", "Komma zwei", "schneller"; 10 is
    "eine", "Sekunde langsamer"."""
    way = "langsamer" if tenths > 0 else "schneller"
    whole, tenth = divmod(abs(tenths), 10)
    if whole and not tenth:
        return ("eine", f"Sekunde {way}") if whole == 1 else (*number_parts(whole), f"Sekunden {way}")
    if whole:
        return (*number_parts(whole), f"Komma {_ONES[tenth]}", way)
    return ("ein" if tenth == 1 else _ONES[tenth], f"Zehntel {way}") if tenth else ("gleichauf",)


def number_clips() -> tuple[str, ...]:
    """Every part that a number is joined from."""
    below_hundred = [number_words(number) for number in range(100)]
    hundreds = [number_words(number) for number in range(100, 1000, 100)]
    zeros = [f"null {_ONES[digit]}" for digit in range(10)]
    points = [f"Komma {_ONES[digit]}" for digit in range(10)]
    units = ("Zehntel ", "Sekunde ", "Sekunden ", "")
    ways = [f"{unit}{way}" for way in ("schneller", "langsamer") for unit in units]
    return (*below_hundred, *hundreds, *zeros, *points, *ways, "ein", "eine", "gleichauf")
