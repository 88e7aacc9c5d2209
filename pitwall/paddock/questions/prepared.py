"""A question made ready to be read: one language, plain words, slips mended, numbers as digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pitwall.ask.corner_names import CornerNames
from pitwall.ask.question_words import plain, word_list
from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.figure_words import MEASURES
from pitwall.paddock.questions.german import english_words, in_english
from pitwall.paddock.questions.slips import near
from pitwall.words.forms import CODES
from pitwall.words.language import language

_MOST_CHARS = 600
_TOKEN = re.compile(r"\d+:\d\d(?:[.,]\d+)?|\d+[.,]\d+|\d{4}-\d\d-\d\d|[a-z0-9]+(?:'[a-z]+)?|,")
_GLUED = re.compile(r"\b(lap|laps|turn|sector|corner)(\d{1,3}[a-d]?)\b|\b([ls])(\d{1,2})\b")
# "Turn 7on lap 4".
_STUCK = re.compile(
    r"(?<=\d)(?=(?:on|in|at|of|or|to|vs|by)\b|[a-z]{3})|"
    r"(?<=\b(?:on|in|at|of|to|vs|by))(?=\d)|(?<=\b(?:and|for))(?=\d)|"
    r"(?<=\b(?:over|into|from))(?=\d)"
)
_SLIP = re.compile(rf"\b(?:{'|'.join(sorted(say.SLIPS, key=len, reverse=True))})\b")
# Else "wot" is a "what".
_WIDE_OPEN = re.compile(r"\bwot(?= (?:time|percent\w*|share|seconds)\b)|(?<=\bat )wot\b|(?<=\bmy )wot\b")
# A mirror, or a car, that is loose is another thing.
_LOOSE = re.compile(
    r"(?<=\bi )loose\b|\bloose(?= (?:the |my |most |more |so |much |any )*(?:time|tenths?|seconds?)\b)"
)
# "Before the break" is no brake.
_PAUSE = re.compile(
    r"\b((?:before|after|since|until|during|or|and) (?:the |my |our )?(?:lunch |coffee |tea |"
    r"first |second |third |last |1st |2nd |3rd )?)break\b"
)
# "Break 110 mph" goes over it, "break into the 1:50s" goes under it.
_BROKEN = re.compile(
    r"\b(?:(?:break|broke|crack|cracked|top|topped|get past|got past|go past|went past|pass|passed) )"
    r"(?=(?:the )?\d{2,5}\b(?![:.])(?! ?(?:laps|times|m\b|met|seconds|cars|s\b)))"
)
_BROKEN_TIME = re.compile(
    r"\b(?:(?:break|broke|crack|cracked|dip|dipped|beat)(?: (?:into|below|inside))?|"
    r"(?:get|got|go|went) (?:into|below|inside|down to)) "
    r"(?:(?:the|a|an) )?(?=\d:\d\d)"
)
# Short words that begin a question.
_ASKING = word_list("how what which where when did was")
_NAMED = word_list("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
ORDINALS = {word: str(value) for value, word in enumerate(_NAMED, 1)} | {
    f"{number}{end}": str(number) for number in range(1, 100) for end in ("st", "nd", "rd", "th")
}
# In any language: a driver who hears "Kurve sieben" may ask for it in that way.
_NUMBERS = {plain(language(code).number_words(number)): str(number) for code in CODES for number in range(21)}
# A number after one of these counts, "one" too.
_COUNTED = frozenset(word_list("lap laps turn corner sector number gear"))


@cache
def _left_alone() -> frozenset[str]:
    """Words that are right as they are, though a slip away from another."""
    rows = (*MEASURES, *say.WHICH, *say.UNTOLD, *say.SESSIONS)
    return (
        say.IDLE
        | {word for row in rows for word in re.findall(r"[a-z]+", row.pattern)}
        | {"brake", "consistent"}
    )


# What is said around a question.
_AROUND = re.compile(
    r"^(?:(?:yo|hey|hi|hello|oh|hmm|um|uh|er|erm|well|cool|nice|great|thanks|coach|chief|boss|mate|please|pls|btw|"
    r"ok then|okay then|quick (?:one|question)(?=[:,.])|(?:give|tell) (?:it )?(?:to )?me straight|"
    r"all ?right(?: then)?|(?:good|great|"
    r"nice) (?:job|work)|(?:never|nevermind) mind|"
    r"(?:good )?(?:morning|evening|afternoon)(?=(?: (?:coach|chief|mate|boss))?[,.!])|good (?:morning|"
    r"evening|afternoon))"
    r"[ ,.:!]+)+(?=\w)|"
    r"(?:(?<!\bthe)(?<!\bmy)[ ,]+(?:pls|plz|please|mate|coach|thanks|thx|bro|dude|though|tho|then))+"
    r"(?=[ ?.!]*$)"
)


# "Tell me how hard I braked" asks "how hard did I brake".
_TOLD = re.compile(
    r"^(?:(?:(?:can|could|would|will) you )?(?:please )?(?:tell|show) me|do you know|"
    r"(?:i'?d|i would) (?:like|love) to know|i want to know|let me know|(?:do you have )?any idea)[ ,:]+"
    r"(?=(?:at |in |on )?(?:how|when|where|what|which)\b(?! (?:channel|signal|sensor|to\b|about|happened)))"
)
_NO_VERB = re.compile(
    r"((?:at |in |on )?(?:how|when|where|what|which)\b(?:(?! (?:did|do|does|was|were|is|are|am|had|has|have|"
    r"can|could|should|would|will)\b).)*?) (i|we|(?:my|the) [a-z]+(?! (?:i|we)\b)) (?=[a-z]+(?:ed|t)?\b)"
)
# "In turn 7 how hard did I brake" asks it of turn 7, wherever that stands.
_PLACE_FIRST = re.compile(
    r"^(((?:on|in|at|from|between|during|down|through|into|for|along|over) )?"
    r"(?:(?:the|my|and|to|of|on|in|at|for) |(?:laps?|turns?|corners?|sectors?|best|worst|last|first|final|"
    r"fastest|slowest|quickest|second|third|half|session|straight|main|start finish|[lts]?\d+[a-d]?)[ ,:]+)+)"
    r"(?<!and )(?=(?:what|whats|what's|how|where|when)\b(?! (?:about|happened|changed)))"
)
_NAMED_PLACE = re.compile(
    r"\d|(?:best|worst|last|first|final|fastest|slowest|quickest|second|third) (?:lap|sector)\b|straight|half"
)


def _in_usual_order(text: str) -> str:
    """The question alone, its verb after the word that asks, its place at the end."""
    begun, told = _TOLD.subn("", text)
    if told and (found := _NO_VERB.match(begun)) and found[0]:
        verb = begun[found.end() :].partition(" ")[0]
        moved = verb in ("was", "were", "am", "is")
        rest = begun[found.end() + len(verb) :] if moved else f" {begun[found.end() :]}"
        begun = f"{found[1]} {verb if moved else 'did'} {found[2]}{rest}"
    placed = _PLACE_FIRST.match(begun)
    if placed and _NAMED_PLACE.search(placed[1]):
        begun = f"{begun[placed.end() :].rstrip(' ?.!')} {'' if placed[2] else 'on '}{placed[1].strip(' ,:')}"
    return begun


# "Oil temp and pressure".
_OIL = re.compile(r"\boil (temps?|temperatures?|pressures?) (and|or) (temps?|temperatures?|pressures?)\b")
_THEN = re.compile(r"^((?:and )?(?:what|how)\b.*\b(?:was|were|did)\b.*) then(?=[ ?.!]*$)")


def _mended(tokens: Sequence[str], names: CornerNames) -> list[str]:
    alone = _left_alone()
    mended = names.speller.mend(list(tokens))
    return [own if own in alone else other for own, other in zip(tokens, mended, strict=True)]


def prepared(question: str, names: CornerNames) -> tuple[str, str]:
    """The question in plain English words: as typed, to see how it begins, and with slips mended and numbers
    as digits, to be read."""
    text = plain(in_english(question[:_MOST_CHARS], names.words))
    text = _in_usual_order(_AROUND.sub("", _THEN.sub(r"\1 on that lap", text)))
    text = _GLUED.sub(
        lambda m: f"{m[1]} {m[2]}" if m[1] else f"{'lap' if m[3] == 'l' else 'sector'} {m[4]}", text
    )
    text = re.sub(r"\b(was|did|do|am|can|could|should)i\b", r"\1 i", text)
    text = _STUCK.sub(" ", re.sub(r"^were(?= (?:do|did|am|can|should) )", "where", text))
    text = (
        re.sub(r"(\d)(km/h|kmh|kph|mph|m|s|ft)\b", r"\1 \2", text).replace("km/h", "kmh").replace("m/s", "ms")
    )
    text = re.sub(r"\bs/f\b|\bstart/finish\b", "start finish", text).replace("%", " percent ")
    text = _OIL.sub(lambda found: f"oil {found[1]} {found[2]} oil {found[3]}", text)
    text = re.sub(r"\bbeats?\b(?= (?:my |the )?(?:lap|best|worst|last|first))", "was faster than", text)
    text = re.sub(r"-(?=[a-z])", " ", text)
    text = _BROKEN_TIME.sub("under ", _BROKEN.sub("exceed ", text))
    text = re.sub(r"(?<![\d.:-])(\d{1,3}) ?[-\u2013] ?(\d{1,3})(?![\d.:-])", r"\1 to \2", text)
    tokens = [_token(each) for each in _TOKEN.findall(without_slips(text))]
    if tokens and tokens[0] not in english_words() | names.track_words and not near(tokens[0]):
        tokens[0] = _asking(tokens[0])
    tokens = _mended(tokens, names)
    return " ".join(tokens), f" {_numbers(tokens)} "


def _asking(word: str) -> str:
    """The word that begins a question, where the one that was typed is one slip away from it alone."""

    def without_one(text: str) -> set[str]:
        return {text[:at] + text[at + 1 :] for at in range(len(text))}

    near = [
        each
        for each in _ASKING
        if each in without_one(word)
        or word in without_one(each)
        or (len(word) == len(each) > 2 and without_one(word) & without_one(each))
    ]
    return near[0] if len(near) == 1 else word


_NEXT_QUESTION = re.compile(
    r"\?+ *(?:and |but )?(?=\w)|"
    r"(?:[,.;?!]+ *(?:and |but )?|\band )(?=wh(?:ere|en) *\??$|(?:also |then )?"
    r"(?:(?:in|at|on|by|with|for) (?=which|what|how))?"
    r"(?:what|whats|what's|how|where|which|when|who|did|was|were|is|am|do|does|had|has|have|can|could) "
    r"(?!that\b *$)\w+|why\b|what happened\b)"
)

# "My average speed and my top speed": one figure looked at in two ways.
_NEXT_LOOK = re.compile(
    r" and (?=(?:at (?:most|least|best|worst)|on average)[ ?.!]*$)|"
    r"(?<!best)(?<!worst)(?<!min)(?<!max)(?<!mean)(?<!top)(?<!lowest)(?<!highest)(?<!average)(?<!fastest)"
    r"(?<!slowest)(?<!most)(?<!least) and (?:the |my )?(?=(?:average|avg|mean|top|max\w*|min\w*|highest|"
    r"lowest|"
    r"median) (?!(?:of|and|or|on|in|at|for|to)\b)\w+|(?:average|mean|max\w*|min\w*|highest|lowest|peak|"
    r"median)[ ?.!]*$)"
)
# "Fastest lap and top speed" asks for two things.
_LAP_AND_FIGURE = re.compile(
    r"(.*\b(?:laps?|laptime|lap ?times?)) *(?:,|&|\+|and|plus) *"
    r"((?:my |the )?(?:top|max|highest|peak|vmax|average|avg).*)"
)
_LEAVES_OUT = re.compile(r"(?:without|except|excluding|ignor|not counting|leav\w* out|tak\w* out|drop|remov)")
_TOPIC = re.compile(
    r"(?:(?:on|in|at|from|between|to|and|or|vs|versus|laps?|turns?|corners?|the|my|best|worst|last|first|\d+|"
    r"fastest|slowest|quickest|final|second|third|sectors?|[ts]\d+|(?:main |start finish )?straight|half|of|"
    r"session|during|down|through|into|for)(?: |$))+"
)
# "How much brake and how much throttle did I use on lap 4": both on that lap.
_NO_VERB_YET = re.compile(
    r"how (?:much|hard|fast|late|early|high|hot)(?: (?:brake|throttle|gas|braking|speed|grip))?"
)
_BESIDE = re.compile(r"\b(?:compar|differ|between|gap|vs|versus|than|delta)")


def questions_in(question: str) -> list[str]:
    """The questions of a sentence that asks several: "how many laps, and what was the best". From the second
    on each goes on with the one before."""
    text = _in_usual_order(without_slips(in_english(question[:_MOST_CHARS]).lower().strip()))
    if (listed := _LAP_AND_FIGURE.fullmatch(text)) and not _BESIDE.search(text):
        return [listed[1], listed[2]]
    # "Take out the slow ones, what's the average" is one, and so is "lap 2 to lap 6, what changed".
    parts = _NEXT_QUESTION.split(text)
    if not _BESIDE.search(text):
        parts = [each for part in parts for each in _NEXT_LOOK.split(part)]
    first = parts[0].strip(" ,")
    if _LEAVES_OUT.match(text) or _TOPIC.fullmatch(first) or _NO_VERB_YET.fullmatch(first):
        parts = [text]
    asked = [part.strip(" ?.!,") for part in parts if part.strip(" ?.!,")]
    return [*asked[:1], *(f"and {part}" for part in asked[1:])]


def without_slips(text: str) -> str:
    """The same text with slips in short words mended."""
    text = _WIDE_OPEN.sub("full throttle", _PAUSE.sub(r"\1pause", text))
    return _LOOSE.sub("lose", _SLIP.sub(lambda found: say.SLIPS[found[0]], text))


def _token(token: str) -> str:
    if "'" in token:
        return token.removesuffix("'s").replace("'", "")
    return token


def _numbers(tokens: Sequence[str]) -> str:
    """Numbers in words become digits; "one" and ordinals only where they count laps or places."""
    out: list[str] = []
    for at, token in enumerate(tokens):
        before, after = tokens[at - 1] if at else "", tokens[at + 1] if at + 1 < len(tokens) else ""
        counted = before in _COUNTED
        if token in _NUMBERS and (counted or token not in ("one",)):
            out.append(_NUMBERS[token])
        elif (
            token in ORDINALS
            and after in ("lap", "sector", "gear", "corner", "turn")
            and token not in ("first",)
        ):
            out.append(f"nth{ORDINALS[token]}")
        else:
            out.append(token)
    return " ".join(out)
