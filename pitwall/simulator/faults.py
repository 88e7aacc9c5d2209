"""Sensors that fail on demand: each kind of fault is one small function on one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitwall.simulator.plan import Fault, SimulationError
from pitwall.simulator.trace import State

# What a hole in the fix takes away. Satellites read 0, the rest is gone.
HOLE_SIGNALS = ("lat_deg", "lon_deg", "altitude_m", "speed_mps", "heading_deg")
# One bad reading in so many seconds.
SPIKE_EVERY_S = 10.0
# Turning, not weaving on a straight.
TURNING_G = 0.1

Change = Callable[[Fault, float, float], float | None]

# (fault, value now, value when the fault began) -> what the logger writes. Spikes and holes are not here.
CHANGES: dict[str, Change] = {
    "sentinel": lambda fault, now, first: fault.amount,
    "stuck": lambda fault, now, first: first,
    "offset": lambda fault, now, first: now + fault.amount,
    "scale": lambda fault, now, first: now * fault.amount,
    "sign": lambda fault, now, first: -now,
    "drop": lambda fault, now, first: None,
    "spike": lambda fault, now, first: now + fault.amount,
}


class Faulty:
    """Applies a plan's faults to rows of values. Keeps where a stuck sensor stuck and when it last spiked."""

    def __init__(self, faults: Sequence[Fault], channels: Sequence[str], track_m: float) -> None:
        self.track_m = track_m
        self.faults: list[tuple[Fault, tuple[int, ...]]] = []
        for fault in faults:
            names = HOLE_SIGNALS if fault.kind == "hole" else (fault.signal,)
            missing = [name for name in names if name not in channels]
            if missing:
                raise SimulationError(
                    f"a fault of {missing[0]!r}, which isn't simulated; there are {', '.join(channels)}"
                )
            self.faults.append((fault, tuple(channels.index(name) for name in names)))
        self.satellites = channels.index("satellites")
        self.first: list[float | None] = [None] * len(self.faults)
        self.spiked: list[float] = [-SPIKE_EVERY_S] * len(self.faults)

    def apply(self, values: list[float | None], state: State) -> None:
        """Change `values` in place as the faults that are on at this state will have it."""
        for number, (fault, indexes) in enumerate(self.faults):
            if not is_on(fault, state, self.track_m):
                self.first[number] = None
            elif fault.kind == "hole":
                for index in indexes:
                    values[index] = None
                values[self.satellites] = 0.0
            else:
                self._change(number, fault, indexes[0], values, state.t)

    def _change(self, number: int, fault: Fault, index: int, values: list[float | None], t: float) -> None:
        now = values[index]
        if now is None:
            return
        if fault.kind == "spike":
            if t < self.spiked[number] + SPIKE_EVERY_S:
                return
            self.spiked[number] = t
        first = self.first[number]
        if first is None:
            first = self.first[number] = now
        values[index] = CHANGES[fault.kind](fault, now, first)


def is_on(fault: Fault, state: State, track_m: float) -> bool:
    """Whether a fault is active at this state."""
    if fault.start_t is not None and not fault.start_t <= state.t < (fault.end_t or float("inf")):
        return False
    if fault.start_m is not None and fault.end_m is not None:
        along_m = state.along_m % track_m
        across_gate = fault.end_m < fault.start_m
        inside = (
            along_m >= fault.start_m or along_m < fault.end_m
            if across_gate
            else fault.start_m <= along_m < fault.end_m
        )
        if not inside:
            return False
    if fault.turning == "left":
        return state.g_lat > TURNING_G
    if fault.turning == "right":
        return state.g_lat < -TURNING_G
    return True
