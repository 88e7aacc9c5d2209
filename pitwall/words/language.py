"""A language as the driver hears it, with the units he thinks in: `language("de")`."""

from __future__ import annotations

import functools
import importlib
import itertools
import re
import string
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeVar, cast

import msgspec

from pitwall.words.forms import AMOUNTS, CODES, LEVELS, Amount, Code, ConceptWords, Level
from pitwall.words.texts import ReadTexts, tables
from pitwall.words.units import Filler, Units

S = TypeVar("S", bound=msgspec.Struct)

# Slower and faster than any car is timed in words: 99 min 59.9 s, 999 km/h.
_MOST_TENTHS, _MOST_SPEED = 59_999, 999


class HeardWords(Protocol):
    """The file of a language, as far as it is heard."""

    VOICE: str
    FIXED: dict[str, str]
    PLAIN: dict[str, str]
    PRAISE: str
    HEEDED: str
    RELAPSE: str
    LAST_TIME: str
    AMOUNTS: dict[Amount, str]
    CONCEPTS: dict[str, ConceptWords]
    BEST: dict[str, tuple[str, str]]
    BEST_LAP: str
    SHAPES: dict[tuple[str, str], str]
    BRAKING: str
    LOST: dict[str, str]
    DONE: dict[bool, tuple[str, str]]
    TENTHS: tuple[str, ...]
    COST: str
    BY_LEVEL: dict[Level, dict[str, ConceptWords]]

    def number_words(self, number: int, /) -> str: ...
    def number_clips(self) -> tuple[str, ...]: ...
    def number_parts(self, number: int, /) -> tuple[str, ...]: ...
    def spoken_name(self, corner_id: str, /) -> str: ...
    def lap_time_parts(self, tenths: int, /) -> tuple[str, ...]: ...
    def delta_parts(self, tenths: int, /) -> tuple[str, ...]: ...


def _heard(code: Code) -> HeardWords:
    """The file of a language, loaded when it is asked for: a command speaks one. KeyError."""
    if code not in CODES:
        raise KeyError(code)
    return cast(HeardWords, importlib.import_module(f"pitwall.words.{code}"))


def _stored(code: Code) -> dict[str, str]:
    return tables(code, "stored")["stored"]


class Language:
    """All words of one language. A number that is heard comes as the clips it is joined from, in order; what
    is read is `say`, with its figures in the driver's units."""

    def __init__(self, code: Code, units: Units = "metric") -> None:
        self.code, self.units = code, units
        self._file, self._read = _heard(code), ReadTexts(code)
        self.figures = Filler(self._read, units)
        self.voice = self._file.VOICE
        self.fixed: Mapping[str, str] = self._file.FIXED
        # Where in a corner a time was lost; before what a called pass won, whether he did as told or not.
        self.lost: Mapping[str, str] = self._file.LOST
        self.done: Mapping[bool, tuple[str, str]] = self._file.DONE
        # A corner by its direction and how tight it is; that one brakes for it.
        self.shapes: Mapping[tuple[str, str], str] = self._file.SHAPES
        self.braking = self._file.BRAKING
        # Before by how much it is faster than the one before.
        self.best_lap = self._file.BEST_LAP
        # Behind a name; behind an `after` that had been cured; before an `after` of an earlier day.
        self.heeded, self.relapse, self.last_time = (
            self._file.HEEDED, self._file.RELAPSE, self._file.LAST_TIME,
        )  # fmt: skip

    def concept(self, concept: str, level: Level = "intermediate", amount: Amount = "") -> ConceptWords:
        """How a piece of advice is said to a driver of this level. One that takes no amount ignores it; a
        limit of the car is said in its fixed message only. KeyError for an unknown id."""
        words = self._row(concept, level)
        said = self._file.AMOUNTS[amount] if amount else ""
        return ConceptWords(*(_filled(form, said) for form in msgspec.structs.astuple(words)))

    def best(self, fact: str, amount: Amount = "") -> tuple[str, str]:
        """Return what the driver's own best pass did otherwise, and the same in fewer words ("": there are
        none)."""
        text, short = self._file.BEST[fact]
        return _filled(text, self._file.AMOUNTS[amount] if amount else ""), short

    def tenths(self, seconds: float) -> str:
        """A time to the tenth as it is told of a corner: "two tenths"; all that is more is one word."""
        last = len(self._file.TENTHS)
        return self._file.TENTHS[min(max(round(10.0 * seconds), 1), last) - 1]

    def cost(self, seconds: float) -> str:
        """Return what a fault cost, behind what to do about it: "you lost two tenths"."""
        return _filled(self._file.COST, self.tenths(seconds))

    def takes_amount(self, concept: str) -> bool:
        """Return whether this advice can say how much."""
        return "{amount}" in self._row(concept, "intermediate").before

    def concepts(self) -> tuple[str, ...]:
        """The ids of all advice that has words of its own."""
        return tuple(self._file.CONCEPTS)

    def texts(self, level: Level = "intermediate") -> Iterator[str]:
        """Every text that is said and holds no name, each once: messages first, then advice, then numbers."""
        found = itertools.chain(
            self.fixed.values(),
            (self.heeded, self.relapse, self.last_time),
            (
                self.best_lap,
                self.braking,
                *self.shapes.values(),
                *self.lost.values(),
                *(form.rstrip(",") for forms in self.done.values() for form in forms),
                *self._file.TENTHS,
                _filled(self._file.COST, ""),
            ),
            (
                form
                for fact, (text, _) in self._file.BEST.items()
                for amount in (("", *AMOUNTS) if "{amount}" in text else ("",))
                for form in self.best(fact, amount)
                if form
            ),
            (
                form
                for concept in self.concepts()
                for amount in (("", *AMOUNTS) if self.takes_amount(concept) else ("",))
                for form in msgspec.structs.astuple(self.concept(concept, level, amount))
                if form
            ),
            self._file.number_clips(),
        )
        yield from dict.fromkeys(found)

    def gain_texts(self) -> tuple[str, ...]:
        """Return those of `texts` that tell by how much a lap was faster, up to 20 s."""
        return tuple(
            dict.fromkeys((self.best_lap, *(p for n in range(1, 200) for p in self.spoken_delta(-n / 10.0))))
        )

    def name(self, corner_id: str) -> str:
        """A corner's id as a driver says it, in the middle of a sentence: "turn three A"."""
        return self._file.spoken_name(corner_id)

    def praise(self, corner_id: str) -> str:
        """Return what a driver hears once when a corner he was coached in is cured."""
        return sentence(self._file.PRAISE.format(name=self.name(corner_id)))

    def plain_script(self, corner_id: str) -> dict[str, str]:
        """The script of a corner that has none of its own, in the form of a script file."""
        name = self.name(corner_id)
        return {key: sentence(text.format(name=name)) for key, text in self._file.PLAIN.items()}

    def number_words(self, number: int) -> str:
        """0..999 in words, larger numbers as digits."""
        return self._file.number_words(number)

    def spoken_lap_time(self, time_s: float) -> tuple[str, ...]:
        """A lap time to the tenth: "one", "fifty two", "point three"."""
        return self._file.lap_time_parts(min(max(round(time_s * 10.0), 0), _MOST_TENTHS))

    def spoken_delta(self, delta_s: float) -> tuple[str, ...]:
        """A difference to the tenth, more than nothing is slower: "three", "tenths slower"."""
        return self._file.delta_parts(min(max(round(delta_s * 10.0), -_MOST_TENTHS), _MOST_TENTHS))

    def spoken_speed(self, speed_mps: float) -> tuple[str, ...]:
        """A speed in km/h or mph, without its unit: "one hundred", "twenty one"."""
        speed = round(self.figures.value(speed_mps, "m/s"))
        return self._file.number_parts(min(max(speed, 0), _MOST_SPEED))

    def say(self, key: str, /, **values: Any) -> str:
        """A sentence or a part of one, filled with its values; see `Filler` for the formats. KeyError."""
        return self.figures.vformat(self._read.sentences[key], (), values)

    def retold(self, text: str) -> str:
        """A text that was stored in English, such as why a lap does not count; others as they are."""
        return text if self.code == "en" and self.units == "metric" else self._retold(text)

    def retold_in(self, struct: S, *names: str) -> S:
        """The struct with these of its texts told anew."""
        return msgspec.structs.replace(struct, **{name: self.retold(getattr(struct, name)) for name in names})

    def reason(self, text: str) -> str:
        """Why the ledger says that a cue was said or not: each reason told anew, an advice in its words."""
        return "; ".join(map(self._retold, text.split("; ")))

    def _retold(self, text: str) -> str:
        for key, pattern, specs in _stored_patterns():
            if found := pattern.fullmatch(text):
                values = {
                    name: float(value) if specs[name] else self._value_retold(name, value)
                    for name, value in found.groupdict().items()
                }
                return self.figures.vformat(_stored(self.code)[key], (), values)
        return text

    def _value_retold(self, name: str, value: str) -> str:
        if not name.startswith("told"):
            return self.term("cause", value)
        if value in self._file.CONCEPTS:
            return self.concept(value).short
        return self._file.BEST[value][1] if value in self._file.BEST else self._retold(value)

    def term(self, table: str, word: str) -> str:
        """A word of the analysis as the driver reads it; one that has no other form as it is. A measure that
        has no name is called by the first word by which it is asked for."""
        found = self._terms(table).get(word)
        if found is None and table == "asked":
            return sentence(self.term("measure", word))
        if found is None and table == "measure":
            return tables(self.code, "ask")["lexicon"].get(word.upper(), word).partition(",")[0]
        return word if found is None else found

    def terms(self, table: str) -> dict[str, str]:
        """All words of one table, as the driver reads them."""
        return dict(self._terms(table))

    def _terms(self, table: str) -> dict[str, str]:
        return tables(self.code, "ask")[table] if table in ("asked", "measure") else self._read.terms[table]

    def has_term(self, table: str, word: str) -> bool:
        """Return whether a word of the analysis has a form of its own."""
        return word in self._terms(table)

    def corner_title(self, name: str) -> str:
        """A corner's or sector's name as it is read, from its name in the track file."""
        return self._read.corner_title(name)

    def _row(self, concept: str, level: Level) -> ConceptWords:
        if concept not in self._file.CONCEPTS:
            return ConceptWords(self.fixed[concept], "", "", "")
        return self._file.BY_LEVEL.get(level, {}).get(concept) or self._file.CONCEPTS[concept]


@functools.cache
def language(code: Code, units: Units = "metric") -> Language:
    """The words of a language, always the same object for the same language and units."""
    return Language(code, units)


ENGLISH = language("en")


@functools.cache
def _stored_patterns() -> list[tuple[str, re.Pattern[str], dict[str, str]]]:
    """Each stored text: its key, what it looks like in English, and the formats of its values."""
    found = []
    for key, template in _stored("en").items():
        pattern, specs = "", {}
        for text, name, spec, _ in string.Formatter().parse(template):
            pattern += re.escape(text)
            if name:
                specs[name] = spec or ""
                pattern += rf"(?P<{name}>{'[-+]?[0-9.]+' if spec else '.+'})"
                # A value of a unit was stored in it.
                pattern += f" {unit[0]}" if spec and (unit := re.match(r"m(/s)?(?=\.)", spec)) else ""
        found.append((key, re.compile(pattern), specs))
    return found


def sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def _filled(form: str, amount: str) -> str:
    """The form with its amount; without one, the gap is closed."""
    if amount:
        return form.format(amount=amount)
    return " ".join(form.replace(", {amount}", "").replace("{amount}", "").split())


def names_folder(name: str) -> bool:
    """Return whether a folder of this name holds the scripts of a language or a level, and so none of a
    track."""
    return name in CODES or name in LEVELS
