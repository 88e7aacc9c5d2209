"""A question in words -> a Query, or two to choose from: one grammar over the symbols of any language.

The words become symbols (`lexicon`); laps, places and limits are taken out of their string by patterns; what
is left names a measure by its row (the one with the most symbols wins) and what is asked of its values
by one ordered table. There is no measure by default. A word that means nothing, a symbol that nothing uses,
or two measures that fit alike make no guess: they ask back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice, product

import msgspec
from msgspec.structs import replace

from pitwall.ask.asks import ASKS, COVERED, NOT_PLACED, SYMBOL_HINTS, UNSCOPED
from pitwall.ask.corner_names import CornerNames, plain
from pitwall.ask.lexicon import Lexicon, lexicon
from pitwall.ask.measures import (
    BEFORE_APEX,
    CHANGE_SLOWLY,
    HOLDS,
    LEAST_BRAKING,
    MEASURES,
    NEEDS_CORNER,
    OF_MOMENTS,
    POINT_OF,
    SPEEDS,
    UNITS,
)
from pitwall.ask.question_words import Text, items_of
from pitwall.ask.scope_words import MANY, ScopeReader, is_corner
from pitwall.contract.query import Query, QueryLimit, Scope, Which
from pitwall.words.units import MEASURES as SHOWN
from pitwall.words.units import Measure

# Words between the others, and what is meant where nothing else is named. Every other one is used by a
# slot, or the question asks back.
IDLE = frozenset([
    "IN", "I", "BE", "WHAT", "WHICH", "HOW", "HOWMUCH", "AND", "OR", "TO", "FROM", "COMMA", "SESSION",
    "EVER", "ONLY", "LAP", "FLYING", "TRACKWHOLE", "USUAL", "TRACK", "DRIVER", "CAR", "ENGINE", "COACH",
    "CORNER", "SEEK", "STEADY",
])  # fmt: skip
# The words of a comparison: used where there are two sides.
COMPARING = frozenset([
    "COMP", "MORE", "LESS", "FAST", "SLOW", "BETTER", "LATE", "EARLY", "HARD", "LONG", "HOT", "THAN",
    "COMPARE", "BETWEEN", "WHO",
])  # fmt: skip
# Those of a limit.
_LIMITING = frozenset([
    "FAST", "SLOW", "HOT", "MOST", "LATE", "EARLY", "HARD", "LONG", "HOWMANY", "OFTEN", "SHARE", "TIME",
    "TAKE", "NO", "WITHIN",
])  # fmt: skip
_ENDS = frozenset(["MOST", "LEAST", "BEST", "WORST", "FAST", "SLOW", "HARD", "LATE", "EARLY", "LONG", "HOT"])
# Two looks at one figure: "on average and at most".
_TWO_LOOKS = re.compile(r"(MEAN|MOST|LEAST)(?: \w+)* (?:AND|OR)(?: \w+)* (MEAN|MOST|LEAST) ")
_LOOK_OF: dict[str, Which] = {"MEAN": "mean", "MOST": "max", "LEAST": "min"}
# Both ends of some values.
_TWO_ENDS = re.compile(
    r"(?:BEST|FAST MOST) .*(?:WORST|SLOW MOST)|WORST .*BEST|MOST .*LEAST|LEAST .*MOST|"
    r"EARLY MOST.*LATE MOST|LATE MOST.*EARLY MOST"
)
_ENDS_OF_POINT = re.compile(r"EARLY MOST AND LATE MOST|LATE MOST AND EARLY MOST")
_SUMMED = frozenset(("brake_far_m", "climb_m", "driven_km"))
# The best lap "after lap 6" is one of these.
_RANGES = ("not:", "from:", "to:", "span:", "half:", "stint:")
# "My fastest lap", "meine langsamste", "second fastest lap?", "best lap of the last run", "how much between
# lap 6 and lap 8": of nothing else, whatever was asked before.
_LAPS_ALONE = re.compile(
    r" (?:(?:WHAT|WHICH|BE) )*(?:I (?:(?:FAST|SLOW) MOST|BEST|WORST)|"
    r"(?:I )?(?:O\d+ )?(?:FAST|SLOW) MOST(?: FLYING)? LAP|"
    r"I (?:BEST|WORST) LAP|(?:BEST|WORST|(?:FAST|SLOW) MOST) LAP IN (?:O\d+|FIRST|LAST) STINT|"
    r"HOWMUCH (?:BETWEEN )?LAP N\d+ AND(?: LAP)? N\d+)(?: \|)? "
)
# "How fast?", "and which is the slowest?": a look at what was asked before.
_BARE_LOOK = frozenset(
    ["LONG", "TAKE", "AND", "FAST", "SLOW", "MOST", "IN", "BE", "WHICH", "WHAT", "HOW", "I", "THERE"]
)
_OTHER_SLOTS = frozenset([
    *("SPREAD", "TREND", "MEDIAN", "MEAN", "SUM", "SHARE", "MOST", "BEST", "WORST", "COMP", "BETTER"),
    *("EACH", "RANK", "COMPARE", "ENTRY", "APEX", "EXIT"),
])  # fmt: skip
_OWN_FIELDS = ("which", "order", "show", "group", "against")
# What is made of the laps' values.
_MADE: dict[str, Which] = {
    "SPREAD": "spread", "TREND": "trend", "MEDIAN": "median", "MEAN": "mean", "SUM": "sum", "SHARE": "share",
}  # fmt: skip
_ALSO_MADE: dict[str, Which] = {**_MADE, "SAME": "spread"}
_LOOKS = frozenset(["MOST", "LEAST", "BEST", "WORST", "MEAN", "MEDIAN", "TREND", "SPREAD", "SUM"])
# Several lap times are a list.
_TIMES = frozenset(("times", "laptimes", "zeiten", "rundenzeiten"))
# What is said twice: "back on the gas".
_SUBSUMED = {"THROTTLE": {"ONGAS", "FULL", "LIFT", "COAST", "BOTH"}, "BRAKE": {"TRAIL", "BOTH"}, "G": {"LAT"},
             "LONG": {"TIME", "FULL", "COAST", "BRAKE", "TRAIL"}, "SPEED": {"FAST", "SLOW"}}  # fmt: skip
# Beside a lap or a part of it these need no measure.
_PLAIN = frozenset([
    "LAPS", "PLACE", "SECTORS", "PIECES", "BEST", "WORST", "COMPARE", "MOST", "LEAST", "MEAN", "MEDIAN",
    "SUM", "BETTER", "FAST", "SLOW", "SPREAD", "TREND", "RANK", "WITHIN", "HOWMANY", "SHARE", "SUMMARY",
    "BETWEEN", "WHEN", "WHERE", "THAN", "IMPROVED", "SAME", "THERE", "THATLAP", "WHO", "EACH", "COMP", "MORE",
    "LESS", "TIME", "NO", "SESSIONEND", "SESSIONSTART", "OVER",
])  # fmt: skip


# No engine's oil has more pressure.
MOST_OIL_BAR = 20.0
# The units of measures that can be the latest, the hottest or the longest.
_UNITS_OF = {"LATE": ("m", "rpm"), "EARLY": ("m", "rpm"), "HOT": ("°C",), "LONG": ("s", "m", "")}
# So many words that mean nothing may be taken for others that do, in so many ways.
MOST_GUESSED, MOST_GUESSES = 2, 4


class QuestionReading(msgspec.Struct, frozen=True, kw_only=True):
    """The reading of a question. `query` None: nothing was. `choices`: the queries it may mean, where that is
    not certain, and why: `strange` words mean nothing here, those in `left` (symbol, word) no slot used.
    `stated`: which fields the words named themselves; `whole`: it names its measure; `untold`: what no data
    tells of; `limit`: a side, a value and its unit ("": none was told) of whatever measure there is, which
    `limit_of` makes one of the query's; `again`: what is left and the query of another measure."""

    query: Query | None = None
    choices: tuple[Query, ...] = ()
    strange: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    stated: frozenset[str] = frozenset()
    untold: str = ""
    symbols: str = ""
    more: tuple[Query, ...] = ()
    limit: tuple[str, float, str] | None = None
    numbers: tuple[str, ...] = ()
    again: Callable[[str], tuple[list[tuple[str, str]], Query]] | None = None

    @property
    def unused(self) -> tuple[str, ...]:
        """The words that no slot used."""
        return tuple(dict.fromkeys(word for _, word in self.left))

    @property
    def there(self) -> bool:
        return "THERE" in self.words

    @property
    def that_lap(self) -> bool:
        return "THATLAP" in self.words

    @property
    def follows(self) -> bool:
        """It begins as a follow-up does, or points back."""
        return self.there or self.that_lap or self.words[:1] in (["AND"], ["SAME"], ["ONLY"])

    @property
    def whole(self) -> bool:
        return "measure" in self.stated

    @property
    def words(self) -> list[str]:
        """The symbols one by one, without what parts them."""
        return self.symbols.replace("|", " ").split()


def read(question: str, names: CornerNames) -> QuestionReading:
    """Read a question about a track with these corner names."""
    words = lexicon()
    reading = _read(question, names, words)
    if not 0 < len(reading.strange) <= MOST_GUESSED or not reading.stated:
        return reading
    found = [
        guessed.query
        for guesses in islice(product(*map(words.guesses, reading.strange)), MOST_GUESSES)
        if (guessed := _read(_with(question, reading.strange, guesses), names, words)).query is not None
        and guessed.whole and not (guessed.strange or guessed.left)
    ]  # fmt: skip
    return replace(reading, choices=tuple(dict.fromkeys((*found, *reading.choices)))[:2])


def _with(question: str, strange: Sequence[str], guesses: Sequence[str]) -> str:
    text = plain(question)
    for word, guess in zip(strange, guesses, strict=True):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", guess, text)
    return text


def _read(question: str, names: CornerNames, words: Lexicon) -> QuestionReading:
    corners: list[tuple[str, ...]] = []
    items = list(items_of(question, names, words, corners))
    strange = tuple(dict.fromkeys(each.typed for each in items if each.symbols == "?"))
    text = Text([each for each in items if each.symbols != "?"])
    numbers = tuple(re.findall(r"(?<![\d.:,])\d{1,2}(?![\d.:,]|\w)", question))
    return replace(_Reader(text, corners, names, strange).reading(), numbers=numbers)


class _Reader(ScopeReader):
    """A question being read: each step takes what it understands from the text."""

    def reading(self) -> QuestionReading:
        text = self.text
        if untold := text.has(r"UNTOLD:(\w+)"):
            return QuestionReading(untold=untold[1].replace("_", " "), symbols=text.whole)
        alone = _LAPS_ALONE.fullmatch(text.left)
        self.own_lap = alone is not None
        if alone and "LAP" not in alone[0]:
            self.laps.append("worst" if re.search("SLOW|WORST", alone[0]) else "best")
            text.take("laps", "I (?:(?:FAST|SLOW) MOST|BEST|WORST)", "LAPS")
        if text.left.split() == ["WHEN", "BE"]:  # "when was that?"
            text.take("measure", "WHEN BE", "DATED")
        self._session()
        self._limits()
        self._against()
        self._laps()
        self._places()
        candidates = self._measures()
        return self._made(candidates)

    # Measure.

    def _measures(self) -> list[tuple[str, frozenset[str]]]:
        """The measures that fit, the best first, each with the symbols that it uses; those of the same fit
        are one behind the other, and the first that fits less is left out."""
        text = self.text
        have = frozenset(text.symbols)
        corner = any(is_corner(each) for each in self.places)
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
        if self.limit is not None and not self.limit[2] and self.limit[1] >= MOST_OIL_BAR:
            found = [each for each in found if each[2] != "oil_bar"]  # "did the oil go past 120": no pressure
        if self.limit is not None and self.limit[2] == "T":
            found = [each for each in found if each[2] not in ("lap_count", "ideal")]
            if not found:
                found, self.of_limit = [(-1.0, 0, "time", frozenset())], True
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
        fast = self.of_fast = self._of_fast(have, corner)
        if fast and all(-weight <= 1.0 for weight, _ in ordered.values()):
            ordered = {fast: (-9.0, frozenset(("FAST", "SLOW")))} | ordered
            self.weights[fast] = 9.0
        if self.limit is not None and not self.limit[2] and (not ordered or next(iter(ordered)) == "time"):
            ordered = {"rpm" if self.limit[1] >= 1000.0 else "speed": (-1.0, frozenset(("TIME", "LONG")))}
            self.of_limit = True
            self.weights |= dict.fromkeys(ordered, 1.0)
        if self.limit is not None and self.limit[2] in UNITS and UNITS[self.limit[2]][2]:
            fitting = [name for name in MEASURES if _is_in(self.limit[2], name)]
            named = [name for name in ordered if name in fitting]
            ordered = {name: ordered[name] for name in named} or ordered
            if fitting and not named and not (ordered and fitting[0] == "time"):
                self.of_limit = True
                likely = fitting[: 1 if fitting[0] in ("time", "speed", "rpm", "throttle") else 2]
                ordered = {name: (-1.0, frozenset[str]()) for name in likely}
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
        of_lap = r"(?:FAST|SLOW) BE(?: I| THE)* LAPS|LAPS(?: BE)* (?:FAST|SLOW)"
        some = any(each.startswith(_RANGES) for each in self.laps)
        if some and not corner and not self.places and text.has("(?:FAST|SLOW) MOST"):
            return "time"  # "the slowest one without the first lap"
        if text.has("TREND|PACE|THATLAP") or (self.laps and not corner and text.has(of_lap)):
            return "time"
        in_corner = corner and "POINT" not in have and self.group == "" and any(map(is_corner, self.places))
        if in_corner and text.has("(?:FAST|SLOW) MOST(?!(?: I| EVER)+ BE)"):
            return "time"
        if corner and not any(is_corner(each) for each in self.places):
            return "min_speed"
        if corner:
            return SPEEDS.get(self.point, "min_speed" if not self.point else "speed")
        return "speed"

    # What is asked of the values.

    def _made(self, candidates: list[tuple[str, frozenset[str]]]) -> QuestionReading:
        text, end, scoped = self.text, "end" in self.fields, self.laps or self.places or self.group
        beside = not scoped or (len(self.laps) == 1 and not (self.against or self.places or self.group))
        compares = self.of_fast and text.has("COMP|BETTER") and beside
        looks_back = {*text.whole.replace("|", " ").split()} <= _BARE_LOOK
        compares = compares or (text.has("BETTER") and "I" not in text.whole.split() and not scoped)
        whole = not (self.of_limit or compares or looks_back) if candidates else end
        parts = self.point or self.group in ("corner", "sector", "straight") or end
        stated = {name for name, value in (
            ("measure", whole or self.own_lap), ("laps", self.laps or self.group == "lap"),
            ("places", self.places or parts), ("session", self.session), ("limit", self.limit),
            ("unit", self.fields.get("unit")),
        ) if value}  # fmt: skip
        candidates = candidates or [(name, frozenset[str]()) for name in self._implied()]
        queries = []
        top = self.weights.get(candidates[0][0], 0.0) if candidates else 0.0
        if candidates and candidates[0][0] == "speed" and self.group == "corner":
            candidates = [("min_speed", candidates[0][1]), *candidates[1:]]
            self.weights["min_speed"] = 9.0
        if unit := str(self.fields.get("unit", "")):
            candidates = [each for each in candidates if fits(unit, each[0])] or candidates
        for name, needs in candidates[:3]:
            left, query = self._query(name, needs)
            queries.append((self.weights.get(name, 0.0), left, query))
        if not queries:
            return self._bare(stated)
        _, left, query = queries[0]
        stated |= {name for name in _OWN_FIELDS if getattr(query, name)}
        if not any(map(is_corner, self.places)) and self.places and (self.laps or query.which or query.order):
            stated.add("measure")  # "best sector 1" leaves nothing out
        ties = [each for weight, _, each in queries[1:] if weight == top and each.measure in MEASURES]
        warm = {query.measure, *(each.measure for each in ties)} == {"coolant_c", "oil_temp_c"}
        more = tuple(ties) if ties and (warm or text.has("AND|COMPARE|COMMA")) else ()
        looks = _TWO_LOOKS.search(text.whole)
        if looks and looks[1] != looks[2] and not (more or query.group or ties) and query.measure in MEASURES:
            one, other = (replace(query, which=_LOOK_OF[each], order="") for each in looks.groups())
            query, more = one, (other,)
            left = [each for each in left if each[0] not in _LOOK_OF]
        elif more:
            left, ties = [each for each in left if all(each in other for _, other, _ in queries)], []
            left = [each for each in left if each[0] not in ("COMPARE", "BETWEEN")]
            if query.order:  # no order of what lies between two measures is known
                left += [each for each in text.left_over(()) if each[0] in ("COMPARE", "BETWEEN")]
        topical = query.measure not in MEASURES and query.measure not in UNSCOPED
        unsure = bool(self.strange or left or (ties and not topical))
        compared = left and not query.which and query.measure in MEASURES
        compared = compared and all(symbol in COMPARING for symbol, _ in left)
        others = [replace(query, which="trend")] if compared else []
        others += [replace(query, measure="advice")] if any(each[0] == "HOWTO" for each in left) else []
        others += [
            replace(query, which=made, group="", order="") for made in map(_ALSO_MADE.get, dict(left)) if made
        ]
        readings = [(rest, each) for _, rest, each in queries[1:]] + self._hinted(left)
        # One that leaves more words over drops what was understood.
        others += [each for rest, each in readings if len(rest) <= len(left) and _keeps(each, query)]
        others += [replace(query, measure=name) for name in self._beside_time(query)]
        choices = (query, *others) if unsure and query.measure else ()
        return QuestionReading(
            query=query, choices=tuple(dict.fromkeys(choices))[:2], strange=self.strange, left=tuple(left),
            again=self.again, stated=frozenset(stated), symbols=text.whole, more=more, limit=self.limit,
        )  # fmt: skip

    def _implied(self) -> tuple[str, ...]:
        """The measure that a question without one asks for: of laps, sectors and other parts their time, of a
        point of a corner its speed."""
        text, laps = self.text, bool(self.laps or self.group == "lap" or self.session)
        corner = any(is_corner(each) for each in self.places)
        if self.places == ["straight:longest"]:
            return ("track_km",)
        if "end" in self.fields:
            return ("losses",) if self.fields["end"] in ("WORST", "LOSE MOST") else ("min_speed",)
        if text.has("WHY"):
            return ("time",) if self.group == "lap" and text.has("BEST|WORST|FAST|SLOW") else ()
        if corner and self.point in SPEEDS and not text.has("BRAKE|THROTTLE"):
            return (SPEEDS[self.point],)
        content = [
            each for each, _ in text.left_over(IDLE | _PLAIN) if not re.fullmatch(r"[NUO][\w.%]+", each)
        ]
        parts = not all(map(is_corner, self.places)) or self.group in ("sector", "piece", "straight")
        if content or (self.limit is not None and self.limit[2] not in ("T", "s")):
            return ()
        averaged = text.has("MEAN|MEDIAN|RANK") and text.has("LAPS?")
        named = laps or parts or self.against or self.limit is not None or averaged
        return ("time",) if named or (corner and text.has("BEST|WORST")) else ()

    def _bare(self, stated: set[str]) -> QuestionReading:
        """A question without a measure: a follow-up, or two choices for the place that it names."""
        text = self.text
        _, query = self._query("", frozenset())
        stated |= {name for name in _OWN_FIELDS if getattr(query, name)}
        left = [each for each in text.left_over(IDLE) if re.fullmatch(r"[NOU]\S+", each[0])]
        hinted = list(dict.fromkeys(each for _, each in self._hinted(text.left_over(IDLE))))
        if left and not hinted and self.places:  # "third or fourth in turn 4?"
            hinted = [replace(query, measure=each) for each in ("time", "min_speed")]
        return QuestionReading(
            query=query if stated or text.has("THERE|THATLAP") else None, choices=tuple(hinted[:2]),
            strange=self.strange, left=tuple(left), stated=frozenset(stated),
            symbols=text.whole, again=self.again, limit=self.limit,
        )  # fmt: skip

    def _hinted(self, left: Sequence[tuple[str, str]]) -> list[tuple[list[tuple[str, str]], Query]]:
        """Return what else may be meant by symbols that nothing uses, each as `_query` gives it."""
        found = [(name, symbol) for symbol, _ in left for name in SYMBOL_HINTS.get(symbol, ())]
        return [self._query(name, frozenset((symbol,))) for name, symbol in found]

    def _beside_time(self, query: Query) -> tuple[str, ...]:
        """Return what a word that means nothing may ask for beside a time that no word asks for."""
        if (
            query != Query(measure="time", scope=query.scope)
            or not self.strange
            or self.text.has("TIME|PACE")
        ):
            return ()
        return ("brake_m", "min_speed") if any(map(is_corner, self.places)) else ("speed",)

    def again(self, measure: str) -> tuple[list[tuple[str, str]], Query]:
        """The question read as one of this measure: what no slot uses of it, and the query."""
        return self._query(measure, frozenset())

    def _query(self, measure: str, needs: frozenset[str]) -> tuple[list[tuple[str, str]], Query]:
        """((symbol, word) of what no slot uses, the query) for one measure."""
        symbols, row, fields = self.text.symbols, MEASURES.get(measure), self.fields
        text, words, whole = " ".join(symbols), {*symbols}, {*self.text.whole.split()}
        # A row may need a word that another slot uses: the measure has not used it by that.
        used = {*needs - _OTHER_SLOTS} | {each for each, by in _SUBSUMED.items() if by & needs}
        used |= (
            {"ENTRY", "APEX", "EXIT"} & needs
            if measure in NEEDS_CORNER or measure.endswith("_lost")
            else set()
        )
        which, order, show, group, rank = "", "", "", self.group, int(str(fields.get("rank", 0)))
        most, against = int(str(fields.get("most", 0))), self.against
        places, laps = list(self.places), list(self.laps)
        for ids in self.stretches if row is not None and row.unit == "s" and "span" in row.parts else ():
            ends = sorted(ids, key=self.names.order.index)  # a time of them all
            places = [f"{ends[0]}>{ends[-1]}", *(each for each in places if each not in ids)]
        end, edge = str(fields.get("end", "")), str(fields.get("edge", ""))
        for symbol, field in _MADE.items():
            if symbol in words and not which:
                which = field
                used.add(symbol)
        if edge:
            slow = measure in CHANGE_SLOWLY and not words & _LOOKS
            mark = f"SESSION{edge.upper()}"
            if slow and not places:
                places.append(f"edge:lap {edge}" if laps else f"edge:{edge}")
                used.add(mark)
            elif "TREND" in words or ("COMP" in words and not laps):
                which = "trend"
                used.add(mark)
            elif places and all(each.startswith(("straight:", "after:", "sector:")) for each in places):
                used.add(mark)  # the end of that part
            elif not laps:
                laps.append("last" if edge == "end" else "first")
                used.add(mark)
        if end:
            if measure in ("", "lost", "losses", "min_speed", "speed", "time", "advice") and not places:
                group, order = "corner", direction(measure or "min_speed", end)
                used |= {"LOSE"}
            else:
                name = {"SLOW MOST": "slowest", "FAST MOST": "fastest"}.get(end, "worst")
                places.append(f"corner:{name}" + (f"-{rank}" if rank else ""))
                rank = 0
        if self.point and row is not None and (places or group or measure in NEEDS_CORNER):
            if POINT_OF.get(measure, self.point) == self.point:
                used.add(self.point.upper())
            if measure not in NEEDS_CORNER and measure not in (
                "time", "lost", "brake_bar", "g_brake", "full_throttle", "coast",
            ):  # fmt: skip
                places = [f"{each}/{self.point}" if is_corner(each) else each for each in places]
        if "gear" in fields and measure != "gear":
            gear = fields["gear"]
            places = [f"{each} {gear}" for each in places] or [f"gear:{gear}"]
        if which == "sum" and row is not None and row.unit not in ("s", "") and measure not in _SUMMED:
            which = ""  # levels have no sum: overall
        apart = bool({"COMPARE", "BETWEEN"} & words) or _ENDS_OF_POINT.search(text) is not None
        apart = apart and not (laps or against or group)
        if apart and row is not None and _TWO_ENDS.search(text):
            which = "spread"
            used |= _ENDS | {"COMPARE", "BETWEEN"}
        if "TOO" in words and row is not None:
            used.add("TOO")
            if measure in NEEDS_CORNER and not against:
                against = "best"
        if "IMPROVED" in words and row is not None and not which and not against:
            which = "trend"
        way = self._superlative(
            measure,
            " ".join(each for each in symbols if each not in needs or each in _ENDS - {"LEAST"}),
            used,
        )
        if which == "spread" and way:  # "most consistent" spreads least
            low = bool(words & {"BEST", "LEAST"}) if "STEADY" not in words else bool(words & {"BEST", "MOST"})
            way = "min" if low else "max"
        plain = which != "spread" and measure not in NEEDS_CORNER
        if way:
            if group == "lap" and fields.get("every") and measure in OF_MOMENTS:
                which = which or way  # the peak of each lap is no rank
            elif (
                group == "sector" and measure == "time" and words & {"BEST", "WORST"} and "WHICH" not in whole
            ):
                which = which or way  # of each
            elif group and group != "gear" and not (group == "sector" and places):
                order = order or way
            elif (
                {"WHERE", "POINT"} & whole
                and ("WHERE" not in needs or measure in OF_MOMENTS)
                and not places
                and plain
            ):
                which, show = way, "where"
            elif which == "mean" and row is not None:
                order, group = (
                    way,
                    "lap" if group or re.search(r"(?:MOST|LEAST)(?: I| IN| BE)* MEAN", text) else "",
                )
            elif not which:
                which = way
        if which == "mean" and "HARD" in words and measure in LEAST_BRAKING:
            order = order or "max"  # "how hard on average": of the peaks
        if "EACH" in words and not group and not order:
            group = "lap"
        if "ALONG" in words:
            used.add("ALONG")
            which = which or ("trend" if not (self.limit or order or group) else "")
        if most and not (group or order) and row is not None:  # "top three"
            which, group, order = "" if which == way else which, "lap", way or direction(measure, "BEST")
        if group == "sector" and "COMPARE" in words and len({*laps}) == 2 and not against:
            laps, against = laps[:1], laps[1]
        if "RANK" in words and (group or measure == "time"):
            group = group or "lap"
            order = order or ("max" if measure in ("lost", "losses") or which == "spread" else "min")
            order = direction(measure, str(fields["sorted"])) if "sorted" in fields else order
            used.add("RANK")
            most = most or 20
        if "WHERE" in words - needs and not (show or places or group or measure in ASKS):
            show = "where"
        if measure == "lost" and order == "" and way == "max" and not (places or group):
            which, group, order = "", "corner", "max"  # what costs the most is a place
        if (
            measure == "lost"
            and against
            and laps
            and "GAIN" in words
            and "LOSE" not in words
            and order == "max"
        ):
            order = "min"  # "which corner does he gain the most in, lap 9 against lap 4"
        if measure == "lost" and (show == "where" or ("WHERE" in whole and not (places or group))):
            which, show, group, order = "", "", "corner", "max"
        if show == "where" and which == "spread":
            show, group, order = "", "corner", "max"
        if group == "corner" and which == "spread" and not order:
            order = "max"
        if measure in HOLDS and "LONG MOST" in text and not group:
            show = "where"  # the longest at a time
        if "WHEN" in words - needs and not show:
            show = "when"
        if "WHY" in words:
            show = "why"
            used |= {"COMP", "SLOW", "FAST"} if measure == "time" else set()
        limit = limit_of(self.limit, measure)
        if measure == "brake_bar" and group == "corner" and "NO" in words and limit is None:
            limit = QueryLimit(op="under", value=LEAST_BRAKING[measure])  # "which corners do I not brake for"
        if limit is not None:
            used |= _LIMITING
            which = (
                "sum" if {"LONG", "HOWMUCH", "SHARE"} & words else "count" if "OFTEN" in words else "exists"
            )
            if "HOWMANY" in words or group == "lap" or measure == "time":
                which = "count"
                group = group or "lap"
            if "NO" in words and which == "count" and limit.op in ("over", "under"):
                limit = replace(limit, op="under" if limit.op == "over" else "over")
            if group == "lap":
                order = ""
            elif "FIRST" in words and which == "exists":
                show = show or "when"
                used.add("FIRST")
        if measure == "speed" and order == "min" and {"MOST", "LEAST"} <= words:
            which = "max"
        alone = measure == "time" and not (which or group or places or against)
        if alone and not (laps or limit or show) and _TIMES & {*self.text.typed("TIME")}:
            group = "lap"
        kinds = [each for each in laps if each in ("best", "worst")]
        if measure == "time" and kinds and any(each.startswith(_RANGES) for each in laps):
            laps = [each for each in laps if each not in kinds]
            which = "min" if kinds[0] == "best" else "max"
        if alone and not which and any(each.partition(":")[0] in MANY.values() for each in laps):
            group = "lap"
        if measure == "lost" and group in ("corner", "sector"):
            which = which or "mean"
        if against or len({*laps}) > 1 or len({*places}) > 1 or self.session or which == "trend":
            used |= COMPARING | {"IMPROVED"}
        if group or which == "spread":
            used |= {"EACH", "BETWEEN", "NO"} if which == "spread" else {"EACH", "BETWEEN"}
        used |= {name.upper() for name in (show,) if name} | ({"POINT"} if show == "where" else set())
        if row is not None:
            used |= {"HOWMANY"} if row.unit else set()
            used |= {"TIME", "TAKE"} if row.unit == "s" else {"TAKE"} if row.unit == "m/s" else set()
            used |= {"APEX", "BEFORE"} if measure == "throttle_m" else {"APEX"} if row.unit == "m" else set()
            before = getattr(row.take, "braked", measure == "brake_far_m") or POINT_OF.get(measure) == "entry"
            used |= {"BEFORE"} if before else {"AFTER"} if POINT_OF.get(measure) == "exit" else set()
            used |= {"BEGIN", "POINT"} if measure in NEEDS_CORNER else set()
        if measure == "time" and laps:
            used.add("SUMMARY")
        used |= {*COVERED.get(measure, "").split()}
        if order:
            used |= {"WHERE", "WHEN"} - words if not group else {"WHERE"}
        unit = str(fields.get("unit", ""))
        if which == "spread" and group == "lap" and order:
            used.discard("SPREAD")  # a lap by itself spreads nothing
        left = self.text.left_over(used | IDLE)
        if unit and not fits(unit, measure):
            left.append(("U", unit))
            unit = ""
        if measure in NOT_PLACED and (places or laps):
            left += self.text.taken("places") + self.text.taken("laps")
        if self.limit is not None and limit is None:
            left.append(("LIMIT", f"{self.limit[1]:g}"))
        query = Query(
            measure=measure, which=which, group=group, order=order, rank=rank, most=most, against=against,  # type: ignore[arg-type]
            scope=Scope(laps=tuple(dict.fromkeys(laps)), places=tuple(dict.fromkeys(places)),
            session=self.session),
            limit=limit, unit=unit, show=show,  # type: ignore[arg-type]
        )  # fmt: skip
        return left, query

    def _superlative(self, measure: str, text: str, used: set[str]) -> str:
        """Which end is asked for: "min", "max", "" for none."""
        if found := re.search(r"(?:^| )(LATE|EARLY|HARD|HOT|LONG|FAST|SLOW) (MOST|LEAST)(?= |$)", text):
            row = MEASURES.get(measure)
            if row is not None and row.unit not in _UNITS_OF.get(found[1], (row.unit,)):
                return ""  # no pressure is the latest
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


def _keeps(other: Query, query: Query) -> bool:
    """Return whether a reading has the laps, the places and the limit of another."""
    laps, places = {*query.scope.laps}, {each.partition("/")[0] for each in query.scope.places}
    return (
        laps <= {*other.scope.laps}
        and places <= {each.partition("/")[0] for each in other.scope.places}
        and (query.limit is None or other.limit is not None)
        and not (other.measure in NOT_PLACED and (laps or places))
    )


def limit_of(limit: tuple[str, float, str] | None, measure: str) -> QueryLimit | None:
    """A side, a value and its unit as a limit of this measure, None where it can't be one."""
    if limit is None or not measure:
        return None
    op, value, unit = limit
    if op.isupper():  # "later than 100 m" before the apex is less of them
        op = "over" if direction(measure, op) == "max" else "under"
    if unit == "T":
        return QueryLimit(op=op, value=value) if measure == "time" else None  # type: ignore[arg-type]
    if not unit:
        unit = "kmh" if measure in MEASURES and MEASURES[measure].unit == "m/s" else ""
    elif not _is_in(unit, measure) or not UNITS[unit][2]:
        return None
    of, system, factor = UNITS.get(unit, ("", None, 1.0))
    shown = SHOWN[system or "metric"].get(of, Measure(of))
    return QueryLimit(op=op, value=(value * factor - shown.offset) / shown.factor)  # type: ignore[arg-type]


def _is_in(unit: str, measure: str) -> bool:
    """Return whether values of a measure are told in a unit."""
    row = MEASURES.get(measure)
    return row is not None and row.unit in (
        UNITS[unit][0],
        "m/s" if unit == "miles" else None,
        "°" if unit == "celsius" else None,
    )


def fits(unit: str, measure: str) -> bool:
    """Return whether a measure can be told in a unit, as what lies between lap times in tenths."""
    if measure not in MEASURES:
        return not measure or UNITS[unit][0] in ("m", "km", "s")
    return _is_in(unit, measure)


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


@cache
def _rows() -> tuple[tuple[str, tuple[tuple[frozenset[str], frozenset[str]], ...]], ...]:
    """Each measure and topic with its alternatives: what must and what must not stand there."""
    found = []
    for name, asks in ({each: row.asks or each.upper() for each, row in MEASURES.items()} | ASKS).items():
        alternatives = []
        for each in asks.split("|"):
            words = each.split()
            needs = frozenset(word for word in words if word[0] != "-")
            alternatives.append((needs, frozenset(word[1:] for word in words if word[0] == "-")))
        found.append((name, tuple(alternatives)))
    return tuple(found)
