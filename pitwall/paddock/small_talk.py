"""Greetings and thanks: the only questions that need no tool."""

from __future__ import annotations

import re

_COURTESIES = """
    hi hello hey hiya yo morning afternoon evening good thanks thank you cheers ta bye goodbye see later ok
    okay great nice one well done cool perfect brilliant how are doing there mate chief coach again very much
    so appreciate it that's all for now
"""
# One of these must be there: "how are you" is small talk, "how is it" is a question about the car.
_CORES = "hi hello hey hiya yo morning afternoon evening thanks thank cheers ta bye goodbye ok okay"
_WORDS, _CORE = frozenset(_COURTESIES.split()), frozenset(_CORES.split())
_PLAIN = re.compile(r"^how are you( doing)?$|^(nice one|well done|good job|see you( later)?)$")
_MAX_WORDS = 8
_THANKS = frozenset(("thanks", "thank", "cheers", "ta", "appreciate"))
_PARTING = frozenset(("bye", "goodbye", "later"))


def is_small_talk(question: str) -> bool:
    """Every word is a courtesy, and one of them a greeting or thanks."""
    words = re.findall(r"[a-z']+", question.lower())
    if not words or len(words) > _MAX_WORDS or any(char.isdigit() for char in question):
        return False
    if _PLAIN.match(" ".join(words)):
        return True
    return all(word in _WORDS for word in words) and any(word in _CORE for word in words)


def courtesy(question: str) -> str:
    """What to say to small talk without a model, "" for any other question."""
    if not is_small_talk(question):
        return ""
    words = frozenset(re.findall(r"[a-z']+", question.lower()))
    if words & _THANKS:
        return "Any time."
    if words & _PARTING:
        return "See you. Drive well."
    return "Hello. Ask me about your laps, a corner, or the plan for the next run."
