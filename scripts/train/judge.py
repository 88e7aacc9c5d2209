"""Forecasts of a drive as the car makes them, beside what came and beside four simpler ways to forecast."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from drives import Drive
from numpy.typing import NDArray
from samples import in_order

from pitwall.coach.lead import REFERENCE_SHARE, scaled_s
from pitwall.coach.model.features import SPEED_AT_S, Trace
from pitwall.coach.model.forecast import HEADS, SPEEDS, seconds_to_way
from pitwall.coach.model.forecaster import Forecaster

KMH = 3.6
Values = NDArray[np.float64]
Run = Callable[[Sequence[float]], Sequence[float]]
NAMES = ("persistence", "reference, scaled", "decaying offset", "network", "network as used")
# A place that the car reaches so many seconds later: how much earlier is it expected, and how often late?
ACTION_AT_S = (2.0, 3.0)
# By whom. The rules err to the early side on purpose; the network as used is the soonest of twenty.
TIMED_BY = ("rules", "lookup", "network as used", "network's middle")


class Judged:
    """What came of the flying laps of one drive: rows of (n, SPEEDS) by name, and what goes with them."""

    def __init__(self) -> None:
        self.true: list[list[float]] = []
        self.said: dict[str, list[list[float]]] = {name: [] for name in NAMES}
        self.before_braking: list[bool] = []
        self.held: list[list[bool]] = []
        self.slack: dict[str, list[list[float]]] = {name: [] for name in TIMED_BY}
        self.better: list[bool] = []
        self.asked = 0

    def errors(self, name: str) -> Values:
        """km/h, (n, SPEEDS)."""
        return np.abs(np.array(self.said[name]) - np.array(self.true)) * KMH

    def add(self, other: Judged) -> None:
        """Count another drive too."""
        self.true += other.true
        self.before_braking += other.before_braking
        self.held += other.held
        self.better += other.better
        self.asked += other.asked
        for mine, its in ((self.said, other.said), (self.slack, other.slack)):
            for name, rows in its.items():
                mine[name] += rows


def judge(drive: Drive, run: Run, scales: Sequence[float], laps: Sequence[int] | None = None) -> Judged:
    """Drive the flying laps in their order (of these numbers: others are only learned from)."""
    judged, forecaster = Judged(), Forecaster(drive.track, scales)
    for lap, best, last in in_order(drive):
        forecaster.compare_with(best.as_reference, last.as_reference)
        ahead = Trace(best.as_reference, drive.curvature)
        wanted = laps is None or lap.lap.number in laps
        for frame, position in lap.instants:
            forecaster.feed(frame, position)
            question = forecaster.ask(frame.t) if frame.t >= lap.lap.start_t else None
            if question is None:
                continue
            outputs = run(question.features)
            shares = forecaster.score.shares
            forecast = forecaster.take(question, outputs)
            if wanted:
                _note(judged, drive, ahead, question.base, outputs, forecast, shares)
    return judged


def _note(judged, drive, ahead, base, outputs, forecast, shares) -> None:  # type: ignore[no-untyped-def]
    t, speed = forecast.t, drive.speed_at(forecast.t)
    true = [drive.speed_at(t + s) for s in SPEED_AT_S]
    way = [drive.way_m(t, s) for s in (1.0, 2.0, 3.0, 4.0)]
    if not np.isfinite([speed, *true, *way]).all():
        return
    at_s = ahead.time_at(forecast.place_m)
    ratio = min(max(speed / max(ahead.speed(at_s), 1.0), 0.5), 1.5)
    judged.true.append(true)
    judged.said["persistence"].append([speed] * SPEEDS)
    judged.said["reference, scaled"].append([ahead.speed(at_s + s) * ratio for s in SPEED_AT_S])
    judged.said["decaying offset"].append(list(base[:SPEEDS]))
    judged.said["network"].append([base[i] + 2.0 * outputs[i] for i in range(SPEEDS)])
    judged.said["network as used"].append(list(forecast.speed_mps))
    braking = [drive.braking_at(t + s) for s in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
    judged.before_braking.append(not braking[0] and any(braking[1:]))
    low = (*forecast.speed_low_mps, *forecast.way_low_m)
    high = (*forecast.speed_high_mps, *forecast.way_high_m)
    came = [*true, *way]
    judged.held.append([low[i] <= came[i] <= high[i] for i in range(HEADS)])
    judged.better.append(forecast.better)
    judged.asked += 1
    places_m = [drive.way_m(t, s) for s in ACTION_AT_S]
    by_rules = [
        s - REFERENCE_SHARE * scaled_s(ahead.time_at(forecast.place_m + m) - at_s, ahead.speed(at_s), speed)
        for s, m in zip(ACTION_AT_S, places_m, strict=True)
    ]
    by_way = [
        [s - seconds_to_way(ways_m, m) for s, m in zip(ACTION_AT_S, places_m, strict=True)]
        for ways_m in (base[SPEEDS:], forecast.way_high_m, forecast.way_m)
    ]
    for name, row in zip(TIMED_BY, (by_rules, *by_way), strict=True):
        judged.slack[name].append(row)


def table(judged: Judged) -> list[str]:
    """The table of a drive: mean absolute errors, bands, and times to an action point."""
    if not judged.true:
        return ["no forecast could be judged: it takes two flying laps at least"]
    before = np.array(judged.before_braking)
    lines = [f"{'km/h, mean absolute error':28s}   0.5 s    1 s    2 s   1 s before braking"]
    for name in NAMES:
        errors = judged.errors(name)
        braking = f"{errors[before, 1].mean():6.2f}" if before.any() else "     -"
        means = " ".join(f"{value:6.2f}" for value in errors.mean(0))
        lines.append(f"{name:28s}  {means}   {braking}")
    held = 100.0 * np.array(judged.held).mean(0)
    lines.append(f"bands of 90 % held: speed {_list(held[:SPEEDS])} %, way driven {_list(held[SPEEDS:])} %")
    for name, rows in judged.slack.items():
        early, late = np.array(rows), np.mean(np.array(rows) < -0.3, 0) * 100.0
        wrong, middle, worst = np.median(np.abs(early), 0), np.median(early, 0), np.percentile(early, 1, 0)
        told = ", ".join(
            f"{s:g} s: {e:.3f} s wrong, {m:+.3f} early (1 % under {w:+.2f}, {late_:.2f} % late by over 0.3)"
            for s, e, m, w, late_ in zip(ACTION_AT_S, wrong, middle, worst, late, strict=True)
        )
        lines.append(f"time to a place, {name:16s} {told}")
    lines.append(
        f"{judged.asked} forecasts, {int(before.sum())} just before braking; "
        f"nearer than the lookup by its own score in {100.0 * np.mean(judged.better):.0f} % of them"
    )
    return lines


def _list(values: Values) -> str:
    return " ".join(f"{value:.0f}" for value in values)
