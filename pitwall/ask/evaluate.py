"""Compute a query's values: a measure of laps at places, aggregated and ranked."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import Literal

import msgspec

from pitwall.analysis.opportunities import shared_out
from pitwall.ask.measures import LEAST_BRAKING, MEASURES, OF_MOMENTS, PEAKED, Where
from pitwall.ask.scope import Subject
from pitwall.contract.questions import Query
from pitwall.track.lap import Lap

LapValues = Sequence[tuple[Lap, float]]


class PlaceValues(msgspec.Struct, frozen=True):
    """The laps' values at one place, and their aggregate (None where nothing is known)."""

    where: Where
    lap_values: LapValues
    value: float | None


class Evaluated(msgspec.Struct, frozen=True):
    """A query's values, place by place or ranked. `within`: which value of a lap counts."""

    query: Query
    laps: tuple[Lap, ...]
    within: str
    rows: tuple[PlaceValues, ...]


def extreme(lap_values: LapValues, low: bool) -> tuple[Lap, float]:
    """Return the lap with the lowest or the highest value."""
    return (min if low else max)(lap_values, key=lambda each: each[1])


def within_lap(query: Query) -> str:
    """Return which value of a lap counts: "most", "least", "mean", "" for the figure itself."""
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
    if query.order == "min" and measure in ("speed", "coolant_c", "oil_temp_c", "rpm"):
        return "least"
    if measure in ("speed", "gear") and all(":" not in each for each in query.scope.places):
        return "" if query.scope.places else row.of_lap
    return row.of_lap


def default_end(query: Query) -> Literal["", "min", "max"]:
    """Return the aggregate of a query that asks for none: "max", "min", "" for the usual value."""
    if query.measure == "oil_bar":
        return "min"
    peaks = query.measure in OF_MOMENTS and MEASURES[query.measure].usual == "most"
    return "max" if peaks and (not query.scope.places or query.measure != "speed") else ""


def reduced(query: Query, values: Sequence[float]) -> float | None:
    """Return the aggregate of the laps' values, by default the usual value."""
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
        case "median":
            return median(values)
        case "sum":
            return sum(values)
        case "spread":
            return max(values) - min(values)
    if query.which == "" and row.usual == "mean":
        return fmean(values)
    return shared_out(values)[1] if query.measure == "lost" else median(values)


def query_laps(subject: Subject, query: Query) -> list[Lap]:
    """Return a query's laps: the named ones, all for a peak, else the flying ones."""
    if query.scope.laps:
        return subject.laps(query.scope.laps)
    spread = (query.measure, query.which, query.scope.places, query.group) == ("time", "spread", (), "")
    if query.measure == "lost" or spread:  # as in the debrief
        counting = subject.tools.report().potential.laps
        found = [lap for lap in subject.figures.flying if lap.number in counting]
        if len(found) > spread:
            return found
    peak = query.measure in OF_MOMENTS and MEASURES[query.measure].usual == "most" and not query.group
    highest = query.which == "max" or (query.which == "" and query.measure != "oil_bar")
    if peak and highest and not any("/" in each for each in query.scope.places):
        return list(subject.figures.laps.values())
    return list(subject.figures.flying)


def query_places(subject: Subject, query: Query) -> list[Where]:
    """Return a query's places; of a group each of its kind."""
    if query.group in ("corner", "sector", "straight"):
        named = [each for each in subject.wheres(query.scope.places) if each.part == query.group]
        if query.group == "straight" and query.order:  # the fastest place may be no long straight
            return named or [Where("straight", each.id, "before") for each in subject.figures.corners]
        return named or subject.places(query.group)
    return subject.wheres(query.scope.places)


def evaluate(subject: Subject, query: Query) -> Evaluated:
    """Compute a query's values. ToolRefused for a lap or place that is not there, StoreError."""
    laps, within = query_laps(subject, query), within_lap(query)
    rows = []
    for where in query_places(subject, query):
        if where.part not in MEASURES[query.measure].parts:
            continue
        lap_values = subject.lap_values(query.measure, where, laps, within)
        rows.append(PlaceValues(where, lap_values, reduced(query, [value for _, value in lap_values])))
    if query.order and query.group != "lap":
        known = [row for row in rows if row.value is not None]
        if query.measure in LEAST_BRAKING:  # no corner is braked for softest that is not braked for
            known = [row for row in known if (row.value or 0.0) >= LEAST_BRAKING[query.measure]]
        rows = sorted(known, key=lambda row: row.value or 0.0, reverse=query.order == "max")
    return Evaluated(query, tuple(laps), within, tuple(rows))
