"""Judges each reading: sentinel, out of range, jump, stuck, stale, slow.

One judge for every source, in data time. What `agreement` and `fix` find ends here as a standing
distrust.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pitwall.telemetry.findings import Finding, FindingLog, Tally
from pitwall.telemetry.sample import Channel, Stream, Values
from pitwall.telemetry.signals import SIGNAL_INDEX, SIGNALS, Work

# A signal that was bad twice within this time is believed again after as long.
RECOVER_S = 2.0
# A level reached by an implausible step is believed after so long and 3 readings.
LEVEL_S = 0.3
LEVEL_READINGS = 3
# The largest gap of rows for a step limit to mean anything.
NOMINAL_STEP_MAX_S = 1.0
# A channel is slow when it repeats on several rows even while it moves: this many such runs, at
# most 1 in 10 of them a single row. Over 25 rows the driver rests.
SLOW_RUNS = 30
SLOW_SINGLES_SHARE = 0.1
SLOW_RUN_MAX_ROWS = 25
# A step of 2.5 times the smallest ever seen is movement.
COARSE_STEPS = 2.5

NEVER = math.inf

# A fast signal on one straight line for so long, to a thousandth of its step and rounding, was
# interpolated by the file's writer.
DRAWN_S = 4.0
DRAWN_TOLERANCE = 1e-3
ROUNDING = 2e-5

# The position, its speed and its course are judged together in `fix`.
POSITION = ("lat_deg", "lon_deg")


class ChannelJudge:
    """A canonical channel of one stream: limits, last believed reading, faults."""

    __slots__ = (
        "bad_t", "blanks", "change_no", "change_t", "changes", "changes_seen", "coarse", "column", "good",
        "high", "index", "level", "level_readings", "level_t", "level_t0", "line_t0", "low", "name",
        "ok_from", "owned", "pair_n", "pair_sum", "paired", "points", "run_rows", "runs", "signal",
        "singles", "stale_after_s", "standing", "step", "step_floor", "t", "work",
    )  # fmt: skip

    def __init__(self, column: int, channel: Channel, paired: bool) -> None:
        signal = SIGNALS[channel.name]
        self.column, self.name, self.signal = column, channel.name, signal
        self.index = SIGNAL_INDEX[channel.name]
        self.low, self.high, self.stale_after_s = signal.low, signal.high, signal.stale_after_s
        self.step, self.step_floor = signal.max_step_per_s, signal.step_floor
        self.good: float | None = None
        self.t = -NEVER
        self.bad_t = -NEVER
        self.ok_from = -NEVER
        self.standing: Tally | None = None
        self.owned = True
        self.level, self.level_t, self.level_t0, self.level_readings = 0.0, -NEVER, 0.0, 0
        self.blanks = self.changes = self.changes_seen = self.change_no = 0
        self.change_t = -NEVER
        self.coarse = NEVER
        self.runs = self.run_rows = self.singles = 0
        self.work = Work()
        self.points: tuple[tuple[float, float], tuple[float, float]] = ((-NEVER, 0.0), (-NEVER, 0.0))
        self.line_t0 = -NEVER
        self.paired, self.pair_sum, self.pair_n = paired, 0.0, 0

    def distrust(self, tally: Tally) -> None:
        """Do not believe this channel until `clear`."""
        self.standing, self.ok_from = tally, NEVER

    def clear(self, t: float) -> None:
        """Believe it again after RECOVER_S of good readings."""
        self.standing, self.ok_from = None, t + RECOVER_S

    def believed(self, t: float, v: float | None) -> float | None:
        """Return the reading of time `t` if it was believed, else None."""
        return v if v == self.good and self.ok_from <= t else None

    def alive(self, t: float) -> bool:
        """Return whether a recent good reading is believed."""
        return self.ok_from != NEVER and t - self.t <= self.stale_after_s

    @property
    def true_step_rows(self) -> float | None:
        """Return how many rows one value lasts; None if it is as fast as its rows."""
        slow = self.runs >= SLOW_RUNS and self.singles <= SLOW_SINGLES_SHARE * self.runs
        return self.run_rows / self.runs if slow else None


class SignalJudge:
    """Judges one stream's samples. `paired`: signals to compare with GPS."""

    def __init__(self, stream: Stream, tallies: FindingLog, paired: Sequence[str] = ()) -> None:
        self.stream, self.tallies = stream, tallies
        self.t = -NEVER
        self.rows = 0
        self.step_s = 0.0
        self.channels = tuple(
            ChannelJudge(column, channel, channel.name in paired)
            for column, channel in enumerate(stream.channels)
            if channel.canonical and channel.name not in POSITION
        )

    def judge(self, t: float, values: Values, held: list[float | None], distrusted: list[int]) -> None:
        """Read one sample into `held`, noting distrusted columns. The hottest loop."""
        self._follow_rate(t)
        for ch in self.channels:
            v = values[ch.column]
            if v is None:
                ch.blanks += 1
                continue
            if v == ch.good or self._plausible(ch, t, v):
                ch.t = t
                if ch.paired:
                    ch.pair_sum += v
                    ch.pair_n += 1
                if ch.ok_from <= t:
                    if ch.owned:
                        held[ch.index] = v
                        continue
                elif ch.standing is not None:
                    ch.standing.count += 1
            distrusted.append(ch.column)
            if ch.owned:
                held[ch.index] = None

    def _plausible(self, ch: ChannelJudge, t: float, v: float) -> bool:
        if not (ch.low <= v <= ch.high):
            self._out_of_range(ch, t, v)
            return False
        good, ch_reading = ch.good, self.rows - ch.blanks
        if good is not None:
            d = v - good if v > good else good - v
            if (
                ch.step is not None
                and d > ch.step_floor
                and d > ch.step * self._reach_s(ch, t) + ch.step_floor
                and not self._new_level(ch, t, v, ch.step)
            ):
                return False
            if d > ch.coarse:
                run = ch_reading - ch.change_no
                if run <= SLOW_RUN_MAX_ROWS:
                    ch.runs += 1
                    ch.run_rows += run
                    if run == 1:
                        ch.singles += 1
            elif d * COARSE_STEPS < ch.coarse:
                ch.coarse = d * COARSE_STEPS
        ch.change_no, ch.change_t = ch_reading, t
        ch.changes += 1
        ch.good = v
        return True

    def _reach_s(self, ch: ChannelJudge, t: float) -> float:
        return max(t - ch.t, self.step_s, min(t - ch.change_t, NOMINAL_STEP_MAX_S))

    def _follow_rate(self, t: float) -> None:
        step_s = min(t - self.t, NOMINAL_STEP_MAX_S)
        self.t = t
        self.rows += 1
        self.step_s = step_s if self.rows <= 2 else self.step_s + 0.05 * (step_s - self.step_s)

    def _out_of_range(self, ch: ChannelJudge, t: float, v: float) -> None:
        signal = ch.signal
        if v in signal.sentinels:
            self.tallies.add("sentinel", ch.name, t, f"reads {v:g}, the logger's 'no value'")
        else:
            detail = f"reads {v:g} {signal.unit}, outside {signal.low:g} to {signal.high:g}"
            self.tallies.add("out_of_range", ch.name, t, detail)
        if t - ch.bad_t <= RECOVER_S and ch.standing is None:
            ch.ok_from = t + RECOVER_S
        ch.bad_t = t

    def _new_level(self, ch: ChannelJudge, t: float, v: float, step: float) -> bool:
        limit = 2.0 * (step * max(t - ch.level_t, self.step_s) + ch.step_floor)
        if t - ch.level_t > NOMINAL_STEP_MAX_S + self.step_s or abs(v - ch.level) > limit:
            ch.level_t0, ch.level_readings = t, 0
        ch.level, ch.level_t = v, t
        ch.level_readings += 1
        if ch.level_readings >= LEVEL_READINGS and t - ch.level_t0 >= LEVEL_S - 1e-6:
            ch.level_t = -NEVER
            return True
        good = ch.good if ch.good is not None else v
        detail = f"goes from {good:.4g} to {v:.4g} {ch.signal.unit} in {max(t - ch.t, 0.0):.3g} s"
        self.tallies.add("jump", ch.name, t, detail)
        return False

    def watch_stuck(self, t: float, work: Work) -> None:
        """Look for channels that rest while the car works, every half second or so."""
        for ch in self.channels:
            needed = ch.signal.stuck_work
            after_s = ch.signal.stuck_after_s
            if needed is None or after_s is None or ch.good is None:
                continue
            self._watch_drawn(ch, t)
            if ch.changes != ch.changes_seen or self.t - ch.t > ch.stale_after_s:
                ch.changes_seen, ch.work = ch.changes, work
                if ch.standing is not None and ch.standing.kind == "stuck":
                    ch.clear(t)
            elif (ch.standing is None or ch.standing.kind != "stuck") and _done(
                ch.work, work, needed, after_s
            ):
                detail = f"stays at {ch.good:g} {ch.signal.unit} while the car drives: not connected or dead"
                ch.distrust(self.tallies.open("stuck", ch.name, t, detail.replace("  ", " ")))

    def _watch_drawn(self, ch: ChannelJudge, t: float) -> None:
        point = (ch.t, ch.good or 0.0)
        if point[0] <= ch.points[1][0]:
            return
        drawn = _on_line(*ch.points, point)
        ch.points = (ch.points[1], point)
        if not drawn:
            ch.line_t0 = t
            if ch.standing is not None and ch.standing.kind == "stale":
                ch.clear(t)
        elif t - ch.line_t0 >= DRAWN_S and ch.standing is None:
            detail = f"a straight line for more than {DRAWN_S:g} s: drawn over a hole in the source"
            ch.distrust(self.tallies.open("stale", ch.name, t, detail))

    def slow_findings(self) -> list[Finding]:
        """Return channels whose true rate is below that of their rows."""
        found = []
        for ch in self.channels:
            rows = ch.true_step_rows
            if rows is not None and self.step_s > 0.0 and ch.stale_after_s <= 0.5:
                row_hz = 1.0 / self.step_s
                detail = f"true rate about {row_hz / rows:.1f} Hz in rows of {row_hz:.0f} Hz"
                found.append(Finding("slow_channel", ch.name, ch.run_rows - ch.runs, None, detail))
        return found


def _on_line(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    (t0, v0), (t1, v1), (t2, v2) = a, b, c
    if not t0 < t1 < t2 or v1 == v2:
        return False
    predicted = v1 + (v1 - v0) * (t2 - t1) / (t1 - t0)
    return abs(v2 - predicted) <= DRAWN_TOLERANCE * abs(v2 - v1) + ROUNDING


def _done(since: Work, now: Work, needed: Work, moving_s: float) -> bool:
    return (
        now.moving_s - since.moving_s > moving_s
        and now.speed_mps - since.speed_mps >= needed.speed_mps
        and now.turn_deg - since.turn_deg >= needed.turn_deg
    )
