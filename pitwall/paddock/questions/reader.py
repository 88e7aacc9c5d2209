"""The one reader of questions: laps, corners, sectors, places, figures, sessions.

`read(question, names)` is what stands in one question; `question_reading.follow` adds what it leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pitwall.paddock.question_reading import DRIVE_PARTS, LOWEST_PEAK, SPEED_AT, QuestionReading
from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.corner_names import CornerNames
from pitwall.paddock.questions.german import english_words
from pitwall.paddock.questions.prepared import ORDINALS
from pitwall.paddock.questions.question_text import HOW_TO, MOST_SCRAP_WORDS, QuestionText, compiled
from pitwall.paddock.questions.question_words import Speller
from pitwall.paddock.questions.read_laps import read_laps
from pitwall.paddock.questions.read_limits import read_beyond, read_limits, read_sprint
from pitwall.paddock.questions.read_places import (
    read_among,
    read_corners,
    read_gears,
    read_made_of,
    read_place,
    read_sectors,
    read_straight,
)

# A slip in a shorter word may be another word.
MOST_EXACT = 4
_ENDINGS = (("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("s", ""), ("es", ""), ("n", ""))


def read(question: str, names: CornerNames) -> QuestionReading:
    """One question by itself."""
    reading = _Reader(question, names).reading()
    mended = {word: _meant(word) for word in reading.strange if len(word) > MOST_EXACT}
    if all(word == meant for word, meant in mended.items()):
        return reading
    again = re.sub(r"[a-z]+", lambda found: mended.get(found[0], found[0]), question.lower())
    other = _Reader(again, names).reading()
    most = 1 if " " in "".join(mended.values()) else len(reading.strange)
    return other if len(other.strange) < most else reading


@cache
def _speller() -> Speller:
    # A short word without a meaning has too many neighbours that have one: "sport" is no "spot".
    words = (word for word in english_words() if len(word) > MOST_EXACT + 1 or word not in say.IDLE)
    return Speller((*words, *say.SLIPS.values()), shortest=MOST_EXACT - 1, swaps_letters=False)


def _meant(word: str) -> str:
    """A strange word as known ones: with a slip mended, without an ending, or in two ("topspeed")."""
    known, mended = english_words(), _speller().mend([word])[0]
    if word in known or mended != word:
        return mended
    for ending, put in _ENDINGS:
        stem = word.removesuffix(ending)
        stem = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
        if stem != word and len(stem) + len(put) >= MOST_EXACT - 1 and f"{stem}{put}" in known:
            return f"{stem}{put}"
    for at in range(MOST_EXACT - 1, len(word) - 2):
        parts = [{part, f"{part}s"} & known for part in (word[:at], word[at:])]
        if all(parts) and not parts[0] | parts[1] <= say.IDLE:
            return f"{word[:at]} {word[at:]}"
    return word


@cache
def _looks() -> frozenset[str]:
    """The words that alone say which of a figure's values is meant."""
    patterns = [
        compiled(row.pattern) for row in say.WHICH if row.meaning in ("mean", "spread", "trend", "total")
    ]
    return frozenset(word for word in english_words() if any(each.fullmatch(word) for each in patterns))


@cache
def _stems() -> tuple[str, ...]:
    """Beginnings of words of the vocabulary, of which the patterns leave the endings open."""
    return tuple(word for word in english_words() - say.IDLE if len(word) >= MOST_EXACT)


# "Exactly", "honestly"; a driver who is mentally gone means it.
_ADVERB = re.compile(r"(?!ment|phys|emot|fami)\w{2,}ly")
# A corner that was taken fast was taken with much speed, however long it is.
_HARD = re.compile(
    r"\b(?:hardest|toughest|trickiest|most difficult) (?:corner|turn|bend)\b|"
    r"\b(?:is|was|are|were) (?:the |my )?(?:worst|weakest)\b"
)
_STRONG = re.compile(r"\b(?:best|strongest|good at)\b")
_WELL = ("fast", "quick", "good", "strong", "strongest")
_JUDGED_LAPS = (
    r"(?:and )?how many (?:of (?:them|those) )?(?:laps )?(?:were|are) (?:any |really )?"
    r"(good|bad|decent|fast|slow|quick|ok|rubbish|terrible|nice)(?: (?:ones|laps))?"
)
_JUDGED_PLACE = re.compile(
    r"(?:so |and |but )?(?:where(?:abouts)?|(?:which|what|how many) (?:parts?|corners?|turns?|bends?)) "
    r"(?:am|was|were|is|are) (?:i|we) (?:\w+ )??"
    rf"({'|'.join(_WELL)}|slow|slower|weak|weakest|bad|worst|off)\b"
)
_OF_BRAKING = {"g_brake", "brake_bar", "brake_time", "brake_far_m", "brake_m", "brake_count"}
_CORNERS = re.compile(r"\b(?:corner|turn|bend)s\b")
_AT_A_PLACE = {"speed", "rpm", "gear", "throttle", "brake_bar", "g_lat", "g_brake", *SPEED_AT.values()}
_CHANNELS = {"coolant_c", "oil_temp_c", "oil_bar", "temps", "coast", "full_throttle", "steering_deg"}
_TIMED = {"full_throttle", "brake_time", "coast", "overlap", "trail"}
_ANYWHERE = {"lift", "coast", "trail", "overlap", "full_throttle"}
_DRIVEN_ALONG = {"speed", "rpm", "gear", "throttle", "full_throttle", "coast"}
_PHASE = re.compile(
    r"\bunder brak|\bon the brakes\b|\bentry\b|\bexit\b|\bmid|\bapex\b|\bphase\b|\bpart of\b|"
    r"\bway (?:in|out)\b"
)
_LOST_IN = re.compile(
    r"\b(?:los\w+|leav\w+|giv\w+ (?:away|up)) (?:\w+ ){0,2}?"
    r"(?:on the brakes|under brak|on the (?:entry|exit))|"
    r"\bbrak\w+ or (?:\w+ )?(?:exit|entry)|\b(?:exit|entry) or (?:\w+ )?brak"
)
_PACE = re.compile(r"\b(?:(?:fast|slow|quick)(?:er|est))\b")
_GOOD = ("better", "best", "faster", "fastest", "quicker", "quickest")
_WHICH_OF_TWO = (
    r"(?:and |so )?(?:which|what)(?: one| lap| of them)? (?:was|is|were) (?:the )?"
    rf"({'|'.join(_GOOD)}|slower|slowest|worse|worst)(?: one| lap| then| overall)*"
)
_SIDE_OF_CORNER = re.compile(
    r"(?:and |so )?(?:(?:hows|how (?:is|was|does|did)|whats|what (?:is|was)|show|compare) )?(?:me |the |my )*"
    r"(?:turn \w+ )?(?:entry|exit)\b(?! of a)"
)
_THE_REST = r"(?:and |what about )*(?:(?:of|for|in) )?(?:all )?the (?:others|rest)"
_OTHER_LAPS = (
    r"(?:and |what about |how about )*(?:(?:on|in) )?(?:(?:the |my |all )*other|all|each|every)(?: the| my)? "
    r"(?:laps?|ones)|" + _THE_REST
)
# "And the third?"
_RANK_ALONE = (
    r"(?:(?:and|so|or|then|what|whats|was|is|about|how) )*(?:the |my )?((?!first|1st)\w+)(?: one)?(?: then)?"
)
_RANKS_APART = (
    r"(?:(?:and|so|whats|what|is|was|how|big|much|the|my) )*(?:gap|difference|diff|delta|apart) "
    r"(?:between|from|was|is) (?:the |my )?(\w+) (?:and|to|from) (?:the |my )?(\w+)(?: one)?"
)
_IN_G = (
    r"(?:and )?(?:how (?:hard|much|many) )?(?:(?:is|was) (?:that|it) )?(?:in )?gs?"
    r"(?: (?:is|was) (?:that|it))?"
)
# "When was my best pass of turn 7".
_WHEN = re.compile(r"(?:and )?when (?:was|were|did) (?!i (?:brake|lift|shift))")
_DID_IMPROVE = re.compile(r"(?:and )?(?:did|has|is|have) (?:my|the) .*\b(?:improv\w+|get(?:ting)? better)\b")
_STEADY = re.compile(r"\b(least|most|more|less|worst|best) (?:consistent|steady|regular|repeatable)")
_STEADY_END = dict.fromkeys(("least", "less", "worst"), "most") | dict.fromkeys(
    ("most", "more", "best"), "least"
)
_THE_TIME = re.compile(r"\b(?:the|my|more|most|that) (?:\w+ )??time\b")
_SAME_PLACE = re.compile(r"\bsame (?:spot|point|place|way)\b")
_SLOWER = re.compile(r"\b(?:slow|slower|weak|weaker|bad|worse|time)\b")
_MORE_THAN = re.compile(
    r"\b(?:more|less|better|worse|(?:fast|slow|quick|high|low|lat|earli|hard|hott|long|short|deep)er)\b.*\bthan\b"
)
_THAN_MEAN = re.compile(r"(?:faster|quicker|better|slower) than (?:my |the )?(?:average|mean|usual)")
_HOW_MUCH = (
    r"(?:and |by )?how (?:slow|fast|quick|high|low|big|long|much|many|far|bad|late|early|hot)"
    r"(?: (?:was|were|is|are) (?:it|that|they|those))?(?: for)?|"
    rf"(?:(?:and|whats|what is|how much is|how many|that|it|this|in|as|to) )*(?:{'|'.join(say.UNITS)})|"
    r"(?:and )?(?:how much|what) is (?:that|it|this) in (?:tenths|seconds|s)"
)
_BETWEEN_THEM = (
    r"(?:and |so )?how much (?:faster|slower|quicker|more|less|better|worse|worst|higher|lower)"
    r"(?: (?:is|was) (?:it|that))?|"
    r"(?:and )?how far apart (?:are|were|is|was)? ?(?:they|those|these|them|the 2)?|"
    r"(?:and )?where (?:is|was|are|were) (?:the |my )?(?:difference|differences|diff|gap|delta)|"
    r"(?:and )?(?:what(?: is|s)? |how much (?:is |was |lies )?)?(?:the |in )?(?:difference|diff|gap|delta|"
    r"between|apart)(?: between)?(?: them| those| both| the 2| they)?"
)
# "The gear at my top speed".
_PEAKS = {"speed": "speed", "revs": "rpm", "rpm": "rpm", "brake pressure": "brake_bar", "lateral g": "g_lat"}
_PEAK = (
    r"\b(?:at|when \w+ (?:\w+ )?(?:at|hit|reach\w*|had)) (?:my |the )?(top|max|maximum|highest|peak|most|"
    rf"lowest|min|minimum|slowest) ({'|'.join(_PEAKS)})\b"
)
_WAS_THAT = (
    r"(?:and |so )?(?:is|was|were) (?:that|it|this) (?:\w+ )?(?:best|fastest|quickest|highest|most|latest|"
    r"slowest|worst|lowest|earliest|hardest|longest|shortest)\b(?! laps?\b)"
)
_COMPARATIVE = re.compile(
    r"\b(?:sooner|hotter|warmer|cooler|colder|faster|slower|quicker|better|worse|higher|lower|more|less|later|"
    r"earlier|harder|smoother)\b(?! than)"
)
_MORE = re.compile(r"\b(?:more|less|higher|lower|later|earlier|harder|longer|shorter|sooner)\b")
_WHERE = re.compile(
    r"(?:and |so )?(?:(?:by |at )?how (?:far|early|late|soon|many)|where|when|what (?:point|distance)|lift|"
    r"(?:do|did|am|was) i .*\b(?:later|earlier|sooner)\b)"
)
_LENGTH = re.compile(
    r"(?:and )?how (?:long|many (?:m|metres|meters|feet)(?: long)?) (?:is|are) the .*straight\b"
)
_WHERE_I = re.compile(r"(?:and |so )?where (?:(?:on|in|around|of) (?:the )?\w+ )?(?:am|was|do|did) i\b")
# "Which corner was I fastest in", not "which corner was fastest".
_MINE = re.compile(
    r"\b(?:corner|turn|bend)s? (?:(?:where|that|in which) )?(?:(?:was|were|am) i|i (?:was|am)) "
    r"(?:the |my |at my )?(?:fastest|quickest|best)\b"
)
_MORE_OF_IT = re.compile(
    r"(?:(?:and|so|is|was|it|that) )*(?:more|less|higher|lower|longer|shorter|harder|faster|slower) than\b"
)
_SOONER = re.compile(r"\b(?:earl(?:y|ier|iest)|soon(?:er|est)?|late(?:r|st)?)\b")
_LESS = re.compile(r"\b(?:less|lower|earlier|shorter|sooner)\b")
_LOWEST_PEAK = re.compile(
    r"\b(?:lowest|smallest|slowest|worst|least) (?:top|max|maximum|peak|highest)\b(?! gears?\b)"
)
_HOW_MANY = re.compile(
    r"\bhow (?:many(?! (?:seconds?|s|m|metres|meters|feet|ft|yards|km|kms|miles|kilomet\w+|bars?|gs?|revs|"
    r"rpms?|degrees|minutes|hours|tenths|percent|psi|mph|kmh|kph|hz|hertz|satellites|sats|litres|horse\w*|"
    r"hp)\b)|often)\b"
)
# "On which laps did I not go flat", but not "why not" or "isn't it".
_NOT_SO = re.compile(
    r"^(?:and |so )?(?:(?:in |on |at )?(?:which|how many|how often)\b|did i |was i |have i )"
)
_NOT = re.compile(r"\b(?:not|never|didnt|dont|doesnt|wasnt|werent|havent|without|except)\b")
_GAINS = re.compile(
    r"(?:so |and )?(?:what|where\w*|which (?:corner|turn|part|bit|sector)s?)\b.*"
    r"\b(?:better|faster|quicker|gain\w*|w[io]n|ma[dk]e|found|find)\b"
)
# "And the best one?": of what was asked before.
_ONE = re.compile(
    r"^(?:(?!lap|next)\w+ ){0,3}(?:best|worst|fastest|slowest|quickest|weakest|strongest)(?: ones?)?$"
)
_WINS = re.compile(r"\b(?:do|am) i (?:win|winning|gain|gaining)\b")
_TAKEN_FAST = re.compile(r"\b(?:fastest|slowest|quickest)\b(?!.*\btimes?\b)")


class _Reader(QuestionText):
    """Takes from the words of one question what it knows, piece by piece; what is left is strange."""

    def __init__(self, question: str, names: CornerNames) -> None:
        super().__init__(question, names)
        self._points: list[str] = []
        self._passed_over: list[str] = []

    def reading(self) -> QuestionReading:
        self._follow_words()
        read_sprint(self)
        read_limits(self)
        read_straight(self)
        read_place(self)
        read_gears(self)
        read_made_of(self)
        self.text = re.sub(r"\b(next (?:worst|\w+est)) one\b", r"\1", self.text)
        read_laps(self)
        read_beyond(self)
        read_sectors(self)
        read_corners(self)
        read_among(self)
        self.found["said"] = bool(self.take(say.SAID))
        self.found["marked"] = bool(self.take(say.MARKED))
        self._rows("untold", say.UNTOLD)
        coaching = self.found["coaching"] = bool(self.has(say.COACHING))
        self._sessions()
        self._units()
        by_corner = compiled(
            r"(?:corner|cornering|apex|entry|exit) speeds?|(?:corner|turn) times?|"
            r"(?:min|minimum) corner\w* speeds?"
        ).search(self.text)
        measures = self._rows("", say.MEASURES)
        self._searched()
        sectors: tuple[int, ...] = self.found["sectors"]  # type: ignore[assignment]
        of = self.found.get("of", "")
        if (of == "corner" or (of == "place" and "loss" in measures)) and not self.found["corners"]:
            # "Which corner of sector 3".
            parts = [f"sector:{each}" for each in sectors if each > 0][:1]
            parts += [f"half:{self.found.pop('half')}"] if self.found.get("half") else []
            self.found["sectors"] = () if parts else sectors
            self.found["among"] = (*self.found.get("among", ()), *parts)  # type: ignore[misc]
            self.found["of"] = "corner" if self.found["among"] else of
        elif self.found.get("among"):
            self.found["of"] = "corner"
        if (
            of == "place"
            and not measures
            and _WHERE_I.match(self.begins)
            and self.has(r"(?:in)?consisten\w+|var\w+")
        ):
            self.found["of"] = "corner"  # "where am I least consistent", not "where is the scatter"
        if {*measures} & _ANYWHERE and "anywhere" in self.begins:
            self.found["of"] = "place"
        if self.take(say.THIS_SESSION, say.SESSION):
            self.found["sessions"] = (*self.found["sessions"], "this")  # type: ignore[misc]
        if re.search(r"\b(?:average|avg|mean|median|total)\b", self.text):
            # "My average over the flying laps" asks for no trend.
            self.take(r"(?:over|across) (?:all )?(?:the |my |of )*(?:(?:flying|timed|whole|entire|all) )?"
                      r"(?:laps|session|run|stint|day)(?= )")  # fmt: skip
        which = self._rows("", say.WHICH)
        laps: tuple[str, ...] = self.found["laps"]  # type: ignore[assignment]
        if "spread" in which and (end := _STEADY.search(self.begins)):
            # What is least consistent varies most.
            which = (*(each for each in which if each not in ("most", "least")), _STEADY_END[end[1]])
        if self.found.get("bound") is not None and self.found.get("of") == "corner":
            which = tuple(each for each in which if each != "trend")  # "corners where I drop under 80"
        if len(laps) == 2 and not measures and "everywhere" in self.begins:
            self.found["of"] = "corner"
        if "rank" in which and not self.found.get("of") and _CORNERS.search(self.text):
            self.found["of"], measures = "corner", measures or ("loss",)
        if len(laps) == 2 and not measures and self.begins.startswith("how close"):
            measures, which = ("delta",), ()
        if len(laps) == 2 and re.search(r"\bthan\b(?! \d)", self.begins) and _MORE.search(self.begins):
            way = "less" if _LESS.search(self.begins) else "more"  # "more in lap 5 than in lap 6"
            which = (*(each for each in which if each not in ("most", "least")), way)
        if len(laps) == 1 and _MORE_OF_IT.match(self.begins):
            # "How much did I coast in lap 7? More than in lap 6?" compares, and asks for no highest value.
            which = tuple(each for each in which if each not in ("most", "least"))
        if len(laps) == 1 and laps[0].startswith(DRIVE_PARTS) and _COMPARATIVE.search(self.begins):
            # "Was the oil hotter in the second half".
            self.found["compares"] = True
            which = tuple(each for each in which if each not in ("most", "least"))
        if _LOWEST_PEAK.search(self.begins):
            which, self.found["of"] = LOWEST_PEAK, "lap"
        if measures == ("oil_bar",) and not which and re.search(r"\b(?:enough|ok|okay|low)\b", self.begins):
            which = ("least",)  # too little is what harms
        if HOW_TO.search(self.begins):
            which = tuple(each for each in which if each != "trend")
            if _PACE.search(self.begins) and not (laps or measures or which or self.found["corners"]):
                self.found["of"] = "corner"  # "how do I get faster"
        lifts = "lift" in measures
        if lifts and self.found["corners"] and _WHERE.match(self.begins):
            measures, lifts = tuple("lift_m" if each == "lift" else each for each in measures), False
            self.found["straight"] = self.found["of"] = ""
        elif lifts and not which and self._placed():
            which = ("least",)
        elif lifts and not self._placed():
            measures, lifts = tuple("coast" if each == "lift" else each for each in measures), False
        if found := re.search(_PEAK, self.begins):
            peak = _PEAKS[found[2]]
            if others := tuple(each for each in measures if each not in (peak, "time", "delta")):
                low = found[1].startswith(("min", "low", "slow"))
                self.found["peak"], measures, which = (peak, "least" if low else "most"), others, ()
        if re.search(r"\blaps by\b", self.begins) and measures and set(measures) != {"time"}:
            # "Top 3 laps by top speed" ranks by that speed, not by the lap time.
            self.found["laps"], which, laps = (), ("each", "rank"), ()
        if {*measures} & _TIMED and "most" in which and re.search(r"\blongest\b", self.begins):
            self.found["per"] = "run"
        if (
            not which
            and measures
            and re.search(r"\bover the (?:whole )?(?:session|run|day|stint)$", self.begins)
        ):
            which = ("trend",)
        if re.match(r"(?:and |so )?(?:why|what ma(?:de|kes))\b", self.begins) and set(measures) <= {
            "time",
            "speed",
        }:
            measures = ()  # "what made it so quick"
        if found := re.match(_WAS_THAT, self.begins):
            self.found["follows"], self.found["per"] = True, "session"
        self._point()
        point = str(self.found.get("point", ""))
        if len(self._points) > 1 and self.found["corners"] and not measures and _SLOWER.search(self.begins):
            measures, which = ("loss",), ()  # "am I slow on entry or exit of 3"
        if len(self._points) > 1 and ("speed" in measures or (not measures and _PACE.search(self.begins))):
            measures = tuple(SPEED_AT[each] for each in self._points)
        if (
            len(self._points) > 1
            and self.found["corners"]
            and not (measures or coaching or {*which} - {"least"})
        ):
            # "Turn 10 entry, exit and min".
            measures, which = tuple(SPEED_AT[each] for each in (*self._points, *["apex"] * len(which))), ()
        if measures == ("speed",) and point and self.found["corners"] and which:
            measures = (SPEED_AT[point],)  # "how fast through the apex on average"
        if not measures and point and self.found["corners"] and _DID_IMPROVE.match(self.begins):
            measures, which, coaching = (SPEED_AT[point],), ("trend",), False
            self.found["coaching"] = False
        if _SAME_PLACE.search(self.begins) and (not measures or "turn in" in self.begins):
            which = tuple(each for each in which if each != "spread")  # where the car was is not told
        named = bool(self.found["corners"]) and _SIDE_OF_CORNER.match(self.begins)
        if not measures and point and (named or {"most", "least", "trend", "spread"} & set(which)):
            measures = (SPEED_AT[point],)  # "the best exit" is the fastest
        compares = bool(
            self.found.get("compares")
            or compiled(
                r"compar\w+|stacks? up|measures? up|"
                r"differ|how much (?:faster|slower|quicker)|vs|versus|v|against|than|difference|"
                r"diff|gap|between|or|delta"
            ).search(self.text)
        )
        if not laps and "laps" not in self.begins and "mean" in which and _THAN_MEAN.search(self.begins):
            self.found["laps"] = ("best",)
        if (
            measures == ("loss",)
            and len(laps) == 2
            and _GAINS.match(self.begins)
            and "los" not in self.begins
        ):
            measures = ()  # "where does lap 8 gain on lap 6"
        untold = self.found.pop("untold")
        place = rf"(?:{say.LAP}|{say.CORNER}|{say.SECTOR})"
        self.take(rf"only (?:(?:in|for|on|at|the|of) )*(?={place})")
        self.text = re.sub(rf"({place}) only\b", r"\1", self.text)
        left = re.findall(r"[a-z0-9:.']+", re.sub(r"\bx(?:lap|corner|sector|session)\b", " ", self.text))
        strange = [
            word
            for word in left
            if word not in say.IDLE
            and not _ADVERB.fullmatch(word)
            and word not in self.names.track_words
            and not compiled(say.COACHING).fullmatch(word)
        ]
        more_than = re.search(r"\bthan\b", self.text) and _MORE_THAN.search(self.begins)
        signs = {
            "straight": re.search(r"\b(?:the|back|that|this) straight\b", self.text),
            "than": more_than,
            "share": re.search(say.SHARE, self.begins),
            # Where the first sector ends, its time tells how far one is behind.
            "moment": (
                re.search(say.MOMENT, self.text)
                or re.search(r"\bby the end of (?:the )?(?:sector|split)", self.begins)
            )
            and not (sectors == (1,) and {*measures} <= {"time", "delta", "loss"}),
            "comparative": len(laps) == 1 and _COMPARATIVE.search(self.begins),
            "before": re.search(r"(?<!\bone )(?<!\blap )\b(?:before|earlier on)$", self.begins),
            "ends": re.search(r"\b(?:at|near|in) the (?:very )?(?:start|beginning|end)\b *$", self.text),
            "laptime": re.search(r"\blap ?times?\b", self.begins),
            "next": (re.search(r"\bnext (?:\w+ )?(?:worst|best|\w+est)\b", self.begins) and not laps)
            or re.search(r"\bnext (?:\w+ )?(?:worst|weakest)(?: (?:corner|turn|one))?$", self.begins),
            "gains": _GAINS.match(self.begins),
            "rest": re.fullmatch(_THE_REST, self.begins),
            "when": _WHEN.match(self.begins) and {"most", "least"} & {*which} and not laps,
            "one": _ONE.search(self.begins),
            "mine": len(laps) == 1 and _MINE.search(self.begins),
            "then": re.search(r"\b(?:on|in) that lap$", self.begins),
        }
        self.found["left"] = (
            *(word for word in left if word in say.SERVED),
            *(name for name, found in signs.items() if found),
        )
        if judged := re.fullmatch(_JUDGED_LAPS, self.begins):
            strange.append(judged[1])  # no data says which lap was a good one
        strange = list(dict.fromkeys((*self._passed_over, *strange)))
        self.found["counts"] = bool(_HOW_MANY.search(self.begins))
        self.found["negated"] = bool(_NOT_SO.search(self.begins) and _NOT.search(self.text))
        if by_corner and not self.found["corners"] and not self.found.get("no_corner"):
            self.found["of"] = "corner"
        if "gear" in measures and self.found["counts"]:
            measures = ("gear_time",)  # "how many gears do I use"
        at_brakes = {"speed", "brake_m"} <= {*measures} and self.found["corners"]
        at_brakes = at_brakes and not self.begins.startswith("where")
        measures = ("speed",) if at_brakes else self._settled(measures)
        if _SPEED_NAMED.search(self.begins) and "speed" not in measures:
            self.found["named"] = ("speed",)
        if {*measures} & {"brake_m", "throttle_m"} and self.found.get("of") == "lap" and not which:
            which = ("least",) if re.search(r"\b(?:early|earlier|soon|sooner)\b", self.begins) else which
        if measures == ("throttle",) and self.found["corners"] and _SOONER.search(self.begins):
            measures = ("throttle_m",)  # "throttle on turn 11 earlier in lap 6 or 4"
        braking = [word for word in strange if word.startswith("brak")]
        side = re.search(rf"\b(before|after|leaving) (?:the )?{say.CORNER}\b", self.text)
        if side and not self.found.get("straight") and {*measures} & _DRIVEN_ALONG:
            # "Top speed before turn 7".
            self.found["straight"] = (
                "both" if "before and after" in self.text else "before" if side[1] == "before" else "after"
            )
        if lifts and self.found.get("straight"):
            # Off the throttle, not on the brakes.
            measures, which = ("coast",), ()
        if (
            measures == ("improved",)
            and not (compares or self.found.get("step"))
            and (self.found["corners"] or self.found["sectors"])
            and not laps
        ):
            measures, which = ("time",), ("trend",)
        if at_brakes:
            self.found["point"] = "brake"
        elif braking and self.found["corners"] and set(measures) <= {"speed"}:
            # "How fast before braking into 11", "how is my braking into 11".
            strange = [word for word in strange if word not in ("under", *braking)]
            if measures:
                self.found["point"] = "brake"
            measures = measures or ("brake_m",)
        elif braking and ({*measures} & _OF_BRAKING or self.found.get("sprint")):
            strange = [word for word in strange if word not in ("under", "while", *braking)]
        elif braking and not measures and "trend" in which:
            strange, measures = [word for word in strange if word not in braking], ("brake_lost",)
        elif braking and not (measures or self.found.get("of") or coaching):
            strange, measures = [word for word in strange if word not in braking], ("g_brake", "brake_time")
            if re.fullmatch(r"and (?:the )?brakes?", self.begins):
                measures = ("brake_bar",)  # beside another pedal or a place
        several = len(self.found["corners"]) > 1 and not self.found["laps"]  # type: ignore[arg-type]
        if not measures and several and compares and _PACE.search(self.begins):
            measures = ("min_speed",)
        elif not measures and several and compares and point and "better" in self.begins:
            # "Is my exit better in 7 or 11" asks for no advice.
            measures, coaching, self.found["coaching"] = (SPEED_AT[point],), False, False
        if self.found["corners"] and _LOST_IN.search(self.begins):
            measures = ("loss",)
        if "loss" in measures and self.found["corners"] and _PHASE.search(self.begins):
            # "Do I lose it under braking or on the exit of 3".
            self.found["per"] = "phase"
            strange = [word for word in strange if word not in ("under", "phase", *braking)]
        gets_to = re.match(r"how long .*\b(?:to get to|to reach|until|till|before) ", self.begins)
        begun = gets_to or self.begins.startswith(("when ", "what time ", "how far into", "how early"))
        if begun and self.found["laps"] and not (set(measures) - {"when", "time"} or self.found["corners"]):
            measures = ("lap_when",)
        if not measures and re.search(r"@(?:least|most):", str(self.found["corners"])):
            measures = ("min_speed",)  # "my second slowest corner"
        if not measures and self.found.get("unit") in say.BOUND_UNITS:
            # "How many bar in turn 7".
            measures = say.BOUND_UNITS[str(self.found["unit"])][1][:1]
        if (
            "mean" in which
            and "brake_bar" in measures
            and (re.search(r"\bhard", self.begins) or self.found["corners"])
        ):
            which = (*which, "most")  # the average of each lap's highest
        if self.found.get("bound") is not None and self.begins.startswith("where"):
            self.found["of"] = "place"
        if set(measures) == {"time"} and self.found.get("of") == "place" and _THE_TIME.search(self.begins):
            measures = ("loss",)  # "where's the time between lap 3 and 4"
        if (
            measures == ("min_speed",)
            and not which
            and re.search(r"\b(?:lowest|slowest) speed\b", self.begins)
        ):
            which = ("least",) if self.found["corners"] else ()
        if (
            not measures
            and which == ("least",)
            and self.found["corners"]
            and re.search(r"\b(?:min|minimum|minimums)$", self.begins)
        ):
            measures, which = ("min_speed",), ()  # "turn 11 minimum"
        if re.fullmatch(r"(?:and )?when", self.begins):
            measures = ("lap_when",)
        if measures == ("loss",) and _WINS.search(self.begins) and not (self.found["laps"] or which):
            self.found["of"], which = "corner", ("least",)
        if measures == ("smooth",) and "smoothest" in self.begins and not self._placed():
            which, self.found["of"] = ("most",), "lap"
        if (
            not measures
            and self.found.get("of") == "place"
            and re.search(r"\b(?:worst|weakest)\b", self.begins)
        ):
            measures, which = ("loss",), ()
        if not measures and self.found.get("of") == "corner" and _HARD.search(self.begins):
            measures, which = ("loss",), ()
        if (
            not measures
            and self.found.get("of") == "corner"
            and _STRONG.search(self.begins)
            and laps in ((), ("best",))
        ):
            measures, which = ("loss",), ("least",)
            self.found["laps"] = tuple(each for each in laps if each != "best")  # "my best in each corner"
        if set(measures) <= {"corner_count"} and (judged := _JUDGED_PLACE.match(self.begins)):
            # "Where am I slow" asks for lost time, not for a low speed.
            measures, which, self.found["counts"] = ("loss",), (), False
            if judged[1] in _WELL:
                which, self.found["of"] = ("least",), "corner"
        if re.fullmatch(_HOW_MUCH, self.begins):
            # "How slow?" after a place, "how long were they" after stops, "in mph?"
            measures, self.found["follows"] = (), True
        if re.fullmatch(
            r"(?:and )?(?:how many times|how often|(?:for )?how long|how long for)"
            r"(?: (?:was|did|is) (?:that|it|i)(?: do (?:it|that))?)?(?: in total| in all| altogether)?",
            self.begins,
        ):
            # Of a limit, "did I go over 180".
            measures, self.found["follows"], self.found["counted"] = (), True, True
        if re.fullmatch(_IN_G, self.begins):
            self.found["follows"] = True
        if re.match(r"(?:and )?when (?:was|did) (?:it|that|i do (?:it|that))\b", self.begins):
            measures = ("lap_when",)
        until = re.match(r"how many laps (?:\w+ ){0,4}?(?:before|until|till|to|after|into|in)\b", self.begins)
        if until and ({*laps} & {"best", "worst"} or re.search(r"(?:is|was) (?:that|it)$", self.begins)):
            measures, self.found["follows"] = ("lap_when",), not laps
        if measures == ("time",) and self.found.get("of") == "corner" and _TAKEN_FAST.search(self.begins):
            measures = ("min_speed",)
        at_place = bool(re.match(r"(?:in|at|on|for|through) ", self.begins))
        most = MOST_SCRAP_WORDS + 2 * at_place
        if len(self.begins.split()) <= most and not measures and not self.found.get("of"):
            # "lap 4?", "turn 7", "the exit", "slowest?".
            self.found["follows"] |= self.found.get("per") == "lap"  # type: ignore[operator]
            scrap = (which and not laps) or self.found["corners"] or self.found.get("point")
            scrap = (
                scrap
                or (at_place and (laps or sectors))
                or any(sectors)
                or ("best" in laps and re.fullmatch(r"(?:the )?\w+ one", self.begins))
                or any(lap.isdigit() for lap in laps)
            )
            self.found["follows"] |= bool(scrap)  # type: ignore[operator]
        if re.fullmatch(
            r"(?:(?:and|whats|what is) )?(?:the )?(?:difference|diff|gap|delta)|"
            r"(?:but |and )?(?:why|how come|how so|why is that|whys that|what happened(?: there)?)|"
            r"(?:and )?(?:which|what) (?:lap|corner|one) (?:was|is) (?:the |my )?(?:latest|earliest|highest|"
            r"lowest|longest|shortest|hardest)|"
            r"(?:in |at |on )?(?:which|what) (?:ones|laps?|corners?|turns?|sectors?)"
            r"(?: was that| mostly| mainly| exactly)?|"
            r"(?:and |so )?(?:when|who|which|how often)|"
            r"(?:and |so )?(?:mostly |mainly )?where(?:abouts)?"
            r"(?: (?:the )?(?:most|least|exactly|mostly|mainly))?|"
            r"(?:and |so )?(?:where|when|which lap|how (?:long|much|many)) (?:was|is|did) (?:that|it|"
            r"this)\b.*",
            self.begins,
        ):
            self.found["follows"] = True
        words = len(self.begins.split())
        short = (words <= 2 and {*measures} & _AT_A_PLACE) or (words == 1 and {*measures} & _CHANNELS)
        if short or re.fullmatch(r"(?:the |my )?lap ?time", self.begins):
            self.found["follows"] = True  # "what gear in turn 7? Revs?", "lap time?"
        than = r"(?:\w+ )?(?:more|less|higher|lower|later|earlier|better|worse|faster|slower|quicker)\b"
        if re.match(
            rf"(?:and |so )?(?:is|was) (?:that|it|this) {than}",
            self.begins,
        ):
            self.found["follows"] = True
        if self.found.get("straight") in ("main", "before") and _LENGTH.match(self.begins):
            measures = ("straight_m",)
        if self.found.get("straight") == "longest" and "long" in self.begins and "," not in self.begins:
            if set(measures) <= {"time"}:
                measures = ("straight_m",)
            elif "time" not in measures and re.search(r"longest straight(?:away)? and\b", self.begins):
                measures = ("straight_m", *measures)  # "the longest straight and vmax there"
        if self.found.get("straight") and not measures and _PACE.search(self.begins):
            measures = ("time", "speed")  # "faster on the main straight on lap 7 than 5"
            which = tuple(each for each in which if each not in ("most", "least"))
        return QuestionReading(
            measures=measures,
            which=which,
            compares=bool(self.found.pop("compares", False)) or compares,
            untold=untold[0] if isinstance(untold, tuple) and untold else "",
            follows=bool(self.found.pop("follows", False)),
            strange=tuple(strange),
            **self.found,  # type: ignore[arg-type]
        )

    def _placed(self) -> bool:
        fields = ("corners", "sectors", "straight", "half", "place_m")
        return any(self.found.get(each) not in (None, (), "", 0) for each in fields)

    def _rows(self, name: str, rows: Sequence[say.Term]) -> tuple[str, ...]:
        found = []
        for row in rows:
            while taken := self.take(row.pattern):
                found.append(row.meaning)
                if rows is say.MEASURES and row.meaning != "channels":
                    self._pass_over(taken[0], row.pattern)
        meanings = tuple(dict.fromkeys(found))
        if name:
            self.found[name] = meanings
        return meanings

    def _pass_over(self, taken: str, pattern: str) -> None:
        """Words that stood in the midst of a phrase and are none of its own: strange ones are kept, and how
        a figure is looked at is read after it ("the rev drop when I shift")."""
        for word in taken.split():
            if not self._is_known(word):
                self._passed_over.append(word)
            elif word in _looks() and not re.search(rf"(?<![a-z]){word}(?![a-z])", pattern):
                self.text += f"{word} "

    def _is_known(self, word: str) -> bool:
        """Whether a word that stood in the midst of a known phrase means something here: "did I trail brake"
        is no "did I brake"."""
        return bool(
            not word.isalpha()
            or {word, f"{word}s"} & english_words()
            or word in self.names.track_words
            or word.startswith(("x", "nth"))
            or any(word.startswith(stem) for stem in _stems())
        )

    def _follow_words(self) -> None:
        # "Which was better?" of two laps that were named.
        self.found["of_two"] = self.found["follows"] = False
        if re.fullmatch(_BETWEEN_THEM, self.begins):
            self.text = " difference "
            self.found["of_two"] = self.found["follows"] = self.found["compares"] = True
            return
        found = re.fullmatch(_WHICH_OF_TWO, self.begins)
        if found and not (" lap " in self.begins and found[1].endswith("st")):
            self.text = " best " if found[1] in _GOOD else " worst "
            self.found["of_two"] = self.found["follows"] = self.found["compares"] = True
            return
        if self.take(r"(?:and )?(?:which|what)(?: one| lap)? of (?:those|them|these|the 2)"):
            self.found["of_two"] = self.found["follows"] = self.found["compares"] = True
            return
        if re.fullmatch(_OTHER_LAPS, self.begins):
            self.found["per"], self.found["follows"], self.text = "lap", True, ""
            return
        ranks = re.fullmatch(_RANK_ALONE, self.begins) or re.fullmatch(_RANKS_APART, self.begins)
        if ranks and {*ranks.groups()} <= ORDINALS.keys():
            self.found["nth"] = tuple(int(ORDINALS[each]) for each in ranks.groups())
            self.found["follows"], self.found["compares"] = True, len(ranks.groups()) > 1
            self.text = ""
            self._passed_over += ranks.groups()  # strange, unless what was asked before has ranks
            return
        if re.fullmatch(r"(?:and |or |what about |how about )*(?:under|over|below|above)", self.begins):
            # "Laps over 1:55? And under?"
            self.found["flips"] = self.found["follows"] = True
            self.text = ""
            return
        begun = re.match(say.FOLLOWS, self.begins)
        words = self.begins.split()
        self.found["follows"] = bool(begun) or bool(
            len(words) <= 10
            and re.search(
                r"\b(?:there|it|th(?:at|e) one|the (?:first|second|third) one)\b|"
                r"\b(?:one before|same|that (?:lap|corner)|instead|th[oe]se|them)\b|"
                r"^(?:list|show|name) (?:them|those)|^(?:and |so )?which (?:one|of)\b|"
                r"^(?:can|could|should) i (?:\w+ ){0,2}(?:later|earlier|sooner|faster|harder|quicker)$|"
                r"^(?:is|was|does|did|whats|what (?:is|was|does|did)|"
                r"how much (?:is|was|does|did|would|will|could)) that\b",
                self.begins,
            )
        )
        if not self.found.get("laps") and self.take(
            r"(?:than|from) (?:all )?(?:the |my )?(?:others?|rest)(?: laps)?(?= )", "average"
        ):
            self.found["follows"] = self.found["compares"] = True
        # "Average over all laps?", "how much in turn 2?"
        if re.match(
            r"how (?:much|many|bad) (?:in|at|on|for|through) |"
            r"(?:the |on )?(?:average|mean|median|max\w*|min\w*|highest|lowest)(?: (?:over|of|in|across|for) "
            r"(?:all|the|every|each) .*)?$",
            self.begins,
        ):
            self.found["follows"] = True
        if (
            len(words) <= 3
            and words
            and re.fullmatch(r"\d{1,3}[a-d]?", words[-1])
            and (begun or len(words) == 1)
        ):
            named = self.names.mentions(["turn", words[-1]])
            corner = named[0].corners if named else ()
            self.found["bare"] = (words[-1], corner[0] if corner else "")
        # "My fastest lap after lap 6" is no "lap after".
        own = "".join(rf"(?<!{end} )" for end in ("fastest", "best", "quickest", "slowest", "worst"))
        own += "(?:the )?(?:one|lap)"
        if self.take(rf"{own} (?:just )?before(?: that| it)?|(?:the )?previous (?:one|lap)|prior lap"):
            self.found["step"] = -1
        elif self.take(
            rf"{own} after(?: that| it)?(?! (?:\w+ ){{0,2}}(?:pit )?(?:stops?|breaks?|pauses?))|"
            r"(?:the )?next (?:one|lap)|following lap"
        ):
            self.found["step"] = 1
        # "The lap after lap 4" is one lap, "lap 4 and the one after" are two.
        self.steps_from = bool(
            re.search(r"\b(?:one|lap) (?:just |right )?(?:before|after) (?:lap|the|my)\b", self.begins)
        )

    def _sessions(self) -> None:
        marks = []
        for row in say.SESSIONS:
            while found := self.take(row.pattern, say.SESSION):
                marks.append(row.meaning)
                if row.meaning == "drivers" and (named := re.match(r"(?:me|i) \w+ ([a-z]+)$", found[0])):
                    self.found["driver"] = named[1]
        while found := self.take(say.DATE, say.SESSION):
            marks.append(_dated(found))
        days = re.findall(r"\b\d{4}-\d\d-\d\d\b", self.text)
        for day in days:
            self.text = self.text.replace(day, say.SESSION)
        if re.search(r"\bthis (?:session|day|run)\b.*\b(?:the )?other one\b", self.begins):
            marks.append("all")
        if self.found["laps"] or {*marks} - {"drivers", "today"}:
            # "Who is quicker, lap 4 or lap 6", "me on this one or the other session".
            marks = [each for each in marks if each != "drivers"]
        self.found["sessions"] = tuple(dict.fromkeys((*marks, *days)))
        if self.found["sessions"] and self.has(say.BESIDE):
            self.found["compares"] = True

    def _searched(self) -> None:
        """What is to be found: "which lap", "where", "which corner"."""
        end = r"(slowest|tightest|fastest|quickest)"
        if found := self.take(
            rf"(?:in|at|through|into|for|of) (?:the |my )?{end} (?:corner|turn|bend)", say.CORNER
        ):
            self.found["corners"] = ("@least" if found[1] in ("slowest", "tightest") else "@most",)
            return
        for of, pattern in say.SEARCHED:
            if found := self.has(pattern):
                self.take(pattern, " ".join(re.findall(say.KEPT, found[0])))
                self.found["of"] = of
                return

    def _units(self) -> None:
        for word in self.text.split():
            if word in say.UNITS or (
                word in ("f", "c") and re.search(rf"\b(?:in|to|degrees) {word}\b", self.text)
            ):
                unit = {"f": "fahrenheit", "c": "celsius"}.get(word, word)
                self.found["unit"] = unit
                if (
                    say.UNITS[unit][1] in ("speed", "far", "length")
                    and unit != "ft"
                    and not self.take(rf"in {word}")
                ):
                    return  # it may be all that says what is asked for
                self.take(rf"(?:in |degrees )?{word}")
                return

    def _point(self) -> None:
        for point, pattern in (
            (
                "entry",
                r"entry|entries|entrance|turn ?in|going in|(?:on )?(?:the |my )?way in(?:to)?|"
                r"(?:go|going|come|coming|come in|enter) into|enter(?:s|ing|ed)?|"
                rf"(?:arriv(?:e|es|ed|ing)|approach(?:ing|ed)?)(?: (?:at|in|to|into)(?= ))?|"
                rf"into (?:the )?{say.CORNER}(?= (?:vs|versus|v|and|or|to|compared)\b.*\bout\b)",
            ),
            (
                "apex",
                r"apex|apexes|mid ?corner" + (r"|in the middle|middle" if self.found["corners"] else ""),
            ),
            (
                "exit",
                r"exit|exits|(?:on )?(?:the |my )?way out(?: of)?|coming out|out of|leaving|exiting|"
                r"(?<=and )out(?= *$)|"
                r"(?<=vs )out|(?<=versus )out|(?<=or )out(?= *$)",
            ),
        ):
            if self.take(pattern):
                self._points.append(point)
        if self._points:
            self.found["point"] = self._points[0]

    def _settled(self, measures: tuple[str, ...]) -> tuple[str, ...]:
        """The measures without those that only were words of another one."""
        found = list(dict.fromkeys("throttle" if each == "lift" else each for each in measures))
        if "smooth" in found:
            named = [_SMOOTH[each] for each in found if each in _SMOOTH]
            return tuple(dict.fromkeys(named)) or ("smooth",)
        strong = [each for each in found if each not in ("time", "speed", "delta", "loss")]
        strong = [each for each in strong if (each, "loss" in found) != ("corner_count", True)]
        if strong:
            found = [each for each in found if each in strong]
        if "speed" in measures and re.search(r"\bspeed\b.* and | and .*\bspeed\b", self.begins):
            found = list(dict.fromkeys((*found, "speed")))  # "max revs and top speed"
        if len(found) > 1 and "driven_km" in found and not re.search(r"\bdr[io]ve", self.begins):
            found.remove("driven_km")  # "how far do I turn the wheel"
        if len(found) > 1 and "time" in found and "speed" in found:
            found.remove("speed")
        if "loss" in found and "speed" in measures and re.search(r"\bspeed\b", self.begins):
            # "How much speed do I lose in turn 7": beside the best lap, or from corner to corner.
            self.found["compares"], self.found["span"] = True, False
            return ("speed",)
        if "loss" in found and "ideal_corners" not in found:
            found = ["loss"]
        return tuple(found)


# "At what speed do I shift" wants a speed, "how fast does it rev" may not.
_SPEED_NAMED = re.compile(r"\b(?<!engine )(?<!up to )(?:speed|speeds|kmh|kph|mph)\b")
_SMOOTH = {"throttle": "throttle_turns", "throttle_m": "throttle_turns", "steering_deg": "steering_turns"}


def _dated(found: re.Match[str]) -> str:
    """ "2025-05-17", without a year "--05-17"."""
    day, name, year = found[1] or found[5] or found[7], found[2] or found[4], found[3] or found[6] or found[9]
    month = say.MONTHS.index(name[:3]) + 1 if name else int(found[8])
    return f"{int(year):04d}-{month:02d}-{int(day):02d}" if year else f"--{month:02d}-{int(day):02d}"
