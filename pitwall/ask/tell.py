"""A finding as sentences: each names the measure, the laps and the place, and what was made of the values."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from statistics import fmean, median

from msgspec.structs import replace

from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.ask.evaluate import (
    Evaluated,
    PlaceValues,
    beyond,
    deviation,
    evaluate,
    extreme,
    longest,
    peak,
    told_end,
    within_lap,
)
from pitwall.ask.measures import BEFORE_APEX, HOLDS, MEASURES, OF_MOMENTS, PEAKED, PLACED, Where
from pitwall.ask.scope import Subject, limited
from pitwall.ask.session_figures import slope
from pitwall.contract.query import Query
from pitwall.track.lap import Lap

# A list is over after so many, and a rank after three.
MOST_LISTED, MOST_RANKED = 12, 3
# A mark of one lap alone, and of laps that are named one by one.
ONE_LAP = re.compile(r"\d+|(?:best|worst|last|first)(?::\d+)?")
_NAMED_LAPS = re.compile(r"(?:span|stint|top|bottom|firsts|lasts):.*")
# So many laps tell a trend.
TREND_LAPS = 4


def told(subject: Subject, query: Query) -> str:
    """The answer to a query about one session, whose measure is a row of `measures`. ToolRefused,
    StoreError."""
    subject.speaking(query.unit)
    say, row = subject.words.say, MEASURES[query.measure]
    if not subject.is_recorded(query.measure):
        return say("asked not recorded", signal=subject.words.term("asked", query.measure))
    if query.measure == "lost" and query.show == "where":
        query = replace(query, group="corner", order="max", which="mean", show="")
    one = len(query.scope.laps) == 1 and ONE_LAP.fullmatch(query.scope.laps[0])
    if one and query.group == "lap" and query.order:
        return say("asked one lap only")
    if one and query.which == "trend":
        query = replace(query, scope=replace(query.scope, laps=()))
    two = len(query.scope.laps) == 2 and not query.scope.places and query.measure in ("time", "lost")
    if (
        two
        and (not query.order or query.measure == "lost")
        and (query.show == "where" or query.group == "corner")
    ):
        laps = subject.laps(query.scope.laps)
        if len(laps) == 2 and all(lap.time_s is not None for lap in laps):
            return _laps_compared(subject, *laps)
    of_corners = "corner" in row.parts and "lap" not in row.parts and not query.group
    if of_corners and all(":" in each or ">" in each for each in query.scope.places):
        query = replace(query, group="corner")
    whole = (
        ("spread", "trend", "sum")
        if query.measure in OF_MOMENTS
        else ("mean", "median", "spread", "trend", "sum")
    )
    if query.group == "lap" and not query.order and query.which in whole:
        query = replace(query, group="")
    if query.measure == "time" and query.limit is not None and query.limit.op in ("within", "reach"):
        return _near_best(subject, query)
    finding = evaluate(subject, query)
    if not finding.rows:
        return say("asked only at corners", label=subject.words.term("asked", query.measure))
    if all(not each.taken for each in finding.rows):
        return _unknown(subject, finding)
    if query.limit is not None:
        return _limited(subject, finding)
    if query.group in ("corner", "sector", "straight", "piece", "gear"):
        return _by_place(subject, finding)
    if len(finding.rows) > 1 and not query.against and query.which != "trend" and not query.show:
        return _places(subject, finding)
    return " ".join(_one_place(subject, finding, each) for each in finding.rows)


def _unknown(subject: Subject, finding: Evaluated) -> str:
    query, [row, *_] = finding.query, finding.rows
    label, place = _label(subject, finding, row), subject.place(row.where)
    laps = [lap.number for lap in finding.laps]
    if query.measure == "time" and row.where.part == "lap" and len(finding.laps) == 1:
        kind = subject.words.term("lap kind", finding.laps[0].kind)
        return subject.words.say("lap not timed", lap=laps[0], kind=kind)
    signal = next(iter(MEASURES[query.measure].signals), "")
    shares = [
        subject.figures.known_share(subject.figures.whole(lap), signal)
        for lap in (finding.laps if signal else ())
    ]
    if shares and 0.0 < max(shares) < 0.5:
        return subject.words.say("asked little known", label=label, share=max(shares), laps=laps)
    if query.scope.laps and laps:
        return subject.words.say("asked unknown in laps", label=label, place=place, laps=laps)
    return subject.words.say("asked unknown", label=label, place=place)


def _label(subject: Subject, finding: Evaluated, row: PlaceValues, which: str = "") -> str:
    query = finding.query
    within = which or finding.within
    if query.measure in HOLDS and query.show == "where":
        within = "most"
    return subject.label(query.measure, within, row.where)


def _in_lap(subject: Subject, measure: str, lap: Lap, value: float) -> str:
    return subject.words.say("ask in lap", value=subject.shown(measure, value), lap=lap.number)


# One place.


def _one_place(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    query = finding.query
    if not row.taken:
        return _unknown(subject, replace(finding, rows=(row,)))
    if query.against:
        return _against(subject, finding, row)
    if query.show == "where":
        return _where(subject, finding, row)
    if query.show == "when":
        return _when(subject, finding, row)
    forms: dict[str, Callable[[Subject, Evaluated, PlaceValues], str]] = {
        "spread": _spread, "trend": _trend, "mean": _mean, "median": _mean, "sum": _sum, "count": _sum,
        "share": _share,
    }  # fmt: skip
    if query.group == "lap":
        return _by_lap(subject, finding, row)
    each = query.which == "mean" and finding.within == "mean" and 1 < len(row.taken) == len(query.scope.laps)
    beside = query.which == "share" and query.measure in HOLDS and 1 < len(row.taken) == len(query.scope.laps)
    if query.which in forms and not (each or beside) and (len(row.taken) > 1 or query.which == "sum"):
        return forms[query.which](subject, finding, row)
    if len(row.taken) == 1:
        return _single(subject, finding, row)
    singly = finding.within in ("most", "least") and 1 < len(row.taken) == len(query.scope.laps)
    if query.which in ("min", "max") and not singly:
        return _extreme(subject, finding, row, query.which == "min")
    if len(row.taken) == 2 and len(query.scope.laps) == 2:
        return _two(subject, finding, row)
    if 1 < len(query.scope.laps) == len(row.taken):
        return _by_lap(subject, finding, row)
    named = query.scope.laps and all(map(_NAMED_LAPS.fullmatch, query.scope.laps))
    if named and not query.which and len(row.taken) <= MOST_LISTED:
        return _by_lap(subject, finding, row)
    if end := told_end(query):
        return _extreme(subject, finding, row, end == "min")
    if MEASURES[query.measure].usual == "mean":
        return _mean(subject, finding, row)
    return _usual(subject, finding, row)


def _share_of(subject: Subject, finding: Evaluated, row: PlaceValues, lap: Lap, value: float) -> str:
    """The share of the lap or place, of what is counted in seconds."""
    if finding.query.measure not in HOLDS:
        return ""
    whole_s = MEASURES["time"].take(subject.figures, lap, row.where, "")
    return subject.words.say("asked share", share=value / whole_s) if whole_s else ""


def _single(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    [(lap, value)] = row.taken
    say, measure = subject.words.say, finding.query.measure
    if measure == "time" and row.where.part == "lap":
        return _lap_time(subject, lap)
    shown = subject.shown(measure, value) + _share_of(subject, finding, row, lap, value)
    label, place = _label(subject, finding, row), subject.place(row.where)
    return say("asked one", label=label, place=place, value=shown, lap=lap.number)


def _lap_time(subject: Subject, lap: Lap) -> str:
    say, best, flying = subject.words.say, subject.figures.best, subject.figures.flying
    if lap is best:
        return say("ask lap best", lap=lap.number, time=lap.time_s, count=len(flying))
    kind = subject.words.term("lap kind", lap.kind)
    said = say("lap timed", lap=lap.number, time=lap.time_s, kind=kind)
    return said if best is None else f"{said} {say('your best', time=best.time_s, lap=best.number)}"


def _extreme(subject: Subject, finding: Evaluated, row: PlaceValues, low: bool) -> str:
    query = finding.query
    lap, value = extreme(row.taken, low)
    say, measure = subject.words.say, query.measure
    if measure == "time" and row.where.part == "lap":
        if not query.scope.laps:
            return _lap_time(subject, lap) if low else f"{_lap_time(subject, lap)} {say('ask slowest')}"
        key = "asked most of laps" if low else "asked least of laps"
        laps = [each.number for each, _ in row.taken]
        return say(key, laps=laps, lap=lap.number, time=value)
    if row.where.part == "sector" and measure == "time":
        key = "asked best sector" if low else "asked worst sector"
        return say(key, sector=row.where.number, time=subject.shown(measure, value), lap=lap.number)
    shown = subject.shown(measure, value) + _share_of(subject, finding, row, lap, value)
    label, place = _label(subject, finding, row), subject.place(row.where)
    among = (
        say("ask among", laps=[each.number for each, _ in row.taken])
        if query.scope.laps and len(row.taken) > 1
        else ""
    )
    key = "asked extreme" if finding.within in ("most", "least") else "ask lowest" if low else "ask highest"
    return say(key, label=label, place=place, value=shown, lap=lap.number, among=among)


def _usual(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    say, measure = subject.words.say, finding.query.measure
    values = [value for _, value in row.taken]
    shown = [subject.shown(measure, value) for value in (median(values), min(values), max(values))]
    label, place = _label(subject, finding, row), subject.place(row.where)
    in_laps = subject.in_laps(finding.query.scope.laps, finding.laps)
    if measure == "time" and row.where.part == "lap":
        return f"{_spread(subject, finding, row)} {say('ask median', value=shown[0])}"
    if shown[1] == shown[2]:
        said = say("asked always", label=label, place=place, value=shown[0], count=len(values))
    else:
        place += in_laps
        said = say("asked usual", label=label, place=place, value=shown[0], low=shown[1], high=shown[2])
    best = subject.figures.best
    own = next((value for lap, value in row.taken if best is not None and lap is best), None)
    if own is None or best is None:
        return said
    return f"{said} {say('asked in best', value=subject.shown(measure, own), lap=best.number)}"


def _mean(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    query = finding.query
    values = [value for _, value in row.taken]
    value = median(values) if query.which == "median" else fmean(values)
    place = subject.place(row.where) + subject.in_laps(query.scope.laps, finding.laps)
    key = "asked median" if query.which == "median" else "asked mean"
    label = _label(subject, finding, row, "" if finding.within == "mean" else finding.within)
    return subject.words.say(
        key, label=label, place=place, count=len(values), value=subject.shown(query.measure, value)
    )


def _sum(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    value = sum(value for _, value in row.taken)
    label = _label(subject, finding, row)
    place = subject.place(row.where) + subject.in_laps(finding.query.scope.laps, finding.laps)
    shown = subject.shown(finding.query.measure, value)
    return subject.words.say("asked total", label=label, place=place, count=len(row.taken), value=shown)


def _share(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    """A share of the time, on average over the laps."""
    taken = [
        (lap, value / whole)
        for lap, value in row.taken
        if (whole := MEASURES["time"].take(subject.figures, lap, row.where, ""))
    ]
    if finding.query.measure not in HOLDS or not taken:
        return _one_place(subject, replace(finding, query=replace(finding.query, which="")), row)
    place = subject.place(row.where) + subject.in_laps(finding.query.scope.laps, finding.laps)
    label = _label(subject, finding, row)
    share, low, high = fmean(v for _, v in taken), min(v for _, v in taken), max(v for _, v in taken)
    seconds = subject.shown(finding.query.measure, fmean(v for _, v in row.taken))
    return subject.words.say(
        "ask share", label=label, place=place, share=share, low=low, high=high, count=len(taken), time=seconds
    )


def _spread(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    measure = finding.query.measure
    if len(row.taken) < 2:
        return subject.words.say("asked one lap only")
    low, high = extreme(row.taken, True), extreme(row.taken, False)
    return subject.words.say(
        "asked spread",
        label=_label(subject, finding, row),
        place=subject.place(row.where) + subject.in_laps(finding.query.scope.laps, finding.laps),
        by=subject.difference(measure, high[1] - low[1]),
        low=_in_lap(subject, measure, *low),
        high=_in_lap(subject, measure, *high),
        sd=subject.difference(measure, deviation([value for _, value in row.taken])),
        count=len(row.taken),
    )


def _trend(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    say, measure = subject.words.say, finding.query.measure
    values = [value for _, value in row.taken]
    said = say(
        "asked trend",
        label=_label(subject, finding, row),
        place=subject.place(row.where),
        first=_in_lap(subject, measure, *row.taken[0]),
        last=_in_lap(subject, measure, *row.taken[-1]),
        most=_in_lap(subject, measure, *extreme(row.taken, False)),
        least=_in_lap(subject, measure, *extreme(row.taken, True)),
    )
    if len(values) < TREND_LAPS:
        return f"{said} {say('asked trend unknown')}"
    rising, steps = sum(b > a for a, b in pairwise(values)), len(values) - 1
    way = "rises" if rising >= 0.75 * steps else "falls" if rising <= 0.25 * steps else "neither"
    names = {"time": ("slower", "quicker")} | dict.fromkeys(BEFORE_APEX, ("earlier", "later"))
    if way != "neither":
        way = names.get(measure, ("rises", "falls"))[way == "falls"]
    per_lap = slope(values)
    return f"{said} {say('asked trend ' + way, slope=subject.signed(measure, per_lap))}"


def _two(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    """Two laps beside each other."""
    (lap, one), (other, another) = row.taken
    measure = finding.query.measure
    diff = one - another
    by = subject.apart(measure, one, another)
    higher, lower = {"time": ("slower", "faster")}.get(
        measure, ("earlier", "later") if measure in BEFORE_APEX else ("more", "less")
    )
    same = by == subject.difference(measure, 0.0)
    if measure == "time" and row.where.part == "lap" and not same:
        return _laps_compared(subject, lap, other)
    return subject.words.say(
        f"asked two {'same' if same else higher if diff > 0 else lower}",
        label=_label(subject, finding, row), place=subject.place(row.where),
        value=subject.shown(measure, one), lap=lap.number,
        other_value=subject.shown(measure, another), other=other.number, by=by,
    )  # fmt: skip


def _laps_compared(subject: Subject, lap: Lap, other: Lap) -> str:
    """The whole difference, and the corners that make most of it."""
    say = subject.words.say
    by_s = (lap.time_s or 0.0) - (other.time_s or 0.0)
    try:
        corners = subject.tools.table()["lap_delta"](lap.number, other.number)["corners"]
    except ToolRefused:  # a lap with holes
        corners = []
    told_parts = [
        say(
            "corner lost" if each["delta_s"] > 0 else "corner won",
            corner=corner_name(each["corner"], {}, subject.words), by=abs(each["delta_s"]),
        )
        for each in sorted(corners, key=lambda each: -abs(each["delta_s"]))[:MOST_RANKED]
    ]  # fmt: skip
    return say(
        "lap slower" if by_s > 0 else "lap faster",
        lap=lap.number, other=other.number, by=abs(by_s), time=lap.time_s, other_time=other.time_s,
        rest=say("lap most", corners=told_parts) if told_parts else "",
    )  # fmt: skip


def _against(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    """A lap, or what is usual, beside another lap or the mean."""
    query, say, measure = finding.query, subject.words.say, finding.query.measure
    flying = subject.figures.flying
    label, place = _label(subject, finding, row), subject.place(row.where)
    if query.against == "mean":
        means = [value for _, value in subject.taken(measure, row.where, flying, finding.within)]
        lap, value = row.taken[0] if len(row.taken) == 1 else extreme(row.taken, not MEASURES[measure].high)
        if not means:
            return _single(subject, finding, row)
        by = value - fmean(means)
        if measure == "time" and row.where.part == "lap":
            key = "asked slower than mean" if by > 0 else "asked faster than mean"
            count = len(means)
            return say(key, lap=lap.number, by=abs(by), time=value, mean=fmean(means), count=count)
        return say(
            "asked mean over" if by > 0 else "asked mean under",
            label=label, place=place, value=subject.shown(measure, value), lap=lap.number,
            by=subject.difference(measure, by), mean=subject.shown(measure, fmean(means)), count=len(means),
        )  # fmt: skip
    if ":" in query.against and not query.against.startswith(("best", "worst", "last:", "first:")):
        return _parts(subject, finding, row)
    others = subject.laps((query.against,))[:1]
    beside = subject.taken(measure, row.where, others, finding.within)
    if not beside:
        return _usual(subject, finding, row)
    other = others[0]
    own = [each for each in row.taken if each[0] is not other]
    if len(row.taken) == 1 and not own:  # the best lap beside itself: beside the next one
        ranked = sorted(flying, key=lambda each: each.time_s or 0.0)
        if len(ranked) < 2:
            return _single(subject, finding, row)
        own, beside = list(row.taken), subject.taken(measure, row.where, ranked[1:2], finding.within)
    if len(own) == 1 and beside:
        return _two(subject, finding, replace(row, taken=(own[0], beside[0])))
    value, low = median([each for _, each in own]), beside[0][1]
    return say(
        "ask usual against", label=label, place=place, value=subject.shown(measure, value), count=len(own),
        other=subject.shown(measure, low), lap=other.number, by=subject.apart(measure, value, low),
    )  # fmt: skip


def _parts(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    """The average of some laps beside that of others."""
    query, say, measure = finding.query, subject.words.say, finding.query.measure
    others = subject.laps((query.against,))
    beside = [value for _, value in subject.taken(measure, row.where, others, finding.within)]
    if not beside:
        return _unknown(subject, replace(finding, laps=tuple(others)))
    one, other = fmean(value for _, value in row.taken), fmean(beside)
    laps, other_laps = [lap.number for lap, _ in row.taken], [lap.number for lap in others]
    if measure == "time" and row.where.part == "lap" and query.which != "spread":
        key = "asked part faster" if one < other else "asked part slower"
        return say(key, mean=one, laps=laps, other=other, others=other_laps, by=abs(one - other))
    key, shown = "asked part figure", subject.shown
    if query.which == "spread":
        key, shown = "asked part spread", subject.difference
        one, other = deviation([value for _, value in row.taken]), deviation(beside)
    return say(
        key, label=_label(subject, finding, row), place=subject.place(row.where), value=shown(measure, one),
        sd=shown(measure, one), laps=laps, other=shown(measure, other), others=other_laps,
    )  # fmt: skip


def _where(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    query, say = finding.query, subject.words.say
    one = replace(finding, rows=(row,))
    if query.measure in HOLDS:
        found = longest(subject, one)
    elif query.measure in PLACED:
        found = peak(subject, one)
    else:
        return _by_place(subject, evaluate(subject, replace(query, group="corner", show="")))
    if found is None:
        return _unknown(subject, one)
    value, at_m, lap = found
    shown, near = subject.shown(query.measure, value), subject.near(at_m)
    label = _label(subject, finding, row)
    return say("asked where", label=label, value=shown, lap=lap.number, place=near)


def _when(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    """Which lap it was, and when that began."""
    query, flying = finding.query, subject.figures.flying
    named = query.which in ("min", "max")
    low = query.which == "min" if named else not MEASURES[query.measure].high
    lap, _ = row.taken[0] if len(row.taken) == 1 else extreme(row.taken, low)
    spots = subject.figures.spots()
    minutes, seconds = divmod(round(lap.start_t - spots[0].t if spots else 0.0), 60)
    said = subject.words.say(
        "asked lap when" if lap in flying else "asked lap began", lap=lap.number, time=lap.time_s,
        minutes=minutes, seconds=seconds, at=flying.index(lap) + 1 if lap in flying else 0, count=len(flying),
    )  # fmt: skip
    if query.measure == "time":
        return said
    return f"{_extreme(subject, finding, row, low)} {said}"


# Lap by lap.


def _by_lap(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    query, say = finding.query, subject.words.say
    measure = query.measure
    taken = list(row.taken)
    if query.order:
        taken.sort(key=lambda each: each[1], reverse=query.order == "max")
        if query.rank:
            if len(taken) < query.rank:
                return say("asked too few laps", count=len(taken)).capitalize() + "."
            lap, value = taken[query.rank - 1]
            return say(
                "asked nth", label=_label(subject, finding, row), place=subject.place(row.where),
                rank=query.rank, count=len(taken), value=subject.shown(measure, value), lap=lap.number,
            )  # fmt: skip
        if not query.most:
            return _extreme(subject, finding, replace(row, taken=tuple(taken)), query.order == "min")
        taken = taken[: query.most]
    label, place = _label(subject, finding, row), subject.place(row.where)
    if measure == "time" and row.where.part == "lap" and not query.order and not query.scope.laps:
        taken = [
            (lap, lap.time_s)
            for lap in subject.figures.laps.values()
            if lap.time_s is not None and lap.kind != "out"
        ]
    shares = query.which == "share"
    values = [
        say(
            "ask lap value",
            lap=lap.number,
            value=subject.shown(measure, value)
            + (_share_of(subject, finding, row, lap, value) if shares else ""),
        )
        for lap, value in taken
    ]
    return say("asked list", label=label, place=place, values=values)


# Place by place.


def _by_place(subject: Subject, finding: Evaluated) -> str:
    query, say, measure = finding.query, subject.words.say, finding.query.measure
    rows = [row for row in finding.rows if row.value is not None]
    if query.against not in ("", "mean") and subject.laps((query.against,)) == list(finding.laps):
        return say("asked one lap only")
    if query.against:
        rows = _beside(subject, query, rows)
    if not rows:
        return _unknown(subject, finding)
    label = subject.label(measure, finding.within, rows[0].where)
    if measure == "time" and query.group == "sector":
        label = subject.words.term("asked", "sector")
    in_laps = subject.in_laps(query.scope.laps, finding.laps)
    shown = subject.difference if query.which == "spread" else subject.shown
    if query.against:
        shown = subject.signed
    if query.rank:
        rows = rows[query.rank - 1 : query.rank] or rows[-1:]
    elif query.order:
        rows = rows[: query.most or MOST_RANKED]
    values = [
        say("ask place value", place=subject.place_name(row.where), value=shown(measure, row.value or 0.0))
        + _which_lap(subject, finding, row)
        for row in rows
    ]
    how = subject.words.term("ask how", query.which or ("mean" if MEASURES[measure].usual == "mean" else ""))
    if len(finding.laps) == 1:
        how = ""
    order = subject.words.term("ask order", query.order) if query.order and not query.rank else ""
    nth = say("ask nth", rank=query.rank) if query.rank else ""
    laps = in_laps or say("ask over flying", count=len(finding.laps))
    if query.against:
        laps += subject.beside(query.against)
    return say(
        "ask by place", label=label, how=f", {how}" if how else "", order=order or nth, laps=laps,
        values=values,
    )  # fmt: skip


def _beside(subject: Subject, query: Query, rows: list[PlaceValues]) -> list[PlaceValues]:
    """The places with what lies between the query's values and those of what it compares with."""
    other = replace(query.scope, laps=() if query.against == "mean" else (query.against,))
    found = evaluate(subject, replace(query, scope=other, against="", order=""))
    values = {row.where: row.value for row in found.rows}
    apart = [
        replace(row, value=row.value - value)
        for row in rows
        if row.value is not None and (value := values.get(row.where)) is not None
    ]
    return (
        sorted(apart, key=lambda row: row.value or 0.0, reverse=query.order == "max")
        if query.order
        else apart
    )


def _which_lap(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    """The lap of a best or worst value."""
    if finding.query.which not in ("min", "max") or len(finding.laps) < 2 or not row.taken:
        return ""
    lap, _ = extreme(row.taken, finding.query.which == "min")
    return subject.words.say("ask of lap", lap=lap.number)


def _places(subject: Subject, finding: Evaluated) -> str:
    """Two or more places beside each other."""
    query, measure = finding.query, finding.query.measure
    rows = [row for row in finding.rows if row.value is not None]
    if len(finding.laps) == 2:
        return " ".join(_one_place(subject, finding, row) for row in rows)
    if query.measure in PEAKED or query.which in ("min", "max", "spread"):
        said = [_one_place(subject, finding, row) for row in rows]
    elif len(finding.laps) == 1:
        said = [_single(subject, finding, row) for row in rows]
    else:
        said = []
    if said and len(rows) > 2:
        return " ".join(said)
    if said and len(rows) == 2:
        by = subject.apart(measure, rows[0].value or 0.0, rows[1].value or 0.0)
        return " ".join((*said, subject.words.say("ask between", by=by)))
    if len(rows) != 2:
        return " ".join(_one_place(subject, finding, row) for row in finding.rows)
    one, other = rows
    key = "ask two mean" if query.which == "mean" else "asked two usual"
    return subject.words.say(
        key, label=_label(subject, finding, one), value=subject.shown(measure, one.value or 0.0),
        place=subject.place(one.where), other=subject.shown(measure, other.value or 0.0),
        other_place=subject.place(other.where),
        by=subject.apart(measure, one.value or 0.0, other.value or 0.0),
    )  # fmt: skip


# Limits.


def _limited(subject: Subject, finding: Evaluated) -> str:
    query, say, limit = finding.query, subject.words.say, finding.query.limit
    assert limit is not None
    measure, over = query.measure, limit.op == "over"
    side = "over" if over else "under"
    if query.group == "corner":
        rows = [row for row in finding.rows if row.value is not None and limited(query, row.value)]
        names = [subject.short_name(row.where.corner) for row in rows]
        label = subject.words.term("asked", measure)
        shown = subject.shown(measure, limit.value)
        if not names:
            return say(
                "asked corners none of", label=label, side=subject.words.term("side", side), limit=shown
            )
        return say(
            f"asked corners {side}", label=label, limit=shown, corners=names, count=len(names),
            total=len(finding.rows),
        )  # fmt: skip
    return " ".join(_limited_place(subject, finding, row) for row in finding.rows)


def _limited_place(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    query, say, limit = finding.query, subject.words.say, finding.query.limit
    assert limit is not None
    measure, side = query.measure, "over" if limit.op == "over" else "under"
    place = subject.place(row.where)
    if measure == "time" and row.where.part == "lap":
        laps = [lap.number for lap, value in row.taken if limited(query, value)]
        which = say("asked these", laps=laps) if laps else ""
        return say(f"asked laps {side}", count=len(laps), all=len(row.taken), limit=limit.value, which=which)
    shown = subject.shown(measure, limit.value)
    in_laps = subject.in_laps(query.scope.laps, finding.laps)
    if query.show in ("when", "where") and (found := beyond(subject, query, row.where, finding.laps)):
        begin, _, lap = found[0]
        minutes, seconds = divmod(round(begin - subject.figures.spots()[0].t), 60)
        own = [each for each, _, other in found if query.show == "where" and other is lap] or [begin]
        near = [subject.near(subject.figures.between(each, each)[0].at_m) for each in own[:MOST_RANKED]]
        return say(
            f"asked first {side}", label=subject.words.term("asked", measure), place=place, limit=shown,
            lap=lap.number, near=near, minutes=minutes, seconds=seconds,
        )  # fmt: skip
    if query.which in ("sum", "count") and query.group != "lap":
        laps_of = finding.laps or tuple(subject.figures.flying)
        counted = beyond(subject, query, row.where, laps_of)
        if counted is not None:
            label, within = (
                subject.words.term("asked", measure),
                in_laps or say("ask over flying", count=len(laps_of)),
            )
            return say(
                f"asked counted {side}", label=label, place=place, limit=shown, count=len(counted),
                time=sum(end - begin for begin, end, _ in counted), laps=within,
            )  # fmt: skip
    ends = "most" if side == "over" else "least"
    within = within_lap(query) if measure not in OF_MOMENTS or measure in PEAKED else ends
    taken = subject.taken(measure, row.where, finding.laps, within)
    if not taken:
        return _unknown(subject, replace(finding, rows=(row,)))
    lap, value = extreme(taken, side == "under")
    laps = [each.number for each, one in taken if limited(query, one)]
    key = f"asked yes {side}" if laps else "asked no limit"
    label = subject.label(measure, within, row.where)
    return say(
        key,
        label=label,
        place=place,
        value=subject.shown(measure, value),
        lap=lap.number,
        limit=shown,
        laps=laps,
    )


def best_sectors(subject: Subject) -> tuple[float, list[tuple[int, float, int]]] | None:
    """Return what the best flying sectors add up to, and (sector, time, lap) of each; None where one was not
    timed."""
    count = max((len(lap.sectors_s) for lap in subject.figures.flying), default=0)
    found = []
    for number in range(1, count + 1):
        taken = subject.taken("time", Where("sector", number=number), subject.figures.flying)
        if not taken:
            return None
        lap, time_s = extreme(taken, True)
        found.append((number, time_s, lap.number))
    return (sum(each[1] for each in found), found) if found else None


def _near_best(subject: Subject, query: Query) -> str:
    """How many laps lie within some seconds of the best; whether a lap time can be reached."""
    say, best, limit = subject.words.say, subject.figures.best, query.limit
    assert limit is not None
    if best is None or best.time_s is None:
        return say("no timed lap")
    if limit.op == "within":
        others = [lap for lap in subject.figures.flying if lap is not best]
        near = [each.number for each in others if (each.time_s or 0.0) - best.time_s <= limit.value]
        which = say("asked these", laps=near) if near else ""
        return say(
            "asked laps within",
            count=len(near),
            by=limit.value,
            best=best.time_s,
            lap=best.number,
            which=which,
        )
    if best.time_s <= limit.value:
        return say("asked target driven", target=limit.value, best=best.time_s, lap=best.number)
    by = best.time_s - limit.value
    said = say("asked target lacks", target=limit.value, by=by, best=best.time_s, lap=best.number)
    ideal = best_sectors(subject)
    if ideal is None:
        return f"{said} {say('asked target unknown')}"
    key = "asked target in sectors" if ideal[0] <= limit.value else "asked target beyond"
    return f"{said} {say(key, total=ideal[0], by=abs(ideal[0] - limit.value))}"
