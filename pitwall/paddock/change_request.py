"""Whether a question about the voice scripts asks for other words, or only what the words are."""

from __future__ import annotations

import re

# Clear words only: what is forced to be written was better asked for.
_VERBS = (
    r"(?:change|rewrite|reword|rename|rephrase|replace|swap|update|edit|shorten|simplify|write|make|say|save|record|"
    r"add|put|drop|remove|fix|let it say|have it say)"
)
_POLITE = r"(?:please|pls|just|now|then|and|so|ok|okay|hey|chief|coach|also)[\s,]+"
_WHERE = r"(?:(?:at|for|in|into|on|instead of)\s[^,]*,?\s+)"
_ASKED = re.compile(rf"^(?:{_POLITE})*{_WHERE}?(?:{_POLITE})*{_VERBS}\b")
_MAY_YOU = re.compile(
    rf"^(?:{_POLITE})*(?:can|could|would|will) (?:you|we) (?:please |just |also )*{_VERBS}\b"
)
_WANTED = re.compile(
    rf"\b(?:i want|i'd like|i need|want you to|like you to|let's|need you to)\b.*\b{_VERBS}\b"
    r"|\b(?:want|like|need) (?:a |an )?(?:new|different|other|another|shorter) (?:\w+ )?"
    r"(?:script|scripts|phrase|phrases|words|wording|line|lines|call|calls)\b"
    r"|\b(?:it|script|phrase|call) (?:should|must|is to) say\b|\bneeds? (?:rewriting|changing|rewording)\b"
    r"|^(?:a )?(?:new|different|shorter) (?:script|scripts|phrase|phrases|words|wording|line|lines)\b"
)
_QUESTION = re.compile(
    r"^(?:what|which|why|how|when|where|who|is|are|do|does|did|was|were|have|has|will it|read|show|tell)\b"
)
# How it sounds is a setting: no phrase changes it.
_SOUND = re.compile(
    r"\b(?:volume|loud|louder|quiet|quieter|voice|female|male|woman|beeps?|slower|quicker|language|"
    r"german|french|spanish|italian|english)\b"
)


def asks_for_change(question: str) -> bool:
    """A clear request to write or change phrases: "change the phrase at turn 7", not "what do you say"."""
    text = " ".join(question.lower().replace("’", "'").split())
    if _SOUND.search(text):
        return False
    clauses = [text, *re.split(r"[.;!?]\s*|,\s+(?:and\s+|then\s+)?", text)]
    return any(
        _MAY_YOU.search(clause)
        or (not _QUESTION.match(clause) and (_ASKED.search(clause) or _WANTED.search(clause)))
        for clause in clauses
    )
