"""The words of one question: what is taken out of them, and what was found."""

from __future__ import annotations

import re
from functools import cache

from pitwall.paddock.questions.corner_names import CornerNames
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
    """What a match of the pattern may begin with, after a space; () where that can't be told."""
    try:
        found, _ = _of_alternatives(pattern, 0)
    except _UnknownBeginning:
        return ()
    return tuple(f" {each}" for each in found)


class _UnknownBeginning(Exception):
    pass


def _of_alternatives(pattern: str, at: int) -> tuple[set[str], int]:
    """The beginnings of a group that is open at `at`, and where it ends."""
    found: set[str] = set()
    run, is_begun = "", False  # the letters that an alternative begins with; whether more can't change it
    while True:
        char = pattern[at : at + 1]
        if char in ("", ")", "|"):
            if not run and not is_begun:
                raise _UnknownBeginning
            found |= {run} if run else set()
            if char != "|":
                return found, at
            run, is_begun, at = "", False, at + 1
        elif char == "(":
            looks = re.match(r"\((?:\?<?[=!])", pattern[at:])
            inner, end = (
                (set[str](), _closing(pattern, at))
                if looks or run or is_begun
                else _of_alternatives(pattern, at + (3 if pattern.startswith("(?:", at) else 1))
            )
            at = end + 1
            found |= inner
            is_begun = is_begun or bool(run) or (bool(inner) and not _may_lack(pattern, at))
        elif run or is_begun:
            is_letter = char.isalpha() or char == " "
            if run and not is_begun and is_letter and not _may_lack(pattern, at + 1):
                run += char
            is_begun = is_begun or not is_letter or _may_lack(pattern, at + 1)
            at += 2 if char == "\\" else _closing(pattern, at) + 1 - at if char == "[" else 1
        elif char in "?*{":  # of a group that was read
            at = pattern.index("}", at) + 1 if char == "{" else at + 1
        elif char.isalpha() and not _may_lack(pattern, at + 1):
            run, at = char, at + 1
        else:
            raise _UnknownBeginning


def _may_lack(pattern: str, at: int) -> bool:
    return pattern.startswith(("?", "*", "{0"), at)


def _closing(pattern: str, at: int) -> int:
    """Where the group or the class that is open at `at` ends."""
    if pattern[at] == "[":
        return pattern.index("]", at)
    depth = 0
    for found in re.finditer(r"\\.|[()]", pattern[at:]):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not depth:
            return at + found.start()
    raise _UnknownBeginning


class Words:
    """`text` has what nothing was taken for yet, `begins` the question as typed, `found` fields of a reading.

    `steps_from`: a lap after one that is named is meant, not both.
    """

    def __init__(self, question: str, names: CornerNames) -> None:
        self.begins, self.text = prepared(question, names)
        self.found: dict[str, object] = {}
        self.names = names
        self.steps_from = False

    def has(self, pattern: str) -> re.Match[str] | None:
        """The first match. Most patterns are never compiled: that takes longer than all the rest."""
        beginnings, text = _beginnings(pattern), f" {self.text}"
        if beginnings and not any(each in text for each in beginnings):
            return None
        return compiled(pattern).search(self.text)

    def take(self, pattern: str, put: str = "") -> re.Match[str] | None:
        """The first match, taken out of the text."""
        found = self.has(pattern)
        if found is not None:
            taken = f"{self.text[: found.start()]} {put} {self.text[found.end() :]}"
            self.text = re.sub(" +", " ", taken)
        return found
