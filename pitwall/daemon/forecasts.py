"""The LiteRT tier of a drive: asks the network as frames come, and tells the path what it foresees.

The network runs on a thread of its own. What it says goes to the path as a control, so that it stands in the
journal: a replay asks no network. It is told only while a call waits for its place.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

import msgspec

from pitwall.coach.model.features import FEATURES
from pitwall.coach.model.forecaster import Forecaster, Question
from pitwall.coach.model.network import ModelError, Network, installed, read_card
from pitwall.coach.model.thread import DEADLINE_S, NetworkThread
from pitwall.contract.status import ForecastStatus
from pitwall.drive.session import NO_FORECAST, DriveSession
from pitwall.store.process_memory import let_go_of_code
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position
from pitwall.track.reference import ReferenceLap

log = logging.getLogger("pitwall")


class Forecasts:
    """`frame` takes each frame of the open session. `path` gives that session, `tell` tells it something,
    `shed` says whether the phone has to be spared."""

    def __init__(
        self,
        path: Callable[[], DriveSession],
        tell: Callable[[str], None],
        shed: Callable[[], bool] = lambda: False,
        *,
        wanted: bool = True,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        """Loads nothing. On the loop that the frames come on."""
        self._loop = asyncio.get_running_loop()
        self._path, self._tell, self._shed = path, tell, shed
        self._trouble, self._deadline_s = "", deadline_s
        self._scales: tuple[float, ...] = ()
        if not wanted:
            self._trouble = "coach.forecast is off"
        elif not installed():
            self._trouble = "the extra litert is not installed"
        else:
            try:
                self._scales = read_card().scales
            except ModelError as error:
                self._trouble = str(error)
        self._thread: NetworkThread | None = None
        self._forecaster: Forecaster | None = None
        self._driven: DriveSession | None = None
        self._compared: tuple[ReferenceLap | None, ReferenceLap | None] = (None, None)
        self._asked: Question | None = None
        self._told_trouble = False

    def frame(self, frame: Frame, position: Position | None) -> None:
        """A frame of the open session: ask what is due. Never waits."""
        path = self._path()
        if not self._scales or path.track is None:
            return
        thread = self._running()
        if thread.trouble:
            self._give_up(path, thread.trouble)
            return
        forecaster = self._here(path)
        if forecaster is None:
            return
        forecaster.feed(frame, position)
        if not thread.ready or self._shed():
            return
        question = forecaster.ask(frame.t)
        if question is not None and thread.ask(question):
            self._asked = question

    def status(self) -> ForecastStatus:
        """Return whether the network is on, and how it does."""
        thread = self._thread
        trouble = self._trouble or (thread.trouble if thread is not None else "")
        if trouble:
            return ForecastStatus(state="off", why=trouble)
        if thread is None or not thread.asked:
            return ForecastStatus(state="waiting", why="no lap to compare with yet")
        p99_s, forecaster = thread.p99_s(), self._forecaster
        return ForecastStatus(
            state="on",
            asked=thread.asked,
            late=thread.late,
            p99_ms=None if p99_s is None else round(1000.0 * p99_s, 2),
            better=forecaster.score.better if forecaster is not None else None,
        )

    @property
    def opened(self) -> bool:
        """Return whether the network is open and can be asked."""
        return self._thread is not None and self._thread.ready

    @property
    def busy(self) -> bool:
        """Return whether an answer is still to come."""
        return self._asked is not None

    async def run(self) -> None:
        """Until it is cancelled: then the thread ends."""
        try:
            await asyncio.Event().wait()
        finally:
            await self.end()

    async def end(self) -> None:
        """Ask nothing any more, and end the thread."""
        thread, self._thread = self._thread, None
        self._scales, self._trouble = (), "the daemon is ending"
        if thread is not None:
            await asyncio.to_thread(thread.stop)

    def _running(self) -> NetworkThread:
        if self._thread is None:
            self._thread = NetworkThread(self._answered, _opened, deadline_s=self._deadline_s)
            self._thread.start()
        return self._thread

    def _here(self, path: DriveSession) -> Forecaster | None:
        """The forecaster of this drive on this track, None before there is a lap to compare with."""
        reference, last = path.reference, path.last_driven
        if reference is None or path.track is None:
            return None
        if path is not self._driven or self._forecaster is None or self._forecaster.track is not path.track:
            self._driven, self._compared, self._told_trouble = path, (None, None), False
            self._forecaster, self._asked = Forecaster(path.track, self._scales), None
        if self._compared != (reference, last):
            self._compared = (reference, last)
            self._forecaster.compare_with(reference, last)
        return self._forecaster

    def _answered(self, question: Question, outputs: list[float] | None) -> None:
        """On the thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody drives any more
            self._loop.call_soon_threadsafe(self._take, question, outputs)

    def _take(self, question: Question, outputs: list[float] | None) -> None:
        forecaster, path = self._forecaster, self._path()
        if question is not self._asked:
            return
        self._asked = None
        if outputs is None or forecaster is None or path is not self._driven:
            return
        forecast = forecaster.take(question, outputs)
        if path.track is forecaster.track and path.heads_for_a_place:
            self._tell(msgspec.json.encode(forecast).decode())

    def _give_up(self, path: DriveSession, why: str) -> None:
        """The network can't be used: say it once to each drive that it was meant for."""
        if path is not self._driven or not self._told_trouble:
            log.warning("no forecasts: %s", why)
            self._driven, self._told_trouble = path, True
            self._tell(f"{NO_FORECAST}: {why}")


def _opened() -> Network:
    """The network, open and asked once; what only its opening needed is let go of. A drive has only begun."""
    network = Network()
    network.run([0.0] * FEATURES)
    let_go_of_code()
    return network
