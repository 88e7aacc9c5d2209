"""Words of a question that stand for no field of its reading, by name: its `left`."""

from __future__ import annotations

import re
from collections.abc import Callable

from pitwall.paddock.question_reading import MOST_LEAST, QuestionReading
from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.question_text import QuestionText

COMPARATIVE = re.compile(
    r"\b(?:sooner|hotter|warmer|cooler|colder|faster|slower|quicker|better|worse|higher|lower|more|less|later|"
    r"earlier|harder|smoother)\b(?! than)"
)
GAINS = re.compile(
    r"(?:so |and )?(?:what|where\w*|(?:did|do|was) i (?:\w+ )?(?:anything|anywhere)|"
    r"which (?:corner|turn|part|bit|sector)s?)\b.*"
    r"\b(?:better|faster|quicker|gain\w*|w[io]n|ma[dk]e|found|find)\b"
)
# The longest time is no good one.
BY_VALUE_WORDS = re.compile(
    r"\b(?:(?:long|short|high|low|small|larg|bigg|great)est|max|min|maximum|minimum|"
    r"(?:most|least)(?: time|(?= *$)))\b"
)
THE_REST = (
    r"(?:and |what about |how about |can i (?:see|have|get) |(?:show|give|tell) me )*"
    r"(?:(?:of|for|in|at) )?(?:all )?(?:the |my )"
    r"(?:others|rest|other (?:corners|turns|bends))"
)
CLEAR = re.compile(
    r"\b(?:without|no|free of|clear of|ignoring|excluding|not counting) (?:the |any |my )?traffic(?: "
    r"laps)?\b|"
    r"\btraffic free\b|\bin (?:clear|clean) (?:air|track)\b"
)
_MORE_THAN = re.compile(
    r"\b(?:more|less|better|worse|(?:fast|slow|quick|high|low|lat|earli|hard|hott|long|short|deep)er)\b.*\bthan\b"
)
_DIFFERENT = re.compile(r"\b(?:whats?|anything|something)\b.*\b(?:different\w*|chang\w+)")
_ALONE = re.compile(r"what did i\b|(?:and )?what(?:s| is| was)? (?:different|changed)$")
# Asks for advice, not for what was driven.
_TO_CHANGE = re.compile(r"\b(?:should|would|could|can|do i change|to change|changes|next)\b")
_WHEN = re.compile(r"(?:and )?when (?:was|were|did) (?!i (?:brake|lift|shift))")
_ONE = re.compile(
    r"^(?:what about |how about )?(?:(?!lap|next)\w+ ){0,3}(?:best|worst|fastest|slowest|quickest|weakest|"
    r"strongest)(?: ones?)?$|"
    r"^and which(?: one)? (?:is|was|are|were) my (?:best|worst|fastest|slowest|quickest|weakest|"
    r"strongest)$"
)
# Not "which corner was fastest".
_MINE = re.compile(
    r"\b(?:corner|turn|bend)s? (?:(?:where|that|in which) )?(?:(?:was|were|am) i|i (?:was|am)) "
    r"(?:the |my |at my )?(?:fastest|quickest|best)\b"
)
# What advice may be asked for: a name, an example, how that is said, how the ids of such advice begin.
ABOUT: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    *(
        (f"about braking {how}", f"how often did you tell me to brake {how}", rf"\bbrak\w* (?:\w+ )?{how}\b",
         (f"brake_{how}",))
        for how in ("later", "earlier", "harder", "lighter")
    ),
    ("about braking", "did you say anything about my braking",
     r"\bbrak(?!\w* (?:\w+ )?(?:later|earlier|harder|lighter)\b)", ("brake_", "release_", "trail_")),
    ("about the throttle", "did you tell me to get on the throttle sooner", r"\b(?:throttle|gas|power)\b",
     ("throttle_",)),
    ("about the speed", "how often did you tell me to slow less",
     r"\bslow(?:ed|ing)? (?:\w+ )?(?:less|down)\b|\bover ?slow|"
     r"\b(?:too|less|more|carry|take|my|about) (?:\w+ )?(?:slow|speed)\b",
     ("over_slowed", "more_apex_speed")),
)  # fmt: skip
# What the answer before is pointed at by: "why there", "how do I fix that".
_POINTS = re.compile(
    r"\b(?:there|(?:that|this) (?:one|corner|turn|bend|place|spot|bit|lap)|"
    r"(?:do|fix|improve|cure|sort|change|avoid|correct|solve|work on|practi[sc]e|stop|find|gain|get) "
    r"(?:that|it|this|them))\b|"
    r"(?:about|with) (?:it|that|them)$|"
    r"\b(?:do|did|are|were) (?:you|we) (?:mean|talking about|speaking of)$|"
    r"^(?:(?:and|so|but|ok|okay|well) )*"
    r"(?:why|how come|how so|what(?: is| was|s)? the (?:reason|cause|problem))"
    r"(?: (?:is|was|so|did|do|am|i|that|it|this|for|exactly|then|slow|bad|good|"
    r"fast|late|early|the|first|one))*$|"
    r"^(?:and |so |but )?what (?:am|was|did|do) i (?:do|doing) (?:so )?wrong$|"
    r"^(?:and |so )?(?:what|how much) (?:would|could) (?:that|it|this|i)\b|"
    r"^(?:and |so )?how much (?:did|does|do|is|was|would|will) (?:that|it|this)\b(?! in\b)|"
    r"^(?:and |so )?(?:is|was|does|did) (?:that|it|this)\b(?! (?:track|session|car))"
)
_OF_LAP = re.compile(r"\b(?:(?:that|this) lap\b|(?:which|what) lap (?:do|did|are|were) (?:you|we)\b)")
SURE = re.compile(
    r"(?:(?:and|so|but|ok|really|hm+) )*(?:(?:are )?you (?:\w+ )?(?:sure|certain|positive|serious|kidding|"
    r"joking)\b.*|"
    r"really|seriously|for real|says who|(?:is|was) (?:that|it|this) (?:really |even )?(?:right|correct|true|"
    r"accurate|reliable|sure|real)|what makes you (?:say|think|so sure)\b.*|how (?:do|can|did) you "
    r"(?:know|tell|say)(?: (?:that|this|it))?|how (?:sure|certain|confident|accurate|reliable|exact) "
    r"(?:are you|is (?:that|it|this))\b.*|(?:can|should) i (?:trust|believe) (?:that|you|this|it)|"
    r"i (?:dont|cant|do not|can not) believe (?:that|you|it|this)|no way|where (?:do|did) you (?:get|have) "
    r"(?:that|this|it) from|prove it|based on what|what is (?:that|this|it) based on)"
)
_A_LOT = re.compile(
    r"(?:(?:and|so|but|ok) )*(?:is|was) (?:that|it|this) (?:\w+ )??(?:a lot|lots|much|a big \w+|big|huge|"
    r"large|"
    r"a lot of time|significant|worth (?:it|worrying about|anything)|many|little|nothing|small|tiny|"
    r"normal|typical|usual)"
    r"(?: (?:then|really|or not))*"
)
# "And how fast?" has no subject of its own.
HOW = {"fast": "fast|slow|quick", "late": "late|early|soon", "hard": "hard", "far": "far|many (?:km|miles)",
       "long": "long", "hot": "hot|warm"}  # fmt: skip
# Signs of what goes on with an answer: the answer itself has nothing of them to serve.
OF_ANSWER = frozenset(("told", "sure", "much", "by", "lap", *(f"how {name}" for name in HOW)))
_HOW_ALONE = (
    r"(?:and |so |but )*(?:at |by )?how (?:{})(?: (?:was|were|is|are|did|do|am) (?:i|we|it|that|they|this|"
    r"the)"
    r"(?: (?:go|going|there|then|do|get|it|take|took|last|driving|run|in total|in all|lap|on the brakes|"
    r"brak\w+))*)?"
    r"(?: (?:there|then|in there|that time|in total|altogether|is it|overall))*"
)
# A name, an example, and whether it stands in a question.
SIGNS: tuple[tuple[str, str, Callable[[QuestionReading, QuestionText], object]], ...] = (
    ("straight", "max speed on the back straight",
     lambda r, q: re.search(r"\b(?:the|back|that|this) straight\b", q.text)),
    ("than", "more than in turn 7",
     lambda r, q: re.search(r"\bthan\b", q.text) and _MORE_THAN.search(q.begins)),
    ("share", "what percentage of the lap am I braking", lambda r, q: re.search(say.SHARE, q.begins)),
    # Where the first sector ends, its time tells how far one is behind.
    ("moment", "speed at the end of lap 4", lambda r, q: (re.search(say.MOMENT, q.text)
     or re.search(r"\bby the end of (?:the )?(?:sector|split)", q.begins)) and not ((r.sectors == (1,)
     or "sector:1" in r.among) and {*r.measures} <= {"time", "delta", "loss"})),
    ("comparative", "was lap 4 better", lambda r, q: len(r.laps) == 1 and COMPARATIVE.search(q.begins)),
    ("before", "before", lambda r, q: re.search(r"(?<!\bone )(?<!\blap )\b(?:before|earlier on)$", q.begins)),
    ("ends", "what happened at the start",
     lambda r, q: re.search(r"\b(?:at|near|in) the (?:very )?(?:start|beginning|end)\b *$", q.text)),
    ("laptime", "what was the lap time", lambda r, q: re.search(r"\blap ?times?\b", q.begins)
     or re.fullmatch(r"and what(?: is|s| was) my (?:best|fastest|quickest|slowest|worst) lap", q.begins)),
    ("next", "the next worst corner", lambda r, q: (not r.laps
     and re.search(r"\bnext (?:\w+ )?(?:worst|best|\w+est)\b", q.begins))
     or re.search(r"\bnext (?:\w+ )?(?:worst|weakest)(?: (?:corner|turn|one))?$", q.begins)),
    ("gains", "where does lap 8 gain on lap 6", lambda r, q: GAINS.match(q.begins)),
    ("rest", "and of the rest", lambda r, q: re.fullmatch(THE_REST, q.begins)),
    ("when", "when was my best pass of turn 7",
     lambda r, q: not r.laps and MOST_LEAST & {*r.which} and _WHEN.match(q.begins)),
    ("one", "and the best one?", lambda r, q: _ONE.search(q.begins)),
    ("differently", "what did I do differently on lap 6", lambda r, q: _DIFFERENT.search(q.begins)
     and not _TO_CHANGE.search(q.begins) and (r.laps or r.corners or _ALONE.match(q.begins))),
    ("mine", "which corner was I fastest in on lap 4",
     lambda r, q: len(r.laps) == 1 and _MINE.search(q.begins)),
    ("latest", "what was the last thing you told me", lambda r, q: r.said
     and re.search(r"\b(?:last|latest|final) (?:thing|call|callout|message|advice|tip|words?)", q.begins)),
    ("foremost", "what was the first thing you told me", lambda r, q: r.said
     and re.search(r"\bfirst (?:tell|told|say|said|mention\w*|thing|call|callout|message|advice|tip|words?)",
                   q.begins)),
    ("ignored", "which advice did I ignore",
     lambda r, q: r.said and re.search(r"\b(?:ignor|miss(?:ed)?\b|not (?:heed|follow|listen))", q.begins)),
    ("followed", "which advice did I follow", lambda r, q: r.said
     and re.search(r"\b(?:which|what) (?:\w+ ){1,4}?(?:(?:did|have) i (?:heed|follow)|worked|helped|paid "
                   r"off)", q.begins)),
    ("obeyed", "did I listen to you", lambda r, q: r.said and re.search(
        r"\b(?:was|were|is|did) (?:the|your|any of (?:the|your)) (?:advice|callouts?|calls|tips)\b|"
        r"\b(?:do|did|have|was|am) i (?:\w+ ){0,3}?(?:listen|follow|heed|obey|react|do (?:what|as|it|that))",
        q.begins)),
    ("advice", "how many tips did you give me",
     lambda r, q: r.said and re.search(r"\b(?:tips?|hints?|warnings?|advice)\b", q.begins)),
    ("by lap", "in which lap did you say most",
     lambda r, q: r.said and re.search(r"\b(?:which|what) lap\b", q.begins)),
    ("mostly", "which tip did I ignore most", lambda r, q: r.said and re.search(r"\bmost", q.begins)),
    *((name, example, lambda r, q, said=said: r.said and re.search(said, q.begins))
      for name, example, said, _ in ABOUT),
    ("clear", "my best lap without traffic", lambda r, q: CLEAR.search(q.begins)),
    # "How many g", not "lateral g".
    ("g", "and how many g?", lambda r, q: r.measures == ("g_lat",)
     and not re.search(r"\b(?:lat\w*|corner\w*|side\w*|grip)\b", q.begins)),
    ("value", "and the lowest?", lambda r, q: not r.measures and BY_VALUE_WORDS.search(q.begins)
     and MOST_LEAST & {*r.which}),
    ("lap", "was that lap good", lambda r, q: _OF_LAP.search(q.begins)),
    ("sure", "are you sure", lambda r, q: SURE.fullmatch(q.begins)),
    ("much", "is that a lot", lambda r, q: _A_LOT.fullmatch(q.begins)),
    ("by", "and by how much", lambda r, q: re.match(r"(?:and |so )?by how much\b", q.begins)),
    *((f"how {name}", f"and how {words.partition('|')[0]}",
       lambda r, q, words=words: (r.follows or not r.measures)
       and re.fullmatch(_HOW_ALONE.format(words), q.begins))
      for name, words in HOW.items()),
    ("told", "why there", lambda r, q: not (r.of or r.untold) and _POINTS.search(q.begins)),
    ("then", "lap time on that lap", lambda r, q: re.search(r"\b(?:on|in) that lap$", q.begins)),
)  # fmt: skip


def signs_in(reading: QuestionReading, asked: QuestionText) -> tuple[str, ...]:
    return tuple(name for name, _, stands in SIGNS if stands(reading, asked))
