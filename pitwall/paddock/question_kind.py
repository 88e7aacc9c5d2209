"""Questions of two special kinds: small talk, which needs no tool, and requests to change a voice script."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from pitwall.words.language import ENGLISH, Language
from pitwall.words.texts import tables

_MAX_WORDS = 8
# The answers to courtesies; of several the first.
COURTESIES = ("any time", "see you", "here", "all right", "hello")


def courtesy(question: str, words: Language = ENGLISH) -> str:
    """Return the answer to small talk without a model, "" for any other question."""
    asked = re.findall(r"[a-z']+", question.lower().replace("m8", "mate"))
    if not 0 < len(asked) <= _MAX_WORDS or any(char.isdigit() for char in question.replace("m8", "")):
        return ""
    rows = tables("ask")["courtesies"]
    around = {*rows["around"].split()}
    cores = {word: key for key, text in rows.items() if key != "around" for word in text.split()}
    if not all(word in cores or word in around for word in asked):
        return ""
    found = {cores[word] for word in asked if word in cores}
    key = next((each for each in COURTESIES if each in found), "")
    # "That was fun, thanks" is one, "was the session ok" is none.
    return words.say(key) if key and ("was" not in asked or key == "any time") else ""


def is_small_talk(question: str) -> bool:
    """Return whether a question is a greeting, thanks or a goodbye and nothing else."""
    return bool(courtesy(question))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Return the pattern of a kind of question; `<verb>` stands for a row of the same table."""
    rows = tables("ask")["kinds"]
    return re.compile(re.sub(r"<(\w+)>", lambda hit: f"(?:{rows[hit[1]]})", rows[kind]), re.IGNORECASE)


def _is(kind: str, text: str) -> bool:
    return bool(_pattern(kind).search(text))


def asks_for_notes(question: str) -> bool:
    """Return whether it is asked what no signal of ours shows and a person may have noted."""
    return _is("noted", question)


def asks_for_advice(question: str) -> bool:
    """Return whether it is asked what to do, or whether something is right: "too early"."""
    return _is("advised", question)


def asks_for_most(question: str) -> bool:
    """Return whether the highest value alone is asked for."""
    return _is("biggest", question)


def channel_parts(word: str) -> list[str]:
    """Return how the part of a channel's name that a word means may be written."""
    known = "" if len(word) < 3 or word in tables("ask")["narrows"] else word
    return [*filter(None, tables("ask")["channels"].get(word, known).split(", "))]


def parts_asked(words: Iterable[str], parts: Iterable[str]) -> set[str]:
    """Return those parts of a channel's name, or its unit, that these words mean."""
    narrows = tables("ask")["narrows"]
    called = {each for word in words for each in (*channel_parts(word), *narrows.get(word, "").split(", "))}
    long = tuple(each for each in called if len(each) > 4)
    return {part for part in parts if part in called or part.startswith(long)}


def asks_for_words(question: str) -> bool:
    """Return whether it is asked what is said in the car: "what do you say at turn 7"."""
    return _is("speaks", question)


def asks_for_memory(question: str) -> bool:
    """Return whether it is asked what was said before: "what did you tell me"."""
    return _is("recalls", question)


def asks_for_change(question: str) -> bool:
    """Return whether it is clearly asked to change phrases, so that the tool is forced."""
    # What somebody else said or wrote is no request of the driver's.
    text = " ".join(_pattern("quoted").sub(" ", question).lower().replace("’", "'").split())
    if _is("sound", text):  # a setting, not a phrase
        return False
    clauses = [text, *re.split(r"[.;!?]\s*|,\s+(?:and\s+|then\s+)?", text)]
    return any(
        _is("begged", clause)
        or (not _pattern("question").match(clause) and (_is("asked", clause) or _is("wanted", clause)))
        for clause in clauses
        if _is("phrases", clause) and not _is("again", clause)
    )
