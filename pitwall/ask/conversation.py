"""Reads a question after those before it: a whole one forgets them, a follow-up is a merge of queries.

A query is taken apart into parts (a lap, a place, a rank, a limit ...). A follow-up states some; the table
CLEARS says which inherited parts each of them takes the place of, and all others stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from pitwall.ask.corner_names import CornerNames
from pitwall.ask.evaluate import evaluate, within_lap
from pitwall.ask.measures import HOLDS, MEASURES, NEEDS_CORNER, OF_MOMENTS, PEAKED, SPEEDS
from pitwall.ask.reader import COMPARING, QuestionReading, direction, fits, limit_of, read
from pitwall.ask.scope import BESIDE, Subject, limited
from pitwall.ask.scope_words import KINDS
from pitwall.ask.tell import ONE_LAP
from pitwall.contract.messages import Turn
from pitwall.contract.query import Query, Scope

# A stated part -> the inherited parts that go, beside its own. "kind": a measure whose values are taken
# otherwise.
CLEARS = {
    "measure": "limit unit show against", "kind": "end made by_lap by_place",
    "lap": "laps by_lap made against", "laps": "lap against", "place": "by_place", "by_lap": "lap end show",
    "by_place": "place by_lap show", "end": "made share lap show",
    "made": "end share lap by_lap show", "share": "end made show",
    "against": "end limit show", "limit": "end made by_lap by_place show against", "where": "limit",
    "ever": "lap laps", "whole session": "lap laps place", "whole lap": "place",
}  # fmt: skip
_MADE = ("mean", "median", "sum", "spread", "trend")
_ASKS = frozenset(["WHAT", "HOW", "WHERE", "WHICH", "WHEN", "WHO", "BE", "HOWMANY", "HOWMUCH", "WHY"])
# "Which ones?", "and the difference?": what was told already.
_LOOKS_BACK = frozenset(
    ["AND", "WHICH", "WHAT", "BE", "I", "IN", "COMPARE", "HOWMUCH", "BETWEEN", "HOW", "SAME"]
)
# Where what is measured begins; how long it lasts; how much of it there is.
STARTS = {
    "brake_bar": "brake_m", "brake_time": "brake_m", "brake_far_m": "brake_m", "g_brake": "brake_m",
    "throttle": "throttle_m", "full_throttle": "throttle_m", "g_accel": "throttle_m", "coast": "lift_m",
}  # fmt: skip
LASTING = {
    "throttle_m": "full_throttle", "throttle": "full_throttle", "brake_m": "brake_time",
    "brake_bar": "brake_time",
}  # fmt: skip
HARDNESS = dict.fromkeys(
    ("brake_m", "brake_time", "brake_far_m", "brake_count", "brake_bar", "g_brake"), "brake_bar"
) | dict.fromkeys(("oil_temp_c", "oil_bar"), "oil_bar")
# A loss by the phases of a corner.
PHASES = ("brake_lost", "mid_lost", "exit_lost")
# A measure that is named in so few words and nothing beside it is asked for at the place before.
MOST_FRAGMENT = 4
_SPLIT = re.compile(
    r"[?.;!]+\s+(?=\w)|,?\s+(?:and|und)\s+(?=(?:(?:in|on|at|by)\s+)?(?:what|whats|how|which|where|when|who|why|"
    r"did|was|is|were|am|are|do|wie|was|wo|welche\w*|wann|warum|wer|war|bin|ist|habe)\b)",
    re.IGNORECASE,
)

Parts = dict[str, dict[str, Any]]


class FollowUp(NamedTuple):
    """All that a follow-up may look at: the two queries before it, the session, its own words."""

    before: Query
    earlier: Query | None
    subject: Subject | None
    words: frozenset[str]
    limit: tuple[str, float, str] | None = None
    numbers: tuple[str, ...] = ()


def read_after(
    question: str, turns: Sequence[Turn], names: CornerNames, subject: Subject | None = None
) -> QuestionReading:
    """The question as it is meant after what the driver asked before; without `subject` what only its figures
    tell ("there") stays open."""
    asked = list[Query]()
    for turn in turns:
        for part in asks_in(turn.text) if turn.role == "driver" else ():
            found = merged(read(part, names), asked, subject).query
            asked += [found] if found is not None else []
    return merged(read(question, names), asked, subject)


def asks_in(question: str) -> list[str]:
    """The questions of a text, each to be read after the one before."""
    # The point of an abbreviation ("Scheitelgeschw. Kurve 10") ends no sentence.
    question = re.sub(r"^(\s*\w+)\.(?=\s)", r"\1", question)
    return [part for part in _SPLIT.split(question) if part.strip()] or [question]


def merged(new: QuestionReading, queries: Sequence[Query], subject: Subject | None = None) -> QuestionReading:
    """A reading with what it leaves out taken from the last of the queries before."""
    if subject is not None:
        new = _with_session(new, subject)
    if not queries or new.untold or new.again is None or (new.strange and not (new.query and new.follows)):
        return new
    before = queries[-1]
    if (
        new.query is not None
        and new.query.measure == "dated"
        and len(new.words) == 2
        and before.measure in MEASURES
    ):  # "when was that?"
        return replace(new, query=_folded(before, {"show": {"show": "when"}}), choices=(), left=())
    if before.measure in ("lost", "losses") and {"ENTRY", "EXIT", "OR"} <= {*new.words}:  # "entry or exit?"
        phases = [replace(before, measure=each, group="", order="", which="", show="") for each in PHASES]
        return replace(new, query=phases[0], more=tuple(phases[1:]), choices=(), left=())
    if "session" in new.stated:
        return _elsewhere(new, before)
    if _forgets(new, before):
        return new
    earlier = queries[-2] if len(queries) > 1 else None
    asked = FollowUp(before, earlier, subject, frozenset(new.words), new.limit, new.numbers)
    left, own = (new.left, new.query) if new.whole and new.query else new.again(before.measure)
    assert own is not None
    stated = parts(own)
    if not new.whole:
        stated.pop("measure", None)
    rest = _in_context(stated, left, asked)
    nothing, left = len(rest) == len(left), rest
    looks_back = not nothing or {*new.words} <= _LOOKS_BACK
    unread = new.query is None or before.measure not in MEASURES
    if not stated and (unread if left else not looks_back):
        return new
    query = _folded(before, stated)
    if left or new.strange:
        other = new.query if new.query and new.query.measure and new.query != query else None
        choices = tuple(dict.fromkeys(filter(None, (query, other, *new.choices))))[:2]
        return replace(new, query=query, choices=choices, left=tuple(left))
    return replace(new, query=query, choices=(), left=())


def _forgets(new: QuestionReading, before: Query) -> bool:
    """Return whether a question says all that it asks for: its measure and where, or in a whole sentence."""
    query, words = new.query, {*new.words}
    if query is None:
        return False
    if not new.whole:
        if new.limit is not None and not new.follows:
            return bool(words & {"I", "HOWMANY"}) or limit_of(new.limit, before.measure) is None
        sides = len(query.scope.laps) + bool(query.against) > 1 and bool(words & {"BE", "COMPARE"})
        return sides and not new.follows
    if query.measure not in MEASURES:
        of_corner = query.measure == "direction" and before.scope.places
        advised = (new.follows or (before.measure == "advice" and "HOWMUCH" in words)) and query.measure in (
            "losses",
            "advice",
        )
        return not (new.there or new.that_lap or of_corner or advised)
    if new.follows:
        return False
    own = {"laps", "places", "group", "which", "order", "limit", "against"} & new.stated
    lacks = query.measure in NEEDS_CORNER and not (query.scope.places or query.group) and before.scope.places
    compared = query.against and not {"laps", "places"} & new.stated and len(before.scope.laps) == 1
    one_side = len(query.scope.places) == 1 and "THAN" in {each for each, _ in new.left}
    compared = compared or (one_side and len(before.scope.places) == 1)
    asks = words & _ASKS and len(new.words) > 2  # "what speed?"
    return bool(own or asks or len(new.words) > MOST_FRAGMENT) and not (lacks or compared)


def parts(query: Query) -> Parts:
    """A query taken apart: each part by its name with its fields."""
    found: Parts = {"measure": {"measure": query.measure}} if query.measure else {}
    if query.scope.laps:
        one = len(query.scope.laps) == 1 and ONE_LAP.fullmatch(query.scope.laps[0])
        found["lap" if one else "laps"] = {"laps": query.scope.laps}
    if query.scope.places:
        found["place"] = {"places": query.scope.places}
    ranked = {"order": query.order, "rank": query.rank, "most": query.most}
    if query.limit is not None:
        found["limit"] = {"limit": query.limit, "which": query.which, "group": query.group}
    elif query.group:
        found["by_lap" if query.group == "lap" else "by_place"] = {"group": query.group, **ranked}
    if query.which in ("min", "max"):
        found["end"] = {"which": query.which}
    elif query.which == "share":
        found["share"] = {"which": "share"}
    elif query.which in _MADE:
        found["made"] = {"which": query.which} | ({} if query.group else ranked)
    return found | {
        name: {name: value} for name in ("against", "unit", "show") if (value := getattr(query, name))
    }


def _folded(before: Query, stated: Parts) -> Query:
    """Return the query before with what is stated now in its place."""
    inherited = parts(before)
    measure = stated.get("measure", {}).get("measure", before.measure)
    names = {*stated} | ({"kind"} if not _same_kind(before.measure, measure) else set())
    gone = {name for each in names for name in CLEARS.get(each, "").split()}
    fields: dict[str, Any] = {}
    for each in (*(part for name, part in inherited.items() if name not in gone), *stated.values()):
        fields |= each
    if measure == "losses" and (fields.get("places") or fields.get("laps")):
        measure = "lost"
        if not fields.get("places"):
            fields |= {"which": "mean", "group": "corner", "order": "max"}
    fields["measure"] = measure
    scope = Scope(laps=fields.pop("laps", ()), places=fields.pop("places", ()), session=before.scope.session)
    return Query(**{**fields, "scope": scope})


# What a word means only after the question before: each states it, and returns whether it means anything
# there.


def _found(asked: FollowUp) -> tuple[str, int | None]:
    """(corner, lap) of the answer before, where the session is known."""
    if asked.subject is None or asked.before.measure not in MEASURES:
        return next((each for each in asked.before.scope.places if each.startswith("turn_")), ""), None
    found = evaluate(asked.subject, asked.before)
    return found.corner, found.lap


def _there(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    corner, _ = _found(asked)
    ranked = any(each.startswith("corner:") for each in asked.before.scope.places)
    if corner and "place" not in stated and (asked.before.group or ranked):
        stated["place"] = {"places": (corner,)}
    scope = asked.before.scope
    return bool(scope.places or scope.laps or asked.before.show == "where" or corner)


def _that_lap(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    _, lap = _found(asked)
    if lap is not None:
        stated["lap"] = {"laps": (str(lap),)}
        if "measure" in stated and "THERE" not in asked.words:
            stated["whole lap"] = {}
    return True


def _ranked(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    """ "And the third?": of the losses in the report's order, of ranked values the next, of laps another."""
    before, rank = asked.before, int(match[1])
    end = stated.pop("end", {}).get("which", "")
    if before.measure == "losses":
        stated |= {"measure": {"measure": "lost"}, "place": {"places": (f"corner:worst-{rank}",)}}
    elif before.order and before.group:
        name = "by_lap" if before.group == "lap" else "by_place"
        stated[name] = {"group": before.group, "order": end or before.order, "rank": rank, "most": 0}
    elif before.group == "sector":
        stated["place"] = {"places": (f"sector:{rank}",)}
    elif len(before.scope.laps) == 1 and not end:
        name = before.scope.laps[0].partition(":")[0]
        stated["lap"] = {"laps": (f"{name}:{rank}" if name in ("best", "worst") else str(rank),)}
    else:
        return False
    return True


def _beside(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    """The lap, or the corner, before or after that of the answer."""
    before, step = asked.before, -1 if match[1] == "BEFORE" else 1
    of_corners = "CORNER" in asked.words or not (before.scope.laps or before.group or before.which)
    if of_corners and asked.subject is not None and len(before.scope.places) == 1:
        corner, slash, point = before.scope.places[0].partition("/")
        order = asked.subject.names.order
        if corner in order:
            other = order[(order.index(corner) + step) % len(order)]
            stated["place"] = {"places": (f"{other}{slash}{point}",)}
            return True
    if match[1] == "NEXT" and before.order and before.group not in ("", "lap"):
        stated.pop("end", None)
        return _ranked(re.fullmatch(r"O(\d+)", f"O{(before.rank or 1) + 1}"), stated, asked)  # type: ignore[arg-type]
    _, lap = _found(asked)
    if lap is None:
        return False
    other = str(lap + step)
    if "THAN" in asked.words:  # "quicker than the one before?"
        stated["against"] = {"against": other}
    else:
        stated["lap"] = {"laps": (other,)}
    return True


def _edge_lap(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    if (
        match[1] == "FIRST" and asked.before.order and asked.before.group
    ):  # the first of those that are ranked
        return _ranked(re.fullmatch("O(1)", "O1"), stated, asked)  # type: ignore[arg-type]
    if asked.before.scope.places and asked.before.scope.places[0].startswith("sector:"):
        stated["place"] = {"places": ("sector:1" if match[1] == "FIRST" else "sector:-1",)}
    elif asked.before.scope.laps and asked.before.scope.laps[0].startswith("stint:"):
        stated["laps"] = {"laps": ("stint:1" if match[1] == "FIRST" else "stint:last",)}
    else:
        stated["lap"] = {"laps": (KINDS[match[1]],)}
    return True


def _other_measure(table: dict[str, str]) -> Callable[[re.Match[str], Parts, FollowUp], bool]:
    def applies(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
        before = stated.get("measure", {}).get("measure", asked.before.measure)
        if measure := table.get(before):
            stated["measure"] = {"measure": measure}
            stated.pop("show", None)
        return bool(measure)

    return applies


def _fast(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    """ "And how fast?": the speed where something else was asked for."""
    before = asked.before
    if before.measure not in MEASURES or before.measure in ("time", "lost"):
        return False
    corner = before.scope.places and not re.search("[:>]", before.scope.places[0])
    if before.measure not in ("speed", *SPEEDS.values()):
        stated["measure"] = {"measure": "min_speed" if corner else "speed"}
    return True


def _lasting(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    if asked.before.measure not in MEASURES:
        stated["measure"] = {"measure": "stops" if asked.before.measure == "stops" else "duration"}
        return True
    if asked.before.limit is not None:
        stated["limit"] = parts(asked.before)["limit"] | {"which": "sum"}
        return True
    return asked.before.measure in HOLDS or _other_measure(LASTING)(match, stated, asked)


def _point(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    before, point = asked.before, match[0].lower()
    if not before.scope.places and "place" not in stated:
        return False
    if before.measure in ("speed", *SPEEDS.values()) or before.measure not in OF_MOMENTS:
        stated["measure"] = {"measure": SPEEDS[point]}
    else:
        places = stated.get("place", {}).get("places", before.scope.places)
        stated["place"] = {"places": tuple(
            each if re.search("[:>]", each) else f"{each.partition('/')[0]}/{point}" for each in places
        )}  # fmt: skip
    return True


def _number(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    if {"lap", "laps", "place"} & {*stated} and _is_number(asked):
        return True
    found = _numbered(match[1], asked)
    stated |= found or {}
    return found is not None


def _is_number(asked: FollowUp) -> bool:
    """Return whether a follow-up is no more than a number, or some, or compares with one."""
    return all(
        re.fullmatch(r"AND|OR|IN|WHAT|HOW|BE|UNDER|OVER|N\d+|C\d+L", each) for each in asked.words - COMPARING
    )


def _numbered(number: str, asked: FollowUp) -> Parts | None:
    """ "And 7?": another limit, sector, corner or lap, whichever was asked for last."""
    before, scope = asked.before, asked.before.scope
    if before.limit is not None:
        if before.limit.op not in ("over", "under") or before.measure == "time":
            return None
        limit = limit_of((before.limit.op, float(number), before.unit), before.measure)
        return {"limit": parts(before)["limit"] | {"limit": limit}}
    place = scope.places[0] if scope.places else ""
    if not number.isdigit() or not (place or scope.laps):
        return None
    if place.startswith("sector:"):
        return {"place": {"places": (f"sector:{number}",)}}
    if place and not re.search("[:>]", place):
        _, slash, point = place.partition("/")
        return {"place": {"places": (f"turn_{number}{slash}{point}",)}}
    return {"lap": {"laps": (number,)}} if scope.laps else None


def _difference(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    """Between the last two queries, where only their laps, or only their places, differ."""
    one, other = asked.earlier, asked.before
    if len(other.scope.laps) + len(other.scope.places) > 2 or other.against or len(other.scope.laps) == 2:
        return True
    if one is None or one.measure != other.measure or other.measure not in MEASURES:
        return False
    laps, places = one.scope.laps != other.scope.laps, one.scope.places != other.scope.places
    if laps and not places:
        stated |= {"laps": {"laps": (*one.scope.laps, *other.scope.laps)}, "end": {"which": ""}}
    elif places and not laps:
        stated |= {"place": {"places": (*one.scope.places, *other.scope.places)}, "end": {"which": ""}}
    return laps != places


def _of_laps_timed(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    """ "Only the laps under 1:53" of another figure."""
    limit = limit_of(asked.limit, "time")
    if asked.subject is None or limit is None or limit.op not in ("over", "under") or limit.value < 20.0:
        return False
    of_time = Query(measure="time", limit=limit)
    laps = [lap for lap in asked.subject.figures.flying if limited(of_time, lap.time_s or 0.0)]
    stated["laps"] = {"laps": tuple(str(lap.number) for lap in laps)}
    return bool(laps)


def _often(match: re.Match[str], stated: Parts, asked: FollowUp) -> bool:
    if asked.before.limit is not None:
        stated["limit"] = parts(asked.before)["limit"] | {"which": "count"}
    return asked.before.limit is not None


CONTEXT: tuple[tuple[str, Callable[[re.Match[str], Parts, FollowUp], bool]], ...] = (
    ("THATLAP", _that_lap),
    ("THERE", _there),
    ("SAME", lambda match, stated, asked: True),
    (r"O(\d+)", _ranked),
    ("(BEFORE|AFTER|NEXT)(?: THATLAP)*", _beside),
    ("(FIRST|LAST)", _edge_lap),
    ("BEGIN", _other_measure(STARTS)),
    ("FAST|SLOW", _fast),
    ("HARD|PRESS(?: HOWMUCH)?|HOWMUCH PRESS", _other_measure(HARDNESS)),
    ("LONG(?: TAKE)?|TAKE LONG", _lasting),
    ("ENTRY|APEX|EXIT", _point),
    (r"N([\d.]+)", _number),
    ("OFTEN", _often),
    ("LIMIT", _of_laps_timed),
    ("BOTHLAPS|COMPARE(?: BETWEEN)?|BETWEEN|OFF", _difference),
)


def _in_context(stated: Parts, left: Sequence[tuple[str, str]], asked: FollowUp) -> list[tuple[str, str]]:
    """State what the words left over mean after the question before, and return those that mean nothing."""
    rest = list(left)
    _named_again(stated, asked)
    for pattern, state in CONTEXT:
        text = " ".join(symbol for symbol, _ in rest)
        match = re.search(rf"(?<!\S)(?:{pattern})(?!\S)", text)
        if match and state(match, stated, asked):
            first = text.count(" ", 0, match.start())
            del rest[first : first + len(match[0].split())]
    _ends(stated, asked)
    if (
        rest
        and rest[-1][0] == "U"
        and "measure" in stated
        and fits(rest[-1][1], stated["measure"]["measure"])
    ):
        stated["unit"] = {"unit": rest.pop()[1]}  # "how much bar?" of a brake point
    two = {"COMPARE", "THAN"} & asked.words or {"COMP", "OR"} <= asked.words
    if "lap" in stated and parts(asked.before).get("lap") and two:
        stated["laps"] = {"laps": (*asked.before.scope.laps, *stated.pop("lap")["laps"])}
        rest = [each for each in rest if each[0] not in COMPARING]
    elif "lap" in stated and rest and {symbol for symbol, _ in rest} <= COMPARING and "COMP" in asked.words:
        lap = asked.before.scope.laps[0] if "lap" in parts(asked.before) else str(_found(asked)[1] or "")
        if lap:  # "how much slower was the last one"
            stated["against"], rest = {"against": lap}, []
    if "BOTHLAPS" in asked.words and "laps" in stated:  # "which of those two was better"
        rest = [each for each in rest if each[0] not in COMPARING]
    if "place" in stated and len(asked.before.scope.places) == 1 and "THAN" in asked.words:
        stated["place"] = {"places": (*asked.before.scope.places, *stated["place"]["places"])}
        rest = [each for each in rest if each[0] not in COMPARING]
    if {"lap", "laps"} & {*stated} and "THERE" in asked.words and "laps" in parts(asked.before):
        mark = stated.get("lap", {}).get("laps", ("",))[0]
        if mark in ("best", "worst"):  # "best lap there": of those laps
            del stated["lap"]
            stated["end"] = {"which": direction(asked.before.measure, "BEST" if mark == "best" else "WORST")}
    ranked = asked.before.group == "lap" and asked.before.order
    if ranked and "show" in stated and not {"lap", "laps"} & {*stated}:  # "where was that?"
        _, ranked_lap = _found(asked)
        stated |= {"lap": {"laps": (str(ranked_lap),)}} if ranked_lap is not None else {}
    if asked.before.limit is not None and stated.get("show", {}).get("show") == "where":
        stated["end"] = {"which": "max" if asked.before.limit.op == "over" else "min"}
        stated["where"] = {}
    if (
        "limit" in stated
        and asked.before.limit is not None
        and not asked.words & {*_ASKS, "OFTEN", "LONG", "EVER"}
    ):
        stated["limit"] |= {
            each: getattr(asked.before, each) for each in ("which", "group")
        }  # "and over 170?"
    if "limit" in stated and ("EVER" in asked.words or stated["limit"]["group"] == "lap"):
        stated["ever"] = {}
    if {"SESSION", "TRACKWHOLE", "SUM"} & asked.words and not {"lap", "laps", "place", "made"} & {*stated}:
        stated["whole lap" if "TRACKWHOLE" in asked.words else "whole session"] = {}
    return rest


def _named_again(stated: Parts, asked: FollowUp) -> None:
    """A number alone is of what was asked last, a rank of what was ranked, "without lap 5" of the laps."""
    before, laps = asked.before, stated.get("lap", stated.get("laps", {})).get("laps", ())
    corner = before.scope.places and not re.search("[:>]", before.scope.places[0])
    if "place" in stated and _is_number(asked) and not corner and (before.scope.laps or before.scope.places):
        own = [each for number in asked.numbers if (each := _numbered(number, asked)) is not None]
        if own and len(own) == len(asked.numbers):
            del stated["place"]
            name = next(iter(own[0]))
            field = "places" if name == "place" else "laps"
            values = tuple(value for each in own for value in each[name][field])
            stated["laps" if field == "laps" and len(values) > 1 else name] = {field: values}
    ranked = re.fullmatch(r"(best|worst):(\d+)", laps[0]) if len(laps) == 1 else None
    if ranked and before.order and before.group not in ("", "lap") and "LAP" not in asked.words:
        end = direction(before.measure, "FAST MOST" if ranked[1] == "best" else "SLOW MOST")
        del stated["lap"]
        stated["by_place"] = {"group": before.group, "order": end, "rank": int(ranked[2]), "most": 0}
    if laps and all(each.startswith("not:") for each in laps):
        stated["laps"] = {"laps": (*before.scope.laps, *laps)}


def _ends(stated: Parts, asked: FollowUp) -> None:
    """An end or a mean of what was ranked before is one of the ranked values; of the best lap another lap."""
    before, end = asked.before, stated.get("end", {}).get("which", "")
    name = "by_lap" if before.group == "lap" else "by_place"
    words = asked.words & {"BEST", "WORST", "FAST", "SLOW"}
    lap = before.scope.laps[0].partition(":")[0] if len(before.scope.laps) == 1 else ""
    one_of_each = before.group != "lap" and "lap" in parts(before) and "WHICH" not in asked.words
    one_of_each = one_of_each and bool(asked.words & {"BEST", "WORST"})
    if end and before.group and one_of_each and "measure" not in stated:
        stated |= {"ever": {}, name: {"group": before.group, "order": ""}}  # the best of each, over the laps
    elif end and before.group and not {"by_lap", "by_place", "measure"} & {*stated}:
        peaks = before.which or (
            "max" if before.measure in OF_MOMENTS - PEAKED and within_lap(before) == "most" else ""
        )
        stated[name] = {"group": before.group, "order": stated.pop("end")["which"], "rank": 0, "most": 0}
        stated["end"] = {"which": peaks}
    elif end and lap in KINDS.values() and words and not {"lap", "laps"} & {*stated}:
        stated["lap"] = {"laps": ("worst" if words & {"WORST", "SLOW"} else "best",)}
        del stated["end"]
    elif "made" in stated and before.which in ("min", "max") and before.measure in OF_MOMENTS:
        stated["made"]["order"] = before.which  # the mean of the peaks
    of = next((each for each in ("by_lap", "by_place") if each in stated), "")
    if of and "WHICH" in asked.words and "EACH" not in asked.words and not stated[of]["order"]:
        stated[of]["order"] = end_of(before)
    inherited = parts(before)  # with a limit the group is a part of it
    if name in inherited and "show" in stated and stated["show"]["show"] == "why":
        stated.setdefault(name, inherited[name])


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
    return one == other or (None not in rows and rows[0].usual == rows[1].usual)  # type: ignore[union-attr]


# Another session.


def _elsewhere(new: QuestionReading, before: Query) -> QuestionReading:
    """A question that names a session inherits nothing; one without a measure may want that of before."""
    query = new.query
    if query is None or new.whole or before.measure == query.measure or before.measure not in MEASURES:
        return new
    same = replace(before, scope=replace(before.scope, session=query.scope.session))
    if new.follows and new.stated == {"session"} and not new.left:
        return replace(new, query=same, choices=())
    return replace(new, query=same, choices=(same, query))


def _with_session(reading: QuestionReading, subject: Subject) -> QuestionReading:
    """Words that mean nothing else may call another session on this track: alone, or beside this one."""
    if not reading.strange or reading.query is None:
        return reading
    called, own = subject.called(), subject.own_names()
    rows = [row for word in reading.strange for row in called.get(word, []) if word not in own]
    if not rows:
        return reading
    left = tuple(word for word in reading.strange if word not in called and word not in own)
    beside = {"THAN", "COMPARE", "COMP", "OR", "AND"} & {*reading.words}
    query = reading.query
    scope = replace(query.scope, session=f"{BESIDE if beside else ''}{rows[0].id}")
    # "The simulated run" is no stint.
    measure = "time" if query.measure in ("", "stints", "car", "driver") else query.measure
    return replace(
        reading, query=replace(query, scope=scope, measure=measure), strange=left,
        choices=reading.choices if left else (), stated=reading.stated | {"session"},
    )  # fmt: skip
