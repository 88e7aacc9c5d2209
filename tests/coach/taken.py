"""What the drive path hands out, kept, and what holds for all of it."""

from __future__ import annotations

from collections import Counter

from coach_world import SPOKEN

from pitwall.coach.cue import SAFETY, Callout, LedgerLine
from pitwall.coach.lead import REACTION_S
from pitwall.coach.policy import CALLOUTS_PER_LAP
from pitwall.drive.listeners import DriveListener
from pitwall.drive.prepare import Words
from pitwall.drive.session import DriveSession
from pitwall.telemetry.frame import Frame
from pitwall.track.braking import BRAKING_G
from pitwall.track.lap import Lap, Position

Seen = list[tuple[Frame, Position, int]]


class Taken(DriveListener):
    """Keeps what the drive path hands out."""

    def __init__(self) -> None:
        self.path: DriveSession | None = None
        self.seen: Seen = []
        self.laps: list[Lap] = []
        self.lines: list[LedgerLine] = []
        self.callouts: list[Callout] = []
        self.began: list[Frame] = []

    def frame(self, frame: Frame, position: Position | None) -> None:
        assert self.path is not None
        self.began += [frame] * (len(self.callouts) - len(self.began))
        if position is not None:
            # A frame belongs to the lap that runs after it: the one that it ended is over.
            self.seen.append((frame, position, self.path.lap_number))

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def callout(self, callout: Callout) -> None:
        self.callouts.append(callout)

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)

    def under_braking(self) -> list[str]:
        """What began to sound while the driver braked, safety apart."""
        safety = {line.cue for line in self.lines if line.priority >= SAFETY}
        return [
            callout.text
            for callout, frame in zip(self.callouts, self.began, strict=True)
            if callout.cue not in safety and frame.g_long is not None and frame.g_long <= -BRAKING_G
        ]


class TimedWords(Words, frozen=True):
    """The words of a track with lengths about as espeak-ng's."""

    def clip_s(self, text: str) -> float:
        return clip_s(text)


def clip_s(text: str) -> float:
    """About what espeak-ng takes at 175 words a minute; the rule must hold for any length."""
    return 0.25 + 0.06 * len(text)


def check(lines: list[LedgerLine]) -> None:
    """Each cue ends once, nothing is late, and no lap is full of words."""
    assert sorted(line.cue for line in lines) == list(range(1, len(lines) + 1))
    spoken = [line for line in lines if line.outcome in SPOKEN]
    assert max(Counter(line.lap for line in spoken).values(), default=0) <= CALLOUTS_PER_LAP
    for line in spoken:
        if line.action_distance_m is not None:
            assert line.time_in_hand_s is not None
            assert line.time_in_hand_s >= REACTION_S, line
