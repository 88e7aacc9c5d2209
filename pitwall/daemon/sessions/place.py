"""Which tracks the daemon knows, read again when their files change, and which of them is near or recognised.

A track that another program builds meanwhile counts, and so do the circuits of the world around a car where
no track is known.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from pitwall.config import Home
from pitwall.daemon.sessions.new_track import LapCount
from pitwall.daemon.sessions.open_session import OpenSession
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.controls import OnTrack, TrackUnknown
from pitwall.drive.learning import layout_of
from pitwall.drive.prepare import Surroundings, circuits_around, keep_circuits, known_tracks, script_trouble
from pitwall.drive.session import DriveSession
from pitwall.store.errors import StoreError
from pitwall.store.files import FolderStamp, folder_stamp
from pitwall.telemetry.frame import Frame
from pitwall.track.circuits import CircuitError
from pitwall.track.lap import Position
from pitwall.track.model import Track
from pitwall.track.venue import TrackFinder

# After a minute of driving near a track without having been on it, it is not the one that is driven.
NOT_HERE_S = 60.0
MOVING_MPS = 5.0
# Another layout is looked for after 200 m off the track, among the places of the last laps, a few times a
# session: a spin or a tour of the paddock is shorter, or tells nothing new.
STEP_DEG, BESIDE_PLACES, MOST_PLACES, MOST_ASKED = 1.2e-4, 20, 1_500, 4
# A session is of one place: so long outside its surroundings, and it is over.
GONE_S = 10.0


class PlaceFinder:
    """Looks for the track of one session. `feed` frames; `track` is what was found, "" while nothing is.

    `unknown_at`: the last place (lat_deg, lon_deg) where no known track was near."""

    def __init__(self, tracks: Mapping[str, Track], surroundings: Surroundings) -> None:
        self.track = ""
        self.near: list[Track] = []
        self.unknown_at: tuple[float, float] | None = None
        self.nowhere = False
        self._finder = TrackFinder(tracks.values())
        self._surroundings = surroundings
        self._driving_s = 0.0
        self._t: float | None = None

    @property
    def sure(self) -> bool:
        """Return whether more driving would hardly change the answer."""
        return self._finder.sure

    def feed(self, frame: Frame) -> bool:
        """Take one frame; True where a track was recognised (again, as another one)."""
        if frame.lat_deg is None or frame.lon_deg is None or frame.fix_age_s > 0.0:
            return False
        step_s = 0.0 if self._t is None else min(frame.t - self._t, 1.0)
        self._t = frame.t
        if self._finder.sure and self.track:
            return False
        self.near = self._surroundings.near(frame.lat_deg, frame.lon_deg)
        self.unknown_at = None if self.near else (frame.lat_deg, frame.lon_deg)
        if frame.speed_mps is not None and frame.speed_mps > MOVING_MPS:
            self._driving_s += step_s if self.near else NOT_HERE_S * step_s / GONE_S
        if self.near:
            self._finder.feed(frame.lat_deg, frame.lon_deg)
        found = self._finder.track
        if found is not None and found.id != self.track:
            self.track, self.nowhere = found.id, False
            return True
        self.nowhere = not self.track and self._driving_s >= NOT_HERE_S
        return False


class Leaving:
    """Watches whether the car has left the surroundings of its track."""

    def __init__(self, track: Track, surroundings: Surroundings) -> None:
        self._track, self._surroundings = track, surroundings
        self._since_t: float | None = None

    def feed(self, frame: Frame) -> bool:
        """True once it has been gone for a while."""
        if frame.lat_deg is None or frame.lon_deg is None or frame.fix_age_s > 0.0:
            return False
        if self._track in self._surroundings.near(frame.lat_deg, frame.lon_deg):
            self._since_t = None
        elif self._since_t is None:
            self._since_t = frame.t
        return self._since_t is not None and frame.t - self._since_t >= GONE_S


class OffTrackTrace:
    """Watches whether what is driven leaves the track that was recognised, as another layout of the
    circuit does."""

    def __init__(self) -> None:
        self._places: deque[tuple[float, float]] = deque(maxlen=MOST_PLACES)
        self._beside = self._asked = 0

    def feed(self, frame: Frame, position: Position | None) -> None:
        """Take one frame and where it lies on the track."""
        lat_deg, lon_deg = frame.lat_deg, frame.lon_deg
        if (
            lat_deg is None
            or lon_deg is None
            or frame.fix_age_s > 0.0
            or (frame.speed_mps or 0.0) < MOVING_MPS
        ):
            return
        if self._places:
            last_lat_deg, last_lon_deg = self._places[-1]
            if abs(lat_deg - last_lat_deg) + abs(lon_deg - last_lon_deg) < STEP_DEG:
                return
        self._places.append((lat_deg, lon_deg))
        if position is not None and position.status in ("off", "lost"):
            self._beside += 1

    def places(self) -> Sequence[tuple[float, float]] | None:
        """Return what was driven, where another layout is to be looked for now; None where that is not."""
        if self._beside < BESIDE_PLACES or self._asked >= MOST_ASKED:
            return None
        self._beside, self._asked = 0, self._asked + 1
        return tuple(self._places)


class PlaceWatch:
    """Follows where the open session, or the car before one, is: near which tracks, on which of them, gone.

    It asks for the words of each track that comes near.
    """

    def __init__(self, tracks: Mapping[str, Track], vocabulary: Vocabulary) -> None:
        self._tracks, self._vocabulary = tracks, vocabulary
        self._surroundings = Surroundings(tracks)
        self.begin()

    def begin(self, path: DriveSession | None = None) -> None:
        """Begin with another session, or go on with one as far as this `path` has come."""
        track = path.track if path is not None else None
        self._finder = PlaceFinder(self._tracks, self._surroundings)
        self._leaving = None if track is None else Leaving(track, self._surroundings)
        self._told_nowhere, self._beside, self._driven = False, OffTrackTrace(), ""
        self._unknown_laps = LapCount()
        for frame in path.last_frames if path is not None else ():
            self._finder.feed(frame)
        # What they show and the path was not told is found again with the next frame.
        self._finder.track = "" if track is None else track.id
        self._searching = track is None or not self._finder.sure

    @property
    def unknown_at(self) -> tuple[float, float] | None:
        """Where the car is, in degrees, while no known track is near it."""
        return self._finder.unknown_at

    def unknown_laps_due(self) -> bool:
        """Return whether enough laps were driven where no track is known for one to be built now."""
        return self._unknown_laps.due()

    def beside(self) -> Sequence[tuple[float, float]] | None:
        """The places that were driven, where they leave the track that was recognised."""
        return self._beside.places()

    def driven(self, track: str) -> None:
        """This layout, a known track by now, is driven in place of the one that was recognised."""
        self._driven = track

    def tracks_changed(self, known: Track | None) -> None:
        """Other tracks are known than before: look among them where none is recognised yet."""
        self._surroundings = Surroundings(self._tracks)
        if known is None:
            self.begin()

    def look_around(self, frame: Frame) -> None:
        """No session is open: ask for the words of tracks that are near."""
        self._finder.feed(frame)
        self._want_words()

    def feed(self, session: OpenSession, frame: Frame) -> str:
        """Tell the session's path what is found. Returns the id of a track that was recognised, else ""."""
        if session.path.track is not None:
            if not session.path.track.has_finish:
                self._beside.feed(frame, session.path.position)
            if self._driven in self._tracks and self._driven != session.path.track.id:
                self._searching = False
                self._vocabulary.want(self._driven)
                return self._enter(session, frame, self._driven)
        if not self._searching:
            return ""
        finder = self._finder
        found = finder.feed(frame)
        self._unknown_laps.feed(frame)
        self._want_words()
        if found:
            self._searching = not finder.sure
            return self._enter(session, frame, finder.track)
        if finder.sure:
            self._searching = False
        elif finder.nowhere and not self._told_nowhere:
            self._told_nowhere = True
            session.control(TrackUnknown())
        return ""

    def left(self, frame: Frame) -> bool:
        """Watches whether the car has left the surroundings of its track."""
        return self._leaving is not None and self._leaving.feed(frame)

    def _enter(self, session: OpenSession, frame: Frame, track: str) -> str:
        if self._vocabulary.has(track):
            session.tell_words(self._vocabulary, track)
        session.control(OnTrack(track))
        session.writer.event(frame.t, "track", track)
        self._leaving = Leaving(self._tracks[track], self._surroundings)
        return track

    def _want_words(self) -> None:
        for track in self._finder.near:
            self._vocabulary.want(track.id)


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
        """Return what would be read: it changes with every file."""
        return folder_stamp(self._home.layers("track_data"), "*.json")
