"""Define who hears a drive: the recorder, the voice, the live page, a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from pitwall.coach.cue import Callout, LedgerLine
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.voice.clips import Clip, find_clip
from pitwall.voice.playback_queue import Player


class DriveListener:
    """Hears everything and does nothing: override what you need. No method may block in the car."""

    def frame(self, frame: Frame, position: Position | None) -> None:
        """A frame was made and its callout, if any, was handed over."""

    def lap(self, lap: Lap) -> None:
        """A lap has ended."""

    def lap_marked(self, lap: Lap) -> None:
        """A person said of a lap that has ended what it is."""

    def corner_pass(self, corner_pass: CornerPass) -> None:
        """A drive through a corner has ended."""

    def callout(self, callout: Callout) -> None:
        """This has to sound now."""

    def ledger(self, line: LedgerLine) -> None:
        """A cue has come to its end."""


class Speaker(DriveListener):
    """Plays the callouts of a replay that have a clip."""

    def __init__(self, player: Player, clips: Mapping[str, Clip]) -> None:
        self._player, self._clips = player, clips

    def callout(self, callout: Callout) -> None:
        """Play the clip of this callout."""
        clip = find_clip(self._clips, callout.text)
        if clip is not None:
            self._player.play(clip, cut=callout.cut)
