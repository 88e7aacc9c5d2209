"""No number that is not in the state: the check that a narrative's figures were measured, not made up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

# A lap time, or a plain number with its decimals; "1,5" is a decimal comma, "T3" and "3a" hold numbers too.
_CLOCK = re.compile(r"(?<![\d.:])(\d{1,2}):([0-5]\d)(?:[.,](\d{1,3}))?(?![\d:])")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_WORDS: dict[str, float] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "hundred": 100, "half": 0.5, "a": 1, "an": 1,
}  # fmt: skip
# A number in words is a claim only before a measure: "one thing" is speech, "two tenths" is a figure.
_MEASURES: dict[str, tuple[float, ...]] = {
    "tenth": (0.1,), "tenths": (0.1,), "hundredth": (0.01,), "hundredths": (0.01,),
    "thousandth": (0.001,), "thousandths": (0.001,),
    "second": (1.0,), "seconds": (1.0,), "metre": (1.0,), "metres": (1.0,), "meter": (1.0,), "meters": (1.0,),
    "lap": (1.0,), "laps": (1.0,), "bar": (1.0,), "percent": (1.0, 0.01), "degrees": (1.0,), "gear": (1.0,),
    "kilometres": (1.0,), "miles": (1.0,),
}  # fmt: skip
_ARTICLE_MEASURES = frozenset(("tenth", "hundredth", "thousandth", "half"))
_SPOKEN = re.compile(
    rf"\b({'|'.join(_WORDS)})[\s-]+(?:of\s+a\s+|a\s+)?({'|'.join(_MEASURES)})\b", re.IGNORECASE
)
_DIGIT_MEASURE = re.compile(
    r"(?<![\w.,:])(\d+(?:[.,]\d+)?)[\s-]+(tenths?|hundredths?|thousandths?)\b", re.IGNORECASE
)
# Not after "1." of a list nor an initial: a full stop between a lower-case or closing end and a blank.
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b\d\.)\s+(?=[A-Z\"'(])|\n+")


def unsupported(text: str, state: Any) -> list[str]:
    """The figures in `text` that nothing in `state` rounds to, as written; empty: every one is there.

    A figure stands for all values that round (half either way) to it at the decimals it was written with, so
    97.4 may be told of 97.381; the sign is free, since a loss of -0.4 is told as 0.4. Lap times are read as
    seconds, "two tenths" as 0.2. Numbers within the state's own text (corner names, times) count.
    """
    known = sorted(set(_values(state)))
    wrong = []
    for shown, value, tolerance in _figures(text):
        if not any(abs(abs(have) - value) <= tolerance for have in known):
            wrong.append(shown)
    return wrong


def sentences(text: str) -> list[str]:
    """The text's sentences in order; lines count as ends."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def without_unsupported(text: str, state: Any) -> tuple[str, list[str]]:
    """(text without the sentences that hold an unsupported figure, those sentences)."""
    kept: list[str] = []
    gone: list[str] = []
    for sentence in sentences(text):
        (gone if unsupported(sentence, state) else kept).append(sentence)
    return " ".join(kept), gone


def _figures(text: str) -> Iterable[tuple[str, float, float]]:
    """(as written, value, half a unit of its last place) of every figure in the text."""
    rest = text
    for match in _CLOCK.finditer(text):
        decimals = match[3] or ""
        value = int(match[1]) * 60 + float(f"{match[2]}.{decimals or 0}")
        yield match[0], value, _half(len(decimals))
    rest = _CLOCK.sub(" ", rest)
    for match in _DIGIT_MEASURE.finditer(rest):
        scale = _MEASURES[match[2].lower()][0]
        number, decimals = _read(match[1])
        yield match[0], number * scale, _half(decimals) * scale
    rest = _DIGIT_MEASURE.sub(" ", rest)
    for match in _SPOKEN.finditer(rest):
        word, measure = match[1].lower(), match[2].lower()
        # "A second later", "one lap at a time" are ways of speaking.
        if (word in ("a", "an") and measure not in _ARTICLE_MEASURES) or (word == "one" and measure == "lap"):
            continue
        scale = _MEASURES[measure][0]
        # "Half a second" is told of 0.46 to 0.54, "two seconds" of 1.5 to 2.5.
        yield match[0], _WORDS[word] * scale, (0.05 if word == "half" else 0.5) * scale + 1e-9
    for match in _NUMBER.finditer(rest):
        number, decimals = _read(match[0])
        yield match[0], number, _half(decimals)


def _read(shown: str) -> tuple[float, int]:
    plain = shown.replace(",", ".")
    return float(plain), len(plain.partition(".")[2])


def _half(decimals: int) -> float:
    # The margin lets 0.25 be told as 0.3 and as 0.2: both are roundings people use.
    return float(0.5 * 10**-decimals + 1e-9)


def _values(state: Any) -> Iterable[float]:
    if isinstance(state, bool) or state is None:
        return
    if isinstance(state, (int, float)):
        yield float(state)
    elif isinstance(state, str):
        for _shown, value, _tolerance in _figures(state):
            yield value
    elif isinstance(state, Mapping):
        for key, held in state.items():
            yield from _values(str(key))
            yield from _values(held)
    elif isinstance(state, (list, tuple)):
        for held in state:
            yield from _values(held)


def grounded(output: Any, evidence: Any) -> tuple[Any, list[str]]:
    """(`output` without figures that `evidence` does not hold, those figures).

    A number becomes None, a sentence of a text is dropped. What a data agent hands on is thereby measured.
    """
    known = sorted(set(_values(evidence)))
    gone: list[str] = []

    def kept(value: Any) -> Any:
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, (int, float)):
            decimals = len(repr(value).partition(".")[2]) if isinstance(value, float) else 0
            if any(abs(abs(have) - abs(value)) <= _half(decimals) for have in known):
                return value
            gone.append(repr(value))
            return None
        if isinstance(value, str):
            text, dropped = without_unsupported(value, evidence)
            gone.extend(dropped)
            return text if dropped else value
        if isinstance(value, Mapping):
            return {key: kept(held) for key, held in value.items()}
        return [held for held in map(kept, value) if held is not None]

    return kept(output), gone
