"""Figures in a text and in facts: numbers, units, times, and the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from pitwall.analysis.number_words import Number, Reading, and_a_part, read_number, slack


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What a number is of. The labels name a thing and measure nothing; "name" is a digit within a word, as in M3.
Kind = Literal[
    "plain", "count", "time", "length", "speed", "rpm", "g", "bar", "percent", "degrees", "laps",
    "car lengths", "mark", "mass", "volume",
    "lap", "corner", "sector", "gear", "name",
]  # fmt: skip

_MPH, _FOOT, _MILE = 1.609344, 0.3048, 1609.344
# Measure -> (kind, its size in the kind's own unit: s, m, km/h, ...).
MEASURES: dict[str, tuple[Kind, float]] = {
    "tenth": ("time", 0.1), "tenths": ("time", 0.1), "hundredth": ("time", 0.01),
    "hundredths": ("time", 0.01), "thousandth": ("time", 0.001),
    "thousandths": ("time", 0.001), "millisecond": ("time", 0.001),
    "milliseconds": ("time", 0.001), "ms": ("time", 0.001), "s": ("time", 1.0), "sec": ("time", 1.0),
    "secs": ("time", 1.0), "second": ("time", 1.0), "seconds": ("time", 1.0), "minute": ("time", 60.0),
    "minutes": ("time", 60.0), "min": ("time", 60.0), "mins": ("time", 60.0), "hour": ("time", 3600.0),
    "hours": ("time", 3600.0), "m": ("length", 1.0), "metre": ("length", 1.0), "metres": ("length", 1.0),
    "meter": ("length", 1.0), "meters": ("length", 1.0), "km": ("length", 1e3), "kilometre": ("length", 1e3),
    "kilometres": ("length", 1e3), "kilometer": ("length", 1e3), "kilometers": ("length", 1e3),
    "mile": ("length", _MILE), "miles": ("length", _MILE), "yard": ("length", 0.9144),
    "yards": ("length", 0.9144), "ft": ("length", _FOOT), "feet": ("length", _FOOT), "km/h": ("speed", 1.0),
    "kmh": ("speed", 1.0), "kph": ("speed", 1.0), "mph": ("speed", _MPH), "m/s": ("speed", 3.6),
    "mps": ("speed", 3.6), "rpm": ("rpm", 1.0), "revs": ("rpm", 1.0), "revolutions": ("rpm", 1.0),
    "g": ("g", 1.0), "gs": ("g", 1.0), "g's": ("g", 1.0), "bar": ("bar", 1.0), "bars": ("bar", 1.0),
    "psi": ("bar", 0.0689476), "percent": ("percent", 1.0), "%": ("percent", 1.0), "°": ("degrees", 1.0),
    "degree": ("degrees", 1.0), "degrees": ("degrees", 1.0), "deg": ("degrees", 1.0),
    "celsius": ("degrees", 1.0), "c": ("degrees", 1.0), "lap": ("laps", 1.0), "laps": ("laps", 1.0),
    "length": ("car lengths", 1.0), "lengths": ("car lengths", 1.0), "board": ("mark", 1.0),
    "boards": ("mark", 1.0), "marker": ("mark", 1.0), "kg": ("mass", 1.0), "kilos": ("mass", 1.0),
    "litre": ("volume", 1.0), "litres": ("volume", 1.0), "liters": ("volume", 1.0),
    # German, in which a model answers where the settings say so.
    "zehntel": ("time", 0.1), "hundertstel": ("time", 0.01), "tausendstel": ("time", 0.001),
    "sekunde": ("time", 1.0), "sekunden": ("time", 1.0), "minuten": ("time", 60.0), "grad": ("degrees", 1.0),
    "prozent": ("percent", 1.0), "runden": ("laps", 1.0), "wagenlänge": ("car lengths", 1.0),
    "wagenlängen": ("car lengths", 1.0), "umdrehungen": ("rpm", 1.0),
}  # fmt: skip
LABELLED: dict[str, Kind] = {
    "turn": "corner", "turns": "corner", "t": "corner", "corner": "corner", "corners": "corner",
    "lap": "lap", "laps": "lap", "sector": "sector", "sectors": "sector", "gear": "gear", "gears": "gear",
    "kurve": "corner", "kurven": "corner", "runde": "lap", "runden": "lap", "sektor": "sector",
    "gang": "gear",
}  # fmt: skip
ORDINALS = {
    word: value
    for value, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"), 1
    )
}
# Words between a number and its measure: "two quick laps", "seven whole metres".
BETWEEN = _words(
    "more flying full whole clean timed good clear quick slow further extra odd of a an straight"
)
STRONG = _words("full whole good clear entire solid single")
# Counts of these are ways of speaking, not figures.
SPEECH = _words(
    "thing things point points step steps word words way ways part parts side sides foot feet hand hands "
    "pedal pedals wheel wheels question questions area areas idea ideas note notes tip tips piece pieces "
    "move moves eye eyes finger fingers movement movements stage stages phase phases"
)
# No noun: a number before one of these counts nothing that is named.
NO_NOUN = _words(
    "of at in or and off to on is are was were be the a an by from with for but as that this then than if "
    "when while so not per you your it its up out down into there here i we my our had has have"
)
GOES_ON = frozenset(
    ("und", "bis", "and", "or", "to", "through", "vs", "versus", "against", "than", ",", "&", "/", "then")
)
LABEL_GAP = frozenset(("_", ":", "#", "[", "number", "="))
# Before or after these "a second" is a claim; elsewhere it is a way of speaking, as in "a second later".
CLAIM_BEFORE = _words(
    "lost lose loses losing gain gained gains gaining find found cost costs worth save saved nearly almost "
    "about around over under within roughly than by"
)
CLAIM_AFTER = _words("slower faster quicker behind ahead off lost gained down up better worse adrift per a")
PLACE_AFTER = _words(
    "later earlier sooner longer shorter further deeper closer before after past wide wider too"
)
MARKS = frozenset(("board", "boards", "marker"))
ALWAYS = frozenset(("tenth", "hundredth", "thousandth", "millisecond"))
# Up to here a number in words that measures and counts nothing is a way of speaking: "the first two".
MOST_SPOKEN = 12


_TOKEN = re.compile(
    r"(?P<clock>(?<![\d.:])\d{1,2}:[0-5]\d(?:[.,]\d{1,3})?(?!\d|:\d))"
    r"|(?P<date>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|\d{8}T\d{6}Z?)"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    r"|(?P<word>km/h|m/s|[^\W\d_]+(?:['’][^\W\d_]+)?|[%°])"
    r"|(?P<sign>\S)"
)
_FULL_SLACK = 0.1
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?:[.,](\d{1,3}))?")


class Figure(msgspec.Struct, frozen=True):
    """A number in a text: as written, what it may mean in the unit of its kind, what it is of, and the nouns
    after it where it counts."""

    shown: str
    readings: tuple[Reading, ...]
    kind: Kind
    nouns: tuple[str, ...] = ()


class _Token(msgspec.Struct, frozen=True):
    text: str
    begin: int
    end: int
    kind: str
    # Written right after the token before, or with a hyphen between.
    attached: bool
    hyphen: bool


class _Text(msgspec.Struct, frozen=True):
    shown: str
    tokens: tuple[_Token, ...]
    words: tuple[str, ...]

    def word(self, at: int) -> str:
        return self.words[at] if 0 <= at < len(self.words) else ""

    def figure(self, first: int, end: int, readings: Sequence[Reading], kind: Kind) -> Figure:
        shown = self.shown[self.tokens[first].begin : self.tokens[end - 1].end]
        return Figure(shown, tuple(readings), kind)


class _Measured(msgspec.Struct, frozen=True):
    """`zero`: where the measure's own scale has the kind's zero, as 32 °F."""

    kind: Kind
    scale: float
    end: int
    zero: float = 0.0

    def scaled(self, readings: Sequence[Reading]) -> list[Reading]:
        return [((value - self.zero) * self.scale, how_far * self.scale) for value, how_far in readings]


def figures(text: str) -> list[Figure]:
    """Every figure of a text in order. Speech ("one thing", "a second later") holds none."""
    read = _read(text)
    found: list[Figure] = []
    at = 0
    while at < len(read.tokens):
        end = at + 1
        for taken, upto in _at(read, at):
            found.append(taken)
            end = max(end, upto)
        at = end
    return found


def _read(text: str) -> _Text:
    tokens: list[_Token] = []
    end, hyphen = 0, False
    for match in _TOKEN.finditer(text):
        begin = match.start()
        word = match[0].lower().replace("’", "'")
        attached = begin == end and bool(tokens)
        after = text[match.end() : match.end() + 1]
        if word in ("-", "–") and attached and after.isalnum():
            hyphen, end = True, match.end()
            continue
        tokens.append(_Token(word, begin, match.end(), str(match.lastgroup), attached, hyphen))
        end, hyphen = match.end(), False
    return _Text(text, tuple(tokens), tuple(token.text for token in tokens))


def _at(text: _Text, at: int) -> Iterator[tuple[Figure, int]]:
    """The figures that begin at this token (a list of laps is several), each with the token after it."""
    token = text.tokens[at]
    if token.kind == "clock":
        end = at + 2 if text.word(at + 1) == "s" else at + 1
        yield text.figure(at, at + 1, (_clock(token.text),), "time"), end
    elif token.kind == "date":
        yield text.figure(at, at + 1, (), "name"), at + 1
    elif token.text in LABELLED and (labelled := list(_labelled(text, at))):
        yield from labelled
    elif _ordinal_gear(text, at):
        yield text.figure(at, at + 2, ((float(ORDINALS[token.text]), 0.0),), "gear"), at + 2
    elif not _enumerates(text, at):
        yield from _number(text, at)


def _clock(shown: str) -> Reading:
    match = _CLOCK.fullmatch(shown)
    if match is None:
        raise ValueError(shown)
    decimals = match[3] or ""
    return int(match[1]) * 60 + float(f"{match[2]}.{decimals or 0}"), slack(len(decimals))


def _ordinal_gear(text: _Text, at: int) -> bool:
    return text.word(at) in ORDINALS and text.word(at + 1) in ("gear", "gears")


def _enumerates(text: _Text, at: int) -> bool:
    """ "1." at the beginning of a line is no figure."""
    token = text.tokens[at]
    line = text.shown[: token.begin].rpartition("\n")[2]
    return token.text.isdecimal() and not line.strip() and bool(re.match(r"[.)]\s", text.shown[token.end :]))


def _labelled(text: _Text, at: int) -> Iterator[tuple[Figure, int]]:
    """ "Turn 7", "T8a", "turn_3a", "laps 5, 7 and 8", "lap 7 against lap 6"."""
    kind = LABELLED[text.word(at)]
    begin = at + 1
    while text.word(begin) in LABEL_GAP:
        begin += 1
    # "T" alone is a letter.
    if text.word(at) == "t" and not (begin < len(text.tokens) and _joined(text.tokens[begin])):
        return
    first = True
    while (number := read_number(text.words, begin, plain=True)) is not None:
        end = number.end
        if end < len(text.tokens) and text.tokens[end].attached and re.fullmatch("[a-d]", text.word(end)):
            end += 1
        # "Turn 7 second gear": there the second is one in an order.
        measured = _measure(text, end, between=False)
        if measured is not None and not (first and text.word(end) == "second"):
            return
        if not first and _nouns(text, end):
            return
        yield text.figure(begin, end, tuple((value, 0.0) for value, _slack in number.readings), kind), end
        begin, first = end, False
        while text.word(begin) in GOES_ON or (
            text.word(begin) in LABELLED and LABELLED[text.word(begin)] == kind
        ):
            begin += 1
        if begin == end and not (end < len(text.tokens) and text.tokens[end].hyphen):
            return


def _joined(token: _Token) -> bool:
    return token.attached or token.hyphen


def _number(text: _Text, at: int) -> Iterator[tuple[Figure, int]]:
    """A number that is no label, with its measure where it has one."""
    article = _article(text, at)
    if article is not None:
        yield article
        return
    number = read_number(text.words, at)
    if number is None:
        return
    token = text.tokens[at]
    digits = token.kind == "number"
    if digits and token.attached and at and text.tokens[at - 1].kind == "word":
        yield text.figure(at, number.end, number.readings, "name"), number.end
        return
    measured = _measure(text, number.end)
    if measured is not None:
        if not _spoken_measure(text, at, number, measured):
            yield _whole(text, at, number.readings, measured)
    elif (ranged := _range(text, at, number)) is not None:
        yield from ranged
    elif not number.part and (bare := _bare(text, at, number, digits)) is not None:
        yield bare, number.end


def _spoken_measure(text: _Text, at: int, number: Number, measured: _Measured) -> bool:
    """ "One lap at a time", "half a lap", "both feet, two feet": no figures."""
    value = number.readings[0][0]
    if text.words[measured.end - 1] == "feet":
        return value <= 2.0
    return measured.kind in ("laps", "mark") and (number.part or text.words[at : number.end] == ("one",))


def _article(text: _Text, at: int) -> tuple[Figure, int] | None:
    """ "A tenth", "a full second", "one metre"; not "a second later" nor "one lap at a time"."""
    word = text.word(at)
    if word not in ("a", "an", "one", "another") or (at and text.word(at - 1) in MEASURES):
        return None
    begin = at + 1
    while text.word(begin) in STRONG:
        begin += 1
    strong = begin > at + 1
    measured = _measure(text, begin, between=False)
    if measured is None or measured.kind in ("laps", "mark", "gear") or text.word(begin) == "feet":
        return None
    if text.word(begin) in ("s", "c", "m"):
        return None
    more = and_a_part(text.words, Number(((1.0, slack(0)),), measured.end))
    claims = text.word(at - 1) in CLAIM_BEFORE or text.word(measured.end) in CLAIM_AFTER
    if measured.kind != "time":
        claims = claims or text.word(measured.end) in PLACE_AFTER
    minute = measured.scale == 60.0 and read_number(text.words, measured.end) is not None
    plainly = text.word(begin) in ALWAYS or more.end > measured.end or minute
    if not (strong or claims or plainly or word == "one"):
        return None
    # "A full second" does not mean 0.6 s.
    return _whole(text, at, ((1.0, _FULL_SLACK if strong else slack(0)),), measured)


def _measure(text: _Text, at: int, between: bool = True) -> _Measured | None:
    """The measure at this token, or after words such as "of a" or "more"."""
    begin = at + 2 if text.words[at : at + 2] == ("or", "so") else at
    while between and text.word(begin) in BETWEEN and text.word(begin) not in MEASURES and begin < at + 4:
        begin += 1
    if text.word(begin) == "car":
        begin += 1
    word = text.word(begin)
    if word == "per" and text.word(begin + 1) == "cent":
        return _Measured("percent", 1.0, begin + 2)
    # "Turn 4, lap 2": there the lap is named, not counted.
    if word not in MEASURES or (word in LABELLED and read_number(text.words, begin + 1, plain=True)):
        return None
    kind, scale = MEASURES[word]
    end = begin + 1
    if kind == "length" and text.word(end) in ("per", "an") and text.word(end + 1) in ("hour", "second"):
        return _Measured("speed", scale / 1000.0 if text.word(end + 1) == "hour" else 3.6 * scale, end + 2)
    if kind == "length" and text.word(end) in MARKS:
        return _Measured("mark", 1.0, end + 1)
    if kind == "degrees" and text.word(end) in ("f", "fahrenheit"):
        return _Measured(kind, 1.0 / 1.8, end + 1, zero=32.0)
    if kind == "degrees" and text.word(end) in ("c", "celsius"):
        end += 1
    if kind == "time" and scale < 1.0 and text.words[end : end + 3] == ("of", "a", "second"):
        end += 3
    return _Measured(kind, scale, end)


def _whole(text: _Text, at: int, readings: Sequence[Reading], measured: _Measured) -> tuple[Figure, int]:
    """The figure with what may come after its measure: "and a half", or the seconds of a lap time."""
    number = and_a_part(text.words, Number(tuple(readings), measured.end))
    scaled = measured.scaled(number.readings)
    end = number.end
    if measured.scale == 60.0 and measured.kind == "time":
        rest_at = end + 1 if text.word(end) == "and" else end
        rest = read_number(text.words, rest_at)
        if rest is not None and not rest.part and rest.readings[0][0] < 60.0:
            seconds = _measure(text, rest.end, between=False)
            scaled = [(scaled[0][0] + value, how_far) for value, how_far in rest.readings]
            end = seconds.end if seconds is not None and seconds.scale == 1.0 else rest.end
    # A mark is named by its number, whatever it is called.
    shown_end = number.end - 1 if measured.kind == "mark" else end
    return text.figure(at, shown_end, scaled, measured.kind), end


def _range(text: _Text, at: int, number: Number) -> list[tuple[Figure, int]] | None:
    """ "Two or three tenths", "5-7 metres", "five and seven metres": the measure is both numbers'."""
    hyphen = number.end < len(text.tokens) and text.tokens[number.end].hyphen
    linked = text.word(number.end) in ("or", "to", "and", "–", "-")
    other = read_number(text.words, number.end + 1 if linked else number.end) if linked or hyphen else None
    if other is None:
        return None
    measured = _measure(text, other.end)
    if measured is None:
        return None
    (low, near), (high, far) = number.readings[0], other.readings[0]
    if abs(high - low) <= 1.0 and text.word(number.end) != "and":
        middle = ((low + high) / 2.0, abs(high - low) / 2.0 + max(near, far))
        return [_whole(text, at, (middle,), measured)]
    first = measured.scaled(number.readings)
    begin = number.end + 1 if linked else number.end
    return [
        (text.figure(at, number.end, first, measured.kind), number.end),
        _whole(text, begin, other.readings, measured),
    ]


def _bare(text: _Text, at: int, number: Number, digits: bool) -> Figure | None:
    """A number without a measure; None where it is a way of speaking."""
    nouns = _nouns(text, number.end)
    shown = text.figure(at, number.end, number.readings, "plain")
    if digits:
        return msgspec.structs.replace(shown, nouns=nouns)
    if number.readings[0][0] > MOST_SPOKEN:
        return msgspec.structs.replace(shown, nouns=nouns)
    # "The first two cost you most" names no number of anything.
    counted = next((noun for noun in nouns if noun.endswith("s") and not noun.endswith("ss")), "")
    if number.readings[0][0] == 1.0 or not counted or any(noun in SPEECH for noun in nouns):
        return None
    return msgspec.structs.replace(shown, kind="count", nouns=(counted,))


def _nouns(text: _Text, at: int) -> tuple[str, ...]:
    """Up to three words after a number that may be what it counts."""
    found: list[str] = []
    for place in range(at, min(at + 3, len(text.tokens))):
        if text.tokens[place].kind != "word" or text.word(place) in NO_NOUN:
            break
        found.append(text.word(place))
    return tuple(found)
