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
# The topics, which are no measures, that have laps; aggregates by their symbol, of which BEST and WORST
# follow the measure.
_OF_LAPS = ("lap_count", "started", "compare")
_WHICH: dict[str, Which] = {
    "MAX": "max", "MIN": "min", "MEAN": "mean", "MEDIAN": "median", "SPREAD": "spread", "TOTAL": "sum",
    "TREND": "trend",
}  # fmt: skip
_ENDS = {"BEST", "WORST", *_WHICH}
# Where the highest or lowest value was; two laps against each other.
_PLACED, _VERSUS = {"WHERE", "TURN"}, {"CMP", "DIFF"}
_AGGREGATES = frozenset((*_ENDS, "EACH", "SECTORS", "CORNERS", "COUNT", "BYLAP", *_PLACED, *_VERSUS))
_POINTS = {"ENTRY", "APEX", "EXIT"}
# Used only where a measure needs them.
_SOFT = frozenset(("INTO", "OUTOF", "PACE"))
# Said of many measures: none is offered for one of these alone.
_WEAK = frozenset(
    ("BEFORE", "WHEN", "LONG", "EARLY", "LATE", "FAR", "POINT", "HARD", "LAP", "ONELAP", "CORNER", "SECTOR",
     "STRAIGHT", "TAKE", "TIME", *_AGGREGATES, *_SOFT)
)  # fmt: skip

_LAP_MARK = re.compile(LAP_PATTERN)
# In the middle of a sentence: a name, of which no signal tells if it is no corner's.
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_ALONE = re.compile(rf"{ONE_LAP.pattern}|in|out")
_PAIRS = {"top:2": ("best", "best:2"), "lasts:2": ("last:2", "last"), "firsts:2": ("first", "first:2")}
# A choice by its number.
_PICKED = re.compile(r"\s*(?:number |#)?([1-9])[.)]?\s*", re.IGNORECASE)


class ReadQuestion(msgspec.Struct, frozen=True):
    """What was read: a certain `query`, else `choices` where some word is not (`unused`)."""

    query: Query | None = None
    choices: tuple[Query, ...] = ()
    unused: tuple[str, ...] = ()
    # Laps, corners and the session that were named, whatever else was read.
    scope: Scope = Scope()
    # Nothing but a lap was named: "my best lap" is a question, "and on my best lap" replaces a lap.
    bare: bool = False
    # Whether a figure is asked for: if it is not certain, no other answer will do; or advice. Days
    # are compared by an agent.
    figure: bool = False
    advice: bool = False


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
def _any_of(row: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_listed(row))})\b", re.IGNORECASE)


@cache
def _patterns(table: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return (pattern, mark) of a table of words; `<best>` stands for a row of its `[parts]`."""
    parts, rows = tables("ask")["parts"], tables("ask")[table]
    start = {"rewrites": "", "places": "(?:(?:over|down|along) )?(?:(?:the|my) )*"}.get(
        table, "(?:(?:over|across|between) )?(?:(?:the|my) )*"
    )
    full = {mark: re.sub(r"<(\w+)>", lambda hit: f"(?:{parts[hit[1]]})", row) for mark, row in rows.items()}
    return tuple((re.compile(rf"(?<!\S){start}(?:{row})(?!\S)"), mark) for mark, row in full.items())


@cache
def _known() -> tuple[str, ...]:
    texts = [
        each for name in ("parts", "rewrites", "laps", "sessions") for each in tables("ask")[name].values()
    ]
    found = {word for text in texts for word in re.findall(r"[a-z]+", text)}
    found |= {"straight", *_listed("no figure")}
    return tuple(sorted(found | {word for phrase in _symbols() for word in phrase}))


def read(question: str, names: CornerNames) -> ReadQuestion:
    """Read a question about a track with these corner names."""
    scope, units, left = _scope(question, names)
    symbols, unused = _match_symbols(left)
    reading = _reading(scope, symbols, unused)
    text = " ".join(words_of(question))
    if _any_of("no figure").search(text):
        reading = replace(reading, advice=True)
    else:
        free = {each for each, _ in symbols} & _VERSUS and not (scope.laps or scope.places)
        figure = bool(reading.choices) and not free
        named = {*map(str.lower, _NAME.findall(question))} & {*unused}
        reading = replace(reading, figure=figure or bool(named))
    if not units:
        return reading
    query = replace(reading.query, units=units) if reading.query else None
    choices = tuple(replace(each, units=units) for each in reading.choices)
    return replace(reading, query=query, choices=choices)


def read_after(question: str, turns: Sequence[Turn], names: CornerNames) -> ReadQuestion:
    """Read a question after others: what it alone names replaces that part of the last."""
    last, before, corner = None, ReadQuestion(), ""
    for turn in turns:
        if turn.role == "driver":
            before = _after(turn.text, names, last, corner)
            # What was asked of a lap or a corner and is no figure ends the thread.
            last = before.query or (last if before.scope == Scope() else None)
            corner = next((each.partition("/")[0] for each in before.scope.places), corner)
    picked = _PICKED.fullmatch(question)
    offered = before.choices or (of_scope(before.scope) if before.scope != Scope() else ())
    if picked and before.query is None and int(picked[1]) <= len(offered):
        query = offered[int(picked[1]) - 1]
        return ReadQuestion(query, scope=query.scope)
    return _after(question, names, last, corner)


def _after(question: str, names: CornerNames, last: Query | None, corner: str) -> ReadQuestion:
    reading, place = read(question, names), names.called(corner)
    if place and not reading.scope.places:
        steps = ((0, "that corner"), (1, "corner after"), (-1, "corner before"))
        lap = reading.scope != Scope() or (last and last.scope.laps)  # "the one after" may be a lap
        for by, row in steps[: 1 if lap else 3]:
            question = _any_of(row).sub(f"in {names.called(corner, by)}", question)
        reading = read(question, names)
    named, text = reading.scope, " ".join(words_of(question))
    goes_on, laps = _any_of("goes on").match(text), last.scope.laps if last else ()
    asked = (*filter(None, (reading.query,)), *reading.choices)
    near = place and goes_on and goes_on[0] not in ("in", "on") and not (named.places or reading.unused)
    if near and asked and _of_corner(asked[0]):
        scope = replace(named, laps=named.laps or laps, places=(corner,))
        asked = tuple(replace(each, scope=scope) for each in asked)
        sure = reading.query or (len(asked) == 1 and (last is None or _of_corner(last)))
        return ReadQuestion(asked[0], scope=scope) if sure else replace(reading, choices=asked, scope=scope)
    # "Lap 4" replaces a lap, and is a question where none was named.
    alone = laps and not named.places and "".join(named.laps).isdigit()
    if (
        (reading.query and not (reading.bare and (goes_on or alone)))
        or reading.unused
        or reading.choices
        or last is None
        or named == Scope()
        or len(named.laps) > 1
        or _any_of("whole").search(text)
    ):
        return reading
    if last.measure == "losses":
        last = Query(measure="lost", group="corner", order="max")
    if last.measure not in MEASURES and (named.places or (named.laps and last.measure not in _OF_LAPS)):
        return reading
    was = last.scope
    scope = replace(
        was, laps=named.laps or laps, places=named.places or was.places, session=named.session or was.session
    )
    if (named.laps and last.group == "lap") or (named.places and last.group in ("corner", "straight")):
        last = replace(last, group="", order="")
    return ReadQuestion(replace(last, scope=scope), scope=scope)


def _of_corner(query: Query) -> bool:
    row = MEASURES.get(query.measure)
    return query.measure == "min_speed" or (row is not None and row.parts == ("corner",))


def _scope(question: str, names: CornerNames) -> tuple[Scope, str, list[str]]:
    """Return the named laps, places and session, the units, and the words that are left."""
    words = words_of(question)
    plain, at = list[str](), 0
    for mention in names.mentions(words):
        plain += [*words[at : mention.first], *(f"@{each}" for each in mention.corners[:1])]
        at = mention.end
    of_track = names.track_words.difference(_known())
    words = [_spelled(each) for each in (*plain, *words[at:]) if each not in of_track]
    text = " ".join(
        NUMBER_OF[each]
        if each in NUMBER_OF and (each != "one" or words[n - 1] in ("lap", "sector", "stint"))
        else each
        for n, each in enumerate(words)
    )
    for pattern, plain_words in _patterns("rewrites"):
        text = pattern.sub(plain_words, text).strip()
    text = re.sub(r"\b(\d+)(?:st|nd|rd|th)\b", r"#\1", text)
    units = {kind for kind in ("metric", "imperial") if _any_of(kind).search(text)}
    session, text = _extract("sessions", text)
    places, text = _extract("places", text)
    times, text = _extract("times", text)
    laps, text = _extract("laps", text)
    ends = [each for each in laps if each in ("best", "worst")]
    sets = [*map(_limit, times), *(each for each in laps if ":" in each and not ONE_LAP.fullmatch(each))]
    if sets:  # "the fastest of laps 3 to 6"
        text += "".join(f" {each} lap" for each in ends) + " laps" * ("how many" in text)
        laps = [*(each for each in laps if each not in (*ends, *sets)), *sets]
    if len(laps) == 2:
        text = re.sub(r"\b(?:and|from)\b", "", text)
    # The list of laps calls the out lap 0; a number that no lap has is an unknown word.
    laps = ["out" if each == "0" else each for each in laps]
    strange = [each for each in laps if not _LAP_MARK.fullmatch(each) or (len(laps) > 1 and each in sets)]
    if places and "lap" not in words:  # "the second best sector 2"
        strange += [each for each in laps if each.startswith(("best:", "worst:"))]
    scope = Scope(
        laps=tuple(each for each in laps if each not in strange),
        places=tuple(places),
        session="".join(session[:1]),
    )
    left = [*text.replace("#", "number ").replace("@", "").split(), *strange]
    return scope, "".join(sorted(units)[:1]), left


def _limit(mark: str) -> str:
    """Return the mark of the laps whose times lie between two: "times:0-118"."""
    kind, _, time = mark.partition(":")
    minutes, _, seconds = time.rpartition(":")
    time_s = 60.0 * int(minutes or 0) + float(seconds)
    low_s = 0.0 if kind == "under" else time_s
    high_s = {"under": time_s, "over": 9999.0}.get(kind, time_s + 10.0 ** -len(time.partition(".")[2]))
    return f"times:{low_s:g}-{high_s:g}"


def _spelled(word: str) -> str:
    known = _known()
    if word in known or word in NUMBER_OF:
        return word
    near = mended(word, known)
    # "Later" is another word than "late".
    return word if not near or word.startswith(near) or near.startswith(word) else near


def _extract(table: str, text: str) -> tuple[list[str], str]:
    """Return a table's marks in the order of the text, and the text without them."""
    found: list[tuple[int, str]] = []
    for pattern, key in _patterns(table):
        mark = key.replace(" ", ":")
        for hit in pattern.finditer(text):
            numbers = [each for each in hit.groups() if each]
            marks = [mark.format(*numbers)] if mark.count("{}") != 1 else [mark.format(n) for n in numbers]
            found += [(hit.start(), each) for each in marks if each != "this"]
            text = text[: hit.start()] + "\0" * len(hit[0]) + text[hit.end() :]
    return [mark for _, mark in sorted(found, key=lambda each: each[0])], re.sub("\0+", " ", text).strip()


def _match_symbols(words: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
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
    if not unused and (query := _bare(scope, known)):
        return ReadQuestion(query, scope=scope, bare=query.measure != "compare")
    asked = {each.measure for each in queries}
    # Measures whose words are all there, before those that miss one.
    whole = [fit for fit in fits if fit.misfit < _MISSED] or fits
    named = scope.laps or scope.places  # which a topic's question leaves out
    near = [fit.row.measure for fit in whole if fit.row.measure not in asked]
    near = [each for each in near if each in MEASURES] if named else near
    choices = [*queries, *(query for measure in near for query in _near(measure, scope))]
    if known & {"FAST", "BEST", "WORST"} and "TIME" not in known and not (scope.laps or scope.places):
        best_or_worst = replace(scope, laps=("worst" if "WORST" in known else "best",))
        pace = [convert_query("time", best_or_worst), convert_query("speed", scope, "max")]
        choices = [*pace, *choices] if not choices or choices[0].measure == "time" else choices
    explained = _WEAK if unused else frozenset(("LAP",))
    if best:
        explained = best[0].row.may.union(*best[0].row.needs) | _AGGREGATES | _SOFT
    strange = [word for symbol, word in symbols if symbol not in explained]
    return ReadQuestion(
        choices=tuple(dict.fromkeys(choices))[:MOST_CHOICES],
        unused=tuple(dict.fromkeys((*unused, *strange))),
        scope=scope,
    )


def _bare(scope: Scope, known: set[str]) -> Query | None:
    """Return what is asked by laps or a sector alone: times, a comparison, a count."""
    laps = " ".join(scope.laps)
    if known - {"LAP", "BYLAP"}:
        return None
    if laps.startswith("times"):
        return Query(measure="lap_count", scope=scope) if known else None
    if laps.startswith(("top", "bottom")):
        return convert_query("time", scope, group="lap")
    if len(scope.laps) == 2 and not (known or scope.places):
        return Query(measure="compare", scope=scope)
    alone = _ALONE.fullmatch(laps) and not scope.places
    if alone or re.search("best|worst", laps) or (not known and "sector:" in " ".join(scope.places)):
        return Query(measure="time", scope=scope)
    return None


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
    return found | ({"ONELAP"} if scope.laps else set()) | ({"BEFORE"} if scope.session else set())


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
            if (need - _WEAK) & known or (need <= _WEAK and need <= known | named)
        ]
        if fits:
            found.append(min(fits, key=lambda fit: fit[:2]))
    return sorted(found, key=lambda fit: fit[:2])


def _query(scope: Scope, fit: _Fit, known: set[str]) -> Query | None:
    measure, laps = fit.row.measure, scope.laps
    left = known & _AGGREGATES
    if measure not in MEASURES:
        whole = measure in ("lap_count", "started", "incidents") or not (laps or scope.places)
        whole = bool(laps) and not scope.places if measure == "compare" else whole
        return Query(measure=measure, scope=scope) if left <= fit.need | fit.row.may and whole else None
    groups = [group for group, symbol in (("corner", "CORNERS"), ("sector", "SECTORS")) if symbol in left]
    group = (*groups, *(("lap",) if "EACH" in left else ()), "")[0]
    # Where braking begins is a measure itself; so is the slowest speed.
    placed = left & _PLACED - ({"WHERE"} if MEASURES[measure].unit == "m" else set())
    placed -= {"TURN"} if scope.places else set()
    ends = left & _ENDS - (fit.need if measure == "min_speed" and not placed else set())
    if len(ends) > 1:  # "the slowest corner's lowest speed", "the most inconsistent corner"
        ends -= {"MIN"} if measure == "min_speed" else {"MAX"} if "SPREAD" in ends else set()
    if "COUNT" in left - fit.need - fit.row.may or len(ends) > 1 or len(groups) > 1:
        return None
    if "BYLAP" in left and not ends:
        return None
    if ends & {"SPREAD", "TREND"} and len(laps) == 1 and ONE_LAP.fullmatch(laps[0]):
        return None
    if placed and left & _VERSUS and measure in ("lost", "time"):
        if laps == ("best",):
            return Query(measure="losses")
        return _versus("time", scope, "", "")  # which tells the corners
    if measure == "lost" and left == {"WHERE"} and _named(scope) == {"CORNER"} and len(scope.places) == 1:
        return Query(measure="corner", scope=scope)
    if measure == "lost" and laps and (placed or group == "corner") and not scope.places:
        return convert_query(measure, scope, "", "corner", "max")
    which: Which = next((_WHICH[each] for each in ends if each in _WHICH), "")
    if ends & {"BEST", "WORST"}:
        which = "min" if MEASURES[measure].high != ("BEST" in ends) else "max"
    if placed:
        return None if scope.places or group or left & _VERSUS else _located(measure, scope, which)
    if left & _VERSUS:
        return _versus(measure, scope, which, group)
    if which == "sum" and (measure in OF_MOMENTS or MEASURES[measure].parts == ("corner",)):
        return None
    points = (known & _POINTS) - fit.need
    if points and measure in OF_MOMENTS:  # "the throttle at the apex of turn 7"
        if len(points) > 1 or [":" in each for each in scope.places] != [False]:
            return None
        scope = replace(scope, places=(f"{scope.places[0]}/{points.pop().lower()}",))
    if measure == "time" and group == "sector" and which in ("min", "max") and len(laps) == 1:
        # The lap's own times tell how long the sectors are.
        return convert_query("lost", scope, "", group, which)
    if measure == "time" and not (laps or scope.places or group):
        if which in ("min", "max"):
            return Query(measure="time", scope=replace(scope, laps=("best" if which == "min" else "worst",)))
        if not which:
            return None  # of which lap?
    if group == "lap" and (
        which in ("spread", "trend") or (measure == "time" and which in ("mean", "median", "sum"))
    ):
        group = ""
    if measure == "time" and group not in ("", "sector") and which not in ("", "spread"):
        return None
    return convert_query(measure, scope, which, group)


def _located(measure: str, scope: Scope, which: Which) -> Query | None:
    """Return the query of the places where a measure is highest or lowest, or of each."""
    if which == "spread" and MEASURES[measure].unit == "s":
        return convert_query(measure, scope, which, "corner", "max")
    if measure in ("time", "lost") or which not in ("", "min", "max"):
        return None
    if measure == "speed" and which != "min":
        return convert_query(measure, scope, "max", "straight", "max")
    # The usual one of each, since a single lap may be a mistake.
    return convert_query(measure, scope, "", "corner", which)


def _versus(measure: str, scope: Scope, which: Which, group: str) -> Query | None:
    """Return the query of two laps against each other, or of one against the average."""
    singles = [each for each in scope.laps if ONE_LAP.fullmatch(each)]
    pairs = [each for each in scope.laps if each in _PAIRS]
    if which == "mean" and len(scope.laps) == len(singles) == 1:
        return replace(convert_query(measure, scope), against="mean")
    if len(scope.places) == 2 and len(scope.laps) < 2 and not group:
        return convert_query(measure, scope, which)
    two = len(scope.laps) == len(singles) + len(pairs) and len(singles) + 2 * len(pairs) == 2
    peaks = measure in OF_MOMENTS and which in ("min", "max") and not group
    if not two or (which and not peaks) or group == "lap" or (pairs and group):
        return None
    scope = replace(scope, laps=(*singles, *(each for pair in pairs for each in _PAIRS[pair])))
    if group:
        own, against = replace(scope, laps=scope.laps[:1]), scope.laps[1]
        return replace(convert_query(measure, own, "", group), against=against)
    return convert_query(measure, scope, which)


def convert_query(measure: str, scope: Scope, which: str = "", group: str = "", order: str = "") -> Query:
    """Return a query of these parts."""
    parts = {"measure": measure, "which": which, "group": group, "order": order}
    return msgspec.convert({**parts, "scope": msgspec.to_builtins(scope)}, Query)
