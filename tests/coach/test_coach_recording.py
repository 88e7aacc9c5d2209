"""The coach over a real drive: eight laps of Sonoma, each call measured against what the driver did."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from coach_world import SPOKEN

from pitwall.coach.coach import Coach
from pitwall.coach.cue import LedgerLine, ledger_json
from pitwall.coach.lead import REACTION_S
from pitwall.coach.policy import CALLOUTS_PER_LAP
from pitwall.coach.scripts import load_scripts
from pitwall.config import shipped
from pitwall.drive.journal import place_again, records
from pitwall.drive.listeners import DriveListener
from pitwall.drive.prepare import DriveSettings, Words
from pitwall.drive.recording import Recorder
from pitwall.drive.session import DriveSession, Supplies, control
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings import open_recording
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.library import load_track
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceBuilder, ReferenceLap

Seen = list[tuple[Frame, Position, int]]


class Taken(DriveListener):
    """Keeps what the drive path hands out."""

    def __init__(self) -> None:
        self.path: DriveSession | None = None
        self.seen: Seen = []
        self.laps: list[Lap] = []
        self.lines: list[LedgerLine] = []
        self.callouts: list[object] = []

    def frame(self, frame: Frame, position: Position | None) -> None:
        assert self.path is not None
        if position is not None:
            # A frame belongs to the lap that runs after it: the one that it ended is over.
            self.seen.append((frame, position, self.path.lap_number))

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def callout(self, callout: object) -> None:
        self.callouts.append(callout)

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)


class TimedWords(Words, frozen=True):
    """The words of a track with lengths about as espeak-ng's."""

    def clip_s(self, text: str) -> float:
        return clip_s(text)


def clip_s(text: str) -> float:
    """About what espeak-ng takes at 175 words a minute; the rule must hold for any length."""
    return 0.25 + 0.06 * len(text)


@pytest.fixture(scope="module")
def sonoma() -> Track:
    return load_track(shipped("track_data") / "sonoma.json")


def drive(drives: Path, track: Track, reference: ReferenceLap | None = None) -> Taken:
    recording = open_recording(drives / "sonoma-m3-vbox.csv")
    place = place_again(recording, {track.id: track})
    words = TimedWords(load_scripts([shipped("audio_cache")], track), {}, ())
    taken = Taken()
    supplies = Supplies({track.id: track}, lambda _: words, lambda *_: reference)
    path = taken.path = DriveSession(supplies, DriveSettings(audio_delay_s=0.06, software_s=0.02), (taken,))
    recorder = Recorder(path, None, (taken,))
    given = () if reference is None else (control(0.0, "reference", reference.label),)
    for record in records(recording, (control(0.0, "words", track.id), *place.controls, *given)):
        recorder.take(record)
    path.finish()
    return taken


def new_coach(track: Track, reference: ReferenceLap | None = None) -> Coach:
    scripts = load_scripts([shipped("audio_cache")], track)
    return Coach(track, scripts, clip_s, audio_delay_s=0.06, software_s=0.02, reference=reference)


@pytest.fixture(scope="module")
def driven(drives: Path, sonoma: Track) -> Taken:
    return drive(drives, sonoma)


@pytest.fixture(scope="module")
def references(driven: Taken, sonoma: Track) -> dict[str, ReferenceLap]:
    """The driver's best and slowest flying lap, and a lap one fifth slower than his best."""
    builder, laps, made = ReferenceBuilder(sonoma), iter(driven.laps), []
    lap = next(laps)
    for frame, position, _ in driven.seen:
        builder.feed(frame, position)
        if frame.t >= lap.end_t:
            built = builder.finish(lap, f"lap {lap.number}")
            if built is not None and lap.kind == "flying":
                made.append(built)
            lap = next(laps, lap)
    made.sort(key=lambda reference: reference.lap_time_s)
    slower = msgspec.structs.replace(
        made[0],
        lap_time_s=1.2 * made[0].lap_time_s,
        t_s=tuple(1.2 * t for t in made[0].t_s),
        speed_mps=tuple(speed / 1.2 for speed in made[0].speed_mps),
    )
    return {"best": made[0], "slowest": made[-1], "a fifth slower": slower}


def check(lines: list[LedgerLine]) -> None:
    assert sorted(line.cue for line in lines) == list(range(1, len(lines) + 1))
    spoken = [line for line in lines if line.outcome in SPOKEN]
    assert max(Counter(line.lap for line in spoken).values(), default=0) <= CALLOUTS_PER_LAP
    for line in spoken:
        if line.action_distance_m is not None:
            assert line.time_in_hand_s is not None
            assert line.time_in_hand_s >= REACTION_S, line


@pytest.mark.recordings
def test_a_real_drive_has_few_calls_in_time_and_every_cue_an_end(driven: Taken) -> None:
    check(driven.lines)
    spoken = [line for line in driven.lines if line.outcome in SPOKEN]
    assert len(driven.callouts) == len(spoken)
    first = {line.corner for line in spoken if line.lap <= 1}
    assert {"turn_7", "turn_11"} <= first
    assert any("loses" in line.reason for line in spoken)


def test_the_same_drive_gives_the_same_bytes(driven: Taken, drives: Path, sonoma: Track) -> None:
    again = drive(drives, sonoma)
    assert [ledger_json(line) for line in again.lines] == [ledger_json(line) for line in driven.lines]


@pytest.mark.parametrize("which", ["best", "slowest", "a fifth slower"])
def test_with_an_imported_reference(
    which: str, references: dict[str, ReferenceLap], drives: Path, sonoma: Track
) -> None:
    check(drive(drives, sonoma, references[which]).lines)


@pytest.mark.parametrize("which", ["best", "slowest", "a fifth slower"])
@pytest.mark.parametrize("part", ["brake", "mid", "exit"])
def test_no_call_to_any_corner_is_late(
    which: str, part: str, references: dict[str, ReferenceLap], driven: Taken, sonoma: Track
) -> None:
    """As if he lost time everywhere: three corners at a time, in each part of the corner."""
    spoken = 0
    corners = [corner.id for corner in sonoma.corners]
    for first in range(0, len(corners), 3):
        made = new_coach(sonoma, references[which])
        lines, lap_before = [], -1
        for frame, position, lap in driven.seen:
            made.frame(frame, position, lap)
            if lap != lap_before:
                for corner_id in corners[first : first + 3]:
                    made.corner_pass(losing(corner_id, lap_before, part))
                lap_before = lap
            lines += made.drain()
        made.finish(driven.seen[-1][0].t)
        lines += made.drain()
        if lines:
            check([msgspec.structs.replace(line, cue=i) for i, line in enumerate(lines, start=1)])
        spoken += sum(line.outcome in SPOKEN for line in lines)
    assert spoken > 5


def losing(corner_id: str, lap: int, part: str) -> CornerPass:
    """A pass that lost 0.4 s in one part."""
    return CornerPass(
        lap, corner_id, 0.0, 5.0, 5.0, 30.0, 20.0, 0.0, 30.0, None, 0.4,
        *(0.4 if name == part else 0.0 for name in ("brake", "mid", "exit")),
    )  # fmt: skip
