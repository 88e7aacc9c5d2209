"""Questions of two special kinds: small talk, which needs no tool, and requests to change a voice script."""

from __future__ import annotations

import re

from pitwall.words.language import ENGLISH, Language

_COURTESIES = """
    hi hello hey hiya yo morning afternoon evening good thanks thank you cheers ta bye goodbye see later ok
    okay great nice one well done cool perfect brilliant how are doing there mate chief coach again very much
    so appreciate it that's that then all for now the help tomorrow soon
    a lot lots many loads bunch guys man buddy dude thx tx cya ciao bro
    alright night u
"""
# Small talk has one of these: "how are you" is small talk, "how is it" is a question about the car.
_CORES = (
    "hi hello hey hiya yo morning afternoon evening night thanks thank thx tx cheers ta bye goodbye cya ok "
    "okay"
)
_WORDS, _CORE = frozenset(_COURTESIES.split()), frozenset(_CORES.split())
_PLAIN = re.compile(
    r"^how are you( doing)?$|"
    r"^(you('re| are)|youre|ur) (the best|great|awesome|amazing|brilliant|a star|a legend|good)$|"
    r"^(who|what) are you$|^what('s| is) your name$|^who made you$|^what('s|s| is) up$|^what (can't|cant|"
    r"can not) you (tell|do|answer)( me)?$|^are you (a |an "
    r")?(robot|bot|human|"
    r"person|machine|ai|real)$|"
    r"^what (can|do) you (do|know)$|^what can i ask( you)?$|"
    r"^(nice one|well done|(good|great|nice) (job|work)( today)?|see you( later| soon| tomorrow| next "
    r"time)?|cya|ciao)$"
)
# What is said about the drive or to the coach, and asks for nothing: the sentence that answers it.
_REMARKS = {
    "any time": (
        r"(?:(?:that|this|it|today|what)(?:'s|s| was| is| were)? (?:(?:so|really|such|great|good|pretty|a|"
        r"very|"
        r"much|lots of|of|brilliant|an|absolutely) )*(?:fun|great|good|brilliant|awesome|amazing|epic|"
        r"perfect|mega|"
        r"ace|helpful|useful|nice|a laugh|blast|day|ride|drive|session|run|help|joy|interesting|fantastic|"
        r"cool)"
        r"(?: (?:that|it|this) was)?(?: today| out there)?|"
        r"(?:you(?:'re| are|re)?|youre|ur) (?:(?:the|a|an|so|really|such|my|very) )*(?:best|great|awesome|"
        r"amazing|brilliant|star|legend|good|hero|genius|helpful|useful|funny|smart|clever|right)(?: "
        r"(?:help|coach|man|one))?|"
        r"i (?:had|have) (?:(?:a|such|so|really|great|good|lots|of|much) )*(?:fun|time|day|blast)(?: today)?|"
        r"(?:i )?(?:love|loved|enjoyed|like|liked) (?:it|that|you|this)(?: (?:a lot|so much|today))?|"
        r"(?:good|great|nice|lovely|top|cracking) (?:job|work|stuff|one|session|drive|run)(?: today)?)"
    ),
    "here": (
        r"(?:are )?(?:you|u|ya) (?:still )?(?:awake|there|here|alive|with me|listening|asleep|sleeping|on|"
        r"ready|up|"
        r"working)|(?:can|do) you (?:still )?hear me|(?:anyone|anybody) (?:there|home)|wake up|still "
        r"(?:there|awake)|"
        r"you ok(?:ay)?|test(?:ing)?(?: test(?:ing)?| one two| 1 2)*|come in"
    ),
    "all right": (
        r"(?:(?:that's|thats|that is|it's|its) (?:fine|ok|okay|good|great|all right|alright|enough)(?: now)?|"
        r"never ?mind|forget (?:it|that|about it)|(?:it )?do(?:es)?n'?t matter|no (?:worries|problem)|"
        r"scratch that|"
        r"cancel (?:that|it)|leave it|not now|(?:that's|thats|that is|that will be|that'll be) (?:all|it|"
        r"everything|"
        r"enough)(?: for (?:now|today))?|nothing(?: else)?|skip (?:it|that)|(?:ok|okay|alright|all right|"
        r"right|fine|"
        r"sure|got it|understood|i see|makes sense|fair enough|good to know|noted|copy(?: that)?|roger)"
        r"(?: (?:then|thanks|thank you|good|so))*)"
    ),
}
_AROUND_REMARK = (
    r"^(?:(?:thanks|thank you|thx|cheers|ta|ok|okay|well|hey|hi|oh|wow|haha|lol|yeah|yes|no|nah|nope|and|"
    r"but|so|ah|"
    r"hello|"
    r"yo|man|oi)(?: (?:a lot|so much|very much|mate|coach))? )+(?=\w)|"
    r"(?: (?:mate|buddy|coach|chief|pal|man|bro|dude|bud|my friend|boss|thanks|thank you|haha|lol|then|"
    r"again|by the "
    r"way|though|tho|for now|guys))+$"
)
_MAX_WORDS = 8
_PRAISED = ("best", "great", "awesome", "amazing", "brilliant", "star", "legend")
_THANKS = frozenset(
    ("thanks", "thank", "thx", "tx", "cheers", "ta", "appreciate", "job", "work", "done", *_PRAISED)
)
_PARTING = frozenset(("night", "see", "bye", "goodbye", "later", "cya", "ciao"))


def is_small_talk(question: str) -> bool:
    """Return whether every word is a courtesy, and one of them a greeting or thanks."""
    question = re.sub(r"\bm8\b", "mate", question.lower())
    words = re.findall(r"[a-z']+", question.lower())
    if not words or len(words) > _MAX_WORDS or any(char.isdigit() for char in question):
        return False
    if _PLAIN.match(" ".join(words)) or _remark(words):
        return True
    return all(word in _WORDS for word in words) and any(word in _CORE for word in words)


def _remark(words: list[str]) -> str:
    """The sentence that answers a remark, "" where it is none."""
    text = " ".join(words)
    for each in (text, re.sub(_AROUND_REMARK, "", text)):
        if found := next((key for key, pattern in _REMARKS.items() if re.fullmatch(pattern, each)), ""):
            return found
    return ""


def courtesy(question: str, words: Language = ENGLISH) -> str:
    """The answer to small talk without a model, "" for any other question."""
    if not is_small_talk(question):
        return ""
    asked = re.findall(r"[a-z']+", question.lower())
    said, remark = frozenset(asked), _remark(asked)
    if remark and not (remark == "all right" and said & _THANKS):
        return words.say(remark)
    return words.say("any time" if said & _THANKS else "see you" if said & _PARTING else "hello")


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


_SPEAKS = r"\b(?:do|does|will|would) (?:you|(?:the |my )?coach|pitwall) (?:\w+ )?(?:say|tell|call|speak)\b"


def asks_for_words(question: str) -> bool:
    """Return whether it is asked what is said in the car: "what do you say at turn 7", not "what did you
    say"."""
    return bool(re.search(_SPEAKS, question.lower()))


_QUOTED = r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|`[^`]*`|(?<!\w)\'[^\']*\'(?!\w)'


def asks_for_change(question: str) -> bool:
    """Return whether it is clearly asked to change phrases: "change the phrase at turn 7", not "what do you
    say"."""
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
