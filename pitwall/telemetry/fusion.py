"""Streams of samples in, frames out: the believable state of the car at each fix and between."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pitwall.contract.status import Provenance
from pitwall.telemetry.findings import Finding, FindingLog
from pitwall.telemetry.fix import FixJudge
from pitwall.telemetry.frame import FIX_STEP_S, Frame, Jumped, Reckoned, frame_of
from pitwall.telemetry.gear import GearFinder
from pitwall.telemetry.lag import WITNESSES, LaggedRows, LagWatch
from pitwall.telemetry.lanes import SILENT_STEPS, StreamLane, derived, nothing, of_channel, of_position
from pitwall.telemetry.motion import STANDING_MPS, Motion
from pitwall.telemetry.quality import ChannelJudge
from pitwall.telemetry.reckoning import Reckoner
from pitwall.telemetry.recordings.base import Recording
from pitwall.telemetry.sample import Sample, Stream, Values
from pitwall.telemetry.signals import CANONICAL, SIGNAL_INDEX

# Between fixes at most 50 frames a second.
STEP_S = 0.02
# Without a reckoned place frames go on at 10 Hz, once the next fix is overdue even there.
HOLE_S = 0.15
HOLE_STEP_S = 0.1
# Clocks of 10 ms resolution, and sums of floats.
CLOCK_TOLERANCE_S = 1e-3
ROUNDING_S = 1e-6
# How often stuck and stale signals are looked for.
WATCH_S = 0.5
# How often gears are recounted, only while no channel gives them.
GEARS_S = 5.0
# After this long without a sample between fixes reckoning ends.
BETWEEN_S = 10.0
# A derived g holds as long as a sensor's, a derived speed until a fix of 1 Hz is late.
G_STALE_S = 0.5
SPEED_STALE_S = 1.5

LAT, LON = SIGNAL_INDEX["lat_deg"], SIGNAL_INDEX["lon_deg"]
SPEED, HEADING = SIGNAL_INDEX["speed_mps"], SIGNAL_INDEX["heading_deg"]
G_LAT, G_LONG, YAW = SIGNAL_INDEX["g_lat"], SIGNAL_INDEX["g_long"], SIGNAL_INDEX["yaw_rate_dps"]
WHEEL, RPM, GEAR = SIGNAL_INDEX["wheel_speed_mps"], SIGNAL_INDEX["rpm"], SIGNAL_INDEX["gear"]
# What shows how late a receiver is, and the pedals whose marks depend on it.
SHOW_LAG = tuple((name, SIGNAL_INDEX[name]) for name, _ in WITNESSES)
PEDALS = tuple(SIGNAL_INDEX[name] for name in ("brake_bar", "brake_pct", "throttle_pct"))
# What comes from the receiver that gives the position.
OF_FIX = tuple(index for index, signal in enumerate(CANONICAL) if signal.of_fix)


class Fusion:
    """Fuses the streams of one session, in data time; the same samples always give the same frames.

    A fix of the position source makes a frame at its time (a late one: at the last frame's time,
    with its age). Other samples may make one at most every 20 ms: a Reckoned one for at most 5 s,
    then one without a position, at most every 0.1 s. Values are held until stale. Where a receiver
    is later than the car's own signals, those come `lag_s` later, with its fixes.
    """

    def __init__(self, streams: Sequence[Stream] = ()) -> None:
        self._tallies = FindingLog()
        self._lanes: dict[int, StreamLane] = {}
        self._serving: list[ChannelJudge | None] = [None] * len(CANONICAL)
        self._motion = Motion()
        self._gears = GearFinder()
        self._gears_t = -math.inf
        # Until when the held speed is one that positions gave (-inf: it is none).
        self._derived_speed_until = -math.inf
        self._reckoner: Reckoner | None = None
        self._between_t = -math.inf
        self._held: list[float | None] = [None] * len(CANONICAL)
        self._distrusted: list[int] = []
        self._position_lane: StreamLane | None = None
        self._frame_t = self._fix_t = -math.inf
        # The newest time of a fix, and whether the way to the next one is unknown.
        self._newest_fix_t = -math.inf
        self.fix_mps: float | None = None  # of the last fix, however late it came
        self._jumped = False
        self._last = Frame(0.0)
        self._start_t: float | None = None
        self._in_hole = False
        # How late the receiver is, and the rows of each stream that follow it.
        self._lag = LagWatch()
        self._lagged: dict[int, LaggedRows] = {}
        self._watch_t = self._expiry_t = -math.inf
        for stream in streams:
            self.add_stream(stream)

    def add_stream(self, stream: Stream) -> None:
        """Add a source. ValueError if its id is in use."""
        known = self._lanes.get(stream.id)
        if known is not None:
            if known.judge.stream == stream:
                return
            raise ValueError(f"stream {stream.id} of {stream.source} has the id of another stream")
        lane = self._lanes[stream.id] = StreamLane(stream, self._tallies)
        if self._lagged:
            self._lagged[stream.id] = LaggedRows(stream, self.lag_s)
        for ch in lane.judge.channels:
            ch.owned = self._serving[ch.index] is None
            if ch.owned:
                self._serving[ch.index] = ch

    @property
    def lag_s(self) -> float:
        """Return how late the receiver is, as found so far."""
        return self._lag.lag_s

    @property
    def position_source(self) -> str:
        """Return the source whose fixes count now, "" if none."""
        return "" if self._position_lane is None else self._position_lane.judge.stream.source

    @property
    def distrusted(self) -> Sequence[int]:
        """Return the last sample's columns that were not used, until the next feed."""
        return self._distrusted

    def feed(self, sample: Sample) -> Frame | None:
        """Take one sample; return the frame it makes, if any. ValueError on an unknown stream."""
        lane = self._lanes.get(sample.stream)
        if lane is None:
            raise ValueError(f"sample of stream {sample.stream}, which was never added")
        t, values, judge = sample.t, sample.values, lane.judge
        distrusted = self._distrusted
        if distrusted:
            self._distrusted = distrusted = []
        if t < judge.t:
            self._tallies.add("time_backwards", judge.stream.source, t, f"{judge.t - t:.3f} s back in time")
            distrusted.extend(ch.column for ch in judge.channels)
            return None
        if self._start_t is None:
            self._start_t = t
        if self._lagged:
            values = self._lagged[sample.stream].moved(sample).values
        judge.judge(t, values, self._held, distrusted)
        if lane.shaken:
            lane.smooth(t, values, self._held)
        if t >= self._lag.next_t:
            self._watch_lag(t)
        fix = lane.fix
        if fix is not None:
            lat, lon = values[lane.lat], values[lane.lon]
            if lat is not None and lon is not None:
                return self._with_fix(lane, fix, t, lat, lon, values)
        return self._between(t)

    def _with_fix(
        self,
        lane: StreamLane,
        fix: FixJudge,
        t: float,
        lat: float,
        lon: float,
        values: Values,
    ) -> Frame | None:
        held, owner = self._held, self._position_lane
        ch, sats = lane.speed, lane.satellites
        speed = ch.believed(t, values[ch.column]) if ch is not None else None
        known = speed if speed is not None or t > self._derived_speed_until else held[SPEED]
        believed = fix.judge(t, lat, lon, known, sats.good if sats is not None and sats.alive(t) else None)
        if believed:
            lane.fixed(t)
        if owner is not lane:
            if owner is not None and not (believed and self._takes_over(lane, owner, t)):
                self._distrusted += (lane.lat, lane.lon)
                return self._between(t)
            if owner is not None and owner.fix is not None and fix.is_far_from(owner.fix):
                self._jumped = True
            self._own_fix(lane)
            if ch is not None and speed is not None:
                held[SPEED] = speed
        if not believed:
            return self._refused(lane, fix, t)
        if fix.jumped:
            self._jumped = True
        kind: type[Frame] = Frame
        if fix.since_t > self._newest_fix_t + FIX_STEP_S:
            self._newest_fix_t = fix.since_t
            if self._jumped:
                kind, self._jumped = Jumped, False
        held[LAT], held[LON] = lat, lon
        if fix.fresh:
            speed = self._move(lane, fix, t, speed, values)
        else:
            self._motion.rest(t)
            if self._derived_speed_until != -math.inf and t - fix.since_t > SPEED_STALE_S:
                held[SPEED], self._derived_speed_until = 0.0, t + SPEED_STALE_S
        frame_t = t if t >= self._frame_t else self._frame_t
        fix_age_s = frame_t - t if fix.fresh else self._fix_age(frame_t)
        self._fix_t, self.fix_mps = t, held[SPEED]
        if frame_t > self._expiry_t or frame_t >= self._watch_t:
            self._upkeep(frame_t)
        if self._reckoner is not None and frame_t - self._between_t <= BETWEEN_S:
            frame = self._pinned(self._reckoner, lane, fix, t, frame_t, fix_age_s, speed, kind)
        else:
            frame = self._frame(frame_t, fix_age_s, kind)
        held[LAT] = held[LON] = None
        self._in_hole = False
        return frame

    def _refused(self, lane: StreamLane, fix: FixJudge, t: float) -> Frame | None:
        self._distrusted += (lane.lat, lane.lon)
        if fix.frozen:
            self._freeze(lane, fix)
        if self._reckoner is not None:
            return self._between(t)
        self._upkeep(t)
        return self._frame(t, self._fix_age(t)) if t >= self._frame_t else None

    def _takes_over(self, lane: StreamLane, owner: StreamLane, t: float) -> bool:
        return owner.is_silent(t) or (lane.is_better_than(owner, t) and not owner.is_better_than(lane, t))

    def _pinned(
        self, reckoner: Reckoner, lane: StreamLane, fix: FixJudge, t: float, frame_t: float, age_s: float,
        speed: float | None, kind: type[Frame],
    ) -> Frame:  # fmt: skip
        """Return a fix's frame and feed the reckoner; a late one has the speed of now."""
        held = self._held
        self._advance(reckoner, frame_t)
        lat, lon, heading = held[LAT], held[LON], held[HEADING]
        if lat is not None and lon is not None and (fix.fresh or (speed or 0.0) < STANDING_MPS):
            own = lane.heading is not None and heading is not None
            course_t = t if own else self._motion.course_t
            reckoner.fix(t, lat, lon, speed, heading, course_t, not own)
        if frame_t == t or not reckoner.trusted:
            return self._frame(frame_t, age_s, kind)
        return self._fused(reckoner, frame_t, age_s, kind)

    def _between(self, t: float) -> Frame | None:
        if t - self._frame_t < STEP_S - ROUNDING_S:
            return None
        self._between_t = t
        reckoner = self._reckoner
        if reckoner is None:
            reckoner = self._reckoner = Reckoner()
        self._advance(reckoner, t)
        if reckoner.trusted:
            return self._reckoned(reckoner, t)
        if self._in_hole:
            if t - self._frame_t < HOLE_STEP_S - CLOCK_TOLERANCE_S:
                return None
        elif t - self._fix_t < HOLE_S - CLOCK_TOLERANCE_S:
            return None
        self._note_hole(t)
        self._upkeep(t)
        return self._fused(reckoner, t, self._fix_age(t), Frame)

    def _reckoned(self, reckoner: Reckoner, t: float) -> Frame:
        held, lane = self._held, self._position_lane
        if lane is None or t - self._fix_t > max(HOLE_S, SILENT_STEPS * lane.step_s):
            self._note_hole(t)
        self._upkeep(t)
        held[LAT], held[LON] = reckoner.place()
        frame = self._fused(reckoner, t, t - reckoner.fix_t, Reckoned)
        held[LAT] = held[LON] = None
        return frame

    def _fused(self, reckoner: Reckoner, t: float, age_s: float, kind: type[Frame]) -> Frame:
        held, speed = self._held, reckoner.speed_mps
        if speed is None:
            return self._frame(t, age_s, kind)
        kept = held[SPEED], held[HEADING]
        held[SPEED] = speed
        if kind is Reckoned and speed >= STANDING_MPS:
            held[HEADING] = reckoner.course_deg
        frame = self._frame(t, age_s, kind)
        held[SPEED], held[HEADING] = kept
        return frame

    def _note_hole(self, t: float) -> None:
        if not self._in_hole and self._position_lane is not None:
            self._tallies.add("stale", "lat_deg", t, "no fix where one was due")
        self._in_hole = True

    def _advance(self, reckoner: Reckoner, t: float) -> None:
        held, wheel = self._held, self._serving[WHEEL]
        wheel_t = wheel.t if wheel is not None else -math.inf
        reckoner.advance(t, held[WHEEL], wheel_t, held[YAW], held[G_LONG], held[G_LAT])

    def _upkeep(self, t: float) -> None:
        if -math.inf < self._derived_speed_until < t:
            self._held[SPEED], self._derived_speed_until = None, -math.inf
        if t > self._expiry_t:
            self._expire(t)
        if t >= self._watch_t:
            self._watch(t)

    def _frame(self, t: float, fix_age_s: float, kind: type[Frame] = Frame) -> Frame:
        held, motion = self._held, self._motion
        self._frame_t = t
        g_lat, g_long, gear = held[G_LAT], held[G_LONG], held[GEAR]
        derived = False
        if (g_lat is None or g_long is None) and t - motion.g_t <= G_STALE_S:
            if g_lat is None:
                held[G_LAT] = motion.g_lat
            if g_long is None:
                held[G_LONG] = motion.g_long
            derived = held[G_LAT] is not g_lat or held[G_LONG] is not g_long
        if held[RPM] is not None:
            self._find_gear(t, gear)
        frame = self._last = frame_of(kind, t, held, fix_age_s, derived)
        held[G_LAT], held[G_LONG], held[GEAR] = g_lat, g_long, gear
        return frame

    def _find_gear(self, t: float, gear: float | None) -> None:
        held, gears = self._held, self._gears
        speed = held[SPEED] if held[SPEED] is not None else held[WHEEL]
        found = gears.feed(t, held[RPM], speed, gear)
        if gear is None:
            held[GEAR] = found
            if t - self._gears_t >= GEARS_S:
                self._gears_t = t
                gears.learn()

    def _fix_age(self, t: float) -> float:
        lane = self._position_lane
        if lane is not None and lane.fix is not None and lane.fix.since_t != -math.inf:
            return t - lane.fix.since_t
        return t - (self._start_t if self._start_t is not None else t)

    def _own_fix(self, lane: StreamLane) -> None:
        if self._position_lane is None:
            lane.lag = self._lag
        self._position_lane = lane
        self._lag = lane.lag
        self._move_car()
        self._motion = Motion()
        self._assign(lane.judge.t)

    def _watch_lag(self, t: float) -> None:
        lane, serving = self._position_lane, self._serving
        shown = [(name, ch) for name, i in SHOW_LAG if (ch := serving[i]) is not None and ch.good is not None]
        if lane is None or lane.speed is None or lane.speed.good is None or not shown:
            self._lag.next_t = t + WATCH_S
            return
        found = self._lag.note(t, (("speed_mps", lane.speed), *shown))
        if found == "unknown" and any(self._serving[i] is not None for i in PEDALS):
            detail = "how late the fixes are is unknown: brake and throttle marks may be metres off"
            self._tallies.add("lag", lane.judge.stream.source, t, detail)
        elif found == "found":
            lag = self._lag
            detail = (
                f"from {t:.0f} s on the car's signals are moved to fixes that are {lag.lag_s:.2f} s late by "
                f"{lag.source}; brake and throttle marks before are as much too far along the road"
            )
            self._tallies.add("lag", lane.judge.stream.source, t, detail)
            self._move_car()

    def follow_receiver(self, lag_s: float) -> None:
        """Take the receiver as so much later than the car's signals."""
        if lag_s != self.lag_s:
            detail = f"the car's signals are moved to fixes that are {lag_s:.2f} s late"
            self._tallies.add("lag", "GPS", max(self._frame_t, 0.0), detail)
            self._lag.know(lag_s)
            self._move_car()

    def _move_car(self) -> None:
        lag_s, moved = self.lag_s, bool(self._lagged)
        self._lagged = {}
        if lag_s:
            for id, lane in self._lanes.items():
                slow = [ch.column for ch in lane.judge.channels if ch.true_step_rows is not None]
                self._lagged[id] = LaggedRows(lane.judge.stream, lag_s, slow)
        if lag_s or moved:
            for lane in self._lanes.values():
                lane.forget_compared(self._frame_t)

    def _move(
        self, lane: StreamLane, fix: FixJudge, t: float, speed: float | None, values: Values
    ) -> float | None:
        held, motion, ch = self._held, self._motion, lane.speed
        if speed is None and (ch is None or ch.good is None or ch.standing is not None):
            speed = held[SPEED] = motion.speed(t, fix.x_m, fix.y_m)
            self._derived_speed_until = t + SPEED_STALE_S
            self._tallies.add("reckoned", "speed_mps", t, "not recorded: reckoned from the positions")
        elif self._derived_speed_until != -math.inf:
            self._derived_speed_until = -math.inf
        ch = lane.heading
        heading = ch.believed(t, values[ch.column]) if ch is not None else None
        derived = heading is None
        if derived:
            motion.place(t, fix.x_m, fix.y_m, speed)
            heading = held[HEADING] = motion.course_deg
        if speed is not None and heading is not None:
            started_t = motion.block_t
            block = motion.update(t, speed, heading, derived)
            if motion.block_t != started_t:
                for each in self._lanes.values():
                    each.compare(block, self._tallies)
        return speed

    def _freeze(self, lane: StreamLane, fix: FixJudge) -> None:
        self._held[SPEED] = self._held[HEADING] = None
        for ch in (lane.speed, lane.heading):
            if ch is not None:
                ch.t = fix.since_t
                if ch.column not in self._distrusted:
                    self._distrusted.append(ch.column)

    def _expire(self, t: float) -> None:
        soonest = t + WATCH_S
        held = self._held
        for ch in self._serving:
            # What stands in a channel without a reading was derived.
            if ch is None or ch.good is None or held[ch.index] is None:
                continue
            if t - ch.t > ch.stale_after_s + CLOCK_TOLERANCE_S:
                held[ch.index] = None
                detail = f"no reading for more than {ch.stale_after_s:g} s"
                self._tallies.add("stale", ch.name, t, detail)
            else:
                soonest = min(soonest, ch.t + ch.stale_after_s)
        self._expiry_t = soonest

    def _watch(self, t: float) -> None:
        self._watch_t = t + WATCH_S
        work = self._motion.work
        for lane in self._lanes.values():
            lane.judge.watch_stuck(t, work)
        self._assign(t)

    def _assign(self, t: float) -> None:
        serving: list[ChannelJudge | None] = [None] * len(CANONICAL)
        if self._position_lane is not None:
            for ch in self._position_lane.judge.channels:
                if ch.index in OF_FIX:
                    serving[ch.index] = ch
        own = tuple(i for i in OF_FIX if serving[i] is not None)
        for lane in self._lanes.values():
            for ch in lane.judge.channels:
                holder = serving[ch.index]
                if holder is None or (ch.index not in own and ch.alive(t) and not holder.alive(t)):
                    serving[ch.index] = ch
        for lane in self._lanes.values():
            for ch in lane.judge.channels:
                ch.owned = serving[ch.index] is ch
        self._serving = serving

    def findings(self) -> list[Finding]:
        """Return all findings, in the order of first sight; slow channels last."""
        found = self._tallies.findings()
        for lane in self._lanes.values():
            found += lane.findings()
        return found

    def provenance(self, signal: str, t: float | None = None) -> Provenance:
        """Return a signal's provenance at `t` (None: at the last frame). KeyError for no signal."""
        index = SIGNAL_INDEX[signal]
        at = self._frame_t if t is None else t
        lane, ch, reckoner = self._position_lane, self._serving[index], self._reckoner
        if index in (LAT, LON):
            source = lane.judge.stream.source if lane is not None else ""
            fix_t = lane.fixed_t if lane is not None else -math.inf
            return of_position(signal, getattr(self._last, signal), at, source, fix_t, reckoner)
        source = self._source_of(ch)
        found = nothing(signal) if ch is None else of_channel(ch, source, at, self._held[index])
        if found.value is not None or at - self._frame_t > G_STALE_S:
            return found
        return derived(found, getattr(self._last, signal), self._last.g_from_gps, reckoner)

    def _source_of(self, ch: ChannelJudge | None) -> str:
        for lane in self._lanes.values():
            if ch in lane.judge.channels:
                return lane.judge.stream.source
        return ""


def frames_of(recording: Recording) -> Iterator[Frame]:
    """Return a recording's frames in order. RecordingError if it can't be read."""
    feed = Fusion(recording.info.streams).feed
    return (frame for sample in recording.samples() if (frame := feed(sample)) is not None)
