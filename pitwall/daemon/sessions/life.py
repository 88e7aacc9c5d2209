"""Decide from the data alone when a session begins and ends, and which part of it this is.

Also: what the path must hear of time without data (none comes, or late), and what all parts of the
daemon may know of the car."""

from __future__ import annotations

import asyncio
import math
import threading

from pitwall.contract.status import SessionLife
from pitwall.drive.session import LiveState
from pitwall.settings import LimitSettings
from pitwall.telemetry.fix import metres_between
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import LapKind, Position

# Faster than a car is pushed, slower than a pit lane; two seconds: one bad fix is no departure.
MOVING_MPS, MOVING_S = 3.0, 2.0
# Two fixes silence the paddock, which must happen within a second.
BEGINS_S = 0.1
# Without a speed: further than GPS wanders in ten seconds.
AWAY_M, AWAY_S = 25.0, 10.0
# Slower than walking; this long is no corner, spin or grid.
STANDING_MPS, STANDING_S = 1.0, 10.0
# GPS comes once a second at least.
BLIND_S = 3.0
# Readings come, but none shows whether the car moves.
UNKNOWN_S = 300.0
# No source sends anything: the ignition is off.
SILENT_S = 60.0
# Every source has ended by itself, as a recording does.
ENDED_S = 2.0


class Places:
    """Watches by places alone whether a car goes anywhere. Data time."""

    def __init__(self) -> None:
        self._from: tuple[float, float, float] | None = None
        self._seen_t = 0.0
        self._goes: bool | None = None

    def feed(self, frame: Frame) -> bool | None:
        """Feed a place. True: it goes away; False: it stayed; None: not known."""
        if frame.lat_deg is None or frame.lon_deg is None:
            return None
        here = (frame.t, frame.lat_deg, frame.lon_deg)
        if self._from is None or frame.t - self._seen_t > AWAY_S:
            self._from, self._goes = here, None
        elif frame.t - self._from[0] > AWAY_S:
            self._from, self._goes = here, False
        elif metres_between(*self._from[1:], *here[1:]) > AWAY_M:
            self._from, self._goes = here, True
        self._seen_t = frame.t
        return self._goes


def _speed_mps(frame: Frame) -> float | None:
    return frame.speed_mps if frame.speed_mps is not None else frame.wheel_speed_mps


class Departure:
    """Watches whether the car has begun to move."""

    def __init__(self) -> None:
        self._since_t: float | None = None
        self._places = Places()
        # It may have begun to move: nobody is answered now.
        self.begins = False

    def feed(self, frame: Frame) -> bool:
        """Feed a frame; True once it has moved long enough."""
        speed_mps = _speed_mps(frame)
        if speed_mps is None:
            self.begins = self._places.feed(frame) is True
            return self.begins
        if speed_mps < MOVING_MPS:
            self._since_t = None
        elif self._since_t is None:
            self._since_t = frame.t
        moved_s = frame.t - self._since_t if self._since_t is not None else 0.0
        self.begins = moved_s >= BEGINS_S
        return moved_s >= MOVING_S


class Life:
    """The state of an open session, and why it is over."""

    def __init__(self, limits: LimitSettings, t: float) -> None:
        self.state: SessionLife = "paddock"
        self._limits = limits
        self._moved_t = self._data_t = t
        self._seen_t = t
        # Since when, and when last, it was seen standing.
        self._stood_from_t: float | None = None
        self._stood_t = t
        self._places = Places()
        # No reading came for SILENT_S, nor a move since.
        self._fell_silent = False

    def feed(self, frame: Frame, position: Position | None, running: LapKind, known_track: bool) -> bool:
        """Take one frame; True if the state has changed."""
        t = self._data_t = frame.t
        speed_mps = _speed_mps(frame)
        moves = self._places.feed(frame) if speed_mps is None else speed_mps >= STANDING_MPS
        if moves is not None:
            self._see(t, moves)
        before, self.state = self.state, self._now(t, position, running, known_track)
        return before != self.state

    def quiet(self, t: float, *, ended: bool = False) -> bool:
        """Note silence up to `t`; True if that changes the state. `ended`: no source can bring
        more."""
        if t - self._data_t < (ENDED_S if ended else SILENT_S):
            return False
        before, self.state, self._fell_silent = self.state, "paddock", True
        return before != self.state

    def _see(self, t: float, moves: bool) -> None:
        blind = t - self._seen_t > BLIND_S
        if moves:
            self._moved_t, self._stood_from_t, self._fell_silent = t, None, False
        else:
            if self._stood_from_t is None or (blind and not self._stands):
                self._stood_from_t = t if blind else self._seen_t
            self._stood_t = t
        self._seen_t = t

    def handed_in(self, t: float) -> None:
        """Note that somebody handed in data."""
        self._data_t = max(t, self._data_t)

    def over(self, t: float) -> str:
        """Say why the session is over, "" while it is not."""
        if t - self._data_t >= self._limits.close_silent_s:
            return f"no data for {t - self._data_t:.0f} s"
        if t - self._moved_t >= self._limits.close_standing_s:
            how = "stood for" if self._stands else "not seen to move for"
            return f"{how} {t - self._moved_t:.0f} s"
        return ""

    @property
    def _stands(self) -> bool:
        """Return whether it has stood for long enough."""
        return self._stood_from_t is not None and self._stood_t - self._stood_from_t >= STANDING_S

    def _now(self, t: float, position: Position | None, running: LapKind, known_track: bool) -> SessionLife:
        if self._stands or self._fell_silent or t - self._moved_t >= UNKNOWN_S:
            return "paddock"
        if not known_track:
            return "street"
        if position is not None and position.status == "pit":
            # Down the pit lane: to the box, or out of it.
            return "in lap" if running in ("in", "flying") else "out lap"
        return {"out": "out lap", "in": "in lap"}.get(running, "flying")  # type: ignore[return-value]


class CarState:
    """The car's state: written by the keeper, read by all. `settled`: it is known whether it
    stands. `parked`: in the paddock. `state`: of the open session."""

    def __init__(self) -> None:
        self.settled = asyncio.Event()
        self.parked = threading.Event()
        self.state = LiveState()


# The usual step is learned from steps up to this.
STEP_WEIGHT, SLOWEST_S = 1 / 16, 2.0
# Later than usual by this: the path learns that time goes on.
LATE_S = 0.32
# A wake-up this late: neither we nor any source could run.
STALLED_S = 0.1
# Often while a message may wait, then seldom.
DENSE_S, DENSE_FOR_S, SPARSE_S = 0.25, 15.0, 5.0
# A lead's margin covers less; more is reported in such steps.
BEHIND_S, BEHIND_STEP_S = 0.3, 0.1
# A feed whose newest readings fall back is slow by nature.
FOLLOWED = 0.5


class Silence:
    """Detects silence. Monotonic time."""

    def __init__(self, now_s: float) -> None:
        self.heard_s = now_s
        self._step_s = 0.1
        self._ticked_s = now_s

    def heard(self, now_s: float) -> None:
        """Note a reading."""
        step_s = now_s - self.heard_s
        if step_s <= SLOWEST_S:
            self._step_s += STEP_WEIGHT * (step_s - self._step_s)
        self.heard_s = now_s

    def overslept(self, late_s: float, now_s: float) -> None:
        """Note a late wake-up: meanwhile sources were not silent."""
        if late_s > STALLED_S:
            self.heard_s = min(self.heard_s + late_s, now_s)

    def due_s(self, now_s: float) -> float:
        """Return when to tell the path that time goes on."""
        at_s = self.heard_s + self._step_s + LATE_S
        if self._ticked_s > self.heard_s:
            every_s = DENSE_S if now_s - self.heard_s < DENSE_FOR_S else SPARSE_S
            at_s = max(at_s, self._ticked_s + every_s)
        return at_s

    def tick_due(self, now_s: float) -> bool:
        """Return whether to tell it now."""
        if now_s < self.due_s(now_s):
            return False
        self._ticked_s = now_s
        return True


class Lateness:
    """Measures how far the drive is ahead of the readings, which come in a burst after a stall.
    Daemon's clock."""

    def __init__(self) -> None:
        self._newest_s = self._seen_s = -math.inf
        # How late the last reading came, and how late they usually come.
        self._late_s = self._usual_s = math.inf

    @property
    def usual_s(self) -> float:
        """Return how late readings usually come."""
        return self._usual_s if self._usual_s < math.inf else 0.0

    def go_on(self, usual_s: float, now_s: float) -> None:
        """Continue after a restart."""
        self._late_s = self._usual_s = usual_s
        self._seen_s = now_s

    def heard(self, clock_s: float, now_s: float) -> float:
        """Note that a reading of `clock_s` is driven at `now_s`; return how late it is, s, 0 if
        negligible."""
        step_s, self._seen_s = now_s - self._seen_s, now_s
        self._newest_s = newest_s = max(self._newest_s, min(clock_s, now_s))
        late_s = now_s - newest_s
        self._usual_s = min(max(self._usual_s, self._late_s), self._usual_s + FOLLOWED * step_s, late_s)
        self._late_s = late_s
        behind_s = late_s - self._usual_s
        return round(math.ceil(behind_s / BEHIND_STEP_S) * BEHIND_STEP_S, 1) if behind_s > BEHIND_S else 0.0
