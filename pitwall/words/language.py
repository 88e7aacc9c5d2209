"""What a driver hears and reads, in his units: `language("imperial")`.

Pitwall speaks English; another language would be a second set of the files that are opened here."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from pitwall.words import en
from pitwall.words.forms import LEVELS, AdviceWords
from pitwall.words.texts import tables
from pitwall.words.units import Filler, Units

# Slower and faster than any car is timed in words: 99 min 59.9 s, 999 km/h.
_MOST_TENTHS, _MOST_SPEED = 59_999, 999
# A figure with its unit in a stored text; an id of advice where a word of the text is expected.
_STORED_FIGURE = re.compile(r"(?<![\w.])([-+]?\d+(?:\.\d+)?) (m/s|m|km/h)(?![\w/])")
_STORED_ID = re.compile(r"(?:^|(?<=[:,] ))[a-z]+(?:_[a-z]+)*(?=$|,)")


class Language:
    """All words, with figures in the driver's units; a heard number is clips in order."""

    def __init__(self, units: Units = "metric", *, bike: bool = False) -> None:
        self.units, self.bike = units, bike
        self.figures = Filler(units)
        read, answers = tables("read"), tables("asked")
        self._sentences = read["sentences"] | answers["sentences"]
        self._tables = {name: each for name, each in (*read.items(), *answers.items()) if name != "sentences"}
        self._advice_words: Mapping[str, AdviceWords] = en.ADVICE
        self._rolled = en.ROLLED
        if bike:
            ridden = tables("bike")
            self._sentences |= ridden["sentences"]
            self._tables |= {
                name: self._tables[name] | ridden[name] for name in ridden if name != "sentences"
            }
            self._advice_words, self._rolled = {**en.ADVICE, **en.BIKE_ADVICE}, en.BIKE_ROLLED
        self.voice = en.VOICE
        self.fixed: Mapping[str, str] = en.FIXED
        # A corner by its direction and how tight it is; that one brakes for it.
        self.shapes: Mapping[tuple[str, str], str] = en.SHAPES
        self.braking = en.BRAKING
        # Before by how much it is faster than the one before.
        self.best_lap = en.BEST_LAP

    def advice(self, action: str, amount: str = "") -> AdviceWords:
        """Return how an advice is said, with its amount. KeyError for an unknown id."""
        return AdviceWords(
            *(_filled(form, amount) for form in msgspec.structs.astuple(self._advice_words[action]))
        )

    def actions(self) -> tuple[str, ...]:
        """Return the ids of all advice that has words."""
        return tuple(en.ADVICE)

    def short_advice(self, action: str) -> str:
        """Return an advice in few words; the id of one that has none, as in older ledgers."""
        words = self._advice_words.get(action)
        return action if words is None else words.short

    def rolled(self, amount: str) -> tuple[str, str]:
        """Return what is said of the middle of a corner nobody brakes for, and shorter."""
        return _filled(self._rolled[0], amount), self._rolled[1]

    def amounts(self, action: str) -> tuple[str, ...]:
        """Return the amounts that this advice can be said with, the least first."""
        if action != "more_apex_speed":
            amounts = en.BIKE_AMOUNTS if self.bike else en.AMOUNTS
            return tuple(amounts.values()) if "{amount}" in en.ADVICE[action].do else ()
        return ("a little", *(en.number_words(number) for number in range(2, en.MOST_MORE + 1)))

    def texts(self) -> Iterator[str]:
        """Yield every text that is said and holds no name, once."""
        advice = (
            form
            for action in en.ADVICE
            for amount in (self.amounts(action) or ("",))
            for words in (self.advice(action, amount),)
            for form in (*msgspec.structs.astuple(words), words.attempt_short)
        )
        rolled = (form for amount in self.amounts("more_apex_speed") for form in self.rolled(amount))
        found = itertools.chain(
            self.fixed.values(),
            (en.AGAIN, self.best_lap, self.braking, *self.shapes.values()),
            advice,
            rolled,
            en.number_clips(),
        )
        yield from dict.fromkeys(found)

    def lap_time_texts(self) -> tuple[str, ...]:
        """Return those of `texts` that a lap time is joined from."""
        return (self.best_lap, *en.number_clips())

    def name(self, corner_id: str) -> str:
        """Return a corner's id as a driver says it, in the middle of a sentence: "turn three A"."""
        return en.spoken_name(corner_id)

    def again(self, corner_id: str) -> str:
        """Return what a driver hears after the best pass of a corner that he was called before."""
        return f"{sentence(self.name(corner_id))}: {en.AGAIN}"

    def plain_script(self, corner_id: str) -> dict[str, str]:
        """Return the script of a corner that has none of its own, in the form of a script file."""
        name = self.name(corner_id)
        return {key: sentence(text.format(name=name)) for key, text in en.PLAIN.items()}

    def number_words(self, number: int) -> str:
        """Return 0..999 in words, larger numbers as digits."""
        return en.number_words(number)

    def spoken_lap_time(self, time_s: float) -> tuple[str, ...]:
        """Return a lap time to the tenth: "one", "fifty two", "point three"."""
        return en.lap_time_parts(min(max(round(time_s * 10.0), 0), _MOST_TENTHS))

    def spoken_delta(self, delta_s: float) -> tuple[str, ...]:
        """Return a difference to the tenth, more than 0 is slower: "three", "tenths slower"."""
        return en.delta_parts(min(max(round(delta_s * 10.0), -_MOST_TENTHS), _MOST_TENTHS))

    def spoken_speed(self, speed_mps: float) -> tuple[str, ...]:
        """Return a speed in km/h or mph, without its unit: "one hundred", "twenty one"."""
        speed = round(self.figures.value(speed_mps, "m/s"))
        return en.number_parts(min(max(speed, 0), _MOST_SPEED))

    def say(self, key: str, /, **values: Any) -> str:
        """Return a sentence, filled with its values (`Filler` has the formats). KeyError."""
        return self.figures.vformat(self._sentences[key], (), values)

    def in_units(self, text: str) -> str:
        """Return a stored text, such as why a lap does not count, in the driver's units."""

        def shown(found: re.Match[str]) -> str:
            number, unit = found.groups()
            digits = len(number.partition(".")[2])
            return self.figures.measured(float(number), unit, f"{'+' * (number[0] == '+')}.{digits}f")

        return _STORED_FIGURE.sub(shown, text)

    def reason(self, text: str) -> str:
        """Return why the ledger says that a cue was said or not, each id of advice in its words."""
        return "; ".join(_STORED_ID.sub(self._advice, self.in_units(each)) for each in text.split("; "))

    def _advice(self, found: re.Match[str]) -> str:
        return self.short_advice(found[0])

    def term(self, table: str, word: str) -> str:
        """Return a word of the analysis as the driver reads it."""
        return self._tables[table].get(word, word)

    def terms(self, table: str) -> dict[str, str]:
        """Return all words of one table, as the driver reads them."""
        return dict(self._tables[table])

    def has_term(self, table: str, word: str) -> bool:
        """Return whether a word of the analysis has a form of its own."""
        return word in self._tables[table]


@functools.cache
def language(units: Units = "metric", bike: bool = False) -> Language:
    """Return the words in these units, of a car or a bike; cached."""
    return Language(units, bike=bike)


ENGLISH = language()


def sentence(text: str) -> str:
    """Return the text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def _filled(form: str, amount: str) -> str:
    """Return the form with its amount; without one, the gap is closed."""
    if amount:
        return form.format(amount=amount)
    return " ".join(form.replace(", {amount}", "").replace("{amount}", "").split())


def names_folder(name: str) -> bool:
    """Return whether such a folder in `audio_cache` holds no track."""
    return name in LEVELS or name == "de"
