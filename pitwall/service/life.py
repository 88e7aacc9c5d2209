"""When a session begins and ends, and which part of it this is: decided from the data alone."""

from __future__ import annotations

import math

from pitwall.api.types import SessionLife
from pitwall.settings import LimitSettings
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import LapKind, Position

# Faster than a car is pushed, slower than a pit lane; for two seconds: one bad fix is no departure.
MOVING_MPS, MOVING_S = 3.0, 2.0
# Where a source knows no speed: further than GPS wanders in ten seconds.
AWAY_M, AWAY_S = 25.0, 10.0
# Slower than walking is standing; so long, and it is no corner, no spin and no start grid any more.
STANDING_MPS, STANDING_S = 1.0, 10.0
METRES_PER_DEG = 111_195.0


class Departure:
    """Whether the car has begun to move. Feed every frame; data time."""

    def __init__(self) -> None:
        self._since_t: float | None = None
        self._at: tuple[float, float, float] | None = None

    def feed(self, frame: Frame) -> bool:
        """True once it has moved long enough to be a drive."""
        speed_mps = frame.speed_mps if frame.speed_mps is not None else frame.wheel_speed_mps
        if speed_mps is None:
            return self._went_away(frame)
        if speed_mps < MOVING_MPS:
            self._since_t = None
        elif self._since_t is None:
            self._since_t = frame.t
        return self._since_t is not None and frame.t - self._since_t >= MOVING_S

    def _went_away(self, frame: Frame) -> bool:
        if frame.lat_deg is None or frame.lon_deg is None:
            return False
        if self._at is None or frame.t - self._at[0] > AWAY_S:
            self._at = (frame.t, frame.lat_deg, frame.lon_deg)
            return False
        _, lat_deg, lon_deg = self._at
        north_m = (frame.lat_deg - lat_deg) * METRES_PER_DEG
        east_m = (frame.lon_deg - lon_deg) * METRES_PER_DEG * math.cos(math.radians(lat_deg))
        return math.hypot(north_m, east_m) > AWAY_M


class Life:
    """The state of one open session, and why it is over. Feed every frame, and ticks while none comes."""

    def __init__(self, limits: LimitSettings, t: float) -> None:
        self.state: SessionLife = "paddock"
        self._limits = limits
        self._moved_t = self._data_t = t

    def feed(self, frame: Frame, position: Position | None, running: LapKind, known_track: bool) -> bool:
        """Take one frame; True where the state has changed."""
        t = self._data_t = frame.t
        speed_mps = frame.speed_mps if frame.speed_mps is not None else frame.wheel_speed_mps
        if speed_mps is None or speed_mps >= STANDING_MPS:
            self._moved_t = t
        before, self.state = self.state, self._now(t, position, running, known_track)
        return before != self.state

    def handed_in(self, t: float) -> None:
        """Somebody handed in data: the session is wanted."""
        self._moved_t = self._data_t = max(t, self._data_t)

    def over(self, t: float) -> str:
        """Why the session is over at `t`, "" while it is not."""
        if t - self._data_t >= self._limits.close_silent_s:
            return f"no data for {t - self._data_t:.0f} s"
        if t - self._moved_t >= self._limits.close_standing_s:
            return f"stood for {t - self._moved_t:.0f} s"
        return ""

    def _now(self, t: float, position: Position | None, running: LapKind, known_track: bool) -> SessionLife:
        if t - self._moved_t >= STANDING_S:
            return "paddock"
        if not known_track:
            return "street"
        if position is not None and position.status == "pit":
            # Rolling down the pit lane: towards the box, or out of it.
            return "in lap" if running in ("in", "flying") else "out lap"
        return {"out": "out lap", "in": "in lap"}.get(running, "flying")  # type: ignore[return-value]
