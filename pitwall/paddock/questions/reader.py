"""The one reader of questions: laps, corners, sectors, places, figures, sessions.

`read(question, names)` is what stands in one question; `reading.follow` adds what it leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.corner_names import CornerNames
from pitwall.paddock.questions.german import english_words
from pitwall.paddock.questions.prepared import ORDINALS, prepared
from pitwall.paddock.questions.question_words import Speller
from pitwall.paddock.questions.reading import (
    LOWEST_PEAK,
    SPEED_AT,
    TOP_GEAR,
    LapMark,
    QuestionReading,
    stepped,
)

# Shorter ones may be no more than a lap or a place, which goes on with the question before.
MOST_SCRAP_WORDS = 3
# A slip in a shorter word may be another word.
MOST_EXACT = 4
_JOINS = (
    r"(?:and|or|vs|versus|v|to|with|against|than|then|minus|from|over|compared|the|number|no|my|,|lap|laps)"
)


def read(question: str, names: CornerNames) -> QuestionReading:
    """One question by itself."""
    reading = _Reader(question, names).reading()
    mended = {word: _speller().mend([word])[0] for word in reading.strange if len(word) > MOST_EXACT}
    if all(word == meant for word, meant in mended.items()):
        return reading
    # A slip in a word that only the whole vocabulary knows.
    again = re.sub(r"[a-z]+", lambda found: mended.get(found[0], found[0]), question.lower())
    other = _Reader(again, names).reading()
    return other if len(other.strange) < len(reading.strange) else reading


@cache
def _speller() -> Speller:
    words = (*english_words(), *say.SLIPS.values())
    return Speller(words, shortest=MOST_EXACT - 1, swaps_letters=False)


@cache
def _looks() -> frozenset[str]:
    """The words that alone say which of a figure's values is meant."""
    patterns = [
        _compiled(row.pattern) for row in say.WHICH if row.meaning in ("mean", "spread", "trend", "total")
    ]
    return frozenset(word for word in english_words() if any(each.fullmatch(word) for each in patterns))


@cache
def _stems() -> tuple[str, ...]:
    """Beginnings of words of the vocabulary, of which the patterns leave the endings open."""
    return tuple(word for word in english_words() - say.IDLE if len(word) >= MOST_EXACT)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)")


# A corner that was taken fast was taken with much speed, however long it is.
_STRONG = re.compile(r"\b(?:best|strongest|good at)\b")
_OF_BRAKING = {"g_brake", "brake_bar", "brake_time", "brake_far_m", "brake_m", "brake_count"}
_DRIVEN_ALONG = {"speed", "rpm", "gear", "throttle", "full_throttle", "coast"}
_PHASE = re.compile(r"\bunder brak|\bon the brakes\b|\bentry\b|\bexit\b|\bmid|\bapex\b|\bphase\b|\bpart of\b")
_PACE = re.compile(r"\b(?:fast|slow|quick)(?:er|est)\b")
_HOW_TO = re.compile(r"\bhow (?:can|could|do|should|would|might|to) (?:i |we )?")
_CAN_BE = re.compile(r"\b(?:can|could|possible|realistic|achievable|doable|reachable|manage|within reach)\b")
_DRIVEN_TIME = re.compile(r"(?:on |in )?(?:which|what|how many|list|when)\b|(?:was|were|are) any\b|any lap")
_GOOD = ("better", "best", "faster", "fastest", "quicker", "quickest")
_WHICH_OF_TWO = (
    r"(?:and |so )?(?:which|what)(?: one| lap| of them)? (?:was|is|were) (?:the )?"
    rf"({'|'.join(_GOOD)}|slower|slowest|worse|worst)(?: one| lap| then| overall)*"
)
_HOW_MUCH = (
    r"(?:and )?how (?:slow|fast|quick|high|low|big|long)(?: (?:was|were|is|are) (?:it|that|they|those))?"
)
_BETWEEN_THEM = (
    r"(?:and )?(?:what(?: is|s) |how much (?:is |was |lies )?)?(?:the |in )?(?:difference|diff|gap|delta|"
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
    r"\b(?:hotter|warmer|cooler|colder|faster|slower|quicker|better|worse|higher|lower|more|less|later|"
    r"earlier|harder)\b(?! than)"
)
_MORE = re.compile(r"\b(?:more|less|higher|lower|later|earlier|harder|longer|shorter|sooner)\b")
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
_WINS = re.compile(r"\b(?:do|am) i (?:win|winning|gain|gaining)\b")
_NO_LAP = re.compile(r"(?:which|what) (?:corner|turn|bend|sector|split)")  # "which corner is my best"
_TAKEN_FAST = re.compile(r"\b(?:fastest|slowest|quickest)\b(?!.*\btimes?\b)")


class _Reader:
    """Takes from the words of one question what it knows, piece by piece; what is left is strange."""

    def __init__(self, question: str, names: CornerNames) -> None:
        self.begins, self.text = prepared(question, names)
        self.found: dict[str, object] = {}
        self._names = names
        self._points: list[str] = []
        self._passed_over: list[str] = []

    def reading(self) -> QuestionReading:
        self._follow_words()
        self._sprint()
        self._limits()
        self._straight()
        self._place()
        self._gears()
        self._made_of()
        self._laps()
        self._sectors()
        self._corners()
        self.found["said"] = bool(self._take(say.SAID))
        self.found["marked"] = bool(self._take(say.MARKED))
        self._rows("untold", say.UNTOLD)
        coaching = self.found["coaching"] = bool(_compiled(say.COACHING).search(self.text))
        self._sessions()
        self._units()
        by_corner = _compiled(
            r"(?:corner|cornering|apex|entry|exit) speeds?|(?:corner|turn) times?|"
            r"(?:min|minimum) corner\w* speeds?"
        ).search(self.text)
        measures = self._rows("", say.MEASURES)
        self._searched()
        if self._take(say.THIS_SESSION, say.SESSION):
            self.found["sessions"] = (*self.found["sessions"], "this")  # type: ignore[misc]
        which = self._rows("", say.WHICH)
        laps: tuple[str, ...] = self.found["laps"]  # type: ignore[assignment]
        if len(laps) == 2 and re.search(rf"\bthan\b.*{say.LAP}", self.text) and _MORE.search(self.begins):
            way = "less" if _LESS.search(self.begins) else "more"  # "more in lap 5 than in lap 6"
            which = (*(each for each in which if each not in ("most", "least")), way)
        groups = ("from:", "to:", "half:", "firsts:", "lasts:")
        if len(laps) == 1 and laps[0].startswith(groups) and _COMPARATIVE.search(self.begins):
            # "Was the oil hotter in the second half".
            self.found["compares"] = True
            which = tuple(each for each in which if each not in ("most", "least"))
        if _LOWEST_PEAK.search(self.begins):
            which, self.found["of"] = LOWEST_PEAK, "lap"
        if _HOW_TO.search(self.begins):
            which = tuple(each for each in which if each != "trend")  # "how do I get faster"
        lifts = "lift" in measures
        if lifts and not which:
            which = ("least",)
        if found := re.search(_PEAK, self.begins):
            peak = _PEAKS[found[2]]
            if others := tuple(each for each in measures if each not in (peak, "time", "delta")):
                low = found[1].startswith(("min", "low", "slow"))
                self.found["peak"], measures, which = (peak, "least" if low else "most"), others, ()
        if found := re.match(_WAS_THAT, self.begins):
            self.found["follows"], self.found["per"] = True, "session"
        self._point()
        point = str(self.found.get("point", ""))
        if len(self._points) > 1 and ("speed" in measures or (not measures and _PACE.search(self.begins))):
            measures = tuple(SPEED_AT[each] for each in self._points)
        if not measures and point and {"most", "least", "trend", "spread"} & set(which):
            measures = (SPEED_AT[point],)  # "the best exit" is the fastest
        compares = bool(
            _compiled(
                r"compar\w+|differ|how much (?:faster|slower|quicker)|vs|versus|v|against|than|difference|"
                r"diff|gap|between|or|delta"
            ).search(self.text)
        )
        untold = self.found.pop("untold")
        left = re.findall(r"[a-z0-9:.']+", re.sub(r"\bx(?:lap|corner|sector|session)\b", " ", self.text))
        strange = [
            word
            for word in left
            if word not in say.IDLE
            and word not in self._names.track_words
            and not _compiled(say.COACHING).fullmatch(word)
        ]
        signs = {"share": re.search(say.SHARE, self.begins), "moment": re.search(say.MOMENT, self.text)}
        self.found["left"] = (
            *(word for word in left if word in say.SERVED),
            *(name for name, found in signs.items() if found),
        )
        strange = list(dict.fromkeys((*self._passed_over, *strange)))
        self.found["counts"] = bool(_HOW_MANY.search(self.begins))
        self.found["negated"] = bool(_NOT_SO.search(self.begins) and _NOT.search(self.text))
        if by_corner and not self.found["corners"] and not self.found.get("no_corner"):
            self.found["of"] = "corner"
        at_brakes = {"speed", "brake_m"} <= {*measures} and self.found["corners"]
        measures = ("speed",) if at_brakes else self._settled(measures)
        if _SPEED_NAMED.search(self.begins) and "speed" not in measures:
            self.found["named"] = ("speed",)
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
        if at_brakes:
            self.found["point"] = "brake"
        elif braking and self.found["corners"] and set(measures) <= {"speed"}:
            # "How fast before braking into 11", "how is my braking into 11".
            strange = [word for word in strange if word not in braking]
            if measures:
                self.found["point"] = "brake"
            measures = measures or ("brake_m",)
        elif braking and ({*measures} & _OF_BRAKING or self.found.get("sprint")):
            strange = [word for word in strange if word not in ("under", "while", *braking)]
        elif braking and not (measures or self.found.get("of") or coaching):
            strange, measures = [word for word in strange if word not in braking], ("g_brake", "brake_time")
        several = len(self.found["corners"]) > 1 and not self.found["laps"]  # type: ignore[arg-type]
        if not measures and several and compares and _PACE.search(self.begins):
            measures = ("min_speed",)
        if "loss" in measures and self.found["corners"] and _PHASE.search(self.begins):
            # "Do I lose it under braking or on the exit of 3".
            self.found["per"] = "phase"
            strange = [word for word in strange if word not in ("under", "phase", *braking)]
        begun = self.begins.startswith(("when ", "what time ", "how far into", "how early"))
        if begun and self.found["laps"] and not (set(measures) - {"when", "time"} or self.found["corners"]):
            measures = ("lap_when",)
        if not measures and self.found.get("unit") in say.BOUND_UNITS:
            # "How many bar in turn 7".
            measures = say.BOUND_UNITS[str(self.found["unit"])][1][:1]
        if self.found.get("bound") is not None and self.begins.startswith("where"):
            self.found["of"] = "place"
        if measures == ("loss",) and _WINS.search(self.begins) and not (self.found["laps"] or which):
            self.found["of"], which = "corner", ("least",)
        if not measures and self.found.get("of") == "corner" and _STRONG.search(self.begins):
            measures, which = ("loss",), ("least",)
        if re.fullmatch(_HOW_MUCH, self.begins):
            # "How slow?" after a place, "how long were they" after stops.
            measures, self.found["follows"] = (), True
        until = re.match(r"how many laps (?:\w+ ){0,4}?(?:before|until|till|to)\b", self.begins)
        if until and {*self.found["laps"]} & {"best", "worst"}:  # type: ignore[misc]
            measures = ("lap_when",)
        if measures == ("time",) and self.found.get("of") == "corner" and _TAKEN_FAST.search(self.begins):
            measures = ("min_speed",)
        if len(self.begins.split()) <= MOST_SCRAP_WORDS and not measures and not self.found.get("of"):
            # "lap 4?", "turn 7", "the exit", "slowest?".
            self.found["follows"] |= self.found.get("per") == "lap"  # type: ignore[operator]
            scrap = (which and not laps) or self.found["corners"] or self.found.get("point")
            self.found["follows"] |= bool(scrap) or any(lap.isdigit() for lap in laps)  # type: ignore[operator]
        if re.fullmatch(
            r"(?:(?:and|whats|what is) )?(?:the )?(?:difference|diff|gap|delta)|"
            r"(?:but )?(?:why|how come|how so|why is that|whys that)|"
            r"(?:and )?(?:which|what) (?:lap|corner|one) (?:was|is) (?:the |my )?(?:latest|earliest|highest|"
            r"lowest|longest|shortest|hardest)|"
            r"(?:in |at )?(?:which|what) (?:laps?|corners?|turns?|sectors?)(?: was that)?|"
            r"(?:and |so )?(?:where|when|which lap|how (?:long|much|many)) (?:was|is|did) (?:that|it|"
            r"this)\b.*",
            self.begins,
        ):
            self.found["follows"] = True
        than = r"(?:\w+ )?(?:more|less|higher|lower|later|earlier|better|worse|faster|slower|quicker)\b"
        if re.match(
            rf"(?:and |so )?(?:is|was) (?:that|it|this) {than}",
            self.begins,
        ):
            self.found["follows"] = True
        if self.found.get("straight") == "longest" and "," not in self.begins:
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

    def _take(self, pattern: str, put: str = "") -> re.Match[str] | None:
        """The first match, taken out of the text."""
        found = _compiled(pattern).search(self.text)
        if found is not None:
            taken = f"{self.text[: found.start()]} {put} {self.text[found.end() :]}"
            self.text = re.sub(" +", " ", taken)
        return found

    def _rows(self, name: str, rows: Sequence[say.Term]) -> tuple[str, ...]:
        found = []
        for row in rows:
            while taken := self._take(row.pattern):
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
            or word in self._names.track_words
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
        if found := re.fullmatch(_WHICH_OF_TWO, self.begins):
            self.text = " best " if found[1] in _GOOD else " worst "
            self.found["of_two"] = self.found["follows"] = self.found["compares"] = True
            return
        begun = re.match(say.FOLLOWS, self.begins)
        words = self.begins.split()
        self.found["follows"] = bool(begun) or bool(
            len(words) <= 10
            and re.search(
                r"\b(?:there|it|that one|the one|one before|same|that lap|that corner|instead)\b", self.begins
            )
        )
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
            named = self._names.mentions(["turn", words[-1]])
            corner = named[0].corners if named else ()
            self.found["bare"] = (words[-1], corner[0] if corner else "")
        # "My fastest lap after lap 6" is no "lap after".
        own = "".join(rf"(?<!{end} )" for end in ("fastest", "best", "quickest", "slowest", "worst"))
        own += "(?:the )?(?:one|lap)"
        if self._take(rf"{own} (?:just )?before(?: that| it)?|(?:the )?previous (?:one|lap)|prior lap"):
            self.found["step"] = -1
        elif self._take(
            rf"{own} after(?: that| it)?(?! (?:\w+ ){{0,2}}(?:pit )?(?:stops?|breaks?|pauses?))|"
            r"(?:the )?next (?:one|lap)|following lap"
        ):
            self.found["step"] = 1
        # "The lap after lap 4" is one lap, "lap 4 and the one after" are two.
        self._steps_from = bool(
            re.search(r"\b(?:one|lap) (?:just |right )?(?:before|after) (?:lap|the|my)\b", self.begins)
        )

    def _sprint(self) -> None:
        """ "0 to 100", "from 80 to 160 kmh", "100 to 0": between two speeds."""
        unit = r"(kmh|kph|mph)?"
        found = re.search(
            rf"\b(?:from |between )?(?<!lap )(?<!laps )(?<!turn )(?<!turns )(\d{{1,3}}) ?{unit} (?:to|and) "
            rf"(\d{{1,3}}) ?{unit}(?= )(?! (?:laps|m|metres|percent|seconds|tenths|degrees|rpm|bar)\b)",
            self.text,
        )
        if found is None:
            return
        low, high, named = int(found[1]), int(found[3]), found[2] or found[4] or ""
        quick = re.search(r"accelerat|sprint|how (?:quick|long|fast)|\btime|brak", self.begins)
        if max(low, high) >= 30 and low != high and (0 in (low, high) or named or (quick and low >= 30)):
            self.found["sprint"], self.found["bound_unit"] = (low, high), named
            self.text = f"{self.text[: found.start()]} {self.text[found.end() :]}"
            self._take("stop")  # from a speed to another it is no pit stop

    def _limits(self) -> None:
        if "sprint" in self.found or self._bound():
            return
        clock = r"(\d+):(\d\d(?:[.,]\d+)?)"
        number = rf"(?:{clock}|(\d+(?:[.,]\d+)?))"
        if found := self._take(
            rf"(?:within|inside) (?:(half)(?: a)?|an?|{number}) ?(s|sec|second|seconds|"
            rf"tenths?)?(?: (?:of|from|off))?"
        ):
            within_s = 0.5 if found[1] else _seconds(found[2], found[3], found[4]) or 1.0
            self.found["within_s"] = within_s * (0.1 if (found[5] or "").startswith("tenth") else 1.0)
        elif found := self._take(rf"(?:between|from) {clock} (?:and|to) {clock}"):
            self.found["between_s"] = (_seconds(found[1], found[2], None), _seconds(found[3], found[4], None))
        elif found := self._take(
            rf"(under|below|less than|faster than|quicker than|better than|sub|over|above|slower than|"
            rf"more than) (?:an? )?(?:{clock}|(\d{{2,3}}(?:[.,]\d+)?)(?: ?s| seconds| sec)?(?= ))"
        ):
            value = _seconds(found[2], found[3], found[4])
            if value and value > 20:
                self.found["limit_s"] = value
                self.found["over"] = found[1] in ("over", "above", "slower than", "more than")
                if not self.found["over"] and _CAN_BE.search(self.begins):
                    self.found["target_s"] = self.found.pop("limit_s")
        elif found := self._take(rf"(?:(?:an?|the|in|to|into|of|low|high|mid) )*{clock}s?(?= )"):
            value, whole = _seconds(found[1], found[2], None) or 0.0, found[2].isdigit()
            if _DRIVEN_TIME.match(self.begins):
                self.found["between_s"] = (
                    (value, value + 0.9995) if whole else (value - 0.0506, value + 0.0506)
                )
            elif not _HOW_TO.search(self.begins):
                # Any 1:48 is one, up to 1:48.999.
                self.found["target_s"] = value + 0.999 if whole else value

    def _bound(self) -> bool:
        """ "Over 190 km/h", "hotter than 110": a limit of a figure that is no lap time."""
        over = r"over|above|past|beyond|exceed(?:ed|s)?|reach(?:ed)?|hit|touch(?:ed)?|at least|up to"
        under = r"under|below|less than|at most"
        than = r"(?:more|faster|higher|hotter|warmer|harder|quicker|greater) than"
        units = "|".join(sorted(say.BOUND_UNITS, key=len, reverse=True))
        found = self._take(
            rf"({over}|{than}|{under}|(?:slower|lower|colder|cooler) than) (?:the )?(\d{{1,5}}(?:[.,]\d+)?) "
            rf"?(?:degrees )?({units})(?= )"
        )
        if found is None and not re.search(r"\blaps?\b|\d:\d|\bsector", self.text):
            found = self._take(
                rf"({over}|{than}|{under}|(?:slower|lower) than) (?:the )?(\d{{2,5}}(?:[.,]\d+)?)()(?= $)"
            )
        if found is None:
            found = self._take(
                rf"()(?:the )?(\d{{2,5}}(?:[.,]\d+)?) ?(?:degrees )?({units}|)(?: \w+)?? "
                r"(?:reach(?:ed)?|exceed\w*|broken)"
            )
        if found is None:
            return False
        self.found["bound"] = float(found[2].replace(",", "."))
        self.found["bound_unit"] = found[3]
        if found[3] in say.UNITS:
            self.found["unit"] = found[3]
        self.found["over"] = not found[1] or bool(re.match(rf"{over}|{than}", found[1]))
        self.found["counted"] = bool(self._take(say.COUNTED))
        return True

    def _straight(self) -> None:
        # "How far is a lap".
        if self._take(
            r"how (?:far|long) is (?:a|1) lap|(?:distance|length) of (?:a|1|one|the) lap|lap distance|"
            r"how many (?:km|kilomet\w+|miles|met\w+) (?:per|in a|is a|a) lap"
        ):
            self.text += " track length "
        # "Entry and exit speed".
        point = r"(?:entry|apex|min|exit)"
        self.text = re.sub(rf"\b({point}) (?=(?:(?:and|or|vs|to|,) {point} )+speed)", r"\1 speed ", self.text)
        # "The straight before 7".
        to = (
            r"(straight(?:away)?s? (?:before|to|into|towards|after|out of|following|from)) (?=\d{1,2}[a-d]? )"
        )
        self.text = re.sub(to, r"\1 turn ", self.text)
        # "Where is the exit quicker, 7 or 11".
        if not re.search(r"\b(?:lap|sector|turn|corner)s", self.text):
            named = "lap" if re.search(r"\blap\b", self.text) else "turn"
            of_two = r" , (?=\d{1,2}[a-d]? (?:or|and|vs) \d{1,2}[a-d]? $)"
            self.text = re.sub(of_two, f" {named} ", self.text)
        # "Harder for 7 or for 11", "brake 7 vs 11".
        if "brak" in self.text:
            self.text = re.sub(
                r" for (?=\d{1,2}[a-d]? (?:$|and|or|than|vs|in|on|at))", " for turn ", self.text
            )
        if "lap" not in self.text and re.search(r"brak|apex|entry|exit|corner", self.text):
            self.text = re.sub(r" (?=\d{1,2}[a-d]? (?:vs|versus|or) \d{1,2}[a-d]? $)", " turn ", self.text)
        if found := self._take(
            r"(?:(?:on|along|down|at|in) )?(?:(?:the )?end (?:of )?)?(?:the )?(?:\w+ )?straight(?:away)?s? "
            r"(before|to|into|towards|leading \w+|after|out of|following|from)(?= )"
        ):
            self.found["straight"] = (
                "after" if found[1] in ("after", "out of", "following", "from") else "before"
            )
        elif self._take(
            r"(?:(?:on|along|down|at|in) )?(?:(?:the )?end (?:of )?)?(?:the )?"
            r"(?:main|front|home|start finish|start and finish|pit|finish) straight(?:away)?"
        ):
            self.found["straight"] = "main"
        elif self._take(
            r"(?:(?:on|along|down|at|in) )?(?:(?:the )?end (?:of )?)?(?:the )?"
            r"(?:longest|long) straight(?:away)?"
        ):
            self.found["straight"] = "longest"
        elif self._take(
            r"(?:(?:on|along|down|at|in|of|for) )?(?:each|every|all|per|by)(?: of)?(?: the| my)? "
            r"straight(?:away)?s?"
        ):
            self.found["straight"] = "each"

    def _made_of(self) -> None:
        """ "Sector 1 of lap 12 with sectors 2 and 3 of lap 3 together": a lap of pieces."""
        piece = (
            r"sectors? ((?:[1-3](?: and| ,)? )+)(?:of|from|in|on) "
            r"(?:my |the )?(?:lap (\d{1,3})|(best|last|first) lap)"
        )
        found = re.findall(piece, self.text)
        made = tuple((int(n), lap or mark) for ns, lap, mark in found for n in re.findall(r"\d", ns))
        asked = re.search(r"\b(?:add|put|plus|together|combin\w+|what if|would|made|sum)\b", self.text)
        if asked and len(found) > 1 and len({n for n, _ in made}) == len(made):
            self.text, self.found["made_of"] = re.sub(rf"{piece}|\b{asked[0]}\b", "", self.text), made

    def _gears(self) -> None:
        """ "From third to fourth", "into 4th gear": what is shifted, or a follow-up to that."""
        either = "|".join(say.GEARS)
        self._take(
            rf"(?:in|use|using|used|take|need) (?:{either}) (?:or|and|vs) (?:{either})(?= )"
            r"(?! (?:lap|sector|corner|turn|best|fast|stint|half|stop|run|session))",
            "gear",
        )
        if self._take(r"(?:in|using|with) (?:the |my )?(?:top|highest|last) gear"):
            self.found["gears"] = (TOP_GEAR,)
            self.found["counted"] = bool(self._take(say.COUNTED))
            return
        used = self._take(
            r"(?:(?:in|using|use|used|with|on) )?(?:the )?(?:nth([1-8]) gear|gear ([1-8])(?= )|first gear)"
        )
        if used is not None:
            self.found["gears"] = (int(used[1] or used[2] or 1),)
            self.found["counted"] = bool(self._take(say.COUNTED))
            return
        gear = rf"({'|'.join(sorted(say.GEARS, key=len, reverse=True))}|[1-8])"
        found = None
        if re.search(r"shift|change (?:up|down|gear)", self.text):
            found = self._take(
                rf"(?:from |out of )?(?:the )?{gear} (?:to|into) (?:the )?{gear}"
            ) or self._take(rf"(?:to|into) (?:the )?{gear}(?= )(?! (?:lap|turn|corner|sector))")
        elif used := self._take(
            rf"(?:use|used|using|reach|reached|needed|get to|got to"
            rf"{'|in' if re.search('corner|turn', self.text) else ''}) {gear}(?= *$)"
        ):
            self.found["gears"] = (int(say.GEARS.get(used[1], used[1])),)
        elif self.found["follows"] and len(self.begins.split()) <= MOST_SCRAP_WORDS + 2:
            found = self._take(rf"(?:to|into|for) (?:the )?{gear}(?= *$)")
        if found is not None:
            named = tuple(int(say.GEARS.get(each, each)) for each in found.groups())
            self.found["gears"] = named if len(named) == 2 else (0, *named)

    def _place(self) -> None:
        line = r"(?:the )?(?:start finish(?: line)?|start line|finish line|start|line)"
        if (
            found := self._take(
                rf"(\d+(?:[.,]\d+)?) ?(m|metres?|meters?|ft|feet|km)? ?(?:after|past|from|behind|into|"
                rf"beyond) (?:{line}|the lap)"
            )
        ) or (
            found := self._take(
                r"at (?:the )?(\d{3,5})(?: ?(m|metres?|meters?))(?! (?:\w+ )?(?:before|for|to) )"
                r"(?: mark| point)?"
            )
        ):
            self.found["place_m"] = _metres(found[1], found[2])
        elif self._take(
            rf"(?:over|at|across|cross|crossed|crossing|past|on) {line.replace('|start|line', '')}|(?:over|"
            rf"across|cross|crossed|crossing) the line"
        ):
            self.found["place_m"] = 0.0

    def _laps(self) -> None:
        marks: list[LapMark] = []
        # "Best vs worst lap".
        self.text = re.sub(
            r"\b(best|fastest|first)(?= (?:vs|versus|v|and|against|to|or|with) (?:my |the )?"
            r"(?:worst|slowest|last|second best) laps?\b)",
            r"\1 lap",
            self.text,
        )
        less = (
            r"(?<!\d )(?:without|except(?: for)?|excluding|not counting|ignoring|leaving out|minus) "
            r"(?:the |my )?"
        )
        self._take(rf"{less}(?:out|in)(?: (?:and|or) (?:in|out))? ?laps?")
        one = r"(?:(?:the|my|laps?) )*(?:\d{1,3}|first|last|opening|final)(?: laps?)?"
        if found := self._take(rf"{less}({one}(?: (?:and|or|,) {one})*)(?= )", say.LAP):
            ends = {"opening": "first", "final": "last"}
            left_out = re.findall(r"\d+|first|last|opening|final", found[1])
            marks.append(f"not:{','.join(ends.get(each, each) for each in left_out)}")

        def put(*found: str) -> None:
            marks.extend(each for each in found if each not in marks)

        if re.search(r"improv|gain|los[et]|faster|slower|quicker|differ|change|delta|gap|compar", self.text):
            # "How much did I find from lap 2 to lap 6" compares two.
            self.text = re.sub(r"\blap (\d{1,3}) to lap (\d{1,3})(?= )", r"lap \1 and lap \2", self.text)
        if found := self._take(
            r"laps? (\d{1,3}) ?(?:to|through|thru|till|until) ?(?:lap )?(\d{1,3})", say.LAP
        ):
            put(*(str(n) for n in range(int(found[1]), min(int(found[2]), int(found[1]) + 60) + 1)))
        if found := self._take(
            r"(?:since|from) lap (\d{1,3})(?: (?:on|onwards?|up|upwards))|since lap (\d{1,3})|"
            r"laps? (\d{1,3}) (?:on|onwards?|up|upwards|(?:to|until) the end)(?= )",
            say.LAP,
        ):
            put(f"from:{found[1] or found[2] or found[3]}")
        elif not self.found.get("step") and (
            found := self._take(r"(after|before|until|till|up to) lap (\d{1,3})", say.LAP)
        ):
            number = int(found[2])
            put({"after": f"from:{number + 1}", "before": f"to:{number - 1}"}.get(found[1], f"to:{number}"))
        if found := self._take(
            r"(?:the |my )?(first|1st|second|2nd|last) half of (?:the |my |this )?(?:session|day|run|outing)",
            say.LAP,
        ):
            put("half:1" if found[1] in ("first", "1st") else "half:2")
        if found := self._take(r"(first|opening|last|final) (\d{1,2}) (?:flying |timed )?laps?", say.LAP):
            put(f"{'firsts' if found[1] in ('first', 'opening') else 'lasts'}:{found[2]}")
        many = rf"laps?((?: (?:number|no|the|my|,))* \d{{1,3}}(?!\w)(?:(?: {_JOINS})+ \d{{1,3}}(?![\w.:]))*)"
        while found := self._take(many, say.LAP):
            put(*re.findall(r"\d+", found[1]))
        while found := self._take(r"nth(\d+) lap", say.LAP):
            put(found[1])
        if marks and (
            found := self._take(
                r"(?:than|vs|versus|against|to|with|and|or) (?:my |the )?(\d{1,2})(?:st|nd|rd|th)(?= )"
            )
        ):
            put(found[1])
        rank = r"(2nd|second|3rd|third|4th|fourth|5th|fifth)"
        best = r"(?:best|fastest|quickest)"
        if found := self._take(
            rf"{rank}(?:[ ]?)(?:{best})(?: (?:laps?|one|lap times?|laptimes?))?", f"{say.LAP} "
        ):
            put(f"best:{ORDINALS[found[1]]}")
        if found := self._take(
            rf"(?:top|{best}) (\d+)(?! (?:corner|turn|bend|sector|place|speed))"
            rf" ?(?:laps?|times?|lap times?|laptimes?)?|(\d+) {best} (?:laps|times)|"
            rf"(?:which|what) (\d+) laps (?:were|are) (?:my |the )?{best}",
            say.LAP,
        ):
            put(f"top:{found[1] or found[2] or found[3]}")
        if found := self._take(r"(\d+) (?:worst|slowest) (?:flying )?laps?", say.LAP):
            put(f"bottom:{found[1]}")
        # "Top 3 corners": more than three are not told.
        if self._take(r"top \d+(?= (?:corner|turn|bend))", "most"):
            self.found["of"] = "corner"
        text = self.text
        for mark, pattern in say.LAPS:
            if mark == "best" and _NO_LAP.match(self.begins):
                continue
            if found := self._take(pattern, say.LAP):
                self._time_asked(found[0])
                put(mark)
        if marks and (
            found := self._take(
                r"(?:than|vs|versus|against|to|and|as|or) (?:on |in )?(?:my |the )?"
                r"(first|last|best|worst|fastest|quickest|slowest)(?= *$)",
                say.LAP,
            )
        ):
            put({"fastest": "best", "quickest": "best", "slowest": "worst"}.get(found[1], found[1]))
        if marks and not re.search(r"\d", "".join(marks)) and len(marks) > 1:
            marks.sort(key=lambda mark: _first_of(text, mark))
        if marks and (step := self.found.pop("step", 0)):
            after = stepped(marks[-1], int(str(step)))
            marks[:] = [after] if self._steps_from else [*marks, after]
        if not marks or marks == ["best"]:
            if found := self._take(
                r"(?<![\d.:])(?<!turn )(\d{1,3}) (?:vs|versus|v|against) (\d{1,3})(?![\d.:])", say.LAP
            ):
                put(found[1], found[2])
        elif found := self._take(
            # "Turn 1, 2 and 3 in lap 6" names one lap.
            rf"(?:than|vs|versus|against|(?<={say.LAP}) +(?:to|with|and)) (\d{{1,3}})(?= |$)"
            r"(?! (?:m|metres|seconds|s|percent)\b)",
            say.LAP,
        ):
            put(found[1])
        if self._take(
            r"(?:each|every|all) (?:of )?(?:the |my )?(?:flying )?laps?|lap by lap|(?:per|by) lap|"
            r"for all laps|on all laps"
        ):
            self.found["per"] = "lap"
        elif self._take(
            r"(?:in|on|over|of|during) a (?:flying |whole |single )?lap|a lap(?= )|of the lap|in one lap"
        ):
            self.found["per"] = "a lap"
        groups = ("from:", "to:", "half:", "not:", "firsts:", "lasts:")
        group = [each for each in marks if each.startswith(groups)]
        of_group = len(group) == 1 and len(marks) == 2 and {*marks} & {"best", "worst"}
        if of_group and not re.search(r"compar|\bthan\b|\bvs\b|against|\bgap\b|\bdiff", self.begins):
            # "My fastest lap after lap 6".
            self.text += " most " if "best" in marks else " least "
            marks, self.found["of"] = group, "lap"
        self.found["laps"] = tuple(marks)

    def _time_asked(self, words: str) -> None:
        """ "Best lap time" names a lap and a figure."""
        if re.search(r"time", words):
            self.text += " laptime "

    def _sectors(self) -> None:
        numbers: list[int] = []
        while found := self._take(
            r"(?:sectors?|splits?)((?:(?: (?:and|to|or|vs|versus|,|number|"
            r"no))* [1-9](?![\w.:]))+)",
            say.SECTOR,
        ):
            numbers += [int(each) for each in re.findall(r"\d", found[1])]
        while found := self._take(
            r"nth([1-9]) sector|(first|1st|last|final|middle) (?:sector|split)", say.SECTOR
        ):
            named = {"first": 1, "1st": 1, "middle": 2, "last": -1, "final": -1}
            numbers.append(int(found[1]) if found[1] else named[found[2]])
        if found := self._take(r"(first|1st|second|2nd|last) half(?: of (?:the |a |my )?(?:lap|xlap))?"):
            self.found["half"] = 1 if found[1] in ("first", "1st") else 2
        if self._take(r"mini ?sectors?(?: times?)?|micro ?sectors?(?: times?)?|segments?"):
            self.found["pieces"] = True
        if not numbers and self._take(
            r"(?:all )?(?:sectors|splits|sector times?|split times?)(?: times?)?", f"{say.SECTOR} "
        ):
            numbers = [0]
        self.found["sectors"] = tuple(dict.fromkeys(numbers))

    def _corners(self) -> None:
        words = self.text.split()
        ids: list[str] = []
        out: list[str] = []
        at, last = 0, ""
        for mention in self._names.mentions(words):
            spoken = words[mention.first : mention.end]
            out += [*words[at : mention.first], say.CORNER]
            at = mention.end
            ids += [each for each in mention.corners if each not in ids]
            if not mention.corners:
                self.found["no_corner"] = " ".join(spoken)
            last = spoken[-1]
            # "Turns 3, 4 and 5" and "turn 7 to 11".
            while (
                last.rstrip("abcd").isdigit()
                and at + 1 < len(words)
                and words[at] in ("and", "to", "or", "vs", "versus", ",", "through", "than", "compared")
            ):
                if words[at] == "compared":
                    words[at : at + 2] = ["than"]
                more = self._names.mentions(["turn", words[at + 1]])
                if (
                    not more
                    or not more[0].corners
                    or (at + 2 < len(words) and words[at + 2] in ("laps", "seconds", "m", "tenths"))
                ):
                    break
                self.found["span"] = self.found.get("span", False) or words[at] in ("to", "through")
                ids += [each for each in more[0].corners if each not in ids]
                at += 2
        self.text = f" {' '.join([*out, *words[at:]])} "
        order = self._names.order
        while order and (
            found := self._take(r"(?:the |my )?(first|last|final) (?:corner|turn|bend)(?! speed)", say.CORNER)
        ):
            ids.append(order[0] if found[1] == "first" else order[-1])
        if not ids and (found := self._take(say.UNNAMED, say.CORNER)):
            self.found["no_corner"] = str(found[1] or found[2])
        if len(ids) == 2 and self._take(
            rf"exit (?:of |from )?(?:the )?{say.CORNER} (?:to|until|and) (?:the |turn ?in |entry |entrance |"
            rf"start |of |for |into )*{say.CORNER}",
            f"{say.CORNER} {say.CORNER}",
        ):
            self.found["line"] = "gap"
        elif re.search(
            rf"{say.CORNER} (?:to|until|through) (?:\w+ ){{0,3}}?{say.CORNER}|"
            rf"between (?:\w+ ){{0,3}}?{say.CORNER}",
            self.text,
        ) and not re.search(r"\b(?:differ|diff|gap|compar)", self.begins):
            self.found["span"] = True
        line = r"(?:the )?(?:(?:start|finish)[ -]?){0,2}(?:line|finish|start|flag|end of the lap)"
        if len(ids) == 1 and self._take(rf"(?:to|until|up to|and) {line}(?= )"):
            self.found["line"] = "to"
        elif len(ids) == 1 and self._take(rf"(?:from|between) {line}(?= (?:\w+ ){{0,3}}?{say.CORNER})"):
            self.found["line"] = "from"
        if ids and (
            found := self._take(
                rf"(\d{{2,3}}) ?(m|metres?|meters?|ft|feet)? ?(?:boards?|marks?|markers?|signs?)? "
                rf"?(?:before|from|to|for|of|ahead of)(?= (?:the )?{say.CORNER})"
            )
        ):
            self.found["before_m"] = _metres(found[1], found[2])
        if ids or self.found["laps"]:
            self.found.pop("bare", None)
        self.found["corners"] = tuple(ids)

    def _sessions(self) -> None:
        marks = []
        for row in say.SESSIONS:
            while found := self._take(row.pattern, say.SESSION):
                marks.append(row.meaning)
                if row.meaning == "drivers" and (named := re.match(r"(?:me|i) \w+ ([a-z]+)$", found[0])):
                    self.found["driver"] = named[1]
        while found := self._take(say.DATE, say.SESSION):
            marks.append(_dated(found))
        days = re.findall(r"\b\d{4}-\d\d-\d\d\b", self.text)
        for day in days:
            self.text = self.text.replace(day, say.SESSION)
        if self.found["laps"]:
            marks = [each for each in marks if each != "drivers"]  # "who is quicker, lap 4 or lap 6"
        self.found["sessions"] = tuple(dict.fromkeys((*marks, *days)))
        if self.found["sessions"] and _compiled(say.BESIDE).search(self.text):
            self.found["compares"] = True

    def _searched(self) -> None:
        """What is to be found: "which lap", "where", "which corner"."""
        end = r"(slowest|tightest|fastest|quickest)"
        if found := self._take(
            rf"(?:in|at|through|into|for|of) (?:the |my )?{end} (?:corner|turn|bend)", say.CORNER
        ):
            self.found["corners"] = ("@least" if found[1] in ("slowest", "tightest") else "@most",)
            return
        for of, pattern in say.SEARCHED:
            if found := _compiled(pattern).search(self.text):
                self._take(pattern, " ".join(re.findall(say.KEPT, found[0])))
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
                    and not self._take(rf"in {word}")
                ):
                    return  # it may be all that says what is asked for
                self._take(rf"(?:in |degrees )?{word}")
                return

    def _point(self) -> None:
        for point, pattern in (
            (
                "entry",
                r"entry|entries|entrance|turn ?in|going in|on the way in|"
                r"(?:go|going|come|coming|come in|enter) into|enter(?:ing|ed)?",
            ),
            ("apex", r"apex|apexes|mid ?corner|in the middle|middle"),
            ("exit", r"exit|exits|on the way out|coming out|out of|leaving|exiting"),
        ):
            if self._take(pattern):
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
        if strong:
            found = [each for each in found if each in strong]
        if "speed" in measures and re.search(r"\bspeed\b.* and | and .*\bspeed\b", self.begins):
            found = list(dict.fromkeys((*found, "speed")))  # "max revs and top speed"
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


def _first_of(text: str, mark: str) -> int:
    words = {
        "best": "best|fastest|quickest|flyer|pb",
        "worst": "worst|slowest",
        "last": "last|final|latest",
        "first": "first|opening",
    }
    found = re.search(words.get(mark, mark), text)
    return found.start() if found else len(text)


def _seconds(minutes: str | None, rest: str | None, plain_s: str | None) -> float | None:
    if minutes and rest:
        return int(minutes) * 60.0 + float(rest.replace(",", "."))
    return float(plain_s.replace(",", ".")) if plain_s else None


def _metres(number: str, unit: str | None) -> float:
    value = float(number.replace(",", "."))
    return value * {"ft": 0.3048, "feet": 0.3048, "km": 1000.0}.get(unit or "m", 1.0)
