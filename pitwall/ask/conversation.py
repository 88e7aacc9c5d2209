"""Reads a question after those before it: a whole one forgets them, a follow-up is a merge of queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from pitwall.ask.asks import NEEDS_CORNER
from pitwall.ask.corner_names import CornerNames
from pitwall.ask.evaluate import HOLDS, PEAKED, evaluate, within_lap
from pitwall.ask.measures import MEASURES, OF_MOMENTS
from pitwall.ask.reader import QuestionReading, direction, limit_of, read
from pitwall.ask.scope import BESIDE, Subject
from pitwall.ask.tell import ONE_LAP
from pitwall.contract.messages import Turn
from pitwall.contract.query import Query, Scope
from pitwall.words.forms import Code

_SPEEDS = {"entry": "entry_speed", "apex": "min_speed", "exit": "exit_speed"}
_ASKS = frozenset(["WHAT", "HOW", "WHERE", "WHICH", "WHEN", "WHO", "BE", "HOWMANY", "HOWMUCH", "WHY"])
# "How fast?" looks at what was asked before.
_LOOK_AT = frozenset(["AND", "HOW", "WHICH", "WHAT", "FAST", "SLOW", "MOST", "BE", "I", "IN"])
_HOW_LONG = frozenset(["AND", "HOW", "LONG", "TAKE", "BE", "IN", "I"])
_TIMED = frozenset(["time", "lost"])
# "Over all laps": of one lap none of these is.
_OVER_LAPS = frozenset(["mean", "median", "sum", "spread", "trend"])
# Where what is measured begins.
STARTS = {
    "brake_bar": "brake_m", "brake_time": "brake_m", "brake_far_m": "brake_m", "g_brake": "brake_m",
    "throttle": "throttle_m", "full_throttle": "throttle_m", "g_accel": "throttle_m", "coast": "lift_m",
}  # fmt: skip
# How long what is done lasts.
LASTING = {
    "throttle_m": "full_throttle", "throttle": "full_throttle", "brake_m": "brake_time",
    "brake_bar": "brake_time",
}  # fmt: skip
_BESIDE = re.compile(
    r"(?:(?:AND|WHAT|HOW|BE|LAP|FAST|SLOW|COMP|BETTER|THAN) )*(?:BEFORE|AFTER|NEXT)(?: LAP| THAT)*"
)
# A measure that is named in so few words, and nothing else (no lap, place, look or number), is asked for at
# the place before. Everything else that names its measure is a whole question, and forgets.
MOST_FRAGMENT = 4


def read_after(
    question: str, turns: Sequence[Turn], names: CornerNames, own: Code = "en", subject: Subject | None = None
) -> QuestionReading:
    """The question as it is meant after what the driver asked before; without `subject` what only its figures
    tell ("there") stays open."""
    asked = list[Query]()
    for turn in turns:
        for part in asks_in(turn.text) if turn.role == "driver" else ():
            found = merged(read(part, names, own), asked, subject).query
            asked += [found] if found is not None else []
    return merged(read(question, names, own), asked, subject)


# "On which lap", "which lap was that", "on my best lap".
_OF_LAP = re.compile(r"(?:(?:AND|IN|BE|THERE|THATLAP) )*WHICH LAP(?: (?:BE|IN|THERE|THATLAP|I))*|IN .*")
# "And the third?"; "and of 5?"
_RANKED = re.compile(
    r"(?:(?:AND|WHAT|WHICH|IN|BE|I) )*O(\d+)"
    r"( (?:FAST|SLOW|HARD|LATE|EARLY|LONG|HOT))?(?: (?:MOST|LEAST|BEST|WORST|LAP|CORNER|BE))*"
)
_DIFFERENCE = frozenset(
    ["WHAT", "BE", "COMPARE", "HOWMUCH", "AND", "BETWEEN", "IN", "HOW", "THAN", "OFF", "I", "LAP", "TO",
     "EACH"]
)  # fmt: skip
_APART = frozenset(["COMPARE", "HOWMUCH", "OFF"])
# "Faster than lap 4?", "is that a lot?": whatever was asked before, beside that.
_COMPARED = frozenset(
    ["AND", "BE", "FAST", "SLOW", "COMP", "MORE", "LESS", "BETTER", "LATE", "EARLY", "HARD", "LONG", "THAN",
     "LAP", "USUAL", "MEAN", "BEST", "WORST", "LAST", "FIRST", "MOST", "IN", "I"]
)  # fmt: skip
_RANKS = frozenset(
    ["WHICH", "WHAT", "LAP", "CORNER", "BE", "BEST", "WORST", "MOST", "LEAST", "IN", "I", "AND"]
)
_NUMBERS = re.compile(r"(?:(?:AND|OR|IN|WHAT|HOW) )*(?:N\d+|C\d+L)")
_SPLIT = re.compile(
    r"[?.;!]+\s+(?=\w)|,?\s+(?:and|und)\s+(?=(?:(?:in|on|at|by)\s+)?(?:what|whats|how|which|where|when|who|why|did|was|is|"
    r"were|am|are|do|wie|was|wo|welche\w*|wann|warum|wer|war|bin|ist|habe)\b)",
    re.IGNORECASE,
)


def asks_in(question: str) -> list[str]:
    """The questions of a text, each to be read after the one before."""
    return [part for part in _SPLIT.split(question) if part.strip()] or [question]


def merged(new: QuestionReading, queries: Sequence[Query], subject: Subject | None = None) -> QuestionReading:
    """A reading with what it leaves out taken from the last of the queries before."""
    if subject is not None:
        new = _with_session(new, subject)
    if not queries or new.untold or (new.query is None and new.strange):
        return new
    if (bare := _bare(new, queries, subject)) is not None:
        return replace(new, query=bare, choices=(), unused=())
    before, symbols = queries[-1], new.words
    query, fragment = new.query or Query(measure=""), _is_fragment(new)
    # "Why was it slower than lap 5?" is about the lap before.
    compared = query.against and not {"laps", "places"} & {*new.stated} and len(before.scope.laps) == 1
    # What needs a corner and names none is not whole.
    lacks = query.measure in NEEDS_CORNER and not (query.scope.places or query.group) and before.scope.places
    if (new.whole or new.limit) and not (
        new.follows or new.there or new.that_lap or fragment or compared or lacks
    ):
        return new
    if not new.whole and new.end and {*symbols} <= _RANKS:  # "which lap was worst?" of what was asked before
        query = replace(query, measure="", order=direction(before.measure, new.end) if query.order else "")
    if new.whole and not new.there and not new.that_lap and query.measure not in MEASURES:
        return new
    asks = _ASKS & {*symbols} and not (new.follows or new.there or new.whole)
    beside = "against" in new.stated and before.scope.laps and not query.scope.laps
    look = {*symbols} <= _LOOK_AT
    if asks and query.measure and not (beside or look) and not _OF_LAP.fullmatch(new.symbols.strip(" |")):
        return new
    if look and query.measure == "speed" and "HOW" in symbols and before.measure not in _TIMED:
        corner = before.scope.places and not re.search("[:>]", before.scope.places[0])
        query = replace(query, measure="min_speed" if corner else "speed")
        return replace(new, query=replace(query, scope=before.scope), choices=())
    if query.measure == "time" and not new.whole:
        query = replace(query, measure="")
    if query.measure == "losses" and before.scope.places:  # "and the time lost there?"
        query = replace(query, measure="lost")
    elif query.measure == "losses" and new.that_lap:  # "where did I lose it?"
        query = replace(query, measure="lost", group="corner", order="max", which="mean")
    scope = _scope(new, query, before, subject)
    result = replace(before, scope=scope, show=query.show if "show" in new.stated else "")
    if new.whole:
        kept = before.which if _same_kind(before.measure, query.measure) else ""
        kept_order = (
            before.order
            if before.group and not query.group and _same_kind(before.measure, query.measure)
            else ""
        )
        result = replace(
            query, scope=scope, which=query.which or kept,
            group=query.group or (before.group if kept_order or _keeps_laps(query, before) else ""),
            order=query.order or kept_order,
        )  # fmt: skip
    if fragment and before.measure in HOLDS:  # "how long on the brakes | and on the gas?"
        result = replace(result, measure=LASTING.get(result.measure, result.measure))
    result = _looks(new, query, result, before)
    return replace(new, query=result, choices=() if not new.strange else new.choices, unused=())


def _is_fragment(new: QuestionReading) -> bool:
    """Return whether a measure is named in few words, and nothing beside it."""
    symbols, asked = new.words, new.query or Query(measure="")
    told = asked.which or asked.group or asked.limit or asked.against or {"laps", "places"} & {*new.stated}
    return not told and len(symbols) <= MOST_FRAGMENT and not _ASKS & {*symbols}


def _bare(new: QuestionReading, queries: Sequence[Query], subject: Subject | None) -> Query | None:
    """The query before with the one thing that a question names, where it is no more than that: a difference,
    a rank, how long, a comparison, a limit of "it", when it was, the lap beside it. None for any other."""
    before, text = queries[-1], new.symbols.strip(" |")
    symbols, asked = {*new.words}, new.query or Query(measure="")
    if symbols <= _DIFFERENCE and symbols & _APART and (pair := _both(queries[-2:])) is not None:
        return pair
    if rank := _RANKED.fullmatch(text):
        if before.measure == "losses":  # the report's own order
            place = Scope(places=(f"corner:worst-{rank[1]}",), session=before.scope.session)
            return Query(measure="lost", scope=place)
        if before.group and before.order:
            end = direction(before.measure, f"{rank[2].strip()} MOST") if rank[2] else before.order
            return replace(before, rank=int(rank[1]), most=0, order=end)
    if "LONG" in symbols and symbols <= _HOW_LONG:
        if before.measure not in MEASURES:
            return Query(measure="stops" if before.measure == "stops" else "duration")
        if (lasting := LASTING.get(before.measure, before.measure)) in HOLDS:
            return replace(before, measure=lasting, show="", limit=None)
    if asked.measure == "dated" and _is_fragment(new):
        return replace(before, show="when")
    if before.measure not in MEASURES:
        return None
    numberless = {each for each in symbols if not re.fullmatch(r"N\d+", each)}
    if asked.against and numberless <= _COMPARED and not before.group:
        return replace(before, against=asked.against, which="", show="", limit=None)
    if "I" not in symbols and (limit := limit_of(new.limit, before.measure)) is not None:
        laps = asked.scope.laps or (() if "EVER" in symbols else before.scope.laps)
        scope = replace(before.scope, laps=laps)
        return replace(before, scope=scope, limit=limit, which="exists", group="", order="", show="")
    if subject is not None and _BESIDE.fullmatch(text):
        lap = evaluate(subject, before).lap
        if lap is not None:
            other = str(lap + (-1 if "BEFORE" in symbols else 1))
            if "THAN" in symbols:  # "quicker than the one before?"
                return replace(before, against=other)
            beside = replace(before.scope, laps=(other,))
            return Query(measure=before.measure, scope=beside, unit=before.unit)
    return None


def _both(queries: Sequence[Query]) -> Query | None:
    """The last two queries as one that compares them, where only their laps, or only their places, differ."""
    if len(queries) < 2:
        return None
    one, other = queries
    laps, places = one.scope.laps != other.scope.laps, one.scope.places != other.scope.places
    if one.measure != other.measure or one.measure not in MEASURES or laps == places:
        return None
    both = replace(
        other.scope,
        laps=(*one.scope.laps, *other.scope.laps) if laps else other.scope.laps,
        places=(*one.scope.places, *other.scope.places) if places else other.scope.places,
    )
    return Query(measure=other.measure, scope=both, unit=other.unit)


def _with_session(reading: QuestionReading, subject: Subject) -> QuestionReading:
    """Words that mean nothing else may call another session on this track: alone, or beside this one."""
    if not reading.strange or reading.query is None:
        return reading
    called, own = subject.called(), subject.own_names()
    rows = [row for word in reading.strange for row in called.get(word, []) if word not in own]
    if not rows:
        return reading
    left = tuple(word for word in reading.strange if word not in called and word not in own)
    beside = {"THAN", "COMPARE", "COMP", "OR", "AND"} & {*reading.symbols.split()}
    query = reading.query
    scope = replace(query.scope, session=f"{BESIDE if beside else ''}{rows[0].id}")
    # "The simulated run" is no stint.
    measure = "time" if query.measure in ("", "stints", "car", "driver") else query.measure
    return replace(
        reading, query=replace(query, scope=scope, measure=measure), strange=left,
        choices=reading.choices if left else (), stated=reading.stated | {"session"},
    )  # fmt: skip


def _scope(new: QuestionReading, query: Query, before: Query, subject: Subject | None) -> Scope:
    laps = query.scope.laps if "laps" in new.stated and query.scope.laps else before.scope.laps
    symbols, own = new.words, "laps" in new.stated and query.scope.laps
    if own and all(each.startswith("not:") for each in own):
        laps = (*before.scope.laps, *own)  # "and without lap 5"
    elif own and {"COMPARE", "THAN"} & {*symbols[:2]} and len(before.scope.laps) == 1:
        laps = (*before.scope.laps, *own)
    elif (
        not (own or new.that_lap)
        and (query.which in _OVER_LAPS or query.group == "lap")
        and _one_lap(before.scope)
    ):
        laps = ()
    elif not own and len(before.scope.laps) == 1 and (rank := _RANKED.fullmatch(new.symbols.strip(" |"))):
        name = before.scope.laps[0].partition(":")[0]
        laps = (f"{name}:{rank[1]}",) if name in ("best", "worst") else (rank[1],)
    if not new.stated & {"laps", "places"} and {"SESSION", "TRACKWHOLE"} & {*symbols}:
        return Scope(laps=() if "SESSION" in symbols else laps, session=before.scope.session)
    places = query.scope.places if "places" in new.stated and query.scope.places else before.scope.places
    lap_before = not before.scope.places and len(before.scope.laps) == 1 and before.scope.laps[0].isdigit()
    if lap_before and query.scope.places and _NUMBERS.fullmatch(new.symbols.strip(" |")):
        laps, places = (re.sub(r"\D", "", query.scope.places[0]),), ()  # "and of 5?"
    if query.scope.places and before.scope.places and "/" in before.scope.places[0]:
        point = before.scope.places[0].partition("/")[2]
        places = tuple(
            f"{each}/{point}" if ":" not in each and "/" not in each else each for each in query.scope.places
        )
    if query.group in ("corner", "sector", "straight"):
        places = query.scope.places
    if (new.there or new.that_lap) and subject is not None and before.measure in MEASURES:
        found = evaluate(subject, before)
        if new.there and found.corner and not query.scope.places:
            places = (found.corner,)
        if new.that_lap and found.lap is not None:
            laps, places = (str(found.lap),), places if new.there else query.scope.places
    session = query.scope.session or before.scope.session
    return Scope(laps=laps, places=places, session=session)


def _one_lap(scope: Scope) -> bool:
    return len(scope.laps) == 1 and ONE_LAP.fullmatch(scope.laps[0]) is not None


def _looks(new: QuestionReading, query: Query, result: Query, before: Query) -> Query:
    """The merge with what the follow-up says of values, ends, numbers and units."""
    symbols = new.words
    if query.unit:
        result = replace(result, unit=query.unit)
    if before.group and query.show == "why":
        result = replace(result, group=before.group, order=before.order)
    if new.there and result.group == "corner":
        result = replace(result, group="", order="")
    if not new.whole and new.point and before.scope.places and before.measure not in OF_MOMENTS - {"speed"}:
        result = replace(result, measure=_SPEEDS[new.point])
    elif not new.whole and new.point and result.scope.places and before.measure in OF_MOMENTS:
        at = tuple(
            each if re.search("[:>]", each) else f"{each.partition('/')[0]}/{new.point}"
            for each in result.scope.places
        )
        result = replace(result, scope=replace(result.scope, places=at))
    if query.limit is not None:
        result = replace(result, limit=query.limit)
    elif new.bare and "laps" not in new.stated and "places" not in new.stated:
        result = _numbered(new.bare, result, before)
    if query.group:
        ranks = result.which in ("min", "max") and query.group in ("lap", "corner", "sector")
        order = query.order or (
            result.which if ranks else before.order if query.group == before.group else ""
        )
        if query.group == "lap" and not query.order:
            order = "" if "EACH" in symbols else order or end_of(before) if "WHICH" in symbols else order
        result = replace(result, group=query.group, order=order, which="" if ranks else result.which)
    elif (("laps" in new.stated or new.that_lap) and result.group == "lap") or (
        "places" in new.stated and result.group in ("corner", "sector") and query.scope.places
    ):
        result = replace(result, group="", order="")
    if "BEGIN" in symbols and result.show in ("where", "when"):
        result = replace(result, measure=STARTS.get(before.measure, before.measure), show="")
    of_each = result.group in ("corner", "sector", "straight", "piece") and len(before.scope.laps) == 1
    if of_each and new.end in ("BEST", "WORST") and not new.stated & {"laps", "measure"}:
        # "Lap 4's sectors? | And the best ones?"
        way = direction(result.measure, new.end)
        return replace(result, scope=replace(result.scope, laps=()), which=way, order="")
    if query.which in ("min", "max") and result.group and not query.group and not new.whole:
        # The lowest of top speeds is one of them.
        peaks = result.which or (
            "max" if before.measure in OF_MOMENTS - PEAKED and within_lap(before) == "most" else ""
        )
        result = replace(result, order=query.which, which=peaks)
    elif query.which in _OVER_LAPS and before.which in ("min", "max") and before.measure in OF_MOMENTS:
        result = replace(result, which=query.which, order=before.which)  # the mean of the peaks
    elif query.which and query.which != before.which:
        keep = result.group if query.which in ("min", "max") or query.group else ""
        result = replace(result, which=query.which, group=keep, order=result.order if keep else "")
    beside = new.words[:1]
    if new.end in _LAPS and beside in (["COMPARE"], ["THAN"]) and len(before.scope.laps) == 1:
        laps = (*before.scope.laps, _LAPS[new.end])
        result = replace(result, scope=replace(result.scope, laps=laps))
    elif new.end and not new.whole:
        result = _other_end(new.end, result)
    if "laps" in new.stated and query.scope.laps and not query.which and result.which in ("min", "max"):
        result = result if result.measure not in ("time",) else replace(result, which="")
    if query.against:
        result = replace(result, against=query.against)
    elif before.against and "laps" in new.stated:
        result = replace(result, against="")
    return result


def _numbered(number: str, result: Query, before: Query) -> Query:
    """ "And 7?": another limit, lap, sector or corner."""
    scope = result.scope
    if before.limit is not None:
        if before.measure not in MEASURES or before.measure == "time":
            return result
        return replace(result, limit=limit_of((before.limit.op, float(number), ""), before.measure))
    if not number.isdigit():
        return result
    if scope.places and scope.places[0].startswith("sector:"):
        return replace(result, scope=replace(scope, places=(f"sector:{number}",)))
    if scope.places and re.fullmatch(r"turn_\w+(?:/\w+)?|\w+", scope.places[0]):
        point = scope.places[0].partition("/")[2]
        return replace(
            result, scope=replace(scope, places=(f"turn_{number}" + (f"/{point}" if point else ""),))
        )
    if scope.laps:
        return replace(result, scope=replace(scope, laps=(number,)))
    return result


_LAPS = {
    "BEST": "best", "FAST MOST": "best", "WORST": "worst", "SLOW MOST": "worst", "LAST": "last",
    "FIRST": "first",
}  # fmt: skip


def _other_end(end: str, result: Query) -> Query:
    """ "And the worst?": of laps by time another lap, else the other end of what was ranked."""
    marks, laps = _LAPS, result.scope.laps
    if end in marks and laps and laps[0].partition(":")[0] in marks.values() and not result.group:
        return replace(result, scope=replace(result.scope, laps=(marks[end],)))
    if end in ("LAST", "FIRST"):
        return replace(result, scope=replace(result.scope, laps=(marks[end],)))
    way = direction(result.measure, end)
    if result.group:
        return replace(result, order=way)
    return replace(result, which=way)


def _keeps_laps(query: Query, before: Query) -> bool:
    """Return whether another figure is told lap by lap too: "entry speed each lap | and the exit speed?"."""
    by_lap = before.group == "lap" and not before.order and not query.scope.laps and not query.which
    return by_lap and _same_kind(before.measure, query.measure)


def end_of(query: Query) -> Literal["", "min", "max"]:
    """The end of the laps' values that was told: "" of a topic."""
    if query.measure not in MEASURES:
        return ""
    if query.which in ("min", "max"):
        return query.which
    peaks: dict[str, Literal["min", "max"]] = {"most": "max", "least": "min"}
    lowest = query.measure == "min_speed" or not MEASURES[query.measure].high
    return query.order or peaks.get(within_lap(query)) or ("min" if lowest else "max")


def _same_kind(one: str, other: str) -> bool:
    """Return whether what is asked of one measure's values may be asked of another's."""
    rows = MEASURES.get(one), MEASURES.get(other)
    return None not in rows and rows[0].usual == rows[1].usual  # type: ignore[union-attr]
