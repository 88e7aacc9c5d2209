"""A question in words -> a Query, or two to choose from: one grammar over the symbols of any language.

The words become symbols (`lexicon`); laps, places and limits are taken out of their string by patterns; what
is left names a measure by the table ASKS (the row with the most symbols wins) and what is asked of its values
by one ordered table. There is no measure by default. A word that means nothing, a symbol that nothing uses,
or two measures that fit alike make no guess: they ask back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

import msgspec
from msgspec.structs import replace

from pitwall.ask.asks import ASKS, NEEDS_CORNER, SYMBOL_HINTS, UNSCOPED
from pitwall.ask.corner_names import CornerNames
from pitwall.ask.evaluate import HOLDS
from pitwall.ask.lexicon import Item, Lexicon, language_of, lexicon, tokens
from pitwall.ask.measures import BEFORE_APEX, MEASURES, OF_MOMENTS
from pitwall.contract.query import Query, QueryLimit, Scope, Which
from pitwall.words.forms import Code

# Symbols that answer nothing by themselves: their words are never called unused.
IDLE = frozenset([
    "THE", "IN", "I", "BE", "WHAT", "WHICH", "HOW", "HOWMUCH", "AND", "OR", "TO", "FROM", "COMMA",
    "SESSION", "EVER", "ONLY", "TAKE", "WHO", "THAN", "LINE", "EACH", "FLYING", "TRACKWHOLE", "RANK",
    "OVER", "AFTER", "BEFORE", "OTHERS", "NO", "LAP", "POINT", "CORNER", "TRACK", "DRIVER", "USUAL",
    "ACCEL_OF", "ENGINE", "COACH", "IMPROVED", "SAME", "THERE", "THATLAP", "WHERE", "WHEN", "TIME",
    "CAR", "OFTEN", "FIRST", "BETWEEN", "BEGIN", "INGEAR", "STRAIGHTS", "CORNERS", "PIECES", "BETTER",
    "MORE", "LESS", "COMP", "SECTORS", "LAPS", "PLACE", "SUMMARY",
])  # fmt: skip
_UNIT_OF = {  # a unit -> its factor to the measure's own, and the measures it is of
    "kmh": (1 / 3.6, ("speed", "min_speed", "entry_speed", "exit_speed")),
    "mph": (0.44704, ("speed", "min_speed", "entry_speed", "exit_speed")),
    "knots": (1852 / 3600, ("speed",)),
    "rpm": (1.0, ("rpm", "shift_rpm")), "bar": (1.0, ("brake_bar", "oil_bar")),
    "psi": (0.0689476, ("brake_bar", "oil_bar")), "g": (1.0, ("g_lat", "g_brake", "g_accel")),
    "celsius": (1.0, ("coolant_c", "oil_temp_c", "steering_deg")), "fahrenheit": (1.0, ("coolant_c",
    "oil_temp_c")),
    "%": (1.0, ("throttle",)), "metres": (1.0, ("brake_m", "throttle_m", "lift_m")),
    "feet": (0.3048, ("brake_m", "throttle_m")), "yards": (0.9144, ("brake_m",)),
    "s": (1.0, ("time",)), "tenths": (0.1, ("time",)),
}  # fmt: skip
_ENDS = frozenset(["MOST", "LEAST", "BEST", "WORST", "FAST", "SLOW", "HARD", "LATE", "EARLY", "LONG", "HOT"])
# A limit in one of these is answered in it.
_TOLD_IN = frozenset(["kmh", "mph", "knots", "psi", "bar", "fahrenheit", "celsius"])
# Two looks at one figure: "on average and at most".
_TWO_LOOKS = re.compile(r"(MEAN|MOST|LEAST)(?: \w+)* (?:AND|OR)(?: \w+)* (MEAN|MOST|LEAST) ")
_LOOK_OF: dict[str, Which] = {"MEAN": "mean", "MOST": "max", "LEAST": "min"}
# The best lap "after lap 6" is one of these.
_RANGES = ("not:", "from:", "to:", "span:", "half:", "stint:")
_NUMBER = re.compile(r"N[\d.]+")
# A unit, an ordinal or a number: told or refused on their own.
_FIGURE = re.compile(r"U[a-z%/]+|[ON][\d.]+")
# "My fastest lap", "meine langsamste": the lap itself, whatever was asked before.
_OWN_LAP = re.compile(r" (?:(?:WHAT|WHICH|BE) )*I (?:(FAST|SLOW) MOST(?: LAP)?|(BEST|WORST) LAP)(?: \|)? ")
# "How fast?", "and which is the slowest?": a look at what was asked before.
_BARE_LOOK = frozenset(["AND", "FAST", "SLOW", "MOST", "IN", "BE", "WHICH", "WHAT", "HOW", "I"])
_LOOKS = frozenset(["MOST", "LEAST", "BEST", "WORST", "MEAN", "MEDIAN", "TREND", "SPREAD", "SUM"])
# Several lap times are a list.
_TIMES = frozenset(("times", "laptimes", "zeiten", "rundenzeiten"))
# "One" is more often a pronoun.
_ONE = frozenset(("one", "eins", "zero", "null"))
_KINDS = {
    "BEST": "best",
    "FAST MOST": "best",
    "WORST": "worst",
    "SLOW MOST": "worst",
    "LAST": "last",
    "FIRST": "first",
}
_MANY = {"best": "top", "worst": "bottom", "last": "lasts", "first": "firsts"}
_KIND = r"(BEST|FAST MOST|WORST|SLOW MOST|LAST|FIRST)"
# What is said twice: "back on the gas".
_SUBSUMED = {"THROTTLE": {"ONGAS", "FULL", "LIFT", "COAST", "BOTH"}, "BRAKE": {"TRAIL", "BOTH"}, "G": {"LAT"},
             "LONG": {"TIME", "FULL", "COAST", "BRAKE", "TRAIL"}, "SPEED": {"FAST", "SLOW"}}  # fmt: skip
TOPICAL = frozenset(name for name in ASKS if name not in MEASURES)
# Beside a lap or a part of it these need no measure.
_PLAIN = frozenset([
    "LAPS", "PLACE", "SECTORS", "PIECES", "BEST", "WORST", "COMPARE", "MOST", "LEAST", "MEAN", "MEDIAN",
    "SUM", "BETTER", "FAST", "SLOW", "SPREAD", "TREND", "RANK", "WITHIN", "HOWMANY", "SHARE", "SUMMARY",
])  # fmt: skip
_GAP = r"(?: (?:I|IN|THE|FLYING|BE|SESSION))*"
_LINK = r"(?:(?: AND| OR| COMMA| COMPARE| THAN| IN| I| TO)+)"


class QuestionReading(msgspec.Struct, frozen=True, kw_only=True):
    """The reading of a question. `query` None: nothing was. `choices`: the queries it may mean, where that is
    not certain, and why: `strange` words mean nothing here, `unused` ones have no place in it. `stated`:
    which fields the words named themselves; `whole`: it names its measure; `untold`: what no data tells
    of; `follows`: it begins as a follow-up does; `limit`: a side, a value and its unit ("": none was told)
    of whatever measure there is, which `limit_of` makes one of the query's."""

    query: Query | None = None
    choices: tuple[Query, ...] = ()
    strange: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    stated: frozenset[str] = frozenset()
    untold: str = ""
    follows: bool = False
    there: bool = False
    that_lap: bool = False
    no_corner: str = ""
    symbols: str = ""
    bare: str = ""
    end: str = ""
    limit: tuple[str, float, str] | None = None
    more: tuple[Query, ...] = ()
    point: str = ""

    @property
    def whole(self) -> bool:
        return "measure" in self.stated

    @property
    def words(self) -> list[str]:
        """The symbols one by one, without what parts them."""
        return self.symbols.replace("|", " ").split()


class _Text:
    """The symbols of a question, out of which patterns take what they understand."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = list(items)
        self.left = " " + " ".join(each.symbols for each in items if each.symbols != "THE") + " "
        self.whole = self.left

    def has(self, pattern: str) -> re.Match[str] | None:
        return _compiled(pattern).search(self.left)

    def take(self, pattern: str, put: str = " | ") -> re.Match[str] | None:
        found = self.has(pattern)
        if found:
            self.left = re.sub(" +", " ", self.left[: found.start()] + put + self.left[found.end() :])
        return found

    def typed(self, symbol: str) -> list[str]:
        return [each.typed for each in self.items if symbol in each.symbols.split()]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=\s)(?:{pattern})(?=\s)")


def read(question: str, names: CornerNames, own: Code = "en") -> QuestionReading:
    """Read a question about a track with these corner names; `own` is the driver's language."""
    code = language_of(question, own)
    corners: list[tuple[str, ...]] = []
    items = list(_items(question, names, lexicon(code), corners))
    strange = tuple(dict.fromkeys(each.typed for each in items if each.symbols == "?"))
    text = _Text([each for each in items if each.symbols != "?"])
    return _Reader(text, corners, names, strange).reading()


def _items(
    question: str, names: CornerNames, words: Lexicon, corners: list[tuple[str, ...]]
) -> Iterator[Item]:
    question = re.sub(r"(?<=\d)['’]s\b", "", re.sub(r"(?<=\d)\s*-\s*(?=\d)", " to ", question))
    question = words.in_one_word(question)
    question = re.sub(
        r"\b(?:zweit|dritt)(?=[a-z]{4})",
        lambda found: "2nd " if found[0] == "zweit" else "3rd ",
        question.lower(),
    )
    raw = _ordinals(question, tokens(re.sub(r"\b(\d+)(?:st|nd|rd|th)\b", r"#\1", question)))
    raw = [each if each[0] == "#" or each in names.words else words.mended(each) for each in raw]
    raw = [words.numbers[each] if each in words.numbers and each not in _ONE else each for each in raw]
    marked: list[str] = []
    at = 0
    spelled = names.spelled(raw, words.means)
    for mention in names.mentions(spelled):
        marked += raw[at : mention.first]
        if mention.corners or _is_numbered(spelled[mention.first : mention.end]):
            alone = mention.end - mention.first == 1 and spelled[mention.first].isdigit()
            corners.append(mention.corners or (f"?{' '.join(spelled[mention.first : mention.end])}",))
            marked.append(f"<C{len(corners) - 1}{'L' if alone else ''}>")
        else:
            marked += raw[mention.first : mention.end]
        at = mention.end
    marked += raw[at:]
    yield from words.items(list(_numbered(marked, words, names)))


def _is_numbered(words: Sequence[str]) -> bool:
    return any(word[-1:].isdigit() or word[:-1].isdigit() for word in words) or words[-1:] == ["carousel"]


def _ordinals(question: str, raw: list[str]) -> list[str]:
    """Tokens with "#3" for "3rd", which the tokens have without its mark."""
    marks = re.findall(r"#\d+", re.sub(r"\b(\d+)(?:st|nd|rd|th)\b|\b(\d+)\.(?= [a-z])", r"#\1\2", question))
    wanted = [each[1:] for each in marks]
    out = []
    for each in raw:
        if wanted and each.rstrip(".") == wanted[0]:
            out.append(f"#{wanted.pop(0)}")
        else:
            out.append(each)
    return out


def _numbered(words: list[str], lexicon_: Lexicon, names: CornerNames) -> Iterator[str]:
    """Numbers, units and ordinals as symbols of their own."""
    before = ""
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        symbol = word
        if word[0] == "<":
            pass
        elif word[0] == "#":
            symbol = f"<O{word[1:]}>"
        elif ":" in word:
            minutes, seconds = word.replace(",", ".").split(":")
            symbol = f"<T{int(minutes) * 60 + float(seconds):.3f}>"
        elif word[0].isdigit() and re.fullmatch(r"\d+(?:[.,]\d+)?", word):
            symbol = f"<N{word.replace(',', '.')}>"
        elif word in lexicon_.units and (
            before[:2] == "<N" or (before in ("in", "im") and word not in ("g", "m"))
        ):
            symbol = f"<U{lexicon_.units[word]}>"
        elif word in lexicon_.numbers and (
            word not in ("one", "eins") or before in ("lap", "sector", "gear")
        ):
            symbol = f"<N{lexicon_.numbers[word]}>"
        elif word in lexicon_.ordinals and lexicon_.ordinals[word] != "1" and before != "a":
            symbol = f"<O{lexicon_.ordinals[word]}>"
        elif re.fullmatch(r"[ls]\d{1,2}", word):
            symbol = f"<{'LAP' if word[0] == 'l' else 'SECTOR'} N{word[1:]}>"
        elif word == "%":
            symbol = "percent"
        elif word == ",":
            symbol = "<COMMA>"
        elif word in (";", "?", "&"):
            symbol = "<AND>" if word == "&" else "<|>"
        elif (word in names.track_words and word not in lexicon_.known) or (
            after[:1] == "<" and word in ("t",)
        ):
            symbol = "<THE>"
        yield symbol
        before = symbol if symbol[0] == "<" else word


class _Reader:
    """A question being read: each step takes what it understands from the text."""

    def __init__(
        self, text: _Text, corners: list[tuple[str, ...]], names: CornerNames, strange: tuple[str, ...]
    ) -> None:
        self.text, self.corners, self.names, self.strange = text, corners, names, strange
        self.fields: dict[str, object] = {}
        self.laps: list[str] = []
        self.places: list[str] = []
        self.group = self.against = self.session = ""
        self.limit: tuple[str, float, str] | None = None
        self.no_corner = ""
        self.own_lap = self.of_limit = False

    def reading(self) -> QuestionReading:
        text = self.text
        follows = bool(text.has("THERE|THATLAP")) or text.left.lstrip().startswith(("AND ", "SAME ", "ONLY "))
        there, that_lap = bool(text.has("THERE")), bool(text.has("THATLAP"))
        if untold := text.has(r"UNTOLD:(\w+)"):
            return QuestionReading(untold=untold[1].replace("_", " "), symbols=text.whole)
        if own := _OWN_LAP.fullmatch(text.left):
            self.own_lap = True
            self.laps.append("worst" if "SLOW" in own[0] or own[2] == "WORST" else "best")
            text.left = " LAPS "
        self._session()
        self._limits()
        self._against()
        self._laps()
        self._places()
        candidates = self._measures()
        return self._made(candidates, follows, there, that_lap)

    # Scope.

    def _limits(self) -> None:
        text = self.text
        number, unit = r"N([\d.]+)(?: U(\S+))?", ""
        if found := text.take(
            r"(?:IN )?N([\d.]+) U(metres|km) AFTER(?: THE)? LINE|IN N([\d.]+) Ukm|IN N(\d{3,4}) Umetres"
        ):
            value = float(found[1] or found[3] or found[4])
            self.places.append(f"at:{value * (1000.0 if found[2] == 'km' or found[3] else 1.0):g}")
        elif text.take(r"(?:OVER|IN) LINE"):
            self.places.append("at:0")
        if found := text.take(rf"(OVER|UNDER|BEAT|EVER|IN|WITHIN){_GAP} T([\d.]+)"):
            op = "over" if found[1] == "OVER" else "under"
            self.limit = (op, float(found[2]), "T")
        elif found := text.take(rf"(FAST|SLOW) COMP THAN{_GAP} T([\d.]+)"):
            self.limit = ("under" if found[1] == "FAST" else "over", float(found[2]), "T")
        elif found := text.take(r"T([\d.]+)"):
            self.limit = ("reach", float(found[1]), "T")
        elif found := text.take(rf"WITHIN{_GAP} N([\d.]+) U(s|tenths)(?: (?:IN|I|BEST|FAST MOST|LAP))*"):
            self.limit = ("within", float(found[1]) * (0.1 if found[2] == "tenths" else 1.0), "T")
        elif found := text.take(
            rf"(OVER|UNDER|EVER|MORE COMP THAN|LESS COMP THAN|BEAT){_GAP} {number}(?! LAP)"
        ):
            unit = found[3] or ""
            under = found[1] in ("UNDER", "LESS COMP THAN") or (found[1] == "BEAT" and unit in ("", "s"))
            self.limit = ("under" if under else "over", float(found[2]), unit)
        elif found := text.take(rf"(LATE|EARLY|HARD|HOT|LONG|FAST|SLOW) COMP THAN{_GAP} {number}(?! LAP)"):
            self.limit = (found[1], float(found[2]), found[3] or "")
            text.left += f"{found[1]} "  # "brake later than" names the brake point
        elif found := text.take(r"N([\d.]+) U(\S+)(?: (OVER|UNDER|MORE COMP|LESS COMP))?"):
            op = "under" if found[3] in ("UNDER", "LESS COMP") else "over"
            self.limit = (op, float(found[1]), found[2])
        if found := text.take(r"(?:IN )?U([a-z]+)"):
            self.fields["unit"] = found[1]
        elif self.limit is not None and self.limit[2] in _TOLD_IN:
            self.fields["unit"] = self.limit[2]

    def _session(self) -> None:
        text = self.text
        if text.take(r"EACH SESSION") or (
            (text.has("MOST|LEAST|BEST|WORST") and text.take(r"EVER(?=(?: \|)* $)"))
            or text.take(r"COMPARE(?: I| EACH)* SESSION(?=(?: \|)* $)")
        ):
            self.session = "all"
        elif text.take(r"PREV(?: SESSION)?|LAST SESSION|OTHERS SESSION"):
            self.session = "previous"
        elif (
            text.has("FAST|SLOW|BEST|WORST|MOST|LEAST|BETTER|MORE|SPREAD")
            and text.take(r"WHICH(?: BE)? (?:SESSION|CAR|DRIVER)|WHO(?! LAP)(?!.* LAP N\d)")
        ) or (
            text.has("SESSION")
            and text.has("COMPARE")
            and not text.has("LAP")
            and text.take("(?:EACH )?OTHERS")
        ):
            self.session = "all"

    def _against(self) -> None:
        text = self.text
        if found := text.take(
            rf"(FIRST|O2|LAST|LATE COMP) HALF((?: \w+)*?) (?:THAN|COMPARE|TO|OR|AND){_GAP} (FIRST|"
            rf"O2)(?: HALF)?",
            r" | ",
        ):
            first = found[1] == "FIRST"
            self.laps.append("half:1" if first else "half:2")
            self.against = "half:2" if first else "half:1"
            text.left += found[2].strip() + " "
        elif found := text.take(
            rf"{_KIND} N(\d+)(?: LAP)?(.*?) (?:THAN|COMPARE|OR|AND){_GAP} {_KIND} N(\d+)(?: LAP)?"
        ):
            self.laps.append(f"{_MANY[_KINDS[found[1]]]}:{found[2]}")
            self.against = f"{_MANY[_KINDS[found[4]]]}:{found[5]}"
            text.left += found[3].strip() + " "
        elif found := text.take(
            r"LAP N(\d+) TO N(\d+)(.*?) (?:THAN|COMPARE|OR|AND)(?: LAP| IN)* N(\d+) TO N(\d+)", " LAPS "
        ):
            self.laps.append(f"span:{found[1]}-{found[2]}")
            self.against = f"span:{found[4]}-{found[5]}"
            text.left += found[3].strip() + " "
        elif text.has("COMP|BETTER|IMPROVED") and (
            found := text.take(rf"(FIRST|O2|LAST) HALF(?!{_GAP} LAP)")
        ):
            self.laps, self.against = (
                (["half:1"], "half:2") if found[1] == "FIRST" else (["half:2"], "half:1")
            )
        elif text.has("COMP|IMPROVED|BETTER") and (found := text.take(r"AFTER LAP N(\d+)")):
            self.laps.append(f"from:{int(found[1]) + 1}")
            self.against = f"to:{found[1]}"
        elif found := text.take(rf"{_KIND}{_GAP} (?:AND|COMPARE|THAN|TO|OR){_GAP} MEAN(?: LAP)?"):
            self.laps.append(_KINDS[found[1]])
            self.against = "mean"
        elif found := text.take(rf"(?:THAN|OFF|OVER|UNDER){_GAP} LAP N(\d+)", " LAPS "):
            self.against = found[1]
        elif text.has("COMPARE") and (
            found := text.take(rf"FROM LAP N(\d+) TO{_GAP} {_KIND}(?: LAP| I)*(?= |$)", " LAPS ")
        ):
            self.laps.append(found[1])
            self.against = _KINDS[found[2]]
        elif found := text.take(rf"(?:THAN|OFF|COMPARE TO){_GAP} {_KIND}(?: LAP| I)*(?= |$)"):
            self.against = _KINDS[found[1]]
        elif text.take(rf"(?:THAN|OFF|COMPARE|TO|FROM){_GAP} (?:MEAN|USUAL|OTHERS)(?: LAP)?"):
            self.against = "mean"
        elif text.has("OFF") and not text.has("THROTTLE|BRAKE"):
            text.take("OFF")
            self.against = "best"

    def _laps(self) -> None:
        text, laps = self.text, self.laps
        while found := text.take(
            rf"NOT{_GAP} (?:{_KIND}|LAP N(\d+))(?: LAP)?((?:{_LINK} (?:LAP )?N\d+)*)", " LAPS "
        ):
            first = _KINDS[found[1]] if found[1] else found[2]
            laps.append("not:" + ",".join((first, *re.findall(r"N(\d+)", found[3] or ""))))
        while found := text.take(rf"NOT{_GAP} N(\d+) {_KIND} LAP", " LAPS "):
            laps.append(f"not:{_MANY[_KINDS[found[2]]]}:{found[1]}")
        if found := text.take(r"SESSION(END|START)", " LAPS "):
            self.fields["edge"] = found[1].lower()
        while found := text.take(r"(?:STINT N(\d+)|O(\d+) STINT|(FIRST|LAST) STINT)", " LAPS "):
            laps.append(f"stint:{found[1] or found[2] or ('last' if found[3] == 'LAST' else 1)}")
        while found := text.take(rf"(FIRST|O2|LAST) HALF(?!{_GAP} LAP)", " LAPS "):
            laps.append("half:1" if found[1] == "FIRST" else "half:2")
        two = text.has("LOSE|GAIN|COMPARE|FAST COMP|SLOW COMP|IMPROVED")
        while not two and (found := text.take(r"(?:FROM )?LAP N(\d+) TO (?:LAP )?N(\d+)", " LAPS ")):
            laps.append(f"span:{found[1]}-{found[2]}")
        while found := text.take(
            rf"{_KIND} N(\d+)(?: FLYING)?(?: LAP)?|N(\d+) {_KIND}(?: FLYING)? LAP|(MOST) N(\d+)(?: LAP)?",
            " LAPS ",
        ):
            kind = _KINDS[found[1] or found[4]] if not found[5] else "best"
            laps.append(f"{_MANY[kind]}:{found[2] or found[3] or found[6]}")
        while found := text.take(rf"(?:{_KIND}|O1){_LINK}{_GAP} ?O(\d+) {_KIND}(?: LAP)?", " LAPS "):
            laps.extend(
                (_KINDS[found[3]], f"{_KINDS[found[3]]}:{found[2]}")
            )  # "the best and the second best"
        if found := text.take(
            r"O(\d+)(?= (?:\w+ )?(?:MOST|LEAST|BEST|WORST) (?!LAP|CORNER|SECTOR|SESSION)[A-Z])"
        ):
            self.fields["rank"], self.group = int(found[1]), "lap"
        while found := text.take(rf"O(\d+) {_KIND}(?: LAP)?(?! CORNER| SECTOR)", " LAPS "):
            laps.append(f"{_KINDS[found[2]]}:{found[1]}")
        while found := text.take(rf"LAP (BEFORE|AFTER){_GAP} {_KIND}(?: LAP)?", " LAPS "):
            laps.append(f"{_KINDS[found[2]]}{'-' if found[1] == 'BEFORE' else '+'}1")
        while (
            # "Of lap 3" and "from lap 3" are that lap, "from lap 3 on" those after it too.
            found := text.take(r"(AFTER|BEFORE|TO) LAP N(\d+)(?: IN)?(?! TO)", " LAPS ")
            or text.take(r"(FROM) LAP N(\d+) IN(?= \||$| $)", " LAPS ")
            if not two
            else None
        ):
            number = int(found[2])
            laps.append(
                {"AFTER": f"from:{number + 1}", "FROM": f"from:{number}"}.get(found[1], f"to:{number}")
            )
        while found := text.take(rf"{_KIND}{_LINK}{_GAP} ?{_KIND}(?: FLYING)? LAP", " LAPS "):
            laps.extend((_KINDS[found[1]], _KINDS[found[2]]))
        while found := text.take(rf"LAP N(\d+)(?! U)((?:(?:{_LINK})? (?:LAP )?N\d+(?! U| LAP))*)", " LAPS "):
            laps.extend((found[1], *re.findall(r"N(\d+)", found[2])))
        which = text.has("WHICH(?: N\\d+)? LAP|WHICH(?: BE)? LAP")
        while not which and (
            found := text.take(rf"(?<!THAN ){_KIND}(?: FLYING| I| TIME)? LAP( TIME)?", " LAPS ")
        ):
            laps.append(_KINDS[found[1]])
            if found[2]:
                text.left += "TIME "
        for symbol, mark in (("OUTLAP", "out"), (r"INLAP|(?:I|BE) IN LAP(?! N)", "in")):
            if text.take(symbol):
                laps.append(mark)
        while found := text.take(r"O(\d+) LAP", " LAPS "):
            laps.append(found[1])
        if found := text.take(r"(?:WHICH|WHAT) (?:N(\d+) )?(?:FLYING )?LAP|WHO LAP"):
            self.group = "lap"
            if found[1]:
                self.fields["most"] = int(found[1])
        elif text.take(r"EACH(?: (?:IN|I|FLYING|COMMA))* LAP|LAP EACH") or (
            text.has("EACH") and text.has("LAP") and not self.places
        ):
            self.group, self.fields["every"] = "lap", True

    def _places(self) -> None:
        text, places = self.text, self.places
        if text.has("STRAIGHT"):
            text.left += "STRAIGHTS "
        while found := text.take(r"STRAIGHT (BEFORE|AFTER|TO|IN|FROM)(?: IN)? C(\d+)L?"):
            name = "after" if found[1] in ("AFTER", "FROM") else "straight"
            places.extend(f"{name}:{each}" for each in self._ids(found[2]))
        if text.take(r"(?:WHICH|EACH) STRAIGHT"):
            self.group = "straight"
        elif text.take(r"LONG MOST STRAIGHT"):
            places.append("straight:longest")
        elif text.take(r"(?:MAIN )*STRAIGHT"):
            places.append("straight:main")
        if found := text.take(
            r"(?:FROM|BETWEEN)(?: IN)? C(\d+)L? (?:TO|AND)(?: IN)? C(\d+)L?|C(\d+)L? TO C(\d+)L?"
        ):
            first, last = self._ids(found[1] or found[3])[0], self._ids(found[2] or found[4])[0]
            places.append(f"{first}>{last}")
        if (found := text.has(r"FROM(?: IN)? N(\d+) TO N(\d+)")) and {
            found[1],
            found[2],
        } <= self.names.numbers:
            text.take(r"FROM(?: IN)? N(\d+) TO N(\d+)", " PLACE ")
            places.append(f"{self.names.of_number(found[1])}>{self.names.of_number(found[2])}")
        while found := text.take(r"C(\d+)L? TO LINE"):
            places.append(f"{self._ids(found[1])[0]}>")
        while found := text.take(r"PIECE N(\d+)"):
            places.append(f"piece:{found[1]}")
        while found := text.take(rf"(FIRST|O2|LAST) HALF{_GAP} LAP"):
            places.append("half:1" if found[1] == "FIRST" else "half:2")
        if text.take(r"(?:WHICH|EACH)(?: IN| I)* SECTOR|SECTOR EACH"):
            self.group = "sector"
        while found := text.take(rf"SECTOR N(\d+)((?:{_LINK} (?:SECTOR )?N\d+)*)", " SECTORS "):
            places.extend(f"sector:{each}" for each in (found[1], *re.findall(r"N(\d+)", found[2])))
        while found := text.take(r"(FIRST|LAST|O(\d+)) SECTOR", " SECTORS "):
            places.append(f"sector:{found[2] or (1 if found[1] == 'FIRST' else -1)}")
        if (found := text.has(r"SECTOR(?!S)")) and text.has("TOGETHER|IDEAL|HOWMANY") is None:
            text.take("SECTOR", " SECTORS ")
            self.group = self.group if self.group == "sector" else "sector"
        if (
            self.limit is not None
            and self.limit[2] == "T"
            and self.limit[1] > 60.0
            and self.group == "sector"
        ):
            self.group, self.limit = "", ("reach", self.limit[1], "T")  # by the best sectors together
        if found := text.take(
            r"(?:WHICH|EACH|WHAT)(?: N(\d+))?(?: IN)* CORNER|CORNER EACH|WHICH N(\d+) CORNER", " CORNERS "
        ):
            self.group = "corner"
            if found[1]:
                self.fields["most"] = int(found[1])
        elif found := text.take(r"(?:O(\d+) )?(SLOW MOST|FAST MOST|WORST|LOSE MOST) CORNER"):
            self.fields["end"] = found[2]
            self.fields["rank"] = int(found[1] or 0)
        elif found := text.take(r"N(\d+) (?:(SLOW MOST|FAST MOST|WORST) )?CORNER"):
            self.group, self.fields["most"] = "corner", int(found[1])
            if found[2]:
                text.left += f"{found[2]} "
        elif found := text.take(r"(FIRST|LAST) CORNER"):
            if self.names.order:
                places.append(self.names.order[0 if found[1] == "FIRST" else -1])
        elif text.has("CORNER") and not text.has("HOWMANY|G") and not self.corners:
            text.take("CORNER", " CORNERS ")
            self.group = self.group or "corner"
        if found := text.take(r"(?:IN )?(?:O(\d+) GEAR|GEAR N(\d+)|O(\d)(?= EVER| \|| IN|$))", " INGEAR "):
            self.fields["gear"] = found[1] or found[2] or found[3]
        if text.take(r"(?:EACH|WHICH) PIECE|PIECE EACH|PIECE", " PIECES "):
            self.group = "piece"
        if text.take(r"EACH GEAR|WHICH GEAR EACH|GEAR EACH", " INGEAR "):
            self.group = "gear"
        points = {"ENTRY": "entry", "APEX": "apex", "EXIT": "exit"}
        while found := text.take(r"C(\d+)L?", " PLACE "):
            places.extend(self._ids(found[1]))
        near = r"(?:IN|ENTRY|EXIT|FROM|TO|BEFORE|AFTER|THAN|OR|AND|COMPARE|COMMA|PLACE)"
        for number in re.findall(
            rf"(?<= ){near}(?: COMMA| IN| OR)* N(\d+)(?! U| LAP| GEAR| CORNER|\d|\.)", text.left
        ):
            if number in self.names.numbers and not text.has(rf"HOWMANY(?: \w+)* N{number}"):
                text.take(rf"N{number}", " PLACE ")
                places.append(self.names.of_number(number))
        self.point = next((points[each] for each in points if text.has(each)), "")

    def _ids(self, at: str) -> tuple[str, ...]:
        ids = self.corners[int(at)]
        if ids and ids[0].startswith("?"):
            number = re.sub(r"\D*(\d+\w?).*", r"\1", ids[0])
            self.no_corner = f"turn_{number}" if number != ids[0] else ids[0][1:].replace(" ", "_")
            return (self.no_corner,)
        return ids

    # Measure.

    def _measures(self) -> list[tuple[str, frozenset[str]]]:
        """The measures that fit, the best first, each with the symbols that it uses; those of the same fit
        are one behind the other, and the first that fits less is left out."""
        text = self.text
        have = frozenset(text.left.replace("|", " ").split())
        corner = any(_is_corner(each) for each in self.places)
        corner = corner or self.group == "corner" or "end" in self.fields
        found: list[tuple[float, int, str, frozenset[str]]] = []
        for at, (name, alternatives) in enumerate(_rows()):
            for needs, forbids in alternatives:
                if needs <= have and not forbids & have:
                    weight = len(needs) + (0.5 if name in NEEDS_CORNER and corner else 0.0)
                    found.append((-weight, at, name, needs))
        if any(each.isdigit() for each in self.laps) or self.corners:
            found = [each for each in found if each[2] not in UNSCOPED]
        found.sort(key=lambda each: each[:2])
        if self.limit is not None and self.limit[2] == "T":
            found = [each for each in found if each[2] not in ("lap_count", "ideal")] or [
                (-1.0, 0, "time", frozenset())
            ]
        if found and found[0][2] == "losses" and (self.laps or self.places):
            found.insert(0, (found[0][0] - 1.0, 0, "lost", found[0][3]))
        ordered: dict[str, tuple[float, frozenset[str]]] = {}
        for weight, _, name, needs in found:
            same = ordered.setdefault(name, (weight, needs))
            if same[0] == weight:
                ordered[name] = (weight, same[1] | needs)
        self.weights = {name: -weight for name, (weight, _) in ordered.items()}
        if "LONG" in have and self.fields.get("unit") in ("metres", "feet", "yards"):
            ordered = {"track_km": (-9.0, frozenset(("LONG",)))}
        fast = self._of_fast(have, corner)
        if fast and all(-weight <= 1.0 for weight, _ in ordered.values()):
            ordered = {fast: (-9.0, frozenset(("FAST", "SLOW")))} | ordered
            self.weights[fast] = 9.0
        if self.limit is not None and not self.limit[2] and (not ordered or next(iter(ordered)) == "time"):
            ordered = {"rpm" if self.limit[1] >= 1000.0 else "speed": (-1.0, frozenset(("TIME", "LONG")))}
            self.of_limit = True
            self.weights |= dict.fromkeys(ordered, 1.0)
        if self.limit is not None and self.limit[2] in _UNIT_OF:
            fitting = _UNIT_OF[self.limit[2]][1]
            named = [name for name in ordered if name in fitting]
            if not named and (not ordered or fitting[0] != "time"):
                self.of_limit = True
                ordered = {name: (-1.0, frozenset[str]()) for name in fitting[:2]}
                ordered = dict(
                    list(ordered.items())[: 1 if fitting[0] in ("speed", "rpm", "throttle") else 2]
                )
                self.weights |= dict.fromkeys(ordered, 1.0)
        return [(name, needs) for name, (_, needs) in ordered.items()]

    def _of_fast(self, have: frozenset[str], corner: bool) -> str:
        """Return what "fast" and "slow" are of: a time or a speed."""
        if have & {"TIME", "SPEED"}:
            return ""
        if not have & {"FAST", "SLOW"}:
            return "time" if "BETTER" in have and len(self.laps) + bool(self.against) > 1 else ""
        text = self.text
        if self.group in ("lap", "sector") or any(each.startswith("sector") for each in self.places):
            return "time"
        if self.group == "piece" or (self.session and not corner and not self.places):
            return "time"
        if "COMP" in have and (len(self.laps) + bool(self.against) > 1 or (not corner and not self.places)):
            return "time"
        if not corner and text.has("FAST BE(?: THE)* LAP"):
            return "time"
        if (
            self.laps
            and not corner
            and text.has(r"(?:FAST|SLOW) BE(?: I| THE)* LAPS|LAPS(?: BE)* (?:FAST|SLOW)")
        ):
            return "time"
        if text.has("TREND|PACE") or (
            corner
            and "POINT" not in have
            and text.has("FAST MOST|SLOW MOST")
            and self.group == ""
            and any(_is_corner(each) for each in self.places)
        ):
            return "time"
        if corner and not any(_is_corner(each) for each in self.places):
            return "min_speed"
        if corner:
            return {"entry": "entry_speed", "exit": "exit_speed"}.get(self.point, "min_speed")
        return "speed"

    # What is asked of the values.

    def _made(
        self, candidates: list[tuple[str, frozenset[str]]], follows: bool, there: bool, that_lap: bool
    ) -> QuestionReading:
        text = self.text
        stated = set[str]()
        if candidates:
            if not (self.of_limit or {*text.whole.replace("|", " ").split()} <= _BARE_LOOK):
                stated.add("measure")
        else:
            candidates = [(name, frozenset[str]()) for name in self._implied()]
            if "end" in self.fields:
                stated.add("measure")
        if self.own_lap:
            stated.add("measure")
        if self.laps or self.group == "lap":
            stated.add("laps")
        if (
            self.places
            or self.point
            or self.group in ("corner", "sector", "straight")
            or "end" in self.fields
        ):
            stated.add("places")
        for name, value in (
            ("session", self.session),
            ("limit", self.limit),
            ("unit", self.fields.get("unit")),
        ):
            if value:
                stated.add(name)
        queries = []
        top = self.weights.get(candidates[0][0], 0.0) if candidates else 0.0
        if candidates and candidates[0][0] == "speed" and self.group == "corner":
            candidates = [("min_speed", candidates[0][1]), *candidates[1:]]
            self.weights["min_speed"] = 9.0
        for name, needs in candidates[:3]:
            left, query = self._query(name, needs)
            queries.append((self.weights.get(name, 0.0), left, query))
        if not queries:
            return self._bare(follows, there, that_lap, stated)
        _, left, query = queries[0]
        if any((query.which, query.order, query.show, query.group, query.against)):
            stated |= {
                name for name in ("which", "order", "show", "group", "against") if getattr(query, name)
            }
        if not any(map(_is_corner, self.places)) and self.places and (self.laps or query.which):
            stated.add("measure")  # "best sector 1" leaves nothing out
        ties = [each for weight, _, each in queries[1:] if weight == top and each.measure in MEASURES]
        warm = {query.measure, *(each.measure for each in ties)} == {"coolant_c", "oil_temp_c"}
        more = tuple(ties) if ties and (warm or text.has("AND|COMPARE|COMMA")) else ()
        looks = _TWO_LOOKS.search(text.whole)
        if looks and looks[1] != looks[2] and not (more or query.group or ties) and query.measure in MEASURES:
            one, other = (replace(query, which=_LOOK_OF[each], order="") for each in looks.groups())
            query, more = one, (other,)
            left = tuple(each for each in left if each not in _LOOK_OF)
        elif more:
            both = {*queries[1][1]} & {*left}
            left, ties = tuple(each for each in left if each in both), []
        topical = query.measure not in MEASURES and query.measure not in UNSCOPED
        typed = tuple(
            dict.fromkeys(
                word
                for symbol in left
                for word in ([symbol[1:]] if _NUMBER.fullmatch(symbol) else text.typed(symbol))
            )
        )
        unsure = bool(self.strange or (typed and not topical) or (ties and not topical))
        others = [each for _, _, each in queries[1:]] + self._hinted(left, query)
        choices = (query, *others[:1]) if unsure and query.measure else ()
        return QuestionReading(
            query=query, choices=tuple(dict.fromkeys(choices)), strange=self.strange, unused=typed if not
            topical else (),
            stated=frozenset(stated), follows=follows, there=there, that_lap=that_lap,
            no_corner=self.no_corner,
            symbols=text.whole, more=more, bare=self._bare_number(), end=self._end(), point=self.point,
            limit=self.limit if self.of_limit else None,
        )  # fmt: skip

    def _implied(self) -> tuple[str, ...]:
        """The measure that a question without one asks for: of laps, sectors and other parts their time, of a
        point of a corner its speed."""
        text, laps = self.text, bool(self.laps or self.group == "lap" or self.session)
        corner = any(_is_corner(each) for each in self.places)
        if "end" in self.fields:
            return ("losses",) if self.fields["end"] in ("WORST", "LOSE MOST") else ("min_speed",)
        if text.has("WHY"):
            return ("time",) if self.group == "lap" and text.has("BEST|WORST|FAST|SLOW") else ()
        if corner and self.point and not text.has("BRAKE|THROTTLE"):
            return ({"entry": "entry_speed", "apex": "min_speed", "exit": "exit_speed"}[self.point],)
        content = {*text.left.replace("|", " ").split()} - IDLE - _PLAIN
        content = {each for each in content if not re.fullmatch(r"[NUO][\w.%]+", each)}
        parts = any(not _is_corner(each) for each in self.places) or self.group in (
            "sector",
            "piece",
            "straight",
        )
        if content or (self.limit is not None and self.limit[2] not in ("T", "s")):
            return ()
        if (
            laps
            or parts
            or self.against
            or self.limit is not None
            or (text.has("MEAN|MEDIAN|RANK") and text.has("LAPS?"))
        ):
            return ("time",)
        if corner and text.has("BEST|WORST"):
            return ("time",)
        return ()

    def _bare(self, follows: bool, there: bool, that_lap: bool, stated: set[str]) -> QuestionReading:
        """A question without a measure: a follow-up, or two choices for the place that it names."""
        text = self.text
        _, query = self._query("", frozenset())
        stated |= {name for name in ("which", "order", "show", "group", "against") if getattr(query, name)}
        content = {*text.left.replace("|", " ").split()} - IDLE
        hinted = self._hinted(tuple(content), query)
        return QuestionReading(
            query=query if stated or there or that_lap else None, choices=tuple(hinted[:2]),
            strange=self.strange,
            stated=frozenset(stated), follows=follows, there=there, that_lap=that_lap,
            no_corner=self.no_corner,
            symbols=text.whole, bare=self._bare_number(), end=self._end(), point=self.point,
        )  # fmt: skip

    def _hinted(self, symbols: Sequence[str] | frozenset[str], query: Query) -> list[Query]:
        """Return what else may be meant by symbols that nothing uses."""
        found = dict.fromkeys(name for each in symbols for name in SYMBOL_HINTS.get(each, ()))
        return [replace(query, measure=name) for name in found if name != query.measure]

    def _bare_number(self) -> str:
        """A number that stands alone: a follow-up may be no more than that."""
        found = self.text.has(r"N([\d.]+)")
        return found[1] if found else ""

    def _end(self) -> str:
        """The end that is asked for: a follow-up may be no more than that."""
        found = self.text.has(
            r"(?:LATE|EARLY|HARD|HOT|LONG|FAST|SLOW) (?:MOST|LEAST)|BEST|WORST|MOST|LEAST|LAST|FIRST"
        )
        return found[0] if found else ""

    def _query(self, measure: str, needs: frozenset[str]) -> tuple[tuple[str, ...], Query]:
        """(the symbols that nothing uses, the query) for one measure."""
        text = " ".join(each for each in self.text.left.split() if each not in ("|",))
        symbols = text.split()
        row = MEASURES.get(measure)
        used = {*needs, "LAPS", "PLACE", "SECTORS", "C"}
        words = {*symbols}
        which, order, show, group, rank = "", "", "", self.group, int(str(self.fields.get("rank", 0)))
        most = int(str(self.fields.get("most", 0)))
        places = list(self.places)
        laps = list(self.laps)
        against = self.against
        end = str(self.fields.get("end", ""))
        if edge := str(self.fields.get("edge", "")):
            slow = measure in ("coolant_c", "oil_temp_c", "oil_bar") and not words & _LOOKS
            if slow and not places:
                places.append(f"edge:lap {edge}" if laps else f"edge:{edge}")
            elif "COMP" in words and not laps:
                which = "trend"
                used |= {"FAST", "SLOW", "MORE", "LESS"}
            elif "TREND" not in words and not (laps or places):
                laps.append("last" if edge == "end" else "first")
        if end:
            if measure in ("", "lost", "losses", "min_speed", "speed", "time", "advice") and not places:
                group, order = "corner", direction(measure or "min_speed", end)
                used |= {"LOSE"}
            else:
                name = {"SLOW MOST": "slowest", "FAST MOST": "fastest"}.get(end, "worst")
                places.append(f"corner:{name}" + (f"-{rank}" if rank else ""))
                rank = 0
        if self.point and row is not None and (places or group or measure in NEEDS_CORNER):
            used |= {"ENTRY", "APEX", "EXIT"}
            if measure not in NEEDS_CORNER and measure not in (
                "time",
                "lost",
                "brake_bar",
                "full_throttle",
                "coast",
            ):
                places = [f"{each}/{self.point}" if _is_corner(each) else each for each in places]
        if "gear" in self.fields and measure != "gear":
            gear = self.fields["gear"]
            places = [f"{each} {gear}" for each in places] or [f"gear:{gear}"]
        for symbol, field in (
            ("SPREAD", "spread"), ("TREND", "trend"), ("MEDIAN", "median"), ("MEAN", "mean"), ("SUM", "sum"),
            ("SHARE", "share"),
        ):  # fmt: skip
            if symbol in words and not which:
                which = field
                used.add(symbol)
        if "IMPROVED" in words and measure == "time" and not which:
            which = "trend"
        way = self._superlative(
            measure,
            " ".join(each for each in symbols if each not in needs or each in _ENDS - {"LEAST"}),
            used,
        )
        if which == "" and "COMP" in words:
            used |= {"COMP", "MORE", "LESS", "FAST", "SLOW", "BETTER", "LATE", "EARLY", "HARD", "LONG"}
        used |= {"BETTER"} if len(places) > 1 or len(laps) > 1 or against else set()
        whole, plain = {*self.text.whole.split()}, which != "spread" and measure not in NEEDS_CORNER
        if way:
            if group == "lap" and self.fields.get("every") and measure in OF_MOMENTS:
                which = which or way  # the peak of each lap is no rank
            elif group and group != "gear" and not (group == "sector" and places):
                order = order or way
            elif {"WHERE", "POINT"} & whole and "WHERE" not in needs and not places and plain:
                which, show = way, "where"
            elif which == "mean" and row is not None:
                order, group = way, "" if re.search(r"MEAN(?: \w+)* (?:MOST|LEAST)", text) else "lap"
            elif not which:
                which = way
        if "EACH" in words and not group and not order:
            group = "lap"
        if "RANK" in words and (group or measure == "time"):
            group = group or "lap"
            order = order or ("max" if measure in ("lost", "losses") else "min")
            used.add("RANK")
            most = most or 20
        if (
            "WHERE" in words
            and "WHERE" not in needs
            and not show
            and not places
            and not group
            and measure not in TOPICAL
        ):
            show = "where"
        if measure == "lost" and order == "" and way == "max" and not (places or group):
            which, group, order = "", "corner", "max"  # what costs the most is a place
        if measure == "lost" and (show == "where" or ("WHERE" in whole and not (places or group))):
            which, show, group, order = "", "", "corner", "max"
        if show == "where" and which == "spread":
            show, group, order = "", "corner", "max"
        if group == "corner" and which == "spread" and not order:
            order = "max"
        if measure in HOLDS and "LONG MOST" in text and not group:
            show = "where"  # the longest at a time
        if "WHEN" in words and "WHEN" not in needs and not show:
            show = "when"
        if "WHY" in words:
            show = "why"
            used.add("WHY")
        limit = limit_of(self.limit, measure)
        if limit is not None:
            used |= {"FAST", "SLOW", "HOT", "MOST", "LATE", "EARLY", "HARD", "LONG"}
            which = (
                "sum" if {"LONG", "HOWMUCH", "SHARE"} & words else "count" if "OFTEN" in words else "exists"
            )
            if "HOWMANY" in words or group == "lap" or measure == "time":
                which = "count"
                group = group or "lap"
            used |= {"HOWMANY", "LONG", "OFTEN"}
            if group == "lap":
                order = ""
        if measure == "speed" and order == "min" and {"MOST", "LEAST"} <= words:
            which = "max"
        alone = measure == "time" and not (which or group or places or against)
        if alone and not (laps or limit or show) and _TIMES & {*self.text.typed("TIME")}:
            group = "lap"
        kinds = [each for each in laps if each in ("best", "worst")]
        if measure == "time" and kinds and any(each.startswith(_RANGES) for each in laps):
            laps = [each for each in laps if each not in kinds]
            which = "min" if kinds[0] == "best" else "max"
        if "COMPARE" in words:
            used.add("COMPARE")
        if alone and not which and any(each.partition(":")[0] in _MANY.values() for each in laps):
            group = "lap"
        if measure == "lost" and group in ("corner", "sector"):
            which = which or "mean"
        used |= {each for each, by in _SUBSUMED.items() if by & words}
        if row is not None and row.unit:
            used.add("HOWMANY")
        left = tuple(
            dict.fromkeys(
                each
                for each in symbols
                if each not in used and each not in IDLE and not _FIGURE.fullmatch(each)
            )
        )
        if measure and row is None and measure not in UNSCOPED:
            left = ()
        elif measure:  # a number that nothing takes is as open as a word
            left += tuple(each for each in symbols if re.fullmatch(r"N[\d.]+", each))
            if self.limit is not None and limit is None:
                left += (f"N{self.limit[1]:g}",)
        query = Query(
            measure=measure, which=which, group=group, order=order, rank=rank, most=most, against=against,  # type: ignore[arg-type]
            scope=Scope(laps=tuple(dict.fromkeys(laps)), places=tuple(dict.fromkeys(places)),
            session=self.session),
            limit=limit, unit=str(self.fields.get("unit", "")), show=show, negated="NO" in words,  # type: ignore[arg-type]
        )  # fmt: skip
        return left, query

    def _superlative(self, measure: str, text: str, used: set[str]) -> str:
        """Which end is asked for: "min", "max", "" for none."""
        if found := re.search(r"(?:^| )(LATE|EARLY|HARD|HOT|LONG|FAST|SLOW) (MOST|LEAST)(?= |$)", text):
            used |= {found[1], found[2]}
            return direction(measure, f"{found[1]} {found[2]}")
        for symbol in ("BEST", "WORST", "MOST", "LEAST"):
            if re.search(rf"(?:^| ){symbol}(?= |$)", text):
                used.add(symbol)
                return direction(measure, symbol)
        if measure in ("coolant_c", "oil_temp_c") and "HOT" in text.split():
            used.add("HOT")
            return "max"
        if (
            "SLOW" in text.split()
            and "COMP" not in text.split()
            and (measure == "speed" or self.group == "lap")
        ):
            used.add("SLOW")
            return direction(measure, "SLOW MOST")
        return ""


def limit_of(limit: tuple[str, float, str] | None, measure: str) -> QueryLimit | None:
    """A side, a value and its unit as a limit of this measure, None where it can't be one."""
    if limit is None or not measure:
        return None
    op, value, unit = limit
    if op.isupper():  # "later than 100 m" before the apex is less of them
        op = "over" if direction(measure, op) == "max" else "under"
    if unit == "T":
        return QueryLimit(op=op, value=value) if measure == "time" else None  # type: ignore[arg-type]
    factor, fitting = _UNIT_OF.get(unit, (1.0, ()))
    if not unit:
        factor = 1 / 3.6 if measure in MEASURES and MEASURES[measure].unit == "m/s" else 1.0
    elif measure not in fitting:
        return None
    value = (value - 32.0) / 1.8 if unit == "fahrenheit" else value * factor
    return QueryLimit(op=op, value=value)  # type: ignore[arg-type]


def direction(measure: str, end: str) -> str:
    """The end of a measure's values that a superlative asks for, "min" or "max"."""
    row = MEASURES.get(measure)
    high = row.high if row is not None else measure in ("lost", "losses")
    base, _, sup = end.partition(" ")
    timed = measure == "time"
    up = {
        "BEST": high, "WORST": not high, "MOST": True, "LEAST": False, "HARD": True, "HOT": True,
        "LONG": True,
        "FAST": not timed, "SLOW": timed, "LATE": measure not in BEFORE_APEX, "EARLY": measure in BEFORE_APEX,
    }[base]  # fmt: skip
    if measure in ("lost", "losses") and base in ("WORST", "MOST"):
        up = True
    if sup == "LEAST":
        up = not up
    return "max" if up else "min"


def _is_corner(place: str) -> bool:
    return ":" not in place and ">" not in place and "/" not in place


@cache
def _rows() -> tuple[tuple[str, tuple[tuple[frozenset[str], frozenset[str]], ...]], ...]:
    """ASKS as sets: for each measure what must and what must not stand there. One that has no row is
    its own symbol."""
    found = []
    for name, asks in ({each: each.upper() for each in MEASURES} | ASKS).items():
        alternatives = []
        for each in asks.split("|"):
            words = each.split()
            needs = frozenset(word for word in words if word[0] != "-")
            alternatives.append((needs, frozenset(word[1:] for word in words if word[0] == "-")))
        found.append((name, tuple(alternatives)))
    return tuple(found)
