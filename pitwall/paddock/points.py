"""Points: a model orders facts that code computed and chooses advice; code words both.

A *fact* has an id and its words. A point is `{fact, advice, join}`; `join` is one of few
connectives."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import msgspec

from pitwall.paddock.model_text import EMOTIONS
from pitwall.words.language import Language

# What no answer needs more of; a model that writes more has lost its way.
MOST_POINTS, MOST_ANSWER_CHARS, MOST_REASON_CHARS = 24, 32_000, 160
# A driver hears no more of a run.
MOST_TOLD = 6
_OBJECT = re.compile(r"\{[^{}]{0,2000}\}")
_EMOTION = re.compile(r'"?emotion"?\s*[:=]\s*"?(\w+)|^\s*\[(\w+)\]')


class AnswerPoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """A point as a model gives it; nothing in it is believed."""

    fact: str
    advice: str = ""
    join: str = ""
    reason: str = ""


class Given(NamedTuple):
    """A model's answer: its points, its mood ("" for none), whether it came to its end."""

    points: tuple[AnswerPoint, ...]
    emotion: str
    whole: bool


class PointFact(msgspec.Struct, frozen=True):
    """A fact: `certain` is always said, `note` is for the model, `reading`: of the question."""

    id: str
    text: str
    certain: bool = False
    advice: tuple[str, ...] = ()
    kind: str = ""
    note: str = ""
    reading: bool = False


class PointFacts:
    """The facts of one answer, by their ids: F1, F2, ..."""

    def __init__(self, words: Language) -> None:
        self.words = words
        self._facts: dict[str, PointFact] = {}
        self._number = 0
        # The most points of one answer.
        self.most = MOST_POINTS

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, fact: str) -> bool:
        return fact in self._facts

    def add(
        self,
        text: str,
        *,
        certain: bool = False,
        advice: Collection[str] = (),
        kind: str = "",
        note: str = "",
        reading: bool = False,
    ) -> str:
        """Add a fact; its id, that of the same text where it is known; "" for no text."""
        text = text.strip()
        if not text:
            return ""
        known = next((each for each in self._facts.values() if each.text == text), None)
        if known:
            both = tuple(dict.fromkeys((*known.advice, *advice)))
            fact = msgspec.structs.replace(
                known, certain=certain or known.certain, advice=both, reading=known.reading or reading
            )
        else:
            self._number += 1
            fact = PointFact(f"F{self._number}", text, certain, tuple(advice), kind, note, reading)
        self._facts[fact.id] = fact
        return fact.id

    def doubt_reading(self, *, drop: bool) -> None:
        """The model asked for a figure: what code read is not certain; `drop` forgets it."""
        self._facts = {
            each.id: msgspec.structs.replace(each, certain=each.certain and not each.reading, reading=False)
            for each in self._facts.values()
            if not (drop and each.reading)
        }

    def shown(self, kinds: Collection[str] = (), ids: Collection[str] = ()) -> str:
        """The facts for a prompt, one a line; of `kinds` or `ids`, where some are named."""
        lines = [
            f"{each.id}: {' '.join(each.text.split())}"
            + (f" [{each.note}]" if each.note else "")
            + (f" (advice: {' | '.join(each.advice)})" if each.advice else "")
            for each in self._facts.values()
            if not (kinds or ids) or each.kind in kinds or each.id in ids or (ids and each.certain)
        ]
        return "\n".join(lines) or "none yet"

    def kept(self, points: Iterable[AnswerPoint], most: int = 0) -> tuple[AnswerPoint, ...]:
        """The points that name a fact, each fact once; advice only where it fits."""
        found: dict[str, AnswerPoint] = {}
        for point in points:
            name = point.fact.strip(" []").upper()
            if name in self._facts and name not in found:
                advice = point.advice if point.advice in self._facts[name].advice else ""
                join = point.join if self.words.has_term("join", point.join) else ""
                found[name] = AnswerPoint(name, advice, join, point.reason[:MOST_REASON_CHARS])
        return tuple(found.values())[: most or self.most]

    def told(self, points: Iterable[AnswerPoint]) -> str:
        """The points in words, then the certain facts that they leave out."""
        order = self.kept(points)
        left = (AnswerPoint(each.id) for each in self._facts.values() if each.certain)
        named = {point.fact for point in order}
        whole = [*order, *(point for point in left if point.fact not in named)]
        parts = [self.told_one(point) for point in whole]
        return ("\n\n" if any("\n" in part for part in parts) else " ").join(parts)

    def told_one(self, point: AnswerPoint) -> str:
        """A point that `kept` gave, in words."""
        said = [self.words.term("join", point.join)] if point.join else []
        said += [self._facts[point.fact].text]
        said += [self.words.term("advice", point.advice)] if point.advice else []
        return " ".join(said)


def points_in(text: str) -> Given:
    """The whole points of a text that may be cut anywhere; in time that grows with its length."""
    text = text[:MOST_ANSWER_CHARS]
    points = []
    for found in _OBJECT.finditer(text):
        try:
            points.append(msgspec.json.decode(found[0], type=AnswerPoint, strict=False))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if len(points) == MOST_POINTS:
            break
    mood = _EMOTION.search(text[:2000])
    emotion = (mood[1] or mood[2]).lower() if mood else ""
    bare = _OBJECT.sub("", text)
    whole = bare.count("{") == bare.count("}") and bare.count("[") == bare.count("]")
    return Given(tuple(points), emotion if emotion in EMOTIONS else "", whole)


def take_up_composed(facts: PointFacts, composed: str, *, certain: bool, reading: bool = False) -> None:
    """Add a composed answer by its paragraphs. What stands below a heading keeps its order."""
    words = facts.words
    heads = {
        words.say(key, count=words.term("things", count))
        for key in ("things", "things ranked")
        for count in "123"
    }
    whole: list[str] = []
    below = False
    for paragraph in composed.split("\n\n"):
        if below:
            whole[-1] += f"\n\n{paragraph}"
        else:
            whole.append(paragraph)
        below = below or paragraph in heads or paragraph.rstrip().endswith(":")
    for text in whole:
        facts.add(text, certain=certain, reading=reading)


def take_up_losses(facts: PointFacts, opportunities: Any) -> None:
    """Add where time goes, each with the advice for it."""
    words = facts.words
    for each in opportunities if isinstance(opportunities, list) else ():
        with contextlib.suppress(KeyError, TypeError, ValueError):
            corner, action = str(each["corner"]).replace("_", " ").capitalize(), each["action"]
            text = words.say("corner loss short", corner=corner, loss=each["loss_s"])
            facts.add(f"{text}: {words.term('habit', each['cause'])}.", advice=(action,))
