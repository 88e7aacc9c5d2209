"""Streams of samples in, frames out: one state of the car per fix, holding only what can be believed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pitwall.telemetry.agreement import LAG_S, REFERENCES, Agreement
from pitwall.telemetry.fix import FixJudge
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.motion import Block, Motion
from pitwall.telemetry.quality import ChannelJudge, SignalJudge, Tallies
from pitwall.telemetry.recordings.base import Finding
from pitwall.telemetry.sample import Sample, Stream
from pitwall.telemetry.signals import CANONICAL, SIGNAL_INDEX

# Without a fix frames go on at 10 Hz, but only once the next fix is overdue even at 10 Hz.
HOLE_S = 0.15
HOLE_STEP_S = 0.1
# Clocks of 10 ms resolution and sums of floats: steps may be short by so much.
CLOCK_TOLERANCE_S = 1e-3
# Stuck and stale signals are looked for this often, and held values at least as often as the soonest expires.
WATCH_S = 0.5
# Two sources of position are never mixed: the second one serves only after the first was silent so long.
FIX_STALE_S = 0.5
# A channel distrusted for these says nothing that could be compared.
SILENT = ("stuck", "stale")
# A derived g is good for as long as a sensor's.
G_STALE_S = 0.5

LAT, LON = SIGNAL_INDEX["lat_deg"], SIGNAL_INDEX["lon_deg"]
SPEED, HEADING = SIGNAL_INDEX["speed_mps"], SIGNAL_INDEX["heading_deg"]
G_LAT, G_LONG = SIGNAL_INDEX["g_lat"], SIGNAL_INDEX["g_long"]


class _Lane:
    """One stream's way into fusion: its judge, and where its fix stands among its columns."""

    __slots__ = ("fix", "heading", "judge", "lat", "lon", "pairs", "satellites", "speed")

    def __init__(self, stream: Stream, tallies: Tallies) -> None:
        columns = {channel.name: column for column, channel in enumerate(stream.channels)}
        self.judge = SignalJudge(stream, tallies, tuple(REFERENCES))
        self.lat, self.lon = columns.get("lat_deg", -1), columns.get("lon_deg", -1)
        self.fix = FixJudge(tallies) if self.lat >= 0 and self.lon >= 0 else None
        channels = {ch.name: ch for ch in self.judge.channels}
        self.speed, self.heading = channels.get("speed_mps"), channels.get("heading_deg")
        self.satellites = channels.get("satellites")
        self.pairs = tuple(
            (ch, Agreement(REFERENCES[ch.name], ch.signal.unit)) for ch in self.judge.channels if ch.paired
        )


class Fusion:
    """Fuses the streams of one session, in data time; the same samples always give the same frames.

    A frame is made for every sample of the position source that carries a fix; in a GPS hole at most every
    0.1 s, without a position. Between, each stream's last values are held until they are stale.

    `blocks` counts the stretches of driving that sensors are compared over; `block` is what GPS said of the
    last one (None: it can't be used, a new one has begun).
    """

    def __init__(self, streams: Sequence[Stream] = ()) -> None:
        self._tallies = Tallies()
        self._lanes: dict[int, _Lane] = {}
        self._motion = Motion()
        self._held: list[float | None] = [None] * len(CANONICAL)
        self._distrusted: list[int] = []
        self._position_lane: _Lane | None = None
        self._frame_t = -math.inf
        self._start_t: float | None = None
        self._in_hole = False
        self._watch_t = self._expiry_t = -math.inf
        self.blocks = 0
        self.block: Block | None = None
        for stream in streams:
            self.add_stream(stream)

    def add_stream(self, stream: Stream) -> None:
        """Take in one more source. ValueError where its id is taken by another."""
        known = self._lanes.get(stream.id)
        if known is not None:
            if known.judge.stream == stream:
                return
            raise ValueError(f"stream {stream.id} of {stream.source} has the id of another stream")
        lane = self._lanes[stream.id] = _Lane(stream, self._tallies)
        taken = {
            ch.index for other in self._lanes.values() for ch in other.judge.channels if other is not lane
        }
        for ch in lane.judge.channels:
            ch.owned = ch.index not in taken

    @property
    def distrusted(self) -> Sequence[int]:
        """Columns of the last fed sample whose canonical reading went into no held value: not believed, or
        another source serves the signal. Valid until the next feed."""
        return self._distrusted

    def feed(self, sample: Sample) -> Frame | None:
        """Take one sample; the frame it makes, if it makes one. ValueError on a stream never added."""
        lane = self._lanes.get(sample.stream)
        if lane is None:
            raise ValueError(f"sample of stream {sample.stream}, which was never added")
        t, values, judge = sample.t, sample.values, lane.judge
        distrusted = self._distrusted
        if distrusted:
            self._distrusted = distrusted = []
        if t < judge.t:
            self._tallies.count(judge.stream.source, "time_backwards", t, f"{judge.t - t:.3f} s back in time")
            distrusted.extend(ch.column for ch in judge.channels)
            return None
        if self._start_t is None:
            self._start_t = t
        judge.judge(t, values, self._held, distrusted)
        fix = lane.fix
        if fix is not None:
            lat, lon = values[lane.lat], values[lane.lon]
            if lat is not None and lon is not None:
                return self._with_fix(lane, fix, t, lat, lon, values)
        return self._without_fix(t)

    def _with_fix(
        self, lane: _Lane, fix: FixJudge, t: float, lat: float, lon: float, values: tuple[float | None, ...]
    ) -> Frame | None:
        held, owner = self._held, self._position_lane
        ch, sats = lane.speed, lane.satellites
        speed = ch.believed(t, values[ch.column]) if ch is not None else None
        believed = fix.judge(t, lat, lon, speed, sats.good if sats is not None and sats.alive(t) else None)
        if owner is not lane:
            if owner is not None and owner.fix is not None and t - owner.fix.believed_t <= FIX_STALE_S:
                self._distrusted += (lane.lat, lane.lon)
                return self._without_fix(t)
            self._own_fix(lane)
        if believed:
            if t < self._frame_t:
                return None
            held[LAT], held[LON] = lat, lon
            if fix.fresh:
                self._move(lane, fix, t, speed, values)
            else:
                self._motion.rest(t)
        else:
            self._distrusted += (lane.lat, lane.lon)
            if fix.frozen:
                self._freeze(lane, fix)
        frame = self._frame(t, 0.0 if fix.fresh else self._fix_age(t)) if t >= self._frame_t else None
        held[LAT] = held[LON] = None
        self._in_hole = False
        return frame

    def _without_fix(self, t: float) -> Frame | None:
        since = t - self._frame_t
        if since < (HOLE_STEP_S if self._in_hole else HOLE_S) - CLOCK_TOLERANCE_S:
            return None
        if not self._in_hole and self._position_lane is not None:
            self._tallies.count("lat_deg", "stale", t, "no fix where one was due")
        self._in_hole = True
        return self._frame(t, self._fix_age(t))

    def _frame(self, t: float, fix_age_s: float) -> Frame:
        held, motion = self._held, self._motion
        if t > self._expiry_t:
            self._expire(t)
        if t >= self._watch_t:
            self._watch(t)
        self._frame_t = t
        g_lat, g_long = held[G_LAT], held[G_LONG]
        if g_lat is not None and g_long is not None:
            return Frame(t, *held, fix_age_s)  # type: ignore[arg-type, call-arg]  # canonical order is Frame's order
        if t - motion.g_t > G_STALE_S:
            return Frame(t, *held, fix_age_s)  # type: ignore[arg-type, call-arg]
        if g_lat is None:
            held[G_LAT] = motion.g_lat
        if g_long is None:
            held[G_LONG] = motion.g_long
        derived = held[G_LAT] is not g_lat or held[G_LONG] is not g_long
        frame = Frame(t, *held, fix_age_s, derived)  # type: ignore[arg-type, call-arg]
        held[G_LAT], held[G_LONG] = g_lat, g_long
        return frame

    def _fix_age(self, t: float) -> float:
        lane = self._position_lane
        if lane is not None and lane.fix is not None and lane.fix.since_t != -math.inf:
            return t - lane.fix.since_t
        return t - (self._start_t if self._start_t is not None else t)

    def _own_fix(self, lane: _Lane) -> None:
        """From now on this stream is the source of positions."""
        self._position_lane = lane
        self._motion = Motion()

    def _move(
        self, lane: _Lane, fix: FixJudge, t: float, speed: float | None, values: tuple[float | None, ...]
    ) -> None:
        held, motion = self._held, self._motion
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
                self._compare(block)

    def _freeze(self, lane: _Lane, fix: FixJudge) -> None:
        """The whole fix is a repetition: its speed and course say nothing either, nor did they since."""
        self._held[SPEED] = self._held[HEADING] = None
        for ch in (lane.speed, lane.heading):
            if ch is not None:
                ch.t = fix.since_t
                if ch.column not in self._distrusted:
                    self._distrusted.append(ch.column)

    def _compare(self, block: Block | None) -> None:
        """Hold every sensor against what GPS says of the block just driven, and begin the next one."""
        self.block = block
        self.blocks += 1
        for lane in self._lanes.values():
            for ch, agreement in lane.pairs:
                if ch.standing is not None and ch.standing.kind in SILENT:
                    agreement.forget()
                elif block is not None and ch.pair_n:
                    agreement.add(block, ch.pair_sum / ch.pair_n)
                    self._decide(ch, agreement, block.t)
                ch.pair_sum, ch.pair_n = 0.0, 0

    def _decide(self, ch: ChannelJudge, agreement: Agreement, t: float) -> None:
        standing = ch.standing
        complaint = agreement.complaint(standing is not None)
        if complaint is not None:
            if standing is None or standing.kind != complaint.kind:
                ch.distrust(self._tallies.open(ch.name, complaint.kind, t, complaint.detail))
        elif standing is not None:
            ch.clear(t)

    def _expire(self, t: float) -> None:
        """Drop held values that are stale, and find when the next one will be."""
        soonest = t + WATCH_S
        held = self._held
        for lane in self._lanes.values():
            for ch in lane.judge.channels:
                if not ch.owned or held[ch.index] is None:
                    continue
                if t - ch.t > ch.stale_after_s + CLOCK_TOLERANCE_S:
                    held[ch.index] = None
                    detail = f"no reading for more than {ch.stale_after_s:g} s"
                    self._tallies.count(ch.name, "stale", t, detail)
                else:
                    soonest = min(soonest, ch.t + ch.stale_after_s)
        self._expiry_t = soonest

    def _watch(self, t: float) -> None:
        """Stuck channels, and which stream serves a signal that several of them carry."""
        self._watch_t = t + WATCH_S
        work = self._motion.work
        serving: dict[int, ChannelJudge] = {}
        for lane in self._lanes.values():
            lane.judge.watch_stuck(t, work)
            for ch in lane.judge.channels:
                holder = serving.get(ch.index)
                if holder is None or (ch.alive(t) and not holder.alive(t)):
                    serving[ch.index] = ch
        for lane in self._lanes.values():
            for ch in lane.judge.channels:
                ch.owned = serving[ch.index] is ch

    def findings(self) -> list[Finding]:
        """Everything found so far, in the order of first sight; slow and lagging channels at the end."""
        found = [finding for finding in self._tallies.findings() if finding.count]
        for lane in self._lanes.values():
            found += lane.judge.slow_findings()
            for ch, agreement in lane.pairs:
                lag_s = agreement.lag_s()
                if lag_s is not None and abs(lag_s) > LAG_S:
                    side = "behind" if lag_s > 0 else "ahead of"
                    found.append(Finding("lag", ch.name, 1, None, f"about {abs(lag_s):.1f} s {side} GPS"))
        return found
