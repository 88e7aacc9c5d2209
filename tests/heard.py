"""What a replay tells, collected."""

from __future__ import annotations

from pathlib import Path

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.drive.replay import Replay, ReplayOptions
from pitwall.drive.session import DriveListener
from pitwall.store.store import Store
from pitwall.track.lap import CornerPass, Lap


class Heard(DriveListener):
    """Its laps, passes and ledger, in their order."""

    def __init__(self) -> None:
        self.lines: list[LedgerLine] = []
        self.laps: list[Lap] = []
        self.passes: list[CornerPass] = []

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        self.passes.append(corner_pass)

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)


def replayed(path: Path, home: Home) -> Heard:
    """A file through the path, as `pitwall replay` does it."""
    with Store(home) as store:
        store.open()
        replay = Replay(path, home, store, ReplayOptions())
        heard = replay.listener = Heard()
        assert replay.run()
    return heard
