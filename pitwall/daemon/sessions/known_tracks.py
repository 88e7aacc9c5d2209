"""The tracks that the daemon knows, read again when their files change: one built beside it counts, and so do
the circuits of the world around a car where no track is known."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from pitwall.config import Home
from pitwall.drive.learning import layout_of
from pitwall.drive.prepare import circuits_around, keep_circuits, known_tracks, script_trouble
from pitwall.store.errors import StoreError
from pitwall.store.files import FolderStamp, folder_stamp
from pitwall.track.circuits import CircuitError
from pitwall.track.model import Track

log = logging.getLogger("pitwall")

# Whoever builds a track in the paddock needs longer than that to drive off.
LOOK_EVERY_S = 3.0
Places = Sequence[tuple[float, float]]
"""Latitude and longitude in degrees, in driving order."""

# A car that stands wanders by metres: places this near together, in digits of a degree, are one.
PLACE_DIGITS = 2


class KnownTracks:
    """`tracks` by id, one mapping for all who use it; `notes` are what is wrong with files."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._asked: set[tuple[float, float]] = set()
        self._stamp = self._stamp_now()
        self.tracks, self.notes = known_tracks(home)
        # Else the driver hears of it by other words at that corner, and nobody why.
        for track in self.tracks.values():
            for line in script_trouble(home, track):
                log.warning("%s", line)

    async def follow(
        self,
        free: Callable[[], bool],
        changed: Callable[[Sequence[str]], None],
        unknown_at: Callable[[], tuple[float, float] | None] = lambda: None,
        beside: Callable[[], Places | None] = lambda: None,
        driven: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Look for ever, and read while `free` says that nobody drives on one of them. `changed` is told the
        ids of those that are new or other than before, `unknown_at` tells a place in degrees that no track
        is near, `beside` what was driven where that is beside the track; `driven` is told which layout that
        is. A part for the supervisor."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            place, places, layout = unknown_at(), beside(), ""
            if places is not None:
                layout = await asyncio.to_thread(self._keep_layout, places)
            # Where no track fits, nothing changes under the car but that it may become known.
            found = bool(layout) or (
                place is not None and await asyncio.to_thread(self._keep_circuits, *place)
            )
            if not (found or free()) or (stamp := await asyncio.to_thread(self._stamp_now)) == self._stamp:
                continue
            tracks, notes = await asyncio.to_thread(known_tracks, self._home)
            if found or free():  # else at the next look
                self._stamp, self.notes = stamp, notes
                changed(self._take(tracks))
                if layout in self.tracks:
                    driven(layout)

    def _take(self, tracks: dict[str, Track]) -> list[str]:
        changed = [name for name, track in tracks.items() if self.tracks.get(name) != track]
        gone = self.tracks.keys() - tracks.keys()
        # Never empty meanwhile: threads that render a track's words look into it.
        self.tracks.update(tracks)
        for name in gone:
            del self.tracks[name]
        log.info("tracks: %s", ", ".join(self.tracks) or "none")
        return changed

    def _keep_circuits(self, lat_deg: float, lon_deg: float) -> bool:
        """Keep the circuits of the world around this place as track files, each place once; whether there
        are any."""
        here = round(lat_deg, PLACE_DIGITS), round(lon_deg, PLACE_DIGITS)
        if here in self._asked:
            return False
        self._asked.add(here)
        try:
            around = circuits_around(lat_deg, lon_deg)
            keep_circuits(self._home, around)
        except (CircuitError, StoreError) as error:
            log.warning("no circuits of the world: %s", error)
            return False
        return bool(around)

    def _keep_layout(self, places: Places) -> str:
        """Keep the circuit of the world that was driven in place of the known track; its id, "" for none."""
        try:
            track = layout_of(places, dict(self.tracks))
            if track is not None:
                keep_circuits(self._home, {track.id: track})
        except (CircuitError, StoreError) as error:
            log.warning("no other layout: %s", error)
            return ""
        return "" if track is None else track.id

    def _stamp_now(self) -> FolderStamp:
        """What would be read: it changes with every file."""
        return folder_stamp(self._home.layers("track_data"), "*.json")
