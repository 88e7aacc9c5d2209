"""The words of one question: what is taken out of them, and what was found."""

from __future__ import annotations

import re
from functools import cache

from pitwall.ask.corner_names import CornerNames
from pitwall.paddock.questions.prepared import prepared

# Shorter ones may be no more than a lap or a place, which goes on with the question before.
MOST_SCRAP_WORDS = 3
HOW_TO = re.compile(r"\bhow (?:can|could|do|should|would|might|to) (?:i |we )?")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern between ends of words."""
    return re.compile(rf"\b(?:{pattern})(?!\w)")


@cache
def _beginnings(pattern: str) -> tuple[str, ...]:
    """Letters that each match of the pattern begins with some of, () where that can't be told."""
    found: list[str] = []
    for each in _alternatives(pattern):
        start = re.sub(r"^(?:\(\?<?[=!][^()]*\))*", "", each)
        if start.startswith("("):
            end = _group_end(start)
            begun, after = _beginnings(start[:end].removeprefix("(").removeprefix("?:")), start[end + 1 :]
            if after.startswith(("?", "*", "{")):
                rest = _beginnings(after.lstrip("?*"))
                begun = (*begun, *rest) if begun and rest else ()
        else:
            letters = (re.match("[a-z ]*", start) or [""])[0]
            last = -1 if start.startswith(("?", "*", "{"), len(letters)) else None
            begun = tuple(filter(None, [letters[:last].rstrip()]))
        if not begun:
            return ()
        found += begun
    return tuple(found)


_PARTS = re.compile(r"\\.|\[[^\]]*\]|[()|]")


def _alternatives(pattern: str) -> list[str]:
    depth, begin, found = 0, 0, []
    for each in _PARTS.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(each[0], 0)
        if each[0] == "|" and not depth:
            found.append(pattern[begin : each.start()])
            begin = each.end()
    return [*found, pattern[begin:]]


def _group_end(pattern: str) -> int:
    depth = 0
    for each in _PARTS.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(each[0], 0)
        if not depth:
            return each.start()
    return len(pattern)


class QuestionText:
    """`text` has what nothing was taken for yet, `begins` the question as typed, `found` fields of a reading.

    `steps_from`: a lap after one that is named is meant, not both. `taken`: the measures as they were said;
    `points` of a corner, from entry to exit; `by_corner`: a figure of each corner was named; `passed_over`:
    strange words in the midst of known ones.
    """

    def __init__(self, question: str, names: CornerNames) -> None:
        self.begins, self.text = prepared(question, names)
        self.found: dict[str, object] = {}
        self.names = names
        self.steps_from = self.by_corner = False
        self.taken: tuple[str, ...] = ()
        self.points: list[str] = []
        self.passed_over: list[str] = []

    def has(self, pattern: str) -> re.Match[str] | None:
        """The first match. Most patterns are never compiled: that takes longer than all the rest."""
        beginnings, text = _beginnings(pattern), f" {self.text}"
        if beginnings and not any(f" {each}" in text for each in beginnings):
            return None
        return compiled(pattern).search(self.text)

    def take(self, pattern: str, put: str = "") -> re.Match[str] | None:
        """The first match, taken out of the text."""
        found = self.has(pattern)
        if found is not None:
            taken = f"{self.text[: found.start()]} {put} {self.text[found.end() :]}"
            self.text = re.sub(" +", " ", taken)
        return found
