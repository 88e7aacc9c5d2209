"""The one reader of questions: laps, corners, sectors, places, figures, sessions.

`read(question, names)` is what stands in one question; `question_reading.follow` adds what it leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from pitwall.ask.corner_names import CornerNames
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.figure_words import MEASURES, Term
from pitwall.paddock.questions.german import english_words, in_english
from pitwall.paddock.questions.prepared import ORDINALS
from pitwall.paddock.questions.question_text import QuestionText, compiled
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
from pitwall.paddock.questions.settled import settled
from pitwall.paddock.questions.signs import THE_REST
from pitwall.paddock.questions.slips import MOST_EXACT, known_for, near


def read(question: str, names: CornerNames) -> QuestionReading:
    """One question by itself."""
    return _read(question, names)[0]


def mended(question: str, names: CornerNames) -> str:
    """The question without the slips that were mended to read it."""
    return _read(question, names)[1]


def _read(question: str, names: CornerNames) -> tuple[QuestionReading, str]:
    reading, question = _typed(question, names)
    unknown = [*reading.strange, *reading.no_corner.split()[:1]]
    unknown = [each for each in unknown if each not in names.called()]
    if not unknown or in_english(question, names.words) != question:
        return reading, question
    for word in unknown:
        found = [_typed(_with(question, {word: each}), names) for each in near(word)]
        least = min((_left(each) for each, _ in found), default=_left(reading))
        found = [each for each in found if _left(each[0]) == least < _left(reading)]
        if len({each for each, _ in found}) == 1:  # several words that fit may mean different things
            reading, question = found[0]
    return reading, question


def _typed(question: str, names: CornerNames) -> tuple[QuestionReading, str]:
    """The reading without a guess, and the question with what is known for its words."""
    reading = _Reader(question, names).reading()
    guessed = (word for word in reading.strange if len(word) > MOST_EXACT and word not in names.called())
    meant = {word: known_for(word) for word in guessed}
    if all(word == other for word, other in meant.items()):
        return reading, question
    again = _with(question, meant)
    other = _Reader(again, names).reading()
    most = 1 if " " in "".join(meant.values()) else len(reading.strange)
    return (other, again) if len(other.strange) < most else (reading, question)


def _left(reading: QuestionReading) -> int:
    """How much of a question is not understood."""
    return len(reading.strange) + bool(reading.no_corner)


def _with(question: str, meant: Mapping[str, str]) -> str:
    return re.sub(r"[a-z]+", lambda found: meant.get(found[0], found[0]), question.lower())


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
_ADVERB = re.compile(r"(?!ment|phys|emot|fami)\w{3,}ly|only")
_JUDGED_LAPS = (
    r"(?:and )?how many (?:of (?:them|those) )?(?:laps )?(?:were|are) (?:any |really )?"
    r"(good|bad|decent|fast|slow|quick|ok|rubbish|terrible|nice)(?: (?:ones|laps))?"
)
_SPEED_INTO = re.compile(r"\b(?:how (?:fast|slow|quick)|speed) (?:\w+ ){0,3}?into\b")
_GOOD = ("better", "best", "faster", "fastest", "quicker", "quickest")
_WHICH_OF_TWO = (
    r"(?:and |so )?(?:which|what)(?: one| lap| of them)? (?:was|is|were) (?:the )?"
    rf"({'|'.join(_GOOD)}|slower|slowest|worse|worst)(?: one| lap| then| overall)*"
)
_OTHER_LAPS = (
    r"(?:and |what about |how about )*(?:(?:on|in) )?(?:(?:the |my |all )*other|all|each|every)(?: the| my)? "
    r"(?:laps?|ones)|" + THE_REST
)
# "And the third?"
_RANK_ALONE = (
    r"(?:(?:and|so|or|then|what|whats|was|is|about|how) )*(?:the |my )?((?!first|1st)\w+)(?: one)?(?: then)?"
)
_RANKS_APART = (
    r"(?:(?:and|so|whats|what|is|was|how|big|much|the|my) )*(?:gap|difference|diff|delta|apart) "
    r"(?:between|from|was|is) (?:the |my )?(\w+) (?:and|to|from) (?:the |my )?(\w+)(?: one)?"
)
_NEXT_BEST = (
    r"(?:(?:and|so|but) )*how (?:much|far|close|many \w+)(?: (?:behind|back|under|off|slower|away))?"
    r"(?: (?:is|was|were|lies|lay))? (?:the |my )?"
    r"(next(?= (?:one|best|fastest|quickest))|second(?! (?:best|fast|quick))|third|2nd|3rd)"
    r"(?: (?:one|best|fastest|quickest|lap))*(?: (?:behind|back|under|off|slower|away|than|from|that|it))*"
)
_BETWEEN_THEM = (
    r"(?:and |so )?how much (?:faster|slower|quicker|more|less|better|worse|worst|higher|lower)"
    r"(?: (?:is|was) (?:it|that))?|"
    r"(?:and )?how far apart (?:are|were|is|was)? ?(?:they|those|these|them|the 2)?|"
    r"(?:and )?where (?:is|was|are|were) (?:the |my )?(?:difference|differences|diff|gap|delta)|"
    r"(?:and )?(?:what(?: is|s)? |how much (?:is |was |lies )?)?(?:the |in )?(?:difference|diff|gap|delta|"
    r"between|apart)(?: between)?(?: them| those| both| the 2| they)?"
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
_OF_CORNERS = (
    r"(?:corner|cornering|apex|entry|exit) speeds?|(?:corner|turn) times?|(?:min|minimum) corner\w* speeds?"
)
_COMPARED = (
    r"compar\w+|stacks? up|measures? up|differ|how much (?:faster|slower|quicker)|vs|versus|v|against|than|"
    r"difference|diff|gap|between|or|delta"
)


# "Moraine Sweep", "through Hurry Downs": what stands so is called like a corner.
_A_CORNER = r"(?:corner|bend|turn|sweep|kink|hairpin|chicane|esses|curve)"
_TO_A_CORNER = r"\b(?:through|thru|into|(?:brak\w*|gear) (?:for|before)|(?:exit|apex) of) (?:the )?"


class _Reader(QuestionText):
    """Takes from the words of one question what it knows, piece by piece; what is left is strange."""

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
        self.found["untold"] = (*self._rows(say.UNTOLD), "")[0]
        self.found["coaching"] = bool(self.has(say.COACHING))
        self._sessions()
        self._units()
        self.by_corner = bool(compiled(_OF_CORNERS).search(self.text))
        self.found["measures"] = self.taken = self._rows(MEASURES)
        self._searched()
        if self.take(say.THIS_SESSION, say.SESSION):
            self.found["sessions"] = (*self.found["sessions"], "this")  # type: ignore[misc]
        if re.search(r"\b(?:average|avg|mean|median|total)\b", self.text):
            # "My average over the flying laps" asks for no trend.
            self.take(r"(?:over|across) (?:all )?(?:the |my |of )*(?:(?:flying|timed|whole|entire|all) )?"
                      r"(?:laps|session|run|stint|day)(?= )")  # fmt: skip
        self.found["which"] = self._rows(say.WHICH)
        self._point()
        self.found["compares"] = bool(self.found.get("compares") or compiled(_COMPARED).search(self.text))
        place = rf"(?:{say.LAP}|{say.CORNER}|{say.SECTOR})"
        self.take(rf"only (?:(?:in|for|on|at|the|of) )*(?={place})")
        self.text = re.sub(rf"({place}) only\b", r"\1", self.text)
        left = re.findall(r"[a-z0-9:.']+", re.sub(r"\bx(?:lap|corner|sector|session)\b", " ", self.text))
        self.found["left"] = tuple(word for word in left if word in say.SERVED)
        strange = [
            word
            for word in left
            if word not in say.IDLE
            and not _ADVERB.fullmatch(word)
            and word not in self.names.track_words
            and not compiled(say.COACHING).fullmatch(word)
        ]
        if strange and self.names.order and not self.found["corners"]:
            word = f"(?:{'|'.join(map(re.escape, strange))})"
            called = rf"\b{word} {_A_CORNER}\b|{_TO_A_CORNER}({word}(?: {word})*)$"
            named = re.search(called, self.begins)
            if named and not self.names.called().intersection(named[0].split()):
                self.found["no_corner"] = named[1] or named[0]
                strange = [each for each in strange if each not in named[0].split()]
        if judged := re.fullmatch(_JUDGED_LAPS, self.begins):
            strange.append(judged[1])  # no data says which lap was a good one
        self.found["strange"] = tuple(dict.fromkeys((*self.passed_over, *strange)))
        self.found["counts"] = bool(_HOW_MANY.search(self.begins))
        self.found["negated"] = bool(
            _NOT_SO.search(self.begins) and _NOT.search(self.text.removesuffix("or not "))
        )
        return settled(QuestionReading(**self.found), self)  # type: ignore[arg-type]

    def _rows(self, rows: Sequence[Term]) -> tuple[str, ...]:
        found = []
        for row in rows:
            while taken := self.take(row.pattern):
                found.append(row.meaning)
                if rows is MEASURES and row.meaning != "channels":
                    self._pass_over(taken[0], row.pattern)
        return tuple(dict.fromkeys(found))

    def _pass_over(self, taken: str, pattern: str) -> None:
        """Words that stood in the midst of a phrase and are none of its own: strange ones are kept, and how
        a figure is looked at is read after it ("the rev drop when I shift")."""
        for word in taken.split():
            if not self._is_known(word):
                self.passed_over.append(word)
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
            self.passed_over += ranks.groups()  # strange, unless what was asked before has ranks
            return
        if found := re.fullmatch(_NEXT_BEST, self.begins):
            rank = 2 if found[1] == "next" else int(ORDINALS[found[1]])
            self.found["nth"], self.found["follows"], self.found["compares"] = (1, rank), True, True
            self.text = ""
            self.passed_over.append(found[1])  # strange, unless what was asked before has ranks
            return
        if re.fullmatch(r"(?:and |or |what about |how about )*(?:under|over|below|above)", self.begins):
            # "Laps over 1:55? And under?"
            self.found["flips"] = self.found["follows"] = True
            self.text = ""
            return
        if re.fullmatch(r"(?:and |so )?by how much(?: exactly| was that| is that)?", self.begins):
            self.found["follows"], self.text = True, ""  # the same once more tells it
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
            len(words) <= 3 + 2 * bool(re.match("(?:and |so )?(?:what|how) about ", self.begins))
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
                if found[0].startswith(("each", "every")):
                    self.text += "each "
                since = found[0].startswith("since")
                self.found["compares"] = self.found.get("compares") or since
                if row.meaning == "drivers" and (named := re.match(r"(?:me|i) \w+ ([a-z]+)$", found[0])):
                    self.found["driver"] = named[1]
        while found := self.take(say.DATE, say.SESSION):
            marks.append(_dated(found))
        days = re.findall(r"\b\d{4}-\d\d-\d\d\b", self.text)
        for day in days:
            self.text = self.text.replace(day, say.SESSION)
        if re.search(r"\bthis (?:session|day|run)\b.*\bthe (?:other one|others|rest)\b", self.begins):
            marks.append("all")
            self.take(r"(?:with |to )?(?:all )?the (?:others|rest)")
        if self.take(
            r"(?<=session )(?:vs|versus|against|than|to|with) (?:the |my )?(?:last|previous)(?= *$)"
        ):
            marks.append("previous")  # "this session against the last"
            self.found["compares"] = True
        if self.found["laps"] not in ((), ("best",)) or {*marks} - {"drivers", "today"}:
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
                rf"into (?:the )?{say.CORNER}(?= (?:vs|versus|v|and|or|to|compared)\b.*\bout\b)"
                + (rf"|into(?= (?:the )?{say.CORNER})" if _SPEED_INTO.search(self.begins) else ""),
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
                self.points.append(point)
        if self.points:
            self.found["point"] = self.points[0]


def _dated(found: re.Match[str]) -> str:
    """ "2025-05-17", without a year "--05-17"."""
    day, name, year = found[1] or found[5] or found[7], found[2] or found[4], found[3] or found[6] or found[9]
    month = say.MONTHS.index(name[:3]) + 1 if name else int(found[8])
    return f"{int(year):04d}-{month:02d}-{int(day):02d}" if year else f"--{month:02d}-{int(day):02d}"
