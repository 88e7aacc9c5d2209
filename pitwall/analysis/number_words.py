"""Read numbers in words: "two and a half", "one hundred and forty", "one oh nine point one"."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

# (value, how far from it a true value may lie): half a unit of the last place that was said.
Reading = tuple[float, float]

_UNITS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
"""
_ROUND = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_UNITS.split())}
_TENS = {word: 10 * value for value, word in enumerate(_ROUND.split(), 2)}
_OH = ("oh", "o")
_PARTS = {
    "half": 0.5, "halves": 0.5, "third": 1 / 3, "thirds": 1 / 3,
    "quarter": 0.25, "quarters": 0.25, "fifth": 0.2, "fifths": 0.2, "eighth": 0.125,
    "eighths": 0.125,
}  # fmt: skip
_GROUPS = {"couple": 2.0, "pair": 2.0, "dozen": 12.0}
_ARTICLES = ("a", "an")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_DOTTED_CLOCK = re.compile(r"(\d{1,2})\.([0-5]\d)[.,](\d{1,3})")
_GROUPED = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
# A half is said of 0.45 to 0.55, one and a half of 1.4 to 1.6.
_PART_SLACK, _AND_A_PART_SLACK = 0.05, 0.1
# Half of the last place and a margin: people round 0.25 to 0.3 and to 0.2.
_MARGIN = 1e-9


class Number(msgspec.Struct, frozen=True):
    """A number within a list of words: all that it may mean, and the index of the first word after it.

    `part`: a fraction alone, such as "half", which is a number only of something.
    """

    readings: tuple[Reading, ...]
    end: int
    part: bool = False


def slack(decimals: int) -> float:
    """How far a true value may lie from one that was written with so many decimals."""
    return float(0.5 * 10**-decimals + _MARGIN)


def read_number(words: Sequence[str], at: int, *, plain: bool = False) -> Number | None:
    """The number that begins at `words[at]`, None where none does. Words are lower case, digits and signs are
    words of their own. `plain`: a label's number, up to ninety-nine and without a fraction after it."""
    if plain:
        found = _digits(words, at) or _below_hundred(words, at)
        return None if found is None or not _integer(found) else found
    return _group(words, at) or _part(words, at) or _amount(words, at)


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if 0 <= at < len(words) else ""


def _integer(number: Number) -> bool:
    return all(value == int(value) for value, _slack in number.readings)


def _of(value: float, end: int) -> Number:
    return Number(((value, slack(0)),), end)


def _group(words: Sequence[str], at: int) -> Number | None:
    """ "a couple of", "half a dozen", "two dozen"."""
    first = at + 1 if _word(words, at) in _ARTICLES else at
    if _word(words, first) in _GROUPS:
        end = first + 2 if _word(words, first + 1) == "of" else first + 1
        return _of(_GROUPS[_word(words, first)], end)
    if _word(words, at) == "half" and _word(words, at + 1) in _ARTICLES and _word(words, at + 2) == "dozen":
        return _of(6.0, at + 3)
    many = _below_hundred(words, at) or _digits(words, at)
    if many is not None and _word(words, many.end) == "dozen":
        return _of(many.readings[0][0] * 12.0, many.end + 1)
    return None


def _part(words: Sequence[str], at: int) -> Number | None:
    """ "half", "a quarter", "three quarters", "two thirds"."""
    count, end = 1.0, at
    if _word(words, at) in (*_ARTICLES, "one"):
        end = at + 1
    elif _word(words, at) in _SMALL:
        count, end = float(_SMALL[_word(words, at)]), at + 1
    name = _word(words, end)
    # "Third" alone is an ordinal, and "two quarter" is no number.
    if name not in _PARTS or (end == at and name not in ("half", "quarter")):
        return None
    if (count > 1.0) != name.endswith("s"):
        return None
    return Number(((count * _PARTS[name], _PART_SLACK),), end + 1, part=True)


def _amount(words: Sequence[str], at: int) -> Number | None:
    """Digits or words up to 999 thousand, with "point four" or "and a half" after them."""
    found = _digits(words, at) or _below_million(words, at) or _point(words, at)
    if found is None:
        return None
    value = found.readings[0][0]
    if _integer(found) and (pointed := _point(words, found.end)):
        fraction, how_far = pointed.readings[0]
        return Number(
            tuple((value + fraction, how_far) for value, _slack in found.readings),
            pointed.end,
        )
    if _word(words, found.end) == "thousand" and found.end == at + 1 and _DIGITS.fullmatch(words[at]):
        return _of(value * 1000.0, found.end + 1)
    return and_a_part(words, found)


def and_a_part(words: Sequence[str], number: Number) -> Number:
    """The number with "and a half" or the like after it."""
    if _word(words, number.end) == "and" and (part := _part(words, number.end + 1)):
        more = part.readings[0][0]
        return Number(
            tuple((value + more, _AND_A_PART_SLACK) for value, _slack in number.readings),
            part.end,
        )
    return number


def _digits(words: Sequence[str], at: int) -> Number | None:
    text = _word(words, at)
    if not _DIGITS.fullmatch(text):
        return None
    if clock := _DOTTED_CLOCK.fullmatch(text):
        value = int(clock[1]) * 60.0 + float(f"{clock[2]}.{clock[3]}")
        return Number(((value, slack(len(clock[3]))),), at + 1)
    whole, *rest = re.split(r"[.,]", text)
    decimals = rest[0] if rest else ""
    readings = [(float(f"{whole}.{decimals or 0}"), slack(len(decimals)))]
    # "6,000" is six thousand to some and six to others.
    if len(rest) > 1 or _GROUPED.fullmatch(text):
        readings.append((float(whole + "".join(rest)), slack(0)))
    if _word(words, at + 1) == "k":
        return Number(tuple((value * 1e3, how_far * 1e3) for value, how_far in readings), at + 2)
    return Number(tuple(readings), at + 1)


def _below_hundred(words: Sequence[str], at: int) -> Number | None:
    word, after = _word(words, at), _word(words, at + 1)
    if word in _TENS:
        if 0 < _SMALL.get(after, 0) < 10:
            return _of(_TENS[word] + _SMALL[after], at + 2)
        return _of(_TENS[word], at + 1)
    return _of(_SMALL[word], at + 1) if word in _SMALL else None


def _below_thousand(words: Sequence[str], at: int) -> Number | None:
    first, after = _word(words, at), _word(words, at + 1)
    if after == "hundred" and (0 < _SMALL.get(first, 0) < 100 or first in _ARTICLES):
        hundreds = 100.0 * (_SMALL.get(first) or 1)
        rest_at = at + 3 if _word(words, at + 2) == "and" else at + 2
        rest = _below_hundred(words, rest_at)
        return _of(hundreds + (rest.readings[0][0] if rest else 0.0), rest.end if rest else at + 2)
    if not 0 < _SMALL.get(first, 0) < 10:
        return _below_hundred(words, at)
    # "One forty" is 140 to one and 1:40 to another, "one oh nine" 109 and 1:09.
    if after in _OH and 0 < _SMALL.get(_word(words, at + 2), 0) < 10:
        rest = _of(_SMALL[_word(words, at + 2)], at + 3)
    elif after in _TENS or 9 < _SMALL.get(after, 0) < 20:
        rest = _below_hundred(words, at + 1)
    else:
        return _below_hundred(words, at)
    if rest is None:
        return None
    count, more = _SMALL[first], rest.readings[0][0]
    readings = ((100.0 * count + more, slack(0)), (60.0 * count + more, slack(0)))
    return Number(readings, rest.end)


def _below_million(words: Sequence[str], at: int) -> Number | None:
    if _word(words, at) in _ARTICLES and _word(words, at + 1) == "thousand":
        found: Number | None = _of(1.0, at + 1)
    else:
        found = _below_thousand(words, at)
    if found is None or _word(words, found.end) != "thousand":
        return found
    thousands, end = 1000.0 * found.readings[0][0], found.end + 1
    rest = _below_thousand(words, end + 1 if _word(words, end) == "and" else end)
    return _of(thousands + rest.readings[0][0], rest.end) if rest else _of(thousands, end)


def _point(words: Sequence[str], at: int) -> Number | None:
    """ "point four two": one digit after the other."""
    if _word(words, at) != "point":
        return None
    digits = ""
    end = at + 1
    while len(word := _word(words, end)) and (_SMALL.get(word, 10) < 10 or word in _OH):
        digits += str(_SMALL.get(word, 0))
        end += 1
    if not digits and _word(words, end) in _TENS and (rest := _below_hundred(words, end)):
        digits, end = str(int(rest.readings[0][0])), rest.end
    if not digits:
        return None
    return Number(((float(f"0.{digits}"), slack(len(digits))),), end)
