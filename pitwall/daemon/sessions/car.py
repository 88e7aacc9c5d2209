"""What all parts of the daemon may know of the car: whether it is parked, and where the drive stands."""

from __future__ import annotations

import asyncio
import threading

from pitwall.drive.session import LiveState


class CarState:
    """The keeper of the sessions writes it, everybody else reads it.

    `settled` is set once it is known whether the car stands: after a restart a broken-off session is read
    again first. `parked` is set while the car stands in the paddock. `state` belongs to the open session.
    """

    def __init__(self) -> None:
        self.settled = asyncio.Event()
        self.parked = threading.Event()
        self.state = LiveState()
