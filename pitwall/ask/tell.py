"""Word evaluated queries as sentences that name the measure, the laps, the place and the aggregate."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from statistics import fmean, median

from msgspec.structs import replace

from pitwall.analysis.compose import potential_sentences
from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.ask.evaluate import (
    Evaluated,
    PlaceValues,
    default_end,
    deviation,
    evaluate,
    extreme,
)
from pitwall.ask.measures import BEFORE_APEX, MEASURES, OF_MOMENTS, TIMED, Where
from pitwall.ask.scope import Subject
from pitwall.ask.session_figures import APART_S, MOVING_MPS, slope
from pitwall.contract.questions import ONE_LAP, Query
from pitwall.track.lap import Lap

# The longest list, and the longest ranking.
MOST_LISTED, MOST_RANKED = 12, 3
# Marks of laps that are not named one by one.
_SEVERAL_LAPS = re.compile(r"(?:span|top|bottom|firsts|lasts):.*")
# Laps that a trend needs.
TREND_LAPS = 4


def answer_sentence(subject: Subject, query: Query) -> str:
    """Answer a query about one session. ToolRefused, StoreError."""
    say = subject.words.say
    if query.measure in TOPICS:
        return TOPICS[query.measure](subject, query)
    if query.measure not in MEASURES:
        raise ToolRefused(f"{query.measure!r} is no measure", say("ask about another"))
    row = MEASURES[query.measure]
    if not subject.is_recorded(query.measure):
        return say("asked not recorded", signal=subject.words.term("asked", query.measure))
    one = len(query.scope.laps) == 1 and ONE_LAP.fullmatch(query.scope.laps[0])
    if one and query.group == "lap" and query.order:
        return say("asked one lap only")
    if one and query.which == "trend":
        query = replace(query, scope=replace(query.scope, laps=()))
    named = [each for each in query.scope.places if ":" not in each]
    if row.parts == ("corner",) and not named and query.group != "corner":
        query = replace(query, group="corner")
    whole = ("spread", "trend", "sum", "median") + (() if query.measure in OF_MOMENTS else ("mean",))
    if query.group == "lap" and not query.order and query.which in whole:
        query = replace(query, group="")
    finding = evaluate(subject, query)
    if not finding.rows:
        return say("asked only at corners", label=subject.words.term("asked", query.measure))
    if all(not each.lap_values for each in finding.rows):
        return _unknown(subject, finding)
    if query.group in ("corner", "sector", "straight"):
        return _by_place(subject, finding)
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
    return subject.label(query.measure, within, row.where)


def _in_lap(subject: Subject, measure: str, lap: Lap, value: float) -> str:
    return subject.words.say("ask in lap", value=subject.shown(measure, value), lap=lap.number)


def _one_place(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    query = finding.query
    if not row.lap_values:
        return _unknown(subject, replace(finding, rows=(row,)))
    if query.against:
        return _against(subject, finding, row)
    if query.group == "lap":
        return _by_lap(subject, finding, row)
    one_by_one = 1 < len(row.lap_values) == len(query.scope.laps)
    forms = {"spread": _spread, "trend": _trend, "mean": _mean, "median": _mean, "sum": _sum}
    if query.which in forms and len(row.lap_values) > 1 and not (one_by_one and query.which == "mean"):
        return forms[query.which](subject, finding, row)
    if len(row.lap_values) == 1:
        return _single(subject, finding, row)
    singly = one_by_one and finding.within in ("most", "least")
    if query.which in ("min", "max") and not singly:
        return _extreme(subject, finding, row, query.which == "min")
    if one_by_one and len(row.lap_values) == 2:
        return _two(subject, finding, row)
    several = query.scope.laps and all(map(_SEVERAL_LAPS.fullmatch, query.scope.laps))
    if one_by_one or (several and not query.which and len(row.lap_values) <= MOST_LISTED):
        return _by_lap(subject, finding, row)
    if end := default_end(query):
        return _extreme(subject, finding, row, end == "min")
    return (_mean if MEASURES[query.measure].usual == "mean" else _usual)(subject, finding, row)


def _share_of(subject: Subject, measure: str, row: PlaceValues, lap: Lap, value: float) -> str:
    whole_s = MEASURES["time"].take(subject.figures, lap, row.where, "") if measure in TIMED else None
    return subject.words.say("asked share", share=value / whole_s) if whole_s else ""


def _single(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    [(lap, value)] = row.lap_values
    say, measure = subject.words.say, finding.query.measure
    if measure == "time" and row.where.part == "lap":
        return _lap_time(subject, lap)
    shown = subject.shown(measure, value) + _share_of(subject, measure, row, lap, value)
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
    lap, value = extreme(row.lap_values, low)
    say, measure = subject.words.say, query.measure
    if measure == "time" and row.where.part == "lap":
        if not query.scope.laps:
            return _lap_time(subject, lap) if low else f"{_lap_time(subject, lap)} {say('ask slowest')}"
        key = "asked most of laps" if low else "asked least of laps"
        laps = [each.number for each, _ in row.lap_values]
        return say(key, laps=laps, lap=lap.number, time=value)
    if row.where.part == "sector" and measure == "time":
        key = "asked best sector" if low else "asked worst sector"
        return say(key, sector=row.where.number, time=subject.shown(measure, value), lap=lap.number)
    shown = subject.shown(measure, value) + _share_of(subject, measure, row, lap, value)
    label, place = _label(subject, finding, row), subject.place(row.where)
    among = (
        say("ask among", laps=[each.number for each, _ in row.lap_values])
        if query.scope.laps and len(row.lap_values) > 1
        else ""
    )
    key = "asked extreme" if finding.within in ("most", "least") else "ask lowest" if low else "ask highest"
    return say(key, label=label, place=place, value=shown, lap=lap.number, among=among)


def _usual(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    say, measure = subject.words.say, finding.query.measure
    values = [value for _, value in row.lap_values]
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
    own = next((value for lap, value in row.lap_values if best is not None and lap is best), None)
    if own is None or best is None:
        return said
    return f"{said} {say('asked in best', value=subject.shown(measure, own), lap=best.number)}"


def _mean(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    query = finding.query
    values = [value for _, value in row.lap_values]
    middle = query.which == "median"
    value = median(values) if middle else fmean(values)
    place = subject.place(row.where) + subject.in_laps(query.scope.laps, finding.laps)
    label = _label(subject, finding, row, "" if finding.within == "mean" else finding.within)
    return subject.words.say(
        "asked median" if middle else "asked mean", label=label, place=place,
        count=len(values), value=subject.shown(query.measure, value),
    )  # fmt: skip


def _sum(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    value = sum(value for _, value in row.lap_values)
    label = _label(subject, finding, row)
    place = subject.place(row.where) + subject.in_laps(finding.query.scope.laps, finding.laps)
    shown = subject.shown(finding.query.measure, value)
    return subject.words.say("asked total", label=label, place=place, count=len(row.lap_values), value=shown)


def _spread(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    measure = finding.query.measure
    if len(row.lap_values) < 2:
        return subject.words.say("asked one lap only")
    low, high = extreme(row.lap_values, True), extreme(row.lap_values, False)
    return subject.words.say(
        "asked spread",
        label=_label(subject, finding, row),
        place=subject.place(row.where) + subject.in_laps(finding.query.scope.laps, finding.laps),
        by=subject.difference(measure, high[1] - low[1]),
        low=_in_lap(subject, measure, *low),
        high=_in_lap(subject, measure, *high),
        sd=subject.difference(measure, deviation([value for _, value in row.lap_values])),
        count=len(row.lap_values),
    )


def _trend(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    say, measure = subject.words.say, finding.query.measure
    values = [value for _, value in row.lap_values]
    said = say(
        "asked trend",
        label=_label(subject, finding, row),
        place=subject.place(row.where),
        first=_in_lap(subject, measure, *row.lap_values[0]),
        last=_in_lap(subject, measure, *row.lap_values[-1]),
        most=_in_lap(subject, measure, *extreme(row.lap_values, False)),
        least=_in_lap(subject, measure, *extreme(row.lap_values, True)),
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
    """Two laps others each other."""
    (lap, one), (other, another) = row.lap_values
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
    """Return the whole difference, and the corners that make most of it."""
    say = subject.words.say
    by_s = (lap.time_s or 0.0) - (other.time_s or 0.0)
    try:
        corners = subject.tools.table()["lap_delta"](lap.number, other.number)["corners"]
    except ToolRefused:  # a lap with holes
        corners = []
    dearest = [
        say(
            "corner lost" if each["delta_s"] > 0 else "corner won",
            corner=corner_name(each["corner"], {}), by=abs(each["delta_s"]),
        )
        for each in sorted(corners, key=lambda each: -abs(each["delta_s"]))[:MOST_RANKED]
    ]  # fmt: skip
    return say(
        "lap slower" if by_s > 0 else "lap faster",
        lap=lap.number, other=other.number, by=abs(by_s), time=lap.time_s, other_time=other.time_s,
        rest=say("lap most", corners=dearest) if dearest else "",
    )  # fmt: skip


def _against(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    """Compare a lap, or the usual value, with another lap or the mean."""
    query, say, measure = finding.query, subject.words.say, finding.query.measure
    flying = subject.figures.flying
    label, place = _label(subject, finding, row), subject.place(row.where)
    if query.against == "mean":
        means = [value for _, value in subject.lap_values(measure, row.where, flying, finding.within)]
        only = len(row.lap_values) == 1
        lap, value = row.lap_values[0] if only else extreme(row.lap_values, not MEASURES[measure].high)
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
    [other, *_] = subject.laps((query.against,))
    own = [each for each in row.lap_values if each[0] is not other]
    if len(row.lap_values) == 1 and not own:  # the best lap is compared with the next one
        own = list(row.lap_values)
        ranked = sorted(flying, key=lambda each: each.time_s or 0.0)
        other = next((lap for lap in ranked if lap is not other), other)
    others = subject.lap_values(measure, row.where, [other], finding.within)
    if not others:
        return _usual(subject, finding, row)
    if len(own) == 1 and own[0][0] is other:
        return _single(subject, finding, row)
    if len(own) == 1:
        return _two(subject, finding, replace(row, lap_values=(own[0], others[0])))
    value, low = median([each for _, each in own]), others[0][1]
    return say(
        "ask usual against", label=label, place=place, value=subject.shown(measure, value), count=len(own),
        other=subject.shown(measure, low), lap=other.number, by=subject.apart(measure, value, low),
    )  # fmt: skip


def _by_lap(subject: Subject, finding: Evaluated, row: PlaceValues) -> str:
    query, say = finding.query, subject.words.say
    measure = query.measure
    lap_values = list(row.lap_values)
    if query.order:
        return _extreme(subject, finding, row, query.order == "min")
    label, place = _label(subject, finding, row), subject.place(row.where)
    if measure == "time" and row.where.part == "lap" and not query.scope.laps:
        lap_values = [
            (lap, lap.time_s)
            for lap in subject.figures.laps.values()
            if lap.time_s is not None and lap.kind != "out"
        ]
    values = [
        say("ask lap value", lap=lap.number, value=subject.shown(measure, value)) for lap, value in lap_values
    ]
    return say("asked list", label=label, place=place, values=values)


def _by_place(subject: Subject, finding: Evaluated) -> str:
    query, say, measure = finding.query, subject.words.say, finding.query.measure
    rows = [row for row in finding.rows if row.value is not None]
    if query.against not in ("", "mean") and subject.laps((query.against,)) == list(finding.laps):
        return say("asked one lap only")
    if query.against:
        rows = _differences(subject, query, rows)
    if not rows:
        return _unknown(subject, finding)
    label = subject.label(measure, finding.within, rows[0].where)
    if measure == "time" and query.group == "sector":
        label = subject.words.term("asked", "sector")
    in_laps = subject.in_laps(query.scope.laps, finding.laps)
    shown = subject.difference if query.which == "spread" else subject.shown
    if query.against:
        shown = subject.signed
    if query.order:
        rows = rows[:MOST_RANKED]
    values = [
        say("ask place value", place=subject.place_name(row.where), value=shown(measure, row.value or 0.0))
        + _which_lap(subject, finding, row)
        for row in rows
    ]
    how = subject.words.term("ask how", query.which or ("mean" if MEASURES[measure].usual == "mean" else ""))
    if len(finding.laps) == 1:
        how = ""
    order = subject.words.term("ask order", query.order) if query.order else ""
    laps = in_laps or say("ask over flying", count=len(finding.laps))
    if query.against:
        laps += subject.compared_with(query.against)
    return say(
        "ask by place", label=label, how=f", {how}" if how else "", order=order, laps=laps,
        values=values,
    )  # fmt: skip


def _differences(subject: Subject, query: Query, rows: list[PlaceValues]) -> list[PlaceValues]:
    """Return the places with the differences between the query's values and those compared with."""
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
    if finding.query.which not in ("min", "max") or len(finding.laps) < 2 or not row.lap_values:
        return ""
    lap, _ = extreme(row.lap_values, finding.query.which == "min")
    return subject.words.say("ask of lap", lap=lap.number)


# Topics: what is no figure of a lap.


def _lap_count(subject: Subject, query: Query) -> str:
    if query.scope.laps:
        laps, flying = subject.laps(query.scope.laps), subject.figures.flying
        times = [
            subject.words.say("ask lap value", lap=lap.number, value=subject.lap_time(lap.time_s))
            for lap in laps
            if lap.time_s is not None
        ]
        shown, best = times[:MOST_LISTED], subject.figures.best
        more = subject.words.say("asked count laps", values=shown) if shown else "."
        if not laps and best is not None:
            more = f". {subject.words.say('your best', time=best.time_s, lap=best.number)}"
        return subject.words.say("asked count of", count=len(laps), of=len(flying), more=more)
    others = [
        subject.words.say("asked other lap", lap=lap.number, kind=subject.words.term("lap", lap.kind))
        for lap in subject.figures.laps.values()
        if lap not in subject.figures.flying
    ]
    more = subject.words.say("asked others", others=others) if others else ""
    return subject.words.say("asked lap count", count=len(subject.figures.flying), others=more)


def _stint_count(subject: Subject, query: Query) -> str:
    laps = [subject.words.figures.laps_named(list(range(one, other + 1))) for one, other in subject.stints()]
    if not laps:
        return subject.words.say("no timed lap")
    return subject.words.say("asked stints", count=len(laps), stints=laps)


def _driven(subject: Subject, query: Query) -> str:
    """Tell how far and how long the car moved."""
    figures, far_m, moved_s = subject.figures, 0.0, 0.0
    for spot, after in pairwise(figures.spots()):
        speed_mps, gone_s = spot.frame.speed_mps or 0.0, after.t - spot.t
        if gone_s <= APART_S and speed_mps >= MOVING_MPS:
            far_m, moved_s = far_m + speed_mps * gone_s, moved_s + gone_s
    return subject.words.say("asked driven", far=far_m / 1000.0, moved=moved_s / 60.0)


def _ideal(subject: Subject, query: Query) -> str:
    """Compare the theoretical best, and the sum of the best sectors, with the best lap."""
    say, flying, best = subject.words.say, subject.figures.flying, subject.figures.best
    if best is None or best.time_s is None:
        return say("no timed lap")
    count = max(len(lap.sectors_s) for lap in flying)
    sectors = [Where("sector", number=number) for number in range(1, count + 1)]
    lap_values = [subject.lap_values("time", each, flying) for each in sectors]
    if not lap_values or not all(lap_values):
        return say("asked no sectors here")
    found = [extreme(each, True) for each in lap_values]
    values = [
        say("asked sector of lap", sector=number, time=subject.lap_time(time_s), lap=lap.number)
        for number, (lap, time_s) in enumerate(found, 1)
    ]
    total_s = sum(time_s for _, time_s in found)
    theory = potential_sentences(subject.tools.report().potential, subject.words)
    if all(lap is best for lap, _ in found):
        said = say("asked ideal driven", lap=best.number, best=best.time_s, values=values)
    else:
        gain_s = best.time_s - total_s
        said = say("asked ideal", time=total_s, gain=gain_s, best=best.time_s, lap=best.number, values=values)
    return " ".join((*theory, said))


def _usual_lap(subject: Subject, query: Query) -> str:
    """Tell the middle of the laps that count, as the debrief does."""
    potential = subject.tools.report().potential
    if potential.usual_s is None:
        return subject.words.say("too few laps")
    return subject.words.say("usual lap", time=potential.usual_s, count=len(potential.laps))


TOPICS: dict[str, Callable[[Subject, Query], str]] = {
    "lap_count": _lap_count,
    "stint_count": _stint_count,
    "driven": _driven,
    "usual": _usual_lap,
    "ideal": _ideal,
}
