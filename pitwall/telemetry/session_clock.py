"""A session's clock: the sources' own stamps, mapped to it, give the lap times.

Arrival is only ever late, so the least delayed readings give the offset of a source's clock
(minimum filter over a window, Paxson 1998, "On calibrating measurements of packet transit times"),
and the slope of those minima its drift. The estimate moves no faster than a bad crystal drifts. A
set clock is believed when three readings agree.

A receiver of positions has the better clock than this machine. So the session clock runs at the
rate of the first receiver: its mapped times differ exactly as its stamps do, and lap times equal
those of a file of it. The machine's drift against it is subtracted from arrival times. Further
receivers keep the distances of their stamps too, while they agree with the first. All other clocks
are followed.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

import msgspec

from pitwall.contract.status import ClockEstimate
from pitwall.telemetry.even import EvenClock

# A worse crystal is broken: the estimate follows no faster.
MAX_DRIFT = 200e-6
# The least delayed reading of each bucket is kept, for a window of two minutes.
BUCKET_S = 5.0
BUCKETS = 24
# Drift is estimated from half a window on: less is lost in the jitter.
DRIFT_BUCKETS = 12
# Until this many readings in this time a lower offset applies at once.
LEARN_READINGS = 50
LEARN_S = 5.0
# Readings this much earlier than the estimate allows, or stamps this far behind, show a set clock.
JUMP_S = 0.1
# Readings of a set clock agree with one another this well, or within the known jitter.
AGREE_S = 0.15
AGREE_JITTERS = 4.0
# This many agreeing readings are believed, and this many odd ones in a row in any case.
CONFIRM_READINGS = 3
ODD_READINGS = 10
# Consecutive stamps are the truth, lateness is the link's. A clock was set back only if the stamps
# have a hole and all that follows is late by the same amount: a link catches up.
LATE_S = 1.0
LATE_FOR_S = 5.0
CATCH_UP_S = 0.1
# The least delay of the first second after the hole.
FIRST_S = 1.0
# Stamps at the usual distance were not set.
EVEN_STEPS, STEP_WEIGHT = 1.8, 1 / 16
# A stamp that stands still for longer is no clock.
FROZEN_S = 2.0
# Wrapping counters: LAWICEL's minute, 16 and 32 bits of ms, 32 bits of us, time of day, GPS week.
DAY_S, WEEK_S = 86400.0, 604800.0
WRAPS_S = (60.0, 65.536, 4294.967296, DAY_S, WEEK_S, 4294967.296)
# How near to zero a counter is that has just begun again.
RESTART_S = 1.0
# A stream whose first stamp is further off its source's clock has its own (a phone's GPS and IMU).
SAME_CLOCK_S = 5.0
# If two receivers' clocks drift apart by more, the later one follows the first.
RECEIVERS_AGREE_S = 0.1
# After so long without a stamp the receiver that set the pace hands over to another one.
PACE_SILENT_S = 10.0
# Three thousand years: larger stamps have another unit.
MAX_STAMP_S = 1e11
# Weight of a reading in the mean delay.
EXCESS_WEIGHT = 1 / 64


class KnownClock(msgspec.Struct, frozen=True, kw_only=True):
    """A clock: stamp + `unwrap_s` + `offset_s` is session time; `excess_s`: the mean delay."""

    streams: tuple[str, ...]
    offset_s: float
    unwrap_s: float
    rate: float
    excess_s: float
    last_s: float
    receiver: bool


class CountedOn:
    """Unwraps the seconds of a clock that restarts each day or week, by its stamps alone."""

    def __init__(self, *wraps_s: float) -> None:
        self._wraps_s = wraps_s
        self._last_s = math.nan
        self._shift_s = 0.0

    def count(self, source_s: float) -> float:
        """Return the stamp, counted on from the first one."""
        last_s, self._last_s = self._last_s, source_s
        step_s = source_s - last_s
        for wrap_s in self._wraps_s:
            if abs(step_s) > wrap_s / 2 and min(source_s, last_s) >= 0.0 and max(source_s, last_s) < wrap_s:
                self._shift_s -= math.copysign(wrap_s, step_s)
                break
        return self._shift_s + source_s


class _SourceClock:
    """The estimate of one clock, from its stamps and their arrival (seconds since the start)."""

    def __init__(self) -> None:
        # How often it was anchored, or learnt.
        self.changes = 0
        # The offset against this machine's clock, and how much was followed since.
        self.offset_s: float | None = None
        self.slewed_s = 0.0
        # How far this machine's clock is ahead of session time, by this receiver's stamps.
        self.receiver = False
        self.ahead_s = 0.0
        self.excess_s = 0.0
        self.jumps = self.wraps = 0
        self._unwrap_s = 0.0
        self._rate = 0.0
        self._points: deque[tuple[float, float]] = deque(maxlen=BUCKETS)
        self._last_s = self._floor_s = self._floor_d = 0.0
        self._bucket_s = self._bucket_d = self._bucket_end_s = 0.0
        self.moved_at = self._anchored_at = 0.0
        self.learning, self._readings = True, 0
        self._late_since, self._late_d, self._late_first_d = math.inf, 0.0, 0.0
        self._odd = self._odd_run = 0
        self._odd_d = self._odd_min_d = self._odd_sum_d = 0.0
        self._frozen = False
        self._usual_step_s = 0.0

    @property
    def drift_ppm(self) -> float:
        return self._rate * 1e6

    def map(self, source_s: float, arrival_s: float) -> float | None:
        """Return the stamp as seconds of this machine's clock; None if it is not believed."""
        offset = self.offset_s
        s = source_s + self._unwrap_s
        if offset is None:
            self._anchor(s, arrival_s, arrival_s - s)
            return arrival_s
        ds = s - self._last_s
        if ds > 0.0:
            offset += self._rate * ds
        d = arrival_s - s
        early = offset - d
        if early > JUMP_S and 0.0 < ds <= EVEN_STEPS * self._usual_step_s and not self._odd:
            # The least delayed reading so far tells the offset.
            self.slewed_s -= early
            offset = self.offset_s = self._floor_d = self._bucket_d = d
            self._floor_s = self._bucket_s = s
            self._points.clear()
            early = 0.0
        if early > JUMP_S or (early < -JUMP_S and (ds < 0.0 or self._odd > 0 or (ds > 0.0 and self._frozen))):
            return self._unusual(source_s, s, arrival_s)
        self._odd = 0
        if ds <= 0.0:
            return s + offset if ds < 0.0 or self._moves(arrival_s) else None
        self._frozen = False
        self._last_s, self.moved_at = s, arrival_s
        self._usual_step_s += STEP_WEIGHT * (ds - self._usual_step_s) if self._usual_step_s else ds
        if early > -LATE_S:
            self._late_since = math.inf
        elif self._was_set_back(arrival_s, d, ds):
            self.jumps += 1
            self._anchor(s, arrival_s, self._late_d)
            return s + self._late_d
        before = self.offset_s or 0.0
        self.offset_s = offset = self._follow(s, ds, d, offset, arrival_s)
        self.slewed_s += offset - before
        excess = d - offset
        self.excess_s += EXCESS_WEIGHT * ((excess if excess < JUMP_S else JUMP_S) - self.excess_s)
        return s + offset

    def _follow(self, s: float, ds: float, d: float, offset: float, arrival_s: float) -> float:
        target = self._floor_d + self._rate * (s - self._floor_s)
        if d < target:
            self._floor_s, self._floor_d, target = s, d, d
        if d <= self._bucket_d + self._rate * (s - self._bucket_s):
            self._bucket_s, self._bucket_d = s, d
        if s >= self._bucket_end_s:
            self._close_bucket(s)
        if self.learning:
            self._readings += 1
            self.learning = self._readings < LEARN_READINGS or arrival_s - self._anchored_at < LEARN_S
            self.changes += not self.learning
            return target
        step = MAX_DRIFT * ds
        gap = target - offset
        return offset + (step if gap > step else -step if gap < -step else gap)

    def _close_bucket(self, s: float) -> None:
        points = self._points
        points.append((self._bucket_s, self._bucket_d))
        self._bucket_s, self._bucket_d, self._bucket_end_s = s, math.inf, s + BUCKET_S
        rate = self._rate
        if len(points) >= DRIFT_BUCKETS:
            half = len(points) // 2
            listed = list(points)
            s1, d1 = min(listed[:half], key=lambda point: point[1] - rate * point[0])
            s2, d2 = min(listed[half:], key=lambda point: point[1] - rate * point[0])
            self._rate = rate = min(max((d2 - d1) / (s2 - s1), -MAX_DRIFT), MAX_DRIFT)
        self._floor_s, self._floor_d = min(points, key=lambda point: point[1] - rate * point[0])

    def _moves(self, arrival_s: float) -> bool:
        """Return whether a repeated stamp is of the same moment, not of a stopped clock."""
        self._frozen = arrival_s - self.moved_at > FROZEN_S
        return not self._frozen

    def _was_set_back(self, arrival_s: float, d: float, ds: float) -> bool:
        """Return whether all that followed a hole in the stamps is late by the same amount."""
        if ds > LATE_S:
            self._late_since, self._late_d, self._late_first_d = arrival_s, d, d
        elif self._late_since < math.inf:
            self._late_d = min(self._late_d, d)
            if arrival_s - self._late_since < FIRST_S:
                self._late_first_d = self._late_d
            elif self._late_d < self._late_first_d - CATCH_UP_S:
                self._late_since = math.inf
        return arrival_s - self._late_since > LATE_FOR_S

    def _unusual(self, source_s: float, s: float, arrival_s: float) -> float | None:
        wrapped = self._wrapped(source_s, s, arrival_s)
        if wrapped is not None:
            return wrapped
        d = arrival_s - s
        self._odd_run = self._odd_run + 1 if self._odd else 1
        agree_s = max(AGREE_S, AGREE_JITTERS * self.excess_s)
        if self._odd and abs(d - self._odd_d) <= agree_s:
            self._odd += 1
            self._odd_min_d = min(self._odd_min_d, d)
            self._odd_sum_d += d
        else:
            self._odd, self._odd_d, self._odd_min_d, self._odd_sum_d = 1, d, d, d
        if self._odd < CONFIRM_READINGS and self._odd_run < ODD_READINGS:
            return None
        self.jumps += 1
        # Three readings tell the link's mean delay better than its least.
        offset = min(self._odd_min_d, self._odd_sum_d / self._odd - self.excess_s)
        self._anchor(s, arrival_s, offset)
        return s + offset

    def _wrapped(self, source_s: float, s: float, arrival_s: float) -> float | None:
        offset = self.offset_s
        if s >= self._last_s or offset is None:
            return None
        if not 0.0 <= source_s <= RESTART_S + arrival_s - self.moved_at:
            return None
        for wrap_s in WRAPS_S:
            if -JUMP_S <= arrival_s - s - wrap_s - offset <= LATE_S and s + wrap_s > self._last_s:
                self._unwrap_s += wrap_s
                self.wraps += 1
                return self.map(source_s, arrival_s)
        return None

    def _anchor(self, s: float, arrival_s: float, d: float) -> None:
        self.changes += 1
        self.offset_s = d
        self._last_s = self._floor_s = self._bucket_s = s
        self._floor_d = self._bucket_d = d
        self._bucket_end_s = s + BUCKET_S
        self._points.clear()
        self.moved_at = self._anchored_at = arrival_s
        self.learning, self._readings = True, 1
        self._late_since, self._late_d = math.inf, d
        self._odd = self._odd_run = 0
        self._odd_d = self._odd_min_d = self._odd_sum_d = d
        self._frozen = False

    def known(self, streams: tuple[str, ...], ahead_s: float) -> KnownClock:
        """Return the mapping, to continue after a kill."""
        assert self.offset_s is not None
        return KnownClock(
            streams=streams,
            offset_s=self.offset_s - (self.ahead_s if self.receiver else ahead_s),
            unwrap_s=self._unwrap_s,
            rate=self._rate,
            excess_s=self.excess_s,
            last_s=self._last_s,
            receiver=self.receiver,
        )

    def go_on(self, known: KnownClock, arrival_s: float) -> None:
        """Continue a mapping, without learning from readings held up meanwhile."""
        self._anchor(known.last_s, arrival_s, known.offset_s)
        self._unwrap_s, self._rate, self.excess_s = known.unwrap_s, known.rate, known.excess_s
        self.receiver, self.learning = known.receiver, False


class ClockMap:
    """Maps the stamps of one stream to session seconds, in about 1 us a reading."""

    def __init__(
        self, session: SessionClock, source: str, stream: str, latency_s: float, receiver: bool
    ) -> None:
        self._session, self.latency_s, self._receiver = session, latency_s, receiver
        self._clock, self._name, self._placed = session.clock_of(source), (source, stream), False
        self._t = 0.0
        self._even = EvenClock()

    def map(self, source_s: float | None, received_s: float) -> float:
        """Return session seconds, never backwards; `source_s` None: by arrival, put on an even
        clock."""
        session, clock = self._session, self._clock
        arrival_s = received_s - session.start_received_s
        at_s = None
        if source_s is not None and -MAX_STAMP_S < source_s < MAX_STAMP_S:
            if not self._placed:
                clock = self._place(arrival_s - source_s)
            at_s = clock.map(source_s, arrival_s)
        if at_s is None:
            if source_s is None and self._receiver:
                arrival_s = self._even.at(arrival_s)
            t = arrival_s - clock.excess_s - session.ahead_s
        elif clock.receiver:
            t = at_s - session.follow(clock, arrival_s)
        else:
            t = at_s - session.ahead_s
        t -= self.latency_s
        if t > self._t:
            self._t = t
        return self._t

    def since_last_s(self, source_s: float) -> float:
        """Return how far a stamp is ahead of the last one."""
        clock = self._clock
        return source_s + clock._unwrap_s - clock._last_s if self._placed else 0.0

    def _place(self, d: float) -> _SourceClock:
        """Return the source's clock, or one of its own where the first stamp is unrelated."""
        known, offset = self._session.known_before(*self._name), self._clock.offset_s
        if known is not None:
            self._clock = known
        elif offset is not None and abs(d - offset) > SAME_CLOCK_S:
            self._clock = _SourceClock()
        if self._receiver and not self._clock.receiver:
            self._clock.receiver = True
            self._clock.ahead_s, self._clock.slewed_s = self._session.ahead_s, 0.0
        self._placed = True
        self._session.placed(*self._name, self._clock)
        return self._clock

    def estimate(self) -> ClockEstimate:
        """Return what is known of the clock now."""
        clock = self._clock
        offset_s = clock.offset_s
        if offset_s is not None:
            offset_s -= clock.ahead_s if clock.receiver else self._session.ahead_s
        return ClockEstimate(
            offset_s, clock.drift_ppm, clock.excess_s, clock.jumps, clock.wraps, self.latency_s
        )


class SessionClock:
    """The clock of one session; second 0 is `start_received_s` on the monotonic clock."""

    def __init__(self, start_received_s: float) -> None:
        self.start_received_s = start_received_s
        self.ahead_s = 0.0
        self._clocks: dict[str, _SourceClock] = {}
        self._pace: _SourceClock | None = None
        # The clock of each placed (source, stream), and of each stream before a kill.
        self._placed: dict[tuple[str, str], _SourceClock] = {}
        self._before: dict[str, _SourceClock] = {}

    def at(self, received_s: float) -> float:
        """Return session seconds of a moment on the monotonic clock."""
        return received_s - self.start_received_s - self.ahead_s

    @property
    def changes(self) -> int:
        """Return another number whenever a mapping has changed otherwise than slowly."""
        return len(self._placed) + sum(clock.changes for clock in self._placed.values())

    def known(self) -> list[KnownClock]:
        """Return how each clock is mapped to this one now."""
        streams: dict[_SourceClock, list[str]] = {}
        placed = {stream: clock for (_, stream), clock in self._placed.items()}
        # Another kill may come before their first stamp.
        for stream, clock in (self._before | placed).items():
            if clock.offset_s is not None:
                streams.setdefault(clock, []).append(stream)
        return [clock.known(tuple(names), self.ahead_s) for clock, names in streams.items()]

    def go_on(self, known: Iterable[KnownClock], received_s: float, now_s: float) -> None:
        """Continue the clock of before a kill: it shows `now_s` at `received_s`. Call it first."""
        self.start_received_s, self.ahead_s = received_s - now_s, 0.0
        for each in known:
            clock = _SourceClock()
            clock.go_on(each, now_s)
            self._before |= dict.fromkeys(each.streams, clock)

    def clock_of(self, source: str) -> _SourceClock:
        """Return the clock that the streams of this source share."""
        return self._clocks.setdefault(source, _SourceClock())

    def known_before(self, source: str, stream: str) -> _SourceClock | None:
        """Return a stream's clock from before a kill, once; None if there was none."""
        known = self._before.pop(stream, None)
        if known is not None and self.clock_of(source).offset_s is None:
            self._clocks[source] = known
        return known

    def placed(self, source: str, stream: str, clock: _SourceClock) -> None:
        """Note the first stamp of a stream."""
        self._placed[source, stream] = clock

    def source(self, name: str, latency_s: float, *, receiver: bool = False, stream: str = "") -> ClockMap:
        """Return a map for one stream of a source, whose readings are `latency_s` old at their
        stamp."""
        return ClockMap(self, name, stream or name, latency_s, receiver)

    def forget(self, name: str) -> None:
        """Forget a source: one that comes again has a clock of its own."""
        self._clocks.pop(name, None)
        self._placed = {each: clock for each, clock in self._placed.items() if each[0] != name}

    def follow(self, clock: _SourceClock, arrival_s: float) -> float:
        """Return how far this machine's clock is ahead of session time at a receiver's stamp."""
        if clock.learning and self._pace not in (None, clock):
            clock.ahead_s = self.ahead_s
        else:
            clock.ahead_s += clock.slewed_s
        clock.slewed_s = 0.0
        pace = self._pace
        if pace is None or (not clock.learning and arrival_s - pace.moved_at > PACE_SILENT_S):
            pace = self._pace = clock
        if clock is pace:
            self.ahead_s = clock.ahead_s
        else:
            gap_s = clock.ahead_s - self.ahead_s
            clock.ahead_s = self.ahead_s + min(max(gap_s, -RECEIVERS_AGREE_S), RECEIVERS_AGREE_S)
        return clock.ahead_s
