"""Open the LiteRT network when a drive's track is known; the path asks it by the data's time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pitwall.coach.model.features import FEATURES
from pitwall.coach.model.forecaster import Run
from pitwall.coach.model.network import ModelError, Network, installed
from pitwall.contract.status import ForecastStatus
from pitwall.drive.controls import NO_FORECAST
from pitwall.drive.session import DriveSession
from pitwall.store.process_memory import drop_code_pages

log = logging.getLogger("pitwall")


class Forecasts:
    """The network of this drive; `shed`: whether to spare the phone."""

    def __init__(
        self,
        path: Callable[[], DriveSession],
        shed: Callable[[], bool] = lambda: False,
        *,
        wanted: bool = True,
    ) -> None:
        self._path, self._shed = path, shed
        self._trouble = "" if wanted else "coach.forecast is off"
        if wanted and not installed():
            self._trouble = "the extra litert is not installed"
        self._network: Network | None = None
        self._here = asyncio.Event()

    def to_tell(self, path: DriveSession) -> str | None:
        """Return what to tell a path of the network, if anything."""
        network = self._network
        if path.track is None:
            return None
        if self._trouble or self._shed():
            known_by = f"{NO_FORECAST}: {self._trouble or 'shed to spare the phone'}"
        elif network is None:
            self._here.set()
            return None
        else:
            known_by = network.card.sha256
        return None if known_by == path.forecast_by else known_by

    def of(self, digest: str) -> Run | None:
        """Return what runs the network of this digest, if it is ours and open."""
        if self._network is None and not digest.startswith(NO_FORECAST):
            self._open()
        network = self._network
        return network.run if network is not None and network.card.sha256 == digest else None

    def status(self) -> ForecastStatus:
        """Return whether the network is on, and how it does."""
        path = self._path()
        forecaster, trouble = path.forecaster, self._trouble or path.forecast_trouble
        if trouble:
            return ForecastStatus(state="off", why=trouble)
        if forecaster is None or not forecaster.asked:
            return ForecastStatus(state="waiting", why="no call to time yet")
        return ForecastStatus(state="on", asked=forecaster.asked, better=forecaster.score.better)

    async def run(self) -> None:
        """Open the network once a drive is on a track, in a thread: 0.2 s."""
        await self._here.wait()
        await asyncio.to_thread(self._open)
        await asyncio.Event().wait()

    def _open(self) -> None:
        if self._network is not None or self._trouble:
            return
        try:
            network = Network()
            network.run([0.0] * FEATURES)
            drop_code_pages()
            self._network = network
        except ModelError as error:
            self._trouble = str(error)
            log.warning("no forecasts: %s", error)
