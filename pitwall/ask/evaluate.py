"""Takes a query's values: a measure of laps at places, reduced, ranked and compared."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median, stdev
from typing import Literal

import msgspec

from pitwall.ask.measures import (
    CHANGE_SLOWLY,
    HOLDS,
    LEAST_BRAKING,
    MEASURES,
    OF_MOMENTS,
    PEAKED,
    PLACED,
    Where,
    stretch_of,
)
from pitwall.ask.scope import Subject, limited
from pitwall.contract.query import Query, QueryLimit
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Lap

LapValues = Sequence[tuple[Lap, float]]


class PlaceValues(msgspec.Struct, frozen=True):
    """The laps' values at one place, and what is made of them (None where nothing is known)."""

    where: Where
    taken: LapValues
    value: float | None


class Evaluated(msgspec.Struct, frozen=True):
    """The values of a query: place by place, ranked where it asks for an order. `laps` are those it is of,
    `within` which value of a lap was taken."""

    query: Query
    laps: tuple[Lap, ...]
    within: str
    rows: tuple[PlaceValues, ...]

    @property
    def corner(self) -> str:
        """The corner that was found or asked for, "" for none."""
        return next((row.where.corner for row in self.rows if row.where.corner), "")

    @property
    def lap(self) -> int | None:
        """The lap that was found: of one the only one, else that with the value told first."""
        taken = [each for row in self.rows[:1] for each in row.taken]
        if not taken:
            return None
        return extreme(taken, _low(self.query))[0].number


def extreme(taken: LapValues, low: bool) -> tuple[Lap, float]:
    """The lap with the lowest or the highest value."""
    return (min if low else max)(taken, key=lambda each: each[1])


def _low(query: Query) -> bool:
    """Return whether the lowest value is asked for, or is the better one of a query that asks for neither
    end."""
    if query.which in ("min", "max"):
        return query.which == "min"
    if query.order:
        return query.order == "min"
    return not MEASURES[query.measure].high


def within_lap(query: Query) -> str:
    """Which value of a lap stands for it: "most", "least", "mean", "" for the figure as it is."""
    row, measure = MEASURES[query.measure], query.measure
    if measure not in OF_MOMENTS:
        return ""
    if query.which == "min" and measure not in PEAKED:
        return "least"
    if query.which == "mean" and query.order and not query.group:
        return "most" if query.order == "max" else "least"
    if query.which == "mean":
        peaks = measure in PEAKED and query.scope.places  # of a corner it is the peak that counts
        return "most" if peaks or measure in ("gear", "g_accel") else "mean"
    if query.which == "max":
        return "most"
    if measure == "oil_bar" and query.order != "max":
        return "least"
    if query.order == "min" and measure in ("speed", "coolant_c", "oil_temp_c", "rpm", "altitude_m"):
        return "least"
    if measure in ("speed", "gear") and all(
        ":" not in each and ">" not in each for each in query.scope.places
    ):
        return "" if query.scope.places else row.of_lap
    return row.of_lap


def told_end(query: Query) -> Literal["", "min", "max"]:
    """The end that is told of the laps' values where a query asks for none; "" where it is the usual one."""
    if query.measure == "oil_bar":
        return "min"
    peaks = query.measure in OF_MOMENTS and MEASURES[query.measure].usual == "most"
    return "max" if peaks and (not query.scope.places or query.measure != "speed") else ""


def reduced(query: Query, values: Sequence[float]) -> float | None:
    """Return what is made of the laps' values; of those that a query asks nothing of, what is usual."""
    row = MEASURES[query.measure]
    if not values:
        return None
    match query.which:
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "mean":
            return fmean(values)
        case "sum":
            return sum(values)
        case "spread":
            return max(values) - min(values)
    if query.which == "" and row.usual == "mean":
        return fmean(values)
    return median(values)


def laps_meant(subject: Subject, query: Query) -> list[Lap]:
    """The laps of a query: those it names, of a peak of the session all, else the flying ones."""
    if query.scope.laps:
        return subject.laps(query.scope.laps)
    edges = [each.partition(":")[2] for each in query.scope.places if each.startswith("edge:")]
    if edges:  # the first or the last reading of all
        ordered = list(subject.figures.laps.values())
        return ordered[:1] if edges[0] == "start" else ordered[-1:]
    peak = query.measure in OF_MOMENTS and MEASURES[query.measure].usual == "most" and not query.group
    limit = query.limit if query.which in ("exists", "") else None
    over = limit is not None and (limit.op == "over" or query.measure in CHANGE_SLOWLY)
    points = any("/" in each or each.startswith("at:") for each in query.scope.places)
    if (
        peak
        and not points
        and (query.which == "max" or (query.which == "" and query.measure != "oil_bar") or over)
    ):
        return list(subject.figures.laps.values())
    return list(subject.figures.flying)


def wheres_meant(subject: Subject, query: Query) -> list[Where]:
    """The places of a query; of a group each of its kind."""
    if query.group in ("corner", "sector", "straight", "piece"):
        named = [each for each in subject.wheres(query.scope.places) if each.part != "lap"]
        places = [each for each in named if each.part == query.group]
        if places:
            return places
        found = subject.places(query.group)
        return [each for each in found if _inside(subject, each, named)] if named else found
    if query.group == "gear":
        used = {
            gear
            for lap in subject.figures.flying
            for _, gear in subject.figures.gears(subject.figures.whole(lap))
        }
        return [Where(gear=gear) for gear in sorted(used)]
    return subject.wheres(query.scope.places)


def _inside(subject: Subject, place: Where, parts: Sequence[Where]) -> bool:
    """Return whether a corner lies in one of these sectors or halves."""
    row, track = subject.figures.corner_row(place.corner), subject.track
    if row is None or track is None:
        return False
    ends = {"sector": track.sectors_m, "half": (track.lap_m / 2.0,)}
    return any(sum(row.apex_m >= end for end in ends.get(part.part, ())) + 1 == part.number for part in parts)


def evaluate(subject: Subject, query: Query) -> Evaluated:
    """Take the values of a query. ToolRefused for a lap or place that is not there, StoreError."""
    laps, within = laps_meant(subject, query), within_lap(query)
    rows = []
    for where in wheres_meant(subject, query):
        if where.part not in MEASURES[query.measure].parts:
            continue
        taken = subject.taken(query.measure, where, laps, within)
        rows.append(PlaceValues(where, taken, reduced(query, [value for _, value in taken])))
    if query.order and query.group != "lap":
        known = [row for row in rows if row.value is not None]
        if query.limit is not None:
            known = [row for row in known if limited(query, row.value or 0.0)]
        if query.measure in LEAST_BRAKING:  # no corner is braked for softest that is not braked for
            known = [row for row in known if (row.value or 0.0) >= LEAST_BRAKING[query.measure]]
        rows = sorted(known, key=lambda row: row.value or 0.0, reverse=query.order == "max")
    return Evaluated(query, tuple(laps), within, tuple(rows))


def peak(subject: Subject, finding: Evaluated) -> tuple[float, float | None, Lap] | None:
    """(value, track distance, lap) of a signal's highest or lowest value in the laps and at the place."""
    query = finding.query
    channel = PLACED[query.measure]
    least = _low(query) and query.which != "max" and query.order != "max" and query.measure != "oil_bar"
    signs = (
        (-1.0,) if least and query.measure not in PEAKED else (channel.sign,) if channel.sign else (1.0, -1.0)
    )
    found = []
    for row in finding.rows:
        for lap in finding.laps:
            part = stretch_of(subject.figures, lap, row.where, channel.braked)
            for each in signs if part is not None else ():
                top = (
                    subject.figures.place_of_most(part, channel.signal, each, channel.held) if part else None
                )
                if top is not None:
                    found.append((each * top[0], top[1], lap))
    if not found:
        return None
    value, at_m, lap = max(found, key=lambda each: each[0])
    return (abs(value) if signs != (-1.0,) or query.measure == "g_brake" else -value), at_m, lap


def longest(subject: Subject, finding: Evaluated) -> tuple[float, float | None, Lap] | None:
    """(seconds, track distance of its begin, lap) of the longest run of what is counted in seconds."""
    holds = getattr(subject.figures, HOLDS[finding.query.measure])
    runs = [
        (end - begin, begin, lap)
        for row in finding.rows
        for lap in (finding.laps if holds is not None else ())
        if (part := stretch_of(subject.figures, lap, row.where, True)) is not None
        for begin, end in subject.figures.runs(part, holds)
    ]
    if not runs:
        return None
    time_s, begin, lap = max(runs, key=lambda each: each[0])
    return time_s, subject.figures.between(begin, begin)[0].at_m, lap


def beyond(
    subject: Subject, query: Query, where: Where, laps: Sequence[Lap]
) -> list[tuple[float, float, Lap]] | None:
    """(begin, end, lap) of each time in which a signal was over or under the query's limit. None: no
    signal."""
    if query.measure not in PLACED or query.limit is None:
        return None
    signal, sign = PLACED[query.measure].signal, PLACED[query.measure].sign
    limit: QueryLimit = query.limit

    def holds(frame: Frame) -> bool | None:
        value = getattr(frame, signal)
        if value is None:
            return None
        value = abs(value) if sign == 0.0 else sign * value if query.measure == "g_brake" else value
        return bool(value > limit.value) if limit.op == "over" else bool(value < limit.value)

    return [
        (begin, end, lap)
        for lap in laps
        if (part := stretch_of(subject.figures, lap, where)) is not None
        for begin, end in subject.figures.runs(part, holds)
    ]


def deviation(values: Sequence[float]) -> float:
    """The standard deviation, 0 of one value."""
    return stdev(values) if len(values) > 1 else 0.0
