"""Questions of two special kinds: small talk, which needs no tool, and requests to change a voice script."""

from __future__ import annotations

import re

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


_SPEAKS = r"\b(?:do|does|will|would) (?:you|(?:the |my )?coach|pitwall) (?:\w+ )?(?:say|tell|call|speak)\b"


def asks_for_words(question: str) -> bool:
    """Return whether it is asked what is said in the car: "what do you say at turn 7", not "what
    did you say"."""
    return bool(re.search(_SPEAKS, question.lower()))


_RECALLS = (
    r"\b(?:did|have|had) (?:you|we|i) (?:\w+ )?"
    r"(?:say|said|tell|told|ask|asked|talked?|discuss(?:ed)?|learn(?:t|ed)?)\b"
    r"|\b(?:you|i|we) (?:told|asked|said|talked|learned) (?:\w+ ){0,3}(?:last|before|earlier)\b"
)


def asks_for_memory(question: str) -> bool:
    """Return whether it is asked what was said or learned before: "what did you tell me about turn
    7"."""
    return bool(re.search(_RECALLS, question.lower()))


# Clear words only, since the tool that writes is forced where they stand.
_VERBS = (
    r"(?:change|rewrite|reword|rename|rephrase|replace|swap|update|edit|shorten|simplify|write|make|say|save|record|"
    r"add|put|drop|remove|fix|let it say|have it say)"
)
_POLITE = r"(?:please|pls|just|now|then|and|so|ok|okay|hey|chief|coach|also)[\s,]+"
_WHERE = r"(?:(?:at|for|in|into|on|instead of)\s[^,]*,?\s+)"
_ASKED = rf"^(?:{_POLITE})*{_WHERE}?(?:{_POLITE})*{_VERBS}\b"
_MAY_YOU = rf"^(?:{_POLITE})*(?:can|could|would|will) (?:you|we) (?:please |just |also )*{_VERBS}\b"
_WANTED = (
    rf"\b(?:i want|i'd like|i need|want you to|like you to|let's|need you to)\b.*\b{_VERBS}\b"
    r"|\b(?:want|like|need) (?:a |an )?(?:new|different|other|another|shorter) (?:\w+ )?"
    r"(?:script|scripts|phrase|phrases|words|wording|line|lines|call|calls)\b"
    r"|\b(?:it|script|phrase|call) (?:should|must|is to) say\b|\bneeds? (?:rewriting|changing|rewording)\b"
    r"|^(?:a )?(?:new|different|shorter) (?:script|scripts|phrase|phrases|words|wording|line|lines)\b"
)
_QUESTION = (
    r"^(?:what|which|why|how|when|where|who|is|are|do|does|did|was|were|have|has|will it|read|show|tell)\b"
)
# "Fix my braking", "save fuel" and "add up my sectors" change no phrase; nor does "say that again".
_ABOUT_WORDS = (
    r"\b(?:scripts?|audio|phrases?|lines?|words?|wording|calls?|callouts?|cues?|it|ones?|that|this|say|rewrit\w*|rewrite|"
    r"reword\w*|rephrase\w*)\b"
)
_TOLD = r"\bsay (?:\w+ )?again\b|\bsay (?:what|whether|how|if|why|which|when|where|more|so)\b|\bdrop me\b"
# The sound is a setting, not a phrase.
_SOUND = (
    r"\b(?:volume|loud|louder|quiet|quieter|voice|female|male|woman|beeps?|slower|quicker|language|"
    r"german|french|spanish|italian|english)\b"
)


_QUOTED = r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|`[^`]*`|(?<!\w)\'[^\']*\'(?!\w)'


def asks_for_change(question: str) -> bool:
    """Return whether it is clearly asked to change phrases: "change the phrase at turn 7", not
    "what do you say"."""
    # What somebody else said or wrote is no request of the driver's.
    text = " ".join(re.sub(_QUOTED, " ", question).lower().replace("’", "'").split())
    if re.search(_SOUND, text):
        return False
    clauses = [text, *re.split(r"[.;!?]\s*|,\s+(?:and\s+|then\s+)?", text)]
    return any(
        re.search(_MAY_YOU, clause)
        or (not re.match(_QUESTION, clause) and (re.search(_ASKED, clause) or re.search(_WANTED, clause)))
        for clause in clauses
        if re.search(_ABOUT_WORDS, clause) and not re.search(_TOLD, clause)
    )
