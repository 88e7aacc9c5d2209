"""Forecasts of a drive as the car makes them, beside what came and beside simpler ways to forecast."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from drives import Drive
from numpy.typing import NDArray
from samples import in_order

from pitwall.coach.lead import REFERENCE_SHARE, scaled_s
from pitwall.coach.model.features import SPEED_AT_S, WAY_AT_S, Trace, lookup
from pitwall.coach.model.forecast import SPEED_UNIT_MPS, SPEEDS, Forecast, Score, corrections_m
from pitwall.coach.model.forecaster import EVERY_S, Forecaster

KMH = 3.6
Values = NDArray[np.float64]
Run = Callable[[Sequence[float]], Sequence[float]]
NAMES = ("persistence", "reference, scaled", "decaying offset", "network")
# A place that the car reaches so many seconds later: how much earlier is it expected, and how often late?
ACTION_AT_S = (2.0, 3.0)
# By whom. The rules err to the early side on purpose; as used, the lookup and the network's middle are taken
# sooner by what they were late in the drive so far.
TIMED_BY = ("rules", "lookup", "lookup as used", "network's middle", "network as used")


class Judged:
    """What came of the flying laps of one drive: rows of (n, SPEEDS) by name, and what goes with them."""

    def __init__(self) -> None:
        self.true: list[list[float]] = []
        self.said: dict[str, list[list[float]]] = {name: [] for name in NAMES}
        self.before_braking: list[bool] = []
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
        self.better += other.better
        self.asked += other.asked
        for mine, its in ((self.said, other.said), (self.slack, other.slack)):
            for name, rows in its.items():
                mine[name] += rows


def judge(drive: Drive, run: Run, laps: Sequence[int] | None = None) -> Judged:
    """Drive the flying laps in their order (of these numbers: others are only learned from). Here the network
    is asked all along the lap; the car asks while a call waits for its place."""
    judged, forecaster = Judged(), Forecaster(drive.track, run)
    alone = Score()  # of the lookup, corrected by nothing
    for lap, best, last in in_order(drive):
        forecaster.compare_with(best.as_reference, last.as_reference)
        ahead = Trace(best.as_reference, drive.curvature)
        wanted, asked_t = laps is None or lap.lap.number in laps, lap.lap.start_t - EVERY_S
        for frame, position in lap.instants:
            forecaster.feed(frame, position)
            if frame.speed_mps is None or position.status != "on":
                alone.clear()
                continue
            alone.feed(frame.t, frame.speed_mps)
            if not forecaster.score.waits:
                forecaster.score.feed(frame.t, frame.speed_mps)
            asked = forecaster.ask() if frame.t - asked_t >= EVERY_S - 1e-3 else None
            if asked is None:
                continue
            asked_t, (features, base_m) = frame.t, asked
            outputs = run(features)
            forecast, at = forecaster.take(base_m, outputs), forecaster.past
            alone.note(at.t, base_m, [0.0] * len(base_m))
            if wanted:
                speeds = lookup(at, ahead)[0]
                middle = [base + each for base, each in zip(base_m, corrections_m(outputs), strict=True)]
                by = (
                    Forecast(at.t, at.place_m, tuple(base_m), tuple(alone.early_s)),
                    Forecast(at.t, at.place_m, tuple(middle), forecast.early_s),
                    forecast,
                )
                _note(judged, drive, ahead, speeds, outputs, by)
                judged.better.append(forecaster.score.better)
    return judged


def _note(judged, drive, ahead, speeds, outputs, by) -> None:  # type: ignore[no-untyped-def]
    alone, middle, forecast = by
    t, speed = forecast.t, drive.speed_at(forecast.t)
    true = [drive.speed_at(t + s) for s in SPEED_AT_S]
    way = [drive.way_m(t, s) for s in WAY_AT_S]
    if not np.isfinite([speed, *true, *way]).all():
        return
    at_s = ahead.time_at(forecast.place_m)
    ratio = min(max(speed / max(ahead.speed(at_s), 1.0), 0.5), 1.5)
    judged.true.append(true)
    judged.said["persistence"].append([speed] * SPEEDS)
    judged.said["reference, scaled"].append([ahead.speed(at_s + s) * ratio for s in SPEED_AT_S])
    judged.said["decaying offset"].append(list(speeds))
    judged.said["network"].append([speeds[i] + SPEED_UNIT_MPS * outputs[i] for i in range(SPEEDS)])
    braking = [drive.braking_at(t + s) for s in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
    judged.before_braking.append(not braking[0] and any(braking[1:]))
    judged.asked += 1
    places_m = [drive.way_m(t, s) for s in ACTION_AT_S]
    by_rules = [
        s - REFERENCE_SHARE * scaled_s(ahead.time_at(forecast.place_m + m) - at_s, ahead.speed(at_s), speed)
        for s, m in zip(ACTION_AT_S, places_m, strict=True)
    ]
    rows = [by_rules]
    for each, as_used in ((alone, False), (alone, True), (middle, False), (forecast, True)):
        told = [each.seconds_to(m) for m in places_m]
        rows.append(
            [s - at + (early if as_used else 0.0) for s, (at, early) in zip(ACTION_AT_S, told, strict=True)]
        )
    for name, row in zip(TIMED_BY, rows, strict=True):
        judged.slack[name].append(row)


def table(judged: Judged) -> list[str]:
    """The table of a drive: mean absolute errors, and times to an action point."""
    if not judged.true:
        return ["no forecast could be judged: it takes two flying laps at least"]
    before = np.array(judged.before_braking)
    lines = [f"{'km/h, mean absolute error':28s}   0.5 s    1 s    2 s   1 s before braking"]
    for name in NAMES:
        errors = judged.errors(name)
        braking = f"{errors[before, 1].mean():6.2f}" if before.any() else "     -"
        means = " ".join(f"{value:6.2f}" for value in errors.mean(0))
        lines.append(f"{name:28s}  {means}   {braking}")
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
