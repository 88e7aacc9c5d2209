"""Which kind of source has fallen silent, told by the samples of the others. Data time, O(1) a sample."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitwall.telemetry.sample import Sample, Stream

# What makes a stream one of the car's own: a phone or a GPS receiver knows none of these.
CAR = ("wheel_speed_mps", "steering_deg", "brake_bar", "brake_pct", "throttle_pct", "rpm", "gear")
INERTIAL = ("g_lat", "g_long", "yaw_rate_dps")
# Beyond the usual step: a late packet, not a loss. With steps of 10 Hz a loss is known after 0.43 s.
LATE_S = 0.33
# The usual step is learned from steps up to this: a slower source can't be watched this closely.
SLOWEST_S = 2.0
STEP_WEIGHT = 1 / 16
GOOD_S = 2.0
# A source has to have been there before it can be lost.
KNOWN_READINGS = 10


class LossEvent(msgspec.Struct, frozen=True):
    """`what` (gps, can or imu) is lost or back at `t`; a loss counts from its last good reading."""

    t: float
    what: str
    lost: bool
    reason: str = ""


class _Kind:
    """One kind of source: any of its streams keeps it alive."""

    __slots__ = ("good_since", "last_t", "lost", "readings", "step_s", "what")

    def __init__(self, what: str) -> None:
        self.what = what
        self.readings = 0
        self.last_t = self.good_since = 0.0
        self.step_s = 0.1
        self.lost = False

    def late_s(self) -> float:
        return self.step_s + LATE_S

    def reading(self, t: float) -> LossEvent | None:
        """A good reading; the event that it makes."""
        step_s = t - self.last_t
        if step_s < 0.0:
            return None
        if self.lost and step_s > self.late_s():
            self.good_since = t
        elif 0.0 < step_s <= SLOWEST_S:
            self.step_s += STEP_WEIGHT * (step_s - self.step_s)
        self.last_t = t
        self.readings += 1
        if self.lost and t - self.good_since >= GOOD_S:
            self.lost = False
            return LossEvent(t, self.what, False)
        return None

    def overdue(self, t: float) -> LossEvent | None:
        """Whether it has just become lost at `t`."""
        if self.lost or self.readings < KNOWN_READINGS or t - self.last_t <= self.late_s():
            return None
        self.lost = True
        return LossEvent(t, self.what, True, f"silent for {t - self.last_t:.2f} s")


class LossWatch:
    """Feed every sample in order of arrival, and ticks while none comes."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}
        self._of: dict[int, tuple[tuple[_Kind, int], ...]] = {}
        self._t = 0.0
        self._look_t = 0.0

    def stream(self, stream: Stream) -> None:
        """Take in one more stream."""
        names = [channel.name for channel in stream.channels]
        of: list[tuple[_Kind, int]] = []
        if "lat_deg" in names and "lon_deg" in names:
            of.append((self._kind("gps"), names.index("lat_deg")))
        else:
            for what, wanted in (("can", CAR), ("imu", INERTIAL)):
                column = next((names.index(name) for name in wanted if name in names), None)
                if column is not None:
                    of.append((self._kind(what), column))
        self._of[stream.id] = tuple(of)

    def feed(self, sample: Sample) -> Sequence[LossEvent]:
        """What became lost or came back with this sample."""
        t = sample.t
        events: Sequence[LossEvent] = ()
        for kind, column in self._of.get(sample.stream, ()):
            if sample.values[column] is not None:
                event = kind.reading(t)
                if event is not None:
                    events = (*events, event)
        return (*events, *self.tick(t)) if t >= self._look_t else events

    def tick(self, t: float) -> Sequence[LossEvent]:
        """What is overdue at `t`."""
        self._t = max(self._t, t)
        # Every 20 ms is soon enough, and a CAN bus brings 40 samples in that time.
        self._look_t = self._t + 0.02
        return [event for kind in self._kinds.values() if (event := kind.overdue(self._t)) is not None]

    def _kind(self, what: str) -> _Kind:
        return self._kinds.setdefault(what, _Kind(what))
