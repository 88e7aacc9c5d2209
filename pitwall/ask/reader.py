"""Read a question in words as a certain Query, else as at most three to choose from.

Finds one measure, laps, a place, a session and one aggregate (`words/en_ask.txt`). Every word must
be used: with an unknown or unused one the reader asks back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from pitwall.ask.corner_names import NUMBER_OF, CornerNames, mended, words_of
from pitwall.ask.measures import MEASURES, OF_MOMENTS
from pitwall.contract.messages import Turn
from pitwall.contract.questions import LAP_PATTERN, ONE_LAP, Query, Scope, Which
from pitwall.words.texts import tables

MOST_CHOICES = 3
# A symbol that a measure needs and a question lacks weighs as much as this many unused ones.
_MISSED = 10
# Topics of the whole session, and aggregates by their symbol; BEST and WORST follow the measure.
TOPICS = ("lap_count", "stint_count", "driven", "usual", "ideal", "losses")
_WHICH: dict[str, Which] = {
    "MAX": "max", "MIN": "min", "MEAN": "mean", "MEDIAN": "median", "SPREAD": "spread", "TOTAL": "sum",
}  # fmt: skip
_ENDS = {"BEST", "WORST", *_WHICH}
# Where the highest or lowest value was; two laps against each other.
_PLACED, _VERSUS = {"WHERE", "TURN"}, {"CMP", "DIFF"}
_AGGREGATES = frozenset((*_ENDS, "EACH", "SECTORS", "CORNERS", "COUNT", *_PLACED, *_VERSUS))
# Used only where a measure needs them.
_SOFT = frozenset(("INTO", "OUTOF", "PACE", "DRIVE"))
# Said of many measures: none is offered for one of these alone.
_WEAK = frozenset(
    ("WHEN", "LONG", "EARLY", "LATE", "FAR", "POINT", "HARD", "LAP", "ONELAP", "CORNER", "SECTOR",
     "STRAIGHT", "TAKE", "TIME", *_AGGREGATES, *_SOFT)
)  # fmt: skip

_BEST, _WORST = "(?:best|fastest|quickest)", "(?:worst|slowest)"
_LAP = "(?:flying |timed )?(?:laps?|one)"
_STINT = "(?:stint|run|outing)"
# How a question that follows another begins; what asks for a figure and nothing else.
_OPENING = re.compile(r"^(?:(?:and|so|ok|then|what about|how about|the same for) )+")
_AMOUNT = re.compile(r"\bhow (?:much|many)\b")
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "1st": 1, "2nd": 2, "3rd": 3,
}  # fmt: skip
_LAP_MARK = re.compile(LAP_PATTERN)
_TWO_LAPS = re.compile("(?:top|lasts|firsts):2")
# A choice by its number.
_PICKED = re.compile(r"\s*(?:number |#)?([1-9])[.)]?\s*", re.IGNORECASE)
# Words for laps -> their marks; the first match counts, and several may stand in a question.
_LAPS: tuple[tuple[str, str], ...] = (
    (rf"(?:(?:in|of|on|during|for|the|my) )*#(\d) {_STINT}|(?:in |of )?{_STINT} (\d)", "stint:{}"),
    (rf"(?:(?:in|of|on|during|for|the|my) )*(?:last|final|latest) {_STINT}", "stint:-1"),
    (r"(?:from |between )?laps? (\d+) (?:to|through|until) (?:lap )?(\d+)", "span:{}-{}"),
    (r"laps (\d+) (\d+)(?: (\d+))? (?:and|or) (\d+)", "{}"),
    (r"laps? (\d+)(?: (?:and|or|vs|versus) (?:lap )?(\d+))?", "{}"),
    (rf"(?:my |the )?#(\d) {_BEST}(?: {_LAP})?", "best:{}"),
    (rf"(?:my |the )?(\d+) {_BEST} laps|(?:my |the )?{_BEST} (\d+) laps|top (\d+) laps", "top:{}"),
    (rf"(?:my |the )?{_BEST}(?= (?:and|vs|versus|to) (?:my |the )?{_WORST} {_LAP})", "best"),
    (rf"(?:my |the )?{_BEST} {_LAP}|(?:which|what) lap was (?:my |the )?{_BEST}", "best"),
    (rf"(?:(?:and|vs|versus|to) )?(?:my |the )?{_WORST} {_LAP}", "worst"),
    (rf"(?:which|what) lap was (?:my |the )?{_WORST}", "worst"),
    (r"(?:my |the )?(?:last|final) lap", "last"),
    (r"(?:my |the )?(?:#1|opening) (?:flying |timed )?lap", "first"),
    (r"(?:my |the )?last (\d+) laps", "lasts:{}"),
    (r"(?:my |the )?#1 (\d+) laps", "firsts:{}"),
    (r"lap #(\d+)|#(\d+) lap", "{}"),
    (r"(?:the )?(out|in) lap", "{}"),
    (r"(?:all )?(?:the |my )?flying laps", "flying"),
)  # fmt: skip
# Laps by their time: "under 1:58", "in the 1:58s".
_LIMIT = re.compile(
    r"(?<!\S)(?:(?P<under>under|below|sub|(?:faster|quicker|less|better) than)|"
    r"(?P<over>over|above|(?:slower|more) than)|in(?:to)? the|(?=\S+ s\b))"
    r" ?(?:the |a )?(?P<m>\d+):(?P<s>\d\d(?:\.\d+)?)(?: s)?(?!\S)"
)
_PLACES: tuple[tuple[str, str], ...] = (
    (r"(?:in |the )*(?:sectors?|splits?|s) ?(\d)|s(\d)", "sector:{}"),
    (r"(?:in |the )*#(\d) (?:sector|split)", "sector:{}"),
    (r"(?:in |the )*(?:last|final) sector", "sector:-1"),
    (r"(?:down |on |along |the )*(back|longest) straight", "straight:{}"),
    (r"(?:down |on |along |the )*straight (?:before|into|to) @(\S+)", "straight:{}"),
    (r"(?:down |on |along |the )*straight (?:after|out of) @(\S+)", "after:{}"),
    (r"(?:down |on |along |the )*(?:main |pit |home )?straight", "straight:main"),
    (r"(?:in |at |for |the )*@(\S+)(?: and (?:in |at |the )*@(\S+))?", "{}"),
)
_SESSIONS: tuple[tuple[str, str], ...] = (
    (r"(?:in |from |the |my )*(?:previous session|session before(?: this)?)", "previous"),
    (r"(?:(?:in|from|of|for|over|all) )*(?:the |my |this |last |latest )+session|today", ""),
)


class ReadQuestion(msgspec.Struct, frozen=True):
    """What was read: a certain `query`, else `choices` where some word is not (`unused`)."""

    query: Query | None = None
    choices: tuple[Query, ...] = ()
    unused: tuple[str, ...] = ()
    # Laps, corners and the session that were named, whatever else was read.
    scope: Scope = Scope()
    # Nothing but a lap was named: "my best lap" is a question, "and on my best lap" replaces a lap.
    bare: bool = False
    # Whether a figure is asked for: if it is not certain, no other answer will do.
    figure: bool = False


class _Row(NamedTuple):
    measure: str
    needs: tuple[frozenset[str], ...]
    may: frozenset[str]


@cache
def _rows() -> tuple[_Row, ...]:
    found = []
    for measure, text in tables("ask")["reads"].items():
        needs, _, may = text.partition("/")
        patterns = tuple(frozenset(each.split()) for each in needs.split(","))
        found.append(_Row(measure, patterns, frozenset(may.split())))
    return tuple(found)


@cache
def _symbols() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return words -> their symbols, the longest first; of idle words none."""
    found = {
        tuple(phrase.split()): tuple(symbols.split())
        for symbols, words in tables("ask")["words"].items()
        for phrase in map(str.strip, words.split(","))
    }
    found |= {tuple(each.split()): () for each in _listed("idle")}
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))


def _listed(row: str) -> list[str]:
    return [each.strip() for each in tables("ask")["lists"][row].split(",")]


@cache
def _known() -> tuple[str, ...]:
    singles = {word for phrase in _symbols() for word in phrase}
    named = {"best", "fastest", "sector", "session", "previous", "straight", "flying", "stint"}
    return tuple(sorted(singles | named))


def read(question: str, names: CornerNames) -> ReadQuestion:
    """Read a question about a track with these corner names."""
    scope, units, left = _scope(question, names)
    symbols, unused = _match_symbols(left)
    if units is None:
        unused.append("units")
    reading = _reading(scope, symbols, unused)
    words = " ".join(words_of(question))
    other = re.search(rf"\b(?:{'|'.join(_listed('no figure'))})\b", words)
    compared = (_VERSUS | _PLACED) & {symbol for symbol, _ in symbols}
    asks = _AMOUNT.search(words) or (len(reading.unused) < 2 and not compared)
    figure = bool(reading.choices and asks and not other)
    if not units:
        return replace(reading, figure=figure)
    query = replace(reading.query, units=units) if reading.query else None
    choices = tuple(replace(each, units=units) for each in reading.choices)
    return replace(reading, query=query, choices=choices, figure=figure)


def read_after(question: str, turns: Sequence[Turn], names: CornerNames) -> ReadQuestion:
    """Read a question after others: one that names only laps, a corner or a session replaces that
    part of the last Query; a number alone picks one of the choices that were offered last. Nothing
    else is inherited."""
    last, before = None, ReadQuestion()
    for turn in turns:
        if turn.role == "driver":
            before = _after(turn.text, read(turn.text, names), last)
            last = before.query or last
    picked = _PICKED.fullmatch(question)
    offered = before.choices or (of_scope(before.scope) if before.scope != Scope() else ())
    if picked and before.query is None and int(picked[1]) <= len(offered):
        query = offered[int(picked[1]) - 1]
        return ReadQuestion(query, scope=query.scope)
    return _after(question, read(question, names), last)


def _after(question: str, reading: ReadQuestion, last: Query | None) -> ReadQuestion:
    named = reading.scope
    follows = reading.bare and re.match(r"(?:and|what about|how about|in|on)\b", question.lower())
    if (
        (reading.query and not follows)
        or reading.unused
        or reading.choices
        or last is None
        or named == Scope()
        or len(named.laps) > 1
    ):
        return reading
    scope = Scope(
        laps=named.laps or last.scope.laps,
        places=named.places or last.scope.places,
        session=named.session or last.scope.session,
    )
    group = "" if named.laps and last.group == "lap" else last.group
    return ReadQuestion(replace(last, scope=scope, group=group), scope=scope)


def _scope(question: str, names: CornerNames) -> tuple[Scope, str | None, list[str]]:
    """Return the named laps, places and session, the units (None: two), and the words that are left."""
    words = words_of(question)
    plain, at = list[str](), 0
    for mention in names.mentions(words):
        plain += [*words[at : mention.first], *(f"@{each}" for each in mention.corners[:1])]
        at = mention.end
    words = [_spelled(each) for each in (*plain, *words[at:])]
    text = " ".join(
        NUMBER_OF[each]
        if each in NUMBER_OF and (each != "one" or words[n - 1] in ("lap", "sector", "stint"))
        else each
        for n, each in enumerate(words)
    )
    text = names.without_track(_OPENING.sub("", text))
    text = re.sub(r"\b(\d+)(?:st|nd|rd|th)\b", r"#\1", text)
    text = re.sub(rf"\b(?:{'|'.join(_ORDINALS)})\b", lambda found: f"#{_ORDINALS[found[0]]}", text)
    units = {
        kind for kind in ("metric", "imperial") if re.search(rf"\b(?:{'|'.join(_listed(kind))})\b", text)
    }
    limits = [_limit(each) for each in _LIMIT.finditer(text)]
    session, text = _extract(_SESSIONS, _LIMIT.sub(" ", text))
    places, text = _extract(_PLACES, text)
    laps, text = _extract(_LAPS, text)
    if not (laps or places) and (
        whole := re.search(rf"\bmy ({_BEST}|{_WORST})\s*$", text)
    ):  # "what was my best"
        laps, text = ["best" if re.match(_BEST, whole[1]) else "worst"], text[: whole.start()]
    sets = [each for each in (*laps, *limits) if ":" in each and not each.startswith(("best", "worst"))]
    if sets:  # "the fastest of laps 3 to 6"
        text += "".join(f" {each} lap" if each in ("best", "worst") else "" for each in laps)
        laps = [each for each in (*laps, *limits) if each not in ("best", "worst")]
    # The list of laps calls the out lap 0; a number that no lap has is an unknown word.
    laps = ["out" if each == "0" else each for each in laps]
    left = [each for each in laps if not _LAP_MARK.fullmatch(each) or (len(laps) > 1 and each in sets)]
    text += "".join(f" {each}" for each in left) + (" laps" if limits and "how many" in text else "")
    laps = [each for each in laps if each not in left]
    scope = Scope(laps=tuple(laps), places=tuple(places), session="".join(session[:1]))
    words = text.replace("#", "number ").replace("@", "").split()
    return scope, None if len(units) > 1 else "".join(units), words


def _limit(found: re.Match[str]) -> str:
    """Return the mark of the laps whose times, s, lie between two: "times:0-118"."""
    time_s = 60.0 * int(found["m"]) + float(found["s"])
    end_s = time_s + (0.1 if "." in found["s"] else 1.0)
    if found["under"]:
        return f"times:0-{time_s:g}"
    return f"times:{time_s:g}-{9999 if found['over'] else end_s:g}"


def _spelled(word: str) -> str:
    """Return the word, or the known one of which it is a slip."""
    known = _known()
    if word in known or word in NUMBER_OF or word in _ORDINALS:
        return word
    near = mended(word, known)
    # "Later" is another word than "late".
    return word if not near or word.startswith(near) or near.startswith(word) else near


def _extract(table: Sequence[tuple[str, str]], text: str) -> tuple[list[str], str]:
    """Return a table's marks in the order of the text, and the text without them."""
    found: list[tuple[int, str]] = []
    for pattern, mark in table:
        for hit in re.finditer(rf"(?<!\S)(?:{pattern})(?!\S)", text):
            numbers = [each for each in hit.groups() if each]
            marks = [mark.format(*numbers)] if mark.count("{}") != 1 else [mark.format(n) for n in numbers]
            found += [(hit.start(), each) for each in marks]
            text = text[: hit.start()] + "\0" * len(hit[0]) + text[hit.end() :]
    return [mark for _, mark in sorted(found, key=lambda each: each[0])], re.sub("\0+", " ", text)


def _match_symbols(words: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return (symbol, word) of the words, and the unknown words."""
    symbols, unused, at = list[tuple[str, str]](), list[str](), 0
    while at < len(words):
        phrase = next((each for each in _symbols() if tuple(words[at : at + len(each)]) == each), None)
        if phrase is None:
            unused.append(words[at])
        else:
            symbols += [(each, " ".join(phrase)) for each in _symbols()[phrase]]
        at += len(phrase or ("",))
    return symbols, unused


def _reading(scope: Scope, symbols: Sequence[tuple[str, str]], unused: list[str]) -> ReadQuestion:
    known = {symbol for symbol, _ in symbols}
    if known & _VERSUS and len(scope.laps) == 1 and scope.laps[0].startswith("span:"):
        scope = replace(scope, laps=tuple(scope.laps[0][len("span:") :].split("-")))
    fits = _by_fit(scope, known)
    best = [fit for fit in fits if fit[:2] == fits[0][:2]]
    queries = [query for fit in best if fit.misfit == 0 and (query := _query(scope, fit, known))]
    if len(queries) == 1 and not unused:
        return ReadQuestion(queries[0], scope=scope)
    listed = any(each.startswith(("top", "times")) for each in scope.laps)
    ended = any(each.startswith(("best", "worst")) for each in scope.laps)
    if not (known - {"LAP"} or unused) and (ended or (listed and (known or scope.laps[0][:3] == "top"))):
        group = "lap" if listed else ""
        return ReadQuestion(convert_query("time", scope, group=group), scope=scope, bare=True)
    if not (known or unused) and any(each.startswith("sector:") for each in scope.places):
        return ReadQuestion(convert_query("time", scope), scope=scope, bare=True)
    asked = {each.measure for each in queries}
    # Measures whose words are all there, before those that miss one.
    whole = [fit for fit in fits if fit.misfit < _MISSED] or fits
    near = [fit.row.measure for fit in whole if fit.row.measure not in asked]
    choices = [*queries, *(query for measure in near for query in _near(measure, scope))]
    if known & {"FAST", "BEST", "WORST"} and "TIME" not in known and not (scope.laps or scope.places):
        best_or_worst = replace(scope, laps=("worst" if "WORST" in known else "best",))
        pace = [convert_query("time", best_or_worst), convert_query("speed", scope, "max")]
        choices = [*pace, *choices] if not choices or choices[0].measure == "time" else choices
    explained = best[0].row.may.union(*best[0].row.needs) | _AGGREGATES | _SOFT if best else known - _VERSUS
    strange = [word for symbol, word in symbols if symbol not in explained]
    return ReadQuestion(
        choices=tuple(dict.fromkeys(choices))[:MOST_CHOICES],
        unused=tuple(dict.fromkeys((*unused, *strange))),
        scope=scope,
    )


def of_scope(scope: Scope) -> tuple[Query, ...]:
    """Return the possible queries of laps or a place alone."""
    names = ("speed", "brake_m", "time") if _named(scope) & {"CORNER"} else ("time", "speed")
    return tuple(query for name in names for query in _near(name, scope))[:MOST_CHOICES]


def _near(measure: str, scope: Scope) -> list[Query]:
    """Return queries of a measure; of the time of no lap those that are of one."""
    if measure != "time" or scope.laps or scope.places:
        return [Query(measure=measure, scope=scope)]
    best = replace(scope, laps=("best",))
    return [
        Query(measure="time", scope=best),
        Query(measure="time", scope=scope, which="mean"),
        Query(measure="time", scope=scope, group="lap"),
    ]


class _Fit(NamedTuple):
    """How a measure fits: symbols missed and left over, less the symbols that it needs; its row."""

    misfit: int
    size: tuple[int, int, int]
    row: _Row
    need: frozenset[str]


def _named(scope: Scope) -> set[str]:
    """Return the symbols of what is named: a corner, a sector, a straight, a lap."""
    places = " ".join(scope.places)
    kinds = {"sector:": "SECTOR", "straight:": "STRAIGHT", "after:": "STRAIGHT"}
    found = {symbol for kind, symbol in kinds.items() if kind in places}
    if places and not found:
        found.add("CORNER")
    return found | ({"ONELAP"} if scope.laps else set())


def _by_fit(scope: Scope, known: set[str]) -> list[_Fit]:
    """Return each measure that shares a specific symbol with the question, the best fit first."""
    named, found = _named(scope), []
    for row in _rows():
        fits = [
            _Fit(
                _MISSED * len(need - known - named) + len(known - need - row.may - _AGGREGATES - _SOFT),
                (-len(need & known), len(known - need - row.may), -len(need)),
                row,
                need,
            )
            for need in row.needs
            if (need - _WEAK or need) & known
        ]
        if fits:
            found.append(min(fits, key=lambda fit: fit[:2]))
    return sorted(found, key=lambda fit: fit[:2])


def _query(scope: Scope, fit: _Fit, known: set[str]) -> Query | None:
    """Return the query of a measure and one aggregate at most; None where more is asked."""
    measure, laps = fit.row.measure, scope.laps
    left = known & _AGGREGATES
    if measure in TOPICS:
        whole = measure == "lap_count" or not (laps or scope.places)
        return Query(measure=measure, scope=scope) if left <= fit.need | fit.row.may and whole else None
    groups = [group for group, symbol in (("corner", "CORNERS"), ("sector", "SECTORS")) if symbol in left]
    group = (*groups, *(("lap",) if "EACH" in left else ()), "")[0]
    # Where braking begins is a measure itself; so is the slowest speed.
    placed = left & _PLACED - ({"WHERE"} if MEASURES[measure].unit == "m" else set())
    placed -= {"TURN"} if scope.places else set()
    ends = left & _ENDS - (fit.need if measure == "min_speed" and not placed else set())
    if "COUNT" in left - fit.need - fit.row.may or len(ends) > 1 or len(groups) > 1:
        return None
    which: Which = next((_WHICH[each] for each in ends if each in _WHICH), "")
    if ends & {"BEST", "WORST"}:
        which = "min" if MEASURES[measure].high != ("BEST" in ends) else "max"
    if placed:
        return None if scope.places or group or left & _VERSUS else _located(measure, scope, which)
    if left & _VERSUS:
        return _versus(measure, scope, which, group)
    if which == "sum" and (measure in OF_MOMENTS or MEASURES[measure].parts == ("corner",)):
        return None
    if measure == "time" and not (laps or scope.places or group):
        if which in ("min", "max"):
            return Query(measure="time", scope=replace(scope, laps=("best" if which == "min" else "worst",)))
        if not which:
            return None  # of which lap?
    if group == "lap" and (which == "spread" or (measure == "time" and which in ("mean", "median", "sum"))):
        group = ""
    if measure == "time" and group and which not in ("", "spread"):
        return None
    return convert_query(measure, scope, which, group)


def _located(measure: str, scope: Scope, which: Which) -> Query | None:
    """Return the query of the places where a measure is highest or lowest, or of each."""
    if measure in ("time", "usual", "ideal") or which not in ("", "min", "max"):
        return None
    if measure == "speed" and which != "min":
        return replace(convert_query(measure, scope, "max", "straight"), order="max")
    # The usual one of each, since a single lap may be a mistake.
    return replace(convert_query(measure, scope, "", "corner"), order=which)


def _versus(measure: str, scope: Scope, which: Which, group: str) -> Query | None:
    """Return the query of two laps against each other, or of one against the average."""
    singles = [each for each in scope.laps if ONE_LAP.fullmatch(each)]
    pairs = [each for each in scope.laps if _TWO_LAPS.fullmatch(each)]
    if which == "mean" and len(scope.laps) == len(singles) == 1:
        return replace(convert_query(measure, scope), against="mean")
    two = len(scope.laps) == len(singles) + len(pairs) and len(singles) + 2 * len(pairs) == 2
    if not two or which or group == "lap" or (pairs and group):
        return None
    if group:
        own, against = replace(scope, laps=scope.laps[:1]), scope.laps[1]
        return replace(convert_query(measure, own, "", group), against=against)
    return convert_query(measure, scope)


def convert_query(measure: str, scope: Scope, which: str = "", group: str = "") -> Query:
    """Return a query of these parts."""
    return msgspec.convert(
        {"measure": measure, "scope": msgspec.to_builtins(scope), "which": which, "group": group}, Query
    )
