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
        """Hear of a frame; its callout, if any, was handed over."""

    def lap(self, lap: Lap) -> None:
        """Hear of an ended lap."""

    def lap_marked(self, lap: Lap) -> None:
        """Hear a person's mark on an ended lap."""

    def corner_pass(self, corner_pass: CornerPass) -> None:
        """Hear of a pass through a corner."""

    def callout(self, callout: Callout) -> None:
        """Sound this now."""

    def ledger(self, line: LedgerLine) -> None:
        """Hear of a cue's end."""


class Speaker(DriveListener):
    """Plays the callouts of a replay that have a clip."""

    def __init__(self, player: Player, clips: Mapping[str, Clip]) -> None:
        self._player, self._clips = player, clips

    def callout(self, callout: Callout) -> None:
        """Play the clip of this callout."""
        clip = find_clip(self._clips, callout.text)
        if clip is not None:
            self._player.play(clip, cut=callout.cut)
