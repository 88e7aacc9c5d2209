"""Track which tracks the daemon knows, reread when files change, and which is near or recognised.

Includes tracks that another program builds, and the circuits of the world around a car without a
known track. An unknown circuit is built from the running session's first three laps: a process of
its own reads the journal as far as it goes, and the drive finds the new file as any other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pitwall.config import Home
from pitwall.daemon.sessions.open_session import OpenSession
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.controls import OnTrack, TrackUnknown
from pitwall.drive.learning import layout_of
from pitwall.drive.prepare import Surroundings, circuits_around, keep_circuits, known_tracks, script_trouble
from pitwall.drive.session import DriveSession
from pitwall.helpers.child_process import end_program, start_program
from pitwall.store.errors import StoreError
from pitwall.store.files import FolderStamp, folder_stamp
from pitwall.telemetry.frame import Frame
from pitwall.track.circuits import CircuitError
from pitwall.track.driven import DrivenPath
from pitwall.track.geometry import turn_deg
from pitwall.track.lap import Position
from pitwall.track.model import Track
from pitwall.track.venue import TrackFinder

log = logging.getLogger("pitwall")

# Near a track but not on it after a minute: it is another.
NOT_HERE_S = 60.0
MOVING_MPS = 5.0
# Look for another layout after 200 m off the track, among the last laps' places, a few times a
# session: a spin is shorter.
STEP_DEG, OFF_TRACK_PLACES, MOST_PLACES, MOST_ASKED = 1.2e-4, 20, 1_500, 4
# Outside for this long the session is over.
GONE_S = 10.0


class PlaceFinder:
    """Finds one session's track: `track`, "" before. `unknown_at`: the last place (lat_deg,
    lon_deg) far from known ones."""

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
        """Feed one frame; True when a track was recognised."""
        if frame.lat_deg is None or frame.lon_deg is None or frame.reckoned:
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
    """Watches whether the car has left its track's surroundings."""

    def __init__(self, track: Track, surroundings: Surroundings) -> None:
        self._track, self._surroundings = track, surroundings
        self._since_t: float | None = None

    def feed(self, frame: Frame) -> bool:
        """Feed a frame; True once it has been gone for a while."""
        if frame.lat_deg is None or frame.lon_deg is None or frame.reckoned:
            return False
        if self._track in self._surroundings.near(frame.lat_deg, frame.lon_deg):
            self._since_t = None
        elif self._since_t is None:
            self._since_t = frame.t
        return self._since_t is not None and frame.t - self._since_t >= GONE_S


class OffTrackTrace:
    """Watches whether the drive leaves the recognised track."""

    def __init__(self) -> None:
        self._places: deque[tuple[float, float]] = deque(maxlen=MOST_PLACES)
        self._off_count = self._asked = 0

    def feed(self, frame: Frame, position: Position | None) -> None:
        """Take one frame and where it lies."""
        lat_deg, lon_deg = frame.lat_deg, frame.lon_deg
        if lat_deg is None or lon_deg is None or frame.reckoned or (frame.speed_mps or 0.0) < MOVING_MPS:
            return
        if self._places:
            last_lat_deg, last_lon_deg = self._places[-1]
            if abs(lat_deg - last_lat_deg) + abs(lon_deg - last_lon_deg) < STEP_DEG:
                return
        self._places.append((lat_deg, lon_deg))
        if position is not None and position.status in ("off", "lost"):
            self._off_count += 1

    def places(self) -> Sequence[tuple[float, float]] | None:
        """Return the driven places when another layout should be looked for."""
        if self._off_count < OFF_TRACK_PLACES or self._asked >= MOST_ASKED:
            return None
        self._off_count, self._asked = 0, self._asked + 1
        return tuple(self._places)


# Three laps average out mistakes; if they were not clean, wait for two more.
FIRST_LAPS, MORE_LAPS, MOST_TRIES = 3, 2, 4
NICE = 15
# The path is searched in such steps, up to four laps of the longest circuit.
STEP_M, KEPT_STEPS = 20.0, 5_000
# A place is driven again where the car passes this near in the same direction, after a kart track's
# lap.
NEAR_M, SHORTEST_M, SAME_WAY_DEG = 15.0, 200.0, 45.0


class LapCount:
    """Counts laps of an unknown loop."""

    def __init__(self) -> None:
        self.laps = self._tries = 0
        self._path = DrivenPath(STEP_M)

    def feed(self, frame: Frame) -> None:
        """Take one frame."""
        lat_deg, lon_deg = frame.lat_deg, frame.lon_deg
        if lat_deg is None or lon_deg is None or frame.reckoned:
            return
        if self._path.add(frame.t, lat_deg, lon_deg) and len(self._path) > 1:
            self.laps = self._visits()

    def _visits(self) -> int:
        """Return how often the newest place was driven."""
        path, here = self._path, len(self._path) - 1
        x_m, y_m, course = path.x_m[here], path.y_m[here], path.course(here - 1)
        apart, visits, last = int(SHORTEST_M / STEP_M), 0, here
        for i in range(here - apart, max(here - KEPT_STEPS, 0), -1):
            if (
                abs(path.x_m[i] - x_m) < NEAR_M
                and abs(path.y_m[i] - y_m) < NEAR_M
                and last - i >= apart
                and abs(turn_deg(course, path.course(i - 1))) < SAME_WAY_DEG
            ):
                visits, last = visits + 1, i
        return visits

    def due(self) -> bool:
        """Return whether to build a track now; counted."""
        if self._tries >= MOST_TRIES or self.laps < FIRST_LAPS + self._tries * MORE_LAPS:
            return False
        self._tries += 1
        return True


class PlaceWatch:
    """Follows which tracks the car is near, on, or has left; wants their words."""

    def __init__(self, tracks: Mapping[str, Track], vocabulary: Vocabulary) -> None:
        self._tracks, self._vocabulary = tracks, vocabulary
        self._surroundings = Surroundings(tracks)
        self.begin()

    def begin(self, path: DriveSession | None = None) -> None:
        """Begin with a new session, or go on with this `path`'s."""
        track = path.track if path is not None else None
        self._finder = PlaceFinder(self._tracks, self._surroundings)
        self._leaving = None if track is None else Leaving(track, self._surroundings)
        self._nowhere_noted, self._off_trace, self._driven = False, OffTrackTrace(), ""
        self._unknown_laps = LapCount()
        for frame in path.last_frames if path is not None else ():
            self._finder.feed(frame)
        # What the path lacks is found again with the next frame.
        self._finder.track = "" if track is None else track.id
        self._searching = track is None or not self._finder.sure

    @property
    def unknown_at(self) -> tuple[float, float] | None:
        """Return where the car is, degrees, while no known track is near."""
        return self._finder.unknown_at

    def unknown_laps_due(self) -> bool:
        """Return whether there are enough laps to build a track."""
        return self._unknown_laps.due()

    def off_track(self) -> Sequence[tuple[float, float]] | None:
        """Return the driven places where they leave the recognised track."""
        return self._off_trace.places()

    def driven(self, track: str) -> None:
        """Note that this layout is driven in place of the recognised one."""
        self._driven = track

    def tracks_changed(self, known: Track | None) -> None:
        """Look among the changed tracks."""
        self._surroundings = Surroundings(self._tracks)
        if known is None:
            self.begin()

    def look_around(self, frame: Frame) -> None:
        """Want the words of near tracks, without a session."""
        self._finder.feed(frame)
        self._want_words()

    def feed(self, session: OpenSession, frame: Frame) -> str:
        """Tell the session's path what is found. Return a newly recognised track's id, else ""."""
        if session.path.track is not None:
            if not session.path.track.has_finish:
                self._off_trace.feed(frame, session.path.position)
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
        elif finder.nowhere and not self._nowhere_noted:
            self._nowhere_noted = True
            session.control(TrackUnknown())
        return ""

    def left(self, frame: Frame) -> bool:
        """Return whether the car has left its track's surroundings."""
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


# Building a track in the paddock and driving off takes longer.
LOOK_EVERY_S = 3.0
Places = Sequence[tuple[float, float]]
"""Latitude and longitude in degrees, in driving order."""

# A standing car wanders: nearer places, in digits of a degree, are one.
PLACE_DIGITS = 2


class KnownTracks:
    """`tracks` by id, one shared mapping; `notes`: what is wrong with files."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._asked: set[tuple[float, float]] = set()
        self._stamp = self._stamp_now()
        self.tracks, self.notes = known_tracks(home)
        # Else the driver hears other words, and nobody knows why.
        for track in self.tracks.values():
            for line in script_trouble(home, track):
                log.warning("%s", line)

    async def follow(
        self,
        free: Callable[[], bool],
        changed: Callable[[Sequence[str]], None],
        unknown_at: Callable[[], tuple[float, float] | None] = lambda: None,
        off_track: Callable[[], Places | None] = lambda: None,
        driven: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Look for ever; read files while `free` says that nobody drives on their tracks.

        `changed` gets ids of new or edited tracks; `unknown_at` a place in degrees far from tracks,
        `off_track` what was driven off it; `driven` gets that layout's id.
        """
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            place, places, layout = unknown_at(), off_track(), ""
            if places is not None:
                layout = await asyncio.to_thread(self._keep_layout, places)
            # Without a fitting track nothing changes under the car.
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
        # Never empty meanwhile: rendering threads read it.
        self.tracks.update(tracks)
        for name in gone:
            del self.tracks[name]
        log.info("tracks: %s", ", ".join(self.tracks) or "none")
        return changed

    def _keep_circuits(self, lat_deg: float, lon_deg: float) -> bool:
        """Keep the world's circuits around this place as track files, once a place; return whether
        there are any."""
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
        """Keep the world's circuit that was driven in place of the known track; return its id, if
        any."""
        try:
            track = layout_of(places, dict(self.tracks))
            if track is not None:
                keep_circuits(self._home, {track.id: track})
        except (CircuitError, StoreError) as error:
            log.warning("no other layout: %s", error)
            return ""
        return "" if track is None else track.id

    def _stamp_now(self) -> FolderStamp:
        """Stamp the files that would be read."""
        return folder_stamp(self._home.layers("track_data"), "*.json")


class NewTracks:
    """Has a track built when one is due. `journal`: the running session's."""

    def __init__(self, home: Home, due: Callable[[], bool], journal: Callable[[], Path | None]) -> None:
        self._home, self._due, self._journal = home, due, journal

    async def run(self) -> None:
        """Look for ever."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            journal = self._journal()
            if journal is not None and self._due():
                await self._build(journal)

    async def _build(self, journal: Path) -> None:
        day = time.strftime("%Y-%m-%d")
        words = (
            sys.executable, "-m", "pitwall", "--home", str(self._home.root), "track", "build", str(journal),
            "--id", f"new_circuit_{journal.stem.replace('-', '_')}"[:60], "--name", f"New circuit, {day}",
        )  # fmt: skip
        try:
            process = start_program(words, stderr=subprocess.PIPE)
        except OSError as error:
            log.warning("no track of this circuit is built: %s", error)
            return
        try:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
            # If cancelled, the process is ended below.
            await asyncio.to_thread(process.wait)
            if process.returncode and process.stderr is not None:
                errors = process.stderr.read().decode(errors="replace").strip()
                log.warning("no track of this circuit is built: %s", errors[-300:])
        finally:
            end_program(process, 0.0)
