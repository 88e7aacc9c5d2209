"""Watch the car for a departure while no session is open, and hold back the last seconds."""

from __future__ import annotations

from collections import deque

from pitwall.daemon.intake.queue import InputLane
from pitwall.daemon.sessions.life import Departure
from pitwall.daemon.sessions.open_session import OpenSession, SessionParts, Values
from pitwall.daemon.sessions.place import PlaceWatch
from pitwall.drive.session import DriveSession, Supplies

# The seconds before the car moved off belong to the session: the gate may be near.
PREROLL_S, PREROLL_READINGS = 10.0, 4_000


class Idle:
    """Makes frames and keeps nothing. The car counts as parked until it moves off."""

    def __init__(self, parts: SessionParts, place: PlaceWatch) -> None:
        path = DriveSession(Supplies(parts.tracks), parts.drive_settings(), begun_t=0.0)
        self.session = OpenSession("", 0.0, path, None, (parts.listener,))
        self.preroll: deque[tuple[InputLane, float, Values]] = deque(maxlen=PREROLL_READINGS)
        self._place, self._parked, self._departure = place, parts.car.parked, Departure()
        parts.car.state = path.state
        self._parked.set()

    def feed(self, lane: InputLane, clock_s: float, values: Values) -> bool:
        """Feed one reading. True once the car has moved long enough to be a drive."""
        self.preroll.append((lane, clock_s, values))
        while self.preroll[0][1] < clock_s - PREROLL_S:
            self.preroll.popleft()
        frame = self.session.sample(lane, clock_s, values)
        if frame is None:
            return False
        self._place.look_around(frame)
        if self._departure.feed(frame):
            return True
        if self._departure.begins == self._parked.is_set():
            (self._parked.clear if self._departure.begins else self._parked.set)()
        return False

    def began_s(self, now_s: float) -> float:
        """Return when, on the daemon's clock, a session that opens now begins: at the first reading
        held back."""
        return self.preroll[0][1] if self.preroll else now_s
