"""Rows for training and judging: what the network sees, what the lookup says, and what came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from drives import Drive, DrivenLap
from numpy.typing import NDArray

from pitwall.coach.model.features import FEATURES, SPEED_AT_S, WAY_AT_S, Past, Trace, lookup

EVERY_S = 0.0999
# Columns of a row after its features: the lookup, the truth, and what only judging needs.
SPEEDS, WAYS = len(SPEED_AT_S), len(WAY_AT_S)
COLUMNS = {
    "lookup_mps": SPEEDS, "lookup_way_m": WAYS, "true_mps": SPEEDS, "true_way_m": WAYS,
    "brake": SPEEDS, "throttle": SPEEDS, "speed_mps": 1, "reference_mps": SPEEDS, "reference_here_mps": 1,
    "before_braking": 1, "lap": 1,
}  # fmt: skip
Rows = NDArray[np.float64]


def column(rows: Rows, name: str) -> Rows:
    """One group of columns: (n, its width)."""
    start = FEATURES
    for each, width in COLUMNS.items():
        if each == name:
            return rows[:, start : start + width]
        start += width
    raise KeyError(name)


def lap_rows(drive: Drive, lap: DrivenLap, ahead: Trace, lasts: Sequence[Trace]) -> Rows:
    """Every 0.1 s of a lap a row for each lap that may have been the last: shape (n, FEATURES + the widths of
    COLUMNS). Rows whose next seconds lie in a hole have NaN there."""
    rows = list(_rows(drive, lap, ahead, lasts))
    return np.array(rows).reshape(len(rows), FEATURES + sum(COLUMNS.values()))


def _rows(drive: Drive, lap: DrivenLap, ahead: Trace, lasts: Sequence[Trace]) -> Iterator[list[float]]:
    past, taken_t = Past(drive.track.length_m), -1.0
    past.highest_rpm = drive.highest_rpm
    for frame, position in lap.instants:
        past.feed(frame, position)
        if frame.t < lap.lap.start_t or frame.t - taken_t < EVERY_S or not past.known:
            continue
        t = taken_t = frame.t
        speeds, ways = lookup(past, ahead)
        at_s = ahead.time_at(past.place_m)
        braking = [drive.braking_at(t + s) for s in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)]
        came = [
            *speeds, *ways,
            *(drive.speed_at(t + s) for s in SPEED_AT_S), *(drive.way_m(t, s) for s in WAY_AT_S),
            *(float(drive.braking_at(t + s)) for s in SPEED_AT_S),
            *(drive.throttle_at(t + s) for s in SPEED_AT_S),
            past.speed_mps, *(ahead.speed(at_s + s) for s in SPEED_AT_S), ahead.speed(at_s),
            float(not braking[0] and any(braking)), float(lap.lap.number),
        ]  # fmt: skip
        for last in lasts:
            yield [*past.features(ahead, last), *came]


def in_order(drive: Drive) -> Iterator[tuple[DrivenLap, DrivenLap, DrivenLap]]:
    """Each flying lap as the car drives it: with the best lap before it, and the last one."""
    for index, lap in enumerate(drive.laps[1:], 1):
        before = drive.laps[:index]
        yield lap, min(before, key=lambda each: each.lap.time_s or 0.0), before[-1]


def paired_rows(
    drive: Drive, without: Iterable[int] = (), *, most: int = 6, lasts: int = 1, seed: int = 1
) -> Rows:
    """Rows for training: each lap against up to `most` of the others, whatever came first, and each time
    with up to `lasts` of them as the last lap."""
    choose, left_out = np.random.default_rng(seed), set(without)
    laps = [lap for lap in drive.laps if lap.lap.number not in left_out]
    traces = [Trace(lap.as_reference, drive.curvature) for lap in laps]
    parts = []
    for index, lap in enumerate(laps):
        others = [other for other in range(len(laps)) if other != index]
        parts += [
            lap_rows(drive, lap, traces[ahead], [traces[last] for last in choose.permutation(others)[:lasts]])
            for ahead in choose.permutation(others)[:most]
        ]
    return np.concatenate(parts) if parts else np.zeros((0, FEATURES + sum(COLUMNS.values())))
