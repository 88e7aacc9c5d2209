"""The tracks that a lake was driven on: one's own, the shipped ones, the circuits of the world."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pitwall.config import shipped
from pitwall.drive.prepare import world_circuits
from pitwall.fleet.storage import LakeError
from pitwall.track.circuits import CircuitError
from pitwall.track.library import TrackError, load_tracks
from pitwall.track.model import Track


class TrackShelf:
    """Reads each track once. `layers`: folders of track files, the first that has a track wins."""

    def __init__(self, layers: Sequence[Path] = ()) -> None:
        self.layers = tuple(layers) or (shipped("track_data"),)
        problems: list[TrackError] = []
        self._known: dict[str, Track] = dict(load_tracks(list(self.layers), problems))

    def get(self, track_id: str) -> Track:
        """LakeError where nobody knows it: an analysis without its track would be silently empty."""
        found = self._known.get(track_id)
        if found is None:
            try:
                circuits = world_circuits()
                circuit = circuits.get(track_id)
                found = None if circuit is None else circuits.track(circuit)
            except CircuitError as error:
                raise LakeError(str(error)) from error
            if found is None:
                raise LakeError(
                    f"the track {track_id!r} is not known here: copy its file into track_data of the home"
                )
            self._known[track_id] = found
        return found
